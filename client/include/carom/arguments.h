// Generated from proto/schema by proto/generate/c_calls.py: do not edit.
//
// Every method of the protocol as a struct of its arguments, and all arguments that it has:
//
//   carom_args_body_impulse push = {.body = ball, .impulse = {0.0, 2.0}};
//   carom_call_body_impulse(client, "demo", &push, 1000, NULL, &error); // waits for the answer
//   carom_add_body_impulse(batch, &push);                               // in a batch
//   carom_request(client, "body.impulse", carom_map_body_impulse("demo", &push), …);
//
// A struct that begins as {0} has no argument. An optional one is left out, and then means what
// PROTOCOL.md says: ids that are 0; texts, lists, shapes, maps and bytes that are NULL; switches
// that are false by default; all others unless their has_ is set.
//
// Calls wait up to `timeout_ms` > 0, or send only, with CAROM_NO_REPLY. *result (may be NULL) is
// the answer, the caller's to free; NULL on failure and when nothing was awaited. Errors are those
// of carom_call. An id may be CAROM_RESULT(i) in a batch. Maps are the caller's to free; `world` is
// NULL for a batch. The common methods have shorter helpers in carom/body.h and its neighbours.
#ifndef CAROM_ARGUMENTS_H
#define CAROM_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/batch.h>
#include <carom/client.h>
#include <carom/export.h>
#include <carom/shape.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

// clang-format off
// The arguments of a shape's filter.
typedef struct carom_args_filter {
    // The shape's own categories: bits. Default 1.
    bool has_category;
    uint64_t category;
    // The categories it meets: each one's mask must have a bit of the other's category. Default
    // -1.
    bool has_mask;
    uint64_t mask;
    // Shapes of the same group never meet if it is negative, and always if it is positive; 0: no
    // group. Default 0.
    bool has_group;
    int64_t group;
} carom_args_filter;

// The precision of packed snapshots.
typedef struct carom_args_precision {
    // Places are rounded to multiples of this. Default 0.001953125. [m]
    bool has_position;
    double position;
    // Angles are rounded to this, or a little less: a whole number of steps makes a turn. Default
    // 0.006135923151542565. [rad]
    bool has_angle;
    double angle;
    // Velocities (and spin, in rad/s) are rounded to this; not sent, if left out. [m/s]
    bool has_velocity;
    double velocity;
} carom_args_precision;

// The bounds of the role player in a world, each a maximum; a key that is left out bounds
// nothing.
typedef struct carom_args_players {
    // The commands, reads and queries that it may call. One of world.state, world.contacts,
    // world.apply, body.spawn, body.remove, body.get, body.set, body.impulse,
    // body.angular_impulse, body.force, body.torque, shape.add, shape.set, shape.remove,
    // joint.create, joint.set, joint.remove, joint.get, joint.list, query.ray, query.overlap,
    // query.cast, query.nearest, data.set, data.remove, data.get, message.send.
    const char *const *methods;
    size_t methods_count;
    // Types of bodies that it may make. One of static, kinematic, dynamic.
    const char *const *types;
    size_t types_count;
    // Bodies that one subject may own.
    bool has_bodies;
    uint64_t bodies;
    // Mass of a body that it makes or changes, by `mass` or by density. [kg]
    bool has_mass;
    double mass;
    // Longer side of the box around a body's shapes, in the body's frame. [m]
    bool has_size;
    double size;
    // Speed that a command may give to a body, and to its surface by turning or as a conveyor.
    // [m/s]
    bool has_speed;
    double speed;
    // Force of body.force, of gravity_scale, and of a joint's motor or spring. [N]
    bool has_force;
    double force;
    // Sum of the impulses that a subject gives to a body in a tick; apart from it in N m s, that
    // of the angular ones. [N s]
    bool has_impulse;
    double impulse;
    // Torque of body.torque, of a force about the centre of mass, and of a joint's motor or
    // spring. [N m]
    bool has_torque;
    double torque;
    // Place for bodies that it makes or moves by body.set, with all of their shapes. [m]
    bool has_area;
    double area[4];
} carom_args_players;

// hello: Introduces the client; the answer has the limits that the client must keep. Least role:
// none. Answers {protocol, server, version, session, resume, role, limits}.
typedef struct carom_args_hello {
    // The version that the client speaks. Default 1.
    bool has_protocol;
    uint64_t protocol;
    // Name and version of the client, for logs. Default "".
    const char *client;
    // A token that says who the client is, if the server asks for one.
    const char *token;
    // The secret from an earlier hello's answer, to resume that session.
    const char *resume;
} carom_args_hello;
CAROM_API carom_value *carom_map_hello(const carom_args_hello *args);
CAROM_API carom_status carom_call_hello(carom_client *client, const carom_args_hello *args,
                                        int timeout_ms, carom_value **result, carom_error *error);

// ping: Answers at once. Least role: none. Answers {time, any}: the server's monotonic seconds,
// and what was sent.
typedef struct carom_args_ping {
    // Any value; the answer has it unchanged.
    const carom_value *any;
} carom_args_ping;
CAROM_API carom_value *carom_map_ping(const carom_args_ping *args);
CAROM_API carom_status carom_call_ping(carom_client *client, const carom_args_ping *args,
                                       int timeout_ms, carom_value **result, carom_error *error);

// goodbye: Ends the session: nothing is kept for a resume. Least role: none. Answers {}.
CAROM_API carom_value *carom_map_goodbye(void);
CAROM_API carom_status carom_call_goodbye(carom_client *client, int timeout_ms,
                                          carom_value **result, carom_error *error);

// server.info: The server's version, uptime and limits. Least role: viewer. Answers {server,
// version, protocol, uptime, worlds, sessions, limits, templates}.
CAROM_API carom_value *carom_map_server_info(void);
CAROM_API carom_status carom_call_server_info(carom_client *client, int timeout_ms,
                                              carom_value **result, carom_error *error);

