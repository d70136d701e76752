// Tests of common/world/players.h: commands of the role player at, below and above each bound.
#include "tests/unit/world/players_rig.h"

#include <stdio.h>

#include "common/physics/image.h"
#include "tests/unit/proto/values.h"
#include "tests/unit/proto/wording.h"

// ---- bounds on settings of bodies

static void mass_is_bounded_by_number_and_by_density(void **state)
{
    (void)state;
    bounds = read_bounds("{\"mass\":2}");
    const unsigned long long box = spawn_as(&ANN, "{\"shapes\":[" BOX "]}");
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"mass\":2}", box);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"mass\":0.5}", box);
    refused("mass: 2.1 kg", "mass", METHOD_BODY_SET, "{\"body\":%llu,\"mass\":2.1}", box);
    // With 0 the mass follows from the shapes again.
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"mass\":0}", box);
    refused("mass: 3 kg", "mass", METHOD_BODY_SPAWN, "{\"mass\":3,\"shapes\":[" BALL "]}");
    refused("mass: 3 kg", "mass", METHOD_BODY_SPAWN,
            "{\"mass\":3,\"type\":\"static\",\"shapes\":[]}");
    refused("shapes: 4 kg", "mass", METHOD_BODY_SPAWN, "{\"shapes\":[" BOX "," BOX "]}");
    allowed(&ANN, METHOD_BODY_SPAWN, "{\"type\":\"static\",\"shapes\":[" BOX "," BOX "]}");
    refused("density: 2.7", "mass", METHOD_SHAPE_ADD, "{\"body\":%llu,\"shape\":" BALL "}", box);
    const shape_id shape = body_next_shape(world, box, 0);
    refused("density: 2.2", "mass", METHOD_SHAPE_SET, "{\"shape\":%llu,\"density\":1.1}",
            (unsigned long long)shape);
    allowed(&ANN, METHOD_SHAPE_SET, "{\"shape\":%llu,\"density\":0.5}", (unsigned long long)shape);
    allowed(&ANN, METHOD_SHAPE_ADD, "{\"body\":%llu,\"shape\":" BALL "}", box);
}

static void becoming_dynamic_weighs(void **state)
{
    (void)state;
    bounds = read_bounds("{\"mass\":1.5}");
    const unsigned long long wall = spawn_as(&ANN, "{\"type\":\"static\",\"shapes\":[" BOX "]}");
    refused("type: 2 kg", "mass", METHOD_BODY_SET, "{\"body\":%llu,\"type\":\"dynamic\"}", wall);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"type\":\"dynamic\",\"mass\":1}", wall);
    // a mass that was set hides that of the shapes, until it is taken away
    refused("mass: 2 kg", "mass", METHOD_BODY_SET, "{\"body\":%llu,\"mass\":0}", wall);
}

static void removed_shape_may_make_heavier(void **state)
{
    (void)state;
    bounds = read_bounds("{\"mass\":0.5}");
    uint64_t made = 0;
    const unsigned long long body =
        spawn_as(&ANN, "{\"shapes\":[{\"kind\":\"circle\",\"radius\":0.1}]}");
    made = body_next_shape(world, body, 0);
    refused("shape: 1 kg", "mass", METHOD_SHAPE_REMOVE, "{\"shape\":%llu}",
            (unsigned long long)made);
}

static void size_is_that_of_the_bodys_own_box(void **state)
{
    (void)state;
    bounds = read_bounds("{\"size\":2}");
    const unsigned long long box =
        spawn_as(&ANN, "{\"angle\":0.7853981633974483,\"shapes\":[" BOX "]}");
    refused("shapes: 2.2 m", "size", METHOD_BODY_SPAWN,
            "{\"shapes\":[{\"kind\":\"box\",\"size\":[2.2,0.1]}]}");
    refused("shapes: 10.5 m", "size", METHOD_BODY_SPAWN,
            "{\"shapes\":[" BALL ",{\"kind\":\"circle\",\"radius\":0.5,\"center\":[0,9.5]}]}");
    refused("shapes: 3 m", "size", METHOD_BODY_SPAWN,
            "{\"type\":\"static\",\"shapes\":[{\"kind\":\"chain\",\"vertices\":[[0,0],[3,0]]}]}");
    refused("shape: 2.5 m", "size", METHOD_SHAPE_ADD,
            "{\"body\":%llu,\"shape\":{\"kind\":\"circle\",\"radius\":0.5,\"center\":[1,0]}}", box);
    allowed(&ANN, METHOD_SHAPE_ADD, "{\"body\":%llu,\"shape\":" BALL "}", box);
}

