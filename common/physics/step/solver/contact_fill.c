// Copies contacts into the solver's lanes and back: see wide.h for why this is compiled more than
// once.
//
// Eight contacts, and the motions of the bodies on either side, are rows in memory; they are
// transposed to one vector per field, eight at a time, and everything that the solver needs is
// computed from those: current places of points, effective masses, approach speeds. Each lane is
// computed with the same operations, in the same order, as in contact_place_points() in contact.c;
// points that will move on within the step are placed where they will be: see meet_later() and
// contact_rolling.h.
#include "common/physics/step/solver/body_lanes.h"

#include <stddef.h>
#include <string.h>

#include "common/physics/state/events.h"
#include "common/physics/lanes/vector_lanes.h"
#include "common/physics/step/solver/contact_fill.h"
#include "common/physics/step/solver/contact_rolling.h"
#include "common/physics/step/solver/heavy_loads.h"
#include "common/physics/step/solver/solver_scratch.h"

// Rows are read and written as vectors, so these fields must be adjacent and aligned.
_Static_assert(offsetof(contact, reference) == 0,
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

// A pair that has moved farther than this since its manifold was computed will meet later in the
// step: its manifold was computed for the place of that meeting [m].
#define MEETS_LATER (2.0f * RECYCLE_DISTANCE)

_Static_assert((int)PARTS <= (int)PARTS_MAX, "marks have room for each part's features");

typedef double double4 __attribute__((vector_size(32)));

// Gathers the motions' second rows as fields: rotation c and s, local centre x and y; inverse mass
// and inertia, and two unused ones.
INLINE void gather_rotations(const body_motion *motions, const uint32_t *slots, lanes out[8])
{
    gather_fours(&motions->rotation, sizeof *motions, slots, &out[0]);
    gather_fours(&motions->inv_mass, sizeof *motions, slots, &out[4]);
}

INLINE quad way_between(const body_motion *motions, uint32_t body_a, uint32_t body_b)
{
#ifdef LANES_IN_PARTS
    const body_motion *a = &motions[body_a];
    const body_motion *b = &motions[body_b];
    return (quad){(float)(b->center.x - a->center.x), (float)(b->center.y - a->center.y),
                  (float)(b->position.x - a->position.x), (float)(b->position.y - a->position.y)};
#else
    double4 a = *(const double4 *)(const void *)&motions[body_a].center;
    double4 b = *(const double4 *)(const void *)&motions[body_b].center;
    return __builtin_convertvector(b - a, quad);
#endif
}

// B's position minus A's, computed in double: centre x and y, position x and y.
INLINE void gather_ways(const body_motion *motions, const contact_lanes *group, lanes out[4])
{
    lanes rows[4];
    for (int i = 0; i < 4; i++) {
        quad low = way_between(motions, group->body_a[i], group->body_b[i]);
#ifdef LANES_IN_PARTS
        rows[i] = low;
#else
        quad high = way_between(motions, group->body_a[i + 4], group->body_b[i + 4]);
        rows[i] = SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
    }
    turn_fours(rows, out);
}

// A part of a group and its lanes; surfaces and roundings are set if the group has any.
typedef struct group_part {
    const physics_world *world;
    contact_lanes *lanes;
    surface_lanes *surfaces;
    rounding_lanes *roundings;
    give_lanes *gives;
    const uint32_t *slots; // slots of its contacts
    uint32_t count;        // number of its contacts, 0 or more
} group_part;

INLINE group_part part_of_group(const physics_world *world, uint32_t group, int part,
                                const uint32_t *slots, uint32_t count)
{
    const contact_groups *groups = &world->solver->groups;
    const uint32_t before = (uint32_t)part * PART_LANES;
    const uint32_t left = count > before ? count - before : 0;
    return (group_part){
        .world = world,
        .lanes = PART_OF(&groups->lanes[group], part),
        .surfaces = groups->surfaces != NULL ? PART_OF(&groups->surfaces[group], part) : NULL,
        .roundings = groups->roundings != NULL ? PART_OF(&groups->roundings[group], part) : NULL,
        .gives = PART_OF(&groups->gives[group], part),
        .slots = slots + before,
        .count = left < PART_LANES ? left : PART_LANES,
    };
}

// The contacts of a part, and their flags: a bit per lane.
typedef struct part_contacts {
    contact *contacts; // all contacts of the world, by slot
    uint32_t slots[PART_LANES];
    lanes_int points; // number of points of each
    uint32_t filled, touching, surface, round, deep;
    uint32_t told; // contacts that events may report
} part_contacts;

INLINE contact *contact_in(const part_contacts *of, int lane)
{
    return &of->contacts[of->slots[lane]];
}

// Fills the rounding radii. Returns the features.
INLINE uint32_t fill_rounding(const group_part *part, const part_contacts *of, uint32_t round_lanes)
{
    if (round_lanes == 0) {
        return 0;
    }
    rounding_lanes *round = part->roundings;
    round->a = round->b = splat(0.0f);
    for (; round_lanes != 0; round_lanes &= round_lanes - 1) {
        int lane = __builtin_ctz(round_lanes);
        rounding r = contact_rounding(part->world, contact_in(of, lane));
        round->a[lane] = r.a;
        round->b[lane] = r.b;
    }
    return LANES_ROUND;
}

// Sets the friction of deep contacts to zero. Bodies of several shapes can hook into each other
// under an impact: one shape of each pushes one way, another the other way, and the friction of so
// much pressure would hold them there forever.
INLINE void drop_friction(contact_lanes *group, uint32_t deep)
{
    for (; deep != 0; deep &= deep - 1) {
        int lane = __builtin_ctz(deep);
        for (int i = 0; i < 2; i++) {
            group->points[i].tangent_mass[lane] = 0.0f;
            group->points[i].tangent_impulse[lane] = 0.0f;
        }
    }
}

// Shifts of the slot and the eight other bits within a word of a contact.
enum {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    SLOT_SHIFT = 0,
    REST_SHIFT = SLOT_BITS
#else
    SLOT_SHIFT = 32 - SLOT_BITS,
    REST_SHIFT = 0
#endif
};

// The lanes whose word with body_a has a flag set.
INLINE uint32_t flagged_lanes(lanes_int words, uint32_t flag)
{
    return signs_of(words << (31 - REST_SHIFT - __builtin_ctz(flag)));
}

// Reads the contacts of each lane.
INLINE part_contacts read_part_contacts(const group_part *part)
{
    contact_lanes *group = part->lanes;
    part_contacts of = {.contacts = part->world->contacts.data, .filled = (1u << part->count) - 1};
    if (part->count == PART_LANES) {
        memcpy(of.slots, part->slots, sizeof of.slots);
    } else {
        for (uint32_t lane = 0; lane < part->count; lane++) {
            of.slots[lane] = part->slots[lane]; // the others are NONE
        }
    }
    lanes words[4];
    gather_fours(&of.contacts->reference + 1, sizeof *of.contacts, of.slots, words);
    const lanes_int a = (lanes_int)words[0];
    const lanes_int b = (lanes_int)words[1];
    *(lanes_int *)(void *)group->body_a = a >> SLOT_SHIFT & (int32_t)SLOT_MASK;
    *(lanes_int *)(void *)group->body_b = b >> SLOT_SHIFT & (int32_t)SLOT_MASK;
    of.points = (lanes_int)words[2] >> REST_SHIFT & 0xFF;
    of.touching = flagged_lanes(a, CONTACT_TOUCHING);
    of.surface = flagged_lanes(a, CONTACT_SURFACE);
    of.round = flagged_lanes(a, CONTACT_ROUND);
    of.deep = flagged_lanes(a, CONTACT_DEEP);
    of.told = flagged_lanes(a, CONTACT_EVENTS) | flagged_lanes(a, CONTACT_HIT);
    return of;
}

INLINE void find_unheld(const group_part *part, const part_contacts *of)
{
    part->surfaces->unheld = splat(0.0f);
    for (uint32_t left = part->world->step.lively ? of->surface : 0u; left != 0; left &= left - 1) {
        int lane = __builtin_ctz(left);
        const contact *c = contact_in(of, lane);
        const bool held = part->world->bodies.data[c->body_a].joints != NONE ||
                          part->world->bodies.data[c->body_b].joints != NONE;
        part->surfaces->unheld[lane] = held ? 0.0f : 1.0f;
    }
}

// Fills the surfaces. Returns the features.
INLINE uint32_t fill_surfaces(const group_part *part, const part_contacts *of)
{
    surface_lanes *s = part->surfaces;
    uint32_t features = 0;
    s->restitution = s->tangent_speed = s->rolling_resistance = s->rolling_impulse = splat(0.0f);
    for (uint32_t left = of->surface; left != 0; left &= left - 1) {
        int lane = __builtin_ctz(left);
        surface one = contact_surface(part->world, contact_in(of, lane));
        s->restitution[lane] = one.restitution;
        s->rolling_resistance[lane] = one.rolling_resistance;
        s->rolling_impulse[lane] = contact_in(of, lane)->rolling_impulse;
        s->tangent_speed[lane] = one.tangent_speed;
        features |= (one.rolling_resistance > 0.0f ? LANES_ROLLING : 0u) |
                    (one.tangent_speed != 0.0f ? LANES_CONVEYING : 0u);
    }
    s->rolling_mass = inverse(part->lanes->inv_inertia_a + part->lanes->inv_inertia_b);
    if (any_lane(s->restitution > splat(0.0f))) {
        features |= LANES_LIVELY;
        find_unheld(part, of);
    }
    return features;
}

// Two points are solved together unless they are so close that their equations hardly differ; then
// each is solved alone, at half strength, so that the two do not overshoot. `coupling` is 0 if
// there is one point.
INLINE void couple_points(contact_lanes *group, lanes coupling)
{
    const lanes condition_max = splat(1000.0f);
    const lanes two = splat(2.0f);
    const lanes zero = splat(0.0f);
    lanes k1 = group->points[0].normal_k;
    lanes k2 = group->points[1].normal_k;
    lanes product = k1 * k2;
    lanes det = product - coupling * coupling;
    lanes_int apart = product < condition_max * det;
    group->points[0].normal_k = lanes_select(apart, k1, k1 * two);
    group->points[1].normal_k = lanes_select(apart, k2, k2 * two);
    group->coupling_k = lanes_select(apart, coupling, zero);
}

// The effective masses of a point, from `turns`, the arms across the normal. Lanes without such a
// point get no mass and a far-away point.
INLINE void fill_point(contact_lanes *group, point_lanes *p, const placed_lanes *at, lanes_int has,
                       lanes turns[2])
{
    const lanes zero = splat(0.0f);
    vector_lanes n = {group->normal_x, group->normal_y};
    vector_lanes t = {n.y, -n.x};
    vector_lanes across = {at->anchor_b.x - at->anchor_a.x, at->anchor_b.y - at->anchor_a.y};
    lanes inv_mass = group->inv_mass_a + group->inv_mass_b;
    lanes ia = group->inv_inertia_a;
    lanes ib = group->inv_inertia_b;
    turns[0] = cross(at->anchor_a, n);
    turns[1] = cross(at->anchor_b, n);
    lanes k = inv_mass + (ia * turns[0] * turns[0] + ib * turns[1] * turns[1]);
    lanes ta = cross(at->anchor_a, t);
    lanes tb = cross(at->anchor_b, t);
    lanes kt = inv_mass + (ia * ta * ta + ib * tb * tb);
    p->anchor_ax = lanes_select(has, at->anchor_a.x, zero);
    p->anchor_ay = lanes_select(has, at->anchor_a.y, zero);
    p->base_separation = lanes_select(has, at->separation - dot(across, n), splat(FAR_AWAY));
    p->normal_k = lanes_select(has, k, splat(1.0f));
    p->tangent_mass = lanes_select(has, inverse(kt), zero);
}

INLINE lanes approach_speed(const contact_lanes *group, const placed_lanes *at, lanes_int has,
                            const state_lanes *a, const state_lanes *b)
{
    lanes vx = (b->vx + -b->w * at->anchor_b.y) - (a->vx + -a->w * at->anchor_a.y);
    lanes vy = (b->vy + b->w * at->anchor_b.x) - (a->vy + a->w * at->anchor_a.x);
    return lanes_select(has, group->normal_x * vx + group->normal_y * vy, splat(0.0f));
}

// Records whether the nearer point touches, before solving.
INLINE void note_nearest(lane_marks *marks, const placed_lanes *at, const lanes_int has[2])
{
    const lanes none = splat(INFINITY);
    lanes nearest = lanes_min(lanes_select(has[0], at[0].separation, none),
                              lanes_select(has[1], at[1].separation, none));
    marks->overlapping = (uint8_t)signs_of(nearest <= splat(0.0f));
    marks->near = (uint8_t)signs_of(nearest <= splat(LINEAR_SLOP));
}

// The contacts whose approach speeds an event may report: those that may begin or cease to touch
// and, if such events are wanted, those that touch.
INLINE uint32_t approached_lanes(const physics_world *world, const lane_marks *marks,
                                 const part_contacts *of)
{
    uint32_t settled = event_wanted(world, EVENT_STAY) ? 0u : marks->touching & marks->near;
    return of->told & of->filled & ~settled;
}

INLINE void keep_approach(const part_contacts *of, uint32_t told, const lanes approach[2])
{
    for (; told != 0; told &= told - 1) {
        int lane = __builtin_ctz(told);
        for (int i = 0; i < 2; i++) {
            contact_in(of, lane)->total_impulse[i] = approach[i][lane];
        }
    }
}

// Records the approach speeds, for events. Usually a group has none to report.
INLINE void note_approach(const group_part *part, lane_marks *marks, const part_contacts *of,
                          const placed_lanes *at, const lanes_int has[2], const state_lanes *a,
                          const state_lanes *b)
{
    const uint32_t approached = approached_lanes(part->world, marks, of);
    marks->approached = (uint8_t)approached;
    if (approached != 0) {
        const lanes approach[2] = {approach_speed(part->lanes, &at[0], has[0], a, b),
                                   approach_speed(part->lanes, &at[1], has[1], a, b)};
        keep_approach(of, approached, approach);
    }
}

// Contacts made ahead of time (speculative.c) act at the place where the bodies will meet, not
// midway between their current places: each body has its own arm there, and the vector between
// their centres is then shorter by B's remaining movement. Returns at which share of that vector
// the points are.
INLINE lanes meet_later(contact_lanes *group, vector_lanes moved, vector_lanes moved_in_world)
{
    const lanes half = splat(0.5f);
    const lanes least = splat(MEETS_LATER * MEETS_LATER);
    lanes_int later = dot(moved, moved) > least;
    if (!any_lane(later)) {
        return half;
    }
    const lanes zero = splat(0.0f);
    group->way_x -= lanes_select(later, moved_in_world.x, zero);
    group->way_y -= lanes_select(later, moved_in_world.y, zero);
    return lanes_select(later, zero, half);
}

// The marks of a part: its lanes are the lowest bits, and its features come first.
typedef struct part_marks {
    lane_marks marks;
    bool surfaced; // a contact has restitution, rolling resistance or tangent speed
} part_marks;

// Fills in the bodies' masses, the normal and the vector between the centres, and computes the
// current places of the points, as fixed to both bodies.
INLINE void place_contacts(const group_part *part, const part_contacts *of, placed_lanes at[2])
{
    const contact *contacts = part->world->contacts.data;
    const body_motion *motions = part->world->motions.data;
    contact_lanes *group = part->lanes;
    lanes ref[4];  // the frame in which the manifold was computed
    lanes man[8];  // local normal, points, found separations
    lanes rubs[4]; // friction, and unused values
    gather_fours(&contacts->reference, sizeof *contacts, of->slots, ref);
    gather_fours(&contacts->local_normal, sizeof *contacts, of->slots, &man[0]);
    gather_fours(&contacts->local_a[1], sizeof *contacts, of->slots, &man[4]);
    gather_fours(&contacts->friction, sizeof *contacts, of->slots, rubs);

    lanes side_a[8];
    lanes side_b[8];
    lanes ways[4];
    gather_rotations(motions, group->body_a, side_a);
    gather_rotations(motions, group->body_b, side_b);
    gather_ways(motions, group, ways);
    group->inv_mass_a = side_a[4];
    group->inv_mass_b = side_b[4];
    group->inv_inertia_a = side_a[5];
    group->inv_inertia_b = side_b[5];

    // B's frame relative to A's
    vector_lanes place = rotate_back((vector_lanes){ways[2], ways[3]}, side_a[0], side_a[1]);
    lanes turn_c = side_a[0] * side_b[0] + side_a[1] * side_b[1];
    lanes turn_s = side_a[0] * side_b[1] - side_a[1] * side_b[0];
    vector_lanes local_normal = {man[0], man[1]};
    vector_lanes normal = rotate(local_normal, side_a[0], side_a[1]);
    group->normal_x = normal.x;
    group->normal_y = normal.y;
    group->way_x = ways[0];
    group->way_y = ways[1];
    group->friction = rubs[0];

    lanes half = splat(0.5f);
    for (int i = 0; i < 2; i++) {
        vector_lanes local = {man[2 + 2 * i], man[3 + 2 * i]};
        vector_lanes from = {local.x - ref[0], local.y - ref[1]};
        vector_lanes now =
            rotate(rotate_back(from, ref[2], ref[3]), turn_c, turn_s); // the arm, rotated with B
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
    }
}

// Round shapes that rotate are solved as round and, if they rotate little and touch at one point,
// placed where they will have rolled to. Returns the features.
INLINE uint32_t fill_round(const group_part *part, const part_contacts *of, placed_lanes at[2],
                           const state_lanes *a, const state_lanes *b)
{
    const physics_world *world = part->world;
    const lanes_int none = {0};
    const lanes turn = turn_in_step(a, b, &world->step);
    const uint32_t turning = of->round & signs_of(turn > splat(RESTS_TURN));
    const lanes_int far_or_flat = (turn > splat(ROLLS_TURN)) | (of->points > none + 1);
    const uint32_t rolling = turning & ~signs_of(far_or_flat);
    if (rolling != 0) {
        const rolling_lanes r = find_rolling(world, of->slots, rolling);
        roll_ahead(part->lanes, &at[0], &r, a, b);
    }
    return fill_rounding(part, of, turning);
}

// Finds bodies of very uneven masses. Returns the features.
INLINE uint32_t uneven_masses(const contact_lanes *group)
{
    const lanes ratio = splat(MASS_RATIO_MAX);
    const lanes light = lanes_max(group->inv_mass_a, group->inv_mass_b);
    const lanes heavy = lanes_min(group->inv_mass_a, group->inv_mass_b);
    return any_lane((light > ratio * heavy) & (heavy > splat(0.0f))) ? LANES_UNEVEN : 0u;
}

// Fills in the softness of thin bodies' contacts. Returns the features.
INLINE uint32_t fill_gives(const group_part *part, const state_lanes *a, const state_lanes *b)
{
    const lanes_int flags = (lanes_int)a->flags | (lanes_int)b->flags;
    uint32_t thin = signs_of(flags << (31 - __builtin_ctz(STATE_THIN)));
    if (thin == 0) {
        return 0;
    }
    part->gives->share = splat(1.0f);
    for (; thin != 0; thin &= thin - 1) {
        const int lane = __builtin_ctz(thin);
        part->gives->share[lane] =
            contact_give(part->world, part->lanes->body_a[lane], part->lanes->body_b[lane]);
    }
    return LANES_THIN;
}

INLINE part_marks fill_part(const group_part *part)
{
    const contact *contacts = part->world->contacts.data;
    const body_state *states = part->world->states.data;
    contact_lanes *group = part->lanes;
    const part_contacts seated = read_part_contacts(part);
    const lanes_int none = {0};
    const lanes_int has[2] = {seated.points > none, seated.points > none + 1};
    uint32_t features = any_lane(has[1]) ? 0u : LANES_SINGLE;

    lanes old[4]; // impulses
    gather_fours(contacts->normal_impulse, sizeof *contacts, seated.slots, old);
    placed_lanes at[2];
    place_contacts(part, &seated, at);
    state_lanes a = gather_velocities(states, group->body_a);
    state_lanes b = gather_velocities(states, group->body_b);
    if (seated.surface != 0) {
        features |= fill_surfaces(part, &seated);
    }
    features |= fill_round(part, &seated, at, &a, &b);
    features |= uneven_masses(group);
    features |= fill_gives(part, &a, &b);
    lanes turns[2][2];
    for (int i = 0; i < 2; i++) {
        point_lanes *p = &group->points[i];
        fill_point(group, p, &at[i], has[i], turns[i]);
        p->normal_impulse = lanes_select(has[i], old[i], splat(0.0f));
        p->tangent_impulse = lanes_select(has[i], old[2 + i], splat(0.0f));
        p->total_impulse = splat(0.0f);
    }
    drop_friction(group, seated.deep);
    part_marks of = {
        .marks = {.features = {(uint8_t)features}, .touching = (uint8_t)seated.touching},
        .surfaced = seated.surface != 0};
    note_nearest(&of.marks, at, has);
    note_approach(part, &of.marks, &seated, at, has, &a, &b);
    lanes coupling = (group->inv_mass_a + group->inv_mass_b) +
                     (group->inv_inertia_a * turns[0][0] * turns[1][0] +
                      group->inv_inertia_b * turns[0][1] * turns[1][1]);
    couple_points(group, lanes_select(has[1], coupling, splat(0.0f)));
    return of;
}

void VARIANT_OF(contact_fill_)(const physics_world *world, uint32_t index, const uint32_t *slots,
                               uint32_t count)
{
    lane_marks *marks = &world->solver->groups.marks[index];
    uint8_t *impacts = &world->solver->groups.impacts[index];
    *marks = (lane_marks){.features = {LANES_NONE, LANES_NONE}};
    *impacts = IMPACTS_NEVER;
    uint32_t surfaced = 0; // bits of parts
    for (int i = 0; i < PARTS; i++) {
        const group_part part = part_of_group(world, index, i, slots, count);
        if (part.count == 0) { // its lanes refer to body slot 0, like unused lanes elsewhere
            memset(part.lanes->body_a, 0, PART_LANES * sizeof *part.lanes->body_a);
            memset(part.lanes->body_b, 0, PART_LANES * sizeof *part.lanes->body_b);
            break;
        }
        const part_marks of = fill_part(&part);
        const int shift = i * PART_LANES;
        marks->features[i] = of.marks.features[0];
        marks->touching |= (uint8_t)(of.marks.touching << shift);
        marks->overlapping |= (uint8_t)(of.marks.overlapping << shift);
        marks->near |= (uint8_t)(of.marks.near << shift);
        marks->approached |= (uint8_t)(of.marks.approached << shift);
        *impacts = (of.marks.features[0] & LANES_LIVELY) != 0 ? IMPACTS_POSSIBLE : *impacts;
        surfaced |= (uint32_t)of.surfaced << i;
    }
    for (int i = 0; i < PARTS && *impacts != IMPACTS_NEVER; i++) {
        if ((surfaced >> i & 1) == 0) { // none of its contacts has restitution
            surface_lanes *s = PART_OF(&world->solver->groups.surfaces[index], i);
            s->restitution = splat(0.0f);
        }
    }
}

// Copies the approach speeds kept in the contacts to contact_approach().
INLINE void give_approach(contact_lanes *group, const contact *contacts, const uint32_t *slots,
                          uint32_t approached)
{
    for (; approached != 0; approached &= approached - 1) {
        int lane = __builtin_ctz(approached);
        for (int i = 0; i < 2; i++) {
            group->points[i].base_separation[lane] = contacts[slots[lane]].total_impulse[i];
        }
    }
}

// Impulses that last beyond a step are finite, whatever the smallest and greatest masses did in it:
// a world's state has no NaN, whose bits differ between processors.
INLINE lanes finite_or_zero(lanes a)
{
    return lanes_select(lanes_abs(a) < splat(INFINITY), a, splat(0.0f));
}

// Copies impulses of a part back into its contacts; returns the lanes with pressure.
INLINE uint32_t store_part(const group_part *part, uint32_t approached, uint32_t features)
{
    contact_lanes *group = part->lanes;
    contact *contacts = part->world->contacts.data;
    const point_lanes *p = group->points;
    const lanes solved[4] = {
        finite_or_zero(p[0].normal_impulse), finite_or_zero(p[1].normal_impulse),
        finite_or_zero(p[0].tangent_impulse), finite_or_zero(p[1].tangent_impulse)};
    const lanes sums[4] = {finite_or_zero(p[0].total_impulse), finite_or_zero(p[1].total_impulse)};
    lanes first[4];
    lanes second[4];
    turn_fours(solved, first);
    turn_fours(sums, second);
    give_approach(group, contacts, part->slots, approached);
    for (uint32_t lane = 0; lane < PART_LANES && lane < part->count; lane++) {
        contact *c = &contacts[part->slots[lane]];
        const quad totals = row_of(second, lane);
        *(quad *)(void *)c->normal_impulse = row_of(first, lane);
        memcpy(c->total_impulse, &totals, sizeof c->total_impulse);
    }
    if ((features & LANES_ROLLING) != 0) {
        for (uint32_t lane = 0; lane < PART_LANES && lane < part->count; lane++) {
            const float rolling = part->surfaces->rolling_impulse[lane];
            contacts[part->slots[lane]].rolling_impulse = isfinite(rolling) ? rolling : 0.0f;
        }
    }
    return signs_of(sums[0] + sums[1] > splat(0.0f));
}

// Touching begins with pressure or overlap, and ends when there is neither and a gap of
// LINEAR_SLOP: so resting contacts do not flicker, and a body that flies past within
// SPECULATIVE_DISTANCE does not count as touching.
touch_changes VARIANT_OF(contact_store_)(const physics_world *world, uint32_t index,
                                         const uint32_t *slots, uint32_t count)
{
    const lane_marks *marks = &world->solver->groups.marks[index];
    const uint32_t part_bits = (1u << PART_LANES) - 1;
    uint32_t pressed = 0;
    for (int i = 0; i < PARTS; i++) {
        const group_part part = part_of_group(world, index, i, slots, count);
        if (part.count == 0) {
            break;
        }
        const int shift = i * PART_LANES;
        uint32_t approached = marks->approached >> shift & part_bits;
        pressed |= store_part(&part, approached, marks->features[i]) << shift;
    }
    uint32_t filled = (1u << count) - 1;
    uint32_t was = marks->touching;
    return (touch_changes){
        .began = filled & ~was & (pressed | marks->overlapping),
        .ended = filled & was & ~pressed & ~marks->near,
    };
}
