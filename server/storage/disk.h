// The few file operations that storage needs, as a table of functions: a directory of the system in
// the server, a disk that forgets or fails in tests.
//
// Names are plain file names within the one directory. Every operation returns 0 or an errno value.
// Promises that the storage builds on:
//   - bytes accepted by write() are read back by this and any later process, unless the machine
//     stops;
//   - after sync() of a file its bytes and size survive a loss of power;
//   - after sync_names() all creations, renames and removals before it survive too;
//   - unsynced changes may survive wholly, in part or not at all, in any order.
// Used by one thread at a time, except that a backup reads and opens beside the storage thread.
#ifndef CAROM_SERVER_STORAGE_DISK_H
#define CAROM_SERVER_STORAGE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

typedef struct disk disk;

// An implementation puts its own fields behind this.
typedef struct disk_file {
    disk *disk;
} disk_file;

typedef enum disk_mode {
    DISK_READ,
    DISK_WRITE, // reads and writes an existing file
    DISK_CREATE // like DISK_WRITE, but the file is new or emptied
} disk_mode;

typedef void disk_each(void *context, const char *name);

typedef struct disk_methods {
    int (*open)(disk *d, const char *name, disk_mode mode, disk_file **out);
    void (*close)(disk_file *f);
    // Fewer than `size` bytes only at the end of the file.
    int (*read)(disk_file *f, uint64_t offset, void *bytes, size_t size, size_t *got);
    // Writes all of it, or returns an error, after which any part of it may have been written.
    int (*write)(disk_file *f, uint64_t offset, const void *bytes, size_t size);
    int (*sync)(disk_file *f);
    int (*truncate)(disk_file *f, uint64_t size);
    // Makes a file of `from` bytes longer, with zeros, so that writes there do not change its size:
    // a sync then has less to do. After an error (the disk is full, or cannot do it) any part of
    // the zeros may be there.
    int (*reserve)(disk_file *f, uint64_t from, uint64_t size);
    int (*size)(disk_file *f, uint64_t *out);
    int (*rename)(disk *d, const char *from, const char *to);
    int (*remove)(disk *d, const char *name);
    int (*sync_names)(disk *d);
    int (*list)(disk *d, disk_each *each, void *context);
    // Takes the directory for this process until destroy(). `make`: makes what the lock needs
    // there; else a directory that nobody has used is left as it is. EWOULDBLOCK: another has it;
    // `holder` is then its process id, or 0 if unknown.
    int (*lock)(disk *d, bool make, long *holder);
    void (*destroy)(disk *d);
} disk_methods;

struct disk {
    const disk_methods *methods;
};

// The remedy that an operator has for an error of a write: begins with "; ", or is "".
const char *disk_remedy(int result);

#define DISK_DATA   "the data directory"
#define DISK_BACKUP "the folder of the backup"

// A directory of the system; `what` it is, for error texts. `make` creates it, and then makes its
// name durable in its parent. Errors: it does not exist, is no directory, may not be read.
status disk_directory_open(const char *path, const char *what, bool make, disk **out, error *err);

#endif
