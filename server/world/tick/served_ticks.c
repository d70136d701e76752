// The time of a served world: its ticks, world.step of a paused one, recordings, and when it wants
// to run again. See served_world.h. The thread of its simulation thread.
#include "server/world/tick/served_world_internal.h"

#include <math.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/physics/overlaps.h"
#include "server/base/metrics.h"

static const int64_t SECOND_NS = 1000000000;
static const int64_t SLICE_NS = 5000000;   // one turn of this world beside others
static const double PUBLISH_SHARE = 0.25;  // share of a tick
static const int64_t FAIR_NS = 8333333;    // half a tick of 60 Hz
static const int64_t FULL_NS = 1000000;    // time until a full log is checked again
static const int64_t STAND_NS = 1000000;   // pause until a halting world tries its log again
static const int64_t WARN_NS = 5000000000; // time between two warnings about one world

bool served_world_owes(const served_world *h)
{
    log_source source = served_world_log_source(h);
    return publisher_owes(&h->publisher) || log_readers_owe(&h->readers, &source);
}

// Sends snapshots and notifications; some wait for the next time if a turn of `length_ns` is too
// short.
static void publish(served_world *h, bool all, int64_t length_ns)
{
    const turn t = turn_begin(h->clocks.now, length_ns);
    margins_begin_publishing(&h->margins);
    log_source source = served_world_log_source(h);
    source.margins = &h->margins;
    const bool logs_sent = log_readers_publish(&h->readers, &source, all, &t, h->sink);
    const bool snapshots_sent = publisher_publish(&h->publisher, h->physics, all, &t, h->sink);
    h->window.publishing_cut = !logs_sent || !snapshots_sent;
    if (publisher_was_busy(&h->publisher)) {
        metrics_time(TIMING_SNAPSHOT, turn_used_ns(&t));
    }
}

int64_t served_world_fair_ns(double period_ns)
{
    ASSERT(period_ns > 0.0);
    return (int64_t)fmin(0.5 * period_ns, (double)FAIR_NS);
}

// The part of `ns` that the other worlds of the thread can wait for.
static int64_t beside_others(const served_world *h, int64_t ns, int64_t most_ns)
{
    return h->place.thread_shared && ns > most_ns ? most_ns : ns;
}

static int64_t fair_publish_ns(const served_world *h)
{
    return beside_others(h, (int64_t)(PUBLISH_SHARE * h->schedule.period_ns), FAIR_NS / 2);
}

// A quarter of a tick, or all the rest of it if no other world waits for this one.
static int64_t publish_ns(const served_world *h)
{
    const int64_t fair = fair_publish_ns(h);
    const int64_t left = tick_schedule_due_ns(&h->schedule) - h->clocks.now();
    return h->place.thread_alone && left > fair ? left : fair;
}

void served_world_publish(served_world *h, bool all)
{
    publish(h, all, fair_publish_ns(h));
}

static void begin_window(served_world_window *w, int64_t now)
{
    w->start_ns = now;
    w->busy_ns = 0;
    w->ticks = 0;
    w->rate = 0.0;
}

static void count_tick(served_world *h, int64_t begin)
{
    int64_t now = h->clocks.now();
    ASSERT(now >= begin);
    served_world_window *w = &h->window;
    const bool paused = served_world_shows_paused(h);
    if (paused != w->paused || (paused && begin - w->last_ns > SERVED_WORLD_STILL_NS)) {
        w->paused = paused;
        begin_window(w, begin);
    }
    w->last_ns = now;
    metrics_add(METRIC_ticks, 1);
    metrics_time(TIMING_STEP, now - begin);
    coarse_histogram_add(&h->place.metrics->step, now - begin);
    w->ticks++;
    w->busy_ns += now - begin;
    h->costs.counted_ns = now - begin;
    int64_t length = now - w->start_ns;
    if (length >= SECOND_NS) {
        w->step_ms = (double)w->busy_ns / (double)w->ticks * 1e-6;
        w->rate = (double)w->ticks / (double)length * 1e9;
        w->start_ns = now;
        w->busy_ns = 0;
        w->ticks = 0;
    }
}

