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

// The place of the number, or the free one for it. Numbers ascend with time: a multiplication by an
// odd number (2^64 divided by the golden ratio; Knuth 6.4) spreads them.
static session_number_place *place_of(const session_numbers *n, uint64_t number)
{
    uint64_t at = (number * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
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

bool session_numbers_find(const session_numbers *n, uint64_t number, uint32_t *slot)
{
    if (n->size == 0 || number == 0) {
        return false;
    }
    const session_number_place *place = place_of(n, number);
    *slot = place->slot;
    return place->number == number;
}
