// Typed helpers for the common methods, so that a C game needs no trees of values for the basics.
//
// Each waits for the answer up to `timeout_ms` > 0. Those marked (*) take CAROM_NO_REPLY too: the
// command goes out as a notification, its outcome is not awaited and out-parameters are set to 0.
// The *_args functions give the arguments alone, for carom_request or world.apply; the caller frees
// them. Errors are those of carom_call. *tick (may be NULL everywhere) is the tick whose state
// first shows the command.
#ifndef CAROM_CALLS_H
#define CAROM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/export.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

// ---- the server

// Seconds there and back; *server_time (may be NULL) is the server's monotonic clock.
CAROM_API carom_status carom_ping(carom_client *client, int timeout_ms, double *round_trip,
                                  double *server_time, carom_error *error);

// ---- worlds

typedef struct carom_world_options {
    carom_vec2 gravity;           // [m/s²], default {0, -9.81}
    double hz;                    // ticks a second, default 60
    int substeps;                 // default 4
    bool paused;                  // default false
    bool sleep;                   // bodies at rest may sleep, default true
    bool continuous;              // fast bodies are swept against what does not move, default true
    double restitution_threshold; // slower impacts do not bounce [m/s], default 1
    double hit_threshold;         // slower impacts make no hit event [m/s], default 1
    unsigned bodies_max;          // 0 (default): the server's
    // Name of a scene that the server has, whose settings hold where these are at their defaults;
    // NULL (default): empty.
    const char *scene;
} carom_world_options;

CAROM_API carom_world_options carom_world_options_default(void);
CAROM_API carom_value *carom_world_create_args(const char *world,
                                               const carom_world_options *options);
// `options` NULL: the server's defaults.
CAROM_API carom_status carom_world_create(carom_client *client, const char *world,
                                          const carom_world_options *options, int timeout_ms,
                                          uint64_t *tick, carom_error *error);
CAROM_API carom_status carom_world_destroy(carom_client *client, const char *world, int timeout_ms,
                                           carom_error *error); // (*)
CAROM_API carom_status carom_world_pause(carom_client *client, const char *world, int timeout_ms,
                                         uint64_t *tick, carom_error *error); // (*)
CAROM_API carom_status carom_world_resume(carom_client *client, const char *world, int timeout_ms,
                                          uint64_t *tick, carom_error *error); // (*)
// While paused only.
CAROM_API carom_status carom_world_step(carom_client *client, const char *world, uint64_t ticks,
                                        int timeout_ms, uint64_t *tick, carom_error *error); // (*)
CAROM_API carom_status carom_world_set_gravity(carom_client *client, const char *world,
                                               carom_vec2 gravity, int timeout_ms, uint64_t *tick,
                                               carom_error *error); // (*)

// What world.info tells; what a server does not tell is 0.
typedef struct carom_world_info {
    uint64_t tick;
    double time; // [s]
    double hz;
    uint64_t bodies, awake, shapes, joints, contacts, subscribers;
    uint64_t frozen; // bodies that ever left the world's bounds and were disabled
    bool paused;
    bool has_hash;
    uint8_t hash[8];
    double step_ms; // of a recent tick
} carom_world_info;

CAROM_API carom_status carom_world_get_info(carom_client *client, const char *world, int timeout_ms,
                                            carom_world_info *out, carom_error *error);

// ---- shapes and bodies

typedef enum carom_shape_kind {
    CAROM_CIRCLE,  // radius, center
    CAROM_BOX,     // size, center, angle, radius (of the rounding)
    CAROM_POLYGON, // vertices (3 to 8; the convex hull is taken), radius
    CAROM_CAPSULE, // a, b, radius
    CAROM_SEGMENT, // a, b
    CAROM_CHAIN    // vertices, loop
} carom_shape_kind;

// Events that a shape makes; a pair makes those that either of the two asks for.
typedef enum carom_shape_events {
    CAROM_EVENTS_CONTACT = 1, // begin, stay, end
    CAROM_EVENTS_HIT = 2,
    CAROM_EVENTS_SENSOR = 4 // sensors see it
} carom_shape_events;

typedef struct carom_shape {
    carom_shape_kind kind;
    double radius;
    carom_vec2 size; // width and height
    carom_vec2 center;
    double angle;
    carom_vec2 a, b;
    const carom_vec2 *vertices;
    size_t vertex_count;
    bool loop;
    double density;            // [kg/m²], default 1
    double friction;           // default 0.6
    double restitution;        // default 0
    double rolling_resistance; // default 0
    double tangent_speed;      // [m/s], default 0
    bool sensor;               // default false
    bool has_filter;           // default false: the three below are not sent
    uint64_t category, mask;   // default 1, all
    int32_t group;             // default 0
    unsigned events;           // bits of carom_shape_events, default CONTACT and SENSOR
} carom_shape;

CAROM_API carom_shape carom_shape_circle(double radius);
CAROM_API carom_shape carom_shape_box(double width, double height);
CAROM_API carom_shape carom_shape_capsule(carom_vec2 a, carom_vec2 b, double radius);
CAROM_API carom_shape carom_shape_segment(carom_vec2 a, carom_vec2 b);
CAROM_API carom_shape carom_shape_polygon(const carom_vec2 *vertices,
                                          size_t count); // points stay the caller's
