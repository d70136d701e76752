// Growth of arrays (array.h): a new capacity is chosen so that copying stays rare and little memory
// stands empty. Any thread; an array belongs to one at a time.
#include "common/base/array.h"

#include "common/base/assert.h"
#include "common/base/block.h"

enum {
    CAPACITY_MIN = 16,
    DOUBLING_BYTES_MAX = 1 << 15, // arrays up to this size double; larger ones grow by a quarter
    // arrays up to this size grow by a quarter; larger ones by an eighth, mapped ones by a
    // sixteenth
    QUARTER_BYTES_MAX = 1 << 17
};

// Small arrays double. Large ones grow by less, to waste less memory; growth by an eighth copies
// each element nine times at most in total.
static uint32_t next_capacity(uint32_t capacity, size_t size)
{
    size_t bytes = capacity * size;
    uint32_t more = bytes < DOUBLING_BYTES_MAX          ? capacity
                    : bytes < QUARTER_BYTES_MAX         ? capacity / 4
                    : bytes < (size_t)BLOCK_MAPPED_FROM ? capacity / 8
                                                        : capacity / 16;
    ASSERT(more <= UINT32_MAX - capacity);
    return capacity + more;
}

void *array_grow(void *data, uint32_t *capacity, uint32_t count, size_t size)
{
    uint32_t wanted = *capacity < CAPACITY_MIN ? CAPACITY_MIN : *capacity;
    while (wanted < count) {
        wanted = next_capacity(wanted, size);
    }
    void *grown = block_resize(data, *capacity * size, wanted * size);
    *capacity = wanted;
    return grown;
}

void *array_refit(void *data, uint32_t *capacity, uint32_t count, size_t size)
{
    if (*capacity == count) {
        return data;
    }
    void *fitted = block_resize(data, *capacity * size, count * size);
    *capacity = count;
    return fitted;
}

void array_release(void *data, uint32_t capacity, size_t size)
{
    block_give_back(data, capacity * size);
}
