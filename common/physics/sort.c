// Order for lists of slots. A radix sort: three passes of a byte each, for slots have 24 bits.
#include "common/base/assert.h"
#include "common/physics/world.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 32 };

static void insertion_sort(uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t slot = slots[i];
        uint32_t j = i;
        for (; j > 0 && slots[j - 1] > slot; j--) {
            slots[j] = slots[j - 1];
        }
        slots[j] = slot;
    }
}

static void radix_pass(const uint32_t *from, uint32_t *to, uint32_t count, unsigned shift)
{
    uint32_t place[257] = {0};
    for (uint32_t i = 0; i < count; i++) {
        place[(from[i] >> shift & 255) + 1]++;
    }
    for (int i = 0; i < 256; i++) {
        place[i + 1] += place[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        to[place[from[i] >> shift & 255]++] = from[i];
    }
}

uint32_t sort_slots(uint32_t *slots, uint32_t count)
{
    if (count <= SMALL) {
        insertion_sort(slots, count);
    } else {
        uint32_t *other = malloc((size_t)count * sizeof *other);
        ASSERT(other != NULL);
        radix_pass(slots, other, count, 0);
        radix_pass(other, slots, count, 8);
        radix_pass(slots, other, count, 16);
        memcpy(slots, other, (size_t)count * sizeof *slots);
        free(other);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || slots[kept - 1] != slots[i]) {
            slots[kept++] = slots[i];
        }
    }
    return kept;
}
