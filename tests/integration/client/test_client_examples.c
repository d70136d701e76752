// The example programs do what they say. Arguments: caromd, the examples drop, game and own_loop.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/process.h"

enum { WAIT_MS = 60000, PROGRAMS = 3 };

static const char *caromd_path;
static const char *programs[PROGRAMS];

// Runs an example against the server and returns what it wrote.
static const char *run_example(process *example, const process *server, const char *program,
                               const char *second, const char *third)
{
    char where[32];
    snprintf(where, sizeof where, "127.0.0.1:%u", (unsigned)server->port);
    process_spawn(example, program, (const char *const[]){where, second, third, NULL});
    int code = process_wait(example, WAIT_MS);
    if (code != 0) {
        fail_msg("%s ended with %d: %s", program, code, example->text);
    }
    return example->text;
}

static void every_example_runs_and_ends_well(void **state)
{
    (void)state;
    static process server, example;
    process_start(&server, caromd_path, (const char *const[]){"--world", "demo:demo", NULL});
    assert_non_null(strstr(run_example(&example, &server, programs[0], NULL, NULL), "touched"));
    assert_non_null(strstr(run_example(&example, &server, programs[1], "demo", "1"), "0 are left"));
    assert_non_null(
        strstr(run_example(&example, &server, programs[2], "20", NULL), "ping: 20 answers"));
    assert_int_equal(process_stop(&server, SIGTERM, WAIT_MS), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example_runs_and_ends_well)};
    if (argc != 2 + PROGRAMS) {
        fprintf(stderr, "usage: %s caromd drop game own_loop\n", argv[0]);
        return 2;
    }
    caromd_path = argv[1];
    for (int i = 0; i < PROGRAMS; i++) {
        programs[i] = argv[2 + i];
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
