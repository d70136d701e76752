// Ghost collisions: a body that slides over a surface of adjacent still shapes must not catch on
// their common edges.
//
// A box that slides from tile to tile hits the next tile's side before its top, because it has sunk
// in slightly; a ball hits the corner. Each pair by itself is right, so the solution has to compare
// two pairs. Let the moving shape S rest on T with normal n. S is convex: all of it lies above T's
// plane of support, less the depth. A still shape U that does not rise above that plane where S is,
// or will be in this step, can be separated from S along n by at most that depth, and T's contact
// does separate them. Any other normal between S and U comes from the seam: that contact is hidden,
// as if it had no points. A contact whose normal nearly equals T's supports S as T's does; it takes
// over T's normal, because at 40 m/s a deviation of a thousandth would throw S up. If two contacts
// cover each other in this way, the normal of a still shape's face wins over that of a corner;
// otherwise the one wins whose plane the other lies further below.
//
// This works for tiles of any size and angle, flush or lower, of one body or of many, and without
// knowing neighbours: nothing is stored or hashed, and each step searches again for contacts to
// hide. A shape that rises by more than SEAM_STEP is a real step, or a wall. (Chains know their
// neighbours, see geometry/manifold_chain.c; this file handles a chain beside another shape.) It
// runs serially, after all manifolds were renewed and those without points have left the graph.
#include "common/physics/parallel/sort.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

#define SEAM_STEP  (0.5f * LINEAR_SLOP) // faces that rise by less are not a step [m]
#define SEAM_DEPTH SPECULATIVE_DISTANCE // at a larger depth, S does not rest on T [m]
// Normals this close count as nearly equal, since S may be tilted by as much [sine].
#define SAME_SINE  0.02f
#define FACE_SINE  1e-4f                 // rounding may rotate a face by this [sine]
#define SAME_DEPTH (0.02f * LINEAR_SLOP) // rounding makes equal depths differ by this [m]

// The most different normals, which differ by at least SAME_SINE, of a shape's still contacts that
// are considered: more than a convex shape can rest on.
enum { RESTS_MAX = 64 };

static bool is_dynamic(const physics_world *world, uint32_t body_)
{
    return (world->states.data[body_].flags & STATE_DYNAMIC) != 0;
}

// A contact between a moving shape and a still one, from the side of the moving one.
typedef struct rest {
    uint32_t slot;
    uint32_t body, still_body;
    uint32_t shape, still_shape;
    vec2 normal;      // normal from the still shape to the moving one
    float separation; // separation of the deepest point
} rest;

// Whether the contact is between a moving and a still shape, and has points.
static bool is_rest(const physics_world *world, const contact *c)
{
    return c->point_count > 0 && (c->flags & CONTACT_SENSOR) == 0 &&
           is_dynamic(world, c->body_a) != is_dynamic(world, c->body_b);
}

static rest rest_of(const physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    const placed_points placed = contact_place_points(world, c);
    float separation = placed.separation[0];
    if (c->point_count > 1) {
        separation = float_min(separation, placed.separation[1]);
    }
    bool b = is_dynamic(world, c->body_b);
    return (rest){
        .slot = slot,
        .body = b ? c->body_b : c->body_a,
        .still_body = b ? c->body_a : c->body_b,
        .shape = b ? c->shape_b : c->shape_a,
        .still_shape = b ? c->shape_a : c->shape_b,
        .normal = b ? placed.normal : vec2_neg(placed.normal),
        .separation = separation,
    };
}

static bool normals_within(vec2 a, vec2 b, float sine)
{
    return float_abs(vec2_cross(a, b)) < sine && vec2_dot(a, b) > 0.0f;
}

static bool normals_equal(vec2 a, vec2 b)
{
    return a.x == b.x && a.y == b.y;
}

// ---- shapes

// The corners of a shape's core.
typedef struct outline {
    const vec2 *points;
    int count;
    float radius;
    vec2 ends[2]; // points of a shape that is not a polygon
} outline;