void served_world_begin_anew(served_world *h)
{
    if (h->runner.run != NULL) {
        world_set_runner(h->physics, h->runner);
    }
    history_forget(&h->history);
    history_begin(&h->history, h->physics, h->owners);
    publisher_begin_anew(&h->publisher, h->physics);
    log_readers_begin_anew(&h->readers);
}

static void end_replay(served_world *h)
{
    h->steps_left = 0;
    if (h->state == SERVED_WORLD_RUNNING) { // otherwise it pauses after this tick, or steps
        served_world_change(h, SERVED_WORLD_PAUSED);
    }
}

// The tick in which a pause came is not held: its client waits, and no thread takes a world then.
static bool admits(void *context, const log_command *row, const command *c)
{
    served_world *h = context;
    return h->state == SERVED_WORLD_PAUSING || served_world_admits_played(h, row, c);
}

static bool may_step(void *context)
{
    served_world *h = context;
    return h->state == SERVED_WORLD_PAUSING || !served_world_step_waits(h);
}

// Plays one tick of the recording; at its end the world is paused. False: a command of the tick, or
// its step, waits for a thread of the world's own.
static bool replay_once(served_world *h)
{
    ASSERT(h->replay != NULL);
    bool anew = false;
    replay_on_admits(h->replay, admits, may_step);
    if (h->replay_failure.status == STATUS_OK && world_tick(h->physics) < replay_last(h->replay) &&
        replay_step(h->replay, &h->physics, &anew, &h->replay_failure) != STATUS_OK) {
        log_error("world '%s': %s", h->name, h->replay_failure.text);
    }
    if (anew) {
        served_world_begin_anew(h);
    }
    if (h->replay_failure.status == STATUS_OK && replay_is_held(h->replay)) {
        return false;
    }
    if (h->replay_failure.status != STATUS_OK || world_tick(h->physics) >= replay_last(h->replay)) {
        end_replay(h);
    }
    return true;
}

// A step is expected to take as long as the last ones, or 1 ns for each byte of the image: a body
// has some 200, and takes 0.2 us. 0: the recording does not have the tick.
int64_t served_world_seek_ns(const served_world *h, uint64_t tick)
{
    if (tick < replay_first(h->replay) || tick > replay_last(h->replay)) {
        return 0;
    }
    const replay_way way = replay_way_to(h->replay, tick);
    const double last = fmax(h->window.step_ms * 1e6, (double)h->costs.stepped_ns);
    const double step = fmax(last, (double)way.image_bytes);
    const double ns = (double)way.image_bytes * (double)PLAYED_IMAGE_BYTE_NS +
                      (double)way.bytes * (double)PLAYED_BYTE_NS + (double)way.ticks * step;
    return ns < 1e18 ? (int64_t)ns : (int64_t)1e18;
}

status served_world_seek(served_world *h, uint64_t tick, error *err)
{
    ASSERT(h->replay != NULL);
    status s = replay_seek(h->replay, &h->physics, tick, err);
    if (s == STATUS_OK) {
        h->replay_failure.status = STATUS_OK;
        served_world_begin_anew(h);
    }
    return s;
}

void served_world_note_debt(served_world *h, int64_t busy_ns)
{
    // A world whose work was stopped early has no spare time, even if its tick was short.
    const bool cut = h->window.publishing_cut || h->window.commands_cut;
    const int64_t fair = cut ? 0 : served_world_fair_ns(h->schedule.period_ns);
    const int64_t debt = h->window.debt_ns + busy_ns - fair;
    h->window.debt_ns = debt > 0 ? debt : 0;
}

bool served_world_crowds(const served_world *h)
{
    return (h->costs.step_blocked || h->window.debt_ns > served_world_fair_step_ns(h)) &&
           !served_world_has_ended(h);
}

int64_t served_world_fair_step_ns(const served_world *h)
{
    return served_world_fair_ns(h->schedule.period_ns);
}

void served_world_bound_step(served_world *h, int64_t most_ns)
{
    ASSERT(most_ns > 0);
    h->costs.step_most_ns = most_ns;
    h->costs.step_blocked = false;
}

