// A served world from its beginning to its end, and its time: ticks, steps, pauses. Its requests
// are in served_requests.c. See served_world.h. The thread of its simulation thread.
#include "server/world/tick/served_world_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/physics/overlaps.h"
#include "proto/limits.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/world/log/world_image.h"

static const int64_t SECOND_NS = 1000000000;
static const int64_t SLICE_NS = 5000000;   // before others have their turn
static const double PUBLISH_SHARE = 0.25;  // of a tick
static const int64_t FULL_NS = 1000000;    // until a log that is full is looked at again
static const int64_t WARN_NS = 5000000000; // between two warnings about one world

static void open_log(served_world *h, const adoption *from, reply_sink sink)
{
    uint64_t tick = from->restored ? from->tick : world_tick(h->physics);
    uint64_t until = from->restored ? from->until : tick;
    world_log_init(&h->log, from->stored, from->durability, tick,
                   from->restored ? from->sequence : 1, until, !from->restored, sink);
    h->log.replay_ns = from->replay_ns;
    if (from->unlogged) {
        world_log_mend(&h->log);
    }
    h->sink = world_log_sink(&h->log);
}

// Readers of the log are told the recording's commands as any others. They see a world that runs
// (served_world_note_pause tells them nothing): a command that the recorded world took while it
// stood is put between a pause and its end, so that they apply it to the state as it stands, too.
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
    ASSERT(strlen(name) <= WORLD_NAME_BYTES_MAX);
    h->number = number;
    memcpy(h->name, name, strlen(name) + 1);
    h->limits = bounds;
    h->blocks = from->blocks;
    from->blocks = NULL;
    h->physics = physics;
    h->owners = owners_create();
    h->hz = world_definition(physics).hz;
    h->paused = from->paused;
    open_log(h, from, sink);
    h->clocks = clocks;
    int64_t now = clocks.now();
    tick_schedule_start(&h->schedule, h->hz, (int64_t)bounds->catch_up_ms * 1000000, now);
    h->window.start_ns = now;
    slowdown_start(&h->window.causes, now, clocks.processor());
    h->metrics = world_metrics_open(h->name);
    publisher_init(&h->publisher, bounds, h->name, number);
    h->publisher.descriptions.owners = h->owners;
    buffer_init(&h->scratch, WIRE_REPLY_BYTES_MAX);
    h->foreseen_most_ns = INT64_MAX;
    h->crowding = crowding_begin(physics);
    if (from->view != NULL) {
        h->publisher.has_scene_view = true;
        h->publisher.scene_view = *from->view;
    }
    if (from->session_bodies != NULL) {
        h->session_bodies = *from->session_bodies;
        *from->session_bodies = (session_bodies){0};
    }
    if (from->marks != NULL) {
        h->marks = *from->marks;
        *from->marks = (last_requests){0};
    }
    for (uint32_t i = 0; i < from->ended_count; i++) {
        array_push(&h->ending, from->ended[i]);
    }
    if (from->owners != NULL) {
        owners_free(h->owners);
        h->owners = h->publisher.descriptions.owners = from->owners;
        from->owners = NULL;
    }
    from->physics = NULL;
    h->replay = from->replay;
    from->replay = NULL;
    if (h->replay != NULL) {
        replay_on_applied(h->replay, note_replayed, h);
    }
    adoption_free(from);
    world_want_events(physics, 0);
    return h;
}

// ---- time

log_source served_world_log_source(const served_world *h)
{
    return (log_source){.world = h->name,
                        .epoch = h->number,
                        .physics = h->physics,
                        .log = &h->log,
                        .paused = h->paused && h->replay == NULL};
}

static bool owes(const served_world *h)
{
    log_source source = served_world_log_source(h);
    return publisher_owes(&h->publisher) || log_readers_owe(&h->readers, &source);
}

