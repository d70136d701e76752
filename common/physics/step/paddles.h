// Kinematic bodies that move so far in a step that they may have passed through a dynamic one
// between its beginning and its end: paddles, bats, platforms. See paddles.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_PADDLES_H
#define CAROM_COMMON_PHYSICS_STEP_PADDLES_H

#include "common/physics/state/world.h"

// Whether any shape of the kinematic body may pass through something in a step. On any thread.
bool paddle_may_pass(const physics_world *world, uint32_t body);
// In solve_continuous(), once world->scratch->paddles is sorted: whether the body is on it.
bool paddle_is_fast(const physics_world *world, uint32_t body);
// Adds the dynamic bodies near the paths of paddles, resting and sleeping ones included, to a list;
// some of them more than once.
void paddles_find_targets(physics_world *world, slot_list *targets);

#endif
