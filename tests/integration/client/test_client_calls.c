// libcarom's calls against a real server.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <carom/json.h>

#include "tests/integration/client/against_server.h"

static uint64_t spawn_ball(carom_client *client, const char *world, double x, double y)
{
    carom_shape ball = carom_shape_circle(0.5);
    carom_body_options options = carom_body_options_default();
    options.position = (carom_vec2){x, y};
    options.shapes = &ball;
    options.shape_count = 1;
    uint64_t body = 0;
    carom_error error;
    check_ok(carom_body_spawn(client, world, &options, PATIENCE_MS, &body, NULL, &error), &error);
    assert_true(body > 0);
    return body;
}

// Creates a paused world, by default without gravity.
static void create_paused(carom_client *client, const char *world, double gravity)
{
    carom_world_options options = carom_world_options_default();
    options.gravity = (carom_vec2){0, gravity};
    options.paused = true;
    carom_error error;
    check_ok(carom_world_create(client, world, &options, PATIENCE_MS, NULL, &error), &error);
}

static void hello_tells_who_is_there(void **state)
{
    against_server *s = *state;
    const carom_value *hello = carom_hello(s->client);
    assert_string_equal(carom_get_str(hello, "server", ""), "caromd");
    assert_string_equal(carom_get_str(hello, "version", ""), carom_version());
    assert_int_equal(carom_get_uint(hello, "protocol", 0), 1);
    assert_true(carom_get_uint(hello, "session", 0) > 0);
    assert_true(carom_get_uint(hello, "limits.message_bytes", 0) > 100000);
}

static void ping_is_answered(void **state)
{
    against_server *s = *state;
    double round_trip, first, second;
    carom_error error;
    check_ok(carom_ping(s->client, PATIENCE_MS, &round_trip, &first, &error), &error);
    check_ok(carom_ping(s->client, PATIENCE_MS, NULL, &second, &error), &error);
    assert_true(round_trip > 0 && round_trip < 10);
    assert_true(second >= first);
}

static void world_is_created_told_and_destroyed(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_paused(s->client, "one", -9.81);
    assert_int_equal(carom_world_create(s->client, "one", NULL, PATIENCE_MS, NULL, &error),
                     CAROM_ALREADY_EXISTS);
    assert_true(error.from_server);
    spawn_ball(s->client, "one", 0, 10);
    carom_world_info info;
    check_ok(carom_world_get_info(s->client, "one", PATIENCE_MS, &info, &error), &error);
    assert_true(info.paused && info.hz == 60 && info.bodies == 1 && info.shapes == 1);
    assert_true(info.has_hash);
    uint64_t before = info.tick, after = 0;
    check_ok(carom_world_step(s->client, "one", 60, PATIENCE_MS, &after, &error), &error);
    assert_int_equal(after, before + 60);
    check_ok(carom_world_destroy(s->client, "one", PATIENCE_MS, &error), &error);
    assert_int_equal(carom_world_get_info(s->client, "one", PATIENCE_MS, &info, &error),
                     CAROM_NOT_FOUND);
}

static void body_falls_as_galileo_says(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_paused(s->client, "fall", -9.81);
    uint64_t ball = spawn_ball(s->client, "fall", 3, 100);
    check_ok(carom_world_step(s->client, "fall", 60, PATIENCE_MS, NULL, &error), &error);
    carom_body body;
    check_ok(carom_body_get(s->client, "fall", ball, PATIENCE_MS, &body, &error), &error);
    assert_true(body.id == ball && body.x == 3);
    assert_true(fabs(body.y - (100 - 9.81 / 2)) < 0.05);
    assert_true(fabs(body.vy + 9.81) < 1e-3);
    carom_world_destroy(s->client, "fall", PATIENCE_MS, NULL);
}

