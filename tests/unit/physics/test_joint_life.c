// The life of joints: collisions of joined bodies, waking, breaking, removal with a body; and the
// same behaviour far from the origin.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double G = 9.81;

// Two overlapping boxes that would collide.
static void two_boxes(rig *r, body_id *a, body_id *b)
{
    body_id *out[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        body_def def = body_def_default();
        def.position = (vec2d){0.4 * i, 0.0};
        shape_def s = shape_def_default();
        s.geometry.kind = SHAPE_POLYGON;
        assert_int_equal(polygon_make_box((vec2){1.0f, 1.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f,
                                          &s.geometry.polygon, NULL),
                         STATUS_OK);
        assert_int_equal(body_spawn(r->world, &def, &s, 1, out[i], NULL, NULL), STATUS_OK);
    }
}

static uint32_t count_events(const rig *r, event_kind kind, physics_event *last)
{
    uint32_t count;
    uint32_t found = 0;
    const physics_event *events = world_events(r->world, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (events[i].kind == kind) {
            *last = events[i];
            found++;
        }
    }
    return found;
}

// ---- collision

static void filter_joint_keeps_bodies_from_colliding_until_removed(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a;
    body_id b;
    two_boxes(&r, &a, &b);
    rig_step(&r, 1);
    assert_int_equal(world_count(r.world).contacts, 1);
    joint_def def = rig_def(JOINT_FILTER, a, b);
    joint_id filter = rig_join(&r, &def);
    assert_int_equal(world_count(r.world).contacts, 0);
    double x = rig_body(&r, b).position.x;
    rig_push(&r, a, 0.0, 0.0, 0.0);
    rig_push(&r, b, 0.0, 0.0, 0.0);
    rig_step(&r, 60);
    assert_int_equal(world_count(r.world).contacts, 0);
    assert_near(rig_body(&r, b).position.x, x, 1e-9);
    assert_int_equal(joint_remove(r.world, filter, NULL), STATUS_OK);
    rig_step(&r, 2);
    assert_int_equal(world_count(r.world).contacts, 1);
    rig_close(&r);
}

static void contact_that_a_joint_ends_makes_its_event(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a;
    body_id b;
    two_boxes(&r, &a, &b);
    rig_step(&r, 1);
    physics_event event = {.kind = EVENT_KIND_COUNT};
    assert_int_equal(count_events(&r, EVENT_BEGIN, &event), 1);
    joint_def def = rig_def_at(JOINT_REVOLUTE, a, b, 0.2, 0.0);
    rig_join(&r, &def);
    rig_step(&r, 1);
    assert_int_equal(count_events(&r, EVENT_END, &event), 1);
    rig_close(&r);
}

static void collide_connected_bodies_go_on_colliding(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a;
    body_id b;
    two_boxes(&r, &a, &b);
    joint_def def = rig_def(JOINT_DISTANCE, a, b);
    def.fields = JOINT_FIELD_UPPER | JOINT_FIELD_COLLIDE_CONNECTED;
    def.upper = 5.0;
    def.collide_connected = true;
    rig_join(&r, &def);
    rig_step(&r, 120);
    assert_true(rig_body(&r, b).position.x - rig_body(&r, a).position.x > 0.95);
    rig_close(&r);
}

static void second_joint_of_a_pair_still_prevents_contact(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a;
    body_id b;
    two_boxes(&r, &a, &b);
    joint_def def = rig_def(JOINT_FILTER, a, b);
    joint_id first = rig_join(&r, &def);
    rig_join(&r, &def);
    assert_int_equal(joint_remove(r.world, first, NULL), STATUS_OK);
    rig_step(&r, 5);
    assert_int_equal(world_count(r.world).contacts, 0);
    rig_close(&r);
}

// ---- breaking

static void joint_breaks_at_its_force_and_tells(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 0.0, -1.0, 2.0);
    joint_def def = rig_def(JOINT_DISTANCE, r.ground, bob);
    def.fields = JOINT_FIELD_BREAK_FORCE;
    def.break_force = 30.0;
    joint_id rod = rig_join(&r, &def);
    rig_step(&r, 60);
    assert_near(rig_info(&r, rod).force.y, 2.0 * G, 0.01); // below

    // Pulled down with 9 N the joint holds, with 11 N more it breaks.
    assert_int_equal(body_set_force(r.world, bob, (vec2d){0.0, -9.0}, NULL, NULL), STATUS_OK);
    rig_step(&r, 60);
    assert_near(rig_info(&r, rod).force.y, 2.0 * G + 9.0, 0.05);
    assert_int_equal(body_set_force(r.world, bob, (vec2d){0.0, -11.0}, NULL, NULL), STATUS_OK);
    physics_event event = {.kind = EVENT_KIND_COUNT};
    int broken = 0;
    for (int i = 0; i < 10 && broken == 0; i++) {
        rig_step(&r, 1);
        broken += (int)count_events(&r, EVENT_JOINT_BREAK, &event);
    }
    assert_int_equal(broken, 1);
    assert_int_equal(event.joint, rod);
    assert_int_equal(event.a, r.ground);
    assert_int_equal(event.b, bob);
    assert_int_equal(event.tick, world_tick(r.world));
    joint_info info;
    assert_int_equal(joint_get(r.world, rod, &info, NULL), STATUS_NOT_FOUND);
    double speed = rig_body(&r, bob).velocity.y;
    rig_step(&r, 60);
    assert_near(rig_body(&r, bob).velocity.y, speed - (G + 5.5), 0.02);
    rig_close(&r);
}