static void outline_of(const physics_world *world, uint32_t shape_, outline *o)
{
    const shape_geometry *g = &world->shapes.data[shape_].traits->geometry;
    o->points = o->ends;
    o->count = 2;
    o->radius = 0.0f;
    switch (g->kind) {
    case SHAPE_POLYGON:
        o->points = g->polygon.vertices;
        o->count = g->polygon.count;
        o->radius = g->polygon.radius;
        return;
    case SHAPE_CIRCLE:
        o->count = 1;
        o->ends[0] = g->circle.center;
        o->radius = g->circle.radius;
        return;
    case SHAPE_CAPSULE:
        o->ends[0] = g->capsule.a;
        o->ends[1] = g->capsule.b;
        o->radius = g->capsule.radius;
        return;
    default: {
        const segment *edge = g->kind == SHAPE_SEGMENT ? &g->segment : &g->chain.edge;
        o->ends[0] = edge->a;
        o->ends[1] = edge->b;
    }
    }
}

// Whether that normal is the normal of one of the shape's faces.
static bool is_face(const physics_world *world, uint32_t shape_, uint32_t body_, vec2 normal)
{
    outline o;
    outline_of(world, shape_, &o);
    vec2 n = rot_inv_vec(world->motions.data[body_].rotation, normal);
    for (int i = 0; i < o.count && o.count > 1; i++) {
        vec2 edge = vec2_sub(o.points[i + 1 < o.count ? i + 1 : 0], o.points[i]);
        float across = vec2_dot(n, edge);
        if (across * across < FACE_SINE * FACE_SINE * vec2_length_squared(edge) &&
            vec2_cross(n, edge) > 0.0f) {
            return true;
        }
    }
    return false;
}

typedef struct range {
    float low, high;
} range;

// The extent of the shape along a direction, relative to a place.
static range reach_along(const physics_world *world, uint32_t shape_, uint32_t body_, vec2d place,
                         vec2 direction)
{
    outline o;
    outline_of(world, shape_, &o);
    const body_motion *m = &world->motions.data[body_];
    vec2 local = rot_inv_vec(m->rotation, direction);
    range r = {INFINITY, -INFINITY};
    for (int i = 0; i < o.count; i++) {
        float at = vec2_dot(local, o.points[i]);
        r.low = float_min(r.low, at);
        r.high = float_max(r.high, at);
    }
    float origin = vec2_dot(direction, vec2d_relative(place, m->position));
    return (range){origin + (r.low - o.radius), origin + (r.high + o.radius)};
}

// The shape's extent along n, relative to a place, within a strip across n; an upper bound of it
// for round shapes.
static float height_within(const physics_world *world, uint32_t shape_, uint32_t body_, vec2d place,
                           vec2 n, range strip)
{
    outline o;
    outline_of(world, shape_, &o);
    const body_motion *m = &world->motions.data[body_];
    vec2 local_n = rot_inv_vec(m->rotation, n);
    vec2 local_t = vec2_left(local_n);
    vec2 origin = vec2d_relative(place, m->position);
    float across = vec2_dot(vec2_left(n), origin);
    float low = strip.low - across - o.radius;
    float high = strip.high - across + o.radius;
    float highest = -INFINITY;
    for (int i = 0; i < o.count; i++) {
        vec2 from = o.points[i];
        vec2 to = o.points[i + 1 < o.count ? i + 1 : 0];
        float begin = vec2_dot(local_t, from);
        float end = vec2_dot(local_t, to);
        if (float_max(begin, end) < low || float_min(begin, end) > high) {
            continue;
        }
        float at_from = vec2_dot(local_n, from);
        float at_to = vec2_dot(local_n, to);
        float higher = float_max(at_from, at_to);
        float nearer = at_from > at_to ? begin : end;
        // the higher end is outside: uses the point where the edge enters the strip
        if (nearer < low || nearer > high) {
            float border = nearer < low ? low : high;
            higher = at_from + (at_to - at_from) * ((border - begin) / (end - begin));
        }
        highest = float_max(highest, higher);
    }
    return vec2_dot(n, origin) + (highest + o.radius);
}

// The strip across n that the moving shape covers in this step, as seen by the other body.
static range strip_of(const physics_world *world, const rest *of, vec2 n)
{
    vec2 t = vec2_left(n);
    range strip = reach_along(world, of->shape, of->body, world->motions.data[of->body].center, t);
    vec2 velocity = vec2_sub(world->states.data[of->body].velocity,
                             world->states.data[of->still_body].velocity);
    float way = world->step.dt * vec2_dot(t, velocity);
    strip.low += float_min(way, 0.0f) - SPECULATIVE_DISTANCE;
    strip.high += float_max(way, 0.0f) + SPECULATIVE_DISTANCE;
    return strip;
}

