// Gear joints: turns and slides, of bodies and of joints, coupled by a ratio.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static joint_id hinge(rig *r, body_id a, body_id b, double x, double y)
{
    joint_def def = rig_def_at(JOINT_REVOLUTE, a, b, x, y);
    return rig_join(r, &def);
}

static joint_id rail(rig *r, body_id b, double ax, double ay)
{
    body_info info = rig_body(r, b);
    joint_def def = rig_def_at(JOINT_PRISMATIC, r->ground, b, info.position.x, info.position.y);
    def.fields |= JOINT_FIELD_AXIS;
    def.axis = (vec2){(float)ax, (float)ay};
    return rig_join(r, &def);
}

static joint_id gear(rig *r, joint_id on_a, joint_id on_b, double ratio)
{
    joint_def def = joint_def_default(JOINT_GEAR);
    def.fields = JOINT_FIELD_JOINT_A | JOINT_FIELD_JOINT_B | JOINT_FIELD_RATIO;
    def.joint_a = on_a;
    def.joint_b = on_b;
    def.ratio = ratio;
    return rig_join(r, &def);
}

static void set_motor(rig *r, joint_id id, double speed, double torque)
{
    joint_def values = joint_def_default(JOINT_REVOLUTE);
    values.motor_speed = speed;
    values.max_torque = torque;
    assert_int_equal(
        joint_set(r->world, id, JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE, &values, NULL),
        STATUS_OK);
}

static void gear_of_bodies_turns_them_by_the_ratio(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a = rig_ball(&r, -1.0, 0.0, 0.5);
    body_id b = rig_ball(&r, 1.0, 0.0, 1.0);
    hinge(&r, r.ground, a, -1.0, 0.0);
    hinge(&r, r.ground, b, 1.0, 0.0);
    joint_def def = rig_def(JOINT_GEAR, a, b);
    def.fields = JOINT_FIELD_RATIO;
    def.ratio = 2.0;
    joint_id g = rig_join(&r, &def);
    rig_push(&r, a, 0.0, 0.0, 12.0);
    double inertia_a = rig_body(&r, a).inertia;
    double inertia_b = rig_body(&r, b).inertia;
    rig_step(&r, 1);
    // The impulse P of the gear: w_a = 12 + P / I_a, w_b = 2 P / I_b, w_a + 2 w_b = 0.
    double p = -12.0 / (1.0 / inertia_a + 4.0 / inertia_b);
    assert_near(rig_body(&r, a).angular_velocity, 12.0 + p / inertia_a, 0.01);
    rig_step(&r, 600); // many turns
    joint_info info = rig_info(&r, g);
    assert_true(fabs(info.side_a) > 4.0 * PI_D);
    assert_near(info.side_a + 2.0 * info.side_b, 0.0, 2e-3);
    assert_near(rig_body(&r, a).angular_velocity, -2.0 * rig_body(&r, b).angular_velocity, 1e-3);
    rig_close(&r);
}

static void gear_of_hinges_carries_torque(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a = rig_ball(&r, -1.0, 0.0, 0.5);
    body_id b = rig_ball(&r, 1.0, 0.0, 1.0);
    joint_id on_a = hinge(&r, r.ground, a, -1.0, 0.0);
    joint_id on_b = hinge(&r, r.ground, b, 1.0, 0.0);
    joint_id g = gear(&r, on_a, on_b, -3.0); // the same direction, a three times as fast as b
    set_motor(&r, on_a, 60.0, 2.0);
    double inertia_a = rig_body(&r, a).inertia;
    double inertia_b = rig_body(&r, b).inertia;
    rig_step(&r, 30);
    // Seen from a, b's inertia counts a ninth.
    double wanted = 0.5 * 2.0 / (inertia_a + inertia_b / 9.0);
    assert_near(rig_body(&r, a).angular_velocity, wanted, 0.01 * wanted);
    assert_near(rig_body(&r, b).angular_velocity, wanted / 3.0, 0.01 * wanted);
    assert_near(rig_info(&r, g).torque, inertia_b * wanted / 3.0 / 0.5, 0.02);
    rig_step(&r, 300);
    joint_info info = rig_info(&r, g);
    assert_near(info.side_a - 3.0 * info.side_b, 0.0, 0.01);
    assert_near(info.side_a, rig_info(&r, on_a).angle, 1e-3);
    rig_close(&r);
}

