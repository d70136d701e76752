// Motor and mouse joints reach their targets, with the force that they may use.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double G = 9.81;

// ---- motor

static void motor_holds_the_pose_it_was_made_in(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id box = rig_box(&r, 1.0, 2.0, 1.0, 0.5);
    joint_def def = rig_def(JOINT_MOTOR, r.ground, box);
    joint_id motor = rig_join(&r, &def);
    rig_push(&r, box, 3.0, -2.0, 4.0);
    rig_step(&r, 180);
    body_info b = rig_body(&r, box);
    assert_near(b.position.x, 1.0, 1e-3);
    assert_near(b.position.y, 2.0, 1e-3);
    assert_near(b.angle, 0.0, 1e-3);
    assert_near(rig_info(&r, motor).def.target.x, 1.0, 1e-9);
    rig_close(&r);
}

static void motor_drives_to_a_target_pose(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id box = rig_box(&r, 0.0, 0.0, 1.0, 0.5);
    joint_def def = rig_def(JOINT_MOTOR, r.ground, box);
    def.fields = JOINT_FIELD_TARGET | JOINT_FIELD_TARGET_ANGLE;
    def.target = (vec2d){2.0, -1.0};
    def.target_angle = 3.0 * PI_D / 4.0;
    rig_join(&r, &def);
    rig_step(&r, 180);
    body_info b = rig_body(&r, box);
    assert_near(b.position.x, 2.0, 1e-3);
    assert_near(b.position.y, -1.0, 1e-3);
    assert_near(b.angle, 3.0 * PI_D / 4.0, 1e-3);
    rig_close(&r);
}

static void motor_target_is_in_the_frame_of_a(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_def base = body_def_default();
    base.type = BODY_KINEMATIC;
    base.position = (vec2d){5.0, 5.0};
    base.angle = PI_D / 2.0;
    body_id a = 0;
    assert_int_equal(body_create(r.world, &base, &a, NULL), STATUS_OK);
    body_id box = rig_box(&r, 5.0, 5.0, 0.5, 0.5);
    joint_def def = rig_def(JOINT_MOTOR, a, box);
    def.fields = JOINT_FIELD_TARGET | JOINT_FIELD_TARGET_ANGLE;
    def.target = (vec2d){2.0, 0.0};
    def.target_angle = 0.0;
    rig_join(&r, &def);
    rig_step(&r, 180);
    assert_near(rig_body(&r, box).position.x, 5.0, 1e-3);
    assert_near(rig_body(&r, box).position.y, 7.0, 1e-3);
    assert_near(rig_body(&r, box).angle, PI_D / 2.0, 1e-3);
    rig_close(&r);
}

static void motor_with_velocity_alone_drives_at_it(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id box = rig_box(&r, 0.0, 0.0, 1.0, 1.0);
    joint_def def = rig_def(JOINT_MOTOR, r.ground, box);
    def.fields = JOINT_FIELD_VELOCITY | JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_FORCE |
                 JOINT_FIELD_MAX_TORQUE;
    def.velocity = (vec2){1.5f, -0.5f};
    def.motor_speed = 2.0;
    def.max_force = 2.0;
    def.max_torque = 1.0;
    joint_id motor = rig_join(&r, &def);
    rig_step(&r, 15);
    body_info b = rig_body(&r, box);
    double speed = sqrt(b.velocity.x * b.velocity.x + b.velocity.y * b.velocity.y);
    assert_near(speed, 2.0 * 0.25, 1e-3); // 1 kg at 2 N
    joint_info info = rig_info(&r, motor);
    assert_near(sqrt(info.force.x * info.force.x + info.force.y * info.force.y), 2.0, 1e-4);
    assert_near(info.torque, 1.0, 1e-4);
    rig_step(&r, 120);
    b = rig_body(&r, box);
    assert_near(b.velocity.x, 1.5, 1e-3);
    assert_near(b.velocity.y, -0.5, 1e-3);
    assert_near(b.angular_velocity, 2.0, 1e-3);
    rig_close(&r);
}

// A motor of speed zero and bounded force is dry friction: v² = 2 a s.
static void motor_as_friction_stops_after_the_formulas_way(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id box = rig_box(&r, 0.0, 0.0, 1.0, 1.0);
    joint_def def = rig_def(JOINT_MOTOR, r.ground, box);
    def.fields = JOINT_FIELD_HERTZ | JOINT_FIELD_MAX_FORCE | JOINT_FIELD_MAX_TORQUE;
    def.hertz = 0.0;
    def.max_force = 4.0;
    def.max_torque = 1.0;
    rig_join(&r, &def);
    rig_push(&r, box, 4.0, 0.0, 0.0);
    rig_step(&r, 120);
    assert_near(rig_body(&r, box).velocity.x, 0.0, 1e-5);
    assert_near(rig_body(&r, box).position.x, 2.0, 0.02);
    rig_close(&r);
}

static void motor_between_free_bodies_keeps_momenta(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a = rig_box(&r, 0.0, 0.0, 1.0, 0.5);
    body_id b = rig_box(&r, 3.0, 1.0, 0.5, 0.5);
    joint_def def = rig_def(JOINT_MOTOR, a, b);
    def.fields = JOINT_FIELD_TARGET | JOINT_FIELD_TARGET_ANGLE;
    def.target = (vec2d){0.0, 2.0};
    def.target_angle = 1.0;
    rig_join(&r, &def);
    rig_step(&r, 240);
    body_info ia = rig_body(&r, a);
    body_info ib = rig_body(&r, b);
    assert_near(ia.mass * ia.velocity.x + ib.mass * ib.velocity.x, 0.0, 1e-5);
    assert_near(ia.mass * ia.velocity.y + ib.mass * ib.velocity.y, 0.0, 1e-5);
    double l = ia.inertia * ia.angular_velocity + ib.inertia * ib.angular_velocity +
               ia.mass * (ia.center.x * ia.velocity.y - ia.center.y * ia.velocity.x) +
               ib.mass * (ib.center.x * ib.velocity.y - ib.center.y * ib.velocity.x);
    assert_near(l, 0.0, 5e-3);
    rig_close(&r);
}

