// The simulation thread's loop and its two queues; see sim_thread.h. Each function says by its
// section on which thread it runs.
#include "server/world/tick/sim_thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/process/crash.h"
#include "server/world/tick/thread_pool.h"
#include "server/world/tick/served_world.h"
#include "server/base/queue.h"

enum {
    WORLD_LOAD = 20000, // millionths that a world counts, so that idle ones are spread out too
    LOAD_WINDOW_NS = 1000000000,
    FLUSH_NS = 200000000, // before the thread ends; below the server's DRAIN_MS
    FLUSH_POLL_NS = 200000,
    LOADS_LEAST = 200000,           // millionths: with less, no other thread has so much less to do
    LOADS_FULL = 900000,            // with more, its largest world makes the others wait,
    LOADS_LARGE = 250000,           // if it has so much
    CROWDED_NS = 100000000,         // between two words about a world that crowds others
    PARKED_NS = 10000000,           // of which it is parked, unless it is moved before
    FORESEEN_PARKED_NS = 250000000, // likewise, where its next step alone would be too long
    ALONE_NS = 100000000,           // step of a world that has the thread for itself: one may come
    ROUND_NS = 5000000,             // until requests are looked at again
    STEPS_LEAST_NS = 1000000,       // of it for steps of paused worlds, however soon a tick is due
    OWN_THREAD_NICE = 5             // a third of the weight that the other threads have
};

struct sim_thread {
    sim_thread_options options;
    pthread_t thread;
    pthread_t owner; // the network thread: it created the simulation thread, sends requests, takes
                     // replies
    thread_pool *pool; // lent to its worlds
    queue requests;
    queue replies;
    atomic_uint_fast64_t busy;        // millionths of the second before
    atomic_uint_fast64_t world_count; // those on their way here counted
    // the rest is the simulation thread's
    ARRAY(served_world *) worlds; // by ascending number
    ARRAY(served_world *) due;    // of the round under way, the one first that had least
    shares shares;                // of the worlds
    turn_queue steps;             // of those that stand and step
    bool stopping;                // REQUEST_STOP was taken
    bool hands_over;              // it said so
    bool over;                    // REPLY_STOPPED was sent
    bool paused;                  // hears of every request: it has no worlds, or one that stands
    int64_t flush_until_ns;       // while it stops; 0 before
    int64_t window_start_ns, window_busy_ns;
    permit permit; // of options.permits
};

static void post(void *context, reply *r)
{
    sim_thread *h = context;
    ASSERT(pthread_equal(pthread_self(), h->thread));
    queue_push_result result = queue_push(&h->replies, &r->node, false);
    ASSERT(result != QUEUE_FULL);
    if (result == QUEUE_FIRST) {
        h->options.wake(h->options.wake_context);
    }
}

// ---- requests

