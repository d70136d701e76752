// The id map, compared with a plain array.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "client/lib/id_map.h"

static void empty_map_finds_nothing(void **state)
{
    (void)state;
    id_map m = {0};
    uint32_t place;
    assert_false(id_map_find(&m, 1, &place));
    id_map_remove(&m, 1);
    assert_true(id_map_reserve(&m, 1));
    id_map_put(&m, 1, 5);
    assert_false(id_map_find(&m, 0, &place));
    id_map_remove(&m, 0);
    assert_true(id_map_find(&m, 1, &place));
    id_map_clear(&m);
    assert_false(id_map_find(&m, 1, &place));
    id_map_deinit(&m);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

// Ids that differ in high bits only, in low bits only, and in both.
static void random_operations_match_an_array(void **state)
{
    (void)state;
    enum { IDS = 512, STEPS = 200000 };
    for (uint32_t shift = 0; shift <= 40; shift += 20) {
        id_map m = {0};
        int64_t model[IDS];
        for (int i = 0; i < IDS; i++) {
            model[i] = -1;
        }
        uint32_t seed = shift + 1;
        uint32_t count = 0;
        for (int step = 0; step < STEPS; step++) {
            uint32_t i = next_random(&seed) % IDS;
            uint64_t id = ((uint64_t)i + 1) << shift;
            uint32_t place;
            assert_int_equal(id_map_find(&m, id, &place), model[i] >= 0);
            if (model[i] >= 0) {
                assert_int_equal(place, model[i]);
            }
            // More removals in odd rounds, so that the map empties and fills again.
            bool remove = next_random(&seed) % 8 < (step / 5000 % 2 == 0 ? 2U : 6U);
            if (remove) {
                count -= model[i] >= 0;
                id_map_remove(&m, id);
                model[i] = -1;
            } else {
                count += model[i] < 0;
                assert_true(id_map_reserve(&m, (uint64_t)m.count + 1));
                id_map_put(&m, id, (uint32_t)step);
                model[i] = step;
            }
            assert_int_equal(m.count, count);
        }
        assert_true(m.capacity <= 2 * IDS);
        id_map_deinit(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_map_finds_nothing),
        cmocka_unit_test(random_operations_match_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