// Whether the next step must wait, since it would delay other worlds for too long.
static bool step_is_blocked(served_world *h)
{
    int64_t foreseen = crowding_foreseen_ns(&h->crowding) +
                       crowding_growth_ns(&h->crowding, h->physics) + served_world_batches_ns(h) +
                       history_note_ns(&h->history, h->physics);
    if (h->replay != NULL) {
        foreseen += (int64_t)replay_image_bytes(h->replay, h->physics) * PLAYED_IMAGE_BYTE_NS;
    }
    foreseen = foreseen > h->costs.stepped_ns ? foreseen : h->costs.stepped_ns;
    h->costs.step_blocked = h->costs.step_blocked || foreseen > h->costs.step_most_ns;
    return h->costs.step_blocked;
}

// The same for the paths of fast bodies, which commands of this tick may have made so.
static bool sweeps_are_blocked(served_world *h)
{
    const int64_t most = h->costs.step_most_ns;
    const bool blocked = most < INT64_MAX && crowding_sweeps_beyond(h->physics, most);
    h->costs.step_blocked = h->costs.step_blocked || blocked;
    return blocked;
}

bool served_world_step_waits(served_world *h)
{
    return step_is_blocked(h) || sweeps_are_blocked(h);
}

static void note_full(served_world *h, int64_t now)
{
    served_world_window *w = &h->window;
    if (!world_contacts_full(h->physics)) {
        return;
    }
    metrics_add(METRIC_contacts_full, 1);
    if (w->full_ns == 0 || now - w->full_ns >= WARN_NS) {
        log_warn("world '%s' has %u pairs of shapes that overlap, the maximum: further pairs pass "
                 "through each other",
                 h->name, world_pair_count(h->physics));
        w->full_ns = now;
    }
}

// The expected time of the next step, as far as it is predictable.
static int64_t expected_ns(const served_world *h)
{
    const int64_t foreseen = crowding_foreseen_ns(&h->crowding) +
                             crowding_growth_ns(&h->crowding, h->physics) +
                             history_note_ns(&h->history, h->physics);
    return foreseen > h->costs.lasted_ns ? foreseen : h->costs.lasted_ns;
}

// False: the tick of a recording waits for a thread of the world's own.
static bool step_once(served_world *h, int64_t begin)
{
    ASSERT(h->state != SERVED_WORLD_PAUSED && h->state != SERVED_WORLD_ENDED);
    served_world_expect(h, expected_ns(h));
    if (h->replay == NULL) {
        world_step(h->physics);
    } else if (!replay_once(h)) {
        return false;
    }
    served_world_note_step(h, begin);
    return true;
}

void served_world_note_step(served_world *h, int64_t begin)
{
    player_pushes_clear(&h->players.pushes);
    history_note_step(&h->history, h->physics, h->owners, h->costs.counted_ns, h->clocks.now);
    note_full(h, begin);
    crowding_note_step(&h->crowding, h->physics);
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
    log_warn("%s; its time was slowed by %lld ms since the last such line",
             slowdown_tell(&w->causes, h->name, h->schedule.period_ns, cause),
             (long long)((h->schedule.skipped_ns - w->warned_skipped_ns) / 1000000));
    slowdown_start(&w->causes, w->causes.at_ns, w->causes.processor_ns);
    w->warned_ns = now;
    w->warned_skipped_ns = h->schedule.skipped_ns;
}

void served_world_begin_time(served_world *h, int64_t now)
{
    tick_schedule_start(&h->schedule, h->hz, h->schedule.catch_up_ns, now);
    h->window.paused = false;
    begin_window(&h->window, now);
}

int64_t served_world_commands_ns(const served_world *h)
{
    return (int64_t)(h->schedule.period_ns * (double)h->limits->commands_share * 0.01);
}

// Adds the time that a restart will need for this tick: the thread's processor time (time lent to
// other processes does not count), or the wall time if several threads step together.
static void note_replay(served_world *h, int64_t begin, int64_t processor_begin)
{
    const bool shared = h->runner.run != NULL && h->runner.threads > 1;
    world_log_add_replay(&h->log, shared ? h->clocks.now() - begin
                                         : h->clocks.processor() - processor_begin);
}

