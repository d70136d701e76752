// The listeners, the list of connections, and the timer that checks their deadlines; see network.h.
// Network thread only.
#include "server/net/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/base/metrics.h"
#include "server/net/internal.h"

enum {
    // Connections that the kernel queues until they are accepted; the kernel's own maximum is 4096
    // by default. All clients come back at once when the server is replaced by another process.
    BACKLOG = 4096,
    PORT_TRIES = 20, // attempts to find a port that is free on all addresses
    OWN_HANDLES = 3  // sweep, more and flush
};

// Whether the turn's time for input is used up.
static bool reading_over(network *n)
{
    const turn reading = loop_turn_stage(n->time, LOOP_READ);
    return turn_over(&reading);
}

// ---- new connections

static bool accept_wanted(void *context)
{
    network *n = ((listener *)context)->network;
    const bool over = n->turn_accepts > 0 && reading_over(n);
    return !n->closing && n->turn_accepts < TURN_ACCEPTS && !over;
}

static void on_accepted(void *context, int descriptor)
{
    network *n = ((listener *)context)->network;
    n->turn_accepts++;
    connection_accept(n, descriptor);
}

// Without a descriptor: the limit on connections (process/bounds.h) is usually reached before.
static void on_turned_away(void *context)
{
    (void)context;
    metrics_add(METRIC_connections_refused, 1);
}

// ---- turns

static void begin_turn(network *n)
{
    handshakes_run(n);
    n->turn++;
    n->turn_accepts = 0;
    connection_resume_some(n);
    connection_end_some(n);
}

// Flushes connections with new output, those first whose subjects have used the least of this
// time. Short output has half of the time before the long: an answer does not wait for a piece of
// each of hundreds of large snapshots.
static bool flush_in_turn(network *n, const turn *whole)
{
    const turn half = turn_part(whole, turn_left_ns(whole) / 2);
    bool more = n->short_writes.count > 0 &&
                turn_queue_run(&n->short_writes, n->long_writes.count > 0 ? &half : whole);
    const bool long_more = n->long_writes.count > 0 && turn_queue_run(&n->long_writes, whole);
    if (more && !turn_over(whole)) {
        more = turn_queue_run(&n->short_writes, whole);
    }
    return more || long_more;
}

static void flush_some(network *n)
{
    if (n->short_writes.count + n->long_writes.count == 0) {
        return;
    }
    const turn left = loop_turn_stage_least(n->time, LOOP_WRITE, WRITE_LEAST_NS);
    if (flush_in_turn(n, &left)) {
        loop_turn_behind(n->time, LOOP_WRITE);
        metrics_add(METRIC_network_turns_cut, 1);
        network_go_on(n);
    }
}

// Continues a sweep, and returns to the loop between two pieces when the turn is over, or when it
// has added much output.
static void sweep_some(network *n)
{
    const uint64_t now = uv_now(n->loop);
    const uint32_t before = n->short_writes.count;
    const uint32_t most = before + (before == 0 ? SWEEP_WRITES : SWEEP_WRITES_BEHIND);
    uint32_t looked_at = 0;
    while (n->swept != NULL && n->short_writes.count < most) {
        if (looked_at++ % SWEEP_PIECE == SWEEP_PIECE - 1 && reading_over(n)) {
            break;
        }
        connection *c = n->swept;
        n->swept = c->next; // a connection that ends is unlinked later, in its close callback
        connection_sweep(c, now);
    }
    if (n->swept != NULL) {
        network_go_on(n);
    }
}

uint64_t network_awake_ms(const network *n)
{
    const uint64_t passed = uv_now(n->loop) - n->swept_ms;
    return n->awake_ms + (passed < NETWORK_SWEEP_MS ? passed : NETWORK_SWEEP_MS);
}

static void on_sweep(uv_timer_t *handle)
{
    network *n = handle->data;
    n->awake_ms = network_awake_ms(n);
    n->swept_ms = uv_now(n->loop);
    if (n->first == NULL) {
        uv_timer_stop(handle);
    }
    if (n->swept == NULL) {
        n->swept = n->first;
        sweep_some(n);
    }
}

static void on_more(uv_timer_t *handle)
{
    sweep_some(handle->data);
}

void network_go_on(network *n)
{
    n->goes_on = true;
}

