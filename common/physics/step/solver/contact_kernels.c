// The inner loops of the contact solver. See wide.h for why this is compiled more than once.
//
// Sequential impulses with accumulation (E. Catto, "Iterative Dynamics with Temporal Coherence",
// GDC 2005): the sum of a contact's normal impulses is clamped at zero, friction's by friction
// times the normal impulse. Overlap acts as a stiff, over-damped spring that pushes bodies out
// slowly (soft constraints: E. Catto, GDC 2011), in sub-steps (Macklin et al., "Small Steps in
// Physics Simulation", 2019); a relaxing pass after each then removes the velocity that the pushing
// added. These loops are long on purpose: they read like the formulas.
#include "common/physics/step/solver/body_lanes.h"

#include "common/physics/step/solver/contact_fill.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/lanes/vector_lanes.h"

#define KERNELS VARIANT_OF(contact_kernels_)

INLINE lanes anchor_bx(const contact_lanes *c, const point_lanes *p)
{
    return p->anchor_ax - c->way_x;
}

INLINE lanes anchor_by(const contact_lanes *c, const point_lanes *p)
{
    return p->anchor_ay - c->way_y;
}

// Applies the impulse (px, py) at the anchors: minus on A, plus on B.
INLINE void apply_impulse(const contact_lanes *c, const point_lanes *p, state_lanes *a,
                          state_lanes *b, lanes px, lanes py)
{
    a->vx -= c->inv_mass_a * px;
    a->vy -= c->inv_mass_a * py;
    a->w -= c->inv_inertia_a * (p->anchor_ax * py - p->anchor_ay * px);
    b->vx += c->inv_mass_b * px;
    b->vy += c->inv_mass_b * py;
    b->w += c->inv_inertia_b * (anchor_bx(c, p) * py - anchor_by(c, p) * px);
}

// A part of a group in a sweep.
typedef struct group_view {
    contact_lanes *lanes;
    uint32_t features;
    const contact_groups *groups;
    uint32_t index;
    int part;
} group_view;

INLINE group_view view_group(const contact_groups *groups, uint32_t index, int part)
{
    return (group_view){PART_OF(&groups->lanes[index], part), groups->marks[index].features[part],
                        groups, index, part};
}

// The surface of a group, which exists with LANES_ROLLING, LANES_CONVEYING or impacts.
INLINE surface_lanes *surface_of(const group_view *g)
{
    return PART_OF(&g->groups->surfaces[g->index], g->part);
}

// The velocity of B's anchor relative to A's.
INLINE vector_lanes relative_velocity(const contact_lanes *c, const point_lanes *p,
                                      const state_lanes *a, const state_lanes *b)
{
    return (vector_lanes){
        (b->vx - b->w * anchor_by(c, p)) - (a->vx - a->w * p->anchor_ay),
        (b->vy + b->w * anchor_bx(c, p)) - (a->vy + a->w * p->anchor_ax),
    };
}

// The current separation, from the changes of pose since the step began.
INLINE lanes separation_now(const contact_lanes *c, const point_lanes *p, const state_lanes *a,
                            const state_lanes *b)
{
    lanes bx = anchor_bx(c, p);
    lanes by = anchor_by(c, p);
    lanes x = (b->dx - a->dx) +
              ((b->qc * bx - b->qs * by) - (a->qc * p->anchor_ax - a->qs * p->anchor_ay));
    lanes y = (b->dy - a->dy) +
              ((b->qs * bx + b->qc * by) - (a->qs * p->anchor_ax + a->qc * p->anchor_ay));
    return (x * c->normal_x + y * c->normal_y) + p->base_separation;
}

// A round shape touches at other places as it rotates: the part of an anchor's arm along the normal
// does not rotate with the body, though separation_now() rotates it. Returns the error from that:
// with the normal n and the rotation R, n·(R n) is the cosine.
INLINE lanes rolled(const group_view *g, const state_lanes *a, const state_lanes *b)
{
    const lanes one = splat(1.0f);
    if ((g->features & LANES_ROUND) == 0) {
        return splat(0.0f);
    }
    const rounding_lanes *round = const_part_of(&g->groups->roundings[g->index], g->part);
    return round->a * (a->qc - one) + round->b * (b->qc - one);
}

// Prefetches data that does not fit the caches: lanes, and the states of bodies named by lanes
// already loaded. If all data fits, prefetching costs more than it saves.
#define GROUPS_NEAR 2048u
enum { LANES_AHEAD = 6, STATES_AHEAD = 3, LINE_BYTES = 64 };

