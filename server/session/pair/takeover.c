// A follower becomes a world of this server; see follower.h. When the primary is missed, the world
// is played to the end of its log and its image is written to the disk, before the fleet is asked
// for the next term: the server that the record names has the world on its disk, also if both
// servers end in these milliseconds.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/worker.h"
#include "server/session/pair/follower.h"
#include "server/session/placement/worlds_restored.h"
#include "server/session/service.h"
#include "server/world/log/world_image.h"

enum {
    CREATE_TRIES = 3000, // attempts to create a log while an older copy with its name is dropped:
                         // 30 s, as the storage thread of a busy machine may be late
    CREATE_PAUSE_NS = 10000000,
    IMAGE_LOOKS = 4000, // looks whether the image is on the disk, before the fleet is asked: 2 s
    IMAGE_PAUSE_NS = 500000
};

// Writes the world to its new log.
static status write_image(const restored_world *w, error *err)
{
    const adoption *a = w->adoption;
    const uint64_t hash = world_hash(a->physics);
    block_account *before = block_charge(a->blocks);
    shared_bytes *image =
        world_image_encode(a->physics, a->session_bodies, a->owners, a->marks, a->view, a->paused,
                           w->until > w->tick ? w->until : w->tick);
    status written = storage_checkpoint(a->stored, world_tick(a->physics), &hash, image, err);
    bytes_unref(image);
    block_charge(before);
    for (int i = 0; i < IMAGE_LOOKS && written == STATUS_OK; i++) {
        const struct timespec pause = {.tv_nsec = IMAGE_PAUSE_NS};
        written = storage_checkpoint_state(a->stored, err);
        if (written == STATUS_OK) {
            return STATUS_OK;
        }
        if (written == STATUS_UNAVAILABLE && err->text[0] == '\0') { // under way
            written = STATUS_OK;
            nanosleep(&pause, NULL);
        }
    }
    return written != STATUS_OK
               ? written
               : error_set(err, STATUS_UNAVAILABLE, "its image is not written after 2 s");
}

static void break_off(restored_world *w, error *err)
{
    error_prefix(err, "was not taken over");
    w->broken = strdup(err->text);
    ASSERT_MEMORY(w->broken != NULL);
}

// The disk may be full. A world that is handed over is of more use where it is; one whose server is
// missed is of more use here than nowhere.
static void note_unwritten(follower *f, error *err)
{
    if (f->yielded) {
        break_off(&f->world, err);
    } else {
        log_warn("world '%s' is taken over before it is on this server's disk: %s", f->world.name,
                 err->text);
    }
}

// Plays the rest of the log, and begins a log of this server's own.
static void on_prepare(uv_work_t *work)
{
    follower *f = work->data;
    restored_world *w = &f->world;
    char name[STORED_NAME_BYTES_MAX + 1];
    error err;
    worker_begin();
    restore_play(w);
    if (w->broken != NULL) {
        return;
    }
    restore_stored_name(name, w->name, w->epoch);
    storage_drop(f->of->server->storage, name); // an older copy, if there is one
    status made = STATUS_ALREADY_EXISTS;
    for (int i = 0; i < CREATE_TRIES && made == STATUS_ALREADY_EXISTS; i++) {
        const struct timespec pause = {.tv_nsec = i > 0 ? CREATE_PAUSE_NS : 0};
        nanosleep(&pause, NULL);
        made = storage_create(f->of->server->storage, name, w->epoch, w->durability,
                              &w->adoption->stored, &err);
    }
    if (made != STATUS_OK) {
        adoption_free(w->adoption);
        w->adoption = NULL;
        break_off(w, &err);
        return;
    }
    if (write_image(w, &err) != STATUS_OK) {
        note_unwritten(f, &err);
    }
}

void takeover_prepare(follower *f)
{
    error err;
    f->stored = true;
    if (follower_move_entries(f, &err)) {
        follower_queue_work(f, on_prepare);
    } else {
        follower_give_up(f, err.text);
    }
}

void takeover_ask_fleet(follower *f)
{
    const ownership_event e = {.kind = EVENT_PRIMARY_MISSED};
    f->asked = true;
    fleet_report(pairs_fleet(f->of), f->world.name, &e);
}

void takeover_release_log(const follower *f)
{
    adoption *a = f->world.adoption;
    error err;
    uint64_t sequence = 0;
    if (a == NULL || a->stored == NULL) {
        return;
    }
    if ((!f->asked || f->beaten) && storage_destroy(a->stored, &sequence, &err) != STATUS_OK) {
        log_warn("%s", err.text);
    }
    storage_release(a->stored);
    a->stored = NULL;
}

static void on_placed(uv_work_t *work)
{
    (void)work; // the loop goes on with it in its next turn, outside of the fleet's callback
}

static bool may_place(const server *s, const restored_world *w)
{
    return directory_find(&s->worlds, w->name) == NULL &&
           directory_find_number(&s->worlds, w->epoch) == NULL;
}

static void finish_placing(follower *f)
{
    log_info("fleet: world '%s' of server '%s' is taken over, with %u of its sessions",
             f->world.name, f->from->node, shipped_end(f->making));
    f->making = NULL;
    f->of->server->building--;
    f->playing = false;
    f->placed = true;
    source_release_sessions(f->of, f->from);
    follower_queue_work(f, on_placed);
}

static job_progress place_some(turn_job *job, const turn *slice)
{
    follower *f = (follower *)((char *)job - offsetof(follower, placing));
    const bool ends = f->of->server->stage == SERVER_DRAINING; // its sessions have ended already
    if (!ends && !shipped_make_some(f->making, slice)) {
        return JOB_GOES_ON;
    }
    finish_placing(f);
    return JOB_DONE;
}

void takeover_begin(follower *f)
{
    server *s = f->of->server;
    restored_world *w = &f->world;
    ASSERT(w->adoption != NULL && f->making == NULL);
    if (!may_place(s, w)) {
        log_error("world '%s' cannot be taken over: another of its name or epoch is here", w->name);
        follower_drop(f);
        return;
    }
    world_entry *entry = directory_add_numbered(&s->worlds, w->name, w->epoch);
    entry->coming = true;
    entry->logged = true;
    entry->durability = w->durability;
    s->restoring.left++;
    f->making = shipped_begin(&f->from->sessions, s, w);
    f->playing = true;
    s->building++;
    work_add(s, &f->placing, place_some, SERVER_SUBJECT);
    work_go_on(s);
}

void takeover_finish(follower *f)
{
    server *s = f->of->server;
    restored_world *w = &f->world;
    ASSERT(s->restoring.left > 0);
    s->restoring.left--;
    if (s->stage != SERVER_DRAINING && w->adoption != NULL) {
        w->adoption->restored = false; // its log begins here
        w->adoption->at_once = true;
        w->adoption->durability = w->durability;
        if (f->record.replicated) {
            w->adoption->feed = pairs_begin(s, w->name, w->epoch, true);
        }
    }
    if (s->stage != SERVER_DRAINING) {
        worlds_take_restored(s, w);
        server_check_started(s);
    }
    follower_drop(f);
}
