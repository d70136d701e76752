// A data directory in one file, and back.
//
// A backup is made by a process beside the server that uses the directory: disk_still.h pins the
// files as they are at one moment, and they are  copied while the server continues. A restored
// directory is opened and verified like any other.
//
// Layout, little-endian: magic, u32 version, u32 checksum of the 12 bytes before; then for each
// file u32 1, u32 length of the name, u64 size, the name, u32 checksum of all that, then its bytes
// in pieces, each followed by a u32 checksum; at the end u32 2, u32 0, u64 number of files,
// checksum of that. A backup without its end is refused.
#include "server/storage/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"
#include "server/storage/disk_still.h"

enum { PIECE_BYTES = 1 << 20, HEAD_BYTES = 16, ENTRY_BYTES = 16, ENTRY_FILE = 1, ENTRY_END = 2 };

static const uint8_t BACKUP_MAGIC[8] = {0x89, 'C', 'R', 'M', 'B', 'A', 'K', 0x1A};

// ---- a file that grows

typedef struct stream {
    disk_file *file;
    uint64_t at;
    int result; // errno of the first failure; 0: none
    uint8_t *piece;
} stream;

static void stream_write(stream *out, const void *bytes, size_t size)
{
    if (out->result == 0) {
        out->result = out->file->disk->methods->write(out->file, out->at, bytes, size);
        out->at += size;
    }
}

static void stream_entry(stream *out, uint32_t kind, uint64_t size, const char *name)
{
    uint8_t head[ENTRY_BYTES];
    uint32_t length = (uint32_t)strlen(name);
    put32(head, kind);
    put32(head + 4, length);
    put64(head + 8, size);
    uint8_t crc[4];
    put32(crc, crc32c(crc32c(0, head, sizeof head), name, length));
    stream_write(out, head, sizeof head);
    stream_write(out, name, length);
    stream_write(out, crc, sizeof crc);
}

static status copy_in(stream *out, disk *d, const char *name, uint64_t size, error *err)
{
    disk_file *f;
    int result = d->methods->open(d, name, DISK_READ, &f);
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot open %s: %s", name, strerror(result));
    }
    stream_entry(out, ENTRY_FILE, size, name);
    for (uint64_t done = 0; done < size && result == 0 && out->result == 0;) {
        size_t part = size - done < PIECE_BYTES ? (size_t)(size - done) : PIECE_BYTES;
        size_t got = 0;
        result = d->methods->read(f, done, out->piece, part, &got);
        result = result == 0 && got != part ? EIO : result;
        put32(out->piece + part, crc32c(0, out->piece, part));
        stream_write(out, out->piece, part + 4);
        done += part;
    }
    d->methods->close(f);
    return result == 0 ? STATUS_OK
                       : error_set(err, STATUS_UNAVAILABLE, "reading %s failed: %s", name,
                                   strerror(result));
}

typedef struct backup_file {
    char name[IMAGE_NAME_BYTES];
    uint64_t size;
} backup_file;

typedef ARRAY(backup_file) backup_files;

static void add_file(void *context, const char *name, uint64_t size)
{
    backup_file one = {.size = size};
    memcpy(one.name, name, strlen(name) + 1);
    array_push((backup_files *)context, one);
}

static status copy_all(stream *out, disk *d, const backup_files *all, error *err)
{
    uint8_t head[HEAD_BYTES];
    memcpy(head, BACKUP_MAGIC, 8);
    put32(head + 8, FORMAT_VERSION);
    put32(head + 12, crc32c(0, head, 12));
    stream_write(out, head, sizeof head);
    status result = STATUS_OK;
    for (uint32_t i = 0; i < all->count && result == STATUS_OK; i++) {
        result = copy_in(out, d, all->data[i].name, all->data[i].size, err);
    }
    stream_entry(out, ENTRY_END, all->count, "");
    return result;
}

// ---- backup

