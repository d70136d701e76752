// Log lines: form, levels, maximum length, and lines of several threads that must not mix.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "tests/unit/base/capture.h"

enum { THREADS = 4, LINES_PER_THREAD = 200, LINE_BYTES_MAX = 1024 };

static void write_each_level(void)
{
    log_error("e%d", 1);
    log_warn("w%d", 2);
    log_info("i%d", 3);
    log_debug("d%d", 4);
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static void log_level_parse_knows_the_four_words(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"error", "warn", "info", "debug"};
    for (int i = 0; i < LOG_LEVEL_COUNT; i++) {
        log_level level = LOG_LEVEL_COUNT;
        assert_true(log_level_parse(NAMES[i], &level));
        assert_int_equal(level, i);
    }
}

static void log_level_parse_other_word_changes_nothing(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"", "Info", "infos", "inf", "verbose"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        log_level level = LOG_WARN;
        assert_false(log_level_parse(WORDS[i], &level));
        assert_int_equal(level, LOG_WARN);
    }
}

static void log_lines_above_the_level_are_dropped(void **state)
{
    (void)state;
    char text[4096];
    for (int level = 0; level < LOG_LEVEL_COUNT; level++) {
        log_set_level((log_level)level);
        capture_stderr(write_each_level, text, sizeof text);
        assert_int_equal(count_lines(text), level + 1);
        assert_non_null(strstr(text, "e1\n"));
        assert_int_equal(strstr(text, "d4\n") != NULL, level == LOG_DEBUG);
    }
    log_set_level(LOG_INFO);
}

static void write_a_line(void)
{
    log_warn("%s has %d legs", "table", 3);
}

static void log_line_has_time_level_and_text(void **state)
{
    (void)state;
    char text[256];
    capture_stderr(write_a_line, text, sizeof text);
    int year, month, day, hour, minute, second, millisecond, used = 0;
    int read = sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ warn %n", &year, &month, &day, &hour,
                      &minute, &second, &millisecond, &used);
    assert_int_equal(read, 7);
    assert_true(year >= 2020 && month >= 1 && month <= 12);
    assert_string_equal(text + used, "table has 3 legs\n");
}

static void write_a_long_line(void)
{
    log_info("%0*d", 4 * LINE_BYTES_MAX, 0);
    log_info("next");
}

static void log_line_too_long_is_cut_and_still_ends(void **state)
{
    (void)state;
    char text[4096];
    capture_stderr(write_a_long_line, text, sizeof text);
    assert_int_equal(count_lines(text), 2);
    char *end = strchr(text, '\n');
    assert_true(end - text > LINE_BYTES_MAX - 8 && end - text < LINE_BYTES_MAX);
    assert_int_equal(end[-1], '0');
    assert_non_null(strstr(end, "next\n"));
}

// A client's reason, tag or name cannot begin a new line, reverse the direction of text or move the
// cursor.
static void write_acting(void)
{
    log_info("kicked: bye\n2026-11-23T19:54:01.123Z error forged \xe2\x80\xaetxt\xe2\x80\xa8"
             "\xc2\x85\xe2\x81\xa6\x1b[2J\x7f\xff Grüße \"\\");
}

static void write_acting_json(void)
{
    log_set_format(LOG_JSON);
    write_acting();
    log_set_format(LOG_TEXT);
}

static void log_line_escapes_what_would_act_on_it(void **state)
{
    (void)state;
    static const char ESCAPED[] = "kicked: bye\\u000a2026-11-23T19:54:01.123Z error forged "
                                  "\\u202etxt\\u2028\\u0085\\u2066\\u001b[2J\\u007f\\ufffd Grüße ";
    char text[1024];
    char *end;
    capture_stderr(write_acting, text, sizeof text);
    end = strstr(text, ESCAPED);
    assert_non_null(end);
    assert_string_equal(end + strlen(ESCAPED), "\"\\\n");
    capture_stderr(write_acting_json, text, sizeof text);
    end = strstr(text, ESCAPED);
    assert_non_null(end);
    assert_string_equal(end + strlen(ESCAPED), "\\\"\\\\\"}\n");
}

