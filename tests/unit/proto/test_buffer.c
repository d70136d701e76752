// The bounded buffer behind every packer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>

#include "proto/wire/buffer.h"

static void buffer_append_up_to_the_limit_is_kept(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 1000);
    for (int i = 0; i < 100; i++) {
        buffer_append(&b, "0123456789", 10);
    }
    assert_false(b.overflow);
    assert_int_equal(b.size, 1000);
    assert_memory_equal(b.data + 990, "0123456789", 10);
    buffer_deinit(&b);
}

static void buffer_append_past_the_limit_overflows_and_stays_so(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 10);
    buffer_append(&b, "01234567", 8);
    buffer_append(&b, "abc", 3);
    assert_true(b.overflow);
    // Bytes that would still fit are dropped too: a gap in the bytes would be worse than a cut end.
    buffer_append(&b, "x", 1);
    assert_true(b.overflow);
    assert_int_equal(b.size, 8);
    assert_int_equal(buffer_write(&b, "x", 1), -1);
    buffer_clear(&b);
    assert_false(b.overflow);
    assert_int_equal(buffer_write(&b, "abc", 3), 0);
    assert_int_equal(b.size, 3);
    buffer_deinit(&b);
}

static void buffer_reserve_of_the_largest_size_overflows(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 100);
    buffer_append(&b, "abc", 3);
    assert_false(buffer_reserve(&b, SIZE_MAX));
    assert_true(b.overflow);
    buffer_deinit(&b);
}

static void buffer_truncate_takes_an_overflow_back(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 4);
    buffer_append(&b, "ab", 2);
    buffer_append(&b, "cdefg", 5);
    assert_true(b.overflow);
    buffer_truncate(&b, 1);
    assert_false(b.overflow);
    buffer_append(&b, "xyz", 3);
    assert_int_equal(b.size, 4);
    assert_memory_equal(b.data, "axyz", 4);
    buffer_deinit(&b);
}

static void buffer_take_hands_the_bytes_over(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 100);
    buffer_append(&b, "abc", 3);
    size_t size;
    uint8_t *bytes = buffer_take(&b, &size);
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "abc", 3);
    assert_int_equal(b.size, 0);
    assert_null(b.data);
    free(bytes);
    assert_null(buffer_take(&b, &size));
    assert_int_equal(size, 0);
    buffer_append(&b, "still of use", 12);
    assert_int_equal(b.size, 12);
    buffer_deinit(&b);
}

static void buffer_packer_writes_messagepack(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 100);
    msgpack_packer packer = buffer_packer(&b);
    msgpack_pack_array(&packer, 2);
    msgpack_pack_int(&packer, 300);
    msgpack_pack_nil(&packer);
    assert_int_equal(b.size, 5);
    assert_memory_equal(b.data, "\x92\xcd\x01\x2c\xc0", 5);
    buffer_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffer_append_up_to_the_limit_is_kept),
        cmocka_unit_test(buffer_append_past_the_limit_overflows_and_stays_so),
        cmocka_unit_test(buffer_reserve_of_the_largest_size_overflows),
        cmocka_unit_test(buffer_truncate_takes_an_overflow_back),
        cmocka_unit_test(buffer_take_hands_the_bytes_over),
        cmocka_unit_test(buffer_packer_writes_messagepack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