// Splits a path into its folder and the name in it.
static status split_path(const char *path, char folder[PATH_MAX], const char **name, error *err)
{
    const char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    size_t size = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (**name == '\0' || strlen(*name) > NAME_MAX || size >= PATH_MAX) {
        // The path comes last: it may be longer than an error's text.
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "not the path of a file, whose name has 1 to %d bytes: '%s'", NAME_MAX,
                         path);
    }
    memcpy(folder, slash == NULL ? "." : path, slash == NULL ? 1 : size);
    folder[slash == NULL ? 1 : size] = '\0';
    return STATUS_OK;
}

// The name of the temporary file. A random number in it lets several backups to one name run at
// once. A name of the greatest length is shortened to make space for the suffix.
static void name_part(char out[NAME_MAX + 1], const char *name)
{
    enum { SUFFIX = sizeof ".01234567.part" - 1 };
    uint32_t own = 0;
    (void)getrandom(&own, sizeof own, 0);
    snprintf(out, NAME_MAX + 1, "%.*s.%08" PRIx32 ".part", NAME_MAX - SUFFIX, name, own);
}

// The file appears under its name only when all of it is on the disk.
static status write_backup(disk *from, const backup_files *all, disk *to, const char *name,
                           error *err)
{
    char part[NAME_MAX + 1];
    name_part(part, name);
    disk_file *f;
    if (to->methods->open(to, name, DISK_READ, &f) == 0) {
        to->methods->close(f);
        return error_set(err, STATUS_ALREADY_EXISTS, "'%s' is there: choose another name", name);
    }
    stream out = {.piece = malloc(PIECE_BYTES + 4)};
    ASSERT_MEMORY(out.piece != NULL);
    out.result = to->methods->open(to, part, DISK_CREATE, &out.file);
    bool opened = out.result == 0;
    status result = opened ? copy_all(&out, from, all, err) : STATUS_OK;
    if (result == STATUS_OK && out.result == 0) {
        out.result = to->methods->sync(out.file);
        out.result = out.result != 0 ? out.result : to->methods->rename(to, part, name);
        out.result = out.result != 0 ? out.result : to->methods->sync_names(to);
    }
    if (opened) {
        to->methods->close(out.file);
    }
    free(out.piece);
    if (result == STATUS_OK && out.result != 0) {
        result = error_set(err, STATUS_UNAVAILABLE, "writing '%s' failed: %s", name,
                           strerror(out.result));
    }
    if (result != STATUS_OK) {
        (void)to->methods->remove(to, part);
    }
    return result;
}

// Tries until the directory is consistent: a server may have been between two steps.
static status catch_whole(disk *d, const char *path, disk **out, storage_report *report, error *err)
{
    enum { TRIES = 50, PAUSE_NS = 20000000 };
    status result = STATUS_UNAVAILABLE;
    for (int i = 0; i < TRIES && result != STATUS_OK; i++) {
        if (i > 0) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        }
        int caught = disk_still_catch(d, out);
        if (caught != 0) {
            result = error_set(err, STATUS_UNAVAILABLE, "reading '%s' failed: %s", path,
                               strerror(caught));
            continue;
        }
        storage_options options = storage_options_default();
        options.disk = disk_still_ref(*out);
        result = storage_check(path, &options, report, err);
        if (result != STATUS_OK) {
            (*out)->methods->destroy(*out);
        }
        if (result == STATUS_NOT_FOUND) {
            break;
        }
    }
    return result;
}

status storage_copy(const char *path, const char *backup, storage_report *report, error *err)
{
    char folder[PATH_MAX];
    const char *name;
    disk *from = NULL;
    disk *to = NULL;
    disk *still = NULL;
    status result = split_path(backup, folder, &name, err);
    result = result == STATUS_OK ? disk_directory_open(path, DISK_DATA, false, &from, err) : result;
    result =
        result == STATUS_OK ? disk_directory_open(folder, DISK_BACKUP, false, &to, err) : result;
    result = result == STATUS_OK ? catch_whole(from, path, &still, report, err) : result;
    if (result == STATUS_OK) {
        backup_files all = {0};
        disk_still_files(still, add_file, &all);
        result = write_backup(still, &all, to, name, err);
        array_free(&all);
        still->methods->destroy(still);
    }
    if (to != NULL) {
        to->methods->destroy(to);
    }
    if (from != NULL) {
        from->methods->destroy(from);
    }
    return result;
}

