// Compares the server's log with the prediction: which ticks were right, and the outcome of each
// batch; see prediction.h.
#include "client/prediction/internal.h"

#include <math.h>

#define LOST_S 2.0 // time after which a batch that the log has not shown counts as lost [s]

static bool is_own(const prediction *p, const log_command *row, const command *c)
{
    return row->session == p->options.session && row->session != 0 &&
           c->method == METHOD_WORLD_APPLY && c->apply.has_at;
}

void prediction_note_command(prediction *p, const log_command *row, const command *c,
                             const command_result *result)
{
    const uint32_t at = is_own(p, row, c) ? batches_find(&p->batches, c->apply.at) : UINT32_MAX;
    if (at == UINT32_MAX) {
        return; // another session's batch, or one sent without the prediction
    }
    batches_note_made(&p->batches, c->apply.at, result, true);
    p->figures.confirmed++;
    p->figures.late += row->tick > c->apply.at;
    p->shown_at = c->apply.at > p->shown_at ? c->apply.at : p->shown_at;
    batches_remove(&p->batches, at);
}

// A batch that was not in its tick's record is expected in the next one; a batch that a later batch
// has overtaken, or that is long overdue, counts as lost.
static void look_at_waiting(prediction *p, uint64_t tick)
{
    const uint64_t patience = (uint64_t)ceil(LOST_S * p->clock.hz);
    for (uint32_t i = 0; i < p->batches.list.count;) {
        timed_batch *b = &p->batches.list.data[i];
        const bool due = b->at <= tick;
        if (due && (b->at < p->shown_at || b->at + patience <= tick)) {
            batches_remove(&p->batches, i);
            p->figures.lost++;
            p->replans = true;
            continue;
        }
        if (b->plan <= tick) {
            b->plan = tick + 1;
            p->replans = true;
        }
        i++;
    }
}

void prediction_note_step(prediction *p)
{
    const physics_world *world = p->confirmed->world;
    const uint64_t tick = world_tick(world);
    const predicted_tick *t = prediction_tick_at(p, tick);
    p->settled = tick;
    shown_poses_note_past(&p->shown, world);
    foreseen_events_confirmed(&p->events, world, p->options.events);
    look_at_waiting(p, tick);
    if (p->valid && p->tick >= tick) {
        const bool right = t->predicted && t->hash == world_hash(world);
        p->differs = !right;
        tally_span *span = tally_now(&p->tally);
        span->ticks++;
        span->right += right;
        p->figures.ticks++;
        p->figures.ticks_right += right;
    }
}

void prediction_note_arrival(prediction *p, double now)
{
    if (p->confirmed != NULL && p->confirmed->world != NULL && !p->confirmed->paused) {
        lead_clock_arrival(&p->clock, now, world_tick(p->confirmed->world));
    }
}

uint32_t prediction_event_kinds(const prediction *p)
{
    return p->options.events;
}

void prediction_refused(prediction *p, uint64_t at)
{
    const uint32_t index = batches_find(&p->batches, at);
    if (index != UINT32_MAX) {
        batches_remove(&p->batches, index);
        p->figures.refused++;
        p->replans = true;
    }
}

uint64_t prediction_made(const prediction *p, uint64_t at, uint32_t index, bool *confirmed)
{
    return batches_made(&p->batches, at, index, confirmed);
}

void prediction_note_own(prediction *p, const command *batch, uint64_t tick)
{
    (void)tick;
    for (uint32_t i = 0; i < batch->apply.count; i++) {
        const command *c = &batch->apply.commands[i];
        const uint64_t id = command_subject(c);
        const bool body = c->method == METHOD_BODY_SET || c->method == METHOD_BODY_IMPULSE ||
                          c->method == METHOD_BODY_ANGULAR_IMPULSE ||
                          c->method == METHOD_BODY_FORCE || c->method == METHOD_BODY_TORQUE;
        if (body && id != 0 && !command_id_is_reference(id)) {
            prediction_own(p, id);
        }
    }
}