static void joint_breaks_at_its_torque(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        rig r = rig_open(-G);
        body_id bar = rig_box(&r, 0.5, 0.0, 1.0, 0.2);
        double moment = rig_body(&r, bar).mass * G * 0.5;
        joint_def def = rig_def_at(JOINT_WELD, r.ground, bar, 0.0, 0.0);
        def.fields |= JOINT_FIELD_BREAK_TORQUE;
        def.break_torque = strong != 0 ? 1.3 * moment : 0.9 * moment;
        rig_join(&r, &def);
        rig_step(&r, 120);
        assert_int_equal(world_count(r.world).joints, strong);
        rig_close(&r);
    }
}

static void joint_sound_as_ever_breaks_when_its_force_is_lowered(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 0.0, -1.0, 2.0);
    joint_def def = rig_def(JOINT_DISTANCE, r.ground, bob);
    joint_id rod = rig_join(&r, &def);
    rig_step(&r, 30);
    def.break_force = 1.0;
    assert_int_equal(joint_set(r.world, rod, JOINT_FIELD_BREAK_FORCE, &def, NULL), STATUS_OK);
    rig_step(&r, 1);
    assert_int_equal(world_count(r.world).joints, 0);
    rig_close(&r);
}

// ---- sleep

static void joined_bodies_sleep_and_wake_together(void **state)
{
    (void)state;
    world_def def = world_def_default();
    rig r = rig_open_def(&def);
    body_id chain[4];
    body_id before = r.ground;
    for (int i = 0; i < 4; i++) {
        chain[i] = rig_box(&r, 0.0, -0.25 - 0.5 * i, 0.1, 0.5);
        joint_def link = rig_def_at(JOINT_REVOLUTE, before, chain[i], 0.0, -0.5 * i);
        rig_join(&r, &link);
        before = chain[i];
    }
    rig_step(&r, 120);
    assert_int_equal(world_count(r.world).awake, 0);
    assert_int_equal(body_apply_impulse(r.world, chain[3], (vec2d){0.1, 0.0}, NULL, NULL),
                     STATUS_OK);
    assert_int_equal(world_count(r.world).awake, 4);
    rig_step(&r, 1);
    assert_true(fabs(rig_body(&r, chain[0]).angular_velocity) > 0.0);
    rig_close(&r);
}

static void making_setting_and_removing_a_joint_wake(void **state)
{
    (void)state;
    world_def world = world_def_default();
    world.gravity = (vec2d){0.0, 0.0};
    rig r = rig_open_def(&world);
    body_id a = rig_box(&r, 0.0, 0.0, 1.0, 1.0);
    body_id b = rig_box(&r, 2.0, 0.0, 1.0, 1.0);
    rig_step(&r, 60);
    assert_int_equal(world_count(r.world).awake, 0);
    joint_def def = rig_def(JOINT_DISTANCE, a, b);
    joint_id rod = rig_join(&r, &def);
    assert_int_equal(world_count(r.world).awake, 2);
    rig_step(&r, 60);
    assert_int_equal(world_count(r.world).awake, 0);
    def.length = 1.5;
    assert_int_equal(joint_set(r.world, rod, JOINT_FIELD_LENGTH, &def, NULL), STATUS_OK);
    assert_int_equal(world_count(r.world).awake, 2);
    rig_step(&r, 120);
    assert_near(rig_body(&r, b).position.x - rig_body(&r, a).position.x, 1.5, 0.002);
    assert_int_equal(world_count(r.world).awake, 0);
    assert_int_equal(joint_remove(r.world, rod, NULL), STATUS_OK);
    assert_int_equal(world_count(r.world).awake, 2);
    rig_close(&r);
}

