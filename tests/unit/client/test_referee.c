// A referee against a server that refuses its batches, or loses its answers, as the test says: each
// event is handled once, and the referee keeps its world meanwhile.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/referee.h>

#include "client/lib/connection.h"
#include "client/referee/game.h"
#include "tests/unit/client/connected.h"

#define SUBSCRIPTION 3
#define LEASE_S      0.5

enum { NUMBERS_MAX = 16 };

// The answer to a batch.
typedef enum batch_fate {
    FATE_DONE,
    FATE_REFUSED, // it takes no effect: a limit is reached
    FATE_UNSENT,  // it takes no effect: the server had no time
    FATE_UNTOLD,  // it takes effect, and the answer is lost
    FATE_INVALID, // it takes no effect, and would not the next time
} batch_fate;

// The server's world: the key `referee`, and how often each number was counted.
typedef struct arena {
    pthread_mutex_t lock;
    fake_server *server;
    carom_value *key; // NULL: not there
    uint64_t version;
    uint64_t tick;
    unsigned counted[NUMBERS_MAX];
    batch_fate fate;      // fate of the next `fated` batches with turns
    unsigned fated;       // falls with each of them
    batch_fate beat_fate; // fate of the next `beats_fated` batches of the key alone
    unsigned beats_fated;
    unsigned lost_answers; // questions for the key that get no answer
    bool paused;           // then no tick passes, and commands act in the present one
    // ---- counts of requests
    uint64_t recorded[NUMBERS_MAX]; // by attempt at turns: the tick up to which all is handled
    unsigned turns_tried, beats_done, questions;
    unsigned beats_between; // beats between the first and the last attempt at turns
} arena;

static carom_value *message_of(uint64_t tick, int number)
{
    carom_value *event = carom_set(carom_map(), "kind", carom_str("message"));
    carom_set(event, "tick", carom_uint(tick));
    carom_set(event, "name", carom_str("count"));
    carom_set(event, "session", carom_uint(9));
    return carom_set(event, "data", carom_uint((uint64_t)number));
}

// With messages of numbers from `first` on, `count` of them, of successive ticks up to `tick`.
static carom_value *snapshot_of(uint64_t tick, int first, int count)
{
    carom_value *events = carom_array();
    for (int i = 0; i < count; i++) {
        carom_push(events, message_of(tick + 1 + (uint64_t)i - (uint64_t)count, first + i));
    }
    carom_value *v = carom_set(carom_map(), "subscription", carom_uint(SUBSCRIPTION));
    carom_set(v, "world", carom_str("arena"));
    carom_set(v, "epoch", carom_uint(1));
    carom_set(v, "tick", carom_uint(tick));
    carom_set(v, "time", carom_real((double)tick));
    carom_set(v, "full", carom_bool(tick == 1));
    carom_set(v, "bodies", carom_array());
    carom_set(v, "data", carom_map());
    return carom_set(v, "events", events);
}

static carom_value *list(void)
{
    carom_value *world = carom_set(carom_map(), "world", carom_str("arena"));
    carom_set(world, "epoch", carom_uint(1));
    return carom_push(carom_array(), carom_set(world, "hz", carom_real(60.0)));
}

// Carries out a batch. NULL: the key has another version.
static carom_value *apply(arena *a, const carom_value *commands)
{
    const carom_value *record = carom_value_at(carom_value_at(commands, 0), 1);
    carom_value *results = carom_array();
    if (carom_get_uint(record, "version", 0) != a->version) {
        carom_value_free(results);
        return NULL;
    }
    carom_value_free(a->key);
    a->key = carom_value_clone(carom_value_get(record, "value"));
    carom_push(results, carom_set(carom_map(), "version", carom_uint(++a->version)));
    for (size_t i = 1; i < carom_value_count(commands); i++) {
        const carom_value *args = carom_value_at(carom_value_at(commands, i), 1);
        a->counted[carom_get_uint(args, "value", 0) % NUMBERS_MAX]++;
        carom_push(results, carom_map());
    }
    a->tick += !a->paused;
    carom_value *answer = carom_set(carom_map(), "tick", carom_uint(a->tick));
    return carom_set(answer, "results", results);
}

