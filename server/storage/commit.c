// The storage thread's turn: take all waiting requests, write them as one group, sync once,
// publish.
//
// The order of things is the whole of durability:
//   1. write the group                      -> records of `normal` worlds are committed
//   2. sync, if any of it asks for that     -> records of `full` worlds are committed
//   3. only then remove images and segments that the log no longer needs
// A failed write of a group fails the worlds that had a record in it, and no other; a failed sync
// fails all worlds. Between two groups one piece of an image is written, so that no commit waits
// for a whole image.
#include "server/storage/turn.h"

#include "common/base/assert.h"

enum { NS_PER_MS = 1000000 };

// Any record, together with its world's record, fits an empty group: fill_group() always advances.
_Static_assert(STORAGE_RECORD_BYTES_MAX + RECORD_HEADER_BYTES <= STORAGE_GROUP_BYTES_MAX,
               "a record fits a group");
_Static_assert(STORAGE_GROUP_RECORDS_MAX > 2, "so do two");

// ---- a group

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
    ASSERT(r->kind != STORE_APPEND || r->bytes->size <= STORAGE_RECORD_BYTES_MAX);
    return r->kind == STORE_APPEND ? r->bytes->size
                                   : WORLD_BODY_BYTES + STORAGE_NAME_BYTES_MAX +
                                         RECORD_HEADER_BYTES + CHECKPOINT_BODY_BYTES;
}

// Moves the requests that fit from s->pending into s->in_group and s->group. True: some of them ask
// for a sync.
static bool fill_group(storage *s)
{
    ASSERT(s->in_group.first == NULL);
    bool sync = false;
    group_clear(&s->group);
    while (s->pending.first != NULL && group_fits(&s->group, records_size(s->pending.first)) &&
           s->group.records + 2 < STORAGE_GROUP_RECORDS_MAX) {
        store_request *r = chain_pop(&s->pending);
        uint32_t before = s->group.records;
        group_add_request(s, r);
        ASSERT(s->group.records >= before && s->group.records <= STORAGE_GROUP_RECORDS_MAX);
        sync = sync || (s->group.records > before && needs_sync(r));
        chain_push(&s->in_group, r);
    }
    return sync;
}

void storage_note_figures(storage *s, uint64_t groups, uint64_t bytes, uint64_t syncs,
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

status storage_sync_log(storage *s, error *err)
{
    bool due = s->log.synced != s->log.written || s->log.cut;
    ASSERT(storage_alive(s));
    status result = journal_sync(&s->log, err);
    s->dirty = false;
    storage_note_figures(s, 0, 0, due, result != STATUS_OK);
    if (result != STATUS_OK) {
        storage_die(s, err);
    }
    return result;
}

// Begins the next segment when this one is full.
static status next_segment(storage *s, error *err)
{
    ASSERT(s->log.segment >= s->first_segment);
    bool full = s->log.end + s->group.size > s->options.segment_bytes && s->log.end > s->log.body &&
                s->log.segment - s->first_segment + 1 < STORAGE_SEGMENTS_MAX;
    if (!full) {
        return STATUS_OK;
    }
    status result = storage_sync_log(s, err);
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
        storage_die(s, err);
    }
    return result;
}

static status write_group(storage *s, error *err)
{
    ASSERT(s->group.records > 0 && s->group.records <= STORAGE_GROUP_RECORDS_MAX);
    if (!storage_alive(s)) {
        return error_set(err, s->dead, "%s", s->dead_text);
    }
    status result = next_segment(s, err);
    if (result == STATUS_OK) {
        result = journal_write(&s->log, &s->group, err);
        if (result != STATUS_OK && s->log.lost) {
            storage_die(s, err);
        }
    }
    storage_note_figures(s, result == STATUS_OK, result == STATUS_OK ? s->group.size : 0, 0,
                         result != STATUS_OK);
    if (result == STATUS_OK && !s->dirty) {
        s->dirty = true;
        s->dirty_ns = s->options.clock();
    }
    return result;
}

// Fails the worlds that had a record in the group: their logs now have a gap.
static void fail_group(storage *s, const error *err)
{
    ASSERT(err->status != STATUS_OK);
    for (store_request *r = s->in_group.first; r != NULL; r = r->next) {
        bool logged =
            r->kind == STORE_CREATE || r->kind == STORE_APPEND || r->kind == STORE_DESTROY;
        if (logged && r->world->durability != STORAGE_NONE) {
            stored_fail(r->world, r->sequence, err);
        }
    }
}

// After the write and before the sync: publishes the records of `normal` and `none` worlds, which
// do not wait for the sync.
static void publish_written(storage *s)
{
    bool any = false;
    for (store_request *r = s->in_group.first; r != NULL; r = r->next) {
        if (r->kind == STORE_APPEND && r->world->durability != STORAGE_FULL &&
            !atomic_load(&r->world->failed)) {
            stored_publish(r->world, r->sequence);
            any = true;
        }
    }
    if (any) {
        storage_wake_touched(s);
    }
}

static void commit_group(storage *s)
{
    ASSERT(s->pending.first != NULL);
    bool sync = fill_group(s);
    error err;
    status result = STATUS_OK;
    if (s->group.records > 0) {
        result = write_group(s, &err);
        if (result == STATUS_OK) {
            publish_written(s);
            result = sync ? storage_sync_log(s, &err) : STATUS_OK;
        } else {
            fail_group(s, &err);
        }
    }
    storage_finish_group(s, result == STATUS_OK ? NULL : &err);
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

// A world's ticks come at even distances, and sync_ms is a whole number of them at most rates: a
// sync that waits for its deadline begins with the commit of a tick and holds that up. The time
// right after a commit is the longest until the next one, so the last quarter of the interval takes
// the first such chance.
static bool sync_due(const storage *s, bool committed)
{
    int64_t interval = (int64_t)s->options.sync_ms * NS_PER_MS;
    int64_t due = committed ? interval - interval / 4 : interval;
    return s->dirty && s->options.sync_ms > 0 && storage_alive(s) &&
           s->options.clock() - s->dirty_ns >= due;
}

// Called when nothing waits: syncs if a sync is due, and seals the log after a sync.
static void idle(storage *s, bool committed)
{
    error err;
    if (sync_due(s, committed) && storage_sync_log(s, &err) != STATUS_OK) {
        storage_wake_touched(s);
    }
    if (storage_alive(s)) {
        journal_seal(&s->log);
    }
    storage_die_if_lost(s);
}

bool storage_turn_once(storage *s)
{
    take_incoming(s);
    bool committed = s->pending.first != NULL;
    if (committed) {
        commit_group(s);
    }
    storage_write_image(s);
    pthread_mutex_lock(&s->lock);
    bool more = s->incoming.first != NULL;
    pthread_mutex_unlock(&s->lock);
    more = more || s->pending.first != NULL || s->job.request != NULL || s->images.first != NULL;
    if (!more) {
        idle(s, committed);
    }
    return more;
}

status storage_finish(storage *s, error *err)
{
    ASSERT(s->pending.first == NULL && s->in_group.first == NULL);
    if (!storage_alive(s)) {
        return error_set(err, s->dead, "%s", s->dead_text);
    }
    status result = journal_sync(&s->log, err);
    if (result == STATUS_OK) {
        journal_seal(&s->log);
        result = s->log.lost ? error_set(err, STATUS_UNAVAILABLE, "sealing the log failed")
                             : journal_sync(&s->log, err);
        if (result == STATUS_OK) {
            journal_trim(&s->log);
            result = closed_write(s, err);
        }
    }
    return result;
}
