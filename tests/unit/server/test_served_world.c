// A served world with a clock that the test advances: ticks, pauses, steps, batches, sessions and
// subscriptions.
#include "tests/unit/server/served_rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/commands/command_decode.h"
#include "proto/wire/json.h"
#include "server/base/metrics.h"

static void running_world_ticks_when_due(void **state)
{
    (void)state;
    create(100.0, false);
    served_world_run(the.world);
    assert_int_equal(world_tick(the.world->physics), 0);
    assert_int_equal(served_world_next_ns(the.world), now_ns + 10 * MS);
    advance(10 * MS);
    assert_int_equal(world_tick(the.world->physics), 1);
    advance(29 * MS); // two ticks that are late, and nothing else
    assert_int_equal(world_tick(the.world->physics), 3);
    assert_int_equal(served_world_next_ns(the.world), 1040 * MS);
}

static void command_waits_for_the_tick_and_names_it(void **state)
{
    (void)state;
    create(100.0, false);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    assert_int_equal(mailbox_left(&the.box), 0);
    advance(10 * MS);
    assert_int_equal(result_tick(), 1);
    assert_int_equal(world_count(the.world->physics).bodies, 1);
}

static void commands_are_answered_in_their_order(void **state)
{
    (void)state;
    create(100.0, false);
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    call(METHOD_BODY_SPAWN, SPAWN);
    call(METHOD_BODY_GET, "{\"world\":\"w\",\"body\":999}");
    call(METHOD_WORLD_INFO, WORLD);
    advance(10 * MS);
    for (uint32_t id = 1; id <= 4; id++) {
        assert_int_equal(the.box.replies[id - 1]->reply_to.id, id);
    }
    assert_int_equal(obj_get_uint(mailbox_result(&the.box), "subscription"), 1);
    assert_int_equal(result_tick(), 1);
    refusal(STATUS_NOT_FOUND);
    assert_int_equal(obj_get_uint(mailbox_result(&the.box), "bodies"), 1);
    // The snapshot comes after the answer that names its subscription.
    const msgpack_object *s = mailbox_snapshot(&the.box);
    assert_int_equal(obj_get_uint(s, "tick"), 1);
    assert_int_equal(obj_get_uint(s, "last"), 2); // reads and failures change nothing
}

static void paused_world_obeys_at_once(void **state)
{
    (void)state;
    create(100.0, true);
    assert_int_equal(served_world_next_ns(the.world), QUEUE_FOREVER);
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    assert_int_equal(served_world_next_ns(the.world), 0);
    served_world_run(the.world);
    assert_int_equal(result_tick(), 0);
    mailbox_snapshot(&the.box);
    acknowledge(1);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    assert_int_equal(result_tick(), 0);
    // A paused world is shown again when a tick's time has passed.
    assert_int_equal(mailbox_left(&the.box), 0);
    assert_int_equal(served_world_next_ns(the.world), now_ns + 10 * MS);
    advance(10 * MS);
    const msgpack_object *s = mailbox_snapshot(&the.box);
    assert_int_equal(obj_get_uint(s, "tick"), 0);
    assert_int_equal(obj_count(obj_get(s, "bodies")), 1);
    assert_int_equal(served_world_next_ns(the.world), QUEUE_FOREVER);
    advance(1000 * MS);
    assert_int_equal(world_tick(the.world->physics), 0);
}

static void step_does_its_ticks_and_then_answers(void **state)
{
    (void)state;
    create(100.0, true);
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":5}");
    call(METHOD_BODY_SPAWN, SPAWN); // the spawn waits until the steps are done
    run_round();
    run_round();
    mailbox_result(&the.box);
    assert_int_equal(obj_get_uint(mailbox_snapshot(&the.box), "tick"), 1);
    assert_int_equal(result_tick(), 5);
    assert_int_equal(result_tick(), 5);
    acknowledge(1);
    advance(10 * MS);
    const msgpack_object *s = mailbox_snapshot(&the.box);
    assert_int_equal(obj_get_uint(s, "tick"), 5);
    assert_int_equal(obj_get_uint(s, "skipped"), 4);
}

