// Words of a command line: numbers are read whole or not at all; spelling; widths.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args/text.h"

static void number_plain_decimal_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0.0},  {"-1.5", -1.5},  {"+2", 2.0},       {".5", 0.5},
                 {"5.", 5.0}, {"1e3", 1000.0}, {"-2.5E-1", -0.25}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = -99.0;
        assert_true(text_to_number(cases[i].text, &value));
        assert_true(value == cases[i].value);
    }
}

static void number_anything_else_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",     "-",   ".",   "e3",    "1.5x", "1 ",  " 1",
                                        "0x10", "inf", "nan", "1e999", "1,2",  "--1", "1e+"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = -99.0;
        assert_false(text_to_number(texts[i], &value));
        assert_true(value == -99.0);
    }
}

static void whole_is_up_to_two_to_the_53(void **state)
{
    (void)state;
    uint64_t value = 0;
    assert_true(text_to_whole("9007199254740992", &value));
    assert_true(value == UINT64_C(9007199254740992));
    assert_true(text_to_whole("0", &value));
    assert_int_equal(value, 0);
    assert_false(text_to_whole("9007199254740993", &value));
    assert_false(text_to_whole("99999999999999999999", &value));
    assert_false(text_to_whole("-1", &value));
    assert_false(text_to_whole("1.0", &value));
    assert_false(text_to_whole("", &value));
}

static void numbers_need_exactly_their_count(void **state)
{
    (void)state;
    double v[4] = {9.0, 9.0, 9.0, 9.0};
    assert_true(text_to_numbers("1,-2.5", 2, v));
    assert_true(v[0] == 1.0 && v[1] == -2.5 && v[2] == 9.0);
    assert_true(text_to_numbers("-10,0,10,5", 4, v));
    assert_true(v[0] == -10.0 && v[3] == 5.0);
    assert_false(text_to_numbers("1", 2, v));
    assert_false(text_to_numbers("1,2,3", 2, v));
    assert_false(text_to_numbers("1,", 2, v));
    assert_false(text_to_numbers(",1", 2, v));
    assert_false(text_to_numbers("1, 2", 2, v));
    assert_false(text_to_numbers("1,2,3,4,5", 5, v));
}

static void size_needs_two_positive_numbers(void **state)
{
    (void)state;
    double v[2] = {0.0, 0.0};
    assert_true(text_to_size("80x24", v));
    assert_true(v[0] == 80.0 && v[1] == 24.0);
    assert_true(text_to_size("1.5x.5", v));
    assert_true(v[0] == 1.5 && v[1] == 0.5);
    assert_false(text_to_size("80", v));
    assert_false(text_to_size("80x", v));
    assert_false(text_to_size("0x5", v));
    assert_false(text_to_size("-1x5", v));
    assert_false(text_to_size("1x2x3", v));
}

static void seconds_know_their_units(void **state)
{
    (void)state;
    double v = 0.0;
    assert_true(text_to_seconds("5", &v) && v == 5.0);
    assert_true(text_to_seconds("1.5s", &v) && v == 1.5);
    assert_true(text_to_seconds("250ms", &v) && v == 0.25);
    assert_true(text_to_seconds("2m", &v) && v == 120.0);
    assert_true(text_to_seconds("1h", &v) && v == 3600.0);
    assert_true(text_to_seconds("0", &v) && v == 0.0);
    assert_false(text_to_seconds("-1s", &v));
    assert_false(text_to_seconds("5 s", &v));
    assert_false(text_to_seconds("5d", &v));
    assert_false(text_to_seconds("s", &v));
}

static void suggest_takes_the_nearest_or_none(void **state)
{
    (void)state;
    static const char *const words[] = {"watch", "worlds", "create", "completion", "set", "get"};
    assert_string_equal(text_suggest("wacth", words, 6), "watch");
    assert_string_equal(text_suggest("world", words, 6), "worlds");
    // the longer word begins with it
    assert_string_equal(text_suggest("comple", words, 6), "completion");
    assert_string_equal(text_suggest("sett", words, 6), "set");
    assert_string_equal(text_suggest("ge", words, 6), "get");
    // two words are equally near
    assert_null(text_suggest("wo", (const char *const[]){"worlds", "world"}, 2));
    static const char *const others[] = {"events", "call", "cast"};
    assert_null(text_suggest("clients", others, 3)); // three errors in seven letters
    assert_null(text_suggest("kill", others, 3));    // two errors in four letters
    assert_null(text_suggest("quux", words, 6));
    assert_null(text_suggest("x", words, 6));
    assert_null(text_suggest("", words, 6));
}

static void list_keeps_words_whole(void **state)
{
    (void)state;
    static const char *const words[] = {"begin", "end", "sensor_begin", "joint_break"};
    char out[64];
    text_list(words, 4, "or", out, sizeof out);
    assert_string_equal(out, "begin, end, sensor_begin or joint_break");
    text_list(words, 1, "or", out, sizeof out);
    assert_string_equal(out, "begin");
    text_list(words, 0, "or", out, sizeof out);
    assert_string_equal(out, "");
    text_list(words, 4, "or", out, 52);
    assert_string_equal(out, "begin, end and 2 more");
    for (size_t size = 1; size < sizeof out; size++) { // writing never passes the end
        memset(out, 'x', sizeof out);
        text_list(words, 4, "or", out, size);
        assert_true(strlen(out) < size);
    }
}