// Only called if nothing is left: a timer of length 0 that is started in a timer's callback fires
// at once.
static void await_next_turn(network *n)
{
    if (n->goes_on && !uv_is_closing((uv_handle_t *)&n->more)) {
        uv_timer_start(&n->more, on_more, 0, 0);
    }
    n->goes_on = false;
}

static void on_flush(uv_prepare_t *handle)
{
    network *n = handle->data;
    begin_turn(n);
    if (n->handler.worked != NULL) {
        n->handler.worked(n->handler.context);
    }
    flush_some(n);
    n->handler.flushed(n->handler.context);
    if (n->io != NULL) {
        relay_flush(n->io);
    }
    await_next_turn(n);
    if (n->time == &n->own_time) {
        (void)loop_turn_end(n->time);
    }
}

void network_start_sweep(network *n)
{
    n->swept_ms = uv_now(n->loop);
    int result = uv_timer_start(&n->sweep, on_sweep, NETWORK_SWEEP_MS, NETWORK_SWEEP_MS);
    ASSERT(result == 0);
}

static void own_closed(network *n)
{
    ASSERT(n->closing && n->own_handles > 0);
    n->own_handles--;
    network_check_finished(n);
}

static void on_own_closed(uv_handle_t *handle)
{
    own_closed(handle->data);
}

// Those that failed to open are not counted among the network's own handles.
static void on_listener_closed(void *context)
{
    listener *l = context;
    network *n = l->network;
    free(l);
    if (n != NULL) {
        own_closed(n);
    }
}

void network_check_finished(network *n)
{
    if (!n->closing || n->first != NULL) {
        return;
    }
    // Sweep and flush run until the last connection is gone: they enforce its deadlines.
    if (n->own_handles == OWN_HANDLES && !uv_is_closing((uv_handle_t *)&n->sweep)) {
        uv_close((uv_handle_t *)&n->sweep, on_own_closed);
        uv_close((uv_handle_t *)&n->more, on_own_closed);
        uv_close((uv_handle_t *)&n->flush, on_own_closed);
    }
    if (n->own_handles == 0) {
        n->handler.finished(n->handler.context);
    }
}

// ---- addresses

typedef struct address_list {
    int count;
    struct sockaddr_storage data[NETWORK_LISTENERS_MAX];
} address_list;

static bool same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)a;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
    return a->ss_family == b->ss_family &&
           (a->ss_family == AF_INET6
                ? memcmp(&six->sin6_addr, &((const struct sockaddr_in6 *)b)->sin6_addr,
                         sizeof six->sin6_addr) == 0
                : four->sin_addr.s_addr == ((const struct sockaddr_in *)b)->sin_addr.s_addr);
}

static status add_address(address_list *out, const struct sockaddr *address, size_t size,
                          const char *host, error *err)
{
    struct sockaddr_storage one = {0};
    memcpy(&one, address, size);
    for (int i = 0; i < out->count; i++) {
        if (same_host(&out->data[i], &one)) {
            return STATUS_OK;
        }
    }
    if (out->count == NETWORK_LISTENERS_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' has more than %d addresses", host,
                         NETWORK_LISTENERS_MAX);
    }
    out->data[out->count++] = one;
    return STATUS_OK;
}

// Adds both loopback addresses, whatever the system's list of hosts says (RFC 6761, section 6.3).
static status add_loopback(address_list *out, uint16_t port, error *err)
{
    struct sockaddr_in four = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 six = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_loopback};
    status s = add_address(out, (const struct sockaddr *)&four, sizeof four, "localhost", err);
    return s == STATUS_OK
               ? add_address(out, (const struct sockaddr *)&six, sizeof six, "localhost", err)
               : s;
}

// Numeric addresses need no resolver.
static status resolve(uv_loop_t *loop, const char *host, uint16_t port, address_list *out,
                      error *err)
{
    if (strcasecmp(host, "localhost") == 0) {
        return add_loopback(out, port, err);
    }
    char service[8];
    snprintf(service, sizeof service, "%u", port);
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    uv_getaddrinfo_t query;
    int result = uv_getaddrinfo(loop, &query, NULL, host, service, &hints);
    if (result != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "no address for host '%s': %s", host,
                         uv_strerror(result));
    }
    status s = STATUS_OK;
    for (const struct addrinfo *a = query.addrinfo; a != NULL && s == STATUS_OK; a = a->ai_next) {
        s = add_address(out, a->ai_addr, a->ai_addrlen, host, err);
    }
    uv_freeaddrinfo(query.addrinfo);
    return s;
}

