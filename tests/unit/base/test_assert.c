// A failed assertion prints its text and place, and ends the process, in every build.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "common/base/assert.h"
#include "tests/unit/base/capture.h"

static void break_an_assertion(void)
{
    signal(SIGABRT, SIG_DFL); // a sanitizer may have put its own handler there
    int legs = 3;
    ASSERT(legs == 4);
}

static void blame_the_world(int number)
{
    (void)number;
    fputs("a world is blamed", stderr);
}

static void run_out_of_memory(void)
{
    signal(SIGABRT, blame_the_world);
    void *made = NULL;
    ASSERT_MEMORY(made != NULL);
}

static void keep_an_assertion(void)
{
    int legs = 4;
    ASSERT(legs++ == 4);
    fprintf(stderr, "%d", legs);
}

static void break_a_slow_assertion(void)
{
    signal(SIGABRT, SIG_DFL);
    int legs = 3;
    (void)legs; // release builds do not evaluate it
    ASSERT_SLOW(legs == 4);
}

static void assert_broken_names_the_place_and_aborts(void **state)
{
    (void)state;
    char text[512];
    int wait_status = capture_exit(break_an_assertion, text, sizeof text);
    assert_true(WIFSIGNALED(wait_status));
    assert_int_equal(WTERMSIG(wait_status), SIGABRT);
    assert_non_null(strstr(text, "carom: assertion failed at "));
    assert_non_null(strstr(text, "test_assert.c:"));
    assert_non_null(strstr(text, "legs == 4"));
}

static void memory_that_is_out_says_so_and_blames_nobody(void **state)
{
    (void)state;
    char text[512];
    int wait_status = capture_exit(run_out_of_memory, text, sizeof text);
    assert_true(WIFSIGNALED(wait_status));
    assert_int_equal(WTERMSIG(wait_status), SIGABRT);
    assert_non_null(strstr(text, "carom: memory is out: "));
    assert_non_null(strstr(text, "test_assert.c:"));
    assert_null(strstr(text, "assertion failed"));
    assert_null(strstr(text, "a world is blamed"));
}

static void assert_kept_evaluates_once_and_says_nothing(void **state)
{
    (void)state;
    char text[64];
    int wait_status = capture_exit(keep_an_assertion, text, sizeof text);
    assert_true(WIFEXITED(wait_status));
    assert_int_equal(WEXITSTATUS(wait_status), 0);
    assert_string_equal(text, "5");
}

static void assert_slow_is_checked_in_debug_builds_alone(void **state)
{
    (void)state;
    char text[512];
    int wait_status = capture_exit(break_a_slow_assertion, text, sizeof text);
#ifdef NDEBUG
    assert_true(WIFEXITED(wait_status));
    assert_string_equal(text, "");
#else
    assert_true(WIFSIGNALED(wait_status));
    assert_non_null(strstr(text, "legs == 4"));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assert_broken_names_the_place_and_aborts),
        cmocka_unit_test(memory_that_is_out_says_so_and_blames_nobody),
        cmocka_unit_test(assert_kept_evaluates_once_and_says_nothing),
        cmocka_unit_test(assert_slow_is_checked_in_debug_builds_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
