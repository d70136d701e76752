// A connection of a relay to an upstream: hello, world.list, and whom a message is for. See
// upstreams.h.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/base/tag.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "proto/limits.h"
#include "proto/log/log_compact.h"
#include "server/base/metrics.h"
#include "server/auth/token_file.h"
#include "server/fleet/records.h"
#include "server/session/placement/worlds.h"
#include "server/session/relay/internal.h"
#include "server/session/service.h"

static const uint64_t EPOCH_MAX = (uint64_t)1 << 53; // those that JavaScript holds

static const char *address_of(const upstream *u)
{
    return u->target->address;
}

uint32_t upstream_next_id(upstream *u)
{
    u->next_id = u->next_id == UINT32_MAX ? 1 : u->next_id + 1;
    return u->next_id;
}

static void forget_rows(upstream *u)
{
    for (uint32_t i = 0; i < u->rows.count; i++) {
        free(u->rows.data[i].name);
        free(u->rows.data[i].bytes);
    }
    array_clear(&u->rows);
}

// ---- the connection ends

static void on_link_lost(void *context, const char *why)
{
    upstream *u = context;
    u->link = NULL;
    u->greeted = false;
    upstreams_show(u->of);
    u->hello_id = u->list_id = 0;
    u->dial_ms = uv_now(u->of->server->loop) + u->retry_ms;
    u->retry_ms = 2 * u->retry_ms < RELAY_RETRY_MS_MAX ? 2 * u->retry_ms : RELAY_RETRY_MS_MAX;
    snprintf(u->failure, sizeof u->failure, "%s", why);
    if (!u->failing) {
        log_warn("relay: no connection to %s: %s; worlds stand still until there is one",
                 address_of(u), why);
        u->failing = true;
    }
    metrics_add(METRIC_relay_disconnects, 1);
    mirrored_lost(u);
}

void upstream_break(upstream *u, const char *why)
{
    if (u->link != NULL) {
        uplink_end(u->link);
        on_link_lost(u, why);
    }
}

void upstream_end(upstream *u)
{
    if (u->link != NULL) {
        uplink_end(u->link);
        u->link = NULL;
    }
}

static void on_link_freed(void *context)
{
    const upstream *u = context;
    upstreams_let_go(u->of);
}

// ---- requests

static void say_hello(void *context)
{
    upstream *u = context;
    const char *path = u->of->server->options->relay.token;
    char *token = NULL;
    error err;
    buffer out;
    if (path != NULL && token_file_read(path, &token, &err) != STATUS_OK) {
        upstream_break(u, err.text);
        return;
    }
    buffer_init(&out, WIRE_TOKEN_BYTES_MAX + 256);
    msgpack_packer k = buffer_packer(&out);
    u->hello_id = upstream_next_id(u);
    rpc_pack_request(&k, u->hello_id, "hello");
    msgpack_pack_map(&k, token != NULL ? 3 : 2);
    rpc_pack_text(&k, "protocol");
    msgpack_pack_uint64(&k, PROTOCOL_VERSION);
    rpc_pack_text(&k, "client");
    rpc_pack_text(&k, "caromd --relay " CAROM_VERSION);
    if (token != NULL) {
        rpc_pack_text(&k, "token");
        rpc_pack_text(&k, token);
    }
    ASSERT(!out.overflow);
    uplink_send(u->link, &out);
    free(token);
}

static void ask_list(upstream *u)
{
    buffer out;
    buffer_init(&out, 256);
    msgpack_packer k = buffer_packer(&out);
    u->list_id = upstream_next_id(u);
    u->listed_ms = uv_now(u->of->server->loop);
    rpc_pack_request(&k, u->list_id, "world.list");
    msgpack_pack_map(&k, 0);
    uplink_send(u->link, &out);
}

// ---- answers

static bool read_count(const msgpack_object *map, const char *key, uint64_t *out)
{
    const msgpack_object *value = map->type == MSGPACK_OBJECT_MAP ? rpc_map_get(map, key) : NULL;
    const bool is = value != NULL && value->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
    *out = is ? value->via.u64 : 0;
    return is;
}