// server.stats: The server's counters and latencies since it began. Least role: viewer. Answers
// {counters, latencies}.
typedef struct carom_args_server_stats {
    // Whether the answer includes the bins of each latency. Default false.
    bool bins;
} carom_args_server_stats;
CAROM_API carom_value *carom_map_server_stats(const carom_args_server_stats *args);
CAROM_API carom_status carom_call_server_stats(carom_client *client,
                                               const carom_args_server_stats *args, int timeout_ms,
                                               carom_value **result, carom_error *error);

// server.sessions: The sessions, by their numbers. Least role: admin. Answers {sessions, total}.
typedef struct carom_args_server_sessions {
    // Only sessions with a number above this one. Default 0.
    bool has_after;
    uint64_t after;
    // The maximum of sessions in the answer. Default 1000.
    bool has_count;
    uint64_t count;
} carom_args_server_sessions;
CAROM_API carom_value *carom_map_server_sessions(const carom_args_server_sessions *args);
CAROM_API carom_status carom_call_server_sessions(carom_client *client,
                                                  const carom_args_server_sessions *args,
                                                  int timeout_ms, carom_value **result,
                                                  carom_error *error);

// server.kick: Ends a session and closes its connection. Least role: admin. Answers {}.
typedef struct carom_args_server_kick {
    // The session's number.
    uint64_t session;
    // Text for the session's client. Default "closed by an administrator".
    const char *reason;
} carom_args_server_kick;
CAROM_API carom_value *carom_map_server_kick(const carom_args_server_kick *args);
CAROM_API carom_status carom_call_server_kick(carom_client *client,
                                              const carom_args_server_kick *args, int timeout_ms,
                                              carom_value **result, carom_error *error);

// world.create: Makes a world, which begins to run unless it is paused. Least role: admin.
// Answers {world, epoch, tick, created}.
typedef struct carom_args_world_create {
    // Acceleration of every dynamic body. Default [0, -9.81]. [m/s²]
    bool has_gravity;
    carom_vec2 gravity;
    // Ticks in a second. Default 60. [1/s]
    bool has_hz;
    double hz;
    // Solver steps in a tick. Default 4.
    bool has_substeps;
    uint64_t substeps;
    // Whether the world begins paused. Default false.
    bool paused;
    // Maximum of bodies; more are refused with limit_exceeded. Default 1048576.
    bool has_max_bodies;
    uint64_t max_bodies;
    // How much a restart restores; if left out: normal where the server keeps logs, else none.
    // One of none, normal, full, replicated.
    const char *durability;
    // Bodies at rest may sleep. Default true.
    bool has_sleep;
    bool sleep;
    // Whether fast bodies are swept against static and kinematic ones. Default true.
    bool has_continuous;
    bool continuous;
    // Slower impacts do not bounce. Default 0.5. [m/s]
    bool has_restitution_threshold;
    double restitution_threshold;
    // Slower impacts make no hit event. Default 1. [m/s]
    bool has_hit_threshold;
    double hit_threshold;
    // Bodies below this speed may sleep; 0: none sleeps. Default 0.05. [m/s]
    bool has_sleep_speed;
    double sleep_speed;
    // A scene that the server has; its settings apply where none are given here.
    const char *scene;
    // Whether an existing world of that name is the answer instead of an error. Default false.
    bool if_absent;
    // Whether the world ends with the server, or with the session that made it. One of server,
    // session. Default "server".
    const char *lifetime;
    // An image that world.image answered: the world begins as that one, with its settings.
    const void *image;
    size_t image_size;
    // The bounds of the role player here: a map of maxima; {} ends them.
    const carom_args_players *players;
} carom_args_world_create;
CAROM_API carom_value *carom_map_world_create(const char *world,
                                              const carom_args_world_create *args);
CAROM_API carom_status carom_call_world_create(carom_client *client, const char *world,
                                               const carom_args_world_create *args, int timeout_ms,
                                               carom_value **result, carom_error *error);

// world.destroy: Ends a world and its subscriptions. Least role: admin. Answers {world, tick}:
// its last tick.
CAROM_API carom_value *carom_map_world_destroy(const char *world);
CAROM_API carom_status carom_call_world_destroy(carom_client *client, const char *world,
                                                int timeout_ms, carom_value **result,
                                                carom_error *error);

// world.list: All worlds. Least role: viewer. Answers [info]: each as world.info answers, by
// name.
CAROM_API carom_value *carom_map_world_list(void);
CAROM_API carom_status carom_call_world_list(carom_client *client, int timeout_ms,
                                             carom_value **result, carom_error *error);

// world.info: A world in numbers. Least role: viewer. Answers {world, epoch, tick, time, hz, …}.
CAROM_API carom_value *carom_map_world_info(const char *world);
CAROM_API carom_status carom_call_world_info(carom_client *client, const char *world,
                                             int timeout_ms, carom_value **result,
                                             carom_error *error);

// world.pause: Pauses a world; no error if it is paused already. Least role: referee. Answers
// {world, tick}.
CAROM_API carom_value *carom_map_world_pause(const char *world);
CAROM_API carom_status carom_call_world_pause(carom_client *client, const char *world,
                                              int timeout_ms, carom_value **result,
                                              carom_error *error);

// world.resume: Resumes a paused world; no error if it is running. Least role: referee. Answers
// {world, tick}.
CAROM_API carom_value *carom_map_world_resume(const char *world);
CAROM_API carom_status carom_call_world_resume(carom_client *client, const char *world,
                                               int timeout_ms, carom_value **result,
                                               carom_error *error);

// world.step: Runs some ticks of a paused world. Least role: referee. Answers {world, tick}: when
// they are done.
typedef struct carom_args_world_step {
    // Number of ticks. Default 1.
    bool has_ticks;
    uint64_t ticks;
    // The tick to go to, instead of `ticks`; a world that replays a recording can go back too.
    bool has_to;
    uint64_t to;
} carom_args_world_step;
CAROM_API carom_value *carom_map_world_step(const char *world, const carom_args_world_step *args);
CAROM_API carom_status carom_call_world_step(carom_client *client, const char *world,
                                             const carom_args_world_step *args, int timeout_ms,
                                             carom_value **result, carom_error *error);

