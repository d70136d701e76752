// A list, lists of crowds, and a heap of crowds; see detached.h. Network thread only.
#include "server/session/identity/detached.h"

#include <stdbool.h>
#include <stddef.h>

#include "common/base/assert.h"

// ---- the heap of crowds

static void put(detached_list *l, uint32_t at, detached_crowd *crowd)
{
    l->heap.data[at] = crowd;
    crowd->heap_at = at;
}

static void swap(detached_list *l, uint32_t a, uint32_t b)
{
    detached_crowd *first = l->heap.data[a];
    put(l, a, l->heap.data[b]);
    put(l, b, first);
}

static bool is_larger(const detached_list *l, uint32_t a, uint32_t b)
{
    return l->heap.data[a]->count > l->heap.data[b]->count;
}

static void sift_up(detached_list *l, uint32_t at)
{
    while (at > 0 && is_larger(l, at, (at - 1) / 2)) {
        swap(l, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static void sift_down(detached_list *l, uint32_t at)
{
    for (;;) {
        uint32_t largest = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < l->heap.count && is_larger(l, child, largest)) {
                largest = child;
            }
        }
        if (largest == at) {
            return;
        }
        swap(l, at, largest);
        at = largest;
    }
}

// Updates the heap after the crowd got one more.
static void grown(detached_list *l, detached_crowd *crowd)
{
    if (crowd->count == 1) {
        array_push(&l->heap, crowd);
        crowd->heap_at = l->heap.count - 1;
    }
    sift_up(l, crowd->heap_at);
}

// Updates the heap after the crowd lost one.
static void shrunk(detached_list *l, detached_crowd *crowd)
{
    const uint32_t at = crowd->heap_at;
    ASSERT(at < l->heap.count && l->heap.data[at] == crowd);
    if (crowd->count > 0) {
        sift_down(l, at);
        return;
    }
    detached_crowd *last = l->heap.data[--l->heap.count];
    if (last != crowd) {
        put(l, at, last);
        sift_up(l, at);
        sift_down(l, last->heap_at);
    }
}

// ---- the lists

void detached_deinit(detached_list *l)
{
    ASSERT(l->count == 0 && l->first == NULL && l->heap.count == 0);
    array_free(&l->heap);
}

void detached_add(detached_list *l, detached_link *link, detached_crowd *crowd)
{
    ASSERT(link->crowd == NULL);
    crowd = crowd != NULL ? crowd : &l->nobody;
    *link = (detached_link){.previous = l->last, .crowd_previous = crowd->last, .crowd = crowd};
    *(l->last != NULL ? &l->last->next : &l->first) = link;
    *(crowd->last != NULL ? &crowd->last->crowd_next : &crowd->first) = link;
    l->last = crowd->last = link;
    l->count++;
    crowd->count++;
    if (crowd != &l->nobody) {
        grown(l, crowd);
    }
}

void detached_remove(detached_list *l, detached_link *link)
{
    detached_crowd *crowd = link->crowd;
    ASSERT(crowd != NULL && crowd->count > 0 && l->count >= crowd->count);
    *(link->previous != NULL ? &link->previous->next : &l->first) = link->next;
    *(link->next != NULL ? &link->next->previous : &l->last) = link->previous;
    *(link->crowd_previous != NULL ? &link->crowd_previous->crowd_next : &crowd->first) =
        link->crowd_next;
    *(link->crowd_next != NULL ? &link->crowd_next->crowd_previous : &crowd->last) =
        link->crowd_previous;
    *link = (detached_link){0};
    l->count--;
    crowd->count--;
    if (crowd != &l->nobody) {
        shrunk(l, crowd);
    }
}

detached_link *detached_superfluous(const detached_list *l)
{
    if (l->nobody.count > 0) {
        return l->nobody.first;
    }
    return l->heap.count > 0 ? l->heap.data[0]->first : NULL;
}