static batch_fate fate_of(arena *a, bool beat)
{
    batch_fate *fate = beat ? &a->beat_fate : &a->fate;
    unsigned *fated = beat ? &a->beats_fated : &a->fated;
    if (*fated == 0) {
        return FATE_DONE;
    }
    --*fated;
    return *fate;
}

static void answer_batch(arena *a, const fake_message *m)
{
    const carom_value *commands = carom_value_get(m->args, "commands");
    const bool beat = carom_value_count(commands) == 1;
    const batch_fate fate = fate_of(a, beat);
    carom_value *answer = fate == FATE_DONE || fate == FATE_UNTOLD ? apply(a, commands) : NULL;
    if (!beat) {
        a->recorded[a->turns_tried++ % NUMBERS_MAX] =
            carom_get_uint(commands, "[0][1].value.tick", 0);
    }
    a->beats_done += beat && answer != NULL;
    a->beats_between += beat && answer != NULL && a->turns_tried > 0 && a->fated > 0;
    if (fate == FATE_DONE && answer != NULL) {
        fake_reply(a->server, m->id, answer);
        return;
    }
    carom_value_free(answer);
    fake_refuse(a->server, m->id,
                fate == FATE_DONE      ? "already_exists: key 'referee' has another version"
                : fate == FATE_REFUSED ? "limit_exceeded: data_bytes_per_world"
                : fate == FATE_INVALID ? "invalid_argument: commands[1]: no such body"
                                       : "unavailable: the answer is lost");
}

static void answer_question(arena *a, const fake_message *m)
{
    a->questions++;
    if (a->lost_answers > 0) {
        a->lost_answers--;
        fake_refuse(a->server, m->id, "unavailable: the answer is lost");
        return;
    }
    carom_value *data = carom_map();
    if (a->key != NULL) {
        carom_value *entry = carom_set(carom_map(), "value", carom_value_clone(a->key));
        carom_set(data, "referee", carom_set(entry, "version", carom_uint(a->version)));
    }
    carom_value *answer = carom_set(carom_map(), "data", data);
    fake_reply(a->server, m->id, carom_set(answer, "tick", carom_uint(a->tick)));
}

static void serve(fake_server *server, const fake_message *m, void *user)
{
    arena *a = user;
    pthread_mutex_lock(&a->lock);
    a->server = server;
    if (!m->request || strcmp(m->method, "hello") == 0) {
        fake_answer(server, m);
    } else if (strcmp(m->method, "world.list") == 0) {
        fake_reply(server, m->id, list());
    } else if (strcmp(m->method, "world.subscribe") == 0) {
        carom_value *answer = carom_set(carom_map(), "subscription", carom_uint(SUBSCRIPTION));
        carom_set(answer, "epoch", carom_uint(1));
        fake_reply(server, m->id, carom_set(answer, "tick", carom_uint(1)));
        fake_notify(server, "snapshot", snapshot_of(a->tick = 1, 0, 0));
    } else if (strcmp(m->method, "world.apply") == 0) {
        answer_batch(a, m);
    } else if (strcmp(m->method, "data.get") == 0) {
        answer_question(a, m);
    } else {
        fake_reply(server, m->id, carom_map());
    }
    pthread_mutex_unlock(&a->lock);
}

// ---- a game that counts

typedef struct setup {
    arena arena;
    fake_server *server;
    carom_referee *referee;
    unsigned starts, losses, errors;
    const char *set, *removed; // keys that the next handlers change, too; NULL: none
    char during[32], text[CAROM_ERROR_TEXT_MAX];
} setup;

static void on_start(carom_game *game, void *user)
{
    (void)game;
    ((setup *)user)->starts++;
}

static void on_message(carom_game *game, const carom_event *event, void *user)
{
    const setup *s = user;
    carom_game_set(game, "count", carom_event_data(event));
    if (s->set != NULL) {
        carom_game_set(game, s->set, carom_uint(1));
    }
    if (s->removed != NULL) {
        carom_game_remove(game, s->removed);
    }
}

