// The subjects of the storage's benchmark: commits of batches, by several means, on one disk.
//
// A batch is the output of a tick: `batch` records of `size` bytes. A commit lasts from passing the
// batch to the storage until the caller knows that all of it is in the log.
#ifndef CAROM_TESTS_BENCH_STORAGE_DRIVER_H
#define CAROM_TESTS_BENCH_STORAGE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct load {
    const char *folder; // on the measured disk
    int commits, batch;
    size_t size;
    size_t image; // bytes of an image that is written all the time; 0: none
} load;

// Each function stores the duration of every commit in `seconds`, and returns the total. Ends the
// program, with a text, on errors.
double run_bare(const load *l, double *seconds);   // write and fdatasync, nothing else
double run_full(const load *l, double *seconds);   // the storage, a world of durability full
double run_normal(const load *l, double *seconds); // the same with durability normal
double run_sqlite(const load *l, double *seconds); // WAL, synchronous=FULL, one table of records
bool sqlite_is_there(void);

// Writes a log of `records` records behind an image, and measures its recovery.
double run_recovery(const load *l, int records);

// Commits `records` records, ends the process without closing, changes one byte of the log behind
// the first record and opens again: `lost` counts the trials in which records were missing without
// an error, `told` those with an error.
typedef struct flip_counts {
    int tries, lost, told, harmless;
} flip_counts;
flip_counts flip_sqlite(const char *folder, int tries);
flip_counts flip_storage(const char *folder, int tries);

#endif
