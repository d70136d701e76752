// As many threads of a group work at once as have a permit: no more than there are processors for
// them.
//
// Threads that do not fit the processors are stopped by the system wherever they are, with a lock
// of the heap or of the process's address space in their hands; all who need that lock wait then
// for a thread that itself waits for a processor, behind all others of its kind. A thread that
// holds a permit is stopped for others' moments alone.
//
// A thread asks before a piece of work and gives the permit back after it. The one that waits and
// has had least of the time (shares.h) is given it next, and told so by its `given`: it does not
// sleep here, and may look after something else meanwhile.
//
// Bounded by the permits that are in use, one of each thread. Any thread; a permit is its thread's.
#ifndef CAROM_SERVER_SCHEDULE_PERMITS_H
#define CAROM_SERVER_SCHEDULE_PERMITS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/schedule/shares.h"

typedef struct permit {
    share *of;
    bool waits, has; // under the lock
    void (*given)(void *context);
    void *context;
} permit;

typedef struct permits {
    pthread_mutex_t lock; // held for some instructions
    uint32_t left;
    shares shares;
    ARRAY(permit *) waiting;
} permits;

// `most` at once: at least 1.
void permits_init(permits *all, uint32_t most);
// Nobody has, or waits for, a permit.
void permits_deinit(permits *all);

// `subject` is the thread's among those of the group. `given` is called on whichever thread gave a
// permit back, with the lock held: it wakes the thread, and does nothing else.
void permit_begin(permits *all, permit *p, uint64_t subject, void (*given)(void *context),
                  void *context);
// It waits no longer, and what it has is given back.
void permit_end(permits *all, permit *p);

// Whether it may work now. If not, it waits in line, and is to ask again once it was told.
bool permit_ask(permits *all, permit *p);
// Its work took so long.
void permit_give_back(permits *all, permit *p, int64_t ns);

#endif
