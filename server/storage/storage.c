// The owners' side: opening and closing, worlds, the bounded queue, the thread's loop.
#include "server/storage/storage.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/assert.h"
#include "server/storage/internal.h"

enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

storage_options storage_options_default(void)
{
    return (storage_options){
        .queue_bytes = STORAGE_QUEUE_BYTES_DEFAULT,
        .image_queue_bytes = STORAGE_IMAGE_QUEUE_BYTES_DEFAULT,
        .segment_bytes = STORAGE_SEGMENT_BYTES_DEFAULT,
        .log_bytes = STORAGE_LOG_BYTES_DEFAULT,
        .sync_ms = STORAGE_SYNC_MS_DEFAULT,
        .clock = monotonic_ns,
    };
}

// ---- requests

void chain_init(request_chain *c)
{
    *c = (request_chain){0};
    c->last = &c->first;
}

void chain_push(request_chain *c, store_request *r)
{
    r->next = NULL;
    *c->last = r;
    c->last = &r->next;
    c->count++;
}

void chain_push_front(request_chain *c, store_request *r)
{
    r->next = c->first;
    c->first = r;
    c->last = r->next == NULL ? &r->next : c->last;
    c->count++;
}

store_request *chain_pop(request_chain *c)
{
    store_request *r = c->first;
    if (r != NULL) {
        c->first = r->next;
        c->last = c->first == NULL ? &c->first : c->last;
        c->count--;
        r->next = NULL;
    }
    return r;
}

static uint64_t store_request_bytes(const store_request *r)
{
    return sizeof *r + (r->kind == STORE_APPEND ? r->bytes->size : 0);
}

store_request *store_request_make(request_kind kind, storage_world *w)
{
    store_request *r = calloc(1, sizeof *r);
    ASSERT(r != NULL);
    r->kind = kind;
    r->world = w;
    return r;
}

void store_request_free(storage *s, store_request *r)
{
    pthread_mutex_lock(&s->lock);
    s->queue_bytes -= store_request_bytes(r);
    if (r->kind == STORE_CHECKPOINT) {
        s->image_queue_bytes -= r->bytes->size;
    }
    pthread_mutex_unlock(&s->lock);
    bytes_unref(r->bytes);
    free(r);
}

static void push_locked(storage *s, store_request *r)
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
    push_locked(s, r);
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
    storage_world *w = calloc(1, sizeof *w);
    ASSERT(w != NULL);
    w->storage = s;
    w->number = number;
    w->epoch = epoch;
    w->durability = durability;
    memcpy(w->name, name, strlen(name) + 1);
    array_push(&s->worlds, w);
    // A world's number is the highest yet, so they stay in order but for what a damaged log says.
    for (uint32_t i = s->worlds.count - 1;
         i > 0 && s->worlds.data[i - 1]->number > s->worlds.data[i]->number; i--) {
        storage_world *other = s->worlds.data[i - 1];
        s->worlds.data[i - 1] = s->worlds.data[i];
        s->worlds.data[i] = other;
    }
    return w;
}

void stored_free(storage_world *w)
{
    array_free(&w->spans);
    free(w);
}

void stored_note(storage_world *w, uint64_t segment, uint64_t sequence)
{
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
    if (drop > 0) {
        memmove(w->spans.data, w->spans.data + drop,
                (w->spans.count - drop) * sizeof *w->spans.data);
        w->spans.count -= drop;
    }
}

// ---- opening and closing

static void condition_init(pthread_cond_t *c)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attributes);
    pthread_condattr_destroy(&attributes);
}

storage *storage_make(const storage_options *options, disk *d, const char *path)
{
    storage *s = calloc(1, sizeof *s);
    ASSERT(s != NULL);
    s->options = *options;
    ASSERT(s->options.clock != NULL && s->options.segment_bytes > 0);
    s->disk = d;
    s->log.disk = d;
    snprintf(s->path, sizeof s->path, "%s", path);
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->wake_lock, NULL);
    condition_init(&s->pushed);
    condition_init(&s->answered);
    chain_init(&s->incoming);
    chain_init(&s->pending);
    chain_init(&s->in_group);
    chain_init(&s->images);
    return s;
}

static void free_chain(storage *s, request_chain *c)
{
    store_request *r;
    while ((r = chain_pop(c)) != NULL) {
        store_request_free(s, r);
    }
}

void storage_free(storage *s)
{
    free_chain(s, &s->in_group);
    free_chain(s, &s->pending);
    free_chain(s, &s->incoming);
    free_chain(s, &s->images);
    if (s->job.request != NULL) {
        image_writer_deinit(&s->job.writer);
        store_request_free(s, s->job.request);
    }
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        stored_free(s->worlds.data[i]);
    }
    for (uint32_t i = 0; i < s->gone.count; i++) {
        stored_free(s->gone.data[i]);
    }
    array_free(&s->gone);
    array_free(&s->worlds);
    array_free(&s->touched);
    array_free(&s->segment_bytes);
    group_free(&s->group);
    journal_close(&s->log);
    s->disk->methods->destroy(s->disk);
    pthread_cond_destroy(&s->pushed);
    pthread_cond_destroy(&s->answered);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->wake_lock);
    free(s);
}

