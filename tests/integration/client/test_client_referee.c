// Referees against a real server: each event is handled once, whatever fails: a handler, a command,
// the referee itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/integration/client/against_server.h"

#define TEMPLATE "arena"

enum {
    MESSAGES = 300,
    LARGE_BYTES = 15000, // size of a value
    LARGE_MESSAGES = 100
};

static char world[128]; // the world of the template

typedef struct rules {
    unsigned starts, joins, leaves, ticks, hits, errors;
    uint64_t seat, session; // who joined or left last
    char during[32], text[CAROM_ERROR_TEXT_MAX];
    uint64_t ball; // what a handler has made, by the answer to a query of the test
} rules;

// ---- a game that counts

static void on_start(carom_game *game, void *user)
{
    (void)game;
    ((rules *)user)->starts++;
}

static void on_seat(carom_game *game, const carom_event *event, unsigned *count, rules *r)
{
    carom_player player;
    (*count)++;
    r->seat = event->seat;
    r->session = event->session;
    assert_int_equal(carom_game_seat(game, event->seat, &player), event->kind == CAROM_EVENT_JOIN);
}

static void on_join(carom_game *game, const carom_event *event, void *user)
{
    on_seat(game, event, &((rules *)user)->joins, user);
}

static void on_leave(carom_game *game, const carom_event *event, void *user)
{
    on_seat(game, event, &((rules *)user)->leaves, user);
}

static void count_up(carom_game *game, const char *key)
{
    uint64_t before = carom_as_uint(carom_game_get(game, key), 0);
    carom_game_set(game, key, carom_uint(before + 1));
}

static void spawn_pair(carom_game *game)
{
    carom_batch *batch = carom_game_batch(game);
    carom_shape disc = carom_shape_circle(0.5);
    carom_body_options ball = carom_body_options_default();
    ball.shapes = &disc;
    ball.shape_count = 1;
    size_t a = carom_batch_spawn(batch, &ball);
    ball.position = (carom_vec2){2.0, 0.0};
    size_t b = carom_batch_spawn(batch, &ball);
    carom_joint_settings rod =
        carom_joint_settings_default(CAROM_DISTANCE, CAROM_RESULT(a), CAROM_RESULT(b));
    rod.length = 2.0;
    carom_batch_joint(batch, &rod);
}

static void on_message(carom_game *game, const carom_event *event, void *user)
{
    char key[64];
    carom_value *data = carom_event_data(event);
    (void)user;
    snprintf(key, sizeof key, "count/%llu", (unsigned long long)carom_as_uint(data, 0));
    carom_value_free(data);
    if (strcmp(event->message, "count") == 0) {
        count_up(game, key);
    } else if (strcmp(event->message, "pair") == 0) {
        spawn_pair(game);
        count_up(game, "pairs");
    } else if (strcmp(event->message, "fail") == 0) {
        count_up(game, "failed");
        carom_game_fail(game, "this handler fails");
    } else if (strcmp(event->message, "wrong") == 0) {
        count_up(game, "wrong");
        carom_batch_remove(carom_game_batch(game), 999999);
    } else if (strcmp(event->message, "large") == 0) {
        static const uint8_t BYTES[LARGE_BYTES];
        carom_game_set(game, key, carom_bin(BYTES, sizeof BYTES));
    } else if (strcmp(event->message, "echo") == 0) {
        carom_game_send_to_session(game, "heard", carom_uint(7), event->session);
    }
}

static void on_tick(carom_game *game, void *user)
{
    (void)game;
    ((rules *)user)->ticks++;
}

static void on_error(carom_game *game, const char *during, const carom_error *error, void *user)
{
    rules *r = user;
    (void)game;
    r->errors++;
    snprintf(r->during, sizeof r->during, "%s", during);
    snprintf(r->text, sizeof r->text, "%s", error->text);
}

// ---- help

