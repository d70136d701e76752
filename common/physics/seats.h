// Seats of a world: bytes that the engine only keeps. A server writes there who has a place in the
// world (common/world/seats.h), so that its hash, images, copies and logs have it. A world without
// seats has the hash and the images that it had before there were any.
#ifndef CAROM_COMMON_PHYSICS_SEATS_H
#define CAROM_COMMON_PHYSICS_SEATS_H

#include "common/physics/physics.h"

enum { WORLD_SEATS_BYTES_MAX = 128 << 10 }; // 1 024 seats of the longest subjects take two thirds

// Copies the bytes; a size of 0 ends the seats. STATUS_LIMIT_EXCEEDED for more than
// WORLD_SEATS_BYTES_MAX.
status world_set_seats(physics_world *world, const uint8_t *bytes, size_t size, error *err);
// NULL and 0 without seats. The pointer stays valid until the seats change.
const uint8_t *world_seats_bytes(const physics_world *world, size_t *size);

#endif