// ---- contacts that cover others

// The distance of the plane on which the body rests from its centre, along the normal.
static float plane_of(const physics_world *world, const rest *on)
{
    vec2d center = world->motions.data[on->body].center;
    return reach_along(world, on->still_shape, on->still_body, center, on->normal).high;
}

// How far the still shape of `of` rises above the plane on which `on` rests.
static float stands_out(const physics_world *world, const rest *of, const rest *on, float plane)
{
    vec2d center = world->motions.data[on->body].center;
    range strip = strip_of(world, of, on->normal);
    return height_within(world, of->still_shape, of->still_body, center, on->normal, strip) - plane;
}

// Whether the shape rests on that plane: a body that has tipped over the plane's edge does not.
static bool lies_on(const physics_world *world, const rest *on, float plane)
{
    vec2d center = world->motions.data[on->body].center;
    float lowest = reach_along(world, on->shape, on->body, center, on->normal).low;
    return on->separation >= -SEAM_DEPTH &&
           plane - lowest <= float_max(-on->separation, 0.0f) + SEAM_STEP;
}

static bool still_face(const physics_world *world, const rest *r)
{
    return is_face(world, r->still_shape, r->still_body, r->normal);
}

static bool covers(const physics_world *world, const rest *on, const rest *of)
{
    if (on->slot == of->slot || on->shape != of->shape) {
        return false;
    }
    float plane = plane_of(world, on);
    float out = stands_out(world, of, on, plane);
    if (out > SEAM_STEP || !lies_on(world, on, plane)) {
        return false;
    }
    float other_out = stands_out(world, on, of, plane_of(world, of));
    if (other_out > SEAM_STEP) {
        return true;
    }
    bool face = still_face(world, on);
    if (face != still_face(world, of)) {
        return face;
    }
    return out < other_out || (out == other_out && on->slot < of->slot);
}

// The contacts on which a shape rests: for each normal the deepest, with a face's normal if there
// is one.
typedef struct rests {
    rest on[RESTS_MAX];
    int count;
} rests;

static bool is_better(const physics_world *world, const rest *r, const rest *known)
{
    if (!normals_equal(r->normal, known->normal)) {
        bool face = still_face(world, r);
        if (face != still_face(world, known)) {
            return face;
        }
    }
    return r->separation < known->separation;
}

static void rests_add(const physics_world *world, rests *all, const rest *r)
{
    for (int i = 0; i < all->count; i++) {
        rest *known = &all->on[i];
        if (normals_within(known->normal, r->normal, SAME_SINE)) {
            *known = is_better(world, r, known) ? *r : *known;
            return;
        }
    }
    if (all->count < RESTS_MAX) {
        all->on[all->count++] = *r;
    }
}

static void rests_remove(rests *all, uint32_t slot)
{
    for (int i = 0; i < all->count; i++) {
        if (all->on[i].slot == slot) {
            all->on[i] = all->on[--all->count];
            return;
        }
    }
}

static void hide(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    c->point_count = 0;
    c->rolling_impulse = 0.0f;
    c->gap = 0.0f; // forces the next step to compute it again
    if ((c->flags & CONTACT_ACTIVE) != 0) {
        contact_leave(world, slot);
    }
}

// Only for this step: the normal is not state, and the next step derives it from the reference
// again.
static void turn(physics_world *world, const rest *of, vec2 normal)
{
    contact *c = &world->contacts.data[of->slot];
    array_push(&world->scratch->turned, ((turned_normal){of->slot, c->local_normal}));
    vec2 out = c->body_a == of->body ? vec2_neg(normal) : normal;
    c->local_normal = rot_inv_vec(world->motions.data[c->body_a].rotation, out);
}

void forget_ghost_collisions(physics_world *world)
{
    while (world->scratch->turned.count >
           0) { // a normal may have been replaced twice: the first one counts
        const turned_normal *t = &world->scratch->turned.data[--world->scratch->turned.count];
        world->contacts.data[t->contact].local_normal = t->was;
    }
}

