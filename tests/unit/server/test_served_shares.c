// The shares of a served world's time: floods, crowds, and the work that waits for a thread of the
// world's own.
#include "tests/unit/server/served_rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/commands/command_decode.h"
#include "proto/wire/buffer.h"
#include "proto/wire/json.h"

// ---- fairness

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
    buffer_append(&json, "]}", sizeof "]}"); // includes the closing zero
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
    buffer_append(&json, "]}", sizeof "]}"); // includes the closing zero
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

// 300 bullets that pass each other: 90 000 pairs, 13 ms.
static void call_bullets(const char *velocity)
{
    char json[300 * 160];
    int length = snprintf(json, sizeof json, "{\"world\":\"w\",\"commands\":[");
    for (int i = 0; i < 300; i++) {
        length +=
            snprintf(json + length, sizeof json - (size_t)length,
                     "%s[\"body.spawn\",{\"position\":[%d,%d],\"bullet\":true,\"velocity\":%s,"
                     "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.1}]}]",
                     i > 0 ? "," : "", i % 20, i / 20, velocity);
    }
    snprintf(json + length, sizeof json - (size_t)length, "]}");
    call(METHOD_WORLD_APPLY, json);
}

// Its commands are applied, its step waits: once, and without a new tick's commands.
static void step_of_bullets_waits_for_a_thread_apart(void **state)
{
    (void)state;
    create(100.0, false);
    served_world_bound_step(the.world, served_world_fair_step_ns(the.world));
    call_bullets("[0,0]");
    advance(10 * MS);
    assert_false(the.world->costs.step_blocked); // they are slow
    assert_int_equal(world_tick(the.world->physics), 1);
    call_bullets("[900,900]");
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(world_tick(the.world->physics), 1);
    assert_int_equal(world_count(the.world->physics).bodies, 600);
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    assert_int_equal(world_tick(the.world->physics), 1);
    served_world_move(the.world, mailbox_sink(&the.box));
    served_world_bound_step(the.world, INT64_MAX);
    the.world->place.others_due = true; // one tick at a time
    run_round();
    assert_int_equal(world_tick(the.world->physics), 2);
    assert_int_equal(world_count(the.world->physics).bodies, 600);
    run_round();
    assert_int_equal(world_tick(the.world->physics), 3);
    assert_int_equal(world_count(the.world->physics).bodies, 601);
}

// The last tick before a pause is no exception: the pause waits with it, and comes after it.
static void pause_of_bullets_waits_for_a_thread_apart(void **state)
{
    (void)state;
    create(100.0, false);
    served_world_bound_step(the.world, served_world_fair_step_ns(the.world));
    call_bullets("[900,900]");
    call(METHOD_WORLD_PAUSE, "{\"world\":\"w\"}");
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(world_tick(the.world->physics), 0);
    assert_int_equal(mailbox_left(&the.box), 1); // the batch's answer
    served_world_bound_step(the.world, INT64_MAX);
    the.world->place.others_due = true; // one tick at a time
    run_round();
    assert_int_equal(world_tick(the.world->physics), 1);
    advance(10 * MS);
    assert_true(served_world_is_paused(the.world));
    assert_int_equal(world_tick(the.world->physics), 2);
    (void)mailbox_result(&the.box);
    assert_int_equal(result_tick(), 2);
}

static void step_of_bullets_of_a_paused_world_waits_too(void **state)
{
    (void)state;
    create(100.0, true);
    served_world_bound_step(the.world, served_world_fair_step_ns(the.world));
    call_bullets("[900,900]");
    run_round();
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":2}");
    run_round();
    run_round();
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(world_tick(the.world->physics), 0);
    served_world_bound_step(the.world, INT64_MAX);
    run_round();
    run_round();
    assert_int_equal(world_tick(the.world->physics), 2);
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
    assert_int_equal(left->world, EPOCH);
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
    assert_false(the.world->costs.step_blocked); // bodies count as new in one step only
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

// ---- batches that go over much

enum { PIECES = 900 };

static void add(buffer *b, const char *text)
{
    buffer_append(b, text, strlen(text));
}

static void spawn_chain(void)
{
    buffer json;
    buffer_init(&json, 1 << 20);
    add(&json,
        "{\"world\":\"w\",\"type\":\"static\",\"shapes\":[{\"kind\":\"chain\",\"vertices\":[");
    for (int i = 0; i <= PIECES; i++) {
        char point[32];
        snprintf(point, sizeof point, "%s[%d,0]", i > 0 ? "," : "", -i);
        add(&json, point);
    }
    buffer_append(&json, "]}]}", sizeof "]}]}"); // includes the closing zero
    call(METHOD_BODY_SPAWN, (const char *)json.data);
    buffer_deinit(&json);
    advance(10 * MS);
    assert_int_equal(obj_get_uint(mailbox_result(&the.box), "body"), 1);
}

