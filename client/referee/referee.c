// The program's side of its worlds: the connection, the look for worlds, and the time of each.
#include <carom/referee.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <carom/clock.h>
#include <carom/watch.h>

#include "client/referee/game.h"

#define LOOK_S          0.5 // between two looks for worlds
#define REFUSED_MAX     256 // worlds whose refusal was reported
#define COMMAND_EVENTS  3   // join, leave, message
#define WATCH_MS        5000
#define RATE_DEFAULT    30.0
#define LEASE_S_DEFAULT 2.0

typedef struct texts {
    char **items;
    size_t count;
} texts;

struct carom_referee {
    carom_client *client;
    carom_referee_handlers handlers;
    texts templates, worlds, events; // `events` begin with those of commands
    double rate, lease_s;
    bool no_bodies;
    char holder[REFEREE_HOLDER_MAX];
    carom_game *games[CAROM_REFEREE_GAMES_MAX];
    size_t game_count;
    uint64_t look; // the request under way; 0: none
    double look_at;
    texts refused;
    bool doubt; // the session was resumed
    bool busy;  // running carom_referee_poll or carom_referee_close
};

// ---- texts

static void texts_free(texts *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    free((void *)list->items);
    *list = (texts){0};
}

static bool texts_add(texts *list, const char *text)
{
    char **grown = realloc((void *)list->items, (list->count + 1) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    list->items = grown;
    list->items[list->count] = strdup(text);
    if (list->items[list->count] == NULL) {
        return false;
    }
    list->count++;
    return true;
}

static bool texts_have(const texts *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

// ---- options

carom_referee_options carom_referee_options_default(void)
{
    return (carom_referee_options){.exact = true,
                                   .rate = RATE_DEFAULT,
                                   .lease_s = LEASE_S_DEFAULT,
                                   .connection = carom_options_default()};
}

static carom_status fault(carom_error *error, carom_status status, const char *text)
{
    if (error != NULL) {
        *error = (carom_error){.status = status};
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return status;
}

static carom_status copy_texts(texts *out, const char *const *items, size_t count,
                               carom_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (items == NULL || items[i] == NULL || items[i][0] == '\0') {
            return fault(error, CAROM_INVALID_ARGUMENT,
                         "templates, worlds, events: each is a text that is not empty");
        }
        if (!texts_add(out, items[i])) {
            return fault(error, CAROM_OUT_OF_MEMORY, "out of memory");
        }
    }
    return CAROM_OK;
}

static carom_status read_options(carom_referee *referee, const carom_referee_options *given,
                                 carom_error *error)
{
    static const char *const COMMANDS[COMMAND_EVENTS] = {"join", "leave", "message"};
    referee->handlers = given->handlers;
    referee->no_bodies = given->no_bodies;
    referee->rate = !given->exact && given->rate == 0.0 ? RATE_DEFAULT : given->rate;
    referee->lease_s = !given->exact && given->lease_s == 0.0 ? LEASE_S_DEFAULT : given->lease_s;
    if (!(referee->rate > 0.0 && referee->rate <= 1000.0)) {
        return fault(error, CAROM_INVALID_ARGUMENT, "rate: above 0 and at most 1000 a second");
    }
    if (!(referee->lease_s >= 0.5 && referee->lease_s <= 60.0)) {
        return fault(error, CAROM_INVALID_ARGUMENT, "lease_s: 0.5 to 60 seconds");
    }
    if (given->template_count + given->world_count == 0) {
        return fault(error, CAROM_INVALID_ARGUMENT, "templates or worlds: none is named");
    }
    carom_status status =
        copy_texts(&referee->templates, given->templates, given->template_count, error);
    if (status == CAROM_OK) {
        status = copy_texts(&referee->worlds, given->worlds, given->world_count, error);
    }
    if (status == CAROM_OK) {
        status = copy_texts(&referee->events, COMMANDS, COMMAND_EVENTS, error);
    }
    return status == CAROM_OK
               ? copy_texts(&referee->events, given->events, given->event_count, error)
               : status;
}

// ---- the client's handlers

static carom_game *game_of(const carom_referee *referee, uint64_t subscription)
{
    for (size_t i = 0; i < referee->game_count; i++) {
        if (carom_view_subscription(referee->games[i]->view) == subscription) {
            return referee->games[i];
        }
    }
    return NULL;
}

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    carom_game *game = game_of(user, snapshot->subscription);
    (void)client;
    if (game != NULL) {
        game_take(game, snapshot);
    }
}

static void on_resumed(carom_client *client, const carom_value *hello, void *user)
{
    carom_referee *referee = user;
    (void)client;
    (void)hello;
    referee->doubt = true;
}

// Tells referees apart, two of a process too.
static void make_holder(carom_referee *referee)
{
    uint64_t random[2] = {0, (uint64_t)(uintptr_t)referee};
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        random[0] = (uint64_t)(carom_now() * 1e9);
    }
    snprintf(referee->holder, sizeof referee->holder, "%016llx%08llx",
             (unsigned long long)random[0], (unsigned long long)(random[1] & 0xffffffffu));
}

