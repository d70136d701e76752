// Contact points of two edges: clipping, and the case of two corners.
//
// Ids name the features, not the roles: the same two edges give the same ids whichever of them is
// the reference. Normally a point is (edge of A, vertex of B), which also survives that B's corner
// changes the side with which it faces A. Where B is the reference and A clearly stands on a
// corner, the same is wanted for A's corner, and the point is (vertex of A, edge of B).
#include "common/geometry/manifold_clip.h"

#include <stddef.h>

#include "common/geometry/gjk.h"

// Set in ids so that the three sorts of pairs never look alike.
enum { ID_VERTEX_EDGE = 0x8000, ID_VERTEX_VERTEX = 0x4000 };

// Faces at more than this angle (its cosine) do not lie on each other: one stands on a corner.
#define FACES_COSINE 0.9848f // 10 degrees

// Corners in a direction that differs less than this from the reference's normal may count as faces
// (see faces_lie_together).
#define CORNER_SINE 0.03f // 1.7 degrees

// Corners nearer than this have no direction from one to the other [m].
#define CORNER_DISTANCE_MIN 1e-4f

// Clipping leaves this much beyond the reference's ends, so that an end that is there but for
// rounding is not moved up a steep incident edge [m].
#define CLIP_MARGIN REFERENCE_BIAS

// An incident edge shorter than this along the reference stands upright: nothing to clip [m].
#define CLIP_SPAN_MIN 1e-6f

static uint16_t feature_id(int kind, int a, int b)
{
    return (uint16_t)(kind | a << 8 | b);
}

static bool stands_on_corner(const edge_pair *pair)
{
    vec2 w = vec2_sub(pair->w2, pair->w1);
    float along = vec2_dot(w, vec2_left(pair->normal)); // < 0: the edges run against each other
    return along * along < FACES_COSINE * FACES_COSINE * vec2_length_squared(w) || along > 0.0f;
}

static void manifold_add(manifold *m, vec2 core, float separation, float offset, vec2 normal,
                         uint16_t id)
{
    m->points[m->count].point = vec2_mul_add(core, offset, normal);
    m->points[m->count].separation = separation;
    m->points[m->count].id = id;
    m->count++;
}

manifold edges_clip(const edge_pair *pair)
{
    vec2 n = pair->normal;
    vec2 t = vec2_left(n);
    vec2 to_w1 = vec2_sub(pair->w1, pair->r1);
    vec2 to_w2 = vec2_sub(pair->w2, pair->r1);
    float length = vec2_dot(vec2_sub(pair->r2, pair->r1), t);
    float low = vec2_dot(to_w2, t);
    float high = vec2_dot(to_w1, t);
    float span = high - low;
    float low_separation = vec2_dot(to_w2, n);
    float high_separation = vec2_dot(to_w1, n);
    float rise = high_separation - low_separation;
    vec2 low_point = pair->w2;
    vec2 high_point = pair->w1;
    if (span > CLIP_SPAN_MIN) {
        vec2 w = vec2_sub(pair->w1, pair->w2);
        float inverse = 1.0f / span;
        float from_low = float_clamp((-CLIP_MARGIN - low) * inverse, 0.0f, 1.0f);
        float from_high = float_clamp((high - length - CLIP_MARGIN) * inverse, 0.0f, 1.0f);
        low_point = vec2_mul_add(low_point, from_low, w);
        high_point = vec2_mul_sub(high_point, from_high, w);
        float low_clipped = low_separation + from_low * rise;
        high_separation = high_separation - from_high * rise;
        low_separation = low_clipped;
    }

    // The end at A's edge's beginning goes with B's edge's end, whichever is the reference.
    uint16_t id_low;
    uint16_t id_high;
    if (!pair->flipped) {
        id_low = feature_id(0, pair->edge_a, pair->next_b);
        id_high = feature_id(0, pair->edge_a, pair->edge_b);
    } else if (!stands_on_corner(pair)) {
        id_low = feature_id(0, pair->edge_a, pair->edge_b);
        id_high = feature_id(0, pair->edge_a, pair->next_b);
    } else {
        id_low = feature_id(ID_VERTEX_EDGE, pair->next_a, pair->edge_b);
        id_high = feature_id(ID_VERTEX_EDGE, pair->edge_a, pair->edge_b);
    }

    float radii = pair->radius_reference + pair->radius_incident;
    float difference = pair->radius_reference - pair->radius_incident;
    float reach = SPECULATIVE_DISTANCE + radii;
    bool beside = high < -CLIP_MARGIN || low > length + CLIP_MARGIN;
    bool use_low = low_separation <= reach;
    bool use_high = high_separation <= reach;
    if (beside || !(use_low || use_high)) { // the deeper end alone, as clipping left it
        use_low = low_separation <= high_separation;
        use_high = !use_low;
    }
    manifold m = {.count = 0};
    m.normal = pair->flipped ? vec2_neg(n) : n;
    float low_offset = 0.5f * (difference - low_separation);
    float high_offset = 0.5f * (difference - high_separation);
    if (pair->flipped) { // in the order of A's edge
        if (use_high) {
            manifold_add(&m, high_point, high_separation - radii, high_offset, n, id_high);
        }
        if (use_low) {
            manifold_add(&m, low_point, low_separation - radii, low_offset, n, id_low);
        }
        return m;
    }
    if (use_low) {
        manifold_add(&m, low_point, low_separation - radii, low_offset, n, id_low);
    }
    if (use_high) {
        manifold_add(&m, high_point, high_separation - radii, high_offset, n, id_high);
    }
    return m;
}

