// The life of one world: standby <-> holder, and finally ended. One request is under way at a
// time; each answer leads to the next phase.
#include "client/referee/game.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/clock.h>

carom_game *game_create(carom_referee *referee, const char *world, uint64_t epoch, double hz,
                        carom_view *view)
{
    carom_game *game = calloc(1, sizeof *game);
    char *name = strdup(world);
    if (game == NULL || name == NULL) {
        free(game);
        free(name);
        carom_view_free(view);
        return NULL;
    }
    *game = (carom_game){.referee = referee,
                         .world = name,
                         .epoch = epoch,
                         .hz = hz,
                         .view = view,
                         .amiss = true,
                         .handled = -1,
                         .since = -1,
                         .ticked = -1,
                         .figures = {.epoch = epoch, .hz = hz}};
    return game;
}

void game_free(carom_game *game)
{
    for (size_t i = 0; i < game->turn_count; i++) {
        turn_free(game, &game->turns[i]);
    }
    free(game->turns);
    queue_clear(game);
    changes_clear(game);
    carom_view_free(game->view);
    free(game->world);
    free(game);
}

static void set_state(carom_game *game, carom_game_state state)
{
    const carom_referee_handlers *handlers = referee_handlers(game->referee);
    if (game->state == state || game->state == CAROM_GAME_ENDED) {
        return;
    }
    game->state = game->figures.state = state;
    if (handlers->state != NULL) {
        handlers->state(game, state, handlers->user);
    }
}

void game_end(carom_game *game)
{
    if (game->phase != GAME_IDLE && game->phase != GAME_PAUSING) {
        carom_cancel(carom_referee_client(game->referee), game->request);
    }
    game->phase = GAME_IDLE;
    queue_clear(game);
    set_state(game, CAROM_GAME_ENDED);
}

static void report(carom_game *game, const char *during, carom_status status, const char *text)
{
    carom_error error = {.status = status};
    snprintf(error.text, sizeof error.text, "%s", text);
    referee_report(game->referee, game, during, &error);
}

// ---- events of the connection

static void take_lost(carom_game *game, uint64_t before)
{
    if (game->figures.events_lost == before) {
        return;
    }
    game->amiss = true;
    game->since = (int64_t)game->figures.tick;
    if (!game->told_lost) {
        game->told_lost = true;
        report(game, "queue", CAROM_LIMIT_EXCEEDED,
               "events are lost: more than 65536 waited, or the server kept no more");
    }
}
_Static_assert(GAME_QUEUE_MAX == 65536u, "as the text says");

void game_take(carom_game *game, const carom_snapshot *snapshot)
{
    uint64_t lost = game->figures.events_lost;
    if (game->state == CAROM_GAME_ENDED) {
        return;
    }
    if (snapshot->tick > game->figures.tick) {
        game->figures.tick = snapshot->tick;
    }
    if (game->since < 0) {
        game->since = (int64_t)snapshot->tick;
    }
    changes_shown(game, snapshot->tick);
    game->figures.events_lost += snapshot->events_lost;
    for (size_t i = 0; i < snapshot->event_count; i++) {
        queue_push(game, &snapshot->events[i]);
    }
    take_lost(game, lost);
}

void game_doubt(carom_game *game)
{
    char text[CAROM_ERROR_TEXT_MAX];
    snprintf(text, sizeof text,
             "the connection was lost: messages and events after tick %" PRIu64 " may be missing",
             game->figures.tick);
    game->amiss = true;
    game->since = -1;
    report(game, "resume", CAROM_UNAVAILABLE, text);
}

// ---- requests

static carom_value *args_for(const carom_game *game)
{
    carom_value *args = carom_set(carom_map(), "world", carom_str(game->world));
    return carom_set(args, "epoch", carom_uint(game->epoch));
}

static void pause_for(carom_game *game, double seconds)
{
    game->phase = GAME_PAUSING;
    game->until = carom_now() + seconds;
}

// Asks, and waits in `phase`. Frees `args`. A request that cannot be sent is tried again.
static void ask(carom_game *game, const char *method, carom_value *args, game_phase phase)
{
    carom_client *client = carom_referee_client(game->referee);
    if (carom_request(client, method, args, GAME_ANSWER_MS, NULL, NULL, &game->request, NULL) ==
        CAROM_OK) {
        game->phase = phase;
    } else {
        pause_for(game, GAME_TRY_S);
    }
    carom_value_free(args);
}

