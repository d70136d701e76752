// See templates.h. Main thread, at the start.
#include "server/session/placement/templates.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/base/suggest.h"
#include "common/base/utf8.h"
#include "common/physics/physics.h"
#include "common/world/players.h"
#include "proto/commands/command_decode.h"
#include "proto/scene/scene_apply.h"
#include "proto/wire/buffer.h"
#include "proto/wire/json.h"
#include "server/session/placement/scenes.h"

void template_deinit(world_template *t)
{
    command_free(&t->create);
    *t = (world_template){0};
}

void templates_free(world_templates *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        template_deinit(&list->data[i]);
    }
    array_free(list);
}

// ---- the keys

static bool is_key(const msgpack_object_kv *pair, const char *key)
{
    const msgpack_object *k = &pair->key;
    return k->type == MSGPACK_OBJECT_STR && k->via.str.size == strlen(key) &&
           memcmp(k->via.str.ptr, key, k->via.str.size) == 0;
}

static status read_number(const char *key, const msgpack_object *value, double least, double most,
                          bool whole, double *out, error *err)
{
    const bool real =
        value->type == MSGPACK_OBJECT_FLOAT32 || value->type == MSGPACK_OBJECT_FLOAT64;
    const bool number = real || value->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
    const double given = real ? value->via.f64 : number ? (double)value->via.u64 : 0.0;
    if (!number || !(given >= least && given <= most) || (whole && given != floor(given))) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: must be a %snumber, %.0f to %.0f", key,
                         whole ? "whole " : "", least, most);
    }
    *out = given;
    return STATUS_OK;
}

// A key that is nearly one of a template's own; world.create's arguments are nothing like them.
static status check_near(const msgpack_object_kv *pair, error *err)
{
    if (pair->key.type != MSGPACK_OBJECT_STR) {
        return STATUS_OK;
    }
    suggestion near;
    char hint[SUGGEST_TEXT_MAX], quoted[UTF8_QUOTE_MAX];
    suggest_begin(&near, pair->key.via.str.ptr, pair->key.via.str.size);
    suggest_offer(&near, "seats", 5);
    suggest_offer(&near, "idle_s", 6);
    return near.best == NULL ? STATUS_OK
                             : error_set(err, STATUS_INVALID_ARGUMENT, "unknown key '%s'%s",
                                         utf8_quote(quoted, near.given, near.given_size),
                                         suggest_text(&near, hint));
}

// Arguments of world.create that a template's worlds get from the server.
static status check_key(const msgpack_object_kv *pair, error *err)
{
    static const char *const OWN[] = {"world", "if_absent", "lifetime", "image", "epoch"};
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
        if (is_key(pair, OWN[i])) {
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "%s: is not a template's to say; it has seats, idle_s, and the other "
                             "arguments of world.create",
                             OWN[i]);
        }
    }
    return check_near(pair, err);
}

// Writes the keys that world.create knows, and a world's name, which world.create requires.
static void pack_create(buffer *out, const msgpack_object_map *map)
{
    msgpack_packer k = buffer_packer(out);
    uint32_t pairs = 1;
    for (uint32_t i = 0; i < map->size; i++) {
        pairs += !is_key(&map->ptr[i], "seats") && !is_key(&map->ptr[i], "idle_s");
    }
    msgpack_pack_map(&k, pairs);
    msgpack_pack_str(&k, 5);
    msgpack_pack_str_body(&k, "world", 5);
    msgpack_pack_str(&k, 8);
    msgpack_pack_str_body(&k, "template", 8);
    for (uint32_t i = 0; i < map->size; i++) {
        if (!is_key(&map->ptr[i], "seats") && !is_key(&map->ptr[i], "idle_s")) {
            msgpack_pack_object(&k, map->ptr[i].key);
            msgpack_pack_object(&k, map->ptr[i].val);
        }
    }
}

static status decode_create(const msgpack_object_map *map, world_template *to, error *err)
{
    buffer bytes;
    msgpack_unpacked args;
    size_t at = 0;
    buffer_init(&bytes, 2 * TEMPLATE_BYTES_MAX);
    pack_create(&bytes, map);
    ASSERT(!bytes.overflow);
    msgpack_unpacked_init(&args);
    const msgpack_unpack_return read =
        msgpack_unpack_next(&args, (const char *)bytes.data, bytes.size, &at);
    ASSERT(read == MSGPACK_UNPACK_SUCCESS);
    const status s = command_decode(METHOD_WORLD_CREATE, &args.data, &to->create, err);
    msgpack_unpacked_destroy(&args);
    buffer_deinit(&bytes);
    if (s == STATUS_OK && !to->create.create.has_players) {
        to->create.create.has_players = true;
        to->create.create.players = players_default();
    }
    return s;
}

