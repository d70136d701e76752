// How two edges that face each other make contact points: shared by the manifold_*.c files, not for
// other rooms.
#ifndef CAROM_COMMON_GEOMETRY_MANIFOLD_CLIP_H
#define CAROM_COMMON_GEOMETRY_MANIFOLD_CLIP_H

#include "common/geometry/manifold.h"

// B's axis must be better than A's by this much before B's face becomes the reference, so that it
// stays the same from step to step; and cores nearer than this have no normal between corners [m].
#define REFERENCE_BIAS (0.1f * LINEAR_SLOP)

// The reference edge r1 -> r2 with its outward normal, and the incident edge w1 -> w2 of the other
// shape, which faces it: w2 lies on the side of r1. All in A's frame; the reference is B's when
// `flipped`.
typedef struct edge_pair {
    vec2 r1, r2, w1, w2;
    vec2 normal;
    float separation; // of the incident core from the reference line
    float radius_reference, radius_incident;
    uint8_t edge_a, next_a; // indices of the two ends of A's edge
    uint8_t edge_b, next_b;
    bool flipped;
} edge_pair;

// The deepest end lies beyond the sides of the reference: with the cores apart, corners may be
// nearest.
static inline bool edges_beside(const edge_pair *pair)
{
    vec2 t = vec2_left(pair->normal);
    vec2 w1 = vec2_sub(pair->w1, pair->r1);
    vec2 w2 = vec2_sub(pair->w2, pair->r1);
    vec2 deepest = vec2_dot(w1, pair->normal) < vec2_dot(w2, pair->normal) ? w1 : w2;
    float u = vec2_dot(deepest, t);
    return u < 0.0f || u > vec2_dot(vec2_sub(pair->r2, pair->r1), t);
}

// The incident edge has a stretch between the sides of the reference edge, or all but.
static inline bool edges_overlap(const edge_pair *pair)
{
    vec2 t = vec2_left(pair->normal);
    float length = vec2_dot(vec2_sub(pair->r2, pair->r1), t);
    float u1 = vec2_dot(vec2_sub(pair->w1, pair->r1), t);
    float u2 = vec2_dot(vec2_sub(pair->w2, pair->r1), t);
    return float_max(u1, u2) >= -REFERENCE_BIAS && float_min(u1, u2) <= length + REFERENCE_BIAS;
}

// Clips the incident edge to the sides of the reference. Always at least one point, even when
// the incident edge lies beside the reference; the caller knows that the cores are within reach.
manifold edges_clip(const edge_pair *pair);

typedef struct edges_corner {
    bool found;
    vec2 a, b;   // corners of A and of B
    vec2 normal; // unit, from a to b
    float distance;
    uint16_t id;
} edges_corner;

// Whether two corners are what is nearest between the two edges, which are apart: then the normal
// runs between them, and not along the reference's.
edges_corner edges_nearest_corner(const edge_pair *pair);

// The same of two whole polygons (or segments) that are apart. Where a corner and an edge are
// nearest instead, that edge becomes the reference of `pair`. Not found too when they lie on each
// other as faces, and `pair` is as good.
edges_corner polygons_nearest_corner(const polygon *a, const polygon *b, transform b_in_a,
                                     edge_pair *pair);

// Fills in the pair of A's edge and B's edge but for its separation.
void edge_pair_set(edge_pair *pair, const polygon *a, int edge_a, const polygon *b, int edge_b,
                   transform b_in_a, bool flipped);

// Of the two edges at a vertex, the one that faces more against the direction (in the shape's
// frame).
int edge_facing(const polygon *shape, int vertex, vec2 direction);

// The manifold of one point between two corners.
manifold edges_corner_manifold(const edges_corner *corner, float radius_a, float radius_b);

// A segment as a polygon of two vertices with its right side first.
polygon polygon_from_segment(vec2 a, vec2 b, float radius);

#endif
