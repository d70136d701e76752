// A client's session: one connection's input, answers and times, its life and its end. See
// ARCHITECTURE.md, "Lives". Network thread only.
#ifndef CAROM_SERVER_SESSION_SESSION_H
#define CAROM_SERVER_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/base/array.h"
#include "common/world/command.h"
#include "server/auth/grant.h"
#include "server/base/bucket.h"
#include "server/base/bytes.h"
#include "server/base/limits.h"
#include "server/base/memory.h"
#include "server/net/network.h"
#include "server/schedule/turn_queue.h"
#include "server/session/calls/decoding.h"
#include "server/session/calls/input.h"
#include "server/session/calls/reply_line.h"
#include "server/session/calls/request_log.h"
#include "server/session/identity/detached.h"
#include "server/session/identity/quota_owners.h"
#include "server/session/identity/secret.h"
#include "server/session/server.h"
#include "server/world/message/data_prefixes.h"
#include "server/world/message/standing.h"
#include "server/world/message/messages.h"

typedef struct session session;

// The states of a session; session_change() has the allowed changes.
typedef enum session_state {
    SESSION_OPENED,      // connected, before the first whole message
    SESSION_SPEAKING,    // a whole message has arrived
    SESSION_HALF_CLOSED, // the peer sends no more, and may still read
    SESSION_CLOSING,     // its connection is being closed
    SESSION_DETACHED     // it has lost its connection, and waits for another (resume.c)
} session_state;

// The end of its connection is the end of the session, unless it has a secret and is kept.
typedef enum session_fate {
    FATE_KEPT,    // kept for limits.resume_ms, if it has a secret
    FATE_OVER,    // closed on purpose: it ends with its connection
    FATE_REPLACED // another session has taken over everything except the connection
} session_fate;

typedef enum secret_state {
    SECRET_NONE, // it cannot be resumed
    SECRET_CLEAR,
    SECRET_DIGESTED // only the digest is known: a restart restored the session
} secret_state;

typedef struct session_subscription {
    uint64_t number;
    uint64_t world;                            // number of the world
    char world_name[WORLD_NAME_BYTES_MAX + 1]; // the entry may be gone when its end is reported
    subscribe_args args;                       // the present arguments, without `data`
    data_prefixes *data;                       // owned; NULL: none
} session_subscription;

// The identity and the rights of a session.
typedef struct session_identity {
    role role;    // the grant's role, if there are keys
    grant *grant; // owned; NULL: no token was accepted, or none is required
    // decides about its batches for later ticks; NULL: none yet (a reference)
    standing *standing;
    limits bounds;        // limits of the server, lowered by the grant
    quota_owner *address; // NULL for addresses without a quota (a reference)
    quota_owner *subject; // NULL without a token (a reference)
    // memory of its subscriptions, if it has no quota owner; else NULL (a reference)
    memory_holder *memory;
    uint32_t tokens_refused;
    bool tokens_exhausted;                 // it has sent more wrong tokens than allowed
    char client[WIRE_CLIENT_NAME_MAX + 1]; // the name in hello; "" before
    double since;                          // when it began [s since 1970]
} session_identity;

// The input that its connection has paid for.
typedef struct session_meter {
    bucket asked;         // requests
    bucket received;      // received bytes
    uint64_t paid_bytes;  // received bytes of the connection that are paid for
    bool input_throttled; // input waits because of `received`
} session_meter;

// Input, from the connection's bytes to messages that were dealt with.
typedef struct session_intake {
    input input;
    turn_job job;       // input waits to be handled; session_work adds it
    uint64_t job_turn;  // turn in which it was added
    bool work_running;  // a message is being dealt with
    bool input_blocked; // input waits for answers: too many are in flight
    decoding *decoding; // the last message, which another thread decodes; NULL: none
    uint64_t begun_ms;  // when the current incomplete message began, 0 for none
    int64_t worked_ns;  // time for messages, on this thread and on the decoding one
    struct {
        status why;       // the rule that the connection broke, reported after earlier answers
        const char *text; // NULL: no text; otherwise a string literal
    } refused;
} session_intake;

typedef struct session_calls {
    uint32_t in_flight; // calls that are not answered yet
    uint32_t listings;  // world.list and server.sessions among them
    uint64_t world;     // number of the world that the last request went to; 0: none yet
    request_log requests;
} session_calls;

typedef struct session_times {
    uint64_t opened_ms; // when its connection came
    uint64_t heard_ms;  // when the last whole message came, or the connection; or went
    uint64_t half_closed_ms;
} session_times;

