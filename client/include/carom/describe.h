// Bodies and joints in full, as the server describes them: to subscriptions with `describe`, and in
// the answers of body.get and joint.get. The caller only reads them.
#ifndef CAROM_DESCRIBE_H
#define CAROM_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/export.h>
#include <carom/shape.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

// A body's motion at one tick.
typedef struct carom_body {
    uint64_t id;
    double x, y;   // its origin [m]
    double angle;  // [rad]
    double vx, vy; // [m/s]
    double w;      // angular velocity [rad/s]
} carom_body;

typedef enum carom_body_type {
    CAROM_DYNAMIC,   // moved by forces and impacts; the default
    CAROM_STATIC,    // never moves
    CAROM_KINEMATIC, // moves only by its velocity
} carom_body_type;

typedef struct carom_shape_info {
    uint64_t id;
    carom_shape shape; // exact; its vertices live as long as the description
} carom_shape_info;

typedef struct carom_body_info {
    carom_body body; // its motion when it was described
    carom_body_type type;
    const char *tag;   // "" if it has none
    const char *owner; // the subject that spawned it; "" on servers without keys
    carom_vec2 center; // centre of mass, in the world [m]
    double mass;       // [kg], 0 if it is not dynamic
    double inertia;    // [kg m²]
    double linear_damping, angular_damping; // [1/s]
    double gravity_scale;
    bool fixed_rotation, bullet, allow_sleep, enabled;
    bool awake;  // when it was described: carom_view_awake follows it
    bool frozen; // it left the world's bounds and was disabled
    const carom_shape_info *shapes;
    size_t shape_count;
} carom_body_info;

typedef enum carom_joint_kind {
    CAROM_REVOLUTE,
    CAROM_PRISMATIC,
    CAROM_DISTANCE,
    CAROM_WELD,
    CAROM_WHEEL,
    CAROM_MOTOR,
    CAROM_MOUSE,
    CAROM_FILTER,
    CAROM_GEAR,
    CAROM_PULLEY,
    CAROM_JOINT_OTHER // a kind of a later server; only in descriptions
} carom_joint_kind;

// Settings of a joint; PROTOCOL.md, under Joints, says which of them each kind has.
//
// The server chooses numbers that are not given. In a struct that begins as {0} those that are 0
// are not given; in one from carom_joint_settings_default() those that are NaN are not (all are, to
// begin with), so that lower = 0 is a limit. In a description a number that the joint does not have
// is NaN.
typedef struct carom_joint_settings {
    bool exact;
    carom_joint_kind kind;
    uint64_t a, b;                 // bodies; 0: none (a mouse has no a, a gear of two joints has
                                   // neither)
    uint64_t joint_a, joint_b;     // the revolute or prismatic joints of a gear
    bool collide_connected;        // the two bodies still collide with each other
    carom_vec2 anchor;             // a place in the world [m], or else
    carom_vec2 anchor_a, anchor_b; // points of the bodies, in their frames [m]
    carom_vec2 axis;               // a direction in the world
    carom_vec2 ground_a, ground_b; // where a pulley's ropes turn, in the world [m]
    double reference_angle;        // [rad]
    double ratio;
    double length;       // [m]
    double lower, upper; // [rad] or [m]
    double motor_speed;  // [rad/s] or [m/s]
    double max_force;    // [N]
    double max_torque;   // [N m]
    double hertz, damping_ratio;
    double angular_hertz, angular_damping_ratio;
    carom_vec2 target;         // [m]
    double target_angle;       // [rad]
    double target_translation; // [m]
    carom_vec2 velocity;       // [m/s]
    double break_force;        // [N], 0: never
    double break_torque;       // [N m], 0: never
} carom_joint_settings;

CAROM_API carom_joint_settings carom_joint_settings_default(carom_joint_kind kind, uint64_t a,
                                                            uint64_t b);

typedef struct carom_joint_info {
    uint64_t id;
    carom_joint_settings settings;
    carom_vec2 points[2]; // the anchors, in the world [m]
    double angle;         // angle of b minus angle of a [rad]
    double translation;   // along the axis [m]
    double length;        // between the anchors [m]
    double speed;         // change of the angle [rad/s] or translation [m/s]
    carom_vec2 force;     // force on b [N]
    double torque;        // torque on b [N m]
} carom_joint_info;

// "revolute" …; NULL for CAROM_JOINT_OTHER and any number that is no kind.
CAROM_API const char *carom_joint_kind_name(carom_joint_kind kind);
// "dynamic" …; NULL for any number that is no type.
CAROM_API const char *carom_body_type_name(carom_body_type type);

CAROM_END_DECLS

#endif
