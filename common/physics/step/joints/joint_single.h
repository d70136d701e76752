// Joints that are solved one at a time, by kind: the declarations and arithmetic that the kinds'
// files share (joint_single.c). Colours, and the kinds solved in lanes, are in joint_lanes.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_JOINTS_JOINT_SINGLE_H
#define CAROM_COMMON_PHYSICS_STEP_JOINTS_JOINT_SINGLE_H

#include "common/physics/state/joints/joint_record.h"
#include "common/physics/step/joints/solver_pass.h"

// Bound of a joint's turns in a step [whole turns]. Within a step the solver may let a body spin
// faster than at its end. No step rotates a joint by more: two bodies of PHYSICS_SPIN_MAX rotate
// 1273 times against each other in the longest tick. The bound is needed because processors differ
// in converting values that an int32_t cannot represent.
#define JOINT_TURNS_MAX 4096.0f

// The largest speed at which rigid constraints correct their position, and at which a spring does
// so within a sub-step [m/s, rad/s].
#define JOINT_PUSH_MAX  20.0f
#define SPRING_PUSH_MAX (float)PHYSICS_SPEED_MAX

// Softness of a constraint: the change of its impulse P is -m (velocity Ċ + position C) - impulse
// P, with effective mass m, and `position C` at most `push`. {1, 0, 0, 0} is rigid without
// correction of the position.
typedef struct softness {
    float velocity, position, impulse, push;
} softness;

typedef struct joint_scratch {
    float inv_mass_a, inv_inertia_a, inv_mass_b, inv_inertia_b;
    vec2 arm_a, arm_b; // arms from the centres of mass to the anchors when the step began
    // anchor b relative to anchor a (mouse: b relative to the target) when the step began
    vec2 separation;
    vec2 axis;      // axis in the world when the step began
    rot rotation_a; // rotation of body a when the step began
    float angle;  // angle of b relative to a minus the reference when the step began, in [-pi, pi]
    float turned; // its change since
    rot seen;     // the relative rotation at the last update of `turned`
    vec2 ground_a, ground_b; // pulley: from the fixed points to the anchors when the step began
    softness rigid, spring, angular_spring;
} joint_scratch;

// One side of a gear: how x changes with the bodies p and q; see joint_gear.c.
typedef struct gear_side {
    uint32_t p, q; // slots; p may be NONE: the world
    bool slides;
    float inv_mass_p, inv_inertia_p, inv_mass_q, inv_inertia_q;
    vec2 arm_p, arm_q, separation, axis;
    float turned;
    rot seen;
} gear_side;

typedef struct gear_scratch {
    gear_side a, b;
    float error; // x_a + ratio x_b minus the constant, when the step began
} gear_scratch;

// A joint that is solved alone, during a step.
enum { JOINT_BODIES_MAX = 4 };
typedef struct single_joint {
    joint *record;            // its address does not change during a step
    joint_settings *settings; // the solver writes only to a gear's settings
    int body_count;
    struct {
        uint32_t slot; // slots; no body appears twice
        vec2 velocity; // the change in this sub-step that the joint caused
        float spin;
    } bodies[JOINT_BODIES_MAX];
    union {
        joint_scratch scratch;
        gear_scratch gear;
    };
} single_joint;

// The functions of a kind. `solve` without `use_bias` is the relaxing pass: springs do not act and
// positions do not count.
typedef struct joint_methods {
    void (*prepare)(const physics_world *world, single_joint *j);
    void (*warm_start)(physics_world *world, single_joint *j);
    void (*solve)(physics_world *world, single_joint *j, bool use_bias);
    // The current impulse on b, and its moment about the anchor.
    void (*reaction)(const physics_world *world, const single_joint *j, vec2 *force, float *torque);
} joint_methods;

extern const joint_methods prismatic_methods, distance_methods, weld_methods, wheel_methods,
    motor_methods, mouse_methods, gear_methods, pulley_methods;

void joint_prepare_single(const physics_world *world, single_joint *j, uint32_t slot);
void joint_sweep_single(physics_world *world, single_joint *j, solver_pass pass);

// A point of a body counts as on a long arm if rotation makes it this many times easier to move
// than the centre of mass. A box held at its corner has up to 7.
#define LEVERAGE_MAX 16.0f
static inline bool joint_arm_is_long(const body_motion *m, vec2 arm)
{
    return vec2_length_squared(arm) * m->inv_inertia > (LEVERAGE_MAX - 1.0f) * m->inv_mass;
}
// The softness of a rigid constraint that acts on a and b at these arms.
softness joint_rigid_softness(const physics_world *world, const body_motion *a, vec2 arm_a,
                              const body_motion *b, vec2 arm_b);
// Fills in the scratch values that all kinds except the gear share.
void joint_prepare_common(const physics_world *world, single_joint *j);
// The spring of `hertz` and `damping_ratio` in sub-steps of h.
softness softness_spring(float hertz, float damping_ratio, float h);

