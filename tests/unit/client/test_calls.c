// The typed helpers: the requests that they send, and how they read the answers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <carom/calls.h>
#include <carom/json.h>
#include <carom/watch.h>

#include "client/lib/connection.h"
#include "tests/unit/client/connected.h"

// The server records the last call, and sends the answer that the test has prepared.
typedef struct recorder {
    char call[2048]; // "method {json}"
    bool request;
    const char *answer; // JSON
    fake_server *server;
    carom_client *client;
} recorder;

static void record(fake_server *server, const fake_message *m, void *user)
{
    recorder *r = user;
    if (strcmp(m->method, "hello") == 0) {
        fake_answer(server, m);
        return;
    }
    char *args = carom_json_print(m->args, false, NULL);
    snprintf(r->call, sizeof r->call, "%s %s", m->method, args);
    carom_free_text(args);
    r->request = m->request;
    if (m->request) {
        carom_value *answer = NULL;
        assert_int_equal(carom_json_parse(r->answer, strlen(r->answer), &answer, NULL), CAROM_OK);
        fake_reply(server, m->id, answer);
    }
}

static recorder *start(const char *answer)
{
    static recorder r;
    r = (recorder){.answer = answer};
    r.server = fake_start(&(fake_options){.handler = record, .user = &r});
    r.client = connect_to(r.server, NULL);
    return &r;
}

static void stop(recorder *r)
{
    carom_free(r->client);
    fake_stop(r->server);
}

#define W   "demo"
#define ASK PATIENCE_MS, &tick, NULL
#define CHECK(r, text)                                                                             \
    do {                                                                                           \
        fake_sync((r)->server);                                                                    \
        assert_string_equal((r)->call, (text));                                                    \
        assert_true((r)->request);                                                                 \
    } while (0)

static void world_calls_send_what_the_protocol_names(void **state)
{
    (void)state;
    recorder *r = start("{\"world\":\"demo\",\"tick\":12}");
    uint64_t tick = 0;
    assert_int_equal(carom_world_create(r->client, W, NULL, ASK), CAROM_OK);
    CHECK(r, "world.create {\"world\":\"demo\"}");
    assert_int_equal(tick, 12);
    carom_world_options options = carom_world_options_default();
    options.bodies_max = 7;
    options.paused = true;
    carom_world_create(r->client, W, &options, ASK);
    CHECK(r, "world.create {\"world\":\"demo\",\"gravity\":[0.0,-9.81],\"hz\":60.0,\"substeps\":4,"
             "\"paused\":true,\"sleep\":true,\"max_bodies\":7}");
    options.scene = "pyramid"; // defaults must not override the scene's settings
    carom_world_create(r->client, W, &options, ASK);
    CHECK(r, "world.create {\"world\":\"demo\",\"paused\":true,\"max_bodies\":7,"
             "\"scene\":\"pyramid\"}");
    options.gravity.y = -1.0;
    options.hz = 30.0;
    options.substeps = 2;
    options.sleep = options.continuous = options.paused = false;
    options.restitution_threshold = 0.25;
    options.hit_threshold = 0.0;
    options.sleep_speed = 0.125;
    carom_world_create(r->client, W, &options, ASK);
    CHECK(r, "world.create {\"world\":\"demo\",\"gravity\":[0.0,-1.0],\"hz\":30.0,\"substeps\":2,"
             "\"paused\":false,\"sleep\":false,\"continuous\":false,"
             "\"restitution_threshold\":0.25,\"hit_threshold\":0.0,"
             "\"sleep_speed\":0.125,\"max_bodies\":7,"
             "\"scene\":\"pyramid\"}");
    carom_world_pause(r->client, W, ASK);
    CHECK(r, "world.pause {\"world\":\"demo\"}");
    carom_world_resume(r->client, W, ASK);
    CHECK(r, "world.resume {\"world\":\"demo\"}");
    carom_world_step(r->client, W, 10, ASK);
    CHECK(r, "world.step {\"world\":\"demo\",\"ticks\":10}");
    carom_world_set_gravity(r->client, W, (carom_vec2){1, -2}, ASK);
    CHECK(r, "world.set {\"world\":\"demo\",\"gravity\":[1.0,-2.0]}");
    carom_world_destroy(r->client, W, PATIENCE_MS, NULL);
    CHECK(r, "world.destroy {\"world\":\"demo\"}");
    stop(r);
}

