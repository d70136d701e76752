// The listener, the list of connections, and the timer that looks at their times; see network.h.
// Network thread only.
#include "server/net/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/metrics.h"
#include "server/net/internal.h"

enum {
    // Connections that the kernel holds until they are taken; it has its own maximum, 4096 by now.
    // All clients come back at once when the server is replaced by another process.
    BACKLOG = 4096,
    COMPLAIN_MS = 5000,
    OWN_HANDLES = 3
};

// Out of descriptors, libuv gives up one that it keeps in reserve, takes each waiting connection
// and closes it, so that the listener does not stay ready for ever and the loop does not spin. Only
// if that fails too it comes here. (main.c sees to it that the limit on connections is met first.)
static void on_accept_failed(network *n, int result)
{
    metrics_add(METRIC_connections_refused, 1);
    uint64_t now = uv_now(n->loop);
    if (n->complained_ms == 0 || now - n->complained_ms >= COMPLAIN_MS) {
        n->complained_ms = now;
        log_warn("a connection could not be taken: %s", uv_strerror(result));
    }
}

static void on_connection(uv_stream_t *listener, int result)
{
    network *n = listener->data;
    if (result != 0) {
        on_accept_failed(n, result);
    } else if (n->turn_accepts >= TURN_ACCEPTS) {
        n->accept_waits = true; // libuv does not ask again before that one is taken
    } else if (!n->closing) {
        n->turn_accepts++;
        connection_accept(n);
    }
}

static void begin_turn(network *n)
{
    n->turn++;
    n->turn_handshakes = 0;
    n->turn_accepts = 0;
    if (n->accept_waits && !n->closing) {
        n->accept_waits = false;
        n->turn_accepts++;
        connection_accept(n);
    }
}

static void on_flush(uv_prepare_t *handle)
{
    network *n = handle->data;
    begin_turn(n);
    while (n->first_dirty != NULL) {
        connection *c = n->first_dirty;
        n->first_dirty = c->next_dirty;
        c->dirty = false;
        connection_flush(c);
    }
    n->handler.flushed(n->handler.context);
    if (n->io != NULL) {
        relay_flush(n->io);
    }
}

static void on_sweep(uv_timer_t *handle)
{
    network *n = handle->data;
    uint64_t now = uv_now(n->loop);
    if (n->first == NULL) {
        uv_timer_stop(handle);
    }
    connection *next = NULL;
    for (connection *c = n->first; c != NULL; c = next) {
        next = c->next; // a connection that ends is unlinked later, in its close callback
        connection_sweep(c, now);
    }
}

void network_start_sweep(network *n)
{
    int result = uv_timer_start(&n->sweep, on_sweep, NETWORK_SWEEP_MS, NETWORK_SWEEP_MS);
    ASSERT(result == 0);
}

static void on_own_closed(uv_handle_t *handle)
{
    network *n = handle->data;
    n->own_handles--;
    network_check_finished(n);
}

void network_check_finished(network *n)
{
    if (!n->closing || n->first != NULL) {
        return;
    }
    // Sweep and flush go on until the last connection is gone: they are what ends it in time.
    if (n->own_handles == OWN_HANDLES - 1 && !uv_is_closing((uv_handle_t *)&n->sweep)) {
        uv_close((uv_handle_t *)&n->sweep, on_own_closed);
        uv_close((uv_handle_t *)&n->flush, on_own_closed);
    }
    if (n->own_handles == 0) {
        n->handler.finished(n->handler.context);
    }
}

// The first address of the host. Numbers are understood without asking anyone.
static status resolve(uv_loop_t *loop, const char *host, uint16_t port,
                      struct sockaddr_storage *out, error *err)
{
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
    memcpy(out, query.addrinfo->ai_addr, query.addrinfo->ai_addrlen);
    uv_freeaddrinfo(query.addrinfo);
    return STATUS_OK;
}

