// Slots: lowest first, generations that count up, retirement.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/physics/state/slots.h"

static void slots_are_given_lowest_first(void **state)
{
    (void)state;
    slot_pool s;
    slots_init(&s);
    for (uint32_t i = 1; i <= 200; i++) {
        assert_int_equal(slots_take(&s), i);
    }
    slots_release(&s, 150);
    slots_release(&s, 7);
    assert_int_equal(slots_take(&s), 7);
    assert_int_equal(slots_take(&s), 150);
    assert_int_equal(slots_take(&s), 201);
    slots_deinit(&s);
}

static void released_slot_has_a_new_id(void **state)
{
    (void)state;
    slot_pool s;
    slots_init(&s);
    uint64_t first = slots_id(&s, slots_take(&s));
    assert_int_equal(slots_find(&s, first), 1);
    slots_release(&s, 1);
    assert_int_equal(slots_find(&s, first), 0);
    uint64_t second = slots_id(&s, slots_take(&s));
    assert_true(second != first);
    assert_int_equal(slots_find(&s, second), 1);
    assert_int_equal(slots_find(&s, first), 0);
    slots_deinit(&s);
}

static void slot_with_its_generations_used_up_is_never_given_again(void **state)
{
    (void)state;
    slot_pool s;
    slots_init(&s);
    slots_take(&s);
    slots_release(&s, 1);
    slots_deinit(&s);
    slots_init(&s);
    slots_restore(&s, 1, SLOT_GENERATION_MAX, true);
    uint64_t last = slots_id(&s, 1);
    assert_true(last < (uint64_t)1 << 53);
    assert_int_equal(slots_find(&s, last), 1);
    slots_release(&s, 1);
    assert_int_equal(s.count, 0);
    assert_int_equal(slots_find(&s, last), 0);
    assert_int_equal(slots_next(&s, 0), 0);
    assert_int_equal(slots_take(&s), 2);
    slots_deinit(&s);
}

static void generations_take_memory_only_where_slots_were_released(void **state)
{
    (void)state;
    slot_pool s;
    slots_init(&s);
    for (int i = 0; i < 1000; i++) {
        slots_take(&s);
    }
    slots_release_unnumbered(&s, 900);
    assert_int_equal(s.generations.capacity, 0);
    slots_release(&s, 5);
    assert_int_equal(slots_generation(&s, 5), 1);
    assert_int_equal(slots_generation(&s, 6), 0);
    assert_in_range(s.generations.capacity, 6, 64);
    slots_restore(&s, 1200, 0, true);
    assert_int_equal(slots_generation(&s, 1200), 0);
    assert_in_range(s.generations.capacity, 6, 64);
    slots_deinit(&s);
}

static void next_walks_the_taken_slots_in_order(void **state)
{
    (void)state;
    slot_pool s;
    slots_init(&s);
    for (int i = 0; i < 300; i++) {
        slots_take(&s);
    }
    for (uint32_t i = 1; i <= 300; i++) {
        if (i % 67 != 0) {
            slots_release(&s, i);
        }
    }
    uint32_t expected = 67;
    for (uint32_t slot = slots_next(&s, 0); slot != 0; slot = slots_next(&s, slot)) {
        assert_int_equal(slot, expected);
        expected += 67;
    }
    assert_int_equal(expected, 335);
    slots_deinit(&s);
}

static void unknown_numbers_are_no_ids(void **state)
{
    (void)state;
    slot_pool s;
    slots_init(&s);
    slots_take(&s);
    assert_int_equal(slots_find(&s, 0), 0);
    assert_int_equal(slots_find(&s, 2), 0);
    assert_int_equal(slots_find(&s, UINT64_MAX), 0);
    assert_int_equal(slots_find(&s, (uint64_t)1 << SLOT_BITS | 1), 0);
    slots_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_given_lowest_first),
        cmocka_unit_test(released_slot_has_a_new_id),
        cmocka_unit_test(slot_with_its_generations_used_up_is_never_given_again),
        cmocka_unit_test(generations_take_memory_only_where_slots_were_released),
        cmocka_unit_test(next_walks_the_taken_slots_in_order),
        cmocka_unit_test(unknown_numbers_are_no_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
