// Worlds from the data directory; see restore.h. Network thread, before the server listens.
#include "server/session/restore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "proto/log/log_digest.h"
#include "proto/log/log_player.h"
#include "proto/wire/buffer.h"
#include "server/clock.h"
#include "server/memory.h"
#include "server/world/session_bodies.h"
#include "server/world/world_image.h"
#include "server/world/world_log.h"

// A world on its way back.
typedef struct restoring {
    restored_world world;
    storage_info info;
    block_account *blocks; // the world's; NULL once the adoption has it
    buffer image;          // as far as it was read; given back when the world is made of it
    bool begun;            // the world was made
    world_image state;
    log_player player;
    log_digests digests;    // of the bodies, as the log tells them
    uint64_t verified_tick; // the last whose hash agreed
    uint64_t sequence, tick, until;
    int64_t replay_ns; // for which records were played
    bool failed;
    error failure;
} restoring;

typedef struct restoring_list {
    ARRAY(restoring *) worlds;
    aside_list *aside;
} restoring_list;

// `told`: its clause of the log, "is not served: …"; `why`: that of answers.
static void refuse(restoring *r, const char *told, const error *why)
{
    if (!r->failed) {
        r->failed = true;
        r->failure = *why;
        log_error("world '%s' %s", r->world.name, told);
    }
}

static void fail(restoring *r, const error *why)
{
    error told = *why;
    error answered = *why;
    error_prefix(&told, "is not served");
    error_prefix(&answered, "was not restored");
    refuse(r, told.text, &answered);
}

// Work for this world begins: faults are noted as its own, and so is memory.
static void enter(const restoring *r)
{
    crash_enter_world(r->world.epoch);
    block_charge(r->blocks);
}

static void leave(void)
{
    crash_enter_world(0);
    block_charge(NULL);
}

static restoring *find(restoring_list *list, const storage_world *w)
{
    for (uint32_t i = list->worlds.count; i > 0; i--) {
        if (list->worlds.data[i - 1]->world.stored == w) {
            return list->worlds.data[i - 1];
        }
    }
    ASSERT(false);
    return NULL;
}

void restore_stored_name(char out[STORED_NAME_BYTES_MAX + 1], const char *name, uint64_t epoch)
{
    snprintf(out, STORED_NAME_BYTES_MAX + 1, "%s.%" PRIu64, name, epoch);
}

// ---- what the storage tells

static status on_world(void *context, storage_world *w, const storage_info *info, error *err)
{
    restoring_list *list = context;
    (void)err;
    restoring *r = calloc(1, sizeof *r);
    ASSERT_MEMORY(r != NULL);
    array_push(&list->worlds, r);
    r->blocks = memory_world_begin();
    r->info = *info;
    r->sequence = info->sequence;
    r->world.stored = w;
    r->world.epoch = info->epoch;
    r->world.durability = info->durability;
    error why;
    const char *dot = strrchr(info->name, '.');
    size_t size = dot != NULL ? (size_t)(dot - info->name) : strlen(info->name);
    if (size == 0 || size > WORLD_NAME_BYTES_MAX) {
        error_set(&why, STATUS_INVALID_ARGUMENT, "'%s' is no name of a world", info->name);
        size = size > WORLD_NAME_BYTES_MAX ? WORLD_NAME_BYTES_MAX : size;
        fail(r, &why);
    }
    memcpy(r->world.name, info->name, size);
    if (info->has_image && aside_has(list->aside, r->world.name, info->epoch, &why)) {
        refuse(r, why.text, &why);
    }
    buffer_init(&r->image, STORAGE_IMAGE_BYTES_MAX);
    return STATUS_OK;
}

static void on_applied(void *context, const log_command *row, const command *c,
                       const command_result *result)
{
    restoring *r = context;
    session_bodies_note(&r->state.bodies, row->session, c, result);
    owners_note(r->state.owners, c, result);
}

static void verify_image(restoring *r)
{
    error err;
    uint64_t hash = r->info.image_has_hash ? world_hash(r->state.physics) : 0;
    if (!r->info.image_has_hash || hash == r->info.image_hash) {
        r->verified_tick = world_tick(r->state.physics);
        return;
    }
    error_set(&err, STATUS_INTERNAL,
              "its image of tick %" PRIu64 " gives the hash %016" PRIx64 ", and %016" PRIx64
              " was stored",
              r->info.image_tick, hash, r->info.image_hash);
    fail(r, &err);
}

