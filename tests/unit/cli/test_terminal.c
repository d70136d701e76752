// Bytes from a terminal become keys, escape sequences included.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "client/cli/picture/terminal.h"

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
                 {"\x1b[3~q", KEY_NONE, 4}, // a key that means nothing here
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_every_form_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
