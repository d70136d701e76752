// The time of impact, compared with results computed by hand: straight flights, spinning bars, and
// bodies that never meet.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/geometry/distance.h"
#include "tests/unit/geometry/near.h"
#include "tests/unit/geometry/placed.h"

static const double SLOP = (double)LINEAR_SLOP;

static sweep still(float x, float y)
{
    return (sweep){.c1 = {x, y}, .c2 = {x, y}, .q1 = {1.0f, 0.0f}, .q2 = {1.0f, 0.0f}};
}

static sweep flight(vec2 from, vec2 to, double turn)
{
    return (sweep){.c1 = from, .c2 = to, .q1 = {1.0f, 0.0f}, .q2 = rot_from_angle(turn)};
}

static proxy ball(float radius)
{
    return (proxy){.points = {{0.0f, 0.0f}}, .count = 1, .radius = radius};
}

static proxy bar(float half_length)
{
    return (proxy){.points = {{-half_length, 0.0f}, {half_length, 0.0f}}, .count = 2};
}

static void sweep_halfway_is_turned_by_half(void **state)
{
    (void)state;
    sweep s = flight((vec2){0.0f, 0.0f}, (vec2){4.0f, 2.0f}, PI_D / 2.0);
    s.local_center = (vec2){1.0f, 0.0f};
    transform t = sweep_at(&s, 0.5f);
    assert_near(rot_angle(t.q), PI_D / 4.0, 1e-6);
    // The centre of mass is where it should be, and the frame's origin 1 behind it.
    assert_at(transform_point(t, s.local_center), 2.0, 1.0, 1e-6);
    transform end = sweep_at(&s, 1.0f);
    assert_at(transform_point(end, s.local_center), 4.0, 2.0, 1e-6);
    assert_near(rot_angle(end.q), PI_D / 2.0, 1e-6);
}

// A 5 cm ball at 400 m/s against a 1 cm wall: 6.7 m in a step.
static void impact_fast_ball_does_not_pass_a_thin_wall(void **state)
{
    (void)state;
    proxy wall = box_proxy(0.005f, 5.0f, 0.0f);
    proxy b = ball(0.05f);
    sweep fixed = still(0.0f, 0.0f);
    sweep fast = flight((vec2){-3.0f, 0.1f}, (vec2){3.667f, 0.1f}, 0.0);
    impact_result r = impact_time(&wall, &fixed, &b, &fast, 1.0f);
    assert_int_equal(r.state, IMPACT_HIT);
    double expected = (3.0 - 0.005 - 0.05 - SLOP) / 6.667;
    assert_near(r.fraction, expected, 0.25 * SLOP / 6.667);
    assert_true((double)r.fraction <= expected + 1e-6);
}

static void impact_of_shapes_that_pass_by_is_none(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    proxy b = ball(0.5f);
    sweep fixed = still(0.0f, 0.0f);
    sweep past = flight((vec2){-10.0f, 1.51f}, (vec2){10.0f, 1.51f}, 0.0);
    impact_result r = impact_time(&a, &fixed, &b, &past, 1.0f);
    assert_int_equal(r.state, IMPACT_NONE);
    assert_near(r.fraction, 1.0, 0.0);
    sweep away = flight((vec2){-3.0f, 0.0f}, (vec2){-10.0f, 0.0f}, 0.0);
    assert_int_equal(impact_time(&a, &fixed, &b, &away, 1.0f).state, IMPACT_NONE);
}

static void impact_later_than_asked_for_is_none(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    proxy b = ball(0.5f);
    sweep fixed = still(0.0f, 0.0f);
    sweep fast = flight((vec2){-10.0f, 0.0f}, (vec2){10.0f, 0.0f}, 0.0); // hits at 8.5 / 20
    impact_result r = impact_time(&a, &fixed, &b, &fast, 0.4f);
    assert_int_equal(r.state, IMPACT_NONE);
    assert_near(r.fraction, 0.4, 1e-7);
    assert_int_equal(impact_time(&a, &fixed, &b, &fast, 0.5f).state, IMPACT_HIT);
}

