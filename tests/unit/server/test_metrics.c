// Tests of server/base/metrics.h: counters, and percentiles of latencies within their promised
// error.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "server/base/limits.h"
#include "server/base/metrics.h"

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

static void metrics_percentiles_are_within_a_32nd(void **state)
{
    (void)state;
    for (int64_t us = 1; us <= 1000; us++) {
        metrics_time(TIMING_STEP, us * 1000);
    }
    latency_summary s = metrics_summary(TIMING_STEP);
    assert_int_equal(s.count, 1000);
    assert_true(s.p50 > 500e-6 * 0.968 && s.p50 < 500e-6 * 1.032);
    assert_true(s.p90 > 900e-6 * 0.968 && s.p90 < 900e-6 * 1.032);
    assert_true(s.p99 > 990e-6 * 0.968 && s.p99 <= 1000e-6);
    assert_true(s.p999 >= s.p99 && s.p999 <= 1000e-6 + 1e-12);
    assert_true(s.max > 999.9e-6 && s.max < 1000.1e-6);
}

// The bins agree with the summary: all times are in them, none above its bin, none a 32nd below.
static void metrics_bins_hold_every_time(void **state)
{
    (void)state;
    static latency_bin bins[METRICS_BINS_MAX];
    uint32_t before = metrics_bins(TIMING_COMMAND, bins);
    assert_int_equal(before, 0);
    for (int64_t us = 1; us <= 1000; us++) {
        metrics_time(TIMING_COMMAND, us * 1000);
    }
    uint32_t count = metrics_bins(TIMING_COMMAND, bins);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(bins[i].count > 0 && (i == 0 || bins[i].most > bins[i - 1].most));
        sum += bins[i].count;
        double truth = (double)sum * 1e-6; // the largest in the bin
        assert_true(bins[i].most >= truth && bins[i].most < truth * 1.033 + 1e-9);
    }
    assert_int_equal(sum, 1000);
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

static uint64_t count_of(const coarse_histogram *h, uint32_t bucket)
{
    return atomic_load(&h->buckets[bucket]);
}

static void coarse_histogram_times_fall_into_their_buckets(void **state)
{
    (void)state;
    static coarse_histogram h;
    for (uint32_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
        int64_t bound = (int64_t)1 << (HISTOGRAM_FIRST_BITS + i);
        assert_true(coarse_histogram_bound(i) == (double)bound * 1e-9);
        uint64_t before = count_of(&h, i);
        coarse_histogram_add(&h, bound); // a bound belongs to its bucket
        assert_int_equal(count_of(&h, i), before + 1);
        before = count_of(&h, i + 1);
        coarse_histogram_add(&h, bound + 1);
        assert_int_equal(count_of(&h, i + 1), before + 1);
    }
    uint64_t last = count_of(&h, HISTOGRAM_BOUNDS);
    coarse_histogram_add(&h, INT64_MAX);
    assert_int_equal(count_of(&h, HISTOGRAM_BOUNDS), last + 1);
    uint64_t first = count_of(&h, 0);
    coarse_histogram_add(&h, 0);
    coarse_histogram_add(&h, -1);
    assert_int_equal(count_of(&h, 0), first + 2);
}

static size_t limit_index(const char *name)
{
    size_t index = 0;
    while (limits_info(index) != NULL && strcmp(limits_info(index)->name, name) != 0) {
        index++;
    }
    return index;
}

static void metrics_limits_are_counted_by_their_names(void **state)
{
    (void)state;
    size_t connections = limit_index("connections");
    size_t address = limit_index("connections_per_address");
    size_t first = limit_index("first_message_ms");
    metrics_count_limit("connections_per_address: there are 5 already");
    metrics_count_limit("no message within first_message_ms");
    metrics_count_limit("must have at most 64 bytes, got 80");
    assert_int_equal(metrics_limit(connections), 0); // a part of a name is no name
    assert_int_equal(metrics_limit(address), 1);
    assert_int_equal(metrics_limit(first), 1);
    assert_int_equal(metrics_limit(LIMIT_COUNT), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_histogram_times_fall_into_their_buckets),
        cmocka_unit_test(metrics_limits_are_counted_by_their_names),
        cmocka_unit_test(metrics_counters_add_up),
        cmocka_unit_test(metrics_summary_of_nothing_is_zero),
        cmocka_unit_test(metrics_percentiles_are_within_a_32nd),
        cmocka_unit_test(metrics_bins_hold_every_time),
        cmocka_unit_test(metrics_extreme_times_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