static void long_step_gives_way(void **state)
{
    (void)state;
    create(100.0, true);
    cost_ns = MS / 2;
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":1000}");
    call(METHOD_WORLD_INFO, WORLD);
    call(METHOD_WORLD_LIST, "{}");
    mailbox_result(&the.box); // requests for all worlds do not wait
    int turns = 0;
    while (mailbox_left(&the.box) == 0) {
        int64_t before = now_ns;
        run_round();
        turns++;
        assert_true(now_ns - before < 10 * MS);
        assert_true(turns < 2000);
    }
    assert_true(turns > 10);
    assert_int_equal(result_tick(), 1000);
    served_world_run(the.world);
    assert_int_equal(result_tick(), 1000);
}

static double told_rate(void)
{
    call(METHOD_WORLD_LIST, "{}");
    const msgpack_object *rate = obj_get(mailbox_result(&the.box), "rate");
    return rate->type == MSGPACK_OBJECT_FLOAT64 ? rate->via.f64 : (double)rate->via.u64;
}

static void step_after(int64_t ns)
{
    advance(ns);
    call(METHOD_WORLD_STEP, WORLD);
    run_round();
    result_tick();
}

static void paused_world_tells_the_rate_of_its_steps(void **state)
{
    (void)state;
    create(100.0, false);
    for (int i = 0; i < 300; i++) {
        advance(10 * MS);
    }
    assert_float_equal(told_rate(), 100.0, 1.0);
    call(METHOD_WORLD_PAUSE, WORLD);
    advance(10 * MS);
    result_tick();
    assert_float_equal(told_rate(), 0.0, 0.0); // the ticks before the pause do not count
    step_after(10 * MS);
    assert_float_equal(told_rate(), 0.0, 0.0); // nor does a single step
    for (int i = 0; i < 45; i++) {
        step_after(50 * MS);
    }
    assert_float_equal(told_rate(), 20.0, 1.0);
    advance(1900 * MS);
    assert_float_equal(told_rate(), 20.0, 1.0);
    advance(200 * MS);
    assert_float_equal(told_rate(), 0.0, 0.0);
    step_after(60000 * MS);
    assert_float_equal(told_rate(), 0.0, 0.0);
    call(METHOD_WORLD_RESUME, WORLD);
    run_round();
    result_tick();
    for (int i = 0; i < 5; i++) {
        advance(10 * MS);
    }
    assert_float_equal(told_rate(), 100.0, 1.0);
}

static void step_of_a_running_world_is_refused(void **state)
{
    (void)state;
    create(100.0, false);
    call(METHOD_WORLD_STEP, WORLD);
    advance(10 * MS);
    refusal(STATUS_UNAVAILABLE);
    assert_int_equal(world_tick(the.world->physics), 1);
}

static void pause_ends_the_tick_and_resume_begins_anew(void **state)
{
    (void)state;
    create(100.0, false);
    call(METHOD_BODY_SPAWN, SPAWN);
    call(METHOD_WORLD_PAUSE, WORLD);
    call(METHOD_BODY_SPAWN, SPAWN);
    call(METHOD_WORLD_PAUSE, WORLD);
    advance(10 * MS);
    assert_int_equal(result_tick(), 1);
    assert_int_equal(result_tick(), 1);
    assert_int_equal(result_tick(), 1); // shown in the state at which the world is paused
    assert_int_equal(result_tick(), 1);
    advance(5000 * MS);
    assert_int_equal(world_tick(the.world->physics), 1);
    call(METHOD_WORLD_RESUME, WORLD);
    call(METHOD_WORLD_RESUME, WORLD);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    assert_int_equal(result_tick(), 1);
    assert_int_equal(mailbox_left(&the.box), 0); // the other batches are for the coming tick
    // The world does not catch up with the time of its pause.
    assert_int_equal(served_world_next_ns(the.world), now_ns + 10 * MS);
    advance(10 * MS);
    assert_int_equal(result_tick(), 1);
    assert_int_equal(result_tick(), 2);
    assert_int_equal(world_tick(the.world->physics), 2);
}

