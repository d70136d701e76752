// Worlds that leave this server for another one of the fleet, and the notice to their sessions.
//
// The world's thread stops serving it at once: requests that wait are answered with `moved` and the
// address of the server that serves it, subscriptions end with `world_closed` of the same code, and
// each session with a subscription, a seat or a body there gets one notification `moved`. The
// log of the world stays on the disk.
//
// Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_DEPARTURE_H
#define CAROM_SERVER_SESSION_PLACEMENT_DEPARTURE_H

#include "server/fleet/records.h"
#include "server/session/placement/directory.h"
#include "server/session/session.h"

typedef struct departure {
    world_record winner; // term 0: no server has the world
} departure;

// Begins the world's departure to the server of the record; NULL: to nobody. The world has lost its
// name when this returns.
void worlds_depart(server *s, world_entry *entry, const world_record *winner);

// The error for a session whose request or subscription met a world that has left: `text` is its
// thread's, and names the address for TCP.
void worlds_departure_error(const session *of, const char *world, const char *text, error *err);

// Call when the world's thread no longer serves it (REPLY_LEFT).
void worlds_departed(server *s, const reply *r);

#endif
