// Tests of server/world/publisher.h: contents of snapshots and events for each subscription, with
// slow, resumed and moved readers. No server: a world, its publisher and a mailbox.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/server/mailbox.h"

// A world without gravity at 60 Hz, its publisher, and what it posts.
typedef struct fixture {
    limits limits;
    physics_world *world;
    publisher publisher;
    mailbox box;
} fixture;

static const session_key ONE = {.slot = 0, .number = 1};
static const session_key TWO = {.slot = 1, .number = 2};

static int set_up(void **state)
{
    static fixture f;
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, 0.0};
    f = (fixture){.limits = limits_default()};
    assert_int_equal(world_create(&def, &f.world, NULL), STATUS_OK);
    world_want_events(f.world, 0);
    publisher_init(&f.publisher, &f.limits, "world", 7);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mailbox_deinit(&f->box);
    publisher_deinit(&f->publisher);
    world_free(f->world);
    return 0;
}

static body_id add_ball(fixture *f, double x, double y, double speed)
{
    body_def def = body_def_default();
    shape_def shape = shape_def_default();
    body_id id = 0;
    def.position = (vec2d){x, y};
    def.velocity = (vec2d){speed, 0.0};
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.5f};
    assert_int_equal(body_spawn(f->world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    f->publisher.stale = true;
    return id;
}

static void move(fixture *f, body_id id, double x, double y)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    assert_int_equal(body_set(f->world, id, BODY_FIELD_POSITION, &def, NULL), STATUS_OK);
    f->publisher.stale = true;
}

static void subscribe(fixture *f, uint64_t number, session_key session, subscribe_args view)
{
    publisher_subscribe(&f->publisher, f->world, number, session, &view);
}

static subscribe_args everything(void)
{
    return (subscribe_args){.bodies = true, .events = 1u << EVENT_BEGIN | 1u << EVENT_END};
}

static subscribe_args within(double x0, double y0, double x1, double y1)
{
    subscribe_args view = everything();
    view.has_area = true;
    view.area = (area){x0, y0, x1, y1};
    return view;
}

static void tick(fixture *f)
{
    world_step(f->world);
    publisher_note_step(&f->publisher, f->world);
    publisher_publish(&f->publisher, f->world, false, mailbox_sink(&f->box));
}

static void publish_all(fixture *f)
{
    publisher_publish(&f->publisher, f->world, true, mailbox_sink(&f->box));
}

static void take_and_acknowledge(fixture *f, uint64_t number)
{
    mailbox_snapshot(&f->box);
    publisher_acknowledge(&f->publisher, number);
}

static uint32_t rows_in(const msgpack_object *snapshot)
{
    return obj_count(obj_get(snapshot, "bodies"));
}

static uint64_t row_id(const msgpack_object *snapshot, uint32_t index)
{
    return obj_uint(obj_at(obj_at(obj_get(snapshot, "bodies"), index), 0));
}

static void first_snapshot_is_full(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0, 0, 0);
    body_id b = add_ball(f, 5, 0, 0);
    subscribe(f, 1, ONE, everything());
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_true(obj_bool(obj_get(s, "full")));
    assert_int_equal(rows_in(s), 2);
    assert_int_equal(row_id(s, 0), a);
    assert_int_equal(row_id(s, 1), b);
    assert_int_equal(obj_get_uint(s, "subscription"), 1);
    assert_int_equal(obj_get_uint(s, "epoch"), 7);
    assert_int_equal(obj_get_uint(s, "tick"), 1);
    assert_string_equal(obj_get_text(s, "world"), "world");
    assert_null(obj_find(s, "enter"));
    assert_null(obj_find(s, "contacts"));
    assert_null(obj_find(s, "last"));
}

static void body_at_rest_costs_nothing(void **state)
{
    fixture *f = *state;
    add_ball(f, 0, 0, 0);
    body_id moving = add_ball(f, 50, 0, 1);
    subscribe(f, 1, ONE, everything());
    tick(f);
    take_and_acknowledge(f, 1);
    for (int i = 0; i < 5; i++) {
        tick(f);
        const msgpack_object *s = mailbox_snapshot(&f->box);
        publisher_acknowledge(&f->publisher, 1);
        assert_false(obj_bool(obj_get(s, "full")));
        assert_int_equal(rows_in(s), 1);
        assert_int_equal(row_id(s, 0), moving);
    }
}

