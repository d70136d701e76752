// Decodes a snapshot notification's bytes into a carom_snapshot, without a tree of values in
// between: at 60 snapshots a second of a few thousand bodies a client spends most of its time here.
//
// The decoder owns the arrays and keeps their memory from one snapshot to the next.
#ifndef CAROM_CLIENT_LIB_SNAPSHOT_H
#define CAROM_CLIENT_LIB_SNAPSHOT_H

#include <carom/snapshot.h>

#include "client/lib/fault.h"
#include "client/lib/log_streams.h"
#include "client/lib/packed_streams.h"
#include "common/base/vector.h"

enum {
    SNAPSHOT_WORLD_MAX = 64 + 1, // bytes of a world's name with a closing zero
    EVENT_NAME_MAX = 64,         // bytes of an unknown kind's name, with a closing zero
    MESSAGE_TEXT_MAX = 64 + 1    // bytes of a message's name, or of a subject, with a closing zero
};

typedef struct event_name {
    char text[EVENT_NAME_MAX];
} event_name;

// The texts of a message among the events.
typedef struct message_texts {
    uint32_t event; // its place in the list of events
    char name[MESSAGE_TEXT_MAX];
    char subject[MESSAGE_TEXT_MAX];
} message_texts;

typedef struct snapshot_decoder {
    VECTOR(carom_body) bodies;
    VECTOR(uint64_t) removed;
    VECTOR(uint64_t) enter;
    VECTOR(uint64_t) leave;
    VECTOR(carom_event) events;
    VECTOR(event_name) names; // names of unknown kinds of events, in order
    VECTOR(message_texts) messages;
    VECTOR(carom_contact) contacts;
    VECTOR(carom_body_info *) spawned; // blocks of describe.h, owned by the decoder
    VECTOR(carom_joint_info) joints;
    VECTOR(uint64_t) joints_removed;
    VECTOR(carom_datum) world_data; // values lie in the bytes
    char world[SNAPSHOT_WORLD_MAX];
    packed_streams packed;
    log_streams logs;
    const uint8_t *data; // set while a packed snapshot is read
    size_t data_size;
} snapshot_decoder;

void snapshot_decoder_deinit(snapshot_decoder *d);

// Decodes the map `bytes`, which a scanner has passed. `out` is valid until the next decode and as
// long as the bytes. Unknown keys are skipped. CAROM_INTERNAL, with the fault, for a map that is no
// snapshot: a missing or duplicate key, a wrong type, a number that is not finite, an id of 0;
// CAROM_OUT_OF_MEMORY.
//
// A packed snapshot gives the same result as a plain one: `bodies`, `removed`, `enter` and `leave`
// are unpacked, and keys left out of its changes have the values of the full one. Its
// subscription's state stays in the decoder.
carom_status snapshot_decode(snapshot_decoder *d, const void *bytes, size_t size,
                             carom_snapshot *out, carom_error *err);

// Decodes the map of a notification "log": expands the compact record in it, as if it had arrived
// in the ordinary form. CAROM_NOT_FOUND: no image of this subscription has arrived.
carom_status snapshot_decode_compact(snapshot_decoder *d, const void *bytes, size_t size,
                                     carom_snapshot *out, carom_error *err);

// The subscription has ended: frees the state of its packed snapshots or its log.
void snapshot_decoder_forget(snapshot_decoder *d, uint64_t subscription);

#endif
