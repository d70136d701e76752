// See worker.h.
#include "client/cli/load/worker.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/cli.h"

enum {
    EVENTS_AT_ONCE = 256,
    CONNECTING_MAX = 64 // at once: a server's listen queue is finite
};

#define SWEEP_EVERY_S   0.05
#define CONNECT_EVERY_S 0.002  // how often lanes that connect are looked at
#define LEAVE_S         1.0    // for the answers of a lane that leaves
#define READY_S         0.02   // for what has arrived, before sending and sweeping have their turn
#define MOMENTS_A_S     1000.0 // of the lag

// ---- the heap

static bool is_before(const lane *a, const lane *b)
{
    return a->due < b->due;
}

static void put(worker *w, size_t at, lane *one)
{
    w->heap[at] = one;
    one->heap_at = at;
}

static void sift(worker *w, size_t at)
{
    lane *one = w->heap[at];
    while (at > 1 && is_before(one, w->heap[at / 2])) {
        put(w, at, w->heap[at / 2]);
        at /= 2;
    }
    for (;;) {
        size_t child = 2 * at;
        if (child < w->heap_count && is_before(w->heap[child + 1], w->heap[child])) {
            child++;
        }
        if (child > w->heap_count || !is_before(w->heap[child], one)) {
            break;
        }
        put(w, at, w->heap[child]);
        at = child;
    }
    put(w, at, one);
}

static void heap_add(worker *w, lane *one)
{
    if (one->heap_at == 0) {
        put(w, ++w->heap_count, one);
    }
    sift(w, one->heap_at);
}

static void heap_remove(worker *w, lane *one)
{
    size_t at = one->heap_at;
    one->heap_at = 0;
    lane *last = at != 0 ? w->heap[w->heap_count--] : one;
    if (last != one) {
        put(w, at, last);
        sift(w, at);
    }
}

// ---- lanes

static load_phase phase_of(const worker *w)
{
    return (load_phase)atomic_load_explicit(&w->yard.shared->phase, memory_order_acquire);
}

