// Joints: constraints between two bodies. Part of the engine's public interface, like physics.h.
//
// One definition serves all kinds; `fields` says which members were given; a member that the kind
// does not use is an error that names it (joint_kind_fields() lists them). Members not given have
// the default stated here. Limits and motors exist if they were given: `lower` alone is a limit on
// that side only, and there is a motor as soon as `motor_speed` or its greatest force (torque) is
// given.
//
// Conventions. Angles, translations and velocities are those of b relative to a; forces and torques
// act on b. A joint wakes its bodies, keeps them in one sleeping island, is removed with either of
// them, and keeps them from colliding unless `collide_connected` is set.
//
// Method: soft constraints solved in sub-steps (E. Catto, "Soft Constraints", GDC 2011; M. Macklin
// et al., "Small Steps in Physics Simulation", 2019; E. Catto, "Solver2D", 2024); each kind's
// source file has its formulas.
#ifndef CAROM_COMMON_PHYSICS_JOINT_H
#define CAROM_COMMON_PHYSICS_JOINT_H

#include "common/physics/physics.h"

typedef enum joint_kind {
    // hinge: a common point. Limits, motor and spring act on the angle, which counts full turns
    JOINT_REVOLUTE,
    // b slides along an axis of a without rotating. Limits, motor and spring act on the translation
    JOINT_PRISMATIC,
    // distance of the anchors: rod; rope (only `upper`); spring (`hertz`); winch (`motor_speed`)
    JOINT_DISTANCE,
    JOINT_WELD,  // no relative motion; with `hertz` or `angular_hertz` elastic
    JOINT_WHEEL, // b rotates freely on a sprung axis of a: limits on the axis, motor on the angle
    JOINT_MOTOR, // drives b to a pose or velocity relative to a, with bounded force and torque
    // drags a point of b to a place in the world by a spring of bounded force; has no a
    JOINT_MOUSE,
    JOINT_FILTER, // only keeps a and b from colliding
    JOINT_GEAR,   // couples two angles or translations: x_a + ratio x_b keeps its value at creation
    JOINT_PULLEY, // a rope from a over two fixed points to b: l_a + ratio l_b <= length
    JOINT_KIND_COUNT
} joint_kind;

// "revolute" … as on the wire.
const char *joint_kind_name(joint_kind kind);

typedef enum joint_field {
    JOINT_FIELD_ANCHOR = 1 << 0,
    JOINT_FIELD_ANCHOR_A = 1 << 1,
    JOINT_FIELD_ANCHOR_B = 1 << 2,
    JOINT_FIELD_AXIS = 1 << 3,
    JOINT_FIELD_REFERENCE_ANGLE = 1 << 4,
    JOINT_FIELD_LENGTH = 1 << 5,
    JOINT_FIELD_LOWER = 1 << 6,
    JOINT_FIELD_UPPER = 1 << 7,
    JOINT_FIELD_MOTOR_SPEED = 1 << 8,
    JOINT_FIELD_MAX_FORCE = 1 << 9,
    JOINT_FIELD_MAX_TORQUE = 1 << 10,
    JOINT_FIELD_HERTZ = 1 << 11,
    JOINT_FIELD_DAMPING_RATIO = 1 << 12,
    JOINT_FIELD_ANGULAR_HERTZ = 1 << 13,
    JOINT_FIELD_ANGULAR_DAMPING_RATIO = 1 << 14,
    JOINT_FIELD_TARGET = 1 << 15,
    JOINT_FIELD_TARGET_ANGLE = 1 << 16,
    JOINT_FIELD_TARGET_TRANSLATION = 1 << 17,
    JOINT_FIELD_VELOCITY = 1 << 18,
    JOINT_FIELD_RATIO = 1 << 19,
    JOINT_FIELD_JOINT_A = 1 << 20,
    JOINT_FIELD_JOINT_B = 1 << 21,
    JOINT_FIELD_GROUND_A = 1 << 22,
    JOINT_FIELD_GROUND_B = 1 << 23,
    JOINT_FIELD_BREAK_FORCE = 1 << 24,
    JOINT_FIELD_BREAK_TORQUE = 1 << 25,
    JOINT_FIELD_COLLIDE_CONNECTED = 1 << 26
} joint_field;

enum { JOINT_FIELD_COUNT = 27 };

// "anchor" … as on the wire; `field` is one bit.
const char *joint_field_name(joint_field field);
// The fields that a definition of that kind may give; the fields that joint_set() can change.
uint32_t joint_kind_fields(joint_kind kind);
uint32_t joint_kind_settable(joint_kind kind);

#define JOINT_LIMIT_MAX         1.0e6 // |lower|, |upper|, |length|, targets [m, rad]
#define JOINT_HERTZ_MAX         1000.0
#define JOINT_DAMPING_RATIO_MAX 100.0
#define JOINT_RATIO_MIN         1.0e-3 // |ratio| is in [1/1000, 1000]
#define JOINT_RATIO_MAX         1.0e3

