// Joints that are solved one at a time, by kind: each is prepared once, then warm started, solved
// and relaxed in every sub-step. Also has the arithmetic that the kinds share.
//
// Springs. A spring of angular frequency w = 2 pi f and damping ratio z on an effective mass m is
// solved within a sub-step h as P = -m (1 - p) Ċ - m p h w² C, where p is the share of a velocity
// that damping leaves. Then a load at rest stretches it by exactly g/w², and with p = 1 / (1 + 2x +
// 2x²), x = z w h, which is exp(-2x) to third order, it decays as the formula says. The implicit
// Euler step has p = 1 / (1 + 2x + (w h)²) instead, that is, an unwanted damping of w h / 2. With p
// = 1 the step is the symplectic Euler one: an undamped spring keeps its amplitude. Of n such
// springs on one body that step is stable while n (w h)² < 4. So springs have that damping only
// from w h = STIFF_FROM on, where it fades in fast enough for a hundred in parallel to stay stable.
#include "common/physics/step/joints/joint_single.h"

#include "common/base/assert.h"

static const joint_methods *const METHODS[JOINT_KIND_COUNT] = {
    [JOINT_PRISMATIC] = &prismatic_methods, [JOINT_DISTANCE] = &distance_methods,
    [JOINT_WELD] = &weld_methods,           [JOINT_WHEEL] = &wheel_methods,
    [JOINT_MOTOR] = &motor_methods,         [JOINT_MOUSE] = &mouse_methods,
    [JOINT_GEAR] = &gear_methods,           [JOINT_PULLEY] = &pulley_methods,
};

// ---- parts that the kinds share

// Bounds of w h, see above.
#define STIFF_FROM 0.14f
#define STIFF_FADE 0.14f

softness softness_spring(float hertz, float damping_ratio, float h)
{
    float omega = 2.0f * (float)PI_D * hertz;
    float wh = omega * h;
    float x = damping_ratio * wh;
    float above = float_max(wh * wh - STIFF_FROM * STIFF_FROM, 0.0f);
    float stiff = wh * wh * (above / (above + STIFF_FADE * STIFF_FADE));
    float p = 1.0f / (1.0f + 2.0f * x + 2.0f * x * x + stiff);
    return (softness){1.0f - p, p * wh * omega, p, SPRING_PUSH_MAX};
}

static vec2 arm_of(const physics_world *world, uint32_t slot, vec2d anchor)
{
    return vec2d_relative(world->motions.data[slot].center, anchor);
}

// The leverage of a point on a body. Most points are near, which is detected without a division.
static float leverage(const body_motion *m, vec2 arm)
{
    return joint_arm_is_long(m, arm) && m->inv_mass > 0.0f
               ? 1.0f + vec2_length_squared(arm) * m->inv_inertia / m->inv_mass
               : 1.0f;
}

// A joint on an arm that is long for its body moves the body's other joints far more than itself,
// and a stiff constraint answers with growing oscillation. So it is less stiff, down to half the
// frequency: over 200 random systems with arms of twenty times the radius of gyration nothing grew.
// Joints within or near their bodies are unaffected.
static softness rigid_on_arms(const physics_world *world, float ratio)
{
    const step_context *step = &world->step;
    if (ratio <= LEVERAGE_MAX) {
        return softness_rigid(world);
    }
    // Solves bias_rate = w / (2 z + h w) for w.
    float omega =
        2.0f * JOINT_DAMPING * step->joint_bias_rate / (1.0f - step->h * step->joint_bias_rate);
    omega *= float_max(sqrtf(LEVERAGE_MAX / ratio), 0.5f);
    float wh = omega * step->h;
    float a = wh * (2.0f * JOINT_DAMPING + wh);
    float impulse = 1.0f / (1.0f + a);
    float velocity = a * impulse;
    return (softness){velocity, velocity * omega / (2.0f * JOINT_DAMPING + wh), impulse,
                      JOINT_PUSH_MAX};
}

softness joint_rigid_softness(const physics_world *world, const body_motion *a, vec2 arm_a,
                              const body_motion *b, vec2 arm_b)
{
    return rigid_on_arms(world, float_max(leverage(a, arm_a), leverage(b, arm_b)));
}

