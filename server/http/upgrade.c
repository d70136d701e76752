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

// ---- frames for output

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
    return websocket_put_close(
        c->ws.code != 0 && why != STATUS_UNAVAILABLE ? c->ws.code : code_of(why), reason, out);
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
    } else if (!origin_allowed(r->origin, r->host, h->origins, h->origin_count) &&
               !http_is_peer(h, r->origin)) {
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
    ASSERT(!http_client_is_upgraded(c) && c->ws.session == NULL && h->unsettled > 0);
    http_unlist(c);
    http_client_change(c, HTTP_WEBSOCKET);
    websocket_init(&c->ws.frames, h->limits->message_bytes);
    (void)connection_send_raw(c->connection, answer, (size_t)size, NULL, 0);
    connection_frame(c->connection, &FRAMING, c);
    metrics_add(METRIC_websockets_opened, 1);
    c->ws.pinged_ms = uv_now(h->loop);
    c->ws.session = h->handler.sessions.opened(h->handler.sessions.context, c->connection);
    h->unsettled -= c->ws.session != NULL ? 1 : 0;
    h->websockets += c->ws.session != NULL ? 1 : 0;
}

// ---- input

// Refuses the message: the session reports why and closes.
static void refuse(http_client *c, websocket_code code, const char *text)
{
    ASSERT(c->ws.session != NULL && code != 0);
    metrics_add(METRIC_websockets_refused, 1);
    c->ws.code = code;
    http_client_change(c, HTTP_BROKEN);
    status why = code == WEBSOCKET_POLICY || code == WEBSOCKET_TOO_BIG ? STATUS_LIMIT_EXCEEDED
                                                                       : STATUS_INVALID_ARGUMENT;
    c->listener->handler.refused(c->ws.session, why, text);
}

static void count_control(http_client *c)
{
    if (++c->ws.controls > HTTP_CONTROLS_A_SECOND_MAX) {
        refuse(c, WEBSOCKET_POLICY, "too many pings and pongs in a second");
    }
}

static void answer_ping(http_client *c)
{
    uint8_t pong[WEBSOCKET_END_MAX];
    size_t size = websocket_put_pong(c->ws.frames.control, c->ws.frames.control_size, pong);
    count_control(c);
    if (connection_is_open(c->connection) &&
        !connection_send_raw(c->connection, pong, size, NULL, 0)) {
        refuse(c, WEBSOCKET_POLICY, "output_bytes: too much output waits for this client");
    }
}

// Ignores a pong that answers no ping of the server, or an earlier one: these are allowed.
static void take_pong(http_client *c)
{
    count_control(c);
    if (c->ws.frames.control_size == sizeof c->ws.ping &&
        memcmp(c->ws.frames.control, &c->ws.ping, sizeof c->ws.ping) == 0) {
        c->ws.ping_unanswered = false;
    }
}

static void send_ping(http_client *c, uint64_t now_ms)
{
    uint8_t ping[WEBSOCKET_END_MAX];
    c->ws.ping++;
    c->ws.ping_unanswered = true;
    c->ws.pinged_ms = now_ms;
    size_t size = websocket_put_ping((const uint8_t *)&c->ws.ping, sizeof c->ws.ping, ping);
    (void)connection_send_raw(c->connection, ping, size, NULL, 0); // always fits: nothing waits
}

// Pings keep the way through proxies open, which cut connections that are silent, and find a peer
// that is gone without a word. They go out while nothing else waits to be sent: behind a backlog
// the peer could not answer in time, and stall_ms looks after that. False: the peer is closed.
static bool check_ping(http_client *c, uint64_t now_ms)
{
    const limits *l = c->listener->limits;
    bool busy = connection_traffic_now(c->connection).queued_bytes > 0;
    bool unread = !connection_is_read(c->connection); // its answer may have arrived
    if (l->websocket_ping_ms == 0 || c->input_ended || !connection_is_open(c->connection)) {
        return true;
    }
    if (c->ws.ping_unanswered && (busy || unread)) {
        c->ws.pinged_ms = now_ms;
    } else if (c->ws.ping_unanswered && now_ms - c->ws.pinged_ms >= l->websocket_pong_ms) {
        refuse(c, WEBSOCKET_POLICY, "websocket_pong_ms: a ping was not answered in time");
        return false;
    } else if (!c->ws.ping_unanswered && !busy &&
               now_ms - c->ws.pinged_ms >= l->websocket_ping_ms) {
        send_ping(c, now_ms);
    }
    return true;
}

// The peer wants to end: its calls are answered first, as after the end of a TCP stream. A close
// frame without a code is answered by one.
static void end(http_client *c)
{
    ASSERT(c->ws.session != NULL && !c->input_ended);
    c->ws.code = c->ws.frames.code;
    c->input_ended = true;
    c->listener->handler.sessions.ended(c->ws.session);
}

static void handle(http_client *c, websocket_event event, const uint8_t *piece, size_t size)
{
    http_handler *to = &c->listener->handler;
    switch (event) {
    case WEBSOCKET_DATA:
        to->sessions.received(c->ws.session, piece, size);
        break;
    case WEBSOCKET_MESSAGE:
        to->fenced(c->ws.session);
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
        refuse(c, c->ws.frames.code, c->ws.frames.text);
        break;
    case WEBSOCKET_MORE:
        break;
    }
}

void upgrade_received(http_client *c, const uint8_t *data, size_t size)
{
    uint8_t piece[PIECE_BYTES];
    websocket_event event = WEBSOCKET_DATA;
    uint32_t controls = c->ws.controls;
    if (c->ws.session == NULL || c->state == HTTP_BROKEN) {
        return; // it was refused, or is being closed
    }
    while (event != WEBSOCKET_MORE && !c->input_ended && c->state != HTTP_BROKEN &&
           connection_is_open(c->connection)) {
        size_t got = 0;
        event = websocket_next(&c->ws.frames, &data, &size, piece, sizeof piece, &got);
        handle(c, event, piece, got);
    }
    if (c->ws.controls != controls && !c->input_ended && c->state != HTTP_BROKEN &&
        connection_is_open(c->connection)) {
        c->listener->handler.sessions.received(c->ws.session, NULL, 0); // bytes to be paid for
    }
    if (!websocket_partial(&c->ws.frames)) {
        c->ws.begun_ms = 0;
    } else if (c->ws.begun_ms == 0) {
        c->ws.begun_ms = uv_now(c->listener->loop);
    }
}

void upgrade_swept(http_client *c, uint64_t now_ms)
{
    if (c->ws.session == NULL) {
        return;
    }
    if (c->state == HTTP_BROKEN) {
        c->listener->handler.sessions.swept(c->ws.session, now_ms);
        return;
    }
    if (now_ms - c->ws.second_ms >= SECOND_MS) {
        c->ws.second_ms = now_ms;
        c->ws.controls = 0;
    }
    if (c->ws.begun_ms != 0 && !connection_is_read(c->connection)) {
        c->ws.begun_ms = now_ms; // it now waits for the server
    }
    if (c->ws.begun_ms != 0 && !c->input_ended &&
        now_ms - c->ws.begun_ms >= c->listener->limits->message_ms) {
        c->ws.begun_ms = 0;
        refuse(c, WEBSOCKET_POLICY, "a WebSocket message was not whole within message_ms");
        return;
    }
    if (check_ping(c, now_ms)) {
        c->listener->handler.sessions.swept(c->ws.session, now_ms);
    }
}
