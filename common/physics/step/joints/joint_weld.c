// Weld joint: no relative motion at all, or elastic motion about one pose.
//
// If rigid, the point (as in the revolute joint) and the angle are one block of three equations,
// solved by eliminating the angle: the matrix that remains for the point is (1/m_a + 1/m_b) 1 + i_a
// i_b / (i_a + i_b) e eᵀ, with e = r_a - r_b turned by a quarter and i the inverse inertias, which
// needs no differences of large numbers. If elastic, the angle is solved first, then the point,
// each rigid or as a spring.
#include "common/physics/step/joints/joint_single.h"

static void warm_start(physics_world *world, single_joint *j)
{
    joint_pair p = pair_read_midway(world, j);
    pair_push_at(&p, &j->scratch, j->record->impulses.linear, p.arm_a, p.arm_b);
    pair_turn(&p, &j->scratch, j->record->impulses.angular);
    pair_write(world, j, &p);
}

static void solve_block(joint_pair *p, single_joint *j, softness soft)
{
    const joint_scratch *s = &j->scratch;
    float ia = s->inv_inertia_a;
    float ib = s->inv_inertia_b;
    float mass = s->inv_mass_a + s->inv_mass_b;
    float turning = 1.0f / (ia + ib);
    float both = ia * ib * turning;
    vec2 e = vec2_sub(p->arm_a, p->arm_b);
    vec2 rate = pair_velocity(p, p->arm_a, p->arm_b);
    // Solves k [impulse, twist] = -[linear, angular], where `mixed` is the off-diagonal part of k.
    vec2 linear = vec2_add(vec2_scale(soft.velocity, rate), soft_push_vec(soft, p->separation));
    float angular = soft.velocity * (p->spin_b - p->spin_a) + soft_push(soft, s->angle + s->turned);
    vec2 mixed = vec2_add(vec2_scale(ia, vec2_left(p->arm_a)), vec2_scale(ib, vec2_left(p->arm_b)));

    sym22 k = {mass + both * e.y * e.y, -both * e.x * e.y, mass + both * e.x * e.x};
    vec2 impulse = vec2_neg(sym22_solve(k, vec2_mul_sub(linear, angular * turning, mixed)));
    float twist = -(angular + vec2_dot(mixed, impulse)) * turning;
    impulse = vec2_mul_sub(impulse, soft.impulse, j->record->impulses.linear);
    twist -= soft.impulse * j->record->impulses.angular;
    j->record->impulses.linear = vec2_add(j->record->impulses.linear, impulse);
    j->record->impulses.angular += twist;
    pair_push_at(p, s, impulse, p->arm_a, p->arm_b);
    pair_turn(p, s, twist);
}

static void solve_apart(joint_pair *p, single_joint *j, bool use_bias)
{
    const joint_scratch *s = &j->scratch;
    bool springs = j->settings->angular_hertz > 0.0f;
    if (!springs || use_bias) {
        softness soft = springs ? s->angular_spring : softness_pass(j, use_bias);
        pair_turn(p, s,
                  soft_impulse(soft, angular_mass(s), s->angle + s->turned, p->spin_b - p->spin_a,
                               &j->record->impulses.angular));
    }
    springs = j->settings->hertz > 0.0f;
    if (!springs || use_bias) {
        softness soft = springs ? s->spring : softness_pass(j, use_bias);
        vec2 impulse =
            point_impulse(soft, point_inverse_mass(s, p->arm_a, p->arm_b), p->separation,
                          pair_velocity(p, p->arm_a, p->arm_b), &j->record->impulses.linear);
        pair_push_at(p, s, impulse, p->arm_a, p->arm_b);
    }
}

static void solve(physics_world *world, single_joint *j, bool use_bias)
{
    joint_scratch *s = &j->scratch;
    if (!use_bias) {
        joint_see_turn(world, j->record->body_a, j->record->body_b, &s->seen, &s->turned);
    }
    joint_pair p = pair_read_midway(world, j);
    bool rigid = !(j->settings->hertz > 0.0f) && !(j->settings->angular_hertz > 0.0f);
    if (rigid && s->inv_inertia_a + s->inv_inertia_b > 0.0f) {
        solve_block(&p, j, softness_pass(j, use_bias));
    } else {
        solve_apart(&p, j, use_bias);
    }
    pair_write(world, j, &p);
}

static void reaction(const physics_world *world, const single_joint *j, vec2 *force, float *torque)
{
    (void)world;
    *force = j->record->impulses.linear;
    *torque = j->record->impulses.angular;
}

const joint_methods weld_methods = {joint_prepare_common, warm_start, solve, reaction};
