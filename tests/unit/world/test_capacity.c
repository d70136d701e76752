// Tests of common/world/capacity.h: a server's limits on the shapes and joints of a world.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/image.h"
#include "common/world/apply.h"
#include "common/world/capacity.h"
#include "proto/methods.h"
#include "tests/unit/proto/wording.h"

#define BALL  "{\"kind\":\"circle\",\"radius\":0.5}"
// Three points: the chain and two pieces.
#define CHAIN "{\"kind\":\"chain\",\"vertices\":[[0,0],[1,0],[2,0]]}"

static physics_world *world;
static capacity_limits most;

static int set_up(void **state)
{
    (void)state;
    world_def def = world_def_default();
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    most = (capacity_limits){.bodies = 100, .shapes = 4, .joints = 2};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_free(world);
    return 0;
}

static status try_command(method m, const char *json, uint64_t *made, error *err)
{
    command c;
    command_result result;
    if (wording_decode(m, json, &c, err) != STATUS_OK) {
        fail_msg("%s: %s", json, err->text);
    }
    status s = capacity_admit(world, &most, &c, err);
    if (s == STATUS_OK) {
        s = apply_command(world, &c, &result, err);
    }
    if (s == STATUS_OK) {
        *made = m == METHOD_BODY_SPAWN ? result.spawn.body : result.joint;
        command_result_free(&result);
    }
    command_free(&c);
    return s;
}

static uint64_t carry_out(method m, const char *json)
{
    error err = {0};
    uint64_t made = 0;
    if (try_command(m, json, &made, &err) != STATUS_OK) {
        fail_msg("%s: %s", json, err.text);
    }
    return made;
}

static void refuse(method m, const char *json, const char *text)
{
    error err = {0};
    uint64_t made = 0;
    assert_int_equal(try_command(m, json, &made, &err), STATUS_LIMIT_EXCEEDED);
    assert_string_equal(err.text, text);
}

static body_id spawn(const char *shapes)
{
    char json[256];
    snprintf(json, sizeof json, "{\"world\":\"w\",\"shapes\":[%s]}", shapes);
    return carry_out(METHOD_BODY_SPAWN, json);
}

static const char *with(const char *format, uint64_t a, uint64_t b)
{
    static char json[512];
    snprintf(json, sizeof json, format, (unsigned long long)a, (unsigned long long)b);
    return json;
}

static void shapes_are_counted_with_the_pieces_of_chains(void **state)
{
    (void)state;
    body_id body = spawn(CHAIN);
    refuse(METHOD_BODY_SPAWN, "{\"world\":\"w\",\"shapes\":[" BALL "," BALL "]}",
           "shapes_per_world: the world has 3 shapes, and 2 would be added; at most 4 are "
           "allowed");
    refuse(METHOD_SHAPE_ADD, with("{\"world\":\"w\",\"body\":%llu,\"shape\":" CHAIN "}", body, 0),
           "shapes_per_world: the world has 3 shapes, and 3 would be added; at most 4 are "
           "allowed");
    carry_out(METHOD_SHAPE_ADD,
              with("{\"world\":\"w\",\"body\":%llu,\"shape\":" BALL "}", body, 0));
    refuse(METHOD_BODY_SPAWN, "{\"world\":\"w\",\"shapes\":[" BALL "]}",
           "shapes_per_world: the world has 4 shapes, and 1 would be added; at most 4 are "
           "allowed");
    spawn(""); // a body without shapes takes none
    carry_out(METHOD_BODY_REMOVE, with("{\"world\":\"w\",\"body\":%llu}", body, 0));
    spawn(BALL "," CHAIN);
}

static void joints_are_counted(void **state)
{
    (void)state;
    body_id a = spawn(BALL), b = spawn(BALL);
    const char *weld = "{\"world\":\"w\",\"kind\":\"weld\",\"a\":%llu,\"b\":%llu}";
    joint_id first = carry_out(METHOD_JOINT_CREATE, with(weld, a, b));
    carry_out(METHOD_JOINT_CREATE, with(weld, a, b));
    refuse(METHOD_JOINT_CREATE, with(weld, a, b),
           "joints_per_world: the world has 2 joints, and 1 would be added; at most 2 are "
           "allowed");
    carry_out(METHOD_JOINT_REMOVE, with("{\"world\":\"w\",\"joint\":%llu}", first, 0));
    carry_out(METHOD_JOINT_CREATE, with(weld, a, b));
}

