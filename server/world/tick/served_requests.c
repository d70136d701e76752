// Requests to a served world: each is carried out, or kept for its tick, and gets its one result.
// See served_world.h. The thread of its simulation thread.
#include "server/world/tick/served_world_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image.h"
#include "common/world/apply.h"
#include "common/world/owners.h"
#include "common/world/share.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/log/log_compact.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/world/log/world_image.h"

static const int64_t REMOVALS_NS = 1000000; // of a turn, for bodies that end with their sessions
static const int64_t LASTS_NS = 20000000;   // who asks for a list notices that
enum {
    REMOVALS_PIECE = 16,             // bodies between two looks at the clock
    SCRATCH_KEPT_BYTES = 256 * 1024, // larger results are rare
    PAIR_BYTES = 1200,               // of a contact, and of a step that solves it
    FORK_SHARE = 2,                  // of a world's memory: its image, and another one of that
    IMAGE_BODY_NS = 400,             // of an image, which is not cut
    VIEW_BODY_NS = 1500              // of a first snapshot, likewise
};

// ---- answers

void served_world_post(served_world *h, reply *r)
{
    ASSERT(r->world == h->number);
    h->sink.post(h->sink.context, r);
}

void served_world_answer(served_world *h, request *q, const error *err)
{
    reply *r = reply_create(REPLY_RESULT, q->world);
    r->method = q->command.method;
    r->reply_to = q->reply_to;
    r->received_ns = q->received_ns;
    r->subscription = q->subscription;
    r->view = q->command.method == METHOD_WORLD_VIEW ? q->command.view : (view_args){0};
    if (err != NULL) {
        r->status = err->status;
        r->text = strdup(err->text);
        ASSERT_MEMORY(r->text != NULL);
    } else if (h->scratch.starved) {
        r->status = STATUS_LIMIT_EXCEEDED;
        r->text = strdup("memory: the system has no more for the answer");
        ASSERT_MEMORY(r->text != NULL);
    } else if (h->scratch.overflow) {
        r->status = STATUS_LIMIT_EXCEEDED;
        r->text = strdup("the answer does not fit a message");
        ASSERT_MEMORY(r->text != NULL);
    } else if (h->scratch.size <= REPLY_INLINE_MAX) {
        memcpy(r->small, h->scratch.data, h->scratch.size);
        r->small_size = (uint8_t)h->scratch.size;
    } else {
        r->payload = bytes_create(h->scratch.size);
        memcpy(r->payload->data, h->scratch.data, h->scratch.size);
        r->payload->size = h->scratch.size;
    }
    request_free(q);
    served_world_post(h, r);
    if (h->scratch.capacity > SCRATCH_KEPT_BYTES) {
        buffer_deinit(&h->scratch);
        buffer_init(&h->scratch, WIRE_REPLY_BYTES_MAX);
    }
    buffer_clear(&h->scratch);
}

void served_world_refuse(served_world *h, request *q, status why, const char *text)
{
    error err;
    error_set(&err, why, "%s", text);
    served_world_answer(h, q, &err);
}

// Before the world's log is settled: the mark is to be in the entry, or in the first image, that
// holds what the request did. Only for what did something, as nothing else makes an entry.
static void note_mark(served_world *h, const request *q)
{
    const reply_address *from = &q->reply_to;
    if (from->session.number == 0 || !from->answerable) {
        return;
    }
    last_requests_note(&h->marks, from->session.slot, from->session.number, from->sequence,
                       from->id);
    if (h->log.stored == NULL) {
        last_requests_settle(&h->marks); // no log is to be told what is new
    }
}

void served_world_answer_tick(served_world *h, request *q)
{
    encode_world_tick_result(&h->scratch, h->name, world_tick(h->physics));
    served_world_answer(h, q, NULL);
}

void served_world_answer_done(served_world *h, request *q)
{
    note_mark(h, q);
    served_world_answer_tick(h, q);
}