static void types_and_numbers_of_bodies_are_bounded(void **state)
{
    (void)state;
    bounds = read_bounds("{\"types\":[\"dynamic\"],\"bodies\":2}");
    refused("type: a player may not make a body static", "types", METHOD_BODY_SPAWN,
            "{\"type\":\"static\",\"shapes\":[]}");
    const unsigned long long first = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    refused("type: ", "types", METHOD_BODY_SET, "{\"body\":%llu,\"type\":\"kinematic\"}", first);
    const unsigned long long second = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    refused("bodies: 'ann' would have 3", "bodies", METHOD_BODY_SPAWN, "{\"shapes\":[]}");
    allowed(&ANN, METHOD_BODY_REMOVE, "{\"body\":%llu}", first);
    const unsigned long long third = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    allowed(&BOB, METHOD_BODY_SPAWN, "{\"shapes\":[" BALL "]}"); // another is unaffected
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"owner\":\"bob\"}", second);
    refused("bodies: 'bob' would have 3", "bodies", METHOD_BODY_SET,
            "{\"body\":%llu,\"owner\":\"bob\"}", third);
}

static void bodies_count_as_a_batch_leaves_them(void **state)
{
    (void)state;
    bounds = read_bounds("{\"bodies\":1}");
    allowed(
        &ANN, METHOD_WORLD_APPLY,
        "{\"commands\":[[\"body.spawn\",{\"shapes\":[]}],[\"body.remove\",{\"body\":{\"$\":0}}],"
        "[\"body.spawn\",{\"shapes\":[]}]]}");
    refused("commands[1] (body.spawn): bodies", "bodies", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.get\",{\"body\":%llu}],[\"body.spawn\",{\"shapes\":[]}]]}",
            (unsigned long long)world_next_body(world, 0));
    const unsigned long long own = world_next_body(world, 0);
    bounds = (players_bounds){0};
    const unsigned long long more = spawn_as(&ANN, "{\"shapes\":[]}");
    bounds = read_bounds("{\"bodies\":1}");
    refused("commands[1] (body.set): bodies: 'bob' would have 2", "bodies", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.set\",{\"body\":%llu,\"owner\":\"bob\"}],"
            "[\"body.set\",{\"body\":%llu,\"owner\":\"bob\"}]]}",
            own, more);
}

static void places_lie_in_the_area_with_all_shapes(void **state)
{
    (void)state;
    bounds = read_bounds("{\"area\":[-10,-10,10,10]}");
    const unsigned long long ball = spawn_as(&ANN, "{\"position\":[9.5,0],\"shapes\":[" BALL "]}");
    refused("position: a body at [9.6, 0]", "area", METHOD_BODY_SPAWN,
            "{\"position\":[9.6,0],\"shapes\":[" BALL "]}");
    refused("position", "area", METHOD_BODY_SPAWN,
            "{\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5,\"center\":[0,20]}]}");
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"position\":[-9.5,9.5]}", ball);
    refused("position: a body at [0, -500]", "area", METHOD_BODY_SET,
            "{\"body\":%llu,\"position\":[0,-500]}", ball);
    refused("shape: ", "area", METHOD_SHAPE_ADD,
            "{\"body\":%llu,\"shape\":{\"kind\":\"circle\",\"radius\":0.6}}", ball);
    const unsigned long long bar =
        spawn_as(&ANN, "{\"position\":[9.4,0],\"shapes\":[{\"kind\":\"box\",\"size\":[1,4]}]}");
    refused("angle: ", "area", METHOD_BODY_SET, "{\"body\":%llu,\"angle\":1.5}", bar);
}

