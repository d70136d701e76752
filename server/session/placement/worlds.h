// Requests to worlds, and what sessions did to them. Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_WORLDS_H
#define CAROM_SERVER_SESSION_PLACEMENT_WORLDS_H

#include <stdbool.h>
#include <stdint.h>
#include "server/session/calls/call.h"
#include "server/session/placement/directory.h"
#include "server/session/session.h"
#include "server/world/message/messages.h"

// A snapshot that has left, of which its world is still to be told.
typedef struct written_snapshot {
    uint64_t world, subscription;
} written_snapshot;

// Sends a command to its world; takes the command over in any case. On an error nothing was sent.
status worlds_send(server *s, world_entry *entry, request *r, error *err);
request *worlds_request(const call *c, world_entry *entry, command *taken);
// The steps of worlds_send, for requests that go another way. Whether the request can be taken on:
// limit_exceeded tells which bound it would pass.
status worlds_check_capacity(const server *s, const world_entry *entry, const request *r,
                             error *err);
// Counts the request as one that the world has yet to answer.
void worlds_count_in(server *s, world_entry *entry, request *r);
// Gives the request, which it takes, to the world's simulation thread, or holds it while the world
// is being made.
void worlds_deliver(world_entry *entry, request *r);
// Sends what nobody waits for.
void worlds_send_uncounted(server *s, request_kind kind, uint64_t world, session_key key);
// The command makes a body in that world which ends with the session, or steps it.
void worlds_note_body(session *s, uint64_t world);
// The world is destroyed, or could not be made: its name is free, and sessions remember by name
// what they did to it.
void worlds_unname(server *s, world_entry *entry);
// The world has ended for the session.
void worlds_note_gone(session *s, const world_entry *entry);
// Ends what ends with the session: bodies and worlds.
void worlds_end_session(session *s);
// Ends the session's subscriptions in that world.
void worlds_forget(server *s, session_key key, uint64_t world);
// The session's subscriptions in that world begin anew.
void worlds_resume(session *s, uint64_t world);
// The world has taken that.
void worlds_resumed(server *s, session_key key);
// The last snapshot of the subscription was written out: the world is told of it with others, by
// worlds_acknowledge.
void worlds_note_written(server *s, uint64_t subscription, uint64_t world);
void worlds_acknowledge(server *s);

#endif
