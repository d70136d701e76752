// Velocities and poses of bodies over the sub-steps of a step; see integrate.c. The kernels are
// integrate_kernels.c, once for every variant; see wide.h.
#ifndef CAROM_COMMON_PHYSICS_INTEGRATE_H
#define CAROM_COMMON_PHYSICS_INTEGRATE_H

#include "common/physics/world.h"

// All sub-steps of the bodies that nothing holds, at once. The others that are awake are listed in
// world->held: to those the next two are done in each sub-step.
void integrate_free(physics_world *world);
void integrate_velocities(physics_world *world);
void integrate_positions(physics_world *world);

// For the bodies of so many slots, of which none comes twice.
struct integrate_kernels {
    void (*all)(physics_world *world, const uint32_t *slots, uint32_t count); // only dynamic ones
    void (*velocities)(physics_world *world, const uint32_t *slots, uint32_t count);
    void (*positions)(physics_world *world, const uint32_t *slots, uint32_t count);
};

// The widest variant that this processor runs.
const integrate_kernels *integrate_kernels_choose(void);

#endif
