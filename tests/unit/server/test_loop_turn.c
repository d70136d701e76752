// A turn of an event loop, its stages, and the sources that are served past a stage's end.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/net/loop_turn.h"

static int64_t now;

static int64_t clock_of_test(void)
{
    return now;
}

enum { MS = 1000000, ADA = 7, BOB = 8 };

static void stage_grants_until_its_end(void **state)
{
    (void)state;
    static loop_turn t;
    loop_turn_init(&t, clock_of_test);
    int granted = 0;
    for (now = 0; now < 20 * MS; now += MS / 10) {
        granted += loop_turn_grants(&t, LOOP_READ, ADA);
    }
    assert_int_equal(granted, 13);
    assert_false(loop_turn_grants(&t, LOOP_READ, ADA));
}

static void each_subject_is_served_once_past_the_end(void **state)
{
    (void)state;
    static loop_turn t;
    now = 0;
    loop_turn_init(&t, clock_of_test);
    loop_turn_begin(&t);
    now = 2 * MS;
    assert_false(loop_turn_served(&t, LOOP_READ, ADA));
    assert_true(loop_turn_grants(&t, LOOP_READ, ADA));
    assert_true(loop_turn_served(&t, LOOP_READ, ADA));
    assert_false(loop_turn_served(&t, LOOP_READ, BOB));
    assert_false(loop_turn_grants(&t, LOOP_READ, ADA));
    assert_true(loop_turn_grants(&t, LOOP_READ, BOB));
    assert_false(loop_turn_grants(&t, LOOP_READ, BOB));
    assert_true(loop_turn_grants(&t, LOOP_WRITE, ADA)); // its own piece
    (void)loop_turn_end(&t);
    assert_true(loop_turn_grants(&t, LOOP_READ, ADA)); // the next turn grants it
}

// Other programs had the processor for 20 ms: the later stages still get more than one piece.
static void stage_has_its_least_in_a_turn_that_is_over(void **state)
{
    (void)state;
    static loop_turn t;
    now = 0;
    loop_turn_init(&t, clock_of_test);
    loop_turn_begin(&t);
    turn left = loop_turn_stage_least(&t, LOOP_ANSWER, MS / 5);
    assert_int_equal(turn_left_ns(&left), 3 * MS + MS / 4);
    now = 20 * MS;
    left = loop_turn_stage_least(&t, LOOP_ANSWER, MS / 5);
    assert_int_equal(turn_left_ns(&left), MS / 5);
    left = loop_turn_stage(&t, LOOP_ANSWER);
    assert_true(turn_over(&left));
}

static void nobody_is_served_in_a_turn_that_is_too_long(void **state)
{
    (void)state;
    static loop_turn t;
    now = 0;
    loop_turn_init(&t, clock_of_test);
    loop_turn_begin(&t);
    now = 5 * MS;
    for (int stage = 0; stage < LOOP_STAGE_COUNT; stage++) {
        assert_false(loop_turn_grants(&t, (loop_stage)stage, ADA));
    }
}

static void handshakes_leave_time_for_reading_and_that_for_work(void **state)
{
    (void)state;
    static loop_turn t;
    now = 0;
    loop_turn_init(&t, clock_of_test);
    const turn handshakes = loop_turn_stage(&t, LOOP_HANDSHAKE);
    const turn reading = loop_turn_stage(&t, LOOP_READ);
    const turn work = loop_turn_stage(&t, LOOP_WORK);
    const turn answers = loop_turn_stage(&t, LOOP_ANSWER);
    const turn writing = loop_turn_stage(&t, LOOP_WRITE);
    assert_true(handshakes.end_ns < reading.end_ns);
    assert_true(reading.end_ns < work.end_ns);
    assert_true(work.end_ns < answers.end_ns);
    assert_true(answers.end_ns < writing.end_ns);
    assert_true(writing.end_ns < 5 * MS);
}

static int64_t end_of(loop_turn *t, loop_stage stage)
{
    return loop_turn_stage(t, stage).end_ns - t->begin_ns;
}

static void stages_before_one_that_is_behind_end_earlier(void **state)
{
    (void)state;
    static loop_turn t;
    int64_t usual[LOOP_STAGE_COUNT];
    now = 0;
    loop_turn_init(&t, clock_of_test);
    for (int stage = 0; stage < LOOP_STAGE_COUNT; stage++) {
        usual[stage] = end_of(&t, (loop_stage)stage);
    }
    for (int behind = 0; behind < LOOP_STAGE_COUNT; behind++) {
        loop_turn_behind(&t, (loop_stage)behind);
        // the change does not affect this turn
        assert_int_equal(end_of(&t, LOOP_READ), usual[LOOP_READ]);
        (void)loop_turn_end(&t);
        for (int stage = 0; stage < LOOP_STAGE_COUNT; stage++) {
            const int64_t end = end_of(&t, (loop_stage)stage);
            assert_true(stage < behind ? end < usual[stage] : end == usual[stage]);
        }
        (void)loop_turn_end(&t); // the stage has caught up
        assert_int_equal(end_of(&t, LOOP_READ), usual[LOOP_READ]);
    }
}

static void turn_tells_how_long_it_was(void **state)
{
    (void)state;
    static loop_turn t;
    now = 3 * MS;
    loop_turn_init(&t, clock_of_test);
    assert_int_equal(loop_turn_end(&t), -1);
    loop_turn_begin(&t);
    now = 4 * MS;
    loop_turn_begin(&t); // ignored: the turn has begun
    now = 7 * MS;
    assert_int_equal(loop_turn_end(&t), 4 * MS);
    assert_int_equal(loop_turn_end(&t), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stage_grants_until_its_end),
        cmocka_unit_test(each_subject_is_served_once_past_the_end),
        cmocka_unit_test(stage_has_its_least_in_a_turn_that_is_over),
        cmocka_unit_test(nobody_is_served_in_a_turn_that_is_too_long),
        cmocka_unit_test(handshakes_leave_time_for_reading_and_that_for_work),
        cmocka_unit_test(stages_before_one_that_is_behind_end_earlier),
        cmocka_unit_test(turn_tells_how_long_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
