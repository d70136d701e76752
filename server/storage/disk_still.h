// A read-only snapshot of a disk: the log and images of a directory as they were at one moment,
// although a server goes on writing there.
//
// Its files are opened once, with their sizes at that moment, and stay readable when the server
// removes them. The moment may lie between two steps of the server: a caller that needs a complete
// directory checks it (storage_check) and takes another snapshot if the check fails.
#ifndef CAROM_SERVER_STORAGE_DISK_STILL_H
#define CAROM_SERVER_STORAGE_DISK_STILL_H

#include <stdint.h>

#include "server/storage/disk.h"

// `of` must outlive it. EAGAIN: files went away meanwhile; try again. Other errno values come from
// the disk. *out is to be given back with its destroy().
int disk_still_catch(disk *of, disk **out);

// Adds a user, which must call destroy() as well.
disk *disk_still_ref(disk *d);

// Calls for each file, images before the log, with its size then.
typedef void disk_still_each(void *context, const char *name, uint64_t size);
void disk_still_files(const disk *d, disk_still_each *each, void *context);

#endif
