// Tests of server/world/snapshots/event_log.h: numbering without gaps, trimming, steady memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "proto/encode/encode.h"
#include "server/world/snapshots/event_log.h"

static physics_event event_of(uint64_t tick)
{
    return (physics_event){.kind = EVENT_BEGIN, .tick = tick, .a = tick + 1, .b = tick + 2};
}

static void note(event_log *log, uint64_t from, uint64_t to)
{
    for (uint64_t tick = from; tick < to; tick++) {
        physics_event event = event_of(tick);
        event_log_note(log, &event);
    }
}

// The event of this number is the one of the same tick, with its own bytes.
static void assert_event(const event_log *log, uint64_t number)
{
    const uint8_t *encoded = NULL;
    const event_entry *entry = event_log_get(log, number, &encoded);
    physics_event event = event_of(number);
    buffer fresh;
    buffer_init(&fresh, 1000);
    encode_event(&fresh, &event);
    assert_int_equal(entry->a, number + 1);
    assert_int_equal(entry->size, fresh.size);
    assert_memory_equal(encoded, fresh.data, fresh.size);
    buffer_deinit(&fresh);
}

static void event_log_numbers_events_without_gaps(void **state)
{
    (void)state;
    event_log log;
    event_log_init(&log);
    assert_int_equal(event_log_end(&log), 0);
    note(&log, 0, 300);
    assert_int_equal(event_log_end(&log), 300);
    for (uint64_t i = 0; i < 300; i++) {
        assert_event(&log, i);
    }
    event_log_deinit(&log);
}

static void event_log_trim_keeps_the_rest_in_place(void **state)
{
    (void)state;
    event_log log;
    event_log_init(&log);
    note(&log, 0, 300);
    event_log_trim(&log, 250);
    assert_int_equal(event_log_end(&log), 300);
    for (uint64_t i = 250; i < 300; i++) {
        assert_event(&log, i);
    }
    note(&log, 300, 400);
    event_log_trim(&log, 260);
    for (uint64_t i = 260; i < 400; i++) {
        assert_event(&log, i);
    }
    event_log_deinit(&log);
}

static void event_log_trim_of_all_goes_on_counting(void **state)
{
    (void)state;
    event_log log;
    event_log_init(&log);
    note(&log, 0, 10);
    event_log_trim(&log, 10);
    assert_int_equal(log.entries.count, 0);
    assert_int_equal(event_log_end(&log), 10);
    note(&log, 10, 20);
    assert_event(&log, 10);
    assert_event(&log, 19);
    event_log_trim(&log, 5); // the log has no event so old
    assert_event(&log, 10);
    event_log_deinit(&log);
}

static void event_log_steady_use_does_not_grow(void **state)
{
    (void)state;
    event_log log;
    event_log_init(&log);
    for (uint64_t i = 0; i < 20000; i++) {
        note(&log, i, i + 1);
        event_log_trim(&log, i > 50 ? i - 50 : 0);
    }
    assert_true(log.entries.capacity <= 256);
    assert_event(&log, 19960);
    event_log_deinit(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_log_numbers_events_without_gaps),
        cmocka_unit_test(event_log_trim_keeps_the_rest_in_place),
        cmocka_unit_test(event_log_trim_of_all_goes_on_counting),
        cmocka_unit_test(event_log_steady_use_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
