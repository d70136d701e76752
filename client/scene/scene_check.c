// Checks a scene without a server: its JSON, its expressions, its entries and their names, and the
// arguments of each command, which are decoded as a server decodes them: cut into the world.apply
// calls in which they would be sent. See carom/scene.h.
#include <carom/scene.h>

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "client/scene/place.h"
#include "client/scene/values.h"
#include "common/base/assert.h"
#include "common/base/tag.h"
#include "common/physics/joint.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "proto/commands/command_decode.h"
#include "proto/scene/scene.h"
#include "proto/scene/scene_apply.h"

enum { MADE_EARLIER = 1 }; // stands for the id of an object that an earlier call would make

// ---- one world.apply

static msgpack_object text_object(const char *text)
{
    msgpack_object object = {.type = MSGPACK_OBJECT_STR};
    object.via.str.ptr = text;
    object.via.str.size = (uint32_t)strlen(text);
    return object;
}

// The world that the commands name: one that they name themselves, so that it is the batch's.
static msgpack_object world_of(const msgpack_object_array *commands)
{
    for (uint32_t i = 0; i < commands->size; i++) {
        const msgpack_object_map *arguments = &commands->ptr[i].via.array.ptr[1].via.map;
        for (uint32_t k = 0; k < arguments->size; k++) {
            const msgpack_object *key = &arguments->ptr[k].key;
            const msgpack_object *world = &arguments->ptr[k].val;
            if (key->via.str.size == 5 && memcmp(key->via.str.ptr, "world", 5) == 0 &&
                world->type == MSGPACK_OBJECT_STR &&
                world_name_valid(world->via.str.ptr, world->via.str.size)) {
                return *world;
            }
        }
    }
    return text_object("scene");
}

// The number of values in the bytes, containers and keys counted.
static size_t count_values(const buffer *bytes)
{
    size_t count = 0;
    for (size_t at = 0; at < bytes->size; count++) {
        value_head head;
        bool whole = value_head_read(bytes->data + at, bytes->size - at, &head);
        ASSERT(whole); // the scene packed it
        bool nested = head.kind == TAG_ARRAY || head.kind == TAG_MAP;
        at += head.size + (nested ? 0 : (size_t)head.length);
    }
    return count;
}

// The checks of definitions, which need no world either.
static status check_definition(const command *c, error *err)
{
    switch (c->method) {
    case METHOD_BODY_SPAWN:
        return body_def_check(&c->spawn.def, err);
    case METHOD_BODY_SET:
        return body_fields_check(c->body_set.fields, &c->body_set.values, err);
    case METHOD_JOINT_CREATE:
        return joint_alone_check(&c->joint.def, err);
    default:
        return STATUS_OK;
    }
}

static void count_made(const apply_args *batch, carom_scene_result *result)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        result->bodies += batch->commands[i].method == METHOD_BODY_SPAWN;
        result->joints += batch->commands[i].method == METHOD_JOINT_CREATE;
    }
}

static status check_decoded(const apply_args *batch, error *err)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        status s = check_definition(&batch->commands[i], err);
        if (s != STATUS_OK) {
            error_prefix(err, "commands[%u]", i);
            return s;
        }
    }
    return STATUS_OK;
}

static status check_commands(const msgpack_object *commands, const buffer *bytes,
                             carom_scene_result *result, error *err)
{
    msgpack_object_kv pairs[] = {
        {text_object("world"), world_of(&commands->via.array)},
        {text_object("commands"), *commands},
    };
    msgpack_object arguments = {.type = MSGPACK_OBJECT_MAP};
    arguments.via.map = (msgpack_object_map){2, pairs};
    command batch;
    status s = command_decode_bounded(METHOD_WORLD_APPLY, &arguments, count_values(bytes),
                                      bytes->size, &batch, err);
    if (s == STATUS_OK) {
        s = check_decoded(&batch.apply, err);
        count_made(&batch.apply, result);
        command_free(&batch);
    }
    return s;
}

// ---- the whole scene

static status starved(error *err)
{
    return error_set(err, STATUS_INTERNAL, "memory has run out");
}

static status check_chunk(const buffer *chunk, carom_scene_result *result, error *err)
{
    msgpack_unpacked commands;
    size_t at = 0;
    if (chunk->overflow) {
        return starved(err);
    }
    msgpack_unpacked_init(&commands);
    status s = msgpack_unpack_next(&commands, (const char *)chunk->data, chunk->size, &at) ==
                       MSGPACK_UNPACK_SUCCESS
                   ? check_commands(&commands.data, chunk, result, err)
                   : starved(err);
    msgpack_unpacked_destroy(&commands);
    return s;
}

static status check_chunks(const scene *s, const char *text, size_t size,
                           carom_scene_result *result, error *err)
{
    status outcome = STATUS_OK;
    uint64_t *ids = malloc((s->command_count + (size_t)1) * sizeof *ids);
    if (ids == NULL) {
        return starved(err);
    }
    for (uint32_t i = 0; i < s->command_count; i++) {
        ids[i] = MADE_EARLIER;
    }
    buffer chunk;
    buffer_init(&chunk, SCENE_BYTES_MAX);
    for (uint32_t first = 0, count = 1; count > 0 && outcome == STATUS_OK; first += count) {
        buffer_clear(&chunk);
        count = scene_next_chunk(s, first, ids, SCENE_CHUNK_BYTES_MAX, &chunk);
        outcome = count > 0 ? check_chunk(&chunk, result, err) : STATUS_OK;
        if (outcome != STATUS_OK) {
            (void)place_in_scene(text, size, first, err);
        }
    }
    buffer_deinit(&chunk);
    free(ids);
    return outcome;
}

static status check_scene(const scene *s, const char *text, size_t size, carom_scene_result *result,
                          error *err)
{
    const world_def def = scene_world_def(s);
    status outcome = world_def_check(&def, err);
    if (outcome != STATUS_OK) {
        error_prefix(err, "world");
        return outcome;
    }
    return check_chunks(s, text, size, result, err);
}

carom_status carom_scene_check(const char *text, size_t size, carom_scene_result *result,
                               carom_error *err)
{
    scene loaded;
    struct error refused;
    if (text == NULL) {
        error_set(&refused, STATUS_INVALID_ARGUMENT, "text must not be NULL");
        return values_fault(err, &refused);
    }
    if (scene_load_text(text, size, NULL, &loaded, &refused) != STATUS_OK) {
        return values_fault(err, &refused);
    }
    carom_scene_result counted = {.commands = loaded.command_count};
    status outcome = check_scene(&loaded, text, size, &counted, &refused);
    scene_deinit(&loaded);
    if (outcome != STATUS_OK) {
        return values_fault(err, &refused);
    }
    if (result != NULL) {
        *result = counted;
    }
    return CAROM_OK;
}
