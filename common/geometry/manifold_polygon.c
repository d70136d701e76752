// Polygons against polygons, and capsules and segments against polygons, which are handled alike.
//
// manifold_polygons is the hottest kernel of the engine. It tests all edges of one polygon at once,
// one per lane, against the vertices of the other; most pairs from the broad phase are rejected
// after the first polygon's edges. It is compiled for each combination of up to four and up to
// eight vertices, so that all its loops unroll. Any thread.
#include "common/geometry/manifold.h"

#include <float.h>
#include <stddef.h>

#include "common/geometry/quad.h"
#include "common/geometry/manifold_corner.h"

// Kernels that the compiler unrolls for each number of groups must be inlined.
#define INLINE static inline __attribute__((always_inline))

// Four vertices and the normals of the edges that start there, in A's frame.
typedef struct group {
    quad x, y, nx, ny;
} group;

// A polygon in one or two groups. Unused vertices repeat the very first one.
typedef struct outline {
    group low, high;
} outline;

INLINE group group_load(const polygon *shape, int first)
{
    group g;
    quad_load_points(shape->vertices + first, &g.x, &g.y);
    quad_load_points(shape->normals + first, &g.nx, &g.ny);
    return g;
}

INLINE void group_transform(group *g, transform t)
{
    quad all = quad_join(&t.p, &t.q);
    quad px = QUAD_SPREAD(all, 0);
    quad py = QUAD_SPREAD(all, 1);
    quad c = QUAD_SPREAD(all, 2);
    quad s = QUAD_SPREAD(all, 3);
    group old = *g;
    g->x = (c * old.x - s * old.y) + px;
    g->y = (s * old.x + c * old.y) + py;
    g->nx = c * old.nx - s * old.ny;
    g->ny = s * old.nx + c * old.ny;
}

// Repeats the vertex (x, y), spread over all lanes, from lane `used` on.
INLINE void group_pad(group *g, int used, quad x, quad y)
{
    g->x = quad_first(used, g->x, x);
    g->y = quad_first(used, g->y, y);
}

INLINE outline outline_make(const polygon *shape, const transform *t, int groups)
{
    outline o;
    o.low = group_load(shape, 0);
    if (groups > 1) {
        o.high = group_load(shape, QUAD_LANES);
    } else {
        o.high = o.low;
    }
    if (t != NULL) {
        group_transform(&o.low, *t);
        group_transform(&o.high, *t);
    }
    if (shape->count != groups * QUAD_LANES) {
        quad x = QUAD_SPREAD(o.low.x, 0);
        quad y = QUAD_SPREAD(o.low.y, 0);
        group_pad(&o.low, shape->count, x, y);
        group_pad(&o.high, shape->count - QUAD_LANES, x, y);
    }
    return o;
}

// For each of four edges, how far the nearest of four vertices lies along the normal.
INLINE quad group_least(const group *edges, const group *vertices)
{
    quad nx = edges->nx;
    quad ny = edges->ny;
    quad x = vertices->x;
    quad y = vertices->y;
    quad s0 = nx * QUAD_SPREAD(x, 0) + ny * QUAD_SPREAD(y, 0);
    quad s1 = nx * QUAD_SPREAD(x, 1) + ny * QUAD_SPREAD(y, 1);
    quad s2 = nx * QUAD_SPREAD(x, 2) + ny * QUAD_SPREAD(y, 2);
    quad s3 = nx * QUAD_SPREAD(x, 3) + ny * QUAD_SPREAD(y, 3);
    return quad_min(quad_min(s0, s1), quad_min(s2, s3));
}

// For each of four edges of one polygon, its distance from the nearest vertex of the other.
INLINE quad group_separation(const group *edges, const outline *other, int other_groups)
{
    quad least = group_least(edges, &other->low);
    if (other_groups > 1) {
        least = quad_min(least, group_least(edges, &other->high));
    }
    return least - (edges->nx * edges->x + edges->ny * edges->y);
}

// The lane of the largest value among the first `count`, the first of equals.
INLINE int group_pick(quad low, quad high, int groups, int count, float *value)
{
    quad none = quad_splat(-FLT_MAX);
    if (count != groups * QUAD_LANES) {
        low = quad_first(count, low, none);
        high = quad_first(count - QUAD_LANES, high, none);
    }
    quad most = quad_largest(groups > 1 ? quad_max(low, high) : low);
    unsigned mask = quad_equal_mask(low, most);
    if (groups > 1) {
        mask |= quad_equal_mask(high, most) << QUAD_LANES;
    }
    *value = most[0];
    return __builtin_ctz(mask | 1u << (POLYGON_VERTICES_MAX - 1));
}

// The edge of `a` that is farthest from `b`, and its distance.
INLINE float outline_separation(const outline *a, int groups_a, int count_a, const outline *b,
                                int groups_b, int *edge)
{
    quad low = group_separation(&a->low, b, groups_b);
    quad high = groups_a > 1 ? group_separation(&a->high, b, groups_b) : low;
    float separation;
    *edge = group_pick(low, high, groups_a, count_a, &separation);
    return separation;
}

// For each of four edges, how nearly it is antiparallel to the edge with the normal n: the negative
// sine of their angle, since cosines of nearly parallel edges are equal in float.
INLINE quad group_incidence(const group *edges, quad nx, quad ny)
{
    quad sine = nx * edges->ny - ny * edges->nx;
    quad cosine = nx * edges->nx + ny * edges->ny;
    quad_int faces = cosine < quad_splat(0.0f);
    quad_int negative = (quad_int)sine | (quad_int)quad_splat(-0.0f);
    return (quad)((faces & negative) | (~faces & (quad_int)quad_splat(-FLT_MAX)));
}

