// Clips two edges that face each other to contact points: shared by the manifold_*.c files, not for
// other rooms. The functions are inline because clipping is half of the work of the engine's
// hottest kernel. Any thread.
//
// Ids name the features, not their roles: the same two edges give the same ids whichever of them is
// the reference. Normally a point is (edge of A, vertex of B); such an id stays the same when B's
// corner moves to another side of A. If B is the reference and A clearly stands on a corner, the
// point is (vertex of A, edge of B), for the same reason.
#ifndef CAROM_COMMON_GEOMETRY_MANIFOLD_CLIP_H
#define CAROM_COMMON_GEOMETRY_MANIFOLD_CLIP_H

#include <string.h>

#include "common/geometry/quad.h"
#include "common/geometry/manifold.h"

// B's face becomes the reference only if its axis is better than A's by this much, so that the
// reference stays the same from step to step [m].
#define REFERENCE_BIAS (0.1f * LINEAR_SLOP)

// Clipping keeps up to this much beyond the reference's ends, so that an end beyond them only by
// rounding is not moved up a steep incident edge [m].
#define CLIP_MARGIN REFERENCE_BIAS

// An incident edge shorter than this along the reference is upright and is not clipped [m].
#define CLIP_SPAN_MIN 1e-6f

// Faces at a larger angle than this (cosine) do not lie on each other: one stands on a corner.
#define FACES_COSINE 0.9848f // 10 degrees

// Bits set in ids so that ids of the three kinds of pairs never coincide.
enum { ID_VERTEX_EDGE = 0x8000, ID_VERTEX_VERTEX = 0x4000 };

static inline uint16_t feature_id(int kind, int a, int b)
{
    return (uint16_t)(kind | a << 8 | b);
}

// The reference edge r1 -> r2 with its outward normal, and the incident edge w1 -> w2 of the other
// shape, which faces it: w2 lies on the side of r1. All are in A's frame; if `flipped`, the
// reference is B's edge.
typedef struct edge_pair {
    quad reference; // r1.x, r1.y, r2.x, r2.y
    quad incident;  // w1.x, w1.y, w2.x, w2.y
    vec2 normal;
    float separation; // distance of the incident core from the reference line
    float radius_reference, radius_incident;
    uint8_t edge_a, next_a; // indices of the two ends of A's edge
    uint8_t edge_b, next_b;
    bool flipped;
} edge_pair;

// End 0 or 1 of an edge.
static inline vec2 edge_end(quad edge, int end)
{
    return end ? (vec2){edge[2], edge[3]} : (vec2){edge[0], edge[1]};
}

// Transforms two points in lanes, with the same bits as transform_point.
static inline quad edge_transform(quad edge, transform t)
{
    quad all = quad_join(&t.p, &t.q);
    quad p = QUAD_SHUFFLE(all, all, 0, 1, 0, 1);
    quad c = QUAD_SPREAD(all, 2);
    quad s = QUAD_SPREAD(all, 3) * (quad){-1.0f, 1.0f, -1.0f, 1.0f};
    return (c * edge + s * QUAD_SHUFFLE(edge, edge, 1, 0, 3, 2)) + p;
}

// The index of the edge's end. It has no branch, since the touching edge is hard to predict.
static inline int edge_next(const polygon *shape, int edge)
{
    int next = edge + 1;
    return next & -(int)(next < shape->count);
}

// Fills in the pair of A's edge and B's edge, except for the separation.
static inline void edge_pair_set(edge_pair *pair, const polygon *a, int edge_a, const polygon *b,
                                 int edge_b, transform b_in_a, bool flipped)
{
    int next_a = edge_next(a, edge_a);
    int next_b = edge_next(b, edge_b);
    quad of_a = quad_join(&a->vertices[edge_a], &a->vertices[next_a]);
    quad of_b = quad_join(&b->vertices[edge_b], &b->vertices[next_b]);
    of_b = edge_transform(of_b, b_in_a);
    pair->edge_a = (uint8_t)edge_a;
    pair->next_a = (uint8_t)next_a;
    pair->edge_b = (uint8_t)edge_b;
    pair->next_b = (uint8_t)next_b;
    pair->flipped = flipped;
    pair->normal = flipped ? rot_vec(b_in_a.q, b->normals[edge_b]) : a->normals[edge_a];
    pair->reference = flipped ? of_b : of_a;
    pair->incident = flipped ? of_a : of_b;
    pair->radius_reference = flipped ? b->radius : a->radius;
    pair->radius_incident = flipped ? a->radius : b->radius;
}

