#include "common/base/array.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { ALIGNMENT = 64, CAPACITY_MIN = 16 }; // a cache line, so that vector loads never straddle two

void *array_grow(void *data, uint32_t *capacity, uint32_t count, size_t size)
{
    uint32_t wanted = *capacity < CAPACITY_MIN ? CAPACITY_MIN : *capacity;
    while (wanted < count) {
        ASSERT(wanted <= UINT32_MAX / 2);
        wanted *= 2;
    }
    size_t bytes = ((size_t)wanted * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *grown = aligned_alloc(ALIGNMENT, bytes);
    ASSERT(grown != NULL);
    size_t used = (size_t)*capacity * size;
    if (used > 0) {
        memcpy(grown, data, used);
    }
    memset(grown + used, 0, bytes - used);
    free(data);
    *capacity = wanted;
    return grown;
}

void array_release(void *data)
{
    free(data);
}
