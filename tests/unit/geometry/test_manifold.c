// Manifolds of boxes, circles, capsules and segments, compared with points, depths, normals and ids
// computed by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/geometry/manifold.h"
#include "tests/unit/geometry/near.h"
#include "tests/unit/geometry/placed.h"

static polygon box_of(float width, float height, float radius)
{
    polygon p;
    assert_int_equal(
        polygon_make_box((vec2){width, height}, (vec2){0.0f, 0.0f}, 0.0, radius, &p, NULL),
        STATUS_OK);
    return p;
}

// The point with the smaller x (or smaller y, if x is equal): the order of points is not fixed.
static const manifold_point *left_point(const manifold *m)
{
    return m->count == 2 && m->points[1].point.x < m->points[0].point.x ? &m->points[1]
                                                                        : &m->points[0];
}

static const manifold_point *right_point(const manifold *m)
{
    return left_point(m) == &m->points[0] && m->count == 2 ? &m->points[1] : &m->points[0];
}

static void circles_overlapping_touch_midway(void **state)
{
    (void)state;
    circle a = {{0.0f, 0.0f}, 1.0f};
    circle b = {{1.0f, 0.0f}, 0.5f};
    // B's own centre lies at (1, 0) in its frame; the frame is turned by a quarter and put at (1.4,
    // -1).
    manifold m = manifold_circles(&a, &b, at(1.4f, -1.0f, PI_D / 2.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 1.0, 0.0, 1e-6);
    assert_near(m.points[0].separation, -0.1, 1e-6);
    assert_at(m.points[0].point, 0.95, 0.0, 1e-6);
}

static void circles_with_one_center_touch_with_a_unit_normal(void **state)
{
    (void)state;
    circle a = {{2.0f, 2.0f}, 1.0f};
    manifold m = manifold_circles(&a, &a, TRANSFORM_IDENTITY);
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 1.0, 0.0, 0.0);
    assert_near(m.points[0].separation, -2.0, 1e-6);
}

static void circles_apart_touch_up_to_the_speculative_distance(void **state)
{
    (void)state;
    circle a = {{0.0f, 0.0f}, 1.0f};
    assert_int_equal(manifold_circles(&a, &a, at(2.019f, 0.0f, 0.0)).count, 1);
    assert_int_equal(manifold_circles(&a, &a, at(2.021f, 0.0f, 0.0)).count, 0);
}

static void boxes_separating_axis_keeps_them_apart(void **state)
{
    (void)state;
    polygon a = box_of(2.0f, 2.0f, 0.0f);
    polygon b = box_of(1.0f, 1.0f, 0.0f);
    assert_int_equal(manifold_polygons(&a, &b, at(1.6f, 0.0f, 0.0)).count, 0);  // A's x
    assert_int_equal(manifold_polygons(&a, &b, at(0.0f, -1.6f, 0.0)).count, 0); // A's y
    // Only B's axis separates them: its corner is at the height of A's corner, beside it.
    assert_int_equal(manifold_polygons(&a, &b, at(1.5f, 1.5f, PI_D / 4.0)).count, 0);
    // Here no axis separates them: they touch.
    assert_int_equal(manifold_polygons(&a, &b, at(1.3f, 1.3f, PI_D / 4.0)).count, 1);
}

static void boxes_separating_axis_of_least_overlap_is_the_normal(void **state)
{
    (void)state;
    polygon a = box_of(2.0f, 2.0f, 0.0f);
    manifold m = manifold_polygons(&a, &a, at(1.9f, 0.5f, 0.0)); // 0.1 deep in x, 1.5 in y
    assert_int_equal(m.count, 2);
    assert_at(m.normal, 1.0, 0.0, 1e-6);
    for (int i = 0; i < 2; i++) {
        assert_near(m.points[i].separation, -0.1, 1e-6);
        assert_near(m.points[i].point.x, 0.95, 1e-6); // midway between 0.9 and 1
    }
    float low = float_min(m.points[0].point.y, m.points[1].point.y);
    float high = float_max(m.points[0].point.y, m.points[1].point.y);
    assert_near(low, -0.5, 1e-3); // the common stretch
    assert_near(high, 1.0, 1e-3);
}

static void boxes_one_on_the_other_touch_in_two_points(void **state)
{
    (void)state;
    polygon a = box_of(4.0f, 2.0f, 0.0f);
    polygon b = box_of(1.0f, 1.0f, 0.0f);
    manifold m = manifold_polygons(&a, &b, at(0.25f, 1.49f, 0.0));
    assert_int_equal(m.count, 2);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_at(left_point(&m)->point, -0.25, 0.995, 1e-6);
    assert_at(right_point(&m)->point, 0.75, 0.995, 1e-6);
    assert_near(left_point(&m)->separation, -0.01, 1e-6);
    assert_int_not_equal(m.points[0].id, m.points[1].id);
}