// Snapshots and notifications, of which some wait for the next time where a turn of `length_ns` is
// too short.
static void publish(served_world *h, bool all, int64_t length_ns)
{
    const turn t = turn_begin(h->clocks.now, length_ns);
    const log_source source = served_world_log_source(h);
    const bool told = log_readers_publish(&h->readers, &source, all, &t, h->sink);
    const bool shown = publisher_publish(&h->publisher, h->physics, all, &t, h->sink);
    h->window.cut = !told || !shown;
    if (h->publisher.due.count > 0) {
        metrics_time(TIMING_SNAPSHOT, turn_used_ns(&t));
    }
}

// A quarter of a tick, and all that is left of it where no other world waits for this one.
static int64_t publish_ns(const served_world *h)
{
    const int64_t fair = (int64_t)(PUBLISH_SHARE * h->schedule.period_ns);
    const int64_t left = tick_schedule_due_ns(&h->schedule) - h->clocks.now();
    return h->alone && left > fair ? left : fair;
}

static void count_tick(served_world *h, int64_t begin)
{
    int64_t now = h->clocks.now();
    served_world_window *w = &h->window;
    metrics_add(METRIC_ticks, 1);
    metrics_time(TIMING_STEP, now - begin);
    coarse_histogram_add(&h->metrics->step, now - begin);
    w->ticks++;
    w->busy_ns += now - begin;
    int64_t length = now - w->start_ns;
    if (length >= SECOND_NS) {
        w->step_ms = (double)w->busy_ns / (double)w->ticks * 1e-6;
        w->rate = (double)w->ticks / (double)length * 1e9;
        w->start_ns = now;
        w->busy_ns = 0;
        w->ticks = 0;
    }
}

// The physics was replaced.
static void begin_anew(served_world *h)
{
    if (h->runner.run != NULL) {
        world_set_runner(h->physics, h->runner);
    }
    publisher_begin_anew(&h->publisher, h->physics);
    log_readers_begin_anew(&h->readers);
}

static void end_replay(served_world *h)
{
    h->steps_left = 0;
    h->paused = true;
}

// One tick of the recording; at its end the world is paused.
static void replay_once(served_world *h)
{
    bool anew = false;
    if (h->replay_failure.status == STATUS_OK && world_tick(h->physics) < replay_last(h->replay) &&
        replay_step(h->replay, &h->physics, &anew, &h->replay_failure) != STATUS_OK) {
        log_error("world '%s': %s", h->name, h->replay_failure.text);
    }
    if (anew) {
        begin_anew(h);
    }
    if (h->replay_failure.status != STATUS_OK || world_tick(h->physics) >= replay_last(h->replay)) {
        end_replay(h);
    }
}

status served_world_seek(served_world *h, uint64_t tick, error *err)
{
    status s = replay_seek(h->replay, &h->physics, tick, err);
    if (s == STATUS_OK) {
        h->replay_failure.status = STATUS_OK;
        begin_anew(h);
    }
    return s;
}

static void note_debt(served_world *h, int64_t busy_ns)
{
    // One whose publishing is cut has no time to spare, whatever it took.
    const double fair = h->window.cut ? 0.0 : 0.5;
    int64_t debt = h->window.debt_ns + busy_ns - (int64_t)(fair * h->schedule.period_ns);
    h->window.debt_ns = debt > 0 ? debt : 0;
}

bool served_world_crowds(const served_world *h)
{
    return (h->waits_for_own_thread || h->window.debt_ns > served_world_fair_step_ns(h)) &&
           !h->ended;
}

int64_t served_world_fair_step_ns(const served_world *h)
{
    return (int64_t)(0.5 * h->schedule.period_ns);
}

void served_world_bound_step(served_world *h, int64_t most_ns)
{
    h->foreseen_most_ns = most_ns;
    h->waits_for_own_thread = false;
}

// Whether the next step has to wait until others do not have to wait for it.
static bool waits_for_own_thread(served_world *h)
{
    int64_t foreseen = crowding_foreseen_ns(&h->crowding) + served_world_batches_ns(h);
    foreseen = foreseen > h->stepped_ns ? foreseen : h->stepped_ns;
    h->waits_for_own_thread = h->waits_for_own_thread || foreseen > h->foreseen_most_ns;
    return h->waits_for_own_thread;
}

