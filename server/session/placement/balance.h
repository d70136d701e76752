// Which of a thread's worlds should go to another thread, so that both have as much to do.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_BALANCE_H
#define CAROM_SERVER_SESSION_PLACEMENT_BALANCE_H

#include <stdint.h>

#include "server/session/server.h"
#include "server/world/message/messages.h"
#include "server/world/tick/sim_thread.h"

enum {
    BALANCE_GAP_LEAST = 200000, // millionths: between two threads that differ by less, none moves
    BALANCE_SHARE_LEAST = 20000 // of a world, below which it makes no difference
};

// Pure; any thread. The number of the world whose move brings the two threads nearest to each
// other; 0 where no move brings them nearer by a tenth of a processor, half of BALANCE_GAP_LEAST.
// `gap` is by how much the thread of these worlds is busier than the other [millionths of its
// time].
uint64_t balance_choose(const world_load *loads, uint32_t count, uint64_t gap);

// Network thread only. A thread has told what its worlds take of it.
void balance_note(server *s, const sim_thread *from, const reply *r);

#endif
