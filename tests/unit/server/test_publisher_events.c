// Tests of server/world/publisher.h: events for each subscription, and readers that are resumed.
// Contents of snapshots: test_publisher.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/server/publisher_rig.h"

static void events_wait_for_a_snapshot_of_their_state(void **state)
{
    publisher_rig *f = *state;
    add_ball(f, 0, 0, 0);
    add_ball(f, 1.5, 0, -10); // touches in the third tick
    subscribe_args slow = everything();
    slow.rate = 6; // every tenth tick
    subscribe(f, 1, ONE, slow);
    tick(f);
    take_and_acknowledge(f, 1);
    uint64_t previous = 1;
    uint32_t begins = 0;
    uint32_t ends = 0;
    for (int i = 0; i < 60; i++) {
        tick(f);
        if (mailbox_left(&f->box) == 0) {
            continue;
        }
        const msgpack_object *s = mailbox_snapshot(&f->box);
        publisher_acknowledge(&f->publisher, 1);
        uint64_t now = obj_get_uint(s, "tick");
        assert_int_equal(now % 10, 0);
        const msgpack_object *events = obj_get(s, "events");
        for (uint32_t k = 0; k < obj_count(events); k++) {
            const msgpack_object *event = obj_at(events, k);
            assert_in_range(obj_get_uint(event, "tick"), previous + 1, now);
            begins += strcmp(obj_get_text(event, "kind"), "begin") == 0;
            ends += strcmp(obj_get_text(event, "kind"), "end") == 0;
        }
        previous = now;
    }
    assert_int_equal(begins, 1);
    assert_in_range(ends, 0, 1);
}

// Six views at a sixth of the tick rate: one snapshot falls on each tick, and each view is told
// every event once, in the order in which they happened.
static void staggered_views_lose_no_event_of_the_ticks_between(void **state)
{
    enum { VIEWS = 6, TICKS = 120 };
    publisher_rig *f = *state;
    uint32_t told[VIEWS] = {0};
    uint64_t last[VIEWS] = {0};
    for (int i = 0; i < VIEWS; i++) {
        subscribe_args view = within(-10.0 - i, -10, 10, 10);
        view.events = 1u << EVENT_SPAWN;
        view.rate = 10.0;
        subscribe(f, (uint64_t)i + 1, ONE, view);
    }
    for (int i = 0; i < TICKS; i++) {
        body_id id = add_ball(f, 0, 0, 0);
        tick(f);
        assert_int_equal(body_remove(f->world, id, NULL), STATUS_OK); // none lies on the next
        f->publisher.stale = true;
        assert_true(mailbox_left(&f->box) == 1 || (i == 0 && mailbox_left(&f->box) == VIEWS));
        while (mailbox_left(&f->box) > 0) {
            const msgpack_object *s = mailbox_snapshot(&f->box);
            const uint64_t number = obj_get_uint(s, "subscription");
            const msgpack_object *events = obj_get(s, "events");
            for (uint32_t k = 0; k < obj_count(events); k++) {
                const uint64_t now = obj_get_uint(obj_at(events, k), "tick");
                assert_int_equal(now, last[number - 1] + 1);
                last[number - 1] = now;
                told[number - 1]++;
            }
            publisher_acknowledge(&f->publisher, number);
        }
    }
    for (int i = 0; i < VIEWS; i++) {
        assert_in_range(told[i], TICKS - VIEWS + 1, TICKS);
    }
}

static void events_are_of_the_kinds_that_were_asked_for(void **state)
{
    publisher_rig *f = *state;
    subscribe_args spawns = {.bodies = true, .events = 1u << EVENT_SPAWN};
    subscribe_args none = {.bodies = true};
    subscribe(f, 1, ONE, spawns);
    subscribe(f, 2, TWO, none);
    add_ball(f, 0, 0, 0);
    tick(f);
    const msgpack_object *one = obj_get(mailbox_snapshot(&f->box), "events");
    const msgpack_object *two = obj_get(mailbox_snapshot(&f->box), "events");
    bool swapped = obj_count(two) > obj_count(one);
    assert_int_equal(obj_count(swapped ? two : one), 1);
    assert_int_equal(obj_count(swapped ? one : two), 0);
    assert_string_equal(obj_get_text(obj_at(swapped ? two : one, 0), "kind"), "spawn");
}