static void on_state(carom_game *game, carom_game_state state, void *user)
{
    (void)game;
    ((setup *)user)->losses += state == CAROM_GAME_STANDBY;
}

static void on_error(carom_game *game, const char *during, const carom_error *why, void *user)
{
    setup *s = user;
    (void)game;
    s->errors++;
    snprintf(s->during, sizeof s->during, "%s", during);
    snprintf(s->text, sizeof s->text, "%s", why->text);
}

static void begin(setup *s)
{
    carom_referee_options options = carom_referee_options_default();
    carom_error why;
    *s = (setup){.arena.lock = PTHREAD_MUTEX_INITIALIZER};
    s->server = fake_start(&(fake_options){.handler = serve, .user = &s->arena});
    options.worlds = (const char *const[]){"arena"};
    options.world_count = 1;
    options.lease_s = LEASE_S;
    options.no_bodies = true;
    options.handlers = (carom_referee_handlers){
        .user = s, .start = on_start, .message = on_message, .state = on_state, .error = on_error};
    assert_int_equal(carom_referee_create("127.0.0.1", fake_port(s->server), PATIENCE_MS, &options,
                                          &s->referee, &why),
                     CAROM_OK);
}

static void end(setup *s)
{
    carom_referee_free(s->referee);
    fake_stop(s->server);
    carom_value_free(s->arena.key);
}

static carom_game_figures figures(const setup *s)
{
    return carom_game_get_figures(carom_referee_find(s->referee, "arena"));
}

// The state of the server, as it is now.
static arena seen(setup *s)
{
    pthread_mutex_lock(&s->arena.lock);
    const arena now = s->arena;
    pthread_mutex_unlock(&s->arena.lock);
    return now;
}

#define AWAIT(s, condition)                                                                        \
    for (int64_t deadline = deadline_after_ms(PATIENCE_MS); !(condition);) {                       \
        assert_true(monotonic_ns() < deadline);                                                    \
        assert_int_equal(carom_referee_poll((s)->referee, 10, NULL), CAROM_OK);                    \
    }

static void await_holder(setup *s)
{
    AWAIT(s, figures(s).state == CAROM_GAME_HOLDER && s->starts > 0);
}

// The next beats, and claims.
static void set_beats(setup *s, batch_fate fate, unsigned fated, unsigned lost_answers)
{
    pthread_mutex_lock(&s->arena.lock);
    s->arena.beat_fate = fate;
    s->arena.beats_fated = fated;
    s->arena.lost_answers = lost_answers;
    pthread_mutex_unlock(&s->arena.lock);
}

// Messages with numbers to count, of as many ticks, and what becomes of the next batches. `ticks`
// 0: the world is paused.
static void send_numbers(setup *s, int first, int count, unsigned ticks, batch_fate fate,
                         unsigned fated)
{
    pthread_mutex_lock(&s->arena.lock);
    s->arena.fate = fate;
    s->arena.fated = fated;
    s->arena.turns_tried = s->arena.beats_between = 0;
    s->arena.tick += ticks;
    fake_notify(s->arena.server, "snapshot", snapshot_of(s->arena.tick, first, count));
    pthread_mutex_unlock(&s->arena.lock);
}

static void send_number(setup *s, int number, batch_fate fate, unsigned fated)
{
    send_numbers(s, number, 1, 1, fate, fated);
}

static void await_counted(setup *s, int number)
{
    const unsigned errors = s->errors;
    AWAIT(s, s->errors > errors || (seen(s).counted[number] > 0 && figures(s).waiting == 0));
    for (int i = 0; i < 5;
         i++) { // an answer that was not believed would be followed by another batch
        assert_int_equal(carom_referee_poll(s->referee, 0, NULL), CAROM_OK);
    }
    assert_int_equal(seen(s).counted[number], 1);
    assert_int_equal(s->errors, errors);
}

// ---- tests