static void name_address(network *n)
{
    struct sockaddr_storage address;
    int size = sizeof address;
    int result = uv_tcp_getsockname(&n->listener, (struct sockaddr *)&address, &size);
    ASSERT(result == 0);
    char host[INET6_ADDRSTRLEN];
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
        uv_ip6_name(six, host, sizeof host);
        snprintf(n->address, sizeof n->address, "[%s]:%u", host, ntohs(six->sin6_port));
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
        uv_ip4_name(four, host, sizeof host);
        snprintf(n->address, sizeof n->address, "%s:%u", host, ntohs(four->sin_port));
    }
}

static void free_closed(uv_handle_t *handle)
{
    free(handle->data);
}

// A socket that listens already: what waits in its queue is taken like any other connection.
static status listen_on_given(network *n, int given, error *err)
{
    int result = uv_tcp_open(&n->listener, given);
    if (result != 0) {
        (void)close(given);
    } else {
        result = uv_listen((uv_stream_t *)&n->listener, BACKLOG, on_connection);
    }
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot go on with descriptor %d: %s", given,
                         uv_strerror(result));
    }
    return STATUS_OK;
}

static status listen_on(network *n, const char *host, uint16_t port, error *err)
{
    struct sockaddr_storage address = {0};
    status s = resolve(n->loop, host, port, &address, err);
    if (s != STATUS_OK) {
        return s;
    }
    int result = uv_tcp_bind(&n->listener, (const struct sockaddr *)&address, 0);
    if (result == 0) {
        result = uv_listen((uv_stream_t *)&n->listener, BACKLOG, on_connection);
    }
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot listen on %s:%u: %s", host, port,
                         uv_strerror(result));
    }
    return STATUS_OK;
}

static network *create(uv_loop_t *loop, const limits *bounds, const network_handler *handler)
{
    network *n = calloc(1, sizeof *n);
    ASSERT(n != NULL);
    n->loop = loop;
    n->limits = bounds;
    n->handler = *handler;
    n->listener.data = n->sweep.data = n->flush.data = n;
    n->turn = 1;
    return n;
}

static void start_own(network *n)
{
    uv_timer_init(n->loop, &n->sweep);
    uv_prepare_init(n->loop, &n->flush);
    uv_prepare_start(&n->flush, on_flush);
}

status network_open(uv_loop_t *loop, const char *host, uint16_t port, int given,
                    const limits *bounds, const network_handler *handler, network **out, error *err)
{
    network *n = create(loop, bounds, handler);
    int result = uv_tcp_init(loop, &n->listener);
    ASSERT(result == 0); // allocates nothing
    status s = given > 0 ? listen_on_given(n, given, err) : listen_on(n, host, port, err);
    if (s != STATUS_OK) {
        uv_close((uv_handle_t *)&n->listener, free_closed);
        return s;
    }
    name_address(n);
    start_own(n);
    n->own_handles = OWN_HANDLES;
    *out = n;
    return STATUS_OK;
}

network *network_open_bare(uv_loop_t *loop, const limits *bounds, const network_handler *handler)
{
    network *n = create(loop, bounds, handler);
    n->bare = true;
    start_own(n);
    n->own_handles = OWN_HANDLES - 1; // no listener
    return n;
}

void network_relay(network *n, io_threads *io)
{
    ASSERT(n->first == NULL);
    n->io = io;
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

int network_descriptor(const network *n)
{
    int descriptor = -1;
    int result = uv_fileno((const uv_handle_t *)&n->listener, &descriptor);
    ASSERT(result == 0);
    return descriptor;
}

const char *network_address(const network *n)
{
    return n->address;
}

bool network_address_is_local(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ||
           strncmp(address, "[::1]:", 6) == 0;
}

bool network_is_local(const network *n)
{
    return network_address_is_local(n->address);
}

void network_close(network *n)
{
    if (n->closing) {
        return;
    }
    n->closing = true;
    for (connection *c = n->first; c != NULL; c = c->next) {
        if (c->greeting != NULL) {
            connection_end_now(c); // nobody else knows it
        }
    }
    if (n->bare) {
        network_check_finished(n);
    } else {
        uv_close((uv_handle_t *)&n->listener, on_own_closed);
    }
}

void network_free(network *n)
{
    free(n);
}
