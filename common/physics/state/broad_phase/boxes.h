// Boxes of bodies; see boxes.c.
#ifndef CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_BOXES_H
#define CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_BOXES_H

#include "common/physics/state/world.h"

// A body that moves farther in a step is not followed from impact to impact: its box would overlap
// half the world. continuous.c keeps it from passing through static bodies [m].
#define FOLLOWED_WAY_MAX 4.0f

// Displacement of the body's centre of mass over a step [m].
static inline vec2 way_in_a_step(const physics_world *world, const body_state *s)
{
    return vec2_scale(world->step.dt, s->velocity);
}

// The box of a shape of this smallest half width extends ahead if the shape moves farther in a step
// than this [m].
static inline float ahead_from(float extent_min)
{
    return float_min(0.5f * extent_min, 0.1f);
}

// The box around a shape (relative to its body's position), extended for a fast body to its place
// after a step.
aabb box_with_way_ahead(const physics_world *world, const shape *s, aabb tight);

// Examines each box of the body and lists the shapes that have left theirs.
void body_look_at_boxes(physics_world *world, uint32_t slot, slot_list *renewed);
// Whether all of its boxes are certain to enclose the body, and its path ahead if they extend along
// it.
static inline bool body_has_room(const physics_world *world, uint32_t slot)
{
    const body_extent *extent = &world->extents.data[slot];
    const vec2 way = way_in_a_step(world, &world->states.data[slot]);
    const bool lively = world->step.lively; // the whole path, for impacts
    const float least = lively ? world->step.quick_way : ahead_from(extent->extent_min);
    const float squared = vec2_length_squared(way);
    float room = world->motions.data[slot].room;
    if (squared <= least * least) {
        return room > 0.0f;
    }
    room -= lively ? world->step.quick_slack : 0.0f;
    return room > 0.0f && room * room > squared;
}

// Renews the boxes that a body may have left by moving at most `moved` [m].
void body_update_boxes(physics_world *world, uint32_t slot, float moved);

#endif
