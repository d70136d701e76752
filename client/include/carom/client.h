// A connection to caromd.
//
// No thread and no event loop is forced on the caller: sockets are non-blocking, and things happen
// only inside the functions below. A game calls carom_poll(client, 0) once a frame; a tool calls it
// with a timeout; a program with a loop of its own waits on carom_fd() for reading, for writing
// while carom_wants_write(), for carom_timeout_ms() at most, and then calls carom_poll(client, 0).
//
// A client is used by one thread at a time; two clients share nothing. Callbacks run inside
// carom_poll, carom_call, carom_flush, carom_connect, carom_close and carom_free only. In a
// callback everything is allowed except waiting: carom_call, carom_poll, carom_flush and typed
// helpers that wait answer CAROM_INVALID_ARGUMENT there; use carom_request or carom_send.
// carom_close and carom_free may be called in a callback: after carom_free the memory is freed when
// the outermost function of libcarom returns, with CAROM_UNAVAILABLE.
//
// The server is not trusted: its messages pass the same bounded scanner that guards the server, and
// a message that is malformed or over a limit closes the connection with a reason.
//
// A connection that is lost closes the client, unless options.reconnect is on: then it is dialed
// again after pauses that grow, and the session is resumed.  Views and subscriptions continue;
// requests that wait are answered late, or sent again if the server says that they were lost, or
// end with an error whose `applied` says whether they took effect. Notifications (carom_send) may
// be lost.
#ifndef CAROM_CLIENT_H
#define CAROM_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/export.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

#define CAROM_HOST_DEFAULT "127.0.0.1"
#define CAROM_PORT_DEFAULT 22766

typedef struct carom_client carom_client;

// ---- callbacks; each may be NULL. Their arguments are valid until they return.

typedef struct carom_handlers {
    void *user; // the handlers' last argument

    // A snapshot of a subscription, decoded. Views that are attached (carom/view.h) have applied it
    // already.
    void (*snapshot)(carom_client *client, const carom_snapshot *snapshot, void *user);

    // Each event of a snapshot, in order, after `snapshot` was called with all of it.
    void (*event)(carom_client *client, const carom_snapshot *snapshot, const carom_event *event,
                  void *user);

    // Any other notification; `params` is its map of named arguments. "closing" {code, reason}: the
    // server is about to close the connection. "world_closed" {subscription, world, code, reason}:
    // a subscription ended without being asked to.
    void (*notification)(carom_client *client, const char *method, const carom_value *params,
                         void *user);

    // With options.reconnect: `lost`: the connection was lost and will be dialed again; `resumed`:
    // the session was resumed (carom_hello has the new answer, and the state of all requests is
    // known).
    void (*lost)(carom_client *client, carom_status status, const char *reason, void *user);
    void (*resumed)(carom_client *client, const carom_value *hello, void *user);

    // The connection has ended: called once, whichever side ended it, after the callbacks of all
    // waiting requests. CAROM_OK after carom_close or carom_free.
    void (*closed)(carom_client *client, carom_status status, const char *reason, void *user);
} carom_handlers;

// ---- connecting

// Reconnecting after a lost connection. Every field begins as 0, which stands for its default.
typedef struct carom_reconnect {
    bool on;
    int first_ms;   // the pause before the first attempt, default 100; doubled each time …
    int max_ms;     // … up to this, default 5000. Half of each pause is random.
    int give_up_ms; // after this long without a connection the client is closed, default 30000
    // Silence after which the server counts as lost, default 10000: it may hang, or the network may
    // drop everything. After half of it the client sends a ping, which keeps the connection to a
    // server without news. Counts only while the client is polled.
    int silence_ms;
} carom_reconnect;

// TLS 1.3 towards the server. The certificate has to be trusted, current, and made for `name`.
typedef struct carom_tls {
    bool on;
    const char *ca_file; // PEM: the certificates that are trusted; NULL: those of the system
    const char *name;    // the name in the server's certificate; NULL: the host of the connection
    bool unverified;     // accept any certificate: an attacker in between can read and change
                         // everything. For tests on one's own machine
} carom_tls;

