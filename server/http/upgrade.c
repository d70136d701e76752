// Connections that become WebSockets: the handshake, frames to the session's bytes, and how they
// end. See internal.h. Network thread only.
//
// The way of the bytes: net -> websocket_next -> a piece on the stack -> the session's input.
// Nothing is kept here but a frame's head. On the way out net asks for a frame's head before each
// message.
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/http/internal.h"
#include "server/http/origin.h"
#include "server/base/metrics.h"

enum { PIECE_BYTES = 16 * 1024, ANSWER_MAX = 256, SECOND_MS = 1000 };

_Static_assert((int)FRAME_END_MAX >= (int)WEBSOCKET_END_MAX, "net has room for a close frame");
_Static_assert((int)WEBSOCKET_CONTROL_MAX + 2 <= (int)WEBSOCKET_END_MAX, "a pong repeats its ping");
_Static_assert((int)FRAME_HEAD_MAX >= (int)WEBSOCKET_HEAD_MAX, "and for the head of any other");

// ---- framing of what is sent

static size_t frame_head(void *context, size_t size, uint8_t *out)
{
    (void)context;
    return websocket_put_head(size, out);
}

static websocket_code code_of(status why)
{
    switch (why) {
    case STATUS_OK:
        return WEBSOCKET_NORMAL;
    case STATUS_UNAVAILABLE:
    case STATUS_MOVED:
        return WEBSOCKET_GOING_AWAY;
    case STATUS_INVALID_ARGUMENT:
        return WEBSOCKET_BAD_DATA;
    case STATUS_INTERNAL:
        return WEBSOCKET_INTERNAL;
    default:
        return WEBSOCKET_POLICY;
    }
}

static size_t frame_end(void *context, status why, const char *text, uint8_t *out)
{
    const http_client *c = context;
    char reason[2 * ERROR_TEXT_MAX] = "";
    if (why != STATUS_OK) {
        snprintf(reason, sizeof reason, "%s: %s", status_code(why), text);
    }
    return websocket_put_close(c->code != 0 && why != STATUS_UNAVAILABLE ? c->code : code_of(why),
                               reason, out);
}

static const connection_framing FRAMING = {.head = frame_head, .end = frame_end};

// ---- the handshake

