// server.sessions and server.kick. Network thread only.
#ifndef CAROM_SERVER_SESSION_SESSIONS_H
#define CAROM_SERVER_SESSION_SESSIONS_H

#include "proto/encode/encode.h"
#include "server/session/calls/call.h"
#include "server/session/session.h"

// Begins an answer of server.sessions.
status sessions_list(const call *c, const sessions_args *args, error *err);
// The number of rows that an answer of server.sessions may have now.
uint32_t sessions_listed_max(const server *s);
status sessions_kick(server *s, const kick_args *args, error *err);
// Names of the session's subscriptions; `out` has session.subscriptions.count elements.
void sessions_name_subscriptions(const session *s, subscription_name *out);

#endif