// Worlds that another server of a fleet serves. A request that is answered `moved` is made again at
// the server which the answer names, over a further connection behind the same client; later ones
// for that world go there directly. Subscriptions move with their world: the next snapshot is full.
// The token goes along over TLS that is verified, and within this machine (127.0.0.0/8, ::1);
// elsewhere a client with a token gets CAROM_MOVED. After 4 servers in a row, or with 16
// connections, the error is CAROM_MOVED, and its text says why. A request has one deadline over all
// servers.
//
// A session goes along with its worlds, bodies of lifetime "session" included, where the next
// server knows it; otherwise the connection there has a session of its own.
//
// With options.reconnect, a session whose server is lost goes on at the server that has its worlds
// then, as soon as another one that is connected names it. A client whose worlds are all at other
// servers, or whose first server stays away, goes on with one of its further connections: `lost`
// and `resumed` are called, and carom_hello is that server's. The client is connected ahead of need
// to the standby of the worlds in which it has a subscription or has done something: it asks for it
// by world.info, again every 5 seconds, and only while such a world is replicated.
typedef struct carom_follow {
    bool off;   // every request goes to the first server: CAROM_MOVED is the caller's to handle
    bool plain; // the network is trusted: the token also goes to servers named without TLS
} carom_follow;

typedef struct carom_options {
    bool exact;         // see carom/export.h
    const char *name;   // the program's name, sent with hello; default "libcarom"
    const char *token;  // required by servers with keys; NULL: none
    const char *resume; // the `resume` of an earlier session; NULL: a new one
    bool hello; // send hello, and wait for the answer before the client counts as open; default
                // true; only servers of an older protocol work without hello (exact)
    size_t output_bytes_max;  // bytes waiting to be sent, default CAROM_OUTPUT_BYTES_MAX
    size_t message_bytes_max; // one message from the server, default CAROM_MESSAGE_BYTES_MAX
    unsigned
        requests_max; // requests awaiting an answer or a carom_take, default CAROM_REQUESTS_MAX
    carom_reconnect reconnect; // default: off; not with carom_connect_fd
    bool keep_session;         // carom_close sends no goodbye, so that the session can be resumed
                               // by its `resume`; default false
    carom_handlers handlers;   // default: none
    carom_tls tls;             // default: off
    carom_follow follow;       // default: worlds are followed, within the rules above
} carom_options;

#define CAROM_OUTPUT_BYTES_MAX                                                                     \
    (4u << 20) // four of the largest messages that a server takes by default
#define CAROM_MESSAGE_BYTES_MAX                                                                    \
    (128u << 20)                 // the full snapshot of a world of 2^20 bodies, and its events
#define CAROM_REQUESTS_MAX 4096u // a second's worth of a busy client

CAROM_API carom_options carom_options_default(void);

// Connects and says hello, within `timeout_ms` (> 0) of wall clock in all, not counting the
// system's name resolution if `host` is a name. All addresses of the host are tried in turn. `host`
// NULL: CAROM_HOST_DEFAULT; `port` 0: CAROM_PORT_DEFAULT; `options` NULL: the defaults. Errors:
// CAROM_UNAVAILABLE (refused, unreachable, timed out, no TLS although requested),
// CAROM_UNAUTHENTICATED (the token or the server's certificate is not accepted),
// CAROM_INVALID_ARGUMENT.
CAROM_API carom_status carom_connect(const char *host, uint16_t port, int timeout_ms,
                                     const carom_options *options, carom_client **out,
                                     carom_error *error);

// The same without waiting: the client is CAROM_CONNECTING and becomes CAROM_OPEN, or closed, in
// later carom_polls. Messages that are sent meanwhile follow the hello.
CAROM_API carom_status carom_connect_start(const char *host, uint16_t port, int timeout_ms,
                                           const carom_options *options, carom_client **out,
                                           carom_error *error);