// world.set: Changes a world's settings; at least one must be given. Least role: referee. Answers
// {tick}.
typedef struct carom_args_world_set {
    // Acceleration of every dynamic body. [m/s²]
    bool has_gravity;
    carom_vec2 gravity;
    // Bodies at rest may sleep.
    bool has_sleep;
    bool sleep;
    // Slower impacts do not bounce. [m/s]
    bool has_restitution_threshold;
    double restitution_threshold;
    // Bodies below this speed may sleep; 0: none sleeps. [m/s]
    bool has_sleep_speed;
    double sleep_speed;
    // The bounds of the role player here: a map of maxima; {} ends them.
    const carom_args_players *players;
} carom_args_world_set;
CAROM_API carom_value *carom_map_world_set(const char *world, const carom_args_world_set *args);
CAROM_API carom_status carom_call_world_set(carom_client *client, const char *world,
                                            const carom_args_world_set *args, int timeout_ms,
                                            carom_value **result, carom_error *error);
CAROM_API size_t carom_add_world_set(carom_batch *batch, const carom_args_world_set *args);

// world.image: The whole state of a world, to the bit, as bytes. Least role: admin. Answers
// {image, tick, hash}.
CAROM_API carom_value *carom_map_world_image(const char *world);
CAROM_API carom_status carom_call_world_image(carom_client *client, const char *world,
                                              int timeout_ms, carom_value **result,
                                              carom_error *error);

// world.fork: Makes a second world with the same state, which then runs independently. Least
// role: admin. Answers {world, epoch, tick, created}.
typedef struct carom_args_world_fork {
    // The second world's name.
    const char *as;
    // How much a restart restores; if left out: normal where the server keeps logs, else none.
    // One of none, normal, full, replicated.
    const char *durability;
} carom_args_world_fork;
CAROM_API carom_value *carom_map_world_fork(const char *world, const carom_args_world_fork *args);
CAROM_API carom_status carom_call_world_fork(carom_client *client, const char *world,
                                             const carom_args_world_fork *args, int timeout_ms,
                                             carom_value **result, carom_error *error);

// world.state: All bodies and joints of a world. Least role: viewer. Answers {world, tick, hash,
// bodies, joints}: full body maps.
typedef struct carom_args_world_state {
    // A tick of the world's history whose state is read; the present one, if left out.
    bool has_at;
    uint64_t at;
} carom_args_world_state;
CAROM_API carom_value *carom_map_world_state(const char *world, const carom_args_world_state *args);
CAROM_API carom_status carom_call_world_state(carom_client *client, const char *world,
                                              const carom_args_world_state *args, int timeout_ms,
                                              carom_value **result, carom_error *error);

// world.contacts: The pairs of shapes that touch, of the world or of one body. Least role:
// viewer. Answers {world, tick, contacts}: each {a, b, shape_a, shape_b, normal, points}.
typedef struct carom_args_world_contacts {
    // Only contacts of this body.
    uint64_t body;
    // A tick of the world's history whose state is read; the present one, if left out.
    bool has_at;
    uint64_t at;
} carom_args_world_contacts;
CAROM_API carom_value *carom_map_world_contacts(const char *world,
                                                const carom_args_world_contacts *args);
CAROM_API carom_status carom_call_world_contacts(carom_client *client, const char *world,
                                                 const carom_args_world_contacts *args,
                                                 int timeout_ms, carom_value **result,
                                                 carom_error *error);

// world.subscribe: Sends snapshots from now on. Least role: viewer. Answers {subscription, epoch,
// tick}.
typedef struct carom_args_world_subscribe {
    // Snapshots a second at most; one a tick, if left out. [1/s]
    bool has_rate;
    double rate;
    // The encoding of bodies; log: the world's commands, for a replica. One of plain, packed,
    // log. Default "plain".
    const char *encoding;
    // The values that encoding packed sends, and their steps; no other encoding takes it.
    const carom_args_precision *precision;
    // Only bodies whose box meets it; the whole world, if left out. [m]
    bool has_area;
    double area[4];
    // A body that the area moves with; the area is then relative to its position.
    uint64_t follow;
    // A body stays in view until it is farther than this from the area. A sixteenth of the area's
    // shorter side, if left out. [m]
    bool has_margin;
    double margin;
    // Bytes for snapshots; if not all changed bodies fit, they take turns. No bound, if left out.
    // [B/s]
    bool has_budget;
    double budget;
    // Whether rows of bodies are sent; false for events alone. Default true.
    bool has_bodies;
    bool bodies;
    // The kinds of events that are sent. One of begin, stay, end, hit, sensor_begin, sensor_end,
    // sleep, wake, spawn, remove, joint_break, freeze, message, join, leave. Default ["begin",
    // "end"].
    const char *const *events;
    size_t events_count;
    // Whether the points of every touching pair are sent, for drawing. Default false.
    bool contacts;
    // Whether full maps of bodies and joints are sent when they are new or were changed. Default
    // false.
    bool describe;
    // `compact` of hello's answer, for encoding log, if the reader has the same number. Default
    // 0.
    bool has_compact;
    uint64_t compact;
    // Whether changes of the world's data are sent: true for all keys, or the prefixes of the
    // wanted keys.
    const char *const *data;
    size_t data_count;
} carom_args_world_subscribe;
CAROM_API carom_value *carom_map_world_subscribe(const char *world,
                                                 const carom_args_world_subscribe *args);
CAROM_API carom_status carom_call_world_subscribe(carom_client *client, const char *world,
                                                  const carom_args_world_subscribe *args,
                                                  int timeout_ms, carom_value **result,
                                                  carom_error *error);

// world.unsubscribe: Ends a subscription. Least role: viewer. Answers {}.
typedef struct carom_args_world_unsubscribe {
    // The number that world.subscribe gave.
    uint64_t subscription;
} carom_args_world_unsubscribe;
CAROM_API carom_value *carom_map_world_unsubscribe(const carom_args_world_unsubscribe *args);
CAROM_API carom_status carom_call_world_unsubscribe(carom_client *client,
                                                    const carom_args_world_unsubscribe *args,
                                                    int timeout_ms, carom_value **result,
                                                    carom_error *error);

