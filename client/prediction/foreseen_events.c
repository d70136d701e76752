// Predicted events; see foreseen_events.h. The prediction's thread.
#include "client/prediction/foreseen_events.h"

void foreseen_events_deinit(foreseen_events *f)
{
    array_free(&f->open);
    array_free(&f->told);
}

static void tell(foreseen_events *f, prediction_event_fate fate, bool was_predicted,
                 const physics_event *event)
{
    if (f->told.count - f->told_at >= PREDICTION_EVENTS_MAX) {
        f->lost++;
        return;
    }
    if (f->told_at == f->told.count) {
        f->told_at = 0;
        array_clear(&f->told);
    }
    const prediction_event told = {.fate = fate, .was_predicted = was_predicted, .event = *event};
    array_push(&f->told, told);
}

bool foreseen_events_next(foreseen_events *f, prediction_event *out)
{
    if (f->told_at == f->told.count) {
        return false;
    }
    *out = f->told.data[f->told_at++];
    return true;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static bool is_same(const physics_event *x, const physics_event *y)
{
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->shape_a == y->shape_a &&
           x->shape_b == y->shape_b && x->joint == y->joint;
}

// Finds the open event that `event` repeats: the nearest in time that has not happened in `round`
// yet.
static foreseen *find(foreseen_events *f, const physics_event *event, uint32_t round)
{
    foreseen *best = NULL;
    for (uint32_t i = 0; i < f->open.count; i++) {
        foreseen *o = &f->open.data[i];
        const uint64_t far = distance(o->event.tick, event->tick);
        if (far <= f->window && o->round != round && is_same(&o->event, event) &&
            (best == NULL || far < distance(best->event.tick, event->tick))) {
            best = o;
        }
    }
    return best;
}

void foreseen_events_again(foreseen_events *f)
{
    f->round++;
}

void foreseen_events_predicted(foreseen_events *f, const physics_world *world, uint32_t kinds)
{
    uint32_t count = 0;
    const physics_event *events = world_events(world, &count);
    for (uint32_t i = 0; i < count; i++) {
        if ((kinds >> events[i].kind & 1) == 0) {
            continue;
        }
        foreseen *known = find(f, &events[i], f->round);
        if (known != NULL) {
            known->event.tick = events[i].tick;
            known->round = f->round;
        } else if (f->open.count >= PREDICTION_EVENTS_MAX) {
            f->lost++;
        } else {
            const foreseen made = {.event = events[i], .round = f->round};
            array_push(&f->open, made);
            tell(f, PREDICTION_EVENT_PREDICTED, true, &events[i]);
        }
    }
}

static void close_event(foreseen_events *f, foreseen *o)
{
    array_swap_remove(&f->open, (uint32_t)(o - f->open.data));
}

static void take_back(foreseen_events *f, uint64_t before)
{
    for (uint32_t i = 0; i < f->open.count;) {
        foreseen *o = &f->open.data[i];
        if (o->event.tick < before) {
            tell(f, PREDICTION_EVENT_TAKEN_BACK, true, &o->event);
            close_event(f, o);
        } else {
            i++;
        }
    }
}

void foreseen_events_confirmed(foreseen_events *f, const physics_world *world, uint32_t kinds)
{
    uint32_t count = 0;
    const physics_event *events = world_events(world, &count);
    for (uint32_t i = 0; i < count; i++) {
        if ((kinds >> events[i].kind & 1) == 0) {
            continue;
        }
        foreseen *known = find(f, &events[i], f->round + 1); // an open event of any round
        tell(f, PREDICTION_EVENT_CONFIRMED, known != NULL, &events[i]);
        if (known != NULL) {
            close_event(f, known);
        }
    }
    const uint64_t tick = world_tick(world);
    take_back(f, tick > f->window ? tick - f->window : 0);
}

void foreseen_events_drop(foreseen_events *f)
{
    take_back(f, UINT64_MAX);
}
