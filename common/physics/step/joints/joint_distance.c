// Distance joint: rod, rope, spring and winch between two anchors.
//
// The coordinate is the anchors' distance l along u from a to b. A rod keeps l at its length
// rigidly; with `hertz` a spring does so instead, and with only limits l is free between them. If
// the anchors coincide there is no direction, and the joint does not act.
#include "common/physics/step/joints/joint_single.h"

static bool is_rod(const single_joint *j)
{
    const joint_settings *s = j->settings;
    bool motor = (j->record->flags & JOINT_FLAG_MOTOR) != 0;
    return !(s->hertz > 0.0f) && !(s->lower > -INFINITY) && !(s->upper < INFINITY) && !motor;
}

static float total_along(const single_joint *j)
{
    return j->record->impulses.linear.x + drive_total(&j->record->impulses) +
           j->record->impulses.motor;
}

static void warm_start(physics_world *world, single_joint *j)
{
    joint_pair p = pair_read(world, j);
    float length;
    vec2 along = vec2_normalize(p.separation, &length);
    pair_push_at(&p, &j->scratch, vec2_scale(total_along(j), along), p.arm_a, p.arm_b);
    pair_write(world, j, &p);
}

static void solve(physics_world *world, single_joint *j, bool use_bias)
{
    joint_scratch *s = &j->scratch;
    joint_pair p = pair_read(world, j);
    float length;
    vec2 along = vec2_normalize(p.separation, &length);
    float inverse_mass = inverse_mass_along(s, p.arm_a, p.arm_b, along);
    if (!(length > 0.0f) || !(inverse_mass > 0.0f)) {
        return;
    }
    drive d = {.position = length,
               .rate = vec2_dot(along, pair_velocity(&p, p.arm_a, p.arm_b)),
               .inverse_mass = inverse_mass,
               .rest = j->record->length,
               .motor = true,
               .max = j->settings->max_force};
    float impulse = joint_drive(world, j, d, use_bias);
    if (is_rod(j)) {
        float rate = d.rate + impulse * inverse_mass;
        impulse += soft_impulse(softness_pass(j, use_bias), 1.0f / inverse_mass,
                                length - j->record->length, rate, &j->record->impulses.linear.x);
    } else {
        j->record->impulses.linear.x = 0.0f;
    }
    pair_push_at(&p, s, vec2_scale(impulse, along), p.arm_a, p.arm_b);
    pair_write(world, j, &p);
}

static void reaction(const physics_world *world, const single_joint *j, vec2 *force, float *torque)
{
    joint_pair p = pair_read(world, j);
    float length;
    *force = vec2_scale(total_along(j), vec2_normalize(p.separation, &length));
    *torque = 0.0f;
}

const joint_methods distance_methods = {joint_prepare_common, warm_start, solve, reaction};
