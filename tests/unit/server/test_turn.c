// Turns of a clock that the test moves; shares by subject; jobs that are cut and continued.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/schedule/turn_queue.h"

enum { MS = 1000000, JOBS_MAX = 8, CROWD = 500, SMALL_NS = 10000 };

static int64_t now_ns;

static int64_t now(void)
{
    return now_ns;
}

static turn turn_of(int64_t length_ns)
{
    return turn_begin(now, length_ns);
}

// ---- turns

static void turn_is_over_when_its_time_is(void **state)
{
    (void)state;
    const turn t = turn_of(5 * MS);
    assert_false(turn_over(&t));
    now_ns += 2 * MS;
    assert_int_equal(turn_used_ns(&t), 2 * MS);
    assert_int_equal(turn_left_ns(&t), 3 * MS);
    now_ns += 3 * MS;
    assert_true(turn_over(&t));
    now_ns += MS;
    assert_int_equal(turn_left_ns(&t), 0);
}

static void part_ends_no_later_than_its_turn(void **state)
{
    (void)state;
    const turn t = turn_of(5 * MS);
    now_ns += 3 * MS;
    const turn small = turn_part(&t, MS);
    const turn large = turn_part(&t, 100 * MS);
    assert_int_equal(turn_left_ns(&small), MS);
    assert_int_equal(turn_left_ns(&large), 2 * MS);
}

// ---- shares

static void subject_that_comes_later_has_no_claim_on_the_past(void **state)
{
    (void)state;
    shares s = {0};
    share *first = shares_hold(&s, 7);
    shares_charge(&s, first, 100 * MS);
    shares_serve(&s, first);
    share *second = shares_hold(&s, 3);
    assert_int_equal(shares_used(&s, second), shares_used(&s, first));
    shares_charge(&s, second, MS);
    assert_true(shares_used(&s, second) > shares_used(&s, first));
    shares_release(&s, first);
    shares_release(&s, second);
    shares_deinit(&s);
}

static void subject_that_leaves_is_remembered_while_it_owes(void **state)
{
    (void)state;
    shares s = {0};
    share *one = shares_hold(&s, 1);
    shares_charge(&s, one, 50 * MS);
    shares_release(&s, one);
    for (uint64_t subject = 2; subject < 1000; subject++) { // enough for the table to be cleared
        shares_release(&s, shares_hold(&s, subject));
    }
    assert_true(s.list.count < 200);
    one = shares_hold(&s, 1);
    share *other = shares_hold(&s, 2000);
    assert_int_equal(shares_used(&s, one) - shares_used(&s, other), 50 * MS);
    shares_release(&s, one);
    shares_release(&s, other);
    shares_deinit(&s);
}

// ---- processor time

static int64_t processor_ns;
static uint32_t processor_readings;

static int64_t processor(void)
{
    processor_readings++;
    return processor_ns;
}

static void long_piece_is_charged_processor_time(void **state)
{
    (void)state;
    work_time w = work_time_begin(processor);
    processor_ns += 3 * MS;
    assert_int_equal(work_time_of(&w, 40 * MS), 3 * MS); // interrupted for 37 ms
    processor_ns += 5 * MS;
    assert_int_equal(work_time_of(&w, 5 * MS), 5 * MS);
}

static void short_pieces_are_charged_whole_and_once(void **state)
{
    (void)state;
    work_time w = work_time_begin(processor);
    processor_readings = 0;
    for (int i = 0; i < 10; i++) {
        processor_ns += WORK_TIME_SHORT_NS / 2;
        assert_int_equal(work_time_of(&w, WORK_TIME_SHORT_NS / 2), WORK_TIME_SHORT_NS / 2);
    }
    assert_int_equal(processor_readings, 0);
    processor_ns += MS;
    assert_int_equal(work_time_of(&w, 7 * MS), MS);
}

static void charge_is_between_nothing_and_the_wall_clock(void **state)
{
    (void)state;
    work_time w = work_time_begin(processor);
    assert_int_equal(work_time_of(&w, WORK_TIME_SHORT_NS), WORK_TIME_SHORT_NS);
    assert_int_equal(work_time_of(&w, MS), 0); // the short piece was interrupted, too
    processor_ns += 9 * MS;                    // work between two pieces
    assert_int_equal(work_time_of(&w, MS), MS);
    w = work_time_begin(NULL);
    assert_int_equal(work_time_of(&w, 8 * MS), 8 * MS);
}

// ---- queues

// Counts down pieces of a millisecond each, or of another length.
typedef struct countdown {
    turn_job job;
    int pieces;
    int64_t piece_ns; // 0: a millisecond
    int done;         // pieces
    int64_t done_ns;
    turn_queue *queue;
    turn_job *removes; // removes this job in its first piece
} countdown;

