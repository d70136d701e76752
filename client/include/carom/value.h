// A small tree of values: arguments, results and notifications are such trees. carom/json.h reads
// and prints them as JSON.
//
// A tree is owned by whoever holds its root; a container owns its children. A value may be read by
// several threads at once, and changed by one while no other reads it.
//
// Memory: builders return NULL when there is none left. Putting NULL into a container makes it
// `broken`, and so does putting a broken container into another one: a chain of builders needs one
// check at its end (carom_value_ok), and a call with a broken tree fails with CAROM_OUT_OF_MEMORY
// instead of sending half of it. Putting a child into a value that is no container, or under the
// key NULL, breaks that value too, with CAROM_INVALID_ARGUMENT.
//
// Reading never fails: every reader takes NULL, and answers NULL or the caller's fallback where a
// value is absent or of another type. Limits: nesting CAROM_VALUE_DEPTH_MAX.
#ifndef CAROM_VALUE_H
#define CAROM_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/export.h>
#include <carom/status.h>

CAROM_BEGIN_DECLS

#define CAROM_VALUE_DEPTH_MAX 32 // containers within containers, the outermost counted

typedef enum carom_type {
    CAROM_NIL,
    CAROM_BOOL,
    CAROM_INT,  // negative integers
    CAROM_UINT, // integers from 0 on, however they were made
    CAROM_REAL,
    CAROM_STR,
    CAROM_BIN,
    CAROM_ARRAY,
    CAROM_MAP // keys are strings, each once, in the order of insertion
} carom_type;

typedef struct carom_value carom_value;

typedef struct carom_vec2 {
    double x, y;
} carom_vec2;

// ---- building

CAROM_API carom_value *carom_nil(void);
CAROM_API carom_value *carom_bool(bool value);
CAROM_API carom_value *carom_int(int64_t value); // a CAROM_UINT if not negative
CAROM_API carom_value *carom_uint(uint64_t value);
CAROM_API carom_value *carom_real(double value);
CAROM_API carom_value *carom_str(const char *text); // copied; NULL makes nil
CAROM_API carom_value *carom_strn(const char *text, size_t size);
CAROM_API carom_value *carom_bin(const void *data, size_t size);
CAROM_API carom_value *carom_array(void);
CAROM_API carom_value *carom_map(void);
CAROM_API carom_value *carom_vec(double x, double y); // [x, y]

// Puts `child` at the end of an array and takes it over, on failure too (then it is freed). Returns
// `array`, so that calls can be chained. If `array` is no array or `child` is NULL, `array` becomes
// broken.
CAROM_API carom_value *carom_push(carom_value *array, carom_value *child);

// Sets a key of a map, and takes over `child`; an existing value is freed. Otherwise as carom_push.
CAROM_API carom_value *carom_set(carom_value *map, const char *key, carom_value *child);
CAROM_API carom_value *carom_setn(carom_value *map, const char *key, size_t key_size,
                                  carom_value *child);

// Removes the key from the map and returns its value, which the caller then owns; NULL if the map
// lacks it.
CAROM_API carom_value *carom_value_take(carom_value *map, const char *key);

CAROM_API carom_value *carom_value_clone(const carom_value *value); // NULL for NULL
CAROM_API void carom_value_free(carom_value *value);                // NULL is allowed

// False for NULL and for a broken container.
CAROM_API bool carom_value_ok(const carom_value *value);

// ---- reading

CAROM_API carom_type carom_value_type(const carom_value *value); // CAROM_NIL for NULL

// Equal in type and content; maps regardless of order. A NaN equals no number. An integer is never
// equal to a real.
CAROM_API bool carom_value_equal(const carom_value *a, const carom_value *b);

// Elements of an array, pairs of a map, bytes of a str or bin; 0 otherwise.
CAROM_API size_t carom_value_count(const carom_value *value);

// Element `index` of an array, or the value of pair `index` of a map. NULL past the end.
CAROM_API const carom_value *carom_value_at(const carom_value *value, size_t index);

// Key of pair `index` of a map, zero-terminated (it may contain zeros too; `size` may be NULL).
// NULL past the end.
CAROM_API const char *carom_value_key(const carom_value *map, size_t index, size_t *size);

// The value of a map's key, NULL if there is none.
CAROM_API const carom_value *carom_value_get(const carom_value *map, const char *key);

// The value that a path leads to: keys separated by dots, indexes in brackets:
// "bodies[2].position[0]", "[0].id". An empty path is the value itself. NULL if a step is not there
// or the path is malformed. Keys that contain . [ ] are reached with carom_value_get.
CAROM_API const carom_value *carom_value_path(const carom_value *value, const char *path);

CAROM_API bool carom_as_bool(const carom_value *value, bool fallback);
// Any number that is a whole one and in range; otherwise the fallback.
// (The server writes 64-bit masks as signed integers: read them as int and cast.)
CAROM_API int64_t carom_as_int(const carom_value *value, int64_t fallback);
CAROM_API uint64_t carom_as_uint(const carom_value *value, uint64_t fallback);
// Any number.
CAROM_API double carom_as_real(const carom_value *value, double fallback);
// Zero-terminated, valid as long as the value. A str only.
CAROM_API const char *carom_as_str(const carom_value *value, const char *fallback);
// Bytes of a str or bin, NULL otherwise; *size (may be NULL) is set to 0 then.
CAROM_API const void *carom_as_bytes(const carom_value *value, size_t *size);
// An array of exactly two numbers.
CAROM_API carom_vec2 carom_as_vec(const carom_value *value, carom_vec2 fallback);

// The same through a path: carom_get_real(result, "bodies[0].position[1]", 0).
CAROM_API bool carom_get_bool(const carom_value *value, const char *path, bool fallback);
CAROM_API int64_t carom_get_int(const carom_value *value, const char *path, int64_t fallback);
CAROM_API uint64_t carom_get_uint(const carom_value *value, const char *path, uint64_t fallback);
CAROM_API double carom_get_real(const carom_value *value, const char *path, double fallback);
CAROM_API const char *carom_get_str(const carom_value *value, const char *path,
                                    const char *fallback);
CAROM_API carom_vec2 carom_get_vec(const carom_value *value, const char *path, carom_vec2 fallback);

CAROM_END_DECLS

#endif