static void body_calls_send_what_the_protocol_names(void **state)
{
    (void)state;
    recorder *r = start("{\"tick\":3}");
    uint64_t tick = 0;
    carom_vec2 point = {5, 6};
    carom_vec2 push = {1, -2};
    carom_body_remove(r->client, W, 4, ASK);
    CHECK(r, "body.remove {\"world\":\"demo\",\"body\":4}");
    carom_body_set_position(r->client, W, 4, push, 0.5, ASK);
    CHECK(r, "body.set {\"world\":\"demo\",\"body\":4,\"position\":[1.0,-2.0],\"angle\":0.5}");
    carom_body_set_velocity(r->client, W, 4, push, 0.5, ASK);
    CHECK(r, "body.set {\"world\":\"demo\",\"body\":4,\"velocity\":[1.0,-2.0],"
             "\"angular_velocity\":0.5}");
    carom_body_impulse(r->client, W, 4, push, NULL, ASK);
    CHECK(r, "body.impulse {\"world\":\"demo\",\"body\":4,\"impulse\":[1.0,-2.0]}");
    carom_body_impulse(r->client, W, 4, push, &point, ASK);
    CHECK(r, "body.impulse {\"world\":\"demo\",\"body\":4,\"impulse\":[1.0,-2.0],"
             "\"point\":[5.0,6.0]}");
    carom_body_angular_impulse(r->client, W, 4, 7, ASK);
    CHECK(r, "body.angular_impulse {\"world\":\"demo\",\"body\":4,\"impulse\":7.0}");
    carom_body_force(r->client, W, 4, push, &point, ASK);
    CHECK(r, "body.force {\"world\":\"demo\",\"body\":4,\"force\":[1.0,-2.0],"
             "\"point\":[5.0,6.0]}");
    carom_body_torque(r->client, W, 4, 7, ASK);
    CHECK(r, "body.torque {\"world\":\"demo\",\"body\":4,\"torque\":7.0}");
    assert_int_equal(tick, 3);
    stop(r);
}

static void plain_spawn_leaves_defaults_out(void **state)
{
    (void)state;
    recorder *r = start("{\"body\":77,\"shapes\":[1],\"tick\":3}");
    carom_shape ball = carom_shape_circle(0.5);
    carom_body_options options = carom_body_options_default();
    options.position = (carom_vec2){1, 2};
    options.shapes = &ball;
    options.shape_count = 1;
    uint64_t body = 0, tick = 0;
    assert_int_equal(carom_body_spawn(r->client, W, &options, PATIENCE_MS, &body, &tick, NULL),
                     CAROM_OK);
    CHECK(r, "body.spawn {\"world\":\"demo\",\"type\":\"dynamic\",\"position\":[1.0,2.0],"
             "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}");
    assert_int_equal(body, 77);
    assert_int_equal(tick, 3);
    stop(r);
}

