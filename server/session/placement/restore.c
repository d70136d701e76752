// Reads the worlds of the data directory before the server listens; see restore.h. Network thread.
#include "server/session/placement/restore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/session/placement/restore_way.h"
#include "server/world/log/world_log.h"

typedef struct restoring_list {
    restored_worlds *worlds;
    aside_list *aside;
    uint64_t held; // bytes of records
    int threads;
} restoring_list;

static restored_world *find(restoring_list *list, const storage_world *stored)
{
    for (uint32_t i = list->worlds->count; i > 0; i--) {
        if (list->worlds->data[i - 1].stored == stored) {
            return &list->worlds->data[i - 1];
        }
    }
    ASSERT(false);
    return NULL;
}

void restore_stored_name(char out[STORED_NAME_BYTES_MAX + 1], const char *name, uint64_t epoch)
{
    snprintf(out, STORED_NAME_BYTES_MAX + 1, "%s.%" PRIu64, name, epoch);
}

int restore_threads(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1                     ? 1
           : processors < RESTORE_THREADS_MAX ? (int)processors
                                              : RESTORE_THREADS_MAX;
}

// ---- reading from the storage

// A damaged image is reported later, when the world is made from it.
static void peek(restored_world *w, uint64_t *until)
{
    error unsound;
    restore_enter(w);
    (void)world_image_peek(w->way->image.data, w->way->image.size, &w->way->marks, until, &unsound);
    restore_leave();
}

static bool take_marks(restored_world *w, const uint8_t *bytes, uint32_t count)
{
    restore_enter(w);
    const bool sound = last_requests_decode(&w->way->marks, bytes, count);
    restore_leave();
    return sound;
}

// Sets aside a world whose image cannot be read, so that its log cannot be played.
static void set_aside(restored_world *w, const char *unsound)
{
    error why;
    error_set(&why, STATUS_UNAVAILABLE,
              "is set aside: %s. Its files are kept: a start that can read them brings it back, "
              "world.destroy drops it",
              unsound);
    restore_refuse(w, why.text, &why);
}

static status on_world(void *context, storage_world *stored, const storage_info *info, error *err)
{
    restoring_list *list = context;
    (void)err;
    restored_world w = {.way = restore_way_create(),
                        .stored = stored,
                        .epoch = info->epoch,
                        .durability = info->durability,
                        .sequence = info->sequence};
    w.way->info = *info;
    error why;
    const char *dot = strrchr(info->name, '.');
    size_t size = dot != NULL ? (size_t)(dot - info->name) : strlen(info->name);
    if (size == 0 || size > WORLD_NAME_BYTES_MAX) {
        error_set(&why, STATUS_INVALID_ARGUMENT, "'%s' is not a name of a world", info->name);
        size = size > WORLD_NAME_BYTES_MAX ? WORLD_NAME_BYTES_MAX : size;
        restore_fail(&w, &why);
    }
    memcpy(w.name, info->name, size);
    if (info->has_image && aside_has(list->aside, w.name, info->epoch, &why)) {
        restore_refuse(&w, why.text, &why);
    } else if (info->unsound != NULL) {
        set_aside(&w, info->unsound);
    }
    array_push(list->worlds, w);
    return STATUS_OK;
}

static status on_image(void *context, storage_world *stored, uint64_t offset, const uint8_t *bytes,
                       size_t size, error *err)
{
    restored_world *w = find(context, stored);
    restoration *r = w->way;
    if (r->failed) {
        return STATUS_OK;
    }
    ASSERT(offset == r->image.size);
    (void)offset;
    buffer_append(&r->image, bytes, size);
    if (r->image.overflow) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "world '%s': no memory for its image",
                         w->name);
    }
    if (r->image.size == r->info.image_size) {
        peek(w, &w->until);
    }
    return STATUS_OK;
}

// Marks and `until` are known from here on; the record is played later.
static status on_record(void *context, storage_world *stored, const storage_record *entry,
                        error *err)
{
    restoring_list *list = context;
    restored_world *w = find(list, stored);
    restoration *r = w->way;
    restore_entry head;
    (void)err;
    if (r->failed || !r->info.has_image) {
        return STATUS_OK; // the other worlds continue
    }
    if (restore_entry_read(entry->bytes, entry->size, &head)) {
        w->until = head.until;
        if (!take_marks(w, entry->bytes + WORLD_LOG_HEAD_BYTES, head.marks)) {
            error why;
            error_set(&why, STATUS_INVALID_ARGUMENT,
                      "record %" PRIu64 ": an entry's %u session marks cannot be", entry->sequence,
                      head.marks);
            restore_fail(w, &why);
            return STATUS_OK;
        }
    }
    uint8_t place[RESTORE_HELD_HEAD_BYTES];
    put64(place, entry->sequence);
    put32(place + 8, (uint32_t)entry->size);
    put64(place + 12, entry->segment);
    buffer_append(&r->records, place, sizeof place);
    buffer_append(&r->records, entry->bytes, entry->size);
    ASSERT(!r->records.overflow);
    list->held += sizeof place + entry->size;
    if (list->held > RESTORE_HELD_BYTES_MAX) {
        restore_each(list->worlds, list->threads, restore_play_held);
        list->held = 0;
    }
    return STATUS_OK;
}

