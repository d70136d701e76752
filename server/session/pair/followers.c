// The standby's side of pairs; see pairs.h. A follower is a world that is restored all the time
// (restore.h): its image first, then its log as it comes, on a thread of the loop's pool. It
// acknowledges what is in this process's memory, from when its image was found to be sound.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/base/worker.h"
#include "server/session/pair/internal.h"
#include "server/session/placement/restore.h"
#include "server/session/placement/worlds_restored.h"
#include "server/session/resume/session_store.h"
#include "server/session/service.h"

enum {
    FOLLOWER_BYTES_MAX = 256 << 20, // of entries that wait to be played
    HELD_BYTES_MAX = 64 << 20,      // of sessions' records that wait for a world to be taken over
    CREATE_TRIES = 50,              // of a log whose name an older copy has, which is being dropped
    CREATE_PAUSE_NS = 10000000
};

// A link that another server dialled, and that server's sessions.
typedef struct source {
    peer_link *link; // NULL: it has ended
    char node[RECORD_NAME_MAX + 1];
    shipped sessions;
    buffer held; // records of sessions, of later than a world's last tick there: u32 size, bytes
    bool overfull;
} source;

typedef struct follower {
    pairs *of;
    source *from;
    uv_work_t work;
    restored_world world; // the worker's while `playing`
    bool playing;
    bool sound;   // its image is one, so it acknowledges
    bool taking;  // this server serves it from now on
    bool yielded; // its server stands back, and tells its sessions of that
    bool placed;  // its sessions are here, and its last part is being played
    bool gone;    // to be freed when no thread works on it
    world_record record;
    int64_t revision;
    uint64_t image_size, tick, hash;
    buffer image;
    uint64_t sequence; // of the last entry or image
    buffer incoming;   // entries to be played: u64 sequence, u64 tick, u32 size, bytes
} follower;

enum { INCOMING_HEAD_BYTES = 20 };

static struct fleet *fleet_of(const pairs *p)
{
    return p->server->options->fleet;
}

// ---- which there are

// The newest one: an older one of the same world stays until the newer one is sound.
static follower *find(const pairs *p, const source *from, uint64_t epoch)
{
    for (uint32_t i = p->followers.count; i > 0; i--) {
        follower *f = p->followers.data[i - 1];
        if (f->from == from && f->world.epoch == epoch && !f->gone) {
            return f;
        }
    }
    return NULL;
}

static follower *find_sound(const pairs *p, const char *world)
{
    for (uint32_t i = 0; i < p->followers.count; i++) {
        follower *f = p->followers.data[i];
        if (f->sound && !f->gone && strcmp(f->world.name, world) == 0) {
            return f;
        }
    }
    return NULL;
}

bool followers_have(const pairs *p, const char *world)
{
    return find_sound(p, world) != NULL;
}

uint32_t followers_busy(const pairs *p)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < p->followers.count; i++) {
        busy += p->followers.data[i]->playing;
    }
    return busy;
}

static void free_source(pairs *p, source *s)
{
    for (uint32_t i = 0; i < p->sources.count; i++) {
        if (p->sources.data[i] == s) {
            array_swap_remove(&p->sources, i);
            break;
        }
    }
    shipped_deinit(&s->sessions);
    buffer_deinit(&s->held);
    free(s);
}

// A source stays as long as its link, and as worlds of it are followed.
static void check_source(pairs *p, source *s)
{
    for (uint32_t i = 0; i < p->followers.count; i++) {
        if (p->followers.data[i]->from == s) {
            return;
        }
    }
    if (s->link == NULL) {
        free_source(p, s);
    }
}

// ---- records of sessions

static void take_session(source *from, const uint8_t *bytes, size_t size)
{
    if (!shipped_take(&from->sessions, bytes, size) && !from->overfull) {
        from->overfull = true;
        log_warn("server '%s' has sessions that could not be resumed here", from->node);
    }
}

// Whether sessions are still to be as they were at a world's last tick there: when its server
// hears first who serves the world now, it ends their subscriptions.
static bool holds_sessions(const pairs *p, const source *from)
{
    for (uint32_t i = 0; i < p->followers.count; i++) {
        const follower *f = p->followers.data[i];
        if (f->from == from && f->yielded && !f->placed && !f->gone) {
            return true;
        }
    }
    return false;
}

static void hold_session(source *from, const uint8_t *bytes, size_t size)
{
    uint8_t head[4];
    put32(head, (uint32_t)size);
    buffer_append(&from->held, head, sizeof head);
    buffer_append(&from->held, bytes, size);
}

