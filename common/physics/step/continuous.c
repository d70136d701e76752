// Continuous collision: a body that moved more than half its width in a step is swept along its
// path against static bodies (a bullet against all bodies) and placed where it first touches. It
// keeps its velocity; the next step's contact stops it. Method: time of impact by conservative
// advancement (see geometry/distance.h).
//
// Most bodies have no static body near their path and are skipped, see way_may_be_barred(); unless
// there are bullets, which need the paths of all fast bodies.
//
// A bullet and another moving body are swept against each other's paths (way.h). The path of the
// first one is cut short before the next is swept, so that no two bodies pass through each other.
#include "common/physics/parallel/sort.h"
#include "common/physics/state/broad_phase/boxes.h"
#include "common/physics/step/one_way.h"
#include "common/physics/step/paddles.h"
#include "common/physics/step/sensor_sweep.h"
#include "common/physics/step/step.h"
#include "common/physics/step/way.h"
#include "common/physics/step/step_scratch.h"

// a shape that touches from the start may sink in until this share of it touches
#define CORE_SCALE 0.9f

typedef struct swept_body {
    physics_world *world;
    uint32_t body;
    const shape *shape;
    proxy proxy;
    way way;
    sweep whole; // its whole path, relative to its start
    transform at_start, at_end;
    float fraction; // the share of the step before the body touches anything
    uint32_t met;   // the body that it touches then, or NONE
    bool caught;    // it has sunk into that body and must lose its speed
} swept_body;

// The longest paths of other moving bodies.
typedef struct reaches {
    float kinematic, dynamic;
} reaches;

// The bodies that a body is swept against; static ones always.
typedef enum sweep_scope { AGAINST_STANDING, AGAINST_PADDLES, AGAINST_ALL } sweep_scope;

static void take_way(swept_body *s, way w)
{
    s->way = w;
    s->whole = way_piece(&s->way, s->way.start, 0.0f, 1.0f);
    s->at_start = sweep_at(&s->whole, 0.0f);
    s->at_end = sweep_at(&s->whole, 1.0f);
}

// ---- one shape against another

// The least distance of the shape in front of a line with that normal through `place`, over its
// whole path or only at its end; negative: behind.
static float clearance(const swept_body *s, vec2 normal, vec2 place, bool at_end_only)
{
    float deepest = INFINITY;
    float reach = 0.0f;
    for (int i = 0; i < s->proxy.count; i++) {
        float then =
            vec2_dot(normal, vec2_sub(transform_point(s->at_start, s->proxy.points[i]), place));
        float now =
            vec2_dot(normal, vec2_sub(transform_point(s->at_end, s->proxy.points[i]), place));
        deepest = float_min(deepest, at_end_only ? now : float_min(then, now));
        reach = float_max(reach, vec2_distance(s->proxy.points[i], s->way.local_center));
    }
    // Between the two ends a corner is at most the sagitta of its arc lower, r (1 - cos θ/2).
    double half = 0.5 * (s->way.turn < 0.0 ? -s->way.turn : s->way.turn);
    float sagitta = half < PI_D ? (float)(0.5 * half * half) : 2.0f;
    return deepest - float_min(sagitta, 2.0f) * reach - s->proxy.radius;
}

// A shape that penetrates less than this has not passed through: the contact pushes it back. A body
// that slides over the joints of a floor comes near the end of the next piece in every step, and
// must not be stopped there.
static bool stays_in_front(const swept_body *s, vec2 normal, vec2 place, bool at_end_only)
{
    float allowed = float_max(LINEAR_SLOP, 0.25f * s->shape->traits->extent_min);
    return clearance(s, normal, place, at_end_only) > -allowed;
}

// Whether the body may pass through a chain's piece, which is at `then` at the start of the path
// and at `now` at its end: not if it comes from behind or ends in front.
static bool passes_piece(const swept_body *s, const segment *edge, transform then, transform now)
{
    float length;
    vec2 a = transform_point(then, edge->a);
    vec2 along = vec2_sub(transform_point(then, edge->b), a);
    vec2 normal = vec2_normalize(vec2_right(along), &length);
    if (vec2_dot(normal, vec2_neg(a)) < 0.0f) { // its centre starts at the origin
        return false;
    }
    a = transform_point(now, edge->a);
    along = vec2_sub(transform_point(now, edge->b), a);
    return !stays_in_front(s, vec2_normalize(vec2_right(along), &length), a, true);
}

