// A connection's life: accept, read, write, close. See network.h for how it ends. Network thread
// only.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/audit.h"
#include "server/base/metrics.h"
#include "server/net/internal.h"

enum {
    // The kernel's send buffer (which it doubles). Bytes in it cannot be replaced by newer ones, so
    // a slow reader's picture of the world lags by as much as fits in. Enough for 25 Mbit/s over
    // 80 ms.
    SEND_BUFFER_BYTES = 256 * 1024,
    KEEPALIVE_S = 60,
    UNQUEUED_HEAD_MAX = 128,        // of a message that is written without being queued
    UNQUEUED_COPIED_MAX = 4 * 1024, // a larger one goes in two pieces
    REJECTED_MAX = 64 // connections that are told why they are rejected; more are just closed
};

static void link_connection(network *n, connection *c)
{
    c->next = n->first;
    if (n->first != NULL) {
        n->first->previous = c;
    }
    n->first = c;
}

static void unlink_connection(network *n, connection *c)
{
    if (c->previous != NULL) {
        c->previous->next = c->next;
    } else {
        n->first = c->next;
    }
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    n->swept = n->swept == c ? c->next : n->swept;
    if (!c->dirty) {
        return;
    }
    connection **link = &n->first_dirty;
    while (*link != c) {
        link = &(*link)->next_dirty;
    }
    *link = c->next_dirty;
    n->dirty_end = *link == NULL ? link : n->dirty_end;
}

void connection_gone(connection *c)
{
    network *n = c->network;
    c->state = CONNECTION_CLOSED;
    c->reading = false;
    connection_unpark(c);
    if (c->handing) {
        c->gone = true;
        return;
    }
    unlink_connection(n, c);
    if (c->peer != NULL) {
        n->handler.closed(c->peer);
    } else if (c->greeting == NULL) {
        n->rejected--;
    }
    proxied_gone(c);
    outbox_deinit(&c->out);
    tls_stream_free(c->tls);
    free(c->flying);
    free(c);
    network_check_finished(n);
}

static void on_closed(uv_handle_t *handle)
{
    connection_gone((connection *)handle);
}

void connection_end_now(connection *c)
{
    if (c->state == CONNECTION_CLOSED) {
        return;
    }
    c->state = CONNECTION_CLOSED;
    c->reading = false;
    connection_unpark(c);
    if (c->relay != NULL) {
        relay_end(c->relay);
    } else if (c->network->turn_ends++ < TURN_ENDS) {
        uv_close((uv_handle_t *)&c->socket, on_closed);
    } else {
        network *n = c->network;
        uv_read_stop((uv_stream_t *)&c->socket);
        c->next_ending = NULL;
        *n->ending_end = c;
        n->ending_end = &c->next_ending;
        network_go_on(n);
    }
}

void connection_end_some(network *n)
{
    for (n->turn_ends = 0; n->first_ending != NULL && n->turn_ends < TURN_ENDS; n->turn_ends++) {
        connection *c = n->first_ending;
        n->first_ending = c->next_ending;
        n->ending_end = n->first_ending == NULL ? &n->first_ending : n->ending_end;
        uv_close((uv_handle_t *)&c->socket, on_closed);
    }
    if (n->first_ending != NULL) {
        network_go_on(n);
    }
}

// ---- writing

static void on_block_written(void *context, uint64_t token)
{
    connection *c = context;
    // Also while it closes: its session may be resumed, and is not sent that again.
    if (c->state <= CONNECTION_FLUSHING && c->peer != NULL) {
        c->network->handler.written(c->peer, token);
    }
}

// The far one of a relayed connection counts.
void connection_count_sent(connection *c, size_t size)
{
    metrics_add(METRIC_bytes_sent, size);
    c->sent_bytes += size;
}

void connection_consume(connection *c, size_t size)
{
    c->moved_ms = uv_now(c->network->loop);
    outbox_consume(&c->out, size, on_block_written, c);
}

