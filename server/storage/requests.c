// Requests in their chains, and the worlds by number and name. Any thread, under the lock where
// internal.h says so.
#include "server/storage/internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

// ---- requests

void chain_init(request_chain *c)
{
    *c = (request_chain){0};
    c->last = &c->first;
}

void chain_push(request_chain *c, store_request *r)
{
    ASSERT(*c->last == NULL && (c->first == NULL) == (c->count == 0));
    r->next = NULL;
    *c->last = r;
    c->last = &r->next;
    c->count++;
}

void chain_push_front(request_chain *c, store_request *r)
{
    ASSERT((c->first == NULL) == (c->count == 0));
    r->next = c->first;
    c->first = r;
    c->last = r->next == NULL ? &r->next : c->last;
    c->count++;
}

store_request *chain_pop(request_chain *c)
{
    ASSERT((c->first == NULL) == (c->count == 0));
    store_request *r = c->first;
    if (r != NULL) {
        c->first = r->next;
        c->last = c->first == NULL ? &c->first : c->last;
        c->count--;
        r->next = NULL;
    }
    return r;
}

uint64_t store_request_bytes(const store_request *r)
{
    ASSERT(r->kind != STORE_APPEND || r->bytes != NULL);
    return sizeof *r + (r->kind == STORE_APPEND ? r->bytes->size : 0);
}

static void destroy_request(homing *way)
{
    free((char *)way - offsetof(store_request, way));
}

store_request *store_request_make(store_request_kind kind, storage_world *w)
{
    ASSERT((w == NULL) == (kind == STORE_TRUNCATE));
    store_request *r = calloc(1, sizeof *r);
    ASSERT_MEMORY(r != NULL);
    r->kind = kind;
    r->world = w;
    homing_begin(&r->way, sizeof *r, destroy_request);
    return r;
}

void store_request_free(storage *s, store_request *r)
{
    pthread_mutex_lock(&s->lock);
    ASSERT(s->queue_bytes >= store_request_bytes(r));
    ASSERT(r->kind != STORE_CHECKPOINT || s->image_queue_bytes >= r->bytes->size);
    s->queue_bytes -= store_request_bytes(r);
    if (r->kind == STORE_CHECKPOINT) {
        s->image_queue_bytes -= r->bytes->size;
    }
    pthread_mutex_unlock(&s->lock);
    bytes_unref(r->bytes);
    homing_end(&r->way, sizeof *r);
}

void storage_push_locked(storage *s, store_request *r)
{
    bool was_empty = s->incoming.first == NULL;
    chain_push(&s->incoming, r);
    s->queue_bytes += store_request_bytes(r);
    if (was_empty) {
        pthread_cond_signal(&s->pushed);
    }
}

void storage_push(storage *s, store_request *r)
{
    pthread_mutex_lock(&s->lock);
    storage_push_locked(s, r);
    pthread_mutex_unlock(&s->lock);
}

void storage_push_front(storage *s, store_request *r)
{
    pthread_mutex_lock(&s->lock);
    s->queue_bytes += store_request_bytes(r);
    pthread_mutex_unlock(&s->lock);
    chain_push_front(&s->pending, r);
}

// ---- worlds

storage_world *stored_find(storage *s, uint64_t number)
{
    uint32_t low = 0;
    uint32_t high = s->worlds.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->worlds.data[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < s->worlds.count && s->worlds.data[low]->number == number;
    return found ? s->worlds.data[low] : NULL;
}

storage_world *stored_find_name(storage *s, const char *name)
{
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        if (strcmp(s->worlds.data[i]->name, name) == 0) {
            return s->worlds.data[i];
        }
    }
    return NULL;
}

storage_world *stored_make(storage *s, uint64_t number, const char *name, uint64_t epoch,
                           storage_durability durability)
{
    ASSERT(number != 0 && strlen(name) <= STORAGE_NAME_BYTES_MAX);
    storage_world *w = calloc(1, sizeof *w);
    ASSERT_MEMORY(w != NULL);
    w->storage = s;
    w->number = number;
    w->epoch = epoch;
    w->durability = durability;
    memcpy(w->name, name, strlen(name) + 1);
    array_push(&s->worlds, w);
    // A new world's number is the highest so far, so the list stays in order, except for what a
    // damaged log claims.
    for (uint32_t i = s->worlds.count - 1;
         i > 0 && s->worlds.data[i - 1]->number > s->worlds.data[i]->number; i--) {
        storage_world *other = s->worlds.data[i - 1];
        s->worlds.data[i - 1] = s->worlds.data[i];
        s->worlds.data[i] = other;
    }
    return w;
}

void stored_change_stage(storage_world *w, stored_stage next)
{
    enum {
        UNLOGGED = 1 << STORED_UNLOGGED,
        ENTERING = 1 << STORED_ENTERING,
        LOGGED = 1 << STORED_LOGGED
    };
    static const uint8_t FROM[] = {[STORED_UNLOGGED] = ENTERING, // the group could not be written
                                   [STORED_ENTERING] = UNLOGGED,
                                   [STORED_LOGGED] = UNLOGGED | ENTERING,
                                   [STORED_GONE] = UNLOGGED | LOGGED};
    ASSERT((FROM[next] >> w->stage & 1) != 0);
    w->stage = next;
}

void stored_free(storage_world *w)
{
    ASSERT(!w->wake_due); // storage_wake_touched() would look at it
    array_free(&w->spans);
    free(w->unsound);
    free(w);
}

void stored_note(storage_world *w, uint64_t segment, uint64_t sequence)
{
    ASSERT(w->spans.count == 0 || w->spans.data[w->spans.count - 1].segment <= segment);
    ASSERT(segment > 0 && sequence > 0);
    if (w->spans.count == 0 || w->spans.data[w->spans.count - 1].segment != segment) {
        array_push(&w->spans, ((world_span){segment, sequence}));
    }
}

void stored_trim(storage_world *w)
{
    uint64_t held = w->checkpoint.exists ? w->checkpoint.sequence : 0;
    uint32_t drop = 0;
    while (drop < w->spans.count) {
        uint64_t last = drop + 1 < w->spans.count ? w->spans.data[drop + 1].first - 1 : w->logged;
        if (last > held) {
            break;
        }
        drop++;
    }
    array_remove_first(&w->spans, drop);
}
