// Placements and boxes of geometry tests.
#ifndef CAROM_TESTS_UNIT_GEOMETRY_PLACED_H
#define CAROM_TESTS_UNIT_GEOMETRY_PLACED_H

#include "common/geometry/distance.h"
#include "common/geometry/math.h"

static inline transform at(float x, float y, double angle)
{
    return (transform){{x, y}, rot_from_angle(angle)};
}

static inline proxy box_proxy(float half_width, float half_height, float radius)
{
    return (proxy){.points = {{-half_width, -half_height},
                              {half_width, -half_height},
                              {half_width, half_height},
                              {-half_width, half_height}},
                   .count = 4,
                   .radius = radius};
}

#endif
