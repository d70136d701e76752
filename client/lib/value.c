// Building, comparing and walking trees of values. A tree belongs to one thread at a time.
#include "client/lib/value_tree.h"

#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 4 };

carom_value *value_create(carom_type type)
{
    carom_value *v = calloc(1, sizeof *v);
    if (v != NULL) {
        v->type = (uint8_t)type;
    }
    return v;
}

// ---- scalars

carom_value *carom_nil(void)
{
    return value_create(CAROM_NIL);
}

carom_value *carom_bool(bool value)
{
    carom_value *v = value_create(CAROM_BOOL);
    if (v != NULL) {
        v->boolean = value;
    }
    return v;
}

carom_value *carom_int(int64_t value)
{
    if (value >= 0) {
        return carom_uint((uint64_t)value);
    }
    carom_value *v = value_create(CAROM_INT);
    if (v != NULL) {
        v->integer = value;
    }
    return v;
}

carom_value *carom_uint(uint64_t value)
{
    carom_value *v = value_create(CAROM_UINT);
    if (v != NULL) {
        v->natural = value;
    }
    return v;
}

carom_value *carom_real(double value)
{
    carom_value *v = value_create(CAROM_REAL);
    if (v != NULL) {
        v->real = value;
    }
    return v;
}

static char *copy_bytes(const void *bytes, size_t size)
{
    char *copy = size == SIZE_MAX ? NULL : malloc(size + 1);
    if (copy != NULL) {
        if (size > 0) {
            memcpy(copy, bytes, size);
        }
        copy[size] = '\0';
    }
    return copy;
}

static carom_value *create_bytes(carom_type type, const void *bytes, size_t size)
{
    carom_value *v = value_create(type);
    if (v == NULL) {
        return NULL;
    }
    v->bytes = copy_bytes(bytes, size);
    v->count = size;
    if (v->bytes == NULL) {
        free(v);
        return NULL;
    }
    return v;
}

carom_value *carom_str(const char *text)
{
    return text == NULL ? carom_nil() : create_bytes(CAROM_STR, text, strlen(text));
}

carom_value *carom_strn(const char *text, size_t size)
{
    return text == NULL && size > 0 ? NULL : create_bytes(CAROM_STR, text, size);
}

carom_value *carom_bin(const void *data, size_t size)
{
    return data == NULL && size > 0 ? NULL : create_bytes(CAROM_BIN, data, size);
}

// ---- containers

carom_value *carom_array(void)
{
    return value_create(CAROM_ARRAY);
}

carom_value *carom_map(void)
{
    return value_create(CAROM_MAP);
}

carom_value *carom_vec(double x, double y)
{
    carom_value *v = carom_push(carom_push(carom_array(), carom_real(x)), carom_real(y));
    if (!carom_value_ok(v)) {
        carom_value_free(v);
        return NULL;
    }
    return v;
}

bool value_reserve(carom_value *container, size_t count)
{
    if (count <= container->capacity) {
        return true;
    }
    if (count > UINT32_MAX / 2) {
        return false;
    }
    size_t wanted = container->capacity < CAPACITY_MIN ? CAPACITY_MIN : container->capacity;
    while (wanted < count) {
        wanted *= 2;
    }
    size_t each = container->type == CAROM_MAP ? sizeof(value_pair) : sizeof(carom_value *);
    void *grown = realloc(container->items, wanted * each);
    if (grown == NULL) {
        return false;
    }
    container->items = grown;
    container->capacity = (uint32_t)wanted;
    return true;
}

carom_value *carom_push(carom_value *array, carom_value *child)
{
    if (array == NULL) {
        carom_value_free(child);
        return NULL;
    }
    bool holds = array->type == CAROM_ARRAY;
    if (!holds || child == NULL || !value_reserve(array, array->count + 1)) {
        carom_value_free(child);
        array->broken = holds ? VALUE_STARVED : VALUE_MISUSED;
        return array;
    }
    array->items[array->count++] = child;
    return array;
}

bool value_append_pair(carom_value *map, const char *key, size_t key_size, carom_value *child)
{
    char *copy = copy_bytes(key, key_size);
    if (copy == NULL || !value_reserve(map, map->count + 1)) {
        free(copy);
        carom_value_free(child);
        map->broken = VALUE_STARVED;
        return false;
    }
    map->pairs[map->count++] = (value_pair){copy, key_size, child};
    return true;
}

static value_pair *find_pair(const carom_value *map, const char *key, size_t key_size)
{
    if (map == NULL || map->type != CAROM_MAP || key == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < map->count; i++) {
        value_pair *pair = &map->pairs[i];
        if (pair->key_size == key_size && memcmp(pair->key, key, key_size) == 0) {
            return pair;
        }
    }
    return NULL;
}

carom_value *carom_setn(carom_value *map, const char *key, size_t key_size, carom_value *child)
{
    if (map == NULL) {
        carom_value_free(child);
        return NULL;
    }
    if (child == NULL || key == NULL || map->type != CAROM_MAP) {
        bool holds = map->type == CAROM_MAP && key != NULL;
        carom_value_free(child);
        map->broken = holds ? VALUE_STARVED : VALUE_MISUSED;
        return map;
    }
    value_pair *pair = find_pair(map, key, key_size);
    if (pair == NULL) {
        value_append_pair(map, key, key_size, child);
    } else if (pair->value != child) {
        carom_value_free(pair->value);
        pair->value = child;
    }
    return map;
}

carom_value *carom_set(carom_value *map, const char *key, carom_value *child)
{
    return carom_setn(map, key, key == NULL ? 0 : strlen(key), child);
}