static void on_shutdown(uv_shutdown_t *shutdown, int result)
{
    connection *c = (connection *)shutdown->handle;
    if (result != 0 || c->input_over) {
        connection_end_now(c);
    }
}

// All is written: a connection that is closing goes on with its FIN.
static void on_drained(connection *c)
{
    if (c->state != CONNECTION_FLUSHING) {
        return;
    }
    if (c->tls != NULL && secured_end(c)) {
        connection_flush(c);
        return;
    }
    c->state = CONNECTION_ENDED;
    if (c->linger) {
        c->deadline_ms = uv_now(c->network->loop) + c->network->limits->close_ms;
    }
    if (c->relay != NULL) {
        relay_finish(c->relay, c->linger);
        return;
    }
    if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->socket, on_shutdown) != 0) {
        connection_end_now(c);
    }
}

void connection_on_write(uv_write_t *write, int result)
{
    connection *c = (connection *)write->handle;
    c->writing = false;
    if (c->tls != NULL) {
        secured_written(c);
    }
    if (c->state == CONNECTION_CLOSED) {
        return;
    }
    if (result != 0) {
        connection_end_now(c);
        return;
    }
    if (c->tls == NULL) {
        size_t busy = c->busy;
        c->busy = 0;
        connection_count_sent(c, busy);
        connection_consume(c, busy);
    }
    connection_flush(c);
}

void connection_on_relayed(connection *c)
{
    c->writing = false;
    if (c->state == CONNECTION_CLOSED) {
        return;
    }
    size_t busy = c->busy;
    c->busy = 0;
    connection_consume(c, busy);
    connection_flush(c);
}

// One attempt. False when the socket takes no more for now (libuv then goes on by itself and calls
// on_write), or has failed.
static bool write_some(connection *c)
{
    outbox_span spans[WRITE_SPANS];
    uv_buf_t bufs[WRITE_SPANS];
    uint32_t count = outbox_peek(&c->out, spans, WRITE_SPANS);
    for (uint32_t i = 0; i < count; i++) {
        bufs[i] = (uv_buf_t){.base = (char *)spans[i].data, .len = spans[i].size};
    }
    uv_stream_t *stream = (uv_stream_t *)&c->socket;
    int written = uv_try_write(stream, bufs, count);
    if (written < 0 && written != UV_EAGAIN) {
        connection_end_now(c);
        return false;
    }
    if (written > 0) {
        connection_count_sent(c, (size_t)written);
        connection_consume(c, (size_t)written);
        return true;
    }
    // One block alone: of several, libuv would not say which had left when the connection is lost.
    c->writing = true;
    c->busy = bufs[0].len;
    if (uv_write(&c->write, stream, bufs, 1, connection_on_write) != 0) {
        c->writing = false;
        connection_end_now(c);
    }
    return false;
}

static bool has_output(const connection *c)
{
    return c->tls != NULL ? secured_has_output(c) : c->out.size > 0;
}

static bool write_next(connection *c)
{
    if (c->relay != NULL) {
        relay_write(c->relay);
        return false;
    }
    return c->tls != NULL ? secured_write(c) : write_some(c);
}

void connection_flush(connection *c)
{
    bool more = true;
    if (c->relay != NULL) {
        relay_deliver(c->relay);
    }
    const uint64_t before = c->sent_bytes;
    while (more && !c->writing && c->state <= CONNECTION_FLUSHING && has_output(c)) {
        if (c->sent_bytes - before >= FLUSH_BYTES) {
            connection_mark_dirty(c); // others go first
            network_go_on(c->network);
            break;
        }
        more = write_next(c);
    }
    if (c->state <= CONNECTION_FLUSHING && c->out.size == 0 && !c->writing && !has_output(c)) {
        on_drained(c);
    }
    connection_update_reading(c);
}

void connection_mark_dirty(connection *c)
{
    if (!c->dirty) {
        c->dirty = true;
        c->next_dirty = NULL;
        *c->network->dirty_end = c;
        c->network->dirty_end = &c->next_dirty;
    }
}