// world.view: Moves a subscription's area. Least role: viewer. Answers {}.
typedef struct carom_args_world_view {
    // The number that world.subscribe gave.
    uint64_t subscription;
    // The new area; the whole world, if left out. [m]
    bool has_area;
    double area[4];
    // A body that the area moves with; the area is then relative to its position.
    uint64_t follow;
    // A body stays in view until it is farther than this from the area. Unchanged, if left out.
    // [m]
    bool has_margin;
    double margin;
} carom_args_world_view;
CAROM_API carom_value *carom_map_world_view(const carom_args_world_view *args);
CAROM_API carom_status carom_call_world_view(carom_client *client,
                                             const carom_args_world_view *args, int timeout_ms,
                                             carom_value **result, carom_error *error);

// body.spawn: Makes a body with its shapes. Least role: player. Answers {body, shapes, tick}: the
// ids, shapes in the order given.
typedef struct carom_args_body_spawn {
    // static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. One of
    // static, kinematic, dynamic. Default "dynamic".
    const char *type;
    // Place of the body's origin. Default [0, 0]. [m]
    bool has_position;
    carom_vec2 position;
    // Counter-clockwise. Default 0. [rad]
    bool has_angle;
    double angle;
    // Velocity of the centre of mass. Default [0, 0]. [m/s]
    bool has_velocity;
    carom_vec2 velocity;
    // Counter-clockwise. Default 0. [rad/s]
    bool has_angular_velocity;
    double angular_velocity;
    // Loss of velocity. Default 0. [1/s]
    bool has_linear_damping;
    double linear_damping;
    // Loss of angular velocity. Default 0. [1/s]
    bool has_angular_damping;
    double angular_damping;
    // Share of the world's gravity. Default 1.
    bool has_gravity_scale;
    double gravity_scale;
    // Never turns. Default false.
    bool fixed_rotation;
    // A dynamic body that is swept against moving bodies too. Default false.
    bool bullet;
    // May sleep when it is at rest. Default true.
    bool has_allow_sleep;
    bool allow_sleep;
    // Moves; false puts it to sleep. Default true.
    bool has_awake;
    bool awake;
    // A disabled body neither moves nor collides. Default true.
    bool has_enabled;
    bool enabled;
    // Mass of the body; 0: the sum of its shapes'. Default 0. [kg]
    bool has_mass;
    double mass;
    // UTF-8 text that the server keeps for clients. Default "".
    const char *tag;
    // The body's shapes; a body without any is a mass point of 1 kg.
    const carom_shape *shapes;
    size_t shapes_count;
    // Whether the body ends with the world, or with the session that spawned it. One of world,
    // session. Default "world".
    const char *lifetime;
    // The owner; the session's subject, if left out; "" for nobody. Only a referee or an admin
    // may name anyone else.
    const char *owner;
} carom_args_body_spawn;
CAROM_API carom_value *carom_map_body_spawn(const char *world, const carom_args_body_spawn *args);
CAROM_API carom_status carom_call_body_spawn(carom_client *client, const char *world,
                                             const carom_args_body_spawn *args, int timeout_ms,
                                             carom_value **result, carom_error *error);
CAROM_API size_t carom_add_body_spawn(carom_batch *batch, const carom_args_body_spawn *args);

// body.remove: Removes a body with its shapes and joints. Least role: player. Answers {tick}.
typedef struct carom_args_body_remove {
    // The body's id.
    uint64_t body;
} carom_args_body_remove;
CAROM_API carom_value *carom_map_body_remove(const char *world, const carom_args_body_remove *args);
CAROM_API carom_status carom_call_body_remove(carom_client *client, const char *world,
                                              const carom_args_body_remove *args, int timeout_ms,
                                              carom_value **result, carom_error *error);
CAROM_API size_t carom_add_body_remove(carom_batch *batch, const carom_args_body_remove *args);

// body.get: All about a body. Least role: viewer. Answers the full body map.
typedef struct carom_args_body_get {
    // The body's id.
    uint64_t body;
    // A tick of the world's history whose state is read; the present one, if left out.
    bool has_at;
    uint64_t at;
} carom_args_body_get;
CAROM_API carom_value *carom_map_body_get(const char *world, const carom_args_body_get *args);
CAROM_API carom_status carom_call_body_get(carom_client *client, const char *world,
                                           const carom_args_body_get *args, int timeout_ms,
                                           carom_value **result, carom_error *error);
CAROM_API size_t carom_add_body_get(carom_batch *batch, const carom_args_body_get *args);

// body.set: Changes the given properties, at least one; the others stay as they are. Least role:
// player. Answers {tick}.
typedef struct carom_args_body_set {
    // The body's id.
    uint64_t body;
    // static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. One of
    // static, kinematic, dynamic.
    const char *type;
    // Place of the body's origin. [m]
    bool has_position;
    carom_vec2 position;
    // Counter-clockwise. [rad]
    bool has_angle;
    double angle;
    // Velocity of the centre of mass. [m/s]
    bool has_velocity;
    carom_vec2 velocity;
    // Counter-clockwise. [rad/s]
    bool has_angular_velocity;
    double angular_velocity;
    // Loss of velocity. [1/s]
    bool has_linear_damping;
    double linear_damping;
    // Loss of angular velocity. [1/s]
    bool has_angular_damping;
    double angular_damping;
    // Share of the world's gravity.
    bool has_gravity_scale;
    double gravity_scale;
    // Never turns.
    bool has_fixed_rotation;
    bool fixed_rotation;
    // A dynamic body that is swept against moving bodies too.
    bool has_bullet;
    bool bullet;
    // May sleep when it is at rest.
    bool has_allow_sleep;
    bool allow_sleep;
    // Moves; false puts it to sleep.
    bool has_awake;
    bool awake;
    // A disabled body neither moves nor collides.
    bool has_enabled;
    bool enabled;
    // Mass of the body; 0: the sum of its shapes'. [kg]
    bool has_mass;
    double mass;
    // UTF-8 text that the server keeps for clients.
    const char *tag;
    // The new owner; set by the present owner, or by a referee or an admin, who may also say ""
    // for nobody.
    const char *owner;
} carom_args_body_set;
CAROM_API carom_value *carom_map_body_set(const char *world, const carom_args_body_set *args);
CAROM_API carom_status carom_call_body_set(carom_client *client, const char *world,
                                           const carom_args_body_set *args, int timeout_ms,
                                           carom_value **result, carom_error *error);
