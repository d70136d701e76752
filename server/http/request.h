// The head of an HTTP/1.x request (RFC 9112), as far as this server needs it: GET, HEAD and OPTIONS
// without a body. Strict: what other servers forgive (bare line feeds, folded lines, blanks before
// a colon) is refused, since requests are smuggled through two readings of one request.
//
// Spans point into the caller's bytes. Pure functions; any thread.
#ifndef CAROM_SERVER_HTTP_REQUEST_H
#define CAROM_SERVER_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_FIELDS_MAX = 100 }; // header lines; browsers send a dozen or two

#define HTTP_METHODS "GET, HEAD, OPTIONS" // value of the header Allow

typedef struct http_span {
    const char *text; // NULL: not there
    size_t size;
} http_span;

typedef struct http_request {
    bool head;      // HEAD
    bool options;   // OPTIONS; if neither this nor `head`, GET
    http_span path; // begins with '/', without the query; "*" for OPTIONS only
    int minor;      // x of HTTP/1.x
    http_span host, origin, if_none_match, accept_encoding;
    bool close;                        // the peer wants no second answer on this connection
    bool upgrade;                      // asks for an upgrade to WebSocket
    http_span key, version, protocols; // Sec-WebSocket-…
} http_request;

typedef struct http_refusal {
    int code;         // 400, 405 …
    const char *text; // reason phrase; static storage
} http_refusal;

// The size of the request's head, with the empty line that ends it; 0 while it is incomplete.
// `*scanned` is kept by the caller between calls, 0 at first.
size_t http_head_size(const char *data, size_t size, size_t *scanned);

// Whether these bytes may be the beginning of a head: false for bytes that no head begins with or
// contains, so that other protocols need not be waited for. The first `from` were looked at before.
bool http_may_be_head(const char *data, size_t size, size_t from);

// Reads a whole head. False: `refusal` says why not, and the connection is of no use any more.
bool http_request_parse(const char *data, size_t size, http_request *out, http_refusal *refusal);

// Whether the comma-separated list has that item, ignoring case.
bool http_list_has(http_span list, const char *item);

// The quality in thousandths (RFC 9110, 12.4.2) that a list such as Accept-Encoding gives the item,
// ignoring case: 1000 without a q, 0 also for an invalid one; -1: the list lacks the item.
int http_list_quality(http_span list, const char *item);

bool http_span_is(http_span s, const char *text); // ignoring case

#endif
