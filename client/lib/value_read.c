// Reading values as C types, and by path. Nothing here fails: a value that is absent or of another
// type gives the caller's fallback. Any thread.
#include <string.h>

#include "client/lib/value_tree.h"

// ---- values as C types

bool carom_as_bool(const carom_value *value, bool fallback)
{
    return carom_value_type(value) == CAROM_BOOL ? value->boolean : fallback;
}

#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

int64_t carom_as_int(const carom_value *value, int64_t fallback)
{
    switch (carom_value_type(value)) {
    case CAROM_INT:
        return value->integer;
    case CAROM_UINT:
        return value->natural <= INT64_MAX ? (int64_t)value->natural : fallback;
    case CAROM_REAL:
        if (value->real >= -TWO_63 && value->real < TWO_63) {
            int64_t whole = (int64_t)value->real;
            return (double)whole - value->real == 0.0 ? whole : fallback;
        }
        return fallback;
    default:
        return fallback;
    }
}

uint64_t carom_as_uint(const carom_value *value, uint64_t fallback)
{
    switch (carom_value_type(value)) {
    case CAROM_UINT:
        return value->natural;
    case CAROM_REAL:
        if (value->real >= 0.0 && value->real < TWO_64) {
            uint64_t whole = (uint64_t)value->real;
            return (double)whole - value->real == 0.0 ? whole : fallback;
        }
        return fallback;
    default:
        return fallback;
    }
}

double carom_as_real(const carom_value *value, double fallback)
{
    switch (carom_value_type(value)) {
    case CAROM_INT:
        return (double)value->integer;
    case CAROM_UINT:
        return (double)value->natural;
    case CAROM_REAL:
        return value->real;
    default:
        return fallback;
    }
}

const char *carom_as_str(const carom_value *value, const char *fallback)
{
    return carom_value_type(value) == CAROM_STR ? value->bytes : fallback;
}

const void *carom_as_bytes(const carom_value *value, size_t *size)
{
    carom_type type = carom_value_type(value);
    bool has = type == CAROM_STR || type == CAROM_BIN;
    if (size != NULL) {
        *size = has ? value->count : 0;
    }
    return has ? value->bytes : NULL;
}

static bool is_number(const carom_value *value)
{
    carom_type type = carom_value_type(value);
    return type == CAROM_INT || type == CAROM_UINT || type == CAROM_REAL;
}

carom_vec2 carom_as_vec(const carom_value *value, carom_vec2 fallback)
{
    if (carom_value_type(value) != CAROM_ARRAY || value->count != 2 ||
        !is_number(value->items[0]) || !is_number(value->items[1])) {
        return fallback;
    }
    return (carom_vec2){carom_as_real(value->items[0], 0), carom_as_real(value->items[1], 0)};
}

// ---- values by path: key ( "." key | "[" digits "]" )*, where the first key may be absent

static const carom_value *get_part(const carom_value *map, const char *key, size_t key_size)
{
    if (carom_value_type(map) != CAROM_MAP) {
        return NULL;
    }
    for (size_t i = 0; i < map->count; i++) {
        const value_pair *pair = &map->pairs[i];
        if (pair->key_size == key_size && memcmp(pair->key, key, key_size) == 0) {
            return pair->value;
        }
    }
    return NULL;
}

// Reads "[digits]" at *path and moves past it.
static const carom_value *step_index(const carom_value *array, const char **path)
{
    const char *p = *path + 1;
    size_t index = 0;
    if (*p < '0' || *p > '9') {
        return NULL;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        if (index > UINT32_MAX) {
            return NULL;
        }
        index = index * 10 + (size_t)(*p - '0');
    }
    if (*p != ']' || carom_value_type(array) != CAROM_ARRAY) {
        return NULL;
    }
    *path = p + 1;
    return carom_value_at(array, index);
}

// Reads a key at *path and moves past it.
static const carom_value *step_key(const carom_value *map, const char **path)
{
    size_t size = strcspn(*path, ".[]");
    const carom_value *found = size == 0 ? NULL : get_part(map, *path, size);
    *path += size;
    return found;
}

const carom_value *carom_value_path(const carom_value *value, const char *path)
{
    if (path == NULL) {
        return NULL;
    }
    bool first = true;
    while (value != NULL && *path != '\0') {
        if (*path == '[') {
            value = step_index(value, &path);
        } else if (first) {
            value = step_key(value, &path);
        } else if (*path == '.') {
            path++;
            value = step_key(value, &path);
        } else {
            return NULL;
        }
        first = false;
    }
    return value;
}

bool carom_get_bool(const carom_value *value, const char *path, bool fallback)
{
    return carom_as_bool(carom_value_path(value, path), fallback);
}

int64_t carom_get_int(const carom_value *value, const char *path, int64_t fallback)
{
    return carom_as_int(carom_value_path(value, path), fallback);
}

uint64_t carom_get_uint(const carom_value *value, const char *path, uint64_t fallback)
{
    return carom_as_uint(carom_value_path(value, path), fallback);
}

double carom_get_real(const carom_value *value, const char *path, double fallback)
{
    return carom_as_real(carom_value_path(value, path), fallback);
}

const char *carom_get_str(const carom_value *value, const char *path, const char *fallback)
{
    return carom_as_str(carom_value_path(value, path), fallback);
}

carom_vec2 carom_get_vec(const carom_value *value, const char *path, carom_vec2 fallback)
{
    return carom_as_vec(carom_value_path(value, path), fallback);
}
