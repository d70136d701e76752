// Tests of server/world/snapshots/publisher.h: events for each subscription, and readers that are
// resumed. Contents of snapshots: test_publisher.c.
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

// Six views at a sixth of the tick rate: one snapshot falls on each tick, and each view receives
// every event once, in order.
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
        assert_int_equal(body_remove(f->world, id, NULL), STATUS_OK); // no ball lies on another one
        publisher_note_edit(&f->publisher);
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

static int64_t now_ns;

// Each reading of the clock takes a millisecond.
static int64_t slow_clock(void)
{
    return now_ns += 1000000;
}

// Forty areas of one subject and one of another, with time for some of them: a view that was not
// served goes first later, and receives every event once, in order, and the number of missed
// snapshots.
static void publishing_that_is_cut_loses_no_event(void **state)
{
    enum { VIEWS = 41, OTHER = 41, TICKS = 60, SERVED_MAX = 8 };
    publisher_rig *f = *state;
    uint32_t snapshots[VIEWS + 1] = {0};
    uint64_t last[VIEWS + 1] = {0};
    uint64_t seen[VIEWS + 1] = {0};
    uint32_t told[VIEWS + 1] = {0};
    for (uint64_t i = 1; i <= VIEWS; i++) {
        subscribe_args view = within(-10.0 - (double)i, -10, 10, 10);
        view.events = 1u << EVENT_SPAWN;
        subscribe(f, i, i == OTHER ? TWO : ONE, view);
    }
    for (uint64_t now = 1; now <= TICKS + VIEWS; now++) {
        body_id id = now <= TICKS ? add_ball(f, 0, 0, 0) : 0;
        world_step(f->world);
        publisher_note_step(&f->publisher, f->world);
        const turn t = turn_begin(slow_clock, 20000000);
        const bool whole =
            publisher_publish(&f->publisher, f->world, false, &t, mailbox_sink(&f->box));
        assert_false(whole);
        assert_in_range(mailbox_left(&f->box), 1, SERVED_MAX);
        while (mailbox_left(&f->box) > 0) {
            const msgpack_object *s = mailbox_snapshot(&f->box);
            const uint64_t number = obj_get_uint(s, "subscription");
            const msgpack_object *events = obj_get(s, "events");
            assert_int_equal(obj_get_uint(s, "tick"), now);
            const bool skipped = obj_find(s, "skipped") != NULL;
            assert_int_equal(skipped ? obj_get_uint(s, "skipped") : 0, now - seen[number] - 1);
            for (uint32_t k = 0; k < obj_count(events); k++) {
                assert_int_equal(obj_get_uint(obj_at(events, k), "tick"), ++last[number]);
                told[number]++;
            }
            seen[number] = now;
            snapshots[number]++;
            publisher_acknowledge(&f->publisher, number);
        }
        mailbox_deinit(&f->box);
        f->box = (mailbox){0};
        if (id != 0) {
            assert_int_equal(body_remove(f->world, id, NULL), STATUS_OK);
            publisher_note_edit(&f->publisher);
        }
    }
    for (uint64_t i = 1; i <= VIEWS; i++) {
        assert_int_equal(told[i], TICKS);
        assert_true(snapshots[i] > 0);
    }
    assert_true(snapshots[OTHER] >= TICKS + VIEWS - 1); // as many as if it were alone
    assert_true(snapshots[1] < TICKS / 2);
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

// Adds balls, each of which makes an event, tick after tick.
static void add_balls(publisher_rig *f, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        add_ball(f, 10.0 * i, 50, 0);
        tick(f);
    }
}

static void assert_told(const msgpack_object *s, uint32_t events, uint64_t lost)
{
    assert_int_equal(obj_count(obj_get(s, "events")), events);
    if (lost == 0) {
        assert_null(obj_find(s, "events_lost"));
    } else {
        assert_int_equal(obj_get_uint(s, "events_lost"), lost);
    }
}

