// One served world: results of requests, then time (ticks, steps, pauses), then the end. See
// hosted.h. The thread of its host.
#include "server/world/hosted.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "proto/apply/apply.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "server/metrics.h"

enum { SCRATCH_KEPT_BYTES = 256 * 1024 }; // larger answers are rare

static const int64_t SECOND_NS = 1000000000;
static const int64_t SLICE_NS = 5000000;   // of a paused world, before others have their turn
static const int64_t WARN_NS = 5000000000; // between two warnings about one world

hosted *hosted_create(uint64_t number, const char *name, physics_world *physics, bool paused,
                      const limits *bounds, reply_sink sink, int64_t (*clock)(void))
{
    hosted *h = calloc(1, sizeof *h);
    ASSERT(h != NULL && strlen(name) <= WORLD_NAME_BYTES_MAX);
    h->number = number;
    memcpy(h->name, name, strlen(name) + 1);
    h->limits = bounds;
    h->physics = physics;
    h->hz = world_definition(physics).hz;
    h->paused = paused;
    h->inbox_last = &h->inbox;
    h->sink = sink;
    h->clock = clock;
    int64_t now = clock();
    tick_schedule_start(&h->schedule, h->hz, (int64_t)bounds->catch_up_ms * 1000000, now);
    h->window.start_ns = now;
    publisher_init(&h->publisher, bounds, h->name, number);
    buffer_init(&h->scratch, WIRE_REPLY_BYTES_MAX);
    world_want_events(physics, 0);
    return h;
}

// ---- answers

static void post(hosted *h, reply *r)
{
    h->sink.post(h->sink.context, r);
}

// Gives the request its answer and lets go of it. On success that is what `scratch` holds.
static void answer(hosted *h, request *q, const error *err)
{
    reply *r = reply_create(REPLY_RESULT, q->world);
    r->method = q->command.method;
    r->reply_to = q->reply_to;
    r->received_ns = q->received_ns;
    r->subscription = q->subscription;
    if (err != NULL) {
        r->status = err->status;
        r->text = strdup(err->text);
        ASSERT(r->text != NULL);
    } else if (h->scratch.overflow) {
        r->status = STATUS_LIMIT_EXCEEDED;
        r->text = strdup("the answer does not fit a message");
        ASSERT(r->text != NULL);
    } else if (h->scratch.size <= REPLY_INLINE_MAX) {
        memcpy(r->small, h->scratch.data, h->scratch.size);
        r->small_size = (uint8_t)h->scratch.size;
    } else {
        r->payload = bytes_create(h->scratch.size);
        memcpy(r->payload->data, h->scratch.data, h->scratch.size);
        r->payload->size = h->scratch.size;
    }
    request_free(q);
    post(h, r);
    if (h->scratch.capacity > SCRATCH_KEPT_BYTES) {
        buffer_deinit(&h->scratch);
        buffer_init(&h->scratch, WIRE_REPLY_BYTES_MAX);
    }
    buffer_clear(&h->scratch);
}

static void refuse(hosted *h, request *q, status why, const char *text)
{
    error err;
    error_set(&err, why, "%s", text);
    answer(h, q, &err);
}

static void answer_tick(hosted *h, request *q)
{
    encode_world_tick_result(&h->scratch, h->name, world_tick(h->physics));
    answer(h, q, NULL);
}

void hosted_set_scene_view(hosted *h, const area *view)
{
    h->publisher.has_scene_view = true;
    h->publisher.scene_view = *view;
}

// `created`: false where the world was there already.
static void answer_create(hosted *h, request *q, bool created)
{
    encode_world_create_result(&h->scratch, h->name, world_tick(h->physics), created);
    answer(h, q, NULL);
}

void hosted_adopted(hosted *h, request *q)
{
    ASSERT(q->kind == REQUEST_ADOPT);
    answer_create(h, q, true);
}

// ---- requests that the host answers

