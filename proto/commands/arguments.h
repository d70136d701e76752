// Reading a map of named arguments against its list in the table. Internal to proto; one thread at
// a time.
//
// The table lists the arguments with type and range; the functions here check a map against it, and
// a decoder only says where each value goes. So a decoder cannot read an argument that is not in
// the table (asserted), and the documented range is the enforced one.
//
// The first error stays, and every call after it does nothing: a decoder reads all its arguments in
// a row and checks decoder.status once.
#ifndef CAROM_PROTO_COMMANDS_ARGUMENTS_H
#define CAROM_PROTO_COMMANDS_ARGUMENTS_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/geometry/math.h"
#include "common/world/command.h"
#include "common/world/command_memory.h"
#include "proto/methods.h"

// The state of one call of command_decode.
typedef struct decoder {
    command_memory **memory; // memory of the command being decoded
    error *err;
    status status;        // the first error; STATUS_OK: none
    command *command;     // the command being made
    const command *outer; // inside world.apply: that command; NULL outside
    uint32_t before;      // inside world.apply: number of commands decoded before it
} decoder;

// A path to a value in the arguments: "shapes[2].vertices[0]" is a chain of four.
typedef struct place {
    const struct place *up;
    const char *name; // NULL: an element
    uint32_t index;
} place;

// Fails with the path of `where` (NULL: none) in front of the text, unless something failed before.
// Returns false, so that `return decoder_fail(…)` reads well in a getter.
bool decoder_fail(decoder *d, status s, const place *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Fails with "unknown word 'statik'; did you mean 'static'? expected WANTED". `choices` is the list
// "static|kinematic|dynamic"; the word comes first, as a long list is cut.
bool decoder_fail_word(decoder *d, const place *where, const char *wanted, const char *choices,
                       const char *word, uint32_t size);

typedef struct arguments {
    decoder *decoder;
    const arg_list *list;
    const place *where; // place of the map itself; NULL: the method's own arguments
    const msgpack_object *values[METHOD_ARGS_MAX]; // by index in the list; NULL: not given
} arguments;

// Sorts the map's pairs into the list's places. Errors: not a map, a key that is no text, unknown
// or doubled, a required argument missing. `map` is nil-free, or NULL, or an empty array (Lua
// writes an empty table so).
bool arguments_read(arguments *a, decoder *d, const arg_list *list, const msgpack_object *map,
                    const place *where);

bool arguments_given(const arguments *a, const char *name);
// Whether any optional argument other than the world's epoch was given.
bool arguments_any(const arguments *a);

// Each stores the argument in `out` and returns true if it was given and is valid; otherwise `out`
// is unchanged. The name must be in the list with a fitting type.
bool arguments_bool(const arguments *a, const char *name, bool *out);
bool arguments_number(const arguments *a, const char *name, double *out);
bool arguments_float(const arguments *a, const char *name, float *out);
bool arguments_int32(const arguments *a, const char *name, int32_t *out);
bool arguments_uint32(const arguments *a, const char *name, uint32_t *out);
bool arguments_uint64(const arguments *a, const char *name, uint64_t *out); // ARG_INTEGER, ARG_MASK
bool arguments_vector(const arguments *a, const char *name, vec2d *out);
bool arguments_vector_float(const arguments *a, const char *name, vec2 *out);
bool arguments_area(const arguments *a, const char *name, area *out);
bool arguments_choice(const arguments *a, const char *name, uint32_t *out);
bool arguments_choices(const arguments *a, const char *name,
                       uint32_t *bits); // bit by place in the list of words
// Text copied into the command's memory.
bool arguments_text(const arguments *a, const char *name, const char **out);
// Texts copied into the command's memory; true is one empty text, with which every key begins.
bool arguments_prefixes(const arguments *a, const char *name, const char *const **out,
                        uint32_t *count);
// Bytes in the command's memory.
bool arguments_bytes(const arguments *a, const char *name, const uint8_t **out, size_t *size);
// The count is checked against the list; the points lie in the command's memory.
bool arguments_vectors(const arguments *a, const char *name, const vec2 **out, uint32_t *count);
// The elements of an array, whose number the list allows, for decoding by the caller.
bool arguments_array(const arguments *a, const char *name, const msgpack_object **elements,
                     uint32_t *count);
// An id; inside world.apply also {"$": i} for the object made by command i, which must be a
// `maker`.
bool arguments_id(const arguments *a, const char *name, method maker, uint64_t *out);

// The value itself (NULL: not given) and its place, for decoding by the caller.
const msgpack_object *arguments_value(const arguments *a, const char *name);
place arguments_place(const arguments *a, const char *name);

// Text of a str or bin object.
bool object_text(const msgpack_object *object, const char **text, uint32_t *size);
// "int", "str", "map" …: for error texts.
const char *object_type_name(const msgpack_object *object);

#endif
