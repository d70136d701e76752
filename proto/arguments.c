#include "proto/arguments.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/utf8.h"

#define EXACT_MAX 9007199254740992.0 // 2^53: up to here every integer is a double

// ---- errors

// Appends to text[*used …]; what does not fit is cut.
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
    char what[ERROR_TEXT_MAX];
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

static bool fail_type(decoder *d, const place *where, const char *wanted,
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

static bool object_number(const msgpack_object *object, double *out)
{
    switch (object->type) {
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        *out = (double)object->via.u64;
        return true;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        *out = (double)object->via.i64;
        return true;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        *out = object->via.f64;
        return true;
    default:
        return false;
    }
}

// ---- the map

static bool fail_unknown(const arguments *a, const char *key, uint32_t size)
{
    char quoted[UTF8_QUOTE_MAX];
    char known[ERROR_TEXT_MAX] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < a->list->count; i++) {
        text_append(known, &used, "%s%s", i == 0 ? "" : ", ", a->list->args[i].name);
    }
    return decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                        "unknown argument '%s'; %s takes %s", utf8_quote(quoted, key, size),
                        a->list->name, used == 0 ? "none" : known);
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
        return fail_type(d, where, "a map of arguments", map);
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

// What a getter works on.
typedef struct argument {
    decoder *decoder;
    const method_arg *arg;
    const msgpack_object *value;
    place where;
} argument;

static uint32_t index_of(const arguments *a, const char *name)
{
    int at = arg_list_find(a->list, name, strlen(name));
    ASSERT(at >= 0);
    return (uint32_t)at;
}

// Whether there is a value to look at.
static bool argument_find(const arguments *a, const char *name, argument *out)
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

// ---- numbers

// A finite number in the argument's range; `where` may be an element of it.
static bool number_of(const argument *g, const msgpack_object *object, const place *where,
                      const char *wanted, double *out)
{
    double value = 0;
    if (!object_number(object, &value)) {
        return fail_type(g->decoder, where, wanted, object);
    }
    if (!isfinite(value)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where,
                            "must be a finite number, got %s", isnan(value) ? "NaN" : "infinity");
    }
    if (value < g->arg->min || value > g->arg->max) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where,
                            "must be from %.16g to %.16g, got %.16g", g->arg->min, g->arg->max,
                            value);
    }
    *out = value;
    return true;
}

bool arguments_bool(const arguments *a, const char *name, bool *out)
{
    argument g;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_BOOL);
    if (g.value->type != MSGPACK_OBJECT_BOOLEAN) {
        return fail_type(g.decoder, &g.where, arg_type_name(ARG_BOOL), g.value);
    }
    *out = g.value->via.boolean;
    return true;
}

bool arguments_number(const arguments *a, const char *name, double *out)
{
    argument g;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_NUMBER);
    return number_of(&g, g.value, &g.where, arg_type_name(ARG_NUMBER), out);
}

bool arguments_float(const arguments *a, const char *name, float *out)
{
    double value = 0;
    if (!arguments_number(a, name, &value)) {
        return false;
    }
    *out = (float)value;
    return true;
}

// An integer of the argument's range, which lies within ±2^53 and so is exact in a double.
static bool integer_of(const argument *g, double *out)
{
    double value = 0;
    ASSERT(g->arg->min >= -EXACT_MAX && g->arg->max <= EXACT_MAX);
    if (!number_of(g, g->value, &g->where, arg_type_name(g->arg->type), &value)) {
        return false;
    }
    if (value != floor(value)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where,
                            "expected an integer, got %.16g", value);
    }
    *out = value;
    return true;
}

static bool integer_find(const arguments *a, const char *name, double *out)
{
    argument g;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_INTEGER);
    return integer_of(&g, out);
}

bool arguments_int32(const arguments *a, const char *name, int32_t *out)
{
    double value = 0;
    if (!integer_find(a, name, &value)) {
        return false;
    }
    *out = (int32_t)value;
    return true;
}

