// Connections whose bytes go through TLS: input is opened before the handler gets it, output is
// sealed only when the socket is about to accept it: bytes in the outbox stay plain, so that they
// can still be dropped, and count with their plain size. Network thread only.
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
    TLS_HANDSHAKE_BYTE = 0x16, // first byte of a TLS stream
    SEAL_BYTES = 64 * 1024     // plain bytes sealed before a write; below TLS_SEALED_BYTES_MAX by
                               // two records
};

// ---- states

#define TO(state) (1u << (state))

static const uint32_t TLS_CHANGES[] = {
    [TLS_SILENT] = TO(TLS_SHAKING) | TO(TLS_ENDED),
    [TLS_SHAKING] = TO(TLS_SPOKEN) | TO(TLS_ENDED),
    [TLS_SPOKEN] = TO(TLS_ENDED),
    [TLS_ENDED] = 0,
};
_Static_assert(sizeof TLS_CHANGES / sizeof *TLS_CHANGES == TLS_ENDED + 1, "a row a state");

static void change(connection *c, tls_state to)
{
    ASSERT((TLS_CHANGES[c->tls.state] & TO(to)) != 0);
    c->tls.state = to;
}

// Whether sealed bytes wait for the socket.
static bool waits(const connection *c)
{
    size_t size;
    (void)tls_sealed(c->tls.stream, &size);
    return size > 0;
}

// ---- input

// Drops all output but an alert.
static void fail(connection *c, const char *why)
{
    char reason[ERROR_TEXT_MAX];
    snprintf(reason, sizeof reason, "TLS: %s", why);
    audit_refusal(AUDIT_NO_SESSION, "", c->name, STATUS_INVALID_ARGUMENT, reason);
    metrics_add(METRIC_tls_failed, 1);
    outbox_deinit(&c->output.queue);
    outbox_init(&c->output.queue);
    c->output.busy = 0;
    change(c, TLS_ENDED);
    c->ending.output_lingers = false;
    if (c->state == CONNECTION_OPEN) {
        connection_change(c, CONNECTION_FLUSHING);
    }
    c->ending.deadline_ms = network_awake_ms(c->network) + c->network->limits->close_ms;
    connection_mark_dirty(c);
}

// Answers a peer that does not speak TLS in plain bytes, so that it sees why.
static void refuse_plain(connection *c)
{
    metrics_add(METRIC_tls_refused, 1);
    audit_refusal(AUDIT_NO_SESSION, "", c->name, STATUS_INVALID_ARGUMENT,
                  "plain bytes where TLS is spoken");
    tls_stream_free(c->tls.stream);
    c->tls.stream = NULL;
    c->kind = &SOCKET_PLAIN;
    connection_close(c, ENDING_CUT, STATUS_OK, "", c->tls.plain_answer, c->tls.plain_answer_size);
    connection_mark_dirty(c);
}

// The server sends nothing in answer to the last flight of a client's handshake. A client whose
// kernel holds small writes back until the ones before are acknowledged (Nagle's algorithm, RFC
// 896) sends its first request only then, and a kernel that has nothing to send acknowledges after
// 40 ms.
static void acknowledge_now(connection *c)
{
    int descriptor = -1;
    int enable = 1;
    if (uv_fileno((const uv_handle_t *)&c->socket, &descriptor) == 0) {
        // If this fails, the client only waits a little longer.
        (void)setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &enable, sizeof enable);
    }
}

static void note_handshake(connection *c)
{
    if (c->tls.state == TLS_SHAKING && tls_ready(c->tls.stream)) {
        change(c, TLS_SPOKEN);
        acknowledge_now(c);
        metrics_add(METRIC_tls_handshakes, 1);
        connection_mark_dirty(c); // output may have been queued meanwhile
    }
}

static bool shakes_hands(const connection *c)
{
    return c->tls.state < TLS_SPOKEN;
}

