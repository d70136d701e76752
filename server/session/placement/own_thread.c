// Worlds that would make others wait move to separate threads, which have a lower priority: a world
// that takes more than half of a simulation thread's time, or whose next step is expected to (its
// thread does not begin that step), forks of such a world, and worlds made from an equally crowded
// image or scene. The system then shares out the processors, and a world that cannot keep its rate
// slows down only itself.
//
//   REPLY_CROWDED  -> REQUEST_RELEASE to its thread; requests for it are queued (here, and where
//                     balance.c moves a world)
//   REPLY_RELEASED -> REQUEST_TAKE to the other one, then the queued requests
//
// There are up to limits.own_threads such threads, each started when needed. While one is free, a
// world has it for itself. Beyond that they share: such a world goes to the one of these threads
// with the least load, never back to those of --threads, where quiet worlds are. A world stays on
// such a thread for the rest of its life. Network thread only.
#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/audit.h"
#include "server/base/metrics.h"
#include "server/session/placement/own_thread.h"
#include "server/session/service.h"

static sim_thread *find_empty(const server *s)
{
    for (uint32_t i = (uint32_t)s->options->threads; i < s->sim_threads.count; i++) {
        if (sim_thread_empty(s->sim_threads.data[i]) &&
            !own_thread_awaited(s, s->sim_threads.data[i])) {
            return s->sim_threads.data[i];
        }
    }
    return NULL;
}

// Adds a thread, if the limit allows it; otherwise NULL.
static sim_thread *add(server *s)
{
    error err;
    if (s->sim_threads.count >= (uint64_t)s->options->threads + s->limits->own_threads) {
        return NULL;
    }
    if (server_add_sim_thread(s, &err) != STATUS_OK) {
        log_warn("cannot start a thread for a world that slows others: %s", err.text);
        return NULL;
    }
    return s->sim_threads.data[s->sim_threads.count - 1];
}

static sim_thread *least_loaded(const server *s)
{
    sim_thread *least = NULL;
    ASSERT((uint32_t)s->options->threads <= s->sim_threads.count);
    for (uint32_t i = (uint32_t)s->options->threads; i < s->sim_threads.count; i++) {
        sim_thread *one = s->sim_threads.data[i];
        least = least == NULL || sim_thread_load(one) < sim_thread_load(least) ? one : least;
    }
    return least;
}

bool own_thread_has(const server *s, const sim_thread *h)
{
    bool has = false;
    for (uint32_t i = (uint32_t)s->options->threads; i < s->sim_threads.count && !has; i++) {
        has = s->sim_threads.data[i] == h;
    }
    return has;
}

sim_thread *own_thread_find(server *s)
{
    sim_thread *found = find_empty(s);
    found = found != NULL ? found : add(s);
    return found != NULL ? found : least_loaded(s);
}

void own_thread_begin(server *s, uint64_t world)
{
    world_entry *entry = directory_find_number(&s->worlds, world);
    if (s->stage == SERVER_DRAINING || entry == NULL || entry->unnamed || entry->thread == NULL ||
        own_thread_has(s, entry->thread)) {
        return; // a world that ends needs no thread, and requests queued for it would outlive it
    }
    sim_thread *to = own_thread_find(s);
    if (to != NULL) {
        own_thread_move(s, entry, to, true);
    }
}

// The index of this world's move in progress; s->moves.count if there is none.
static uint32_t find_move(const server *s, uint64_t world)
{
    uint32_t at = 0;
    while (at < s->moves.count && s->moves.data[at].world != world) {
        at++;
    }
    return at;
}

void own_thread_move(server *s, world_entry *entry, sim_thread *to, bool own_thread)
{
    ASSERT(s->stage != SERVER_DRAINING && entry->thread != NULL && entry->thread != to);
    ASSERT(find_move(s, entry->number) == s->moves.count);
    array_push(
        &s->moves,
        ((world_move){
            .world = entry->number, .from = entry->thread, .to = to, .own_thread = own_thread}));
    bool sent = sim_thread_send(entry->thread, request_create(REQUEST_RELEASE, entry->number));
    ASSERT(sent); // the queue always has space beyond the commands
    entry->thread = NULL;
}

void own_thread_finish(server *s, uint64_t world, struct served_world *moved)
{
    const uint32_t at = find_move(s, world);
    ASSERT(at < s->moves.count);
    world_move move = s->moves.data[at];
    ASSERT(move.from != move.to);
    array_swap_remove(&s->moves, at);
    world_entry *entry = directory_find_number(&s->worlds, world);
    if (moved != NULL) {
        request *take = request_create(REQUEST_TAKE, world);
        take->moved = moved;
        bool sent = sim_thread_send(move.to, take);
        ASSERT(sent);
        metrics_add(move.own_thread ? METRIC_worlds_set_apart : METRIC_worlds_moved, 1);
    }
    if (entry != NULL) {
        ASSERT(entry->thread == NULL); // between two threads
        entry->thread = moved != NULL ? move.to : move.from;
        worlds_deliver_held(entry);
    }
    if (moved != NULL && entry != NULL) {
        audit_event("world '%s' %s", entry->name,
                    move.own_thread ? "is served apart, as others would wait for it"
                                    : "was moved to a thread that has less to do");
    }
    if (s->stage == SERVER_DRAINING) {
        server_stop_sim_thread(s, move.to);
    }
}

bool own_thread_awaited(const server *s, const sim_thread *h)
{
    for (uint32_t i = 0; i < s->moves.count; i++) {
        if (s->moves.data[i].to == h) {
            return true;
        }
    }
    return false;
}
