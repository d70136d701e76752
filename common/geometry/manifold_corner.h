// Corner contacts of separate cores: shared by the manifold_*.c files, not for other rooms.
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

// Finds whether two corners are the nearest features of the two separate edges: the normal then
// runs between the corners and not along the reference's normal.
edges_corner edges_nearest_corner(const edge_pair *pair);

// The same for two separate whole polygons (or segments). If a corner and an edge are nearest, that
// edge becomes the reference of `pair`. Returns "not found" also if the two lie on each other as
// faces; `pair` remains valid.
edges_corner polygons_nearest_corner(const polygon *a, const polygon *b, transform b_in_a,
                                     edge_pair *pair);

// The manifold of one point between two corners.
manifold edges_corner_manifold(const edges_corner *corner, float radius_a, float radius_b);

// Sets the gap of a manifold without points: how far apart the two cores (by their vertices, B's in
// its own frame) with these rounding radii are along the normal, which may be that of a face near
// the direction between two corners.
void manifold_tell_gap(manifold *m, const vec2 *a, int count_a, const vec2 *b, int count_b,
                       transform b_in_a, float radii);

#endif
