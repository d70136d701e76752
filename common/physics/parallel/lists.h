// Lists of slots and of pairs of slots, which the phases of a step find, sort and pass on.
#ifndef CAROM_COMMON_PHYSICS_PARALLEL_LISTS_H
#define CAROM_COMMON_PHYSICS_PARALLEL_LISTS_H

#include <stdint.h>

#include "common/base/array.h"

enum { NONE = 0 }; // no slot

typedef ARRAY(uint32_t) slot_list;

// Two slots of one kind; for boxes that came to overlap, an item of the first tree and one of the
// second.
typedef struct item_pair {
    uint32_t a, b;
} item_pair;
typedef ARRAY(item_pair) item_pairs;

#endif
