// See www.h. fts(3) walks the folder, zlib compresses.
#include "server/http/www.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZLIB_CONST // next_in points to bytes that zlib does not change
#include <zlib.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/crc32c.h"
#include "common/base/fold.h"
#include "common/base/log.h"
#include "server/base/worker.h"

static const char PACKED[] = ".gz"; // ending of a compressed form in WWW_DOCS

// ---- the walk

typedef struct found_file {
    char path[WWW_PATH_BYTES_MAX + 1]; // "/js/game.js"
    struct stat stat;
} found_file;

typedef ARRAY(found_file) found_files;

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

// Whether a request can ask for it (request.c does no percent-decoding).
static bool is_plain(const char *path)
{
    for (; *path != '\0'; path++) {
        if (*path <= ' ' || *path >= 0x7F || strchr("%\\?#", *path) != NULL) {
            return false;
        }
    }
    return true;
}

static status take_entry(const FTSENT *entry, size_t root, found_files *out, uint32_t *skipped,
                         error *err)
{
    const char *path = entry->fts_path + root;
    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: %s", entry->fts_path,
                         strerror(entry->fts_errno));
    }
    if (entry->fts_info != FTS_F || entry->fts_name[0] == '.') {
        return STATUS_OK;
    }
    if (!is_plain(path) || strlen(path) > WWW_PATH_BYTES_MAX) {
        (*skipped)++;
        return STATUS_OK;
    }
    if (out->count == WWW_FILES_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "there are more than %d files in it",
                         WWW_FILES_MAX);
    }
    found_file file = {.stat = *entry->fts_statp};
    (void)snprintf(file.path, sizeof file.path, "%s", path);
    array_push(out, file);
    return STATUS_OK;
}

static status walk(const char *folder, found_files *out, uint32_t *skipped, error *err)
{
    char *root = strdup(folder);
    ASSERT_MEMORY(root != NULL);
    size_t size = strlen(root);
    while (size > 1 && root[size - 1] == '/') {
        root[--size] = '\0';
    }
    char *const roots[] = {root, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    ASSERT_MEMORY(tree != NULL);
    status s = STATUS_OK;
    for (FTSENT *entry = fts_read(tree); entry != NULL && s == STATUS_OK; entry = fts_read(tree)) {
        const bool top = entry->fts_level == 0;
        if (top && entry->fts_info == FTS_F) {
            s = error_set(err, STATUS_INVALID_ARGUMENT, "%s is a file: name its folder", folder);
        } else if (!top && entry->fts_info == FTS_D && entry->fts_name[0] == '.') {
            (void)fts_set(tree, entry, FTS_SKIP);
        } else {
            s = take_entry(entry, size, out, skipped, err);
        }
    }
    (void)fts_close(tree);
    free(root);
    return s;
}

static uint64_t fold(uint64_t mark, const uint64_t *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mark = fold_product(mark ^ FOLD_KEY[0], facts[i] ^ FOLD_KEY[1 + i % 4]);
    }
    return mark;
}

// A mark of the file's contents. It includes ctime, which the system sets at each change: a program
// can set mtime back, but not ctime.
static uint64_t mark_of_file(const found_file *f)
{
    const struct stat *s = &f->stat;
    const uint64_t facts[] = {(uint64_t)s->st_size,        (uint64_t)s->st_ino,
                              (uint64_t)s->st_mtim.tv_sec, (uint64_t)s->st_mtim.tv_nsec,
                              (uint64_t)s->st_ctim.tv_sec, (uint64_t)s->st_ctim.tv_nsec};
    return fold(0, facts, sizeof facts / sizeof *facts);
}

static uint64_t mark_of(const found_files *files)
{
    uint64_t mark = files->count;
    for (uint32_t i = 0; i < files->count; i++) {
        const found_file *f = &files->data[i];
        const uint64_t facts[] = {crc32c(0, f->path, strlen(f->path)), mark_of_file(f)};
        mark = fold(mark, facts, sizeof facts / sizeof *facts);
    }
    return mark;
}

