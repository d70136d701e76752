// The values of arguments: each getter checks a value against the type and range of its row in the
// table.
#include "proto/commands/arguments_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/utf8.h"
#include "common/physics/data.h"

#define EXACT_MAX 9007199254740992.0 // 2^53: up to here every integer is a double

// ---- numbers

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

enum { NUMBER_TEXT_MAX = 32 };

// The number's text as sent: an integer beyond 2^53 would change as a double.
static const char *number_text(const msgpack_object *object, double value,
                               char out[NUMBER_TEXT_MAX])
{
    if (object->type == MSGPACK_OBJECT_POSITIVE_INTEGER) {
        snprintf(out, NUMBER_TEXT_MAX, "%" PRIu64, object->via.u64);
    } else if (object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
        snprintf(out, NUMBER_TEXT_MAX, "%" PRId64, object->via.i64);
    } else {
        snprintf(out, NUMBER_TEXT_MAX, "%.16g", value);
    }
    return out;
}

// Whether the number is beyond a bound that it may equal after rounding to a double. Bounds of
// integers are within ±2^53.
static bool passes_rounded(const msgpack_object *object, double value, const method_arg *arg)
{
    bool above = object->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value == arg->max &&
                 arg->max <= EXACT_MAX && object->via.u64 > (uint64_t)arg->max;
    bool below = object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER && value == arg->min &&
                 arg->min >= -EXACT_MAX && object->via.i64 < (int64_t)arg->min;
    return above || below;
}

// A finite number in the argument's range; `where` may be an element of it.
static bool number_of(const argument *g, const msgpack_object *object, const place *where,
                      const char *wanted, double *out)
{
    double value = 0;
    if (!object_number(object, &value)) {
        return decoder_fail_type(g->decoder, where, wanted, object);
    }
    if (!isfinite(value)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where,
                            "must be a finite number, got %s", isnan(value) ? "NaN" : "infinity");
    }
    if (value < g->arg->min || value > g->arg->max || passes_rounded(object, value, g->arg)) {
        char got[NUMBER_TEXT_MAX];
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where,
                            "must be from %.16g to %.16g, got %s", g->arg->min, g->arg->max,
                            number_text(object, value, got));
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
        return decoder_fail_type(g.decoder, &g.where, arg_type_name(ARG_BOOL), g.value);
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

// Reads 64 bits: those of an unsigned integer, of a negative one in two's complement, or of a whole
// float.
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
        return decoder_fail_type(g->decoder, &g->where, arg_type_name(ARG_MASK), value);
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

// Reads the `count` numbers of an array that has exactly `count` elements.
static bool numbers_of(const argument *g, const msgpack_object *object, const place *where,
                       const char *wanted, double *out, uint32_t count)
{
    if (object->type != MSGPACK_OBJECT_ARRAY) {
        return decoder_fail_type(g->decoder, where, wanted, object);
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
    double v[2] = {0};
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
    double v[4] = {0};
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
        return decoder_fail_type(g->decoder, &g->where, arg_type_name(g->arg->type), g->value);
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
    const msgpack_object *elements = NULL;
    uint32_t size = 0;
    if (!argument_find(a, name, &g) || !array_of(&g, &elements, &size)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_VECTORS);
    vec2 *points = command_memory_take(g.decoder->memory, size, sizeof *points);
    for (uint32_t i = 0; i < size; i++) {
        place element = {&g.where, NULL, i};
        double v[2] = {0};
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
    const char *text = NULL;
    uint32_t size = 0;
    if (!object_text(object, &text, &size)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where, "expected %s, got %s",
                            g->arg->choices, object_type_name(object));
    }
    int index = choice_find(g->arg->choices, text, size);
    if (index < 0) {
        return decoder_fail_word(g->decoder, where, g->arg->choices, g->arg->choices, text, size);
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
    const msgpack_object *elements = NULL;
    uint32_t count = 0;
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
    const char *text = NULL;
    uint32_t size = 0;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_STRING || g.arg->type == ARG_NAME);
    if (!object_text(g.value, &text, &size)) {
        return decoder_fail_type(g.decoder, &g.where, arg_type_name(g.arg->type), g.value);
    }
    if (!text_check(&g, text, size)) {
        return false;
    }
    *out = command_memory_text(g.decoder->memory, text, size);
    return true;
}

// Copies the element, a text of at most DATA_KEY_BYTES_MAX bytes.
static bool prefix_of(const argument *g, const msgpack_object *element, const place *where,
                      const char **out)
{
    const char *text = NULL;
    uint32_t size = 0;
    if (!object_text(element, &text, &size)) {
        return decoder_fail_type(g->decoder, where, arg_type_name(ARG_STRING), element);
    }
    if (size > DATA_KEY_BYTES_MAX) {
        return decoder_fail(g->decoder, STATUS_LIMIT_EXCEEDED, where,
                            "must have at most %d bytes, got %u", DATA_KEY_BYTES_MAX, size);
    }
    if (!utf8_valid(text, size) || memchr(text, '\0', size) != NULL) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, where,
                            "must be UTF-8 without zero bytes");
    }
    *out = command_memory_text(g->decoder->memory, text, size);
    return true;
}

