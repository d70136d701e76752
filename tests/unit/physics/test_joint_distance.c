// Distance joints (rod, rope, spring, winch) and pulleys, checked by formulas.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double G = 9.81;

static double body_x(const rig *r, uint64_t id)
{
    return rig_body(r, id).position.x;
}

static double body_y(const rig *r, uint64_t id)
{
    return rig_body(r, id).position.y;
}

static joint_def between(rig *r, body_id b, uint32_t fields)
{
    joint_def def = rig_def(JOINT_DISTANCE, r->ground, b);
    def.fields = fields;
    return def;
}

// ---- rod

static void simple_pendulum_small_swing_has_period_of_its_length(void **state)
{
    (void)state;
    const double lengths[] = {0.5, 1.0, 4.0};
    for (int i = 0; i < 3; i++) {
        rig r = rig_open(-G);
        body_id bob = rig_point(&r, 0.0, -lengths[i], 1.0);
        joint_def def = between(&r, bob, 0);
        rig_join(&r, &def);
        rig_push(&r, bob, 0.05, 0.0, 0.0);
        double wanted = 2.0 * PI_D * sqrt(lengths[i] / G);
        assert_near(rig_period(&r, body_x, bob, 0.0, 1500), wanted, 0.002 * wanted);
        rig_close(&r);
    }
}

static void rod_keeps_its_length_in_a_full_swing(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 2.0, 0.0, 1.0);
    joint_def def = between(&r, bob, 0);
    joint_id rod = rig_join(&r, &def);
    for (int i = 0; i < 600; i++) {
        rig_step(&r, 1);
        assert_near(rig_info(&r, rod).length, 2.0, 0.003);
        assert_near(rig_energy(&r, bob), 0.0, 0.02 * G * 2.0);
    }
    rig_close(&r);
}

static void rod_given_another_length_goes_to_it(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 0.0, -1.0, 1.0);
    joint_def def = between(&r, bob, JOINT_FIELD_LENGTH);
    def.length = 1.5;
    joint_id rod = rig_join(&r, &def);
    rig_step(&r, 120);
    assert_near(rig_info(&r, rod).length, 1.5, 0.002);
    def.length = 0.5;
    assert_int_equal(joint_set(r.world, rod, JOINT_FIELD_LENGTH, &def, NULL), STATUS_OK);
    rig_step(&r, 120);
    assert_near(rig_info(&r, rod).length, 0.5, 0.002);
    assert_near(rig_info(&r, rod).force.y, G, 0.01);
    rig_close(&r);
}

// ---- rope

static void rope_is_slack_until_it_is_taut(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 0.3, 0.0, 1.0);
    joint_def def = between(&r, bob, JOINT_FIELD_UPPER);
    def.upper = 2.0;
    joint_id rope = rig_join(&r, &def);
    rig_step(&r, 30);
    assert_near(rig_body(&r, bob).velocity.y, -G * 0.5, 1e-3); // the bob falls freely
    assert_near(rig_info(&r, rope).force.y, 0.0, 1e-9);
    for (int i = 0; i < 300; i++) {
        rig_step(&r, 1);
        assert_true(rig_info(&r, rope).length < 2.01);
    }
    rig_close(&r);
}

static void distance_limits_keep_both_ends(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id bob = rig_point(&r, 1.0, 0.0, 1.0);
    joint_def def = between(&r, bob, JOINT_FIELD_LOWER | JOINT_FIELD_UPPER);
    def.lower = 0.8;
    def.upper = 1.5;
    joint_id joined = rig_join(&r, &def);
    rig_push(&r, bob, -3.0, 0.0, 0.0);
    for (int i = 0; i < 60; i++) {
        rig_step(&r, 1);
        assert_true(rig_info(&r, joined).length > 0.79);
    }
    rig_push(&r, bob, 20.0, 0.0, 0.0);
    for (int i = 0; i < 60; i++) {
        rig_step(&r, 1);
        assert_true(rig_info(&r, joined).length < 1.51);
    }
    rig_close(&r);
}

// ---- spring

static void spring_swings_with_its_frequency(void **state)
{
    (void)state;
    const double hertz[] = {0.5, 1.0, 3.0, 6.0};
    for (int i = 0; i < 4; i++) {
        rig r = rig_open(0.0);
        body_id bob = rig_point(&r, 2.0, 0.0, 5.0);
        joint_def def = between(&r, bob, JOINT_FIELD_HERTZ | JOINT_FIELD_LENGTH);
        def.hertz = hertz[i];
        def.length = 1.8;
        rig_join(&r, &def);
        assert_near(rig_period(&r, body_x, bob, 1.8, 600), 1.0 / hertz[i], 0.005 / hertz[i]);
        rig_close(&r);
    }
}

