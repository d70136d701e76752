// A prediction's life and its frames; see prediction.h.
//
// Invariants: the predicted world is at `tick`, and while it is `valid` it equals the confirmed
// world of the last rollback, stepped on with each batch in its `plan` tick. The entries of `ticks`
// up to `tick` that are `predicted` belong to this timeline.
#include "client/prediction/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

#define ACTS_S      1.0 // a body that the client commanded so recently is shown at the present tick [s]
#define CATCH_UP    1.25 // steps for which a frame has time, over those that are needed
#define PACE_WEIGHT 0.2  // weight of the newest frame

prediction_options prediction_options_default(void)
{
    return (prediction_options){.smoothing_s = PREDICTION_SMOOTHING_S};
}

prediction *prediction_create(const log_player *confirmed, const prediction_options *options)
{
    prediction *p = calloc(1, sizeof *p);
    ASSERT_MEMORY(p != NULL);
    prediction_set(p, options);
    prediction_follow(p, confirmed);
    return p;
}

void prediction_free(prediction *p)
{
    if (p != NULL) {
        world_free(p->world);
        batches_deinit(&p->batches);
        foreseen_events_deinit(&p->events);
        shown_poses_deinit(&p->shown);
        free(p);
    }
}

void prediction_set(prediction *p, const prediction_options *options)
{
    p->options = *options;
    if (p->options.input_delay > LEAD_DELAY_MAX) {
        p->options.input_delay = LEAD_DELAY_MAX;
    }
    p->clock.delay_wanted = p->options.input_delay;
    if (p->world != NULL) {
        world_want_events(p->world, p->options.events);
    }
}

prediction_options prediction_options_of(const prediction *p)
{
    return p->options;
}

const log_player *prediction_follows(const prediction *p)
{
    return p->confirmed;
}

void prediction_follow(prediction *p, const log_player *confirmed)
{
    p->confirmed = confirmed;
    p->ready = p->valid = p->differs = p->replans = false;
    p->tick = p->goal = p->correct_at = 0;
    p->next_input = p->shown_at = 0;
    p->given = p->redo_named = false;
    p->figures.lost += p->batches.list.count;
    while (p->batches.list.count > 0) {
        batches_remove(&p->batches, p->batches.list.count - 1);
    }
    memset(p->ticks, 0, sizeof p->ticks);
    foreseen_events_drop(&p->events);
    shown_poses_clear(&p->shown);
    if (confirmed != NULL && confirmed->world != NULL) {
        const double hz = world_definition(confirmed->world).hz;
        lead_clock_init(&p->clock, hz);
        p->events.window = (uint64_t)ceil(0.1 * hz);
        p->settled = world_tick(confirmed->world);
    }
}

predicted_tick *prediction_tick_at(prediction *p, uint64_t tick)
{
    predicted_tick *t = &p->ticks[tick % PREDICTION_TICKS_MAX];
    if (t->tick != tick) {
        *t = (predicted_tick){.tick = tick};
    }
    return t;
}

physics_world *prediction_world(const prediction *p)
{
    return p->ready ? p->world : NULL;
}

uint64_t prediction_tick(const prediction *p)
{
    return p->tick;
}

// ---- steps

static void apply_planned(prediction *p, uint64_t tick)
{
    for (uint32_t i = 0; i < p->batches.list.count; i++) {
        timed_batch *b = &p->batches.list.data[i];
        if (b->plan != tick) {
            continue;
        }
        command_result result;
        error unused; // an error has no effect here: the server decides
        if (apply_command(p->world, &b->command, &result, &unused) == STATUS_OK) {
            batches_note_made(&p->batches, b->at, &result, false);
            command_result_free(&result);
        } else {
            p->figures.failed++;
        }
    }
}

// Whether poses of the present tick are needed: the last two of a frame, and the tick that was
// drawn before a rollback, with the one before it.
static bool is_drawn(const prediction *p)
{
    return p->tick + 1 >= p->stop || p->tick + 1 == p->correct_at || p->tick == p->correct_at;
}