static void ask_key(carom_game *game, game_phase phase)
{
    ask(game, "data.get", carom_set(args_for(game), "key", carom_str(REFEREE_KEY)), phase);
}

// The command that records who the referee is, and what it has handled.
static carom_value *record(const carom_game *game, const char *holder)
{
    carom_client *client = carom_referee_client(game->referee);
    carom_value *value = carom_set(carom_map(), "holder", carom_str(holder));
    carom_set(value, "session", carom_uint(carom_get_uint(carom_hello(client), "session", 0)));
    carom_set(value, "seq", carom_uint(game->seq + 1));
    carom_set(value, "tick", carom_int(game->record_tick));
    carom_set(value, "beat", carom_uint(game->figures.tick));
    carom_value *args = carom_set(carom_map(), "key", carom_str(REFEREE_KEY));
    carom_set(args, "value", value);
    carom_set(args, "version", carom_uint(game->version));
    return carom_push(carom_push(carom_array(), carom_str("data.set")), args);
}

static void send_batch(carom_game *game, carom_value *commands, game_phase phase)
{
    carom_value *args = args_for(game);
    carom_set(args, "commands", commands);
    ask(game, "world.apply", args, phase);
}

// Sends the record alone. The turns under way, if there are any, stay as they are.
static void send_record(carom_game *game, const char *holder, game_phase phase)
{
    const bool waits = game->count > 0 || game->from < game->turn_count;
    game->alone = true;
    game->record_tick =
        waits || phase == GAME_CLAIMING ? game->handled : (int64_t)game->figures.tick;
    send_batch(game, carom_push(carom_array(), record(game, holder)), phase);
}

static void send_turns(carom_game *game)
{
    size_t commands = 1, bytes = 0;
    game->to = game->from;
    while (game->to < game->turn_count && (game->to == game->from || !game->one_by_one)) {
        const game_turn *turn = &game->turns[game->to];
        commands += carom_batch_count(turn->batch);
        bytes += turn->bytes;
        if (game->to > game->from &&
            (commands > CAROM_BATCH_COMMANDS_MAX || bytes > GAME_BYTES_MAX)) {
            break;
        }
        game->to++;
    }
    game->alone = false;
    game->record_tick = turns_whole_tick(game, game->to);
    carom_value *record_first =
        carom_push(carom_array(), record(game, referee_holder(game->referee)));
    send_batch(game, turns_commands(game, record_first), GAME_SENDING);
}

// ---- answers

// Handles a batch that took effect in the state of `tick`.
static void applied(carom_game *game, uint64_t version, uint64_t tick)
{
    game->version = version;
    game->seq++;
    game->written_at = carom_now();
    game->phase = GAME_IDLE;
    if (game->record_tick > game->handled) {
        game->handled = game->record_tick;
    }
    if (game->alone) {
        return;
    }
    game->attempts = 0;
    for (size_t i = game->from; i < game->to; i++) {
        changes_apply(game, &game->turns[i], tick);
    }
    game->from = game->to;
    game->refused = false;
    changes_shown(game, game->figures.tick);
    if (game->from == game->turn_count) {
        turns_restore(game); // frees the turns that are done
    }
}

// Another program is the referee, or nobody can be asked. The next snapshot of the key says which
// events are handled.
static void stand(carom_game *game)
{
    turns_restore(game);
    game->seen = (game_sign){0};
    game->phase = GAME_IDLE;
    game->attempts = 0;
    game->unsure = false;
    set_state(game, CAROM_GAME_STANDBY);
}

// Handles a batch that was refused and had no effect.
static void refused(carom_game *game, const carom_error *error)
{
    game->phase = GAME_IDLE;
    if (game->alone) {
        report(game, "beat", error->status, error->text);
        game->written_at = carom_now(); // the next beat tries again
        game->handed_over = false;
        return;
    }
    game->attempts = 0;
    if (game->to - game->from > 1) {
        game->one_by_one = true;
    } else if (!game->refused && game->turns[game->from].own > 0) {
        turn_refused(game, &game->turns[game->from], error);
        game->refused = true;
    } else {
        if (!game->refused) {
            turn_refused(game, &game->turns[game->from], error);
        } else {
            report(game, "seats", error->status, error->text);
        }
        game->refused = false;
        game->from++;
    }
    if (game->from == game->turn_count) {
        turns_restore(game); // frees the turns that are done
    }
}