static void full_spawn_sends_all(void **state)
{
    (void)state;
    static const carom_vec2 POINTS[] = {{0, 0}, {1, 0}, {0, 1}};
    recorder *r = start("{\"body\":77,\"tick\":3}");
    carom_shape shapes[] = {
        carom_shape_box(2, 3),
        carom_shape_capsule((carom_vec2){0, 0}, (carom_vec2){1, 0}, 0.25),
        carom_shape_segment((carom_vec2){0, 0}, (carom_vec2){1, 0}),
        carom_shape_polygon(POINTS, 3),
        carom_shape_chain(POINTS, 3, true),
    };
    shapes[0].center = (carom_vec2){1, 0};
    shapes[0].angle = 0.5;
    shapes[0].radius = 0.1;
    shapes[0].density = 2;
    shapes[0].friction = 0.1;
    shapes[0].restitution = 0.9;
    shapes[0].rolling_resistance = 0.2;
    shapes[0].tangent_speed = 3;
    shapes[0].sensor = true;
    shapes[0].has_filter = true;
    shapes[0].category = 2;
    shapes[0].mask = 4;
    shapes[0].group = -1;
    shapes[0].events = CAROM_EVENTS_CONTACT | CAROM_EVENTS_HIT;
    shapes[0].one_way = (carom_vec2){0, 1};
    carom_body_options options = {.exact = true,
                                  .type = CAROM_KINEMATIC,
                                  .angle = 1,
                                  .velocity = {2, 3},
                                  .angular_velocity = 4,
                                  .linear_damping = 0.5,
                                  .angular_damping = 0.25,
                                  .gravity_scale = 0.125,
                                  .mass = 8,
                                  .fixed_rotation = true,
                                  .bullet = true,
                                  .tag = "cue",
                                  .shapes = shapes,
                                  .shape_count = 5};
    carom_body_spawn(r->client, W, &options, PATIENCE_MS, NULL, NULL, NULL);
    CHECK(r,
          "body.spawn {\"world\":\"demo\",\"type\":\"kinematic\",\"position\":[0.0,0.0],"
          "\"angle\":1.0,\"velocity\":[2.0,3.0],\"angular_velocity\":4.0,\"linear_damping\":0.5,"
          "\"angular_damping\":0.25,\"gravity_scale\":0.125,\"mass\":8.0,\"fixed_rotation\":true,"
          "\"bullet\":true,\"allow_sleep\":false,\"awake\":false,\"enabled\":false,"
          "\"tag\":\"cue\",\"shapes\":["
          "{\"kind\":\"box\",\"size\":[2.0,3.0],\"center\":[1.0,0.0],\"angle\":0.5,\"radius\":0.1,"
          "\"density\":2.0,\"friction\":0.1,\"restitution\":0.9,\"rolling_resistance\":0.2,"
          "\"tangent_speed\":3.0,\"sensor\":true,"
          "\"filter\":{\"category\":2,\"mask\":4,\"group\":-1},"
          "\"events\":[\"contact\",\"hit\"],\"one_way\":[0.0,1.0]},"
          "{\"kind\":\"capsule\",\"a\":[0.0,0.0],\"b\":[1.0,0.0],\"radius\":0.25},"
          "{\"kind\":\"segment\",\"a\":[0.0,0.0],\"b\":[1.0,0.0]},"
          "{\"kind\":\"polygon\",\"vertices\":[[0.0,0.0],[1.0,0.0],[0.0,1.0]]},"
          "{\"kind\":\"chain\",\"vertices\":[[0.0,0.0],[1.0,0.0],[0.0,1.0]],\"loop\":true}]}");
    stop(r);
}

static void no_reply_sends_a_notification(void **state)
{
    (void)state;
    recorder *r = start("{}");
    uint64_t tick = 9;
    assert_int_equal(
        carom_body_impulse(r->client, W, 4, (carom_vec2){1, 0}, NULL, CAROM_NO_REPLY, &tick, NULL),
        CAROM_OK);
    assert_int_equal(tick, 0);
    assert_int_equal(carom_flush(r->client, PATIENCE_MS, NULL), CAROM_OK);
    while (fake_received(r->server) < 2) {
    }
    assert_false(r->request);
    assert_string_equal(r->call,
                        "body.impulse {\"world\":\"demo\",\"body\":4,\"impulse\":[1.0,0.0]}");
    stop(r);
}

static void joint_calls_send_the_settings_that_are_given(void **state)
{
    (void)state;
    recorder *r = start("{\"joint\":7,\"tick\":3}");
    uint64_t joint = 0, tick = 0;
    carom_joint_settings hinge = carom_joint_settings_default(CAROM_REVOLUTE, 1, 2);
    hinge.anchor = (carom_vec2){0, 3};
    hinge.lower = 0; // a limit of zero is a limit
    assert_int_equal(carom_joint_create(r->client, W, &hinge, PATIENCE_MS, &joint, &tick, NULL),
                     CAROM_OK);
    CHECK(r, "joint.create {\"world\":\"demo\",\"kind\":\"revolute\",\"a\":1,\"b\":2,"
             "\"anchor\":[0.0,3.0],\"lower\":0.0}");
    assert_int_equal(joint, 7);
    assert_int_equal(tick, 3);
    carom_joint_settings mouse = {.kind = CAROM_MOUSE, .b = 2, .target = {1, 0}};
    carom_joint_create(r->client, W, &mouse, PATIENCE_MS, NULL, NULL, NULL);
    CHECK(r, "joint.create {\"world\":\"demo\",\"kind\":\"mouse\",\"b\":2,\"target\":[1.0,0.0]}");
    carom_joint_settings gear = {.kind = CAROM_GEAR, .joint_a = 5, .joint_b = 6, .ratio = 2};
    carom_joint_create(r->client, W, &gear, PATIENCE_MS, NULL, NULL, NULL);
    CHECK(r, "joint.create {\"world\":\"demo\",\"kind\":\"gear\",\"ratio\":2.0,\"joint_a\":5,"
             "\"joint_b\":6}");
    carom_joint_settings change = {.motor_speed = 2, .axis = {1, 0}};
    carom_joint_set(r->client, W, 7, &change, ASK);
    CHECK(r, "joint.set {\"world\":\"demo\",\"joint\":7,\"motor_speed\":2.0}");
    carom_joint_remove(r->client, W, 7, ASK);
    CHECK(r, "joint.remove {\"world\":\"demo\",\"joint\":7}");
    stop(r);
}

