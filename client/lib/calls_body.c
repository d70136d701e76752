// Typed helpers for bodies. One thread at a time for a client.
#include <carom/body.h>

#include "client/lib/call.h"
#include "client/lib/describe.h"

carom_body_options carom_body_options_default(void)
{
    return (carom_body_options){
        .exact = true,
        .gravity_scale = 1.0,
        .allow_sleep = true,
        .awake = true,
        .enabled = true,
    };
}

// The options with all defaults filled in, whether the caller began with the default function or
// with zeros.
static carom_body_options complete(const carom_body_options *options)
{
    carom_body_options all = carom_body_options_default();
    if (options == NULL) {
        return all;
    }
    carom_body_options given = *options;
    if (!given.exact) {
        given.exact = given.allow_sleep = given.awake = given.enabled = true;
        given.gravity_scale = given.gravity_scale == 0.0 ? all.gravity_scale : given.gravity_scale;
    }
    return given;
}

static carom_value *shapes_value(const carom_body_options *options)
{
    carom_value *v = carom_array();
    for (size_t i = 0; options->shapes != NULL && i < options->shape_count; i++) {
        carom_push(v, carom_shape_value(&options->shapes[i]));
    }
    return v;
}

// Leaves out arguments with their default values: most bodies then take a third of the bytes.
carom_value *carom_body_spawn_args(const char *world, const carom_body_options *options)
{
    carom_body_options o = complete(options);
    const char *type = carom_body_type_name(o.type);
    carom_value *args = world_args(world);
    carom_set(args, "type", carom_str(type == NULL ? "" : type)); // the server reports the error
    carom_set(args, "position", vec_value(o.position));
    set_real(args, "angle", o.angle, 0.0);
    set_vec(args, "velocity", o.velocity);
    set_real(args, "angular_velocity", o.angular_velocity, 0.0);
    set_real(args, "linear_damping", o.linear_damping, 0.0);
    set_real(args, "angular_damping", o.angular_damping, 0.0);
    set_real(args, "gravity_scale", o.gravity_scale, 1.0);
    set_real(args, "mass", o.mass, 0.0);
    set_bool(args, "fixed_rotation", o.fixed_rotation, false);
    set_bool(args, "bullet", o.bullet, false);
    set_bool(args, "allow_sleep", o.allow_sleep, true);
    set_bool(args, "awake", o.awake, true);
    set_bool(args, "enabled", o.enabled, true);
    if (o.ends_with_session) {
        carom_set(args, "lifetime", carom_str("session"));
    }
    if (o.tag != NULL) {
        carom_set(args, "tag", carom_str(o.tag));
    }
    return carom_set(args, "shapes", shapes_value(&o));
}

carom_status carom_body_spawn(carom_client *client, const char *world,
                              const carom_body_options *options, int timeout_ms, uint64_t *body,
                              uint64_t *tick, carom_error *err)
{
    return call_maker(client, world, "body.spawn", carom_body_spawn_args(world, options), "body",
                      timeout_ms, body, tick, err);
}

static carom_status get_body(carom_client *client, const char *world, uint64_t body, int timeout_ms,
                             const void *out, carom_value **result, carom_error *err)
{
    if (out == NULL) {
        return fault_missing(err, "out");
    }
    return call_answer(client, world, "body.get", id_args(world, "body", body), timeout_ms, result,
                       err);
}

carom_status carom_body_get(carom_client *client, const char *world, uint64_t body, int timeout_ms,
                            carom_body *out, carom_error *err)
{
    carom_value *result = NULL;
    carom_status outcome = get_body(client, world, body, timeout_ms, out, &result, err);
    if (outcome == CAROM_OK) {
        *out = read_body_value(result);
        out->id = out->id == 0 ? body : out->id;
    }
    carom_value_free(result);
    return outcome;
}

carom_status carom_body_describe(carom_client *client, const char *world, uint64_t body,
                                 int timeout_ms, carom_body_info **out, carom_error *err)
{
    carom_value *result = NULL;
    carom_status outcome = get_body(client, world, body, timeout_ms, out, &result, err);
    if (outcome == CAROM_OK) {
        outcome = describe_body(result, out, err);
    }
    carom_value_free(result);
    return outcome;
}

carom_status carom_body_set_position(carom_client *client, const char *world, uint64_t body,
                                     carom_vec2 position, double angle, int timeout_ms,
                                     uint64_t *tick, carom_error *err)
{
    carom_value *args = id_args(world, "body", body);
    carom_set(args, "position", vec_value(position));
    carom_set(args, "angle", carom_real(angle));
    return call_command(client, world, "body.set", args, timeout_ms, tick, err);
}

carom_status carom_body_set_velocity(carom_client *client, const char *world, uint64_t body,
                                     carom_vec2 velocity, double angular_velocity, int timeout_ms,
                                     uint64_t *tick, carom_error *err)
{
    carom_value *args = id_args(world, "body", body);
    carom_set(args, "velocity", vec_value(velocity));
    carom_set(args, "angular_velocity", carom_real(angular_velocity));
    return call_command(client, world, "body.set", args, timeout_ms, tick, err);
}
