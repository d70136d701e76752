// The gate between a world and its log: order, stamps, refusal.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/world/log/commit_gate.h"

enum { SEEN_MAX = 4096 };

typedef struct seen {
    uint64_t number[SEEN_MAX]; // indexed by `subscription`, with which the tests number replies
    status status[SEEN_MAX];
    bool took_effect[SEEN_MAX];
    int count;
} seen;

static void see(void *context, reply *r)
{
    seen *s = context;
    assert_in_range(s->count, 0, SEEN_MAX - 1);
    s->number[s->count] = r->subscription;
    s->took_effect[s->count] = r->took_effect;
    s->status[s->count++] = r->status;
    reply_free(r);
}

// The gate under test, and the replies that have left it.
static commit_gate g;
static seen s;

static void open_gate(uint64_t committed)
{
    s = (seen){0};
    commit_gate_init(&g, (reply_sink){see, &s}, committed);
}

static void post(reply_kind kind, uint64_t number)
{
    reply *r = reply_create(kind, 1);
    r->subscription = number;
    reply_sink sink = commit_gate_sink(&g);
    sink.post(sink.context, r);
}

static void reply_leaves_when_its_record_is_committed(void **state)
{
    (void)state;
    open_gate(4);
    post(REPLY_RESULT, 1);
    post(REPLY_SNAPSHOT, 2);
    commit_gate_commit(&g, 5); // commits a record before the one that covers the two
    assert_int_equal(s.count, 0);
    commit_gate_stamp(&g, 6, 0);
    assert_int_equal(s.count, 0);
    assert_int_equal(commit_gate_held(&g), 2);
    commit_gate_commit(&g, 6);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.number[0], 1);
    assert_int_equal(s.number[1], 2);
    commit_gate_deinit(&g);
}

static void reply_that_shows_nothing_new_leaves_with_its_stamp(void **state)
{
    (void)state;
    open_gate(7);
    post(REPLY_SNAPSHOT, 1);
    commit_gate_stamp(&g, 7, 0);
    assert_int_equal(s.count, 1);
    commit_gate_deinit(&g);
}

// A snapshot without commands does not overtake the one that waits.
static void replies_leave_in_order_at_any_interleaving(void **state)
{
    (void)state;
    open_gate(0);
    uint64_t needs[SEEN_MAX];
    uint64_t sequence = 0;
    uint64_t committed = 0;
    int posted = 0;
    int stamped = 0;
    unsigned random = 5;
    while (posted < SEEN_MAX - 4) {
        for (int n = rand_r(&random) % 3; n > 0; n--) {
            post(rand_r(&random) % 2 ? REPLY_RESULT : REPLY_SNAPSHOT, (uint64_t)posted++);
        }
        sequence += (uint64_t)(rand_r(&random) % 2);
        if (rand_r(&random) % 3 > 0) {
            for (; stamped < posted; stamped++) {
                needs[stamped] = sequence;
            }
            commit_gate_stamp(&g, sequence, 0);
        }
        if (rand_r(&random) % 4 == 0) {
            committed += (sequence - committed) / 2 + (sequence - committed) % 2;
            commit_gate_commit(&g, committed);
        }
        for (int i = 0; i < s.count; i++) {
            assert_int_equal(s.number[i], i);
            assert_true(i < stamped && needs[i] <= committed);
        }
        // no reply waits without need
        assert_true(s.count == stamped || needs[s.count] > committed);
        assert_int_equal(commit_gate_held(&g), posted - s.count);
    }
    commit_gate_stamp(&g, sequence, 0);
    commit_gate_commit(&g, sequence);
    assert_int_equal(s.count, posted);
    commit_gate_deinit(&g);
}