// ---- bounds of what bodies do

static void speeds_are_bounded(void **state)
{
    (void)state;
    bounds = read_bounds("{\"speed\":5}");
    const unsigned long long box = spawn_as(&ANN, "{\"velocity\":[3,4],\"shapes\":[" BOX "]}");
    refused("velocity: 5.1 m/s", "speed", METHOD_BODY_SPAWN,
            "{\"velocity\":[0,5.1],\"shapes\":[" BALL "]}");
    refused("velocity: 5.1 m/s", "speed", METHOD_BODY_SET, "{\"body\":%llu,\"velocity\":[-5.1,0]}",
            box);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"angular_velocity\":4.4}", box);
    refused("angular_velocity: 5.03", "speed", METHOD_BODY_SET,
            "{\"body\":%llu,\"angular_velocity\":-4.5}", box);
    refused("impulse: 5.1 m/s", "speed", METHOD_BODY_IMPULSE,
            "{\"body\":%llu,\"impulse\":[0.12,0.16]}", box);
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[-6,-8]}", box);
    refused("shapes[0].tangent_speed: 6 m/s", "speed", METHOD_BODY_SPAWN,
            "{\"shapes\":[{\"kind\":\"circle\",\"radius\":1,\"tangent_speed\":-6}]}");
    refused("tangent_speed: 6 m/s", "speed", METHOD_SHAPE_SET,
            "{\"shape\":%llu,\"tangent_speed\":6}",
            (unsigned long long)body_next_shape(world, box, 0));
}

static void fast_body_may_be_slowed(void **state)
{
    (void)state;
    const unsigned long long ball = spawn_as(
        &ANN, "{\"velocity\":[100,0],\"angular_velocity\":100,\"mass\":1,\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"speed\":5}");
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[-10,0]}", ball);
    refused("impulse: 91 m/s", "speed", METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[1,0]}",
            ball);
    allowed(&ANN, METHOD_BODY_ANGULAR_IMPULSE, "{\"body\":%llu,\"impulse\":-0.1}", ball);
    refused("impulse: ", "speed", METHOD_BODY_ANGULAR_IMPULSE, "{\"body\":%llu,\"impulse\":0.1}",
            ball);
}

static void impulses_add_up_in_a_tick(void **state)
{
    (void)state;
    const unsigned long long ball = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    const unsigned long long other = spawn_as(&ANN, "{\"position\":[9,0],\"shapes\":[" BALL "]}");
    const unsigned long long bobs = spawn_as(&BOB, "{\"position\":[5,0],\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"impulse\":10}");
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[6,0]}", ball);
    refused("impulse: 10.5 N s", "impulse", METHOD_BODY_IMPULSE,
            "{\"body\":%llu,\"impulse\":[0,4.5]}", ball);
    refused("commands[1] (body.impulse): impulse: 12 N s", "impulse", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.impulse\",{\"body\":%llu,\"impulse\":[3,0]}],"
            "[\"body.impulse\",{\"body\":%llu,\"impulse\":[-3,0]}]]}",
            ball, ball);
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[-4,0]}", ball);
    refused("impulse: 10.1 N s", "impulse", METHOD_BODY_IMPULSE,
            "{\"body\":%llu,\"impulse\":[0.1,0]}", ball);
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[10,0]}", other);
    allowed(&BOB, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[0,10]}", bobs);
    allowed(&ANN, METHOD_BODY_ANGULAR_IMPULSE, "{\"body\":%llu,\"impulse\":-9}", ball);
    refused("impulse: 11 N m s", "impulse", METHOD_BODY_ANGULAR_IMPULSE,
            "{\"body\":%llu,\"impulse\":2}", ball);
    player_pushes_clear(&pushes); // the next tick
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[10,0]}", ball);
    refused("impulse: 99.1 N m s about", "impulse", METHOD_BODY_IMPULSE,
            "{\"body\":%llu,\"impulse\":[0,0.1],\"point\":[1000,0]}", other);
}

