// Many local worlds that are stepped in one call, for learning, search and sampling.
//
// All worlds begin as copies of one. Some of their bodies are watched: after each call the array of
// carom_many_bodies() has their motion, world by world. Drives turn numbers into commands: in each
// step the action of a world sets a force, a velocity or a motor's speed for each of them.
//
//     carom_drive push = {.kind = CAROM_DRIVE_FORCE, .id = cart, .axis = {1.0, 0.0},
//                         .least = -10.0, .most = 10.0};
//     carom_many_create(start, 256, watched, 2, &push, 1, &many, &error);
//     carom_many_step(many, 0, 256, actions, 1, &error);
//     const carom_body *bodies = carom_many_bodies(many);
//
// Calls name a range of worlds: `count` from `first` on. Several threads may call at once for
// ranges that do not overlap; carom_many_create and carom_many_free concern all worlds. Part of
// libcarom-replica; not included by carom/carom.h.
#ifndef CAROM_MANY_H
#define CAROM_MANY_H

#include <stddef.h>
#include <stdint.h>

#include <carom/describe.h>
#include <carom/export.h>
#include <carom/local.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef struct carom_many carom_many;

#define CAROM_MANY_WORLDS_MAX 65536u     // worlds in one object
#define CAROM_MANY_BODIES_MAX 4096u      // watched bodies of a world
#define CAROM_MANY_DRIVES_MAX 1024u      // drives of a world
#define CAROM_MANY_ROWS_MAX   (1u << 24) // worlds times watched bodies: 900 MB

// The effect of a drive; `a` is its number in the action.
typedef enum carom_drive_kind {
    CAROM_DRIVE_FORCE,           // sets the body's force to a * axis [N], at its centre of mass
    CAROM_DRIVE_TORQUE,          // sets the body's torque to a [N m]
    CAROM_DRIVE_IMPULSE,         // applies the impulse a * axis [N s] at the centre of mass
    CAROM_DRIVE_ANGULAR_IMPULSE, // applies the angular impulse a [N m s]
    CAROM_DRIVE_VELOCITY,        // sets the body's velocity to a * axis [m/s]
    CAROM_DRIVE_SPIN,            // sets the body's angular velocity to a [rad/s]
    CAROM_DRIVE_MOTOR,           // sets the joint's motor_speed to a [rad/s, m/s]
    CAROM_DRIVE_KIND_COUNT
} carom_drive_kind;

// An action sets force and torque drives of one body independently; of two force drives of one body
// the sum acts.
typedef struct carom_drive {
    carom_drive_kind kind;
    uint64_t id;        // a body; for CAROM_DRIVE_MOTOR a joint
    carom_vec2 axis;    // axis in world coordinates; not used by kinds with one number
    double least, most; // range of the number: numbers outside of it are clamped
} carom_drive;

// Makes `count` copies of `start` (which stays the caller's), 1 to CAROM_MANY_WORLDS_MAX. `bodies`
// are the watched ones, ids of `start`; `drives` are copied. Errors: CAROM_NOT_FOUND and
// CAROM_INVALID_ARGUMENT with the place; CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_many_create(const carom_local *start, size_t count,
                                         const uint64_t *bodies, size_t body_count,
                                         const carom_drive *drives, size_t drive_count,
                                         carom_many **out, carom_error *error);
CAROM_API void carom_many_free(carom_many *many); // NULL is allowed

// For each world in the range: carries out its action, and advances by `ticks` (0 to
// CAROM_LOCAL_TICKS_MAX). `actions` has a number for each world of the range and each drive, row by
// row; NULL: earlier forces go on. A drive whose body or joint is gone has no effect. Errors:
// CAROM_INVALID_ARGUMENT with world and drive for a number that is not finite: nothing has changed.
CAROM_API carom_status carom_many_step(carom_many *many, size_t first, size_t count,
                                       const double *actions, uint64_t ticks, carom_error *error);

// Sets worlds of the range back to the state in which all began: those whose element of `which` is
// not 0, or all if `which` is NULL.
CAROM_API carom_status carom_many_reset(carom_many *many, size_t first, size_t count,
                                        const uint8_t *which, carom_error *error);

// Moves the watched bodies of worlds (chosen as by carom_many_reset) to where the array of
// carom_many_bodies() says, which the caller has changed before: position, angle and velocities.
// Errors: CAROM_INVALID_ARGUMENT with world, body and number: bodies before it were moved.
CAROM_API carom_status carom_many_place(carom_many *many, size_t first, size_t count,
                                        const uint8_t *which, carom_error *error);

// The motion of the watched bodies: carom_many_count() times body_count elements, world by world,
// in the order in which they were named. At one address until carom_many_free. A body that is gone
// has the id 0, and is at rest at 0, 0.
CAROM_API carom_body *carom_many_bodies(carom_many *many);
CAROM_API size_t carom_many_count(const carom_many *many);

// World `index`, for calls, events, images and copies; NULL past the end. It belongs to `many`. The
// array shows changes after carom_many_refresh.
CAROM_API carom_local *carom_many_world(carom_many *many, size_t index);
CAROM_API carom_status carom_many_refresh(carom_many *many, size_t first, size_t count,
                                          carom_error *error);

CAROM_END_DECLS

#endif
