// Keeps a world from being crowded: the pairs that a command would make are counted before it is
// carried out (common/physics/overlaps.h), against limits.pairs_per_world.
//
// The sum is an estimate that commands alone raise: bodies that move together or apart by
// themselves are not followed. It is counted anew when a command meets the limit, once a second at
// most, so that a crowd that has gone apart hinders nobody. Every pair also has its price, in time
// of its session's turn: finding it, making its contact, solving that in the next step.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_CROWDING_H
#define CAROM_SERVER_WORLD_CROWDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/command.h"

typedef struct crowding {
    uint64_t pairs; // estimate
    bool counted;
    int64_t counted_ns; // when it was last counted
} crowding;

// Whether the command may make its pairs; *price_ns is then what they cost. `now` is the monotonic
// time. Error: limit_exceeded with the limit's name; nothing has changed.
status crowding_admit(crowding *k, const physics_world *world, const command *c, uint64_t most,
                      int64_t now, int64_t *price_ns, error *err);

#endif
