// Handlers, and the batches that their changes make.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/arguments.h>

#include "client/referee/game.h"

static void fail(carom_error *error, carom_status status, const char *text)
{
    if (error->status == CAROM_OK) {
        *error = (carom_error){.status = status};
        snprintf(error->text, sizeof error->text, "%s", text);
    }
}

// ---- functions for handlers

carom_batch *carom_game_batch(carom_game *game)
{
    return game == NULL || game->turn == NULL ? NULL : game->turn->batch;
}

void carom_game_fail(carom_game *game, const char *text)
{
    if (game != NULL && game->turn != NULL) {
        fail(&game->turn->failed, CAROM_INVALID_ARGUMENT, text != NULL ? text : "");
    }
}

// Whether the key belongs to the record that keeps the referee: a handler that changed it would end
// the game. The handler has failed then.
static bool is_reserved(carom_game *game, const char *key)
{
    if (strcmp(key, REFEREE_KEY) != 0 && strncmp(key, REFEREE_OWN, strlen(REFEREE_OWN)) != 0) {
        return false;
    }
    carom_game_fail(game, "data.set, data.remove: keys 'referee' and 'referee/…' are the referee's "
                          "own record; take another key");
    return true;
}

static void set(carom_game *game, const char *key, carom_value *value)
{
    carom_add_data_set(game->turn->batch, &(carom_args_data_set){.key = key, .value = value});
    changes_set(game, key, value);
}

static void remove_key(carom_game *game, const char *key)
{
    if (carom_game_get(game, key) != NULL) {
        carom_add_data_remove(game->turn->batch, &(carom_args_data_remove){.key = key});
        changes_set(game, key, NULL);
    }
}

void carom_game_set(carom_game *game, const char *key, carom_value *value)
{
    if (carom_game_batch(game) == NULL || key == NULL || !carom_value_ok(value)) {
        carom_value_free(value);
        carom_game_fail(game, key == NULL ? "data.set: key: missing (NULL)"
                                          : "data.set: value: missing, or it could not be built");
        return;
    }
    if (is_reserved(game, key)) {
        carom_value_free(value);
    } else {
        set(game, key, value);
    }
}

void carom_game_remove(carom_game *game, const char *key)
{
    if (carom_game_batch(game) != NULL && key != NULL && !is_reserved(game, key)) {
        remove_key(game, key);
    }
}

// Sends to `to`, which it frees, as `data`.
static void send(carom_game *game, const char *name, carom_value *data, carom_value *to)
{
    if (carom_game_batch(game) != NULL) {
        carom_add_message_send(game->turn->batch,
                               &(carom_args_message_send){.name = name, .data = data, .to = to});
    }
    carom_value_free(data);
    carom_value_free(to);
}

void carom_game_send(carom_game *game, const char *name, carom_value *data, const char *to)
{
    send(game, name, data, to == NULL ? NULL : carom_str(to));
}

void carom_game_send_to_session(carom_game *game, const char *name, carom_value *data,
                                uint64_t session)
{
    send(game, name, data, carom_uint(session));
}

void carom_game_remove_body(carom_game *game, uint64_t body)
{
    if (carom_game_batch(game) != NULL) {
        carom_batch_remove(game->turn->batch, body);
        changes_remove_body(game, body);
    }
}

// ---- turns

void turn_free(carom_game *game, game_turn *turn)
{
    changes_drop(game, turn);
    event_free(&turn->happened);
    carom_batch_free(turn->batch);
    *turn = (game_turn){0};
}

// At most this many bytes of MessagePack.
static size_t bytes_of(const carom_value *value)
{
    size_t bytes = 9;
    carom_type type = carom_value_type(value);
    if (type == CAROM_STR || type == CAROM_BIN) {
        return bytes + carom_value_count(value);
    }
    for (size_t i = 0; (type == CAROM_ARRAY || type == CAROM_MAP) && i < carom_value_count(value);
         i++) {
        size_t key = 0;
        if (type == CAROM_MAP) {
            carom_value_key(value, i, &key);
        }
        bytes += key + 5 + bytes_of(carom_value_at(value, i));
    }
    return bytes;
}

static const char *handler_name(const game_turn *turn)
{
    switch (turn->kind) {
    case TURN_START:
        return "start";
    case TURN_TICK:
        return "tick";
    case TURN_EVENT:
        break;
    }
    switch ((int)turn->happened.event.kind) {
    case CAROM_EVENT_JOIN:
        return "join";
    case CAROM_EVENT_LEAVE:
        return "leave";
    case CAROM_EVENT_MESSAGE:
        return "message";
    default:
        return "event";
    }
}

// The key and the value that record a taken seat.
static void seat_record(carom_game *game, const carom_event *event)
{
    char key[CAROM_DATA_KEY_MAX + 1];
    snprintf(key, sizeof key, REFEREE_SEAT "%" PRIu64, event->seat);
    if (event->kind == CAROM_EVENT_LEAVE) {
        remove_key(game, key);
        return;
    }
    carom_value *value = carom_set(carom_map(), "session", carom_uint(event->session));
    if (event->subject != NULL && event->subject[0] != '\0') {
        carom_set(value, "subject", carom_str(event->subject));
    }
    if (!carom_value_ok(value)) {
        carom_value_free(value);
        carom_game_fail(game, "out of memory");
        return;
    }
    set(game, key, value);
}

