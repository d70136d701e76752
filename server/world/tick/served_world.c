// The life of a served world: how it begins, moves to another thread, hands its state to the log,
// and ends. Its time is in served_ticks.c, its requests in served_requests.c. See served_world.h.
// Simulation thread only.
#include "server/world/tick/served_world_internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/seats.h"
#include "proto/limits.h"
#include "server/base/memory.h"
#include "server/world/log/world_image.h"

void served_world_change(served_world *h, served_world_state next)
{
    enum {
        RUNNING = 1 << SERVED_WORLD_RUNNING,
        PAUSING = 1 << SERVED_WORLD_PAUSING,
        PAUSED = 1 << SERVED_WORLD_PAUSED,
        STEPPING = 1 << SERVED_WORLD_STEPPING
    };
    static const uint8_t FROM[] = {[SERVED_WORLD_RUNNING] = PAUSED,
                                   [SERVED_WORLD_PAUSING] = RUNNING,
                                   [SERVED_WORLD_PAUSED] = RUNNING | PAUSING | STEPPING,
                                   [SERVED_WORLD_STEPPING] = PAUSED,
                                   [SERVED_WORLD_ENDED] = RUNNING | PAUSED};
    ASSERT((FROM[next] >> h->state & 1) != 0);
    ASSERT((h->pending != NULL) == (next == SERVED_WORLD_PAUSING || next == SERVED_WORLD_STEPPING));
    h->state = next;
}

static void open_log(served_world *h, adoption *from, reply_sink sink)
{
    uint64_t tick = from->restored ? from->tick : world_tick(h->physics);
    uint64_t until = from->restored ? from->until : tick;
    world_log_init(&h->log, from->stored, from->durability, tick,
                   from->restored ? from->sequence : 1, until, !from->restored, sink);
    if (from->feed != NULL) {
        world_log_replicate(&h->log, from->feed);
        from->feed = NULL;
    }
    world_log_add_replay(&h->log, from->replay_ns);
    if (from->unlogged) {
        world_log_mend(&h->log);
    }
    h->sink = world_log_sink(&h->log);
}

// Readers of the log are sent the recording's commands like any others. To them the world runs
// (served_world_note_pause sends them nothing). A command that the recorded world received while
// paused is put between a pause and its end, so that they too apply it to the paused state.
static void note_replayed(void *context, const log_command *row, const command *c,
                          const command_result *result)
{
    served_world *h = context;
    world_log *log = &h->log;
    bool stood = replay_stands(h->replay);
    char name[WIRE_METHOD_BYTES_MAX + 1];
    (void)result;
    memcpy(name, row->method, row->method_size);
    name[row->method_size] = '\0';
    publisher_note_change(&h->publisher, h->physics, c);
    publisher_note_data(&h->publisher, c);
    publisher_note_messages(&h->publisher, c, row->session, row->tick);
    history_note_command(&h->history, row->tick, stood, c->method, row->arguments,
                         row->arguments_size);
    if (stood) {
        world_log_note(log, row->tick, 0, "world.pause", NULL, 0);
    }
    world_log_note(log, row->tick, row->session, name, row->arguments, row->arguments_size);
    if (stood) {
        world_log_note(log, row->tick, 0, "world.resume", NULL, 0);
    }
}

served_world *served_world_create(uint64_t number, const char *name, adoption *from,
                                  const limits *bounds, reply_sink sink, served_world_clocks clocks)
{
    served_world *h = calloc(1, sizeof *h);
    physics_world *physics = from->physics;
    ASSERT_MEMORY(h != NULL);
    ASSERT(number != 0 && physics != NULL);
    ASSERT(strlen(name) <= WORLD_NAME_BYTES_MAX);
    h->number = number;
    memcpy(h->name, name, strlen(name) + 1);
    h->limits = bounds;
    h->blocks = from->blocks;
    from->blocks = NULL;
    h->physics = physics;
    h->owners = owners_create();
    h->hz = world_definition(physics).hz;
    h->state = from->paused ? SERVED_WORLD_PAUSED : SERVED_WORLD_RUNNING;
    open_log(h, from, sink);
    h->clocks = clocks;
    int64_t now = clocks.now();
    tick_schedule_start(&h->schedule, h->hz, (int64_t)bounds->catch_up_ms * 1000000,
                        from->at_once ? now - (int64_t)(1e9 / h->hz) : now);
    h->tick_begin_ns = now;
    h->window.start_ns = now;
    slowdown_start(&h->window.causes, now, clocks.processor());
    h->place.metrics = world_metrics_open(h->name);
    publisher_init(&h->publisher, bounds, h->name, number);
    publisher_show_margins(&h->publisher, &h->margins);
    publisher_measure_by(&h->publisher, clocks.processor);
    buffer_init(&h->scratch, WIRE_REPLY_BYTES_MAX);
    h->costs.step_most_ns = INT64_MAX;
    h->crowding = crowding_begin(physics);
    publisher_show_scene(&h->publisher, from->view);
    if (from->session_bodies != NULL) {
        h->session_bodies = *from->session_bodies;
        *from->session_bodies = (session_bodies){0};
    }
    if (from->marks != NULL) {
        h->last_requests = *from->marks;
        *from->marks = (last_requests){0};
    }
    for (uint32_t i = 0; i < from->ended_count; i++) {
        array_push(&h->sessions.ending, from->ended[i]);
    }
    if (from->owners != NULL) {
        owners_free(h->owners);
        h->owners = from->owners;
        from->owners = NULL;
    }
    publisher_show_owners(&h->publisher, h->owners);
    history_init(&h->history, bounds, h->hz, h->blocks);
    history_begin(&h->history, physics, h->owners);
    from->physics = NULL;
    h->mirror = from->mirror;
    from->mirror = NULL;
    h->replay = from->replay;
    from->replay = NULL;
    if (h->replay != NULL) {
        replay_on_applied(h->replay, note_replayed, h);
    }
    adoption_free(from);
    world_want_events(physics, 0);
    if (h->mirror != NULL) {
        served_world_begin_mirror(h);
    }
    return h;
}

