// Contacts into the solver's lanes and back: see wide.h for why this is compiled more than once.
//
// Eight contacts, and the motions of the bodies on either side, are rows in memory; they are turned
// into a vector a field, eight at a time, and everything that the solver wants is computed of
// those: where the points are now, effective masses, how fast they close. Each lane is computed
// with the operations, and in the order, of contact_place_points() in contact.c (but see
// meet_later()).
#include "common/physics/contact_fill.h"

#include <stddef.h>
#include <string.h>

// Rows are read and written as vectors: these lie side by side, on their own boundaries.
_Static_assert(offsetof(contact, reference) == 0 && offsetof(contact, shape_b) == 28,
               "the row of the frame, and of four words: body_a, body_b, shape_a, shape_b");
_Static_assert(offsetof(contact, normal_impulse) == 32 &&
                   offsetof(contact, tangent_impulse) == 40 &&
                   offsetof(contact, total_impulse) == 48,
               "the row of impulses, and half a row of sums");
_Static_assert(offsetof(contact, local_normal) == 64 && offsetof(contact, local_a) == 72 &&
                   offsetof(contact, found_separation) == 88 && offsetof(contact, friction) == 96,
               "the rows of points and of friction");
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

// What has moved farther since its manifold was found has not: the manifold is from where it will
// be [m].
#define MEETS_LATER (2.0f * RECYCLE_DISTANCE)

typedef double double4 __attribute__((vector_size(32)));

typedef struct vector_lanes {
    wide x, y;
} vector_lanes;

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

// The motions' second rows as fields: rotation c and s, local centre x and y; inverse mass and
// inertia, and two that are not used.
INLINE void gather_rotations(const body_motion *motions, const uint32_t *slots, wide out[8])
{
    gather_fours(&motions->rotation, sizeof *motions, slots, &out[0]);
    gather_fours(&motions->inv_mass, sizeof *motions, slots, &out[4]);
}

INLINE quad way_between(const body_motion *motions, uint32_t body_a, uint32_t body_b)
{
    double4 a = *(const double4 *)(const void *)&motions[body_a].center;
    double4 b = *(const double4 *)(const void *)&motions[body_b].center;
    return __builtin_convertvector(b - a, quad);
}

// B's places less A's, taken in double: centre x and y, position x and y.
INLINE void gather_ways(const body_motion *motions, const contact_lanes *group, wide out[4])
{
    wide rows[4];
    for (int i = 0; i < 4; i++) {
        quad low = way_between(motions, group->body_a[i], group->body_b[i]);
        quad high = way_between(motions, group->body_a[i + 4], group->body_b[i + 4]);
        rows[i] = SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    turn_fours(rows, out);
}

// The contacts of a group, and what is known of them by their flags: a bit a lane.
typedef struct seats {
    contact *contacts; // of the world, by slot
    uint32_t slots[LANES];
    wide_int points; // how many each has
    uint32_t filled, touching, surface, round, deep;
    uint32_t told; // in events
} seats;

INLINE contact *contact_in(const seats *of, int lane)
{
    return &of->contacts[of->slots[lane]];
}

INLINE void fill_rounding(const physics_world *world, uint32_t group, const seats *of,
                          uint32_t lanes)
{
    if (lanes == 0) {
        return;
    }
    world->groups.marks[group].features |= LANES_ROUND;
    rounding_lanes *round = &world->groups.roundings[group];
    round->a = round->b = splat(0.0f);
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        rounding r = contact_rounding(world, contact_in(of, lane));
        round->a[lane] = r.a;
        round->b[lane] = r.b;
    }
}

// Lanes in which one of the bodies turns so far in a step that it counts where it is round.
INLINE uint32_t rolling_lanes(const state_lanes *a, const state_lanes *b, const step_context *step)
{
    wide turn = max_wide(max_wide(a->w, -a->w), max_wide(b->w, -b->w)) * splat(step->dt);
    return signs_of(turn > splat(ROLLS_TURN));
}

// What is deep in each other does not rub. Bodies of several shapes can hook into each other under
// a blow: one shape of each pushes this way, one the other way, and the friction of so much
// pressure would hold them there for ever.
INLINE void drop_friction(contact_lanes *group, uint32_t lanes)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        for (int i = 0; i < 2; i++) {
            group->points[i].tangent_mass[lane] = 0.0f;
            group->points[i].tangent_impulse[lane] = 0.0f;
        }
    }
}

