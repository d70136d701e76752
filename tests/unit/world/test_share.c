// Tests of common/world/share.h: a player's share of a world's capacity.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/share.h"
#include "proto/methods.h"
#include "tests/unit/proto/wording.h"

#define BALL "{\"kind\":\"circle\",\"radius\":0.5}"

enum { BODIES = 8 };

static physics_world *world;
static owners *whose;
static capacity_limits most;
static uint64_t percent;

static int set_up(void **state)
{
    (void)state;
    world_def def = world_def_default();
    def.bodies_max = BODIES;
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    whose = owners_create();
    most = (capacity_limits){.bodies = 100, .shapes = 100, .joints = 100};
    percent = 50;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    owners_free(whose);
    world_free(world);
    return 0;
}

static actor player(const char *subject)
{
    actor a = {.role = ROLE_PLAYER};
    snprintf(a.subject, sizeof a.subject, "%s", subject);
    return a;
}

static status try_as(const actor *who, method m, const char *json, uint64_t *made, error *err)
{
    command c;
    command_result result;
    char named[1024];
    snprintf(named, sizeof named, "{\"world\":\"w\",%s", json + 1);
    if (wording_decode(m, named, &c, err) != STATUS_OK) {
        fail_msg("%s: %s", json, err->text);
    }
    command_own(&c, who->subject);
    status s = share_admit(world, &most, percent, whose, who, &c, err);
    if (s == STATUS_OK) {
        s = apply_command_as(world, whose, who, &c, &result, err);
    }
    if (s == STATUS_OK) {
        *made = m == METHOD_BODY_SPAWN ? result.spawn.body : 0;
        command_result_free(&result);
    }
    command_free(&c);
    return s;
}

