// Permits: their number, and the order, which depends on each thread's past use.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/schedule/permits.h"

enum { MS = 1000000, THREADS = 4 };

static permits all;
static permit of[THREADS];
static int told[THREADS];

static void tell(void *context)
{
    ++*(int *)context;
}

static void begin(uint32_t most)
{
    permits_init(&all, most);
    for (int i = 0; i < THREADS; i++) {
        told[i] = 0;
        permit_begin(&all, &of[i], (uint64_t)i, tell, &told[i]);
    }
}

static void end(void)
{
    for (int i = 0; i < THREADS; i++) {
        permit_end(&all, &of[i]);
    }
    permits_deinit(&all);
}

static void as_many_work_as_there_are_permits(void **state)
{
    (void)state;
    begin(2);
    assert_true(permit_ask(&all, &of[0]));
    assert_true(permit_ask(&all, &of[1]));
    assert_false(permit_ask(&all, &of[2]));
    assert_false(permit_ask(&all, &of[2])); // it waits once
    permit_give_back(&all, &of[0], MS);
    assert_int_equal(told[2], 1);
    assert_true(permit_ask(&all, &of[2]));
    assert_false(permit_ask(&all, &of[3]));
    permit_give_back(&all, &of[1], MS);
    permit_give_back(&all, &of[2], MS);
    assert_true(permit_ask(&all, &of[3]));
    assert_true(permit_ask(&all, &of[0]));
    assert_false(permit_ask(&all, &of[1]));
    end();
}

static void who_has_had_least_goes_next(void **state)
{
    (void)state;
    begin(1);
    static const int64_t USED[THREADS] = {90 * MS, 30 * MS, 70 * MS, 30 * MS};
    for (int i = 0; i < THREADS; i++) {
        assert_true(permit_ask(&all, &of[i]));
        if (i < THREADS - 1) {
            permit_give_back(&all, &of[i], USED[i]);
        }
    }
    assert_false(permit_ask(&all, &of[0]));
    assert_false(permit_ask(&all, &of[2]));
    assert_false(permit_ask(&all, &of[1]));
    permit_give_back(&all, &of[3], USED[3]);
    static const int ORDER[] = {1, 2, 0};
    for (int i = 0; i < 3; i++) {
        assert_true(of[ORDER[i]].has);
        assert_int_equal(told[ORDER[i]], 1);
        permit_give_back(&all, &of[ORDER[i]], 0);
    }
    end();
}

static void who_leaves_neither_waits_nor_keeps_it(void **state)
{
    (void)state;
    begin(1);
    assert_true(permit_ask(&all, &of[0]));
    assert_false(permit_ask(&all, &of[1]));
    assert_false(permit_ask(&all, &of[2]));
    permit_end(&all, &of[1]);
    permit_end(&all, &of[0]); // ends with the permit, which passes to the next thread
    assert_int_equal(told[1], 0);
    assert_int_equal(told[2], 1);
    assert_true(permit_ask(&all, &of[2]));
    permit_end(&all, &of[2]); // no thread waits, so the permit stays free
    assert_true(permit_ask(&all, &of[3]));
    permit_end(&all, &of[3]);
    permits_deinit(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_work_as_there_are_permits),
        cmocka_unit_test(who_has_had_least_goes_next),
        cmocka_unit_test(who_leaves_neither_waits_nor_keeps_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