INLINE bool lie_far(const contact_groups *groups)
{
    return groups->first[COLOURS + 1] > GROUPS_NEAR;
}

INLINE void ask_ahead(const contact_groups *groups, uint32_t index, uint32_t end,
                      const body_state *states)
{
    if (index + LANES_AHEAD < end) {
        const char *group = (const char *)&groups->lanes[index + LANES_AHEAD];
        for (size_t at = 0; at < sizeof(contact_lanes); at += LINE_BYTES) {
            __builtin_prefetch(group + at);
        }
    }
    if (index + STATES_AHEAD < end) {
        const contact_lanes *next = &groups->lanes[index + STATES_AHEAD];
        for (int lane = 0; lane < LANES; lane++) {
            __builtin_prefetch(&states[next->body_a[lane]]);
            __builtin_prefetch(&states[next->body_b[lane]]);
        }
    }
}

// One sweep's work on a part of a group. `twin` is a constant to the compiler: parts in which some
// contact has a second point and parts without one run separate code from one source.
typedef void part_sweep(const group_view *g, body_state *states, const step_context *step,
                        bool twin);

// Sweeps over the groups [first, end).
INLINE void sweep_groups(const contact_groups *groups, uint32_t first, uint32_t end,
                         body_state *states, const step_context *step, part_sweep *one)
{
    const bool far = lie_far(groups);
    for (uint32_t i = first; i < end; i++) {
        if (far) {
            ask_ahead(groups, i, end, states);
        }
        for (int part = 0; part < PARTS; part++) {
            const group_view g = view_group(groups, i, part);
            if ((g.features & LANES_NONE) != 0) {
                break;
            }
            if ((g.features & LANES_SINGLE) != 0) {
                one(&g, states, step, false);
            } else {
                one(&g, states, step, true);
            }
        }
    }
}

INLINE void warm_start_group(const group_view *g, body_state *states, const step_context *step,
                             bool twin)
{
    (void)step;
    const contact_lanes *c = g->lanes;
    state_lanes a = gather_velocities(states, c->body_a);
    state_lanes b = gather_velocities(states, c->body_b);
    for (int n = 0; n < (twin ? 2 : 1); n++) {
        const point_lanes *p = &c->points[n];
        lanes px = p->normal_impulse * c->normal_x + p->tangent_impulse * c->normal_y;
        lanes py = p->normal_impulse * c->normal_y - p->tangent_impulse * c->normal_x;
        apply_impulse(c, p, &a, &b, px, py);
    }
    if ((g->features & LANES_ROLLING) != 0) {
        const surface_lanes *s = surface_of(g);
        a.w -= c->inv_inertia_a * s->rolling_impulse;
        b.w += c->inv_inertia_b * s->rolling_impulse;
    }
    scatter(states, c->body_a, &a);
    scatter(states, c->body_b, &b);
}

static void warm_start(const contact_groups *groups, uint32_t first, uint32_t end,
                       body_state *states)
{
    sweep_groups(groups, first, end, states, NULL, warm_start_group);
}

// Impulses of the two points of a contact, solved together.
typedef struct impulse_pair {
    lanes x1, x2;
} impulse_pair;

// The matrix K of a contact's two points: the effect of an impulse at one on the normal velocity at
// either.
typedef struct pair_matrix {
    lanes k1, k2, k12;
    lanes mass1, mass2; // 1 / k1, 1 / k2
    lanes inverse_det;
} pair_matrix;

// Computes quotients instead of storing them: the divider is otherwise idle, and memory costs more.
INLINE pair_matrix rigid_matrix(const contact_lanes *c)
{
    lanes k1 = c->points[0].normal_k;
    lanes k2 = c->points[1].normal_k;
    lanes k12 = c->coupling_k;
    return (pair_matrix){k1, k2, k12, inverse(k1), inverse(k2), inverse(k1 * k2 - k12 * k12)};
}

// A soft constraint yields in proportion to its impulse, which enlarges the diagonal.
INLINE pair_matrix soft_matrix(const contact_lanes *c, const softness_lanes *soft)
{
    lanes k1 = c->points[0].normal_k * soft->yield;
    lanes k2 = c->points[1].normal_k * soft->yield;
    lanes k12 = c->coupling_k;
    lanes scale = soft->mass_scale;
    return (pair_matrix){k1,
                         k2,
                         k12,
                         inverse(c->points[0].normal_k) * scale,
                         inverse(c->points[1].normal_k) * scale,
                         inverse(k1 * k2 - k12 * k12)};
}

// The lanes whose contact has a second point.
INLINE lanes_int are_twins(const contact_lanes *c)
{
    return c->points[1].base_separation < splat(FAR_AWAY);
}