// The place of the first world whose number is not below.
static uint32_t place_of(const sim_thread *h, uint64_t number)
{
    uint32_t low = 0;
    uint32_t high = h->worlds.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (h->worlds.data[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static served_world *find_world(const sim_thread *h, uint64_t number)
{
    uint32_t at = place_of(h, number);
    bool found = at < h->worlds.count && h->worlds.data[at]->number == number;
    return found ? h->worlds.data[at] : NULL;
}

// Answers a request that no world answers.
static void answer_here(sim_thread *h, request *q, status s, const char *text)
{
    reply *r = reply_create(REPLY_RESULT, q->world);
    r->method = q->command.method;
    r->reply_to = q->reply_to;
    r->received_ns = q->received_ns;
    r->subscription = q->subscription;
    r->status = s;
    r->text = strdup(text);
    ASSERT_MEMORY(r->text != NULL);
    request_free(q);
    post(h, r);
}

// On the storage's thread. At most one word for each world is on its way.
static void on_committed(void *context)
{
    served_world *w = context;
    if (!atomic_exchange(&w->log.woken, true)) {
        sim_thread *h = atomic_load(&w->log.waker); // after: the world may just have moved
        request *word = request_create(REQUEST_COMMITTED, w->number);
        queue_push_result result = queue_push(&h->requests, &word->node, true);
        ASSERT(result != QUEUE_FULL);
    }
}

static void insert(sim_thread *h, served_world *w)
{
    uint32_t at = place_of(h, w->number); // one that was longer in the making may come later
    array_push(&h->worlds, w);
    memmove(h->worlds.data + at + 1, h->worlds.data + at,
            (h->worlds.count - 1 - at) * sizeof *h->worlds.data);
    h->worlds.data[at] = w;
    w->used = shares_hold(&h->shares, w->number);
    w->touched = true;
}

static void take_out(sim_thread *h, uint32_t at)
{
    served_world *w = h->worlds.data[at];
    turn_queue_remove(&h->steps, &w->step_job);
    shares_release(&h->shares, w->used);
    w->used = NULL;
    atomic_fetch_sub_explicit(&h->world_count, 1, memory_order_relaxed);
    h->worlds.count--;
    memmove(h->worlds.data + at, h->worlds.data + at + 1,
            (h->worlds.count - at) * sizeof *h->worlds.data);
}

static void note_thread(const sim_thread *h, const served_world *w)
{
    atomic_store_explicit(&w->metrics->thread, (uint32_t)h->options.index, memory_order_relaxed);
}

// Work for this world begins: faults are noted as its own, and so is memory.
static void enter_world(const served_world *w)
{
    crash_enter_world(w->number);
    block_charge(w->blocks);
}

static void leave_world(void)
{
    crash_enter_world(0);
    block_charge(NULL);
}

static void adopt(sim_thread *h, request *q)
{
    ASSERT(q->adoption != NULL && find_world(h, q->world) == NULL);
    block_charge(q->adoption->blocks);
    world_set_runner(q->adoption->physics, thread_pool_runner(h->pool));
    served_world *w = served_world_create(q->world, q->command.world, q->adoption,
                                          h->options.limits, (reply_sink){post, h},
                                          (served_world_clocks){clock_now_ns, clock_processor_ns});
    q->adoption = NULL;
    w->runner = thread_pool_runner(h->pool);
    w->log.waker = h;
    if (w->log.stored != NULL) {
        storage_watch(w->log.stored, on_committed, w);
    }
    served_world_adopted(w, q);
    leave_world();
    insert(h, w);
    note_thread(h, w);
}

// ---- worlds that move to another thread

static void post_about(sim_thread *h, reply_kind kind, uint64_t world, served_world *moved)
{
    reply *r = reply_create(kind, world);
    r->moved = moved;
    post(h, r);
}

// An ended world stays: it waits for its log alone.
static void release(sim_thread *h, request *q)
{
    uint32_t at = place_of(h, q->world);
    served_world *w = find_world(h, q->world);
    bool leaves = w != NULL && !w->ended;
    if (leaves) {
        take_out(h, at);
    }
    post_about(h, REPLY_RELEASED, q->world, leaves ? w : NULL);
    request_free(q);
}

static void take(sim_thread *h, request *q)
{
    served_world *w = q->moved;
    q->moved = NULL;
    ASSERT(w != NULL && w->number == q->world && find_world(h, q->world) == NULL);
    request_free(q);
    enter_world(w);
    w->runner = thread_pool_runner(h->pool);
    world_set_runner(w->physics, w->runner);
    atomic_store(&w->log.waker, h);
    served_world_move(w, (reply_sink){post, h});
    leave_world();
    insert(h, w);
    note_thread(h, w);
}

// How long a step of the world may take here, as far as that can be foreseen.
static int64_t step_most_ns(const sim_thread *h, const served_world *w)
{
    if (h->options.own_thread || h->options.turned || h->options.limits->own_threads == 0) {
        return INT64_MAX;
    }
    return h->worlds.count > 1 ? served_world_fair_step_ns(w) : ALONE_NS;
}

// A world that makes others wait is told of, so that it gets a thread apart. Until then, or for a
// while where there is none, it waits itself.
static void note_crowding(sim_thread *h, served_world *w, int64_t now)
{
    const bool crowds =
        h->worlds.count > 1 && served_world_crowds(w) && now - w->crowded_ns >= CROWDED_NS;
    if ((w->waits_for_own_thread || crowds) && !h->options.own_thread && !h->options.turned) {
        w->crowded_ns = now;
        w->parked_ns = now + (w->waits_for_own_thread ? FORESEEN_PARKED_NS : PARKED_NS);
        post_about(h, REPLY_CROWDED, w->number, NULL);
    }
}

static void route(sim_thread *h, request *q)
{
    ASSERT(q->kind == REQUEST_STOP || q->world != 0);
    if (q->kind == REQUEST_STOP) {
        h->stopping = true;
        h->hands_over = q->hand_over;
        request_free(q);
        return;
    }
    if (q->kind == REQUEST_ADOPT) {
        adopt(h, q);
        return;
    }
    if (q->kind == REQUEST_RELEASE) {
        release(h, q);
        return;
    }
    if (q->kind == REQUEST_TAKE) {
        take(h, q);
        return;
    }
    served_world *w = find_world(h, q->world);
    if (w != NULL && (!w->ended || q->kind == REQUEST_COMMITTED)) {
        enter_world(w);
        served_world_deliver(w, q);
        leave_world();
        w->touched = true;
    } else if (q->kind == REQUEST_COMMAND) {
        answer_here(h, q, STATUS_NOT_FOUND, "world: it was destroyed");
    } else if (q->kind == REQUEST_RESUME) {
        reply *taken = reply_create(REPLY_RESUMED, q->world);
        taken->reply_to = q->reply_to;
        request_free(q);
        post(h, taken);
    } else {
        request_free(q);
    }
}

static void route_all(sim_thread *h, queue_node *chain)
{
    while (chain != NULL) {
        request *q = (request *)chain;
        chain = chain->next;
        route(h, q);
    }
}

// ---- the thread

static int compare_used(const void *a, const void *b, void *context)
{
    const shares *all = context;
    const served_world *x = *(served_world *const *)a;
    const served_world *y = *(served_world *const *)b;
    const int64_t used_x = shares_used(all, x->used);
    const int64_t used_y = shares_used(all, y->used);
    const int order = (used_x > used_y) - (used_x < used_y);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static bool is_parked(const served_world *w, int64_t now)
{
    return now < w->parked_ns && !w->ended;
}

// Worlds that have something to do now, those first that had least of the thread's time.
static void choose_due(sim_thread *h, int64_t now)
{
    array_clear(&h->due);
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        served_world *w = h->worlds.data[i];
        if (!is_parked(w, now) && (w->touched || served_world_next_ns(w) <= now)) {
            array_push(&h->due, w);
        }
    }
    if (h->due.count > 1) {
        qsort_r(h->due.data, h->due.count, sizeof *h->due.data, compare_used, &h->shares);
    }
}

static void charge(sim_thread *h, served_world *w, int64_t ns)
{
    shares_charge(&h->shares, w->used, ns);
    w->load_ns += ns;
}

static void run_world(sim_thread *h, served_world *w)
{
    const int64_t begin = clock_now_ns();
    const bool waited = w->parked_ns != 0; // and no thread has taken it
    served_world_bound_step(w, waited ? INT64_MAX : step_most_ns(h, w));
    w->parked_ns = 0;
    w->touched = false;
    w->alone = h->worlds.count == 1;
    shares_serve(&h->shares, w->used);
    enter_world(w);
    served_world_run(w);
    leave_world();
    const int64_t end = clock_now_ns();
    charge(h, w, end - begin);
    note_crowding(h, w, end);
}

static job_progress step_world(turn_job *job, const turn *slice)
{
    served_world *w = (served_world *)((char *)job - offsetof(served_world, step_job));
    const int64_t begin = clock_now_ns();
    enter_world(w);
    served_world_step(w, slice);
    leave_world();
    w->load_ns += clock_now_ns() - begin;
    return served_world_steps(w) && !w->waits_for_own_thread ? JOB_GOES_ON : JOB_DONE;
}

// A turn for all steps of worlds that stand: as long as nothing else is due, and some in any case.
static bool run_steps(sim_thread *h, int64_t next)
{
    const int64_t now = clock_now_ns();
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        served_world *w = h->worlds.data[i];
        if (served_world_steps(w) && !is_parked(w, now) && !turn_job_queued(&w->step_job)) {
            served_world_bound_step(w, w->parked_ns != 0 ? INT64_MAX : step_most_ns(h, w));
            w->parked_ns = 0;
            turn_queue_add(&h->steps, &w->step_job, step_world, w->stepping->reply_to.subject);
        }
    }
    int64_t length = next != QUEUE_FOREVER && next - now < ROUND_NS ? next - now : ROUND_NS;
    length = length > STEPS_LEAST_NS ? length : STEPS_LEAST_NS;
    const turn t = turn_begin(clock_now_ns, length);
    const bool left = turn_queue_run(&h->steps, &t);
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        if (h->worlds.data[i]->waits_for_own_thread) {
            note_crowding(h, h->worlds.data[i], clock_now_ns());
        }
    }
    return left;
}

static void drop_settled(sim_thread *h)
{
    for (uint32_t i = h->worlds.count; i > 0; i--) {
        served_world *w = h->worlds.data[i - 1];
        if (w->ended && served_world_settled(w)) {
            take_out(h, i - 1);
            served_world_destroy(w, STATUS_NOT_FOUND, "the world was destroyed");
        }
    }
}

// When the first world wants to run.
static int64_t next_due(const sim_thread *h, bool *paused)
{
    const int64_t now = clock_now_ns();
    int64_t next = QUEUE_FOREVER;
    *paused = h->worlds.count == 0;
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        const served_world *w = h->worlds.data[i];
        int64_t wants = w->touched ? 0 : served_world_next_ns(w);
        wants = is_parked(w, now) ? w->parked_ns : wants;
        if (wants != QUEUE_FOREVER && (next == QUEUE_FOREVER || wants < next)) {
            next = wants;
        }
        *paused = *paused || w->paused;
    }
    return next;
}