// Returns the edge at a vertex that faces more against the direction (in the shape's frame).
static inline int edge_facing(const polygon *shape, int vertex, vec2 direction)
{
    int before = vertex > 0 ? vertex - 1 : shape->count - 1;
    vec2 n_before = shape->normals[before];
    vec2 n_after = shape->normals[vertex];
    // Compares sines: in float, the cosines of nearly parallel edges are equal.
    float off_before = fabsf(vec2_cross(direction, n_before));
    float off_after = fabsf(vec2_cross(direction, n_after));
    bool faces_before = vec2_dot(direction, n_before) < 0.0f;
    bool faces_after = vec2_dot(direction, n_after) < 0.0f;
    bool is_before = faces_before != faces_after ? faces_before : off_before < off_after;
    return is_before ? before : vertex;
}

// The ends of the incident edge relative to r1: w2 is the low end, w1 the high one.
typedef struct edge_view {
    float low, high; // along the reference, which runs from 0 to `length`
    float length;
    quad separations; // distances of w1, w2 from the reference's line; two lanes are unused
} edge_view;

static inline edge_view edges_view(const edge_pair *pair)
{
    quad origin = QUAD_SHUFFLE(pair->reference, pair->reference, 0, 1, 0, 1);
    quad w = pair->incident - origin;
    quad r = pair->reference - origin;
    quad x = QUAD_SHUFFLE(w, r, 0, 2, 6, 6);
    quad y = QUAD_SHUFFLE(w, r, 1, 3, 7, 7);
    quad nx = quad_splat(pair->normal.x);
    quad ny = quad_splat(pair->normal.y);
    quad along = y * nx - x * ny; // the normal turned left is the reference's direction
    return (edge_view){
        .low = along[1], .high = along[0], .length = along[2], .separations = x * nx + y * ny};
}

// Whether the deepest end lies beyond the sides of the reference: if the cores are apart, corners
// may be nearest.
static inline bool edges_beside(const edge_pair *pair)
{
    edge_view view = edges_view(pair);
    float u = view.separations[0] < view.separations[1] ? view.high : view.low;
    return u < 0.0f || u > view.length;
}

// Whether the incident edge has a stretch, or almost, between the sides of the reference edge.
static inline bool edges_overlap(const edge_pair *pair)
{
    edge_view view = edges_view(pair);
    bool begins = lane_max(view.low, view.high) >= -REFERENCE_BIAS;
    bool ends = lane_min(view.low, view.high) <= view.length + REFERENCE_BIAS;
    return begins & ends;
}

static inline bool stands_on_corner(const edge_pair *pair)
{
    vec2 w = vec2_sub(edge_end(pair->incident, 1), edge_end(pair->incident, 0));
    float along = vec2_dot(w, vec2_left(pair->normal)); // < 0: the edges run in opposite directions
    return along * along < FACES_COSINE * FACES_COSINE * vec2_length_squared(w) || along > 0.0f;
}

// The ids of the points at the start and the end of A's edge. The start of A's edge pairs with the
// end of B's, whichever is the reference.
static inline void edges_ids(const edge_pair *pair, uint16_t *first, uint16_t *second)
{
    bool on_corner_of_a = pair->flipped && stands_on_corner(pair);
    *first = on_corner_of_a ? feature_id(ID_VERTEX_EDGE, pair->edge_a, pair->edge_b)
                            : feature_id(0, pair->edge_a, pair->next_b);
    *second = on_corner_of_a ? feature_id(ID_VERTEX_EDGE, pair->next_a, pair->edge_b)
                             : feature_id(0, pair->edge_a, pair->edge_b);
}

