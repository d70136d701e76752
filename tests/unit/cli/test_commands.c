// The table of commands: complete and without contradictions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "client/cli/commands.h"

static void commands_have_all_that_help_shows(void **state)
{
    (void)state;
    for (size_t i = 0; i < cli_command_count; i++) {
        const cli_command *c = cli_commands[i];
        assert_non_null(c->name);
        assert_non_null(c->run);
        assert_true(strlen(c->summary) > 10 && strlen(c->summary) < 70);
        assert_non_null(strstr(c->examples, c->name)); // an example that shows it
        assert_ptr_equal(cli_command_find(c->name), c);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(cli_commands[k]->name, c->name);
        }
    }
    assert_null(cli_command_find("quux"));
    assert_string_equal(cli_command_suggest("spwan"), "spawn");
}

// No name or letter occurs twice in a command, or is that of a global option.
static void options_are_unambiguous(void **state)
{
    (void)state;
    for (size_t i = 0; i < cli_command_count; i++) {
        const args_option *list = cli_commands[i]->options;
        for (const args_option *o = list; o != NULL && o->name != NULL; o++) {
            assert_true(strlen(o->help) > 0);
            assert_int_equal(o->kind == ARGS_FLAG, o->value == NULL);
            assert_int_equal(o->kind == ARGS_CHOICE || o->kind == ARGS_KINDS, o->choices != NULL);
            for (const args_option *g = cli_globals; g->name != NULL; g++) {
                assert_string_not_equal(g->name, o->name);
                assert_true(o->letter == 0 || g->letter != o->letter);
            }
            for (const args_option *p = list; p != o; p++) {
                assert_string_not_equal(p->name, o->name);
                assert_true(o->letter == 0 || p->letter != o->letter);
            }
        }
    }
}

static void operands_optional_ones_come_last(void **state)
{
    (void)state;
    for (size_t i = 0; i < cli_command_count; i++) {
        bool optional = false;
        for (const args_operand *o = cli_commands[i]->operands; o != NULL && o->name != NULL; o++) {
            assert_false(optional && o->required);
            optional = optional || !o->required;
            assert_true(!o->repeated || (o + 1)->name == NULL);
        }
    }
}

static void aliases_find_their_command(void **state)
{
    (void)state;
    assert_ptr_equal(cli_command_find("ls"), &command_worlds);
    assert_ptr_equal(cli_command_find("rm"), &command_remove);
    for (size_t i = 0; i < cli_command_count; i++) {
        if (cli_commands[i]->alias != NULL) {
            assert_ptr_equal(cli_command_find(cli_commands[i]->alias), cli_commands[i]);
        }
    }
}

// Words of other tools suggest an existing command; words that resemble none suggest nothing.
static void suggestions_are_commands(void **state)
{
    (void)state;
    static const char *const words[] = {"clients", "delete", "status", "spwan", "push"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *meant = cli_command_suggest(words[i]);
        assert_non_null(meant);
        assert_non_null(cli_command_find(meant));
    }
    assert_string_equal(cli_command_suggest("clients"), "sessions");
    assert_null(cli_command_suggest("quux"));
    assert_string_equal(cli_command_suggest("kill"), "kick");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_have_all_that_help_shows),
        cmocka_unit_test(options_are_unambiguous),
        cmocka_unit_test(operands_optional_ones_come_last),
        cmocka_unit_test(aliases_find_their_command),
        cmocka_unit_test(suggestions_are_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
