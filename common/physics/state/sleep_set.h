// Sets of bodies that sleep: forming them, by command too, and waking them. step/sleep.c decides
// which bodies may sleep. On the world's thread.
#ifndef CAROM_COMMON_PHYSICS_STATE_SLEEP_SET_H
#define CAROM_COMMON_PHYSICS_STATE_SLEEP_SET_H

#include "common/physics/physics.h"

// Takes the bodies (ascending slots, awake, dynamic) off all lists, as one set.
void sleep_set_form(physics_world *world, const uint32_t *bodies, uint32_t count);
// All that fell asleep with the body.
void sleep_set_wake(physics_world *world, uint32_t body);
// The body and all that touches it or is joined to it, at once; not if a moving kinematic body
// does.
void sleep_set_put_island(physics_world *world, uint32_t body);

#endif
