// Visits all sessions in pieces, over many turns of the network thread: there may be hundreds of
// thousands. Sessions that begin meanwhile may be visited or not; a walk that is begun again starts
// from the first session. Ends without further visits when the server drains. Network thread only.
#ifndef CAROM_SERVER_SESSION_SESSION_WALK_H
#define CAROM_SERVER_SESSION_SESSION_WALK_H

#include <stdint.h>

#include "server/schedule/turn_queue.h"

struct server;
struct session;

typedef void session_visitor(struct session *one, struct server *s); // may end the session
typedef void session_walk_done(struct server *s);

// Zeroed: it has never begun.
typedef struct session_walk {
    turn_job job;
    struct server *server;
    session_visitor *visit;
    session_walk_done *done; // called after the last visit; NULL: nothing is
    uint32_t next;           // sessions of lower slots were visited
} session_walk;

void session_walk_begin(session_walk *w, struct server *s, session_visitor *visit,
                        session_walk_done *done);
// At once: nobody is served yet.
void session_walk_whole(struct server *s, session_visitor *visit, session_walk_done *done);

#endif
