// Every method's arguments as a client would write them, and the commands that they become.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/command.h"
#include "proto/commands/command_decode.h"
#include "tests/unit/proto/wording.h"

static command decoded;

static const command *decode(method m, const char *json)
{
    error err = {0};
    command_free(&decoded);
    if (wording_decode(m, json, &decoded, &err) != STATUS_OK) {
        fail_msg("%s %s: %s", method_name(m), json, err.text);
    }
    assert_int_equal(decoded.method, m);
    return &decoded;
}

static int free_decoded(void **state)
{
    (void)state;
    command_free(&decoded);
    return 0;
}

static void assert_vector(vec2d v, double x, double y)
{
    assert_true(v.x == x && v.y == y);
}

// ---- session

static void hello_without_arguments_has_defaults(void **state)
{
    (void)state;
    const hello_args *hello = &decode(METHOD_HELLO, "{}")->hello;
    assert_int_equal(hello->protocol, PROTOCOL_VERSION);
    assert_string_equal(hello->client, "");
    assert_null(hello->token);
    assert_null(hello->resume);
}

static void hello_with_all_arguments_copies_them(void **state)
{
    (void)state;
    const hello_args *hello =
        &decode(METHOD_HELLO, "{\"protocol\": 2, \"client\": \"pong 1.0\", \"token\": \"geheim\","
                              " \"resume\": \"abc\"}")
             ->hello;
    assert_int_equal(hello->protocol, 2);
    assert_string_equal(hello->client, "pong 1.0");
    assert_string_equal(hello->token, "geheim");
    assert_string_equal(hello->resume, "abc");
}

static void ping_keeps_any_value_as_its_bytes(void **state)
{
    (void)state;
    const ping_args *ping = &decode(METHOD_PING, "{\"any\": [1, {\"a\": null}, 2.5]}")->ping;
    buffer bytes;
    buffer_init(&bytes, 1024);
    buffer_append(&bytes, ping->any, ping->any_size);
    assert_string_equal(wording_of(&bytes), "[1,{\"a\":null},2.5]");
    buffer_deinit(&bytes);
    assert_null(decode(METHOD_PING, "{}")->ping.any);
}

static void methods_without_arguments_take_an_empty_map_or_array_or_nothing(void **state)
{
    (void)state;
    decode(METHOD_SERVER_INFO, "{}");
    decode(METHOD_SERVER_STATS, "[]"); // Lua writes an empty table like this
    decode(METHOD_WORLD_LIST, "{}");
    command c;
    assert_int_equal(command_decode(METHOD_WORLD_LIST, NULL, &c, NULL), STATUS_OK);
    command_free(&c);
}

// ---- worlds

static void world_methods_with_a_name_alone_keep_it(void **state)
{
    (void)state;
    const method methods[] = {METHOD_WORLD_DESTROY, METHOD_WORLD_INFO,  METHOD_WORLD_PAUSE,
                              METHOD_WORLD_RESUME,  METHOD_WORLD_STATE, METHOD_JOINT_LIST};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_string_equal(decode(methods[i], "{\"world\": \"Lab_1.b-2\"}")->world, "Lab_1.b-2");
    }
}

static void world_create_without_settings_has_the_engine_s_defaults(void **state)
{
    (void)state;
    const world_create_args *c = &decode(METHOD_WORLD_CREATE, "{\"world\": \"w\"}")->create;
    assert_vector(c->def.gravity, 0, -9.81);
    assert_true(c->def.hz == 60.0);
    assert_int_equal(c->def.substeps, 4);
    assert_int_equal(c->def.bodies_max, PHYSICS_BODIES_MAX);
    assert_true(c->def.sleep && c->def.continuous);
    assert_false(c->paused);
    assert_null(c->scene);
    assert_int_equal(c->durability, DURABILITY_COUNT); // the server chooses
    assert_int_equal(c->fields, 0);
}

static void world_create_with_all_settings_takes_each(void **state)
{
    (void)state;
    const world_create_args *c =
        &decode(METHOD_WORLD_CREATE,
                "{\"world\": \"w\", \"gravity\": [1, -2.5], \"hz\": 128, \"substeps\": 8,"
                " \"paused\": true, \"max_bodies\": 10, \"durability\": \"none\", \"sleep\": false,"
                " \"continuous\": false, \"restitution_threshold\": 0.5, \"hit_threshold\": 2,"
                " \"sleep_speed\": 0.125, \"scene\": \"demo\"}")
             ->create;
    assert_vector(c->def.gravity, 1, -2.5);
    assert_true(c->def.hz == 128.0);
    assert_int_equal(c->def.substeps, 8);
    assert_int_equal(c->def.bodies_max, 10);
    assert_false(c->def.sleep);
    assert_false(c->def.continuous);
    assert_true(c->def.restitution_threshold == 0.5);
    assert_true(c->def.hit_threshold == 2.0);
    assert_true(c->def.sleep_speed == 0.125);
    assert_true(c->paused);
    assert_string_equal(c->scene, "demo");
    assert_int_equal(c->fields, 0x1FF);
}