CAROM_API carom_shape carom_shape_chain(const carom_vec2 *vertices, size_t count, bool loop);
CAROM_API carom_value *carom_shape_value(const carom_shape *shape); // the map of the protocol

typedef enum carom_body_type { CAROM_STATIC, CAROM_KINEMATIC, CAROM_DYNAMIC } carom_body_type;

typedef struct carom_body_options {
    carom_body_type type; // default CAROM_DYNAMIC
    carom_vec2 position;
    double angle;
    carom_vec2 velocity;
    double angular_velocity;
    double linear_damping, angular_damping;
    double gravity_scale; // default 1
    double mass;          // 0 (default): from the shapes
    bool fixed_rotation, bullet;
    bool allow_sleep, awake, enabled; // default true
    const char *tag;                  // NULL (default): none
    const carom_shape *shapes;
    size_t shape_count;
} carom_body_options;

CAROM_API carom_body_options carom_body_options_default(void);
CAROM_API carom_value *carom_body_spawn_args(const char *world, const carom_body_options *options);
// (*) *body is its id.
CAROM_API carom_status carom_body_spawn(carom_client *client, const char *world,
                                        const carom_body_options *options, int timeout_ms,
                                        uint64_t *body, uint64_t *tick, carom_error *error);
CAROM_API carom_status carom_body_remove(carom_client *client, const char *world, uint64_t body,
                                         int timeout_ms, uint64_t *tick, carom_error *error); // (*)
// Where it is and how it moves. The full map comes from carom_call("body.get").
CAROM_API carom_status carom_body_get(carom_client *client, const char *world, uint64_t body,
                                      int timeout_ms, carom_body *out, carom_error *error);
CAROM_API carom_status carom_body_set_position(carom_client *client, const char *world,
                                               uint64_t body, carom_vec2 position, double angle,
                                               int timeout_ms, uint64_t *tick,
                                               carom_error *error); // (*)
CAROM_API carom_status carom_body_set_velocity(carom_client *client, const char *world,
                                               uint64_t body, carom_vec2 velocity,
                                               double angular_velocity, int timeout_ms,
                                               uint64_t *tick,
                                               carom_error *error); // (*)
// Impulse [N s] at `point` of the world, or at the centre of mass with NULL. (*)
CAROM_API carom_status carom_body_impulse(carom_client *client, const char *world, uint64_t body,
                                          carom_vec2 impulse, const carom_vec2 *point,
                                          int timeout_ms, uint64_t *tick, carom_error *error);
CAROM_API carom_status carom_body_angular_impulse(carom_client *client, const char *world,
                                                  uint64_t body, double impulse, int timeout_ms,
                                                  uint64_t *tick, carom_error *error); // (*)
// Acts until it is set again; zero ends it. (*)
CAROM_API carom_status carom_body_force(carom_client *client, const char *world, uint64_t body,
                                        carom_vec2 force, const carom_vec2 *point, int timeout_ms,
                                        uint64_t *tick, carom_error *error);
CAROM_API carom_status carom_body_torque(carom_client *client, const char *world, uint64_t body,
                                         double torque, int timeout_ms, uint64_t *tick,
                                         carom_error *error); // (*)

// ---- joints. What each kind takes beside its bodies stands in PROTOCOL.md, under Joints.

// Ties `a` and `b`, ids of bodies, 0 for none: a mouse has no a, a gear on two joints neither.
// `kind` is "revolute", "distance" …; `settings`, a map of the other arguments such as
// {anchor: [0, 3], motor_speed: 2}, is taken over and may be NULL. (*) *joint is its id.
CAROM_API carom_status carom_joint_create(carom_client *client, const char *world, const char *kind,
                                          uint64_t a, uint64_t b, carom_value *settings,
                                          int timeout_ms, uint64_t *joint, uint64_t *tick,
                                          carom_error *error);
// Changes what `settings`, which is taken over, names. (*)
CAROM_API carom_status carom_joint_set(carom_client *client, const char *world, uint64_t joint,
                                       carom_value *settings, int timeout_ms, uint64_t *tick,
                                       carom_error *error);
CAROM_API carom_status carom_joint_remove(carom_client *client, const char *world, uint64_t joint,
                                          int timeout_ms, uint64_t *tick,
                                          carom_error *error); // (*)

// ---- queries

typedef struct carom_hit {
    uint64_t body, shape;
    carom_vec2 point, normal;
    double fraction; // of the way from `from` to `to`
} carom_hit;

// What a ray hits, nearest first: at most `max` go into `hits`, *count is how many there are in
// all. With `all` false only the nearest.
CAROM_API carom_status carom_query_ray(carom_client *client, const char *world, carom_vec2 from,
                                       carom_vec2 to, bool all, carom_hit *hits, size_t max,
                                       int timeout_ms, size_t *count, carom_error *error);

CAROM_END_DECLS

#endif