typedef struct joint_def {
    joint_kind kind;
    // two different bodies. Mouse: only b counts (if only a is given, it is b). Gear with joints:
    // may be 0
    body_id a, b;
    uint32_t fields; // bits of joint_field: which of the members below were given

    // The place where the joint acts: either `anchor`, or one or both of `anchor_a` and `anchor_b`.
    // If one local anchor is given, the other is the same place, except for distance, motor and
    // pulley, whose anchors are {0, 0} by default. Without any: prismatic, weld and wheel act at
    // b's origin, mouse at `target` if that is in a shape of b, else at b's centre of mass; a
    // revolute joint needs one.
    vec2d anchor;             // a place in the world
    vec2d anchor_a, anchor_b; // places in the frames of the bodies [m]
    vec2 axis; // prismatic (needed), wheel (default {0, 1}): direction in the world at creation,
               // any length
    // the angle of b minus that of a that counts as zero [rad]; default: the one at creation
    double reference_angle;

    // distance: length of the rod (5 mm or more) or of the spring at rest. pulley: l_a + ratio l_b.
    // Default: the length at creation.
    double length;
    // Limits of the angle (revolute), translation (prismatic, wheel) or length (distance).
    // -INFINITY and INFINITY: none, the default. lower <= upper. A distance joint with limits or a
    // motor and no `hertz` is not a rod: its length is free within the limits.
    double lower, upper;
    // revolute, wheel, motor [rad/s]; prismatic, distance [m/s]; default 0: a brake
    double motor_speed;
    // limit of the motor or mouse, >= 0 [N]; default PHYSICS_FORCE_MAX; 0 turns it off
    double max_force;
    double max_torque; // limit of the motor, >= 0 [N m]; default and 0 as for max_force

    // Spring: frequency and damping ratio of the two bodies; 0 Hz: no spring (weld, mouse: rigid;
    // motor: velocity only). Default 0 and 0; wheel 2 Hz and 0.7; mouse 5 Hz and 0.7; motor 5 Hz
    // and 1, but 0 Hz if a velocity and no target is given.
    double hertz, damping_ratio;
    double angular_hertz,
        angular_damping_ratio; // weld, motor: the same for the angle; default: the two above
    // mouse: the place in the world to drag to, required. motor: position of b's anchor relative to
    // a's, in the frame of a; default: the one at creation.
    vec2d target;
    double target_angle; // revolute (spring at rest), motor (default: the one at creation) [rad]
    double target_translation; // prismatic, wheel: spring at rest; default 0 [m]
    // motor: velocity of b's anchor relative to a's, in the frame of a; default 0 [m/s]
    vec2 velocity;

    double ratio; // gear (any sign), pulley (> 0); default 1
    // gear: revolute or prismatic joints whose angle or translation is x_a, x_b; both or neither
    // (then x is the body's angle in the world). Removing one of them removes the gear
    joint_id joint_a, joint_b;
    vec2d ground_a, ground_b; // pulley: the fixed points of the rope, in the world; required

    // A larger mean force or torque over a step breaks the joint at the step's end; 0, the default:
    // never.
    double break_force, break_torque;
    bool collide_connected; // a and b still collide; default false
} joint_def;

// No bodies, no fields given, every member at its default (zero where the default depends on the
// bodies).
joint_def joint_def_default(joint_kind kind);

// Checks what needs no world: the fields, their ranges, and that they agree with each other. Any
// thread. Errors: STATUS_INVALID_ARGUMENT with the field's name.
status joint_alone_check(const joint_def *def, error *err);

// Errors: STATUS_NOT_FOUND (a, b, joint_a, joint_b), STATUS_LIMIT_EXCEEDED (PHYSICS_JOINTS_MAX),
// STATUS_INVALID_ARGUMENT.
status joint_create(physics_world *world, const joint_def *def, joint_id *out, error *err);

// Sets the fields named in `fields` to their values in `values` (its kind, a, b and fields are
// ignored), and wakes the bodies.
status joint_set(physics_world *world, joint_id joint, uint32_t fields, const joint_def *values,
                 error *err);

// Removes the gears that use it too. Wakes its bodies, which may collide again.
status joint_remove(physics_world *world, joint_id joint, error *err);

typedef struct joint_info {
    joint_id id;
    // the definition in effect: `fields` names given and derived members; local anchors, current
    // axis
    joint_def def;
    vec2d anchor_a, anchor_b; // current places in the world
    // angle of b relative to a minus the reference [rad]; revolute, wheel: full turns counted
    double angle;
    double translation; // along the axis: prismatic, wheel [m]
    double length;      // distance of the anchors; pulley: l_a + ratio l_b [m]
    double speed;       // rate of the motor's coordinate: angle, translation or length [rad/s, m/s]
    double side_a, side_b; // gear: x_a, x_b; pulley: l_a, l_b
    vec2d force;           // force on b, mean of the last step [N]
    double torque;         // torque on b about its anchor [N m]
} joint_info;

status joint_get(const physics_world *world, joint_id joint, joint_info *out, error *err);

// The number of joints of a body, and the next joint after `after` (0 to begin) in ascending slot
// order; 0 at the end or without such a body.
uint32_t body_joint_count(const physics_world *world, body_id body);
joint_id body_next_joint(const physics_world *world, body_id body, joint_id after);

#endif