static void impulses_on_a_body_of_the_same_batch_count(void **state)
{
    (void)state;
    bounds = read_bounds("{\"impulse\":10}");
    allowed(&ANN, METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.get\",{\"body\":%llu}],[\"body.spawn\",{\"shapes\":[" BALL
            "]}],"
            "[\"body.impulse\",{\"body\":{\"$\":1},\"impulse\":[6,0]}]]}",
            spawn_as(&BOB, "{\"shapes\":[]}"));
    body_id ball = 0;
    for (body_id b = 0; (b = world_next_body(world, b)) != 0;) {
        ball = b;
    }
    refused("impulse: 11 N s", "impulse", METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[5,0]}",
            (unsigned long long)ball);
}

static void many_bodies_have_sums_of_their_own(void **state)
{
    (void)state;
    enum { BODIES = 500 };
    unsigned long long ids[BODIES];
    for (int i = 0; i < BODIES; i++) {
        ids[i] = spawn_as(&ANN, "{\"shapes\":[]}");
    }
    bounds = read_bounds("{\"impulse\":1}");
    for (int tick = 0; tick < 2; tick++) {
        for (int i = 0; i < BODIES; i++) {
            allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[1,0]}", ids[i]);
        }
        for (int i = 0; i < BODIES; i++) {
            refused("impulse: ", "impulse", METHOD_BODY_IMPULSE,
                    "{\"body\":%llu,\"impulse\":[0,1]}", ids[i]);
        }
        player_pushes_clear(&pushes);
    }
}

static void forces_and_torques_are_bounded(void **state)
{
    (void)state;
    const unsigned long long ball = spawn_as(&ANN, "{\"mass\":2,\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"force\":50,\"torque\":8}");
    allowed(&ANN, METHOD_BODY_FORCE, "{\"body\":%llu,\"force\":[30,-40]}", ball);
    refused("force: 50.1 N", "force", METHOD_BODY_FORCE, "{\"body\":%llu,\"force\":[0,50.1]}",
            ball);
    allowed(&ANN, METHOD_BODY_FORCE, "{\"body\":%llu,\"force\":[0,40],\"point\":[0.2,0]}", ball);
    refused("point: 12 N m", "torque", METHOD_BODY_FORCE,
            "{\"body\":%llu,\"force\":[0,40],\"point\":[0,0.3]}", ball);
    allowed(&ANN, METHOD_BODY_TORQUE, "{\"body\":%llu,\"torque\":-8}", ball);
    refused("torque: 8.1 N m", "torque", METHOD_BODY_TORQUE, "{\"body\":%llu,\"torque\":-8.1}",
            ball);
    allowed(&ANN, METHOD_BODY_SET, "{\"body\":%llu,\"gravity_scale\":-1.5}", ball); // 2.5 * 2 * 10
    refused("gravity_scale: 60 N", "force", METHOD_BODY_SET, "{\"body\":%llu,\"gravity_scale\":4}",
            ball);
}

// ---- joints

