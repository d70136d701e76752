// Tests of server/world/snapshots/subscription.h: rates, lookup by number, comparison of views.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "server/world/snapshots/subscription.h"

static void subscription_rate_falls_on_so_many_ticks(void **state)
{
    (void)state;
    static const struct {
        double rate, hz;
        int ticks, expected;
    } CASES[] = {{0, 60, 60, 60},    {60, 60, 60, 60},    {100, 60, 60, 60},
                 {20, 60, 60, 20},   {7, 60, 600, 70},    {1, 60, 600, 10},
                 {59, 60, 600, 590}, {0.1, 60, 6000, 10}, {30, 128, 1280, 300}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        subscription s = {.view.rate = CASES[i].rate};
        int count = 0;
        for (int tick = 1; tick <= CASES[i].ticks; tick++) {
            count += subscription_due(&s, (uint64_t)tick, CASES[i].hz);
        }
        assert_int_equal(count, CASES[i].expected);
    }
}

static void subscriptions_of_one_rate_spread_over_the_ticks(void **state)
{
    (void)state;
    enum { VIEWS = 30, PERIOD = 6 };
    subscriptions s = {0};
    for (int i = 0; i < VIEWS; i++) {
        const subscribe_args view = {
            .rate = 10.0, .has_area = true, .area = {i, 0.0, i + 1.0, 1.0}};
        subscriptions_add(&s, 2 * (uint64_t)i + 1, (session_key){.number = 1}, &view);
        subscriptions_add(&s, 2 * (uint64_t)i + 2, (session_key){.number = 2}, &view);
    }
    for (uint64_t tick = 1; tick <= 60; tick++) {
        int due = 0;
        for (uint32_t i = 0; i < s.list.count; i += 2) {
            const bool one = subscription_due(s.list.data[i], tick, 60.0);
            // their ticks coincide
            assert_true(one == subscription_due(s.list.data[i + 1], tick, 60.0));
            due += one;
        }
        assert_int_equal(due, VIEWS / PERIOD);
    }
    subscriptions_deinit(&s);
}

// A view that nobody has any more gives its phase up; a moved one keeps its own, and later readers
// of the same view have that.
static void phases_follow_views_that_come_move_and_go(void **state)
{
    (void)state;
    subscriptions s = {0};
    const session_key me = {.number = 1};
    const subscribe_args views[] = {{.rate = 10.0, .has_area = true, .area = {0, 0, 1, 1}},
                                    {.rate = 10.0, .has_area = true, .area = {1, 0, 2, 1}},
                                    {.rate = 20.0}};
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(subscriptions_add(&s, i + 1, me, &views[i])->phase, i == 1);
    }
    const view_args place = {
        .has_area = true, .area = {5, 5, 6, 6}, .margin = 1, .own_margin = true};
    subscriptions_move(&s, subscriptions_find(&s, 2), &place);
    subscribe_args moved = views[1];
    subscribe_args_move(&moved, &place);
    assert_int_equal(subscriptions_add(&s, 4, me, &moved)->phase, 1);
    assert_int_equal(s.phases.views.count, 3);
    subscriptions_remove(&s, 2); // the reader that came later keeps the view
    assert_int_equal(subscriptions_add(&s, 5, me, &moved)->phase, 1);
    for (uint64_t number = 1; number <= 5; number++) {
        subscriptions_remove(&s, number);
    }
    assert_int_equal(s.phases.views.count, 0);
    assert_int_equal(s.phases.rates.count, 0);
    assert_int_equal(subscriptions_add(&s, 6, me, &moved)->phase, 0);
    subscriptions_deinit(&s);
}

static void rates_in_turn_spread_each_over_its_own_ticks(void **state)
{
    (void)state;
    enum { VIEWS = 30 };
    subscriptions s = {0};
    for (uint64_t i = 0; i < 2 * VIEWS; i++) {
        const double x = (double)i;
        const subscribe_args view = {
            .rate = i % 2 == 0 ? 30.0 : 20.0, .has_area = true, .area = {x, 0.0, x + 1.0, 1.0}};
        subscriptions_add(&s, i + 1, (session_key){.number = 1}, &view);
    }
    for (uint64_t tick = 1; tick <= 60; tick++) {
        int due[2] = {0};
        for (uint32_t i = 0; i < s.list.count; i++) {
            due[i % 2] += subscription_due(s.list.data[i], tick, 60.0);
        }
        assert_int_equal(due[0], VIEWS / 2);
        assert_int_equal(due[1], VIEWS / 3);
    }
    subscriptions_deinit(&s);
}

