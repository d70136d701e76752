// Playing worlds that were read: an image becomes a world, and the log's records are played over
// it; see restore.h. Any thread, one for each world.
#include "server/session/placement/restore_way.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/base/clock.h"
#include "server/process/crash.h"
#include "server/base/memory.h"
#include "server/world/log/world_log.h"

// Replay that a restart would have to do, as far as the takeover knows: it has tried none. So each
// world makes an image soon.
static const int64_t UNTRIED_REPLAY_NS = 1000000000;

// Marks the world as not served. `told`: a clause for the log, "is not served: …"; `why`: the error
// for answers.
void restore_refuse(restored_world *w, const char *told, const error *why)
{
    if (!w->way->failed) {
        w->way->failed = true;
        w->way->failure = *why;
        log_error("world '%s' %s", w->name, told);
    }
}

void restore_fail(restored_world *w, const error *why)
{
    error told = *why;
    error answered = *why;
    error_prefix(&told, "is not served");
    error_prefix(&answered, "was not restored");
    restore_refuse(w, told.text, &answered);
}

// Work for this world begins: crashes are reported with its name, and memory is counted for it.
void restore_enter(const restored_world *w)
{
    ASSERT(w->way != NULL);
    crash_enter_world(w->epoch);
    block_charge(w->way->blocks);
}

void restore_leave(void)
{
    crash_enter_world(0);
    block_charge(NULL);
}

restoration *restore_way_create(void)
{
    restoration *r = calloc(1, sizeof *r);
    ASSERT_MEMORY(r != NULL);
    r->blocks = memory_world_begin();
    buffer_init(&r->image, STORAGE_IMAGE_BYTES_MAX);
    buffer_init(&r->records, RESTORE_RECORDS_BYTES_MAX);
    return r;
}

void restore_way_free(restored_world *w)
{
    restoration *r = w->way;
    if (r == NULL) {
        return;
    }
    restore_enter(w);
    if (r->begun) {
        world_free(r->state.physics);
        session_bodies_deinit(&r->state.bodies);
        last_requests_deinit(&r->state.marks);
        owners_free(r->state.owners);
    }
    last_requests_deinit(&r->marks);
    log_digests_deinit(&r->digests);
    buffer_deinit(&r->image);
    buffer_deinit(&r->records);
    restore_leave();
    memory_world_end(r->blocks);
    free(r);
    w->way = NULL;
}

// ---- playing

static void on_applied(void *context, const log_command *row, const command *c,
                       const command_result *result)
{
    restoration *r = context;
    session_bodies_note(&r->state.bodies, row->session, c, result);
    owners_note(r->state.owners, c, result);
}

static void verify_image(restored_world *w)
{
    restoration *r = w->way;
    error err;
    uint64_t hash = r->info.image_has_hash ? world_hash(r->state.physics) : 0;
    if (!r->info.image_has_hash || hash == r->info.image_hash) {
        r->verified_tick = world_tick(r->state.physics);
        return;
    }
    error_set(&err, STATUS_INTERNAL,
              "its image of tick %" PRIu64 " gives the hash %016" PRIx64 ", and %016" PRIx64
              " was %s",
              r->info.image_tick, hash, r->info.image_hash, r->handed ? "handed over" : "stored");
    restore_fail(w, &err);
}

// Makes the world of its image.
static void begin(restored_world *w)
{
    restoration *r = w->way;
    if (r->begun || r->failed) {
        return;
    }
    error err;
    status s = world_image_decode(r->image.data, r->image.size, &r->state, &err);
    buffer_deinit(&r->image);
    if (s != STATUS_OK) {
        error_prefix(&err, "its image of tick %" PRIu64, r->info.image_tick);
        restore_fail(w, &err);
        return;
    }
    r->begun = true;
    r->player = (log_player){.world = r->state.physics,
                             .paused = r->state.paused,
                             .applied = on_applied,
                             .context = r,
                             .stop = w->stop};
    world_want_events(r->state.physics, 0);
    verify_image(w);
}

