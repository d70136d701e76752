// GJK and EPA, compared with results computed by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/geometry/distance.h"
#include "tests/unit/geometry/near.h"
#include "tests/unit/geometry/placed.h"

static void proxy_of_each_kind_has_its_core(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CIRCLE, .circle = {{1.0f, 2.0f}, 3.0f}};
    proxy p = proxy_from_shape(&s);
    assert_int_equal(p.count, 1);
    assert_at(p.points[0], 1.0, 2.0, 0.0);
    assert_near(p.radius, 3.0, 0.0);
    s = (shape_geometry){.kind = SHAPE_CHAIN_SEGMENT,
                         .chain = {{-1.0f, 0.0f}, {{0.0f, 0.0f}, {1.0f, 0.0f}}, {2.0f, 0.0f}}};
    p = proxy_from_shape(&s);
    assert_int_equal(p.count, 2);
    assert_at(p.points[1], 1.0, 0.0, 0.0);
    assert_near(p.radius, 0.0, 0.0);
    s = (shape_geometry){.kind = SHAPE_CAPSULE, .capsule = {{0.0f, 1.0f}, {1.0f, 1.0f}, 0.5f}};
    p = proxy_from_shape(&s);
    assert_int_equal(p.count, 2);
    assert_near(p.radius, 0.5, 0.0);
}

static void gjk_boxes_face_to_face_is_the_gap(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    distance_result d = distance_proxies(&a, &a, at(5.0f, 0.5f, 0.0), false, NULL);
    assert_near(d.distance, 3.0, 1e-6);
    assert_at(d.normal, 1.0, 0.0, 1e-7);
    assert_near(d.point_a.x, 1.0, 1e-6);
    assert_near(d.point_b.x, 4.0, 1e-6);
    assert_near(d.point_a.y, d.point_b.y, 1e-6);
}

static void gjk_boxes_corner_to_corner_is_the_diagonal(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    distance_result d = distance_proxies(&a, &a, at(5.0f, 6.0f, 0.0), false, NULL);
    assert_near(d.distance, 5.0, 1e-6);
    assert_at(d.normal, 0.6, 0.8, 1e-7);
    assert_at(d.point_a, 1.0, 1.0, 1e-6);
    assert_at(d.point_b, 4.0, 5.0, 1e-6);
}

static void gjk_turned_box_is_nearest_with_its_corner(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    distance_result d = distance_proxies(&a, &a, at(0.25f, 4.0f, PI_D / 4.0), false, NULL);
    assert_near(d.distance, 3.0 - sqrt(2.0), 1e-6);
    assert_at(d.point_b, 0.25, 4.0 - sqrt(2.0), 1e-6);
    assert_at(d.point_a, 0.25, 1.0, 1e-6);
}

static void gjk_with_radii_shortens_the_distance(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.5f);
    proxy b = box_proxy(1.0f, 1.0f, 1.0f);
    distance_result d = distance_proxies(&a, &b, at(5.0f, 6.0f, 0.0), true, NULL);
    assert_near(d.distance, 3.5, 1e-6);
    assert_at(d.point_a, 1.0 + 0.3, 1.0 + 0.4, 1e-6);
    assert_at(d.point_b, 4.0 - 0.6, 5.0 - 0.8, 1e-6);
    // The roundings overlap, the cores do not: the distance is zero, but there is a direction.
    d = distance_proxies(&a, &b, at(2.6f, 2.8f, 0.0), true, NULL);
    assert_near(d.distance, 0.0, 0.0);
    assert_at(d.normal, 0.6, 0.8, 1e-6);
    assert_at(d.point_a, d.point_b.x, d.point_b.y, 0.0);
}

static void gjk_overlapping_cores_have_a_common_point_and_no_normal(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    distance_result d = distance_proxies(&a, &a, at(1.5f, 1.0f, 0.3), false, NULL);
    assert_near(d.distance, 0.0, 0.0);
    assert_at(d.normal, 0.0, 0.0, 0.0);
    assert_at(d.point_a, d.point_b.x, d.point_b.y, 1e-6);
    assert_true(fabsf(d.point_a.x) <= 1.0f && fabsf(d.point_a.y) <= 1.0f);
}