static void joints_are_read(void **state)
{
    (void)state;
    recorder *r = start("{\"joints\":[{\"joint\":7,\"kind\":\"wheel\",\"a\":1,\"b\":2,"
                        "\"axis\":[0,1],\"lower\":-1,\"points\":[[1,2],[3,4]],\"state\":{"
                        "\"angle\":0.5,\"force\":[5,6],\"torque\":7}},{\"joint\":8,"
                        "\"kind\":\"spring_of_later\"}]}");
    carom_joint_info joints[2];
    size_t count = 0;
    assert_int_equal(carom_joint_list(r->client, W, joints, 2, PATIENCE_MS, &count, NULL),
                     CAROM_OK);
    assert_int_equal(count, 2);
    const carom_joint_info *j = &joints[0];
    assert_true(j->id == 7 && j->settings.kind == CAROM_WHEEL && j->settings.b == 2);
    assert_true(j->settings.axis.y == 1 && j->settings.lower == -1);
    assert_true(j->settings.upper != j->settings.upper); // NaN: the joint has no such value
    assert_true(j->points[1].x == 3 && j->angle == 0.5 && j->force.y == 6 && j->torque == 7);
    assert_int_equal(joints[1].settings.kind, CAROM_JOINT_OTHER);
    stop(r);
}

// A struct that begins as {0} has the defaults: the server receives the same as with the defaults
// written out.
static void options_of_zero_are_the_defaults(void **state)
{
    (void)state;
    recorder *r = start("{\"body\":1,\"tick\":1}");
    carom_shape round = {.kind = CAROM_CIRCLE, .radius = 0.5};
    carom_body_options zero = {0};
    zero.shapes = &round;
    zero.shape_count = 1;
    uint64_t tick;
    carom_body_spawn(r->client, W, &zero, PATIENCE_MS, NULL, &tick, NULL);
    CHECK(r, "body.spawn {\"world\":\"demo\",\"type\":\"dynamic\",\"position\":[0.0,0.0],"
             "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}");
    carom_body_options wall = {.type = CAROM_STATIC, .shapes = &round, .shape_count = 1};
    carom_body_spawn(r->client, W, &wall, PATIENCE_MS, NULL, &tick, NULL);
    CHECK(r, "body.spawn {\"world\":\"demo\",\"type\":\"static\",\"position\":[0.0,0.0],"
             "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}");
    carom_shape slick = carom_shape_circle(0.5);
    slick.friction = 0;
    carom_body_options balloon = carom_body_options_default();
    balloon.gravity_scale = 0;
    balloon.shapes = &slick;
    balloon.shape_count = 1;
    carom_body_spawn(r->client, W, &balloon, PATIENCE_MS, NULL, &tick, NULL);
    CHECK(r, "body.spawn {\"world\":\"demo\",\"type\":\"dynamic\",\"position\":[0.0,0.0],"
             "\"gravity_scale\":0.0,\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5,"
             "\"friction\":0.0}]}");
    carom_world_options fast = {.hz = 240};
    carom_world_create(r->client, W, &fast, PATIENCE_MS, &tick, NULL);
    CHECK(r, "world.create {\"world\":\"demo\",\"gravity\":[0.0,-9.81],\"hz\":240.0,"
             "\"substeps\":4,\"paused\":false,\"sleep\":true}");
    carom_subscribe_options look = {.describe = true};
    carom_subscribe(r->client, W, &look, PATIENCE_MS, NULL, NULL);
    CHECK(r, "world.subscribe {\"world\":\"demo\",\"encoding\":\"packed\",\"describe\":true}");
    carom_shape_change change = {.friction = 0.25, .has_sensor = true};
    carom_shape_set(r->client, W, 9, &change, ASK);
    CHECK(r, "shape.set {\"world\":\"demo\",\"shape\":9,\"friction\":0.25,\"sensor\":false}");
    stop(r);
}