// Whether a join or leave was handled before.
static bool seat_known(carom_game *game, const carom_event *event)
{
    carom_player there;
    bool same = carom_game_seat(game, event->seat, &there) && there.session == event->session;
    return same == (event->kind == CAROM_EVENT_JOIN);
}

static void call_handler(carom_game *game, const game_turn *turn)
{
    const carom_referee_handlers *handlers = referee_handlers(game->referee);
    const carom_event *event = &turn->happened.event;
    void (*with_event)(carom_game *, const carom_event *, void *) = NULL;
    void (*alone)(carom_game *, void *) = NULL;
    if (turn->kind != TURN_EVENT) {
        alone = turn->kind == TURN_START ? handlers->start : handlers->tick;
    } else if (event->kind == CAROM_EVENT_JOIN) {
        with_event = handlers->join;
    } else if (event->kind == CAROM_EVENT_LEAVE) {
        with_event = handlers->leave;
    } else if (event->kind == CAROM_EVENT_MESSAGE) {
        with_event = handlers->message;
    } else {
        with_event = handlers->event;
    }
    if (alone != NULL) {
        alone(game, handlers->user);
    } else if (with_event != NULL) {
        with_event(game, event, handlers->user);
    }
}

// Makes the seat's record the turn's only content.
static void strip(carom_game *game, game_turn *turn)
{
    changes_drop(game, turn);
    carom_batch_clear(turn->batch);
    if (turn->own > 0) {
        seat_record(game, &turn->happened.event);
    }
}

static void measure(carom_game *game, game_turn *turn)
{
    carom_error error = {0};
    carom_value *commands = carom_batch_commands(turn->batch, 0, &error);
    turn->bytes = bytes_of(commands);
    if (commands == NULL) {
        fail(&turn->failed, error.status, error.text);
    } else if (carom_value_count(commands) > CAROM_GAME_COMMANDS_MAX) {
        fail(&turn->failed, CAROM_LIMIT_EXCEEDED, "a handler gives at most 998 commands");
    }
    carom_value_free(commands);
    (void)game;
}
_Static_assert(CAROM_GAME_COMMANDS_MAX == 998u, "as the text says");

static void run(carom_game *game, game_turn *turn)
{
    const carom_event *event = &turn->happened.event;
    bool seat = turn->kind == TURN_EVENT &&
                (event->kind == CAROM_EVENT_JOIN || event->kind == CAROM_EVENT_LEAVE);
    game->turn = turn;
    if (seat) {
        seat_record(game, event);
        turn->own = carom_batch_count(turn->batch);
    }
    call_handler(game, turn);
    measure(game, turn);
    if (turn->failed.status != CAROM_OK) {
        game->figures.failed++;
        strip(game, turn);
    }
    game->figures.handled += turn->kind == TURN_EVENT;
    game->turn = NULL;
    changes_release(game);
    if (turn->failed.status != CAROM_OK) {
        referee_report(game->referee, game, handler_name(turn), &turn->failed);
    }
}

// Makes a turn and runs it; `happened` is taken over. False: memory has run out.
static bool handle(carom_game *game, turn_kind kind, game_event happened)
{
    game_turn *turn = &game->turns[game->turn_count];
    *turn = (game_turn){.kind = kind, .happened = happened, .batch = carom_batch_create()};
    if (turn->batch == NULL) {
        event_free(&turn->happened);
        return false;
    }
    game->turn_count++;
    run(game, turn);
    return true;
}

typedef struct group_size {
    size_t commands, bytes;
} group_size;

static void grow(group_size *size, const game_turn *turn)
{
    size->commands += carom_batch_count(turn->batch);
    size->bytes += turn->bytes;
}

static bool room_left(const carom_game *game, group_size size)
{
    return game->turn_count + 2 < game->turn_room && game->turn_count < GAME_GROUP_MAX &&
           size.commands < CAROM_BATCH_COMMANDS_MAX / 2 && size.bytes < GAME_BYTES_MAX / 2;
}

int64_t turns_whole_tick(const carom_game *game, size_t to)
{
    int64_t last = game->handled;
    for (size_t i = 0; i < to; i++) {
        int64_t tick = (int64_t)game->turns[i].happened.event.tick;
        last = tick > last ? tick : last;
    }
    for (size_t i = to; i < game->turn_count + game->count; i++) {
        const carom_event *event = i < game->turn_count
                                       ? &game->turns[i].happened.event
                                       : &game->queue[game->first + i - game->turn_count].event;
        int64_t before = (int64_t)event->tick - 1;
        last = before < last ? before : last;
    }
    return last > game->handled ? last : game->handled;
}

