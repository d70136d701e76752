// Life of one follower; see follower.h. A follower is a world that is restored all the time
// (restore.h): its image first, then its log as it comes, on a thread of the loop's pool. It
// acknowledges what is in this process's memory, from when its image was found to be sound.
//
// A follower of a log standby is an image and a log that are not played. When much has arrived
// since the image, it asks for another one (PAIR_RENEW), which comes in the order of the log; the
// follower that has it replaces the former one.
#include "server/session/pair/follower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/base/worker.h"
#include "server/session/service.h"

enum {
    UNPLAYED_SECONDS = 10,    // time of an unplayed log, after which another image is wanted
    UNPLAYED_BYTES = 8 << 20, // size of an unplayed log, with the same effect
    INCOMING_HEAD_BYTES = 20
};

// ---- finding

follower *follower_find(const pairs *p, const source *from, uint64_t epoch)
{
    for (uint32_t i = p->followers.count; i > 0; i--) {
        follower *f = p->followers.data[i - 1];
        if (f->from == from && f->world.epoch == epoch && !f->gone) {
            return f;
        }
    }
    return NULL;
}

follower *follower_find_sound(const pairs *p, const char *world)
{
    for (uint32_t i = 0; i < p->followers.count; i++) {
        follower *f = p->followers.data[i];
        if (f->sound && !f->gone && strcmp(f->world.name, world) == 0) {
            return f;
        }
    }
    return NULL;
}

void follower_drop(follower *f)
{
    pairs *p = f->of;
    f->gone = true;
    source_release_sessions(p, f->from);
    if (f->playing) {
        return;
    }
    array_remove_value(&p->followers, f);
    source *from = f->from;
    takeover_release_log(f);
    restored_world_deinit(&f->world);
    buffer_deinit(&f->image);
    buffer_deinit(&f->incoming);
    memory_charge_end(&f->charge);
    free(f);
    source_free_unused(p, from);
}

// ---- answers

void follower_acknowledge(const follower *f, int64_t term)
{
    uint8_t head[PAIR_ACKNOWLEDGE_BYTES];
    if (f->from->link == NULL) {
        return;
    }
    put64(head, f->world.epoch);
    put64(head + 8, f->sequence);
    put64(head + 16, (uint64_t)term);
    // A link that fails reports that itself.
    (void)peer_send(f->from->link, PAIR_ACKNOWLEDGE, head, sizeof head, NULL, 0);
}

static void ask_for_image(follower *f)
{
    uint8_t head[PAIR_RENEW_BYTES];
    f->renews = true;
    put64(head, f->world.epoch);
    if (f->from->link != NULL) {
        (void)peer_send(f->from->link, PAIR_RENEW, head, sizeof head, NULL, 0);
    }
}

void follower_give_up(follower *f, const char *why)
{
    log_error("world '%s' of server '%s' cannot be followed: %s", f->world.name, f->from->node,
              why);
    source_refuse(f->from, f->world.epoch, why);
    if (f->sound) {
        fleet_forget(pairs_fleet(f->of), f->world.name);
    }
    follower_drop(f);
}

// ---- playing

static void accept_image(follower *f)
{
    f->sound = true;
    follower_note_memory(f);
    follower_acknowledge(f, f->record.term);
}

// Begins to follow the world, whose image is sound.
static void begin_following(follower *f)
{
    pairs *p = f->of;
    struct fleet *of = pairs_fleet(p);
    follower *old = follower_find_sound(p, f->world.name);
    if (old != NULL && old->missed) {
        follower_give_up(f, "the server is about to take it over");
        return;
    }
    if (!fleet_follow(of, f->world.name, f->record.hz, f->record.replicated)) {
        follower_give_up(f, "the server serves a world of that name");
        return;
    }
    const ownership_event e = {.kind = EVENT_IMAGE,
                               .record = &f->record,
                               .revision = f->revision,
                               .tick = (int64_t)f->sequence};
    fleet_report(of, f->world.name, &e);
    const ownership *o = fleet_ownership(of, f->world.name);
    const bool follows = o != NULL && o->record.term == f->record.term &&
                         (o->state == OWNERSHIP_CATCHING_UP || o->state == OWNERSHIP_FOLLOWING);
    if (!follows) {
        if (old == NULL) {
            fleet_forget(of, f->world.name);
        }
        follower_give_up(f, "the server knows of a newer term");
        return;
    }
    if (old != NULL) {
        const bool renewed = old->renews && !f->plays;
        follower_drop(old);
        if (renewed) { // from time to time: not worth a line
            accept_image(f);
            return;
        }
    }
    log_info("fleet: world '%s' of server '%s' is followed here from tick %" PRIu64, f->world.name,
             f->from->node, f->tick);
    accept_image(f);
}