static void batch_waits_for_its_tick(void **state)
{
    (void)state;
    create(100.0, false);
    static const char AT_5[] =
        "{\"world\":\"w\",\"at\":5,\"commands\":[[\"body.spawn\",{\"shapes\":[{\"kind\":\"circle\","
        "\"radius\":1}]}]]}";
    static const char AT_3[] = "{\"world\":\"w\",\"at\":3,\"commands\":[]}";
    uint32_t five = call(METHOD_WORLD_APPLY, AT_5);
    uint32_t three = call(METHOD_WORLD_APPLY, AT_3);
    uint32_t five_too = call(METHOD_WORLD_APPLY, AT_5);
    for (int tick = 1; tick <= 4; tick++) {
        advance(10 * MS);
    }
    assert_int_equal(mailbox_left(&the.box), 1);
    assert_int_equal(the.box.replies[0]->reply_to.id, three);
    assert_int_equal(result_tick(), 3);
    assert_int_equal(world_count(the.world->physics).bodies, 0);
    uint32_t other = call(METHOD_WORLD_INFO, WORLD);
    advance(10 * MS);
    assert_int_equal(the.box.replies[1]->reply_to.id, five);
    assert_int_equal(the.box.replies[2]->reply_to.id, five_too);
    // after the batches that were planned for the tick
    assert_int_equal(the.box.replies[3]->reply_to.id, other);
    assert_int_equal(result_tick(), 5);
    assert_int_equal(result_tick(), 5);
    assert_int_equal(world_count(the.world->physics).bodies, 2);
}

static void batch_of_the_past_or_too_far_ahead_is_refused(void **state)
{
    (void)state;
    create(100.0, false);
    the.limits.ahead_ticks = 100;
    advance(10 * MS);
    call(METHOD_WORLD_APPLY, "{\"world\":\"w\",\"at\":1,\"commands\":[]}");
    call(METHOD_WORLD_APPLY, "{\"world\":\"w\",\"at\":101,\"commands\":[]}");
    call(METHOD_WORLD_APPLY, "{\"world\":\"w\",\"at\":102,\"commands\":[]}");
    call(METHOD_WORLD_APPLY, "{\"world\":\"w\",\"at\":2,\"commands\":[]}");
    advance(10 * MS);
    assert_string_equal(refusal(STATUS_INVALID_ARGUMENT), "at: tick 1 is over, the world is at 1");
    assert_non_null(strstr(refusal(STATUS_LIMIT_EXCEEDED), "ahead_ticks"));
    assert_int_equal(result_tick(), 2);
    assert_int_equal(mailbox_left(&the.box), 0);
    served_world_destroy(the.world, STATUS_NOT_FOUND, "over");
    the.world = NULL;
    assert_string_equal(refusal(STATUS_NOT_FOUND), "over"); // the answer of the waiting request
}

// ---- batches whose tick is over, and margins

// A batch of one spawn for the tick `at`.
static void apply_at(uint64_t at, const char *late)
{
    char json[160];
    snprintf(json, sizeof json,
             "{\"world\":\"w\",\"at\":%llu,\"late\":\"%s\",\"commands\":[[\"body.spawn\","
             "{\"shapes\":[{\"kind\":\"circle\",\"radius\":1}]}]]}",
             (unsigned long long)at, late);
    call(METHOD_WORLD_APPLY, json);
}

static void expect_timing(const msgpack_object *answer, uint64_t late, double margin)
{
    assert_int_equal(obj_get_uint(answer, "late"), late);
    assert_float_equal(obj_get_number(answer, "margin"), margin, 1e-9);
}

static void expect_applied(uint64_t tick, uint64_t late, double margin)
{
    const msgpack_object *answer = mailbox_result(&the.box);
    assert_int_equal(obj_get_uint(answer, "tick"), tick);
    expect_timing(answer, late, margin);
    assert_int_equal(obj_count(obj_get(answer, "results")), 1);
}

static void timed_batch_is_told_its_margin(void **state)
{
    (void)state;
    create(100.0, false);
    apply_at(3, "refuse");
    now_ns += 4 * MS;
    apply_at(1, "drop");
    advance(6 * MS);
    expect_applied(1, 0, 0.006);
    advance(10 * MS);
    advance(10 * MS);
    expect_applied(3, 0, 0.030);
}