static void note_full(served_world *h, int64_t now)
{
    served_world_window *w = &h->window;
    if (!world_contacts_full(h->physics)) {
        return;
    }
    metrics_add(METRIC_contacts_full, 1);
    if (w->full_ns == 0 || now - w->full_ns >= WARN_NS) {
        log_warn("world '%s' has %u pairs of shapes that overlap, and no room for more: others "
                 "pass through each other",
                 h->name, world_pair_count(h->physics));
        w->full_ns = now;
    }
}

// The time that the step that comes may take, as far as that is known.
static int64_t expected_ns(const served_world *h)
{
    const int64_t foreseen = crowding_foreseen_ns(&h->crowding);
    return foreseen > h->lasted_ns ? foreseen : h->lasted_ns;
}

static void step_once(served_world *h, int64_t begin)
{
    served_world_expect(h, expected_ns(h));
    if (h->replay != NULL) {
        replay_once(h);
    } else {
        world_step(h->physics);
    }
    note_full(h, begin);
    crowding_note_step(&h->crowding);
    publisher_note_step(&h->publisher, h->physics);
    count_tick(h, begin);
}

static void warn_slowed(served_world *h, int64_t now)
{
    served_world_window *w = &h->window;
    if (w->warned_ns != 0 && now - w->warned_ns < WARN_NS) {
        return;
    }
    char cause[SLOWDOWN_TEXT_MAX];
    log_warn("%s; its time was slowed by %lld ms since it was last said",
             slowdown_tell(&w->causes, h->name, h->schedule.period_ns, cause),
             (long long)((h->schedule.skipped_ns - w->warned_skipped_ns) / 1000000));
    w->warned_ns = now;
    w->warned_skipped_ns = h->schedule.skipped_ns;
}

int64_t served_world_commands_ns(const served_world *h)
{
    return (int64_t)(h->schedule.period_ns * (double)h->limits->commands_share * 0.01);
}

// A restart will take as much processor time for the tick (the time that others have the processors
// does not count), or the time from begin to end where several threads step together.
static void note_replay(served_world *h, int64_t begin, int64_t processor_begin)
{
    const bool shared = h->runner.run != NULL && h->runner.threads > 1;
    h->log.replay_ns += shared ? h->clocks.now() - begin : h->clocks.processor() - processor_begin;
}

static void tick(served_world *h, int64_t now)
{
    const int64_t processor = h->clocks.processor();
    metrics_time(TIMING_DELAY, tick_schedule_lag_ns(&h->schedule, now));
    coarse_histogram_add(&h->metrics->lateness, tick_schedule_lag_ns(&h->schedule, now));
    slowdown_begin_tick(&h->window.causes, tick_schedule_due_ns(&h->schedule),
                        (double)tick_schedule_lag_ns(&h->schedule, now) < h->schedule.period_ns,
                        now, processor);
    uint64_t late = h->schedule.late;
    int64_t skipped = tick_schedule_tick(&h->schedule, now);
    metrics_add(METRIC_ticks_late, h->schedule.late - late);
    if (skipped > 0) {
        metrics_add(METRIC_skipped_us, (uint64_t)skipped / 1000);
        warn_slowed(h, now);
    }
    served_world_serve_scheduled(h);
    served_world_serve_inbox(h, h->clocks.now(), served_world_commands_ns(h));
    if (h->ended) {
        return;
    }
    step_once(h, now);
    note_replay(h, now, processor);
    request *pausing = h->pausing;
    if (pausing != NULL) {
        h->pausing = NULL;
        h->paused = true;
        served_world_note_pause(h, pausing);
        served_world_answer_done(h, pausing);
    }
    publish(h, h->paused, publish_ns(h));
    served_world_settle(h);
    h->lasted_ns = h->clocks.now() - now;
    const bool shared = h->runner.run != NULL && h->runner.threads > 1;
    note_debt(h,
              slowdown_end_tick(&h->window.causes, shared, h->clocks.now(), h->clocks.processor()));
}

static void run_ticks(served_world *h)
{
    const int64_t begin = h->clocks.now();
    const double most = fmin(h->schedule.period_ns, (double)SLICE_NS);
    int64_t now = begin;
    while (!h->paused && !h->ended && now >= tick_schedule_due_ns(&h->schedule) &&
           (double)(now - begin) < most && !waits_for_own_thread(h)) {
        tick(h, now);
        now = h->clocks.now();
    }
}

