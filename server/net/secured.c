// Connections whose bytes go through TLS: input is opened before the handler gets it, output is
// sealed when the socket is to take it, and not before: what waits in the outbox stays plain, so
// that it can still be replaced or cut, and counts as it is. Network thread only.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/base/assert.h"
#include "server/base/audit.h"
#include "server/base/metrics.h"
#include "server/net/internal.h"

enum {
    TLS_HANDSHAKE_BYTE = 0x16, // what a stream of TLS begins with
    SEAL_BYTES = 64 * 1024     // sealed before a write; below TLS_SEALED_BYTES_MAX by two records
};

static bool waits(const connection *c)
{
    size_t size;
    (void)tls_sealed(c->tls, &size);
    return size > 0;
}

// ---- input

// Everything that was to be sent is dropped, but for an alert.
static void fail(connection *c, const char *why)
{
    char reason[ERROR_TEXT_MAX];
    snprintf(reason, sizeof reason, "TLS: %s", why);
    audit_refusal(AUDIT_NO_SESSION, "", c->name, STATUS_INVALID_ARGUMENT, reason);
    metrics_add(METRIC_tls_failed, 1);
    outbox_deinit(&c->out);
    outbox_init(&c->out);
    c->busy = 0;
    c->sealed_end = true;
    c->linger = false;
    c->state = CONNECTION_FLUSHING;
    c->deadline_ms = uv_now(c->network->loop) + c->network->limits->close_ms;
    connection_mark_dirty(c);
}

// The peer speaks, but not TLS: it is answered so that it sees why.
static void refuse_plain(connection *c)
{
    metrics_add(METRIC_tls_refused, 1);
    audit_refusal(AUDIT_NO_SESSION, "", c->name, STATUS_INVALID_ARGUMENT,
                  "plain bytes where TLS is spoken");
    tls_stream_free(c->tls);
    c->tls = NULL;
    connection_close(c, ENDING_CUT, STATUS_OK, "", c->plain_answer, c->plain_answer_size);
    connection_mark_dirty(c);
}

// The server answers the last flight of a client's handshake with nothing. A client whose kernel
// holds small writes back until the ones before are acknowledged (Nagle's algorithm, RFC 896) sends
// its first request only then, and a kernel that has nothing to send acknowledges after 40 ms.
static void acknowledge_now(connection *c)
{
    int descriptor = -1;
    int enable = 1;
    if (uv_fileno((const uv_handle_t *)&c->socket, &descriptor) == 0) {
        // Where that fails the client waits a little longer.
        (void)setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &enable, sizeof enable);
    }
}

static void note_handshake(connection *c)
{
    if (!c->shaken && tls_ready(c->tls)) {
        c->shaken = true;
        acknowledge_now(c);
        metrics_add(METRIC_tls_handshakes, 1);
        connection_mark_dirty(c); // what was queued meanwhile
    }
}

void secured_received(connection *c, const uint8_t *data, size_t size)
{
    network *n = c->network;
    // One that is closing has its handshake all the same, so that it can be told why.
    bool wanted = c->state == CONNECTION_OPEN ||
                  (c->state == CONNECTION_FLUSHING && !c->sealed_end && !tls_ready(c->tls));
    if (!wanted) {
        return;
    }
    metrics_add(METRIC_bytes_received, size);
    c->received_bytes += size;
    if (!c->greeted && data[0] != TLS_HANDSHAKE_BYTE) {
        refuse_plain(c);
        return;
    }
    c->greeted = true;
    tls_take(c->tls, data, size);
    tls_result result = TLS_BYTES;
    const char *why = "";
    while (result == TLS_BYTES && c->state <= CONNECTION_FLUSHING) {
        size_t got = 0;
        result = tls_open(c->tls, n->opened, sizeof n->opened, &got, &why);
        note_handshake(c);
        if (got > 0 && c->state == CONNECTION_OPEN) {
            n->handler.received(c->peer, n->opened, got);
        }
    }
    if (c->state > CONNECTION_FLUSHING) {
        return;
    }
    if (result == TLS_FAILED) {
        fail(c, why);
    } else if (result == TLS_OVER) {
        connection_input_over(c);
    }
    if (waits(c)) {
        connection_mark_dirty(c);
    }
}

// ---- output

bool secured_has_output(const connection *c)
{
    return waits(c) || (c->out.size > c->busy && tls_ready(c->tls) && !c->sealed_end);
}

// Seals what follows on the `busy` bytes that are sealed already.
static void seal_some(connection *c)
{
    outbox_span spans[WRITE_SPANS];
    size_t sealed;
    (void)tls_sealed(c->tls, &sealed);
    if (c->busy > 0 || !tls_ready(c->tls) || c->sealed_end) {
        return;
    }
    uint32_t count = outbox_peek(&c->out, spans, WRITE_SPANS);
    for (uint32_t i = 0; i < count && sealed < SEAL_BYTES; i++) {
        size_t at = 0;
        while (at < spans[i].size && sealed < SEAL_BYTES) {
            size_t left = spans[i].size - at;
            size_t piece = left < TLS_PIECE_BYTES ? left : TLS_PIECE_BYTES;
            if (!tls_seal(c->tls, spans[i].data + at, piece)) {
                fail(c, "sealing failed");
                return;
            }
            at += piece;
            c->busy += piece;
            (void)tls_sealed(c->tls, &sealed);
        }
    }
}

static void all_left(connection *c)
{
    size_t busy = c->busy;
    c->busy = 0;
    if (busy > 0) {
        connection_consume(c, busy);
    }
}

bool secured_write(connection *c)
{
    seal_some(c);
    size_t size;
    uint8_t *sealed = tls_sealed(c->tls, &size);
    if (size == 0) {
        return false;
    }
    uv_stream_t *stream = (uv_stream_t *)&c->socket;
    uv_buf_t buf = {.base = (char *)sealed, .len = size};
    int written = uv_try_write(stream, &buf, 1);
    if (written < 0 && written != UV_EAGAIN) {
        connection_end_now(c);
        return false;
    }
    if (written > 0) {
        connection_count_sent(c, (size_t)written);
        tls_drop(c->tls, (size_t)written);
        if (!waits(c)) {
            all_left(c);
        }
        return true;
    }
    // Input may seal answers while libuv writes: what it writes is no longer the stream's.
    c->flying = tls_take_sealed(c->tls, &buf.base, &size);
    buf.len = size;
    c->flying_size = size;
    c->writing = true;
    if (uv_write(&c->write, stream, &buf, 1, connection_on_write) != 0) {
        c->writing = false;
        connection_end_now(c);
    }
    return false;
}

void secured_written(connection *c)
{
    free(c->flying);
    c->flying = NULL;
    if (c->state != CONNECTION_CLOSED) {
        connection_count_sent(c, c->flying_size);
        all_left(c);
    }
}

bool secured_end(connection *c)
{
    if (!c->sealed_end) {
        c->sealed_end = true;
        tls_seal_end(c->tls);
    }
    return waits(c);
}
