// Decoders of joint.create and joint.set; see decode.h. A mask of joint_field notes which arguments
// were given. Any thread, one decoder each.
#include "proto/commands/decode.h"

// Sets the bits of those that were given.
typedef struct given_field {
    bool given;
    joint_field field;
} given_field;

static void fields_add(uint32_t *fields, const given_field *given, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *fields |= given[i].given ? (uint32_t)given[i].field : 0;
    }
}

static void joint_fixed_read(const arguments *a, joint_def *out)
{
    const given_field given[] = {
        {arguments_vector(a, "anchor", &out->anchor), JOINT_FIELD_ANCHOR},
        {arguments_vector(a, "anchor_a", &out->anchor_a), JOINT_FIELD_ANCHOR_A},
        {arguments_vector(a, "anchor_b", &out->anchor_b), JOINT_FIELD_ANCHOR_B},
        {arguments_vector_float(a, "axis", &out->axis), JOINT_FIELD_AXIS},
        {arguments_number(a, "reference_angle", &out->reference_angle),
         JOINT_FIELD_REFERENCE_ANGLE},
        {arguments_id(a, "joint_a", METHOD_JOINT_CREATE, &out->joint_a), JOINT_FIELD_JOINT_A},
        {arguments_id(a, "joint_b", METHOD_JOINT_CREATE, &out->joint_b), JOINT_FIELD_JOINT_B},
        {arguments_vector(a, "ground_a", &out->ground_a), JOINT_FIELD_GROUND_A},
        {arguments_vector(a, "ground_b", &out->ground_b), JOINT_FIELD_GROUND_B},
        {arguments_number(a, "ratio", &out->ratio), JOINT_FIELD_RATIO},
        {arguments_bool(a, "collide_connected", &out->collide_connected),
         JOINT_FIELD_COLLIDE_CONNECTED},
    };
    fields_add(&out->fields, given, sizeof given / sizeof *given);
}

static void joint_settable_read(const arguments *a, joint_def *out)
{
    const given_field given[] = {
        {arguments_number(a, "length", &out->length), JOINT_FIELD_LENGTH},
        {arguments_number(a, "lower", &out->lower), JOINT_FIELD_LOWER},
        {arguments_number(a, "upper", &out->upper), JOINT_FIELD_UPPER},
        {arguments_number(a, "motor_speed", &out->motor_speed), JOINT_FIELD_MOTOR_SPEED},
        {arguments_number(a, "max_force", &out->max_force), JOINT_FIELD_MAX_FORCE},
        {arguments_number(a, "max_torque", &out->max_torque), JOINT_FIELD_MAX_TORQUE},
        {arguments_number(a, "hertz", &out->hertz), JOINT_FIELD_HERTZ},
        {arguments_number(a, "damping_ratio", &out->damping_ratio), JOINT_FIELD_DAMPING_RATIO},
        {arguments_number(a, "angular_hertz", &out->angular_hertz), JOINT_FIELD_ANGULAR_HERTZ},
        {arguments_number(a, "angular_damping_ratio", &out->angular_damping_ratio),
         JOINT_FIELD_ANGULAR_DAMPING_RATIO},
        {arguments_vector(a, "target", &out->target), JOINT_FIELD_TARGET},
        {arguments_number(a, "target_angle", &out->target_angle), JOINT_FIELD_TARGET_ANGLE},
        {arguments_number(a, "target_translation", &out->target_translation),
         JOINT_FIELD_TARGET_TRANSLATION},
        {arguments_vector_float(a, "velocity", &out->velocity), JOINT_FIELD_VELOCITY},
        {arguments_number(a, "break_force", &out->break_force), JOINT_FIELD_BREAK_FORCE},
        {arguments_number(a, "break_torque", &out->break_torque), JOINT_FIELD_BREAK_TORQUE},
    };
    fields_add(&out->fields, given, sizeof given / sizeof *given);
}

// That a kind has no use for a field, or misses one, is for the engine to say.
void decode_joint_create(const arguments *a, joint_args *out)
{
    uint32_t kind = JOINT_REVOLUTE;
    arguments_choice(a, "kind", &kind);
    *out = (joint_args){.def = joint_def_default((joint_kind)kind)};
    out->def.fields = 0;
    arguments_id(a, "a", METHOD_BODY_SPAWN, &out->def.a);
    arguments_id(a, "b", METHOD_BODY_SPAWN, &out->def.b);
    joint_fixed_read(a, &out->def);
    joint_settable_read(a, &out->def);
}

void decode_joint_set(const arguments *a, joint_args *out)
{
    *out = (joint_args){.def = joint_def_default(JOINT_REVOLUTE)};
    out->def.fields = 0;
    arguments_id(a, "joint", METHOD_JOINT_CREATE, &out->joint);
    joint_settable_read(a, &out->def);
    if (out->def.fields == 0) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "nothing to set; give motor_speed, target or another property");
    }
}
