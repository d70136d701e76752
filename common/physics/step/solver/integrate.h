// Velocities and poses of bodies over the sub-steps of a step; see integrate.c. The kernels are
// integrate_kernels.c, once for every variant; see wide.h.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_INTEGRATE_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_INTEGRATE_H

#include "common/physics/lanes/wide.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/solver_scratch.h"

// All sub-steps of the bodies that nothing holds, at once. The others that are awake are listed in
// world->solver->held: to those the next are done in each sub-step.
void integrate_free(physics_world *world);
// The same with `again` from the second sub-step on: besides what forces do, what solving did in
// the sub-step before is done once more.
void integrate_velocities(physics_world *world, bool again);
void integrate_positions(physics_world *world);
// A change of velocities between these two is not done once more.
void integrate_note_velocities(physics_world *world);
void integrate_leave_out(physics_world *world);

// Velocities of bodies as they were in this sub-step before anything was solved.
typedef struct velocity_lanes {
    float vx[LANES], vy[LANES], w[LANES];
} velocity_lanes;

typedef struct integrate_kernels {
    // The bodies of so many slots, of which none comes twice, all dynamic.
    void (*all)(physics_world *world, const uint32_t *slots, uint32_t count);
    // The eights [first, end) of world->solver->held.
    void (*velocities)(physics_world *world, uint32_t first, uint32_t end, bool again);
    void (*positions)(physics_world *world, uint32_t first, uint32_t end);
} integrate_kernels;

// The widest variant that this processor runs.
const integrate_kernels *integrate_kernels_choose(void);

#endif
