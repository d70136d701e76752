#include "proto/commands/command.h"

#include <msgpack.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/commands/decode.h"
#include "proto/wire/utf8.h"

bool world_name_valid(const char *name, size_t size)
{
    if (size == 0 || size > WORLD_NAME_BYTES_MAX) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!letter && c != '_' && c != '.' && c != '-') {
            return false;
        }
    }
    return true;
}

role command_rights(const command *c)
{
    role most = METHODS[c->method].rights;
    for (uint32_t i = 0; c->method == METHOD_WORLD_APPLY && i < c->apply.count; i++) {
        role rights = METHODS[c->apply.commands[i].method].rights;
        most = rights > most ? rights : most;
    }
    return most;
}

void command_free(command *c)
{
    command_memory_free(c->memory);
    *c = (command){0};
}

static void decode_arguments(const arguments *a, command *out);

// ---- world.apply

// The method of commands[i], or NULL.
static const method_info *batch_method(decoder *d, const msgpack_object *object, const place *where)
{
    const char *name;
    uint32_t size;
    char quoted[UTF8_QUOTE_MAX];
    if (object->type != MSGPACK_OBJECT_ARRAY || object->via.array.size != 2) {
        decoder_fail(d, STATUS_INVALID_ARGUMENT, where, "expected [method, arguments], got %s",
                     object->type == MSGPACK_OBJECT_ARRAY ? "an array of another length"
                                                          : object_type_name(object));
        return NULL;
    }
    if (!object_text(&object->via.array.ptr[0], &name, &size)) {
        decoder_fail(d, STATUS_INVALID_ARGUMENT, where,
                     "the method's name must be a string, got %s",
                     object_type_name(&object->via.array.ptr[0]));
        return NULL;
    }
    const method_info *info = method_find(name, size);
    if (info == NULL) {
        decoder_fail(d, STATUS_UNKNOWN_METHOD, where, "there is no method '%s'",
                     utf8_quote(quoted, name, size));
    } else if (!info->batch) {
        decoder_fail(d, STATUS_INVALID_ARGUMENT, where, "%s cannot stand in world.apply",
                     info->list.name);
        return NULL;
    }
    return info;
}

// The world that a command of a batch names itself has to be the batch's.
static void batch_world_check(const arguments *a, const command *outer)
{
    const char *world;
    if (arguments_text(a, "world", &world) && strcmp(world, outer->world) != 0) {
        place where = arguments_place(a, "world");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "a command acts on the world of its batch, %s; leave world out", outer->world);
    }
}

static void decode_apply(const arguments *a, command *outer)
{
    decoder *d = a->decoder;
    const msgpack_object *elements;
    apply_args *out = &outer->apply;
    *out = (apply_args){0};
    out->has_at = arguments_uint64(a, "at", &out->at);
    if (!arguments_array(a, "commands", &elements, &out->count)) {
        return;
    }
    out->commands = command_memory_take(d->memory, out->count, sizeof *out->commands);
    place list = arguments_place(a, "commands");
    d->outer = outer;
    for (uint32_t i = 0; i < out->count && d->status == STATUS_OK; i++) {
        place element = {&list, NULL, i};
        arguments inner;
        const method_info *info = batch_method(d, &elements[i], &element);
        if (info != NULL &&
            arguments_read(&inner, d, &info->list, &elements[i].via.array.ptr[1], &element)) {
            batch_world_check(&inner, outer);
            out->commands[i].method = info->id;
            d->before = i;
            decode_arguments(&inner, &out->commands[i]);
        }
    }
}

// ---- one command

static void decode_ids(const arguments *a, command *out)
{
    switch (out->method) {
    case METHOD_SHAPE_REMOVE:
        arguments_id(a, "shape", METHOD_SHAPE_ADD, &out->shape);
        break;
    case METHOD_JOINT_REMOVE:
    case METHOD_JOINT_GET:
        arguments_id(a, "joint", METHOD_JOINT_CREATE, &out->joint_id);
        break;
    default:
        arguments_id(a, "body", METHOD_BODY_SPAWN, &out->body);
        break;
    }
}