void connection_frame(connection *c, const connection_framing *framing, void *context)
{
    c->framing = framing;
    c->framing_context = context;
}

bool connection_is_open(const connection *c)
{
    return c->state == CONNECTION_OPEN;
}

// `frame_size` bytes of a frame's head, then the message.
static bool enqueue(connection *c, const uint8_t *frame, size_t frame_size, const void *head,
                    size_t head_size, shared_bytes *tail, uint64_t token)
{
    size_t size = frame_size + head_size + (tail != NULL ? tail->size : 0);
    bool fits = c->out.size + size <= c->network->limits->output_bytes;
    if (c->state != CONNECTION_OPEN || !fits || size == 0) {
        bytes_unref(tail);
        return c->state != CONNECTION_OPEN || fits;
    }
    if (c->out.size == 0) {
        c->moved_ms = c->queued_ms = uv_now(c->network->loop);
    }
    if (frame_size > 0) {
        outbox_copy(&c->out, frame, frame_size, head_size > 0 || tail != NULL);
    }
    if (head_size > 0) {
        outbox_copy(&c->out, head, head_size, tail != NULL);
    }
    if (tail != NULL) {
        outbox_share(&c->out, tail, token);
    }
    connection_mark_dirty(c);
    return true;
}

bool connection_send(connection *c, const void *head, size_t head_size, shared_bytes *tail,
                     uint64_t token)
{
    uint8_t frame[FRAME_HEAD_MAX];
    size_t size = head_size + (tail != NULL ? tail->size : 0);
    size_t frame_size =
        c->framing != NULL && size > 0 ? c->framing->head(c->framing_context, size, frame) : 0;
    return enqueue(c, frame, frame_size, head, head_size, tail, token);
}

bool connection_send_raw(connection *c, const void *bytes, size_t size, shared_bytes *tail,
                         uint64_t token)
{
    return enqueue(c, NULL, 0, bytes, size, tail, token);
}