static void subscriptions_are_found_by_number(void **state)
{
    (void)state;
    subscriptions s = {0};
    subscribe_args view = {0};
    for (uint64_t number = 1; number <= 100; number++) {
        subscriptions_add(&s, number * 3, (session_key){.number = number}, &view);
    }
    for (uint64_t number = 1; number <= 100; number++) {
        assert_int_equal(subscriptions_find(&s, number * 3)->session.number, number);
        assert_null(subscriptions_find(&s, number * 3 + 1));
    }
    subscriptions_remove(&s, 150);
    subscriptions_remove(&s, 151);
    assert_null(subscriptions_find(&s, 150));
    assert_int_equal(s.list.count, 99);
    assert_int_equal(subscriptions_find(&s, 153)->session.number, 51);
    subscriptions_deinit(&s);
}

static void subscriptions_that_come_out_of_order_stand_in_order(void **state)
{
    (void)state;
    subscriptions s = {0};
    subscribe_args view = {0};
    for (uint64_t i = 0; i < 100; i++) {
        const uint64_t number = i * 37 % 100 + 1;
        const subscription *added =
            subscriptions_add(&s, number, (session_key){.number = number}, &view);
        assert_int_equal(added->number, number);
    }
    for (uint64_t number = 1; number <= 100; number++) {
        assert_int_equal(s.list.data[number - 1]->number, number);
        assert_int_equal(subscriptions_find(&s, number)->session.number, number);
    }
    subscriptions_deinit(&s);
}

static void subscriptions_events_are_what_any_of_them_wants(void **state)
{
    (void)state;
    subscriptions s = {0};
    subscribe_args view = {.events = 1u << EVENT_HIT};
    assert_int_equal(subscriptions_events(&s), 0);
    subscriptions_add(&s, 1, (session_key){.number = 1}, &view);
    view.events = 1u << EVENT_SLEEP;
    subscriptions_add(&s, 2, (session_key){.number = 1}, &view);
    subscriptions_add(&s, 3, (session_key){.number = 1}, &view);
    assert_int_equal(subscriptions_events(&s), 1u << EVENT_HIT | 1u << EVENT_SLEEP);
    subscriptions_remove(&s, 2);
    assert_int_equal(subscriptions_events(&s), 1u << EVENT_HIT | 1u << EVENT_SLEEP);
    subscriptions_remove(&s, 3);
    assert_int_equal(subscriptions_events(&s), 1u << EVENT_HIT);
    subscriptions_remove(&s, 1);
    assert_int_equal(subscriptions_events(&s), 0);
    subscriptions_deinit(&s);
}

static void subscriptions_wishes_end_with_the_last_that_has_them(void **state)
{
    (void)state;
    subscriptions s = {0};
    const char *prefix = "score/";
    const subscribe_args both = {.describe = true, .data = &prefix, .data_count = 1};
    assert_false(subscriptions_describe(&s) || subscriptions_data(&s));
    subscriptions_add(&s, 1, (session_key){.number = 1}, &both);
    subscriptions_add(&s, 2, (session_key){.number = 1}, &both);
    subscriptions_remove(&s, 1);
    assert_true(subscriptions_describe(&s) && subscriptions_data(&s));
    subscriptions_remove(&s, 2);
    assert_false(subscriptions_describe(&s) || subscriptions_data(&s));
    subscriptions_deinit(&s);
}

// The numbers of the session's subscriptions, as a set of bits.
static uint32_t numbers_of(const subscriptions *s, session_key session)
{
    uint32_t numbers = 0;
    for (const subscription *one = subscriptions_first_of(s, session); one != NULL;
         one = subscriptions_next_of(one)) {
        assert_int_equal(numbers >> one->number & 1, 0);
        numbers |= 1u << one->number;
    }
    return numbers;
}