// Runs worlds that have something to do, for a round; returns when the first wants to run again.
static int64_t run_worlds(sim_thread *h, bool *paused)
{
    const turn round = turn_begin(clock_now_ns, ROUND_NS);
    choose_due(h, round.begin_ns);
    for (uint32_t i = 0; i < h->due.count && (i == 0 || !turn_over(&round)); i++) {
        run_world(h, h->due.data[i]);
    }
    drop_settled(h);
    const bool steps = run_steps(h, next_due(h, paused));
    const int64_t next = next_due(h, paused);
    return steps ? 0 : next;
}

// A thread that is full, by worlds none of which takes half of it: the largest one goes, if it has
// far more than its share. Steps of worlds that stand only have what is left.
static void relieve(sim_thread *h, const reply *loads, double busy)
{
    const world_load *most = NULL;
    for (uint32_t i = 0; i < loads->load_count; i++) {
        const served_world *w = find_world(h, loads->loads[i].world);
        if (!w->paused && (most == NULL || loads->loads[i].share > most->share)) {
            most = &loads->loads[i];
        }
    }
    if (most != NULL && busy * 1e6 >= LOADS_FULL && most->share >= LOADS_LARGE &&
        2 * most->share * loads->load_count >= 3 * 1000000 && !h->options.own_thread) {
        post_about(h, REPLY_CROWDED, most->world, NULL);
    }
}

