// Tests of server/world/snapshots/view_area.h through the publisher, for plain and packed snapshots
// alike: margins, followed bodies, areas of tokens, and readers that become one group again. No
// server: a world, its publisher and a mailbox.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "server/base/metrics.h"
#include "server/world/snapshots/view_area.h"
#include "tests/unit/server/mailbox.h"
#include "tests/unit/server/view_reader.h"

enum { READERS = 3 };

typedef struct fixture {
    limits limits;
    physics_world *world;
    publisher publisher;
    mailbox box;
    view_reader readers[READERS]; // readers of subscriptions 1 to 3
    snapshot_encoding encoding;
} fixture;

static const session_key ONE = {.slot = 0, .number = 1};

static int set_up(void **state, snapshot_encoding encoding)
{
    static fixture f;
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, 0.0};
    f = (fixture){.limits = limits_default(), .encoding = encoding};
    assert_int_equal(world_create(&def, &f.world, NULL), STATUS_OK);
    publisher_init(&f.publisher, &f.limits, "world", 7);
    for (int i = 0; i < READERS; i++) {
        view_reader_init(&f.readers[i]);
    }
    *state = &f;
    return 0;
}

static int set_up_plain(void **state)
{
    return set_up(state, ENCODING_PLAIN);
}

static int set_up_packed(void **state)
{
    return set_up(state, ENCODING_PACKED);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mailbox_deinit(&f->box);
    publisher_deinit(&f->publisher);
    world_free(f->world);
    for (int i = 0; i < READERS; i++) {
        view_reader_deinit(&f->readers[i]);
    }
    return 0;
}

static body_id add_ball(fixture *f, double x, double y)
{
    body_def def = body_def_default();
    shape_def shape = shape_def_default();
    body_id id = 0;
    def.position = (vec2d){x, y};
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.5f};
    assert_int_equal(body_spawn(f->world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    publisher_note_edit(&f->publisher);
    return id;
}

static void put(fixture *f, body_id id, double x, double y)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    assert_int_equal(body_set(f->world, id, BODY_FIELD_POSITION, &def, NULL), STATUS_OK);
    publisher_note_edit(&f->publisher);
}

static subscribe_args view_of(const fixture *f, area within, double margin)
{
    return (subscribe_args){.bodies = true,
                            .events = 1u << EVENT_SLEEP | 1u << EVENT_WAKE,
                            .encoding = f->encoding,
                            .precision = {.position = 1.0 / 512.0, .angle = 0.006135923151542565},
                            .has_area = true,
                            .area = within,
                            .margin = margin};
}

static void subscribe(fixture *f, uint64_t number, subscribe_args view)
{
    publisher_subscribe(&f->publisher, f->world, number, ONE, ONE.number, &view);
}

static void take_all(fixture *f, uint64_t silent)
{
    while (mailbox_left(&f->box) > 0) {
        const msgpack_object *s = mailbox_snapshot(&f->box);
        const uint64_t number = obj_get_uint(s, "subscription");
        view_reader_take(&f->readers[number - 1], s);
        if (number != silent) {
            publisher_acknowledge(&f->publisher, number);
        }
    }
    mailbox_deinit(&f->box);
    f->box = (mailbox){0};
}

static void publish(fixture *f)
{
    publisher_publish(&f->publisher, f->world, false, NULL, mailbox_sink(&f->box));
}

static void tick(fixture *f)
{
    world_step(f->world);
    publisher_note_step(&f->publisher, f->world);
    publish(f);
    take_all(f, 0);
}

// The same, but snapshots for the reader `silent` are not written.
static void tick_silent(fixture *f, uint64_t silent)
{
    world_step(f->world);
    publisher_note_step(&f->publisher, f->world);
    publish(f);
    take_all(f, silent);
}

static void put_to_sleep(fixture *f, body_id id)
{
    body_def asleep = body_def_default();
    asleep.awake = false;
    assert_int_equal(body_set(f->world, id, BODY_FIELD_AWAKE, &asleep, NULL), STATUS_OK);
    publisher_note_edit(&f->publisher);
}

static bool sees(const fixture *f, int number, body_id id)
{
    return view_reader_find(&f->readers[number - 1], id) != NULL;
}

// ---- margins

