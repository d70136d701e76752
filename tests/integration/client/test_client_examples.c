// The example programs do what their texts promise. Arguments: caromd, the examples drop, game,
// own_loop, predict and referee, and carom.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/process.h"
#include "tests/support/patience.h"

enum { PROGRAMS = 5 };

static const char *caromd_path;
static const char *programs[PROGRAMS];
static const char *carom_path;

// Runs an example against the server and returns what it wrote.
static const char *run_example(process *example, const process *server, const char *program,
                               const char *second, const char *third)
{
    char where[32];
    snprintf(where, sizeof where, "127.0.0.1:%u", (unsigned)server->port);
    process_spawn(example, program, (const char *const[]){where, second, third, NULL});
    int code = process_wait(example, PATIENCE_MS);
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
    assert_int_equal(process_stop(&server, SIGTERM, PATIENCE_MS), 0);
}

static void wrong_arguments_show_the_usage(void **state)
{
    (void)state;
    static process example;
    for (int i = 0; i < PROGRAMS; i++) {
        process_spawn(&example, programs[i], (const char *const[]){"--help", NULL});
        assert_int_equal(process_wait(&example, PATIENCE_MS), 2);
        assert_non_null(strstr(example.text, "usage: "));
    }
}

static void drop_leaves_a_world_of_its_name_alone(void **state)
{
    (void)state;
    static process server, example;
    char where[32];
    process_start(&server, caromd_path, (const char *const[]){"--world", "drop", NULL});
    snprintf(where, sizeof where, "127.0.0.1:%u", (unsigned)server.port);
    for (int i = 0; i < 2; i++) {
        process_spawn(&example, programs[0], (const char *const[]){where, NULL});
        assert_int_equal(process_wait(&example, PATIENCE_MS), 1);
        assert_non_null(strstr(example.text, "already_exists"));
    }
    assert_int_equal(process_stop(&server, SIGTERM, PATIENCE_MS), 0);
}

// Starts a relay 50 ms in front of the server.
static void start_relay(process *relay, const process *server)
{
    char where[32];
    snprintf(where, sizeof where, "127.0.0.1:%u", (unsigned)server->port);
    process_spawn(relay, carom_path,
                  (const char *const[]){"relay", "--listen", "127.0.0.1:0", "--delay", "50ms", "-s",
                                        where, NULL});
    static const char IS[] = " is 127.0.0.1:";
    assert_true(process_wait_log(relay, IS, PATIENCE_MS));
    const char *end = strstr(relay->text, IS);
    const char *port = end;
    while (port > relay->text && port[-1] != ':') {
        port--;
    }
    relay->port = (uint16_t)strtoul(port, NULL, 10);
    assert_int_not_equal(relay->port, 0);
}

static void predicted_disc_obeys_its_player_over_a_distance(void **state)
{
    (void)state;
    static process server, relay, example;
    process_start(&server, caromd_path, NULL);
    start_relay(&relay, &server);
    const char *text = run_example(&example, &relay, programs[3], "4", NULL);
    int moved = 0;
    int keys = 0;
    int frames = 0;
    double away_ms = 0.0;
    assert_int_equal(
        sscanf(text,
               "%d of %d keys moved the disc, in frame %d at the latest; the server is %lf ms",
               &moved, &keys, &frames, &away_ms),
        4);
    assert_true(away_ms >= 100.0);
    assert_true(keys >= 3 && moved > 0 && moved <= keys);
    assert_non_null(strstr(text, "ticks were predicted to the bit"));
    (void)process_stop(&relay, SIGTERM, PATIENCE_MS);
    assert_int_equal(process_stop(&server, SIGTERM, PATIENCE_MS), 0);
}

// Runs a command of carom against the server.
static void run_carom(const process *server, const char *const *words)
{
    static process command;
    char where[32];
    const char *arguments[8] = {"-s", where};
    size_t count = 2;
    snprintf(where, sizeof where, "127.0.0.1:%u", (unsigned)server->port);
    while (*words != NULL) {
        arguments[count++] = *words++;
    }
    process_spawn(&command, carom_path, arguments);
    int code = process_wait(&command, PATIENCE_MS);
    if (code != 0) {
        fail_msg("carom %s ended with %d: %s", arguments[2], code, command.text);
    }
}

static void start_ring(process *server)
{
    char file[] = "/tmp/carom-ring-XXXXXX", option[64];
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    dprintf(fd, "{\"gravity\": [0, 0], \"seats\": 4, \"idle_s\": 600}");
    close(fd);
    snprintf(option, sizeof option, "ring=%s", file);
    process_start(server, caromd_path, (const char *const[]){"--template", option, NULL});
    unlink(file);
}

static void referee_keeps_the_rules_of_its_ring(void **state)
{
    (void)state;
    static process server, referee, player;
    char where[32], world[64] = "";
    start_ring(&server);
    snprintf(where, sizeof where, "127.0.0.1:%u", (unsigned)server.port);
    process_spawn(&player, carom_path, (const char *const[]){"join", "ring", "-s", where, NULL});
    process_spawn(&referee, programs[4], (const char *const[]){where, NULL});
    assert_true(process_wait_log(&referee, "seat 1 is in", PATIENCE_MS));
    assert_int_equal(sscanf(referee.text, "%63[^:]: is the referee", world), 1);
    run_carom(&server, (const char *const[]){"impulse", world, "1", "100,0", NULL});
    assert_true(process_wait_log(&referee, "seat 1 is out: 2 points left", PATIENCE_MS));
    (void)process_stop(&player, SIGINT, PATIENCE_MS);
    assert_true(process_wait_log(&referee, "seat 1 is free", PATIENCE_MS));
    (void)process_stop(&referee, SIGTERM, PATIENCE_MS);
    assert_int_equal(process_stop(&server, SIGTERM, PATIENCE_MS), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_runs_and_ends_well),
        cmocka_unit_test(wrong_arguments_show_the_usage),
        cmocka_unit_test(drop_leaves_a_world_of_its_name_alone),
        cmocka_unit_test(predicted_disc_obeys_its_player_over_a_distance),
        cmocka_unit_test(referee_keeps_the_rules_of_its_ring),
    };
    if (argc != 3 + PROGRAMS) {
        fprintf(stderr, "usage: %s caromd drop game own_loop predict referee carom\n", argv[0]);
        return 2;
    }
    caromd_path = argv[1];
    for (int i = 0; i < PROGRAMS; i++) {
        programs[i] = argv[2 + i];
    }
    carom_path = argv[2 + PROGRAMS];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
