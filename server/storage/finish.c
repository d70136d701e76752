// After a group was written, or failed to be: gives every request in it its result, and removes
// files that the log no longer needs. Storage thread.
#include "server/storage/turn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"

static void remove_image(storage *s, uint64_t world, uint64_t number)
{
    char name[IMAGE_NAME_BYTES];
    image_name(world, number, name);
    int result = s->disk->methods->remove(s->disk, name);
    if (result != 0 && result != ENOENT) {
        log_warn("%s/%s is no longer needed and could not be removed: %s", s->path, name,
                 strerror(result));
    }
}

// The oldest segment with a record that its world's newest image does not cover.
static uint64_t oldest_needed(storage *s)
{
    uint64_t oldest = s->log.segment;
    ASSERT(oldest >= s->first_segment);
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        const storage_world *w = s->worlds.data[i];
        if (w->spans.count > 0 && w->spans.data[0].segment < oldest) {
            oldest = w->spans.data[0].segment;
        }
    }
    pthread_mutex_unlock(&s->lock);
    return oldest;
}

static void ask_for_checkpoints(storage *s)
{
    bool over = s->closed_bytes + s->log.end > s->options.log_bytes;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        storage_world *w = s->worlds.data[i];
        bool holds = w->spans.count > 0 && w->spans.data[0].segment < s->log.segment;
        bool wants = over && holds;
        if (wants != atomic_load(&w->wants_checkpoint)) {
            atomic_store(&w->wants_checkpoint, wants);
            stored_touch(w);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static void plan_truncation(storage *s)
{
    uint64_t oldest = oldest_needed(s);
    ASSERT(oldest <= s->log.segment);
    if (storage_alive(s) && oldest > s->oldest) {
        store_request *r = store_request_make(STORE_TRUNCATE, NULL);
        r->sequence = oldest;
        storage_push_front(s, r);
    }
}

// Removes segments that are no longer needed according to the log on the disk; oldest first.
static void drop_segments(storage *s)
{
    ASSERT(s->oldest <= s->log.segment);
    while (s->first_segment < s->oldest) {
        char name[SEGMENT_NAME_BYTES];
        segment_name(s->first_segment, name);
        int result = s->disk->methods->remove(s->disk, name);
        if (result != 0 && result != ENOENT) {
            log_warn("%s/%s is no longer needed and could not be removed: %s", s->path, name,
                     strerror(result));
            break;
        }
        ASSERT(s->segment_bytes.count > 0 && s->closed_bytes >= s->segment_bytes.data[0]);
        s->closed_bytes -= s->segment_bytes.data[0];
        array_remove_first(&s->segment_bytes, 1);
        s->first_segment++;
    }
    storage_note_figures(s, 0, 0, 0, 0);
}

static void checkpointed(storage *s, const store_request *r)
{
    ASSERT(r->kind == STORE_CHECKPOINTED && r->checkpoint.exists);
    storage_world *w = r->world;
    if (w->checkpoint.exists) {
        remove_image(s, w->number, w->checkpoint.image);
    }
    w->checkpoint = r->checkpoint;
    if (w->stage != STORED_LOGGED) {
        stored_change_stage(w, STORED_LOGGED);
    }
    if (r->sequence >= w->logged) {
        w->logged = r->sequence;
        w->logged_tick = r->last_tick > w->logged_tick ? r->last_tick : w->logged_tick;
    }
    stored_trim(w);
    atomic_store(&w->covered_bytes, r->covered_bytes);
    if (atomic_load(&w->failed) && r->sequence >= w->lost) {
        stored_heal(w);
    }
    stored_publish(w, r->sequence);
    stored_set_checkpoint_state(w, STATUS_OK, "");
    pthread_mutex_lock(&s->lock);
    s->figures.images++;
    pthread_mutex_unlock(&s->lock);
}

static void unlist(storage *s, storage_world *w)
{
    pthread_mutex_lock(&s->lock);
    array_remove_value(&s->worlds, w);
    pthread_mutex_unlock(&s->lock);
    stored_change_stage(w, STORED_GONE);
    array_push(&s->gone, w);
}

static void destroyed(storage *s, const store_request *r)
{
    ASSERT(r->kind == STORE_DESTROY && r->world->stage != STORED_GONE);
    storage_world *w = r->world;
    storage_drop_images(s, w);
    if (w->checkpoint.exists) {
        remove_image(s, w->number, w->checkpoint.image);
    }
    array_clear(&w->spans);
    unlist(s, w);
    stored_publish(w, r->sequence);
}

static void appended(const store_request *r)
{
    ASSERT(r->kind == STORE_APPEND);
    storage_world *w = r->world;
    if (atomic_load(&w->failed)) {
        return; // it was left out of the group
    }
    if (w->durability != STORAGE_NONE) {
        ASSERT(r->sequence > w->logged && r->last_tick >= w->logged_tick);
        w->logged = r->sequence;
        w->logged_tick = r->last_tick;
        stored_note(w, w->storage->log.segment, r->sequence);
    }
    stored_publish(w, r->sequence);
}

static void created(const store_request *r)
{
    ASSERT(r->kind == STORE_CREATE && r->sequence == 1);
    storage_world *w = r->world;
    if (w->durability != STORAGE_NONE) {
        stored_change_stage(w, STORED_LOGGED);
    }
    w->logged = r->sequence;
    stored_publish(w, r->sequence);
}

// The image's record could not be written, so the image does not count. The record may still be on
// the disk until a sync makes its removal durable: only then may the image file be removed. If the
// sync fails, the file stays.
static void checkpoint_lost(storage *s, const store_request *r, const error *err)
{
    error failed;
    if (storage_alive(s) && storage_sync_log(s, &failed) == STATUS_OK) {
        remove_image(s, r->world->number, r->checkpoint.image);
    }
    stored_set_checkpoint_state(r->world, STATUS_UNAVAILABLE, err->text);
}

static void release(storage *s, storage_world *w)
{
    w->owner_released = true;          // perhaps again, by storage_drop()
    if (w->stage == STORED_UNLOGGED) { // nothing of the world is on the disk
        storage_drop_images(s, w);
        unlist(s, w);
    }
}

// Finishes requests that concern no world.
static void finish_own(storage *s, store_request *r, bool good)
{
    ASSERT(r->sequence <= s->log.segment);
    ASSERT(r->kind == STORE_TRUNCATE);
    if (good) {
        s->oldest = r->sequence > s->oldest ? r->sequence : s->oldest;
        drop_segments(s);
    }
}

// `err`: why the group failed, or NULL.
static void finish_request(storage *s, store_request *r, const error *err)
{
    bool good = err == NULL;
    ASSERT(good || err->status != STATUS_OK);
    storage_world *w = r->world;
    if (w == NULL) {
        finish_own(s, r, good);
        return;
    }
    if (w->stage == STORED_ENTERING) {
        stored_change_stage(w, STORED_UNLOGGED);
    }
    switch (r->kind) {
    case STORE_CREATE:
        if (good || w->durability == STORAGE_NONE) {
            created(r);
        }
        break;
    case STORE_APPEND:
        if (good || w->durability == STORAGE_NONE) {
            appended(r);
        }
        break;
    case STORE_CHECKPOINTED:
        if (good) {
            checkpointed(s, r);
        } else {
            checkpoint_lost(s, r, err);
        }
        break;
    case STORE_DESTROY:
        if (good || w->durability == STORAGE_NONE || w->stage == STORED_UNLOGGED) {
            destroyed(s, r);
        } else {
            atomic_store(&w->end_failed, true);
            stored_touch(w);
        }
        break;
    case STORE_RELEASE:
        release(s, w);
        break;
    case STORE_CHECKPOINT:
    case STORE_TRUNCATE:
        break;
    }
}

static void forget_gone(storage *s, storage_world *w)
{
    ASSERT(w->stage == STORED_GONE && w->owner_released);
    array_swap_remove_value(&s->gone, w);
    stored_free(w);
}

// Gives every request in the group its result; images among them join the queue of images.
void storage_finish_group(storage *s, const error *err)
{
    bool dropped = false;
    request_chain released;
    chain_init(&released);
    store_request *r;
    while ((r = chain_pop(&s->in_group)) != NULL) {
        finish_request(s, r, err);
        dropped = dropped || r->kind == STORE_CHECKPOINTED || r->kind == STORE_DESTROY;
        if (r->kind == STORE_CHECKPOINT && r->world->stage != STORED_GONE) {
            chain_push(&s->images, r);
        } else if (r->kind == STORE_RELEASE) {
            chain_push(&released, r);
        } else {
            store_request_free(s, r);
        }
    }
    if (dropped && err == NULL) {
        plan_truncation(s);
    }
    storage_die_if_lost(s);
    ask_for_checkpoints(s);
    storage_wake_touched(s);
    while ((r = chain_pop(&released)) != NULL) {
        if (r->world->stage == STORED_GONE) {
            forget_gone(s, r->world);
        }
        store_request_free(s, r);
    }
}
