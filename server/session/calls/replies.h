// Replies of the simulation threads. Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_REPLIES_H
#define CAROM_SERVER_SESSION_CALLS_REPLIES_H

#include "server/session/server.h"
#include "server/world/message/messages.h"

void replies_take(server *s);
// A request of a session, or of the server itself, has its answer.
void replies_answer(server *s, reply *r);

#endif
