// Tests of server/net/acceptor: a listener of a process that has no descriptor left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/net/acceptor.h"

enum { CLIENTS = 5, MOST = 3, MANY = ACCEPTOR_TAKEN_MOST + 10 };

typedef struct rig {
    uv_loop_t loop;
    acceptor acceptor;
    struct sockaddr_in address;
    struct rlimit files;
    int taken[MANY];
    int taken_count, refused, most;
    bool closed;
} rig;

static bool is_wanted(void *context)
{
    const rig *r = context;
    return r->taken_count < r->most;
}

static void on_taken(void *context, int descriptor)
{
    rig *r = context;
    r->taken[r->taken_count++] = descriptor;
}

static void on_refused(void *context)
{
    ((rig *)context)->refused++;
}

static void on_closed(void *context)
{
    ((rig *)context)->closed = true;
}

static int begin(void **state)
{
    static rig r;
    r = (rig){.most = CLIENTS,
              .address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof r.address;
    const acceptor_handler handler = {&r, is_wanted, on_taken, on_refused, on_closed};
    assert_int_equal(uv_loop_init(&r.loop), 0);
    const int descriptor = acceptor_bind((const struct sockaddr *)&r.address, size);
    assert_true(descriptor >= 0);
    acceptor_init(&r.acceptor, &r.loop, descriptor, &handler);
    assert_int_equal(acceptor_begin(&r.acceptor, MANY), 0);
    assert_int_equal(getsockname(descriptor, (struct sockaddr *)&r.address, &size), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &r.files), 0);
    *state = &r;
    return 0;
}

static int end(void **state)
{
    rig *r = *state;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &r->files), 0);
    acceptor_close(&r->acceptor);
    while (uv_run(&r->loop, UV_RUN_DEFAULT) != 0) {
    }
    assert_true(r->closed);
    assert_int_equal(uv_loop_close(&r->loop), 0);
    for (int i = 0; i < r->taken_count; i++) {
        (void)close(r->taken[i]);
    }
    return 0;
}

static int dial(const rig *r)
{
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(made >= 0);
    assert_int_equal(connect(made, (const struct sockaddr *)&r->address, sizeof r->address), 0);
    return made;
}

