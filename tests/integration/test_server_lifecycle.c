// The process: how it begins, what it does with signals, how it ends.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/client.h"
#include "tests/support/process.h"

#define BALL "{\"kind\":\"circle\",\"radius\":0.5}"

static const char *program;

// Exit code and output of a run with these arguments.
static int run(process *p, const char *const *arguments)
{
    process_spawn(p, program, arguments);
    return process_wait(p, CLIENT_WAIT_MS);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void help_and_version_are_printed(void **state)
{
    (void)state;
    static process p;
    assert_int_equal(run(&p, ARGS("--help")), 0);
    assert_non_null(strstr(p.text, "--listen"));
    assert_int_equal(run(&p, ARGS("--version")), 0);
    assert_non_null(strstr(p.text, "caromd "));
}

static void wrong_option_ends_with_2(void **state)
{
    (void)state;
    static process p;
    assert_int_equal(run(&p, ARGS("--threads", "none")), 2);
    assert_non_null(strstr(p.text, "caromd: --threads: must be a whole number"));
    assert_int_equal(run(&p, ARGS("--nonsense")), 2);
    setenv("CAROM_HZ", "fast", 1);
    assert_int_equal(run(&p, NULL), 2);
    unsetenv("CAROM_HZ");
    assert_non_null(strstr(p.text, "CAROM_HZ"));
}

static void port_in_use_ends_with_1(void **state)
{
    (void)state;
    static process first;
    static process second;
    char listen[32];
    process_start(&first, program, NULL);
    snprintf(listen, sizeof listen, "127.0.0.1:%u", first.port);
    assert_int_equal(run(&second, ARGS("--listen", listen)), 1);
    assert_non_null(strstr(second.text, listen));
    assert_non_null(strstr(second.text, "address already in use"));
    assert_int_equal(process_stop(&first, SIGTERM, CLIENT_WAIT_MS), 0);
}

static void host_without_address_ends_with_1(void **state)
{
    (void)state;
    static process p;
    assert_int_equal(run(&p, ARGS("--listen", "no.such.host.invalid:1")), 1);
    assert_non_null(strstr(p.text, "no.such.host.invalid"));
}

static void scene_that_is_wrong_ends_with_1(void **state)
{
    (void)state;
    static process p;
    assert_int_equal(
        run(&p, ARGS("--listen", "127.0.0.1:0", "--world", "a", "--world", "w:nosuch")), 1);
    assert_non_null(strstr(p.text, "world 'w'"));
    assert_non_null(strstr(p.text, "nosuch"));
    assert_null(strstr(p.text, "listening"));
}

static void variables_do_what_options_do(void **state)
{
    (void)state;
    static process p;
    client c;
    setenv("CAROM_LISTEN", "127.0.0.1:0", 1);
    setenv("CAROM_WORLD", "one,two:demo", 1);
    process_spawn(&p, program, NULL);
    unsetenv("CAROM_LISTEN");
    unsetenv("CAROM_WORLD");
    assert_true(process_wait_log(&p, "listening on 127.0.0.1:", CLIENT_WAIT_MS));
    unsigned port = 0;
    assert_int_equal(sscanf(strstr(p.text, "listening on "), "listening on 127.0.0.1:%u", &port),
                     1);
    client_open(&c, (uint16_t)port);
    assert_int_equal(obj_count(client_call(&c, "world.list", "{}")), 2);
    client_close(&c);
    assert_int_equal(process_stop(&p, SIGTERM, CLIENT_WAIT_MS), 0);
}

static void signal_ends_an_idle_server(int signal)
{
    static process p;
    process_start(&p, program, ARGS("--world", "w"));
    assert_int_equal(process_stop(&p, signal, CLIENT_WAIT_MS), 0);
    assert_non_null(strstr(p.text, "stopped")); // all was closed and freed
}

static void sigterm_and_sigint_end_with_0(void **state)
{
    (void)state;
    signal_ends_an_idle_server(SIGTERM);
    signal_ends_an_idle_server(SIGINT);
}

static void sigpipe_is_ignored(void **state)
{
    (void)state;
    static process p;
    process_start(&p, program, NULL);
    kill(p.pid, SIGPIPE);
    client c;
    client_open(&c, p.port);
    client_call(&c, "ping", "{}");
    client_close(&c);
    assert_int_equal(process_stop(&p, SIGTERM, CLIENT_WAIT_MS), 0);
}

// Subscribers, a flood of commands, a client who does not read, one who has sent half a message,
// and one whose command waits for a tick that will not come.
static void drain_under_load_tells_everyone(void **state)
{
    (void)state;
    static process p;
    client subscriber, flooder, deaf, slow, waiting;
    process_start(&p, program, ARGS("--world", "w:demo", "--world", "still", "--threads", "2"));
    client_open(&subscriber, p.port);
    client_open(&flooder, p.port);
    client_open(&deaf, p.port);
    client_open(&slow, p.port);
    client_open(&waiting, p.port);
    client_call(&subscriber, "world.subscribe", "{\"world\":\"w\"}");
    client_snapshot(&subscriber);
    client_call(&deaf, "world.subscribe", "{\"world\":\"w\",\"contacts\":true}");
    client_call(&slow, "ping", "{}");
    client_send(&slow, "\x94\x00\x01", 3);
    client_call(&waiting, "world.pause", "{\"world\":\"still\"}");
    uint32_t never = client_request(&waiting, "world.apply",
                                    "{\"world\":\"still\",\"at\":5000,\"commands\":[]}");
    client_call(&waiting, "world.info", "{\"world\":\"still\"}");
    for (int i = 0; i < 3000; i++) {
        client_notify(&flooder, "body.spawn", "{\"world\":\"still\",\"shapes\":[]}");
    }
    kill(p.pid, SIGTERM);
    assert_non_null(strstr(client_closed(&subscriber), "unavailable: "));
    assert_non_null(client_notification(&subscriber, "world_closed", 0));
    assert_non_null(strstr(client_error(&waiting, never), "unavailable: "));
    assert_non_null(strstr(client_closed(&waiting), "unavailable: "));
    client_closed(&slow);
    assert_int_equal(process_wait(&p, CLIENT_WAIT_MS), 0);
    assert_non_null(strstr(p.text, "stopped"));
    client_close(&subscriber);
    client_close(&flooder);
    client_close(&deaf);
    client_close(&slow);
    client_close(&waiting);
}

static void drain_in_the_middle_of_a_long_step_does_not_wait_for_it(void **state)
{
    (void)state;
    static process p;
    client c;
    process_start(&p, program, NULL);
    client_open(&c, p.port);
    client_call(&c, "world.create", "{\"world\":\"w\",\"scene\":\"demo\",\"paused\":true}");
    uint32_t id = client_request(&c, "world.step", "{\"world\":\"w\",\"ticks\":100000}");
    client_call(&c, "ping", "{}");
    kill(p.pid, SIGTERM);
    assert_non_null(strstr(client_error(&c, id), "unavailable: "));
    assert_int_equal(process_wait(&p, CLIENT_WAIT_MS), 0);
    client_close(&c);
}

// A step that lasts longer than the server waits for its worlds: hundreds of balls in one place,
// each of which touches every other. Nobody hears of the world's end from the world itself by then.
// The subscriber wants no events: 15 MB of them would have to be read within the time that a server
// on its way out allows.
static void drain_in_the_middle_of_a_jam_tells_everyone(void **state)
{
    (void)state;
    enum { BALLS = 500 };
    static process p;
    client subscriber, stepper;
    process_start(&p, program, ARGS("--threads", "1"));
    client_open(&subscriber, p.port);
    client_open(&stepper, p.port);
    client_call(&stepper, "world.create", "{\"world\":\"jam\",\"paused\":true}");
    for (int i = 0; i < BALLS; i++) {
        client_notify(&stepper, "body.spawn", "{\"world\":\"jam\",\"shapes\":[" BALL "]}");
    }
    client_call(&subscriber, "world.subscribe", "{\"world\":\"jam\",\"events\":[]}");
    client_snapshot(&subscriber);
    assert_int_equal(
        obj_get_uint(client_call(&stepper, "world.info", "{\"world\":\"jam\"}"), "bodies"), BALLS);
    client_request(&stepper, "world.step", "{\"world\":\"jam\",\"ticks\":100}");
    client_call(&stepper, "ping", "{}");
    kill(p.pid, SIGTERM);
    assert_non_null(strstr(client_closed(&subscriber), "unavailable: "));
    assert_non_null(client_notification(&subscriber, "world_closed", 0));
    assert_int_equal(process_wait(&p, 3 * CLIENT_WAIT_MS), 0); // it ends when the step does
    client_close(&subscriber);
    client_close(&stepper);
}

static void few_descriptors_mean_few_connections(void **state)
{
    (void)state;
    static process p;
    client c[5];
    char command[512];
    snprintf(command, sizeof command, "ulimit -n 100; exec '%s' --listen 127.0.0.1:0 --http off",
             program);
    process_spawn(&p, "/bin/sh", ARGS("-c", command));
    assert_true(process_wait_log(&p, "listening on 127.0.0.1:", CLIENT_WAIT_MS));
    assert_non_null(strstr(p.text, "100 descriptors are enough for 4 connections"));
    unsigned port = 0;
    sscanf(strstr(p.text, "listening on "), "listening on 127.0.0.1:%u", &port);
    for (int i = 0; i < 4; i++) {
        client_open(&c[i], (uint16_t)port);
        client_call(&c[i], "ping", "{}");
    }
    client_open(&c[4], (uint16_t)port);
    assert_non_null(strstr(client_closed(&c[4]), "limit_exceeded: connections"));
    for (int i = 0; i < 5; i++) {
        client_close(&c[i]);
    }
    assert_int_equal(process_stop(&p, SIGTERM, CLIENT_WAIT_MS), 0);
}

static uint64_t sessions_of(client *c)
{
    return obj_get_uint(obj_get(client_call(c, "server.stats", "{}"), "counters"), "sessions");
}

static void no_descriptor_left_is_survived(void **state)
{
    (void)state;
    enum { FILES = 40, CLIENTS = 60 };
    static process p;
    static client c, extra[CLIENTS];
    struct rlimit low = {FILES, FILES};
    process_start(&p, program, NULL);
    assert_int_equal(prlimit(p.pid, RLIMIT_NOFILE, &low, NULL), 0);
    client_open(&c, p.port);
    client_call(&c, "ping", "{}");
    for (int i = 0; i < CLIENTS; i++) {
        client_open(&extra[i], p.port); // the kernel takes them, the server cannot take all
    }
    client_closed(&extra[CLIENTS - 1]);
    uint64_t sessions = sessions_of(&c);
    assert_in_range(sessions, 2, FILES);
    for (int i = 0; i < CLIENTS; i++) {
        client_close(&extra[i]);
    }
    // With descriptors free again, it takes connections again.
    int64_t until = test_now_ms() + CLIENT_WAIT_MS;
    while (sessions_of(&c) > 1 && test_now_ms() < until) {
        usleep(1000);
    }
    client again;
    client_open(&again, p.port);
    client_call(&again, "ping", "{}");
    client_close(&again);
    client_close(&c);
    assert_int_equal(process_stop(&p, SIGTERM, CLIENT_WAIT_MS), 0);
}

int main(int argc, char **argv)
{
    assert_int_equal(argc, 2);
    program = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_version_are_printed),
        cmocka_unit_test(wrong_option_ends_with_2),
        cmocka_unit_test(port_in_use_ends_with_1),
        cmocka_unit_test(host_without_address_ends_with_1),
        cmocka_unit_test(scene_that_is_wrong_ends_with_1),
        cmocka_unit_test(variables_do_what_options_do),
        cmocka_unit_test(sigterm_and_sigint_end_with_0),
        cmocka_unit_test(sigpipe_is_ignored),
        cmocka_unit_test(drain_under_load_tells_everyone),
        cmocka_unit_test(drain_in_the_middle_of_a_long_step_does_not_wait_for_it),
        cmocka_unit_test(drain_in_the_middle_of_a_jam_tells_everyone),
        cmocka_unit_test(few_descriptors_mean_few_connections),
        cmocka_unit_test(no_descriptor_left_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