static void take_held(source *from)
{
    for (size_t at = 0; at < from->held.size;) {
        const uint32_t size = get32(from->held.data + at);
        take_session(from, from->held.data + at + 4, size);
        at += 4 + size;
    }
    buffer_clear(&from->held);
}

static void release_sessions(const pairs *p, source *from)
{
    if (from->held.size > 0 && !holds_sessions(p, from)) {
        take_held(from);
    }
}

// Frees it as soon as no thread works on it.
static void drop(follower *f)
{
    pairs *p = f->of;
    f->gone = true;
    release_sessions(p, f->from);
    if (f->playing) {
        return;
    }
    for (uint32_t i = 0; i < p->followers.count; i++) {
        if (p->followers.data[i] == f) {
            p->followers.count--;
            memmove(&p->followers.data[i], &p->followers.data[i + 1],
                    (p->followers.count - i) * sizeof f);
            break;
        }
    }
    source *from = f->from;
    restored_world_deinit(&f->world);
    buffer_deinit(&f->image);
    buffer_deinit(&f->incoming);
    free(f);
    check_source(p, from);
}

// ---- answers

static void acknowledge(const follower *f, int64_t term)
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

static void refuse(const source *from, uint64_t epoch, const char *why)
{
    uint8_t head[8];
    put64(head, epoch);
    if (from->link != NULL) {
        (void)peer_send(from->link, PAIR_REFUSE, head, sizeof head, why, strlen(why));
    }
}

// The world cannot be followed any more; this server does not take it over.
static void give_up(follower *f, const char *why)
{
    log_error("world '%s' of server '%s' cannot be followed: %s", f->world.name, f->from->node,
              why);
    refuse(f->from, f->world.epoch, why);
    if (f->sound) {
        fleet_forget(fleet_of(f->of), f->world.name);
    }
    drop(f);
}

// ---- playing

static void play(follower *f);

// The image is sound: from now on the world is followed.
static void begin_following(follower *f)
{
    pairs *p = f->of;
    struct fleet *of = fleet_of(p);
    follower *old = find_sound(p, f->world.name);
    if (!fleet_follow(of, f->world.name, f->record.hz, f->record.replicated)) {
        give_up(f, "the server serves a world of that name");
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
        give_up(f, "the server knows of a newer term");
        return;
    }
    if (old != NULL) {
        drop(old);
    }
    f->sound = true;
    log_info("fleet: world '%s' of server '%s' is followed here from tick %" PRIu64, f->world.name,
             f->from->node, f->tick);
    acknowledge(f, f->record.term);
}

static void finish_taking(follower *f);

static void on_played(uv_work_t *work, int result)
{
    follower *f = work->data;
    server *s = f->of->server;
    ASSERT(result == 0 && s->building > 0);
    f->playing = false;
    s->building--;
    const char *failure = restored_world_failure(&f->world);
    if (f->placed) {
        finish_taking(f);
    } else if (f->gone || s->stage == SERVER_DRAINING) {
        drop(f);
    } else if (failure != NULL) {
        give_up(f, failure);
    } else {
        if (!f->sound) {
            begin_following(f);
        } else {
            play(f);
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

static void queue_work(follower *f, uv_work_cb work)
{
    f->playing = true;
    f->of->server->building++;
    f->work.data = f;
    const int queued = uv_queue_work(f->of->server->loop, &f->work, work, on_played);
    ASSERT(queued == 0);
}

// Moves the entries that have come into the world's log. False: they are not sound.
static bool take_incoming(follower *f, error *err)
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
    return good;
}

static void begin_taking(follower *f);

// Plays what has come, unless a thread does so already.
static void play(follower *f)
{
    error err;
    if (f->playing || f->gone || f->placed || f->of->server->stage == SERVER_DRAINING) {
        return;
    }
    if (f->taking) {
        begin_taking(f);
    } else if (f->incoming.size > 0 && f->sound) {
        if (take_incoming(f, &err)) {
            queue_work(f, on_play);
        } else {
            give_up(f, err.text);
        }
    }
}

// ---- taking over

// The end of the log: the rest of it is played, and a log of this server's own begins.
static void on_take(uv_work_t *work)
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
        error_prefix(&err, "was not taken over");
        w->broken = strdup(err.text);
        ASSERT_MEMORY(w->broken != NULL);
    }
}

static bool may_place(const server *s, const restored_world *w)
{
    return directory_find(&s->worlds, w->name) == NULL &&
           directory_find_number(&s->worlds, w->epoch) == NULL;
}

