// The table of commands: complete, without contradictions, and the same as the completion that is
// shipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"

static const char *completion_path;

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

// No name or letter twice in a command, nor one of the global options.
static void options_are_unambiguous(void **state)
{
    (void)state;
    for (size_t i = 0; i < cli_command_count; i++) {
        const args_option *list = cli_commands[i]->options;
        for (const args_option *o = list; o != NULL && o->name != NULL; o++) {
            assert_true(strlen(o->help) > 0);
            assert_int_equal(o->kind == ARGS_FLAG, o->value == NULL);
            assert_int_equal(o->kind == ARGS_CHOICE, o->choices != NULL);
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

static char *whole_file(const char *path)
{
    FILE *file = fopen(path, "rbe");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

// To renew the file: carom completion bash > client/cli/completion/carom.bash
static void completion_shipped_is_what_is_printed(void **state)
{
    (void)state;
    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    assert_non_null(out);
    completion_print_bash(out);
    assert_int_equal(fclose(out), 0);
    char *shipped = whole_file(completion_path);
    assert_string_equal(shipped, printed);
    free(shipped);
    free(printed);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: test_cli_commands carom.bash\n");
        return 2;
    }
    completion_path = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_have_all_that_help_shows),
        cmocka_unit_test(options_are_unambiguous),
        cmocka_unit_test(operands_optional_ones_come_last),
        cmocka_unit_test(completion_shipped_is_what_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