static void events_past_the_limit_are_lost_and_told(void **state)
{
    publisher_rig *f = *state;
    f->limits.events_kept = 16;
    subscribe_args spawns = {.bodies = true, .events = 1u << EVENT_SPAWN};
    subscribe(f, 1, ONE, spawns);
    subscribe(f, 2, TWO, everything());
    tick(f);
    mailbox_snapshot(&f->box);
    mailbox_snapshot(&f->box); // no snapshot is acknowledged
    add_balls(f, 0, 100);
    assert_int_equal(mailbox_left(&f->box), 0);
    assert_true(f->publisher.log.entries.count <= 32); // the rest was trimmed
    publisher_acknowledge(&f->publisher, 1);
    publisher_acknowledge(&f->publisher, 2);
    add_balls(f, 100, 1);
    // The newest event belongs to this tick, so there is one more than the log keeps.
    for (int i = 0; i < 2; i++) {
        const msgpack_object *s = mailbox_snapshot(&f->box);
        const bool wants = obj_get_uint(s, "subscription") == 1;
        assert_int_equal(rows_in(s), 101);
        assert_told(s, wants ? 17 : 0, wants ? 84 : 0);
    }
    publisher_acknowledge(&f->publisher, 1);
    publisher_acknowledge(&f->publisher, 2);
    add_balls(f, 101, 1);
    for (int i = 0; i < 2; i++) { // and the reader continues normally
        const msgpack_object *s = mailbox_snapshot(&f->box);
        assert_told(s, obj_get_uint(s, "subscription") == 1 ? 1 : 0, 0);
    }
}

// Spawn events that a reader received, and those that were reported as lost.
typedef struct account {
    uint64_t told, lost;
} account;

static void take_and_count(publisher_rig *f, account *accounts)
{
    const msgpack_object *s = mailbox_snapshot(&f->box);
    const uint64_t number = obj_get_uint(s, "subscription");
    const msgpack_object *events = obj_find(s, "events");
    const msgpack_object *lost = obj_find(s, "events_lost");
    accounts[number].told += events != NULL ? obj_count(events) : 0;
    accounts[number].lost += lost != NULL ? lost->via.u64 : 0;
    publisher_acknowledge(&f->publisher, number);
}

// A packed reader has several snapshots in flight, and takes them when the events after the first
// one are long forgotten.
static void late_acknowledgements_come_back_to_no_forgotten_event(void **state)
{
    enum { BEFORE = 200, LATER = 40 };
    publisher_rig *f = *state;
    f->limits.events_kept = 16;
    subscribe_args plain = {.bodies = true, .events = 1u << EVENT_SPAWN};
    subscribe_args packed = plain;
    packed.encoding = ENCODING_PACKED;
    packed.precision = (snapshot_precision){0.01, 0.01, 0.0};
    subscribe(f, 1, ONE, packed);
    subscribe(f, 2, TWO, plain);
    add_balls(f, 0, BEFORE);
    account accounts[3] = {{0, 0}};
    for (uint32_t i = 0; i < LATER; i++) { // one acknowledgement between two ticks
        take_and_count(f, accounts);
        add_balls(f, BEFORE + i, 1);
    }
    for (int i = 0; i < 2; i++) {
        while (mailbox_left(&f->box) > 0) {
            take_and_count(f, accounts);
        }
        tick(f);
    }
    for (int number = 1; number <= 2; number++) {
        assert_int_equal(accounts[number].told + accounts[number].lost, BEFORE + LATER);
        assert_in_range(accounts[number].lost, 100, BEFORE + LATER);
    }
}

