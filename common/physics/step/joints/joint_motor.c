// Motor joint: drives b to a pose or a velocity relative to a, with at most a given force and
// torque.
//
// A spring pulls y, the position of b's anchor relative to a's in the frame of a, to `target`, and
// y has the target velocity `velocity`; the same applies to the angle. Without a spring (0 Hz) only
// the velocity counts. Impulses act on a at b's anchor, so that the momenta of the pair are
// conserved however far apart they are.
#include "common/physics/step/joints/joint_single.h"

static void warm_start(physics_world *world, single_joint *j)
{
    joint_pair p = pair_read(world, j);
    pair_push_at(&p, &j->scratch, j->record->impulses.linear, vec2_add(p.arm_a, p.separation),
                 p.arm_b);
    pair_turn(&p, &j->scratch, j->record->impulses.angular);
    pair_write(world, j, &p);
}

static void drive_angle(const physics_world *world, joint_pair *p, single_joint *j, bool use_bias)
{
    const joint_scratch *s = &j->scratch;
    bool springs = j->settings->angular_hertz > 0.0f;
    if (springs && !use_bias) {
        return;
    }
    float off =
        (float)joint_unwrap((double)(s->angle + s->turned - j->settings->target_angle), 0.0);
    float rate = p->spin_b - p->spin_a - j->settings->motor_speed;
    pair_turn(p, s,
              bounded_impulse(springs ? s->angular_spring : SOFTNESS_RELAX, angular_mass(s), off,
                              rate, world->step.h * j->settings->max_torque,
                              &j->record->impulses.angular));
}

static void drive_place(const physics_world *world, joint_pair *p, single_joint *j, bool use_bias)
{
    const joint_scratch *s = &j->scratch;
    bool springs = j->settings->hertz > 0.0f;
    if (springs && !use_bias) {
        return;
    }
    rot frame = rot_mul(world->states.data[j->record->body_a].delta_rotation, s->rotation_a);
    vec2 target = {(float)j->settings->target.x, (float)j->settings->target.y};
    vec2 arm_a = vec2_add(p->arm_a, p->separation);
    vec2 off = vec2_sub(p->separation, rot_vec(frame, target));
    vec2 rate = vec2_sub(pair_velocity(p, arm_a, p->arm_b), rot_vec(frame, j->settings->velocity));
    vec2 impulse = bounded_point_impulse(
        springs ? s->spring : SOFTNESS_RELAX, point_inverse_mass(s, arm_a, p->arm_b), off, rate,
        world->step.h * j->settings->max_force, &j->record->impulses.linear);
    pair_push_at(p, s, impulse, arm_a, p->arm_b);
}

static void solve(physics_world *world, single_joint *j, bool use_bias)
{
    joint_scratch *s = &j->scratch;
    if (!use_bias) {
        joint_see_turn(world, j->record->body_a, j->record->body_b, &s->seen, &s->turned);
    }
    joint_pair p = pair_read(world, j);
    drive_angle(world, &p, j, use_bias);
    drive_place(world, &p, j, use_bias);
    pair_write(world, j, &p);
}

static void reaction(const physics_world *world, const single_joint *j, vec2 *force, float *torque)
{
    (void)world;
    *force = j->record->impulses.linear;
    *torque = j->record->impulses.angular;
}

const joint_methods motor_methods = {joint_prepare_common, warm_start, solve, reaction};
