// The worlds of a simulation thread, and the requests to them: a world comes (built, or from
// another thread), is found by its number, and leaves. See sim_thread.h. The simulation thread.
#include "server/world/tick/sim_thread_internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/process/crash.h"

// Time of a round for requests that have arrived. Taking over a built world takes a tenth of a
// millisecond, and thousands may arrive at once.
static const int64_t ROUTE_NS = 1000000;

// Work for this world begins: crashes are reported with its name, and memory is counted for it.
void sim_thread_enter_world(const served_world *w)
{
    crash_enter_world(w->number);
    block_charge(w->blocks);
}

void sim_thread_leave_world(void)
{
    crash_enter_world(0);
    block_charge(NULL);
}

// The index of the first world whose number is not below `number`.
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

served_world *sim_thread_find_world(const sim_thread *h, uint64_t number)
{
    uint32_t at = place_of(h, number);
    bool found = at < h->worlds.count && h->worlds.data[at]->number == number;
    return found ? h->worlds.data[at] : NULL;
}

// Answers a request that no world answers.
static void answer_here(sim_thread *h, request *q, status s, const char *text)
{
    reply *r = reply_create_refusal(q, s, text);
    request_free(q);
    sim_thread_post(h, r);
}

// Runs on the storage's thread. At most one notification for each world is on its way.
static void on_committed(void *context)
{
    served_world *w = context;
    sim_thread *h = world_log_claim_waker(&w->log);
    if (h != NULL) {
        request *word = request_create(REQUEST_COMMITTED, w->number);
        queue_push_result result = queue_push(&h->requests, &word->node, true);
        ASSERT(result != QUEUE_FULL);
    }
}

static void insert(sim_thread *h, served_world *w)
{
    uint32_t at = place_of(h, w->number); // a world that took longer to make may arrive later
    ASSERT(at == h->worlds.count || h->worlds.data[at]->number != w->number);
    array_insert(&h->worlds, at, w);
    w->place.used = shares_hold(&h->shares, w->number);
    w->place.request_arrived = true;
}

void sim_thread_take_out(sim_thread *h, uint32_t at)
{
    ASSERT(at < h->worlds.count);
    served_world *w = h->worlds.data[at];
    turn_queue_remove(&h->steps, &w->place.step_job);
    shares_release(&h->shares, w->place.used);
    w->place.used = NULL;
    atomic_fetch_sub_explicit(&h->world_count, 1, memory_order_relaxed);
    array_remove(&h->worlds, at);
}

static void note_thread(const sim_thread *h, const served_world *w)
{
    atomic_store_explicit(&w->place.metrics->thread, (uint32_t)h->options.index,
                          memory_order_relaxed);
}

static void adopt(sim_thread *h, request *q)
{
    const int64_t begin = clock_processor_ns();
    ASSERT(q->adoption != NULL && sim_thread_find_world(h, q->world) == NULL);
    block_charge(q->adoption->blocks);
    world_set_runner(q->adoption->physics, thread_pool_runner(h->pool));
    served_world *w = served_world_create(q->world, q->command.world, q->adoption,
                                          h->options.limits, (reply_sink){sim_thread_post, h},
                                          (served_world_clocks){clock_now_ns, clock_processor_ns});
    q->adoption = NULL;
    w->runner = thread_pool_runner(h->pool);
    world_log_watch(&w->log, h, on_committed, w);
    served_world_adopted(w, q);
    sim_thread_leave_world();
    insert(h, w);
    note_thread(h, w);
    // Else worlds without end would each come as the one that has used the least.
    shares_charge(&h->shares, w->place.used, clock_processor_ns() - begin);
}

// ---- worlds that move to another thread

// An ended world stays: it only waits for its log.
static void release(sim_thread *h, request *q)
{
    uint32_t at = place_of(h, q->world);
    served_world *w = sim_thread_find_world(h, q->world);
    bool leaves = w != NULL && !served_world_has_ended(w);
    if (leaves) {
        sim_thread_take_out(h, at);
    }
    sim_thread_post_about(h, REPLY_RELEASED, q->world, leaves ? w : NULL);
    request_free(q);
}

static void take(sim_thread *h, request *q)
{
    served_world *w = q->moved;
    q->moved = NULL;
    ASSERT(w != NULL && w->number == q->world && sim_thread_find_world(h, q->world) == NULL);
    request_free(q);
    sim_thread_enter_world(w);
    w->runner = thread_pool_runner(h->pool);
    world_set_runner(w->physics, w->runner);
    world_log_move_waker(&w->log, h);
    served_world_move(w, (reply_sink){sim_thread_post, h});
    sim_thread_leave_world();
    insert(h, w);
    note_thread(h, w);
}

