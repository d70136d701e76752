// Commands applied to a real world: their changes and answers; a batch is applied completely or not
// at all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/apply.h"
#include "proto/limits.h"
#include "proto/methods.h"
#include "tests/unit/proto/wording.h"

typedef struct fixture {
    physics_world *world;
    command_result result; // result of the last apply()
} fixture;

static fixture f;

static int set_up(void **state)
{
    (void)state;
    world_def def = world_def_default();
    def.bodies_max = 100;
    assert_int_equal(world_create(&def, &f.world, NULL), STATUS_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    command_result_free(&f.result);
    world_free(f.world);
    f.world = NULL;
    return 0;
}

static status try_apply(method m, const char *json, error *err)
{
    command c;
    command_result_free(&f.result);
    if (wording_decode(m, json, &c, err) != STATUS_OK) {
        fail_msg("%s %s: %s", method_name(m), json, err->text);
    }
    status s = apply_command(f.world, &c, &f.result, err);
    command_free(&c); // the result does not refer to the command
    return s;
}

static const command_result *apply(method m, const char *json)
{
    error err = {0};
    if (try_apply(m, json, &err) != STATUS_OK) {
        fail_msg("%s %s: %s: %s", method_name(m), json, status_code(err.status), err.text);
    }
    assert_int_equal(f.result.method, m);
    return &f.result;
}

// Checks that the command is refused with this text, and changes nothing.
static void refuse(method m, const char *json, status expected, const char *text)
{
    error err = {0};
    uint64_t before = world_hash(f.world);
    status s = try_apply(m, json, &err);
    if (s != expected || strcmp(err.text, text) != 0) {
        fail_msg("%s %s\n  expected %s: %s\n  got      %s: %s", method_name(m), json,
                 status_code(expected), text, status_code(s), err.text);
    }
    assert_true(world_hash(f.world) == before);
}

static body_id spawn(const char *properties)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{\"world\": \"w\", %s\"shapes\": [{\"kind\": \"circle\","
             " \"radius\": 0.5}]}",
             properties);
    return apply(METHOD_BODY_SPAWN, json)->spawn.body;
}

static body_info info_of(body_id id)
{
    body_info info;
    assert_int_equal(body_get(f.world, id, &info, NULL), STATUS_OK);
    return info;
}

// ---- single commands

static void spawn_answers_ids_and_the_tick_that_shows_it(void **state)
{
    (void)state;
    world_step(f.world);
    world_step(f.world);
    const command_result *r =
        apply(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"position\": [3, 4], \"shapes\": ["
                                 "{\"kind\": \"circle\", \"radius\": 1},"
                                 "{\"kind\": \"box\", \"size\": [1, 2]}]}");
    assert_int_equal(r->tick, 3);
    assert_int_equal(r->spawn.shape_count, 2);
    assert_true(r->spawn.shapes[0] != r->spawn.shapes[1]);
    shape_info shape;
    assert_int_equal(shape_get(f.world, r->spawn.shapes[1], &shape, NULL), STATUS_OK);
    assert_true(shape.body == r->spawn.body);
    assert_true(info_of(r->spawn.body).position.y == 4.0);
}

static void spawn_over_the_world_s_room_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        spawn("");
    }
    refuse(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": []}", STATUS_LIMIT_EXCEEDED,
           "the world has its most bodies: 100");
}

static void get_copies_all_that_is_known(void **state)
{
    (void)state;
    const command_result *r =
        apply(METHOD_BODY_SPAWN,
              "{\"world\": \"w\", \"type\": \"static\", \"tag\": \"floor\", \"shapes\": ["
              "{\"kind\": \"chain\", \"vertices\": [[0, 0], [1, 0], [2, 1]]}]}");
    char json[64];
    snprintf(json, sizeof json, "{\"world\": \"w\", \"body\": %llu}",
             (unsigned long long)r->spawn.body);
    r = apply(METHOD_BODY_GET, json);
    assert_int_equal(r->tick, 0); // the tick at which the state was read
    assert_int_equal(apply(METHOD_BODY_GET, json)->body.info.shape_count, 1);
    body_remove(f.world, f.result.body.info.id, NULL); // the copy outlives the body
    assert_string_equal(f.result.body.info.tag, "floor");
    assert_int_equal(f.result.body.shapes[0].def.point_count, 3);
    assert_true(f.result.body.shapes[0].def.points[2].y == 1.0f);
    refuse(METHOD_BODY_GET, json, STATUS_NOT_FOUND, "body 1 does not exist");
}

