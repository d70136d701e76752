// The parts of libcarom-replica; private to it. A replica is one thread's at a time.
#ifndef CAROM_CLIENT_REPLICA_REPLICA_H
#define CAROM_CLIENT_REPLICA_REPLICA_H

#include <carom/replica.h>

#include "common/base/array.h"
#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "proto/log/log_player.h"
#include "proto/wire/buffer.h"

typedef ARRAY(uint64_t) replica_ids; // ascending

// Snapshots of the state: what the last one told, and what the next one has to (snapshot.c).
typedef struct replica_telling {
    uint64_t image; // the replica's `images` at the last snapshot; 0: the next one is full
    bool describe, with_contacts;
    bool outdated;         // descriptions that were told may have changed
    unsigned kinds;        // of events that are gathered
    uint32_t event_count;  // since the last snapshot, encoded in `events`
    replica_ids bodies;    // that were told
    replica_ids joint_ids; // likewise
    buffer rows, events, contacts, spawned, joints, out;
    uint32_t spawned_count, joint_count;
    replica_ids removed, joints_removed;
    ARRAY(body_row) taken; // scratch
    ARRAY(contact_info) taken_contacts;
} replica_telling;

struct carom_replica {
    log_player player; // player.world: NULL while there is none
    uint64_t images;   // that were taken
    bool unverified;   // hashes are not compared
    replica_telling telling;
    char world[WORLD_NAME_BYTES_MAX + 1];
    uint64_t epoch;
    carom_replica_event *on_event;
    void *event_user;
    unsigned kinds;
};

void replica_telling_init(replica_telling *t);
void replica_telling_deinit(replica_telling *t);
void replica_telling_drop_events(replica_telling *t);
void replica_telling_note_event(replica_telling *t, const physics_event *event);
// A command was applied that may have changed what was told of bodies and joints.
void replica_telling_note_command(replica_telling *t, method m);

// Asks the world for the events that anybody wants.
void replica_want_events(carom_replica *r);

// An error of the house as a public one; `err` may be NULL. Engine images and logs that cannot be
// followed are CAROM_UNAVAILABLE where `unavailable` is set.
carom_status replica_fault(carom_error *err, carom_status kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// CAROM_INVALID_ARGUMENT: a caller passed NULL where `argument` is needed.
carom_status replica_fault_null(carom_error *err, const char *argument);
carom_status replica_fault_of(carom_error *err, const struct error *from);

#endif