// Ticks a second. Until a whole window was measured those since it began, not above the world's own
// rate: the first few come at once, and say nothing of a second.
static double measured_rate(const hosted *h)
{
    const hosted_window *w = &h->window;
    if (h->paused || w->rate > 0.0) {
        return h->paused ? 0.0 : w->rate;
    }
    double elapsed_ns = (double)(h->clock() - w->start_ns);
    bool measurable = elapsed_ns >= 2.0 * h->schedule.period_ns;
    double rate = measurable ? (double)w->ticks / elapsed_ns * 1e9 : h->hz;
    return rate < h->hz ? rate : h->hz;
}

// The mean time of a tick [ms].
static double measured_step_ms(const hosted *h)
{
    const hosted_window *w = &h->window;
    bool young = w->step_ms <= 0.0 && w->ticks > 0;
    return young ? (double)w->busy_ns / (double)w->ticks * 1e-6 : w->step_ms;
}

static void do_info(hosted *h, request *q)
{
    world_status s = {
        .world = h->name,
        .epoch = h->number,
        .tick = world_tick(h->physics),
        .time = world_time(h->physics),
        .def = world_definition(h->physics),
        .paused = h->paused,
        .counts = world_count(h->physics),
        .subscribers = h->publisher.subscriptions.list.count,
        .hash = world_hash(h->physics),
        .step_ms = measured_step_ms(h),
        .rate = measured_rate(h),
        .ticks_late = h->schedule.late,
    };
    encode_world_status(&h->scratch, &s);
    answer(h, q, NULL);
}

// A running world does the tick that it has begun, so that the commands before are in the state
// that the result names; the commands after wait until then.
static void do_pause(hosted *h, request *q)
{
    if (h->paused) {
        answer_tick(h, q);
    } else {
        h->pausing = q;
    }
}

static void do_resume(hosted *h, request *q)
{
    if (h->paused) {
        int64_t now = h->clock();
        h->paused = false;
        tick_schedule_start(&h->schedule, h->hz, h->schedule.catch_up_ns, now);
        h->window.start_ns = now;
        h->window.busy_ns = 0;
        h->window.ticks = 0;
        h->window.rate = 0.0;
    }
    answer_tick(h, q);
}

static void do_step(hosted *h, request *q)
{
    if (!h->paused) {
        refuse(h, q, STATUS_UNAVAILABLE, "the world is running; pause it to step it");
        return;
    }
    h->stepping = q;
    h->steps_left = q->command.step_ticks;
}

static void do_subscribe(hosted *h, request *q)
{
    const subscribe_args *view = &q->command.subscribe;
    if (view->encoding != ENCODING_PLAIN) {
        refuse(h, q, STATUS_UNAVAILABLE, "encoding: packed is not served by this version");
        return;
    }
    publisher_subscribe(&h->publisher, h->physics, q->subscription, q->reply_to.session, view);
    encode_subscribe_result(&h->scratch, q->subscription, world_tick(h->physics));
    answer(h, q, NULL);
}

static void do_unsubscribe(hosted *h, request *q)
{
    if (!publisher_unsubscribe(&h->publisher, h->physics, q->command.view.subscription,
                               q->reply_to.session)) {
        refuse(h, q, STATUS_NOT_FOUND, "subscription: it has ended");
        return;
    }
    encode_empty_result(&h->scratch);
    answer(h, q, NULL);
}

static void do_view(hosted *h, request *q)
{
    if (!publisher_move(&h->publisher, q->command.view.subscription, q->reply_to.session,
                        &q->command.view)) {
        refuse(h, q, STATUS_NOT_FOUND, "subscription: it has ended");
        return;
    }
    encode_empty_result(&h->scratch);
    answer(h, q, NULL);
}

// ---- requests that the physics answers

// A paused world shows a change in the state of the tick at which it stands.
static void set_tick(command_result *r, uint64_t tick)
{
    r->tick = tick;
    for (uint32_t i = 0; r->method == METHOD_WORLD_APPLY && i < r->batch.count; i++) {
        r->batch.results[i].tick = tick;
    }
}