// A body that stays in front of one face on its whole path does not pass through the polygon.
static bool passes_polygon(const swept_body *s, const polygon *p, transform frame)
{
    for (int i = 0; i < p->count; i++) {
        vec2 normal = rot_vec(frame.q, p->normals[i]);
        vec2 corner = transform_point(frame, p->vertices[i]);
        if (stays_in_front(s, normal, vec2_mul_add(corner, p->radius, normal), false)) {
            return false;
        }
    }
    return true;
}

// A body that stays on one side of a segment does not pass through it.
static bool passes_segment(const swept_body *s, const segment *edge, transform frame)
{
    vec2 a = transform_point(frame, edge->a);
    float length;
    vec2 along = vec2_sub(transform_point(frame, edge->b), a);
    vec2 normal = vec2_normalize(vec2_right(along), &length);
    return !stays_in_front(s, normal, a, false) && !stays_in_front(s, vec2_neg(normal), a, false);
}

// Whether it may pass through the other shape, by quick tests.
static bool may_pass(const swept_body *s, const shape *o, const way *other)
{
    const shape_kind kind = o->traits->geometry.kind;
    const bool flat = kind == SHAPE_POLYGON || kind == SHAPE_SEGMENT;
    if (kind != SHAPE_CHAIN_SEGMENT && !(flat && way_is_none(other))) {
        return true;
    }
    const sweep at = way_piece(other, s->way.start, s->way.from, 1.0f);
    const transform frame = sweep_at(&at, 0.0f);
    if (kind == SHAPE_CHAIN_SEGMENT) {
        return passes_piece(s, &o->traits->geometry.chain.edge, frame, sweep_at(&at, 1.0f));
    }
    return kind == SHAPE_POLYGON ? passes_polygon(s, &o->traits->geometry.polygon, frame)
                                 : passes_segment(s, &o->traits->geometry.segment, frame);
}

// The end of the straight part of the other's path that begins at `from`, or `to`.
static float next_bend(const way *other, float from, float to)
{
    float end = to;
    if (from < other->from && other->from < end) {
        end = other->from;
    }
    return from < other->stop && other->stop < end ? other->stop : end;
}

// The place of the centre of mass at a share of the step, as way_piece() has it.
static vec2 way_place(const way *w, vec2d origin, float at)
{
    return vec2_mul_add(vec2d_relative(origin, w->start), way_gone(w, at), w->by);
}

// Whether the centres of mass stay so far apart on a straight part of both paths that the bodies
// cannot come near each other, however they turn. Many bullets in one place pass most others so.
static bool stay_apart(const swept_body *s, const way *other, float reach, float from, float to)
{
    const vec2d origin = s->way.start;
    const vec2 first = vec2_sub(way_place(other, origin, from), way_place(&s->way, origin, from));
    const vec2 last = vec2_sub(way_place(other, origin, to), way_place(&s->way, origin, to));
    const vec2 by = vec2_sub(last, first);
    const float length = vec2_length_squared(by);
    const float along = length > 0.0f ? -vec2_dot(first, by) / length : 0.0f;
    const vec2 nearest = vec2_mul_add(first, float_max(0.0f, float_min(along, 1.0f)), by);
    return vec2_length_squared(nearest) > reach * reach;
}

// The distance of two bodies' centres of mass beyond which they are not near, with more room than
// rounding takes.
static float near_reach(const physics_world *world, uint32_t a, uint32_t b)
{
    const body_extent *extents = world->extents.data;
    return 1.05f * (extents[a].extent_max + extents[b].extent_max) + 8.0f * LINEAR_SLOP;
}

// The share of the step after which the two first touch, up to s->fraction; 1 if they do not.
// *touching: they touch from the start.
static float first_touch(const swept_body *s, const proxy *self, const proxy *other,
                         const way *other_way, float reach, bool *touching)
{
    int pieces = way_pieces(&s->way);
    int other_pieces = way_pieces(other_way);
    pieces = pieces > other_pieces ? pieces : other_pieces;
    *touching = false;
    bool still = true; // true while the two have touched since the start
    float from = s->way.from;
    for (int i = 1; i <= pieces && from <= s->fraction; i++) {
        const float to = (float)i / (float)pieces;
        while (from < to) {
            const float end = next_bend(other_way, from, to);
            if (stay_apart(s, other_way, reach, from, end)) {
                still = false;
                from = end;
                continue;
            }
            sweep theirs = way_piece(other_way, s->way.start, from, end);
            sweep ours = way_piece(&s->way, s->way.start, from, end);
            impact_result hit = impact_time(other, &theirs, self, &ours, 1.0f);
            bool at_once = hit.state == IMPACT_OVERLAPPED ||
                           (hit.state != IMPACT_NONE && hit.fraction == 0.0f);
            still = still && at_once;
            if (still) {
                *touching = true;
            } else if (hit.state != IMPACT_NONE) {
                // A failed search has advanced to this time
                return from + hit.fraction * (end - from);
            }
            from = end;
        }
    }
    return 1.0f;
}