static void write_json(void)
{
    log_set_format(LOG_JSON);
    log_warn("a \"quoted\" \\ %s\n\x01 Grüße \xff\xed\xa0\x80", "tab\there");
    log_set_format(LOG_TEXT);
}

static void log_line_as_json_is_escaped(void **state)
{
    (void)state;
    char text[512];
    capture_stderr(write_json, text, sizeof text);
    static const char HEAD[] = "{\"time\":\"20";
    assert_true(strncmp(text, HEAD, strlen(HEAD)) == 0);
    const char *rest = strstr(text, "Z\",");
    assert_non_null(rest);
    assert_string_equal(rest, "Z\",\"level\":\"warn\",\"message\":\"a \\\"quoted\\\" \\\\ "
                              "tab\\u0009here\\u000a\\u0001 Grüße "
                              "\\ufffd\\ufffd\\ufffd\\ufffd\"}\n");
}

static void write_long_json(void)
{
    static char quotes[2 * LINE_BYTES_MAX];
    memset(quotes, '"', sizeof quotes - 1);
    log_set_format(LOG_JSON);
    log_info("%s", quotes);
    log_info("%0*d", 4 * LINE_BYTES_MAX, 0);
    log_set_format(LOG_TEXT);
}

static void log_line_as_json_too_long_is_still_json(void **state)
{
    (void)state;
    char text[4096];
    capture_stderr(write_long_json, text, sizeof text);
    assert_int_equal(count_lines(text), 2);
    char *rest = text;
    char *line = strtok_r(text, "\n", &rest);
    size_t size = strlen(line);
    assert_in_range(size, LINE_BYTES_MAX - 16, LINE_BYTES_MAX - 1);
    assert_string_equal(line + size - 4, "\\\"\"}"); // the cut leaves no half escape sequence
    line = strtok_r(NULL, "\n", &rest);
    size = strlen(line);
    assert_in_range(size, LINE_BYTES_MAX - 16, LINE_BYTES_MAX - 1);
    assert_string_equal(line + size - 3, "0\"}");
}

static void *write_lines(void *digit)
{
    for (int i = 0; i < LINES_PER_THREAD; i++) {
        log_info("[%0*d]", 80, *(int *)digit);
    }
    return NULL;
}

static void write_from_many_threads(void)
{
    pthread_t threads[THREADS];
    int digits[THREADS];
    for (int i = 0; i < THREADS; i++) {
        digits[i] = i;
        if (pthread_create(&threads[i], NULL, write_lines, &digits[i]) != 0) {
            abort();
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void log_lines_of_many_threads_stay_whole(void **state)
{
    (void)state;
    static char text[THREADS * LINES_PER_THREAD * 256];
    capture_stderr(write_from_many_threads, text, sizeof text);
    int seen[THREADS] = {0};
    char *rest = text;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *open = strchr(line, '[');
        assert_non_null(open);
        assert_int_equal(strspn(open + 1, "0123"), 80);
        assert_string_equal(open + 81, "]");
        seen[open[80] - '0']++;
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(seen[i], LINES_PER_THREAD);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_level_parse_knows_the_four_words),
        cmocka_unit_test(log_level_parse_other_word_changes_nothing),
        cmocka_unit_test(log_lines_above_the_level_are_dropped),
        cmocka_unit_test(log_line_has_time_level_and_text),
        cmocka_unit_test(log_line_too_long_is_cut_and_still_ends),
        cmocka_unit_test(log_line_escapes_what_would_act_on_it),
        cmocka_unit_test(log_line_as_json_is_escaped),
        cmocka_unit_test(log_line_as_json_too_long_is_still_json),
        cmocka_unit_test(log_lines_of_many_threads_stay_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