// The slot of a joint that was removed while asleep is used for another kind: no state of the old
// joint may remain.
static void joint_removed_asleep_leaves_nothing_in_the_step(void **state)
{
    (void)state;
    world_def world = world_def_default();
    rig r = rig_open_def(&world);
    body_id bob = rig_point(&r, 0.0, -1.0, 1.0);
    joint_def def = rig_def(JOINT_DISTANCE, r.ground, bob);
    joint_id rod = rig_join(&r, &def);
    rig_step(&r, 120);
    assert_int_equal(world_count(r.world).awake, 0);
    assert_int_equal(joint_remove(r.world, rod, NULL), STATUS_OK);
    joint_def filter = rig_def(JOINT_FILTER, r.ground, bob);
    rig_join(&r, &filter);
    rig_step(&r, 60);
    assert_near(rig_body(&r, bob).velocity.y, -G, 0.01);
    rig_close(&r);
}

static void moving_kinematic_keeps_what_hangs_on_it_awake(void **state)
{
    (void)state;
    world_def world = world_def_default();
    rig r = rig_open_def(&world);
    body_def base = body_def_default();
    base.type = BODY_KINEMATIC;
    base.velocity = (vec2d){0.01, 0.0};
    body_id crane = 0;
    assert_int_equal(body_create(r.world, &base, &crane, NULL), STATUS_OK);
    body_id bob = rig_point(&r, 0.0, -1.0, 1.0);
    joint_def def = rig_def(JOINT_DISTANCE, crane, bob);
    rig_join(&r, &def);
    rig_step(&r, 300);
    assert_near(rig_body(&r, bob).position.x, rig_body(&r, crane).position.x, 0.01);
    assert_true(rig_body(&r, bob).awake);
    rig_close(&r);
}

// ---- bodies

static void body_removed_takes_its_joints(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id a = rig_point(&r, 0.0, -1.0, 1.0);
    body_id b = rig_point(&r, 0.0, -2.0, 1.0);
    joint_def first = rig_def(JOINT_DISTANCE, r.ground, a);
    joint_def second = rig_def(JOINT_DISTANCE, a, b);
    rig_join(&r, &first);
    rig_join(&r, &second);
    joint_def third = rig_def(JOINT_DISTANCE, r.ground, b);
    joint_id kept = rig_join(&r, &third);
    assert_int_equal(body_joint_count(r.world, r.ground), 2);
    assert_int_equal(body_next_joint(r.world, b, 0) != kept, 1);
    assert_int_equal(body_next_joint(r.world, b, body_next_joint(r.world, b, 0)), kept);
    assert_int_equal(body_next_joint(r.world, b, kept), 0);
    rig_step(&r, 2);
    assert_int_equal(body_remove(r.world, a, NULL), STATUS_OK);
    assert_int_equal(world_count(r.world).joints, 1);
    assert_int_equal(world_next_joint(r.world, 0), kept);
    rig_step(&r, 60);
    assert_near(rig_info(&r, kept).length, 2.0, 0.002);
    rig_close(&r);
}

static void joint_rests_while_a_body_is_disabled(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id bob = rig_point(&r, 0.0, -1.0, 1.0);
    joint_def def = rig_def(JOINT_DISTANCE, r.ground, bob);
    joint_id rod = rig_join(&r, &def);
    joint_info bears;
    rig_step(&r, 1);
    assert_int_equal(joint_get(r.world, rod, &bears, NULL), STATUS_OK);
    assert_near(bears.force.y, G, 0.5);
    body_def off = body_def_default();
    off.enabled = false;
    assert_int_equal(body_set(r.world, r.ground, BODY_FIELD_ENABLED, &off, NULL), STATUS_OK);
    assert_int_equal(joint_get(r.world, rod, &bears, NULL), STATUS_OK);
    assert_true(bears.force.x == 0.0 && bears.force.y == 0.0);
    rig_step(&r, 30);
    // the joint is gone, and the bob falls
    assert_near(rig_body(&r, bob).velocity.y, -G * 0.5, 0.01);
    off.enabled = true;
    assert_int_equal(body_set(r.world, r.ground, BODY_FIELD_ENABLED, &off, NULL), STATUS_OK);
    rig_step(&r, 120);
    assert_near(rig_body(&r, bob).position.y, -1.0, 0.01);
    rig_close(&r);
}