static void set_changes_what_is_named_and_nothing_else(void **state)
{
    (void)state;
    body_id id = spawn("\"velocity\": [1, 2], ");
    assert_true(id == 1);
    apply(METHOD_BODY_SET, "{\"world\": \"w\", \"body\": 1, \"position\": [7, 8], \"tag\": \"x\"}");
    body_info info = info_of(id);
    assert_true(info.position.x == 7.0 && info.velocity.y == 2.0);
    assert_string_equal(info.tag, "x");
    refuse(METHOD_BODY_SET, "{\"world\": \"w\", \"body\": 2, \"angle\": 1}", STATUS_NOT_FOUND,
           "body 2 does not exist");
}

static void pushes_change_velocity_or_act_on(void **state)
{
    (void)state;
    body_id id = spawn("\"mass\": 2, \"gravity_scale\": 0, ");
    apply(METHOD_BODY_IMPULSE, "{\"world\": \"w\", \"body\": 1, \"impulse\": [4, 0]}");
    assert_true(info_of(id).velocity.x == 2.0);
    apply(METHOD_BODY_IMPULSE,
          "{\"world\": \"w\", \"body\": 1, \"impulse\": [0, 1], \"point\": [1, 0]}");
    assert_true(info_of(id).angular_velocity > 0.0);
    apply(METHOD_BODY_ANGULAR_IMPULSE, "{\"world\": \"w\", \"body\": 1, \"impulse\": -100}");
    assert_true(info_of(id).angular_velocity < 0.0);
    apply(METHOD_BODY_FORCE, "{\"world\": \"w\", \"body\": 1, \"force\": [0, 6]}");
    apply(METHOD_BODY_TORQUE, "{\"world\": \"w\", \"body\": 1, \"torque\": 5}");
    assert_true(info_of(id).force.y == 6.0 && info_of(id).torque == 5.0);
}

static void shapes_come_and_go(void **state)
{
    (void)state;
    body_id id = spawn("");
    shape_id added = apply(METHOD_SHAPE_ADD, "{\"world\": \"w\", \"body\": 1, \"shape\":"
                                             " {\"kind\": \"circle\", \"radius\": 1}}")
                         ->shape;
    assert_int_equal(info_of(id).shape_count, 2);
    assert_int_equal(added, 2);
    apply(METHOD_SHAPE_REMOVE, "{\"world\": \"w\", \"shape\": 2}");
    assert_int_equal(info_of(id).shape_count, 1);
    refuse(METHOD_SHAPE_REMOVE, "{\"world\": \"w\", \"shape\": 2}", STATUS_NOT_FOUND,
           "shape 2 does not exist");
}

static void world_set_changes_gravity_and_sleep(void **state)
{
    (void)state;
    const command_result *r =
        apply(METHOD_WORLD_SET, "{\"world\": \"w\", \"gravity\": [1, 2], \"sleep\": false}");
    assert_int_equal(r->tick, 1);
    world_def def = world_definition(f.world);
    assert_true(def.gravity.x == 1.0 && def.gravity.y == 2.0);
    assert_false(def.sleep);
    assert_true(def.restitution_threshold == 0.5);
    apply(METHOD_WORLD_SET, "{\"world\": \"w\", \"restitution_threshold\": 0}");
    def = world_definition(f.world);
    assert_true(def.restitution_threshold == 0.0 && def.gravity.x == 1.0);
    assert_true(def.sleep_speed == 0.05);
    apply(METHOD_WORLD_SET, "{\"world\": \"w\", \"sleep_speed\": 0.5}");
    def = world_definition(f.world);
    assert_true(def.sleep_speed == 0.5 && def.restitution_threshold == 0.0);
}

static void world_state_holds_everything(void **state)
{
    (void)state;
    spawn("\"tag\": \"a\", ");
    spawn("\"tag\": \"b\", \"position\": [2, 0], ");
    apply(METHOD_JOINT_CREATE, "{\"world\": \"w\", \"kind\": \"weld\", \"a\": 1, \"b\": 2}");
    const command_result *r = apply(METHOD_WORLD_STATE, "{\"world\": \"w\"}");
    assert_string_equal(r->state.world, "w");
    assert_true(r->state.hash == world_hash(f.world));
    assert_int_equal(r->state.body_count, 2);
    assert_string_equal(r->state.bodies[1].info.tag, "b");
    assert_int_equal(r->state.bodies[1].info.shape_count, 1);
    assert_int_equal(r->state.joint_count, 1);
    assert_int_equal(r->state.joints[0].def.kind, JOINT_WELD);
    assert_int_equal(r->tick, 0);
}

