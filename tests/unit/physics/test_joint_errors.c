// Definitions of joints that are refused: each refusal has its status, names the setting, and
// changes nothing.
#include "tests/unit/physics/joint_rig.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    rig r;
    body_id a, b;
    uint64_t hash;
} fixture;

static fixture *setup(void)
{
    static fixture f;
    f.r = rig_open(-9.81);
    f.a = rig_box(&f.r, 0.0, 0.0, 1.0, 1.0);
    f.b = rig_box(&f.r, 2.0, 0.0, 1.0, 1.0);
    f.hash = world_hash(f.r.world);
    return &f;
}

// Checks that the definition is refused with that status and a text that contains the word.
static void refused(fixture *f, const joint_def *def, status wanted, const char *word)
{
    joint_id id = 77;
    error err = {.status = STATUS_OK};
    status s = joint_create(f->r.world, def, &id, &err);
    if (s != wanted || err.status != wanted || strstr(err.text, word) == NULL) {
        fail_msg("wanted %s with '%s', got %s: %s", status_code(wanted), word, status_code(s),
                 s == STATUS_OK ? "" : err.text);
    }
    assert_int_equal(id, 77);
    assert_int_equal(world_count(f->r.world).joints, 0);
    assert_true(world_hash(f->r.world) == f->hash);
}

// A valid definition of the kind.
static joint_def sound(const fixture *f, joint_kind kind)
{
    joint_def def = rig_def(kind, f->a, f->b);
    if (kind == JOINT_REVOLUTE) {
        def.fields = JOINT_FIELD_ANCHOR;
        def.anchor = (vec2d){1.0, 0.0};
    }
    if (kind == JOINT_PRISMATIC) {
        def.fields = JOINT_FIELD_AXIS;
    }
    if (kind == JOINT_MOUSE) {
        def.fields = JOINT_FIELD_TARGET;
    }
    if (kind == JOINT_PULLEY) {
        def.fields = JOINT_FIELD_GROUND_A | JOINT_FIELD_GROUND_B;
        def.ground_a = (vec2d){0.0, 5.0};
        def.ground_b = (vec2d){2.0, 5.0};
    }
    return def;
}

static void sound_definitions_of_all_kinds_are_accepted(void **state)
{
    (void)state;
    fixture *f = setup();
    for (joint_kind kind = 0; kind < JOINT_KIND_COUNT; kind++) {
        joint_def def = sound(f, kind);
        rig_join(&f->r, &def);
    }
    rig_step(&f->r, 10);
    assert_int_equal(world_count(f->r.world).joints, JOINT_KIND_COUNT);
    rig_close(&f->r);
}

static void field_that_the_kind_has_not_is_refused_by_name(void **state)
{
    (void)state;
    fixture *f = setup();
    for (joint_kind kind = 0; kind < JOINT_KIND_COUNT; kind++) {
        for (int bit = 0; bit < JOINT_FIELD_COUNT; bit++) {
            uint32_t field = 1u << bit;
            if ((joint_kind_fields(kind) & field) == 0) {
                joint_def def = sound(f, kind);
                def.fields |= field;
                refused(f, &def, STATUS_INVALID_ARGUMENT, joint_field_name((joint_field)field));
            }
        }
        joint_def def = sound(f, kind);
        def.fields |= 1u << 30;
        refused(f, &def, STATUS_INVALID_ARGUMENT, "unknown");
    }
    rig_close(&f->r);
}

static void kind_out_of_range_is_refused(void **state)
{
    (void)state;
    fixture *f = setup();
    joint_def def = sound(f, JOINT_WELD);
    def.kind = JOINT_KIND_COUNT;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "kind");
    assert_string_equal(joint_kind_name(JOINT_KIND_COUNT), "unknown");
    rig_close(&f->r);
}

