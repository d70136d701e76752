// Worlds that get a thread of their own, and worlds on their way between threads. Network thread
// only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_OWN_THREAD_H
#define CAROM_SERVER_SESSION_PLACEMENT_OWN_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include "server/session/placement/directory.h"
#include "server/session/server.h"
#include "server/world/tick/sim_thread.h"

// A world on its way to another thread.
typedef struct world_move {
    uint64_t world;
    sim_thread *from, *to;
    bool own_thread; // `to` is a thread of the world's own
} world_move;

// Moves the world, for which others on its thread would wait, to a thread of its own, if one is
// free.
void own_thread_begin(server *s, uint64_t world);
// A thread for such a world; NULL if limits.own_threads allows none.
sim_thread *own_thread_find(server *s);
// Whether the thread is one of these.
bool own_thread_has(const server *s, const sim_thread *h);
// Moves a world to another thread; its requests are queued meanwhile. Not while the server drains.
void own_thread_move(server *s, world_entry *entry, sim_thread *to, bool own_thread);
// Called when the world's thread has given it up (NULL: the world has ended).
void own_thread_finish(server *s, uint64_t world, struct served_world *moved);
// Whether a world is on its way to that thread, which must not stop before.
bool own_thread_awaited(const server *s, const sim_thread *h);
// Delivers the requests that waited until the world was built or moved.
void worlds_deliver_held(world_entry *entry);

#endif
