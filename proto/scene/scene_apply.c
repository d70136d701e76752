// The commands of a scene, decoded and carried out one after the other, as a server would. Called
// by the thread that owns the world.
#include "proto/scene/scene_apply.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/apply.h"
#include "common/world/command.h"
#include "proto/commands/command_decode.h"

static msgpack_object text_object(const char *text)
{
    msgpack_object object = {.type = MSGPACK_OBJECT_STR};
    object.via.str.ptr = text;
    object.via.str.size = (uint32_t)strlen(text);
    return object;
}

// A method's arguments in a scene have no world, which only a call must name.
static status decode_call(const method_info *info, const msgpack_object_map *arguments,
                          command *out, error *err)
{
    msgpack_object_kv pairs[METHOD_ARGS_MAX + 1];
    if (arguments->size > METHOD_ARGS_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "more arguments than %s has",
                         info->list.name);
    }
    if (arguments->size > 0) {
        memcpy(pairs, arguments->ptr, arguments->size * sizeof *pairs);
    }
    pairs[arguments->size] = (msgpack_object_kv){text_object("world"), text_object("scene")};
    msgpack_object map = {.type = MSGPACK_OBJECT_MAP};
    map.via.map.ptr = pairs;
    map.via.map.size = arguments->size + 1;
    status s = command_decode(info->id, &map, out, err);
    if (s == STATUS_OK && out->epoch != 0) {
        command_free(out);
        return error_set(err, STATUS_INVALID_ARGUMENT, "epoch: a scene begins worlds of any epoch");
    }
    return s;
}

// The command in these bytes, which scene_resolve made: [method, arguments].
static status decode(const buffer *bytes, command *out, error *err)
{
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    msgpack_unpack_return got =
        msgpack_unpack_next(&unpacked, (const char *)bytes->data, bytes->size, &offset);
    ASSERT(got == MSGPACK_UNPACK_SUCCESS && unpacked.data.type == MSGPACK_OBJECT_ARRAY);
    const msgpack_object *part = unpacked.data.via.array.ptr;
    const method_info *info = method_find(part[0].via.str.ptr, part[0].via.str.size);
    ASSERT(info != NULL && info->batch); // the scene was loaded
    status s = decode_call(info, &part[1].via.map, out, err);
    msgpack_unpacked_destroy(&unpacked);
    return s;
}

static status apply_one(physics_world *world, const scene *s, const capacity_limits *most,
                        uint32_t index, uint64_t *ids, buffer *bytes, error *err)
{
    command c;
    command_result result;
    buffer_clear(bytes);
    scene_resolve(s, index, ids, s->command_count, bytes);
    ASSERT(!bytes->overflow);
    status got = decode(bytes, &c, err);
    if (got != STATUS_OK) {
        return got;
    }
    got = most != NULL ? capacity_admit(world, most, &c, err) : STATUS_OK;
    if (got == STATUS_OK) {
        got = apply_command(world, &c, &result, err);
    }
    if (got == STATUS_OK) {
        ids[index] = command_result_made(&result);
        command_result_free(&result);
    }
    command_free(&c);
    return got;
}

status scene_apply(physics_world *world, const scene *s, const capacity_limits *most, error *err)
{
    uint64_t *ids = calloc(s->command_count + (size_t)1, sizeof *ids);
    if (ids == NULL) {
        return error_set(err, STATUS_INTERNAL, "out of memory");
    }
    buffer bytes;
    buffer_init(&bytes, SCENE_BYTES_MAX);
    status got = STATUS_OK;
    for (uint32_t i = 0; i < s->command_count && got == STATUS_OK; i++) {
        got = apply_one(world, s, most, i, ids, &bytes, err);
        if (got != STATUS_OK) {
            error_prefix(err, "commands[%u]", s->commands[i].entry);
            scene_blame(s, err);
        }
    }
    buffer_deinit(&bytes);
    free(ids);
    return got;
}
