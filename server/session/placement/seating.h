// Which world and which seat a session that joins gets (world.join, world.leave), and when worlds
// that joins made end.
//
// A session gets the world of the template with the most taken seats that has a free one and that
// its token names, so that players meet; the oldest of several; its lowest free seat. If there is
// none, a new world is made, called after the template with a number behind it. The network thread
// decides, and the world's thread carries it out as a command of the world's log: so a seat is
// known here from the moment its join is sent until the answer to its leave has arrived. The world
// has the seats too (common/world/seats.h), from which a restart or a takeover brings them back.
//
// A session's end frees its seats. Once a second seats of sessions that are gone are freed, as
// after a restart that could not bring them back, and worlds without a taken seat for `idle_ms`
// end.
//
// Bounds: a world counts to the server's `worlds`; those that joins of one subject or address made
// are at most `owner_share` percent of these, whoever sits there now. A session has at most
// SEATS_PER_SESSION_MAX seats. Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_SEATING_H
#define CAROM_SERVER_SESSION_PLACEMENT_SEATING_H

#include "server/session/calls/call.h"
#include "server/session/placement/directory.h"
#include "server/session/session.h"
#include "server/world/message/messages.h"

enum { SEATS_PER_SESSION_MAX = 16 }; // a client plays in one world, and looks after a few

// world.join and world.leave: the world answers.
status seating_join(server *s, const call *c, command *join, error *err);
status seating_leave(server *s, const call *c, command *leave, error *err);

// Handles a world's answer to a join or a leave.
void seating_answered(server *s, world_entry *entry, const reply *r);

// The session ends: its seats become free.
void seating_end_session(session *s);

// Call when a restart or a takeover has brought the world back.
void seating_restored(server *s, world_entry *entry, const physics_world *world);

// To be called once a second.
void seating_sweep(server *s);

#endif
