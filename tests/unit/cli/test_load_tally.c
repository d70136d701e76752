// Tallies: slices of a run, percentiles in them, ages, errors, sums.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "client/load/tally.h"

#define MS UINT64_C(1000000)

static void slices_cover_any_length_of_run(void **state)
{
    (void)state;
    static const double lengths[] = {0.1, 1.0, 9.9, 10.0, 300.0, 301.0, 3600.0, 86400.0};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        load_tally *tally = load_tally_create(lengths[i]);
        size_t count = load_tally_slice_count(tally, lengths[i]);
        assert_in_range(count, 1, LOAD_SLICES);
        assert_true(lengths[i] < 10.0 || tally->slice_seconds >= 1.0);
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
    const load_slim *slim = load_slice_slim(load_tally_slice(tally, 3.0), LOAD_ACK);
    assert_int_equal(slim->total, 1000);
    assert_true(slim->largest == 1000 * MS && slim->sum > 500.4e9 && slim->sum < 500.6e9);
    assert_int_equal(load_slice_slim(load_tally_slice(tally, 3.0), LOAD_SEEN)->total, 0);
    assert_int_equal(
        load_slim_percentile(load_slice_slim(load_tally_slice(tally, 3.0), LOAD_SEEN), 99.0), 0);
    for (int percent = 10; percent <= 100; percent += 10) {
        uint64_t truth = (uint64_t)percent * 10 * MS;
        uint64_t told = load_slim_percentile(slim, percent);
        assert_true(told >= truth && told <= truth + truth / 14 && told <= slim->largest);
    }
    assert_int_equal(load_slice_slim(load_tally_slice(tally, 4.0), LOAD_ACK)->total, 0);
    assert_null(load_slice_slim(load_tally_slice(tally, 4.0), LOAD_RTT));
    load_tally_destroy(tally);
}

// Latencies below and above the bins of a slice count in its end bins, and the largest is exact.
static void slice_takes_any_latency(void **state)
{
    (void)state;
    static const double seconds[] = {0.0, 1e-9, 1e-6, 1e3, 5e3, 1e8};
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
        load_tally *tally = load_tally_create(1.0);
        load_tally_record(tally, LOAD_AGE, 0.0, seconds[i]);
        const load_slim *slim = load_slice_slim(load_tally_slice(tally, 0.0), LOAD_AGE);
        assert_int_equal(slim->total, 1);
        assert_true(load_slim_percentile(slim, 99.0) == slim->largest);
        assert_true((double)slim->largest <= seconds[i] * 1e9 * 1.001 + 1.0);
        load_tally_destroy(tally);
    }
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

static void late_answers_belong_to_the_last_slice(void **state)
{
    (void)state;
    load_tally *tally = load_tally_create(2.0);
    load_tally_slice(tally, 1.95)->answered = 3;
    load_tally_slice(tally, 1.95)->clients = 7;
    load_tally_slice(tally, 2.05)->answered = 1;
    load_tally_slice(tally, 9.0)->answered = 1;
    load_tally_slice(tally, 9.0)->clients = 7;
    load_tally_record(tally, LOAD_ACK, 2.05, 0.1);
    load_tally_fold(tally, 2.0);
    const load_slice *last = &tally->slices[load_tally_slice_count(tally, 2.0) - 1];
    assert_int_equal(last->answered, 5);
    assert_int_equal(last->clients, 7);
    assert_int_equal(load_slice_slim(last, LOAD_ACK)->total, 1);
    load_tally_destroy(tally);
}

static void first_error_of_each_kind_is_kept(void **state)
{
    (void)state;
    load_tally *tally = load_tally_create(1.0);
    load_tally *sum = load_tally_create(1.0);
    carom_error error = {.status = CAROM_NOT_FOUND, .text = "no body 5"};
    load_tally_fail(tally, 0.55, "body.set", &error);
    error = (carom_error){.status = CAROM_NOT_FOUND, .text = "no body 6"};
    load_tally_fail(tally, 0.55, "body.get", &error);
    error = (carom_error){.status = (carom_status)99, .text = "odd"};
    load_tally_fail(tally, 0.0, "ping", &error);
    load_tally_merge(sum, tally);
    assert_int_equal(sum->errors[CAROM_NOT_FOUND], 2);
    assert_string_equal(sum->error_text[CAROM_NOT_FOUND], "body.set: no body 5");
    assert_int_equal(sum->errors[CAROM_INTERNAL], 1);
    assert_int_equal(load_tally_slice(sum, 0.55)->errors, 2);
    load_tally_destroy(tally);
    load_tally_destroy(sum);
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
    a->dropped = 5;
    b->dropped = 6;
    b->resumed = 3;
    load_tally_slice(b, 1.0)->dropped = 6;
    load_tally_slice(b, 1.0)->clients = 7;
    load_tally_merge(sum, a);
    load_tally_merge(sum, b);
    assert_int_equal(sum->metrics[LOAD_SEEN].total, 2);
    assert_int_equal(load_slice_slim(load_tally_slice(sum, 1.0), LOAD_SEEN)->total, 2);
    assert_int_equal(load_tally_errors(sum), 9);
    assert_int_equal(load_tally_slice(sum, 1.0)->clients, 7);
    assert_int_equal(sum->dropped, 11);
    assert_int_equal(sum->resumed, 3);
    assert_int_equal(load_tally_slice(sum, 1.0)->dropped, 6);
    load_tally_destroy(a);
    load_tally_destroy(b);
    load_tally_destroy(sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_cover_any_length_of_run),
        cmocka_unit_test(slice_percentiles_are_within_seven_percent),
        cmocka_unit_test(slice_takes_any_latency),
        cmocka_unit_test(ages_fall_evenly),
        cmocka_unit_test(late_answers_belong_to_the_last_slice),
        cmocka_unit_test(first_error_of_each_kind_is_kept),
        cmocka_unit_test(merge_adds_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
