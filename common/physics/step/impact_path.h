// Paths of bodies through a step, which impacts.c follows from one impact to the next. On the
// world's thread.
#ifndef CAROM_COMMON_PHYSICS_STEP_IMPACT_PATH_H
#define CAROM_COMMON_PHYSICS_STEP_IMPACT_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/geometry/shape.h"

struct physics_world;

// The role of a body in an impact.
typedef enum path_kind {
    PATH_STANDING, // it is static or kinematic, and unaffected
    PATH_DISC,     // one circle about its centre of mass: an impact changes its velocity
    PATH_OTHER     // any other dynamic body: left to the solver
} path_kind;

// The path of a body: a parabola from the last impact on, in the world's frame and in double.
typedef struct impact_path {
    vec2d began;    // centre of mass when the step begins
    vec2d place;    // position at `clock`
    vec2d velocity; // velocity at that position
    vec2d change;   // acceleration by the forces on the body [m/s²]
    double clock;   // [s] into the step
    double spin;    // angular velocity
    double turned;  // rotation of a whole step minus the rotation that the impacts left [rad]
    float inv_mass, inv_inertia;
    double radius; // radius of a disc
    // The sub-steps change a velocity v to keeps * v + gains, over a distance of goes * v + falls.
    double keeps, goes;
    vec2d gains, falls;
    double drag; // share of a velocity lost per second
    uint32_t body;
    uint32_t shape;   // shape of a disc
    uint32_t version; // incremented by each impact
    uint32_t blows;   // impacts at the current moment: impact_blows.h
    uint16_t impacts; // impacts in this step
    uint8_t kind;     // path_kind
    bool changed;     // an impact changed its velocity
    bool left;        // the solver handles the rest of its step
    bool held;        // presses on another body, which bears the forces on it
    bool jointed;
} impact_path;

// Distance and approach of a disc and another body at a time within the step.
typedef struct path_gap {
    double distance; // between the surfaces, < 0 in overlap [m]
    double rate;     // its change, < 0 when they close [m/s]
    vec2d normal;    // normal from the other body to the disc
    vec2d place;     // place on the other body's surface
} path_gap;

// A disc and another body and, unless that body's shape is a circle about its centre, its shape.
typedef struct path_pair {
    const impact_path *disc, *other;
    const shape_geometry *geometry;
    rot rotation; // rotation of the other body as the step begins
    vec2 center;  // its centre of mass, in its frame
} path_pair;

typedef enum path_meeting {
    PATH_APART, // they do not touch
    PATH_TOUCH, // they touch, or will, but slowly
    PATH_IMPACT // they meet faster than the limit
} path_meeting;

// The circle of a body that has no other shape except sensors, if it is concentric with the centre
// of mass; else NONE.
uint32_t path_find_disc(const struct physics_world *world, uint32_t body);
// The displacement of the centre of mass over a step if nothing touches the body.
vec2 path_free_way(const struct physics_world *world, uint32_t body);
// The path of a body from the start of the step.
impact_path path_of_body(const struct physics_world *world, uint32_t body);
vec2d path_place(const impact_path *path, double at);
vec2d path_velocity(const impact_path *path, double at);
// Moves the path's beginning to a later time.
void path_advance(impact_path *path, double at);
// Updates the forces that act from now on, after the velocity was changed.
void path_bend(const struct physics_world *world, impact_path *path);
// The position and velocity with which the solver must start the step to end where the path does.
typedef struct path_start {
    vec2d place;
    vec2 velocity;
} path_start;
// If the body is left to the solver, it continues for a whole step from where it was last struck.
path_start path_start_of(const struct physics_world *world, const impact_path *path);

path_gap path_gap_at(const path_pair *pair, double at);
// The first time in (from, to] at which the two meet; *begin: their gap at `from`.
path_meeting path_first_meeting(const path_pair *pair, double from, double to, double limit,
                                double *at, path_gap *begin);

#endif
