// Reference-counted blocks of bytes; see bytes.h. Any thread.
#include "server/base/bytes.h"

#include <stddef.h>
#include <stdlib.h>

#include "common/base/assert.h"

static void destroy(homing *way)
{
    shared_bytes *b = (shared_bytes *)((char *)way - offsetof(shared_bytes, way));
    if (b->data != (uint8_t *)(b + 1)) {
        free(b->data);
    }
    free(b);
}

static size_t bytes_of(const shared_bytes *b)
{
    return sizeof *b + (b->capacity > 0 ? b->capacity : b->size);
}

shared_bytes *bytes_create(size_t capacity)
{
    shared_bytes *b = malloc(sizeof *b + capacity);
    ASSERT_MEMORY(b != NULL);
    *b = (shared_bytes){.capacity = capacity, .data = (uint8_t *)(b + 1)};
    atomic_init(&b->references, 1);
    atomic_init(&b->queued, 0);
    homing_begin(&b->way, bytes_of(b), destroy);
    return b;
}

shared_bytes *bytes_take(uint8_t *data, size_t size)
{
    ASSERT(data != NULL || size == 0);
    shared_bytes *b = malloc(sizeof *b);
    ASSERT_MEMORY(b != NULL);
    *b = (shared_bytes){.size = size, .data = data};
    atomic_init(&b->references, 1);
    atomic_init(&b->queued, 0);
    homing_begin(&b->way, bytes_of(b), destroy);
    return b;
}

shared_bytes *bytes_ref(shared_bytes *b)
{
    unsigned before = atomic_fetch_add_explicit(&b->references, 1, memory_order_relaxed);
    ASSERT(before > 0);
    return b;
}

void bytes_unref(shared_bytes *b)
{
    if (b == NULL) {
        return;
    }
    // Release: our reads end before the memory is freed. Acquire: we see those of all other
    // threads.
    unsigned before = atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel);
    ASSERT(before > 0);
    if (before > 1) {
        return;
    }
    // An outbox has a reference.
    ASSERT(atomic_load_explicit(&b->queued, memory_order_relaxed) == 0);
    homing_end(&b->way, bytes_of(b));
}
