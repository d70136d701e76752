// A served world with a clock that the test advances.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proto/commands/command_decode.h"
#include "proto/wire/buffer.h"
#include "proto/wire/json.h"
#include "server/base/metrics.h"
#include "server/world/tick/served_world.h"
#include "tests/unit/server/mailbox.h"

static const int64_t MS = 1000000;
static const session_key ME = {.slot = 0, .number = 1};

static int64_t now_ns;
static int64_t cost_ns; // time that each reading of the clock takes

static int64_t fake_clock(void)
{
    now_ns += cost_ns;
    return now_ns;
}

// The thread always has a processor.
static int64_t fake_processor(void)
{
    return now_ns;
}

typedef struct fixture {
    limits limits;
    served_world *world;
    mailbox box;
    uint32_t next_id;
    uint64_t next_subscription;
} fixture;

static fixture the;

static void create(double hz, bool paused)
{
    world_def def = world_def_default();
    adoption *from = calloc(1, sizeof *from);
    assert_non_null(from);
    from->paused = paused;
    def.hz = hz;
    assert_int_equal(world_create(&def, &from->physics, NULL), STATUS_OK);
    the.world = served_world_create(3, "w", from, &the.limits, mailbox_sink(&the.box),
                                    (served_world_clocks){fake_clock, fake_processor});
}

static int set_up(void **state)
{
    (void)state;
    now_ns = 1000 * MS;
    cost_ns = 0;
    the = (fixture){.limits = limits_default(), .next_id = 1, .next_subscription = 1};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (the.world != NULL) {
        served_world_destroy(the.world, STATUS_NOT_FOUND, "the test is over");
    }
    mailbox_deinit(&the.box);
    return 0;
}

