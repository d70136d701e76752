// Sorting without allocation; see sort.c.
#ifndef CAROM_COMMON_PHYSICS_PARALLEL_SORT_H
#define CAROM_COMMON_PHYSICS_PARALLEL_SORT_H

#include <stdbool.h>

#include "common/physics/parallel/lists.h"

// Sorts slots in ascending order and drops duplicates (sort.c). Returns how many are left.
uint32_t sort_slots(uint32_t *slots, uint32_t count);
// The same, with each slot kept once.
uint32_t sort_slots_once(uint32_t *slots, uint32_t count);
// Whether a slot is on a list sorted in this way.
bool slot_is_among(const slot_list *sorted, uint32_t slot);
// Sorts pairs by their first slot, then by their second, by merging through `other`, which keeps
// its memory (the library's qsort allocates).
void sort_pairs(item_pairs *pairs, item_pairs *other);
// Shrinks the list to the `most` pairs that would come first if it were sorted, in no order.
void keep_lowest_pairs(item_pairs *pairs, uint32_t most);

#endif
