// The storage thread's turn: take all that waits, write it as one group, sync once, publish.
//
// The order of things is the whole of durability:
//   1. write the group                      -> records of `normal` worlds are committed
//   2. sync, if any of it asks for that     -> records of `full` worlds are committed
//   3. only then remove what the log needs no more: images, segments
// A group that could not be written fails the worlds that had a part in it, and no other; a sync
// that failed fails all. Between two groups a piece of an image is written, so that no commit waits
// for a whole one.
#include "server/storage/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"

enum { NS_PER_MS = 1000000 };

// ---- telling the owners

static void touch(storage_world *w)
{
    if (!w->touched) {
        w->touched = true;
        array_push(&w->storage->touched, w);
    }
}

static void wake_touched(storage *s)
{
    pthread_mutex_lock(&s->wake_lock);
    for (uint32_t i = 0; i < s->touched.count; i++) {
        storage_world *w = s->touched.data[i];
        w->touched = false;
        if (w->wake != NULL) {
            w->wake(w->wake_context);
        }
    }
    pthread_mutex_unlock(&s->wake_lock);
    array_clear(&s->touched);
}

static void publish(storage_world *w, uint64_t sequence)
{
    if (sequence > atomic_load_explicit(&w->committed, memory_order_relaxed)) {
        atomic_store_explicit(&w->committed, sequence, memory_order_release);
    }
    touch(w);
}

static void fail_locked(storage_world *w, const error *err)
{
    w->state = STATUS_UNAVAILABLE;
    memcpy(w->state_text, err->text, sizeof w->state_text);
    atomic_store(&w->failed, true);
    touch(w);
}

// The request `sequence` of the world could not be logged. What told first is kept.
static void stored_fail(storage_world *w, uint64_t sequence, const error *err)
{
    storage *s = w->storage;
    w->lost = sequence > w->lost ? sequence : w->lost;
    pthread_mutex_lock(&s->lock);
    bool first = w->state == STATUS_OK;
    if (first) {
        fail_locked(w, err);
    }
    pthread_mutex_unlock(&s->lock);
    if (first) {
        log_error("world '%s' is logged no more: %s", w->name, err->text);
    }
}

static void stored_heal(storage_world *w)
{
    storage *s = w->storage;
    pthread_mutex_lock(&s->lock);
    bool failed = w->state != STATUS_OK;
    w->state = STATUS_OK;
    w->state_text[0] = '\0';
    atomic_store(&w->failed, false);
    pthread_mutex_unlock(&s->lock);
    if (failed) {
        log_info("world '%s' is logged again", w->name);
    }
}

static void set_checkpoint_state(storage_world *w, status state, const char *text)
{
    storage *s = w->storage;
    pthread_mutex_lock(&s->lock);
    w->checkpoint_state = state;
    snprintf(w->checkpoint_text, sizeof w->checkpoint_text, "%s", text);
    pthread_mutex_unlock(&s->lock);
    touch(w);
}

// The log is lost: nothing is taken any more, of no world.
static void die(storage *s, const error *err)
{
    pthread_mutex_lock(&s->lock);
    s->dead = STATUS_UNAVAILABLE;
    memcpy(s->dead_text, err->text, sizeof s->dead_text);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        if (s->worlds.data[i]->durability != STORAGE_NONE) {
            fail_locked(s->worlds.data[i], err);
        }
    }
    pthread_mutex_unlock(&s->lock);
    log_error("the storage takes nothing more: %s", err->text);
}

static bool alive(const storage *s)
{
    return s->dead == STATUS_OK; // only this thread sets it
}

// The log was lost in a place that has nobody to tell.
static void die_if_lost(storage *s)
{
    if (alive(s) && s->log.lost) {
        error err;
        error_set(&err, STATUS_UNAVAILABLE,
                  "a write to the log failed and could not be taken back; restart the server");
        die(s, &err);
        wake_touched(s);
    }
}

// ---- records

