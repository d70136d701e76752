// A disk in memory that forgets: whatever was not synced is lost when it crashes, wholly, in part,
// or not at all, as a seed decides; contents and directory entries alike. It can also fail at any
// chosen operation.
//
// It outlives the storages that are opened on it, so a test opens, crashes, opens again. One
// thread.
#ifndef CAROM_TESTS_UNIT_STORAGE_FAKE_DISK_H
#define CAROM_TESTS_UNIT_STORAGE_FAKE_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "server/storage/disk.h"

typedef enum crash_kind {
    CRASH_PROCESS,     // kill -9: all written data stays
    CRASH_POWER_ALL,   // all data that was not synced is lost
    CRASH_POWER_RANDOM // any sectors of each write survive, and any of the changes of a name
} crash_kind;

typedef struct fake_disk {
    disk base;
    struct fake_inode *inodes; // all inodes that ever existed, in a chain
    struct fake_names *now;    // the names that the process sees
    struct fake_names *synced;
    struct fake_change *changes; // changes of names, not yet synced, newest first
    uint64_t operations;         // operations so far that change or sync something
    bool locked;

    uint64_t fail_at; // this operation and `fail_count - 1` more fail; 0: none
    uint64_t fail_count;
    int fail_errno;
    uint64_t crash_at; // from this operation on everything fails: the machine has stopped; 0: never
    bool stopped;
    uint64_t capacity;    // bytes of all files; more is ENOSPC
    uint32_t fail_one_in; // writes and syncs fail by chance; 0: never
    uint64_t random;
    bool trace; // a line on standard error for each operation

    // Planted faults that the tests must find: the disk skips a sync and reports success.
    bool skips_sync, skips_sync_names;
} fake_disk;

void fake_disk_init(fake_disk *d, uint64_t seed);
void fake_disk_deinit(fake_disk *d);

// Stops and restarts the machine, or only the process. Every storage on the disk must have been
// abandoned.
void fake_disk_crash(fake_disk *d, crash_kind kind);

// The step between tested cases, where there are thousands (bytes, operations, seeds): 5; with a
// sanitizer, which makes each ten times slower, 23. With CAROM_THOROUGH in the environment
// (tests/run.sh all): 1, and with a sanitizer 5. All steps are odd, since the lowest bits of a
// case's number may determine its bit or kind.
uint64_t case_step(void);

uint64_t fake_random(uint64_t *state);

// The present bytes of a file, to read or to change in place; NULL: no such file. A change also
// counts as synced.
uint8_t *fake_disk_bytes(fake_disk *d, const char *name, uint64_t *size);
void fake_disk_flip(fake_disk *d, const char *name, uint64_t offset, uint8_t mask);
void fake_disk_cut(fake_disk *d, const char *name, uint64_t size);
void fake_disk_remove(fake_disk *d, const char *name);
// Calls `each` for every existing name.
void fake_disk_each(fake_disk *d, disk_each *each, void *context);
// Copies all present files, synced, to `to` (which this function initialises).
void fake_disk_copy(fake_disk *to, fake_disk *from);

#endif