static void world_create_with_a_scene_keeps_its_settings_where_none_are_given(void **state)
{
    (void)state;
    world_def scene = world_def_default();
    scene.gravity = (vec2d){0, 0};
    scene.hz = 30.0;
    scene.bodies_max = 7;
    const world_create_args *c =
        &decode(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"hz\": 60, \"scene\": \"demo\"}")->create;
    world_def def = command_world_def(c, &scene);
    assert_vector(def.gravity, 0, 0);
    assert_true(def.hz == 60.0); // a given value counts, although it is the default
    assert_int_equal(def.bodies_max, 7);
    assert_vector(command_world_def(c, NULL).gravity, 0, -9.81);
}

static void world_step_counts_one_tick_or_what_is_given(void **state)
{
    (void)state;
    assert_int_equal(decode(METHOD_WORLD_STEP, "{\"world\": \"w\"}")->step.ticks, 1);
    assert_int_equal(decode(METHOD_WORLD_STEP, "{\"world\": \"w\", \"ticks\": 100000}")->step.ticks,
                     100000);
    assert_int_equal(decode(METHOD_WORLD_STEP, "{\"world\": \"w\", \"ticks\": 3.0}")->step.ticks,
                     3);
}

static void world_set_notes_what_was_given(void **state)
{
    (void)state;
    const command *c = decode(METHOD_WORLD_SET, "{\"world\": \"w\", \"gravity\": [0, 1]}");
    assert_int_equal(c->world_set.fields, WORLD_FIELD_GRAVITY);
    assert_vector(c->world_set.gravity, 0, 1);
    c = decode(METHOD_WORLD_SET, "{\"world\": \"w\", \"sleep\": true}");
    assert_int_equal(c->world_set.fields, WORLD_FIELD_SLEEP);
    assert_true(c->world_set.sleep);
    c = decode(METHOD_WORLD_SET, "{\"world\": \"w\", \"restitution_threshold\": 0}");
    assert_int_equal(c->world_set.fields, WORLD_FIELD_RESTITUTION_THRESHOLD);
    assert_true(c->world_set.restitution_threshold == 0.0);
    c = decode(METHOD_WORLD_SET, "{\"world\": \"w\", \"sleep_speed\": 0.25}");
    assert_int_equal(c->world_set.fields, WORLD_FIELD_SLEEP_SPEED);
    assert_true(c->world_set.sleep_speed == 0.25);
}

static void subscribe_without_wishes_has_defaults(void **state)
{
    (void)state;
    const subscribe_args *s = &decode(METHOD_WORLD_SUBSCRIBE, "{\"world\": \"w\"}")->subscribe;
    assert_true(s->rate == 0.0);
    assert_int_equal(s->encoding, ENCODING_PLAIN);
    assert_false(s->has_area);
    assert_true(s->bodies);
    assert_int_equal(s->events, 1u << EVENT_BEGIN | 1u << EVENT_END);
    assert_false(s->contacts);
}

static void subscribe_with_all_wishes_takes_each(void **state)
{
    (void)state;
    const subscribe_args *s =
        &decode(METHOD_WORLD_SUBSCRIBE,
                "{\"world\": \"w\", \"rate\": 20, \"encoding\": \"packed\","
                " \"area\": [-1, -2, 3, 4], \"bodies\": false, \"contacts\": true,"
                " \"events\": [\"freeze\", \"hit\", \"sensor_end\"]}")
             ->subscribe;
    assert_true(s->rate == 20.0);
    assert_int_equal(s->encoding, ENCODING_PACKED);
    assert_true(s->has_area);
    assert_true(s->area.x0 == -1 && s->area.y0 == -2 && s->area.x1 == 3 && s->area.y1 == 4);
    assert_false(s->bodies);
    assert_true(s->contacts);
    assert_int_equal(s->events, 1u << EVENT_FREEZE | 1u << EVENT_HIT | 1u << EVENT_SENSOR_END);
    assert_int_equal(
        decode(METHOD_WORLD_SUBSCRIBE, "{\"world\": \"w\", \"events\": []}")->subscribe.events, 0);
}