// The client's own bodies, most recently named first.
static void own_bodies(const prediction *p, body_id own[PREDICTION_OWN_MAX])
{
    uint64_t named[PREDICTION_OWN_MAX];
    for (uint32_t i = 0; i < p->own_count; i++) {
        uint32_t at = i;
        for (; at > 0 && named[at - 1] < p->own[i].named; at--) {
            named[at] = named[at - 1];
            own[at] = own[at - 1];
        }
        named[at] = p->own[i].named;
        own[at] = p->own[i].id;
    }
}

static void correct(prediction *p)
{
    body_id own[PREDICTION_OWN_MAX];
    own_bodies(p, own);
    const double late = (double)(p->drawn_at - p->tick) + p->correct_part - 1.0;
    const bool lags = p->drawn_at > p->tick;
    const shown_correction most =
        shown_poses_correct(&p->shown, lags ? 1.0 : p->correct_part,
                            lags ? late / p->clock.hz : 0.0, own, p->own_count);
    if (p->corrects && !lags) {
        tally_span *span = tally_now(&p->tally);
        span->error = fmax(span->error, most.own);
        span->error_others = fmax(span->error_others, most.others);
    }
    p->correct_at = 0;
}

static void take_poses(prediction *p)
{
    shown_poses_take(&p->shown, p->world, (double)(p->tick - p->copied_at) / p->clock.hz);
    p->taken_at = p->tick;
}

static void note_drawn(prediction *p)
{
    if (is_drawn(p)) {
        take_poses(p);
    }
    if (p->correct_at != 0 && p->tick == p->correct_at) {
        correct(p);
    }
}

// Ends the frame at this tick, because time is short.
static void stop_here(prediction *p)
{
    p->stop = p->tick;
    if (p->taken_at != p->tick) {
        take_poses(p);
    }
    if (p->correct_at != 0) {
        correct(p);
    }
    p->figures.approximate += !p->partial;
}

// Whether one more step fits the budget; each frame makes at least one. Islands wake while steps
// are made. The time so far is the caller's measurement, or the estimate if that is larger.
static bool has_time(const prediction *p)
{
    const double budget_ms = p->options.budget_ms;
    const double next = world_count(p->world).awake + BUDGET_STEP_BODIES;
    const double estimate = (p->copied ? p->budget.copy_ms : 0.0) + p->budget.body_ms * p->work;
    return p->work == 0.0 || budget_ms <= 0.0 ||
           fmax(estimate, p->spent_ms) + p->budget.body_ms * next <= BUDGET_MOST * budget_ms;
}

static void step(prediction *p)
{
    predicted_tick *t = prediction_tick_at(p, p->tick + 1);
    apply_planned(p, p->tick + 1);
    world_step(p->world);
    p->tick++;
    p->work += world_count(p->world).awake + BUDGET_STEP_BODIES;
    p->redo_named = false;
    const uint64_t hash = p->partial ? 0 : world_hash(p->world);
    const bool otherwise = p->options.check && !p->partial && t->predicted && t->hash != hash;
    if (otherwise && p->figures.check_failures == 0) {
        p->figures.check_failed_at = p->tick;
    }
    p->figures.check_failures += otherwise;
    t->hash = hash;
    t->predicted = !p->partial;
    foreseen_events_predicted(&p->events, p->world, p->options.events);
    note_drawn(p);
}

// ---- the beginning of a frame

static void copy_confirmed(prediction *p)
{
    const physics_world *from = p->confirmed->world;
    if (p->world == NULL) {
        const world_def def = world_definition(from);
        error unused;
        const status made = world_create(&def, &p->world, &unused);
        ASSERT(made == STATUS_OK); // the definition is one of an existing world
        world_want_events(p->world, p->options.events);
    }
    world_copy(p->world, from);
    p->tick = p->copied_at = world_tick(from);
    p->partial = false;
    shown_poses_carry(&p->shown, NULL, 0, NULL);
    p->copied = p->ready = p->valid = true;
    p->differs = p->replans = false;
    p->redo_named = false;
    foreseen_events_again(&p->events);
}

// The position between the tick before and this one at which bodies are drawn, 0 to 1.
static double part_at(const prediction *p, uint64_t tick)
{
    return fmin(fmax(p->clock.position - (double)tick, 0.0), 1.0);
}

