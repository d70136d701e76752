// The engine's sine, cosine and arctangent, compared with the C library's.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/property/geometry/figures.h"

static double sine_cosine_error(double angle)
{
    double s;
    double c;
    sin_cos(angle, &s, &c);
    return fmax(fabs(s - sin(angle)), fabs(c - cos(angle)));
}

static void sin_cos_random_angles_match_libm(void **state)
{
    (void)state;
    rng r = rng_start("sin_cos_random_angles_match_libm", 1);
    int64_t count = rounds(4000000);
    double worst = 0.0;
    double worst_angle = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double angle = rng_scale(&r, 1e-9, 1099511627776.0);
        angle = rng_below(&r, 2) == 0 ? angle : -angle;
        double e = sine_cosine_error(angle);
        if (!(e <= worst)) {
            worst = e;
            worst_angle = angle;
        }
    }
    printf("    worst error %.3g at %.17g\n", worst, worst_angle);
    assert_true(worst <= 1e-13);
}

static void sin_cos_near_quarter_turns_matches_libm(void **state)
{
    (void)state;
    rng r = rng_start("sin_cos_near_quarter_turns_matches_libm", 2);
    int64_t count = rounds(1000000);
    double worst = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double quarter = floor(rng_scale(&r, 1.0, 6e11));
        double angle = 0.25 * PI_D * quarter * (1.0 + rng_range(&r, -4e-16, 4e-16));
        double e = sine_cosine_error(angle);
        worst = e <= worst ? worst : e;
    }
    printf("    worst error %.3g\n", worst);
    assert_true(worst <= 1e-13);
}

static void arc_tangent_random_points_match_libm(void **state)
{
    (void)state;
    rng r = rng_start("arc_tangent_random_points_match_libm", 3);
    int64_t count = rounds(4000000);
    double worst = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double x = rng_scale(&r, 1e-12, 1e12);
        double y = rng_below(&r, 2) == 0 ? rng_scale(&r, 1e-12, 1e12) : x * rng_range(&r, 0.0, 2.0);
        x = rng_below(&r, 2) == 0 ? x : -x;
        y = rng_below(&r, 2) == 0 ? y : -y;
        double e = fabs(arc_tangent(y, x) - atan2(y, x));
        worst = e <= worst ? worst : e;
    }
    printf("    worst error %.3g\n", worst);
    assert_true(worst <= 1e-13);
}

static void rot_angle_gives_back_the_angle(void **state)
{
    (void)state;
    rng r = rng_start("rot_angle_gives_back_the_angle", 4);
    int64_t count = rounds(500000);
    for (int64_t i = 0; i < count; i++) {
        double angle = rng_range(&r, -PI_D, PI_D);
        rot q = rot_from_angle(angle);
        assert_true(fabs(rot_angle(q) - angle) <= 2e-7);
        assert_true(fabsf(q.c * q.c + q.s * q.s - 1.0f) <= 3e-7f);
    }
}

static void float_rounding_holds_the_double(void **state)
{
    (void)state;
    rng r = rng_start("float_rounding_holds_the_double", 5);
    int64_t count = rounds(500000);
    for (int64_t i = 0; i < count; i++) {
        double a = rng_scale(&r, 1e-20, 1e20) * (rng_below(&r, 2) == 0 ? 1.0 : -1.0);
        float low = float_round_down(a);
        float high = float_round_up(a);
        assert_true((double)low <= a && a <= (double)high);
        assert_true(high == low || high == nextafterf(low, INFINITY));
    }
}

static void float_rounding_at_the_ends_of_floats(void **state)
{
    (void)state;
    const double edges[] = {
        0.0, -0.0, 1e-300, -1e-300, 1e-45, -1e-45, 3e-39,           -3e-39,
        1.0, -1.0, 0.1,    -0.1,    1e300, -1e300, (double)FLT_MAX, -(double)FLT_MAX};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        double a = edges[i];
        float f = (float)a;
        float low = (double)f > a ? nextafterf(f, -INFINITY) : f;
        float high = (double)f < a ? nextafterf(f, INFINITY) : f;
        assert_memory_equal(&low, &(float){float_round_down(a)}, sizeof low);
        assert_memory_equal(&high, &(float){float_round_up(a)}, sizeof high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sin_cos_random_angles_match_libm),
        cmocka_unit_test(sin_cos_near_quarter_turns_matches_libm),
        cmocka_unit_test(arc_tangent_random_points_match_libm),
        cmocka_unit_test(rot_angle_gives_back_the_angle),
        cmocka_unit_test(float_rounding_holds_the_double),
        cmocka_unit_test(float_rounding_at_the_ends_of_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
