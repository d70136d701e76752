// See image_file.h.
#include "client/cli/log/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { FILE_MODE = 0644, SUFFIX_BYTES = sizeof ".01234567.part" };

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return false;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static cli_exit fail(const char *path, int why)
{
    cli_error(CLI_CODE_FILE, "cannot write %s: %s", path, strerror(why));
    return CLI_USAGE;
}

// The name of the temporary file; the caller frees it. Each program uses a random name, since
// several may write to one path at once. A name of maximal length is shortened to make space for
// the suffix.
static char *name_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    const size_t most = folder + NAME_MAX + 1 - SUFFIX_BYTES;
    const size_t kept = strlen(path) < most ? strlen(path) : most;
    uint32_t own = 0;
    (void)getrandom(&own, sizeof own, 0);
    char *part = malloc(kept + SUFFIX_BYTES);
    if (part != NULL) {
        (void)snprintf(part, kept + SUFFIX_BYTES, "%.*s.%08" PRIx32 ".part", (int)kept, path, own);
    }
    return part;
}

cli_exit image_file_write(const cli *c, const char *path, const void *bytes, size_t size)
{
    bool replace = args_has(&c->args, "force");
    if (!replace && access(path, F_OK) == 0) {
        cli_error(CLI_CODE_FILE, "%s exists already", path);
        cli_hint("--force replaces it");
        return CLI_USAGE;
    }
    char *part = name_part(path);
    if (part == NULL) {
        return cli_out_of_memory();
    }
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    int why = fd < 0 ? errno : 0;
    if (fd >= 0 && (!write_all(fd, bytes, size) || fsync(fd) != 0)) {
        why = errno;
    }
    if (fd >= 0 && close(fd) != 0 && why == 0) {
        why = errno;
    }
    if (why == 0 && rename(part, path) != 0) {
        why = errno;
    }
    if (why != 0 && fd >= 0) {
        (void)unlink(part);
    }
    free(part);
    return why == 0 ? CLI_OK : fail(path, why);
}