static void slow_reader_gets_what_changed_since_what_it_has(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0, 0, 0);
    body_id b = add_ball(f, 10, 0, 0);
    body_id c = add_ball(f, 20, 0, 0);
    subscribe(f, 1, ONE, everything());
    subscribe(f, 2, TWO, everything());
    tick(f);
    mailbox_snapshot(&f->box);
    take_and_acknowledge(f, 2);
    // The first does not read; the second takes every snapshot.
    move(f, a, 1, 0);
    tick(f);
    take_and_acknowledge(f, 2);
    move(f, b, 11, 0);
    tick(f);
    take_and_acknowledge(f, 2);
    body_remove(f->world, c, NULL);
    tick(f);
    take_and_acknowledge(f, 2);
    assert_int_equal(mailbox_left(&f->box), 0);
    publisher_acknowledge(&f->publisher, 1);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_int_equal(obj_get_uint(s, "subscription"), 1);
    assert_int_equal(obj_get_uint(s, "skipped"), 3);
    assert_int_equal(obj_get_uint(s, "tick"), 5);
    assert_int_equal(rows_in(s), 2);
    assert_int_equal(row_id(s, 0), a);
    assert_int_equal(row_id(s, 1), b);
    assert_int_equal(obj_count(obj_get(s, "removed")), 1);
    assert_true(obj_has_uint(obj_get(s, "removed"), c));
    const msgpack_object *other = mailbox_snapshot(&f->box);
    assert_int_equal(obj_get_uint(other, "subscription"), 2);
    assert_int_equal(rows_in(other), 0);
    assert_null(obj_find(other, "skipped"));
}

static void equal_views_share_one_encoding(void **state)
{
    fixture *f = *state;
    add_ball(f, 0, 0, 1);
    subscribe(f, 1, ONE, everything());
    subscribe(f, 2, TWO, within(-1, -1, 1, 1));
    subscribe(f, 3, ONE, everything());
    subscribe(f, 4, TWO, within(-1, -1, 1, 1));
    for (int i = 0; i < 3; i++) {
        tick(f);
        const shared_bytes *tails[5] = {NULL};
        for (int k = 0; k < 4; k++) {
            const reply *r = mailbox_take(&f->box, REPLY_SNAPSHOT);
            tails[r->subscription] = r->tail;
            publisher_acknowledge(&f->publisher, r->subscription);
        }
        assert_ptr_equal(tails[1], tails[3]);
        assert_ptr_equal(tails[2], tails[4]);
        assert_ptr_not_equal(tails[1], tails[2]);
        assert_int_equal(tails[1]->references, 2);
    }
    // One falls behind: its baseline is another, so its bytes are.
    tick(f);
    for (int k = 0; k < 4; k++) {
        uint64_t number = mailbox_take(&f->box, REPLY_SNAPSHOT)->subscription;
        if (number != 3) {
            publisher_acknowledge(&f->publisher, number);
        }
    }
    tick(f);
    publisher_acknowledge(&f->publisher, 3);
    while (mailbox_left(&f->box) > 0) {
        publisher_acknowledge(&f->publisher, mailbox_take(&f->box, REPLY_SNAPSHOT)->subscription);
    }
    tick(f);
    const shared_bytes *tails[5] = {NULL};
    for (int k = 0; k < 4; k++) {
        const reply *r = mailbox_take(&f->box, REPLY_SNAPSHOT);
        tails[r->subscription] = r->tail;
    }
    assert_ptr_not_equal(tails[1], tails[3]);
    assert_ptr_equal(tails[2], tails[4]);
}

static void area_tells_who_enters_and_leaves(void **state)
{
    fixture *f = *state;
    body_id in = add_ball(f, 0, 0, 0);
    body_id out = add_ball(f, 100, 0, 0);
    subscribe(f, 1, ONE, within(-5, -5, 5, 5));
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    publisher_acknowledge(&f->publisher, 1);
    assert_int_equal(rows_in(s), 1);
    assert_int_equal(row_id(s, 0), in);
    assert_int_equal(obj_count(obj_get(s, "enter")), 0);
    move(f, in, 50, 0);
    move(f, out, 1, 1);
    tick(f);
    s = mailbox_snapshot(&f->box);
    publisher_acknowledge(&f->publisher, 1);
    assert_int_equal(rows_in(s), 1);
    assert_int_equal(row_id(s, 0), out);
    assert_int_equal(obj_count(obj_get(s, "enter")), 1);
    assert_true(obj_has_uint(obj_get(s, "enter"), out));
    assert_int_equal(obj_count(obj_get(s, "leave")), 1);
    assert_true(obj_has_uint(obj_get(s, "leave"), in));
    assert_int_equal(obj_count(obj_get(s, "removed")), 0);
    // The reader is not told of a body that is removed while it is out of view.
    body_remove(f->world, in, NULL);
    body_remove(f->world, out, NULL);
    tick(f);
    s = mailbox_snapshot(&f->box);
    assert_int_equal(obj_count(obj_get(s, "removed")), 1);
    assert_true(obj_has_uint(obj_get(s, "removed"), out));
    assert_int_equal(obj_count(obj_get(s, "leave")), 0);
}