// Changes when names, sizes or times of the folder's files do. 0: it cannot be walked.
static uint64_t www_mark(const char *folder)
{
    found_files files = {0};
    uint32_t skipped = 0;
    error err = {0};
    uint64_t mark = walk(folder, &files, &skipped, &err) == STATUS_OK ? mark_of(&files) : 0;
    array_free(&files);
    return mark;
}

// ---- the contents

static status read_file(const char *folder, const found_file *file, uint8_t **out, size_t *size,
                        error *err)
{
    char path[4096 + WWW_PATH_BYTES_MAX];
    (void)snprintf(path, sizeof path, "%s%s", folder, file->path);
    *size = (size_t)file->stat.st_size;
    *out = malloc(*size + 1);
    ASSERT_MEMORY(*out != NULL);
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    size_t read_bytes = 0;
    ssize_t got = fd >= 0 ? 1 : -1;
    while (got > 0 && read_bytes <= *size) { // a byte more shows a file that has grown
        got = read(fd, *out + read_bytes, *size + 1 - read_bytes);
        read_bytes += got > 0 ? (size_t)got : 0;
    }
    const int why = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (got < 0 || read_bytes != *size) {
        free(*out);
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: %s", path,
                         got < 0 ? strerror(why) : "it changed while it was read");
    }
    return STATUS_OK;
}

// The bytes by gzip, or NULL if that saves less than a tenth.
static uint8_t *pack(const uint8_t *data, size_t size, size_t *packed)
{
    enum { LARGE = 1 << 20, LEVEL = 9, LARGE_LEVEL = 6 }; // 9 saves a hundredth in thrice the time
    z_stream z = {0};
    const int level = size < LARGE ? LEVEL : LARGE_LEVEL;
    if (size == 0 || deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return NULL;
    }
    const size_t room = size - size / 10;
    uint8_t *out = malloc(room + 1);
    ASSERT_MEMORY(out != NULL);
    z.next_in = data;
    z.avail_in = (uInt)size;
    z.next_out = out;
    z.avail_out = (uInt)room;
    const bool whole = deflate(&z, Z_FINISH) == Z_STREAM_END;
    *packed = room - z.avail_out;
    (void)deflateEnd(&z);
    if (!whole) {
        free(out);
        return NULL;
    }
    return out;
}

// The server keeps these paths for its own pages.
static status check_place(const char *path, error *err)
{
    static const char *const FOLDERS[] = {"/viewer/", "/src/"};
    static const char *const NAMES[] = {"/healthz", "/readyz", "/metrics", "/rpc"};
    const char *taken = NULL;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        taken = strncmp(path, FOLDERS[i], strlen(FOLDERS[i])) == 0 ? FOLDERS[i] : taken;
    }
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        taken = strcmp(path, NAMES[i]) == 0 ? NAMES[i] : taken;
    }
    return taken == NULL
               ? STATUS_OK
               : error_set(err, STATUS_INVALID_ARGUMENT,
                           "'%.100s' cannot be served: %s is the server's own", path + 1, taken);
}

// The file's compressed form beside it, or NULL if there is none.
static uint8_t *read_packed(const char *folder, const found_file *file, size_t *size)
{
    char path[4096 + WWW_PATH_BYTES_MAX];
    found_file packed = {0};
    error none;
    uint8_t *data = NULL;
    const int length = snprintf(packed.path, sizeof packed.path, "%s%s", file->path, PACKED);
    (void)snprintf(path, sizeof path, "%s%s", folder, packed.path);
    if (length >= (int)sizeof packed.path || lstat(path, &packed.stat) != 0 ||
        !S_ISREG(packed.stat.st_mode) || packed.stat.st_size > (off_t)WWW_BYTES_MAX ||
        read_file(folder, &packed, &data, size, &none) != STATUS_OK) {
        return NULL;
    }
    return data;
}