static void batch_of_the_past_is_refused_dropped_or_next(void **state)
{
    (void)state;
    create(100.0, false);
    for (int tick = 1; tick <= 5; tick++) {
        advance(10 * MS);
    }
    const uint64_t before = metrics_get(METRIC_batches_late_next);
    now_ns += 4 * MS;
    apply_at(3, "refuse");
    apply_at(3, "drop");
    apply_at(3, "next");
    apply_at(0, "next");
    advance(6 * MS);
    assert_string_equal(refusal(STATUS_INVALID_ARGUMENT), "at: tick 3 is over, the world is at 5");
    const msgpack_object *dropped = mailbox_result(&the.box);
    assert_int_equal(dropped->via.map.size, 3);
    assert_true(obj_bool(obj_get(dropped, "dropped")));
    expect_timing(dropped, 3, -0.024);
    expect_applied(6, 3, -0.024);
    expect_applied(6, 6, -0.054);
    assert_int_equal(world_count(the.world->physics).bodies, 2);
    assert_int_equal(metrics_get(METRIC_batches_late_next), before + 2);
}

// In a paused world the next tick is the one that world.step leads to, and lateness is counted in
// ticks only.
static void late_batch_of_a_paused_world_waits_for_its_step(void **state)
{
    (void)state;
    create(100.0, true);
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":4}");
    run_round();
    run_round();
    assert_int_equal(result_tick(), 4);
    now_ns += 60000 * MS;
    apply_at(2, "next");
    run_round();
    assert_int_equal(mailbox_left(&the.box), 0);
    assert_int_equal(world_count(the.world->physics).bodies, 0);
    now_ns += 60000 * MS;
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":1}");
    run_round();
    run_round();
    expect_applied(5, 3, -0.030);
    assert_int_equal(result_tick(), 5);
}

// The margin in the next snapshot; NAN: none.
static double told_margin(void)
{
    const msgpack_object *snapshot = mailbox_snapshot(&the.box);
    const msgpack_object *margin = obj_find(snapshot, "margin");
    acknowledge(obj_get_uint(snapshot, "subscription"));
    return margin == NULL ? (double)NAN : obj_number(margin);
}

static void snapshots_bear_the_smallest_margin_since_the_last(void **state)
{
    (void)state;
    create(100.0, false);
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    call(METHOD_WORLD_SUBSCRIBE, "{\"world\":\"w\",\"encoding\":\"log\"}");
    advance(10 * MS);
    mailbox_take(&the.box, REPLY_RESULT);
    mailbox_take(&the.box, REPLY_RESULT);
    assert_true(isnan(told_margin()) && isnan(told_margin()));
    apply_at(2, "next");
    now_ns += 3 * MS;
    apply_at(1, "drop"); // late, so this is the smallest margin
    now_ns += 3 * MS;
    apply_at(2, "next");
    advance(4 * MS);
    for (int i = 0; i < 3; i++) {
        mailbox_result(&the.box);
    }
    assert_float_equal(told_margin(), -0.003, 1e-9); // both subscriptions of the session
    assert_float_equal(told_margin(), -0.003, 1e-9);
    advance(10 * MS);
    assert_true(isnan(told_margin()) && isnan(told_margin()));
}

static void overloaded_world_slows_its_time(void **state)
{
    (void)state;
    create(100.0, false);
    cost_ns = 10 * MS; // a tick reads the clock more than once, so each takes more than it may
    int64_t begin = now_ns;
    uint64_t turns = 0;
    while (now_ns - begin < 20000 * MS) {
        served_world_run(the.world);
        turns++;
    }
    uint64_t ticks = world_tick(the.world->physics);
    assert_true(ticks < 1000);
    assert_int_equal(ticks, turns); // one in each turn: other worlds get their turns
    assert_true(the.world->schedule.skipped_ns > 5000 * MS);
    assert_true(tick_schedule_lag_ns(&the.world->schedule, now_ns) < 400 * MS);
}

