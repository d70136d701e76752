// The engine's public face: worlds, bodies, shapes, joints, events, queries.
//
// A world is a value that only its functions change; two worlds share nothing, so each may live on
// a thread of its own, and one world is used by one thread at a time. The step is a function of the
// world's state: the same calls in the same order give the same bits, with any compiler,
// optimisation level or vector width.
//
// Every definition is checked before anything is changed: a call that returns an error has done
// nothing. Texts name the field. Units: metres, seconds, kilograms, radians, counter-clockwise
// positive.
#ifndef CAROM_COMMON_PHYSICS_PHYSICS_H
#define CAROM_COMMON_PHYSICS_PHYSICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/geometry/shape.h"
#include "common/physics/parallel/task_runner.h"

// The number of the engine's behaviour: how a world goes from one state to the next. Every change
// of the golden hashes (tests/golden) raises it, so that logs, images and replicas of another
// behaviour can be told from this one's.
enum { ENGINE_BEHAVIOUR = 5 };

// Identifiers: slot + 1 in the low 24 bits, the slot's generation above, so below 2^53. Zero is
// none. A slot whose generations are used up is never used again: an id does not come back to life
// within a world.
typedef uint64_t body_id;
typedef uint64_t shape_id;
typedef uint64_t joint_id;

enum {
    PHYSICS_BODIES_MAX = 1 << 20, // a world's most; world_def.bodies_max may lower it
    PHYSICS_SHAPES_MAX = 1 << 22, // shapes of a world, each piece of a chain counted
    PHYSICS_JOINTS_MAX = 1 << 20,
    // Pairs of shapes whose boxes overlap. Of more, those with a static or kinematic body have room
    // before those of two dynamic ones, then the lowest slots; others do not touch until one of
    // their boxes is renewed.
    PHYSICS_CONTACTS_MAX = 1 << 23,
    // A world has room for fewer: for so many, and so many more for each of its shapes. A heap has
    // three for each body; thousands of bodies in one place would have millions.
    PHYSICS_CONTACTS_LEAST = 1 << 16,
    PHYSICS_CONTACTS_PER_SHAPE = 16,
    // So much more, as a share of that (an eighth), for pairs with a static or kinematic body:
    // walls hold a crowd that has all the room of others.
    PHYSICS_CONTACTS_STANDING_SHARE = 8,
    // Pairs whose boxes come to overlap in one step: a second of looking. Where there are more,
    // none of two dynamic bodies gets a contact until one of its boxes is renewed; nor does any
    // other where those with a static or kinematic body are more by themselves.
    PHYSICS_MEETINGS_MAX = 1 << 26,
    PHYSICS_BODY_SHAPES_MAX = 1024,  // shapes on one body, each piece of a chain counted
    PHYSICS_CHAIN_POINTS_MAX = 1024, // points of one chain
    PHYSICS_TAG_BYTES_MAX = 64,      // bytes of a body's tag
    PHYSICS_SUBSTEPS_MAX = 64,
    PHYSICS_HZ_MIN = 1,
    PHYSICS_HZ_MAX = 1000
};

#define PHYSICS_EXTENT_MAX                                                                         \
    1.0e6 // places are within this of the origin [m]: a float box still resolves 6 cm
#define PHYSICS_SPEED_MAX   4000.0 // no body is faster, whatever acts on it [m/s]
#define PHYSICS_SPIN_MAX    4000.0 // nor turns faster [rad/s]
#define PHYSICS_FORCE_MAX   1.0e12 // impulses, forces, torques of a caller [N s, N, N m]
#define PHYSICS_MASS_MIN    1.0e-9 // kg of a dynamic body: what its shapes make less, weighs this
#define PHYSICS_MASS_MAX    1.0e12 // kg of a body: what its shapes make more, weighs this
#define PHYSICS_GRAVITY_MAX 1.0e4  // m/s²
#define PHYSICS_TICK_MAX                                                                           \
    (UINT64_C(1) << 52) // of an image: from there a world can step on for 142 000 years at 1 000
                        // Hz, and its ticks are whole numbers of a double

