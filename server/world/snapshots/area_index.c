// The grid's counting sort and its walk; see area_index.h. The world's thread.
#include "server/world/snapshots/area_index.h"

#include <math.h>
#include <string.h>

#include "common/base/assert.h"

// A cell's width, in bodies of mean size. In a heap a cell then has a few dozen bodies, and an area
// of a screen some hundred cells.
static const double CELL_BODIES = 8.0;
static const double CELL_MIN = 0.25; // [m]
static const double CELL_MAX = 4096.0;

enum { BUCKETS_MIN = 64 };

void area_index_deinit(area_index *x)
{
    array_free(&x->starts);
    array_free(&x->slots);
    array_free(&x->large);
}

static bool box_meets(const area *a, const aabb *box)
{
    return (double)box->lower.x <= a->x1 && (double)box->upper.x >= a->x0 &&
           (double)box->lower.y <= a->y1 && (double)box->upper.y >= a->y0;
}

static double side_of(const aabb *box)
{
    const double width = (double)box->upper.x - (double)box->lower.x;
    const double height = (double)box->upper.y - (double)box->lower.y;
    return width > height ? width : height;
}

static int64_t cell_of(const area_index *x, double coordinate)
{
    return (int64_t)floor(coordinate / x->cell);
}

static uint32_t bucket_of(const area_index *x, int64_t column, int64_t row)
{
    uint64_t h = (uint64_t)column * 0x9e3779b97f4a7c15u ^ (uint64_t)row * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29;
    return (uint32_t)(h * 0xbf58476d1ce4e5b9u >> 40) & x->mask;
}

static uint32_t bucket_of_box(const area_index *x, const aabb *box)
{
    return bucket_of(x, cell_of(x, (double)box->lower.x), cell_of(x, (double)box->lower.y));
}

// Chooses the sides of cells from the mean size of bodies, ignoring those far above it: a floor is
// as long as a hundred boxes. Returns the number of bodies.
static uint32_t choose_cell(area_index *x, const row_table *rows)
{
    double logs = 0.0;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < rows->entries.count; slot++) {
        const row_entry *entry = &rows->entries.data[slot];
        if (entry->id != 0) {
            logs += log2(side_of(&entry->row.box) + 1e-3);
            count++;
        }
    }
    const double side = count == 0 ? 1.0 : CELL_BODIES * exp2(logs / count); // geometric mean
    x->cell = side < CELL_MIN ? CELL_MIN : side > CELL_MAX ? CELL_MAX : side;
    return count;
}

static void build(area_index *x, const row_table *rows)
{
    const uint32_t count = choose_cell(x, rows);
    uint32_t buckets = BUCKETS_MIN;
    while (buckets < count) {
        buckets *= 2;
    }
    ASSERT((buckets & (buckets - 1)) == 0);
    x->mask = buckets - 1;
    array_reserve(&x->starts, buckets + 1);
    array_reserve(&x->slots, count);
    x->starts.count = buckets + 1;
    memset(x->starts.data, 0, x->starts.count * sizeof *x->starts.data);
    array_clear(&x->large);
    for (uint32_t slot = 0; slot < rows->entries.count; slot++) {
        const row_entry *entry = &rows->entries.data[slot];
        if (entry->id != 0 && side_of(&entry->row.box) > x->cell) {
            array_push(&x->large, slot);
        } else if (entry->id != 0) {
            x->starts.data[bucket_of_box(x, &entry->row.box)]++;
        }
    }
    uint32_t end = 0;
    for (uint32_t i = 0; i <= buckets; i++) { // each start is at its bucket's end for now
        end += x->starts.data[i];
        x->starts.data[i] = end;
    }
    x->slots.count = end;
    for (uint32_t slot = 0; slot < rows->entries.count; slot++) {
        const row_entry *entry = &rows->entries.data[slot];
        if (entry->id != 0 && side_of(&entry->row.box) <= x->cell) {
            x->slots.data[--x->starts.data[bucket_of_box(x, &entry->row.box)]] = slot;
        }
    }
    x->version = rows->version;
}

static void add_if_met(const row_table *rows, const area *within, uint32_t slot, view_set *out)
{
    if (box_meets(within, &rows->entries.data[slot].row.box)) {
        view_set_add(out, slot);
    }
}

static void add_all(const row_table *rows, const area *within, view_set *out)
{
    for (uint32_t slot = 0; slot < rows->entries.count; slot++) {
        if (rows->entries.data[slot].id != 0) {
            add_if_met(rows, within, slot, out);
        }
    }
}

void area_index_collect(area_index *x, const row_table *rows, const area *within, view_set *out)
{
    ASSERT(out->slots >= rows->entries.count);
    if (x->version != rows->version) {
        build(x, rows);
    }
    ASSERT(x->cell >= CELL_MIN && x->cell <= CELL_MAX && x->starts.count == x->mask + 2);
    const int64_t left = cell_of(x, within->x0) - 1; // a box reaches into the next cell at most
    const int64_t right = cell_of(x, within->x1);
    const int64_t low = cell_of(x, within->y0) - 1;
    const int64_t high = cell_of(x, within->y1);
    if ((double)(right - left + 1) * (double)(high - low + 1) > (double)x->slots.count) {
        add_all(rows, within, out);
        return;
    }
    for (int64_t row = low; row <= high; row++) {
        for (int64_t column = left; column <= right; column++) {
            const uint32_t bucket = bucket_of(x, column, row);
            for (uint32_t i = x->starts.data[bucket]; i < x->starts.data[bucket + 1]; i++) {
                add_if_met(rows, within, x->slots.data[i], out);
            }
        }
    }
    for (uint32_t i = 0; i < x->large.count; i++) {
        add_if_met(rows, within, x->large.data[i], out);
    }
}
