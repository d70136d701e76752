// GJK: the distance of two convex cores is the distance of their Minkowski difference from the
// origin. Any thread.
//
// The simplex holds up to three corners of B - A; each round takes its point nearest to the origin
// and looks for a corner that lies nearer along that direction. The search ends when no corner lies
// nearer or the simplex has it already, which must happen as cores have finitely many corners.
#include "common/geometry/distance.h"

#include <stddef.h>

#include "common/base/assert.h"
#include "common/geometry/gjk.h"

// Far more than cores of eight points need (one round for each of their edges).
#define ITERATIONS_MAX 48

// A new corner must reduce the distance by this fraction to be worth another round.
#define PROGRESS_MIN 1e-13

// An origin nearer to the simplex than this fraction of the simplex's size counts as on it.
#define OVERLAP_RELATIVE 1e-14

proxy proxy_from_shape(const shape_geometry *shape)
{
    proxy p = {.count = 1};
    switch (shape->kind) {
    case SHAPE_CIRCLE:
        p.points[0] = shape->circle.center;
        p.radius = shape->circle.radius;
        return p;
    case SHAPE_CAPSULE:
        p.count = 2;
        p.points[0] = shape->capsule.a;
        p.points[1] = shape->capsule.b;
        p.radius = shape->capsule.radius;
        return p;
    case SHAPE_POLYGON:
        p.count = shape->polygon.count;
        for (int i = 0; i < p.count; i++) {
            p.points[i] = shape->polygon.vertices[i];
        }
        p.radius = shape->polygon.radius;
        return p;
    case SHAPE_SEGMENT:
    case SHAPE_CHAIN_SEGMENT:
    case SHAPE_KIND_COUNT:
        break;
    }
    const segment *edge = shape->kind == SHAPE_CHAIN_SEGMENT ? &shape->chain.edge : &shape->segment;
    p.count = 2;
    p.points[0] = edge->a;
    p.points[1] = edge->b;
    return p;
}

gjk_core gjk_core_from_proxy(const proxy *p)
{
    ASSERT(p->count >= 1 && p->count <= POLYGON_VERTICES_MAX);
    gjk_core core = {.count = p->count};
    for (int i = 0; i < p->count; i++) {
        core.points[i] = vec2d_from(p->points[i]);
    }
    return core;
}

gjk_core gjk_core_placed(const proxy *p, transform t)
{
    ASSERT(p->count >= 1 && p->count <= POLYGON_VERTICES_MAX);
    gjk_core core = {.count = p->count};
    double c = (double)t.q.c;
    double s = (double)t.q.s;
    for (int i = 0; i < p->count; i++) {
        double x = (double)p->points[i].x;
        double y = (double)p->points[i].y;
        core.points[i] = (vec2d){(c * x - s * y) + (double)t.p.x, (s * x + c * y) + (double)t.p.y};
    }
    return core;
}

static int core_support(const gjk_core *core, vec2d direction)
{
    int best = 0;
    double most = vec2d_dot(core->points[0], direction);
    for (int i = 1; i < core->count; i++) {
        double dot = vec2d_dot(core->points[i], direction);
        if (dot > most) {
            most = dot;
            best = i;
        }
    }
    return best;
}

static gjk_vertex vertex_make(const gjk_core *a, const gjk_core *b, int index_a, int index_b)
{
    gjk_vertex v = {
        .a = a->points[index_a],
        .b = b->points[index_b],
        .weight = 1.0,
        .index_a = (uint8_t)index_a,
        .index_b = (uint8_t)index_b,
    };
    v.w = vec2d_sub(v.b, v.a);
    return v;
}

gjk_vertex gjk_support(const gjk_core *a, const gjk_core *b, vec2d direction)
{
    int index_a = core_support(a, vec2d_scale(-1.0, direction));
    return vertex_make(a, b, index_a, core_support(b, direction));
}

