// A simulation thread and the worlds that live on it.
//
// It sleeps until the next tick of one of its worlds is due, by the clock and not by counting. In
// between, only requests that cannot wait wake it: a new world, a question to all worlds, or any
// request while it has a paused world.
//
// It works in rounds of some milliseconds: worlds that have something to do are run in the order of
// the time that they had (server/schedule/shares.h), so that a quiet world waits for no more than
// the piece of another one's work that has begun. The rest of a round is for the world.step of
// paused worlds, dealt by who asked for them. A step cannot be cut. So a world whose next step is
// foreseen to take long, or that has taken more than half of the thread, is told of (REPLY_CROWDED)
// and stays parked until another thread has it, or a while, where none does.
//
// Threads for such worlds have a lower priority: where there are more threads than processors, the
// others go first. And no more of them work at once than there are processors (permits.h), those
// first whose worlds had least.
//
// Its worlds are its own; with the network thread it shares
// two bounded queues and nothing else. The reply queue cannot overflow: there is one result for
// each request, and one snapshot on its way for each subscription, and requests and subscriptions
// have their maxima.
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
    int index;                // for the thread's name
    int world_threads;        // that step one world together: 1 to THREAD_POOL_THREADS_MAX
    const limits *limits;     // must outlive the simulation thread
    uint32_t restored_worlds; // brought back by the start, beyond limits.worlds perhaps
    bool own_thread;          // for worlds that others must not wait for
    permits *permits;         // with which it runs its worlds; NULL: it needs none
    bool turned;              // no thread of its own: sim_thread_turn() instead
    // Called on the simulation thread when replies are there to be taken.
    void (*wake)(void *context);
    void *wake_context;
} sim_thread_options;

// Starts the thread, and its thread pool. Errors: STATUS_INTERNAL where the system has none to
// give.
status sim_thread_create(const sim_thread_options *options, sim_thread **out, error *err);

// Hands a request over; it is taken over in any case. False if it could not be delivered because
// the queue is full: it was then freed, and there is no answer. The network thread.
bool sim_thread_send(sim_thread *h, request *r);

// The replies since the last call, oldest first, linked by node.next; NULL when there are none.
// The network thread.
reply *sim_thread_take(sim_thread *h);

// Instead of the thread, where time is not real (tests/simulation): takes what was sent, runs the
// worlds that want to run, in the caller's thread. Returns when it wants its next turn: 0 at once,
// QUEUE_FOREVER when only a request can bring that. The network thread.
int64_t sim_thread_turn(sim_thread *h);

// How busy it is, to find the one for a new world: millionths of its time that it worked in the
// second before, and a share for each world that it has. Any thread.
uint64_t sim_thread_load(const sim_thread *h);

// The part of that which was measured. Any thread.
uint64_t sim_thread_busy(const sim_thread *h);

// Whether no world is there, or on its way. The network thread.
bool sim_thread_empty(const sim_thread *h);

// After REQUEST_STOP was sent and REPLY_STOPPED taken: joins the thread and frees all.
void sim_thread_destroy(sim_thread *h);

#endif