// Forgets the hashes after the confirmed tick: they were predicted from other inputs.
static void forget_hashes(prediction *p, uint64_t last)
{
    for (uint64_t tick = p->settled + 1; tick <= last; tick++) {
        prediction_tick_at(p, tick)->predicted = false;
    }
}

// Leaves about `most` bodies awake, or as many as there is time for. Returns how many are awake.
static uint32_t cut(prediction *p, double most)
{
    const uint32_t all = world_count(p->world).awake;
    body_id own[PREDICTION_OWN_MAX];
    ARRAY(body_placing) rows = {0};
    own_bodies(p, own);
    array_reserve(&rows, world_count(p->world).bodies + 1);
    rows.count = world_poses(p->world, rows.data, rows.capacity);
    const double least = fmax(BUDGET_TICKS * (double)(p->goal - p->tick), 1.0);
    const bool fits = budget_fitting(&p->budget, p->options.budget_ms, p->copied, all) >= least;
    const uint32_t awake = (fits ? budget_rest_far : budget_stand_far)(p->world, own, p->own_count,
                                                                       most, rows.data, rows.count);
    if (awake < all) { // all awake bodies may be the client's own
        p->partial = p->cut = true;
        p->copied_at = p->tick;
        p->planned = awake;
        shown_poses_carry(&p->shown, rows.data, rows.count, p->world);
    }
    array_free(&rows);
    return awake;
}

// Whether the client commands bodies of its own, whose present motion must be shown.
static bool acts(const prediction *p)
{
    const uint64_t recent = (uint64_t)ceil(ACTS_S * p->clock.hz);
    for (uint32_t i = 0; i < p->own_count; i++) {
        if (p->own[i].named + recent >= p->goal) {
            return true;
        }
    }
    return false;
}

// Whether all bodies can be stepped exactly: up to the present tick, or, where the client commands
// nothing, in each frame a few more ticks than the clock advances, until the predicted world is
// where it should be.
static bool catches_up(const prediction *p, uint32_t awake)
{
    const double steps = budget_fitting(&p->budget, p->options.budget_ms, p->copied, awake);
    const double all = (double)(p->goal - p->tick);
    return steps >= (acts(p) ? CATCH_UP * all : fmin(all, CATCH_UP * fmax(p->pace, 1.0)));
}

// Leaves awake only as many bodies as there is time for, and plans the frame's last tick. Bodies
// are put to rest after a copy, and when not even one step of all of them fits.
static void fit_budget(prediction *p)
{
    const double budget_ms = p->options.budget_ms;
    uint32_t awake = world_count(p->world).awake;
    const double most = budget_bodies(&p->budget, budget_ms, p->copied, p->goal - p->tick);
    const double once = budget_bodies(&p->budget, 2.0 * budget_ms, false, 1);
    if (p->goal > p->tick && (double)awake > (p->copied ? most : once) && !catches_up(p, awake)) {
        awake = cut(p, most);
    }
    const uint64_t steps = budget_steps(&p->budget, budget_ms, p->copied, awake);
    p->stop = p->goal - p->tick > steps ? p->tick + steps : p->goal;
    p->figures.approximate += p->partial || p->stop < p->goal;
}

static void roll_back(prediction *p, bool jumps, bool wrong)
{
    const uint64_t was = p->tick;
    const bool continues = p->valid && !jumps && was >= p->settled;
    if (p->ready) {
        shown_poses_keep(&p->shown, p->correct_part);
    }
    copy_confirmed(p);
    if (wrong || jumps) {
        forget_hashes(p, was);
    }
    fit_budget(p);
    p->drawn_at = continues ? was : p->goal;
    p->correct_at = p->drawn_at < p->stop ? p->drawn_at : p->stop;
    p->correct_part = continues ? p->correct_part : part_at(p, p->goal);
    p->corrects = continues;
    if (wrong && continues) {
        tally_span *span = tally_now(&p->tally);
        span->rollbacks++;
        span->depth += (uint32_t)(was - p->tick);
        p->figures.rollback_count++;
    }
    note_drawn(p);
}

