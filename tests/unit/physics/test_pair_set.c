// The pair set against a plain table, over random additions and removals.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/physics/pair_set.h"

enum { SIDE = 60 };

static void random_additions_and_removals_agree_with_a_table(void **state)
{
    (void)state;
    static bool table[SIDE][SIDE];
    pair_set set = {0};
    uint32_t r = 12345;
    for (int i = 0; i < 200000; i++) {
        r = r * 1664525u + 1013904223u;
        uint32_t a = 1 + (r >> 8) % (SIDE - 1);
        r = r * 1664525u + 1013904223u;
        uint32_t b = 1 + (r >> 8) % (SIDE - 1);
        if (a == b) {
            continue;
        }
        uint32_t low = a < b ? a : b;
        uint32_t high = a < b ? b : a;
        assert_int_equal(pair_set_has(&set, a, b), table[low][high]);
        if (table[low][high]) {
            pair_set_remove(&set, b, a);
        } else {
            pair_set_add(&set, a, b);
        }
        table[low][high] = !table[low][high];
    }
    uint32_t count = 0;
    for (uint32_t a = 1; a < SIDE; a++) {
        for (uint32_t b = a + 1; b < SIDE; b++) {
            count += table[a][b];
            assert_int_equal(pair_set_has(&set, b, a), table[a][b]);
        }
    }
    assert_int_equal(set.count, count);
    pair_set_deinit(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_additions_and_removals_agree_with_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
