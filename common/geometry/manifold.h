// Contact manifolds: where two convex shapes touch, as one or two points with a common normal.
//
// All in the frame of A: `b_in_a` is B's body frame as seen from A's. The normal points from A to
// B; a point lies midway in the overlap, its separation is negative there. Points are produced up
// to SPECULATIVE_DISTANCE before touching, so that the solver can stop a body at the surface. Each
// point has a feature id that stays the same while the same features touch: impulses are carried
// over by it.
//
// Methods: circles in closed form; capsules and polygons by the separating axis test with clipping
// of the incident edge against the reference edge's sides (Gottschalk, Lin, Manocha 1996; D.
// Gregorius, "The Separating Axis Test", GDC 2013), rounded corners by the closest points of the
// two edges.
#ifndef CAROM_COMMON_GEOMETRY_MANIFOLD_H
#define CAROM_COMMON_GEOMETRY_MANIFOLD_H

#include "common/geometry/shape.h"

// Contact points are made this long before shapes touch [m].
#define SPECULATIVE_DISTANCE (4.0f * LINEAR_SLOP)

typedef struct manifold_point {
    vec2 point;       // midway between the two surfaces, in the frame of A
    float separation; // along the normal; < 0 is overlap [m]
    uint16_t id;      // names the features that touch
} manifold_point;

typedef struct manifold {
    vec2 normal;   // unit, from A to B, in the frame of A
    int32_t count; // 0: farther apart than SPECULATIVE_DISTANCE; else 1 or 2
    float gap;     // with count 0: the shapes are at least this far apart along the normal [m];
                   // 0: not known, nor is the normal
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
// One-sided and smooth: no contact from the left side, and no normal outside the fan that the
// neighbouring pieces leave to this one (so that a box does not stumble over the joints of a flat
// floor).
manifold manifold_chain_circle(const chain_segment *a, const circle *b, transform b_in_a);
manifold manifold_chain_capsule(const chain_segment *a, const capsule *b, transform b_in_a);
manifold manifold_chain_polygon(const chain_segment *a, const polygon *b, transform b_in_a);

// Whether shapes of these kinds can touch at all (two without area cannot).
bool manifold_supported(shape_kind a, shape_kind b);

// The manifold of any two shapes, in the order given: kinds may come either way round; where the
// table holds the pair in the other order only, the result is turned round. `b_in_a` is B's body
// frame seen from A's.
manifold manifold_shapes(const shape_geometry *a, const shape_geometry *b, transform b_in_a);

#endif