static void batch_is_counted_as_a_whole(void **state)
{
    (void)state;
    uint64_t before = world_hash(world);
    refuse(METHOD_WORLD_APPLY,
           "{\"world\":\"w\",\"commands\":[[\"body.spawn\",{\"shapes\":[" CHAIN "]}],"
           "[\"body.spawn\",{\"shapes\":[" BALL "]}],"
           "[\"shape.add\",{\"body\":{\"$\":1},\"shape\":" BALL "}]]}",
           "commands[2] (shape.add): shapes_per_world: the world has 4 shapes, and 1 would be "
           "added; at most 4 are allowed");
    refuse(METHOD_WORLD_APPLY,
           "{\"world\":\"w\",\"commands\":[[\"body.spawn\",{\"shapes\":[" BALL "]}],"
           "[\"body.spawn\",{\"shapes\":[" BALL "]}],"
           "[\"joint.create\",{\"kind\":\"weld\",\"a\":{\"$\":0},\"b\":{\"$\":1}}],"
           "[\"joint.create\",{\"kind\":\"weld\",\"a\":{\"$\":0},\"b\":{\"$\":1}}],"
           "[\"joint.create\",{\"kind\":\"weld\",\"a\":{\"$\":0},\"b\":{\"$\":1}}]]}",
           "commands[4] (joint.create): joints_per_world: the world has 2 joints, and 1 would be "
           "added; at most 2 are allowed");
    assert_true(world_hash(world) == before);
}

static void what_a_batch_removes_makes_room_for_what_follows(void **state)
{
    (void)state;
    body_id full = spawn(CHAIN "," BALL);
    const char *swap = "{\"world\":\"w\",\"commands\":[[\"body.remove\",{\"body\":%llu}],"
                       "[\"body.spawn\",{\"shapes\":[" CHAIN "]}],[\"body.remove\",{\"body\":"
                       "{\"$\":1}}],[\"body.spawn\",{\"shapes\":[" BALL "," CHAIN "]}]]}";
    carry_out(METHOD_WORLD_APPLY, with(swap, full, 0));
    assert_int_equal(world_count(world).shapes, 2);
    most.joints = 1;
    most.shapes = 6;
    body_id a = spawn(BALL), b = spawn(BALL);
    const char *weld = "{\"world\":\"w\",\"kind\":\"weld\",\"a\":%llu,\"b\":%llu}";
    joint_id joint = carry_out(METHOD_JOINT_CREATE, with(weld, a, b));
    char json[512];
    snprintf(json, sizeof json,
             "{\"world\":\"w\",\"commands\":[[\"joint.remove\",{\"joint\":%llu}],"
             "[\"joint.create\",{\"kind\":\"weld\",\"a\":%llu,\"b\":%llu}]]}",
             (unsigned long long)joint, (unsigned long long)a, (unsigned long long)b);
    carry_out(METHOD_WORLD_APPLY, json);
}

// The shape is counted once, not again with its body.
static void shape_and_its_body_removed_make_room_once(void **state)
{
    (void)state;
    body_id body = spawn(BALL);
    spawn(CHAIN);
    shape_id shape = body_next_shape(world, body, 0);
    char json[512];
    snprintf(json, sizeof json,
             "{\"world\":\"w\",\"commands\":[[\"shape.remove\",{\"shape\":%llu}],"
             "[\"body.remove\",{\"body\":%llu}],[\"body.spawn\",{\"shapes\":[" BALL "," BALL
             "]}]]}",
             (unsigned long long)shape, (unsigned long long)body);
    refuse(METHOD_WORLD_APPLY, json,
           "commands[2] (body.spawn): shapes_per_world: the world has 3 shapes, and 2 would be "
           "added; at most 4 are allowed");
}

