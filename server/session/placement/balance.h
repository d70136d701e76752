// Chooses which of a thread's worlds should move to another thread, so that both have the same
// load.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_BALANCE_H
#define CAROM_SERVER_SESSION_PLACEMENT_BALANCE_H

#include <stdint.h>

#include "server/session/server.h"
#include "server/world/message/messages.h"
#include "server/world/tick/sim_thread.h"

enum {
    BALANCE_GAP_LEAST = 200000, // millionths: between two threads that differ by less, none moves
    BALANCE_SHARE_LEAST = 20000 // load of a world; moving a smaller one makes no difference
};

// The number of the world whose move brings the loads of the two threads closest; 0 if no move
// brings them closer by a tenth of a processor, half of BALANCE_GAP_LEAST. `gap` is by how much the
// thread of these worlds is busier than the other [millionths of its time]. Pure; any thread.
uint64_t balance_choose(const world_load *loads, uint32_t count, uint64_t gap);

// Takes a thread's report of the loads of its worlds. Network thread only.
void balance_note(server *s, const sim_thread *from, const reply *r);

#endif