typedef struct physics_world physics_world;

typedef struct world_def {
    vec2d gravity;                // [m/s²], default {0, -9.81}
    double hz;                    // steps a second of world time, default 60
    int substeps;                 // solver sub-steps in a step, default 4
    bool sleep;                   // bodies at rest may sleep, default true
    bool continuous;              // fast bodies are swept against what does not move, default true
    uint32_t bodies_max;          // default PHYSICS_BODIES_MAX
    double restitution_threshold; // approach speed above which restitution acts [m/s], default 0.5
    double hit_threshold;         // approach speed above which a hit event is made [m/s], default 1
    double sleep_speed; // slower bodies that nothing moves may sleep [m/s], default 0.05; 0: none
} world_def;

world_def world_def_default(void);

typedef enum body_type { BODY_STATIC, BODY_KINEMATIC, BODY_DYNAMIC, BODY_TYPE_COUNT } body_type;

typedef struct body_def {
    body_type type;          // default BODY_DYNAMIC
    vec2d position;          // place of the body's origin [m]
    double angle;            // [rad]
    vec2d velocity;          // velocity of the centre of mass [m/s]
    double angular_velocity; // [rad/s]
    double linear_damping;   // [1/s], >= 0
    double angular_damping;  // [1/s], >= 0
    double gravity_scale;    // default 1
    double mass;             // kg; 0 (the default): from the shapes. Inertia is scaled with it
    bool fixed_rotation;     // never turns
    bool bullet;             // dynamic: swept against moving bodies too
    bool allow_sleep;        // default true
    bool awake;              // default true
    bool enabled;            // default true; a disabled body neither moves nor collides
    const char *tag;         // UTF-8 that the engine only keeps, copied; NULL: none
} body_def;

body_def body_def_default(void);

typedef struct shape_filter {
    uint64_t category; // default 1
    uint64_t mask;     // default all bits
    int32_t group;     // default 0; equal and negative: never collide; equal and positive: always
} shape_filter;

// Which events the pairs of a shape make; a pair makes an event if either shape asks for it.
typedef enum shape_events {
    SHAPE_EVENT_CONTACT = 1, // begin, stay and end (default)
    SHAPE_EVENT_HIT = 2,     // hit
    SHAPE_EVENT_SENSOR = 4   // is seen by sensors (default)
} shape_events;

typedef enum shape_form {
    FORM_CONVEX, // `geometry`: circle, capsule, polygon, segment
    FORM_CHAIN   // `points`: a polyline of one-sided pieces
} shape_form;

typedef struct shape_def {
    shape_form form;
    shape_geometry geometry;
    const vec2 *points; // points of a chain, 2 to PHYSICS_CHAIN_POINTS_MAX; copied
    int point_count;
    bool loop;                 // the chain's last point joins its first (3 points or more)
    double density;            // [kg/m²] >= 0, default 1
    double friction;           // >= 0, default 0.6; a pair has sqrt(f1 f2)
    double restitution;        // 0 to 1, default 0; a pair has the larger
    double rolling_resistance; // 0 to 1, default 0 [of the radius]
    double tangent_speed; // conveyor: speed of the surface along its tangent, which is the outward
                          // normal turned clockwise [m/s]
    bool sensor;          // notes overlaps, does not collide
    shape_filter filter;
    uint32_t events; // bits of shape_events
} shape_def;

shape_def shape_def_default(void);

// The checks that every definition passes before it enters a world, for callers that must know
// beforehand: STATUS_INVALID_ARGUMENT with the field's name. Ids and a world's capacity are not
// looked at.
status world_def_check(const world_def *def, error *err);
status body_def_check(const body_def *def, error *err);
status body_fields_check(uint32_t fields, const body_def *values, error *err); // bits of body_field
status shape_def_check(const shape_def *def, error *err);
// Shapes that it takes of PHYSICS_SHAPES_MAX and PHYSICS_BODY_SHAPES_MAX besides itself: the pieces
// of a chain.
uint32_t shape_def_pieces(const shape_def *def);

// ---- worlds

status world_create(const world_def *def, physics_world **out, error *err);
void world_free(physics_world *world); // NULL is allowed