// ---- mouse

static joint_def drag(body_id b, double x, double y)
{
    joint_def def = joint_def_default(JOINT_MOUSE);
    def.b = b;
    def.fields = JOINT_FIELD_TARGET;
    def.target = (vec2d){x, y};
    return def;
}

static void mouse_drags_the_point_it_took(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id box = rig_box(&r, 0.0, 0.0, 1.0, 0.5);
    joint_def def = drag(box, 0.4, 0.2);
    joint_id mouse = rig_join(&r, &def);
    def.target = (vec2d){3.0, 4.0};
    assert_int_equal(joint_set(r.world, mouse, JOINT_FIELD_TARGET, &def, NULL), STATUS_OK);
    rig_step(&r, 1200);
    joint_info info = rig_info(&r, mouse);
    assert_int_equal(info.def.a, 0);
    assert_near(info.anchor_a.x, 3.0, 1e-9);
    assert_near(info.anchor_b.x, 3.0, 0.02);
    assert_near(info.anchor_b.y, 4.0, 0.05);
    assert_near(info.def.anchor_b.x, 0.4, 1e-6);
    rig_close(&r);
}

// A target outside the body pulls at its centre of mass, so that no lever turns the body.
static void mouse_from_afar_draws_the_centre_of_mass(void **state)
{
    (void)state;
    const double rates[] = {30.0, 60.0, 120.0, 240.0};
    for (int i = 0; i < 4; i++) {
        world_def world = world_def_default();
        world.hz = rates[i];
        world.gravity = (vec2d){0.0, 0.0};
        world.sleep = false;
        rig r = rig_open_def(&world);
        body_id box = rig_box(&r, 1.0, 0.0, 1.0, 0.5);
        shape_def more = shape_def_default(); // off centre: the centre of mass is not the origin
        more.geometry =
            (shape_geometry){.kind = SHAPE_CIRCLE, .circle = {.center = {1, 0}, .radius = 0.5f}};
        more.filter.group = -1;
        shape_id added;
        assert_int_equal(shape_add(r.world, box, &more, &added, NULL), STATUS_OK);
        joint_def def = joint_def_default(JOINT_MOUSE);
        def.b = box;
        def.fields = JOINT_FIELD_TARGET;
        def.target = (vec2d){3.0, 4.0};
        rig_join(&r, &def);
        rig_step(&r, (int)(3.0 * rates[i]));
        assert_near(rig_body(&r, box).center.x, 3.0, 1e-3);
        assert_near(rig_body(&r, box).center.y, 4.0, 1e-3);
        assert_near(rig_body(&r, box).angle, 0.0, 1e-4);
        rig_close(&r);
    }
}

static void mouse_uses_no_more_than_its_force(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id point = rig_point(&r, 0.0, 0.0, 2.0);
    joint_def def = drag(point, 0.0, 0.0);
    def.fields |= JOINT_FIELD_MAX_FORCE | JOINT_FIELD_ANCHOR;
    def.max_force = 6.0;
    def.target = (vec2d){100.0, 0.0};
    joint_id mouse = rig_join(&r, &def);
    rig_step(&r, 60);
    assert_near(rig_body(&r, point).velocity.x, 3.0, 1e-3);
    assert_near(rig_info(&r, mouse).force.x, 6.0, 1e-4);
    rig_close(&r);
}

static void mouse_too_weak_does_not_lift(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id point = rig_point(&r, 0.0, 0.0, 2.0);
    joint_def def = drag(point, 0.0, 0.0);
    def.fields |= JOINT_FIELD_MAX_FORCE;
    def.max_force = G; // half of the weight
    rig_join(&r, &def);
    rig_step(&r, 60);
    assert_near(rig_body(&r, point).velocity.y, -G / 2.0, 0.1);
    rig_close(&r);
}

static void mouse_given_only_a_drags_that(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id point = rig_point(&r, 0.0, 0.0, 2.0);
    joint_def def = drag(0, 1.0, 0.0);
    def.a = point;
    def.fields |= JOINT_FIELD_ANCHOR_B;
    joint_id mouse = rig_join(&r, &def);
    assert_int_equal(rig_info(&r, mouse).def.b, point);
    rig_step(&r, 120);
    assert_near(rig_body(&r, point).position.x, 1.0, 1e-3);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motor_holds_the_pose_it_was_made_in),
        cmocka_unit_test(motor_drives_to_a_target_pose),
        cmocka_unit_test(motor_target_is_in_the_frame_of_a),
        cmocka_unit_test(motor_with_velocity_alone_drives_at_it),
        cmocka_unit_test(motor_as_friction_stops_after_the_formulas_way),
        cmocka_unit_test(motor_between_free_bodies_keeps_momenta),
        cmocka_unit_test(mouse_drags_the_point_it_took),
        cmocka_unit_test(mouse_from_afar_draws_the_centre_of_mass),
        cmocka_unit_test(mouse_uses_no_more_than_its_force),
        cmocka_unit_test(mouse_too_weak_does_not_lift),
        cmocka_unit_test(mouse_given_only_a_drags_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
