// The first half of a start: reads and verifies the log from its oldest segment to its end.
//
// The log is trusted only as a whole. Segments, groups and each world's sequences and ticks must
// follow one another, and every checksum must match. Only two things may be imperfect, since a
// crash leaves them so: files that nothing names (a new segment or image that was not finished, old
// ones whose removal was not durable), and the end of the last segment, as long as no later group
// in it attests that the broken one was on the disk. Everything else is damage and is refused;
// nothing is changed before everything is read.
#include "server/storage/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

// ---- the directory's files

// "PREFIXnumber" with nothing behind it.
static bool parse_number(const char *text, const char *prefix, uint64_t *out)
{
    size_t size = strlen(prefix);
    if (strncmp(text, prefix, size) != 0 || text[size] < '0' || text[size] > '9') {
        return false;
    }
    char *end;
    errno = 0;
    *out = strtoull(text + size, &end, 10);
    return errno == 0 && *end == '\0';
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t size = strlen(name);
    size_t end = strlen(suffix);
    return size > end && strcmp(name + size - end, suffix) == 0;
}

static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    ASSERT_MEMORY(copy != NULL);
    return copy;
}

static void note_file(void *context, const char *name)
{
    inventory *v = context;
    uint64_t number;
    bool ours = strncmp(name, "log-", 4) == 0 || strncmp(name, "image-", 6) == 0;
    if (ours && has_suffix(name, ".part")) {
        array_push(&v->parts, copy_text(name));
    } else if (parse_number(name, "log-", &number)) {
        array_push(&v->segments, number);
    } else if (strncmp(name, "image-", 6) == 0) {
        array_push(&v->images, copy_text(name));
    } else if (strcmp(name, "restoring") == 0) {
        v->restoring = true;
    } else if (strcmp(name, "closed") == 0) {
        v->closed = true;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void inventory_free(inventory *v)
{
    for (uint32_t i = 0; i < v->images.count; i++) {
        free(v->images.data[i]);
    }
    for (uint32_t i = 0; i < v->parts.count; i++) {
        free(v->parts.data[i]);
    }
    array_free(&v->segments);
    array_free(&v->images);
    array_free(&v->parts);
}

status inventory_take(storage *s, inventory *v, error *err)
{
    int result = s->disk->methods->list(s->disk, note_file, v);
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot list the directory: %s",
                         strerror(result));
    }
    if (v->restoring) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "a restore into this directory was not finished: remove the directory and "
                         "restore again");
    }
    if (v->segments.count > STORAGE_SEGMENTS_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "%u segments, at most %d are allowed",
                         v->segments.count, STORAGE_SEGMENTS_MAX);
    }
    if (v->segments.count == 0 && (v->images.count > 0 || v->closed)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s is there without a log: files are missing; restore a backup",
                         v->closed ? "closed" : v->images.data[0]);
    }
    if (v->segments.count > 0) {
        qsort(v->segments.data, v->segments.count, sizeof *v->segments.data, compare_numbers);
    }
    return STATUS_OK;
}

// ---- records into worlds

