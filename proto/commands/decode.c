// Decodes arguments into commands, with the decoder that the table names: the generated
// decode_plain.c has one for each method. Here are the batch, whose argument is other commands, and
// the argument that may be any value.
#include "proto/commands/command_decode.h"
#include "proto/commands/decode.h"
#include "proto/commands/decode_plain.h"

#include <msgpack.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/utf8.h"
#include "common/world/command_memory.h"
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
        decoder_fail(d, STATUS_INVALID_ARGUMENT, where, "%s is not allowed in world.apply",
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

// A batch applies in one tick, so its reads may not name another one.
static void refuse_past(const arguments *a, const command *c)
{
    double at;
    if (command_past(c, &at)) {
        place where = arguments_place(a, "at");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where,
                     "a command of a batch reads the world as the batch leaves it; leave at out");
    }
}

// A command of the batch, at `where`.
static void decode_element(decoder *d, const msgpack_object *object, const place *where,
                           command *out)
{
    arguments inner;
    const method_info *info = batch_method(d, object, where);
    if (info != NULL && arguments_read(&inner, d, &info->list, &object->via.array.ptr[1], where)) {
        batch_world_check(&inner, d->outer);
        out->method = info->id;
        decode_arguments(&inner, out);
        refuse_past(&inner, out);
    }
}

bool decode_commands(const arguments *a, const char *name, command **out, uint32_t *count)
{
    decoder *d = a->decoder;
    const msgpack_object *elements;
    if (!arguments_array(a, name, &elements, count)) {
        return false;
    }
    ASSERT(d->outer == NULL && out == &d->command->apply.commands); // where references look
    *out = command_memory_take(d->memory, *count, sizeof **out);
    place list = arguments_place(a, name);
    d->outer = d->command;
    for (uint32_t i = 0; i < *count && d->status == STATUS_OK; i++) {
        place element = {&list, NULL, i};
        d->before = i;
        decode_element(d, &elements[i], &element, &(*out)[i]);
    }
    d->outer = NULL;
    return true;
}

// ---- one command

static void decode_none_command(const arguments *a, command *out)
{
    (void)a;
    (void)out;
}

// The server's limit of an argument that may be any value, in brackets; "": it has none.
static const char *limit_of(const arguments *a)
{
    return a->list == &METHODS[METHOD_DATA_SET].list       ? " (data_value_bytes)"
           : a->list == &METHODS[METHOD_MESSAGE_SEND].list ? " (message_data_bytes)"
                                                           : "";
}

bool decode_any(const arguments *a, const char *name, const uint8_t **out, size_t *size)
{
    const msgpack_object *any = arguments_value(a, name);
    decoder *d = a->decoder;
    if (any == NULL || d->status != STATUS_OK) {
        return false;
    }
    buffer bytes;
    buffer_init(&bytes, WIRE_ECHO_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    msgpack_pack_object(&packer, *any);
    if (bytes.overflow) {
        place where = arguments_place(a, name);
        decoder_fail(d, STATUS_LIMIT_EXCEEDED, &where,
                     "must have at most %d bytes of MessagePack%s", WIRE_ECHO_BYTES_MAX,
                     limit_of(a));
    } else {
        uint8_t *copy = command_memory_take(d->memory, bytes.size, 1);
        memcpy(copy, bytes.data, bytes.size);
        *out = copy;
        *size = bytes.size;
    }
    buffer_deinit(&bytes);
    return d->status == STATUS_OK;
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

static status decode_players_of(const msgpack_object *map, players_bounds *out, error *err)
{
    command_memory *memory = NULL;
    decoder d = {.memory = &memory, .err = err};
    const place where = {NULL, "players", 0};
    arguments a;
    *out = (players_bounds){0};
    if (arguments_read(&a, &d, &METHOD_PLAYERS, map, &where)) {
        (void)decode_players_map(&a, out);
    }
    command_memory_free(memory);
    return d.status;
}

status players_decode(const uint8_t *bytes, size_t size, players_bounds *out, error *err)
{
    msgpack_unpacked map;
    size_t at = 0;
    msgpack_unpacked_init(&map);
    status s = msgpack_unpack_next(&map, (const char *)bytes, size, &at) == MSGPACK_UNPACK_SUCCESS
                   ? decode_players_of(&map.data, out, err)
                   : error_set(err, STATUS_INVALID_ARGUMENT, "players: expected a map");
    msgpack_unpacked_destroy(&map);
    return s;
}

// Decodes into the memory, which `out` owns afterwards, and which a failure frees.
static status decode_into(method m, const msgpack_object *args, command_memory *memory,
                          command *out, error *err)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    command made = {.method = m, .memory = memory};
    decoder d = {.memory = &made.memory, .err = err, .command = &made};
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

status command_decode(method m, const msgpack_object *args, command *out, error *err)
{
    return decode_into(m, args, NULL, out, err);
}

// The most that one value becomes, besides its own bytes: an element of world.apply's commands, or
// of a list of shapes; and what is lost to alignment.
enum {
    DECODED_MAX = sizeof(command) > sizeof(shape_def) ? sizeof(command) : sizeof(shape_def),
    VALUE_MEMORY_MAX = DECODED_MAX + 2 * alignof(max_align_t)
};

status command_decode_bounded(method m, const msgpack_object *args, size_t values, size_t bytes,
                              command *out, error *err)
{
    command_memory *memory = NULL;
    if (values > (SIZE_MAX / 2 - bytes) / VALUE_MEMORY_MAX ||
        !command_memory_reserve(&memory, values * VALUE_MEMORY_MAX + bytes)) {
        return error_set(err, STATUS_INTERNAL, "out of memory");
    }
    return decode_into(m, args, memory, out, err);
}
