// The same results by the simplest and slowest method, in double: references for the property
// tests.
#ifndef CAROM_TESTS_PROPERTY_GEOMETRY_BRUTE_H
#define CAROM_TESTS_PROPERTY_GEOMETRY_BRUTE_H

#include "common/geometry/distance.h"

typedef struct brute_core {
    vec2d points[POLYGON_VERTICES_MAX];
    int count;
} brute_core;

// The points of a core, placed by a frame given in double.
brute_core brute_place(const proxy *p, double x, double y, double cosine, double sine);
brute_core brute_place_at(const proxy *p, transform t);

double brute_point_segment(vec2d p, vec2d a, vec2d b);

// Distance of two cores: the least over all pairs of edges; 0 when they overlap.
double brute_distance(const brute_core *a, const brute_core *b);

// The largest separation over the normals of all edges of both (both sides of a segment): exact
// when negative, a lower bound for the distance otherwise. -HUGE_VAL for two points.
double brute_separation(const brute_core *a, const brute_core *b);

// The magnitude of the figures and their places, to which tolerances are relative.
double brute_size(const brute_core *a, const brute_core *b);

#endif