// The edge of `o` that faces an edge with the normal n: one of the two edges at the deepest vertex.
INLINE int outline_incident(const outline *o, int groups, int count, vec2 n)
{
    quad nx = quad_splat(n.x);
    quad ny = quad_splat(n.y);
    quad low = group_incidence(&o->low, nx, ny);
    quad high = groups > 1 ? group_incidence(&o->high, nx, ny) : low;
    float sine;
    return group_pick(low, high, groups, count, &sine);
}

// The incident edge, or its deepest end, lies beside the reference. If the cores are apart, corners
// may be nearest; otherwise B's axis, although only slightly better, is the right one.
static __attribute__((noinline)) manifold polygons_beside(const polygon *a, const polygon *b,
                                                          transform b_in_a, edge_pair pair,
                                                          bool apart, int better_edge_b)
{
    if (apart) {
        edges_corner corner = polygons_nearest_corner(a, b, b_in_a, &pair);
        if (corner.found) {
            manifold m = edges_corner_manifold(&corner, a->radius, b->radius);
            if (m.count == 0) {
                manifold_tell_gap(&m, a->vertices, a->count, b->vertices, b->count, b_in_a,
                                  a->radius + b->radius);
            }
            return m;
        }
    } else {
        vec2 normal = rot_vec(b_in_a.q, b->normals[better_edge_b]);
        int deepest = 0;
        for (int i = 1; i < a->count; i++) {
            if (vec2_dot(a->vertices[i], normal) < vec2_dot(a->vertices[deepest], normal)) {
                deepest = i;
            }
        }
        edge_pair_set(&pair, a, edge_facing(a, deepest, normal), b, better_edge_b, b_in_a, true);
    }
    return edges_clip(&pair);
}

INLINE manifold polygons_kernel(const polygon *a, const polygon *b, transform b_in_a, int groups_a,
                                int groups_b)
{
    manifold none = {.count = 0};
    float reach = SPECULATIVE_DISTANCE + a->radius + b->radius;
    outline oa = outline_make(a, NULL, groups_a);
    outline ob = outline_make(b, &b_in_a, groups_b);

    int best_a;
    float separation_a = outline_separation(&oa, groups_a, a->count, &ob, groups_b, &best_a);
    if (separation_a > reach) {
        none.normal = a->normals[best_a];
        none.gap = separation_a - (a->radius + b->radius);
        return none;
    }
    int best_b;
    float separation_b = outline_separation(&ob, groups_b, b->count, &oa, groups_a, &best_b);
    if (separation_b > reach) {
        none.normal = vec2_neg(rot_vec(b_in_a.q, b->normals[best_b]));
        none.gap = separation_b - (a->radius + b->radius);
        return none;
    }

    bool flipped = separation_b > separation_a + REFERENCE_BIAS;
    int edge_a = best_a;
    int edge_b = best_b;
    if (!flipped) {
        edge_b = outline_incident(&ob, groups_b, b->count, a->normals[edge_a]);
    } else {
        vec2 normal = rot_vec(b_in_a.q, b->normals[edge_b]);
        edge_a = outline_incident(&oa, groups_a, a->count, normal);
    }
    edge_pair pair;
    edge_pair_set(&pair, a, edge_a, b, edge_b, b_in_a, flipped);
    pair.separation = flipped ? separation_b : separation_a;
    bool apart = separation_a > 0.0f || separation_b > 0.0f;
    bool by_a_hair = !flipped & (separation_b > separation_a);
    if (apart ? edges_beside(&pair) : by_a_hair & !edges_overlap(&pair)) {
        return polygons_beside(a, b, b_in_a, pair, apart, best_b);
    }
    return edges_clip(&pair);
}

static __attribute__((noinline)) manifold polygons_4_4(const polygon *a, const polygon *b,
                                                       transform b_in_a)
{
    return polygons_kernel(a, b, b_in_a, 1, 1);
}

#ifndef CAROM_SMALL

static __attribute__((noinline)) manifold polygons_4_8(const polygon *a, const polygon *b,
                                                       transform b_in_a)
{
    return polygons_kernel(a, b, b_in_a, 1, 2);
}

static __attribute__((noinline)) manifold polygons_8_4(const polygon *a, const polygon *b,
                                                       transform b_in_a)
{
    return polygons_kernel(a, b, b_in_a, 2, 1);
}

#endif

static __attribute__((noinline)) manifold polygons_8_8(const polygon *a, const polygon *b,
                                                       transform b_in_a)
{
    return polygons_kernel(a, b, b_in_a, 2, 2);
}

manifold manifold_polygons(const polygon *a, const polygon *b, transform b_in_a)
{
    const bool few_a = a->count <= QUAD_LANES;
    const bool few_b = b->count <= QUAD_LANES;
    if (few_a && few_b) {
        return polygons_4_4(a, b, b_in_a);
    }
#ifndef CAROM_SMALL // with CAROM_SMALL, polygons_8_8 handles these too, and gives the same bits
    if (few_a || few_b) {
        return few_a ? polygons_4_8(a, b, b_in_a) : polygons_8_4(a, b, b_in_a);
    }
#endif
    return polygons_8_8(a, b, b_in_a);
}

manifold manifold_polygon_capsule(const polygon *a, const capsule *b, transform b_in_a)
{
    polygon core;
    polygon_from_segment(b->a, b->b, b->radius, &core);
    return manifold_polygons(a, &core, b_in_a);
}

manifold manifold_segment_polygon(const segment *a, const polygon *b, transform b_in_a)
{
    polygon core;
    polygon_from_segment(a->a, a->b, 0.0f, &core);
    return manifold_polygons(&core, b, b_in_a);
}
