// Questions to a world: what does a ray, a moving shape, a place, an area meet. Public face, as
// physics.h is.
//
// They read the world as the last step or change left it and write nothing to it, so that any
// number of threads may ask while nobody steps it. Places are exact to a float relative to each
// shape, however far from the origin.
//
// Common to all queries: shapes of disabled bodies are not seen; a chain answers as one shape,
// with its own id, by its nearest piece; answers do not depend on the inside of the broad phase:
// ties go to the lower slot. A query that gives up is STATUS_UNAVAILABLE, and has no results.
#ifndef CAROM_COMMON_PHYSICS_QUERY_H
#define CAROM_COMMON_PHYSICS_QUERY_H

#include "common/physics/physics.h"

// Which shapes a query sees. As between two shapes: equal groups other than 0 decide (positive:
// seen, negative: not), else category and mask must agree both ways.
typedef struct query_filter {
    shape_filter filter; // default: all categories, all bits of the mask, group 0
    body_id ignore;      // a body that is not seen; 0, the default: none
    bool sensors;        // sensors are seen too; default false
    uint32_t looks_most; // shapes that a query looks at before it gives up; 0, the default: all
} query_filter;

query_filter query_filter_default(void);

// Hits of a ray or a cast. Start with all zero; the functions below replace what is in there; free
// with array_free().
typedef struct query_hit {
    body_id body;
    shape_id shape;
    vec2d point; // the place of the hit
    vec2 normal; // unit, out of the shape that was hit; {0, 0} if the ray or the cast shape starts
                 // in it
    double fraction; // part of the way from `from` to `to`, in [0, 1]
} query_hit;

typedef struct query_hits {
    query_hit *data;
    uint32_t count, capacity;
} query_hits;

// `filter` may be NULL for the default. Without `all`: the nearest hit or none; with it every shape
// once, nearest first. Segments are hit from both sides, chains from their right side only. Errors:
// places that are not finite or beyond PHYSICS_EXTENT_MAX; `from` equal to `to`.
status query_ray(const physics_world *world, vec2d from, vec2d to, const query_filter *filter,
                 bool all, query_hits *hits, error *err);

// The shape, in a frame that is not turned and whose origin goes from `from` to `to`, which may be
// the same place. Any convex kind but a chain segment. `point` is on the surface of what was hit.
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

// Finds shapes that overlap or touch the box; `lower` and `upper` may agree in a coordinate, or
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
    vec2d point;     // the nearest point of the shape; the asked one if that is inside
    double distance; // [m], 0 inside
} query_near;

// The shape nearest to a place and not farther away than `radius`, which is >= 0 and may be
// INFINITY.
status query_nearest(const physics_world *world, vec2d point, double radius,
                     const query_filter *filter, query_near *out, error *err);

// Turns `world` into what is seen between it and `next`, its state a tick later, for the queries
// above: each body that is in both stands a part `share` (0 to 1) of the way to its later place,
// along a line, and has turned as much of the shorter way to its later angle. The rest is
// `world`'s. It is no state of a simulation any more: query it, copy another world into it, or free
// it.
void query_blend(physics_world *world, const physics_world *next, double share);

#endif