static inline softness softness_rigid(const physics_world *world)
{
    const step_context *step = &world->step;
    return (softness){step->joint_mass_scale, step->joint_mass_scale * step->joint_bias_rate,
                      step->joint_impulse_scale, JOINT_PUSH_MAX};
}

static const softness SOFTNESS_RELAX = {1.0f, 0.0f, 0.0f, 0.0f};

// The rate at which C is to be corrected.
static inline float soft_push(softness s, float c)
{
    return float_clamp(s.position * c, -s.push, s.push);
}

static inline vec2 soft_push_vec(softness s, vec2 c)
{
    vec2 push = vec2_scale(s.position, c);
    float squared = vec2_length_squared(push);
    return squared > s.push * s.push ? vec2_scale(s.push / sqrtf(squared), push) : push;
}

// The softness of a rigid constraint in this pass; for all kinds except the gear.
static inline softness softness_pass(const single_joint *j, bool use_bias)
{
    return use_bias ? j->scratch.rigid : SOFTNESS_RELAX;
}

// Both bodies of a joint within a sub-step: read, changed, written back.
typedef struct joint_pair {
    vec2 velocity_a, velocity_b;
    float spin_a, spin_b;
    vec2 arm_a, arm_b; // current arms to the anchors
    vec2 separation;   // current position of anchor b relative to anchor a
} joint_pair;

static inline joint_pair pair_read(const physics_world *world, const single_joint *j)
{
    const body_state *a = &world->states.data[j->record->body_a];
    const body_state *b = &world->states.data[j->record->body_b];
    const joint_scratch *s = &j->scratch;
    joint_pair p = {.velocity_a = a->velocity,
                    .velocity_b = b->velocity,
                    .spin_a = a->angular_velocity,
                    .spin_b = b->angular_velocity,
                    .arm_a = rot_vec(a->delta_rotation, s->arm_a),
                    .arm_b = rot_vec(b->delta_rotation, s->arm_b)};
    vec2 moved_a = vec2_add(a->delta_position, vec2_sub(p.arm_a, s->arm_a));
    vec2 moved_b = vec2_add(b->delta_position, vec2_sub(p.arm_b, s->arm_b));
    p.separation = vec2_add(s->separation, vec2_sub(moved_b, moved_a));
    return p;
}

#define JOINT_GAP_MAX 0.5f // only strong forces or a caller make wider gaps of a point [m]

// Applies the impulses of a point to both bodies at one place, midway between the anchors, so that
// the angular momentum is conserved to rounding. For wide gaps, whose middle is a long arm for
// either body, the shift is bounded.
static inline joint_pair pair_read_midway(const physics_world *world, const single_joint *j)
{
    joint_pair p = pair_read(world, j);
    float gap = vec2_length(p.separation);
    float share = gap > JOINT_GAP_MAX ? 0.5f * JOINT_GAP_MAX / gap : 0.5f;
    p.arm_a = vec2_mul_add(p.arm_a, share, p.separation);
    p.arm_b = vec2_mul_sub(p.arm_b, share, p.separation);
    return p;
}

static inline void state_write(body_state *state, vec2 velocity, float spin)
{
    if ((state->flags & STATE_DYNAMIC) != 0) {
        state->velocity = velocity;
        state->angular_velocity = spin;
    }
}

static inline void pair_write(physics_world *world, const single_joint *j, const joint_pair *p)
{
    state_write(&world->states.data[j->record->body_a], p->velocity_a, p->spin_a);
    state_write(&world->states.data[j->record->body_b], p->velocity_b, p->spin_b);
}

// Applies an impulse at arms from the centres of mass.
static inline void pair_push_at(joint_pair *p, const joint_scratch *s, vec2 impulse, vec2 arm_a,
                                vec2 arm_b)
{
    p->velocity_a = vec2_mul_sub(p->velocity_a, s->inv_mass_a, impulse);
    p->spin_a -= s->inv_inertia_a * vec2_cross(arm_a, impulse);
    p->velocity_b = vec2_mul_add(p->velocity_b, s->inv_mass_b, impulse);
    p->spin_b += s->inv_inertia_b * vec2_cross(arm_b, impulse);
}

static inline void pair_turn(joint_pair *p, const joint_scratch *s, float impulse)
{
    p->spin_a -= s->inv_inertia_a * impulse;
    p->spin_b += s->inv_inertia_b * impulse;
}

// The velocity of b's point at arm_b relative to a's at arm_a.
static inline vec2 pair_velocity(const joint_pair *p, vec2 arm_a, vec2 arm_b)
{
    return vec2_sub(vec2_add(p->velocity_b, vec2_cross_sv(p->spin_b, arm_b)),
                    vec2_add(p->velocity_a, vec2_cross_sv(p->spin_a, arm_a)));
}

static inline float inverse_or_zero(float k)
{
    return k > 0.0f ? 1.0f / k : 0.0f;
}

