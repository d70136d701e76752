// See disk_still.h. One thread.
#include "server/storage/disk_still.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "server/storage/image.h"
#include "server/storage/scan.h"

typedef struct caught {
    char name[IMAGE_NAME_BYTES];
    disk_file *file; // a file of the underlying disk
    uint64_t size;
} caught;

typedef struct still {
    disk base;
    disk *of;
    int users;
    ARRAY(caught) files; // images, then the log's segments by number
} still;

typedef struct still_file {
    disk_file base;
    uint32_t index;
} still_file;

// Records where the log has to end if no server has the directory, which reveals a log that was cut
// short. Not part of a backup, which marks its own end.
static const char CLOSED[] = "closed";

static const disk_methods methods;

// ---- catching

typedef ARRAY(caught) names;

static void take_name(void *context, const char *name)
{
    names *all = context;
    bool ours = strncmp(name, "log-", 4) == 0 || strncmp(name, "image-", 6) == 0 ||
                strcmp(name, CLOSED) == 0;
    if (ours && strlen(name) < IMAGE_NAME_BYTES && strstr(name, ".part") == NULL) {
        caught one = {.name = ""};
        memcpy(one.name, name, strlen(name) + 1);
        array_push(all, one);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const caught *)a)->name, ((const caught *)b)->name);
}