static void bodies_missing_unknown_or_equal_are_refused_by_name(void **state)
{
    (void)state;
    fixture *f = setup();
    joint_def def = sound(f, JOINT_WELD);
    def.a = 0;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "a is missing");
    def = sound(f, JOINT_WELD);
    def.b = 0;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "b is missing");
    def.b = 999;
    refused(f, &def, STATUS_NOT_FOUND, "b: body 999");
    def.b = f->a;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "b: ");
    def = sound(f, JOINT_MOUSE);
    def.a = def.b = 0;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "b is missing");
    rig_close(&f->r);
}

static void numbers_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    fixture *f = setup();
    const struct {
        joint_kind kind;
        uint32_t field;
        size_t member;
        double value;
    } cases[] = {
        {JOINT_REVOLUTE, JOINT_FIELD_LOWER, offsetof(joint_def, lower), (double)NAN},
        {JOINT_REVOLUTE, JOINT_FIELD_LOWER, offsetof(joint_def, lower), (double)INFINITY},
        {JOINT_REVOLUTE, JOINT_FIELD_UPPER, offsetof(joint_def, upper), -(double)INFINITY},
        {JOINT_REVOLUTE, JOINT_FIELD_UPPER, offsetof(joint_def, upper), 2e6},
        {JOINT_REVOLUTE, JOINT_FIELD_MOTOR_SPEED, offsetof(joint_def, motor_speed), 1e5},
        {JOINT_REVOLUTE, JOINT_FIELD_MAX_TORQUE, offsetof(joint_def, max_torque), -1.0},
        {JOINT_REVOLUTE, JOINT_FIELD_REFERENCE_ANGLE, offsetof(joint_def, reference_angle),
         (double)NAN},
        {JOINT_REVOLUTE, JOINT_FIELD_TARGET_ANGLE, offsetof(joint_def, target_angle), 1e7},
        {JOINT_PRISMATIC, JOINT_FIELD_MAX_FORCE, offsetof(joint_def, max_force), 1e13},
        {JOINT_PRISMATIC, JOINT_FIELD_TARGET_TRANSLATION, offsetof(joint_def, target_translation),
         (double)INFINITY},
        {JOINT_DISTANCE, JOINT_FIELD_LENGTH, offsetof(joint_def, length), -1.0},
        {JOINT_DISTANCE, JOINT_FIELD_LENGTH, offsetof(joint_def, length), 0.001},
        {JOINT_DISTANCE, JOINT_FIELD_HERTZ, offsetof(joint_def, hertz), 2000.0},
        {JOINT_DISTANCE, JOINT_FIELD_DAMPING_RATIO, offsetof(joint_def, damping_ratio), -0.1},
        {JOINT_DISTANCE, JOINT_FIELD_LOWER, offsetof(joint_def, lower), -1.0},
        {JOINT_DISTANCE, JOINT_FIELD_UPPER, offsetof(joint_def, upper), -1.0},
        {JOINT_WELD, JOINT_FIELD_ANGULAR_HERTZ, offsetof(joint_def, angular_hertz), -1.0},
        {JOINT_WELD, JOINT_FIELD_ANGULAR_DAMPING_RATIO, offsetof(joint_def, angular_damping_ratio),
         101.0},
        {JOINT_WELD, JOINT_FIELD_BREAK_FORCE, offsetof(joint_def, break_force), -1.0},
        {JOINT_WELD, JOINT_FIELD_BREAK_TORQUE, offsetof(joint_def, break_torque), (double)NAN},
        {JOINT_GEAR, JOINT_FIELD_RATIO, offsetof(joint_def, ratio), 0.0},
        {JOINT_GEAR, JOINT_FIELD_RATIO, offsetof(joint_def, ratio), (double)NAN},
        {JOINT_PULLEY, JOINT_FIELD_RATIO, offsetof(joint_def, ratio), -1.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        joint_def def = sound(f, cases[i].kind);
        def.fields |= cases[i].field;
        *(double *)((char *)&def + cases[i].member) = cases[i].value;
        refused(f, &def, STATUS_INVALID_ARGUMENT, joint_field_name((joint_field)cases[i].field));
    }
    rig_close(&f->r);
}

