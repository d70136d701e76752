#include "common/base/array.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum {
    ALIGNMENT = 64, // a cache line, so that vector loads never straddle two
    CAPACITY_MIN = 16,
    DOUBLING_BYTES_MAX = 1 << 15, // larger arrays grow by a quarter,
    QUARTER_BYTES_MAX = 1 << 17   // and yet larger ones by an eighth
};

// Doubled while that is cheap; what is large is not to stand half empty. An eighth more each time
// copies each element nine times at most, all growth taken together.
static uint32_t next_capacity(uint32_t capacity, size_t size)
{
    size_t bytes = capacity * size;
    uint32_t more = bytes < DOUBLING_BYTES_MAX  ? capacity
                    : bytes < QUARTER_BYTES_MAX ? capacity / 4
                                                : capacity / 8;
    ASSERT(more <= UINT32_MAX - capacity);
    return capacity + more;
}

// The first `kept` of the elements in memory for `capacity` of them, the rest zero.
static void *move(void *data, uint32_t kept, uint32_t capacity, size_t size)
{
    size_t bytes = ((size_t)capacity * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *moved = aligned_alloc(ALIGNMENT, bytes);
    ASSERT(moved != NULL);
    size_t used = (size_t)kept * size;
    if (used > 0) {
        memcpy(moved, data, used);
    }
    memset(moved + used, 0, bytes - used);
    free(data);
    return moved;
}

void *array_grow(void *data, uint32_t *capacity, uint32_t count, size_t size)
{
    uint32_t wanted = *capacity < CAPACITY_MIN ? CAPACITY_MIN : *capacity;
    while (wanted < count) {
        wanted = next_capacity(wanted, size);
    }
    void *grown = move(data, *capacity, wanted, size);
    *capacity = wanted;
    return grown;
}

void *array_refit(void *data, uint32_t *capacity, uint32_t count, size_t size)
{
    if (*capacity == count) {
        return data;
    }
    *capacity = count;
    if (count == 0) {
        free(data);
        return NULL;
    }
    return move(data, count, count, size);
}

void array_release(void *data)
{
    free(data);
}
