// Contacts made before bodies meet; see speculative.c. For narrow_phase.c, and for boxes that
// extend ahead. These functions only read, on any thread.
#ifndef CAROM_COMMON_PHYSICS_STEP_SPECULATIVE_H
#define CAROM_COMMON_PHYSICS_STEP_SPECULATIVE_H

#include "common/physics/state/world.h"

// For a contact without points: false if meet_ahead() would certainly find nothing. Quick.
bool may_meet_ahead(const physics_world *world, const contact *c, transform b_in_a);

// For a contact without points, whose gap was computed at `b_in_a`: whether the shapes meet in the
// coming step if nothing stops them. Then *b_in_a is B's frame relative to A's where they meet, and
// *m the manifold there.
bool meet_ahead(const physics_world *world, const contact *c, transform *b_in_a, manifold *m);

// The same at a time within the step [s].
bool meet_at(const physics_world *world, const contact *c, float t, transform *b_in_a, manifold *m);

#endif
