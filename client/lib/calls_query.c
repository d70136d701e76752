// Typed helpers for queries. One thread at a time for a client.
#include <carom/query.h>

#include "client/lib/answers.h"

static void set_options(carom_value *args, const carom_query_options *options)
{
    if (options == NULL) {
        return;
    }
    set_bool(args, "sensors", options->sensors, false);
    if (options->ignore != 0) {
        carom_set(args, "ignore", carom_uint(options->ignore));
    }
    if (options->has_filter) {
        carom_set(args, "filter", filter_value(options->category, options->mask, options->group));
    }
    if (options->has_at) {
        carom_set(args, "at", carom_real(options->at));
    }
}

// The list in an answer: the answer itself or, for a tick of the past, its value under `key`.
static const carom_value *list_in(const carom_value *result, const char *key)
{
    return carom_value_type(result) == CAROM_MAP ? carom_value_get(result, key) : result;
}

// ---- hits

static carom_status call_hits(carom_client *client, const char *world, const char *method,
                              carom_value *args, const carom_query_options *options,
                              carom_hit *hits, size_t max, int timeout_ms, size_t *count,
                              carom_error *err)
{
    if (hits == NULL && max > 0) {
        carom_value_free(args);
        return fault_missing(err, "hits");
    }
    set_options(args, options);
    if (options != NULL) {
        set_bool(args, "all", options->all, false);
    }
    carom_value *result = NULL;
    carom_status outcome = call_answer(client, world, method, args, timeout_ms, &result, err);
    const carom_value *list = list_in(result, "hits");
    size_t told = carom_value_count(list);
    for (size_t i = 0; i < told && i < max; i++) {
        hits[i] = (carom_hit){0};
        read_hit(carom_value_at(list, i), &hits[i]);
    }
    if (outcome == CAROM_OK && count != NULL) {
        *count = told;
    }
    carom_value_free(result);
    return outcome;
}

static carom_value *path_args(const char *world, carom_vec2 from, carom_vec2 to)
{
    return carom_set(carom_set(world_args(world), "from", vec_value(from)), "to", vec_value(to));
}

carom_status carom_query_ray(carom_client *client, const char *world, carom_vec2 from,
                             carom_vec2 to, const carom_query_options *options, carom_hit *hits,
                             size_t max, int timeout_ms, size_t *count, carom_error *err)
{
    return call_hits(client, world, "query.ray", path_args(world, from, to), options, hits, max,
                     timeout_ms, count, err);
}

carom_status carom_query_cast(carom_client *client, const char *world, const carom_shape *shape,
                              carom_vec2 from, carom_vec2 to, const carom_query_options *options,
                              carom_hit *hits, size_t max, int timeout_ms, size_t *count,
                              carom_error *err)
{
    if (shape == NULL) {
        return fault_missing(err, "shape");
    }
    carom_value *args = carom_set(path_args(world, from, to), "shape", shape_form_value(shape));
    return call_hits(client, world, "query.cast", args, options, hits, max, timeout_ms, count, err);
}

// ---- bodies

static carom_status call_bodies(carom_client *client, const char *world, carom_value *args,
                                const carom_query_options *options, uint64_t *bodies, size_t max,
                                int timeout_ms, size_t *count, carom_error *err)
{
    if (bodies == NULL && max > 0) {
        carom_value_free(args);
        return fault_missing(err, "bodies");
    }
    set_options(args, options);
    carom_value *result = NULL;
    carom_status outcome =
        call_answer(client, world, "query.overlap", args, timeout_ms, &result, err);
    const carom_value *list = list_in(result, "bodies");
    size_t told = carom_value_count(list);
    for (size_t i = 0; i < told && i < max; i++) {
        bodies[i] = carom_as_uint(carom_value_at(list, i), 0);
    }
    if (outcome == CAROM_OK && count != NULL) {
        *count = told;
    }
    carom_value_free(result);
    return outcome;
}

carom_status carom_query_area(carom_client *client, const char *world, const double area[4],
                              const carom_query_options *options, uint64_t *bodies, size_t max,
                              int timeout_ms, size_t *count, carom_error *err)
{
    if (area == NULL) {
        return fault_missing(err, "area");
    }
    return call_bodies(client, world, carom_set(world_args(world), "area", area_value(area)),
                       options, bodies, max, timeout_ms, count, err);
}

carom_status carom_query_overlap(carom_client *client, const char *world, const carom_shape *shape,
                                 const carom_query_options *options, uint64_t *bodies, size_t max,
                                 int timeout_ms, size_t *count, carom_error *err)
{
    if (shape == NULL) {
        return fault_missing(err, "shape");
    }
    return call_bodies(client, world,
                       carom_set(world_args(world), "shape", shape_form_value(shape)), options,
                       bodies, max, timeout_ms, count, err);
}

carom_status carom_query_point(carom_client *client, const char *world, carom_vec2 point,
                               const carom_query_options *options, uint64_t *bodies, size_t max,
                               int timeout_ms, size_t *count, carom_error *err)
{
    return call_bodies(client, world, carom_set(world_args(world), "point", vec_value(point)),
                       options, bodies, max, timeout_ms, count, err);
}

carom_status carom_query_nearest(carom_client *client, const char *world, carom_vec2 point,
                                 double radius, const carom_query_options *options, int timeout_ms,
                                 carom_nearest *out, carom_error *err)
{
    if (out == NULL) {
        return fault_missing(err, "out");
    }
    carom_value *args = carom_set(world_args(world), "point", vec_value(point));
    set_real(args, "radius", radius, 0.0);
    set_options(args, options);
    carom_value *result = NULL;
    carom_status outcome =
        call_answer(client, world, "query.nearest", args, timeout_ms, &result, err);
    if (outcome == CAROM_OK) {
        *out = (carom_nearest){.found = carom_get_uint(result, "body", 0) != 0};
        read_near(result, out);
    }
    carom_value_free(result);
    return outcome;
}