static void bodies_do_as_they_are_told(void **state)
{
    against_server *s = *state;
    carom_client *c = s->client;
    carom_error error;
    create_paused(c, "push", 0);
    uint64_t ball = spawn_ball(c, "push", 0, 0);
    double mass = 3.14159265358979 / 4;
    carom_vec2 right = {mass, 0};
    carom_body b;
    check_ok(carom_body_impulse(c, "push", ball, right, NULL, PATIENCE_MS, NULL, &error), &error);
    check_ok(carom_world_step(c, "push", 60, PATIENCE_MS, NULL, &error), &error);
    check_ok(carom_body_get(c, "push", ball, PATIENCE_MS, &b, &error), &error);
    assert_true(fabs(b.vx - 1) < 1e-4 && fabs(b.x - 1) < 1e-2);
    check_ok(
        carom_body_set_velocity(c, "push", ball, (carom_vec2){0, 2}, 3, PATIENCE_MS, NULL, &error),
        &error);
    check_ok(
        carom_body_set_position(c, "push", ball, (carom_vec2){7, 8}, 1, PATIENCE_MS, NULL, &error),
        &error);
    check_ok(carom_body_get(c, "push", ball, PATIENCE_MS, &b, &error), &error);
    assert_true(b.x == 7 && b.y == 8 && fabs(b.angle - 1) < 1e-6);
    assert_true(fabs(b.vy - 2) < 1e-6 && fabs(b.w - 3) < 1e-6);
    // A force acts for a second, then none.
    check_ok(
        carom_body_set_velocity(c, "push", ball, (carom_vec2){0, 0}, 0, PATIENCE_MS, NULL, &error),
        &error);
    check_ok(carom_body_force(c, "push", ball, right, NULL, PATIENCE_MS, NULL, &error), &error);
    check_ok(carom_world_step(c, "push", 60, PATIENCE_MS, NULL, &error), &error);
    check_ok(carom_body_force(c, "push", ball, (carom_vec2){0, 0}, NULL, PATIENCE_MS, NULL, &error),
             &error);
    check_ok(carom_world_step(c, "push", 60, PATIENCE_MS, NULL, &error), &error);
    check_ok(carom_body_get(c, "push", ball, PATIENCE_MS, &b, &error), &error);
    assert_true(fabs(b.vx - 1) < 1e-3);
    check_ok(carom_body_angular_impulse(c, "push", ball, mass / 8, PATIENCE_MS, NULL, &error),
             &error);
    check_ok(carom_body_torque(c, "push", ball, 0, PATIENCE_MS, NULL, &error), &error);
    check_ok(carom_body_get(c, "push", ball, PATIENCE_MS, &b, &error), &error);
    assert_true(fabs(b.w - 1) < 1e-4);
    check_ok(carom_body_remove(c, "push", ball, PATIENCE_MS, NULL, &error), &error);
    assert_int_equal(carom_body_get(c, "push", ball, PATIENCE_MS, &b, &error), CAROM_NOT_FOUND);
    carom_world_destroy(c, "push", PATIENCE_MS, NULL);
}

static void commands_without_reply_are_carried_out_in_order(void **state)
{
    against_server *s = *state;
    carom_client *c = s->client;
    carom_error error;
    create_paused(c, "quiet", 0);
    uint64_t ball = spawn_ball(c, "quiet", 0, 0);
    for (int i = 1; i <= 1000; i++) {
        check_ok(carom_body_set_position(c, "quiet", ball, (carom_vec2){(double)i, 0}, 0,
                                         CAROM_NO_REPLY, NULL, &error),
                 &error);
    }
    carom_body b;
    check_ok(carom_body_get(c, "quiet", ball, PATIENCE_MS, &b, &error), &error);
    assert_true(b.x == 1000);
    carom_world_destroy(c, "quiet", PATIENCE_MS, NULL);
}