// Keeps the epoll set as the lane's connection wants it.
static void watch(worker *w, lane *at)
{
    int fd = at->client != NULL && at->state != LANE_CONNECTING && at->state != LANE_LOST
                 ? carom_fd(at->client)
                 : -1;
    bool writes = fd >= 0 && carom_wants_write(at->client);
    if (fd < 0 || (fd == at->fd && writes == at->watches_write)) {
        at->fd = fd;
        return;
    }
    struct epoll_event event = {.events = EPOLLIN | (writes ? (uint32_t)EPOLLOUT : 0u),
                                .data.ptr = at};
    (void)epoll_ctl(w->epoll, fd == at->fd ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    at->fd = fd;
    at->watches_write = writes;
}

static void begin_actions(worker *w, lane *at, double earliest)
{
    if (lane_has_actions(at)) {
        lane_begin(at, earliest);
        heap_add(w, at);
    }
}

// Polls, and does what follows from a change of state.
static void work_lane(worker *w, lane *at)
{
    lane_state before = at->state;
    if (before == LANE_IDLE || before == LANE_LOST) {
        return;
    }
    lane_poll(at);
    w->connecting -= before == LANE_CONNECTING && at->state != LANE_CONNECTING ? 1 : 0;
    if (at->state == LANE_LOST) {
        heap_remove(w, at);
        (void)atomic_fetch_add_explicit(&w->live.failed, 1, memory_order_relaxed);
        lane_count_traffic(at);
    } else if (at->state == LANE_RUNNING && before != LANE_RUNNING && w->began) {
        begin_actions(w, at, cli_now());
    }
    watch(w, at);
}

static void send_lane(worker *w, lane *at, double now)
{
    lane_send(at, now);
    if (at->blocked || at->due >= w->yard.shared->end) {
        heap_remove(w, at);
    } else {
        heap_add(w, at);
    }
    watch(w, at);
}

// Those whose answer gave room for more.
static void revive(worker *w)
{
    while (w->yard.ready != NULL) {
        lane *at = w->yard.ready;
        w->yard.ready = at->next_ready;
        if (at->state == LANE_RUNNING && w->began) {
            heap_add(w, at);
        }
    }
}

static void send_due(worker *w)
{
    double now = cli_now();
    revive(w);
    while (w->heap_count > 0 && w->heap[1]->due <= now) {
        send_lane(w, w->heap[1], now);
    }
}

// ---- stages

static size_t wanted(const worker *w, double now)
{
    const load_shared *shared = w->yard.shared;
    const load_plan *plan = shared->plan;
    if (plan->stages.count == 0) {
        return w->lane_count;
    }
    unsigned all =
        w->began && now >= shared->begin ? load_stages_at(&plan->stages, now - shared->begin) : 0;
    return all > w->number ? (all - w->number - 1) / w->of + 1 : 0;
}

static void follow_stages(worker *w, double now)
{
    size_t goal = wanted(w, now);
    while (w->begun < goal && w->connecting < CONNECTING_MAX) {
        lane *at = w->lanes[w->begun++];
        if (at->state == LANE_LEAVING) {
            lane_close(at);
        }
        lane_connect(at);
        w->connecting += at->state == LANE_CONNECTING ? 1 : 0;
        if (at->state == LANE_LOST) {
            (void)atomic_fetch_add_explicit(&w->live.failed, 1, memory_order_relaxed);
        }
    }
    while (w->begun > goal) {
        lane *at = w->lanes[--w->begun];
        heap_remove(w, at);
        w->connecting -= at->state == LANE_CONNECTING ? 1 : 0;
        lane_leave(at, now);
    }
}

// ---- the loop

static void publish(worker *w, unsigned connected)
{
    const load_tally *tally = w->yard.tally;
    uint64_t failures = load_tally_errors(tally) + tally->lost + tally->refused;
    atomic_store_explicit(&w->live.sent, tally->sent, memory_order_relaxed);
    atomic_store_explicit(&w->live.answered, tally->answered, memory_order_relaxed);
    atomic_store_explicit(&w->live.errors, failures, memory_order_relaxed);
    atomic_store_explicit(&w->live.snapshots, tally->snapshots, memory_order_relaxed);
    atomic_store_explicit(&w->live.connected, connected, memory_order_relaxed);
}

// Looks after all lanes: deadlines of requests, pings, traffic, those that leave.
static void sweep(worker *w, double now)
{
    unsigned connected = 0;
    double passed = now - w->swept;
    w->swept = now;
    for (size_t i = 0; i < w->lane_count; i++) {
        lane *at = w->lanes[i];
        if (at->state == LANE_IDLE || at->state == LANE_LOST) {
            continue;
        }
        if (at->state != LANE_CONNECTING && carom_timeout_ms(at->client) == 0) {
            work_lane(w, at);
        }
        if (at->state == LANE_RUNNING) {
            connected++;
            lane_ping(at, now);
            watch(w, at);
            if (at->blocked && !at->resting && at->free_slots != NULL) { // its output was full
                at->blocked = false;
                heap_add(w, at);
            }
        } else if (at->state == LANE_LEAVING && now - at->leaving_since > LEAVE_S) {
            lane_close(at);
        }
        lane_count_traffic(at);
    }
    if (phase_of(w) == LOAD_RUNNING && now >= w->yard.shared->begin) {
        load_slice *slice = load_tally_slice(w->yard.tally, now - w->yard.shared->begin);
        slice->clients = connected > slice->clients ? connected : slice->clients;
        w->yard.tally->client_seconds += passed * (double)connected;
    }
    publish(w, connected);
}

// Returns how much later than wanted it woke [s].
static double nap(const worker *w, double now)
{
    double until = w->swept + SWEEP_EVERY_S;
    if (w->connecting > 0 && now + CONNECT_EVERY_S < until) {
        until = now + CONNECT_EVERY_S;
    }
    if (w->heap_count > 0 && w->heap[1]->due < until) {
        until = w->heap[1]->due;
    }
    double length = until > now ? until - now : 0.0;
    struct timespec pause = {.tv_sec = (time_t)length};
    pause.tv_nsec = (long)((length - (double)pause.tv_sec) * 1e9);
    struct pollfd set = {.fd = w->epoll, .events = POLLIN};
    (void)ppoll(&set, 1, &pause, NULL);
    double late = cli_now() - until;
    return length > 0.0 && late > 0.0 ? late : 0.0;
}

// Records, for the moments since the last time, how late this thread noticed what happened then: at
// once while it slept, at the end of a stretch of `busy` seconds (it worked, or woke too late) in
// that stretch.
static void record_lag(worker *w, double now, double busy)
{
    const load_shared *shared = w->yard.shared;
    double noted = w->noted;
    w->noted = now;
    if (!w->began) { // begin and end are not said before the run
        return;
    }
    double from = noted > shared->begin ? noted : shared->begin;
    double to = now < shared->end ? now : shared->end;
    if (to <= from) {
        return;
    }
    double t = to - shared->begin;
    double moments = (to - from) * MOMENTS_A_S + w->credit;
    uint64_t count = (uint64_t)moments;
    w->credit = moments - (double)count;
    busy = busy < to - from ? busy : to - from;
    uint64_t late = (uint64_t)((double)count * busy / (to - from) + 0.5);
    load_tally_record_ages(w->yard.tally, LOAD_LAG, t, busy, late);
    load_tally_record_many(w->yard.tally, LOAD_LAG, t, 0.0, count - late);
}

// ---- what the thread takes

typedef struct thread_times {
    double at, ran, waited; // [s]
    bool known;
} thread_times;

// Linux counts the time that a thread waited for a processor; elsewhere it is not known.
static thread_times read_times(void)
{
    thread_times times = {.at = cli_now()};
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        times.ran = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    }
    FILE *file = fopen("/proc/thread-self/schedstat", "re");
    unsigned long long ran = 0;
    unsigned long long waited = 0;
    if (file != NULL) {
        times.known = fscanf(file, "%llu %llu", &ran, &waited) == 2;
        times.waited = (double)waited * 1e-9;
        (void)fclose(file);
    }
    return times;
}

