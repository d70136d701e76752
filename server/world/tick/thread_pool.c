// A thread pool for runs of very short tasks: see thread_pool.h for when it pays.
//
// A round of tasks is one word, `offer`: the round's number and the range of tasks that no thread
// has taken yet, as a first and a last. The caller takes from the front and workers from the back,
// so that in rounds over the same data each thread finds the data in its own cache. A thread takes
// a task by changing the word as a whole; a thread that read the word of an earlier round finds
// another number there and takes nothing.
//
// Invariant: `task`, `context`, `world` and `account` are written before the round is offered, and
// not again before all of its tasks are taken and done. A thread that takes a task has therefore
// read those of the same round. Workers count the tasks they have done; the caller waits until that
// count and its own make up the round.
//
// thread_pool_runner's run: one caller at a time. All else: the thread that created the pool.
#include "server/world/tick/thread_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/block.h"
#include "server/process/crash.h"

enum {
    // A worker reads the offer this often before it yields its processor: some microseconds.
    LOOKS_MAX = 500,
    // The number of times that a worker yields and looks again before it sleeps: one or two hundred
    // microseconds, as long as a step works on one thread between two rounds.
    YIELDS_MAX = 400,
    // The caller reads the count of finished tasks this often before it yields its processor.
    WAITS_MAX = 4000,
    CACHE_LINE = 64
};

_Static_assert(TASKS_MAX < 1 << 16, "first and last task fit 16 bits each");

