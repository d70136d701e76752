// A hash table of session numbers; see session_numbers.h.
#include "server/session/identity/session_numbers.h"

#include <stdlib.h>

#include "common/base/assert.h"

enum { SIZE_LEAST = 64 };

void session_numbers_deinit(session_numbers *n)
{
    free(n->places);
    *n = (session_numbers){0};
}

// The place where the search for the number begins. Numbers ascend with time: a multiplication by
// an odd number (2^64 divided by the golden ratio; Knuth 6.4) spreads them.
static uint64_t home_of(uint64_t number)
{
    return (number * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
}

// The place of the number, or the free one for it.
static session_number_place *place_of(const session_numbers *n, uint64_t number)
{
    uint64_t at = home_of(number);
    while (true) {
        session_number_place *place = &n->places[at++ & (n->size - 1)];
        if (place->number == number || place->number == 0) {
            return place;
        }
    }
}

static void grow(session_numbers *n)
{
    const session_numbers before = *n;
    n->size = before.size == 0 ? SIZE_LEAST : 2 * before.size;
    n->places = calloc(n->size, sizeof *n->places);
    ASSERT_MEMORY(n->places != NULL);
    for (uint32_t i = 0; i < before.size; i++) {
        if (before.places[i].number != 0) {
            *place_of(n, before.places[i].number) = before.places[i];
        }
    }
    free(before.places);
}

void session_numbers_set(session_numbers *n, uint64_t number, uint32_t slot)
{
    ASSERT(number > 0);
    if (2 * (n->count + 1) > n->size) {
        grow(n);
    }
    session_number_place *place = place_of(n, number);
    n->count += place->number == 0;
    *place = (session_number_place){number, slot};
}

// Closes the gap: the numbers behind it are found from their homes without it (Knuth 6.4,
// algorithm R).
static void close_gap(session_numbers *n, uint32_t gap)
{
    const uint32_t mask = n->size - 1;
    for (uint32_t at = (gap + 1) & mask; n->places[at].number != 0; at = (at + 1) & mask) {
        const uint32_t home = (uint32_t)home_of(n->places[at].number) & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            n->places[gap] = n->places[at];
            gap = at;
        }
    }
    n->places[gap] = (session_number_place){0};
}

void session_numbers_remove(session_numbers *n, uint64_t number, uint32_t slot)
{
    uint32_t found = 0;
    if (session_numbers_find(n, number, &found) && found == slot) {
        close_gap(n, (uint32_t)(place_of(n, number) - n->places));
        n->count--;
    }
}

bool session_numbers_find(const session_numbers *n, uint64_t number, uint32_t *slot)
{
    if (n->size == 0 || number == 0) {
        return false;
    }
    const session_number_place *place = place_of(n, number);
    *slot = place->slot;
    return place->number == number;
}
