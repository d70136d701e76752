// See client_arrivals.h.
//
// The wait for the tick: an answer names the tick that applied its command, and the tick clock
// gives the earliest moment at which that tick could be received. The time from the command's due
// moment to that one is waiting for the tick, up to one tick; the rest is the time of the server,
// the network and this program.
#include "client/load/client_arrivals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/tool/cli.h"

#define CLOCK_HALF_S 2.0

// ---- time

double client_since_begin(const load_client *at, double now)
{
    const load_shared *shared = at->group->shared;
    int phase = atomic_load_explicit(&shared->phase, memory_order_acquire);
    return phase == LOAD_OPENING ? 0.0 : now - shared->begin;
}

bool client_counts(const load_client *at)
{
    const load_shared *shared = at->group->shared;
    int phase = atomic_load_explicit(&shared->phase, memory_order_acquire);
    return (phase == LOAD_RUNNING && cli_now() >= shared->begin) || phase == LOAD_DRAINING;
}

// The earliest moment at which `tick` could be received.
static double tick_earliest(load_client *at, uint64_t tick, double now)
{
    tick_clock *clock = &at->group->clocks[at->world];
    double length = 1.0 / at->group->shared->hz[at->world];
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

// ---- other servers

// The server that goes on with the world has another beat. Its lag behind the old server counts as
// age of the first snapshot alone, and not of later ones.
void client_begin_gap(load_client *at)
{
    const tick_clock *clock = &at->group->clocks[at->world];
    at->away = true;
    if (!at->gap && clock->turns > 0.0) {
        at->gap = true;
        at->gap_offset = clock->now < clock->before ? clock->now : clock->before;
    }
}

// Ticks from one snapshot to the next, as the client wants them.
static double ticks_apart(const load_client *at)
{
    const load_behaviour *does = at->does;
    double hz = at->group->shared->hz[at->world];
    double rate = does->subscribe != NULL ? carom_get_real(does->subscribe, "rate", 0.0)
                                          : does->subscription.rate;
    return rate > 0.0 && rate < hz ? hz / rate : 1.0;
}

// Records the ages of the snapshots that did not come in the gap: each as old as it is now, when a
// later one comes.
static void record_missed(load_client *at, uint64_t tick, double now)
{
    double length = 1.0 / at->group->shared->hz[at->world];
    double apart = ticks_apart(at);
    double first = (double)at->last_tick + apart;
    if (at->last_arrival > 0.0 && (double)tick > first) {
        load_tally_record_ages(at->group->tally, LOAD_AGE, client_since_begin(at, now),
                               now - (at->gap_offset + first * length),
                               (uint64_t)(((double)tick - first) / apart));
    }
}

// The earliest moment at which the first snapshot after a gap would have arrived without it. The
// clock starts again at that snapshot.
static double end_gap(load_client *at, uint64_t tick, double now)
{
    tick_clock *clock = &at->group->clocks[at->world];
    double length = 1.0 / at->group->shared->hz[at->world];
    double offset = now - (double)tick * length;
    double earliest = at->gap_offset + (double)tick * length;
    record_missed(at, tick, now);
    at->gap = false;
    *clock = (tick_clock){.now = offset, .before = offset, .turns = now + CLOCK_HALF_S};
    return earliest < now ? earliest : now;
}

void client_on_lost(carom_client *client, carom_status status, const char *reason, void *user)
{
    (void)client;
    (void)status;
    load_client *at = user;
    load_tally *tally = at->group->tally;
    at->fd = -1; // it is closed: the number may be another client's next
    at->drop_noted = true;
    client_begin_gap(at);
    if (client_counts(at)) {
        tally->dropped++;
        load_tally_slice(tally, client_since_begin(at, cli_now()))->dropped++;
        if (tally->lost_reason[0] == '\0') {
            (void)snprintf(tally->lost_reason, sizeof tally->lost_reason, "%s", reason);
        }
    }
}

// ---- notifications

void client_rest(load_client *at, double now)
{
    const double *pause = at->does->pause;
    at->calls_awaited = false;
    at->start = now + pause[0] + (pause[1] - pause[0]) * fill_random(&at->self.random);
    at->start = at->start > at->not_before ? at->start : at->not_before;
    at->due = at->start;
}

static void give_back(load_client *at, slot *s)
{
    s->busy = false;
    s->next = at->free_slots;
    at->free_slots = s;
    at->group->in_flight--;
    at->flying--;
    if (at->calls_awaited && at->flying == 0) {
        client_rest(at, cli_now());
    }
    if (at->actions_blocked && !at->calls_awaited) {
        at->actions_blocked = false;
        at->next_ready = at->group->ready;
        at->group->ready = at;
    }
}

static void forget_kept(load_client *at, unsigned more_than)
{
    while (at->kept_count > more_than) {
        carom_value *arguments =
            carom_set(carom_map(), "world", carom_str(at->group->shared->plan->worlds[at->world]));
        carom_set(arguments, "body", carom_uint(at->kept[0]));
        (void)carom_send(at->link, "body.remove", arguments, NULL);
        carom_value_free(arguments);
        at->kept_count--;
        memmove(at->kept, at->kept + 1, at->kept_count * sizeof at->kept[0]);
    }
    at->self.spawned = at->kept_count > 0 ? at->kept[at->kept_count - 1] : 0;
}

static void keep_body(load_client *at, const load_action *action, uint64_t body)
{
    forget_kept(at, LOAD_KEPT_MAX - 1);
    at->kept[at->kept_count++] = body;
    forget_kept(at, action->keep);
}

// Records `count` commands that were due at `due` and are answered now.
static void record_command(load_client *at, double due, uint64_t tick, double now, uint64_t count)
{
    load_tally *tally = at->group->tally;
    double t = client_since_begin(at, now);
    double took = now - due;
    load_tally_record_many(tally, LOAD_ACK, t, took, count);
    if (tick > 0) {
        double length = 1.0 / at->group->shared->hz[at->world];
        double waited = tick_earliest(at, tick, now) - due;
        waited = waited < 0.0 ? 0.0 : waited > length ? length : waited;
        waited = waited > took ? took : waited;
        load_tally_record_many(tally, LOAD_WAIT, t, waited, count);
        load_tally_record_many(tally, LOAD_ABOVE, t, took - waited, count);
    }
}

// Records the times of an answered call, and of those that a closed loop did not make while it
// waited.
static void record_answer(load_client *at, const slot *s, uint64_t tick, double now)
{
    load_tally *tally = at->group->tally;
    double t = client_since_begin(at, now);
    bool command = s->action->command;
    load_missed missed = {0, 0.0, 0};
    if (load_is_closed(at->does)) {
        load_pace *pace = &at->group->paces[at->does - at->group->shared->plan->behaviours];
        missed = load_pace_missed(pace, now - s->due);
        load_pace_note(pace, now - s->sent);
    }
    for (unsigned i = 0; i <= missed.steps; i++) {
        double due = s->due + (double)i * missed.seconds;
        uint64_t count = i == 0 ? 1 : load_missed_weight(&missed, i);
        if (command) {
            record_command(at, due, tick, now, count);
        } else {
            load_tally_record_many(tally, LOAD_QUERY, t, now - due, count);
        }
    }
    if (command) {
        load_tally_record(tally, LOAD_SENT, t, now - s->sent);
    }
}

// A refused command will never be seen in a snapshot.
static void forget_unseen(load_client *at, uint64_t request)
{
    unsigned window = at->does->window;
    for (unsigned i = 0; i < at->unseen_count; i++) {
        unseen *one = &at->unseen[(at->unseen_first + i) % window];
        one->due = one->request == request ? -1.0 : one->due;
    }
}

void client_on_answer(carom_client *client, uint64_t request, const carom_value *result,
                      const carom_error *error, void *user)
{
    (void)client;
    slot *s = user;
    load_client *at = s->owner;
    load_tally *tally = at->group->tally;
    double now = cli_now();
    double t = client_since_begin(at, now);
    at->spawning -= s->action->spawns ? 1 : 0;
    if (error == NULL) {
        at->away = false;
        tally->answered++;
        load_tally_slice(tally, t)->answered++;
        record_answer(at, s, carom_get_uint(result, "tick", 0), now);
        if (s->action->spawns) {
            keep_body(at, s->action, carom_get_uint(result, "body", 0));
        }
    } else if (error->applied == CAROM_APPLIED_YES && !s->action->spawns) {
        // only its answer was lost with the connection
        tally->answered++;
        load_tally_slice(tally, t)->answered++;
        record_answer(at, s, 0, now);
    } else if (at->state != CLIENT_LOST && at->state != CLIENT_IDLE) {
        load_tally_fail(tally, t, s->action->method, error);
        forget_unseen(at, request);
    }
    give_back(at, s);
}

void client_on_subscribed(carom_client *client, uint64_t request, const carom_value *result,
                          const carom_error *error, void *user)
{
    (void)client;
    (void)request;
    load_client *at = user;
    if (error != NULL) {
        at->error = *error; // client_poll then closes the client
        return;
    }
    at->self.subscription = carom_get_uint(result, "subscription", 0);
    if (at->state == CLIENT_SUBSCRIBING) {
        client_set_state(at, CLIENT_RUNNING);
    }
}

void client_on_ping(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *error, void *user)
{
    (void)client;
    (void)request;
    (void)result;
    load_client *at = user;
    at->ping_awaited = false;
    if (error != NULL) {
        return;
    }
    double now = cli_now();
    double took = now - at->ping_sent;
    at->rtt_min = at->rtt_min > 0.0 && at->rtt_min < took ? at->rtt_min : took;
    if (client_counts(at)) {
        load_tally_record(at->group->tally, LOAD_RTT, client_since_begin(at, now), took);
    }
}

// Not called for snapshots before the run: the load's own worlds are paused until then, so their
// ticks come later than those snapshots would predict.
static void record_snapshot_time(load_client *at, const carom_snapshot *snapshot, double now)
{
    load_tally *tally = at->group->tally;
    double t = client_since_begin(at, now);
    double earliest =
        at->gap ? end_gap(at, snapshot->tick, now) : tick_earliest(at, snapshot->tick, now);
    if (at->rtt_min > 0.0) {
        load_tally_record(tally, LOAD_AGE, t, now - earliest + at->rtt_min / 2.0);
    }
    if (at->last_arrival > 0.0 && snapshot->tick > at->last_tick) {
        double apart = (double)(snapshot->tick - at->last_tick) / at->group->shared->hz[at->world];
        load_tally_record(tally, LOAD_JITTER, t, fabs(now - at->last_arrival - apart));
    }
    at->last_arrival = now;
    at->last_tick = snapshot->tick;
}

static void record_seen(load_client *at, double due, double now)
{
    double t = client_since_begin(at, now);
    load_missed missed = {0, 0.0, 0};
    if (load_is_closed(at->does)) {
        missed = load_pace_missed(&at->group->paces[at->does - at->group->shared->plan->behaviours],
                                  now - due);
    }
    for (unsigned i = 0; i <= missed.steps; i++) {
        load_tally_record_many(at->group->tally, LOAD_SEEN, t,
                               now - due - (double)i * missed.seconds,
                               i == 0 ? 1 : load_missed_weight(&missed, i));
    }
}

void client_on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    load_client *at = user;
    load_tally *tally = at->group->tally;
    double now = cli_now();
    double t = client_since_begin(at, now);
    unsigned window = at->does->window;
    at->away = false;
    if (!client_counts(at)) {
        return;
    }
    record_snapshot_time(at, snapshot, now);
    tally->snapshots++;
    tally->skipped += snapshot->skipped;
    tally->events_lost += snapshot->events_lost;
    load_tally_slice(tally, t)->snapshots++;
    load_tally_slice(tally, t)->skipped += snapshot->skipped;
    while (at->unseen_count > 0 && at->unseen[at->unseen_first].request <= snapshot->last) {
        const unseen *one = &at->unseen[at->unseen_first];
        if (one->due >= 0.0) {
            record_seen(at, one->due, now);
        }
        at->unseen_first = (at->unseen_first + 1) % window;
        at->unseen_count--;
    }
}

void client_on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user)
{
    (void)client;
    load_client *at = user;
    if (strcmp(method, "moved") == 0) {
        client_begin_gap(at);
        return;
    }
    // libcarom dials again when the server closes the connection
    bool returns = strcmp(method, "closing") == 0 && at->group->shared->dial.reconnects;
    if (!returns && (strcmp(method, "closing") == 0 || strcmp(method, "world_closed") == 0)) {
        at->error.status = carom_status_from_name(carom_get_str(params, "code", "unavailable"));
        (void)snprintf(at->error.text, sizeof at->error.text, "%s: %s", method,
                       carom_get_str(params, "reason", ""));
    }
}
