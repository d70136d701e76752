// Bytes from a terminal become keys, escape sequences included.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "client/tool/terminal.h"

static void key_every_form_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int pressed;
        size_t used;
    } cases[] = {{"q", 'q', 1},
                 {"qx", 'q', 1},
                 {"\x1b[A", KEY_UP, 3},
                 {"\x1b[Bq", KEY_DOWN, 3},
                 {"\x1bOC", KEY_RIGHT, 3},
                 {"\x1b[1;5D", KEY_LEFT, 6}, // with a modifier
                 {"\x1b", KEY_ESCAPE, 1},
                 {"\x1bq", KEY_ESCAPE, 1},
                 {"\x1b[3~q", KEY_NONE, 4}, // a key without a meaning here
                 {"\x1b[", KEY_NONE, 2},
                 {"\xc3\xa9", KEY_NONE, 1},
                 {"", KEY_NONE, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t used = 99;
        assert_int_equal(key_parse(cases[i].bytes, strlen(cases[i].bytes), &used),
                         cases[i].pressed);
        assert_int_equal(used, cases[i].used);
    }
}

static void key_clicks_of_the_mouse_tell_their_cell(void **state)
{
    (void)state;
    size_t used = 0;
    int pressed = key_parse("\x1b[<0;12;34Mq", 12, &used);
    assert_int_equal(used, 11);
    assert_true(key_is_click(pressed));
    assert_int_equal(key_column(pressed), 11);
    assert_int_equal(key_row(pressed), 33);
    assert_false(key_is_click(KEY_UP));
    static const struct {
        const char *bytes;
        int pressed;
    } cases[] = {{"\x1b[<64;1;1M", KEY_WHEEL_UP}, {"\x1b[<65;1;1M", KEY_WHEEL_DOWN},
                 {"\x1b[<0;12;34m", KEY_NONE}, // the button was released
                 {"\x1b[<2;12;34M", KEY_NONE}, // another button
                 {"\x1b[<0;0;1M", KEY_NONE},      {"\x1b[<0;1;99999M", KEY_NONE},
                 {"\x1b[<0;1M", KEY_NONE},        {"\x1b[<0;1;4096M", KEY_NONE},
                 {"\x1b[<M", KEY_NONE},           {"\x1b[<0;1;", KEY_NONE},
                 {"\x1b[Z", KEY_BACKTAB},         {"\t", KEY_TAB}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(key_parse(cases[i].bytes, strlen(cases[i].bytes), &used),
                         cases[i].pressed);
        assert_int_equal(used, strlen(cases[i].bytes));
    }
}

static void lines_are_cut_at_the_width_and_say_so(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int columns;
        bool utf8;
        const char *printed;
    } cases[] = {
        {"one\ntwo", 3, true, "one\ntwo"},
        {"memory 24.8 MB\nup\n", 10, true, "memory 24\u2026\nup\n"},
        {"memory 24.8 MB\nup\n", 10, false, "memory 24>\nup\n"},
        {"\u00b5s \u00b5s", 5, true, "\u00b5s \u00b5s"}, // characters, not bytes
        {"\u00b5s \u00b5s", 4, true, "\u00b5s \u2026"},
        {"\x1b[1mabc\x1b[0m", 3, true, "\x1b[1mabc\x1b[0m"}, // sequences take no column
        {"\x1b[1mabc\x1b[0m d", 3, true, "\x1b[1mab\u2026\x1b[0m"},
        {"ab\n", 1, true, "\u2026\n"},
        {"", 1, true, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *printed = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&printed, &size);
        assert_non_null(out);
        terminal_print_cut(cases[i].text, cases[i].columns, cases[i].utf8, out);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(printed, cases[i].printed);
        free(printed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_every_form_is_known),
        cmocka_unit_test(key_clicks_of_the_mouse_tell_their_cell),
        cmocka_unit_test(lines_are_cut_at_the_width_and_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
