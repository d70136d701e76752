// A round of tasks is one word, `offer`: its number, and which of its tasks nobody has taken yet,
// as a first and a last. The captain takes from the front and helpers from the back, so that in
// rounds over the same data each meets again what is in its cache. A task is taken by changing the
// word as a whole; one that has read of a round that is over meanwhile finds another number there
// and has taken nothing.
//
// What the tasks are is written before the offer of a round is, and not again before all of its
// tasks are taken and done; so whoever takes one has read of the right round, though perhaps before
// of another. Helpers count what they have done; the captain waits until that and its own make up
// the round.
#include "server/world/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>

#include "common/base/assert.h"

enum {
    LOOKS_MAX =
        500, // at the offer before a helper lets others have its processor: some microseconds
    YIELDS_MAX = 400, // and looks again so often before it sleeps: one or two hundred microseconds,
                      // as long as what a step does on one thread between two rounds
    WAITS_MAX = 4000, // at the count of what is done before the captain gives its processor away
    CACHE_LINE = 64
};

_Static_assert(TASKS_MAX < 1 << 16, "first and last task fit 16 bits each");

struct crew {
    // One line that everyone reads, and that changes with each task.
    _Alignas(CACHE_LINE) atomic_uint_fast64_t offer; // round << 32 | last << 16 | first
    _Atomic(task_function *) task;
    _Atomic(void *) context;
    // One line that helpers write to and the captain waits at.
    _Alignas(CACHE_LINE) atomic_uint_fast32_t done; // tasks, of helpers, in this round
    _Alignas(CACHE_LINE) atomic_int sleepers;
    pthread_mutex_t mutex; // for sleeping and waking only
    pthread_cond_t woken;
    atomic_bool stopping;
    atomic_int captain_at; // the processor from which helpers were last woken
    cpu_set_t allowed;     // processors, as the crew was made; none: not known
    int threads;           // the captain's included
    pthread_t helpers[CREW_THREADS_MAX - 1];
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

static uint32_t last_of(uint64_t offer) // one more than the last
{
    return (uint32_t)offer >> 16;
}

static bool is_taken(uint64_t offer)
{
    return first_of(offer) == last_of(offer);
}

// Takes a task of the offered round. False: there is none.
static bool take(crew *c, bool captain, uint32_t *index, task_function **task, void **context)
{
    uint64_t offer = atomic_load_explicit(&c->offer, memory_order_acquire);
    while (!is_taken(offer)) {
        *task = atomic_load_explicit(&c->task, memory_order_relaxed);
        *context = atomic_load_explicit(&c->context, memory_order_relaxed);
        *index = captain ? first_of(offer) : last_of(offer) - 1;
        uint64_t rest = captain ? offer + 1 : offer - (1u << 16);
        if (atomic_compare_exchange_weak_explicit(&c->offer, &offer, rest, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

// ---- helpers

static bool help(crew *c)
{
    uint32_t index;
    task_function *task;
    void *context;
    if (!take(c, false, &index, &task, &context)) {
        return false;
    }
    task(context, index);
    atomic_fetch_add_explicit(&c->done, 1, memory_order_release);
    return true;
}

// Some systems wake a thread on the processor of the one that wakes it even while others idle, and
// leave both there for milliseconds: longer than most steps. A helper that finds itself there
// moves, and stays away until it meets the captain elsewhere.
static void leave_captain(const crew *c)
{
    const int captain_at = atomic_load_explicit(&c->captain_at, memory_order_relaxed);
    if (captain_at < 0 || captain_at >= CPU_SETSIZE || sched_getcpu() != captain_at) {
        return;
    }
    cpu_set_t others = c->allowed;
    CPU_CLR((size_t)captain_at, &others);
    if (CPU_COUNT(&others) > 0) {
        // If it may not, it stays: that costs time and nothing else.
        (void)sched_setaffinity(0, sizeof others, &others);
    }
}

// Until there is something to do, or the crew is to stop.
static void sleep_until_woken(crew *c)
{
    pthread_mutex_lock(&c->mutex);
    // Counted first, and looked once more then: whoever makes an offer looks at the count after.
    atomic_fetch_add(&c->sleepers, 1);
    while (is_taken(atomic_load(&c->offer)) && !atomic_load(&c->stopping)) {
        pthread_cond_wait(&c->woken, &c->mutex);
    }
    atomic_fetch_sub(&c->sleepers, 1);
    pthread_mutex_unlock(&c->mutex);
    leave_captain(c);
}

static void *run_helper(void *argument)
{
    crew *c = argument;
    int looks = 0;
    while (!atomic_load_explicit(&c->stopping, memory_order_relaxed)) {
        if (help(c)) {
            looks = 0;
        } else if (++looks < LOOKS_MAX) {
            pause_briefly();
        } else if (looks < LOOKS_MAX + YIELDS_MAX) {
            sched_yield();
        } else {
            sleep_until_woken(c);
            looks = 0;
        }
    }
    return NULL;
}

static void wake_sleepers(crew *c)
{
    if (atomic_load(&c->sleepers) > 0) {
        atomic_store_explicit(&c->captain_at, sched_getcpu(), memory_order_relaxed);
        pthread_mutex_lock(&c->mutex);
        pthread_cond_broadcast(&c->woken);
        pthread_mutex_unlock(&c->mutex);
    }
}

// ---- the captain

static void wait_for_helpers(crew *c, uint32_t begun)
{
    int waits = 0;
    while (atomic_load_explicit(&c->done, memory_order_acquire) != begun) {
        if (++waits < WAITS_MAX) {
            pause_briefly();
        } else {
            sched_yield(); // a helper has lost its processor in the midst of a task
        }
    }
}

static void run_tasks(void *crew_, task_function *task, void *context, uint32_t count)
{
    crew *c = crew_;
    ASSERT(count <= TASKS_MAX);
    if (c->threads == 1 || count < 2) {
        for (uint32_t i = 0; i < count; i++) {
            task(context, i);
        }
        return;
    }
    uint64_t round = (atomic_load_explicit(&c->offer, memory_order_relaxed) >> 32) + 1;
    atomic_store_explicit(&c->task, task, memory_order_relaxed);
    atomic_store_explicit(&c->context, context, memory_order_relaxed);
    atomic_store_explicit(&c->done, 0, memory_order_relaxed);
    // The first is the captain's before anyone is told of the round, so that the two do not meet at
    // the word at once.
    atomic_store(&c->offer, round << 32 | (uint64_t)count << 16 | 1);
    wake_sleepers(c);
    task(context, 0);
    uint32_t own = 1;
    uint32_t index;
    while (take(c, true, &index, &task, &context)) {
        task(context, index);
        own++;
    }
    wait_for_helpers(c, count - own);
}

// ---- life

static void stop(crew *c, int helpers)
{
    atomic_store(&c->stopping, true);
    pthread_mutex_lock(&c->mutex);
    pthread_cond_broadcast(&c->woken);
    pthread_mutex_unlock(&c->mutex);
    for (int i = 0; i < helpers; i++) {
        pthread_join(c->helpers[i], NULL);
    }
    pthread_cond_destroy(&c->woken);
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

status crew_create(int threads, crew **out, error *err)
{
    ASSERT(threads >= 1 && threads <= CREW_THREADS_MAX);
    crew *c = aligned_alloc(CACHE_LINE, sizeof *c);
    ASSERT(c != NULL);
    memset(c, 0, sizeof *c);
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->woken, NULL);
    c->threads = threads;
    if (sched_getaffinity(0, sizeof c->allowed, &c->allowed) != 0) {
        CPU_ZERO(&c->allowed); // more processors than a set has room for
    }
    // Signals are for who made the captain.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = 0;
    int helpers = 0;
    while (helpers < threads - 1 && result == 0) {
        result = pthread_create(&c->helpers[helpers], NULL, run_helper, c);
        helpers += result == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result != 0) {
        stop(c, helpers);
        return error_set(err, STATUS_INTERNAL, "no thread for a crew of %d: %s", threads,
                         strerror(result));
    }
    for (int i = 0; i < helpers; i++) {
        pthread_setname_np(c->helpers[i], "carom-crew");
    }
    *out = c;
    return STATUS_OK;
}

void crew_destroy(crew *c)
{
    if (c != NULL) {
        stop(c, c->threads - 1);
    }
}

task_runner crew_runner(crew *c)
{
    return (task_runner){.run = run_tasks, .crew = c, .threads = c->threads};
}
