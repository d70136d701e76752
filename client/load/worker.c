// See worker.h.
#include "client/load/worker.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "client/tool/cli.h"

enum {
    EVENTS_AT_ONCE = 256,
    CONNECTING_MAX = 64 // connections being made: a server's listen queue is finite
};

#define SWEEP_EVERY_S   0.05
#define AWAY_EVERY_S    0.01   // while a client looks for its server or its world
#define CONNECT_EVERY_S 0.002  // interval of checks of connecting clients
#define LEAVE_S         1.0    // time for the answers of a client that leaves
#define READY_S         0.02   // longest time for arrivals before sending and sweeping
#define MOMENTS_A_S     1000.0 // samples of the lag per second

// ---- the heap

static bool is_before(const load_client *a, const load_client *b)
{
    return a->due < b->due;
}

static void put(worker *w, size_t at, load_client *one)
{
    w->heap[at] = one;
    one->heap_at = at;
}

static void sift(worker *w, size_t at)
{
    load_client *one = w->heap[at];
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

static void heap_add(worker *w, load_client *one)
{
    if (one->heap_at == 0) {
        put(w, ++w->heap_count, one);
    }
    sift(w, one->heap_at);
}

static void heap_remove(worker *w, load_client *one)
{
    size_t at = one->heap_at;
    one->heap_at = 0;
    load_client *last = at != 0 ? w->heap[w->heap_count--] : one;
    if (last != one) {
        put(w, at, last);
        sift(w, at);
    }
}

// ---- clients

static load_phase phase_of(const worker *w)
{
    return (load_phase)atomic_load_explicit(&w->group.shared->phase, memory_order_acquire);
}

// Keeps the epoll set's events equal to those that the client's connections need. A client that
// reconnects has no lasting socket, and is polled by sweep(). Calling carom_fd matters then too: it
// keeps the descriptor of several connections up to date.
static void watch(worker *w, load_client *at)
{
    int fd = at->link != NULL && at->state != CLIENT_CONNECTING && at->state != CLIENT_LOST
                 ? carom_fd(at->link)
                 : -1;
    if (fd >= 0 && carom_client_state(at->link) == CAROM_RECONNECTING) {
        at->fd = -1;
        return;
    }
    bool writes = fd >= 0 && carom_wants_write(at->link);
    if (fd < 0 || (fd == at->fd && writes == at->output_watched)) {
        at->fd = fd;
        return;
    }
    struct epoll_event event = {.events = EPOLLIN | (writes ? (uint32_t)EPOLLOUT : 0u),
                                .data.ptr = at};
    if (at->fd >= 0 && fd != at->fd) { // the first of several connections: it is in `fd` now
        (void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, at->fd, NULL);
    }
    if (epoll_ctl(w->epoll, EPOLL_CTL_MOD, fd, &event) != 0) {
        (void)epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &event);
    }
    at->fd = fd;
    at->output_watched = writes;
}

static void begin_actions(worker *w, load_client *at, double earliest)
{
    if (client_has_actions(at)) {
        client_begin(at, earliest);
        heap_add(w, at);
    }
}

// Polls the client, and handles a change of its state.
static void work_client(worker *w, load_client *at)
{
    load_client_state before = at->state;
    if (before == CLIENT_IDLE || before == CLIENT_LOST) {
        return;
    }
    client_poll(at);
    w->connecting -= before == CLIENT_CONNECTING && at->state != CLIENT_CONNECTING ? 1 : 0;
    if (at->state == CLIENT_LOST) {
        heap_remove(w, at);
        (void)atomic_fetch_add_explicit(&w->live.failed, 1, memory_order_relaxed);
        client_count_traffic(at);
    } else if (at->state == CLIENT_RUNNING && before != CLIENT_RUNNING && w->began) {
        begin_actions(w, at, cli_now());
    }
    watch(w, at);
}

static void send_client(worker *w, load_client *at, double now)
{
    client_send(at, now);
    if (at->actions_blocked || at->due >= w->group.shared->end) {
        heap_remove(w, at);
    } else {
        heap_add(w, at);
    }
    watch(w, at);
}

// Continues clients whose window has space again after an answer.
static void revive(worker *w)
{
    while (w->group.ready != NULL) {
        load_client *at = w->group.ready;
        w->group.ready = at->next_ready;
        if (at->state == CLIENT_RUNNING && w->began) {
            heap_add(w, at);
        }
    }
}

