// Contact manifolds: where two convex shapes touch, as one or two points with a common normal.
//
// All values are in the frame of A; `b_in_a` is B's body frame relative to A's. The normal points
// from A to B; a point lies midway in the overlap, its separation is negative there. Shapes up to
// SPECULATIVE_DISTANCE apart get points too, so that the solver can stop a body at the surface.
// Each point has a feature id that stays the same while the same features touch: the solver carries
// impulses over by it.
//
// Methods: circles in closed form; capsules and polygons by the separating axis test with clipping
// of the incident edge against the reference edge's sides (Gottschalk, Lin, Manocha 1996; D.
// Gregorius, "The Separating Axis Test", GDC 2013), rounded corners by the closest points of the
// two edges.
#ifndef CAROM_COMMON_GEOMETRY_MANIFOLD_H
#define CAROM_COMMON_GEOMETRY_MANIFOLD_H

#include "common/geometry/shape.h"

// Shapes nearer than this get contact points before they touch [m].
#define SPECULATIVE_DISTANCE (4.0f * LINEAR_SLOP)

typedef struct manifold_point {
    vec2 point;       // midway between the two surfaces, in the frame of A
    float separation; // along the normal; < 0 is overlap [m]
    uint16_t id;      // identifies the touching features
} manifold_point;

typedef struct manifold {
    vec2 normal;   // unit, from A to B, in the frame of A
    int32_t count; // 0: farther apart than SPECULATIVE_DISTANCE; else 1 or 2
    // if count is 0: the shapes are at least this far apart along the normal [m]; 0: gap and normal
    // are unknown
    float gap;
    manifold_point points[2];
} manifold;

manifold manifold_circles(const circle *a, const circle *b, transform b_in_a);
manifold manifold_capsule_circle(const capsule *a, const circle *b, transform b_in_a);
manifold manifold_polygon_circle(const polygon *a, const circle *b, transform b_in_a);
manifold manifold_capsules(const capsule *a, const capsule *b, transform b_in_a);
manifold manifold_polygon_capsule(const polygon *a, const capsule *b, transform b_in_a);
manifold manifold_polygons(const polygon *a, const polygon *b, transform b_in_a);
manifold manifold_segment_circle(const segment *a, const circle *b, transform b_in_a);
manifold manifold_segment_capsule(const segment *a, const capsule *b, transform b_in_a);
manifold manifold_segment_polygon(const segment *a, const polygon *b, transform b_in_a);
// Contacts with a chain piece are one-sided and smooth: none from the left side, and no normal
// outside the fan between the neighbouring pieces (so that a box does not catch on the joints of a
// flat floor).
manifold manifold_chain_circle(const chain_segment *a, const circle *b, transform b_in_a);
manifold manifold_chain_capsule(const chain_segment *a, const capsule *b, transform b_in_a);
manifold manifold_chain_polygon(const chain_segment *a, const polygon *b, transform b_in_a);

// Whether shapes of these kinds can touch at all (two without area cannot).
bool manifold_supported(shape_kind a, shape_kind b);

// The manifold of any two shapes, in any order of kinds: if the table has the pair in the other
// order only, the result is swapped. `b_in_a` is B's body frame seen from A's.
manifold manifold_shapes(const shape_geometry *a, const shape_geometry *b, transform b_in_a);

#endif
