// Random figures for the property tests: seeded, so that a failure can be repeated.
#ifndef CAROM_TESTS_PROPERTY_GEOMETRY_FIGURES_H
#define CAROM_TESTS_PROPERTY_GEOMETRY_FIGURES_H

#include <stdint.h>

#include "common/geometry/distance.h"
#include "common/geometry/shape.h"

typedef struct rng {
    uint64_t state;
} rng;

// Seeds the generator from CAROM_PROPERTY_SEED, or `fallback`; prints the seed with the name of the
// test.
rng rng_start(const char *name, uint64_t fallback);

// `ordinary` times CAROM_PROPERTY_ROUNDS; a fiftieth of it in builds without optimisation, so that
// sanitizer runs end as well.
int64_t rounds(int64_t ordinary);

uint64_t rng_bits(rng *r);
double rng_unit(rng *r); // [0, 1)
double rng_range(rng *r, double low, double high);
double rng_scale(rng *r, double low, double high); // uniform on a logarithmic scale
int rng_below(rng *r, int end);

// A valid polygon of about `size`: a box, a regular polygon, a hull of random points, or a splinter
// up to 1000 times longer than wide.
polygon figure_polygon(rng *r, double size, float radius);

// A core for GJK of 1 to 8 points and about `size`; radius 0.
proxy figure_proxy(rng *r, double size);

// A capsule, circle, polygon or segment of about `size`.
shape_geometry figure_shape(rng *r, double size);

// A frame in a disc of this radius. One in four is turned by a multiple of a quarter (give or take
// 1e-7, or exactly), so that parallel edges are common.
transform figure_frame(rng *r, double reach);

#endif
