// The internals of a joint: one layout for all kinds.
//
// A joint's data is in three places. Its record has its anchors, its impulses, its links and the
// last step's report, for joint_get() and for breaking. Its settings are separate: most joints have
// their kind's defaults, which are stored once. Values computed for a step belong to the solver: in
// lanes (joint_lanes.h) or, for joints solved one at a time, in a single_joint.
//
// Record and settings, except for links and report, are state: they influence the future and are
// part of hashes and images ("state" below; `colour` too, as all colours are). Links follow from
// the set of joints and which are awake.
//
// Impulses act on b, and negated on a.
#ifndef CAROM_COMMON_PHYSICS_STATE_JOINTS_JOINT_RECORD_H
#define CAROM_COMMON_PHYSICS_STATE_JOINTS_JOINT_RECORD_H

#include "common/physics/joint.h"
#include "common/physics/state/world.h"

#include <stddef.h>

enum {                            // joint.flags
    JOINT_FLAG_COLLIDE = 1u << 0, // state: the bodies still collide
    JOINT_FLAG_MOTOR = 1u << 1,   // state: a motor was given
    JOINT_FLAG_GEARED = 1u << 2   // derived: gears use it
};

typedef struct joint_edge {
    uint32_t previous, next; // list links like those of contacts: joint << 1 | side
} joint_edge;

// The settings as given, and the current value of a gear; see joint_def. There is no padding, so
// they can be compared as bytes.
typedef struct joint_settings {
    vec2d target, ground_a, ground_b;
    double gear_a, gear_b;     // gear: the last values of x_a and x_b
    double gear_constant;      // gear: the value that x_a + ratio x_b must keep
    uint32_t joint_a, joint_b; // slots; gear, NONE: of the bodies themselves
    vec2 axis;                 // unit, in the frame of a
    vec2 velocity;
    float lower, upper; // ±INFINITY: none
    float hertz, damping_ratio, angular_hertz, angular_damping_ratio;
    float motor_speed, max_force, max_torque;
    float ratio;
    float target_angle, target_translation;
    float break_force, break_torque; // 0: never
} joint_settings;
_Static_assert(sizeof(joint_settings) == 72 + 8 + 16 + 14 * sizeof(float), "no padding");

typedef struct joint_impulses { // impulses of a sub-step [N s, N m s]
    // point (revolute, weld, motor, mouse); x: across the axis, along the rod, or of the gear
    vec2 linear;
    float angular; // weld, motor, prismatic
    float lower, upper, motor, spring;
} joint_impulses;

// How the solver handles a joint.
typedef enum joint_sort {
    SORT_PLAIN,  // revolute, solved in lanes
    SORT_DRIVEN, // the same with a spring, a motor or limits
    SORT_SINGLE  // solved one at a time
} joint_sort;
_Static_assert(SORT_SINGLE + 1 == JOINT_SORTS, "a list of each");

typedef struct joint {
    // state
    _Alignas(64) vec2d anchor_a; // places in the frames of the bodies
    vec2d anchor_b;
    uint32_t body_a : 24, kind : 8;   // slots; mouse: body_a is NONE. `kind` is a joint_kind
    uint32_t body_b : 24, colour : 8; // COLOUR_NONE: not awake
    double angle;                     // revolute, wheel: last angle, with whole turns
    uint32_t settings_at : 24;        // place in world.joint_settings, see joint_settings.c
    uint32_t flags : 6, sort : 2;     // joint_sort: the list of its colour that it is on
    float length;                     // distance, pulley
    double reference_angle;
    joint_impulses impulses;
    // report
    float total_torque;
    vec2 total_force; // sum of the impulses over the sub-steps of the last step [N s]
    // links
    joint_edge edges[2];
    uint32_t awake_index;  // place in world.awake_joints + 1; 0: not awake
    uint32_t colour_index; // place in its sort's list of its colour
} joint;
_Static_assert(sizeof(joint) == 128, "two cache lines");

// A joint that is being made or changed.
typedef struct joint_parts {
    joint record;
    joint_settings settings;
} joint_parts;

// ---- definitions (joint_def.c)
status joint_def_check(const physics_world *world, const joint_def *def, error *err);
status joint_fields_check(joint_kind kind, uint32_t fields, const joint_def *values, error *err);
// Checks that settings agree with each other, for a definition whose `fields` name those in effect.
status joint_together_check(const joint_def *def, error *err);
// The body of a joint on which a gear acts: the named one, else b if it can move, else a.
uint32_t gear_body(const physics_world *world, uint32_t on, body_id named);

// ---- settings (joint_settings.c) Copies the numbers of the given fields, which have been checked,
// into the joint; and back, with `fields` of those in effect.
void joint_settings_apply(joint_parts *j, uint32_t fields, const joint_def *values);
void joint_settings_tell(const joint_parts *j, joint_def *out);
// Distance joints without spring or limits are rods, and a rod has a length.
status joint_check_rod(const joint_parts *j, error *err);
// Stores these settings for a joint, whose kind is known and which may have settings already (none:
// settings_at 0).
void joint_settings_put(physics_world *world, joint *j, const joint_settings *settings);
// Releases the settings of a joint that is destroyed.
void joint_settings_drop(physics_world *world, joint *j);
static inline joint_settings *joint_settings_of(const physics_world *world, const joint *j)
{
    return &world->joint_settings.data[j->settings_at];
}
static inline bool joint_is_usual(const joint *j) // has its kind's default settings
{
    return j->settings_at < JOINT_KIND_COUNT;
}
// A gear on joints writes to up to four bodies; a gear on bodies is solved like any other joint.
static inline bool joint_is_geared(const physics_world *world, const joint *j)
{
    return j->kind == JOINT_GEAR && joint_settings_of(world, j)->joint_a != NONE;
}
// The sort of a joint with its current settings.
joint_sort joint_sort_of(const physics_world *world, const joint *j);
static inline joint_parts joint_parts_of(const physics_world *world, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    return (joint_parts){*j, *joint_settings_of(world, j)};
}

// has its kind's default settings
void joint_destroy(physics_world *world, uint32_t slot); // destroys the gears that stand on it too
void joint_wake_bodies(physics_world *world, const joint *j);
status joint_find(const physics_world *world, joint_id id, uint32_t *slot, error *err);
// Puts a joint in its slot on the lists of its bodies: for making it and for restoring an image.
void joint_link(physics_world *world, uint32_t slot);

// Makes a joint from a checked definition, with the values that follow from the bodies' poses
// (joint_make.c).
joint_parts joint_make(const physics_world *world, const joint_def *def);
joint_settings joint_usual_settings(joint_kind kind);

// ---- places (joint_make.c)
vec2d joint_anchor_a(const physics_world *world,
                     const joint *j); // place in the world; mouse: the target
vec2d joint_anchor_b(const physics_world *world, const joint *j);
// The angle of q relative to p (NONE: the world) minus `reference`, in [-pi, pi].
double joint_relative_angle(const physics_world *world, uint32_t p, uint32_t q, double reference);
// The angle that differs from `angle` by whole turns and is nearest to `near`.
double joint_unwrap(double angle, double near);
void gear_sides(const physics_world *world, const joint *j, const joint_settings *settings,
                double *x_a, double *x_b);

#endif
