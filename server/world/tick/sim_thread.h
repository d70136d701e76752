// A simulation thread and the worlds that live on it.
//
// It sleeps until the clock reaches the next due tick of one of its worlds. In between, only
// requests that cannot wait wake it: a new world, a question to all worlds, or any request while it
// has a paused world.
//
// It works in rounds of some milliseconds: worlds with work run in the order of the time that they
// have used (server/schedule/shares.h), so that a quiet world waits at most for the piece of
// another's work that has begun. The rest of a round is for the world.step of paused worlds, shared
// among the senders. A step cannot be interrupted. So a world whose next step is expected to take
// long, or that has taken more than half of the thread, is reported (REPLY_CROWDED) and parked
// until another thread takes it, or for a while if none does.
//
// Threads for such worlds have a lower priority: if there are more threads than processors, the
// others go first. No more of them work at once than there are processors (permits.h), those first
// whose worlds have used the least time.
//
// Only this thread touches its worlds; it shares two bounded queues and nothing else with the
// network thread. The reply queue cannot overflow: there is one result for each request, and one
// snapshot on its way for each subscription, and requests and subscriptions have their maxima.
#ifndef CAROM_SERVER_WORLD_TICK_SIM_THREAD_H
#define CAROM_SERVER_WORLD_TICK_SIM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/base/limits.h"
#include "server/schedule/permits.h"
#include "server/world/message/messages.h"

typedef struct sim_thread sim_thread;

typedef struct sim_thread_options {
    int index;                // part of the thread's name
    int world_threads;        // threads that step one world together: 1 to THREAD_POOL_THREADS_MAX
    const limits *limits;     // must outlive the simulation thread
    uint32_t restored_worlds; // worlds restored at the start, perhaps more than limits.worlds
    bool own_thread;          // it serves worlds that would delay others
    permits *permits;         // its permission to run its worlds; NULL: it needs none
    bool turned;              // no thread of its own: the caller calls sim_thread_turn()
    // Called on the simulation thread when there are replies to receive.
    void (*wake)(void *context);
    void *wake_context;
} sim_thread_options;

// Starts the thread, and its thread pool. Errors: STATUS_INTERNAL where the system has none to
// give.
status sim_thread_create(const sim_thread_options *options, sim_thread **out, error *err);

// Sends a request; it is taken over in any case. False if the queue was full: the request was
// freed, and gets no answer. The network thread.
bool sim_thread_send(sim_thread *h, request *r);

// The replies since the last call, oldest first, linked by node.next; NULL when there are none.
// The network thread.
reply *sim_thread_take(sim_thread *h);

// Used instead of the thread in simulated time (tests/simulation): receives requests and runs the
// worlds with work, in the caller's thread. Returns when it wants its next turn: 0 at once,
// QUEUE_FOREVER when only a request can cause one. The network thread.
int64_t sim_thread_turn(sim_thread *h);

// How busy it is, to find the one for a new world: millionths of its time that it worked in the
// second before, and a share for each world that it has. Any thread.
uint64_t sim_thread_load(const sim_thread *h);

// The measured part of the thread's load. Any thread.
uint64_t sim_thread_busy(const sim_thread *h);

// When the round of its worlds that is under way began, by clock_now_ns; 0: none is. Any thread.
int64_t sim_thread_round_ns(const sim_thread *h);

// Whether the thread has no world, and none is coming. The network thread.
bool sim_thread_empty(const sim_thread *h);

// Must be called after REQUEST_STOP was sent and REPLY_STOPPED received: joins the thread and frees
// everything.
void sim_thread_destroy(sim_thread *h);

#endif