// The shape scaled about its middle. It counts as touching at a distance of a millimetre.
static proxy proxy_core(const proxy *p, float scale)
{
    proxy core = {.count = p->count, .radius = scale * p->radius - 0.8f * LINEAR_SLOP};
    vec2 middle = {0.0f, 0.0f};
    for (int i = 0; i < p->count; i++) {
        middle = vec2_mul_add(middle, 1.0f / (float)p->count, p->points[i]);
    }
    for (int i = 0; i < p->count; i++) {
        core.points[i] = vec2_lerp(middle, p->points[i], scale);
    }
    return core;
}

// The distance of the core from the other shape at the start of its path.
static float gap_of_core(const swept_body *s, float scale, const proxy *other, const way *other_way)
{
    const float from = s->way.from;
    sweep theirs = way_piece(other_way, s->way.start, from, from);
    sweep ours = way_piece(&s->way, s->way.start, from, from);
    transform relative = transform_inv_mul(sweep_at(&theirs, 0.0f), sweep_at(&ours, 0.0f));
    proxy core = proxy_core(&s->proxy, scale);
    return distance_proxies(other, &core, relative, false, NULL).distance - other->radius -
           core.radius;
}

// The largest core that does not touch at the start of the step; 0 is only the shape's middle, a
// negative value none.
static float largest_scale(const swept_body *s, const proxy *other, const way *other_way)
{
    // the least distance that impact_time() does not count as touching
    const float apart = 1.2f * LINEAR_SLOP;
    if (!(gap_of_core(s, 0.0f, other, other_way) > apart)) {
        return -1.0f;
    }
    float fits = 0.0f;
    float touches = CORE_SCALE;
    for (int i = 0; i < 8; i++) {
        float middle = 0.5f * (fits + touches);
        if (gap_of_core(s, middle, other, other_way) > apart) {
            fits = middle;
        } else {
            touches = middle;
        }
    }
    return fits;
}

// The contact solver handles a shape that touches from the start, and may let it sink in a little;
// then a core of the shape stops where the shape itself would. Static and kinematic bodies stop the
// core, and every body stops the core of a bullet: the thousandth of 2000 m/s that the solver's
// soft contact leaves in a sub-step would take it through a thin wall. For two other moving bodies
// the solver has to suffice.
static float first_touch_of_core(const swept_body *s, const proxy *other, const way *other_way,
                                 float reach, bool *caught)
{
    bool touching;
    *caught = false;
    proxy core = proxy_core(&s->proxy, CORE_SCALE);
    float fraction = first_touch(s, &core, other, other_way, reach, &touching);
    if (!touching) {
        return fraction;
    }
    float scale = largest_scale(s, other, other_way);
    if (scale < 0.0f) {
        return 1.0f; // the body's middle is inside the other shape: its original side is unknown
    }
    *caught = true;
    core = proxy_core(&s->proxy, scale);
    return first_touch(s, &core, other, other_way, reach, &touching);
}

// The contact of the swept shape and another one; NULL if there is none.
static const contact *contact_with(const swept_body *s, uint32_t self, uint32_t other)
{
    const physics_world *world = s->world;
    for (uint32_t key = world->bodies.data[s->body].contacts; key != NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        if ((c->shape_a == self && c->shape_b == other) ||
            (c->shape_b == self && c->shape_a == other)) {
            return c;
        }
        key = c->edges[key & 1].next;
    }
    return NULL;
}

// Whether two shapes, of which one is one-way, collide where they first touch; `touching`: from the
// start.
static bool one_way_bars(const swept_body *s, uint32_t other, const way *other_way, float fraction,
                         bool touching)
{
    const physics_world *world = s->world;
    const contact *c = contact_with(s, (uint32_t)(s->shape - world->shapes.data), other);
    if (touching) {
        return c != NULL && (c->flags & CONTACT_ACTIVE) != 0;
    }
    if (c != NULL && (c->one_way & ONE_WAY_PASSING) != 0) {
        return false;
    }
    const sweep theirs = way_piece(other_way, s->way.start, fraction, fraction);
    const sweep ours = way_piece(&s->way, s->way.start, fraction, fraction);
    const transform relative = transform_inv_mul(sweep_at(&theirs, 0.0f), sweep_at(&ours, 0.0f));
    const shape *o = &world->shapes.data[other];
    const manifold m = manifold_shapes(&o->traits->geometry, &s->shape->traits->geometry, relative);
    return one_way_admits(o, ROT_IDENTITY, s->shape, relative.q, m.normal);
}

