// A set of unordered pairs of slots: the pairs of shapes that already have a contact. Open
// addressing with linear probing, deletion by shifting back (Knuth, TAOCP 3, 6.4 R), so no
// tombstones accumulate. It is never iterated, so its order has no meaning.
#ifndef CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_PAIR_SET_H
#define CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_PAIR_SET_H

#include <stdbool.h>
#include <stdint.h>

// Two slots of 24 bits, the lower one first; all zero: free.
typedef struct packed_pair {
    uint16_t words[3];
} packed_pair;

typedef struct pair_set {
    packed_pair *pairs;
    uint32_t capacity, count; // the table is three quarters full at most
} pair_set;

void pair_set_deinit(pair_set *set);
void pair_set_copy(pair_set *to, const pair_set *from);
void pair_set_reserve(pair_set *set, uint32_t count); // `count` pairs then fit without growth
bool pair_set_has(const pair_set *set, uint32_t a, uint32_t b);
void pair_set_add(pair_set *set, uint32_t a, uint32_t b);    // must not be in the set
void pair_set_remove(pair_set *set, uint32_t a, uint32_t b); // must be in the set

#endif
