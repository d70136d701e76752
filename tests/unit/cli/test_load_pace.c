// The correction of closed loops, compared with the latencies that an open loop measures.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/load/pace.h"

#define MS UINT64_C(1000000)

static load_pace pace; // large

static void note_many(double took, int count)
{
    for (int i = 0; i < count; i++) {
        load_pace_note(&pace, took);
    }
}

// Adds a call and the calls that it delayed, as a load client does.
static void add(histogram *h, double took)
{
    load_missed missed = load_pace_missed(&pace, took);
    histogram_record(h, (uint64_t)(took * 1e9));
    for (unsigned i = 1; i <= missed.steps; i++) {
        double rest = took - (double)i * missed.seconds;
        assert_true(rest > 0.0);
        histogram_record_many(h, (uint64_t)(rest * 1e9), load_missed_weight(&missed, i));
    }
}

// A client waits for each answer of a server that answers in 10 ms and stalls once for 2 s: one
// command measured the stall, 200 would have.
static void stall_is_seen_by_the_commands_that_it_kept_back(void **state)
{
    (void)state;
    static histogram closed, open;
    histogram_init(&closed);
    histogram_init(&open);
    load_pace_init(&pace, 0.0);
    for (int i = 0; i < 800; i++) {
        add(&closed, 0.01);
        load_pace_note(&pace, 0.01);
        histogram_record(&open, 10 * MS);
    }
    assert_true(histogram_percentile(&closed, 99.0) < 11 * MS);
    add(&closed, 2.0);
    for (uint64_t due = 0; due < 2000; due += 10) {
        histogram_record(&open, (2000 - due) * MS);
    }
    static const double shares[] = {50.0, 80.0, 85.0, 90.0, 95.0, 99.0, 100.0};
    assert_in_range(closed.total, open.total - 4, open.total + 4);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        double told = (double)histogram_percentile(&closed, shares[i]);
        double truth = (double)histogram_percentile(&open, shares[i]);
        assert_true(told > truth * 0.95 - 1e6 && told < truth * 1.05 + 1e6);
    }
}

static void usual_calls_keep_nothing_back(void **state)
{
    (void)state;
    load_pace_init(&pace, 0.0);
    assert_int_equal(load_pace_missed(&pace, 10.0).count, 0); // the pace is not known yet
    note_many(0.01, LOAD_PACE_LEAST);
    assert_true(pace.seconds > 0.0099 && pace.seconds < 0.0102);
    assert_int_equal(load_pace_missed(&pace, 0.019).count, 0);
    assert_int_equal(load_pace_missed(&pace, 0.0309).count, 2);
}

static void pause_is_part_of_the_pace(void **state)
{
    (void)state;
    load_pace_init(&pace, 0.5);
    note_many(0.01, 100);
    assert_true(pace.seconds > 0.5099 && pace.seconds < 0.5102);
    assert_int_equal(load_pace_missed(&pace, 1.0).count, 0);
    assert_int_equal(load_pace_missed(&pace, 5.11).count, 9);
}

// The median follows the duration of the calls.
static void pace_follows_the_calls(void **state)
{
    (void)state;
    load_pace_init(&pace, 0.0);
    note_many(0.01, 100);
    note_many(0.05, 1000);
    assert_true(pace.seconds > 0.049 && pace.seconds < 0.051);
}

// A pace of a microsecond and a call of an hour: the correction counts all missed calls with
// bounded work.
static void correction_is_bounded(void **state)
{
    (void)state;
    load_pace_init(&pace, 0.0);
    note_many(1e-6, 100);
    load_missed missed = load_pace_missed(&pace, 3600.0);
    assert_int_equal(missed.steps, LOAD_MISSED_STEPS_MAX);
    assert_in_range(missed.count, UINT64_C(3540000000), UINT64_C(3660000000));
    uint64_t sum = 0;
    for (unsigned i = 1; i <= missed.steps; i++) {
        assert_true(load_missed_weight(&missed, i) > 0);
        sum += load_missed_weight(&missed, i);
    }
    assert_true(sum == missed.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall_is_seen_by_the_commands_that_it_kept_back),
        cmocka_unit_test(usual_calls_keep_nothing_back),
        cmocka_unit_test(pause_is_part_of_the_pace),
        cmocka_unit_test(pace_follows_the_calls),
        cmocka_unit_test(correction_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
