// Shape casts and rays, compared with results computed by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/geometry/distance.h"
#include "tests/unit/geometry/near.h"
#include "tests/unit/geometry/placed.h"

static void cast_box_against_box_stops_at_the_face(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    cast_result c = cast_proxies(&a, &a, at(6.0f, 0.5f, 0.0), (vec2){-8.0f, 0.0f});
    assert_true(c.hit);
    assert_near(c.fraction, 0.5, 1e-6);
    assert_at(c.normal, 1.0, 0.0, 1e-6);
    assert_near(c.point.x, 1.0, 1e-6);
    assert_true(c.point.y >= -0.5f - 1e-6f && c.point.y <= 1.0f + 1e-6f);
}

static void cast_circle_against_circle_solves_the_quadratic(void **state)
{
    (void)state;
    proxy a = {.points = {{0.0f, 0.0f}}, .count = 1, .radius = 2.0f};
    proxy b = {.points = {{0.0f, 0.0f}}, .count = 1, .radius = 3.0f};
    // Along y = 3 the centres are 5 apart at x = 4.
    cast_result c = cast_proxies(&a, &b, at(14.0f, 3.0f, 0.0), (vec2){-20.0f, 0.0f});
    assert_true(c.hit);
    assert_near(c.fraction, 0.5, 1e-6);
    assert_at(c.normal, 0.8, 0.6, 1e-5);
    assert_at(c.point, 1.6, 1.2, 1e-5);
}

static void cast_that_misses_or_ends_before_hits_nothing(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    assert_false(cast_proxies(&a, &a, at(6.0f, 2.5f, 0.0), (vec2){-12.0f, 0.0f}).hit);
    assert_false(cast_proxies(&a, &a, at(6.0f, 0.0f, 0.0), (vec2){-3.9f, 0.0f}).hit);
    assert_false(cast_proxies(&a, &a, at(6.0f, 0.0f, 0.0), (vec2){8.0f, 0.0f}).hit);
    assert_false(cast_proxies(&a, &a, at(6.0f, 0.0f, 0.0), (vec2){0.0f, 0.0f}).hit);
}

static void cast_from_overlap_hits_at_once_without_normal(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    cast_result c = cast_proxies(&a, &a, at(1.0f, 0.0f, 0.0), (vec2){5.0f, 0.0f});
    assert_true(c.hit);
    assert_near(c.fraction, 0.0, 0.0);
    assert_at(c.normal, 0.0, 0.0, 0.0);
    proxy round = box_proxy(1.0f, 1.0f, 0.5f); // only the roundings overlap
    c = cast_proxies(&round, &round, at(2.5f, 0.0f, 0.0), (vec2){5.0f, 0.0f});
    assert_true(c.hit);
    assert_near(c.fraction, 0.0, 0.0);
    assert_at(c.normal, 0.0, 0.0, 0.0);
}

static void cast_corner_against_corner_hits_in_the_middle_of_the_way(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    cast_result c = cast_proxies(&a, &a, at(4.0f, 4.0f, PI_D / 4.0), (vec2){-6.0f, -6.0f});
    // The face of B, 1 from its centre, meets A's corner when the centres are sqrt(2) + 1 apart.
    assert_true(c.hit);
    double start = 4.0 * sqrt(2.0);
    assert_near(c.fraction, (start - sqrt(2.0) - 1.0) / (6.0 * sqrt(2.0)), 1e-6);
    assert_at(c.point, 1.0, 1.0, 1e-5);
    assert_at(c.normal, sqrt(0.5), sqrt(0.5), 1e-6);
}

static void ray_against_circle_hits_front_and_not_back(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CIRCLE, .circle = {{1.0f, 0.0f}, 5.0f}};
    cast_result c = ray_shape(&s, (vec2){-9.0f, 3.0f}, (vec2){20.0f, 0.0f});
    assert_true(c.hit);
    assert_near(c.fraction, 6.0 / 20.0, 1e-6); // at x = 1 - 4
    assert_at(c.point, -3.0, 3.0, 1e-5);
    assert_at(c.normal, -0.8, 0.6, 1e-6);
    assert_false(ray_shape(&s, (vec2){-9.0f, 3.0f}, (vec2){5.0f, 0.0f}).hit);
    assert_false(ray_shape(&s, (vec2){-9.0f, 3.0f}, (vec2){-20.0f, 0.0f}).hit);
    assert_false(ray_shape(&s, (vec2){-9.0f, 6.0f}, (vec2){20.0f, 0.0f}).hit);
}

