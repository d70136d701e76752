// Appends groups to the log's last segment and begins new segments; see journal.h for how failures
// are treated. Storage thread.
#include "server/storage/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/storage/scan.h"

// ---- groups

void group_clear(group_builder *g)
{
    ASSERT(g->size <= g->capacity || g->data == NULL);
    g->size = GROUP_HEADER_BYTES;
    g->records = 0;
}

bool group_fits(const group_builder *g, size_t size)
{
    return g->size + RECORD_HEADER_BYTES + size <= GROUP_HEADER_BYTES + STORAGE_GROUP_BYTES_MAX &&
           g->records < STORAGE_GROUP_RECORDS_MAX;
}

static void reserve(group_builder *g, size_t size)
{
    ASSERT(g->size <= g->capacity || g->data == NULL);
    if (size <= g->capacity) {
        return;
    }
    size_t capacity = g->capacity < 4096 ? 4096 : g->capacity;
    while (capacity < size) {
        capacity *= 2;
    }
    uint8_t *data = realloc(g->data, capacity);
    ASSERT_MEMORY(data != NULL);
    g->data = data;
    g->capacity = capacity;
}

void group_add(group_builder *g, record *r)
{
    ASSERT(group_fits(g, r->size));
    reserve(g, g->size + RECORD_HEADER_BYTES + r->size);
    r->index = g->records++;
    record_header_write(r, g->data + g->size);
    if (r->size > 0) {
        memcpy(g->data + g->size + RECORD_HEADER_BYTES, r->bytes, r->size);
    }
    g->size += RECORD_HEADER_BYTES + (size_t)r->size;
    ASSERT(g->size <= g->capacity);
}

void group_free(group_builder *g)
{
    free(g->data);
    *g = (group_builder){0};
}

static void finish_header(const journal *l, group_builder *g, uint64_t segment)
{
    ASSERT(g->size >= GROUP_HEADER_BYTES && l->synced <= l->written);
    reserve(g, GROUP_HEADER_BYTES);
    group_header h = {
        .bytes = (uint32_t)(g->size - GROUP_HEADER_BYTES),
        .records = g->records,
        .number = l->written + 1,
        .synced = l->synced,
        .store = l->store,
        .segment = (uint32_t)segment,
    };
    group_header_write(&h, g->data);
}

void journal_trim(journal *l)
{
    ASSERT(l->end <= l->size);
    if (l->size > l->end && l->disk->methods->truncate(l->file, l->end) == 0) {
        l->size = l->end;
    }
}

// ---- segments

// The new segment under another name, complete and synced. Returns errno.
static int write_part(journal *l, const char *part, uint64_t number, group_builder *first,
                      disk_file **out)
{
    const disk_methods *m = l->disk->methods;
    int result = m->open(l->disk, part, DISK_CREATE, out);
    if (result != 0) {
        return result;
    }
    uint8_t header[SEGMENT_HEADER_BYTES];
    segment_header h = {FORMAT_VERSION, number, l->store, l->written + 1};
    segment_header_write(&h, header);
    finish_header(l, first, number);
    result = m->write(*out, 0, header, sizeof header);
    result = result != 0 ? result : m->write(*out, sizeof header, first->data, first->size);
    return result != 0 ? result : m->sync(*out);
}