// The arguments of out->method.
static void decode_arguments(const arguments *a, command *out)
{
    switch (out->method) {
    case METHOD_HELLO:
        decode_hello(a, &out->hello);
        break;
    case METHOD_PING:
        decode_ping(a, &out->ping);
        break;
    case METHOD_SERVER_SESSIONS:
        decode_sessions(a, &out->sessions);
        break;
    case METHOD_SERVER_KICK:
        decode_kick(a, &out->kick);
        break;
    case METHOD_GOODBYE:
    case METHOD_SERVER_INFO:
    case METHOD_SERVER_STATS:
    case METHOD_WORLD_DESTROY:
    case METHOD_WORLD_LIST:
    case METHOD_WORLD_INFO:
    case METHOD_WORLD_PAUSE:
    case METHOD_WORLD_RESUME:
    case METHOD_WORLD_STATE:
    case METHOD_JOINT_LIST:
        break;
    case METHOD_WORLD_CREATE:
        decode_world_create(a, &out->create);
        break;
    case METHOD_WORLD_STEP:
        out->step_ticks = 1;
        arguments_uint32(a, "ticks", &out->step_ticks);
        break;
    case METHOD_WORLD_SET:
        decode_world_set(a, &out->world_set);
        break;
    case METHOD_WORLD_APPLY:
        decode_apply(a, out);
        break;
    case METHOD_WORLD_SUBSCRIBE:
        decode_subscribe(a, &out->subscribe);
        break;
    case METHOD_WORLD_UNSUBSCRIBE:
    case METHOD_WORLD_VIEW:
        decode_view(a, &out->view);
        break;
    case METHOD_BODY_SPAWN:
        decode_body_spawn(a, &out->spawn);
        break;
    case METHOD_BODY_REMOVE:
    case METHOD_BODY_GET:
    case METHOD_SHAPE_REMOVE:
    case METHOD_JOINT_REMOVE:
    case METHOD_JOINT_GET:
        decode_ids(a, out);
        break;
    case METHOD_BODY_SET:
        decode_body_set(a, &out->body_set);
        break;
    case METHOD_BODY_IMPULSE:
        decode_push(a, "impulse", &out->push);
        break;
    case METHOD_BODY_FORCE:
        decode_push(a, "force", &out->push);
        break;
    case METHOD_BODY_ANGULAR_IMPULSE:
        decode_turn(a, "impulse", &out->turn);
        break;
    case METHOD_BODY_TORQUE:
        decode_turn(a, "torque", &out->turn);
        break;
    case METHOD_SHAPE_ADD:
        decode_shape_add(a, &out->shape_add);
        break;
    case METHOD_JOINT_CREATE:
        decode_joint_create(a, &out->joint);
        break;
    case METHOD_JOINT_SET:
        decode_joint_set(a, &out->joint);
        break;
    case METHOD_QUERY_RAY:
        decode_ray(a, &out->ray);
        break;
    case METHOD_QUERY_OVERLAP:
        decode_overlap(a, &out->overlap);
        break;
    case METHOD_QUERY_CAST:
        decode_cast(a, &out->cast);
        break;
    case METHOD_QUERY_NEAREST:
        decode_nearest(a, &out->nearest);
        break;
    case METHOD_COUNT:
        ASSERT(false);
    }
}

// The world's name is part of the command, not of the arguments' struct.
static void decode_world_name(const arguments *a, command *out)
{
    const char *name;
    if (arg_list_find(a->list, "world", 5) >= 0 && arguments_text(a, "world", &name)) {
        memcpy(out->world, name, strlen(name) + 1);
    }
}

status command_decode(method m, const msgpack_object *args, command *out, error *err)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    command made = {.method = m};
    decoder d = {.memory = &made.memory, .err = err};
    arguments a;
    if (arguments_read(&a, &d, &METHODS[m].list, args, NULL)) {
        decode_world_name(&a, &made);
        decode_arguments(&a, &made);
    }
    if (d.status != STATUS_OK) {
        command_free(&made);
        return d.status;
    }
    *out = made;
    return STATUS_OK;
}
