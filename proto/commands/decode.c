// Decodes arguments into commands, with the decoder that the table names. The generated
// decode_plain.c has all decoders except two: world.apply's, which decodes other commands, and
// ping's, whose argument is any value.
#include "proto/commands/command_decode.h"
#include "proto/commands/decode.h"
#include "proto/commands/decode_plain.h"

#include <msgpack.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/utf8.h"
#include "proto/limits.h"
#include "proto/wire/buffer.h"

static void decode_arguments(const arguments *a, command *out);

// ---- world.apply

// The method of commands[i], or NULL.
static const method_info *batch_method(decoder *d, const msgpack_object *object, const place *where)
{
    const char *name;
    uint32_t size;
    char quoted[UTF8_QUOTE_MAX];
    char hint[SUGGEST_TEXT_MAX];
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
        decoder_fail(d, STATUS_UNKNOWN_METHOD, where, "there is no method '%s'%s",
                     utf8_quote(quoted, name, size), method_suggest(name, size, hint));
    } else if (!info->batch) {
        decoder_fail(d, STATUS_INVALID_ARGUMENT, where, "%s cannot stand in world.apply",
                     info->list.name);
        return NULL;
    }
    return info;
}

// The world and the epoch that a command of a batch names itself have to be the batch's.
static void batch_world_check(const arguments *a, const command *outer)
{
    const char *world;
    uint64_t epoch;
    if (arguments_uint64(a, "epoch", &epoch) && epoch != outer->epoch) {
        place where = arguments_place(a, "epoch");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "a command acts on the world of its batch, which names %s; leave epoch out",
                     outer->epoch == 0 ? "no epoch" : "another epoch");
    }
    if (arguments_text(a, "world", &world) && strcmp(world, outer->world) != 0) {
        place where = arguments_place(a, "world");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "a command acts on the world of its batch, %s; leave world out", outer->world);
    }
}

// A batch is of one tick, and so is all that it reads.
static void refuse_past(const arguments *a, const command *c)
{
    double at;
    if (command_past(c, &at)) {
        place where = arguments_place(a, "at");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "a command of a batch reads the world as the batch leaves it; leave at out");
    }
}

static void decode_apply_command(const arguments *a, command *outer)
{
    decoder *d = a->decoder;
    const msgpack_object *elements;
    apply_args *out = &outer->apply;
    *out = (apply_args){0};
    uint32_t late = LATE_REFUSE;
    out->has_at = arguments_uint64(a, "at", &out->at);
    if (arguments_choice(a, "late", &late) && !out->has_at) {
        place where = arguments_place(a, "late");
        decoder_fail(d, STATUS_INVALID_ARGUMENT, &where, "needs a tick (at) that may be over");
    }
    out->late = (late_choice)late;
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
            refuse_past(&inner, &out->commands[i]);
        }
    }
}

// ---- one command

static void decode_none_command(const arguments *a, command *out)
{
    (void)a;
    (void)out;
}

static void decode_ping_command(const arguments *a, command *outer)
{
    ping_args *out = &outer->ping;
    const msgpack_object *any = arguments_value(a, "any");
    decoder *d = a->decoder;
    *out = (ping_args){0};
    if (any == NULL || d->status != STATUS_OK) {
        return;
    }
    buffer bytes;
    buffer_init(&bytes, WIRE_ECHO_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    msgpack_pack_object(&packer, *any);
    if (bytes.overflow) {
        place where = arguments_place(a, "any");
        decoder_fail(d, STATUS_LIMIT_EXCEEDED, &where, "must have at most %d bytes of MessagePack",
                     WIRE_ECHO_BYTES_MAX);
    } else {
        uint8_t *copy = command_memory_take(d->memory, bytes.size, 1);
        memcpy(copy, bytes.data, bytes.size);
        out->any = copy;
        out->any_size = (uint32_t)bytes.size;
    }
    buffer_deinit(&bytes);
}

typedef void decode_function(const arguments *a, command *out);

#define ROW(id, decode) [METHOD_##id] = decode_##decode##_command,
static decode_function *const DECODERS[METHOD_COUNT] = {METHOD_DECODE(ROW)};
#undef ROW

static void decode_arguments(const arguments *a, command *out)
{
    DECODERS[out->method](a, out);
}

// The world's name and epoch belong to the command, not to the struct of arguments.
static void decode_world(const arguments *a, command *out)
{
    const char *name;
    if (arg_list_find(a->list, "world", 5) < 0) {
        return;
    }
    if (arguments_text(a, "world", &name)) {
        memcpy(out->world, name, strlen(name) + 1);
    }
    arguments_uint64(a, "epoch", &out->epoch);
}

status command_decode(method m, const msgpack_object *args, command *out, error *err)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    command made = {.method = m};
    decoder d = {.memory = &made.memory, .err = err};
    arguments a;
    if (arguments_read(&a, &d, &METHODS[m].list, args, NULL)) {
        decode_world(&a, &made);
        decode_arguments(&a, &made);
    }
    if (d.status != STATUS_OK) {
        command_free(&made);
        return d.status;
    }
    *out = made;
    return STATUS_OK;
}
