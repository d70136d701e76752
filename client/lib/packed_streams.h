// The packed streams of a client's subscriptions: each snapshot of encoding packed builds on the
// one before, so this table keeps the state of each subscription between them.
//
// Invariant: at most PACKED_STREAMS_MAX streams, one for each subscription; when the table is full,
// the least recently used one is dropped. One thread at a time.
#ifndef CAROM_CLIENT_LIB_PACKED_STREAMS_H
#define CAROM_CLIENT_LIB_PACKED_STREAMS_H

#include <stdint.h>

#include "client/lib/fault.h"
#include "common/base/vector.h"
#include "proto/packed/packed.h"

// Subscriptions that a client can follow at once: about 200 KiB each. By default a server allows a
// connection 64.
enum { PACKED_STREAMS_MAX = 1024 };

typedef struct packed_stream_state {
    uint64_t subscription;
    uint64_t used; // value of the use counter at its last use
    packed_decoder *decoder;
    char *world; // name; only full snapshots contain it
    uint64_t epoch;
} packed_stream_state;

typedef struct packed_streams {
    VECTOR(packed_stream_state) list;
    uint64_t uses;
} packed_streams;

void packed_streams_deinit(packed_streams *s);

// The subscription has ended.
void packed_streams_forget(packed_streams *s, uint64_t subscription);

// Decodes `data` of a snapshot of the subscription. A full one has `world` (copied) and `epoch`;
// for a change both are those of the full one. `out` and *world are valid until the next call.
// CAROM_INTERNAL: the bytes do not fit the stream; CAROM_OUT_OF_MEMORY.
carom_status packed_streams_decode(packed_streams *s, uint64_t subscription, const uint8_t *data,
                                   size_t size, const char **world, uint64_t *epoch,
                                   packed_changes *out, carom_error *err);

#endif
