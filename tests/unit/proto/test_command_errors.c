// Every way in which arguments can be wrong: the error's code, and the place and fault in its text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/command.h"
#include "proto/limits.h"
#include "proto/methods.h"
#include "tests/unit/proto/wording.h"

static void refuse(method m, const char *json, status s, const char *text)
{
    command c;
    memset(&c, 0x55, sizeof c); // decoding must not touch it, so there is nothing to free
    error err = {0};
    status got = wording_decode(m, json, &c, &err);
    if (got != s || strcmp(err.text, text) != 0) {
        fail_msg("%s %s\n  expected %s: %s\n  got      %s: %s", method_name(m), json,
                 status_code(s), text, status_code(got), err.text);
    }
    assert_int_equal(err.status, s);
}

static void invalid(method m, const char *json, const char *text)
{
    refuse(m, json, STATUS_INVALID_ARGUMENT, text);
}

// {"world": "w", "shapes": [{"kind": "circle", "radius": 1}, HERE]}
static void invalid_shape(const char *shape, const char *text)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{\"world\": \"w\", \"shapes\": [{\"kind\": \"circle\", \"radius\": 1}, %s]}", shape);
    invalid(METHOD_BODY_SPAWN, json, text);
}

// [["body.spawn", {…}], HERE]
static void refuse_batch(const char *command_, status s, const char *text)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{\"world\": \"w\", \"commands\": [[\"body.spawn\", {\"shapes\": []}], %s]}",
             command_);
    refuse(METHOD_WORLD_APPLY, json, s, text);
}

// ---- the map

static void arguments_that_are_no_map_are_refused(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_INFO, "[1]", "expected a map of arguments, got array");
    invalid(METHOD_WORLD_INFO, "\"w\"", "expected a map of arguments, got str");
    invalid(METHOD_WORLD_INFO, "null", "expected a map of arguments, got nil");
}

static void an_unknown_argument_is_told_with_what_there_is(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_INFO, "{\"world\": \"w\", \"wordl\": 1}",
            "unknown argument 'wordl'; did you mean 'world'? world.info takes world, epoch");
    invalid(METHOD_WORLD_LIST, "{\"world\": \"w\"}",
            "unknown argument 'world'; world.list takes none");
    invalid(METHOD_WORLD_STEP, "{\"world\": \"w\", \"Ticks\": 1}",
            "unknown argument 'Ticks'; did you mean 'ticks'? world.step takes world, ticks, to, "
            "epoch");
    // The text lists as many whole names as fit, in a batch too.
    invalid(METHOD_JOINT_CREATE, "{\"world\": \"w\", \"lenght\": 1}",
            "unknown argument 'lenght'; did you mean 'length'? joint.create takes world, kind, a, "
            "b, anchor, anchor_a, anchor_b, axis, reference_angle, joint_a, joint_b, ground_a, "
            "ground_b, ratio, collide_connected, length, lower, upper, motor_speed, max_force, …");
    refuse_batch("[\"body.spwan\", {}]", STATUS_UNKNOWN_METHOD,
                 "commands[1]: there is no method 'body.spwan'; did you mean 'body.spawn'?");
    invalid(
        METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [], \"type\": \"statik\"}",
        "type: unknown word 'statik'; did you mean 'static'? expected static|kinematic|dynamic");
    invalid_shape(
        "{\"kind\": \"cirle\", \"radius\": 1}",
        "shapes[1].kind: unknown word 'cirle'; did you mean 'circle'? expected one of circle, "
        "box, polygon, capsule, segment, chain");
}

static void an_argument_that_is_there_twice_is_refused(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_INFO, "{\"$map\": [[\"world\", \"a\"], [\"world\", \"b\"]]}",
            "argument world is there twice");
    // the same key, once as str, once as bin
    invalid(METHOD_WORLD_INFO,
            "{\"$map\": [[\"world\", \"a\"], [{\"$bin\": \"776f726c64\"}, \"b\"]]}",
            "argument world is there twice");
}

static void a_key_that_is_no_text_is_refused(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_INFO, "{\"$map\": [[1, \"w\"]]}",
            "an argument's name is a string, got int");
}

