// Contact of two circles, crossing of two segments, crossing of circle and segment, compared with
// results computed by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/geometry/intersect.h"
#include "tests/unit/geometry/near.h"

static vec2d at(double x, double y)
{
    return (vec2d){x, y};
}

static void circles_contact_overlapping_has_normal_penetration_and_midpoint(void **state)
{
    (void)state;
    circle_contact c = intersect_circles(at(1.0, 2.0), 3.0, at(4.0, 6.0), 4.0);
    assert_true(c.touching);
    assert_at(c.normal, 0.6, 0.8, 1e-15); // the centres are 5 apart
    assert_near(c.penetration, 2.0, 1e-15);
    // The overlap runs from 1 to 3 along the normal: its middle is 2 from the first centre.
    assert_at(c.point, 1.0 + 2.0 * 0.6, 2.0 + 2.0 * 0.8, 1e-15);
}

static void circles_contact_in_either_order_has_the_same_point(void **state)
{
    (void)state;
    circle_contact ab = intersect_circles(at(0.0, 0.0), 1.0, at(1.5, 0.5), 1.25);
    circle_contact ba = intersect_circles(at(1.5, 0.5), 1.25, at(0.0, 0.0), 1.0);
    assert_at(ba.point, ab.point.x, ab.point.y, 1e-15);
    assert_at(ba.normal, -ab.normal.x, -ab.normal.y, 0.0);
    assert_near(ba.penetration, ab.penetration, 0.0);
}

static void circles_contact_just_touching_has_no_penetration(void **state)
{
    (void)state;
    circle_contact c = intersect_circles(at(0.0, 0.0), 1.0, at(3.0, 0.0), 2.0);
    assert_true(c.touching);
    assert_near(c.penetration, 0.0, 0.0);
    assert_at(c.point, 1.0, 0.0, 0.0);
}

static void circles_contact_apart_is_none_and_tells_the_gap(void **state)
{
    (void)state;
    circle_contact c = intersect_circles(at(0.0, 0.0), 1.0, at(0.0, 5.0), 2.0);
    assert_false(c.touching);
    assert_near(c.penetration, -2.0, 0.0);
    assert_at(c.normal, 0.0, 1.0, 0.0);
    assert_at(c.point, 0.0, 2.0, 0.0); // midway in the gap from 1 to 3
}

static void circles_contact_with_equal_centers_takes_the_x_axis(void **state)
{
    (void)state;
    circle_contact c = intersect_circles(at(7.0, 7.0), 2.0, at(7.0, 7.0), 1.0);
    assert_true(c.touching);
    assert_at(c.normal, 1.0, 0.0, 0.0);
    assert_near(c.penetration, 3.0, 0.0);
    assert_at(c.point, 7.5, 7.0, 0.0);
}

static void circles_contact_100_km_away_is_as_at_the_origin(void **state)
{
    (void)state;
    circle_contact c = intersect_circles(at(1e5, -1e5), 1.0, at(1e5 + 1.5, -1e5), 1.0);
    assert_near(c.penetration, 0.5, 1e-10);
    assert_at(c.point, 1e5 + 0.75, -1e5, 1e-10);
}

static void segments_crossing_in_the_middle_is_a_point(void **state)
{
    (void)state;
    segment_crossing s = intersect_segments(at(0.0, 0.0), at(4.0, 4.0), at(0.0, 2.0), at(4.0, 0.0));
    // y = x and y = 2 - x/2 meet at 4/3.
    assert_int_equal(s.kind, CROSSING_POINT);
    assert_at(s.point, 4.0 / 3.0, 4.0 / 3.0, 1e-15);
    assert_near(s.t, 1.0 / 3.0, 1e-15);
    assert_near(s.u, 1.0 / 3.0, 1e-15);
    assert_at(s.point_end, s.point.x, s.point.y, 0.0);
}

static void segments_crossing_at_an_end_counts(void **state)
{
    (void)state;
    segment_crossing s = intersect_segments(at(0.0, 0.0), at(2.0, 0.0), at(2.0, 0.0), at(5.0, 7.0));
    assert_int_equal(s.kind, CROSSING_POINT);
    assert_at(s.point, 2.0, 0.0, 1e-15);
    assert_near(s.t, 1.0, 1e-15);
    assert_near(s.u, 0.0, 1e-15);
    s = intersect_segments(at(0.0, 0.0), at(2.0, 0.0), at(1.0, 0.0), at(1.0, -3.0));
    assert_int_equal(s.kind, CROSSING_POINT);
    assert_near(s.t, 0.5, 1e-15);
}