// Stores the listener's address as text; returns its port.
static uint16_t name_listener(listener *l)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int result = getsockname(l->acceptor.descriptor, (struct sockaddr *)&address, &size);
    ASSERT(result == 0);
    char host[INET6_ADDRSTRLEN];
    uint16_t port = 0;
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
        uv_ip6_name(six, host, sizeof host);
        port = ntohs(six->sin6_port);
        snprintf(l->address, sizeof l->address, "[%s]:%u", host, port);
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
        uv_ip4_name(four, host, sizeof host);
        port = ntohs(four->sin_port);
        snprintf(l->address, sizeof l->address, "%s:%u", host, port);
    }
    return port;
}

// Owns the descriptor. Returns the system's error number, negative, or 0.
static int add_listener(network *n, int descriptor)
{
    ASSERT(n->listener_count < NETWORK_LISTENERS_MAX);
    listener *l = calloc(1, sizeof *l);
    ASSERT_MEMORY(l != NULL);
    l->network = n;
    const acceptor_handler handler = {.context = l,
                                      .wanted = accept_wanted,
                                      .taken = on_accepted,
                                      .refused = on_turned_away,
                                      .closed = on_listener_closed};
    acceptor_init(&l->acceptor, n->loop, descriptor, &handler);
    n->listeners[n->listener_count++] = l;
    return acceptor_begin(&l->acceptor, BACKLOG);
}

static void drop_last_listener(network *n)
{
    listener *l = n->listeners[--n->listener_count];
    l->network = NULL;
    acceptor_close(&l->acceptor);
}

// Closes all listeners, so that none is left when opening one failed.
static void drop_listeners(network *n)
{
    while (n->listener_count > 0) {
        drop_last_listener(n);
    }
}

// Uses a socket that listens already: connections in its queue are accepted like any other.
static status listen_on_given(network *n, int given, error *err)
{
    const int result = add_listener(n, given);
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot go on with descriptor %d: %s", given,
                         uv_strerror(result));
    }
    (void)name_listener(n->listeners[n->listener_count - 1]);
    return STATUS_OK;
}

static status listen_on_all_given(network *n, const listen_sockets *given, error *err)
{
    status s = STATUS_OK;
    for (int i = 0; i < given->count; i++) {
        if (s == STATUS_OK) {
            s = listen_on_given(n, given->fd[i], err);
        } else {
            (void)close(given->fd[i]);
        }
    }
    return s;
}

static void set_port(struct sockaddr_storage *address, uint16_t port)
{
    if (address->ss_family == AF_INET6) {
        ((struct sockaddr_in6 *)address)->sin6_port = htons(port);
    } else {
        ((struct sockaddr_in *)address)->sin_port = htons(port);
    }
}

static int listen_on_address(network *n, const struct sockaddr_storage *address)
{
    const socklen_t size =
        address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    const int descriptor = acceptor_bind((const struct sockaddr *)address, size);
    if (descriptor < 0) {
        return descriptor;
    }
    const int result = add_listener(n, descriptor);
    if (result != 0) {
        drop_last_listener(n);
    }
    return result;
}

// Listens on each address, those after the first with the port that this one has. On a failure
// *result is the system's last error.
static bool listen_on_each(network *n, address_list *list, bool free_port, int *result)
{
    for (int i = 0; i < list->count; i++) {
        *result = listen_on_address(n, &list->data[i]);
        if (*result == UV_EADDRNOTAVAIL || *result == UV_EAFNOSUPPORT) {
            continue; // this machine has no such address
        }
        if (*result != 0) {
            return false;
        }
        uint16_t port = name_listener(n->listeners[n->listener_count - 1]);
        for (int k = i + 1; k < list->count && free_port; k++) {
            set_port(&list->data[k], port);
        }
    }
    return n->listener_count > 0;
}

