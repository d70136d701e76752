// JSON and MessagePack, each way.
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proto/wire/json.h"
#include "proto/limits.h"
#include "tests/unit/proto/values.h"

#define BYTES(literal) literal, sizeof literal - 1

static void assert_packs(const char *text, const void *bytes, size_t size)
{
    buffer b;
    buffer_init(&b, 1 << 20);
    error err;
    if (json_text_to_msgpack(text, strlen(text), &b, &err) != STATUS_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    assert_int_equal(b.size, size);
    assert_memory_equal(b.data, bytes, size);
    buffer_deinit(&b);
}

static void assert_refuses(const char *text, status why, const char *says)
{
    buffer b;
    buffer_init(&b, 1 << 20);
    buffer_append(&b, "before", 6);
    error err;
    assert_int_equal(json_text_to_msgpack(text, strlen(text), &b, &err), why);
    if (strstr(err.text, says) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, says);
    }
    assert_int_equal(b.size, 6);
    assert_false(b.overflow);
    buffer_deinit(&b);
}

static void write_text(const void *bytes, size_t size, json_style style, buffer *text)
{
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    assert_int_equal(msgpack_unpack_next(&unpacked, bytes, size, &offset), MSGPACK_UNPACK_SUCCESS);
    error err;
    if (json_text_from_msgpack(&unpacked.data, style, text, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    msgpack_unpacked_destroy(&unpacked);
}

static void assert_writes(const void *bytes, size_t size, const char *expected)
{
    buffer text;
    buffer_init(&text, 1 << 20);
    write_text(bytes, size, JSON_STYLE_COMPACT, &text);
    buffer_append(&text, "", 1);
    assert_string_equal((const char *)text.data, expected);
    buffer_deinit(&text);
}

// ---- reading

static void text_of_every_json_type_is_packed(void **state)
{
    (void)state;
    assert_packs("null", BYTES("\xc0"));
    assert_packs("true", BYTES("\xc3"));
    assert_packs("false", BYTES("\xc2"));
    assert_packs("0", BYTES("\x00"));
    assert_packs("-1", BYTES("\xff"));
    assert_packs("300", BYTES("\xcd\x01\x2c"));
    assert_packs("-9223372036854775808", BYTES("\xd3\x80\x00\x00\x00\x00\x00\x00\x00"));
    assert_packs("1.5", BYTES("\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00"));
    assert_packs("1.0", BYTES("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"));
    assert_packs("\"caf\\u00e9\"", BYTES("\xa5"
                                         "caf\xc3\xa9"));
    assert_packs("\"a\\u0000b\"", BYTES("\xa3"
                                        "a\0b"));
    assert_packs("[]", BYTES("\x90"));
    assert_packs(" [1, [2]] ", BYTES("\x92\x01\x91\x02"));
    assert_packs("{}", BYTES("\x80"));
}

static void text_of_an_object_keeps_the_order_of_its_keys(void **state)
{
    (void)state;
    assert_packs("{\"z\": 1, \"a\": 2, \"m\": 3}", BYTES("\x83\xa1z\x01\xa1"
                                                         "a\x02\xa1m\x03"));
}

static void text_forms_are_packed(void **state)
{
    (void)state;
    assert_packs("{\"$bin\": \"00fF 10\"}", BYTES("\xc4\x03\x00\xff\x10"));
    assert_packs("{\"$bin\": \"\"}", BYTES("\xc4\x00"));
    assert_packs("{\"$uint\": \"18446744073709551615\"}",
                 BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"));
    assert_packs("{\"$uint\": \"0xffffffffffffffff\"}",
                 BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"));
    assert_packs("{\"$uint\": \"7\"}", BYTES("\x07"));
    assert_packs("{\"$float\": \"inf\"}", BYTES("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"));
    assert_packs("{\"$float\": \"-inf\"}", BYTES("\xcb\xff\xf0\x00\x00\x00\x00\x00\x00"));
    assert_packs("{\"$ext\": [-3, \"c1\"]}", BYTES("\xd4\xfd\xc1"));
    assert_packs("{\"$map\": [[1, 2], [1, 3]]}", BYTES("\x82\x01\x02\x01\x03"));
}

static void text_of_what_only_resembles_a_form_is_a_plain_map(void **state)
{
    (void)state;
    assert_packs("{\"$\": 3}", BYTES("\x81\xa1$\x03"));
    assert_packs("{\"$binary\": 3}", BYTES("\x81\xa7$binary\x03"));
    assert_packs("{\"$bin\": 1, \"x\": 2}", BYTES("\x82\xa4$bin\x01\xa1x\x02"));
}

static void text_of_a_malformed_form_is_refused(void **state)
{
    (void)state;
    assert_refuses("{\"$bin\": \"0\"}", STATUS_INVALID_ARGUMENT, "$bin");
    assert_refuses("{\"$bin\": \"0 0\"}", STATUS_INVALID_ARGUMENT, "$bin");
    assert_refuses("{\"$bin\": \"zz\"}", STATUS_INVALID_ARGUMENT, "$bin");
    assert_refuses("{\"$bin\": 5}", STATUS_INVALID_ARGUMENT, "$bin");
    assert_refuses("{\"$uint\": \"18446744073709551616\"}", STATUS_INVALID_ARGUMENT, "$uint");
    assert_refuses("{\"$uint\": \"0x10000000000000000\"}", STATUS_INVALID_ARGUMENT, "$uint");
    assert_refuses("{\"$uint\": \"-1\"}", STATUS_INVALID_ARGUMENT, "$uint");
    assert_refuses("{\"$uint\": \"1f\"}", STATUS_INVALID_ARGUMENT, "$uint");
    assert_refuses("{\"$uint\": \"0x\"}", STATUS_INVALID_ARGUMENT, "$uint");
    assert_refuses("{\"$uint\": 5}", STATUS_INVALID_ARGUMENT, "$uint");
    assert_refuses("{\"$float\": \"1\"}", STATUS_INVALID_ARGUMENT, "$float");
    assert_refuses("{\"$ext\": [128, \"\"]}", STATUS_INVALID_ARGUMENT, "$ext");
    assert_refuses("{\"$ext\": [1]}", STATUS_INVALID_ARGUMENT, "$ext");
    assert_refuses("{\"$map\": [[1]]}", STATUS_INVALID_ARGUMENT, "$map");
    assert_refuses("{\"$map\": 1}", STATUS_INVALID_ARGUMENT, "$map");
}

static void text_that_is_no_json_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_refuses("", STATUS_INVALID_ARGUMENT, "line 1, column 0");
    assert_refuses("{\n  \"a\": 1,\n  \"b\": oops\n}", STATUS_INVALID_ARGUMENT,
                   "line 3, column 11");
    assert_refuses("[1, 2", STATUS_INVALID_ARGUMENT, "line 1");
    assert_refuses("1 2", STATUS_INVALID_ARGUMENT, "line 1, column 3");
    assert_refuses("\"\xff\"", STATUS_INVALID_ARGUMENT, "line 1");
    assert_refuses("NaN", STATUS_INVALID_ARGUMENT, "line 1");
    assert_refuses("1e999", STATUS_INVALID_ARGUMENT, "line 1");
}

static void text_with_a_doubled_key_is_refused(void **state)
{
    (void)state;
    assert_refuses("{\"a\": 1, \"a\": 2}", STATUS_INVALID_ARGUMENT, "duplicate");
}

static void text_of_an_integer_beyond_64_signed_bits_is_told_of_uint(void **state)
{
    (void)state;
    assert_refuses("9223372036854775808", STATUS_INVALID_ARGUMENT, "$uint");
}

static void text_nested_at_the_limit_passes_and_deeper_is_refused(void **state)
{
    (void)state;
    char text[2 * WIRE_DEPTH_MAX + 3];
    memset(text, '[', WIRE_DEPTH_MAX);
    memset(text + WIRE_DEPTH_MAX, ']', WIRE_DEPTH_MAX);
    text[2 * WIRE_DEPTH_MAX] = '\0';
    uint8_t bytes[WIRE_DEPTH_MAX];
    memset(bytes, 0x91, sizeof bytes);
    bytes[WIRE_DEPTH_MAX - 1] = 0x90;
    assert_packs(text, bytes, sizeof bytes);
    memset(text, '[', WIRE_DEPTH_MAX + 1);
    memset(text + WIRE_DEPTH_MAX + 1, ']', WIRE_DEPTH_MAX + 1);
    text[2 * WIRE_DEPTH_MAX + 2] = '\0';
    assert_refuses(text, STATUS_LIMIT_EXCEEDED, "nested too deep");
}

static void text_nested_100000_deep_is_refused(void **state)
{
    (void)state;
    static char text[100001];
    memset(text, '[', sizeof text - 1);
    assert_refuses(text, STATUS_INVALID_ARGUMENT, "line 1");
}

static void text_that_does_not_fit_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 8);
    buffer_append(&b, "before", 6);
    error err;
    assert_int_equal(json_text_to_msgpack("[1, 2, 3]", 9, &b, &err), STATUS_LIMIT_EXCEEDED);
    assert_int_equal(b.size, 6);
    assert_false(b.overflow);
    buffer_deinit(&b);
}

// ---- writing

static void value_of_every_type_is_written(void **state)
{
    (void)state;
    assert_writes(BYTES("\xc0"), "null");
    assert_writes(BYTES("\xc2"), "false");
    assert_writes(BYTES("\xc3"), "true");
    assert_writes(BYTES("\x00"), "0");
    assert_writes(BYTES("\xd3\x80\x00\x00\x00\x00\x00\x00\x00"), "-9223372036854775808");
    assert_writes(BYTES("\xcf\x7f\xff\xff\xff\xff\xff\xff\xff"), "9223372036854775807");
    assert_writes(BYTES("\xcf\x80\x00\x00\x00\x00\x00\x00\x00"),
                  "{\"$uint\":\"9223372036854775808\"}");
    assert_writes(BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
                  "{\"$uint\":\"18446744073709551615\"}");
    assert_writes(BYTES("\xca\x3f\xc0\x00\x00"), "1.5");
    assert_writes(BYTES("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"), "1.0");
    assert_writes(BYTES("\xcb\x80\x00\x00\x00\x00\x00\x00\x00"), "-0.0");
    assert_writes(BYTES("\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a"), "0.1");
    assert_writes(BYTES("\xcb\x54\xb2\x49\xad\x25\x94\xc3\x7d"), "1e+100");
    assert_writes(BYTES("\xca\x7f\xc0\x00\x00"), "{\"$float\":\"nan\"}");
    assert_writes(BYTES("\xca\xff\x80\x00\x00"), "{\"$float\":\"-inf\"}");
    assert_writes(BYTES("\xa3"
                        "a\"\\"),
                  "\"a\\\"\\\\\"");
    assert_writes(BYTES("\xa5\n\t\x01\0\x1f"), "\"\\n\\t\\u0001\\u0000\\u001f\"");
    assert_writes(BYTES("\xa2\xc3\xa9"), "\"\xc3\xa9\"");
    assert_writes(BYTES("\xc4\x03\x00\xff\x10"), "{\"$bin\":\"00ff10\"}");
    assert_writes(BYTES("\xd4\xfd\xc1"), "{\"$ext\":[-3,\"c1\"]}");
    assert_writes(BYTES("\x92\x01\x90"), "[1,[]]");
    assert_writes(BYTES("\x82\xa1z\x01\xa1"
                        "a\x80"),
                  "{\"z\":1,\"a\":{}}");
}

static void map_that_no_object_can_be_is_written_as_pairs(void **state)
{
    (void)state;
    assert_writes(BYTES("\x81\x01\x02"), "{\"$map\":[[1,2]]}");
    assert_writes(BYTES("\x82\xa1x\x01\xa1x\x02"), "{\"$map\":[[\"x\",1],[\"x\",2]]}");
    assert_writes(BYTES("\x81\xa4$bin\xa2"
                        "00"),
                  "{\"$map\":[[\"$bin\",\"00\"]]}");
    assert_writes(BYTES("\x81\xa1\0\x01"), "{\"$map\":[[\"\\u0000\",1]]}");
    assert_writes(BYTES("\x81\xa1$\x01"), "{\"$\":1}");
}

static void indented_style_breaks_lines_but_not_vectors(void **state)
{
    (void)state;
    buffer text;
    buffer_init(&text, 1000);
    write_text(BYTES("\x83\xa1p\x92\x01\x02\xa1q\x91\xa1x\xa1r\x80"), JSON_STYLE_INDENTED, &text);
    buffer_append(&text, "", 1);
    assert_string_equal((const char *)text.data,
                        "{\n  \"p\": [1, 2],\n  \"q\": [\n    \"x\"\n  ],\n  \"r\": {}\n}");
    buffer_deinit(&text);
}

static void string_that_is_not_utf8_cannot_be_written(void **state)
{
    (void)state;
    msgpack_object object = {.type = MSGPACK_OBJECT_STR};
    object.via.str.ptr = "\xff";
    object.via.str.size = 1;
    buffer text;
    buffer_init(&text, 1000);
    error err;
    assert_int_equal(json_text_from_msgpack(&object, JSON_STYLE_COMPACT, &text, &err),
                     STATUS_INVALID_ARGUMENT);
    assert_int_equal(text.size, 0);
    buffer_deinit(&text);
}

static void value_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    msgpack_object object = {.type = MSGPACK_OBJECT_BIN};
    static const char ZEROES[1000];
    object.via.bin.ptr = ZEROES;
    object.via.bin.size = sizeof ZEROES;
    buffer text;
    buffer_init(&text, 1000);
    error err;
    assert_int_equal(json_text_from_msgpack(&object, JSON_STYLE_COMPACT, &text, &err),
                     STATUS_LIMIT_EXCEEDED);
    assert_int_equal(text.size, 0);
    buffer_deinit(&text);
}

