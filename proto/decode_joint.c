#include "proto/decode.h"

// What joint.create and joint.set share. Returns bits of joint_field for what was given.
static uint32_t joint_motion_read(const arguments *a, joint_args *out)
{
    const struct {
        bool given;
        joint_field field;
    } fields[] = {
        {arguments_number(a, "length", &out->length), JOINT_FIELD_LENGTH},
        {arguments_number(a, "lower", &out->lower), JOINT_FIELD_LOWER},
        {arguments_number(a, "upper", &out->upper), JOINT_FIELD_UPPER},
        {arguments_number(a, "motor_speed", &out->motor_speed), JOINT_FIELD_MOTOR_SPEED},
        {arguments_number(a, "max_torque", &out->max_torque), JOINT_FIELD_MAX_TORQUE},
        {arguments_number(a, "max_force", &out->max_force), JOINT_FIELD_MAX_FORCE},
        {arguments_number(a, "hertz", &out->hertz), JOINT_FIELD_HERTZ},
        {arguments_number(a, "damping_ratio", &out->damping_ratio), JOINT_FIELD_DAMPING_RATIO},
        {arguments_vector(a, "target", &out->target), JOINT_FIELD_TARGET},
        {arguments_number(a, "ratio", &out->ratio), JOINT_FIELD_RATIO},
        {arguments_number(a, "break_force", &out->break_force), JOINT_FIELD_BREAK_FORCE},
        {arguments_number(a, "break_torque", &out->break_torque), JOINT_FIELD_BREAK_TORQUE},
        {arguments_bool(a, "collide_connected", &out->collide_connected),
         JOINT_FIELD_COLLIDE_CONNECTED},
    };
    uint32_t given = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        given |= fields[i].given ? (uint32_t)fields[i].field : 0;
    }
    const uint32_t limits = JOINT_FIELD_LOWER | JOINT_FIELD_UPPER;
    if ((given & limits) == limits && out->lower > out->upper) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "lower must be at most upper, got %.10g and %.10g", out->lower, out->upper);
    }
    return given;
}

static uint32_t joint_places_read(const arguments *a, joint_args *out)
{
    const struct {
        bool given;
        joint_field field;
    } fields[] = {
        {arguments_vector(a, "anchor", &out->anchor), JOINT_FIELD_ANCHOR},
        {arguments_vector(a, "anchor_a", &out->anchor_a), JOINT_FIELD_ANCHOR_A},
        {arguments_vector(a, "anchor_b", &out->anchor_b), JOINT_FIELD_ANCHOR_B},
        {arguments_vector(a, "axis", &out->axis), JOINT_FIELD_AXIS},
        {arguments_vector(a, "ground_a", &out->ground_a), JOINT_FIELD_GROUND_A},
        {arguments_vector(a, "ground_b", &out->ground_b), JOINT_FIELD_GROUND_B},
    };
    uint32_t given = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        given |= fields[i].given ? (uint32_t)fields[i].field : 0;
    }
    if ((given & JOINT_FIELD_ANCHOR) != 0 &&
        (given & (JOINT_FIELD_ANCHOR_A | JOINT_FIELD_ANCHOR_B)) != 0) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "give anchor, or anchor_a and anchor_b, not both");
    }
    if ((given & JOINT_FIELD_AXIS) != 0 && out->axis.x == 0.0 && out->axis.y == 0.0) {
        place where = arguments_place(a, "axis");
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, &where, "[0, 0] is no direction");
    }
    return given;
}

void decode_joint_create(const arguments *a, joint_args *out)
{
    uint32_t kind = JOINT_REVOLUTE;
    *out = (joint_args){0};
    arguments_choice(a, "kind", &kind);
    out->kind = (joint_kind)kind;
    arguments_id(a, "a", METHOD_BODY_SPAWN, &out->a);
    arguments_id(a, "b", METHOD_BODY_SPAWN, &out->b);
    if (out->a == out->b) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "a and b must be two different bodies");
    }
    out->fields = joint_places_read(a, out);
    out->fields |= joint_motion_read(a, out);
}

void decode_joint_set(const arguments *a, joint_args *out)
{
    *out = (joint_args){0};
    arguments_id(a, "joint", METHOD_JOINT_CREATE, &out->joint);
    out->fields = joint_motion_read(a, out);
    if (out->fields == 0) {
        decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, a->where,
                     "nothing to set; give motor_speed, target or another property");
    }
}
