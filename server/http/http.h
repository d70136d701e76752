// The HTTP listener: pages, files, health, and WebSockets that carry sessions.
//
// The layer between net and session: net passes bytes to it, and it answers the HTTP requests in
// them. A connection that has become a WebSocket reaches the sessions' handler through the same
// calls, in the same order, as one of plain TCP, so that rights, limits, slow readers and resume
// work for both. The listener knows no session and no message of the protocol.
//
// Network thread only.
#ifndef CAROM_SERVER_HTTP_HTTP_H
#define CAROM_SERVER_HTTP_HTTP_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"
#include "proto/wire/buffer.h"
#include "server/base/limits.h"
#include "server/http/www.h"
#include "server/net/network.h"
#include "server/net/tls.h"

typedef struct http_listener http_listener;

typedef struct http_handler {
    void *context;
    // Calls for connections that have become WebSockets; `finished` is called when the listener is
    // closed. `received` may have no bytes: the peer has sent some that carry no message.
    network_handler sessions;
    // Called when the bytes received so far end a WebSocket message.
    void (*fenced)(void *peer);
    // Called when the peer has violated the WebSocket protocol: the session must be closed with
    // that reason.
    void (*refused)(void *peer, status why, const char *text);
    // Whether the server accepts work; if not, `note` says why. If so, `note` may still have
    // something that an operator should look at, else its text is empty.
    bool (*ready)(void *context, error *note);
    // The address HOST:PORT for HTTP of a server of the fleet, by its place; "": it has none. NULL
    // behind the last one. No function: there is no fleet.
    const char *(*peer)(void *context, uint32_t place);
    // The text of /metrics.
    void (*metrics)(void *context, buffer *out);
} http_handler;

typedef struct http_options {
    const char *host;
    uint16_t port;
    const listen_sockets *given; // see network_open
    const limits *limits;
    const char *const *origins; // origins of pages that may connect, beside the server's own
    uint32_t origin_count;
    const char *const *viewer_servers; // servers that the viewer may connect to, beside its own
    uint32_t viewer_server_count;
    www_folder *www;            // a game's files; NULL: none
    www_folder *docs;           // the documentation's site; NULL: none
    const proxy_peers *proxies; // see network_trust; NULL: none
    const tls_files *tls;       // NULL: plain
    io_threads *io;             // threads that have the sockets; NULL: this thread
    loop_turn *turn;            // see network_share_turn; NULL: its own
} http_options;

// Errors: those of network_open. `options`' pointers must outlive the listener.
status http_open(uv_loop_t *loop, const http_options *options, const http_handler *handler,
                 http_listener **out, error *err);

const char *http_address(const http_listener *h, int index); // see network_address
bool http_is_local(const http_listener *h);
listen_sockets http_descriptors(const http_listener *h); // see network_descriptors

// Connections now: those with a session, and the others.
typedef struct http_figures {
    uint32_t websockets, others;
} http_figures;

http_figures http_read_figures(const http_listener *h);

// Accepts no more connections and ends those without a session; the others end with theirs.
void http_close(http_listener *h);
// Must be called after `finished`.
void http_free(http_listener *h);

#endif