static void gear_of_hinge_and_rail_is_rack_and_pinion(void **state)
{
    (void)state;
    rig r = rig_open(-9.81);
    body_id pinion = rig_ball(&r, 0.0, 0.0, 0.5);
    body_id rack = rig_box(&r, 0.6, 0.0, 0.2, 2.0);
    joint_id on_a = hinge(&r, r.ground, pinion, 0.0, 0.0);
    joint_id on_b = rail(&r, rack, 0.0, 1.0);
    joint_id g = gear(&r, on_a, on_b, -2.0); // angle = 2 translation: a radius of 1/2
    rig_step(&r, 60);
    body_info p = rig_body(&r, pinion);
    body_info k = rig_body(&r, rack);
    double wanted = -9.81 * k.mass / (k.mass + p.inertia * 4.0);
    assert_near(k.velocity.y, wanted, 0.005 * 9.81);
    assert_near(p.angular_velocity, 2.0 * wanted, 0.02 * 9.81);
    joint_info info = rig_info(&r, g);
    assert_near(info.side_a, 2.0 * info.side_b, 1e-3);
    assert_near(info.force.y, k.mass * (9.81 + wanted), 0.05);
    rig_close(&r);
}

// The most bodies that a joint can have: two frames, a wheel on each, the wheels geared. The gear
// takes each impulse on a wheel from that wheel's frame, however the two frames rotate.
static void gear_of_four_bodies_leaves_each_pair_its_angular_momentum(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id frames[2];
    body_id wheels[2];
    joint_id hinges[2];
    double before[2];
    for (int i = 0; i < 2; i++) {
        double x = 6.0 * i;
        frames[i] = rig_box(&r, x, 0.0, 2.0, 0.4);
        wheels[i] = rig_ball(&r, x + 0.8, 0.0, 0.4 + 0.2 * i);
        hinges[i] = hinge(&r, frames[i], wheels[i], x + 0.8, 0.0);
    }
    joint_id g = gear(&r, hinges[0], hinges[1], 1.5);
    rig_push(&r, wheels[0], 0.0, 0.0, 12.0);
    rig_push(&r, frames[1], 0.0, 0.5, 3.0);
    for (int i = 0; i < 2; i++) {
        before[i] = rig_sums_of(&r, frames[i], wheels[i]).angular;
    }
    rig_step(&r, 300);
    for (int i = 0; i < 2; i++) {
        assert_near(rig_sums_of(&r, frames[i], wheels[i]).angular, before[i],
                    1e-3 * fabs(before[i]));
    }
    joint_info info = rig_info(&r, g);
    assert_true(fabs(info.side_a) > 2.0 * PI_D);
    assert_near(info.side_a + 1.5 * info.side_b, 0.0, 5e-3);
    rig_close(&r);
}

// Two wheels that are hinged to a free frame and geared with each other.
typedef struct wheels {
    body_id frame, a, b;
    joint_id gear;
} wheels;

static wheels wheels_on_frame(rig *r, double ratio)
{
    wheels w = {.frame = rig_box(r, 0.0, 0.0, 3.0, 0.4),
                .a = rig_ball(r, -1.0, 0.0, 0.5),
                .b = rig_ball(r, 1.0, 0.0, 0.7)};
    joint_id on_a = hinge(r, w.frame, w.a, -1.0, 0.0);
    joint_id on_b = hinge(r, w.frame, w.b, 1.0, 0.0);
    w.gear = gear(r, on_a, on_b, ratio);
    return w;
}

