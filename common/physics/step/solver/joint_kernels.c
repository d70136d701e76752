// The inner loops of the joints that are solved eight at a time. See wide.h for why this is
// compiled more than once.
//
// The point of a revolute joint: C = p_b - p_a; Ċ is the relative velocity midway between the two,
// where the impulse acts too, so that angular momentum is conserved to rounding: one block of two
// equations, K P = -(v Ċ + push) with the softness's share v. Spring, motor and limits act on the
// angle of b relative to a, which counts whole turns, and are solved first.
#include "common/physics/step/solver/body_lanes.h"

#include "common/physics/step/solver/joint_lanes.h"
#include "common/physics/lanes/vector_lanes.h"

#define KERNELS VARIANT_OF(joint_kernels_)

// ---- angles

// Minimax-like polynomial for (atan(t) - t) / t³ in t², 0 <= t <= 1: interpolation at Chebyshev's
// points.
static const float ARC[] = {
    -0.3333333134651184f,   0.19999739527702332f,  -0.1427856832742691f,
    0.11033764481544495f,   -0.08656880259513855f, 0.0625016912817955f,
    -0.035871539264917374f, 0.01350777130573988f,  -0.0023869972210377455f,
};
enum { ARC_TERMS = sizeof ARC / sizeof *ARC };

// The angle of (c, s) in [-pi, pi], with a relative error of 1e-7.
INLINE lanes angle_of(lanes c, lanes s)
{
    const float half_pi = (float)(0.5 * PI_D);
    const lanes zero = splat(0.0f);
    lanes x = lanes_abs(c);
    lanes y = lanes_abs(s);
    lanes larger = lanes_max(lanes_max(x, y), splat(1e-30f));
    lanes t = lanes_min(x, y) / larger;
    lanes u = t * t;
    lanes sum = splat(ARC[ARC_TERMS - 1]);
    for (int i = ARC_TERMS - 2; i >= 0; i--) {
        sum = sum * u + ARC[i];
    }
    lanes angle = t + t * u * sum;
    angle = lanes_select(y > x, half_pi - angle, angle);
    angle = lanes_select(c < zero, (float)PI_D - angle, angle);
    return lanes_select(s < zero, -angle, angle);
}

static void angles(const wide *c, const wide *s, wide *out)
{
    for (int part = 0; part < PARTS; part++) {
        const lanes *part_c = const_part_of(c, part);
        const lanes *part_s = const_part_of(s, part);
        lanes *part_out = PART_OF(out, part);
        *part_out = angle_of(*part_c, *part_s);
    }
}

// Larger rotations in a sub-step need the velocities to count turns: two smaller ones never add up
// to half a turn [rad].
#define TURN_PLAIN 1.5f

// Whole turns of b relative to a since the last count, if a sub-step may rotate it by half a turn
// or more: the number nearest to that from the velocities.
INLINE lanes_int turns_of_fast(const joint_lanes *g, lanes c, lanes s, lanes turn)
{
    const float round = 12582912.0f; // 1.5 * 2^23: adding it removes the fraction
    lanes before = angle_of(g->turn_c, g->turn_s);
    lanes turns = (before + turn - angle_of(c, s)) * splat((float)(0.5 / PI_D));
    turns = lanes_clamp(turns, splat(-JOINT_TURNS_MAX), splat(JOINT_TURNS_MAX));
    return __builtin_convertvector((turns + splat(round)) - splat(round), lanes_int);
}

// A whole turn is counted where the rotation of b relative to a crosses the angle pi. A joint that
// rotates by less than half a turn in a sub-step is seen on both sides of pi, within a quarter turn
// of it at least once.
INLINE void count_turns(joint_lanes *g, const state_lanes *a, const state_lanes *b, float h)
{
    const lanes zero = splat(0.0f);
    lanes c = a->qc * b->qc + a->qs * b->qs;
    lanes s = a->qc * b->qs - a->qs * b->qc;
    lanes turn = splat(h) * (b->w - a->w);
    lanes_int fast = lanes_abs(turn) > splat(TURN_PLAIN);
    if (any_lane((lanes_min(c, g->turn_c) <= zero) | fast)) {
        // positive: counter-clockwise since the last count
        lanes on = g->turn_c * s - g->turn_s * c;
        lanes_int above = g->turn_s >= zero;
        lanes_int now_above = s >= zero;
        lanes_int up = above & ~now_above & (on > zero);
        lanes_int down = ~above & now_above & (on < zero);
        lanes_int turns = down - up; // true is -1
        if (any_lane(fast)) {
            turns = (fast & turns_of_fast(g, c, s, turn)) | (~fast & turns);
        }
        g->turns += turns;
    }
    g->turn_c = c;
    g->turn_s = s;
}

