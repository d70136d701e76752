// Measures how busy a simulation thread is, and which of its worlds takes most of it, so that the
// network thread can move one. See sim_thread.h. Simulation thread only.
#include "server/world/tick/sim_thread_internal.h"

#include <stdlib.h>

#include "common/base/assert.h"

enum {
    LOAD_WINDOW_NS = 1000000000,
    // millionths: below this, moving a world to another thread gains too little
    LOADS_LEAST = 200000,
    LOADS_FULL = 900000, // at a higher load, its largest world delays the others
    LOADS_LARGE = 250000 // least load of a large world
};

// Offers the largest world of a full thread for moving if none takes half of the thread and the
// largest has far more than its share. Steps of paused worlds only use the time that is left.
static void relieve(sim_thread *h, const reply *loads, double busy)
{
    const world_load *most = NULL;
    for (uint32_t i = 0; i < loads->load_count; i++) {
        const served_world *w = sim_thread_find_world(h, loads->loads[i].world);
        if (!served_world_is_paused(w) && (most == NULL || loads->loads[i].share > most->share)) {
            most = &loads->loads[i];
        }
    }
    if (most != NULL && busy * 1e6 >= LOADS_FULL && most->share >= LOADS_LARGE &&
        2 * most->share * loads->load_count >= 3 * 1000000 && !h->options.own_thread) {
        sim_thread_post_about(h, REPLY_CROWDED, most->world, NULL);
    }
}

// A busy thread with several worlds may be relieved of one.
static void tell_loads(sim_thread *h, int64_t length, double busy)
{
    ASSERT(busy >= 0.0);
    bool told = h->worlds.count > 1 && busy * 1e6 >= LOADS_LEAST && !h->options.turned;
    reply *r = told ? reply_create(REPLY_LOADS, 0) : NULL;
    if (told) {
        r->loads = malloc(h->worlds.count * sizeof *r->loads);
        ASSERT_MEMORY(r->loads != NULL);
    }
    for (uint32_t i = 0; i < h->worlds.count; i++) {
        served_world *w = h->worlds.data[i];
        if (told && !served_world_has_ended(w)) {
            uint64_t load = (uint64_t)((double)w->place.load_ns / (double)length * 1e6);
            r->loads[r->load_count++] = (world_load){w->number, load};
        }
        w->place.load_ns = 0;
    }
    if (told) {
        relieve(h, r, busy);
        sim_thread_post(h, r);
    }
}

// `forever`: the thread is about to wait without end.
void sim_thread_note_load(sim_thread *h, int64_t begin, int64_t end, bool forever)
{
    ASSERT(end >= begin);
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
