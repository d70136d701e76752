// Checks of a message's contents: UTF-8, finite numbers, keys.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proto/wire/buffer.h"
#include "proto/wire/check.h"
#include "proto/wire/rpc.h"
#include "tests/unit/proto/values.h"

static void assert_passes(const void *bytes, size_t size)
{
    error err;
    if (message_check(bytes, size, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static void assert_fails(const void *bytes, size_t size, const char *text)
{
    error err;
    assert_int_equal(message_check(bytes, size, &err), STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, text);
}

// A literal of bytes and its size without the closing zero.
#define BYTES(literal) literal, sizeof literal - 1

static void every_width_passes_alone_and_nested(void **state)
{
    (void)state;
    size_t count;
    const sample *all = samples(&count);
    for (size_t i = 0; i < count; i++) {
        assert_passes(all[i].bytes, all[i].size);
        buffer b;
        buffer_init(&b, 1 << 20);
        buffer_append(&b, BYTES("\x92\x81\xa1k"));
        buffer_append(&b, all[i].bytes, all[i].size);
        buffer_append(&b, all[i].bytes, all[i].size);
        assert_passes(b.data, b.size);
        buffer_deinit(&b);
    }
}

static void nan_and_infinity_of_either_width_are_refused(void **state)
{
    (void)state;
    assert_fails(BYTES("\xca\x7f\xc0\x00\x00"), "byte 0: not a finite number");
    assert_fails(BYTES("\xca\x7f\x80\x00\x00"), "byte 0: not a finite number");
    assert_fails(BYTES("\xca\xff\x80\x00\x00"), "byte 0: not a finite number");
    assert_fails(BYTES("\x91\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"), "byte 1: not a finite number");
    assert_fails(BYTES("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"), "byte 0: not a finite number");
    assert_fails(BYTES("\xcb\xff\xf0\x00\x00\x00\x00\x00\x00"), "byte 0: not a finite number");
    assert_fails(BYTES("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x01"), "byte 0: not a finite number");
}

static void largest_and_smallest_floats_pass(void **state)
{
    (void)state;
    assert_passes(BYTES("\xca\x7f\x7f\xff\xff"));
    assert_passes(BYTES("\xca\x00\x00\x00\x01"));
    assert_passes(BYTES("\xca\x80\x00\x00\x00"));
    assert_passes(BYTES("\xcb\x7f\xef\xff\xff\xff\xff\xff\xff"));
    assert_passes(BYTES("\xcb\xff\xef\xff\xff\xff\xff\xff\xff"));
}

static void string_that_is_not_utf8_is_refused_and_bin_is_not(void **state)
{
    (void)state;
    assert_fails(BYTES("\xa2\xc3\x28"), "byte 0: the string is not UTF-8");
    assert_fails(BYTES("\x92\x01\xd9\x01\xff"), "byte 2: the string is not UTF-8");
    assert_passes(BYTES("\xc4\x02\xc3\x28"));
    assert_passes(BYTES("\xa2\xc3\xa9"));
}

static void key_that_is_not_utf8_is_refused_as_bin_too(void **state)
{
    (void)state;
    assert_fails(BYTES("\x81\xc4\x01\xff\x01"), "byte 1: the key is not UTF-8");
    assert_fails(BYTES("\x81\xa1\xff\x01"), "byte 1: the string is not UTF-8");
}

static void doubled_key_is_refused_as_str_or_bin(void **state)
{
    (void)state;
    assert_fails(BYTES("\x82\xa1x\x01\xa1x\x02"), "byte 5: the key 'x' is there twice");
    assert_fails(BYTES("\x82\xa1x\x01\xc4\x01x\x02"), "byte 6: the key 'x' is there twice");
    assert_fails(BYTES("\x82\xa1x\x01\xda\x00\x01x\x02"), "byte 7: the key 'x' is there twice");
    assert_fails(BYTES("\x82\xa0\x01\xa0\x02"), "byte 4: the key '' is there twice");
    assert_passes(BYTES("\x83\xa1x\x01\xa1y\x01\xa2xy\x02"));
}

static void same_key_in_maps_within_maps_passes(void **state)
{
    (void)state;
    assert_passes(BYTES("\x82\xa1x\x82\xa1x\x01\xa1y\x81\xa1x\x02\xa1y\x81\xa1x\x02"));
    assert_passes(BYTES("\x92\x81\xa1x\x01\x81\xa1x\x01"));
}

static void doubled_key_behind_an_inner_map_is_found(void **state)
{
    (void)state;
    assert_fails(BYTES("\x83\xa1x\x82\xa1p\x01\xa1q\x01\xa1y\x80\xa1x\x02"),
                 "byte 14: the key 'x' is there twice");
}

static void integer_keys_are_compared_by_their_value(void **state)
{
    (void)state;
    assert_fails(BYTES("\x82\x01\x01\x01\x02"), "byte 3: the key 1 is there twice");
    assert_fails(BYTES("\x82\x01\x01\xcc\x01\x02"), "byte 3: the key 1 is there twice");
    assert_fails(BYTES("\x82\xd1\x00\x01\x01\x01\x02"), "byte 5: the key 1 is there twice");
    assert_fails(BYTES("\x82\xff\x01\xd2\xff\xff\xff\xff\x02"),
                 "byte 3: the key -1 is there twice");
    assert_fails(BYTES("\x82\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                       "\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
                 "byte 11: the key 18446744073709551615 is there twice");
    // 2^64-1 and -1 have the same 64 bits.
    assert_passes(BYTES("\x82\xff\x01\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x02"));
    assert_passes(BYTES("\x82\x01\x01\x02\x02"));
    assert_fails(BYTES("\x94\x00\x01\xa1m\x91\x81\xa1"
                       "a\x81\xcc\x05\xca\x7f\xc0\x00\x00"),
                 "a.5: not a finite number");
}

static void doubled_integer_among_thousands_is_found(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        buffer b;
        buffer_init(&b, 1 << 20);
        msgpack_packer packer = buffer_packer(&b);
        msgpack_pack_map(&packer, 5000);
        for (int i = 0; i < 5000; i++) {
            msgpack_pack_fix_int64(&packer, i - 2500); // the widest spelling
            msgpack_pack_nil(&packer);
        }
        if (twice == 1) { // 17, in its shortest spelling, instead of the last key
            b.size -= 10;
            msgpack_pack_int64(&packer, 17);
            msgpack_pack_nil(&packer);
        }
        error err;
        status got = message_check(b.data, b.size, &err);
        assert_int_equal(got, twice == 1 ? STATUS_INVALID_ARGUMENT : STATUS_OK);
        if (twice == 1) {
            assert_non_null(strstr(err.text, "the key 17 is there twice"));
        }
        buffer_deinit(&b);
    }
}

static void keys_of_other_types_are_compared_by_their_encoding(void **state)
{
    (void)state;
    assert_fails(BYTES("\x82\xc3\x01\xc3\x02"), "byte 3: the key ? is there twice");
    assert_passes(BYTES("\x82\xc3\x01\xc2\x02"));
    // The text "\x01" is not the number 1.
    assert_passes(BYTES("\x82\x01\x01\xa1\x01\x02"));
    assert_fails(BYTES("\x81\xca\x7f\x80\x00\x00\x01"), "byte 1: not a finite number");
}

static void container_as_key_is_refused(void **state)
{
    (void)state;
    assert_fails(BYTES("\x81\x90\x01"), "byte 1: a map's key must not be an array or a map");
    assert_fails(BYTES("\x81\x80\x01"), "byte 1: a map's key must not be an array or a map");
}

static void doubled_key_among_thousands_is_found(void **state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        buffer b;
        buffer_init(&b, 1 << 20);
        msgpack_packer packer = buffer_packer(&b);
        msgpack_pack_map(&packer, 5000);
        for (int i = 0; i < 5000; i++) {
            char key[16];
            snprintf(key, sizeof key, "k%d", twice == 1 && i == 4321 ? 17 : i);
            rpc_pack_text(&packer, key);
            msgpack_pack_nil(&packer);
        }
        error err;
        status got = message_check(b.data, b.size, &err);
        assert_int_equal(got, twice == 1 ? STATUS_INVALID_ARGUMENT : STATUS_OK);
        if (twice == 1) {
            assert_non_null(strstr(err.text, "the key 'k17' is there twice"));
        }
        buffer_deinit(&b);
    }
}

static void text_names_the_path_within_the_arguments(void **state)
{
    (void)state;
    // [0, 1, "m", [{"shapes": [{"radius": 1}, {"center": [0, NaN]}]}]]
    assert_fails(BYTES("\x94\x00\x01\xa1m\x91\x81\xa6shapes\x92\x81\xa6radius\x01"
                       "\x81\xa6"
                       "center\x92\x00\xca\x7f\xc0\x00\x00"),
                 "shapes[1].center[1]: not a finite number");
    // [2, "m", [{"a": 1, "b": {"tag": "\xff"}}]]
    assert_fails(BYTES("\x93\x02\xa1m\x91\x82\xa1"
                       "a\x01\xa1"
                       "b\x81\xa3tag\xa1\xff"),
                 "b.tag: the string is not UTF-8");
    // [2, "m", [{"b": {"x": 1, "x": 1}}]]
    assert_fails(BYTES("\x93\x02\xa1m\x91\x81\xa1"
                       "b\x82\xa1x\x01\xa1x\x01"),
                 "b: the key 'x' is there twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_passes_alone_and_nested),
        cmocka_unit_test(nan_and_infinity_of_either_width_are_refused),
        cmocka_unit_test(largest_and_smallest_floats_pass),
        cmocka_unit_test(string_that_is_not_utf8_is_refused_and_bin_is_not),
        cmocka_unit_test(key_that_is_not_utf8_is_refused_as_bin_too),
        cmocka_unit_test(doubled_key_is_refused_as_str_or_bin),
        cmocka_unit_test(same_key_in_maps_within_maps_passes),
        cmocka_unit_test(doubled_key_behind_an_inner_map_is_found),
        cmocka_unit_test(integer_keys_are_compared_by_their_value),
        cmocka_unit_test(doubled_integer_among_thousands_is_found),
        cmocka_unit_test(keys_of_other_types_are_compared_by_their_encoding),
        cmocka_unit_test(container_as_key_is_refused),
        cmocka_unit_test(doubled_key_among_thousands_is_found),
        cmocka_unit_test(text_names_the_path_within_the_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
