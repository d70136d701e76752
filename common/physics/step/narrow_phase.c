// The narrow phase: renews the manifold of every awake contact, copies the impulses of persisting
// points to the new ones, makes points for pairs that will meet within the step (speculative.c),
// and adds contacts to the constraint graph or removes them. Sleeping bodies that are touched wake.
#include "common/physics/step/speculative.h"
#include "common/physics/state/contacts/contact_pair.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/one_way.h"
#include "common/physics/step/solver/solver_scratch.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

// A manifold is kept while no point of B moves by more than RECYCLE_DISTANCE and by this share of
// the distance of B's farthest point from B's origin; the second is for round shapes that touch at
// one point.
#define RECYCLE_SHARE       0.01f
#define RECYCLE_SHARE_ROUND 0.0001f
// Shapes that overlap by more than this share of the thinner one's smallest half width have no
// friction.
#define DEEP_SHARE          0.5f
#define GRAIN_CONTACTS      128u // contacts that make a range worth handing to another thread
// Contacts are prefetched this many ahead: in moving piles they lie anywhere in memory.
#define CONTACTS_AHEAD      8u

// Replaces the manifold by one found with B's frame at `reference`, keeping the impulses of
// persisting points.
static void take_manifold(contact *c, const manifold *m, transform reference)
{
    const contact old = *c;
    c->reference = reference;
    c->local_normal = m->normal;
    c->point_count = (uint8_t)m->count;
    for (int i = 0; i < 2; i++) {
        c->normal_impulse[i] = c->tangent_impulse[i] = c->total_impulse[i] = 0.0f;
    }
    for (int i = 0; i < m->count; i++) {
        const manifold_point *from = &m->points[i];
        c->local_a[i] = from->point;
        c->found_separation[i] = from->separation;
        c->ids[i] = from->id;
        for (int k = 0; k < old.point_count; k++) {
            if (old.ids[k] == from->id) {
                c->normal_impulse[i] = old.normal_impulse[k];
                c->tangent_impulse[i] = old.tangent_impulse[k];
            }
        }
    }
    if (m->count == 0) {
        c->rolling_impulse = 0.0f;
        c->gap = m->gap;
    }
}

// The pose of a body when the step began: the solver starts struck bodies elsewhere.
static pose true_pose(const physics_world *world, uint32_t slot)
{
    const body_motion *m = &world->motions.data[slot];
    pose frame = body_pose(m);
    vec2d began;
    if (impact_find_begin(world, slot, &began)) {
        frame.p = vec2d_offset(began, vec2_neg(rot_vec(m->rotation, m->local_center)));
    }
    return frame;
}

// A sensor only detects whether shapes overlap.
static bool sensor_overlaps(const physics_world *world, const shape *a, const shape *b)
{
    const transform b_in_a = pose_relative(true_pose(world, a->body), true_pose(world, b->body));
    proxy pa = proxy_from_shape(&a->traits->geometry);
    proxy pb = proxy_from_shape(&b->traits->geometry);
    return distance_proxies(&pa, &pb, b_in_a, true, NULL).distance <= 0.0f;
}

// Whether the shapes overlap by more than half of the thinner one's smallest half width. (A segment
// has no thickness; it only meets shapes that do.)
static bool is_deep(const contact *c, const shape *a, const shape *b)
{
    float of_a = a->traits->extent_min;
    float of_b = b->traits->extent_min;
    float thinner = of_a > 0.0f && (of_a < of_b || of_b <= 0.0f) ? of_a : of_b;
    for (int i = 0; i < c->point_count; i++) {
        if (c->found_separation[i] < -DEEP_SHARE * thinner) {
            return true;
        }
    }
    return false;
}

bool contact_depth_is_kept(const physics_world *world, const contact *c)
{
    const bool deep = is_deep(c, &world->shapes.data[c->shape_a], &world->shapes.data[c->shape_b]);
    return deep != ((c->flags & CONTACT_DEEP) != 0);
}

