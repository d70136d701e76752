// Internal to libcarom-replica: the inside of a local world, for carom/many.h. A world belongs to
// one thread at a time.
#ifndef CAROM_CLIENT_REPLICA_LOCAL_H
#define CAROM_CLIENT_REPLICA_LOCAL_H

#include <carom/local.h>

#include "common/base/vector.h"
#include "common/physics/physics.h"

struct carom_local {
    physics_world *physics;
    unsigned kinds; // events to keep
    VECTOR(physics_event) events;
    uint32_t events_taken; // number of `events` that the caller has taken
    uint64_t events_lost;
};

// Makes an empty world with the settings of `def`. NULL with an error that says why.
carom_local *local_create(const world_def *def, carom_error *err);
void local_step(carom_local *local, uint64_t ticks);

#endif