static void a_missing_argument_is_named(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_INFO, "{}",
            "argument world is missing; expected a name of 1 to 64 of A-Z a-z 0-9 _ . -");
    invalid(METHOD_BODY_GET, "{\"world\": \"w\"}", "argument body is missing; expected an id");
    invalid(METHOD_BODY_SPAWN, "{\"world\": \"w\"}",
            "argument shapes is missing; expected an array of shapes");
    invalid(METHOD_BODY_IMPULSE, "{\"world\": \"w\", \"body\": 1}",
            "argument impulse is missing; expected [x, y]");
    invalid(METHOD_WORLD_APPLY, "{\"world\": \"w\"}",
            "argument commands is missing; expected an array of [method, arguments]");
    invalid(METHOD_WORLD_VIEW, "{}", "argument subscription is missing; expected an id");
    invalid(METHOD_QUERY_NEAREST, "{\"world\": \"w\"}",
            "argument point is missing; expected [x, y]");
    invalid(METHOD_QUERY_CAST, "{\"world\": \"w\", \"from\": [0, 0], \"to\": [1, 1]}",
            "argument shape is missing; expected a map {kind, …}");
}

// ---- types

static void a_bool_is_a_bool(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"paused\": 1}",
            "paused: expected true or false, got int");
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"sleep\": null}",
            "sleep: expected true or false, got nil");
}

static void a_number_is_a_number(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"hz\": \"60\"}",
            "hz: expected a number, got str");
    invalid(METHOD_BODY_TORQUE, "{\"world\": \"w\", \"body\": 1, \"torque\": [1, 2]}",
            "torque: expected a number, got array");
    invalid(METHOD_BODY_TORQUE, "{\"world\": \"w\", \"body\": 1, \"torque\": true}",
            "torque: expected a number, got bool");
}

static void a_number_is_finite(void **state)
{
    (void)state;
    invalid(METHOD_BODY_TORQUE,
            "{\"world\": \"w\", \"body\": 1, \"torque\": {\"$float\": \"nan\"}}",
            "torque: must be a finite number, got NaN");
    invalid(METHOD_BODY_TORQUE,
            "{\"world\": \"w\", \"body\": 1, \"torque\": {\"$float\": \"-inf\"}}",
            "torque: must be a finite number, got infinity");
    invalid(METHOD_BODY_IMPULSE,
            "{\"world\": \"w\", \"body\": 1, \"impulse\": [0, {\"$float\": \"inf\"}]}",
            "impulse[1]: must be a finite number, got infinity");
}

static void a_number_is_in_its_range(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"hz\": 0}",
            "hz: must be from 1 to 1000, got 0");
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"hz\": 1000.5}",
            "hz: must be from 1 to 1000, got 1000.5");
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"substeps\": 65}",
            "substeps: must be from 1 to 64, got 65");
    invalid(METHOD_WORLD_STEP, "{\"world\": \"w\", \"ticks\": 0}",
            "ticks: must be from 1 to 100000, got 0");
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"gravity\": [0, 10001]}",
            "gravity[1]: must be from -10000 to 10000, got 10001");
    invalid(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [], \"mass\": -1}",
            "mass: must be from 0 to 1000000000000, got -1");
    invalid(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [], \"position\": [2e6, 0]}",
            "position[0]: must be from -1000000 to 1000000, got 2000000");
    invalid(METHOD_WORLD_SUBSCRIBE, "{\"world\": \"w\", \"rate\": -1}",
            "rate: must be from 0.01 to 1000, got -1");
}

static void an_integer_is_whole(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_STEP, "{\"world\": \"w\", \"ticks\": 1.5}",
            "ticks: expected an integer, got 1.5");
    invalid(METHOD_WORLD_STEP, "{\"world\": \"w\", \"ticks\": \"1\"}",
            "ticks: expected an integer, got str");
}