// Between two free bodies the frequency is that of their reduced mass.
static void spring_between_free_bodies_keeps_its_frequency(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a = rig_point(&r, 0.0, 0.0, 1.0);
    body_id b = rig_point(&r, 1.2, 0.0, 3.0);
    joint_def def = rig_def(JOINT_DISTANCE, a, b);
    def.fields = JOINT_FIELD_HERTZ | JOINT_FIELD_LENGTH;
    def.hertz = 2.0;
    def.length = 1.0;
    rig_join(&r, &def);
    // The common centre is at rest at 0.9; b is in the middle of its swing at 1.15.
    assert_near(rig_period(&r, body_x, b, 1.15, 600), 0.5, 0.002);
    rig_close(&r);
}

static void spring_damping_decays_with_its_ratio(void **state)
{
    (void)state;
    const double ratios[] = {0.0, 0.05, 0.2};
    for (int i = 0; i < 3; i++) {
        rig r = rig_open(0.0);
        body_id bob = rig_point(&r, 2.5, 0.0, 1.0);
        joint_def def =
            between(&r, bob, JOINT_FIELD_HERTZ | JOINT_FIELD_DAMPING_RATIO | JOINT_FIELD_LENGTH);
        def.hertz = 1.0;
        def.damping_ratio = ratios[i];
        def.length = 2.0;
        rig_join(&r, &def);
        // After n whole periods of the damped swing the amplitude is exp(-z w t) times the first
        // one.
        double omega = 2.0 * PI_D;
        double period = 1.0 / sqrt(1.0 - ratios[i] * ratios[i]);
        int steps = (int)(2.0 * period * 60.0 + 0.5);
        rig_step(&r, steps);
        double t = steps / 60.0;
        double damped = omega * sqrt(1.0 - ratios[i] * ratios[i]);
        double wanted = exp(-ratios[i] * omega * t) *
                        (cos(damped * t) + ratios[i] * omega / damped * sin(damped * t));
        assert_near((rig_body(&r, bob).position.x - 2.0) / 0.5, wanted, 0.02);
        rig_close(&r);
    }
}

static void spring_critical_damping_does_not_overshoot(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id bob = rig_point(&r, 2.5, 0.0, 1.0);
    joint_def def =
        between(&r, bob, JOINT_FIELD_HERTZ | JOINT_FIELD_DAMPING_RATIO | JOINT_FIELD_LENGTH);
    def.hertz = 2.0;
    def.damping_ratio = 1.0;
    def.length = 2.0;
    rig_join(&r, &def);
    for (int i = 0; i < 120; i++) {
        rig_step(&r, 1);
        assert_true(rig_body(&r, bob).position.x > 2.0 - 1e-4);
    }
    assert_near(rig_body(&r, bob).position.x, 2.0, 1e-3);
    rig_close(&r);
}

static void spring_sags_by_g_over_omega_squared(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 0.0, -1.0, 7.0);
    joint_def def = between(&r, bob, JOINT_FIELD_HERTZ | JOINT_FIELD_DAMPING_RATIO);
    def.hertz = 1.5;
    def.damping_ratio = 0.5;
    joint_id spring = rig_join(&r, &def);
    rig_step(&r, 600);
    double omega = 2.0 * PI_D * 1.5;
    assert_near(rig_info(&r, spring).length, 1.0 + G / (omega * omega), 1e-4);
    assert_near(rig_info(&r, spring).force.y, 7.0 * G, 0.01);
    rig_close(&r);
}

