// Distance and depth of two convex cores, and sweeps of one against the other.
//
// GJK: Gilbert, Johnson, Keerthi 1988, with the sub-distance by barycentric regions (C. Ericson,
// "Real-Time Collision Detection", 2005; E. Catto, "Computing Distance", GDC 2010). EPA: G. van den
// Bergen, "Proximity Queries and Penetration Depth Computation", GDC 2001. Time of impact:
// conservative advancement (B. Mirtich 1996) on separating functions (E. Catto, "Continuous
// Collision", GDC 2013).
#ifndef CAROM_COMMON_GEOMETRY_DISTANCE_H
#define CAROM_COMMON_GEOMETRY_DISTANCE_H

#include "common/geometry/shape.h"

// The convex core of a shape: 1 to 8 points and the rounding around them.
typedef struct proxy {
    vec2 points[POLYGON_VERTICES_MAX];
    int32_t count;
    float radius;
} proxy;

proxy proxy_from_shape(const shape_geometry *shape);

// The last simplex of a pair: GJK starts from it when the pair has hardly moved. Zero is empty.
typedef struct distance_cache {
    uint8_t count;
    uint8_t index_a[3], index_b[3];
} distance_cache;

typedef struct distance_result {
    vec2 point_a,
        point_b;    // nearest points of the two shapes (rounding included if asked), frame of A
    vec2 normal;    // unit, from A to B; {0, 0} when the cores overlap
    float distance; // >= 0; 0 when they touch or overlap
    int32_t iterations;
} distance_result;

// All in the frame of A; `use_radii` includes the rounding radii. `cache` may be NULL.
distance_result distance_proxies(const proxy *a, const proxy *b, transform b_in_a, bool use_radii,
                                 distance_cache *cache);

typedef struct penetration_result {
    vec2 normal; // unit, from A to B; moving B along it by `depth` separates the shapes
    float depth; // > 0 when the shapes overlap, rounding included; else minus the distance
    vec2 point_a, point_b; // deepest points on either surface, frame of A
} penetration_result;

// Runs GJK first, and EPA on its final simplex if the cores overlap.
penetration_result penetration_proxies(const proxy *a, const proxy *b, transform b_in_a);

// Casts shape B without rotation: its first contact with A when it moves from `b_in_a` by
// `translation`.
typedef struct cast_result {
    bool hit;
    float fraction; // fraction of the translation in [0, 1]; 0 if they overlap at the start
    vec2 point;     // place on A's surface, frame of A
    vec2 normal;    // out of A, unit; {0, 0} if they overlap at the start
} cast_result;

cast_result cast_proxies(const proxy *a, const proxy *b, transform b_in_a, vec2 translation);

// Casts a ray from `origin` by `translation` (not normalised) against a shape in the shape's frame.
// A ray that starts inside hits with fraction 0 and normal {0, 0}. Segments are hit from both
// sides, chain segments from their right side.
cast_result ray_shape(const shape_geometry *shape, vec2 origin, vec2 translation);

// A motion in a step: the centre of mass moves from c1 to c2, and the rotation changes evenly from
// q1 to q2 the short way round.
typedef struct sweep {
    vec2 local_center;
    vec2 c1, c2;
    rot q1, q2;
} sweep;

// The body frame at time t in [0, 1] of the sweep.
transform sweep_at(const sweep *motion, float t);

typedef enum impact_state {
    IMPACT_NONE,
    IMPACT_HIT,
    IMPACT_OVERLAPPED,
    IMPACT_FAILED
} impact_state;

typedef struct impact_result {
    impact_state state;
    float fraction; // the first time in [0, t_max] at which the surfaces are within LINEAR_SLOP
} impact_result;

impact_result impact_time(const proxy *a, const sweep *motion_a, const proxy *b,
                          const sweep *motion_b, float t_max);

#endif
