// The set of pairs that have a contact; pair_set.h has the method. Any thread may ask while none
// changes it.
#include "common/physics/state/broad_phase/pair_set.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/base/block.h"
#include "common/physics/state/slots.h"

enum {
    CAPACITY_MIN = 64,
    DOUBLING_MAX = 1 << 12 // larger tables grow by a quarter, so that they are never half empty
};

_Static_assert(sizeof(packed_pair) == 6 && 2 * SLOT_BITS == 48, "two slots are three words");

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << SLOT_BITS | b : (uint64_t)b << SLOT_BITS | a;
}

static uint64_t key_at(const pair_set *set, uint32_t place)
{
    const uint16_t *words = set->pairs[place].words;
    return (uint64_t)words[2] << 32 | (uint32_t)words[1] << 16 | words[0];
}

static void put_key(pair_set *set, uint32_t place, uint64_t key)
{
    set->pairs[place] =
        (packed_pair){{(uint16_t)key, (uint16_t)(key >> 16), (uint16_t)(key >> 32)}};
}

// The finaliser of MurmurHash3 (A. Appleby): every bit of the key affects every bit of the place.
// The upper half, as a fraction of 2^32, selects the place as a fraction of the capacity.
static uint32_t place_of(uint64_t key, uint32_t capacity)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdULL;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53ULL;
    key ^= key >> 33;
    return (uint32_t)((key >> 32) * capacity >> 32);
}

static uint32_t after(const pair_set *set, uint32_t place)
{
    return place + 1 < set->capacity ? place + 1 : 0;
}

// The number of places from one to the other, going up and wrapping around.
static uint32_t places_between(const pair_set *set, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + (set->capacity - from);
}

static uint32_t find(const pair_set *set, uint64_t key)
{
    uint32_t place = place_of(key, set->capacity);
    for (;;) {
        uint64_t there = key_at(set, place);
        if (there == 0 || there == key) {
            return place;
        }
        place = after(set, place);
    }
}

static void grow_to(pair_set *set, uint32_t capacity)
{
    pair_set larger = {.capacity = capacity, .count = set->count};
    larger.pairs = block_take(larger.capacity * sizeof *larger.pairs);
    for (uint32_t i = 0; i < set->capacity; i++) {
        uint64_t key = key_at(set, i);
        if (key != 0) {
            put_key(&larger, find(&larger, key), key);
        }
    }
    block_give_back(set->pairs, set->capacity * sizeof *set->pairs);
    *set = larger;
}

void pair_set_reserve(pair_set *set, uint32_t count)
{
    uint32_t capacity = set->capacity == 0 ? CAPACITY_MIN : set->capacity;
    while (capacity - capacity / 4 < count) {
        capacity += capacity < DOUBLING_MAX ? capacity : capacity / 4;
    }
    if (capacity > set->capacity) {
        grow_to(set, capacity);
    }
}

void pair_set_deinit(pair_set *set)
{
    block_give_back(set->pairs, set->capacity * sizeof *set->pairs);
    *set = (pair_set){0};
}

void pair_set_copy(pair_set *to, const pair_set *from)
{
    if (to->capacity != from->capacity) {
        pair_set_deinit(to);
        to->pairs = block_take(from->capacity * sizeof *to->pairs);
        to->capacity = from->capacity;
    }
    if (from->capacity > 0) {
        memcpy(to->pairs, from->pairs, from->capacity * sizeof *to->pairs);
    }
    to->count = from->count;
}

bool pair_set_has(const pair_set *set, uint32_t a, uint32_t b)
{
    return set->count > 0 && key_at(set, find(set, key_of(a, b))) != 0;
}

void pair_set_add(pair_set *set, uint32_t a, uint32_t b)
{
    pair_set_reserve(set, set->count + 1);
    uint64_t key = key_of(a, b);
    uint32_t place = find(set, key);
    ASSERT(key_at(set, place) == 0);
    put_key(set, place, key);
    set->count++;
}

void pair_set_remove(pair_set *set, uint32_t a, uint32_t b)
{
    uint32_t hole = find(set, key_of(a, b));
    ASSERT(key_at(set, hole) != 0);
    set->count--;
    for (uint32_t next = after(set, hole);; next = after(set, next)) {
        uint64_t key = key_at(set, next);
        if (key == 0) {
            break;
        }
        uint32_t home = place_of(key, set->capacity);
        // Moves the pair into the hole unless its home lies after the hole.
        if (places_between(set, home, next) >= places_between(set, hole, next)) {
            put_key(set, hole, key);
            hole = next;
        }
    }
    put_key(set, hole, 0);
}