static void whole_world_is_held_to_its_limits(void **state)
{
    (void)state;
    error err = {0};
    body_id a = spawn(BALL), b = spawn(CHAIN);
    carry_out(METHOD_JOINT_CREATE, with("{\"world\":\"w\",\"kind\":\"weld\",\"a\":%llu,"
                                        "\"b\":%llu}",
                                        a, b));
    most = (capacity_limits){.bodies = 2, .shapes = 4, .joints = 1};
    assert_int_equal(capacity_check(world, &most, &err), STATUS_OK);
    most = (capacity_limits){.bodies = 1, .shapes = 4, .joints = 1};
    assert_int_equal(capacity_check(world, &most, &err), STATUS_LIMIT_EXCEEDED);
    assert_string_equal(err.text, "bodies_per_world: it has 2 bodies; at most 1 are allowed");
    most = (capacity_limits){.bodies = 2, .shapes = 3, .joints = 1};
    assert_int_equal(capacity_check(world, &most, &err), STATUS_LIMIT_EXCEEDED);
    assert_string_equal(err.text, "shapes_per_world: it has 4 shapes; at most 3 are allowed");
    most = (capacity_limits){.bodies = 2, .shapes = 4, .joints = 0};
    assert_int_equal(capacity_check(world, &most, &err), STATUS_LIMIT_EXCEEDED);
    assert_string_equal(err.text, "joints_per_world: it has 1 joint; at most 0 are allowed");
}

// An image may have a higher maximum of bodies than the server.
static void bodies_are_counted_where_the_world_allows_more(void **state)
{
    (void)state;
    most.bodies = 2;
    body_id first = spawn(BALL);
    spawn(BALL);
    refuse(METHOD_BODY_SPAWN, "{\"world\":\"w\",\"shapes\":[]}",
           "bodies_per_world: the world has 2 bodies, and 1 would be added; at most 2 are "
           "allowed");
    carry_out(METHOD_WORLD_APPLY, with("{\"world\":\"w\",\"commands\":[[\"body.remove\",{\"body\":"
                                       "%llu}],[\"body.spawn\",{\"shapes\":[]}]]}",
                                       first, 0));
    refuse(METHOD_BODY_SPAWN, "{\"world\":\"w\",\"shapes\":[]}",
           "bodies_per_world: the world has 2 bodies, and 1 would be added; at most 2 are "
           "allowed");
}

static void refuse_image(const char *text)
{
    uint8_t *image = NULL;
    size_t size = 0;
    error err = {0};
    world_save(world, &image, &size);
    struct mallinfo2 before = mallinfo2();
    status s = capacity_check_image(image, size, &most, &err);
    assert_int_equal(mallinfo2().uordblks, before.uordblks);
    assert_int_equal(s, *text != '\0' ? STATUS_LIMIT_EXCEEDED : STATUS_OK);
    assert_string_equal(err.text, text);
    free(image);
}

static void image_is_held_to_its_limits_and_takes_no_memory(void **state)
{
    (void)state;
    body_id a = spawn(BALL), b = spawn(CHAIN);
    carry_out(METHOD_JOINT_CREATE, with("{\"world\":\"w\",\"kind\":\"weld\",\"a\":%llu,"
                                        "\"b\":%llu}",
                                        a, b));
    most = (capacity_limits){.bodies = 2, .shapes = 4, .joints = 1};
    refuse_image("");
    most = (capacity_limits){.bodies = 1, .shapes = 4, .joints = 1};
    refuse_image("bodies_per_world: it has 2 bodies; at most 1 are allowed");
    most = (capacity_limits){.bodies = 2, .shapes = 3, .joints = 1};
    refuse_image("shapes_per_world: it has 4 shapes; at most 3 are allowed");
    most = (capacity_limits){.bodies = 2, .shapes = 4, .joints = 0};
    refuse_image("joints_per_world: it has 1 joint; at most 0 are allowed");
    // Slots of removed objects take memory too.
    assert_int_equal(body_remove(world, a, NULL), STATUS_OK);
    most = (capacity_limits){.bodies = 1, .shapes = 4, .joints = 1};
    refuse_image("bodies_per_world: it has places for 2 bodies, as it had so many once; at most 1 "
                 "are allowed");
    most = (capacity_limits){.bodies = 2, .shapes = 4, .joints = 1};
    refuse_image("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bodies_are_counted_where_the_world_allows_more, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(image_is_held_to_its_limits_and_takes_no_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(shapes_are_counted_with_the_pieces_of_chains, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(joints_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(batch_is_counted_as_a_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_batch_removes_makes_room_for_what_follows, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(shape_and_its_body_removed_make_room_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(whole_world_is_held_to_its_limits, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
