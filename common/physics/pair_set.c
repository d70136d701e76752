#include "common/physics/pair_set.h"

#include <stdlib.h>

#include "common/base/assert.h"

enum { CAPACITY_MIN = 64 };

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// The finaliser of MurmurHash3 (A. Appleby): every bit of the key reaches every bit of the place.
static uint32_t place_of(uint64_t key, uint32_t capacity)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdULL;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53ULL;
    key ^= key >> 33;
    return (uint32_t)key & (capacity - 1);
}

static uint32_t find(const pair_set *set, uint64_t key)
{
    uint32_t place = place_of(key, set->capacity);
    while (set->keys[place] != 0 && set->keys[place] != key) {
        place = (place + 1) & (set->capacity - 1);
    }
    return place;
}

static void grow_to(pair_set *set, uint32_t capacity)
{
    pair_set larger = {.capacity = capacity};
    larger.keys = calloc(larger.capacity, sizeof *larger.keys);
    ASSERT(larger.keys != NULL);
    for (uint32_t i = 0; i < set->capacity; i++) {
        if (set->keys[i] != 0) {
            larger.keys[find(&larger, set->keys[i])] = set->keys[i];
        }
    }
    larger.count = set->count;
    free(set->keys);
    *set = larger;
}

void pair_set_reserve(pair_set *set, uint32_t count)
{
    uint32_t capacity = set->capacity == 0 ? CAPACITY_MIN : set->capacity;
    while (capacity - capacity / 3 < count) {
        capacity *= 2;
    }
    if (capacity > set->capacity) {
        grow_to(set, capacity);
    }
}

void pair_set_deinit(pair_set *set)
{
    free(set->keys);
    *set = (pair_set){0};
}

bool pair_set_has(const pair_set *set, uint32_t a, uint32_t b)
{
    return set->count > 0 && set->keys[find(set, key_of(a, b))] != 0;
}

void pair_set_add(pair_set *set, uint32_t a, uint32_t b)
{
    pair_set_reserve(set, set->count + 1);
    uint32_t place = find(set, key_of(a, b));
    ASSERT(set->keys[place] == 0);
    set->keys[place] = key_of(a, b);
    set->count++;
}

void pair_set_remove(pair_set *set, uint32_t a, uint32_t b)
{
    uint32_t mask = set->capacity - 1;
    uint32_t hole = find(set, key_of(a, b));
    ASSERT(set->keys[hole] != 0);
    set->count--;
    for (uint32_t next = (hole + 1) & mask; set->keys[next] != 0; next = (next + 1) & mask) {
        uint32_t home = place_of(set->keys[next], set->capacity);
        // Move it into the hole unless its home lies after the hole.
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            set->keys[hole] = set->keys[next];
            hole = next;
        }
    }
    set->keys[hole] = 0;
}