// While the confirmed world is paused nothing is predicted, and commands act at once.
static void stand_still(prediction *p)
{
    const log_player *from = p->confirmed;
    p->clock.running = false;
    p->goal = p->settled = world_tick(from->world);
    if (p->ready && !p->valid && p->tick == p->goal && p->still_commands == from->commands) {
        return; // nothing has changed
    }
    forget_hashes(p, p->tick);
    p->correct_at = 0;
    p->stop = p->goal;
    p->still_commands = from->commands;
    copy_confirmed(p);
    note_drawn(p);
    p->valid = false; // the first frame after the pause copies the world again
}

static uint64_t goal_of(const prediction *p, uint64_t least)
{
    const double position = floor(p->clock.position);
    const uint64_t most = p->settled + PREDICTION_TICKS_MAX / 2;
    const uint64_t ahead = p->settled + (uint64_t)ceil(PREDICTION_AHEAD_S * p->clock.hz) + 1;
    uint64_t goal = position > 0.0 ? (uint64_t)position : 0;
    goal = goal > ahead ? ahead : goal;
    goal = goal > most ? most : goal;
    return goal < least ? least : goal;
}

static void note_pace(prediction *p, bool jumps)
{
    if (!jumps && p->goal > p->led_to) {
        p->pace += PACE_WEIGHT * ((double)(p->goal - p->led_to) - p->pace);
    }
    p->led_to = p->goal;
}

static bool has_world(const prediction *p)
{
    return p->confirmed != NULL && p->confirmed->world != NULL;
}

void prediction_begin(prediction *p, double now)
{
    p->work = p->spent_ms = 0.0;
    p->copied = p->cut = false;
    tally_advance(&p->tally, now);
    if (!has_world(p)) {
        p->valid = p->ready = false;
        p->stop = p->goal = p->tick = 0;
        return;
    }
    shown_poses_fade(&p->shown, now - p->faded, p->options.smoothing_s);
    p->faded = now;
    if (p->confirmed->paused || !lead_clock_has_seen(&p->clock)) {
        stand_still(p);
        return;
    }
    p->correct_part = part_at(p, p->tick);
    const bool jumps = lead_clock_advance(&p->clock, now);
    const bool behind = p->tick < p->settled;
    const bool wrong = p->differs || p->replans;
    p->goal = goal_of(p, jumps || !p->valid || behind ? p->settled : p->tick);
    note_pace(p, jumps);
    if (jumps || !p->valid || behind) {
        // Ticks that passed without a prediction are not asked for. A clock that runs on has asked
        // for its input delay, or does so next; after a jump that would be a burst.
        const bool runs_on = !jumps && p->valid;
        const uint64_t due = p->goal + 1 + (runs_on ? 0 : lead_clock_delay(&p->clock));
        p->next_input = due > p->next_input ? due : p->next_input; // never name a tick twice
        roll_back(p, true, wrong);
    } else if (wrong || p->options.check) {
        roll_back(p, false, wrong);
    } else {
        fit_budget(p);
    }
}

// Names the next input that is due before the step to `next`; false: there is none.
static bool name_input(prediction *p, uint64_t next, prediction_input *out)
{
    const uint64_t due = next + lead_clock_delay(&p->clock);
    if (p->next_input <= due) {
        if (p->next_input < next) {
            p->next_input = next;
        }
        *out = (prediction_input){.tick = p->next_input++, .first_time = true};
        prediction_tick_at(p, out->tick)->asked = true;
        p->given = true;
        p->given_at = out->tick;
        return true;
    }
    return false;
}

void prediction_spent(prediction *p, double ms)
{
    p->spent_ms = ms;
}

bool prediction_next(prediction *p, prediction_input *out)
{
    p->given = false;
    while (p->valid && p->tick < p->stop) {
        if (!has_time(p)) {
            stop_here(p);
            break;
        }
        predicted_tick *t = prediction_tick_at(p, p->tick + 1);
        if (t->done) {
            if (t->asked && !p->redo_named) {
                p->redo_named = true;
                *out = (prediction_input){.tick = t->tick, .first_time = false};
                return true;
            }
        } else if (name_input(p, t->tick, out)) {
            return true;
        }
        t->done = true;
        step(p);
    }
    // The caller is asked for commands in time, even if there is no time to predict their effect,
    // or nothing to predict, because the input delay is longer than the lead.
    return p->valid && name_input(p, p->goal, out);
}