// ---- restore

typedef struct source {
    disk_file *file;
    uint64_t at, size;
    const char *name;
    uint8_t *piece;
} source;

static status bad_backup(const source *in, const char *what, error *err)
{
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "'%s' is no whole backup: %s at byte %" PRIu64 "; use another one", in->name,
                     what, in->at);
}

static status source_read(source *in, void *bytes, size_t size, error *err)
{
    size_t got = 0;
    int result = in->file->disk->methods->read(in->file, in->at, bytes, size, &got);
    if (result != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "reading '%s' failed: %s", in->name,
                         strerror(result));
    }
    if (got != size) {
        return bad_backup(in, "it ends", err);
    }
    in->at += size;
    return STATUS_OK;
}

// Accepts only the names that storage itself gives: a forged backup must not write elsewhere.
static bool name_is_ours(const char *name)
{
    return (strncmp(name, "log-", 4) == 0 || strncmp(name, "image-", 6) == 0) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

typedef struct entry {
    uint32_t kind;
    uint64_t size;
    char name[IMAGE_NAME_BYTES];
} entry;

static status read_entry(source *in, entry *out, error *err)
{
    uint8_t head[ENTRY_BYTES];
    uint8_t crc[4];
    status result = source_read(in, head, sizeof head, err);
    if (result != STATUS_OK) {
        return result;
    }
    *out = (entry){.kind = get32(head), .size = get64(head + 8)};
    uint32_t length = get32(head + 4);
    if (length >= sizeof out->name) {
        return bad_backup(in, "a name is too long", err);
    }
    result = source_read(in, out->name, length, err);
    result = result == STATUS_OK ? source_read(in, crc, sizeof crc, err) : result;
    if (result != STATUS_OK) {
        return result;
    }
    uint32_t expected = crc32c(crc32c(0, head, sizeof head), out->name, length);
    bool sound = get32(crc) == expected && (out->kind == ENTRY_END || name_is_ours(out->name));
    if (!sound) {
        return bad_backup(in, "a checksum differs", err);
    }
    if (out->kind == ENTRY_FILE && out->size > in->size - in->at) {
        char what[192];
        snprintf(what, sizeof what, "%s is said to have %" PRIu64 " bytes, and %" PRIu64 " follow",
                 out->name, out->size, in->size - in->at);
        return bad_backup(in, what, err);
    }
    return STATUS_OK;
}

// `to` NULL: only verified.
static status copy_out(source *in, const entry *e, disk *to, error *err)
{
    disk_file *f = NULL;
    int result = to != NULL ? to->methods->open(to, e->name, DISK_CREATE, &f) : 0;
    status outcome = STATUS_OK;
    for (uint64_t done = 0; done < e->size && result == 0 && outcome == STATUS_OK;) {
        size_t part = e->size - done < PIECE_BYTES ? (size_t)(e->size - done) : PIECE_BYTES;
        outcome = source_read(in, in->piece, part + 4, err);
        if (outcome == STATUS_OK && get32(in->piece + part) != crc32c(0, in->piece, part)) {
            outcome = bad_backup(in, "a checksum differs", err);
        }
        if (outcome == STATUS_OK && f != NULL) {
            result = to->methods->write(f, done, in->piece, part);
        }
        done += part;
    }
    if (f != NULL) {
        result = result != 0 || outcome != STATUS_OK ? result : to->methods->sync(f);
        to->methods->close(f);
    }
    return result == 0 ? outcome
                       : error_set(err, STATUS_UNAVAILABLE, "writing %s failed: %s", e->name,
                                   strerror(result));
}

static status copy_files(source *in, disk *to, error *err)
{
    uint8_t head[HEAD_BYTES];
    in->at = 0;
    status result = source_read(in, head, sizeof head, err);
    if (result != STATUS_OK) {
        return result;
    }
    if (memcmp(head, BACKUP_MAGIC, 8) != 0 || get32(head + 12) != crc32c(0, head, 12)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' is no backup of a data directory",
                         in->name);
    }
    if (get32(head + 8) != FORMAT_VERSION) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s' is of format version %u, this program reads version %d: use the "
                         "newer program that made it",
                         in->name, get32(head + 8), FORMAT_VERSION);
    }
    for (uint64_t files = 0;; files++) {
        entry e;
        result = read_entry(in, &e, err);
        if (result == STATUS_OK && e.kind == ENTRY_END) {
            bool whole = e.size == files && in->at == in->size;
            return whole ? STATUS_OK : bad_backup(in, "files are missing, or more follows", err);
        }
        result = result == STATUS_OK && e.kind != ENTRY_FILE
                     ? bad_backup(in, "an unknown entry", err)
                     : result;
        result = result == STATUS_OK ? copy_out(in, &e, to, err) : result;
        if (result != STATUS_OK) {
            return result;
        }
    }
}

