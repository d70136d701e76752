// The reader: every width of number, and every place at which bytes may end.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/reader.h"

#define BYTES(text) (text), sizeof(text) - 1

typedef struct number {
    const char *bytes;
    size_t size;
    double value;
    bool natural; // the value can be read as unsigned too
} number;

static const number NUMBERS[] = {
    {BYTES("\x00"), 0, true},
    {BYTES("\x7f"), 127, true},
    {BYTES("\xff"), -1, false},
    {BYTES("\xe0"), -32, false},
    {BYTES("\xcc\xff"), 255, true},
    {BYTES("\xcd\x01\x00"), 256, true},
    {BYTES("\xce\x80\x00\x00\x00"), 2147483648.0, true},
    {BYTES("\xcf\x00\x1f\xff\xff\xff\xff\xff\xff"), 9007199254740991.0, true},
    {BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), 18446744073709551615.0, true},
    {BYTES("\xd0\x80"), -128, false},
    {BYTES("\xd1\x80\x00"), -32768, false},
    {BYTES("\xd2\x80\x00\x00\x00"), -2147483648.0, false},
    {BYTES("\xd3\x80\x00\x00\x00\x00\x00\x00\x00"), -9223372036854775808.0, false},
    {BYTES("\xd3\x00\x00\x00\x00\x00\x00\x00\x05"), 5, true},
    {BYTES("\xca\x3f\xc0\x00\x00"), 1.5, false},
    {BYTES("\xca\x40\x40\x00\x00"), 3, true},
    {BYTES("\xca\x80\x00\x00\x00"), -0.0, true},
    {BYTES("\xcb\x40\x09\x21\xfb\x54\x44\x2d\x18"), 3.14159265358979312, false},
    {BYTES("\xcb\x43\x30\x00\x00\x00\x00\x00\x00"), 4503599627370496.0, true},
    {BYTES("\xcb\x43\xf0\x00\x00\x00\x00\x00\x00"), 18446744073709551616.0, false},
};

// A copy of exactly these bytes, so that a sanitizer sees a read past them.
static uint8_t *copy_of(const char *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static void number_of_every_width_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        const number *n = &NUMBERS[i];
        uint8_t *bytes = copy_of(n->bytes, n->size);
        reader r = reader_open(bytes, n->size);
        assert_true(reader_number(&r) == n->value);
        assert_true(!r.failed && r.at == r.end);
        r = reader_open(bytes, n->size);
        uint64_t natural = reader_unsigned(&r);
        assert_int_equal(r.failed, !n->natural);
        assert_true((double)natural == (n->natural ? n->value : 0));
        r = reader_open(bytes, n->size);
        reader_skip(&r);
        assert_true(!r.failed && r.at == r.end);
        free(bytes);
    }
}

static void number_that_is_cut_off_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        for (size_t size = 0; size < NUMBERS[i].size; size++) {
            uint8_t *bytes = copy_of(NUMBERS[i].bytes, size);
            reader r = reader_open(bytes, size);
            assert_true(reader_number(&r) == 0);
            assert_true(r.failed);
            assert_true(reader_number(&r) == 0); // and the error stays
            r = reader_open(bytes, size);
            reader_skip(&r);
            assert_true(r.failed);
            free(bytes);
        }
    }
}

static void number_that_is_not_finite_fails(void **state)
{
    (void)state;
    static const number CASES[] = {
        {BYTES("\xca\x7f\xc0\x00\x00"), 0, false},
        {BYTES("\xca\x7f\x80\x00\x00"), 0, false},
        {BYTES("\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"), 0, false},
        {BYTES("\xcb\xff\xf0\x00\x00\x00\x00\x00\x00"), 0, false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        reader r = reader_open(CASES[i].bytes, CASES[i].size);
        assert_true(reader_number(&r) == 0);
        assert_true(r.failed);
        r = reader_open(CASES[i].bytes, CASES[i].size);
        reader_unsigned(&r);
        assert_true(r.failed);
    }
}

static void other_type_than_expected_fails(void **state)
{
    (void)state;
    static const char TEXT[] = "\xa1x";
    static const char NUMBER[] = "\x05";
    reader r = reader_open(TEXT, 2);
    reader_number(&r);
    assert_true(r.failed);
    r = reader_open(NUMBER, 1);
    assert_int_equal(reader_get_text(&r).size, 0);
    assert_true(r.failed);
    r = reader_open(NUMBER, 1);
    assert_int_equal(reader_array(&r), 0);
    assert_true(r.failed);
    r = reader_open(NUMBER, 1);
    assert_int_equal(reader_map(&r), 0);
    assert_true(r.failed);
    r = reader_open(NUMBER, 1);
    assert_false(reader_bool(&r));
    assert_true(r.failed);
}

static void container_that_declares_more_than_there_is_fails(void **state)
{
    (void)state;
    reader r = reader_open("\xdd\x0f\xff\xff\xff", 5);
    assert_int_equal(reader_array(&r), 0);
    assert_true(r.failed);
    r = reader_open("\xdf\xff\xff\xff\xff\x01\x01", 7);
    assert_int_equal(reader_map(&r), 0);
    assert_true(r.failed);
    r = reader_open("\xdb\xff\xff\xff\xff", 5);
    assert_int_equal(reader_get_text(&r).size, 0);
    assert_true(r.failed);
    r = reader_open("\x92\x92\x01", 3);
    reader_skip(&r);
    assert_true(r.failed);
}

static void skipping_goes_over_whole_values(void **state)
{
    (void)state;
    static const char VALUES[] = "\x82\xa1"
                                 "a\x93\x01\xc0\xa1x\xa1"
                                 "b\x81\xa1"
                                 "c\xc4\x02zz\x2a";
    reader r = reader_open(VALUES, sizeof VALUES - 1);
    reader_skip(&r);
    assert_int_equal(reader_unsigned(&r), 42);
    assert_true(!r.failed && r.at == r.end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_of_every_width_is_read),
        cmocka_unit_test(number_that_is_cut_off_fails),
        cmocka_unit_test(number_that_is_not_finite_fails),
        cmocka_unit_test(other_type_than_expected_fails),
        cmocka_unit_test(container_that_declares_more_than_there_is_fails),
        cmocka_unit_test(skipping_goes_over_whole_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
