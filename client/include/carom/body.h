// Bodies and their shapes: typed helpers. carom/world.h has the rules that all of them share.
//
// An id may also be CAROM_RESULT(i), the object that command `i` of the same batch makes.
#ifndef CAROM_BODY_H
#define CAROM_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/describe.h>
#include <carom/export.h>
#include <carom/shape.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef struct carom_body_options {
    bool exact;                             // see carom/export.h
    carom_body_type type;                   // default CAROM_DYNAMIC
    carom_vec2 position;                    // [m]
    double angle;                           // [rad]
    carom_vec2 velocity;                    // [m/s]
    double angular_velocity;                // [rad/s]
    double linear_damping, angular_damping; // [1/s], >= 0
    double gravity_scale;                   // default 1
    double mass;                            // [kg]; 0 (default): from the shapes
    bool fixed_rotation, bullet;
    bool allow_sleep, awake, enabled; // default true
    bool ends_with_session;           // removed when the session that spawned it ends
    const char *tag;                  // NULL (default): none
    const carom_shape *shapes;        // a body without shapes is a point that nothing touches
    size_t shape_count;
} carom_body_options;

CAROM_API carom_body_options carom_body_options_default(void);
CAROM_API carom_value *carom_body_spawn_args(const char *world, const carom_body_options *options);
// Makes a body; *body is its id. (*)
CAROM_API carom_status carom_body_spawn(carom_client *client, const char *world,
                                        const carom_body_options *options, int timeout_ms,
                                        uint64_t *body, uint64_t *tick, carom_error *error);
CAROM_API carom_status carom_body_remove(carom_client *client, const char *world, uint64_t body,
                                         int timeout_ms, uint64_t *tick, carom_error *error); // (*)

// Reads its position and motion.
CAROM_API carom_status carom_body_get(carom_client *client, const char *world, uint64_t body,
                                      int timeout_ms, carom_body *out, carom_error *error);
// Reads everything about the body; the caller frees *out with carom_body_info_free.
CAROM_API carom_status carom_body_describe(carom_client *client, const char *world, uint64_t body,
                                           int timeout_ms, carom_body_info **out,
                                           carom_error *error);
CAROM_API void carom_body_info_free(carom_body_info *info); // NULL is allowed

CAROM_API carom_status carom_body_set_position(carom_client *client, const char *world,
                                               uint64_t body, carom_vec2 position, double angle,
                                               int timeout_ms, uint64_t *tick,
                                               carom_error *error); // (*)
CAROM_API carom_status carom_body_set_velocity(carom_client *client, const char *world,
                                               uint64_t body, carom_vec2 velocity,
                                               double angular_velocity, int timeout_ms,
                                               uint64_t *tick, carom_error *error); // (*)
// Applies an impulse [N s] at `point` of the world, or at the centre of mass with NULL. (*)
CAROM_API carom_status carom_body_impulse(carom_client *client, const char *world, uint64_t body,
                                          carom_vec2 impulse, const carom_vec2 *point,
                                          int timeout_ms, uint64_t *tick, carom_error *error);
// Applies an angular impulse [N m s]. (*)
CAROM_API carom_status carom_body_angular_impulse(carom_client *client, const char *world,
                                                  uint64_t body, double impulse, int timeout_ms,
                                                  uint64_t *tick, carom_error *error);
// Sets a force [N] that acts until it is set again; zero ends it. (*)
CAROM_API carom_status carom_body_force(carom_client *client, const char *world, uint64_t body,
                                        carom_vec2 force, const carom_vec2 *point, int timeout_ms,
                                        uint64_t *tick, carom_error *error);
// Sets a torque [N m] that acts until it is set again; zero ends it. (*)
CAROM_API carom_status carom_body_torque(carom_client *client, const char *world, uint64_t body,
                                         double torque, int timeout_ms, uint64_t *tick,
                                         carom_error *error);

// ---- shapes of bodies that are there

// Changes of a shape (shape.set). Numbers that are 0 in a struct that begins as {0}, or NaN in one
// from carom_shape_change_default(), stay as they are.
typedef struct carom_shape_change {
    bool exact;
    double friction, restitution, density, rolling_resistance, tangent_speed; // as in carom_shape
    bool has_sensor, sensor;
    bool has_filter;
    uint64_t category, mask;
    int32_t group;
    bool has_events;
    unsigned events; // bits of carom_shape_events
    bool has_one_way;
    carom_vec2 one_way; // {0, 0}: solid from all sides
} carom_shape_change;

CAROM_API carom_shape_change carom_shape_change_default(void);
CAROM_API carom_value *carom_shape_set_args(const char *world, uint64_t shape,
                                            const carom_shape_change *change);
CAROM_API carom_status carom_shape_set(carom_client *client, const char *world, uint64_t shape,
                                       const carom_shape_change *change, int timeout_ms,
                                       uint64_t *tick, carom_error *error); // (*)

CAROM_END_DECLS

#endif
