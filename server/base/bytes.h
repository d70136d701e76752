// A block of encoded bytes, reference-counted: made once, written to any number of connections.
//
// Its creator fills it and then only hands out references. Invariant: from the second reference on
// nobody changes it, so that threads may share one encoding. The count is atomic; with the last
// unref the block goes home (home.h).
#ifndef CAROM_SERVER_BASE_BYTES_H
#define CAROM_SERVER_BASE_BYTES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/home.h"

typedef struct shared_bytes {
    atomic_uint references;
    atomic_uint queued; // outboxes that have it queued
    size_t size;        // bytes used
    size_t capacity;    // 0 if `data` was taken over
    uint8_t *data;
    homing way;
} shared_bytes;

// An empty block of `capacity` bytes, which does not move while it is filled. Has one reference.
shared_bytes *bytes_create(size_t capacity);

// Takes over `data` (from malloc; may be NULL if `size` is 0). Has one reference.
shared_bytes *bytes_take(uint8_t *data, size_t size);

// Another reference to the same block; returns it.
shared_bytes *bytes_ref(shared_bytes *b);

// Drops a reference; NULL does nothing.
void bytes_unref(shared_bytes *b);

#endif
