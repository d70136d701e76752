// A round of a simulation thread: which worlds run, in which order, and for how long a step of one
// may keep the others waiting. See sim_thread.h. The simulation thread.
#include "server/world/tick/sim_thread_internal.h"

#include <stddef.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "server/base/clock.h"

enum {
    CROWDED_NS = 100000000,         // time between two REPLY_CROWDED of one world
    PARKED_NS = 10000000,           // such a world is parked for this time, or until it moves
    FORESEEN_PARKED_NS = 250000000, // the same, if the next step alone would be too long
    ALONE_NS = 100000000,           // step of a world that has the thread for itself: one may come
    STEPS_LEAST_NS = 1000000 // least time of a round for steps of paused worlds, even if a tick is
                             // due
};

// The longest time that a step of the world may be expected to take here.
static int64_t step_most_ns(const sim_thread *h, const served_world *w)
{
    if (h->options.own_thread || h->options.turned || h->options.limits->own_threads == 0) {
        return INT64_MAX;
    }
    return h->worlds.count > 1 ? served_world_fair_step_ns(w) : ALONE_NS;
}

// Reports a world that makes others wait, so that it gets a thread of its own, and parks it until
// then, or for a while if there is none.
static void note_crowding(sim_thread *h, served_world *w, int64_t now)
{
    const bool crowds =
        h->worlds.count > 1 && served_world_crowds(w) && now - w->place.crowded_ns >= CROWDED_NS;
    if ((w->costs.step_blocked || crowds) && !h->options.own_thread && !h->options.turned) {
        w->place.crowded_ns = now;
        w->place.parked_until_ns = now + (w->costs.step_blocked ? FORESEEN_PARKED_NS : PARKED_NS);
        sim_thread_post_about(h, REPLY_CROWDED, w->number, NULL);
    }
}

static int compare_used(const void *a, const void *b, void *context)
{
    const shares *all = context;
    const served_world *x = *(served_world *const *)a;
    const served_world *y = *(served_world *const *)b;
    const int64_t used_x = shares_used(all, x->place.used);
    const int64_t used_y = shares_used(all, y->place.used);
    const int order = (used_x > used_y) - (used_x < used_y);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static bool is_parked(const served_world *w, int64_t now)
{
    return now < w->place.parked_until_ns && !served_world_has_ended(w);
}

// Collects the worlds with work, sorted by the thread's time that they have used, least first.
static void choose_due(sim_thread *h, int64_t now)
{
    array_clear(&h->due);
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        served_world *w = h->worlds.data[i];
        if (!is_parked(w, now) && (w->place.request_arrived || served_world_next_ns(w) <= now)) {
            array_push(&h->due, w);
        }
    }
    if (h->due.count > 1) {
        qsort_r(h->due.data, h->due.count, sizeof *h->due.data, compare_used, &h->shares);
    }
}

static void charge(sim_thread *h, served_world *w, int64_t wall_ns)
{
    ASSERT(wall_ns >= 0 && w->place.used != NULL);
    shares_charge(&h->shares, w->place.used, work_time_of(&h->time, wall_ns));
    w->place.load_ns += wall_ns;
}

static void run_world(sim_thread *h, served_world *w)
{
    const int64_t begin = clock_now_ns();
    const bool waited = w->place.parked_until_ns != 0; // no thread has taken it meanwhile
    served_world_bound_step(w, waited ? INT64_MAX : step_most_ns(h, w));
    w->place.parked_until_ns = 0;
    w->place.request_arrived = false;
    w->place.thread_alone = h->worlds.count == 1;
    w->place.thread_shared = h->worlds.count > 1 && step_most_ns(h, w) < INT64_MAX;
    w->place.others_due = h->due.count > 1;
    shares_serve(&h->shares, w->place.used);
    sim_thread_enter_world(w);
    served_world_run(w);
    sim_thread_leave_world();
    const int64_t end = clock_now_ns();
    charge(h, w, end - begin);
    note_crowding(h, w, end);
}

static job_progress step_world(turn_job *job, const turn *slice)
{
    served_world *w = (served_world *)((char *)job - offsetof(served_world, place.step_job));
    const int64_t begin = clock_now_ns();
    sim_thread_enter_world(w);
    served_world_step(w, slice);
    sim_thread_leave_world();
    w->place.load_ns += clock_now_ns() - begin;
    return served_world_steps(w) && !w->costs.step_blocked ? JOB_GOES_ON : JOB_DONE;
}

// Runs the steps of all paused worlds for one turn: until other work is due, but for some time in
// any case.
static bool run_steps(sim_thread *h, int64_t next)
{
    const int64_t now = clock_now_ns();
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        served_world *w = h->worlds.data[i];
        if (served_world_steps(w) && !is_parked(w, now) && !turn_job_queued(&w->place.step_job)) {
            served_world_bound_step(w,
                                    w->place.parked_until_ns != 0 ? INT64_MAX : step_most_ns(h, w));
            w->place.parked_until_ns = 0;
            turn_queue_add(&h->steps, &w->place.step_job, step_world, w->pending->reply_to.subject);
        }
    }
    int64_t length = next != QUEUE_FOREVER && next - now < ROUND_NS ? next - now : ROUND_NS;
    length = length > STEPS_LEAST_NS ? length : STEPS_LEAST_NS;
    const turn t = turn_begin(clock_now_ns, length);
    const bool left = turn_queue_run(&h->steps, &t);
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        if (h->worlds.data[i]->costs.step_blocked) {
            note_crowding(h, h->worlds.data[i], clock_now_ns());
        }
    }
    return left;
}

// Frees ended worlds until the round is over, one in any case. Returns whether some are left.
static bool drop_settled(sim_thread *h, const turn *round)
{
    bool dropped = false;
    for (uint32_t i = h->worlds.count; i > 0; i--) {
        served_world *w = h->worlds.data[i - 1];
        if (!served_world_has_ended(w) || !served_world_settled(w)) {
            continue;
        }
        if (dropped && turn_over(round)) {
            return true;
        }
        sim_thread_take_out(h, i - 1);
        served_world_destroy(w, STATUS_NOT_FOUND, "the world was destroyed");
        dropped = true;
    }
    return false;
}

// The time at which the first world wants to run.
static int64_t next_due(const sim_thread *h, bool *paused)
{
    const int64_t now = clock_now_ns();
    int64_t next = QUEUE_FOREVER;
    *paused = h->worlds.count == 0;
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        const served_world *w = h->worlds.data[i];
        int64_t wants = w->place.request_arrived ? 0 : served_world_next_ns(w);
        wants = is_parked(w, now) ? w->place.parked_until_ns : wants;
        if (wants != QUEUE_FOREVER && (next == QUEUE_FOREVER || wants < next)) {
            next = wants;
        }
        *paused = *paused || served_world_is_paused(w);
    }
    return next;
}

// Runs worlds that have something to do, for a round; returns when the first wants to run again.
int64_t sim_thread_run_worlds(sim_thread *h, bool *paused)
{
    ASSERT(!h->over);
    const turn round = turn_begin(clock_now_ns, ROUND_NS);
    choose_due(h, round.begin_ns);
    h->time = work_time_begin(clock_processor_ns);
    for (uint32_t i = 0; i < h->due.count && (i == 0 || !turn_over(&round)); i++) {
        run_world(h, h->due.data[i]);
    }
    const bool ended = drop_settled(h, &round);
    const bool steps = run_steps(h, next_due(h, paused));
    const int64_t next = next_due(h, paused);
    return steps || ended ? 0 : next;
}
