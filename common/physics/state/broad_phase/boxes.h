// Boxes of bodies; see boxes.c.
#ifndef CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_BOXES_H
#define CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_BOXES_H

#include "common/physics/state/world.h"

// Where the body's centre of mass will be after a step, seen from where it is [m].
static inline vec2 way_in_a_step(const physics_world *world, const body_state *s)
{
    return vec2_scale(1.0f / (float)world->def.hz, s->velocity);
}

// The box of a shape of this smallest half width reaches ahead if it goes farther in a step than
// this [m].
static inline float ahead_from(float extent_min)
{
    return float_min(0.5f * extent_min, 0.1f);
}

// How far ahead of the body any of its boxes may reach, at most [m].
static inline float ahead_at_most(const physics_world *world, const body_rim *rim,
                                  const body_state *s)
{
    float way = vec2_length(way_in_a_step(world, s));
    return way <= ahead_from(rim->extent_min) ? 0.0f : way;
}

// The box around a shape (relative to its body's position) and, if it is fast, where it will be
// after a step.
aabb box_with_way_ahead(const physics_world *world, const shape *s, aabb tight);

// Looks at each box of the body anew and lists the shapes that have left theirs.
void body_look_at_boxes(physics_world *world, uint32_t slot, slot_list *renewed);
// Whether all of its boxes are certain to hold the body still, and its way ahead where they reach
// ahead of it.
bool body_has_room(const physics_world *world, uint32_t slot);
// The body has moved by at most `moved` [m]: renews the boxes that it may have left.
void body_update_boxes(physics_world *world, uint32_t slot, float moved);

#endif
