// Worlds to a file and back; see handover.h. Network thread only.
#include "server/session/handover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"
#include "common/base/log.h"
#include "server/session/service.h"
#include "server/world/world_image.h"

enum { SESSION_AT = 8, SIZE_AT = 16, NAME_AT = 24, CHECKSUM_AT = 28 };

static const uint8_t MAGIC[HANDOVER_MAGIC_BYTES] = {0x89, 'c', 'h', 'a', 'n', 'd', '\n', 1};

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

// ---- writing

static bool write_all(int fd, const void *from, size_t size)
{
    const uint8_t *bytes = from;
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool write_world(int fd, const world_entry *entry, const reply *r)
{
    size_t name = strlen(entry->name);
    uint8_t head[HANDOVER_HEAD_BYTES];
    put(head, entry->number, 8);
    put(head + SESSION_AT, entry->session, 8);
    put(head + SIZE_AT, r->payload->size, 8);
    put(head + NAME_AT, name, 4);
    put(head + CHECKSUM_AT, crc32c(crc32c(0, head, CHECKSUM_AT), entry->name, name), 4);
    bool begun = lseek(fd, 0, SEEK_CUR) > 0 || write_all(fd, MAGIC, sizeof MAGIC);
    return begun && write_all(fd, head, sizeof head) && write_all(fd, entry->name, name) &&
           write_all(fd, r->payload->data, r->payload->size);
}

void handover_note(server *s, const reply *r)
{
    const world_entry *entry = directory_find_number(&s->worlds, r->world);
    if (entry == NULL || entry->unnamed) {
        return;
    }
    if (!write_world(s->handover.worlds, entry, r)) {
        log_error("world '%s' cannot be handed over: %s", entry->name, strerror(errno));
    }
}

// ---- reading

static bool read_all(int fd, void *into, size_t size, uint64_t *at)
{
    uint8_t *bytes = into;
    while (size > 0) {
        ssize_t n = pread(fd, bytes, size, (off_t)*at);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
        *at += n > 0 ? (uint64_t)n : 0;
    }
    return true;
}

static void *copy(const void *from, size_t size)
{
    void *made = malloc(size);
    ASSERT(made != NULL);
    memcpy(made, from, size);
    return made;
}

static adoption *make_adoption(const world_image *image)
{
    adoption *a = calloc(1, sizeof *a);
    ASSERT(a != NULL);
    *a = (adoption){.physics = image->physics,
                    .paused = image->paused,
                    .view = image->has_view ? copy(&image->view, sizeof image->view) : NULL,
                    .durability = STORAGE_NONE,
                    .restored = true,
                    .tick = world_tick(image->physics),
                    .until = world_tick(image->physics),
                    .session_bodies = copy(&image->bodies, sizeof image->bodies),
                    .marks = copy(&image->marks, sizeof image->marks),
                    .owners = image->owners};
    return a;
}

static status read_image(int fd, uint64_t size, uint64_t *at, restored_world *w, error *err)
{
    uint8_t *bytes = malloc(size + 1);
    ASSERT(bytes != NULL);
    world_image image;
    status s = STATUS_OK;
    if (!read_all(fd, bytes, size, at)) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "its image is cut short");
    }
    s = s == STATUS_OK ? world_image_decode(bytes, size, &image, err) : s;
    free(bytes);
    if (s == STATUS_OK) {
        w->adoption = make_adoption(&image);
    }
    return s;
}

// The head and name at `at`, which goes on to the image.
static bool read_head(int fd, uint64_t end, uint64_t *at, restored_world *w, uint64_t *size)
{
    uint8_t head[HANDOVER_HEAD_BYTES];
    if (!read_all(fd, head, sizeof head, at)) {
        return false;
    }
    uint64_t name = get(head + NAME_AT, 4);
    if (name == 0 || name > WORLD_NAME_BYTES_MAX || !read_all(fd, w->name, name, at) ||
        crc32c(crc32c(0, head, CHECKSUM_AT), w->name, name) != get(head + CHECKSUM_AT, 4)) {
        return false;
    }
    w->epoch = get(head, 8);
    w->session = get(head + SESSION_AT, 8);
    *size = get(head + SIZE_AT, 8);
    return w->epoch > 0 && *size <= end - *at;
}

static bool is_taken(const restored_worlds *list, const restored_world *w)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->data[i].epoch == w->epoch || strcmp(list->data[i].name, w->name) == 0) {
            return true;
        }
    }
    return false;
}

// A world that cannot be read ends the start: the server that hands it over goes on then.
status handover_read(server *s, error *err)
{
    int fd = s->options->handed_worlds;
    struct stat is;
    uint8_t magic[HANDOVER_MAGIC_BYTES];
    uint64_t at = 0;
    if (fstat(fd, &is) != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "the worlds handed over: %s", strerror(errno));
    }
    uint64_t end = (uint64_t)is.st_size;
    bool good = end == 0 ||
                (read_all(fd, magic, sizeof magic, &at) && memcmp(magic, MAGIC, sizeof magic) == 0);
    while (good && at < end) {
        restored_world w = {0};
        uint64_t size = 0;
        good = read_head(fd, end, &at, &w, &size) && !is_taken(&s->restored, &w);
        if (good) {
            status read = read_image(fd, size, &at, &w, err);
            if (read != STATUS_OK) {
                error_prefix(err, "world '%s', handed over", w.name);
                return read;
            }
            array_push(&s->restored, w);
        }
    }
    if (!good) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the file of worlds handed over is altered at byte %llu",
                         (unsigned long long)at);
    }
    return STATUS_OK;
}
