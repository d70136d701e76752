// A decoded call: a plain struct that owns all that it points to.
//
// The network thread decodes, the thread that owns the world applies; a command travels from one to
// the other, so it has no reference into the received bytes and no msgpack. Nested and
// variable-size data lies in one chain of memory blocks that command_free frees.
//
// Arguments that need only checks of type and range have structs generated from proto/schema
// (method_args.h).
//
// Decoding is strict, so that a client's author learns of a mistake at once: unknown and doubled
// keys, wrong types, NaN, infinity, numbers out of range and missing arguments are errors, and the
// text names the path: "shapes[2].vertices[0]: expected [x, y], got str". Which arguments there
// are, with type and range, is in the table of methods.h alone. Ids and capacity, which only the
// world knows, are checked when the command is applied.
//
// A command belongs to one thread at a time.
#ifndef CAROM_COMMON_WORLD_COMMAND_H
#define CAROM_COMMON_WORLD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/joint.h"
#include "common/physics/physics.h"
#include "common/physics/query.h"
#include "common/world/limits.h"
#include "common/world/method.h"
#include "common/world/method_args.h"

// An id in a batch may refer to the result of an earlier command of the batch: {"$": 3} is the
// body, shape or joint of commands[3]. Such an id has this bit set and the index below it; ids of a
// world are below 2^53, so the two cannot be taken for each other. Outside a batch it never occurs.
#define COMMAND_REFERENCE ((uint64_t)1 << 63)

static inline bool command_id_is_reference(uint64_t id)
{
    return (id & COMMAND_REFERENCE) != 0;
}
static inline uint32_t command_id_index(uint64_t id)
{
    return (uint32_t)id;
}

typedef struct ping_args {
    const uint8_t *any; // one MessagePack value that the answer repeats; NULL if not given
    uint32_t any_size;
} ping_args;

// What survives of a world when the process or the machine ends.
typedef enum durability {
    DURABILITY_NONE,   // nothing
    DURABILITY_NORMAL, // every change that was answered or shown survives a crash of the process
    DURABILITY_FULL,   // they also survive a crash of the machine
    DURABILITY_COUNT   // not given: NORMAL if the server keeps logs, else NONE
} durability;

// Bits for world settings that the caller gave explicitly.
typedef enum world_field {
    WORLD_FIELD_GRAVITY = 1 << 0,
    WORLD_FIELD_SLEEP = 1 << 1,
    WORLD_FIELD_HZ = 1 << 2,
    WORLD_FIELD_SUBSTEPS = 1 << 3,
    WORLD_FIELD_BODIES_MAX = 1 << 4,
    WORLD_FIELD_CONTINUOUS = 1 << 5,
    WORLD_FIELD_RESTITUTION_THRESHOLD = 1 << 6,
    WORLD_FIELD_HIT_THRESHOLD = 1 << 7,
    WORLD_FIELD_SLEEP_SPEED = 1 << 8
} world_field;

typedef enum lifetime {
    LIFETIME_NORMAL, // the world lives as long as the server, the body as long as the world
    LIFETIME_SESSION // ends with the session that made it
} lifetime;

typedef struct world_create_args {
    world_def def;   // given or default values
    uint32_t fields; // bits of world_field: the given fields of def
    bool paused;
    durability durability;
    const char *scene; // NULL: an empty world
    bool if_absent;    // if the world exists already, it is the answer
    lifetime lifetime;
    const uint8_t *image; // world.image, in the command's memory; NULL: none
    size_t image_size;
} world_create_args;

typedef struct world_fork_args {
    char as[WORLD_NAME_BYTES_MAX + 1]; // name of the second world
    durability durability;             // durability of the second world
} world_fork_args;

typedef struct world_set_args {
    uint32_t fields; // gravity, sleep, sleep_speed, restitution_threshold: at least one
    vec2d gravity;
    bool sleep;
    double sleep_speed;
    double restitution_threshold;
} world_set_args;

// A rectangle: x0 <= x1, y0 <= y1 [m].
typedef struct area {
    double x0, y0, x1, y1;
} area;

typedef enum snapshot_encoding {
    ENCODING_PLAIN,
    ENCODING_PACKED,
    ENCODING_LOG, // the applied commands, for a replica
    ENCODING_COUNT
} snapshot_encoding;

// Precision of a packed snapshot: the step between neighbouring values.
typedef struct snapshot_precision {
    double position; // [m]
    double angle;    // [rad]
    double velocity; // [m/s, rad/s]; 0: velocities are left out
} snapshot_precision;

// A body that left a view's area stays in view within this margin, so that a body on the border
// does not come and go. The default is this share of the area's shorter side.
#define VIEW_MARGIN_SHARE (1.0 / 16.0)