static void joint_of_a_body_that_left_the_world_rests_until_it_is_back(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id a = rig_point(&r, 0.0, 0.0, 1.0);
    body_id b = rig_point(&r, 0.0, -1.0, 1.0);
    joint_def def = rig_def(JOINT_DISTANCE, a, b);
    joint_id rod = rig_join(&r, &def);
    body_def place = body_def_default();
    place.position = (vec2d){PHYSICS_EXTENT_MAX, 0.0};
    place.velocity = (vec2d){PHYSICS_SPEED_MAX, 0.0};
    assert_int_equal(body_set(r.world, b, BODY_FIELD_POSITION | BODY_FIELD_VELOCITY, &place, NULL),
                     STATUS_OK);
    rig_step(&r, 3);
    assert_true(rig_body(&r, b).frozen);
    double speed = rig_body(&r, a).velocity.y;
    rig_step(&r, 30);
    assert_near(rig_body(&r, a).velocity.y, speed - G * 0.5, 0.01);

    body_info at = rig_body(&r, a);
    place.position = (vec2d){at.position.x, at.position.y - 1.0};
    place.velocity = at.velocity;
    place.enabled = true;
    assert_int_equal(body_set(r.world, b,
                              BODY_FIELD_POSITION | BODY_FIELD_VELOCITY | BODY_FIELD_ENABLED,
                              &place, NULL),
                     STATUS_OK);
    rig_step(&r, 60);
    assert_near(rig_info(&r, rod).length, 1.0, 0.002);
    rig_close(&r);
}

static void joint_follows_a_change_of_body_type(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id a = rig_point(&r, 0.0, -1.0, 1.0);
    body_id b = rig_point(&r, 0.0, -2.0, 1.0);
    joint_def def = rig_def(JOINT_DISTANCE, a, b);
    joint_id rod = rig_join(&r, &def);
    rig_step(&r, 10);
    body_def type = body_def_default();
    const body_type types[] = {BODY_STATIC, BODY_DYNAMIC, BODY_KINEMATIC, BODY_STATIC};
    for (int i = 0; i < 4; i++) {
        type.type = types[i];
        assert_int_equal(body_set(r.world, a, BODY_FIELD_TYPE, &type, NULL), STATUS_OK);
        rig_step(&r, 30);
        assert_near(rig_info(&r, rod).length, 1.0, 0.003);
    }
    type.type = BODY_STATIC; // both bodies are static: nothing is left to solve
    assert_int_equal(body_set(r.world, b, BODY_FIELD_TYPE, &type, NULL), STATUS_OK);
    rig_step(&r, 30);
    type.type = BODY_DYNAMIC;
    assert_int_equal(body_set(r.world, b, BODY_FIELD_TYPE, &type, NULL), STATUS_OK);
    rig_step(&r, 120);
    assert_near(rig_info(&r, rod).length, 1.0, 0.003);
    rig_close(&r);
}

// More joints on one body than there are colours.
static void body_with_a_hundred_joints_is_solved(void **state)
{
    (void)state;
    rig r = rig_open(-G);
    body_id hub = rig_box(&r, 0.0, -1.0, 1.0, 1.0);
    joint_def def = rig_def_at(JOINT_WELD, r.ground, hub, 0.0, 0.0);
    rig_join(&r, &def);
    body_id leaf = 0;
    for (int i = 0; i < 100; i++) {
        leaf = rig_point(&r, 0.03 * i - 1.5, -2.0, 0.05);
        joint_def rod = rig_def(JOINT_DISTANCE, hub, leaf);
        rig_join(&r, &rod);
    }
    rig_step(&r, 120);
    for (joint_id id = 0; (id = world_next_joint(r.world, id)) != 0;) {
        joint_info info = rig_info(&r, id);
        if (info.def.kind == JOINT_DISTANCE) {
            assert_near(info.length, info.def.length, 0.01);
        }
    }
    assert_near(rig_body(&r, hub).position.y, -1.0, 0.02);
    rig_close(&r);
}