static void world_that_is_there_is_told(void **state)
{
    (void)state;
    recorder *r = start("{\"world\":\"demo\",\"tick\":5,\"created\":false}");
    bool created = true;
    uint64_t tick = 0;
    assert_int_equal(carom_world_ensure(r->client, W, NULL, PATIENCE_MS, &created, &tick, NULL),
                     CAROM_OK);
    CHECK(r, "world.create {\"world\":\"demo\",\"if_absent\":true}");
    assert_true(!created && tick == 5);
    stop(r);
}

static void batch_for_a_tick_says_how_it_met_it(void **state)
{
    (void)state;
    recorder *r = start("{\"tick\":9,\"late\":2,\"margin\":-0.25,\"results\":[{\"tick\":9}]}");
    carom_batch *batch = carom_batch_create();
    carom_batch_remove(batch, 7);
    carom_batch_timing applied;
    assert_int_equal(
        carom_batch_apply_at(batch, r->client, W, 7, CAROM_LATE_NEXT, PATIENCE_MS, &applied, NULL),
        CAROM_OK);
    CHECK(r, "world.apply {\"world\":\"demo\",\"commands\":[[\"body.remove\",{\"body\":7}]],"
             "\"at\":7,\"late\":\"next\"}");
    assert_true(applied.tick == 9 && applied.late == 2 && !applied.dropped);
    assert_true(applied.margin == -0.25);
    assert_non_null(carom_batch_result(batch, 0));
    carom_error why;
    assert_int_equal(
        carom_batch_apply_at(batch, r->client, W, 7, (carom_late)3, PATIENCE_MS, &applied, &why),
        CAROM_INVALID_ARGUMENT);
    assert_string_equal(why.text, "late: no carom_late, is 3");
    // a notification awaits nothing
    assert_int_equal(carom_batch_apply_at(batch, r->client, W, 7, CAROM_LATE_DROP, CAROM_NO_REPLY,
                                          &applied, NULL),
                     CAROM_OK);
    assert_true(applied.tick == 0);
    carom_batch_free(batch);
    stop(r);
}

static void batch_names_what_it_makes(void **state)
{
    (void)state;
    recorder *r = start("{\"tick\":9,\"results\":[{\"body\":11,\"tick\":9},{\"joint\":3},{}]}");
    carom_batch *batch = carom_batch_create();
    carom_shape round = carom_shape_circle(1);
    carom_body_options wheel = {.shapes = &round, .shape_count = 1};
    size_t first = carom_batch_spawn(batch, &wheel);
    carom_joint_settings axle = {.kind = CAROM_WELD, .a = 4, .b = CAROM_RESULT(first)};
    size_t second = carom_batch_joint(batch, &axle);
    carom_batch_impulse(batch, CAROM_RESULT(first), (carom_vec2){1, 2});
    assert_int_equal(carom_batch_count(batch), 3);
    uint64_t at = 9, tick = 0;
    carom_error why;
    assert_int_equal(carom_batch_apply(batch, r->client, W, &at, PATIENCE_MS, &tick, &why),
                     CAROM_OK);
    CHECK(r, "world.apply {\"world\":\"demo\",\"commands\":[[\"body.spawn\",{\"type\":\"dynamic\","
             "\"position\":[0.0,0.0],\"shapes\":[{\"kind\":\"circle\",\"radius\":1.0}]}],"
             "[\"joint.create\",{\"kind\":\"weld\",\"a\":4,\"b\":{\"$\":0}}],"
             "[\"body.impulse\",{\"body\":{\"$\":0},\"impulse\":[1.0,2.0]}]],\"at\":9}");
    assert_int_equal(tick, 9);
    assert_int_equal(carom_batch_id(batch, first), 11);
    assert_int_equal(carom_batch_id(batch, second), 3);
    assert_int_equal(carom_batch_id(batch, 99), 0);
    carom_batch_clear(batch);
    for (unsigned i = 0; i <= CAROM_BATCH_COMMANDS_MAX; i++) {
        carom_batch_remove(batch, i + 1);
    }
    assert_int_equal(carom_batch_apply(batch, r->client, W, NULL, PATIENCE_MS, NULL, &why),
                     CAROM_LIMIT_EXCEEDED);
    carom_batch_free(batch);
    stop(r);
}

