// Polygon functions shared by shape.c and hull.c; not for other rooms.
#ifndef CAROM_COMMON_GEOMETRY_HULL_H
#define CAROM_COMMON_GEOMETRY_HULL_H

#include "common/geometry/shape.h"

// Checks that the polygon is counter-clockwise, strictly convex, with edges and width of at least
// SHAPE_EXTENT_MIN, and that its normals and centroid follow from its vertices.
status polygon_validate(const polygon *shape, error *err);

// Checks that the radius is finite, not negative and at most SHAPE_EXTENT_MAX.
status radius_validate(float radius, error *err);

// Checks that both coordinates are finite and within SHAPE_EXTENT_MAX. The error text names
// `field`.
status point_validate(vec2 point, const char *field, error *err);

// The smallest distance between two parallel lines that enclose the core [m].
float polygon_width(const polygon *shape);

#endif
