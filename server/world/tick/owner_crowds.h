// Keeps one owner from crowding a world for everyone: the pairs of overlapping shapes that its
// commands make are counted by owner and checked against limits.pairs_per_owner.
//
// As in crowding.h the sum is an estimate that only commands raise. It is counted again when a
// command meets the limit, once a second at most: pairs of the owner's shapes with each other, and
// half of those with other owners' shapes. Admins, and senders without an owner, have no limit of
// their own.
//
// Bounded by the owners that have bodies: an owner whose count drops to 0 is forgotten. One thread:
// the world's.
#ifndef CAROM_SERVER_WORLD_TICK_OWNER_CROWDS_H
#define CAROM_SERVER_WORLD_TICK_OWNER_CROWDS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/owners.h"

typedef struct owner_crowd {
    char owner[OWNER_BYTES_MAX + 1];
    uint64_t pairs; // estimate
    bool counted;
    int64_t counted_ns; // when it was last counted
} owner_crowd;

// A zeroed struct knows of none.
typedef struct owner_crowds {
    ARRAY(owner_crowd) list;
} owner_crowds;

void owner_crowds_deinit(owner_crowds *k);

// Whether the sender may make so many pairs. `now` is the monotonic time. Error: limit_exceeded
// with the limit's name, the present number and the added one.
status owner_crowds_admit(owner_crowds *k, const physics_world *world, const owners *o,
                          const actor *who, uint64_t pairs, uint64_t most, int64_t now, error *err);
// Counts the new pairs of a command that was carried out.
void owner_crowds_note(owner_crowds *k, const actor *who, uint64_t pairs);

#endif