// This server has won the world: requests for it wait from now on instead of being sent elsewhere.
static void begin_taking(follower *f)
{
    server *s = f->of->server;
    restored_world *w = &f->world;
    error err;
    char name[STORED_NAME_BYTES_MAX + 1];
    if (!may_place(s, w)) {
        log_error("world '%s' cannot be taken over: another of its name or epoch is here", w->name);
        drop(f);
        return;
    }
    if (!take_incoming(f, &err)) {
        log_error("world '%s' cannot be taken over: %s", w->name, err.text);
        drop(f);
        return;
    }
    world_entry *entry = directory_add_numbered(&s->worlds, w->name, w->epoch);
    entry->coming = true;
    entry->logged = true;
    entry->durability = w->durability;
    s->restoring.left++;
    const uint32_t sessions = shipped_make(&f->from->sessions, s, w);
    log_info("fleet: world '%s' of server '%s' is taken over, with %u of its sessions", w->name,
             f->from->node, sessions);
    session_store_subscribe_to(s, w->epoch);
    restore_stored_name(name, w->name, w->epoch);
    storage_drop(s->storage, name); // an older copy, if there is one
    f->placed = true;
    release_sessions(f->of, f->from);
    queue_work(f, on_take);
}

// Those whose sessions are here, and that are not served yet.
static uint32_t followers_taken(const pairs *p)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < p->followers.count; i++) {
        taken += p->followers.data[i]->placed;
    }
    return taken;
}

static void finish_taking(follower *f)
{
    server *s = f->of->server;
    restored_world *w = &f->world;
    ASSERT(s->restoring.left > 0);
    s->restoring.left--;
    if (s->stage != SERVER_DRAINING && w->adoption != NULL) {
        w->adoption->restored = false; // its log begins here
        w->adoption->durability = w->durability;
        if (f->record.replicated) {
            w->adoption->feed = pairs_begin(s, w->name, w->epoch, true);
        }
    }
    if (s->stage != SERVER_DRAINING) {
        worlds_take_restored(s, w);
        server_check_started(s);
    }
    pairs *p = f->of;
    drop(f);
    if (s->restoring.finished && followers_taken(p) == 0) {
        session_numbers_deinit(&s->restored_sessions);
    }
}

void followers_acted(pairs *p, const char *world, const ownership_action *action,
                     const ownership *o)
{
    follower *f = find_sound(p, world);
    (void)o;
    if (f == NULL) {
        return;
    }
    switch (action->kind) {
    case ACTION_ACKNOWLEDGE:
        acknowledge(f, action->term);
        break;
    case ACTION_SERVE:
        f->taking = true;
        play(f);
        break;
    case ACTION_DROP:
        log_info("fleet: world '%s' is not followed here any more", world);
        drop(f);
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
    if (why != NULL) {
        refuse(from, epoch, why);
        return;
    }
    follower *f = find(p, from, epoch);
    if (f != NULL && !f->sound) {
        drop(f);
    }
    f = calloc(1, sizeof *f);
    ASSERT_MEMORY(f != NULL);
    *f = (follower){.of = p,
                    .from = from,
                    .record = r,
                    .revision = (int64_t)get64(bytes + 40),
                    .sequence = get64(bytes + 8),
                    .tick = get64(bytes + 16),
                    .hash = get64(bytes + 24),
                    .image_size = image};
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
        return; // of an image that was given up
    }
    buffer_append(&f->image, bytes, size);
    if (f->image.size < f->image_size) {
        return;
    }
    size_t whole = 0;
    uint8_t *image = buffer_take(&f->image, &whole);
    buffer_init(&f->image, STORAGE_IMAGE_BYTES_MAX);
    restore_from_image(&f->world, image, whole, f->tick, f->hash);
    restore_promise(&f->world);
    queue_work(f, on_play);
}

static void take_entry(follower *f, const uint8_t *bytes, size_t size)
{
    uint8_t head[INCOMING_HEAD_BYTES];
    const size_t left = size - PAIR_ENTRY_HEAD_BYTES;
    if (f->incoming.size + left > FOLLOWER_BYTES_MAX) {
        give_up(f, "the server plays it too slowly");
        return;
    }
    put64(head, get64(bytes + 8));
    put64(head + 8, get64(bytes + 16));
    put32(head + 16, (uint32_t)left);
    buffer_append(&f->incoming, head, sizeof head);
    buffer_append(&f->incoming, bytes + PAIR_ENTRY_HEAD_BYTES, left);
    f->sequence = get64(bytes + 8);
    if (!f->sound) {
        return;
    }
    const ownership_event e = {.kind = EVENT_LOG,
                               .from = f->from->node,
                               .term = f->record.term,
                               .tick = (int64_t)f->sequence};
    fleet_report(fleet_of(f->of), f->world.name, &e);
    play(f);
}

