// Requests to worlds, and the bodies and worlds that end with sessions. Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_WORLDS_H
#define CAROM_SERVER_SESSION_PLACEMENT_WORLDS_H

#include <stdbool.h>
#include <stdint.h>
#include "server/fleet/records.h"
#include "server/session/calls/call.h"
#include "server/session/placement/directory.h"
#include "server/session/session.h"
#include "server/world/message/messages.h"

// A snapshot that was written out, which its world has not been notified of.
typedef struct written_snapshot {
    uint64_t world, subscription;
} written_snapshot;

// The error of a world that is not here: `moved` with the address of the server that serves it, or
// `not_found`.
status worlds_absent(const server *s, const session *asker, const char *name, error *err);

// Finds the world of that name; a relay begins to follow it (upstreams.h). Errors: those of
// worlds_absent, and of upstreams_find.
status worlds_find(server *s, const session *asker, const char *name, world_entry **out,
                   error *err);

// The error `moved` for a world with this record, with the address that `asker` (NULL: over TCP)
// can connect to: that for HTTP over WebSocket. STATUS_UNAVAILABLE: it has none.
status worlds_moved(const session *asker, const world_record *r, const char *name, error *err);
// Sends a command to its world; takes it over in any case. On an error nothing was sent.
status worlds_send(server *s, world_entry *entry, request *r, error *err);
request *worlds_request(const call *c, world_entry *entry, command *taken);
// The steps of worlds_send, for requests that are sent in another way. Whether the request can be
// accepted: limit_exceeded names the limit.
status worlds_check_capacity(const server *s, const world_entry *entry, const request *r,
                             error *err);
// Counts the request as one that the world must still answer.
void worlds_count_in(server *s, world_entry *entry, request *r);
// Passes the request (taken over) to the world's simulation thread, or queues it while the world is
// being made.
void worlds_deliver(world_entry *entry, request *r);
// Sends a request that has no answer.
void worlds_send_uncounted(server *s, request_kind kind, uint64_t world, session_key key);
// The command makes a body in that world which ends with the session, or steps it.
void worlds_note_body(session *s, uint64_t world);
// Frees the name of a world that was destroyed or could not be made; sessions remember their last
// request in it by name (burials.h).
void worlds_unname(server *s, world_entry *entry);
// Destroys a world by the request `last`, which worlds_check_capacity has accepted, or which needs
// no check. It is taken over, and delivered when all sessions know of the end (burials.h).
void worlds_end(server *s, world_entry *entry, request *last);
// Destroys a world on the server's behalf, regardless of limits on waiting requests; `why` goes on
// after "world 'x' ends ".
void worlds_end_unasked(server *s, world_entry *entry, const char *why);
// Records that the world has ended for the session.
void worlds_note_gone(session *s, const world_entry *entry);
// Ends the bodies and worlds that end with the session.
void worlds_end_session(session *s);
// Ends the session's subscriptions in that world.
void worlds_forget(server *s, session_key key, uint64_t world);
// Restarts the session's subscriptions in that world.
void worlds_resume(session *s, uint64_t world);
// Call when the world has handled that request.
void worlds_resumed(server *s, session_key key);
// Call when the last snapshot of the subscription was written out: worlds_acknowledge reports it to
// the world together with others.
void worlds_note_written(server *s, uint64_t subscription, uint64_t world);
void worlds_acknowledge(server *s);

#endif