// The hash differs: says which body does, by the digests that the log has of that tick.
static void tell_body(const restoration *r, error *err)
{
    const error why = *err;
    char told[LOG_DIGEST_TEXT_BYTES];
    log_digests_tell(&r->digests, r->state.physics, told);
    error_set(err, why.status, "%s; %s", why.text, told);
}

static status play_record(restoration *r, const uint8_t *bytes, size_t size, bool digests,
                          error *err)
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

bool restore_entry_read(const uint8_t *bytes, size_t size, restore_entry *out)
{
    if (size < WORLD_LOG_HEAD_BYTES) {
        return false;
    }
    const uint32_t count = get32(bytes + 8);
    out->until = get64(bytes);
    out->digests = (count >> WORLD_LOG_DIGESTS_BIT & 1) != 0;
    out->first_digests = (count >> WORLD_LOG_FIRST_DIGESTS_BIT & 1) != 0;
    out->marks = count & ((UINT32_C(1) << WORLD_LOG_DIGESTS_BIT) - 1);
    out->size = WORLD_LOG_HEAD_BYTES + (size_t)out->marks * SESSION_MARK_BYTES;
    return out->size <= size;
}

static status play_entry(restoration *r, const uint8_t *bytes, size_t size, error *err)
{
    restore_entry head;
    if (!restore_entry_read(bytes, size, &head)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "an entry of %zu bytes is too short", size);
    }
    size_t used = 0;
    const uint8_t *at = bytes + head.size;
    const size_t left = size - head.size;
    if ((head.digests && !log_digests_read(&r->digests, at, left, &used)) ||
        (head.first_digests && !log_digests_pass_first_kind(at, left, &used))) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "an entry's digests of bodies are malformed");
    }
    return play_record(r, at + used, left - used, head.digests, err);
}

// A stopped world is not served: frees its partly made state.
static bool is_stopped(const restored_world *w)
{
    return w->stop != NULL && atomic_load_explicit(w->stop, memory_order_relaxed);
}

// Plays the records in memory.
void restore_play_held(restored_world *w)
{
    restoration *r = w->way;
    if (r == NULL || r->failed) {
        return;
    }
    const int64_t began = clock_now_ns();
    restore_enter(w);
    begin(w);
    for (size_t at = 0; at < r->records.size && !r->failed && !is_stopped(w);) {
        const uint8_t *head = r->records.data + at;
        const size_t size = get32(head + 8);
        ASSERT(RESTORE_HELD_HEAD_BYTES + size <= r->records.size - at); // restore.c wrote it
        error why;
        if (play_entry(r, head + RESTORE_HELD_HEAD_BYTES, size, &why) != STATUS_OK &&
            !is_stopped(w)) {
            char file[SEGMENT_NAME_BYTES];
            segment_name(get64(head + 12), file);
            error_prefix(&why, "record %" PRIu64 ", in %s", get64(head), file);
            restore_fail(w, &why);
        }
        at += RESTORE_HELD_HEAD_BYTES + size;
    }
    buffer_deinit(&r->records);
    buffer_init(&r->records, RESTORE_RECORDS_BYTES_MAX);
    restore_leave();
    r->replay_ns += clock_now_ns() - began;
}

