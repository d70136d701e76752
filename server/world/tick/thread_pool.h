// A thread pool for tasks of a few microseconds each: worker threads that help one caller. Between
// two runs the caller neither sleeps nor locks, so that a step of a world may run a hundred rounds
// of tasks.
//
// The caller takes tasks like every worker and waits only for tasks that a worker has begun. A
// worker that gets no processor therefore costs nothing, and if there are more threads than
// processors, the running threads do the work. A worker that finds no task polls for some
// microseconds and then sleeps. A worker that wakes on the caller's processor moves to another of
// those on which the creating thread was allowed to run.
#ifndef CAROM_SERVER_WORLD_TICK_THREAD_POOL_H
#define CAROM_SERVER_WORLD_TICK_THREAD_POOL_H

#include "common/base/status.h"
#include "common/physics/parallel/task_runner.h"

enum { THREAD_POOL_THREADS_MAX = 64 };

typedef struct thread_pool thread_pool;

// `threads` counts the caller: 1 to THREAD_POOL_THREADS_MAX. Errors: STATUS_INTERNAL when the
// system gives no thread. The pool is yours: thread_pool_destroy().
status thread_pool_create(int threads, thread_pool **out, error *err);
void thread_pool_destroy(thread_pool *p); // NULL is fine

// Workers lower their priority by `by` (nice(2)) permanently when they wake next.
void thread_pool_lower(thread_pool *p, int by);

// A runner to lend to worlds; valid as long as the pool. One thread at a time begins runs.
task_runner thread_pool_runner(thread_pool *p);

#endif