static void segments_crossing_of_lines_beyond_the_ends_is_none(void **state)
{
    (void)state;
    segment_crossing s = intersect_segments(at(0.0, 0.0), at(1.0, 1.0), at(0.0, 4.0), at(4.0, 0.0));
    assert_int_equal(s.kind, CROSSING_NONE);
    s = intersect_segments(at(0.0, 0.0), at(4.0, 4.0), at(0.0, 4.0), at(1.0, 3.0));
    assert_int_equal(s.kind, CROSSING_NONE);
}

static void segments_crossing_of_parallels_is_none(void **state)
{
    (void)state;
    segment_crossing s = intersect_segments(at(0.0, 0.0), at(4.0, 2.0), at(0.0, 1.0), at(4.0, 3.0));
    assert_int_equal(s.kind, CROSSING_NONE);
}

static void segments_crossing_in_one_line_is_the_common_stretch(void **state)
{
    (void)state;
    segment_crossing s = intersect_segments(at(0.0, 0.0), at(6.0, 3.0), at(8.0, 4.0), at(2.0, 1.0));
    assert_int_equal(s.kind, CROSSING_OVERLAP);
    assert_at(s.point, 2.0, 1.0, 1e-14);
    assert_at(s.point_end, 6.0, 3.0, 1e-14);
    // One segment lies within the other.
    s = intersect_segments(at(2.0, 0.0), at(3.0, 0.0), at(0.0, 0.0), at(9.0, 0.0));
    assert_int_equal(s.kind, CROSSING_OVERLAP);
    assert_at(s.point, 2.0, 0.0, 1e-14);
    assert_at(s.point_end, 3.0, 0.0, 1e-14);
    // The segments meet end to end: a point.
    s = intersect_segments(at(0.0, 0.0), at(2.0, 2.0), at(2.0, 2.0), at(5.0, 5.0));
    assert_int_equal(s.kind, CROSSING_POINT);
    assert_at(s.point, 2.0, 2.0, 1e-14);
    // The segments lie in one line, apart.
    s = intersect_segments(at(0.0, 0.0), at(1.0, 1.0), at(2.0, 2.0), at(3.0, 3.0));
    assert_int_equal(s.kind, CROSSING_NONE);
}

static void segments_crossing_in_one_line_but_for_rounding_is_found(void **state)
{
    (void)state;
    // 0.1, 0.2 … have no exact binary form: the four points are in one line only to rounding.
    segment_crossing s = intersect_segments(at(0.1, 0.3), at(0.4, 1.2), at(0.2, 0.6), at(0.7, 2.1));
    assert_int_equal(s.kind, CROSSING_OVERLAP);
    assert_at(s.point, 0.2, 0.6, 1e-12);
    assert_at(s.point_end, 0.4, 1.2, 1e-12);
}

static void segments_crossing_nearly_parallel_is_a_point(void **state)
{
    (void)state;
    segment_crossing s =
        intersect_segments(at(-1.0, 0.0), at(1.0, 0.0), at(-1.0, -1e-9), at(1.0, 1e-9));
    assert_int_equal(s.kind, CROSSING_POINT);
    assert_at(s.point, 0.0, 0.0, 1e-6);
}

static void segments_crossing_of_points_is_by_place(void **state)
{
    (void)state;
    vec2d p = at(1.0, 1.0);
    assert_int_equal(intersect_segments(p, p, p, p).kind, CROSSING_POINT);
    assert_int_equal(intersect_segments(p, p, at(0.0, 0.0), at(3.0, 3.0)).kind, CROSSING_POINT);
    assert_int_equal(intersect_segments(at(0.0, 0.0), at(3.0, 3.0), p, p).kind, CROSSING_POINT);
    assert_int_equal(intersect_segments(p, p, at(0.0, 0.0), at(3.0, 0.0)).kind, CROSSING_NONE);
    assert_int_equal(intersect_segments(p, p, at(2.0, 2.0), at(2.0, 2.0)).kind, CROSSING_NONE);
}

static void circle_segment_crossing_right_through_has_both_points(void **state)
{
    (void)state;
    circle_crossing c = intersect_circle_segment(at(0.0, 0.0), 5.0, at(-10.0, 3.0), at(10.0, 3.0));
    assert_int_equal(c.count, 2);
    assert_at(c.points[0], -4.0, 3.0, 1e-14); // 3, 4, 5
    assert_at(c.points[1], 4.0, 3.0, 1e-14);
    assert_near(c.t[0], 0.3, 1e-15);
    assert_near(c.t[1], 0.7, 1e-15);
    assert_at(c.nearest, 0.0, 3.0, 1e-15);
    assert_near(c.distance, 3.0, 1e-15);
}

