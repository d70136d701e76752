// See lane.h.
//
// The wait for the tick: an answer names the tick that applied its command, and the tick clock
// tells when that tick could be had at the earliest. The time from the moment a command was due to
// that is waiting for the tick, though not more than one tick; the rest is the server's, the
// network's and this program's.
#include "client/cli/load/lane.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"

enum { SENDS_AT_ONCE = 64, ROW_HOMES = 100 };

#define CLOCK_HALF_S 2.0
#define PING_EVERY_S 1.0
#define GOLDEN       0.6180339887498949 // spreads first actions evenly for any number of clients

// ---- time

// 0 while the connections are opened: the run's times are not written yet.
static double since_begin(const lane *at, double now)
{
    const load_shared *shared = at->yard->shared;
    int phase = atomic_load_explicit(&shared->phase, memory_order_acquire);
    return phase == LOAD_OPENING ? 0.0 : now - shared->begin;
}

static bool counts(const lane *at)
{
    const load_shared *shared = at->yard->shared;
    int phase = atomic_load_explicit(&shared->phase, memory_order_acquire);
    return (phase == LOAD_RUNNING && cli_now() >= shared->begin) || phase == LOAD_DRAINING;
}

// The earliest moment that `tick` could be had.
static double tick_earliest(lane *at, uint64_t tick, double now)
{
    tick_clock *clock = &at->yard->clocks[at->world];
    double length = 1.0 / at->yard->shared->hz[at->world];
    double offset = now - (double)tick * length;
    if (now >= clock->turns) {
        clock->before = clock->turns > 0.0 ? clock->now : offset;
        clock->now = offset;
        clock->turns = now + CLOCK_HALF_S;
    }
    clock->now = offset < clock->now ? offset : clock->now;
    double least = clock->now < clock->before ? clock->now : clock->before;
    return least + (double)tick * length;
}

// ---- notifications

static void lose(lane *at, const carom_error *error)
{
    load_tally *tally = at->yard->tally;
    bool opened = at->state == LANE_RUNNING || at->state == LANE_LEAVING;
    at->error = *error;
    at->state = LANE_LOST;
    if (counts(at)) {
        tally->lost += opened ? 1 : 0;
        tally->refused += opened ? 0 : 1;
        if (tally->lost_reason[0] == '\0') {
            (void)snprintf(tally->lost_reason, sizeof tally->lost_reason, "%s", error->text);
        }
    }
}

static void give_back(lane *at, slot *s)
{
    s->busy = false;
    s->next = at->free_slots;
    at->free_slots = s;
    at->yard->in_flight--;
    if (at->blocked) {
        at->blocked = false;
        at->next_ready = at->yard->ready;
        at->yard->ready = at;
    }
}

static void forget_kept(lane *at, unsigned more_than)
{
    while (at->kept_count > more_than) {
        carom_value *arguments =
            carom_set(carom_map(), "world", carom_str(at->yard->shared->plan->worlds[at->world]));
        carom_set(arguments, "body", carom_uint(at->kept[0]));
        (void)carom_send(at->client, "body.remove", arguments, NULL);
        carom_value_free(arguments);
        at->kept_count--;
        memmove(at->kept, at->kept + 1, at->kept_count * sizeof at->kept[0]);
    }
    at->self.spawned = at->kept_count > 0 ? at->kept[at->kept_count - 1] : 0;
}

static void keep_body(lane *at, const load_action *action, uint64_t body)
{
    forget_kept(at, LOAD_KEPT_MAX - 1);
    at->kept[at->kept_count++] = body;
    forget_kept(at, action->keep);
}

static void record_command(lane *at, const slot *s, uint64_t tick, double now)
{
    load_tally *tally = at->yard->tally;
    double t = since_begin(at, now);
    double took = now - s->due;
    load_tally_record(tally, LOAD_ACK, t, took);
    load_tally_record(tally, LOAD_SENT, t, now - s->sent);
    if (tick > 0) {
        double length = 1.0 / at->yard->shared->hz[at->world];
        double waited = tick_earliest(at, tick, now) - s->due;
        waited = waited < 0.0 ? 0.0 : waited > length ? length : waited;
        waited = waited > took ? took : waited;
        load_tally_record(tally, LOAD_WAIT, t, waited);
        load_tally_record(tally, LOAD_ABOVE, t, took - waited);
    }
}

// A refused command will never be seen in a snapshot.
static void forget_unseen(lane *at, uint64_t request)
{
    unsigned window = at->yard->shared->plan->window;
    for (unsigned i = 0; i < at->unseen_count; i++) {
        unseen *one = &at->unseen[(at->unseen_first + i) % window];
        one->due = one->request == request ? -1.0 : one->due;
    }
}