static worker_cost cost_since(const thread_times *begin)
{
    thread_times now = read_times();
    double passed = now.at - begin->at > 1e-3 ? now.at - begin->at : 1e-3;
    return (worker_cost){.there = true,
                         .processor = (now.ran - begin->ran) / passed,
                         .waited = (now.waited - begin->waited) / passed,
                         .known = now.known && begin->known};
}

static void begin_run(worker *w)
{
    w->began = true;
    w->swept = w->yard.shared->begin;
    for (size_t i = 0; i < w->lane_count; i++) {
        lane_count_traffic(w->lanes[i]); // what opening took counts for nothing
        if (w->lanes[i]->state == LANE_RUNNING) {
            begin_actions(w, w->lanes[i], w->yard.shared->begin);
        }
    }
}

// Ends early when more has arrived than it can take in a while: that is ready the next time too,
// and epoll has it before what comes later.
static void work_ready(worker *w, bool sends)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = epoll_wait(w->epoll, events, EVENTS_AT_ONCE, 0);
    double until = cli_now() + READY_S;
    for (int i = 0; i < count && (i == 0 || cli_now() < until); i++) {
        work_lane(w, events[i].data.ptr);
        if (sends && (w->heap_count > 0 || w->yard.ready != NULL)) {
            send_due(w);
        }
    }
    for (size_t i = 0; w->connecting > 0 && i < w->lane_count; i++) {
        if (w->lanes[i]->state == LANE_CONNECTING) {
            work_lane(w, w->lanes[i]);
        }
    }
}

// Sends, looks after the lanes, waits and takes what has arrived: once.
static void turn(worker *w, load_phase phase)
{
    double now = cli_now();
    bool sends = phase != LOAD_DRAINING; // what a signal ended has commands that are still due
    if (sends) {
        follow_stages(w, now);
        send_due(w);
    }
    if (now >= w->swept + SWEEP_EVERY_S) {
        sweep(w, now);
    }
    double slept = cli_now();
    double late = nap(w, slept);
    double woke = cli_now();
    work_ready(w, sends);
    double done = cli_now();
    record_lag(w, done, (slept - now > done - woke ? slept - now : done - woke) + late);
}

static void settle(worker *w, double stopped)
{
    double now = cli_now();
    double end = w->yard.shared->end < stopped ? w->yard.shared->end : stopped;
    for (size_t i = 0; w->began && i < w->lane_count; i++) {
        lane_count_traffic(w->lanes[i]);
        lane_settle(w->lanes[i], end, now);
    }
}

void *worker_run(void *user)
{
    worker *w = user;
    double stopped = 0.0; // when the run was over: a signal may have ended it early
    thread_times begin = {0};
    load_phase before = LOAD_OPENING;
    for (load_phase phase = phase_of(w); phase != LOAD_ENDED; phase = phase_of(w)) {
        stopped = phase != LOAD_DRAINING ? cli_now() : stopped;
        if (phase == LOAD_RUNNING && !w->began) {
            begin_run(w);
            begin = read_times();
            record_lag(w, begin.at, begin.at - w->yard.shared->begin); // it was busy until now
        }
        if (phase == LOAD_DRAINING && before == LOAD_RUNNING) {
            w->cost = cost_since(&begin);
        }
        before = phase;
        if (phase == LOAD_DRAINING && w->yard.in_flight == 0) {
            break;
        }
        turn(w, phase);
    }
    settle(w, stopped);
    atomic_store_explicit(&w->live.done, true, memory_order_relaxed);
    return NULL;
}

bool worker_init(worker *w, load_shared *shared, lane *lanes, unsigned number, unsigned of)
{
    const load_plan *plan = shared->plan;
    *w = (worker){.number = number, .of = of};
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->yard.shared = shared;
    w->yard.tally = load_tally_create(plan->seconds);
    w->yard.clocks = calloc(plan->world_count, sizeof *w->yard.clocks);
    w->yard.paces = calloc(plan->behaviour_count, sizeof *w->yard.paces);
    for (size_t i = 0; w->yard.paces != NULL && i < plan->behaviour_count; i++) {
        const double *pause = plan->behaviours[i].pause;
        load_pace_init(&w->yard.paces[i], (pause[0] + pause[1]) / 2.0);
    }
    w->lane_count = plan->clients > number ? (plan->clients - number - 1) / of + 1 : 0;
    w->lanes = calloc(w->lane_count + 1, sizeof(lane *));
    w->heap = calloc(w->lane_count + 2, sizeof(lane *));
    for (size_t i = 0; w->lanes != NULL && i < w->lane_count; i++) {
        w->lanes[i] = &lanes[number + i * of];
    }
    return w->epoll >= 0 && w->yard.tally != NULL && w->yard.clocks != NULL &&
           w->yard.paces != NULL && w->lanes != NULL && w->heap != NULL;
}

void worker_deinit(worker *w)
{
    if (w->epoll > 0) {
        (void)close(w->epoll);
    }
    load_tally_destroy(w->yard.tally);
    free(w->yard.clocks);
    free(w->yard.paces);
    free(w->lanes);
    free(w->heap);
}
