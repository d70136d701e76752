// Revolute and weld joints, checked by mechanics: periods, limits, motors, springs, cantilevers.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double G = 9.81;

static double joint_angle(const rig *r, uint64_t id)
{
    return rig_info(r, id).angle;
}

// ---- revolute

static void physical_pendulum_small_swing_has_period_of_its_inertia(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bar = rig_box(&r, 0.0, -0.5, 0.1, 1.0);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, bar, 0.0, 0.0);
    joint_id hinge = rig_join(&r, &def);
    rig_push(&r, bar, 0.05, 0.0, 0.1);
    body_info b = rig_body(&r, bar);
    double wanted = 2.0 * PI_D * sqrt((b.inertia + b.mass * 0.25) / (b.mass * G * 0.5));
    assert_near(rig_period(&r, joint_angle, hinge, 0.0, 1200), wanted, 0.002 * wanted);
    rig_close(&r);
}

static void pendulum_let_go_level_keeps_its_energy(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id ball = rig_ball(&r, 1.0, 0.0, 0.1);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, ball, 0.0, 0.0);
    joint_id hinge = rig_join(&r, &def);
    double most = rig_body(&r, ball).mass * G; // energy from the level position to the bottom
    for (int i = 0; i < 600; i++) {
        rig_step(&r, 1);
        assert_near(rig_energy(&r, ball), 0.0, 0.02 * most);
        assert_near(rig_info(&r, hinge).length, 0.0, 0.002);
    }
    rig_close(&r);
}

static void revolute_at_rest_reports_the_weight(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bar = rig_box(&r, 0.0, -0.5, 0.1, 1.0);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, bar, 0.0, 0.0);
    joint_id hinge = rig_join(&r, &def);
    rig_step(&r, 120);
    joint_info info = rig_info(&r, hinge);
    double weight = rig_body(&r, bar).mass * G;
    assert_near(info.force.x, 0.0, 1e-4 * weight);
    assert_near(info.force.y, weight, 1e-3 * weight);
    assert_near(info.torque, 0.0, 1e-6);
    rig_close(&r);
}

static void revolute_limits_hold_under_load(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bar = rig_box(&r, 0.5, 0.0, 1.0, 0.1);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, bar, 0.0, 0.0);
    def.fields |= JOINT_FIELD_LOWER | JOINT_FIELD_UPPER;
    def.lower = -0.5;
    def.upper = 0.25;
    joint_id hinge = rig_join(&r, &def);
    for (int i = 0; i < 300; i++) {
        rig_step(&r, 1);
        assert_true(rig_info(&r, hinge).angle > -0.51);
    }
    assert_near(rig_info(&r, hinge).angle, -0.5, 0.002);
    // The limit carries the moment of the weight about the hinge.
    body_info b = rig_body(&r, bar);
    assert_near(rig_info(&r, hinge).torque, b.mass * G * 0.5 * cos(0.5), 0.01 * b.mass * G);
    rig_push(&r, bar, 0.0, 0.0, 30.0);
    for (int i = 0; i < 60; i++) {
        rig_step(&r, 1);
        assert_true(rig_info(&r, hinge).angle < 0.26);
    }
    rig_close(&r);
}

static void revolute_limit_beyond_a_turn_counts_turns(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id wheel = rig_ball(&r, 0.0, 0.0, 0.5);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, wheel, 0.0, 0.0);
    def.fields |= JOINT_FIELD_UPPER | JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE;
    def.upper = 15.0;
    def.motor_speed = 20.0;
    def.max_torque = 50.0;
    joint_id hinge = rig_join(&r, &def);
    rig_step(&r, 30);
    assert_true(rig_info(&r, hinge).angle > 2.0 * PI_D);
    rig_step(&r, 60);
    assert_near(rig_info(&r, hinge).angle, 15.0, 0.005);
    assert_near(rig_body(&r, wheel).angular_velocity, 0.0, 0.01);
    rig_close(&r);
}

