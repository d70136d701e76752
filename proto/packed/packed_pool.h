// Memory for the axes of one packed stream's tracks: pieces of one size, from a few large slabs.
//
// A stream of thousands of bodies has one piece for each moving body. Allocated one by one they
// would leave the heap fragmented after the stream has ended; slabs are large enough to be
// mappings, which return to the system at once.
//
// One thread at a time. A zeroed pool is an empty one; it belongs to one stream, so all pieces have
// one size.
#ifndef CAROM_PROTO_PACKED_PACKED_POOL_H
#define CAROM_PROTO_PACKED_PACKED_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/packed/packed_track.h"

typedef struct packed_pool {
    struct packed_slab *slabs; // the newest first: only it has pieces that were never used
    void *free;                // freed pieces, linked by their first word
    uint32_t used;             // number of pieces in use
    uint32_t room;             // number of pieces in all slabs
    uint32_t fresh;            // pieces of the newest slab that were never used
    size_t bytes;              // total size of all slabs
} packed_pool;

enum {
    PACKED_SLAB_BYTES_MAX = 1 << 20,
    PACKED_SLAB_BYTES_LEAST = 1 << 13 // smallest size of the first slab
};

// Makes room for `pieces` pieces in an empty pool. False: no memory.
bool packed_pool_reserve(packed_pool *p, int groups, uint32_t pieces);
// Zeroed axes of a track, `groups` of packed_axes: 1 or 2. NULL: no memory.
packed_axes *packed_pool_take(packed_pool *p, int groups);
void packed_pool_put(packed_pool *p, packed_axes *axes); // NULL is allowed
// Frees the pool with all of its pieces.
void packed_pool_deinit(packed_pool *p);

#endif
