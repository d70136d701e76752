#include <carom/calls.h>

#include <string.h>

#include "client/lib/call.h"

// ---- shapes

#define EVENTS_DEFAULT ((unsigned)CAROM_EVENTS_CONTACT | (unsigned)CAROM_EVENTS_SENSOR)

static carom_shape shape_of(carom_shape_kind kind)
{
    return (carom_shape){
        .kind = kind,
        .density = 1.0,
        .friction = 0.6,
        .category = 1,
        .mask = UINT64_MAX,
        .events = EVENTS_DEFAULT,
    };
}

carom_shape carom_shape_circle(double radius)
{
    carom_shape shape = shape_of(CAROM_CIRCLE);
    shape.radius = radius;
    return shape;
}

carom_shape carom_shape_box(double width, double height)
{
    carom_shape shape = shape_of(CAROM_BOX);
    shape.size = (carom_vec2){width, height};
    return shape;
}

carom_shape carom_shape_capsule(carom_vec2 a, carom_vec2 b, double radius)
{
    carom_shape shape = shape_of(CAROM_CAPSULE);
    shape.a = a;
    shape.b = b;
    shape.radius = radius;
    return shape;
}

carom_shape carom_shape_segment(carom_vec2 a, carom_vec2 b)
{
    carom_shape shape = shape_of(CAROM_SEGMENT);
    shape.a = a;
    shape.b = b;
    return shape;
}

carom_shape carom_shape_polygon(const carom_vec2 *vertices, size_t count)
{
    carom_shape shape = shape_of(CAROM_POLYGON);
    shape.vertices = vertices;
    shape.vertex_count = count;
    return shape;
}

carom_shape carom_shape_chain(const carom_vec2 *vertices, size_t count, bool loop)
{
    carom_shape shape = shape_of(CAROM_CHAIN);
    shape.vertices = vertices;
    shape.vertex_count = count;
    shape.loop = loop;
    return shape;
}

static carom_value *vertices_value(const carom_shape *shape)
{
    carom_value *v = carom_array();
    for (size_t i = 0; i < shape->vertex_count; i++) {
        carom_push(v, vec_value(shape->vertices[i]));
    }
    return v;
}

static void set_unless(carom_value *map, const char *key, double value, double fallback)
{
    if (value != fallback) {
        carom_set(map, key, carom_real(value));
    }
}

static void set_vec_unless_zero(carom_value *map, const char *key, carom_vec2 value)
{
    if (value.x != 0.0 || value.y != 0.0) {
        carom_set(map, key, vec_value(value));
    }
}

static void set_form(carom_value *map, const carom_shape *shape)
{
    switch (shape->kind) {
    case CAROM_CIRCLE:
        carom_set(map, "kind", carom_str("circle"));
        carom_set(map, "radius", carom_real(shape->radius));
        set_vec_unless_zero(map, "center", shape->center);
        break;
    case CAROM_BOX:
        carom_set(map, "kind", carom_str("box"));
        carom_set(map, "size", vec_value(shape->size));
        set_vec_unless_zero(map, "center", shape->center);
        set_unless(map, "angle", shape->angle, 0.0);
        set_unless(map, "radius", shape->radius, 0.0);
        break;
    case CAROM_POLYGON:
        carom_set(map, "kind", carom_str("polygon"));
        carom_set(map, "vertices", vertices_value(shape));
        set_unless(map, "radius", shape->radius, 0.0);
        break;
    case CAROM_CAPSULE:
        carom_set(map, "kind", carom_str("capsule"));
        carom_set(map, "a", vec_value(shape->a));
        carom_set(map, "b", vec_value(shape->b));
        carom_set(map, "radius", carom_real(shape->radius));
        break;
    case CAROM_SEGMENT:
        carom_set(map, "kind", carom_str("segment"));
        carom_set(map, "a", vec_value(shape->a));
        carom_set(map, "b", vec_value(shape->b));
        break;
    case CAROM_CHAIN:
        carom_set(map, "kind", carom_str("chain"));
        carom_set(map, "vertices", vertices_value(shape));
        carom_set(map, "loop", carom_bool(shape->loop));
        break;
    }
}

static carom_value *filter_value(const carom_shape *shape)
{
    carom_value *v = carom_set(carom_map(), "category", carom_uint(shape->category));
    carom_set(v, "mask", carom_uint(shape->mask));
    return carom_set(v, "group", carom_int(shape->group));
}

static carom_value *events_value(unsigned events)
{
    static const struct {
        unsigned bit;
        const char *word;
    } WORDS[] = {{CAROM_EVENTS_CONTACT, "contact"},
                 {CAROM_EVENTS_HIT, "hit"},
                 {CAROM_EVENTS_SENSOR, "sensor"}};
    carom_value *v = carom_array();
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if ((events & WORDS[i].bit) != 0) {
            carom_push(v, carom_str(WORDS[i].word));
        }
    }
    return v;
}