static void add_world(group_builder *g, const storage_world *w, uint64_t sequence)
{
    uint8_t bytes[WORLD_BODY_BYTES + STORAGE_NAME_BYTES_MAX];
    world_body body = {
        .epoch = w->epoch,
        .durability = (uint8_t)w->durability,
        .checkpoint = w->checkpoint,
    };
    memcpy(body.name, w->name, sizeof body.name);
    record r = {
        .kind = RECORD_WORLD,
        .world = w->number,
        .sequence = sequence,
        .last_tick = w->logged_tick,
        .bytes = bytes,
    };
    r.size = world_body_write(&body, bytes);
    group_add(g, &r);
}

static void add_store(storage *s, group_builder *g, uint64_t oldest)
{
    pthread_mutex_lock(&s->lock);
    record r = {.kind = RECORD_STORE, .world = s->next_world, .sequence = oldest};
    pthread_mutex_unlock(&s->lock);
    group_add(g, &r);
}

void catalogue_add(storage *s, group_builder *g, uint64_t oldest)
{
    add_store(s, g, oldest);
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        const storage_world *w = s->worlds.data[i];
        if (w->in_log) {
            add_world(g, w, w->logged);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static void add_checkpoint(group_builder *g, const store_request *r)
{
    if (!r->world->in_log) {
        add_world(g, r->world, r->world->logged); // its making had failed
        r->world->entering = true;
    }
    uint8_t bytes[CHECKPOINT_BODY_BYTES];
    checkpoint_body_write(&r->checkpoint, bytes);
    record out = {
        .kind = RECORD_CHECKPOINT,
        .has_hash = r->has_hash,
        .world = r->world->number,
        .sequence = r->sequence,
        .last_tick = r->last_tick,
        .hash = r->hash,
        .bytes = bytes,
        .size = sizeof bytes,
    };
    group_add(g, &out);
}

static void add_append(group_builder *g, const store_request *r)
{
    record out = {
        .kind = RECORD_APPEND,
        .has_hash = r->has_hash,
        .world = r->world->number,
        .sequence = r->sequence,
        .first_tick = r->first_tick,
        .last_tick = r->last_tick,
        .hash = r->hash,
        .bytes = r->bytes->data,
        .size = (uint32_t)r->bytes->size,
    };
    group_add(g, &out);
}

static void add_destroy(group_builder *g, const store_request *r)
{
    record out = {
        .kind = RECORD_DESTROY,
        .world = r->world->number,
        .sequence = r->sequence,
        .first_tick = r->last_tick,
        .last_tick = r->last_tick,
    };
    group_add(g, &out);
}

// ---- a group

// Puts the request's records into the group. A world whose log has failed takes none but a new
// image and its end.
static void add_request(storage *s, const store_request *r)
{
    storage_world *w = r->world;
    bool written = w != NULL && w->durability != STORAGE_NONE;
    switch (r->kind) {
    case STORE_CREATE:
        if (written) {
            add_world(&s->group, w, r->sequence);
            w->entering = true;
        }
        break;
    case STORE_APPEND:
        if (written && atomic_load(&w->failed)) {
            w->lost = r->sequence; // behind what was lost, it would leave a gap
        } else if (written) {
            add_append(&s->group, r);
        }
        break;
    case STORE_CHECKPOINTED:
        add_checkpoint(&s->group, r);
        break;
    case STORE_DESTROY:
        if (w->in_log || w->entering) {
            add_destroy(&s->group, r);
        }
        break;
    case STORE_TRUNCATE:
        add_store(s, &s->group, r->sequence);
        break;
    case STORE_CHECKPOINT:
    case STORE_RELEASE:
    case STORE_PIN:
        break;
    }
}

static bool needs_sync(const store_request *r)
{
    switch (r->kind) {
    case STORE_CREATE:
    case STORE_APPEND:
        return r->world->durability == STORAGE_FULL;
    case STORE_CHECKPOINTED:
    case STORE_DESTROY:
    case STORE_TRUNCATE:
        return true; // a file is removed then
    default:
        return false;
    }
}

static size_t records_size(const store_request *r)
{
    return r->kind == STORE_APPEND ? r->bytes->size
                                   : WORLD_BODY_BYTES + STORAGE_NAME_BYTES_MAX +
                                         RECORD_HEADER_BYTES + CHECKPOINT_BODY_BYTES;
}

// Moves what fits from s->pending into s->in_group and s->group. True: some of it asks for a sync.
static bool fill_group(storage *s)
{
    bool sync = false;
    group_clear(&s->group);
    while (s->pending.first != NULL && group_fits(&s->group, records_size(s->pending.first)) &&
           s->group.records + 2 < STORAGE_GROUP_RECORDS_MAX) {
        store_request *r = chain_pop(&s->pending);
        uint32_t before = s->group.records;
        add_request(s, r);
        sync = sync || (s->group.records > before && needs_sync(r));
        chain_push(&s->in_group, r);
    }
    return sync;
}

static void note_figures(storage *s, uint64_t groups, uint64_t bytes, uint64_t syncs,
                         uint64_t failures)
{
    pthread_mutex_lock(&s->lock);
    s->figures.groups += groups;
    s->figures.bytes += bytes;
    s->figures.syncs += syncs;
    s->figures.failures += failures;
    s->figures.segments = s->log.segment - s->first_segment + 1;
    s->figures.log_bytes = s->closed_bytes + s->log.end;
    pthread_mutex_unlock(&s->lock);
}

static status sync_log(storage *s, error *err)
{
    bool due = s->log.synced != s->log.written || s->log.cut;
    status result = journal_sync(&s->log, err);
    s->dirty = false;
    note_figures(s, 0, 0, due, result != STATUS_OK);
    if (result != STATUS_OK) {
        die(s, err);
    }
    return result;
}

// The next segment, when this one is full.
static status next_segment(storage *s, error *err)
{
    bool full = s->log.end + s->group.size > s->options.segment_bytes && s->log.end > s->log.body &&
                s->log.segment - s->first_segment + 1 < STORAGE_SEGMENTS_MAX;
    if (!full) {
        return STATUS_OK;
    }
    status result = sync_log(s, err);
    if (result != STATUS_OK) {
        return result;
    }
    group_builder first = {0};
    group_clear(&first);
    catalogue_add(s, &first, s->oldest);
    uint64_t bytes = s->log.end;
    result = journal_begin_segment(&s->log, s->log.segment + 1, &first, err);
    group_free(&first);
    if (result == STATUS_OK) {
        s->closed_bytes += bytes;
        array_push(&s->segment_bytes, bytes);
    } else if (s->log.lost) {
        die(s, err);
    }
    return result;
}

static status write_group(storage *s, error *err)
{
    if (!alive(s)) {
        return error_set(err, s->dead, "%s", s->dead_text);
    }
    status result = next_segment(s, err);
    if (result == STATUS_OK) {
        result = journal_write(&s->log, &s->group, err);
        if (result != STATUS_OK && s->log.lost) {
            die(s, err);
        }
    }
    note_figures(s, result == STATUS_OK, result == STATUS_OK ? s->group.size : 0, 0,
                 result != STATUS_OK);
    if (result == STATUS_OK && !s->dirty) {
        s->dirty = true;
        s->dirty_ns = s->options.clock();
    }
    return result;
}

// The worlds that had a record in the group have a gap there.
static void fail_group(storage *s, const error *err)
{
    for (store_request *r = s->in_group.first; r != NULL; r = r->next) {
        bool logged =
            r->kind == STORE_CREATE || r->kind == STORE_APPEND || r->kind == STORE_DESTROY;
        if (logged && r->world->durability != STORAGE_NONE) {
            stored_fail(r->world, r->sequence, err);
        }
    }
}

// After the write, before the sync: what `normal` (and `none`) worlds wait for is so.
static void publish_written(storage *s)
{
    bool any = false;
    for (store_request *r = s->in_group.first; r != NULL; r = r->next) {
        if (r->kind == STORE_APPEND && r->world->durability != STORAGE_FULL &&
            !atomic_load(&r->world->failed)) {
            publish(r->world, r->sequence);
            any = true;
        }
    }
    if (any) {
        wake_touched(s);
    }
}

// ---- after the group

static void remove_image(storage *s, uint64_t world, uint64_t number)
{
    char name[IMAGE_NAME_BYTES];
    image_name(world, number, name);
    int result = s->disk->methods->remove(s->disk, name);
    if (result != 0 && result != ENOENT) {
        log_warn("%s/%s is needed no more and could not be removed: %s", s->path, name,
                 strerror(result));
    }
}

// Of worlds that have something in the log that no image holds, the oldest such segment.
static uint64_t oldest_needed(storage *s)
{
    uint64_t oldest = s->log.segment;
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
            touch(w);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static void plan_truncation(storage *s)
{
    uint64_t oldest = oldest_needed(s);
    if (alive(s) && oldest > s->oldest) {
        store_request *r = store_request_make(STORE_TRUNCATE, NULL);
        r->sequence = oldest;
        storage_push_front(s, r);
    }
}

// Removes segments that the log, on the disk, says are needed no more; oldest first.
static void drop_segments(storage *s)
{
    pthread_mutex_lock(&s->lock);
    bool pinned = s->backing_up;
    pthread_mutex_unlock(&s->lock);
    while (!pinned && s->first_segment < s->oldest) {
        char name[SEGMENT_NAME_BYTES];
        segment_name(s->first_segment, name);
        int result = s->disk->methods->remove(s->disk, name);
        if (result != 0 && result != ENOENT) {
            log_warn("%s/%s is needed no more and could not be removed: %s", s->path, name,
                     strerror(result));
            break;
        }
        s->closed_bytes -= s->segment_bytes.data[0];
        memmove(s->segment_bytes.data, s->segment_bytes.data + 1,
                --s->segment_bytes.count * sizeof *s->segment_bytes.data);
        s->first_segment++;
    }
    note_figures(s, 0, 0, 0, 0);
}

static bool images_stay(storage *s)
{
    pthread_mutex_lock(&s->lock);
    bool stay = s->backing_up;
    pthread_mutex_unlock(&s->lock);
    return stay;
}

static void checkpointed(storage *s, const store_request *r)
{
    storage_world *w = r->world;
    if (w->checkpoint.exists && !images_stay(s)) {
        remove_image(s, w->number, w->checkpoint.image); // else the next start does
    }
    w->checkpoint = r->checkpoint;
    w->in_log = true;
    if (r->sequence >= w->logged) {
        w->logged = r->sequence;
        w->logged_tick = r->last_tick > w->logged_tick ? r->last_tick : w->logged_tick;
    }
    stored_trim(w);
    atomic_store(&w->covered_bytes, r->covered_bytes);
    if (atomic_load(&w->failed) && r->sequence >= w->lost) {
        stored_heal(w);
    }
    publish(w, r->sequence);
    set_checkpoint_state(w, STATUS_OK, "");
    pthread_mutex_lock(&s->lock);
    s->figures.images++;
    pthread_mutex_unlock(&s->lock);
}

static void unlist(storage *s, storage_world *w)
{
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        if (s->worlds.data[i] == w) {
            memmove(&s->worlds.data[i], &s->worlds.data[i + 1],
                    (s->worlds.count - i - 1) * sizeof *s->worlds.data);
            s->worlds.count--;
            break;
        }
    }
    pthread_mutex_unlock(&s->lock);
    w->gone = true;
    array_push(&s->gone, w);
}

static void drop_world_images(storage *s, storage_world *w)
{
    request_chain kept;
    chain_init(&kept);
    store_request *r;
    while ((r = chain_pop(&s->images)) != NULL) {
        if (r->world == w) {
            store_request_free(s, r);
        } else {
            chain_push(&kept, r);
        }
    }
    while ((r = chain_pop(&kept)) != NULL) {
        chain_push(&s->images, r);
    }
    if (s->job.request != NULL && s->job.request->world == w) {
        image_writer_deinit(&s->job.writer);
        store_request_free(s, s->job.request);
        s->job.request = NULL;
    }
}

static void destroyed(storage *s, const store_request *r)
{
    storage_world *w = r->world;
    drop_world_images(s, w);
    if (w->checkpoint.exists && !images_stay(s)) {
        remove_image(s, w->number, w->checkpoint.image);
    }
    array_clear(&w->spans);
    unlist(s, w);
    publish(w, r->sequence);
}

static void appended(const store_request *r)
{
    storage_world *w = r->world;
    if (atomic_load(&w->failed)) {
        return; // it was left out
    }
    if (w->durability != STORAGE_NONE) {
        w->logged = r->sequence;
        w->logged_tick = r->last_tick;
        stored_note(w, w->storage->log.segment, r->sequence);
    }
    publish(w, r->sequence);
}

static void created(const store_request *r)
{
    storage_world *w = r->world;
    w->in_log = w->durability != STORAGE_NONE;
    w->logged = r->sequence;
    publish(w, r->sequence);
}

// The image's record could not be written, so the image is none. But the record may be on the disk
// until what took it back is, too: only then may the image go. If that cannot be had, it stays.
static void checkpoint_lost(storage *s, const store_request *r, const error *err)
{
    error failed;
    if (alive(s) && sync_log(s, &failed) == STATUS_OK && !images_stay(s)) {
        remove_image(s, r->world->number, r->checkpoint.image);
    }
    set_checkpoint_state(r->world, STATUS_UNAVAILABLE, err->text);
}

static void begin_backup(storage *s, store_request *r)
{
    backup_make_plan(s, r->plan);
    pthread_mutex_lock(&s->lock);
    r->plan->ready = true;
    pthread_cond_broadcast(&s->answered);
    pthread_mutex_unlock(&s->lock);
}

static void release(storage *s, storage_world *w)
{
    w->released = true;
    if (!w->gone && !w->in_log) { // none of it is on the disk
        drop_world_images(s, w);
        unlist(s, w);
    }
}

// `err`: why the group failed, or NULL.
static void finish_request(storage *s, store_request *r, const error *err)
{
    bool good = err == NULL;
    storage_world *w = r->world;
    if (w != NULL) {
        w->entering = false;
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
        if (good || w->durability == STORAGE_NONE || !w->in_log) {
            destroyed(s, r);
        }
        break;
    case STORE_TRUNCATE:
        if (good) {
            s->oldest = r->sequence > s->oldest ? r->sequence : s->oldest;
            drop_segments(s);
        }
        break;
    case STORE_PIN:
        begin_backup(s, r);
        break;
    case STORE_RELEASE:
        release(s, w);
        break;
    case STORE_CHECKPOINT:
        break;
    }
}

static void forget_gone(storage *s, storage_world *w)
{
    for (uint32_t i = 0; i < s->gone.count; i++) {
        if (s->gone.data[i] == w) {
            array_swap_remove(&s->gone, i);
            break;
        }
    }
    stored_free(w);
}

// Everyone in the group has what came of it; the images among it join the line.
static void finish_group(storage *s, const error *err)
{
    bool dropped = false;
    request_chain released;
    chain_init(&released);
    store_request *r;
    while ((r = chain_pop(&s->in_group)) != NULL) {
        finish_request(s, r, err);
        dropped = dropped || r->kind == STORE_CHECKPOINTED || r->kind == STORE_DESTROY;
        if (r->kind == STORE_CHECKPOINT && !r->world->gone) {
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
    die_if_lost(s);
    ask_for_checkpoints(s);
    wake_touched(s);
    while ((r = chain_pop(&released)) != NULL) {
        if (r->world->gone) {
            forget_gone(s, r->world);
        }
        store_request_free(s, r);
    }
}

static void commit_group(storage *s)
{
    bool sync = fill_group(s);
    error err;
    status result = STATUS_OK;
    if (s->group.records > 0) {
        result = write_group(s, &err);
        if (result == STATUS_OK) {
            publish_written(s);
            result = sync ? sync_log(s, &err) : STATUS_OK;
        } else {
            fail_group(s, &err);
        }
    }
    finish_group(s, result == STATUS_OK ? NULL : &err);
}

// ---- images

static void start_image(storage *s)
{
    store_request *r = chain_pop(&s->images);
    if (r == NULL) {
        return;
    }
    // Higher than that of any image that the log names, or may name after a crash.
    s->next_image = s->next_image > s->log.written ? s->next_image : s->log.written + 1;
    image_header h = {
        .version = FORMAT_VERSION,
        .store = s->log.store,
        .world = r->world->number,
        .number = s->next_image++,
        .sequence = r->sequence,
        .tick = r->last_tick,
        .hash = r->hash,
        .has_hash = r->has_hash,
        .size = r->bytes->size,
    };
    image_writer_init(&s->job.writer, s->disk, &h, r->bytes);
    s->job.request = r;
}

// The image is on the disk; the log is to say so.
static void end_image(storage *s)
{
    const store_request *from = s->job.request;
    store_request *r = store_request_make(STORE_CHECKPOINTED, from->world);
    r->sequence = from->sequence;
    r->last_tick = from->last_tick;
    r->hash = from->hash;
    r->has_hash = from->has_hash;
    r->covered_bytes = from->covered_bytes;
    r->checkpoint = (checkpoint_info){
        .exists = true,
        .has_hash = from->has_hash,
        .sequence = from->sequence,
        .tick = from->last_tick,
        .hash = from->hash,
        .image = s->job.writer.header.number,
        .size = from->bytes->size,
        .crc = s->job.writer.crc,
    };
    storage_push_front(s, r); // in front of the world's end, if that waits
}

// One piece of the image that is being written, or of the next one.
static void write_image(storage *s)
{
    if (s->job.request == NULL) {
        start_image(s);
    }
    store_request *r = s->job.request;
    if (r == NULL) {
        return;
    }
    bool complete = false;
    error err;
    status result = alive(s) ? image_writer_step(&s->job.writer, &complete, &err)
                             : error_set(&err, s->dead, "%s", s->dead_text);
    if (result == STATUS_OK && !complete) {
        return;
    }
    if (complete) {
        end_image(s);
    } else {
        log_error("world '%s': %s", r->world->name, err.text);
        note_figures(s, 0, 0, 0, 1);
        set_checkpoint_state(r->world, STATUS_UNAVAILABLE, err.text);
        if (s->job.writer.lost && alive(s)) {
            die(s, &err);
        }
        wake_touched(s);
    }
    image_writer_deinit(&s->job.writer);
    s->job.request = NULL;
    store_request_free(s, r);
}

// ---- a turn

static void take_incoming(storage *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->incoming.first != NULL) {
        *s->pending.last = s->incoming.first;
        s->pending.last = s->incoming.last;
        s->pending.count += s->incoming.count;
        chain_init(&s->incoming);
    }
    pthread_mutex_unlock(&s->lock);
}

static bool sync_due(const storage *s)
{
    return s->dirty && s->options.sync_ms > 0 && alive(s) &&
           s->options.clock() - s->dirty_ns >= (int64_t)s->options.sync_ms * NS_PER_MS;
}

// Nothing waits: a good time for a sync that is due, and for the seal after one.
static void idle(storage *s)
{
    error err;
    if (sync_due(s) && sync_log(s, &err) != STATUS_OK) {
        wake_touched(s);
    }
    if (alive(s)) {
        journal_seal(&s->log);
    }
    die_if_lost(s);
}

bool storage_turn_once(storage *s)
{
    take_incoming(s);
    if (s->pending.first != NULL) {
        commit_group(s);
    }
    write_image(s);
    pthread_mutex_lock(&s->lock);
    bool more = s->incoming.first != NULL;
    pthread_mutex_unlock(&s->lock);
    more = more || s->pending.first != NULL || s->job.request != NULL || s->images.first != NULL;
    if (!more) {
        idle(s);
    }
    return more;
}

status storage_finish(storage *s, error *err)
{
    if (!alive(s)) {
        return error_set(err, s->dead, "%s", s->dead_text);
    }
    status result = journal_sync(&s->log, err);
    if (result == STATUS_OK) {
        journal_seal(&s->log);
        result = s->log.lost ? error_set(err, STATUS_UNAVAILABLE, "sealing the log failed")
                             : journal_sync(&s->log, err);
        result = result == STATUS_OK ? closed_write(s, err) : result;
    }
    return result;
}
