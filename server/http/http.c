// The listener, its clients from connecting to their end, and how long they may take; see http.h.
// Network thread only.
//
// A client that has not become a session is listed, in the order in which clients began to wait for
// a request. When the list is full (limits.http_connections) the one that has waited longest is
// closed: clients that open connections and send nothing displace each other, and a client that
// sends its request at once is served. Connections that are being closed may be as many again.
#include "server/http/http.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/audit.h"
#include "server/base/metrics.h"
#include "server/http/internal.h"
#include "server/http/origin.h"

enum { INPUT_BEGIN = 1024 };

void http_client_change(http_client *c, http_client_state to)
{
    static const uint8_t ALLOWED[] = {
        [HTTP_READING] =
            1 << HTTP_READING | 1 << HTTP_ANSWERING | 1 << HTTP_CUT | 1 << HTTP_WEBSOCKET,
        [HTTP_ANSWERING] = 1 << HTTP_READING | 1 << HTTP_CUT,
        [HTTP_CUT] = 0,
        [HTTP_WEBSOCKET] = 1 << HTTP_BROKEN,
        [HTTP_BROKEN] = 1 << HTTP_BROKEN,
    };
    ASSERT((ALLOWED[c->state] >> to & 1) != 0);
    c->state = to;
}

// ---- the list

static void list_last(http_client *c)
{
    http_listener *h = c->listener;
    ASSERT(!c->in_list && (h->first == NULL) == (h->listed == 0));
    c->previous = h->last;
    c->next = NULL;
    *(h->last != NULL ? &h->last->next : &h->first) = c;
    h->last = c;
    h->listed++;
    c->in_list = true;
    c->since_ms = uv_now(h->loop);
}

void http_unlist(http_client *c)
{
    http_listener *h = c->listener;
    if (!c->in_list) {
        return;
    }
    ASSERT(h->listed > 0 && (c->previous != NULL ? c->previous->next : h->first) == c);
    *(c->previous != NULL ? &c->previous->next : &h->first) = c->next;
    *(c->next != NULL ? &c->next->previous : &h->last) = c->previous;
    h->listed--;
    c->in_list = false;
}

void http_end(http_client *c)
{
    http_unlist(c);
    connection_close(c->connection, ENDING_FLUSH, STATUS_OK, "", NULL, 0);
}

void http_cut(http_client *c)
{
    http_unlist(c);
    ASSERT(c->ws.session == NULL && c->listener->unsettled > 0);
    http_client_change(c, HTTP_CUT);
    c->listener->unsettled--;
    connection_close(c->connection, ENDING_NOW, STATUS_OK, "", NULL, 0);
}

// ---- input

static void reserve(http_client *c, size_t size)
{
    if (size <= c->capacity) {
        return;
    }
    ASSERT(c->size <= c->capacity);
    size_t capacity = c->capacity < INPUT_BEGIN ? INPUT_BEGIN : c->capacity;
    while (capacity < size) {
        capacity *= 2;
    }
    c->input = realloc(c->input, capacity);
    ASSERT_MEMORY(c->input != NULL);
    c->capacity = capacity;
}

static void release_input(http_client *c)
{
    free(c->input);
    c->input = NULL;
    c->size = c->capacity = c->scanned = 0;
}

static void drop_input(http_client *c, size_t size)
{
    ASSERT(size <= c->size);
    c->size -= size;
    c->scanned = 0;
    if (c->size == 0) {
        release_input(c);
    } else {
        memmove(c->input, c->input + size, c->size);
    }
}

// Begins the WebSocket with the bytes after the request.
static void enter_socket(http_client *c, const http_request *r, size_t head)
{
    ASSERT(head <= c->size && !http_client_is_upgraded(c));
    upgrade(c, r); // its spans point into the input
    char *input = c->input;
    size_t size = c->size;
    c->input = NULL;
    c->size = c->capacity = 0;
    if (http_client_is_upgraded(c) && size > head) {
        upgrade_received(c, (const uint8_t *)input + head, size - head);
    }
    free(input);
}

