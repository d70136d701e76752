// Pairs by owner: those that its commands made, counted again when it reaches the limit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/apply.h"
#include "server/world/tick/owner_crowds.h"

enum { MOST = 10 };

static const int64_t SECOND = 1000000000;

typedef struct fixture {
    physics_world *world;
    owners *owners;
    owner_crowds crowds;
    actor ann, root;
    error err;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.ann = {.role = ROLE_PLAYER, .subject = "ann"},
                  .root = {.role = ROLE_ADMIN, .subject = "root"}};
    world_def def = world_def_default();
    assert_int_equal(world_create(&def, &f.world, NULL), STATUS_OK);
    f.owners = owners_create();
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    owner_crowds_deinit(&f->crowds);
    owners_free(f->owners);
    world_free(f->world);
    return 0;
}

static body_id put(fixture *f, const char *owner, double x)
{
    shape_def shape = shape_def_default();
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.5f};
    command c = {
        .method = METHOD_BODY_SPAWN,
        .spawn = {.def = body_def_default(), .shapes = &shape, .shape_count = 1, .owner = owner}};
    c.spawn.def.position.x = x;
    command_result result;
    assert_int_equal(apply_command_as(f->world, f->owners, NULL, &c, &result, NULL), STATUS_OK);
    const body_id id = result.spawn.body;
    command_result_free(&result);
    return id;
}

static status admit(fixture *f, const actor *who, uint64_t pairs, int64_t now)
{
    return owner_crowds_admit(&f->crowds, f->world, f->owners, who, pairs, MOST, now, &f->err);
}

static void pairs_add_up_to_the_limit_and_the_text_says_both(void **state)
{
    fixture *f = *state;
    assert_int_equal(admit(f, &f->ann, MOST, SECOND), STATUS_OK);
    for (int i = 0; i < 5; i++) {
        put(f, "ann", 0.01 * i); // ten pairs
    }
    owner_crowds_note(&f->crowds, &f->ann, MOST);
    assert_int_equal(admit(f, &f->ann, 0, SECOND), STATUS_OK);
    assert_int_equal(admit(f, &f->ann, 1, SECOND), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(f->err.text, "pairs_per_owner: shapes of this subject make 10 pairs"));
    assert_non_null(strstr(f->err.text, "and 1 would be added; at most 10"));
    assert_int_equal(admit(f, &f->root, 1000, SECOND), STATUS_OK);
}

static void crowd_that_has_gone_apart_is_counted_anew_once_a_second(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 3; i++) {
        put(f, "ann", 10.0 * i); // the bodies no longer overlap
        put(f, "bob", 0.01 * i);
    }
    owner_crowds_note(&f->crowds, &f->ann, MOST);
    assert_int_equal(admit(f, &f->ann, 3, SECOND), STATUS_OK);
    // three pairs with bob's bodies, of which half count as hers
    assert_int_equal(f->crowds.list.data[0].pairs, 1);
    owner_crowds_note(&f->crowds, &f->ann, MOST);
    assert_int_equal(admit(f, &f->ann, 3, 2 * SECOND - 1), STATUS_LIMIT_EXCEEDED);
    assert_int_equal(admit(f, &f->ann, 3, 2 * SECOND), STATUS_OK);
}

static void owner_without_bodies_is_forgotten(void **state)
{
    fixture *f = *state;
    owner_crowds_note(&f->crowds, &f->ann, MOST);
    assert_int_equal(f->crowds.list.count, 1);
    assert_int_equal(admit(f, &f->ann, 1, SECOND), STATUS_OK);
    assert_int_equal(f->crowds.list.count, 0);
    owner_crowds_note(&f->crowds, &f->root, MOST);
    assert_int_equal(f->crowds.list.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pairs_add_up_to_the_limit_and_the_text_says_both, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(crowd_that_has_gone_apart_is_counted_anew_once_a_second,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(owner_without_bodies_is_forgotten, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
