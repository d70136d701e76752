// Reads a segment of the log from its beginning, group by group, and judges how it ends.
//
// Memory is that of one group, which the format bounds; a size that a header claims is believed
// only within that bound and within the file. One thread.
#ifndef CAROM_SERVER_STORAGE_SCAN_H
#define CAROM_SERVER_STORAGE_SCAN_H

#include "common/base/status.h"
#include "server/storage/disk.h"
#include "server/storage/format.h"
#include "server/storage/storage.h"

typedef struct scan {
    disk_file *file;
    char name[SEGMENT_NAME_BYTES];
    segment_header header;
    uint64_t size;   // bytes of the file, or the part of it to read
    uint64_t offset; // offset of the next group
    uint64_t next;   // number of the next group
    uint8_t *window; // bytes of the file from window_offset on
    size_t window_size, window_capacity;
    uint64_t window_offset;
} scan;

// Opens segment `number` and reads its header. `limit`: reads no further than this; 0: to the end.
status scan_open(scan *s, disk *d, uint64_t number, uint64_t limit, error *err);
void scan_close(scan *s);

typedef struct scanned_group {
    group_header header;
    uint64_t offset;
    const uint8_t *bytes; // its records; valid until the next call
} scanned_group;

typedef enum scan_result {
    SCAN_GROUP,  // a group whose header and every record are sound
    SCAN_END,    // at the end, or only zeros are left (space made ahead)
    SCAN_BROKEN, // no sound group at s->offset; `why` has the reason
    SCAN_FAILED  // the file could not be read; `why`
} scan_result;

// The end of the bytes that are not zero; s->offset if only zeros follow.
status scan_used(scan *s, uint64_t *out, error *err);

scan_result scan_next(scan *s, scanned_group *out, error *why);

// After SCAN_BROKEN: whether a later group in the file attests that the broken one was on the disk.
// If so, the file is damaged; if not, its write was not finished. `witness`: number of the later
// group.
status scan_attested(scan *s, bool *attested, uint64_t *witness, error *err);

#endif
