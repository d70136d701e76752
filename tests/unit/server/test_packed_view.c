// Tests of packed subscriptions: one encoding for all readers of the same view, readers that join
// and fall behind, worlds at rest, areas that move, slow rates. No server: a world, its publisher
// and a mailbox, and a decoder for each reader.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "proto/packed/packed.h"
#include "tests/unit/server/mailbox.h"

enum { BODIES_MAX = 32 };

// The bodies that a subscription's reader knows.
typedef struct picture {
    packed_decoder *decoder;
    packed_body bodies[BODIES_MAX]; // indexed by slot
    uint64_t tick;
    uint32_t fulls, changes;
    size_t bytes; // total size of data
} picture;

typedef struct fixture {
    limits limits;
    physics_world *world;
    publisher publisher;
    mailbox box;
    picture one, two;
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
    f.one.decoder = packed_decoder_create();
    f.two.decoder = packed_decoder_create();
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mailbox_deinit(&f->box);
    publisher_deinit(&f->publisher);
    world_free(f->world);
    packed_decoder_destroy(f->one.decoder);
    packed_decoder_destroy(f->two.decoder);
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
    publisher_note_edit(&f->publisher);
    return id;
}

static subscribe_args packed_args(void)
{
    return (subscribe_args){.bodies = true,
                            .events = 1u << EVENT_BEGIN | 1u << EVENT_SPAWN,
                            .encoding = ENCODING_PACKED,
                            .precision = {.position = 1.0 / 512.0, .angle = 0.006135923151542565}};
}

static void subscribe(fixture *f, uint64_t number, session_key session, subscribe_args view)
{
    publisher_subscribe(&f->publisher, f->world, number, session, session.number, &view);
}

// Runs the world's next tick; its snapshots are in the mailbox.
static void tick(fixture *f)
{
    world_step(f->world);
    publisher_note_step(&f->publisher, f->world);
    publisher_publish(&f->publisher, f->world, false, NULL, mailbox_sink(&f->box));
}

