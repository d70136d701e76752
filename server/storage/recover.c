// The second half of a start: puts the directory in order, and passes the worlds to the caller.
//
// Nothing is changed before verify.c has found the log sound. Then the torn end is cut off, groups
// that no later group attests are written again and synced, and files that nothing names are
// removed. The log continues from there.
#include "server/storage/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"

// ---- putting in order

static bool image_needed(storage *s, const char *name)
{
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        const storage_world *w = s->worlds.data[i];
        char own[IMAGE_NAME_BYTES];
        image_name(w->number, w->checkpoint.image, own);
        if (w->checkpoint.exists && strcmp(own, name) == 0) {
            return true;
        }
    }
    return false;
}

static status remove_file(storage *s, const char *name, error *err)
{
    int result = s->disk->methods->remove(s->disk, name);
    return result == 0 || result == ENOENT
               ? STATUS_OK
               : error_set(err, STATUS_UNAVAILABLE, "cannot remove %s, which is needed no more: %s",
                           name, strerror(result));
}

static status remove_leftovers(storage *s, const inventory *v, error *err)
{
    status result = STATUS_OK;
    for (uint32_t i = 0; i < v->parts.count && result == STATUS_OK; i++) {
        result = remove_file(s, v->parts.data[i], err);
    }
    for (uint32_t i = 0; i < v->images.count && result == STATUS_OK; i++) {
        if (!image_needed(s, v->images.data[i])) {
            result = remove_file(s, v->images.data[i], err);
        }
    }
    for (uint32_t i = 0; i < v->segments.count && result == STATUS_OK; i++) {
        char name[SEGMENT_NAME_BYTES];
        segment_name(v->segments.data[i], name);
        if (v->segments.data[i] < s->oldest) {
            result = remove_file(s, name, err);
        }
    }
    while (s->first_segment < s->oldest && s->segment_bytes.count > 0) {
        s->closed_bytes -= s->segment_bytes.data[0];
        array_remove_first(&s->segment_bytes, 1);
        s->first_segment++;
    }
    return result;
}

// Finds the first group of the last segment that no group attests to be on the disk: its offset, or
// the log's end.
static status find_unattested(storage *s, uint64_t *out, error *err)
{
    scan file;
    status result = scan_open(&file, s->disk, s->log.segment, s->log.end, err);
    if (result != STATUS_OK) {
        return result;
    }
    scanned_group g;
    *out = s->log.end;
    scan_result found;
    while ((found = scan_next(&file, &g, err)) == SCAN_GROUP && g.header.number <= s->attested) {
    }
    *out = found == SCAN_GROUP ? g.offset : *out;
    scan_close(&file);
    return found == SCAN_GROUP || found == SCAN_END ? STATUS_OK : STATUS_UNAVAILABLE;
}

// Writes the bytes from `at` to the end again, unchanged. After a failed sync the system takes the
// pages before it for clean though they never reached the disk: only pages that are written again
// are synced again.
static status rewrite(storage *s, uint64_t at, error *err)
{
    const disk_methods *m = s->disk->methods;
    enum { PIECE = 256 << 10 };
    uint8_t *piece = malloc(PIECE);
    ASSERT_MEMORY(piece != NULL);
    int result = 0;
    while (at < s->log.end && result == 0) {
        size_t size = s->log.end - at < PIECE ? (size_t)(s->log.end - at) : PIECE;
        size_t got = 0;
        result = m->read(s->log.file, at, piece, size, &got);
        result = result == 0 && got != size ? EIO : result;
        result = result == 0 ? m->write(s->log.file, at, piece, size) : result;
        at += size;
    }
    free(piece);
    return result == 0 ? STATUS_OK
                       : error_set(err, STATUS_UNAVAILABLE, "cannot rewrite the log's end: %s",
                                   strerror(result));
}

// Opens the last segment for writing, cuts off its torn end, and makes sure that all of it is on
// the disk: bytes that another process wrote may still be in the page cache alone.
static status continue_log(storage *s, error *err)
{
    const disk_methods *m = s->disk->methods;
    char name[SEGMENT_NAME_BYTES];
    segment_name(s->log.segment, name);
    uint64_t unattested = 0;
    status outcome = find_unattested(s, &unattested, err);
    if (outcome != STATUS_OK) {
        return outcome;
    }
    int result = m->open(s->disk, name, DISK_WRITE, &s->log.file);
    if (result == 0 && s->torn_bytes > 0) {
        log_warn("%s/%s: the last write, %llu %s, was not finished and is cut off", s->path, name,
                 COUNTED(s->torn_bytes, "byte", "bytes"));
        result = m->truncate(s->log.file, s->log.end);
        s->log.size = s->log.end;
    }
    outcome = result == 0 ? rewrite(s, unattested, err) : STATUS_OK;
    if (outcome != STATUS_OK) {
        return outcome;
    }
    result = result != 0 ? result : m->sync(s->log.file);
    result = result != 0 ? result : closed_remove(s->disk);
    result = result != 0 ? result : m->sync_names(s->disk);
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot go on with %s: %s", name,
                         strerror(result));
    }
    s->log.synced = s->log.written;
    s->log.sealed = s->found_sealed;
    return STATUS_OK;
}