static void queries_send_their_options(void **state)
{
    (void)state;
    recorder *r = start("[1,2,3]");
    uint64_t bodies[2];
    size_t count = 0;
    carom_query_options options = {.sensors = true, .ignore = 4, .has_filter = true, .mask = 2};
    const double area[4] = {0, 1, 2, 3};
    carom_query_area(r->client, W, area, &options, bodies, 2, PATIENCE_MS, &count, NULL);
    CHECK(r, "query.overlap {\"world\":\"demo\",\"area\":[0.0,1.0,2.0,3.0],\"sensors\":true,"
             "\"ignore\":4,\"filter\":{\"category\":0,\"mask\":2,\"group\":0}}");
    assert_true(count == 3 && bodies[1] == 2);
    carom_shape box = carom_shape_box(1, 2);
    carom_query_overlap(r->client, W, &box, NULL, NULL, 0, PATIENCE_MS, &count, NULL);
    CHECK(r, "query.overlap {\"world\":\"demo\",\"shape\":{\"kind\":\"box\",\"size\":[1.0,2.0]}}");
    carom_query_point(r->client, W, (carom_vec2){1, 2}, NULL, NULL, 0, PATIENCE_MS, &count, NULL);
    CHECK(r, "query.overlap {\"world\":\"demo\",\"point\":[1.0,2.0]}");
    carom_query_cast(r->client, W, &box, (carom_vec2){0, 0}, (carom_vec2){1, 0}, NULL, NULL, 0,
                     PATIENCE_MS, &count, NULL);
    CHECK(r, "query.cast {\"world\":\"demo\",\"from\":[0.0,0.0],\"to\":[1.0,0.0],"
             "\"shape\":{\"kind\":\"box\",\"size\":[1.0,2.0]}}");
    stop(r);
}

static void nearest_and_contacts_are_read(void **state)
{
    (void)state;
    recorder *r = start("{\"body\":1,\"shape\":2,\"point\":[3,4],\"distance\":5}");
    carom_nearest nearest;
    carom_query_nearest(r->client, W, (carom_vec2){0, 0}, 7, NULL, PATIENCE_MS, &nearest, NULL);
    CHECK(r, "query.nearest {\"world\":\"demo\",\"point\":[0.0,0.0],\"radius\":7.0}");
    assert_true(nearest.found && nearest.body == 1 && nearest.distance == 5);
    stop(r);
    r = start("null");
    carom_query_nearest(r->client, W, (carom_vec2){0, 0}, 0, NULL, PATIENCE_MS, &nearest, NULL);
    assert_false(nearest.found);
    stop(r);
    r = start("[{\"a\":1,\"b\":2,\"shape_a\":3,\"shape_b\":4,\"normal\":[0,1],\"points\":[{"
              "\"point\":[5,6],\"depth\":0.5,\"impulse\":7}]}]");
    carom_contact contact;
    size_t count = 0;
    carom_world_contacts(r->client, W, 1, &contact, 1, PATIENCE_MS, &count, NULL);
    CHECK(r, "world.contacts {\"world\":\"demo\",\"body\":1}");
    assert_true(count == 1 && contact.count == 1 && contact.b == 2 && contact.impulse[0] == 7);
    stop(r);
}

static void body_is_described(void **state)
{
    (void)state;
    recorder *r = start(
        "{\"body\":4,\"type\":\"kinematic\",\"position\":[1,2],\"tag\":\"lift\",\"owner\":\"ann\","
        "\"mass\":3,\"awake\":false,\"shapes\":[{\"shape\":8,\"kind\":\"polygon\",\"vertices\":"
        "[[0,0],[1,0],[0,1]],\"density\":2,\"filter\":{\"category\":1,\"mask\":-1,\"group\":-3},"
        "\"events\":[\"hit\"]},{\"shape\":9,\"kind\":\"circle\",\"radius\":0.5}]}");
    carom_body_info *info = NULL;
    assert_int_equal(carom_body_describe(r->client, W, 4, PATIENCE_MS, &info, NULL), CAROM_OK);
    assert_true(info->body.id == 4 && info->type == CAROM_KINEMATIC && info->mass == 3);
    assert_string_equal(info->tag, "lift");
    assert_string_equal(info->owner, "ann");
    assert_false(info->awake);
    assert_int_equal(info->shape_count, 2);
    const carom_shape *polygon = &info->shapes[0].shape;
    assert_true(info->shapes[0].id == 8 && polygon->kind == CAROM_POLYGON);
    assert_true(polygon->vertex_count == 3 && polygon->vertices[1].x == 1);
    assert_true(polygon->mask == UINT64_MAX && polygon->group == -3);
    assert_int_equal(polygon->events, CAROM_EVENTS_HIT);
    assert_true(info->shapes[1].shape.radius == 0.5);
    carom_body_info_free(info);
    stop(r);
}

