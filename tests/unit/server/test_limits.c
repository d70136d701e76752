// Tests of server/base/limits.h: each limit's range, default and reason.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/base/limits.h"

static void limits_defaults_lie_in_their_ranges(void **state)
{
    (void)state;
    limits l = limits_default();
    for (size_t i = 0; limits_info(i) != NULL; i++) {
        const limit_info *info = limits_info(i);
        assert_true(limits_get(&l, info) == info->standard);
        assert_true(info->smallest <= info->standard && info->standard <= info->largest);
        assert_true(strlen(info->reason) > 10);
    }
}

static void limits_each_can_be_set_to_its_ends(void **state)
{
    (void)state;
    for (size_t i = 0; limits_info(i) != NULL; i++) {
        const limit_info *info = limits_info(i);
        limits l = limits_default();
        error err;
        char text[128];
        snprintf(text, sizeof text, "%s=%llu", info->name, (unsigned long long)info->largest);
        assert_int_equal(limits_set(&l, text, &err), STATUS_OK);
        assert_true(limits_get(&l, info) == info->largest);
        snprintf(text, sizeof text, "%s=%llu", info->name, (unsigned long long)info->smallest);
        assert_int_equal(limits_set(&l, text, &err), STATUS_OK);
        assert_true(limits_get(&l, info) == info->smallest);
        snprintf(text, sizeof text, "%s=%llu", info->name, (unsigned long long)info->largest + 1);
        assert_int_equal(limits_set(&l, text, &err), STATUS_INVALID_ARGUMENT);
        assert_true(limits_get(&l, info) == info->smallest);
    }
}

static void limits_wrong_numbers_change_nothing(void **state)
{
    (void)state;
    static const char *const WRONG[] = {"worlds=",   "worlds=-1", "worlds= 1",
                                        "worlds=1x", "worlds=+1", "worlds",
                                        "=1",        "world=1",   "worlds=99999999999999999999"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        limits l = limits_default();
        limits before = l;
        error err;
        assert_int_equal(limits_set(&l, WRONG[i], &err), STATUS_INVALID_ARGUMENT);
        assert_memory_equal(&l, &before, sizeof l);
    }
}

static void limits_of_memory_fit_the_process(void **state)
{
    (void)state;
    limits l = limits_default();
    limits_fit_memory(&l, (uint64_t)64 << 30);
    limits standard = limits_default();
    assert_memory_equal(&l, &standard, sizeof l); // the machine has enough for all limits
    const uint64_t small = (uint64_t)128 << 20;
    limits_fit_memory(&l, small);
    assert_true(l.unsent_bytes + l.command_bytes + l.holder_bytes < small);
    assert_true(l.output_bytes < l.unsent_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_defaults_lie_in_their_ranges),
        cmocka_unit_test(limits_each_can_be_set_to_its_ends),
        cmocka_unit_test(limits_wrong_numbers_change_nothing),
        cmocka_unit_test(limits_of_memory_fit_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
