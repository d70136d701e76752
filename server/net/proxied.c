// Connections of a trusted proxy (proxy_peers.h): each begins with a PROXY header, and has no peer
// until the header is complete. Then it gets the address in the header, and continues as if its
// client had connected itself: limits per address, TLS, log lines. Network thread only.
//
// Not one byte after the header is read from the socket, so that no input has to be kept for the
// next reader, which may be another thread.
#include <stdio.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/audit.h"
#include "server/base/metrics.h"
#include "server/net/internal.h"
#include "server/net/proxy_header.h"

struct proxy_greeting {
    size_t size, wanted; // bytes received so far, and the number needed to continue
    uint64_t since_ms;
    uint8_t bytes[PROXY_HEADER_BYTES_MAX];
};

static void drop_greeting(connection *c)
{
    free(c->greeting);
    c->greeting = NULL;
    c->network->greetings--;
}

void proxied_gone(connection *c)
{
    if (c->greeting != NULL) {
        drop_greeting(c);
    }
}

static void refuse(connection *c, status why, const char *text)
{
    char reason[ERROR_TEXT_MAX];
    snprintf(reason, sizeof reason, "PROXY header: %s", text);
    audit_refusal(AUDIT_NO_SESSION, "", c->name, why, reason);
    metrics_add(METRIC_proxies_refused, 1);
    connection_end_now(c);
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    struct proxy_greeting *g = ((connection *)handle)->greeting;
    *buf = g != NULL ? uv_buf_init((char *)g->bytes + g->size, (unsigned)(g->wanted - g->size))
                     : uv_buf_init(NULL, 0);
}

static void finish(connection *c, const proxy_header *header)
{
    int stopped = uv_read_stop((uv_stream_t *)&c->socket);
    ASSERT(stopped == 0);
    if (header->told) {
        log_debug("a proxy passes a client on over connection %s", c->name);
        connection_name(c, &header->source.any);
    }
    drop_greeting(c);
    c->network->rejected++; // counted as rejected until it has a peer
    connection_begin(c);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    connection *c = (connection *)stream;
    struct proxy_greeting *g = c->greeting;
    (void)buf;
    if (size == 0 || size == UV_ENOBUFS || g == NULL) {
        return;
    }
    if (size < 0) { // a proxy's health check only connects, and sends nothing
        if (g->size > 0) {
            refuse(c, STATUS_INVALID_ARGUMENT, "the connection ended within it");
        } else {
            connection_end_now(c);
        }
        return;
    }
    proxy_header header;
    const char *why = "";
    g->size += (size_t)size;
    proxy_result result = proxy_header_read(g->bytes, g->size, &header, &why);
    g->wanted = header.size;
    if (result == PROXY_BROKEN) {
        refuse(c, STATUS_INVALID_ARGUMENT, why);
    } else if (result == PROXY_DONE) {
        finish(c, &header);
    }
}

void proxied_sweep(connection *c, uint64_t now_ms)
{
    if (now_ms - c->greeting->since_ms >= c->network->limits->first_message_ms) {
        refuse(c, STATUS_LIMIT_EXCEEDED, "first_message_ms: it was not whole in time");
    }
}

bool proxied_begin(connection *c)
{
    network *n = c->network;
    struct sockaddr_storage address;
    int size = sizeof address;
    if (n->proxies == NULL ||
        uv_tcp_getpeername(&c->socket, (struct sockaddr *)&address, &size) != 0 ||
        !proxy_peers_have(n->proxies, (const struct sockaddr *)&address)) {
        return false;
    }
    n->greetings++;
    c->greeting = malloc(sizeof *c->greeting);
    ASSERT_MEMORY(c->greeting != NULL);
    c->greeting->size = 0;
    c->greeting->wanted = PROXY_HEADER_BEGIN;
    c->greeting->since_ms = uv_now(n->loop);
    if (n->greetings > NETWORK_GREETINGS_MAX) {
        refuse(c, STATUS_LIMIT_EXCEEDED, "1024 connections wait for theirs already");
    } else if (uv_read_start((uv_stream_t *)&c->socket, on_allocate, on_read) != 0) {
        connection_end_now(c);
    }
    return true;
}
