// Prismatic and wheel joints: the axis and the angle are kept, springs and motors do what they
// should.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double G = 9.81;

static double translation(const rig *r, uint64_t id)
{
    return rig_info(r, id).translation;
}

static joint_def slide(rig *r, joint_kind kind, body_id b, double ax, double ay)
{
    joint_def def = rig_def_at(kind, r->ground, b, 0.0, 0.0);
    def.fields |= JOINT_FIELD_AXIS;
    def.axis = (vec2){(float)ax, (float)ay};
    return def;
}

// ---- prismatic

static void prismatic_on_a_slope_slides_with_the_formula(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id box = rig_box(&r, 0.0, 0.0, 0.6, 0.4);
    joint_def def = slide(&r, JOINT_PRISMATIC, box, 0.8, -0.6);
    joint_id rail = rig_join(&r, &def);
    for (int i = 0; i < 120; i++) {
        rig_step(&r, 1);
        body_info b = rig_body(&r, box);
        // the position across the axis does not change
        assert_near(0.6 * b.position.x + 0.8 * b.position.y, 0.0, 1e-3);
        assert_near(b.angle, 0.0, 1e-3);
    }
    assert_near(rig_info(&r, rail).speed, 0.6 * G * 2.0, 0.01);
    assert_near(translation(&r, rail), 0.5 * 0.6 * G * 4.0, 0.06);
    rig_close(&r);
}

static void prismatic_bears_an_eccentric_load(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id arm = rig_box(&r, 0.0, 0.0, 2.0, 0.2);
    joint_def def = rig_def_at(JOINT_PRISMATIC, r.ground, arm, -1.0, 0.0);
    def.fields |= JOINT_FIELD_AXIS | JOINT_FIELD_LOWER;
    def.axis = (vec2){0.0f, 1.0f};
    def.lower = -0.25;
    joint_id rail = rig_join(&r, &def);
    rig_step(&r, 300);
    body_info b = rig_body(&r, arm);
    joint_info info = rig_info(&r, rail);
    assert_near(b.angle, 0.0, 0.005);
    assert_near(info.translation, -0.25, 0.002);
    assert_near(info.force.y, b.mass * G, 0.001 * b.mass * G);
    assert_near(info.torque, b.mass * G, 0.01 * b.mass * G); // arm of 1 m
    rig_close(&r);
}

static void prismatic_limits_stop_a_fast_slide(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id box = rig_box(&r, 0.0, 0.0, 0.6, 0.4);
    joint_def def = slide(&r, JOINT_PRISMATIC, box, 2.0, 0.0); // the axis may have any length
    def.fields |= JOINT_FIELD_LOWER | JOINT_FIELD_UPPER;
    def.lower = -1.0;
    def.upper = 2.0;
    joint_id rail = rig_join(&r, &def);
    rig_push(&r, box, 100.0, 0.0, 0.0);
    for (int i = 0; i < 30; i++) {
        rig_step(&r, 1);
        assert_true(translation(&r, rail) < 2.01);
    }
    assert_near(translation(&r, rail), 2.0, 0.01);
    rig_push(&r, box, -100.0, 0.0, 0.0);
    for (int i = 0; i < 30; i++) {
        rig_step(&r, 1);
        assert_true(translation(&r, rail) > -1.01);
    }
    rig_close(&r);
}

static void prismatic_motor_lifts_at_speed_and_reports_its_force(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id box = rig_box(&r, 0.0, 0.0, 1.0, 1.0);
    joint_def def = slide(&r, JOINT_PRISMATIC, box, 0.0, 1.0);
    def.fields |= JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_FORCE;
    def.motor_speed = 2.0;
    def.max_force = 15.0;
    joint_id lift = rig_join(&r, &def);
    rig_step(&r, 12);
    assert_near(rig_info(&r, lift).speed, (15.0 - G) * 0.2, 1e-3);
    assert_near(rig_info(&r, lift).force.y, 15.0, 1e-4);
    rig_step(&r, 120);
    assert_near(rig_info(&r, lift).speed, 2.0, 1e-3);
    assert_near(rig_info(&r, lift).force.y, G, 1e-3);
    rig_close(&r);
}

