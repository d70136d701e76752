// All that the engine can do, from C: every kind of shape and of joint is made, changed, read and
// removed, every kind of event arrives, and queries answer. The effect of each is tested in
// test_wire_engine.py.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <carom/watch.h>

#include "tests/integration/client/against_server.h"

static void begin(carom_client *client, const char *world)
{
    carom_world_options options = carom_world_options_default();
    options.gravity = (carom_vec2){0, -10};
    options.paused = true;
    carom_error error;
    check_ok(carom_world_create(client, world, &options, PATIENCE_MS, NULL, &error), &error);
}

static void step(carom_client *client, const char *world, uint64_t ticks, uint64_t *tick)
{
    carom_error error;
    check_ok(carom_world_step(client, world, ticks, PATIENCE_MS, tick, &error), &error);
}

static uint64_t spawn(carom_client *client, const char *world, carom_body_options options,
                      const carom_shape *shape)
{
    options.shapes = shape;
    options.shape_count = 1;
    uint64_t body = 0;
    carom_error error;
    check_ok(carom_body_spawn(client, world, &options, PATIENCE_MS, &body, NULL, &error), &error);
    assert_true(body > 0);
    return body;
}

static uint64_t spawn_at(carom_client *client, const char *world, carom_body_type type, double x,
                         double y, const carom_shape *shape)
{
    carom_body_options options = carom_body_options_default();
    options.type = type;
    options.position = (carom_vec2){x, y};
    return spawn(client, world, options, shape);
}

static carom_value *get(carom_client *client, const char *world, const char *method,
                        const char *key, uint64_t id)
{
    carom_value *args = carom_set(carom_map(), "world", carom_str(world));
    if (key != NULL) {
        carom_set(args, key, carom_uint(id));
    }
    carom_value *result = NULL;
    carom_error error;
    check_ok(carom_call(client, method, args, PATIENCE_MS, &result, &error), &error);
    carom_value_free(args);
    return result;
}

static void every_kind_of_shape_bears_a_ball(void **state)
{
    against_server *s = *state;
    static const carom_vec2 TENT[] = {{2, -1}, {2, 1}, {-2, 1}, {-2, -1}};
    static const carom_vec2 GROUND[] = {{4, 1}, {2, 1}, {-2, 1}, {-4, 1}};
    const struct {
        const char *world, *kind; // the value in body.get
        carom_shape shape;        // a shape with its upper side 1 m above its origin
    } CASES[] = {
        {"circle", "circle", carom_shape_circle(1)},
        {"box", "polygon", carom_shape_box(4, 2)},
        {"polygon", "polygon", carom_shape_polygon(TENT, 4)},
        {"capsule", "capsule", carom_shape_capsule((carom_vec2){-2, 0}, (carom_vec2){2, 0}, 1)},
        {"segment", "segment", carom_shape_segment((carom_vec2){-2, 1}, (carom_vec2){2, 1})},
        {"chain", "chain", carom_shape_chain(GROUND, 4, false)},
        {"loop", "chain", carom_shape_chain(TENT, 4, true)},
    };
    carom_shape ball = carom_shape_circle(0.5);
    ball.restitution = 0;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *world = CASES[i].world;
        begin(s->client, world);
        uint64_t ground = spawn_at(s->client, world, CAROM_STATIC, 0, 0, &CASES[i].shape);
        uint64_t body = spawn_at(s->client, world, CAROM_DYNAMIC, 0, 1.6, &ball);
        carom_value *told = get(s->client, world, "body.get", "body", ground);
        assert_string_equal(carom_get_str(told, "shapes[0].kind", ""), CASES[i].kind);
        carom_value_free(told);
        step(s->client, world, 60, NULL);
        carom_body where;
        carom_error error;
        check_ok(carom_body_get(s->client, world, body, PATIENCE_MS, &where, &error), &error);
        assert_true(where.y > 1.48 && where.y < 1.51);
        carom_hit hit;
        size_t count = 0;
        check_ok(carom_query_ray(s->client, world, (carom_vec2){0.01, 9}, (carom_vec2){0.01, -9},
                                 &(carom_query_options){.all = true}, &hit, 1, PATIENCE_MS, &count,
                                 &error),
                 &error);
        assert_true(count == 2 && hit.body == body);
        check_ok(carom_world_destroy(s->client, world, PATIENCE_MS, &error), &error);
    }
}

