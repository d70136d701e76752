// Hulls, boxes, validation, extents and containment, on figures small enough to do by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/geometry/shape.h"
#include "tests/unit/geometry/near.h"

static polygon box_of(float width, float height)
{
    polygon p;
    assert_int_equal(
        polygon_make_box((vec2){width, height}, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &p, NULL),
        STATUS_OK);
    return p;
}

static void hull_of_a_square_with_inner_points_is_the_square(void **state)
{
    (void)state;
    const vec2 points[] = {{1.0f, 1.0f}, {0.25f, 0.5f}, {0.0f, 0.0f},  {1.0f, 0.0f},
                           {0.5f, 0.5f}, {0.0f, 1.0f},  {0.75f, 0.25f}};
    polygon p;
    assert_int_equal(polygon_make(points, 7, 0.125f, &p, NULL), STATUS_OK);
    assert_int_equal(p.count, 4);
    const vec2 corners[] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}, {0.0f, 1.0f}};
    const vec2 normals[] = {{0.0f, -1.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}, {-1.0f, 0.0f}};
    for (int i = 0; i < 4; i++) {
        assert_true(p.vertices[i].x == corners[i].x && p.vertices[i].y == corners[i].y);
        assert_true(p.normals[i].x == normals[i].x && p.normals[i].y == normals[i].y);
    }
    assert_at(p.centroid, 0.5, 0.5, 1e-7);
    assert_true(p.radius == 0.125f);
}

static void hull_points_in_line_are_dropped(void **state)
{
    (void)state;
    const vec2 points[] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {2.0f, 0.0f}, {2.0f, 2.0f}, {1.0f, 1.0005f}};
    polygon p;
    assert_int_equal(polygon_make(points, 5, 0.0f, &p, NULL), STATUS_OK);
    assert_int_equal(p.count, 3);
    assert_at(p.centroid, 4.0 / 3.0, 2.0 / 3.0, 1e-6);
}

static void hull_points_closer_than_the_slop_are_joined(void **state)
{
    (void)state;
    const vec2 points[] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 1.0f}, {1.0f, 1.004f}};
    polygon p;
    assert_int_equal(polygon_make(points, 4, 0.0f, &p, NULL), STATUS_OK);
    assert_int_equal(p.count, 3);
}

static void hull_of_bad_points_is_refused_with_the_reason(void **state)
{
    (void)state;
    const vec2 line[] = {{0.0f, 0.0f}, {1.0f, 1.0f}, {2.0f, 2.0f}, {3.0f, 3.0f}};
    const vec2 same[] = {{1.0f, 1.0f}, {1.0f, 1.0f}, {1.0f, 1.0f}};
    const vec2 not_finite[] = {{0.0f, 0.0f}, {NAN, 1.0f}, {2.0f, 0.0f}};
    const vec2 too_far[] = {{0.0f, 0.0f}, {10001.0f, 0.0f}, {0.0f, 1.0f}};
    const vec2 good[] = {{0.0f, 0.0f}, {1.0f, 0.0f}, {0.0f, 1.0f}};
    polygon p = {.count = 77};
    error err;
    assert_int_equal(polygon_make(line, 4, 0.0f, &p, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "area"));
    assert_int_equal(polygon_make(same, 3, 0.0f, &p, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "area"));
    assert_int_equal(polygon_make(not_finite, 3, 0.0f, &p, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "finite"));
    assert_int_equal(polygon_make(too_far, 3, 0.0f, &p, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "10000"));
    assert_int_equal(polygon_make(good, 2, 0.0f, &p, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "vertices"));
    assert_int_equal(polygon_make(good, 9, 0.0f, &p, &err), STATUS_INVALID_ARGUMENT);
    assert_int_equal(polygon_make(good, 3, -0.1f, &p, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "radius"));
    assert_int_equal(polygon_make(good, 3, NAN, &p, &err), STATUS_INVALID_ARGUMENT);
    assert_int_equal(p.count, 77); // unchanged by every refused call
}

static void box_turned_about_its_center_has_its_corners_there(void **state)
{
    (void)state;
    polygon p;
    assert_int_equal(
        polygon_make_box((vec2){4.0f, 2.0f}, (vec2){10.0f, 20.0f}, PI_D / 2.0, 0.0f, &p, NULL),
        STATUS_OK);
    assert_int_equal(p.count, 4);
    assert_at(p.vertices[0], 11.0, 18.0, 1e-6); // (-2, -1) turned a quarter
    assert_at(p.vertices[2], 9.0, 22.0, 1e-6);
    assert_at(p.normals[0], 1.0, 0.0, 1e-7);
    assert_at(p.centroid, 10.0, 20.0, 0.0);
}

