// Requests to a served world: each is answered at once, or kept until it can be. Commands of the
// physics are in served_apply.c, batches for a later tick in served_batches.c, ends of sessions in
// served_sessions.c. See served_world.h. The thread of its simulation thread.
#include "server/world/tick/served_world_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "common/physics/image.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/log/log_compact.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/world/log/world_image.h"

enum {
    FORK_SHARE = 2,     // times a world's memory: its image, and another world made from that
    VIEW_BODY_NS = 1500 // estimate for each body of a first snapshot, also made without a pause
};

// ---- requests that the simulation thread answers

static void do_info(served_world *h, request *q)
{
    served_world_answer_info(h, q);
}

// A running world does the tick that it has begun, so that the commands before are in the state
// that the result names; the commands after wait until then. If that tick would take too long on
// this thread, the pause comes after it.
static void do_pause(served_world *h, request *q)
{
    ASSERT(h->pending == NULL);
    if (served_world_is_paused(h)) {
        served_world_answer_tick(h, q);
    } else if (served_world_step_waits(h)) {
        served_world_block_step(h, q);
    } else {
        h->pending = q;
        served_world_change(h, SERVED_WORLD_PAUSING);
    }
}

void served_world_note_pause(served_world *h, const request *q)
{
    if (h->replay != NULL) {
        return; // see note_replayed
    }
    world_log_note(&h->log, world_tick(h->physics), q->reply_to.session.number,
                   served_world_is_paused(h) ? "world.pause" : "world.resume", NULL, 0);
}

static void do_resume(served_world *h, request *q)
{
    if (!served_world_is_paused(h)) {
        served_world_answer_tick(h, q);
        return;
    }
    int64_t now = h->clocks.now();
    served_world_change(h, SERVED_WORLD_RUNNING);
    served_world_note_pause(h, q);
    served_world_begin_time(h, now);
    served_world_answer_done(h, q);
}

static void do_step(served_world *h, request *q)
{
    ASSERT(h->pending == NULL && h->steps_left == 0);
    const step_args *step = &q->command.step;
    error err;
    if (h->replay != NULL && step->has_to) {
        if (served_world_waits(h, q, served_world_seek_ns(h, step->to))) {
            return;
        }
        if (served_world_seek(h, step->to, &err) == STATUS_OK) {
            served_world_answer_tick(h, q);
        } else {
            error_prefix(&err, "to");
            served_world_answer(h, q, &err);
        }
        return;
    }
    if (!served_world_is_paused(h)) {
        served_world_refuse(h, q, STATUS_UNAVAILABLE, "the world is running; pause it to step it");
        return;
    }
    uint64_t tick = world_tick(h->physics);
    if (step->has_to && (step->to < tick || step->to - tick > WIRE_STEP_TICKS_MAX)) {
        error_set(&err, STATUS_INVALID_ARGUMENT,
                  "to: from %llu, where the world is, to %d ticks later", (unsigned long long)tick,
                  WIRE_STEP_TICKS_MAX);
        served_world_answer(h, q, &err);
        return;
    }
    h->steps_left = step->has_to ? (uint32_t)(step->to - tick) : step->ticks;
    if (h->steps_left == 0) {
        served_world_answer_tick(h, q);
        return;
    }
    if (served_world_session_gone(h, q->reply_to.session.number)) {
        h->steps_left = 0;
        served_world_refuse(h, q, STATUS_UNAVAILABLE, "the session has ended");
        return;
    }
    h->pending = q;
    served_world_change(h, SERVED_WORLD_STEPPING);
}

// Work over all bodies waits for a thread of its own if other worlds would wait for it.
static bool waits_for_bodies(served_world *h, request *q, int64_t each_ns)
{
    const uint32_t bodies =
        world_definition(h->physics).bodies_max - world_room_left(h->physics).bodies;
    return served_world_waits(h, q, bodies * each_ns);
}

static void answer_subscribe(served_world *h, request *q)
{
    const subscribe_result made = {q->subscription, h->number, world_tick(h->physics)};
    encode_subscribe_result(&h->scratch, &made);
    served_world_answer(h, q, NULL);
}

