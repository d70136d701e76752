// A thread of a load and its share of the clients: it waits for the next ready connection or due
// action.
//
// Due times are in a heap, connections in an epoll set, so that a thousand watchers do not slow
// down the next command. Only this thread touches its clients; any thread may read `live`.
#ifndef CAROM_CLIENT_LOAD_WORKER_H
#define CAROM_CLIENT_LOAD_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "client/load/client.h"

typedef struct worker_live {
    atomic_ullong sent, answered, errors, snapshots;
    atomic_uint connected; // clients that are open and subscribed
    atomic_uint failed;    // clients that could not open, or were lost
    atomic_bool done;      // no more answers are awaited
} worker_live;

// The processor time that the thread used during the run.
typedef struct worker_cost {
    bool there;       // false: the thread never began the run
    double processor; // share of the time that it ran
    double waited;    // share of the time in which it was ready but had no processor
    bool known;       // `waited` was measured
} worker_cost;

typedef struct worker {
    client_group group;
    pthread_t thread;
    load_client **clients; // in the order in which stages add them
    load_client **heap;    // ordered by `due`, from index 1
    size_t client_count, heap_count;
    size_t begun;        // clients that the stages have started so far
    unsigned number, of; // number of this worker, and the number of workers
    unsigned connecting;
    unsigned away; // clients that look for their server or their world, at the last sweep
    bool began;    // the run has begun
    bool started;
    double swept;
    double noted;  // time up to which the lag is recorded [s]
    double credit; // fraction of a sample of the lag, 0 to 1
    worker_cost cost;
    int epoll;
    worker_live live;
} worker;

// Clients i with i % of == number belong to this worker. False when memory or descriptors have run
// out.
bool worker_init(worker *w, load_shared *shared, load_client *clients, unsigned number,
                 unsigned of);
void worker_deinit(worker *w);

// The thread's function: runs until the phase says that the load has ended.
void *worker_run(void *w);

#endif