static void prismatic_motor_set_off_lets_it_fall(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id box = rig_box(&r, 0.0, 0.0, 1.0, 1.0);
    joint_def def = slide(&r, JOINT_PRISMATIC, box, 0.0, 1.0);
    def.fields |= JOINT_FIELD_MOTOR_SPEED; // a brake of unlimited force
    joint_id lift = rig_join(&r, &def);
    rig_step(&r, 60);
    assert_near(translation(&r, lift), 0.0, 1e-3);
    def.max_force = 0.0;
    assert_int_equal(joint_set(r.world, lift, JOINT_FIELD_MAX_FORCE, &def, NULL), STATUS_OK);
    rig_step(&r, 60);
    assert_near(rig_info(&r, lift).speed, -G, 0.01);
    rig_close(&r);
}

static void prismatic_spring_swings_about_its_target(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id box = rig_box(&r, 0.0, 0.0, 1.0, 1.0);
    joint_def def = slide(&r, JOINT_PRISMATIC, box, 1.0, 0.0);
    def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_TARGET_TRANSLATION;
    def.hertz = 1.0;
    def.target_translation = 0.5;
    joint_id spring = rig_join(&r, &def);
    assert_near(rig_period(&r, translation, spring, 0.5, 600), 1.0, 0.002);
    rig_close(&r);
}

static void prismatic_between_free_bodies_keeps_momenta(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a = rig_box(&r, 0.0, 0.0, 1.0, 0.4);
    body_id b = rig_box(&r, 1.0, 0.5, 0.5, 0.5);
    joint_def def = rig_def_at(JOINT_PRISMATIC, a, b, 1.0, 0.5);
    def.fields |= JOINT_FIELD_AXIS;
    def.axis = (vec2){1.0f, 0.2f};
    joint_id rail = rig_join(&r, &def);
    rig_push(&r, b, 1.0, -2.0, 1.5);
    body_info ib = rig_body(&r, b);
    double px = ib.mass * 1.0;
    double py = ib.mass * -2.0;
    double l = ib.inertia * 1.5 + ib.mass * (1.0 * -2.0 - 0.5 * 1.0);
    rig_step(&r, 90);
    body_info ia = rig_body(&r, a);
    ib = rig_body(&r, b);
    assert_near(ia.mass * ia.velocity.x + ib.mass * ib.velocity.x, px, 1e-5);
    assert_near(ia.mass * ia.velocity.y + ib.mass * ib.velocity.y, py, 1e-5);
    double now = ia.inertia * ia.angular_velocity + ib.inertia * ib.angular_velocity +
                 ia.mass * (ia.center.x * ia.velocity.y - ia.center.y * ia.velocity.x) +
                 ib.mass * (ib.center.x * ib.velocity.y - ib.center.y * ib.velocity.x);
    assert_near(now, l, 2e-3);
    assert_near(rig_info(&r, rail).angle, 0.0, 2e-3);
    rig_close(&r);
}

// ---- wheel

static void wheel_spring_swings_and_sags_by_the_formula(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id ball = rig_ball(&r, 0.0, 0.0, 0.3);
    joint_def def = slide(&r, JOINT_WHEEL, ball, 0.0, 1.0);
    def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_DAMPING_RATIO;
    def.hertz = 1.5;
    def.damping_ratio = 0.0;
    joint_id wheel = rig_join(&r, &def);
    double omega = 2.0 * PI_D * 1.5;
    double sag = -G / (omega * omega);
    assert_near(rig_period(&r, translation, wheel, sag, 600), 1.0 / 1.5, 0.002);
    def.damping_ratio = 1.0;
    assert_int_equal(joint_set(r.world, wheel, JOINT_FIELD_DAMPING_RATIO, &def, NULL), STATUS_OK);
    rig_step(&r, 300);
    assert_near(translation(&r, wheel), sag, 1e-4);
    assert_near(rig_body(&r, ball).position.x, 0.0, 1e-4);
    rig_close(&r);
}

static void wheel_limits_hold_without_a_spring(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id ball = rig_ball(&r, 0.0, 0.0, 0.3);
    joint_def def = slide(&r, JOINT_WHEEL, ball, 0.0, 1.0);
    def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_LOWER | JOINT_FIELD_UPPER;
    def.hertz = 0.0;
    def.lower = -0.2;
    def.upper = 0.1;
    joint_id wheel = rig_join(&r, &def);
    rig_step(&r, 120);
    assert_near(translation(&r, wheel), -0.2, 0.002);
    rig_close(&r);
}