static inline float angular_mass(const joint_scratch *s)
{
    return inverse_or_zero(s->inv_inertia_a + s->inv_inertia_b);
}

// The inverse mass of the bodies at arms, along a unit vector.
static inline float inverse_mass_along(const joint_scratch *s, vec2 arm_a, vec2 arm_b,
                                       vec2 direction)
{
    float a = vec2_cross(arm_a, direction);
    float b = vec2_cross(arm_b, direction);
    return s->inv_mass_a + s->inv_mass_b + s->inv_inertia_a * a * a + s->inv_inertia_b * b * b;
}

// The inverse of the effective mass of two points held together: symmetric.
typedef struct sym22 {
    float xx, xy, yy;
} sym22;

static inline sym22 point_inverse_mass(const joint_scratch *s, vec2 arm_a, vec2 arm_b)
{
    float m = s->inv_mass_a + s->inv_mass_b;
    float ia = s->inv_inertia_a;
    float ib = s->inv_inertia_b;
    return (sym22){m + ia * arm_a.y * arm_a.y + ib * arm_b.y * arm_b.y,
                   -ia * arm_a.x * arm_a.y - ib * arm_b.x * arm_b.y,
                   m + ia * arm_a.x * arm_a.x + ib * arm_b.x * arm_b.x};
}

// zero and NaN give 0
static inline vec2 sym22_solve(sym22 k, vec2 v)
{
    float determinant = k.xx * k.yy - k.xy * k.xy;
    float inverse = float_abs(determinant) > 0.0f ? 1.0f / determinant : 0.0f; // 0: NaN too
    return (vec2){inverse * (k.yy * v.x - k.xy * v.y), inverse * (k.xx * v.y - k.xy * v.x)};
}

// A step towards C = 0 along one direction; returns the impulse to apply. `rate` is Ċ, `mass` the
// effective mass.
static inline float soft_impulse(softness s, float mass, float c, float rate, float *total)
{
    float impulse = -mass * (s.velocity * rate + soft_push(s, c)) - s.impulse * *total;
    *total += impulse;
    return impulse;
}

// The same, with the total kept within ±limit.
static inline float bounded_impulse(softness s, float mass, float c, float rate, float limit,
                                    float *total)
{
    float impulse = -mass * (s.velocity * rate + soft_push(s, c)) - s.impulse * *total;
    float before = *total;
    *total = float_clamp(before + impulse, -limit, limit);
    return *total - before;
}

// C >= 0 along one direction: while c > 0, the sub-step may use up the remaining room, but no more.
static inline float limit_impulse(const physics_world *world, const single_joint *j, bool use_bias,
                                  float mass, float c, float rate, float *total)
{
    softness s =
        c > 0.0f ? (softness){1.0f, world->step.inv_h, 0.0f, INFINITY} : softness_pass(j, use_bias);
    float impulse = -mass * (s.velocity * rate + soft_push(s, c)) - s.impulse * *total;
    float before = *total;
    *total = float_max(before + impulse, 0.0f);
    return *total - before;
}

// Two equations at once: the same for the position of b's point relative to a's. Adds to `total`.
static inline vec2 point_impulse(softness s, sym22 k, vec2 c, vec2 rate, vec2 *total)
{
    vec2 wanted = vec2_add(vec2_scale(s.velocity, rate), soft_push_vec(s, c));
    vec2 impulse = vec2_mul_sub(vec2_neg(sym22_solve(k, wanted)), s.impulse, *total);
    *total = vec2_add(*total, impulse);
    return impulse;
}

// The same, with the length of the total kept within `limit`.
static inline vec2 bounded_point_impulse(softness s, sym22 k, vec2 c, vec2 rate, float limit,
                                         vec2 *total)
{
    vec2 before = *total;
    (void)point_impulse(s, k, c, rate, total);
    float length = vec2_length(*total);
    if (length > limit) {
        *total = vec2_scale(limit / length, *total);
    }
    return vec2_sub(*total, before);
}

// Spring, motor and limits of one coordinate of a joint.
typedef struct drive {
    float position, rate; // coordinate and its rate of change
    float inverse_mass;   // inverse of the bodies' mass along it, > 0
    float rest;           // coordinate of the spring at rest
    bool motor;           // has a motor
    float max;            // largest force or torque of the motor
} drive;

// Solves spring, motor and limits in one pass; returns the impulse to apply along the coordinate.
float joint_drive(const physics_world *world, single_joint *j, drive d, bool use_bias);
// The impulse of spring and limits so far, for warm starting and for the reaction. The motor's is
// separate.
static inline float drive_total(const joint_impulses *impulses)
{
    return impulses->spring + impulses->lower - impulses->upper;
}

// Updates how far b has rotated relative to a since the step began. Called once in every sub-step,
// after positions have changed.
void joint_see_turn(const physics_world *world, uint32_t p, uint32_t q, rot *seen, float *turned);
// The same for a joint whose angle counts whole turns.
void joint_count_turns(const physics_world *world, single_joint *j);

#endif
