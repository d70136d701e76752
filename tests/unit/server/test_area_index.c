// The grid of areas, compared with a search of all bodies: boxes of all sizes, places near and far,
// areas from a point to the whole world, tables that change.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "server/world/snapshots/area_index.h"

static uint64_t seed = 0x9e3779b97f4a7c15u;

static double random_in(double least, double most)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    const double unit = (double)((seed * 0x2545f4914f6cdd1du) >> 11) / 9007199254740992.0;
    return least + (most - least) * unit;
}

// Fills the table with rows, without a world.
static void fill(row_table *rows, uint32_t slots, double reach, double size)
{
    array_reserve(&rows->entries, slots);
    rows->entries.count = slots;
    rows->version++;
    for (uint32_t i = 0; i < slots; i++) {
        row_entry *entry = &rows->entries.data[i];
        *entry = (row_entry){.id = random_in(0, 1) < 0.2 ? 0 : i + 1};
        const double spread = random_in(0, 1);
        const double side = size * (spread < 0.01  ? 1000.0
                                    : spread < 0.1 ? 8.0
                                                   : random_in(0.0, 2.0));
        const double far = random_in(0, 1) < 0.05 ? 1e6 : reach;
        const float x = (float)random_in(-far, far);
        const float y = (float)random_in(-far, far);
        entry->row.box = (aabb){{x, y}, {x + (float)side, y + (float)random_in(0, side)}};
    }
}

static area random_area(double reach)
{
    const double x = random_in(-reach, reach);
    const double y = random_in(-reach, reach);
    const double kind = random_in(0, 1);
    const double side = kind < 0.2 ? 0.0 : kind < 0.9 ? random_in(0.0, reach / 4.0) : 2e6;
    return (area){fmax(x - side, -1e6), fmax(y - side, -1e6), fmin(x + side, 1e6),
                  fmin(y + side, 1e6)};
}

static void grid_finds_what_looking_at_all_finds(void **state)
{
    (void)state;
    row_table rows;
    area_index index = {0};
    row_table_init(&rows, 100);
    for (int round = 0; round < 60; round++) {
        const double reach = pow(10.0, random_in(-1.0, 5.0));
        fill(&rows, (uint32_t)random_in(0.0, 3000.0), reach, reach * random_in(0.0001, 0.1));
        for (int i = 0; i < 50; i++) {
            const area within = random_area(reach);
            view_set *found = view_set_create(rows.entries.count);
            area_index_collect(&index, &rows, &within, found);
            for (uint32_t slot = 0; slot < rows.entries.count; slot++) {
                const row_entry *entry = &rows.entries.data[slot];
                const aabb *box = &entry->row.box;
                const bool met = entry->id != 0 && (double)box->lower.x <= within.x1 &&
                                 (double)box->upper.x >= within.x0 &&
                                 (double)box->lower.y <= within.y1 &&
                                 (double)box->upper.y >= within.y0;
                assert_int_equal(view_set_has(found, slot), met);
            }
            view_set_unref(found);
        }
    }
    area_index_deinit(&index);
    row_table_deinit(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_finds_what_looking_at_all_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