void joint_prepare_common(const physics_world *world, single_joint *j)
{
    joint_scratch *s = &j->scratch;
    const body_motion *a = &world->motions.data[j->record->body_a];
    const body_motion *b = &world->motions.data[j->record->body_b];
    vec2d anchor_a = joint_anchor_a(world, j->record);
    vec2d anchor_b = joint_anchor_b(world, j->record);
    *s = (joint_scratch){
        .inv_mass_b = b->inv_mass,
        .inv_inertia_b = b->inv_inertia,
        .arm_b = arm_of(world, j->record->body_b, anchor_b),
        .separation = vec2d_relative(anchor_a, anchor_b),
        .rotation_a = ROT_IDENTITY,
        .seen = ROT_IDENTITY,
        .spring = softness_spring(j->settings->hertz, j->settings->damping_ratio, world->step.h),
        .angular_spring = softness_spring(j->settings->angular_hertz,
                                          j->settings->angular_damping_ratio, world->step.h),
    };
    if (j->record->body_a == NONE) {
        s->rigid = rigid_on_arms(world, leverage(b, s->arm_b));
        return;
    }
    s->inv_mass_a = a->inv_mass;
    s->inv_inertia_a = a->inv_inertia;
    s->arm_a = arm_of(world, j->record->body_a, anchor_a);
    // A sliding joint acts on a at the place of b's anchor.
    bool slides = j->record->kind == JOINT_PRISMATIC || j->record->kind == JOINT_WHEEL;
    vec2 acting = slides ? vec2_add(s->arm_a, s->separation) : s->arm_a;
    s->rigid = joint_rigid_softness(world, a, acting, b, s->arm_b);
    s->rotation_a = a->rotation;
    s->axis = rot_vec(a->rotation, j->settings->axis);
    s->angle = (float)joint_relative_angle(world, j->record->body_a, j->record->body_b,
                                           j->record->reference_angle);
}

// The angle of a rotation; for small ones the series of the arc sine is exact to a float.
static float turn_of(rot q)
{
    return q.c > 0.0f && float_abs(q.s) < 0.03f ? q.s + q.s * q.s * q.s * (1.0f / 6.0f)
                                                : (float)rot_angle(q);
}

// A rotation does not show whole turns: chooses those nearest to the predicted rotation.
static float nearest_turn(float turn, float predicted)
{
    const float whole = (float)(2.0 * PI_D);
    const float wanted = (predicted - turn) / whole;
    const float more =
        wanted > -JOINT_TURNS_MAX ? float_min(wanted, JOINT_TURNS_MAX) : -JOINT_TURNS_MAX;
    const bool surely_none = more > -0.5f && more < 0.5f;
    return surely_none ? turn
                       : turn + whole * (float)(int)(more < 0.0f ? more - 0.5f : more + 0.5f);
}

void joint_see_turn(const physics_world *world, uint32_t p, uint32_t q, rot *seen, float *turned)
{
    rot from = p != NONE ? world->states.data[p].delta_rotation : ROT_IDENTITY;
    rot now = rot_inv_mul(from, world->states.data[q].delta_rotation);
    const float predicted =
        world->step.h * (world->states.data[q].angular_velocity -
                         (p != NONE ? world->states.data[p].angular_velocity : 0.0f));
    *turned += nearest_turn(turn_of(rot_inv_mul(*seen, now)), predicted);
    *seen = now;
}

void joint_count_turns(const physics_world *world, single_joint *j)
{
    float before = j->scratch.turned;
    joint_see_turn(world, j->record->body_a, j->record->body_b, &j->scratch.seen,
                   &j->scratch.turned);
    j->record->angle += (double)(j->scratch.turned - before);
}

