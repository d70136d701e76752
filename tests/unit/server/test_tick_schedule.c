// The schedule of ticks, with a simulated clock.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/world/tick/tick_schedule.h"

static const int64_t SECOND = 1000000000;
static const int64_t MS = 1000000;

// Ticks that begin within `length`, when each begins `delay(i)` after it was due.
static uint64_t count_ticks(double hz, int64_t length, int64_t (*delay)(uint64_t))
{
    tick_schedule s = {0};
    int64_t start = 123456789;
    tick_schedule_start(&s, hz, 250 * MS, start);
    for (;;) {
        int64_t now = tick_schedule_due_ns(&s) + delay(s.ticks);
        if (now > start + length) {
            assert_int_equal(s.skipped_ns, 0);
            return s.ticks;
        }
        tick_schedule_tick(&s, now);
    }
}

static int64_t punctual(uint64_t tick)
{
    (void)tick;
    return 0;
}

// Up to 9 ms late, never the same twice.
static int64_t unsteady(uint64_t tick)
{
    return (int64_t)(tick * 2654435761u % 9000000);
}

static void tick_schedule_minute_at_60_hz_has_3600_ticks(void **state)
{
    (void)state;
    assert_int_equal(count_ticks(60.0, 60 * SECOND, punctual), 3600);
    assert_in_range(count_ticks(60.0, 60 * SECOND, unsteady), 3599, 3600);
}

static void tick_schedule_other_rates_hold_too(void **state)
{
    (void)state;
    assert_int_equal(count_ticks(128.0, 60 * SECOND, punctual), 7680);
    assert_int_equal(count_ticks(1.0, 60 * SECOND, punctual), 60);
    assert_int_equal(count_ticks(1000.0, SECOND, punctual), 1000);
    assert_in_range(count_ticks(59.94, 600 * SECOND, unsteady), 35963, 35964);
}

static void tick_schedule_day_does_not_drift(void **state)
{
    (void)state;
    tick_schedule s = {0};
    tick_schedule_start(&s, 60.0, 250 * MS, 0);
    s.ticks = (uint64_t)60 * 86400 - 1;
    assert_true(llabs(tick_schedule_due_ns(&s) - 86400 * SECOND) <= 16);
}

static void tick_schedule_late_tick_is_made_up_for(void **state)
{
    (void)state;
    tick_schedule s = {0};
    tick_schedule_start(&s, 100.0, 250 * MS, 0);
    assert_int_equal(tick_schedule_due_ns(&s), 10 * MS);
    assert_int_equal(tick_schedule_tick(&s, 45 * MS), 0);
    assert_int_equal(s.late, 1);
    // The later ticks keep their due times, so they follow at once.
    assert_int_equal(tick_schedule_due_ns(&s), 20 * MS);
    assert_int_equal(tick_schedule_lag_ns(&s, 45 * MS), 25 * MS);
    tick_schedule_tick(&s, 45 * MS);
    tick_schedule_tick(&s, 45 * MS);
    tick_schedule_tick(&s, 45 * MS);
    assert_int_equal(tick_schedule_due_ns(&s), 50 * MS);
    assert_int_equal(tick_schedule_lag_ns(&s, 45 * MS), 0);
    assert_int_equal(s.skipped_ns, 0);
}

static void tick_schedule_overload_slows_time_and_piles_up_nothing(void **state)
{
    (void)state;
    tick_schedule s = {0};
    tick_schedule_start(&s, 100.0, 250 * MS, 0);
    // Every tick takes 30 ms where 10 are allowed, for 30 s.
    int64_t now = tick_schedule_due_ns(&s);
    int64_t most = 0;
    while (now < 30 * SECOND) {
        int64_t lag = tick_schedule_lag_ns(&s, now);
        most = lag > most ? lag : most;
        tick_schedule_tick(&s, now);
        now += 30 * MS;
    }
    assert_in_range(most, 250 * MS, 281 * MS);
    assert_in_range(s.ticks, 999, 1001);
    // 1000 ticks are 10 s of world time; the other 20 were dropped from the schedule, except for
    // the backlog.
    assert_in_range(s.skipped_ns, 20 * SECOND - 300 * MS, 20 * SECOND);
    // When the load has ended, the world catches up with the backlog, and the rate is the old one.
    uint64_t before = s.ticks;
    int64_t until = now + 10 * SECOND;
    while (tick_schedule_due_ns(&s) <= until) {
        int64_t due = tick_schedule_due_ns(&s);
        tick_schedule_tick(&s, due > now ? due : now);
    }
    assert_in_range(s.ticks - before, 1000, 1026);
}

static void tick_schedule_restart_keeps_the_counts(void **state)
{
    (void)state;
    tick_schedule s = {0};
    tick_schedule_start(&s, 100.0, 0, 0);
    tick_schedule_tick(&s, 35 * MS);
    assert_int_equal(s.skipped_ns, 25 * MS);
    tick_schedule_start(&s, 100.0, 0, SECOND);
    assert_int_equal(s.skipped_ns, 25 * MS);
    assert_int_equal(s.late, 1);
    assert_int_equal(tick_schedule_due_ns(&s), SECOND + 10 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tick_schedule_minute_at_60_hz_has_3600_ticks),
        cmocka_unit_test(tick_schedule_other_rates_hold_too),
        cmocka_unit_test(tick_schedule_day_does_not_drift),
        cmocka_unit_test(tick_schedule_late_tick_is_made_up_for),
        cmocka_unit_test(tick_schedule_overload_slows_time_and_piles_up_nothing),
        cmocka_unit_test(tick_schedule_restart_keeps_the_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
