// The engine's public interface: worlds, bodies, shapes, joints, events, queries.
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

// The version of the engine's behaviour, that is, of how a world advances from one state to the
// next. Every change of the golden hashes (tests/golden) increases it, so that logs, images and
// replicas of another behaviour are recognised.
enum { ENGINE_BEHAVIOUR = 5 };

// Identifiers: slot + 1 in the low 24 bits, the slot's generation above, so below 2^53. Zero is
// none. A slot whose generations are used up is never used again, so no id is reused within a
// world.
typedef uint64_t body_id;
typedef uint64_t shape_id;
typedef uint64_t joint_id;

enum {
    PHYSICS_BODIES_MAX = 1 << 20, // the most bodies of a world; world_def.bodies_max may lower it
    PHYSICS_SHAPES_MAX = 1 << 22, // shapes of a world, each piece of a chain counted
    PHYSICS_JOINTS_MAX = 1 << 20,
    // Pairs of shapes whose boxes overlap. If there are more, pairs with a static or kinematic body
    // come before pairs of two dynamic ones, then the lowest slots; the others do not touch until
    // one of their boxes is renewed.
    PHYSICS_CONTACTS_MAX = 1 << 23,
    // A world's own maximum is lower: this many contacts, plus PHYSICS_CONTACTS_PER_SHAPE for each
    // of its shapes. A heap has about three contacts for each body; thousands of bodies in one
    // place would have millions.
    PHYSICS_CONTACTS_LEAST = 1 << 16,
    PHYSICS_CONTACTS_PER_SHAPE = 16,
    // The share of the maximum (an eighth) added for pairs with a static or kinematic body, so that
    // walls stay solid when a crowd uses up the room of the others.
    PHYSICS_CONTACTS_STANDING_SHARE = 8,
    // Pairs whose boxes come to overlap in one step: about a second of work. If there are more, no
    // pair of two dynamic bodies gets a contact until one of its boxes is renewed; nor does any
    // other pair if those with a static or kinematic body alone exceed it.
    PHYSICS_MEETINGS_MAX = 1 << 26,
    PHYSICS_BODY_SHAPES_MAX = 1024,  // shapes on one body, each piece of a chain counted
    PHYSICS_CHAIN_POINTS_MAX = 1024, // points of one chain
    PHYSICS_TAG_BYTES_MAX = 64,      // bytes of a body's tag
    PHYSICS_SUBSTEPS_MAX = 64,
    PHYSICS_HZ_MIN = 1,
    PHYSICS_HZ_MAX = 1000
};

// The largest coordinate of a position [m]: a float box still resolves 6 cm there.
#define PHYSICS_EXTENT_MAX    1.0e6
#define PHYSICS_SPEED_MAX     4000.0 // the highest speed of a body, whatever acts on it [m/s]
#define PHYSICS_SPIN_MAX      4000.0 // the highest angular speed of a body [rad/s]
#define PHYSICS_FORCE_MAX     1.0e12 // impulses, forces, torques of a caller [N s, N, N m]
// The least mass of a dynamic body and the greatest mass of any [kg]; the sum of a body's shapes is
// clamped to them.
#define PHYSICS_MASS_MIN      1.0e-9
#define PHYSICS_MASS_MAX      1.0e12
#define PHYSICS_GRAVITY_MAX   1.0e4 // m/s²
// A one-way shape's direction: its least length, and the greatest size of its numbers.
#define PHYSICS_ONE_WAY_LEAST 1.0e-3
#define PHYSICS_ONE_WAY_MAX   1.0e6
// The greatest tick of an image: a world can run on for 142 000 years at 1 000 Hz from it, and its
// ticks are exact in a double.
#define PHYSICS_TICK_MAX      (UINT64_C(1) << 52)

typedef struct physics_world physics_world;

