// Tallies: slices of a run, percentiles in them, the correction for coordinated omission against
// the truth that an open loop would have seen.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "client/cli/load/tally.h"

#define MS UINT64_C(1000000)

static void slices_cover_any_length_of_run(void **state)
{
    (void)state;
    static const double lengths[] = {0.1, 1.0, 12.0, 60.0, 3600.0, 86400.0};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        load_tally *tally = load_tally_create(lengths[i]);
        size_t count = load_tally_slice_count(tally, lengths[i]);
        assert_in_range(count, 1, LOAD_SLICES);
        assert_true((double)count * tally->slice_seconds >= lengths[i] * 0.999);
        assert_ptr_equal(load_tally_slice(tally, -1.0), &tally->slices[0]);
        assert_ptr_equal(load_tally_slice(tally, 1e12), &tally->slices[LOAD_SLICES - 1]);
        load_tally_destroy(tally);
    }
}

static void slice_percentiles_are_within_seven_percent(void **state)
{
    (void)state;
    load_tally *tally = load_tally_create(10.0);
    for (int i = 1; i <= 1000; i++) {
        load_tally_record(tally, LOAD_ACK, 3.0, i * 1e-3);
    }
    const load_slice *slice = load_tally_slice(tally, 3.0);
    assert_int_equal(load_slice_total(slice, LOAD_ACK), 1000);
    assert_int_equal(load_slice_total(slice, LOAD_SEEN), 0);
    assert_int_equal(load_slice_percentile(slice, LOAD_SEEN, 99.0), 0);
    for (int percent = 10; percent < 100; percent += 10) {
        uint64_t truth = (uint64_t)percent * 10 * MS;
        uint64_t told = load_slice_percentile(slice, LOAD_ACK, percent);
        assert_true(told >= truth && told <= truth + truth / 14);
    }
    assert_int_equal(load_slice_total(load_tally_slice(tally, 4.0), LOAD_ACK), 0);
    load_tally_destroy(tally);
}

static void ages_fall_evenly(void **state)
{
    (void)state;
    load_tally *tally = load_tally_create(1.0);
    load_tally_record_ages(tally, LOAD_ACK, 0.5, 2.0, 100000);
    const histogram *h = &tally->metrics[LOAD_ACK];
    assert_int_equal(h->total, 100000);
    assert_true(h->largest == 2000 * MS);
    uint64_t half = histogram_percentile(h, 50.0);
    assert_in_range(half, 980 * MS, 1020 * MS);
    load_tally_record_ages(tally, LOAD_ACK, 0.5, 2.0, 0);
    assert_int_equal(h->total, 100000);
    load_tally_destroy(tally);
}

// A client that waits for each answer, of a server that answers in 10 ms and stalls once for 2 s:
// one command saw it, 200 would have.
static void correction_adds_the_commands_of_a_stall(void **state)
{
    (void)state;
    static histogram closed, open;
    histogram_init(&closed);
    histogram_init(&open);
    for (int i = 0; i < 800; i++) {
        histogram_record(&closed, 10 * MS);
        histogram_record(&open, 10 * MS);
    }
    histogram_record(&closed, 2000 * MS);
    for (uint64_t due = 0; due < 2000; due += 10) {
        histogram_record(&open, (2000 - due) * MS);
    }
    assert_true(histogram_percentile(&closed, 99.0) < 11 * MS);
    load_tally_correct(&closed, 10 * MS);
    static const double shares[] = {50.0, 80.0, 85.0, 90.0, 95.0, 99.0, 100.0};
    assert_in_range(closed.total, open.total - 1, open.total + 1);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        double told = (double)histogram_percentile(&closed, shares[i]);
        double truth = (double)histogram_percentile(&open, shares[i]);
        assert_true(told > truth * 0.95 - 1e6 && told < truth * 1.05 + 1e6);
    }
}

// A microsecond against a second: as many as a million stand in, in bounded work.
static void correction_is_bounded(void **state)
{
    (void)state;
    static histogram h;
    histogram_init(&h);
    histogram_record_many(&h, 1000, 1000000);
    histogram_record(&h, 1000 * MS);
    load_tally_correct(&h, 1000);
    assert_in_range(h.total, 1990000, 2010000);
    histogram before = h;
    load_tally_correct(&h, 0); // no interval, nothing to add
    assert_memory_equal(&h, &before, sizeof h);
}

static void merge_adds_all(void **state)
{
    (void)state;
    load_tally *a = load_tally_create(10.0);
    load_tally *b = load_tally_create(10.0);
    load_tally *sum = load_tally_create(10.0);
    load_tally_record(a, LOAD_SEEN, 1.0, 0.5);
    load_tally_record(b, LOAD_SEEN, 1.0, 1.5);
    a->errors[CAROM_NOT_FOUND] = 2;
    b->unsent = 3;
    b->unanswered = 4;
    load_tally_slice(b, 1.0)->clients = 7;
    load_tally_merge(sum, a);
    load_tally_merge(sum, b);
    assert_int_equal(sum->metrics[LOAD_SEEN].total, 2);
    assert_int_equal(load_slice_total(load_tally_slice(sum, 1.0), LOAD_SEEN), 2);
    assert_int_equal(load_tally_errors(sum), 9);
    assert_int_equal(load_tally_slice(sum, 1.0)->clients, 7);
    load_tally_destroy(a);
    load_tally_destroy(b);
    load_tally_destroy(sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_cover_any_length_of_run),
        cmocka_unit_test(slice_percentiles_are_within_seven_percent),
        cmocka_unit_test(ages_fall_evenly),
        cmocka_unit_test(correction_adds_the_commands_of_a_stall),
        cmocka_unit_test(correction_is_bounded),
        cmocka_unit_test(merge_adds_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
