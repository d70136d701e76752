// The table of owners: its changes by commands, its bytes, and its bounds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/owners.h"

typedef struct fixture {
    physics_world *world;
    owners *owners;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    world_def def = world_def_default();
    assert_non_null(f);
    assert_int_equal(world_create(&def, &f->world, NULL), STATUS_OK);
    f->owners = owners_create();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    world_free(f->world);
    owners_free(f->owners);
    free(f);
    return 0;
}

static void carry_out(fixture *f, command *c, command_result *result)
{
    error err = {0};
    if (apply_command_as(f->world, f->owners, NULL, c, result, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static body_id spawn(fixture *f, const char *owner)
{
    command c = {.method = METHOD_BODY_SPAWN, .spawn = {.def = body_def_default(), .owner = owner}};
    command_result result;
    carry_out(f, &c, &result);
    body_id id = result.spawn.body;
    command_result_free(&result);
    return id;
}

static void hand_over(fixture *f, body_id body, const char *owner)
{
    command c = {.method = METHOD_BODY_SET, .body_set = {.body = body, .owner = owner}};
    command_result result;
    carry_out(f, &c, &result);
    command_result_free(&result);
}

static void remove_body(fixture *f, body_id body)
{
    command c = {.method = METHOD_BODY_REMOVE, .body = body};
    command_result result;
    carry_out(f, &c, &result);
    command_result_free(&result);
}

static void check_round_trip(const fixture *f)
{
    size_t size = owners_encoded_bytes(f->owners, f->world);
    uint8_t *bytes = malloc(size);
    owners *again = NULL;
    assert_non_null(bytes);
    owners_encode(f->owners, f->world, bytes);
    assert_int_equal(owners_decode(bytes, size, f->world, &again, NULL), STATUS_OK);
    for (body_id id = 0; (id = world_next_body(f->world, id)) != 0;) {
        assert_string_equal(owners_of(again, id), owners_of(f->owners, id));
    }
    assert_true(owners_encoded_bytes(again, f->world) <= size);
    owners_free(again);
    // A table cut anywhere, or with an additional byte, is refused.
    for (size_t cut = 0; cut < size; cut++) {
        assert_int_equal(owners_decode(bytes, cut, f->world, &again, NULL),
                         STATUS_INVALID_ARGUMENT);
    }
    bytes = realloc(bytes, size + 1);
    assert_non_null(bytes);
    bytes[size] = 0;
    assert_int_equal(owners_decode(bytes, size + 1, f->world, &again, NULL),
                     STATUS_INVALID_ARGUMENT);
    free(bytes);
}

static void spawned_body_has_its_owner_until_it_goes(void **state)
{
    fixture *f = *state;
    body_id ada = spawn(f, "ada");
    body_id nobody = spawn(f, NULL);
    body_id none = spawn(f, "");
    assert_string_equal(owners_of(f->owners, ada), "ada");
    assert_string_equal(owners_of(f->owners, nobody), "");
    assert_string_equal(owners_of(f->owners, none), "");
    assert_string_equal(owners_of(f->owners, 12345), "");
    check_round_trip(f);
    remove_body(f, ada);
    assert_string_equal(owners_of(f->owners, ada), "");
    // The new body takes the same slot.
    assert_string_equal(owners_of(f->owners, spawn(f, NULL)), "");
    check_round_trip(f);
}

static void body_is_handed_over_and_made_nobodys(void **state)
{
    fixture *f = *state;
    body_id id = spawn(f, "ada");
    hand_over(f, id, "bob");
    assert_string_equal(owners_of(f->owners, id), "bob");
    hand_over(f, id, "");
    assert_string_equal(owners_of(f->owners, id), "");
    hand_over(f, id, "ada");
    assert_string_equal(owners_of(f->owners, id), "ada");
    check_round_trip(f);
}

static void body_that_went_without_a_command_leaves_no_owner_to_its_slot(void **state)
{
    fixture *f = *state;
    body_id id = spawn(f, "ada");
    assert_int_equal(body_remove(f->world, id, NULL), STATUS_OK);
    body_id heir = spawn(f, NULL);
    assert_int_equal(heir & 0xFFFFFF, id & 0xFFFFFF);
    assert_string_equal(owners_of(f->owners, heir), "");
    check_round_trip(f);
}

static void names_that_nobody_has_any_more_make_room(void **state)
{
    fixture *f = *state;
    body_id id = spawn(f, "x");
    body_id other = spawn(f, "y");
    size_t before = owners_encoded_bytes(f->owners, f->world);
    for (int i = 0; i < 20000; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        hand_over(f, id, name);
        assert_string_equal(owners_of(f->owners, id), name);
        assert_string_equal(owners_of(f->owners, other), "y");
    }
    hand_over(f, id, "x");
    assert_int_equal(owners_encoded_bytes(f->owners, f->world), before);
    check_round_trip(f);
}

static void names_of_thousands_are_kept_apart(void **state)
{
    fixture *f = *state;
    body_id bodies[3000];
    char name[OWNER_BYTES_MAX + 1];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "%064d", i % 1000);
        bodies[i] = spawn(f, name);
    }
    for (int i = 0; i < 3000; i += 2) {
        remove_body(f, bodies[i]);
    }
    for (int i = 1; i < 3000; i += 2) {
        snprintf(name, sizeof name, "%064d", i % 1000);
        assert_string_equal(owners_of(f->owners, bodies[i]), name);
    }
    size_t size = owners_encoded_bytes(f->owners, f->world);
    assert_int_equal(size, 9 + 500 * 65 + 1500 * 12);
}

static void bytes_of_another_world_are_refused(void **state)
{
    fixture *f = *state;
    spawn(f, "ada");
    uint8_t bytes[64];
    size_t size = owners_encoded_bytes(f->owners, f->world);
    owners_encode(f->owners, f->world, bytes);
    owners *again = NULL;
    bytes[0] = 2; // version
    assert_int_equal(owners_decode(bytes, size, f->world, &again, NULL), STATUS_INVALID_ARGUMENT);
    bytes[0] = 1;
    bytes[6] = '\0'; // a zero in the name
    assert_int_equal(owners_decode(bytes, size, f->world, &again, NULL), STATUS_INVALID_ARGUMENT);
    bytes[6] = 'a';
    bytes[size - 4] = 1; // owner 1 of 1
    assert_int_equal(owners_decode(bytes, size, f->world, &again, NULL), STATUS_INVALID_ARGUMENT);
    bytes[size - 4] = 0;
    bytes[size - 12] = 9; // body 9
    assert_int_equal(owners_decode(bytes, size, f->world, &again, NULL), STATUS_INVALID_ARGUMENT);
    assert_null(again);
}

static void commands_own_what_they_spawn(void **state)
{
    (void)state;
    command one = {.method = METHOD_BODY_SPAWN};
    command_own(&one, "");
    assert_null(one.spawn.owner);
    command_own(&one, "ada");
    assert_string_equal(one.spawn.owner, "ada");
    command_own(&one, "bob");
    assert_string_equal(one.spawn.owner, "ada");
    command inner[2] = {{.method = METHOD_BODY_SPAWN, .spawn = {.owner = "eve"}},
                        {.method = METHOD_BODY_SPAWN}};
    command batch = {.method = METHOD_WORLD_APPLY, .apply = {.commands = inner, .count = 2}};
    command_own(&batch, "bob");
    assert_string_equal(inner[0].spawn.owner, "eve");
    assert_string_equal(inner[1].spawn.owner, "bob");
    command_free(&batch);
    command_free(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
        TEST(spawned_body_has_its_owner_until_it_goes),
        TEST(body_is_handed_over_and_made_nobodys),
        TEST(body_that_went_without_a_command_leaves_no_owner_to_its_slot),
        TEST(names_that_nobody_has_any_more_make_room),
        TEST(names_of_thousands_are_kept_apart),
        TEST(bytes_of_another_world_are_refused),
        cmocka_unit_test(commands_own_what_they_spawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
