// What contact_fill.c gives to the table of kernels, in each variant; see contact_kernels in
// contact_lanes.h. Only for files that are compiled once a variant.
#ifndef CAROM_COMMON_PHYSICS_CONTACT_FILL_H
#define CAROM_COMMON_PHYSICS_CONTACT_FILL_H

#include "common/physics/contact_lanes.h"
#include "common/physics/lanes_kernel.h"

void VARIANT_OF(contact_fill_)(const physics_world *world, uint32_t group, const uint32_t *slots,
                               uint32_t count);
touch_changes VARIANT_OF(contact_store_)(const physics_world *world, uint32_t group,
                                         const uint32_t *slots, uint32_t count);

// 1 / k, or nothing.
INLINE wide inverse(wide k)
{
    const wide zero = splat(0.0f);
    return select_wide(k > zero, splat(1.0f) / k, zero);
}

// How soft contacts are: of two moving bodies, or stiffer where one of them does not move.
typedef struct softness_lanes {
    wide bias_rate;  // speed of pushing out per overlap [1/s]
    wide mass_scale; // share of the effective masses
    wide yield;      // its inverse
} softness_lanes;

INLINE softness_lanes softness(const contact_lanes *c, const step_context *step)
{
    const wide zero = splat(0.0f);
    wide_int stiff = (c->inv_mass_a == zero) | (c->inv_mass_b == zero);
    return (softness_lanes){
        select_wide(stiff, splat(step->static_bias_rate), splat(step->contact_bias_rate)),
        select_wide(stiff, splat(step->static_mass_scale), splat(step->contact_mass_scale)),
        select_wide(stiff, splat(step->static_yield), splat(step->contact_yield))};
}

#endif
