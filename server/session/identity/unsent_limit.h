// The bound on the unsent output of all connections together. Network thread only.
#ifndef CAROM_SERVER_SESSION_IDENTITY_UNSENT_LIMIT_H
#define CAROM_SERVER_SESSION_IDENTITY_UNSENT_LIMIT_H

#include "server/session/server.h"

// Closes connections until the unsent output of all is within the limit.
void unsent_limit_hold(server *s);

#endif
