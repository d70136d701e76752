// Threads for a world, which makes none itself: its owner lends it something that runs tasks. (The
// thread pool of a simulation thread, server/world/tick/thread_pool.h, is one.)
#ifndef CAROM_COMMON_PHYSICS_PARALLEL_TASK_RUNNER_H
#define CAROM_COMMON_PHYSICS_PARALLEL_TASK_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

typedef void task_function(void *context, uint32_t index);

typedef struct task_runner {
    // Calls task(context, i) once for each i < count, on any threads and in any order, and returns
    // when all are done. Tasks see everything that was written before the call, and the caller
    // afterwards sees everything that they wrote. Tasks neither wait for each other nor run others.
    // Count: to TASKS_MAX.
    void (*run)(void *pool, task_function *task, void *context, uint32_t count);
    void *pool;
    int threads; // threads that may work at once, the caller's included: from 1; is only for sizing
                 // tasks
    bool eager;  // hand out even the least work, as tests want it; else only what is worth it
} task_runner;

enum { TASKS_MAX = 4096 };

#endif