// Delivers the call and returns its id.
static uint32_t call(method m, const char *json)
{
    buffer bytes;
    error err;
    msgpack_unpacked unpacked;
    request *r = request_create(REQUEST_COMMAND, 3);
    buffer_init(&bytes, 1 << 20);
    assert_int_equal(json_text_to_msgpack(json, strlen(json), &bytes, &err), STATUS_OK);
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, &offset);
    if (command_decode(m, &unpacked.data, &r->command, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    msgpack_unpacked_destroy(&unpacked);
    buffer_deinit(&bytes);
    r->reply_to = (reply_address){.session = ME, .id = the.next_id++, .answerable = true};
    r->received_ns = now_ns;
    if (m == METHOD_WORLD_SUBSCRIBE) {
        r->subscription = the.next_subscription++;
    }
    uint32_t id = r->reply_to.id;
    served_world_deliver(the.world, r);
    return id;
}

static const char SPAWN[] = "{\"world\":\"w\",\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}";
static const char WORLD[] = "{\"world\":\"w\"}";

static uint64_t result_tick(void)
{
    return obj_get_uint(mailbox_result(&the.box), "tick");
}

static const char *refusal(status expected)
{
    const reply *r = mailbox_take(&the.box, REPLY_RESULT);
    assert_int_equal(r->status, expected);
    return r->text;
}

static void advance(int64_t ns)
{
    now_ns += ns;
    served_world_run(the.world);
}

// Runs a round of its thread: due ticks, then steps for some milliseconds.
static void run_round(void)
{
    served_world_run(the.world);
    if (served_world_steps(the.world)) {
        const turn t = turn_begin(fake_clock, 5 * MS);
        served_world_step(the.world, &t);
    }
}

static void acknowledge(uint64_t number)
{
    request *r = request_create(REQUEST_ACKNOWLEDGE, 3);
    r->acknowledged = malloc(sizeof number);
    *r->acknowledged = number;
    r->acknowledged_count = 1;
    served_world_deliver(the.world, r);
}

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

// ---- fairness

static uint32_t call_as(uint32_t slot, method m, const char *json)
{
    uint32_t id = call(m, json);
    inbox_lane *mine = &the.world->inbox.lanes.data[1];
    request *q = mine->last; // moved to the lane of another session
    if (mine->first == q) {
        assert_ptr_equal(inbox_take(&the.world->inbox), q);
        inbox_charge(&the.world->inbox, 0);
    } else {
        request *before = mine->first;
        while (before->node.next != &q->node) {
            before = (request *)before->node.next;
        }
        before->node.next = NULL;
        mine->last = before;
        the.world->inbox.count--;
    }
    q->reply_to.subject = slot + 1;
    q->reply_to.session = (session_key){.slot = slot, .number = slot + 1};
    inbox_push(&the.world->inbox, q);
    return id;
}

static void tick_has_time_for_so_many_batches(void **state)
{
    static const char HEAD[] = "{\"world\":\"w\",\"at\":5,\"commands\":[";
    (void)state;
    create(100.0, false);
    buffer json;
    buffer_init(&json, 1 << 20);
    buffer_append(&json, HEAD, sizeof HEAD - 1);
    for (int i = 0; i < 500; i++) { // a millisecond, of the five that commands have
        const char *part =
            i > 0 ? ",[\"world.set\",{\"sleep\":true}]" : "[\"world.set\",{\"sleep\":true}]";
        buffer_append(&json, part, strlen(part));
    }
    buffer_append(&json, "]}", sizeof "]}"); // and its end
    for (int i = 0; i < 6; i++) {
        call(METHOD_WORLD_APPLY, (const char *)json.data);
    }
    call_as(1, METHOD_WORLD_APPLY, (const char *)json.data); // another subject gets the rest
    advance(10 * MS);
    for (int i = 0; i < 3; i++) {
        assert_non_null(strstr(refusal(STATUS_LIMIT_EXCEEDED),
                               "at: batches for tick 5 would take 1.000 ms; commands_share "));
    }
    assert_int_equal(mailbox_left(&the.box), 0);
    assert_int_equal(the.world->scheduled.count, 4);
    buffer_deinit(&json);
}

static void flood_waits_for_its_share_of_the_tick(void **state)
{
    (void)state;
    create(100.0, false);
    cost_ns = MS / 2;
    for (int i = 0; i < 40; i++) {
        call(METHOD_BODY_SPAWN, SPAWN);
    }
    uint32_t other = call_as(1, METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS); // half of which is for commands: two for each of the two sessions, and more
    uint32_t answered = mailbox_left(&the.box);
    assert_in_range(answered, 2, 12);
    bool served = false;
    for (uint32_t i = 0; i < answered; i++) {
        served = the.box.replies[i]->reply_to.id == other || served;
    }
    assert_true(served);
    assert_true(the.world->inbox.count > 20);
    cost_ns = 0;
    advance(10 * MS);
    assert_int_equal(the.world->inbox.count, 0);
    assert_int_equal(mailbox_left(&the.box), 41);
}

static void crowd_is_refused_before_it_is_made(void **state)
{
    (void)state;
    the.limits.pairs_per_world = 1024; // 46 bodies in one place have 1035
    create(100.0, false);
    for (int i = 0; i < 60; i++) {
        call(METHOD_BODY_SPAWN, SPAWN);
    }
    advance(10 * MS);
    advance(10 * MS);
    for (int i = 0; i < 45; i++) {
        mailbox_result(&the.box);
    }
    for (int i = 45; i < 60; i++) {
        assert_non_null(strstr(refusal(STATUS_LIMIT_EXCEEDED), "pairs_per_world"));
    }
    assert_int_equal(world_count(the.world->physics).bodies, 45);
    // Other commands that put bodies at the same place, and one at another.
    call(METHOD_BODY_SPAWN, "{\"world\":\"w\",\"position\":[90,0],\"shapes\":"
                            "[{\"kind\":\"circle\",\"radius\":0.5}]}");
    advance(10 * MS);
    uint64_t body = obj_get_uint(mailbox_result(&the.box), "body");
    char set[128];
    snprintf(set, sizeof set, "{\"world\":\"w\",\"body\":%llu,\"position\":[0,0]}",
             (unsigned long long)body);
    call(METHOD_BODY_SET, set);
    call(METHOD_WORLD_APPLY,
         "{\"world\":\"w\",\"commands\":[[\"body.spawn\",{\"position\":[50,0],\"shapes\":"
         "[{\"kind\":\"circle\",\"radius\":0.5}]}],"
         "[\"body.set\",{\"body\":{\"$\":0},\"position\":[0,0]}]]}");
    advance(10 * MS);
    refusal(STATUS_LIMIT_EXCEEDED);
    refusal(STATUS_LIMIT_EXCEEDED);
}

static void crowd_that_has_gone_apart_hinders_nobody(void **state)
{
    (void)state;
    the.limits.pairs_per_world = 1024;
    create(100.0, false);
    for (int i = 0; i < 45; i++) {
        call(METHOD_BODY_SPAWN, SPAWN);
    }
    advance(10 * MS);
    for (int i = 0; i < 45; i++) {
        char remove[64];
        uint64_t body = obj_get_uint(mailbox_result(&the.box), "body");
        snprintf(remove, sizeof remove, "{\"world\":\"w\",\"body\":%llu}",
                 (unsigned long long)body);
        call(METHOD_BODY_REMOVE, remove);
    }
    advance(10 * MS);
    for (int i = 0; i < 45; i++) {
        mailbox_result(&the.box);
        call(METHOD_BODY_SPAWN, SPAWN);
    }
    advance(10 * MS);
    advance(10 * MS);
    for (int i = 0; i < 45; i++) {
        mailbox_result(&the.box);
    }
}

static void pairs_have_their_price(void **state)
{
    (void)state;
    create(100.0, false);
    for (int i = 0; i < 100; i++) {
        call(METHOD_BODY_SPAWN, SPAWN);
    }
    advance(10 * MS); // 4950 pairs cost more than a tick
    assert_in_range(mailbox_left(&the.box), 10, 60);
    for (int i = 0; i < 20; i++) {
        advance(10 * MS);
    }
    assert_int_equal(mailbox_left(&the.box), 100);
}

static void world_over_half_its_time_crowds_others(void **state)
{
    (void)state;
    create(100.0, false);
    advance(10 * MS);
    assert_false(served_world_crowds(the.world));
    cost_ns = 2 * MS; // a tick reads the clock several times
    for (int i = 0; i < 5; i++) {
        advance(10 * MS);
    }
    assert_true(served_world_crowds(the.world));
    served_world_move(the.world, mailbox_sink(&the.box));
    assert_false(served_world_crowds(the.world));
}

// Calls for `count` commands of 0.2 ms each, and runs the next tick of a world of 1 Hz; returns the
// number of the answers.
static uint32_t answers_of_slow_tick(int count)
{
    cost_ns = 0;
    for (int i = 0; i < count; i++) {
        call(METHOD_WORLD_INFO, WORLD);
    }
    now_ns += 1000 * MS;
    cost_ns = MS / 5; // the clock is read after each command
    served_world_run(the.world);
    cost_ns = 0;
    uint32_t answers = 0;
    while (mailbox_left(&the.box) > 0) {
        answers += the.box.replies[the.box.next++]->kind == REPLY_RESULT; // others are figures
    }
    return answers;
}

static void slow_world_leaves_its_thread_to_others_in_time(void **state)
{
    (void)state;
    create(1.0, false);
    assert_int_equal(answers_of_slow_tick(100), 100); // half of its tick is 500 ms
    the.world->window.debt_ns = 0;
    the.world->place.thread_shared = true;
    const uint32_t answers = answers_of_slow_tick(100);
    assert_in_range(answers, 1, 42);             // half a tick of 60 Hz
    assert_true(served_world_crowds(the.world)); // for a thread on which it may take longer
    the.world->place.thread_shared = false;
    assert_int_equal(answers_of_slow_tick(0), 100 - answers);
}

static void slow_world_that_has_little_to_do_crowds_nobody(void **state)
{
    (void)state;
    create(1.0, false);
    the.world->place.thread_shared = true;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(answers_of_slow_tick(3), 3);
        assert_false(served_world_crowds(the.world));
    }
}

