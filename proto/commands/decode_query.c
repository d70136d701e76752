// Decoders of the queries' arguments; see decode.h. Any thread, one decoder each.
#include "proto/commands/decode.h"

// Reads the filter that all queries share.
static void query_filter_read(const arguments *a, query_filter *out)
{
    *out = (query_filter){.filter = {.category = UINT64_MAX, .mask = UINT64_MAX}};
    decode_filter(a, &METHOD_QUERY_FILTER, &out->filter);
    arguments_id(a, "ignore", METHOD_BODY_SPAWN, &out->ignore);
    arguments_bool(a, "sensors", &out->sensors);
}

void decode_ray(const arguments *a, query_ray_args *out)
{
    *out = (query_ray_args){0};
    arguments_vector(a, "from", &out->from);
    arguments_vector(a, "to", &out->to);
    arguments_bool(a, "all", &out->all);
    query_filter_read(a, &out->filter);
}

static void form_argument(const arguments *a, shape_geometry *out)
{
    const msgpack_object *shape = arguments_value(a, "shape");
    if (shape != NULL) {
        place where = arguments_place(a, "shape");
        decode_form(a->decoder, shape, &where, out);
    }
}

void decode_overlap(const arguments *a, query_overlap_args *out)
{
    const bool in_area = arguments_given(a, "area");
    const bool in_shape = arguments_given(a, "shape");
    const bool at_point = arguments_given(a, "point");
    *out = (query_overlap_args){.of = in_area    ? OVERLAP_AREA
                                      : in_shape ? OVERLAP_SHAPE
                                                 : OVERLAP_POINT};
    if ((int)in_area + (int)in_shape + (int)at_point != 1) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "give exactly one of area, shape and point");
    }
    arguments_area(a, "area", &out->area);
    arguments_vector(a, "point", &out->point);
    form_argument(a, &out->shape);
    query_filter_read(a, &out->filter);
}

void decode_cast(const arguments *a, query_cast_args *out)
{
    *out = (query_cast_args){0};
    form_argument(a, &out->shape);
    arguments_vector(a, "from", &out->from);
    arguments_vector(a, "to", &out->to);
    arguments_bool(a, "all", &out->all);
    query_filter_read(a, &out->filter);
}

void decode_nearest(const arguments *a, query_nearest_args *out)
{
    *out = (query_nearest_args){.radius = PHYSICS_EXTENT_MAX};
    arguments_vector(a, "point", &out->point);
    arguments_number(a, "radius", &out->radius);
    query_filter_read(a, &out->filter);
}
