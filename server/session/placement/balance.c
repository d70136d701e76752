// Moves worlds to threads with less load. A new world begins on the thread of --threads that has
// the least load then; its later load is unknown. So each second the threads report the load of
// their worlds, and if one is busier than another by a fifth of a processor, the world whose move
// evens them out best is moved, as in own_thread.c: its thread gives it up between two ticks, and
// its schedule stays, so that the next tick begins on time.
//
// One world moves at a time, and both threads are measured again before the next move. The thread's
// other worlds go on meanwhile. Network thread only.
#include "server/session/placement/balance.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/session/service.h"

static const int64_t SETTLE_NS = 3000000000; // two measured whole seconds, and a margin

uint64_t balance_choose(const world_load *loads, uint32_t count, uint64_t gap)
{
    uint64_t chosen = 0;
    int64_t best = (int64_t)gap - BALANCE_GAP_LEAST / 2; // the difference that may be left
    for (uint32_t i = 0; i < count && gap >= BALANCE_GAP_LEAST; i++) {
        int64_t left = llabs((int64_t)gap - 2 * (int64_t)loads[i].share);
        if (loads[i].share >= BALANCE_SHARE_LEAST && left <= best) {
            best = left - 1; // among equals the first wins
            chosen = loads[i].world;
        }
    }
    return chosen;
}

// Worlds with a thread of their own keep it.
static bool is_shared(const server *s, const sim_thread *h)
{
    bool shared = false;
    for (int i = 0; i < s->options->threads && !shared; i++) {
        shared = s->sim_threads.data[i] == h;
    }
    return shared;
}

static sim_thread *least_busy(const server *s)
{
    ASSERT(s->options->threads > 0 && (uint32_t)s->options->threads <= s->sim_threads.count);
    sim_thread *least = s->sim_threads.data[0];
    for (int i = 1; i < s->options->threads; i++) {
        least = sim_thread_busy(s->sim_threads.data[i]) < sim_thread_busy(least)
                    ? s->sim_threads.data[i]
                    : least;
    }
    return least;
}

void balance_note(server *s, const sim_thread *from, const reply *r)
{
    int64_t now = clock_now_ns();
    if (s->stage == SERVER_DRAINING || s->moves.count > 0 || !is_shared(s, from) ||
        now - s->balanced_ns < SETTLE_NS) {
        return;
    }
    sim_thread *to = least_busy(s);
    uint64_t busy = sim_thread_busy(from);
    uint64_t gap = busy > sim_thread_busy(to) ? busy - sim_thread_busy(to) : 0;
    uint64_t chosen = balance_choose(r->loads, r->load_count, gap);
    world_entry *entry = chosen > 0 ? directory_find_number(&s->worlds, chosen) : NULL;
    if (entry != NULL && !entry->unnamed && entry->thread == from) {
        s->balanced_ns = now;
        own_thread_move(s, entry, to, false);
    }
}
