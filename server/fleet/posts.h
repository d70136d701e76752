// HTTP requests with a body (POST, PATCH) on the loop: libcurl's multi interface driven by libuv.
//
// libcurl must not be called from its own callbacks, so they only collect bytes; the handlers run
// afterwards, and may begin and cancel requests. Bodies of answers are bounded. Redirects and
// proxies of the environment are ignored. Loop thread only.
#ifndef CAROM_SERVER_FLEET_POSTS_H
#define CAROM_SERVER_FLEET_POSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"

typedef struct posts posts; // the client, with its connections
typedef struct post post;   // one request

// PEM files for https. NULL: the system's authorities; no certificate of this client's own.
typedef struct posts_tls {
    const char *authorities;
    const char *certificate;
    const char *key;
} posts_tls;

typedef enum post_outcome {
    POST_ANSWERED,
    POST_NOT_SENT, // no connection: the peer cannot have acted on it
    POST_LOST,     // the peer may have acted on it: timed out, connection lost, answer too large
} post_outcome;

typedef struct post_end {
    post_outcome outcome;
    long code;        // HTTP status; 0 unless answered
    const char *body; // the part that `data` did not consume, zero-terminated
    size_t size;
    const char *why; // the reason, for people; "" if answered
} post_end;

typedef struct post_handler {
    void *context;
    // Bytes that arrived and were not consumed yet. Returns the number of bytes consumed from the
    // front. NULL: the whole body is awaited.
    size_t (*data)(void *context, const char *bytes, size_t size);
    // The request is over, and freed when this returns. Not called after post_cancel.
    void (*done)(void *context, const post_end *end);
} post_handler;

typedef struct post_options {
    const char *url;
    const char *method;     // NULL: POST
    const char *body;       // copied
    uint64_t connect_ms;    // above 0
    uint64_t whole_ms;      // 0: no bound (a stream)
    size_t answer_size_max; // bytes that are not consumed yet
    post_handler handler;
} post_options;

// `tls` must outlive the client. Errors: STATUS_INTERNAL.
status posts_open(uv_loop_t *loop, const posts_tls *tls, posts **out, error *err);

// Cancels all requests; `closed` is called when no handle is left, and the client is freed.
void posts_close(posts *p, void (*closed)(void *context), void *context);

// Begins a request; the handler is called later, never from here.
post *post_begin(posts *p, const post_options *options);

void post_cancel(post *one);

#endif
