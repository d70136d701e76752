// Tests of server/net/secured.c: the effects of a handshake on its socket. Client and server share
// a loop, over a real connection, because the test examines the kernel's answers.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/net/internal.h"
#include "tests/support/certificate.h"
#include "tests/unit/server/quiet_handler.h"
#include "tests/unit/server/segments.h"

typedef struct rig {
    uv_loop_t loop;
    limits bounds;
    tls_files *files;
    network *network;
    connection *accepted; // the server's end; NULL before and after
    SSL_CTX *context;
    SSL *client;
    int socket; // socket of the client
    bool finished;
} rig;

static void *on_opened(void *context, connection *c)
{
    rig *r = context;
    r->accepted = c;
    return r;
}

static void on_received(void *peer, const uint8_t *data, size_t size)
{
    (void)peer, (void)data, (void)size;
}

static void on_ended(void *peer)
{
    rig *r = peer;
    connection_close(r->accepted, ENDING_FLUSH, STATUS_OK, "", NULL, 0);
}

static void on_closed(void *peer)
{
    rig *r = peer;
    r->accepted = NULL;
}

static void on_finished(void *context)
{
    rig *r = context;
    r->finished = true;
}

static int begin(void **state)
{
    rig *r = calloc(1, sizeof *r);
    network_handler handler = quiet_handler(r);
    handler.opened = on_opened;
    handler.received = on_received;
    handler.ended = on_ended;
    handler.closed = on_closed;
    handler.finished = on_finished;
    error err;
    r->bounds = limits_default();
    r->files = certificate_open();
    assert_int_equal(uv_loop_init(&r->loop), 0);
    assert_int_equal(
        network_open(&r->loop, "127.0.0.1", 0, NULL, &r->bounds, &handler, &r->network, &err),
        STATUS_OK);
    network_secure(r->network, r->files, "", 0);
    r->context = SSL_CTX_new(TLS_client_method());
    r->client = SSL_new(r->context);
    r->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(strchr(network_address(r->network, 0), ':') + 1)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(r->socket, (const struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(fcntl(r->socket, F_SETFL, O_NONBLOCK), 0);
    SSL_set_fd(r->client, r->socket);
    *state = r;
    return 0;
}

static int end(void **state)
{
    rig *r = *state;
    SSL_free(r->client);
    SSL_CTX_free(r->context);
    (void)close(r->socket);
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

// The server's socket, when the handshake is complete on both sides and all output is sent.
static int shake_hands(rig *r)
{
    int descriptor = -1;
    while (SSL_connect(r->client) != 1 || r->accepted == NULL ||
           r->accepted->tls.state != TLS_SPOKEN ||
           r->network->short_writes.count + r->network->long_writes.count > 0) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    assert_int_equal(uv_fileno((const uv_handle_t *)&r->accepted->socket, &descriptor), 0);
    return descriptor;
}

static int tcp_option(int descriptor, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    assert_int_equal(getsockopt(descriptor, IPPROTO_TCP, name, &value, &size), 0);
    return value;
}

// Otherwise a client with Nagle's algorithm waits 40 ms before it sends its first request.
static void handshake_is_acknowledged_at_once(void **state)
{
    rig *r = *state;
    assert_int_equal(tcp_option(shake_hands(r), TCP_QUICKACK), 1);
}

static void socket_holds_no_small_writes_back(void **state)
{
    rig *r = *state;
    assert_int_not_equal(tcp_option(shake_hands(r), TCP_NODELAY), 0);
}

// The flight is the server's hello, its certificate and its Finished, without session tickets.
static void flight_leaves_in_one_piece(void **state)
{
    rig *r = *state;
    assert_int_equal(segments_sent(shake_hands(r)), 1);
}

// A loop that a slow disk has blocked for longer than close_ms still sends the last message.
static void last_message_outlasts_a_blocked_loop(void **state)
{
    static const char LAST[] = "come back";
    rig *r = *state;
    char read[sizeof LAST] = "";
    (void)shake_hands(r);
    r->bounds.close_ms = 10;
    connection_close(r->accepted, ENDING_FLUSH, STATUS_OK, "", LAST, sizeof LAST);
    uv_sleep(2 * (unsigned)(NETWORK_SWEEP_MS + r->bounds.close_ms));
    int size = -1;
    while (size < 0 && r->accepted != NULL) {
        (void)uv_run(&r->loop, UV_RUN_ONCE);
        size = SSL_read(r->client, read, sizeof read);
    }
    size = size < 0 ? SSL_read(r->client, read, sizeof read) : size;
    assert_int_equal(size, sizeof LAST);
    assert_string_equal(read, LAST);
}

// Three blocks of the loop, each longer than close_ms, are not yet close_ms of its own time.
static void a_blocked_loop_spends_no_time_of_closing(void **state)
{
    rig *r = *state;
    (void)shake_hands(r);
    r->bounds.close_ms = 4 * NETWORK_SWEEP_MS;
    connection_close(r->accepted, ENDING_FLUSH, STATUS_OK, "", NULL, 0);
    for (int i = 0; i < 3; i++) {
        uv_sleep((unsigned)r->bounds.close_ms);
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
        assert_non_null(r->accepted); // the client's FIN is awaited
    }
    while (r->accepted != NULL) {
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(handshake_is_acknowledged_at_once, begin, end),
        cmocka_unit_test_setup_teardown(socket_holds_no_small_writes_back, begin, end),
        cmocka_unit_test_setup_teardown(last_message_outlasts_a_blocked_loop, begin, end),
        cmocka_unit_test_setup_teardown(a_blocked_loop_spends_no_time_of_closing, begin, end),
        cmocka_unit_test_setup_teardown(flight_leaves_in_one_piece, begin, end),
    };
    signal(SIGPIPE, SIG_IGN); // as in caromd
    return cmocka_run_group_tests(tests, NULL, NULL);
}
