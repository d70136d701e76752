// The right to each method, for each role, alone and inside world.apply.
//
// The expected roles are written out here and not read from the table: a row whose role is changed
// by mistake fails, and so does a new method until its role is decided here too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/command.h"

static const struct {
    role least;
    bool decided;
} EXPECTED[METHOD_COUNT] = {
    [METHOD_HELLO] = {ROLE_NONE, true},
    [METHOD_PING] = {ROLE_NONE, true},
    [METHOD_GOODBYE] = {ROLE_NONE, true},
    [METHOD_SERVER_INFO] = {ROLE_VIEWER, true},
    [METHOD_SERVER_STATS] = {ROLE_VIEWER, true},
    [METHOD_SERVER_SESSIONS] = {ROLE_ADMIN, true},
    [METHOD_SERVER_KICK] = {ROLE_ADMIN, true},
    [METHOD_WORLD_CREATE] = {ROLE_ADMIN, true},
    [METHOD_WORLD_DESTROY] = {ROLE_ADMIN, true},
    [METHOD_WORLD_LIST] = {ROLE_VIEWER, true},
    [METHOD_WORLD_INFO] = {ROLE_VIEWER, true},
    [METHOD_WORLD_PAUSE] = {ROLE_ADMIN, true},
    [METHOD_WORLD_RESUME] = {ROLE_ADMIN, true},
    [METHOD_WORLD_STEP] = {ROLE_ADMIN, true},
    [METHOD_WORLD_SET] = {ROLE_ADMIN, true},
    [METHOD_WORLD_IMAGE] = {ROLE_ADMIN, true},
    [METHOD_WORLD_FORK] = {ROLE_ADMIN, true},
    [METHOD_WORLD_STATE] = {ROLE_VIEWER, true},
    [METHOD_WORLD_CONTACTS] = {ROLE_VIEWER, true},
    [METHOD_WORLD_APPLY] = {ROLE_PLAYER, true},
    [METHOD_WORLD_SUBSCRIBE] = {ROLE_VIEWER, true},
    [METHOD_WORLD_UNSUBSCRIBE] = {ROLE_VIEWER, true},
    [METHOD_WORLD_VIEW] = {ROLE_VIEWER, true},
    [METHOD_BODY_SPAWN] = {ROLE_PLAYER, true},
    [METHOD_BODY_REMOVE] = {ROLE_PLAYER, true},
    [METHOD_BODY_GET] = {ROLE_VIEWER, true},
    [METHOD_BODY_SET] = {ROLE_PLAYER, true},
    [METHOD_BODY_IMPULSE] = {ROLE_PLAYER, true},
    [METHOD_BODY_ANGULAR_IMPULSE] = {ROLE_PLAYER, true},
    [METHOD_BODY_FORCE] = {ROLE_PLAYER, true},
    [METHOD_BODY_TORQUE] = {ROLE_PLAYER, true},
    [METHOD_SHAPE_ADD] = {ROLE_PLAYER, true},
    [METHOD_SHAPE_SET] = {ROLE_PLAYER, true},
    [METHOD_SHAPE_REMOVE] = {ROLE_PLAYER, true},
    [METHOD_JOINT_CREATE] = {ROLE_PLAYER, true},
    [METHOD_JOINT_SET] = {ROLE_PLAYER, true},
    [METHOD_JOINT_REMOVE] = {ROLE_PLAYER, true},
    [METHOD_JOINT_GET] = {ROLE_VIEWER, true},
    [METHOD_JOINT_LIST] = {ROLE_VIEWER, true},
    [METHOD_QUERY_RAY] = {ROLE_VIEWER, true},
    [METHOD_QUERY_OVERLAP] = {ROLE_VIEWER, true},
    [METHOD_QUERY_CAST] = {ROLE_VIEWER, true},
    [METHOD_QUERY_NEAREST] = {ROLE_VIEWER, true},
};

static void permit_role_of_each_method_is_decided(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        if (!EXPECTED[m].decided) {
            fail_msg("say here which role %s asks for", method_wire_name((method)m));
        }
    }
}

static void permit_each_method_asks_for_its_role(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        for (int held = 0; held < ROLE_COUNT; held++) {
            command c = {.method = (method)m};
            error err = {0};
            status s = command_permit(&c, (role)held, &err);
            if ((s == STATUS_OK) != ((role)held >= EXPECTED[m].least)) {
                fail_msg("%s sent by %s", method_wire_name((method)m), role_name((role)held));
            }
            assert_true(s == STATUS_OK || s == STATUS_PERMISSION_DENIED);
        }
    }
}

// The command between two that everyone may send who may send a batch at all.
static void permit_batch_asks_for_the_role_of_each_command(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        command inner[3] = {
            {.method = METHOD_BODY_GET}, {.method = (method)m}, {.method = METHOD_BODY_SPAWN}};
        command batch = {.method = METHOD_WORLD_APPLY, .apply = {.commands = inner, .count = 3}};
        role least = EXPECTED[m].least > ROLE_PLAYER ? EXPECTED[m].least : ROLE_PLAYER;
        if (m == METHOD_WORLD_APPLY) {
            continue; // no batch holds a batch: the decoder refuses it
        }
        assert_int_equal(command_rights(&batch), least);
        for (int held = 0; held < ROLE_COUNT; held++) {
            error err = {0};
            status s = command_permit(&batch, (role)held, &err);
            if ((s == STATUS_OK) != ((role)held >= least)) {
                fail_msg("%s in a batch sent by %s", method_wire_name((method)m),
                         role_name((role)held));
            }
        }
    }
}

static void permit_refusal_names_the_command_and_both_roles(void **state)
{
    (void)state;
    command inner[2] = {{.method = METHOD_BODY_SPAWN}, {.method = METHOD_WORLD_SET}};
    command batch = {.method = METHOD_WORLD_APPLY, .apply = {.commands = inner, .count = 2}};
    error err = {0};
    assert_int_equal(command_permit(&batch, ROLE_PLAYER, &err), STATUS_PERMISSION_DENIED);
    assert_string_equal(err.text,
                        "commands[1]: world.set needs the role admin, this session is player");
    assert_int_equal(command_permit(&batch, ROLE_VIEWER, &err), STATUS_PERMISSION_DENIED);
    assert_string_equal(err.text, "world.apply needs the role player, this session is viewer");
    assert_int_equal(command_permit(&batch, ROLE_ADMIN, &err), STATUS_OK);
    assert_int_equal(command_permit(&batch, ROLE_NONE, NULL), STATUS_PERMISSION_DENIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permit_role_of_each_method_is_decided),
        cmocka_unit_test(permit_each_method_asks_for_its_role),
        cmocka_unit_test(permit_batch_asks_for_the_role_of_each_command),
        cmocka_unit_test(permit_refusal_names_the_command_and_both_roles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
