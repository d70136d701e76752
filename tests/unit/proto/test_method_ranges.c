// The table's ranges, compared with the engine's: the engine accepts both ends of every number's
// documented range, and the decoder refuses values past either end, with their path.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/apply.h"
#include "proto/methods.h"
#include "tests/unit/proto/wording.h"

enum { JSON_MAX = 1024 };

// The other arguments that a valid call needs.
typedef struct base {
    const char *name;
    const char *json;
} base;

static unsigned tried;

static bool has_range(const method_arg *arg)
{
    return arg->type == ARG_NUMBER || arg->type == ARG_INTEGER || arg->type == ARG_VECTOR ||
           arg->type == ARG_AREA;
}

// The value as JSON, in every number of the argument.
static void write_value(char *out, size_t size, const method_arg *arg, double value)
{
    if (arg->type == ARG_VECTOR) {
        snprintf(out, size, "[%.17g, %.17g]", value, value);
    } else if (arg->type == ARG_AREA) {
        snprintf(out, size, "[%.17g, %.17g, %.17g, %.17g]", value, value, value, value);
    } else {
        snprintf(out, size, "%.17g", value);
    }
}

// Writes {"name": value, and other required arguments}.
static void write_arguments(char *out, size_t size, const method_arg *arg, double value,
                            const base *needed)
{
    char json[256];
    write_value(json, sizeof json, arg, value);
    int used = snprintf(out, size, "{\"%s\": %s", arg->name, json);
    for (const base *b = needed; b->name != NULL; b++) {
        if (strcmp(b->name, arg->name) != 0) {
            used += snprintf(out + used, size - (size_t)used, ", \"%s\": %s", b->name, b->json);
        }
    }
    snprintf(out + used, size - (size_t)used, "}");
}

static physics_world *populated(void)
{
    world_def def = world_def_default();
    physics_world *world;
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        body_def body = body_def_default();
        body_id id;
        body.position.x = i;
        assert_int_equal(body_create(world, &body, &id, NULL), STATUS_OK);
    }
    return world;
}

// Checks that the call is decoded and, if the engine executes it, accepted.
static void assert_taken(method m, const char *json)
{
    command c;
    command_result r;
    error err = {0};
    if (wording_decode(m, json, &c, &err) != STATUS_OK) {
        fail_msg("%s %s: refused by the decoder: %s", method_name(m), json, err.text);
    }
    if (apply_supports(m)) {
        physics_world *world = populated();
        if (apply_command(world, &c, &r, &err) != STATUS_OK) {
            fail_msg("%s %s: refused by the engine: %s", method_name(m), json, err.text);
        }
        command_result_free(&r);
        world_free(world);
    } else if (m == METHOD_WORLD_CREATE) {
        physics_world *world;
        assert_int_equal(world_create(&c.create.def, &world, NULL), STATUS_OK);
        world_free(world);
    }
    command_free(&c);
    tried++;
}

static void assert_refused(method m, const char *json, const char *path)
{
    command c;
    error err = {0};
    assert_int_equal(wording_decode(m, json, &c, &err), STATUS_INVALID_ARGUMENT);
    if (strncmp(err.text, path, strlen(path)) != 0) {
        fail_msg("%s %s: '%s' does not begin with '%s'", method_name(m), json, err.text, path);
    }
}

static double step_of(const method_arg *arg, double value)
{
    double size = value < 0 ? -value : value;
    return arg->type == ARG_INTEGER ? 1.0 : size > 0.0 ? size * 1e-6 : 1e-6;
}

static void try_argument(method m, const method_arg *arg, const base *needed)
{
    char json[JSON_MAX];
    write_arguments(json, sizeof json, arg, arg->min, needed);
    assert_taken(m, json);
    write_arguments(json, sizeof json, arg, arg->max, needed);
    assert_taken(m, json);
    write_arguments(json, sizeof json, arg, arg->max + step_of(arg, arg->max), needed);
    assert_refused(m, json, arg->name);
    write_arguments(json, sizeof json, arg, arg->min - step_of(arg, arg->min), needed);
    assert_refused(m, json, arg->name);
}

static void try_method(method m, const base *needed)
{
    const arg_list *list = &METHODS[m].list;
    for (uint32_t i = 0; i < list->count; i++) {
        if (has_range(&list->args[i]) && !list->args[i].routing) {
            try_argument(m, &list->args[i], needed);
        }
    }
}

// ---- methods

static void ranges_of_worlds_are_the_engine_s(void **state)
{
    (void)state;
    const base world[] = {{"world", "\"w\""}, {NULL, NULL}};
    try_method(METHOD_WORLD_CREATE, world);
    try_method(METHOD_WORLD_SET, world);
    try_method(METHOD_WORLD_STEP, world);
    const base view[] = {{"world", "\"w\""}, {"area", "[0, 0, 1, 1]"}, {NULL, NULL}};
    try_method(METHOD_WORLD_SUBSCRIBE, view);
}

