// EPA: the depth of two overlapping cores is the distance of the origin from the boundary of B - A.
// Any thread.
//
// Starting from GJK's simplex around the origin, each round pushes the edge nearest to the origin
// outwards to the corner beyond it. An edge without a corner beyond it is on the boundary.
#include "common/geometry/distance.h"

#include <stddef.h>

#include "common/geometry/gjk.h"

// Two cores of eight points have a boundary of at most sixteen corners; equal and collinear corners
// may add to them.
enum { POLYTOPE_MAX = 40 };

// A corner counts as beyond an edge only from this fraction of the figure's size on.
#define POLYTOPE_RELATIVE 1e-13

typedef struct polytope {
    gjk_vertex corners[POLYTOPE_MAX]; // counter-clockwise
    int count;
    double tolerance;
} polytope;

static double core_size(const gjk_core *core)
{
    double size = 0.0;
    for (int i = 0; i < core->count; i++) {
        double l = vec2d_length(core->points[i]);
        size = l > size ? l : size;
    }
    return size;
}

// Extends one corner by another one, in any direction away from it.
static void polytope_widen_point(polytope *r, const gjk_core *a, const gjk_core *b)
{
    static const vec2d DIRECTIONS[] = {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}};
    for (int i = 0; i < 4 && r->count == 1; i++) {
        gjk_vertex v = gjk_support(a, b, DIRECTIONS[i]);
        if (vec2d_length(vec2d_sub(v.w, r->corners[0].w)) > r->tolerance) {
            r->corners[r->count++] = v;
        }
    }
}

// Extends two corners by a third beside the line through them, on the side where the figure is
// wider.
static void polytope_widen_edge(polytope *r, const gjk_core *a, const gjk_core *b)
{
    vec2d e = vec2d_sub(r->corners[1].w, r->corners[0].w);
    double l = vec2d_length(e);
    vec2d left = {-e.y / l, e.x / l};
    gjk_vertex on_left = gjk_support(a, b, left);
    gjk_vertex on_right = gjk_support(a, b, vec2d_scale(-1.0, left));
    double wide_left = vec2d_dot(vec2d_sub(on_left.w, r->corners[0].w), left);
    double wide_right = -vec2d_dot(vec2d_sub(on_right.w, r->corners[0].w), left);
    if (wide_left >= wide_right && wide_left > r->tolerance) {
        r->corners[r->count++] = on_left;
    } else if (wide_right > r->tolerance) {
        gjk_vertex first = r->corners[0];
        r->corners[0] = r->corners[1];
        r->corners[1] = first;
        r->corners[r->count++] = on_right;
    }
}

static void polytope_start(polytope *r, const gjk_core *a, const gjk_core *b, const gjk_result *g)
{
    r->tolerance = POLYTOPE_RELATIVE * (core_size(a) + core_size(b));
    r->count = g->count;
    for (int i = 0; i < g->count; i++) {
        r->corners[i] = g->simplex[i];
    }
    if (r->count == 3) {
        vec2d e = vec2d_sub(r->corners[1].w, r->corners[0].w);
        double twice_area = vec2d_cross(e, vec2d_sub(r->corners[2].w, r->corners[0].w));
        if (twice_area < 0.0) {
            gjk_vertex v = r->corners[1];
            r->corners[1] = r->corners[2];
            r->corners[2] = v;
        }
        return;
    }
    if (r->count == 1) {
        polytope_widen_point(r, a, b);
    }
    if (r->count == 2) {
        polytope_widen_edge(r, a, b);
    }
}

typedef struct polytope_edge {
    int from;        // runs to the corner after it
    vec2d normal;    // unit, out of the figure
    double distance; // distance of the edge's line from the origin
} polytope_edge;

static polytope_edge polytope_nearest_edge(const polytope *r)
{
    polytope_edge nearest = {.from = 0, .normal = {1.0, 0.0}, .distance = HUGE_VAL};
    for (int i = 0; i < r->count; i++) {
        vec2d p = r->corners[i].w;
        vec2d e = vec2d_sub(r->corners[(i + 1) % r->count].w, p);
        double l = vec2d_length(e);
        if (!(l > 0.0)) {
            continue;
        }
        vec2d normal = {e.y / l, -e.x / l};
        double distance = vec2d_dot(normal, p);
        if (distance < nearest.distance) {
            nearest = (polytope_edge){i, normal, distance};
        }
    }
    return nearest;
}

static polytope_edge polytope_expand(polytope *r, const gjk_core *a, const gjk_core *b)
{
    for (;;) { // each round adds a corner, and POLYTOPE_MAX bounds them
        polytope_edge edge = polytope_nearest_edge(r);
        gjk_vertex v = gjk_support(a, b, edge.normal);
        if (vec2d_dot(v.w, edge.normal) - edge.distance <= r->tolerance ||
            r->count == POLYTOPE_MAX) {
            return edge;
        }
        for (int i = r->count; i > edge.from + 1; i--) {
            r->corners[i] = r->corners[i - 1];
        }
        r->corners[edge.from + 1] = v;
        r->count++;
    }
}

typedef struct depth {
    vec2d normal; // unit vector from A to B
    double value; // penetration of the cores
    vec2d point_a, point_b;
} depth;

// A difference without area: two points, a point on a segment, or two collinear segments. Any
// perpendicular direction separates them.
static depth flat_depth(const polytope *r, const gjk_result *g)
{
    depth d = {.normal = {1.0, 0.0}, .point_a = g->point_a, .point_b = g->point_b};
    if (r->count == 2) {
        vec2d e = vec2d_sub(r->corners[1].w, r->corners[0].w);
        double l = vec2d_length(e);
        d.normal = (vec2d){e.y / l, -e.x / l};
    }
    return d;
}

static depth cores_depth(const gjk_core *a, const gjk_core *b, const gjk_result *g)
{
    polytope r;
    polytope_start(&r, a, b, g);
    if (r.count < 3) {
        return flat_depth(&r, g);
    }
    polytope_edge edge = polytope_expand(&r, a, b);
    const gjk_vertex *p = &r.corners[edge.from];
    const gjk_vertex *q = &r.corners[(edge.from + 1) % r.count];
    vec2d e = vec2d_sub(q->w, p->w);
    double t = -vec2d_dot(p->w, e) / vec2d_dot(e, e);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return (depth){
        .normal = vec2d_scale(-1.0, edge.normal),
        .value = edge.distance > 0.0 ? edge.distance : 0.0,
        .point_a = vec2d_mul_add(p->a, t, vec2d_sub(q->a, p->a)),
        .point_b = vec2d_mul_add(p->b, t, vec2d_sub(q->b, p->b)),
    };
}

penetration_result penetration_proxies(const proxy *a, const proxy *b, transform b_in_a)
{
    gjk_core core_a = gjk_core_from_proxy(a);
    gjk_core core_b = gjk_core_placed(b, b_in_a);
    gjk_result g = gjk_distance(&core_a, &core_b, NULL);
    depth d = {g.normal, -g.distance, g.point_a, g.point_b};
    if (g.overlap) {
        d = cores_depth(&core_a, &core_b, &g);
    }
    double radius_a = (double)a->radius;
    double radius_b = (double)b->radius;
    return (penetration_result){
        .normal = vec2d_round(d.normal),
        .depth = (float)(d.value + radius_a + radius_b),
        .point_a = vec2d_round(vec2d_mul_add(d.point_a, radius_a, d.normal)),
        .point_b = vec2d_round(vec2d_mul_add(d.point_b, -radius_b, d.normal)),
    };
}