static void area_after_the_whole_world_tells_who_left(void **state)
{
    fixture *f = *state;
    body_id inside = add_ball(f, 0, 0, 0);
    body_id outside = add_ball(f, 50, 0, 0);
    subscribe(f, 1, ONE, everything());
    tick(f);
    take_and_acknowledge(f, 1);
    view_args view = {.subscription = 1, .has_area = true, .area = {-5.0, -5.0, 5.0, 5.0}};
    assert_int_equal(publisher_move(&f->publisher, f->world, 1, ONE, &view, NULL), STATUS_OK);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_false(obj_bool(obj_get(s, "full")));
    assert_true(obj_has_uint(obj_get(s, "leave"), outside));
    assert_false(obj_has_uint(obj_get(s, "leave"), inside));
    assert_int_equal(obj_count(obj_get(s, "enter")), 0);
}

static void moved_area_shows_what_rests_in_it(void **state)
{
    fixture *f = *state;
    body_id here = add_ball(f, 0, 0, 0);
    body_id there = add_ball(f, 100, 0, 0);
    subscribe(f, 1, ONE, within(-5, -5, 5, 5));
    tick(f);
    take_and_acknowledge(f, 1);
    view_args view = {.has_area = true, .area = {95, -5, 105, 5}};
    assert_int_equal(publisher_move(&f->publisher, f->world, 1, ONE, &view, NULL), STATUS_OK);
    error err;
    assert_int_equal(publisher_move(&f->publisher, f->world, 1, TWO, &view, &err),
                     STATUS_NOT_FOUND);
    assert_int_equal(publisher_move(&f->publisher, f->world, 2, ONE, &view, &err),
                     STATUS_NOT_FOUND);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    publisher_acknowledge(&f->publisher, 1);
    assert_int_equal(rows_in(s), 1);
    assert_int_equal(row_id(s, 0), there);
    assert_true(obj_has_uint(obj_get(s, "enter"), there));
    assert_true(obj_has_uint(obj_get(s, "leave"), here));
    // Without an area everything is in view again.
    view.has_area = false;
    publisher_move(&f->publisher, f->world, 1, ONE, &view, NULL);
    tick(f);
    s = mailbox_snapshot(&f->box);
    publisher_acknowledge(&f->publisher, 1);
    assert_int_equal(rows_in(s), 1);
    assert_int_equal(row_id(s, 0), here);
    assert_null(obj_find(s, "enter"));
    // And back: what is not in the area leaves.
    view = (view_args){.has_area = true, .area = {95, -5, 105, 5}};
    publisher_move(&f->publisher, f->world, 1, ONE, &view, NULL);
    tick(f);
    s = mailbox_snapshot(&f->box);
    assert_int_equal(rows_in(s), 0);
    assert_true(obj_has_uint(obj_get(s, "leave"), here));
    assert_int_equal(obj_count(obj_get(s, "leave")), 1);
}

static void events_wait_for_a_snapshot_of_their_state(void **state)
{
    fixture *f = *state;
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
    fixture *f = *state;
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
    fixture *f = *state;
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
    fixture *f = *state;
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
    fixture *f = *state;
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

// ---- sessions that go on over another connection

static session_key resumed(session_key key)
{
    key.generation++;
    return key;
}

// Events that were sent and not written out are sent again; those that were are not.
static void resumed_reader_begins_where_the_last_written_snapshot_ended(void **state)
{
    fixture *f = *state;
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
    fixture *f = *state;
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
    fixture *f = *state;
    subscribe(f, 1, ONE, everything());
    tick(f);
    mailbox_snapshot(&f->box);
    publisher_resume(&f->publisher, f->world, resumed(TWO), mailbox_sink(&f->box));
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 0); // it is still busy
}