static void events_of_an_area_are_those_in_view(void **state)
{
    publisher_rig *f = *state;
    add_ball(f, 0, 0, 0);
    add_ball(f, 1.05, 0, -10);
    add_ball(f, 100, 0, 0);
    add_ball(f, 101.05, 0, -10);
    subscribe(f, 1, ONE, within(-5, -5, 5, 5));
    subscribe(f, 2, TWO, within(40, -5, 60, 5));
    uint32_t begins[3] = {0};
    for (int i = 0; i < 5; i++) {
        tick(f);
        for (int k = 0; k < 2; k++) {
            const msgpack_object *s = mailbox_snapshot(&f->box);
            uint64_t number = obj_get_uint(s, "subscription");
            publisher_acknowledge(&f->publisher, number);
            begins[number] += obj_count(obj_get(s, "events"));
        }
    }
    assert_int_equal(begins[1], 1);
    assert_int_equal(begins[2], 0);
}

static void too_many_waiting_events_end_the_subscription(void **state)
{
    publisher_rig *f = *state;
    f->limits.events_kept = 16;
    subscribe_args spawns = {.bodies = true, .events = 1u << EVENT_SPAWN};
    subscribe_args begins = everything();
    subscribe(f, 1, ONE, spawns);
    subscribe(f, 2, TWO, begins);
    tick(f);
    mailbox_snapshot(&f->box);
    mailbox_snapshot(&f->box); // nobody acknowledges
    uint32_t spawned = 0;
    while (mailbox_left(&f->box) == 0 && spawned < 100) {
        add_ball(f, 10.0 * spawned++, 50, 0);
        tick(f);
    }
    assert_int_equal(spawned, 17);
    const reply *r = mailbox_take(&f->box, REPLY_OVERRUN);
    assert_int_equal(r->subscription, 1);
    assert_int_equal(r->status, STATUS_LIMIT_EXCEEDED);
    assert_int_equal(r->reply_to.session.number, ONE.number);
    // The other does not want those, so it lives, and knows nothing of them.
    publisher_acknowledge(&f->publisher, 2);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_int_equal(obj_get_uint(s, "subscription"), 2);
    assert_int_equal(rows_in(s), 17);
    assert_int_equal(obj_count(obj_get(s, "events")), 0);
    publisher_acknowledge(&f->publisher, 2);
    tick(f);
    assert_true(f->publisher.log.entries.count <= 16);
}

static void many_events_bring_a_slow_rate_forward(void **state)
{
    publisher_rig *f = *state;
    f->limits.events_kept = 16;
    subscribe_args spawns = {.rate = 0.01, .bodies = true, .events = 1u << EVENT_SPAWN};
    subscribe(f, 1, ONE, spawns);
    tick(f);
    take_and_acknowledge(f, 1);
    uint32_t told = 0;
    for (uint32_t i = 0; i < 50; i++) {
        add_ball(f, 10.0 * i, 50, 0);
        tick(f);
        while (mailbox_left(&f->box) > 0) {
            told += obj_count(obj_get(mailbox_snapshot(&f->box), "events"));
            publisher_acknowledge(&f->publisher, 1);
        }
    }
    assert_in_range(told, 41, 50);
}

static void events_alone_bring_no_rows(void **state)
{
    publisher_rig *f = *state;
    body_id id = add_ball(f, 0, 0, 1);
    subscribe_args view = everything();
    view.bodies = false;
    subscribe(f, 1, ONE, view);
    tick(f);
    assert_int_equal(rows_in(mailbox_snapshot(&f->box)), 0);
    publisher_acknowledge(&f->publisher, 1);
    body_remove(f->world, id, NULL);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_int_equal(rows_in(s), 0);
    assert_int_equal(obj_count(obj_get(s, "removed")), 0);
}

// ---- sessions that go on over another connection

static session_key resumed(session_key key)
{
    key.generation++;
    return key;
}