CAROM_API size_t carom_add_body_set(carom_batch *batch, const carom_args_body_set *args);

// body.impulse: A push; wakes the body. Least role: player. Answers {tick}.
typedef struct carom_args_body_impulse {
    // The body's id.
    uint64_t body;
    // Changes the velocity at once. [N s]
    carom_vec2 impulse;
    // Where it acts, in the world; the centre of mass, if left out. [m]
    bool has_point;
    carom_vec2 point;
} carom_args_body_impulse;
CAROM_API carom_value *carom_map_body_impulse(const char *world,
                                              const carom_args_body_impulse *args);
CAROM_API carom_status carom_call_body_impulse(carom_client *client, const char *world,
                                               const carom_args_body_impulse *args, int timeout_ms,
                                               carom_value **result, carom_error *error);
CAROM_API size_t carom_add_body_impulse(carom_batch *batch, const carom_args_body_impulse *args);

// body.angular_impulse: A twist; wakes the body. Least role: player. Answers {tick}.
typedef struct carom_args_body_angular_impulse {
    // The body's id.
    uint64_t body;
    // Counter-clockwise. [N m s]
    double impulse;
} carom_args_body_angular_impulse;
CAROM_API carom_value *carom_map_body_angular_impulse(const char *world,
                                                      const carom_args_body_angular_impulse *args);
CAROM_API carom_status carom_call_body_angular_impulse(carom_client *client, const char *world,
                                                       const carom_args_body_angular_impulse *args,
                                                       int timeout_ms, carom_value **result,
                                                       carom_error *error);
CAROM_API size_t carom_add_body_angular_impulse(carom_batch *batch,
                                                const carom_args_body_angular_impulse *args);

// body.force: Sets the force that acts from now on; wakes the body. Least role: player. Answers
// {tick}.
typedef struct carom_args_body_force {
    // The body's id.
    uint64_t body;
    // Acts on every tick until it is set again; zero ends it. [N]
    carom_vec2 force;
    // Where it acts, in the world; the force stays at that point of the body. The centre of mass,
    // if left out. [m]
    bool has_point;
    carom_vec2 point;
} carom_args_body_force;
CAROM_API carom_value *carom_map_body_force(const char *world, const carom_args_body_force *args);
CAROM_API carom_status carom_call_body_force(carom_client *client, const char *world,
                                             const carom_args_body_force *args, int timeout_ms,
                                             carom_value **result, carom_error *error);
CAROM_API size_t carom_add_body_force(carom_batch *batch, const carom_args_body_force *args);

// body.torque: Sets the torque that acts from now on; wakes the body. Least role: player. Answers
// {tick}.
typedef struct carom_args_body_torque {
    // The body's id.
    uint64_t body;
    // Acts on every tick until it is set again; zero ends it. [N m]
    double torque;
} carom_args_body_torque;
CAROM_API carom_value *carom_map_body_torque(const char *world, const carom_args_body_torque *args);
CAROM_API carom_status carom_call_body_torque(carom_client *client, const char *world,
                                              const carom_args_body_torque *args, int timeout_ms,
                                              carom_value **result, carom_error *error);
CAROM_API size_t carom_add_body_torque(carom_batch *batch, const carom_args_body_torque *args);

// shape.add: Gives a body another shape. Least role: player. Answers {shape, tick}.
typedef struct carom_args_shape_add {
    // The body's id.
    uint64_t body;
    // A shape as body.spawn takes it.
    const carom_shape *shape;
} carom_args_shape_add;
CAROM_API carom_value *carom_map_shape_add(const char *world, const carom_args_shape_add *args);
CAROM_API carom_status carom_call_shape_add(carom_client *client, const char *world,
                                            const carom_args_shape_add *args, int timeout_ms,
                                            carom_value **result, carom_error *error);
CAROM_API size_t carom_add_shape_add(carom_batch *batch, const carom_args_shape_add *args);

// shape.set: Changes the given properties of a shape; its form stays. Least role: player. Answers
// {tick}.
typedef struct carom_args_shape_set {
    // The shape's id.
    uint64_t shape;
    // Mass by area. [kg/m²]
    bool has_density;
    double density;
    // Friction; for a pair of shapes, the root of the product.
    bool has_friction;
    double friction;
    // Restitution; for a pair of shapes, the larger one.
    bool has_restitution;
    double restitution;
    // Torque against rolling, divided by load and radius; for a pair of shapes, the larger one.
    bool has_rolling_resistance;
    double rolling_resistance;
    // Conveyor: the surface's speed along the outward normal turned clockwise. [m/s]
    bool has_tangent_speed;
    double tangent_speed;
    // Whether the shape reports bodies that enter it instead of colliding.
    bool has_sensor;
    bool sensor;
    // The shapes that it collides with; all, if left out.
    const carom_args_filter *filter;
    // Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). One of
    // contact, hit, sensor.
    const char *const *events;
    size_t events_count;
    // One-way: a direction in the body's frame; only bodies that come from that side collide. [0,
    // 0]: solid from all sides.
    bool has_one_way;
    carom_vec2 one_way;
} carom_args_shape_set;
CAROM_API carom_value *carom_map_shape_set(const char *world, const carom_args_shape_set *args);
CAROM_API carom_status carom_call_shape_set(carom_client *client, const char *world,
                                            const carom_args_shape_set *args, int timeout_ms,
                                            carom_value **result, carom_error *error);
CAROM_API size_t carom_add_shape_set(carom_batch *batch, const carom_args_shape_set *args);

// shape.remove: Removes a shape from its body. Least role: player. Answers {tick}.
typedef struct carom_args_shape_remove {
    // The shape's id.
    uint64_t shape;
} carom_args_shape_remove;
CAROM_API carom_value *carom_map_shape_remove(const char *world,
                                              const carom_args_shape_remove *args);
