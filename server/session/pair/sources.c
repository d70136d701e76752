// Links that other servers dialled, and the records of their sessions; see follower.h.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/session/pair/follower.h"
#include "server/session/service.h"

enum {
    HELD_BYTES_MAX = 64 << 20, // bytes of sessions' records that wait for a takeover of a world
    TAKEOVER_MS = 5000
};

static void note_held(int64_t bytes)
{
    memory_note(MEMORY_standbys, NULL, bytes);
}

void source_free(pairs *p, source *s)
{
    note_held(-(int64_t)s->held.size);
    array_swap_remove_value(&p->sources, s);
    shipped_deinit(&s->sessions);
    buffer_deinit(&s->held);
    free(s);
}

void source_free_unused(pairs *p, source *s)
{
    for (uint32_t i = 0; i < p->followers.count; i++) {
        if (p->followers.data[i]->from == s) {
            return;
        }
    }
    if (s->link == NULL) {
        source_free(p, s);
    }
}

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

// ---- records of sessions

static void accept_session(source *from, const uint8_t *bytes, size_t size)
{
    if (!shipped_take(&from->sessions, bytes, size) && !from->overfull) {
        from->overfull = true;
        log_warn("server '%s' has sessions that could not be resumed here", from->node);
    }
}

// Whether sessions are still to be as they were at a world's last tick there: when its server
// hears first who serves the world now, it ends their subscriptions.
static bool awaits_world(const pairs *p, const source *from)
{
    for (uint32_t i = 0; i < p->followers.count; i++) {
        const follower *f = p->followers.data[i];
        if (f->from == from && f->yielded && !f->placed && !f->gone) {
            return true;
        }
    }
    return false;
}

// Whether this server is taking a world over from that server, which has ended or cannot be
// reached: this server's sessions of the world are older than the world. Where the fleet's store
// does not answer, sessions are not kept from their other worlds for long.
static bool takes_over(const pairs *p, const source *from)
{
    for (uint32_t i = 0; i < p->followers.count; i++) {
        const follower *f = p->followers.data[i];
        if (f->from == from && f->missed && !f->beaten && !f->placed && !f->gone &&
            (f->taking || uv_now(p->server->loop) - f->missed_ms < TAKEOVER_MS)) {
            return true;
        }
    }
    return false;
}

static void delay_session(source *from, const uint8_t *bytes, size_t size)
{
    uint8_t head[4];
    put32(head, (uint32_t)size);
    buffer_append(&from->held, head, sizeof head);
    buffer_append(&from->held, bytes, size);
    note_held((int64_t)(sizeof head + size));
}

static void accept_delayed(source *from)
{
    for (size_t at = 0; at < from->held.size;) {
        const uint32_t size = get32(from->held.data + at);
        accept_session(from, from->held.data + at + 4, size);
        at += 4 + size;
    }
    note_held(-(int64_t)from->held.size);
    buffer_deinit(&from->held); // up to HELD_BYTES_MAX
    buffer_init(&from->held, 2 * (size_t)HELD_BYTES_MAX);
}

void source_release_sessions(const pairs *p, source *from)
{
    if (from->held.size > 0 && !awaits_world(p, from)) {
        accept_delayed(from);
    }
}

void source_receive_session(const pairs *p, source *from, const uint8_t *bytes, size_t size)
{
    if (from->held.size + size <= HELD_BYTES_MAX && awaits_world(p, from)) {
        delay_session(from, bytes, size);
    } else {
        accept_delayed(from); // too many bytes wait, or nothing to wait for
        accept_session(from, bytes, size);
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
        if (shipped_find(&from->sessions, number) != NULL &&
            (awaits_world(s->pairs, from) || takes_over(s->pairs, from))) {
            return error_set(err, STATUS_UNAVAILABLE,
                             "resume: a world of the session is about to come from server '%s': "
                             "try again",
                             from->node);
        }
    }
    return STATUS_OK;
}

// ---- answers

void source_refuse(const source *from, uint64_t epoch, const char *why)
{
    uint8_t head[8];
    put64(head, epoch);
    if (from->link != NULL) {
        (void)peer_send(from->link, PAIR_REFUSE, head, sizeof head, why, strlen(why));
    }
}