// ---- geometry of the current poses

INLINE vector_lanes turned(const state_lanes *by, lanes x, lanes y)
{
    return (vector_lanes){by->qc * x - by->qs * y, by->qs * x + by->qc * y};
}

// Impulses act midway between the anchors; for wide gaps, whose middle is a long arm for either
// body, the shift is bounded.
INLINE lanes midway_share(vector_lanes gap)
{
    const float far = JOINT_GAP_MAX * JOINT_GAP_MAX;
    lanes squared = gap.x * gap.x + gap.y * gap.y;
    lanes_int wider = squared > far;
    lanes share = splat(0.5f);
    return any_lane(wider)
               ? lanes_select(wider, (0.5f * JOINT_GAP_MAX) / lanes_sqrt(squared), share)
               : share;
}

INLINE void find_mass(joint_lanes *g)
{
    lanes m = g->inv_mass_a + g->inv_mass_b;
    lanes ia = g->inv_inertia_a;
    lanes ib = g->inv_inertia_b;
    lanes xx = m + ia * g->arm_ay * g->arm_ay + ib * g->arm_by * g->arm_by;
    lanes xy = -ia * g->arm_ax * g->arm_ay - ib * g->arm_bx * g->arm_by;
    lanes yy = m + ia * g->arm_ax * g->arm_ax + ib * g->arm_bx * g->arm_bx;
    lanes determinant = xx * yy - xy * xy;
    // For the lightest bodies on the longest arms it is NaN or infinite: they are not held.
    lanes_int solvable = lanes_abs(determinant) > splat(0.0f);
    lanes inverse = lanes_select(solvable, 1.0f / determinant, splat(0.0f));
    g->mass_xx = inverse * yy;
    g->mass_xy = -inverse * xy;
    g->mass_yy = inverse * xx;
}

INLINE void find_push(joint_lanes *g, vector_lanes gap)
{
    const float most = JOINT_PUSH_MAX * JOINT_PUSH_MAX;
    lanes x = g->soft_position * gap.x;
    lanes y = g->soft_position * gap.y;
    lanes squared = x * x + y * y;
    lanes_int fast = squared > most;
    if (any_lane(fast)) {
        lanes scale = lanes_select(fast, JOINT_PUSH_MAX / lanes_sqrt(squared), splat(1.0f));
        x *= scale;
        y *= scale;
    }
    g->push_x = x;
    g->push_y = y;
}

INLINE void find_point(joint_lanes *g, const state_lanes *a, const state_lanes *b)
{
    vector_lanes arm_a = turned(a, g->start_ax, g->start_ay);
    vector_lanes arm_b = turned(b, g->start_bx, g->start_by);
    vector_lanes gap = {
        g->separation_x + ((b->dx + (arm_b.x - g->start_bx)) - (a->dx + (arm_a.x - g->start_ax))),
        g->separation_y + ((b->dy + (arm_b.y - g->start_by)) - (a->dy + (arm_a.y - g->start_ay))),
    };
    lanes share = midway_share(gap);
    g->arm_ax = arm_a.x + share * gap.x;
    g->arm_ay = arm_a.y + share * gap.y;
    g->arm_bx = arm_b.x - share * gap.x;
    g->arm_by = arm_b.y - share * gap.y;
    find_mass(g);
    find_push(g, gap);
}

INLINE void find_angle(const joint_lanes *g, drive_lanes *d)
{
    const float turn = (float)(2.0 * PI_D);
    lanes turns = __builtin_convertvector(g->turns, lanes);
    d->angle = d->start_angle + (angle_of(g->turn_c, g->turn_s) + turn * turns);
}

// ---- applying impulses

INLINE void apply_impulse(const joint_lanes *g, state_lanes *a, state_lanes *b, lanes x, lanes y)
{
    a->vx -= g->inv_mass_a * x;
    a->vy -= g->inv_mass_a * y;
    a->w -= g->inv_inertia_a * (g->arm_ax * y - g->arm_ay * x);
    b->vx += g->inv_mass_b * x;
    b->vy += g->inv_mass_b * y;
    b->w += g->inv_inertia_b * (g->arm_bx * y - g->arm_by * x);
}

INLINE void apply_turn(const joint_lanes *g, state_lanes *a, state_lanes *b, lanes impulse)
{
    a->w -= g->inv_inertia_a * impulse;
    b->w += g->inv_inertia_b * impulse;
}