// Ends the pause request: the tick during which world.pause came is done.
static void end_pausing(served_world *h)
{
    request *q = h->pending;
    ASSERT(q->command.method == METHOD_WORLD_PAUSE);
    h->pending = NULL;
    served_world_change(h, SERVED_WORLD_PAUSED);
    served_world_note_pause(h, q);
    served_world_answer_done(h, q);
}

static void serve_commands(served_world *h)
{
    const int64_t whole = served_world_commands_ns(h);
    const int64_t most = beside_others(h, whole, FAIR_NS);
    served_world_serve_inbox(h, h->clocks.now(), most);
    h->window.commands_cut = most < whole && h->inbox.count > 0;
}

// Begins the tick that is due: its commands.
static void begin_tick(served_world *h, int64_t now)
{
    metrics_time(TIMING_DELAY, tick_schedule_lag_ns(&h->schedule, now));
    coarse_histogram_add(&h->place.metrics->lateness, tick_schedule_lag_ns(&h->schedule, now));
    slowdown_begin_tick(&h->window.causes, tick_schedule_due_ns(&h->schedule),
                        (double)tick_schedule_lag_ns(&h->schedule, now) < h->schedule.period_ns,
                        now, h->clocks.processor());
    h->tick_begin_ns = now;
    uint64_t late = h->schedule.late;
    int64_t skipped = tick_schedule_tick(&h->schedule, now);
    metrics_add(METRIC_ticks_late, h->schedule.late - late);
    if (skipped > 0) {
        metrics_add(METRIC_skipped_us, (uint64_t)skipped / 1000);
        warn_slowed(h, now);
    }
    served_world_serve_scheduled(h);
    serve_commands(h);
    h->tick_begun = true;
}

// Does a tick, or the rest of one whose step has waited for a thread of its own. The last one
// before a pause has been estimated when the pause came.
static void tick(served_world *h, int64_t now)
{
    ASSERT(h->state == SERVED_WORLD_RUNNING && h->pending == NULL);
    const int64_t processor = h->clocks.processor();
    if (!h->tick_begun) {
        begin_tick(h, now);
    }
    if (served_world_has_ended(h) || (h->state == SERVED_WORLD_RUNNING && sweeps_are_blocked(h))) {
        return;
    }
    h->tick_begun = false;
    if (!step_once(h, now)) {
        h->tick_begun = true;
        return;
    }
    note_replay(h, now, processor);
    if (h->state == SERVED_WORLD_PAUSING) {
        end_pausing(h);
    }
    publish(h, served_world_is_paused(h), publish_ns(h));
    served_world_halt_if_due(h);
    served_world_settle(h);
    h->costs.lasted_ns = h->clocks.now() - now;
    const bool shared = h->runner.run != NULL && h->runner.threads > 1;
    served_world_note_debt(
        h, slowdown_end_tick(&h->window.causes, shared, h->clocks.now(), h->clocks.processor()));
}

static void run_ticks(served_world *h)
{
    const int64_t begin = h->clocks.now();
    const double slice = fmin(h->schedule.period_ns, (double)SLICE_NS);
    const double most = h->place.others_due ? 0.0 : slice;
    bool more = true; // the first tick is done in any case
    for (int64_t now = begin;
         more && h->state == SERVED_WORLD_RUNNING && h->halting == 0 &&
         (h->tick_begun || now >= tick_schedule_due_ns(&h->schedule)) && !step_is_blocked(h);
         more = (double)(now - begin) < most) {
        tick(h, now);
        now = h->clocks.now();
    }
}

static void end_steps(served_world *h)
{
    request *q = h->pending;
    ASSERT(h->steps_left == 0 && q->command.method == METHOD_WORLD_STEP);
    error err;
    h->pending = NULL;
    served_world_change(h, SERVED_WORLD_PAUSED);
    if (!served_world_may_act(q)) {
        served_world_refuse(h, q, STATUS_PERMISSION_DENIED,
                            "the rights of its session ended before the last step");
    } else if (world_log_takes(&h->log, &err) == STATUS_OK) {
        served_world_answer_done(h, q);
    } else { // failed meanwhile: a restart would not come to that tick
        served_world_refuse(h, q, err.status, err.text);
    }
}

bool served_world_steps(const served_world *h)
{
    return h->state == SERVED_WORLD_STEPPING && !world_log_full(&h->log);
}

