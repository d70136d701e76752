// UTF-8: every code point, and byte sequences that only look like one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/utf8.h"

// The plain rule of RFC 3629, against which the table of ranges is checked.
static size_t encode(uint32_t code, unsigned char *out)
{
    if (code < 0x80) {
        out[0] = (unsigned char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char LEADS[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size; i-- > 1;) {
        out[i] = (unsigned char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (unsigned char)(LEADS[size] | code);
    return size;
}

static void utf8_every_code_point_is_valid_but_surrogates(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        unsigned char bytes[4];
        size_t size = encode(code, bytes);
        assert_int_equal(utf8_valid(bytes, size), code < 0xD800 || code > 0xDFFF);
    }
}

static void utf8_above_the_last_code_point_is_invalid(void **state)
{
    (void)state;
    assert_false(utf8_valid("\xF4\x90\x80\x80", 4));
    assert_false(utf8_valid("\xF5\x80\x80\x80", 4));
    assert_false(utf8_valid("\xFF", 1));
}

static void utf8_overlong_form_is_invalid(void **state)
{
    (void)state;
    assert_false(utf8_valid("\xC0\x80", 2));
    assert_false(utf8_valid("\xC1\xBF", 2));
    assert_false(utf8_valid("\xE0\x9F\xBF", 3));
    assert_false(utf8_valid("\xF0\x8F\xBF\xBF", 4));
}

static void utf8_cut_character_is_invalid(void **state)
{
    (void)state;
    static const char TEXT[] = "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8E\xB1";
    size_t valid = 0;
    for (size_t size = 0; size < sizeof TEXT; size++) {
        valid += utf8_valid(TEXT, size);
    }
    // there are 14 sizes; 1 + 2 + 3 of them cut a character.
    assert_int_equal(sizeof TEXT, 15);
    assert_int_equal(valid, 15 - 6);
}

static void utf8_lone_continuation_is_invalid_wherever_it_is(void **state)
{
    (void)state;
    char text[40];
    for (size_t at = 0; at < sizeof text; at++) {
        memset(text, 'a', sizeof text);
        assert_true(utf8_valid(text, sizeof text));
        text[at] = '\x80';
        assert_false(utf8_valid(text, sizeof text));
    }
}

static void utf8_decode_gives_every_code_point_back(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint32_t code;
    } CASES[] = {{"a", 'a'},
                 {"\xC3\xA9", 0xE9},
                 {"\xE2\x80\xAE", 0x202E},
                 {"\xF0\x9F\x8E\xB1", 0x1F3B1},
                 {"\xF4\x8F\xBF\xBF", 0x10FFFF}};
    uint32_t code;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        size_t size = strlen(CASES[i].bytes);
        assert_int_equal(utf8_decode(CASES[i].bytes, size, &code), size);
        assert_int_equal(code, CASES[i].code);
        assert_int_equal(utf8_decode(CASES[i].bytes, size - 1, &code), 0);
    }
    assert_int_equal(utf8_decode("\xFF", 1, &code), 0);
}

static void utf8_acts_on_lines_by_control_separation_and_direction(void **state)
{
    (void)state;
    static const uint32_t ACTS[] = {0,      '\n',   0x1B,   0x7F,   0x85,   0x9F,   0x61C, 0x200E,
                                    0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069};
    static const uint32_t STANDS[] = {' ', '~', 0xA0, 0xE9, 0x5D0, 0x200D, 0x2027, 0x202F, 0x1F3B1};
    for (size_t i = 0; i < sizeof ACTS / sizeof *ACTS; i++) {
        assert_true(utf8_acts(ACTS[i]));
    }
    for (size_t i = 0; i < sizeof STANDS / sizeof *STANDS; i++) {
        assert_false(utf8_acts(STANDS[i]));
    }
}

static void utf8_quote_short_text_is_itself(void **state)
{
    (void)state;
    char out[UTF8_QUOTE_MAX];
    assert_string_equal(utf8_quote(out, "caf\xC3\xA9", 5), "caf\xC3\xA9");
    assert_string_equal(utf8_quote(out, "", 0), "");
}

static void utf8_quote_strange_bytes_are_question_marks(void **state)
{
    (void)state;
    char out[UTF8_QUOTE_MAX];
    assert_string_equal(utf8_quote(out, "a\n\x1b[1m\x7f\xFF\0b", 10), "a??[1m???b");
    assert_string_equal(utf8_quote(out, "a\xE2\x80\xAE\xE2\x80\xA8\xC2\x85z", 10), "a???z");
}

static void utf8_quote_long_text_is_cut_at_a_character(void **state)
{
    (void)state;
    char text[300];
    char out[UTF8_QUOTE_MAX];
    for (size_t lead = 0; lead < 4; lead++) {
        memset(text, 'a', lead);
        for (size_t i = lead; i + 3 <= sizeof text; i += 3) {
            static const char EURO[] = {'\xE2', '\x82', '\xAC'};
            memcpy(text + i, EURO, sizeof EURO);
        }
        size_t size = lead + 3 * 90;
        utf8_quote(out, text, size);
        size_t length = strlen(out);
        assert_true(length < UTF8_QUOTE_MAX && length > UTF8_QUOTE_MAX - 7);
        assert_true(utf8_valid(out, length));
        assert_string_equal(out + length - 3, "...");
    }
}

static void utf8_quote_text_that_just_fits_is_whole(void **state)
{
    (void)state;
    char text[UTF8_QUOTE_MAX + 1];
    char out[UTF8_QUOTE_MAX];
    memset(text, 'a', sizeof text);
    utf8_quote(out, text, UTF8_QUOTE_MAX - 4);
    assert_int_equal(strlen(out), UTF8_QUOTE_MAX - 4);
    assert_null(strstr(out, "..."));
    utf8_quote(out, text, UTF8_QUOTE_MAX);
    assert_int_equal(strlen(out), UTF8_QUOTE_MAX - 1);
    assert_non_null(strstr(out, "..."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_every_code_point_is_valid_but_surrogates),
        cmocka_unit_test(utf8_above_the_last_code_point_is_invalid),
        cmocka_unit_test(utf8_overlong_form_is_invalid),
        cmocka_unit_test(utf8_cut_character_is_invalid),
        cmocka_unit_test(utf8_lone_continuation_is_invalid_wherever_it_is),
        cmocka_unit_test(utf8_decode_gives_every_code_point_back),
        cmocka_unit_test(utf8_acts_on_lines_by_control_separation_and_direction),
        cmocka_unit_test(utf8_quote_short_text_is_itself),
        cmocka_unit_test(utf8_quote_strange_bytes_are_question_marks),
        cmocka_unit_test(utf8_quote_long_text_is_cut_at_a_character),
        cmocka_unit_test(utf8_quote_text_that_just_fits_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