// ---- far away

// A double pendulum at (x, y) that hangs on the ground body, which stays at the origin.
static void double_pendulum(double x, double y, double *out)
{
    rig r = rig_open(-G);
    body_id a = rig_box(&r, x + 0.5, y, 1.0, 0.1);
    body_id b = rig_box(&r, x + 1.5, y, 1.0, 0.1);
    joint_def first = rig_def_at(JOINT_REVOLUTE, r.ground, a, x, y);
    joint_def second = rig_def_at(JOINT_REVOLUTE, a, b, x + 1.0, y);
    rig_join(&r, &first);
    rig_join(&r, &second);
    rig_step(&r, 90);
    out[0] = rig_body(&r, a).angle;
    out[1] = rig_body(&r, b).angle;
    rig_close(&r);
}

static void joint_far_from_the_origin_moves_as_at_it(void **state)
{
    (void)state;
    double here[2];
    double there[2];
    double_pendulum(0.0, 0.0, here);
    double_pendulum(131072.0, -65536.0, there);
    assert_near(there[0], here[0], 1e-5);
    assert_near(there[1], here[1], 1e-5);
}

// ---- reading a joint back

static void joint_info_makes_the_same_joint_again(void **state)
{
    (void)state;
    rig r = rig_open(0.0);
    body_id a = rig_box(&r, 0.0, 0.0, 1.0, 1.0);
    body_id b = rig_box(&r, 2.0, 0.5, 1.0, 1.0);
    joint_def def = rig_def_at(JOINT_PRISMATIC, a, b, 1.0, 0.25);
    def.fields |= JOINT_FIELD_AXIS | JOINT_FIELD_LOWER | JOINT_FIELD_MOTOR_SPEED |
                  JOINT_FIELD_BREAK_FORCE | JOINT_FIELD_HERTZ;
    def.axis = (vec2){3.0f, 4.0f};
    def.lower = -0.5;
    def.motor_speed = 0.25;
    def.break_force = 1e6;
    def.hertz = 2.0;
    joint_info info = rig_info(&r, rig_join(&r, &def));
    assert_int_equal(info.def.fields & (JOINT_FIELD_ANCHOR | JOINT_FIELD_UPPER), 0);
    assert_near((double)info.def.axis.x, 0.6, 1e-6);
    joint_info again = rig_info(&r, rig_join(&r, &info.def));
    assert_int_equal(again.def.fields, info.def.fields);
    assert_near(again.def.lower, -0.5, 0.0);
    assert_near(again.def.motor_speed, 0.25, 0.0);
    assert_near(again.def.anchor_b.x, -1.0, 1e-9);
    assert_near(again.translation, info.translation, 1e-9);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_joint_keeps_bodies_from_colliding_until_removed),
        cmocka_unit_test(contact_that_a_joint_ends_makes_its_event),
        cmocka_unit_test(collide_connected_bodies_go_on_colliding),
        cmocka_unit_test(second_joint_of_a_pair_still_prevents_contact),
        cmocka_unit_test(joint_breaks_at_its_force_and_tells),
        cmocka_unit_test(joint_breaks_at_its_torque),
        cmocka_unit_test(joint_sound_as_ever_breaks_when_its_force_is_lowered),
        cmocka_unit_test(joined_bodies_sleep_and_wake_together),
        cmocka_unit_test(making_setting_and_removing_a_joint_wake),
        cmocka_unit_test(joint_removed_asleep_leaves_nothing_in_the_step),
        cmocka_unit_test(moving_kinematic_keeps_what_hangs_on_it_awake),
        cmocka_unit_test(body_removed_takes_its_joints),
        cmocka_unit_test(joint_rests_while_a_body_is_disabled),
        cmocka_unit_test(joint_of_a_body_that_left_the_world_rests_until_it_is_back),
        cmocka_unit_test(joint_follows_a_change_of_body_type),
        cmocka_unit_test(body_with_a_hundred_joints_is_solved),
        cmocka_unit_test(joint_far_from_the_origin_moves_as_at_it),
        cmocka_unit_test(joint_info_makes_the_same_joint_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