static void an_id_is_a_positive_integer_below_2_to_53(void **state)
{
    (void)state;
    invalid(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": 0}",
            "body: must be from 1 to 9007199254740991, got 0");
    invalid(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": -3}",
            "body: must be from 1 to 9007199254740991, got -3");
    invalid(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": 9007199254740992}",
            "body: must be from 1 to 9007199254740991, got 9007199254740992");
    invalid(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": {\"$uint\": \"18446744073709551615\"}}",
            "body: must be from 1 to 9007199254740991, got 18446744073709551615");
    invalid(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": 9007199254740993}",
            "body: must be from 1 to 9007199254740991, got 9007199254740993");
    invalid(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": -9007199254740993}",
            "body: must be from 1 to 9007199254740991, got -9007199254740993");
    invalid(METHOD_WORLD_APPLY,
            "{\"world\": \"w\", \"commands\": [[\"body.remove\", {\"body\": {\"$\": "
            "9007199254740993}}]]}",
            "commands[0].body: {\"$\": 9007199254740993} is not an earlier command of "
            "this batch");
    invalid(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": 2.5}",
            "body: expected an integer, got 2.5");
    invalid(METHOD_BODY_GET, "{\"world\": \"w\", \"body\": \"ball\"}",
            "body: expected an id, got str");
}

static void a_vector_is_two_numbers(void **state)
{
    (void)state;
    invalid(METHOD_BODY_IMPULSE, "{\"world\": \"w\", \"body\": 1, \"impulse\": 5}",
            "impulse: expected [x, y], got int");
    invalid(METHOD_BODY_IMPULSE, "{\"world\": \"w\", \"body\": 1, \"impulse\": [1]}",
            "impulse: expected [x, y], got an array of 1");
    invalid(METHOD_BODY_IMPULSE, "{\"world\": \"w\", \"body\": 1, \"impulse\": [1, 2, 3]}",
            "impulse: expected [x, y], got an array of 3");
    invalid(METHOD_BODY_IMPULSE, "{\"world\": \"w\", \"body\": 1, \"impulse\": [1, \"2\"]}",
            "impulse[1]: expected a number, got str");
    invalid(METHOD_BODY_IMPULSE,
            "{\"world\": \"w\", \"body\": 1, \"impulse\": {\"x\": 1, \"y\": 2}}",
            "impulse: expected [x, y], got map");
}

static void an_area_has_its_lower_corner_first(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_VIEW, "{\"subscription\": 1, \"area\": [0, 0, 1]}",
            "area: expected [x0, y0, x1, y1], got an array of 3");
    invalid(METHOD_WORLD_VIEW, "{\"subscription\": 1, \"area\": [2, 0, 1, 1]}",
            "area: x0 <= x1 and y0 <= y1 in [x0, y0, x1, y1], got [2, 0, 1, 1]");
    invalid(METHOD_WORLD_SUBSCRIBE, "{\"world\": \"w\", \"area\": [0, 2, 1, 1]}",
            "area: x0 <= x1 and y0 <= y1 in [x0, y0, x1, y1], got [0, 2, 1, 1]");
    invalid(METHOD_WORLD_VIEW, "{\"subscription\": 1, \"area\": [0, 0, 1, 9e9]}",
            "area[3]: must be from -1000000 to 1000000, got 9000000000");
}

// ---- texts and words

static void a_world_s_name_is_of_its_letters(void **state)
{
    (void)state;
    char json[256];
    char name[WIRE_WORLD_NAME_MAX + 2];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0'; // 65 letters
    snprintf(json, sizeof json, "{\"world\": \"%s\"}", name);
    command c;
    error err;
    assert_int_equal(wording_decode(METHOD_WORLD_INFO, json, &c, &err), STATUS_INVALID_ARGUMENT);
    name[sizeof name - 2] = '\0'; // 64
    snprintf(json, sizeof json, "{\"world\": \"%s\"}", name);
    assert_int_equal(wording_decode(METHOD_WORLD_INFO, json, &c, &err), STATUS_OK);
    assert_string_equal(c.world, name);
    command_free(&c);
    invalid(METHOD_WORLD_INFO, "{\"world\": \"\"}",
            "world: expected a name of 1 to 64 of A-Z a-z 0-9 _ . -, got ''");
    invalid(METHOD_WORLD_INFO, "{\"world\": \"my world\"}",
            "world: expected a name of 1 to 64 of A-Z a-z 0-9 _ . -, got 'my world'");
    invalid(METHOD_WORLD_INFO, "{\"world\": \"a/b\"}",
            "world: expected a name of 1 to 64 of A-Z a-z 0-9 _ . -, got 'a/b'");
    invalid(METHOD_WORLD_INFO, "{\"world\": {\"$bin\": \"770078\"}}",
            "world: expected a name of 1 to 64 of A-Z a-z 0-9 _ . -, got 'w?x'");
    invalid(METHOD_WORLD_INFO, "{\"world\": 7}",
            "world: expected a name of 1 to 64 of A-Z a-z 0-9 _ . -, got int");
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"scene\": \"../etc/passwd\"}",
            "scene: expected a name of 1 to 64 of A-Z a-z 0-9 _ . -, got '../etc/passwd'");
}

