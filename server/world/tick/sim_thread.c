// A simulation thread from its beginning to its end, and its two queues; see sim_thread.h. Its
// worlds are in sim_thread_worlds.c, its rounds in sim_thread_rounds.c. Each function says by its
// section on which thread it runs.
#include "server/world/tick/sim_thread_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/base/home.h"
#include "server/process/crash.h"

enum {
    WORLD_LOAD = 20000,   // millionths that a world counts, so that idle ones are spread out too
    FLUSH_NS = 200000000, // time to flush logs before the thread ends; below the server's DRAIN_MS
    FLUSH_POLL_NS = 200000,
    HOMING_NS = 1000000000, // time between two looks for what comes home while nothing else is due
    OWN_THREAD_NICE = 5     // a third of the weight that the other threads have
};

// ---- the simulation thread

void sim_thread_post(void *context, reply *r)
{
    sim_thread *h = context;
    ASSERT(pthread_equal(pthread_self(), h->thread));
    queue_push_result result = queue_push(&h->replies, &r->node, false);
    ASSERT(result != QUEUE_FULL);
    if (result == QUEUE_FIRST) {
        h->options.wake(h->options.wake_context);
    }
}

void sim_thread_post_about(sim_thread *h, reply_kind kind, uint64_t world, served_world *moved)
{
    reply *r = reply_create(kind, world);
    r->moved = moved;
    sim_thread_post(h, r);
}

// Passes a world to the next process: one without a log as an image, one with a log by its log; see
// handover.h.
static void post_image(sim_thread *h, const served_world *w)
{
    reply *r = reply_create(REPLY_IMAGE, w->number);
    r->end = served_world_end(w);
    bool whole = r->end.kind == WORLD_END_BARE || r->end.kind == WORLD_END_LOGGED;
    r->payload = whole ? served_world_image(w) : NULL;
    sim_thread_post(h, r);
}

// The end: commits everything applied so far and sends the replies, if the disk is not too slow.
// Returns when to check again.
static int64_t stop_worlds(sim_thread *h)
{
    ASSERT(h->stopping && !h->over);
    int64_t now = clock_now_ns();
    h->flush_until_ns = h->flush_until_ns == 0 ? now + FLUSH_NS : h->flush_until_ns;
    bool held = false;
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        sim_thread_enter_world(h->worlds.data[i]);
        held = served_world_flush(h->worlds.data[i]) || held;
        sim_thread_leave_world();
    }
    if (held && now < h->flush_until_ns) {
        return now + FLUSH_POLL_NS;
    }
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        if (h->hands_over) {
            sim_thread_enter_world(h->worlds.data[i]);
            post_image(h, h->worlds.data[i]);
            sim_thread_leave_world();
        }
        turn_queue_remove(&h->steps, &h->worlds.data[i]->place.step_job);
        shares_release(&h->shares, h->worlds.data[i]->place.used);
        served_world_destroy(h->worlds.data[i], STATUS_UNAVAILABLE, "the server is shutting down");
    }
    array_free(&h->worlds);
    h->over = true;
    sim_thread_post(h, reply_create(REPLY_STOPPED, 0));
    return QUEUE_FOREVER;
}

// Each of its worlds counts like one that has a thread for itself.
static int64_t share_of_each(const sim_thread *h, int64_t ns)
{
    return h->worlds.count > 1 ? ns / h->worlds.count : ns;
}

static void wake_permitted(void *context)
{
    sim_thread *h = context;
    queue_wake(&h->requests);
}

// Does one round with the sent requests; returns the time of the next one.
static int64_t do_round(sim_thread *h, queue_node *chain)
{
    int64_t begin = clock_now_ns();
    const bool returned = home_collect();
    const bool unrouted = sim_thread_route(h, chain) || returned;
    if (h->stopping) {
        return h->over ? QUEUE_FOREVER : stop_worlds(h);
    }
    if (h->options.permits != NULL && !permit_ask(h->options.permits, &h->permit)) {
        return unrouted ? 0 : QUEUE_FOREVER; // it is woken when it gets one
    }
    const int64_t before = h->options.permits != NULL ? clock_processor_ns() : 0;
    atomic_store_explicit(&h->round_ns, begin, memory_order_relaxed);
    int64_t next = sim_thread_run_worlds(h, &h->paused);
    atomic_store_explicit(&h->round_ns, 0, memory_order_relaxed);
    next = unrouted ? 0 : next;
    const int64_t end = clock_now_ns();
    if (h->options.permits != NULL) {
        permit_give_back(h->options.permits, &h->permit,
                         share_of_each(h, clock_processor_ns() - before));
    }
    sim_thread_note_load(h, begin, end, next == QUEUE_FOREVER);
    return next;
}

static void *run(void *argument)
{
    sim_thread *h = argument;
    h->window_start_ns = clock_now_ns();
    if (h->options.own_thread) {
        // affects only this thread, on Linux
        (void)!nice(OWN_THREAD_NICE);
        thread_pool_lower(h->pool, OWN_THREAD_NICE);
    }
    if (h->options.permits != NULL) {
        permit_begin(h->options.permits, &h->permit, (uint64_t)h->options.index, wake_permitted, h);
    }
    home_begin();
    int64_t next = QUEUE_FOREVER;
    while (!h->over) {
        bool due = next != QUEUE_FOREVER && next <= clock_now_ns();
        next =
            do_round(h, due ? queue_take(&h->requests) : queue_wait(&h->requests, next, h->paused));
        next = next == QUEUE_FOREVER && home_misses() ? clock_now_ns() + HOMING_NS : next;
    }
    home_end();
    if (h->options.permits != NULL) {
        permit_end(h->options.permits, &h->permit);
    }
    return NULL;
}

