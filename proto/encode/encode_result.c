// The results of the methods as MessagePack, one function per kind of result; see encode.h.
#include "proto/encode/encode_pack.h"

#include <math.h>

#include "common/base/assert.h"
#include "proto/wire/buffer.h"

void pack_hash(packer *k, uint64_t hash)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(hash >> (56 - 8 * i));
    }
    msgpack_pack_bin(k, sizeof bytes);
    msgpack_pack_bin_body(k, bytes, sizeof bytes);
}

void encode_hash(struct buffer *out, uint64_t hash)
{
    packer k = buffer_packer(out);
    pack_hash(&k, hash);
}

// ---- commands that were applied

static void pack_ids(packer *k, const uint64_t *ids, uint32_t count)
{
    pack_array(k, count);
    for (uint32_t i = 0; i < count; i++) {
        pack_uint(k, ids[i]);
    }
}

static void pack_tick(packer *k, uint64_t tick)
{
    pack_map(k, 1);
    pair_uint(k, "tick", tick);
}

// {name: id, tick}
static void pack_made(packer *k, const char *name, uint64_t id, uint64_t tick)
{
    pack_map(k, 2);
    pair_uint(k, name, id);
    pair_uint(k, "tick", tick);
}

static void pack_spawn(packer *k, const spawn_result *spawn, uint64_t tick)
{
    pack_map(k, 3);
    pair_uint(k, "body", spawn->body);
    pack_text(k, "shapes");
    pack_ids(k, spawn->shapes, spawn->shape_count);
    pair_uint(k, "tick", tick);
}

// joints: [full joint map …]
static void pack_joints(packer *k, const joint_info *joints, uint32_t count)
{
    pack_text(k, "joints");
    pack_array(k, count);
    for (uint32_t i = 0; i < count; i++) {
        pack_joint(k, &joints[i]);
    }
}

// at: the moment that a read named, in ticks; nothing where it named none.
static void pair_at(packer *k, const command_result *r)
{
    if (!r->has_at) {
        return;
    }
    pack_text(k, "at");
    if (r->at == floor(r->at)) {
        pack_uint(k, (uint64_t)r->at);
    } else {
        pack_double(k, r->at);
    }
}

// {at, name: what follows}, or just what follows.
static void pack_list_of(packer *k, const command_result *r, const char *name)
{
    if (r->has_at) {
        pack_map(k, 2);
        pair_at(k, r);
        pack_text(k, name);
    }
}

static void pack_state(packer *k, const command_result *r)
{
    const world_state_result *state = &r->state;
    pack_map(k, 5 + r->has_at);
    pair_at(k, r);
    pair_text(k, "world", state->world);
    pair_uint(k, "tick", r->tick);
    pack_text(k, "hash");
    pack_hash(k, state->hash);
    pack_text(k, "bodies");
    pack_array(k, state->body_count);
    for (uint32_t i = 0; i < state->body_count; i++) {
        pack_body(k, &state->bodies[i], 0);
    }
    pack_joints(k, state->joints, state->joint_count);
}

static void pack_joint_list(packer *k, const joints_result *all, uint64_t tick)
{
    pack_map(k, 3);
    pair_text(k, "world", all->world);
    pair_uint(k, "tick", tick);
    pack_joints(k, all->joints, all->count);
}

static void pack_hits(packer *k, const command_result *r)
{
    const hits_result *hits = &r->hits;
    pack_list_of(k, r, "hits");
    pack_array(k, hits->count);
    for (uint32_t i = 0; i < hits->count; i++) {
        const query_hit *hit = &hits->hits[i];
        pack_map(k, 5);
        pair_uint(k, "body", hit->body);
        pair_uint(k, "shape", hit->shape);
        pair_place(k, "point", hit->point);
        pair_vec2(k, "normal", hit->normal);
        pair_double(k, "fraction", hit->fraction);
    }
}

static void pack_contacts(packer *k, const command_result *r)
{
    const contacts_result *found = &r->contacts;
    pack_map(k, 3 + r->has_at);
    pair_at(k, r);
    pair_text(k, "world", found->world);
    pair_uint(k, "tick", r->tick);
    pack_text(k, "contacts");
    pack_array(k, found->count);
    for (uint32_t i = 0; i < found->count; i++) {
        pack_contact(k, &found->contacts[i]);
    }
}

static void pack_nothing_near(packer *k, const command_result *r)
{
    if (!r->has_at) {
        msgpack_pack_nil(k);
        return;
    }
    pack_map(k, 2);
    pair_at(k, r);
    pack_text(k, "body");
    msgpack_pack_nil(k);
}