INLINE void solve_point(joint_lanes *g, state_lanes *a, state_lanes *b, bool use_bias)
{
    lanes x = (b->vx - b->w * g->arm_by) - (a->vx - a->w * g->arm_ay);
    lanes y = (b->vy + b->w * g->arm_bx) - (a->vy + a->w * g->arm_ax);
    if (use_bias) {
        x = g->soft_velocity * x + g->push_x;
        y = g->soft_velocity * y + g->push_y;
    }
    lanes impulse_x = -(g->mass_xx * x + g->mass_xy * y);
    lanes impulse_y = -(g->mass_xy * x + g->mass_yy * y);
    if (use_bias) {
        impulse_x -= g->soft_impulse * g->impulse_x;
        impulse_y -= g->soft_impulse * g->impulse_y;
    }
    g->impulse_x += impulse_x;
    g->impulse_y += impulse_y;
    apply_impulse(g, a, b, impulse_x, impulse_y);
}

// A limit with `room` left (negative room is pushed out), closing at -rate. A sub-step may use up
// the remaining room, but no more.
INLINE lanes solve_limit(const joint_lanes *g, const drive_lanes *d, lanes room, lanes rate,
                         lanes *total, lanes inv_h, bool use_bias)
{
    const lanes zero = splat(0.0f);
    const lanes push_max = splat(JOINT_PUSH_MAX);
    lanes held = use_bias ? g->soft_velocity * rate +
                                lanes_clamp(g->soft_position * room, -push_max, push_max)
                          : rate;
    lanes_int open = room > zero;
    lanes wanted = lanes_select(open, rate + inv_h * room, held);
    lanes impulse = -d->mass * wanted;
    if (use_bias) {
        impulse -= lanes_select(open, zero, g->soft_impulse) * *total;
    }
    lanes before = *total;
    *total = lanes_max(before + impulse, zero);
    return *total - before;
}

INLINE void solve_drive(const joint_lanes *g, drive_lanes *d, state_lanes *a, state_lanes *b,
                        lanes inv_h, bool use_bias)
{
    lanes rate = b->w - a->w;
    lanes sum = splat(0.0f); // sum of the impulses applied here, which change the rate
    if (use_bias) {
        const lanes push_max = splat((float)PHYSICS_SPIN_MAX);
        lanes push = lanes_clamp(d->spring_position * (d->angle - d->rest), -push_max, push_max);
        sum = -d->mass * (d->spring_velocity * rate + push) - d->spring_impulse * d->impulse_spring;
        d->impulse_spring += sum;
    }
    lanes motor = d->impulse_motor - d->mass * (rate + sum * d->inverse_mass - d->motor_speed);
    motor = lanes_clamp(motor, -d->motor_max, d->motor_max);
    sum += motor - d->impulse_motor;
    d->impulse_motor = motor;
    sum += solve_limit(g, d, d->angle - d->lower, rate + sum * d->inverse_mass, &d->impulse_lower,
                       inv_h, use_bias);
    sum -= solve_limit(g, d, d->upper - d->angle, -(rate + sum * d->inverse_mass),
                       &d->impulse_upper, inv_h, use_bias);
    apply_turn(g, a, b, sum);
}

INLINE lanes drive_impulse(const drive_lanes *d)
{
    return d->impulse_spring + d->impulse_lower - d->impulse_upper + d->impulse_motor;
}

// ---- passes over groups of both sorts: `d` is NULL for those without a drive

INLINE void start_group(joint_lanes *g, drive_lanes *d, const body_state *states)
{
    state_lanes a = gather(states, g->body_a);
    state_lanes b = gather(states, g->body_b);
    g->turn_c = splat(1.0f);
    g->turn_s = splat(0.0f);
    g->owed_a = splat(0.0f);
    g->owed_b = splat(0.0f);
    find_point(g, &a, &b);
    if (d != NULL) {
        d->angle = d->start_angle;
    }
}

INLINE void warm_start_group(const joint_lanes *g, const drive_lanes *d, body_state *states)
{
    state_lanes a = gather_velocities(states, g->body_a);
    state_lanes b = gather_velocities(states, g->body_b);
    apply_impulse(g, &a, &b, g->impulse_x, g->impulse_y);
    if (d != NULL) {
        apply_turn(g, &a, &b, drive_impulse(d));
    }
    scatter(states, g->body_a, &a);
    scatter(states, g->body_b, &b);
}

