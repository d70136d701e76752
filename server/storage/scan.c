// Reads a segment through a window of WINDOW_BYTES, or of one group if that is larger. One thread.
#include "server/storage/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"

enum { WINDOW_BYTES = 256 << 10 };

void segment_name(uint64_t number, char out[SEGMENT_NAME_BYTES])
{
    snprintf(out, SEGMENT_NAME_BYTES, "log-%010" PRIu64, number);
}

// Bytes [offset, offset + size) of the file, which must lie within it.
static status view(scan *s, uint64_t offset, size_t size, const uint8_t **out, error *err)
{
    bool inside = offset >= s->window_offset && offset + size <= s->window_offset + s->window_size;
    if (!inside) {
        size_t wanted = size > WINDOW_BYTES ? size : WINDOW_BYTES;
        wanted = wanted > s->size - offset ? (size_t)(s->size - offset) : wanted;
        if (wanted > s->window_capacity) {
            free(s->window);
            s->window = malloc(wanted);
            ASSERT_MEMORY(s->window != NULL);
            s->window_capacity = wanted;
        }
        s->window_offset = offset;
        s->window_size = 0;
        int result =
            s->file->disk->methods->read(s->file, offset, s->window, wanted, &s->window_size);
        if (result != 0 || s->window_size < size) {
            return error_set(
                err, STATUS_UNAVAILABLE, "%s: reading %zu bytes at byte %" PRIu64 " failed: %s",
                s->name, wanted, offset, result != 0 ? strerror(result) : "it has become shorter");
        }
    }
    *out = s->window + (offset - s->window_offset);
    return STATUS_OK;
}

static status read_header(scan *s, uint64_t number, error *err)
{
    const uint8_t *bytes = NULL;
    if (s->size < SEGMENT_HEADER_BYTES) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s is damaged: %llu %s too few for its header; restore a backup", s->name,
                         COUNTED(s->size, "byte is", "bytes are"));
    }
    status result = view(s, 0, SEGMENT_HEADER_BYTES, &bytes, err);
    if (result != STATUS_OK) {
        return result;
    }
    switch (segment_header_read(bytes, &s->header)) {
    case FORMAT_NEWER:
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s is of format version %u, this program reads version %d: use the "
                         "newer program that wrote it; nothing was changed",
                         s->name, s->header.version, FORMAT_VERSION);
    case FORMAT_BROKEN:
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s is damaged: its header's checksum differs; restore a backup", s->name);
    case FORMAT_OK:
        break;
    }
    if (s->header.number != number) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s holds segment %" PRIu64 ": it was renamed; restore a backup", s->name,
                         s->header.number);
    }
    s->offset = SEGMENT_HEADER_BYTES;
    s->next = s->header.first_group;
    return STATUS_OK;
}

status scan_open(scan *s, disk *d, uint64_t number, uint64_t limit, error *err)
{
    *s = (scan){0};
    segment_name(number, s->name);
    int result = d->methods->open(d, s->name, DISK_READ, &s->file);
    if (result == 0) {
        result = d->methods->size(s->file, &s->size);
    }
    status outcome = STATUS_OK;
    if (result != 0) {
        outcome =
            error_set(err, STATUS_UNAVAILABLE, "cannot open %s: %s", s->name, strerror(result));
    } else {
        s->size = limit != 0 && limit < s->size ? limit : s->size;
        outcome = read_header(s, number, err);
    }
    if (outcome != STATUS_OK) {
        scan_close(s);
    }
    return outcome;
}

void scan_close(scan *s)
{
    if (s->file != NULL) {
        s->file->disk->methods->close(s->file);
    }
    free(s->window);
    *s = (scan){0};
}

static scan_result broken(const scan *s, error *why, const char *what)
{
    error_set(why, STATUS_INVALID_ARGUMENT, "%s: group %" PRIu64 " at byte %" PRIu64 ": %s",
              s->name, s->next, s->offset, what);
    return SCAN_BROKEN;
}

