// Thresholds: what they compare; malformed ones are refused with the allowed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "client/load/threshold.h"

static char error[LOAD_THRESHOLD_ERROR_MAX];
static load_result result; // large

// A thousand commands of 1 to 1000 ms, ten errors, 400 ticks of which one was late.
static int begin(void **state)
{
    (void)state;
    result.tally = load_tally_create(10.0);
    for (int i = 1; i <= 1000; i++) {
        load_tally_record(result.tally, LOAD_ACK, 1.0, i * 1e-3);
    }
    result.tally->sent = 990;
    result.tally->unsent = 10;
    result.tally->answered = 990;
    result.tally->snapshots = 99;
    result.tally->skipped = 1;
    result.tally->dropped = 2;
    result.tally->bytes_in = 500000;
    result.tally->client_seconds = 100.0;
    result.seconds = 10.0;
    result.clients = 10;
    result.server.ticks = 400;
    result.server.ticks_late = 1;
    result.server.rate_share = 0.98;
    result.server.delay = (timing){400, {1e-4, 2e-4, 3e-4, 4e-4, 5e-4, 6e-4}};
    return 0;
}

static int end(void **state)
{
    (void)state;
    load_tally_destroy(result.tally);
    return 0;
}

static load_verdict judge(const char *text)
{
    load_threshold t;
    if (!load_threshold_parse(&t, text, error)) {
        fail_msg("%s: %s", text, error);
    }
    return load_threshold_judge(&t, &result);
}

static void conditions_compare_what_they_name(void **state)
{
    (void)state;
    static const char *const met[] = {
        "p99>900ms",
        "ack.p99 > 0.9s",
        "ack.p99>=990ms",
        "ack.max>=1s",
        "ack.max>999999us",
        "ack.mean<501ms",
        "ack.p97.5>970ms",
        "p50<=508ms",
        "errors>0",
        "errors>9",
        "errors>0.9%",
        "errors>=1%",
        "unsent>0",
        "dropped>1",
        "dropped>=20%",
        "late>0",
        "late>0.2%",
        "rate<99%",
        "skipped>=1%",
        "clients<11",
        "commands/s<100",
        "snapshots/s<10",
        "bytes_in/s>4.9KB",
        "bytes_in/s>=5000",
        "bytes_out/s<1",
        "delay.p99>300us",
        "delay.max>=600us",
        " delay.p99.9 > 400us",
        "commands/s > 98.5e0",
    };
    static const char *const not_met[] = {
        "p99>1s",     "ack.max>1s",   "p50<400ms",        "errors>10",      "errors>1%",
        "lost>0",     "refused>0",    "late>1",           "late>0.25%",     "rate<98%",
        "skipped>1%", "clients<10",   "bytes_in/s>5.1KB", "unanswered>0",   "delay.p50>100us",
        "lost>=1%",   "errors>=1.1%", "commands/s>99.1",  "bytes_in/s>5MB", "refused>1%",
        "dropped>2",  "dropped>20%",
    };
    for (size_t i = 0; i < sizeof met / sizeof met[0]; i++) {
        load_verdict v = judge(met[i]);
        if (!v.met || !v.measured) {
            fail_msg("%s is not met: %g", met[i], v.value);
        }
    }
    for (size_t i = 0; i < sizeof not_met / sizeof not_met[0]; i++) {
        load_verdict v = judge(not_met[i]);
        if (v.met || !v.measured) {
            fail_msg("%s is met: %g", not_met[i], v.value);
        }
    }
}

static void nothing_measured_is_no_success(void **state)
{
    (void)state;
    static const char *const cases[] = {"seen.p99>1s", "seen.p99<1s", "step.p99>1s"};
    for (size_t i = 0; i < 3; i++) {
        load_verdict v = judge(cases[i]);
        assert_true(v.met && !v.measured);
    }
}

static void errors_are_known_as_such(void **state)
{
    (void)state;
    load_threshold t;
    assert_true(load_threshold_parse(&t, "errors>1%", error) && t.errors);
    assert_true(load_threshold_parse(&t, "lost>1", error) && t.errors);
    assert_true(load_threshold_parse(&t, "dropped>1", error) && !t.errors);
    assert_true(load_threshold_parse(&t, "late>1", error) && !t.errors);
    assert_true(load_threshold_parse(&t, "p99>1s", error) && !t.errors);
}

static void malformed_condition_is_refused_with_what_is_allowed(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "expected NAME, > or >= or < or <="},
        {"p99", "expected NAME, > or >= or < or <="},
        {">5", "expected NAME, > or >= or < or <="},
        {"p99=5ms", "expected NAME, > or >= or < or <="},
        {"p99=>5ms", "expected NAME, > or >= or < or <="},
        {"p99<>5ms", "expected NAME, > or >= or < or <="},
        {"p99>", "expected a number, 0 or more"},
        {"p99>-5ms", "expected a number, 0 or more"},
        {"p99>fast", "expected a number, 0 or more"},
        {"p99>nan", "expected a number, 0 or more"},
        {"p99>1e999ms", "expected a number, 0 or more"},
        {"p99>5", "a time needs its unit: us, ms or s"},
        {"p99>5min", "a time needs its unit: us, ms or s"},
        {"p99>5%", "a time needs its unit: us, ms or s"},
        {"p99>5 ms ms", "expected a number, 0 or more"},
        {"p0>5ms", "nothing is named 'p0'; there are ack, wait, above"},
        {"p101>5ms", "nothing is named 'p101'; there are ack, wait, above"},
        {"speed>5", "nothing is named 'speed'"},
        {"ack>5ms", "say which: a percentile"},
        {"ack.>5ms", "say which: a percentile"},
        {"ack.p>5ms", "say which: a percentile"},
        {"ack.min>5ms", "say which: a percentile"},
        {"step.p97>5ms", "of the server there are .p50"},
        {"step.mean>5ms", "of the server there are .p50"},
        {"errors>5ms", "only % may follow the number"},
        {"clients>5%", "nothing may follow the number"},
        {"bytes_in/s>5%", "only KB, MB or GB may follow"},
        {"rate<0.9", "rate is a share of the worlds' hz"},
        {"p99>5ms and errors>0", "expected a number, 0 or more"},
        {"p99999999999999999999999999999999999999999999999999999999999999999>5ms",
         "longer than 63"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        load_threshold t;
        if (load_threshold_parse(&t, cases[i][0], error) || strstr(error, cases[i][1]) == NULL) {
            fail_msg("'%s'\n  wanted: %s\n  told:   %s", cases[i][0], cases[i][1], error);
        }
    }
}

static void values_are_shown_as_the_condition_has_them(void **state)
{
    (void)state;
    char out[32];
    load_threshold t;
    assert_true(load_threshold_parse(&t, "p99>20ms", error));
    load_threshold_show(&t, 0.0231, out, sizeof out);
    assert_string_equal(out, "23.1 ms");
    assert_true(load_threshold_parse(&t, "late>0.1%", error));
    load_threshold_show(&t, 0.004, out, sizeof out);
    assert_string_equal(out, "0.4 %");
    assert_true(load_threshold_parse(&t, "errors>0", error));
    load_threshold_show(&t, 3.0, out, sizeof out);
    assert_string_equal(out, "3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_compare_what_they_name),
        cmocka_unit_test(nothing_measured_is_no_success),
        cmocka_unit_test(errors_are_known_as_such),
        cmocka_unit_test(malformed_condition_is_refused_with_what_is_allowed),
        cmocka_unit_test(values_are_shown_as_the_condition_has_them),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
