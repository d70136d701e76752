// Polygon functions shared by shape.c and hull.c; not for other rooms.
#ifndef CAROM_COMMON_GEOMETRY_HULL_H
#define CAROM_COMMON_GEOMETRY_HULL_H

#include "common/geometry/shape.h"

// Counter-clockwise, strictly convex, edges and width at least SHAPE_EXTENT_MIN, normals and
// centroid as they follow from the vertices.
status polygon_validate(const polygon *shape, error *err);

// Finite and not negative, at most SHAPE_EXTENT_MAX.
status radius_validate(float radius, error *err);

// Finite, both coordinates within SHAPE_EXTENT_MAX. `field` stands in the text.
status point_validate(vec2 point, const char *field, error *err);

// Smallest distance between two parallel lines that hold the core between them [m].
float polygon_width(const polygon *shape);

#endif
