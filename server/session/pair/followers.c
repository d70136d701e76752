// The standby's side of pairs; see pairs.h and follower.h.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/session/pair/follower.h"
#include "server/session/service.h"

bool followers_have(const pairs *p, const char *world)
{
    return follower_find_sound(p, world) != NULL;
}

uint32_t followers_count(const pairs *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->followers.count; i++) {
        count += p->followers.data[i]->sound && !p->followers.data[i]->gone;
    }
    return count;
}

uint32_t followers_busy(const pairs *p)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < p->followers.count; i++) {
        busy += p->followers.data[i]->playing;
    }
    return busy;
}

void followers_acted(pairs *p, const char *world, const ownership_action *action,
                     const ownership *o)
{
    follower *f = follower_find_sound(p, world);
    (void)o;
    if (f == NULL) {
        return;
    }
    switch (action->kind) {
    case ACTION_ACKNOWLEDGE:
        follower_acknowledge(f, action->term);
        break;
    case ACTION_SERVE:
        f->taking = true;
        follower_play(f);
        break;
    case ACTION_DROP:
        log_info("fleet: world '%s' is not followed here any more", world);
        f->beaten = true;
        follower_drop(f);
        break;
    case ACTION_NAME:
    case ACTION_YIELD:
    case ACTION_WRITE:
        break;
    }
}

// ---- messages of the primary

static bool read_text(const uint8_t **at, size_t *left, const uint8_t **text, size_t *size)
{
    if (*left < 4 || get32(*at) > *left - 4) {
        return false;
    }
    *size = get32(*at);
    *text = *at + 4;
    *at += 4 + *size;
    *left -= 4 + *size;
    return true;
}

static void take_offer(pairs *p, source *from, const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes + PAIR_OFFER_BYTES;
    size_t left = size < PAIR_OFFER_BYTES ? 0 : size - PAIR_OFFER_BYTES;
    const uint8_t *name = NULL;
    const uint8_t *record = NULL;
    size_t name_size = 0;
    size_t record_size = 0;
    world_record r;
    error err;
    if (!read_text(&at, &left, &name, &name_size) ||
        !read_text(&at, &left, &record, &record_size) ||
        !world_name_valid((const char *)name, name_size) ||
        world_record_read(record, record_size, &r, &err) != STATUS_OK) {
        peer_close(from->link, "it offers a world that cannot be");
        followers_ended(p, from->link, "it offers a world that cannot be");
        return;
    }
    const uint64_t epoch = get64(bytes);
    const uint64_t image = get64(bytes + 32);
    const uint32_t kept = get32(bytes + 48);
    const char *why = NULL;
    if (r.engine != ENGINE_BEHAVIOUR) {
        why = "it has another engine";
    } else if (image == 0 || image > STORAGE_IMAGE_BYTES_MAX) {
        why = "its image is too large";
    } else if (kept != STORAGE_NORMAL && kept != STORAGE_FULL) {
        why = "its durability is unknown here";
    } else if (p->server->stage != SERVER_SERVING) {
        why = "the server is shutting down";
    }
    memory_charge charge;
    memory_charge_begin(&charge, MEMORY_standbys, NULL);
    if (why == NULL && memory_charge_set(&charge, sizeof(follower) + image, &err) != STATUS_OK) {
        why = err.text;
    }
    if (why != NULL) {
        memory_charge_end(&charge);
        source_refuse(from, epoch, why);
        return;
    }
    follower *f = follower_find(p, from, epoch);
    if (f != NULL && !f->sound) {
        follower_drop(f);
    }
    f = calloc(1, sizeof *f);
    ASSERT_MEMORY(f != NULL);
    *f = (follower){.of = p,
                    .from = from,
                    .record = r,
                    .revision = (int64_t)get64(bytes + 40),
                    .sequence = get64(bytes + 8),
                    .tick = get64(bytes + 16),
                    .newest_tick = get64(bytes + 16),
                    .plays = !p->server->options->standby_log,
                    .hash = get64(bytes + 24),
                    .image_size = image,
                    .charge = charge};
    f->world.epoch = epoch;
    f->world.durability = (storage_durability)kept;
    memcpy(f->world.name, name, name_size);
    buffer_init(&f->image, STORAGE_IMAGE_BYTES_MAX);
    buffer_init(&f->incoming, 2 * (size_t)FOLLOWER_BYTES_MAX);
    array_push(&p->followers, f);
}

static void take_piece(follower *f, const uint8_t *bytes, size_t size)
{
    if (f->sound || f->playing || f->image.size + size > f->image_size) {
        return; // a piece of an image that was given up
    }
    buffer_append(&f->image, bytes, size);
    if (f->image.size < f->image_size) {
        return;
    }
    size_t whole = 0;
    uint8_t *image = buffer_take(&f->image, &whole);
    buffer_init(&f->image, STORAGE_IMAGE_BYTES_MAX);
    restore_from_image(&f->world, image, whole, f->tick, f->hash);
    follower_start(f);
}

