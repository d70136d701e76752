// The declarations that the sources of a simulation thread share; private to them. The simulation
// thread, where nothing else is said.
#ifndef CAROM_SERVER_WORLD_TICK_SIM_THREAD_INTERNAL_H
#define CAROM_SERVER_WORLD_TICK_SIM_THREAD_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "common/base/array.h"
#include "server/base/queue.h"
#include "server/world/tick/served_world.h"
#include "server/world/tick/sim_thread.h"
#include "server/world/tick/thread_pool.h"

enum { ROUND_NS = 5000000 }; // time until requests are received again

struct sim_thread {
    sim_thread_options options;
    pthread_t thread;
    pthread_t owner; // the network thread: it created the simulation thread, sends requests, takes
                     // replies
    thread_pool *pool; // lent to its worlds
    queue requests;
    queue replies;
    atomic_uint_fast64_t busy;        // millionths of the second before
    atomic_int_fast64_t round_ns;     // when its worlds' round under way began; 0: none is
    atomic_uint_fast64_t world_count; // including worlds that are coming
    // the fields from here on are used by the simulation thread only
    ARRAY(served_world *) worlds; // in ascending order of numbers
    // worlds due in the current round, those that used the least time first
    ARRAY(served_world *) due;
    shares shares;    // time used by each world
    work_time time;   // measures the worlds' work in a round
    turn_queue steps; // steps of paused worlds
    // requests that were taken, and that no round had time for yet; the last is set while there are
    // any
    queue_node *unrouted, *unrouted_last;
    // of those, worlds that were built and are still to be taken over, and requests to them, in
    // order; see sim_thread_route
    queue_node *coming, *coming_last;
    bool stopping;          // REQUEST_STOP was received
    bool hands_over;        // the thread has announced it
    bool over;              // REPLY_STOPPED was sent
    bool paused;            // it is woken by every request: it has no worlds, or a paused one
    int64_t flush_until_ns; // while it stops; 0 before
    int64_t window_start_ns, window_busy_ns;
    permit permit; // one of options.permits
};

// ---- sim_thread.c

// Posts a reply to the network thread. `context` is the sim_thread.
void sim_thread_post(void *context, reply *r);
void sim_thread_post_about(sim_thread *h, reply_kind kind, uint64_t world, served_world *moved);

// ---- sim_thread_worlds.c

// NULL: the thread does not serve it.
served_world *sim_thread_find_world(const sim_thread *h, uint64_t number);
// The world at that place of h->worlds leaves.
void sim_thread_take_out(sim_thread *h, uint32_t at);
// Work for this world begins, and ends: a crash is reported as its own, memory is counted as its.
void sim_thread_enter_world(const served_world *w);
void sim_thread_leave_world(void);
// Carries out or delivers the requests of a chain, behind those that are left of earlier ones,
// until the round's time for them is over. Taking over a world costs as much as hundreds of
// requests, so new worlds wait for the requests to existing ones. Returns whether some are left.
bool sim_thread_route(sim_thread *h, queue_node *chain);

// ---- sim_thread_rounds.c

// Runs worlds that have something to do, for a round; returns when the first wants to run again.
// `paused`: whether every request has to wake the thread.
int64_t sim_thread_run_worlds(sim_thread *h, bool *paused);

// ---- sim_thread_load.c

// The thread worked from `begin` to `end`. `forever`: it is about to wait without end.
void sim_thread_note_load(sim_thread *h, int64_t begin, int64_t end, bool forever);

#endif
