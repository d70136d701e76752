// Internal to libcarom-replica. A replica belongs to one thread at a time.
#ifndef CAROM_CLIENT_REPLICA_REPLICA_H
#define CAROM_CLIENT_REPLICA_REPLICA_H

#include <carom/replica.h>

#include "common/base/array.h"
#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "proto/log/log_player.h"
#include "proto/wire/buffer.h"

typedef ARRAY(uint64_t) replica_ids; // in ascending order

// The contents of the last snapshot, and the changes that the next one must describe (snapshot.c).
typedef struct replica_telling {
    uint64_t image; // the replica's `images` at the last snapshot; 0: the next snapshot is full
    bool describe, with_contacts;
    bool outdated;         // a description may have changed since its snapshot
    unsigned kinds;        // event kinds to collect
    uint32_t event_count;  // events since the last snapshot, encoded in `events`
    replica_ids bodies;    // bodies of the last snapshot
    replica_ids joint_ids; // joints of the last snapshot
    buffer rows, events, contacts, spawned, joints, out;
    uint32_t spawned_count, joint_count;
    replica_ids removed, joints_removed;
    ARRAY(body_row) taken; // scratch for the rows of a snapshot
    ARRAY(contact_info) taken_contacts;
} replica_telling;

struct carom_replica {
    log_player player; // player.world is NULL until the first image
    uint64_t images;   // number of images loaded
    bool unverified;   // hashes are not compared
    replica_telling telling;
    char world[WORLD_NAME_BYTES_MAX + 1];
    uint64_t epoch;
    carom_replica_event *on_event;
    void *event_user;
    unsigned kinds;
    struct prediction *prediction; // the prediction that follows this replica; NULL: none
};

void replica_telling_init(replica_telling *t);
void replica_telling_deinit(replica_telling *t);
void replica_telling_drop_events(replica_telling *t);
void replica_telling_note_event(replica_telling *t, const physics_event *event);
// Records that an applied command of this method may have changed descriptions of bodies and
// joints.
void replica_telling_note_command(replica_telling *t, method m);

// Writes the state of `world` to t->out, in the form of carom_replica_snapshot().
carom_status replica_tell(const carom_replica *r, replica_telling *t, physics_world *world,
                          const carom_replica_snapshot_options *options, carom_error *err);

carom_event replica_event_of(const physics_event *event);

// Makes the world report the event kinds that snapshots, the caller's on_event or the prediction
// need.
void replica_want_events(carom_replica *r);

// The name of a world that has none, in arguments.
#define REPLICA_NAME "replica"
// Decodes arguments in which the world's name may be missing; `world` ("": none) then is its name.
carom_status replica_decode(const char *world, method m, const carom_value *args, command *out,
                            carom_error *err);
// Decodes arguments, applies the method to `world`, and reads its answer.
carom_status replica_apply(physics_world *world, const char *world_name, method m,
                           const carom_value *args, carom_value **result, carom_error *err);
// carom_replica_bodies of any world.
size_t replica_bodies_of(const physics_world *world, carom_body *out, size_t max);
// carom_replica_call for another world than the replica's own.
carom_status replica_call_on(const carom_replica *r, physics_world *world, const char *method,
                             const carom_value *args, carom_value **result, carom_error *err);

// Writes `kind` and the text to `err`, which may be NULL, and returns `kind`. Images and logs that
// the replica cannot follow are CAROM_UNAVAILABLE.
carom_status replica_fault(carom_error *err, carom_status kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// CAROM_INVALID_ARGUMENT: the caller passed NULL for `argument`.
carom_status replica_fault_null(carom_error *err, const char *argument);
// Converts an internal error to a public one.
carom_status replica_fault_of(carom_error *err, const struct error *from);

#endif