static void find_manifold(contact *c, const shape *a, const shape *b, transform b_in_a)
{
    manifold m = manifold_shapes(&a->traits->geometry, &b->traits->geometry, b_in_a);
    take_manifold(c, &m, b_in_a);
    c->flags &= (uint8_t)~CONTACT_DEEP;
    if (is_deep(c, a, b)) {
        c->flags |= CONTACT_DEEP;
    }
}

// The distance that a point of B may move relative to A before the manifold is computed again. With
// points that is RECYCLE_DISTANCE, far less for small shapes; without, the rest of the gap between
// them. A rolling shape that touches at one point keeps changing that point: old points would press
// beside its centre and roll it on, so wedged balls would never rest.
static float allowed_move(const contact *c)
{
    if (c->point_count == 0) {
        return c->gap - (SPECULATIVE_DISTANCE + 0.1f * LINEAR_SLOP);
    }
    bool rolls = c->point_count == 1 && (c->flags & CONTACT_ROUND) != 0;
    return float_min(RECYCLE_DISTANCE, (rolls ? RECYCLE_SHARE_ROUND : RECYCLE_SHARE) * c->reach);
}

// Whether the manifold is still valid: no point of B can have moved by more than allowed since it
// was computed.
static bool is_still_good(const contact *c, transform b_in_a)
{
    float reach = c->reach;
    float allowed = allowed_move(c);
    if (!(allowed > 0.0f)) {
        return false;
    }
    vec2 p = vec2_sub(b_in_a.p, c->reference.p);
    float dc = b_in_a.q.c - c->reference.q.c;
    float ds = b_in_a.q.s - c->reference.q.s;
    // |a + b|² <= 2 (|a|² + |b|²), for the translation and the rotation's chord at the farthest
    // point
    float bound = 2.0f * (vec2_length_squared(p) + reach * reach * (dc * dc + ds * ds));
    return bound <= allowed * allowed;
}

// The result of computing a contact's manifold.
typedef enum finding { FOUND_PARTED, FOUND_NOTHING, FOUND_POINTS } finding;

static bool boxes_overlap(const physics_world *world, const contact *c)
{
    return aabb_overlaps(world->shapes.data[c->shape_a].fat, world->shapes.data[c->shape_b].fat);
}

// Gives a contact that has no points now those that it will have in the middle of the step, if any.
static void look_ahead(const physics_world *world, contact *c, transform b_in_a)
{
    manifold m;
    if (meet_ahead(world, c, &b_in_a, &m)) {
        take_manifold(c, &m, b_in_a);
        if (c->one_way != 0) {
            one_way_judge_ahead(world, c);
        }
    }
}

// Updates the contact to its bodies' current poses.
static finding renew_contact(physics_world *world, contact *c)
{
    const body_motion *ma = &world->motions.data[c->body_a];
    const body_motion *mb = &world->motions.data[c->body_b];
    const bool renewed = (ma->box_renewed | mb->box_renewed) != 0;
    if (renewed && !boxes_overlap(world, c)) {
        return FOUND_PARTED;
    }
    const shape *a = &world->shapes.data[c->shape_a];
    const shape *b = &world->shapes.data[c->shape_b];
    if ((c->flags & CONTACT_SENSOR) != 0) {
        return sensor_overlaps(world, a, b) ? FOUND_POINTS : FOUND_NOTHING;
    }
    transform b_in_a = pose_relative(body_pose(ma), body_pose(mb));
    bool kept = is_still_good(c, b_in_a);
    if (!kept) {
        find_manifold(c, a, b, b_in_a);
        if (c->one_way != 0) {
            one_way_judge(world, c, (c->flags & CONTACT_ACTIVE) != 0);
        }
    }
    // Fast bodies have new boxes in each step; if a shape of the world has restitution, all
    // contacts with a surface are examined.
    const bool fast = renewed || (world->step.lively && (c->flags & CONTACT_SURFACE) != 0);
    if (fast && c->point_count == 0 && may_meet_ahead(world, c, b_in_a)) {
        if (kept) {
            find_manifold(c, a, b, b_in_a);
        }
        look_ahead(world, c, b_in_a);
    }
    return c->point_count > 0 ? FOUND_POINTS : FOUND_NOTHING;
}

