// The bound on output that waits for all connections together. Network thread only.
#ifndef CAROM_SERVER_SESSION_IDENTITY_UNSENT_LIMIT_H
#define CAROM_SERVER_SESSION_IDENTITY_UNSENT_LIMIT_H

#include "server/session/server.h"

// Closes connections until no more waits to be sent than may in all.
void unsent_limit_hold(server *s);

#endif