static void on_played(uv_work_t *work, int result)
{
    follower *f = work->data;
    server *s = f->of->server;
    ASSERT(result == 0 && s->building > 0);
    f->playing = false;
    s->building--;
    const char *failure = restored_world_failure(&f->world);
    if (f->placed) {
        takeover_finish(f);
    } else if (f->gone || s->stage == SERVER_DRAINING) {
        follower_drop(f);
    } else if (failure != NULL) {
        follower_give_up(f, failure);
    } else {
        if (!f->sound) {
            begin_following(f);
        } else if (f->stored && !f->asked) {
            takeover_ask_fleet(f);
        } else {
            follower_play(f);
        }
    }
    server_check_drained(s);
}

static void on_play(uv_work_t *work)
{
    follower *f = work->data;
    worker_begin();
    restore_play_held(&f->world);
}

void follower_queue_work(follower *f, uv_work_cb work)
{
    f->playing = true;
    f->of->server->building++;
    f->work.data = f;
    const int queued = uv_queue_work(f->of->server->loop, &f->work, work, on_played);
    ASSERT(queued == 0);
}

void follower_start(follower *f)
{
    restore_promise(&f->world);
    if (f->plays) {
        follower_queue_work(f, on_play);
    } else {
        begin_following(f);
    }
}

void follower_note_memory(follower *f)
{
    const uint64_t image = f->sound && f->plays ? 0 : f->image_size;
    memory_charge_note(&f->charge,
                       sizeof *f + image + f->incoming.size + (f->plays ? 0 : f->unplayed));
}

bool follower_add_entry(follower *f, uint64_t sequence, uint64_t tick, const uint8_t *bytes,
                        size_t size)
{
    uint8_t head[INCOMING_HEAD_BYTES];
    if (!world_feed_may_wait(f->incoming.size + size, FOLLOWER_BYTES_MAX)) {
        return false;
    }
    put64(head, sequence);
    put64(head + 8, tick);
    put32(head + 16, (uint32_t)size);
    buffer_append(&f->incoming, head, sizeof head);
    buffer_append(&f->incoming, bytes, size);
    f->sequence = sequence;
    f->newest_tick = tick;
    follower_note_memory(f);
    return true;
}

bool follower_move_entries(follower *f, error *err)
{
    bool good = true;
    for (size_t at = 0; at < f->incoming.size && good;) {
        const uint8_t *head = f->incoming.data + at;
        const uint32_t size = get32(head + 16);
        good = restore_add_record(&f->world, get64(head), get64(head + 8),
                                  head + INCOMING_HEAD_BYTES, size, err) == STATUS_OK;
        at += INCOMING_HEAD_BYTES + size;
    }
    buffer_clear(&f->incoming);
    follower_note_memory(f);
    return good;
}

// Adds the received records to a log that is not played.
static void keep(follower *f)
{
    error err;
    f->unplayed += f->incoming.size;
    if (!follower_move_entries(f, &err)) {
        follower_give_up(f, err.text);
    } else if (!f->renews && f->sound &&
               ((double)(f->newest_tick - f->tick) >= UNPLAYED_SECONDS * f->record.hz ||
                f->unplayed >= UNPLAYED_BYTES)) {
        ask_for_image(f);
    }
}

void follower_play(follower *f)
{
    error err;
    if (f->playing || f->gone || f->placed || f->of->server->stage == SERVER_DRAINING) {
        return;
    }
    if (f->taking) {
        takeover_begin(f);
    } else if (f->missed && !f->stored) {
        takeover_prepare(f);
    } else if (f->missed) {
        return; // the fleet answers later
    } else if (f->incoming.size > 0 && f->sound && !f->plays) {
        keep(f);
    } else if (f->incoming.size > 0 && f->sound) {
        if (follower_move_entries(f, &err)) {
            follower_queue_work(f, on_play);
        } else {
            follower_give_up(f, err.text);
        }
    }
}
