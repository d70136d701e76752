// The right to each method, for each role, alone and inside world.apply.
//
// The roles are those of the table; tests/integration/test_wire_rights.py repeats them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/command.h"

static void permit_each_method_asks_for_its_role(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        for (int held = 0; held < ROLE_COUNT; held++) {
            command c = {.method = (method)m};
            error err = {0};
            status s = command_permit(&c, (role)held, &err);
            if ((s == STATUS_OK) != ((role)held >= method_role((method)m))) {
                fail_msg("%s sent by %s", method_wire_name((method)m), role_name((role)held));
            }
            assert_true(s == STATUS_OK || s == STATUS_PERMISSION_DENIED);
        }
    }
}

// Tests the command between two that every sender of batches may send.
static void permit_batch_asks_for_the_role_of_each_command(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        command inner[3] = {
            {.method = METHOD_BODY_GET}, {.method = (method)m}, {.method = METHOD_BODY_SPAWN}};
        command batch = {.method = METHOD_WORLD_APPLY, .apply = {.commands = inner, .count = 3}};
        role least = method_role((method)m) > ROLE_PLAYER ? method_role((method)m) : ROLE_PLAYER;
        if (m == METHOD_WORLD_APPLY) {
            continue; // the decoder refuses a batch inside a batch
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
                        "commands[1]: world.set needs the role referee, this session is player");
    assert_int_equal(command_permit(&batch, ROLE_VIEWER, &err), STATUS_PERMISSION_DENIED);
    assert_string_equal(err.text, "world.apply needs the role player, this session is viewer");
    assert_int_equal(command_permit(&batch, ROLE_ADMIN, &err), STATUS_OK);
    assert_int_equal(command_permit(&batch, ROLE_NONE, NULL), STATUS_PERMISSION_DENIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permit_each_method_asks_for_its_role),
        cmocka_unit_test(permit_batch_asks_for_the_role_of_each_command),
        cmocka_unit_test(permit_refusal_names_the_command_and_both_roles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
