// A spatial index of the bodies of a row table, so that the cost of a view with an area depends on
// the bodies in it and not on those in the world.
//
// A hashed grid, built once for each version of the table that is queried: a body is in the cell of
// its box's lower corner, so a query visits the cells that the area covers and those next to them
// below. Cells are as wide as eight bodies of mean size; the few bodies wider than a cell are
// checked always. A query whose area has more cells than there are bodies checks all bodies
// instead.
//
// The engine's own tree could answer the same. The grid exists because it is built from the rows
// that are sent, so that a view and its rows show one state whatever commands came after the step,
// and because it costs nothing while no view has an area: rows, hash and grid together take 37 ns a
// body (carom-bench-network --parts views), which all views of a tick share.
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
    uint64_t version;       // version of the table from which it was built; 0: none yet
    double cell;            // side of a cell [m]
    uint32_t mask;          // buckets - 1, a power of two less one
    ARRAY(uint32_t) starts; // begins of the buckets' slots, and the end of the last bucket
    ARRAY(uint32_t) slots;
    ARRAY(uint32_t) large; // slots of bodies that are wider than a cell
} area_index;

void area_index_deinit(area_index *x);

// Appends to `out` the slots of the bodies whose box meets the area; `out` has space for all slots
// of the table. Rebuilds the index if the table has another version than at the last call.
void area_index_collect(area_index *x, const row_table *rows, const area *within, view_set *out);

#endif
