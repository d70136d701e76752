// Every row of the table of methods is filled as its scope requires.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/world/apply.h"
#include "common/world/method.h"
#include "proto/methods.h"

static bool is_for_a_world(method m)
{
    return method_scope_of(m) == SCOPE_WORLD_COMMAND || method_scope_of(m) == SCOPE_WORLD_READ;
}

static void row_every_method_has_a_name_found_by_it(void **state)
{
    (void)state;
    for (method m = 0; m < METHOD_COUNT; m++) {
        const char *name = method_wire_name(m);
        const method_info *info = method_find(name, strlen(name));
        assert_non_null(info);
        assert_int_equal(info->id, m);
        assert_int_equal(info->rights, method_role(m));
        assert_int_equal(info->scope, method_scope_of(m));
        assert_true(info->summary[0] != '\0' && info->result[0] != '\0');
        assert_true((info->list.args != NULL) == (info->list.count > 0));
    }
}

static void row_methods_of_a_world_and_no_others_are_applied(void **state)
{
    (void)state;
    for (method m = 0; m < METHOD_COUNT; m++) {
        assert_int_equal(apply_supports(m), is_for_a_world(m));
    }
    assert_false(apply_supports(METHOD_COUNT));
}

static void row_methods_of_a_batch_are_those_that_have_a_plan(void **state)
{
    (void)state;
    for (method m = 0; m < METHOD_COUNT; m++) {
        assert_int_equal(apply_batches(m), METHODS[m].batch);
        assert_true(!METHODS[m].batch || apply_supports(m));
    }
}

// A method whose arguments are more than the world's name has a decoder that checks them: otherwise
// invalid bytes would be accepted. test_method_ranges checks each argument.
static void row_methods_of_worlds_name_their_world_first(void **state)
{
    (void)state;
    for (method m = 0; m < METHOD_COUNT; m++) {
        if (is_for_a_world(m) || method_scope_of(m) == SCOPE_WORLD_HOST) {
            assert_true(METHODS[m].list.count > 0);
            assert_string_equal(METHODS[m].list.args[0].name, "world");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_every_method_has_a_name_found_by_it),
        cmocka_unit_test(row_methods_of_a_world_and_no_others_are_applied),
        cmocka_unit_test(row_methods_of_a_batch_are_those_that_have_a_plan),
        cmocka_unit_test(row_methods_of_worlds_name_their_world_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
