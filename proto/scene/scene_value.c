// The values of a scene file: scalars, texts with expressions in them, references.
#include "proto/scene/scene_expand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/wire/rpc.h"
#include "common/base/utf8.h"

// Whole numbers below this are written as integers: a double represents them all.
#define WHOLE_MAX 9007199254740992.0 // 2^53

// ---- errors and work

status scene_fail(const scene_expander *x, const char *text)
{
    return error_set(x->err, STATUS_INVALID_ARGUMENT, "%s", text);
}

status scene_starved(const scene_expander *x)
{
    return error_set(x->err, STATUS_INTERNAL, "out of memory");
}

status scene_spend(scene_expander *x, uint64_t work)
{
    x->work += work;
    return x->work <= SCENE_WORK_MAX
               ? STATUS_OK
               : error_set(x->err, STATUS_LIMIT_EXCEEDED,
                           "the scene takes too much work to unroll: its loops are too long; the "
                           "limit is %d turns, values and bytes of expressions",
                           SCENE_WORK_MAX);
}

void scene_locate_value(scene_expander *x)
{
    char path[128];
    size_t used = 0;
    path[0] = '\0';
    for (uint32_t i = 0; i < x->path_size && used < sizeof path; i++) {
        char quoted[UTF8_QUOTE_MAX];
        const msgpack_object *key = x->path[i];
        int n = key == NULL ? snprintf(path + used, sizeof path - used, "[%u]", x->path_index[i])
                            : snprintf(path + used, sizeof path - used, "%s%s", i > 0 ? "." : "",
                                       utf8_quote(quoted, scene_text(key), key->via.str.size));
        used += n > 0 ? (size_t)n : 0;
    }
    if (used > 0) {
        error_prefix(x->err, "%s", path);
    }
    x->path_size = 0;
}

// ---- scalars

static status evaluate(scene_expander *x, const char *text, size_t size, double *out)
{
    status s = scene_spend(x, size + 1);
    return s == STATUS_OK ? expression_evaluate(&x->scope, text, size, out, x->err) : s;
}

status scene_scalar(scene_expander *x, const msgpack_object *object, double *out)
{
    const char *text = scene_text(object);
    uint32_t size = object->via.str.size;
    switch (object->type) {
    case MSGPACK_OBJECT_BOOLEAN:
        *out = object->via.boolean ? 1.0 : 0.0;
        return STATUS_OK;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        *out = (double)object->via.u64;
        return STATUS_OK;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        *out = (double)object->via.i64;
        return STATUS_OK;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        *out = object->via.f64;
        return isfinite(*out) ? STATUS_OK : scene_fail(x, "not a finite number");
    case MSGPACK_OBJECT_STR: {
        uint32_t skip = size > 0 && text[0] == '=' ? 1 : 0;
        return evaluate(x, text + skip, size - skip, out);
    }
    case MSGPACK_OBJECT_NIL:
    case MSGPACK_OBJECT_ARRAY:
    case MSGPACK_OBJECT_MAP:
    case MSGPACK_OBJECT_BIN:
    case MSGPACK_OBJECT_EXT:
        break;
    }
    return scene_fail(x, "expected a number or an expression");
}

status scene_define(scene_expander *x, const msgpack_object *map)
{
    if (map->type != MSGPACK_OBJECT_MAP) {
        return scene_fail(x, "expected {\"name\": value …}");
    }
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *pair = &map->via.map.ptr[i];
        if (!scene_is_string(&pair->key)) {
            return scene_fail(x, "expected {\"name\": value …}");
        }
        double value = 0.0;
        status s = scene_scalar(x, &pair->val, &value);
        if (s == STATUS_OK) {
            s = expression_define(&x->scope, scene_text(&pair->key), pair->key.via.str.size, value,
                                  x->err);
        }
        if (s != STATUS_OK) {
            char quoted[UTF8_QUOTE_MAX];
            error_prefix(x->err, "%s",
                         utf8_quote(quoted, scene_text(&pair->key), pair->key.via.str.size));
            return s;
        }
    }
    return STATUS_OK;
}

// ---- values

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < WHOLE_MAX;
}

static void pack_number(msgpack_packer *packer, double value)
{
    if (is_whole(value)) {
        msgpack_pack_int64(packer, (int64_t)value);
    } else {
        msgpack_pack_double(packer, value);
    }
}

status scene_fill_in(scene_expander *x, const char *text, size_t size, buffer *out)
{
    buffer_clear(out);
    size_t i = 0;
    while (i < size) {
        const char *brace = memchr(text + i, '{', size - i);
        size_t next = brace != NULL ? (size_t)(brace - text) : size;
        buffer_append(out, text + i, next - i);
        if (brace == NULL) {
            break;
        }
        if (next + 1 < size && text[next + 1] == '{') {
            buffer_append(out, "{", 1);
            i = next + 2;
            continue;
        }
        const char *end = memchr(brace, '}', size - next);
        if (end == NULL) {
            return scene_fail(x, "a { without its }; {{ stands for a brace");
        }
        double value;
        status s = evaluate(x, brace + 1, (size_t)(end - brace) - 1, &value);
        if (s == STATUS_OK && !is_whole(value)) {
            s = scene_fail(x, "the value in braces must be a whole number");
        }
        if (s != STATUS_OK) {
            return s;
        }
        char digits[32];
        snprintf(digits, sizeof digits, "%.0f", value == 0.0 ? 0.0 : value);
        buffer_append(out, digits, strlen(digits));
        i = (size_t)(end - text) + 1;
    }
    if (out->starved) {
        return scene_starved(x);
    }
    return out->overflow ? error_set(x->err, STATUS_LIMIT_EXCEEDED, "the text is too long")
                         : STATUS_OK;
}