CAROM_API carom_status carom_call_shape_remove(carom_client *client, const char *world,
                                               const carom_args_shape_remove *args, int timeout_ms,
                                               carom_value **result, carom_error *error);
CAROM_API size_t carom_add_shape_remove(carom_batch *batch, const carom_args_shape_remove *args);

// joint.create: Joins two bodies. Least role: player. Answers {joint, tick}.
typedef struct carom_args_joint_create {
    // The kind of joint. One of revolute, prismatic, distance, weld, wheel, motor, mouse, filter,
    // gear, pulley.
    const char *kind;
    // The first body; a mouse has none, and a gear may name joints instead.
    uint64_t a;
    // The second body.
    uint64_t b;
    // The place in the world where it acts; or anchor_a and anchor_b instead. [m]
    bool has_anchor;
    carom_vec2 anchor;
    // A point of a, in its frame. [m]
    bool has_anchor_a;
    carom_vec2 anchor_a;
    // A point of b, in its frame. [m]
    bool has_anchor_b;
    carom_vec2 anchor_b;
    // A direction in the world, of any length.
    bool has_axis;
    carom_vec2 axis;
    // The angle of b minus that of a at which the joint's angle is zero; the present one, if left
    // out. [rad]
    bool has_reference_angle;
    double reference_angle;
    // A revolute or prismatic joint that the gear couples.
    uint64_t joint_a;
    // The other joint that the gear couples; both are given, or neither.
    uint64_t joint_b;
    // The place where a's rope turns, in the world. [m]
    bool has_ground_a;
    carom_vec2 ground_a;
    // The place where b's rope turns, in the world. [m]
    bool has_ground_b;
    carom_vec2 ground_b;
    // The weight of b's motion; at least 0.001 in size, > 0 for a pulley. Default 1.
    bool has_ratio;
    double ratio;
    // Whether the two bodies collide with each other. Default false.
    bool collide_connected;
    // Length of the rod, of the spring at rest, or of the rope; the present distance, if left
    // out. [m]
    bool has_length;
    double length;
    // Lower limit. [rad or m]
    bool has_lower;
    double lower;
    // Upper limit. [rad or m]
    bool has_upper;
    double upper;
    // The speed that the motor aims at; 0: a brake. [rad/s or m/s]
    bool has_motor_speed;
    double motor_speed;
    // Greatest force of the motor or mouse; 0: off. [N]
    bool has_max_force;
    double max_force;
    // Greatest torque of the motor; 0: off. [N m]
    bool has_max_torque;
    double max_torque;
    // Frequency of the spring; 0: none. [1/s]
    bool has_hertz;
    double hertz;
    // Damping of the spring; 1: critical.
    bool has_damping_ratio;
    double damping_ratio;
    // Frequency of the angle's spring; 0: none. [1/s]
    bool has_angular_hertz;
    double angular_hertz;
    // Damping of the angle's spring; 1: critical.
    bool has_angular_damping_ratio;
    double angular_damping_ratio;
    // mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [m]
    bool has_target;
    carom_vec2 target;
    // The spring's position of rest. [rad]
    bool has_target_angle;
    double target_angle;
    // The spring's position of rest. [m]
    bool has_target_translation;
    double target_translation;
    // Velocity of b's anchor that the motor aims at, in a's frame. [m/s]
    bool has_velocity;
    carom_vec2 velocity;
    // The force above which the joint breaks; 0: none. [N]
    bool has_break_force;
    double break_force;
    // The torque above which the joint breaks; 0: none. [N m]
    bool has_break_torque;
    double break_torque;
} carom_args_joint_create;
CAROM_API carom_value *carom_map_joint_create(const char *world,
                                              const carom_args_joint_create *args);
CAROM_API carom_status carom_call_joint_create(carom_client *client, const char *world,
                                               const carom_args_joint_create *args, int timeout_ms,
                                               carom_value **result, carom_error *error);
CAROM_API size_t carom_add_joint_create(carom_batch *batch, const carom_args_joint_create *args);

// joint.set: Changes the given settings, at least one; the others stay as they are. Least role:
// player. Answers {tick}.
typedef struct carom_args_joint_set {
    // The joint's id.
    uint64_t joint;
    // Length of the rod, of the spring at rest, or of the rope; the present distance, if left
    // out. [m]
    bool has_length;
    double length;
    // Lower limit. [rad or m]
    bool has_lower;
    double lower;
    // Upper limit. [rad or m]
    bool has_upper;
    double upper;
    // The speed that the motor aims at; 0: a brake. [rad/s or m/s]
    bool has_motor_speed;
    double motor_speed;
    // Greatest force of the motor or mouse; 0: off. [N]
    bool has_max_force;
    double max_force;
    // Greatest torque of the motor; 0: off. [N m]
    bool has_max_torque;
    double max_torque;
    // Frequency of the spring; 0: none. [1/s]
    bool has_hertz;
    double hertz;
    // Damping of the spring; 1: critical.
    bool has_damping_ratio;
    double damping_ratio;
    // Frequency of the angle's spring; 0: none. [1/s]
    bool has_angular_hertz;
    double angular_hertz;
    // Damping of the angle's spring; 1: critical.
    bool has_angular_damping_ratio;
    double angular_damping_ratio;
    // mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [m]
    bool has_target;
    carom_vec2 target;
    // The spring's position of rest. [rad]
    bool has_target_angle;
    double target_angle;
    // The spring's position of rest. [m]
    bool has_target_translation;
    double target_translation;
    // Velocity of b's anchor that the motor aims at, in a's frame. [m/s]
    bool has_velocity;
    carom_vec2 velocity;
    // The force above which the joint breaks; 0: none. [N]
    bool has_break_force;
    double break_force;
    // The torque above which the joint breaks; 0: none. [N m]
    bool has_break_torque;
    double break_torque;
} carom_args_joint_set;
CAROM_API carom_value *carom_map_joint_set(const char *world, const carom_args_joint_set *args);
CAROM_API carom_status carom_call_joint_set(carom_client *client, const char *world,
                                            const carom_args_joint_set *args, int timeout_ms,
                                            carom_value **result, carom_error *error);
