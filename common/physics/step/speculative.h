// Contacts made before bodies meet; see speculative.c. For narrow_phase.c, and boxes that reach
// ahead for it. All of it only reads, on any thread.
#ifndef CAROM_COMMON_PHYSICS_STEP_SPECULATIVE_H
#define CAROM_COMMON_PHYSICS_STEP_SPECULATIVE_H

#include "common/physics/state/world.h"

// The way of the body's centre of mass in the next step, if nothing stops it [m].
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

// Of a contact without points: false if it is certain that meet_ahead() would find nothing. Quick.
bool may_meet_ahead(const physics_world *world, const contact *c, transform b_in_a);

// Of a contact without points, whose gap was found at `b_in_a`: whether the shapes meet in the step
// to come if nothing stops them. Then *b_in_a is B's frame seen from A's where they do, and *m the
// manifold there.
bool meet_ahead(const physics_world *world, const contact *c, transform *b_in_a, manifold *m);

#endif
