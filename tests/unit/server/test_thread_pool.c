// Every task of a round runs once, on any thread, and its writes are visible afterwards.
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

#include "server/world/tick/thread_pool.h"

typedef struct tally {
    uint32_t runs[TASKS_MAX]; // each written by the thread that runs the task
    atomic_int begun;
    uint32_t add;
} tally;

static tally counted;

static void count_run(void *context, uint32_t index)
{
    tally *t = context;
    t->runs[index] += t->add;
}

static thread_pool *make(int threads)
{
    thread_pool *p = NULL;
    error err = {0};
    assert_int_equal(thread_pool_create(threads, &p, &err), STATUS_OK);
    return p;
}

static void assert_all(const tally *t, uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < TASKS_MAX; i++) {
        assert_int_equal(t->runs[i], i < count ? value : 0);
    }
}

static void pool_of_any_size_runs_each_task_once(void **state)
{
    (void)state;
    const uint32_t counts[] = {0, 1, 2, 3, 64, TASKS_MAX};
    for (int threads = 1; threads <= 5; threads++) {
        thread_pool *p = make(threads);
        task_runner runner = thread_pool_runner(p);
        assert_int_equal(runner.threads, threads);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            memset(&counted, 0, sizeof counted);
            counted.add = 1;
            runner.run(runner.pool, count_run, &counted, counts[i]);
            assert_all(&counted, counts[i], 1);
        }
        thread_pool_destroy(p);
    }
}

static void rounds_in_a_row_never_mix(void **state)
{
    (void)state;
    thread_pool *p = make(4);
    task_runner runner = thread_pool_runner(p);
    static tally other;
    memset(&counted, 0, sizeof counted);
    memset(&other, 0, sizeof other);
    uint32_t sum = 0;
    for (uint32_t round = 1; round <= 20000; round++) {
        tally *t = round % 2 == 0 ? &counted : &other;
        t->add = round;
        runner.run(runner.pool, count_run, t, 5);
        sum += t == &counted ? round : 0;
    }
    assert_all(&counted, 5, sum);
    assert_all(&other, 5, 20000u * 20001u / 2 - sum);
    thread_pool_destroy(p);
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

static void worker_that_sleeps_is_woken_by_the_next_round(void **state)
{
    (void)state;
    thread_pool *p = make(2);
    task_runner runner = thread_pool_runner(p);
    for (int i = 0; i < 5; i++) {
        usleep(20000); // long enough for the worker to be asleep
        memset(&counted, 0, sizeof counted);
        runner.run(runner.pool, wait_for_two, &counted, 2);
        assert_int_equal(atomic_load(&counted.begun), 2);
    }
    thread_pool_destroy(p);
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

typedef struct worker_note {
    tally both;
    pid_t thread;
    int processor;
} worker_note;

// The same, and records the worker's thread and processor: the last task runs on the worker.
static void wait_and_note(void *context, uint32_t index)
{
    worker_note *note = context;
    if (index == 1) {
        note->thread = gettid();
        note->processor = sched_getcpu();
    }
    wait_for_two(&note->both, index);
}

static worker_note note_worker(thread_pool *p)
{
    static worker_note note;
    memset(&note, 0, sizeof note);
    task_runner runner = thread_pool_runner(p);
    runner.run(runner.pool, wait_and_note, &note, 2);
    return note;
}

// Reads the thread's state from /proc.
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

// Two threads on one processor are no faster than one.
static void worker_that_wakes_on_the_callers_processor_leaves_it(void **state)
{
    (void)state;
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) {
        skip(); // there is no other processor
    }
    thread_pool *p = make(2);
    const pid_t worker = note_worker(p).thread;
    const int mine = first_processor(&all);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)mine, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
        thread_pool_destroy(p);
        skip(); // this process may not choose processors, so the worker may not either
    }
    int elsewhere = 0;
    for (int i = 0; i < 10; i++) {
        wait_until_asleep(worker);
        // the worker will wake on this processor
        assert_int_equal(sched_setaffinity(worker, sizeof one, &one), 0);
        elsewhere += note_worker(p).processor != mine;
    }
    sched_setaffinity(0, sizeof all, &all);
    thread_pool_destroy(p);
    assert_int_equal(elsewhere, 10);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pool_without_work_uses_no_processor(void **state)
{
    (void)state;
    thread_pool *p = make(8);
    task_runner runner = thread_pool_runner(p);
    memset(&counted, 0, sizeof counted);
    runner.run(runner.pool, count_run, &counted, 64);
    usleep(50000);
    double before = cpu_seconds();
    usleep(300000);
    assert_true(cpu_seconds() - before < 0.1); // seven threads that poll without end would use more
    thread_pool_destroy(p);
}

static void pools_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        thread_pool_destroy(make(1 + i % 6));
    }
    thread_pool_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_of_any_size_runs_each_task_once),
        cmocka_unit_test(rounds_in_a_row_never_mix),
        cmocka_unit_test(worker_that_sleeps_is_woken_by_the_next_round),
        cmocka_unit_test(worker_that_wakes_on_the_callers_processor_leaves_it),
        cmocka_unit_test(pool_without_work_uses_no_processor),
        cmocka_unit_test(pools_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