// Makes `to` the state of `from`: the same hash, ids and future, bit for bit. `to` may be any other
// world; its memory is used again, and its threads, clock and wanted events stay as they are.
// Events of the last step are copied with the rest. Much faster than saving and restoring.
void world_copy(physics_world *to, const physics_world *from);

// Puts to sleep all islands of dynamic bodies but those of the given bodies, at once and without
// events, whatever they do: for a copy that has no time for all. An island that a moving kinematic
// body touches stays awake. Returns how many bodies are awake then.
uint32_t world_rest_others(physics_world *world, const body_id *keep, uint32_t count);

// Advances by 1/hz. Events of the step, and of what was changed since the one before, are then in
// world_events().
void world_step(physics_world *world);

uint64_t world_tick(const physics_world *world); // steps done
double world_time(const physics_world *world);   // tick / hz [s]
world_def world_definition(const physics_world *world);
status world_set_gravity(physics_world *world, vec2d gravity, error *err); // wakes all
status world_set_sleep(physics_world *world, bool sleep, error *err);      // false wakes all
// [m/s], 0 to PHYSICS_SPEED_MAX. Counts from the next step on.
status world_set_restitution_threshold(physics_world *world, double threshold, error *err);
// [m/s], 0 to PHYSICS_SPEED_MAX. Wakes all.
status world_set_sleep_speed(physics_world *world, double speed, error *err);

typedef struct world_counts {
    uint32_t bodies, awake, shapes, joints;
    uint32_t contacts; // pairs that touch
    uint32_t pairs;    // pairs whose boxes overlap
    uint32_t frozen;   // bodies that left the world or lost finiteness, ever
} world_counts;

world_counts world_count(const physics_world *world);

// The room that is left, for each kind of object. Constant time, so that a batch can be checked
// beforehand.
typedef struct world_room {
    uint32_t bodies;
    uint32_t shapes; // each piece of a chain counted, and the chain itself
    uint32_t joints;
} world_room;

world_room world_room_left(const physics_world *world);

// 64 bits over all that influences the world's future. Equal worlds have equal hashes on every
// machine.
uint64_t world_hash(const physics_world *world);

// The same by bodies: parts that add up to the hash (modulo 2^64), which is returned. That of a
// slot (the lowest 24 bits of an id) is of its body, of its shapes, and of its contacts and joints
// with what has a lower slot; 0 where no body is. The first is of what belongs to no body:
// settings, and which ids come next. So where two worlds' hashes differ, one of their parts does.
// `parts` has room for world_body_slots().
uint64_t world_hash_by_body(const physics_world *world, uint64_t *parts);
uint32_t world_awake(const physics_world *world);      // bodies that are awake; costs nothing
uint32_t world_body_slots(const physics_world *world); // one more than the highest ever taken

// ---- bodies. All functions by id: STATUS_NOT_FOUND when there is no such body (any more).

// A body without shapes has mass 1 at its origin if dynamic.
status body_create(physics_world *world, const body_def *def, body_id *out, error *err);
// The body and its shapes at once: all of it or nothing. `shapes_out` (may be NULL) gets `count`
// ids.
status body_spawn(physics_world *world, const body_def *def, const shape_def *shapes, int count,
                  body_id *out, shape_id *shapes_out, error *err);
// Removes its shapes and joints too; its contacts end, and bodies that rested on it wake.
status body_remove(physics_world *world, body_id body, error *err);

// A body as it is now. Pointers stay valid until the world is next changed or stepped.
typedef struct body_info {
    body_id id;
    body_type type;
    vec2d position; // origin
    double angle;   // [-pi, pi]
    rot rotation;
    vec2d velocity; // velocity of the centre of mass
    double angular_velocity;
    vec2d center;         // centre of mass in the world
    double mass, inertia; // 0 when not dynamic
    double linear_damping, angular_damping, gravity_scale;
    vec2d force; // the continuous force and torque that are set
    double torque;
    bool fixed_rotation, bullet, allow_sleep, awake, enabled, frozen;
    const char *tag; // "" when there is none
    uint32_t shape_count;
} body_info;