// Whether the contact with its normal replaced would support the shape while the other contact does
// not; false for corner on corner, which has not touched yet. (A ball would be lifted by its own
// spin on a corner that it has not reached.)
static bool carries(const physics_world *world, const rest *of, const rest *on)
{
    return of->separation < on->separation - SAME_DEPTH || still_face(world, of) ||
           is_face(world, of->shape, of->body, vec2_neg(of->normal));
}

// A hidden contact hides no other from then on, so the order matters: contacts are examined by
// slot.
static void look_at_contact(physics_world *world, rests *all, const rest *of)
{
    for (int i = 0; i < all->count; i++) {
        const rest *on = &all->on[i];
        if (normals_equal(on->normal, of->normal) || !covers(world, on, of)) {
            continue;
        }
        if (normals_within(on->normal, of->normal, SAME_SINE) && carries(world, of, on)) {
            turn(world, of, on->normal);
            continue;
        }
        hide(world, of->slot);
        rests_remove(all, of->slot);
        return;
    }
}

// Collects the moving body's contacts with still bodies that have points, by its shapes and by
// slot, in world->scratch->rests. False if all have the same normal, since there is no seam then.
static bool collect_rests(physics_world *world, uint32_t body_)
{
    item_pairs *found = &world->scratch->rests;
    array_clear(found);
    vec2 first = {0.0f, 0.0f};
    bool differ = false;
    for (uint32_t key = world->bodies.data[body_].contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        uint32_t other = (key & 1) == 0 ? c->body_b : c->body_a;
        if (c->point_count > 0 && (c->flags & CONTACT_SENSOR) == 0 && !is_dynamic(world, other)) {
            vec2 n = rot_vec(world->motions.data[c->body_a].rotation, c->local_normal);
            n = (key & 1) == 0 ? vec2_neg(n) : n;
            first = found->count == 0 ? n : first;
            differ = differ || !normals_equal(n, first);
            uint32_t shape_ = (key & 1) == 0 ? c->shape_a : c->shape_b;
            array_push(found, ((item_pair){shape_, key >> 1}));
        }
        key = c->edges[key & 1].next;
    }
    sort_pairs(found, &world->scratch->rests_sorted);
    return differ;
}

// Examines the contacts of one shape.
static void look_at_shape(physics_world *world, const item_pair *contacts, uint32_t count)
{
    rests all;
    all.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        rest r = rest_of(world, contacts[i].b);
        rests_add(world, &all, &r);
    }
    for (uint32_t i = 0; i < count; i++) {
        rest r = rest_of(world, contacts[i].b);
        look_at_contact(world, &all, &r);
    }
}

static void look_at_body(physics_world *world, uint32_t body_)
{
    if (!collect_rests(world, body_)) {
        return;
    }
    const item_pairs *found = &world->scratch->rests;
    for (uint32_t first = 0; first < found->count;) {
        uint32_t end = first + 1;
        while (end < found->count && found->data[end].a == found->data[first].a) {
            end++;
        }
        look_at_shape(world, found->data + first, end - first);
        first = end;
    }
}

static void note_body(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    if (is_rest(world, c)) {
        uint32_t moving = is_dynamic(world, c->body_a) ? c->body_a : c->body_b;
        if (world->bodies.data[moving].contact_count > 1) {
            array_push(&world->scratch->on_tiles, moving);
        }
    }
}

void hide_ghost_collisions(physics_world *world)
{
    // Examines only bodies with a contact with a still body that has just got its points, or that
    // lacks the highest colour.
    array_clear(&world->scratch->on_tiles);
    for (uint32_t i = 0; i < world->scratch->activated.count; i++) {
        note_body(world, world->scratch->activated.data[i]);
    }
    for (uint32_t c = COLOURS_DYNAMIC; c < COLOURS - 1; c++) {
        for (uint32_t i = 0; i < world->graph[c].contacts.count; i++) {
            note_body(world, world->graph[c].contacts.data[i]);
        }
    }
    world->scratch->on_tiles.count =
        sort_slots(world->scratch->on_tiles.data, world->scratch->on_tiles.count);
    for (uint32_t i = 0; i < world->scratch->on_tiles.count; i++) {
        look_at_body(world, world->scratch->on_tiles.data[i]);
    }
}