static bool surely_refused(const carom_error *error)
{
    switch ((int)error->status) {
    case CAROM_INVALID_ARGUMENT:
    case CAROM_PERMISSION_DENIED:
    case CAROM_UNAUTHENTICATED:
    case CAROM_UNKNOWN_METHOD:
        return error->applied == CAROM_APPLIED_UNKNOWN;
    default:
        return false;
    }
}

static bool passing(carom_status status)
{
    return status == CAROM_UNAVAILABLE || status == CAROM_LIMIT_EXCEEDED ||
           status == CAROM_INTERNAL || status == CAROM_OUT_OF_MEMORY;
}

// Reads the answer to data.get: the key's value and version.
static const carom_value *read_key(const carom_value *result, uint64_t *version)
{
    const carom_value *entry = carom_value_get(carom_value_get(result, "data"), REFEREE_KEY);
    *version = carom_get_uint(entry, "version", 0);
    return carom_value_get(entry, "value");
}

static bool is_own(const carom_game *game, const carom_value *value)
{
    return strcmp(carom_get_str(value, "holder", ""), referee_holder(game->referee)) == 0;
}

// The pause after `count` failed attempts [s].
static double pause_after(int count)
{
    return GAME_TRY_S * (1u << count);
}

// Tries the sent turns again, which something delayed, up to GAME_TRIES_MAX times. False: no try is
// left.
static bool try_again(carom_game *game)
{
    if (game->alone || !passing(game->refusal.status) || game->attempts + 1 >= GAME_TRIES_MAX) {
        return false;
    }
    game->retry_at = carom_now() + pause_after(game->attempts++);
    return true;
}

static void take_sent(carom_game *game, carom_status status, const carom_value *result,
                      const carom_error *error)
{
    if (status == CAROM_OK) {
        applied(game, carom_get_uint(result, "results[0].version", 0),
                carom_get_uint(result, "tick", 0));
    } else if (surely_refused(error)) {
        refused(game, error);
    } else {
        game->refusal = *error;
        game->unsure = true;
        game->asked = 0;
        ask_key(game, GAME_ASKING);
    }
}

// Whether the batch under way took effect. Nothing else is sent before that is known: a later batch
// has the same number, and would be taken for this one.
static void take_asked(carom_game *game, carom_status status, const carom_value *result,
                       const carom_error *error)
{
    uint64_t version = 0;
    const carom_value *value = read_key(result, &version);
    game->phase = GAME_IDLE;
    if (status != CAROM_OK && passing(error->status) && game->asked + 1 < GAME_TRIES_MAX) {
        pause_for(game, pause_after(game->asked++));
        return;
    }
    game->unsure = false;
    if (status != CAROM_OK) {
        stand(game);
    } else if (version == game->version) {
        if (!try_again(game)) {
            refused(game, &game->refusal);
        }
    } else if (is_own(game, value) && carom_get_uint(value, "seq", 0) == game->seq + 1) {
        applied(game, version, carom_get_uint(result, "tick", 0));
    } else {
        stand(game);
    }
}

static void hold(carom_game *game)
{
    game->amiss = game->start_due = true;
    game->told_claim = false;
    game->phase = GAME_IDLE;
    game->written_at = carom_now();
    set_state(game, CAROM_GAME_HOLDER);
}

// Reads a referee's sign from the value of the key.
static game_sign sign_of(const carom_value *value)
{
    game_sign sign = {.seq = carom_get_uint(value, "seq", 0),
                      .beat = carom_get_uint(value, "beat", 0)};
    snprintf(sign.holder, sizeof sign.holder, "%s", carom_get_str(value, "holder", ""));
    return sign;
}

static bool same_sign(const game_sign *a, const game_sign *b)
{
    return a->seq == b->seq && a->beat == b->beat && strcmp(a->holder, b->holder) == 0;
}

static int64_t note_handled(carom_game *game, const carom_value *value)
{
    const int64_t handled = carom_get_int(value, "tick", -1);
    if (handled > game->handled) {
        game->handled = handled;
    }
    return handled;
}