static void log_that_failed_refuses_results_and_drops_snapshots(void **state)
{
    (void)state;
    open_gate(0);
    post(REPLY_RESULT, 1);
    post(REPLY_SNAPSHOT, 2);
    commit_gate_stamp(&g, 1, 0);
    post(REPLY_CLOSED, 3);
    commit_gate_refuse(&g, STATUS_UNAVAILABLE, "the world's log has failed");
    assert_int_equal(s.count, 2);
    assert_int_equal(s.number[0], 1);
    assert_int_equal(s.status[0], STATUS_UNAVAILABLE);
    assert_int_equal(s.number[1], 3);
    assert_int_equal(s.status[1], STATUS_OK);
    post(REPLY_RESULT, 4);
    commit_gate_stamp(&g, 2, 0);
    commit_gate_commit(&g, 2); // a new image covers all replies
    assert_int_equal(s.count, 3);
    assert_int_equal(s.status[2], STATUS_OK);
    commit_gate_deinit(&g);
}

static void world_of_another_server_does_not_say_that_a_command_took_effect(void **state)
{
    (void)state;
    open_gate(0);
    post(REPLY_RESULT, 1);
    commit_gate_disown(&g, STATUS_UNAVAILABLE, "the world went to another server");
    assert_int_equal(s.count, 1);
    assert_int_equal(s.status[0], STATUS_UNAVAILABLE);
    assert_false(s.took_effect[0]);
    post(REPLY_RESULT, 2);
    commit_gate_refuse(&g, STATUS_UNAVAILABLE, "the world's log has failed");
    assert_int_equal(s.count, 2);
    assert_true(s.took_effect[1]);
    commit_gate_deinit(&g);
}

static void ignore(void *context)
{
    (void)context;
}

static void reply_of_a_replicated_world_waits_for_the_standby_too(void **state)
{
    (void)state;
    world_feed *feed = world_feed_create(ignore, NULL);
    world_feed_allow(feed, 0);
    open_gate(0);
    commit_gate_await_feed(&g, feed);
    post(REPLY_RESULT, 1);
    commit_gate_stamp(&g, 1, 1);
    post(REPLY_RESULT, 2); // the same record, and a later image
    commit_gate_stamp(&g, 1, 2);
    commit_gate_commit(&g, 1);
    assert_int_equal(s.count, 0);
    world_feed_allow(feed, 1);
    commit_gate_commit(&g, 1); // the standby has acknowledged
    assert_int_equal(s.count, 1);
    assert_int_equal(world_feed_shown(feed), 1);
    world_feed_allow(feed, UINT64_MAX);
    commit_gate_commit(&g, 1);
    assert_int_equal(s.count, 2);
    assert_int_equal(world_feed_shown(feed), 2);
    post(REPLY_RESULT, 3);
    commit_gate_stamp(&g, 2, 3); // the standby is not waited for, but the storage is
    assert_int_equal(s.count, 2);
    commit_gate_commit(&g, 2);
    assert_int_equal(s.count, 3);
    commit_gate_deinit(&g);
    world_feed_unref(feed);
}

static void reply_from_before_a_move_does_not_wait_for_the_standby(void **state)
{
    (void)state;
    world_feed *feed = world_feed_create(ignore, NULL);
    world_feed_allow(feed, 0);
    open_gate(0);
    post(REPLY_RESULT, 1);
    commit_gate_stamp(&g, 1, 0);
    commit_gate_await_feed(&g, feed);
    post(REPLY_RESULT, 2);
    commit_gate_stamp(&g, 2, 1);
    commit_gate_commit(&g, 2);
    assert_int_equal(s.count, 1);
    world_feed_allow(feed, 1);
    commit_gate_commit(&g, 2);
    assert_int_equal(s.count, 2);
    commit_gate_deinit(&g);
    world_feed_unref(feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reply_leaves_when_its_record_is_committed),
        cmocka_unit_test(reply_that_shows_nothing_new_leaves_with_its_stamp),
        cmocka_unit_test(replies_leave_in_order_at_any_interleaving),
        cmocka_unit_test(log_that_failed_refuses_results_and_drops_snapshots),
        cmocka_unit_test(world_of_another_server_does_not_say_that_a_command_took_effect),
        cmocka_unit_test(reply_of_a_replicated_world_waits_for_the_standby_too),
        cmocka_unit_test(reply_from_before_a_move_does_not_wait_for_the_standby),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
