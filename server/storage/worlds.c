// Requests of the worlds' owners: worlds, records, images, ends. See storage.h.
#include "server/storage/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

// The caller must have the lock. Fails once the storage accepts no more requests.
static status check_alive(storage *s, error *err)
{
    return s->dead == STATUS_OK ? STATUS_OK : error_set(err, s->dead, "%s", s->dead_text);
}

static status check_new(storage *s, const char *name, storage_durability durability, error *err)
{
    if (!storage_name_valid(name)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "a world's name is 1 to %d of A-Z a-z 0-9 _ . -", STORAGE_NAME_BYTES_MAX);
    }
    if (durability < STORAGE_NONE || durability > STORAGE_FULL) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "durability is none, normal or full");
    }
    if (stored_find_name(s, name) != NULL) {
        return error_set(err, STATUS_ALREADY_EXISTS, "the storage has a world '%s'", name);
    }
    if (s->worlds.count >= STORAGE_WORLDS_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "the storage has %d worlds, and no more fit",
                         STORAGE_WORLDS_MAX);
    }
    return check_alive(s, err);
}

status storage_create(storage *s, const char *name, uint64_t epoch, storage_durability durability,
                      storage_world **out, error *err)
{
    pthread_mutex_lock(&s->lock);
    status result = check_new(s, name, durability, err);
    if (result == STATUS_OK) {
        storage_world *w = stored_make(s, s->next_world++, name, epoch, durability);
        w->assigned = 1;
        store_request *r = store_request_make(STORE_CREATE, w);
        r->sequence = 1;
        storage_push_locked(s, r);
        *out = w;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

static status check_append(storage_world *w, uint64_t first_tick, uint64_t last_tick, size_t size,
                           error *err)
{
    if (w->ended) {
        return error_set(err, STATUS_UNAVAILABLE, "world '%s' is destroyed", w->name);
    }
    if (size > STORAGE_RECORD_BYTES_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "a record of %zu bytes; at most %d are allowed", size,
                         STORAGE_RECORD_BYTES_MAX);
    }
    if (first_tick < w->assigned_tick || last_tick < first_tick) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "world '%s': ticks %" PRIu64 " to %" PRIu64 " after tick %" PRIu64,
                         w->name, first_tick, last_tick, w->assigned_tick);
    }
    return STATUS_OK;
}

// The caller has the lock.
static status check_room(storage *s, const store_request *r, error *err)
{
    uint64_t bytes = store_request_bytes(r);
    if (s->queue_bytes == 0 || s->queue_bytes + bytes <= s->options.queue_bytes) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "the disk is behind: %" PRIu64 " bytes wait to be written, at most %" PRIu64
                     " may",
                     s->queue_bytes, s->options.queue_bytes);
}

// The caller has the lock.
static status check_state(const storage_world *w, error *err)
{
    return w->state == STATUS_OK ? STATUS_OK : error_set(err, w->state, "%s", w->state_text);
}

status storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                      const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence, error *err)
{
    ASSERT(sequence != NULL && bytes != NULL);
    storage *s = w->storage;
    status result = check_append(w, first_tick, last_tick, bytes->size, err);
    if (result != STATUS_OK) {
        return result;
    }
    store_request *r = store_request_make(STORE_APPEND, w);
    r->sequence = w->assigned + 1;
    r->first_tick = first_tick;
    r->last_tick = last_tick;
    r->has_hash = hash != NULL;
    r->hash = hash != NULL ? *hash : 0;
    r->bytes = bytes;
    pthread_mutex_lock(&s->lock);
    result = check_state(w, err);
    result = result == STATUS_OK ? check_room(s, r, err) : result;
    if (result == STATUS_OK) {
        bytes_ref(bytes);
        storage_push_locked(s, r);
    }
    pthread_mutex_unlock(&s->lock);
    if (result != STATUS_OK) {
        homing_end(&r->way, sizeof *r);
        return result;
    }
    w->assigned++;
    w->assigned_tick = last_tick;
    atomic_fetch_add(&w->appended_bytes, RECORD_HEADER_BYTES + bytes->size);
    *sequence = w->assigned;
    return STATUS_OK;
}

static status check_checkpoint(storage_world *w, uint64_t tick, size_t size, error *err)
{
    if (w->ended) {
        return error_set(err, STATUS_UNAVAILABLE, "world '%s' is destroyed", w->name);
    }
    if (tick < w->assigned_tick) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "world '%s': an image of tick %" PRIu64 " after tick %" PRIu64, w->name,
                         tick, w->assigned_tick);
    }
    if (w->durability == STORAGE_NONE) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "world '%s' has durability none: no image of it is kept", w->name);
    }
    if (size > STORAGE_IMAGE_BYTES_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "an image of %zu bytes; at most %" PRIu64 " are allowed", size,
                         STORAGE_IMAGE_BYTES_MAX);
    }
    return STATUS_OK;
}

// The caller has the lock.
static status check_image_room(storage_world *w, size_t size, error *err)
{
    storage *s = w->storage;
    status result = check_alive(s, err);
    if (result != STATUS_OK) {
        return result;
    }
    if (w->checkpoint_state == STATUS_UNAVAILABLE && w->checkpoint_text[0] == '\0') {
        return error_set(err, STATUS_UNAVAILABLE, "world '%s': an image is being written", w->name);
    }
    if (s->image_queue_bytes > 0 && s->image_queue_bytes + size > s->options.image_queue_bytes) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "the disk is behind: %" PRIu64 " bytes of images wait, at most %" PRIu64
                         " may",
                         s->image_queue_bytes, s->options.image_queue_bytes);
    }
    return STATUS_OK;
}

