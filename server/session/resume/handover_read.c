// Worlds from the file that another process wrote; see handover.h. Network thread only.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/session/resume/handover.h"
#include "server/session/service.h"

// A world of the file.
typedef struct handed {
    uint64_t number, session;
    world_end end;
    char name[WORLD_NAME_BYTES_MAX + 1];
    uint64_t image_at, image_size; // position and size in the file
} handed;

typedef ARRAY(uint64_t) number_list;

typedef struct reader {
    server *server;
    int fd;
    uint64_t at, end;
    number_list listed;   // numbers of the worlds so far
    number_list unserved; // those of them that the process before did not serve
} reader;

// ---- bytes

static bool read_at(const reader *r, uint64_t at, void *into, size_t size)
{
    uint8_t *bytes = into;
    while (size > 0) {
        ssize_t n = pread(r->fd, bytes, size, (off_t)at);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
        at += n > 0 ? (uint64_t)n : 0;
    }
    return true;
}

static bool is_in(const number_list *list, uint64_t number)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->data[i] == number) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const reader *r, uint64_t number)
{
    return is_in(&r->listed, number);
}

static bool is_unserved(const handed *w)
{
    return (int)w->end.kind == HANDOVER_KIND_UNSERVED;
}

// `name_size` counts the bytes of the file, among which may be a zero.
static bool is_sound(const reader *r, const handed *w, size_t name_size)
{
    const bool whole = w->end.kind == WORLD_END_BARE || w->end.kind == WORLD_END_LOGGED;
    const bool known = whole || w->end.kind == WORLD_END_UNSETTLED || is_unserved(w);
    const bool named = whole ? world_name_valid(w->name, name_size) : name_size == 0;
    const bool held = whole ? w->image_size > 0 : w->image_size == 0;
    return known && named && held && w->number > 0 && w->number <= HANDOVER_NUMBER_MAX &&
           w->session <= HANDOVER_NUMBER_MAX && w->image_size <= STORAGE_IMAGE_BYTES_MAX &&
           w->image_size <= r->end - w->image_at && r->listed.count < HANDOVER_WORLDS_MAX &&
           !is_listed(r, w->number);
}

// Reads the next head with its name, and moves past its image. False if it is invalid.
static bool read_head(reader *r, handed *out, bool *last)
{
    uint8_t head[HANDOVER_HEAD_BYTES];
    *out = (handed){0};
    if (!read_at(r, r->at, head, sizeof head)) {
        return false;
    }
    uint32_t name = get32(head + HANDOVER_NAME_AT);
    if (name > WORLD_NAME_BYTES_MAX || !read_at(r, r->at + sizeof head, out->name, name) ||
        crc32c(crc32c(0, head, HANDOVER_CHECKSUM_AT), out->name, name) !=
            get32(head + HANDOVER_CHECKSUM_AT)) {
        return false;
    }
    *last = get32(head + HANDOVER_KIND_AT) == HANDOVER_KIND_END;
    out->number = get64(head);
    out->session = get64(head + HANDOVER_SESSION_AT);
    out->end = (world_end){.kind = (world_end_kind)get32(head + HANDOVER_KIND_AT),
                           .sequence = get64(head + HANDOVER_SEQUENCE_AT),
                           .tick = get64(head + HANDOVER_TICK_AT),
                           .hash = get64(head + HANDOVER_HASH_AT)};
    out->image_at = r->at + sizeof head + name;
    out->image_size = get64(head + HANDOVER_SIZE_AT);
    if (*last) {
        return out->number == r->listed.count && out->image_at == r->end;
    }
    if (!is_sound(r, out, name)) {
        return false;
    }
    r->at = out->image_at + out->image_size;
    return true;
}

// ---- a world of the file

static status read_image(const reader *r, const handed *w, uint8_t **out, error *err)
{
    uint8_t *bytes = malloc(w->image_size + 1);
    ASSERT_MEMORY(bytes != NULL);
    if (!read_at(r, w->image_at, bytes, w->image_size)) {
        free(bytes);
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "world '%s', handed over: its image is cut short", w->name);
    }
    *out = bytes;
    return STATUS_OK;
}