// A busy thread with several worlds may be relieved of one.
static void tell_loads(sim_thread *h, int64_t length, double busy)
{
    bool told = h->worlds.count > 1 && busy * 1e6 >= LOADS_LEAST && !h->options.turned;
    reply *r = told ? reply_create(REPLY_LOADS, 0) : NULL;
    if (told) {
        r->loads = malloc(h->worlds.count * sizeof *r->loads);
        ASSERT_MEMORY(r->loads != NULL);
    }
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        served_world *w = h->worlds.data[i];
        if (told && !w->ended) {
            uint64_t load = (uint64_t)((double)w->load_ns / (double)length * 1e6);
            r->loads[r->load_count++] = (world_load){w->number, load};
        }
        w->load_ns = 0;
    }
    if (told) {
        relieve(h, r, busy);
        post(h, r);
    }
}

// `forever`: the thread is about to wait without end.
static void note_load(sim_thread *h, int64_t begin, int64_t end, bool forever)
{
    h->window_busy_ns += end - begin;
    int64_t length = end - h->window_start_ns;
    if (length >= LOAD_WINDOW_NS || forever) {
        double busy = forever ? 0.0 : (double)h->window_busy_ns / (double)length;
        atomic_store_explicit(&h->busy, (uint64_t)(busy * 1e6), memory_order_relaxed);
        tell_loads(h, length, busy);
        h->window_start_ns = end;
        h->window_busy_ns = 0;
    }
}

