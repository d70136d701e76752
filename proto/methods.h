// The one table of methods: names, arguments, rights, results.
//
// What a client may call is data. The dispatcher asks the table who may call a method and where it
// is carried out, the decoder reads from it which arguments there are, of what type and range, the
// command line offers them, PROTOCOL.md's reference is compared with it by a test, and the fuzzers
// draw their calls from it. An argument that is not here does not exist.
//
// Constant data; any thread. Knows no physics, no msgpack and no socket, so a client may link it.
#ifndef CAROM_PROTO_METHODS_H
#define CAROM_PROTO_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROTOCOL_VERSION = 1 };

// In the order in which PROTOCOL.md describes them.
typedef enum method {
    METHOD_HELLO,
    METHOD_PING,
    METHOD_GOODBYE,
    METHOD_SERVER_INFO,
    METHOD_SERVER_STATS,
    METHOD_SERVER_SESSIONS,
    METHOD_SERVER_KICK,
    METHOD_WORLD_CREATE,
    METHOD_WORLD_DESTROY,
    METHOD_WORLD_LIST,
    METHOD_WORLD_INFO,
    METHOD_WORLD_PAUSE,
    METHOD_WORLD_RESUME,
    METHOD_WORLD_STEP,
    METHOD_WORLD_SET,
    METHOD_WORLD_STATE,
    METHOD_WORLD_APPLY,
    METHOD_WORLD_SUBSCRIBE,
    METHOD_WORLD_UNSUBSCRIBE,
    METHOD_WORLD_VIEW,
    METHOD_BODY_SPAWN,
    METHOD_BODY_REMOVE,
    METHOD_BODY_GET,
    METHOD_BODY_SET,
    METHOD_BODY_IMPULSE,
    METHOD_BODY_ANGULAR_IMPULSE,
    METHOD_BODY_FORCE,
    METHOD_BODY_TORQUE,
    METHOD_SHAPE_ADD,
    METHOD_SHAPE_REMOVE,
    METHOD_JOINT_CREATE,
    METHOD_JOINT_SET,
    METHOD_JOINT_REMOVE,
    METHOD_JOINT_GET,
    METHOD_JOINT_LIST,
    METHOD_QUERY_RAY,
    METHOD_QUERY_OVERLAP,
    METHOD_QUERY_CAST,
    METHOD_QUERY_NEAREST,
    METHOD_COUNT
} method;

// What a session may do; each role may do all that the ones before it may.
typedef enum role {
    ROLE_NONE,   // not known who: may introduce itself and ping
    ROLE_VIEWER, // looks: worlds, bodies, queries, subscriptions
    ROLE_PLAYER, // acts on bodies, shapes and joints
    ROLE_ADMIN,  // creates, stops, changes and destroys worlds
    ROLE_COUNT
} role;

// "none", "viewer", "player", "admin".
const char *role_name(role r);
// false for any other word (`size` bytes, not zero-terminated).
bool role_parse(const char *name, size_t size, role *out);

// Where a method is carried out.
typedef enum method_scope {
    SCOPE_SESSION,    // by the connection's session alone
    SCOPE_SERVER,     // by the server as a whole: its list of worlds, its counters
    SCOPE_WORLD_HOST, // by whoever drives the named world: pause, step, info; in its inbox's order
    SCOPE_WORLD_COMMAND, // by apply_command at the start of a tick; changes the named world
    SCOPE_WORLD_READ,    // by apply_command too; changes nothing
    SCOPE_SUBSCRIPTION   // by the world's host for one session; named by world or by subscription
} method_scope;

// What an argument looks like on the wire. Numbers may come as any MessagePack integer or float,
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
    ARG_CHOICES, // an array of words of `choices`, none twice
    ARG_VECTOR,  // [x, y]; min and max hold for each
    ARG_VECTORS, // [[x, y] …]; min and max hold for each coordinate
    ARG_AREA,    // [x0, y0, x1, y1] with x0 <= x1, y0 <= y1
    ARG_FILTER,  // map, see METHOD_FILTER and METHOD_QUERY_FILTER
    ARG_SHAPE,   // map, see METHOD_SHAPES
    ARG_FORM,    // map: a shape's form alone, without density, friction …; no chain
    ARG_SHAPES,  // array of ARG_SHAPE
    ARG_COMMANDS, // array of [method, arguments]
    ARG_ANY,      // any MessagePack value
    ARG_TYPE_COUNT
} arg_type;

// "number", "[x, y]" …: what an error says was expected.
const char *arg_type_name(arg_type type);

typedef struct method_arg {
    const char *name;
    arg_type type;
    bool required;
    double min, max;    // of each number, both included; bytes of an ARG_STRING
    uint32_t count_min; // elements of an array
    uint32_t count_max;
    const char *fallback; // what leaving it out means, as JSON; NULL where it is simply absent
    const char *unit;     // "m/s" …, "" where it has none
    const char *choices;  // "static|kinematic|dynamic"; NULL unless ARG_CHOICE(S)
    const char *doc;      // one sentence
} method_arg;

// A list of named arguments: of a method, of a shape, of a filter.
typedef struct arg_list {
    const char *name; // "body.spawn", "circle", "filter"
    const method_arg *args;
    uint32_t count;
    uint32_t form_count; // of a shape: so many of the first describe the form, the rest the matter
} arg_list;

enum { METHOD_ARGS_MAX = 32 }; // the most that one list has, so that "seen" fits 32 bits

typedef struct method_info {
    method id;
    role rights; // the least role that may call it
    method_scope scope;
    bool available; // false: named by the contract, not in this version: answer `unavailable`
    bool batch;     // may stand in world.apply's commands
    const char *summary;
    const char *result; // "{tick}" and what it means
    arg_list list;      // list.name is the method's name on the wire
} method_info;

// The table, in the order of enum method.
extern const method_info METHODS[METHOD_COUNT];

// A shape's arguments, by kind.
enum method_shape {
    METHOD_SHAPE_CIRCLE,
    METHOD_SHAPE_BOX,
    METHOD_SHAPE_POLYGON,
    METHOD_SHAPE_CAPSULE,
    METHOD_SHAPE_SEGMENT,
    METHOD_SHAPE_CHAIN,
    METHOD_SHAPE_COUNT
};
extern const arg_list METHOD_SHAPES[METHOD_SHAPE_COUNT];
// A filter's, of a shape and of a query: they differ in what a missing category means.
extern const arg_list METHOD_FILTER;
extern const arg_list METHOD_QUERY_FILTER;

// The method's row; NULL where there is none of that name (`size` bytes, not zero-terminated).
const method_info *method_find(const char *name, size_t size);

static inline const char *method_name(method m)
{
    return METHODS[m].list.name;
}

// The place of the argument in the list, or -1.
int arg_list_find(const arg_list *list, const char *name, size_t size);

// The place of the word in "a|b|c", or -1.
int choice_find(const char *choices, const char *word, size_t size);
// The word at a place that exists; not zero-terminated.
const char *choice_word(const char *choices, uint32_t index, size_t *size);

#endif
