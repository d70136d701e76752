// The parts of libcarom-replica; private to it. A replica is one thread's at a time.
#ifndef CAROM_CLIENT_REPLICA_REPLICA_H
#define CAROM_CLIENT_REPLICA_REPLICA_H

#include <carom/replica.h>

#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "proto/log/log_player.h"

struct carom_replica {
    log_player player; // player.world: NULL while there is none
    char world[WORLD_NAME_BYTES_MAX + 1];
    uint64_t epoch;
    bool partial; // stands within a record
    carom_replica_event *on_event;
    void *event_user;
    unsigned kinds;
};

// An error of the house as a public one; `err` may be NULL. Engine images and logs that cannot be
// followed are CAROM_UNAVAILABLE where `unavailable` is set.
carom_status replica_fault(carom_error *err, carom_status kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// CAROM_INVALID_ARGUMENT: a caller passed NULL where `argument` is needed.
carom_status replica_fault_null(carom_error *err, const char *argument);
carom_status replica_fault_of(carom_error *err, const struct error *from);

#endif
