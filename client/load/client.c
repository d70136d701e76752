// See client.h: connecting, sending and settling. The callbacks are in client_arrivals.c.
#include "client/load/client.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/tool/cli.h"
#include "client/load/client_arrivals.h"

enum { SENDS_AT_ONCE = 64, ROW_HOMES = 100 };

#define PING_EVERY_S 1.0
#define IDLE_S       0.001              // pause of a closed loop that could not begin
#define GOLDEN       0.6180339887498949 // spreads first actions evenly for any number of clients

// ---- life

bool client_init(load_client *at, client_group *group, unsigned index, const load_behaviour *does)
{
    const load_plan *plan = group->shared->plan;
    *at = (load_client){.group = group, .index = index, .does = does, .fd = -1};
    at->world = index % plan->world_count;
    at->self.random = plan->seed ^ ((index + 1) * UINT64_C(0xD1342543DE82EF95));
    at->self.number = index;
    at->self.clients = plan->clients;
    at->self.world = at->world;
    // A client without a body of its own has its home in the load's own worlds, where a drifting
    // body begins. A client with a body has its home at that body.
    at->self.home = (carom_vec2){3.0 * (double)(index % ROW_HOMES),
                                 -10.0 - 3.0 * (double)(index / ROW_HOMES % 10)};
    at->slots = calloc(does->window, sizeof *at->slots);
    at->unseen = calloc(does->window, sizeof *at->unseen);
    at->cached = calloc(does->action_count + 1, sizeof *at->cached);
    for (unsigned i = 0; at->slots != NULL && i < does->window; i++) {
        at->slots[i] = (slot){.owner = at, .next = at->free_slots};
        at->free_slots = &at->slots[i];
    }
    return at->slots != NULL && at->unseen != NULL && at->cached != NULL;
}

void client_deinit(load_client *at)
{
    client_close(at);
    for (size_t i = 0; at->cached != NULL && i < at->does->action_count; i++) {
        carom_value_free(at->cached[i]);
    }
    free(at->cached);
    free(at->unseen);
    free(at->slots);
}

void client_set_state(load_client *at, load_client_state to)
{
    if (!client_state_may_follow(at->state, to)) {
        (void)fprintf(stderr, "carom-load: client %u went from %s to %s, a fault of this program\n",
                      at->index, client_state_name(at->state), client_state_name(to));
        abort();
    }
    at->state = to;
}

static void lose(load_client *at, const carom_error *error)
{
    load_tally *tally = at->group->tally;
    bool opened = at->state == CLIENT_RUNNING || at->state == CLIENT_LEAVING;
    at->error = *error;
    client_set_state(at, CLIENT_LOST);
    if (client_counts(at)) {
        tally->lost += opened ? 1 : 0;
        load_tally_slice(tally, client_since_begin(at, cli_now()))->lost += opened ? 1 : 0;
        tally->refused += opened ? 0 : 1;
        if (tally->lost_reason[0] == '\0') {
            (void)snprintf(tally->lost_reason, sizeof tally->lost_reason, "%s", error->text);
        }
    }
}

void client_connect(load_client *at)
{
    const load_dial *dial = &at->group->shared->dial;
    carom_options options = carom_options_default();
    options.name = "carom/" CAROM_VERSION;
    options.token = dial->token;
    options.tls = dial->tls;
    options.handlers = (carom_handlers){.user = at,
                                        .snapshot = client_on_snapshot,
                                        .notification = client_on_notification,
                                        .lost = client_on_lost};
    options.reconnect.on = dial->reconnects;
    at->error = (carom_error){.status = CAROM_OK};
    at->counted = (carom_traffic){0};
    at->last_arrival = 0.0;
    at->ping_awaited = false;
    at->away = at->gap = at->drop_noted = false;
    at->kept_count = 0;
    at->self.spawned = 0;
    at->opened = cli_now();
    at->ping_next = at->opened + PING_EVERY_S * fill_random(&at->self.random);
    client_set_state(at, CLIENT_CONNECTING);
    carom_error error = {0};
    if (carom_connect_start(dial->host, dial->port, at->group->shared->plan->timeout_ms, &options,
                            &at->link, &error) != CAROM_OK) {
        lose(at, &error);
    }
}