static void box_of_bad_size_is_refused(void **state)
{
    (void)state;
    const vec2 sizes[] = {{0.0f, 1.0f}, {1.0f, 0.0005f},  {-1.0f, 1.0f},
                          {NAN, 1.0f},  {INFINITY, 1.0f}, {30000.0f, 1.0f}};
    polygon p;
    error err;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(polygon_make_box(sizes[i], (vec2){0.0f, 0.0f}, 0.0, 0.0f, &p, &err),
                         STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(err.text, "size"));
    }
    assert_int_equal(
        polygon_make_box((vec2){1.0f, 1.0f}, (vec2){0.0f, 0.0f}, (double)NAN, 0.0f, &p, &err),
        STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "angle"));
    assert_int_equal(polygon_make_box((vec2){1.0f, 1.0f}, (vec2){NAN, 0.0f}, 0.0, 0.0f, &p, &err),
                     STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "center"));
    // The corners leave the range although centre and size are within theirs.
    assert_int_equal(
        polygon_make_box((vec2){10.0f, 10.0f}, (vec2){9999.0f, 0.0f}, 0.0, 0.0f, &p, &err),
        STATUS_INVALID_ARGUMENT);
}

static void box_of_the_least_size_is_accepted(void **state)
{
    (void)state;
    polygon p;
    assert_int_equal(polygon_make_box((vec2){SHAPE_EXTENT_MIN, SHAPE_EXTENT_MIN},
                                      (vec2){0.0f, 0.0f}, 0.3, 0.0f, &p, NULL),
                     STATUS_OK);
    assert_int_equal(
        polygon_make_box((vec2){20000.0f, 20000.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &p, NULL),
        STATUS_OK);
}

static void expect_invalid(const shape_geometry *s, const char *field)
{
    error err;
    assert_int_equal(shape_validate(s, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, field));
}

static void validate_names_the_field_that_is_wrong(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, 1.0f}};
    assert_int_equal(shape_validate(&s, NULL), STATUS_OK);
    s.circle.radius = 0.0f;
    expect_invalid(&s, "radius");
    s.circle.radius = NAN;
    expect_invalid(&s, "radius");
    s.circle = (circle){{INFINITY, 0.0f}, 1.0f};
    expect_invalid(&s, "center");

    s = (shape_geometry){.kind = SHAPE_CAPSULE, .capsule = {{0.0f, 0.0f}, {1.0f, 0.0f}, 0.5f}};
    assert_int_equal(shape_validate(&s, NULL), STATUS_OK);
    s.capsule.b = s.capsule.a;
    expect_invalid(&s, "a and b");
    s.capsule.b.x = -20000.0f;
    expect_invalid(&s, "b must lie");

    s = (shape_geometry){.kind = SHAPE_SEGMENT, .segment = {{0.0f, 0.0f}, {1.0f, 0.0f}}};
    assert_int_equal(shape_validate(&s, NULL), STATUS_OK);
    s.segment.a.y = NAN;
    expect_invalid(&s, "a must be finite");

    s = (shape_geometry){.kind = SHAPE_CHAIN_SEGMENT,
                         .chain = {{-1.0f, 0.0f}, {{0.0f, 0.0f}, {1.0f, 0.0f}}, {2.0f, 0.0f}}};
    assert_int_equal(shape_validate(&s, NULL), STATUS_OK);
    s.chain.ghost_after.x = NAN;
    expect_invalid(&s, "ghost_after");

    s.kind = SHAPE_KIND_COUNT;
    expect_invalid(&s, "kind");
}

static void validate_refuses_a_polygon_that_is_none(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_POLYGON, .polygon = box_of(2.0f, 1.0f)};
    assert_int_equal(shape_validate(&s, NULL), STATUS_OK);
    s.polygon.count = 2;
    expect_invalid(&s, "vertices");
    s.polygon.count = 9;
    expect_invalid(&s, "vertices");

    s.polygon = box_of(2.0f, 1.0f);
    s.polygon.normals[1] = (vec2){0.0f, 1.0f};
    expect_invalid(&s, "normals[1]");

    s.polygon = box_of(2.0f, 1.0f);
    s.polygon.centroid = (vec2){5.0f, 0.0f};
    expect_invalid(&s, "centroid");

    s.polygon = box_of(2.0f, 1.0f); // vertices in clockwise order
    vec2 first = s.polygon.vertices[0];
    s.polygon.vertices[0] = s.polygon.vertices[2];
    s.polygon.vertices[2] = first;
    expect_invalid(&s, "counter-clockwise");

    s.polygon = box_of(2.0f, 1.0f); // a polygon that is not convex
    s.polygon.vertices[2] = (vec2){0.0f, -0.25f};
    expect_invalid(&s, "convex");

    s.polygon = box_of(2.0f, 1.0f);
    s.polygon.radius = -1.0f;
    expect_invalid(&s, "radius");
}

