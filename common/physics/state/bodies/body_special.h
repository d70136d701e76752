// Unusual settings of a body, in a record that only such bodies have (body_special.c).
#ifndef CAROM_COMMON_PHYSICS_STATE_BODIES_BODY_SPECIAL_H
#define CAROM_COMMON_PHYSICS_STATE_BODIES_BODY_SPECIAL_H

#include "common/physics/state/world.h"

typedef struct body_special {
    float linear_damping, angular_damping, gravity_scale;
    float mass_override; // 0: computed from the shapes
    vec2 force;          // set by the user, acts every step
    vec2 force_point;    // place where the force acts, in the body's frame, relative to its origin
    float torque;
} body_special;

static inline const body_special *body_special_of(const physics_world *world, uint32_t slot)
{
    return &world->specials.data[world->motions.data[slot].special];
}
void body_set_special(physics_world *world, uint32_t slot, const body_special *special);
void specials_init(physics_world *world);

#endif