static void lost_events_of_an_area_are_those_in_view(void **state)
{
    publisher_rig *f = *state;
    f->limits.events_kept = 16;
    for (int i = 0; i < 6; i++) { // pairs that touch in the third tick, one of them in the area
        add_ball(f, 100.0 * i, 0, 0);
        add_ball(f, 100.0 * i + 1.5, 0, -10);
    }
    subscribe(f, 1, ONE, within(-5, -5, 5, 5));
    subscribe_args spawns = {.bodies = true, .events = 1u << EVENT_SPAWN};
    subscribe(f, 2, TWO, spawns); // makes the world record them
    tick(f);
    mailbox_snapshot(&f->box);
    mailbox_snapshot(&f->box);
    add_balls(f, 100, 60);
    publisher_acknowledge(&f->publisher, 1);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_int_equal(obj_get_uint(s, "subscription"), 1);
    // the begin event is lost, and perhaps the end
    assert_in_range(obj_get_uint(s, "events_lost"), 1, 2);
    assert_int_equal(obj_count(obj_get(s, "events")), 0);
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

// ---- sessions that continue over another connection

static session_key resumed(session_key key)
{
    key.generation++;
    return key;
}

// Events that were sent but not written are sent again; written ones are not.
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
            // the third snapshot is lost with its connection
            publisher_acknowledge(&f->publisher, 1);
        }
    }
    body_id missed = add_ball(f, 30, 0, 0);
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 0);
    publisher_resume(&f->publisher, resumed(ONE));
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
    publisher_resume(&f->publisher, resumed(ONE));
    add_ball(f, 10, 0, 0);
    tick(f);
    assert_int_equal(obj_count(obj_get(mailbox_snapshot(&f->box), "events")), 1);
    publisher_resume(&f->publisher, resumed(ONE));
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
    publisher_resume(&f->publisher, resumed(TWO));
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 0); // the subscription is still busy
}

static void resumed_reader_is_told_what_was_forgotten_meanwhile(void **state)
{
    publisher_rig *f = *state;
    f->limits.events_kept = 16;
    subscribe(f, 1, ONE, (subscribe_args){.bodies = true, .events = 1u << EVENT_SPAWN});
    subscribe(f, 2, ONE, everything());
    tick(f);
    mailbox_snapshot(&f->box);
    mailbox_snapshot(&f->box);
    publisher_acknowledge(&f->publisher, 1);
    publisher_acknowledge(&f->publisher, 2);
    for (int i = 0; i < 10; i++) {
        add_ball(f, 10.0 * i, 0, 0);
    }
    tick(f); // ten snapshots are in flight and never written
    mailbox_snapshot(&f->box);
    mailbox_snapshot(&f->box);
    for (int i = 10; i < 20; i++) {
        add_ball(f, 10.0 * i, 0, 0);
    }
    tick(f);
    publisher_resume(&f->publisher, resumed(ONE));
    tick(f);
    for (int i = 0; i < 2; i++) {
        const msgpack_object *s = mailbox_snapshot(&f->box);
        const bool wants = obj_get_uint(s, "subscription") == 1;
        assert_true(obj_bool(obj_get(s, "full")));
        assert_told(s, wants ? 16 : 0, wants ? 4 : 0);
    }
    assert_int_equal(mailbox_left(&f->box), 0);
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, publisher_rig_set_up, publisher_rig_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_wait_for_a_snapshot_of_their_state),
        TEST(staggered_views_lose_no_event_of_the_ticks_between),
        TEST(publishing_that_is_cut_loses_no_event),
        TEST(events_are_of_the_kinds_that_were_asked_for),
        TEST(events_of_an_area_are_those_in_view),
        TEST(events_past_the_limit_are_lost_and_told),
        TEST(late_acknowledgements_come_back_to_no_forgotten_event),
        TEST(lost_events_of_an_area_are_those_in_view),
        TEST(resumed_reader_begins_where_the_last_written_snapshot_ended),
        TEST(resume_of_another_session_changes_nothing),
        TEST(second_resume_for_one_connection_tells_no_event_twice),
        TEST(resumed_reader_is_told_what_was_forgotten_meanwhile),
        TEST(many_events_bring_a_slow_rate_forward),
        TEST(events_alone_bring_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