static carom_value *own_subscribe_args(load_client *at)
{
    carom_subscribe_options options = at->does->subscription;
    options.has_area = at->does->area[0] > 0.0;
    for (int i = 0; i < 4; i++) {
        double centre = i % 2 == 0 ? at->self.home.x : at->self.home.y;
        options.area[i] = centre + (i < 2 ? -0.5 : 0.5) * at->does->area[i % 2];
    }
    return carom_subscribe_args(at->group->shared->plan->worlds[at->world], &options);
}

static fill_scope scope_of(load_client *at, double now)
{
    fill_scope scope;
    at->self.seconds = client_since_begin(at, now);
    fill_begin(&scope, at->group->shared->plan, &at->self);
    return scope;
}

static void subscribe(load_client *at)
{
    const load_plan *plan = at->group->shared->plan;
    carom_value *arguments = NULL;
    carom_error error = {.status = CAROM_INVALID_ARGUMENT};
    char why[FILL_ERROR_MAX] = "";
    if (at->does->subscribe == NULL) {
        arguments = own_subscribe_args(at);
    } else {
        fill_scope scope = scope_of(at, cli_now());
        arguments = fill_args(at->does->subscribe, &scope, why);
        carom_set(arguments, "world", carom_str(plan->worlds[at->world]));
    }
    client_set_state(at, CLIENT_SUBSCRIBING);
    if (why[0] != '\0') {
        (void)snprintf(error.text, sizeof error.text, "subscribe%.240s", why);
        lose(at, &error);
    } else if (carom_request(at->link, "world.subscribe", arguments, plan->timeout_ms,
                             client_on_subscribed, at, NULL, &error) != CAROM_OK) {
        lose(at, &error);
    }
    carom_value_free(arguments);
}

static void opened(load_client *at)
{
    double now = cli_now();
    if (client_counts(at)) {
        load_tally_record(at->group->tally, LOAD_CONNECT, client_since_begin(at, now),
                          now - at->opened);
    }
    if (at->does->subscribes) {
        subscribe(at);
    } else {
        client_set_state(at, CLIENT_RUNNING);
    }
}

void client_poll(load_client *at)
{
    carom_error error = {0};
    carom_status status = carom_poll(at->link, 0, &error);
    if (status != CAROM_OK) {
        error.status = error.status == CAROM_OK ? status : error.status;
        lose(at, at->error.status != CAROM_OK ? &at->error : &error);
        return;
    }
    if (at->state == CLIENT_CONNECTING && carom_client_state(at->link) == CAROM_OPEN) {
        opened(at);
    }
    if (at->error.status != CAROM_OK && at->state != CLIENT_LOST) {
        error = at->error;
        lose(at, &error);
    }
}

// Counts the sessions that were resumed since the last call. libcarom calls `lost` for the first
// connection alone: a further one that came back was lost too.
static void count_resumed(load_client *at, const carom_traffic *now)
{
    load_tally *tally = at->group->tally;
    uint64_t resumed = now->reconnects - at->counted.reconnects;
    if (resumed == 0) {
        return;
    }
    uint64_t unnoted = resumed - (at->drop_noted ? 1 : 0);
    at->drop_noted = false;
    if (unnoted > 0) {
        client_begin_gap(at);
    }
    if (client_counts(at)) {
        load_slice *slice = load_tally_slice(tally, client_since_begin(at, cli_now()));
        tally->resumed += resumed;
        slice->resumed += resumed;
        tally->dropped += unnoted;
        slice->dropped += unnoted;
    }
}

void client_count_traffic(load_client *at)
{
    load_tally *tally = at->group->tally;
    if (at->link == NULL) {
        return;
    }
    carom_traffic now = carom_client_traffic(at->link);
    count_resumed(at, &now);
    if (client_counts(at)) {
        load_slice *slice = load_tally_slice(tally, client_since_begin(at, cli_now()));
        uint64_t in = now.bytes_in - at->counted.bytes_in;
        uint64_t out = now.bytes_out - at->counted.bytes_out;
        tally->bytes_in += in;
        tally->bytes_out += out;
        slice->bytes_in += in;
        slice->bytes_out += out;
        tally->events += now.events - at->counted.events;
    }
    at->counted = now;
}

void client_leave(load_client *at, double now)
{
    if (at->state == CLIENT_RUNNING) {
        client_set_state(at, CLIENT_LEAVING);
        at->leaving_since = now;
    } else if (at->state != CLIENT_LEAVING) {
        client_close(at);
    }
}

