// Reading from connections' sockets: so much of each in a turn of the loop, and from those alone
// whose input is wanted. Network thread only.
#include "common/base/log.h"
#include "server/base/metrics.h"
#include "server/net/internal.h"

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buf);
static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf);

void connection_poll_input(connection *c)
{
    if (uv_read_start((uv_stream_t *)&c->socket, on_allocate, on_read) != 0) {
        connection_end_now(c);
    }
}

// ---- parking

// The socket is not asked for until a turn takes it up again.
static void park(connection *c)
{
    network *n = c->network;
    uv_read_stop((uv_stream_t *)&c->socket);
    c->parked = true;
    c->parked_before = n->last_parked;
    c->parked_next = NULL;
    *(n->last_parked != NULL ? &n->last_parked->parked_next : &n->first_parked) = c;
    n->last_parked = c;
    network_go_on(n);
}

void connection_unpark(connection *c)
{
    network *n = c->network;
    handshakes_remove(c);
    if (!c->parked) {
        return;
    }
    *(c->parked_before != NULL ? &c->parked_before->parked_next : &n->first_parked) =
        c->parked_next;
    *(c->parked_next != NULL ? &c->parked_next->parked_before : &n->last_parked) = c->parked_before;
    c->parked = false;
}

void connection_resume_some(network *n)
{
    n->turn_refused = 0;
    for (int i = 0; i < TURN_RESUMED && n->first_parked != NULL; i++) {
        connection *c = n->first_parked;
        connection_unpark(c);
        connection_poll_input(c);
    }
    if (n->first_parked != NULL) {
        network_go_on(n);
    }
}

// ---- input

// Each connection is read once a turn of the loop, and so much at most: libuv would go on 32 times
// with a socket that fills the buffer, and all others would wait for what one of them floods. No
// buffer is no error here (on_read): the socket is still ready in the next turn.
static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    connection *c = (connection *)handle;
    network *n = c->network;
    const bool later = handshakes_concern(c) || c->read_turn == n->turn ||
                       !loop_turn_grants(n->time, LOOP_READ, c->subject);
    c->read_turn = n->turn;
    *buf = uv_buf_init(later ? NULL : (char *)n->input, later ? 0 : READ_BYTES);
}

// The turn has no time for the connection's input.
static void refuse_read(connection *c)
{
    network *n = c->network;
    if (!c->reading) {
        return;
    }
    if (handshakes_concern(c)) {
        loop_turn_begin(n->time);
        handshakes_add(c);
        return;
    }
    const bool served = loop_turn_served(n->time, LOOP_READ, c->subject);
    if (n->turn_refused++ >= (served ? TURN_REFUSED : TURN_REFUSED_ALL)) {
        park(c);
    }
}

void connection_input_over(connection *c)
{
    c->input_over = true;
    c->reading = false;
    connection_unpark(c);
    if (c->relay == NULL) {
        uv_read_stop((uv_stream_t *)&c->socket);
    }
    if (c->state == CONNECTION_ENDED && c->relay == NULL) { // else its far one sees it
        connection_end_now(c);
    } else if (c->state == CONNECTION_OPEN) {
        c->network->handler.ended(c->peer);
    }
}

void connection_take_input(connection *c, ssize_t size, const uint8_t *data)
{
    if (size == UV_EOF) {
        connection_input_over(c);
    } else if (size < 0) {
        log_debug("connection %s: %s", c->name, uv_strerror((int)size));
        connection_end_now(c);
    } else if (size > 0 && c->tls != NULL) {
        secured_received(c, data, (size_t)size);
    } else if (size > 0 && c->state == CONNECTION_OPEN) {
        metrics_add(METRIC_bytes_received, (uint64_t)size);
        c->received_bytes += (uint64_t)size;
        c->network->handler.received(c->peer, data, (size_t)size);
    }
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    connection *c = (connection *)stream;
    if (size == UV_ENOBUFS) {
        refuse_read(c);
    } else {
        connection_take_input(c, size, (const uint8_t *)buf->base);
    }
}

// ---- whether it is read

void connection_update_reading(connection *c)
{
    bool closing = c->state == CONNECTION_FLUSHING || c->state == CONNECTION_ENDED;
    bool drained = c->out.size <= c->network->limits->output_bytes / 2;
    bool want =
        !c->input_over && c->state != CONNECTION_CLOSED && (closing || (c->read_wanted && drained));
    if (want == c->reading) {
        return;
    }
    c->reading = want;
    if (c->relay != NULL) {
        if (want && relay_has_input(c->relay)) {
            connection_mark_dirty(c); // not at once: whoever wants it is at work
        }
    } else if (want) {
        connection_poll_input(c);
    } else {
        connection_unpark(c);
        uv_read_stop((uv_stream_t *)&c->socket);
    }
}

void connection_read(connection *c, bool wanted)
{
    c->read_wanted = wanted;
    connection_update_reading(c);
}

bool connection_is_read(const connection *c)
{
    return c->read_wanted;
}