// ---- there and back

static void assert_round_trip(const uint8_t *bytes, size_t size, json_style style)
{
    buffer text;
    buffer_init(&text, 4 << 20);
    write_text(bytes, size, style, &text);
    buffer again;
    buffer_init(&again, 1 << 20);
    error err;
    if (json_text_to_msgpack((const char *)text.data, text.size, &again, &err) != STATUS_OK) {
        fail_msg("%.*s: %s", (int)(text.size < 100 ? text.size : 100), (const char *)text.data,
                 err.text);
    }
    // Integers come back in their shortest form, so values are compared after packing the first one
    // again.
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    msgpack_unpack_next(&unpacked, (const char *)bytes, size, &offset);
    buffer packed;
    buffer_init(&packed, 1 << 20);
    msgpack_packer packer = buffer_packer(&packed);
    if (unpacked.data.type == MSGPACK_OBJECT_FLOAT32) {
        unpacked.data.type = MSGPACK_OBJECT_FLOAT64;
    }
    msgpack_pack_object(&packer, unpacked.data);
    assert_int_equal(again.size, packed.size);
    assert_memory_equal(again.data, packed.data, packed.size);
    msgpack_unpacked_destroy(&unpacked);
    buffer_deinit(&packed);
    buffer_deinit(&again);
    buffer_deinit(&text);
}

