// Tests of server/net: one quiet connection beside a crowd of busy ones. The test counts the turns
// of the loop for which it waits. Clients and server share a loop and a thread; the clock of the
// turns is the test's, so that the machine's speed does not matter.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/net/internal.h"
#include "tests/unit/server/quiet_handler.h"

enum {
    CROWD = TURN_REFUSED_SERVED + TURN_REFUSED_UNSERVED + 64,
    WRITERS = 40,           // connections of the crowd
    LARGE = 16 << 20,       // bytes, more than sockets accept
    SHORT = 100,            // bytes
    TURNS_MOST = 4,         // most turns that the quiet connection may wait
    DESCRIPTORS = 3 * CROWD // two for each connection, and some others
};

typedef struct end_point {
    connection *connection; // the server's end
    uint32_t received;
} end_point;

typedef struct rig {
    uv_loop_t loop;
    limits bounds;
    network *network;
    uint32_t count;
    end_point ends[CROWD + 1]; // the quiet one is the last
    int sockets[CROWD + 1];
    bool finished;
    uint32_t farewells;
    bool bids_farewell; // each connection of the crowd has output when its deadlines are checked
} rig;

static int64_t now_ns, step_ns; // each reading of the clock advances it by a step

static int64_t clock_of_test(void)
{
    return now_ns += step_ns;
}

static void *on_opened(void *context, connection *c)
{
    rig *r = context;
    end_point *e = &r->ends[r->count++];
    e->connection = c;
    return e;
}

static void on_received(void *peer, const uint8_t *data, size_t size)
{
    (void)data, (void)size;
    ((end_point *)peer)->received++;
}

static void on_finished(void *context)
{
    rig *r = context;
    r->finished = true;
}

static void queue_bytes(connection *c, size_t size)
{
    shared_bytes *bytes = bytes_create(size);
    memset(bytes->data, 0, size);
    bytes->size = size;
    assert_true(connection_send(c, NULL, 0, bytes, 1));
}

static rig *of_farewells; // a peer does not know its rig

static void on_swept(void *peer, uint64_t now_ms)
{
    (void)now_ms;
    const end_point *e = peer;
    if (of_farewells->bids_farewell && e != &of_farewells->ends[CROWD]) {
        queue_bytes(e->connection, SHORT);
        of_farewells->farewells++;
    }
}