static void subscriptions_of_a_session_are_its_own_where_slots_are_used_again(void **state)
{
    (void)state;
    subscriptions s = {0};
    const subscribe_args view = {0};
    const session_key old = {.slot = 3, .number = 7};
    const session_key new = {.slot = 3, .number = 9};
    const session_key other = {.slot = 0, .number = 8};
    assert_int_equal(numbers_of(&s, old), 0);
    subscriptions_add(&s, 1, old, &view);
    subscriptions_add(&s, 2, new, &view);
    subscriptions_add(&s, 3, old, &view);
    subscriptions_add(&s, 4, other, &view);
    subscriptions_add(&s, 5, new, &view);
    subscriptions_add(&s, 6, old, &view);
    assert_int_equal(numbers_of(&s, old), 1u << 1 | 1u << 3 | 1u << 6);
    assert_int_equal(numbers_of(&s, new), 1u << 2 | 1u << 5);
    assert_int_equal(numbers_of(&s, other), 1u << 4);
    assert_int_equal(numbers_of(&s, (session_key){.slot = 100, .number = 7}), 0);
    subscriptions_remove(&s, 3);
    subscriptions_remove(&s, 5);
    assert_int_equal(numbers_of(&s, old), 1u << 1 | 1u << 6);
    assert_int_equal(numbers_of(&s, new), 1u << 2);
    subscriptions_remove(&s, 6);
    subscriptions_remove(&s, 1);
    assert_int_equal(numbers_of(&s, old), 0);
    assert_int_equal(numbers_of(&s, new), 1u << 2);
    subscriptions_deinit(&s);
}

static void subscription_compare_sees_all_that_is_sent(void **state)
{
    (void)state;
    subscription plain = {.number = 1, .version = 7};
    event_marks_begin(&plain.marks, 9);
    subscription same = plain;
    same.number = 2;
    same.session.number = 5;
    same.view.rate = 3.0;
    same.skipped = 4;
    assert_int_equal(subscription_compare(&plain, &same), 0);
    subscription other[7];
    for (int i = 0; i < 7; i++) {
        other[i] = plain;
    }
    view_set *set = view_set_create(10);
    other[0].version = 8;
    other[1].marks.list[0].next = 8;
    other[2].seen = set;
    other[3].view.bodies = true;
    other[4].view.events = 1;
    other[5].view.contacts = true;
    other[6].view.has_area = true;
    for (int i = 0; i < 7; i++) {
        int order = subscription_compare(&plain, &other[i]);
        assert_int_not_equal(order, 0);
        assert_int_equal(subscription_compare(&other[i], &plain) < 0, order > 0);
    }
    subscription moved = other[6];
    moved.view.area.x1 = 1.0;
    assert_int_not_equal(subscription_compare(&other[6], &moved), 0);
    view_set_unref(set);
}

static void view_set_holds_slots_of_every_word(void **state)
{
    (void)state;
    view_set *s = view_set_create(130);
    static const uint32_t SLOTS[] = {0, 63, 64, 127, 128, 129};
    for (int i = 0; i < 6; i++) {
        assert_false(view_set_has(s, SLOTS[i]));
        view_set_add(s, SLOTS[i]);
        assert_true(view_set_has(s, SLOTS[i]));
    }
    assert_false(view_set_has(s, 1));
    assert_false(view_set_has(s, 130)); // beyond the size of the set
    assert_false(view_set_has(s, 100000));
    assert_ptr_equal(view_set_ref(s), s);
    view_set_unref(s);
    assert_true(view_set_has(s, 129));
    view_set_unref(s);
    assert_null(view_set_ref(NULL));
    view_set_unref(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subscription_rate_falls_on_so_many_ticks),
        cmocka_unit_test(subscriptions_of_one_rate_spread_over_the_ticks),
        cmocka_unit_test(phases_follow_views_that_come_move_and_go),
        cmocka_unit_test(rates_in_turn_spread_each_over_its_own_ticks),
        cmocka_unit_test(subscriptions_are_found_by_number),
        cmocka_unit_test(subscriptions_that_come_out_of_order_stand_in_order),
        cmocka_unit_test(subscriptions_events_are_what_any_of_them_wants),
        cmocka_unit_test(subscriptions_wishes_end_with_the_last_that_has_them),
        cmocka_unit_test(subscriptions_of_a_session_are_its_own_where_slots_are_used_again),
        cmocka_unit_test(subscription_compare_sees_all_that_is_sent),
        cmocka_unit_test(view_set_holds_slots_of_every_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
