// Compares numbers, and prints both on a failure; cmocka's own function prints neither.
#ifndef CAROM_TESTS_UNIT_GEOMETRY_NEAR_H
#define CAROM_TESTS_UNIT_GEOMETRY_NEAR_H

#include <math.h>

#include "common/geometry/math.h"

#define assert_near(found, expected, tolerance)                                                    \
    do {                                                                                           \
        double found_ = (double)(found);                                                           \
        double expected_ = (double)(expected);                                                     \
        if (!(fabs(found_ - expected_) <= (double)(tolerance))) {                                  \
            fail_msg("%s is %.9g, expected %.9g", #found, found_, expected_);                      \
        }                                                                                          \
    } while (0)

#define assert_at(found, expected_x, expected_y, tolerance)                                        \
    do {                                                                                           \
        assert_near((found).x, expected_x, tolerance);                                             \
        assert_near((found).y, expected_y, tolerance);                                             \
    } while (0)

#endif