// Events that were sent and not written out are sent again; those that were are not.
static void resumed_reader_begins_where_the_last_written_snapshot_ended(void **state)
{
    publisher_rig *f = *state;
    subscribe(f, 1, ONE, (subscribe_args){.bodies = true, .events = 1u << EVENT_SPAWN});
    for (int i = 0; i < 3; i++) {
        add_ball(f, 10.0 * i, 0, 0);
        tick(f);
        const msgpack_object *s = mailbox_snapshot(&f->box);
        assert_int_equal(obj_count(obj_get(s, "events")), 1);
        if (i < 2) {
            publisher_acknowledge(&f->publisher, 1); // the third is lost with its connection
        }
    }
    body_id missed = add_ball(f, 30, 0, 0);
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 0);
    publisher_resume(&f->publisher, f->world, resumed(ONE), mailbox_sink(&f->box));
    tick(f);
    const reply *r = f->box.replies[f->box.next];
    assert_int_equal(r->reply_to.session.generation, 1);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    const msgpack_object *events = obj_get(s, "events");
    assert_true(obj_bool(obj_get(s, "full")));
    assert_int_equal(rows_in(s), 4);
    assert_int_equal(obj_count(events), 2);
    assert_int_equal(obj_get_uint(obj_at(events, 1), "a"), missed);
    assert_null(obj_find(s, "skipped"));
}

static void second_resume_for_one_connection_tells_no_event_twice(void **state)
{
    publisher_rig *f = *state;
    subscribe(f, 1, ONE, (subscribe_args){.bodies = true, .events = 1u << EVENT_SPAWN});
    tick(f);
    mailbox_snapshot(&f->box);
    publisher_resume(&f->publisher, f->world, resumed(ONE), mailbox_sink(&f->box));
    add_ball(f, 10, 0, 0);
    tick(f);
    assert_int_equal(obj_count(obj_get(mailbox_snapshot(&f->box), "events")), 1);
    publisher_resume(&f->publisher, f->world, resumed(ONE), mailbox_sink(&f->box));
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 0); // the snapshot is on its way to that connection
    publisher_acknowledge(&f->publisher, 1);
    tick(f);
    assert_int_equal(obj_count(obj_get(mailbox_snapshot(&f->box), "events")), 0);
}

static void resume_of_another_session_changes_nothing(void **state)
{
    publisher_rig *f = *state;
    subscribe(f, 1, ONE, everything());
    tick(f);
    mailbox_snapshot(&f->box);
    publisher_resume(&f->publisher, f->world, resumed(TWO), mailbox_sink(&f->box));
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 0); // it is still busy
}

static void reader_whose_events_were_forgotten_is_ended_when_it_resumes(void **state)
{
    publisher_rig *f = *state;
    f->limits.events_kept = 16;
    subscribe(f, 1, ONE, (subscribe_args){.bodies = true, .events = 1u << EVENT_SPAWN});
    subscribe(f, 2, ONE, everything());
    tick(f);
    for (int i = 0; i < 2; i++) {
        mailbox_snapshot(&f->box);
    }
    publisher_acknowledge(&f->publisher, 1);
    publisher_acknowledge(&f->publisher, 2);
    for (int i = 0; i < 10; i++) {
        add_ball(f, 10.0 * i, 0, 0);
    }
    tick(f); // ten are on their way and never written out
    mailbox_snapshot(&f->box);
    mailbox_snapshot(&f->box);
    for (int i = 10; i < 20; i++) {
        add_ball(f, 10.0 * i, 0, 0);
    }
    tick(f);
    publisher_resume(&f->publisher, f->world, resumed(ONE), mailbox_sink(&f->box));
    const reply *r = mailbox_take(&f->box, REPLY_CLOSED);
    assert_int_equal(r->subscription, 1);
    assert_int_equal(r->status, STATUS_LIMIT_EXCEEDED);
    tick(f);
    assert_int_equal(obj_get_uint(mailbox_snapshot(&f->box), "subscription"), 2);
    assert_int_equal(mailbox_left(&f->box), 0);
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, publisher_rig_set_up, publisher_rig_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_wait_for_a_snapshot_of_their_state),
        TEST(staggered_views_lose_no_event_of_the_ticks_between),
        TEST(events_are_of_the_kinds_that_were_asked_for),
        TEST(events_of_an_area_are_those_in_view),
        TEST(too_many_waiting_events_end_the_subscription),
        TEST(resumed_reader_begins_where_the_last_written_snapshot_ended),
        TEST(resume_of_another_session_changes_nothing),
        TEST(second_resume_for_one_connection_tells_no_event_twice),
        TEST(reader_whose_events_were_forgotten_is_ended_when_it_resumes),
        TEST(many_events_bring_a_slow_rate_forward),
        TEST(events_alone_bring_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