static void a_text_is_utf_8_and_not_too_long(void **state)
{
    (void)state;
    char json[512];
    char tag[PHYSICS_TAG_BYTES_MAX + 2];
    memset(tag, 't', sizeof tag);
    tag[sizeof tag - 1] = '\0';
    snprintf(json, sizeof json, "{\"world\": \"w\", \"shapes\": [], \"tag\": \"%s\"}", tag);
    refuse(METHOD_BODY_SPAWN, json, STATUS_LIMIT_EXCEEDED,
           "tag: must have at most 64 bytes, got 65");
    invalid(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [], \"tag\": {\"$bin\": \"ff\"}}",
            "tag: must be UTF-8 without zero bytes");
    invalid(METHOD_BODY_SPAWN,
            "{\"world\": \"w\", \"shapes\": [], \"tag\": {\"$bin\": \"610062\"}}",
            "tag: must be UTF-8 without zero bytes");
    invalid(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [], \"tag\": 5}",
            "tag: expected a string, got int");
}

static void a_word_is_one_of_those_there_are(void **state)
{
    (void)state;
    invalid(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [], \"type\": \"fixed\"}",
            "type: unknown word 'fixed'; expected static|kinematic|dynamic");
    invalid(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": [], \"type\": 2}",
            "type: expected static|kinematic|dynamic, got int");
    invalid(METHOD_WORLD_CREATE, "{\"world\": \"w\", \"durability\": \"disk\"}",
            "durability: unknown word 'disk'; expected none|normal|full|replicated");
    invalid(METHOD_WORLD_SUBSCRIBE, "{\"world\": \"w\", \"encoding\": \"json\"}",
            "encoding: unknown word 'json'; expected plain|packed|log");
    invalid(
        METHOD_JOINT_CREATE, "{\"world\": \"w\", \"kind\": \"glue\", \"a\": 1, \"b\": 2}",
        "kind: unknown word 'glue'; expected revolute|prismatic|distance|weld|wheel|motor|mouse|"
        "filter|gear|pulley");
}

static void a_list_of_words_has_each_once(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_SUBSCRIBE, "{\"world\": \"w\", \"events\": [\"begin\", \"begin\"]}",
            "events[1]: is there twice");
    invalid(METHOD_WORLD_SUBSCRIBE, "{\"world\": \"w\", \"events\": \"begin\"}",
            "events: expected an array of words, got str");
    invalid(METHOD_WORLD_SUBSCRIBE, "{\"world\": \"w\", \"events\": [\"end\", \"bounce\"]}",
            "events[1]: unknown word 'bounce'; expected begin|stay|end|hit|sensor_begin|sensor_end|"
            "sleep|wake|spawn|remove|joint_break|freeze|message|join|leave");
}

// ---- shapes

static void a_shape_is_a_map_with_a_known_kind(void **state)
{
    (void)state;
    invalid(METHOD_BODY_SPAWN, "{\"world\": \"w\", \"shapes\": {}}",
            "shapes: expected an array of shapes, got map");
    invalid_shape("[]", "shapes[1]: expected a map {kind, …}, got array");
    invalid_shape("{\"radius\": 1}", "shapes[1]: argument kind is missing; expected one of circle, "
                                     "box, polygon, capsule, segment, chain");
    invalid_shape("{\"kind\": \"disc\"}", "shapes[1].kind: unknown word 'disc'; expected one of "
                                          "circle, box, polygon, capsule, segment, chain");
    invalid_shape("{\"kind\": 1}", "shapes[1].kind: expected one of circle, box, polygon, capsule, "
                                   "segment, chain, got int");
}