static void every_kind_of_joint_is_made_changed_and_removed(void **state)
{
    against_server *s = *state;
    static const struct {
        carom_joint_settings settings, change;
        const char *key; // key of the change
    } CASES[] = {
        {{.kind = CAROM_REVOLUTE, .anchor = {0, 1}}, {.motor_speed = 2}, "motor_speed"},
        {{.kind = CAROM_PRISMATIC, .axis = {1, 0}}, {.upper = 2}, "upper"},
        {{.kind = CAROM_DISTANCE, .hertz = 4}, {.length = 2}, "length"},
        {{.kind = CAROM_WELD}, {.hertz = 2}, "hertz"},
        {{.kind = CAROM_WHEEL, .axis = {0, 1}}, {.max_torque = 2}, "max_torque"},
        {{.kind = CAROM_MOTOR, .max_force = 5}, {.max_torque = 2}, "max_torque"},
        {{.kind = CAROM_MOUSE, .target = {0, 3}}, {.max_force = 2}, "max_force"},
        {{.kind = CAROM_FILTER}, {0}, NULL},
        {{.kind = CAROM_GEAR}, {.break_torque = 2}, "break_torque"},
        {{.kind = CAROM_PULLEY, .ground_a = {0, 5}, .ground_b = {3, 5}},
         {.break_force = 2},
         "break_force"},
    };
    const char *world = "joints";
    begin(s->client, world);
    carom_shape ball = carom_shape_circle(0.5);
    uint64_t a = spawn_at(s->client, world, CAROM_STATIC, 0, 0, &ball);
    uint64_t b = spawn_at(s->client, world, CAROM_DYNAMIC, 3, 0, &ball);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        uint64_t joint = 0;
        carom_error error;
        carom_joint_settings settings = CASES[i].settings;
        settings.a = settings.kind == CAROM_MOUSE ? 0 : a;
        settings.b = b;
        check_ok(carom_joint_create(s->client, world, &settings, PATIENCE_MS, &joint, NULL, &error),
                 &error);
        if (CASES[i].key != NULL) {
            check_ok(carom_joint_set(s->client, world, joint, &CASES[i].change, PATIENCE_MS, NULL,
                                     &error),
                     &error);
            carom_value *told = get(s->client, world, "joint.get", "joint", joint);
            assert_true(carom_get_real(told, CASES[i].key, 0) == 2);
            carom_value_free(told);
        }
        carom_joint_info listed, alone;
        size_t count = 0;
        check_ok(carom_joint_list(s->client, world, &listed, 1, PATIENCE_MS, &count, &error),
                 &error);
        check_ok(carom_joint_get(s->client, world, joint, PATIENCE_MS, &alone, &error), &error);
        assert_int_equal(count, 1);
        assert_true(listed.id == joint && alone.id == joint);
        assert_true(listed.settings.kind == settings.kind && alone.settings.kind == settings.kind);
        assert_int_equal(alone.settings.b, b);
        check_ok(carom_joint_remove(s->client, world, joint, PATIENCE_MS, NULL, &error), &error);
        assert_int_equal(carom_joint_remove(s->client, world, joint, PATIENCE_MS, NULL, &error),
                         CAROM_NOT_FOUND);
    }
}

// Makes every kind of event happen in a world.
static uint64_t make_happen(carom_client *client, const char *world)
{
    carom_error error;
    carom_shape floor = carom_shape_box(40, 1);
    carom_shape sensor = carom_shape_box(2, 1);
    carom_shape ball = carom_shape_circle(0.5);
    sensor.sensor = true;
    ball.events = CAROM_EVENTS_CONTACT | CAROM_EVENTS_HIT | CAROM_EVENTS_SENSOR;
    spawn_at(client, world, CAROM_STATIC, 0, -0.5, &floor);
    spawn_at(client, world, CAROM_STATIC, 8, 2, &sensor);
    uint64_t jumper = spawn_at(client, world, CAROM_DYNAMIC, 0, 2, &ball);
    spawn_at(client, world, CAROM_DYNAMIC, 8, 4, &ball);
    uint64_t beam = spawn_at(client, world, CAROM_STATIC, -8, 6, &ball);
    uint64_t weight = spawn_at(client, world, CAROM_DYNAMIC, -8, 4, &ball);
    carom_joint_settings thread = {
        .kind = CAROM_DISTANCE, .a = beam, .b = weight, .break_force = 1};
    check_ok(carom_joint_create(client, world, &thread, PATIENCE_MS, NULL, NULL, &error), &error);
    carom_body_options away = carom_body_options_default();
    away.position = (carom_vec2){999999, 0};
    away.velocity = (carom_vec2){4000, 0};
    spawn(client, world, away, &ball);
    step(client, world, 240, NULL);
    check_ok(carom_body_impulse(client, world, jumper, (carom_vec2){0, 2}, NULL, PATIENCE_MS, NULL,
                                &error),
             &error);
    step(client, world, 2, NULL);
    check_ok(carom_body_remove(client, world, weight, PATIENCE_MS, NULL, &error), &error);
    const carom_args_message_send message = {.name = "ready"};
    check_ok(carom_call_message_send(client, world, &message, PATIENCE_MS, NULL, &error), &error);
    uint64_t tick = 0;
    step(client, world, 2, &tick);
    return tick;
}

static void every_kind_of_event_arrives(void **state)
{
    against_server *s = *state;
    static const char *const KINDS[] = {"begin",       "stay",   "end",    "hit",   "sensor_begin",
                                        "sensor_end",  "sleep",  "wake",   "spawn", "remove",
                                        "joint_break", "freeze", "message"};
    carom_subscribe_options options = carom_subscribe_options_default();
    options.events = KINDS;
    options.event_count = sizeof KINDS / sizeof *KINDS;
    begin(s->client, "events");
    carom_view *view = carom_view_create(NULL);
    carom_error error;
    check_ok(carom_watch(s->client, "events", &options, view, PATIENCE_MS, NULL, &error), &error);
    poll_until_tick(s->client, view, make_happen(s->client, "events"));
    uint32_t seen = 0;
    carom_event event;
    while (carom_view_next_event(view, &event)) {
        assert_true(event.kind < CAROM_EVENT_OTHER);
        assert_string_equal(event.name, KINDS[event.kind]);
        seen |= 1u << event.kind;
    }
    // joins and leaves happen in worlds that joins make
    const uint32_t seats = 1u << CAROM_EVENT_JOIN | 1u << CAROM_EVENT_LEAVE;
    assert_int_equal(seen | seats, (1u << CAROM_EVENT_OTHER) - 1u);
    carom_view_free(view);
    carom_world_info info;
    check_ok(carom_world_get_info(s->client, "events", PATIENCE_MS, &info, &error), &error);
    assert_int_equal(info.frozen, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_shape_bears_a_ball),
        cmocka_unit_test(every_kind_of_joint_is_made_changed_and_removed),
        cmocka_unit_test(every_kind_of_event_arrives),
    };
    caromd_path = argc > 1 ? argv[1] : "caromd";
    return cmocka_run_group_tests(tests, server_set_up, server_tear_down);
}