// A world without a log goes to the next process as it is, one with a log by that; see handover.h.
static void post_image(sim_thread *h, const served_world *w)
{
    reply *r = reply_create(REPLY_IMAGE, w->number);
    r->end = served_world_end(w);
    bool whole = r->end.kind == WORLD_END_BARE || r->end.kind == WORLD_END_LOGGED;
    r->payload = whole ? served_world_image(w) : NULL;
    post(h, r);
}

// The end: commits and tells everything that was applied by now, if the disk is not too slow.
// Returns when to look again.
static int64_t stop_worlds(sim_thread *h)
{
    int64_t now = clock_now_ns();
    h->flush_until_ns = h->flush_until_ns == 0 ? now + FLUSH_NS : h->flush_until_ns;
    bool held = false;
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        enter_world(h->worlds.data[i]);
        held = served_world_flush(h->worlds.data[i]) || held;
        leave_world();
    }
    if (held && now < h->flush_until_ns) {
        return now + FLUSH_POLL_NS;
    }
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        if (h->hands_over) {
            enter_world(h->worlds.data[i]);
            post_image(h, h->worlds.data[i]);
            leave_world();
        }
        turn_queue_remove(&h->steps, &h->worlds.data[i]->step_job);
        shares_release(&h->shares, h->worlds.data[i]->used);
        served_world_destroy(h->worlds.data[i], STATUS_UNAVAILABLE, "the server is shutting down");
    }
    array_free(&h->worlds);
    h->over = true;
    post(h, reply_create(REPLY_STOPPED, 0));
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

// One round with what was sent; returns when the next is due.
static int64_t do_round(sim_thread *h, queue_node *chain)
{
    int64_t begin = clock_now_ns();
    route_all(h, chain);
    if (h->stopping) {
        return h->over ? QUEUE_FOREVER : stop_worlds(h);
    }
    if (h->options.permits != NULL && !permit_ask(h->options.permits, &h->permit)) {
        return QUEUE_FOREVER; // it is woken when it has one
    }
    int64_t next = run_worlds(h, &h->paused);
    const int64_t end = clock_now_ns();
    if (h->options.permits != NULL) {
        permit_give_back(h->options.permits, &h->permit, share_of_each(h, end - begin));
    }
    note_load(h, begin, end, next == QUEUE_FOREVER);
    return next;
}

static void *run(void *argument)
{
    sim_thread *h = argument;
    h->window_start_ns = clock_now_ns();
    if (h->options.own_thread) {
        // Of this thread alone, on Linux.
        (void)!nice(OWN_THREAD_NICE);
        thread_pool_lower(h->pool, OWN_THREAD_NICE);
    }
    if (h->options.permits != NULL) {
        permit_begin(h->options.permits, &h->permit, (uint64_t)h->options.index, wake_permitted, h);
    }
    int64_t next = QUEUE_FOREVER;
    while (!h->over) {
        bool due = next != QUEUE_FOREVER && next <= clock_now_ns();
        next =
            do_round(h, due ? queue_take(&h->requests) : queue_wait(&h->requests, next, h->paused));
    }
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
    const limits *bounds = options->limits;
    uint64_t worlds = worlds_max(options);
    uint64_t commands = bounds->commands_per_world * worlds;
    uint64_t sessions = bounds->connections + bounds->detached_sessions;
    uint64_t readers = sessions * bounds->subscriptions_per_connection;
    return 4 * commands + (4 + PACKED_IN_FLIGHT_MAX) * readers + 1024 + 5 * worlds +
           2 * sessions * worlds;
}

status sim_thread_create(const sim_thread_options *options, sim_thread **out, error *err)
{
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
    turn_queue_init(&h->steps, (uint32_t)worlds_max(options));
    h->paused = true;
    if (options->turned) {
        h->thread = h->owner;
        h->window_start_ns = clock_now_ns();
        *out = h;
        return STATUS_OK;
    }
    // Signals are the network thread's.
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