status body_get(const physics_world *world, body_id body, body_info *out, error *err);

// Which fields of a body_change count.
typedef enum body_field {
    BODY_FIELD_POSITION = 1 << 0,
    BODY_FIELD_ANGLE = 1 << 1,
    BODY_FIELD_VELOCITY = 1 << 2,
    BODY_FIELD_ANGULAR_VELOCITY = 1 << 3,
    BODY_FIELD_TYPE = 1 << 4,
    BODY_FIELD_AWAKE = 1 << 5,
    BODY_FIELD_GRAVITY_SCALE = 1 << 6,
    BODY_FIELD_LINEAR_DAMPING = 1 << 7,
    BODY_FIELD_ANGULAR_DAMPING = 1 << 8,
    BODY_FIELD_FIXED_ROTATION = 1 << 9,
    BODY_FIELD_BULLET = 1 << 10,
    BODY_FIELD_ALLOW_SLEEP = 1 << 11,
    BODY_FIELD_ENABLED = 1 << 12,
    BODY_FIELD_MASS = 1 << 13,
    BODY_FIELD_TAG = 1 << 14
} body_field;

// Changes the fields named in `fields` (bits of body_field) to their values in `values`; all are
// checked first. A change of pose or velocity wakes the body, unless awake=false is set with it.
status body_set(physics_world *world, body_id body, uint32_t fields, const body_def *values,
                error *err);

// Impulse [N s] at a place in the world, or at the centre of mass with `at` NULL. Wakes. Does
// nothing to what is not dynamic, which is no error.
status body_apply_impulse(physics_world *world, body_id body, vec2d impulse, const vec2d *at,
                          error *err);
status body_apply_angular_impulse(physics_world *world, body_id body, double impulse, error *err);
// A force [N] that acts every step until it is set again; `at` is a place of now, kept as a point
// of the body. Wakes.
status body_set_force(physics_world *world, body_id body, vec2d force, const vec2d *at, error *err);
status body_set_torque(physics_world *world, body_id body, double torque, error *err);

// ---- shapes

status shape_add(physics_world *world, body_id body, const shape_def *def, shape_id *out,
                 error *err);
status shape_remove(physics_world *world, shape_id shape, error *err);

// Which fields of a shape_def shape_set() takes.
typedef enum shape_field {
    SHAPE_FIELD_DENSITY = 1 << 0,
    SHAPE_FIELD_FRICTION = 1 << 1,
    SHAPE_FIELD_RESTITUTION = 1 << 2,
    SHAPE_FIELD_ROLLING_RESISTANCE = 1 << 3,
    SHAPE_FIELD_TANGENT_SPEED = 1 << 4,
    SHAPE_FIELD_SENSOR = 1 << 5,
    SHAPE_FIELD_FILTER = 1 << 6,
    SHAPE_FIELD_EVENTS = 1 << 7
} shape_field;

// Changes the fields named in `fields` (bits of shape_field) to their values in `values`; all are
// checked first. Of a chain, all pieces. Wakes the body and all that touches it. A change of filter
// or sensor ends the shape's contacts, and those that are still wanted begin anew in the next step.
status shape_set(physics_world *world, shape_id shape, uint32_t fields, const shape_def *values,
                 error *err);

typedef struct shape_info {
    shape_id id;
    body_id body;
    shape_def def; // def.points of a chain stay valid until the world is next changed or stepped
} shape_info;

status shape_get(const physics_world *world, shape_id shape, shape_info *out, error *err);

// ---- walking through a world: ids in ascending slot order. `after` is the last one seen, 0 to
// begin; 0 at the end.

body_id world_next_body(const physics_world *world, body_id after);
shape_id body_next_shape(const physics_world *world, body_id body, shape_id after);
joint_id world_next_joint(const physics_world *world, joint_id after);

// The state of each body for a snapshot, all of them, in ascending slot order, at most `max`;
// returns how many.
typedef struct body_row {
    body_id id;
    vec2d position;
    float angle; // [-pi, pi]
    vec2 velocity;
    float angular_velocity;
    bool awake;
    aabb box; // around its shapes, rounded outward; of its position where it has none
} body_row;

