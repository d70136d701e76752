// A simulation thread, used as the network thread uses it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"
#include "server/base/home.h"
#include "server/world/tick/sim_thread.h"

static limits bounds;
static atomic_int wakes;

static void wake(void *context)
{
    (void)context;
    atomic_fetch_add(&wakes, 1);
}

// Starts an own thread with permits, or an ordinary one if they are NULL. `turned`: the test calls
// sim_thread_turn().
static sim_thread *start_as(permits *of, bool turned)
{
    sim_thread *h = NULL;
    bounds = limits_default();
    sim_thread_options options = {.world_threads = 2,
                                  .limits = &bounds,
                                  .wake = wake,
                                  .own_thread = of != NULL,
                                  .permits = of,
                                  .turned = turned};
    assert_int_equal(sim_thread_create(&options, &h, NULL), STATUS_OK);
    return h;
}

static sim_thread *start_with(permits *of)
{
    return start_as(of, false);
}

static sim_thread *start(void)
{
    return start_with(NULL);
}

// Waits for the next reply, which the caller frees.
static reply *next_report(sim_thread *h)
{
    static reply *chain;
    int64_t until = clock_now_ns() + 20000000000;
    while (chain == NULL) {
        assert_true(clock_now_ns() < until);
        chain = sim_thread_take(h);
        usleep(100);
    }
    reply *r = chain;
    chain = (reply *)r->node.next;
    return r;
}

static void expect_answer(sim_thread *h, method m, status s)
{
    reply *r = next_report(h);
    assert_int_equal(r->kind, REPLY_RESULT);
    assert_int_equal(r->method, m);
    assert_int_equal(r->status, s);
    reply_free(r);
}

static void adopt(sim_thread *h, uint64_t number, bool paused, double hz)
{
    world_def def = world_def_default();
    def.hz = hz;
    request *r = request_create(REQUEST_ADOPT, number);
    r->adoption = calloc(1, sizeof *r->adoption);
    assert_non_null(r->adoption);
    assert_int_equal(world_create(&def, &r->adoption->physics, NULL), STATUS_OK);
    r->command.method = METHOD_WORLD_CREATE;
    r->adoption->paused = paused;
    strcpy(r->command.world, "w");
    assert_true(sim_thread_send(h, r));
}

static void ask(sim_thread *h, uint64_t number, method m)
{
    request *r = request_create(REQUEST_COMMAND, number);
    r->command.method = m;
    r->command.step.ticks = 1;
    assert_true(sim_thread_send(h, r));
}

static void stop(sim_thread *h)
{
    assert_true(sim_thread_send(h, request_create(REQUEST_STOP, 0)));
    reply *r = next_report(h);
    assert_int_equal(r->kind, REPLY_STOPPED);
    reply_free(r);
    sim_thread_destroy(h);
}

static void sim_thread_without_worlds_stops(void **state)
{
    (void)state;
    stop(start());
}

static void sim_thread_finds_worlds_whatever_order_they_came_in(void **state)
{
    (void)state;
    sim_thread *h = start();
    static const uint64_t NUMBERS[] = {5, 2, 9, 1, 7};
    for (int i = 0; i < 5; i++) {
        adopt(h, NUMBERS[i], true, 60.0);
        expect_answer(h, METHOD_WORLD_CREATE, STATUS_OK);
    }
    for (int i = 0; i < 5; i++) {
        ask(h, NUMBERS[i], METHOD_WORLD_STEP);
        expect_answer(h, METHOD_WORLD_STEP, STATUS_OK);
    }
    ask(h, 3, METHOD_WORLD_INFO);
    expect_answer(h, METHOD_WORLD_INFO, STATUS_NOT_FOUND);
    ask(h, 9, METHOD_WORLD_DESTROY);
    expect_answer(h, METHOD_WORLD_DESTROY, STATUS_OK);
    ask(h, 9, METHOD_WORLD_INFO);
    expect_answer(h, METHOD_WORLD_INFO, STATUS_NOT_FOUND);
    ask(h, 7, METHOD_WORLD_INFO);
    expect_answer(h, METHOD_WORLD_INFO, STATUS_OK);
    assert_true(atomic_load(&wakes) > 0);
    stop(h);
}

