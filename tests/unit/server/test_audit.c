// Lines of the log that clients cause are limited: endless refusals and worlds do not fill it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "server/base/audit.h"
#include "tests/unit/base/capture.h"

enum { FLOOD = 20000, SLACK = 20 * AUDIT_RATE }; // lines that a slow run may log additionally

static char text[1 << 20];

static uint32_t count(const char *word)
{
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        found++;
    }
    return found;
}

static void make_and_end_worlds(void)
{
    for (int i = 0; i < FLOOD; i++) {
        audit_event("world 'w%d' begins", i);
    }
    audit_refusal(1, "ada", NULL, STATUS_NOT_FOUND, "no such body");
}

static void worlds_without_end_have_bounded_lines_and_leave_refusals_theirs(void **state)
{
    (void)state;
    capture_stderr(make_and_end_worlds, text, sizeof text);
    assert_true(count("begins") >= AUDIT_BURST);
    assert_true(count("begins") <= AUDIT_BURST + SLACK);
    assert_int_equal(count("refused: session 1"), 1);
}

static void refuse_without_end(void)
{
    for (int i = 0; i < FLOOD; i++) {
        audit_refusal(1, "ada", NULL, STATUS_NOT_FOUND, "no such body");
    }
}

static void refusals_without_end_have_bounded_lines(void **state)
{
    (void)state;
    capture_stderr(refuse_without_end, text, sizeof text);
    assert_true(count("refused: session") >= AUDIT_BURST - 1);
    assert_true(count("refused: session") <= AUDIT_BURST + SLACK);
}

static void write_nothing(void)
{
    log_set_level(LOG_WARN);
    audit_event("world 'w' begins");
    log_set_level(LOG_INFO);
}

static void events_are_of_level_info(void **state)
{
    (void)state;
    capture_stderr(write_nothing, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_without_end_have_bounded_lines_and_leave_refusals_theirs),
        cmocka_unit_test(refusals_without_end_have_bounded_lines),
        cmocka_unit_test(events_are_of_level_info),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
