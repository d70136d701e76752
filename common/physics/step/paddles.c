// Fast kinematic bodies (paddles). Nothing stops them, so the dynamic bodies near their path are
// swept instead: each against the paths of the paddles, like a bullet, even if it rests or sleeps
// (continuous.c). A body that a paddle reaches is placed in front of it, moves with it to the end
// of the step, and is struck in the next one.
//
// The search for near bodies works shape by shape, so that in a drum of thin walls only the bodies
// by the walls are swept and not the whole filling. Whether a shape is fast depends on its own
// width: it cannot have passed through anything if it moved less than half of that.
#include "common/physics/step/paddles.h"

#include "common/physics/parallel/sort.h"
#include "common/physics/step/step_scratch.h"
#include "common/physics/step/way.h"

typedef struct target_search {
    const physics_world *world;
    slot_list *targets;
} target_search;

// Whether any point of the shape may move by more than half the shape's width.
static bool shape_may_pass(const physics_world *world, uint32_t slot, const shape *s)
{
    const body_state *state = &world->states.data[slot];
    const float arm =
        shape_extent_max(&s->traits->geometry, world->motions.data[slot].local_center);
    const float moves =
        world->step.dt * (vec2_length(state->velocity) + float_abs(state->angular_velocity) * arm);
    return s->boxed && (s->flags & SHAPE_SENSOR) == 0 &&
           moves > float_max(0.5f * s->traits->extent_min, LINEAR_SLOP);
}

bool paddle_may_pass(const physics_world *world, uint32_t slot)
{
    for (uint32_t k = world->bodies.data[slot].shapes; k != NONE; k = world->shapes.data[k].next) {
        if (shape_may_pass(world, slot, &world->shapes.data[k])) {
            return true;
        }
    }
    return false;
}

bool paddle_is_fast(const physics_world *world, uint32_t body_)
{
    return slot_is_among(&world->scratch->paddles, body_);
}

static bool note_target(void *context, uint32_t shape_)
{
    const target_search *t = context;
    const physics_world *world = t->world;
    const uint32_t slot = world->shapes.data[shape_].body;
    // Fast bodies are on the list already.
    if ((world->shapes.data[shape_].flags & SHAPE_SENSOR) == 0 &&
        (t->targets->count == 0 || t->targets->data[t->targets->count - 1] != slot)) {
        array_push(t->targets, slot);
    }
    return true;
}

static void find_targets_of(physics_world *world, uint32_t slot, slot_list *targets)
{
    target_search t = {world, targets};
    const way w = way_of(world, slot);
    const sweep whole = way_piece(&w, w.start, 0.0f, 1.0f);
    const float extent_max = world->extents.data[slot].extent_max;
    for (uint32_t k = world->bodies.data[slot].shapes; k != NONE; k = world->shapes.data[k].next) {
        const shape *s = &world->shapes.data[k];
        if (shape_may_pass(world, slot, s)) {
            tree_query(&world->broad.trees[BODY_DYNAMIC],
                       way_box(&w, &whole, &s->traits->geometry, extent_max), note_target, &t);
        }
    }
}

void paddles_find_targets(physics_world *world, slot_list *targets)
{
    const slot_list *paddles = &world->scratch->paddles;
    for (uint32_t i = 0; i < paddles->count; i++) {
        find_targets_of(world, paddles->data[i], targets);
    }
}