static void revolute_fast_spin_counts_every_turn(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id wheel = rig_ball(&r, 0.0, 0.0, 0.5);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, wheel, 0.0, 0.0);
    joint_id hinge = rig_join(&r, &def);
    rig_push(&r, wheel, 0.0, 0.0, 300.0); // 5 rad a step
    rig_step(&r, 100);
    assert_near(rig_info(&r, hinge).angle, 300.0 * 100.0 / 60.0, 0.01);
    rig_close(&r);
}

static void revolute_motor_reaches_speed_at_its_torque(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id wheel = rig_ball(&r, 0.0, 0.0, 0.5);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, wheel, 0.0, 0.0);
    def.fields |= JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE;
    def.motor_speed = 10.0;
    def.max_torque = 0.5;
    joint_id hinge = rig_join(&r, &def);
    double inertia = rig_body(&r, wheel).inertia;
    rig_step(&r, 30);
    assert_near(rig_body(&r, wheel).angular_velocity, 0.5 * 0.5 / inertia, 1e-3);
    assert_near(rig_info(&r, hinge).torque, 0.5, 1e-5);
    rig_step(&r, 120);
    assert_near(rig_body(&r, wheel).angular_velocity, 10.0, 1e-4);
    assert_near(rig_info(&r, hinge).speed, 10.0, 1e-4);
    assert_near(rig_info(&r, hinge).torque, 0.0, 1e-4);
    rig_close(&r);
}

static void revolute_motor_too_weak_stalls(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bar = rig_box(&r, 0.0, -0.5, 0.1, 1.0);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, bar, 0.0, 0.0);
    double moment = rig_body(&r, bar).mass * G * 0.5; // moment of the level bar
    def.fields |= JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE;
    def.motor_speed = 1.0;
    def.max_torque = 0.5 * moment; // the motor holds the bar at 30 degrees
    joint_id hinge = rig_join(&r, &def);
    rig_step(&r, 600);
    assert_near(rig_info(&r, hinge).torque, 0.5 * moment, 1e-4 * moment);
    assert_true(rig_info(&r, hinge).angle < 1.2);
    rig_close(&r);
}

static void revolute_spring_turns_with_its_frequency(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id wheel = rig_ball(&r, 0.0, 0.0, 0.5);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, wheel, 0.0, 0.0);
    def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_TARGET_ANGLE;
    def.hertz = 2.0;
    def.target_angle = 0.7;
    joint_id hinge = rig_join(&r, &def);
    assert_near(rig_period(&r, joint_angle, hinge, 0.7, 600), 0.5, 0.0025);
    rig_close(&r);
}

static void revolute_with_reference_angle_measures_from_there(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id wheel = rig_ball(&r, 0.0, 0.0, 0.5);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, wheel, 0.0, 0.0);
    def.fields |= JOINT_FIELD_REFERENCE_ANGLE;
    def.reference_angle = -1.0;
    joint_id hinge = rig_join(&r, &def);
    assert_near(rig_info(&r, hinge).angle, 1.0, 1e-6);
    rig_close(&r);
}

// ---- weld

static void weld_cantilever_of_five_holds_its_moment(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id before = r.ground;
    joint_id root = 0;
    double weight = 0.0;
    body_id last = 0;
    for (int i = 0; i < 5; i++) {
        last = rig_box(&r, 0.25 + 0.5 * i, 0.0, 0.5, 0.25);
        joint_def def = rig_def_at(JOINT_WELD, before, last, 0.5 * i, 0.0);
        joint_id joined = rig_join(&r, &def);
        root = i == 0 ? joined : root;
        before = last;
        weight += rig_body(&r, last).mass * G;
    }
    rig_step(&r, 1200);
    joint_info info = rig_info(&r, root);
    assert_near(info.force.y, weight, 0.001 * weight);
    assert_near(info.torque, weight * 1.25, 0.005 * weight);
    assert_true(rig_body(&r, last).position.y > -0.1);
    assert_near(rig_body(&r, last).angular_velocity, 0.0, 1e-4);
    rig_close(&r);
}

