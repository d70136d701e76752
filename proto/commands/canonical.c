// Canonical arguments, written from the table: each type of argument has one writer, and a new
// argument needs no code here. Pure except for the buffer; any thread, one at a time.
#include "proto/commands/canonical.h"

#include <msgpack.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/commands/arguments.h"
#include "proto/encode/encode_pack.h"
#include "proto/methods.h"

// The setting that the arguments of a command are written for.
typedef struct setting {
    bool inside; // the arguments are inside world.apply
    // owner of bodies spawned, and subject of messages sent, without that argument; NULL: nobody
    const char *owner;
} setting;

static const setting PLAIN = {false, NULL};

static void pack_list(packer *k, const arg_list *list, const msgpack_object *map, setting of);

// ---- values

static double number_of(const msgpack_object *value)
{
    switch (value->type) {
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return (double)value->via.u64;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return (double)value->via.i64;
    default:
        ASSERT(value->type == MSGPACK_OBJECT_FLOAT32 || value->type == MSGPACK_OBJECT_FLOAT64);
        return value->via.f64;
    }
}

static void pack_integer(packer *k, const msgpack_object *value)
{
    msgpack_pack_int64(k, (int64_t)number_of(value)); // within +-2^53: exact
}

static void pack_mask_value(packer *k, const msgpack_object *value)
{
    if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER) {
        msgpack_pack_int64(k, (int64_t)value->via.u64);
    } else if (value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
        msgpack_pack_int64(k, value->via.i64);
    } else {
        pack_integer(k, value);
    }
}

// An id, or {"$": index}.
static void pack_id(packer *k, const msgpack_object *value)
{
    if (value->type != MSGPACK_OBJECT_MAP) {
        pack_integer(k, value);
        return;
    }
    ASSERT(value->via.map.size == 1);
    pack_map(k, 1);
    pack_text(k, "$");
    pack_integer(k, &value->via.map.ptr[0].val);
}

static void pack_string(packer *k, const msgpack_object *value)
{
    const char *text = NULL;
    uint32_t size = 0;
    bool is_text = object_text(value, &text, &size);
    ASSERT(is_text);
    msgpack_pack_str(k, size);
    msgpack_pack_str_body(k, text, size);
}

// Packs a number, or an array of numbers however deeply nested.
static void pack_numbers_of(packer *k, const msgpack_object *value)
{
    if (value->type != MSGPACK_OBJECT_ARRAY) {
        pack_double(k, number_of(value));
        return;
    }
    pack_array(k, value->via.array.size);
    for (uint32_t i = 0; i < value->via.array.size; i++) {
        pack_numbers_of(k, &value->via.array.ptr[i]); // vertices nest two deep: the decoder has
                                                      // checked that
    }
}

static void pack_words(packer *k, const method_arg *arg, const msgpack_object *value)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < value->via.array.size; i++) {
        const char *text = NULL;
        uint32_t size = 0;
        object_text(&value->via.array.ptr[i], &text, &size);
        int at = choice_find(arg->choices, text, size);
        ASSERT(at >= 0 && at < 32);
        bits |= 1u << at;
    }
    pack_array(k, (uint32_t)__builtin_popcount(bits));
    for (uint32_t i = 0; i < 32; i++) {
        if ((bits >> i & 1) != 0) {
            pack_word(k, arg->choices, i);
        }
    }
}

static void pack_shape_of(packer *k, const msgpack_object *value)
{
    ASSERT(value->type == MSGPACK_OBJECT_MAP);
    for (uint32_t i = 0; i < value->via.map.size; i++) {
        const char *text = NULL;
        uint32_t size = 0;
        object_text(&value->via.map.ptr[i].key, &text, &size);
        if (size != 4 || memcmp(text, "kind", 4) != 0) {
            continue;
        }
        object_text(&value->via.map.ptr[i].val, &text, &size);
        for (int kind = 0; kind < METHOD_SHAPE_COUNT; kind++) {
            if (choice_find(METHOD_SHAPES[kind].name, text, size) == 0) {
                pack_list(k, &METHOD_SHAPES[kind], value, PLAIN);
                return;
            }
        }
    }
    ASSERT(false); // the decoder asks for a kind that is known
}

static void pack_shapes(packer *k, const msgpack_object *value)
{
    pack_array(k, value->via.array.size);
    for (uint32_t i = 0; i < value->via.array.size; i++) {
        pack_shape_of(k, &value->via.array.ptr[i]);
    }
}

