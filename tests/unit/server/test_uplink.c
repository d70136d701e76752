// A relay's connection to its upstream: the addresses of a name one after the other, its end, and
// the bound of what waits for the socket. Resolving is replaced: each address has a port of its
// own.
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/wire/buffer.h"
#include "server/session/relay/uplink.h"
#include "tests/support/patience.h"

enum { ADDRESSES_MAX = 4 };

// A notification without arguments: [2, "x", []].
static const uint8_t MESSAGE[] = {0x93, 0x02, 0xa1, 'x', 0x90};

typedef struct rig {
    uv_loop_t loop;
    uv_timer_t limit;
    bool expired;
    uplink *link;
    int ups, messages, ends, frees;
    bool ends_in_message; // uplink_end() is called there
    char why[128];
    int listeners[ADDRESSES_MAX]; // -1: nobody listens
    in_port_t ports[ADDRESSES_MAX];
    uint32_t count;
} rig;

// ---- resolving

typedef struct fake_addresses {
    struct addrinfo all[ADDRESSES_MAX];
    struct sockaddr_in places[ADDRESSES_MAX];
} fake_addresses;

static rig *resolved_for;
static uv_getaddrinfo_cb resolved;

int __real_uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done,
                          const char *node, const char *service, const struct addrinfo *hints);
int __wrap_uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done,
                          const char *node, const char *service, const struct addrinfo *hints);
void __real_uv_freeaddrinfo(struct addrinfo *list);
void __wrap_uv_freeaddrinfo(struct addrinfo *list);

static void on_real(uv_getaddrinfo_t *request, int result, struct addrinfo *list)
{
    const rig *r = resolved_for;
    (void)result;
    __real_uv_freeaddrinfo(list);
    if (r->count == 0) {
        resolved(request, UV_EAI_NONAME, NULL);
        return;
    }
    fake_addresses *made = calloc(1, sizeof *made);
    assert_non_null(made);
    for (uint32_t i = 0; i < r->count; i++) {
        made->places[i] = (struct sockaddr_in){.sin_family = AF_INET,
                                               .sin_port = r->ports[i],
                                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        made->all[i] = (struct addrinfo){.ai_family = AF_INET,
                                         .ai_socktype = SOCK_STREAM,
                                         .ai_addrlen = sizeof made->places[i],
                                         .ai_addr = (struct sockaddr *)&made->places[i],
                                         .ai_next = i + 1 < r->count ? &made->all[i + 1] : NULL};
    }
    resolved(request, 0, made->all);
}

int __wrap_uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb done,
                          const char *node, const char *service, const struct addrinfo *hints)
{
    assert_string_equal(node, "upstream.example");
    assert_string_equal(service, "22766");
    resolved = done;
    return __real_uv_getaddrinfo(loop, request, on_real, "127.0.0.1", "1", hints);
}

void __wrap_uv_freeaddrinfo(struct addrinfo *list)
{
    free(list); // the first member of its fake_addresses
}

// ---- the rig

static void on_up(void *context)
{
    ((rig *)context)->ups++;
}

static void on_message(void *context, const uint8_t *bytes, size_t size)
{
    rig *r = context;
    assert_int_equal(size, sizeof MESSAGE);
    assert_memory_equal(bytes, MESSAGE, size);
    r->messages++;
    if (r->ends_in_message) {
        uplink_end(r->link);
    }
}

static void on_ended(void *context, const char *why)
{
    rig *r = context;
    r->ends++;
    snprintf(r->why, sizeof r->why, "%s", why);
}

static void on_freed(void *context)
{
    ((rig *)context)->frees++;
}

static void on_limit(uv_timer_t *timer)
{
    ((rig *)timer->data)->expired = true;
}

