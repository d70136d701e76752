// Reaches the maxima of the relay: bytes in a pipe, connections of a relay. Also the parsing of a
// distance. Nothing here waits by the clock: times are given, or a socket is awaited.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/tool/cli.h"
#include "client/tool/relay/distance_options.h"
#include "client/tool/relay/pipe.h"
#include "client/tool/relay/relay.h"

enum { TURNS_MAX = 10000, PIECE_BYTES = 16 * 1024 };

// ---- bytes on the way

static void make_pair(int out[2])
{
    assert_return_code(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, out), 0);
}

static void pipe_takes_its_maximum_and_then_waits_for_room(void **state)
{
    (void)state;
    static const unsigned char piece[PIECE_BYTES];
    static unsigned char taken[PIECE_BYTES];
    int source[2], destination[2];
    make_pair(source);
    make_pair(destination);
    relay_pipe p;
    pipe_init(&p, &(distance_options){.delay = 60.0}, 0, PIPE_BYTES_MAX);
    uint64_t sent = 0;
    while (pipe_wants(&p)) {
        ssize_t put = send(source[0], piece, sizeof piece, MSG_NOSIGNAL);
        sent += put > 0 ? (uint64_t)put : 0;
        assert_true(pipe_read(&p, source[1], 0.0));
        assert_true(sent <= 2 * (uint64_t)PIPE_BYTES_MAX);
    }
    // The pipe exceeds its maximum by one read at most: its bytes, and the memory of its piece.
    assert_in_range(p.waiting, PIPE_BYTES_MAX, PIPE_BYTES_MAX + PIPE_READ_BYTES + 64);
    assert_true(p.bytes > PIPE_BYTES_MAX * 9 / 10);
    assert_true(pipe_write(&p, destination[0], 59.0)); // nothing has arrived
    assert_int_equal(recv(destination[1], taken, sizeof taken, 0), -1);
    uint64_t received = 0;
    while (received < p.bytes) { // all of it has arrived: the pipe reads more as it empties
        assert_true(pipe_write(&p, destination[0], 60.0));
        ssize_t got = recv(destination[1], taken, sizeof taken, 0);
        assert_true(got > 0);
        received += (uint64_t)got;
    }
    assert_int_equal(p.waiting, 0);
    assert_true(pipe_wants(&p));
    pipe_deinit(&p);
    for (int i = 0; i < 2; i++) {
        (void)close(source[i]);
        (void)close(destination[i]);
    }
}

// ---- connections at once

enum { CONNECTIONS = 3 };

typedef struct rig {
    relay *relay;
    int server;
    char address[RELAY_ADDRESS_MAX];
    uint16_t port;
} rig;

static int listen_anywhere(uint16_t *port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    assert_return_code(bind(fd, (struct sockaddr *)&here, sizeof here), 0);
    assert_return_code(listen(fd, 16), 0);
    assert_return_code(getsockname(fd, (struct sockaddr *)&here, &size), 0);
    *port = ntohs(here.sin_port);
    return fd;
}

static int connect_to(uint16_t port)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_return_code(connect(fd, (struct sockaddr *)&there, sizeof there), 0);
    return fd;
}

static void open_rig(rig *r, size_t connections)
{
    char server[RELAY_ADDRESS_MAX], error[RELAY_ERROR_MAX] = "";
    uint16_t port = 0;
    r->server = listen_anywhere(&port);
    (void)snprintf(server, sizeof server, "127.0.0.1:%u", port);
    r->relay = relay_create(&(distance_options){.delay = 0.0},
                            &(relay_limits){connections, PIPE_BYTES_MAX});
    assert_non_null(r->relay);
    assert_true(relay_add_route(r->relay, "127.0.0.1:0", server, r->address, error));
    r->port = (uint16_t)strtoul(strrchr(r->address, ':') + 1, NULL, 10);
}

// Runs the relay until it has accepted `connections`.
static void relay_until(rig *r, uint64_t connections)
{
    char error[RELAY_ERROR_MAX];
    for (int i = 0; i < TURNS_MAX && relay_counted(r->relay).connections < connections; i++) {
        assert_true(relay_run(r->relay, cli_now() + 1.0, -1, error));
    }
    assert_int_equal(relay_counted(r->relay).connections, connections);
}