static void simplex_start(gjk_result *g, const gjk_core *a, const gjk_core *b,
                          const distance_cache *cache)
{
    g->count = 0;
    int cached = cache != NULL && cache->count <= 3 ? cache->count : 0;
    for (int i = 0; i < cached; i++) {
        if (cache->index_a[i] >= a->count || cache->index_b[i] >= b->count) {
            g->count = 0;
            break;
        }
        g->simplex[g->count++] = vertex_make(a, b, cache->index_a[i], cache->index_b[i]);
    }
    if (g->count == 0) {
        // The simplex must start at a corner of the boundary: EPA continues from it.
        gjk_vertex any = vertex_make(a, b, 0, 0);
        bool coincide = any.w.x == 0.0 && any.w.y == 0.0;
        g->simplex[0] = gjk_support(a, b, coincide ? (vec2d){1.0, 0.0} : vec2d_scale(-1.0, any.w));
        g->count = 1;
    }
}

// Reduces the edge between corners i and j to its feature nearest to the origin.
static void simplex_keep_edge(gjk_result *g, int i, int j)
{
    gjk_vertex p = g->simplex[i];
    gjk_vertex q = g->simplex[j];
    vec2d e = vec2d_sub(q.w, p.w);
    double at_q = -vec2d_dot(p.w, e); // weights, times |e|²
    double at_p = vec2d_dot(q.w, e);
    if (at_q <= 0.0 || at_p <= 0.0) {
        g->simplex[0] = at_q <= 0.0 ? p : q;
        g->simplex[0].weight = 1.0;
        g->count = 1;
        return;
    }
    p.weight = at_p / (at_p + at_q);
    q.weight = at_q / (at_p + at_q);
    g->simplex[0] = p;
    g->simplex[1] = q;
    g->count = 2;
}

// The squared distance of the origin from the edge between two corners.
static double edge_distance_squared(vec2d p, vec2d q)
{
    vec2d e = vec2d_sub(q, p);
    double at_q = -vec2d_dot(p, e);
    double at_p = vec2d_dot(q, e);
    if (at_q <= 0.0) {
        return vec2d_dot(p, p);
    }
    if (at_p <= 0.0) {
        return vec2d_dot(q, q);
    }
    double area = vec2d_cross(p, q);
    return area * area / (at_p + at_q);
}

// Three corners: either the origin lies inside, or the nearest of the three edges remains.
static void simplex_solve_triangle(gjk_result *g)
{
    vec2d p = g->simplex[0].w;
    vec2d q = g->simplex[1].w;
    vec2d r = g->simplex[2].w;
    double at_p = vec2d_cross(q, r);
    double at_q = vec2d_cross(r, p);
    double at_r = vec2d_cross(p, q);
    double sum = at_p + at_q + at_r; // twice the area
    bool inside = sum > 0.0   ? at_p >= 0.0 && at_q >= 0.0 && at_r >= 0.0
                  : sum < 0.0 ? at_p <= 0.0 && at_q <= 0.0 && at_r <= 0.0
                              : false;
    if (inside) {
        g->simplex[0].weight = at_p / sum;
        g->simplex[1].weight = at_q / sum;
        g->simplex[2].weight = at_r / sum;
        g->overlap = true;
        return;
    }
    double pq = edge_distance_squared(p, q);
    double qr = edge_distance_squared(q, r);
    double rp = edge_distance_squared(r, p);
    if (pq <= qr && pq <= rp) {
        simplex_keep_edge(g, 0, 1);
    } else if (qr <= rp) {
        simplex_keep_edge(g, 1, 2);
    } else {
        simplex_keep_edge(g, 2, 0);
    }
}

// Computes the direction and distance from the origin to the nearest point of the reduced simplex.
// An edge gives its own normal, which is precise however near the origin lies.
static void simplex_measure(gjk_result *g)
{
    const gjk_vertex *s = g->simplex;
    if (g->count == 1) {
        g->distance = vec2d_length(s[0].w);
        g->overlap = !(g->distance > 0.0);
        g->normal = g->overlap ? (vec2d){0.0, 0.0} : vec2d_scale(1.0 / g->distance, s[0].w);
        return;
    }
    vec2d e = vec2d_sub(s[1].w, s[0].w);
    double length = vec2d_length(e);
    double area = vec2d_cross(s[0].w, s[1].w); // > 0: the origin lies to the left of p -> q
    vec2d right = {e.y / length, -e.x / length};
    double size = vec2d_length(s[0].w) + length;
    double distance = area / length;
    if (distance <= OVERLAP_RELATIVE * size && distance >= -OVERLAP_RELATIVE * size) {
        g->overlap = true;
        return;
    }
    g->normal = distance > 0.0 ? right : vec2d_scale(-1.0, right);
    g->distance = distance > 0.0 ? distance : -distance;
}

