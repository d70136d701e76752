// Typed helpers for the server and its worlds. One thread at a time for a client.
#include <carom/world.h>

#include <string.h>

#include "client/lib/answers.h"
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
    return (carom_world_options){.exact = true,
                                 .gravity = {0.0, -9.81},
                                 .hz = 60.0,
                                 .substeps = 4,
                                 .sleep = true,
                                 .continuous = true,
                                 .restitution_threshold = 0.5,
                                 .hit_threshold = 1.0,
                                 .sleep_speed = 0.05};
}

// The options with all defaults filled in, whether the caller began with the default function or
// with zeros.
static carom_world_options complete(const carom_world_options *options)
{
    carom_world_options all = carom_world_options_default();
    if (options == NULL) {
        return all;
    }
    carom_world_options o = *options;
    if (o.exact) {
        return o;
    }
    o.exact = o.sleep = o.continuous = true;
    o.gravity = o.gravity.x == 0.0 && o.gravity.y == 0.0 ? all.gravity : o.gravity;
    o.hz = o.hz == 0.0 ? all.hz : o.hz;
    o.substeps = o.substeps == 0 ? all.substeps : o.substeps;
    o.restitution_threshold =
        o.restitution_threshold == 0.0 ? all.restitution_threshold : o.restitution_threshold;
    o.hit_threshold = o.hit_threshold == 0.0 ? all.hit_threshold : o.hit_threshold;
    o.sleep_speed = o.sleep_speed == 0.0 ? all.sleep_speed : o.sleep_speed;
    return o;
}

carom_value *carom_world_create_args(const char *world, const carom_world_options *given)
{
    carom_value *args = world_args(world);
    if (given == NULL) {
        return args;
    }
    const carom_world_options completed = complete(given);
    const carom_world_options *options = &completed;
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
    if (options->sleep_speed != defaults.sleep_speed) {
        carom_set(args, "sleep_speed", carom_real(options->sleep_speed));
    }
    if (options->bodies_max > 0) {
        carom_set(args, "max_bodies", carom_uint(options->bodies_max));
    }
    if (options->scene != NULL) {
        carom_set(args, "scene", carom_str(options->scene));
    }
    set_bool(args, "if_absent", options->if_absent, false);
    if (options->ends_with_session) {
        carom_set(args, "lifetime", carom_str("session"));
    }
    return args;
}

carom_status carom_world_create(carom_client *client, const char *world,
                                const carom_world_options *options, int timeout_ms, uint64_t *tick,
                                carom_error *err)
{
    carom_value *args = carom_world_create_args(world, options);
    return call_command(client, world, "world.create", args, timeout_ms, tick, err);
}

carom_status carom_world_ensure(carom_client *client, const char *world,
                                const carom_world_options *options, int timeout_ms, bool *created,
                                uint64_t *tick, carom_error *err)
{
    carom_value *args = carom_world_create_args(world, options);
    carom_set(args, "if_absent", carom_bool(true));
    carom_value *result = NULL;
    carom_status outcome =
        call_answer(client, world, "world.create", args, timeout_ms, &result, err);
    if (outcome == CAROM_OK && created != NULL) {
        *created = carom_get_bool(result, "created", true);
    }
    if (outcome == CAROM_OK && tick != NULL) {
        *tick = carom_get_uint(result, "tick", 0);
    }
    carom_value_free(result);
    return outcome;
}

carom_status carom_world_destroy(carom_client *client, const char *world, int timeout_ms,
                                 carom_error *err)
{
    return call_command(client, world, "world.destroy", world_args(world), timeout_ms, NULL, err);
}

carom_status carom_world_step(carom_client *client, const char *world, uint64_t ticks,
                              int timeout_ms, uint64_t *tick, carom_error *err)
{
    carom_value *args = carom_set(world_args(world), "ticks", carom_uint(ticks));
    return call_command(client, world, "world.step", args, timeout_ms, tick, err);
}

carom_status carom_world_set_gravity(carom_client *client, const char *world, carom_vec2 gravity,
                                     int timeout_ms, uint64_t *tick, carom_error *err)
{
    carom_value *args = carom_set(world_args(world), "gravity", vec_value(gravity));
    return call_command(client, world, "world.set", args, timeout_ms, tick, err);
}

static carom_world_info read_info(const carom_value *result)
{
    carom_world_info info = {0};
    read_world(result, &info);
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
    if (out == NULL) {
        return fault_missing(err, "out");
    }
    carom_value *result = NULL;
    carom_status outcome =
        call_answer(client, world, "world.info", world_args(world), timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        *out = read_info(result);
    }
    carom_value_free(result);
    return outcome;
}

carom_status carom_world_contacts(carom_client *client, const char *world, uint64_t body,
                                  carom_contact *contacts, size_t max, int timeout_ms,
                                  size_t *count, carom_error *err)
{
    if (contacts == NULL && max > 0) {
        return fault_missing(err, "contacts");
    }
    carom_value *args = body == 0 ? world_args(world) : id_args(world, "body", body);
    carom_value *result = NULL;
    carom_status outcome =
        call_answer(client, world, "world.contacts", args, timeout_ms, &result, err);
    const carom_value *list =
        carom_value_type(result) == CAROM_MAP ? carom_value_get(result, "contacts") : result;
    size_t told = carom_value_count(list);
    for (size_t i = 0; i < told && i < max; i++) {
        read_contact_value(carom_value_at(list, i), &contacts[i]);
    }
    if (outcome == CAROM_OK && count != NULL) {
        *count = told;
    }
    carom_value_free(result);
    return outcome;
}

// ---- the server

carom_status carom_server_sessions(carom_client *client, int timeout_ms, carom_value **sessions,
                                   carom_error *err)
{
    if (sessions == NULL) {
        return fault_missing(err, "sessions");
    }
    carom_value *result = NULL;
    carom_status outcome = carom_call(client, "server.sessions", NULL, timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        *sessions = carom_value_take(result, "sessions");
        if (*sessions == NULL) {
            outcome = fault_set(err, CAROM_INTERNAL, "the server's answer names no sessions");
        }
    }
    carom_value_free(result);
    return outcome;
}