// The linear complementarity problem x >= 0, K x + b >= 0, x (K x + b) = 0. K is positive definite,
// so the solution is unique: both press, or only the first, or only the second, or none. In lanes
// without a second point it cannot press, whatever b2 is: these lanes get the result of
// solve_normal().
INLINE impulse_pair solve_pair(const pair_matrix *k, lanes_int twins, lanes b1, lanes b2)
{
    const lanes zero = splat(0.0f);
    lanes x1 = k->inverse_det * (k->k12 * b2 - k->k2 * b1);
    lanes x2 = k->inverse_det * (k->k12 * b1 - k->k1 * b2);
    lanes first = lanes_max(-(k->mass1 * b1), zero);
    lanes second = lanes_max(-(k->mass2 * b2), zero);
    lanes_int both = (x1 >= zero) & (x2 >= zero) & twins;
    lanes_int only_first = (k->k12 * first + b2 >= zero) | ~twins;
    return (impulse_pair){
        lanes_select(both, x1, lanes_select(only_first, first, zero)),
        lanes_select(both, x2, lanes_select(only_first, zero, second)),
    };
}

INLINE lanes normal_velocity(const contact_lanes *c, const point_lanes *p, const state_lanes *a,
                             const state_lanes *b)
{
    vector_lanes v = relative_velocity(c, p, a, b);
    return v.x * c->normal_x + v.y * c->normal_y;
}

INLINE void apply_normal_impulses(const contact_lanes *c, state_lanes *a, state_lanes *b, lanes d1,
                                  lanes d2)
{
    apply_impulse(c, &c->points[0], a, b, d1 * c->normal_x, d1 * c->normal_y);
    apply_impulse(c, &c->points[1], a, b, d2 * c->normal_x, d2 * c->normal_y);
}

// Brings both points' normal velocities to -bias or above, including the impulses so far.
INLINE void solve_normals(contact_lanes *c, const pair_matrix *k, state_lanes *a, state_lanes *b,
                          lanes bias1, lanes bias2)
{
    point_lanes *p1 = &c->points[0];
    point_lanes *p2 = &c->points[1];
    lanes b1 = (normal_velocity(c, p1, a, b) + bias1) -
               (p1->normal_k * p1->normal_impulse + c->coupling_k * p2->normal_impulse);
    lanes b2 = (normal_velocity(c, p2, a, b) + bias2) -
               (p2->normal_k * p2->normal_impulse + c->coupling_k * p1->normal_impulse);
    impulse_pair x = solve_pair(k, are_twins(c), b1, b2);
    apply_normal_impulses(c, a, b, x.x1 - p1->normal_impulse, x.x2 - p2->normal_impulse);
    p1->normal_impulse = x.x1;
    p2->normal_impulse = x.x2;
}

// The same if no lane has a second point.
INLINE void solve_normal(contact_lanes *c, lanes mass, state_lanes *a, state_lanes *b, lanes bias)
{
    point_lanes *p = &c->points[0];
    lanes left = (normal_velocity(c, p, a, b) + bias) - p->normal_k * p->normal_impulse;
    lanes x = lanes_max(-(mass * left), splat(0.0f));
    lanes d = x - p->normal_impulse;
    apply_impulse(c, p, a, b, d * c->normal_x, d * c->normal_y);
    p->normal_impulse = x;
}

// For a gap: the points may close by the rest of it. For an overlap: they are pushed apart.
INLINE lanes push_bias(const softness_lanes *of, lanes separation, lanes inv_h)
{
    const lanes zero = splat(0.0f);
    lanes overlap = lanes_min(separation + splat(OVERLAP_SLOP), zero);
    lanes deep = lanes_min(separation + splat(DEEP_OVERLAP), zero);
    lanes soft = lanes_max(of->bias_rate * overlap + splat(DEEP_PUSH_RATE) * deep,
                           splat(-PUSH_OUT_SPEED_MAX));
    return lanes_select(separation > zero, separation * inv_h, soft);
}

// Contacts of thin bodies are stiffer, so that these do not sink in as far as thick ones may.
INLINE softness_lanes softness_of(const group_view *g, const step_context *step)
{
    softness_lanes soft = softness(g->lanes, step);
    if ((g->features & LANES_THIN) != 0) {
        const lanes one = splat(1.0f);
        const give_lanes *gives = const_part_of(&g->groups->gives[g->index], g->part);
        const lanes_int thin = gives->share < one;
        const lanes yield = one + (soft.yield - one) * gives->share;
        soft.mass_scale = lanes_select(thin, one / yield, soft.mass_scale);
        soft.yield = lanes_select(thin, yield, soft.yield);
    }
    return soft;
}