// One address for each character: 'o' somebody listens there, 'c' nobody does.
static void setup(rig *r, const char *addresses)
{
    *r = (rig){.count = (uint32_t)strlen(addresses)};
    assert_true(r->count <= ADDRESSES_MAX);
    assert_int_equal(uv_loop_init(&r->loop), 0);
    (void)uv_timer_init(&r->loop, &r->limit);
    r->limit.data = r;
    (void)uv_timer_start(&r->limit, on_limit, PATIENCE_MS, 0);
    for (uint32_t i = 0; i < r->count; i++) {
        struct sockaddr_in place = {.sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t size = sizeof place;
        r->listeners[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(r->listeners[i], (struct sockaddr *)&place, size), 0);
        assert_int_equal(getsockname(r->listeners[i], (struct sockaddr *)&place, &size), 0);
        r->ports[i] = place.sin_port; // a bound socket that does not listen refuses connections
        if (addresses[i] == 'o') {
            const struct timeval patience = {.tv_sec =
                                                 PATIENCE_MS / 1000}; // how long accept() waits
            assert_int_equal(
                setsockopt(r->listeners[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience),
                0);
            assert_int_equal(listen(r->listeners[i], 4), 0);
        }
    }
    resolved_for = r;
}

static void dial(rig *r, uint32_t first)
{
    const uplink_handler handler = {r, on_up, on_message, on_ended, on_freed};
    r->link = uplink_dial(&r->loop, "upstream.example:22766", NULL, first, &handler);
}

#define AWAIT(r, condition)                                                                        \
    while (!(condition)) {                                                                         \
        assert_false((r)->expired);                                                                \
        (void)uv_run(&(r)->loop, UV_RUN_ONCE);                                                     \
    }

static void teardown(rig *r)
{
    const int ends = r->ends;
    if (r->frees == 0) {
        uplink_end(r->link);
        uplink_end(r->link); // a second time does nothing
        AWAIT(r, r->frees > 0);
    }
    assert_int_equal(r->frees, 1);
    assert_int_equal(r->ends, ends);
    uv_close((uv_handle_t *)&r->limit, NULL);
    assert_int_equal(uv_run(&r->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&r->loop), 0);
    for (uint32_t i = 0; i < r->count; i++) {
        close(r->listeners[i]);
    }
}

// The connection that came to that address.
static int accepted(const rig *r, uint32_t address)
{
    const int made = accept(r->listeners[address], NULL, NULL);
    assert_true(made >= 0);
    return made;
}

// ---- tests

static void addresses_are_tried_until_one_answers(void **state)
{
    // [addresses, first, the one that is connected to]
    static const struct {
        const char *addresses;
        uint32_t first, answers;
    } CASES[] = {{"o", 0, 0},  {"co", 0, 1}, {"cco", 0, 2},  {"oo", 0, 0},  {"oo", 1, 1},
                 {"oc", 1, 0}, {"oo", 2, 0}, {"cooc", 3, 1}, {"oo", 65, 1}, {"coo", UINT32_MAX, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        rig r;
        setup(&r, CASES[i].addresses);
        dial(&r, CASES[i].first);
        AWAIT(&r, r.ups > 0);
        const int peer = accepted(&r, CASES[i].answers);
        assert_int_equal(write(peer, MESSAGE, sizeof MESSAGE), sizeof MESSAGE);
        AWAIT(&r, r.messages > 0);
        assert_true(uplink_was_heard(r.link));
        assert_false(uplink_was_heard(r.link));
        assert_int_equal(r.ends, 0);
        close(peer);
        AWAIT(&r, r.ends > 0);
        assert_string_equal(r.why, "it ended the connection");
        AWAIT(&r, r.frees > 0);
        teardown(&r);
    }
}

static void name_whose_addresses_all_refuse_ends_the_link_once(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 3; first++) {
        rig r;
        setup(&r, "ccc");
        dial(&r, first);
        AWAIT(&r, r.frees > 0);
        assert_int_equal(r.ups, 0);
        assert_int_equal(r.ends, 1);
        assert_string_equal(r.why, "connection refused");
        teardown(&r);
    }
}

static void name_without_addresses_ends_the_link(void **state)
{
    (void)state;
    rig r;
    setup(&r, "");
    dial(&r, 0);
    AWAIT(&r, r.frees > 0);
    assert_int_equal(r.ends, 1);
    assert_string_equal(r.why, "unknown node or service");
    teardown(&r);
}

// At each turn of the loop, from the look-up over refused addresses to the connection.
static void link_may_be_ended_at_any_time(void **state)
{
    (void)state;
    for (int turns = 0; turns < 12; turns++) {
        rig r;
        setup(&r, "cco");
        dial(&r, 0);
        for (int i = 0; i < turns && r.ups == 0; i++) {
            (void)uv_run(&r.loop, UV_RUN_ONCE);
        }
        assert_int_equal(r.ends, 0);
        teardown(&r);
    }
}

static void link_may_be_ended_within_a_message(void **state)
{
    (void)state;
    rig r;
    setup(&r, "o");
    r.ends_in_message = true;
    dial(&r, 0);
    AWAIT(&r, r.ups > 0);
    const int peer = accepted(&r, 0);
    uint8_t two[2 * sizeof MESSAGE];
    memcpy(two, MESSAGE, sizeof MESSAGE);
    memcpy(two + sizeof MESSAGE, MESSAGE, sizeof MESSAGE);
    assert_int_equal(write(peer, two, sizeof two), sizeof two);
    AWAIT(&r, r.frees > 0);
    assert_int_equal(r.messages, 1);
    assert_int_equal(r.ends, 0);
    close(peer);
    teardown(&r);
}

static void send_bytes(rig *r, size_t size)
{
    buffer out;
    uint8_t *bytes = calloc(1, size);
    assert_non_null(bytes);
    buffer_init(&out, size);
    buffer_append(&out, bytes, size);
    uplink_send(r->link, &out);
    free(bytes);
}

static void peer_that_reads_nothing_ends_the_link_at_its_bound(void **state)
{
    (void)state;
    rig r;
    size_t sent = 0;
    setup(&r, "o");
    dial(&r, 0);
    AWAIT(&r, r.ups > 0);
    const int peer = accepted(&r, 0);
    for (; r.ends == 0 && sent < (size_t)64 << 20; sent += 65536) {
        send_bytes(&r, 65536);
    }
    assert_string_equal(r.why, "it takes no requests");
    assert_true(sent >= UPLINK_UNSENT_BYTES_MAX);
    send_bytes(&r, 16); // a link that has ended ignores it
    AWAIT(&r, r.frees > 0);
    close(peer);
    teardown(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_tried_until_one_answers),
        cmocka_unit_test(name_whose_addresses_all_refuse_ends_the_link_once),
        cmocka_unit_test(name_without_addresses_ends_the_link),
        cmocka_unit_test(link_may_be_ended_at_any_time),
        cmocka_unit_test(link_may_be_ended_within_a_message),
        cmocka_unit_test(peer_that_reads_nothing_ends_the_link_at_its_bound),
    };
    signal(SIGPIPE, SIG_IGN); // as in caromd
    return cmocka_run_group_tests(tests, NULL, NULL);
}