bool arguments_prefixes(const arguments *a, const char *name, const char *const **out,
                        uint32_t *count)
{
    argument g;
    const msgpack_object *elements = NULL;
    uint32_t size = 0;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_PREFIXES);
    const bool all = g.value->type == MSGPACK_OBJECT_BOOLEAN;
    if (all) {
        size = g.value->via.boolean;
    } else if (!array_of(&g, &elements, &size)) {
        return false;
    }
    const char **texts = command_memory_take(g.decoder->memory, size, sizeof *texts);
    for (uint32_t i = 0; i < size; i++) {
        const place element = {&g.where, NULL, i};
        texts[i] = "";
        if (!all && !prefix_of(&g, &elements[i], &element, &texts[i])) {
            return false;
        }
    }
    *out = texts;
    *count = size;
    return true;
}

bool arguments_bytes(const arguments *a, const char *name, const uint8_t **out, size_t *size)
{
    argument g;
    if (!argument_find(a, name, &g)) {
        return false;
    }
    ASSERT(g.arg->type == ARG_BYTES);
    if (g.value->type != MSGPACK_OBJECT_BIN) {
        return decoder_fail_type(g.decoder, &g.where, arg_type_name(ARG_BYTES), g.value);
    }
    *size = g.value->via.bin.size;
    uint8_t *copy = command_memory_take(g.decoder->memory, *size > 0 ? *size : 1, 1);
    if (*size > 0) {
        memcpy(copy, g.value->via.bin.ptr, *size);
    }
    *out = copy;
    return true;
}

// ---- ids

// {"$": i} inside world.apply: the object made by the batch's command i.
static bool reference_of(const argument *g, method maker, uint64_t *out)
{
    const msgpack_object_map *map = &g->value->via.map;
    const char *key;
    uint32_t size = 0;
    double index = 0;
    char told[NUMBER_TEXT_MAX];
    if (g->decoder->outer == NULL) {
        return decoder_fail_type(g->decoder, &g->where, arg_type_name(ARG_ID), g->value);
    }
    if (map->size != 1 || !object_text(&map->ptr[0].key, &key, &size) || size != 1 ||
        key[0] != '$' || !object_number(&map->ptr[0].val, &index)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where,
                            "expected an id, or {\"$\": index} of an earlier command");
    }
    if (!(index >= 0 && index < (double)g->decoder->before) || index != floor(index)) {
        return decoder_fail(g->decoder, STATUS_INVALID_ARGUMENT, &g->where,
                            "{\"$\": %s} is not an earlier command of this batch",
                            number_text(&map->ptr[0].val, index, told));
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