status prediction_give(prediction *p, command *batch, error *err)
{
    ASSERT(p->given && batch->method == METHOD_WORLD_APPLY);
    p->given = false;
    prediction_note_own(p, batch, p->given_at);
    if (!batches_add(&p->batches, p->given_at, batch, err)) {
        return err->status;
    }
    p->figures.sent++;
    return STATUS_OK;
}

void prediction_end(prediction *p, double took_ms)
{
    budget_note(&p->budget, took_ms, p->work, p->copied || p->cut);
    if (p->cut) {
        budget_note_growth(&p->budget, p->work, p->planned, (double)(p->tick - p->copied_at));
    }
}

// ---- the drawn poses

void prediction_own(prediction *p, body_id body)
{
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < p->own_count; i++) {
        if (p->own[i].id == body) {
            p->own[i].named = p->tick;
            return;
        }
        oldest = p->own[i].named < p->own[oldest].named ? i : oldest;
    }
    const uint32_t at = p->own_count < PREDICTION_OWN_MAX ? p->own_count++ : oldest;
    p->own[at] = (own_body){.id = body, .named = p->tick};
}

status prediction_predict(prediction *p, body_id body, bool predicted, error *err)
{
    return shown_poses_set_past(&p->shown, body, !predicted, err);
}

uint32_t prediction_poses(prediction *p, prediction_pose *out, uint32_t max)
{
    if (!has_world(p) || !p->ready) {
        return 0;
    }
    const double seen = lead_clock_has_seen(&p->clock)
                            ? lead_clock_seen(&p->clock, p->clock.now) - PAST_TICKS
                            : (double)p->settled;
    const bool lags = p->goal > p->tick; // bodies are drawn one tick behind the clock's position
    const double part = part_at(p, p->goal);
    const double ahead = (double)(p->goal - p->tick) + part - 1.0;
    return shown_poses_read(&p->shown, lags ? 1.0 : part, seen, lags ? ahead / p->clock.hz : 0.0,
                            out, max);
}

bool prediction_next_event(prediction *p, prediction_event *out)
{
    return foreseen_events_next(&p->events, out);
}

// ---- the network

void prediction_rtt(prediction *p, double seconds)
{
    lead_clock_rtt(&p->clock, seconds);
}

void prediction_margin(prediction *p, double now, double seconds)
{
    if (p->figures.sent > 0) { // earlier margins are those of the question whether `late` is known
        lead_clock_margin(&p->clock, now, seconds);
    }
}

// The ticks by which the last frame was ahead of the newest tick that news without jitter shows.
// The last confirmed tick is none to count from: it is behind by as much as news is late, or a slow
// page reads it late.
static double ahead(const prediction *p)
{
    const bool runs = p->valid && p->clock.running && lead_clock_has_seen(&p->clock);
    return runs ? fmax((double)p->tick - lead_clock_seen(&p->clock, p->clock.now), 0.0) : 0.0;
}

prediction_figures prediction_figures_now(const prediction *p)
{
    prediction_figures f = p->figures;
    double seconds;
    const tally_span sum = tally_sum(&p->tally, &seconds);
    f.right = sum.ticks > 0 ? (double)sum.right / sum.ticks : 1.0;
    f.rollbacks = seconds > 0.0 ? sum.rollbacks / fmax(seconds, 1.0) : 0.0;
    f.depth = sum.rollbacks > 0 ? (double)sum.depth / sum.rollbacks : 0.0;
    f.error = sum.error;
    f.error_others = sum.error_others;
    f.lead = ahead(p);
    f.slack = p->clock.slack;
    f.rtt = p->clock.rtt;
    f.margin = p->clock.has_margin ? p->clock.margin : (double)NAN;
    f.rate = p->clock.rate;
    f.delay = has_world(p) ? lead_clock_delay(&p->clock) : p->options.input_delay;
    f.waiting = p->batches.list.count;
    f.events_lost = p->events.lost;
    const uint32_t awake = p->ready && has_world(p) ? world_count(p->world).awake : 0;
    f.step_ms = p->budget.body_ms * (awake + BUDGET_STEP_BODIES);
    f.copy_ms = p->budget.copy_ms;
    return f;
}