static void do_apply(hosted *h, request *q, bool between_ticks)
{
    command_result result;
    error err;
    publisher_note_change(&h->publisher, h->physics, &q->command);
    status s = apply_command(h->physics, &q->command, &result, &err);
    if (s != STATUS_OK) {
        answer(h, q, &err);
        return;
    }
    if (METHODS[q->command.method].scope == SCOPE_WORLD_COMMAND) {
        h->publisher.stale = true;
        if (between_ticks) {
            set_tick(&result, world_tick(h->physics));
        }
        session_bodies_note(&h->session_bodies, q->reply_to.session.number, &q->command, &result);
        if (q->reply_to.answerable) {
            publisher_note_command(&h->publisher, q->reply_to.session, q->reply_to.id);
        }
    }
    metrics_add(METRIC_commands_applied,
                result.method == METHOD_WORLD_APPLY ? result.batch.count : 1);
    encode_command_result(&h->scratch, &result);
    command_result_free(&result);
    answer(h, q, NULL);
}

// Keeps a batch for its tick. Those of one tick stay in the order in which they came.
static void schedule_batch(hosted *h, request *q)
{
    uint32_t at = h->scheduled.count;
    array_push(&h->scheduled, q);
    while (at > 0 && h->scheduled.data[at - 1]->command.apply.at > q->command.apply.at) {
        h->scheduled.data[at] = h->scheduled.data[at - 1];
        at--;
    }
    h->scheduled.data[at] = q;
}

static void do_batch(hosted *h, request *q)
{
    uint64_t at = q->command.apply.at;
    uint64_t tick = world_tick(h->physics);
    if (!q->command.apply.has_at || (at == tick + 1 && !h->paused)) {
        do_apply(h, q, h->paused);
        return;
    }
    error err;
    if (at <= tick) {
        error_set(&err, STATUS_INVALID_ARGUMENT, "at: tick %llu is over, the world is at %llu",
                  (unsigned long long)at, (unsigned long long)tick);
        answer(h, q, &err);
    } else if (at - tick > h->limits->ahead_ticks) {
        error_set(&err, STATUS_LIMIT_EXCEEDED, "at: more than ahead_ticks = %llu ahead",
                  (unsigned long long)h->limits->ahead_ticks);
        answer(h, q, &err);
    } else {
        schedule_batch(h, q);
    }
}

// ---- the end of a session

static void remove_session_bodies(hosted *h, uint64_t session)
{
    uint32_t slot = 0;
    body_id id = 0;
    while ((id = session_bodies_take(&h->session_bodies, session, &slot)) != 0) {
        command remove = {.method = METHOD_BODY_REMOVE, .body = id};
        command_result result;
        if (apply_command(h->physics, &remove, &result, NULL) == STATUS_OK) {
            command_result_free(&result);
            h->publisher.stale = true;
            metrics_add(METRIC_commands_applied, 1);
        } // else it was removed before
    }
}

// Its batches that wait for their tick would make bodies that nobody removes.
static void refuse_session_batches(hosted *h, uint64_t session)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->scheduled.count; i++) {
        request *q = h->scheduled.data[i];
        if (q->reply_to.session.number == session && session_bodies_wanted(&q->command)) {
            refuse(h, q, STATUS_UNAVAILABLE, "the session has ended");
        } else {
            h->scheduled.data[kept++] = q;
        }
    }
    h->scheduled.count = kept;
}

static void end_session(hosted *h, request *q)
{
    uint64_t session = q->reply_to.session.number;
    ASSERT(session != 0);
    request_free(q);
    refuse_session_batches(h, session);
    remove_session_bodies(h, session);
}

// ---- all requests

static void carry_out(hosted *h, request *q)
{
    if (q->kind == REQUEST_SESSION_END) {
        end_session(h, q);
        return;
    }
    switch (q->command.method) {
    case METHOD_WORLD_INFO:
        do_info(h, q);
        break;
    case METHOD_WORLD_CREATE:
        answer_create(h, q, false);
        break;
    case METHOD_WORLD_PAUSE:
        do_pause(h, q);
        break;
    case METHOD_WORLD_RESUME:
        do_resume(h, q);
        break;
    case METHOD_WORLD_STEP:
        do_step(h, q);
        break;
    case METHOD_WORLD_DESTROY:
        h->ended = true;
        answer_tick(h, q);
        break;
    case METHOD_WORLD_SUBSCRIBE:
        do_subscribe(h, q);
        break;
    case METHOD_WORLD_UNSUBSCRIBE:
        do_unsubscribe(h, q);
        break;
    case METHOD_WORLD_VIEW:
        do_view(h, q);
        break;
    case METHOD_WORLD_APPLY:
        do_batch(h, q);
        break;
    default:
        do_apply(h, q, h->paused);
        break;
    }
}

