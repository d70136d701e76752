// Mouse joint: a spring of bounded force pulls a point of b to a place in the world.
//
// The spring's mass is that of b at the point, in each direction, so a long body dragged by its end
// follows like a small one.
#include "common/physics/step/joints/joint_single.h"

static void warm_start(physics_world *world, single_joint *j)
{
    joint_pair p = pair_read(world, j);
    pair_push_at(&p, &j->scratch, j->record->impulses.linear, p.arm_a, p.arm_b);
    pair_write(world, j, &p);
}

static void solve(physics_world *world, single_joint *j, bool use_bias)
{
    const joint_scratch *s = &j->scratch;
    bool springs = j->settings->hertz > 0.0f;
    if (springs && !use_bias) {
        return;
    }
    joint_pair p = pair_read(world, j);
    vec2 impulse = bounded_point_impulse(
        springs ? s->spring : softness_pass(j, use_bias), point_inverse_mass(s, p.arm_a, p.arm_b),
        p.separation, pair_velocity(&p, p.arm_a, p.arm_b), world->step.h * j->settings->max_force,
        &j->record->impulses.linear);
    pair_push_at(&p, s, impulse, p.arm_a, p.arm_b);
    pair_write(world, j, &p);
}

static void reaction(const physics_world *world, const single_joint *j, vec2 *force, float *torque)
{
    (void)world;
    *force = j->record->impulses.linear;
    *torque = 0.0f;
}

const joint_methods mouse_methods = {joint_prepare_common, warm_start, solve, reaction};