INLINE void push_group(const group_view *g, body_state *states, const step_context *step, bool twin)
{
    const lanes inv_h = splat(step->inv_h);
    contact_lanes *c = g->lanes;
    state_lanes a = gather(states, c->body_a);
    state_lanes b = gather(states, c->body_b);
    lanes round = rolled(g, &a, &b);
    softness_lanes soft = softness_of(g, step);
    lanes bias1 = push_bias(&soft, separation_now(c, &c->points[0], &a, &b) + round, inv_h);
    if (twin) {
        lanes bias2 = push_bias(&soft, separation_now(c, &c->points[1], &a, &b) + round, inv_h);
        pair_matrix k = soft_matrix(c, &soft);
        solve_normals(c, &k, &a, &b, bias1, bias2);
    } else {
        solve_normal(c, inverse(c->points[0].normal_k) * soft.mass_scale, &a, &b, bias1);
    }
    scatter(states, c->body_a, &a);
    scatter(states, c->body_b, &b);
}

static void push(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                 const step_context *step)
{
    sweep_groups(groups, first, end, states, step, push_group);
}

// The speed at which the point slides across the normal, minus the speed of conveying surfaces.
INLINE lanes sliding(const group_view *g, const point_lanes *p, const state_lanes *a,
                     const state_lanes *b)
{
    const contact_lanes *c = g->lanes;
    vector_lanes v = relative_velocity(c, p, a, b);
    lanes across = v.x * c->normal_y - v.y * c->normal_x;
    return (g->features & LANES_CONVEYING) != 0 ? across - surface_of(g)->tangent_speed : across;
}

INLINE void apply_friction(const group_view *g, point_lanes *p, state_lanes *a, state_lanes *b)
{
    const contact_lanes *c = g->lanes;
    lanes impulse = -p->tangent_mass * sliding(g, p, a, b);
    lanes limit = c->friction * p->normal_impulse;
    lanes sum = lanes_max(lanes_min(p->tangent_impulse + impulse, limit), -limit);
    impulse = sum - p->tangent_impulse;
    p->tangent_impulse = sum;
    apply_impulse(c, p, a, b, impulse * c->normal_y, -(impulse * c->normal_x));
}

INLINE void apply_rolling_resistance(const group_view *g, state_lanes *a, state_lanes *b)
{
    const contact_lanes *c = g->lanes;
    surface_lanes *s = surface_of(g);
    lanes pressed = c->points[0].normal_impulse + c->points[1].normal_impulse;
    lanes impulse = -s->rolling_mass * (b->w - a->w);
    lanes limit = s->rolling_resistance * pressed;
    lanes sum = lanes_max(lanes_min(s->rolling_impulse + impulse, limit), -limit);
    impulse = sum - s->rolling_impulse;
    s->rolling_impulse = sum;
    a->w -= c->inv_inertia_a * impulse;
    b->w += c->inv_inertia_b * impulse;
}

// A contact that closes fast and still has a gap is left to the next sub-step, which begins with
// impacts.
INLINE lanes leave_impact(const group_view *g, const point_lanes *p, const state_lanes *a,
                          const state_lanes *b, const step_context *step, lanes bias)
{
    const lanes zero = splat(0.0f);
    const float speed = float_max(step->restitution_threshold, (float)SPEED_LEAST);
    lanes_int fast = normal_velocity(g->lanes, p, a, b) < splat(-speed);
    lanes_int left = fast & (bias > zero) & (surface_of(g)->restitution > zero);
    return lanes_select(left, splat(FAR_AWAY), bias);
}

// All values of a part that a sweep can change.
typedef struct swept_lanes {
    state_lanes a, b;
    lanes normal[2], tangent[2], rolling;
} swept_lanes;

INLINE swept_lanes swept_now(const group_view *g, const state_lanes *a, const state_lanes *b)
{
    const point_lanes *p = g->lanes->points;
    const bool rolls = (g->features & LANES_ROLLING) != 0;
    return (swept_lanes){.a = *a,
                         .b = *b,
                         .normal = {p[0].normal_impulse, p[1].normal_impulse},
                         .tangent = {p[0].tangent_impulse, p[1].tangent_impulse},
                         .rolling = rolls ? surface_of(g)->rolling_impulse : splat(0.0f)};
}

