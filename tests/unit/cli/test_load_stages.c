// Ramps of clients: numbers of clients between the corners; malformed stages are refused with their
// place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "client/load/plan.h"
#include "client/load/stages.h"

static char error[LOAD_STAGES_ERROR_MAX];

static void ramps_are_linear(void **state)
{
    (void)state;
    load_stages stages = {.count = 0};
    assert_true(load_stages_parse(&stages, "30s:100,2m:1000,0:500,10:0", 2000, error));
    assert_int_equal(stages.count, 4);
    assert_true(load_stages_seconds(&stages) == 160.0);
    assert_int_equal(load_stages_peak(&stages), 1000);
    assert_int_equal(load_stages_at(&stages, -1.0), 0);
    assert_int_equal(load_stages_at(&stages, 0.0), 0);
    assert_int_equal(load_stages_at(&stages, 15.0), 50);
    assert_int_equal(load_stages_at(&stages, 30.0), 100);
    assert_int_equal(load_stages_at(&stages, 90.0), 550);
    assert_int_equal(load_stages_at(&stages, 149.999), 1000);
    assert_int_equal(load_stages_at(&stages, 150.0), 500);
    assert_int_equal(load_stages_at(&stages, 155.0), 250);
    assert_int_equal(load_stages_at(&stages, 160.0), 0);
    assert_int_equal(load_stages_at(&stages, 1e9), 0);
}

static void texts_add_up(void **state)
{
    (void)state;
    load_stages stages = {.count = 0};
    assert_true(load_stages_parse(&stages, "1s:10", 100, error));
    assert_true(load_stages_parse(&stages, "250ms:20", 100, error));
    assert_int_equal(stages.count, 2);
    assert_true(load_stages_seconds(&stages) == 1.25);
}

static void malformed_stage_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "stage 1, '': expected TIME:CLIENTS"},
        {"10s", "stage 1, '10s': expected TIME:CLIENTS"},
        {"10s:5,", "stage 2, '': expected TIME:CLIENTS"},
        {"10s:5,:7", "stage 2, ':7': expected a time before the colon"},
        {"-1s:5", "stage 1, '-1s:5': expected a time before the colon"},
        {"10y:5", "stage 1, '10y:5': expected a time before the colon"},
        {"25h:5", "at most 24h"},
        {"10s:", "expected clients after the colon, from 0 to 100"},
        {"10s:1.5", "expected clients after the colon, from 0 to 100"},
        {"10s:101", "expected clients after the colon, from 0 to 100"},
        {"10s:1:2", "expected clients after the colon, from 0 to 100"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        load_stages stages = {.count = 0};
        assert_false(load_stages_parse(&stages, cases[i][0], 100, error));
        assert_non_null(strstr(error, cases[i][1]));
    }
}

static void more_stages_than_the_limit_are_refused(void **state)
{
    (void)state;
    load_stages stages = {.count = 0};
    for (int i = 0; i < LOAD_STAGES_MAX; i++) {
        assert_true(load_stages_parse(&stages, "1s:1", 100, error));
    }
    assert_false(load_stages_parse(&stages, "1s:1", 100, error));
    assert_string_equal(error, "at most 32 stages");
}

// Among any first n clients, each behaviour has its weight's share, to within one.
static void behaviours_are_dealt_by_weight(void **state)
{
    (void)state;
    static load_plan plan;
    static unsigned char dealt[1000];
    static const double weights[] = {1.0, 6.5, 2.5};
    plan = (load_plan){.clients = 1000, .behaviour_count = 3};
    for (int b = 0; b < 3; b++) {
        plan.behaviours[b].weight = weights[b];
    }
    load_plan_deal(&plan, dealt);
    int counts[3] = {0};
    for (int n = 1; n <= 1000; n++) {
        counts[dealt[n - 1]]++;
        for (int b = 0; b < 3; b++) {
            double off = counts[b] - n * weights[b] / 10.0;
            assert_true(off > -1.001 && off < 1.001);
        }
    }
    assert_int_equal(counts[0], 100);
    assert_int_equal(counts[1], 650);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ramps_are_linear),
        cmocka_unit_test(texts_add_up),
        cmocka_unit_test(malformed_stage_is_refused_with_its_place),
        cmocka_unit_test(more_stages_than_the_limit_are_refused),
        cmocka_unit_test(behaviours_are_dealt_by_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
