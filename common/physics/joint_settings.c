// A joint's settings: copied from a definition into the joint and told again.
#include "common/physics/joint_internal.h"

#include <math.h>

#define F(name) ((uint32_t)JOINT_FIELD_##name)

// Numbers that are as one finds them in both places.
typedef struct number_place {
    uint32_t field;
    size_t in_def, in_settings;
} number_place;

#define PLACE(FIELD, member)                                                                       \
    {                                                                                              \
        F(FIELD), offsetof(joint_def, member), offsetof(joint_settings, member)                    \
    }

static const number_place NUMBERS[] = {
    PLACE(LENGTH, length),
    PLACE(LOWER, lower),
    PLACE(UPPER, upper),
    PLACE(MOTOR_SPEED, motor_speed),
    PLACE(MAX_FORCE, max_force),
    PLACE(MAX_TORQUE, max_torque),
    PLACE(HERTZ, hertz),
    PLACE(DAMPING_RATIO, damping_ratio),
    PLACE(ANGULAR_HERTZ, angular_hertz),
    PLACE(ANGULAR_DAMPING_RATIO, angular_damping_ratio),
    PLACE(TARGET_ANGLE, target_angle),
    PLACE(TARGET_TRANSLATION, target_translation),
    PLACE(RATIO, ratio),
    PLACE(BREAK_FORCE, break_force),
    PLACE(BREAK_TORQUE, break_torque),
};

void joint_settings_apply(joint *j, uint32_t fields, const joint_def *values)
{
    joint_settings *to = &j->settings;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        if ((fields & NUMBERS[i].field) != 0) {
            const double *from = (const double *)((const char *)values + NUMBERS[i].in_def);
            *(float *)((char *)to + NUMBERS[i].in_settings) = (float)*from;
        }
    }
    if ((fields & F(REFERENCE_ANGLE)) != 0) {
        to->reference_angle = values->reference_angle;
    }
    if ((fields & F(TARGET)) != 0) {
        to->target = values->target;
    }
    if ((fields & F(VELOCITY)) != 0) {
        to->velocity = values->velocity;
    }
    if ((fields & F(GROUND_A)) != 0) {
        to->ground_a = values->ground_a;
    }
    if ((fields & F(GROUND_B)) != 0) {
        to->ground_b = values->ground_b;
    }
    if ((fields & (F(MOTOR_SPEED) | F(MAX_FORCE) | F(MAX_TORQUE))) != 0) {
        j->flags |= JOINT_FLAG_MOTOR;
    }
}

void joint_settings_tell(const joint *j, joint_def *out)
{
    const joint_settings *from = &j->settings;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        double *to = (double *)((char *)out + NUMBERS[i].in_def);
        *to = (double)*(const float *)((const char *)from + NUMBERS[i].in_settings);
    }
    out->reference_angle = from->reference_angle;
    out->target = from->target;
    out->velocity = from->velocity;
    out->ground_a = from->ground_a;
    out->ground_b = from->ground_b;
    out->collide_connected = (j->flags & JOINT_FLAG_COLLIDE) != 0;

    uint32_t idle = F(ANCHOR);
    idle |= isfinite(out->lower) ? 0 : F(LOWER);
    idle |= isfinite(out->upper) ? 0 : F(UPPER);
    idle |= out->break_force > 0.0 ? 0 : F(BREAK_FORCE);
    idle |= out->break_torque > 0.0 ? 0 : F(BREAK_TORQUE);
    bool drives = j->kind == JOINT_MOTOR || j->kind == JOINT_MOUSE;
    if (!drives && (j->flags & JOINT_FLAG_MOTOR) == 0) {
        idle |= F(MOTOR_SPEED) | F(MAX_FORCE) | F(MAX_TORQUE);
    }
    if (j->kind == JOINT_DISTANCE && !(out->hertz > 0.0) &&
        (isfinite(out->lower) || isfinite(out->upper) || (j->flags & JOINT_FLAG_MOTOR) != 0)) {
        idle |= F(LENGTH);
    }
    if (j->joint_a == NONE) {
        idle |= F(JOINT_A) | F(JOINT_B);
    }
    out->fields = joint_kind_fields(j->kind) & ~idle;
}

// Distance joints without spring, limits or motor are rods, and a rod has a length.
status joint_check_rod(const joint *j, error *err)
{
    const joint_settings *s = &j->settings;
    bool rod = j->kind == JOINT_DISTANCE && !(s->hertz > 0.0f) && !isfinite(s->lower) &&
               !isfinite(s->upper) && (j->flags & JOINT_FLAG_MOTOR) == 0;
    if (rod && !(s->length >= LINEAR_SLOP)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "length: a rod has at least %g m, got %g",
                         (double)LINEAR_SLOP, (double)s->length);
    }
    return STATUS_OK;
}
