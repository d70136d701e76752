// Sorting without allocation; see sort.c.
#ifndef CAROM_COMMON_PHYSICS_PARALLEL_SORT_H
#define CAROM_COMMON_PHYSICS_PARALLEL_SORT_H

#include <stdbool.h>

#include "common/physics/parallel/lists.h"

// Slots in ascending order, each once (sort.c). Returns how many are left.
uint32_t sort_slots(uint32_t *slots, uint32_t count);
// The same, with each slot kept once.
uint32_t sort_slots_once(uint32_t *slots, uint32_t count);
// Whether a slot is on a list that is so sorted.
bool slot_is_among(const slot_list *sorted, uint32_t slot);
// Pairs by their first, then by their second, by merging through `other`, whose memory is kept (the
// library's qsort allocates).
void sort_pairs(item_pairs *pairs, item_pairs *other);
// Shrinks the list to the `most` pairs that would be the first if it were sorted, in no order.
void keep_lowest_pairs(item_pairs *pairs, uint32_t most);

#endif
