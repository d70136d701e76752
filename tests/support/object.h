// Reading MessagePack objects in tests: a missing member, or one of another type, fails the test.
#ifndef CAROM_TESTS_SUPPORT_OBJECT_H
#define CAROM_TESTS_SUPPORT_OBJECT_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The value of a key; NULL if the map does not have it.
const msgpack_object *obj_find(const msgpack_object *map, const char *key);
// The value of a key, which must exist.
const msgpack_object *obj_get(const msgpack_object *map, const char *key);
// An element of an array.
const msgpack_object *obj_at(const msgpack_object *array, uint32_t index);
uint32_t obj_count(const msgpack_object *array);

uint64_t obj_uint(const msgpack_object *o);
double obj_number(const msgpack_object *o);
bool obj_bool(const msgpack_object *o);
// A str as zero-terminated text, valid until seven more calls.
const char *obj_text(const msgpack_object *o);

// The unsigned integer of a key.
uint64_t obj_get_uint(const msgpack_object *map, const char *key);
double obj_get_number(const msgpack_object *map, const char *key);
const char *obj_get_text(const msgpack_object *map, const char *key);

// Whether the array contains this unsigned integer.
bool obj_has_uint(const msgpack_object *array, uint64_t value);

#endif