static void circle_segment_crossing_is_cut_off_at_the_ends(void **state)
{
    (void)state;
    // The segment begins inside: it crosses only on the way out.
    circle_crossing c = intersect_circle_segment(at(0.0, 0.0), 5.0, at(0.0, 3.0), at(10.0, 3.0));
    assert_int_equal(c.count, 1);
    assert_at(c.points[0], 4.0, 3.0, 1e-14);
    assert_near(c.t[0], 0.4, 1e-15);
    // The segment ends inside: it crosses only on the way in.
    c = intersect_circle_segment(at(0.0, 0.0), 5.0, at(-10.0, 3.0), at(0.0, 3.0));
    assert_int_equal(c.count, 1);
    assert_at(c.points[0], -4.0, 3.0, 1e-14);
    // The segment lies wholly inside: it does not cross the circle.
    c = intersect_circle_segment(at(0.0, 0.0), 5.0, at(-1.0, 1.0), at(2.0, 1.0));
    assert_int_equal(c.count, 0);
    assert_near(c.distance, 1.0, 1e-15);
    // The line would cross, but the segment ends before.
    c = intersect_circle_segment(at(0.0, 0.0), 5.0, at(-10.0, 3.0), at(-6.0, 3.0));
    assert_int_equal(c.count, 0);
    assert_at(c.nearest, -6.0, 3.0, 0.0);
    assert_near(c.distance, sqrt(45.0), 1e-14);
}

static void circle_segment_crossing_ends_on_the_circle_count(void **state)
{
    (void)state;
    circle_crossing c = intersect_circle_segment(at(0.0, 0.0), 5.0, at(-4.0, 3.0), at(4.0, 3.0));
    assert_int_equal(c.count, 2);
    assert_near(c.t[0], 0.0, 1e-15);
    assert_near(c.t[1], 1.0, 1e-15);
}

static void circle_segment_crossing_of_a_tangent_is_one_point(void **state)
{
    (void)state;
    circle_crossing c = intersect_circle_segment(at(2.0, 0.0), 1.0, at(-3.0, 1.0), at(7.0, 1.0));
    assert_int_equal(c.count, 1);
    assert_at(c.points[0], 2.0, 1.0, 1e-12);
    assert_near(c.t[0], 0.5, 1e-12);
}

static void circle_segment_crossing_far_away_is_none(void **state)
{
    (void)state;
    circle_crossing c = intersect_circle_segment(at(0.0, 0.0), 1.0, at(-3.0, 2.0), at(3.0, 2.0));
    assert_int_equal(c.count, 0);
    assert_at(c.nearest, 0.0, 2.0, 1e-15);
    assert_near(c.distance, 2.0, 1e-15);
}

static void circle_segment_crossing_of_a_point_is_by_distance(void **state)
{
    (void)state;
    circle_crossing c = intersect_circle_segment(at(0.0, 0.0), 5.0, at(3.0, 4.0), at(3.0, 4.0));
    assert_int_equal(c.count, 1);
    assert_at(c.points[0], 3.0, 4.0, 0.0);
    c = intersect_circle_segment(at(0.0, 0.0), 5.0, at(3.0, 3.0), at(3.0, 3.0));
    assert_int_equal(c.count, 0);
    assert_near(c.distance, sqrt(18.0), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_contact_overlapping_has_normal_penetration_and_midpoint),
        cmocka_unit_test(circles_contact_in_either_order_has_the_same_point),
        cmocka_unit_test(circles_contact_just_touching_has_no_penetration),
        cmocka_unit_test(circles_contact_apart_is_none_and_tells_the_gap),
        cmocka_unit_test(circles_contact_with_equal_centers_takes_the_x_axis),
        cmocka_unit_test(circles_contact_100_km_away_is_as_at_the_origin),
        cmocka_unit_test(segments_crossing_in_the_middle_is_a_point),
        cmocka_unit_test(segments_crossing_at_an_end_counts),
        cmocka_unit_test(segments_crossing_of_lines_beyond_the_ends_is_none),
        cmocka_unit_test(segments_crossing_of_parallels_is_none),
        cmocka_unit_test(segments_crossing_in_one_line_is_the_common_stretch),
        cmocka_unit_test(segments_crossing_in_one_line_but_for_rounding_is_found),
        cmocka_unit_test(segments_crossing_nearly_parallel_is_a_point),
        cmocka_unit_test(segments_crossing_of_points_is_by_place),
        cmocka_unit_test(circle_segment_crossing_right_through_has_both_points),
        cmocka_unit_test(circle_segment_crossing_is_cut_off_at_the_ends),
        cmocka_unit_test(circle_segment_crossing_ends_on_the_circle_count),
        cmocka_unit_test(circle_segment_crossing_of_a_tangent_is_one_point),
        cmocka_unit_test(circle_segment_crossing_far_away_is_none),
        cmocka_unit_test(circle_segment_crossing_of_a_point_is_by_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
