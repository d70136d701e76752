// See shipped.h.
#include "server/session/pair/shipped.h"

#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "proto/wire/scanner.h"
#include "server/base/memory.h"
#include "server/session/resume/resume.h"
#include "server/session/resume/session_store_records.h"
#include "server/session/service.h"
#include "server/world/state/last_requests.h"
#include "server/world/state/session_bodies.h"

enum { NUMBER_AT = 1, SLOT_AT = 2, SUBSCRIPTION_AT = 2, DIGEST_AT = 3, WORLD_AT = 3 };

static void free_record(shipped *s, shipped_record *r)
{
    s->bytes -= r->size;
    memory_note(MEMORY_standbys, NULL, -(int64_t)r->size);
    free(r->bytes);
    *r = (shipped_record){0};
}

static void free_session(shipped *s, shipped_session *one)
{
    free_record(s, &one->itself);
    for (uint32_t i = 0; i < one->subscriptions.count; i++) {
        free_record(s, &one->subscriptions.data[i]);
    }
    array_free(&one->subscriptions);
}

void shipped_deinit(shipped *s)
{
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        free_session(s, &s->sessions.data[i]);
    }
    array_free(&s->sessions);
}

static uint32_t place_of(const shipped *s, uint64_t number)
{
    uint32_t low = 0;
    for (uint32_t high = s->sessions.count; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->sessions.data[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const shipped_session *shipped_find(const shipped *s, uint64_t number)
{
    const uint32_t at = place_of(s, number);
    return at < s->sessions.count && s->sessions.data[at].number == number ? &s->sessions.data[at]
                                                                           : NULL;
}

// ---- records

static void keep(shipped *s, shipped_record *r, const uint8_t *bytes, size_t size)
{
    free_record(s, r);
    r->bytes = malloc(size);
    ASSERT_MEMORY(r->bytes != NULL);
    memcpy(r->bytes, bytes, size);
    r->size = size;
    s->bytes += size;
    memory_note(MEMORY_standbys, NULL, (int64_t)size);
}

static bool take_session(shipped *s, uint64_t number, const msgpack_object_array *all,
                         const uint8_t *bytes, size_t size)
{
    const uint32_t at = place_of(s, number);
    const msgpack_object *digest = all->size > DIGEST_AT ? &all->ptr[DIGEST_AT] : NULL;
    if (digest == NULL || digest->type != MSGPACK_OBJECT_BIN ||
        digest->via.bin.size != SECRET_BYTES) {
        return false;
    }
    if (shipped_find(s, number) == NULL) {
        if (s->sessions.count >= SHIPPED_SESSIONS_MAX) {
            return false;
        }
        const shipped_session made = {.number = number};
        array_insert(&s->sessions, at, made);
    }
    memcpy(s->sessions.data[at].digest.bytes, digest->via.bin.ptr, SECRET_BYTES);
    keep(s, &s->sessions.data[at].itself, bytes, size);
    return true;
}

static bool is_number(const msgpack_object_array *all, uint32_t at)
{
    return all->size > at && all->ptr[at].type == MSGPACK_OBJECT_POSITIVE_INTEGER;
}

static bool take_subscription(shipped *s, shipped_session *of, const msgpack_object_array *all,
                              const uint8_t *bytes, size_t size)
{
    if (!is_number(all, SUBSCRIPTION_AT) || !is_number(all, WORLD_AT)) {
        return false;
    }
    const uint64_t number = all->ptr[SUBSCRIPTION_AT].via.u64;
    uint32_t at = 0;
    while (at < of->subscriptions.count && of->subscriptions.data[at].number != number) {
        at++;
    }
    if (at == SHIPPED_SUBSCRIPTIONS_MAX) {
        return false;
    }
    if (at == of->subscriptions.count) {
        array_push(&of->subscriptions, (shipped_record){.number = number});
    }
    shipped_record *r = &of->subscriptions.data[at];
    keep(s, r, bytes, size);
    r->number = number;
    r->world = all->ptr[WORLD_AT].via.u64;
    return true;
}

static void drop_subscription(shipped *s, shipped_session *of, uint64_t number)
{
    for (uint32_t i = 0; i < of->subscriptions.count; i++) {
        if (of->subscriptions.data[i].number == number) {
            free_record(s, &of->subscriptions.data[i]);
            array_swap_remove(&of->subscriptions, i);
            return;
        }
    }
}

static bool take(shipped *s, const msgpack_object *o, const uint8_t *bytes, size_t size)
{
    const msgpack_object_array *all = &o->via.array;
    if (o->type != MSGPACK_OBJECT_ARRAY || !is_number(all, 0) || !is_number(all, NUMBER_AT)) {
        return false;
    }
    const uint64_t number = all->ptr[NUMBER_AT].via.u64;
    const uint32_t at = place_of(s, number);
    shipped_session *known = shipped_find(s, number) != NULL ? &s->sessions.data[at] : NULL;
    switch (all->ptr[0].via.u64) {
    case SESSION_STORE_SESSION:
        return take_session(s, number, all, bytes, size);
    case SESSION_STORE_SUBSCRIPTION:
        return known == NULL || take_subscription(s, known, all, bytes, size);
    case SESSION_STORE_UNSUBSCRIBED:
        if (known != NULL && is_number(all, SUBSCRIPTION_AT)) {
            drop_subscription(s, known, all->ptr[SUBSCRIPTION_AT].via.u64);
        }
        return true;
    case SESSION_STORE_END:
        if (known != NULL) {
            free_session(s, known);
            array_remove(&s->sessions, at);
        }
        return true;
    default:
        return false;
    }
}

bool shipped_take(shipped *s, const uint8_t *bytes, size_t size)
{
    msgpack_unpacked unpacked;
    size_t offset = 0;
    error ignored;
    if (s->bytes + size > SHIPPED_BYTES_MAX || memory_ask(NULL, size, &ignored) != STATUS_OK ||
        !scanner_passes(bytes, size)) {
        return false;
    }
    msgpack_unpacked_init(&unpacked);
    const bool good = msgpack_unpack_next(&unpacked, (const char *)bytes, size, &offset) ==
                          MSGPACK_UNPACK_SUCCESS &&
                      take(s, &unpacked.data, bytes, size);
    msgpack_unpacked_destroy(&unpacked);
    return good;
}

// ---- sessions

// Sessions are made in pieces, over many turns of the network thread: there may be 100 000, and
// each costs some 20 us.
struct shipped_making {
    const shipped *from;
    server *to;
    restored_world *world;
    session_numbers wanted; // sessions with a body or a mark in the world; the slot says nothing
    uint64_t next;          // sessions of lower numbers were looked at
    uint32_t made;
    bool moved;            // the world's marks are those of this server's slots
    subscribers listeners; // once all sessions are made
};

shipped_making *shipped_begin(const shipped *s, server *to, restored_world *world)
{
    shipped_making *m = malloc(sizeof *m);
    ASSERT_MEMORY(m != NULL);
    *m = (shipped_making){.from = s, .to = to, .world = world};
    const session_bodies *bodies = restore_bodies(world);
    const last_requests *marks = restore_own_marks(world);
    for (uint32_t i = 0; i < bodies->by_slot.count; i++) {
        if (bodies->by_slot.data[i].id != 0 && bodies->by_slot.data[i].session != 0) {
            session_numbers_set(&m->wanted, bodies->by_slot.data[i].session, 0);
        }
    }
    for (uint32_t i = 0; i < marks->by_slot.count; i++) {
        if (marks->by_slot.data[i].session != 0) {
            session_numbers_set(&m->wanted, marks->by_slot.data[i].session, 0);
        }
    }
    return m;
}

uint32_t shipped_end(shipped_making *m)
{
    const uint32_t made = m->made;
    array_free(&m->listeners.all); // the server may end before all are restarted
    session_numbers_deinit(&m->wanted);
    free(m);
    return made;
}

// Passes the record to the session store's reader. `slot` replaces the record's own slot, unless it
// is UINT32_MAX.
static bool read_record(server *to, const shipped_record *r, uint32_t slot)
{
    msgpack_unpacked unpacked;
    size_t offset = 0;
    msgpack_unpacked_init(&unpacked);
    bool good = msgpack_unpack_next(&unpacked, (const char *)r->bytes, r->size, &offset) ==
                MSGPACK_UNPACK_SUCCESS;
    if (good && slot != UINT32_MAX) {
        msgpack_object *at = &unpacked.data.via.array.ptr[SLOT_AT]; // shipped_take() checked it
        *at = (msgpack_object){.type = MSGPACK_OBJECT_POSITIVE_INTEGER, .via.u64 = slot};
    }
    good = good && session_store_read_record(to, &unpacked.data);
    msgpack_unpacked_destroy(&unpacked);
    return good;
}

// Only of that world: the others are elsewhere.
static void read_subscriptions(server *to, const shipped_session *of, uint64_t world)
{
    for (uint32_t i = 0; i < of->subscriptions.count; i++) {
        const shipped_record *r = &of->subscriptions.data[i];
        if (r->world == world && !read_record(to, r, UINT32_MAX)) {
            log_warn("a subscription of session %llu cannot be read",
                     (unsigned long long)of->number);
        }
    }
}

// A record that cannot be read to its end may have made its session.
static void give_back(server *to, uint32_t slot)
{
    if (to->sessions.data[slot] != NULL) {
        resume_end(to->sessions.data[slot]);
    } else {
        array_push(&to->free_slots, slot);
    }
}

static void make(shipped_making *m, const shipped_session *of)
{
    server *to = m->to;
    session *made = server_find_number(to, of->number);
    if (made != NULL && made->connection == NULL) {
        resume_renew(made); // it was at this server before, and its time may be over
    }
    if (made == NULL) {
        const uint32_t slot = session_take_slot(to);
        if (!read_record(to, &of->itself, slot)) {
            give_back(to, slot);
            log_warn("session %llu cannot be read", (unsigned long long)of->number);
            return;
        }
        made = server_find_number(to, of->number);
        m->made += made != NULL ? 1 : 0;
    }
    if (made == NULL) { // there are too many
        return;
    }
    read_subscriptions(to, of, m->world->epoch);
    session_store_note(made);
    for (uint32_t i = 0; i < made->subscriptions.count; i++) {
        session_store_note_subscription(made, &made->subscriptions.data[i]);
    }
}

static bool subscribes(const shipped_session *of, uint64_t world)
{
    for (uint32_t i = 0; i < of->subscriptions.count; i++) {
        if (of->subscriptions.data[i].world == world) {
            return true;
        }
    }
    return false;
}

static void make_next(shipped_making *m)
{
    const shipped_session *of = &m->from->sessions.data[place_of(m->from, m->next)];
    uint32_t ignored = 0;
    if (subscribes(of, m->world->epoch) || session_numbers_find(&m->wanted, of->number, &ignored)) {
        make(m, of);
    }
    m->next = of->number + 1;
}

// Marks are by slot, and slots are this server's own: those of other sessions are dropped.
static void move_marks(const shipped_making *m)
{
    restored_world *w = m->world;
    last_requests *marks = restore_own_marks(w);
    last_requests moved = {0};
    for (uint32_t i = 0; i < marks->by_slot.count; i++) {
        const session_mark *mark = &marks->by_slot.data[i];
        session *of = server_find_number(m->to, mark->session);
        if (of == NULL) {
            continue;
        }
        block_account *before = block_charge(restore_blocks(w));
        last_requests_note(&moved, of->key.slot, mark->session, 0, mark->id);
        block_charge(before);
        request_log_apply(&of->calls.requests, w->epoch, ++of->calls.requests.next, mark->id,
                          limits_worlds_in_all(m->to->limits));
    }
    block_account *before = block_charge(restore_blocks(w));
    last_requests_deinit(marks);
    block_charge(before);
    *marks = moved;
}

bool shipped_make_some(shipped_making *m, const turn *slice)
{
    while (place_of(m->from, m->next) < m->from->sessions.count) {
        make_next(m);
        if (turn_over(slice)) {
            return false;
        }
    }
    if (!m->moved) {
        m->moved = true;
        move_marks(m);
        session_store_find_subscribers(m->to, m->world->epoch, &m->listeners);
    }
    return session_store_subscribe_some(m->to, &m->listeners, slice);
}
