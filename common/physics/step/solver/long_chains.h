// Long chains whose joints open; see long_chains.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_LONG_CHAINS_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_LONG_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/geometry/math.h"

struct physics_world;

// Whether a revolute joint with this gap between its anchors, at these arms, has opened in a chain
// that is too long for sweeps.
bool is_open_in_long_chain(const struct physics_world *world, uint32_t joint, vec2 apart,
                           vec2 arm_a, vec2 arm_b);

#endif