carom_status carom_referee_create(const char *host, uint16_t port, int timeout_ms,
                                  const carom_referee_options *options, carom_referee **out,
                                  carom_error *error)
{
    carom_referee *referee = calloc(1, sizeof *referee);
    if (referee == NULL) {
        return fault(error, CAROM_OUT_OF_MEMORY, "out of memory");
    }
    carom_status status =
        options == NULL || out == NULL
            ? fault(error, CAROM_INVALID_ARGUMENT,
                    options == NULL ? "options: missing (NULL)" : "out: missing (NULL)")
            : read_options(referee, options, error);
    if (status == CAROM_OK) {
        carom_options connection = options->connection;
        connection.name = connection.name != NULL ? connection.name : "referee";
        connection.reconnect.on = true;
        connection.handlers =
            (carom_handlers){.user = referee, .snapshot = on_snapshot, .resumed = on_resumed};
        make_holder(referee);
        status = carom_connect(host, port, timeout_ms, &connection, &referee->client, error);
    }
    if (status != CAROM_OK) {
        carom_referee_free(referee);
        return status;
    }
    *out = referee;
    return CAROM_OK;
}

void carom_referee_free(carom_referee *referee)
{
    if (referee == NULL) {
        return;
    }
    for (size_t i = 0; i < referee->game_count; i++) {
        game_free(referee->games[i]);
    }
    carom_free(referee->client);
    texts_free(&referee->templates);
    texts_free(&referee->worlds);
    texts_free(&referee->events);
    texts_free(&referee->refused);
    free(referee);
}

// ---- requests of games

const carom_referee_handlers *referee_handlers(const carom_referee *referee)
{
    return &referee->handlers;
}

const char *referee_holder(const carom_referee *referee)
{
    return referee->holder;
}

double referee_lease(const carom_referee *referee)
{
    return referee->lease_s;
}

void referee_report(carom_referee *referee, carom_game *game, const char *during,
                    const carom_error *error)
{
    if (referee->handlers.error != NULL) {
        referee->handlers.error(game, during, error, referee->handlers.user);
    } else {
        fprintf(stderr, "referee: %s %s: %s: %s\n", carom_game_world(game), during,
                carom_status_name(error->status), error->text);
    }
}

// ---- the look for worlds

static bool name_fits(const char *pattern, const char *name)
{
    size_t size = strlen(pattern);
    return pattern[size - 1] == '*' ? strncmp(name, pattern, size - 1) == 0
                                    : strcmp(name, pattern) == 0;
}

static bool wanted(const carom_referee *referee, const carom_value *info)
{
    const char *name = carom_get_str(info, "world", "");
    if (carom_value_get(info, "unavailable") != NULL || name[0] == '\0') {
        return false;
    }
    for (size_t i = 0; i < referee->worlds.count; i++) {
        if (name_fits(referee->worlds.items[i], name)) {
            return true;
        }
    }
    return texts_have(&referee->templates, carom_get_str(info, "template", ""));
}