static void call_again(int count, const char *once)
{
    buffer json;
    buffer_init(&json, 1 << 20);
    add(&json, "{\"world\":\"w\",\"commands\":[");
    for (int i = 0; i < count; i++) {
        add(&json, i > 0 ? "," : "");
        add(&json, once);
    }
    buffer_append(&json, "]}", sizeof "]}"); // includes the closing zero
    call(METHOD_WORLD_APPLY, (const char *)json.data);
    buffer_deinit(&json);
}

static const char MOVE[] = "[\"body.set\",{\"body\":1,\"position\":[0,9]}]";
static const char READ[] = "[\"body.get\",{\"body\":1}]";

static void batch_that_goes_over_much_waits_for_a_thread_apart(void **state)
{
    (void)state;
    create(100.0, false);
    spawn_chain();
    served_world_bound_step(the.world, served_world_fair_step_ns(the.world)); // 5 ms
    call_again(100, "[\"body.set\",{\"body\":1,\"tag\":\"a\"}]");
    advance(10 * MS);
    assert_false(the.world->costs.step_blocked);
    mailbox_result(&the.box);
    call_again(20, MOVE); // 13 ms
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
    assert_int_equal(mailbox_left(&the.box), 0);
    served_world_bound_step(the.world, INT64_MAX);
    advance(10 * MS);
    mailbox_result(&the.box);
    served_world_bound_step(the.world, served_world_fair_step_ns(the.world));
    call_again(2, READ); // 13 ms
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
}

static void batch_that_goes_over_too_much_is_refused(void **state)
{
    (void)state;
    create(100.0, false);
    spawn_chain();
    call_again(70, READ); // 440 ms
    advance(10 * MS);
    mailbox_take(&the.box, REPLY_FIGURES); // figures of the time before
    mailbox_result(&the.box);
    call_again(1000, MOVE);
    call_again(100, READ);
    advance(10 * MS);
    assert_non_null(strstr(refusal(STATUS_LIMIT_EXCEEDED),
                           "the batch would take about 632 ms, and a batch may take 500"));
    refusal(STATUS_LIMIT_EXCEEDED);
}

static void spawn_apart(int count)
{
    buffer json;
    buffer_init(&json, 1 << 20);
    add(&json, "{\"world\":\"w\",\"commands\":[");
    for (int i = 0; i < count; i++) {
        char spawn[128];
        snprintf(spawn, sizeof spawn,
                 "%s[\"body.spawn\",{\"position\":[%d,0],\"shapes\":[{\"kind\":\"circle\","
                 "\"radius\":0.5}]}]",
                 i > 0 ? "," : "", 3 * i);
        add(&json, spawn);
    }
    buffer_append(&json, "]}", sizeof "]}"); // includes the closing zero
    call(METHOD_WORLD_APPLY, (const char *)json.data);
    buffer_deinit(&json);
    advance(10 * MS);
    mailbox_result(&the.box);
}

// In a world of 1 000 bodies, each change between rest and motion may go over all.
static void batch_that_wakes_and_puts_to_sleep_is_told_by_its_changes(void **state)
{
    (void)state;
    create(100.0, false);
    spawn_apart(1000);
    served_world_bound_step(the.world, 40 * MS);
    call_again(500, "[\"body.set\",{\"body\":1,\"awake\":true}]");
    call_again(500, "[\"body.set\",{\"body\":1,\"awake\":false}]");
    advance(10 * MS);
    mailbox_result(&the.box);
    mailbox_result(&the.box);
    assert_false(the.world->costs.step_blocked);
    call_again(
        400,
        "[\"body.set\",{\"body\":1,\"awake\":true}],[\"body.set\",{\"body\":1,\"awake\":false}]");
    advance(10 * MS);
    assert_true(the.world->costs.step_blocked);
}

int run_served_shares(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flood_waits_for_its_share_of_the_tick),
        TEST(crowd_is_refused_before_it_is_made),
        TEST(crowd_that_has_gone_apart_hinders_nobody),
        TEST(pairs_have_their_price),
        TEST(world_over_half_its_time_crowds_others),
        TEST(slow_world_leaves_its_thread_to_others_in_time),
        TEST(slow_world_that_has_little_to_do_crowds_nobody),
        TEST(slow_world_has_no_more_time_for_a_step_than_others),
        TEST(heavy_step_waits_for_a_thread_apart),
        TEST(step_of_bullets_waits_for_a_thread_apart),
        TEST(pause_of_bullets_waits_for_a_thread_apart),
        TEST(step_of_bullets_of_a_paused_world_waits_too),
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
        TEST(tick_has_time_for_so_many_batches),
        TEST(batch_that_goes_over_much_waits_for_a_thread_apart),
        TEST(batch_that_goes_over_too_much_is_refused),
        TEST(batch_that_wakes_and_puts_to_sleep_is_told_by_its_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