// Moves the made objects into an adoption; frees the rest of the restoration.
static adoption *make_adoption(restored_world *w)
{
    restoration *r = w->way;
    ASSERT(r->begun && !r->failed && w->adoption == NULL);
    restore_enter(w);
    adoption *a = calloc(1, sizeof *a);
    session_bodies *bodies = malloc(sizeof *bodies);
    last_requests *marks = malloc(sizeof *marks);
    ASSERT_MEMORY(a != NULL && bodies != NULL && marks != NULL);
    *bodies = r->state.bodies;
    *marks = r->marks;
    r->marks = (last_requests){0};
    *a = (adoption){.blocks = r->blocks,
                    .physics = r->state.physics,
                    .paused = r->player.paused,
                    .stored = w->stored,
                    .durability = w->durability,
                    .restored = true,
                    .unlogged = w->unlogged,
                    .sequence = w->sequence,
                    .tick = w->tick,
                    .until = w->until,
                    .replay_ns = r->replay_ns,
                    .session_bodies = bodies,
                    .marks = marks,
                    .owners = r->state.owners};
    if (r->state.has_view) {
        a->view = malloc(sizeof *a->view);
        ASSERT_MEMORY(a->view != NULL);
        *a->view = r->state.view;
    }
    last_requests_deinit(&r->state.marks); // the log's are newer
    log_digests_deinit(&r->digests);
    restore_leave();
    r->blocks = NULL;
    r->begun = false;
    return a;
}

void restore_give_up(restored_world *w)
{
    ASSERT(w->way->failed && w->broken == NULL);
    w->tick = w->way->info.last_tick;
    w->broken = strdup(w->way->failure.text);
    ASSERT_MEMORY(w->broken != NULL);
    restore_way_free(w);
}

// The storage counts ticks too, and the next record has to follow on its count. A log promises no
// more than a second ahead.
static void check_end(restored_world *w)
{
    const restoration *r = w->way;
    const uint64_t tick = world_tick(r->state.physics);
    const uint64_t most = (uint64_t)world_definition(r->state.physics).hz;
    error err;
    if (tick != r->info.last_tick) {
        error_set(&err, STATUS_INVALID_ARGUMENT,
                  "its log says that it ends at tick %" PRIu64 ", and leads to tick %" PRIu64,
                  r->info.last_tick, tick);
        restore_fail(w, &err);
    } else if (w->until > tick && w->until - tick > most) {
        error_set(&err, STATUS_INVALID_ARGUMENT,
                  "its log promises tick %" PRIu64 ", more than a second after tick %" PRIu64
                  ", where it ends",
                  w->until, tick);
        restore_fail(w, &err);
    }
}

void restore_play(restored_world *w)
{
    restoration *r = w->way;
    restore_play_held(w);
    if (!r->failed && !is_stopped(w)) {
        check_end(w);
    }
    if (r->failed) {
        restore_give_up(w);
        return;
    }
    const int64_t began = clock_now_ns();
    restore_enter(w);
    w->tick = world_tick(r->state.physics);
    if (!is_stopped(w)) {
        log_player_advance(&r->player, w->until);
    }
    restore_leave();
    r->replay_ns += r->handed ? UNTRIED_REPLAY_NS : clock_now_ns() - began;
    w->commands = r->player.commands;
    w->hashes = r->player.hashes;
    w->adoption = make_adoption(w);
    restore_way_free(w);
}

// ---- several at once

typedef struct crew {
    restored_worlds *worlds;
    void (*work)(restored_world *w);
    atomic_uint next;
} crew;

static void *work_off(void *argument)
{
    crew *c = argument;
    for (uint32_t i = atomic_fetch_add(&c->next, 1); i < c->worlds->count;
         i = atomic_fetch_add(&c->next, 1)) {
        if (c->worlds->data[i].way != NULL) {
            c->work(&c->worlds->data[i]);
        }
    }
    return NULL;
}

// This thread works too, alone if the system provides no others.
void restore_each(restored_worlds *worlds, int threads, void (*work)(restored_world *w))
{
    ASSERT(threads > 0);
    crew c = {.worlds = worlds, .work = work};
    pthread_t others[RESTORE_THREADS_MAX];
    int begun = 0;
    while (begun < threads - 1 && begun < RESTORE_THREADS_MAX && (uint32_t)begun < worlds->count &&
           pthread_create(&others[begun], NULL, work_off, &c) == 0) {
        begun++;
    }
    (void)work_off(&c);
    for (int i = 0; i < begun; i++) {
        pthread_join(others[i], NULL);
    }
}

void restore_play_all(restored_worlds *worlds, int threads)
{
    restore_each(worlds, threads, restore_play);
}