static void slow_world_has_no_more_time_for_a_step_than_others(void **state)
{
    (void)state;
    assert_int_equal(served_world_fair_ns(1e9 / 60.0), 8333333);
    assert_int_equal(served_world_fair_ns(1e9), 8333333);
    assert_int_equal(served_world_fair_ns(1e7), 5000000);
    create(1.0, false);
    assert_int_equal(served_world_fair_step_ns(the.world), 8333333);
}

// Sends a batch of `count` balls in one place, with `at` added to each shape.
static void call_balls(int count, const char *at, const char *shape)
{
    buffer json;
    char part[160];
    buffer_init(&json, 1 << 20);
    snprintf(part, sizeof part, "{\"world\":\"w\"%s,\"commands\":[", at);
    buffer_append(&json, part, strlen(part));
    for (int i = 0; i < count; i++) {
        snprintf(part, sizeof part,
                 "%s[\"body.spawn\",{\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5%s}]}]",
                 i > 0 ? "," : "", shape);
        buffer_append(&json, part, strlen(part));
    }
    buffer_append(&json, "]}", sizeof "]}"); // and its end
    call(METHOD_WORLD_APPLY, (const char *)json.data);
    buffer_deinit(&json);
}

// Spawns 200 balls, which would make 19 900 pairs in the next step: about 100 ms.
static void call_heap(const char *at)
{
    call_balls(200, at, "");
}

