// For tests and fuzzers: checks a world's lists, graph, trees and counts from scratch against the
// invariants that the files of this folder rely on.
#ifndef CAROM_COMMON_PHYSICS_VALIDATE_H
#define CAROM_COMMON_PHYSICS_VALIDATE_H

#include "common/physics/physics.h"

// Panics (assert.h) if the world's data is inconsistent. Between steps only; takes time in
// proportion to the world's contents.
void world_validate(const physics_world *world);

// For tests that reach PHYSICS_CONTACTS_MAX: lowers the world's maximum.
void world_lower_contacts_max(physics_world *world, uint32_t most);
void world_lower_meetings_max(physics_world *world, uint32_t most);

#endif
