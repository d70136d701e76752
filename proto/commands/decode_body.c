// Decoders of body and shape.add arguments; see decode.h. Any thread, one decoder each.
#include "proto/commands/decode.h"

// Reads the values that body.spawn and body.set share. Returns bits of body_field for what was
// given.
static uint32_t body_values_read(const arguments *a, body_def *out)
{
    uint32_t type = (uint32_t)out->type;
    const struct {
        bool given;
        body_field field;
    } fields[] = {
        {arguments_choice(a, "type", &type), BODY_FIELD_TYPE},
        {arguments_vector(a, "position", &out->position), BODY_FIELD_POSITION},
        {arguments_number(a, "angle", &out->angle), BODY_FIELD_ANGLE},
        {arguments_vector(a, "velocity", &out->velocity), BODY_FIELD_VELOCITY},
        {arguments_number(a, "angular_velocity", &out->angular_velocity),
         BODY_FIELD_ANGULAR_VELOCITY},
        {arguments_number(a, "linear_damping", &out->linear_damping), BODY_FIELD_LINEAR_DAMPING},
        {arguments_number(a, "angular_damping", &out->angular_damping), BODY_FIELD_ANGULAR_DAMPING},
        {arguments_number(a, "gravity_scale", &out->gravity_scale), BODY_FIELD_GRAVITY_SCALE},
        {arguments_bool(a, "fixed_rotation", &out->fixed_rotation), BODY_FIELD_FIXED_ROTATION},
        {arguments_bool(a, "bullet", &out->bullet), BODY_FIELD_BULLET},
        {arguments_bool(a, "allow_sleep", &out->allow_sleep), BODY_FIELD_ALLOW_SLEEP},
        {arguments_bool(a, "awake", &out->awake), BODY_FIELD_AWAKE},
        {arguments_bool(a, "enabled", &out->enabled), BODY_FIELD_ENABLED},
        {arguments_number(a, "mass", &out->mass), BODY_FIELD_MASS},
        {arguments_text(a, "tag", &out->tag), BODY_FIELD_TAG},
    };
    uint32_t given = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        given |= fields[i].given ? (uint32_t)fields[i].field : 0;
    }
    out->type = (body_type)type;
    return given;
}

void decode_body_spawn(const arguments *a, body_spawn_args *out)
{
    decoder *d = a->decoder;
    const msgpack_object *shapes;
    *out = (body_spawn_args){.def = body_def_default()};
    body_values_read(a, &out->def);
    uint32_t word = LIFETIME_NORMAL;
    arguments_choice(a, "lifetime", &word);
    out->lifetime = (lifetime)word;
    arguments_text(a, "owner", &out->owner);
    if (!arguments_array(a, "shapes", &shapes, &out->shape_count)) {
        return;
    }
    out->shapes = command_memory_take(d->memory, out->shape_count, sizeof *out->shapes);
    place list = arguments_place(a, "shapes");
    for (uint32_t i = 0; i < out->shape_count; i++) {
        place element = {&list, NULL, i};
        decode_shape(d, &shapes[i], &element, &out->shapes[i]);
    }
}

void decode_body_set(const arguments *a, body_set_args *out)
{
    *out = (body_set_args){.values = body_def_default()};
    arguments_id(a, "body", METHOD_BODY_SPAWN, &out->body);
    out->fields = body_values_read(a, &out->values);
    bool owned = arguments_text(a, "owner", &out->owner);
    if (out->fields == 0 && !owned) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "nothing to set; give position, velocity or another property");
    }
}

void decode_shape_add(const arguments *a, shape_add_args *out)
{
    *out = (shape_add_args){.def = shape_def_default()};
    arguments_id(a, "body", METHOD_BODY_SPAWN, &out->body);
    const msgpack_object *shape = arguments_value(a, "shape");
    if (shape != NULL) {
        place where = arguments_place(a, "shape");
        decode_shape(a->decoder, shape, &where, &out->def);
    }
}