// Makes the world of its image.
static void begin(restoring *r)
{
    if (r->begun || r->failed || !r->info.has_image) {
        return;
    }
    error err;
    status s = world_image_decode(r->image.data, r->image.size, &r->state, &err);
    buffer_deinit(&r->image);
    if (s != STATUS_OK) {
        error_prefix(&err, "its image of tick %" PRIu64, r->info.image_tick);
        fail(r, &err);
        return;
    }
    r->begun = true;
    r->until = r->state.until;
    r->player = (log_player){
        .world = r->state.physics, .paused = r->state.paused, .applied = on_applied, .context = r};
    world_want_events(r->state.physics, 0);
    verify_image(r);
}

static status on_image(void *context, storage_world *w, uint64_t offset, const uint8_t *bytes,
                       size_t size, error *err)
{
    restoring *r = find(context, w);
    if (r->failed) {
        return STATUS_OK;
    }
    ASSERT(offset == r->image.size);
    (void)offset;
    buffer_append(&r->image, bytes, size);
    if (r->image.overflow) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "world '%s': no memory for its image",
                         r->world.name);
    }
    if (r->image.size == r->info.image_size) {
        enter(r);
        begin(r);
        leave();
    }
    return STATUS_OK;
}

// The hash differs: says which body does, by the digests that the log has of that tick.
static void tell_body(const restoring *r, error *err)
{
    const error why = *err;
    char told[LOG_DIGEST_TEXT_BYTES];
    log_digests_tell(&r->digests, r->state.physics, told);
    error_set(err, why.status, "%s; %s", why.text, told);
}

static status play_record(restoring *r, const uint8_t *bytes, size_t size, bool digests, error *err)
{
    log_record record;
    status s = log_record_decode(bytes, size, &record, err);
    if (s != STATUS_OK) {
        return s;
    }
    s = log_player_play(&r->player, &record, err);
    const bool differs = s == STATUS_INTERNAL && record.has_hash;
    if (differs) {
        const error why = *err;
        error_set(err, why.status, "%s, and that of tick %" PRIu64 " agreed", why.text,
                  r->verified_tick);
    }
    if (differs && digests) {
        tell_body(r, err);
    }
    r->verified_tick = s == STATUS_OK && record.has_hash ? record.tick : r->verified_tick;
    return s;
}

static status play_entry(restoring *r, const storage_record *entry, error *err)
{
    if (entry->size < WORLD_LOG_HEAD_BYTES) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "an entry of %zu bytes is too short",
                         entry->size);
    }
    const uint64_t until = get64(entry->bytes);
    uint32_t count = get32(entry->bytes + 8);
    const bool digests = (count >> WORLD_LOG_DIGESTS_BIT & 1) != 0;
    const bool first_kind = (count >> WORLD_LOG_FIRST_DIGESTS_BIT & 1) != 0;
    count &= (UINT32_C(1) << WORLD_LOG_DIGESTS_BIT) - 1;
    size_t head = WORLD_LOG_HEAD_BYTES + (size_t)count * SESSION_MARK_BYTES;
    if (head > entry->size ||
        !session_marks_decode(&r->state.marks, entry->bytes + WORLD_LOG_HEAD_BYTES, count)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "an entry's %u session marks cannot be",
                         count);
    }
    size_t used = 0;
    const uint8_t *at = entry->bytes + head;
    const size_t left = entry->size - head;
    if ((digests && !log_digests_read(&r->digests, at, left, &used)) ||
        (first_kind && !log_digests_pass_first_kind(at, left, &used))) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "an entry's digests of bodies cannot be");
    }
    head += used;
    r->until = until;
    return play_record(r, entry->bytes + head, entry->size - head, digests, err);
}

static status on_record(void *context, storage_world *w, const storage_record *entry, error *err)
{
    restoring *r = find(context, w);
    (void)err;
    enter(r);
    begin(r);
    error why;
    int64_t began = clock_now_ns();
    if (r->begun && !r->failed && play_entry(r, entry, &why) != STATUS_OK) {
        error_prefix(&why, "record %" PRIu64, entry->sequence);
        fail(r, &why);
    }
    r->replay_ns += clock_now_ns() - began;
    leave();
    return STATUS_OK; // the other worlds go on
}

