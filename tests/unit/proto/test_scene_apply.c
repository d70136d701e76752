// Scenes in worlds: every built-in one loads, goes through apply_command, and shows its intended
// behaviour.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/scene/scene_apply.h"
#include "proto/scene/scene_builtin.h"

static physics_world *world;
static scene current;
static body_row rows[8192];

static int end_world(void **state)
{
    (void)state;
    world_free(world);
    world = NULL;
    scene_deinit(&current);
    return 0;
}

static void begin(const char *name)
{
    error err;
    if (scene_builtin(name, &current, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    world_def def = scene_world_def(&current);
    assert_int_equal(world_create(&def, &world, &err), STATUS_OK);
    if (scene_apply(world, &current, NULL, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static void begin_text(const char *text)
{
    error err;
    if (scene_load_text(text, strlen(text), NULL, &current, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    world_def def = scene_world_def(&current);
    assert_int_equal(world_create(&def, &world, &err), STATUS_OK);
}

static void step(int count)
{
    for (int i = 0; i < count; i++) {
        world_step(world);
    }
}

static uint32_t read_rows(void)
{
    return world_rows(world, rows, sizeof rows / sizeof *rows);
}

// ---- the mechanism

static void each_builtin_is_named_as_its_file(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"billiards", "cradle", "demo",   "drum",
                                        "gallery",   "heap",   "pyramid"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        error err;
        scene s;
        assert_int_equal(scene_builtin(NAMES[i], &s, &err), STATUS_OK);
        assert_string_equal(s.name, NAMES[i]);
        assert_true(strlen(s.description) > 10 && s.has_view);
        scene_deinit(&s);
    }
}

static void builtin_of_another_name_is_told_the_names_in_order(void **state)
{
    (void)state;
    error err;
    assert_int_equal(scene_builtin("opera", &current, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, "there is no scene 'opera'; there are billiards, cradle, demo, "
                                  "drum, gallery, heap, pyramid");
}

static void settings_reach_the_world(void **state)
{
    (void)state;
    begin_text("{\"world\": {\"gravity\": [1, -2], \"hz\": 128, \"substeps\": 6, \"sleep\": false,"
               " \"continuous\": false, \"max_bodies\": 3, \"restitution_threshold\": 0.25,"
               " \"hit_threshold\": 2, \"sleep_speed\": 0.125}, \"commands\": []}");
    world_def def = world_definition(world);
    assert_true(def.gravity.x == 1.0 && def.gravity.y == -2.0 && def.hz == 128.0);
    assert_int_equal(def.substeps, 6);
    assert_false(def.sleep || def.continuous);
    assert_int_equal(def.bodies_max, 3);
    assert_true(def.restitution_threshold == 0.25 && def.hit_threshold == 2.0);
    assert_true(def.sleep_speed == 0.125);
}

static void references_name_what_was_made(void **state)
{
    (void)state;
    begin_text(
        "{\"world\": {\"gravity\": [0, 0]}, \"commands\": ["
        "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"a\"}],"
        "[\"body.spawn\", {\"shapes\": []}, {\"as\": \"b\"}],"
        "[\"shape.add\", {\"body\": \"$b\", \"shape\": {\"kind\": \"circle\", \"radius\": 1}},"
        " {\"as\": \"s\"}],"
        "[\"body.set\", {\"body\": \"$b\", \"velocity\": [3, 0]}],"
        "[\"shape.remove\", {\"shape\": \"$s\"}],"
        "[\"body.remove\", {\"body\": \"$a\"}]]}");
    error err;
    if (scene_apply(world, &current, NULL, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(read_rows(), 1);
    assert_true(rows[0].velocity.x == 3.0f);
    assert_int_equal(body_next_shape(world, rows[0].id, 0), 0);
}

static void command_that_the_world_refuses_tells_its_entry(void **state)
{
    (void)state;
    begin_text(
        "{\"name\": \"bad\", \"commands\": ["
        "[\"body.spawn\", {\"shapes\": []}],"
        "{\"for\": {\"i\": [0, 2]}, \"do\": ["
        "[\"body.spawn\", {\"shapes\": [{\"kind\": \"circle\", \"radius\": \"=1 - i\"}]}]]}]}");
    error err;
    assert_int_equal(scene_apply(world, &current, NULL, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "bad: commands[1]: shapes[0].radius"));
    // The commands before it took effect.
    assert_int_equal(read_rows(), 2);
}

static void world_named_in_a_command_is_refused(void **state)
{
    (void)state;
    begin_text("{\"commands\": [[\"body.spawn\", {\"world\": \"w\", \"shapes\": []}]]}");
    error err;
    assert_int_equal(scene_apply(world, &current, NULL, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "world"));
}

static void same_scene_twice_gives_the_same_hash(void **state)
{
    (void)state;
    begin("demo");
    step(60);
    uint64_t hash = world_hash(world);
    end_world(NULL);
    begin("demo");
    step(60);
    assert_true(world_hash(world) == hash);
}

// ---- the purpose of each scene

static void demo_moves_for_a_minute_and_loses_nobody(void **state)
{
    (void)state;
    begin("demo");
    uint32_t count = read_rows();
    assert_int_equal(count, 134);
    for (int second = 0; second < 60; second++) {
        step(60);
        assert_int_equal(read_rows(), count);
        double motion = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            assert_true(rows[i].awake);
            assert_true(hypot(rows[i].position.x, rows[i].position.y) < 10.0);
            motion += (double)vec2_length(rows[i].velocity);
        }
        // A body on the drum's wall moves at 4 m/s.
        assert_true(motion / count > 1.0);
    }
}

static void pyramid_has_its_5050_boxes_in_place(void **state)
{
    (void)state;
    begin("pyramid");
    uint32_t count = read_rows();
    assert_int_equal(count, 5051);
    double top = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        top = rows[i].position.y > top ? rows[i].position.y : top;
    }
    assert_true(top == 99.5);
    assert_false(world_definition(world).sleep);
    // A freely falling body would be 1.25 m lower after half a second.
    step(30);
    assert_int_equal(read_rows(), count);
    double stands = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        stands = rows[i].position.y > stands ? rows[i].position.y : stands;
    }
    assert_true(stands > 98.5);
}

static void heap_stays_in_its_bin(void **state)
{
    (void)state;
    begin("heap");
    assert_int_equal(read_rows(), 2501);
    step(180);
    uint32_t count = read_rows();
    for (uint32_t i = 0; i < count; i++) {
        assert_true(fabs(rows[i].position.x) < 20.0 && rows[i].position.y > -0.01);
    }
}

static void drum_turns_25_degrees_a_second_and_keeps_its_boxes(void **state)
{
    (void)state;
    begin("drum");
    assert_int_equal(read_rows(), 2026);
    step(120);
    uint32_t count = read_rows();
    assert_true(fabsf(rows[0].angle - 50.0f * (float)PI_D / 180.0f) < 1e-3f);
    for (uint32_t i = 1; i < count; i++) {
        assert_true(hypot(rows[i].position.x, rows[i].position.y - 10.0) < 14.0);
    }
}

static void billiards_break_scatters_all_balls_on_the_table(void **state)
{
    (void)state;
    begin("billiards");
    assert_int_equal(read_rows(), 17);
    body_row before[17];
    memcpy(before, rows, sizeof before);
    // Before the break the cue ball has all the energy; the cushions and each hit take some of it.
    double energy = 28.0 * 28.0;
    for (int second = 0; second < 5; second++) {
        step(60);
        read_rows();
        double sum = 0.0;
        for (int i = 1; i < 17; i++) {
            sum += (double)vec2_length_squared(rows[i].velocity);
            assert_true(fabs(rows[i].position.x) < 12.7 && fabs(rows[i].position.y) < 6.35);
        }
        assert_true(sum < energy);
        energy = sum;
    }
    for (int i = 1; i < 17; i++) {
        double moved = hypot(rows[i].position.x - before[i].position.x,
                             rows[i].position.y - before[i].position.y);
        assert_true(moved > 0.5);
    }
}

static void cradle_hands_its_momentum_from_end_to_end(void **state)
{
    (void)state;
    begin("cradle");
    assert_int_equal(read_rows(), 6);
    assert_int_equal(world_count(world).joints, 5);
    double lifted = rows[1].position.y;
    double flown = 0.0;
    for (int i = 0; i < 240; i++) {
        step(1);
        read_rows();
        flown = rows[5].position.y > flown ? rows[5].position.y : flown;
        // The balls between only pass the impulse on.
        for (int k = 2; k < 5; k++) {
            assert_true(fabs(rows[k].position.x - 1.005 * (k - 1)) < 0.03);
        }
    }
    assert_true(flown > 0.95 * lifted && flown < 1.02 * lifted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_builtin_is_named_as_its_file, end_world),
        cmocka_unit_test_teardown(builtin_of_another_name_is_told_the_names_in_order, end_world),
        cmocka_unit_test_teardown(settings_reach_the_world, end_world),
        cmocka_unit_test_teardown(references_name_what_was_made, end_world),
        cmocka_unit_test_teardown(command_that_the_world_refuses_tells_its_entry, end_world),
        cmocka_unit_test_teardown(world_named_in_a_command_is_refused, end_world),
        cmocka_unit_test_teardown(same_scene_twice_gives_the_same_hash, end_world),
        cmocka_unit_test_teardown(demo_moves_for_a_minute_and_loses_nobody, end_world),
        cmocka_unit_test_teardown(pyramid_has_its_5050_boxes_in_place, end_world),
        cmocka_unit_test_teardown(heap_stays_in_its_bin, end_world),
        cmocka_unit_test_teardown(drum_turns_25_degrees_a_second_and_keeps_its_boxes, end_world),
        cmocka_unit_test_teardown(billiards_break_scatters_all_balls_on_the_table, end_world),
        cmocka_unit_test_teardown(cradle_hands_its_momentum_from_end_to_end, end_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