bool arguments_uint32(const arguments *a, const char *name, uint32_t *out)
{
    double value = 0;
    if (!integer_find(a, name, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

// All 64 bits: of an unsigned integer, of a negative one in two's complement, or of a whole float.
static bool mask_of(const argument *g, uint64_t *out)
{
    const msgpack_object *value = g->value;
    double number;
    if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER) {
        *out = value->via.u64;
        return true;
    }
    if (value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
        *out = (uint64_t)value->via.i64;
        return true;
    }
    if (!object_number(value, &number)) {
        return fail_type(g->decoder, &g->where, arg_type_name(ARG_MASK), value);
    }
    if (!(number >= 0 && number <= EXACT_MAX) || number != floor(number)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where,
                            "expected %s, got the float %.16g; write it as an integer",
                            arg_type_name(ARG_MASK), number);
    }
    *out = (uint64_t)number;
    return true;
}

bool arguments_uint64(const arguments *a, const char *name, uint64_t *out)
{
    argument g;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    if (g.arg->type == ARG_MASK) {
        return mask_of(&g, out);
    }
    double value = 0;
    ASSERT(g.arg->type == ARG_INTEGER || g.arg->type == ARG_ID);
    if (!integer_of(&g, &value)) {
        return false;
    }
    *out = (uint64_t)value;
    return true;
}

// ---- vectors

// `count` numbers of an array that has exactly so many.
static bool numbers_of(const argument *g, const msgpack_object *object, const place *where,
                       const char *wanted, double *out, uint32_t count)
{
    if (object->type != MSGPACK_OBJECT_ARRAY) {
        return fail_type(g->decoder, where, wanted, object);
    }
    if (object->via.array.size != count) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where,
                            "expected %s, got an array of %u", wanted, object->via.array.size);
    }
    for (uint32_t i = 0; i < count; i++) {
        place element = {where, NULL, i};
        if (!number_of(g, &object->via.array.ptr[i], &element, "a number", &out[i])) {
            return false;
        }
    }
    return true;
}

bool arguments_vector(const arguments *a, const char *name, vec2d *out)
{
    argument g;
    double v[2];
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_VECTOR);
    if (!numbers_of(&g, g.value, &g.where, arg_type_name(ARG_VECTOR), v, 2)) {
        return false;
    }
    *out = (vec2d){v[0], v[1]};
    return true;
}

bool arguments_vector_float(const arguments *a, const char *name, vec2 *out)
{
    vec2d v;
    if (!arguments_vector(a, name, &v)) {
        return false;
    }
    *out = (vec2){(float)v.x, (float)v.y};
    return true;
}

bool arguments_area(const arguments *a, const char *name, area *out)
{
    argument g;
    double v[4];
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_AREA);
    if (!numbers_of(&g, g.value, &g.where, arg_type_name(ARG_AREA), v, 4)) {
        return false;
    }
    if (v[0] > v[2] || v[1] > v[3]) {
        return decoder_fail(g.decoder, STATUS_INVALID_ARGUMENT, &g.where,
                            "x0 <= x1 and y0 <= y1 in [x0, y0, x1, y1], got [%g, %g, %g, %g]", v[0],
                            v[1], v[2], v[3]);
    }
    *out = (area){v[0], v[1], v[2], v[3]};
    return true;
}

// An array with as many elements as the table allows.
static bool array_of(const argument *g, const msgpack_object **elements, uint32_t *count)
{
    if (g->value->type != MSGPACK_OBJECT_ARRAY) {
        return fail_type(g->decoder, &g->where, arg_type_name(g->arg->type), g->value);
    }
    uint32_t size = g->value->via.array.size;
    if (size < g->arg->count_min || size > g->arg->count_max) {
        return decoder_fail(
            g->decoder, size < g->arg->count_min ? STATUS_INVALID_ARGUMENT : STATUS_LIMIT_EXCEEDED,
            &g->where, "must have %u to %u elements, got %u", g->arg->count_min, g->arg->count_max,
            size);
    }
    *elements = g->value->via.array.ptr;
    *count = size;
    return true;
}

bool arguments_array(const arguments *a, const char *name, const msgpack_object **elements,
                     uint32_t *count)
{
    argument g;
    return argument_find(a, name, &g) && array_of(&g, elements, count);
}

bool arguments_vectors(const arguments *a, const char *name, const vec2 **out, uint32_t *count)
{
    argument g;
    const msgpack_object *elements;
    uint32_t size;
    if (!argument_find(a, name, &g) || !array_of(&g, &elements, &size)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_VECTORS);
    vec2 *points = command_memory_take(g.decoder->memory, size, sizeof *points);
    for (uint32_t i = 0; i < size; i++) {
        place element = {&g.where, NULL, i};
        double v[2];
        if (!numbers_of(&g, &elements[i], &element, arg_type_name(ARG_VECTOR), v, 2)) {
            return false;
        }
        points[i] = (vec2){(float)v[0], (float)v[1]};
    }
    *out = points;
    *count = size;
    return true;
}