// Up to a frequency of hz × substeps / 45: above that a spring loses amplitude for the sake of
// stability.
static void undamped_spring_keeps_its_amplitude(void **state)
{
    (void)state;
    const double rates[] = {30.0, 60.0, 120.0, 240.0};
    const joint_kind kinds[] = {JOINT_DISTANCE, JOINT_PRISMATIC, JOINT_WHEEL,
                                JOINT_WELD,     JOINT_MOUSE,     JOINT_REVOLUTE};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 6; k++) {
            world_def world = world_def_default();
            world.hz = rates[i];
            world.gravity = (vec2d){0.0, 0.0};
            world.sleep = false;
            rig r = rig_open_def(&world);
            const bool turns = kinds[k] == JOINT_REVOLUTE;
            const body_id bob =
                turns ? rig_ball(&r, 0.0, -1.0, 0.5) : rig_point(&r, 0.0, -1.0, 1.0);
            joint_def def = rig_def(kinds[k], r.ground, bob);
            if (kinds[k] == JOINT_MOUSE) {
                def = joint_def_default(JOINT_MOUSE);
                def.b = bob;
                def.fields = JOINT_FIELD_TARGET;
                def.target = (vec2d){0.0, -1.0};
            } else if (kinds[k] != JOINT_DISTANCE) {
                def = rig_def_at(kinds[k], r.ground, bob, 0.0, -1.0);
            }
            if (kinds[k] == JOINT_PRISMATIC || kinds[k] == JOINT_WHEEL) {
                def.fields |= JOINT_FIELD_AXIS;
                def.axis = (vec2){0.0f, 1.0f};
            }
            def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_DAMPING_RATIO;
            def.hertz = rates[i] < 60.0 ? 1.5 : 3.0;
            def.damping_ratio = 0.0;
            rig_join(&r, &def);
            rig_push(&r, bob, 0.0, turns ? 0.0 : 1.0, turns ? 1.0 : 0.0);
            const double amplitude = 1.0 / (2.0 * PI_D * def.hertz);
            rig_step(&r, (int)(20.0 * rates[i]));
            double most = 0.0;
            for (int tick = 0; tick < rates[i]; tick++) {
                rig_step(&r, 1);
                const body_info b = rig_body(&r, bob);
                most = fmax(most, fabs(turns ? b.angle : b.position.y + 1.0));
            }
            assert_near(most, amplitude, 0.015 * amplitude);
            rig_close(&r);
        }
    }
}

static void spring_as_stiff_as_allowed_stays_quiet(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 0.0, -1.0, 1.0);
    for (int i = 0; i < 20; i++) { // twenty in parallel, far stiffer than a sub-step resolves
        joint_def def = between(&r, bob, JOINT_FIELD_HERTZ);
        def.hertz = JOINT_HERTZ_MAX;
        rig_join(&r, &def);
    }
    for (int i = 0; i < 300; i++) {
        rig_step(&r, 1);
        assert_near(rig_body(&r, bob).position.y, -1.0, 0.01);
    }
    rig_close(&r);
}

static void many_soft_springs_in_parallel_stay_stable(void **state)
{
    (void)state;
    const double hertz[] = {2.0, 5.3, 5.6, 6.0, 6.5, 7.0, 8.0, 10.0, 16.0, 30.0};
    for (int k = 0; k < 10; k++) {
        rig r = rig_open(-G);
        body_id bob = rig_point(&r, 0.0, -1.0, 1.0);
        for (int i = 0; i < 100; i++) {
            joint_def def = between(&r, bob, JOINT_FIELD_HERTZ);
            def.hertz = hertz[k];
            rig_join(&r, &def);
        }
        rig_push(&r, bob, 0.0, 2.0, 0.0);
        for (int i = 0; i < 300; i++) {
            rig_step(&r, 1);
            assert_near(rig_body(&r, bob).position.y, -1.0, 0.4);
        }
        rig_close(&r);
    }
}

// ---- winch

static void winch_draws_in_at_its_speed_to_its_limit(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 0.0, -3.0, 1.0);
    joint_def def =
        between(&r, bob, JOINT_FIELD_LOWER | JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_FORCE);
    def.lower = 1.0;
    def.motor_speed = -0.5;
    def.max_force = 20.0;
    joint_id winch = rig_join(&r, &def);
    rig_step(&r, 60);
    assert_near(rig_info(&r, winch).speed, -0.5, 1e-3);
    assert_near(rig_info(&r, winch).force.y, G, 1e-2);
    rig_step(&r, 300);
    assert_near(rig_info(&r, winch).length, 1.0, 0.002);
    rig_close(&r);
}

// ---- pulley

static joint_def pulley(rig *r, body_id a, body_id b, double ratio)
{
    (void)r;
    joint_def def = rig_def(JOINT_PULLEY, a, b);
    def.fields = JOINT_FIELD_GROUND_A | JOINT_FIELD_GROUND_B | JOINT_FIELD_RATIO;
    def.ground_a = (vec2d){-1.0, 3.0};
    def.ground_b = (vec2d){1.0, 3.0};
    def.ratio = ratio;
    return def;
}