static void test_five_refusals_drop_the_commands_and_the_next_event_is_handled(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    send_number(&s, 1, FATE_REFUSED, 100);
    AWAIT(&s, figures(&s).failed == 1);
    assert_int_equal(seen(&s).turns_tried, GAME_TRIES_MAX);
    assert_true(seen(&s).beats_between >= 3); // the lease was renewed between the attempts
    assert_int_equal(s.errors, 1);
    assert_string_equal(s.during, "message");
    assert_string_equal(s.text, "data_bytes_per_world");
    send_number(&s, 2, FATE_DONE, 0);
    await_counted(&s, 2);
    assert_int_equal(seen(&s).counted[1], 0);
    assert_int_equal(s.losses, 0);
    end(&s);
}

static void test_fourth_refusal_is_followed_by_another_attempt(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    send_number(&s, 1, FATE_UNSENT, GAME_TRIES_MAX - 1);
    await_counted(&s, 1);
    assert_int_equal(seen(&s).turns_tried, GAME_TRIES_MAX);
    assert_int_equal(s.errors + s.losses, 0);
    assert_int_equal(figures(&s).failed, 0);
    end(&s);
}

static void test_refusal_that_would_come_again_is_not_repeated(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    send_number(&s, 1, FATE_INVALID, 1);
    AWAIT(&s, figures(&s).failed == 1);
    send_number(&s, 2, FATE_DONE, 0);
    await_counted(&s, 2);
    assert_int_equal(seen(&s).counted[1], 0);
    assert_int_equal(s.errors, 1);
    end(&s);
}

// A handler that changed the record would end the game for good.
static void test_handler_cannot_change_the_record_of_the_referee(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    s.set = "referee";
    send_number(&s, 1, FATE_DONE, 0);
    AWAIT(&s, figures(&s).failed == 1);
    assert_string_equal(s.during, "message");
    assert_non_null(strstr(s.text, "the referee's own record; take another key"));
    s.set = NULL;
    s.removed = "referee/seat/1";
    send_number(&s, 2, FATE_DONE, 0);
    AWAIT(&s, figures(&s).failed == 2);
    s.removed = NULL;
    send_number(&s, 3, FATE_DONE, 0);
    await_counted(&s, 3);
    assert_int_equal(seen(&s).counted[1] + seen(&s).counted[2], 0);
    assert_int_equal(s.losses, 0);
    end(&s);
}

// The batch took effect and its answer was lost: the key shows that.
static void test_lost_answer_is_asked_for_and_believed(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    for (int i = 1; i <= 5; i++) {
        send_number(&s, i, FATE_UNTOLD, 1);
        await_counted(&s, i);
        assert_int_equal(seen(&s).turns_tried, 1);
    }
    assert_int_equal(s.errors + s.losses, 0);
    assert_int_equal(figures(&s).handled, 5);
    end(&s);
}

static void test_question_without_an_answer_is_asked_again(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    set_beats(&s, FATE_DONE, 0, GAME_TRIES_MAX - 1);
    send_number(&s, 1, FATE_UNTOLD, 1);
    await_counted(&s, 1);
    assert_int_equal(seen(&s).turns_tried, 1);
    assert_int_equal(s.errors + s.losses, 0);
    end(&s);
}

// Nobody can be asked whether the batch took effect: the referee stands back, claims the world
// again, and reads there what is handled.
static void test_five_questions_without_an_answer_cost_the_world_and_no_event(void **state)
{
    (void)state;
    static const batch_fate FATES[] = {FATE_UNTOLD, FATE_UNSENT};
    for (size_t i = 0; i < 2; i++) {
        static setup s;
        begin(&s);
        await_holder(&s);
        set_beats(&s, FATE_DONE, 0, GAME_TRIES_MAX);
        send_number(&s, 1, FATES[i], 1);
        AWAIT(&s, s.losses == 1);
        AWAIT(&s, s.starts == 2);
        await_counted(&s, 1);
        send_number(&s, 2, FATE_DONE, 0);
        await_counted(&s, 2);
        assert_int_equal(seen(&s).counted[1], 1);
        end(&s);
    }
}

