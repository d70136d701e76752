// For tests and fuzzers: everything that the files of this folder promise each other about a
// world's lists, graph, trees and counts, checked from scratch.
#ifndef CAROM_COMMON_PHYSICS_VALIDATE_H
#define CAROM_COMMON_PHYSICS_VALIDATE_H

#include "common/physics/physics.h"

// Panics (assert.h) where the world contradicts itself. Between steps only; takes time in
// proportion to all that the world holds.
void world_validate(const physics_world *world);

// For tests that reach PHYSICS_CONTACTS_MAX: the world has fewer from now on.
void world_lower_contacts_max(physics_world *world, uint32_t most);
void world_lower_meetings_max(physics_world *world, uint32_t most);

#endif