bool served_world_session_gone(const served_world *h, uint64_t session)
{
    bool gone = false;
    for (uint32_t i = 0; i < h->gone.count && !gone; i++) {
        gone = h->gone.data[i] == session;
    }
    return gone;
}

static void end_steps(served_world *h)
{
    request *q = h->stepping;
    error err;
    h->stepping = NULL;
    if (world_log_takes(&h->log, &err) == STATUS_OK) {
        served_world_answer_done(h, q);
    } else { // failed meanwhile: a restart would not come to that tick
        served_world_refuse(h, q, err.status, err.text);
    }
}

bool served_world_steps(const served_world *h)
{
    return h->stepping != NULL && !world_log_full(&h->log);
}

void served_world_step(served_world *h, const turn *slice)
{
    bool over = false;
    if (served_world_session_gone(h, h->stepping->reply_to.session.number)) {
        h->steps_left = 0;
    }
    while (h->steps_left > 0 && !over && !world_log_full(&h->log) && !waits_for_own_thread(h)) {
        const int64_t before = h->clocks.processor();
        const int64_t begin = h->clocks.now();
        served_world_serve_scheduled(h);
        step_once(h, h->clocks.now());
        h->stepped_ns = h->clocks.processor() - before;
        note_replay(h, begin, before);
        publish(h, false, (int64_t)(PUBLISH_SHARE * h->schedule.period_ns));
        h->lasted_ns = h->clocks.now() - begin;
        h->steps_left -= h->steps_left > 0; // a recording may end before
        over = turn_over(slice);
    }
    if (h->steps_left == 0) {
        h->stepped_ns = 0;
        end_steps(h);
    }
    served_world_settle(h);
}

static int64_t paused_publish_ns(const served_world *h)
{
    return h->published_ns + (int64_t)h->schedule.period_ns;
}

static void run_paused(served_world *h)
{
    int64_t begin = h->clocks.now();
    int64_t until = begin + SLICE_NS;
    do {
        served_world_serve_inbox(h, begin, SLICE_NS);
    } while (h->inbox.count > 0 && h->stepping == NULL && h->paused && !h->ended &&
             !h->waits_for_own_thread && !world_log_full(&h->log) && h->clocks.now() < until);
    if (!h->paused || h->ended || h->stepping != NULL) {
        return;
    }
    int64_t now = h->clocks.now();
    if (owes(h) && now >= paused_publish_ns(h)) {
        publish(h, true, (int64_t)(PUBLISH_SHARE * h->schedule.period_ns));
        h->published_ns = now;
    }
}