static bool sweep_against(void *context, uint32_t other)
{
    swept_body *s = context;
    physics_world *world = s->world;
    const shape *o = &world->shapes.data[other];
    uint32_t self = (uint32_t)(s->shape - world->shapes.data);
    if (o->body == s->body || (o->flags & SHAPE_SENSOR) != 0 ||
        !contact_wanted(world, self, other)) {
        return true;
    }
    way other_way = way_of(world, o->body);
    if (!may_pass(s, o, &other_way)) {
        return true;
    }
    proxy proxy_other = proxy_from_shape(&o->traits->geometry);
    bool touching;
    bool caught = false;
    const float reach = near_reach(world, s->body, o->body);
    float fraction = first_touch(s, &s->proxy, &proxy_other, &other_way, reach, &touching);
    if ((shape_is_one_way(o) || shape_is_one_way(s->shape)) && (touching || fraction < 1.0f) &&
        !one_way_bars(s, other, &other_way, fraction, touching)) {
        return true;
    }
    const bool stands = world->bodies.data[o->body].type != BODY_DYNAMIC;
    if (touching && (stands || (world->bodies.data[s->body].flags & BODY_BULLET) != 0)) {
        bool held;
        float of_core = first_touch_of_core(s, &proxy_other, &other_way, reach, &held);
        caught = stands && held && of_core < fraction;
        fraction = float_min(fraction, of_core);
    }
    // If several bodies are touched at the same time the lowest slot counts, whichever is found
    // first.
    if (fraction < s->fraction || (fraction == s->fraction && o->body < s->met)) {
        s->fraction = fraction;
        s->met = o->body;
        s->caught = caught;
    } else if (fraction == s->fraction && o->body == s->met) {
        s->caught = s->caught || caught;
    }
    return true;
}

// The same, only for fast kinematic bodies.
static bool sweep_against_paddle(void *context, uint32_t other)
{
    const swept_body *s = context;
    const bool fast = paddle_is_fast(s->world, s->world->shapes.data[other].body);
    return !fast || sweep_against(context, other);
}

// ---- a body

static bool is_bullet(const physics_world *world, uint32_t slot)
{
    return (world->bodies.data[slot].flags & BODY_BULLET) != 0;
}

// Finds the first touch of all shapes of the body on their paths.
static void sweep_shapes(swept_body *s, const reaches *reach, sweep_scope scope)
{
    physics_world *world = s->world;
    const body *b = &world->bodies.data[s->body];
    for (uint32_t k = b->shapes; k != NONE; k = world->shapes.data[k].next) {
        s->shape = &world->shapes.data[k];
        if (!s->shape->boxed || (s->shape->flags & SHAPE_SENSOR) != 0) {
            continue;
        }
        s->proxy = proxy_from_shape(&s->shape->traits->geometry);
        aabb box = way_box(&s->way, &s->whole, &s->shape->traits->geometry,
                           world->extents.data[s->body].extent_max);
        const tree *trees = world->broad.trees;
        tree_query(&trees[BODY_STATIC], box, sweep_against, s);
        if (scope == AGAINST_PADDLES) {
            tree_query(&trees[BODY_KINEMATIC], aabb_expand(box, reach->kinematic),
                       sweep_against_paddle, s);
        } else if (scope == AGAINST_ALL) {
            tree_query(&trees[BODY_KINEMATIC], aabb_expand(box, reach->kinematic), sweep_against,
                       s);
            tree_query(&trees[BODY_DYNAMIC], aabb_expand(box, reach->dynamic), sweep_against, s);
        }
    }
}

// Stops the body at a share of the step: places it there, and records how far it came.
static void stop_body(physics_world *world, uint32_t slot, const way *w, float at)
{
    body_motion *m = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    float gone = way_gone(w, at);
    state->delta_position = vec2_scale(gone, w->by);
    state->delta_rotation = rot_from_angle((double)gone * w->turn);
    m->center = vec2d_offset(w->start, state->delta_position);
    m->rotation = way_rotation(w, gone);
    body_set_pose_from_center(m);
    world->scratch->stops.data[fast_index(world, slot)] = at;
}