static void state_of_a_body_is_read(void **state)
{
    (void)state;
    recorder *r = start("{\"body\":4,\"position\":[1.5,2.5],\"angle\":0.5,\"velocity\":[3,4],"
                        "\"angular_velocity\":5}");
    carom_body b = {0};
    assert_int_equal(carom_body_get(r->client, W, 4, PATIENCE_MS, &b, NULL), CAROM_OK);
    CHECK(r, "body.get {\"world\":\"demo\",\"body\":4}");
    assert_true(b.id == 4 && b.x == 1.5 && b.y == 2.5 && b.angle == 0.5);
    assert_true(b.vx == 3 && b.vy == 4 && b.w == 5);
    stop(r);
}

static void info_of_a_world_is_read(void **state)
{
    (void)state;
    recorder *r =
        start("{\"world\":\"demo\",\"tick\":60,\"time\":1.0,\"hz\":60,\"bodies\":5,"
              "\"awake\":4,\"shapes\":6,\"joints\":1,\"contacts\":2,\"subscribers\":3,\"frozen\":9,"
              "\"paused\":true,\"step_ms\":0.25,\"hash\":{\"$bin\":\"0102030405060708\"}}");
    carom_world_info info;
    assert_int_equal(carom_world_get_info(r->client, W, PATIENCE_MS, &info, NULL), CAROM_OK);
    assert_true(info.tick == 60 && info.time == 1 && info.hz == 60 && info.bodies == 5);
    assert_true(info.awake == 4 && info.shapes == 6 && info.joints == 1 && info.contacts == 2);
    assert_true(info.subscribers == 3 && info.frozen == 9 && info.paused && info.step_ms == 0.25);
    assert_true(info.has_hash && info.hash[0] == 1 && info.hash[7] == 8);
    stop(r);
}

static void hits_of_a_ray_are_read(void **state)
{
    (void)state;
    recorder *r = start("[{\"body\":1,\"shape\":2,\"point\":[3,4],\"normal\":[0,1],"
                        "\"fraction\":0.5},{\"body\":5}]");
    carom_hit hits[2] = {{0}, {.body = 99}};
    size_t count = 0;
    assert_int_equal(carom_query_ray(r->client, W, (carom_vec2){0, 9}, (carom_vec2){0, -1},
                                     &(carom_query_options){.all = true}, hits, 1, PATIENCE_MS,
                                     &count, NULL),
                     CAROM_OK);
    CHECK(r, "query.ray {\"world\":\"demo\",\"from\":[0.0,9.0],\"to\":[0.0,-1.0],\"all\":true}");
    assert_int_equal(count, 2);
    assert_true(hits[0].body == 1 && hits[0].shape == 2 && hits[0].point.y == 4);
    assert_true(hits[0].normal.y == 1 && hits[0].fraction == 0.5);
    assert_int_equal(hits[1].body, 99); // the caller's array had no space for it
    stop(r);
}

static void ping_measures(void **state)
{
    (void)state;
    recorder *r = start("{\"time\":123.5}");
    double round_trip = -1, server_time = 0;
    assert_int_equal(carom_ping(r->client, PATIENCE_MS, &round_trip, &server_time, NULL), CAROM_OK);
    assert_true(round_trip > 0 && round_trip < 10 && server_time == 123.5);
    stop(r);
}

// ---- carom/arguments.h: every method with all of its arguments

static void typed_calls_send_the_arguments_that_are_given(void **state)
{
    (void)state;
    recorder *r = start("{\"body\":7,\"shapes\":[8],\"tick\":3}");
    carom_shape ball = carom_shape_circle(0.5);
    carom_args_body_spawn spawn = {.type = "static",
                                   .has_position = true,
                                   .position = {1, 2},
                                   .has_awake = true, // the default is true, so false must be sent
                                   .shapes = &ball,
                                   .shapes_count = 1,
                                   .owner = "eve"};
    carom_value *result = NULL;
    assert_int_equal(carom_call_body_spawn(r->client, W, &spawn, PATIENCE_MS, &result, NULL),
                     CAROM_OK);
    CHECK(r, "body.spawn {\"world\":\"demo\",\"type\":\"static\",\"position\":[1.0,2.0],"
             "\"awake\":false,\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}],"
             "\"owner\":\"eve\"}");
    assert_int_equal(carom_get_uint(result, "body", 0), 7);
    carom_value_free(result);

    static const char *const kinds[] = {"hit", "end"};
    const carom_args_precision precision = {.has_velocity = true, .velocity = 0.25};
    carom_args_world_subscribe subscribe = {.encoding = "packed",
                                            .precision = &precision,
                                            .has_area = true,
                                            .area = {0, 1, 2, 3},
                                            .follow = 9,
                                            .events = kinds,
                                            .events_count = 2,
                                            .describe = true};
    carom_call_world_subscribe(r->client, W, &subscribe, PATIENCE_MS, NULL, NULL);
    CHECK(r, "world.subscribe {\"world\":\"demo\",\"encoding\":\"packed\","
             "\"precision\":{\"velocity\":0.25},\"area\":[0.0,1.0,2.0,3.0],\"follow\":9,"
             "\"events\":[\"hit\",\"end\"],\"describe\":true}");
    carom_call_server_info(r->client, PATIENCE_MS, NULL, NULL);
    CHECK(r, "server.info {}");
    stop(r);
}

