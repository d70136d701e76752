// The line of a value in a JSON text, by the path that an error names.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/tool/json_line.h"

static const char text[] = "{\"name\": \"a [{\\\" b\",\n"  // 1
                           " \"commands\": [\n"            // 2
                           "  [\"x\", {\"y\": [1, 2]}],\n" // 3
                           "  {\"for\": {}, \"do\": [\n"   // 4
                           "   [\"x\", {}],\n"             // 5
                           "   [\"x\", {}]\n"              // 6
                           "  ]}\n"                        // 7
                           " ]}\n";

static void line_of_the_longest_path_that_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int line;
    } cases[] = {{"commands[0]: why", 3},
                 {"commands[1]: why", 4},
                 {"commands[1].do[0]", 5},
                 {"commands[1].do[1] (i = 2): shapes[0].radius: why", 6},
                 {"commands[1].else[1]: why", 4}, // no such block
                 {"commands[7]: why", 2},         // no such entry
                 {"name: why", 1},
                 {"world: why", 0},
                 {"why", 0},
                 {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(json_line(text, cases[i].path), cases[i].line);
    }
}

static void line_of_a_broken_text_ends_too(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "{",
                                        "{\"commands\"",
                                        "{\"commands\": [",
                                        "[[[[",
                                        "\"a",
                                        "{\"commands\": [{\"do\": [\"",
                                        "{\"commands\":,}",
                                        "]"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_true(json_line(texts[i], "commands[1].do[2]") <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_of_the_longest_path_that_is_there),
        cmocka_unit_test(line_of_a_broken_text_ends_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
