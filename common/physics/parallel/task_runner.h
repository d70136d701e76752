// Threads for a world. A world creates none; its owner lends it something that runs tasks, such as
// the thread pool of a simulation thread (server/world/tick/thread_pool.h).
#ifndef CAROM_COMMON_PHYSICS_PARALLEL_TASK_RUNNER_H
#define CAROM_COMMON_PHYSICS_PARALLEL_TASK_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

typedef void task_function(void *context, uint32_t index);

typedef struct task_runner {
    // Calls task(context, i) once for each i < count, on any threads and in any order, and returns
    // when all are done. Tasks see everything that was written before the call, and the caller
    // afterwards sees everything that they wrote. Tasks must not wait for each other or run further
    // tasks. `count` is at most TASKS_MAX.
    void (*run)(void *pool, task_function *task, void *context, uint32_t count);
    void *pool;
    // threads that may work at once, the caller's included: at least 1; only for choosing the size
    // of tasks
    int threads;
    // distribute even the least work, for tests; otherwise only work large enough to gain from it
    bool eager;
} task_runner;

enum { TASKS_MAX = 4096 };

#endif