static void ray_against_box_hits_the_face_it_faces(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_POLYGON};
    assert_int_equal(
        polygon_make_box((vec2){2.0f, 2.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &s.polygon, NULL),
        STATUS_OK);
    cast_result c = ray_shape(&s, (vec2){0.5f, 5.0f}, (vec2){0.0f, -8.0f});
    assert_true(c.hit);
    assert_near(c.fraction, 0.5, 1e-7);
    assert_at(c.point, 0.5, 1.0, 1e-6);
    assert_at(c.normal, 0.0, 1.0, 0.0);
    assert_false(ray_shape(&s, (vec2){1.5f, 5.0f}, (vec2){0.0f, -8.0f}).hit);
}

static void ray_against_rounded_box_hits_face_and_corner(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_POLYGON};
    assert_int_equal(
        polygon_make_box((vec2){2.0f, 2.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.5f, &s.polygon, NULL),
        STATUS_OK);
    cast_result c = ray_shape(&s, (vec2){0.5f, 5.5f}, (vec2){0.0f, -8.0f});
    assert_near(c.fraction, 0.5, 1e-6);
    assert_at(c.normal, 0.0, 1.0, 1e-6);
    c = ray_shape(&s, (vec2){1.3f, 5.0f}, (vec2){0.0f, -10.0f}); // 0.3 beside the corner's centre
    assert_true(c.hit);
    assert_at(c.point, 1.3, 1.4, 1e-5);
    assert_at(c.normal, 0.6, 0.8, 1e-5);
}

static void ray_against_capsule_hits_side_and_end(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CAPSULE, .capsule = {{-1.0f, 0.0f}, {1.0f, 0.0f}, 0.5f}};
    cast_result c = ray_shape(&s, (vec2){0.25f, -4.5f}, (vec2){0.0f, 8.0f});
    assert_near(c.fraction, 0.5, 1e-6);
    assert_at(c.normal, 0.0, -1.0, 1e-6);
    c = ray_shape(&s, (vec2){5.5f, 0.0f}, (vec2){-8.0f, 0.0f});
    assert_near(c.fraction, 0.5, 1e-6);
    assert_at(c.normal, 1.0, 0.0, 1e-6);
}

static void ray_from_inside_hits_at_once_without_normal(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, 1.0f}};
    cast_result c = ray_shape(&s, (vec2){0.5f, 0.0f}, (vec2){5.0f, 0.0f});
    assert_true(c.hit);
    assert_near(c.fraction, 0.0, 0.0);
    assert_at(c.normal, 0.0, 0.0, 0.0);
    assert_at(c.point, 0.5, 0.0, 0.0);
}

static void ray_against_segment_hits_from_both_sides(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_SEGMENT, .segment = {{-1.0f, 0.0f}, {1.0f, 0.0f}}};
    cast_result down = ray_shape(&s, (vec2){0.5f, 2.0f}, (vec2){0.0f, -4.0f});
    cast_result up = ray_shape(&s, (vec2){0.5f, -2.0f}, (vec2){0.0f, 4.0f});
    assert_true(down.hit && up.hit);
    assert_at(down.normal, 0.0, 1.0, 0.0);
    assert_at(up.normal, 0.0, -1.0, 0.0);
    assert_near(up.fraction, 0.5, 1e-7);
    cast_result along = ray_shape(&s, (vec2){-3.0f, 0.0f}, (vec2){8.0f, 0.0f});
    assert_true(along.hit);
    assert_near(along.fraction, 0.25, 1e-7);
    assert_at(along.normal, -1.0, 0.0, 0.0);
    assert_false(ray_shape(&s, (vec2){1.5f, 2.0f}, (vec2){0.0f, -4.0f}).hit);
}

static void ray_against_chain_hits_from_the_right_side_only(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CHAIN_SEGMENT,
                        .chain = {{2.0f, 0.0f}, {{1.0f, 0.0f}, {-1.0f, 0.0f}}, {-2.0f, 0.0f}}};
    assert_true(ray_shape(&s, (vec2){0.5f, 2.0f}, (vec2){0.0f, -4.0f}).hit);
    assert_false(ray_shape(&s, (vec2){0.5f, -2.0f}, (vec2){0.0f, 4.0f}).hit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cast_box_against_box_stops_at_the_face),
        cmocka_unit_test(cast_circle_against_circle_solves_the_quadratic),
        cmocka_unit_test(cast_that_misses_or_ends_before_hits_nothing),
        cmocka_unit_test(cast_from_overlap_hits_at_once_without_normal),
        cmocka_unit_test(cast_corner_against_corner_hits_in_the_middle_of_the_way),
        cmocka_unit_test(ray_against_circle_hits_front_and_not_back),
        cmocka_unit_test(ray_against_box_hits_the_face_it_faces),
        cmocka_unit_test(ray_against_rounded_box_hits_face_and_corner),
        cmocka_unit_test(ray_against_capsule_hits_side_and_end),
        cmocka_unit_test(ray_from_inside_hits_at_once_without_normal),
        cmocka_unit_test(ray_against_segment_hits_from_both_sides),
        cmocka_unit_test(ray_against_chain_hits_from_the_right_side_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