static carom_referee *begin_with(const against_server *s, rules *r, carom_referee_options options)
{
    carom_referee *referee = NULL;
    carom_error error;
    options.lease_s = 0.5;
    options.handlers = (carom_referee_handlers){.user = r,
                                                .start = on_start,
                                                .join = on_join,
                                                .leave = on_leave,
                                                .message = on_message,
                                                .tick = on_tick,
                                                .error = on_error};
    check_ok(carom_referee_create(NULL, s->server.port, PATIENCE_MS, &options, &referee, &error),
             &error);
    return referee;
}

static carom_referee *begin(const against_server *s, rules *r)
{
    static const char *const TEMPLATES[] = {TEMPLATE};
    carom_referee_options options = carom_referee_options_default();
    options.templates = TEMPLATES;
    options.template_count = 1;
    return begin_with(s, r, options);
}

static void round_of(carom_referee *referee)
{
    carom_error error;
    check_ok(carom_referee_poll(referee, 20, &error), &error);
}

static carom_game_figures figures_of(const carom_referee *referee)
{
    return carom_game_get_figures(carom_referee_find(referee, world));
}

static void await_holder(carom_referee *referee)
{
    int64_t deadline = test_now_ms() + PATIENCE_MS;
    while (figures_of(referee).state != CAROM_GAME_HOLDER) {
        assert_true(test_now_ms() < deadline);
        round_of(referee);
    }
}

static void call_world(const against_server *s, const char *method)
{
    carom_value *args = carom_set(carom_map(), "world", carom_str(world));
    carom_error error;
    check_ok(carom_call(s->client, method, args, PATIENCE_MS, NULL, &error), &error);
    carom_value_free(args);
}

static void join(const against_server *s)
{
    carom_value *args = carom_set(carom_map(), "template", carom_str(TEMPLATE)), *answer = NULL;
    carom_error error;
    check_ok(carom_call(s->client, "world.join", args, PATIENCE_MS, &answer, &error), &error);
    snprintf(world, sizeof world, "%s", carom_get_str(answer, "world", ""));
    carom_value_free(args);
    carom_value_free(answer);
}

// Makes the world: who joins first has it made.
static void make_arena(const against_server *s)
{
    join(s);
    call_world(s, "world.leave");
}

static void send_message(const against_server *s, const char *name, uint64_t number)
{
    carom_value *args = carom_set(carom_map(), "world", carom_str(world));
    carom_error error;
    carom_set(carom_set(args, "name", carom_str(name)), "data", carom_uint(number));
    check_ok(carom_call(s->client, "message.send", args, PATIENCE_MS, NULL, &error), &error);
    carom_value_free(args);
}

// The world's data that begins with `prefix`: a map of {value, version}, the caller's to free.
static carom_value *data_of(const against_server *s, const char *prefix)
{
    carom_value *args = carom_set(carom_map(), "world", carom_str(world)), *answer = NULL;
    carom_error error;
    carom_set(args, "prefix", carom_str(prefix));
    check_ok(carom_call(s->client, "data.get", args, PATIENCE_MS, &answer, &error), &error);
    carom_value *data = carom_value_take(answer, "data");
    carom_value_free(args);
    carom_value_free(answer);
    return data;
}

static uint64_t number_of(const against_server *s, const char *key)
{
    carom_value *data = data_of(s, key);
    uint64_t number = carom_as_uint(carom_value_get(carom_value_get(data, key), "value"), 0);
    carom_value_free(data);
    return number;
}

static void await_number(const against_server *s, carom_referee *referee, const char *key,
                         uint64_t number)
{
    int64_t deadline = test_now_ms() + PATIENCE_MS;
    while (number_of(s, key) != number) {
        assert_true(test_now_ms() < deadline);
        round_of(referee);
    }
}

static void await_count(carom_referee *referee, const unsigned *count, unsigned wanted)
{
    int64_t deadline = test_now_ms() + PATIENCE_MS;
    while (*count < wanted) {
        assert_true(test_now_ms() < deadline);
        round_of(referee);
    }
    assert_int_equal(*count, wanted);
}

static void close_referee(carom_referee *referee)
{
    carom_error error;
    check_ok(carom_referee_close(referee, PATIENCE_MS, &error), &error);
    carom_referee_free(referee);
}

