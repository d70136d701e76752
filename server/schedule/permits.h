// Limits how many threads of a group work at once to the processors available for them.
//
// If more threads work than there are processors, the system preempts them anywhere, even with a
// lock of the heap or of the address space; every thread that needs that lock then waits for one
// that itself waits for a processor, behind all others of its kind. A thread with a permit is
// preempted only briefly, by other programs.
//
// A thread asks before a piece of work and gives the permit back after it. The waiting thread that
// has used the least time (shares.h) gets it next, and its `given` is called: it does not block
// here, and may do other work meanwhile.
//
// Bounded by the threads, each with one struct permit, which belongs to it. Any thread.
#ifndef CAROM_SERVER_SCHEDULE_PERMITS_H
#define CAROM_SERVER_SCHEDULE_PERMITS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/schedule/shares.h"

typedef struct permit {
    share *of;
    bool waits, has; // protected by the lock
    void (*given)(void *context);
    void *context;
} permit;

typedef struct permits {
    pthread_mutex_t lock; // locked for a few instructions
    uint32_t left;
    shares shares;
    ARRAY(permit *) waiting;
} permits;

// `most` is the number of permits: at least 1.
void permits_init(permits *all, uint32_t most);
// All permits must be ended.
void permits_deinit(permits *all);

// `subject` identifies the thread in its group. `given` is called on the thread that gave a permit
// back, with the lock taken: it must only wake its thread.
void permit_begin(permits *all, permit *p, uint64_t subject, void (*given)(void *context),
                  void *context);
// Leaves the waiting list, or gives the permit back, if the thread has one.
void permit_end(permits *all, permit *p);

// Whether the thread may work now. If not, it is queued, and must ask again after `given` was
// called.
bool permit_ask(permits *all, permit *p);
// Gives the permit back after work of `ns`.
void permit_give_back(permits *all, permit *p, int64_t ns);

#endif