static void body_on_the_border_does_not_come_and_go(void **state)
{
    fixture *f = *state;
    const body_id body = add_ball(f, 5.0, 0.0);
    subscribe(f, 1, view_of(f, (area){-5, -5, 5, 5}, 1.0));
    subscribe(f, 2, view_of(f, (area){-5, -5, 5, 5}, 0.0));
    for (int i = 0; i < 20; i++) {
        put(f, body, i % 2 == 0 ? 4.9 : 5.9, 0.0); // its box begins half a metre before
        tick(f);
        assert_true(sees(f, 1, body));
        assert_true(sees(f, 2, body) == (i % 2 == 0));
    }
    assert_int_equal(f->readers[0].leaves, 0);
    assert_int_equal(f->readers[1].leaves, 10);
    put(f, body, 6.8, 0.0); // more than the margin
    tick(f);
    assert_false(sees(f, 1, body));
    assert_int_equal(f->readers[0].leaves, 1);
    put(f, body, 5.9, 0.0); // and back into the margin alone
    tick(f);
    assert_false(sees(f, 1, body));
    put(f, body, 5.4, 0.0);
    tick(f);
    assert_true(sees(f, 1, body));
}

// A new body in the slot of a visible one was not visible itself.
static void margin_keeps_no_body_that_took_anothers_place(void **state)
{
    fixture *f = *state;
    const body_id first = add_ball(f, 5.0, 0.0);
    subscribe(f, 1, view_of(f, (area){-5, -5, 5, 5}, 2.0));
    tick(f);
    assert_true(sees(f, 1, first));
    assert_int_equal(body_remove(f->world, first, NULL), STATUS_OK);
    const body_id second = add_ball(f, 6.5, 0.0);
    assert_true((first & 0xffffff) == (second & 0xffffff));
    tick(f);
    assert_false(sees(f, 1, first));
    assert_false(sees(f, 1, second));
    assert_int_equal(f->readers[0].removals, 1);
}

static void events_are_of_those_that_the_margin_keeps(void **state)
{
    fixture *f = *state;
    const body_id body = add_ball(f, 4.9, 0.0);
    subscribe(f, 1, view_of(f, (area){-5, -5, 5, 5}, 1.0));
    subscribe(f, 2, view_of(f, (area){-5, -5, 5, 5}, 0.0));
    tick(f);
    put(f, body, 5.9, 0.0);
    tick(f);
    tick(f);
    f->readers[0].events = f->readers[1].events = 0;
    put_to_sleep(f, body);
    tick(f);
    tick(f);
    assert_int_equal(f->readers[0].events, 1);
    assert_int_equal(f->readers[1].events, 0);
}

static void margin_stays_what_it_was_when_the_area_moves(void **state)
{
    fixture *f = *state;
    subscribe_args view = view_of(f, (area){0, 0, 32, 64}, 0.0);
    const view_args to = {.has_area = true, .area = {0, 0, 160, 320}};
    view.margin = view_margin(&view.area);
    assert_true(view.margin == 2.0);
    subscribe_args_move(&view, &to);
    assert_true(view.margin == 10.0); // chosen from the new area
    subscribe_args_move(&view, &(view_args){.has_area = true, .own_margin = true, .margin = 3.0});
    assert_true(view.margin == 3.0);
    subscribe_args_move(&view, &to);
    assert_true(view.margin == 3.0);
}

// ---- events of bodies that have left since

static const area HERE = {-5, -5, 5, 5};

static void who_fell_behind_is_told_of_what_it_had_in_view(void **state)
{
    fixture *f = *state;
    const body_id leaving = add_ball(f, 0.0, 0.0);
    const body_id moving = add_ball(f, 3.0, 0.0);
    subscribe(f, 1, view_of(f, HERE, 0.0));
    subscribe(f, 2, view_of(f, HERE, 0.0)); // joins the stream of a packed view
    tick(f);
    for (int i = 0; i < PACKED_IN_FLIGHT_MAX + 2; i++) {
        put(f, moving, 3.0 + 0.01 * i, 0.0);
        tick_silent(f, 1);
    }
    const uint32_t sent = f->readers[0].fulls + f->readers[0].changes;
    put_to_sleep(f, leaving);
    tick_silent(f, 1);
    tick_silent(f, 1);
    put(f, leaving, 50.0, 0.0);
    tick_silent(f, 1);
    assert_int_equal(f->readers[0].fulls + f->readers[0].changes, sent);
    for (uint32_t i = 1; i < sent; i++) {
        publisher_acknowledge(&f->publisher, 1);
    }
    tick(f);
    assert_false(sees(f, 1, leaving));
    assert_int_equal(f->readers[0].events, 2); // it slept, and the move woke it
    put_to_sleep(f, moving);
    tick(f);
    tick(f);
    assert_int_equal(f->readers[0].events, 3);
}

