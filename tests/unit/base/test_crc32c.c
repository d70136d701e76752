// CRC-32C against the published vectors (RFC 3720, appendix B.4), and against itself in pieces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/crc32c.h"

static void crc32c_published_vectors_agree(void **state)
{
    (void)state;
    uint8_t bytes[32];
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(crc32c(0, bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(crc32c(0, bytes, sizeof bytes), 0x62a8ab43);
    for (uint8_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = i;
    }
    assert_int_equal(crc32c(0, bytes, sizeof bytes), 0x46dd794e);
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(0, NULL, 0), 0);
}

static void crc32c_in_pieces_is_that_of_the_whole(void **state)
{
    (void)state;
    uint8_t bytes[61];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * i * 7 + 3);
    }
    const uint32_t whole = crc32c(0, bytes, sizeof bytes);
    for (size_t cut = 0; cut <= sizeof bytes; cut++) {
        uint32_t crc = crc32c(crc32c(0, bytes, cut), bytes + cut, sizeof bytes - cut);
        assert_int_equal(crc, whole);
    }
}

static void crc32c_by_table_and_by_instruction_agree(void **state)
{
    (void)state;
    uint8_t bytes[203];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * i * 11 + 5);
    }
    for (size_t from = 0; from < 9; from++) {
        for (size_t size = 0; size + from <= sizeof bytes; size++) {
            assert_int_equal(crc32c((uint32_t)size * 77773, bytes + from, size),
                             crc32c_by_table((uint32_t)size * 77773, bytes + from, size));
        }
    }
    assert_int_equal(crc32c_by_table(0, "123456789", 9), 0xe3069283);
}

static void crc32c_every_flipped_bit_changes_it(void **state)
{
    (void)state;
    uint8_t bytes[40] = {1, 2, 3};
    const uint32_t whole = crc32c(0, bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(crc32c(0, bytes, sizeof bytes), whole);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_published_vectors_agree),
        cmocka_unit_test(crc32c_in_pieces_is_that_of_the_whole),
        cmocka_unit_test(crc32c_by_table_and_by_instruction_agree),
        cmocka_unit_test(crc32c_every_flipped_bit_changes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
