// Where the bodies of a row table are, so that a view with an area costs what is in it and not what
// is in the world.
//
// A hashed grid, built once for each version of the table that is asked for: a body is in the cell
// of its box's lower corner, so an area looks at the cells that it covers and at those before them.
// Cells are as wide as eight ordinary bodies; the few that are wider than a cell are looked at
// always. An area of more cells than there are bodies looks at all bodies instead.
//
// The engine's own tree could answer the same. The grid is kept because it is made of the rows that
// are shown, so that a view and its rows are of one state whatever commands came after the step,
// and because it costs nothing while nobody asks: rows, hash and grid together take 37 ns a body
// (carom-bench-network --parts views), which all views of a tick share.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_AREA_INDEX_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_AREA_INDEX_H

#include <stdint.h>

#include "common/base/array.h"
#include "common/world/command.h"
#include "server/world/snapshots/row_table.h"
#include "server/world/snapshots/subscription.h"

typedef struct area_index {
    uint64_t version;       // of the table that it was built from; 0: none yet
    double cell;            // its side [m]
    uint32_t mask;          // buckets - 1, a power of two less one
    ARRAY(uint32_t) starts; // of each bucket's slots, and the end of the last
    ARRAY(uint32_t) slots;
    ARRAY(uint32_t) large; // slots of bodies that are wider than a cell
} area_index;

void area_index_deinit(area_index *x);

// Adds to `out` the slots of the bodies whose box meets the area; `out` has room for all slots of
// the table. Builds the index anew if the table has another version than when it was asked last.
void area_index_collect(area_index *x, const row_table *rows, const area *within, view_set *out);

#endif
