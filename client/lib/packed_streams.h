// The packed streams of a client's subscriptions: each snapshot of encoding packed builds on the
// one before, so this table keeps the state of each subscription between them.
//
// Invariant: at most PACKED_STREAMS_MAX streams, one for each subscription; when the table is full,
// the least recently used one is dropped; their memory is at most PACKED_STREAMS_BYTES_MAX. One
// thread at a time.
#ifndef CAROM_CLIENT_LIB_PACKED_STREAMS_H
#define CAROM_CLIENT_LIB_PACKED_STREAMS_H

#include <stdint.h>

#include "client/lib/fault.h"
#include "common/base/vector.h"
#include "proto/packed/packed.h"

// Subscriptions that a client can follow at once: about 200 KiB each. By default a server allows a
// connection 64.
enum { PACKED_STREAMS_MAX = 1024 };

// Memory of all streams of a client [bytes]: that of the largest world, or of 64 views of 16 000
// bodies. A server sends a body in a bit, and each stream keeps some hundred bytes of it.
#define PACKED_STREAMS_BYTES_MAX (UINT64_C(1) << 30)

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
    uint64_t bytes;      // memory of all decoders
    uint64_t bytes_most; // 0: PACKED_STREAMS_BYTES_MAX
} packed_streams;

void packed_streams_deinit(packed_streams *s);

// Frees the stream of a subscription that has ended.
void packed_streams_forget(packed_streams *s, uint64_t subscription);

// Decodes `data` of a snapshot of the subscription. A full one has `world` (copied) and `epoch`;
// for a change both are those of the full one. `out` and *world are valid until the next call.
// CAROM_INTERNAL: the bytes do not fit the stream; CAROM_LIMIT_EXCEEDED: the streams together would
// take more than their bound; CAROM_OUT_OF_MEMORY.
carom_status packed_streams_decode(packed_streams *s, uint64_t subscription, const uint8_t *data,
                                   size_t size, const char **world, uint64_t *epoch,
                                   packed_changes *out, carom_error *err);

#endif