// The same over a connected stream socket: one of a pair, or one that other code has opened. The
// client takes it over, sets it non-blocking and closes it in the end; on failure it stays the
// caller's. `timeout_ms` bounds the wait for the answer to hello.
CAROM_API carom_status carom_connect_fd(int fd, int timeout_ms, const carom_options *options,
                                        carom_client **out, carom_error *error);

// Splits "host", "host:port", ":port" or "[v6]:port", perhaps with "carom://" ("tcp://") before it.
// A missing part becomes the default. `host` has room for `host_size` bytes. "caroms://"
// ("tls://"), which asks for TLS, is CAROM_INVALID_ARGUMENT here.
CAROM_API carom_status carom_address_parse(const char *text, char *host, size_t host_size,
                                           uint16_t *port, carom_error *error);

// As carom_address_parse, but "caroms://" ("tls://") may precede the address: *tls is then true,
// for carom_options.tls.on.
CAROM_API carom_status carom_url_parse(const char *text, char *host, size_t host_size,
                                       uint16_t *port, bool *tls, carom_error *error);

// Closes the connection at once; messages not yet sent are lost (carom_flush first). Requests that
// wait are answered with CAROM_UNAVAILABLE, then `closed` is called. The client stays readable
// until carom_free. Closing twice is allowed.
CAROM_API void carom_close(carom_client *client);

// Closes, and releases the caller's reference: the memory is freed with the last one. NULL is
// allowed.
CAROM_API void carom_free(carom_client *client);

// A further reference to the client, which keeps its memory (not its connection) until carom_unref.
// For code that calls several functions in a row while a callback may free the client. Returns
// `client`.
CAROM_API carom_client *carom_ref(carom_client *client);
CAROM_API void carom_unref(carom_client *client); // the last carom_unref closes and frees; NULL is
                                                  // allowed

typedef enum carom_state {
    CAROM_CONNECTING,
    CAROM_OPEN,
    CAROM_CLOSED,
    CAROM_RECONNECTING // requests are kept and sent later; carom_send answers CAROM_UNAVAILABLE
} carom_state;

CAROM_API carom_state carom_client_state(const carom_client *client);

// Why it was closed: the status and, in *reason (may be NULL), the text. CAROM_OK and "" while it
// is not closed or when the caller closed it.
CAROM_API carom_status carom_close_reason(const carom_client *client, const char **reason);

// Replaces the callbacks, at any time.
CAROM_API void carom_set_handlers(carom_client *client, const carom_handlers *handlers);
CAROM_API void *carom_user(const carom_client *client); // handlers.user

// The server's answer to hello: protocol, server, version, session, resume, role, limits. NULL
// before it came. Valid until carom_free, or until the session is resumed.
CAROM_API const carom_value *carom_hello(const carom_client *client);

// The same of the server that serves the world, which another one may do (carom_follow).
CAROM_API const carom_value *carom_hello_of(const carom_client *client, const char *world);

// Sends a new token of the same subject, and waits for the answer: from then on the session has the
// new token's rights, and a reconnect sends the new token. To be called before the old token
// expires, because the server then closes the connection; carom_hello has `expires`. Errors: those
// of carom_call; CAROM_UNAUTHENTICATED and CAROM_PERMISSION_DENIED leave the old token in place,
// and the third refusal closes the connection.
CAROM_API carom_status carom_set_token(carom_client *client, const char *token, int timeout_ms,
                                       carom_error *error);

// ---- asking

#define CAROM_NO_REPLY                                                                             \
    0 // the timeout of a typed helper that sends a notification and awaits nothing

