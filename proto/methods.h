// The one table of methods: names, arguments, rights, results. proto/schema describes them, and
// proto/generate.py writes the table's data.
//
// The methods that a client may call are data. The dispatcher looks up who may call a method and
// where it is carried out, the decoder looks up the arguments with type and range, the command line
// offers them, a test compares PROTOCOL.md's reference with the table, and the fuzzers draw their
// calls from it. An argument that is not in the table does not exist.
//
// Constant data; any thread. It includes no physics, msgpack or sockets, so a client may link it.
#ifndef CAROM_PROTO_METHODS_H
#define CAROM_PROTO_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/world/method.h"
#include "common/base/suggest.h"

enum { PROTOCOL_VERSION = 1 };

// false for any other word (`size` bytes, not zero-terminated).
bool role_parse(const char *name, size_t size, role *out);

// The form of an argument on the wire. Numbers may come as any MessagePack integer or float,
// texts and keys as str or bin.
typedef enum arg_type {
    ARG_BOOL,
    ARG_NUMBER,  // finite
    ARG_INTEGER, // a float counts if it is whole
    ARG_MASK,    // 64 bits: 0 … 2^64-1, or a negative integer in two's complement (-1 = all bits)
    ARG_ID,      // 1 … 2^53-1; in world.apply also {"$": index}
    ARG_STRING,  // UTF-8 without zero bytes; min and max are bytes
    ARG_NAME,    // 1 to 64 of A-Z a-z 0-9 _ . -
    ARG_CHOICE,  // one word of `choices`
    ARG_CHOICES, // an array of words of `choices`, without duplicates
    ARG_VECTOR,  // [x, y]; min and max apply to each coordinate
    ARG_VECTORS, // [[x, y] …]; min and max apply to each coordinate
    ARG_AREA,    // [x0, y0, x1, y1] with x0 <= x1, y0 <= y1
    ARG_FILTER,  // map, see METHOD_FILTER and METHOD_QUERY_FILTER
    ARG_PRECISION, // map, see METHOD_PRECISION
    ARG_SHAPE,     // map, see METHOD_SHAPES
    ARG_FORM,      // map: a shape's form, without density, friction …; no chain
    ARG_SHAPES,    // array of ARG_SHAPE
    ARG_COMMANDS,  // array of [method, arguments]
    ARG_BYTES,     // bin
    ARG_ANY,       // any MessagePack value
    ARG_PREFIXES,  // beginnings of keys, an array of strings; true: every key, false: none
    ARG_PLAYERS,   // map, see METHOD_PLAYERS
    ARG_TYPE_COUNT
} arg_type;

// "number", "[x, y]" …: the expected type as named in errors.
const char *arg_type_name(arg_type type);

typedef struct method_arg {
    const char *name;
    arg_type type;
    bool required;
    double min, max;    // range of each number, inclusive; for ARG_STRING, of its length in bytes
    uint32_t count_min; // elements of an array
    uint32_t count_max;
    const char *fallback; // the value if left out, as JSON; NULL: no value
    const char *unit;     // "m/s" …, "" where it has none
    const char *choices;  // "static|kinematic|dynamic"; NULL unless ARG_CHOICE(S)
    const char *doc;      // one sentence
    bool single;          // the engine rounds its numbers to single precision before any use
    bool routing;         // names the world, not the action: left out of logs
} method_arg;

// A list of named arguments, for a method, a shape or a filter.
typedef struct arg_list {
    const char *name; // "body.spawn", "circle", "filter"
    const method_arg *args;
    uint32_t count;
    uint32_t form_count; // for a shape: the number of leading arguments that describe its form; the
                         // others describe its material
} arg_list;

enum {
    METHOD_ARGS_MAX = 32
}; // most arguments of one list: a bit set of 32 records which were
   // given

typedef struct method_info {
    method id;
    role rights; // the least role that may call it
    method_scope scope;
    // false: described in the schema, but not in this version: answered with `unavailable`
    bool available;
    bool batch; // allowed in world.apply's commands
    const char *summary;
    const char *result; // "{tick}" and its meaning
    arg_list list;      // list.name is the method's name on the wire
} method_info;

// The table, in the order of enum method.
extern const method_info METHODS[METHOD_COUNT];

// A shape's arguments, by kind (enum method_shape).
extern const arg_list METHOD_SHAPES[METHOD_SHAPE_COUNT];
// The filter of a shape and of a query: they differ in the meaning of a missing category.
extern const arg_list METHOD_FILTER;
extern const arg_list METHOD_QUERY_FILTER;
// The precision of packed snapshots.
extern const arg_list METHOD_PRECISION;
// The bounds of players.
extern const arg_list METHOD_PLAYERS;

// The method's row; NULL if there is none of that name (`size` bytes, not zero-terminated).
const method_info *method_find(const char *name, size_t size);
// "; did you mean 'body.spawn'?" where a method's name is near, or "". Returns `out`.
const char *method_suggest(const char *name, size_t size, char out[SUGGEST_TEXT_MAX]);

static inline const char *method_name(method m)
{
    return METHODS[m].list.name;
}

// The place of the argument in the list, or -1.
int arg_list_find(const arg_list *list, const char *name, size_t size);

// The same for the arguments of a list, and for the words of "a|b|c".
const char *arg_list_suggest(const arg_list *list, const char *name, size_t size,
                             char out[SUGGEST_TEXT_MAX]);
const char *choice_suggest(const char *choices, const char *word, size_t size,
                           char out[SUGGEST_TEXT_MAX]);

// The place of the word in "a|b|c", or -1.
int choice_find(const char *choices, const char *word, size_t size);
// The word at a place that exists; not zero-terminated.
const char *choice_word(const char *choices, uint32_t index, size_t *size);

#endif
