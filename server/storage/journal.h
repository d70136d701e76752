// The growing end of the log: builds groups, writes each with one call, syncs, and begins new
// segments.
//
// A failed write is undone: the file is truncated to its old size, and the log continues as before.
// A failed sync cannot be undone: nobody knows which pages before it are on the disk, and the
// system may report success for the next sync. `lost` is then set, and storage must accept nothing
// more.
//
// The file is extended with zeros ahead of the log: a write that does not change the size needs no
// change of the file system's own journal, and its sync takes two thirds of the time. If the disk
// is full, the log grows write by write. Storage thread.
#ifndef CAROM_SERVER_STORAGE_JOURNAL_H
#define CAROM_SERVER_STORAGE_JOURNAL_H

#include <stdbool.h>

#include "common/base/status.h"
#include "server/storage/disk.h"
#include "server/storage/format.h"

// Records on their way into one write. The group's header comes first.
typedef struct group_builder {
    uint8_t *data;
    size_t size, capacity; // size: with the header
    uint32_t records;
} group_builder;

void group_clear(group_builder *g);
// Whether a record with a body of `size` bytes still fits the format's bounds.
bool group_fits(const group_builder *g, size_t size);
// Copies the body. Sets the record's index.
void group_add(group_builder *g, record *r);
void group_free(group_builder *g);

typedef struct journal {
    disk *disk;
    disk_file *file;
    uint64_t store;
    uint64_t segment; // number of the file
    uint64_t body;    // offset at which its second group begins
    uint64_t end;     // number of its valid bytes
    uint64_t size;    // bytes of the file; those from `end` on are zeros
    uint64_t ahead;   // bytes by which the file is extended ahead of the log; 0: never
    uint64_t written; // number of the newest group
    uint64_t synced;  // number of the newest group that is on the disk
    bool sealed;      // the newest group is a seal
    bool cut;         // a failed write was undone; a loss of power may bring it back
    bool lost;        // a sync failed, or a failed write could not be undone
} journal;

// Begins segment `number` with `first` as its first group, in such an order that a crash leaves the
// whole of it or nothing, and goes on there. The segment before must be synced. On an error the log
// stays where it was.
status journal_begin_segment(journal *l, uint64_t number, group_builder *first, error *err);

// Writes the group after the newest one.
status journal_write(journal *l, group_builder *g, error *err);

// After success, everything written, and every undoing of a failed write, survives a loss of power.
status journal_sync(journal *l, error *err);

// Writes an empty group after a sync, while no further record waits: it proves to a later reader
// that everything before it was on the disk. It needs no sync of its own.
void journal_seal(journal *l);

// The file will not be written to any more: it ends with the log. Zeros that stay do no harm.
void journal_trim(journal *l);

void journal_close(journal *l);

#endif