static void joint_list_holds_all_joints_in_the_order_of_their_making(void **state)
{
    (void)state;
    assert_int_equal(apply(METHOD_JOINT_LIST, "{\"world\": \"w\"}")->joints.count, 0);
    spawn("");
    spawn("\"position\": [2, 0], ");
    apply(METHOD_JOINT_CREATE, "{\"world\": \"w\", \"kind\": \"weld\", \"a\": 1, \"b\": 2}");
    apply(METHOD_JOINT_CREATE, "{\"world\": \"w\", \"kind\": \"mouse\", \"b\": 2,"
                               " \"target\": [3, 0]}");
    const command_result *r = apply(METHOD_JOINT_LIST, "{\"world\": \"w\"}");
    assert_string_equal(r->joints.world, "w");
    assert_int_equal(r->joints.count, 2);
    assert_int_equal(r->joints.joints[0].def.kind, JOINT_WELD);
    assert_int_equal(r->joints.joints[1].def.kind, JOINT_MOUSE);
    assert_int_equal(r->joints.joints[1].def.b, 2);
}

static void methods_of_others_are_not_applied(void **state)
{
    (void)state;
    refuse(METHOD_PING, "{}", STATUS_UNAVAILABLE, "ping is not carried out by a world");
    refuse(METHOD_WORLD_PAUSE, "{\"world\": \"w\"}", STATUS_UNAVAILABLE,
           "world.pause is not carried out by a world");
    assert_false(apply_supports(METHOD_WORLD_PAUSE));
    assert_true(apply_supports(METHOD_WORLD_APPLY));
    assert_true(apply_supports(METHOD_QUERY_RAY));
}

static void every_supported_method_is_applied(void **state)
{
    (void)state;
    // A command of each method with zeroed arguments is refused for its contents, or applied, but
    // never unknown.
    for (int m = 0; m < METHOD_COUNT; m++) {
        command c = {.method = (method)m};
        command_result r;
        status s = apply_command(f.world, &c, &r, NULL);
        assert_int_equal(s == STATUS_UNAVAILABLE, !apply_supports((method)m));
        if (s == STATUS_OK) {
            command_result_free(&r);
        }
    }
}

// ---- joints and queries

static void joints_are_made_changed_and_removed(void **state)
{
    (void)state;
    spawn("\"type\": \"static\", ");
    spawn("\"position\": [1, 0], ");
    joint_id id = apply(METHOD_JOINT_CREATE, "{\"world\": \"w\", \"kind\": \"revolute\", \"a\": 1,"
                                             " \"b\": 2, \"anchor\": [0, 0]}")
                      ->joint;
    assert_int_equal(id, 1);
    apply(METHOD_JOINT_SET, "{\"world\": \"w\", \"joint\": 1, \"motor_speed\": 3}");
    const command_result *r = apply(METHOD_JOINT_GET, "{\"world\": \"w\", \"joint\": 1}");
    assert_true(r->joint_info.def.motor_speed == 3.0);
    assert_true(r->joint_info.def.anchor_b.x == -1.0);
    refuse(METHOD_JOINT_CREATE,
           "{\"world\": \"w\", \"kind\": \"weld\", \"a\": 1, \"b\": 2,"
           " \"length\": 3}",
           STATUS_INVALID_ARGUMENT, "length: a weld joint has no such setting");
    refuse(METHOD_JOINT_CREATE, "{\"world\": \"w\", \"kind\": \"weld\", \"a\": 1, \"b\": 9}",
           STATUS_NOT_FOUND, "b: body 9 does not exist");
    apply(METHOD_JOINT_REMOVE, "{\"world\": \"w\", \"joint\": 1}");
    refuse(METHOD_JOINT_REMOVE, "{\"world\": \"w\", \"joint\": 1}", STATUS_NOT_FOUND,
           "joint 1 does not exist");
}

