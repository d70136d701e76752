// The pair set, compared with a plain table over random additions and removals.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/physics/state/broad_phase/pair_set.h"

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

static void room_made_ahead_is_enough_and_keeps_what_is_there(void **state)
{
    (void)state;
    pair_set set = {0};
    pair_set_add(&set, 7, 9);
    pair_set_reserve(&set, 1000);
    uint32_t capacity = set.capacity;
    assert_true(pair_set_has(&set, 9, 7));
    for (uint32_t i = 2; i <= 1000; i++) {
        pair_set_add(&set, i, 5000 + i);
    }
    assert_int_equal(set.count, 1000);
    assert_int_equal(set.capacity, capacity);
    pair_set_add(&set, 1, 2); // the set can grow beyond that
    for (uint32_t i = 2; i <= 1000; i++) {
        assert_true(pair_set_has(&set, 5000 + i, i));
    }
    pair_set_deinit(&set);
}

static uint32_t far_slot(uint32_t i)
{
    return 1 + i * 7919u % ((1u << 24) - 1);
}

static void many_pairs_of_high_slots_take_few_bytes(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    pair_set set = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        pair_set_add(&set, far_slot(i), far_slot(i) ^ 1u);
        if (i > 5000) {
            assert_true(set.capacity * sizeof *set.pairs <= 11 * (size_t)set.count);
        }
    }
    for (uint32_t i = 0; i < COUNT; i += 2) {
        pair_set_remove(&set, far_slot(i) ^ 1u, far_slot(i));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(pair_set_has(&set, far_slot(i) ^ 1u, far_slot(i)), i % 2 == 1);
        assert_false(pair_set_has(&set, far_slot(i), far_slot(i) ^ 2u));
    }
    assert_int_equal(set.count, COUNT / 2);
    pair_set_deinit(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_additions_and_removals_agree_with_a_table),
        cmocka_unit_test(room_made_ahead_is_enough_and_keeps_what_is_there),
        cmocka_unit_test(many_pairs_of_high_slots_take_few_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