// cmocka's setup: a server with the template.
static int set_up(void **state)
{
    char file[] = "/tmp/carom-template-XXXXXX", option[64];
    int fd = mkstemp(file);
    against_server *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_true(fd >= 0);
    dprintf(fd, "{\"gravity\": [0, 0], \"seats\": 4, \"idle_s\": 600}");
    close(fd);
    snprintf(option, sizeof option, TEMPLATE "=%s", file);
    process_start(&s->server, caromd_path,
                  (const char *const[]){"--template", option, "--limit",
                                        "data_bytes_per_world=4194304", NULL});
    s->client = server_connect(s);
    unlink(file);
    *state = s;
    return 0;
}

// ---- tests

// Messages come all the time; referees are ended in the midst, some without a word. Each message is
// counted once, and none is missing.
static void test_each_message_is_handled_once(void **state)
{
    const against_server *s = *state;
    rules r = {0};
    make_arena(s);
    carom_referee *referee = begin(s, &r), *standby = begin(s, &r);
    await_holder(referee);
    for (uint64_t i = 0; i < MESSAGES; i++) {
        send_message(s, "count", i);
        if (i % 7 == 0) {
            round_of(referee);
            round_of(standby);
        }
        if (i % 100 == 60) { // this referee is gone, with what it has not sent
            carom_referee_free(referee);
            referee = standby;
            standby = begin(s, &r);
            await_holder(referee);
        }
    }
    int64_t deadline = test_now_ms() + PATIENCE_MS;
    carom_value *counts = data_of(s, "count/");
    while (carom_value_count(counts) < MESSAGES) {
        assert_true(test_now_ms() < deadline);
        round_of(referee);
        round_of(standby);
        carom_value_free(counts);
        counts = data_of(s, "count/");
    }
    for (size_t i = 0; i < MESSAGES; i++) {
        assert_int_equal(carom_get_uint(carom_value_at(counts, i), "value", 0), 1);
    }
    carom_value_free(counts);
    assert_int_equal(r.starts, 4);
    assert_int_equal(r.errors, 0);
    assert_int_equal(figures_of(standby).state, CAROM_GAME_STANDBY);
    close_referee(referee);
    close_referee(standby);
}

static void test_joins_and_leaves_that_nobody_saw_are_told(void **state)
{
    const against_server *s = *state;
    rules r = {0};
    make_arena(s);
    join(s);
    carom_referee *referee = begin(s, &r);
    await_count(referee, &r.joins, 1);
    assert_int_equal(r.seat, 1);
    assert_int_equal(r.session, carom_get_uint(carom_hello(s->client), "session", 0));
    await_number(s, referee, "referee/seat/2", 0);
    close_referee(referee);
    call_world(s, "world.leave");
    referee = begin(s, &r);
    await_count(referee, &r.leaves, 1);
    assert_int_equal(carom_game_seats(carom_referee_find(referee, world), NULL, 0), 0);
    join(s); // and those that it sees
    await_count(referee, &r.joins, 2);
    assert_int_equal(r.errors, 0);
    close_referee(referee);
}

// The connection is cut while events are handled: no event is handled twice, possible losses are
// reported, seats taken meanwhile are found, and the referee continues.
static void test_cut_connection_repeats_nothing(void **state)
{
    const against_server *s = *state;
    rules r = {0};
    make_arena(s);
    carom_referee *referee = begin(s, &r);
    await_holder(referee);
    for (uint64_t i = 0; i < MESSAGES; i++) {
        send_message(s, "count", i);
        round_of(referee);
        if (i % 60 == 30) {
            shutdown(carom_fd(carom_referee_client(referee)), SHUT_RDWR);
        }
    }
    join(s);
    await_count(referee, &r.joins, 1);
    assert_true(r.errors >= 1);
    assert_string_equal(r.during, "resume");
    send_message(s, "count", MESSAGES);
    char last[32];
    snprintf(last, sizeof last, "count/%d", MESSAGES);
    await_number(s, referee, last, 1);
    carom_value *counts = data_of(s, "count/");
    for (size_t i = 0; i < carom_value_count(counts); i++) {
        assert_int_equal(carom_get_uint(carom_value_at(counts, i), "value", 0), 1);
    }
    assert_true(carom_value_count(counts) > MESSAGES / 2);
    carom_value_free(counts);
    close_referee(referee);
}

