// Sine, cosine and arctangent at known angles, rotations and frames, outward rounding.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/geometry/near.h"

static void sin_cos_known_angles_is_exact_to_1e_15(void **state)
{
    (void)state;
    const double root = 0.70710678118654752440;
    const struct {
        double angle, sine, cosine;
    } known[] = {
        {0.0, 0.0, 1.0},
        {PI_D / 6.0, 0.5, 0.86602540378443864676},
        {PI_D / 4.0, root, root},
        {PI_D / 2.0, 1.0, 0.0},
        {3.0 * PI_D / 4.0, root, -root},
        {PI_D, 0.0, -1.0},
        {-PI_D / 2.0, -1.0, 0.0},
        {-2.0 * PI_D / 3.0, -0.86602540378443864676, -0.5},
        {100.0 * PI_D, 0.0, 1.0},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double s;
        double c;
        sin_cos(known[i].angle, &s, &c);
        // The angle itself is rounded, so the error may be a unit in its last place.
        double slack = 1e-15 + fabs(known[i].angle) * 2.3e-16;
        assert_near(s, known[i].sine, slack);
        assert_near(c, known[i].cosine, slack);
    }
}

static void sin_cos_large_angles_match_libm(void **state)
{
    (void)state;
    const double angles[] = {1e3, -12345.678, 1e6, 123456789.0, -1e9, 1e12, 1099511627776.0};
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        double s;
        double c;
        sin_cos(angles[i], &s, &c);
        assert_near(s, sin(angles[i]), 1e-13);
        assert_near(c, cos(angles[i]), 1e-13);
    }
}

static void sin_cos_beyond_its_range_is_zero_and_one(void **state)
{
    (void)state;
    const double angles[] = {1.1e12, -1.1e12, 1e300, HUGE_VAL, -HUGE_VAL, (double)NAN};
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        double s = 7.0;
        double c = 7.0;
        sin_cos(angles[i], &s, &c);
        assert_true(s == 0.0 && c == 1.0);
    }
}

static void arc_tangent_of_axes_and_diagonals_is_exact(void **state)
{
    (void)state;
    assert_true(arc_tangent(0.0, 0.0) == 0.0);
    assert_true(arc_tangent(0.0, 3.0) == 0.0);
    assert_near(arc_tangent(2.0, 0.0), PI_D / 2.0, 1e-15);
    assert_near(arc_tangent(-2.0, 0.0), -PI_D / 2.0, 1e-15);
    assert_near(arc_tangent(0.0, -1.0), PI_D, 1e-15);
    assert_near(arc_tangent(5.0, 5.0), PI_D / 4.0, 1e-15);
    assert_near(arc_tangent(5.0, -5.0), 3.0 * PI_D / 4.0, 1e-15);
    assert_near(arc_tangent(-5.0, -5.0), -3.0 * PI_D / 4.0, 1e-15);
    assert_near(arc_tangent(sqrt(3.0), 1.0), PI_D / 3.0, 1e-15);
    assert_near(arc_tangent(1e-300, 1e300), 0.0, 1e-300);
    assert_near(arc_tangent(1e300, -1e-300), PI_D / 2.0, 1e-15);
}

static void rotation_quarter_turn_turns_x_into_y(void **state)
{
    (void)state;
    rot q = rot_from_angle(PI_D / 2.0);
    assert_at(rot_vec(q, (vec2){2.0f, 0.0f}), 0.0, 2.0, 1e-7);
    assert_at(rot_inv_vec(q, (vec2){0.0f, 2.0f}), 2.0, 0.0, 1e-7);
    assert_near(rot_angle(rot_mul(q, rot_from_angle(0.25))), PI_D / 2.0 + 0.25, 1e-7);
    assert_near(rot_angle(rot_inv_mul(q, rot_from_angle(0.25))), 0.25 - PI_D / 2.0, 1e-7);
}