// ---- the world as others see it

log_source served_world_log_source(const served_world *h)
{
    return (log_source){.world = h->name,
                        .epoch = h->number,
                        .physics = h->physics,
                        .log = &h->log,
                        .paused = served_world_shows_paused(h) && h->replay == NULL};
}

uint64_t served_world_memory_bytes(const served_world *h)
{
    const int64_t bytes =
        h->blocks != NULL ? atomic_load_explicit(&h->blocks->bytes, memory_order_relaxed) : 0;
    return bytes > 0 ? (uint64_t)bytes : 0;
}

uint32_t served_world_reader_count(const served_world *h)
{
    return publisher_reader_count(&h->publisher) + h->readers.list.count;
}

static void note_counts(served_world *h)
{
    world_metrics *m = h->place.metrics;
    uint32_t bodies = world_definition(h->physics).bodies_max - world_room_left(h->physics).bodies;
    uint32_t subscribers = served_world_reader_count(h);
    atomic_store_explicit(&m->bodies, bodies, memory_order_relaxed);
    atomic_store_explicit(&m->subscribers, subscribers, memory_order_relaxed);
    if (h->mirror != NULL) {
        atomic_store_explicit(&h->mirror->link->readers, subscribers, memory_order_relaxed);
    }
    atomic_store_explicit(&m->memory_bytes, served_world_memory_bytes(h), memory_order_relaxed);
    uint32_t seats = 0;
    uint32_t taken = 0;
    seats_count(h->physics, &taken, &seats);
    atomic_store_explicit(&m->seats, seats, memory_order_relaxed);
    atomic_store_explicit(&m->seats_taken, taken, memory_order_relaxed);
    atomic_store_explicit(&m->data_bytes, world_data_count(h->physics).bytes, memory_order_relaxed);
}

static world_log_image parts_of(served_world *h)
{
    return (world_log_image){
        .physics = h->physics,
        .bodies = &h->session_bodies,
        .owners = h->owners,
        .marks = &h->last_requests,
        .view = publisher_scene_view(&h->publisher),
        .paused = served_world_is_paused(h),
    };
}

static void stand(served_world *h, const world_log_image *image)
{
    const bool whole = world_log_stand(&h->log, image, h->hz);
    const bool mended_here = !world_log_parts(&h->log);
    if (mended_here && (world_log_is_broken(&h->log) || world_log_awaits_image(&h->log))) {
        world_log_settle(&h->log, image, h->hz, h->clocks.now());
    } else if (whole && !h->halted) {
        h->halted = true;
        reply *r = reply_create(REPLY_HALTED, h->number);
        r->end.tick = world_tick(h->physics);
        r->end.sequence = world_log_fed(&h->log);
        r->subscription = h->halting;
        const reply_sink open = world_log_open_sink(&h->log);
        open.post(open.context, r);
    }
}

// Tells the server whether the world should go to its standby, when that changes.
static void note_leaving(served_world *h)
{
    const bool leaves = world_log_should_leave(&h->log);
    if (leaves != h->leaving) {
        h->leaving = leaves;
        reply *r = reply_create(leaves ? REPLY_LEAVING : REPLY_STAYING, h->number);
        r->text = strdup(world_log_failure_text(&h->log));
        ASSERT_MEMORY(r->text != NULL);
        const reply_sink open = world_log_open_sink(&h->log);
        open.post(open.context, r);
    }
}

void served_world_settle(served_world *h)
{
    if (served_world_has_ended(h)) {
        world_metrics_close(h->place.metrics);
        h->place.metrics = NULL;
        return; // its end is its log's last record
    }
    note_counts(h);
    world_log_image image = parts_of(h);
    if (served_world_stands(h)) {
        stand(h, &image);
    } else {
        world_log_settle(&h->log, &image, h->hz, h->clocks.now());
    }
    if (world_log_awaits_image(&h->log)) {
        served_world_take_committed(
            h); // the storage may have refused the image, and then sends no word
    }
    note_leaving(h);
    world_log_trim(&h->log, log_readers_oldest(&h->readers));
}

bool served_world_settled(const served_world *h)
{
    return !world_log_holds(&h->log);
}

