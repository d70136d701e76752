// See world_feed.h. A list under a lock.
#include "server/world/message/world_feed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "server/base/memory.h"

struct world_feed {
    atomic_uint references;
    void (*wake)(void *context);
    void *wake_context;
    pthread_mutex_t lock; // guards all below
    void (*on_allowed)(void *context);
    void *allowed_context;
    bool attached, imaged; // a standby is there; it got its image
    bool renews;           // it wants another one
    bool cut;
    feed_item *first, **last;
    uint64_t bytes;    // size of the entries in the list
    uint64_t sequence; // sequence of the last item, sent or not
    uint64_t allowed, shown;
};

world_feed *world_feed_create(void (*wake)(void *context), void *context)
{
    world_feed *f = calloc(1, sizeof *f);
    ASSERT_MEMORY(f != NULL);
    atomic_store(&f->references, 1);
    f->wake = wake;
    f->wake_context = context;
    f->last = &f->first;
    f->allowed = UINT64_MAX;
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

world_feed *world_feed_ref(world_feed *f)
{
    atomic_fetch_add(&f->references, 1);
    return f;
}

static void note_memory(const shared_bytes *bytes, int sign)
{
    memory_note(MEMORY_standbys, NULL, sign * (int64_t)bytes->size);
}

void feed_item_free(feed_item *item)
{
    if (item->bytes != NULL) {
        note_memory(item->bytes, -1);
        bytes_unref(item->bytes);
    }
    free(item);
}

static void lock(world_feed *f)
{
    pthread_mutex_lock(&f->lock);
}

static void unlock(world_feed *f)
{
    pthread_mutex_unlock(&f->lock);
}

static void drop_items(world_feed *f)
{
    while (f->first != NULL) {
        feed_item *item = f->first;
        f->first = item->next;
        feed_item_free(item);
    }
    f->last = &f->first;
    f->bytes = 0;
}

void world_feed_unref(world_feed *f)
{
    if (f != NULL && atomic_fetch_sub(&f->references, 1) == 1) {
        drop_items(f);
        pthread_mutex_destroy(&f->lock);
        free(f);
    }
}

// ---- the world's thread

void world_feed_watch(world_feed *f, void (*on_allowed)(void *context), void *context)
{
    lock(f);
    f->on_allowed = on_allowed;
    f->allowed_context = context;
    unlock(f);
}

bool world_feed_wants_image(world_feed *f)
{
    lock(f);
    const bool wants = f->attached && (!f->imaged || f->renews);
    unlock(f);
    return wants;
}

bool world_feed_follows(world_feed *f)
{
    lock(f);
    const bool follows = f->attached && f->imaged;
    unlock(f);
    return follows;
}

bool world_feed_may_wait(uint64_t waiting, uint64_t most)
{
    error ignored;
    return waiting <= most &&
           (waiting <= WORLD_FEED_BYTES_LOW || memory_ask(NULL, 1, &ignored) == STATUS_OK);
}

// Whether somebody wants it. An image begins what follows.
static bool is_wanted(world_feed *f, feed_kind kind, const shared_bytes *bytes)
{
    if (!f->attached || (kind == FEED_ENTRY && !f->imaged)) {
        return false;
    }
    if (kind == FEED_ENTRY && !world_feed_may_wait(f->bytes + bytes->size, WORLD_FEED_BYTES_MAX)) {
        drop_items(f);
        f->attached = f->imaged = f->renews = false;
        f->cut = true;
        return false;
    }
    f->imaged = f->imaged || kind == FEED_IMAGE;
    f->renews = f->renews && kind != FEED_IMAGE;
    return true;
}

uint64_t world_feed_put(world_feed *f, feed_kind kind, uint64_t tick, uint64_t hash,
                        shared_bytes *bytes)
{
    ASSERT((kind == FEED_END) == (bytes == NULL));
    lock(f);
    const uint64_t sequence = ++f->sequence;
    const bool was_cut = f->cut;
    bool wakes = false;
    if (is_wanted(f, kind, bytes)) {
        feed_item *item = malloc(sizeof *item);
        ASSERT_MEMORY(item != NULL);
        *item = (feed_item){.kind = kind,
                            .sequence = sequence,
                            .tick = tick,
                            .hash = hash,
                            .bytes = bytes != NULL ? bytes_ref(bytes) : NULL};
        if (bytes != NULL) {
            note_memory(bytes, 1);
        }
        wakes = f->first == NULL;
        *f->last = item;
        f->last = &item->next;
        f->bytes += kind == FEED_ENTRY ? bytes->size : 0;
    }
    wakes = wakes || f->cut != was_cut;
    unlock(f);
    if (wakes) {
        f->wake(f->wake_context);
    }
    return sequence;
}

bool world_feed_show(world_feed *f, uint64_t sequence)
{
    lock(f);
    const bool may = sequence <= f->allowed;
    f->shown = may && sequence > f->shown ? sequence : f->shown;
    unlock(f);
    return may;
}

// ---- the network thread

// Called with the lock.
static void send_word(world_feed *f)
{
    if (f->on_allowed != NULL) {
        f->on_allowed(f->allowed_context);
    }
}

void world_feed_attach(world_feed *f)
{
    lock(f);
    drop_items(f);
    f->attached = true;
    f->imaged = f->renews = f->cut = false;
    send_word(f);
    unlock(f);
}

void world_feed_detach(world_feed *f)
{
    lock(f);
    drop_items(f);
    f->attached = f->imaged = f->renews = f->cut = false;
    unlock(f);
}

void world_feed_renew(world_feed *f)
{
    lock(f);
    f->renews = f->attached && f->imaged;
    send_word(f);
    unlock(f);
}

feed_item *world_feed_take(world_feed *f, bool *cut)
{
    lock(f);
    feed_item *items = f->first;
    f->first = NULL;
    f->last = &f->first;
    f->bytes = 0;
    *cut = f->cut;
    f->cut = false;
    unlock(f);
    return items;
}

void world_feed_allow(world_feed *f, uint64_t sequence)
{
    lock(f);
    const bool more = sequence > f->allowed;
    f->allowed = sequence;
    if (more) {
        send_word(f);
    }
    unlock(f);
}

uint64_t world_feed_shown(world_feed *f)
{
    lock(f);
    const uint64_t shown = f->shown;
    unlock(f);
    return shown;
}