// Two wheels on one free chassis: the gear's impulses on the frame cancel.
static void gear_on_a_free_frame_keeps_angular_momentum(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    wheels w = wheels_on_frame(&r, 1.5);
    rig_push(&r, w.a, 0.0, 0.0, 10.0);
    double l = rig_body(&r, w.a).inertia * 10.0;
    rig_step(&r, 300);
    const body_id all[] = {w.frame, w.a, w.b};
    double now = 0.0;
    double px = 0.0;
    for (int i = 0; i < 3; i++) {
        body_info k = rig_body(&r, all[i]);
        now += k.inertia * k.angular_velocity +
               k.mass * (k.center.x * k.velocity.y - k.center.y * k.velocity.x);
        px += k.mass * k.velocity.x;
    }
    assert_near(now, l, 0.01 * l);
    assert_near(px, 0.0, 1e-4);
    joint_info info = rig_info(&r, w.gear);
    assert_near(info.side_a + 1.5 * info.side_b, 0.0, 5e-3);
    assert_true(fabs(rig_body(&r, w.frame).angular_velocity) > 0.01);
    rig_close(&r);
}

static void gear_goes_with_a_joint_it_stands_on(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a = rig_ball(&r, -1.0, 0.0, 0.5);
    body_id b = rig_ball(&r, 1.0, 0.0, 1.0);
    joint_id on_a = hinge(&r, r.ground, a, -1.0, 0.0);
    joint_id on_b = hinge(&r, r.ground, b, 1.0, 0.0);
    joint_id g = gear(&r, on_a, on_b, 1.0);
    assert_int_equal(body_joint_count(r.world, a), 2);
    assert_int_equal(joint_remove(r.world, on_b, NULL), STATUS_OK);
    joint_info info;
    assert_int_equal(joint_get(r.world, g, &info, NULL), STATUS_NOT_FOUND);
    assert_int_equal(body_joint_count(r.world, a), 1);
    rig_step(&r, 2);
    rig_close(&r);
}

static void gear_goes_with_the_body_of_its_frame(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id frame = rig_box(&r, 0.0, 0.0, 3.0, 0.4);
    body_id a = rig_ball(&r, -1.0, 0.0, 0.5);
    body_id b = rig_ball(&r, 1.0, 0.0, 0.7);
    joint_id on_a = hinge(&r, frame, a, -1.0, 0.0);
    joint_id on_b = hinge(&r, r.ground, b, 1.0, 0.0);
    gear(&r, on_a, on_b, 1.5);
    rig_step(&r, 2);
    assert_int_equal(body_remove(r.world, frame, NULL), STATUS_OK);
    assert_int_equal(world_count(r.world).joints, 1);
    assert_int_equal(world_next_joint(r.world, 0), on_b);
    rig_step(&r, 2);
    rig_close(&r);
}

static void gear_rests_while_its_frame_is_disabled(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    wheels w = wheels_on_frame(&r, 1.0);
    body_def off = body_def_default();
    off.enabled = false;
    assert_int_equal(body_set(r.world, w.frame, BODY_FIELD_ENABLED, &off, NULL), STATUS_OK);
    rig_push(&r, w.a, 0.0, 0.0, 3.0);
    rig_step(&r, 10);
    assert_near(rig_body(&r, w.a).angular_velocity, 3.0, 1e-6);
    assert_near(rig_body(&r, w.b).angular_velocity, 0.0, 1e-6);
    off.enabled = true;
    assert_int_equal(body_set(r.world, w.frame, BODY_FIELD_ENABLED, &off, NULL), STATUS_OK);
    rig_step(&r, 10);
    assert_true(fabs(rig_body(&r, w.b).angular_velocity) > 0.1);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gear_of_bodies_turns_them_by_the_ratio),
        cmocka_unit_test(gear_of_hinges_carries_torque),
        cmocka_unit_test(gear_of_hinge_and_rail_is_rack_and_pinion),
        cmocka_unit_test(gear_of_four_bodies_leaves_each_pair_its_angular_momentum),
        cmocka_unit_test(gear_on_a_free_frame_keeps_angular_momentum),
        cmocka_unit_test(gear_goes_with_a_joint_it_stands_on),
        cmocka_unit_test(gear_goes_with_the_body_of_its_frame),
        cmocka_unit_test(gear_rests_while_its_frame_is_disabled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
