// Hashes of a world's state; see hash.c. world_hash() is public.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_HASH_H
#define CAROM_COMMON_PHYSICS_IMAGE_HASH_H

#include "common/physics/physics.h"

// The state hash is a sum of parts: one for each word of 64 slots, over the slots in use.
uint64_t hash_bodies(const physics_world *world, uint32_t word);
uint64_t hash_contacts(const physics_world *world, uint32_t word);
uint64_t hash_rest(const physics_world *world); // all except bodies and contacts

#endif