// *pack_left is the number of bytes that may still be compressed; out->packed becomes false if the
// file has more.
static status load_file(www_folder *out, const found_file *file, uint64_t *pack_left, error *err)
{
    uint8_t *data = NULL;
    size_t size = 0;
    status s = check_place(file->path, err);
    s = s == STATUS_OK ? read_file(out->path, file, &data, &size, err) : s;
    if (s != STATUS_OK) {
        return s;
    }
    size_t packed_size = 0;
    const char *type = files_type(file->path);
    uint8_t *packed = NULL;
    bool loose = false;
    if (out->kind == WWW_DOCS) {
        packed = read_packed(out->path, file, &packed_size);
    } else if (files_type_packs(type) && size <= *pack_left) {
        packed = pack(data, size, &packed_size);
        *pack_left -= size;
    } else if (files_type_packs(type)) {
        loose = true;
        out->packed = false;
    }
    served_files *files = &out->files;
    files_add(files, file->path, type, (file_bytes){data, size}, (file_bytes){packed, packed_size});
    files->data[files->count - 1].mark = mark_of_file(file);
    files->data[files->count - 1].loose = loose;
    free(data);
    free(packed);
    return STATUS_OK;
}

// Takes a file over as it was read before. False: it has changed, or is to be compressed.
static bool keep_file(const served_files *before, const found_file *file, served_files *out)
{
    const http_span path = {file->path, strlen(file->path)};
    const served_file *old = before != NULL ? files_find_sorted(before, path) : NULL;
    if (old == NULL || old->loose || old->mark != mark_of_file(file)) {
        return false;
    }
    files_share(out, old);
    return true;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const found_file *)a)->path, ((const found_file *)b)->path);
}

// Leaves the compressed forms out: each is read with its file.
static void drop_packed(found_files *found)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        const size_t size = strlen(found->data[i].path);
        const size_t ending = sizeof PACKED - 1;
        if (size <= ending || strcmp(found->data[i].path + size - ending, PACKED) != 0) {
            found->data[kept++] = found->data[i];
        }
    }
    found->count = kept;
}

// Reads the folder of *out, but for the files that `before` (may be NULL) has as they are.
static status load(const served_files *before, uint64_t pack_most, www_folder *out, error *err)
{
    found_files found = {0};
    uint64_t bytes = 0;
    out->packed = true;
    status s = walk(out->path, &found, &out->skipped, err);
    out->mark = mark_of(&found);
    if (out->kind == WWW_DOCS) {
        drop_packed(&found);
    }
    for (uint32_t i = 0; i < found.count; i++) {
        bytes += (uint64_t)found.data[i].stat.st_size;
    }
    if (s == STATUS_OK && found.count == 0) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "%s has no files that could be served",
                      out->path);
    } else if (s == STATUS_OK && bytes > WWW_BYTES_MAX) {
        s = error_set(err, STATUS_INVALID_ARGUMENT,
                      "the files of %s have %llu bytes together, at most %llu are served",
                      out->path, (unsigned long long)bytes, (unsigned long long)WWW_BYTES_MAX);
    }
    if (s == STATUS_OK) {
        qsort(found.data, found.count, sizeof *found.data, by_path);
        files_reserve(&out->files, found.count);
    }
    for (uint32_t i = 0; i < found.count && s == STATUS_OK; i++) {
        if (!keep_file(before, &found.data[i], &out->files)) {
            s = load_file(out, &found.data[i], &pack_most, err);
            out->read++;
        }
    }
    if (s != STATUS_OK) {
        files_free(&out->files);
    }
    array_free(&found);
    return s;
}

// ---- looking for changes

struct www {
    www_folder *folder;
    uv_timer_t timer;
    uv_work_t work;
    bool looking, closing;
    // By the pool's thread, while `looking`:
    uint64_t seen; // the mark that was not good, so that it is reported once
    bool changed;
    status result;
    www_folder other; // the folder that it has read; otherwise an old folder for it to free
    error err;
};