// In a word of a contact that holds a slot and eight bits more, by how much each is shifted.
enum {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    SLOT_SHIFT = 0,
    REST_SHIFT = SLOT_BITS
#else
    SLOT_SHIFT = 32 - SLOT_BITS,
    REST_SHIFT = 0
#endif
};

// Lanes in whose words with body_a a flag is set.
INLINE uint32_t flagged_lanes(wide_int words, uint32_t flag)
{
    return signs_of(words << (31 - REST_SHIFT - __builtin_ctz(flag)));
}

// Who is in which lane.
INLINE seats seat_contacts(const physics_world *world, contact_lanes *group, const uint32_t *slots,
                           uint32_t count)
{
    seats of = {.contacts = world->contacts.data, .filled = (1u << count) - 1};
    if (count == LANES) {
        memcpy(of.slots, slots, sizeof of.slots);
    } else {
        for (uint32_t lane = 0; lane < count; lane++) {
            of.slots[lane] = slots[lane]; // the rest are NONE
        }
    }
    wide words[4];
    gather_fours(&of.contacts->reference + 1, sizeof *of.contacts, of.slots, words);
    const wide_int a = (wide_int)words[0];
    const wide_int b = (wide_int)words[1];
    *(wide_int *)(void *)group->body_a = a >> SLOT_SHIFT & (int32_t)SLOT_MASK;
    *(wide_int *)(void *)group->body_b = b >> SLOT_SHIFT & (int32_t)SLOT_MASK;
    of.points = (wide_int)words[2] >> REST_SHIFT & 0xFF;
    of.touching = flagged_lanes(a, CONTACT_TOUCHING);
    of.surface = flagged_lanes(a, CONTACT_SURFACE);
    of.round = flagged_lanes(a, CONTACT_ROUND);
    of.deep = flagged_lanes(a, CONTACT_DEEP);
    of.told = flagged_lanes(a, CONTACT_EVENTS) | flagged_lanes(a, CONTACT_HIT);
    return of;
}

// Returns the features.
INLINE uint32_t fill_surfaces(const physics_world *world, surface_lanes *s, const seats *of)
{
    uint32_t features = 0;
    s->restitution = s->tangent_speed = s->rolling_resistance = s->rolling_impulse = splat(0.0f);
    for (uint32_t left = of->surface; left != 0; left &= left - 1) {
        int lane = __builtin_ctz(left);
        surface one = contact_surface(world, contact_in(of, lane));
        s->restitution[lane] = one.restitution;
        s->rolling_resistance[lane] = one.rolling_resistance;
        s->rolling_impulse[lane] = contact_in(of, lane)->rolling_impulse;
        s->tangent_speed[lane] = one.tangent_speed;
        features |= (one.rolling_resistance > 0.0f ? LANES_ROLLING : 0u) |
                    (one.tangent_speed != 0.0f ? LANES_CONVEYING : 0u);
    }
    return features;
}

// Two points are solved together unless they are so close that their equations hardly differ; then
// each alone, at half strength, so that the two do not overshoot. `coupling` is 0 where there is
// one point.
INLINE void couple_points(contact_lanes *group, wide coupling)
{
    const wide condition_max = splat(1000.0f);
    const wide two = splat(2.0f);
    const wide zero = splat(0.0f);
    wide k1 = group->points[0].normal_k;
    wide k2 = group->points[1].normal_k;
    wide product = k1 * k2;
    wide det = product - coupling * coupling;
    wide_int apart = product < condition_max * det;
    group->points[0].normal_k = select_wide(apart, k1, k1 * two);
    group->points[1].normal_k = select_wide(apart, k2, k2 * two);
    group->coupling_k = select_wide(apart, coupling, zero);
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
INLINE blows_state find_blows(wide restitution, const wide approach[2], const step_context *step)
{
    wide_int lively = restitution > splat(0.0f);
    if (!any_lane(lively)) {
        return BLOWS_NEVER;
    }
    wide_int fast = min_wide(approach[0], approach[1]) < splat(-step->restitution_threshold);
    return any_lane(lively & fast) ? BLOWS_DUE : BLOWS_LATER;
}

// Touching as it is before solving, by the nearer point.
INLINE void note_nearest(lane_marks *marks, const placed_lanes *at, const wide_int has[2])
{
    const wide none = splat(INFINITY);
    wide nearest = min_wide(select_wide(has[0], at[0].separation, none),
                            select_wide(has[1], at[1].separation, none));
    marks->overlapping = (uint8_t)signs_of(nearest <= splat(0.0f));
    marks->near = (uint8_t)signs_of(nearest <= splat(LINEAR_SLOP));
}

// Those whose approach speeds may be told: what may begin to touch or cease to, and what touches
// where that is told too.
INLINE uint32_t approached_lanes(const physics_world *world, const lane_marks *marks,
                                 const seats *of)
{
    uint32_t settled = event_wanted(world, EVENT_STAY) ? 0u : marks->touching & marks->near;
    return of->told & of->filled & ~settled;
}

INLINE void keep_approach(const seats *of, uint32_t lanes, const wide approach[2])
{
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        for (int i = 0; i < 2; i++) {
            contact_in(of, lane)->total_impulse[i] = approach[i][lane];
        }
    }
}