// Reports once that the world cannot be claimed; that is tried again.
static void report_claim(carom_game *game, const carom_error *error)
{
    if (!game->told_claim) {
        game->told_claim = true;
        report(game, "claim", error->status, error->text);
    }
}

static void take_read(carom_game *game, carom_status status, const carom_value *result,
                      const carom_error *error)
{
    uint64_t version = 0;
    const carom_value *value = read_key(result, &version);
    game->phase = GAME_IDLE;
    if (status != CAROM_OK) {
        report_claim(game, error);
        return;
    }
    game_sign sign = sign_of(value);
    bool own = is_own(game, value);
    if (!own && !same_sign(&sign, &game->seen)) {
        return; // another program was here meanwhile
    }
    const int64_t handled = note_handled(game, value);
    if (own && sign.seq != game->seq) {
        queue_forget(game, handled); // the batch of which nobody could be asked took effect
    }
    game->version = version;
    game->seq = sign.seq;
    if (own) { // an earlier claim took effect, though its answer was lost
        hold(game);
        return;
    }
    send_record(game, referee_holder(game->referee), GAME_CLAIMING);
}

static void take_claimed(carom_game *game, carom_status status, const carom_value *result,
                         const carom_error *error)
{
    game->phase = GAME_IDLE;
    if (status == CAROM_OK) {
        game->version = carom_get_uint(result, "results[0].version", 0);
        game->seq++;
        hold(game);
    } else if (error->status != CAROM_ALREADY_EXISTS) { // else another program has claimed it
        report_claim(game, error);
    }
}

static void take_counted(carom_game *game, carom_status status, const carom_value *result,
                         const carom_error *error)
{
    game->phase = GAME_IDLE;
    if (status != CAROM_OK) {
        game->amiss = true;
        report(game, "seats", error->status, error->text);
        pause_for(game, GAME_TRY_S);
    } else {
        game->told_lost = false;
        if (carom_value_get(result, "seats") != NULL) {
            turns_reconcile(game, carom_value_get(result, "seated"));
        }
    }
}

// Takes the answer that the phase waits for. False: it has not come.
static bool take_answer(carom_game *game)
{
    carom_client *client = carom_referee_client(game->referee);
    carom_status status = CAROM_OK;
    carom_value *result = NULL;
    carom_error error = {0};
    if (!carom_take(client, game->request, &status, &result, &error)) {
        return false;
    }
    switch (game->phase) {
    case GAME_READING:
        take_read(game, status, result, &error);
        break;
    case GAME_CLAIMING:
        take_claimed(game, status, result, &error);
        break;
    case GAME_COUNTING:
        take_counted(game, status, result, &error);
        break;
    case GAME_SENDING:
        take_sent(game, status, result, &error);
        break;
    case GAME_ASKING:
        take_asked(game, status, result, &error);
        break;
    case GAME_IDLE:
    case GAME_PAUSING:
        break;
    }
    carom_value_free(result);
    return true;
}

// ---- the next steps

// Claims the world if it has no referee. A paused world sends no snapshots, so both its ticks and
// the clock count.
static void check_claim(carom_game *game, double now)
{
    double lease = referee_lease(game->referee);
    carom_datum const *datum = carom_view_find_datum(game->view, REFEREE_KEY);
    carom_value *value = datum == NULL ? NULL : carom_datum_value(datum);
    game_sign sign = sign_of(value);
    if (!same_sign(&sign, &game->seen)) {
        game->seen = sign;
        game->seen.tick = game->figures.tick;
        game->seen.now = now;
        // Events that a paused world makes in that tick after this are not among the handled ones.
        queue_forget(game, note_handled(game, value));
    }
    const bool complete = value == NULL || carom_get_int(value, "tick", -1) >= game->since;
    const double patience = complete ? 0.0 : GAME_UNSEEN_S, silent = now - game->seen.now;
    carom_value_free(value);
    double ticks = (double)(game->figures.tick - game->seen.tick);
    bool old = (sign.holder[0] == '\0' && silent >= patience) ||
               ticks > (lease + patience) * game->hz || silent > 2.0 * lease + patience;
    if (old && now >= game->claim_at && carom_view_get_state(game->view).ready) {
        game->claim_at = now + GAME_CLAIM_S;
        ask_key(game, GAME_READING);
    }
}