// Carries out the inbox, up to a request that makes the rest wait (the world's end, a world.step, a
// pause) or up to the time `until` (one request in any case).
static void serve_inbox(hosted *h, int64_t until)
{
    bool in_time = true;
    while (h->inbox != NULL && !h->ended && h->stepping == NULL && h->pausing == NULL && in_time) {
        request *q = h->inbox;
        h->inbox = (request *)q->node.next;
        if (h->inbox == NULL) {
            h->inbox_last = &h->inbox;
        }
        carry_out(h, q);
        in_time = h->clock() < until;
    }
}

static void serve_scheduled(hosted *h)
{
    uint64_t next = world_tick(h->physics) + 1;
    uint32_t due = 0;
    while (due < h->scheduled.count && h->scheduled.data[due]->command.apply.at <= next) {
        do_apply(h, h->scheduled.data[due++], false);
    }
    if (due > 0) {
        h->scheduled.count -= due;
        memmove(h->scheduled.data, h->scheduled.data + due,
                h->scheduled.count * sizeof *h->scheduled.data);
    }
}

void hosted_deliver(hosted *h, request *q)
{
    if (q->kind == REQUEST_ACKNOWLEDGE) {
        publisher_acknowledge(&h->publisher, q->subscription);
        request_free(q);
    } else if (q->kind == REQUEST_RESUME) {
        publisher_resume(&h->publisher, h->physics, q->reply_to.session, h->sink);
        request_free(q);
    } else if (q->kind == REQUEST_FORGET) {
        publisher_forget(&h->publisher, h->physics, q->reply_to.session);
        request_free(q);
    } else if (q->command.method == METHOD_WORLD_LIST) {
        do_info(h, q); // a list of all worlds does not wait for each one's next tick
    } else {
        ASSERT(q->kind == REQUEST_COMMAND || q->kind == REQUEST_SESSION_END);
        q->node.next = NULL;
        *h->inbox_last = q;
        h->inbox_last = (request **)&q->node.next;
    }
}

// ---- time

static void publish(hosted *h, bool all)
{
    int64_t begin = h->clock();
    publisher_publish(&h->publisher, h->physics, all, h->sink);
    if (h->publisher.due.count > 0) {
        metrics_time(TIMING_SNAPSHOT, h->clock() - begin);
    }
}

static void count_tick(hosted *h, int64_t begin)
{
    int64_t now = h->clock();
    hosted_window *w = &h->window;
    metrics_add(METRIC_ticks, 1);
    metrics_time(TIMING_STEP, now - begin);
    w->ticks++;
    w->busy_ns += now - begin;
    w->last_ms = (double)(now - begin) * 1e-6;
    int64_t length = now - w->start_ns;
    if (length >= SECOND_NS) {
        w->step_ms = (double)w->busy_ns / (double)w->ticks * 1e-6;
        w->rate = (double)w->ticks / (double)length * 1e9;
        w->start_ns = now;
        w->busy_ns = 0;
        w->ticks = 0;
    }
}

static void step_once(hosted *h, int64_t begin)
{
    world_step(h->physics);
    publisher_note_step(&h->publisher, h->physics);
    count_tick(h, begin);
}

static void warn_slowed(hosted *h, int64_t now)
{
    hosted_window *w = &h->window;
    if (w->warned_ns != 0 && now - w->warned_ns < WARN_NS) {
        return;
    }
    log_warn("world '%s' is overloaded: the last tick took %.2f of %.2f ms; its time was slowed by "
             "%lld ms since it was last said",
             h->name, w->last_ms, h->schedule.period_ns * 1e-6,
             (long long)((h->schedule.skipped_ns - w->warned_skipped_ns) / 1000000));
    w->warned_ns = now;
    w->warned_skipped_ns = h->schedule.skipped_ns;
}