// `created`: false where the world was there already.
static void answer_create(served_world *h, request *q, bool created)
{
    encode_world_create_result(&h->scratch, h->name, h->number, world_tick(h->physics), created);
    served_world_answer(h, q, NULL);
}

void served_world_adopted(served_world *h, request *q)
{
    ASSERT(q->kind == REQUEST_ADOPT);
    note_mark(h, q);
    answer_create(h, q, true);
}

// ---- requests that the simulation thread answers

// Ticks a second. Until a whole window was measured those since it began, not above the world's own
// rate: the first few come at once, and say nothing of a second.
static double measured_rate(const served_world *h)
{
    const served_world_window *w = &h->window;
    if (h->paused || w->rate > 0.0) {
        return h->paused ? 0.0 : w->rate;
    }
    double elapsed_ns = (double)(h->clocks.now() - w->start_ns);
    bool measurable = elapsed_ns >= 2.0 * h->schedule.period_ns;
    double rate = measurable ? (double)w->ticks / elapsed_ns * 1e9 : h->hz;
    return rate < h->hz ? rate : h->hz;
}

// The mean time of a tick [ms].
static double measured_step_ms(const served_world *h)
{
    const served_world_window *w = &h->window;
    bool young = w->step_ms <= 0.0 && w->ticks > 0;
    return young ? (double)w->busy_ns / (double)w->ticks * 1e-6 : w->step_ms;
}

static const char *log_error_of(const served_world *h)
{
    if (h->replay_failure.status != STATUS_OK) {
        return h->replay_failure.text;
    }
    return world_log_state_of(&h->log) == WORLD_LOG_GOOD ? "" : h->log.failure.text;
}

static void encode_info(served_world *h, bool confined, buffer *out)
{
    world_status s = {
        .world = h->name,
        .epoch = h->number,
        .tick = world_tick(h->physics),
        .time = world_time(h->physics),
        .def = world_definition(h->physics),
        .paused = h->paused,
        .durability = (durability)h->log.durability,
        .log_error = log_error_of(h),
        .counts = world_count(h->physics),
        .subscribers = h->publisher.subscriptions.list.count + h->readers.list.count,
        .confined = confined,
        .hash = confined ? 0 : world_hash(h->physics),
        .step_ms = measured_step_ms(h),
        .rate = measured_rate(h),
        .ticks_late = h->schedule.late,
    };
    encode_world_status(out, &s);
}

static void do_info(served_world *h, request *q)
{
    encode_info(h, q->actor.confined, &h->scratch);
    served_world_answer(h, q, NULL);
}

static shared_bytes *figures_for(served_world *h, bool confined)
{
    buffer out;
    size_t size = 0;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    encode_info(h, confined, &out);
    uint8_t *data = buffer_take(&out, &size);
    return bytes_take(data, size);
}

// At most one such reply is on its way: what it brings is held here too.
void served_world_expect(served_world *h, int64_t ns)
{
    if (ns < LASTS_NS || (h->figures != NULL && atomic_load(&h->figures->references) > 1)) {
        return;
    }
    reply *r = reply_create(REPLY_FIGURES, h->number);
    r->payload = figures_for(h, false);
    r->tail = figures_for(h, true);
    bytes_unref(h->figures);
    h->figures = bytes_ref(r->payload);
    served_world_post(h, r);
}

// A running world does the tick that it has begun, so that the commands before are in the state
// that the result names; the commands after wait until then.
static void do_pause(served_world *h, request *q)
{
    if (h->paused) {
        served_world_answer_tick(h, q);
    } else {
        h->pausing = q;
    }
}

void served_world_note_pause(served_world *h, const request *q)
{
    if (h->replay != NULL) {
        return; // see note_replayed
    }
    world_log_note(&h->log, world_tick(h->physics), q->reply_to.session.number,
                   h->paused ? "world.pause" : "world.resume", NULL, 0);
}