static void pack_near(packer *k, const command_result *r)
{
    const query_near *near = &r->near;
    if (near->body == 0) {
        pack_nothing_near(k, r);
        return;
    }
    pack_map(k, 4 + r->has_at);
    pair_at(k, r);
    pair_uint(k, "body", near->body);
    pair_uint(k, "shape", near->shape);
    pair_place(k, "point", near->point);
    pair_double(k, "distance", near->distance);
}

static void pack_found(packer *k, const command_result *r)
{
    pack_list_of(k, r, "bodies");
    pack_ids(k, r->found.bodies, r->found.count);
}

static void pack_result(packer *k, const command_result *r);

static void pack_timing(packer *k, const batch_timing *timing)
{
    pair_uint(k, "late", timing->late);
    pair_double(k, "margin", timing->margin);
}

static void pack_batch(packer *k, const batch_result *batch, uint64_t tick)
{
    pack_map(k, batch->timed ? 4 : 2);
    pair_uint(k, "tick", tick);
    if (batch->timed) {
        pack_timing(k, &batch->timing);
    }
    pack_text(k, "results");
    pack_array(k, batch->count);
    for (uint32_t i = 0; i < batch->count; i++) {
        pack_result(k, &batch->results[i]); // no batch is inside a batch
    }
}

#define PACK(name, call)                                                                           \
    static void pack_##name##_result(packer *k, const command_result *r)                           \
    {                                                                                              \
        call;                                                                                      \
    }

static void pack_body_result(packer *k, const command_result *r)
{
    pack_body(k, &r->body, 1 + r->has_at);
    pair_at(k, r);
    pair_uint(k, "tick", r->tick);
}

PACK(spawn, pack_spawn(k, &r->spawn, r->tick))
PACK(state, pack_state(k, r))
PACK(batch, pack_batch(k, &r->batch, r->tick))
PACK(shape, pack_made(k, "shape", r->shape, r->tick))
PACK(joint, pack_made(k, "joint", r->joint, r->tick))
PACK(joint_info, pack_joint(k, &r->joint_info))
PACK(joints, pack_joint_list(k, &r->joints, r->tick))
PACK(contacts, pack_contacts(k, r))
PACK(hits, pack_hits(k, r))
PACK(found, pack_found(k, r))
PACK(near, pack_near(k, r))
PACK(tick, pack_tick(k, r->tick))

typedef void pack_function(packer *k, const command_result *r);

#define ROW(id, encode) [METHOD_##id] = pack_##encode##_result,
static pack_function *const PACKERS[METHOD_COUNT] = {METHOD_ENCODE(ROW)};
#undef ROW

static void pack_result(packer *k, const command_result *r)
{
    ASSERT((unsigned)r->method < METHOD_COUNT && PACKERS[r->method] != NULL);
    PACKERS[r->method](k, r);
}

void encode_command_result(struct buffer *out, const command_result *r)
{
    packer k = buffer_packer(out);
    pack_result(&k, r);
}

void encode_dropped_result(struct buffer *out, const batch_timing *timing)
{
    packer k = buffer_packer(out);
    pack_map(&k, 3);
    pair_bool(&k, "dropped", true);
    pack_timing(&k, timing);
}

// ---- worlds

void encode_empty_result(struct buffer *out)
{
    packer k = buffer_packer(out);
    pack_map(&k, 0);
}

void encode_world_tick_result(struct buffer *out, const char *world, uint64_t tick)
{
    packer k = buffer_packer(out);
    pack_map(&k, 2);
    pair_text(&k, "world", world);
    pair_uint(&k, "tick", tick);
}

void encode_world_create_result(struct buffer *out, const char *world, uint64_t epoch,
                                uint64_t tick, bool created)
{
    packer k = buffer_packer(out);
    pack_map(&k, 4);
    pair_text(&k, "world", world);
    pair_uint(&k, "epoch", epoch);
    pair_uint(&k, "tick", tick);
    pair_bool(&k, "created", created);
}

void encode_subscribe_result(struct buffer *out, uint64_t subscription, uint64_t epoch,
                             uint64_t tick)
{
    packer k = buffer_packer(out);
    pack_map(&k, 3);
    pair_uint(&k, "subscription", subscription);
    pair_uint(&k, "epoch", epoch);
    pair_uint(&k, "tick", tick);
}

static void pack_world_def(packer *k, const world_def *def)
{
    pair_double(k, "hz", def->hz);
    pair_place(k, "gravity", def->gravity);
    pair_uint(k, "substeps", (uint64_t)def->substeps);
    pair_bool(k, "sleep", def->sleep);
    pair_bool(k, "continuous", def->continuous);
    pair_uint(k, "max_bodies", def->bodies_max);
    pair_double(k, "restitution_threshold", def->restitution_threshold);
    pair_double(k, "hit_threshold", def->hit_threshold);
    pair_double(k, "sleep_speed", def->sleep_speed);
}

