// Contacts into the solver's lanes and back: see wide.h for why this is compiled more than once.
//
// Eight contacts, and the motions of the bodies on either side, are rows in memory; they are turned
// into a vector a field, eight at a time, and everything that the solver wants is computed of
// those: where the points are now, effective masses, how fast they close. Each lane is computed
// with the operations, and in the order, of contact_place_points() in contact.c.
#include "common/physics/contact_fill.h"

#include <stddef.h>

// Rows are read and written as vectors: these lie side by side, on their own boundaries.
_Static_assert(offsetof(contact, normal_impulse) == 64 &&
                   offsetof(contact, tangent_impulse) == 72 &&
                   offsetof(contact, total_impulse) == 80 &&
                   offsetof(contact, rolling_impulse) == 88 && offsetof(contact, friction) == 92,
               "the row of impulses");
_Static_assert(offsetof(contact, local_normal) == 96 && offsetof(contact, local_a) == 104 &&
                   offsetof(contact, found_separation) == 120,
               "the row of points");
_Static_assert(offsetof(body_motion, center) == 0 && offsetof(body_motion, position) == 16 &&
                   offsetof(body_motion, rotation) == 32 &&
                   offsetof(body_motion, local_center) == 40 &&
                   offsetof(body_motion, inv_mass) == 48 &&
                   offsetof(body_motion, inv_inertia) == 52,
               "the two rows of a motion");

// With less of a turn in a step, what is round rolls on one point of its rim: it may sink in by an
// eight-hundredth of its radius, and loses a little speed to that, so that what rocks between
// others comes to rest [rad].
#define ROLLS_TURN 0.05f

typedef double double4 __attribute__((vector_size(32)));

typedef struct vector_lanes {
    wide x, y;
} vector_lanes;

INLINE wide row_at(const void *row)
{
    return *(const wide *)row;
}