static void resumed_reader_is_told_of_what_it_had_in_view(void **state)
{
    fixture *f = *state;
    const body_id leaving = add_ball(f, 0.0, 0.0);
    session_key session = ONE;
    subscribe(f, 1, view_of(f, HERE, 0.0));
    tick(f);
    put_to_sleep(f, leaving);
    tick_silent(f, 1);
    tick_silent(f, 1);
    put(f, leaving, 50.0, 0.0);
    tick_silent(f, 1);
    tick_silent(f, 1);
    for (int i = 0; i < 2; i++) { // the second connection is lost too, before anything was written
        f->readers[0].events = 0;
        session.generation++;
        publisher_resume(&f->publisher, session);
        tick_silent(f, 1);
        assert_false(sees(f, 1, leaving));
        assert_int_equal(f->readers[0].events, 2); // it slept, and the move woke it
    }
}

static void moved_view_is_told_of_what_it_had_shown(void **state)
{
    fixture *f = *state;
    const view_args away = {.has_area = true, .area = {95, -5, 105, 5}};
    const body_id body = add_ball(f, 0.0, 0.0);
    subscribe_args all = view_of(f, HERE, 0.0);
    all.has_area = false;
    subscribe(f, 1, view_of(f, HERE, 0.0));
    subscribe(f, 2, view_of(f, HERE, 0.0)); // a packed one has the stream of number 1
    subscribe(f, 3, all);
    tick(f);
    put_to_sleep(f, body);
    for (uint64_t i = 1; i <= READERS; i += 2) {
        assert_int_equal(publisher_move(&f->publisher, f->world, i, ONE, &away, NULL), STATUS_OK);
    }
    tick(f);
    tick(f);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(f->readers[i].events, 1);
        assert_true(sees(f, i + 1, body) == (i == 1));
    }
}

// ---- bodies that are followed

static subscribe_args following(const fixture *f, body_id body)
{
    subscribe_args view = view_of(f, (area){-5, -5, 5, 5}, 0.0);
    view.follow = body;
    return view;
}

static void view_goes_along_with_a_body(void **state)
{
    fixture *f = *state;
    const body_id leader = add_ball(f, 0.0, 0.0);
    const body_id here = add_ball(f, 3.0, 0.0);
    const body_id there = add_ball(f, 103.0, 0.0);
    subscribe(f, 1, following(f, leader));
    tick(f);
    assert_true(sees(f, 1, leader) && sees(f, 1, here) && !sees(f, 1, there));
    put(f, leader, 100.0, 0.0);
    tick(f); // in the snapshot that shows it there
    assert_true(sees(f, 1, leader) && !sees(f, 1, here) && sees(f, 1, there));
    assert_true(view_reader_find(&f->readers[0], leader)->x == 100.0);
    assert_int_equal(f->readers[0].fulls, 1);
    assert_int_equal(f->readers[0].unfollowed, 0);
}

static void view_stays_where_its_body_was_removed(void **state)
{
    fixture *f = *state;
    const body_id leader = add_ball(f, 0.0, 0.0);
    const body_id other = add_ball(f, 98.0, 0.0);
    subscribe(f, 1, following(f, leader));
    tick(f);
    put(f, leader, 100.0, 0.0);
    tick(f);
    assert_int_equal(body_remove(f->world, leader, NULL), STATUS_OK);
    publisher_note_edit(&f->publisher);
    const body_id heir = add_ball(f, 0.0, 0.0); // in its slot
    assert_true((heir & 0xffffff) == (leader & 0xffffff));
    tick(f);
    assert_int_equal(f->readers[0].unfollowed, leader);
    assert_true(sees(f, 1, other) && !sees(f, 1, heir));
    for (int i = 0; i < 70; i++) {
        tick(f);
        assert_int_equal(f->readers[0].unfollowed, 0); // the reader learned of it before
    }
    put(f, other, 50.0, 0.0);
    tick(f);
    assert_false(sees(f, 1, other));
    session_key again = ONE; // a reader that begins again learns of it again
    again.generation++;
    publisher_resume(&f->publisher, again);
    tick(f);
    assert_int_equal(f->readers[0].fulls, 2);
    assert_int_equal(f->readers[0].unfollowed, leader);
    view_args heirs = {.has_area = true, .area = {-5, -5, 5, 5}, .follow = heir};
    assert_int_equal(publisher_move(&f->publisher, f->world, 1, again, &heirs, NULL), STATUS_OK);
    tick(f);
    assert_true(sees(f, 1, heir));
    assert_int_equal(f->readers[0].unfollowed, 0);
}

