// The search that distance, penetration, cast and impact share; not for other rooms.
//
// It computes in double: the floats of shapes and frames convert exactly and their products lose
// nothing that matters, so nearly parallel, thin and 10 km long cores need no special tolerances.
#ifndef CAROM_COMMON_GEOMETRY_GJK_H
#define CAROM_COMMON_GEOMETRY_GJK_H

#include "common/geometry/distance.h"

// The points of a convex core, in the common frame of both cores.
typedef struct gjk_core {
    vec2d points[POLYGON_VERTICES_MAX];
    int count;
} gjk_core;

// A corner of the Minkowski difference B - A.
typedef struct gjk_vertex {
    vec2d a, b;
    vec2d w; // b - a
    double weight;
    uint8_t index_a, index_b;
} gjk_vertex;

typedef struct gjk_result {
    gjk_vertex simplex[3];
    int count;
    bool overlap;           // the cores have a point in common
    vec2d normal;           // unit, from A to B; {0, 0} when they overlap
    double distance;        // 0 when they overlap
    vec2d point_a, point_b; // nearest points; the common point when they overlap
    int iterations;
} gjk_result;

gjk_core gjk_core_from_proxy(const proxy *p);
gjk_core gjk_core_placed(const proxy *p, transform t);

// `cache` may be NULL; then all corners of the simplex lie on the boundary of B - A.
gjk_result gjk_distance(const gjk_core *a, const gjk_core *b, distance_cache *cache);

// The corner of B - A that lies farthest along `direction`.
gjk_vertex gjk_support(const gjk_core *a, const gjk_core *b, vec2d direction);

static inline double vec2d_dot(vec2d a, vec2d b)
{
    return a.x * b.x + a.y * b.y;
}
static inline double vec2d_cross(vec2d a, vec2d b)
{
    return a.x * b.y - a.y * b.x;
}
static inline vec2d vec2d_scale(double s, vec2d a)
{
    return (vec2d){s * a.x, s * a.y};
}
// a + s b
static inline vec2d vec2d_mul_add(vec2d a, double s, vec2d b)
{
    return (vec2d){a.x + s * b.x, a.y + s * b.y};
}
static inline double vec2d_length(vec2d a)
{
    return sqrt(a.x * a.x + a.y * a.y);
}
static inline vec2 vec2d_round(vec2d a)
{
    return (vec2){(float)a.x, (float)a.y};
}

#endif
