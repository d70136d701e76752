// Tests of server/session/placement/balance.h: which world moves to a thread with less work.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/session/placement/balance.h"

static const world_load LOADS[] = {{11, 500000}, {12, 300000}, {13, 150000}, {14, 10000}};

static void balance_takes_what_evens_out_best(void **state)
{
    (void)state;
    assert_int_equal(balance_choose(LOADS, 4, 960000), 11);
    assert_int_equal(balance_choose(LOADS, 4, 640000), 12);
    assert_int_equal(balance_choose(LOADS, 4, 300000), 13);
}

static void balance_leaves_threads_that_differ_little(void **state)
{
    (void)state;
    const world_load half = {1, (BALANCE_GAP_LEAST - 1) / 2};
    assert_int_equal(balance_choose(&half, 1, BALANCE_GAP_LEAST - 1), 0);
    assert_int_equal(balance_choose(&half, 1, BALANCE_GAP_LEAST), 1);
}

// A move that only swaps the two threads, or helps little, would be repeated forever.
static void balance_moves_nothing_back_and_forth(void **state)
{
    (void)state;
    const world_load large = {1, 600000};
    assert_int_equal(balance_choose(&large, 1, 600000), 0);
    assert_int_equal(balance_choose(&large, 1, 1000000), 1);
    const world_load small = {1, 40000};
    assert_int_equal(balance_choose(&small, 1, 400000), 0);
}

static void balance_passes_over_idle_worlds(void **state)
{
    (void)state;
    assert_int_equal(balance_choose(&LOADS[3], 1, 900000), 0);
    assert_int_equal(balance_choose(NULL, 0, 900000), 0);
}

// Among equal worlds the first one moves, so that the same figures give the same move.
static void balance_takes_the_first_of_equals(void **state)
{
    (void)state;
    const world_load same[] = {{5, 300000}, {6, 300000}};
    assert_int_equal(balance_choose(same, 2, 600000), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balance_takes_what_evens_out_best),
        cmocka_unit_test(balance_leaves_threads_that_differ_little),
        cmocka_unit_test(balance_moves_nothing_back_and_forth),
        cmocka_unit_test(balance_passes_over_idle_worlds),
        cmocka_unit_test(balance_takes_the_first_of_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