static void rays_and_casts_answer_hits_nearest_first(void **state)
{
    (void)state;
    spawn("\"position\": [5, 0], ");
    spawn("\"position\": [3, 0], ");
    const command_result *r = apply(
        METHOD_QUERY_RAY, "{\"world\": \"w\", \"from\": [0, 0], \"to\": [10, 0], \"all\": true}");
    assert_int_equal(r->hits.count, 2);
    assert_int_equal(r->hits.hits[0].body, 2);
    assert_true(r->hits.hits[0].point.x == 2.5);
    r = apply(METHOD_QUERY_RAY, "{\"world\": \"w\", \"from\": [0, 0], \"to\": [10, 0]}");
    assert_int_equal(r->hits.count, 1);
    r = apply(METHOD_QUERY_RAY,
              "{\"world\": \"w\", \"from\": [0, 0], \"to\": [10, 0], \"ignore\": 2}");
    assert_int_equal(r->hits.hits[0].body, 1);
    r = apply(METHOD_QUERY_CAST, "{\"world\": \"w\", \"shape\": {\"kind\": \"circle\","
                                 " \"radius\": 0.5}, \"from\": [0, 0], \"to\": [10, 0]}");
    assert_int_equal(r->hits.hits[0].body, 2);
    assert_true(r->hits.hits[0].fraction > 0.19 && r->hits.hits[0].fraction < 0.21);
}

