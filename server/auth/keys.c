// Reads the file of keys; see keys.h.
#include "server/auth/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"

struct auth_keys {
    char *path;
    jwk_set *set;
};

static status fail(const char *path, int number, error *err)
{
    return error_set(err, STATUS_UNAVAILABLE, "%s: %s", path, strerror(number));
}

// Reads the whole file into `out`, at most AUTH_FILE_BYTES_MAX.
static status read_all(int fd, const char *path, char *out, size_t *size, error *err)
{
    size_t used = 0;
    ssize_t got = 1;
    while (got != 0 && used <= AUTH_FILE_BYTES_MAX) {
        got = read(fd, out + used, AUTH_FILE_BYTES_MAX + 1 - used);
        if (got < 0 && errno != EINTR) {
            return fail(path, errno, err);
        }
        used += got > 0 ? (size_t)got : 0;
        got = got < 0 ? 1 : got;
    }
    if (used > AUTH_FILE_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "%s: has more than %d bytes", path,
                         AUTH_FILE_BYTES_MAX);
    }
    ASSERT(used <= AUTH_FILE_BYTES_MAX);
    *size = used;
    return STATUS_OK;
}

// Warns of settings that work but are probably mistakes.
static void warn(const char *path, const jwk_set *set, const struct stat *file)
{
    if (set->secrets > 0 && (file->st_mode & (S_IROTH | S_IWOTH)) != 0) {
        log_warn("%s: every user of this machine can read its secrets (chmod o= %s)", path, path);
    }
    if (set->with_private > 0) {
        log_warn("%s: %llu of its keys %s a private half, which a server does not need", path,
                 COUNTED(set->with_private, "has", "have"));
    }
    if (set->passed_over > 0) {
        log_warn("%s: %llu of its keys %s of a type that is not used here", path,
                 COUNTED(set->passed_over, "is", "are"));
    }
}

static status load(const char *path, jwk_set **out, error *err)
{
    // Without O_NONBLOCK a pipe would block the server.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat file;
    if (fd < 0 || fstat(fd, &file) != 0) {
        status s = fail(path, errno, err);
        if (fd >= 0) {
            close(fd);
        }
        return s;
    }
    if (!S_ISREG(file.st_mode)) {
        close(fd);
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: is not a file", path);
    }
    char *text = malloc(AUTH_FILE_BYTES_MAX + 1);
    ASSERT_MEMORY(text != NULL);
    size_t size = 0;
    status s = read_all(fd, path, text, &size, err);
    close(fd);
    if (s == STATUS_OK) {
        s = jwk_set_parse(text, size, out, err);
        if (s != STATUS_OK) {
            error_prefix(err, "%s", path);
        } else {
            warn(path, *out, &file);
        }
    }
    OPENSSL_cleanse(text, AUTH_FILE_BYTES_MAX + 1);
    free(text);
    return s;
}

status auth_keys_open(const char *path, auth_keys **out, error *err)
{
    jwk_set *set = NULL;
    status s = load(path, &set, err);
    if (s != STATUS_OK) {
        return s;
    }
    auth_keys *k = calloc(1, sizeof *k);
    ASSERT_MEMORY(k != NULL);
    k->path = strdup(path);
    k->set = set;
    ASSERT_MEMORY(k->path != NULL);
    *out = k;
    return STATUS_OK;
}

status auth_keys_reload(auth_keys *k, error *err)
{
    jwk_set *set = NULL;
    status s = load(k->path, &set, err);
    ASSERT((s == STATUS_OK) == (set != NULL));
    if (s == STATUS_OK) {
        jwk_set_free(k->set);
        k->set = set;
    }
    return s;
}

const jwk_set *auth_keys_set(const auth_keys *k)
{
    return k->set;
}

void auth_keys_close(auth_keys *k)
{
    if (k != NULL) {
        jwk_set_free(k->set);
        free(k->path);
        free(k);
    }
}
