// Worlds are made, forked and destroyed. Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_WORLDS_BUILD_H
#define CAROM_SERVER_SESSION_PLACEMENT_WORLDS_BUILD_H

#include "server/session/calls/call.h"
#include "server/session/placement/directory.h"
#include "server/session/session.h"
#include "server/world/message/messages.h"
#include "server/world/tick/sim_thread.h"

status worlds_create(server *s, const call *c, command *create, error *err);
// Makes a world of the template for joins; `maker` stands for the quota owner whose join
// makes it. Joins that are sent to *out before it exists wait for it.
status worlds_create_joined(server *s, const struct world_template *t, const char *name,
                            uint64_t maker, world_entry **out, error *err);
status worlds_fork(server *s, const call *c, command *fork, error *err);
// Handles the answer of the world to fork: builds the second world, which answers in its place.
void worlds_forked(server *s, reply *r);
status worlds_destroy(server *s, const call *c, command *destroy, error *err);
// Checks whether a new world may have that name: already_exists, limit_exceeded.
status worlds_check_name(const server *s, const char *name, error *err);
// Answers the requests queued for a broken world: world.list with a row that says so, world.destroy
// with success, the rest with the error `text`.
void worlds_refuse_held(server *s, world_entry *entry, const char *text);
// The thread that a new world goes to.
sim_thread *worlds_least_loaded(const server *s);

// Whether the first step of a world that was just made would delay others of its thread: it begins
// on a thread of its own. Any thread.
bool worlds_would_crowd(const struct physics_world *world);

#endif
