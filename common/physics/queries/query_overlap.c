// Finds shapes that overlap a box or a shape, that contain a point, or that are nearest to one.
#include "common/physics/definition.h"
#include "common/physics/state/ids.h"
#include "common/physics/queries/query_internal.h"

#include <stdlib.h>

// Shapes overlap up to this distance, so that touching does not depend on the last bit [m].
static const float TOUCH_DISTANCE = 1.0e-5f;

// ---- overlaps

typedef struct found_shape {
    uint32_t body, slot;
} found_shape;

typedef struct overlap {
    const physics_world *world;
    query_filter filter;
    uint32_t looks;
    const proxy *with; // the shape, in its frame; NULL: a point or an area
    pose frame;
    bool is_point;
    vec2d lower, upper; // the area, or the point twice
    ARRAY(found_shape) found;
} overlap;

// The part of the area near the shape, in the frame of its body: a box, or a segment or point if
// the area has no width.
static proxy area_near(const overlap *o, aabb box, pose frame)
{
    const double reach = 1.0;
    vec2d low = {fmax(o->lower.x, (double)box.lower.x - reach),
                 fmax(o->lower.y, (double)box.lower.y - reach)};
    vec2d high = {fmin(o->upper.x, (double)box.upper.x + reach),
                  fmin(o->upper.y, (double)box.upper.y + reach)};
    bool broad = high.x > low.x;
    bool tall = high.y > low.y;
    proxy p = {.count = 0};
    p.points[p.count++] = pose_inv_point(frame, low);
    if (broad) {
        p.points[p.count++] = pose_inv_point(frame, (vec2d){high.x, low.y});
    }
    if (broad && tall) {
        p.points[p.count++] = pose_inv_point(frame, high);
    }
    if (tall) {
        p.points[p.count++] = pose_inv_point(frame, (vec2d){low.x, high.y});
    }
    return p;
}

static bool meets(const overlap *o, const shape *target)
{
    pose frame = body_pose(&o->world->motions.data[target->body]);
    if (o->is_point) {
        return shape_contains(&target->traits->geometry, pose_inv_point(frame, o->lower));
    }
    proxy own = proxy_from_shape(&target->traits->geometry);
    proxy near = o->with == NULL
                     ? area_near(o, shape_aabb_at(&target->traits->geometry, frame), frame)
                     : *o->with;
    transform placed = o->with == NULL ? TRANSFORM_IDENTITY : pose_relative(frame, o->frame);
    return distance_proxies(&own, &near, placed, true, NULL).distance <= TOUCH_DISTANCE;
}

static bool visit_overlap(void *context, uint32_t slot)
{
    overlap *o = context;
    if (!query_may_look(&o->filter, &o->looks)) {
        return false;
    }
    const shape *target = &o->world->shapes.data[slot];
    if (query_sees(o->world, &o->filter, slot) && meets(o, target)) {
        array_push(&o->found, ((found_shape){target->body, query_slot(o->world, slot)}));
    }
    return true;
}

static int compare_found(const void *left, const void *right)
{
    const found_shape *a = left;
    const found_shape *b = right;
    if (a->body != b->body) {
        return a->body < b->body ? -1 : 1;
    }
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static status run(overlap *o, aabb box, query_list *list, error *err)
{
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_query(&o->world->broad.trees[i], aabb_expand(box, LINEAR_SLOP), visit_overlap, o);
    }
    const status over = query_gave_up(&o->filter, o->looks, err);
    if (over != STATUS_OK) {
        array_free(&o->found);
        return over;
    }
    array_clear(list);
    if (o->found.count == 0) {
        return STATUS_OK;
    }
    qsort(o->found.data, o->found.count, sizeof *o->found.data, compare_found);
    for (uint32_t i = 0; i < o->found.count; i++) {
        const found_shape *f = &o->found.data[i];
        if (i == 0 || f[-1].slot != f->slot) { // a chain is found once per touched piece
            array_push(list, ((query_found){body_id_of(o->world, f->body),
                                            shape_id_of(o->world, f->slot)}));
        }
    }
    array_free(&o->found);
    return STATUS_OK;
}

static aabb box_around(vec2d lower, vec2d upper)
{
    return (aabb){{float_round_down(lower.x), float_round_down(lower.y)},
                  {float_round_up(upper.x), float_round_up(upper.y)}};
}

status query_overlap_area(const physics_world *world, vec2d lower, vec2d upper,
                          const query_filter *filter, query_list *list, error *err)
{
    status s = vector_check(lower, PHYSICS_EXTENT_MAX, "area (lower corner)", err);
    if (s == STATUS_OK) {
        s = vector_check(upper, PHYSICS_EXTENT_MAX, "area (upper corner)", err);
    }
    if (s == STATUS_OK && (lower.x > upper.x || lower.y > upper.y)) {
        s = error_set(err, STATUS_INVALID_ARGUMENT,
                      "area: the lower corner is beyond the upper one");
    }
    if (s != STATUS_OK) {
        return s;
    }
    overlap o = {
        .world = world, .filter = query_filter_or_default(filter), .lower = lower, .upper = upper};
    return run(&o, box_around(lower, upper), list, err);
}

