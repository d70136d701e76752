// Decoders of query.overlap, and of the arguments that all queries share; see decode.h. Any thread,
// one decoder each.
#include "proto/commands/decode.h"

void decode_query_filter(const arguments *a, query_filter *out)
{
    *out = (query_filter){.filter = {.category = UINT64_MAX, .mask = UINT64_MAX}};
    decode_filter(a, &METHOD_QUERY_FILTER, &out->filter);
    arguments_id(a, "ignore", METHOD_BODY_SPAWN, &out->ignore);
    arguments_bool(a, "sensors", &out->sensors);
}

bool decode_form_argument(const arguments *a, const char *name, shape_geometry *out)
{
    const msgpack_object *shape = arguments_value(a, name);
    if (shape != NULL) {
        place where = arguments_place(a, name);
        decode_form(a->decoder, shape, &where, out);
    }
    return shape != NULL;
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
    decode_form_argument(a, "shape", &out->shape);
    decode_query_filter(a, &out->filter);
}
