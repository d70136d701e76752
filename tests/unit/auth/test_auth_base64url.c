// base64url: valid text decodes, and nothing else does.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/auth/base64url.h"

static void check(const char *text, const char *bytes, size_t bytes_size)
{
    uint8_t out[64];
    size_t size = 99;
    assert_true(base64url_decode(text, strlen(text), out, sizeof out, &size));
    assert_int_equal(size, bytes_size);
    assert_memory_equal(out, bytes, bytes_size);
}

static void refuse(const char *text)
{
    uint8_t out[64];
    size_t size = 0;
    assert_false(base64url_decode(text, strlen(text), out, sizeof out, &size));
}

static void decode_vectors_of_rfc_4648(void **state)
{
    (void)state;
    check("", "", 0);
    check("Zg", "f", 1);
    check("Zm8", "fo", 2);
    check("Zm9v", "foo", 3);
    check("Zm9vYg", "foob", 4);
    check("Zm9vYmE", "fooba", 5);
    check("Zm9vYmFy", "foobar", 6);
    check("-_-_", "\xfb\xff\xbf", 3);
}

static void decode_other_texts_are_refused(void **state)
{
    (void)state;
    refuse("Z");
    refuse("Zm9vY");
    refuse("Zg==");
    refuse("Zm8=");
    refuse("Zm9v\n");
    refuse(" Zm9v");
    refuse("Zm9/");
    refuse("Zm9+");
    refuse("Zm9\xc3");
}

static void decode_bits_left_over_are_refused(void **state)
{
    (void)state;
    refuse("Zh");  // "Zg" with another last bit
    refuse("Zm9"); // "Zm8" with another last bit
    refuse("Zv");
}

static void decode_into_too_little_room_is_refused(void **state)
{
    (void)state;
    uint8_t out[2];
    size_t size = 0;
    assert_true(base64url_decode("Zm8", 3, out, 2, &size));
    assert_false(base64url_decode("Zm9v", 4, out, 2, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_vectors_of_rfc_4648),
        cmocka_unit_test(decode_other_texts_are_refused),
        cmocka_unit_test(decode_bits_left_over_are_refused),
        cmocka_unit_test(decode_into_too_little_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