static void heavy_step_waits_for_a_thread_apart(void **state)
{
    (void)state;
    create(100.0, false);
    served_world_bound_step(the.world, served_world_fair_step_ns(the.world));
    call(METHOD_BODY_SPAWN, SPAWN);
    call_heap("");
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_true(served_world_crowds(the.world));
    assert_int_equal(result_tick(), 1);
    assert_int_equal(mailbox_left(&the.box), 0); // requests behind it wait too
    assert_int_equal(world_count(the.world->physics).bodies, 1);
    advance(10 * MS);
    assert_int_equal(world_tick(the.world->physics), 1);
    served_world_move(the.world, mailbox_sink(&the.box));
    served_world_bound_step(the.world, INT64_MAX);
    advance(10 * MS);
    advance(10 * MS);
    mailbox_result(&the.box);
    mailbox_take(&the.box, REPLY_FIGURES);
    mailbox_result(&the.box);
    assert_int_equal(world_count(the.world->physics).bodies, 202);
    assert_false(the.world->costs.step_blocked);
}

static void world_leaves_its_figures_before_a_long_step(void **state)
{
    (void)state;
    create(100.0, false);
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    mailbox_result(&the.box);
    assert_int_equal(mailbox_left(&the.box), 0);
    call_heap("");
    advance(10 * MS);
    mailbox_result(&the.box); // the figures include this command
    const reply *left = mailbox_take(&the.box, REPLY_FIGURES);
    assert_int_equal(left->world, 3);
    assert_true(left->payload->size > left->tail->size); // confined readers get fewer figures
    call_heap("");
    advance(10 * MS);
    mailbox_result(&the.box);
    assert_int_equal(mailbox_left(&the.box), 0); // at most one is in flight
}

static const char JOIN[] = "{\"world\":\"w\",\"kind\":\"distance\",\"a\":1,\"b\":2,"
                           "\"collide_connected\":true}";

// 40 balls in one place take 3 ms of 5, and 5 if they rebound and have joints, in either order of
// the commands.
static void crowd_that_becomes_dearer_waits_for_a_thread_apart(void **state)
{
    (void)state;
    create(100.0, false);
    served_world_bound_step(the.world, 4 * MS);
    call_balls(40, "", ",\"restitution\":0.5");
    advance(10 * MS);
    mailbox_result(&the.box);
    assert_int_equal(world_count(the.world->physics).pairs, 780);
    call(METHOD_JOINT_CREATE, JOIN); // joints of pairs that have met
    served_world_bound_step(the.world, 2 * MS);
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(world_count(the.world->physics).joints, 0);
    served_world_bound_step(the.world, INT64_MAX);
    advance(10 * MS);
    mailbox_result(&the.box);
    assert_int_equal(world_count(the.world->physics).joints, 1);
    served_world_bound_step(the.world, 2 * MS);
    advance(10 * MS);
    assert_false(the.world->costs.step_blocked); // the cost counts once
    call_balls(4, "", "");
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
}

static void crowd_that_is_jointed_alone_does_not_wait(void **state)
{
    (void)state;
    create(100.0, false);
    served_world_bound_step(the.world, 4 * MS);
    call(METHOD_BODY_SPAWN,
         "{\"world\":\"w\",\"position\":[50,0],\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}");
    call(METHOD_BODY_SPAWN,
         "{\"world\":\"w\",\"position\":[60,0],\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}");
    call(METHOD_JOINT_CREATE, JOIN);
    call_balls(40, "", "");
    advance(10 * MS);
    assert_false(the.world->costs.step_blocked);
    served_world_bound_step(the.world, 2 * MS);
    call(METHOD_SHAPE_SET, "{\"world\":\"w\",\"shape\":1,\"friction\":0.5}");
    advance(10 * MS);
    assert_false(the.world->costs.step_blocked);
    call(METHOD_SHAPE_SET, "{\"world\":\"w\",\"shape\":1,\"restitution\":0.5}");
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
}

typedef struct piece {
    method method;
    const char *arguments;
} piece;

// Checks that the request waits as if it took a thread a long time.
static void expect_to_wait(const piece *p)
{
    served_world_bound_step(the.world, 1000);
    call(p->method, p->arguments);
    call(METHOD_WORLD_INFO, WORLD);
    run_round();
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(mailbox_left(&the.box), 0); // requests behind it wait too
    served_world_bound_step(the.world, MS);
    run_round();
    assert_false(the.world->costs.step_blocked);
    const reply *done = mailbox_take(&the.box, REPLY_RESULT);
    assert_int_equal(done->method, p->method);
    assert_int_equal(done->status, STATUS_OK);
    mailbox_result(&the.box);
}

