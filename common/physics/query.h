// Queries of a world: what a ray, a moving shape, a point or an area hits. Part of the engine's
// public interface, like physics.h.
//
// They read the world after its last step or change and write nothing, so any number of threads may
// query it while no thread steps it. Positions are exact to a float relative to each shape, however
// far from the origin.
//
// Common to all queries: shapes of disabled bodies are not seen; a chain answers as one shape, with
// its own id, by its nearest piece; answers do not depend on the internals of the broad phase: ties
// go to the lower slot. A query that exceeds its limit is STATUS_UNAVAILABLE, and has no results.
#ifndef CAROM_COMMON_PHYSICS_QUERY_H
#define CAROM_COMMON_PHYSICS_QUERY_H

#include "common/physics/physics.h"

// The shapes that a query sees, by the rule for two shapes: equal groups other than 0 decide
// (positive: seen, negative: not); otherwise category and mask must match both ways.
typedef struct query_filter {
    shape_filter filter; // default: all categories, all bits of the mask, group 0
    body_id ignore;      // a body to skip; 0, the default: none
    bool sensors;        // sensors are seen too; default false
    uint32_t looks_most; // shapes that a query tests before it gives up; 0, the default: no limit
} query_filter;

query_filter query_filter_default(void);

// Hits of a ray or a cast. Must be zero at first; the functions below replace the contents; free
// with array_free().
typedef struct query_hit {
    body_id body;
    shape_id shape;
    vec2d point; // the place of the hit
    vec2 normal; // unit, out of the shape that was hit; {0, 0} if the ray or the cast shape starts
                 // in it
    double fraction; // fraction of the path from `from` to `to`, in [0, 1]
} query_hit;

typedef struct query_hits {
    query_hit *data;
    uint32_t count, capacity;
} query_hits;

// `filter` may be NULL for the default. Without `all` it finds the nearest hit or none; with `all`
// every shape once, nearest first. Segments are hit from both sides, chains from their right side
// only. Errors: places that are not finite or beyond PHYSICS_EXTENT_MAX; `from` equal to `to`.
status query_ray(const physics_world *world, vec2d from, vec2d to, const query_filter *filter,
                 bool all, query_hits *hits, error *err);

// Casts the shape unrotated, its origin moving from `from` to `to`, which may be equal. Any convex
// kind except a chain segment. `point` is on the surface of the shape that was hit.
status query_cast(const physics_world *world, const shape_geometry *form, vec2d from, vec2d to,
                  const query_filter *filter, bool all, query_hits *hits, error *err);

// Shapes that overlap something, in ascending order of the bodies' slots, then the shapes'.
typedef struct query_found {
    body_id body;
    shape_id shape;
} query_found;

typedef struct query_list {
    query_found *data;
    uint32_t count, capacity;
} query_list;

// Finds shapes that overlap or touch the box; `lower` and `upper` may be equal in one coordinate or
// both.
status query_overlap_area(const physics_world *world, vec2d lower, vec2d upper,
                          const query_filter *filter, query_list *list, error *err);
// Finds shapes that overlap or touch the shape, placed in `frame`.
status query_overlap_shape(const physics_world *world, const shape_geometry *form, pose frame,
                           const query_filter *filter, query_list *list, error *err);
// Shapes that contain the point. Segments and chains contain nothing.
status query_point(const physics_world *world, vec2d point, const query_filter *filter,
                   query_list *list, error *err);

typedef struct query_near {
    body_id body; // 0: none within the radius
    shape_id shape;
    vec2d point;     // the nearest point of the shape; the given point if it is inside
    double distance; // [m], 0 inside
} query_near;

// The shape nearest to a point within `radius`, which is >= 0 and may be INFINITY.
status query_nearest(const physics_world *world, vec2d point, double radius,
                     const query_filter *filter, query_near *out, error *err);

// Turns `world` into the interpolation between it and `next`, its state one tick later, for the
// queries above: each body that is in both moves the fraction `share` (0 to 1) along the line to
// its later position, and by the same fraction of the shorter rotation to its later angle.
// Everything else stays `world`'s. The result is not a simulation state any more: query it, copy
// another world into it, or free it.
void query_blend(physics_world *world, const physics_world *next, double share);

#endif