// From the second sub-step on, the previous impulse has been applied again, at the arms of that
// time (integrate.c). Computes the difference that the current arms make.
INLINE void find_owed(joint_lanes *g, lanes ax, lanes ay, lanes bx, lanes by)
{
    lanes turn_a = (g->arm_ax - ax) * g->impulse_y - (g->arm_ay - ay) * g->impulse_x;
    lanes turn_b = (g->arm_bx - bx) * g->impulse_y - (g->arm_by - by) * g->impulse_x;
    g->owed_a = g->inv_inertia_a * turn_a;
    g->owed_b = g->inv_inertia_b * turn_b;
}

INLINE void solve_group(joint_lanes *g, drive_lanes *d, body_state *states, lanes inv_h)
{
    state_lanes a = gather_velocities(states, g->body_a);
    state_lanes b = gather_velocities(states, g->body_b);
    a.w -= g->owed_a;
    b.w += g->owed_b;
    if (d != NULL) {
        solve_drive(g, d, &a, &b, inv_h, true);
    }
    solve_point(g, &a, &b, true);
    scatter(states, g->body_a, &a);
    scatter(states, g->body_b, &b);
}

INLINE void relax_group(joint_lanes *g, drive_lanes *d, body_state *states,
                        const step_context *step)
{
    state_lanes a = gather(states, g->body_a);
    state_lanes b = gather(states, g->body_b);
    lanes ax = g->arm_ax;
    lanes ay = g->arm_ay;
    lanes bx = g->arm_bx;
    lanes by = g->arm_by;
    count_turns(g, &a, &b, step->h);
    find_point(g, &a, &b);
    find_owed(g, ax, ay, bx, by);
    if (d != NULL) {
        find_angle(g, d);
        solve_drive(g, d, &a, &b, splat(step->inv_h), false);
        d->total += drive_impulse(d);
    }
    solve_point(g, &a, &b, false);
    g->total_x += g->impulse_x;
    g->total_y += g->impulse_y;
    scatter(states, g->body_a, &a);
    scatter(states, g->body_b, &b);
}

static void start_plain(void *groups, uint32_t count, const body_state *states)
{
    joint_lanes *g = groups;
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < PARTS; part++) {
            start_group(PART_OF(&g[i], part), NULL, states);
        }
    }
}

static void warm_start_plain(const void *groups, uint32_t count, body_state *states)
{
    const joint_lanes *g = groups;
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < PARTS; part++) {
            warm_start_group(const_part_of(&g[i], part), NULL, states);
        }
    }
}

static void solve_plain(void *groups, uint32_t count, body_state *states, const step_context *step)
{
    joint_lanes *g = groups;
    const lanes inv_h = splat(step->inv_h);
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < PARTS; part++) {
            solve_group(PART_OF(&g[i], part), NULL, states, inv_h);
        }
    }
}

static void relax_plain(void *groups, uint32_t count, body_state *states, const step_context *step)
{
    joint_lanes *g = groups;
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < PARTS; part++) {
            relax_group(PART_OF(&g[i], part), NULL, states, step);
        }
    }
}

static void start_driven(void *groups, uint32_t count, const body_state *states)
{
    driven_lanes *g = groups;
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < PARTS; part++) {
            start_group(PART_OF(&g[i].point, part), PART_OF(&g[i].drive, part), states);
        }
    }
}

static void warm_start_driven(const void *groups, uint32_t count, body_state *states)
{
    const driven_lanes *g = groups;
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < PARTS; part++) {
            warm_start_group(const_part_of(&g[i].point, part), const_part_of(&g[i].drive, part),
                             states);
        }
    }
}

static void solve_driven(void *groups, uint32_t count, body_state *states, const step_context *step)
{
    driven_lanes *g = groups;
    const lanes inv_h = splat(step->inv_h);
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < PARTS; part++) {
            solve_group(PART_OF(&g[i].point, part), PART_OF(&g[i].drive, part), states, inv_h);
        }
    }
}

static void relax_driven(void *groups, uint32_t count, body_state *states, const step_context *step)
{
    driven_lanes *g = groups;
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < PARTS; part++) {
            relax_group(PART_OF(&g[i].point, part), PART_OF(&g[i].drive, part), states, step);
        }
    }
}

extern const joint_kernels KERNELS;
const joint_kernels KERNELS = {
    .sorts = {[SORT_PLAIN] = {start_plain, warm_start_plain, solve_plain, relax_plain},
              [SORT_DRIVEN] = {start_driven, warm_start_driven, solve_driven, relax_driven}},
    .angles = angles,
};
