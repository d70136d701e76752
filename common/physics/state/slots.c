// Slots with generations; slots.h has the rules. Any thread may read them while none changes them.
//
// Invariants: `count` bits of `taken` are set besides bit 0; no taken slot is at `end` or beyond;
// all free slots in the words before `first_word` are retired.
#include "common/physics/state/slots.h"

#include "common/base/assert.h"

void slots_init(slot_pool *s)
{
    *s = (slot_pool){0};
    array_push(&s->taken, 1); // slot 0
    s->end = 1;
}

void slots_deinit(slot_pool *s)
{
    array_free(&s->taken);
    array_free(&s->generations);
}

static void grow_to(slot_pool *s, uint32_t slot)
{
    while (s->taken.count <= slot >> 6) {
        array_push(&s->taken, 0);
    }
    if (slot >= s->end) {
        s->end = slot + 1;
    }
}

// Generations are stored only up to the last slot that has one: most worlds remove little, and
// contacts have none.
static void set_generation(slot_pool *s, uint32_t slot, uint32_t generation)
{
    if (generation == slots_generation(s, slot)) {
        return;
    }
    while (s->generations.count <= slot) {
        array_push(&s->generations, 0);
    }
    s->generations.data[slot] = generation;
}

static void mark_taken(slot_pool *s, uint32_t slot)
{
    s->taken.data[slot >> 6] |= (uint64_t)1 << (slot & 63);
}

static bool is_retired(const slot_pool *s, uint32_t slot)
{
    return slots_generation(s, slot) == SLOT_RETIRED;
}

// The lowest slot that is free and not retired; the pool grows if there is none.
static uint32_t find_free(slot_pool *s)
{
    uint32_t word = s->first_word;
    for (;; word++) {
        uint64_t open = word < s->taken.count ? ~s->taken.data[word] : UINT64_MAX;
        while (open != 0) {
            uint32_t slot = word << 6 | (uint32_t)__builtin_ctzll(open);
            if (!is_retired(s, slot)) {
                s->first_word = word;
                return slot;
            }
            open &= open - 1;
        }
    }
}

uint32_t slots_take(slot_pool *s)
{
    uint32_t slot = find_free(s);
    ASSERT(slot < 1u << SLOT_BITS);
    grow_to(s, slot);
    mark_taken(s, slot);
    s->count++;
    return slot;
}

void slots_release_unnumbered(slot_pool *s, uint32_t slot)
{
    ASSERT(slots_has(s, slot));
    s->count--;
    s->taken.data[slot >> 6] &= ~((uint64_t)1 << (slot & 63));
    if (slot >> 6 < s->first_word) {
        s->first_word = slot >> 6;
    }
}

void slots_release(slot_pool *s, uint32_t slot)
{
    uint32_t generation = slots_generation(s, slot);
    set_generation(s, slot, generation == SLOT_GENERATION_MAX ? SLOT_RETIRED : generation + 1);
    slots_release_unnumbered(s, slot);
}

void slots_reserve(slot_pool *s, uint32_t end)
{
    array_reserve(&s->taken, (end + 63) / 64);
}

void slots_restore(slot_pool *s, uint32_t slot, uint32_t generation, bool taken)
{
    grow_to(s, slot);
    set_generation(s, slot, generation);
    if (taken) {
        mark_taken(s, slot);
        s->count++;
    }
}