carom_value *carom_value_take(carom_value *map, const char *key)
{
    value_pair *pair = find_pair(map, key, key == NULL ? 0 : strlen(key));
    if (pair == NULL) {
        return NULL;
    }
    carom_value *taken = pair->value;
    free(pair->key);
    size_t after = (size_t)(map->pairs + map->count - (pair + 1));
    memmove(pair, pair + 1, after * sizeof *pair);
    map->count--;
    return taken;
}

void carom_value_free(carom_value *value)
{
    if (value == NULL) {
        return;
    }
    if (value->type == CAROM_ARRAY) {
        for (size_t i = 0; i < value->count; i++) {
            carom_value_free(value->items[i]);
        }
    } else if (value->type == CAROM_MAP) {
        for (size_t i = 0; i < value->count; i++) {
            free(value->pairs[i].key);
            carom_value_free(value->pairs[i].value);
        }
    }
    free(value->bytes); // NULL for scalars
    free(value);
}

static carom_value *clone_container(const carom_value *value)
{
    carom_value *copy = value_create((carom_type)value->type);
    if (copy == NULL || !value_reserve(copy, value->count)) {
        free(copy);
        return NULL;
    }
    copy->broken = value->broken;
    for (size_t i = 0; i < value->count; i++) {
        if (value->type == CAROM_ARRAY) {
            carom_push(copy, carom_value_clone(value->items[i]));
        } else {
            const value_pair *pair = &value->pairs[i];
            carom_value *child = carom_value_clone(pair->value);
            if (child == NULL) {
                copy->broken = VALUE_STARVED;
            } else {
                value_append_pair(copy, pair->key, pair->key_size, child);
            }
        }
    }
    if (copy->broken && !value->broken) {
        carom_value_free(copy);
        return NULL;
    }
    return copy;
}

carom_value *carom_value_clone(const carom_value *value)
{
    if (value == NULL) {
        return NULL;
    }
    switch ((carom_type)value->type) {
    case CAROM_STR:
    case CAROM_BIN:
        return create_bytes((carom_type)value->type, value->bytes, value->count);
    case CAROM_ARRAY:
    case CAROM_MAP:
        return clone_container(value);
    default:
        break;
    }
    carom_value *copy = value_create((carom_type)value->type);
    if (copy != NULL) {
        *copy = *value;
    }
    return copy;
}

// Recursion is bounded: decoders refuse values nested deeper than CAROM_VALUE_DEPTH_MAX, and a
// caller can build deeper ones only by hand.
bool carom_value_ok(const carom_value *value)
{
    if (value == NULL || value->broken != VALUE_WHOLE) {
        return false;
    }
    bool ok = true;
    if (value->type == CAROM_ARRAY) {
        for (size_t i = 0; ok && i < value->count; i++) {
            ok = carom_value_ok(value->items[i]);
        }
    } else if (value->type == CAROM_MAP) {
        for (size_t i = 0; ok && i < value->count; i++) {
            ok = carom_value_ok(value->pairs[i].value);
        }
    }
    return ok;
}

// ---- comparing

static bool maps_equal(const carom_value *a, const carom_value *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const value_pair *pair = &a->pairs[i];
        const value_pair *other = &b->pairs[i]; // usually both maps have the same order
        if (other->key_size != pair->key_size ||
            memcmp(other->key, pair->key, pair->key_size) != 0) {
            other = find_pair(b, pair->key, pair->key_size);
        }
        if (other == NULL || !carom_value_equal(pair->value, other->value)) {
            return false;
        }
    }
    return true;
}

static bool arrays_equal(const carom_value *a, const carom_value *b)
{
    for (size_t i = 0; i < a->count; i++) {
        if (!carom_value_equal(a->items[i], b->items[i])) {
            return false;
        }
    }
    return true;
}

bool carom_value_equal(const carom_value *a, const carom_value *b)
{
    carom_type type = carom_value_type(a);
    if (type != carom_value_type(b)) {
        return false;
    }
    switch (type) {
    case CAROM_NIL:
        return true;
    case CAROM_BOOL:
        return a->boolean == b->boolean;
    case CAROM_INT:
        return a->integer == b->integer;
    case CAROM_UINT:
        return a->natural == b->natural;
    case CAROM_REAL:
        return a->real >= b->real && a->real <= b->real; // both false for a NaN
    case CAROM_STR:
    case CAROM_BIN:
        return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
    case CAROM_ARRAY:
        return a->count == b->count && arrays_equal(a, b);
    case CAROM_MAP:
        return a->count == b->count && maps_equal(a, b);
    }
    return false;
}

// ---- structure

carom_type carom_value_type(const carom_value *value)
{
    return value == NULL ? CAROM_NIL : (carom_type)value->type;
}

size_t carom_value_count(const carom_value *value)
{
    return carom_value_type(value) >= CAROM_STR ? value->count : 0;
}

const carom_value *carom_value_at(const carom_value *value, size_t index)
{
    if (carom_value_type(value) < CAROM_ARRAY || index >= value->count) {
        return NULL;
    }
    return value->type == CAROM_ARRAY ? value->items[index] : value->pairs[index].value;
}

const char *carom_value_key(const carom_value *map, size_t index, size_t *size)
{
    if (carom_value_type(map) != CAROM_MAP || index >= map->count) {
        return NULL;
    }
    if (size != NULL) {
        *size = map->pairs[index].key_size;
    }
    return map->pairs[index].key;
}

const carom_value *carom_value_get(const carom_value *map, const char *key)
{
    const value_pair *pair = find_pair(map, key, key == NULL ? 0 : strlen(key));
    return pair == NULL ? NULL : pair->value;
}