static void a_shape_has_what_its_kind_needs_and_nothing_else(void **state)
{
    (void)state;
    invalid_shape("{\"kind\": \"circle\"}",
                  "shapes[1]: argument radius is missing; expected a number");
    invalid_shape("{\"kind\": \"segment\", \"a\": [0, 0]}",
                  "shapes[1]: argument b is missing; expected [x, y]");
    invalid_shape("{\"kind\": \"segment\", \"a\": [0, 0], \"b\": [1, 0], \"radius\": 1}",
                  "shapes[1]: unknown argument 'radius'; segment takes kind, a, b, density, "
                  "friction, restitution, rolling_resistance, tangent_speed, sensor, filter, "
                  "events, one_way");
    invalid_shape("{\"$map\": [[\"kind\", \"circle\"], [\"radius\", 1], [\"radius\", 2]]}",
                  "shapes[1]: argument radius is there twice");
}

static void a_shape_s_numbers_are_named_with_their_path(void **state)
{
    (void)state;
    invalid_shape("{\"kind\": \"circle\", \"radius\": 0}",
                  "shapes[1].radius: must be from 0.0005 to 10000, got 0");
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"center\": [\"a\", 0]}",
                  "shapes[1].center[0]: expected a number, got str");
    invalid_shape("{\"kind\": \"box\", \"size\": [1, -1]}",
                  "shapes[1].size[1]: must be from 0.001 to 20000, got -1");
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"restitution\": 1.1}",
                  "shapes[1].restitution: must be from 0 to 1, got 1.1");
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"friction\": {\"$float\": \"nan\"}}",
                  "shapes[1].friction: must be a finite number, got NaN");
}

static void a_shape_s_points_are_named_with_their_path(void **state)
{
    (void)state;
    invalid_shape("{\"kind\": \"polygon\", \"vertices\": [\"a\", [1, 0], [0, 1]]}",
                  "shapes[1].vertices[0]: expected [x, y], got str");
    invalid_shape("{\"kind\": \"polygon\", \"vertices\": [[0, 0], [1, 0, 0], [0, 1]]}",
                  "shapes[1].vertices[1]: expected [x, y], got an array of 3");
    invalid_shape("{\"kind\": \"polygon\", \"vertices\": [[0, 0], [1, 0], [0, null]]}",
                  "shapes[1].vertices[2][1]: expected a number, got nil");
    invalid_shape("{\"kind\": \"polygon\", \"vertices\": [[0, 0], [1, 0]]}",
                  "shapes[1].vertices: must have 3 to 8 elements, got 2");
    invalid_shape("{\"kind\": \"chain\", \"vertices\": [[0, 0]]}",
                  "shapes[1].vertices: must have 2 to 1024 elements, got 1");
}

static void a_polygon_of_too_many_points_is_over_a_limit(void **state)
{
    (void)state;
    refuse(METHOD_BODY_SPAWN,
           "{\"world\": \"w\", \"shapes\": [{\"kind\": \"polygon\", \"vertices\": [[0,0],[1,0],"
           "[2,1],[2,2],[1,3],[0,3],[-1,2],[-1,1],[-0.5,0.4]]}]}",
           STATUS_LIMIT_EXCEEDED, "shapes[0].vertices: must have 3 to 8 elements, got 9");
}

static void assert_refused_shape(const char *shape)
{
    char json[1024];
    command c;
    error err = {0};
    snprintf(json, sizeof json, "{\"world\": \"w\", \"shapes\": [%s]}", shape);
    assert_int_equal(wording_decode(METHOD_BODY_SPAWN, json, &c, &err), STATUS_INVALID_ARGUMENT);
    assert_int_equal(strncmp(err.text, "shapes[0]: ", 11), 0);
}