// Moves the body along with the kinematic one that it touched for the rest of the step, as far as
// static bodies allow.
static void take_along(swept_body *s, const reaches *reach)
{
    physics_world *world = s->world;
    way carrier = way_of(world, s->met);
    body_motion *m = &world->motions.data[s->body];
    body_state *state = &world->states.data[s->body];
    sweep rest = way_piece(&carrier, carrier.start, s->fraction, 1.0f);
    rot turned = rot_inv_mul(rest.q1, rest.q2);
    vec2 arm = vec2d_relative(vec2d_offset(carrier.start, rest.c1), m->center);
    vec2 by = vec2_sub(vec2_add(rest.c2, rot_vec(turned, arm)), vec2_add(rest.c1, arm));
    const way first = s->way;
    take_way(s, (way){.start = m->center,
                      .by = by,
                      .before = m->rotation,
                      .turn = arc_tangent((double)turned.s, (double)turned.c),
                      .stop = 1.0f,
                      .local_center = m->local_center});
    s->fraction = 1.0f;
    s->met = NONE;
    sweep_shapes(s, reach, AGAINST_STANDING);
    m->center = vec2d_offset(s->way.start, vec2_scale(s->fraction, by));
    m->rotation = way_rotation(&s->way, s->fraction);
    body_set_pose_from_center(m);
    state->delta_position = vec2d_relative(first.start, m->center);
    state->delta_rotation = rot_normalize(rot_inv_mul(first.before, m->rotation));
    world->scratch->stops.data[fast_index(world, s->body)] = 1.0f;
    sensors_note_carried(world, s->body, first.start, first.before);
}

static bool note_any(void *found, uint32_t item)
{
    (void)item;
    *(bool *)found = true;
    return false;
}

bool way_may_be_barred(const physics_world *world, uint32_t slot)
{
    if (is_bullet(world, slot)) {
        return true;
    }
    const tree *standing = &world->broad.trees[BODY_STATIC];
    bool found = false;
    if (standing->root != 0) {
        const body_motion *m = &world->motions.data[slot];
        const vec2 back = vec2_neg(world->states.data[slot].delta_position);
        const vec2 here = {0.0f, 0.0f};
        aabb line = {vec2_min(here, back), vec2_max(here, back)};
        aabb box = aabb_at(m->center,
                           aabb_expand(line, world->extents.data[slot].extent_max + LINEAR_SLOP));
        tree_query(standing, box, note_any, &found);
    }
    return found;
}

// Whether the body has rebounded from the other one in this step: an impact separated the two, so
// they no longer press on each other. The body then leaves by itself, with the velocity after the
// impact, unless a joint drives it.
static bool has_rebounded(const physics_world *world, uint32_t slot, uint32_t other)
{
    const body *b = &world->bodies.data[slot];
    for (uint32_t key = b->contacts; key != NONE && b->joints == NONE;) {
        const contact *c = &world->contacts.data[key >> 1];
        if (((key & 1) == 0 ? c->body_b : c->body_a) == other && (c->flags & CONTACT_ACTIVE) != 0 &&
            contact_surface(world, c).restitution > LIVELY_LEAST &&
            c->total_impulse[0] + c->total_impulse[1] > 0.0f &&
            c->normal_impulse[0] + c->normal_impulse[1] <= 0.0f) {
            return true;
        }
        key = c->edges[key & 1].next;
    }
    return false;
}

// Reduces the speed of a body stuck in another one. Otherwise it would stay there for good:
// whatever drives it holds it there in every step, with a speed that the solver sees no reason to
// change. The speed relative to the other body counts.
static void slow_down(physics_world *world, const swept_body *s)
{
    body_state *state = &world->states.data[s->body];
    if (world->bodies.data[s->met].type == BODY_STATIC) {
        state->velocity = vec2_scale(s->fraction, state->velocity);
        state->angular_velocity *= s->fraction;
        return;
    }
    const body_state *holder = &world->states.data[s->met];
    const vec2 arm =
        vec2d_relative(world->motions.data[s->met].center, world->motions.data[s->body].center);
    const vec2 carried = vec2_add(holder->velocity, vec2_cross_sv(holder->angular_velocity, arm));
    state->velocity = vec2_lerp(carried, state->velocity, s->fraction);
    state->angular_velocity = holder->angular_velocity +
                              s->fraction * (state->angular_velocity - holder->angular_velocity);
    body_limit_speed(state); // a point of a fast rotating body may move faster than any body may
}

