// world.list: every world is asked, and the answers are put together in the order of the names.
// Network thread.
#include <stdlib.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "server/session/service.h"

typedef struct listing {
    session_key asker;
    uint32_t id;
    bool answerable;
    int64_t received_ns;
    uint32_t count, left;
    buffer parts[]; // {world …} each; empty for a world that ended meanwhile
} listing;

static void finish_listing(server *s, listing *l)
{
    session *asker = server_find_session(s, l->asker);
    uint32_t found = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        found += l->parts[i].size > 0 ? 1 : 0;
    }
    buffer out;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&out);
    msgpack_pack_array(&packer, found);
    for (uint32_t i = 0; i < l->count; i++) {
        buffer_append(&out, l->parts[i].data, l->parts[i].size);
        buffer_deinit(&l->parts[i]);
    }
    ASSERT(!out.overflow);
    if (asker != NULL) {
        asker->in_flight--;
        if (l->answerable) {
            session_answer(asker, l->id, out.data, out.size, NULL);
        }
        session_settle(asker);
    }
    buffer_deinit(&out);
    free(l);
}

void worlds_listed(server *s, reply *r)
{
    listing *l = r->reply_to.context;
    size_t size = 0;
    const uint8_t *part = reply_payload(r, &size);
    if (r->status == STATUS_OK) {
        buffer_append(&l->parts[r->subscription], part, size);
    }
    if (--l->left == 0) {
        finish_listing(s, l);
    }
}

// A world that is not served: its name and place in the log are known.
static void encode_broken(buffer *out, const world_entry *entry)
{
    const world_status told = {.world = entry->name,
                               .epoch = entry->number,
                               .tick = entry->tick,
                               .def = world_def_default(),
                               .paused = true,
                               .durability = (durability)entry->durability,
                               .unavailable = entry->broken};
    encode_world_status(out, &told);
}

void worlds_tell_broken(const call *c, const world_entry *entry)
{
    buffer out;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    encode_broken(&out, entry);
    if (c->answerable) {
        session_answer(c->session, c->id, out.data, out.size, NULL);
    }
    buffer_deinit(&out);
}

status worlds_list(server *s, const call *c, error *err)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->worlds.by_name.count; i++) {
        const world_entry *entry = s->worlds.by_name.data[i];
        bool shown = rights_allows_world(c->session, entry->name);
        bool asked = shown && entry->broken == NULL;
        status admitted = asked ? worlds_check_capacity(s, entry, NULL, 0, err) : STATUS_OK;
        if (admitted != STATUS_OK) {
            return admitted;
        }
        count += shown;
    }
    listing *l = calloc(1, sizeof *l + count * sizeof *l->parts);
    ASSERT_MEMORY(l != NULL);
    *l = (listing){.asker = c->session->key,
                   .id = c->id,
                   .answerable = c->answerable,
                   .received_ns = c->received_ns,
                   .count = count,
                   .left = count + 1}; // one for this function
    c->session->in_flight++;
    for (uint32_t i = 0, at = 0; at < count; i++) {
        world_entry *entry = s->worlds.by_name.data[i];
        if (!rights_allows_world(c->session, entry->name)) {
            continue;
        }
        buffer *part = &l->parts[at++];
        buffer_init(part, WIRE_MESSAGE_BYTES_MIN);
        if (entry->broken != NULL) {
            encode_broken(part, entry);
            l->left--;
            continue;
        }
        command ask = {.method = METHOD_WORLD_LIST};
        request *r = worlds_request(NULL, entry, &ask);
        r->reply_to.context = l;
        r->subscription = at - 1;
        r->actor.confined = rights_confined(c->session);
        worlds_count_in(s, entry, r);
        worlds_deliver(entry, r);
    }
    if (--l->left == 0) {
        finish_listing(s, l);
    }
    return STATUS_OK;
}