static void tick(hosted *h, int64_t now)
{
    metrics_time(TIMING_DELAY, tick_schedule_lag_ns(&h->schedule, now));
    uint64_t late = h->schedule.late;
    int64_t skipped = tick_schedule_tick(&h->schedule, now);
    metrics_add(METRIC_ticks_late, h->schedule.late - late);
    if (skipped > 0) {
        metrics_add(METRIC_skipped_us, (uint64_t)skipped / 1000);
        warn_slowed(h, now);
    }
    serve_scheduled(h);
    serve_inbox(h, INT64_MAX);
    if (h->ended) {
        return;
    }
    step_once(h, now);
    request *pausing = h->pausing;
    if (pausing != NULL) {
        h->pausing = NULL;
        h->paused = true;
        answer_tick(h, pausing);
    }
    publish(h, h->paused);
}

static void run_ticks(hosted *h)
{
    int64_t begin = h->clock();
    int64_t now = begin;
    while (!h->paused && !h->ended && now >= tick_schedule_due_ns(&h->schedule) &&
           (double)(now - begin) < h->schedule.period_ns) {
        tick(h, now);
        now = h->clock();
    }
}

// A part of the world.step that is under way: up to the time `until`, but a step in any case.
static void run_steps(hosted *h, int64_t until)
{
    int64_t now = h->clock();
    bool in_time = true;
    while (h->steps_left > 0 && in_time) {
        serve_scheduled(h);
        step_once(h, now);
        publish(h, false);
        h->steps_left--;
        now = h->clock();
        in_time = now < until;
    }
    if (h->steps_left == 0) {
        request *q = h->stepping;
        h->stepping = NULL;
        answer_tick(h, q);
    }
}

static int64_t paused_publish_ns(const hosted *h)
{
    return h->published_ns + (int64_t)h->schedule.period_ns;
}

static void run_paused(hosted *h)
{
    int64_t until = h->clock() + SLICE_NS;
    do {
        serve_inbox(h, until);
        if (h->stepping != NULL) {
            run_steps(h, until);
        }
    } while (h->inbox != NULL && h->stepping == NULL && h->paused && !h->ended &&
             h->clock() < until);
    if (!h->paused || h->ended || h->stepping != NULL) {
        return;
    }
    int64_t now = h->clock();
    if (publisher_owes(&h->publisher) && now >= paused_publish_ns(h)) {
        publish(h, true);
        h->published_ns = now;
    }
}

void hosted_run(hosted *h)
{
    if (!h->paused) {
        run_ticks(h);
    }
    if (h->paused && !h->ended) {
        run_paused(h);
    }
}

int64_t hosted_next_ns(const hosted *h)
{
    if (!h->paused) {
        return tick_schedule_due_ns(&h->schedule);
    }
    if (h->inbox != NULL || h->stepping != NULL) {
        return 0;
    }
    return publisher_owes(&h->publisher) ? paused_publish_ns(h) : QUEUE_FOREVER;
}

// ---- the end

void hosted_destroy(hosted *h, status why, const char *text)
{
    ASSERT(h->pausing == NULL); // it lasts no longer than a tick
    if (h->stepping != NULL) {
        refuse(h, h->stepping, why, text);
    }
    while (h->inbox != NULL) {
        request *q = h->inbox;
        h->inbox = (request *)q->node.next;
        if (q->kind == REQUEST_COMMAND) {
            refuse(h, q, why, text);
        } else {
            request_free(q);
        }
    }
    for (uint32_t i = 0; i < h->scheduled.count; i++) {
        refuse(h, h->scheduled.data[i], why, text);
    }
    for (uint32_t i = 0; i < h->publisher.subscriptions.list.count; i++) {
        const subscription *s = &h->publisher.subscriptions.list.data[i];
        reply *r = reply_create(REPLY_CLOSED, h->number);
        r->status = why;
        r->reply_to.session = s->session;
        r->subscription = s->number;
        r->text = strdup(text);
        ASSERT(r->text != NULL);
        post(h, r);
    }
    publisher_deinit(&h->publisher);
    array_free(&h->scheduled);
    session_bodies_deinit(&h->session_bodies);
    buffer_deinit(&h->scratch);
    world_free(h->physics);
    free(h);
}