static void create_with(int count, const char *spawn)
{
    create(100.0, true);
    for (int i = 0; i < count; i++) {
        call(METHOD_BODY_SPAWN, spawn);
    }
    run_round();
    for (int i = 0; i < count; i++) {
        mailbox_result(&the.box);
    }
}

static void piece_that_is_not_cut_waits_for_a_thread_apart(void **state)
{
    (void)state;
    static const piece PIECES[] = {
        {METHOD_WORLD_IMAGE, WORLD},
        {METHOD_WORLD_FORK, "{\"world\":\"w\",\"as\":\"x\"}"},
        {METHOD_WORLD_STATE, WORLD},
        {METHOD_WORLD_CONTACTS, WORLD},
        {METHOD_JOINT_LIST, WORLD},
        {METHOD_QUERY_OVERLAP, "{\"world\":\"w\",\"area\":[-9,-9,9,9]}"},
        {METHOD_QUERY_NEAREST, "{\"world\":\"w\",\"point\":[0.5,0.5]}"},
        {METHOD_QUERY_RAY, "{\"world\":\"w\",\"from\":[-9,0],\"to\":[9,0],\"all\":true}"},
        {METHOD_QUERY_CAST, "{\"world\":\"w\",\"from\":[-9,0],\"to\":[9,0],"
                            "\"shape\":{\"kind\":\"circle\",\"radius\":1}}"},
        {METHOD_WORLD_SUBSCRIBE, WORLD}};
    create_with(3, SPAWN);
    call(METHOD_JOINT_CREATE, "{\"world\":\"w\",\"kind\":\"weld\",\"a\":1,\"b\":2}");
    call(METHOD_WORLD_STEP, WORLD); // finds the contacts
    run_round();
    mailbox_result(&the.box);
    mailbox_result(&the.box);
    for (size_t i = 0; i < sizeof PIECES / sizeof *PIECES; i++) {
        expect_to_wait(&PIECES[i]);
    }
}

static void log_with_an_image_waits_for_a_thread_apart(void **state)
{
    (void)state;
    create_with(3, SPAWN);
    expect_to_wait(&(piece){METHOD_WORLD_SUBSCRIBE, "{\"world\":\"w\",\"encoding\":\"log\"}"});
}

static const char SPAWN_ASLEEP[] = "{\"world\":\"w\",\"awake\":false,\"shapes\":[{"
                                   "\"kind\":\"circle\",\"radius\":0.5}]}";

static void setting_that_wakes_all_waits_for_a_thread_apart(void **state)
{
    (void)state;
    create_with(3, SPAWN_ASLEEP);
    expect_to_wait(&(piece){METHOD_WORLD_APPLY, "{\"world\":\"w\",\"commands\":[[\"world.set\","
                                                "{\"gravity\":[0,-1]}]]}"});
}

static void setting_waits_only_while_some_sleep(void **state)
{
    (void)state;
    create_with(3, SPAWN_ASLEEP);
    expect_to_wait(&(piece){METHOD_WORLD_SET, "{\"world\":\"w\",\"gravity\":[0,-1]}"});
    expect_to_wait(&(piece){METHOD_WORLD_STATE, WORLD});
    served_world_bound_step(the.world, 1000);
    call(METHOD_WORLD_SET, "{\"world\":\"w\",\"gravity\":[0,-2]}");
    run_round();
    assert_false(the.world->costs.step_blocked); // they are awake
    mailbox_result(&the.box);
}

// Five bodies are new to the next step: about 900 ns each.
static void step_of_many_that_have_come_waits_for_a_thread_apart(void **state)
{
    (void)state;
    create_with(5, SPAWN);
    the.world->crowding.few = 0; // the test is not about their pairs
    served_world_bound_step(the.world, 4000);
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":2}");
    run_round();
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(world_tick(the.world->physics), 0);
    served_world_bound_step(the.world, MS);
    run_round();
    assert_false(the.world->costs.step_blocked); // they are new only once
    assert_int_equal(world_tick(the.world->physics), 2);
    mailbox_result(&the.box);
}

