// Every task of a round is run once, by whichever thread, and what it wrote is seen afterwards.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/world/crew.h"

typedef struct tally {
    uint32_t runs[TASKS_MAX]; // each written by whoever runs that task
    atomic_int begun;
    uint32_t add;
} tally;

static tally counted;

static void count_run(void *context, uint32_t index)
{
    tally *t = context;
    t->runs[index] += t->add;
}

static crew *make(int threads)
{
    crew *c = NULL;
    error err = {0};
    assert_int_equal(crew_create(threads, &c, &err), STATUS_OK);
    return c;
}

static void assert_all(const tally *t, uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < TASKS_MAX; i++) {
        assert_int_equal(t->runs[i], i < count ? value : 0);
    }
}

static void crew_of_any_size_runs_each_task_once(void **state)
{
    (void)state;
    const uint32_t counts[] = {0, 1, 2, 3, 64, TASKS_MAX};
    for (int threads = 1; threads <= 5; threads++) {
        crew *c = make(threads);
        task_runner runner = crew_runner(c);
        assert_int_equal(runner.threads, threads);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            memset(&counted, 0, sizeof counted);
            counted.add = 1;
            runner.run(runner.crew, count_run, &counted, counts[i]);
            assert_all(&counted, counts[i], 1);
        }
        crew_destroy(c);
    }
}

static void rounds_in_a_row_never_mix(void **state)
{
    (void)state;
    crew *c = make(4);
    task_runner runner = crew_runner(c);
    static tally other;
    memset(&counted, 0, sizeof counted);
    memset(&other, 0, sizeof other);
    uint32_t sum = 0;
    for (uint32_t round = 1; round <= 20000; round++) {
        tally *t = round % 2 == 0 ? &counted : &other;
        t->add = round;
        runner.run(runner.crew, count_run, t, 5);
        sum += t == &counted ? round : 0;
    }
    assert_all(&counted, 5, sum);
    assert_all(&other, 5, 20000u * 20001u / 2 - sum);
    crew_destroy(c);
}

// Ends only when another task has begun as well.
static void wait_for_two(void *context, uint32_t index)
{
    (void)index;
    tally *t = context;
    atomic_fetch_add(&t->begun, 1);
    while (atomic_load(&t->begun) < 2) {
        usleep(100);
    }
}

static void helper_that_sleeps_is_woken_by_the_next_round(void **state)
{
    (void)state;
    crew *c = make(2);
    task_runner runner = crew_runner(c);
    for (int i = 0; i < 5; i++) {
        usleep(20000); // long enough for the helper to be asleep
        memset(&counted, 0, sizeof counted);
        runner.run(runner.crew, wait_for_two, &counted, 2);
        assert_int_equal(atomic_load(&counted.begun), 2);
    }
    crew_destroy(c);
}

static int first_processor(const cpu_set_t *of)
{
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET((size_t)i, of)) {
            return i;
        }
    }
    return -1;
}

typedef struct helper_note {
    tally both;
    pid_t thread;
    int processor;
} helper_note;

// The same, and notes who the helper is and where: the last task is its own.
static void wait_and_note(void *context, uint32_t index)
{
    helper_note *note = context;
    if (index == 1) {
        note->thread = gettid();
        note->processor = sched_getcpu();
    }
    wait_for_two(&note->both, index);
}

static helper_note note_helper(crew *c)
{
    static helper_note note;
    memset(&note, 0, sizeof note);
    task_runner runner = crew_runner(c);
    runner.run(runner.crew, wait_and_note, &note, 2);
    return note;
}

// As /proc tells it.
static bool is_asleep(pid_t thread)
{
    char path[64];
    char line[256] = "";
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    (void)fclose(file);
    const char *name_end = strrchr(line, ')');
    assert_non_null(name_end);
    return name_end[2] == 'S';
}

static void wait_until_asleep(pid_t thread)
{
    for (int i = 0; i < 10000 && !is_asleep(thread); i++) {
        usleep(1000);
    }
    assert_true(is_asleep(thread));
}

// Two that share a processor gain nothing by being two.
static void helper_that_wakes_on_the_captains_processor_leaves_it(void **state)
{
    (void)state;
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) {
        skip(); // there is no other
    }
    crew *c = make(2);
    const pid_t helper = note_helper(c).thread;
    const int mine = first_processor(&all);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)mine, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
        crew_destroy(c);
        skip(); // nobody may choose here, so the helper may not either
    }
    int elsewhere = 0;
    for (int i = 0; i < 10; i++) {
        wait_until_asleep(helper);
        assert_int_equal(sched_setaffinity(helper, sizeof one, &one), 0); // where it will wake
        elsewhere += note_helper(c).processor != mine;
    }
    sched_setaffinity(0, sizeof all, &all);
    crew_destroy(c);
    assert_int_equal(elsewhere, 10);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void crew_without_work_uses_no_processor(void **state)
{
    (void)state;
    crew *c = make(8);
    task_runner runner = crew_runner(c);
    memset(&counted, 0, sizeof counted);
    runner.run(runner.crew, count_run, &counted, 64);
    usleep(50000);
    double before = cpu_seconds();
    usleep(300000);
    assert_true(cpu_seconds() - before < 0.1); // seven that look on without end would take more
    crew_destroy(c);
}

static void crews_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        crew_destroy(make(1 + i % 6));
    }
    crew_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crew_of_any_size_runs_each_task_once),
        cmocka_unit_test(rounds_in_a_row_never_mix),
        cmocka_unit_test(helper_that_sleeps_is_woken_by_the_next_round),
        cmocka_unit_test(helper_that_wakes_on_the_captains_processor_leaves_it),
        cmocka_unit_test(crew_without_work_uses_no_processor),
        cmocka_unit_test(crews_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
