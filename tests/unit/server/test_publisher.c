// Tests of server/world/snapshots/publisher.h: contents of snapshots for each subscription, with
// slow and moved readers. Its events and resumed readers: test_publisher_events.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/server/publisher_rig.h"

static void first_snapshot_is_full(void **state)
{
    publisher_rig *f = *state;
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
    publisher_rig *f = *state;
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
    publisher_rig *f = *state;
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
    publisher_rig *f = *state;
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
    // One reader falls behind: its baseline differs, so its bytes differ.
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
    publisher_rig *f = *state;
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
    // The reader does not learn of a body that is removed while out of view.
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
    publisher_rig *f = *state;
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
    publisher_rig *f = *state;
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
    // With the area again, bodies outside it leave.
    view = (view_args){.has_area = true, .area = {95, -5, 105, 5}};
    publisher_move(&f->publisher, f->world, 1, ONE, &view, NULL);
    tick(f);
    s = mailbox_snapshot(&f->box);
    assert_int_equal(rows_in(s), 0);
    assert_true(obj_has_uint(obj_get(s, "leave"), here));
    assert_int_equal(obj_count(obj_get(s, "leave")), 1);
}

static void reader_behind_the_removals_gets_the_full_state(void **state)
{
    publisher_rig *f = *state;
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
    publisher_rig *f = *state;
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
    publisher_rig *f = *state;
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

// A paused world shows a moved view at once, completely, in each encoding.
static void moved_view_of_a_paused_world_is_told(void **state)
{
    publisher_rig *f = *state;
    add_ball(f, 100, 0, 0);
    subscribe_args packed = within(-5, -5, 5, 5);
    packed.encoding = ENCODING_PACKED;
    packed.precision = (snapshot_precision){.position = 1.0 / 512.0, .angle = 0.01};
    subscribe(f, 1, ONE, within(-5, -5, 5, 5));
    subscribe(f, 2, TWO, packed);
    publish_all(f);
    take_and_acknowledge(f, 1);
    take_and_acknowledge(f, 2);
    const view_args views[] = {{.has_area = true, .area = {95, -5, 105, 5}},
                               {.has_area = true, .area = {10, -5, 20, 5}},
                               {.has_area = true, .area = {11, -5, 20, 5}}};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        publisher_move(&f->publisher, f->world, 1, ONE, &views[i], NULL);
        publisher_move(&f->publisher, f->world, 2, TWO, &views[i], NULL);
        assert_true(publisher_owes(&f->publisher));
        publish_all(f);
        assert_int_equal(mailbox_left(&f->box), 2);
        for (int k = 0; k < 2; k++) {
            const msgpack_object *s = mailbox_snapshot(&f->box);
            const uint64_t number = obj_get_uint(s, "subscription");
            if (number == 1) {
                assert_int_equal(obj_count(obj_get(s, "enter")), i == 0);
                assert_int_equal(obj_count(obj_get(s, "leave")), i == 1);
            } else {
                assert_int_equal(number, 2);
                assert_non_null(obj_find(s, "data"));
            }
            publisher_acknowledge(&f->publisher, number);
        }
        assert_false(publisher_owes(&f->publisher));
    }
}

static void forgotten_session_has_no_subscriptions(void **state)
{
    publisher_rig *f = *state;
    subscribe(f, 1, ONE, everything());
    subscribe(f, 2, TWO, everything());
    subscribe(f, 3, ONE, everything());
    publisher_forget(&f->publisher, f->world, ONE);
    assert_false(publisher_unsubscribe(&f->publisher, f->world, 1, ONE));
    // not its own subscription
    assert_false(publisher_unsubscribe(&f->publisher, f->world, 2, ONE));
    tick(f);
    assert_int_equal(mailbox_left(&f->box), 1);
    assert_true(publisher_unsubscribe(&f->publisher, f->world, 2, TWO));
    publisher_acknowledge(&f->publisher, 2); // late, but harmless
}

static void contacts_are_told_on_request(void **state)
{
    publisher_rig *f = *state;
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

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, publisher_rig_set_up, publisher_rig_tear_down)

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
        TEST(reader_behind_the_removals_gets_the_full_state),
        TEST(last_is_the_sessions_own_command),
        TEST(paused_state_is_shown_once),
        TEST(moved_view_of_a_paused_world_is_told),
        TEST(forgotten_session_has_no_subscriptions),
        TEST(contacts_are_told_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