// Eight rows of four floats into a vector a field.
INLINE void transpose_quads(const quad r[8], wide out[4])
{
    wide r0 = SHUFFLE(r[0], r[4], 0, 1, 2, 3, 4, 5, 6, 7);
    wide r1 = SHUFFLE(r[1], r[5], 0, 1, 2, 3, 4, 5, 6, 7);
    wide r2 = SHUFFLE(r[2], r[6], 0, 1, 2, 3, 4, 5, 6, 7);
    wide r3 = SHUFFLE(r[3], r[7], 0, 1, 2, 3, 4, 5, 6, 7);
    wide t0 = SHUFFLE(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
    wide t1 = SHUFFLE(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
    wide t2 = SHUFFLE(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
    wide t3 = SHUFFLE(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = SHUFFLE(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = SHUFFLE(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = SHUFFLE(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = SHUFFLE(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15);
}

INLINE vector_lanes rotate(vector_lanes v, wide c, wide s)
{
    return (vector_lanes){c * v.x - s * v.y, s * v.x + c * v.y};
}

INLINE vector_lanes rotate_back(vector_lanes v, wide c, wide s)
{
    return (vector_lanes){c * v.x + s * v.y, c * v.y - s * v.x};
}

INLINE wide dot(vector_lanes a, vector_lanes b)
{
    return a.x * b.x + a.y * b.y;
}

INLINE wide cross(vector_lanes a, vector_lanes b)
{
    return a.x * b.y - a.y * b.x;
}

// 1 / k, or nothing.
INLINE wide inverse(wide k)
{
    const wide zero = splat(0.0f);
    return select_wide(k > zero, splat(1.0f) / k, zero);
}

// The motions' second rows as fields: rotation c and s, local centre x and y, inverse mass and
// inertia; two more that are not used.
INLINE void gather_rotations(const body_motion *motions, const uint32_t *slots, wide out[8])
{
    wide rows[8];
    for (int i = 0; i < LANES; i++) {
        rows[i] = row_at(&motions[slots[i]].rotation);
    }
    transpose(rows, out);
}

// B's places less A's, taken in double: centre x and y, position x and y.
INLINE void gather_ways(const body_motion *motions, const contact_lanes *group, wide out[4])
{
    quad rows[8];
    for (int i = 0; i < LANES; i++) {
        double4 a = *(const double4 *)(const void *)&motions[group->body_a[i]].center;
        double4 b = *(const double4 *)(const void *)&motions[group->body_b[i]].center;
        rows[i] = __builtin_convertvector(b - a, quad);
    }
    transpose_quads(rows, out);
}

// Of the lanes of a mask.
INLINE void fill_rounding(const physics_world *world, contact_lanes *group,
                          const contact *const *seated, uint32_t lanes)
{
    if (lanes == 0) {
        return;
    }
    group->features |= LANES_ROUND;
    group->round_a = group->round_b = splat(0.0f);
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        rounding r = contact_rounding(world, seated[lane]);
        group->round_a[lane] = r.a;
        group->round_b[lane] = r.b;
    }
}

// Lanes in which one of the bodies turns so far in a step that it counts where it is round.
INLINE uint32_t rolling_lanes(const state_lanes *a, const state_lanes *b, const step_context *step)
{
    wide turn = max_wide(max_wide(a->w, -a->w), max_wide(b->w, -b->w)) * splat(step->dt);
    return signs_of(turn > splat(ROLLS_TURN));
}

// Who is in which lane, and how many points they have; in *round the lanes with CONTACT_ROUND.
INLINE wide_int seat_contacts(const physics_world *world, contact_lanes *group,
                              const uint32_t *slots, uint32_t count, const contact **seated,
                              uint32_t *round)
{
    int32_t points[LANES] __attribute__((aligned(32)));
    uint32_t touching = 0;
    uint32_t surfaces = 0;
    *round = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t slot = lane < count ? slots[lane] : NONE;
        const contact *c = &world->contacts.data[slot];
        seated[lane] = c;
        group->contact[lane] = slot;
        group->body_a[lane] = c->body_a;
        group->body_b[lane] = c->body_b;
        points[lane] = c->point_count;
        touching |= (uint32_t)((c->flags & CONTACT_TOUCHING) != 0) << lane;
        surfaces |= (uint32_t)((c->flags & CONTACT_SURFACE) != 0) << lane;
        *round |= (uint32_t)((c->flags & CONTACT_ROUND) != 0) << lane;
    }
    group->filled = (1u << count) - 1;
    group->touching = touching;
    group->features = 0;
    group->restitution = group->tangent_speed = group->rolling_resistance = splat(0.0f);
    for (; surfaces != 0; surfaces &= surfaces - 1) {
        int lane = __builtin_ctz(surfaces);
        surface s = contact_surface(world, seated[lane]);
        group->restitution[lane] = s.restitution;
        group->rolling_resistance[lane] = s.rolling_resistance;
        group->tangent_speed[lane] = s.tangent_speed;
        group->features |= (s.rolling_resistance > 0.0f ? LANES_ROLLING : 0u) |
                           (s.tangent_speed != 0.0f ? LANES_CONVEYING : 0u);
    }
    return *(const wide_int *)(const void *)points;
}

// Two points are solved together unless they are so close that their equations hardly differ; then
// each alone, at half strength, so that the two do not overshoot. `coupling` is 0 where there is
// one point.
INLINE void couple_points(contact_lanes *group, wide coupling, const step_context *step)
{
    const wide condition_max = splat(1000.0f);
    const wide two = splat(2.0f);
    const wide zero = splat(0.0f);
    point_lanes *p1 = &group->points[0];
    point_lanes *p2 = &group->points[1];
    wide k1 = p1->normal_k;
    wide k2 = p2->normal_k;
    wide product = k1 * k2;
    wide det = product - coupling * coupling;
    wide_int apart = product < condition_max * det;
    k1 = select_wide(apart, k1, k1 * two);
    k2 = select_wide(apart, k2, k2 * two);
    coupling = select_wide(apart, coupling, zero);
    det = select_wide(apart, det, k1 * k2);
    p1->normal_k = k1;
    p2->normal_k = k2;
    p1->normal_mass = inverse(k1);
    p2->normal_mass = inverse(k2);
    group->coupling_k = coupling;
    group->inverse_det = inverse(det);
    wide yield = softness(group, step).yield;
    group->inverse_det_soft = inverse((k1 * yield) * (k2 * yield) - coupling * coupling);
}

// A point against its bodies: where it is, and how much an impulse there does. `turns` are the
// arms across the normal. Lanes that have no such point are left as nothing, far away.
typedef struct placed_lanes {
    vector_lanes anchor_a, anchor_b;
    wide separation;
} placed_lanes;

INLINE void fill_point(contact_lanes *group, point_lanes *p, const placed_lanes *at, wide_int has,
                       wide turns[2])
{
    const wide zero = splat(0.0f);
    vector_lanes n = {group->normal_x, group->normal_y};
    vector_lanes t = {n.y, -n.x};
    vector_lanes across = {at->anchor_b.x - at->anchor_a.x, at->anchor_b.y - at->anchor_a.y};
    wide inv_mass = group->inv_mass_a + group->inv_mass_b;
    wide ia = group->inv_inertia_a;
    wide ib = group->inv_inertia_b;
    turns[0] = cross(at->anchor_a, n);
    turns[1] = cross(at->anchor_b, n);
    wide k = inv_mass + (ia * turns[0] * turns[0] + ib * turns[1] * turns[1]);
    wide ta = cross(at->anchor_a, t);
    wide tb = cross(at->anchor_b, t);
    wide kt = inv_mass + (ia * ta * ta + ib * tb * tb);
    p->anchor_ax = select_wide(has, at->anchor_a.x, zero);
    p->anchor_ay = select_wide(has, at->anchor_a.y, zero);
    p->base_separation = select_wide(has, at->separation - dot(across, n), splat(FAR_AWAY));
    p->normal_k = select_wide(has, k, splat(1.0f));
    p->tangent_mass = select_wide(has, inverse(kt), zero);
}

INLINE wide approach_speed(const contact_lanes *group, const placed_lanes *at, wide_int has,
                           const state_lanes *a, const state_lanes *b)
{
    wide vx = (b->vx + -b->w * at->anchor_b.y) - (a->vx + -a->w * at->anchor_a.y);
    wide vy = (b->vy + b->w * at->anchor_b.x) - (a->vy + a->w * at->anchor_a.x);
    return select_wide(has, group->normal_x * vx + group->normal_y * vy, splat(0.0f));
}

// Whether any contact closes fast, as impact() would find it before the first blow.
INLINE blows_state find_blows(const contact_lanes *group, const step_context *step)
{
    wide_int lively = group->restitution > splat(0.0f);
    if (!any_lane(lively)) {
        return BLOWS_NEVER;
    }
    wide fastest = min_wide(group->approach_speed[0], group->approach_speed[1]);
    wide_int fast = fastest < splat(-step->restitution_threshold);
    return any_lane(lively & fast) ? BLOWS_DUE : BLOWS_LATER;
}

// Touching as it is before solving, by the nearer point.
INLINE void note_nearest(contact_lanes *group, const placed_lanes *at, wide_int has1, wide_int has2)
{
    const wide none = splat(INFINITY);
    wide nearest = min_wide(select_wide(has1, at[0].separation, none),
                            select_wide(has2, at[1].separation, none));
    group->overlapping = signs_of(nearest <= splat(0.0f));
    group->near = signs_of(nearest <= splat(LINEAR_SLOP));
}

blows_state VARIANT_OF(contact_fill_)(const physics_world *world, contact_lanes *group,
                                      const uint32_t *slots, uint32_t count)
{
    const body_motion *motions = world->motions.data;
    const body_state *states = world->states.data;
    const contact *seated[LANES];
    uint32_t round;
    wide_int point_count = seat_contacts(world, group, slots, count, seated, &round);
    const wide_int none = {0};
    wide_int has[2] = {point_count > none, point_count > none + 1};

    quad quads[8];
    wide rows[8];
    wide ref[4]; // the frame in which the manifold was found
    wide old[8]; // impulses and friction
    wide man[8]; // local normal, points, found separations
    for (int i = 0; i < LANES; i++) {
        quads[i] = *(const quad *)(const void *)&seated[i]->reference;
    }
    transpose_quads(quads, ref);
    for (int i = 0; i < LANES; i++) {
        rows[i] = row_at(seated[i]->normal_impulse);
    }
    transpose(rows, old);
    for (int i = 0; i < LANES; i++) {
        rows[i] = row_at(&seated[i]->local_normal);
    }
    transpose(rows, man);

    wide side_a[8];
    wide side_b[8];
    wide ways[4];
    gather_rotations(motions, group->body_a, side_a);
    gather_rotations(motions, group->body_b, side_b);
    gather_ways(motions, group, ways);
    group->inv_mass_a = side_a[4];
    group->inv_mass_b = side_b[4];
    group->inv_inertia_a = side_a[5];
    group->inv_inertia_b = side_b[5];

    // B's frame seen from A's
    vector_lanes place = rotate_back((vector_lanes){ways[2], ways[3]}, side_a[0], side_a[1]);
    wide turn_c = side_a[0] * side_b[0] + side_a[1] * side_b[1];
    wide turn_s = side_a[0] * side_b[1] - side_a[1] * side_b[0];
    vector_lanes local_normal = {man[0], man[1]};
    vector_lanes normal = rotate(local_normal, side_a[0], side_a[1]);
    group->normal_x = normal.x;
    group->normal_y = normal.y;
    group->way_x = ways[0];
    group->way_y = ways[1];
    group->friction = old[7];
    group->rolling_impulse = old[6];

    state_lanes a = gather_velocities(states, group->body_a);
    state_lanes b = gather_velocities(states, group->body_b);
    fill_rounding(world, group, seated, round & rolling_lanes(&a, &b, &world->step));
    placed_lanes at[2];
    wide turns[2][2];
    for (int i = 0; i < 2; i++) {
        vector_lanes local = {man[2 + 2 * i], man[3 + 2 * i]};
        vector_lanes from = {local.x - ref[0], local.y - ref[1]};
        vector_lanes now =
            rotate(rotate_back(from, ref[2], ref[3]), turn_c, turn_s); // as fixed to B
        vector_lanes moved = {(now.x + place.x) - local.x, (now.y + place.y) - local.y};
        const wide half = splat(0.5f);
        vector_lanes arm = {(local.x + half * moved.x) - side_a[2],
                            (local.y + half * moved.y) - side_a[3]};
        at[i].anchor_a = rotate(arm, side_a[0], side_a[1]);
        at[i].anchor_b = (vector_lanes){at[i].anchor_a.x - ways[0], at[i].anchor_a.y - ways[1]};
        at[i].separation = man[6 + i] + dot(moved, local_normal);
        point_lanes *p = &group->points[i];
        fill_point(group, p, &at[i], has[i], turns[i]);
        group->approach_speed[i] = approach_speed(group, &at[i], has[i], &a, &b);
        p->normal_impulse = select_wide(has[i], old[i], splat(0.0f));
        p->tangent_impulse = select_wide(has[i], old[2 + i], splat(0.0f));
        group->total_impulse[i] = splat(0.0f);
    }
    note_nearest(group, at, has[0], has[1]);
    wide coupling = (group->inv_mass_a + group->inv_mass_b) +
                    (group->inv_inertia_a * turns[0][0] * turns[1][0] +
                     group->inv_inertia_b * turns[0][1] * turns[1][1]);
    couple_points(group, select_wide(has[1], coupling, splat(0.0f)), &world->step);
    if ((group->features & LANES_ROLLING) != 0) {
        group->rolling_mass = inverse(group->inv_inertia_a + group->inv_inertia_b);
    }
    return find_blows(group, &world->step);
}

// Touching begins with pressure or overlap and ends when there is neither and a gap of LINEAR_SLOP:
// what rests does not flicker, and what flies past within SPECULATIVE_DISTANCE has not touched.
touch_changes VARIANT_OF(contact_store_)(const contact_lanes *group, contact *contacts)
{
    const point_lanes *p = group->points;
    const wide fields[8] = {p[0].normal_impulse,     p[1].normal_impulse,
                            p[0].tangent_impulse,    p[1].tangent_impulse,
                            group->total_impulse[0], group->total_impulse[1],
                            group->rolling_impulse,  group->friction};
    wide rows[8];
    transpose(fields, rows);
    for (uint32_t lane = 0; lane < LANES && group->contact[lane] != NONE; lane++) {
        *(wide *)(void *)contacts[group->contact[lane]].normal_impulse = rows[lane];
    }
    uint32_t pressed = signs_of(group->total_impulse[0] + group->total_impulse[1] > splat(0.0f));
    uint32_t was = group->touching;
    return (touch_changes){
        .began = group->filled & ~was & (pressed | group->overlapping),
        .ended = group->filled & was & ~pressed & ~group->near,
    };
}