static job_progress count_down(turn_job *job, const turn *slice)
{
    countdown *c = (countdown *)job;
    if (c->removes != NULL) {
        turn_queue_remove(c->queue, c->removes);
        if (c->removes == job) {
            return JOB_DONE;
        }
    }
    do {
        now_ns += c->piece_ns > 0 ? c->piece_ns : MS;
        c->done++;
    } while (c->done < c->pieces && !turn_over(slice));
    c->done_ns = now_ns;
    return c->done < c->pieces ? JOB_GOES_ON : JOB_DONE;
}

static void job_is_cut_and_continued(void **state)
{
    (void)state;
    turn_queue q;
    turn_queue_init(&q, 1, now);
    countdown c = {.pieces = 12};
    assert_true(turn_queue_add(&q, &c.job, count_down, 1));
    for (int turns = 1; turns <= 3; turns++) {
        const turn t = turn_of(5 * MS);
        assert_int_equal(turn_queue_run(&q, &t), turns < 3);
        assert_int_equal(c.done, turns < 3 ? 5 * turns : 12);
        assert_int_equal(turn_job_queued(&c.job), turns < 3);
    }
    assert_int_equal(q.cuts, 2);
    assert_int_equal(q.longest_ns, 5 * MS);
    turn_queue_deinit(&q);
}

static void turn_without_time_does_a_piece(void **state)
{
    (void)state;
    turn_queue q;
    turn_queue_init(&q, 1, now);
    countdown c = {.pieces = 2};
    assert_true(turn_queue_add(&q, &c.job, count_down, 1));
    const turn t = turn_of(0);
    assert_true(turn_queue_run(&q, &t));
    assert_false(turn_queue_run(&q, &t));
    turn_queue_deinit(&q);
}

static void many_jobs_of_one_subject_let_another_one_pass(void **state)
{
    (void)state;
    turn_queue q;
    turn_queue_init(&q, JOBS_MAX, now);
    countdown flood[JOBS_MAX - 1] = {0};
    for (int i = 0; i < JOBS_MAX - 1; i++) {
        flood[i].pieces = 100;
        assert_true(turn_queue_add(&q, &flood[i].job, count_down, 1));
    }
    turn t = turn_of(5 * MS);
    assert_true(turn_queue_run(&q, &t));
    countdown single = {.pieces = 3};
    assert_true(turn_queue_add(&q, &single.job, count_down, 2));
    const int64_t begin = now_ns;
    t = turn_of(5 * MS);
    assert_true(turn_queue_run(&q, &t));
    t = turn_of(5 * MS);
    assert_true(turn_queue_run(&q, &t));
    assert_int_equal(single.done, 3); // it had half of each turn
    assert_true(single.done_ns - begin <= 8 * MS);
    while (turn_queue_run(&q, &(turn){now, now_ns, now_ns + 5 * MS})) {
    }
    for (int i = 1; i < JOBS_MAX - 1; i++) {
        assert_true(flood[i].done_ns > flood[i - 1].done_ns); // jobs end in order
    }
    turn_queue_deinit(&q);
}

static void short_job_does_not_wait_for_the_end_of_long_ones_of_its_subject(void **state)
{
    (void)state;
    turn_queue q;
    turn_queue_init(&q, 3, now);
    countdown jobs[3] = {{.pieces = 100}, {.pieces = 100}, {.pieces = 1}};
    const int64_t begin = now_ns;
    for (int i = 0; i < 3; i++) {
        assert_true(turn_queue_add(&q, &jobs[i].job, count_down, 1));
    }
    while (turn_queue_run(&q, &(turn){now, now_ns, now_ns + 5 * MS})) {
    }
    assert_true(jobs[2].done_ns - begin <= 5 * MS);
    assert_int_equal(jobs[0].done + jobs[1].done, 200);
    turn_queue_deinit(&q);
}

// A thousand connections are a thousand subjects: one ready piece of each must not add up to a long
// delay.
static void subject_with_little_does_not_wait_for_much_of_many_others(void **state)
{
    (void)state;
    turn_queue q;
    turn_queue_init(&q, CROWD + 1, now);
    countdown *crowd = calloc(CROWD, sizeof *crowd);
    assert_non_null(crowd);
    for (uint32_t i = 0; i < CROWD; i++) {
        crowd[i] = (countdown){.pieces = 100, .piece_ns = SMALL_NS};
        assert_true(turn_queue_add(&q, &crowd[i].job, count_down, i + 1));
    }
    for (int messages = 0; messages < 5; messages++) {
        countdown single = {.pieces = 1, .piece_ns = SMALL_NS};
        const int64_t begin = now_ns;
        assert_true(turn_queue_add(&q, &single.job, count_down, CROWD + 1));
        while (turn_job_queued(&single.job)) {
            assert_true(turn_queue_run(&q, &(turn){now, now_ns, now_ns + MS}));
        }
        assert_in_range(single.done_ns - begin, 0, 2 * CROWD * SMALL_NS);
    }
    while (turn_queue_run(&q, &(turn){now, now_ns, now_ns + MS})) {
    }
    turn_queue_deinit(&q);
    free(crowd);
}

