// Finds the nearest features of two separate cores when they are not a face and the points on it.
// Any thread.
#include "common/geometry/manifold_corner.h"

#include <stddef.h>

#include "common/geometry/gjk.h"

// Directions between corners that differ less than this from the reference's normal may count as
// faces (see faces_lie_together).
#define CORNER_SINE 0.03f // 1.7 degrees

// Corners nearer than this have no direction from one to the other [m].
#define CORNER_DISTANCE_MIN 1e-4f

// The fraction along a -> b of the point nearest to p.
static float nearest_fraction(vec2 a, vec2 b, vec2 p)
{
    vec2 e = vec2_sub(b, a);
    float along = vec2_dot(vec2_sub(p, a), e);
    float square = vec2_length_squared(e);
    return along <= 0.0f ? 0.0f : along >= square ? 1.0f : along / square;
}

// Whether two corners `distance` apart belong to edges that almost lie on each other, so that
// clipping loses nothing: stacked boxes of equal width rest on both of their ends, however their
// corners are rounded.
static bool faces_lie_together(const edge_pair *pair, vec2 reference, vec2 incident, float distance)
{
    vec2 t = vec2_left(pair->normal);
    float beside = float_abs(vec2_dot(vec2_sub(incident, reference), t));
    edge_view view = edges_view(pair);
    float rise = float_abs(view.separations[0] - view.separations[1]);
    float run = view.high - view.low;
    return beside <= CORNER_SINE * distance && beside <= LINEAR_SLOP &&
           beside * rise <= REFERENCE_BIAS * run && view.low < view.length && view.high > 0.0f;
}

// Returns the corner unless the pair counts as faces; index 0 or 1 selects the end of each edge.
static edges_corner corner_make(const edge_pair *pair, int end_a, int end_b, float distance,
                                vec2 normal)
{
    edges_corner corner = {.found = false};
    corner.a = edge_end(pair->flipped ? pair->incident : pair->reference, end_a);
    corner.b = edge_end(pair->flipped ? pair->reference : pair->incident, end_b);
    if (distance < CORNER_DISTANCE_MIN || faces_lie_together(pair, corner.a, corner.b, distance)) {
        return corner;
    }
    corner.found = true;
    corner.distance = distance;
    corner.normal = normal;
    corner.id = feature_id(ID_VERTEX_VERTEX, end_a ? pair->next_a : pair->edge_a,
                           end_b ? pair->next_b : pair->edge_b);
    return corner;
}

edges_corner edges_nearest_corner(const edge_pair *pair)
{
    // The edges do not cross, so an end of one is nearest to the other: there are four candidates.
    const vec2 ends[2][2] = {{edge_end(pair->reference, 0), edge_end(pair->reference, 1)},
                             {edge_end(pair->incident, 0), edge_end(pair->incident, 1)}};
    float least = INFINITY;
    bool is_corner = false;
    int nearest[2] = {0, 0}; // the end of the reference, of the incident edge
    for (int side = 0; side < 2; side++) {
        const vec2 *edge = ends[1 - side];
        for (int i = 0; i < 2; i++) {
            float f = nearest_fraction(edge[0], edge[1], ends[side][i]);
            vec2 on_edge = f >= 1.0f ? edge[1] : vec2_lerp(edge[0], edge[1], f);
            float square = vec2_length_squared(vec2_sub(ends[side][i], on_edge));
            if (square < least) {
                least = square;
                is_corner = f <= 0.0f || f >= 1.0f;
                nearest[side] = i;
                nearest[1 - side] = f >= 1.0f;
            }
        }
    }
    if (!is_corner) {
        return (edges_corner){.found = false};
    }
    vec2 across = vec2_sub(ends[1][nearest[1]], ends[0][nearest[0]]);
    float distance;
    vec2 normal = vec2_normalize(pair->flipped ? vec2_neg(across) : across, &distance);
    return corner_make(pair, nearest[pair->flipped], nearest[!pair->flipped], distance, normal);
}