static void take_entry(follower *f, const uint8_t *bytes, size_t size)
{
    if (f->missed) { // rule 3
        return;
    }
    if (!follower_add_entry(f, get64(bytes + 8), get64(bytes + 16), bytes + PAIR_ENTRY_HEAD_BYTES,
                            size - PAIR_ENTRY_HEAD_BYTES)) {
        follower_give_up(f, "the server plays it too slowly");
        return;
    }
    if (!f->sound) {
        return;
    }
    const ownership_event e = {.kind = EVENT_LOG,
                               .from = f->from->node,
                               .term = f->record.term,
                               .tick = (int64_t)f->sequence};
    fleet_report(pairs_fleet(f->of), f->world.name, &e);
    follower_play(f);
}

static void take_end(follower *f, uint64_t sequence)
{
    f->sequence = sequence;
    follower_acknowledge(f, f->record.term);
    if (f->sound) {
        fleet_forget(pairs_fleet(f->of), f->world.name);
    }
    follower_drop(f);
}

static void take_name(follower *f, const uint8_t *bytes, size_t size)
{
    world_record r;
    error err;
    if (!f->sound || world_record_read(bytes + PAIR_NAMED_HEAD_BYTES, size - PAIR_NAMED_HEAD_BYTES,
                                       &r, &err) != STATUS_OK) {
        return;
    }
    const ownership_event e = {
        .kind = EVENT_NAMED, .record = &r, .revision = (int64_t)get64(bytes + 8)};
    fleet_report(pairs_fleet(f->of), f->world.name, &e);
}

// Takes the world over from a primary that stopped after the last tick acknowledged here.
static void take_yield(follower *f, int64_t term)
{
    struct fleet *of = pairs_fleet(f->of);
    const ownership *o = f->sound ? fleet_ownership(of, f->world.name) : NULL;
    if (o == NULL || o->state != OWNERSHIP_FOLLOWING || o->record.term != term) {
        source_refuse(f->from, f->world.epoch, "it does not follow the world");
        return;
    }
    log_info("fleet: server '%s' hands world '%s' over", f->from->node, f->world.name);
    f->yielded = f->missed = true;
    follower_play(f);
}

void followers_received(pairs *p, peer_link *link, pair_message kind, const uint8_t *bytes,
                        size_t size)
{
    source *from = peer_link_owner(link);
    if (kind == PAIR_SESSION) {
        source_receive_session(p, from, bytes, size);
        return;
    }
    if (kind == PAIR_OFFER) {
        take_offer(p, from, bytes, size);
        return;
    }
    follower *f = size >= 8 ? follower_find(p, from, get64(bytes)) : NULL;
    if (f == NULL && kind == PAIR_YIELD) {
        source_refuse(from, size >= 8 ? get64(bytes) : 0, "it does not follow the world");
    }
    if (f == NULL) {
        if (kind == PAIR_END && size == PAIR_END_BYTES) { // the record ended it
            uint8_t head[PAIR_ACKNOWLEDGE_BYTES] = {0};
            memcpy(head, bytes, PAIR_END_BYTES);
            (void)peer_send(link, PAIR_ACKNOWLEDGE, head, sizeof head, NULL, 0);
        }
        return;
    }
    if (kind == PAIR_PIECE) {
        take_piece(f, bytes + PAIR_PIECE_HEAD_BYTES, size - PAIR_PIECE_HEAD_BYTES);
    } else if (kind == PAIR_ENTRY && size >= PAIR_ENTRY_HEAD_BYTES) {
        take_entry(f, bytes, size);
    } else if (kind == PAIR_END && size == PAIR_END_BYTES) {
        take_end(f, get64(bytes + 8));
    } else if (kind == PAIR_NAMED && size > PAIR_NAMED_HEAD_BYTES) {
        take_name(f, bytes, size);
    } else if (kind == PAIR_YIELD && size == PAIR_YIELD_BYTES) {
        take_yield(f, (int64_t)get64(bytes + 8));
    }
}

// ---- links

void followers_ended(pairs *p, peer_link *link, const char *why)
{
    source *s = peer_link_owner(link);
    (void)why;
    s->link = NULL;
    if (p->server->stage == SERVER_DRAINING) {
        return;
    }
    for (uint32_t i = p->followers.count; i > 0; i--) {
        follower *f = i <= p->followers.count ? p->followers.data[i - 1] : NULL;
        if (f == NULL || f->from != s || f->gone) {
            continue;
        }
        if (!f->sound) {
            follower_drop(f);
            i = p->followers.count + 1; // others may have gone with it
        }
    }
    for (uint32_t i = p->followers.count; i > 0; i--) {
        follower *f = i <= p->followers.count ? p->followers.data[i - 1] : NULL;
        if (f != NULL && f->from == s && !f->gone && !f->missed) {
            f->missed = true;
            f->missed_ms = uv_now(p->server->loop);
            follower_play(f);
        }
    }
    for (uint32_t i = 0; i < p->sources.count; i++) { // unless a follower's end freed it
        if (p->sources.data[i] == s) {
            source_free_unused(p, s);
            break;
        }
    }
}

void followers_close(pairs *p)
{
    for (uint32_t i = 0; i < p->sources.count; i++) {
        p->sources.data[i]->link = NULL;
    }
    while (p->followers.count > 0) {
        ASSERT(!p->followers.data[0]->playing);
        follower_drop(p->followers.data[0]);
    }
    while (p->sources.count > 0) {
        source_free(p, p->sources.data[0]);
    }
}