static void report(const www_folder *f)
{
    log_info("%s: serves %llu %s, %u of them read now", f->path,
             COUNTED(f->files.count, "file", "files"), f->read);
    if (f->skipped > 0) {
        log_warn("%s: does not serve %llu %s, whose paths would need percent signs or have more "
                 "than %d bytes",
                 f->path, COUNTED(f->skipped, "file", "files"), WWW_PATH_BYTES_MAX);
    }
}

status www_read(const char *path, www_kind kind, www_folder *out, error *err)
{
    *out = (www_folder){.path = path, .kind = kind};
    const status s = load(NULL, WWW_PACK_FIRST, out, err);
    out->path = s == STATUS_OK ? path : NULL;
    return s;
}

void www_drop(www_folder *folder)
{
    files_free(&folder->files);
    *folder = (www_folder){0};
}

static void look(uv_work_t *work)
{
    www *w = work->data;
    worker_begin();
    const uint64_t mark = www_mark(w->folder->path);
    w->changed = (mark != w->folder->mark || !w->folder->packed) && mark != w->seen;
    files_free(&w->other.files);
    if (w->changed) {
        www_folder *o = &w->other;
        w->seen = mark;
        *o = (www_folder){.path = w->folder->path, .kind = w->folder->kind};
        w->result = load(&w->folder->files, WWW_BYTES_MAX, o, &w->err);
    }
}

static void on_freed(uv_handle_t *handle)
{
    www *w = handle->data;
    files_free(&w->other.files);
    free(w);
}

static void end(www *w)
{
    uv_close((uv_handle_t *)&w->timer, on_freed);
}

static void on_looked(uv_work_t *work, int result)
{
    (void)result;
    www *w = work->data;
    w->looking = false;
    if (w->changed && w->result == STATUS_OK) {
        const www_folder old = *w->folder;
        *w->folder = w->other;
        w->other = old;
        w->seen = 0;
        report(w->folder);
    } else if (w->changed) {
        log_error("keeping the files as they were read before: %s", w->err.text);
    }
    if (w->closing) {
        end(w);
    }
}

static void on_timer(uv_timer_t *timer)
{
    www *w = timer->data;
    if (!w->looking) {
        w->looking = uv_queue_work(timer->loop, &w->work, look, on_looked) == 0;
    }
}

www *www_open(uv_loop_t *loop, www_folder *folder)
{
    www *w = calloc(1, sizeof *w);
    ASSERT_MEMORY(w != NULL && folder->path != NULL);
    w->folder = folder;
    int result = uv_timer_init(loop, &w->timer);
    ASSERT(result == 0);
    w->timer.data = w->work.data = w;
    if (folder->kind == WWW_GAME) {
        report(folder);
        result = uv_timer_start(&w->timer, on_timer, WWW_LOOK_MS, WWW_LOOK_MS);
        ASSERT(result == 0);
    }
    uv_unref((uv_handle_t *)&w->timer);
    return w;
}

// ---- the files

static const char INDEX[] = "index.html";

const served_file *www_find(const www *w, http_span path)
{
    char whole[WWW_PATH_BYTES_MAX + sizeof INDEX];
    const bool folder = path.size > 0 && path.text[path.size - 1] == '/';
    if (!folder || path.size > WWW_PATH_BYTES_MAX) {
        return files_find_sorted(&w->folder->files, path);
    }
    memcpy(whole, path.text, path.size);
    memcpy(whole + path.size, INDEX, sizeof INDEX);
    return files_find_sorted(&w->folder->files, (http_span){whole, path.size + sizeof INDEX - 1});
}

bool www_is_folder(const www *w, http_span path)
{
    char whole[WWW_PATH_BYTES_MAX + 1];
    if (path.size >= WWW_PATH_BYTES_MAX) {
        return false;
    }
    memcpy(whole, path.text, path.size);
    whole[path.size] = '/';
    return www_find(w, (http_span){whole, path.size + 1}) != NULL;
}

void www_close(www *w)
{
    if (w == NULL) {
        return;
    }
    w->closing = true;
    (void)uv_timer_stop(&w->timer);
    if (!w->looking) {
        end(w);
    }
}
