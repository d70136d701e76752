// See file.h.
#include "server/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

bool file_write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

// Whether the kernel makes all files of this file system itself.
static bool is_kernels_own(const char *path)
{
    struct statfs about;
    return statfs(path, &about) == 0 &&
           (about.f_type == PROC_SUPER_MAGIC || about.f_type == SYSFS_MAGIC);
}

// Why no file can be made in the folder; 0: nothing is known against it.
static int why_not_into(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return errno;
    }
    if (!S_ISDIR(about.st_mode)) {
        return ENOTDIR;
    }
    if (faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) != 0) {
        return errno;
    }
    return is_kernels_own(path) ? EROFS : 0;
}

status file_folder_check(const char *path, error *err)
{
    const int there = why_not_into(path);
    if (there == 0) {
        return STATUS_OK;
    }
    if (there != ENOENT) {
        return error_set(err, STATUS_UNAVAILABLE, "'%s': %s", path, strerror(there));
    }
    char above[PATH_MAX];
    (void)snprintf(above, sizeof above, "%s", path);
    const char *parent = dirname(above);
    const int why = why_not_into(parent);
    return why == 0 ? STATUS_OK
                    : error_set(err, STATUS_UNAVAILABLE, "'%s' cannot be made in '%s': %s", path,
                                parent, strerror(why));
}
