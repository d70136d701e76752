// Pulley joint: a rope from a's anchor over two fixed points to b's. It pulls only.
//
// With l the lengths from the fixed points to the anchors and u the directions: C = length - l_a -
// ratio l_b >= 0 and Ċ = -u_a · v_a - ratio u_b · v_b, one impulse along both directions. An anchor
// pulled into its fixed point has no direction, and the rope stops there.
#include "common/physics/step/joints/joint_single.h"

typedef struct rope {
    vec2 along_a, along_b; // unit vectors from the fixed points to the anchors
    float slack;           // C
} rope;

static void prepare(const physics_world *world, single_joint *j)
{
    joint_prepare_common(world, j);
    j->scratch.ground_a = vec2d_relative(j->settings->ground_a, joint_anchor_a(world, j->record));
    j->scratch.ground_b = vec2d_relative(j->settings->ground_b, joint_anchor_b(world, j->record));
}

static vec2 moved(const physics_world *world, uint32_t slot, vec2 from, vec2 arm_now, vec2 arm_then)
{
    vec2 by = vec2_add(world->states.data[slot].delta_position, vec2_sub(arm_now, arm_then));
    return vec2_add(from, by);
}

static rope current_rope(const physics_world *world, const single_joint *j, const joint_pair *p)
{
    const joint_scratch *s = &j->scratch;
    rope r;
    float length_a;
    float length_b;
    r.along_a =
        vec2_normalize(moved(world, j->record->body_a, s->ground_a, p->arm_a, s->arm_a), &length_a);
    r.along_b =
        vec2_normalize(moved(world, j->record->body_b, s->ground_b, p->arm_b, s->arm_b), &length_b);
    r.slack = j->record->length - length_a - j->settings->ratio * length_b;
    if (length_a < LINEAR_SLOP) {
        r.along_a = (vec2){0.0f, 0.0f};
    }
    if (length_b < LINEAR_SLOP) {
        r.along_b = (vec2){0.0f, 0.0f};
    }
    return r;
}

static void pull(joint_pair *p, const single_joint *j, const rope *r, float impulse)
{
    const joint_scratch *s = &j->scratch;
    vec2 on_a = vec2_scale(-impulse, r->along_a);
    vec2 on_b = vec2_scale(-impulse * j->settings->ratio, r->along_b);
    p->velocity_a = vec2_mul_add(p->velocity_a, s->inv_mass_a, on_a);
    p->spin_a += s->inv_inertia_a * vec2_cross(p->arm_a, on_a);
    p->velocity_b = vec2_mul_add(p->velocity_b, s->inv_mass_b, on_b);
    p->spin_b += s->inv_inertia_b * vec2_cross(p->arm_b, on_b);
}

static void warm_start(physics_world *world, single_joint *j)
{
    joint_pair p = pair_read(world, j);
    rope r = current_rope(world, j, &p);
    pull(&p, j, &r, j->record->impulses.upper);
    pair_write(world, j, &p);
}

static float side_inverse_mass(float inv_mass, float inv_inertia, vec2 arm, vec2 along)
{
    float turning = vec2_cross(arm, along);
    return inv_mass * vec2_length_squared(along) + inv_inertia * turning * turning;
}

static void solve(physics_world *world, single_joint *j, bool use_bias)
{
    const joint_scratch *s = &j->scratch;
    const float ratio = j->settings->ratio;
    joint_pair p = pair_read(world, j);
    rope r = current_rope(world, j, &p);
    float a = side_inverse_mass(s->inv_mass_a, s->inv_inertia_a, p.arm_a, r.along_a);
    float b = side_inverse_mass(s->inv_mass_b, s->inv_inertia_b, p.arm_b, r.along_b);
    float mass = inverse_or_zero(a + ratio * ratio * b);
    vec2 velocity_a = vec2_add(p.velocity_a, vec2_cross_sv(p.spin_a, p.arm_a));
    vec2 velocity_b = vec2_add(p.velocity_b, vec2_cross_sv(p.spin_b, p.arm_b));
    float rate = -vec2_dot(r.along_a, velocity_a) - ratio * vec2_dot(r.along_b, velocity_b);
    pull(&p, j, &r,
         limit_impulse(world, j, use_bias, mass, r.slack, rate, &j->record->impulses.upper));
    pair_write(world, j, &p);
}

static void reaction(const physics_world *world, const single_joint *j, vec2 *force, float *torque)
{
    joint_pair p = pair_read(world, j);
    rope r = current_rope(world, j, &p);
    *force = vec2_scale(-j->record->impulses.upper * j->settings->ratio, r.along_b);
    *torque = 0.0f;
}

const joint_methods pulley_methods = {prepare, warm_start, solve, reaction};
