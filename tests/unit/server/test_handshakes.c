// Tests of server/net/handshakes.c: unfinished TLS handshakes from many sockets, beside a
// connection whose handshake is over. Clients and server share a loop and a thread; the clock of
// the loop's turns is the test's, so that the machine's speed does not matter.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/net/internal.h"
#include "tests/support/certificate.h"
#include "tests/unit/server/quiet_handler.h"

enum { CROWD = 100, FLIGHT_MAX = 4096 };

typedef struct rig {
    uv_loop_t loop;
    limits bounds;
    tls_files *files;
    network *network;
    SSL_CTX *context;
    uint8_t flight[FLIGHT_MAX]; // a client's first flight
    size_t flight_size;
    int crowd[CROWD];
    SSL *good; // a client whose handshake is over
    int good_socket;
    uint32_t received;         // messages of `good`
    uint32_t shaking_received; // handshakes that had begun when the last one arrived
    uint32_t ended;
    bool finished;
} rig;

static int64_t now_ns, step_ns; // each reading of the clock advances it by a step

static int64_t clock_of_test(void)
{
    return now_ns += step_ns;
}

// Connections whose first flight was read and whose handshake is not over.
static uint32_t shaking(const rig *r)
{
    uint32_t count = 0;
    for (const connection *c = r->network->first; c != NULL; c = c->next) {
        count += c->tls.stream != NULL && c->tls.state == TLS_SHAKING;
    }
    return count;
}

static uint32_t connected(const rig *r)
{
    uint32_t count = 0;
    for (const connection *c = r->network->first; c != NULL; c = c->next) {
        count++;
    }
    return count;
}

static void *on_opened(void *context, connection *c)
{
    (void)c;
    return context;
}

static void on_received(void *peer, const uint8_t *data, size_t size)
{
    rig *r = peer;
    (void)data, (void)size;
    r->received++;
    r->shaking_received = shaking(r);
}

static void on_ended(void *peer)
{
    rig *r = peer;
    r->ended++;
}

static void on_finished(void *context)
{
    rig *r = context;
    r->finished = true;
}