// "$name": an extension value with the number of the command that makes it.
static status pack_reference(scene_expander *x, msgpack_packer *packer, const buffer *name)
{
    uint32_t command;
    if (!scene_names_find(&x->names, (const char *)name->data, name->size, &command)) {
        char quoted[UTF8_QUOTE_MAX];
        return error_set(x->err, STATUS_INVALID_ARGUMENT, "nothing before it is named '%s'",
                         utf8_quote(quoted, name->data, name->size));
    }
    uint8_t body[4] = {(uint8_t)(command >> 24), (uint8_t)(command >> 16), (uint8_t)(command >> 8),
                       (uint8_t)command};
    msgpack_pack_ext(packer, sizeof body, SCENE_REFERENCE_TYPE);
    msgpack_pack_ext_body(packer, body, sizeof body);
    return STATUS_OK;
}

static status pack_string(scene_expander *x, msgpack_packer *packer, const char *text, size_t size)
{
    status s = scene_spend(x, size);
    if (s != STATUS_OK) {
        return s;
    }
    if (size > 0 && text[0] == '=') {
        double value;
        s = evaluate(x, text + 1, size - 1, &value);
        if (s == STATUS_OK) {
            pack_number(packer, value);
        }
        return s;
    }
    bool dollar = size > 0 && text[0] == '$';
    bool reference = dollar && (size < 2 || text[1] != '$');
    buffer filled;
    buffer_init(&filled, reference ? SCENE_NAME_MAX : SCENE_CHUNK_BYTES_MAX);
    s = scene_fill_in(x, text + (dollar ? 1 : 0), size - (dollar ? 1 : 0), &filled);
    if (s == STATUS_OK && reference) {
        s = pack_reference(x, packer, &filled);
    } else if (s == STATUS_OK) {
        msgpack_pack_str(packer, filled.size);
        msgpack_pack_str_body(packer, filled.data, filled.size);
    }
    buffer_deinit(&filled);
    return s;
}

static status pack_map(scene_expander *x, msgpack_packer *packer, const msgpack_object_map *map)
{
    msgpack_pack_map(packer, map->size);
    status s = STATUS_OK;
    for (uint32_t i = 0; i < map->size && s == STATUS_OK; i++) {
        const msgpack_object *key = &map->ptr[i].key;
        if (!scene_is_string(key)) {
            return scene_fail(x, "a name of an argument must be a string");
        }
        if (rpc_text_equals(key, "$")) {
            return scene_fail(x,
                              "{\"$\": …} is for world.apply; in a scene name things with \"as\"");
        }
        msgpack_pack_object(packer, *key);
        x->path[x->path_size] = key;
        x->path_size++;
        s = scene_pack_value(x, packer, &map->ptr[i].val);
        if (s == STATUS_OK) {
            x->path_size--;
        }
    }
    return s;
}

static status pack_array(scene_expander *x, msgpack_packer *packer,
                         const msgpack_object_array *array)
{
    msgpack_pack_array(packer, array->size);
    status s = STATUS_OK;
    for (uint32_t i = 0; i < array->size && s == STATUS_OK; i++) {
        x->path[x->path_size] = NULL;
        x->path_index[x->path_size] = i;
        x->path_size++;
        s = scene_pack_value(x, packer, &array->ptr[i]);
        if (s == STATUS_OK) {
            x->path_size--;
        }
    }
    return s;
}

status scene_pack_value(scene_expander *x, msgpack_packer *packer, const msgpack_object *value)
{
    status s = scene_spend(x, 1);
    if (s != STATUS_OK) {
        return s;
    }
    switch (value->type) {
    case MSGPACK_OBJECT_STR:
        return pack_string(x, packer, scene_text(value), value->via.str.size);
    case MSGPACK_OBJECT_ARRAY:
        return pack_array(x, packer, &value->via.array);
    case MSGPACK_OBJECT_MAP:
        return pack_map(x, packer, &value->via.map);
    case MSGPACK_OBJECT_EXT:
        return scene_fail(x, "an extension value has no place in a scene");
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        if (!isfinite(value->via.f64)) {
            return scene_fail(x, "not a finite number");
        }
        break;
    case MSGPACK_OBJECT_NIL:
    case MSGPACK_OBJECT_BOOLEAN:
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
    case MSGPACK_OBJECT_BIN:
        break;
    }
    msgpack_pack_object(packer, *value);
    return STATUS_OK;
}
