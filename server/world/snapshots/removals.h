// Removals that a table of snapshots keeps for its readers (row_table.h, joint_table.h): an array
// in the order of their versions, whose elements have `removed`, the first version without the
// thing. One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_REMOVALS_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_REMOVALS_H

#include "common/base/array.h"

// Drops the removals that no reader which was last sent version `oldest` or a later one needs, and
// the oldest of those above `most`. For the latter raises `floor`: a reader last sent a version
// below it cannot be sent all removals. A macro, because each array has its own type.
#define removals_trim(array, floor, most, oldest)                                                  \
    do {                                                                                           \
        uint32_t drop_ = 0;                                                                        \
        while (drop_ < (array)->count &&                                                           \
               ((array)->data[drop_].removed <= (oldest) || (array)->count - drop_ > (most))) {    \
            if ((array)->data[drop_].removed > (oldest)) {                                         \
                *(floor) = (array)->data[drop_].removed;                                           \
            }                                                                                      \
            drop_++;                                                                               \
        }                                                                                          \
        array_remove_first((array), drop_);                                                        \
    } while (0)

#endif
