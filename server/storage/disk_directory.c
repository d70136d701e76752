// A directory of the system as a disk: openat, pread, pwrite, fdatasync.
#include "server/storage/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/assert.h"

typedef struct directory {
    disk base;
    int fd;
    int lock; // descriptor of the file "lock", -1 while it is not ours
} directory;

typedef struct directory_file {
    disk_file base;
    int fd;
} directory_file;

static int fd_of(const disk_file *f)
{
    return ((const directory_file *)f)->fd;
}

static int file_open(disk *d, const char *name, disk_mode mode, disk_file **out)
{
    int flags = mode == DISK_READ ? O_RDONLY : O_RDWR;
    flags |= mode == DISK_CREATE ? O_CREAT | O_TRUNC : 0;
    // O_NOFOLLOW prevents others from redirecting the server's writes through a link.
    int fd = openat(((directory *)d)->fd, name, flags | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (fd < 0) {
        return errno;
    }
    directory_file *f = malloc(sizeof *f);
    ASSERT_MEMORY(f != NULL);
    *f = (directory_file){.base = {d}, .fd = fd};
    *out = &f->base;
    return 0;
}

static void file_close(disk_file *f)
{
    // Errors of data that matters were reported by its sync.
    (void)close(fd_of(f));
    free(f);
}

static int file_read(disk_file *f, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        ssize_t n = pread(fd_of(f), (char *)bytes + *got, size - *got, (off_t)(offset + *got));
        if (n == 0) {
            break;
        }
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        *got += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int file_write(disk_file *f, uint64_t offset, const void *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n =
            pwrite(fd_of(f), (const char *)bytes + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        if (n == 0) {
            return EIO;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int file_sync(disk_file *f)
{
    return fdatasync(fd_of(f)) == 0 ? 0 : errno;
}

static int file_truncate(disk_file *f, uint64_t size)
{
    return ftruncate(fd_of(f), (off_t)size) == 0 ? 0 : errno;
}

static int file_reserve(disk_file *f, uint64_t from, uint64_t size)
{
    // posix_fallocate() is no substitute: it writes the zeros if the file system lacks the
    // operation.
    return fallocate(fd_of(f), 0, (off_t)from, (off_t)(size - from)) == 0 ? 0 : errno;
}

static int file_size(disk_file *f, uint64_t *out)
{
    struct stat s;
    if (fstat(fd_of(f), &s) != 0) {
        return errno;
    }
    if (!S_ISREG(s.st_mode)) {
        return EINVAL;
    }
    *out = (uint64_t)s.st_size;
    return 0;
}

static int directory_rename(disk *d, const char *from, const char *to)
{
    int fd = ((directory *)d)->fd;
    return renameat(fd, from, fd, to) == 0 ? 0 : errno;
}

static int directory_remove(disk *d, const char *name)
{
    return unlinkat(((directory *)d)->fd, name, 0) == 0 ? 0 : errno;
}

static int directory_sync_names(disk *d)
{
    return fsync(((directory *)d)->fd) == 0 ? 0 : errno;
}

static int directory_list(disk *d, disk_each *each, void *context)
{
    int fd = openat(((directory *)d)->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (stream == NULL) {
        int result = errno;
        if (fd >= 0) {
            (void)close(fd);
        }
        return result;
    }
    errno = 0;
    const struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        each(context, entry->d_name);
        errno = 0;
    }
    int result = errno;
    (void)closedir(stream);
    return result;
}

// The directory itself is locked first, as the file may be removed or replaced while a server has
// it. NFS has no such lock on a directory, which cannot be opened for writing; there, the file's is
// all there is.
static int lock_itself(const directory *dir)
{
    int result = flock(dir->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    bool unable = result == EBADF || result == EINVAL || result == EOPNOTSUPP || result == ENOLCK;
    return unable ? 0 : result;
}

static long read_holder(int fd)
{
    char text[32] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    return n > 0 ? strtol(text, NULL, 10) : 0;
}

// Locks the file from which a second server learns which process uses the directory; servers that
// do not check the directory's own lock are stopped by this one.
static int directory_lock(disk *d, bool make, long *holder)
{
    directory *dir = (directory *)d;
    ASSERT(dir->lock < 0);
    *holder = 0;
    bool writable = true;
    int taken = lock_itself(dir);
    if (taken != 0) {
        int file = openat(dir->fd, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        *holder = file >= 0 ? read_holder(file) : 0;
        if (file >= 0) {
            (void)close(file);
        }
        return taken;
    }
    const int creates = make ? O_CREAT : 0;
    int fd = openat(dir->fd, "lock", O_RDWR | creates | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (fd < 0 && !make && errno == ENOENT) {
        return 0; // each server makes the file
    }
    if (fd < 0 && (errno == EROFS || errno == EACCES)) {
        writable = false;
        fd = openat(dir->fd, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0 && errno == ENOENT) {
            return EROFS; // the directory was never used, and nothing can be left in it
        }
    }
    if (fd < 0) {
        return errno;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int result = errno;
        *holder = read_holder(fd);
        (void)close(fd);
        return result;
    }
    dir->lock = fd;
    if (!writable) {
        return EROFS;
    }
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    // The number is only for the second server's message: the lock works without it.
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) != length) {
        (void)ftruncate(fd, 0);
    }
    return 0;
}

static void directory_destroy(disk *d)
{
    directory *dir = (directory *)d;
    if (dir->lock >= 0) {
        (void)close(dir->lock);
    }
    (void)close(dir->fd);
    free(dir);
}

static const disk_methods DIRECTORY = {
    .open = file_open,
    .close = file_close,
    .read = file_read,
    .write = file_write,
    .sync = file_sync,
    .truncate = file_truncate,
    .reserve = file_reserve,
    .size = file_size,
    .rename = directory_rename,
    .remove = directory_remove,
    .sync_names = directory_sync_names,
    .list = directory_list,
    .lock = directory_lock,
    .destroy = directory_destroy,
};

// The directory was just made: its name must survive in its parent.
static status sync_parent(const char *path, error *err)
{
    char parent[PATH_MAX];
    int length = snprintf(parent, sizeof parent, "%s/..", path);
    int fd = length > 0 && (size_t)length < sizeof parent
                 ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                 : -1;
    int result = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return result == 0 ? STATUS_OK
                       : error_set(err, STATUS_UNAVAILABLE, "the folder above '%s': %s", path,
                                   strerror(result));
}

status disk_directory_open(const char *path, const char *what, bool make, disk **out, error *err)
{
    if (make && mkdir(path, 0750) == 0) {
        status s = sync_parent(path, err);
        if (s != STATUS_OK) {
            return s;
        }
    } else if (make && errno != EEXIST) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot make %s '%s': %s", what, path,
                         strerror(errno));
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return error_set(err, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_UNAVAILABLE,
                         "cannot open %s '%s': %s", what, path, strerror(errno));
    }
    directory *d = malloc(sizeof *d);
    ASSERT_MEMORY(d != NULL);
    *d = (directory){.base = {&DIRECTORY}, .fd = fd, .lock = -1};
    *out = &d->base;
    return STATUS_OK;
}

const char *disk_remedy(int result)
{
    return result == ENOSPC || result == EDQUOT ? "; make room on the disk" : "";
}