// ---- what becomes of them

static void drop(restoring *r)
{
    uint64_t sequence = 0;
    error err;
    if (storage_destroy(r->world.stored, &sequence, &err) != STATUS_OK) {
        log_warn("%s", err.text);
    }
    storage_release(r->world.stored);
}

static void free_state(restoring *r)
{
    enter(r);
    if (r->begun) {
        world_free(r->state.physics);
        session_bodies_deinit(&r->state.bodies);
        session_marks_deinit(&r->state.marks);
        owners_free(r->state.owners);
    }
    log_digests_deinit(&r->digests);
    buffer_deinit(&r->image);
    leave();
    memory_world_end(r->blocks);
    r->blocks = NULL;
}

static adoption *make_adoption(restoring *r)
{
    adoption *a = calloc(1, sizeof *a);
    session_bodies *bodies = malloc(sizeof *bodies);
    session_marks *marks = malloc(sizeof *marks);
    ASSERT_MEMORY(a != NULL && bodies != NULL && marks != NULL);
    *bodies = r->state.bodies;
    *marks = r->state.marks;
    *a = (adoption){.blocks = r->blocks,
                    .physics = r->state.physics,
                    .paused = r->player.paused,
                    .stored = r->world.stored,
                    .durability = r->info.durability,
                    .restored = true,
                    .sequence = r->sequence,
                    .tick = r->tick,
                    .until = r->until,
                    .replay_ns = r->replay_ns,
                    .session_bodies = bodies,
                    .marks = marks,
                    .owners = r->state.owners};
    if (r->state.has_view) {
        a->view = malloc(sizeof *a->view);
        ASSERT_MEMORY(a->view != NULL);
        *a->view = r->state.view;
    }
    r->blocks = NULL;
    return a;
}

static void finish(restoring *r, restored_worlds *out)
{
    enter(r);
    begin(r);
    leave();
    if (!r->failed && !r->begun) {
        log_info("world '%s' was never there: the server ended while it was made", r->world.name);
        drop(r);
        free_state(r);
        return;
    }
    if (r->failed) {
        free_state(r);
        r->world.tick = r->info.last_tick;
        r->world.broken = strdup(r->failure.text);
        ASSERT_MEMORY(r->world.broken != NULL);
    } else {
        r->tick = world_tick(r->state.physics);
        int64_t began = clock_now_ns();
        enter(r);
        log_player_advance(&r->player, r->until);
        log_digests_deinit(&r->digests);
        leave();
        r->replay_ns += clock_now_ns() - began;
        r->world.adoption = make_adoption(r);
        r->world.commands = r->player.commands;
        r->world.hashes = r->player.hashes;
    }
    array_push(out, r->world);
}

static bool is_superseded(const restoring_list *list, const restoring *r)
{
    for (uint32_t i = 0; i < list->worlds.count; i++) {
        const restoring *other = list->worlds.data[i];
        if (other->world.epoch > r->world.epoch && other->info.has_image &&
            strcmp(other->world.name, r->world.name) == 0) {
            return true;
        }
    }
    return false;
}

status restore_worlds(storage *s, aside_list *aside, restored_worlds *out, error *err)
{
    restoring_list list = {.aside = aside};
    storage_visitor visitor = {
        .context = &list, .world = on_world, .image = on_image, .record = on_record};
    status result = storage_recover(s, &visitor, err);
    for (uint32_t i = 0; i < list.worlds.count; i++) {
        restoring *r = list.worlds.data[i];
        if (result != STATUS_OK) {
            storage_release(r->world.stored);
            free_state(r);
        } else if (is_superseded(&list, r)) {
            drop(r);
            free_state(r);
        } else {
            finish(r, out);
        }
    }
    for (uint32_t i = 0; i < list.worlds.count; i++) {
        free(list.worlds.data[i]);
    }
    array_free(&list.worlds);
    return result;
}

void restored_worlds_free(restored_worlds *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        restored_world *w = &list->data[i];
        if (w->stored != NULL) {
            storage_release(w->stored);
        }
        adoption_free(w->adoption);
        free(w->broken);
    }
    array_free(list);
}