static void rotation_turned_in_small_steps_stays_unit(void **state)
{
    (void)state;
    rot q = ROT_IDENTITY;
    for (int i = 0; i < 100000; i++) {
        q = rot_normalize(rot_mul(rot_from_angle(0.01), q));
    }
    assert_near(q.c * q.c + q.s * q.s, 1.0, 3e-7);
    assert_near(cos(rot_angle(q) - 1000.0), 1.0, 1e-4);
}

static void rotation_of_zeros_normalizes_to_identity(void **state)
{
    (void)state;
    rot q = rot_normalize((rot){0.0f, 0.0f});
    assert_true(q.c == 1.0f && q.s == 0.0f);
}

static void transform_there_and_back_is_where_it_was(void **state)
{
    (void)state;
    transform a = {{3.0f, -2.0f}, rot_from_angle(0.7)};
    transform b = {{-1.0f, 5.0f}, rot_from_angle(-1.9)};
    vec2 p = {0.5f, 0.25f};
    assert_at(transform_inv_point(a, transform_point(a, p)), p.x, p.y, 1e-6);
    vec2 through = transform_point(transform_mul(a, b), p);
    vec2 in_turn = transform_point(a, transform_point(b, p));
    assert_at(through, in_turn.x, in_turn.y, 2e-6);
    transform relative = transform_inv_mul(a, transform_mul(a, b));
    assert_at(relative.p, b.p.x, b.p.y, 2e-6);
    assert_near(rot_angle(relative.q), -1.9, 1e-6);
}

static void pose_difference_far_from_the_origin_is_as_at_the_origin(void **state)
{
    (void)state;
    pose a = {{100000.25, -99999.5}, rot_from_angle(1.0)};
    pose b = {{100001.5, -99999.25}, rot_from_angle(1.5)};
    pose near_a = {{0.25, 0.5}, a.q};
    pose near_b = {{1.5, 0.75}, b.q};
    transform far = pose_relative(a, b);
    transform close = pose_relative(near_a, near_b);
    assert_true(far.p.x == close.p.x && far.p.y == close.p.y);
}

static void normalize_of_nothing_is_zero(void **state)
{
    (void)state;
    float length = 1.0f;
    vec2 v = vec2_normalize((vec2){1e-20f, 0.0f}, &length);
    assert_true(v.x == 0.0f && v.y == 0.0f && length == 0.0f);
    v = vec2_normalize((vec2){3.0f, 4.0f}, &length);
    assert_near(length, 5.0, 1e-6);
    assert_at(v, 0.6, 0.8, 1e-7);
}

static void aabb_in_the_world_is_rounded_outward(void **state)
{
    (void)state;
    aabb local = {{-0.001f, -0.001f}, {0.001f, 0.001f}};
    aabb box = aabb_at((vec2d){100000.0, -100000.0}, local);
    assert_true((double)box.lower.x <= 100000.0 - 0.001 && (double)box.upper.x >= 100000.0 + 0.001);
    assert_true((double)box.lower.y <= -100000.0 - 0.001 &&
                (double)box.upper.y >= -100000.0 + 0.001);
    assert_true(box.upper.x - box.lower.x <= 0.03f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sin_cos_known_angles_is_exact_to_1e_15),
        cmocka_unit_test(sin_cos_large_angles_match_libm),
        cmocka_unit_test(sin_cos_beyond_its_range_is_zero_and_one),
        cmocka_unit_test(arc_tangent_of_axes_and_diagonals_is_exact),
        cmocka_unit_test(rotation_quarter_turn_turns_x_into_y),
        cmocka_unit_test(rotation_turned_in_small_steps_stays_unit),
        cmocka_unit_test(rotation_of_zeros_normalizes_to_identity),
        cmocka_unit_test(transform_there_and_back_is_where_it_was),
        cmocka_unit_test(pose_difference_far_from_the_origin_is_as_at_the_origin),
        cmocka_unit_test(normalize_of_nothing_is_zero),
        cmocka_unit_test(aabb_in_the_world_is_rounded_outward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