static void pack_world_counts(packer *k, const world_counts *counts)
{
    pair_uint(k, "bodies", counts->bodies);
    pair_uint(k, "awake", counts->awake);
    pair_uint(k, "shapes", counts->shapes);
    pair_uint(k, "joints", counts->joints);
    pair_uint(k, "contacts", counts->contacts);
    pair_uint(k, "pairs", counts->pairs);
    pair_uint(k, "frozen", counts->frozen);
}

// The numbers of the world's objects, and the times of its ticks.
static void pack_world_numbers(packer *k, const world_status *w)
{
    pack_world_counts(k, &w->counts);
    pair_uint(k, "subscribers", w->subscribers);
    pack_text(k, "hash");
    pack_hash(k, w->hash);
    pair_double(k, "step_ms", w->step_ms);
    pair_double(k, "rate", w->rate);
    pair_uint(k, "ticks_late", w->ticks_late);
}

static void pack_world_status(packer *k, const world_status *w)
{
    bool failed = w->log_error != NULL && *w->log_error != '\0';
    bool unavailable = w->unavailable != NULL;
    pack_map(k, 4 + 9 + 2 + (w->confined ? 0u : 7u + 5u) + (failed ? 1u : 0u) +
                    (unavailable ? 1u : 0u));
    pair_text(k, "world", w->world);
    pair_uint(k, "epoch", w->epoch);
    pair_uint(k, "tick", w->tick);
    pair_double(k, "time", w->time);
    pack_world_def(k, &w->def);
    pair_bool(k, "paused", w->paused);
    pack_text(k, "durability");
    pack_word(k, choices_of(&METHODS[METHOD_WORLD_CREATE].list, "durability"),
              (uint32_t)w->durability);
    if (!w->confined) {
        pack_world_numbers(k, w);
    }
    if (failed) {
        pair_text(k, "log_error", w->log_error);
    }
    if (unavailable) {
        pair_text(k, "unavailable", w->unavailable);
    }
}

void encode_world_status(struct buffer *out, const world_status *w)
{
    packer k = buffer_packer(out);
    pack_world_status(&k, w);
}

// ---- session and server

void pack_numbers(packer *k, const named_number *numbers, uint32_t count)
{
    pack_map(k, count);
    for (uint32_t i = 0; i < count; i++) {
        const named_number *n = &numbers[i];
        if (n->whole) {
            ASSERT(n->value >= 0.0);
            pair_uint(k, n->name, (uint64_t)n->value);
        } else {
            pair_double(k, n->name, n->value);
        }
    }
}

void encode_ping_result(struct buffer *out, double time, const ping_args *ping)
{
    packer k = buffer_packer(out);
    pack_map(&k, ping->any != NULL ? 2 : 1);
    pair_double(&k, "time", time);
    if (ping->any != NULL) {
        pack_text(&k, "any");
        buffer_append(out, ping->any, ping->any_size);
    }
}

void encode_server_info_result(struct buffer *out, const server_info_result *r)
{
    packer k = buffer_packer(out);
    pack_map(&k, 7);
    pair_text(&k, "server", r->server);
    pair_text(&k, "version", r->version);
    pair_uint(&k, "protocol", PROTOCOL_VERSION);
    pair_double(&k, "uptime", r->uptime);
    pair_uint(&k, "worlds", r->worlds);
    pair_uint(&k, "sessions", r->sessions);
    pack_text(&k, "limits");
    pack_numbers(&k, r->limits, r->limit_count);
}

static void pack_latency(packer *k, const latency_summary *l)
{
    pack_text(k, l->name);
    pack_map(k, l->bins != NULL ? 7 : 6);
    pair_uint(k, "count", l->count);
    pair_double(k, "p50", l->p50);
    pair_double(k, "p90", l->p90);
    pair_double(k, "p99", l->p99);
    pair_double(k, "p999", l->p999);
    pair_double(k, "max", l->max);
    if (l->bins == NULL) {
        return;
    }
    pack_text(k, "bins");
    pack_array(k, l->bin_count);
    for (uint32_t i = 0; i < l->bin_count; i++) {
        pack_array(k, 2);
        pack_double(k, l->bins[i].most);
        pack_uint(k, l->bins[i].count);
    }
}

void encode_server_stats_result(struct buffer *out, const named_number *counters,
                                uint32_t counter_count, const latency_summary *latencies,
                                uint32_t latency_count)
{
    packer k = buffer_packer(out);
    pack_map(&k, 2);
    pack_text(&k, "counters");
    pack_numbers(&k, counters, counter_count);
    pack_text(&k, "latencies");
    pack_map(&k, latency_count);
    for (uint32_t i = 0; i < latency_count; i++) {
        pack_latency(&k, &latencies[i]);
    }
}
