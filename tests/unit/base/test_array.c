// Growing arrays: kept contents, zeroed memory, alignment, and how often they grow.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/array.h"

enum { CACHE_LINE = 64 };

typedef struct triple {
    uint8_t bytes[3];
} triple;

typedef ARRAY(uint32_t) number_array;
typedef ARRAY(triple) triple_array;

static void array_empty_frees_nothing(void **state)
{
    (void)state;
    number_array a = {0};
    array_free(&a);
    assert_null(a.data);
    assert_int_equal(a.capacity, 0);
}

static void array_push_keeps_values_in_order(void **state)
{
    (void)state;
    number_array a = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        array_push(&a, i * i);
    }
    assert_int_equal(a.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(a.data[i], i * i);
    }
    array_free(&a);
    assert_null(a.data);
    assert_int_equal(a.count, 0);
    assert_int_equal(a.capacity, 0);
}

static void array_growth_is_geometric(void **state)
{
    (void)state;
    number_array a = {0};
    int growths = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t before = a.capacity;
        array_push(&a, i);
        growths += a.capacity != before;
        assert_true(a.capacity >= a.count);
    }
    // capacity doubles from 16 to 8192, grows by a quarter to 32768, then by an eighth
    assert_true(growths <= 1 + 9 + 7 + 10);
    assert_true(a.capacity <= a.count + a.count / 8 + 1);
    array_free(&a);
}

static void array_reserve_within_capacity_moves_nothing(void **state)
{
    (void)state;
    number_array a = {0};
    array_reserve(&a, 100);
    uint32_t *data = a.data;
    uint32_t capacity = a.capacity;
    assert_true(capacity >= 100);
    array_reserve(&a, 100);
    array_reserve(&a, 1);
    assert_ptr_equal(a.data, data);
    assert_int_equal(a.capacity, capacity);
    assert_int_equal(a.count, 0);
    array_free(&a);
}

static void array_new_memory_is_zero_and_old_is_kept(void **state)
{
    (void)state;
    number_array a = {0};
    array_reserve(&a, 1);
    uint32_t old = a.capacity;
    for (uint32_t i = 0; i < old; i++) {
        assert_int_equal(a.data[i], 0);
        a.data[i] = 0xFFFFFFFFu;
    }
    array_reserve(&a, old * 5);
    for (uint32_t i = 0; i < a.capacity; i++) {
        assert_int_equal(a.data[i], i < old ? 0xFFFFFFFFu : 0);
    }
    array_free(&a);
}

// Elements whose size does not divide the alignment: no element may fall outside the memory.
static void array_of_odd_size_is_aligned_and_whole(void **state)
{
    (void)state;
    triple_array a = {0};
    for (uint32_t i = 0; i < 5000; i++) {
        triple t = {{(uint8_t)i, (uint8_t)(i >> 8), 7}};
        array_push(&a, t);
        assert_int_equal((uintptr_t)a.data % CACHE_LINE, 0);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(a.data[i].bytes[0] | a.data[i].bytes[1] << 8, i);
        assert_int_equal(a.data[i].bytes[2], 7);
    }
    array_free(&a);
}

static void array_fit_gives_back_what_is_not_used(void **state)
{
    (void)state;
    triple_array a = {0};
    array_fit(&a); // an empty array
    assert_null(a.data);
    for (uint32_t i = 0; i < 100; i++) {
        triple t = {{(uint8_t)i, 1, 2}};
        array_push(&a, t);
    }
    assert_true(a.capacity > 100);
    array_fit(&a);
    assert_int_equal(a.capacity, 100);
    assert_int_equal((uintptr_t)a.data % CACHE_LINE, 0);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(a.data[i].bytes[0], i);
    }
    array_push(&a, (triple){{100}}); // the array grows again
    assert_int_equal(a.data[100].bytes[0], 100);
    array_clear(&a);
    array_fit(&a);
    assert_null(a.data);
    assert_int_equal(a.capacity, 0);
    array_free(&a);
}

static void array_swap_remove_puts_the_last_in_place(void **state)
{
    (void)state;
    number_array a = {0};
    for (uint32_t i = 0; i < 4; i++) {
        array_push(&a, i);
    }
    array_swap_remove(&a, 1);
    assert_int_equal(a.count, 3);
    assert_int_equal(a.data[0], 0);
    assert_int_equal(a.data[1], 3);
    assert_int_equal(a.data[2], 2);
    array_swap_remove(&a, 2); // removes the last element itself
    assert_int_equal(a.count, 2);
    assert_int_equal(a.data[1], 3);
    array_free(&a);
}

static void array_swap_remove_value_removes_the_first_that_equals(void **state)
{
    (void)state;
    number_array a = {0};
    array_push(&a, 7);
    array_push(&a, 5);
    array_push(&a, 5);
    array_push(&a, 9);
    array_swap_remove_value(&a, 6); // absent: nothing changes
    assert_int_equal(a.count, 4);
    array_swap_remove_value(&a, 5);
    assert_int_equal(a.count, 3);
    assert_int_equal(a.data[0], 7);
    assert_int_equal(a.data[1], 9);
    assert_int_equal(a.data[2], 5);
    array_swap_remove_value(&a, 5); // the last element itself
    assert_int_equal(a.count, 2);
    assert_int_equal(a.data[1], 9);
    array_free(&a);
}

