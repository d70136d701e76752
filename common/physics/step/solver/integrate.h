// Velocities and poses of bodies over the sub-steps of a step; see integrate.c. The kernels are
// integrate_kernels.c, once for every variant; see wide.h.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_INTEGRATE_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_INTEGRATE_H

#include "common/physics/lanes/wide.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/solver_scratch.h"

// Computes all sub-steps of free bodies at once. Lists the other awake bodies in
// world->solver->held: the next functions handle those in each sub-step.
void integrate_free(physics_world *world);
// Applies forces, with `again` from the second sub-step on: then also repeats the velocity changes
// that solving made in the previous sub-step.
void integrate_velocities(physics_world *world, bool again);
void integrate_positions(physics_world *world);
// Changes of velocities between these two calls are not repeated.
void integrate_note_velocities(physics_world *world);
void integrate_leave_out(physics_world *world);

// Velocities of bodies in this sub-step before solving.
typedef struct velocity_lanes {
    float vx[LANES], vy[LANES], w[LANES];
} velocity_lanes;

typedef struct integrate_kernels {
    // All sub-steps of these bodies, which are distinct and dynamic.
    void (*all)(physics_world *world, const uint32_t *slots, uint32_t count);
    // The groups of eight [first, end) of world->solver->held.
    void (*velocities)(physics_world *world, uint32_t first, uint32_t end, bool again);
    void (*positions)(physics_world *world, uint32_t first, uint32_t end);
} integrate_kernels;

// The widest variant that this processor supports.
const integrate_kernels *integrate_kernels_choose(void);

#endif