static void steps_end_with_their_session(void **state)
{
    (void)state;
    create(100.0, true);
    cost_ns = MS;
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":1000}");
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":1000}");
    run_round();
    const uint64_t tick = world_tick(the.world->physics);
    assert_in_range(tick, 1, 10);
    request *end = request_create(REQUEST_SESSION_END, EPOCH);
    end->reply_to.session = ME;
    served_world_deliver(the.world, end);
    run_round();
    run_round();
    assert_int_equal(result_tick(), tick);
    assert_string_equal(refusal(STATUS_UNAVAILABLE), "the session has ended");
    assert_int_equal(world_tick(the.world->physics), tick);
    assert_int_equal(the.world->sessions.gone.count, 0);
}

static void destroyed_world_answers_everyone(void **state)
{
    (void)state;
    create(100.0, false);
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    call(METHOD_WORLD_DESTROY, WORLD);
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    mailbox_result(&the.box);
    assert_int_equal(result_tick(), 0);
    assert_true(served_world_has_ended(the.world));
    served_world_destroy(the.world, STATUS_NOT_FOUND, "the world was destroyed");
    the.world = NULL;
    assert_string_equal(refusal(STATUS_NOT_FOUND), "the world was destroyed");
    const reply *closed = mailbox_take(&the.box, REPLY_CLOSED);
    assert_int_equal(closed->subscription, 1);
    assert_int_equal(closed->reply_to.session.number, ME.number);
    assert_int_equal(mailbox_left(&the.box), 0);
}

static void view_and_unsubscribe_are_for_the_owner(void **state)
{
    (void)state;
    create(100.0, true);
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    call(METHOD_WORLD_VIEW, "{\"subscription\":1,\"area\":[0,0,1,1]}");
    call(METHOD_WORLD_VIEW, "{\"subscription\":2,\"area\":[0,0,1,1]}");
    call(METHOD_WORLD_UNSUBSCRIBE, "{\"subscription\":1}");
    call(METHOD_WORLD_UNSUBSCRIBE, "{\"subscription\":1}");
    served_world_run(the.world);
    mailbox_result(&the.box);
    assert_int_equal(mailbox_result(&the.box)->via.map.size, 0);
    refusal(STATUS_NOT_FOUND);
    assert_int_equal(mailbox_result(&the.box)->via.map.size, 0);
    refusal(STATUS_NOT_FOUND);
}

static void subscriptions_end_with_their_session_though_they_wait_for_the_tick(void **state)
{
    (void)state;
    create(100.0, false);
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    call(METHOD_WORLD_SUBSCRIBE, "{\"world\":\"w\",\"encoding\":\"packed\"}");
    call(METHOD_WORLD_SUBSCRIBE, "{\"world\":\"w\",\"encoding\":\"log\"}");
    call_as(1, METHOD_WORLD_SUBSCRIBE, WORLD);
    request *forget = request_create(REQUEST_FORGET, EPOCH);
    forget->reply_to.session = ME;
    served_world_deliver(the.world, forget);
    advance(10 * MS);
    assert_int_equal(the.world->publisher.subscriptions.list.count, 1);
    assert_int_equal(the.world->publisher.subscriptions.list.data[0]->session.number, 2);
    assert_int_equal(the.world->readers.list.count, 0);
}

// No record may span so many ticks (LOG_TICKS_MAX).
static void reader_of_the_log_that_took_nothing_for_too_long_gets_an_image(void **state)
{
    uint64_t numbers[2];
    (void)state;
    create(100.0, false);
    for (int i = 0; i < 2; i++) {
        call(METHOD_WORLD_SUBSCRIBE, "{\"world\":\"w\",\"encoding\":\"log\"}");
        advance(10 * MS);
        mailbox_take(&the.box, REPLY_RESULT);
        numbers[i] = obj_get_uint(mailbox_snapshot(&the.box), "subscription");
    }
    const uint64_t first = world_tick(the.world->physics);
    while (world_tick(the.world->physics) < first + LOG_TICKS_MAX - 1) {
        advance(10 * MS);
    }
    acknowledge(numbers[0]);
    acknowledge(numbers[1]);
    advance(10 * MS);
    for (int i = 0; i < 2; i++) {
        const msgpack_object *told = mailbox_snapshot(&the.box);
        const bool late = obj_get_uint(told, "subscription") == numbers[0]; // one tick too many
        assert_int_equal(obj_get_uint(told, "from"), late ? first + LOG_TICKS_MAX : first);
        assert_int_equal(obj_find(told, "image") != NULL, late);
    }
}

