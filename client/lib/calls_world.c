#include <carom/calls.h>

#include <string.h>

#include "client/lib/call.h"
#include "client/lib/clock.h"

carom_status carom_ping(carom_client *client, int timeout_ms, double *round_trip,
                        double *server_time, carom_error *err)
{
    int64_t begin = monotonic_ns();
    carom_value *result = NULL;
    carom_status outcome = carom_call(client, "ping", NULL, timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        if (round_trip != NULL) {
            *round_trip = (double)(monotonic_ns() - begin) * 1e-9;
        }
        if (server_time != NULL) {
            *server_time = carom_get_real(result, "time", 0.0);
        }
    }
    carom_value_free(result);
    return outcome;
}

carom_world_options carom_world_options_default(void)
{
    return (carom_world_options){.gravity = {0.0, -9.81},
                                 .hz = 60.0,
                                 .substeps = 4,
                                 .sleep = true,
                                 .continuous = true,
                                 .restitution_threshold = 1.0,
                                 .hit_threshold = 1.0};
}

carom_value *carom_world_create_args(const char *world, const carom_world_options *options)
{
    carom_value *args = world_args(world);
    if (options == NULL) {
        return args;
    }
    carom_world_options defaults = carom_world_options_default();
    bool all = options->scene == NULL; // a scene has settings of its own
    if (all || options->gravity.x != defaults.gravity.x ||
        options->gravity.y != defaults.gravity.y) {
        carom_set(args, "gravity", vec_value(options->gravity));
    }
    if (all || options->hz != defaults.hz) {
        carom_set(args, "hz", carom_real(options->hz));
    }
    if (all || options->substeps != defaults.substeps) {
        carom_set(args, "substeps", carom_int(options->substeps));
    }
    carom_set(args, "paused", carom_bool(options->paused));
    if (all || options->sleep != defaults.sleep) {
        carom_set(args, "sleep", carom_bool(options->sleep));
    }
    if (options->continuous != defaults.continuous) {
        carom_set(args, "continuous", carom_bool(options->continuous));
    }
    if (options->restitution_threshold != defaults.restitution_threshold) {
        carom_set(args, "restitution_threshold", carom_real(options->restitution_threshold));
    }
    if (options->hit_threshold != defaults.hit_threshold) {
        carom_set(args, "hit_threshold", carom_real(options->hit_threshold));
    }
    if (options->bodies_max > 0) {
        carom_set(args, "max_bodies", carom_uint(options->bodies_max));
    }
    if (options->scene != NULL) {
        carom_set(args, "scene", carom_str(options->scene));
    }
    return args;
}

carom_status carom_world_create(carom_client *client, const char *world,
                                const carom_world_options *options, int timeout_ms, uint64_t *tick,
                                carom_error *err)
{
    carom_value *args = carom_world_create_args(world, options);
    return call_command(client, "world.create", args, timeout_ms, tick, err);
}

carom_status carom_world_destroy(carom_client *client, const char *world, int timeout_ms,
                                 carom_error *err)
{
    return call_command(client, "world.destroy", world_args(world), timeout_ms, NULL, err);
}

carom_status carom_world_pause(carom_client *client, const char *world, int timeout_ms,
                               uint64_t *tick, carom_error *err)
{
    return call_command(client, "world.pause", world_args(world), timeout_ms, tick, err);
}

carom_status carom_world_resume(carom_client *client, const char *world, int timeout_ms,
                                uint64_t *tick, carom_error *err)
{
    return call_command(client, "world.resume", world_args(world), timeout_ms, tick, err);
}

carom_status carom_world_step(carom_client *client, const char *world, uint64_t ticks,
                              int timeout_ms, uint64_t *tick, carom_error *err)
{
    carom_value *args = carom_set(world_args(world), "ticks", carom_uint(ticks));
    return call_command(client, "world.step", args, timeout_ms, tick, err);
}

carom_status carom_world_set_gravity(carom_client *client, const char *world, carom_vec2 gravity,
                                     int timeout_ms, uint64_t *tick, carom_error *err)
{
    carom_value *args = carom_set(world_args(world), "gravity", vec_value(gravity));
    return call_command(client, "world.set", args, timeout_ms, tick, err);
}

static carom_world_info read_info(const carom_value *result)
{
    carom_world_info info = {
        .tick = carom_get_uint(result, "tick", 0),
        .time = carom_get_real(result, "time", 0.0),
        .hz = carom_get_real(result, "hz", 0.0),
        .bodies = carom_get_uint(result, "bodies", 0),
        .awake = carom_get_uint(result, "awake", 0),
        .shapes = carom_get_uint(result, "shapes", 0),
        .joints = carom_get_uint(result, "joints", 0),
        .contacts = carom_get_uint(result, "contacts", 0),
        .subscribers = carom_get_uint(result, "subscribers", 0),
        .frozen = carom_get_uint(result, "frozen", 0),
        .paused = carom_get_bool(result, "paused", false),
        .step_ms = carom_get_real(result, "step_ms", 0.0),
    };
    size_t size;
    const void *hash = carom_as_bytes(carom_value_get(result, "hash"), &size);
    if (hash != NULL && size == sizeof info.hash) {
        info.has_hash = true;
        memcpy(info.hash, hash, size);
    }
    return info;
}

carom_status carom_world_get_info(carom_client *client, const char *world, int timeout_ms,
                                  carom_world_info *out, carom_error *err)
{
    carom_value *args = world_args(world);
    carom_value *result = NULL;
    carom_status outcome = carom_call(client, "world.info", args, timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        *out = read_info(result);
    }
    carom_value_free(result);
    carom_value_free(args);
    return outcome;
}
