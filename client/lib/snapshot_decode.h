// From a snapshot notification's bytes into a carom_snapshot, without a tree in between: at 60
// snapshots a second of a few thousand bodies that is what a client's time goes into.
//
// The decoder owns the arrays and keeps their memory from one snapshot to the next.
#ifndef CAROM_CLIENT_LIB_SNAPSHOT_DECODE_H
#define CAROM_CLIENT_LIB_SNAPSHOT_DECODE_H

#include <carom/snapshot.h>

#include "client/lib/fault.h"
#include "common/base/array.h"

enum {
    SNAPSHOT_WORLD_MAX = 64 + 1, // bytes of a world's name with a closing zero
    EVENT_NAME_MAX = 64          // bytes of a kind that is not ours, with a closing zero
};

typedef struct event_name {
    char text[EVENT_NAME_MAX];
} event_name;

typedef struct snapshot_decoder {
    ARRAY(carom_body) bodies;
    ARRAY(uint64_t) removed;
    ARRAY(uint64_t) enter;
    ARRAY(uint64_t) leave;
    ARRAY(carom_event) events;
    ARRAY(event_name) names; // of events that are not ours, in their order
    ARRAY(carom_contact) contacts;
    char world[SNAPSHOT_WORLD_MAX];
} snapshot_decoder;

void snapshot_decoder_deinit(snapshot_decoder *d);

// Decodes the map `bytes`, which a scanner has passed. `out` is valid until the next decode and as
// long as the bytes. Unknown keys are stepped over. CAROM_INTERNAL, with what is wrong, for what is
// no snapshot: a missing or doubled key, a wrong type, a number that is not finite, an id of 0.
carom_status snapshot_decode(snapshot_decoder *d, const void *bytes, size_t size,
                             carom_snapshot *out, carom_error *err);

#endif