static status fault(error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
static status fault(error *err, const char *format, ...)
{
    char text[ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(err, STATUS_INVALID_ARGUMENT, "%s; restore a backup", text);
}

static bool same_checkpoint(const checkpoint_info *a, const checkpoint_info *b)
{
    return a->exists == b->exists && a->sequence == b->sequence && a->tick == b->tick &&
           a->size == b->size && a->image == b->image && a->crc == b->crc && a->hash == b->hash;
}

// Worlds and epochs count from 1 and never reach the largest number. Another number was not written
// by this server, whatever its checksum. (A world's sequence is 0 until something is appended.)
static bool is_counted(uint64_t number)
{
    return number > 0 && number < UINT64_MAX;
}

static status apply_world(storage *s, const record *r, error *err)
{
    world_body body;
    if (world_body_read(r->bytes, r->size, &body) != FORMAT_OK ||
        (body.durability != STORAGE_NORMAL && body.durability != STORAGE_FULL) ||
        !is_counted(r->world) || !is_counted(body.epoch) || r->sequence == UINT64_MAX) {
        return fault(err, "the record of world %" PRIu64 " makes no sense", r->world);
    }
    storage_world *w = stored_find(s, r->world);
    if (w != NULL) { // repeated at the beginning of a segment: must be as we know it
        bool same = strcmp(w->name, body.name) == 0 && w->epoch == body.epoch &&
                    w->logged == r->sequence && same_checkpoint(&w->checkpoint, &body.checkpoint);
        return same ? STATUS_OK
                    : fault(err,
                            "world '%s' is at record %" PRIu64 " and the log goes on at %" PRIu64,
                            w->name, w->logged, r->sequence);
    }
    if (stored_find_name(s, body.name) != NULL || s->worlds.count >= STORAGE_WORLDS_MAX) {
        return fault(err, "world '%s' is there twice, or one too many", body.name);
    }
    w = stored_make(s, r->world, body.name, body.epoch, (storage_durability)body.durability);
    stored_change_stage(w, STORED_LOGGED);
    w->logged = r->sequence;
    w->logged_tick = r->last_tick;
    w->checkpoint = body.checkpoint;
    return STATUS_OK;
}

static status apply_append(storage_world *w, const record *r, uint64_t segment, error *err)
{
    if (r->sequence != w->logged + 1) {
        return fault(err, "world '%s': record %" PRIu64 " follows on %" PRIu64, w->name,
                     r->sequence, w->logged);
    }
    if (r->first_tick < w->logged_tick || r->last_tick < r->first_tick) {
        return fault(err,
                     "world '%s': record %" PRIu64 " of ticks %" PRIu64 " to %" PRIu64
                     " follows on tick %" PRIu64,
                     w->name, r->sequence, r->first_tick, r->last_tick, w->logged_tick);
    }
    w->logged = r->sequence;
    w->logged_tick = r->last_tick;
    stored_note(w, segment, r->sequence);
    atomic_fetch_add(&w->appended_bytes, RECORD_HEADER_BYTES + (uint64_t)r->size);
    return STATUS_OK;
}

static status apply_checkpoint(storage_world *w, const record *r, error *err)
{
    checkpoint_info c;
    if (checkpoint_body_read(r, &c) != FORMAT_OK || c.sequence == UINT64_MAX ||
        (w->checkpoint.exists && c.sequence < w->checkpoint.sequence)) {
        return fault(err, "a checkpoint of world '%s' makes no sense", w->name);
    }
    w->checkpoint = c;
    if (c.sequence >= w->logged) { // a log that had failed continues after its image
        w->logged = c.sequence;
        w->logged_tick = c.tick > w->logged_tick ? c.tick : w->logged_tick;
        atomic_store(&w->covered_bytes, atomic_load(&w->appended_bytes));
    }
    stored_trim(w);
    return STATUS_OK;
}

static void forget_world(storage *s, storage_world *w)
{
    array_remove_value(&s->worlds, w);
    stored_free(w);
}

static status apply_record(storage *s, const record *r, uint64_t segment, error *err)
{
    if (r->kind == RECORD_STORE && !is_counted(r->world)) {
        return fault(err, "world %" PRIu64 " is to come next, which makes no sense", r->world);
    }
    if (r->kind == RECORD_STORE) {
        s->next_world = r->world;
        s->oldest = r->sequence;
        return STATUS_OK;
    }
    if (r->kind == RECORD_WORLD) {
        status result = apply_world(s, r, err);
        s->next_world = r->world >= s->next_world ? r->world + 1 : s->next_world;
        return result;
    }
    storage_world *w = stored_find(s, r->world);
    if (w == NULL) {
        return fault(err, "a record of world %" PRIu64 ", which the log does not know", r->world);
    }
    switch (r->kind) {
    case RECORD_APPEND:
        return apply_append(w, r, segment, err);
    case RECORD_CHECKPOINT:
        return apply_checkpoint(w, r, err);
    default:
        forget_world(s, w);
        return STATUS_OK;
    }
}

static status apply_group(storage *s, const scan *file, const scanned_group *g, bool first,
                          error *err)
{
    size_t at = 0;
    status result = STATUS_OK;
    for (uint32_t i = 0; i < g->header.records && result == STATUS_OK; i++) {
        record r;
        size_t used;
        format_result format = record_read(g->bytes + at, g->header.bytes - at, &r, &used);
        ASSERT(format == FORMAT_OK); // scan_next() verified it
        at += used;
        bool begins = first && i == 0;
        result =
            begins && r.kind != RECORD_STORE
                ? fault(err, "the segment does not begin with the record of the store's numbers")
                : apply_record(s, &r, file->header.number, err);
        s->found.records += r.kind == RECORD_APPEND;
    }
    if (result != STATUS_OK) {
        error_prefix(err, "%s: group %" PRIu64 " at byte %" PRIu64, file->name, g->header.number,
                     g->offset);
    }
    return result;
}

// ---- segments

// A group in the last segment is broken: an unfinished write, or damage?
static status judge_tail(storage *s, scan *file, bool first, const error *why, error *err)
{
    bool attested = false;
    uint64_t witness = 0;
    status result = scan_attested(file, &attested, &witness, err);
    if (result != STATUS_OK) {
        return result;
    }
    if (attested) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s, and group %" PRIu64 " behind it says that it was on the disk: the "
                         "file is damaged; restore a backup",
                         why->text, witness);
    }
    if (first) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: the file is damaged; restore a backup",
                         why->text);
    }
    uint64_t used = 0;
    result = scan_used(file, &used, err);
    s->torn_bytes = used - file->offset;
    return result;
}