// Whether the request may be answered, judging by its Host. /healthz, whether the process lives, is
// answered for any name.
static bool is_for_us(const http_listener *h, const http_request *r)
{
    return http_span_is(r->path, "/healthz") ||
           origin_serves(r->host, h->host, h->origins, h->origin_count);
}

// Takes one request if it is complete. False: there is nothing to process for now.
static bool take_request(http_client *c)
{
    uint64_t most = c->listener->limits->http_header_bytes;
    size_t before = c->scanned;
    size_t size = http_head_size(c->input, c->size, &c->scanned);
    if (size > most || (size == 0 && c->size > most)) {
        respond_refused(c, 431, "http_header_bytes: the header is too long", "");
        return false;
    }
    if (size == 0) {
        if (!http_may_be_head(c->input, c->size, before)) {
            respond_refused(c, 400, "this is not HTTP: the other port speaks the protocol itself",
                            "");
        }
        return false;
    }
    http_request r;
    http_refusal refusal;
    metrics_add(METRIC_http_requests, 1);
    c->requests++;
    if (!http_request_parse(c->input, size, &r, &refusal)) {
        respond_refused(c, refusal.code, refusal.text,
                        refusal.code == 405 ? "Allow: " HTTP_METHODS "\r\n" : "");
        return false;
    }
    if (http_span_is(r.path, "/rpc") && !r.options) {
        enter_socket(c, &r, size);
        return false;
    }
    if (!is_for_us(c->listener, &r)) {
        metrics_add(METRIC_refused_host, 1);
        respond_refused(
            c, 421,
            "the name in Host is not one of this server: caromd --origin adds one, as https://NAME",
            "");
        return false;
    }
    r.close = r.close || c->input_ended;
    respond(c, &r);
    drop_input(c, size);
    if (c->in_list) {
        http_unlist(c);
        list_last(c);
    }
    return true;
}

static void take_requests(http_client *c)
{
    while (connection_is_open(c->connection) && c->state == HTTP_READING && c->size > 0 &&
           take_request(c)) {
    }
    if (connection_is_open(c->connection) && !http_client_is_upgraded(c)) {
        connection_read(c->connection, c->state != HTTP_ANSWERING);
    }
}

// Queues the client to continue: a block of its answer has left, or all of it and more requests
// wait.
static void resume(http_client *c)
{
    http_listener *h = c->listener;
    if (!c->resume_queued) {
        c->resume_queued = true;
        c->next_resumed = h->first_resumed;
        h->first_resumed = c;
        network_go_on(h->network);
    }
}

static void resume_all(http_listener *h)
{
    while (h->first_resumed != NULL) {
        http_client *c = h->first_resumed;
        ASSERT(c->resume_queued);
        h->first_resumed = c->next_resumed;
        c->resume_queued = false;
        if (c->body == NULL) {
            take_requests(c);
        } else if (connection_is_open(c->connection)) {
            respond_more(c);
        }
    }
}

static void forget_resumed(http_client *c)
{
    http_client **link = &c->listener->first_resumed;
    while (c->resume_queued && *link != c) {
        ASSERT(*link != NULL);
        link = &(*link)->next_resumed;
    }
    *link = c->resume_queued ? c->next_resumed : *link;
    c->resume_queued = false;
}

// ---- the network's calls

static void on_received(void *peer, const uint8_t *data, size_t size)
{
    http_client *c = peer;
    if (http_client_is_upgraded(c)) {
        upgrade_received(c, data, size);
        return;
    }
    // Keeps at most a header and one read: while an answer is being sent, nothing is read.
    reserve(c, c->size + size);
    ASSERT(c->size + size <= c->capacity);
    memcpy(c->input + c->size, data, size);
    c->size += size;
    take_requests(c);
}

static void on_ended(void *peer)
{
    http_client *c = peer;
    if (http_client_is_upgraded(c) && c->ws.session != NULL && !c->input_ended) {
        c->input_ended = true;
        c->listener->handler.sessions.ended(c->ws.session);
    } else if (c->state == HTTP_READING) {
        http_end(c);
    }
    c->input_ended = true;
}

