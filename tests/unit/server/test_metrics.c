// Tests of server/metrics.h: counters, and percentiles of latencies within their promised error.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "server/metrics.h"

static void metrics_counters_add_up(void **state)
{
    (void)state;
    uint64_t before = metrics_get(METRIC_ticks);
    metrics_add(METRIC_ticks, 2);
    metrics_add(METRIC_ticks, 3);
    assert_int_equal(metrics_get(METRIC_ticks) - before, 5);
    assert_string_equal(metrics_name(METRIC_ticks), "ticks");
}

static void metrics_summary_of_nothing_is_zero(void **state)
{
    (void)state;
    latency_summary s = metrics_summary(TIMING_SNAPSHOT);
    assert_string_equal(s.name, "snapshot");
    assert_int_equal(s.count, 0);
    assert_true(s.p50 == 0.0 && s.max == 0.0);
}

static void metrics_percentiles_are_within_an_eighth(void **state)
{
    (void)state;
    for (int64_t us = 1; us <= 1000; us++) {
        metrics_time(TIMING_STEP, us * 1000);
    }
    latency_summary s = metrics_summary(TIMING_STEP);
    assert_int_equal(s.count, 1000);
    assert_true(s.p50 > 500e-6 * 0.87 && s.p50 < 500e-6 * 1.13);
    assert_true(s.p90 > 900e-6 * 0.87 && s.p90 < 900e-6 * 1.13);
    assert_true(s.p99 > 990e-6 * 0.87 && s.p99 <= 1000e-6);
    assert_true(s.max > 999.9e-6 && s.max < 1000.1e-6);
}

static void metrics_extreme_times_are_counted(void **state)
{
    (void)state;
    metrics_time(TIMING_DELAY, -5);
    metrics_time(TIMING_DELAY, 0);
    metrics_time(TIMING_DELAY, INT64_MAX);
    latency_summary s = metrics_summary(TIMING_DELAY);
    assert_int_equal(s.count, 3);
    assert_true(s.p50 == 0.0);
    assert_true(s.max > 9e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_counters_add_up),
        cmocka_unit_test(metrics_summary_of_nothing_is_zero),
        cmocka_unit_test(metrics_percentiles_are_within_an_eighth),
        cmocka_unit_test(metrics_extreme_times_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