static void places_not_finite_or_too_far_are_refused_by_name(void **state)
{
    (void)state;
    fixture *f = setup();
    joint_def def = sound(f, JOINT_REVOLUTE);
    def.anchor.x = (double)NAN;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "anchor");
    def = sound(f, JOINT_WELD);
    def.fields |= JOINT_FIELD_ANCHOR_A;
    def.anchor_a.y = 1e9;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "anchor_a");
    def = sound(f, JOINT_WELD);
    def.fields |= JOINT_FIELD_ANCHOR_B;
    def.anchor_b.y = -(double)INFINITY;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "anchor_b");
    def = sound(f, JOINT_MOUSE);
    def.target.x = 1e7;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "target");
    def = sound(f, JOINT_PULLEY);
    def.ground_b.x = (double)NAN;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "ground_b");
    def = sound(f, JOINT_MOTOR);
    def.fields |= JOINT_FIELD_VELOCITY;
    def.velocity.x = NAN;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "velocity");
    def = sound(f, JOINT_PRISMATIC);
    def.axis = (vec2){0.0f, 0.0f};
    refused(f, &def, STATUS_INVALID_ARGUMENT, "axis");
    def.axis = (vec2){INFINITY, 0.0f};
    refused(f, &def, STATUS_INVALID_ARGUMENT, "axis");
    rig_close(&f->r);
}

static void settings_that_contradict_are_refused_by_name(void **state)
{
    (void)state;
    fixture *f = setup();
    joint_def def = sound(f, JOINT_REVOLUTE);
    def.fields |= JOINT_FIELD_LOWER | JOINT_FIELD_UPPER;
    def.lower = 1.0;
    def.upper = 0.5;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "lower");
    def = sound(f, JOINT_REVOLUTE);
    def.fields |= JOINT_FIELD_ANCHOR_A;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "anchor");
    def = sound(f, JOINT_DISTANCE);
    def.fields |= JOINT_FIELD_LENGTH | JOINT_FIELD_UPPER;
    def.length = 1.0;
    def.upper = 2.0;
    refused(f, &def, STATUS_INVALID_ARGUMENT, "length");
    rig_close(&f->r);
}

static void settings_that_are_needed_are_asked_for_by_name(void **state)
{
    (void)state;
    fixture *f = setup();
    const struct {
        joint_kind kind;
        uint32_t field;
    } needed[] = {
        {JOINT_REVOLUTE, JOINT_FIELD_ANCHOR}, {JOINT_PRISMATIC, JOINT_FIELD_AXIS},
        {JOINT_MOUSE, JOINT_FIELD_TARGET},    {JOINT_PULLEY, JOINT_FIELD_GROUND_A},
        {JOINT_PULLEY, JOINT_FIELD_GROUND_B},
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        joint_def def = sound(f, needed[i].kind);
        def.fields &= ~needed[i].field;
        refused(f, &def, STATUS_INVALID_ARGUMENT, joint_field_name((joint_field)needed[i].field));
    }
    rig_close(&f->r);
}

static void rod_between_anchors_in_one_place_is_refused(void **state)
{
    (void)state;
    fixture *f = setup();
    joint_def def = sound(f, JOINT_DISTANCE);
    def.fields |= JOINT_FIELD_ANCHOR;
    def.anchor = (vec2d){1.0, 1.0};
    refused(f, &def, STATUS_INVALID_ARGUMENT, "length");
    def.fields |= JOINT_FIELD_UPPER; // a rope may have an upper limit
    def.upper = 1.0;
    rig_join(&f->r, &def);
    rig_step(&f->r, 60);
    rig_close(&f->r);
}