static status scan_segment(storage *s, scan *file, bool last, error *err)
{
    bool first = true;
    for (;;) {
        scanned_group g;
        error why;
        switch (scan_next(file, &g, &why)) {
        case SCAN_END:
            return first ? fault(err, "%s is damaged: it has no group", file->name) : STATUS_OK;
        case SCAN_FAILED:
            return error_set(err, why.status, "%s", why.text);
        case SCAN_BROKEN:
            return last ? judge_tail(s, file, first, &why, err)
                        : fault(err, "%s: the file is damaged", why.text);
        case SCAN_GROUP:
            break;
        }
        s->found_sealed = g.header.records == 0;
        s->attested = g.header.synced > s->attested ? g.header.synced : s->attested;
        s->found.groups++;
        status result = apply_group(s, file, &g, first, err);
        if (result != STATUS_OK) {
            return result;
        }
        s->log.body = first ? file->offset : s->log.body;
        first = false;
    }
}

// Opens the next segment and checks that it continues the previous one.
static status scan_one(storage *s, uint64_t number, bool first, bool last, error *err)
{
    scan file;
    status result = scan_open(&file, s->disk, number, 0, err);
    if (result != STATUS_OK) {
        return result;
    }
    if (!first &&
        (file.header.store != s->log.store || file.header.first_group != s->log.written + 1)) {
        result = fault(err, "%s does not continue the segment before it", file.name);
    }
    s->log.store = file.header.store;
    if (result == STATUS_OK) {
        result = scan_segment(s, &file, last, err);
    }
    s->log.segment = number;
    s->log.written = file.next - 1;
    s->log.end = file.offset;
    s->log.size = file.size;
    s->found.segments++;
    s->found.bytes += file.offset;
    if (!last) {
        array_push(&s->segment_bytes, file.offset);
        s->closed_bytes += file.offset;
    }
    scan_close(&file);
    return result;
}

status inventory_scan_segments(storage *s, const inventory *v, error *err)
{
    uint32_t first = v->segments.count - 1;
    while (first > 0 && v->segments.data[first - 1] + 1 == v->segments.data[first]) {
        first--;
    }
    s->first_segment = v->segments.data[first];
    if (s->first_segment == 0) {
        return fault(err, "log-0000000000 is there, and segments count from 1");
    }
    for (uint32_t i = first; i < v->segments.count; i++) {
        status result =
            scan_one(s, v->segments.data[i], i == first, i + 1 == v->segments.count, err);
        if (result != STATUS_OK) {
            return result;
        }
    }
    if (s->oldest > s->log.segment) {
        return fault(err, "the log needs segment %" PRIu64 " and ends with %" PRIu64, s->oldest,
                     s->log.segment);
    }
    if (s->first_segment > s->oldest) {
        char name[SEGMENT_NAME_BYTES];
        segment_name(s->first_segment - 1, name);
        return fault(err, "%s is missing", name);
    }
    return STATUS_OK;
}

status inventory_verify_images(storage *s, error *err)
{
    status all = STATUS_OK;
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        storage_world *w = s->worlds.data[i];
        if (!w->checkpoint.exists) {
            continue;
        }
        error why;
        status result =
            image_read(s->disk, s->log.store, w->number, &w->checkpoint, NULL, NULL, &why);
        if (result == STATUS_OK) {
            s->found.images++;
            s->found.image_bytes += w->checkpoint.size;
            continue;
        }
        w->unsound = copy_text(why.text);
        if (all == STATUS_OK) {
            error_prefix(&why, "world '%s'", w->name);
            *err = why;
            all = result;
        }
    }
    return all;
}
