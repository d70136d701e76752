// A connection's life, from accept to its end (network.h says how it ends); connection_reading.c
// and connection_writing.c move its bytes. The loop's thread only.
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
    // rejected connections that receive a reason; further ones are closed at once
    REJECTED_MAX = 64
};

static void link_connection(network *n, connection *c)
{
    ASSERT(c->previous == NULL && c->next == NULL);
    c->next = n->first;
    if (n->first != NULL) {
        n->first->previous = c;
    }
    n->first = c;
}

static void unlink_connection(network *n, connection *c)
{
    ASSERT(c->previous != NULL ? c->previous->next == c : n->first == c);
    ASSERT(c->next == NULL || c->next->previous == c);
    if (c->previous != NULL) {
        c->previous->next = c->next;
    } else {
        n->first = c->next;
    }
    if (c->next != NULL) {
        c->next->previous = c->previous;
    }
    n->swept = n->swept == c ? c->next : n->swept;
    connection_unmark_dirty(c);
}

// ---- states

#define TO(state) (1u << (state))

static const uint32_t CHANGES[] = {
    [CONNECTION_NEW] = TO(CONNECTION_OPEN) | TO(CONNECTION_CLOSED),
    [CONNECTION_OPEN] = TO(CONNECTION_FLUSHING) | TO(CONNECTION_CLOSED),
    [CONNECTION_FLUSHING] = TO(CONNECTION_ENDED) | TO(CONNECTION_CLOSED),
    [CONNECTION_ENDED] = TO(CONNECTION_CLOSED),
    [CONNECTION_CLOSED] = 0,
};
_Static_assert(sizeof CHANGES / sizeof *CHANGES == CONNECTION_CLOSED + 1, "a row a state");

void connection_change(connection *c, connection_state to)
{
    ASSERT((CHANGES[c->state] & TO(to)) != 0);
    c->state = to;
    if (to == CONNECTION_CLOSED && input_wanted(c)) {
        input_change(c, INPUT_STOPPED);
    }
}

void connection_gone(connection *c)
{
    network *n = c->network;
    if (c->state != CONNECTION_CLOSED) {
        connection_change(c, CONNECTION_CLOSED); // the relay has lost the connection
    }
    if (c->handover == HANDOVER_BEGUN) {
        c->handover = HANDOVER_LOST;
        return;
    }
    unlink_connection(n, c);
    if (c->peer != NULL) {
        n->handler.closed(c->peer);
    } else if (c->greeting == NULL) {
        ASSERT(n->rejected > 0);
        n->rejected--;
    }
    proxied_gone(c);
    outbox_deinit(&c->output.queue);
    tls_stream_free(c->tls.stream);
    free(c->tls.flying);
    free(c);
    network_check_finished(n);
}

void connection_end_now(connection *c)
{
    if (c->state != CONNECTION_CLOSED) {
        connection_change(c, CONNECTION_CLOSED);
        c->kind->close(c);
    }
}

// ---- properties of a connection

bool connection_is_open(const connection *c)
{
    return c->state == CONNECTION_OPEN;
}

connection_traffic connection_traffic_now(const connection *c)
{
    return (connection_traffic){
        .received_bytes = c->input.received_bytes,
        .sent_bytes = c->output.sent_bytes,
        .queued_bytes = c->output.queue.size,
        .queued_ms = c->output.queue.size > 0 ? uv_now(c->network->loop) - c->output.queued_ms : 0};
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
        ASSERT(head <= sizeof frame);
        outbox_copy(&c->output.queue, frame, head, true);
    }
    if (size > 0) {
        outbox_copy(&c->output.queue, farewell, size, false);
    }
    if (c->framing != NULL) {
        size_t end = c->framing->end(c->framing_context, why, text, frame);
        ASSERT(end <= sizeof frame);
        outbox_copy(&c->output.queue, frame, end, false);
    }
}

void connection_close(connection *c, connection_ending ending, status why, const char *text,
                      const void *farewell, size_t size)
{
    if (c->state != CONNECTION_OPEN) {
        return;
    }
    connection_change(c, CONNECTION_FLUSHING);
    c->ending.output_lingers = ending == ENDING_LINGER || ending == ENDING_CUT;
    c->ending.deadline_ms = network_awake_ms(c->network) + c->network->limits->close_ms;
    if (ending == ENDING_CUT) {
        outbox_cut(&c->output.queue, c->output.busy);
    }
    queue_farewell(c, why, text, farewell, size);
    if (ending == ENDING_NOW) {
        connection_flush(c);
        connection_end_now(c);
        return;
    }
    connection_mark_dirty(c); // even if nothing is queued: connection_flush() then sees that the
                              // close is complete
}