carom_value *carom_shape_value(const carom_shape *shape)
{
    carom_value *map = carom_map();
    set_form(map, shape);
    set_unless(map, "density", shape->density, 1.0);
    set_unless(map, "friction", shape->friction, 0.6);
    set_unless(map, "restitution", shape->restitution, 0.0);
    set_unless(map, "rolling_resistance", shape->rolling_resistance, 0.0);
    set_unless(map, "tangent_speed", shape->tangent_speed, 0.0);
    if (shape->sensor) {
        carom_set(map, "sensor", carom_bool(true));
    }
    if (shape->has_filter) {
        carom_set(map, "filter", filter_value(shape));
    }
    if (shape->events != EVENTS_DEFAULT) {
        carom_set(map, "events", events_value(shape->events));
    }
    return map;
}

// ---- bodies

carom_body_options carom_body_options_default(void)
{
    return (carom_body_options){.type = CAROM_DYNAMIC,
                                .gravity_scale = 1.0,
                                .allow_sleep = true,
                                .awake = true,
                                .enabled = true};
}

static void set_flag_unless(carom_value *map, const char *key, bool value, bool fallback)
{
    if (value != fallback) {
        carom_set(map, key, carom_bool(value));
    }
}

static carom_value *shapes_value(const carom_body_options *options)
{
    carom_value *v = carom_array();
    for (size_t i = 0; i < options->shape_count; i++) {
        carom_push(v, carom_shape_value(&options->shapes[i]));
    }
    return v;
}

// What is at its default is left out: most bodies then take a third of the bytes.
carom_value *carom_body_spawn_args(const char *world, const carom_body_options *options)
{
    static const char *const TYPES[] = {
        [CAROM_STATIC] = "static", [CAROM_KINEMATIC] = "kinematic", [CAROM_DYNAMIC] = "dynamic"};
    carom_value *args = world_args(world);
    bool known = (unsigned)options->type <= CAROM_DYNAMIC;
    carom_set(args, "type", carom_str(known ? TYPES[options->type] : ""));
    carom_set(args, "position", vec_value(options->position));
    set_unless(args, "angle", options->angle, 0.0);
    set_vec_unless_zero(args, "velocity", options->velocity);
    set_unless(args, "angular_velocity", options->angular_velocity, 0.0);
    set_unless(args, "linear_damping", options->linear_damping, 0.0);
    set_unless(args, "angular_damping", options->angular_damping, 0.0);
    set_unless(args, "gravity_scale", options->gravity_scale, 1.0);
    set_unless(args, "mass", options->mass, 0.0);
    set_flag_unless(args, "fixed_rotation", options->fixed_rotation, false);
    set_flag_unless(args, "bullet", options->bullet, false);
    set_flag_unless(args, "allow_sleep", options->allow_sleep, true);
    set_flag_unless(args, "awake", options->awake, true);
    set_flag_unless(args, "enabled", options->enabled, true);
    if (options->tag != NULL) {
        carom_set(args, "tag", carom_str(options->tag));
    }
    return carom_set(args, "shapes", shapes_value(options));
}

carom_status carom_body_spawn(carom_client *client, const char *world,
                              const carom_body_options *options, int timeout_ms, uint64_t *body,
                              uint64_t *tick, carom_error *err)
{
    carom_value *result;
    carom_value *args = carom_body_spawn_args(world, options);
    carom_status outcome = call_method(client, "body.spawn", args, timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        if (body != NULL) {
            *body = carom_get_uint(result, "body", 0);
        }
        if (tick != NULL) {
            *tick = carom_get_uint(result, "tick", 0);
        }
    }
    carom_value_free(result);
    return outcome;
}

carom_status carom_body_remove(carom_client *client, const char *world, uint64_t body,
                               int timeout_ms, uint64_t *tick, carom_error *err)
{
    return call_command(client, "body.remove", body_args(world, body), timeout_ms, tick, err);
}

carom_status carom_body_get(carom_client *client, const char *world, uint64_t body, int timeout_ms,
                            carom_body *out, carom_error *err)
{
    carom_value *args = body_args(world, body);
    carom_value *result = NULL;
    carom_status outcome = carom_call(client, "body.get", args, timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        carom_vec2 zero = {0.0, 0.0};
        carom_vec2 position = carom_get_vec(result, "position", zero);
        carom_vec2 velocity = carom_get_vec(result, "velocity", zero);
        *out = (carom_body){
            .id = carom_get_uint(result, "body", body),
            .x = position.x,
            .y = position.y,
            .angle = carom_get_real(result, "angle", 0.0),
            .vx = velocity.x,
            .vy = velocity.y,
            .w = carom_get_real(result, "angular_velocity", 0.0),
        };
    }
    carom_value_free(result);
    carom_value_free(args);
    return outcome;
}

carom_status carom_body_set_position(carom_client *client, const char *world, uint64_t body,
                                     carom_vec2 position, double angle, int timeout_ms,
                                     uint64_t *tick, carom_error *err)
{
    carom_value *args = body_args(world, body);
    carom_set(args, "position", vec_value(position));
    carom_set(args, "angle", carom_real(angle));
    return call_command(client, "body.set", args, timeout_ms, tick, err);
}

