// Tables: columns as wide as their cells, counted in characters and not in bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "client/tool/table.h"

// The output of table_print; the caller frees it.
static char *printed(const table *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(table_print(t, out));
    assert_int_equal(fclose(out), 0);
    return text;
}

static void columns_are_aligned_by_their_heads(void **state)
{
    (void)state;
    static const char *const heads[] = {"NAME", ">BODIES", "TAG"};
    table t;
    table_init(&t, 3, heads);
    table_text(&t, "demo");
    table_format(&t, "%d", 42);
    table_text(&t, "x");
    table_text(&t, "yard-of-balls");
    table_number(&t, 1000.0);
    table_text(&t, "");
    char *text = printed(&t);
    assert_string_equal(text, "NAME           BODIES  TAG\n"
                              "demo               42  x\n"
                              "yard-of-balls    1000\n");
    free(text);
    table_deinit(&t);
}

static void width_is_counted_in_characters(void **state)
{
    (void)state;
    static const char *const heads[] = {"TAG", ">N"};
    table t;
    table_init(&t, 2, heads);
    table_text(&t, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    table_text(&t, "1");
    table_text(&t, "abcde");
    table_text(&t, "2");
    char *text = printed(&t);
    assert_string_equal(text, "TAG    N\n\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9   1\nabcde  2\n");
    free(text);
    table_deinit(&t);
}

static void controls_cannot_reach_the_terminal(void **state)
{
    (void)state;
    static const char *const heads[] = {"TAG"};
    table t;
    table_init(&t, 1, heads);
    table_text(&t, "\x1b[2Jx\n\x7f");
    char *text = printed(&t);
    assert_string_equal(text, "TAG\n?[2Jx??\n");
    free(text);
    table_deinit(&t);
}

static void numbers_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0"},       {-0.0, "0"},    {1.5, "1.5"},
                 {-2.25, "-2.25"}, {100.0, "100"}, {1.0 / 3.0, "0.333333"},
                 {-1e-9, "0"}};
    static const char *const heads[] = {"N"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        table t;
        table_init(&t, 1, heads);
        table_number(&t, cases[i].value);
        assert_string_equal(t.cells[1], cases[i].text);
        table_deinit(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned_by_their_heads),
        cmocka_unit_test(width_is_counted_in_characters),
        cmocka_unit_test(controls_cannot_reach_the_terminal),
        cmocka_unit_test(numbers_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
