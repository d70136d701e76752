// Requests as records of a group. Storage thread.
#include "server/storage/turn.h"

#include <string.h>

#include "common/base/assert.h"

_Static_assert(STORAGE_WORLDS_MAX + 2 < STORAGE_GROUP_RECORDS_MAX, "one group has the catalogue");
_Static_assert(STORAGE_WORLDS_MAX *(RECORD_HEADER_BYTES + WORLD_BODY_BYTES +
                                    STORAGE_NAME_BYTES_MAX) <= STORAGE_GROUP_BYTES_MAX,
               "one group has the catalogue");
_Static_assert(RECORD_HEADER_BYTES + STORAGE_RECORD_BYTES_MAX <= STORAGE_GROUP_BYTES_MAX,
               "one group has the largest record");

static void add_world(group_builder *g, const storage_world *w, uint64_t sequence)
{
    uint8_t bytes[WORLD_BODY_BYTES + STORAGE_NAME_BYTES_MAX];
    world_body body = {
        .epoch = w->epoch,
        .durability = (uint8_t)w->durability,
        .checkpoint = w->checkpoint,
    };
    memcpy(body.name, w->name, sizeof body.name);
    record r = {
        .kind = RECORD_WORLD,
        .world = w->number,
        .sequence = sequence,
        .last_tick = w->logged_tick,
        .bytes = bytes,
    };
    r.size = world_body_write(&body, bytes);
    group_add(g, &r);
}

static void add_store(storage *s, group_builder *g, uint64_t oldest)
{
    pthread_mutex_lock(&s->lock);
    record r = {.kind = RECORD_STORE, .world = s->next_world, .sequence = oldest};
    pthread_mutex_unlock(&s->lock);
    group_add(g, &r);
}

void catalogue_add(storage *s, group_builder *g, uint64_t oldest)
{
    add_store(s, g, oldest);
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->worlds.count; i++) {
        const storage_world *w = s->worlds.data[i];
        if (w->stage == STORED_LOGGED) {
            add_world(g, w, w->logged);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static void add_checkpoint(group_builder *g, const store_request *r)
{
    ASSERT(r->checkpoint.exists);
    if (r->world->stage == STORED_UNLOGGED) {
        add_world(g, r->world, r->world->logged); // creating it had failed
        stored_change_stage(r->world, STORED_ENTERING);
    }
    uint8_t bytes[CHECKPOINT_BODY_BYTES];
    checkpoint_body_write(&r->checkpoint, bytes);
    record out = {
        .kind = RECORD_CHECKPOINT,
        .has_hash = r->has_hash,
        .world = r->world->number,
        .sequence = r->sequence,
        .last_tick = r->last_tick,
        .hash = r->hash,
        .bytes = bytes,
        .size = sizeof bytes,
    };
    group_add(g, &out);
}

static void add_append(group_builder *g, const store_request *r)
{
    ASSERT(r->sequence > r->world->logged);
    record out = {
        .kind = RECORD_APPEND,
        .has_hash = r->has_hash,
        .world = r->world->number,
        .sequence = r->sequence,
        .first_tick = r->first_tick,
        .last_tick = r->last_tick,
        .hash = r->hash,
        .bytes = r->bytes->data,
        .size = (uint32_t)r->bytes->size,
    };
    group_add(g, &out);
}

static void add_destroy(group_builder *g, const store_request *r)
{
    record out = {
        .kind = RECORD_DESTROY,
        .world = r->world->number,
        .sequence = r->sequence,
        .first_tick = r->last_tick,
        .last_tick = r->last_tick,
    };
    group_add(g, &out);
}

// Puts the request's records into the group. A world whose log has failed accepts only a new image
// and its own end.
void group_add_request(storage *s, const store_request *r)
{
    storage_world *w = r->world;
    ASSERT((w == NULL) == (r->kind == STORE_TRUNCATE));
    if (r->kind == STORE_TRUNCATE) {
        add_store(s, &s->group, r->sequence);
    }
    if (w == NULL) {
        return;
    }
    bool written = w->durability != STORAGE_NONE;
    switch (r->kind) {
    case STORE_CREATE:
        if (written) {
            add_world(&s->group, w, r->sequence);
            stored_change_stage(w, STORED_ENTERING);
        }
        break;
    case STORE_APPEND:
        if (written && atomic_load(&w->failed)) {
            w->lost = r->sequence; // after the lost record it would leave a gap
        } else if (written) {
            add_append(&s->group, r);
        }
        break;
    case STORE_CHECKPOINTED:
        add_checkpoint(&s->group, r);
        break;
    case STORE_DESTROY:
        if (w->stage == STORED_LOGGED || w->stage == STORED_ENTERING) {
            add_destroy(&s->group, r);
        }
        break;
    case STORE_TRUNCATE:
    case STORE_CHECKPOINT:
    case STORE_RELEASE:
        break;
    }
}
