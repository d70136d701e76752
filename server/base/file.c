// See file.h.
#include "server/base/file.h"

#include <errno.h>
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