static bool check_handshake(http_client *c, const http_request *r,
                            char accept[WEBSOCKET_ACCEPT_CHARS + 1])
{
    const http_listener *h = c->listener;
    if (!r->upgrade || r->head) {
        respond_refused(c, 426, "/rpc is the protocol over WebSocket",
                        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    } else if (!http_span_is(r->version, "13")) {
        respond_refused(c, 426, "the WebSocket version is 13",
                        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    } else if (r->key.text == NULL || !websocket_accept(r->key.text, r->key.size, accept)) {
        respond_refused(c, 400, "Sec-WebSocket-Key is 16 bytes in base64", "");
    } else if (!origin_allowed(r->origin, r->host, h->origins, h->origin_count)) {
        metrics_add(METRIC_refused_origin, 1);
        respond_refused(c, 403, "pages of this origin may not connect: caromd --origin allows one",
                        "");
    } else {
        return true;
    }
    return false;
}

void upgrade(http_client *c, const http_request *r)
{
    char accept[WEBSOCKET_ACCEPT_CHARS + 1];
    char answer[ANSWER_MAX];
    http_listener *h = c->listener;
    if (!check_handshake(c, r, accept)) {
        return;
    }
    const char *chosen =
        http_list_has(r->protocols, "carom.v1") ? "Sec-WebSocket-Protocol: carom.v1\r\n" : "";
    int size = snprintf(answer, sizeof answer,
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n%s\r\n",
                        accept, chosen);
    ASSERT(size > 0 && (size_t)size < sizeof answer);
    ASSERT(!c->upgraded && c->session == NULL && h->unsettled > 0);
    http_unlist(c);
    c->upgraded = true;
    websocket_init(&c->socket, h->limits->message_bytes);
    (void)connection_send_raw(c->connection, answer, (size_t)size, NULL, 0);
    connection_frame(c->connection, &FRAMING, c);
    metrics_add(METRIC_websockets_opened, 1);
    c->pinged_ms = uv_now(h->loop);
    c->session = h->handler.sessions.opened(h->handler.sessions.context, c->connection);
    h->unsettled -= c->session != NULL ? 1 : 0;
    h->websockets += c->session != NULL ? 1 : 0;
}

// ---- input

// Refuses the message: the session reports why and closes.
static void refuse(http_client *c, websocket_code code, const char *text)
{
    ASSERT(c->session != NULL && code != 0);
    metrics_add(METRIC_websockets_refused, 1);
    c->code = code;
    c->broken = true;
    status why = code == WEBSOCKET_POLICY || code == WEBSOCKET_TOO_BIG ? STATUS_LIMIT_EXCEEDED
                                                                       : STATUS_INVALID_ARGUMENT;
    c->listener->handler.refused(c->session, why, text);
}

static void count_control(http_client *c)
{
    if (++c->controls > HTTP_CONTROLS_A_SECOND_MAX) {
        refuse(c, WEBSOCKET_POLICY, "too many pings and pongs in a second");
    }
}

static void answer_ping(http_client *c)
{
    uint8_t pong[WEBSOCKET_END_MAX];
    size_t size = websocket_put_pong(c->socket.control, c->socket.control_size, pong);
    count_control(c);
    if (connection_is_open(c->connection) &&
        !connection_send_raw(c->connection, pong, size, NULL, 0)) {
        refuse(c, WEBSOCKET_POLICY, "output_bytes: too much output was not taken");
    }
}

// A pong that answers no ping of ours, or an earlier one, is allowed and ignored.
static void take_pong(http_client *c)
{
    count_control(c);
    if (c->socket.control_size == sizeof c->ping &&
        memcmp(c->socket.control, &c->ping, sizeof c->ping) == 0) {
        c->pinged = false;
    }
}

static void send_ping(http_client *c, uint64_t now_ms)
{
    uint8_t ping[WEBSOCKET_END_MAX];
    c->ping++;
    c->pinged = true;
    c->pinged_ms = now_ms;
    size_t size = websocket_put_ping((const uint8_t *)&c->ping, sizeof c->ping, ping);
    (void)connection_send_raw(c->connection, ping, size, NULL, 0); // always fits: nothing waits
}

// Pings keep the way through proxies open, which cut connections that are silent, and find a peer
// that is gone without a word. They go out while nothing else waits to be sent: behind a backlog
// the peer could not answer in time, and stall_ms looks after that. False: the peer is closed.
static bool check_ping(http_client *c, uint64_t now_ms)
{
    const limits *l = c->listener->limits;
    bool busy = connection_traffic_now(c->connection).queued_bytes > 0;
    bool unread = !connection_is_read(c->connection); // its answer may have come
    if (l->websocket_ping_ms == 0 || c->ended || !connection_is_open(c->connection)) {
        return true;
    }
    if (c->pinged && (busy || unread)) {
        c->pinged_ms = now_ms;
    } else if (c->pinged && now_ms - c->pinged_ms >= l->websocket_pong_ms) {
        refuse(c, WEBSOCKET_POLICY, "websocket_pong_ms: a ping was not answered in time");
        return false;
    } else if (!c->pinged && !busy && now_ms - c->pinged_ms >= l->websocket_ping_ms) {
        send_ping(c, now_ms);
    }
    return true;
}

// The peer wants to end: its calls are answered first, as after the end of a TCP stream. A close
// frame without a code is answered by one.
static void end(http_client *c)
{
    ASSERT(c->session != NULL && !c->ended);
    c->code = c->socket.code;
    c->ended = true;
    c->listener->handler.sessions.ended(c->session);
}

static void handle(http_client *c, websocket_event event, const uint8_t *piece, size_t size)
{
    http_handler *to = &c->listener->handler;
    switch (event) {
    case WEBSOCKET_DATA:
        to->sessions.received(c->session, piece, size);
        break;
    case WEBSOCKET_MESSAGE:
        to->fenced(c->session);
        break;
    case WEBSOCKET_PING:
        answer_ping(c);
        break;
    case WEBSOCKET_PONG:
        take_pong(c);
        break;
    case WEBSOCKET_CLOSE:
        end(c);
        break;
    case WEBSOCKET_BROKEN:
        refuse(c, c->socket.code, c->socket.text);
        break;
    case WEBSOCKET_MORE:
        break;
    }
}

void upgrade_received(http_client *c, const uint8_t *data, size_t size)
{
    uint8_t piece[PIECE_BYTES];
    websocket_event event = WEBSOCKET_DATA;
    uint32_t controls = c->controls;
    if (c->session == NULL || c->broken) {
        return; // it was refused, or is being closed
    }
    while (event != WEBSOCKET_MORE && !c->ended && !c->broken &&
           connection_is_open(c->connection)) {
        size_t got = 0;
        event = websocket_next(&c->socket, &data, &size, piece, sizeof piece, &got);
        handle(c, event, piece, got);
    }
    if (c->controls != controls && !c->ended && !c->broken && connection_is_open(c->connection)) {
        c->listener->handler.sessions.received(c->session, NULL, 0); // bytes to be paid for
    }
    if (!websocket_partial(&c->socket)) {
        c->begun_ms = 0;
    } else if (c->begun_ms == 0) {
        c->begun_ms = uv_now(c->listener->loop);
    }
}

void upgrade_swept(http_client *c, uint64_t now_ms)
{
    if (c->session == NULL) {
        return;
    }
    if (c->broken) {
        c->listener->handler.sessions.swept(c->session, now_ms);
        return;
    }
    if (now_ms - c->second_ms >= SECOND_MS) {
        c->second_ms = now_ms;
        c->controls = 0;
    }
    if (c->begun_ms != 0 && !connection_is_read(c->connection)) {
        c->begun_ms = now_ms; // it now waits for the server
    }
    if (c->begun_ms != 0 && !c->ended && now_ms - c->begun_ms >= c->listener->limits->message_ms) {
        c->begun_ms = 0;
        refuse(c, WEBSOCKET_POLICY, "a WebSocket message was not whole within message_ms");
        return;
    }
    if (check_ping(c, now_ms)) {
        c->listener->handler.sessions.swept(c->session, now_ms);
    }
}