static bool attached(const carom_referee *referee, const char *world, uint64_t epoch)
{
    for (size_t i = 0; i < referee->game_count; i++) {
        const carom_game *game = referee->games[i];
        if (game->epoch == epoch && strcmp(game->world, world) == 0) {
            return true;
        }
    }
    return false;
}

// Reports a world that could not be attached, once.
static void refuse(carom_referee *referee, const char *world, const carom_error *error)
{
    if (error->status == CAROM_NOT_FOUND || texts_have(&referee->refused, world)) {
        return; // it has ended, or was reported
    }
    if (referee->refused.count < REFUSED_MAX) {
        texts_add(&referee->refused, world);
    }
    carom_error with_name = *error;
    snprintf(with_name.text, sizeof with_name.text, "%.64s: %.180s", world, error->text);
    referee_report(referee, NULL, "attach", &with_name);
}

static carom_subscribe_options subscription_options(const carom_referee *referee, double hz)
{
    carom_subscribe_options options = carom_subscribe_options_default();
    static const char *const ALL_KEYS[] = {""};
    options.rate = referee->rate < hz ? referee->rate : hz;
    options.bodies = options.describe = !referee->no_bodies;
    options.encoding = referee->no_bodies ? "plain" : NULL;
    options.events = (const char *const *)referee->events.items;
    options.event_count = referee->events.count;
    options.data = ALL_KEYS;
    options.data_count = 1;
    return options;
}

static void attach(carom_referee *referee, const char *world, uint64_t epoch, double hz)
{
    carom_error error = {0};
    if (referee->game_count == CAROM_REFEREE_GAMES_MAX) {
        fault(&error, CAROM_LIMIT_EXCEEDED, "a referee has at most 64 worlds");
        refuse(referee, world, &error);
        return;
    }
    carom_subscribe_options options = subscription_options(referee, hz);
    carom_view_options kept = carom_view_options_default();
    kept.events_max = 0; // the queue keeps the events
    carom_view *view = carom_view_create(&kept);
    carom_game *game = view == NULL ? NULL : game_create(referee, world, epoch, hz, view);
    if (game == NULL) {
        fault(&error, CAROM_OUT_OF_MEMORY, "out of memory");
        refuse(referee, world, &error);
        return;
    }
    referee->games[referee->game_count++] = game; // snapshots may come before the answer
    if (carom_watch(referee->client, world, &options, view, WATCH_MS, NULL, &error) != CAROM_OK) {
        referee->game_count--;
        game_free(game);
        refuse(referee, world, &error);
    }
}
_Static_assert(CAROM_REFEREE_GAMES_MAX == 64u, "as the text says");

static void look(carom_referee *referee, double now)
{
    carom_status status = CAROM_OK;
    carom_value *result = NULL;
    carom_error error = {0};
    if (referee->look == 0 && now >= referee->look_at &&
        carom_client_state(referee->client) == CAROM_OPEN) {
        referee->look_at = now + LOOK_S;
        carom_request(referee->client, "world.list", NULL, GAME_ANSWER_MS, NULL, NULL,
                      &referee->look, NULL);
    }
    if (referee->look == 0 ||
        !carom_take(referee->client, referee->look, &status, &result, &error)) {
        return;
    }
    referee->look = 0;
    if (status != CAROM_OK && status != CAROM_UNAVAILABLE) {
        referee_report(referee, NULL, "look", &error);
    }
    for (size_t i = 0; i < carom_value_count(result); i++) {
        const carom_value *info = carom_value_at(result, i);
        const char *world = carom_get_str(info, "world", "");
        uint64_t epoch = carom_get_uint(info, "epoch", 0);
        if (wanted(referee, info) && !attached(referee, world, epoch)) {
            attach(referee, world, epoch, carom_get_real(info, "hz", 60.0));
        }
    }
    carom_value_free(result);
}

// ---- time

