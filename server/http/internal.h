// The structs that the files of this room share; private to it. Network thread only.
//
//   http.c      the listener, its clients and their times
//   respond.c   answers to requests
//   upgrade.c   connections that are WebSockets
//   request.c, websocket.c, origin.c, policy.c, files.c   pure functions
#ifndef CAROM_SERVER_HTTP_INTERNAL_H
#define CAROM_SERVER_HTTP_INTERNAL_H

#include "server/http/files.h"
#include "server/http/www.h"
#include "server/http/http.h"
#include "server/http/policy.h"
#include "server/http/request.h"
#include "server/http/websocket.h"

enum {
    HTTP_METRICS_MS = 100,             // how long one text of /metrics is served
    HTTP_METRICS_BYTES_MAX = 16 << 20, // enough for 4096 worlds with two histograms each
    HTTP_CONTROLS_A_SECOND_MAX = 200   // pings and pongs of one connection
};

// The states of a connection; http_client_change() makes every change.
typedef enum http_client_state {
    HTTP_READING,   // requests are read and answered
    HTTP_ANSWERING, // an answer's file is on its way: the next request waits
    HTTP_CUT,       // closed at once, and no longer counted
    HTTP_WEBSOCKET, // upgraded
    HTTP_BROKEN     // a WebSocket whose peer violated the protocol: its session must close it, and
                    // further input is ignored
} http_client_state;

// The part of a connection that only a WebSocket uses.
typedef struct http_websocket {
    void *session; // NULL: none was accepted
    websocket frames;
    websocket_code code; // code of our close frame; 0: chosen by the status
    uint64_t begun_ms;   // time at which the incomplete message began, 0 for none
    uint64_t second_ms;  // when counting of `controls` began
    uint32_t controls;   // pings and pongs in that second
    uint64_t pinged_ms;  // when the last ping was sent, or put off; at first when it was opened
    uint32_t ping;       // payload of the ping: its number
    bool ping_unanswered;
} http_websocket;

// A connection. It begins in the list of those that wait for a request and leaves it as a
// WebSocket.
typedef struct http_client {
    http_listener *listener;
    connection *connection;
    http_client_state state;
    bool in_list;
    struct http_client *previous, *next; // neighbours in the list, oldest first
    bool resume_queued;                  // an answer has left: the next turn reads its next request
    struct http_client *next_resumed;
    bool input_ended; // the peer sends no more
    char *input;      // received bytes of requests
    size_t size, capacity;
    size_t scanned;     // bytes of `input` that http_head_size has scanned
    file_body *body;    // the file that is being sent; NULL: none, or all of it is queued
    uint32_t body_next; // its next block
    bool body_closes;   // the connection ends with it
    uint64_t requests;  // answered
    uint64_t since_ms;  // when it began to wait for a request
    http_websocket ws;
} http_client;

struct http_listener {
    network *network;
    http_handler handler;
    const limits *limits;
    const char *host; // the address or name that it listens on, as the operator gave it
    const char *const *origins;
    uint32_t origin_count;
    const char *const *viewer_servers;
    uint32_t viewer_server_count;
    bool secure;                   // it speaks TLS
    char policy[POLICY_BYTES_MAX]; // header lines of every answer; http_policy() renews them
    uv_loop_t *loop;
    served_files files;        // the viewer and the client
    www *www;                  // files of a game; NULL: none
    www *docs;                 // files of the documentation; NULL: none
    http_client *first, *last; // list of clients without a session
    http_client *first_resumed;
    uint32_t listed;
    uint32_t websockets;
    uint32_t unsettled;    // connections without a session, including those being closed
    shared_bytes *metrics; // their last text, NULL before the first
    uint64_t metrics_ms;   // when it was written
    bool closing;
};

// ---- http.c

// Changes the state; asserts that ARCHITECTURE.md has the change.
void http_client_change(http_client *c, http_client_state to);
// Whether the client is a WebSocket, broken or not.
static inline bool http_client_is_upgraded(const http_client *c)
{
    return c->state == HTTP_WEBSOCKET || c->state == HTTP_BROKEN;
}
// The header lines that restrict pages, for the fleet as it is now.
const char *http_policy(http_listener *h);
// Whether the page is one of the fleet's servers.
bool http_is_peer(const http_listener *h, http_span origin);
// Takes the client out of the list of those that wait for a request.
void http_unlist(http_client *c);
// Closes a connection that holds no session; nothing more is read.
void http_end(http_client *c);
// Closes such a connection at once: its place is free.
void http_cut(http_client *c);

// ---- respond.c

// Answers a request that is not an upgrade; `close`: the connection ends after it.
void respond(http_client *c, const http_request *r);
// Queues the next block of the file that is being sent (`body`, not NULL).
void respond_more(http_client *c);
// Answers with an error and closes. `more`: further header lines, each with CR LF, or "".
void respond_refused(http_client *c, int code, const char *text, const char *more);
// Makes room for others: answers with 503 and cuts it.
void respond_crowded(http_client *c);

// ---- upgrade.c

void upgrade(http_client *c, const http_request *r);
void upgrade_received(http_client *c, const uint8_t *data, size_t size);
void upgrade_swept(http_client *c, uint64_t now_ms);

#endif
