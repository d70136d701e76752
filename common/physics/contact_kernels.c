// The inner loops of the contact solver. See contact_lanes.h for why this is compiled more than
// once.
//
// Sequential impulses with accumulation (E. Catto, "Iterative Dynamics with Temporal Coherence",
// GDC 2005): the sum of a contact's normal impulses is clamped at zero, friction's by friction
// times the normal impulse. Overlap acts as a stiff, over-damped spring that pushes out slowly
// (soft constraints: E. Catto, GDC 2011), in sub-steps (Macklin et al., "Small Steps in Physics
// Simulation", 2019); a relaxing pass after each then takes out the velocity that the pushing
// brought in. These loops are long on purpose: they read as the formulas do.
#include "common/physics/contact_lanes.h"

#ifndef KERNEL_VARIANT
#define KERNEL_VARIANT base
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define KERNELS     JOIN(contact_kernels_, KERNEL_VARIANT)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)

#define INLINE static inline __attribute__((always_inline))

INLINE wide splat(float a)
{
    return (wide){a, a, a, a, a, a, a, a};
}

INLINE wide select_wide(wide_int mask, wide yes, wide no)
{
    return (wide)((mask & (wide_int)yes) | (~mask & (wide_int)no));
}

INLINE wide max_wide(wide a, wide b)
{
    return select_wide(a > b, a, b);
}

INLINE wide min_wide(wide a, wide b)
{
    return select_wide(a < b, a, b);
}

// Eight bodies' states, turned from a row a body into a vector a field.
typedef struct state_lanes {
    wide vx, vy, w;
    wide flags; // bits, only carried along
    wide dx, dy, qc, qs;
} state_lanes;

#define SHUFFLE __builtin_shufflevector

