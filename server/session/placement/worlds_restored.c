// Worlds that exist from the start: those of the data directory, and a recording. Network thread,
// except on_play.
//
// Those of the data directory have their names from the start on. They are played on worker threads
// of the loop, as many at once as there are processors: first those that clients have asked for,
// then the quickest. Requests for a world are queued until it is restored, and then it is served
// without waiting for the others. One that cannot be restored is broken: its queued requests are
// answered with the reason.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/worker.h"
#include "server/fleet/fleet.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/seating.h"
#include "server/session/placement/worlds_build.h"
#include "server/session/placement/worlds_restored.h"
#include "server/session/service.h"
#include "server/world/state/replay.h"
#include "server/world/state/session_bodies.h"
#include "server/world/state/last_requests.h"

// ---- worlds that a restart has brought back

// Records the commands of restored sessions that took effect.
static void note_marks(server *s, const world_entry *entry, const last_requests *marks)
{
    for (uint32_t slot = 0; slot < marks->by_slot.count; slot++) {
        const session_mark *mark = &marks->by_slot.data[slot];
        session *of = server_find_session(s, (session_key){.slot = slot, .number = mark->session});
        if (mark->session != 0 && of != NULL) {
            request_log_apply(&of->calls.requests, entry->number, ++of->calls.requests.next,
                              mark->id, limits_worlds_in_all(s->limits));
        }
    }
}

