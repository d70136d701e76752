// Sets of sleeping bodies: forms them, also by command, and wakes them. step/sleep.c decides which
// bodies may sleep. On the world's thread.
#ifndef CAROM_COMMON_PHYSICS_STATE_SLEEP_SET_H
#define CAROM_COMMON_PHYSICS_STATE_SLEEP_SET_H

#include "common/physics/physics.h"

// Takes the bodies (ascending slots, awake, dynamic) off all lists, as one set.
void sleep_set_form(physics_world *world, const uint32_t *bodies, uint32_t count);
// Wakes all bodies that fell asleep with this one.
void sleep_set_wake(physics_world *world, uint32_t body);
// Puts the body and all bodies that touch it or are joined to it to sleep at once, unless a moving
// kinematic body touches them.
void sleep_set_put_island(physics_world *world, uint32_t body);

#endif
