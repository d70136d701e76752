// base64: the examples of RFC 4648, every length, and every way to be wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/fleet/base64.h"

static void examples_of_the_rfc(void **state)
{
    static const char *const PAIRS[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    (void)state;
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        char text[16];
        base64_encode(PAIRS[i][0], strlen(PAIRS[i][0]), text);
        assert_string_equal(text, PAIRS[i][1]);
    }
}

static void all_bytes_return(void **state)
{
    uint8_t data[256];
    uint8_t back[300];
    char text[BASE64_SIZE(256) + 1];
    (void)state;
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * 151 + 7);
    }
    for (size_t size = 0; size <= sizeof data; size++) {
        size_t got = 0;
        base64_encode(data, size, text);
        assert_int_equal(strlen(text), BASE64_SIZE(size));
        assert_true(base64_decode(text, strlen(text), back, &got));
        assert_int_equal(got, size);
        assert_memory_equal(back, data, size);
    }
}

static void other_texts_are_refused(void **state)
{
    static const char *const WRONG[] = {"Z",    "Zg",   "Zg=",  "Zg==Zg==", "Z===",
                                        "====", "Zh==", "Zm9=", "Zm-v",     "Zm_v",
                                        "Zm v", "Zg=a", "=Zg=", "Zm9vY",    "Zm\x80v"};
    (void)state;
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        uint8_t out[16];
        size_t size = 0;
        if (base64_decode(WRONG[i], strlen(WRONG[i]), out, &size)) {
            fail_msg("'%s' was decoded", WRONG[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_rfc),
        cmocka_unit_test(all_bytes_return),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