static status begin_store(storage *s, const inventory *v, error *err)
{
    status result = remove_leftovers(s, v, err);
    if (result != STATUS_OK) {
        return result;
    }
    ssize_t got = getrandom(&s->log.store, sizeof s->log.store, 0);
    ASSERT(got == (ssize_t)sizeof s->log.store);
    s->next_world = 1;
    s->oldest = s->first_segment = 1;
    group_clear(&s->group);
    catalogue_add(s, &s->group, s->oldest);
    return journal_begin_segment(&s->log, 1, &s->group, err);
}

status storage_scan(storage *s, bool change, error *err)
{
    inventory v = {0};
    status result = inventory_take(s, &v, err);
    if (result == STATUS_OK && v.segments.count > 0) {
        result = inventory_scan_segments(s, &v, err);
        result = result == STATUS_OK ? closed_verify(s, err) : result;
        if (result == STATUS_OK) {
            const status images = inventory_verify_images(s, err);
            result = change ? STATUS_OK : images; // the other worlds continue
        }
        // The order matters: after a failed sync the bytes read may be in the system's memory
        // alone, and a file may go only when the log that no longer needs it is on the disk.
        result = result == STATUS_OK && change ? continue_log(s, err) : result;
        result = result == STATUS_OK && change ? remove_leftovers(s, &v, err) : result;
    } else if (result == STATUS_OK && change) {
        result = begin_store(s, &v, err);
    }
    inventory_free(&v);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        storage_world *w = s->worlds.data[i];
        w->assigned = w->logged;
        w->assigned_tick = w->logged_tick;
        atomic_store(&w->committed, w->logged);
        uint64_t image = w->checkpoint.exists ? w->checkpoint.image : 0;
        s->next_image = image >= s->next_image ? image + 1 : s->next_image;
    }
    return result;
}

// ---- handing over

typedef struct image_target {
    const storage_visitor *visitor;
    storage_world *world;
} image_target;

static status hand_image(void *context, uint64_t offset, const uint8_t *bytes, size_t size,
                         error *err)
{
    const image_target *t = context;
    return t->visitor->image(t->visitor->context, t->world, offset, bytes, size, err);
}

static status hand_world(storage *s, const storage_visitor *visitor, storage_world *w, error *err)
{
    const checkpoint_info *c = &w->checkpoint;
    storage_info info = {
        .name = w->name,
        .epoch = w->epoch,
        .durability = w->durability,
        .sequence = w->logged,
        .last_tick = w->logged_tick,
        .has_image = c->exists,
        .image_has_hash = c->has_hash,
        .image_sequence = c->sequence,
        .image_tick = c->tick,
        .image_hash = c->hash,
        .image_size = c->size,
        .unsound = w->unsound,
    };
    status result = visitor->world(visitor->context, w, &info, err);
    if (result == STATUS_OK && c->exists && w->unsound == NULL) {
        image_target target = {visitor, w};
        result = image_read(s->disk, s->log.store, w->number, c, hand_image, &target, err);
        if (result != STATUS_OK) {
            error_prefix(err, "data directory '%s': world '%s'", s->path, w->name);
        }
    }
    return result;
}

static status hand_group(storage *s, const storage_visitor *visitor, const scanned_group *g,
                         error *err)
{
    size_t at = 0;
    status result = STATUS_OK;
    for (uint32_t i = 0; i < g->header.records && result == STATUS_OK; i++) {
        record r;
        size_t used;
        format_result format = record_read(g->bytes + at, g->header.bytes - at, &r, &used);
        ASSERT(format == FORMAT_OK);
        at += used;
        storage_world *w = r.kind == RECORD_APPEND ? stored_find(s, r.world) : NULL;
        if (w == NULL || (w->checkpoint.exists && r.sequence <= w->checkpoint.sequence)) {
            continue; // destroyed later, or covered by the image
        }
        storage_record out = {
            .sequence = r.sequence,
            .first_tick = r.first_tick,
            .last_tick = r.last_tick,
            .has_hash = r.has_hash,
            .hash = r.hash,
            .segment = g->header.segment,
            .bytes = r.bytes,
            .size = r.size,
        };
        result = visitor->record(visitor->context, w, &out, err);
    }
    return result;
}

static status hand_segment(storage *s, const storage_visitor *visitor, uint64_t number, error *err)
{
    scan file;
    uint64_t limit = number == s->log.segment ? s->log.end : 0;
    status result = scan_open(&file, s->disk, number, limit, err);
    if (result != STATUS_OK) {
        return result;
    }
    scanned_group g;
    scan_result found = SCAN_GROUP;
    while (result == STATUS_OK && (found = scan_next(&file, &g, err)) == SCAN_GROUP) {
        result = hand_group(s, visitor, &g, err);
    }
    // The file was valid a moment before: the disk, or another process, has changed it.
    result = result == STATUS_OK && found != SCAN_END ? STATUS_UNAVAILABLE : result;
    scan_close(&file);
    return result;
}

static status hand_over(storage *s, const storage_visitor *visitor, error *err)
{
    status result = STATUS_OK;
    for (uint32_t i = 0; i < s->worlds.count && result == STATUS_OK; i++) {
        result = hand_world(s, visitor, s->worlds.data[i], err);
    }
    for (uint64_t n = s->oldest; n <= s->log.segment && result == STATUS_OK; n++) {
        result = hand_segment(s, visitor, n, err);
    }
    return result;
}

status storage_recover(storage *s, const storage_visitor *visitor, error *err)
{
    ASSERT(!s->threaded);
    return hand_over(s, visitor, err);
}
