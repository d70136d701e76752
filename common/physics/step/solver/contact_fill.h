// The functions of contact_fill.c in the table of kernels, of each variant; see contact_kernels in
// contact_lanes.h. Only for files that are compiled once per variant.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_FILL_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_FILL_H

#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/step/solver/body_lanes.h"

void VARIANT_OF(contact_fill_)(const physics_world *world, uint32_t group, const uint32_t *slots,
                               uint32_t count);
touch_changes VARIANT_OF(contact_store_)(const physics_world *world, uint32_t group,
                                         const uint32_t *slots, uint32_t count);

// 1 / k, or 0 if k is 0.
INLINE lanes inverse(lanes k)
{
    const lanes zero = splat(0.0f);
    return lanes_select(k > zero, splat(1.0f) / k, zero);
}

// Softness of contacts: of two moving bodies, or the stiffer one if one of them is static.
typedef struct softness_lanes {
    lanes bias_rate;  // push-out speed per overlap [1/s]
    lanes mass_scale; // share of the effective masses
    lanes yield;      // its inverse
} softness_lanes;

INLINE softness_lanes softness(const contact_lanes *c, const step_context *step)
{
    const lanes zero = splat(0.0f);
    lanes_int stiff = (c->inv_mass_a == zero) | (c->inv_mass_b == zero);
    return (softness_lanes){
        lanes_select(stiff, splat(step->static_bias_rate), splat(step->contact_bias_rate)),
        lanes_select(stiff, splat(step->static_mass_scale), splat(step->contact_mass_scale)),
        lanes_select(stiff, splat(step->static_yield), splat(step->contact_yield))};
}

#endif