// Who closes how fast, for blows and events. Mostly a group has none of either.
INLINE void note_approach(const physics_world *world, uint32_t index, const seats *of,
                          const placed_lanes *at, const wide_int has[2], const state_lanes *a,
                          const state_lanes *b)
{
    lane_marks *marks = &world->groups.marks[index];
    uint32_t approached = approached_lanes(world, marks, of);
    marks->approached = (uint8_t)approached;
    blows_state blows = BLOWS_NEVER;
    if ((approached | of->surface) != 0) {
        const contact_lanes *group = &world->groups.lanes[index];
        const wide approach[2] = {approach_speed(group, &at[0], has[0], a, b),
                                  approach_speed(group, &at[1], has[1], a, b)};
        keep_approach(of, approached, approach);
        if (of->surface != 0) {
            blows = find_blows(world->groups.surfaces[index].restitution, approach, &world->step);
        }
    }
    world->groups.blows[index] = (uint8_t)blows;
}

// Contacts made ahead of time (speculative.c) press where the bodies will meet, not midway between
// where they are: there each has its own arm, and the way between their centres is then shorter by
// how B has still to move. Returns at what share of that way the points are.
INLINE wide meet_later(contact_lanes *group, vector_lanes moved, vector_lanes moved_in_world)
{
    const wide half = splat(0.5f);
    const wide least = splat(MEETS_LATER * MEETS_LATER);
    wide_int later = dot(moved, moved) > least;
    if (!any_lane(later)) {
        return half;
    }
    const wide zero = splat(0.0f);
    group->way_x -= select_wide(later, moved_in_world.x, zero);
    group->way_y -= select_wide(later, moved_in_world.y, zero);
    return select_wide(later, zero, half);
}

