// Polygons against polygons, and what is handled as such: capsules and segments against polygons.
//
// manifold_polygons is the hottest kernel of the engine. All edges of one polygon are tested at a
// time, one per lane, against the vertices of the other; most pairs of a broad phase end after the
// first half. It is compiled for each combination of up to four and up to eight vertices, so that
// all its loops unroll. Any thread.
#include "common/geometry/manifold.h"

#include <float.h>

#include "common/geometry/lanes.h"
#include "common/geometry/manifold_clip.h"

enum { GROUPS_MAX = POLYGON_VERTICES_MAX / LANES };

// The vertices and normals of a polygon, in A's frame; unused lanes repeat vertex 0.
typedef struct outline {
    lanes x[GROUPS_MAX], y[GROUPS_MAX];
    lanes nx[GROUPS_MAX], ny[GROUPS_MAX];
} outline;

static inline __attribute__((always_inline)) void outline_pad(outline *o, int groups, int count)
{
    if (count != groups * LANES) {
        int last = groups - 1;
        int used = count - last * LANES;
        o->x[last] = lanes_first(used, o->x[last], lanes_splat(o->x[0][0]));
        o->y[last] = lanes_first(used, o->y[last], lanes_splat(o->y[0][0]));
    }
}

static inline __attribute__((always_inline)) void outline_load(outline *o, const polygon *shape,
                                                               int groups)
{
    for (int g = 0; g < groups; g++) {
        lanes_load_points(shape->vertices + g * LANES, &o->x[g], &o->y[g]);
        lanes_load_points(shape->normals + g * LANES, &o->nx[g], &o->ny[g]);
    }
}

static inline __attribute__((always_inline)) void outline_transform(outline *o, transform t,
                                                                    int groups)
{
    lanes c = lanes_splat(t.q.c);
    lanes s = lanes_splat(t.q.s);
    lanes px = lanes_splat(t.p.x);
    lanes py = lanes_splat(t.p.y);
    for (int g = 0; g < groups; g++) {
        lanes x = o->x[g];
        lanes y = o->y[g];
        o->x[g] = (c * x - s * y) + px;
        o->y[g] = (s * x + c * y) + py;
        lanes nx = o->nx[g];
        lanes ny = o->ny[g];
        o->nx[g] = c * nx - s * ny;
        o->ny[g] = s * nx + c * ny;
    }
}

// The edge of `a` from which `b` is farthest away, and how far.
static inline __attribute__((always_inline)) float outline_separation(const outline *a,
                                                                      int groups_a, int count_a,
                                                                      const outline *b,
                                                                      int groups_b, int *edge)
{
    lanes separation[GROUPS_MAX];
    for (int g = 0; g < groups_a; g++) {
        lanes nx = a->nx[g];
        lanes ny = a->ny[g];
        lanes least = nx * lanes_splat(b->x[0][0]) + ny * lanes_splat(b->y[0][0]);
        for (int j = 1; j < groups_b * LANES; j++) {
            float x = b->x[j / LANES][j % LANES];
            float y = b->y[j / LANES][j % LANES];
            least = lanes_min(nx * lanes_splat(x) + ny * lanes_splat(y), least);
        }
        separation[g] = least - (nx * a->x[g] + ny * a->y[g]);
    }
    int last = groups_a - 1;
    separation[last] = lanes_first(count_a - last * LANES, separation[last], lanes_splat(-FLT_MAX));
    lanes all = groups_a == 1 ? separation[0] : lanes_max(separation[0], separation[last]);
    float largest = lanes_largest(all);
    unsigned mask = lanes_equal_mask(separation[0], lanes_splat(largest));
    if (groups_a > 1) {
        mask |= lanes_equal_mask(separation[1], lanes_splat(largest)) << LANES;
    }
    *edge = __builtin_ctz(mask | 1u << (POLYGON_VERTICES_MAX - 1)); // the first of equals
    return largest;
}

// The vertex of `o` that lies deepest against n; the first of equals.
static inline __attribute__((always_inline)) int outline_deepest(const outline *o, int groups,
                                                                 vec2 n)
{
    lanes depth[GROUPS_MAX];
    for (int g = 0; g < groups; g++) {
        depth[g] = -(lanes_splat(n.x) * o->x[g] + lanes_splat(n.y) * o->y[g]);
    }
    lanes all = groups == 1 ? depth[0] : lanes_max(depth[0], depth[1]);
    lanes most = lanes_splat(lanes_largest(all));
    unsigned mask = lanes_equal_mask(depth[0], most);
    if (groups > 1) {
        mask |= lanes_equal_mask(depth[1], most) << LANES;
    }
    return __builtin_ctz(mask | 1u << (POLYGON_VERTICES_MAX - 1));
}