static bool records_sound(const group_header *h, const uint8_t *bytes)
{
    size_t at = 0;
    for (uint32_t i = 0; i < h->records; i++) {
        record r;
        size_t used;
        if (record_read(bytes + at, h->bytes - at, &r, &used) != FORMAT_OK || r.index != i) {
            return false;
        }
        at += used;
    }
    return at == h->bytes;
}

status scan_used(scan *s, uint64_t *out, error *err)
{
    *out = s->offset;
    for (uint64_t at = s->offset; at < s->size;) {
        size_t size = s->size - at < WINDOW_BYTES ? (size_t)(s->size - at) : WINDOW_BYTES;
        const uint8_t *bytes = NULL;
        status result = view(s, at, size, &bytes, err);
        if (result != STATUS_OK) {
            return result;
        }
        size_t used = size;
        while (used > 0 && bytes[used - 1] == 0) {
            used--;
        }
        *out = used > 0 ? at + used : *out;
        at += size;
    }
    return STATUS_OK;
}

// Handles a place without a header: the end of the log if only zeros follow.
static scan_result without_header(scan *s, error *why, const char *what)
{
    uint64_t used = 0;
    if (scan_used(s, &used, why) != STATUS_OK) {
        return SCAN_FAILED;
    }
    return used == s->offset ? SCAN_END : broken(s, why, what);
}

scan_result scan_next(scan *s, scanned_group *out, error *why)
{
    uint64_t left = s->size - s->offset;
    if (left == 0) {
        return SCAN_END;
    }
    if (left < GROUP_HEADER_BYTES) {
        return without_header(s, why, "the file ends within its header");
    }
    const uint8_t *bytes = NULL;
    if (view(s, s->offset, GROUP_HEADER_BYTES, &bytes, why) != STATUS_OK) {
        return SCAN_FAILED;
    }
    group_header h;
    if (group_header_read(bytes, &h) != FORMAT_OK) {
        return without_header(s, why, "its header was altered, or claims more than a group may");
    }
    if (h.number != s->next || h.store != s->header.store ||
        h.segment != (uint32_t)s->header.number) {
        return broken(s, why, "its header is that of another place");
    }
    if (h.bytes > left - GROUP_HEADER_BYTES) {
        return broken(s, why, "the file ends within its records");
    }
    if (view(s, s->offset, GROUP_HEADER_BYTES + (size_t)h.bytes, &bytes, why) != STATUS_OK) {
        return SCAN_FAILED;
    }
    if (!records_sound(&h, bytes + GROUP_HEADER_BYTES)) {
        return broken(s, why, "a record's checksum differs");
    }
    *out = (scanned_group){h, s->offset, bytes + GROUP_HEADER_BYTES};
    s->offset += GROUP_HEADER_BYTES + (uint64_t)h.bytes;
    s->next++;
    return SCAN_GROUP;
}

status scan_attested(scan *s, bool *attested, uint64_t *witness, error *err)
{
    *attested = false;
    uint64_t at = s->offset + 1;
    while (!*attested && at + GROUP_HEADER_BYTES <= s->size) {
        size_t size = s->size - at < WINDOW_BYTES ? (size_t)(s->size - at) : WINDOW_BYTES;
        const uint8_t *bytes = NULL;
        status result = view(s, at, size, &bytes, err);
        if (result != STATUS_OK) {
            return result;
        }
        size_t last = size - GROUP_HEADER_BYTES;
        for (size_t i = 0; i <= last && !*attested; i++) {
            group_header h;
            // The store's number is random, so no record's content can pose as a witness.
            *attested = group_header_read(bytes + i, &h) == FORMAT_OK &&
                        h.store == s->header.store && h.number > s->next && h.synced >= s->next;
            *witness = h.number;
        }
        at += last + 1;
    }
    return STATUS_OK;
}
