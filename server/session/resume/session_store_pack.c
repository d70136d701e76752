// Sessions into the records of their file; see session_store_records.h. Network thread only.
#include "server/session/resume/session_store_records.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/world/players.h"
#include "server/session/service.h"

static void pack_text(msgpack_packer *p, const char *text)
{
    size_t size = strlen(text);
    msgpack_pack_str(p, size);
    msgpack_pack_str_body(p, text, size);
}

static void pack_bool(msgpack_packer *p, bool value)
{
    if (value) {
        msgpack_pack_true(p);
    } else {
        msgpack_pack_false(p);
    }
}

static void pack_area(msgpack_packer *p, const area *a)
{
    msgpack_pack_array(p, 4);
    msgpack_pack_double(p, a->x0);
    msgpack_pack_double(p, a->y0);
    msgpack_pack_double(p, a->x1);
    msgpack_pack_double(p, a->y1);
}

static void pack_limits(msgpack_packer *p, const limits *of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; limits_info(i) != NULL; i++) {
        count += limits_get(of, limits_info(i)) != UINT64_MAX;
    }
    msgpack_pack_map(p, count);
    for (uint32_t i = 0; limits_info(i) != NULL; i++) {
        uint64_t value = limits_get(of, limits_info(i));
        if (value != UINT64_MAX) {
            pack_text(p, limits_info(i)->name);
            msgpack_pack_uint64(p, value);
        }
    }
}

const role SESSION_STORE_ROLES[ROLE_COUNT] = {ROLE_NONE, ROLE_VIEWER, ROLE_PLAYER, ROLE_ADMIN,
                                              ROLE_REFEREE};

// The role's number in the file.
static int stored_role(role r)
{
    int number = 0;
    while (SESSION_STORE_ROLES[number] != r) {
        number++;
        ASSERT(number < ROLE_COUNT);
    }
    return number;
}

static void pack_players(msgpack_packer *p, const players_bounds *bounds)
{
    uint8_t bytes[WORLD_RULES_BYTES_MAX];
    const size_t size = bounds->fields != 0 ? players_pack(bounds, bytes) : 0;
    msgpack_pack_bin(p, size);
    msgpack_pack_bin_body(p, bytes, size);
}

// [subject, role, expires, worlds or nil, areas, limits, key or nil, players, true for a guest]
static void pack_grant(msgpack_packer *p, const grant *g)
{
    if (g == NULL) {
        msgpack_pack_nil(p);
        return;
    }
    msgpack_pack_array(p, g->guest ? 9 : 8);
    pack_text(p, g->subject);
    msgpack_pack_int(p, stored_role(g->role));
    msgpack_pack_double(p, g->expires);
    if (g->all_worlds) {
        msgpack_pack_nil(p);
    } else {
        msgpack_pack_array(p, g->world_count);
        for (uint32_t i = 0; i < g->world_count; i++) {
            msgpack_pack_array(p, 2);
            pack_text(p, g->worlds[i].text);
            pack_bool(p, g->worlds[i].prefix);
        }
    }
    msgpack_pack_array(p, g->area_count);
    for (uint32_t i = 0; i < g->area_count; i++) {
        pack_area(p, &g->areas[i]);
    }
    pack_limits(p, &g->limits);
    if (g->has_key) {
        msgpack_pack_bin(p, sizeof g->key);
        msgpack_pack_bin_body(p, g->key, sizeof g->key);
    } else {
        msgpack_pack_nil(p);
    }
    pack_players(p, &g->players);
    if (g->guest) {
        pack_bool(p, true);
    }
}

// [[name, epoch, id] ...]
static void pack_gone(msgpack_packer *p, const request_log *log)
{
    msgpack_pack_array(p, log->gone.count);
    for (uint32_t i = 0; i < log->gone.count; i++) {
        const gone_world *g = &log->gone.data[i];
        msgpack_pack_array(p, 3);
        pack_text(p, g->name);
        msgpack_pack_uint64(p, g->last.world);
        msgpack_pack_uint32(p, g->last.id);
    }
}

static void pack_head(msgpack_packer *p, uint32_t elements, session_store_kind kind,
                      uint64_t number)
{
    msgpack_pack_array(p, elements);
    msgpack_pack_int(p, (int)kind);
    msgpack_pack_uint64(p, number);
}

void session_store_pack_session(buffer *out, const session *s)
{
    msgpack_packer p = buffer_packer(out);
    secret digest = s->resume.secret_state == SECRET_DIGESTED ? s->resume.secret
                                                              : secret_digest(&s->resume.secret);
    pack_head(&p, 8, SESSION_STORE_SESSION, s->key.number);
    msgpack_pack_uint32(&p, s->key.slot);
    msgpack_pack_bin(&p, sizeof digest.bytes);
    msgpack_pack_bin_body(&p, digest.bytes, sizeof digest.bytes);
    msgpack_pack_double(&p, s->identity.since);
    pack_text(&p, s->identity.client);
    pack_grant(&p, s->identity.grant);
    pack_gone(&p, &s->calls.requests);
}

void session_store_pack_subscription(buffer *out, const session *s, const session_subscription *of)
{
    const subscribe_args *a = &of->args;
    msgpack_packer p = buffer_packer(out);
    pack_head(&p, 6, SESSION_STORE_SUBSCRIPTION, s->key.number);
    msgpack_pack_uint64(&p, of->number);
    msgpack_pack_uint64(&p, of->world);
    pack_text(&p, of->world_name);
    msgpack_pack_array(&p, of->data != NULL ? 16 : 15);
    msgpack_pack_double(&p, a->rate);
    msgpack_pack_int(&p, (int)a->encoding);
    if (a->has_area) {
        pack_area(&p, &a->area);
    } else {
        msgpack_pack_nil(&p);
    }
    pack_bool(&p, a->bodies);
    msgpack_pack_uint32(&p, a->events);
    pack_bool(&p, a->contacts);
    pack_bool(&p, a->describe);
    msgpack_pack_double(&p, a->precision.position);
    msgpack_pack_double(&p, a->precision.angle);
    msgpack_pack_double(&p, a->precision.velocity);
    msgpack_pack_uint64(&p, a->follow);
    pack_bool(&p, a->own_margin);
    msgpack_pack_double(&p, a->margin);
    msgpack_pack_double(&p, a->budget);
    msgpack_pack_uint32(&p, a->compact);
    if (of->data != NULL) {
        msgpack_pack_array(&p, of->data->count);
        for (uint32_t i = 0; i < of->data->count; i++) {
            pack_text(&p, of->data->texts[i]);
        }
    }
}

void session_store_pack_unsubscribed(buffer *out, const session *s, uint64_t subscription)
{
    msgpack_packer p = buffer_packer(out);
    pack_head(&p, 3, SESSION_STORE_UNSUBSCRIBED, s->key.number);
    msgpack_pack_uint64(&p, subscription);
}

void session_store_pack_end(buffer *out, const session *s)
{
    msgpack_packer p = buffer_packer(out);
    pack_head(&p, 2, SESSION_STORE_END, s->key.number);
}