static void take_hello(upstream *u, const rpc_message *m)
{
    uint64_t engine = 0;
    uint64_t compact = 0;
    error why;
    char text[ERROR_TEXT_MAX];
    if (m->error.type != MSGPACK_OBJECT_NIL) {
        rpc_parse_error(&m->error, &why);
        snprintf(text, sizeof text, "hello: %.180s", why.text);
        upstream_break(u, text);
        return;
    }
    if (!read_count(&m->result, "engine", &engine) || engine != ENGINE_BEHAVIOUR) {
        snprintf(text, sizeof text, "its engine has number %" PRIu64 ", this one has %d", engine,
                 ENGINE_BEHAVIOUR);
        upstream_break(u, text);
        return;
    }
    (void)read_count(&m->result, "compact", &compact);
    u->compact = compact == log_compact_tables() ? (uint32_t)compact : 0;
    u->greeted = true;
    u->dials = 0;
    upstreams_show(u->of);
    u->failing = false;
    u->retry_ms = RELAY_RETRY_MS;
    snprintf(u->failure, sizeof u->failure, "no image came within 10 s");
    log_info("relay: worlds of %s are served here", address_of(u));
    ask_list(u);
    mirrored_pulse(u->of);
}

// False: it is no row of a world that can be served here.
static bool read_row(const upstream *u, const msgpack_object *o, upstream_row *out)
{
    const msgpack_object *name = o->type == MSGPACK_OBJECT_MAP ? rpc_map_get(o, "world") : NULL;
    buffer bytes;
    if (name == NULL || name->type != MSGPACK_OBJECT_STR ||
        !world_name_valid(name->via.str.ptr, name->via.str.size) ||
        !read_count(o, "epoch", &out->epoch) || out->epoch == 0 || out->epoch > EPOCH_MAX) {
        return false;
    }
    buffer_init(&bytes, RELAY_ROW_BYTES_MAX);
    msgpack_packer k = buffer_packer(&bytes);
    msgpack_pack_object(&k, *o);
    if (bytes.overflow) {
        buffer_deinit(&bytes);
        return false;
    }
    out->of = u;
    out->bytes = buffer_take(&bytes, &out->size);
    out->name = strndup(name->via.str.ptr, name->via.str.size);
    ASSERT_MEMORY(out->name != NULL);
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const upstream_row *)a)->name, ((const upstream_row *)b)->name);
}

// Keeps the first of several rows with one name.
static void drop_doubles(upstream *u)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < u->rows.count; i++) {
        upstream_row *row = &u->rows.data[i];
        if (kept > 0 && strcmp(u->rows.data[kept - 1].name, row->name) == 0) {
            free(row->name);
            free(row->bytes);
        } else {
            u->rows.data[kept++] = *row;
        }
    }
    u->rows.count = kept;
}

static void take_list(upstream *u, const rpc_message *m)
{
    if (m->error.type != MSGPACK_OBJECT_NIL) {
        error why;
        rpc_parse_error(&m->error, &why);
        log_debug("relay: world.list of %s: %s", address_of(u), why.text);
        return; // asked again
    }
    if (m->result.type != MSGPACK_OBJECT_ARRAY || m->result.via.array.size > RELAY_LIST_MAX) {
        upstream_break(u, "world.list: its answer is no list of at most 65536 worlds");
        return;
    }
    forget_rows(u);
    for (uint32_t i = 0; i < m->result.via.array.size; i++) {
        upstream_row row = {0};
        if (read_row(u, &m->result.via.array.ptr[i], &row)) {
            array_push(&u->rows, row);
        }
    }
    if (u->rows.count > 0) {
        qsort(u->rows.data, u->rows.count, sizeof *u->rows.data, by_name);
        drop_doubles(u);
    }
    u->listed = true;
    upstreams_show(u->of);
}

// ---- messages

// The bytes of a notification's map: [2, method, [map]].
static bool find_map(const uint8_t *bytes, size_t size, const uint8_t **map, size_t *map_size)
{
    static const tag_kind PARTS[] = {TAG_ARRAY, TAG_INTEGER, TAG_STR, TAG_ARRAY};
    size_t at = 0;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        value_head head;
        if (!value_head_read(bytes + at, size - at, &head) || head.kind != PARTS[i]) {
            return false;
        }
        at += head.size + (head.kind == TAG_ARRAY ? 0 : (size_t)head.length);
        if (at > size) {
            return false;
        }
    }
    *map = bytes + at;
    *map_size = size - at;
    return true;
}