static bool simplex_holds(const gjk_result *g, const gjk_vertex *v)
{
    for (int i = 0; i < g->count; i++) {
        if (g->simplex[i].index_a == v->index_a && g->simplex[i].index_b == v->index_b) {
            return true;
        }
    }
    return false;
}

static void simplex_finish(gjk_result *g, distance_cache *cache)
{
    g->point_a = (vec2d){0.0, 0.0};
    g->point_b = (vec2d){0.0, 0.0};
    for (int i = 0; i < g->count; i++) {
        const gjk_vertex *v = &g->simplex[i];
        g->point_a = vec2d_mul_add(g->point_a, v->weight, v->a);
        g->point_b = vec2d_mul_add(g->point_b, v->weight, v->b);
    }
    if (g->overlap) {
        g->distance = 0.0;
        g->normal = (vec2d){0.0, 0.0};
    }
    if (cache != NULL) {
        cache->count = (uint8_t)g->count;
        for (int i = 0; i < g->count; i++) {
            cache->index_a[i] = g->simplex[i].index_a;
            cache->index_b[i] = g->simplex[i].index_b;
        }
    }
}

gjk_result gjk_distance(const gjk_core *a, const gjk_core *b, distance_cache *cache)
{
    gjk_result g = {.count = 0};
    simplex_start(&g, a, b, cache);
    gjk_result nearest = g;
    nearest.distance = HUGE_VAL;
    while (g.iterations < ITERATIONS_MAX) {
        g.iterations++;
        if (g.count == 2) {
            simplex_keep_edge(&g, 0, 1);
        } else if (g.count == 3) {
            simplex_solve_triangle(&g);
        }
        if (!g.overlap) {
            simplex_measure(&g);
        }
        if (g.overlap) {
            nearest = g;
            break;
        }
        if (!(g.distance < nearest.distance)) { // only rounding can cause this
            break;
        }
        nearest = g;
        gjk_vertex next = gjk_support(a, b, vec2d_scale(-1.0, g.normal));
        double reached = vec2d_dot(next.w, g.normal);
        if (g.distance - reached <= PROGRESS_MIN * g.distance || simplex_holds(&g, &next)) {
            break;
        }
        g.simplex[g.count++] = next;
    }
    nearest.iterations = g.iterations;
    simplex_finish(&nearest, cache);
    return nearest;
}

distance_result distance_proxies(const proxy *a, const proxy *b, transform b_in_a, bool use_radii,
                                 distance_cache *cache)
{
    gjk_core core_a = gjk_core_from_proxy(a);
    gjk_core core_b = gjk_core_placed(b, b_in_a);
    gjk_result g = gjk_distance(&core_a, &core_b, cache);
    vec2d point_a = g.point_a;
    vec2d point_b = g.point_b;
    double distance = g.distance;
    if (use_radii) {
        point_a = vec2d_mul_add(point_a, (double)a->radius, g.normal);
        point_b = vec2d_mul_add(point_b, -(double)b->radius, g.normal);
        distance -= (double)a->radius + (double)b->radius;
        if (!(distance > 0.0)) { // the middle of the overlap
            distance = 0.0;
            point_a = vec2d_scale(0.5, vec2d_add(point_a, point_b));
            point_b = point_a;
        }
    }
    return (distance_result){
        .point_a = vec2d_round(point_a),
        .point_b = vec2d_round(point_b),
        .normal = vec2d_round(g.normal),
        .distance = (float)distance,
        .iterations = g.iterations,
    };
}