// Removes the bodies of sessions that no longer exist; those of restored sessions end with these.
static void end_past_sessions(const server *s, uint64_t world, adoption *a)
{
    const session_bodies *bodies = a->session_bodies;
    ARRAY(uint64_t) ended = {0};
    uint64_t before = 0; // the session of the body before
    for (uint32_t i = 0; i < bodies->by_slot.count; i++) {
        const session_body *b = &bodies->by_slot.data[i];
        if (b->id == 0 || b->session == before) {
            continue;
        }
        before = b->session;
        session *kept = server_find_number(s, b->session);
        if (kept != NULL) {
            worlds_note_body(kept, world);
        } else {
            array_push(&ended, b->session); // again for a session met before does no harm
        }
    }
    if (ended.count > 0) {
        a->ended_count = ended.count;
        a->ended = malloc(ended.count * sizeof *a->ended);
        ASSERT_MEMORY(a->ended != NULL);
        memcpy(a->ended, ended.data, ended.count * sizeof *a->ended);
    }
    array_free(&ended);
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

// ---- one that was played

// A world that had a standby looks for one again.
static void replicate(server *s, const world_entry *entry, adoption *a)
{
    const world_record *r =
        s->options->fleet != NULL ? fleet_record(s->options->fleet, entry->name) : NULL;
    if (a->feed == NULL && a->stored != NULL && s->pairs != NULL && r != NULL && r->replicated) {
        a->feed = pairs_begin(s, entry->name, entry->number, true);
    }
}

static void adopt(server *s, world_entry *entry, restored_world *w)
{
    ASSERT(w->adoption != NULL && w->adoption->physics != NULL);
    log_info("world '%s' continues at tick %llu (%llu %s played, %llu %s agreed)", w->name,
             (unsigned long long)world_tick(w->adoption->physics),
             COUNTED(w->commands, "command", "commands"), COUNTED(w->hashes, "hash", "hashes"));
    entry->thread = worlds_least_loaded(s);
    command create = {.method = METHOD_WORLD_CREATE};
    memcpy(create.world, entry->name, sizeof create.world);
    request *r = worlds_request(NULL, entry, &create);
    r->kind = REQUEST_ADOPT;
    r->adoption = w->adoption;
    replicate(s, entry, w->adoption);
    end_past_sessions(s, entry->number, w->adoption);
    seating_restored(s, entry, w->adoption->physics);
    w->adoption = NULL;
    w->stored = NULL;
    s->starting++;
    entry->adopting = true;
    worlds_count_in(s, entry, r);
    worlds_deliver(entry, r);
    worlds_deliver_held(entry);
}

static void give_up(server *s, world_entry *entry, restored_world *w)
{
    ASSERT(entry->broken == NULL && w->broken != NULL && w->adoption == NULL);
    entry->broken = w->broken;
    entry->stored = w->stored;
    entry->tick = w->tick;
    entry->durability = w->durability;
    w->broken = NULL;
    w->stored = NULL;
    error why;
    error_set(&why, STATUS_UNAVAILABLE, "world '%s' %s", entry->name, entry->broken);
    worlds_refuse_held(s, entry, why.text);
}

// Whether the world was read, and is playing its log or waits for that.
static bool is_to_come(const world_entry *entry)
{
    return entry->coming && entry->broken == NULL;
}

void worlds_take_restored(server *s, restored_world *w)
{
    world_entry *entry = directory_find_number(&s->worlds, w->epoch);
    ASSERT(entry != NULL && entry->thread == NULL && entry->broken == NULL);
    entry->coming = false;
    if (w->broken != NULL) {
        give_up(s, entry, w);
    } else {
        adopt(s, entry, w);
    }
}

// ---- playing

typedef struct play_job {
    uv_work_t work;
    server *server;
    restored_world *world; // its address is stable until all worlds are restored
} play_job;

static void play_next(server *s);

static void on_play(uv_work_t *work)
{
    const play_job *job = work->data;
    worker_begin();
    restore_play(job->world);
}

static void finish(server *s)
{
    s->restoring.finished = true;
    if (s->restored_worlds > 0) {
        log_info("%llu %s restored from '%s' in %lld ms",
                 COUNTED(s->restored_worlds, "world", "worlds"), s->options->data,
                 (long long)((clock_now_ns() - s->restoring.began_ns) / 1000000));
    }
    aside_finish(&s->aside);
    restored_worlds_free(&s->restored);
}

static void on_played(uv_work_t *work, int result)
{
    play_job *job = work->data;
    server *s = job->server;
    ASSERT(result == 0);
    ASSERT(s->building > 0 && s->restoring.playing > 0 && s->restoring.left > 0);
    s->building--;
    s->restoring.playing--;
    if (s->stage != SERVER_DRAINING) {
        s->restoring.left--;
        worlds_take_restored(s, job->world);
        play_next(s);
        server_check_started(s);
    }
    free(job);
    server_check_drained(s);
}

static restored_world *choose(server *s)
{
    restored_world *best = NULL;
    bool best_asked = false;
    for (uint32_t i = 0; i < s->restored.count; i++) {
        restored_world *w = &s->restored.data[i];
        if (w->taken || w->way == NULL) {
            continue;
        }
        const world_entry *entry = directory_find_number(&s->worlds, w->epoch);
        ASSERT(entry != NULL && entry->coming);
        const bool asked = entry->held != NULL;
        if (best == NULL || asked > best_asked ||
            (asked == best_asked && restore_cost(w) < restore_cost(best))) {
            best = w;
            best_asked = asked;
        }
    }
    return best;
}

static void play_next(server *s)
{
    const uint32_t most = s->options->turned ? 2 : (uint32_t)restore_threads();
    restored_world *next = NULL;
    while (s->restoring.playing < most && (next = choose(s)) != NULL) {
        play_job *job = calloc(1, sizeof *job);
        ASSERT_MEMORY(job != NULL);
        *job = (play_job){.work.data = job, .server = s, .world = next};
        next->taken = true;
        next->stop = &s->restoring.stop;
        s->restoring.playing++;
        s->building++;
        int queued = uv_queue_work(s->loop, &job->work, on_play, on_played);
        ASSERT(queued == 0);
    }
    if (s->restoring.left == 0 && !s->restoring.finished) {
        finish(s);
    }
}

void worlds_end_coming(server *s)
{
    atomic_store(&s->restoring.stop, true);
    for (uint32_t i = s->worlds.by_number.count; i > 0; i--) {
        world_entry *entry = s->worlds.by_number.data[i - 1];
        if (is_to_come(entry)) {
            entry->broken = strdup("was not restored: the server ended before");
            ASSERT_MEMORY(entry->broken != NULL);
            worlds_refuse_held(s, entry, s->reason);
        }
    }
}

static void begin(server *s, restored_world *w)
{
    if (is_taken(s, w)) {
        w->taken = true;
        return;
    }
    world_entry *entry = directory_add_numbered(&s->worlds, w->name, w->epoch);
    s->worlds.next_number = w->epoch + 1;
    entry->session = w->session;
    entry->logged = w->stored != NULL;
    entry->durability = w->durability;
    if (w->broken == NULL) {
        note_marks(s, entry, restore_marks(w));
    }
    if (w->way == NULL) {
        worlds_take_restored(s, w);
    } else {
        entry->coming = true;
        s->restoring.left++;
    }
}

void worlds_begin_restored(server *s)
{
    uint64_t first = s->worlds.next_number;
    s->worlds.next_number = 0; // restored worlds bring their numbers, in ascending order
    for (uint32_t i = 0; i < s->restored.count; i++) {
        begin(s, &s->restored.data[i]);
    }
    if (s->worlds.next_number < first || s->options->fleet != NULL) {
        s->worlds.next_number = first;
    }
    play_next(s);
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
    entry->thread = worlds_least_loaded(s);
    s->starting++; // counts as a world that the options name
    log_info("world '%s' replays '%s', ticks %llu to %llu", entry->name, s->options->replay,
             (unsigned long long)replay_first(recording),
             (unsigned long long)replay_last(recording));
    worlds_count_in(s, entry, r);
    worlds_deliver(entry, r);
    return STATUS_OK;
}
