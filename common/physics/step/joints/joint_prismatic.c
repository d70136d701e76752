// Prismatic joint: b slides along an axis of a without rotating relative to a.
//
// With d from anchor a to anchor b and the axis u, which rotates with a: across it, n · d = 0, and
// the angle of b relative to a is 0: one block of two equations. Along it, spring, motor and limits
// act on u · d. The rate of n · d and u · d is that of b's anchor relative to the point of a at the
// same place, so all impulses act on a at arm r_a + d.
#include "common/physics/step/joints/joint_single.h"

static vec2 current_axis(const physics_world *world, const single_joint *j)
{
    return rot_vec(world->states.data[j->record->body_a].delta_rotation, j->scratch.axis);
}

// The impulse on b in the world, without the angular part.
static vec2 total_impulse(const single_joint *j, vec2 axis)
{
    float along = drive_total(&j->record->impulses) + j->record->impulses.motor;
    return vec2_mul_add(vec2_scale(along, axis), j->record->impulses.linear.x, vec2_left(axis));
}

static void warm_start(physics_world *world, single_joint *j)
{
    joint_pair p = pair_read(world, j);
    vec2 impulse = total_impulse(j, current_axis(world, j));
    pair_push_at(&p, &j->scratch, impulse, vec2_add(p.arm_a, p.separation), p.arm_b);
    pair_turn(&p, &j->scratch, j->record->impulses.angular);
    pair_write(world, j, &p);
}

static void solve(physics_world *world, single_joint *j, bool use_bias)
{
    joint_scratch *s = &j->scratch;
    if (!use_bias) {
        joint_see_turn(world, j->record->body_a, j->record->body_b, &s->seen, &s->turned);
    }
    joint_pair p = pair_read(world, j);
    vec2 axis = current_axis(world, j);
    vec2 across = vec2_left(axis);
    vec2 arm_a = vec2_add(p.arm_a, p.separation);

    drive d = {.position = vec2_dot(axis, p.separation),
               .rate = vec2_dot(axis, pair_velocity(&p, arm_a, p.arm_b)),
               .inverse_mass = inverse_mass_along(s, arm_a, p.arm_b, axis),
               .rest = j->settings->target_translation,
               .motor = true,
               .max = j->settings->max_force};
    if (d.inverse_mass > 0.0f) {
        pair_push_at(&p, s, vec2_scale(joint_drive(world, j, d, use_bias), axis), arm_a, p.arm_b);
    }

    float a = vec2_cross(arm_a, across);
    float b = vec2_cross(p.arm_b, across);
    float turning = s->inv_inertia_a + s->inv_inertia_b;
    sym22 k = {inverse_mass_along(s, arm_a, p.arm_b, across),
               s->inv_inertia_a * a + s->inv_inertia_b * b,
               // neither rotates: the second equation is satisfied anyway
               turning > 0.0f ? turning : 1.0f};
    vec2 c = {vec2_dot(across, p.separation), s->angle + s->turned};
    vec2 rate = {vec2_dot(across, pair_velocity(&p, arm_a, p.arm_b)), p.spin_b - p.spin_a};
    if (!(turning > 0.0f)) {
        c.y = rate.y = 0.0f;
    }
    vec2 total = {j->record->impulses.linear.x, j->record->impulses.angular};
    vec2 impulse = point_impulse(softness_pass(j, use_bias), k, c, rate, &total);
    j->record->impulses.linear.x = total.x;
    j->record->impulses.angular = total.y;
    pair_push_at(&p, s, vec2_scale(impulse.x, across), arm_a, p.arm_b);
    pair_turn(&p, s, impulse.y);
    pair_write(world, j, &p);
}

static void reaction(const physics_world *world, const single_joint *j, vec2 *force, float *torque)
{
    *force = total_impulse(j, current_axis(world, j));
    *torque = j->record->impulses.angular;
}

const joint_methods prismatic_methods = {joint_prepare_common, warm_start, solve, reaction};