// Handlers of one batch: what one makes is named by number, and the numbers are moved.
static void test_results_of_several_handlers_are_told_apart(void **state)
{
    const against_server *s = *state;
    rules r = {0};
    make_arena(s);
    carom_referee *referee = begin(s, &r);
    await_holder(referee);
    for (int i = 0; i < 3; i++) {
        send_message(s, "pair", 0); // all wait when the referee looks
    }
    await_number(s, referee, "pairs", 3);
    carom_value *args = carom_set(carom_map(), "world", carom_str(world)), *whole = NULL;
    carom_error error;
    check_ok(carom_call(s->client, "world.state", args, PATIENCE_MS, &whole, &error), &error);
    const carom_value *joints = carom_value_get(whole, "joints");
    assert_int_equal(carom_value_count(joints), 3);
    for (size_t i = 0; i < 3; i++) {
        const carom_value *joint = carom_value_at(joints, i);
        assert_int_equal(carom_get_uint(joint, "b", 0), carom_get_uint(joint, "a", 0) + 1);
    }
    carom_value_free(args);
    carom_value_free(whole);
    assert_int_equal(r.errors, 0);
    close_referee(referee);
}

static void test_failures_spoil_no_other_event(void **state)
{
    const against_server *s = *state;
    rules r = {0};
    make_arena(s);
    carom_referee *referee = begin(s, &r);
    await_holder(referee);
    send_message(s, "count", 1);
    send_message(s, "fail", 0);
    send_message(s, "count", 2);
    await_number(s, referee, "count/2", 1);
    assert_int_equal(r.errors, 1);
    assert_string_equal(r.during, "message");
    assert_string_equal(r.text, "this handler fails");
    send_message(s, "count", 3);
    send_message(s, "wrong", 0);
    send_message(s, "count", 4);
    await_number(s, referee, "count/4", 1);
    await_count(referee, &r.errors, 2);
    assert_non_null(strstr(r.text, "999999"));
    assert_int_equal(number_of(s, "count/1") + number_of(s, "count/3"), 2);
    assert_int_equal(number_of(s, "failed") + number_of(s, "wrong"), 0);
    assert_int_equal(figures_of(referee).failed, 2);
    close_referee(referee);
}

static void test_closed_referee_hands_over(void **state)
{
    const against_server *s = *state;
    rules first = {0}, second = {0};
    make_arena(s);
    carom_referee *referee = begin(s, &first), *standby = begin(s, &second);
    await_holder(referee);
    close_referee(referee);
    assert_int_equal(number_of(s, "nothing"), 0);
    carom_value *data = data_of(s, "referee");
    assert_string_equal(carom_get_str(data, "referee.value.holder", "none"), "");
    carom_value_free(data);
    await_holder(standby);
    await_count(standby, &second.starts, 1);
    close_referee(standby);
}

// Messages of one tick whose changes are 1.5 MB, more than a server takes in a message.
static void test_changes_of_one_tick_go_in_several_batches(void **state)
{
    const against_server *s = *state;
    rules r = {0};
    carom_value *args = carom_map(), *commands = carom_array();
    carom_error error;
    make_arena(s);
    carom_referee *referee = begin(s, &r);
    await_holder(referee);
    for (unsigned i = 0; i < LARGE_MESSAGES; i++) {
        carom_value *one = carom_set(carom_map(), "name", carom_str("large"));
        carom_set(one, "data", carom_uint(i));
        carom_push(commands, carom_push(carom_push(carom_array(), carom_str("message.send")), one));
    }
    carom_set(carom_set(args, "world", carom_str(world)), "commands", commands);
    check_ok(carom_call(s->client, "world.apply", args, PATIENCE_MS, NULL, &error), &error);
    carom_value_free(args);
    const int64_t deadline = test_now_ms() + PATIENCE_MS;
    size_t count = 0;
    while (count < LARGE_MESSAGES) {
        assert_true(test_now_ms() < deadline);
        assert_string_equal(r.text, ""); // no error
        round_of(referee);
        carom_value *data = data_of(s, "count/");
        count = carom_value_count(data);
        carom_value_free(data);
    }
    assert_int_equal(r.starts, 1); // it has never lost the game
    close_referee(referee);
}