static void received(connection *c, const uint8_t *data, size_t size)
{
    network *n = c->network;
    // A closing connection still completes its handshake, so that the peer receives the reason.
    if (c->state != CONNECTION_OPEN && (c->state != CONNECTION_FLUSHING || !shakes_hands(c))) {
        return;
    }
    metrics_add(METRIC_bytes_received, size);
    c->input.received_bytes += size;
    if (c->tls.state == TLS_SILENT) {
        if (data[0] != TLS_HANDSHAKE_BYTE) {
            refuse_plain(c);
            return;
        }
        change(c, TLS_SHAKING);
    }
    tls_take(c->tls.stream, data, size);
    tls_result result = TLS_BYTES;
    const char *why = "";
    while (result == TLS_BYTES && c->state <= CONNECTION_FLUSHING) {
        size_t got = 0;
        result = tls_open(c->tls.stream, n->opened, sizeof n->opened, &got, &why);
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

static bool has_output(const connection *c)
{
    return waits(c) || (c->output.queue.size > c->output.busy && c->tls.state == TLS_SPOKEN);
}

// Seals the next bytes of the queue, after the `busy` bytes that are sealed already.
static void seal_some(connection *c)
{
    outbox_span spans[WRITE_SPANS];
    size_t sealed;
    (void)tls_sealed(c->tls.stream, &sealed);
    if (c->output.busy > 0 || c->tls.state != TLS_SPOKEN) {
        return;
    }
    const size_t most = c->output.write_most < SEAL_BYTES ? c->output.write_most : SEAL_BYTES;
    uint32_t count = outbox_peek(&c->output.queue, spans, WRITE_SPANS);
    for (uint32_t i = 0; i < count && sealed < most; i++) {
        size_t at = 0;
        while (at < spans[i].size && sealed < most) {
            size_t left = spans[i].size - at;
            size_t piece = left < TLS_PIECE_BYTES ? left : TLS_PIECE_BYTES;
            if (!tls_seal(c->tls.stream, spans[i].data + at, piece)) {
                fail(c, "sealing failed");
                return;
            }
            at += piece;
            c->output.busy += piece;
            (void)tls_sealed(c->tls.stream, &sealed);
        }
    }
}

static void all_left(connection *c)
{
    size_t busy = c->output.busy;
    c->output.busy = 0;
    if (busy > 0) {
        connection_consume(c, busy);
    }
}

static bool write_sealed(connection *c)
{
    seal_some(c);
    size_t size;
    uint8_t *sealed = tls_sealed(c->tls.stream, &size);
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
        tls_drop(c->tls.stream, (size_t)written);
        if (!waits(c)) {
            all_left(c);
        }
        return true;
    }
    // While libuv writes, input may seal answers: the buffer being written no longer belongs to the
    // stream.
    ASSERT(c->tls.flying == NULL);
    c->tls.flying = tls_take_sealed(c->tls.stream, &buf.base, &size);
    buf.len = size;
    c->tls.flying_size = size;
    (void)plain_go_on_writing(c, buf);
    return false;
}

static void written(connection *c, bool has_left)
{
    free(c->tls.flying);
    c->tls.flying = NULL;
    if (has_left) {
        connection_count_sent(c, c->tls.flying_size);
        all_left(c);
    }
}

static bool seal_end(connection *c)
{
    if (c->tls.state != TLS_ENDED) {
        change(c, TLS_ENDED);
        tls_seal_end(c->tls.stream);
    }
    return waits(c);
}

const socket_kind SOCKET_SECURED = {
    .read_start = plain_read_start,
    .read_stop = plain_read_stop,
    .received = received,
    .shakes_hands = shakes_hands,
    .deliver = plain_deliver,
    .has_output = has_output,
    .write = write_sealed,
    .written = written,
    .unsent = plain_unsent,
    .seal_end = seal_end,
    .finish = plain_finish,
    .both_ended = plain_both_ended,
    .close = plain_close,
};