typedef struct subscribe_args {
    double rate; // snapshots a second; 0: one for each tick
    snapshot_encoding encoding;
    snapshot_precision precision; // used by ENCODING_PACKED
    bool has_area;
    area area;       // with `follow`, relative to that body's position
    body_id follow;  // the body that the area moves with; 0: none
    bool own_margin; // `margin` was given; else the area's size decides
    double margin;   // [m]
    double budget;   // bytes a second; 0: no bound
    bool bodies;     // whether snapshots have bodies
    uint32_t events; // a set of bits 1 << event_kind
    bool contacts;
    bool describe; // whether snapshots carry full maps of new bodies and joints
    // The areas that the token allows, in the command's memory. 0 areas: everything.
    const area *token_areas;
    uint32_t token_area_count;
    uint32_t compact; // ENCODING_LOG: version of the reader's tables; 0: none
} subscribe_args;

typedef struct view_args {
    uint64_t subscription;
    bool has_area; // false: the view is the whole world
    area area;     // this and the following as in subscribe_args
    body_id follow;
    bool own_margin; // false: the margin stays as it was
    double margin;
} view_args;

// The default margin of an area [m].
double view_margin(const area *a);

// Changes the subscription's view to `to` (world.view).
void subscribe_args_move(subscribe_args *s, const view_args *to);

typedef struct body_spawn_args {
    body_def def; // def.tag lies in the command's memory
    shape_def *shapes;
    uint32_t shape_count;
    lifetime lifetime;
    const char *owner; // in the command's memory; NULL: not given, the body has no owner
} body_spawn_args;

typedef struct body_set_args {
    body_id body;
    uint32_t fields; // bits of body_field; may be 0 only if an owner is given
    body_def values;
    const char *owner; // the new owner, "" for none; NULL: unchanged
} body_set_args;

typedef struct shape_add_args {
    body_id body;
    shape_def def;
} shape_add_args;

typedef struct shape_set_args {
    shape_id shape;
    uint32_t fields;  // bits of shape_field, at least one set
    shape_def values; // geometry is ignored
} shape_set_args;

// joint.create, and joint.set (joint, def.fields and the values that they name)
typedef struct joint_args {
    joint_id joint;
    joint_def def; // a, b, joint_a and joint_b may be references inside a batch
} joint_args;

typedef enum overlap_of { OVERLAP_AREA, OVERLAP_SHAPE, OVERLAP_POINT } overlap_of;

typedef struct query_overlap_args {
    overlap_of of;
    area area;
    shape_geometry shape; // in the world's frame
    vec2d point;
    query_filter filter;
} query_overlap_args;

typedef struct command command;

typedef struct apply_args {
    command *commands; // batchable commands, without a world's name of their own
    uint32_t count;    // 0 to WIRE_APPLY_COMMANDS_MAX
    bool has_at;
    uint64_t at; // the tick whose state shows it first
} apply_args;

typedef struct step_args {
    uint32_t ticks; // 1 to WIRE_STEP_TICKS_MAX
    bool has_to;
    uint64_t to; // the target tick, instead of `ticks`
} step_args;

typedef struct command_memory command_memory;

struct command {
    method method;
    char world[WORLD_NAME_BYTES_MAX + 1]; // "" for methods without one, and inside a batch
    // The epoch that the world must have; 0: any, and inside a batch
    uint64_t epoch;
    command_memory *memory; // NULL when it owns nothing
    union {
        hello_args hello;
        ping_args ping;
        stats_args stats;
        sessions_args sessions;
        kick_args kick;
        world_create_args create;
        world_set_args world_set;
        world_fork_args fork;
        step_args step;
        apply_args apply;
        subscribe_args subscribe;
        view_args view; // world.unsubscribe (subscription alone) and world.view
        body_spawn_args spawn;
        body_id body; // body.remove, body.get
        body_set_args body_set;
        body_push_args push;
        body_turn_args turn;
        shape_add_args shape_add;
        shape_set_args shape_set;
        contacts_args contacts;
        shape_id shape;    // shape.remove
        joint_args joint;  // joint.create, joint.set
        joint_id joint_id; // joint.remove, joint.get
        query_ray_args ray;
        query_overlap_args overlap;
        query_cast_args cast;
        query_nearest_args nearest;
    };
};

// The least role that may send the command. For world.apply it is the highest of its commands'
// roles, so that a batch cannot bypass a method's role.
role command_rights(const command *c);

// STATUS_PERMISSION_DENIED unless a session of role `held` may send the command; of a batch, the
// text names the first command that needs a higher role.
status command_permit(const command *c, role held, error *err);

// Makes `owner` the owner of bodies that the command spawns without one; "" leaves them without.
void command_own(command *c, const char *owner);

// The id of the body, shape or joint that the command names, which may be a reference inside a
// batch; 0 if its method names none.
uint64_t command_subject(const command *c);

// Bytes of the blocks that the command owns.
size_t command_held_bytes(const command *c);
// Frees what the command owns and zeroes it; a zeroed command may be freed.
void command_free(command *c);

// The definition of the world to create. Settings that were not given come from `scene`, or the
// defaults if it is NULL.
world_def command_world_def(const world_create_args *args, const world_def *scene);

// Whether the name is 1 to 64 of A-Z a-z 0-9 _ . -
bool world_name_valid(const char *name, size_t size);

#endif