static void motors_need_a_greatest_force_within_the_bounds(void **state)
{
    (void)state;
    const unsigned long long a = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    const unsigned long long b = spawn_as(&ANN, "{\"position\":[2,0],\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"force\":50,\"torque\":8,\"speed\":3}");
#define REVOLUTE "{\"kind\":\"revolute\",\"a\":%llu,\"b\":%llu,\"anchor\":[1,0]"
#define SLIDER   "{\"kind\":\"prismatic\",\"a\":%llu,\"b\":%llu,\"axis\":[1,0]"
    refused("max_torque: must be given", "torque", METHOD_JOINT_CREATE,
            REVOLUTE ",\"motor_speed\":1}", a, b);
    refused("max_torque: 9 N m", "torque", METHOD_JOINT_CREATE, REVOLUTE ",\"max_torque\":9}", a,
            b);
    refused("max_force: 51 N", "force", METHOD_JOINT_CREATE, SLIDER ",\"max_force\":51}", a, b);
    refused("motor_speed: 4 m/s", "speed", METHOD_JOINT_CREATE,
            SLIDER ",\"max_force\":50,\"motor_speed\":-4}", a, b);
    refused("max_force: must be given", "force", METHOD_JOINT_CREATE,
            "{\"kind\":\"mouse\",\"b\":%llu,\"target\":[0,9]}", a);
    refused("max_torque: must be given", "torque", METHOD_JOINT_CREATE,
            "{\"kind\":\"motor\",\"a\":%llu,\"b\":%llu,\"max_force\":5}", a, b);
    allowed(&ANN, METHOD_JOINT_CREATE,
            "{\"kind\":\"mouse\",\"b\":%llu,\"target\":[0,9],\"max_force\":50}", a);
    uint64_t joint = 0;
    char json[256];
    snprintf(json, sizeof json, REVOLUTE ",\"motor_speed\":1,\"max_torque\":8}", a, b);
    assert_int_equal(try_as(&ANN, METHOD_JOINT_CREATE, json, &joint), STATUS_OK);
    allowed(&ANN, METHOD_JOINT_SET, "{\"joint\":%llu,\"motor_speed\":2}",
            (unsigned long long)joint);
    refused("max_torque: 9 N m", "torque", METHOD_JOINT_SET, "{\"joint\":%llu,\"max_torque\":9}",
            (unsigned long long)joint);
    snprintf(json, sizeof json, SLIDER "}", a, b);
    assert_int_equal(try_as(&ANN, METHOD_JOINT_CREATE, json, &joint), STATUS_OK);
    refused("max_force: must be given", "force", METHOD_JOINT_SET,
            "{\"joint\":%llu,\"motor_speed\":1}", (unsigned long long)joint);
}

static void player_drives_the_strong_motor_of_a_referee(void **state)
{
    (void)state;
    const unsigned long long a = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    const unsigned long long b = spawn_as(&ANN, "{\"position\":[2,0],\"shapes\":[" BALL "]}");
    char json[256];
    uint64_t joint = 0;
    bounds = read_bounds("{\"torque\":8}");
    snprintf(json, sizeof json, REVOLUTE ",\"motor_speed\":1,\"max_torque\":900}", a, b);
    assert_int_equal(try_as(&REFEREE, METHOD_JOINT_CREATE, json, &joint), STATUS_OK);
    allowed(&ANN, METHOD_JOINT_SET, "{\"joint\":%llu,\"motor_speed\":5}",
            (unsigned long long)joint);
}

static void springs_and_joints_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const unsigned long long a = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    const unsigned long long b = spawn_as(&ANN, "{\"position\":[2,0],\"shapes\":[" BALL "]}");
    bounds = read_bounds("{\"force\":50}");
#define DISTANCE "{\"kind\":\"distance\",\"a\":%llu,\"b\":%llu"
    refused("hertz: 5 Hz", "force", METHOD_JOINT_CREATE, DISTANCE ",\"hertz\":5}", a, b);
    refused("hertz: 2 Hz", "force", METHOD_JOINT_CREATE,
            "{\"kind\":\"wheel\",\"a\":%llu,\"b\":%llu}", a, b);
    refused("length: 9 would", "force", METHOD_JOINT_CREATE, DISTANCE ",\"length\":9}", a, b);
    refused("lower: 3 would", "force", METHOD_JOINT_CREATE, DISTANCE ",\"lower\":3}", a, b);
    refused("upper: 1 would", "force", METHOD_JOINT_CREATE, DISTANCE ",\"upper\":1}", a, b);
    refused("anchor_b: ", "force", METHOD_JOINT_CREATE,
            "{\"kind\":\"weld\",\"a\":%llu,\"b\":%llu,\"anchor_a\":[0,0],\"anchor_b\":[0,0]}", a,
            b);
    refused("reference_angle: ", "force", METHOD_JOINT_CREATE,
            "{\"kind\":\"weld\",\"a\":%llu,\"b\":%llu,\"reference_angle\":1}", a, b);
    allowed(&ANN, METHOD_JOINT_CREATE, "{\"kind\":\"weld\",\"a\":%llu,\"b\":%llu}", a, b);
    uint64_t rope = 0;
    char json[256];
    snprintf(json, sizeof json, DISTANCE ",\"upper\":4}", a, b);
    assert_int_equal(try_as(&ANN, METHOD_JOINT_CREATE, json, &rope), STATUS_OK);
    allowed(&ANN, METHOD_JOINT_SET, "{\"joint\":%llu,\"upper\":3}", (unsigned long long)rope);
    refused("upper: 1 would", "force", METHOD_JOINT_SET, "{\"joint\":%llu,\"upper\":1}",
            (unsigned long long)rope);
    refused("hertz: 1 Hz", "force", METHOD_JOINT_SET, "{\"joint\":%llu,\"hertz\":1}",
            (unsigned long long)rope);
    refused("commands[1] (joint.set): upper", "force", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"joint.create\"," DISTANCE ",\"upper\":4}],"
            "[\"joint.set\",{\"joint\":{\"$\":0},\"upper\":1}]]}",
            a, b);
}

