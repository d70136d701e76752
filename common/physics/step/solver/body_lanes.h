// Bodies' states in lanes: gathers them, keeps their speeds within limits, and scatters velocities
// and movements back. Only files that are compiled once per variant include it, before all other
// headers of this room (lanes/lanes_kernel.h).
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_BODY_LANES_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_BODY_LANES_H

#include "common/physics/lanes/lanes_kernel.h"

#include "common/physics/state/world.h"

// Bodies' states, transposed from a row per body to a vector per field.
typedef struct state_lanes {
    lanes vx, vy, w;
    lanes flags; // bits, only copied
    lanes dx, dy, qc, qs;
} state_lanes;

// Gathers only velocities: dx to qs are zero.
INLINE state_lanes gather_velocities(const body_state *states, const uint32_t *slots)
{
    lanes f[4];
    gather_fours(&states->velocity, sizeof *states, slots, f);
    return (state_lanes){.vx = f[0], .vy = f[1], .w = f[2], .flags = f[3]};
}

INLINE state_lanes gather(const body_state *states, const uint32_t *slots)
{
    state_lanes s = gather_velocities(states, slots);
    lanes f[4];
    gather_fours(&states->delta_position, sizeof *states, slots, f);
    s.dx = f[0];
    s.dy = f[1];
    s.qc = f[2];
    s.qs = f[3];
    return s;
}

// The lanes whose speed and spin are within PHYSICS_SPEED_MAX and _SPIN_MAX, which excludes NaN.
INLINE lanes_int within_limits(const state_lanes *s)
{
    const lanes speed_max = splat((float)PHYSICS_SPEED_MAX);
    return (s->vx * s->vx + s->vy * s->vy <= speed_max * speed_max) &
           (lanes_abs(s->w) <= splat((float)PHYSICS_SPIN_MAX));
}

INLINE lanes number_or_zero(lanes a)
{
    return lanes_select(a == a, a, splat(0.0f));
}

// Does to lanes what body_cut_speed() does to a body.
INLINE void cut_speeds(state_lanes *s)
{
    const lanes speed_max = splat((float)PHYSICS_SPEED_MAX);
    const lanes spin_max = splat((float)PHYSICS_SPIN_MAX);
    const lanes most = splat(SPEED_SQUARABLE);
    lanes vx = lanes_clamp(number_or_zero(s->vx), -most, most);
    lanes vy = lanes_clamp(number_or_zero(s->vy), -most, most);
    lanes speed_squared = vx * vx + vy * vy;
    lanes_int fast = speed_squared > speed_max * speed_max;
    lanes scale = speed_max / lanes_sqrt(speed_squared);
    s->vx = lanes_select(fast, lanes_clamp(scale * vx, -speed_max, speed_max), vx);
    s->vy = lanes_select(fast, lanes_clamp(scale * vy, -speed_max, speed_max), vy);
    s->w = lanes_clamp(number_or_zero(s->w), -spin_max, spin_max);
}

// Clamps speeds to PHYSICS_SPEED_MAX and _SPIN_MAX. Returns whether any was clamped.
INLINE bool limit_speeds(state_lanes *s)
{
    if (__builtin_expect(any_lane(~within_limits(s)), false)) {
        cut_speeds(s);
        return true;
    }
    return false;
}

// Writes the velocities back to moving bodies. Usually all of them move, or none.
INLINE void scatter(body_state *states, const uint32_t *slots, const state_lanes *s)
{
    _Static_assert(STATE_DYNAMIC == 1, "the lowest bit says who moves");
    uint32_t moving = signs_of((lanes_int)s->flags << 31);
    if (moving == 0) {
        return;
    }
    const lanes fields[4] = {s->vx, s->vy, s->w, s->flags};
    lanes rows[4];
    turn_fours(fields, rows);
    if (moving == (1u << PART_LANES) - 1) {
        for (uint32_t lane = 0; lane < PART_LANES; lane++) {
            *(quad *)(void *)&states[slots[lane]] = row_of(rows, lane);
        }
        return;
    }
    for (uint32_t lane = 0; lane < PART_LANES; lane++) {
        body_state *state = &states[slots[lane]];
        if ((state->flags & STATE_DYNAMIC) != 0) {
            *(quad *)(void *)state = row_of(rows, lane);
        }
    }
}

// Writes the movements of the lanes in `which` back to their bodies, except static ones.
INLINE void scatter_moved(body_state *states, const uint32_t *slots, const state_lanes *s,
                          lanes_int which)
{
    const lanes fields[4] = {s->dx, s->dy, s->qc, s->qs};
    lanes rows[4];
    turn_fours(fields, rows);
    uint32_t moving = signs_of(which & (lanes_int)s->flags << 31);
    for (; moving != 0; moving &= moving - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(moving);
        *(quad *)(void *)&states[slots[lane]].delta_position = row_of(rows, lane);
    }
}

#endif
