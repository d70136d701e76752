// Joints that are solved eight at a time: each behaves as it would alone, whatever is in the other
// lanes.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct arm { // a swinging arm of two bars, the second one driven
    body_id upper, lower;
    joint_id shoulder, elbow;
} arm;

static arm hang_arm(rig *r, bool driven)
{
    arm a;
    a.upper = rig_box(r, 0.5, 0.0, 1.0, 0.2);
    a.lower = rig_box(r, 1.5, 0.0, 1.0, 0.2);
    joint_def shoulder = rig_def_at(JOINT_REVOLUTE, r->ground, a.upper, 0.0, 0.0);
    a.shoulder = rig_join(r, &shoulder);
    joint_def elbow = rig_def_at(JOINT_REVOLUTE, a.upper, a.lower, 1.0, 0.0);
    if (driven) {
        elbow.fields |= JOINT_FIELD_LOWER | JOINT_FIELD_UPPER | JOINT_FIELD_MOTOR_SPEED |
                        JOINT_FIELD_MAX_TORQUE | JOINT_FIELD_HERTZ;
        elbow.lower = -0.5;
        elbow.upper = 0.25;
        elbow.motor_speed = 1.0;
        elbow.max_torque = 0.5;
        elbow.hertz = 2.0;
    }
    a.elbow = rig_join(r, &elbow);
    return a;
}

static void assert_same_body(const rig *r, body_id id, const rig *other, body_id other_id)
{
    body_info a = rig_body(r, id);
    body_info b = rig_body(other, other_id);
    assert_memory_equal(&a.position, &b.position, sizeof a.position);
    assert_true(a.angle == b.angle && a.angular_velocity == b.angular_velocity);
}

static void assert_same_joint(const rig *r, joint_id id, const rig *other, joint_id other_id)
{
    joint_info a = rig_info(r, id);
    joint_info b = rig_info(other, other_id);
    assert_true(a.angle == b.angle && a.torque == b.torque);
    assert_true(a.force.x == b.force.x && a.force.y == b.force.y);
}

static void joint_among_any_number_moves_as_alone_to_the_bit(void **state)
{
    (void)state;
    enum { MOST = 19 };
    for (int count = 1; count <= MOST; count += 6) {
        rig alone[2] = {rig_open(-10.0), rig_open(-10.0)};
        arm one[2] = {hang_arm(&alone[0], false), hang_arm(&alone[1], true)};
        rig many = rig_open(-10.0);
        arm arms[MOST];
        for (int i = 0; i < count; i++) {
            arms[i] = hang_arm(&many, i % 3 == 0);
        }
        for (int step = 0; step < 50; step++) {
            rig_step(&alone[0], 1);
            rig_step(&alone[1], 1);
            rig_step(&many, 1);
            for (int i = 0; i < count; i++) {
                int like = i % 3 == 0;
                assert_same_body(&many, arms[i].upper, &alone[like], one[like].upper);
                assert_same_body(&many, arms[i].lower, &alone[like], one[like].lower);
                assert_same_joint(&many, arms[i].shoulder, &alone[like], one[like].shoulder);
                assert_same_joint(&many, arms[i].elbow, &alone[like], one[like].elbow);
            }
        }
        rig_close(&alone[0]);
        rig_close(&alone[1]);
        rig_close(&many);
    }
}

// Wheels of one colour: some pass half a turn in one sub-step or another, some in each, some never.
static void every_lane_counts_its_own_turns(void **state)
{
    (void)state;
    static const double speeds[] = {300.0, -300.0, 0.0,   1.0,    -0.5,
                                    75.0,  -180.0, 230.0, 3900.0, -1000.0};
    enum { COUNT = sizeof speeds / sizeof *speeds };
    rig r = rig_open(0.0);
    joint_id hinges[COUNT];
    for (int i = 0; i < COUNT; i++) {
        body_id wheel = rig_ball(&r, 2.0 * i, 0.0, 0.5);
        joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, wheel, 2.0 * i, 0.0);
        hinges[i] = rig_join(&r, &def);
        rig_push(&r, wheel, 0.0, 0.0, speeds[i]);
    }
    for (int step = 1; step <= 100; step++) {
        rig_step(&r, 1);
        for (int i = 0; i < COUNT; i++) {
            assert_near(rig_info(&r, hinges[i]).angle, speeds[i] * step / 60.0, 0.01);
        }
    }
    rig_close(&r);
}

// More joints on one body than there are colours, of kinds that are solved in lanes and of others.
static void joints_without_a_colour_hold(void **state)
{
    (void)state;
    enum { SPOKES = 30 };
    rig r = rig_open(0.0);
    body_id hub = rig_ball(&r, 0.0, 0.0, 1.0);
    joint_id spokes[SPOKES];
    for (int i = 0; i < SPOKES; i++) {
        double angle = 2.0 * PI_D * i / SPOKES;
        double x = cos(angle);
        double y = sin(angle);
        body_id rim = rig_ball(&r, 2.0 * x, 2.0 * y, 0.2);
        joint_kind kind = i % 3 == 0 ? JOINT_WELD : JOINT_REVOLUTE;
        joint_def def = rig_def_at(kind, hub, rim, 1.5 * x, 1.5 * y);
        if (i % 3 == 1) {
            def.fields |= JOINT_FIELD_LOWER | JOINT_FIELD_UPPER;
            def.lower = def.upper = 0.0;
        }
        spokes[i] = rig_join(&r, &def);
        rig_push(&r, rim, -4.0 * y, 4.0 * x, 2.0); // the wheel turns as one body at 2 rad/s
    }
    rig_push(&r, hub, 0.0, 0.0, 2.0);
    rig_step(&r, 200);
    for (int i = 0; i < SPOKES; i++) {
        assert_near(rig_info(&r, spokes[i]).length, 0.0, 0.01);
    }
    body_info b = rig_body(&r, hub);
    assert_near(b.angular_velocity, 2.0, 0.05);
    assert_near(b.position.x, 0.0, 0.01);
    assert_near(b.position.y, 0.0, 0.01);
    rig_close(&r);
}

// A drive that is switched off stops pushing.
static void spring_set_to_nothing_pushes_no_more(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id wheel = rig_ball(&r, 0.0, 0.0, 0.5);
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, wheel, 0.0, 0.0);
    def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_TARGET_ANGLE;
    def.hertz = 1.0;
    def.target_angle = 1.0;
    joint_id hinge = rig_join(&r, &def);
    rig_step(&r, 5);
    double before = rig_body(&r, wheel).angular_velocity;
    assert_true(before > 0.1);
    joint_def change = {.hertz = 0.0};
    error err;
    assert_int_equal(joint_set(r.world, hinge, JOINT_FIELD_HERTZ, &change, &err), STATUS_OK);
    rig_step(&r, 20);
    assert_near(rig_body(&r, wheel).angular_velocity, before, 1e-6);
    assert_near(rig_info(&r, hinge).torque, 0.0, 0.0);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_among_any_number_moves_as_alone_to_the_bit),
        cmocka_unit_test(every_lane_counts_its_own_turns),
        cmocka_unit_test(joints_without_a_colour_hold),
        cmocka_unit_test(spring_set_to_nothing_pushes_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