int64_t sim_thread_turn(sim_thread *h)
{
    ASSERT(h->options.turned);
    return do_round(h, queue_take(&h->requests));
}

// ---- the network thread's side

static uint64_t worlds_max(const sim_thread_options *options)
{
    return limits_worlds_in_all(options->limits) + options->restored_worlds;
}

static uint64_t queue_max(const sim_thread_options *options)
{
    // Commands of all worlds; for each subscription, those included that commands are about to
    // make, as many snapshots and acknowledgements as may be on their way, and an end. Word of each
    // world's log, and its figures. Each session's end in each world, and its subscriptions' there.
    // The leaves of all seats. The log of mirrors.
    const limits *bounds = options->limits;
    uint64_t worlds = worlds_max(options);
    uint64_t commands = bounds->commands_per_world * worlds;
    uint64_t sessions = bounds->connections + bounds->detached_sessions;
    uint64_t readers = sessions * bounds->subscriptions_per_connection;
    return 4 * commands + (4 + PACKED_IN_FLIGHT_MAX) * readers + 1024 + 5 * worlds +
           2 * sessions * worlds + (WORLD_SEATS_MAX + MIRROR_ITEMS_MAX) * worlds;
}

status sim_thread_create(const sim_thread_options *options, sim_thread **out, error *err)
{
    ASSERT(options->limits != NULL && options->wake != NULL && options->world_threads > 0);
    sim_thread *h = calloc(1, sizeof *h);
    ASSERT_MEMORY(h != NULL);
    h->options = *options;
    h->owner = pthread_self();
    status s = thread_pool_create(options->world_threads, &h->pool, err);
    if (s != STATUS_OK) {
        free(h);
        return s;
    }
    queue_init(&h->requests, queue_max(options));
    queue_init(&h->replies, queue_max(options));
    turn_queue_init(&h->steps, (uint32_t)worlds_max(options), clock_processor_ns);
    h->paused = true;
    if (options->turned) {
        h->thread = h->owner;
        h->window_start_ns = clock_now_ns();
        *out = h;
        return STATUS_OK;
    }
    // The network thread handles signals.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    crash_leave_unblocked(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&h->thread, NULL, run, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result != 0) {
        thread_pool_destroy(h->pool);
        queue_deinit(&h->requests);
        queue_deinit(&h->replies);
        free(h);
        return error_set(err, STATUS_INTERNAL, "no thread for simulation: %s", strerror(result));
    }
    char name[16];
    snprintf(name, sizeof name, "carom-sim-%d", options->index);
    pthread_setname_np(h->thread, name);
    *out = h;
    return STATUS_OK;
}

bool sim_thread_send(sim_thread *h, request *r)
{
    ASSERT(pthread_equal(pthread_self(), h->owner));
    ASSERT((r->kind == REQUEST_ADOPT) == (r->adoption != NULL));
    bool comes = r->kind == REQUEST_ADOPT || r->kind == REQUEST_TAKE;
    bool urgent = comes || r->kind == REQUEST_STOP || r->kind == REQUEST_RELEASE ||
                  r->kind == REQUEST_LEAVE || r->kind == REQUEST_HALT || r->kind == REQUEST_GO_ON ||
                  r->kind == REQUEST_REPLICATE || r->kind == REQUEST_RECORD ||
                  r->command.method == METHOD_WORLD_LIST;
    uint64_t worlds = comes ? 1 : 0;
    if (queue_push(&h->requests, &r->node, urgent) == QUEUE_FULL) {
        request_free(r);
        return false;
    }
    atomic_fetch_add_explicit(&h->world_count, worlds, memory_order_relaxed);
    return true;
}

reply *sim_thread_take(sim_thread *h)
{
    ASSERT(pthread_equal(pthread_self(), h->owner));
    return (reply *)queue_take(&h->replies);
}

bool sim_thread_empty(const sim_thread *h)
{
    return atomic_load_explicit(&h->world_count, memory_order_relaxed) == 0;
}

uint64_t sim_thread_busy(const sim_thread *h)
{
    return atomic_load_explicit(&h->busy, memory_order_relaxed);
}

int64_t sim_thread_round_ns(const sim_thread *h)
{
    return atomic_load_explicit(&h->round_ns, memory_order_relaxed);
}

uint64_t sim_thread_load(const sim_thread *h)
{
    uint64_t worlds = atomic_load_explicit(&h->world_count, memory_order_relaxed);
    return sim_thread_busy(h) + worlds * WORLD_LOAD;
}

void sim_thread_destroy(sim_thread *h)
{
    if (!h->options.turned) {
        pthread_join(h->thread, NULL);
    }
    thread_pool_destroy(h->pool);
    for (reply *r = sim_thread_take(h); r != NULL;) {
        reply *next = (reply *)r->node.next;
        reply_free(r);
        r = next;
    }
    for (request *q = (request *)queue_take(&h->requests); q != NULL;) {
        request *next = (request *)q->node.next;
        request_free(q);
        q = next;
    }
    queue_deinit(&h->requests);
    queue_deinit(&h->replies);
    turn_queue_deinit(&h->steps);
    shares_deinit(&h->shares);
    array_free(&h->due);
    free(h);
}