bool contact_restore(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    const shape *a = &world->shapes.data[c->shape_a];
    const shape *b = &world->shapes.data[c->shape_b];
    find_manifold(c, a, b, c->reference);
    return c->point_count > 0;
}

enum { // lists of a partial
    GOT_POINTS,
    LOST_POINTS, // their points are lost, or their boxes do not overlap any more
    OTHER_POINTS // their number changed
};

// Updates a contact to its bodies' current poses. Returns the list on which it belongs, or -1.
static int update_contact(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    bool was = (c->flags & CONTACT_ACTIVE) != 0;
    uint8_t before = c->point_count;
    finding is = renew_contact(world, c);
    if (is == FOUND_POINTS && !was) {
        return GOT_POINTS;
    }
    if (is == FOUND_PARTED || (is == FOUND_NOTHING && was)) {
        return LOST_POINTS;
    }
    return is == FOUND_POINTS && c->point_count != before ? OTHER_POINTS : -1;
}

// Updates consecutive contacts and puts each on the list where it belongs. It is the only caller of
// the update, so compilers inline it here.
static void update_row(physics_world *world, const uint32_t *slots, uint32_t count, partial *found)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i + CONTACTS_AHEAD < count) {
            const contact *next = &world->contacts.data[slots[i + CONTACTS_AHEAD]];
            __builtin_prefetch(next, 1);
            __builtin_prefetch(&next->local_normal, 1);
        }
        int list = update_contact(world, slots[i]);
        if (list >= 0) {
            array_push(&found->lists[list], slots[i]);
        }
    }
}

// Updates a range of awake contacts, from the given one on.
static void update_contacts(physics_world *world, uint32_t first, uint32_t end, partial *found,
                            const void *context)
{
    if (first < end) { // the list is NULL before the first contact
        const uint32_t from = *(const uint32_t *)context;
        update_row(world, &world->awake_contacts.data[from + first], end - first, found);
    }
}

static void add_slots(slot_list *to, const slot_list *slots)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        array_push(to, slots->data[i]);
    }
}

// Tests a sensor's pairs of which neither body is awake once, when a box of one of the two is new:
// otherwise they do not move.
static void update_still(physics_world *world)
{
    slot_list *still = &world->scratch->listed;
    array_clear(still);
    uint32_t last = NONE;
    for (uint32_t i = 0; i < world->enlarged.count; i++) {
        const uint32_t slot = world->shapes.data[world->enlarged.data[i]].body;
        const body *b = &world->bodies.data[slot];
        for (uint32_t key = b->contacts; slot != last && b->awake_index == 0 && key != NONE;) {
            const contact *c = &world->contacts.data[key >> 1];
            if ((c->flags & CONTACT_SENSOR) != 0 && c->awake_index == 0) {
                array_push(still, key >> 1);
            }
            key = c->edges[key & 1].next;
        }
        last = slot;
    }
    still->count = sort_slots(still->data, still->count);
    partial *found = &world->parallel.partials[0];
    array_clear(&found->lists[GOT_POINTS]);
    array_clear(&found->lists[LOST_POINTS]);
    update_row(world, still->data, still->count, found);
    add_slots(&world->scratch->activated, &found->lists[GOT_POINTS]);
    add_slots(&world->scratch->deactivated, &found->lists[LOST_POINTS]);
}

void contact_leave(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    c->flags &= (uint8_t)~CONTACT_ACTIVE;
    if ((c->flags & CONTACT_TOUCHING) != 0) {
        array_push(&world->solver->ended, slot);
    }
    graph_remove_contact(world, slot);
}

static void sort_graph(physics_world *world, uint32_t partials)
{
    for (uint32_t k = 0; k < partials; k++) {
        const slot_list *found = &world->parallel.partials[k].lists[OTHER_POINTS];
        for (uint32_t i = 0; i < found->count; i++) {
            graph_sort_contact(world, found->data[i]);
        }
    }
}