// Sessions take turns, so numbers are not in order.
static void subscriptions_of_sessions_that_wait_stand_in_order(void **state)
{
    static const char *const ARGUMENTS[] = {"{\"world\":\"w\"}",
                                            "{\"world\":\"w\",\"encoding\":\"log\"}"};
    (void)state;
    create(100.0, false);
    cost_ns = MS / 2;
    for (int i = 0; i < 40; i++) {
        call(METHOD_WORLD_SUBSCRIBE, ARGUMENTS[i % 2]);
    }
    call_as(1, METHOD_WORLD_SUBSCRIBE, ARGUMENTS[0]);
    call_as(1, METHOD_WORLD_SUBSCRIBE, ARGUMENTS[1]);
    advance(10 * MS);
    // a request of the first session: the second has had its turn
    assert_true(the.world->inbox.count > 0);
    cost_ns = 0;
    advance(10 * MS);
    assert_int_equal(the.world->inbox.count, 0);
    const subscriptions *all = &the.world->publisher.subscriptions;
    const log_readers *readers = &the.world->readers;
    assert_int_equal(all->list.count, 21);
    assert_int_equal(readers->list.count, 21);
    for (uint32_t i = 1; i < 21; i++) {
        assert_true(all->list.data[i - 1]->number < all->list.data[i]->number);
        assert_true(readers->list.data[i - 1].number < readers->list.data[i].number);
    }
    assert_int_equal(all->list.data[20]->session.number, 2);
}

static void rate_above_the_ticks_is_refused_in_every_encoding(void **state)
{
    static const char *const ENCODINGS[] = {"plain", "packed", "log"};
    (void)state;
    create(100.0, true);
    for (size_t i = 0; i < sizeof ENCODINGS / sizeof *ENCODINGS; i++) {
        char arguments[96];
        snprintf(arguments, sizeof arguments,
                 "{\"world\":\"w\",\"encoding\":\"%s\",\"rate\":100.5}", ENCODINGS[i]);
        call(METHOD_WORLD_SUBSCRIBE, arguments);
        snprintf(arguments, sizeof arguments, "{\"world\":\"w\",\"encoding\":\"%s\",\"rate\":100}",
                 ENCODINGS[i]);
        call(METHOD_WORLD_SUBSCRIBE, arguments);
    }
    served_world_run(the.world);
    for (size_t i = 0; i < sizeof ENCODINGS / sizeof *ENCODINGS; i++) {
        assert_string_equal(refusal(STATUS_INVALID_ARGUMENT),
                            "rate: at most 100, the world's ticks a second, or left out for all of "
                            "them; got 100.5");
        mailbox_result(&the.box);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(running_world_ticks_when_due),
        TEST(command_waits_for_the_tick_and_names_it),
        TEST(commands_are_answered_in_their_order),
        TEST(paused_world_obeys_at_once),
        TEST(step_does_its_ticks_and_then_answers),
        TEST(long_step_gives_way),
        TEST(paused_world_tells_the_rate_of_its_steps),
        TEST(step_of_a_running_world_is_refused),
        TEST(pause_ends_the_tick_and_resume_begins_anew),
        TEST(batch_waits_for_its_tick),
        TEST(batch_of_the_past_or_too_far_ahead_is_refused),
        TEST(timed_batch_is_told_its_margin),
        TEST(batch_of_the_past_is_refused_dropped_or_next),
        TEST(late_batch_of_a_paused_world_waits_for_its_step),
        TEST(snapshots_bear_the_smallest_margin_since_the_last),
        TEST(overloaded_world_slows_its_time),
        TEST(steps_end_with_their_session),
        TEST(destroyed_world_answers_everyone),
        TEST(view_and_unsubscribe_are_for_the_owner),
        TEST(subscriptions_end_with_their_session_though_they_wait_for_the_tick),
        TEST(reader_of_the_log_that_took_nothing_for_too_long_gets_an_image),
        TEST(subscriptions_of_sessions_that_wait_stand_in_order),
        TEST(rate_above_the_ticks_is_refused_in_every_encoding),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += run_served_shares();
    return failed;
}