static void gjk_points_and_segments_are_measured_too(void **state)
{
    (void)state;
    proxy point = {.points = {{0.0f, 0.0f}}, .count = 1};
    proxy line = {.points = {{-1.0f, 0.0f}, {1.0f, 0.0f}}, .count = 2};
    assert_near(distance_proxies(&point, &point, at(3.0f, 4.0f, 0.0), false, NULL).distance, 5.0,
                1e-6);
    assert_near(distance_proxies(&point, &point, TRANSFORM_IDENTITY, false, NULL).distance, 0.0,
                0.0);
    assert_near(distance_proxies(&line, &point, at(0.3f, -2.0f, 0.0), false, NULL).distance, 2.0,
                1e-6);
    assert_near(distance_proxies(&line, &point, at(4.0f, 4.0f, 0.0), false, NULL).distance, 5.0,
                1e-6);
    assert_near(distance_proxies(&line, &line, at(0.5f, 0.25f, 0.0), false, NULL).distance, 0.25,
                1e-6);
    assert_near(distance_proxies(&line, &line, at(3.5f, 0.0f, 0.0), false, NULL).distance, 1.5,
                1e-6);
    assert_near(distance_proxies(&line, &line, at(0.0f, 0.5f, PI_D / 2.0), false, NULL).distance,
                0.0, 0.0);
}

static void gjk_nearly_touching_still_has_its_normal(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    transform t = at(0.5f, 2.0f, 0.0);
    t.p.y = nextafterf(2.0f, 3.0f);
    distance_result d = distance_proxies(&a, &a, t, false, NULL);
    assert_true(d.distance > 0.0f && d.distance < 3e-7f);
    assert_at(d.normal, 0.0, 1.0, 1e-6);
}

static void gjk_cache_out_of_range_is_ignored(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    distance_cache caches[] = {
        {.count = 3, .index_a = {0, 200, 1}, .index_b = {9, 1, 2}},
        {.count = 255, .index_a = {0}, .index_b = {0}},
        {.count = 3, .index_a = {1, 1, 1}, .index_b = {2, 2, 2}},
        {.count = 2, .index_a = {3, 3}, .index_b = {0, 0}},
    };
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        distance_result d = distance_proxies(&a, &a, at(5.0f, 6.0f, 0.0), false, &caches[i]);
        assert_near(d.distance, 5.0, 1e-6);
        assert_int_equal(caches[i].count, 1);
    }
}

static void gjk_cache_of_the_same_place_ends_in_one_round(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    distance_cache cache = {.count = 0};
    transform t = at(-3.0f, 4.0f, 0.4);
    distance_result first = distance_proxies(&a, &a, t, false, &cache);
    distance_result second = distance_proxies(&a, &a, t, false, &cache);
    assert_true(first.distance == second.distance);
    assert_int_equal(second.iterations, 1);
}

static void epa_boxes_are_as_deep_as_the_least_overlap(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    penetration_result p = penetration_proxies(&a, &a, at(1.75f, 0.5f, 0.0));
    assert_near(p.depth, 0.25, 1e-6);
    assert_at(p.normal, 1.0, 0.0, 1e-7);
    assert_near(p.point_a.x, 1.0, 1e-6);
    assert_near(p.point_b.x, 0.75, 1e-6);
    p = penetration_proxies(&a, &a, at(0.5f, -1.5f, 0.0));
    assert_near(p.depth, 0.5, 1e-6);
    assert_at(p.normal, 0.0, -1.0, 1e-7);
}