static void on_answer(carom_client *client, uint64_t request, const carom_value *result,
                      const carom_error *error, void *user)
{
    (void)client;
    slot *s = user;
    lane *at = s->owner;
    load_tally *tally = at->yard->tally;
    double now = cli_now();
    double t = since_begin(at, now);
    at->spawning -= s->action->spawns ? 1 : 0;
    if (error == NULL) {
        tally->answered++;
        load_tally_slice(tally, t)->answered++;
        if (s->action->command) {
            record_command(at, s, carom_get_uint(result, "tick", 0), now);
        } else {
            load_tally_record(tally, LOAD_QUERY, t, now - s->due);
        }
        if (s->action->spawns) {
            keep_body(at, s->action, carom_get_uint(result, "body", 0));
        }
    } else if (at->state != LANE_LOST && at->state != LANE_IDLE) {
        tally->errors[(unsigned)error->status < CAROM_STATUS_COUNT ? error->status
                                                                   : CAROM_INTERNAL]++;
        load_tally_slice(tally, t)->errors++;
        forget_unseen(at, request);
    }
    give_back(at, s);
}

static void on_subscribed(carom_client *client, uint64_t request, const carom_value *result,
                          const carom_error *error, void *user)
{
    (void)client;
    (void)request;
    lane *at = user;
    if (error != NULL) {
        at->error = *error; // lane_poll gives the lane up
        return;
    }
    at->self.subscription = carom_get_uint(result, "subscription", 0);
    at->state = at->state == LANE_SUBSCRIBING ? LANE_RUNNING : at->state;
}

static void on_ping(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *error, void *user)
{
    (void)client;
    (void)request;
    (void)result;
    lane *at = user;
    at->pinging = false;
    if (error != NULL) {
        return;
    }
    double now = cli_now();
    double took = now - at->ping_sent;
    at->rtt_min = at->rtt_min > 0.0 && at->rtt_min < took ? at->rtt_min : took;
    if (counts(at)) {
        load_tally_record(at->yard->tally, LOAD_RTT, since_begin(at, now), took);
    }
}

static void record_snapshot_time(lane *at, const carom_snapshot *snapshot, double now)
{
    load_tally *tally = at->yard->tally;
    double t = since_begin(at, now);
    double earliest = tick_earliest(at, snapshot->tick, now);
    if (at->rtt_min > 0.0 && counts(at)) {
        load_tally_record(tally, LOAD_AGE, t, now - earliest + at->rtt_min / 2.0);
    }
    if (at->last_arrival > 0.0 && snapshot->tick > at->last_tick && counts(at)) {
        double apart = (double)(snapshot->tick - at->last_tick) / at->yard->shared->hz[at->world];
        load_tally_record(tally, LOAD_JITTER, t, fabs(now - at->last_arrival - apart));
    }
    at->last_arrival = now;
    at->last_tick = snapshot->tick;
}

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    lane *at = user;
    load_tally *tally = at->yard->tally;
    double now = cli_now();
    double t = since_begin(at, now);
    unsigned window = at->yard->shared->plan->window;
    record_snapshot_time(at, snapshot, now);
    if (!counts(at)) {
        return;
    }
    tally->snapshots++;
    tally->skipped += snapshot->skipped;
    load_tally_slice(tally, t)->snapshots++;
    while (at->unseen_count > 0 && at->unseen[at->unseen_first].request <= snapshot->last) {
        const unseen *one = &at->unseen[at->unseen_first];
        if (one->due >= 0.0) {
            load_tally_record(tally, LOAD_SEEN, t, now - one->due);
        }
        at->unseen_first = (at->unseen_first + 1) % window;
        at->unseen_count--;
    }
}

static void on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user)
{
    (void)client;
    lane *at = user;
    if (strcmp(method, "closing") == 0 || strcmp(method, "world_closed") == 0) {
        at->error.status = carom_status_from_name(carom_get_str(params, "code", "unavailable"));
        (void)snprintf(at->error.text, sizeof at->error.text, "%s: %s", method,
                       carom_get_str(params, "reason", ""));
    }
}

// ---- life