CAROM_API size_t carom_add_joint_set(carom_batch *batch, const carom_args_joint_set *args);

// joint.remove: Removes a joint. Least role: player. Answers {tick}.
typedef struct carom_args_joint_remove {
    // The joint's id.
    uint64_t joint;
} carom_args_joint_remove;
CAROM_API carom_value *carom_map_joint_remove(const char *world,
                                              const carom_args_joint_remove *args);
CAROM_API carom_status carom_call_joint_remove(carom_client *client, const char *world,
                                               const carom_args_joint_remove *args, int timeout_ms,
                                               carom_value **result, carom_error *error);
CAROM_API size_t carom_add_joint_remove(carom_batch *batch, const carom_args_joint_remove *args);

// joint.get: All about a joint. Least role: viewer. Answers the full joint map.
typedef struct carom_args_joint_get {
    // The joint's id.
    uint64_t joint;
} carom_args_joint_get;
CAROM_API carom_value *carom_map_joint_get(const char *world, const carom_args_joint_get *args);
CAROM_API carom_status carom_call_joint_get(carom_client *client, const char *world,
                                            const carom_args_joint_get *args, int timeout_ms,
                                            carom_value **result, carom_error *error);
CAROM_API size_t carom_add_joint_get(carom_batch *batch, const carom_args_joint_get *args);

// joint.list: All joints of a world. Least role: viewer. Answers {world, tick, joints}: full
// joint maps.
CAROM_API carom_value *carom_map_joint_list(const char *world);
CAROM_API carom_status carom_call_joint_list(carom_client *client, const char *world,
                                             int timeout_ms, carom_value **result,
                                             carom_error *error);

// query.ray: The shapes that a ray meets. Least role: viewer. Answers [{body, shape, point,
// normal, fraction}], nearest first; with at {at, hits}.
typedef struct carom_args_query_ray {
    // The beginning of the ray. [m]
    carom_vec2 from;
    // The end of the ray. [m]
    carom_vec2 to;
    // The shapes that the query sees; all, if left out.
    const carom_args_filter *filter;
    // A body that the query does not see.
    uint64_t ignore;
    // Whether the query sees sensors too. Default false.
    bool sensors;
    // Whether all hits are answered; only the nearest, if left out. Default false.
    bool all;
    // A tick of the world's history that the query looks at, or a moment between two; the present
    // tick, if left out. [ticks]
    bool has_at;
    double at;
} carom_args_query_ray;
CAROM_API carom_value *carom_map_query_ray(const char *world, const carom_args_query_ray *args);
CAROM_API carom_status carom_call_query_ray(carom_client *client, const char *world,
                                            const carom_args_query_ray *args, int timeout_ms,
                                            carom_value **result, carom_error *error);

// query.overlap: The bodies in a place; exactly one of area, shape and point. Least role: viewer.
// Answers [body …]; with at {at, bodies}.
typedef struct carom_args_query_overlap {
    // Bodies with a shape that meets it, or else: [m]
    bool has_area;
    double area[4];
    // Bodies that overlap it (world coordinates), or else:
    const carom_shape *shape;
    // Bodies that this point lies in. [m]
    bool has_point;
    carom_vec2 point;
    // The shapes that the query sees; all, if left out.
    const carom_args_filter *filter;
    // A body that the query does not see.
    uint64_t ignore;
    // Whether the query sees sensors too. Default false.
    bool sensors;
    // A tick of the world's history that the query looks at, or a moment between two; the present
    // tick, if left out. [ticks]
    bool has_at;
    double at;
} carom_args_query_overlap;
CAROM_API carom_value *carom_map_query_overlap(const char *world,
                                               const carom_args_query_overlap *args);
CAROM_API carom_status carom_call_query_overlap(carom_client *client, const char *world,
                                                const carom_args_query_overlap *args,
                                                int timeout_ms, carom_value **result,
                                                carom_error *error);

// query.cast: The shapes that a moving shape meets. Least role: viewer. Answers [{body, shape,
// point, normal, fraction}], nearest first; with at {at, hits}.
typedef struct carom_args_query_cast {
    // The shape, relative to its origin.
    const carom_shape *shape;
    // Where the path of the shape's origin begins. [m]
    carom_vec2 from;
    // Where the path of the shape's origin ends. [m]
    carom_vec2 to;
    // The shapes that the query sees; all, if left out.
    const carom_args_filter *filter;
    // A body that the query does not see.
    uint64_t ignore;
    // Whether the query sees sensors too. Default false.
    bool sensors;
    // Whether all hits are answered; only the nearest, if left out. Default false.
    bool all;
    // A tick of the world's history that the query looks at, or a moment between two; the present
    // tick, if left out. [ticks]
    bool has_at;
    double at;
} carom_args_query_cast;
CAROM_API carom_value *carom_map_query_cast(const char *world, const carom_args_query_cast *args);
CAROM_API carom_status carom_call_query_cast(carom_client *client, const char *world,
                                             const carom_args_query_cast *args, int timeout_ms,
                                             carom_value **result, carom_error *error);

// query.nearest: The surface that is nearest to a place. Least role: viewer. Answers {body,
// shape, point, distance}; nil if there is none; with at a map that has it too, and body nil if
// there is none.
typedef struct carom_args_query_nearest {
    // A place in the world. [m]
    carom_vec2 point;
    // How far to look. Default 1000000. [m]
    bool has_radius;
    double radius;
    // The shapes that the query sees; all, if left out.
    const carom_args_filter *filter;
    // A body that the query does not see.
    uint64_t ignore;
    // Whether the query sees sensors too. Default false.
    bool sensors;
    // A tick of the world's history that the query looks at, or a moment between two; the present
    // tick, if left out. [ticks]
    bool has_at;
    double at;
} carom_args_query_nearest;
CAROM_API carom_value *carom_map_query_nearest(const char *world,
                                               const carom_args_query_nearest *args);
CAROM_API carom_status carom_call_query_nearest(carom_client *client, const char *world,
                                                const carom_args_query_nearest *args,
                                                int timeout_ms, carom_value **result,
                                                carom_error *error);