static void on_written(void *peer, uint64_t token)
{
    http_client *c = peer;
    if (!http_client_is_upgraded(c)) {
        if (c->state == HTTP_ANSWERING && c->body == NULL) {
            http_client_change(c, HTTP_READING);
        }
        resume(c); // later: nothing may be sent from here
    } else if (c->ws.session != NULL) {
        c->listener->handler.sessions.written(c->ws.session, token);
    }
}

static void on_worked(void *context)
{
    http_listener *h = context;
    resume_all(h);
    if (h->handler.sessions.worked != NULL) {
        h->handler.sessions.worked(h->handler.sessions.context);
    }
}

static void on_flushed(void *context)
{
    http_listener *h = context;
    h->handler.sessions.flushed(h->handler.context);
}

static void on_stalled(void *peer)
{
    http_client *c = peer;
    if (c->ws.session != NULL) {
        c->listener->handler.sessions.stalled(c->ws.session);
    } else {
        audit_refusal(AUDIT_NO_SESSION, "", connection_peer_name(c->connection),
                      STATUS_LIMIT_EXCEEDED, CONNECTION_STALLED);
    }
}

static void on_swept(void *peer, uint64_t now_ms)
{
    http_client *c = peer;
    if (http_client_is_upgraded(c)) {
        upgrade_swept(c, now_ms);
        return;
    }
    if (c->state == HTTP_ANSWERING) {
        c->since_ms = now_ms; // the network closes connections whose output stops
        return;
    }
    take_requests(c);
    if (!connection_is_open(c->connection) || c->state != HTTP_READING) {
        return;
    }
    if (c->input_ended) {
        http_end(c);
    } else if (now_ms - c->since_ms >= c->listener->limits->http_ms) {
        metrics_add(METRIC_http_expired, c->size > 0 || c->requests == 0 ? 1 : 0);
        if (c->size > 0) {
            respond_refused(c, 408, "http_ms: the request was not whole in time", "");
        } else {
            http_end(c);
        }
    }
}

static void on_closed(void *peer)
{
    http_client *c = peer;
    http_unlist(c);
    forget_resumed(c);
    if (c->ws.session != NULL) {
        c->listener->handler.sessions.closed(c->ws.session);
        ASSERT(c->listener->websockets > 0);
        c->listener->websockets--;
    } else if (c->state != HTTP_CUT) {
        ASSERT(c->listener->unsettled > 0);
        c->listener->unsettled--;
    }
    release_input(c);
    file_body_unref(c->body);
    free(c);
}

static void *on_opened(void *context, connection *opened)
{
    http_listener *h = context;
    ASSERT(h->listed <= h->unsettled);
    if (h->unsettled >= 2 * h->limits->http_connections) {
        metrics_add(METRIC_http_crowded, 1);
        connection_close(opened, ENDING_CUT, STATUS_LIMIT_EXCEEDED, "", NULL, 0);
        return NULL;
    }
    if (h->listed >= h->limits->http_connections) {
        metrics_add(METRIC_http_crowded, 1);
        respond_crowded(h->first);
    }
    http_client *c = calloc(1, sizeof *c);
    ASSERT_MEMORY(c != NULL);
    c->listener = h;
    c->connection = opened;
    h->unsettled++;
    list_last(c);
    return c;
}

static void on_finished(void *context)
{
    http_listener *h = context;
    h->handler.sessions.finished(h->handler.context);
}

// ---- the listener

// Sent in plain text to a browser that used http:// instead of https://.
static const char SPEAKS_TLS[] = "HTTP/1.1 400 Bad Request\r\n"
                                 "Content-Type: text/plain; charset=utf-8\r\n"
                                 "Content-Length: 54\r\n"
                                 "Connection: close\r\n\r\n"
                                 "this port speaks TLS: use https:// instead of http://\n";

