// One direction of a relayed connection: bytes between two sockets, each piece written when it
// arrives (distance.h).
//
// At most `bytes_max` bytes and one more read are in flight; beyond that the source is not read, so
// its window fills as over a slow network. The end of the source's bytes travels like a byte: the
// destination's writing side is shut down when it arrives.
//
// The caller owns the sockets, which are non-blocking. One thread at a time.
#ifndef CAROM_CLIENT_TOOL_RELAY_PIPE_H
#define CAROM_CLIENT_TOOL_RELAY_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/tool/relay/distance.h"

enum {
    PIPE_BYTES_MAX = 4 << 20,
    PIPE_READ_BYTES = 64 * 1024 // bytes of one pipe_read
};

typedef struct pipe_piece pipe_piece;

typedef struct relay_pipe {
    distance distance;
    pipe_piece *first, **last; // pieces in flight, in order
    size_t bytes_max;
    size_t waiting;    // bytes of the pieces, and of their bookkeeping
    uint64_t bytes;    // read so far
    bool source_ended; // the source has ended
    bool ended;        // the destination was shut down, too
} relay_pipe;

void pipe_init(relay_pipe *p, const distance_options *options, uint64_t number, size_t bytes_max);
void pipe_deinit(relay_pipe *p);

// Whether the source should be read.
bool pipe_wants(const relay_pipe *p);

// When the next piece can be written [s]; infinity when nothing is in flight.
double pipe_due(const relay_pipe *p);

// Reads once from the source. False when the connection is broken, or memory has run out.
bool pipe_read(relay_pipe *p, int source, double now);

// Writes the bytes that have arrived. False when the connection is broken.
bool pipe_write(relay_pipe *p, int destination, double now);

#endif