static void a_shape_without_area_or_length_is_refused(void **state)
{
    (void)state;
    assert_refused_shape("{\"kind\": \"polygon\", \"vertices\": [[0, 0], [1, 1], [2, 2]]}");
    assert_refused_shape("{\"kind\": \"polygon\", \"vertices\": [[1, 1], [1, 1], [1, 1]]}");
    assert_refused_shape("{\"kind\": \"segment\", \"a\": [1, 1], \"b\": [1, 1]}");
    assert_refused_shape("{\"kind\": \"chain\", \"vertices\": [[0, 0], [0, 0]]}");
    assert_refused_shape("{\"kind\": \"chain\", \"vertices\": [[0, 0], [1, 0]], \"loop\": true}");
    assert_refused_shape("{\"kind\": \"chain\", \"vertices\": [[0, 0], [1, 0]], \"sensor\": true}");
}

static void a_filter_s_parts_are_masks_and_a_group(void **state)
{
    (void)state;
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"filter\": 1}",
                  "shapes[1].filter: expected a map of arguments, got int");
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"mask\": \"all\"}}",
                  "shapes[1].filter.mask: expected a mask of 64 bits, got str");
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"mask\": 1.5}}",
                  "shapes[1].filter.mask: expected a mask of 64 bits, got the float 1.5; write it "
                  "as an integer");
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"mask\": 1e19}}",
                  "shapes[1].filter.mask: expected a mask of 64 bits, got the float 1e+19; write "
                  "it as an integer");
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"group\": 3e9}}",
                  "shapes[1].filter.group: must be from -2147483648 to 2147483647, got 3000000000");
    invalid_shape("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"bits\": 1}}",
                  "shapes[1].filter: unknown argument 'bits'; filter takes category, mask, group");
}

static void a_body_has_at_most_1024_shapes(void **state)
{
    (void)state;
    enum { ONE = 40 };
    char *json = malloc(64 + 1025 * ONE);
    assert_non_null(json);
    char *at = json + sprintf(json, "{\"world\": \"w\", \"shapes\": [");
    for (int i = 0; i < 1025; i++) {
        at += sprintf(at, "%s{\"kind\":\"circle\",\"radius\":1}", i == 0 ? "" : ",");
    }
    memcpy(at, "]}", 3);
    refuse(METHOD_BODY_SPAWN, json, STATUS_LIMIT_EXCEEDED,
           "shapes: must have 0 to 1024 elements, got 1025");
    free(json);
}

static void a_query_s_shape_is_a_form_alone(void **state)
{
    (void)state;
    invalid(METHOD_QUERY_OVERLAP,
            "{\"world\": \"w\", \"shape\": {\"kind\": \"circle\", \"radius\": 1, \"density\": 2}}",
            "shape: unknown argument 'density'; circle takes kind, radius, center");
    invalid(METHOD_QUERY_OVERLAP,
            "{\"world\": \"w\", \"shape\": {\"kind\": \"chain\", \"vertices\": [[0, 0], [1, 0]]}}",
            "shape.kind: a chain is not allowed here");
    invalid(METHOD_QUERY_OVERLAP, "{\"world\": \"w\"}",
            "give exactly one of area, shape and point");
    invalid(METHOD_QUERY_OVERLAP, "{\"world\": \"w\", \"area\": [0, 0, 1, 1], \"point\": [0, 0]}",
            "give exactly one of area, shape and point");
}

// ---- commands without an effect

static void setting_nothing_is_refused(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_SET, "{\"world\": \"w\"}",
            "nothing to set; give gravity, sleep, players or another setting");
    invalid(METHOD_BODY_SET, "{\"world\": \"w\", \"body\": 1}",
            "nothing to set; give position, velocity or another property");
    invalid(METHOD_JOINT_SET, "{\"world\": \"w\", \"joint\": 1}",
            "nothing to set; give motor_speed, target or another property");
}

static void an_echo_has_a_limit(void **state)
{
    (void)state;
    char *json = malloc(WIRE_ECHO_BYTES_MAX + 64);
    assert_non_null(json);
    char *at = json + sprintf(json, "{\"any\": \"");
    memset(at, 'x', WIRE_ECHO_BYTES_MAX);
    memcpy(at + WIRE_ECHO_BYTES_MAX, "\"}", 3);
    refuse(METHOD_PING, json, STATUS_LIMIT_EXCEEDED,
           "any: must have at most 65536 bytes of MessagePack");
    at = json + sprintf(json, "{\"world\": \"w\", \"key\": \"k\", \"value\": \"");
    memset(at, 'x', WIRE_ECHO_BYTES_MAX);
    memcpy(at + WIRE_ECHO_BYTES_MAX, "\"}", 3);
    refuse(METHOD_DATA_SET, json, STATUS_LIMIT_EXCEEDED,
           "value: must have at most 65536 bytes of MessagePack (data_value_bytes)");
    free(json);
}