// One attempt to write what was not queued. Small messages go in one piece, as that is faster than
// several. Returns how many bytes the socket took; negative: it has failed.
static int try_unqueued(connection *c, const uint8_t *head, size_t head_size,
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

// `before` has the frame's head and the message's, which were not queued.
static bool send_unqueued(connection *c, const uint8_t *before, size_t before_size,
                          shared_bytes *tail, uint64_t token)
{
    size_t size = before_size + tail->size;
    int written = try_unqueued(c, before, before_size, tail);
    if (written < 0) {
        bytes_unref(tail);
        connection_end_now(c);
        return true;
    }
    connection_count_sent(c, (size_t)written);
    c->moved_ms = uv_now(c->network->loop);
    if ((size_t)written == size) {
        bytes_unref(tail);
        c->network->handler.written(c->peer, token);
        return true;
    }
    bool queued = enqueue(c, NULL, 0, before, before_size, tail, token);
    ASSERT(queued); // nothing waited, and it was looked at before
    if (written > 0) {
        connection_consume(c, (size_t)written);
    }
    return true;
}

bool connection_send_now(connection *c, const void *head, size_t head_size, shared_bytes *tail,
                         uint64_t token)
{
    uint8_t before[FRAME_HEAD_MAX + UNQUEUED_HEAD_MAX];
    size_t size = head_size + tail->size;
    bool idle = c->state == CONNECTION_OPEN && c->tls == NULL && c->relay == NULL &&
                c->out.size == 0 && !c->writing;
    if (!idle || head_size > UNQUEUED_HEAD_MAX || token == 0 ||
        size + FRAME_HEAD_MAX > c->network->limits->output_bytes) {
        return connection_send(c, head, head_size, tail, token);
    }
    size_t frame = c->framing != NULL ? c->framing->head(c->framing_context, size, before) : 0;
    memcpy(before + frame, head, head_size);
    return send_unqueued(c, before, frame + head_size, tail, token);
}

connection_traffic connection_traffic_now(const connection *c)
{
    return (connection_traffic){.received_bytes = c->received_bytes,
                                .sent_bytes = c->sent_bytes,
                                .queued_bytes = c->out.size,
                                .queued_ms =
                                    c->out.size > 0 ? uv_now(c->network->loop) - c->queued_ms : 0};
}

uint64_t connection_address(const connection *c)
{
    return c->address;
}

void connection_deal(connection *c, uint64_t subject)
{
    c->subject = subject;
}

const char *connection_peer_name(const connection *c)
{
    return c->name;
}

// ---- ends

static void queue_farewell(connection *c, status why, const char *text, const void *farewell,
                           size_t size)
{
    uint8_t frame[FRAME_END_MAX];
    if (size > 0 && c->framing != NULL) {
        size_t head = c->framing->head(c->framing_context, size, frame);
        outbox_copy(&c->out, frame, head, true);
    }
    if (size > 0) {
        outbox_copy(&c->out, farewell, size, false);
    }
    if (c->framing != NULL) {
        size_t end = c->framing->end(c->framing_context, why, text, frame);
        outbox_copy(&c->out, frame, end, false);
    }
}

void connection_close(connection *c, connection_ending ending, status why, const char *text,
                      const void *farewell, size_t size)
{
    if (c->state != CONNECTION_OPEN) {
        return;
    }
    c->state = CONNECTION_FLUSHING;
    c->linger = ending == ENDING_LINGER || ending == ENDING_CUT;
    c->deadline_ms = uv_now(c->network->loop) + c->network->limits->close_ms;
    if (ending == ENDING_CUT) {
        outbox_cut(&c->out, c->busy);
    }
    queue_farewell(c, why, text, farewell, size);
    if (ending == ENDING_NOW) {
        connection_flush(c);
        connection_end_now(c);
        return;
    }
    connection_mark_dirty(c); // also with nothing to write: the flush sees that it is done
}

// Whether no output has moved for too long.
static bool stalled(connection *c, uint64_t now_ms)
{
    if (c->relay != NULL) {
        return false; // its far one looks
    }
    // A large write that is under way moves without its callback being called.
    size_t left = c->out.size - c->busy + uv_stream_get_write_queue_size((uv_stream_t *)&c->socket);
    if (left == 0 || left != c->moved_left) {
        c->moved_ms = now_ms;
        c->moved_left = left;
        return false;
    }
    return now_ms - c->moved_ms >= c->network->limits->stall_ms;
}

void connection_sweep(connection *c, uint64_t now_ms)
{
    if (c->state == CONNECTION_CLOSED) {
        return;
    }
    if (c->greeting != NULL) {
        proxied_sweep(c, now_ms);
        return;
    }
    bool stuck = stalled(c, now_ms);
    bool waits = c->state == CONNECTION_OPEN ||
                 (c->state == CONNECTION_FLUSHING && c->linger && !c->network->closing);
    if (waits && stuck) {
        if (c->state == CONNECTION_OPEN) { // one that closes was counted when it began to
            audit_refusal(AUDIT_SESSION_UNKNOWN, "", c->name, STATUS_LIMIT_EXCEEDED,
                          "stall_ms: it takes no output, closed");
            metrics_add(METRIC_connections_overrun, 1);
        }
        connection_end_now(c);
    } else if (!waits && now_ms >= c->deadline_ms) {
        connection_end_now(c);
    } else if (c->state == CONNECTION_OPEN) {
        c->network->handler.swept(c->peer, now_ms);
    }
}

// ---- beginning

// An address, or 64-bit prefix of IPv6, as one number; FNV-1a. Its top bits are clear: handlers
// have theirs there.
static uint64_t number_of(const void *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
    }
    return hash >> 2;
}

void connection_name(connection *c, const struct sockaddr *address)
{
    char host[INET6_ADDRSTRLEN] = "?";
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
        c->address = number_of(&six->sin6_addr, 8);
        uv_ip6_name(six, host, sizeof host);
        snprintf(c->name, sizeof c->name, "[%s]:%d", host, ntohs(six->sin6_port));
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)address;
        c->address = number_of(&four->sin_addr, sizeof four->sin_addr);
        uv_ip4_name(four, host, sizeof host);
        snprintf(c->name, sizeof c->name, "%s:%d", host, ntohs(four->sin_port));
    }
    c->subject = c->address;
}

