// Mass, centre and inertia by the formulas of the textbook.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/geometry/shape.h"
#include "tests/unit/geometry/near.h"

static void mass_of_a_disc_is_pi_r_squared(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CIRCLE, .circle = {{2.0f, -1.0f}, 0.5f}};
    mass_properties m = shape_mass(&s, 3.0f);
    double mass = 3.0 * PI_D * 0.25;
    assert_near(m.mass, mass, 1e-6);
    assert_at(m.center, 2.0, -1.0, 0.0);
    assert_near(m.inertia, 0.5 * mass * 0.25, 1e-6);
}

static void mass_of_a_box_is_width_times_height(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_POLYGON};
    assert_int_equal(
        polygon_make_box((vec2){4.0f, 3.0f}, (vec2){100.0f, 50.0f}, 0.6, 0.0f, &s.polygon, NULL),
        STATUS_OK);
    mass_properties m = shape_mass(&s, 2.0f);
    assert_near(m.mass, 24.0, 1e-4);
    assert_at(m.center, 100.0, 50.0, 1e-5);
    assert_near(m.inertia, 24.0 * (16.0 + 9.0) / 12.0, 2e-3); // m (w² + h²) / 12
}

static void mass_of_a_right_triangle_has_its_center_at_a_third(void **state)
{
    (void)state;
    const vec2 points[] = {{0.0f, 0.0f}, {3.0f, 0.0f}, {0.0f, 6.0f}};
    shape_geometry s = {.kind = SHAPE_POLYGON};
    assert_int_equal(polygon_make(points, 3, 0.0f, &s.polygon, NULL), STATUS_OK);
    mass_properties m = shape_mass(&s, 1.0f);
    assert_near(m.mass, 9.0, 1e-5);
    assert_at(m.center, 1.0, 2.0, 1e-6);
    assert_near(m.inertia, 9.0 * (9.0 + 36.0) / 18.0, 1e-4); // m (a² + b²) / 18
}

static void mass_of_a_capsule_is_a_box_and_two_half_discs(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CAPSULE, .capsule = {{-1.0f, 5.0f}, {1.0f, 5.0f}, 0.5f}};
    mass_properties m = shape_mass(&s, 1.0f);
    double disc = PI_D * 0.25;
    double box = 2.0 * 1.0;
    double c = 4.0 * 0.5 / (3.0 * PI_D);
    double inertia = box * (4.0 + 1.0) / 12.0 + disc * (0.5 * 0.25 - c * c + (1.0 + c) * (1.0 + c));
    assert_near(m.mass, box + disc, 1e-6);
    assert_at(m.center, 0.0, 5.0, 1e-7);
    assert_near(m.inertia, inertia, 1e-6);
}

// A box with rounding r is a cross of boxes and a disc in four quarters.
static void mass_of_a_rounded_box_counts_strips_and_sectors(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_POLYGON};
    assert_int_equal(
        polygon_make_box((vec2){2.0f, 2.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.5f, &s.polygon, NULL),
        STATUS_OK);
    mass_properties m = shape_mass(&s, 1.0f);
    assert_near(m.mass, 4.0 + 4.0 * 2.0 * 0.5 + PI_D * 0.25, 1e-5);
    assert_at(m.center, 0.0, 0.0, 1e-7);
    double core = 4.0 * 8.0 / 12.0;
    double strip = 1.0 * (4.0 + 0.25) / 12.0 + 1.0 * 1.25 * 1.25;
    double area = PI_D * 0.25 / 4.0;
    double c = 4.0 * 0.5 * sqrt(2.0) / (3.0 * PI_D); // centre of a quarter disc, from its corner
    double d = sqrt(2.0) + c;
    double quarter = area * (0.5 * 0.25 - c * c + d * d);
    assert_near(m.inertia, core + 4.0 * strip + 4.0 * quarter, 1e-5);
}

// The same capsule as a polygon that is hardly thicker than a line.
static void mass_of_a_thin_rounded_box_is_that_of_a_capsule(void **state)
{
    (void)state;
    shape_geometry thin = {.kind = SHAPE_POLYGON};
    assert_int_equal(
        polygon_make_box((vec2){2.0f, 0.001f}, (vec2){0.0f, 0.0f}, 0.0, 0.5f, &thin.polygon, NULL),
        STATUS_OK);
    shape_geometry round = {.kind = SHAPE_CAPSULE, .capsule = {{-1.0f, 0.0f}, {1.0f, 0.0f}, 0.5f}};
    mass_properties a = shape_mass(&thin, 1.0f);
    mass_properties b = shape_mass(&round, 1.0f);
    assert_near(a.mass, b.mass, 0.004);
    assert_near(a.inertia, b.inertia, 0.004);
}

static void mass_of_segments_is_nothing(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_SEGMENT, .segment = {{0.0f, 0.0f}, {2.0f, 2.0f}}};
    mass_properties m = shape_mass(&s, 5.0f);
    assert_true(m.mass == 0.0f && m.inertia == 0.0f);
    assert_at(m.center, 1.0, 1.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_of_a_disc_is_pi_r_squared),
        cmocka_unit_test(mass_of_a_box_is_width_times_height),
        cmocka_unit_test(mass_of_a_right_triangle_has_its_center_at_a_third),
        cmocka_unit_test(mass_of_a_capsule_is_a_box_and_two_half_discs),
        cmocka_unit_test(mass_of_a_rounded_box_counts_strips_and_sectors),
        cmocka_unit_test(mass_of_a_thin_rounded_box_is_that_of_a_capsule),
        cmocka_unit_test(mass_of_segments_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