static body_id spawn(const actor *who, const char *shapes)
{
    char json[256];
    error err = {0};
    uint64_t made = 0;
    snprintf(json, sizeof json, "{\"shapes\":[%s]}", shapes);
    if (try_as(who, METHOD_BODY_SPAWN, json, &made, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return made;
}

static void refuse(const actor *who, method m, const char *json, const char *text)
{
    error err = {0};
    uint64_t made = 0;
    assert_int_equal(try_as(who, m, json, &made, &err), STATUS_LIMIT_EXCEEDED);
    if (strncmp(err.text, text, strlen(text)) != 0) {
        fail_msg("'%s' does not begin with '%s'", err.text, text);
    }
}

static void everyone_who_comes_finds_room(void **state)
{
    (void)state;
    const actor ann = player("ann");
    const actor bob = player("bob");
    const actor eve = player("eve");
    for (int i = 0; i < BODIES / 2; i++) {
        spawn(&ann, BALL);
    }
    refuse(&ann, METHOD_BODY_SPAWN, "{\"shapes\":[" BALL "]}",
           "owner_share: this subject has 4 bodies, and 1 would be added; at most 4 may be one "
           "player's now");
    spawn(&bob, BALL);
    spawn(&bob, BALL);
    refuse(&bob, METHOD_BODY_SPAWN, "{\"shapes\":[" BALL "]}", "owner_share: this subject has 2");
    spawn(&eve, BALL);
    refuse(&eve, METHOD_BODY_SPAWN, "{\"shapes\":[" BALL "]}", "owner_share: this subject has 1 b");
}

static void removed_bodies_make_room_at_once(void **state)
{
    (void)state;
    const actor ann = player("ann");
    body_id last = 0;
    for (int i = 0; i < BODIES / 2; i++) {
        last = spawn(&ann, BALL);
    }
    char json[64];
    error err = {0};
    uint64_t made = 0;
    snprintf(json, sizeof json, "{\"body\":%llu}", (unsigned long long)last);
    assert_int_equal(try_as(&ann, METHOD_BODY_REMOVE, json, &made, &err), STATUS_OK);
    spawn(&ann, BALL);
}

// A batch counts as a whole.
static void batches_count_all_that_they_make(void **state)
{
    (void)state;
#define SPAWN "[\"body.spawn\",{\"shapes\":[" BALL "]}]"
    const actor ann = player("ann");
    refuse(&ann, METHOD_WORLD_APPLY,
           "{\"commands\":[" SPAWN "," SPAWN "," SPAWN "," SPAWN "," SPAWN "]}",
           "owner_share: this subject has 0 bodies, and 5 would be added; at most 4");
    error err = {0};
    uint64_t made = 0;
    assert_int_equal(
        try_as(&ann, METHOD_WORLD_APPLY, "{\"commands\":[" SPAWN "," SPAWN "]}", &made, &err),
        STATUS_OK);
    assert_int_equal(owners_bodies(whose, "ann"), 2);
    assert_int_equal(owners_bodies(whose, "bob"), 0);
#undef SPAWN
}

static void bodies_that_are_handed_over_are_no_way_round(void **state)
{
    (void)state;
    const actor ann = player("ann");
    char json[96];
    error err = {0};
    uint64_t made = 0;
    for (int i = 0; i < BODIES / 2; i++) {
        const body_id id = spawn(&ann, BALL);
        snprintf(json, sizeof json, "{\"body\":%llu,\"owner\":\"bob\"}", (unsigned long long)id);
        assert_int_equal(try_as(&ann, METHOD_BODY_SET, json, &made, &err), STATUS_OK);
    }
    const body_id own = spawn(&ann, BALL);
    spawn(&ann, BALL);
    snprintf(json, sizeof json, "{\"body\":%llu,\"owner\":\"\"}", (unsigned long long)own);
    refuse(&ann, METHOD_BODY_SET, json, "owner_share: 1 body would become another's");
    refuse(&ann, METHOD_BODY_SPAWN, "{\"shapes\":[" BALL "]}", "owner_share: this subject has 2");
}

static void shapes_and_joints_have_their_shares(void **state)
{
    (void)state;
    const actor ann = player("ann");
    const actor bob = player("bob");
    most.shapes = 8;
    most.joints = 2;
    char json[160];
    const body_id a = spawn(&ann, BALL "," BALL "," BALL);
    const body_id b = spawn(&ann, BALL);
    snprintf(json, sizeof json, "{\"body\":%llu,\"shape\":" BALL "}", (unsigned long long)a);
    refuse(&ann, METHOD_SHAPE_ADD, json, "owner_share: this subject has 4 shapes");
    spawn(&bob, BALL "," BALL);
    snprintf(json, sizeof json, "{\"kind\":\"weld\",\"a\":%llu,\"b\":%llu,\"anchor\":[0,0]}",
             (unsigned long long)a, (unsigned long long)b);
    error err = {0};
    uint64_t made = 0;
    if (try_as(&ann, METHOD_JOINT_CREATE, json, &made, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    refuse(&ann, METHOD_JOINT_CREATE, json, "owner_share: this subject has 1 joint,");
}

static void admins_and_a_share_of_all_have_no_bound(void **state)
{
    (void)state;
    actor root = player("root");
    root.role = ROLE_ADMIN;
    for (int i = 0; i < BODIES - 1; i++) {
        spawn(&root, BALL);
    }
    const actor ann = player("ann");
    refuse(&ann, METHOD_BODY_SPAWN, "{\"shapes\":[" BALL "]}",
           "owner_share: this subject has 0 bodies, and 1 would be added; at most 0");
    percent = 100;
    spawn(&ann, BALL);
}

// The answers do not reveal the number of objects elsewhere.
static void owner_who_sees_a_part_is_measured_alone(void **state)
{
    (void)state;
    const actor ann = player("ann");
    actor eve = player("eve");
    eve.confined = true;
    for (int i = 0; i < BODIES / 2; i++) {
        spawn(&ann, BALL);
    }
    for (int i = 0; i < BODIES / 2; i++) {
        spawn(&eve, BALL);
    }
    refuse(&eve, METHOD_BODY_SPAWN, "{\"shapes\":[" BALL "]}",
           "owner_share: this subject has 4 bodies, and 1 would be added; at most 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everyone_who_comes_finds_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(removed_bodies_make_room_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(batches_count_all_that_they_make, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bodies_that_are_handed_over_are_no_way_round, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(shapes_and_joints_have_their_shares, set_up, tear_down),
        cmocka_unit_test_setup_teardown(admins_and_a_share_of_all_have_no_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(owner_who_sees_a_part_is_measured_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