static status take_lock(disk *d, error *err)
{
    long holder = 0;
    int result = d->methods->lock(d, &holder);
    if (result == 0) {
        return STATUS_OK;
    }
    if (result != EWOULDBLOCK) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "cannot lock the directory: %s; give this user "
                         "the right to write there",
                         strerror(result));
    }
    char process[32] = "another process";
    if (holder > 0) {
        snprintf(process, sizeof process, "process %ld", holder);
    }
    return error_set(err, STATUS_UNAVAILABLE,
                     "it is in use by %s: stop that server or choose another directory", process);
}

status storage_open(const char *path, const storage_options *options, storage **out, error *err)
{
    disk *d = options->disk;
    if (d == NULL) {
        status result = disk_directory_open(path, true, &d, err);
        if (result != STATUS_OK) {
            return result;
        }
    }
    storage *s = storage_make(options, d, path);
    status result = take_lock(d, err);
    result = result == STATUS_OK ? storage_scan(s, true, err) : result;
    if (result != STATUS_OK) {
        error_prefix(err, "data directory '%s'", path);
        storage_free(s);
        return result;
    }
    *out = s;
    return STATUS_OK;
}

// Until something is to be done. False: the thread is to end, and nothing waits.
static bool wait_for_work(storage *s)
{
    int64_t deadline = s->dirty && s->options.sync_ms > 0
                           ? s->dirty_ns + (int64_t)s->options.sync_ms * NS_PER_MS
                           : INT64_MAX;
    struct timespec until = {.tv_sec = deadline / NS_PER_S, .tv_nsec = deadline % NS_PER_S};
    pthread_mutex_lock(&s->lock);
    int result = 0;
    while (s->incoming.first == NULL && !s->stopping && result != ETIMEDOUT) {
        result = deadline == INT64_MAX ? pthread_cond_wait(&s->pushed, &s->lock)
                                       : pthread_cond_timedwait(&s->pushed, &s->lock, &until);
        ASSERT(result == 0 || result == ETIMEDOUT);
    }
    bool more = s->incoming.first != NULL || !s->stopping;
    pthread_mutex_unlock(&s->lock);
    return more;
}

static void *run_thread(void *argument)
{
    storage *s = argument;
    do {
        while (storage_turn_once(s)) {
        }
    } while (wait_for_work(s));
    return NULL;
}

status storage_start(storage *s, error *err)
{
    ASSERT(!s->threaded);
    // Signals are for who opened the storage.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&s->thread, NULL, run_thread, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result != 0) {
        return error_set(err, STATUS_INTERNAL, "no thread for the storage: %s", strerror(result));
    }
    pthread_setname_np(s->thread, "carom-storage");
    s->threaded = true;
    return STATUS_OK;
}

bool storage_turn(storage *s)
{
    ASSERT(!s->threaded);
    return storage_turn_once(s);
}

static void stop_thread(storage *s)
{
    if (s->threaded) {
        pthread_mutex_lock(&s->lock);
        s->stopping = true;
        pthread_cond_signal(&s->pushed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
        s->threaded = false;
    }
}

status storage_close(storage *s, error *err)
{
    if (s == NULL) {
        return STATUS_OK;
    }
    stop_thread(s);
    while (storage_turn_once(s)) {
    }
    status result = storage_finish(s, err);
    storage_free(s);
    return result;
}

void storage_abandon(storage *s)
{
    stop_thread(s);
    storage_free(s);
}

// ---- what owners ask for

// Under the lock. What makes any request impossible.
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
        push_locked(s, r);
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

// Under the lock.
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

// Under the lock.
static status check_state(const storage_world *w, error *err)
{
    return w->state == STATUS_OK ? STATUS_OK : error_set(err, w->state, "%s", w->state_text);
}

status storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                      const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence, error *err)
{
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
        push_locked(s, r);
    }
    pthread_mutex_unlock(&s->lock);
    if (result != STATUS_OK) {
        free(r);
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

// Under the lock.
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
        push_locked(s, r);
        w->assigned_tick = tick;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

status storage_destroy(storage_world *w, uint64_t *sequence, error *err)
{
    storage *s = w->storage;
    pthread_mutex_lock(&s->lock);
    status result = check_alive(s, err);
    if (result == STATUS_OK && w->ended && w->state == STATUS_OK) {
        result = error_set(err, STATUS_UNAVAILABLE, "world '%s' is destroyed", w->name);
    }
    if (result == STATUS_OK) {
        w->ended = true;
        store_request *r = store_request_make(STORE_DESTROY, w);
        r->sequence = ++w->assigned;
        r->last_tick = w->assigned_tick;
        push_locked(s, r);
        *sequence = w->assigned;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

void storage_release(storage_world *w)
{
    storage_watch(w, NULL, NULL);
    storage_push(w->storage, store_request_make(STORE_RELEASE, w));
}

void storage_watch(storage_world *w, storage_wake *wake, void *context)
{
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
    return atomic_load(&w->appended_bytes) - atomic_load(&w->covered_bytes);
}

bool storage_wants_checkpoint(const storage_world *w)
{
    return atomic_load(&w->wants_checkpoint);
}

storage_figures storage_read_figures(storage *s)
{
    pthread_mutex_lock(&s->lock);
    storage_figures f = s->figures;
    f.queue_bytes = s->queue_bytes;
    pthread_mutex_unlock(&s->lock);
    return f;
}