static void sweep_body(physics_world *world, uint32_t slot, const reaches *reach, sweep_scope scope)
{
    swept_body s = {.world = world, .body = slot};
    way w = way_of(world, slot);
    if (scope == AGAINST_STANDING) {
        w.from = 0.0f; // static bodies may be in the way from the start
    }
    take_way(&s, w);
    s.fraction = s.way.stop; // another bullet may have stopped it
    sweep_shapes(&s, reach, scope);
    if (s.met == NONE) {
        return;
    }
    if (world->bodies.data[s.met].type != BODY_STATIC) {
        body_wake(world, slot);
    }
    stop_body(world, slot, &s.way, s.fraction);
    if (s.caught && !way_is_none(&s.way) && !has_rebounded(world, slot, s.met)) {
        slow_down(world, &s);
    }
    uint32_t met = fast_index(world, s.met);
    if (met < world->scratch->fast.count && world->scratch->stops.data[met] > s.fraction) {
        way other = way_of(world, s.met);
        stop_body(world, s.met, &other, s.fraction);
    } else if (world->bodies.data[s.met].type == BODY_KINEMATIC) {
        take_along(&s, reach);
    }
}

// ---- the pass over all fast bodies

static reaches find_reaches(const physics_world *world)
{
    reaches r = {0.0f, 0.0f};
    for (uint32_t i = 0; i < world->scratch->fast.count; i++) {
        uint32_t slot = world->scratch->fast.data[i];
        const body_state *s = &world->states.data[slot];
        r.dynamic =
            float_max(r.dynamic, distance_moved(world, slot, s->delta_position, s->delta_rotation));
    }
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        uint32_t slot = world->awake_bodies.data[i];
        const body_state *s = &world->states.data[slot];
        if ((s->flags & STATE_DYNAMIC) == 0) {
            vec2 by = vec2_scale(world->step.dt, s->velocity);
            float turn = float_min(world->step.dt * float_abs(s->angular_velocity), 2.0f);
            float moved = vec2_length(by) + turn * world->extents.data[slot].extent_max;
            r.kinematic = float_max(r.kinematic, moved);
        }
    }
    return r;
}

static void sort_fast(physics_world *world)
{
    step_scratch *scratch = world->scratch;
    slot_list *fast = &scratch->fast;
    scratch->paddles.count = sort_slots(scratch->paddles.data, scratch->paddles.count);
    paddles_find_targets(world, fast);
    // two paddles may have found the same body
    fast->count = sort_slots_once(fast->data, fast->count);
    array_clear(&scratch->stops);
    for (uint32_t i = 0; i < fast->count; i++) {
        array_push(&scratch->stops, 1.0f);
    }
}

// Sweeps bullets last, when all other bodies are at their final places.
static void sweep_bodies(physics_world *world)
{
    const slot_list *fast = &world->scratch->fast;
    uint32_t bullets = 0;
    for (uint32_t i = 0; i < fast->count; i++) {
        bullets += is_bullet(world, fast->data[i]);
    }
    const bool paddles = world->scratch->paddles.count > 0;
    reaches reach = bullets > 0 || paddles ? find_reaches(world) : (reaches){0.0f, 0.0f};
    for (uint32_t i = 0; i < fast->count; i++) {
        if (!is_bullet(world, fast->data[i])) {
            sweep_body(world, fast->data[i], &reach, paddles ? AGAINST_PADDLES : AGAINST_STANDING);
        }
    }
    for (uint32_t i = 0; i < fast->count && bullets > 0; i++) {
        if (is_bullet(world, fast->data[i])) {
            sweep_body(world, fast->data[i], &reach, AGAINST_ALL);
        }
    }
}

void solve_continuous(physics_world *world)
{
    if (world->scratch->fast.count == 0 && world->scratch->paddles.count == 0) {
        return;
    }
    sort_fast(world);
    sweep_bodies(world);
    const uint32_t *fast = world->scratch->fast.data;
    for (uint32_t i = 0; i < world->scratch->fast.count; i++) {
        body_state *s = &world->states.data[fast[i]];
        float moved = distance_moved(world, fast[i], s->delta_position, s->delta_rotation);
        s->delta_position = (vec2){0.0f, 0.0f};
        s->delta_rotation = ROT_IDENTITY;
        body_update_boxes(world, fast[i], moved);
    }
}