static void do_resume(served_world *h, request *q)
{
    if (!h->paused) {
        served_world_answer_tick(h, q);
        return;
    }
    int64_t now = h->clocks.now();
    h->paused = false;
    served_world_note_pause(h, q);
    tick_schedule_start(&h->schedule, h->hz, h->schedule.catch_up_ns, now);
    h->window.start_ns = now;
    h->window.busy_ns = 0;
    h->window.ticks = 0;
    h->window.rate = 0.0;
    served_world_answer_done(h, q);
}

static void do_step(served_world *h, request *q)
{
    const step_args *step = &q->command.step;
    error err;
    if (h->replay != NULL && step->has_to) {
        if (served_world_seek(h, step->to, &err) == STATUS_OK) {
            served_world_answer_tick(h, q);
        } else {
            error_prefix(&err, "to");
            served_world_answer(h, q, &err);
        }
        return;
    }
    if (!h->paused) {
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
    h->stepping = q;
}

static void subscribe_log(served_world *h, request *q)
{
    const subscribe_args *view = &q->command.subscribe;
    if (view->has_area) {
        served_world_refuse(h, q, STATUS_INVALID_ARGUMENT, "area: a log tells of the whole world");
        return;
    }
    log_readers_add(&h->readers, q->subscription, q->reply_to.session, view->rate,
                    view->compact == log_compact_tables());
    h->log.read = true;
    encode_subscribe_result(&h->scratch, q->subscription, h->number, world_tick(h->physics));
    served_world_answer(h, q, NULL);
}

static void wait_for_own_thread(served_world *h, request *q)
{
    h->returned = q;
    h->waits_for_own_thread = true;
}

// A piece of work that goes over all bodies waits for a thread apart where others would wait for
// it.
static bool waits_for_bodies(served_world *h, request *q, int64_t each_ns)
{
    const uint32_t bodies =
        world_definition(h->physics).bodies_max - world_room_left(h->physics).bodies;
    const bool waits = bodies * each_ns > h->foreseen_most_ns;
    if (waits) {
        wait_for_own_thread(h, q);
    } else {
        served_world_expect(h, bodies * each_ns);
    }
    return waits;
}

static void do_image(served_world *h, request *q)
{
    uint8_t *image = NULL;
    size_t size = 0;
    error err;
    if (waits_for_bodies(h, q, IMAGE_BODY_NS)) {
        return;
    }
    if (memory_ask(NULL, FORK_SHARE * served_world_memory_bytes(h), &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    world_save_sealed(h->physics, &image, &size);
    encode_world_image_result(&h->scratch, image, size, world_tick(h->physics),
                              world_hash(h->physics));
    free(image);
    served_world_answer(h, q, NULL);
}

// The answer goes to the server, which makes the second world of it.
static void do_fork(served_world *h, request *q)
{
    error err;
    capacity_limits room = limits_room(h->limits);
    if (capacity_check(h->physics, &room, &err) != STATUS_OK) { // it is of a run that allowed more
        served_world_answer(h, q, &err);
        return;
    }
    if (waits_for_bodies(h, q, IMAGE_BODY_NS)) {
        return;
    }
    memory_charge making;
    memory_charge_begin(&making, MEMORY_making, NULL);
    if (memory_charge_set(&making, FORK_SHARE * served_world_memory_bytes(h), &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    session_bodies none = {0};
    const area *view = h->publisher.has_scene_view ? &h->publisher.scene_view : NULL;
    shared_bytes *image = world_image_encode(h->physics, &none, h->owners, NULL, view, h->paused,
                                             world_tick(h->physics));
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

// A session from before a restart may hold one that was taken then: it is sent every tick.
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
    h->publisher.taker = q->holder;
    if (!q->again && publisher_can_afford(&h->publisher, h->physics, view, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    publisher_subscribe(&h->publisher, h->physics, q->subscription, q->reply_to.session,
                        q->reply_to.subject, view);
    encode_subscribe_result(&h->scratch, q->subscription, h->number, world_tick(h->physics));
    served_world_answer(h, q, NULL);
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

// The answer takes back what the subscription sees now, for the session to know.
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

// ---- requests that the physics answers

// A paused world shows a change in the state of the tick at which it stands.
static void set_tick(command_result *r, uint64_t tick)
{
    r->tick = tick;
    for (uint32_t i = 0; r->method == METHOD_WORLD_APPLY && i < r->batch.count; i++) {
        r->batch.results[i].tick = tick;
    }
}

static void note_applied(served_world *h, const request *q)
{
    ASSERT(q->arguments != NULL || h->log.stored == NULL);
    world_log_note(&h->log, world_tick(h->physics) + (h->paused ? 0 : 1),
                   q->reply_to.session.number, method_wire_name(q->command.method), q->arguments,
                   q->arguments_size);
}

// About what a command's bodies, shapes and joints will take with their contacts.
enum { BODY_BYTES = 1024, SHAPE_BYTES = 512, JOINT_BYTES = 512 };

static uint64_t bytes_spawn(const command *c)
{
    return BODY_BYTES + (uint64_t)c->spawn.shape_count * SHAPE_BYTES;
}

static uint64_t bytes_shape_add(const command *c)
{
    (void)c;
    return SHAPE_BYTES;
}

static uint64_t bytes_joint_create(const command *c)
{
    (void)c;
    return JOINT_BYTES;
}

typedef uint64_t bytes_function(const command *c);
#define COUNT_BYTES(id, bytes) [METHOD_##id] = bytes_##bytes,
static bytes_function *const BYTES[METHOD_COUNT] = {METHOD_BYTES(COUNT_BYTES)};

static uint64_t bytes_added(const command *c)
{
    const bool batch = c->method == METHOD_WORLD_APPLY;
    const command *commands = batch ? c->apply.commands : c;
    const uint32_t count = batch ? c->apply.count : 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += BYTES[commands[i].method] != NULL ? BYTES[commands[i].method](&commands[i]) : 0;
    }
    return sum;
}

// Whether the world, its owner's share of it and memory have room for what the command makes.
static status admit_room(const served_world *h, const request *q, error *err)
{
    const capacity_limits room = limits_room(h->limits);
    status s = capacity_admit(h->physics, &room, &q->command, err);
    if (s == STATUS_OK) {
        s = share_admit(h->physics, &room, h->limits->owner_share, h->owners, &q->actor,
                        &q->command, err);
    }
    return s == STATUS_OK ? memory_ask(NULL, bytes_added(&q->command), err) : s;
}

// Whether the next step would take longer than one may here.
static bool beyond(const served_world *h, const crowding_cost *cost)
{
    return cost->step_ns + crowding_foreseen_ns(&h->crowding) > h->foreseen_most_ns;
}

// Whether the command may be carried out now, as far as its cost goes. False: it was answered, or
// waits for a thread apart.
static bool admit_cost(served_world *h, request *q, const int64_t *batch_left_ns)
{
    error err;
    crowding_cost *cost = &h->cost;
    // A batch may have millions of pairs: they are counted elsewhere.
    if (batch_left_ns == NULL && q->command.method == METHOD_WORLD_APPLY &&
        h->foreseen_most_ns < INT64_MAX) {
        *cost = crowding_foresee(&h->crowding, h->physics, &q->command,
                                 crowding_pairs_beyond(h->foreseen_most_ns));
        if (cost->step_ns > 0 && beyond(h, cost)) {
            wait_for_own_thread(h, q);
            return false;
        }
    }
    if (crowding_admit(&h->crowding, h->physics, &q->command, h->limits->pairs_per_world,
                       h->clocks.now(), cost, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    if (memory_ask(NULL, cost->pairs * PAIR_BYTES, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    if (owner_crowds_admit(&h->owner_crowds, h->physics, h->owners, &q->actor, cost->pairs,
                           h->limits->pairs_per_owner, h->clocks.now(), &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    h->price_ns = cost->price_ns;
    if (batch_left_ns != NULL && cost->step_ns > *batch_left_ns) {
        error_set(&err, STATUS_LIMIT_EXCEEDED,
                  "at: the batch makes %llu pairs of shapes, more than tick %llu has time for",
                  (unsigned long long)cost->pairs,
                  (unsigned long long)(world_tick(h->physics) + 1));
        served_world_answer(h, q, &err);
        return false;
    }
    if (batch_left_ns == NULL && cost->step_ns > 0 && beyond(h, cost)) {
        wait_for_own_thread(h, q);
        return false;
    }
    return true;
}

bool served_world_permits(const served_world *h, const request *q, error *err)
{
    return owners_permit(h->owners, h->physics, &q->actor, &q->command, err) == STATUS_OK;
}

void served_world_apply(served_world *h, request *q, bool between_ticks,
                        const int64_t *batch_left_ns)
{
    command_result result;
    error err;
    h->cost = (crowding_cost){0};
    if (h->replay != NULL && method_scope_of(q->command.method) == SCOPE_WORLD_COMMAND) {
        served_world_refuse(
            h, q, STATUS_UNAVAILABLE,
            "the world replays a recording; world.fork makes one that takes commands");
        return;
    }
    if (q->arguments_size > WORLD_LOG_ARGUMENTS_BYTES_MAX && h->log.stored != NULL) {
        served_world_refuse(h, q, STATUS_LIMIT_EXCEEDED,
                            "the command is too large for the world's log");
        return;
    }
    if (!served_world_permits(h, q, &err) || admit_room(h, q, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    if (!admit_cost(h, q, batch_left_ns)) {
        return;
    }
    publisher_note_change(&h->publisher, h->physics, &q->command);
    status s = apply_command_as(h->physics, h->owners, NULL, &q->command, &result, &err);
    if (s != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    if (method_scope_of(q->command.method) == SCOPE_WORLD_COMMAND) {
        h->publisher.stale = true;
        crowding_note(&h->crowding, &h->cost);
        owner_crowds_note(&h->owner_crowds, &q->actor, h->cost.pairs);
        note_applied(h, q);
        if (between_ticks) {
            set_tick(&result, world_tick(h->physics));
        }
        session_bodies_note(&h->session_bodies, q->reply_to.session.number, &q->command, &result);
        if (q->reply_to.answerable) {
            publisher_note_command(&h->publisher, q->reply_to.session, q->reply_to.id);
        }
        note_mark(h, q);
    }
    metrics_add(METRIC_commands_applied,
                result.method == METHOD_WORLD_APPLY ? result.batch.count : 1);
    encode_command_result(&h->scratch, &result);
    command_result_free(&result);
    served_world_answer(h, q, NULL);
}

// ---- the end of a session

// As many as the log and the turn have room for; a session may have had all bodies of the world.
// Whether none is left.
static bool remove_session_bodies(served_world *h, uint64_t session, const turn *t)
{
    uint32_t slot = 0;
    body_id id = 0;
    for (uint32_t i = 1; !world_log_full(&h->log) && (i % REMOVALS_PIECE != 0 || !turn_over(t));
         i++) {
        id = session_bodies_take(&h->session_bodies, session, &slot);
        if (id == 0) {
            return true;
        }
        command remove = {.method = METHOD_BODY_REMOVE, .body = id};
        command_result result;
        if (apply_command_as(h->physics, h->owners, NULL, &remove, &result, NULL) == STATUS_OK) {
            command_result_free(&result);
            world_log_note_removal(&h->log, world_tick(h->physics) + (h->paused ? 0 : 1), h->name,
                                   id);
            h->publisher.stale = true;
            metrics_add(METRIC_commands_applied, 1);
        } // else it was removed before
    }
    return false;
}

// Goes on with those that have more bodies than there was room for.
static void remove_ended_bodies(served_world *h)
{
    const turn t = turn_begin(h->clocks.now, REMOVALS_NS);
    while (h->ending.count > 0 &&
           remove_session_bodies(h, h->ending.data[h->ending.count - 1], &t)) {
        h->ending.count--;
    }
}

static void end_session(served_world *h, request *q)
{
    uint64_t session = q->reply_to.session.number;
    ASSERT(session != 0);
    request_free(q);
    for (uint32_t i = 0; i < h->gone.count; i++) {
        if (h->gone.data[i] == session) {
            array_swap_remove(&h->gone, i);
            break;
        }
    }
    served_world_refuse_batches(h, session);
    array_push(&h->ending, session);
    remove_ended_bodies(h);
}

// In its turn, so that none is left of those that the session asked for before.
static void forget_subscriptions(served_world *h, request *q)
{
    publisher_forget(&h->publisher, h->physics, q->reply_to.session);
    log_readers_forget(&h->readers, q->reply_to.session);
    request_free(q);
}

// ---- all requests

static void do_destroy(served_world *h, request *q)
{
    h->ended = true;
    served_world_answer_tick(h, q);
    world_log_destroy(&h->log);
}

static void do_create(served_world *h, request *q)
{
    answer_create(h, q, false);
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
    if (q->kind == REQUEST_SESSION_END) {
        end_session(h, q);
        return;
    }
    if (q->kind == REQUEST_FORGET) {
        forget_subscriptions(h, q);
        return;
    }
    error err;
    if (served_world_bars(h, q->command.method, &err)) {
        served_world_answer(h, q, &err);
        return;
    }
    if (SERVE[q->command.method] != NULL) {
        SERVE[q->command.method](h, q);
    } else {
        served_world_apply(h, q, h->paused, NULL);
    }
}

void served_world_serve_inbox(served_world *h, int64_t begin, int64_t turn_ns)
{
    int64_t before = begin;
    int64_t used = 0;
    bool stood = h->paused;
    if (h->stepping == NULL) {
        remove_ended_bodies(h);
    }
    inbox_begin(&h->inbox, turn_ns);
    // Requests behind a world.resume are for the tick that it lets come: a record of the log ends
    // at the state that stands, and has no place for commands of a later one.
    while (!h->ended && h->stepping == NULL && h->pausing == NULL && h->paused == stood &&
           !h->waits_for_own_thread && !world_log_full(&h->log) && !last_requests_full(&h->marks) &&
           used < turn_ns) {
        request *q = inbox_take(&h->inbox);
        if (q == NULL) {
            return;
        }
        h->price_ns = 0;
        carry_out(h, q);
        if (h->returned != NULL) {
            inbox_return(&h->inbox, h->returned);
            h->returned = NULL;
            h->price_ns = 0;
        }
        int64_t now = h->clocks.now();
        int64_t cost = now - before + h->price_ns;
        inbox_charge(&h->inbox, cost);
        used += cost;
        before = now;
    }
    metrics_add(METRIC_turns_over, h->inbox.count > 0 && used >= turn_ns ? 1 : 0);
}

void served_world_take_committed(served_world *h)
{
    if (world_log_wake(&h->log)) {
        char text[ERROR_TEXT_MAX];
        snprintf(text, sizeof text, "the world's log cannot be written: %.200s",
                 h->log.failure.text);
        publisher_close_all(&h->publisher, STATUS_UNAVAILABLE, text, h->log.out);
        log_readers_close_all(&h->readers, h->number, STATUS_UNAVAILABLE, text, h->log.out);
    }
}

void served_world_deliver(served_world *h, request *q)
{
    ASSERT(q->world == h->number && q->kind != REQUEST_ADOPT && q->kind != REQUEST_STOP);
    if (q->kind == REQUEST_COMMITTED) {
        request_free(q);
        atomic_store(&h->log.woken, false);
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
    } else if (q->command.method == METHOD_WORLD_LIST) {
        do_info(h, q); // a list of all worlds does not wait for each one's next tick
    } else {
        ASSERT(q->kind == REQUEST_COMMAND || q->kind == REQUEST_FORGET ||
               q->kind == REQUEST_SESSION_END);
        if (q->kind == REQUEST_SESSION_END) {
            array_push(&h->gone, q->reply_to.session.number);
        }
        inbox_push(&h->inbox, q);
    }
}
