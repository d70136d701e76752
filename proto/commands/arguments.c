// Errors with their paths, the types of objects, and the map of arguments.
#include "proto/commands/arguments_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/utf8.h"

// ---- errors

// Appends to text[*used …]; text that does not fit is cut off.
static void text_append(char text[ERROR_TEXT_MAX], size_t *used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void text_append(char text[ERROR_TEXT_MAX], size_t *used, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int wanted = vsnprintf(text + *used, ERROR_TEXT_MAX - *used, format, args);
    va_end(args);
    ASSERT(wanted >= 0);
    size_t room = ERROR_TEXT_MAX - 1 - *used;
    *used += (size_t)wanted < room ? (size_t)wanted : room;
}

// Recursion as deep as the protocol nests: commands[i].shapes[i].vertices[i] is 6.
static void place_append(const place *where, char text[ERROR_TEXT_MAX], size_t *used)
{
    if (where == NULL) {
        return;
    }
    place_append(where->up, text, used);
    if (where->name == NULL) {
        text_append(text, used, "[%u]", where->index);
    } else {
        text_append(text, used, "%s%s", where->up == NULL ? "" : ".", where->name);
    }
}

bool decoder_fail(decoder *d, status s, const place *where, const char *format, ...)
{
    if (d->status != STATUS_OK) {
        return false;
    }
    d->status = s;
    char what[2 * ERROR_TEXT_MAX]; // error_set cuts it
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    char path[ERROR_TEXT_MAX] = "";
    size_t used = 0;
    place_append(where, path, &used);
    error_set(d->err, s, "%s%s%s", path, used == 0 ? "" : ": ", what);
    return false;
}

bool decoder_fail_type(decoder *d, const place *where, const char *wanted,
                       const msgpack_object *object)
{
    return decoder_fail(d, STATUS_INVALID_ARGUMENT, where, "expected %s, got %s", wanted,
                        object_type_name(object));
}

// ---- objects

const char *object_type_name(const msgpack_object *object)
{
    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        return "nil";
    case MSGPACK_OBJECT_BOOLEAN:
        return "bool";
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return "int";
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return "float";
    case MSGPACK_OBJECT_STR:
        return "str";
    case MSGPACK_OBJECT_ARRAY:
        return "array";
    case MSGPACK_OBJECT_MAP:
        return "map";
    case MSGPACK_OBJECT_BIN:
        return "bin";
    case MSGPACK_OBJECT_EXT:
        return "ext";
    default:
        return "?";
    }
}

bool object_text(const msgpack_object *object, const char **text, uint32_t *size)
{
    if (object->type == MSGPACK_OBJECT_STR) {
        *text = object->via.str.ptr;
        *size = object->via.str.size;
        return true;
    }
    if (object->type == MSGPACK_OBJECT_BIN) {
        *text = object->via.bin.ptr;
        *size = object->via.bin.size;
        return true;
    }
    return false;
}

// ---- the map

// The names of the list's arguments: all of them, or those that an error's text can show.
static void names_append(const arg_list *list, char text[ERROR_TEXT_MAX])
{
    size_t used = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        text_append(text, &used, "%s%s", i == 0 ? "" : ", ", list->args[i].name);
    }
}

static bool fail_unknown(const arguments *a, const char *key, uint32_t size)
{
    char quoted[UTF8_QUOTE_MAX];
    char hint[SUGGEST_TEXT_MAX];
    char known[ERROR_TEXT_MAX] = "none";
    arg_list_suggest(a->list, key, size, hint);
    names_append(a->list, known);
    // A question ends its sentence.
    return decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                        "unknown argument '%s'%s%s%s takes %s", utf8_quote(quoted, key, size), hint,
                        hint[0] == '\0' ? "; " : " ", a->list->name, known);
}

bool decoder_fail_word(decoder *d, const place *where, const char *wanted, const char *choices,
                       const char *word, uint32_t size)
{
    char quoted[UTF8_QUOTE_MAX];
    char hint[SUGGEST_TEXT_MAX];
    choice_suggest(choices, word, size, hint);
    return decoder_fail(d, STATUS_INVALID_ARGUMENT, where, "unknown word '%s'%s%sexpected %s",
                        utf8_quote(quoted, word, size), hint, hint[0] == '\0' ? "; " : " ", wanted);
}

static bool take_pair(arguments *a, const msgpack_object_kv *pair)
{
    const char *key;
    uint32_t size;
    if (!object_text(&pair->key, &key, &size)) {
        return decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                            "an argument's name is a string, got %s", object_type_name(&pair->key));
    }
    int at = arg_list_find(a->list, key, size);
    if (at < 0) {
        return fail_unknown(a, key, size);
    }
    if (a->values[at] != NULL) {
        return decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                            "argument %s is there twice", a->list->args[at].name);
    }
    a->values[at] = &pair->val;
    return true;
}

// Inside world.apply the world is that of the whole batch.
static bool may_be_missing(const arguments *a, const method_arg *arg)
{
    return !arg->required || (a->decoder->outer != NULL && strcmp(arg->name, "world") == 0);
}

bool arguments_read(arguments *a, decoder *d, const arg_list *list, const msgpack_object *map,
                    const place *where)
{
    ASSERT(list->count <= METHOD_ARGS_MAX);
    *a = (arguments){.decoder = d, .list = list, .where = where};
    if (d->status != STATUS_OK) {
        return false;
    }
    bool empty = map == NULL || (map->type == MSGPACK_OBJECT_ARRAY && map->via.array.size == 0);
    if (!empty && map->type != MSGPACK_OBJECT_MAP) {
        return decoder_fail_type(d, where, "a map of arguments", map);
    }
    for (uint32_t i = 0; !empty && i < map->via.map.size; i++) {
        if (!take_pair(a, &map->via.map.ptr[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (a->values[i] == NULL && !may_be_missing(a, &list->args[i])) {
            return decoder_fail(d, STATUS_INVALID_ARGUMENT, where,
                                "argument %s is missing; expected %s", list->args[i].name,
                                arg_type_name(list->args[i].type));
        }
    }
    return true;
}

// ---- one argument

static uint32_t index_of(const arguments *a, const char *name)
{
    int at = arg_list_find(a->list, name, strlen(name));
    ASSERT(at >= 0);
    return (uint32_t)at;
}

bool argument_find(const arguments *a, const char *name, argument *out)
{
    uint32_t at = index_of(a, name);
    *out = (argument){a->decoder, &a->list->args[at], a->values[at], {a->where, name, 0}};
    return out->value != NULL && a->decoder->status == STATUS_OK;
}

const msgpack_object *arguments_value(const arguments *a, const char *name)
{
    return a->values[index_of(a, name)];
}

place arguments_place(const arguments *a, const char *name)
{
    return (place){a->where, a->list->args[index_of(a, name)].name, 0};
}

bool arguments_given(const arguments *a, const char *name)
{
    return arguments_value(a, name) != NULL;
}

bool arguments_any(const arguments *a)
{
    for (uint32_t i = 0; i < a->list->count; i++) {
        const method_arg *arg = &a->list->args[i];
        if (!arg->required && !arg->routing && a->values[i] != NULL) {
            return true;
        }
    }
    return false;
}
