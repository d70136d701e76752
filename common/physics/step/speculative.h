// Contacts made before bodies meet; see speculative.c. For narrow_phase.c, and boxes that reach
// ahead for it. All of it only reads, on any thread.
#ifndef CAROM_COMMON_PHYSICS_STEP_SPECULATIVE_H
#define CAROM_COMMON_PHYSICS_STEP_SPECULATIVE_H

#include "common/physics/state/world.h"

// Of a contact without points: false if it is certain that meet_ahead() would find nothing. Quick.
bool may_meet_ahead(const physics_world *world, const contact *c, transform b_in_a);

// Of a contact without points, whose gap was found at `b_in_a`: whether the shapes meet in the step
// to come if nothing stops them. Then *b_in_a is B's frame seen from A's where they do, and *m the
// manifold there.
bool meet_ahead(const physics_world *world, const contact *c, transform *b_in_a, manifold *m);

// The same at a time of the step [s].
bool meet_at(const physics_world *world, const contact *c, float t, transform *b_in_a, manifold *m);

#endif