// The edge between two corners whose normal points along `direction` (two corners have an edge on
// each side).
static int edge_between(const polygon *shape, int i, int j, vec2 direction)
{
    if (shape->count == 2) {
        return vec2_dot(shape->normals[0], direction) >= 0.0f ? 0 : 1;
    }
    return j == (i + 1 < shape->count ? i + 1 : 0) ? i : j;
}

// GJK found an edge and a corner: makes the edge the reference.
static void edge_pair_refer(edge_pair *pair, const polygon *a, const polygon *b, transform b_in_a,
                            const gjk_result *g)
{
    const gjk_vertex *s = g->simplex;
    bool flipped = s[0].index_a == s[1].index_a;
    vec2 normal = vec2d_round(g->normal);
    vec2 normal_in_b = rot_inv_vec(b_in_a.q, normal);
    int edge_a;
    int edge_b;
    if (flipped) {
        edge_b = edge_between(b, s[0].index_b, s[1].index_b, vec2_neg(normal_in_b));
        edge_a = edge_facing(a, s[0].index_a, vec2_neg(normal));
    } else {
        edge_a = edge_between(a, s[0].index_a, s[1].index_a, normal);
        edge_b = edge_facing(b, s[0].index_b, normal_in_b);
    }
    edge_pair_set(pair, a, edge_a, b, edge_b, b_in_a, flipped);
    pair->separation = (float)g->distance;
}

static gjk_core core_of(const polygon *shape, transform t)
{
    proxy p = {.count = shape->count};
    for (int i = 0; i < shape->count; i++) {
        p.points[i] = shape->vertices[i];
    }
    return gjk_core_placed(&p, t);
}

edges_corner polygons_nearest_corner(const polygon *a, const polygon *b, transform b_in_a,
                                     edge_pair *pair)
{
    edges_corner corner = {.found = false};
    gjk_core core_a = core_of(a, TRANSFORM_IDENTITY);
    gjk_core core_b = core_of(b, b_in_a);
    gjk_result g = gjk_distance(&core_a, &core_b, NULL);
    if (g.overlap) {
        return corner;
    }
    if (g.count == 2) {
        edge_pair_refer(pair, a, b, b_in_a, &g);
        return corner;
    }
    int index_a = g.simplex[0].index_a;
    int index_b = g.simplex[0].index_b;
    float distance = (float)g.distance;
    bool of_pair = (index_a == pair->edge_a || index_a == pair->next_a) &&
                   (index_b == pair->edge_b || index_b == pair->next_b);
    if (of_pair) {
        return corner_make(pair, index_a == pair->next_a, index_b == pair->next_b, distance,
                           vec2d_round(g.normal));
    }
    if (distance >= CORNER_DISTANCE_MIN) {
        corner.found = true;
        corner.distance = distance;
        corner.a = vec2d_round(g.point_a);
        corner.b = vec2d_round(g.point_b);
        corner.normal = vec2d_round(g.normal);
        corner.id = feature_id(ID_VERTEX_VERTEX, index_a, index_b);
    }
    return corner;
}

manifold edges_corner_manifold(const edges_corner *corner, float radius_a, float radius_b)
{
    manifold m = {.normal = corner->normal};
    float separation = corner->distance - radius_a - radius_b;
    if (separation <= SPECULATIVE_DISTANCE) {
        float offset = 0.5f * (radius_a - radius_b + corner->distance);
        m.count = 1;
        m.points[0].point = vec2_mul_add(corner->a, offset, corner->normal);
        m.points[0].separation = separation;
        m.points[0].id = corner->id;
    }
    return m;
}

void manifold_tell_gap(manifold *m, const vec2 *a, int count_a, const vec2 *b, int count_b,
                       transform b_in_a, float radii)
{
    float nearest = INFINITY;
    for (int i = 0; i < count_b; i++) {
        nearest = float_min(nearest, vec2_dot(m->normal, transform_point(b_in_a, b[i])));
    }
    float farthest = -INFINITY;
    for (int i = 0; i < count_a; i++) {
        farthest = float_max(farthest, vec2_dot(m->normal, a[i]));
    }
    m->gap = float_max(nearest - farthest - radii, 0.0f);
}