// A batch of turns after a beat of unknown outcome bears the beat's number: it must not be taken
// for it.
static void test_beat_without_an_answer_is_not_taken_for_the_next_batch(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    set_beats(&s, FATE_UNTOLD, 1, 2);
    AWAIT(&s, seen(&s).lost_answers == 1); // the question after the beat is not answered
    send_number(&s, 1, FATE_DONE, 0);
    await_counted(&s, 1);
    assert_int_equal(s.errors + s.losses, 0);
    end(&s);
}

// The messages of a paused world are all of its present tick.
static void test_messages_of_a_paused_world_are_all_handled(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    pthread_mutex_lock(&s.arena.lock);
    s.arena.paused = true;
    pthread_mutex_unlock(&s.arena.lock);
    for (int i = 1; i <= 3; i++) {
        send_numbers(&s, i, 1, 0, FATE_DONE, 0);
        await_counted(&s, i);
    }
    set_beats(&s, FATE_DONE, 0, GAME_TRIES_MAX); // it stands back in the midst
    send_numbers(&s, 4, 1, 0, FATE_UNSENT, 1);
    AWAIT(&s, s.losses == 1);
    await_counted(&s, 4);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(seen(&s).counted[i], 1);
    }
    end(&s);
}

// A batch of several ticks is refused, and each goes alone: the record follows.
static void test_record_names_the_last_whole_tick_of_each_batch(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    await_holder(&s);
    send_numbers(&s, 1, 3, 3, FATE_INVALID, 1);
    for (int i = 1; i <= 3; i++) {
        await_counted(&s, i);
    }
    const arena now = seen(&s);
    assert_int_equal(now.turns_tried, 4);
    assert_int_equal(now.recorded[1] + 1, now.recorded[2]);
    assert_int_equal(now.recorded[2] + 1, now.recorded[3]);
    assert_int_equal(now.recorded[0], now.recorded[3]);
    end(&s);
}

static void test_claim_is_believed_without_its_answer_and_refusals_are_told_once(void **state)
{
    (void)state;
    static setup s;
    begin(&s);
    set_beats(&s, FATE_REFUSED, 3, 0);
    await_holder(&s);
    assert_int_equal(s.errors, 1);
    assert_string_equal(s.during, "claim");
    assert_string_equal(s.text, "data_bytes_per_world");
    end(&s);
    begin(&s);
    set_beats(&s, FATE_UNTOLD, 1, 0);
    await_holder(&s);
    assert_int_equal(s.starts, 1);
    send_number(&s, 1, FATE_DONE, 0);
    await_counted(&s, 1);
    end(&s);
}

static void test_hand_over_that_is_refused_is_tried_again(void **state)
{
    (void)state;
    static setup s;
    carom_error why;
    begin(&s);
    await_holder(&s);
    set_beats(&s, FATE_REFUSED, 3, 0);
    assert_int_equal(carom_referee_close(s.referee, PATIENCE_MS, &why), CAROM_OK);
    assert_string_equal(carom_get_str(seen(&s).key, "holder", "none"), "");
    assert_int_equal(seen(&s).beats_fated, 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_five_refusals_drop_the_commands_and_the_next_event_is_handled),
        cmocka_unit_test(test_fourth_refusal_is_followed_by_another_attempt),
        cmocka_unit_test(test_refusal_that_would_come_again_is_not_repeated),
        cmocka_unit_test(test_handler_cannot_change_the_record_of_the_referee),
        cmocka_unit_test(test_lost_answer_is_asked_for_and_believed),
        cmocka_unit_test(test_question_without_an_answer_is_asked_again),
        cmocka_unit_test(test_five_questions_without_an_answer_cost_the_world_and_no_event),
        cmocka_unit_test(test_beat_without_an_answer_is_not_taken_for_the_next_batch),
        cmocka_unit_test(test_messages_of_a_paused_world_are_all_handled),
        cmocka_unit_test(test_record_names_the_last_whole_tick_of_each_batch),
        cmocka_unit_test(test_claim_is_believed_without_its_answer_and_refusals_are_told_once),
        cmocka_unit_test(test_hand_over_that_is_refused_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
