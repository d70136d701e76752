// The convex shapes, in the frame of their body, and their mass. Pure values.
//
// Every shape is a convex core with a rounding radius around it: a circle is a point, a capsule a
// segment, a box a polygon. `radius` is that rounding (>= 0). Segments and chain segments have no
// area and no mass; they are for bodies that do not move.
#ifndef CAROM_COMMON_GEOMETRY_SHAPE_H
#define CAROM_COMMON_GEOMETRY_SHAPE_H

#include <stdint.h>

#include "common/base/status.h"
#include "common/geometry/math.h"

enum { POLYGON_VERTICES_MAX = 8 }; // makes a polygon a fixed-size value of 152 bytes

// Lengths below this count as zero: a quarter of the overlap that the solver leaves.
#define LINEAR_SLOP      0.005f
// The shortest edge and thinnest extent that a shape may have [m].
#define SHAPE_EXTENT_MIN 0.001f
// The largest coordinate in a shape's own frame [m]: float still resolves 1 mm there.
#define SHAPE_EXTENT_MAX 10000.0f

typedef enum shape_kind {
    SHAPE_CIRCLE,
    SHAPE_CAPSULE,
    SHAPE_POLYGON, // boxes too
    SHAPE_SEGMENT,
    SHAPE_CHAIN_SEGMENT, // one-sided, knows its neighbours
    SHAPE_KIND_COUNT
} shape_kind;

typedef struct circle {
    vec2 center;
    float radius;
} circle;

typedef struct capsule {
    vec2 a, b;
    float radius;
} capsule;

// Counter-clockwise, convex; normals[i] points out of the edge vertices[i] -> vertices[i + 1].
typedef struct polygon {
    vec2 vertices[POLYGON_VERTICES_MAX];
    vec2 normals[POLYGON_VERTICES_MAX];
    vec2 centroid;
    float radius;
    int32_t count; // 3 to POLYGON_VERTICES_MAX (2 while a capsule is handled as a polygon)
} polygon;

typedef struct segment {
    vec2 a, b;
} segment;

// A piece of a chain: it collides from its right side only (the outer side of a counter-clockwise
// loop); its neighbours' far ends determine which normals belong to a smooth surface.
typedef struct chain_segment {
    vec2 ghost_before;
    segment edge;
    vec2 ghost_after;
} chain_segment;

typedef struct shape_geometry {
    shape_kind kind;
    union {
        circle circle;
        capsule capsule;
        polygon polygon;
        segment segment;
        chain_segment chain;
    };
} shape_geometry;

typedef struct mass_properties {
    float mass;    // kg
    vec2 center;   // centre of mass in the body's frame [m]
    float inertia; // about the centre of mass [kg m²]
} mass_properties;

// Makes the convex hull of 3 to 8 points in any order by gift wrapping; joins points closer than
// LINEAR_SLOP and drops nearly collinear ones. Errors: too few or too many points, not finite,
// beyond SHAPE_EXTENT_MAX, no area left. `radius` >= 0.
status polygon_make(const vec2 *points, int count, float radius, polygon *out, error *err);

// Makes a box of full width and height `size`, rotated by `angle` about `center`.
status polygon_make_box(vec2 size, vec2 center, double angle, float radius, polygon *out,
                        error *err);

// Checks that values are finite, within SHAPE_EXTENT_MIN and _MAX, and consistent; the error text
// names the field.
status shape_validate(const shape_geometry *shape, error *err);

// The mass, centre and inertia for an area density. The rounding counts exactly, for polygons too:
// core, strips along the edges, and a circular sector at each vertex.
mass_properties shape_mass(const shape_geometry *shape, float density);

// The box around the shape, rounding included, in the frame in which `t` places the shape.
aabb shape_aabb(const shape_geometry *shape, transform t);

// The box in the world, rounded outward.
aabb shape_aabb_at(const shape_geometry *shape, pose frame);

// Half the smallest width of the shape: a motion up to this in a step cannot skip over it.
float shape_extent_min(const shape_geometry *shape);

// The largest distance of any point of the shape from `center` (in the same frame).
float shape_extent_max(const shape_geometry *shape, vec2 center);

// Whether the point, in the shape's frame, lies in it. Segments contain nothing.
bool shape_contains(const shape_geometry *shape, vec2 point);

#endif
