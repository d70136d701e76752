// Light bodies under heavy ones; see heavy_loads.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_HEAVY_LOADS_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_HEAVY_LOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"

struct physics_world;

// The largest ratio of masses of two touching or joined bodies that sweeps over constraints handle.
#define MASS_RATIO_MAX 20.0f

// Whether the ratio of two dynamic bodies' masses is above MASS_RATIO_MAX, by their inverse masses.
static inline bool masses_are_uneven(float of_a, float of_b)
{
    const float heavy = of_a < of_b ? of_a : of_b;
    return (of_a > of_b ? of_a : of_b) > MASS_RATIO_MAX * heavy && heavy > 0.0f;
}

// A light body's own mass, while it counts with a larger one.
typedef struct lent_mass {
    uint32_t body;
    float inv_mass, inv_inertia;
} lent_mass;
typedef ARRAY(lent_mass) lent_mass_list;

// Lets light bodies pressed between a heavy one and another count with a larger mass, until
// return_masses(). Uses these contacts, in any order. False if there is no such body.
bool lend_masses(struct physics_world *world, const uint32_t *contacts, uint32_t count);
void return_masses(struct physics_world *world);

#endif