static void ranges_of_bodies_are_the_engine_s(void **state)
{
    (void)state;
    const base spawn[] = {{"world", "\"w\""}, {"shapes", "[]"}, {NULL, NULL}};
    const base set[] = {{"world", "\"w\""}, {"body", "1"}, {NULL, NULL}};
    const base push[] = {{"world", "\"w\""}, {"body", "1"}, {"impulse", "[1, 0]"}, {NULL, NULL}};
    const base force[] = {{"world", "\"w\""}, {"body", "1"}, {"force", "[1, 0]"}, {NULL, NULL}};
    try_method(METHOD_BODY_SPAWN, spawn);
    try_method(METHOD_BODY_SET, set);
    try_method(METHOD_BODY_IMPULSE, push);
    try_method(METHOD_BODY_FORCE, force);
    try_method(METHOD_BODY_ANGULAR_IMPULSE, set);
    try_method(METHOD_BODY_TORQUE, set);
}

static void ranges_of_queries_are_the_engine_s(void **state)
{
    (void)state;
    const base ray[] = {{"world", "\"w\""}, {"from", "[0, 0]"}, {"to", "[1, 0]"}, {NULL, NULL}};
    const base cast[] = {{"world", "\"w\""},
                         {"from", "[0, 0]"},
                         {"to", "[1, 0]"},
                         {"shape", "{\"kind\": \"circle\", \"radius\": 1}"},
                         {NULL, NULL}};
    const base world[] = {{"world", "\"w\""}, {NULL, NULL}};
    const base point[] = {{"world", "\"w\""}, {"point", "[0, 0]"}, {NULL, NULL}};
    try_method(METHOD_QUERY_RAY, ray);
    try_method(METHOD_QUERY_CAST, cast);
    const arg_list *overlap = &METHODS[METHOD_QUERY_OVERLAP].list;
    for (uint32_t i = 0; i < overlap->count; i++) { // exactly one of area, shape and point
        if (has_range(&overlap->args[i]) && !overlap->args[i].routing) {
            const arg_type type = overlap->args[i].type;
            const bool place = type == ARG_AREA || type == ARG_VECTOR;
            try_argument(METHOD_QUERY_OVERLAP, &overlap->args[i], place ? world : point);
        }
    }
    try_method(METHOD_QUERY_NEAREST, point);
}

// ---- shapes

static void try_shape(enum method_shape kind, const base *needed)
{
    const arg_list *list = &METHOD_SHAPES[kind];
    for (uint32_t i = 0; i < list->count; i++) {
        const method_arg *arg = &list->args[i];
        const double values[] = {arg->min, arg->max, arg->min - step_of(arg, arg->min),
                                 arg->max + step_of(arg, arg->max)};
        // A box must not extend beyond the range of its corners' coordinates; a chain is one-sided
        // already.
        const bool bounded = (kind == METHOD_SHAPE_BOX && strcmp(arg->name, "center") == 0) ||
                             (kind == METHOD_SHAPE_CHAIN && strcmp(arg->name, "one_way") == 0);
        for (int v = bounded ? 2 : 0; has_range(arg) && v < 4; v++) {
            char shape[JSON_MAX], json[2 * JSON_MAX], path[64];
            write_arguments(shape, sizeof shape, arg, values[v], needed);
            snprintf(json, sizeof json, "{\"world\": \"w\", \"shapes\": [%s]}", shape);
            snprintf(path, sizeof path, "shapes[0].%s", arg->name);
            if (v < 2) {
                assert_taken(METHOD_BODY_SPAWN, json);
            } else {
                assert_refused(METHOD_BODY_SPAWN, json, path);
            }
        }
    }
}

static void ranges_of_shapes_are_the_engine_s(void **state)
{
    (void)state;
    const base for_circle[] = {{"kind", "\"circle\""}, {"radius", "1"}, {NULL, NULL}};
    const base for_box[] = {{"kind", "\"box\""}, {"size", "[1, 1]"}, {NULL, NULL}};
    const base for_polygon[] = {
        {"kind", "\"polygon\""}, {"vertices", "[[0, 0], [1, 0], [0, 1]]"}, {NULL, NULL}};
    const base for_capsule[] = {
        {"kind", "\"capsule\""}, {"a", "[0, 0]"}, {"b", "[1, 0]"}, {"radius", "1"}, {NULL, NULL}};
    const base for_segment[] = {
        {"kind", "\"segment\""}, {"a", "[0, 0]"}, {"b", "[1, 0]"}, {NULL, NULL}};
    const base for_chain[] = {
        {"kind", "\"chain\""}, {"vertices", "[[0, 0], [1, 0]]"}, {NULL, NULL}};
    try_shape(METHOD_SHAPE_CIRCLE, for_circle);
    try_shape(METHOD_SHAPE_BOX, for_box);
    try_shape(METHOD_SHAPE_POLYGON, for_polygon);
    try_shape(METHOD_SHAPE_CAPSULE, for_capsule);
    try_shape(METHOD_SHAPE_SEGMENT, for_segment);
    try_shape(METHOD_SHAPE_CHAIN, for_chain);
}