// Whether no output has moved for too long.
static bool stalled(connection *c, uint64_t now_ms)
{
    const size_t left = c->kind->unsent(c);
    if (left == 0 || left != c->output.moved_left) {
        c->output.moved_ms = now_ms;
        c->output.moved_left = left;
        return false;
    }
    return now_ms - c->output.moved_ms >= c->network->limits->stall_ms;
}

void connection_sweep(connection *c, uint64_t now_ms)
{
    if (c->state == CONNECTION_CLOSED) {
        return;
    }
    if (c->state == CONNECTION_NEW) {
        proxied_sweep(c, now_ms);
        return;
    }
    bool stuck = stalled(c, now_ms);
    bool waits = c->state == CONNECTION_OPEN || (c->state == CONNECTION_FLUSHING &&
                                                 c->ending.output_lingers && !c->network->closing);
    if (waits && stuck) {
        if (c->state == CONNECTION_OPEN) { // a closing connection was counted when it began to
                                           // close
            metrics_add(METRIC_connections_overrun, 1);
            c->network->handler.stalled(c->peer);
        }
        connection_end_now(c);
    } else if (!waits && network_awake_ms(c->network) >= c->ending.deadline_ms) {
        connection_flush(c); // the loop may have been blocked since the last bytes were queued
        connection_end_now(c);
    } else if (c->state == CONNECTION_OPEN) {
        c->network->handler.swept(c->peer, now_ms);
    }
}

// ---- beginning

// An address, or 64-bit prefix of IPv6, as one number; FNV-1a. Its top bits are clear: handlers use
// them for marks of their own.
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
    c->kind = &SOCKET_PLAIN;
    c->input.read_wanted = true;
    c->output.moved_ms = uv_now(n->loop);
    outbox_init(&c->output.queue);
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
    const bool lost = c->handover == HANDOVER_LOST;
    ASSERT(lost || c->handover == HANDOVER_BEGUN);
    c->handover = HANDOVER_FINISHED;
    if (lost) {
        connection_gone(c);
    }
}

// Gives a relay a copy of the descriptor and closes libuv's handle. False: no descriptors are left.
static bool hand_socket_over(connection *c)
{
    int descriptor = -1;
    ASSERT(c->relay == NULL && c->handover == HANDOVER_NONE);
    int result = uv_fileno((uv_handle_t *)&c->socket, &descriptor);
    ASSERT(result == 0);
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return false;
    }
    c->handover = HANDOVER_BEGUN;
    uv_close((uv_handle_t *)&c->socket, on_handed_over);
    c->relay = relay_open(c->network->io, c, copy);
    c->kind = &SOCKET_RELAYED;
    return true;
}

static void secure(connection *c, tls_stream *stream)
{
    c->tls.stream = stream;
    c->kind = stream != NULL ? &SOCKET_SECURED : &SOCKET_PLAIN;
}

void connection_adopt(network *n, relay *r)
{
    ASSERT(n->bare && r->far == NULL);
    connection *c = create(n);
    c->peer = r;
    r->far = c;
    secure(c, r->tls);
    c->tls.plain_answer = r->plain_answer;
    c->tls.plain_answer_size = r->plain_answer_size;
    connection_change(c, CONNECTION_OPEN);
    if (uv_tcp_open(&c->socket, r->descriptor) != 0) {
        (void)close(r->descriptor);
        connection_end_now(c);
        return;
    }
    memcpy(c->name, r->name, sizeof c->name);
    c->address = c->subject = r->address;
    connection_update_reading(c);
}

void connection_accept(network *n, int descriptor)
{
    connection *c = create(n);
    n->rejected++; // counted as rejected until it has a peer
    if (uv_tcp_open(&c->socket, descriptor) != 0) {
        (void)close(descriptor);
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
    ASSERT(c->state == CONNECTION_NEW && c->peer == NULL && n->rejected > 0);
    c->tls.plain_answer = n->plain_answer;
    c->tls.plain_answer_size = n->plain_answer_size;
    if (n->io == NULL) {
        secure(c, n->tls != NULL ? tls_stream_create(n->tls) : NULL);
    } else if (!hand_socket_over(c)) {
        connection_end_now(c);
        return;
    }
    connection_change(c, CONNECTION_OPEN);
    c->peer = n->handler.opened(n->handler.context, c);
    ASSERT(c->peer != NULL || c->state != CONNECTION_OPEN);
    if (c->peer != NULL) {
        n->rejected--;
    } else if (n->rejected > REJECTED_MAX) {
        connection_end_now(c);
    }
    connection_update_reading(c);
}
