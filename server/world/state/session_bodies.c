// The table of bodies that end with their sessions; see session_bodies.h. The world's thread.
#include "server/world/state/session_bodies.h"

#include "common/base/assert.h"
#include "server/world/state/id_slot.h"

_Static_assert((int)PHYSICS_BODIES_MAX <= (int)ID_SLOT_MASK, "each body has a slot");

void session_bodies_deinit(session_bodies *b)
{
    array_free(&b->by_slot);
}

void session_bodies_add(session_bodies *b, body_id id, uint64_t session)
{
    ASSERT(id != 0 && session != 0);
    uint32_t slot = id_slot(id);
    if (slot >= b->by_slot.count) {
        array_reserve(&b->by_slot, slot + 1); // new elements are zero
        b->by_slot.count = slot + 1;
    }
    b->by_slot.data[slot] = (session_body){id, session};
}

static bool ends_with_session(const command *c)
{
    return c->method == METHOD_BODY_SPAWN && c->spawn.lifetime == LIFETIME_SESSION;
}

bool session_bodies_wanted(const command *c)
{
    bool wanted = ends_with_session(c);
    for (uint32_t i = 0; c->method == METHOD_WORLD_APPLY && i < c->apply.count && !wanted; i++) {
        wanted = ends_with_session(&c->apply.commands[i]);
    }
    return wanted;
}

static void note_one(session_bodies *b, uint64_t session, const command *c,
                     const command_result *result)
{
    if (!ends_with_session(c)) {
        return;
    }
    ASSERT(result->method == METHOD_BODY_SPAWN && result->spawn.body != 0);
    session_bodies_add(b, result->spawn.body, session);
}

void session_bodies_note(session_bodies *b, uint64_t session, const command *c,
                         const command_result *result)
{
    if (c->method != METHOD_WORLD_APPLY) {
        note_one(b, session, c, result);
        return;
    }
    ASSERT(result->batch.count <= c->apply.count);
    for (uint32_t i = 0; i < result->batch.count; i++) {
        note_one(b, session, &c->apply.commands[i], &result->batch.results[i]);
    }
}

body_id session_bodies_take(session_bodies *b, uint64_t session, uint32_t *slot)
{
    ASSERT(session != 0);
    for (; *slot < b->by_slot.count; (*slot)++) {
        session_body *entry = &b->by_slot.data[*slot];
        if (entry->id != 0 && entry->session == session) {
            body_id id = entry->id;
            *entry = (session_body){0};
            (*slot)++;
            return id;
        }
    }
    return 0;
}