// ---- batches

static void late_says_what_becomes_of_a_batch_for_a_tick(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_APPLY, "{\"world\": \"w\", \"commands\": [], \"late\": \"next\"}",
            "late: needs a tick (at) that may be over");
    invalid(METHOD_WORLD_APPLY,
            "{\"world\": \"w\", \"commands\": [], \"at\": 3, \"late\": \"nxt\"}",
            "late: unknown word 'nxt'; did you mean 'next'? expected refuse|next|drop");
}

static void a_batch_s_element_is_a_method_and_its_arguments(void **state)
{
    (void)state;
    invalid(METHOD_WORLD_APPLY, "{\"world\": \"w\", \"commands\": {}}",
            "commands: expected an array of [method, arguments], got map");
    refuse_batch("5", STATUS_INVALID_ARGUMENT,
                 "commands[1]: expected [method, arguments], got int");
    refuse_batch("[\"body.remove\"]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: expected [method, arguments], got an array of another length");
    refuse_batch("[7, {}]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: the method's name must be a string, got int");
    refuse_batch("[\"body.remove\", 5]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: expected a map of arguments, got int");
}

static void a_batch_s_method_exists_and_may_stand_there(void **state)
{
    (void)state;
    refuse_batch("[\"body.explode\", {}]", STATUS_UNKNOWN_METHOD,
                 "commands[1]: there is no method 'body.explode'");
    refuse_batch("[\"world.pause\", {}]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: world.pause is not allowed in world.apply");
    refuse_batch("[\"world.apply\", {\"commands\": []}]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: world.apply is not allowed in world.apply");
    refuse_batch("[\"world.state\", {}]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: world.state is not allowed in world.apply");
    refuse_batch("[\"ping\", {}]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: ping is not allowed in world.apply");
}

static void a_batch_s_errors_have_the_whole_path(void **state)
{
    (void)state;
    refuse_batch("[\"body.spawn\", {\"shapes\": [{\"kind\": \"polygon\", \"vertices\":"
                 " [[0, 0], [1, \"x\"], [0, 1]]}]}]",
                 STATUS_INVALID_ARGUMENT,
                 "commands[1].shapes[0].vertices[1][1]: expected a number, got str");
    refuse_batch("[\"body.remove\", {}]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: argument body is missing; expected an id");
    refuse_batch("[\"body.set\", {\"body\": 1}]", STATUS_INVALID_ARGUMENT,
                 "commands[1]: nothing to set; give position, velocity or another property");
}

static void a_batch_is_of_one_world(void **state)
{
    (void)state;
    refuse_batch("[\"body.remove\", {\"body\": 1, \"world\": \"v\"}]", STATUS_INVALID_ARGUMENT,
                 "commands[1].world: a command acts on the world of its batch, w; leave world out");
}

static void a_batch_has_at_most_1000_commands(void **state)
{
    (void)state;
    char *json = malloc(64 + 1001 * 40);
    assert_non_null(json);
    char *at = json + sprintf(json, "{\"world\": \"w\", \"commands\": [");
    for (int i = 0; i < 1001; i++) {
        at += sprintf(at, "%s[\"body.remove\",{\"body\":1}]", i == 0 ? "" : ",");
    }
    memcpy(at, "]}", 3);
    refuse(METHOD_WORLD_APPLY, json, STATUS_LIMIT_EXCEEDED,
           "commands: must have 0 to 1000 elements, got 1001");
    free(json);
}