static void view_takes_an_area_or_the_whole_world(void **state)
{
    (void)state;
    const command *c = decode(METHOD_WORLD_VIEW, "{\"subscription\": 9, \"area\": [0, 0, 0, 0]}");
    assert_int_equal(c->view.subscription, 9);
    assert_true(c->view.has_area);
    assert_false(decode(METHOD_WORLD_VIEW, "{\"subscription\": 9}")->view.has_area);
    assert_int_equal(decode(METHOD_WORLD_UNSUBSCRIBE, "{\"subscription\": 12}")->view.subscription,
                     12);
}

// ---- bodies

static void spawn_without_properties_has_the_engine_s_defaults(void **state)
{
    (void)state;
    const command *c = decode(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": []}");
    body_def def = body_def_default();
    assert_int_equal(c->spawn.def.type, BODY_DYNAMIC);
    assert_true(c->spawn.def.gravity_scale == def.gravity_scale);
    assert_true(c->spawn.def.awake && c->spawn.def.enabled && c->spawn.def.allow_sleep);
    assert_null(c->spawn.def.tag);
    assert_int_equal(c->spawn.shape_count, 0);
}

static void spawn_with_all_properties_takes_each(void **state)
{
    (void)state;
    const body_def *d =
        &decode(METHOD_BODY_SPAWN,
                "{\"world\": \"w\", \"type\": \"kinematic\", \"position\": [1, 2], \"angle\": 0.5,"
                " \"velocity\": [3, 4], \"angular_velocity\": -1, \"linear_damping\": 0.1,"
                " \"angular_damping\": 0.2, \"gravity_scale\": -2, \"fixed_rotation\": true,"
                " \"bullet\": true, \"allow_sleep\": false, \"awake\": false, \"enabled\": false,"
                " \"mass\": 7, \"tag\": \"Kugel ä\", \"shapes\": []}")
             ->spawn.def;
    assert_int_equal(d->type, BODY_KINEMATIC);
    assert_vector(d->position, 1, 2);
    assert_true(d->angle == 0.5);
    assert_vector(d->velocity, 3, 4);
    assert_true(d->angular_velocity == -1);
    assert_true(d->linear_damping == 0.1);
    assert_true(d->angular_damping == 0.2);
    assert_true(d->gravity_scale == -2);
    assert_true(d->fixed_rotation && d->bullet);
    assert_false(d->allow_sleep || d->awake || d->enabled);
    assert_true(d->mass == 7);
    assert_string_equal(d->tag, "Kugel ä");
}

static const shape_def *decode_shape_def(const char *shape)
{
    static char json[4096];
    snprintf(json, sizeof json, "{\"world\": \"w\", \"shapes\": [%s]}", shape);
    const command *c = decode(METHOD_BODY_SPAWN, json);
    assert_int_equal(c->spawn.shape_count, 1);
    return &c->spawn.shapes[0];
}

static void shape_circle_has_radius_and_center(void **state)
{
    (void)state;
    const shape_def *s =
        decode_shape_def("{\"kind\": \"circle\", \"radius\": 0.5, \"center\": [1, 2]}");
    assert_int_equal(s->geometry.kind, SHAPE_CIRCLE);
    assert_true(s->geometry.circle.radius == 0.5f);
    assert_true(s->geometry.circle.center.x == 1.0f && s->geometry.circle.center.y == 2.0f);
}

static void shape_box_is_a_polygon_of_its_corners(void **state)
{
    (void)state;
    const shape_def *s = decode_shape_def(
        "{\"kind\": \"box\", \"size\": [2, 1], \"center\": [5, 0], \"radius\": 0.25}");
    assert_int_equal(s->geometry.kind, SHAPE_POLYGON);
    const polygon *p = &s->geometry.polygon;
    assert_int_equal(p->count, 4);
    assert_true(p->radius == 0.25f);
    for (int i = 0; i < 4; i++) {
        assert_true(p->vertices[i].x == 4.0f || p->vertices[i].x == 6.0f);
        assert_true(p->vertices[i].y == 0.5f || p->vertices[i].y == -0.5f);
    }
}