static void overlap_answers_each_body_once(void **state)
{
    (void)state;
    apply(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [{\"kind\": \"circle\","
                             " \"radius\": 1}, {\"kind\": \"circle\", \"radius\": 2}]}");
    spawn("\"position\": [1, 0], ");
    spawn("\"position\": [50, 0], ");
    const command_result *r =
        apply(METHOD_QUERY_OVERLAP, "{\"world\": \"w\", \"area\": [-1, -1, 1, 1]}");
    assert_int_equal(r->found.count, 2);
    assert_int_equal(r->found.bodies[0], 1);
    assert_int_equal(r->found.bodies[1], 2);
    r = apply(METHOD_QUERY_OVERLAP, "{\"world\": \"w\", \"point\": [50.2, 0]}");
    assert_int_equal(r->found.count, 1);
    assert_int_equal(r->found.bodies[0], 3);
    r = apply(METHOD_QUERY_OVERLAP, "{\"world\": \"w\", \"shape\": {\"kind\": \"circle\","
                                    " \"center\": [30, 0], \"radius\": 0.5}}");
    assert_int_equal(r->found.count, 0);
}

static void nearest_answers_a_place_or_nothing(void **state)
{
    (void)state;
    spawn("\"position\": [5, 0], ");
    const command_result *r = apply(METHOD_QUERY_NEAREST, "{\"world\": \"w\", \"point\": [0, 0]}");
    assert_int_equal(r->near.body, 1);
    assert_true(r->near.distance == 4.5);
    r = apply(METHOD_QUERY_NEAREST, "{\"world\": \"w\", \"point\": [0, 0], \"radius\": 4}");
    assert_int_equal(r->near.body, 0);
}

// ---- batches

static const command_result *apply_batch(const char *commands)
{
    char json[4096];
    snprintf(json, sizeof json, "{\"world\": \"w\", \"commands\": [%s]}", commands);
    return apply(METHOD_WORLD_APPLY, json);
}

static void refuse_batch(const char *commands, status s, const char *text)
{
    char json[4096];
    snprintf(json, sizeof json, "{\"world\": \"w\", \"commands\": [%s]}", commands);
    refuse(METHOD_WORLD_APPLY, json, s, text);
}

#define CIRCLE "{\"kind\": \"circle\", \"radius\": 0.5}"
#define SPAWN  "[\"body.spawn\", {\"shapes\": [" CIRCLE "]}]"

static void batch_answers_what_each_alone_would(void **state)
{
    (void)state;
    world_step(f.world);
    const command_result *r =
        apply_batch(SPAWN ", " SPAWN ", [\"body.impulse\", {\"body\": {\"$\": 1},"
                          " \"impulse\": [1, 0]}], [\"body.get\", {\"body\": {\"$\": 1}}]");
    assert_int_equal(r->tick, 2);
    assert_int_equal(r->batch.count, 4);
    assert_int_equal(r->batch.results[0].spawn.body, 1);
    assert_int_equal(r->batch.results[1].spawn.body, 2);
    assert_int_equal(r->batch.results[2].tick, 2);
    assert_int_equal(r->batch.results[3].body.info.id, 2);
    assert_true(r->batch.results[3].body.info.velocity.x > 0.0);
    assert_int_equal(r->batch.results[3].tick, 1);
}

static void batch_of_nothing_is_applied(void **state)
{
    (void)state;
    uint64_t before = world_hash(f.world);
    assert_int_equal(apply_batch("")->batch.count, 0);
    assert_true(world_hash(f.world) == before);
}

static void batch_may_remove_what_it_made(void **state)
{
    (void)state;
    apply_batch(SPAWN ", [\"shape.add\", {\"body\": {\"$\": 0}, \"shape\": " CIRCLE "}],"
                      " [\"shape.remove\", {\"shape\": {\"$\": 1}}],"
                      " [\"body.remove\", {\"body\": {\"$\": 0}}]");
    assert_int_equal(world_count(f.world).bodies, 0);
}

static void batch_with_a_missing_body_does_nothing(void **state)
{
    (void)state;
    refuse_batch(SPAWN ", [\"body.impulse\", {\"body\": 9, \"impulse\": [1, 0]}]", STATUS_NOT_FOUND,
                 "commands[1] (body.impulse): body 9 does not exist");
    assert_int_equal(world_count(f.world).bodies, 0);
}

static void batch_finds_what_it_removed_gone(void **state)
{
    (void)state;
    spawn("");
    refuse_batch("[\"body.remove\", {\"body\": 1}], [\"body.set\", {\"body\": 1, \"angle\": 1}]",
                 STATUS_NOT_FOUND, "commands[1] (body.set): body 1 does not exist any more");
    refuse_batch("[\"body.remove\", {\"body\": 1}], [\"shape.remove\", {\"shape\": 1}]",
                 STATUS_NOT_FOUND, "commands[1] (shape.remove): shape 1 does not exist any more");
    refuse_batch("[\"shape.remove\", {\"shape\": 1}], [\"shape.remove\", {\"shape\": 1}]",
                 STATUS_NOT_FOUND, "commands[1] (shape.remove): shape 1 does not exist any more");
    refuse_batch("[\"body.remove\", {\"body\": 1}], [\"body.remove\", {\"body\": 1}]",
                 STATUS_NOT_FOUND, "commands[1] (body.remove): body 1 does not exist any more");
    refuse_batch(SPAWN ", [\"body.remove\", {\"body\": {\"$\": 0}}],"
                       " [\"body.get\", {\"body\": {\"$\": 0}}]",
                 STATUS_NOT_FOUND,
                 "commands[2] (body.get): the body of {\"$\": 0} does not exist any more");
    refuse_batch(SPAWN ", [\"shape.add\", {\"body\": {\"$\": 0}, \"shape\": " CIRCLE "}],"
                       " [\"body.remove\", {\"body\": {\"$\": 0}}],"
                       " [\"shape.remove\", {\"shape\": {\"$\": 1}}]",
                 STATUS_NOT_FOUND,
                 "commands[3] (shape.remove): the shape of {\"$\": 1} does not exist any more");
}

static void batch_counts_the_room_it_takes_and_makes(void **state)
{
    (void)state;
    for (int i = 0; i < 99; i++) {
        spawn("");
    }
    refuse_batch(SPAWN ", " SPAWN, STATUS_LIMIT_EXCEEDED,
                 "commands[1] (body.spawn): the world has its most bodies: 100");
    apply_batch(SPAWN ", [\"body.remove\", {\"body\": 5}], " SPAWN);
    assert_int_equal(world_count(f.world).bodies, 100);
}

static void batch_counts_the_shapes_of_a_body(void **state)
{
    (void)state;
    char chain[PHYSICS_CHAIN_POINTS_MAX * 12 + 64];
    char *at = chain + sprintf(chain, "{\"kind\": \"chain\", \"vertices\": [");
    for (int i = 0; i < 1023; i++) { // 1022 pieces and the chain itself
        at += sprintf(at, "%s[%d, 0]", i == 0 ? "" : ",", i);
    }
    sprintf(at, "]}");
    char *json = test_malloc(sizeof chain + 512);
    sprintf(json,
            "{\"world\": \"w\", \"commands\": [[\"body.spawn\", {\"type\": \"static\","
            " \"shapes\": [%s]}], [\"shape.add\", {\"body\": {\"$\": 0}, \"shape\": " CIRCLE
            "}], [\"shape.add\", {\"body\": {\"$\": 0}, \"shape\": " CIRCLE "}]]}",
            chain);
    refuse(METHOD_WORLD_APPLY, json, STATUS_LIMIT_EXCEEDED,
           "commands[2] (shape.add): a body has at most 1024 shapes, each piece of a chain "
           "counted");
    test_free(json);
}

static void batch_with_wrong_values_of_a_caller_s_own_is_refused(void **state)
{
    (void)state;
    spawn("");
    shape_def bad = shape_def_default();
    bad.friction = -1.0;
    command commands[] = {
        {.method = METHOD_BODY_SPAWN, .spawn = {.def = body_def_default()}},
        {.method = METHOD_BODY_IMPULSE, .push = {.body = 1, .vector = {1e13, 0}}},
        {.method = METHOD_BODY_TORQUE, .turn = {.body = 1, .value = 1e13}},
        {.method = METHOD_SHAPE_ADD, .shape_add = {.body = 1, .def = bad}},
        {.method = METHOD_BODY_SPAWN,
         .spawn = {.def = body_def_default(), .shapes = &bad, .shape_count = 1}},
        {.method = METHOD_BODY_GET, .get.body = COMMAND_REFERENCE | 7},
    };
    uint64_t before = world_hash(f.world);
    for (size_t i = 1; i < sizeof commands / sizeof *commands; i++) {
        command pair[2] = {commands[0], commands[i]};
        command batch = {.method = METHOD_WORLD_APPLY, .apply = {.commands = pair, .count = 2}};
        error err = {0};
        assert_int_equal(apply_command(f.world, &batch, &f.result, &err), STATUS_INVALID_ARGUMENT);
        assert_int_equal(strncmp(err.text, "commands[1] (", 13), 0);
        assert_true(world_hash(f.world) == before);
    }
}

static void batch_joins_what_it_spawns(void **state)
{
    (void)state;
    const command_result *r = apply_batch(
        SPAWN ", [\"body.spawn\", {\"position\": [2, 0], \"shapes\": [" CIRCLE "]}],"
              " [\"joint.create\", {\"kind\": \"revolute\", \"a\": {\"$\": 0}, \"b\": {\"$\": 1},"
              " \"anchor\": [1, 0]}],"
              " [\"joint.set\", {\"joint\": {\"$\": 2}, \"motor_speed\": 1}],"
              " [\"joint.get\", {\"joint\": {\"$\": 2}}]");
    assert_int_equal(r->batch.results[2].joint, 1);
    assert_true(r->batch.results[4].joint_info.def.motor_speed == 1.0);
    assert_int_equal(world_count(f.world).joints, 1);
}

static void batch_tries_its_joints_before_it_makes_them(void **state)
{
    (void)state;
    spawn("");
    spawn("\"position\": [2, 0], ");
    apply(METHOD_JOINT_CREATE, "{\"world\": \"w\", \"kind\": \"revolute\", \"a\": 1, \"b\": 2,"
                               " \"anchor\": [1, 0], \"upper\": 1}");
    refuse_batch(SPAWN ", [\"joint.create\", {\"kind\": \"weld\", \"a\": 1, \"b\": {\"$\": 0},"
                       " \"ratio\": 2}]",
                 STATUS_INVALID_ARGUMENT,
                 "commands[1] (joint.create): ratio: a weld joint has no such setting");
    refuse_batch(SPAWN ", [\"joint.set\", {\"joint\": 1, \"length\": 2}]", STATUS_INVALID_ARGUMENT,
                 "commands[1] (joint.set): length: a revolute joint has no such setting");
    refuse_batch("[\"joint.set\", {\"joint\": 1, \"lower\": 0.5}],"
                 " [\"joint.set\", {\"joint\": 1, \"upper\": 0.25}]",
                 STATUS_INVALID_ARGUMENT,
                 "commands[1] (joint.set): lower must be at most upper, got 0.5 > 0.25");
    refuse_batch("[\"joint.remove\", {\"joint\": 1}], [\"joint.get\", {\"joint\": 1}]",
                 STATUS_NOT_FOUND, "commands[1] (joint.get): joint 1 does not exist");
    refuse_batch("[\"body.remove\", {\"body\": 2}], [\"joint.remove\", {\"joint\": 1}]",
                 STATUS_NOT_FOUND, "commands[1] (joint.remove): joint 1 does not exist");
    refuse_batch("[\"body.remove\", {\"body\": 2}],"
                 " [\"joint.create\", {\"kind\": \"filter\", \"a\": 1, \"b\": 2}]",
                 STATUS_NOT_FOUND, "commands[1] (joint.create): body 2 does not exist");
}

static void batch_makes_a_rod_as_long_as_its_own_moves_leave_it(void **state)
{
    (void)state;
    spawn("");
    spawn("\"position\": [2, 0], ");
    error err = {0};
    uint64_t before = world_hash(f.world);
    status s = try_apply(METHOD_WORLD_APPLY,
                         "{\"world\": \"w\", \"commands\": [[\"body.set\", {\"body\": 2,"
                         " \"position\": [0, 0]}], [\"joint.create\", {\"kind\": \"distance\","
                         " \"a\": 1, \"b\": 2}]]}",
                         &err);
    assert_int_equal(s, STATUS_INVALID_ARGUMENT); // a rod of no length
    assert_int_equal(strncmp(err.text, "commands[1] (joint.create): ", 28), 0);
    assert_true(world_hash(f.world) == before);
    apply_batch("[\"body.set\", {\"body\": 2, \"position\": [1, 0]}],"
                " [\"joint.create\", {\"kind\": \"distance\", \"a\": 1, \"b\": 2}]");
}

static void batch_knows_gears_that_go_with_their_joints(void **state)
{
    (void)state;
    apply_batch("[\"body.spawn\", {\"type\": \"static\", \"shapes\": []}], " SPAWN ", " SPAWN ","
                " [\"joint.create\", {\"kind\": \"revolute\", \"a\": {\"$\": 0}, \"b\": {\"$\": 1},"
                " \"anchor\": [0, 0]}],"
                " [\"joint.create\", {\"kind\": \"revolute\", \"a\": {\"$\": 0}, \"b\": {\"$\": 2},"
                " \"anchor\": [0, 0]}],"
                " [\"joint.create\", {\"kind\": \"gear\", \"joint_a\": {\"$\": 3},"
                " \"joint_b\": {\"$\": 4}, \"ratio\": 2}]");
    assert_int_equal(world_count(f.world).joints, 3);
    refuse_batch("[\"joint.remove\", {\"joint\": 1}], [\"joint.get\", {\"joint\": 3}]",
                 STATUS_NOT_FOUND, "commands[1] (joint.get): joint 3 does not exist");
    apply_batch("[\"joint.get\", {\"joint\": 3}], [\"joint.remove\", {\"joint\": 2}]");
    assert_int_equal(world_count(f.world).joints, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(spawn_answers_ids_and_the_tick_that_shows_it),
        TEST(spawn_over_the_world_s_room_is_refused),
        TEST(get_copies_all_that_is_known),
        TEST(set_changes_what_is_named_and_nothing_else),
        TEST(pushes_change_velocity_or_act_on),
        TEST(shapes_come_and_go),
        TEST(world_set_changes_gravity_and_sleep),
        TEST(world_state_holds_everything),
        TEST(joint_list_holds_all_joints_in_the_order_of_their_making),
        TEST(methods_of_others_are_not_applied),
        TEST(every_supported_method_is_applied),
        TEST(joints_are_made_changed_and_removed),
        TEST(rays_and_casts_answer_hits_nearest_first),
        TEST(overlap_answers_each_body_once),
        TEST(nearest_answers_a_place_or_nothing),
        TEST(batch_answers_what_each_alone_would),
        TEST(batch_of_nothing_is_applied),
        TEST(batch_may_remove_what_it_made),
        TEST(batch_with_a_missing_body_does_nothing),
        TEST(batch_finds_what_it_removed_gone),
        TEST(batch_counts_the_room_it_takes_and_makes),
        TEST(batch_counts_the_shapes_of_a_body),
        TEST(batch_with_wrong_values_of_a_caller_s_own_is_refused),
        TEST(batch_joins_what_it_spawns),
        TEST(batch_tries_its_joints_before_it_makes_them),
        TEST(batch_makes_a_rod_as_long_as_its_own_moves_leave_it),
        TEST(batch_knows_gears_that_go_with_their_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