struct thread_pool {
    // A cache line that every thread reads, and that changes with each task.
    _Alignas(CACHE_LINE) atomic_uint_fast64_t offer; // round << 32 | last << 16 | first
    _Atomic(task_function *) task;
    _Atomic(void *) context;
    atomic_uint_fast64_t world;       // the world that the caller works on
    _Atomic(block_account *) account; // counts the caller's blocks
    // A cache line that workers write and the caller waits for.
    _Alignas(CACHE_LINE) atomic_uint_fast32_t done; // tasks, of workers, in this round
    _Alignas(CACHE_LINE) atomic_int sleepers;
    pthread_mutex_t mutex; // only for sleeping and waking
    pthread_cond_t woken;
    atomic_bool stopping;
    atomic_int lower_by;   // workers' priority; 0: unchanged
    atomic_int caller_cpu; // the processor from which workers were last woken
    cpu_set_t allowed;     // processors, as the pool was made; none: not known
    int threads;           // the caller's included
    pthread_t workers[THREAD_POOL_THREADS_MAX - 1];
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint32_t first_of(uint64_t offer)
{
    return (uint32_t)offer & 0xFFFFu;
}

static uint32_t last_of(uint64_t offer) // one more than the index of the last task
{
    return (uint32_t)offer >> 16;
}

static bool is_taken(uint64_t offer)
{
    return first_of(offer) == last_of(offer);
}

// Takes a task of the offered round. False: there is none.
static bool take(thread_pool *p, bool caller, uint32_t *index, task_function **task, void **context)
{
    uint64_t offer = atomic_load_explicit(&p->offer, memory_order_acquire);
    while (!is_taken(offer)) {
        *task = atomic_load_explicit(&p->task, memory_order_relaxed);
        *context = atomic_load_explicit(&p->context, memory_order_relaxed);
        *index = caller ? first_of(offer) : last_of(offer) - 1;
        uint64_t rest = caller ? offer + 1 : offer - (1u << 16);
        if (atomic_compare_exchange_weak_explicit(&p->offer, &offer, rest, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

// ---- workers

static bool work(thread_pool *p)
{
    uint32_t index;
    task_function *task;
    void *context;
    if (!take(p, false, &index, &task, &context)) {
        return false;
    }
    crash_enter_world(atomic_load_explicit(&p->world, memory_order_relaxed));
    block_charge(atomic_load_explicit(&p->account, memory_order_relaxed));
    task(context, index);
    atomic_fetch_add_explicit(&p->done, 1, memory_order_release);
    return true;
}

// Some systems wake a thread on the processor of the one that wakes it even while others idle, and
// leave both there for milliseconds: longer than most steps. A worker that finds itself there
// moves, and stays away until it meets the caller elsewhere.
static void leave_caller_cpu(const thread_pool *p)
{
    const int caller_cpu = atomic_load_explicit(&p->caller_cpu, memory_order_relaxed);
    if (caller_cpu < 0 || caller_cpu >= CPU_SETSIZE || sched_getcpu() != caller_cpu) {
        return;
    }
    cpu_set_t others = p->allowed;
    CPU_CLR((size_t)caller_cpu, &others);
    if (CPU_COUNT(&others) > 0) {
        // If it may not, it stays: that costs time and nothing else.
        (void)sched_setaffinity(0, sizeof others, &others);
    }
}

// Sleeps until there is a task, or the pool must stop.
static void sleep_until_woken(thread_pool *p)
{
    pthread_mutex_lock(&p->mutex);
    // Counts itself first, then checks once more: an offer checks the count afterwards.
    atomic_fetch_add(&p->sleepers, 1);
    while (is_taken(atomic_load(&p->offer)) && !atomic_load(&p->stopping)) {
        pthread_cond_wait(&p->woken, &p->mutex);
    }
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->mutex);
    leave_caller_cpu(p);
}

// nice(2) affects only the calling thread, on Linux. Returns whether the pool was lowered.
static bool lower_priority(const thread_pool *p)
{
    const int by = atomic_load_explicit(&p->lower_by, memory_order_relaxed);
    if (by != 0) {
        (void)!nice(by);
    }
    return by != 0;
}

static void *run_worker(void *argument)
{
    thread_pool *p = argument;
    int looks = 0;
    bool lowered = false;
    while (!atomic_load_explicit(&p->stopping, memory_order_relaxed)) {
        if (work(p)) {
            looks = 0;
        } else if (++looks < LOOKS_MAX) {
            pause_briefly();
        } else if (looks < LOOKS_MAX + YIELDS_MAX) {
            sched_yield();
        } else {
            sleep_until_woken(p);
            lowered = lowered || lower_priority(p);
            looks = 0;
        }
    }
    return NULL;
}

static void wake_sleepers(thread_pool *p)
{
    if (atomic_load(&p->sleepers) > 0) {
        atomic_store_explicit(&p->caller_cpu, sched_getcpu(), memory_order_relaxed);
        pthread_mutex_lock(&p->mutex);
        pthread_cond_broadcast(&p->woken);
        pthread_mutex_unlock(&p->mutex);
    }
}

// ---- the caller

static void wait_for_workers(thread_pool *p, uint32_t begun)
{
    int waits = 0;
    while (atomic_load_explicit(&p->done, memory_order_acquire) != begun) {
        if (++waits < WAITS_MAX) {
            pause_briefly();
        } else {
            sched_yield(); // a worker has lost its processor in the midst of a task
        }
    }
}

static void run_tasks(void *pool, task_function *task, void *context, uint32_t count)
{
    thread_pool *p = pool;
    ASSERT(count <= TASKS_MAX);
    if (p->threads == 1 || count < 2) {
        for (uint32_t i = 0; i < count; i++) {
            task(context, i);
        }
        return;
    }
    uint64_t round = (atomic_load_explicit(&p->offer, memory_order_relaxed) >> 32) + 1;
    atomic_store_explicit(&p->task, task, memory_order_relaxed);
    atomic_store_explicit(&p->context, context, memory_order_relaxed);
    atomic_store_explicit(&p->world, crash_world(), memory_order_relaxed);
    block_account *account = block_charge(NULL);
    block_charge(account);
    atomic_store_explicit(&p->account, account, memory_order_relaxed);
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    // The caller takes the first task before the workers learn of the round, so that the two do not
    // compete for the word at once.
    atomic_store(&p->offer, round << 32 | (uint64_t)count << 16 | 1);
    wake_sleepers(p);
    task(context, 0);
    uint32_t own = 1;
    uint32_t index;
    while (take(p, true, &index, &task, &context)) {
        task(context, index);
        own++;
    }
    wait_for_workers(p, count - own);
}

// ---- life

static void stop(thread_pool *p, int workers)
{
    atomic_store(&p->stopping, true);
    pthread_mutex_lock(&p->mutex);
    pthread_cond_broadcast(&p->woken);
    pthread_mutex_unlock(&p->mutex);
    for (int i = 0; i < workers; i++) {
        pthread_join(p->workers[i], NULL);
    }
    pthread_cond_destroy(&p->woken);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

status thread_pool_create(int threads, thread_pool **out, error *err)
{
    ASSERT(threads >= 1 && threads <= THREAD_POOL_THREADS_MAX);
    thread_pool *p = aligned_alloc(CACHE_LINE, sizeof *p);
    ASSERT_MEMORY(p != NULL);
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->woken, NULL);
    p->threads = threads;
    if (sched_getaffinity(0, sizeof p->allowed, &p->allowed) != 0) {
        CPU_ZERO(&p->allowed); // more processors than a set has room for
    }
    // Workers block signals: they are for the program that made the caller's thread.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    crash_leave_unblocked(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = 0;
    int workers = 0;
    while (workers < threads - 1 && result == 0) {
        result = pthread_create(&p->workers[workers], NULL, run_worker, p);
        workers += result == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result != 0) {
        stop(p, workers);
        return error_set(err, STATUS_INTERNAL, "no thread for a pool of %d: %s", threads,
                         strerror(result));
    }
    for (int i = 0; i < workers; i++) {
        pthread_setname_np(p->workers[i], "carom-pool");
    }
    *out = p;
    return STATUS_OK;
}

void thread_pool_lower(thread_pool *p, int by)
{
    atomic_store_explicit(&p->lower_by, by, memory_order_relaxed);
}

void thread_pool_destroy(thread_pool *p)
{
    if (p != NULL) {
        stop(p, p->threads - 1);
    }
}

task_runner thread_pool_runner(thread_pool *p)
{
    return (task_runner){.run = run_tasks, .pool = p, .threads = p->threads};
}
