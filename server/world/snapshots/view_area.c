// Following bodies, and the margin round an area; see view_area.h. The world's thread.
#include "server/world/snapshots/view_area.h"

#include <math.h>

#include "common/base/assert.h"

static const area NOWHERE = {1e9, 1e9, -1e9, -1e9}; // meets nothing, with any margin

static area moved(const area *a, vec2d by)
{
    return (area){a->x0 + by.x, a->y0 + by.y, a->x1 + by.x, a->y1 + by.y};
}

static area grown(const area *a, double by)
{
    return (area){a->x0 - by, a->y0 - by, a->x1 + by, a->y1 + by};
}

void view_area_begin(view_area *v, const subscribe_args *args, const vec2d *place)
{
    *v = (view_area){.now = args->area};
    if (args->follow != 0) {
        v->lost = place == NULL;
        v->now = place == NULL ? NOWHERE : moved(&args->area, *place);
    }
}

void view_area_update(view_area *v, const subscribe_args *args, const token_areas *seen_by,
                      const row_table *rows)
{
    ASSERT(args->follow != 0 || !v->lost);
    if (args->follow == 0 || v->lost) {
        return;
    }
    const uint32_t slot = id_slot(args->follow);
    const row_entry *entry =
        slot < rows->entries.count ? &rows->entries.data[slot] : &(const row_entry){0};
    if (entry->id != args->follow) {
        v->lost = !v->hidden; // only readers who last saw it learn of its end
        return;
    }
    v->hidden = !token_areas_has(seen_by, entry->row.position);
    if (!v->hidden) {
        v->now = moved(&args->area, entry->row.position);
    }
}

bool view_area_covers(const area *a, const aabb *box)
{
    return (double)box->lower.x <= a->x1 && (double)box->upper.x >= a->x0 &&
           (double)box->lower.y <= a->y1 && (double)box->upper.y >= a->y0;
}

bool view_area_meets(const token_areas *seen_by, const aabb *box)
{
    const double far = (double)INFINITY;
    const area all = {-far, -far, far, far};
    area part;
    for (uint32_t i = 0; i < token_areas_parts(seen_by); i++) {
        if (token_areas_part(seen_by, &all, i, &part) && view_area_covers(&part, box)) {
            return true;
        }
    }
    return false;
}

// Keeps bodies that were in view and have left by at most the margin.
static void keep_near(view_set *out, const area *within, const row_table *rows,
                      const view_set *before, uint64_t version)
{
    ASSERT(before->slots <= rows->entries.count);
    for (uint32_t slot = view_set_next(before, NULL, 0); slot < before->slots;
         slot = view_set_next(before, NULL, slot + 1)) {
        const row_entry *entry = &rows->entries.data[slot];
        if (entry->id != 0 && entry->created <= version &&
            view_area_covers(within, &entry->row.box)) {
            view_set_add(out, slot);
        }
    }
}

view_set *view_area_collect(const view_area *v, const subscribe_args *args,
                            const token_areas *seen_by, area_index *index, const row_table *rows,
                            const view_set *before, uint64_t version)
{
    view_set *out = view_set_create(rows->entries.count);
    const area around = grown(&v->now, args->margin);
    area part;
    for (uint32_t i = 0; i < token_areas_parts(seen_by); i++) {
        if (token_areas_part(seen_by, &v->now, i, &part)) {
            area_index_collect(index, rows, &part, out);
        }
        if (before != NULL && args->margin > 0.0 && token_areas_part(seen_by, &around, i, &part)) {
            keep_near(out, &part, rows, before, version);
        }
    }
    return out;
}

bool view_area_has(const view_area *v, const token_areas *seen_by, vec2d place)
{
    return place.x >= v->now.x0 && place.x <= v->now.x1 && place.y >= v->now.y0 &&
           place.y <= v->now.y1 && token_areas_has(seen_by, place);
}