uint64_t served_world_memory_bytes(const served_world *h)
{
    const int64_t bytes =
        h->blocks != NULL ? atomic_load_explicit(&h->blocks->bytes, memory_order_relaxed) : 0;
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static void note_counts(served_world *h)
{
    world_metrics *m = h->metrics;
    uint32_t bodies = world_definition(h->physics).bodies_max - world_room_left(h->physics).bodies;
    uint32_t subscribers = h->publisher.subscriptions.list.count + h->readers.list.count;
    atomic_store_explicit(&m->bodies, bodies, memory_order_relaxed);
    atomic_store_explicit(&m->subscribers, subscribers, memory_order_relaxed);
    atomic_store_explicit(&m->memory_bytes, served_world_memory_bytes(h), memory_order_relaxed);
}

static world_log_image parts_of(served_world *h)
{
    return (world_log_image){
        .physics = h->physics,
        .bodies = &h->session_bodies,
        .owners = h->owners,
        .marks = &h->marks,
        .view = h->publisher.has_scene_view ? &h->publisher.scene_view : NULL,
        .paused = h->paused,
    };
}

void served_world_settle(served_world *h)
{
    if (h->ended) {
        world_metrics_close(h->metrics);
        h->metrics = NULL;
        return; // its end is its log's last record
    }
    note_counts(h);
    world_log_image image = parts_of(h);
    world_log_settle(&h->log, &image, h->hz, h->clocks.now());
    if (world_log_awaits_image(&h->log)) {
        served_world_take_committed(
            h); // the storage may have refused the image, and then sends no word
    }
    world_log_trim(&h->log, log_readers_oldest(&h->readers));
}

void served_world_run(served_world *h)
{
    if (!h->paused && !h->ended) {
        run_ticks(h);
    }
    if (h->paused && !h->ended && h->stepping == NULL) {
        run_paused(h);
    }
    served_world_settle(h); // what was answered between two ticks
}

bool served_world_settled(const served_world *h)
{
    return !world_log_holds(&h->log);
}

bool served_world_flush(served_world *h)
{
    served_world_settle(h);
    if (!h->ended) {
        world_log_image image = parts_of(h);
        world_log_rest(&h->log, &image, h->hz);
    }
    served_world_take_committed(h);
    return world_log_holds(&h->log);
}

static int64_t paused_next_ns(const served_world *h)
{
    if (world_log_full(&h->log)) {
        return h->clocks.now() + FULL_NS;
    }
    if (h->stepping != NULL) {
        return QUEUE_FOREVER;
    }
    if (h->inbox.count > 0 || h->ending.count > 0) {
        return 0;
    }
    if (world_log_state_of(&h->log) != WORLD_LOG_GOOD) {
        return h->log.retry_ns;
    }
    return owes(h) ? paused_publish_ns(h) : QUEUE_FOREVER;
}

int64_t served_world_next_ns(const served_world *h)
{
    if (h->ended) {
        return QUEUE_FOREVER; // the storage wakes it
    }
    return h->paused ? paused_next_ns(h) : tick_schedule_due_ns(&h->schedule);
}

void served_world_move(served_world *h, reply_sink sink)
{
    world_log_redirect(&h->log, sink);
    h->sink = world_log_sink(&h->log);
    h->window.debt_ns = 0;
    h->waits_for_own_thread = false;
    h->load_ns = 0;
    h->parked_ns = 0;
    atomic_exchange(&h->log.woken, false); // word may have gone to the thread before
    served_world_take_committed(h);
}

// ---- the end

shared_bytes *served_world_image(const served_world *h)
{
    const area *view = h->publisher.has_scene_view ? &h->publisher.scene_view : NULL;
    return world_image_encode(h->physics, &h->session_bodies, h->owners, &h->marks, view, h->paused,
                              world_tick(h->physics));
}

world_end served_world_end(const served_world *h)
{
    uint64_t tick = world_tick(h->physics);
    bool logged = h->log.stored != NULL;
    if (h->replay != NULL || (h->ended && !logged)) {
        return (world_end){.kind = WORLD_END_NOTHING};
    }
    if (h->ended || (logged && !world_log_settled(&h->log, tick))) {
        return (world_end){.kind = WORLD_END_UNSETTLED};
    }
    return (world_end){.kind = logged ? WORLD_END_LOGGED : WORLD_END_BARE,
                       .sequence = logged ? h->log.sequence : 0,
                       .tick = tick,
                       .hash = world_hash(h->physics)};
}

void served_world_destroy(served_world *h, status why, const char *text)
{
    ASSERT(h->pausing == NULL); // it lasts no longer than a tick
    block_account *blocks = h->blocks;
    block_account *before = block_charge(blocks);
    h->sink = h->log.out; // what follows tells no state
    world_log_deinit(&h->log);
    if (h->stepping != NULL) {
        served_world_refuse(h, h->stepping, why, text);
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
    log_readers_deinit(&h->readers);
    array_free(&h->scheduled);
    array_free(&h->ending);
    array_free(&h->gone);
    inbox_deinit(&h->inbox);
    owner_crowds_deinit(&h->owner_crowds);
    session_bodies_deinit(&h->session_bodies);
    last_requests_deinit(&h->marks);
    buffer_deinit(&h->scratch);
    bytes_unref(h->figures);
    world_metrics_close(h->metrics);
    world_free(h->physics);
    replay_free(h->replay);
    owners_free(h->owners);
    free(h);
    block_charge(before);
    memory_world_end(blocks);
}