static void remove_ended(carom_referee *referee)
{
    size_t kept = 0;
    for (size_t i = 0; i < referee->game_count; i++) {
        carom_game *game = referee->games[i];
        carom_view_state view = carom_view_get_state(game->view);
        if (view.ended || (view.ready && view.epoch != game->epoch)) {
            game_end(game);
        }
        if (game->state == CAROM_GAME_ENDED) {
            game_free(game);
        } else {
            referee->games[kept++] = game;
        }
    }
    referee->game_count = kept;
}

static void advance(carom_referee *referee)
{
    double now = carom_now();
    remove_ended(referee);
    for (size_t i = 0; i < referee->game_count; i++) {
        if (referee->doubt) {
            game_doubt(referee->games[i]);
        }
        game_advance(referee->games[i], now);
    }
    referee->doubt = false;
    look(referee, now);
}

static int soonest(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

// The time to wait for messages [ms].
static int wait_ms(const carom_referee *referee, int timeout_ms)
{
    double now = carom_now();
    double look_ms = (referee->look_at - now) * 1000.0;
    int wait = soonest(timeout_ms, referee->look != 0 ? -1 : look_ms <= 0.0 ? 0 : (int)look_ms + 1);
    for (size_t i = 0; i < referee->game_count; i++) {
        wait = soonest(wait, game_timeout_ms(referee->games[i], now));
    }
    return wait;
}

// One round: reads the received messages, and acts on them.
static carom_status round_of(carom_referee *referee, int timeout_ms, carom_error *error)
{
    carom_status status = carom_poll(referee->client, wait_ms(referee, timeout_ms), error);
    advance(referee);
    return status;
}

carom_status carom_referee_poll(carom_referee *referee, int timeout_ms, carom_error *error)
{
    if (referee == NULL || referee->busy) {
        return fault(error, CAROM_INVALID_ARGUMENT,
                     referee == NULL ? "referee: missing (NULL)" : "a handler may not wait");
    }
    referee->busy = true;
    carom_status status = round_of(referee, timeout_ms, error);
    if (status != CAROM_OK) {
        for (size_t i = 0; i < referee->game_count; i++) {
            game_end(referee->games[i]);
        }
        remove_ended(referee);
    }
    referee->busy = false;
    return status;
}

static bool all_left(carom_referee *referee)
{
    bool left = true;
    for (size_t i = 0; i < referee->game_count; i++) {
        left = game_leave(referee->games[i]) && left;
    }
    return left;
}

carom_status carom_referee_close(carom_referee *referee, int timeout_ms, carom_error *error)
{
    if (referee == NULL || referee->busy) {
        return fault(error, CAROM_INVALID_ARGUMENT,
                     referee == NULL ? "referee: missing (NULL)" : "a handler may not close");
    }
    double end = carom_now() + timeout_ms / 1000.0;
    carom_status status = CAROM_OK;
    referee->busy = true;
    referee->look_at = end + 1.0; // no further worlds
    while (status == CAROM_OK && !all_left(referee)) {
        int left_ms = (int)((end - carom_now()) * 1000.0);
        status = left_ms <= 0
                     ? fault(error, CAROM_UNAVAILABLE, "not all worlds were handed over in time")
                     : round_of(referee, left_ms, error);
    }
    for (size_t i = 0; i < referee->game_count; i++) {
        game_end(referee->games[i]);
    }
    remove_ended(referee);
    carom_close(referee->client);
    referee->busy = false;
    return status;
}

// ---- reading

carom_client *carom_referee_client(const carom_referee *referee)
{
    return referee == NULL ? NULL : referee->client;
}

carom_game *carom_referee_game(const carom_referee *referee, size_t index)
{
    return referee == NULL || index >= referee->game_count ? NULL : referee->games[index];
}

carom_game *carom_referee_find(const carom_referee *referee, const char *world)
{
    for (size_t i = 0; referee != NULL && world != NULL && i < referee->game_count; i++) {
        if (strcmp(referee->games[i]->world, world) == 0) {
            return referee->games[i];
        }
    }
    return NULL;
}
