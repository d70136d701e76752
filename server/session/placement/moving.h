// Worlds that this server hands over to others: one that world.move names, or all when the server
// shuts down. How a world moves is in server/session/pair (pairs.h).
//
// Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_MOVING_H
#define CAROM_SERVER_SESSION_PLACEMENT_MOVING_H

#include "server/session/calls/call.h"

struct server;

enum {
    MOVING_AT_ONCE_MAX = 16, // worlds of a server that shuts down
    MOVING_TRIES_MAX = 3     // tries to move one world, each to another server where there is one
};

// world.move: the answer follows when the world is at the other server, or stays here.
status moving_begin(struct server *s, const call *c, command *cmd, error *err);

// Hands over all worlds that can be, before a shutdown. Call again until false: none is being
// handed over, and none is left.
bool moving_away(struct server *s);

#endif