bool lane_init(lane *at, lane_yard *yard, unsigned index, const load_behaviour *does)
{
    const load_plan *plan = yard->shared->plan;
    *at = (lane){.yard = yard, .index = index, .does = does, .fd = -1};
    at->world = index % plan->world_count;
    at->self.seed = (index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    // Where drifting bodies of a world of the load's own begin; those with a body are at home
    // there.
    at->self.home = (carom_vec2){3.0 * (double)(index % ROW_HOMES),
                                 -10.0 - 3.0 * (double)(index / ROW_HOMES % 10)};
    at->slots = calloc(plan->window, sizeof *at->slots);
    at->unseen = calloc(plan->window, sizeof *at->unseen);
    at->cached = calloc(does->action_count + 1, sizeof *at->cached);
    for (unsigned i = 0; at->slots != NULL && i < plan->window; i++) {
        at->slots[i] = (slot){.owner = at, .next = at->free_slots};
        at->free_slots = &at->slots[i];
    }
    return at->slots != NULL && at->unseen != NULL && at->cached != NULL;
}

void lane_deinit(lane *at)
{
    lane_close(at);
    for (size_t i = 0; at->cached != NULL && i < at->does->action_count; i++) {
        carom_value_free(at->cached[i]);
    }
    free(at->cached);
    free(at->unseen);
    free(at->slots);
}

void lane_connect(lane *at)
{
    const load_dial *dial = &at->yard->shared->dial;
    carom_options options = carom_options_default();
    options.name = "carom/" CAROM_VERSION;
    options.token = dial->token;
    options.tls = dial->tls;
    options.handlers =
        (carom_handlers){.user = at, .snapshot = on_snapshot, .notification = on_notification};
    at->error = (carom_error){.status = CAROM_OK};
    at->counted = (carom_traffic){0};
    at->last_arrival = 0.0;
    at->pinging = false;
    at->kept_count = 0;
    at->self.spawned = 0;
    at->opened = cli_now();
    at->ping_next = at->opened + PING_EVERY_S * fill_random(&at->self.seed);
    at->state = LANE_CONNECTING;
    carom_error error = {0};
    if (carom_connect_start(dial->host, dial->port, at->yard->shared->plan->timeout_ms, &options,
                            &at->client, &error) != CAROM_OK) {
        lose(at, &error);
    }
}

static void subscribe(lane *at)
{
    const load_plan *plan = at->yard->shared->plan;
    carom_subscribe_options options = at->does->subscription;
    options.has_area = at->does->area[0] > 0.0;
    for (int i = 0; i < 4; i++) {
        double centre = i % 2 == 0 ? at->self.home.x : at->self.home.y;
        options.area[i] = centre + (i < 2 ? -0.5 : 0.5) * at->does->area[i % 2];
    }
    carom_value *arguments = carom_subscribe_args(plan->worlds[at->world], &options);
    carom_error error = {0};
    at->state = LANE_SUBSCRIBING;
    if (carom_request(at->client, "world.subscribe", arguments, plan->timeout_ms, on_subscribed, at,
                      NULL, &error) != CAROM_OK) {
        lose(at, &error);
    }
    carom_value_free(arguments);
}

static void opened(lane *at)
{
    double now = cli_now();
    if (counts(at)) {
        load_tally_record(at->yard->tally, LOAD_CONNECT, since_begin(at, now), now - at->opened);
    }
    if (at->does->subscribes) {
        subscribe(at);
    } else {
        at->state = LANE_RUNNING;
    }
}

void lane_poll(lane *at)
{
    carom_error error = {0};
    carom_status status = carom_poll(at->client, 0, &error);
    if (status != CAROM_OK) {
        error.status = error.status == CAROM_OK ? status : error.status;
        lose(at, at->error.status != CAROM_OK ? &at->error : &error);
        return;
    }
    if (at->state == LANE_CONNECTING && carom_client_state(at->client) == CAROM_OPEN) {
        opened(at);
    }
    if (at->error.status != CAROM_OK && at->state != LANE_LOST) {
        error = at->error;
        lose(at, &error);
    }
}

void lane_count_traffic(lane *at)
{
    load_tally *tally = at->yard->tally;
    if (at->client == NULL) {
        return;
    }
    carom_traffic now = carom_client_traffic(at->client);
    if (counts(at)) {
        load_slice *slice = load_tally_slice(tally, since_begin(at, cli_now()));
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

void lane_leave(lane *at, double now)
{
    if (at->state == LANE_RUNNING) {
        at->state = LANE_LEAVING;
        at->leaving_since = now;
    } else if (at->state != LANE_LEAVING) {
        lane_close(at);
    }
}

void lane_close(lane *at)
{
    lane_count_traffic(at);
    at->state = LANE_IDLE;
    carom_free(at->client); // answers what waits, which counts for nothing now
    at->client = NULL;
    at->unseen_count = 0;
    at->fd = -1;
}

// ---- sending

bool lane_has_actions(const lane *at)
{
    return at->does->action_count > 0;
}

static void skip_thoughts(lane *at)
{
    const load_behaviour *does = at->does;
    while (at->action < does->action_count && does->actions[at->action].method == NULL) {
        const double *think = does->actions[at->action].think;
        at->due += think[0] + (think[1] - think[0]) * fill_random(&at->self.seed);
        at->action++;
    }
}

static void next_round(lane *at, double now)
{
    at->start = at->does->rate > 0.0 ? at->start + 1.0 / at->does->rate : now;
    at->due = at->start;
}

static void next_action(lane *at, double now)
{
    const load_behaviour *does = at->does;
    at->action++;
    if (does->in_turn) {
        at->action %= does->action_count;
        next_round(at, now);
        return;
    }
    skip_thoughts(at);
    if (at->action >= does->action_count) {
        at->action = 0;
        next_round(at, now);
        skip_thoughts(at);
    }
}

void lane_begin(lane *at, double earliest)
{
    double share = GOLDEN * (double)at->index;
    share -= floor(share);
    at->start = earliest + (at->does->rate > 0.0 ? share / at->does->rate : 0.0);
    at->due = at->start;
    at->action = 0;
    at->blocked = false;
    skip_thoughts(at);
}

static carom_value *args_of(lane *at, const load_action *action)
{
    carom_value **cached = &at->cached[at->action];
    if (action->moves || *cached == NULL) {
        carom_value_free(*cached);
        *cached = fill_args(action->args, &at->self);
        if (strcmp(action->method, "world.view") != 0 && strcmp(action->method, "ping") != 0) {
            carom_set(*cached, "world", carom_str(at->yard->shared->plan->worlds[at->world]));
        }
    }
    return *cached;
}

// False when the output is full or the connection gone, which lane_poll will tell.
static bool send_one(lane *at, const load_action *action, double now)
{
    load_tally *tally = at->yard->tally;
    const load_plan *plan = at->yard->shared->plan;
    slot *s = at->free_slots;
    s->due = at->does->rate > 0.0 ? at->due : now;
    s->sent = now;
    s->action = action;
    carom_error error = {0};
    if (carom_request(at->client, action->method, args_of(at, action), plan->timeout_ms, on_answer,
                      s, &s->request, &error) != CAROM_OK) {
        return false;
    }
    at->free_slots = s->next;
    s->busy = true;
    at->yard->in_flight++;
    at->spawning += action->spawns ? 1 : 0;
    tally->sent++;
    load_tally_slice(tally, since_begin(at, now))->sent++;
    if (action->command && at->does->subscribes && at->unseen_count < plan->window) {
        at->unseen[(at->unseen_first + at->unseen_count++) % plan->window] =
            (unseen){s->request, s->due};
    }
    return true;
}

void lane_send(lane *at, double now)
{
    const load_behaviour *does = at->does;
    double end = at->yard->shared->end;
    for (int i = 0; i < SENDS_AT_ONCE && at->due <= now && at->due < end; i++) {
        const load_action *action = &does->actions[at->action];
        bool waits = action->needs_spawned && at->kept_count == 0;
        if (waits && at->spawning == 0) { // it made none, or was refused: nothing to do it with
            next_action(at, now);
            continue;
        }
        if (waits || at->free_slots == NULL || !send_one(at, action, now)) {
            at->blocked = true;
            return;
        }
        next_action(at, now);
    }
}

void lane_ping(lane *at, double now)
{
    if (now < at->ping_next || at->pinging) {
        return;
    }
    at->ping_next = now + PING_EVERY_S;
    at->ping_sent = now;
    at->pinging = carom_request(at->client, "ping", NULL, at->yard->shared->plan->timeout_ms,
                                on_ping, at, NULL, NULL) == CAROM_OK;
}

void lane_settle(lane *at, double end, double now)
{
    load_tally *tally = at->yard->tally;
    const load_plan *plan = at->yard->shared->plan;
    double t = since_begin(at, end);
    for (unsigned i = 0; i < plan->window; i++) {
        slot *s = &at->slots[i];
        if (s->busy && at->state != LANE_IDLE && at->state != LANE_LOST) {
            tally->unanswered++;
            load_tally_record(tally, s->action->command ? LOAD_ACK : LOAD_QUERY, t, now - s->due);
        }
    }
    bool sends = at->state == LANE_RUNNING && lane_has_actions(at) && at->does->rate > 0.0;
    // Later than a round: it was held up, not just next.
    if (sends && end - at->due > 1.0 / at->does->rate) {
        uint64_t rounds = (uint64_t)((end - at->due) * at->does->rate);
        tally->unsent += rounds;
        load_tally_record_ages(tally, LOAD_ACK, t, end - at->due, rounds);
    }
}