// ---- worlds that another server serves now

// The log stays on the disk. Commands that are not in it yet were shown to nobody.
static void leave(sim_thread *h, request *q)
{
    served_world *w = sim_thread_find_world(h, q->world);
    reply *left = reply_create(REPLY_LEFT, q->world);
    if (w == NULL || served_world_has_ended(w)) {
        sim_thread_post(h, left);
        request_free(q);
        return;
    }
    left->end.tick = world_tick(w->physics);
    sim_thread_take_out(h, place_of(h, q->world));
    sim_thread_enter_world(w);
    (void)served_world_flush(w);
    sim_thread_post(h, left);
    world_log_disown(&w->log);
    served_world_destroy(w, q->refusal->status, q->refusal->text);
    crash_enter_world(0);
    block_charge(NULL);
    request_free(q);
}

// The world is to move to another server, or is not any more.
static void prepare(served_world *w, request *q)
{
    if (q->kind == REQUEST_REPLICATE) {
        served_world_lead_away(w, q->feed, on_committed, w);
        q->feed = NULL;
    } else if (q->kind == REQUEST_HALT) {
        served_world_halt(w, q->subscription);
    } else {
        served_world_go_on(w);
    }
    request_free(q);
}

static bool is_of_move(const request *q)
{
    return q->kind == REQUEST_REPLICATE || q->kind == REQUEST_HALT || q->kind == REQUEST_GO_ON;
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
    if (q->kind == REQUEST_LEAVE) {
        leave(h, q);
        return;
    }
    served_world *w = sim_thread_find_world(h, q->world);
    if (w != NULL && (!served_world_has_ended(w) || q->kind == REQUEST_COMMITTED)) {
        sim_thread_enter_world(w);
        if (is_of_move(q)) {
            prepare(w, q);
        } else {
            served_world_deliver(w, q);
        }
        sim_thread_leave_world();
        w->place.request_arrived = true;
    } else if (q->kind == REQUEST_COMMAND) {
        answer_here(h, q, STATUS_NOT_FOUND, "world: it was destroyed");
    } else if (q->kind == REQUEST_RESUME) {
        reply *taken = reply_create(REPLY_RESUMED, q->world);
        taken->reply_to = q->reply_to;
        request_free(q);
        sim_thread_post(h, taken);
    } else {
        request_free(q);
    }
}

// ---- requests, in order, as far as a round has time

static void append(queue_node **first, queue_node **last, queue_node *chain)
{
    if (chain == NULL) {
        return;
    }
    *(*first != NULL ? &(*last)->next : first) = chain;
    for (queue_node *each = chain; each != NULL; each = each->next) {
        *last = each;
    }
}

static request *take_first(queue_node **first)
{
    request *q = (request *)*first;
    *first = q->node.next;
    q->node.next = NULL;
    return q;
}

// Whether the request waits for coming worlds: a request to an unknown world may be to one of
// those.
static bool waits(const sim_thread *h, const request *q)
{
    const bool to_one = q->kind != REQUEST_STOP && q->kind != REQUEST_TAKE;
    return q->kind == REQUEST_ADOPT ||
           (to_one && h->coming != NULL && sim_thread_find_world(h, q->world) == NULL);
}

// Takes over the first world that comes, with the requests to it. A request to a world that was
// destroyed may be the first.
static void take_coming(sim_thread *h)
{
    request *q = take_first(&h->coming);
    const uint64_t world = q->world;
    const bool comes = q->kind == REQUEST_ADOPT;
    queue_node *others = NULL;
    queue_node *others_last = NULL;
    route(h, q);
    while (comes && h->coming != NULL) {
        q = take_first(&h->coming);
        if (q->world == world) {
            route(h, q);
        } else {
            append(&others, &others_last, &q->node);
        }
    }
    if (comes) {
        h->coming = others;
        h->coming_last = others_last;
    }
}

bool sim_thread_route(sim_thread *h, queue_node *chain)
{
    const turn t = turn_begin(clock_now_ns, ROUTE_NS);
    bool over = false;
    append(&h->unrouted, &h->unrouted_last, chain);
    while (h->unrouted != NULL && (!over || h->stopping)) {
        request *q = take_first(&h->unrouted);
        if (waits(h, q)) {
            append(&h->coming, &h->coming_last, &q->node);
        } else {
            route(h, q);
        }
        over = turn_over(&t);
    }
    for (bool first = true; h->coming != NULL && (first || h->stopping || !turn_over(&t));
         first = false) {
        take_coming(h);
    }
    return h->unrouted != NULL || h->coming != NULL;
}