// Whether the turns made nothing that has to be recorded now.
static bool nothing_made(const carom_game *game)
{
    for (size_t i = 0; i < game->turn_count; i++) {
        const game_turn *turn = &game->turns[i];
        bool message = turn->kind == TURN_EVENT && turn->happened.event.kind == CAROM_EVENT_MESSAGE;
        if (message || carom_batch_count(turn->batch) > 0) {
            return false;
        }
    }
    return true;
}

static void run_handlers(carom_game *game)
{
    turns_run(game);
    if (game->turn_count == 0) {
        return;
    }
    if (nothing_made(game)) {
        game->handled = turns_whole_tick(game, game->turn_count);
        game->from = game->turn_count;
        turns_restore(game);
        return;
    }
    send_turns(game);
}

static bool has_work(const carom_game *game)
{
    return game->start_due || game->count > 0 ||
           (referee_handlers(game->referee)->tick != NULL &&
            (int64_t)game->figures.tick > game->ticked);
}

static double beat_at(const carom_game *game)
{
    return game->written_at + referee_lease(game->referee) / 4.0;
}

static void begin_work(carom_game *game, double now)
{
    if (game->state == CAROM_GAME_STANDBY) {
        if (!game->leaving) {
            check_claim(game, now);
        }
    } else if (game->unsure) {
        ask_key(game, GAME_ASKING);
    } else if (game->from < game->turn_count && now >= game->retry_at) {
        send_turns(game);
    } else if (game->from < game->turn_count) {
        if (now > beat_at(game)) {
            send_record(game, referee_holder(game->referee), GAME_SENDING);
        }
    } else if (game->leaving) {
        return;
    } else if (game->amiss) {
        game->amiss = false; // before the request: a later message sets it again
        ask(game, "world.info", args_for(game), GAME_COUNTING);
        game->amiss = game->phase != GAME_COUNTING;
    } else if (has_work(game)) {
        run_handlers(game);
    } else if (now > beat_at(game)) {
        send_record(game, referee_holder(game->referee), GAME_SENDING);
    }
}

void game_advance(carom_game *game, double now)
{
    changes_release(game);
    for (bool on = true; on && game->state != CAROM_GAME_ENDED;) {
        game_phase before = game->phase;
        if (game->phase == GAME_PAUSING && now >= game->until) {
            game->phase = GAME_IDLE;
        }
        if (game->phase == GAME_IDLE) {
            begin_work(game, now);
            on = game->phase != GAME_IDLE || before != GAME_IDLE;
        } else {
            on = game->phase != GAME_PAUSING && take_answer(game);
        }
    }
}

bool game_leave(carom_game *game)
{
    game->leaving = true;
    if (game->state != CAROM_GAME_HOLDER || game->handed_over) {
        return game->phase != GAME_SENDING && game->phase != GAME_CLAIMING && !game->unsure;
    }
    if (game->phase == GAME_IDLE && !game->unsure && game->from == game->turn_count) {
        game->handed_over = true;
        send_record(game, "", GAME_SENDING);
    }
    return false;
}

int game_timeout_ms(const carom_game *game, double now)
{
    double until = now + GAME_TRY_S;
    if (game->state == CAROM_GAME_ENDED) {
        return -1;
    }
    if (game->phase == GAME_PAUSING) {
        until = game->until;
    } else if (game->phase == GAME_IDLE && game->state == CAROM_GAME_HOLDER) {
        until = beat_at(game);
        if (game->from < game->turn_count) {
            until = game->retry_at < until ? game->retry_at : until;
        } else if (has_work(game) || game->amiss) {
            until = now;
        }
    }
    double ms = (until - now) * 1000.0;
    return ms <= 0.0 ? 0 : (int)ms + 1;
}

// ---- reading

const char *carom_game_world(const carom_game *game)
{
    return game == NULL ? "" : game->world;
}

carom_game_figures carom_game_get_figures(const carom_game *game)
{
    carom_game_figures figures = {0};
    if (game != NULL) {
        figures = game->figures;
        figures.waiting = game->count;
    }
    return figures;
}

const carom_view *carom_game_view(const carom_game *game)
{
    return game == NULL ? NULL : game->view;
}
