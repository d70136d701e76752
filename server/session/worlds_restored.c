// Worlds that a start brings with it: those of the data directory, and a recording. Network thread.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/memory.h"
#include "server/session/service.h"
#include "server/world/replay.h"
#include "server/world/session_bodies.h"
#include "server/world/session_marks.h"

// ---- what a restart has brought back

static session *find_restored(const server *s, uint64_t number)
{
    for (uint32_t i = 0; i < s->detached.count; i++) {
        if (s->detached.data[i]->key.number == number) {
            return s->detached.data[i];
        }
    }
    return NULL;
}

// The commands of restored sessions that took effect.
static void note_marks(server *s, const world_entry *entry, const session_marks *marks)
{
    for (uint32_t slot = 0; slot < marks->by_slot.count; slot++) {
        const session_mark *mark = &marks->by_slot.data[slot];
        session *of = server_find_session(s, (session_key){.slot = slot, .number = mark->session});
        if (mark->session != 0 && of != NULL) {
            request_log_apply(&of->requests, entry->number, ++of->requests.next, mark->id,
                              limits_worlds_in_all(s->limits));
        }
    }
}

// Bodies of sessions that are gone end; those of restored sessions end with them.
static void end_past_sessions(server *s, uint64_t world, const session_bodies *bodies)
{
    uint64_t ended = 0;
    session *kept = NULL;
    for (uint32_t i = 0; i < bodies->by_slot.count; i++) {
        const session_body *b = &bodies->by_slot.data[i];
        if (b->id == 0) {
            continue;
        }
        if (b->session != ended && (kept == NULL || kept->key.number != b->session)) {
            kept = find_restored(s, b->session);
            if (kept != NULL) {
                worlds_note_body(kept, world);
            }
        }
        bool alive = kept != NULL && kept->key.number == b->session;
        if (!alive && b->session != ended) { // again for a session met before does no harm
            ended = b->session;
            worlds_send_uncounted(s, REQUEST_SESSION_END, world, (session_key){.number = ended});
        }
    }
}

// A data directory that people have put together may have two of a name. The second stays there.
static bool is_taken(const server *s, const restored_world *w)
{
    const bool taken =
        directory_find(&s->worlds, w->name) != NULL || w->epoch < s->worlds.next_number;
    if (taken) {
        log_error("world '%s' of epoch %llu is not served: another of its name or epoch is",
                  w->name, (unsigned long long)w->epoch);
    }
    return taken;
}

static void adopt_restored(server *s, restored_world *w)
{
    if (is_taken(s, w)) {
        return;
    }
    world_entry *entry = directory_add_numbered(&s->worlds, w->name, w->epoch);
    if (w->broken != NULL) {
        entry->broken = w->broken;
        entry->stored = w->stored;
        entry->tick = w->tick;
        entry->durability = w->durability;
        w->broken = NULL;
        w->stored = NULL;
        return;
    }
    log_info("world '%s' goes on from tick %llu (%llu %s played, %llu %s agreed)", w->name,
             (unsigned long long)world_tick(w->adoption->physics),
             COUNTED(w->commands, "command", "commands"), COUNTED(w->hashes, "hash", "hashes"));
    entry->host = worlds_least_loaded(s);
    entry->session = w->session;
    entry->logged = w->stored != NULL;
    command create = {.method = METHOD_WORLD_CREATE};
    memcpy(create.world, entry->name, sizeof create.world);
    request *r = worlds_request(NULL, entry, &create);
    r->kind = REQUEST_ADOPT;
    r->adoption = w->adoption;
    note_marks(s, entry, w->adoption->marks);
    session_bodies bodies = {0}; // the world has them from the next line on
    for (uint32_t i = 0; i < w->adoption->session_bodies->by_slot.count; i++) {
        const session_body *b = &w->adoption->session_bodies->by_slot.data[i];
        if (b->id != 0) {
            session_bodies_add(&bodies, b->id, b->session);
        }
    }
    w->adoption = NULL;
    w->stored = NULL;
    s->starting++;
    worlds_count_in(s, entry, r);
    worlds_deliver(entry, r);
    end_past_sessions(s, entry->number, &bodies);
    session_bodies_deinit(&bodies);
}

void worlds_adopt_restored(server *s)
{
    uint64_t first = s->worlds.next_number;
    s->worlds.next_number = 0; // they bring their numbers, in ascending order
    for (uint32_t i = 0; i < s->restored.count; i++) {
        adopt_restored(s, &s->restored.data[i]);
    }
    if (s->worlds.next_number < first) {
        s->worlds.next_number = first;
    }
    restored_worlds_free(&s->restored);
}

// ---- a recording

status worlds_replay(server *s, error *err)
{
    replay *recording = NULL;
    physics_world *physics = NULL;
    block_account *blocks = memory_world_begin();
    block_account *before = block_charge(blocks);
    status result = replay_open(s->options->replay, s->limits->replay_bytes, &recording, err);
    if (result == STATUS_OK) {
        result = worlds_check_name(s, replay_name(recording), err);
    }
    if (result == STATUS_OK) {
        result = replay_seek(recording, &physics, replay_first(recording), err);
    }
    if (result != STATUS_OK) {
        replay_free(recording);
    }
    block_charge(before);
    if (result != STATUS_OK) {
        memory_world_end(blocks);
        return result;
    }
    world_entry *entry = directory_add(&s->worlds, replay_name(recording));
    command create = {.method = METHOD_WORLD_CREATE};
    memcpy(create.world, entry->name, sizeof create.world);
    request *r = worlds_request(NULL, entry, &create);
    r->kind = REQUEST_ADOPT;
    r->adoption = calloc(1, sizeof *r->adoption);
    ASSERT_MEMORY(r->adoption != NULL);
    *r->adoption = (adoption){.blocks = blocks, .physics = physics, .replay = recording};
    entry->host = worlds_least_loaded(s);
    s->starting++; // its answer is that of a world of the options
    log_info("world '%s' replays '%s', ticks %llu to %llu", entry->name, s->options->replay,
             (unsigned long long)replay_first(recording),
             (unsigned long long)replay_last(recording));
    worlds_count_in(s, entry, r);
    worlds_deliver(entry, r);
    return STATUS_OK;
}