static void pulley_accelerates_as_atwoods_machine(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id a = rig_point(&r, -1.0, 0.0, 3.0);
    body_id b = rig_point(&r, 1.0, 0.0, 1.0);
    joint_def def = pulley(&r, a, b, 1.0);
    joint_id rope = rig_join(&r, &def);
    rig_step(&r, 30);
    double wanted = -G * (3.0 - 1.0) / (3.0 + 1.0);
    assert_near(rig_body(&r, a).velocity.y, 0.5 * wanted, 1e-3);
    assert_near(rig_body(&r, b).velocity.y, -0.5 * wanted, 1e-3);
    joint_info info = rig_info(&r, rope);
    assert_near(info.length, 6.0, 2e-3);
    assert_near(info.side_a + info.side_b, 6.0, 2e-3);
    assert_near(info.force.y, 1.0 * (G - wanted), 0.01); // tension of the rope
    rig_close(&r);
}

static void pulley_with_ratio_balances_unequal_weights(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id a = rig_point(&r, -1.0, 0.0, 1.0);
    body_id b = rig_point(&r, 1.0, 0.0, 2.0);
    joint_def def = pulley(&r, a, b, 2.0); // b hangs on two strands
    joint_id rope = rig_join(&r, &def);
    rig_step(&r, 300);
    assert_near(body_y(&r, a), 0.0, 0.01);
    assert_near(body_y(&r, b), 0.0, 0.01);
    assert_near(rig_info(&r, rope).force.y, 2.0 * G, 0.01);
    rig_push(&r, a, 0.0, 1.0, 0.0); // taking up the slack at 1 m/s must not push the other body
    rig_step(&r, 6);
    assert_true(rig_body(&r, b).velocity.y < 0.0);
    assert_true(rig_info(&r, rope).length < 9.0 + 0.005);
    rig_close(&r);
}

static void pulley_swinging_keeps_the_rope_from_growing(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id a = rig_ball(&r, -1.5, 0.0, 0.3);
    body_id b = rig_box(&r, 1.2, -0.5, 0.6, 0.3);
    joint_def def = pulley(&r, a, b, 0.7);
    def.fields |= JOINT_FIELD_ANCHOR_B;
    def.anchor_b = (vec2d){0.25, 0.1};
    joint_id rope = rig_join(&r, &def);
    double length = rig_info(&r, rope).length;
    for (int i = 0; i < 300; i++) {
        rig_step(&r, 1);
        assert_true(rig_info(&r, rope).length < length + 0.01);
    }
    rig_close(&r);
}

static void pulley_drawn_to_its_fixed_point_stops_there(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id a = rig_point(&r, -1.0, 2.0, 5.0);
    body_id b = rig_point(&r, 1.0, 2.0, 1.0);
    joint_def def = pulley(&r, a, b, 1.0);
    joint_id rope = rig_join(&r, &def);
    rig_step(&r, 600);
    assert_near(rig_info(&r, rope).length, 2.0, 0.05);
    assert_true(isfinite(rig_body(&r, b).position.y));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_pendulum_small_swing_has_period_of_its_length),
        cmocka_unit_test(rod_keeps_its_length_in_a_full_swing),
        cmocka_unit_test(rod_given_another_length_goes_to_it),
        cmocka_unit_test(rope_is_slack_until_it_is_taut),
        cmocka_unit_test(distance_limits_keep_both_ends),
        cmocka_unit_test(spring_swings_with_its_frequency),
        cmocka_unit_test(spring_between_free_bodies_keeps_its_frequency),
        cmocka_unit_test(spring_damping_decays_with_its_ratio),
        cmocka_unit_test(spring_critical_damping_does_not_overshoot),
        cmocka_unit_test(spring_sags_by_g_over_omega_squared),
        cmocka_unit_test(spring_as_stiff_as_allowed_stays_quiet),
        cmocka_unit_test(many_soft_springs_in_parallel_stay_stable),
        cmocka_unit_test(undamped_spring_keeps_its_amplitude),
        cmocka_unit_test(winch_draws_in_at_its_speed_to_its_limit),
        cmocka_unit_test(pulley_accelerates_as_atwoods_machine),
        cmocka_unit_test(pulley_with_ratio_balances_unequal_weights),
        cmocka_unit_test(pulley_swinging_keeps_the_rope_from_growing),
        cmocka_unit_test(pulley_drawn_to_its_fixed_point_stops_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