// The fraction along a -> b of the point nearest to p.
static float nearest_fraction(vec2 a, vec2 b, vec2 p)
{
    vec2 e = vec2_sub(b, a);
    float along = vec2_dot(vec2_sub(p, a), e);
    float square = vec2_length_squared(e);
    return along <= 0.0f ? 0.0f : along >= square ? 1.0f : along / square;
}

// Whether two corners `distance` apart belong to edges that lie on each other but for a hair, and
// clipping loses nothing: stacked boxes of one width rest on both of their ends, wherever
// rounding puts them.
static bool faces_lie_together(const edge_pair *pair, vec2 reference, vec2 incident, float distance)
{
    vec2 t = vec2_left(pair->normal);
    float beside = float_abs(vec2_dot(vec2_sub(incident, reference), t));
    vec2 w = vec2_sub(pair->w1, pair->w2);
    float rise = float_abs(vec2_dot(w, pair->normal));
    float run = vec2_dot(w, t);
    float low = vec2_dot(vec2_sub(pair->w2, pair->r1), t);
    float length = vec2_dot(vec2_sub(pair->r2, pair->r1), t);
    return beside <= CORNER_SINE * distance && beside <= LINEAR_SLOP &&
           beside * rise <= REFERENCE_BIAS * run && low < length && low + run > 0.0f;
}

// A corner if the pair does not count as faces; index 0 or 1 tells which end of either edge it is.
static edges_corner corner_make(const edge_pair *pair, int end_a, int end_b, float distance,
                                vec2 normal)
{
    edges_corner corner = {.found = false};
    vec2 a1 = pair->flipped ? pair->w1 : pair->r1;
    vec2 a2 = pair->flipped ? pair->w2 : pair->r2;
    vec2 b1 = pair->flipped ? pair->r1 : pair->w1;
    vec2 b2 = pair->flipped ? pair->r2 : pair->w2;
    corner.a = end_a ? a2 : a1;
    corner.b = end_b ? b2 : b1;
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
    // The edges do not cross, so an end of one of them is nearest to the other: four candidates.
    const vec2 ends[2][2] = {{pair->r1, pair->r2}, {pair->w1, pair->w2}};
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

void edge_pair_set(edge_pair *pair, const polygon *a, int edge_a, const polygon *b, int edge_b,
                   transform b_in_a, bool flipped)
{
    int next_a = edge_a + 1 < a->count ? edge_a + 1 : 0;
    int next_b = edge_b + 1 < b->count ? edge_b + 1 : 0;
    vec2 a1 = a->vertices[edge_a];
    vec2 a2 = a->vertices[next_a];
    vec2 b1 = transform_point(b_in_a, b->vertices[edge_b]);
    vec2 b2 = transform_point(b_in_a, b->vertices[next_b]);
    pair->edge_a = (uint8_t)edge_a;
    pair->next_a = (uint8_t)next_a;
    pair->edge_b = (uint8_t)edge_b;
    pair->next_b = (uint8_t)next_b;
    pair->flipped = flipped;
    pair->normal = flipped ? rot_vec(b_in_a.q, b->normals[edge_b]) : a->normals[edge_a];
    pair->r1 = flipped ? b1 : a1;
    pair->r2 = flipped ? b2 : a2;
    pair->w1 = flipped ? a1 : b1;
    pair->w2 = flipped ? a2 : b2;
    pair->radius_reference = flipped ? b->radius : a->radius;
    pair->radius_incident = flipped ? a->radius : b->radius;
}

int edge_facing(const polygon *shape, int vertex, vec2 direction)
{
    int before = vertex > 0 ? vertex - 1 : shape->count - 1;
    vec2 n_before = shape->normals[before];
    vec2 n_after = shape->normals[vertex];
    // By the sines: the cosines of nearly parallel edges are all the same to a float.
    float off_before = float_abs(vec2_cross(direction, n_before));
    float off_after = float_abs(vec2_cross(direction, n_after));
    bool faces_before = vec2_dot(direction, n_before) < 0.0f;
    bool faces_after = vec2_dot(direction, n_after) < 0.0f;
    if (faces_before != faces_after) {
        return faces_before ? before : vertex;
    }
    return off_before < off_after ? before : vertex;
}

// The edge between two corners, out of which `direction` points (two corners have one on either
// side of them).
static int edge_between(const polygon *shape, int i, int j, vec2 direction)
{
    if (shape->count == 2) {
        return vec2_dot(shape->normals[0], direction) >= 0.0f ? 0 : 1;
    }
    return j == (i + 1 < shape->count ? i + 1 : 0) ? i : j;
}

// GJK found an edge and a corner: the edge is the reference.
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
        manifold_add(&m, corner->a, separation, offset, corner->normal, corner->id);
    }
    return m;
}

polygon polygon_from_segment(vec2 a, vec2 b, float radius)
{
    polygon shape = {.count = 2, .radius = radius};
    float length;
    vec2 right = vec2_normalize(vec2_right(vec2_sub(b, a)), &length);
    shape.vertices[0] = a;
    shape.vertices[1] = b;
    shape.normals[0] = right;
    shape.normals[1] = vec2_neg(right);
    shape.centroid = vec2_lerp(a, b, 0.5f);
    return shape;
}