typedef struct world_def {
    vec2d gravity;                // [m/s²], default {0, -9.81}
    double hz;                    // steps a second of world time, default 60
    int substeps;                 // solver sub-steps in a step, default 4
    bool sleep;                   // bodies at rest may sleep, default true
    bool continuous;              // fast bodies are swept against static ones, default true
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
    bool fixed_rotation;     // never rotates
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

// The events that pairs of a shape produce; a pair produces an event if either shape asks for it.
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
    // one-way: a direction in the body's frame, of any length from PHYSICS_ONE_WAY_LEAST on. Only
    // bodies that come from that side collide with the shape; all others pass through until they no
    // longer overlap it. {0, 0} (the default): solid from all sides. Without effect on sensors; a
    // chain, which is one-sided already, cannot have it.
    vec2 one_way;
    bool sensor; // detects overlaps, does not collide
    shape_filter filter;
    uint32_t events; // bits of shape_events
} shape_def;

shape_def shape_def_default(void);

// The checks that every definition passes before it enters a world, for callers that need to know
// before they change a world: STATUS_INVALID_ARGUMENT with the field's name. They do not check ids
// and a world's capacity.
status world_def_check(const world_def *def, error *err);
status body_def_check(const body_def *def, error *err);
status body_fields_check(uint32_t fields, const body_def *values, error *err); // bits of body_field
status shape_def_check(const shape_def *def, error *err);
// The number of shapes that a definition takes, beside itself, of PHYSICS_SHAPES_MAX and
// PHYSICS_BODY_SHAPES_MAX: the pieces of a chain.
uint32_t shape_def_pieces(const shape_def *def);

// ---- worlds

status world_create(const world_def *def, physics_world **out, error *err);
void world_free(physics_world *world); // NULL is allowed

// Makes `to` the state of `from`: the same hash, ids and future, bit for bit. `to` may be any other
// world; its memory is reused, and its threads, clock and wanted events stay. Events of the last
// step are copied with the rest. Much faster than saving and restoring.
void world_copy(physics_world *to, const physics_world *from);

// Puts all islands of dynamic bodies to sleep except those of the given bodies, at once and without
// events, even if they move: for a copy of the world that has no time to simulate all. An island
// that a moving kinematic body touches stays awake. Returns how many bodies are awake then.
uint32_t world_rest_others(physics_world *world, const body_id *keep, uint32_t count);

// Advances the world by 1/hz. world_events() then has the events of this step and of changes since
// the one before.
void world_step(physics_world *world);

uint64_t world_tick(const physics_world *world); // steps done
double world_time(const physics_world *world);   // tick / hz [s]
world_def world_definition(const physics_world *world);
status world_set_gravity(physics_world *world, vec2d gravity, error *err); // wakes all
status world_set_sleep(physics_world *world, bool sleep, error *err);      // false wakes all
// [m/s], 0 to PHYSICS_SPEED_MAX. Takes effect with the next step.
status world_set_restitution_threshold(physics_world *world, double threshold, error *err);
// [m/s], 0 to PHYSICS_SPEED_MAX. Wakes all.
status world_set_sleep_speed(physics_world *world, double speed, error *err);

typedef struct world_counts {
    uint32_t bodies, awake, shapes, joints;
    uint32_t contacts; // pairs that touch
    uint32_t pairs;    // pairs whose boxes overlap
    uint32_t frozen;   // bodies that left the world or became non-finite, since the world began
} world_counts;

world_counts world_count(const physics_world *world);

// The remaining capacity for each kind of object. Constant time, so that a batch can be checked
// beforehand.
typedef struct world_room {
    uint32_t bodies;
    uint32_t shapes; // each piece of a chain counted, and the chain itself
    uint32_t joints;
} world_room;

world_room world_room_left(const physics_world *world);

// A hash of 64 bits over all state that influences the world's future. Equal worlds have equal
// hashes on every machine.
uint64_t world_hash(const physics_world *world);

// The hash split by bodies: parts that add up to the hash (modulo 2^64), which is returned. The
// part at a slot (the lowest 24 bits of an id) covers its body, the body's shapes, and its contacts
// and joints with bodies of lower slots; it is 0 if the slot is free. The first part covers
// everything without a body: settings, and the next ids. So if the hashes of two worlds differ, at
// least one of their parts differs. `parts` has room for world_body_slots().
uint64_t world_hash_by_body(const physics_world *world, uint64_t *parts);
uint32_t world_awake(const physics_world *world);      // number of awake bodies; constant time
uint32_t world_body_slots(const physics_world *world); // one more than the highest slot ever used

