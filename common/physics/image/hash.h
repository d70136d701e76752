// Hashes of what a world holds; see hash.c. world_hash() is public.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_HASH_H
#define CAROM_COMMON_PHYSICS_IMAGE_HASH_H

#include "common/physics/physics.h"

// The state hash is a sum of parts. Of a word of slots, 64 of them, what is in use:
uint64_t hash_bodies(const physics_world *world, uint32_t word);
uint64_t hash_contacts(const physics_world *world, uint32_t word);
uint64_t hash_rest(const physics_world *world); // all but bodies and contacts

#endif
