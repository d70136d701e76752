// A stack for each thread, which others push onto and its thread takes as a whole; see home.h.
#include "server/base/home.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/assert.h"

// A home outlives its thread while something of it is away.
typedef struct home {
    _Atomic(homing *) returned; // newest first; CLOSED once its thread has ended
    atomic_int_least64_t away;  // once it is closed: how many are away
    homing *collected;          // used by its thread: taken from `returned`, not freed yet
    int64_t made, freed;        // used by its thread
    int64_t made_before;        // used by its thread: `made` at the last home_collect
} home;

static homing closed_mark;
#define CLOSED (&closed_mark)

static _Thread_local home *here;
static atomic_int_least64_t bytes_returning;

int64_t home_bytes(void)
{
    return atomic_load_explicit(&bytes_returning, memory_order_relaxed);
}

void home_begin(void)
{
    ASSERT(here == NULL);
    here = calloc(1, sizeof *here);
    ASSERT_MEMORY(here != NULL);
}

// Destroys up to `most` of a chain, and returns the rest.
static homing *destroy_some(homing *chain, int64_t most, int64_t *destroyed)
{
    int64_t bytes = 0;
    int64_t count = 0;
    while (chain != NULL && count < most) {
        homing *next = chain->next;
        bytes += (int64_t)chain->bytes;
        chain->destroy(chain);
        chain = next;
        count++;
    }
    atomic_fetch_sub_explicit(&bytes_returning, bytes, memory_order_relaxed);
    *destroyed += count;
    return chain;
}

bool home_collect(void)
{
    home *h = here;
    if (h == NULL) {
        return false;
    }
    if (h->collected == NULL && atomic_load_explicit(&h->returned, memory_order_relaxed) != NULL) {
        // Acquire: we see all that the others wrote before they pushed.
        h->collected = atomic_exchange_explicit(&h->returned, NULL, memory_order_acquire);
    }
    const int64_t most = HOME_COLLECT_LEAST + 2 * (h->made - h->made_before);
    h->made_before = h->made;
    h->collected = destroy_some(h->collected, most, &h->freed);
    return h->collected != NULL;
}

bool home_misses(void)
{
    return here != NULL && here->made > here->freed;
}

void home_end(void)
{
    home *h = here;
    if (h == NULL) {
        return;
    }
    h->collected = destroy_some(h->collected, INT64_MAX, &h->freed);
    homing *last = atomic_exchange_explicit(&h->returned, CLOSED, memory_order_acq_rel);
    (void)destroy_some(last, INT64_MAX, &h->freed);
    here = NULL;
    const int64_t left = h->made - h->freed;
    ASSERT(left >= 0);
    // Others may have counted down already, to below zero: whoever reaches zero is the last.
    if (atomic_fetch_add_explicit(&h->away, left, memory_order_acq_rel) + left == 0) {
        free(h);
    }
}

void homing_begin(homing *h, size_t bytes, void (*destroy)(homing *h))
{
    *h = (homing){.home = bytes < HOME_PIECE_MAX ? here : NULL, .destroy = destroy};
    if (h->home != NULL) {
        h->home->made++;
    }
}

// Returns false if the home is closed.
static bool push(home *to, homing *h)
{
    homing *first = atomic_load_explicit(&to->returned, memory_order_relaxed);
    do {
        if (first == CLOSED) {
            return false;
        }
        h->next = first;
        // Release: its thread sees all that we wrote.
    } while (!atomic_compare_exchange_weak_explicit(&to->returned, &first, h, memory_order_release,
                                                    memory_order_relaxed));
    return true;
}

static void send(home *to, homing *h, size_t bytes)
{
    h->bytes = bytes;
    atomic_fetch_add_explicit(&bytes_returning, (int64_t)bytes, memory_order_relaxed);
    if (push(to, h)) {
        return;
    }
    atomic_fetch_sub_explicit(&bytes_returning, (int64_t)bytes, memory_order_relaxed);
    h->destroy(h);
    if (atomic_fetch_sub_explicit(&to->away, 1, memory_order_acq_rel) == 1) {
        free(to);
    }
}

void homing_end(homing *h, size_t bytes)
{
    home *to = h->home;
    if (to != NULL && to != here) {
        send(to, h, bytes);
        return;
    }
    if (to != NULL) {
        to->freed++;
    }
    h->destroy(h);
}