// ---- methods and roles

static void methods_that_are_not_listed_are_refused(void **state)
{
    (void)state;
    const unsigned long long ball = spawn_as(&ANN, "{\"shapes\":[" BALL "]}");
    bounds = players_default();
    allowed(&ANN, METHOD_BODY_IMPULSE, "{\"body\":%llu,\"impulse\":[1000,0]}", ball);
    allowed(&ANN, METHOD_DATA_SET, "{\"key\":\"player/ann/name\",\"value\":1}");
    allowed(&ANN, METHOD_MESSAGE_SEND, "{\"name\":\"hi\"}");
    allowed(&ANN, METHOD_BODY_GET, "{\"body\":%llu}", ball);
    allowed(&ANN, METHOD_QUERY_RAY, "{\"from\":[0,9],\"to\":[0,-9]}");
    refused("body.spawn is not among the methods that a player may call here (players.methods): "
            "world.state, world.contacts, ",
            "methods", METHOD_BODY_SPAWN, "{\"shapes\":[]}");
    refused("body.set is not among", "methods", METHOD_BODY_SET, "{\"body\":%llu,\"angle\":1}",
            ball);
    refused("body.remove is not among", "methods", METHOD_BODY_REMOVE, "{\"body\":%llu}", ball);
    refused("commands[1] (shape.add): shape.add is not", "methods", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.impulse\",{\"body\":%llu,\"impulse\":[1,0]}],"
            "[\"shape.add\",{\"body\":%llu,\"shape\":" BALL "}]]}",
            ball, ball);
    bounds = read_bounds("{\"methods\":[]}");
    refused("world.apply is not", "methods", METHOD_WORLD_APPLY,
            "{\"commands\":[[\"body.get\",{\"body\":%llu}]]}", ball);
    assert_true(players_allow(&bounds, METHOD_WORLD_SUBSCRIBE));
    assert_false(players_allow(&bounds, METHOD_QUERY_RAY));
    allowed(&REFEREE, METHOD_BODY_SET, "{\"body\":%llu,\"mass\":1e9,\"position\":[0,900]}", ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(mass_is_bounded_by_number_and_by_density),
        TEST(becoming_dynamic_weighs),
        TEST(removed_shape_may_make_heavier),
        TEST(size_is_that_of_the_bodys_own_box),
        TEST(types_and_numbers_of_bodies_are_bounded),
        TEST(bodies_count_as_a_batch_leaves_them),
        TEST(places_lie_in_the_area_with_all_shapes),
        TEST(speeds_are_bounded),
        TEST(fast_body_may_be_slowed),
        TEST(impulses_add_up_in_a_tick),
        TEST(impulses_on_a_body_of_the_same_batch_count),
        TEST(many_bodies_have_sums_of_their_own),
        TEST(forces_and_torques_are_bounded),
        TEST(motors_need_a_greatest_force_within_the_bounds),
        TEST(player_drives_the_strong_motor_of_a_referee),
        TEST(springs_and_joints_that_do_not_fit_are_refused),
        TEST(methods_that_are_not_listed_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += run_players_random();
    failed += run_players_values();
    return failed;
}