// Its piece took 40 ms by the wall clock, since the system gave the processor to its reader.
static job_progress be_interrupted(turn_job *job, const turn *slice)
{
    (void)slice;
    now_ns += 40 * MS;
    processor_ns += SMALL_NS;
    ((countdown *)job)->done++;
    return JOB_DONE;
}

static job_progress work_on(turn_job *job, const turn *slice)
{
    (void)slice;
    now_ns += MS;
    processor_ns += MS;
    ((countdown *)job)->done++;
    return JOB_GOES_ON;
}

static void interrupted_subject_owes_nothing_for_the_time_of_others(void **state)
{
    (void)state;
    turn_queue q;
    turn_queue_init(&q, JOBS_MAX, processor);
    countdown flood[JOBS_MAX - 1] = {0};
    for (uint32_t i = 0; i < JOBS_MAX - 1; i++) {
        assert_true(turn_queue_add(&q, &flood[i].job, work_on, i + 2));
    }
    countdown quiet = {0};
    for (int messages = 1; messages <= 3; messages++) {
        assert_true(turn_queue_add(&q, &quiet.job, be_interrupted, 1));
        int turns = 0;
        while (quiet.done < messages) {
            assert_true(turn_queue_run(&q, &(turn){now, now_ns, now_ns + MS}));
            assert_in_range(++turns, 1, JOBS_MAX + 1);
        }
    }
    for (uint32_t i = 0; i < JOBS_MAX - 1; i++) {
        turn_queue_remove(&q, &flood[i].job);
    }
    const turn t = turn_of(MS);
    assert_false(turn_queue_run(&q, &t)); // shares whose jobs were removed leave the heap
    turn_queue_deinit(&q);
}

static void queue_has_a_maximum(void **state)
{
    (void)state;
    turn_queue q;
    turn_queue_init(&q, 2, now);
    countdown jobs[3] = {{.pieces = 1}, {.pieces = 1}, {.pieces = 1}};
    assert_true(turn_queue_add(&q, &jobs[0].job, count_down, 1));
    assert_true(turn_queue_add(&q, &jobs[1].job, count_down, 2));
    assert_false(turn_queue_add(&q, &jobs[2].job, count_down, 3));
    turn_queue_remove(&q, &jobs[0].job);
    assert_true(turn_queue_add(&q, &jobs[2].job, count_down, 3));
    const turn t = turn_of(100 * MS);
    assert_false(turn_queue_run(&q, &t));
    assert_int_equal(jobs[0].done, 0);
    assert_int_equal(jobs[1].done + jobs[2].done, 2);
    turn_queue_deinit(&q);
}

static void job_may_remove_others_and_itself(void **state)
{
    (void)state;
    turn_queue q;
    turn_queue_init(&q, 3, now);
    countdown gone = {.pieces = 9, .queue = &q};
    countdown other = {.pieces = 1, .queue = &q, .removes = &gone.job};
    countdown itself = {.pieces = 9, .queue = &q, .removes = &itself.job};
    assert_true(turn_queue_add(&q, &other.job, count_down, 1));
    assert_true(turn_queue_add(&q, &gone.job, count_down, 2));
    assert_true(turn_queue_add(&q, &itself.job, count_down, 3));
    const turn t = turn_of(100 * MS);
    assert_false(turn_queue_run(&q, &t));
    assert_int_equal(gone.done + itself.done, 0);
    assert_int_equal(other.done, 1);
    turn_queue_remove(&q, &gone.job); // removing twice is allowed
    assert_int_equal(q.count, 0);
    turn_queue_deinit(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turn_is_over_when_its_time_is),
        cmocka_unit_test(part_ends_no_later_than_its_turn),
        cmocka_unit_test(subject_that_comes_later_has_no_claim_on_the_past),
        cmocka_unit_test(subject_that_leaves_is_remembered_while_it_owes),
        cmocka_unit_test(long_piece_is_charged_processor_time),
        cmocka_unit_test(short_pieces_are_charged_whole_and_once),
        cmocka_unit_test(charge_is_between_nothing_and_the_wall_clock),
        cmocka_unit_test(job_is_cut_and_continued),
        cmocka_unit_test(turn_without_time_does_a_piece),
        cmocka_unit_test(many_jobs_of_one_subject_let_another_one_pass),
        cmocka_unit_test(short_job_does_not_wait_for_the_end_of_long_ones_of_its_subject),
        cmocka_unit_test(subject_with_little_does_not_wait_for_much_of_many_others),
        cmocka_unit_test(interrupted_subject_owes_nothing_for_the_time_of_others),
        cmocka_unit_test(queue_has_a_maximum),
        cmocka_unit_test(job_may_remove_others_and_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
