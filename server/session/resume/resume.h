// Sessions without a connection, and how they get another. Network thread only.
#ifndef CAROM_SERVER_SESSION_RESUME_RESUME_H
#define CAROM_SERVER_SESSION_RESUME_RESUME_H

#include <stdbool.h>
#include "server/session/calls/call.h"
#include "server/session/session.h"

// Initialises `expiry` of the server; server.c closes its handle.
void resume_init(server *s);
// Gives the session its secret, if it has none.
void resume_allow(session *s);
// Handles hello with `resume`; `granted` is the grant of its token (NULL: none), taken over only on
// success. The answer is sent when nothing of the session is in flight any more.
status resume_session(const call *c, const hello_args *args, grant *granted, error *err);
// Answers that hello, if there is nothing left to wait for (or `anyway`).
void resume_check(session *s, bool anyway);
// Keeps a session that has lost its connection for a while.
void resume_detach(session *s);
// Call when a world of the detached session has come from another server: keeps it as long as one
// that loses its connection now.
void resume_renew(session *s);
// Ends a detached session.
void resume_end(session *s);
void resume_end_all(server *s);

#endif