void turns_run(carom_game *game)
{
    group_size size = {0};
    if (game->turns == NULL) { // never moved: changes name turns by their address
        game->turn_room = GAME_GROUP_MAX + 4;
        game->turns = calloc(game->turn_room, sizeof *game->turns);
        if (game->turns == NULL) {
            game->turn_room = 0;
            return;
        }
    }
    game->turn_count = game->from = game->to = 0;
    game->one_by_one = game->refused = false;
    game_event now = {.event.tick = game->figures.tick};
    if (game->start_due && handle(game, TURN_START, now)) {
        game->start_due = false;
        grow(&size, &game->turns[0]);
    }
    while (game->count > 0 && !game->leaving && room_left(game, size)) {
        game_event next = queue_take(game);
        int kind = (int)next.event.kind;
        if ((kind == CAROM_EVENT_JOIN || kind == CAROM_EVENT_LEAVE) &&
            seat_known(game, &next.event)) {
            event_free(&next);
        } else if (handle(game, TURN_EVENT, next)) {
            grow(&size, &game->turns[game->turn_count - 1]);
        }
        changes_release(game);
    }
    int64_t tick = (int64_t)game->figures.tick;
    if (game->count == 0 && !game->leaving && tick > game->ticked &&
        referee_handlers(game->referee)->tick != NULL && game->turn_count < game->turn_room) {
        game->ticked = tick;
        handle(game, TURN_TICK, now);
    }
}

carom_value *turns_commands(const carom_game *game, carom_value *commands)
{
    for (size_t i = game->from; i < game->to; i++) {
        carom_value *own =
            carom_batch_commands(game->turns[i].batch, carom_value_count(commands), NULL);
        for (size_t k = 0; k < carom_value_count(own); k++) {
            carom_push(commands, carom_value_clone(carom_value_at(own, k)));
        }
        if (own == NULL) {
            carom_push(commands, NULL); // breaks it: it is not sent
        }
        carom_value_free(own);
    }
    return commands;
}

void turns_restore(carom_game *game)
{
    for (size_t i = game->turn_count; i-- > game->from;) {
        game_turn *turn = &game->turns[i];
        if (turn->kind == TURN_EVENT) {
            queue_insert(game, 0, &turn->happened);
            turn->happened = (game_event){0};
        }
    }
    for (size_t i = 0; i < game->turn_count; i++) {
        turn_free(game, &game->turns[i]);
    }
    game->turn_count = game->from = game->to = 0;
}

void turn_refused(carom_game *game, game_turn *turn, const carom_error *error)
{
    game->figures.failed++;
    referee_report(game->referee, game, handler_name(turn), error);
    game->turn = turn;
    strip(game, turn);
    game->turn = NULL;
    changes_release(game);
}

// ---- joins and leaves that nobody saw

// Whether an event of this kind of this seat and session waits.
static bool coming(const carom_game *game, carom_event_kind kind, uint64_t seat, uint64_t session)
{
    for (size_t i = 0; i < game->count; i++) {
        const carom_event *event = &game->queue[game->first + i].event;
        if (event->kind == kind && event->seat == seat && event->session == session) {
            return true;
        }
    }
    return false;
}

static void missed(carom_game *game, size_t at, carom_event_kind kind, uint64_t seat,
                   uint64_t session, const char *subject)
{
    game_event event;
    carom_event made = {.kind = kind,
                        .name = kind == CAROM_EVENT_JOIN ? "join" : "leave",
                        .tick = game->figures.tick,
                        .seat = seat,
                        .session = session,
                        .subject = subject};
    if (event_copy(&made, &event)) {
        queue_insert(game, at, &event);
    } else {
        game->amiss = true;
    }
}

static const carom_value *seated_at(const carom_value *seated, uint64_t seat)
{
    for (size_t i = 0; i < carom_value_count(seated); i++) {
        const carom_value *one = carom_value_at(seated, i);
        if (carom_get_uint(one, "seat", 0) == seat) {
            return one;
        }
    }
    return NULL;
}

void turns_reconcile(carom_game *game, const carom_value *seated)
{
    size_t at = 0, count = carom_game_seats(game, NULL, 0);
    carom_player *before = calloc(count + 1, sizeof *before);
    if (before == NULL) {
        game->amiss = true;
        return;
    }
    carom_game_seats(game, before, count);
    for (size_t i = 0; i < count; i++) {
        const carom_player *one = &before[i];
        uint64_t now = carom_get_uint(seated_at(seated, one->seat), "session", UINT64_MAX);
        if (now != one->session && !coming(game, CAROM_EVENT_LEAVE, one->seat, one->session)) {
            missed(game, at++, CAROM_EVENT_LEAVE, one->seat, one->session, one->subject);
        }
    }
    for (size_t i = 0; i < carom_value_count(seated); i++) {
        const carom_value *one = carom_value_at(seated, i);
        uint64_t seat = carom_get_uint(one, "seat", 0), session = carom_get_uint(one, "session", 0);
        carom_player there;
        bool known = carom_game_seat(game, seat, &there) && there.session == session;
        if (!known && !coming(game, CAROM_EVENT_JOIN, seat, session)) {
            missed(game, at++, CAROM_EVENT_JOIN, seat, session, carom_get_str(one, "subject", ""));
        }
    }
    free(before);
    changes_release(game);
}