carom_status carom_body_set_velocity(carom_client *client, const char *world, uint64_t body,
                                     carom_vec2 velocity, double angular_velocity, int timeout_ms,
                                     uint64_t *tick, carom_error *err)
{
    carom_value *args = body_args(world, body);
    carom_set(args, "velocity", vec_value(velocity));
    carom_set(args, "angular_velocity", carom_real(angular_velocity));
    return call_command(client, "body.set", args, timeout_ms, tick, err);
}

static carom_value *push_args(const char *world, uint64_t body, const char *key, carom_vec2 vector,
                              const carom_vec2 *point)
{
    carom_value *args = carom_set(body_args(world, body), key, vec_value(vector));
    return point == NULL ? args : carom_set(args, "point", vec_value(*point));
}

carom_status carom_body_impulse(carom_client *client, const char *world, uint64_t body,
                                carom_vec2 impulse, const carom_vec2 *point, int timeout_ms,
                                uint64_t *tick, carom_error *err)
{
    carom_value *args = push_args(world, body, "impulse", impulse, point);
    return call_command(client, "body.impulse", args, timeout_ms, tick, err);
}

carom_status carom_body_angular_impulse(carom_client *client, const char *world, uint64_t body,
                                        double impulse, int timeout_ms, uint64_t *tick,
                                        carom_error *err)
{
    carom_value *args = carom_set(body_args(world, body), "impulse", carom_real(impulse));
    return call_command(client, "body.angular_impulse", args, timeout_ms, tick, err);
}

carom_status carom_body_force(carom_client *client, const char *world, uint64_t body,
                              carom_vec2 force, const carom_vec2 *point, int timeout_ms,
                              uint64_t *tick, carom_error *err)
{
    carom_value *args = push_args(world, body, "force", force, point);
    return call_command(client, "body.force", args, timeout_ms, tick, err);
}

carom_status carom_body_torque(carom_client *client, const char *world, uint64_t body,
                               double torque, int timeout_ms, uint64_t *tick, carom_error *err)
{
    carom_value *args = carom_set(body_args(world, body), "torque", carom_real(torque));
    return call_command(client, "body.torque", args, timeout_ms, tick, err);
}

// ---- joints

carom_status carom_joint_create(carom_client *client, const char *world, const char *kind,
                                uint64_t a, uint64_t b, carom_value *settings, int timeout_ms,
                                uint64_t *joint, uint64_t *tick, carom_error *err)
{
    carom_value *args = settings != NULL ? settings : carom_map();
    carom_set(args, "world", carom_str(world));
    carom_set(args, "kind", carom_str(kind));
    if (a != 0) {
        carom_set(args, "a", carom_uint(a));
    }
    if (b != 0) {
        carom_set(args, "b", carom_uint(b));
    }
    carom_value *result;
    carom_status outcome = call_method(client, "joint.create", args, timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        if (joint != NULL) {
            *joint = carom_get_uint(result, "joint", 0);
        }
        if (tick != NULL) {
            *tick = carom_get_uint(result, "tick", 0);
        }
    }
    carom_value_free(result);
    return outcome;
}

static carom_value *joint_args(const char *world, uint64_t joint, carom_value *settings)
{
    carom_value *args = settings != NULL ? settings : carom_map();
    carom_set(args, "world", carom_str(world));
    return carom_set(args, "joint", carom_uint(joint));
}

carom_status carom_joint_set(carom_client *client, const char *world, uint64_t joint,
                             carom_value *settings, int timeout_ms, uint64_t *tick,
                             carom_error *err)
{
    carom_value *args = joint_args(world, joint, settings);
    return call_command(client, "joint.set", args, timeout_ms, tick, err);
}

carom_status carom_joint_remove(carom_client *client, const char *world, uint64_t joint,
                                int timeout_ms, uint64_t *tick, carom_error *err)
{
    carom_value *args = joint_args(world, joint, NULL);
    return call_command(client, "joint.remove", args, timeout_ms, tick, err);
}

// ---- queries

static carom_hit read_hit(const carom_value *hit)
{
    carom_vec2 zero = {0.0, 0.0};
    return (carom_hit){
        .body = carom_get_uint(hit, "body", 0),
        .shape = carom_get_uint(hit, "shape", 0),
        .point = carom_get_vec(hit, "point", zero),
        .normal = carom_get_vec(hit, "normal", zero),
        .fraction = carom_get_real(hit, "fraction", 0.0),
    };
}

carom_status carom_query_ray(carom_client *client, const char *world, carom_vec2 from,
                             carom_vec2 to, bool all, carom_hit *hits, size_t max, int timeout_ms,
                             size_t *count, carom_error *err)
{
    carom_value *args = carom_set(world_args(world), "from", vec_value(from));
    carom_set(args, "to", vec_value(to));
    carom_set(args, "all", carom_bool(all));
    carom_value *result = NULL;
    carom_status outcome = carom_call(client, "query.ray", args, timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        *count = carom_value_count(result);
        for (size_t i = 0; i < *count && i < max; i++) {
            hits[i] = read_hit(carom_value_at(result, i));
        }
    }
    carom_value_free(result);
    carom_value_free(args);
    return outcome;
}