static void test_one_world_too_many_is_told_and_the_others_go_on(void **state)
{
    const against_server *s = *state;
    static const char *const WORLDS[] = {"many-*"};
    carom_referee_options options = carom_referee_options_default();
    rules r = {0};
    for (unsigned i = 0; i <= CAROM_REFEREE_GAMES_MAX; i++) {
        carom_error error;
        carom_value *args = carom_map();
        snprintf(world, sizeof world, "many-%u", i);
        carom_set(carom_set(args, "world", carom_str(world)), "hz", carom_uint(10));
        check_ok(carom_call(s->client, "world.create", args, PATIENCE_MS, NULL, &error), &error);
        carom_value_free(args);
    }
    options.worlds = WORLDS;
    options.world_count = 1;
    options.no_bodies = true;
    carom_referee *referee = begin_with(s, &r, options);
    await_count(referee, &r.starts, CAROM_REFEREE_GAMES_MAX);
    assert_int_equal(r.errors, 1);
    assert_string_equal(r.during, "attach");
    assert_non_null(strstr(r.text, ": a referee has at most 64 worlds"));
    const char *left_out = strtok(r.text, ":");
    assert_null(carom_referee_find(referee, left_out));
    snprintf(world, sizeof world, "%s", strcmp(left_out, "many-0") == 0 ? "many-1" : "many-0");
    send_message(s, "count", 3);
    await_number(s, referee, "count/3", 1);
    close_referee(referee);
}

static void test_wrong_options_are_told(void **state)
{
    const against_server *s = *state;
    carom_referee *referee = NULL;
    carom_error error;
    carom_referee_options options = carom_referee_options_default();
    assert_int_equal(
        carom_referee_create(NULL, s->server.port, PATIENCE_MS, &options, &referee, &error),
        CAROM_INVALID_ARGUMENT);
    assert_string_equal(error.text, "templates or worlds: none is named");
    options.templates = (const char *const[]){"duel"};
    options.template_count = 1;
    options.lease_s = 0.1;
    assert_int_equal(
        carom_referee_create(NULL, s->server.port, PATIENCE_MS, &options, &referee, &error),
        CAROM_INVALID_ARGUMENT);
    assert_string_equal(error.text, "lease_s: 0.5 to 60 seconds");
    assert_int_equal(carom_referee_poll(NULL, 0, &error), CAROM_INVALID_ARGUMENT);
    carom_referee_free(NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_message_is_handled_once, set_up,
                                        server_tear_down),
        cmocka_unit_test_setup_teardown(test_joins_and_leaves_that_nobody_saw_are_told, set_up,
                                        server_tear_down),
        cmocka_unit_test_setup_teardown(test_cut_connection_repeats_nothing, set_up,
                                        server_tear_down),
        cmocka_unit_test_setup_teardown(test_results_of_several_handlers_are_told_apart, set_up,
                                        server_tear_down),
        cmocka_unit_test_setup_teardown(test_failures_spoil_no_other_event, set_up,
                                        server_tear_down),
        cmocka_unit_test_setup_teardown(test_closed_referee_hands_over, set_up, server_tear_down),
        cmocka_unit_test_setup_teardown(test_changes_of_one_tick_go_in_several_batches, set_up,
                                        server_tear_down),
        cmocka_unit_test_setup_teardown(test_one_world_too_many_is_told_and_the_others_go_on,
                                        set_up, server_tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_options_are_told, set_up, server_tear_down),
    };
    assert_true(argc > 1);
    caromd_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