void client_close(load_client *at)
{
    client_count_traffic(at);
    client_set_state(at, CLIENT_IDLE);
    carom_free(at->link); // answers waiting requests with an error, which no longer counts
    at->link = NULL;
    at->unseen_count = 0;
    at->fd = -1;
}

// ---- sending

bool client_has_actions(const load_client *at)
{
    return at->does->action_count > 0;
}

static void skip_pauses(load_client *at)
{
    const load_behaviour *does = at->does;
    while (at->action < does->action_count && does->actions[at->action].method == NULL) {
        const double *pause = does->actions[at->action].pause;
        at->due += pause[0] + (pause[1] - pause[0]) * fill_random(&at->self.random);
        at->action++;
    }
}

static size_t draw(load_client *at)
{
    const load_behaviour *does = at->does;
    double sum = 0.0;
    for (size_t i = 0; i < does->action_count; i++) {
        sum += does->actions[i].weight;
    }
    double left = sum * fill_random(&at->self.random);
    size_t last = 0;
    for (size_t i = 0; i < does->action_count; i++) {
        if (does->actions[i].weight > 0.0) {
            last = i;
            left -= does->actions[i].weight;
            if (left < 0.0) {
                break;
            }
        }
    }
    return last;
}

static void choose(load_client *at)
{
    const load_behaviour *does = at->does;
    if (does->order == LOAD_BY_WEIGHT) {
        at->action = draw(at);
    } else if (does->order == LOAD_IN_TURN) {
        at->action = at->in_turn;
        at->in_turn = (at->in_turn + 1) % does->action_count;
    } else {
        at->action = 0;
        skip_pauses(at);
    }
}

static double gap(load_client *at)
{
    const load_behaviour *does = at->does;
    double even = 1.0 / does->rate;
    return does->beat == LOAD_AT_RANDOM ? -log(1.0 - fill_random(&at->self.random)) * even : even;
}

// Sets the time of the next start when all actions of this one have begun.
static void next_start(load_client *at, double now)
{
    if (at->does->beat == LOAD_AFTER_PAUSE && at->flying > 0) {
        at->calls_awaited = true;
    } else if (at->does->beat == LOAD_AFTER_PAUSE) {
        client_rest(at, now);
    } else if (at->does->beat == LOAD_BY_WINDOW) {
        at->start = now > at->not_before ? now : at->not_before;
        at->due = at->start;
    } else {
        at->start += gap(at);
        at->due = at->start;
    }
    at->left = at->does->burst;
    choose(at);
}

static void next_action(load_client *at, double now)
{
    const load_behaviour *does = at->does;
    if (does->order == LOAD_IN_ORDER) {
        at->action++;
        skip_pauses(at);
        if (at->action < does->action_count) {
            return;
        }
    }
    if (--at->left > 0) {
        choose(at);
    } else {
        next_start(at, now);
    }
}

void client_begin(load_client *at, double earliest)
{
    const load_behaviour *does = at->does;
    double share = GOLDEN * (double)at->index;
    share -= floor(share);
    double length = !load_is_closed(does)            ? 1.0 / does->rate
                    : does->beat == LOAD_AFTER_PAUSE ? does->pause[0]
                                                     : 0.0;
    at->start = earliest + share * length;
    at->due = at->start;
    at->left = does->burst;
    at->actions_blocked = false;
    at->calls_awaited = false;
    choose(at);
}

// NULL when an expression has no value now: the call counts as failed.
static carom_value *args_of(load_client *at, const load_action *action, double now)
{
    carom_value **cached = &at->cached[at->action];
    if (!action->moves && *cached != NULL) {
        return *cached;
    }
    char why[FILL_ERROR_MAX] = "";
    fill_scope scope = scope_of(at, now);
    carom_value_free(*cached);
    *cached = fill_define(&scope, action->let, why) ? fill_args(action->args, &scope, why) : NULL;
    if (*cached == NULL) {
        at->not_before = now + IDLE_S;
        carom_error error = {.status = CAROM_INVALID_ARGUMENT};
        (void)snprintf(error.text, sizeof error.text, "%.240s", why[0] != '\0' ? why : "no memory");
        load_tally_fail(at->group->tally, client_since_begin(at, now), action->method, &error);
    } else if (action->world) {
        carom_set(*cached, "world", carom_str(at->group->shared->plan->worlds[at->world]));
    }
    return *cached;
}

