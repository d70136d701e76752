// The end of the log that is written to: groups are put together, written with one call, synced;
// segments follow one another.
//
// A write that fails is taken back: the file is cut to where it was, and the log goes on as if
// nothing had been asked. A sync that fails cannot be taken back, as nobody knows what of the
// pages before it is on the disk and the system may answer the next sync with success; `lost` says
// so, and the storage must take nothing more.
//
// The file is made longer ahead of the log, by zeros: a write that does not change the size needs
// no change of the file system's own journal, and its sync takes two thirds of the time. Without
// room for them the log grows write by write. Storage thread.
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
    uint64_t body;    // where its second group begins
    uint64_t end;     // bytes of it that are good
    uint64_t size;    // of the file; behind `end` zeros
    uint64_t ahead;   // by how much the file is made longer; 0: never
    uint64_t written; // number of the newest group
    uint64_t synced;  // of the newest group that is on the disk
    bool sealed;      // the newest group is a seal
    bool cut;         // a failed write was taken back, which a loss of power may undo
    bool lost;        // a sync failed, or a failed write could not be taken back
} journal;

// Begins segment `number` with `first` as its first group, in such an order that a crash leaves the
// whole of it or nothing, and goes on there. The segment before must be synced. On an error the log
// stays where it was.
status journal_begin_segment(journal *l, uint64_t number, group_builder *first, error *err);

// Writes the group after the newest one.
status journal_write(journal *l, group_builder *g, error *err);

// Everything that was written, and that failed writes were taken back, survives a loss of power.
status journal_sync(journal *l, error *err);

// After a sync, and before it is known when more will come: an empty group that tells a later
// reader that all before it was on the disk. Needs no sync of its own.
void journal_seal(journal *l);

// The file will not be written to any more: it ends with the log. Zeros that stay do no harm.
void journal_trim(journal *l);

void journal_close(journal *l);

#endif