static void take_notification(upstream *u, const rpc_message *m, const uint8_t *bytes, size_t size)
{
    const uint8_t *map = NULL;
    size_t map_size = 0;
    if (m->method_size == 7 && memcmp(m->method, "closing", 7) == 0) {
        const msgpack_object *reason = rpc_map_get(&m->params, "reason");
        char text[ERROR_TEXT_MAX];
        const bool has = reason != NULL && reason->type == MSGPACK_OBJECT_STR;
        snprintf(text, sizeof text, "it closes the connection: %.*s",
                 has ? (int)(reason->via.str.size < 200 ? reason->via.str.size : 200) : 0,
                 has ? reason->via.str.ptr : "");
        upstream_break(u, text);
    } else if (find_map(bytes, size, &map, &map_size)) {
        mirrored_notified(u, m, map, map_size);
    }
}

static void take_response(upstream *u, const rpc_message *m)
{
    if (u->hello_id != 0 && m->id == u->hello_id) {
        u->hello_id = 0;
        take_hello(u, m);
    } else if (u->list_id != 0 && m->id == u->list_id) {
        u->list_id = 0;
        take_list(u, m);
    } else {
        (void)mirrored_answered(u, m); // others answer requests of worlds that were let go
    }
}

static void on_message(void *context, const uint8_t *bytes, size_t size)
{
    upstream *u = context;
    rpc_message m;
    error err;
    const rpc_verdict verdict = rpc_decode(bytes, size, &m, &err);
    if (verdict != RPC_GOOD) {
        upstream_break(u, err.text);
        return;
    }
    if (m.kind == RPC_NOTIFICATION) {
        take_notification(u, &m, bytes, size);
    } else if (m.kind == RPC_RESPONSE) {
        take_response(u, &m);
    } else {
        upstream_break(u, "it sent a request");
    }
    rpc_message_deinit(&m);
}

// ---- time

static void dial(upstream *u)
{
    const uplink_handler handler = {.context = u,
                                    .up = say_hello,
                                    .message = on_message,
                                    .ended = on_link_lost,
                                    .freed = on_link_freed};
    u->of->handles++;
    u->silent = 0;
    u->link = uplink_dial(u->of->server->loop, address_of(u),
                          u->target->tls ? u->of->server->options->relay.tls : NULL, u->dials++,
                          &handler);
}

static bool is_silent(upstream *u)
{
    u->silent = u->link == NULL || uplink_was_heard(u->link) ? 0 : u->silent + 1;
    return u->silent >= RELAY_SILENT_PULSES;
}

void upstream_pulse(upstream *u)
{
    const uint64_t now = uv_now(u->of->server->loop);
    if (u->link == NULL && now >= u->dial_ms) {
        dial(u);
    } else if (is_silent(u)) {
        upstream_break(u, "nothing was heard of it for 5 s");
    }
    if (u->greeted && u->list_id == 0 && now - u->listed_ms >= RELAY_LIST_MS) {
        ask_list(u);
    }
}

void upstream_hurry(upstream *u)
{
    u->listed_ms = 0;
}

void upstream_init(upstream *u, upstreams *of, const relay_target *target)
{
    u->of = of;
    u->target = target;
    u->retry_ms = RELAY_RETRY_MS;
    snprintf(u->failure, sizeof u->failure, "it has not answered yet");
}

void upstream_deinit(upstream *u)
{
    ASSERT(u->link == NULL);
    forget_rows(u);
    array_free(&u->rows);
}

const upstream_row *upstream_find(const upstream *u, const char *name, uint64_t epoch)
{
    const upstream_row wanted = {.name = (char *)(uintptr_t)name};
    const upstream_row *row = u->rows.count > 0 ? bsearch(&wanted, u->rows.data, u->rows.count,
                                                          sizeof *u->rows.data, by_name)
                                                : NULL;
    return row != NULL && row->epoch == epoch ? row : NULL;
}