static void duration_is_told_as_a_clock_would(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *told;
    } cases[] = {{0.0, "0.0 s"},         {12.34, "12.3 s"},          {59.94, "59.9 s"},
                 {59.96, "1 min 00 s"},  {224.933333, "3 min 45 s"}, {3599.6, "1 h 00 min"},
                 {7500.0, "2 h 05 min"}, {86399.9, "1 d 00 h"},      {273600.0, "3 d 04 h"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[32];
        text_from_duration(cases[i].seconds, out, sizeof out);
        assert_string_equal(out, cases[i].told);
    }
}

static void columns_count_what_a_terminal_shows(void **state)
{
    (void)state;
    assert_int_equal(text_columns(""), 0);
    assert_int_equal(text_columns("abc"), 3);
    assert_int_equal(text_columns("caf\xc3\xa9"), 4);
    assert_int_equal(text_columns("cafe\xcc\x81"), 4);             // combining accent
    assert_int_equal(text_columns("\xe4\xb8\x96\xe7\x95\x8c"), 4); // two wide ones
    assert_int_equal(text_columns("\xe2\xa3\xbf"), 1);             // braille
    assert_int_equal(text_columns("\xff\xfe"), 2);                 // broken
}

static void next_refuses_what_is_no_utf8(void **state)
{
    (void)state;
    static const char *const broken[] = {"\xc0\x80",         "\xe0\x80\x80", "\xed\xa0\x80",
                                         "\xf4\x90\x80\x80", "\x80",         "\xe2\x82"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        const char *at = broken[i];
        assert_int_equal(text_next(&at), 0xfffd);
        assert_ptr_equal(at, broken[i] + 1);
    }
}

static void encode_and_next_are_inverse(void **state)
{
    (void)state;
    static const uint32_t characters[] = {1,      0x7f,   0x80,    0x7ff,   0x800,
                                          0x28ff, 0xffff, 0x10000, 0x10ffff};
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; i++) {
        char bytes[5];
        size_t size = text_encode(characters[i], bytes);
        const char *at = bytes;
        assert_int_equal(text_next(&at), characters[i]);
        assert_ptr_equal(at, bytes + size);
        assert_int_equal(text_next(&at), 0);
    }
}

static void units_suit_the_size(void **state)
{
    (void)state;
    char text[32];
    text_from_seconds(0.0000456, text, sizeof text);
    assert_string_equal(text, "45.6 us");
    text_from_seconds(0.01234, text, sizeof text);
    assert_string_equal(text, "12.3 ms");
    text_from_seconds(123.4, text, sizeof text);
    assert_string_equal(text, "123 s");
    text_from_bytes(999.0, text, sizeof text);
    assert_string_equal(text, "999 B");
    text_from_bytes(1234567.0, text, sizeof text);
    assert_string_equal(text, "1.23 MB");
    text_from_bytes(999999.0, text, sizeof text);
    assert_string_equal(text, "1.00 MB");
}

static char *printed(const char *head, size_t indent, const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    assert_non_null(file);
    text_print_help(file, head, indent, text);
    fclose(file);
    return out;
}

static void help_breaks_between_words_at_the_last_column(void **state)
{
    (void)state;
    char words[3 * TEXT_HELP_COLUMNS + 1];
    for (size_t length = 1; length < 3 * TEXT_HELP_COLUMNS; length++) { // words of seven letters
        for (size_t i = 0; i < length; i++) {
            words[i] = i % 8 == 7 && i + 1 < length ? ' ' : 'x';
        }
        words[length] = '\0';
        char *out = printed("  --name", 12, words);
        size_t kept = 0;
        for (const char *line = out; *line != '\0'; line += strcspn(line, "\n") + 1) {
            assert_true(strcspn(line, "\n") <= TEXT_HELP_COLUMNS);
            assert_true(strspn(line, " ") == 12 || line == out);
        }
        for (const char *at = out + 8; *at != '\0'; at++) {
            kept += *at == 'x';
        }
        for (size_t i = 0; i < length; i++) {
            kept -= words[i] == 'x';
        }
        assert_int_equal(kept, 0);
        free(out);
    }
    char *out = printed("  --long-name VALUE", 12, "text"); // a head beyond its column
    assert_string_equal(out, "  --long-name VALUE text\n");
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_plain_decimal_is_read),
        cmocka_unit_test(number_anything_else_is_refused),
        cmocka_unit_test(whole_is_up_to_two_to_the_53),
        cmocka_unit_test(numbers_need_exactly_their_count),
        cmocka_unit_test(size_needs_two_positive_numbers),
        cmocka_unit_test(seconds_know_their_units),
        cmocka_unit_test(suggest_takes_the_nearest_or_none),
        cmocka_unit_test(list_keeps_words_whole),
        cmocka_unit_test(duration_is_told_as_a_clock_would),
        cmocka_unit_test(columns_count_what_a_terminal_shows),
        cmocka_unit_test(next_refuses_what_is_no_utf8),
        cmocka_unit_test(encode_and_next_are_inverse),
        cmocka_unit_test(units_suit_the_size),
        cmocka_unit_test(help_breaks_between_words_at_the_last_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