// Descriptors from this number on are refused; those that are open stay.
static void allow_descriptors(const rig *r, rlim_t most)
{
    const struct rlimit files = {most, r->files.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
}

static int lowest_free(void)
{
    const int free_one = dup(0);
    assert_true(free_one >= 0);
    (void)close(free_one);
    return free_one;
}

static void run_until_taken(rig *r, int count)
{
    while (r->taken_count < count) {
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    }
    assert_int_equal(r->taken_count, count);
}

static void no_more_are_taken_than_are_wanted(void **state)
{
    rig *r = *state;
    int clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = dial(r);
    }
    r->most = MOST;
    run_until_taken(r, MOST);
    (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    assert_int_equal(r->taken_count, MOST);
    assert_true(fcntl(r->taken[0], F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(r->taken[0], F_GETFD) & FD_CLOEXEC);
    r->most = CLIENTS;
    run_until_taken(r, CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        (void)close(clients[i]);
    }
}

static void a_crowd_is_taken_in_several_rounds(void **state)
{
    rig *r = *state;
    static int clients[MANY];
    for (int i = 0; i < MANY; i++) {
        clients[i] = dial(r);
    }
    r->most = MANY;
    (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    assert_int_equal(r->taken_count, ACCEPTOR_TAKEN_MOST);
    run_until_taken(r, MANY);
    for (int i = 0; i < MANY; i++) {
        (void)close(clients[i]);
    }
}

// The client sees the end of its connection instead of waiting.
static void connections_without_a_descriptor_are_turned_away(void **state)
{
    rig *r = *state;
    const int first = dial(r);
    const int second = dial(r);
    char byte = 0;
    allow_descriptors(r, (rlim_t)lowest_free());
    while (r->refused < 2) {
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    }
    assert_int_equal(r->taken_count, 0);
    assert_true(recv(first, &byte, 1, 0) <= 0);
    assert_true(recv(second, &byte, 1, 0) <= 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &r->files), 0);
    const int third = dial(r);
    run_until_taken(r, 1);
    (void)close(first);
    (void)close(second);
    (void)close(third);
}

static void on_timer(uv_timer_t *timer)
{
    ++*(int *)timer->data;
}

// Another thread has taken the reserve: the loop goes on, and connections wait.
static void loop_goes_on_without_the_reserve(void **state)
{
    rig *r = *state;
    uv_timer_t timer;
    int rounds = 0;
    const int client = dial(r);
    allow_descriptors(r, (rlim_t)r->acceptor.reserve);
    uv_timer_init(&r->loop, &timer);
    timer.data = &rounds;
    uv_timer_start(&timer, on_timer, 1, 1);
    while (rounds < 3 * ACCEPTOR_PAUSE_MS) {
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    }
    assert_int_equal(r->taken_count, 0);
    assert_int_equal(r->refused, 0);
    assert_int_equal(r->acceptor.reserve, -1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &r->files), 0);
    run_until_taken(r, 1);
    assert_true(r->acceptor.reserve >= 0);
    uv_close((uv_handle_t *)&timer, NULL);
    (void)uv_run(&r->loop, UV_RUN_NOWAIT); // forgets the timer
    (void)close(client);
}

// Files of the storage can still be opened.
static void some_descriptors_are_left_for_files(void **state)
{
    rig *r = *state;
    const int client = dial(r);
    const int next = lowest_free();
    allow_descriptors(r, (rlim_t)next + 8);
    r->acceptor.bound = (rlim_t)next;
    while (r->refused == 0) {
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    }
    assert_int_equal(r->taken_count, 0);
    assert_true(r->acceptor.reserve >= 0); // it was not needed
    r->acceptor.bound = (rlim_t)next + 1;
    const int other = dial(r);
    while (r->refused < 2) { // the number was taken by this client
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    }
    (void)close(client);
    (void)close(other);
    const int last = dial(r);
    run_until_taken(r, 1);
    (void)close(last);
}

// A process with the usual number keeps 24, one with few an eighth.
static void an_eighth_is_kept_at_most(void **state)
{
    rig *r = *state;
    assert_true(r->files.rlim_cur == RLIM_INFINITY || r->acceptor.bound == r->files.rlim_cur - 24 ||
                r->files.rlim_cur < 192);
    acceptor few;
    const acceptor_handler handler = r->acceptor.handler;
    struct sockaddr_in address = r->address;
    address.sin_port = 0;
    acceptor_init(&few, &r->loop, acceptor_bind((struct sockaddr *)&address, sizeof address),
                  &handler);
    allow_descriptors(r, 64);
    assert_int_equal(acceptor_begin(&few, 1), 0);
    assert_int_equal(few.bound, 56);
    acceptor_close(&few);
    while (!r->closed) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    r->closed = false;
}

// As the service manager passes it.
static void socket_that_blocks_is_taken(void **state)
{
    rig *r = *state;
    acceptor given;
    struct sockaddr_in address = r->address;
    const acceptor_handler handler = r->acceptor.handler;
    address.sin_port = 0;
    const int descriptor = acceptor_bind((struct sockaddr *)&address, sizeof address);
    assert_int_equal(fcntl(descriptor, F_SETFL, 0), 0);
    acceptor_init(&given, &r->loop, descriptor, &handler);
    assert_int_equal(acceptor_begin(&given, 1), 0);
    assert_true(fcntl(descriptor, F_GETFL) & O_NONBLOCK);
    acceptor_close(&given);
    while (!r->closed) {
        (void)uv_run(&r->loop, UV_RUN_NOWAIT);
    }
    r->closed = false;
}

static void an_address_in_use_is_an_error(void **state)
{
    const rig *r = *state;
    assert_int_equal(acceptor_bind((const struct sockaddr *)&r->address, sizeof r->address),
                     -EADDRINUSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_more_are_taken_than_are_wanted, begin, end),
        cmocka_unit_test_setup_teardown(a_crowd_is_taken_in_several_rounds, begin, end),
        cmocka_unit_test_setup_teardown(connections_without_a_descriptor_are_turned_away, begin,
                                        end),
        cmocka_unit_test_setup_teardown(loop_goes_on_without_the_reserve, begin, end),
        cmocka_unit_test_setup_teardown(some_descriptors_are_left_for_files, begin, end),
        cmocka_unit_test_setup_teardown(an_eighth_is_kept_at_most, begin, end),
        cmocka_unit_test_setup_teardown(socket_that_blocks_is_taken, begin, end),
        cmocka_unit_test_setup_teardown(an_address_in_use_is_an_error, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
