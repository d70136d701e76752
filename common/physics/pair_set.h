// A set of unordered pairs of slots: which two shapes already have a contact. Open addressing with
// linear probing, deletion by shifting back (Knuth, TAOCP 3, 6.4 R), so that no tombstones pile up.
// Never iterated: its order means nothing.
#ifndef CAROM_COMMON_PHYSICS_PAIR_SET_H
#define CAROM_COMMON_PHYSICS_PAIR_SET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pair_set {
    uint64_t *keys;           // 0: free
    uint32_t capacity, count; // capacity is a power of two, at most two thirds full
} pair_set;

void pair_set_deinit(pair_set *set);
void pair_set_reserve(pair_set *set, uint32_t count); // so that so many go in without growing
bool pair_set_has(const pair_set *set, uint32_t a, uint32_t b);
void pair_set_add(pair_set *set, uint32_t a, uint32_t b);    // not there yet
void pair_set_remove(pair_set *set, uint32_t a, uint32_t b); // there

#endif