static void send_due(worker *w)
{
    double now = cli_now();
    revive(w);
    while (w->heap_count > 0 && w->heap[1]->due <= now) {
        send_client(w, w->heap[1], now);
    }
}

// ---- stages

static size_t wanted(const worker *w, double now)
{
    const load_shared *shared = w->group.shared;
    const load_plan *plan = shared->plan;
    if (plan->stages.count == 0) {
        return w->client_count;
    }
    unsigned all =
        w->began && now >= shared->begin ? load_stages_at(&plan->stages, now - shared->begin) : 0;
    return all > w->number ? (all - w->number - 1) / w->of + 1 : 0;
}

static void follow_stages(worker *w, double now)
{
    size_t goal = wanted(w, now);
    while (w->begun < goal && w->connecting < CONNECTING_MAX) {
        load_client *at = w->clients[w->begun++];
        if (at->state == CLIENT_LEAVING) {
            client_close(at);
        }
        client_connect(at);
        w->connecting += at->state == CLIENT_CONNECTING ? 1 : 0;
        if (at->state == CLIENT_LOST) {
            (void)atomic_fetch_add_explicit(&w->live.failed, 1, memory_order_relaxed);
        }
    }
    while (w->begun > goal) {
        load_client *at = w->clients[--w->begun];
        heap_remove(w, at);
        w->connecting -= at->state == CLIENT_CONNECTING ? 1 : 0;
        client_leave(at, now);
    }
}

// ---- the loop

static void publish(worker *w, unsigned connected)
{
    const load_tally *tally = w->group.tally;
    uint64_t failures = load_tally_errors(tally) + tally->lost + tally->refused;
    atomic_store_explicit(&w->live.sent, tally->sent, memory_order_relaxed);
    atomic_store_explicit(&w->live.answered, tally->answered, memory_order_relaxed);
    atomic_store_explicit(&w->live.errors, failures, memory_order_relaxed);
    atomic_store_explicit(&w->live.snapshots, tally->snapshots, memory_order_relaxed);
    atomic_store_explicit(&w->live.connected, connected, memory_order_relaxed);
}

// Checks all clients: deadlines of requests, pings, traffic, clients that leave.
static void sweep(worker *w, double now)
{
    unsigned connected = 0;
    double passed = now - w->swept;
    w->swept = now;
    w->away = 0;
    for (size_t i = 0; i < w->client_count; i++) {
        load_client *at = w->clients[i];
        if (at->state == CLIENT_IDLE || at->state == CLIENT_LOST) {
            continue;
        }
        if (at->state != CLIENT_CONNECTING &&
            (at->away || carom_timeout_ms(at->link) == 0 ||
             carom_client_state(at->link) == CAROM_RECONNECTING)) {
            work_client(w, at);
        }
        w->away += at->away ? 1 : 0;
        if (at->state == CLIENT_RUNNING) {
            connected += carom_client_state(at->link) == CAROM_OPEN ? 1 : 0;
            client_ping(at, now);
            watch(w, at);
            if (at->actions_blocked && !at->calls_awaited &&
                at->free_slots != NULL) { // its output was full
                at->actions_blocked = false;
                heap_add(w, at);
            }
        } else if (at->state == CLIENT_LEAVING && now - at->leaving_since > LEAVE_S) {
            client_close(at);
        }
        client_count_traffic(at);
    }
    if (phase_of(w) == LOAD_RUNNING && now >= w->group.shared->begin) {
        load_slice *slice = load_tally_slice(w->group.tally, now - w->group.shared->begin);
        slice->clients = connected > slice->clients ? connected : slice->clients;
        w->group.tally->client_seconds += passed * (double)connected;
    }
    publish(w, connected);
}

static double sweep_pause(const worker *w)
{
    return w->away > 0 ? AWAY_EVERY_S : SWEEP_EVERY_S;
}