static void every_kind_of_shape_is_taken(void **state)
{
    against_server *s = *state;
    static const carom_vec2 HULL[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const carom_vec2 LINE[] = {{5, 0}, {4, 1}, {3, 0}, {2, 1}};
    carom_shape shapes[] = {
        carom_shape_circle(0.5),
        carom_shape_box(1, 2),
        carom_shape_capsule((carom_vec2){0, 0}, (carom_vec2){1, 0}, 0.25),
        carom_shape_segment((carom_vec2){0, 0}, (carom_vec2){1, 0}),
        carom_shape_polygon(HULL, 4),
        carom_shape_chain(LINE, 4, false),
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shapes[i].friction = 0.3;
        shapes[i].has_filter = true;
        shapes[i].group = -3;
    }
    shapes[1].angle = 0.5;
    shapes[1].radius = 0.1;
    carom_error error;
    create_paused(s->client, "shapes", 0);
    carom_body_options options = carom_body_options_default();
    options.type = CAROM_STATIC;
    options.tag = "all of them";
    options.shapes = shapes;
    options.shape_count = sizeof shapes / sizeof *shapes;
    uint64_t body;
    check_ok(carom_body_spawn(s->client, "shapes", &options, PATIENCE_MS, &body, NULL, &error),
             &error);
    carom_value *args = carom_set(carom_map(), "world", carom_str("shapes"));
    carom_set(args, "body", carom_uint(body));
    carom_value *full = NULL;
    check_ok(carom_call(s->client, "body.get", args, PATIENCE_MS, &full, &error), &error);
    assert_string_equal(carom_get_str(full, "tag", ""), "all of them");
    assert_string_equal(carom_get_str(full, "type", ""), "static");
    assert_string_equal(carom_get_str(full, "shapes[3].kind", ""), "segment");
    assert_int_equal(carom_get_int(full, "shapes[0].filter.group", 0), -3);
    carom_value_free(args);
    carom_value_free(full);
    carom_world_destroy(s->client, "shapes", PATIENCE_MS, NULL);
}

static void ray_finds_the_ball(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_paused(s->client, "ray", 0);
    uint64_t near = spawn_ball(s->client, "ray", 5, 0);
    uint64_t far = spawn_ball(s->client, "ray", 8, 0);
    carom_world_step(s->client, "ray", 1, PATIENCE_MS, NULL, NULL);
    carom_hit hits[4];
    size_t count = 0;
    carom_vec2 from = {0, 0}, to = {10, 0};
    check_ok(carom_query_ray(s->client, "ray", from, to, &(carom_query_options){.all = true}, hits,
                             4, PATIENCE_MS, &count, &error),
             &error);
    assert_int_equal(count, 2);
    assert_true(hits[0].body == near && hits[1].body == far);
    assert_true(fabs(hits[0].point.x - 4.5) < 1e-5 && fabs(hits[0].normal.x + 1) < 1e-5);
    assert_true(fabs(hits[0].fraction - 0.45) < 1e-6);
    carom_world_destroy(s->client, "ray", PATIENCE_MS, NULL);
}

static void error_of_the_server_names_the_field(void **state)
{
    against_server *s = *state;
    carom_error error;
    carom_value *args = NULL;
    static const char WRONG[] =
        "{\"world\":\"x\",\"shapes\":[{\"kind\":\"circle\",\"radius\":-1}]}";
    check_ok(carom_json_parse(WRONG, strlen(WRONG), &args, &error), &error);
    assert_int_equal(carom_call(s->client, "body.spawn", args, PATIENCE_MS, NULL, &error),
                     CAROM_INVALID_ARGUMENT);
    assert_true(error.from_server);
    assert_non_null(strstr(error.text, "radius"));
    carom_value_free(args);
    assert_int_equal(carom_call(s->client, "no.method", NULL, PATIENCE_MS, NULL, &error),
                     CAROM_UNKNOWN_METHOD);
    assert_int_equal(carom_world_pause(s->client, "nobody", PATIENCE_MS, NULL, &error),
                     CAROM_NOT_FOUND);
}

// Every method of the table is known to the server: none is answered with unknown_method.
static void table_and_server_know_the_same_methods(void **state)
{
    against_server *s = *state;
    for (size_t i = 0; i < carom_method_count(); i++) {
        carom_method m;
        carom_error error = {0};
        carom_method_at(i, &m);
        if (strcmp(m.name, "hello") == 0) {
            continue;
        }
        carom_status outcome = carom_call(s->client, m.name, NULL, PATIENCE_MS, NULL, &error);
        if (outcome == CAROM_UNKNOWN_METHOD || !(outcome == CAROM_OK || error.from_server)) {
            fail_msg("%s: %s", m.name, error.text);
        }
    }
    assert_int_equal(carom_client_state(s->client), CAROM_OPEN);
}

static void many_requests_at_once_are_all_answered(void **state)
{
    against_server *s = *state;
    enum { REQUESTS = 4000 };
    static uint64_t requests[REQUESTS];
    carom_error error;
    for (int i = 0; i < REQUESTS; i++) {
        carom_value *args = carom_set(carom_map(), "any", carom_int(i));
        check_ok(
            carom_request(s->client, "ping", args, PATIENCE_MS, NULL, NULL, &requests[i], &error),
            &error);
        carom_value_free(args);
    }
    for (int i = 0; i < REQUESTS; i++) {
        carom_status outcome = CAROM_OK;
        carom_value *result = NULL;
        while (!carom_take(s->client, requests[i], &outcome, &result, &error)) {
            check_ok(carom_poll(s->client, PATIENCE_MS, &error), &error);
        }
        check_ok(outcome, &error);
        assert_int_equal(carom_get_int(result, "any", -1), i);
        carom_value_free(result);
    }
}

static void server_that_ends_tells_why(void **state)
{
    against_server *s = *state;
    carom_error error = {0};
    assert_int_equal(process_stop(&s->server, SIGTERM, PATIENCE_MS), 0);
    carom_status outcome = CAROM_OK;
    while (outcome == CAROM_OK) {
        outcome = carom_poll(s->client, PATIENCE_MS, &error);
    }
    assert_int_equal(outcome, CAROM_UNAVAILABLE);
    assert_non_null(strstr(error.text, "shut"));
    carom_client *client = NULL;
    assert_int_equal(carom_connect(NULL, s->server.port, PATIENCE_MS, NULL, &client, &error),
                     CAROM_UNAVAILABLE);
}

static void sessions_are_listed(void **state)
{
    against_server *s = *state;
    carom_error error;
    carom_value *sessions = NULL;
    check_ok(carom_server_sessions(s->client, PATIENCE_MS, &sessions, &error), &error);
    assert_int_equal(carom_value_type(sessions), CAROM_ARRAY);
    assert_true(carom_value_count(sessions) >= 1);
    assert_string_equal(carom_get_str(sessions, "[0].role", ""), "admin");
    carom_value_free(sessions);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_tells_who_is_there),
        cmocka_unit_test(ping_is_answered),
        cmocka_unit_test(world_is_created_told_and_destroyed),
        cmocka_unit_test(body_falls_as_galileo_says),
        cmocka_unit_test(bodies_do_as_they_are_told),
        cmocka_unit_test(commands_without_reply_are_carried_out_in_order),
        cmocka_unit_test(every_kind_of_shape_is_taken),
        cmocka_unit_test(sessions_are_listed),
        cmocka_unit_test(ray_finds_the_ball),
        cmocka_unit_test(error_of_the_server_names_the_field),
        cmocka_unit_test(table_and_server_know_the_same_methods),
        cmocka_unit_test(many_requests_at_once_are_all_answered),
        cmocka_unit_test(server_that_ends_tells_why),
    };
    caromd_path = argc > 1 ? argv[1] : "caromd";
    return cmocka_run_group_tests(tests, server_set_up, server_tear_down);
}