// ---- bodies. All functions by id return STATUS_NOT_FOUND if no such body exists (any more).

// A dynamic body without shapes has mass 1 at its origin.
status body_create(physics_world *world, const body_def *def, body_id *out, error *err);
// Creates the body and its shapes at once: all of them or nothing. `shapes_out` (may be NULL) gets
// `count` ids.
status body_spawn(physics_world *world, const body_def *def, const shape_def *shapes, int count,
                  body_id *out, shape_id *shapes_out, error *err);
// Removes its shapes and joints too; its contacts end, and bodies that rested on it wake.
status body_remove(physics_world *world, body_id body, error *err);

// The current state of a body. Pointers stay valid until the world is next changed or stepped.
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
    double own_mass;      // the mass that was set; 0: from the shapes
    double linear_damping, angular_damping, gravity_scale;
    vec2d force; // the continuous force and torque that are set
    double torque;
    bool fixed_rotation, bullet, allow_sleep, awake, enabled, frozen;
    const char *tag; // "" when there is none
    uint32_t shape_count;
} body_info;

status body_get(const physics_world *world, body_id body, body_info *out, error *err);

// The fields of a body_def that body_set() uses.
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

// Applies an impulse [N s] at a place in the world, or at the centre of mass if `at` is NULL. Wakes
// the body. It has no effect on bodies that are not dynamic, without an error.
status body_apply_impulse(physics_world *world, body_id body, vec2d impulse, const vec2d *at,
                          error *err);
status body_apply_angular_impulse(physics_world *world, body_id body, double impulse, error *err);
// Sets a force [N] that acts in every step until it is set again; `at` is a current place in the
// world and then moves with the body. Wakes the body.
status body_set_force(physics_world *world, body_id body, vec2d force, const vec2d *at, error *err);
status body_set_torque(physics_world *world, body_id body, double torque, error *err);

// ---- shapes

status shape_add(physics_world *world, body_id body, const shape_def *def, shape_id *out,
                 error *err);
status shape_remove(physics_world *world, shape_id shape, error *err);

// The fields of a shape_def that shape_set() uses.
typedef enum shape_field {
    SHAPE_FIELD_DENSITY = 1 << 0,
    SHAPE_FIELD_FRICTION = 1 << 1,
    SHAPE_FIELD_RESTITUTION = 1 << 2,
    SHAPE_FIELD_ROLLING_RESISTANCE = 1 << 3,
    SHAPE_FIELD_TANGENT_SPEED = 1 << 4,
    SHAPE_FIELD_SENSOR = 1 << 5,
    SHAPE_FIELD_FILTER = 1 << 6,
    SHAPE_FIELD_EVENTS = 1 << 7,
    SHAPE_FIELD_ONE_WAY = 1 << 8
} shape_field;

// Sets the fields named in `fields` (bits of shape_field) to their values in `values`; all are
// checked first. For a chain, sets all pieces. Wakes the body and all bodies that touch it. A
// change of filter, sensor or one_way ends the shape's contacts; pairs that are still wanted begin
// again in the next step.
status shape_set(physics_world *world, shape_id shape, uint32_t fields, const shape_def *values,
                 error *err);

typedef struct shape_info {
    shape_id id;
    body_id body;
    shape_def def; // def.points of a chain stay valid until the world is next changed or stepped
} shape_info;

status shape_get(const physics_world *world, shape_id shape, shape_info *out, error *err);

// ---- iterating over a world: ids in ascending slot order. `after` is the last one seen, 0 to
// begin; returns 0 at the end.

body_id world_next_body(const physics_world *world, body_id after);
shape_id body_next_shape(const physics_world *world, body_id body, shape_id after);
joint_id world_next_joint(const physics_world *world, joint_id after);

// Fills in the state of each body for a snapshot, in ascending slot order, at most `max`; returns
// the count.
typedef struct body_row {
    body_id id;
    vec2d position;
    float angle; // [-pi, pi]
    vec2 velocity;
    float angular_velocity;
    bool awake;
    aabb box; // around its shapes, rounded outward; only its position if it has none
} body_row;