static void boxes_corner_on_face_touch_in_one_point(void **state)
{
    (void)state;
    polygon a = box_of(4.0f, 2.0f, 0.0f);
    polygon b = box_of(1.0f, 1.0f, 0.0f);
    float height = 1.0f + 0.70710678f - 0.02f;
    manifold m = manifold_polygons(&a, &b, at(0.5f, height, PI_D / 4.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_near(m.points[0].separation, -0.02, 1e-6);
    assert_at(m.points[0].point, 0.5, 0.99, 1e-6);
}

static void boxes_corner_to_corner_apart_have_the_direction_between(void **state)
{
    (void)state;
    polygon a = box_of(2.0f, 2.0f, 0.0f);
    manifold m = manifold_polygons(&a, &a, at(2.006f, 2.008f, 0.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.6, 0.8, 1e-3);
    assert_near(m.points[0].separation, 0.01, 1e-5);
    assert_at(m.points[0].point, 1.003, 1.004, 1e-5);
}

static void boxes_one_within_the_other_leave_by_the_nearest_side(void **state)
{
    (void)state;
    polygon a = box_of(10.0f, 10.0f, 0.0f);
    polygon b = box_of(1.0f, 1.0f, 0.0f);
    manifold m = manifold_polygons(&a, &b, at(-4.0f, 0.5f, 0.3));
    assert_true(m.count >= 1);
    assert_at(m.normal, -1.0, 0.0, 1e-6);
    double reach = 0.5 * (cos(0.3) + sin(0.3)); // half width of the turned box along x
    double deepest = fmin((double)m.points[0].separation, (double)m.points[m.count - 1].separation);
    assert_near(deepest, -(1.0 + reach), 1e-5);
}

static void boxes_rounded_corners_touch_between_the_corners(void **state)
{
    (void)state;
    polygon a = box_of(2.0f, 2.0f, 0.5f);
    polygon b = box_of(2.0f, 2.0f, 0.25f);
    // The cores' corners (1, 1) and (1.42, 1.56) are 0.7 apart, the roundings add up to 0.75.
    manifold m = manifold_polygons(&a, &b, at(2.42f, 2.56f, 0.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.6, 0.8, 1e-5);
    assert_near(m.points[0].separation, -0.05, 1e-5);
    // A's surface is 0.5 from the corner, B's 0.45: midway 0.475.
    assert_at(m.points[0].point, 1.0 + 0.6 * 0.475, 1.0 + 0.8 * 0.475, 1e-5);
}

static void boxes_rounded_faces_touch_in_two_points(void **state)
{
    (void)state;
    polygon a = box_of(2.0f, 2.0f, 0.5f);
    manifold m = manifold_polygons(&a, &a, at(0.5f, 2.98f, 0.0));
    assert_int_equal(m.count, 2);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_near(m.points[0].separation, -0.02, 1e-5);
    assert_near(m.points[1].separation, -0.02, 1e-5);
    assert_near(m.points[0].point.y, 1.49, 1e-5);
}

static bool same_ids(const manifold *a, const manifold *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (int i = 0; i < a->count; i++) {
        bool found = false;
        for (int j = 0; j < b->count; j++) {
            found = found || a->points[i].id == b->points[j].id;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static void ids_stay_while_a_box_slides(void **state)
{
    (void)state;
    polygon a = box_of(10.0f, 2.0f, 0.0f);
    polygon b = box_of(1.0f, 1.0f, 0.0f);
    manifold first = manifold_polygons(&a, &b, at(-5.2f, 1.495f, 0.0));
    for (int i = 0; i < 100; i++) { // positions over both ends of the floor
        manifold m = manifold_polygons(&a, &b, at(-5.2f + 0.104f * (float)i, 1.495f, 0.0));
        assert_int_equal(m.count, 2);
        assert_true(same_ids(&m, &first));
    }
}

static void ids_stay_when_the_reference_changes(void **state)
{
    (void)state;
    polygon a = box_of(1.0f, 1.0f, 0.0f);
    polygon b = box_of(1.0f, 1.0f, 0.0f);
    manifold level = manifold_polygons(&a, &b, at(0.3f, 0.995f, 0.0));
    bool flipped = false;
    for (int i = -8; i <= 8; i++) {
        manifold m = manifold_polygons(&a, &b, at(0.3f, 0.995f, 0.001 * i));
        assert_int_equal(m.count, 2);
        assert_true(same_ids(&m, &level));
        flipped = flipped || m.normal.x != 0.0f;
    }
    assert_true(flipped); // otherwise the test proves nothing
}

static void ids_stay_when_a_corner_rolls_over_its_balance(void **state)
{
    (void)state;
    polygon a = box_of(10.0f, 2.0f, 0.0f);
    polygon b = box_of(1.0f, 1.0f, 0.0f);
    manifold first = manifold_polygons(&a, &b, at(0.0f, 1.70f, PI_D / 4.0));
    // The box stands on its corner, turned to both sides of 45 degrees.
    for (int i = -20; i <= 20; i++) {
        manifold m = manifold_polygons(&a, &b, at(0.0f, 1.70f, PI_D / 4.0 + 0.002 * i));
        assert_int_equal(m.count, 1);
        assert_int_equal(m.points[0].id, first.points[0].id);
        // The other case: A's corner on B's face.
        transform t = at(0.0f, 1.70f, PI_D / 4.0 + 0.002 * i);
        manifold turned = manifold_polygons(&b, &a, transform_inv_mul(t, TRANSFORM_IDENTITY));
        manifold again = manifold_polygons(
            &b, &a, transform_inv_mul(at(0.0f, 1.70f, PI_D / 4.0 + 0.04), TRANSFORM_IDENTITY));
        assert_int_equal(turned.count, 1);
        assert_int_equal(turned.points[0].id, again.points[0].id);
    }
}

static void reference_stays_with_a_while_both_are_as_good(void **state)
{
    (void)state;
    polygon a = box_of(1.0f, 1.0f, 0.0f);
    // B's axis is better by up to 0.1 mm, which is too little for a change
    for (int i = -20; i <= 20; i++) {
        manifold m = manifold_polygons(&a, &a, at(0.2f, 0.996f, 1e-5 * i));
        assert_true(m.normal.x == 0.0f && m.normal.y == 1.0f);
    }
}

static void polygon_and_circle_touch_at_face_corner_and_inside(void **state)
{
    (void)state;
    polygon a = box_of(2.0f, 2.0f, 0.0f);
    circle b = {{0.0f, 0.0f}, 0.5f};
    manifold m = manifold_polygon_circle(&a, &b, at(0.5f, 1.4f, 0.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_near(m.points[0].separation, -0.1, 1e-6);
    assert_at(m.points[0].point, 0.5, 0.95, 1e-6);
    m = manifold_polygon_circle(&a, &b, at(1.3f, 1.4f, 0.0)); // 0.3, 0.4 off the corner
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.6, 0.8, 1e-5);
    assert_near(m.points[0].separation, 0.0, 1e-6);
    assert_at(m.points[0].point, 1.3, 1.4, 0.51);
    m = manifold_polygon_circle(&a, &b, at(0.1f, -0.8f, 0.0)); // centre inside
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.0, -1.0, 1e-6);
    assert_near(m.points[0].separation, -0.7, 1e-6);
    assert_int_equal(manifold_polygon_circle(&a, &b, at(1.4f, 1.4f, 0.0)).count,
                     0); // past the corner
}

static void capsules_side_by_side_touch_in_two_points(void **state)
{
    (void)state;
    capsule a = {{-1.0f, 0.0f}, {1.0f, 0.0f}, 0.5f};
    manifold m = manifold_capsules(&a, &a, at(0.5f, 0.98f, 0.0));
    assert_int_equal(m.count, 2);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_at(left_point(&m)->point, -0.5, 0.49, 1e-3);
    assert_at(right_point(&m)->point, 1.0, 0.49, 1e-3);
    assert_near(m.points[0].separation, -0.02, 1e-6);
}

static void capsules_end_to_end_crossed_and_within(void **state)
{
    (void)state;
    capsule a = {{-1.0f, 0.0f}, {1.0f, 0.0f}, 0.5f};
    manifold m = manifold_capsules(&a, &a, at(2.99f, 0.0f, 0.0)); // in one line
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 1.0, 0.0, 1e-6);
    assert_near(m.points[0].separation, -0.01, 1e-6);
    assert_at(m.points[0].point, 1.495, 0.0, 1e-5);
    m = manifold_capsules(&a, &a, at(0.2f, 1.99f, PI_D / 2.0)); // B's end on A's side
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_near(m.points[0].separation, -0.01, 1e-5);
    m = manifold_capsules(&a, &a, at(0.0f, 0.4f, PI_D / 2.0)); // a cross: 0.6 of the core is below
    assert_true(m.count >= 1);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_near(m.points[0].separation, -1.6, 1e-5);
    m = manifold_capsules(&a, &a, TRANSFORM_IDENTITY); // one in the other
    assert_int_equal(m.count, 2);
    assert_near(m.points[0].separation, -1.0, 1e-6);
}

static void capsule_and_circle_touch_at_side_and_end(void **state)
{
    (void)state;
    capsule a = {{-1.0f, 0.0f}, {1.0f, 0.0f}, 0.5f};
    circle b = {{0.0f, 0.0f}, 0.25f};
    manifold m = manifold_capsule_circle(&a, &b, at(0.3f, -0.7f, 0.0));
    assert_at(m.normal, 0.0, -1.0, 1e-6);
    assert_near(m.points[0].separation, -0.05, 1e-6);
    m = manifold_capsule_circle(&a, &b, at(1.42f, 0.56f, 0.0)); // 0.42, 0.56 off the end: 0.7
    assert_at(m.normal, 0.6, 0.8, 1e-5);
    assert_near(m.points[0].separation, -0.05, 1e-5);
    m = manifold_capsule_circle(&a, &b, at(0.0f, 0.0f, 0.0)); // centre on the core
    assert_int_equal(m.count, 1);
    assert_near(vec2_length(m.normal), 1.0, 1e-6);
    assert_near(m.points[0].separation, -0.75, 1e-6);
}

static void polygon_and_capsule_lying_on_it_touch_in_two_points(void **state)
{
    (void)state;
    polygon a = box_of(4.0f, 2.0f, 0.0f);
    capsule b = {{-1.0f, 0.0f}, {1.0f, 0.0f}, 0.5f};
    manifold m = manifold_polygon_capsule(&a, &b, at(0.25f, 1.49f, 0.0));
    assert_int_equal(m.count, 2);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_at(left_point(&m)->point, -0.75, 0.995, 1e-5);
    assert_at(right_point(&m)->point, 1.25, 0.995, 1e-5);
    m = manifold_polygon_capsule(&a, &b, at(0.0f, 2.49f, PI_D / 2.0)); // standing
    assert_int_equal(m.count, 1);
    assert_near(m.points[0].separation, -0.01, 1e-5);
}

static void segment_is_touched_from_both_sides(void **state)
{
    (void)state;
    segment a = {{-5.0f, 0.0f}, {5.0f, 0.0f}};
    polygon b = box_of(1.0f, 1.0f, 0.0f);
    circle c = {{0.0f, 0.0f}, 0.5f};
    capsule k = {{-0.5f, 0.0f}, {0.5f, 0.0f}, 0.5f};
    for (int side = -1; side <= 1; side += 2) {
        transform t = at(1.0f, 0.49f * (float)side, 0.0);
        manifold found[3] = {manifold_segment_polygon(&a, &b, t),
                             manifold_segment_circle(&a, &c, t),
                             manifold_segment_capsule(&a, &k, t)};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(found[i].count, i == 1 ? 1 : 2);
            assert_at(found[i].normal, 0.0, side, 1e-6);
            assert_near(found[i].points[0].separation, -0.01, 1e-5);
        }
    }
}

static void thin_and_huge_boxes_touch_as_others_do(void **state)
{
    (void)state;
    polygon floor = box_of(20000.0f, 2.0f, 0.0f);
    polygon needle = box_of(2.0f, 0.001f, 0.0f);
    manifold m = manifold_polygons(&floor, &needle, at(9000.0f, 1.0f, 0.0));
    assert_int_equal(m.count, 2);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_near(m.points[0].separation, -0.0005, 1e-5);
    m = manifold_polygons(&needle, &needle, at(0.0f, 0.0005f, 1e-5));
    assert_int_equal(m.count, 2);
    assert_near(fabsf(m.normal.y), 1.0, 1e-6);
}

static void boxes_with_one_place_are_parted_by_a_side(void **state)
{
    (void)state;
    polygon a = box_of(2.0f, 2.0f, 0.0f);
    for (int i = 0; i < 8; i++) {
        manifold m = manifold_polygons(&a, &a, at(0.0f, 0.0f, PI_D / 4.0 * i));
        assert_true(m.count >= 1);
        assert_near(vec2_length(m.normal), 1.0, 1e-6);
        double depth = i % 2 == 0 ? 2.0 : 1.0 + sqrt(2.0);
        double deepest =
            fmin((double)m.points[0].separation, (double)m.points[m.count - 1].separation);
        assert_near(deepest, -depth, 1e-5);
    }
}

static void any_two_kinds_give_the_same_either_way_round(void **state)
{
    (void)state;
    shape_geometry shapes[SHAPE_KIND_COUNT] = {
        {.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, 0.5f}},
        {.kind = SHAPE_CAPSULE, .capsule = {{-0.5f, 0.0f}, {0.5f, 0.0f}, 0.5f}},
        {.kind = SHAPE_POLYGON, .polygon = box_of(2.0f, 1.0f, 0.0f)},
        {.kind = SHAPE_SEGMENT, .segment = {{2.0f, 0.0f}, {-2.0f, 0.0f}}},
        {.kind = SHAPE_CHAIN_SEGMENT,
         .chain = {{4.0f, 0.0f}, {{2.0f, 0.0f}, {-2.0f, 0.0f}}, {-4.0f, 0.0f}}},
    };
    const float half[SHAPE_KIND_COUNT] = {0.5f, 0.5f, 0.5f, 0.0f, 0.0f};
    for (int i = 0; i < SHAPE_KIND_COUNT; i++) {
        for (int j = 0; j < SHAPE_KIND_COUNT; j++) {
            bool line_i = i >= SHAPE_SEGMENT;
            bool line_j = j >= SHAPE_SEGMENT;
            assert_int_equal(manifold_supported((shape_kind)i, (shape_kind)j), !(line_i && line_j));
            // A chain collides only on its upper side, so the other shape must be there.
            float side = j == SHAPE_CHAIN_SEGMENT ? -1.0f : 1.0f;
            transform t = at(0.0f, side * (half[i] + half[j] - 0.01f), 0.0);
            manifold m = manifold_shapes(&shapes[i], &shapes[j], t);
            if (line_i && line_j) {
                assert_int_equal(m.count, 0);
                continue;
            }
            assert_true(m.count >= 1);
            assert_at(m.normal, 0.0, side, 1e-6);
            manifold turned =
                manifold_shapes(&shapes[j], &shapes[i], transform_inv_mul(t, TRANSFORM_IDENTITY));
            assert_int_equal(turned.count, m.count);
            assert_at(turned.normal, 0.0, -side, 1e-6);
            for (int k = 0; k < m.count; k++) {
                assert_near(m.points[k].separation, -0.01, 1e-5);
                assert_near(turned.points[k].separation, -0.01, 1e-5);
            }
        }
    }
    assert_false(manifold_supported(SHAPE_KIND_COUNT, SHAPE_CIRCLE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_overlapping_touch_midway),
        cmocka_unit_test(circles_with_one_center_touch_with_a_unit_normal),
        cmocka_unit_test(circles_apart_touch_up_to_the_speculative_distance),
        cmocka_unit_test(boxes_separating_axis_keeps_them_apart),
        cmocka_unit_test(boxes_separating_axis_of_least_overlap_is_the_normal),
        cmocka_unit_test(boxes_one_on_the_other_touch_in_two_points),
        cmocka_unit_test(boxes_corner_on_face_touch_in_one_point),
        cmocka_unit_test(boxes_corner_to_corner_apart_have_the_direction_between),
        cmocka_unit_test(boxes_one_within_the_other_leave_by_the_nearest_side),
        cmocka_unit_test(boxes_rounded_corners_touch_between_the_corners),
        cmocka_unit_test(boxes_rounded_faces_touch_in_two_points),
        cmocka_unit_test(ids_stay_while_a_box_slides),
        cmocka_unit_test(ids_stay_when_the_reference_changes),
        cmocka_unit_test(ids_stay_when_a_corner_rolls_over_its_balance),
        cmocka_unit_test(reference_stays_with_a_while_both_are_as_good),
        cmocka_unit_test(polygon_and_circle_touch_at_face_corner_and_inside),
        cmocka_unit_test(capsules_side_by_side_touch_in_two_points),
        cmocka_unit_test(capsules_end_to_end_crossed_and_within),
        cmocka_unit_test(capsule_and_circle_touch_at_side_and_end),
        cmocka_unit_test(polygon_and_capsule_lying_on_it_touch_in_two_points),
        cmocka_unit_test(segment_is_touched_from_both_sides),
        cmocka_unit_test(thin_and_huge_boxes_touch_as_others_do),
        cmocka_unit_test(boxes_with_one_place_are_parted_by_a_side),
        cmocka_unit_test(any_two_kinds_give_the_same_either_way_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