static status listen_on(network *n, const char *host, uint16_t port, error *err)
{
    address_list list = {0};
    int result = 0;
    status s = resolve(n->loop, host, port, &list, err);
    if (s != STATUS_OK) {
        return s;
    }
    for (int tries = 0; tries < PORT_TRIES; tries++) {
        if (listen_on_each(n, &list, port == 0, &result)) {
            return STATUS_OK;
        }
        drop_listeners(n);
        if (port != 0 || result != UV_EADDRINUSE) {
            break;
        }
        for (int i = 0; i < list.count; i++) {
            set_port(&list.data[i], 0);
        }
    }
    return error_set(err, STATUS_UNAVAILABLE, "cannot listen on %s:%u: %s%s", host, port,
                     uv_strerror(result),
                     result == UV_EADDRINUSE ? ", perhaps by a caromd that runs already" : "");
}

static network *create(uv_loop_t *loop, const limits *bounds, const network_handler *handler)
{
    network *n = calloc(1, sizeof *n);
    ASSERT_MEMORY(n != NULL);
    n->loop = loop;
    n->limits = bounds;
    n->handler = *handler;
    n->sweep.data = n->more.data = n->flush.data = n;
    n->turn = 1;
    n->ending_end = &n->first_ending;
    handshakes_init(n);
    // Each connection is in it once at most
    turn_queue_init(&n->short_writes, UINT32_MAX, clock_processor_ns);
    turn_queue_init(&n->long_writes, UINT32_MAX, clock_processor_ns);
    loop_turn_init(&n->own_time, clock_now_ns);
    n->time = &n->own_time;
    return n;
}

static void start_own(network *n)
{
    uv_timer_init(n->loop, &n->sweep);
    uv_timer_init(n->loop, &n->more);
    uv_prepare_init(n->loop, &n->flush);
    uv_prepare_start(&n->flush, on_flush);
}

status network_open(uv_loop_t *loop, const char *host, uint16_t port, const listen_sockets *given,
                    const limits *bounds, const network_handler *handler, network **out, error *err)
{
    network *n = create(loop, bounds, handler);
    status s = given != NULL && given->count > 0 ? listen_on_all_given(n, given, err)
                                                 : listen_on(n, host, port, err);
    if (s != STATUS_OK) {
        drop_listeners(n);
        free(n);
        return s;
    }
    start_own(n);
    n->own_handles = OWN_HANDLES + n->listener_count;
    *out = n;
    return STATUS_OK;
}

network *network_open_bare(uv_loop_t *loop, const limits *bounds, const network_handler *handler)
{
    network *n = create(loop, bounds, handler);
    n->bare = true;
    start_own(n);
    n->own_handles = OWN_HANDLES;
    return n;
}

void network_relay(network *n, io_threads *io)
{
    ASSERT(n->first == NULL);
    n->io = io;
}

void network_share_turn(network *n, loop_turn *shared)
{
    n->time = shared;
}

void network_trust(network *n, const proxy_peers *proxies)
{
    ASSERT(n->first == NULL);
    n->proxies = proxies;
}

void network_secure(network *n, const tls_files *files, const void *answer, size_t size)
{
    ASSERT(n->first == NULL);
    n->tls = files;
    n->plain_answer = answer;
    n->plain_answer_size = size;
}

listen_sockets network_descriptors(const network *n)
{
    listen_sockets out = {.count = n->listener_count};
    for (int i = 0; i < n->listener_count; i++) {
        out.fd[i] = n->listeners[i]->acceptor.descriptor;
    }
    return out;
}

const char *network_address(const network *n, int index)
{
    return index < n->listener_count ? n->listeners[index]->address : NULL;
}

bool network_address_is_local(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ||
           strncmp(address, "[::1]:", 6) == 0;
}

bool network_is_local(const network *n)
{
    bool local = true;
    for (int i = 0; i < n->listener_count; i++) {
        local = local && network_address_is_local(n->listeners[i]->address);
    }
    return local;
}

void network_close(network *n)
{
    if (n->closing) {
        return;
    }
    n->closing = true;
    for (connection *c = n->first; c != NULL; c = c->next) {
        if (c->greeting != NULL) {
            connection_end_now(c); // no other code knows it
        }
    }
    if (n->bare) {
        network_check_finished(n);
    }
    int count = n->listener_count;
    n->listener_count = 0;
    for (int i = 0; i < count; i++) {
        acceptor_close(&n->listeners[i]->acceptor);
    }
}

void network_free(network *n)
{
    handshakes_deinit(n);
    turn_queue_deinit(&n->short_writes);
    turn_queue_deinit(&n->long_writes);
    free(n);
}
