// Blocks of memory: kept contents, zeroed memory, alignment, and the reported sizes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/base/block.h"

enum { SMALL = 1000, LARGE = BLOCK_MAPPED_FROM + 100, LARGER = 3 * BLOCK_MAPPED_FROM };

#ifdef CAROM_SANITIZED // a sanitizer's build allocates everything by malloc
#define MAPPED(bytes) ((size_t)0)
#else
#define MAPPED(bytes) (((size_t)(bytes) + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT)
#endif

static void assert_bytes(const unsigned char *data, size_t from, size_t to, unsigned char value)
{
    for (size_t i = from; i < to; i++) {
        if (data[i] != value) {
            fail_msg("byte %zu is %u, not %u", i, data[i], value);
        }
    }
}

// Tries every change from one size to another: heap or mapping, larger or smaller.
static void block_keeps_what_fits_and_the_rest_is_zero(void **state)
{
    (void)state;
    const size_t sizes[] = {1, SMALL, BLOCK_MAPPED_FROM - 1, BLOCK_MAPPED_FROM, LARGE, LARGER};
    const size_t count = sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < count * count; i++) {
        const size_t before = sizes[i / count];
        const size_t after = sizes[i % count];
        const size_t kept = before < after ? before : after;
        unsigned char *data = block_take(before);
        assert_bytes(data, 0, before, 0);
        memset(data, 7, before);
        data = block_resize(data, before, after);
        assert_int_equal((uintptr_t)data % BLOCK_ALIGNMENT, 0);
        assert_bytes(data, 0, kept, 7);
        assert_bytes(data, kept, after, 0);
        data = block_resize(data, after, LARGER + SMALL); // resizes a second time
        assert_bytes(data, 0, kept, 7);
        assert_bytes(data, kept, LARGER + SMALL, 0);
        block_give_back(data, LARGER + SMALL);
    }
}

static void block_that_shrank_grows_with_zeros(void **state)
{
    (void)state;
    const size_t fewer[] = {LARGER - 1, LARGE, LARGE + 63, BLOCK_MAPPED_FROM, SMALL};
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++) {
        unsigned char *data = block_take(LARGER);
        memset(data, 7, LARGER);
        data = block_resize(data, LARGER, fewer[i]);
        data = block_resize(data, fewer[i], LARGER);
        assert_bytes(data, 0, fewer[i], 7);
        assert_bytes(data, fewer[i], LARGER, 0);
        block_give_back(data, LARGER);
    }
}

static void block_of_nothing_is_none(void **state)
{
    (void)state;
    assert_null(block_take(0));
    assert_null(block_resize(block_take(SMALL), SMALL, 0));
    assert_null(block_resize(block_take(LARGE), LARGE, 0));
    block_give_back(NULL, 0);
}

static void large_blocks_begin_at_different_lines_of_their_pages(void **state)
{
    (void)state;
    enum { BLOCKS = 8, PAGE = 4096 };
    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = block_take(LARGE);
    }
    for (int i = 0; i < BLOCKS && MAPPED(LARGE) > 0; i++) {
        for (int k = 0; k < i; k++) {
            assert_int_not_equal((uintptr_t)blocks[i] % PAGE, (uintptr_t)blocks[k] % PAGE);
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        block_give_back(blocks[i], LARGE);
    }
}

static void mapped_bytes_are_what_large_blocks_take(void **state)
{
    (void)state;
    const size_t before = block_mapped_bytes();
    void *small = block_take(BLOCK_MAPPED_FROM - BLOCK_ALIGNMENT);
    assert_int_equal(block_mapped_bytes() - before, 0);
    void *data = block_take(LARGE);
    assert_int_equal(block_mapped_bytes() - before, MAPPED(LARGE));
    data = block_resize(data, LARGE, LARGER);
    assert_int_equal(block_mapped_bytes() - before, MAPPED(LARGER));
    data = block_resize(data, LARGER, LARGE);
    assert_int_equal(block_mapped_bytes() - before, MAPPED(LARGE));
    data = block_resize(data, LARGE, SMALL);
    assert_int_equal(block_mapped_bytes() - before, 0);
    data = block_resize(data, SMALL, LARGER);
    assert_int_equal(block_mapped_bytes() - before, MAPPED(LARGER));
    block_give_back(data, LARGER);
    block_give_back(small, BLOCK_MAPPED_FROM - BLOCK_ALIGNMENT);
    assert_int_equal(block_mapped_bytes(), before);
}

// Changes blocks in every way, with the accounts of two threads below a common one.
static void block_account_has_what_its_thread_took(void **state)
{
    (void)state;
    block_account all = {0};
    block_account own = {.parent = &all};
    block_account other = {.parent = &all};
    assert_null(block_charge(&own));
    unsigned char *small = block_take(SMALL);
    unsigned char *large = block_take(LARGE);
    assert_int_equal(own.bytes, 1024 + BLOCK_MAPPED_FROM + 128);
    large = block_resize(large, LARGE, LARGER);
    assert_int_equal(own.bytes, 1024 + LARGER);
    assert_ptr_equal(block_charge(&other), &own);
    unsigned char *elsewhere = block_take(SMALL);
    assert_int_equal(all.bytes, 2 * 1024 + LARGER);
    block_charge(&own);
    large = block_resize(large, LARGER, SMALL);
    assert_int_equal(own.bytes, 2 * 1024);
    block_give_back(small, SMALL);
    block_give_back(large, SMALL);
    block_give_back(NULL, 0);
    assert_int_equal(own.bytes, 0);
    block_charge(&other);
    block_give_back(elsewhere, SMALL);
    assert_ptr_equal(block_charge(NULL), &other);
    block_give_back(block_take(SMALL), SMALL);
    assert_int_equal(other.bytes, 0);
    assert_int_equal(all.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_keeps_what_fits_and_the_rest_is_zero),
        cmocka_unit_test(block_that_shrank_grows_with_zeros),
        cmocka_unit_test(block_of_nothing_is_none),
        cmocka_unit_test(large_blocks_begin_at_different_lines_of_their_pages),
        cmocka_unit_test(mapped_bytes_are_what_large_blocks_take),
        cmocka_unit_test(block_account_has_what_its_thread_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