static void read_data(picture *p, const msgpack_object *snapshot)
{
    const msgpack_object *data = obj_get(snapshot, "data");
    packed_changes c;
    error err = {STATUS_OK, ""};
    if (packed_decode(p->decoder, (const uint8_t *)data->via.bin.ptr, data->via.bin.size, &c,
                      &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    assert_true(c.full == (obj_find(snapshot, "full") != NULL));
    p->fulls += c.full;
    p->changes += !c.full;
    p->bytes += data->via.bin.size;
    p->tick = c.tick;
    if (c.full) {
        memset(p->bodies, 0, sizeof p->bodies);
    }
    for (uint32_t i = 0; i < c.removed_count; i++) {
        p->bodies[c.removed[i] & 0xffffff].id = 0;
    }
    for (uint32_t i = 0; i < c.left_count; i++) {
        p->bodies[c.left[i] & 0xffffff].id = 0;
    }
    for (uint32_t i = 0; i < c.body_count; i++) {
        p->bodies[c.bodies[i].id & 0xffffff] = c.bodies[i];
    }
}

// Applies all snapshots of the mailbox to the two pictures, by subscription.
static void read_all(fixture *f, bool acknowledge)
{
    while (mailbox_left(&f->box) > 0) {
        const msgpack_object *s = mailbox_snapshot(&f->box);
        const uint64_t number = obj_get_uint(s, "subscription");
        read_data(number == 1 ? &f->one : &f->two, s);
        if (acknowledge) {
            publisher_acknowledge(&f->publisher, number);
        }
    }
    mailbox_deinit(&f->box);
    f->box = (mailbox){0};
}

// Checks that the picture has exactly the bodies `within` an area (NULL: all), to half a step.
static void assert_pictured(const fixture *f, const picture *p, const area *within)
{
    body_row rows[BODIES_MAX];
    const uint32_t count = world_rows(f->world, rows, BODIES_MAX);
    uint32_t there = 0;
    for (uint32_t i = 0; i < BODIES_MAX; i++) {
        there += p->bodies[i].id != 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const body_row *row = &rows[i];
        const packed_body *got = &p->bodies[row->id & 0xffffff];
        const bool in = within == NULL || ((double)row->box.lower.x <= within->x1 &&
                                           (double)row->box.upper.x >= within->x0);
        assert_true(in == (got->id == row->id));
        if (in) {
            there--;
            assert_true(fabs(got->x - row->position.x) <= 0.5 / 512.0 + 1e-9);
            assert_true(fabs(got->y - row->position.y) <= 0.5 / 512.0 + 1e-9);
        }
    }
    assert_int_equal(there, 0);
}

static void two_of_one_view_are_sent_the_same_bytes(void **state)
{
    fixture *f = *state;
    add_ball(f, 0.0, 0.0, 3.0);
    subscribe(f, 1, ONE, packed_args());
    subscribe(f, 2, TWO, packed_args());
    for (int i = 0; i < 20; i++) {
        tick(f);
        assert_int_equal(mailbox_left(&f->box), 2);
        const reply *a = f->box.replies[f->box.next];
        const reply *b = f->box.replies[f->box.next + 1];
        assert_ptr_equal(a->tail, b->tail);
        read_all(f, true);
        assert_pictured(f, &f->one, NULL);
        assert_pictured(f, &f->two, NULL);
    }
    assert_int_equal(f->one.fulls, 1);
    assert_int_equal(f->one.changes, 19);
    assert_int_equal(f->publisher.packed.list.count, 1);
}

static void change_names_only_what_changed(void **state)
{
    fixture *f = *state;
    add_ball(f, 0.0, 0.0, 3.0);
    subscribe(f, 1, ONE, packed_args());
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    assert_true(obj_bool(obj_get(s, "full")));
    assert_string_equal(obj_get_text(s, "world"), "world");
    assert_int_equal(obj_get_uint(s, "epoch"), 7);
    assert_null(obj_find(s, "bodies"));
    tick(f);
    s = mailbox_snapshot(&f->box);
    assert_int_equal(s->via.map.size, 2); // subscription and data
    assert_non_null(obj_find(s, "data"));
}

static void joining_costs_the_others_nothing(void **state)
{
    fixture *f = *state;
    add_ball(f, 0.0, 0.0, 3.0);
    add_ball(f, 9.0, 0.0, -1.0);
    subscribe(f, 1, ONE, packed_args());
    for (int i = 0; i < 30; i++) {
        tick(f);
        read_all(f, true);
    }
    subscribe(f, 2, TWO, packed_args());
    for (int i = 0; i < 100; i++) {
        tick(f);
        read_all(f, true);
        assert_pictured(f, &f->one, NULL);
        assert_pictured(f, &f->two, NULL);
    }
    assert_int_equal(f->one.fulls, 1);
    assert_int_equal(f->two.fulls, 1);
    assert_int_equal(f->publisher.packed.list.count, 1);
}

// The reader gets as many snapshots as may be in flight, then none until all are taken, then a full
// one; the other reader gets one every tick.
static void reader_that_falls_behind_begins_again(void **state)
{
    fixture *f = *state;
    add_ball(f, 0.0, 0.0, 1.0);
    subscribe(f, 1, ONE, packed_args());
    subscribe(f, 2, TWO, packed_args());
    for (int i = 0; i < 40; i++) {
        tick(f);
        while (mailbox_left(&f->box) > 0) {
            const msgpack_object *s = mailbox_snapshot(&f->box);
            const uint64_t number = obj_get_uint(s, "subscription");
            read_data(number == 1 ? &f->one : &f->two, s);
            if (number == 2) {
                publisher_acknowledge(&f->publisher, 2);
            }
        }
    }
    assert_int_equal(f->one.fulls + f->one.changes, PACKED_IN_FLIGHT_MAX);
    assert_int_equal(f->two.fulls + f->two.changes, 40);
    for (int i = 0; i < PACKED_IN_FLIGHT_MAX - 1; i++) {
        publisher_acknowledge(&f->publisher, 1);
        tick(f);
        read_all(f, false);
        publisher_acknowledge(&f->publisher, 2);
        assert_int_equal(f->one.fulls, 1);
    }
    publisher_acknowledge(&f->publisher, 1);
    tick(f);
    const msgpack_object *s = mailbox_snapshot(&f->box);
    if (obj_get_uint(s, "subscription") != 1) {
        read_data(&f->two, s);
        s = mailbox_snapshot(&f->box);
    }
    assert_int_equal(obj_get_uint(s, "skipped"), 39);
    read_data(&f->one, s);
    read_all(f, false);
    assert_int_equal(f->one.fulls, 2);
    assert_int_equal(f->two.fulls, 1);
    assert_pictured(f, &f->one, NULL);
    assert_pictured(f, &f->two, NULL);
}

static void world_at_rest_is_told_once_a_second(void **state)
{
    fixture *f = *state;
    add_ball(f, 0.0, 0.0, 0.0);
    subscribe(f, 1, ONE, packed_args());
    for (int i = 0; i < 120; i++) {
        tick(f);
        read_all(f, true);
    }
    const uint32_t before = f->one.changes;
    for (int i = 0; i < 600; i++) {
        tick(f);
        read_all(f, true);
        assert_true(f->one.tick + 60 > world_tick(f->world));
    }
    assert_int_equal(f->one.changes - before, 10);
    add_ball(f, 5.0, 0.0, 0.0);
    tick(f);
    read_all(f, true);
    assert_int_equal(f->one.tick, world_tick(f->world));
    assert_pictured(f, &f->one, NULL);
}

static void events_come_with_the_state_that_shows_them(void **state)
{
    fixture *f = *state;
    subscribe_args view = packed_args();
    view.rate = 10.0;
    subscribe(f, 1, ONE, view);
    tick(f);
    read_all(f, true);
    uint32_t events = 0;
    for (int i = 0; i < 120; i++) {
        if (i % 9 == 0) {
            add_ball(f, 3.0 * i, 0.0, 0.0);
        }
        tick(f);
        while (mailbox_left(&f->box) > 0) {
            const msgpack_object *s = mailbox_snapshot(&f->box);
            const msgpack_object *list = obj_find(s, "events");
            read_data(&f->one, s);
            for (uint32_t k = 0; list != NULL && k < obj_count(list); k++) {
                const msgpack_object *event = obj_at(list, k);
                assert_true(obj_get_uint(event, "tick") <= f->one.tick);
                assert_true(f->one.bodies[obj_get_uint(event, "a") & 0xffffff].id != 0);
                events++;
            }
            publisher_acknowledge(&f->publisher, 1);
        }
        mailbox_deinit(&f->box);
        f->box = (mailbox){0};
    }
    assert_int_equal(events, 14);
}

static void area_tells_who_enters_and_leaves_and_moves(void **state)
{
    fixture *f = *state;
    subscribe_args view = packed_args();
    view.has_area = true;
    view.area = (area){-5.0, -5.0, 5.0, 5.0};
    add_ball(f, 0.0, 0.0, 4.0);
    add_ball(f, 12.0, 0.0, -4.0);
    add_ball(f, 30.0, 2.0, 0.0);
    subscribe(f, 1, ONE, view);
    for (int i = 0; i < 240; i++) {
        tick(f);
        read_all(f, true);
        assert_pictured(f, &f->one, &view.area);
    }
    view_args moved = {.subscription = 1, .has_area = true, .area = {25.0, -5.0, 40.0, 5.0}};
    assert_int_equal(publisher_move(&f->publisher, f->world, 1, ONE, &moved, NULL), STATUS_OK);
    tick(f);
    read_all(f, true);
    assert_pictured(f, &f->one, &moved.area);
    assert_int_equal(f->one.fulls, 1); // the reader's own stream continues
}

static void moving_a_shared_area_leaves_the_others(void **state)
{
    fixture *f = *state;
    subscribe_args view = packed_args();
    view.has_area = true;
    view.area = (area){-5.0, -5.0, 5.0, 5.0};
    add_ball(f, 0.0, 0.0, 0.0);
    add_ball(f, 30.0, 0.0, 0.0);
    subscribe(f, 1, ONE, view);
    subscribe(f, 2, TWO, view);
    tick(f);
    read_all(f, true);
    view_args moved = {.subscription = 2, .has_area = true, .area = {25.0, -5.0, 40.0, 5.0}};
    assert_int_equal(publisher_move(&f->publisher, f->world, 2, TWO, &moved, NULL), STATUS_OK);
    tick(f);
    read_all(f, true);
    assert_pictured(f, &f->one, &view.area);
    assert_pictured(f, &f->two, &moved.area);
    assert_int_equal(f->one.fulls, 1);
    assert_int_equal(f->publisher.packed.list.count, 2);
    assert_true(publisher_unsubscribe(&f->publisher, f->world, 2, TWO));
    assert_int_equal(f->publisher.packed.list.count, 1);
}

static void resumed_session_begins_with_a_full_one(void **state)
{
    fixture *f = *state;
    add_ball(f, 0.0, 0.0, 1.0);
    subscribe(f, 1, ONE, packed_args());
    for (int i = 0; i < 5; i++) {
        tick(f);
        read_all(f, i < 2);
    }
    session_key again = ONE;
    again.generation++;
    publisher_resume(&f->publisher, again);
    packed_decoder_destroy(f->one.decoder);
    f->one.decoder = packed_decoder_create();
    tick(f);
    read_all(f, true);
    assert_int_equal(f->one.fulls, 2);
    assert_pictured(f, &f->one, NULL);
}

static void paused_world_shows_who_joins_and_what_changes(void **state)
{
    fixture *f = *state;
    add_ball(f, 0.0, 0.0, 1.0);
    subscribe(f, 1, ONE, packed_args());
    tick(f);
    read_all(f, true);
    subscribe(f, 2, TWO, packed_args());
    assert_true(publisher_owes(&f->publisher));
    publisher_publish(&f->publisher, f->world, true, NULL, mailbox_sink(&f->box));
    read_all(f, true);
    assert_pictured(f, &f->two, NULL);
    assert_false(publisher_owes(&f->publisher));
    add_ball(f, 7.0, 0.0, 0.0);
    assert_true(publisher_owes(&f->publisher));
    publisher_publish(&f->publisher, f->world, true, NULL, mailbox_sink(&f->box));
    read_all(f, true);
    assert_pictured(f, &f->one, NULL);
    assert_pictured(f, &f->two, NULL);
    assert_false(publisher_owes(&f->publisher));
}

static void slow_rates_of_different_views_fall_on_different_ticks(void **state)
{
    fixture *f = *state;
    uint32_t sent[60] = {0};
    add_ball(f, 0.0, 0.0, 1.0);
    for (uint64_t i = 1; i <= 6; i++) {
        subscribe_args view = packed_args();
        view.rate = 10.0;
        view.has_area = true;
        view.area = (area){-5.0 - (double)i, -5.0, 50.0, 5.0};
        subscribe(f, i, ONE, view);
    }
    for (int i = 0; i < 60; i++) {
        tick(f);
        sent[i] = mailbox_left(&f->box);
        while (mailbox_left(&f->box) > 0) {
            publisher_acknowledge(&f->publisher,
                                  obj_get_uint(mailbox_snapshot(&f->box), "subscription"));
        }
        mailbox_deinit(&f->box);
        f->box = (mailbox){0};
    }
    for (int i = 6; i < 60; i++) {
        assert_int_equal(sent[i], 1); // one of the six on each tick
    }
}

// ---- memory

static void view_counts_what_it_takes_for_its_reader(void **state)
{
    fixture *f = *state;
    memory_holder *ann = memory_holder_create();
    memory_holder *bob = memory_holder_create();
    publisher_charge_to(&f->publisher, ann);
    for (int i = 0; i < 20; i++) {
        add_ball(f, 3.0 * i, 0.0, 1.0);
    }
    subscribe(f, 1, ONE, packed_args());
    publisher_charge_to(&f->publisher, bob);
    subscribe(f, 2, TWO, packed_args());
    tick(f);
    read_all(f, true);
    const packed_view *view = f->publisher.packed.list.data[0];
    const uint64_t own = sizeof(subscription) + sizeof(view_phase) + SUBSCRIPTION_RECORD_BYTES;
    const uint64_t taken = sizeof *view + packed_encoder_bytes(view->encoder) +
                           view->change.capacity + view->full.capacity;
    assert_int_equal(memory_holder_bytes(ann), own + taken);
    assert_int_equal(memory_holder_bytes(bob), own);
    assert_int_equal(memory_of(MEMORY_views), 2 * own + taken);
    assert_true(publisher_unsubscribe(&f->publisher, f->world, 1, ONE));
    assert_int_equal(memory_holder_bytes(ann), 0);
    assert_int_equal(memory_holder_bytes(bob), own + taken); // the one that stays
    assert_true(publisher_unsubscribe(&f->publisher, f->world, 2, TWO));
    assert_int_equal(memory_of(MEMORY_views), 0);
    publisher_charge_to(&f->publisher, NULL);
    memory_holder_unref(ann);
    memory_holder_unref(bob);
}

// A view with too many bodies for the available memory ends; the other reader continues.
static void view_without_memory_ends_and_says_why(void **state)
{
    fixture *f = *state;
    memory_holder *ann = memory_holder_create();
    subscribe_args small = packed_args();
    small.has_area = true;
    small.area = (area){-1.0, -1.0, 1.0, 1.0};
    publisher_charge_to(&f->publisher, ann);
    subscribe(f, 1, ONE, packed_args());
    publisher_charge_to(&f->publisher, NULL);
    subscribe(f, 2, TWO, small);
    tick(f);
    read_all(f, true);
    memory_begin(0, memory_holder_bytes(ann) + 20000);
    for (int i = 0; i < 31; i++) {
        add_ball(f, 3.0 * i, 0.0, 1.0);
    }
    tick(f);
    const reply *closed = NULL;
    for (uint32_t i = 0; i < f->box.count; i++) {
        closed = f->box.replies[i]->kind == REPLY_CLOSED ? f->box.replies[i] : closed;
    }
    assert_non_null(closed);
    assert_int_equal(closed->status, STATUS_LIMIT_EXCEEDED);
    assert_int_equal(closed->subscription, 1);
    assert_non_null(strstr(closed->text, "holder_bytes: "));
    assert_int_equal(f->publisher.subscriptions.list.count, 1);
    assert_int_equal(f->publisher.packed.list.count, 1);
    assert_int_equal(memory_holder_bytes(ann), 0);
    error err;
    publisher_charge_to(&f->publisher, ann);
    const subscribe_args again = packed_args();
    assert_int_equal(publisher_can_afford(&f->publisher, f->world, &again, &err),
                     STATUS_LIMIT_EXCEEDED);
    const subscribe_args plain = {.bodies = true};
    assert_int_equal(publisher_can_afford(&f->publisher, f->world, &plain, &err), STATUS_OK);
    publisher_charge_to(&f->publisher, NULL);
    memory_begin(0, 0);
    memory_holder_unref(ann);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(two_of_one_view_are_sent_the_same_bytes),
        TEST(change_names_only_what_changed),
        TEST(joining_costs_the_others_nothing),
        TEST(reader_that_falls_behind_begins_again),
        TEST(world_at_rest_is_told_once_a_second),
        TEST(events_come_with_the_state_that_shows_them),
        TEST(area_tells_who_enters_and_leaves_and_moves),
        TEST(moving_a_shared_area_leaves_the_others),
        TEST(resumed_session_begins_with_a_full_one),
        TEST(paused_world_shows_who_joins_and_what_changes),
        TEST(slow_rates_of_different_views_fall_on_different_ticks),
        cmocka_unit_test_setup_teardown(view_counts_what_it_takes_for_its_reader, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(view_without_memory_ends_and_says_why, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