void VARIANT_OF(contact_fill_)(const physics_world *world, uint32_t index, const uint32_t *slots,
                               uint32_t count)
{
    const body_motion *motions = world->motions.data;
    const body_state *states = world->states.data;
    contact_lanes *group = &world->groups.lanes[index];
    lane_marks *marks = &world->groups.marks[index];
    const seats seated = seat_contacts(world, group, slots, count);
    const wide_int none = {0};
    const wide_int has[2] = {seated.points > none, seated.points > none + 1};
    *marks = (lane_marks){.features = any_lane(has[1]) ? 0u : LANES_SINGLE,
                          .touching = (uint8_t)seated.touching};

    wide ref[4];  // the frame in which the manifold was found
    wide old[4];  // impulses
    wide man[8];  // local normal, points, found separations
    wide rubs[4]; // friction, and what is not used
    const contact *contacts = world->contacts.data;
    gather_fours(&contacts->reference, sizeof *contacts, seated.slots, ref);
    gather_fours(contacts->normal_impulse, sizeof *contacts, seated.slots, old);
    gather_fours(&contacts->local_normal, sizeof *contacts, seated.slots, &man[0]);
    gather_fours(&contacts->local_a[1], sizeof *contacts, seated.slots, &man[4]);
    gather_fours(&contacts->friction, sizeof *contacts, seated.slots, rubs);

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
    group->friction = rubs[0];

    state_lanes a = gather_velocities(states, group->body_a);
    state_lanes b = gather_velocities(states, group->body_b);
    if (seated.surface != 0) {
        surface_lanes *s = &world->groups.surfaces[index];
        marks->features |= (uint8_t)fill_surfaces(world, s, &seated);
        s->rolling_mass = inverse(group->inv_inertia_a + group->inv_inertia_b);
    }
    fill_rounding(world, index, &seated, seated.round & rolling_lanes(&a, &b, &world->step));
    placed_lanes at[2];
    wide turns[2][2];
    wide half = splat(0.5f);
    for (int i = 0; i < 2; i++) {
        vector_lanes local = {man[2 + 2 * i], man[3 + 2 * i]};
        vector_lanes from = {local.x - ref[0], local.y - ref[1]};
        vector_lanes now =
            rotate(rotate_back(from, ref[2], ref[3]), turn_c, turn_s); // as fixed to B
        vector_lanes moved = {(now.x + place.x) - local.x, (now.y + place.y) - local.y};
        if (i == 0) {
            half = meet_later(group, moved, rotate(moved, side_a[0], side_a[1]));
        }
        vector_lanes arm = {(local.x + half * moved.x) - side_a[2],
                            (local.y + half * moved.y) - side_a[3]};
        at[i].anchor_a = rotate(arm, side_a[0], side_a[1]);
        at[i].anchor_b =
            (vector_lanes){at[i].anchor_a.x - group->way_x, at[i].anchor_a.y - group->way_y};
        at[i].separation = man[6 + i] + dot(moved, local_normal);
        point_lanes *p = &group->points[i];
        fill_point(group, p, &at[i], has[i], turns[i]);
        p->normal_impulse = select_wide(has[i], old[i], splat(0.0f));
        p->tangent_impulse = select_wide(has[i], old[2 + i], splat(0.0f));
        p->total_impulse = splat(0.0f);
    }
    drop_friction(group, seated.deep);
    note_nearest(marks, at, has);
    note_approach(world, index, &seated, at, has, &a, &b);
    wide coupling = (group->inv_mass_a + group->inv_mass_b) +
                    (group->inv_inertia_a * turns[0][0] * turns[1][0] +
                     group->inv_inertia_b * turns[0][1] * turns[1][1]);
    couple_points(group, select_wide(has[1], coupling, splat(0.0f)));
}

// What the contacts kept goes where contact_approach() looks for it.
INLINE void give_approach(contact_lanes *group, const contact *contacts, const uint32_t *slots,
                          uint32_t lanes)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        for (int i = 0; i < 2; i++) {
            group->points[i].base_separation[lane] = contacts[slots[lane]].total_impulse[i];
        }
    }
}

// Touching begins with pressure or overlap and ends when there is neither and a gap of LINEAR_SLOP:
// what rests does not flicker, and what flies past within SPECULATIVE_DISTANCE has not touched.
touch_changes VARIANT_OF(contact_store_)(const physics_world *world, uint32_t index,
                                         const uint32_t *slots, uint32_t count)
{
    contact_lanes *group = &world->groups.lanes[index];
    const lane_marks *marks = &world->groups.marks[index];
    contact *contacts = world->contacts.data;
    const point_lanes *p = group->points;
    const wide solved[4] = {p[0].normal_impulse, p[1].normal_impulse, p[0].tangent_impulse,
                            p[1].tangent_impulse};
    const wide sums[4] = {p[0].total_impulse, p[1].total_impulse};
    wide first[4];
    wide second[4];
    turn_fours(solved, first);
    turn_fours(sums, second);
    give_approach(group, contacts, slots, marks->approached);
    for (uint32_t lane = 0; lane < LANES && lane < count; lane++) {
        contact *c = &contacts[slots[lane]];
        const quad totals = row_of(second, lane);
        *(quad *)(void *)c->normal_impulse = row_of(first, lane);
        memcpy(c->total_impulse, &totals, sizeof c->total_impulse);
    }
    if ((marks->features & LANES_ROLLING) != 0) {
        for (uint32_t lane = 0; lane < LANES && lane < count; lane++) {
            contacts[slots[lane]].rolling_impulse =
                world->groups.surfaces[index].rolling_impulse[lane];
        }
    }
    uint32_t pressed = signs_of(p[0].total_impulse + p[1].total_impulse > splat(0.0f));
    uint32_t filled = (1u << count) - 1;
    uint32_t was = marks->touching;
    return (touch_changes){
        .began = filled & ~was & (pressed | marks->overlapping),
        .ended = filled & was & ~pressed & ~marks->near,
    };
}
