// Integrates as many bodies at a time as a vector has lanes. See wide.h for why this is compiled
// more than once.
#include "common/physics/step/solver/body_lanes.h"

#include "common/physics/step/solver/integrate.h"
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/step/solver/solver_scratch.h"

#include <stddef.h>

_Static_assert(offsetof(body_motion, local_center) == offsetof(body_motion, rotation) + 8 &&
                   offsetof(body_motion, inv_inertia) == offsetof(body_motion, inv_mass) + 4 &&
                   offsetof(body_motion, inv_mass) == offsetof(body_motion, rotation) + 16,
               "fours of a motion's fields");

// Forces on bodies, constant during a step.
typedef struct force_lanes {
    lanes change_x, change_y, change_w; // change of the velocities in a sub-step, by forces
    lanes fall_x, fall_y;               // the same by gravity
    lanes drag, spin_drag;              // share of the velocities that damping leaves
    bool anywhere;                      // a force acts at a point: the fields below are in use
    lanes turning;                      // h times the inverse inertia
    lanes torque, force_x, force_y;     // the torque excludes that of the force at the point
    lanes point_x, point_y;       // arm of the force from the centre of mass, in the body's frame
    lanes rotation_c, rotation_s; // rotation of the body when the step began
} force_lanes;

// Unusual properties of the bodies, a vector per field.
typedef struct special_lanes {
    lanes linear_damping, angular_damping, gravity_scale;
    lanes force_x, force_y, point_x, point_y, torque;
} special_lanes;

INLINE special_lanes gather_specials(const physics_world *world, const uint32_t *slots)
{
    const body_special *first = &world->specials.data[world->motions.data[slots[0]].special];
    special_lanes s = {
        splat(first->linear_damping), splat(first->angular_damping), splat(first->gravity_scale),
        splat(first->force.x),        splat(first->force.y),         splat(first->force_point.x),
        splat(first->force_point.y),  splat(first->torque),
    };
    for (int i = 1; i < PART_LANES; i++) {
        const body_special *of = &world->specials.data[world->motions.data[slots[i]].special];
        if (of != first) {
            s.linear_damping[i] = of->linear_damping;
            s.angular_damping[i] = of->angular_damping;
            s.gravity_scale[i] = of->gravity_scale;
            s.force_x[i] = of->force.x;
            s.force_y[i] = of->force.y;
            s.point_x[i] = of->force_point.x;
            s.point_y[i] = of->force_point.y;
            s.torque[i] = of->torque;
        }
    }
    return s;
}

// Damping by the implicit Euler step of dv/dt = -c v: stable for any c.
INLINE lanes left_of(lanes h, lanes damping)
{
    const lanes one = splat(1.0f);
    return one / (one + h * damping);
}

INLINE lanes_int pushed_lanes(const state_lanes *s)
{
    _Static_assert(STATE_FORCE_AT_POINT == 2, "the bit beside the lowest");
    return (lanes_int)s->flags << 30 >> 31;
}

INLINE lanes_int special_lanes_of(const state_lanes *s)
{
    _Static_assert(STATE_SPECIAL == 4, "the third bit");
    return (lanes_int)s->flags << 29 >> 31;
}

// Forces on bodies without unusual properties: only gravity, which the step's numbers give.
INLINE force_lanes usual_forces(const physics_world *world)
{
    const body_special *usual = &world->specials.data[0];
    const lanes h = splat(world->step.h);
    lanes gravity = h * splat(usual->gravity_scale);
    return (force_lanes){
        .fall_x = gravity * splat((float)world->def.gravity.x),
        .fall_y = gravity * splat((float)world->def.gravity.y),
        .drag = left_of(h, splat(usual->linear_damping)),
        .spin_drag = left_of(h, splat(usual->angular_damping)),
    };
}

