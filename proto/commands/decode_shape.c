// Shapes on the wire become shape definitions: the arguments of each kind's form (generated,
// decode_plain.c), then the matter that all kinds share.
#include "proto/commands/decode.h"
#include "proto/commands/decode_plain.h"

#include "common/base/assert.h"
#include "common/base/utf8.h"

// The engine's own check, with the shape's path in front of its text.
static void check(decoder *d, status s, const error *err, const place *where)
{
    if (s != STATUS_OK) {
        decoder_fail(d, s, where, "%s", err->text);
    }
}

bool decode_filter(const arguments *a, const arg_list *list, shape_filter *out)
{
    const msgpack_object *object = arguments_value(a, "filter");
    place where = arguments_place(a, "filter");
    arguments filter;
    if (object != NULL && arguments_read(&filter, a->decoder, list, object, &where)) {
        arguments_uint64(&filter, "category", &out->category);
        arguments_uint64(&filter, "mask", &out->mask);
        arguments_int32(&filter, "group", &out->group);
    }
    return object != NULL;
}

// ---- forms that are computed

status make_box_form(const box_form *from, shape_geometry *to, error *err)
{
    to->kind = SHAPE_POLYGON;
    return polygon_make_box(from->size, from->center, from->angle, from->radius, &to->polygon, err);
}

status make_polygon_form(const polygon_form *from, shape_geometry *to, error *err)
{
    to->kind = SHAPE_POLYGON;
    return polygon_make(from->vertices, (int)from->count, from->radius, &to->polygon, err);
}

// ---- a shape

// The value of "kind": it says which list the rest is read by.
static const msgpack_object *kind_find(const msgpack_object *map)
{
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const char *key;
        uint32_t size;
        const msgpack_object_kv *pair = &map->via.map.ptr[i];
        if (object_text(&pair->key, &key, &size) && choice_find("kind", key, size) == 0) {
            return &pair->val;
        }
    }
    return NULL;
}

static bool kind_read(decoder *d, const msgpack_object *object, const place *where, uint32_t kinds,
                      uint32_t *out)
{
    place at = {where, "kind", 0};
    const char *text;
    uint32_t size;
    if (object->type != MSGPACK_OBJECT_MAP) {
        return decoder_fail(d, STATUS_INVALID_ARGUMENT, where, "expected %s, got %s",
                            arg_type_name(ARG_SHAPE), object_type_name(object));
    }
    const msgpack_object *value = kind_find(object);
    if (value == NULL) {
        return decoder_fail(d, STATUS_INVALID_ARGUMENT, where,
                            "argument kind is missing; expected one of " SHAPE_KINDS_TEXT);
    }
    if (!object_text(value, &text, &size)) {
        return decoder_fail(d, STATUS_INVALID_ARGUMENT, &at,
                            "expected one of " SHAPE_KINDS_TEXT ", got %s",
                            object_type_name(value));
    }
    for (uint32_t kind = 0; kind < kinds; kind++) {
        if (choice_find(METHOD_SHAPES[kind].name, text, size) == 0) {
            *out = kind;
            return true;
        }
    }
    if (choice_find("chain", text, size) == 0) {
        return decoder_fail(d, STATUS_INVALID_ARGUMENT, &at, "a chain is not allowed here");
    }
    return decoder_fail_word(d, &at, "one of " SHAPE_KINDS_TEXT, SHAPE_KINDS, text, size);
}

static void decode_shape(decoder *d, const msgpack_object *object, const place *where,
                         shape_def *out)
{
    arguments a;
    uint32_t kind = 0;
    *out = shape_def_default();
    if (d->status != STATUS_OK || !kind_read(d, object, where, METHOD_SHAPE_COUNT, &kind) ||
        !arguments_read(&a, d, &METHOD_SHAPES[kind], object, where)) {
        return;
    }
    decode_form_arguments(&a, kind, out);
    decode_matter(&a, out);
    if (d->status == STATUS_OK) {
        error err;
        check(d, shape_def_check(out, &err), &err, where);
    }
}

// Decodes the form only; a chain is refused.
static void decode_form(decoder *d, const msgpack_object *object, const place *where,
                        shape_geometry *out)
{
    arguments a;
    uint32_t kind = 0;
    shape_def def = shape_def_default();
    if (d->status != STATUS_OK || !kind_read(d, object, where, METHOD_SHAPE_CHAIN, &kind)) {
        return;
    }
    arg_list list = METHOD_SHAPES[kind];
    list.count = list.form_count;
    if (!arguments_read(&a, d, &list, object, where)) {
        return;
    }
    decode_form_arguments(&a, kind, &def);
    if (d->status == STATUS_OK) {
        error err;
        check(d, shape_validate(&def.geometry, &err), &err, where);
        *out = def.geometry;
    }
}

// ---- shapes among arguments

bool decode_shape_argument(const arguments *a, const char *name, shape_def *out)
{
    const msgpack_object *shape = arguments_value(a, name);
    if (shape != NULL) {
        place where = arguments_place(a, name);
        decode_shape(a->decoder, shape, &where, out);
    }
    return shape != NULL;
}

bool decode_form_argument(const arguments *a, const char *name, shape_geometry *out)
{
    const msgpack_object *shape = arguments_value(a, name);
    if (shape != NULL) {
        place where = arguments_place(a, name);
        decode_form(a->decoder, shape, &where, out);
    }
    return shape != NULL;
}

bool decode_shapes(const arguments *a, const char *name, shape_def **out, uint32_t *count)
{
    const msgpack_object *shapes;
    if (!arguments_array(a, name, &shapes, count)) {
        return false;
    }
    *out = command_memory_take(a->decoder->memory, *count, sizeof **out);
    place list = arguments_place(a, name);
    for (uint32_t i = 0; i < *count; i++) {
        place element = {&list, NULL, i};
        decode_shape(a->decoder, &shapes[i], &element, &(*out)[i]);
    }
    return true;
}