static void epa_turned_box_is_as_deep_as_its_corner(void **state)
{
    (void)state;
    proxy a = box_proxy(4.0f, 1.0f, 0.0f);
    proxy b = box_proxy(1.0f, 1.0f, 0.0f);
    penetration_result p = penetration_proxies(&a, &b, at(0.5f, 2.0f, PI_D / 4.0));
    assert_near(p.depth, sqrt(2.0) - 1.0, 1e-6);
    assert_at(p.normal, 0.0, 1.0, 1e-7);
    assert_at(p.point_b, 0.5, 2.0 - sqrt(2.0), 1e-6);
    assert_at(p.point_a, 0.5, 1.0, 1e-6);
}

static void epa_radii_deepen_and_distance_is_negative_depth(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.5f);
    // the cores are 1 m apart
    penetration_result p = penetration_proxies(&a, &a, at(2.6f, 2.8f, 0.0));
    assert_near(p.depth, 0.0, 1e-6);
    assert_at(p.normal, 0.6, 0.8, 1e-6);
    p = penetration_proxies(&a, &a, at(5.0f, 6.0f, 0.0));
    assert_near(p.depth, -4.0, 1e-6);
    assert_at(p.point_a, 1.3, 1.4, 1e-6);
    assert_at(p.point_b, 3.7, 4.6, 1e-6);
    p = penetration_proxies(&a, &a, at(1.5f, 0.0f, 0.0));
    assert_near(p.depth, 0.5 + 1.0, 1e-6);
}

static void epa_of_coincident_shapes_parts_them_the_short_way(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 3.0f, 0.0f);
    penetration_result p = penetration_proxies(&a, &a, TRANSFORM_IDENTITY);
    assert_near(p.depth, 2.0, 1e-6);
    assert_near(fabsf(p.normal.x), 1.0, 1e-7);
    proxy point = {.points = {{1.0f, 1.0f}}, .count = 1, .radius = 0.5f};
    p = penetration_proxies(&point, &point, TRANSFORM_IDENTITY);
    assert_near(p.depth, 1.0, 1e-6);
    assert_near(vec2_length(p.normal), 1.0, 1e-6);
    proxy line = {.points = {{-1.0f, -1.0f}, {1.0f, 1.0f}}, .count = 2, .radius = 0.25f};
    p = penetration_proxies(&line, &line, TRANSFORM_IDENTITY);
    assert_near(p.depth, 0.5, 1e-6); // across, where the cores have no width
    assert_near(fabsf(p.normal.x + p.normal.y), 0.0, 1e-6);
}

static void epa_crossed_segments_are_as_deep_as_the_shorter_end(void **state)
{
    (void)state;
    proxy line = {.points = {{-1.0f, 0.0f}, {1.0f, 0.0f}}, .count = 2};
    penetration_result p = penetration_proxies(&line, &line, at(0.25f, 0.5f, PI_D / 2.0));
    assert_near(p.depth, 0.5, 1e-6); // B reaches 0.5 below A, A 0.75 beyond B
    assert_at(p.normal, 0.0, 1.0, 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proxy_of_each_kind_has_its_core),
        cmocka_unit_test(gjk_boxes_face_to_face_is_the_gap),
        cmocka_unit_test(gjk_boxes_corner_to_corner_is_the_diagonal),
        cmocka_unit_test(gjk_turned_box_is_nearest_with_its_corner),
        cmocka_unit_test(gjk_with_radii_shortens_the_distance),
        cmocka_unit_test(gjk_overlapping_cores_have_a_common_point_and_no_normal),
        cmocka_unit_test(gjk_points_and_segments_are_measured_too),
        cmocka_unit_test(gjk_nearly_touching_still_has_its_normal),
        cmocka_unit_test(gjk_cache_out_of_range_is_ignored),
        cmocka_unit_test(gjk_cache_of_the_same_place_ends_in_one_round),
        cmocka_unit_test(epa_boxes_are_as_deep_as_the_least_overlap),
        cmocka_unit_test(epa_turned_box_is_as_deep_as_its_corner),
        cmocka_unit_test(epa_radii_deepen_and_distance_is_negative_depth),
        cmocka_unit_test(epa_of_coincident_shapes_parts_them_the_short_way),
        cmocka_unit_test(epa_crossed_segments_are_as_deep_as_the_shorter_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