static void reader_whose_events_were_forgotten_is_ended_when_it_resumes(void **state)
{
    fixture *f = *state;
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

static void many_events_bring_a_slow_rate_forward(void **state)
{
    fixture *f = *state;
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

static void reader_behind_the_removals_gets_the_full_state(void **state)
{
    fixture *f = *state;
    f->publisher.rows.removals_max = 16;
    body_id keep = add_ball(f, 0, 0, 0);
    body_id gone[20];
    for (int i = 0; i < 20; i++) {
        gone[i] = add_ball(f, 10.0 * (i + 1), 0, 0);
    }
    subscribe(f, 1, ONE, everything());
    subscribe(f, 2, TWO, everything());
    tick(f);
    mailbox_snapshot(&f->box);
    take_and_acknowledge(f, 2);
    for (int i = 0; i < 20; i++) {
        body_remove(f->world, gone[i], NULL);
        tick(f);
        take_and_acknowledge(f, 2);
    }
    publisher_acknowledge(&f->publisher, 1);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_int_equal(obj_get_uint(s, "subscription"), 1);
    assert_true(obj_bool(obj_get(s, "full")));
    assert_int_equal(rows_in(s), 1);
    assert_int_equal(row_id(s, 0), keep);
    assert_int_equal(obj_count(obj_get(s, "removed")), 0);
}

static void last_is_the_sessions_own_command(void **state)
{
    fixture *f = *state;
    subscribe(f, 1, ONE, everything());
    subscribe(f, 2, TWO, everything());
    publisher_note_command(&f->publisher, ONE, 41);
    publisher_note_command(&f->publisher, (session_key){.slot = 1, .number = 99},
                           5); // earlier in TWO's place
    tick(f);
    const msgpack_object *one = mailbox_snapshot(&f->box);
    assert_int_equal(obj_get_uint(one, "last"), 41);
    assert_null(obj_find(mailbox_snapshot(&f->box), "last"));
}

static void paused_state_is_shown_once(void **state)
{
    fixture *f = *state;
    subscribe_args slow = everything();
    slow.rate = 1;
    subscribe(f, 1, ONE, slow);
    subscribe(f, 2, TWO, everything());
    publish_all(f);
    take_and_acknowledge(f, 1);
    take_and_acknowledge(f, 2);
    assert_false(publisher_owes(&f->publisher));
    publish_all(f);
    assert_int_equal(mailbox_left(&f->box), 0);
    add_ball(f, 0, 0, 0);
    assert_true(publisher_owes(&f->publisher));
    publish_all(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_int_equal(obj_get_uint(s, "tick"), 0);
    assert_int_equal(rows_in(s), 1);
    mailbox_snapshot(&f->box);
    publisher_acknowledge(&f->publisher, 1);
    assert_false(publisher_owes(&f->publisher));
}

static void forgotten_session_has_no_subscriptions(void **state)
{
    fixture *f = *state;
    subscribe(f, 1, ONE, everything());
    subscribe(f, 2, TWO, everything());
    subscribe(f, 3, ONE, everything());
    publisher_forget(&f->publisher, f->world, ONE);
    assert_false(publisher_unsubscribe(&f->publisher, f->world, 1, ONE));
    assert_false(publisher_unsubscribe(&f->publisher, f->world, 2, ONE)); // not its own
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 1);
    assert_true(publisher_unsubscribe(&f->publisher, f->world, 2, TWO));
    publisher_acknowledge(&f->publisher, 2); // late, and harmless
}

static void contacts_are_told_on_request(void **state)
{
    fixture *f = *state;
    body_id a = add_ball(f, 0, 0, 0);
    body_id b = add_ball(f, 0.99, 0, 0);
    subscribe_args view = everything();
    view.contacts = true;
    subscribe(f, 1, ONE, view);
    tick(f);
    const msgpack_object *contacts = obj_get(mailbox_snapshot(&f->box), "contacts");
    assert_int_equal(obj_count(contacts), 1);
    const msgpack_object *contact = obj_at(contacts, 0);
    uint64_t sum = obj_get_uint(contact, "a") + obj_get_uint(contact, "b");
    assert_int_equal(sum, a + b);
    assert_int_equal(obj_count(obj_get(contact, "points")), 1);
}

static void events_alone_bring_no_rows(void **state)
{
    fixture *f = *state;
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(first_snapshot_is_full),
        TEST(body_at_rest_costs_nothing),
        TEST(slow_reader_gets_what_changed_since_what_it_has),
        TEST(equal_views_share_one_encoding),
        TEST(area_tells_who_enters_and_leaves),
        TEST(moved_area_shows_what_rests_in_it),
        TEST(area_after_the_whole_world_tells_who_left),
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
        TEST(reader_behind_the_removals_gets_the_full_state),
        TEST(last_is_the_sessions_own_command),
        TEST(paused_state_is_shown_once),
        TEST(forgotten_session_has_no_subscriptions),
        TEST(contacts_are_told_on_request),
        TEST(events_alone_bring_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