static void every_width_comes_back_as_the_same_value(void **state)
{
    (void)state;
    size_t count;
    const sample *all = samples(&count);
    for (size_t i = 0; i < count; i++) {
        assert_round_trip(all[i].bytes, all[i].size, JSON_STYLE_COMPACT);
        assert_round_trip(all[i].bytes, all[i].size, JSON_STYLE_INDENTED);
    }
}

static void random_doubles_come_back_to_the_bit(void **state)
{
    (void)state;
    uint64_t seed = 4711;
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[9] = {0xCB};
        uint64_t bits = random_next(&seed);
        if (i % 2 == 1) { // a float of usual size
            bits = (bits & ~((uint64_t)0x7FF << 52)) | (uint64_t)(1013 + bits % 20) << 52;
        }
        if ((bits >> 52 & 0x7FF) == 0x7FF) {
            continue;
        }
        for (int k = 0; k < 8; k++) {
            bytes[1 + k] = (uint8_t)(bits >> (56 - 8 * k));
        }
        assert_round_trip(bytes, sizeof bytes, JSON_STYLE_COMPACT);
    }
}

static void locale_with_a_comma_changes_nothing(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && found == NULL; i++) {
        found = setlocale(LC_NUMERIC, NAMES[i]);
    }
    if (found == NULL) {
        skip(); // no such locale is installed
    }
    assert_writes(BYTES("\xca\x3f\xc0\x00\x00"), "1.5");
    assert_packs("1.5", BYTES("\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00"));
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_every_json_type_is_packed),
        cmocka_unit_test(text_of_an_object_keeps_the_order_of_its_keys),
        cmocka_unit_test(text_forms_are_packed),
        cmocka_unit_test(text_of_what_only_resembles_a_form_is_a_plain_map),
        cmocka_unit_test(text_of_a_malformed_form_is_refused),
        cmocka_unit_test(text_that_is_no_json_is_refused_with_its_place),
        cmocka_unit_test(text_with_a_doubled_key_is_refused),
        cmocka_unit_test(text_of_an_integer_beyond_64_signed_bits_is_told_of_uint),
        cmocka_unit_test(text_nested_at_the_limit_passes_and_deeper_is_refused),
        cmocka_unit_test(text_nested_100000_deep_is_refused),
        cmocka_unit_test(text_that_does_not_fit_leaves_the_buffer_as_it_was),
        cmocka_unit_test(value_of_every_type_is_written),
        cmocka_unit_test(map_that_no_object_can_be_is_written_as_pairs),
        cmocka_unit_test(indented_style_breaks_lines_but_not_vectors),
        cmocka_unit_test(string_that_is_not_utf8_cannot_be_written),
        cmocka_unit_test(value_that_does_not_fit_is_refused),
        cmocka_unit_test(every_width_comes_back_as_the_same_value),
        cmocka_unit_test(random_doubles_come_back_to_the_bit),
        cmocka_unit_test(locale_with_a_comma_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