// Sends a request and waits for its answer until the deadline; other messages that arrive meanwhile
// are processed. `args` is a map of named arguments, or NULL for none; it stays the caller's.
// *result (may be NULL) is the caller's to free. Errors: the server's, with from_server;
// CAROM_UNAVAILABLE: timed out (the connection lives on, a late answer is dropped) or connection
// lost; CAROM_LIMIT_EXCEEDED: no room in the output buffer or too many requests wait;
// CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_call(carom_client *client, const char *method, const carom_value *args,
                                  int timeout_ms, carom_value **result, carom_error *error);

// Sends a notification: no answer, no wait. It is written at once as far as the socket accepts it,
// the rest by later carom_polls. Errors: CAROM_LIMIT_EXCEEDED: no room in the output buffer,
// nothing was queued; CAROM_UNAVAILABLE: not connected, or the world is on its way to another
// server with the session (carom_follow).
CAROM_API carom_status carom_send(carom_client *client, const char *method, const carom_value *args,
                                  carom_error *error);

// The answer to a request: exactly one of `result` and `error` is not NULL, both valid until it
// returns.
typedef void (*carom_response_fn)(carom_client *client, uint64_t request, const carom_value *result,
                                  const carom_error *error, void *user);

// Sends a request without waiting. With `fn`, it is called exactly once: with the answer, at the
// deadline, or when the connection closes. With `fn` NULL the answer is kept for carom_take.
// *request (may be NULL) names it; a snapshot's `last` is such a number. `timeout_ms` > 0.
CAROM_API carom_status carom_request(carom_client *client, const char *method,
                                     const carom_value *args, int timeout_ms, carom_response_fn fn,
                                     void *user, uint64_t *request, carom_error *error);

// Whether a request made with `fn` NULL has its answer. If so, *status is its outcome, *result (the
// caller's to free) or *error is set, and the request is forgotten. False while it waits. For an
// unknown request *status is CAROM_NOT_FOUND.
CAROM_API bool carom_take(carom_client *client, uint64_t request, carom_status *status,
                          carom_value **result, carom_error *error);

// Forgets a request: its callback is not called, a late answer is dropped. Unknown ones are
// ignored.
CAROM_API void carom_cancel(carom_client *client, uint64_t request);

// ---- letting things happen

// Writes the messages that wait, reads those that have arrived, calls the callbacks. Waits up to
// `timeout_ms` (0: not at all, -1: without end) for something to happen; returns CAROM_OK when
// something was processed or the time is over. CAROM_UNAVAILABLE (or the reason's status) once the
// connection is closed: messages that had arrived before were processed first. One call reads at
// most CAROM_POLL_BYTES_MAX, so that a flood cannot delay a frame.
CAROM_API carom_status carom_poll(carom_client *client, int timeout_ms, carom_error *error);

#define CAROM_POLL_BYTES_MAX (4u << 20)

// Waits until all output has been passed to the system. Processes messages that arrive. Errors:
// CAROM_UNAVAILABLE: timed out or connection lost.
CAROM_API carom_status carom_flush(carom_client *client, int timeout_ms, carom_error *error);

// While `hold` is true, sends and requests only go into the output buffer; false writes them in one
// piece.
CAROM_API void carom_hold(carom_client *client, bool hold);

// For an event loop of one's own; see above. The descriptor may change while CAROM_CONNECTING, and
// when a world is followed to another server: ask for it before each wait. -1 when closed.
CAROM_API int carom_fd(const carom_client *client);
CAROM_API bool carom_wants_write(const carom_client *client);
CAROM_API int
carom_timeout_ms(const carom_client *client); // to the next deadline; -1 if there is none

typedef struct carom_traffic {
    uint64_t bytes_in, bytes_out;       // read from and written to the socket
    uint64_t messages_in, messages_out; // whole messages
    uint64_t snapshots, events;         // decoded
    uint64_t late;                      // answers to requests that were given up before
    uint64_t reconnects;                // times that the session was resumed
    size_t output_bytes;                // waiting to be sent now
    unsigned requests;                  // waiting for an answer now
} carom_traffic;

CAROM_API carom_traffic carom_client_traffic(const carom_client *client);

CAROM_END_DECLS

#endif
