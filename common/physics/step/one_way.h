// One-way shapes; see one_way.c. These functions change at most the given contact, on any thread.
#ifndef CAROM_COMMON_PHYSICS_STEP_ONE_WAY_H
#define CAROM_COMMON_PHYSICS_STEP_ONE_WAY_H

#include "common/physics/state/world.h"

// Whether the normal from shape A to shape B lies on the open side of each of the two that is
// one-way. `a` and `b` are the rotations of their bodies in the normal's frame.
bool one_way_admits(const shape *shape_a, rot a, const shape *shape_b, rot b, vec2 normal);

// For a contact with contact.one_way whose manifold is new: takes away its points if the bodies do
// not collide. `was_solid`: they collided in the last step.
void one_way_judge(const physics_world *world, contact *c, bool was_solid);

// The same for points of a place that lies ahead (speculative.c).
void one_way_judge_ahead(const physics_world *world, contact *c);

#endif
