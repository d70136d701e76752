// Slots with generations: which of the places 1, 2, 3 … of an array are taken, and how often each
// has been used.
//
// A new object always gets the lowest free slot, which depends only on the set of taken ones: no
// free list has to be hashed or saved. A slot whose generations are used up is retired.
#ifndef CAROM_COMMON_PHYSICS_STATE_SLOTS_H
#define CAROM_COMMON_PHYSICS_STATE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/parallel/lists.h"

enum { SLOT_BITS = 24, SLOT_MASK = (1 << SLOT_BITS) - 1 };
#define SLOT_GENERATION_MAX ((1u << 29) - 1) // 24 + 29 bits: ids stay below 2^53
#define SLOT_RETIRED        (1u << 29)       // generation of a retired slot

typedef struct slot_pool {
    ARRAY(uint64_t) taken; // a bit for each slot; bit 0 is always set: slot 0 is none
    // generation of each slot, incremented when it is freed; slots beyond the array have 0
    ARRAY(uint32_t) generations;
    uint32_t count;      // number of taken slots
    uint32_t end;        // one more than the highest slot ever taken
    uint32_t first_word; // no word before this one has a free bit
} slot_pool;

void slots_init(slot_pool *s);
void slots_deinit(slot_pool *s);

// Takes the lowest free slot.
uint32_t slots_take(slot_pool *s);
void slots_release(slot_pool *s, uint32_t slot);
// Frees a slot without ids: the generation stays and the slot is never retired.
void slots_release_unnumbered(slot_pool *s, uint32_t slot);
// For restoring an image: makes room for slots below `end`, then sets a given free slot's
// generation and whether it is taken.
void slots_reserve(slot_pool *s, uint32_t end);
void slots_restore(slot_pool *s, uint32_t slot, uint32_t generation, bool taken);

static inline bool slots_has(const slot_pool *s, uint32_t slot)
{
    return slot != 0 && slot < s->end && (s->taken.data[slot >> 6] >> (slot & 63) & 1) != 0;
}

// The next taken slot after `slot`, or 0.
static inline uint32_t slots_next(const slot_pool *s, uint32_t slot)
{
    uint32_t word = (slot + 1) >> 6;
    if (word >= s->taken.count) {
        return 0;
    }
    uint64_t bits = s->taken.data[word] & UINT64_MAX << ((slot + 1) & 63);
    while (bits == 0) {
        if (++word == s->taken.count) {
            return 0;
        }
        bits = s->taken.data[word];
    }
    return word << 6 | (uint32_t)__builtin_ctzll(bits);
}

// A bit for each of the slots 64 * word to 64 * word + 63 that is taken.
static inline uint64_t slots_word(const slot_pool *s, uint32_t word)
{
    return word == 0 ? s->taken.data[0] & ~(uint64_t)1 : s->taken.data[word];
}

static inline uint32_t slots_words(const slot_pool *s) // words up to the highest slot ever taken
{
    return (s->end + 63) >> 6;
}

static inline uint32_t slots_generation(const slot_pool *s, uint32_t slot)
{
    return slot < s->generations.count ? s->generations.data[slot] : 0;
}

static inline uint64_t slots_id(const slot_pool *s, uint32_t slot)
{
    return (uint64_t)slots_generation(s, slot) << SLOT_BITS | slot;
}

// The slot of an id if it is taken with that generation; 0 for any other number.
static inline uint32_t slots_find(const slot_pool *s, uint64_t id)
{
    uint32_t slot = (uint32_t)(id & ((1u << SLOT_BITS) - 1));
    return slots_has(s, slot) && id >> SLOT_BITS == slots_generation(s, slot) ? slot : 0;
}

#endif