static void count_file(void *context, const char *name)
{
    int *count = context;
    *count += strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

// The directory has a file "restoring" until all of its content is on the disk; while the file is
// there, no server starts.
static status fill_directory(source *in, disk *to, error *err)
{
    const disk_methods *m = to->methods;
    int count = 0;
    int result = m->list(to, count_file, &count);
    if (result == 0 && count > 0) {
        return error_set(err, STATUS_ALREADY_EXISTS, "the directory is not empty");
    }
    disk_file *mark = NULL;
    result = result != 0 ? result : m->open(to, "restoring", DISK_CREATE, &mark);
    if (mark != NULL) {
        m->close(mark);
        result = m->sync_names(to);
    }
    status outcome = result == 0 ? copy_files(in, to, err) : STATUS_OK;
    if (result == 0 && outcome == STATUS_OK) {
        result = m->sync_names(to);
        result = result != 0 ? result : m->remove(to, "restoring");
        result = result != 0 ? result : m->sync_names(to);
    }
    return result == 0 ? outcome
                       : error_set(err, STATUS_UNAVAILABLE, "writing failed: %s", strerror(result));
}

static status restore_into(source *in, const char *path, error *err)
{
    disk *to;
    status result = disk_directory_open(path, DISK_DATA, true, &to, err);
    if (result != STATUS_OK) {
        return result;
    }
    result = fill_directory(in, to, err);
    to->methods->destroy(to);
    storage_report report;
    result = result == STATUS_OK ? storage_check(path, NULL, &report, err) : result;
    if (result != STATUS_OK) {
        error_prefix(err, "data directory '%s'", path);
    }
    return result;
}

status storage_restore(const char *backup, const char *path, error *err)
{
    char folder[PATH_MAX];
    source in = {0};
    disk *from;
    status result = split_path(backup, folder, &in.name, err);
    result =
        result == STATUS_OK ? disk_directory_open(folder, DISK_BACKUP, false, &from, err) : result;
    if (result != STATUS_OK) {
        return result;
    }
    int opened = from->methods->open(from, in.name, DISK_READ, &in.file);
    if (opened == 0) {
        opened = from->methods->size(in.file, &in.size);
    }
    if (opened == 0) {
        in.piece = malloc(PIECE_BYTES + 4);
        ASSERT_MEMORY(in.piece != NULL);
        // all of it first: nothing is restored from a broken backup
        result = copy_files(&in, NULL, err);
        result = result == STATUS_OK ? restore_into(&in, path, err) : result;
    } else {
        result =
            error_set(err, STATUS_UNAVAILABLE, "cannot open '%s': %s", backup, strerror(opened));
    }
    free(in.piece);
    if (in.file != NULL) {
        from->methods->close(in.file);
    }
    from->methods->destroy(from);
    return result;
}