INLINE void transpose(const wide r[8], wide out[8])
{
    wide t[8];
    wide u[8];
    for (int i = 0; i < 4; i++) {
        t[2 * i] = SHUFFLE(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[2 * i + 1] = SHUFFLE(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        u[4 * i] = SHUFFLE(t[4 * i], t[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        u[4 * i + 1] = SHUFFLE(t[4 * i], t[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        u[4 * i + 2] = SHUFFLE(t[4 * i + 1], t[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        u[4 * i + 3] = SHUFFLE(t[4 * i + 1], t[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        out[i] = SHUFFLE(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[i + 4] = SHUFFLE(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

INLINE state_lanes gather(const body_state *states, const uint32_t *slots)
{
    wide rows[8];
    wide fields[8];
    for (int i = 0; i < LANES; i++) {
        rows[i] = *(const wide *)(const void *)&states[slots[i]];
    }
    transpose(rows, fields);
    return (state_lanes){fields[0], fields[1], fields[2], fields[3],
                         fields[4], fields[5], fields[6], fields[7]};
}

typedef float quad __attribute__((vector_size(16)));

// Writes the velocities back to the bodies that move.
INLINE void scatter(body_state *states, const uint32_t *slots, const state_lanes *s)
{
    wide t0 = SHUFFLE(s->vx, s->vy, 0, 8, 1, 9, 4, 12, 5, 13);
    wide t1 = SHUFFLE(s->vx, s->vy, 2, 10, 3, 11, 6, 14, 7, 15);
    wide t2 = SHUFFLE(s->w, s->flags, 0, 8, 1, 9, 4, 12, 5, 13);
    wide t3 = SHUFFLE(s->w, s->flags, 2, 10, 3, 11, 6, 14, 7, 15);
    wide rows[4] = {
        SHUFFLE(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13),   // lanes 0 and 4
        SHUFFLE(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15), // 1 and 5
        SHUFFLE(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13),   // 2 and 6
        SHUFFLE(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15), // 3 and 7
    };
    for (int i = 0; i < 4; i++) {
        body_state *low = &states[slots[i]];
        body_state *high = &states[slots[i + 4]];
        if ((low->flags & STATE_DYNAMIC) != 0) {
            *(quad *)(void *)low = SHUFFLE(rows[i], rows[i], 0, 1, 2, 3);
        }
        if ((high->flags & STATE_DYNAMIC) != 0) {
            *(quad *)(void *)high = SHUFFLE(rows[i], rows[i], 4, 5, 6, 7);
        }
    }
}

// Impulse (px, py) at the anchors: minus on A, plus on B.
INLINE void apply_impulse(const contact_lanes *c, const point_lanes *p, state_lanes *a,
                          state_lanes *b, wide px, wide py)
{
    a->vx -= c->inv_mass_a * px;
    a->vy -= c->inv_mass_a * py;
    a->w -= c->inv_inertia_a * (p->anchor_ax * py - p->anchor_ay * px);
    b->vx += c->inv_mass_b * px;
    b->vy += c->inv_mass_b * py;
    b->w += c->inv_inertia_b * (p->anchor_bx * py - p->anchor_by * px);
}

typedef struct velocity_lanes {
    wide x, y;
} velocity_lanes;

// Of B's anchor relative to A's.
INLINE velocity_lanes relative_velocity(const point_lanes *p, const state_lanes *a,
                                        const state_lanes *b)
{
    return (velocity_lanes){
        (b->vx - b->w * p->anchor_by) - (a->vx - a->w * p->anchor_ay),
        (b->vy + b->w * p->anchor_bx) - (a->vy + a->w * p->anchor_ax),
    };
}

// Separation now: from the changes of pose since the step began.
INLINE wide separation_now(const contact_lanes *c, const point_lanes *p, const state_lanes *a,
                           const state_lanes *b)
{
    wide x = (b->dx - a->dx) + ((b->qc * p->anchor_bx - b->qs * p->anchor_by) -
                                (a->qc * p->anchor_ax - a->qs * p->anchor_ay));
    wide y = (b->dy - a->dy) + ((b->qs * p->anchor_bx + b->qc * p->anchor_by) -
                                (a->qs * p->anchor_ax + a->qc * p->anchor_ay));
    return (x * c->normal_x + y * c->normal_y) + p->base_separation;
}

static void warm_start(const contact_lanes *lanes, uint32_t count, body_state *states)
{
    for (uint32_t i = 0; i < count; i++) {
        const contact_lanes *c = &lanes[i];
        state_lanes a = gather(states, c->body_a);
        state_lanes b = gather(states, c->body_b);
        for (int k = 0; k < 2; k++) {
            const point_lanes *p = &c->points[k];
            wide px = p->normal_impulse * c->normal_x + p->tangent_impulse * c->normal_y;
            wide py = p->normal_impulse * c->normal_y - p->tangent_impulse * c->normal_x;
            apply_impulse(c, p, &a, &b, px, py);
        }
        a.w -= c->inv_inertia_a * c->rolling_impulse;
        b.w += c->inv_inertia_b * c->rolling_impulse;
        scatter(states, c->body_a, &a);
        scatter(states, c->body_b, &b);
    }
}

static void push(contact_lanes *lanes, uint32_t count, body_state *states, const step_context *step)
{
    const wide inv_h = splat(step->inv_h);
    const wide push_out = splat(-PUSH_OUT_SPEED_MAX);
    const wide slop = splat(OVERLAP_SLOP);
    const wide zero = splat(0.0f);
    const wide one = splat(1.0f);
    for (uint32_t i = 0; i < count; i++) {
        contact_lanes *c = &lanes[i];
        state_lanes a = gather(states, c->body_a);
        state_lanes b = gather(states, c->body_b);
        for (int k = 0; k < 2; k++) {
            point_lanes *p = &c->points[k];
            wide s = separation_now(c, p, &a, &b);
            wide_int apart = s > zero;
            wide soft = max_wide(c->bias_rate * min_wide(s + slop, zero), push_out);
            wide bias = select_wide(apart, s * inv_h, soft);
            wide mass_scale = select_wide(apart, one, c->mass_scale);
            wide impulse_scale = select_wide(apart, zero, c->impulse_scale);
            velocity_lanes v = relative_velocity(p, &a, &b);
            wide vn = v.x * c->normal_x + v.y * c->normal_y;
            wide impulse =
                -(p->normal_mass * mass_scale) * (vn + bias) - impulse_scale * p->normal_impulse;
            wide sum = max_wide(p->normal_impulse + impulse, zero);
            impulse = sum - p->normal_impulse;
            p->normal_impulse = sum;
            apply_impulse(c, p, &a, &b, impulse * c->normal_x, impulse * c->normal_y);
        }
        scatter(states, c->body_a, &a);
        scatter(states, c->body_b, &b);
    }
}

static void relax(contact_lanes *lanes, uint32_t count, body_state *states,
                  const step_context *step)
{
    const wide inv_h = splat(step->inv_h);
    const wide zero = splat(0.0f);
    for (uint32_t i = 0; i < count; i++) {
        contact_lanes *c = &lanes[i];
        state_lanes a = gather(states, c->body_a);
        state_lanes b = gather(states, c->body_b);
        for (int k = 0; k < 2; k++) {
            point_lanes *p = &c->points[k];
            velocity_lanes v = relative_velocity(p, &a, &b);
            wide vt = v.x * c->normal_y - v.y * c->normal_x;
            wide impulse = -p->tangent_mass * (vt - c->tangent_speed);
            wide limit = c->friction * p->normal_impulse;
            wide sum = max_wide(min_wide(p->tangent_impulse + impulse, limit), -limit);
            impulse = sum - p->tangent_impulse;
            p->tangent_impulse = sum;
            apply_impulse(c, p, &a, &b, impulse * c->normal_y, -(impulse * c->normal_x));
        }
        wide pressed = zero;
        for (int k = 0; k < 2; k++) {
            point_lanes *p = &c->points[k];
            wide s = separation_now(c, p, &a, &b);
            wide bias = max_wide(s, zero) * inv_h;
            velocity_lanes v = relative_velocity(p, &a, &b);
            wide vn = v.x * c->normal_x + v.y * c->normal_y;
            wide impulse = -p->normal_mass * (vn + bias);
            wide sum = max_wide(p->normal_impulse + impulse, zero);
            impulse = sum - p->normal_impulse;
            p->normal_impulse = sum;
            p->total_impulse += sum;
            pressed += sum;
            apply_impulse(c, p, &a, &b, impulse * c->normal_x, impulse * c->normal_y);
        }
        if ((c->features & LANES_ROLLING) != 0) {
            wide impulse = -c->rolling_mass * (b.w - a.w);
            wide limit = c->rolling_resistance * pressed;
            wide sum = max_wide(min_wide(c->rolling_impulse + impulse, limit), -limit);
            impulse = sum - c->rolling_impulse;
            c->rolling_impulse = sum;
            a.w -= c->inv_inertia_a * impulse;
            b.w += c->inv_inertia_b * impulse;
        }
        scatter(states, c->body_a, &a);
        scatter(states, c->body_b, &b);
    }
}

static void restitution(contact_lanes *lanes, uint32_t count, body_state *states, float threshold)
{
    const wide zero = splat(0.0f);
    const wide fast = splat(-threshold);
    for (uint32_t i = 0; i < count; i++) {
        contact_lanes *c = &lanes[i];
        if ((c->features & LANES_RESTITUTION) == 0) {
            continue;
        }
        state_lanes a = gather(states, c->body_a);
        state_lanes b = gather(states, c->body_b);
        for (int k = 0; k < 2; k++) {
            point_lanes *p = &c->points[k];
            wide_int bounces = (p->approach_speed < fast) & (p->total_impulse > zero);
            velocity_lanes v = relative_velocity(p, &a, &b);
            wide vn = v.x * c->normal_x + v.y * c->normal_y;
            wide impulse = -p->normal_mass * (vn + c->restitution * p->approach_speed);
            wide sum = max_wide(p->normal_impulse + impulse, zero);
            impulse = select_wide(bounces, sum - p->normal_impulse, zero);
            p->normal_impulse += impulse;
            p->total_impulse += impulse;
            apply_impulse(c, p, &a, &b, impulse * c->normal_x, impulse * c->normal_y);
        }
        scatter(states, c->body_a, &a);
        scatter(states, c->body_b, &b);
    }
}

extern const contact_kernels KERNELS;
const contact_kernels KERNELS = {
    .name = TEXT(KERNEL_VARIANT),
    .warm_start = warm_start,
    .solve = push,
    .relax = relax,
    .restitution = restitution,
};