void served_world_step(served_world *h, const turn *slice)
{
    bool over = false;
    ASSERT(h->state == SERVED_WORLD_STEPPING && slice != NULL);
    if (served_world_session_gone(h, h->pending->reply_to.session.number) ||
        !served_world_may_act(h->pending)) {
        h->steps_left = 0;
    }
    while (h->steps_left > 0 && !over && !world_log_full(&h->log) && !step_is_blocked(h)) {
        const int64_t before = h->clocks.processor();
        const int64_t begin = h->clocks.now();
        h->tick_begin_ns = begin;
        served_world_serve_scheduled(h);
        if (sweeps_are_blocked(h)) {
            break;
        }
        if (!step_once(h, h->clocks.now())) {
            break;
        }
        h->costs.stepped_ns = h->clocks.processor() - before;
        note_replay(h, begin, before);
        publish(h, false, fair_publish_ns(h));
        h->costs.lasted_ns = h->clocks.now() - begin;
        h->steps_left -= h->steps_left > 0; // a recording may end before
        over = turn_over(slice);
    }
    if (h->steps_left == 0) {
        h->costs.stepped_ns = 0;
        end_steps(h);
    }
    served_world_settle(h);
}

int64_t served_world_paused_publish_ns(const served_world *h)
{
    return h->published_ns + (int64_t)h->schedule.period_ns;
}

static void run_paused(served_world *h)
{
    ASSERT(h->state == SERVED_WORLD_PAUSED);
    int64_t begin = h->clocks.now();
    int64_t until = begin + SLICE_NS;
    do {
        served_world_serve_inbox(h, begin, SLICE_NS);
    } while (h->inbox.count > 0 && h->state == SERVED_WORLD_PAUSED && !h->costs.step_blocked &&
             !world_log_full(&h->log) && h->clocks.now() < until);
    if (h->state != SERVED_WORLD_PAUSED) {
        return;
    }
    int64_t now = h->clocks.now();
    if (served_world_owes(h) && now >= served_world_paused_publish_ns(h)) {
        publish(h, true, fair_publish_ns(h));
        h->published_ns = now;
    }
}

void served_world_run(served_world *h)
{
    ASSERT(h->state != SERVED_WORLD_PAUSING); // SERVED_WORLD_PAUSING lasts no longer than a tick
    ASSERT((h->pending != NULL) == (h->state == SERVED_WORLD_STEPPING));
    if (h->state == SERVED_WORLD_RUNNING && h->halting == 0) {
        run_ticks(h);
    }
    if (h->state != SERVED_WORLD_RUNNING) { // no tick comes
        served_world_halt_if_due(h);
    }
    if (h->state == SERVED_WORLD_PAUSED && h->mirror != NULL) {
        served_world_run_mirror(h);
    } else if (h->state == SERVED_WORLD_PAUSED && h->halting == 0) {
        run_paused(h);
    }
    served_world_settle(h); // replies between two ticks
}

static int64_t paused_next_ns(const served_world *h)
{
    ASSERT(served_world_is_paused(h));
    const int64_t now = h->clocks.now();
    if (world_log_full(&h->log)) {
        return now + FULL_NS;
    }
    if (h->state == SERVED_WORLD_STEPPING) {
        return QUEUE_FOREVER;
    }
    if (h->inbox.count > 0 || h->sessions.ending.count > 0) {
        return 0;
    }
    int64_t log_ns;
    if (world_log_lags(&h->log, world_tick(h->physics), now, &log_ns)) {
        return log_ns;
    }
    return served_world_owes(h) ? served_world_paused_publish_ns(h) : QUEUE_FOREVER;
}

int64_t served_world_next_ns(const served_world *h)
{
    if (served_world_has_ended(h)) {
        return QUEUE_FOREVER; // the storage wakes it
    }
    if (served_world_stands(h)) {
        return h->halted ? QUEUE_FOREVER : h->clocks.now() + STAND_NS;
    }
    if (h->mirror != NULL) {
        return served_world_mirror_next_ns(h);
    }
    if (served_world_is_paused(h)) {
        return paused_next_ns(h);
    }
    return h->tick_begun ? h->clocks.now() : tick_schedule_due_ns(&h->schedule);
}