// The state for resuming over another connection, and the answer to the hello that did it.
typedef struct session_resume {
    secret secret;
    secret_state secret_state;
    bool record_stored;  // the session store has it
    bool answer_awaited; // results of requests in flight come first; no input is read
    bool answer_wanted;  // the hello was a request
    uint32_t id;         // id of the hello
    uint32_t protocol;
    uint64_t deadline_ms; // end of the wait
    uint32_t restarts;    // restarts of its subscriptions that worlds have not handled yet
} session_resume;

// It belongs to one connection at a time. A session that may be resumed outlives its connection for
// limits.resume_ms (see resume.c); the session of the connection that resumes it takes over its
// identity, its calls and its subscriptions.
struct session {
    server *server;
    connection *connection; // NULL while it is detached
    detached_link detached; // its place among those without a connection
    session_key key;
    session_state state;
    session_fate fate;
    bool opened_late; // connected while the server was leaving: it may only resume
    session_identity identity;
    session_meter meter;
    session_intake intake;
    session_calls calls;
    session_times times;
    session_resume resume;
    ARRAY(session_subscription) subscriptions;
    delivery_list coming;        // snapshots that wait to be sent to it
    ARRAY(uint64_t) body_worlds; // numbers of worlds with bodies or steps that end with it
};

// The only function that changes its state.
void session_change(session *s, session_state to);
// Decides the session's fate: its connection is closed on purpose, or another session has taken it
// over.
void session_decide(session *s, session_fate fate);

static inline bool session_closes(const session *s)
{
    return s->state == SESSION_CLOSING;
}

static inline session *session_of_link(detached_link *link)
{
    return (session *)((char *)link - offsetof(session, detached));
}

// Whether the session is kept when it loses its connection.
static inline bool session_resumable(const session *s)
{
    return s->resume.secret_state != SECRET_NONE && s->fate == FATE_KEPT;
}

// Whether nobody can resume the session any more. One whose connection is closing since its peer
// has ended is not over: it is kept, so that what ends sessions must end it, too.
static inline bool session_is_over(const session *s)
{
    return session_closes(s) && !session_resumable(s);
}

// A place in server.sessions that is free, and NULL; who does not use it gives it to free_slots.
uint32_t session_take_slot(server *s);

// The handler's calls for a peer; see network.h.
void *session_open(server *s, connection *c);
void session_received(void *peer, const uint8_t *data, size_t size);
void session_ended(void *peer);
// For a WebSocket, whose message has ended, so that the input must end on a message boundary; or
// the peer has broken a rule.
void session_fenced(void *peer);
void session_refused(void *peer, status why, const char *text);
void session_written(void *peer, uint64_t token);
void session_swept(void *peer, uint64_t now_ms);
void session_stalled(void *peer);
void session_closed(void *peer);

// Sends the reason to the peer and closes. The session's subscriptions end.
void session_close(session *s, status why, const char *text, connection_ending ending);

// Answers a request with the result's bytes, or with `big` (taken over; may be NULL) if they are
// many; or with an error.
void session_answer(session *s, uint32_t id, const uint8_t *result, size_t size, shared_bytes *big);
void session_answer_error(session *s, uint32_t id, const error *err);

// Announces that the server ends after `seconds`.
void session_warn(session *s, double seconds, const char *reason);

// Sends the content of the server's scratch unchanged.
void session_send_scratch(session *s);

// A call was answered: continues with input that had to wait, or ends the session.
void session_settle(session *s);

session_subscription *session_find_subscription(session *s, uint64_t number);
// Whether no subscription before the one at index `i` is in the same world: for calls that concern
// a world once.
bool session_subscribes_first(const session *s, uint32_t i);
// Removes it from the list.
void session_remove_subscription(session *s, session_subscription *found);
// Removes all, without a word to their worlds.
void session_clear_subscriptions(session *s);
void session_drop_subscription(session *s, uint64_t number);
// Called when a subscription's world has ended: informs the peer and drops the subscription, unless
// it has already ended.
void session_world_closed(session *s, uint64_t subscription, status why, const char *text);

// Ends the session and frees it; its connection must be gone.
void session_destroy(session *s);
// Another thread has decoded its message: continues with it.
void session_decoded(session *s, decoding *d);
// Charges received bytes; a connection in debt is not read until the debt is paid.
void session_charge_input(session *s);
// Ends a half-closed session whose calls were all answered.
void session_finish_if_done(session *s);
// Adds its job: to handle input that has arrived, or had to wait.
void session_work(session *s);
// Called when the session's subject has changed or become known: charges the connection to it.
void session_deal(session *s);
// Records that a request of the session goes to this world.
void session_visit(session *s, uint64_t world);

#endif