status journal_begin_segment(journal *l, uint64_t number, group_builder *first, error *err)
{
    ASSERT(!l->lost && !l->cut && l->synced == l->written);
    const disk_methods *m = l->disk->methods;
    char name[SEGMENT_NAME_BYTES];
    char part[SEGMENT_NAME_BYTES + 8];
    segment_name(number, name);
    snprintf(part, sizeof part, "%s.part", name);
    disk_file *file = NULL;
    int result = write_part(l, part, number, first, &file);
    result = result != 0 ? result : m->rename(l->disk, part, name);
    if (result != 0) {
        if (file != NULL) {
            m->close(file);
            (void)m->remove(l->disk, part); // the next start removes it, if this does not
        }
        return error_set(err, STATUS_UNAVAILABLE, "cannot begin %s: %s%s", name, strerror(result),
                         disk_remedy(result));
    }
    result = m->sync_names(l->disk);
    if (result != 0) {
        m->close(file);
        l->lost = true; // the name may be there after a crash or not
        return error_set(err, STATUS_UNAVAILABLE,
                         "syncing the data directory failed: %s; restart the server",
                         strerror(result));
    }
    if (l->file != NULL) {
        journal_trim(l);
        m->close(l->file);
    }
    l->file = file;
    l->segment = number;
    l->body = l->end = l->size = SEGMENT_HEADER_BYTES + first->size;
    l->written++;
    l->synced = l->written;
    l->sealed = false;
    return STATUS_OK;
}

// Reserves space for `size` more bytes and some ahead. Failure is ignored here: the write itself
// reports a full disk.
static void make_room(journal *l, size_t size)
{
    ASSERT(l->end <= l->size);
    if (l->ahead == 0 || l->end + size <= l->size) {
        return;
    }
    uint64_t wanted = l->end + size + l->ahead;
    int result = l->disk->methods->reserve(l->file, l->size, wanted);
    if (result == 0) {
        l->size = wanted;
    } else if (result == EOPNOTSUPP || result == ENOSYS) {
        l->ahead = 0;
    }
}

status journal_write(journal *l, group_builder *g, error *err)
{
    ASSERT(g->size >= GROUP_HEADER_BYTES && l->end >= l->body);
    ASSERT(!l->lost);
    const disk_methods *m = l->disk->methods;
    finish_header(l, g, l->segment);
    make_room(l, g->size);
    int result = m->write(l->file, l->end, g->data, g->size);
    if (result == 0) {
        l->end += g->size;
        l->size = l->size > l->end ? l->size : l->end;
        l->written++;
        l->sealed = g->records == 0;
        return STATUS_OK;
    }
    char name[SEGMENT_NAME_BYTES];
    segment_name(l->segment, name);
    error_set(err, STATUS_UNAVAILABLE, "writing %zu bytes to %s failed: %s%s", g->size, name,
              strerror(result), disk_remedy(result));
    result = m->truncate(l->file, l->end);
    l->size = l->end;
    l->cut = true;
    if (result != 0) {
        l->lost = true;
        error_set(err, STATUS_UNAVAILABLE,
                  "%s: a write failed and could not be taken back: %s; restart the server", name,
                  strerror(result));
    }
    return STATUS_UNAVAILABLE;
}

status journal_sync(journal *l, error *err)
{
    ASSERT(l->synced <= l->written);
    ASSERT(!l->lost);
    if (l->synced == l->written && !l->cut) {
        return STATUS_OK;
    }
    ASSERT(l->file != NULL);
    int result = l->disk->methods->sync(l->file);
    if (result != 0) {
        char name[SEGMENT_NAME_BYTES];
        segment_name(l->segment, name);
        l->lost = true;
        return error_set(err, STATUS_UNAVAILABLE,
                         "syncing %s failed: %s; what it holds is uncertain until the server is "
                         "restarted",
                         name, strerror(result));
    }
    l->synced = l->written;
    l->cut = false;
    return STATUS_OK;
}

void journal_seal(journal *l)
{
    if (l->lost || l->sealed || l->synced != l->written) {
        return;
    }
    group_builder empty = {0};
    group_clear(&empty);
    error err;
    if (journal_write(l, &empty, &err) != STATUS_OK && !l->lost) {
        log_debug("could not write the log's seal: %s", err.text); // the next one serves as well
    }
    group_free(&empty);
}

void journal_close(journal *l)
{
    if (l->file != NULL) {
        l->disk->methods->close(l->file);
        l->file = NULL;
    }
}