// A car of a box and two wheels, on a slope of 0.2 rad, first held by its brakes, then released.
static void wheels_on_a_slope_roll_with_the_formula_and_brake(void **state)
{
    (void)state;
    const double slope = 0.2;
    world_def world = world_def_default();
    world.gravity = (vec2d){G * sin(slope), -G * cos(slope)};
    world.sleep = false;
    rig r = rig_open_def(&world);
    shape_def floor = shape_def_default();
    floor.geometry.kind = SHAPE_SEGMENT;
    floor.geometry.segment = (segment){{-100.0f, 0.0f}, {100.0f, 0.0f}};
    floor.friction = 1.0;
    shape_id ignored;
    assert_int_equal(shape_add(r.world, r.ground, &floor, &ignored, NULL), STATUS_OK);
    body_id car = rig_box(&r, 0.0, 0.8, 2.0, 0.5);
    joint_id joints[2];
    body_id wheels[2];
    joint_def def = joint_def_default(JOINT_WHEEL);
    for (int i = 0; i < 2; i++) {
        double x = i == 0 ? -0.8 : 0.8;
        wheels[i] = rig_ball(&r, x, 0.4, 0.4);
        def = rig_def_at(JOINT_WHEEL, car, wheels[i], x, 0.4);
        def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_DAMPING_RATIO | JOINT_FIELD_MOTOR_SPEED;
        def.hertz = 5.0;
        def.damping_ratio = 0.7;
        joints[i] = rig_join(&r, &def);
    }
    rig_step(&r, 120);
    double start = rig_body(&r, car).position.x;
    rig_step(&r, 120);
    assert_near(rig_body(&r, car).position.x, start, 0.01); // brakes hold

    def.max_torque = 0.0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(joint_set(r.world, joints[i], JOINT_FIELD_MAX_TORQUE, &def, NULL),
                         STATUS_OK);
    }
    rig_step(&r, 30);
    double before = rig_body(&r, car).velocity.x;
    rig_step(&r, 60);
    body_info c = rig_body(&r, car);
    body_info w = rig_body(&r, wheels[0]);
    double moved = c.mass + 2.0 * w.mass;
    double wanted = moved * G * sin(slope) / (moved + 2.0 * w.inertia / (0.4 * 0.4));
    assert_near(c.velocity.x - before, wanted, 0.02 * wanted);
    assert_near(w.angular_velocity, -c.velocity.x / 0.4, 0.05);
    rig_close(&r);
}

static void wheel_motor_spins_up_at_its_torque(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id ball = rig_ball(&r, 0.0, 0.0, 0.3);
    joint_def def = slide(&r, JOINT_WHEEL, ball, 0.0, 1.0);
    def.fields |= JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE;
    def.motor_speed = -40.0;
    def.max_torque = 0.1;
    joint_id wheel = rig_join(&r, &def);
    double inertia = rig_body(&r, ball).inertia;
    rig_step(&r, 30);
    assert_near(rig_info(&r, wheel).speed, -0.5 * 0.1 / inertia, 0.01);
    rig_step(&r, 600);
    assert_near(rig_info(&r, wheel).speed, -40.0, 1e-3);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prismatic_on_a_slope_slides_with_the_formula),
        cmocka_unit_test(prismatic_bears_an_eccentric_load),
        cmocka_unit_test(prismatic_limits_stop_a_fast_slide),
        cmocka_unit_test(prismatic_motor_lifts_at_speed_and_reports_its_force),
        cmocka_unit_test(prismatic_motor_set_off_lets_it_fall),
        cmocka_unit_test(prismatic_spring_swings_about_its_target),
        cmocka_unit_test(prismatic_between_free_bodies_keeps_momenta),
        cmocka_unit_test(wheel_spring_swings_and_sags_by_the_formula),
        cmocka_unit_test(wheel_limits_hold_without_a_spring),
        cmocka_unit_test(wheels_on_a_slope_roll_with_the_formula_and_brake),
        cmocka_unit_test(wheel_motor_spins_up_at_its_torque),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