static void take_end(follower *f, uint64_t sequence)
{
    f->sequence = sequence;
    acknowledge(f, f->record.term);
    if (f->sound) {
        fleet_forget(fleet_of(f->of), f->world.name);
    }
    drop(f);
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
    fleet_report(fleet_of(f->of), f->world.name, &e);
}

// The primary has stopped after the last tick that was acknowledged here.
static void take_yield(follower *f, int64_t term)
{
    struct fleet *of = fleet_of(f->of);
    const ownership_event e = {.kind = EVENT_PRIMARY_MISSED};
    const ownership *o = f->sound ? fleet_ownership(of, f->world.name) : NULL;
    if (o == NULL || o->state != OWNERSHIP_FOLLOWING || o->record.term != term) {
        refuse(f->from, f->world.epoch, "it does not follow the world");
        return;
    }
    log_info("fleet: server '%s' hands world '%s' over", f->from->node, f->world.name);
    f->yielded = true;
    fleet_report(of, f->world.name, &e);
}

void followers_received(pairs *p, peer_link *link, pair_message kind, const uint8_t *bytes,
                        size_t size)
{
    source *from = peer_link_owner(link);
    if (kind == PAIR_SESSION) {
        if (from->held.size + size <= HELD_BYTES_MAX && holds_sessions(p, from)) {
            hold_session(from, bytes, size);
        } else {
            take_held(from); // too many, or none
            take_session(from, bytes, size);
        }
        return;
    }
    if (kind == PAIR_OFFER) {
        take_offer(p, from, bytes, size);
        return;
    }
    follower *f = size >= 8 ? find(p, from, get64(bytes)) : NULL;
    if (f == NULL && kind == PAIR_YIELD) {
        refuse(from, size >= 8 ? get64(bytes) : 0, "it does not follow the world");
    }
    if (f == NULL) {
        if (kind == PAIR_END && size == PAIR_END_BYTES) { // its record told that already
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

void followers_up(pairs *p, peer_link *link)
{
    source *s = calloc(1, sizeof *s);
    ASSERT_MEMORY(s != NULL);
    s->link = link;
    buffer_init(&s->held, 2 * (size_t)HELD_BYTES_MAX);
    memcpy(s->node, peer_link_node(link), strlen(peer_link_node(link)) + 1);
    peer_link_own(link, s);
    array_push(&p->sources, s);
}

void followers_ended(pairs *p, peer_link *link, const char *why)
{
    source *s = peer_link_owner(link);
    const ownership_event e = {.kind = EVENT_PRIMARY_MISSED};
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
            drop(f);
            i = p->followers.count + 1; // others may have gone with it
        }
    }
    for (uint32_t i = p->followers.count; i > 0; i--) {
        follower *f = i <= p->followers.count ? p->followers.data[i - 1] : NULL;
        if (f != NULL && f->from == s && !f->gone && !f->taking) {
            fleet_report(fleet_of(p), f->world.name, &e);
        }
    }
    for (uint32_t i = 0; i < p->sources.count; i++) { // unless a follower's end freed it
        if (p->sources.data[i] == s) {
            check_source(p, s);
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
        drop(p->followers.data[0]);
    }
    while (p->sources.count > 0) {
        free_source(p, p->sources.data[0]);
    }
}

status pairs_check_session(const server *s, uint64_t number, const secret *given, error *err)
{
    const secret digest = secret_digest(given);
    for (uint32_t i = 0; s->pairs != NULL && i < s->pairs->sources.count; i++) {
        const source *from = s->pairs->sources.data[i];
        const shipped_session *found = shipped_find(&from->sessions, number);
        if (found != NULL && secret_equal(&found->digest, &digest)) {
            return error_set(err, STATUS_UNAVAILABLE,
                             "resume: the session is at server '%s', whose worlds this one may "
                             "take over: try again",
                             from->node);
        }
    }
    return STATUS_OK;
}

status pairs_check_coming(const server *s, uint64_t number, error *err)
{
    for (uint32_t i = 0; s->pairs != NULL && i < s->pairs->sources.count; i++) {
        const source *from = s->pairs->sources.data[i];
        if (shipped_find(&from->sessions, number) != NULL && holds_sessions(s->pairs, from)) {
            return error_set(err, STATUS_UNAVAILABLE,
                             "resume: a world of the session is about to come from server '%s': "
                             "try again",
                             from->node);
        }
    }
    return STATUS_OK;
}
