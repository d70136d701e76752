// Numbers of 32 and 64 bits as bytes: byte order, unaligned addresses, and untouched neighbours.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/little_endian.h"

enum { GUARD = 0xa5, ADDRESSES = 8 };

static void little_endian_low_byte_comes_first(void **state)
{
    (void)state;
    // Bytes above 0x7f at every place would reveal a sign extension.
    static const uint8_t expected[8] = {0xf8, 0xe7, 0xd6, 0xc5, 0xb4, 0xa3, 0x92, 0x81};
    uint8_t bytes[8];
    put32(bytes, 0xc5d6e7f8u);
    assert_memory_equal(bytes, expected, 4);
    put64(bytes, UINT64_C(0x8192a3b4c5d6e7f8));
    assert_memory_equal(bytes, expected, 8);
    assert_true(get32(expected) == 0xc5d6e7f8u);
    assert_true(get64(expected) == UINT64_C(0x8192a3b4c5d6e7f8));
}

static void little_endian_every_bit_has_its_own_place(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint8_t expected[8] = {0};
        uint8_t bytes[8];
        expected[bit / 8] = (uint8_t)(1u << bit % 8);
        put64(bytes, UINT64_C(1) << bit);
        assert_memory_equal(bytes, expected, 8);
        assert_true(get64(bytes) == UINT64_C(1) << bit);
        if (bit < 32) {
            put32(bytes, UINT32_C(1) << bit);
            assert_memory_equal(bytes, expected, 4);
            assert_true(get32(bytes) == UINT32_C(1) << bit);
        }
    }
}

// The neighbouring bytes are neither written nor read.
static void little_endian_bytes_beside_are_left_alone(void **state)
{
    (void)state;
    for (size_t offset = 1; offset <= ADDRESSES; offset++) {
        for (size_t size = 4; size <= 8; size += 4) {
            uint8_t bytes[1 + ADDRESSES + 8 + 1];
            uint8_t expected[sizeof bytes];
            memset(bytes, GUARD, sizeof bytes);
            memset(expected, GUARD, sizeof expected);
            memset(expected + offset, 0, size);
            if (size == 4) {
                put32(bytes + offset, 0);
                assert_true(get32(bytes + offset) == 0);
            } else {
                put64(bytes + offset, 0);
                assert_true(get64(bytes + offset) == 0);
            }
            assert_memory_equal(bytes, expected, sizeof bytes);
        }
    }
}

static void little_endian_extremes_come_back(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint8_t bytes[8];
        put64(bytes, values[i]);
        assert_true(get64(bytes) == values[i]);
        put32(bytes, (uint32_t)values[i]);
        assert_true(get32(bytes) == (uint32_t)values[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_endian_low_byte_comes_first),
        cmocka_unit_test(little_endian_every_bit_has_its_own_place),
        cmocka_unit_test(little_endian_bytes_beside_are_left_alone),
        cmocka_unit_test(little_endian_extremes_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
