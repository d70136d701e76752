// Batches that wait for their tick (world.apply with `at`); see served_world.h. Simulation thread
// only.
//
// A tick has as much time for batches as for commands. A batch's time is estimated on arrival (its
// commands, and the pairs of shapes that it would make in the world at that moment), and the sum
// for one tick is bounded by that tick's time: a batch that does not fit is refused at once, so
// that its sender can name another tick. One sender may take no more than it leaves for others. A
// batch that is alone in its tick is always accepted. Pairs are counted again when the tick has
// come; batches that then exceed the estimate may be refused too, except the first. A world that is
// stepped by hand gives a tick all the time that it needs.
//
// A batch whose tick is over is refused, dropped, or applied with the next tick, as its argument
// `late` says: never in the past. In the last case it is a command like any other from then on, so
// it takes only its sender's share of that tick's time.
#include "server/world/tick/served_world_internal.h"

#include <math.h>
#include "common/base/assert.h"
#include "proto/encode/encode.h"
#include "server/base/clock.h"
#include "server/base/metrics.h"

enum { STANDING_TICKS = 64 }; // ticks between checks whether waiting batches may still act

// Keeps a batch for its tick. Batches of one tick stay in order of arrival.
static void schedule_batch(served_world *h, request *q)
{
    ASSERT(q->command.method == METHOD_WORLD_APPLY && q->command.apply.has_at);
    ASSERT(q->command.apply.at > world_tick(h->physics));
    uint32_t at = h->scheduled.count;
    array_push(&h->scheduled, q);
    while (at > 0 && h->scheduled.data[at - 1]->command.apply.at > q->command.apply.at) {
        h->scheduled.data[at] = h->scheduled.data[at - 1];
        at--;
    }
    h->scheduled.data[at] = q;
}

// The time claimed in one tick: by all batches, and by those of one sender.
typedef struct claims {
    int64_t all_ns, own_ns;
    bool any;
} claims;

static claims claims_of(const served_world *h, uint64_t tick, uint64_t subject)
{
    claims sum = {0};
    for (uint32_t i = h->scheduled.count; i > 0; i--) {
        const request *q = h->scheduled.data[i - 1];
        if (q->command.apply.at < tick) {
            break;
        }
        if (q->command.apply.at == tick) {
            const bool own = q->reply_to.subject == subject;
            sum.all_ns += q->foreseen_ns;
            sum.own_ns += own ? q->foreseen_ns : 0;
            sum.any = true;
        }
    }
    return sum;
}

int64_t served_world_batches_ns(const served_world *h)
{
    const uint64_t next = world_tick(h->physics) + 1;
    int64_t sum = 0;
    for (uint32_t i = 0; i < h->scheduled.count; i++) {
        const request *q = h->scheduled.data[i];
        if (q->command.apply.at > next) {
            break;
        }
        sum += q->foreseen_ns;
    }
    return sum;
}

// The time of the batch in the world as it is now; *pairs: of the pairs that it would make. The
// world counts for nothing in a batch that its sender may not carry out, since the answer reveals
// the cost.
static int64_t foresee_ns(const served_world *h, const request *q, int64_t most_ns,
                          crowding_cost *pairs)
{
    error unused;
    *pairs = (crowding_cost){0};
    if (!served_world_permits(h, q, &unused)) {
        return batch_cost_apart_ns(&q->command);
    }
    *pairs =
        crowding_foresee(&h->crowding, h->physics, &q->command, crowding_pairs_beyond(most_ns));
    return batch_cost_ns(h->physics, &q->command) + pairs->step_ns;
}

// Whether the tick has time for the batch; records the time that it will take.
static bool fits_tick(served_world *h, request *q, error *err)
{
    const uint64_t at = q->command.apply.at;
    const int64_t most = served_world_commands_ns(h);
    ASSERT(most >= 0);
    crowding_cost pairs;
    const claims taken = claims_of(h, at, q->reply_to.subject);
    q->foreseen_ns = foresee_ns(h, q, most, &pairs);
    h->costs.price_ns = pairs.price_ns;
    if (served_world_is_paused(h) || !taken.any ||
        taken.own_ns + q->foreseen_ns <= most - taken.all_ns) {
        return true;
    }
    error_set(err, STATUS_LIMIT_EXCEEDED,
              "at: batches for tick %llu would take %.3f ms; commands_share leaves %.3f of %.3f ms "
              "of it, another tick may have more",
              (unsigned long long)at, (double)q->foreseen_ns * 1e-6,
              fmax(0.0, (double)(most - taken.all_ns - taken.own_ns) * 1e-6), (double)most * 1e-6);
    return false;
}

// Whether the batch is in time for its tick, and by how much it is late. In a paused world time
// stands still, so lateness is counted in ticks alone.
static batch_timing timing_of(const served_world *h, const request *q)
{
    static const double LEAST_LATE_S = 1.0e-6; // a late batch came after its tick began
    const uint64_t next = world_tick(h->physics) + 1;
    const uint64_t at = q->command.apply.at;
    const uint64_t late = at < next ? next - at : 0;
    const int64_t start = h->state == SERVED_WORLD_PAUSED ? q->received_ns : h->tick_begin_ns;
    const double ahead_ns = (double)(start - q->received_ns) - (double)late * h->schedule.period_ns;
    return (batch_timing){.late = late,
                          .margin = late > 0 ? fmin(ahead_ns * 1e-9, -LEAST_LATE_S)
                                             : fmax(ahead_ns * 1e-9, 0.0)};
}

