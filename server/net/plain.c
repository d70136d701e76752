// Sockets of the loop's thread: sending plain bytes, and the functions that TLS shares with that.
// The loop's thread only.
#include <string.h>

#include "common/base/assert.h"
#include "server/base/metrics.h"
#include "server/net/internal.h"

enum { UNQUEUED_COPIED_MAX = 4 * 1024 }; // a message larger than this goes in two pieces

// ---- input

void plain_read_start(connection *c)
{
    if (uv_read_start((uv_stream_t *)&c->socket, connection_on_allocate, connection_on_read) != 0) {
        connection_end_now(c);
    }
}

void plain_read_stop(connection *c)
{
    uv_read_stop((uv_stream_t *)&c->socket);
}

void plain_deliver(connection *c)
{
    (void)c; // input is read when it is wanted
}

static void plain_received(connection *c, const uint8_t *data, size_t size)
{
    if (c->state == CONNECTION_OPEN) {
        metrics_add(METRIC_bytes_received, (uint64_t)size);
        c->input.received_bytes += (uint64_t)size;
        c->network->handler.received(c->peer, data, size);
    }
}

static bool plain_shakes_hands(const connection *c)
{
    (void)c;
    return false;
}

// ---- output

static bool plain_has_output(const connection *c)
{
    return c->output.queue.size > 0;
}

static void on_write(uv_write_t *write, int result)
{
    connection_written((connection *)write->handle, result);
}

bool plain_go_on_writing(connection *c, uv_buf_t buf)
{
    ASSERT(!c->output.write_pending && buf.len > 0);
    c->output.write_pending = true;
    if (uv_write(&c->output.write, (uv_stream_t *)&c->socket, &buf, 1, on_write) != 0) {
        c->output.write_pending = false;
        connection_end_now(c);
        return false;
    }
    return true;
}

// Fills `bufs` with the front of the queue, at most one write's bytes; returns their number.
static uint32_t peek(const connection *c, uv_buf_t bufs[WRITE_SPANS])
{
    outbox_span spans[WRITE_SPANS];
    const uint32_t count = outbox_peek(&c->output.queue, spans, WRITE_SPANS);
    size_t left = c->output.write_most;
    uint32_t taken = 0;
    while (taken < count && left > 0) {
        const size_t size = spans[taken].size < left ? spans[taken].size : left;
        bufs[taken] = (uv_buf_t){.base = (char *)spans[taken].data, .len = size};
        left -= size;
        taken++;
    }
    return taken;
}

static bool plain_write(connection *c)
{
    uv_buf_t bufs[WRITE_SPANS];
    const uint32_t count = peek(c, bufs);
    ASSERT(count > 0 && !c->output.write_pending);
    int written = uv_try_write((uv_stream_t *)&c->socket, bufs, count);
    if (written < 0 && written != UV_EAGAIN) {
        connection_end_now(c);
        return false;
    }
    if (written > 0) {
        connection_count_sent(c, (size_t)written);
        connection_consume(c, (size_t)written);
        return true;
    }
    // libuv writes when the socket accepts more, outside of the turn's time for writing: it gets a
    // small part of one block. Of several blocks it would not say which were sent when the
    // connection is lost.
    bufs[0].len = bufs[0].len < WAITING_BYTES ? bufs[0].len : WAITING_BYTES;
    c->output.busy = bufs[0].len;
    (void)plain_go_on_writing(c, bufs[0]);
    return false;
}

static void plain_written(connection *c, bool has_left)
{
    if (has_left) {
        const size_t busy = c->output.busy;
        ASSERT(busy > 0 && busy <= c->output.queue.size);
        c->output.busy = 0;
        connection_count_sent(c, busy);
        connection_consume(c, busy);
    }
}

// Small messages are written in one piece, which is faster than several.
static int plain_write_unqueued(connection *c, const uint8_t *head, size_t head_size,
                                const shared_bytes *tail)
{
    uint8_t whole[UNQUEUED_COPIED_MAX];
    uv_buf_t bufs[2] = {{.base = (char *)(uintptr_t)head, .len = head_size},
                        {.base = (char *)tail->data, .len = tail->size}};
    uint32_t count = 2;
    if (head_size + tail->size <= sizeof whole) {
        memcpy(whole, head, head_size);
        memcpy(whole + head_size, tail->data, tail->size);
        bufs[0] = (uv_buf_t){.base = (char *)whole, .len = head_size + tail->size};
        count = 1;
    }
    int written = uv_try_write((uv_stream_t *)&c->socket, bufs, count);
    return written == UV_EAGAIN ? 0 : written;
}

// libuv sends parts of a large write without calling back, so the unsent bytes are asked for.
size_t plain_unsent(const connection *c)
{
    ASSERT(c->output.busy <= c->output.queue.size);
    return c->output.queue.size - c->output.busy +
           uv_stream_get_write_queue_size((const uv_stream_t *)&c->socket);
}

// ---- the end

static bool plain_seal_end(connection *c)
{
    (void)c;
    return false;
}

static void on_shutdown(uv_shutdown_t *shutdown, int result)
{
    connection *c = (connection *)shutdown->handle;
    if (result != 0 || c->input.state == INPUT_OVER) {
        connection_end_now(c);
    }
}

void plain_finish(connection *c)
{
    if (uv_shutdown(&c->ending.shutdown, (uv_stream_t *)&c->socket, on_shutdown) != 0) {
        connection_end_now(c);
    }
}

void plain_both_ended(connection *c)
{
    connection_end_now(c);
}

static void on_closed(uv_handle_t *handle)
{
    connection_gone((connection *)handle);
}

void plain_close(connection *c)
{
    network *n = c->network;
    if (n->turn_ends < TURN_ENDS) {
        n->turn_ends++;
        uv_close((uv_handle_t *)&c->socket, on_closed);
        return;
    }
    uv_read_stop((uv_stream_t *)&c->socket);
    c->ending.next = NULL;
    *n->ending_end = c;
    n->ending_end = &c->ending.next;
    network_go_on(n);
}

void connection_end_some(network *n)
{
    for (n->turn_ends = 0; n->first_ending != NULL && n->turn_ends < TURN_ENDS; n->turn_ends++) {
        connection *c = n->first_ending;
        ASSERT(c->state == CONNECTION_CLOSED);
        n->first_ending = c->ending.next;
        n->ending_end = n->first_ending == NULL ? &n->first_ending : n->ending_end;
        uv_close((uv_handle_t *)&c->socket, on_closed);
    }
    if (n->first_ending != NULL) {
        network_go_on(n);
    }
}

const socket_kind SOCKET_PLAIN = {
    .read_start = plain_read_start,
    .read_stop = plain_read_stop,
    .received = plain_received,
    .shakes_hands = plain_shakes_hands,
    .deliver = plain_deliver,
    .has_output = plain_has_output,
    .write = plain_write,
    .written = plain_written,
    .write_unqueued = plain_write_unqueued,
    .unsent = plain_unsent,
    .seal_end = plain_seal_end,
    .finish = plain_finish,
    .both_ended = plain_both_ended,
    .close = plain_close,
};
