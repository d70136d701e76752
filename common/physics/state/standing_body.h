// Standing bodies within the engine (standing.h): the flag, and the causes that end it.
#ifndef CAROM_COMMON_PHYSICS_STATE_STANDING_BODY_H
#define CAROM_COMMON_PHYSICS_STATE_STANDING_BODY_H

#include <stdint.h>

#include "common/physics/physics.h"

enum { BODY_STANDING = 1u << 6 }; // a flag of body.flags, beside those of body.h

// Makes the body move again; body_wake() calls it.
void standing_body_release(physics_world *world, uint32_t slot);

#endif
