// A body: its records, and the functions of this folder that other files call. The data of the
// solver's inner loop is separate from the rest: body_state (32 bytes, velocities and the change of
// pose within the step), then body_motion (read once a step), then body_extent and body (everything
// else). Unusual properties are in a record that only unusual bodies have (body_special.h).
#ifndef CAROM_COMMON_PHYSICS_STATE_BODIES_BODY_H
#define CAROM_COMMON_PHYSICS_STATE_BODIES_BODY_H

#include "common/base/array.h"
#include "common/geometry/math.h"
#include "common/physics/physics.h"

enum {                         // body_state.flags
    STATE_DYNAMIC = 1u,        // has mass: constraints write to it
    STATE_FORCE_AT_POINT = 2u, // body_special.force_point is in effect
    STATE_SPECIAL = 4u,        // derived: has a body_special of its own
    STATE_SENSES = 8u,         // derived: has a sensor
    STATE_THIN = 16u,          // derived: dynamic, and thinner than 2 THIN_EXTENT somewhere
    STATE_LINK = 32u           // derived: has two joints, like the link of a chain
};

// The solver's view of a body: one half of a cache line. For a body that does not move, all fields
// are zero and delta_rotation is the identity.
typedef struct body_state {
    vec2 velocity; // velocity of the centre of mass
    float angular_velocity;
    uint32_t flags;
    vec2 delta_position; // movement of the centre of mass since the step began
    rot delta_rotation;
} body_state;
_Static_assert(sizeof(body_state) == 32, "two states to a cache line");

// Read by the narrow phase and by integration: one cache line.
typedef struct body_motion {
    _Alignas(64) vec2d center; // centre of mass in the world; `position` follows from it
    vec2d position;
    rot rotation;
    vec2 local_center;
    float inv_mass, inv_inertia;
    // distance that it can move before its boxes must be examined [m]; images keep whether any is
    // left
    float room;
    uint32_t special : 24;    // place in world.specials; 0: nothing unusual about it
    uint32_t box_renewed : 8; // one of its shapes' boxes was renewed in this step
} body_motion;
_Static_assert(sizeof(body_motion) == 64, "one cache line");

// A body's extent about its centre of mass; how long it has been slow there, and how far it moved
// in that time (sleep.c).
typedef struct body_extent {
    float extent_min, extent_max; // smallest half width; largest distance from the centre of mass
    // largest distance of the parts that move when the body rotates: circles count as their centres
    float turn_reach;
    float sleep_time; // [s]
    vec2 drift;       // displacement of the centre of mass in sleep_time [m]
    float turned;     // rotation in sleep_time [rad]
} body_extent;

#define THIN_EXTENT 0.05f // contacts of bodies with a smaller extent_min are stiffer [m]

static inline void body_restart_sleep_timer(body_extent *extent)
{
    if (extent->sleep_time != 0.0f) { // moving bodies write nothing
        extent->sleep_time = 0.0f;
        extent->drift = (vec2){0.0f, 0.0f};
        extent->turned = 0.0f;
    }
}

#define DISC_REACH 1e-4f // rotating a disc moves it by at most this much, which is rounding [m]

// Whether the body can be a disc (impacts.c): rotation moves no part of it.
static inline bool body_may_be_disc(const body_extent *extent)
{
    return extent->turn_reach < DISC_REACH && extent->extent_max > 0.0f;
}

enum { // body.flags
    BODY_ENABLED = 1u << 0,
    BODY_BULLET = 1u << 1,
    BODY_ALLOW_SLEEP = 1u << 2,
    BODY_FIXED_ROTATION = 1u << 3,
    BODY_FROZEN = 1u << 4,
    BODY_MARKED = 1u << 5 // temporary mark, used by one function at a time
};

typedef struct body {
    uint32_t shapes : 24, flags : 8;             // list through shape.next, ascending slots
    uint32_t contacts, contact_count;            // list of contact edges, see contact_edge
    uint32_t joints;                             // pieces of chains count as shapes
    uint32_t joint_count : 21, shape_count : 11; // the pieces of chains are shapes too
    uint32_t awake_index : 24; // place in world.awake_bodies + 1; 0: not on the list
    uint32_t type : 8;         // body_type
    uint32_t sleep_set;        // the lowest slot of the bodies that fell asleep together; 0: awake
    uint32_t sleep_next;       // next body of the set, a ring
} body;
_Static_assert(sizeof(body) == 32, "two bodies to a cache line");
_Static_assert(PHYSICS_BODY_SHAPES_MAX < 1 << 11 && PHYSICS_JOINTS_MAX < 1 << 21, "counts fit");

// Velocities are clamped to this before they are squared, so that the square is finite.
#define SPEED_SQUARABLE 1.0e15f
void body_cut_speed(body_state *state);
// Keeps the speed within PHYSICS_SPEED_MAX and the spin within PHYSICS_SPIN_MAX; NaN becomes zero.
// Velocities within these bounds keep their bits. limit_speeds() in body_lanes.h does the same for
// lanes.
static inline void body_limit_speed(body_state *state)
{
    const float speed_max = (float)PHYSICS_SPEED_MAX;
    if (!(vec2_length_squared(state->velocity) <= speed_max * speed_max) ||
        !(float_abs(state->angular_velocity) <= (float)PHYSICS_SPIN_MAX)) {
        body_cut_speed(state);
    }
}
static inline pose body_pose(const body_motion *motion)
{
    return (pose){motion->position, motion->rotation};
}
void body_set_pose_from_center(body_motion *motion);
void body_set_center_from_pose(body_motion *motion);
void body_set_tag(physics_world *world, uint32_t slot,
                  const char *tag);                              // a copy; NULL or "": none
const char *body_tag(const physics_world *world, uint32_t slot); // "": none
// Stops the rotation of a dynamic body of fixed rotation.
void body_hold_rotation(physics_world *world, uint32_t slot);
void body_freeze(physics_world *world, uint32_t slot);
void body_disable(physics_world *world, uint32_t slot);
void body_enable(physics_world *world, uint32_t slot);

void body_update_mass(physics_world *world, uint32_t slot);
typedef struct body_mass {
    float mass, inertia; // about the centre of mass; 0 for bodies that are not dynamic
} body_mass;
body_mass body_find_mass(const physics_world *world, uint32_t slot);
// For images: whether body_update_mass() would compute the same for a body as for its twin, whose
// shapes are equal; and copying all of that result except the pose.
bool body_has_mass_of(const physics_world *world, uint32_t slot, uint32_t twin);
void body_take_mass(physics_world *world, uint32_t slot, uint32_t twin);

bool body_is_moving(const body *b,
                    const body_state *state); // dynamic, or kinematic with a velocity
void body_list_awake(physics_world *world, uint32_t slot);
void body_unlist_awake(physics_world *world, uint32_t slot);
void body_refresh_awake(physics_world *world,
                        uint32_t slot);              // puts it on its lists, with its contacts
void body_wake(physics_world *world, uint32_t slot); // wakes the whole set that fell asleep with it
void body_wake_touching(physics_world *world,
                        uint32_t slot); // wakes bodies that touch it or are joined to it
#endif