// Sleeps; returns how much later than wanted the thread woke [s].
static double nap(const worker *w, double now)
{
    double until = w->swept + sweep_pause(w);
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

// Records, for the moments since the last call, how late this thread would have noticed events: at
// once for moments while it slept; for those in a stretch of `busy` seconds (it worked, or woke too
// late) at the end of the stretch.
static void record_lag(worker *w, double now, double busy)
{
    const load_shared *shared = w->group.shared;
    double noted = w->noted;
    w->noted = now;
    if (!w->began) { // the shared times of begin and end are not written before the run
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
    load_tally_record_ages(w->group.tally, LOAD_LAG, t, busy, late);
    load_tally_record_many(w->group.tally, LOAD_LAG, t, 0.0, count - late);
}

// ---- the thread's inputs

typedef struct thread_times {
    double at, ran, waited; // [s]
    bool known;
} thread_times;

// Reads the thread's times. Linux counts the time that a thread waited for a processor; elsewhere
// it is not known.
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
    w->swept = w->group.shared->begin;
    for (size_t i = 0; i < w->client_count; i++) {
        client_count_traffic(w->clients[i]); // traffic while connecting is not counted
        if (w->clients[i]->state == CLIENT_RUNNING) {
            begin_actions(w, w->clients[i], w->group.shared->begin);
        }
    }
}

// Ends early when too much has arrived: the rest is ready the next time too, and epoll reports it
// before later events.
static void work_ready(worker *w, bool sends)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = epoll_wait(w->epoll, events, EVENTS_AT_ONCE, 0);
    double until = cli_now() + READY_S;
    for (int i = 0; i < count && (i == 0 || cli_now() < until); i++) {
        work_client(w, events[i].data.ptr);
        if (sends && (w->heap_count > 0 || w->group.ready != NULL)) {
            send_due(w);
        }
    }
    for (size_t i = 0; w->connecting > 0 && i < w->client_count; i++) {
        if (w->clients[i]->state == CLIENT_CONNECTING) {
            work_client(w, w->clients[i]);
        }
    }
}

// One turn: sends, checks the clients, waits, and handles arrivals.
static void turn(worker *w, load_phase phase)
{
    double now = cli_now();
    // while draining, clients stopped by a signal have commands that are still due
    bool sends = phase != LOAD_DRAINING;
    if (sends) {
        follow_stages(w, now);
        send_due(w);
    }
    if (now >= w->swept + sweep_pause(w)) {
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
    double end = w->group.shared->end < stopped ? w->group.shared->end : stopped;
    for (size_t i = 0; w->began && i < w->client_count; i++) {
        client_count_traffic(w->clients[i]);
        client_settle(w->clients[i], end, now);
    }
}

void *worker_run(void *user)
{
    worker *w = user;
    double stopped = 0.0; // when the run ended: a signal may have ended it early
    thread_times begin = {0};
    load_phase before = LOAD_OPENING;
    for (load_phase phase = phase_of(w); phase != LOAD_ENDED; phase = phase_of(w)) {
        stopped = phase != LOAD_DRAINING ? cli_now() : stopped;
        if (phase == LOAD_RUNNING && !w->began) {
            begin_run(w);
            begin = read_times();
            record_lag(w, begin.at, begin.at - w->group.shared->begin); // it was busy until now
        }
        if (phase == LOAD_DRAINING && before == LOAD_RUNNING) {
            w->cost = cost_since(&begin);
        }
        before = phase;
        if (phase == LOAD_DRAINING && w->group.in_flight == 0) {
            break;
        }
        turn(w, phase);
    }
    settle(w, stopped);
    atomic_store_explicit(&w->live.done, true, memory_order_relaxed);
    return NULL;
}

bool worker_init(worker *w, load_shared *shared, load_client *clients, unsigned number, unsigned of)
{
    const load_plan *plan = shared->plan;
    *w = (worker){.number = number, .of = of};
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->group.shared = shared;
    w->group.tally = load_tally_create(plan->seconds);
    w->group.clocks = calloc(plan->world_count, sizeof *w->group.clocks);
    w->group.paces = calloc(plan->behaviour_count, sizeof *w->group.paces);
    for (size_t i = 0; w->group.paces != NULL && i < plan->behaviour_count; i++) {
        const double *pause = plan->behaviours[i].pause;
        load_pace_init(&w->group.paces[i], (pause[0] + pause[1]) / 2.0);
    }
    w->client_count = plan->clients > number ? (plan->clients - number - 1) / of + 1 : 0;
    w->clients = calloc(w->client_count + 1, sizeof(load_client *));
    w->heap = calloc(w->client_count + 2, sizeof(load_client *));
    for (size_t i = 0; w->clients != NULL && i < w->client_count; i++) {
        w->clients[i] = &clients[number + i * of];
    }
    return w->epoll >= 0 && w->group.tally != NULL && w->group.clocks != NULL &&
           w->group.paces != NULL && w->clients != NULL && w->heap != NULL;
}

void worker_deinit(worker *w)
{
    if (w->epoll > 0) {
        (void)close(w->epoll);
    }
    load_tally_destroy(w->group.tally);
    free(w->group.clocks);
    free(w->group.paces);
    free(w->clients);
    free(w->heap);
}