// Reverts the changes of all lanes except these.
INLINE void keep_swept(const group_view *g, const swept_lanes *before, lanes_int only,
                       state_lanes *a, state_lanes *b)
{
    a->vx = lanes_select(only, a->vx, before->a.vx);
    a->vy = lanes_select(only, a->vy, before->a.vy);
    a->w = lanes_select(only, a->w, before->a.w);
    b->vx = lanes_select(only, b->vx, before->b.vx);
    b->vy = lanes_select(only, b->vy, before->b.vy);
    b->w = lanes_select(only, b->w, before->b.w);
    for (int i = 0; i < 2; i++) {
        point_lanes *p = &g->lanes->points[i];
        p->normal_impulse = lanes_select(only, p->normal_impulse, before->normal[i]);
        p->tangent_impulse = lanes_select(only, p->tangent_impulse, before->tangent[i]);
    }
    if ((g->features & LANES_ROLLING) != 0) {
        surface_lanes *s = surface_of(g);
        s->rolling_impulse = lanes_select(only, s->rolling_impulse, before->rolling);
    }
}

// Relaxes the lanes in `only`; NULL, a constant to the compiler: all lanes, in a sub-step's last
// sweep.
INLINE void relax_points(const group_view *g, body_state *states, const step_context *step,
                         bool twin, const lanes_int *only)
{
    const lanes inv_h = splat(step->inv_h);
    const lanes zero = splat(0.0f);
    contact_lanes *c = g->lanes;
    point_lanes *p1 = &c->points[0];
    point_lanes *p2 = &c->points[1];
    state_lanes a = gather(states, c->body_a);
    state_lanes b = gather(states, c->body_b);
    const swept_lanes before = swept_now(g, &a, &b);
    apply_friction(g, p1, &a, &b);
    if (twin) {
        apply_friction(g, p2, &a, &b);
    }
    if ((g->features & LANES_ROLLING) != 0) {
        apply_rolling_resistance(g, &a, &b);
    }
    lanes round = rolled(g, &a, &b);
    lanes bias1 = lanes_max(separation_now(c, p1, &a, &b) + round, zero) * inv_h;
    const bool lively = step->lively && (g->features & LANES_LIVELY) != 0;
    if (lively) {
        bias1 = leave_impact(g, p1, &a, &b, step, bias1);
    }
    if (twin) {
        lanes bias2 = lanes_max(separation_now(c, p2, &a, &b) + round, zero) * inv_h;
        if (lively) {
            bias2 = leave_impact(g, p2, &a, &b, step, bias2);
        }
        pair_matrix k = rigid_matrix(c);
        solve_normals(c, &k, &a, &b, bias1, bias2);
        if (only == NULL) {
            p2->total_impulse += p2->normal_impulse;
        }
    } else {
        solve_normal(c, inverse(p1->normal_k), &a, &b, bias1);
    }
    if (only == NULL) {
        p1->total_impulse += p1->normal_impulse;
    } else {
        keep_swept(g, &before, *only, &a, &b);
    }
    scatter(states, c->body_a, &a);
    scatter(states, c->body_b, &b);
}

INLINE void relax_group(const group_view *g, body_state *states, const step_context *step,
                        bool twin)
{
    relax_points(g, states, step, twin, NULL);
}

INLINE void settle_below(const group_view *g, body_state *states, const step_context *step,
                         bool twin, float share)
{
    if ((g->features & LANES_THIN) == 0) {
        return;
    }
    const give_lanes *gives = const_part_of(&g->groups->gives[g->index], g->part);
    const lanes_int wanted = gives->share < splat(share);
    if (any_lane(wanted)) {
        relax_points(g, states, step, twin, &wanted);
    }
}

INLINE void settle_thin(const group_view *g, body_state *states, const step_context *step,
                        bool twin)
{
    settle_below(g, states, step, twin, SETTLE_SHARE);
}

INLINE void settle_thinnest(const group_view *g, body_state *states, const step_context *step,
                            bool twin)
{
    settle_below(g, states, step, twin, SETTLE_SHARE_MORE);
}

static void relax(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                  const step_context *step)
{
    sweep_groups(groups, first, end, states, step, relax_group);
}

static void settle(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                   const step_context *step, bool more)
{
    sweep_groups(groups, first, end, states, step, more ? settle_thinnest : settle_thin);
}

#include "common/physics/step/solver/contact_impacts.h"

extern const contact_kernels KERNELS;
const contact_kernels KERNELS = {
    .name = TEXT(KERNEL_VARIANT),
    .fill = VARIANT_OF(contact_fill_),
    .store = VARIANT_OF(contact_store_),
    .warm_start = warm_start,
    .solve = push,
    .relax = relax,
    .settle = settle,
    .impact = impact,
};