static void pack_commands(packer *k, const msgpack_object *value, const char *owner)
{
    pack_array(k, value->via.array.size);
    for (uint32_t i = 0; i < value->via.array.size; i++) {
        const msgpack_object *pair = value->via.array.ptr[i].via.array.ptr;
        const char *name = NULL;
        uint32_t size = 0;
        object_text(&pair[0], &name, &size);
        const method_info *info = method_find(name, size);
        ASSERT(info != NULL);
        pack_array(k, 2);
        pack_text(k, info->list.name);
        pack_list(k, &info->list, &pair[1], (setting){true, owner});
    }
}

static void pack_value(packer *k, const method_arg *arg, const msgpack_object *value,
                       const char *owner)
{
    switch (arg->type) {
    case ARG_BOOL:
        pack_bool(k, value->via.boolean);
        break;
    case ARG_INTEGER:
        pack_integer(k, value);
        break;
    case ARG_MASK:
        pack_mask_value(k, value);
        break;
    case ARG_ID:
        pack_id(k, value);
        break;
    case ARG_STRING:
    case ARG_NAME:
    case ARG_CHOICE:
        pack_string(k, value);
        break;
    case ARG_CHOICES:
        pack_words(k, arg, value);
        break;
    case ARG_NUMBER:
    case ARG_VECTOR:
    case ARG_VECTORS:
    case ARG_AREA:
        pack_numbers_of(k, value);
        break;
    case ARG_FILTER: // filters of shapes and of queries have the same names in the same order
        pack_list(k, &METHOD_FILTER, value, PLAIN);
        break;
    case ARG_PLAYERS:
        pack_list(k, &METHOD_PLAYERS, value, PLAIN);
        break;
    case ARG_PRECISION:
        pack_list(k, &METHOD_PRECISION, value, PLAIN);
        break;
    case ARG_SHAPE:
    case ARG_FORM:
        pack_shape_of(k, value);
        break;
    case ARG_SHAPES:
        pack_shapes(k, value);
        break;
    case ARG_COMMANDS:
        pack_commands(k, value, owner);
        break;
    case ARG_BYTES:
    case ARG_ANY:
    case ARG_PREFIXES:
        msgpack_pack_object(k, *value);
        break;
    case ARG_TYPE_COUNT:
        ASSERT(false);
    }
}

// ---- a map

static bool is_owner(const arg_list *list, uint32_t at)
{
    return (list == &METHODS[METHOD_BODY_SPAWN].list &&
            strcmp(list->args[at].name, "owner") == 0) ||
           (list == &METHODS[METHOD_MESSAGE_SEND].list &&
            strcmp(list->args[at].name, "subject") == 0);
}

// The arguments of `map` in the order of the list.
static void pack_list(packer *k, const arg_list *list, const msgpack_object *map, setting of)
{
    const msgpack_object *values[METHOD_ARGS_MAX] = {NULL};
    uint32_t count = 0;
    bool empty = map == NULL || map->type != MSGPACK_OBJECT_MAP; // an empty array
    for (uint32_t i = 0; !empty && i < map->via.map.size; i++) {
        const char *key = NULL;
        uint32_t size = 0;
        object_text(&map->via.map.ptr[i].key, &key, &size);
        int at = arg_list_find(list, key, size);
        ASSERT(at >= 0 && values[at] == NULL);
        if (!list->args[at].routing && (!of.inside || strcmp(list->args[at].name, "world") != 0)) {
            values[at] = &map->via.map.ptr[i].val;
            count++;
        }
    }
    for (uint32_t i = 0; i < list->count && of.owner != NULL; i++) {
        count += is_owner(list, i) && values[i] == NULL;
    }
    pack_map(k, count);
    for (uint32_t i = 0; i < list->count; i++) {
        if (values[i] != NULL) {
            pack_text(k, list->args[i].name);
            pack_value(k, &list->args[i], values[i], of.owner);
        } else if (of.owner != NULL && is_owner(list, i)) {
            pair_text(k, list->args[i].name, of.owner);
        }
    }
}

void arguments_canonical(buffer *out, method m, const msgpack_object *args)
{
    arguments_canonical_owned(out, m, args, NULL);
}

void arguments_canonical_owned(buffer *out, method m, const msgpack_object *args, const char *owner)
{
    ASSERT((unsigned)m < METHOD_COUNT);
    packer k = buffer_packer(out);
    pack_list(&k, &METHODS[m].list, args, (setting){false, owner});
}