// Without the rule each run would catch up completely in one slice.
static void world_does_one_tick_at_a_time_where_others_are_due(void **state)
{
    (void)state;
    create(1000.0, false);
    advance(10 * MS);
    const uint64_t alone = world_tick(the.world->physics);
    assert_true(alone > 1);
    the.world->place.others_due = true;
    advance(10 * MS);
    assert_int_equal(world_tick(the.world->physics), alone + 1);
    run_round();
    assert_int_equal(world_tick(the.world->physics), alone + 2);
}

static void long_step_of_a_paused_world_is_its_last_there(void **state)
{
    (void)state;
    create(100.0, true);
    served_world_bound_step(the.world, 100 * MS);
    cost_ns = MS; // each reading takes so long that a step takes some milliseconds
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":1000}");
    run_round();
    run_round();
    assert_false(the.world->costs.step_blocked);
    cost_ns = 100 * MS;
    const uint64_t tick = world_tick(the.world->physics);
    run_round();
    assert_int_equal(world_tick(the.world->physics), tick + 1);
    run_round();
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(world_tick(the.world->physics), tick + 1);
}

static void heavy_batch_of_a_later_tick_waits_with_its_tick(void **state)
{
    (void)state;
    create(100.0, false);
    call_heap(",\"at\":3");
    served_world_bound_step(the.world, served_world_fair_step_ns(the.world));
    advance(10 * MS);
    assert_false(the.world->costs.step_blocked);
    advance(10 * MS);
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(world_tick(the.world->physics), 2);
    served_world_bound_step(the.world, INT64_MAX);
    advance(10 * MS);
    mailbox_result(&the.box);
    assert_int_equal(world_count(the.world->physics).bodies, 200);
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
    request *end = request_create(REQUEST_SESSION_END, 3);
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
    request *forget = request_create(REQUEST_FORGET, 3);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(running_world_ticks_when_due),
        TEST(command_waits_for_the_tick_and_names_it),
        TEST(commands_are_answered_in_their_order),
        TEST(paused_world_obeys_at_once),
        TEST(step_does_its_ticks_and_then_answers),
        TEST(long_step_gives_way),
        TEST(step_of_a_running_world_is_refused),
        TEST(pause_ends_the_tick_and_resume_begins_anew),
        TEST(batch_waits_for_its_tick),
        TEST(batch_of_the_past_or_too_far_ahead_is_refused),
        TEST(timed_batch_is_told_its_margin),
        TEST(batch_of_the_past_is_refused_dropped_or_next),
        TEST(late_batch_of_a_paused_world_waits_for_its_step),
        TEST(snapshots_bear_the_smallest_margin_since_the_last),
        TEST(overloaded_world_slows_its_time),
        TEST(flood_waits_for_its_share_of_the_tick),
        TEST(crowd_is_refused_before_it_is_made),
        TEST(crowd_that_has_gone_apart_hinders_nobody),
        TEST(pairs_have_their_price),
        TEST(world_over_half_its_time_crowds_others),
        TEST(slow_world_leaves_its_thread_to_others_in_time),
        TEST(slow_world_that_has_little_to_do_crowds_nobody),
        TEST(slow_world_has_no_more_time_for_a_step_than_others),
        TEST(heavy_step_waits_for_a_thread_apart),
        TEST(world_leaves_its_figures_before_a_long_step),
        TEST(crowd_that_becomes_dearer_waits_for_a_thread_apart),
        TEST(crowd_that_is_jointed_alone_does_not_wait),
        TEST(piece_that_is_not_cut_waits_for_a_thread_apart),
        TEST(log_with_an_image_waits_for_a_thread_apart),
        TEST(setting_that_wakes_all_waits_for_a_thread_apart),
        TEST(setting_waits_only_while_some_sleep),
        TEST(step_of_many_that_have_come_waits_for_a_thread_apart),
        TEST(world_does_one_tick_at_a_time_where_others_are_due),
        TEST(long_step_of_a_paused_world_is_its_last_there),
        TEST(heavy_batch_of_a_later_tick_waits_with_its_tick),
        TEST(steps_end_with_their_session),
        TEST(tick_has_time_for_so_many_batches),
        TEST(destroyed_world_answers_everyone),
        TEST(view_and_unsubscribe_are_for_the_owner),
        TEST(subscriptions_end_with_their_session_though_they_wait_for_the_tick),
        TEST(reader_of_the_log_that_took_nothing_for_too_long_gets_an_image),
        TEST(subscriptions_of_sessions_that_wait_stand_in_order),
        TEST(rate_above_the_ticks_is_refused_in_every_encoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