static bool has(const still *s, const char *name)
{
    for (uint32_t i = 0; i < s->files.count; i++) {
        if (strcmp(s->files.data[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Sets the last segment's size to where the log ends now; the space after it is where the server
// continues to write. A damaged segment keeps its size, so that the reader reports the damage.
static void cut_to_log(const still *s, caught *last)
{
    uint64_t number = strtoull(last->name + strlen("log-"), NULL, 10);
    scan file;
    error why;
    if (scan_open(&file, s->of, number, last->size, &why) != STATUS_OK) {
        return;
    }
    scanned_group g;
    scan_result found;
    while ((found = scan_next(&file, &g, &why)) == SCAN_GROUP) {
    }
    bool damaged = found == SCAN_FAILED;
    uint64_t witness = 0;
    if (found == SCAN_BROKEN && scan_attested(&file, &damaged, &witness, &why) != STATUS_OK) {
        damaged = true;
    }
    last->size = damaged ? last->size : file.offset;
    scan_close(&file);
}

// Opens the files with this prefix that are not open yet. A file that has disappeared is skipped if
// `needed` is false, else EAGAIN.
static int open_all(still *s, const char *prefix, bool needed)
{
    names all = {0};
    const disk_methods *m = s->of->methods;
    int result = m->list(s->of, take_name, &all);
    if (all.count > 0) {
        qsort(all.data, all.count, sizeof *all.data, by_name);
    }
    for (uint32_t i = 0; i < all.count && result == 0; i++) {
        caught one = all.data[i];
        if (strncmp(one.name, prefix, strlen(prefix)) != 0 || has(s, one.name)) {
            continue;
        }
        result = m->open(s->of, one.name, DISK_READ, &one.file);
        if (result == ENOENT) {
            result = needed ? EAGAIN : 0;
            continue;
        }
        if (result == 0) {
            result = m->size(one.file, &one.size);
            array_push(&s->files, one);
        }
    }
    array_free(&all);
    return result;
}

int disk_still_catch(disk *of, disk **out)
{
    still *s = calloc(1, sizeof *s);
    ASSERT_MEMORY(s != NULL);
    *s = (still){.base = {&methods}, .of = of, .users = 1};
    // An image that the log names existed when the log was read: it is opened now, or was before.
    int result = open_all(s, "image-", false);
    result = result == 0 ? open_all(s, "log-", true) : result;
    if (result == 0 && s->files.count > 0 &&
        strncmp(s->files.data[s->files.count - 1].name, "log-", 4) == 0) {
        cut_to_log(s, &s->files.data[s->files.count - 1]);
    }
    result = result == 0 ? open_all(s, "image-", false) : result;
    result = result == 0 ? open_all(s, CLOSED, false) : result;
    if (result != 0) {
        methods.destroy(&s->base);
        return result;
    }
    *out = &s->base;
    return 0;
}

disk *disk_still_ref(disk *d)
{
    ((still *)d)->users++;
    return d;
}

void disk_still_files(const disk *d, disk_still_each *each, void *context)
{
    const still *s = (const still *)d;
    for (int log = 0; log < 2; log++) {
        for (uint32_t i = 0; i < s->files.count; i++) {
            const caught *f = &s->files.data[i];
            if (strcmp(f->name, CLOSED) != 0 && (strncmp(f->name, "log-", 4) == 0) == (log == 1)) {
                each(context, f->name, f->size);
            }
        }
    }
}

// ---- the disk

static int still_open(disk *d, const char *name, disk_mode mode, disk_file **out)
{
    still *s = (still *)d;
    if (mode != DISK_READ) {
        return EROFS;
    }
    for (uint32_t i = 0; i < s->files.count; i++) {
        if (strcmp(s->files.data[i].name, name) == 0) {
            still_file *f = malloc(sizeof *f);
            ASSERT_MEMORY(f != NULL);
            *f = (still_file){.base = {d}, .index = i};
            *out = &f->base;
            return 0;
        }
    }
    return ENOENT;
}

static void still_close(disk_file *f)
{
    free(f);
}

static const caught *behind(const disk_file *f)
{
    return &((const still *)f->disk)->files.data[((const still_file *)f)->index];
}

static int still_read(disk_file *f, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    const caught *c = behind(f);
    uint64_t left = offset < c->size ? c->size - offset : 0;
    *got = 0;
    return left == 0 ? 0
                     : c->file->disk->methods->read(c->file, offset, bytes,
                                                    size < left ? size : (size_t)left, got);
}

static int still_size(disk_file *f, uint64_t *out)
{
    *out = behind(f)->size;
    return 0;
}

static int still_list(disk *d, disk_each *each, void *context)
{
    const still *s = (const still *)d;
    for (uint32_t i = 0; i < s->files.count; i++) {
        each(context, s->files.data[i].name);
    }
    return 0;
}

static int refuse_write(disk_file *f, uint64_t offset, const void *bytes, size_t size)
{
    (void)f, (void)offset, (void)bytes, (void)size;
    return EROFS;
}

static int refuse_file(disk_file *f)
{
    (void)f;
    return EROFS;
}

static int refuse_truncate(disk_file *f, uint64_t size)
{
    (void)f, (void)size;
    return EROFS;
}

static int refuse_reserve(disk_file *f, uint64_t from, uint64_t size)
{
    (void)f, (void)from, (void)size;
    return EROFS;
}

static int refuse_rename(disk *d, const char *from, const char *to)
{
    (void)d, (void)from, (void)to;
    return EROFS;
}

static int refuse_remove(disk *d, const char *name)
{
    (void)d, (void)name;
    return EROFS;
}

static int refuse_names(disk *d)
{
    (void)d;
    return EROFS;
}

static int still_lock(disk *d, bool make, long *holder)
{
    (void)d, (void)make, (void)holder;
    return 0; // only this process can change it
}

static void still_destroy(disk *d)
{
    still *s = (still *)d;
    if (--s->users > 0) {
        return;
    }
    for (uint32_t i = 0; i < s->files.count; i++) {
        s->of->methods->close(s->files.data[i].file);
    }
    array_free(&s->files);
    free(s);
}

static const disk_methods methods = {.open = still_open,
                                     .close = still_close,
                                     .read = still_read,
                                     .write = refuse_write,
                                     .sync = refuse_file,
                                     .truncate = refuse_truncate,
                                     .reserve = refuse_reserve,
                                     .size = still_size,
                                     .rename = refuse_rename,
                                     .remove = refuse_remove,
                                     .sync_names = refuse_names,
                                     .list = still_list,
                                     .lock = still_lock,
                                     .destroy = still_destroy};
