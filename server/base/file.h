// Files and folders: what several modules need of them. Any thread.
#ifndef CAROM_SERVER_BASE_FILE_H
#define CAROM_SERVER_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

// Writes all of the bytes, in as many pieces as the system takes. False: see errno; some of them
// may be written.
bool file_write_all(int fd, const void *bytes, size_t size);

// Whether the folder is one where this process may make files, or can be made as one, as far as can
// be seen without a change. Errors: `path` or the folder above it is no folder, this user may not
// write there, or its file system has no place for files of ours (/proc, /sys, read-only ones).
status file_folder_check(const char *path, error *err);

#endif