static void body_that_is_not_there_is_not_followed(void **state)
{
    fixture *f = *state;
    const body_id leader = add_ball(f, 0.0, 0.0);
    error err;
    assert_int_equal(publisher_may_follow(f->world, 0, NULL, 0, &err), STATUS_OK);
    assert_int_equal(publisher_may_follow(f->world, leader, NULL, 0, &err), STATUS_OK);
    assert_int_equal(publisher_may_follow(f->world, leader + 1, NULL, 0, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, "follow: body 2 does not exist");
    subscribe(f, 1, view_of(f, (area){-5, -5, 5, 5}, 0.0));
    tick(f);
    const view_args to = {.has_area = true, .area = {50, -5, 60, 5}, .follow = leader + 1};
    assert_int_equal(publisher_move(&f->publisher, f->world, 1, ONE, &to, &err), STATUS_NOT_FOUND);
    tick(f);
    assert_true(sees(f, 1, leader)); // and everything is as before
    // A subscription from before a restart goes on without it.
    subscribe(f, 2, following(f, 99));
    tick(f);
    assert_int_equal(view_reader_count(&f->readers[1]), 0);
    assert_int_equal(f->readers[1].unfollowed, 99);
}

// ---- areas of tokens

static const area ALLOWED[2] = {{-10, -10, 10, 10}, {30, -10, 50, 10}};

static void margin_and_followed_area_end_where_the_token_ends(void **state)
{
    fixture *f = *state;
    const body_id leader = add_ball(f, 8.0, 0.0);
    const body_id edge = add_ball(f, 9.0, 2.0);
    const body_id beyond = add_ball(f, 12.0, 0.0);
    const body_id far = add_ball(f, 32.0, 0.0);
    subscribe_args view = following(f, leader);
    view.margin = 4.0;
    view.token_areas = ALLOWED;
    view.token_area_count = 2;
    subscribe(f, 1, view);
    tick(f);
    assert_true(sees(f, 1, leader) && sees(f, 1, edge));
    assert_false(sees(f, 1, beyond) || sees(f, 1, far));
    put(f, edge, 12.0, 2.0); // within the margin, but outside the token's area
    tick(f);
    assert_false(sees(f, 1, edge));
    put(f, leader, 20.0, 0.0); // the followed body is outside too, so the view stays
    tick(f);
    assert_false(sees(f, 1, leader) || sees(f, 1, beyond));
    put(f, edge, 9.0, 2.0);
    tick(f);
    assert_true(sees(f, 1, edge));
    put(f, leader, 33.0, 0.0);
    tick(f);
    assert_true(sees(f, 1, leader) && sees(f, 1, far));
    assert_false(sees(f, 1, edge));
}

static void body_that_may_not_be_seen_is_not_followed(void **state)
{
    fixture *f = *state;
    const body_id hidden = add_ball(f, 20.0, 0.0);
    const body_id shown = add_ball(f, 40.0, 0.0);
    error err;
    assert_int_equal(publisher_may_follow(f->world, shown, ALLOWED, 2, &err), STATUS_OK);
    assert_int_equal(publisher_may_follow(f->world, hidden, ALLOWED, 2, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, "follow: body 1 does not exist in the areas of the token");
}

// ---- one encoding for all equal views

static uint64_t encodings_of_a_tick(fixture *f)
{
    const uint64_t before = metrics_get(METRIC_snapshots_encoded);
    tick(f);
    return metrics_get(METRIC_snapshots_encoded) - before;
}

// A later reader gets one encoding of its own; from then on all are one group, even if the margin
// had kept bodies for the first one.
static void readers_of_one_area_become_one_group(void **state)
{
    fixture *f = *state;
    const body_id body = add_ball(f, 4.9, 0.0);
    const body_id moving = add_ball(f, 0.0, 0.0);
    const subscribe_args view = view_of(f, (area){-5, -5, 5, 5}, 1.0);
    subscribe(f, 1, view);
    tick(f);
    put(f, body, 5.9, 0.0);
    tick(f);
    subscribe(f, 2, view);
    assert_int_equal(encodings_of_a_tick(f), 2);
    assert_true(sees(f, 1, body));
    // a reader that joins a stream has its bodies
    const bool shared = f->encoding == ENCODING_PACKED;
    assert_true(sees(f, 2, body) == shared);
    put(f, moving, 1.0, 0.0);
    assert_int_equal(encodings_of_a_tick(f), shared ? 1 : 2);
    put(f, body, 9.0, 0.0);
    assert_int_equal(encodings_of_a_tick(f), shared ? 1 : 2);
    for (int i = 0; i < 5; i++) {
        put(f, moving, 0.1 * i, 0.0);
        assert_int_equal(encodings_of_a_tick(f), 1);
    }
    assert_int_equal(f->readers[0].fulls, 1);
    assert_int_equal(f->readers[1].fulls, 1);
}

// A reader that falls behind and catches up needs one more encoding; the others need none.
static void reader_that_fell_behind_joins_its_group_again(void **state)
{
    fixture *f = *state;
    const body_id moving = add_ball(f, 0.0, 0.0);
    const subscribe_args view = view_of(f, (area){-5, -5, 5, 5}, 1.0);
    for (uint64_t i = 1; i <= READERS; i++) {
        subscribe(f, i, view);
    }
    assert_int_equal(encodings_of_a_tick(f), 1);
    const uint32_t before = f->readers[0].fulls;
    uint32_t unwritten = 0;
    for (int i = 0; i < PACKED_IN_FLIGHT_MAX + 5; i++) { // number 3 does not take them
        put(f, moving, 0.01 * i, 0.0);
        world_step(f->world);
        publisher_note_step(&f->publisher, f->world);
        const uint64_t encoded = metrics_get(METRIC_snapshots_encoded);
        const uint32_t seen = f->readers[2].fulls + f->readers[2].changes;
        publish(f);
        take_all(f, 3);
        unwritten += f->readers[2].fulls + f->readers[2].changes - seen;
        assert_int_equal(metrics_get(METRIC_snapshots_encoded) - encoded, 1);
    }
    assert_int_equal(unwritten, f->encoding == ENCODING_PACKED ? PACKED_IN_FLIGHT_MAX : 1);
    for (uint32_t i = 0; i < unwritten; i++) {
        publisher_acknowledge(&f->publisher, 3);
    }
    put(f, moving, 1.0, 0.0);
    assert_int_equal(encodings_of_a_tick(f), 2);
    for (int i = 0; i < 5; i++) {
        put(f, moving, 0.1 * i, 0.0);
        assert_int_equal(encodings_of_a_tick(f), 1);
        assert_true(view_reader_find(&f->readers[2], moving)->told == f->readers[0].tick);
    }
    assert_int_equal(f->readers[0].fulls, before); // the other readers were not affected
}

int main(void)
{
#define BOTH(name)                                                                                 \
    {#name " (plain)", name, set_up_plain, tear_down, NULL},                                       \
    {                                                                                              \
#name " (packed)", name, set_up_packed, tear_down, NULL                                    \
    }
    const struct CMUnitTest tests[] = {
        BOTH(body_on_the_border_does_not_come_and_go),
        BOTH(margin_keeps_no_body_that_took_anothers_place),
        BOTH(events_are_of_those_that_the_margin_keeps),
        BOTH(margin_stays_what_it_was_when_the_area_moves),
        BOTH(who_fell_behind_is_told_of_what_it_had_in_view),
        BOTH(resumed_reader_is_told_of_what_it_had_in_view),
        BOTH(moved_view_is_told_of_what_it_had_shown),
        BOTH(view_goes_along_with_a_body),
        BOTH(view_stays_where_its_body_was_removed),
        BOTH(body_that_is_not_there_is_not_followed),
        BOTH(margin_and_followed_area_end_where_the_token_ends),
        BOTH(body_that_may_not_be_seen_is_not_followed),
        BOTH(readers_of_one_area_become_one_group),
        BOTH(reader_that_fell_behind_joins_its_group_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
