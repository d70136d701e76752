// Cores that are apart and touch with their corners: shared by the manifold_*.c files, not for
// other rooms.
#ifndef CAROM_COMMON_GEOMETRY_MANIFOLD_CORNER_H
#define CAROM_COMMON_GEOMETRY_MANIFOLD_CORNER_H

#include "common/geometry/manifold_clip.h"

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

// The same for two whole polygons (or segments) that are apart. If a corner and an edge are nearest
// instead, that edge becomes the reference of `pair`. Also returns "not found" when the two lie on
// each other as faces; `pair` is then as good as before.
edges_corner polygons_nearest_corner(const polygon *a, const polygon *b, transform b_in_a,
                                     edge_pair *pair);

// The manifold of one point between two corners.
manifold edges_corner_manifold(const edges_corner *corner, float radius_a, float radius_b);

// Without points: how far apart two cores (their vertices, B's in its own frame) with these
// rounding radii are along the normal, which may be a face's near the direction between two
// corners.
void manifold_tell_gap(manifold *m, const vec2 *a, int count_a, const vec2 *b, int count_b,
                       transform b_in_a, float radii);

#endif