// ---- words and texts

static bool word_of(const argument *g, const msgpack_object *object, const place *where,
                    uint32_t *out)
{
    const char *text;
    uint32_t size;
    if (!object_text(object, &text, &size)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where, "expected %s, got %s",
                            g->arg->choices, object_type_name(object));
    }
    int index = choice_find(g->arg->choices, text, size);
    if (index < 0) {
        char quoted[UTF8_QUOTE_MAX];
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where, "expected %s, got '%s'",
                            g->arg->choices, utf8_quote(quoted, text, size));
    }
    *out = (uint32_t)index;
    return true;
}

bool arguments_choice(const arguments *a, const char *name, uint32_t *out)
{
    argument g;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_CHOICE);
    return word_of(&g, g.value, &g.where, out);
}

bool arguments_choices(const arguments *a, const char *name, uint32_t *bits)
{
    argument g;
    const msgpack_object *elements;
    uint32_t count;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_CHOICES);
    if (!array_of(&g, &elements, &count)) {
        return false;
    }
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        place element = {&g.where, NULL, i};
        uint32_t word = 0;
        if (!word_of(&g, &elements[i], &element, &word)) {
            return false;
        }
        if ((all & (1u << word)) != 0) {
            return decoder_fail(g.decoder, STATUS_INVALID_ARGUMENT, &element, "is there twice");
        }
        all |= 1u << word;
    }
    *bits = all;
    return true;
}

static bool text_check(const argument *g, const char *text, uint32_t size)
{
    if (g->arg->type == ARG_NAME) {
        char quoted[UTF8_QUOTE_MAX];
        return world_name_valid(text, size) ||
               decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where, "expected %s, got '%s'",
                            arg_type_name(ARG_NAME), utf8_quote(quoted, text, size));
    }
    if ((double)size > g->arg->max) {
        return decoder_fail(g->decoder, STATUS_LIMIT_EXCEEDED, &g->where,
                            "must have at most %.16g bytes, got %u", g->arg->max, size);
    }
    if (!utf8_valid(text, size) || memchr(text, '\0', size) != NULL) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where,
                            "must be UTF-8 without zero bytes");
    }
    return true;
}

bool arguments_text(const arguments *a, const char *name, const char **out)
{
    argument g;
    const char *text;
    uint32_t size;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_STRING || g.arg->type == ARG_NAME);
    if (!object_text(g.value, &text, &size)) {
        return fail_type(g.decoder, &g.where, arg_type_name(g.arg->type), g.value);
    }
    if (!text_check(&g, text, size)) {
        return false;
    }
    *out = command_memory_text(g.decoder->memory, text, size);
    return true;
}

// ---- ids

// {"$": i} inside world.apply: what the batch's command i makes.
static bool reference_of(const argument *g, method maker, uint64_t *out)
{
    const msgpack_object_map *map = &g->value->via.map;
    const char *key;
    uint32_t size;
    double index;
    if (g->decoder->outer == NULL) {
        return fail_type(g->decoder, &g->where, arg_type_name(ARG_ID), g->value);
    }
    if (map->size != 1 || !object_text(&map->ptr[0].key, &key, &size) || size != 1 ||
        key[0] != '$' || !object_number(&map->ptr[0].val, &index)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where,
                            "expected an id, or {\"$\": index} of an earlier command");
    }
    if (!(index >= 0 && index < (double)g->decoder->before) || index != floor(index)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where,
                            "{\"$\": %.16g} is not an earlier command of this batch", index);
    }
    const command *made = &g->decoder->outer->apply.commands[(uint32_t)index];
    if (made->method != maker) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where,
                            "{\"$\": %.16g} is %s; it must be %s", index, method_name(made->method),
                            method_name(maker));
    }
    *out = COMMAND_REFERENCE | (uint64_t)index;
    return true;
}

bool arguments_id(const arguments *a, const char *name, method maker, uint64_t *out)
{
    argument g;
    double value = 0;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_ID);
    if (g.value->type == MSGPACK_OBJECT_MAP) {
        return reference_of(&g, maker, out);
    }
    if (!integer_of(&g, &value)) {
        return false;
    }
    *out = (uint64_t)value;
    return true;
}
