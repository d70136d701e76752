// The typed helpers: what they send, and what they make of the answer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <carom/calls.h>
#include <carom/json.h>

#include "client/lib/connection.h"
#include "tests/unit/client/connected.h"

// The server notes the last call and answers what the test has laid ready.
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
    options.scene = "pyramid"; // its settings are not to be overridden by defaults
    carom_world_create(r->client, W, &options, ASK);
    CHECK(r, "world.create {\"world\":\"demo\",\"paused\":true,\"max_bodies\":7,"
             "\"scene\":\"pyramid\"}");
    options.gravity.y = -1.0;
    options.hz = 30.0;
    options.substeps = 2;
    options.sleep = options.continuous = options.paused = false;
    options.restitution_threshold = 0.5;
    options.hit_threshold = 0.0;
    carom_world_create(r->client, W, &options, ASK);
    CHECK(r, "world.create {\"world\":\"demo\",\"gravity\":[0.0,-1.0],\"hz\":30.0,\"substeps\":2,"
             "\"paused\":false,\"sleep\":false,\"continuous\":false,"
             "\"restitution_threshold\":0.5,\"hit_threshold\":0.0,\"max_bodies\":7,"
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
    carom_body_options options = {.type = CAROM_KINEMATIC,
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
          "\"events\":[\"contact\",\"hit\"]},"
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

static void joint_calls_send_what_the_protocol_names(void **state)
{
    (void)state;
    recorder *r = start("{\"joint\":7,\"tick\":3}");
    uint64_t joint = 0, tick = 0;
    carom_value *settings = carom_set(carom_map(), "anchor", carom_vec(0, 3));
    assert_int_equal(carom_joint_create(r->client, W, "revolute", 1, 2, settings, PATIENCE_MS,
                                        &joint, &tick, NULL),
                     CAROM_OK);
    CHECK(r, "joint.create {\"anchor\":[0.0,3.0],\"world\":\"demo\",\"kind\":\"revolute\","
             "\"a\":1,\"b\":2}");
    assert_int_equal(joint, 7);
    assert_int_equal(tick, 3);
    carom_joint_create(r->client, W, "mouse", 0, 2, NULL, PATIENCE_MS, NULL, NULL, NULL);
    CHECK(r, "joint.create {\"world\":\"demo\",\"kind\":\"mouse\",\"b\":2}");
    carom_joint_set(r->client, W, 7, carom_set(carom_map(), "motor_speed", carom_real(2)), ASK);
    CHECK(r, "joint.set {\"motor_speed\":2.0,\"world\":\"demo\",\"joint\":7}");
    carom_joint_remove(r->client, W, 7, ASK);
    CHECK(r, "joint.remove {\"world\":\"demo\",\"joint\":7}");
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
    assert_int_equal(carom_query_ray(r->client, W, (carom_vec2){0, 9}, (carom_vec2){0, -1}, true,
                                     hits, 1, PATIENCE_MS, &count, NULL),
                     CAROM_OK);
    CHECK(r, "query.ray {\"world\":\"demo\",\"from\":[0.0,9.0],\"to\":[0.0,-1.0],\"all\":true}");
    assert_int_equal(count, 2);
    assert_true(hits[0].body == 1 && hits[0].shape == 2 && hits[0].point.y == 4);
    assert_true(hits[0].normal.y == 1 && hits[0].fraction == 0.5);
    assert_int_equal(hits[1].body, 99); // no room was promised for it
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_calls_send_what_the_protocol_names),
        cmocka_unit_test(body_calls_send_what_the_protocol_names),
        cmocka_unit_test(plain_spawn_leaves_defaults_out),
        cmocka_unit_test(full_spawn_sends_all),
        cmocka_unit_test(no_reply_sends_a_notification),
        cmocka_unit_test(joint_calls_send_what_the_protocol_names),
        cmocka_unit_test(state_of_a_body_is_read),
        cmocka_unit_test(info_of_a_world_is_read),
        cmocka_unit_test(hits_of_a_ray_are_read),
        cmocka_unit_test(ping_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