static restored_world *find(const restored_worlds *list, uint64_t number)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->data[i].epoch == number) {
            return &list->data[i];
        }
    }
    return NULL;
}

static status take_image(const reader *r, restored_world *to, const handed *w, error *err)
{
    uint8_t *image = NULL;
    status s = read_image(r, w, &image, err);
    if (s == STATUS_OK) {
        restore_from_image(to, image, w->image_size, w->end.tick, w->end.hash);
        to->handed = true;
    }
    return s;
}

static status take_bare(const reader *r, const handed *w, error *err)
{
    restored_world made = {
        .epoch = w->number, .session = w->session, .has_image = true, .durability = STORAGE_NONE};
    memcpy(made.name, w->name, sizeof made.name);
    status s = find(&r->server->restored, w->number) != NULL
                   ? error_set(err, STATUS_INTERNAL, "world '%s' has a log", w->name)
                   : take_image(r, &made, w, err);
    if (s == STATUS_OK) {
        array_push(&r->server->restored, made);
    }
    return s;
}

// The log has to end where the world stopped. Its records have checksums and no gaps, so up to
// there it is complete; the state itself comes as an image.
static status compare(const restored_world *found, const handed *w, error *err)
{
    if (found == NULL) {
        return error_set(err, STATUS_INTERNAL,
                         "world '%s' was handed over, and the data directory does not have it",
                         w->name);
    }
    if (strcmp(found->name, w->name) != 0) {
        return error_set(err, STATUS_INTERNAL,
                         "world '%s' was handed over, and its log is that of world '%s'", w->name,
                         found->name);
    }
    if (found->broken != NULL) {
        return error_set(err, STATUS_INTERNAL, "world '%s' was handed over: %.300s", w->name,
                         found->broken);
    }
    if (found->sequence == w->end.sequence && found->until == w->end.tick) {
        return STATUS_OK;
    }
    return error_set(
        err, STATUS_INTERNAL,
        "world '%s' was handed over with record %" PRIu64 ", at tick %" PRIu64
        " with the hash %016" PRIx64 "; its log ends with record %" PRIu64 ", at tick %" PRIu64,
        w->name, w->end.sequence, w->end.tick, w->end.hash, found->sequence, found->until);
}

// Lets the world continue from its image, without using its log.
static status rescue(const reader *r, restored_world *found, const handed *w, error *err)
{
    status s = found != NULL ? take_image(r, found, w, err) : STATUS_INTERNAL;
    if (s != STATUS_OK) {
        return s;
    }
    found->sequence = storage_committed(found->stored);
    found->unlogged = true;
    free(found->broken);
    found->broken = NULL;
    return STATUS_OK;
}

static status take_logged(const reader *r, const handed *w, error *err)
{
    restored_world *found = find(&r->server->restored, w->number);
    status s = compare(found, w, err);
    if (s == STATUS_OK) {
        return take_image(r, found, w, err);
    }
    if (!r->server->options->handed_back) {
        return s;
    }
    log_error("%s: it continues unchanged, and its log begins again with an image", err->text);
    return rescue(r, found, w, err);
}

// ---- worlds that had ended

static void drop(restored_worlds *list, uint32_t i)
{
    uint64_t sequence = 0;
    error err;
    if (storage_destroy(list->data[i].stored, &sequence, &err) != STATUS_OK) {
        log_warn("%s", err.text);
    }
    restored_worlds_remove(list, i);
}

// A world that is set aside was so before: no thread had it.
static status check_unlisted(const reader *r, error *err)
{
    restored_worlds *list = &r->server->restored;
    for (uint32_t i = list->count; i > 0; i--) {
        const restored_world *w = &list->data[i - 1];
        if (w->stored == NULL || w->broken != NULL || is_listed(r, w->epoch)) {
            continue;
        }
        error_set(err, STATUS_INTERNAL,
                  "world '%s' had ended when the others were handed over, and its log brings it "
                  "back",
                  w->name);
        if (!r->server->options->handed_back) {
            return err->status;
        }
        log_error("%s: ending it again", err->text);
        drop(list, i - 1);
    }
    return STATUS_OK;
}

// ---- all of them