float joint_drive(const physics_world *world, single_joint *j, drive d, bool use_bias)
{
    const joint_settings *set = j->settings;
    joint_impulses *total = &j->record->impulses;
    float mass = 1.0f / d.inverse_mass;
    float sum = 0.0f; // sum of the impulses applied here, which change the rate
    if (set->hertz > 0.0f && use_bias) {
        sum += soft_impulse(j->scratch.spring, mass, d.position - d.rest, d.rate, &total->spring);
    } else if (!(set->hertz > 0.0f)) {
        total->spring = 0.0f;
    }
    if (d.motor && (j->record->flags & JOINT_FLAG_MOTOR) != 0) {
        float rate = d.rate + sum * d.inverse_mass - set->motor_speed;
        sum +=
            bounded_impulse(SOFTNESS_RELAX, mass, 0.0f, rate, world->step.h * d.max, &total->motor);
    }
    if (set->lower > -INFINITY) {
        sum += limit_impulse(world, j, use_bias, mass, d.position - set->lower,
                             d.rate + sum * d.inverse_mass, &total->lower);
    } else {
        total->lower = 0.0f;
    }
    if (set->upper < INFINITY) {
        sum -= limit_impulse(world, j, use_bias, mass, set->upper - d.position,
                             -(d.rate + sum * d.inverse_mass), &total->upper);
    } else {
        total->upper = 0.0f;
    }
    return sum;
}

// ---- the passes

static void add_body(single_joint *j, uint32_t slot)
{
    for (int i = 0; i < j->body_count; i++) {
        if (j->bodies[i].slot == slot) {
            return;
        }
    }
    ASSERT(j->body_count < JOINT_BODIES_MAX);
    j->bodies[j->body_count].slot = slot;
    j->bodies[j->body_count].velocity = (vec2){0.0f, 0.0f};
    j->bodies[j->body_count++].spin = 0.0f;
}

static void list_bodies(single_joint *j)
{
    j->body_count = 0;
    add_body(j, j->record->body_a);
    add_body(j, j->record->body_b);
    if (j->record->kind == JOINT_GEAR) {
        add_body(j, j->gear.a.p);
        add_body(j, j->gear.a.q);
        add_body(j, j->gear.b.p);
        add_body(j, j->gear.b.q);
    }
}

void joint_prepare_single(const physics_world *world, single_joint *j, uint32_t slot)
{
    j->record = &world->joints.data[slot];
    j->settings = joint_settings_of(world, j->record);
    j->record->total_force = (vec2){0.0f, 0.0f};
    j->record->total_torque = 0.0f;
    METHODS[j->record->kind]->prepare(world, j);
    list_bodies(j);
}

static bool warm_starts(solver_pass pass)
{
    return pass == PASS_WARM_START || pass == PASS_WARM_AGAIN;
}

static void run_methods(physics_world *world, single_joint *j, solver_pass pass)
{
    const joint_methods *methods = METHODS[j->record->kind];
    if (warm_starts(pass)) {
        methods->warm_start(world, j);
        return;
    }
    methods->solve(world, j, pass == PASS_SOLVE);
    if (pass == PASS_RELAX) {
        // The joint's sub-step is over: its applied impulse is added to the sum.
        vec2 force;
        float torque;
        methods->reaction(world, j, &force, &torque);
        j->record->total_force = vec2_add(j->record->total_force, force);
        j->record->total_torque += torque;
    }
}

// A joint that is solved alone acts along axes and rods that rotate with the bodies. Its impulse of
// the last sub-step has been applied to its bodies again (integrate.c): this reverts it before it
// warm starts along the current axes.
void joint_sweep_single(physics_world *world, single_joint *j, solver_pass pass)
{
    body_state before[JOINT_BODIES_MAX];
    for (int i = 0; i < j->body_count; i++) {
        body_state *state = &world->states.data[j->bodies[i].slot];
        if (warm_starts(pass)) {
            state_write(state, vec2_sub(state->velocity, j->bodies[i].velocity),
                        state->angular_velocity - j->bodies[i].spin);
            j->bodies[i].velocity = (vec2){0.0f, 0.0f};
            j->bodies[i].spin = 0.0f;
        }
        before[i] = *state;
    }
    run_methods(world, j, pass);
    for (int i = 0; i < j->body_count; i++) {
        body_state *state = &world->states.data[j->bodies[i].slot];
        body_limit_speed(state);
        j->bodies[i].velocity =
            vec2_add(j->bodies[i].velocity, vec2_sub(state->velocity, before[i].velocity));
        j->bodies[i].spin += state->angular_velocity - before[i].angular_velocity;
    }
}
