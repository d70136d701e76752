// Answers: a status line, header lines and a body, which is a file, the metrics or a line of text.
// See internal.h. Network thread only.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/assert.h"
#include "server/base/audit.h"
#include "server/http/internal.h"
#include "server/base/metrics.h"

enum { HEAD_MAX = 1024 + POLICY_BYTES_MAX, TEXT_MAX = 512 };

static const char *phrase(int code)
{
    switch (code) {
    case 200:
        return "OK";
    case 204:
        return "No Content";
    case 301:
        return "Moved Permanently";
    case 304:
        return "Not Modified";
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 413:
        return "Content Too Large";
    case 421:
        return "Misdirected Request";
    case 426:
        return "Upgrade Required";
    case 431:
        return "Request Header Fields Too Large";
    case 503:
        return "Service Unavailable";
    default:
        return "HTTP Version Not Supported";
    }
}

typedef struct answer {
    int code;
    const char *type; // NULL: no body at all
    const char *etag; // NULL: not to be kept
    const char *more; // further header lines, or ""
    size_t size;      // bytes of the body
    bool close;
} answer;

static int put_head(const answer *a, const char *policy, char out[HEAD_MAX])
{
    char date[64];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &utc);
    int used = snprintf(out, HEAD_MAX, "HTTP/1.1 %d %s\r\nDate: %s\r\nServer: caromd\r\n", a->code,
                        phrase(a->code), date);
    if (a->type != NULL) {
        used += snprintf(out + used, (size_t)(HEAD_MAX - used),
                         "Content-Type: %s\r\nContent-Length: %zu\r\n", a->type, a->size);
    }
    if (a->etag != NULL) {
        used += snprintf(out + used, (size_t)(HEAD_MAX - used),
                         "ETag: %s\r\nCache-Control: no-cache\r\n", a->etag);
    } else {
        used += snprintf(out + used, (size_t)(HEAD_MAX - used), "Cache-Control: no-store\r\n");
    }
    used += snprintf(out + used, (size_t)(HEAD_MAX - used), "%s%s%s\r\n", policy, a->more,
                     a->close ? "Connection: close\r\n" : "");
    ASSERT(used < HEAD_MAX);
    return used;
}

// Takes over the reference to `body` (NULL: none). A connection that does not read its output is
// closed by net.
static void send_answer(http_client *c, const answer *a, shared_bytes *body)
{
    char head[HEAD_MAX];
    ASSERT(!http_client_is_upgraded(c) && (body == NULL || body->size == a->size));
    int size = put_head(a, http_policy(c->listener), head);
    http_client_change(c, body != NULL ? HTTP_ANSWERING : HTTP_READING);
    bool sent = connection_send_raw(c->connection, head, (size_t)size, body, body != NULL ? 1 : 0);
    if (!sent || a->close) {
        http_end(c);
    }
}

// ---- short texts

static void send_text(http_client *c, const http_request *r, int code, const char *text)
{
    answer a = {.code = code,
                .type = "text/plain; charset=utf-8",
                .more = "",
                .size = strlen(text),
                .close = r->close};
    shared_bytes *body = NULL;
    if (!r->head) {
        body = bytes_create(a.size);
        memcpy(body->data, text, a.size);
        body->size = a.size;
    }
    send_answer(c, &a, body);
}

// The wire's word for it, as the log of refusals has those.
static status status_of(int code)
{
    switch (code) {
    case 403:
    case 421:
        return STATUS_PERMISSION_DENIED;
    case 408:
    case 431:
    case 503:
        return STATUS_LIMIT_EXCEEDED;
    default:
        return STATUS_INVALID_ARGUMENT;
    }
}

static void send_refusal(http_client *c, int code, const char *text, const char *more)
{
    char body[TEXT_MAX];
    char head[HEAD_MAX];
    metrics_add(METRIC_http_refused, 1);
    if (code == 408 || code == 431 || code == 503) {
        metrics_count_limit(text);
    }
    int size = snprintf(body, sizeof body, "%d: %s\n", code, text);
    ASSERT(size > 0 && (size_t)size < sizeof body);
    audit_refusal(AUDIT_NO_SESSION, "", connection_peer_name(c->connection), status_of(code), text);
    answer a = {.code = code,
                .type = "text/plain; charset=utf-8",
                .more = more,
                .size = (size_t)size,
                .close = true};
    int head_size = put_head(&a, http_policy(c->listener), head);
    (void)connection_send_raw(c->connection, head, (size_t)head_size, NULL, 0);
    (void)connection_send_raw(c->connection, body, (size_t)size, NULL, 0);
}