static __attribute__((noinline)) manifold corners_manifold(const polygon *a, const polygon *b,
                                                           transform b_in_a, edge_pair *pair)
{
    edges_corner corner = polygons_nearest_corner(a, b, b_in_a, pair);
    return corner.found ? edges_corner_manifold(&corner, a->radius, b->radius) : edges_clip(pair);
}

// Pairs the reference with the edge of the other polygon at its deepest vertex.
static inline __attribute__((always_inline)) edge_pair
pair_with_incident(const polygon *a, const outline *oa, int groups_a, int edge_a, const polygon *b,
                   const outline *ob, int groups_b, int edge_b, transform b_in_a, bool flipped)
{
    if (flipped) {
        vec2 normal = rot_vec(b_in_a.q, b->normals[edge_b]);
        edge_a = edge_facing(a, outline_deepest(oa, groups_a, normal), normal);
    } else {
        vec2 normal = a->normals[edge_a];
        int deepest = outline_deepest(ob, groups_b, normal);
        edge_b = edge_facing(b, deepest, rot_inv_vec(b_in_a.q, normal));
    }
    edge_pair pair;
    edge_pair_set(&pair, a, edge_a, b, edge_b, b_in_a, flipped);
    return pair;
}

static inline __attribute__((always_inline)) manifold
polygons_kernel(const polygon *a, const polygon *b, transform b_in_a, int groups_a, int groups_b)
{
    manifold none = {.count = 0};
    float reach = SPECULATIVE_DISTANCE + a->radius + b->radius;
    outline oa;
    outline ob;
    outline_load(&oa, a, groups_a);
    outline_load(&ob, b, groups_b);
    outline_transform(&ob, b_in_a, groups_b);
    outline_pad(&oa, groups_a, a->count);
    outline_pad(&ob, groups_b, b->count);

    int edge_a;
    float separation_a = outline_separation(&oa, groups_a, a->count, &ob, groups_b, &edge_a);
    if (separation_a > reach) {
        return none;
    }
    int edge_b;
    float separation_b = outline_separation(&ob, groups_b, b->count, &oa, groups_a, &edge_b);
    if (separation_b > reach) {
        return none;
    }

    bool flipped = separation_b > separation_a + REFERENCE_BIAS;
    edge_pair pair =
        pair_with_incident(a, &oa, groups_a, edge_a, b, &ob, groups_b, edge_b, b_in_a, flipped);
    pair.separation = flipped ? separation_b : separation_a;
    if (edges_beside(&pair)) {
        if (separation_a > 0.0f || separation_b > 0.0f) {
            return corners_manifold(a, b, b_in_a, &pair);
        }
        if (!flipped && separation_b > separation_a && !edges_overlap(&pair)) { // the hair matters
            pair = pair_with_incident(a, &oa, groups_a, edge_a, b, &ob, groups_b, edge_b, b_in_a,
                                      true);
        }
    }
    return edges_clip(&pair);
}

static __attribute__((noinline)) manifold polygons_4_4(const polygon *a, const polygon *b,
                                                       transform b_in_a)
{
    return polygons_kernel(a, b, b_in_a, 1, 1);
}

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

static __attribute__((noinline)) manifold polygons_8_8(const polygon *a, const polygon *b,
                                                       transform b_in_a)
{
    return polygons_kernel(a, b, b_in_a, 2, 2);
}

manifold manifold_polygons(const polygon *a, const polygon *b, transform b_in_a)
{
    if (a->count <= LANES) {
        return b->count <= LANES ? polygons_4_4(a, b, b_in_a) : polygons_4_8(a, b, b_in_a);
    }
    return b->count <= LANES ? polygons_8_4(a, b, b_in_a) : polygons_8_8(a, b, b_in_a);
}

manifold manifold_polygon_capsule(const polygon *a, const capsule *b, transform b_in_a)
{
    polygon core = polygon_from_segment(b->a, b->b, b->radius);
    return manifold_polygons(a, &core, b_in_a);
}

manifold manifold_segment_polygon(const segment *a, const polygon *b, transform b_in_a)
{
    polygon core = polygon_from_segment(a->a, a->b, 0.0f);
    return manifold_polygons(&core, b, b_in_a);
}