// More worlds than a round takes over. Sanitized code takes over few, and each round goes over all.
#ifdef CAROM_SANITIZED
enum { WORLDS_MANY = 300 };
#else
enum { WORLDS_MANY = 2000 };
#endif

// No thread frees what another one allocated: it would wait for the lock of the other's heap, and
// the other for it (home.h).
static void messages_are_freed_by_the_thread_that_made_them(void **state)
{
    (void)state;
    home_begin();
    sim_thread *h = start();
    adopt(h, 1, true, 60.0);
    reply *r = next_report(h);
    assert_true(home_misses()); // the request, which the simulation thread has sent back
    const int64_t until = clock_now_ns() + 20000000000;
    while (home_misses()) {
        assert_true(clock_now_ns() < until);
        (void)home_collect();
        usleep(100);
    }
    assert_non_null(r->way.home);
    reply_free(r);
    while (home_bytes() > 0) { // the thread looks for it, although it has nothing else to do
        assert_true(clock_now_ns() < until);
        usleep(100);
    }
    stop(h);
    home_end();
}

// Worlds get their turns between thousands of requests.
static void requests_that_come_at_once_are_dealt_with_in_several_rounds(void **state)
{
    (void)state;
    enum { MADE = WORLDS_MANY }; // a round takes over some hundred
    sim_thread *h = start_as(NULL, true);
    for (uint64_t number = 1; number <= MADE; number++) {
        adopt(h, number, true, 60.0);
    }
    uint32_t rounds = 0;
    uint32_t answered = 0;
    while (answered < MADE) {
        const int64_t next = sim_thread_turn(h);
        for (reply *r = sim_thread_take(h); r != NULL;) {
            reply *after = (reply *)r->node.next;
            answered += r->kind == REPLY_RESULT ? 1 : 0;
            reply_free(r);
            r = after;
        }
        rounds++;
        assert_true(answered == MADE || next == 0);
    }
    assert_true(rounds >= 3);
    assert_true(sim_thread_send(h, request_create(REQUEST_STOP, 0)));
    while (sim_thread_turn(h) != QUEUE_FOREVER) {
    }
    sim_thread_destroy(h);
}

// A player makes endless worlds; each takes a tenth of a millisecond to take over. A request to an
// existing world does not wait for them; a request to a new world is answered when the thread has
// taken it over.
static void request_does_not_wait_for_worlds_that_come(void **state)
{
    (void)state;
    enum { MADE = WORLDS_MANY, LAST = MADE + 1 };
    sim_thread *h = start_as(NULL, true);
    adopt(h, 1, true, 60.0);
    for (uint64_t number = 2; number <= LAST; number++) {
        adopt(h, number, true, 60.0);
        ask(h, number, METHOD_WORLD_INFO);
    }
    ask(h, 1, METHOD_WORLD_INFO);
    // Requests to new worlds, answered before and after the first request
    uint32_t answers[2] = {0};
    bool answered = false;
    while (answers[0] + answers[1] < MADE) {
        (void)sim_thread_turn(h);
        for (reply *r = sim_thread_take(h); r != NULL;) {
            reply *after = (reply *)r->node.next;
            assert_int_equal(r->status, STATUS_OK);
            answered = answered || (r->world == 1 && r->method == METHOD_WORLD_INFO);
            answers[answered] += r->world != 1 && r->method == METHOD_WORLD_INFO;
            reply_free(r);
            r = after;
        }
    }
    assert_true(answered);
    assert_true(answers[0] < MADE / 2);
    assert_true(sim_thread_send(h, request_create(REQUEST_STOP, 0)));
    while (sim_thread_turn(h) != QUEUE_FOREVER) {
    }
    sim_thread_destroy(h);
}