void respond_refused(http_client *c, int code, const char *text, const char *more)
{
    send_refusal(c, code, text, more);
    http_end(c);
}

void respond_crowded(http_client *c)
{
    send_refusal(c, 503, "http_connections: others want to be served", "");
    http_cut(c);
}

// ---- files

// Whether the peer accepts gzip and does not prefer the plain bytes.
static bool wants_gzip(const http_request *r)
{
    int gzip = http_list_quality(r->accept_encoding, "gzip");
    gzip = gzip >= 0 ? gzip : http_list_quality(r->accept_encoding, "*");
    return gzip > 0 && gzip >= http_list_quality(r->accept_encoding, "identity");
}

void respond_more(http_client *c)
{
    ASSERT(c->state == HTTP_ANSWERING && c->body != NULL && c->body_next < c->body->count);
    shared_bytes *block = bytes_ref(c->body->blocks[c->body_next++]);
    const bool last = c->body_next == c->body->count;
    const bool sent = connection_send_raw(c->connection, "", 0, block, 1);
    if (last || !sent) {
        file_body_unref(c->body);
        c->body = NULL;
    }
    if (!sent) {
        http_end(c);
    } else if (last && c->body_closes) {
        http_unlist(c); // a slow peer has longer for it than close_ms
        connection_close(c->connection, ENDING_LINGER, STATUS_OK, "", NULL, 0);
    }
}

// A block follows when the one before it has left (respond_more).
static void send_body(http_client *c, const answer *a, file_body *body)
{
    char head[HEAD_MAX];
    ASSERT(!http_client_is_upgraded(c) && c->body == NULL && body->size == a->size);
    const int size = put_head(a, http_policy(c->listener), head);
    http_client_change(c, HTTP_ANSWERING);
    c->body = file_body_ref(body);
    c->body_next = 0;
    c->body_closes = a->close;
    (void)connection_send_raw(c->connection, head, (size_t)size, NULL, 0);
    respond_more(c);
}

static void send_file(http_client *c, const http_request *r, const served_file *file)
{
    bool choice = file->gzip.body != NULL;
    bool packed = choice && wants_gzip(r);
    const file_form *form = packed ? &file->gzip : &file->plain;
    bool known = r->if_none_match.text != NULL && (http_list_has(r->if_none_match, form->etag) ||
                                                   http_span_is(r->if_none_match, "*"));
    answer a = {.code = known ? 304 : 200,
                .type = known ? NULL : file->type,
                .etag = form->etag,
                .more = !choice            ? ""
                        : packed && !known ? "Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n"
                                           : "Vary: Accept-Encoding\r\n",
                .size = form->body->size,
                .close = r->close};
    if (known || r->head || a.size == 0) {
        send_answer(c, &a, NULL);
    } else {
        send_body(c, &a, form->body);
    }
}

// ---- metrics

// Writes a new text at most every HTTP_METRICS_MS, so that frequent requests cost little.
static void send_metrics(http_client *c, const http_request *r)
{
    http_listener *h = c->listener;
    uint64_t now = uv_now(h->loop);
    if (h->metrics == NULL || now - h->metrics_ms >= HTTP_METRICS_MS) {
        buffer text;
        buffer_init(&text, HTTP_METRICS_BYTES_MAX);
        h->handler.metrics(h->handler.context, &text);
        bytes_unref(h->metrics);
        size_t size = 0;
        uint8_t *data = buffer_take(&text, &size);
        h->metrics = bytes_take(data, size);
        h->metrics_ms = now;
    }
    answer a = {.code = 200,
                .type = "text/plain; version=0.0.4; charset=utf-8",
                .more = "",
                .size = h->metrics->size,
                .close = r->close};
    bool body = !r->head && h->metrics->size > 0;
    send_answer(c, &a, body ? bytes_ref(h->metrics) : NULL);
}

// ---- the table of paths