INLINE force_lanes special_forces(const physics_world *world, const uint32_t *slots,
                                  const state_lanes *state)
{
    const body_motion *motions = world->motions.data;
    const special_lanes of = gather_specials(world, slots);
    const lanes h = splat(world->step.h);
    lanes turned[4]; // rotation and local centre
    lanes masses[4]; // inverse mass and inertia, and two other values
    gather_fours(&motions->rotation, sizeof *motions, slots, turned);
    gather_fours(&motions->inv_mass, sizeof *motions, slots, masses);
    lanes turning = h * masses[1];
    lanes gravity = h * of.gravity_scale;
    return (force_lanes){
        .change_x = h * masses[0] * of.force_x,
        .change_y = h * masses[0] * of.force_y,
        .change_w = turning * of.torque,
        .fall_x = gravity * splat((float)world->def.gravity.x),
        .fall_y = gravity * splat((float)world->def.gravity.y),
        .drag = left_of(h, of.linear_damping),
        .spin_drag = left_of(h, of.angular_damping),
        .anywhere = any_lane(pushed_lanes(state)),
        .turning = turning,
        .torque = of.torque,
        .force_x = of.force_x,
        .force_y = of.force_y,
        .point_x = of.point_x - turned[2],
        .point_y = of.point_y - turned[3],
        .rotation_c = turned[0],
        .rotation_s = turned[1],
    };
}

INLINE force_lanes gather_forces(const physics_world *world, const uint32_t *slots,
                                 const state_lanes *state)
{
    return any_lane(special_lanes_of(state)) ? special_forces(world, slots, state)
                                             : usual_forces(world);
}

// The change of angular velocities, including that of a force at a point of the body.
INLINE lanes turn_by_forces(const force_lanes *f, const state_lanes *s)
{
    lanes c = s->qc * f->rotation_c - s->qs * f->rotation_s;
    lanes sine = s->qs * f->rotation_c + s->qc * f->rotation_s;
    lanes arm_x = c * f->point_x - sine * f->point_y;
    lanes arm_y = sine * f->point_x + c * f->point_y;
    lanes torque = f->torque + (arm_x * f->force_y - arm_y * f->force_x);
    return lanes_select(pushed_lanes(s), f->turning * torque, f->change_w);
}

INLINE void change_velocities(const force_lanes *f, state_lanes *s)
{
    lanes change_w = f->anywhere ? turn_by_forces(f, s) : f->change_w;
    s->vx = f->drag * ((s->vx + f->change_x) + f->fall_x);
    s->vy = f->drag * ((s->vy + f->change_y) + f->fall_y);
    s->w = (s->w + change_w) * f->spin_drag;
    limit_speeds(s);
}

// A rotation by an angle, as a vector of any length in its direction.
typedef struct turn_lanes {
    lanes c, s;
} turn_lanes;

// Up to this angle the quotient is exact to float precision [rad].
#define TURN_EXACT 1.0f

// Padé's quotient for the tangent, of degrees five and four, with its two sides as sine and cosine:
// the angle's error is 4e-8 at TURN_EXACT, and far less below.
INLINE turn_lanes turn_by(lanes angle)
{
    const lanes one = splat(1.0f);
    lanes square = angle * angle;
    return (turn_lanes){
        .c = one + square * (square * splat(1.0f / 63.0f) - splat(4.0f / 9.0f)),
        .s = angle * (one + square * (square * splat(1.0f / 945.0f) - splat(1.0f / 9.0f))),
    };
}

// The same for any angle: removes whole turns, and rotates four times by a quarter of the rest.
INLINE turn_lanes turn_far(lanes angle)
{
    const float round = 12582912.0f; // 1.5 * 2^23: adding it removes the fraction
    lanes turns = (angle * splat((float)(0.5 / PI_D)) + splat(round)) - splat(round);
    lanes rest = (angle - turns * splat(6.28125f)) - turns * splat((float)(2.0 * PI_D - 6.28125));
    turn_lanes t = turn_by(splat(0.25f) * rest);
    for (int i = 0; i < 2; i++) {
        t = (turn_lanes){t.c * t.c - t.s * t.s, splat(2.0f) * t.c * t.s};
    }
    return t;
}

INLINE void change_poses(float h, state_lanes *s)
{
    const lanes zero = splat(0.0f);
    const lanes one = splat(1.0f);
    const lanes step = splat(h);
    s->dx = s->dx + step * s->vx;
    s->dy = s->dy + step * s->vy;
    lanes angle = step * s->w;
    lanes_int far = lanes_abs(angle) > splat(TURN_EXACT);
    turn_lanes t = turn_by(angle);
    if (any_lane(far)) {
        const turn_lanes of_far = turn_far(angle);
        t.c = lanes_select(far, of_far.c, t.c);
        t.s = lanes_select(far, of_far.s, t.s);
    }
    lanes c = t.c * s->qc - t.s * s->qs;
    lanes sine = t.c * s->qs + t.s * s->qc;
    lanes magnitude = lanes_sqrt(c * c + sine * sine);
    lanes inverse = one / magnitude;
    s->qc = lanes_select(magnitude > zero, c * inverse, one);
    s->qs = lanes_select(magnitude > zero, sine * inverse, zero);
}