// data.set: Sets the value of a key of the world's data. Least role: player. Answers {version,
// tick}.
typedef struct carom_args_data_set {
    // A text that is not empty.
    const char *key;
    // Any value but nil, at most 16 containers deep.
    const carom_value *value;
    // The version that the key must have, 0 for a key that is not there; already_exists names the
    // one that it has. Any, if left out.
    bool has_version;
    uint64_t version;
} carom_args_data_set;
CAROM_API carom_value *carom_map_data_set(const char *world, const carom_args_data_set *args);
CAROM_API carom_status carom_call_data_set(carom_client *client, const char *world,
                                           const carom_args_data_set *args, int timeout_ms,
                                           carom_value **result, carom_error *error);
CAROM_API size_t carom_add_data_set(carom_batch *batch, const carom_args_data_set *args);

// data.remove: Removes a key of the world's data. Least role: player. Answers {tick}.
typedef struct carom_args_data_remove {
    // A text that is not empty.
    const char *key;
    // The version that the key must have, 0 for a key that is not there; already_exists names the
    // one that it has. Any, if left out.
    bool has_version;
    uint64_t version;
} carom_args_data_remove;
CAROM_API carom_value *carom_map_data_remove(const char *world, const carom_args_data_remove *args);
CAROM_API carom_status carom_call_data_remove(carom_client *client, const char *world,
                                              const carom_args_data_remove *args, int timeout_ms,
                                              carom_value **result, carom_error *error);
CAROM_API size_t carom_add_data_remove(carom_batch *batch, const carom_args_data_remove *args);

// data.get: The world's data: one key, those with a prefix, or all. Least role: viewer. Answers
// {data, tick}: data is a map of the keys that are there, each {value, version}.
typedef struct carom_args_data_get {
    // A text that is not empty.
    const char *key;
    // The beginning of the keys that are answered.
    const char *prefix;
} carom_args_data_get;
CAROM_API carom_value *carom_map_data_get(const char *world, const carom_args_data_get *args);
CAROM_API carom_status carom_call_data_get(carom_client *client, const char *world,
                                           const carom_args_data_get *args, int timeout_ms,
                                           carom_value **result, carom_error *error);
CAROM_API size_t carom_add_data_get(carom_batch *batch, const carom_args_data_get *args);

// message.send: Sends a message to clients that subscribe to the world's events of kind message.
// Least role: player. Answers {tick}.
typedef struct carom_args_message_send {
    // The kind of message, a word of the game's own.
    const char *name;
    // Any value, at most 16 containers deep.
    const carom_value *data;
    // Whom it is for: "all" (default), "referee" (sessions of role referee or admin), a subject,
    // or the number of a session.
    const carom_value *to;
    // The sender's subject; the session's, if left out. Only a referee or an admin may name
    // another.
    const char *subject;
} carom_args_message_send;
CAROM_API carom_value *carom_map_message_send(const char *world,
                                              const carom_args_message_send *args);
CAROM_API carom_status carom_call_message_send(carom_client *client, const char *world,
                                               const carom_args_message_send *args, int timeout_ms,
                                               carom_value **result, carom_error *error);
CAROM_API size_t carom_add_message_send(carom_batch *batch, const carom_args_message_send *args);

// world.join: Takes a seat in a world of a template: in the fullest world that has a free seat,
// or in a new world. Least role: player. Answers {world, seat, created, tick}.
typedef struct carom_args_world_join {
    // The template's name.
    const char *template_name;
    // Any value, at most 16 containers deep: the event `join` has it.
    const carom_value *data;
    // Only in logs: the seat that the server chose. Default 0.
    bool has_seat;
    uint64_t seat;
    // Only in logs: the number of the session.
    uint64_t session;
    // Only in logs: the session's subject.
    const char *subject;
} carom_args_world_join;
CAROM_API carom_value *carom_map_world_join(const char *world, const carom_args_world_join *args);
CAROM_API carom_status carom_call_world_join(carom_client *client, const char *world,
                                             const carom_args_world_join *args, int timeout_ms,
                                             carom_value **result, carom_error *error);

// world.leave: Frees a seat. The server does so by itself when the session ends. Least role:
// player. Answers {tick}.
typedef struct carom_args_world_leave {
    // The session whose seat it is; this one, if left out. Only a referee or an admin may name
    // another.
    uint64_t session;
    // Only in logs: the seat. Default 0.
    bool has_seat;
    uint64_t seat;
    // Only in logs: the session's subject.
    const char *subject;
} carom_args_world_leave;
CAROM_API carom_value *carom_map_world_leave(const char *world, const carom_args_world_leave *args);
CAROM_API carom_status carom_call_world_leave(carom_client *client, const char *world,
                                              const carom_args_world_leave *args, int timeout_ms,
                                              carom_value **result, carom_error *error);

// server.fleet: The servers of the fleet and its worlds, as this server knows them. Least role:
// admin. Answers {prefix, nodes, worlds, total}.
typedef struct carom_args_server_fleet {
    // Only worlds with a name behind this one. Default "".
    const char *after;
    // The maximum of worlds in the answer. Default 1000.
    bool has_count;
    uint64_t count;
} carom_args_server_fleet;
CAROM_API carom_value *carom_map_server_fleet(const carom_args_server_fleet *args);
CAROM_API carom_status carom_call_server_fleet(carom_client *client,
                                               const carom_args_server_fleet *args, int timeout_ms,
                                               carom_value **result, carom_error *error);

// world.move: Hands a world over to another server of the fleet, after a tick; nothing of it is
// lost, and its sessions can be resumed there. Least role: admin. Answers {world, node, term}.
typedef struct carom_args_world_move {
    // The other server's name; left out, its standby, or else that with fewer worlds of two
    // chosen by chance. Default "".
    const char *to;
} carom_args_world_move;
CAROM_API carom_value *carom_map_world_move(const char *world, const carom_args_world_move *args);
CAROM_API carom_status carom_call_world_move(carom_client *client, const char *world,
                                             const carom_args_world_move *args, int timeout_ms,
                                             carom_value **result, carom_error *error);

// clang-format on

CAROM_END_DECLS

#endif