// ---- results

static void drop(restored_world *w)
{
    uint64_t sequence = 0;
    error err;
    if (storage_destroy(w->stored, &sequence, &err) != STATUS_OK) {
        log_warn("%s", err.text);
    }
}

static bool is_superseded(const restored_worlds *list, const restored_world *w)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const restored_world *other = &list->data[i];
        if (other->epoch > w->epoch && other->has_image && strcmp(other->name, w->name) == 0) {
            return true;
        }
    }
    return false;
}

void restored_world_deinit(restored_world *w)
{
    if (w->stored != NULL) {
        storage_release(w->stored);
    }
    restore_way_free(w);
    adoption_free(w->adoption);
    free(w->broken);
}

static void remove_world(restored_worlds *list, uint32_t i)
{
    restored_world_deinit(&list->data[i]);
    array_swap_remove(list, i);
}

// Chooses the worlds to play among those that were read.
static void choose(restored_worlds *list)
{
    for (uint32_t i = list->count; i > 0; i--) {
        restored_world *w = &list->data[i - 1];
        const bool superseded = is_superseded(list, w);
        if (superseded || (!w->way->failed && !w->has_image)) {
            if (!superseded) {
                log_info("world '%s' was never complete: the server ended while creating it",
                         w->name);
            }
            drop(w);
            remove_world(list, i - 1);
        } else if (w->way->failed) {
            restore_give_up(w);
        }
    }
}

status restore_read(storage *s, aside_list *aside, int threads, restored_worlds *out, error *err)
{
    restoring_list list = {.worlds = out, .aside = aside, .threads = threads};
    storage_visitor visitor = {
        .context = &list, .world = on_world, .image = on_image, .record = on_record};
    status result = storage_recover(s, &visitor, err);
    for (uint32_t i = 0; i < out->count; i++) {
        out->data[i].has_image = out->data[i].way->info.has_image;
    }
    if (result == STATUS_OK) {
        choose(out);
    }
    return result;
}

const last_requests *restore_marks(const restored_world *w)
{
    return w->way != NULL ? &w->way->marks : w->adoption->marks;
}

double restore_cost(const restored_world *w)
{
    const restoration *r = w->way;
    const uint64_t ticks = w->until > r->info.image_tick ? w->until - r->info.image_tick : 0;
    return (1.0 + (double)ticks) * ((double)r->info.image_size + 1.0) + (double)r->records.size;
}

void restore_from_image(restored_world *w, uint8_t *image, size_t size, uint64_t tick,
                        uint64_t hash)
{
    restore_way_free(w);
    w->way = restore_way_create();
    w->way->handed = true;
    w->way->info = (storage_info){.has_image = true,
                                  .image_has_hash = true,
                                  .image_tick = tick,
                                  .last_tick = tick,
                                  .image_hash = hash,
                                  .image_size = size};
    w->way->image.data = image;
    w->way->image.size = w->way->image.capacity = size;
    w->until = tick;
    uint64_t until = 0;
    peek(w, &until);
}

void restore_promise(restored_world *w)
{
    last_requests marks = {0};
    error unsound;
    restore_enter(w);
    // A damaged image is reported later.
    (void)world_image_peek(w->way->image.data, w->way->image.size, &marks, &w->until, &unsound);
    last_requests_deinit(&marks);
    restore_leave();
}

status restore_add_record(restored_world *w, uint64_t sequence, uint64_t tick, const uint8_t *bytes,
                          size_t size, error *err)
{
    restoration *r = w->way;
    restore_entry head;
    uint8_t place[RESTORE_HELD_HEAD_BYTES];
    if (!restore_entry_read(bytes, size, &head) ||
        !take_marks(w, bytes + WORLD_LOG_HEAD_BYTES, head.marks)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "entry %" PRIu64 " cannot be", sequence);
    }
    w->until = head.until;
    r->info.last_tick = tick;
    put64(place, sequence);
    put32(place + 8, (uint32_t)size);
    put64(place + 12, 0); // it is in no file
    buffer_append(&r->records, place, sizeof place);
    buffer_append(&r->records, bytes, size);
    if (r->records.overflow) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "too much of its log waits");
    }
    return STATUS_OK;
}

const char *restored_world_failure(const restored_world *w)
{
    return w->way != NULL && w->way->failed ? w->way->failure.text : w->broken;
}

const session_bodies *restore_bodies(const restored_world *w)
{
    return w->way != NULL ? &w->way->state.bodies : w->adoption->session_bodies;
}

last_requests *restore_own_marks(restored_world *w)
{
    return w->way != NULL ? &w->way->marks : w->adoption->marks;
}

block_account *restore_blocks(const restored_world *w)
{
    return w->way != NULL ? w->way->blocks : w->adoption->blocks;
}

void restored_worlds_remove(restored_worlds *list, uint32_t i)
{
    remove_world(list, i);
}

void restored_worlds_free(restored_worlds *list)
{
    while (list->count > 0) {
        remove_world(list, list->count - 1);
    }
    array_free(list);
}