status storage_checkpoint(storage_world *w, uint64_t tick, const uint64_t *hash,
                          shared_bytes *image, error *err)
{
    ASSERT(image != NULL);
    storage *s = w->storage;
    status result = check_checkpoint(w, tick, image->size, err);
    if (result != STATUS_OK) {
        return result;
    }
    pthread_mutex_lock(&s->lock);
    result = check_image_room(w, image->size, err);
    if (result == STATUS_OK) {
        w->checkpoint_state = STATUS_UNAVAILABLE;
        w->checkpoint_text[0] = '\0';
        store_request *r = store_request_make(STORE_CHECKPOINT, w);
        r->sequence = w->assigned;
        r->last_tick = tick;
        r->has_hash = hash != NULL;
        r->hash = hash != NULL ? *hash : 0;
        r->covered_bytes = atomic_load(&w->appended_bytes);
        r->bytes = bytes_ref(image);
        s->image_queue_bytes += image->size;
        storage_push_locked(s, r);
        w->assigned_tick = tick;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

status storage_destroy(storage_world *w, uint64_t *sequence, error *err)
{
    ASSERT(sequence != NULL);
    storage *s = w->storage;
    pthread_mutex_lock(&s->lock);
    status result = check_alive(s, err);
    if (result == STATUS_OK && w->ended && w->state == STATUS_OK) {
        result = error_set(err, STATUS_UNAVAILABLE, "world '%s' is destroyed", w->name);
    }
    if (result == STATUS_OK) {
        w->ended = true;
        atomic_store(&w->end_failed, false);
        store_request *r = store_request_make(STORE_DESTROY, w);
        r->sequence = ++w->assigned;
        r->last_tick = w->assigned_tick;
        storage_push_locked(s, r);
        *sequence = w->assigned;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

void storage_drop(storage *s, const char *name)
{
    pthread_mutex_lock(&s->lock);
    storage_world *w = stored_find_name(s, name);
    if (w != NULL && !w->ended && check_alive(s, NULL) == STATUS_OK) {
        w->ended = true;
        store_request *r = store_request_make(STORE_DESTROY, w);
        r->sequence = ++w->assigned;
        r->last_tick = w->assigned_tick;
        storage_push_locked(s, r);
        storage_push_locked(s, store_request_make(STORE_RELEASE, w)); // once more: it is gone then
    }
    pthread_mutex_unlock(&s->lock);
}

bool storage_destroy_failed(const storage_world *w)
{
    return atomic_load(&w->end_failed);
}

void storage_release(storage_world *w)
{
    storage_watch(w, NULL, NULL);
    storage_push(w->storage, store_request_make(STORE_RELEASE, w));
}

void storage_watch(storage_world *w, storage_wake *wake, void *context)
{
    ASSERT(wake != NULL || context == NULL);
    pthread_mutex_lock(&w->storage->wake_lock);
    w->wake = wake;
    w->wake_context = context;
    pthread_mutex_unlock(&w->storage->wake_lock);
}

uint64_t storage_committed(const storage_world *w)
{
    return atomic_load_explicit(&w->committed, memory_order_acquire);
}

status storage_state(const storage_world *w, error *err)
{
    if (!atomic_load(&w->failed)) {
        return STATUS_OK;
    }
    pthread_mutex_lock(&w->storage->lock);
    status result = check_state(w, err);
    pthread_mutex_unlock(&w->storage->lock);
    return result;
}

bool storage_takes_nothing(storage *s, error *err)
{
    uint32_t logged = 0;
    uint32_t failed = 0;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        const storage_world *w = s->worlds.data[i];
        if (w->durability != STORAGE_NONE) {
            logged++;
            failed += check_state(w, err) != STATUS_OK;
        }
    }
    if (s->dead != STATUS_OK) {
        error_set(err, s->dead, "%s", s->dead_text);
    }
    bool nothing = s->dead != STATUS_OK || (logged > 0 && failed == logged);
    pthread_mutex_unlock(&s->lock);
    return nothing;
}

status storage_checkpoint_state(const storage_world *w, error *err)
{
    pthread_mutex_lock(&w->storage->lock);
    status result = w->checkpoint_state;
    if (result != STATUS_OK) {
        error_set(err, result, "%s", w->checkpoint_text);
    }
    pthread_mutex_unlock(&w->storage->lock);
    return result;
}

uint64_t storage_log_bytes(const storage_world *w)
{
    ASSERT(atomic_load(&w->covered_bytes) <= atomic_load(&w->appended_bytes));
    return atomic_load(&w->appended_bytes) - atomic_load(&w->covered_bytes);
}

bool storage_wants_checkpoint(const storage_world *w)
{
    return atomic_load(&w->wants_checkpoint);
}

bool storage_image_turn(storage_world *w, int64_t now_ns)
{
    const int64_t least_ns = 1000000000 / STORAGE_IMAGES_A_SECOND;
    const int64_t took_ns = atomic_load_explicit(&w->storage->image_took_ns, memory_order_relaxed);
    const int64_t worth_ns = (int64_t)((double)took_ns / STORAGE_IMAGES_SHARE);
    const int64_t period_ns = worth_ns > least_ns ? worth_ns : least_ns;
    int64_t due = atomic_load_explicit(&w->storage->image_turn_ns, memory_order_relaxed);
    return now_ns >= due &&
           atomic_compare_exchange_strong(&w->storage->image_turn_ns, &due, now_ns + period_ns);
}

storage_figures storage_read_figures(storage *s)
{
    pthread_mutex_lock(&s->lock);
    storage_figures f = s->figures;
    f.queue_bytes = s->queue_bytes;
    pthread_mutex_unlock(&s->lock);
    return f;
}