static void sim_thread_load_counts_worlds_at_once(void **state)
{
    (void)state;
    sim_thread *one = start();
    sim_thread *two = start();
    assert_int_equal(sim_thread_load(one), sim_thread_load(two));
    adopt(one, 1, true, 60.0);
    assert_true(sim_thread_load(one) > sim_thread_load(two));
    expect_answer(one, METHOD_WORLD_CREATE, STATUS_OK);
    ask(one, 1, METHOD_WORLD_DESTROY);
    expect_answer(one, METHOD_WORLD_DESTROY, STATUS_OK);
    int64_t until = clock_now_ns() + 20000000000;
    while (sim_thread_load(one) != 0 && clock_now_ns() < until) {
        usleep(1000);
    }
    assert_int_equal(sim_thread_load(one), 0);
    stop(one);
    stop(two);
}

static void sim_thread_does_not_let_all_wait_for_a_slow_world(void **state)
{
    (void)state;
    sim_thread *h = start();
    adopt(h, 1, false, 1.0);
    expect_answer(h, METHOD_WORLD_CREATE, STATUS_OK);
    int64_t begin = clock_now_ns();
    adopt(h, 2, false, 1.0);
    expect_answer(h, METHOD_WORLD_CREATE, STATUS_OK);
    ask(h, 1, METHOD_WORLD_LIST);
    expect_answer(h, METHOD_WORLD_LIST, STATUS_OK);
    stop(h);
    assert_true(clock_now_ns() - begin < 900000000);
}

static void sim_thread_that_stops_answers_what_waits(void **state)
{
    (void)state;
    sim_thread *h = start();
    adopt(h, 1, false, 60.0);
    expect_answer(h, METHOD_WORLD_CREATE, STATUS_OK);
    request *later = request_create(REQUEST_COMMAND, 1);
    later->command.method = METHOD_WORLD_APPLY;
    later->command.apply.has_at = true;
    later->command.apply.at = 100000;
    assert_true(sim_thread_send(h, later));
    assert_true(sim_thread_send(h, request_create(REQUEST_STOP, 0)));
    expect_answer(h, METHOD_WORLD_APPLY, STATUS_UNAVAILABLE);
    reply *r = next_report(h);
    assert_int_equal(r->kind, REPLY_STOPPED);
    reply_free(r);
    sim_thread_destroy(h);
}

static void no_op(void *context)
{
    (void)context;
}

static void sim_thread_works_with_a_permit_and_stops_without(void **state)
{
    (void)state;
    permits all;
    permit other;
    permits_init(&all, 1);
    permit_begin(&all, &other, 100, no_op, NULL);
    assert_true(permit_ask(&all, &other));
    sim_thread *h = start_with(&all);
    adopt(h, 1, true, 60.0);
    expect_answer(h, METHOD_WORLD_CREATE, STATUS_OK); // it accepts a world without a permit
    ask(h, 1, METHOD_WORLD_STEP);
    ask(h, 7, METHOD_WORLD_INFO);
    // it answers without a permit too, while the step waits
    expect_answer(h, METHOD_WORLD_INFO, STATUS_NOT_FOUND);
    permit_give_back(&all, &other, 0);
    expect_answer(h, METHOD_WORLD_STEP, STATUS_OK);
    while (!permit_ask(&all, &other)) {
        usleep(100);
    }
    ask(h, 1, METHOD_WORLD_STEP);
    assert_true(sim_thread_send(h, request_create(REQUEST_STOP, 0)));
    expect_answer(h, METHOD_WORLD_STEP, STATUS_UNAVAILABLE);
    reply *r = next_report(h);
    assert_int_equal(r->kind, REPLY_STOPPED);
    reply_free(r);
    sim_thread_destroy(h);
    permit_end(&all, &other);
    permits_deinit(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim_thread_without_worlds_stops),
        cmocka_unit_test(messages_are_freed_by_the_thread_that_made_them),
        cmocka_unit_test(sim_thread_finds_worlds_whatever_order_they_came_in),
        cmocka_unit_test(requests_that_come_at_once_are_dealt_with_in_several_rounds),
        cmocka_unit_test(request_does_not_wait_for_worlds_that_come),
        cmocka_unit_test(sim_thread_load_counts_worlds_at_once),
        cmocka_unit_test(sim_thread_does_not_let_all_wait_for_a_slow_world),
        cmocka_unit_test(sim_thread_that_stops_answers_what_waits),
        cmocka_unit_test(sim_thread_works_with_a_permit_and_stops_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
