// Looks up members of MessagePack maps and fails the test when one is missing. The test's thread.
#include "tests/support/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const msgpack_object *obj_find(const msgpack_object *map, const char *key)
{
    if (map->type != MSGPACK_OBJECT_MAP) {
        fail_msg("expected a map to look for '%s' in, got type %d", key, (int)map->type);
    }
    size_t size = strlen(key);
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object *k = &map->via.map.ptr[i].key;
        if (k->type == MSGPACK_OBJECT_STR && k->via.str.size == size &&
            memcmp(k->via.str.ptr, key, size) == 0) {
            return &map->via.map.ptr[i].val;
        }
    }
    return NULL;
}

const msgpack_object *obj_get(const msgpack_object *map, const char *key)
{
    const msgpack_object *found = obj_find(map, key);
    if (found == NULL) {
        fail_msg("there is no '%s' in the map", key);
    }
    return found;
}

uint32_t obj_count(const msgpack_object *array)
{
    if (array->type != MSGPACK_OBJECT_ARRAY) {
        fail_msg("expected an array, got type %d", (int)array->type);
    }
    return array->via.array.size;
}

const msgpack_object *obj_at(const msgpack_object *array, uint32_t index)
{
    if (index >= obj_count(array)) {
        fail_msg("the array has %u elements, no [%u]", array->via.array.size, index);
    }
    return &array->via.array.ptr[index];
}

uint64_t obj_uint(const msgpack_object *o)
{
    if (o->type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
        fail_msg("expected an unsigned integer, got type %d", (int)o->type);
    }
    return o->via.u64;
}

double obj_number(const msgpack_object *o)
{
    switch (o->type) {
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return (double)o->via.u64;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return (double)o->via.i64;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return o->via.f64;
    default:
        fail_msg("expected a number, got type %d", (int)o->type);
        return 0.0;
    }
}

bool obj_bool(const msgpack_object *o)
{
    if (o->type != MSGPACK_OBJECT_BOOLEAN) {
        fail_msg("expected a bool, got type %d", (int)o->type);
    }
    return o->via.boolean;
}

const char *obj_text(const msgpack_object *o)
{
    static char texts[8][1024];
    static unsigned next;
    if (o->type != MSGPACK_OBJECT_STR) {
        fail_msg("expected a text, got type %d", (int)o->type);
    }
    char *text = texts[next++ % 8];
    snprintf(text, sizeof texts[0], "%.*s", (int)o->via.str.size, o->via.str.ptr);
    return text;
}

uint64_t obj_get_uint(const msgpack_object *map, const char *key)
{
    return obj_uint(obj_get(map, key));
}

double obj_get_number(const msgpack_object *map, const char *key)
{
    return obj_number(obj_get(map, key));
}

const char *obj_get_text(const msgpack_object *map, const char *key)
{
    return obj_text(obj_get(map, key));
}

bool obj_has_uint(const msgpack_object *array, uint64_t value)
{
    for (uint32_t i = 0; i < obj_count(array); i++) {
        if (obj_uint(obj_at(array, i)) == value) {
            return true;
        }
    }
    return false;
}