// Records how a batch met its tick, for its answer and for its session's next snapshot.
static void note_timing(served_world *h, request *q)
{
    ASSERT(q->command.apply.has_at);
    const session_key from = q->reply_to.session;
    q->timing = timing_of(h, q);
    if (from.number != 0) {
        margins_note(&h->margins, from.slot, from.number, q->timing.margin);
    }
}

static void schedule_or_refuse(served_world *h, request *q)
{
    error err;
    if (fits_tick(h, q, &err)) {
        schedule_batch(h, q);
    } else {
        served_world_answer(h, q, &err);
    }
}

// Serves a batch whose tick is over.
static void serve_late(served_world *h, request *q)
{
    error err;
    const uint64_t tick = world_tick(h->physics);
    ASSERT(q->command.apply.at <= tick && q->command.apply.late < LATE_COUNT);
    const bool again = q->timing.late > 0; // the batch was put back into the inbox before
    note_timing(h, q);
    switch (q->command.apply.late) {
    case LATE_NEXT:
        metrics_add(METRIC_batches_late_next, again ? 0 : 1);
        if (served_world_is_paused(h)) {
            q->command.apply.at = tick + 1;
            schedule_or_refuse(h, q);
        } else {
            served_world_apply(h, q, false, NULL);
        }
        break;
    case LATE_DROP:
        metrics_add(METRIC_batches_late_dropped, 1);
        encode_dropped_result(&h->scratch, &q->timing);
        served_world_answer(h, q, NULL);
        break;
    default:
        metrics_add(METRIC_batches_late_refused, 1);
        error_set(&err, STATUS_INVALID_ARGUMENT, "at: tick %llu is over, the world is at %llu",
                  (unsigned long long)q->command.apply.at, (unsigned long long)tick);
        served_world_answer(h, q, &err);
        break;
    }
}

void served_batch(served_world *h, request *q)
{
    uint64_t at = q->command.apply.at;
    uint64_t tick = world_tick(h->physics);
    if (!q->command.apply.has_at) {
        served_world_apply(h, q, served_world_is_paused(h), NULL);
        return;
    }
    if (at == tick + 1 && !served_world_is_paused(h)) {
        note_timing(h, q);
        served_world_apply(h, q, false, NULL);
        return;
    }
    error err;
    if (at <= tick) {
        serve_late(h, q);
    } else if (at - tick > h->limits->ahead_ticks) {
        error_set(&err, STATUS_LIMIT_EXCEEDED, "at: more than ahead_ticks = %llu ahead",
                  (unsigned long long)h->limits->ahead_ticks);
        served_world_answer(h, q, &err);
    } else {
        schedule_or_refuse(h, q);
    }
}

// Whether a record of the log can have all commands of the tick: its size is limited.
static bool fits_record(const served_world *h, error *err)
{
    if (!world_log_full(&h->log) && !last_requests_full(&h->last_requests)) {
        return true;
    }
    error_set(err, STATUS_LIMIT_EXCEEDED,
              "at: the world's log has no room for more commands of tick %llu",
              (unsigned long long)(world_tick(h->physics) + 1));
    return false;
}

static void refuse_fallen(served_world *h, request *q)
{
    ASSERT(q->standing != NULL);
    served_world_refuse(h, q, STATUS_PERMISSION_DENIED,
                        "at: the rights of its session ended before that tick");
}

// Refuses, now and then, batches whose sender has lost its rights, even if their tick is far away:
// they take space from others.
static void refuse_fallen_batches(served_world *h)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->scheduled.count; i++) {
        request *q = h->scheduled.data[i];
        if (served_world_may_act(q)) {
            h->scheduled.data[kept++] = q;
        } else {
            refuse_fallen(h, q);
        }
    }
    h->scheduled.count = kept;
}

void served_world_serve_scheduled(served_world *h)
{
    ASSERT(h->state != SERVED_WORLD_PAUSED && h->state != SERVED_WORLD_ENDED);
    if (world_tick(h->physics) % STANDING_TICKS == 0) {
        refuse_fallen_batches(h);
    }
    uint64_t next = world_tick(h->physics) + 1;
    uint32_t due = 0;
    int64_t spent = 0; // sum of estimates: a batch is not refused because the machine is slow
    while (due < h->scheduled.count && h->scheduled.data[due]->command.apply.at <= next) {
        request *q = h->scheduled.data[due++];
        error err;
        if (q->timing.late == 0) { // otherwise its tick was over when it arrived
            note_timing(h, q);
        }
        if (served_world_bars(h, q->command.method,
                              &err) || // the batch was accepted before the log failed
            !fits_record(h, &err)) {
            served_world_answer(h, q, &err);
        } else if (!served_world_may_act(q)) {
            refuse_fallen(h, q);
        } else {
            const bool bound = spent > 0 && !served_world_is_paused(h);
            const int64_t left =
                served_world_commands_ns(h) > spent ? served_world_commands_ns(h) - spent : 0;
            const int64_t most = bound ? left : INT64_MAX;
            const int64_t ns = batch_cost_ns(h->physics, &q->command);
            served_world_apply(h, q, false, &most);
            spent += ns + h->costs.command.step_ns;
        }
    }
    array_remove_first(&h->scheduled, due);
}

void served_world_refuse_batches(served_world *h, uint64_t session)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->scheduled.count; i++) {
        request *q = h->scheduled.data[i];
        if (q->reply_to.session.number == session && session_bodies_wanted(&q->command)) {
            served_world_refuse(h, q, STATUS_UNAVAILABLE, "the session has ended");
        } else {
            h->scheduled.data[kept++] = q;
        }
    }
    h->scheduled.count = kept;
}
