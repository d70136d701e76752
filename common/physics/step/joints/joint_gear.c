// Gear joint: x_a + ratio x_b keeps the value that it had when the gear was made.
//
// x is the angle of a body in the world, or, on a joint, its angle (revolute) or translation
// (prismatic). Each side then pushes the two bodies p and q of its joint, as that joint's motor
// would, so that the reaction goes back to the frame. Up to four bodies take part; if one of them
// is on both sides, its parts of the Jacobian add up, so they are first collected by body: Ċ = Σ (l
// · v + t w), 1/m = Σ (l² / m + t² / I).
#include "common/physics/step/joints/joint_single.h"

typedef struct part {
    uint32_t body;
    float inv_mass, inv_inertia;
    vec2 linear;   // l
    float turning; // t
} part;

typedef struct gear_jacobian {
    part parts[4];
    int count;
} gear_jacobian;

static gear_side make_side(const physics_world *world, const joint *on, uint32_t body_)
{
    gear_side s = {.p = on != NULL ? on->body_a : (uint32_t)NONE,
                   .q = on != NULL ? on->body_b : body_,
                   .slides = on != NULL && on->kind == JOINT_PRISMATIC,
                   .seen = ROT_IDENTITY};
    const body_motion *q = &world->motions.data[s.q];
    s.inv_mass_q = q->inv_mass;
    s.inv_inertia_q = q->inv_inertia;
    if (on != NULL) {
        const body_motion *p = &world->motions.data[s.p];
        s.inv_mass_p = p->inv_mass;
        s.inv_inertia_p = p->inv_inertia;
        vec2d anchor_a = joint_anchor_a(world, on);
        vec2d anchor_b = joint_anchor_b(world, on);
        s.arm_p = vec2d_relative(p->center, anchor_a);
        s.arm_q = vec2d_relative(q->center, anchor_b);
        s.separation = vec2d_relative(anchor_a, anchor_b);
        s.axis = rot_vec(p->rotation, joint_settings_of(world, on)->axis);
    }
    return s;
}

static void prepare(const physics_world *world, single_joint *j)
{
    const joint *joints = world->joints.data;
    gear_sides(world, j->record, j->settings, &j->settings->gear_a, &j->settings->gear_b);
    uint32_t a = j->settings->joint_a;
    uint32_t b = j->settings->joint_b;
    j->gear.a = make_side(world, a != NONE ? &joints[a] : NULL, j->record->body_a);
    j->gear.b = make_side(world, b != NONE ? &joints[b] : NULL, j->record->body_b);
}

static void add_part(gear_jacobian *jacobian, part added)
{
    for (int i = 0; i < jacobian->count; i++) {
        part *there = &jacobian->parts[i];
        if (there->body == added.body) {
            there->linear = vec2_add(there->linear, added.linear);
            there->turning += added.turning;
            return;
        }
    }
    jacobian->parts[jacobian->count++] = added;
}

// Adds one side's parts and, for a translation, the current x; an angle's x is counted separately.
static void add_side(const physics_world *world, gear_jacobian *jacobian, const gear_side *s,
                     float weight, double *x)
{
    part p = {s->p, s->inv_mass_p, s->inv_inertia_p, {0.0f, 0.0f}, -weight};
    part q = {s->q, s->inv_mass_q, s->inv_inertia_q, {0.0f, 0.0f}, weight};
    if (s->slides) {
        const body_state *state_p = &world->states.data[s->p];
        const body_state *state_q = &world->states.data[s->q];
        vec2 axis = rot_vec(state_p->delta_rotation, s->axis);
        vec2 arm_p = rot_vec(state_p->delta_rotation, s->arm_p);
        vec2 arm_q = rot_vec(state_q->delta_rotation, s->arm_q);
        vec2 moved_p = vec2_add(state_p->delta_position, vec2_sub(arm_p, s->arm_p));
        vec2 moved_q = vec2_add(state_q->delta_position, vec2_sub(arm_q, s->arm_q));
        vec2 apart = vec2_add(s->separation, vec2_sub(moved_q, moved_p));
        *x = (double)vec2_dot(axis, apart);
        p.linear = vec2_scale(-weight, axis);
        p.turning = -weight * vec2_cross(vec2_add(arm_p, apart), axis);
        q.linear = vec2_scale(weight, axis);
        q.turning = weight * vec2_cross(arm_q, axis);
    }
    if (s->p != NONE) {
        add_part(jacobian, p);
    }
    add_part(jacobian, q);
}

static gear_jacobian make_jacobian(const physics_world *world, single_joint *j)
{
    gear_jacobian jacobian = {.count = 0};
    add_side(world, &jacobian, &j->gear.a, 1.0f, &j->settings->gear_a);
    add_side(world, &jacobian, &j->gear.b, j->settings->ratio, &j->settings->gear_b);
    return jacobian;
}

static void push(physics_world *world, const gear_jacobian *jacobian, float impulse)
{
    for (int i = 0; i < jacobian->count; i++) {
        const part *p = &jacobian->parts[i];
        body_state *state = &world->states.data[p->body];
        state_write(state, vec2_mul_add(state->velocity, impulse * p->inv_mass, p->linear),
                    state->angular_velocity + impulse * p->inv_inertia * p->turning);
    }
}

static void warm_start(physics_world *world, single_joint *j)
{
    gear_jacobian jacobian = make_jacobian(world, j);
    push(world, &jacobian, j->record->impulses.linear.x);
}

static void count_turns(const physics_world *world, gear_side *s, double *x)
{
    if (!s->slides) {
        float before = s->turned;
        joint_see_turn(world, s->p, s->q, &s->seen, &s->turned);
        *x += (double)(s->turned - before);
    }
}

static void solve(physics_world *world, single_joint *j, bool use_bias)
{
    if (!use_bias) {
        count_turns(world, &j->gear.a, &j->settings->gear_a);
        count_turns(world, &j->gear.b, &j->settings->gear_b);
    }
    gear_jacobian jacobian = make_jacobian(world, j);
    float inverse_mass = 0.0f;
    float rate = 0.0f;
    for (int i = 0; i < jacobian.count; i++) {
        const part *p = &jacobian.parts[i];
        const body_state *state = &world->states.data[p->body];
        inverse_mass +=
            p->inv_mass * vec2_length_squared(p->linear) + p->inv_inertia * p->turning * p->turning;
        rate += vec2_dot(p->linear, state->velocity) + p->turning * state->angular_velocity;
    }
    double off = j->settings->gear_a + (double)j->settings->ratio * j->settings->gear_b -
                 j->settings->gear_constant;
    push(world, &jacobian,
         soft_impulse(use_bias ? softness_rigid(world) : SOFTNESS_RELAX,
                      inverse_or_zero(inverse_mass), (float)off, rate,
                      &j->record->impulses.linear.x));
}

// The load on b on its own side: a force along a translation, a torque on an angle.
static void reaction(const physics_world *world, const single_joint *j, vec2 *force, float *torque)
{
    const gear_side *s = &j->gear.b;
    float impulse = j->record->impulses.linear.x * j->settings->ratio *
                    (s->q == j->record->body_b ? 1.0f : -1.0f);
    *force = (vec2){0.0f, 0.0f};
    *torque = impulse;
    if (s->slides) {
        rot turned = world->states.data[s->p].delta_rotation;
        *force = vec2_scale(impulse, rot_vec(turned, s->axis));
        *torque = 0.0f;
    }
}

const joint_methods gear_methods = {prepare, warm_start, solve, reaction};
