// A storage on a disk in memory, whose thread a test plays turn by turn. Functions that return
// nothing fail the test on errors. The test's thread.
#ifndef CAROM_TESTS_UNIT_STORAGE_STORAGE_RIG_H
#define CAROM_TESTS_UNIT_STORAGE_STORAGE_RIG_H

#include <stddef.h>
#include <stdint.h>

#include "tests/unit/storage/model.h"

typedef struct fixture {
    fake_disk disk;
    storage *storage;
    storage_options options;
    error err;
} fixture;

// Opens the storage in an empty directory, "fake"; abandons it if the test has not closed it.
int setup(void **state);
int teardown(void **state);

// Runs the storage until nothing waits.
void drain(fixture *f);
void close_storage(fixture *f);
// Abandons the storage, and ends the process or the machine.
void crash(fixture *f, crash_kind kind);
void reopen(fixture *f);
// Opens the storage, which must be refused with this text in the error.
void assert_refused(fixture *f, const char *text);

// A world at tick 5; records and images of `size` equal bytes, 100 for append().
storage_world *create(fixture *f, const char *name, storage_durability durability);
status append_bytes(fixture *f, storage_world *w, uint64_t tick, size_t size);
void append(fixture *f, storage_world *w, uint64_t tick);
status checkpoint(fixture *f, storage_world *w, uint64_t tick, size_t size);

// All that a start finds.
typedef struct seen {
    storage_world *world[4];
    storage_info info[4];
    char name[4][65];
    int worlds;
    uint64_t records, image_bytes, last_sequence;
} seen;

// Records it in `v`; for recoveries that may fail.
storage_visitor visit_by(seen *v);
seen recover(fixture *f);

// The number of files whose name begins with `prefix`.
uint64_t count_files(fixture *f, const char *prefix);

#endif