static int connect_from(const rig *r, const char *source)
{
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(strchr(network_address(r->network, 0), ':') + 1)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(inet_pton(AF_INET, source, &from.sin_addr), 1);
    assert_int_equal(bind(made, (const struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(made, (const struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(fcntl(made, F_SETFL, O_NONBLOCK), 0);
    return made;
}

static void make_flight(rig *r)
{
    SSL *client = SSL_new(r->context);
    SSL_set_bio(client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    assert_int_equal(SSL_connect(client), -1);
    int size = BIO_read(SSL_get_wbio(client), r->flight, sizeof r->flight);
    assert_true(size > 0);
    r->flight_size = (size_t)size;
    SSL_free(client);
}

// Completes the handshake of `good`, and connects the crowd, without sending a byte.
static void connect_all(rig *r)
{
    r->good_socket = connect_from(r, "127.0.0.1");
    r->good = SSL_new(r->context);
    SSL_set_fd(r->good, r->good_socket);
    while (SSL_connect(r->good) != 1) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    for (int i = 0; i < CROWD; i++) {
        r->crowd[i] = connect_from(r, "127.0.0.1");
    }
    while (connected(r) < CROWD + 1 || !input_wanted(r->network->first) || shaking(r) > 0 ||
           r->network->short_writes.count + r->network->long_writes.count > 0) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
}

static int begin(void **state)
{
    rig *r = calloc(1, sizeof *r);
    network_handler handler = quiet_handler(r);
    handler.opened = on_opened;
    handler.received = on_received;
    handler.ended = on_ended;
    handler.finished = on_finished;
    error err;
    now_ns = 0;
    step_ns = 0;
    r->bounds = limits_default();
    r->files = certificate_open();
    assert_int_equal(uv_loop_init(&r->loop), 0);
    assert_int_equal(
        network_open(&r->loop, "127.0.0.1", 0, NULL, &r->bounds, &handler, &r->network, &err),
        STATUS_OK);
    network_secure(r->network, r->files, "", 0);
    r->network->own_time.clock = clock_of_test;
    r->context = SSL_CTX_new(TLS_client_method());
    make_flight(r);
    connect_all(r);
    *state = r;
    return 0;
}

static int end(void **state)
{
    rig *r = *state;
    SSL_free(r->good);
    SSL_CTX_free(r->context);
    (void)close(r->good_socket);
    for (int i = 0; i < CROWD; i++) {
        (void)close(r->crowd[i]);
    }
    for (connection *c = r->network->first; c != NULL; c = c->next) {
        connection_end_now(c);
    }
    network_close(r->network);
    while (!r->finished) {
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    }
    network_free(r->network);
    assert_int_equal(uv_run(&r->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&r->loop), 0);
    tls_files_close(r->files);
    free(r);
    return 0;
}

static void send_flights(const rig *r)
{
    for (int i = 0; i < CROWD; i++) {
        assert_int_equal(send(r->crowd[i], r->flight, r->flight_size, 0), r->flight_size);
    }
}

// Runs the loop until all handshakes have begun; returns the most that began in one turn.
static uint32_t run_all(rig *r)
{
    uint32_t most = 0;
    for (uint32_t before = 0; before < CROWD;) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
        const uint32_t after = shaking(r);
        most = after - before > most ? after - before : most;
        before = after;
    }
    return most;
}

static void turn_has_so_many_handshakes_at_most(void **state)
{
    rig *r = *state;
    send_flights(r);
    assert_int_equal(run_all(r), TURN_HANDSHAKES);
    assert_int_equal(r->network->handshakes.count, 0);
}

// A signature may take longer than the stage has time.
static void one_goes_on_where_the_turn_has_no_time(void **state)
{
    rig *r = *state;
    step_ns = 10000000;
    send_flights(r);
    assert_int_equal(run_all(r), 1);
}

static void request_waits_for_no_more_than_one_turn_of_handshakes(void **state)
{
    rig *r = *state;
    send_flights(r);
    assert_int_equal(SSL_write(r->good, "request", 7), 7);
    while (r->received == 0) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    assert_true(r->shaking_received <= TURN_HANDSHAKES);
    assert_true(r->network->handshakes.count > 0);
}

// Its handshake is among the next few, not the last of a hundred.
static void another_address_has_its_handshake_meanwhile(void **state)
{
    rig *r = *state;
    SSL *other = SSL_new(r->context);
    int its_socket = connect_from(r, "127.0.0.2");
    send_flights(r);
    (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    SSL_set_fd(other, its_socket);
    while (SSL_connect(other) != 1) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    assert_true(shaking(r) < CROWD / 2);
    SSL_free(other);
    (void)close(its_socket);
}

static void peer_that_goes_while_its_handshake_waits_leaves_nothing(void **state)
{
    rig *r = *state;
    step_ns = 10000000;
    send_flights(r);
    (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    assert_true(r->network->handshakes.count > 0);
    for (connection *c = r->network->first; c != NULL; c = c->next) {
        connection_end_now(c);
    }
    assert_int_equal(r->network->handshakes.count, 0);
    while (connected(r) > 0) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(turn_has_so_many_handshakes_at_most, begin, end),
        cmocka_unit_test_setup_teardown(one_goes_on_where_the_turn_has_no_time, begin, end),
        cmocka_unit_test_setup_teardown(request_waits_for_no_more_than_one_turn_of_handshakes,
                                        begin, end),
        cmocka_unit_test_setup_teardown(another_address_has_its_handshake_meanwhile, begin, end),
        cmocka_unit_test_setup_teardown(peer_that_goes_while_its_handshake_waits_leaves_nothing,
                                        begin, end),
    };
    signal(SIGPIPE, SIG_IGN); // as in caromd
    return cmocka_run_group_tests(tests, NULL, NULL);
}
