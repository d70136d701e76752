// The logs of a client's subscriptions: the compact form leaves out values that its reader knows,
// so the position of each subscription is stored here between notifications.
//
// Invariant: at most LOG_STREAMS_MAX, one for each subscription; beyond that the oldest is dropped,
// and its compact records cannot be read until its next image. One thread at a time.
#ifndef CAROM_CLIENT_LIB_LOG_STREAMS_H
#define CAROM_CLIENT_LIB_LOG_STREAMS_H

#include <stdint.h>

#include <carom/snapshot.h>

#include "client/lib/fault.h"
#include "common/base/vector.h"
#include "proto/limits.h"
#include "proto/wire/buffer.h"

// By default a server allows a connection 64 subscriptions.
enum { LOG_STREAMS_MAX = 1024 };

typedef struct log_stream_state {
    uint64_t subscription;
    uint64_t tick; // tick of the last record
    char world[WIRE_WORLD_NAME_MAX + 1];
} log_stream_state;

typedef struct log_streams {
    VECTOR(log_stream_state) list;
    buffer rows; // rows of the record being expanded
    buffer told;
} log_streams;

void log_streams_deinit(log_streams *s);

// Frees the stream of a subscription that has ended.
void log_streams_forget(log_streams *s, uint64_t subscription);

// Records a notification in the ordinary form; one with an image names the world.
carom_status log_streams_note(log_streams *s, const carom_snapshot *snapshot, carom_error *err);

// Expands `data` of a notification "log" to the map that the ordinary form would have. *told is
// valid until the next call. CAROM_NOT_FOUND: the subscription has ended, or never began;
// CAROM_INTERNAL: the bytes are no record; CAROM_OUT_OF_MEMORY.
carom_status log_streams_spell_out(log_streams *s, const uint8_t *data, size_t size,
                                   const buffer **told, carom_error *err);

#endif