uint32_t world_rows(const physics_world *world, body_row *rows, uint32_t max);

// The same without boxes, which are the most expensive part.
typedef struct body_placing {
    body_id id;
    vec2d position;
    double angle; // [-pi, pi]
    vec2 velocity;
    float angular_velocity;
    bool awake;
} body_placing;

uint32_t world_poses(const physics_world *world, body_placing *out, uint32_t max);

// The box of one body, as in its row.
status body_box(const physics_world *world, body_id body, aabb *out, error *err);

// ---- contacts that currently touch, for drawing and for games

enum {
    CONTACT_POINTS_MAX = 8
}; // points that a pair reports: one contact has at most two; for a chain the deepest

typedef struct contact_info {
    body_id body_a, body_b;
    shape_id shape_a, shape_b;
    vec2 normal; // unit vector from a to b, at the deepest point
    int count;
    vec2d points[CONTACT_POINTS_MAX];
    // normal at each point; all are equal if only one piece is touched
    vec2 normals[CONTACT_POINTS_MAX];
    float depth[CONTACT_POINTS_MAX];   // > 0 is overlap [m]
    float impulse[CONTACT_POINTS_MAX]; // normal impulse of the last step [N s]
    float tangent_impulse[CONTACT_POINTS_MAX];
} contact_info;

// Fills at most `max` contacts, one for each pair of shapes that touch (a chain is one shape), in a
// fixed order, and returns how many touch.
uint32_t world_contacts(const physics_world *world, contact_info *out, uint32_t max);

// ---- events

typedef enum event_kind {
    EVENT_BEGIN, // two shapes began to touch
    EVENT_STAY,  // they still touch after another step (only if world_want_events asks for it)
    EVENT_END,   // they separated, or one of them was removed
    EVENT_HIT,   // they began to touch faster than the threshold
    EVENT_SENSOR_BEGIN, // b entered the sensor a
    EVENT_SENSOR_END,
    EVENT_SLEEP, // body a
    EVENT_WAKE,
    EVENT_SPAWN,
    EVENT_REMOVE,
    EVENT_JOINT_BREAK, // joint, between a and b
    EVENT_FREEZE,      // body a left the world's bounds or became non-finite, and was disabled
    EVENT_KIND_COUNT
} event_kind;

typedef struct physics_event {
    event_kind kind;
    uint64_t tick; // tick whose state first shows it
    body_id a, b;  // 0 if there is none
    shape_id shape_a, shape_b;
    joint_id joint;
    vec2d point;   // begin, stay: the deepest contact point; hit: the fastest
    vec2 normal;   // unit vector from a to b
    float depth;   // overlap at that point [m]
    float speed;   // approach along the normal, > 0 when closing [m/s]
    float impulse; // sum of the contact's normal impulses in the step [N s]
} physics_event;

// Events of the last step in the order in which they happened; valid until the world is next
// changed or stepped.
const physics_event *world_events(const physics_world *world, uint32_t *count);

// Chooses the kinds of events (bits 1 << event_kind) to produce; at first all except STAY. An
// unwanted kind costs nothing.
void world_want_events(physics_world *world, uint32_t kinds);

// ---- threads

// A world is used by one thread at a time and creates no threads. With a runner lent by the caller
// (see task_runner.h; kept until another is set) a step uses the runner's threads; its result is
// the same to the bit with any number of them. A runner of one thread, the initial one, adds none.
// Queries, changes and images do not use it.
void world_set_runner(physics_world *world, task_runner runner);

// ---- step profile

typedef struct world_profile { // [ms] of the last step
    double find_pairs, impacts, narrow_phase, solve, events, finalize, continuous, sleep;
} world_profile;

// The engine has no clock: with one from the caller (milliseconds, monotonic), steps are measured.
// NULL, the initial value: they are not. Costs eight calls a step.
void world_set_clock(physics_world *world, double (*now_ms)(void));
world_profile world_last_profile(const physics_world *world);

#endif
