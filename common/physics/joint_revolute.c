// Revolute joint: a point of each body is the same point.
//
// C = p_b - p_a; Ċ is the relative velocity midway between the two, where the impulse acts too: one
// block of two equations. The angle of b from a, its whole turns counted from step to step, bears
// spring, motor and limits.
#include "common/physics/joint_internal.h"

static void prepare(physics_world *world, joint *j)
{
    joint_prepare_common(world, j);
    // Only the turns are carried over; where the angle is within them, the rotations say.
    j->angle = joint_unwrap((double)j->scratch.angle, j->angle);
}

static void warm_start(physics_world *world, joint *j)
{
    joint_pair p = pair_read_midway(world, j);
    pair_push_at(&p, &j->scratch, j->impulses.linear, p.arm_a, p.arm_b);
    pair_turn(&p, &j->scratch, drive_total(&j->impulses) + j->impulses.motor);
    pair_write(world, j, &p);
}

static void solve(physics_world *world, joint *j, bool use_bias)
{
    joint_scratch *s = &j->scratch;
    if (!use_bias) {
        joint_count_turns(world, j);
    }
    joint_pair p = pair_read_midway(world, j);
    float inverse_mass = s->inv_inertia_a + s->inv_inertia_b;
    if (inverse_mass > 0.0f) {
        drive d = {.position = (float)j->angle,
                   .rate = p.spin_b - p.spin_a,
                   .inverse_mass = inverse_mass,
                   .rest = j->settings.target_angle,
                   .motor = true,
                   .max = j->settings.max_torque};
        pair_turn(&p, s, joint_drive(world, j, d, use_bias));
    }
    vec2 impulse =
        point_impulse(softness_pass(j, use_bias), point_inverse_mass(s, p.arm_a, p.arm_b),
                      p.separation, pair_velocity(&p, p.arm_a, p.arm_b), &j->impulses.linear);
    pair_push_at(&p, s, impulse, p.arm_a, p.arm_b);
    pair_write(world, j, &p);
}

static void reaction(const physics_world *world, const joint *j, vec2 *force, float *torque)
{
    (void)world;
    *force = j->impulses.linear;
    *torque = drive_total(&j->impulses) + j->impulses.motor;
}

const joint_methods revolute_methods = {prepare, warm_start, solve, reaction};
