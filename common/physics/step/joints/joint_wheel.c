// Wheel joint: b's anchor stays on an axis of a, on which spring and limits act; b rotates freely,
// or the motor drives it.
//
// Like the prismatic joint, but with only the equation across the axis; the motor acts on the
// rotation of b relative to a.
#include "common/physics/step/joints/joint_single.h"

static void prepare(const physics_world *world, single_joint *j)
{
    joint_prepare_common(world, j);
    j->record->angle = joint_unwrap((double)j->scratch.angle, j->record->angle);
}

static vec2 current_axis(const physics_world *world, const single_joint *j)
{
    return rot_vec(world->states.data[j->record->body_a].delta_rotation, j->scratch.axis);
}

static vec2 total_impulse(const single_joint *j, vec2 axis)
{
    return vec2_mul_add(vec2_scale(drive_total(&j->record->impulses), axis),
                        j->record->impulses.linear.x, vec2_left(axis));
}

static void warm_start(physics_world *world, single_joint *j)
{
    joint_pair p = pair_read(world, j);
    vec2 impulse = total_impulse(j, current_axis(world, j));
    pair_push_at(&p, &j->scratch, impulse, vec2_add(p.arm_a, p.separation), p.arm_b);
    pair_turn(&p, &j->scratch, j->record->impulses.motor);
    pair_write(world, j, &p);
}

static void solve(physics_world *world, single_joint *j, bool use_bias)
{
    joint_scratch *s = &j->scratch;
    if (!use_bias) {
        joint_count_turns(world, j);
    }
    joint_pair p = pair_read(world, j);
    vec2 axis = current_axis(world, j);
    vec2 across = vec2_left(axis);
    vec2 arm_a = vec2_add(p.arm_a, p.separation);

    if ((j->record->flags & JOINT_FLAG_MOTOR) != 0) {
        float rate = p.spin_b - p.spin_a - j->settings->motor_speed;
        pair_turn(&p, s,
                  bounded_impulse(SOFTNESS_RELAX, angular_mass(s), 0.0f, rate,
                                  world->step.h * j->settings->max_torque,
                                  &j->record->impulses.motor));
    }
    drive d = {.position = vec2_dot(axis, p.separation),
               .rate = vec2_dot(axis, pair_velocity(&p, arm_a, p.arm_b)),
               .inverse_mass = inverse_mass_along(s, arm_a, p.arm_b, axis),
               .rest = j->settings->target_translation};
    if (d.inverse_mass > 0.0f) {
        pair_push_at(&p, s, vec2_scale(joint_drive(world, j, d, use_bias), axis), arm_a, p.arm_b);
    }
    float mass = inverse_or_zero(inverse_mass_along(s, arm_a, p.arm_b, across));
    float impulse = soft_impulse(softness_pass(j, use_bias), mass, vec2_dot(across, p.separation),
                                 vec2_dot(across, pair_velocity(&p, arm_a, p.arm_b)),
                                 &j->record->impulses.linear.x);
    pair_push_at(&p, s, vec2_scale(impulse, across), arm_a, p.arm_b);
    pair_write(world, j, &p);
}

static void reaction(const physics_world *world, const single_joint *j, vec2 *force, float *torque)
{
    *force = total_impulse(j, current_axis(world, j));
    *torque = j->record->impulses.motor;
}

const joint_methods wheel_methods = {prepare, warm_start, solve, reaction};