static void shape_box_turned_a_quarter_stands_upright(void **state)
{
    (void)state;
    const shape_def *s =
        decode_shape_def("{\"kind\": \"box\", \"size\": [2, 1], \"angle\": 1.5707963267948966}");
    for (int i = 0; i < 4; i++) {
        vec2 v = s->geometry.polygon.vertices[i];
        assert_true(float_abs(float_abs(v.x) - 0.5f) < 1e-6f);
        assert_true(float_abs(float_abs(v.y) - 1.0f) < 1e-6f);
    }
}

static void shape_polygon_is_the_hull_of_points_in_any_order(void **state)
{
    (void)state;
    const shape_def *s = decode_shape_def(
        "{\"kind\": \"polygon\", \"vertices\": [[0, 0], [1, 1], [1, 0], [0, 1], [0.5, 0.5]]}");
    assert_int_equal(s->geometry.kind, SHAPE_POLYGON);
    assert_int_equal(s->geometry.polygon.count, 4);
}

static void shape_capsule_and_segment_have_two_ends(void **state)
{
    (void)state;
    const shape_def *s =
        decode_shape_def("{\"kind\": \"capsule\", \"a\": [-1, 0], \"b\": [1, 0], \"radius\": 0.2}");
    assert_int_equal(s->geometry.kind, SHAPE_CAPSULE);
    assert_true(s->geometry.capsule.a.x == -1.0f && s->geometry.capsule.b.x == 1.0f);
    assert_true(s->geometry.capsule.radius == 0.2f);
    s = decode_shape_def("{\"kind\": \"segment\", \"a\": [-1, 0], \"b\": [1, 0.5]}");
    assert_int_equal(s->geometry.kind, SHAPE_SEGMENT);
    assert_true(s->geometry.segment.b.y == 0.5f);
}

static void shape_chain_keeps_its_points_in_order(void **state)
{
    (void)state;
    const shape_def *s = decode_shape_def(
        "{\"kind\": \"chain\", \"vertices\": [[0, 0], [5, 0], [5, 5]], \"loop\": true}");
    assert_int_equal(s->form, FORM_CHAIN);
    assert_int_equal(s->point_count, 3);
    assert_true(s->loop);
    assert_true(s->points[1].x == 5.0f && s->points[2].y == 5.0f);
}

static void shape_matter_is_default_or_as_given(void **state)
{
    (void)state;
    const shape_def *s = decode_shape_def("{\"kind\": \"circle\", \"radius\": 1}");
    assert_true(s->density == 1.0 && s->friction == 0.6 && s->restitution == 0.0);
    assert_int_equal(s->filter.category, 1);
    assert_true(s->filter.mask == UINT64_MAX);
    assert_int_equal(s->events, SHAPE_EVENT_CONTACT | SHAPE_EVENT_SENSOR);
    s = decode_shape_def(
        "{\"kind\": \"circle\", \"radius\": 1, \"density\": 2, \"friction\": 0.1,"
        " \"restitution\": 0.9, \"rolling_resistance\": 0.05, \"tangent_speed\": -3,"
        " \"sensor\": true, \"filter\": {\"category\": 4, \"mask\": 3, \"group\": -5},"
        " \"events\": [\"hit\"]}");
    assert_true(s->density == 2 && s->friction == 0.1 && s->restitution == 0.9);
    assert_true(s->rolling_resistance == 0.05 && s->tangent_speed == -3);
    assert_true(s->sensor);
    assert_int_equal(s->filter.category, 4);
    assert_int_equal(s->filter.mask, 3);
    assert_int_equal(s->filter.group, -5);
    assert_int_equal(s->events, SHAPE_EVENT_HIT);
}

static void filter_masks_have_all_64_bits(void **state)
{
    (void)state;
    const shape_def *s =
        decode_shape_def("{\"kind\": \"circle\", \"radius\": 1, \"filter\":"
                         " {\"category\": {\"$uint\": \"0x8000000000000001\"}, \"mask\": -2}}");
    assert_true(s->filter.category == 0x8000000000000001u);
    assert_true(s->filter.mask == 0xFFFFFFFFFFFFFFFEu);
    s = decode_shape_def("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"mask\": 6.0}}");
    assert_true(s->filter.mask == 6);
}