static void relay_takes_its_maximum_of_connections_and_then_those_that_waited(void **state)
{
    (void)state;
    rig r;
    char error[RELAY_ERROR_MAX];
    int clients[CONNECTIONS + 1];
    open_rig(&r, CONNECTIONS);
    for (int i = 0; i <= CONNECTIONS; i++) {
        clients[i] = connect_to(r.port); // the last one waits in the listener
    }
    relay_until(&r, CONNECTIONS);
    for (int i = 0; i < 20; i++) { // the relay's listener stays readable meanwhile
        assert_true(relay_run(r.relay, cli_now(), -1, error));
    }
    assert_int_equal(relay_counted(r.relay).connections, CONNECTIONS);
    // One client and its server connection close: the waiting client gets the place.
    (void)close(clients[0]);
    int first = -1;
    for (int i = 0; i < TURNS_MAX && first < 0; i++) {
        assert_true(relay_run(r.relay, cli_now() + 1e-3, -1, error));
        first = accept(r.server, NULL, NULL);
    }
    assert_true(first >= 0);
    (void)close(first);
    relay_until(&r, CONNECTIONS + 1);
    relay_destroy(r.relay);
    (void)close(r.server);
    for (int i = 1; i <= CONNECTIONS; i++) {
        (void)close(clients[i]);
    }
}

static void relay_without_limits_of_its_own_has_the_documented_ones(void **state)
{
    (void)state;
    assert_int_equal(RELAY_CONNECTIONS_MAX, 4096);
    assert_int_equal(PIPE_BYTES_MAX, 4 << 20);
}

// ---- the distance in words

static void distance_text_sets_what_it_names(void **state)
{
    (void)state;
    distance_options o;
    char error[DISTANCE_ERROR_MAX], text[DISTANCE_ERROR_MAX];
    assert_true(distance_options_parse(&o, "delay=50ms,jitter=10ms,stall=1%", error));
    assert_float_equal(o.delay, 0.05, 0.0);
    assert_float_equal(o.jitter, 0.01, 0.0);
    assert_float_equal(o.stall, 0.01, 0.0);
    assert_float_equal(o.stall_time, 0.11, 1e-12); // a round trip and 10 ms
    assert_int_equal(o.seed, 1);
    distance_options_describe(&o, text, sizeof text);
    assert_string_equal(
        text, "50 ms away, give or take 10 ms; 1 % of segments are lost for 110 ms (seed 1)");
    assert_true(distance_options_parse(&o, "stall-time=2,seed=7", error));
    assert_float_equal(o.stall_time, 2.0, 0.0);
    assert_int_equal(o.seed, 7);
}

static void distance_text_that_is_wrong_is_explained(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "'': expected NAME=VALUE"},
        {"delay", "'delay': expected NAME=VALUE of delay, jitter, stall, stall-time and seed"},
        {"delay=", "delay takes a time such as 5, 250ms or 2m, not ''"},
        {"delay=soon", "delay takes a time such as 5, 250ms or 2m, not 'soon'"},
        {"delay=61", "delay is at most 60s"},
        {"delay=1ms,", "'': expected NAME=VALUE"},
        {"dealy=1ms", "'dealy=1ms': expected"},
        {"jitter=1ms", "jitter is at most delay: nothing arrives before it was sent"},
        {"stall=120%", "stall is a share of the segments, such as 1% or 0.01, and not '120%'"},
        {"stall-time=10m", "stall-time is at most 121s"},
        {"seed=-1", "seed takes a whole number up to 9007199254740992 such as 3, not '-1'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        distance_options o;
        char error[DISTANCE_ERROR_MAX] = "";
        bool read = distance_options_parse(&o, cases[i][0], error);
        if (read || strncmp(error, cases[i][1], strlen(cases[i][1])) != 0) {
            fail_msg("'%s': \"%s\" instead of \"%s\"", cases[i][0], error, cases[i][1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipe_takes_its_maximum_and_then_waits_for_room),
        cmocka_unit_test(relay_takes_its_maximum_of_connections_and_then_those_that_waited),
        cmocka_unit_test(relay_without_limits_of_its_own_has_the_documented_ones),
        cmocka_unit_test(distance_text_sets_what_it_names),
        cmocka_unit_test(distance_text_that_is_wrong_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