status query_overlap_shape(const physics_world *world, const shape_geometry *form, pose frame,
                           const query_filter *filter, query_list *list, error *err)
{
    status s = query_shape_check(form, err);
    if (s == STATUS_OK) {
        s = vector_check(frame.p, PHYSICS_EXTENT_MAX, "shape: position", err);
    }
    vec2d turn = {(double)frame.q.c, (double)frame.q.s};
    if (s == STATUS_OK) {
        s = vector_check(turn, 2.0, "shape: rotation", err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    frame.q = rot_normalize(frame.q);
    proxy with = proxy_from_shape(form);
    overlap o = {
        .world = world, .filter = query_filter_or_default(filter), .with = &with, .frame = frame};
    return run(&o, shape_aabb_at(form, frame), list, err);
}

status query_point(const physics_world *world, vec2d point, const query_filter *filter,
                   query_list *list, error *err)
{
    status s = vector_check(point, PHYSICS_EXTENT_MAX, "point", err);
    if (s != STATUS_OK) {
        return s;
    }
    overlap o = {.world = world,
                 .filter = query_filter_or_default(filter),
                 .is_point = true,
                 .lower = point,
                 .upper = point};
    return run(&o, box_around(point, point), list, err);
}

// ---- nearest

typedef struct nearest {
    const physics_world *world;
    query_filter filter;
    uint32_t looks;
    vec2d point;
    double best;   // the least distance so far, at first the radius
    uint32_t slot; // the shape at that distance; NONE: none yet
    query_near near;
} nearest;

// Distance from the point to the box, a lower bound for the shapes in it.
static double distance_to_box(vec2d p, aabb box)
{
    double dx = fmax(fmax((double)box.lower.x - p.x, p.x - (double)box.upper.x), 0.0);
    double dy = fmax(fmax((double)box.lower.y - p.y, p.y - (double)box.upper.y), 0.0);
    return sqrt(dx * dx + dy * dy);
}

static bool visit_nearest(void *context, uint32_t slot)
{
    nearest *n = context;
    if (!query_may_look(&n->filter, &n->looks)) {
        return false;
    }
    const shape *target = &n->world->shapes.data[slot];
    if (!query_sees(n->world, &n->filter, slot) ||
        distance_to_box(n->point, target->fat) > n->best) {
        return true;
    }
    pose frame = body_pose(&n->world->motions.data[target->body]);
    proxy own = proxy_from_shape(&target->traits->geometry);
    proxy asked = {.count = 1, .points = {pose_inv_point(frame, n->point)}};
    distance_result d = distance_proxies(&own, &asked, TRANSFORM_IDENTITY, true, NULL);
    double distance = (double)d.distance;
    uint32_t answers = query_slot(n->world, slot);
    bool closer =
        distance < n->best || (distance == n->best && (n->slot == NONE || answers < n->slot));
    if (closer) {
        n->best = distance;
        n->slot = answers;
        n->near = (query_near){.body = body_id_of(n->world, target->body),
                               .shape = shape_id_of(n->world, slot),
                               .point = distance > 0.0 ? pose_point(frame, d.point_a) : n->point,
                               .distance = distance};
    }
    return true;
}

status query_nearest(const physics_world *world, vec2d point, double radius,
                     const query_filter *filter, query_near *out, error *err)
{
    const double farthest = 4.0 * PHYSICS_EXTENT_MAX; // larger than any distance of two positions
    status s = vector_check(point, PHYSICS_EXTENT_MAX, "point", err);
    if (s == STATUS_OK && !(radius >= 0.0)) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "radius must be at least 0, got %g", radius);
    }
    if (s != STATUS_OK) {
        return s;
    }
    radius = fmin(radius, farthest);
    nearest n = {
        .world = world, .filter = query_filter_or_default(filter), .point = point, .best = radius};
    // Searches growing boxes: once a shape is found no farther away than the box reaches, it is the
    // nearest.
    double reach = fmin(1.0, radius);
    for (;;) {
        vec2d lower = {point.x - reach, point.y - reach};
        vec2d upper = {point.x + reach, point.y + reach};
        for (int i = 0; i < BROAD_TREES; i++) {
            tree_query(&world->broad.trees[i], box_around(lower, upper), visit_nearest, &n);
        }
        const status over = query_gave_up(&n.filter, n.looks, err);
        if (over != STATUS_OK) {
            return over;
        }
        if ((n.slot != NONE && n.best <= reach) || reach >= radius) {
            break;
        }
        reach = fmin(2.0 * reach, radius);
    }
    *out = n.near;
    return STATUS_OK;
}