static status read_magic(reader *r, error *err)
{
    struct stat is;
    uint8_t magic[HANDOVER_MAGIC_BYTES];
    if (fstat(r->fd, &is) != 0) {
        return error_set(err, STATUS_UNAVAILABLE, "the worlds handed over: %s", strerror(errno));
    }
    r->end = (uint64_t)is.st_size;
    r->at = sizeof magic;
    if (!read_at(r, 0, magic, sizeof magic) || memcmp(magic, HANDOVER_MAGIC, sizeof magic) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the file of worlds handed over is none, or of another version");
    }
    return STATUS_OK;
}

// The world that has the name now; any other one was to be destroyed, and its log brings it back.
static const restored_world *find_successor(const restored_worlds *list, const restored_world *w)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const restored_world *other = &list->data[i];
        if (other->epoch > w->epoch && strcmp(other->name, w->name) == 0) {
            return other;
        }
    }
    return NULL;
}

// Two worlds of one name are there where the younger has no log: restore_read compares logs alone.
static status check_names(const reader *r, error *err)
{
    restored_worlds *list = &r->server->restored;
    for (uint32_t i = list->count; i > 0; i--) {
        const restored_world *w = &list->data[i - 1];
        if (find_successor(list, w) == NULL) {
            continue;
        }
        const bool expected = w->stored != NULL && !w->handed;
        if (!expected && !r->server->options->handed_back) {
            return error_set(err, STATUS_INTERNAL, "world '%s' was handed over twice", w->name);
        }
        log_info("world '%s' ends: another world has its name", w->name);
        if (w->stored != NULL) {
            drop(list, i - 1);
        } else {
            restored_worlds_remove(list, i - 1);
        }
    }
    return STATUS_OK;
}

static status take_world(reader *r, const handed *w, error *err)
{
    status s = w->end.kind == WORLD_END_BARE     ? take_bare(r, w, err)
               : w->end.kind == WORLD_END_LOGGED ? take_logged(r, w, err)
                                                 : STATUS_OK;
    array_push(&r->listed, w->number);
    if (is_unserved(w)) {
        array_push(&r->unserved, w->number);
    }
    if (s != STATUS_OK && r->server->options->handed_back) {
        log_error("%s", err->text); // the others continue
        return STATUS_OK;
    }
    return s;
}

static status read_worlds(reader *r, error *err)
{
    bool last = false;
    status s = read_magic(r, err);
    while (s == STATUS_OK && !last) {
        handed w;
        if (!read_head(r, &w, &last)) {
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "the file of worlds handed over is cut short or altered at byte "
                             "%" PRIu64,
                             r->at);
        }
        s = last ? STATUS_OK : take_world(r, &w, err);
    }
    s = s == STATUS_OK ? check_unlisted(r, err) : s;
    return s == STATUS_OK ? check_names(r, err) : s;
}

// Makes the worlds from their images, and plays those without one.
static status play(reader *r, error *err)
{
    restored_worlds *list = &r->server->restored;
    restore_play_all(list, r->server->options->turned ? 1 : restore_threads());
    for (uint32_t i = list->count; i > 0; i--) {
        const restored_world *w = &list->data[i - 1];
        if (w->broken == NULL || !is_listed(r, w->epoch) || is_in(&r->unserved, w->epoch)) {
            continue;
        }
        error_set(err, STATUS_INTERNAL, "world '%s' was handed over: %.300s", w->name, w->broken);
        if (!r->server->options->handed_back) {
            return err->status;
        }
        log_error("%s", err->text);
        if (w->stored == NULL) { // it has no log to keep
            restored_worlds_remove(list, i - 1);
        }
    }
    return STATUS_OK;
}

// Any difference stops the start: the old server then continues with its worlds.
status handover_read(server *s, error *err)
{
    reader r = {.server = s, .fd = s->options->handed_worlds};
    status result = read_worlds(&r, err);
    if (result != STATUS_OK && s->options->handed_back) {
        log_error("%s", err->text);
        result = STATUS_OK;
    }
    result = result == STATUS_OK ? play(&r, err) : result;
    array_free(&r.listed);
    array_free(&r.unserved);
    return result;
}