bool served_world_flush(served_world *h)
{
    ASSERT(h->state != SERVED_WORLD_PAUSING);
    served_world_settle(h);
    if (!served_world_has_ended(h)) {
        world_log_image image = parts_of(h);
        world_log_rest(&h->log, &image, h->hz);
    }
    served_world_take_committed(h);
    return world_log_holds(&h->log) || world_log_awaits_image(&h->log);
}

void served_world_move(served_world *h, reply_sink sink)
{
    ASSERT(!served_world_has_ended(h) && h->state != SERVED_WORLD_PAUSING);
    world_log_redirect(&h->log, sink);
    h->sink = world_log_sink(&h->log);
    h->window.debt_ns = 0;
    h->costs.step_blocked = false;
    h->place.load_ns = 0;
    h->place.parked_until_ns = 0;
    world_log_accept_notification(&h->log); // the notification may have gone to the earlier thread
    served_world_take_committed(h);
}

// ---- a move to another server

void served_world_lead_away(served_world *h, world_feed *feed, void (*on_allowed)(void *),
                            void *context)
{
    world_log_lead_away(&h->log, feed, on_allowed, context);
}

void served_world_halt(served_world *h, uint64_t number)
{
    ASSERT(number != 0);
    if (h->replay == NULL && h->halting == 0) {
        served_world_settle(h); // replies so far, and the ticks that they show
        h->place.parked_until_ns = 0;
        h->halt_due = number;
        if (h->state != SERVED_WORLD_RUNNING) {
            served_world_halt_if_due(h);
        }
    }
}

void served_world_halt_if_due(served_world *h)
{
    if (h->halt_due != 0) {
        h->halting = h->halt_due;
        h->halt_due = 0;
        h->halted = false;
    }
}

void served_world_go_on(served_world *h)
{
    h->halt_due = 0;
    if (h->halting == 0) {
        return;
    }
    h->halting = 0;
    h->halted = false;
    world_log_go_on(&h->log);
    if (h->state == SERVED_WORLD_RUNNING) {
        served_world_begin_time(h, h->clocks.now());
    }
}

// ---- the end

shared_bytes *served_world_image(const served_world *h)
{
    return world_image_encode(h->physics, &h->session_bodies, h->owners, &h->last_requests,
                              publisher_scene_view(&h->publisher), served_world_is_paused(h),
                              world_tick(h->physics));
}

world_end served_world_end(const served_world *h)
{
    uint64_t tick = world_tick(h->physics);
    const bool logged = world_log_is_stored(&h->log);
    const bool ended = served_world_has_ended(h);
    if (h->replay != NULL || h->mirror != NULL || (ended && !logged)) {
        return (world_end){.kind = WORLD_END_NOTHING};
    }
    if (ended || (logged && !world_log_settled(&h->log, tick))) {
        return (world_end){.kind = WORLD_END_UNSETTLED};
    }
    return (world_end){.kind = logged ? WORLD_END_LOGGED : WORLD_END_BARE,
                       .sequence = logged ? h->log.sequence : 0,
                       .tick = tick,
                       .hash = world_hash(h->physics)};
}

void served_world_destroy(served_world *h, status why, const char *text)
{
    ASSERT(h->state != SERVED_WORLD_PAUSING); // SERVED_WORLD_PAUSING lasts no longer than a tick
    ASSERT(h->costs.returned == NULL);
    block_account *blocks = h->blocks;
    block_account *before = block_charge(blocks);
    h->sink = world_log_open_sink(&h->log); // refusals show no state
    world_log_deinit(&h->log);
    if (h->pending != NULL) {
        served_world_refuse(h, h->pending, why, text);
    }
    for (request *q; (q = inbox_take(&h->inbox)) != NULL; inbox_charge(&h->inbox, 0)) {
        if (q->kind == REQUEST_COMMAND) {
            served_world_refuse(h, q, why, text);
        } else {
            request_free(q);
        }
    }
    for (uint32_t i = 0; i < h->scheduled.count; i++) {
        served_world_refuse(h, h->scheduled.data[i], why, text);
    }
    publisher_close_all(&h->publisher, why, text, h->sink);
    log_readers_close_all(&h->readers, h->number, why, text, h->sink);
    publisher_deinit(&h->publisher);
    history_deinit(&h->history);
    log_readers_deinit(&h->readers);
    array_free(&h->scheduled);
    array_free(&h->sessions.ending);
    array_free(&h->sessions.gone);
    inbox_deinit(&h->inbox);
    owner_crowds_deinit(&h->owner_crowds);
    player_pushes_deinit(&h->players.pushes);
    message_quota_deinit(&h->messages);
    session_bodies_deinit(&h->session_bodies);
    last_requests_deinit(&h->last_requests);
    margins_deinit(&h->margins);
    buffer_deinit(&h->scratch);
    bytes_unref(h->figures);
    world_metrics_close(h->place.metrics);
    world_free(h->physics);
    replay_free(h->replay);
    mirror_free(h->mirror);
    owners_free(h->owners);
    free(h);
    block_charge(before);
    memory_world_end(blocks);
}