// ---- joints

static uint32_t field_of(const char *name)
{
    for (uint32_t bit = 0; bit < JOINT_FIELD_COUNT; bit++) {
        if (strcmp(joint_field_name((joint_field)(1u << bit)), name) == 0) {
            return 1u << bit;
        }
    }
    return 0;
}

// The arguments that each kind needs besides.
static const base *needs_of(joint_kind kind)
{
    static const base NONE[] = {{NULL, NULL}};
    static const base REVOLUTE[] = {{"anchor", "[0, 0]"}, {NULL, NULL}};
    static const base PRISMATIC[] = {{"axis", "[1, 0]"}, {NULL, NULL}};
    static const base MOUSE[] = {{"target", "[0, 0]"}, {NULL, NULL}};
    static const base PULLEY[] = {{"ground_a", "[0, 9]"}, {"ground_b", "[1, 9]"}, {NULL, NULL}};
    return kind == JOINT_REVOLUTE    ? REVOLUTE
           : kind == JOINT_PRISMATIC ? PRISMATIC
           : kind == JOINT_MOUSE     ? MOUSE
           : kind == JOINT_PULLEY    ? PULLEY
                                     : NONE;
}

static void try_joint(joint_kind kind, const method_arg *arg)
{
    char quoted[32];
    base needed[8] = {{"world", "\"w\""}, {"kind", quoted}, {"a", "1"}, {"b", "2"}};
    int count = 4;
    snprintf(quoted, sizeof quoted, "\"%s\"", joint_kind_name(kind));
    for (const base *b = needs_of(kind); b->name != NULL; b++) {
        bool local = strcmp(b->name, "anchor") == 0 && strncmp(arg->name, "anchor_", 7) == 0;
        if (!local) {
            needed[count++] = *b;
        }
    }
    needed[count] = (base){NULL, NULL};
    try_argument(METHOD_JOINT_CREATE, arg, needed);
}

// Each argument with the first kind that has it. Numbers whose range depends on the kind, or on the
// bodies, are left to test_joint_definitions of the engine.
static void ranges_of_joints_are_the_engine_s(void **state)
{
    (void)state;
    static const char *const OTHERWISE = "ratio length lower upper axis joint_a joint_b";
    const arg_list *list = &METHODS[METHOD_JOINT_CREATE].list;
    for (uint32_t i = 0; i < list->count; i++) {
        const method_arg *arg = &list->args[i];
        uint32_t field = field_of(arg->name);
        joint_kind kind = JOINT_REVOLUTE;
        if (field == 0 || !has_range(arg) || strstr(OTHERWISE, arg->name) != NULL) {
            continue;
        }
        while ((joint_kind_fields(kind) & field) == 0) {
            kind++;
        }
        try_joint(kind, arg);
    }
}

// joint.create has exactly the arguments that some kind has, and joint.set those that some kind can
// change.
static void joint_arguments_are_the_engine_s(void **state)
{
    (void)state;
    uint32_t all = 0, settable = 0, create = 0, set = 0;
    for (int kind = 0; kind < JOINT_KIND_COUNT; kind++) {
        all |= joint_kind_fields((joint_kind)kind);
        settable |= joint_kind_settable((joint_kind)kind);
    }
    for (uint32_t i = 0; i < METHODS[METHOD_JOINT_CREATE].list.count; i++) {
        create |= field_of(METHODS[METHOD_JOINT_CREATE].list.args[i].name);
    }
    for (uint32_t i = 0; i < METHODS[METHOD_JOINT_SET].list.count; i++) {
        set |= field_of(METHODS[METHOD_JOINT_SET].list.args[i].name);
    }
    assert_int_equal(create, all);
    assert_int_equal(set, settable);
}

static void enough_was_tried(void **state)
{
    (void)state;
    assert_true(tried > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_worlds_are_the_engine_s),
        cmocka_unit_test(ranges_of_bodies_are_the_engine_s),
        cmocka_unit_test(ranges_of_queries_are_the_engine_s),
        cmocka_unit_test(ranges_of_shapes_are_the_engine_s),
        cmocka_unit_test(ranges_of_joints_are_the_engine_s),
        cmocka_unit_test(joint_arguments_are_the_engine_s),
        cmocka_unit_test(enough_was_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