static void impact_of_overlapping_shapes_says_so(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    proxy b = ball(0.5f);
    sweep fixed = still(0.0f, 0.0f);
    sweep out = flight((vec2){1.4f, 0.0f}, (vec2){5.0f, 0.0f}, 0.0);
    impact_result r = impact_time(&a, &fixed, &b, &out, 1.0f);
    assert_int_equal(r.state, IMPACT_OVERLAPPED);
    assert_near(r.fraction, 0.0, 0.0);
}

static void impact_within_the_slop_at_the_start_is_at_once(void **state)
{
    (void)state;
    proxy a = box_proxy(1.0f, 1.0f, 0.0f);
    proxy b = ball(0.5f);
    sweep fixed = still(0.0f, 0.0f);
    sweep in = flight((vec2){1.504f, 0.0f}, (vec2){0.0f, 0.0f}, 0.0);
    impact_result r = impact_time(&a, &fixed, &b, &in, 1.0f);
    assert_int_equal(r.state, IMPACT_HIT);
    assert_near(r.fraction, 0.0, 0.0);
}

// At the start and the end of its turn the bar is clear of the ball; in between it sweeps over it.
static void impact_spinning_bar_does_not_pass_a_ball(void **state)
{
    (void)state;
    proxy a = ball(0.05f);
    proxy b = bar(1.0f);
    sweep fixed = still(0.8f * 0.5f, 0.8f * 0.8660254f); // at 60 degrees, 0.8 out
    sweep spin = flight((vec2){0.0f, 0.0f}, (vec2){0.0f, 0.0f}, 2.0);
    impact_result r = impact_time(&a, &fixed, &b, &spin, 1.0f);
    assert_int_equal(r.state, IMPACT_HIT);
    // The gap closes to the slop where 0.8 sin(60° - angle) = 0.05 + slop.
    double angle = PI_D / 3.0 - asin((0.05 + SLOP) / 0.8);
    assert_near(r.fraction, angle / 2.0, 1e-3);
}

static void impact_spinning_bar_out_of_reach_is_none(void **state)
{
    (void)state;
    proxy a = ball(0.05f);
    proxy b = bar(1.0f);
    sweep fixed = still(0.0f, 1.06f);
    sweep spin = flight((vec2){0.0f, 0.0f}, (vec2){0.0f, 0.0f}, 3.1);
    assert_int_equal(impact_time(&a, &fixed, &b, &spin, 1.0f).state, IMPACT_NONE);
}

static void impact_of_two_flights_depends_on_the_difference(void **state)
{
    (void)state;
    proxy a = ball(0.5f);
    sweep right = flight((vec2){-10.0f, 0.0f}, (vec2){0.0f, 0.0f}, 0.0);
    sweep left = flight((vec2){10.0f, 0.0f}, (vec2){0.0f, 0.0f}, 0.0);
    impact_result r = impact_time(&a, &right, &a, &left, 1.0f);
    assert_int_equal(r.state, IMPACT_HIT);
    assert_near(r.fraction, (20.0 - 1.0 - SLOP) / 20.0, 1e-4);
    // Bodies side by side with the same speed never meet.
    sweep beside = flight((vec2){-10.0f, 1.02f}, (vec2){0.0f, 1.02f}, 0.0);
    assert_int_equal(impact_time(&a, &right, &a, &beside, 1.0f).state, IMPACT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_halfway_is_turned_by_half),
        cmocka_unit_test(impact_fast_ball_does_not_pass_a_thin_wall),
        cmocka_unit_test(impact_of_shapes_that_pass_by_is_none),
        cmocka_unit_test(impact_later_than_asked_for_is_none),
        cmocka_unit_test(impact_of_overlapping_shapes_says_so),
        cmocka_unit_test(impact_within_the_slop_at_the_start_is_at_once),
        cmocka_unit_test(impact_spinning_bar_does_not_pass_a_ball),
        cmocka_unit_test(impact_spinning_bar_out_of_reach_is_none),
        cmocka_unit_test(impact_of_two_flights_depends_on_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