// All contacts that leave the graph do so first, so that colours become free; then others enter, by
// slot.
static void leave_graph(physics_world *world)
{
    world->scratch->deactivated.count =
        sort_slots(world->scratch->deactivated.data, world->scratch->deactivated.count);
    for (uint32_t i = 0; i < world->scratch->deactivated.count; i++) {
        uint32_t slot = world->scratch->deactivated.data[i];
        contact *c = &world->contacts.data[slot];
        // Boxes of a body that an impact has moved may be apart although it goes on beside another.
        const bool parted =
            !boxes_overlap(world, c) && !slot_is_among(&world->scratch->joined, slot);
        if (parted && !contact_has_pieces(world, c)) {
            contact_destroy(world, slot);
            continue;
        }
        contact_leave(world, slot);
        if (parted && (c->flags & CONTACT_TOUCHING) == 0) {
            contact_free(world, slot);
        } else if (parted) {
            c->point_count =
                0; // another piece may be touched now: touch.c reports the end, and frees
        }
    }
}

// Updates the contacts of bodies that move on side by side after an impact: they are solved with
// the normal at the place where they met. Bodies that meet on the open side of a one-way shape do
// not pass through it, wherever the step began.
static void join_impacts(physics_world *world)
{
    const slot_list *joined = &world->scratch->joined;
    for (uint32_t i = 0; i < joined->count; i++) {
        contact *c = &world->contacts.data[joined->data[i]];
        impact_report told;
        transform b_in_a;
        manifold m;
        if (impact_told(world, joined->data[i], &told) && meet_at(world, c, told.at, &b_in_a, &m)) {
            take_manifold(c, &m, b_in_a);
            c->one_way &= ONE_WAY_A | ONE_WAY_B;
            if ((c->flags & CONTACT_ACTIVE) == 0) {
                array_push(&world->scratch->activated, joined->data[i]);
            }
        }
    }
}

static void enter_graph(physics_world *world)
{
    world->scratch->activated.count =
        sort_slots(world->scratch->activated.data, world->scratch->activated.count);
    for (uint32_t i = 0; i < world->scratch->activated.count; i++) {
        contact *c = &world->contacts.data[world->scratch->activated.data[i]];
        if (c->point_count == 0 && (c->flags & CONTACT_SENSOR) == 0) {
            continue; // a contact hidden meanwhile
        }
        c->flags |= CONTACT_ACTIVE;
        if ((c->flags & CONTACT_SENSOR) != 0) {
            array_push(&world->solver->began, world->scratch->activated.data[i]);
            continue;
        }
        uint32_t bodies[2] = {c->body_a, c->body_b};
        graph_add_contact(world, world->scratch->activated.data[i]);
        for (int side = 0; side < 2; side++) {
            if (world->bodies.data[bodies[side]].sleep_set != 0) {
                body_wake(world, bodies[side]);
            }
        }
    }
}

void narrow_phase(physics_world *world)
{
    array_clear(&world->solver->began);
    array_clear(&world->solver->ended);
    // Touched sleeping bodies wake, and bring contacts with manifolds from before they slept: the
    // loop renews those too.
    for (uint32_t first = 0; first < world->awake_contacts.count || first == 0;) {
        array_clear(&world->scratch->activated);
        array_clear(&world->scratch->deactivated);
        if (first == 0 && world->broad.sensors.root != 0) {
            update_still(world);
        }
        uint32_t partials = run_ranges(&world->parallel, world->awake_contacts.count - first,
                                       GRAIN_CONTACTS, update_contacts, &first);
        partials_gather(&world->parallel, partials, GOT_POINTS, &world->scratch->activated);
        partials_gather(&world->parallel, partials, LOST_POINTS, &world->scratch->deactivated);
        sort_graph(world, partials);
        leave_graph(world);
        part_impacts(world);
        join_impacts(world);
        hide_ghost_collisions(world);
        first = world->awake_contacts.count;
        enter_graph(world);
        if (first == world->awake_contacts.count) {
            break;
        }
    }
    for (uint32_t i = 0; i < world->enlarged.count; i++) {
        world->motions.data[world->shapes.data[world->enlarged.data[i]].body].box_renewed = false;
    }
    array_clear(&world->enlarged);
    for (uint32_t i = 0; i < world->scratch->grown.count; i++) { // renewed meanwhile by impacts.c
        shape_note_enlarged(world, world->scratch->grown.data[i]);
    }
}