static void subscribe_log(served_world *h, request *q)
{
    ASSERT(q->subscription != 0);
    const subscribe_args *view = &q->command.subscribe;
    if (view->has_area) {
        served_world_refuse(h, q, STATUS_INVALID_ARGUMENT, "area: a log tells of the whole world");
        return;
    }
    error err;
    if (waits_for_bodies(h, q, HISTORY_IMAGE_BODY_NS)) {
        return;
    }
    if (memory_ask(NULL, FORK_SHARE * served_world_memory_bytes(h), &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    log_readers_add(&h->readers, q->subscription, q->reply_to.session, view->rate,
                    view->compact == log_compact_tables());
    world_log_keep_rows(&h->log);
    answer_subscribe(h, q);
}

static void do_image(served_world *h, request *q)
{
    uint8_t *image = NULL;
    size_t size = 0;
    error err;
    if (waits_for_bodies(h, q, HISTORY_IMAGE_BODY_NS)) {
        return;
    }
    if (memory_ask(NULL, FORK_SHARE * served_world_memory_bytes(h), &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    world_save_sealed(h->physics, &image, &size);
    encode_world_image_result(&h->scratch, &(world_image_result){.image = image,
                                                                 .image_size = size,
                                                                 .tick = world_tick(h->physics),
                                                                 .hash = world_hash(h->physics)});
    free(image);
    served_world_answer(h, q, NULL);
}

// Answers the server, which builds the second world from the answer.
static void do_fork(served_world *h, request *q)
{
    error err;
    capacity_limits room = limits_room(h->limits);
    data_limits data = limits_data(h->limits);
    // the world was restored from a run with larger limits
    if (capacity_check(h->physics, &room, &err) != STATUS_OK ||
        data_fit(h->physics, &data, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    if (waits_for_bodies(h, q, HISTORY_IMAGE_BODY_NS)) {
        return;
    }
    memory_charge making;
    memory_charge_begin(&making, MEMORY_making, NULL);
    if (memory_charge_set(&making, FORK_SHARE * served_world_memory_bytes(h), &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    session_bodies none = {0};
    shared_bytes *image =
        world_image_encode(h->physics, &none, h->owners, NULL, publisher_scene_view(&h->publisher),
                           served_world_is_paused(h), world_tick(h->physics));
    reply *r = reply_create(REPLY_RESULT, q->world);
    r->method = q->command.method;
    r->reply_to = q->reply_to;
    r->received_ns = q->received_ns;
    r->subscription = q->subscription; // the second world's number
    r->payload = image;
    r->making = making;
    request_free(q);
    served_world_post(h, r);
}

// A session resumed after a restart may have a higher rate, accepted before: it is sent every tick.
static bool check_rate(served_world *h, request *q)
{
    const double rate = q->command.subscribe.rate;
    if (rate <= h->hz || q->again) {
        return true;
    }
    error err;
    error_set(&err, STATUS_INVALID_ARGUMENT,
              "rate: at most %g, the world's ticks a second, or left out for all of them; got %g",
              h->hz, rate);
    served_world_answer(h, q, &err);
    return false;
}

static void do_subscribe(served_world *h, request *q)
{
    ASSERT(q->subscription != 0);
    const subscribe_args *view = &q->command.subscribe;
    if (!check_rate(h, q)) {
        return;
    }
    if (view->encoding == ENCODING_LOG) {
        subscribe_log(h, q);
        return;
    }
    error err;
    if (!q->again && publisher_may_follow(h->physics, view->follow, view->token_areas,
                                          view->token_area_count, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    if (waits_for_bodies(h, q, VIEW_BODY_NS)) {
        return;
    }
    publisher_charge_to(&h->publisher, q->holder);
    if (!q->again && publisher_can_afford(&h->publisher, h->physics, view, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    publisher_subscribe(&h->publisher, h->physics, q->subscription, q->reply_to.session,
                        q->reply_to.subject, view);
    publisher_name_reader(&h->publisher, q->subscription, q->actor.role, q->actor.subject);
    answer_subscribe(h, q);
}

static void do_unsubscribe(served_world *h, request *q)
{
    uint64_t number = q->command.view.subscription;
    if (!log_readers_remove(&h->readers, number, q->reply_to.session) &&
        !publisher_unsubscribe(&h->publisher, h->physics, number, q->reply_to.session)) {
        served_world_refuse(h, q, STATUS_NOT_FOUND, "subscription: it has ended");
        return;
    }
    encode_empty_result(&h->scratch);
    served_world_answer(h, q, NULL);
}

// The answer reports the subscription's present view, which the session records.
static void do_view(served_world *h, request *q)
{
    error err;
    const view_args *view = &q->command.view;
    if (publisher_move(&h->publisher, h->physics, view->subscription, q->reply_to.session, view,
                       &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    encode_empty_result(&h->scratch);
    served_world_answer(h, q, NULL);
}

// ---- all requests

static void do_destroy(served_world *h, request *q)
{
    served_world_change(h, SERVED_WORLD_ENDED);
    served_world_answer_tick(h, q);
    world_log_destroy(&h->log);
}

static void do_create(served_world *h, request *q)
{
    served_world_answer_create(h, q, false);
}

static void do_apply(served_world *h, request *q)
{
    served_batch(h, q);
}

typedef void serve_function(served_world *h, request *q);
#define ROW(id, serve) [METHOD_##id] = do_##serve,
static serve_function *const SERVE[METHOD_COUNT] = {METHOD_SERVE(ROW)};

bool served_world_bars(const served_world *h, method m, error *err)
{
    return !method_has(m, TRAIT_UNHINDERED) && world_log_takes(&h->log, err) != STATUS_OK;
}

static void carry_out(served_world *h, request *q)
{
    ASSERT(q->kind != REQUEST_COMMAND || q->command.method < METHOD_COUNT);
    if (q->kind == REQUEST_SESSION_END) {
        served_world_end_session(h, q);
        return;
    }
    if (q->kind == REQUEST_FORGET) {
        served_world_forget_subscriptions(h, q);
        return;
    }
    error err;
    if (served_world_bars(h, q->command.method, &err)) {
        served_world_answer(h, q, &err);
        return;
    }
    if (!served_world_may_act(q)) { // it waited for a long step, or for a busy world
        const bool batch = q->command.method == METHOD_WORLD_APPLY && q->command.apply.has_at;
        served_world_refuse(h, q, STATUS_PERMISSION_DENIED,
                            batch ? "at: the rights of its session ended before that tick"
                                  : "the rights of its session ended before it took effect");
        return;
    }
    if (SERVE[q->command.method] != NULL) {
        SERVE[q->command.method](h, q);
    } else {
        served_world_apply(h, q, served_world_is_paused(h), NULL);
    }
}

void served_world_serve_inbox(served_world *h, int64_t begin, int64_t turn_ns)
{
    int64_t before = begin;
    int64_t used = 0;
    work_time time = {0};
    const served_world_state begun = h->state;
    ASSERT(begun == SERVED_WORLD_RUNNING || begun == SERVED_WORLD_PAUSED);
    ASSERT(turn_ns > 0 && h->costs.returned == NULL);
    served_world_remove_ended_bodies(h);
    inbox_begin(&h->inbox, turn_ns);
    // Requests after a world.resume wait for the tick that it starts: a record of the log ends at
    // the paused state, and has no place for commands of a later one.
    while (h->state == begun && !h->costs.step_blocked && !world_log_full(&h->log) &&
           !last_requests_full(&h->last_requests) && used < turn_ns) {
        request *q = inbox_take(&h->inbox);
        if (q == NULL) {
            return;
        }
        time = time.processor == NULL ? work_time_begin(h->clocks.processor) : time;
        h->costs.price_ns = 0;
        carry_out(h, q);
        if (h->costs.returned != NULL) {
            inbox_return(&h->inbox, h->costs.returned);
            h->costs.returned = NULL;
            h->costs.price_ns = 0;
        }
        int64_t now = h->clocks.now();
        inbox_charge(&h->inbox, work_time_of(&time, now - before) + h->costs.price_ns);
        used += now - before + h->costs.price_ns;
        before = now;
    }
    metrics_add(METRIC_turns_over, h->inbox.count > 0 && used >= turn_ns ? 1 : 0);
}

void served_world_take_committed(served_world *h)
{
    if (world_log_wake(&h->log)) {
        char text[ERROR_TEXT_MAX];
        snprintf(text, sizeof text, "the world's log cannot be written: %.200s",
                 world_log_failure_text(&h->log));
        const reply_sink open = world_log_open_sink(&h->log);
        publisher_close_all(&h->publisher, STATUS_UNAVAILABLE, text, open);
        log_readers_close_all(&h->readers, h->number, STATUS_UNAVAILABLE, text, open);
    }
}

void served_world_deliver(served_world *h, request *q)
{
    ASSERT(q->world == h->number && q->kind != REQUEST_ADOPT && q->kind != REQUEST_STOP);
    if (q->kind == REQUEST_COMMITTED) {
        request_free(q);
        world_log_accept_notification(&h->log);
        served_world_take_committed(h);
    } else if (q->kind == REQUEST_ACKNOWLEDGE) {
        for (uint32_t i = 0; i < q->acknowledged_count; i++) {
            publisher_acknowledge(&h->publisher, q->acknowledged[i]);
            log_readers_acknowledge(&h->readers, q->acknowledged[i]);
        }
        request_free(q);
    } else if (q->kind == REQUEST_RESUME) {
        reply *taken = reply_create(REPLY_RESUMED, h->number);
        taken->reply_to = q->reply_to;
        publisher_resume(&h->publisher, q->reply_to.session);
        log_readers_resume(&h->readers, q->reply_to.session);
        request_free(q);
        served_world_post(h, taken);
    } else if (q->kind == REQUEST_RECORD) {
        ASSERT(h->mirror != NULL);
        mirror_put(h->mirror, q->item);
        q->item = NULL;
        request_free(q);
    } else if (q->command.method == METHOD_WORLD_LIST) {
        do_info(h, q); // a list of all worlds does not wait for each one's next tick
    } else {
        ASSERT(q->kind == REQUEST_COMMAND || q->kind == REQUEST_FORGET ||
               q->kind == REQUEST_SESSION_END);
        if (q->kind == REQUEST_SESSION_END) {
            array_push(&h->sessions.gone, q->reply_to.session.number);
        }
        inbox_push(&h->inbox, q);
    }
}