// The vector in the lower lanes. It is written as one word because it is read as one.
static inline vec2 quad_vec2(quad a)
{
    vec2 v;
    memcpy(&v, &a, sizeof v);
    return v;
}

// A point in lanes (x, y and separation), with its id.
static inline manifold_point clip_point(quad point, uint16_t id)
{
    return (manifold_point){.point = quad_vec2(point), .separation = point[2], .id = id};
}

// Clips the incident edge to the sides of the reference. Returns at least one point, even if the
// incident edge lies beside the reference; the caller has checked that the cores are within reach.
static inline manifold edges_clip(const edge_pair *pair)
{
    edge_view view = edges_view(pair);
    float span = view.high - view.low;
    float inverse = span > CLIP_SPAN_MIN ? 1.0f / span : 0.0f;
    float from_low = lane_max(0.0f, lane_min(1.0f, (-CLIP_MARGIN - view.low) * inverse));
    float from_high =
        lane_max(0.0f, lane_min(1.0f, (view.high - view.length - CLIP_MARGIN) * inverse));

    // Clips both ends at once: moves w1 back by from_high and w2 forward by from_low.
    quad w = pair->incident;
    quad back = w - QUAD_SHUFFLE(w, w, 2, 3, 0, 1); // w1 - w2, w2 - w1
    quad core = w - (quad){from_high, from_high, from_low, from_low} * back;
    quad s = view.separations;
    quad separation =
        s - (quad){from_high, from_low, 0.0f, 0.0f} * (s - QUAD_SHUFFLE(s, s, 1, 0, 2, 3));

    float radii = pair->radius_reference + pair->radius_incident;
    float difference = pair->radius_reference - pair->radius_incident;
    float reach = SPECULATIVE_DISTANCE + radii;
    bool use_high = separation[0] <= reach;
    bool use_low = separation[1] <= reach;
    bool beside = view.high < -CLIP_MARGIN || view.low > view.length + CLIP_MARGIN;
    if (beside || !(use_low || use_high)) { // only the deeper end, as clipped
        use_low = separation[1] <= separation[0];
        use_high = !use_low;
    }
    quad offset = 0.5f * (difference - QUAD_SHUFFLE(separation, separation, 0, 0, 1, 1));
    quad n = {pair->normal.x, pair->normal.y, pair->normal.x, pair->normal.y};
    quad place = core + offset * n;
    quad gap = separation - radii;
    quad high = QUAD_SHUFFLE(place, gap, 0, 1, 4, 4);
    quad low = QUAD_SHUFFLE(place, gap, 2, 3, 5, 5);

    bool flipped = pair->flipped; // points in the order of A's edge
    quad first = flipped ? high : low;
    quad second = flipped ? low : high;
    bool use_first = flipped ? use_high : use_low;
    bool use_second = flipped ? use_low : use_high;
    uint16_t id_first;
    uint16_t id_second;
    edges_ids(pair, &id_first, &id_second);
    manifold m = {.normal = quad_vec2(flipped ? -n : n)};
    m.count = (int)use_first + (int)use_second;
    m.points[0] = clip_point(use_first ? first : second, use_first ? id_first : id_second);
    if (m.count == 2) {
        m.points[1] = clip_point(second, id_second);
    }
    return m;
}

// A segment as a polygon of two vertices, right side first. It is written a whole register at a
// time because the kernel reads it so.
static inline void polygon_from_segment(vec2 a, vec2 b, float radius, polygon *out)
{
    float length;
    vec2 right = vec2_normalize(vec2_right(vec2_sub(b, a)), &length);
    quad ends = {a.x, a.y, b.x, b.y};
    quad normals = {right.x, right.y, -right.x, -right.y};
    quad none = quad_splat(0.0f);
    for (int i = 0; i < POLYGON_VERTICES_MAX; i += 2) {
        memcpy(out->vertices + i, i == 0 ? &ends : &none, sizeof ends);
        memcpy(out->normals + i, i == 0 ? &normals : &none, sizeof normals);
    }
    out->centroid = vec2_lerp(a, b, 0.5f);
    out->radius = radius;
    out->count = 2;
}

#endif