static void note_sent(load_client *at, slot *s, const load_action *action, double now)
{
    load_tally *tally = at->group->tally;
    unsigned window = at->does->window;
    at->free_slots = s->next;
    s->busy = true;
    at->flying++;
    at->self.calls++;
    at->group->in_flight++;
    at->spawning += action->spawns ? 1 : 0;
    tally->sent++;
    load_tally_slice(tally, client_since_begin(at, now))->sent++;
    if (action->command && at->does->subscribes && at->unseen_count < window) {
        at->unseen[(at->unseen_first + at->unseen_count++) % window] = (unseen){s->request, s->due};
    }
}

// False when the output is full or the connection is lost, which client_poll will report.
static bool send_one(load_client *at, const load_action *action, double now)
{
    slot *s = at->free_slots;
    s->due = at->does->beat == LOAD_BY_WINDOW ? now : at->due;
    s->sent = now;
    s->action = action;
    carom_error error = {0};
    const carom_value *arguments = args_of(at, action, now);
    if (arguments == NULL) {
        return true;
    }
    if (carom_request(at->link, action->method, arguments, at->group->shared->plan->timeout_ms,
                      client_on_answer, s, &s->request, &error) != CAROM_OK) {
        return false;
    }
    note_sent(at, s, action, now);
    return true;
}

void client_send(load_client *at, double now)
{
    const load_behaviour *does = at->does;
    double end = at->group->shared->end;
    for (int i = 0; i < SENDS_AT_ONCE && at->due <= now && at->due < end; i++) {
        const load_action *action = &does->actions[at->action];
        bool waits = action->needs_spawned && at->kept_count == 0;
        // it made no body, or was refused: it cannot act on any
        if (waits && at->spawning == 0) {
            at->not_before = now + IDLE_S;
            next_action(at, now);
            continue;
        }
        if (waits || at->free_slots == NULL || !send_one(at, action, now)) {
            at->actions_blocked = true;
            return;
        }
        next_action(at, now);
        if (at->calls_awaited) {
            at->actions_blocked = true;
            return;
        }
    }
}

void client_ping(load_client *at, double now)
{
    if (now < at->ping_next || at->ping_awaited) {
        return;
    }
    at->ping_next = now + PING_EVERY_S;
    at->ping_sent = now;
    at->ping_awaited = carom_request(at->link, "ping", NULL, at->group->shared->plan->timeout_ms,
                                     client_on_ping, at, NULL, NULL) == CAROM_OK;
}

// The number of calls of one start.
static size_t calls_at_once(const load_behaviour *does)
{
    size_t calls = 0;
    for (size_t i = 0; i < does->action_count; i++) {
        calls += does->actions[i].method != NULL ? 1 : 0;
    }
    return does->order == LOAD_IN_ORDER ? calls : does->burst;
}

void client_settle(load_client *at, double end, double now)
{
    load_tally *tally = at->group->tally;
    const load_behaviour *does = at->does;
    double t = client_since_begin(at, end);
    load_slice *slice = load_tally_slice(tally, t);
    for (unsigned i = 0; i < does->window; i++) {
        slot *s = &at->slots[i];
        if (s->busy && at->state != CLIENT_IDLE && at->state != CLIENT_LOST) {
            tally->unanswered++;
            slice->errors++;
            load_tally_record(tally, s->action->command ? LOAD_ACK : LOAD_QUERY, t, now - s->due);
        }
    }
    if (at->state == CLIENT_RUNNING && carom_client_state(at->link) == CAROM_RECONNECTING) {
        tally->lost++; // it did not come back before the end
        slice->lost++;
    }
    bool sends = at->state == CLIENT_RUNNING && client_has_actions(at) && !load_is_closed(does);
    // More than one round late: it was delayed, not merely next in turn.
    if (sends && end - at->due > 1.0 / does->rate) {
        uint64_t rounds = (uint64_t)((end - at->due) * does->rate);
        uint64_t count = rounds * calls_at_once(does);
        tally->unsent += count;
        slice->errors += count;
        load_tally_record_ages(tally, LOAD_ACK, t, end - at->due, count);
    }
}