static void gear_on_wrong_joints_is_refused_by_name(void **state)
{
    (void)state;
    fixture *f = setup();
    joint_def hinge = rig_def_at(JOINT_REVOLUTE, f->r.ground, f->a, 0.0, 0.0);
    joint_def weld = rig_def_at(JOINT_WELD, f->r.ground, f->b, 0.0, 0.0);
    joint_id on_a = rig_join(&f->r, &hinge);
    joint_id welded = rig_join(&f->r, &weld);
    joint_def def = joint_def_default(JOINT_GEAR);
    error err;
    joint_id id;
    def.fields = JOINT_FIELD_JOINT_A;
    def.joint_a = on_a;
    assert_int_equal(joint_create(f->r.world, &def, &id, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "joint_b"));
    def.fields |= JOINT_FIELD_JOINT_B;
    def.joint_b = 12345;
    assert_int_equal(joint_create(f->r.world, &def, &id, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "joint_b"));
    def.joint_b = welded;
    assert_int_equal(joint_create(f->r.world, &def, &id, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "weld"));
    def.joint_b = on_a;
    assert_int_equal(joint_create(f->r.world, &def, &id, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "joint_b"));
    def.a = f->b; // f->b is not a body of joint_a
    assert_int_equal(joint_create(f->r.world, &def, &id, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "a: "));
    assert_int_equal(world_count(f->r.world).joints, 2);
    rig_close(&f->r);
}

static void set_refuses_what_is_fixed_and_changes_nothing(void **state)
{
    (void)state;
    fixture *f = setup();
    joint_def def = sound(f, JOINT_REVOLUTE);
    joint_id id = rig_join(&f->r, &def);
    uint64_t hash = world_hash(f->r.world);
    error err;
    assert_int_equal(joint_set(f->r.world, id, JOINT_FIELD_ANCHOR, &def, &err),
                     STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "anchor"));
    def.upper = 1.0;
    def.lower = 2.0;
    assert_int_equal(joint_set(f->r.world, id, JOINT_FIELD_UPPER, &def, &err), STATUS_OK);
    hash = world_hash(f->r.world);
    assert_int_equal(joint_set(f->r.world, id, JOINT_FIELD_LOWER, &def, &err),
                     STATUS_INVALID_ARGUMENT); // the new lower limit is above the present upper one
    assert_non_null(strstr(err.text, "lower"));
    assert_int_equal(joint_set(f->r.world, id, JOINT_FIELD_LENGTH, &def, &err),
                     STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "length"));
    assert_true(world_hash(f->r.world) == hash);
    rig_close(&f->r);
}

static void joint_that_is_gone_is_not_found(void **state)
{
    (void)state;
    fixture *f = setup();
    joint_def def = sound(f, JOINT_REVOLUTE);
    joint_id id = rig_join(&f->r, &def);
    joint_info info;
    error err;
    assert_int_equal(joint_remove(f->r.world, id, NULL), STATUS_OK);
    assert_int_equal(joint_remove(f->r.world, id, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "joint"));
    assert_int_equal(joint_get(f->r.world, id, &info, NULL), STATUS_NOT_FOUND);
    assert_int_equal(joint_set(f->r.world, id, 0, &def, NULL), STATUS_NOT_FOUND);
    joint_id again = rig_join(&f->r, &def); // the same slot, another id
    assert_true(again != id);
    assert_int_equal(joint_get(f->r.world, id, &info, NULL), STATUS_NOT_FOUND);
    rig_close(&f->r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_definitions_of_all_kinds_are_accepted),
        cmocka_unit_test(field_that_the_kind_has_not_is_refused_by_name),
        cmocka_unit_test(kind_out_of_range_is_refused),
        cmocka_unit_test(bodies_missing_unknown_or_equal_are_refused_by_name),
        cmocka_unit_test(numbers_out_of_range_are_refused_by_name),
        cmocka_unit_test(places_not_finite_or_too_far_are_refused_by_name),
        cmocka_unit_test(settings_that_contradict_are_refused_by_name),
        cmocka_unit_test(settings_that_are_needed_are_asked_for_by_name),
        cmocka_unit_test(rod_between_anchors_in_one_place_is_refused),
        cmocka_unit_test(gear_on_wrong_joints_is_refused_by_name),
        cmocka_unit_test(set_refuses_what_is_fixed_and_changes_nothing),
        cmocka_unit_test(joint_that_is_gone_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