static void a_reference_is_to_an_earlier_maker_of_such_a_thing(void **state)
{
    (void)state;
    refuse_batch("[\"body.remove\", {\"body\": {\"$\": 1}}]", STATUS_INVALID_ARGUMENT,
                 "commands[1].body: {\"$\": 1} is not an earlier command of this batch");
    refuse_batch("[\"body.remove\", {\"body\": {\"$\": -1}}]", STATUS_INVALID_ARGUMENT,
                 "commands[1].body: {\"$\": -1} is not an earlier command of this batch");
    refuse_batch("[\"body.remove\", {\"body\": {\"$\": 0.5}}]", STATUS_INVALID_ARGUMENT,
                 "commands[1].body: {\"$\": 0.5} is not an earlier command of this batch");
    refuse_batch("[\"joint.remove\", {\"joint\": {\"$\": 0}}]", STATUS_INVALID_ARGUMENT,
                 "commands[1].joint: {\"$\": 0} is body.spawn; it must be joint.create");
    refuse_batch("[\"shape.remove\", {\"shape\": {\"$\": 0}}]", STATUS_INVALID_ARGUMENT,
                 "commands[1].shape: {\"$\": 0} is body.spawn; it must be shape.add");
    refuse_batch("[\"body.remove\", {\"body\": {\"ref\": 0}}]", STATUS_INVALID_ARGUMENT,
                 "commands[1].body: expected an id, or {\"$\": index} of an earlier command");
}

static void a_reference_outside_a_batch_is_no_id(void **state)
{
    (void)state;
    invalid(METHOD_BODY_REMOVE, "{\"world\": \"w\", \"body\": {\"$\": 0}}",
            "body: expected an id, got map");
}

static void an_error_may_be_left_untold(void **state)
{
    (void)state;
    command c;
    assert_int_equal(wording_decode(METHOD_BODY_REMOVE, "{}", &c, NULL), STATUS_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_that_are_no_map_are_refused),
        cmocka_unit_test(an_unknown_argument_is_told_with_what_there_is),
        cmocka_unit_test(an_argument_that_is_there_twice_is_refused),
        cmocka_unit_test(a_key_that_is_no_text_is_refused),
        cmocka_unit_test(a_missing_argument_is_named),
        cmocka_unit_test(a_bool_is_a_bool),
        cmocka_unit_test(a_number_is_a_number),
        cmocka_unit_test(a_number_is_finite),
        cmocka_unit_test(a_number_is_in_its_range),
        cmocka_unit_test(an_integer_is_whole),
        cmocka_unit_test(an_id_is_a_positive_integer_below_2_to_53),
        cmocka_unit_test(a_vector_is_two_numbers),
        cmocka_unit_test(an_area_has_its_lower_corner_first),
        cmocka_unit_test(a_world_s_name_is_of_its_letters),
        cmocka_unit_test(a_text_is_utf_8_and_not_too_long),
        cmocka_unit_test(a_word_is_one_of_those_there_are),
        cmocka_unit_test(a_list_of_words_has_each_once),
        cmocka_unit_test(a_shape_is_a_map_with_a_known_kind),
        cmocka_unit_test(a_shape_has_what_its_kind_needs_and_nothing_else),
        cmocka_unit_test(a_shape_s_numbers_are_named_with_their_path),
        cmocka_unit_test(a_shape_s_points_are_named_with_their_path),
        cmocka_unit_test(a_polygon_of_too_many_points_is_over_a_limit),
        cmocka_unit_test(a_shape_without_area_or_length_is_refused),
        cmocka_unit_test(a_filter_s_parts_are_masks_and_a_group),
        cmocka_unit_test(a_body_has_at_most_1024_shapes),
        cmocka_unit_test(a_query_s_shape_is_a_form_alone),
        cmocka_unit_test(setting_nothing_is_refused),
        cmocka_unit_test(an_echo_has_a_limit),
        cmocka_unit_test(late_says_what_becomes_of_a_batch_for_a_tick),
        cmocka_unit_test(a_batch_s_element_is_a_method_and_its_arguments),
        cmocka_unit_test(a_batch_s_method_exists_and_may_stand_there),
        cmocka_unit_test(a_batch_s_errors_have_the_whole_path),
        cmocka_unit_test(a_batch_is_of_one_world),
        cmocka_unit_test(a_batch_has_at_most_1000_commands),
        cmocka_unit_test(a_reference_is_to_an_earlier_maker_of_such_a_thing),
        cmocka_unit_test(a_reference_outside_a_batch_is_no_id),
        cmocka_unit_test(an_error_may_be_left_untold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