INLINE void scatter_poses(body_state *states, const uint32_t *slots, uint32_t count,
                          const state_lanes *s)
{
    const lanes fields[4] = {s->dx, s->dy, s->qc, s->qs};
    lanes rows[4];
    turn_fours(fields, rows);
    for (uint32_t lane = 0; lane < PART_LANES; lane++) {
        if (lane < count) {
            *(quad *)(void *)&states[slots[lane]].delta_position = row_of(rows, lane);
        }
    }
}

// The next slots, as many as there are lanes; if fewer remain, filled up with NONE.
INLINE const uint32_t *take_part(const uint32_t *slots, uint32_t count, uint32_t *room)
{
    if (count >= PART_LANES) {
        return slots;
    }
    for (uint32_t i = 0; i < PART_LANES; i++) {
        room[i] = i < count ? slots[i] : NONE;
    }
    return room;
}

static void integrate_all(physics_world *world, const uint32_t *slots, uint32_t count)
{
    body_state *states = world->states.data;
    for (uint32_t i = 0; i < count; i += PART_LANES) {
        uint32_t room[PART_LANES];
        const uint32_t *of = take_part(slots + i, count - i, room);
        state_lanes s = gather(states, of);
        const force_lanes forces = gather_forces(world, of, &s);
        for (int k = 0; k < world->step.substeps; k++) {
            change_velocities(&forces, &s);
            change_poses(world->step.h, &s);
        }
        scatter(states, of, &s);
        scatter_poses(states, of, count - i, &s);
    }
}

// The end in world->solver->held of the groups of eight before `end`.
INLINE uint32_t held_end(const physics_world *world, uint32_t end)
{
    return end * LANES < world->solver->held.count ? end * LANES : world->solver->held.count;
}

static void integrate_lane_velocities(physics_world *world, uint32_t first, uint32_t end,
                                      bool again)
{
    body_state *states = world->states.data;
    const uint32_t stop = held_end(world, end);
    for (uint32_t i = first * LANES; i < stop; i += PART_LANES) {
        uint32_t room[PART_LANES];
        const uint32_t *of = take_part(world->solver->held.data + i, stop - i, room);
        velocity_lanes *unsolved = &world->solver->unsolved.data[i / LANES];
        float *vx = unsolved->vx + i % LANES;
        float *vy = unsolved->vy + i % LANES;
        float *w = unsolved->w + i % LANES;
        state_lanes s = gather(states, of);
        const force_lanes forces = gather_forces(world, of, &s);
        const lanes zero = splat(0.0f);
        lanes solved_x = again ? s.vx - lanes_load(vx) : zero;
        lanes solved_y = again ? s.vy - lanes_load(vy) : zero;
        lanes solved_w = again ? s.w - lanes_load(w) : zero;
        change_velocities(&forces, &s);
        lanes_store(vx, s.vx);
        lanes_store(vy, s.vy);
        lanes_store(w, s.w);
        s.vx += solved_x;
        s.vy += solved_y;
        s.w += solved_w;
        scatter(states, of, &s);
    }
}

// Joints and contacts may have made velocities beyond the limits: clamps them before they move
// anything.
static void integrate_lane_positions(physics_world *world, uint32_t first, uint32_t end)
{
    body_state *states = world->states.data;
    const uint32_t stop = held_end(world, end);
    for (uint32_t i = first * LANES; i < stop; i += PART_LANES) {
        uint32_t room[PART_LANES];
        const uint32_t *of = take_part(world->solver->held.data + i, stop - i, room);
        state_lanes s = gather(states, of);
        if (limit_speeds(&s)) {
            scatter(states, of, &s);
        }
        change_poses(world->step.h, &s);
        scatter_poses(states, of, stop - i, &s);
    }
}

extern const integrate_kernels VARIANT_OF(integrate_kernels_);
const integrate_kernels VARIANT_OF(integrate_kernels_) = {
    integrate_all,
    integrate_lane_velocities,
    integrate_lane_positions,
};
