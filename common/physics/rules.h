// Rules of a world: bytes that the engine only keeps. A server writes there what the world allows
// (common/world/players.h), so that its hash, images, copies and logs have it as they have its
// gravity. A world without rules has the hash and the images that it had before there were any.
#ifndef CAROM_COMMON_PHYSICS_RULES_H
#define CAROM_COMMON_PHYSICS_RULES_H

#include "common/physics/physics.h"

enum { WORLD_RULES_BYTES_MAX = 4096 }; // all methods by name, and each bound, take a third

// Copies the bytes; a size of 0 ends the rules. STATUS_LIMIT_EXCEEDED for more than
// WORLD_RULES_BYTES_MAX.
status world_set_rules(physics_world *world, const uint8_t *bytes, size_t size, error *err);
// NULL and 0 without rules. The pointer stays valid until the rules change.
const uint8_t *world_rules(const physics_world *world, size_t *size);

#endif