uint32_t world_rows(const physics_world *world, body_row *rows, uint32_t max);

// The same without boxes, which cost the most.
typedef struct body_placing {
    body_id id;
    vec2d position;
    double angle; // [-pi, pi]
    vec2 velocity;
    float angular_velocity;
    bool awake;
} body_placing;

uint32_t world_poses(const physics_world *world, body_placing *out, uint32_t max);

// The box of one body, as its row has it.
status body_box(const physics_world *world, body_id body, aabb *out, error *err);

// ---- contacts that touch at this moment, for drawing and for games

enum {
    CONTACT_POINTS_MAX = 8
}; // points that a pair reports: one contact has two at most; of a chain the deepest

typedef struct contact_info {
    body_id body_a, body_b;
    shape_id shape_a, shape_b;
    vec2 normal; // unit vector from a to b, at the deepest point
    int count;
    vec2d points[CONTACT_POINTS_MAX];
    vec2 normals[CONTACT_POINTS_MAX]; // normal at each point; all are the same where only one piece
                                      // is touched
    float depth[CONTACT_POINTS_MAX];  // > 0 is overlap [m]
    float impulse[CONTACT_POINTS_MAX]; // normal impulse of the last step [N s]
    float tangent_impulse[CONTACT_POINTS_MAX];
} contact_info;

// Fills at most `max` contacts, one for each pair of shapes that touch (a chain is one shape), in a
// fixed order, and returns how many touch.
uint32_t world_contacts(const physics_world *world, contact_info *out, uint32_t max);

// ---- events

typedef enum event_kind {
    EVENT_BEGIN,        // two shapes began to touch
    EVENT_STAY,         // they touch as they did a step before (asked for with world_want_events)
    EVENT_END,          // they part, or one of them is gone
    EVENT_HIT,          // they began to touch faster than the threshold
    EVENT_SENSOR_BEGIN, // b came into the sensor a
    EVENT_SENSOR_END,
    EVENT_SLEEP, // body a
    EVENT_WAKE,
    EVENT_SPAWN,
    EVENT_REMOVE,
    EVENT_JOINT_BREAK, // joint, between a and b
    EVENT_FREEZE,      // body a left the world's bounds or lost finiteness, and was disabled
    EVENT_KIND_COUNT
} event_kind;

typedef struct physics_event {
    event_kind kind;
    uint64_t tick; // tick whose state first shows it
    body_id a, b;  // 0 where there is none
    shape_id shape_a, shape_b;
    joint_id joint;
    vec2d point;   // begin, stay: of the deepest contact point; hit: of the fastest
    vec2 normal;   // unit vector from a to b
    float depth;   // overlap at that point [m]
    float speed;   // approach along the normal, > 0 when closing [m/s]
    float impulse; // sum of the contact's normal impulses in the step [N s]
} physics_event;

// Events of the last step in the order in which they happened; valid until the world is next
// changed or stepped.
const physics_event *world_events(const physics_world *world, uint32_t *count);

// Which kinds (bits 1 << event_kind) are made; all but STAY at first. An unwanted kind costs
// nothing.
void world_want_events(physics_world *world, uint32_t kinds);

// ---- threads

// A world is its caller's, one thread's at a time, and makes no threads. With a runner that the
// caller lends (see task_runner.h; kept until another is set) a step uses those; what it computes
// is the same to the bit with any number of them. A runner of one thread, as at first: none.
// Results of queries, changes and images do not use it.
void world_set_runner(physics_world *world, task_runner runner);

// ---- where a step's time goes

typedef struct world_profile { // [ms] of the last step
    double find_pairs, impacts, narrow_phase, solve, events, finalize, continuous, sleep;
} world_profile;

// The engine has no clock of its own: with one that the caller gives (milliseconds, monotonic),
// steps are measured. NULL, as at first: not. Costs eight calls a step.
void world_set_clock(physics_world *world, double (*now_ms)(void));
world_profile world_last_profile(const physics_world *world);

#endif