static void name_peer(connection *c)
{
    struct sockaddr_storage address;
    int size = sizeof address;
    if (uv_tcp_getpeername(&c->socket, (struct sockaddr *)&address, &size) == 0) {
        connection_name(c, (const struct sockaddr *)&address);
    } else {
        snprintf(c->name, sizeof c->name, "?:0");
    }
}

static void tune_socket(connection *c)
{
    int send_bytes = SEND_BUFFER_BYTES;
    // The connection works without each of these; a failure is no reason to close it.
    (void)uv_tcp_nodelay(&c->socket, 1);
    (void)uv_tcp_keepalive(&c->socket, 1, KEEPALIVE_S);
    (void)uv_send_buffer_size((uv_handle_t *)&c->socket, &send_bytes);
}

static connection *create(network *n)
{
    connection *c = calloc(1, sizeof *c);
    ASSERT_MEMORY(c != NULL);
    c->network = n;
    c->read_wanted = true;
    c->moved_ms = uv_now(n->loop);
    outbox_init(&c->out);
    int result = uv_tcp_init(n->loop, &c->socket);
    ASSERT(result == 0); // allocates nothing
    link_connection(n, c);
    if (!uv_is_active((uv_handle_t *)&n->sweep)) {
        network_start_sweep(n);
    }
    return c;
}

static void on_handed_over(uv_handle_t *handle)
{
    connection *c = (connection *)handle;
    c->handing = false;
    if (c->gone) {
        connection_gone(c);
    }
}

// A relay takes a copy of the descriptor, and libuv's handle of it is closed.
static void hand_socket_over(connection *c)
{
    int descriptor = -1;
    int result = uv_fileno((uv_handle_t *)&c->socket, &descriptor);
    ASSERT(result == 0);
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0) {
        c->handing = true;
        uv_close((uv_handle_t *)&c->socket, on_handed_over);
        c->relay = relay_open(c->network->io, c, copy);
    }
}

void connection_adopt(network *n, relay *r)
{
    connection *c = create(n);
    c->peer = r;
    r->far = c;
    c->tls = r->tls;
    c->plain_answer = r->plain_answer;
    c->plain_answer_size = r->plain_answer_size;
    if (uv_tcp_open(&c->socket, r->descriptor) != 0) {
        (void)close(r->descriptor);
        connection_end_now(c);
        return;
    }
    memcpy(c->name, r->name, sizeof c->name);
    c->address = c->subject = r->address;
    connection_update_reading(c);
}

void connection_accept(listener *l)
{
    network *n = l->network;
    connection *c = create(n);
    n->rejected++; // until it has a peer
    if (uv_accept((uv_stream_t *)&l->socket, (uv_stream_t *)&c->socket) != 0) {
        connection_end_now(c);
        return;
    }
    tune_socket(c);
    name_peer(c);
    if (proxied_begin(c)) {
        n->rejected--;
    } else {
        connection_begin(c);
    }
}

void connection_begin(connection *c)
{
    network *n = c->network;
    c->plain_answer = n->plain_answer;
    c->plain_answer_size = n->plain_answer_size;
    if (n->io != NULL) {
        hand_socket_over(c);
        if (c->relay == NULL) {
            connection_end_now(c);
            return;
        }
    } else {
        c->tls = n->tls != NULL ? tls_stream_create(n->tls) : NULL;
    }
    c->peer = n->handler.opened(n->handler.context, c);
    ASSERT(c->peer != NULL || c->state != CONNECTION_OPEN);
    if (c->peer != NULL) {
        n->rejected--;
    } else if (n->rejected > REJECTED_MAX) {
        connection_end_now(c);
    }
    connection_update_reading(c);
}