static void several_shapes_keep_their_order(void **state)
{
    (void)state;
    const command *c = decode(
        METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [{\"kind\": \"circle\", \"radius\": 1},"
                           " {\"kind\": \"segment\", \"a\": [0, 0], \"b\": [1, 0]}]}");
    assert_int_equal(c->spawn.shape_count, 2);
    assert_int_equal(c->spawn.shapes[0].geometry.kind, SHAPE_CIRCLE);
    assert_int_equal(c->spawn.shapes[1].geometry.kind, SHAPE_SEGMENT);
}

static void keys_and_words_may_be_binary(void **state)
{
    (void)state;
    // {"world": "w", "shapes": [{"kind": "circle", "radius": 1}]}, every text as bin
    const command *c =
        decode(METHOD_BODY_SPAWN,
               "{\"$map\": [[{\"$bin\": \"776f726c64\"}, {\"$bin\": \"77\"}],"
               " [{\"$bin\": \"736861706573\"}, [{\"$map\": [[{\"$bin\": \"6b696e64\"},"
               " {\"$bin\": \"636972636c65\"}], [{\"$bin\": \"726164697573\"}, 1]]}]]]}");
    assert_string_equal(c->world, "w");
    assert_int_equal(c->spawn.shapes[0].geometry.kind, SHAPE_CIRCLE);
}

static void body_methods_take_an_id(void **state)
{
    (void)state;
    assert_int_equal(decode(METHOD_BODY_REMOVE, "{\"world\": \"w\", \"body\": 5}")->body, 5);
    assert_true(
        decode(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": 9007199254740991}")->get.body ==
        9007199254740991u);
    assert_int_equal(decode(METHOD_SHAPE_REMOVE, "{\"world\": \"w\", \"shape\": 6}")->shape, 6);
}

static void body_set_notes_exactly_what_was_given(void **state)
{
    (void)state;
    const command *c =
        decode(METHOD_BODY_SET, "{\"world\": \"w\", \"body\": 3, \"velocity\": [0, 1]}");
    assert_int_equal(c->body_set.body, 3);
    assert_int_equal(c->body_set.fields, BODY_FIELD_VELOCITY);
    assert_vector(c->body_set.values.velocity, 0, 1);
    c = decode(METHOD_BODY_SET,
               "{\"world\": \"w\", \"body\": 3, \"type\": \"static\", \"position\": [1, 1],"
               " \"angle\": 1, \"velocity\": [1, 1], \"angular_velocity\": 1,"
               " \"linear_damping\": 1, \"angular_damping\": 1, \"gravity_scale\": 0,"
               " \"fixed_rotation\": true, \"bullet\": true, \"allow_sleep\": true,"
               " \"awake\": true, \"enabled\": true, \"mass\": 1, \"tag\": \"\"}");
    assert_int_equal(c->body_set.fields, 0x7FFF); // all bits of body_field
    assert_int_equal(c->body_set.values.type, BODY_STATIC);
    assert_string_equal(c->body_set.values.tag, "");
}

static void pushes_act_at_a_point_or_at_the_centre(void **state)
{
    (void)state;
    const command *c =
        decode(METHOD_BODY_IMPULSE, "{\"world\": \"w\", \"body\": 1, \"impulse\": [5, -1]}");
    assert_vector(c->push.vector, 5, -1);
    assert_false(c->push.has_point);
    c = decode(METHOD_BODY_FORCE,
               "{\"world\": \"w\", \"body\": 1, \"force\": [2, 3], \"point\": [4, 5]}");
    assert_vector(c->push.vector, 2, 3);
    assert_true(c->push.has_point);
    assert_vector(c->push.point, 4, 5);
}

static void turns_have_one_value(void **state)
{
    (void)state;
    assert_true(
        decode(METHOD_BODY_ANGULAR_IMPULSE, "{\"world\": \"w\", \"body\": 1, \"impulse\": -2}")
            ->turn.value == -2.0);
    assert_true(
        decode(METHOD_BODY_TORQUE, "{\"world\": \"w\", \"body\": 1, \"torque\": 8}")->turn.value ==
        8.0);
}

static void shape_add_takes_one_shape(void **state)
{
    (void)state;
    const command *c = decode(
        METHOD_SHAPE_ADD,
        "{\"world\": \"w\", \"body\": 2, \"shape\": {\"kind\": \"circle\", \"radius\": 0.5}}");
    assert_int_equal(c->shape_add.body, 2);
    assert_int_equal(c->shape_add.def.geometry.kind, SHAPE_CIRCLE);
}

// ---- joints and queries

static void joint_create_notes_what_was_given(void **state)
{
    (void)state;
    const joint_def *d =
        &decode(METHOD_JOINT_CREATE,
                "{\"world\": \"w\", \"kind\": \"revolute\", \"a\": 1, \"b\": 2,"
                " \"anchor\": [3, 4], \"lower\": -1, \"upper\": 1, \"motor_speed\": 2,"
                " \"max_torque\": 50, \"collide_connected\": true}")
             ->joint.def;
    assert_int_equal(d->kind, JOINT_REVOLUTE);
    assert_int_equal(d->a, 1);
    assert_int_equal(d->b, 2);
    assert_vector(d->anchor, 3, 4);
    assert_true(d->lower == -1 && d->upper == 1);
    assert_true(d->collide_connected);
    assert_int_equal(d->fields, JOINT_FIELD_ANCHOR | JOINT_FIELD_LOWER | JOINT_FIELD_UPPER |
                                    JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE |
                                    JOINT_FIELD_COLLIDE_CONNECTED);
}

static void joint_create_takes_every_field_there_is(void **state)
{
    (void)state;
    const joint_def *d =
        &decode(METHOD_JOINT_CREATE,
                "{\"world\": \"w\", \"kind\": \"pulley\", \"a\": 1, \"b\": 2, \"anchor\": [0, 0],"
                " \"anchor_a\": [1, 0], \"anchor_b\": [2, 0], \"axis\": [0, 3],"
                " \"reference_angle\": 4, \"joint_a\": 5, \"joint_b\": 6, \"ground_a\": [7, 0],"
                " \"ground_b\": [8, 0], \"length\": 9, \"lower\": 10, \"upper\": 11,"
                " \"motor_speed\": 12, \"max_force\": 13, \"max_torque\": 14, \"hertz\": 15,"
                " \"damping_ratio\": 16, \"angular_hertz\": 17, \"angular_damping_ratio\": 18,"
                " \"target\": [19, 0], \"target_angle\": 20, \"target_translation\": 21,"
                " \"velocity\": [22, 0], \"ratio\": 23, \"break_force\": 24,"
                " \"break_torque\": 25, \"collide_connected\": true}")
             ->joint.def;
    assert_int_equal(d->fields, (1u << JOINT_FIELD_COUNT) - 1);
    assert_true(d->anchor_a.x == 1 && d->anchor_b.x == 2 && d->axis.y == 3.0f);
    assert_true(d->reference_angle == 4 && d->joint_a == 5 && d->joint_b == 6);
    assert_true(d->ground_a.x == 7 && d->ground_b.x == 8 && d->length == 9);
    assert_true(d->lower == 10 && d->upper == 11 && d->motor_speed == 12 && d->max_force == 13);
    assert_true(d->max_torque == 14 && d->hertz == 15 && d->damping_ratio == 16);
    assert_true(d->angular_hertz == 17 && d->angular_damping_ratio == 18 && d->target.x == 19);
    assert_true(d->target_angle == 20 && d->target_translation == 21 && d->velocity.x == 22.0f);
    assert_true(d->ratio == 23 && d->break_force == 24 && d->break_torque == 25);
}

static void joint_set_remove_and_get_take_an_id(void **state)
{
    (void)state;
    const command *c =
        decode(METHOD_JOINT_SET, "{\"world\": \"w\", \"joint\": 4, \"motor_speed\": 1}");
    assert_int_equal(c->joint.joint, 4);
    assert_int_equal(c->joint.def.fields, JOINT_FIELD_MOTOR_SPEED);
    assert_int_equal(decode(METHOD_JOINT_REMOVE, "{\"world\": \"w\", \"joint\": 4}")->joint_id, 4);
    assert_int_equal(decode(METHOD_JOINT_GET, "{\"world\": \"w\", \"joint\": 4}")->joint_id, 4);
}

static void queries_see_everything_by_default(void **state)
{
    (void)state;
    const query_ray_args *q =
        &decode(METHOD_QUERY_RAY, "{\"world\": \"w\", \"from\": [0, 1], \"to\": [2, 3]}")->ray;
    assert_vector(q->from, 0, 1);
    assert_vector(q->to, 2, 3);
    assert_false(q->all);
    assert_true(q->filter.filter.category == UINT64_MAX && q->filter.filter.mask == UINT64_MAX);
    assert_int_equal(q->filter.ignore, 0);
    assert_false(q->filter.sensors);
}

static void queries_take_a_filter(void **state)
{
    (void)state;
    const query_ray_args *q =
        &decode(METHOD_QUERY_RAY, "{\"world\": \"w\", \"from\": [0, 0], \"to\": [1, 0],"
                                  " \"all\": true, \"filter\": {\"mask\": 2},"
                                  " \"ignore\": 7, \"sensors\": true}")
             ->ray;
    assert_true(q->all && q->filter.sensors);
    assert_true(q->filter.filter.category == UINT64_MAX && q->filter.filter.mask == 2);
    assert_int_equal(q->filter.ignore, 7);
}

static void overlap_asks_an_area_a_shape_or_a_point(void **state)
{
    (void)state;
    const query_overlap_args *q =
        &decode(METHOD_QUERY_OVERLAP, "{\"world\": \"w\", \"area\": [0, 0, 1, 1]}")->overlap;
    assert_int_equal(q->of, OVERLAP_AREA);
    assert_true(q->area.x1 == 1);
    q = &decode(METHOD_QUERY_OVERLAP,
                "{\"world\": \"w\", \"shape\": {\"kind\": \"circle\", \"radius\": 2}}")
             ->overlap;
    assert_int_equal(q->of, OVERLAP_SHAPE);
    assert_true(q->shape.circle.radius == 2.0f);
    q = &decode(METHOD_QUERY_OVERLAP, "{\"world\": \"w\", \"point\": [3, 4]}")->overlap;
    assert_int_equal(q->of, OVERLAP_POINT);
    assert_vector(q->point, 3, 4);
}

static void cast_and_nearest_take_their_places(void **state)
{
    (void)state;
    const query_cast_args *cast =
        &decode(METHOD_QUERY_CAST, "{\"world\": \"w\", \"shape\": {\"kind\": \"box\","
                                   " \"size\": [1, 1]}, \"from\": [0, 0], \"to\": [9, 0],"
                                   " \"all\": true}")
             ->cast;
    assert_int_equal(cast->shape.kind, SHAPE_POLYGON);
    assert_vector(cast->to, 9, 0);
    assert_true(cast->all);
    const query_nearest_args *near =
        &decode(METHOD_QUERY_NEAREST, "{\"world\": \"w\", \"point\": [1, 2]}")->nearest;
    assert_vector(near->point, 1, 2);
    assert_true(near->radius == PHYSICS_EXTENT_MAX);
    assert_true(decode(METHOD_QUERY_NEAREST, "{\"world\": \"w\", \"point\": [1, 2], \"radius\": 3}")
                    ->nearest.radius == 3);
}

// ---- batches

static void apply_keeps_its_commands_in_order(void **state)
{
    (void)state;
    const apply_args *a =
        &decode(METHOD_WORLD_APPLY,
                "{\"world\": \"w\", \"at\": 600, \"commands\": ["
                "[\"body.remove\", {\"body\": 1}],"
                "[\"body.impulse\", {\"body\": 2, \"impulse\": [1, 0], \"world\": \"w\"}],"
                "[\"body.spawn\", {\"tag\": \"t\", \"shapes\": [{\"kind\": \"circle\","
                " \"radius\": 1}]}]]}")
             ->apply;
    assert_true(a->has_at);
    assert_int_equal(a->at, 600);
    assert_int_equal(a->count, 3);
    assert_int_equal(a->commands[0].method, METHOD_BODY_REMOVE);
    assert_int_equal(a->commands[0].body, 1);
    assert_int_equal(a->commands[1].method, METHOD_BODY_IMPULSE);
    assert_int_equal(a->commands[2].spawn.shape_count, 1);
    assert_string_equal(a->commands[2].spawn.def.tag, "t");
    assert_null(a->commands[2].memory); // the batch owns it
}

static void apply_may_be_empty(void **state)
{
    (void)state;
    const apply_args *a =
        &decode(METHOD_WORLD_APPLY, "{\"world\": \"w\", \"commands\": []}")->apply;
    assert_int_equal(a->count, 0);
    assert_false(a->has_at);
}

static void apply_may_speak_of_what_it_has_made(void **state)
{
    (void)state;
    const apply_args *a =
        &decode(METHOD_WORLD_APPLY,
                "{\"world\": \"w\", \"commands\": [[\"body.spawn\", {\"shapes\": []}],"
                "[\"shape.add\", {\"body\": {\"$\": 0}, \"shape\": {\"kind\": \"circle\","
                " \"radius\": 1}}], [\"shape.remove\", {\"shape\": {\"$\": 1}}],"
                "[\"body.set\", {\"body\": {\"$\": 0}, \"angle\": 1}],"
                "[\"joint.create\", {\"kind\": \"weld\", \"a\": {\"$\": 0}, \"b\": 5}],"
                "[\"joint.remove\", {\"joint\": {\"$\": 4}}]]}")
             ->apply;
    assert_true(command_id_is_reference(a->commands[1].shape_add.body));
    assert_int_equal(command_id_index(a->commands[1].shape_add.body), 0);
    assert_int_equal(command_id_index(a->commands[2].shape), 1);
    assert_true(command_id_is_reference(a->commands[3].body_set.body));
    assert_true(command_id_is_reference(a->commands[4].joint.def.a));
    assert_false(command_id_is_reference(a->commands[4].joint.def.b));
    assert_int_equal(command_id_index(a->commands[5].joint_id), 4);
}

static void rights_of_a_batch_are_the_highest_of_its_commands(void **state)
{
    (void)state;
    assert_int_equal(command_rights(decode(METHOD_WORLD_APPLY,
                                           "{\"world\": \"w\", \"commands\": [[\"body.remove\","
                                           " {\"body\": 1}]]}")),
                     ROLE_PLAYER);
    assert_int_equal(command_rights(decode(METHOD_WORLD_APPLY,
                                           "{\"world\": \"w\", \"commands\": [[\"body.remove\","
                                           " {\"body\": 1}], [\"world.set\", {\"sleep\": true}],"
                                           "[\"body.get\", {\"body\": 1}]]}")),
                     ROLE_REFEREE);
    assert_int_equal(command_rights(decode(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": 1}")),
                     ROLE_VIEWER);
}

static void free_of_a_zeroed_command_does_nothing(void **state)
{
    (void)state;
    command c = {0};
    command_free(&c);
    command_free(&c);
    assert_null(c.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_without_arguments_has_defaults),
        cmocka_unit_test(hello_with_all_arguments_copies_them),
        cmocka_unit_test(ping_keeps_any_value_as_its_bytes),
        cmocka_unit_test(methods_without_arguments_take_an_empty_map_or_array_or_nothing),
        cmocka_unit_test(world_methods_with_a_name_alone_keep_it),
        cmocka_unit_test(world_create_without_settings_has_the_engine_s_defaults),
        cmocka_unit_test(world_create_with_all_settings_takes_each),
        cmocka_unit_test(world_create_with_a_scene_keeps_its_settings_where_none_are_given),
        cmocka_unit_test(world_step_counts_one_tick_or_what_is_given),
        cmocka_unit_test(world_set_notes_what_was_given),
        cmocka_unit_test(subscribe_without_wishes_has_defaults),
        cmocka_unit_test(subscribe_with_all_wishes_takes_each),
        cmocka_unit_test(view_takes_an_area_or_the_whole_world),
        cmocka_unit_test(spawn_without_properties_has_the_engine_s_defaults),
        cmocka_unit_test(spawn_with_all_properties_takes_each),
        cmocka_unit_test(shape_circle_has_radius_and_center),
        cmocka_unit_test(shape_box_is_a_polygon_of_its_corners),
        cmocka_unit_test(shape_box_turned_a_quarter_stands_upright),
        cmocka_unit_test(shape_polygon_is_the_hull_of_points_in_any_order),
        cmocka_unit_test(shape_capsule_and_segment_have_two_ends),
        cmocka_unit_test(shape_chain_keeps_its_points_in_order),
        cmocka_unit_test(shape_matter_is_default_or_as_given),
        cmocka_unit_test(filter_masks_have_all_64_bits),
        cmocka_unit_test(several_shapes_keep_their_order),
        cmocka_unit_test(keys_and_words_may_be_binary),
        cmocka_unit_test(body_methods_take_an_id),
        cmocka_unit_test(body_set_notes_exactly_what_was_given),
        cmocka_unit_test(pushes_act_at_a_point_or_at_the_centre),
        cmocka_unit_test(turns_have_one_value),
        cmocka_unit_test(shape_add_takes_one_shape),
        cmocka_unit_test(joint_create_notes_what_was_given),
        cmocka_unit_test(joint_create_takes_every_field_there_is),
        cmocka_unit_test(joint_set_remove_and_get_take_an_id),
        cmocka_unit_test(queries_see_everything_by_default),
        cmocka_unit_test(queries_take_a_filter),
        cmocka_unit_test(overlap_asks_an_area_a_shape_or_a_point),
        cmocka_unit_test(cast_and_nearest_take_their_places),
        cmocka_unit_test(apply_keeps_its_commands_in_order),
        cmocka_unit_test(apply_may_be_empty),
        cmocka_unit_test(apply_may_speak_of_what_it_has_made),
        cmocka_unit_test(rights_of_a_batch_are_the_highest_of_its_commands),
        cmocka_unit_test(free_of_a_zeroed_command_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, free_decoded);
}