// Checks the elements, which are as many as `count`.
static void assert_elements(const number_array *a, const uint32_t *expected, uint32_t count)
{
    assert_int_equal(a->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(a->data[i], expected[i]);
    }
}

static void array_insert_and_remove_keep_the_order(void **state)
{
    (void)state;
    number_array a = {0};
    array_insert(&a, 0, 2); // into an empty array
    array_insert(&a, 0, 1); // at the beginning
    array_insert(&a, 2, 4); // at the end
    array_insert(&a, 2, 3);
    assert_elements(&a, (const uint32_t[]){1, 2, 3, 4}, 4);
    array_remove(&a, 1);
    assert_elements(&a, (const uint32_t[]){1, 3, 4}, 3);
    array_remove(&a, 2); // the last
    assert_elements(&a, (const uint32_t[]){1, 3}, 2);
    array_free(&a);
}

static void array_remove_first_moves_the_rest_up(void **state)
{
    (void)state;
    number_array a = {0};
    array_remove_first(&a, 0); // empty, without memory
    for (uint32_t i = 1; i <= 5; i++) {
        array_push(&a, i);
    }
    array_remove_first(&a, 0);
    array_remove_first(&a, 2);
    assert_elements(&a, (const uint32_t[]){3, 4, 5}, 3);
    array_remove_first(&a, a.count);
    assert_int_equal(a.count, 0);
    array_free(&a);
}

static void array_remove_value_removes_the_first_that_equals(void **state)
{
    (void)state;
    number_array a = {0};
    const uint32_t values[] = {7, 5, 5, 9};
    for (uint32_t i = 0; i < 4; i++) {
        array_push(&a, values[i]);
    }
    array_remove_value(&a, 6); // absent: nothing changes
    assert_int_equal(a.count, 4);
    array_remove_value(&a, 5);
    assert_elements(&a, (const uint32_t[]){7, 5, 9}, 3);
    array_remove_value(&a, 9); // the last
    assert_elements(&a, (const uint32_t[]){7, 5}, 2);
    array_free(&a);
}

static void array_clear_keeps_the_memory(void **state)
{
    (void)state;
    number_array a = {0};
    array_push(&a, 5);
    uint32_t *data = a.data;
    array_clear(&a);
    assert_int_equal(a.count, 0);
    array_push(&a, 6);
    assert_ptr_equal(a.data, data);
    assert_int_equal(a.data[0], 6);
    array_free(&a);
}

// From a mebibyte on an array is a mapping: growing it moves pages instead of copying contents.
enum { MAPPED_COUNT = 1 << 18, GROWN_COUNT = 1 << 20 };

static void large_array_keeps_values_as_it_grows(void **state)
{
    (void)state;
    number_array a = {0};
    int growths = 0;
    for (uint32_t i = 0; i < GROWN_COUNT; i++) {
        uint32_t before = a.capacity;
        array_push(&a, i ^ 0x5555u);
        growths += a.capacity != before;
    }
    for (uint32_t i = 0; i < a.capacity; i++) {
        assert_int_equal(a.data[i], i < a.count ? (i ^ 0x5555u) : 0);
    }
    assert_int_equal((uintptr_t)a.data % CACHE_LINE, 0);
    // capacity doubles from 16 to 8192, grows by a quarter to 32768, by an eighth to 262144, then
    // by a sixteenth
    assert_true(growths <= 1 + 9 + 7 + 18 + 23);
    assert_true(a.capacity <= a.count + a.count / 16 + 1);
    array_free(&a);
}

static void large_array_that_was_fitted_grows_with_zeros(void **state)
{
    (void)state;
    number_array a = {0};
    // the last size is too small for a mapping
    const uint32_t fewer[] = {GROWN_COUNT - 7, MAPPED_COUNT + 1, 1000};
    for (size_t k = 0; k < sizeof fewer / sizeof *fewer; k++) {
        array_reserve(&a, GROWN_COUNT);
        for (uint32_t i = 0; i < a.capacity; i++) {
            a.data[i] = 0xFFFFFFFFu;
        }
        a.count = fewer[k];
        array_fit(&a);
        assert_int_equal(a.capacity, fewer[k]);
        array_reserve(&a, GROWN_COUNT);
        for (uint32_t i = 0; i < a.capacity; i++) {
            assert_int_equal(a.data[i], i < fewer[k] ? 0xFFFFFFFFu : 0);
        }
    }
    array_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_empty_frees_nothing),
        cmocka_unit_test(array_push_keeps_values_in_order),
        cmocka_unit_test(array_growth_is_geometric),
        cmocka_unit_test(array_reserve_within_capacity_moves_nothing),
        cmocka_unit_test(array_new_memory_is_zero_and_old_is_kept),
        cmocka_unit_test(array_of_odd_size_is_aligned_and_whole),
        cmocka_unit_test(array_fit_gives_back_what_is_not_used),
        cmocka_unit_test(large_array_keeps_values_as_it_grows),
        cmocka_unit_test(large_array_that_was_fitted_grows_with_zeros),
        cmocka_unit_test(array_swap_remove_puts_the_last_in_place),
        cmocka_unit_test(array_swap_remove_value_removes_the_first_that_equals),
        cmocka_unit_test(array_insert_and_remove_keep_the_order),
        cmocka_unit_test(array_remove_first_moves_the_rest_up),
        cmocka_unit_test(array_remove_value_removes_the_first_that_equals),
        cmocka_unit_test(array_clear_keeps_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