static void weld_of_free_bodies_moves_as_one(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a = rig_box(&r, 0.0, 0.0, 1.0, 0.2);
    body_id b = rig_box(&r, 1.0, 0.0, 1.0, 0.2);
    joint_def def = rig_def_at(JOINT_WELD, a, b, 0.5, 0.0);
    joint_id weld = rig_join(&r, &def);
    rig_push(&r, a, 0.0, 1.0, 0.0);
    rig_step(&r, 300);
    body_info ia = rig_body(&r, a);
    body_info ib = rig_body(&r, b);
    assert_near(ia.angular_velocity, ib.angular_velocity, 1e-3);
    assert_near(rig_info(&r, weld).angle, 0.0, 1e-3);
    // One body of both: angular momentum m v r / (2 I + 2 m r²), r = 1/2.
    double spin = -ia.mass * 1.0 * 0.5 / (2.0 * (ia.inertia + ia.mass * 0.25));
    assert_near(ia.angular_velocity, spin, 0.01);
    assert_near(ia.velocity.y * 0.5 + ib.velocity.y * 0.5, 0.5, 1e-4);
    rig_close(&r);
}

static void weld_of_bodies_that_do_not_turn_holds_the_point(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id point = rig_point(&r, 0.3, 0.0, 2.0);
    joint_def def = rig_def_at(JOINT_WELD, r.ground, point, 0.0, 0.0);
    rig_join(&r, &def);
    rig_step(&r, 120);
    assert_near(rig_body(&r, point).position.y, 0.0, 0.001);
    assert_near(rig_body(&r, point).position.x, 0.3, 0.001);
    rig_close(&r);
}

static void weld_elastic_angle_swings_with_its_frequency(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id wheel = rig_ball(&r, 0.0, 0.0, 0.5);
    joint_def def = rig_def_at(JOINT_WELD, r.ground, wheel, 0.0, 0.0);
    def.fields |= JOINT_FIELD_ANGULAR_HERTZ;
    def.angular_hertz = 3.0;
    joint_id weld = rig_join(&r, &def);
    rig_push(&r, wheel, 0.0, 0.0, 2.0);
    assert_near(rig_period(&r, joint_angle, weld, 0.0, 600), 1.0 / 3.0, 0.003);
    assert_near(rig_info(&r, weld).length, 0.0, 1e-4);
    rig_close(&r);
}

static void weld_elastic_sags_by_g_over_omega_squared(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id point = rig_point(&r, 0.0, 0.0, 3.0);
    joint_def def = rig_def_at(JOINT_WELD, r.ground, point, 0.0, 0.0);
    def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_DAMPING_RATIO;
    def.hertz = 2.0;
    def.damping_ratio = 1.0;
    rig_join(&r, &def);
    rig_step(&r, 300);
    double omega = 2.0 * PI_D * 2.0;
    assert_near(rig_body(&r, point).position.y, -G / (omega * omega), 1e-4);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(physical_pendulum_small_swing_has_period_of_its_inertia),
        cmocka_unit_test(pendulum_let_go_level_keeps_its_energy),
        cmocka_unit_test(revolute_at_rest_reports_the_weight),
        cmocka_unit_test(revolute_limits_hold_under_load),
        cmocka_unit_test(revolute_limit_beyond_a_turn_counts_turns),
        cmocka_unit_test(revolute_fast_spin_counts_every_turn),
        cmocka_unit_test(revolute_motor_reaches_speed_at_its_torque),
        cmocka_unit_test(revolute_motor_too_weak_stalls),
        cmocka_unit_test(revolute_spring_turns_with_its_frequency),
        cmocka_unit_test(revolute_with_reference_angle_measures_from_there),
        cmocka_unit_test(weld_cantilever_of_five_holds_its_moment),
        cmocka_unit_test(weld_of_free_bodies_moves_as_one),
        cmocka_unit_test(weld_of_bodies_that_do_not_turn_holds_the_point),
        cmocka_unit_test(weld_elastic_angle_swings_with_its_frequency),
        cmocka_unit_test(weld_elastic_sags_by_g_over_omega_squared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