static status read_keys(const msgpack_object *root, world_template *to, error *err)
{
    double seats = 0.0;
    double idle_s = TEMPLATE_IDLE_S;
    if (root->type != MSGPACK_OBJECT_MAP) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be an object: {\"seats\": …, …}");
    }
    const msgpack_object_map *map = &root->via.map;
    status s = STATUS_OK;
    for (uint32_t i = 0; i < map->size && s == STATUS_OK; i++) {
        const msgpack_object_kv *pair = &map->ptr[i];
        if (is_key(pair, "seats")) {
            s = read_number("seats", &pair->val, 1, WORLD_SEATS_MAX, true, &seats, err);
        } else if (is_key(pair, "idle_s")) {
            s = read_number("idle_s", &pair->val, 1, TEMPLATE_IDLE_S_MAX, false, &idle_s, err);
        } else {
            s = check_key(pair, err);
        }
    }
    if (s == STATUS_OK && seats == 0.0) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "seats: is missing: 1 to %d", WORLD_SEATS_MAX);
    }
    to->seats = (uint32_t)seats;
    to->idle_ms = (uint64_t)(idle_s * 1000.0);
    return s == STATUS_OK ? decode_create(map, to, err) : s;
}

status template_parse(const char *name, const char *text, size_t size, world_template *out,
                      error *err)
{
    ASSERT(strlen(name) <= TEMPLATE_NAME_BYTES_MAX);
    buffer bytes;
    buffer_init(&bytes, 2 * TEMPLATE_BYTES_MAX);
    *out = (world_template){0};
    memcpy(out->name, name, strlen(name) + 1);
    status s = json_text_to_msgpack(text, size, &bytes, err);
    if (s == STATUS_OK) {
        msgpack_unpacked root;
        size_t at = 0;
        msgpack_unpacked_init(&root);
        const msgpack_unpack_return read =
            msgpack_unpack_next(&root, (const char *)bytes.data, bytes.size, &at);
        ASSERT(read == MSGPACK_UNPACK_SUCCESS);
        s = read_keys(&root.data, out, err);
        msgpack_unpacked_destroy(&root);
    }
    buffer_deinit(&bytes);
    if (s != STATUS_OK) {
        template_deinit(out);
    }
    return s;
}

// ---- the file

static status read_file(const char *path, char *out, size_t *size, error *err)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return error_set(err, STATUS_NOT_FOUND, "cannot be read: %s", strerror(errno));
    }
    *size = fread(out, 1, TEMPLATE_BYTES_MAX + 1, file);
    const bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (failed) {
        return error_set(err, STATUS_UNAVAILABLE, "cannot be read: it is no plain file");
    }
    if (*size > TEMPLATE_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "must have at most %d bytes",
                         TEMPLATE_BYTES_MAX);
    }
    return STATUS_OK;
}

// Makes a world of the template, to report errors that only show then.
static status try_out(const world_template *t, const char *scenes, const limits *bounds, error *err)
{
    const world_create_args *args = &t->create.create;
    scene from;
    const bool has_scene = args->scene != NULL;
    status s = has_scene ? scenes_load(scenes, args->scene, &from, err) : STATUS_OK;
    if (s != STATUS_OK) {
        error_prefix(err, "scene");
        return s;
    }
    world_def base = has_scene ? scene_world_def(&from) : world_def_default();
    world_def def = command_world_def(args, &base);
    const capacity_limits room = limits_room(bounds);
    physics_world *made = NULL;
    if ((args->fields & WORLD_FIELD_BODIES_MAX) != 0 && def.bodies_max > bounds->bodies_per_world) {
        s = error_set(err, STATUS_LIMIT_EXCEEDED, "max_bodies: bodies_per_world is %" PRIu64,
                      bounds->bodies_per_world);
    }
    if (def.bodies_max > bounds->bodies_per_world) {
        def.bodies_max = (uint32_t)bounds->bodies_per_world;
    }
    if (s == STATUS_OK) {
        s = world_create(&def, &made, err);
        if (s != STATUS_OK && has_scene && args->fields == 0) {
            error_prefix(err, "world");
            scene_blame(&from, err);
        }
    }
    if (s == STATUS_OK && has_scene) {
        s = scene_apply(made, &from, &room, err);
    }
    world_free(made);
    if (has_scene) {
        scene_deinit(&from);
    }
    return s;
}

status template_read(const char *name, const char *path, const char *scenes, const limits *bounds,
                     world_template *out, error *err)
{
    char *text = malloc(TEMPLATE_BYTES_MAX + 1);
    ASSERT_MEMORY(text != NULL);
    size_t size = 0;
    *out = (world_template){0};
    status s = read_file(path, text, &size, err);
    if (s == STATUS_OK) {
        s = template_parse(name, text, size, out, err);
    }
    free(text);
    if (s == STATUS_OK) {
        s = try_out(out, scenes, bounds, err);
        if (s != STATUS_OK) {
            template_deinit(out);
        }
    }
    if (s != STATUS_OK) {
        error_prefix(err, "%s", path);
    }
    return s;
}
