// The reasons why a world is late, with a simulated clock.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/world/tick/slowdown.h"

static const int64_t MS = 1000000;

typedef struct fixture {
    slowdown s;
    int64_t now, processor, due;
    char text[SLOWDOWN_TEXT_MAX];
} fixture;

// A tick that begins `wait` late, of which the thread worked `worked`, and that takes `wall`, of
// which it worked `own`. Ticks are due every 10 ms.
static void tick(fixture *f, int64_t wait, int64_t worked, int64_t wall, int64_t own, bool shared)
{
    f->now += wait;
    f->processor += worked;
    slowdown_begin_tick(&f->s, f->due, f->now - f->due < 10 * MS, f->now, f->processor);
    f->now += wall;
    f->processor += own;
    slowdown_end_tick(&f->s, shared, f->now, f->processor);
    f->due += 10 * MS;
}

static fixture begin(void)
{
    fixture f = {.now = 1000 * MS, .processor = 5 * MS, .due = 1010 * MS};
    slowdown_start(&f.s, f.now, f.processor);
    return f;
}

static const char *tell(fixture *f)
{
    return slowdown_tell(&f->s, "w", 10e6, f->text);
}

static void long_ticks_are_an_overload(void **state)
{
    (void)state;
    fixture f = begin();
    tick(&f, 10 * MS, 0, 25 * MS, 25 * MS, false);
    for (int i = 0; i < 20; i++) {
        tick(&f, 0, 0, 25 * MS, 25 * MS, false);
    }
    assert_string_equal(tell(&f), "world 'w' is overloaded: a tick takes 25.00 of 10.00 ms");
}

static void ticks_on_several_threads_are_an_overload_too(void **state)
{
    (void)state;
    fixture f = begin();
    for (int i = 0; i < 20; i++) {
        tick(&f, 0, 0, 25 * MS, 9 * MS, true);
    }
    assert_string_equal(tell(&f), "world 'w' is overloaded: a tick takes 25.00 of 10.00 ms");
}

static void stopped_process_had_no_processor(void **state)
{
    (void)state;
    fixture f = begin();
    tick(&f, 10 * MS, 0, MS, MS, false);
    // for 9 ms of that it slept until the tick was due
    tick(&f, 9 * MS + 349 * MS, MS / 100, MS, MS, false);
    assert_string_equal(tell(&f), "world 'w' is late: the process got no processor for 349 ms");
}

static void process_stopped_within_a_tick_had_no_processor(void **state)
{
    (void)state;
    fixture f = begin();
    tick(&f, 10 * MS, 0, 400 * MS, MS, false);
    tick(&f, 0, 0, MS, MS, false);
    assert_string_equal(tell(&f), "world 'w' is late: the process got no processor for 399 ms");
}

static void busy_thread_is_named(void **state)
{
    (void)state;
    fixture f = begin();
    tick(&f, 10 * MS, 0, MS, MS, false);
    tick(&f, 309 * MS, 300 * MS, MS, MS, false);
    assert_string_equal(tell(&f), "world 'w' is late: other worlds of its thread took 300 ms");
}

static void world_in_time_again_begins_anew(void **state)
{
    (void)state;
    fixture f = begin();
    tick(&f, 10 * MS, 0, 500 * MS, MS, false);
    f.due = f.now + 10 * MS;
    tick(&f, 10 * MS, 0, 30 * MS, 30 * MS, false);
    tick(&f, 0, 0, 30 * MS, 30 * MS, false);
    assert_string_equal(tell(&f), "world 'w' is overloaded: a tick takes 30.00 of 10.00 ms");
}

static void report_begins_anew(void **state)
{
    (void)state;
    fixture f = begin();
    tick(&f, 10 * MS, 0, 500 * MS, MS, false);
    assert_string_equal(tell(&f), "world 'w' is late: the process got no processor for 499 ms");
    slowdown_start(&f.s, f.s.at_ns, f.s.processor_ns);
    tick(&f, 0, 0, 30 * MS, 30 * MS, false);
    assert_string_equal(tell(&f), "world 'w' is overloaded: a tick takes 30.00 of 10.00 ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_ticks_are_an_overload),
        cmocka_unit_test(ticks_on_several_threads_are_an_overload_too),
        cmocka_unit_test(stopped_process_had_no_processor),
        cmocka_unit_test(process_stopped_within_a_tick_had_no_processor),
        cmocka_unit_test(busy_thread_is_named),
        cmocka_unit_test(world_in_time_again_begins_anew),
        cmocka_unit_test(report_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