const char *http_policy(http_listener *h)
{
    if (h->handler.peer != NULL) {
        policy_peers peers = {.secure = h->secure};
        const char *address = NULL;
        for (uint32_t i = 0; peers.count < POLICY_PEERS_MAX &&
                             (address = h->handler.peer(h->handler.context, i)) != NULL;
             i++) {
            if (*address != '\0') {
                peers.addresses[peers.count++] = address;
            }
        }
        (void)policy_write(h->policy, h->viewer_servers, h->viewer_server_count, &peers);
    }
    return h->policy;
}

bool http_is_peer(const http_listener *h, http_span origin)
{
    const char *scheme = h->secure ? "https://" : "http://";
    const size_t length = strlen(scheme);
    const char *address = NULL;
    if (h->handler.peer == NULL || origin.size <= length ||
        memcmp(origin.text, scheme, length) != 0) {
        return false;
    }
    const http_span rest = {origin.text + length, origin.size - length};
    for (uint32_t i = 0; (address = h->handler.peer(h->handler.context, i)) != NULL; i++) {
        if (*address != '\0' && http_span_is(rest, address)) {
            return true;
        }
    }
    return false;
}

status http_open(uv_loop_t *loop, const http_options *options, const http_handler *handler,
                 http_listener **out, error *err)
{
    http_listener *h = calloc(1, sizeof *h);
    ASSERT_MEMORY(h != NULL);
    h->loop = loop;
    h->handler = *handler;
    h->limits = options->limits;
    h->origins = options->origins;
    h->origin_count = options->origin_count;
    h->host = options->host;
    h->viewer_servers = options->viewer_servers;
    h->viewer_server_count = options->viewer_server_count;
    h->secure = options->tls != NULL;
    (void)policy_write(h->policy, h->viewer_servers, h->viewer_server_count, NULL);
    network_handler own = {
        .context = h,
        .opened = on_opened,
        .received = on_received,
        .ended = on_ended,
        .worked = on_worked,
        .written = on_written,
        .flushed = on_flushed,
        .swept = on_swept,
        .stalled = on_stalled,
        .closed = on_closed,
        .finished = on_finished,
    };
    status s = network_open(loop, options->host, options->port, options->given, options->limits,
                            &own, &h->network, err);
    if (s != STATUS_OK) {
        free(h);
        return s;
    }
    h->www = options->www != NULL ? www_open(loop, options->www) : NULL;
    h->docs = options->docs != NULL ? www_open(loop, options->docs) : NULL;
    if (options->turn != NULL) {
        network_share_turn(h->network, options->turn);
    }
    network_trust(h->network, options->proxies);
    if (options->tls != NULL) {
        network_secure(h->network, options->tls, SPEAKS_TLS, sizeof SPEAKS_TLS - 1);
    }
    if (options->io != NULL) {
        network_relay(h->network, options->io);
    }
    files_load(&h->files);
    *out = h;
    return STATUS_OK;
}

const char *http_address(const http_listener *h, int index)
{
    return network_address(h->network, index);
}

bool http_is_local(const http_listener *h)
{
    return network_is_local(h->network);
}

listen_sockets http_descriptors(const http_listener *h)
{
    return network_descriptors(h->network);
}

http_figures http_read_figures(const http_listener *h)
{
    return (http_figures){.websockets = h->websockets, .others = h->unsettled};
}

void http_close(http_listener *h)
{
    if (h->closing) {
        return;
    }
    h->closing = true;
    www_close(h->www);
    www_close(h->docs);
    h->www = h->docs = NULL;
    network_close(h->network);
    while (h->first != NULL) {
        http_client *c = h->first;
        while (c->body != NULL && connection_is_open(c->connection)) {
            respond_more(c); // all that fits, to be taken within close_ms
        }
        http_end(c);
    }
}

void http_free(http_listener *h)
{
    if (h == NULL) {
        return;
    }
    files_free(&h->files);
    bytes_unref(h->metrics);
    network_free(h->network);
    free(h);
}