static void aabb_of_a_turned_box_is_the_square_around_it(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_POLYGON, .polygon = box_of(2.0f, 2.0f)};
    s.polygon.radius = 0.5f;
    transform t = {{10.0f, 0.0f}, rot_from_angle(PI_D / 4.0)};
    aabb box = shape_aabb(&s, t);
    double half = sqrt(2.0) + 0.5;
    assert_at(box.lower, 10.0 - half, -half, 1e-6);
    assert_at(box.upper, 10.0 + half, half, 1e-6);
}

static void extents_of_simple_shapes_are_as_by_hand(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CIRCLE, .circle = {{3.0f, 4.0f}, 2.0f}};
    assert_near(shape_extent_min(&s), 2.0, 0.0);
    assert_near(shape_extent_max(&s, (vec2){0.0f, 0.0f}), 7.0, 1e-6);

    s = (shape_geometry){.kind = SHAPE_CAPSULE, .capsule = {{-3.0f, 0.0f}, {3.0f, 0.0f}, 0.5f}};
    assert_near(shape_extent_min(&s), 0.5, 0.0);
    assert_near(shape_extent_max(&s, (vec2){0.0f, 4.0f}), 5.5, 1e-6);

    s = (shape_geometry){.kind = SHAPE_POLYGON, .polygon = box_of(6.0f, 2.0f)};
    assert_near(shape_extent_min(&s), 1.0, 1e-6);
    assert_near(shape_extent_max(&s, (vec2){0.0f, 0.0f}), sqrt(10.0), 1e-6);

    s = (shape_geometry){.kind = SHAPE_SEGMENT, .segment = {{0.0f, 0.0f}, {3.0f, 4.0f}}};
    assert_near(shape_extent_min(&s), 0.0, 0.0);
    assert_near(shape_extent_max(&s, (vec2){0.0f, 0.0f}), 5.0, 1e-6);
}

static void contains_tells_inside_from_outside(void **state)
{
    (void)state;
    shape_geometry s = {.kind = SHAPE_CIRCLE, .circle = {{1.0f, 0.0f}, 1.0f}};
    assert_true(shape_contains(&s, (vec2){1.9f, 0.0f}));
    assert_true(shape_contains(&s, (vec2){2.0f, 0.0f}));
    assert_false(shape_contains(&s, (vec2){2.01f, 0.0f}));

    s = (shape_geometry){.kind = SHAPE_CAPSULE, .capsule = {{-1.0f, 0.0f}, {1.0f, 0.0f}, 0.5f}};
    assert_true(shape_contains(&s, (vec2){0.0f, 0.49f}));
    assert_true(shape_contains(&s, (vec2){1.3f, 0.3f}));
    assert_false(shape_contains(&s, (vec2){1.4f, 0.4f}));

    s = (shape_geometry){.kind = SHAPE_POLYGON, .polygon = box_of(2.0f, 2.0f)};
    assert_true(shape_contains(&s, (vec2){0.99f, -0.99f}));
    assert_false(shape_contains(&s, (vec2){1.01f, 0.0f}));
    s.polygon.radius = 0.5f;
    assert_true(shape_contains(&s, (vec2){1.3f, 1.3f}));
    assert_false(shape_contains(&s, (vec2){1.4f, 1.4f})); // the corner is round

    s = (shape_geometry){.kind = SHAPE_SEGMENT, .segment = {{-1.0f, 0.0f}, {1.0f, 0.0f}}};
    assert_false(shape_contains(&s, (vec2){0.0f, 0.0f}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hull_of_a_square_with_inner_points_is_the_square),
        cmocka_unit_test(hull_points_in_line_are_dropped),
        cmocka_unit_test(hull_points_closer_than_the_slop_are_joined),
        cmocka_unit_test(hull_of_bad_points_is_refused_with_the_reason),
        cmocka_unit_test(box_turned_about_its_center_has_its_corners_there),
        cmocka_unit_test(box_of_bad_size_is_refused),
        cmocka_unit_test(box_of_the_least_size_is_accepted),
        cmocka_unit_test(validate_names_the_field_that_is_wrong),
        cmocka_unit_test(validate_refuses_a_polygon_that_is_none),
        cmocka_unit_test(aabb_of_a_turned_box_is_the_square_around_it),
        cmocka_unit_test(extents_of_simple_shapes_are_as_by_hand),
        cmocka_unit_test(contains_tells_inside_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