static void typed_calls_say_what_is_missing(void **state)
{
    (void)state;
    recorder *r = start("{}");
    carom_error why;
    const carom_args_body_get get = {.body = 1};
    assert_int_equal(carom_call_body_get(r->client, W, NULL, PATIENCE_MS, NULL, &why),
                     CAROM_INVALID_ARGUMENT);
    assert_string_equal(why.text, "args: missing (NULL)");
    assert_int_equal(carom_call_body_get(r->client, NULL, &get, PATIENCE_MS, NULL, &why),
                     CAROM_INVALID_ARGUMENT);
    assert_string_equal(why.text, "world: missing (NULL)");
    assert_int_equal(carom_call_body_get(NULL, W, &get, PATIENCE_MS, NULL, &why),
                     CAROM_INVALID_ARGUMENT);
    assert_null(carom_map_body_get(W, NULL));
    stop(r);
}

static void typed_commands_go_into_batches(void **state)
{
    (void)state;
    recorder *r = start("{\"tick\":1,\"results\":[{\"body\":11},{}]}");
    carom_batch *batch = carom_batch_create();
    const carom_args_body_spawn spawn = {.tag = "ball"};
    size_t made = carom_add_body_spawn(batch, &spawn);
    const carom_args_body_force push = {.body = CAROM_RESULT(made), .force = {0, 9}};
    carom_add_body_force(batch, &push);
    assert_int_equal(carom_batch_apply(batch, r->client, W, NULL, PATIENCE_MS, NULL, NULL),
                     CAROM_OK);
    CHECK(r, "world.apply {\"world\":\"demo\",\"commands\":[[\"body.spawn\",{\"tag\":\"ball\","
             "\"shapes\":[]}],[\"body.force\",{\"body\":{\"$\":0},\"force\":[0.0,9.0]}]]}");
    assert_int_equal(carom_batch_id(batch, made), 11);
    carom_batch_clear(batch);
    carom_error why;
    carom_add_body_force(batch, NULL); // the batch keeps the error until it is applied
    assert_int_equal(carom_batch_apply(batch, r->client, W, NULL, PATIENCE_MS, NULL, &why),
                     CAROM_INVALID_ARGUMENT);
    assert_string_equal(why.text, "commands[0]: body.force: missing (NULL)");
    carom_batch_free(batch);
    stop(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_calls_send_what_the_protocol_names),
        cmocka_unit_test(body_calls_send_what_the_protocol_names),
        cmocka_unit_test(plain_spawn_leaves_defaults_out),
        cmocka_unit_test(full_spawn_sends_all),
        cmocka_unit_test(no_reply_sends_a_notification),
        cmocka_unit_test(joint_calls_send_the_settings_that_are_given),
        cmocka_unit_test(joints_are_read),
        cmocka_unit_test(options_of_zero_are_the_defaults),
        cmocka_unit_test(world_that_is_there_is_told),
        cmocka_unit_test(batch_for_a_tick_says_how_it_met_it),
        cmocka_unit_test(batch_names_what_it_makes),
        cmocka_unit_test(queries_send_their_options),
        cmocka_unit_test(nearest_and_contacts_are_read),
        cmocka_unit_test(body_is_described),
        cmocka_unit_test(state_of_a_body_is_read),
        cmocka_unit_test(info_of_a_world_is_read),
        cmocka_unit_test(hits_of_a_ray_are_read),
        cmocka_unit_test(ping_measures),
        cmocka_unit_test(typed_calls_send_the_arguments_that_are_given),
        cmocka_unit_test(typed_calls_say_what_is_missing),
        cmocka_unit_test(typed_commands_go_into_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
