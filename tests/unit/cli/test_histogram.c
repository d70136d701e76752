// Latencies in bins: the error of a percentile, and the values that stay exact.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "client/tool/histogram.h"

static histogram h;

static void empty_histogram_answers_zero(void **state)
{
    (void)state;
    histogram_init(&h);
    assert_int_equal(histogram_percentile(&h, 50.0), 0);
    assert_int_equal(h.smallest, 0);
    assert_true(histogram_mean(&h) == 0.0);
}

static void small_values_are_exact(void **state)
{
    (void)state;
    histogram_init(&h);
    for (uint64_t i = 1; i <= 100; i++) {
        histogram_record(&h, i);
    }
    assert_int_equal(histogram_percentile(&h, 50.0), 50);
    assert_int_equal(histogram_percentile(&h, 90.0), 90);
    assert_int_equal(histogram_percentile(&h, 99.0), 99);
    assert_int_equal(histogram_percentile(&h, 100.0), 100);
    assert_int_equal(histogram_percentile(&h, 0.0), 1);
    assert_int_equal(histogram_percentile(&h, 250.0), 100);
    assert_true(histogram_mean(&h) == 50.5);
}

static void extremes_are_exact_and_fit(void **state)
{
    (void)state;
    histogram_init(&h);
    histogram_record(&h, UINT64_MAX);
    histogram_record(&h, 0);
    assert_true(h.largest == UINT64_MAX);
    assert_int_equal(h.smallest, 0);
    assert_true(histogram_percentile(&h, 100.0) == UINT64_MAX);
    assert_int_equal(histogram_percentile(&h, 50.0), 0);
}

// A single value is reported as at least itself, and at most a sixty-fourth more.
static void value_alone_is_known_to_a_sixty_fourth(void **state)
{
    (void)state;
    for (int bit = 0; bit < 63; bit++) {
        for (int part = 0; part < 16; part++) {
            uint64_t base = UINT64_C(1) << bit;
            uint64_t value = base + base / 16 * (uint64_t)part;
            histogram_init(&h);
            histogram_record(&h, value);
            histogram_record(&h, UINT64_MAX);
            uint64_t told = histogram_percentile(&h, 50.0);
            assert_true(told >= value);
            assert_true(told - value <= value / 64);
        }
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void percentiles_agree_with_sorting(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    static uint64_t values[COUNT];
    uint64_t seed = 88172645463325252u;
    histogram_init(&h);
    for (int i = 0; i < COUNT; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        values[i] = seed >> (20 + seed % 30);
        histogram_record(&h, values[i]);
    }
    qsort(values, COUNT, sizeof values[0], compare);
    static const double shares[] = {1.0, 25.0, 50.0, 90.0, 99.0, 99.9};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        uint64_t truth = values[(int)(shares[i] / 100.0 * COUNT + 0.5) - 1];
        uint64_t told = histogram_percentile(&h, shares[i]);
        assert_true(told >= truth && told - truth <= truth / 64);
    }
}

static void merge_is_as_recording_all_in_one(void **state)
{
    (void)state;
    static histogram parts[2];
    histogram_init(&h);
    histogram_init(&parts[0]);
    histogram_init(&parts[1]);
    for (uint64_t i = 0; i < 1000; i++) {
        histogram_record(&h, i * i);
        histogram_record(&parts[i % 2], i * i);
    }
    histogram_merge(&parts[0], &parts[1]);
    assert_memory_equal(&parts[0], &h, sizeof h);
    static histogram none;
    histogram_init(&none);
    histogram_merge(&parts[0], &none);
    assert_memory_equal(&parts[0], &h, sizeof h);
    histogram_merge(&none, &h);
    assert_memory_equal(&none, &h, sizeof h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_histogram_answers_zero),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(extremes_are_exact_and_fit),
        cmocka_unit_test(value_alone_is_known_to_a_sixty_fourth),
        cmocka_unit_test(percentiles_agree_with_sorting),
        cmocka_unit_test(merge_is_as_recording_all_in_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