// Connects the next one, and waits until the server has it.
static void connect_next(rig *r, const char *source)
{
    const uint32_t at = r->count;
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(strchr(network_address(r->network, 0), ':') + 1)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(inet_pton(AF_INET, source, &from.sin_addr), 1);
    assert_int_equal(bind(made, (const struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(made, (const struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(fcntl(made, F_SETFL, O_NONBLOCK), 0);
    r->sockets[at] = made;
    while (r->count == at || !input_wanted(r->ends[at].connection)) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
}

static int begin(void **state)
{
    rig *r = calloc(1, sizeof *r);
    network_handler handler = quiet_handler(r);
    handler.opened = on_opened;
    handler.received = on_received;
    handler.finished = on_finished;
    handler.swept = on_swept;
    of_farewells = r;
    error err;
    const struct rlimit files = {DESCRIPTORS, DESCRIPTORS};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    now_ns = 0;
    step_ns = 0;
    r->bounds = limits_default();
    assert_int_equal(uv_loop_init(&r->loop), 0);
    assert_int_equal(
        network_open(&r->loop, "127.0.0.1", 0, NULL, &r->bounds, &handler, &r->network, &err),
        STATUS_OK);
    r->network->own_time.clock = clock_of_test;
    *state = r;
    return 0;
}

static int end(void **state)
{
    rig *r = *state;
    step_ns = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        (void)close(r->sockets[i]);
        connection_end_now(r->ends[i].connection);
    }
    network_close(r->network);
    while (!r->finished) {
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    }
    network_free(r->network);
    assert_int_equal(uv_run(&r->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&r->loop), 0);
    free(r);
    return 0;
}

static void say(const rig *r, uint32_t at)
{
    assert_int_equal(send(r->sockets[at], "x", 1, 0), 1);
}

// All connections of the crowd, which count as one address, have input in a turn that is over at
// once; the system reports the quiet connection last, and it is not read either.
static void input_does_not_wait_behind_that_of_a_crowd(void **state)
{
    rig *r = *state;
    for (int i = 0; i < CROWD; i++) {
        connect_next(r, "127.0.0.1");
    }
    connect_next(r, "127.0.0.2");
    for (uint32_t i = 0; i <= CROWD; i++) {
        say(r, i);
    }
    step_ns = 2000000;
    (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    assert_int_equal(r->ends[CROWD].received, 0);
    assert_int_equal(r->ends[0].received, 1);
    assert_int_equal(r->ends[CROWD - 1].connection->input.state, INPUT_PARKED);
    step_ns = 0;
    int turns = 0;
    while (r->ends[CROWD].received == 0) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
        turns++;
    }
    assert_in_range(turns, 1, TURNS_MOST);
    for (uint32_t i = 0; i < CROWD; i++) {
        while (r->ends[i].received == 0) {
            (void)uv_run(&r->loop, UV_RUN_NOWAIT);
        }
    }
}

// Each connection has a subject of its own, and writing one of its pieces takes longer than a turn.
static void answer_does_not_wait_behind_large_ones(void **state)
{
    rig *r = *state;
    for (uint32_t i = 0; i <= WRITERS; i++) {
        connect_next(r, "127.0.0.1");
        connection_deal(r->ends[i].connection, 100 + i);
    }
    step_ns = 5000000;
    for (uint32_t i = 0; i < WRITERS; i++) {
        queue_bytes(r->ends[i].connection, LARGE);
    }
    for (int i = 0; i < 3 * WRITERS; i++) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    queue_bytes(r->ends[WRITERS].connection, SHORT);
    int turns = 0;
    while (connection_traffic_now(r->ends[WRITERS].connection).sent_bytes == 0) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
        turns++;
    }
    assert_in_range(turns, 1, TURNS_MOST);
}

// The deadlines of a crowd are over at once. Each connection has a subject of its own, which has
// used less time than the quiet one's; a turn writes some thirty farewells.
static void answer_does_not_wait_behind_a_sweep(void **state)
{
    rig *r = *state;
    for (uint32_t i = 0; i <= CROWD; i++) {
        connect_next(r, "127.0.0.1");
        connection_deal(r->ends[i].connection, 100 + i);
    }
    queue_bytes(r->ends[CROWD].connection, SHORT);
    while (connection_traffic_now(r->ends[CROWD].connection).sent_bytes < SHORT) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    r->bids_farewell = true;
    step_ns = 30000;
    while (r->farewells == 0) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    do { // the sweep lasts for many turns
        queue_bytes(r->ends[CROWD].connection, SHORT);
        const uint64_t before = connection_traffic_now(r->ends[CROWD].connection).sent_bytes;
        int turns = 0;
        while (connection_traffic_now(r->ends[CROWD].connection).sent_bytes == before) {
            (void)uv_run(&r->loop, UV_RUN_NOWAIT);
            turns++;
        }
        assert_in_range(turns, 1, TURNS_MOST);
    } while (r->farewells < CROWD);
    r->bids_farewell = false;
}

// The slice of a connection is short where a thousand others have output too.
static void little_is_written_in_a_short_slice(void **state)
{
    rig *r = *state;
    connect_next(r, "127.0.0.1");
    step_ns = 5000000; // each slice is over when it begins
    queue_bytes(r->ends[0].connection, LARGE);
    (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    const uint64_t sent = connection_traffic_now(r->ends[0].connection).sent_bytes;
    assert_in_range(sent, 1, FLUSH_BYTES_LEAST);
    step_ns = 0;
    (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    assert_in_range(connection_traffic_now(r->ends[0].connection).sent_bytes,
                    sent + FLUSH_BYTES_LEAST + 1, LARGE);
}

// libuv writes its data whenever the socket accepts more, outside the turn's time for writing, so
// it gets little data.
static void little_is_written_outside_of_the_turn(void **state)
{
    rig *r = *state;
    connect_next(r, "127.0.0.1");
    connection *c = r->ends[0].connection;
    queue_bytes(r->ends[0].connection, LARGE);
    for (int i = 0; i < 1000 && !c->output.write_pending; i++) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    assert_true(c->output.write_pending);
    assert_in_range(uv_stream_get_write_queue_size((uv_stream_t *)&c->socket), 1, WAITING_BYTES);
    static char taken[1 << 16];
    size_t all = 0;
    while (all < LARGE) {
        const ssize_t size = recv(r->sockets[0], taken, sizeof taken, 0);
        all += size > 0 ? (size_t)size : 0;
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    assert_int_equal(all, LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(input_does_not_wait_behind_that_of_a_crowd, begin, end),
        cmocka_unit_test_setup_teardown(answer_does_not_wait_behind_large_ones, begin, end),
        cmocka_unit_test_setup_teardown(answer_does_not_wait_behind_a_sweep, begin, end),
        cmocka_unit_test_setup_teardown(little_is_written_in_a_short_slice, begin, end),
        cmocka_unit_test_setup_teardown(little_is_written_outside_of_the_turn, begin, end),
    };
    signal(SIGPIPE, SIG_IGN); // as in caromd
    return cmocka_run_group_tests(tests, NULL, NULL);
}
