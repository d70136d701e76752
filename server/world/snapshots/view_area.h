// The place of a view: its area, which may follow a body, and the bodies in it.
//
// A body is in view while the box around its shapes meets the area. Once it is in view it stays
// until its box no longer meets the area grown by the margin. Bodies that token areas
// (token_areas.h) does not allow are never in view. A view that follows a body is as far from it in
// every snapshot as its subscriber said; when the body is removed the view stays where it was.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_VIEW_AREA_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_VIEW_AREA_H

#include <stdbool.h>
#include <stdint.h>

#include "server/world/snapshots/area_index.h"
#include "server/world/snapshots/row_table.h"
#include "server/world/snapshots/token_areas.h"
#include "server/world/snapshots/subscription.h"

// Places the view at its beginning, or where world.view moves it: `args` are the subscription's new
// arguments. `place` is the position of the body to follow; NULL if it has ceased to exist: the
// view is then empty.
void view_area_begin(view_area *v, const subscribe_args *args, const vec2d *place);

// Moves the view to where the table has the body that it follows. A body that may not be seen is
// not followed until it may.
void view_area_update(view_area *v, const subscribe_args *args, const token_areas *seen_by,
                      const row_table *rows);

// The bodies in view for a subscription whose reader has `before` (NULL: none) as of the table's
// version `version`. The caller owns the set.
view_set *view_area_collect(const view_area *v, const subscribe_args *args,
                            const token_areas *seen_by, area_index *index, const row_table *rows,
                            const view_set *before, uint64_t version);

// Whether some of a box lies in an area.
bool view_area_covers(const area *a, const aabb *box);
// Whether some of a box may be seen, in this area or another one.
bool view_area_meets(const token_areas *seen_by, const aabb *box);

// Whether a place is in the area, and may be seen.
bool view_area_has(const view_area *v, const token_areas *seen_by, vec2d place);

#endif