static void send_ready(http_client *c, const http_request *r)
{
    char text[TEXT_MAX];
    error note = {0};
    bool ready = c->listener->handler.ready(c->listener->handler.context, &note);
    snprintf(text, sizeof text, "%s%s%s\n", ready ? "ready" : "",
             ready && *note.text != '\0' ? "; " : "", note.text);
    send_text(c, r, ready ? 200 : 503, text);
}

static const http_span VIEWER_PAGE = {"/viewer/index.html", sizeof "/viewer/index.html" - 1};

// The documentation's place; *out is the path within its site.
static bool below_docs(http_span path, http_span *out)
{
    static const char DOCS[] = "/docs";
    const size_t size = sizeof DOCS - 1;
    if (path.size < size || memcmp(path.text, DOCS, size) != 0 ||
        (path.size > size && path.text[size] != '/')) {
        return false;
    }
    *out = (http_span){path.text + size, path.size - size};
    return true;
}

// As below_docs, where there is a site.
static bool in_docs(const http_listener *h, http_span path, http_span *out)
{
    return h->docs != NULL && below_docs(path, out);
}

// A game's file goes before the server's own at "/" and below "/docs/".
static const served_file *find_file(const http_listener *h, http_span path)
{
    http_span in_site;
    const served_file *file = h->www != NULL ? www_find(h->www, path) : NULL;
    if (file == NULL && in_docs(h, path, &in_site)) {
        file = www_find(h->docs, in_site);
    }
    if (file == NULL) {
        file = files_find(&h->files, http_span_is(path, "/viewer/") ? VIEWER_PAGE : path);
    }
    return file;
}

static bool is_served(const http_listener *h, http_span path)
{
    static const char *const OTHERS[] = {"*", "/healthz", "/readyz", "/metrics", "/rpc"};
    bool found = find_file(h, path) != NULL;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS && !found; i++) {
        found = http_span_is(path, OTHERS[i]);
    }
    return found;
}

// Load balancers use it as a check: HAProxy's `option httpchk` sends OPTIONS / HTTP/1.0. The answer
// admits no page of another site: it has no CORS header.
static void send_options(http_client *c, const http_request *r)
{
    answer a = {.code = 204, .more = "Allow: " HTTP_METHODS "\r\n", .close = r->close};
    send_answer(c, &a, NULL);
}

static bool is_folder(const http_listener *h, http_span path)
{
    http_span in_site;
    return http_span_is(path, "/viewer") || (h->www != NULL && www_is_folder(h->www, path)) ||
           (in_docs(h, path, &in_site) && www_is_folder(h->docs, in_site));
}

// A folder's page is relative to it, so its address ends with "/". The new address is relative too:
// behind a proxy the page's path may have a prefix that this server does not see.
static void send_folder(http_client *c, const http_request *r)
{
    const char *end = r->path.text + r->path.size;
    const char *name = end;
    while (name > r->path.text && name[-1] != '/') {
        name--;
    }
    char more[WWW_PATH_BYTES_MAX + 32];
    (void)snprintf(more, sizeof more, "Location: ./%.*s/\r\n", (int)(end - name), name);
    answer a = {.code = 301, .type = "text/plain; charset=utf-8", .more = more, .close = r->close};
    send_answer(c, &a, NULL);
}

void respond(http_client *c, const http_request *r)
{
    const http_listener *h = c->listener;
    const served_file *file = find_file(h, r->path);
    if (r->options && is_served(c->listener, r->path)) {
        send_options(c, r);
    } else if (file != NULL) {
        send_file(c, r, file);
    } else if (http_span_is(r->path, "/healthz")) {
        send_text(c, r, 200, "ok\n");
    } else if (http_span_is(r->path, "/readyz")) {
        send_ready(c, r);
    } else if (http_span_is(r->path, "/metrics")) {
        send_metrics(c, r);
    } else if (is_folder(h, r->path)) {
        send_folder(c, r);
    } else if (h->docs == NULL && below_docs(r->path, &(http_span){0})) {
        send_text(c, r, 404, "404: the documentation is not installed here (caromd --docs DIR)\n");
    } else {
        send_text(c, r, 404,
                  h->docs != NULL
                      ? "404: there are /, /viewer/, /docs/, /healthz, /readyz, /metrics and /rpc\n"
                      : "404: there are /, /viewer/, /healthz, /readyz, /metrics and /rpc\n");
    }
}
