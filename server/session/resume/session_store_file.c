// See session_store_file.h.
#include "server/session/resume/session_store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "proto/wire/scanner.h"
#include "server/base/file.h"

enum { MAGIC_BYTES = 8, HEAD_BYTES = SESSION_STORE_HEAD_BYTES, VERSION = 1 };

static const uint8_t MAGIC[MAGIC_BYTES] = {0x89, 'c', 's', 'e', 's', 's', '\n', VERSION};

void session_store_path(const char *directory, const char *suffix,
                        char out[SESSION_STORE_PATH_BYTES])
{
    snprintf(out, SESSION_STORE_PATH_BYTES, "%s/sessions%s", directory, suffix);
}

// ---- writing

bool session_store_file_begin(int fd)
{
    return file_write_all(fd, MAGIC, sizeof MAGIC);
}

void session_store_record_begin(buffer *record)
{
    static const uint8_t head[HEAD_BYTES] = {0};
    buffer_clear(record);
    buffer_append(record, head, sizeof head);
}

void session_store_record_seal(buffer *record)
{
    ASSERT(!record->overflow && record->size > HEAD_BYTES);
    uint32_t size = (uint32_t)(record->size - HEAD_BYTES);
    put32(record->data, size);
    put32(record->data + 4, crc32c(0, record->data + HEAD_BYTES, size));
}

void session_store_record_add(buffer *out, buffer *record)
{
    session_store_record_seal(record);
    buffer_append(out, record->data, record->size);
}

bool session_store_write(int fd, const buffer *records)
{
    return file_write_all(fd, records->data, records->size);
}

// ---- reading

typedef struct source {
    int fd;
    uint8_t *payload; // SESSION_STORE_RECORD_BYTES_MAX
    session_store_report *report;
    session_store_each *each;
    void *context;
} source;

// Reads at most `size` bytes, or to the end of the file; -1: see errno.
static ssize_t read_all(int fd, void *bytes, size_t size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, (uint8_t *)bytes + got, size - got);
        if (n == 0) {
            break;
        }
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        got += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)got;
}

static bool take(const source *in, size_t size)
{
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    bool good = scanner_passes(in->payload, size) &&
                msgpack_unpack_next(&unpacked, (const char *)in->payload, size, &offset) ==
                    MSGPACK_UNPACK_SUCCESS;
    good = good && (in->each == NULL || in->each(in->context, &unpacked.data));
    msgpack_unpacked_destroy(&unpacked);
    return good;
}

// Reads the next record. False: there is none, or it is not sound.
static bool next(const source *in)
{
    uint8_t head[HEAD_BYTES];
    if (read_all(in->fd, head, sizeof head) != (ssize_t)sizeof head) {
        return false;
    }
    uint32_t size = get32(head);
    bool good = size <= SESSION_STORE_RECORD_BYTES_MAX &&
                read_all(in->fd, in->payload, size) == (ssize_t)size &&
                crc32c(0, in->payload, size) == get32(head + 4) && take(in, size);
    if (good) {
        in->report->records++;
        in->report->at += HEAD_BYTES + (uint64_t)size;
    }
    return good;
}

static status check_magic(int fd, const char *path, session_store_report *r, error *err)
{
    uint8_t magic[MAGIC_BYTES];
    ssize_t got = read_all(fd, magic, sizeof magic);
    if (got < 0) {
        return error_set(err, STATUS_UNAVAILABLE, "reading '%s' failed: %s", path, strerror(errno));
    }
    bool ours = got == MAGIC_BYTES && memcmp(magic, MAGIC, MAGIC_BYTES - 1) == 0;
    if (ours && magic[MAGIC_BYTES - 1] > VERSION) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "'%s' is of format version %d, this program reads version %d: use the "
                         "newer program that wrote it, or move the file away to go on without its "
                         "sessions; nothing was changed",
                         path, magic[MAGIC_BYTES - 1], VERSION);
    }
    if (!ours || magic[MAGIC_BYTES - 1] != VERSION) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' is no file of sessions", path);
    }
    r->at = MAGIC_BYTES;
    return STATUS_OK;
}

static status read_records(const source *in, const char *path, error *err)
{
    const session_store_report *r = in->report;
    while (next(in)) {
    }
    if (r->at == r->size) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "'%s': the content after the first %" PRIu64 " of %" PRIu64
                     " bytes was altered, or not written whole",
                     path, r->at, r->size);
}

// *fd is -1 with STATUS_OK if there is no file.
static status open_file(const char *path, session_store_report *r, int *fd, error *err)
{
    struct stat is = {0};
    // O_NONBLOCK, so that opening a pipe does not wait.
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (*fd < 0 && errno == ENOENT) {
        return STATUS_OK;
    }
    bool regular = *fd >= 0 && fstat(*fd, &is) == 0 && S_ISREG(is.st_mode);
    r->there = true;
    r->size = regular ? (uint64_t)is.st_size : 0;
    return regular ? STATUS_OK
                   : error_set(err, STATUS_INVALID_ARGUMENT, "'%s' cannot be read: %s", path,
                               *fd < 0 ? strerror(errno) : "it is no file");
}

status session_store_file_read(const char *directory, session_store_each *each, void *context,
                               session_store_report *out, error *err)
{
    char path[SESSION_STORE_PATH_BYTES];
    session_store_path(directory, "", path);
    *out = (session_store_report){0};
    source in = {.fd = -1, .report = out, .each = each, .context = context};
    status result = open_file(path, out, &in.fd, err);
    if (result == STATUS_OK && in.fd >= 0) {
        result = check_magic(in.fd, path, out, err);
    }
    if (result == STATUS_OK && in.fd >= 0) {
        in.payload = malloc(SESSION_STORE_RECORD_BYTES_MAX);
        ASSERT_MEMORY(in.payload != NULL);
        result = read_records(&in, path, err);
        free(in.payload);
    }
    if (in.fd >= 0) {
        (void)close(in.fd);
    }
    return result;
}

status session_store_file_check_version(const char *directory, error *err)
{
    char path[SESSION_STORE_PATH_BYTES];
    session_store_report report = {0};
    error why;
    int fd = -1;
    session_store_path(directory, "", path);
    status result = open_file(path, &report, &fd, &why);
    if (result == STATUS_OK && fd >= 0) {
        result = check_magic(fd, path, &report, &why);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    // Any other fault costs sessions, and no start.
    return result == STATUS_UNAVAILABLE ? error_set(err, result, "%s", why.text) : STATUS_OK;
}
