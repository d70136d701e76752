// Events: begin, stay and end of each pair, hits, sensors, bodies and shapes added and removed
// between steps.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

typedef struct tally {
    int begin, stay, end, hit, sensor_begin, sensor_end;
} tally;

static void add_up(const physics_world *world, tally *t)
{
    t->begin += count_events(world, EVENT_BEGIN, NULL);
    t->stay += count_events(world, EVENT_STAY, NULL);
    t->end += count_events(world, EVENT_END, NULL);
    t->hit += count_events(world, EVENT_HIT, NULL);
    t->sensor_begin += count_events(world, EVENT_SENSOR_BEGIN, NULL);
    t->sensor_end += count_events(world, EVENT_SENSOR_END, NULL);
}

static tally run_and_tally(physics_world *world, int ticks)
{
    tally t = {0};
    for (int i = 0; i < ticks; i++) {
        world_step(world);
        add_up(world, &t);
    }
    return t;
}

static void want_all(physics_world *world)
{
    world_want_events(world, (1u << EVENT_KIND_COUNT) - 1);
}

static void ball_passing_through_contact_begins_stays_and_ends_once(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    want_all(world);
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 1.0, &box);
    tally t = run_and_tally(world, 60);
    assert_int_equal(t.begin, 1);
    assert_true(t.stay > 20);
    assert_int_equal(t.end, 0);
    error err;
    assert_int_equal(body_apply_impulse(world, id, (vec2d){0.0, 5.0}, NULL, &err), STATUS_OK);
    t = run_and_tally(world, 30);
    assert_int_equal(t.end, 1);
    assert_int_equal(t.begin, 0);
    world_free(world);
}

static void begin_tells_who_where_and_how_fast(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id a = put_at(world, 0.0, 0.0, &ball);
    body_id b = put_at(world, 3.0, 0.0, &ball);
    set_velocity(world, b, -3.0, 0.0);
    physics_event e = {0};
    int found = 0;
    for (int i = 0; i < 60 && found == 0; i++) {
        world_step(world);
        found = count_events(world, EVENT_BEGIN, &e);
    }
    assert_int_equal(found, 1);
    assert_int_equal(e.tick, world_tick(world));
    assert_true((e.a == a && e.b == b) || (e.a == b && e.b == a));
    assert_near((double)(e.a == a ? e.normal.x : -e.normal.x), 1.0, 1e-5);
    assert_near((double)e.speed, 3.0, 1e-3);
    assert_near(e.point.x, 0.5, 0.06);
    assert_near(e.point.y, 0.0, 1e-5);
    assert_true(e.impulse > 0.0f);
    assert_true(e.shape_a != 0 && e.shape_b != 0);
    world_free(world);
}

// Within the distance at which the solver prepares contacts, but not touching: no event.
static void near_miss_makes_no_event(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    want_all(world);
    shape_def ball = make_circle(0.5);
    put_at(world, 0.0, 0.0, &ball);
    body_id b = put_at(world, -3.0, 1.01, &ball);
    set_velocity(world, b, 5.0, 0.0);
    tally t = run_and_tally(world, 90);
    assert_int_equal(t.begin, 0);
    assert_int_equal(t.end, 0);
    assert_near(look(world, b).velocity.x, 5.0, 1e-5);
    world_free(world);
}

static void body_removed_while_touching_ends_the_contact(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.5, &box);
    run(world, 30);
    error err;
    assert_int_equal(body_remove(world, id, &err), STATUS_OK);
    world_step(world);
    physics_event e = {0};
    assert_int_equal(count_events(world, EVENT_END, &e), 1);
    assert_true(e.a == id || e.b == id);
    assert_int_equal(e.tick, world_tick(world));
    assert_int_equal(count_events(world, EVENT_REMOVE, NULL), 1);
    assert_int_equal(world_count(world).contacts, 0);
    world_free(world);
}

static void bodies_added_and_removed_between_steps_leave_no_trace(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    error err;
    tally t = {0};
    for (int round = 0; round < 20; round++) {
        body_id ids[10];
        for (int i = 0; i < 10; i++) {
            ids[i] = put_at(world, (i % 5) * 1.01, 0.5 + (i / 5), &box);
        }
        for (int i = 0; i < 10; i++) {
            world_step(world);
            add_up(world, &t);
        }
        for (int i = 0; i < 10; i++) {
            assert_int_equal(body_remove(world, ids[(i * 7) % 10], &err), STATUS_OK);
        }
    }
    world_step(world);
    add_up(world, &t);
    world_counts c = world_count(world);
    assert_int_equal(c.bodies, 1);
    assert_int_equal(c.shapes, 1);
    assert_int_equal(c.pairs, 0);
    assert_int_equal(c.contacts, 0);
    assert_true(t.begin >= 200);
    assert_int_equal(t.begin, t.end);
    world_free(world);
}

static void spawn_and_remove_are_told_in_the_tick_that_shows_them(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    run(world, 3);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.0, &box);
    uint32_t count;
    world_events(world, &count);
    assert_int_equal(count, 0); // the event does not come before the state that shows it
    world_step(world);
    physics_event e = {0};
    assert_int_equal(count_events(world, EVENT_SPAWN, &e), 1);
    assert_int_equal(e.a, id);
    assert_int_equal(e.tick, 4);
    world_step(world);
    assert_int_equal(count_events(world, EVENT_SPAWN, NULL), 0);
    world_free(world);
}

static void hit_is_told_above_the_threshold_only(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        shape_def ball = make_circle(0.5);
        ball.events |= SHAPE_EVENT_HIT;
        put_at(world, 0.0, 0.0, &ball);
        body_id b = put_at(world, 2.0, 0.0, &ball);
        set_velocity(world, b, fast == 1 ? -4.0 : -0.8, 0.0);
        tally t = run_and_tally(world, 120);
        assert_int_equal(t.begin, 1);
        assert_int_equal(t.hit, fast);
        world_free(world);
    }
}

static void sensor_notes_who_comes_and_goes_and_stops_nobody(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    shape_def gate = make_box(1.0, 4.0);
    gate.sensor = true;
    body_id sensor = put(world, &def, &gate, 1);
    shape_def ball = make_circle(0.25);
    body_id b = put_at(world, -3.0, 0.0, &ball);
    set_velocity(world, b, 3.0, 0.0);
    physics_event e = {0};
    tally t = {0};
    for (int i = 0; i < 120; i++) {
        world_step(world);
        add_up(world, &t);
        count_events(world, EVENT_SENSOR_BEGIN, &e);
    }
    assert_int_equal(t.sensor_begin, 1);
    assert_int_equal(t.sensor_end, 1);
    assert_int_equal(t.begin, 0);
    assert_int_equal(e.a, sensor);
    assert_int_equal(e.b, b);
    assert_near(look(world, b).velocity.x, 3.0, 1e-6);
    world_free(world);
}

// Adds a chain of short pieces, bent back and forth.
static void put_chain(physics_world *world)
{
    enum { POINTS = 21 };
    vec2 points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        points[i] = (vec2){(float)(10 - i), 0.3f * (float)(i % 2)};
    }
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = points;
    chain.point_count = POINTS;
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    put(world, &def, &chain, 1);
}

// Events and contacts name the chain's shape once, whichever pieces of it are touched.
static void chain_tells_events_of_the_pair_and_not_of_its_pieces(void **state)
{
    (void)state;
    const double rates[] = {30.0, 60.0, 120.0, 240.0};
    int most = 0;
    for (int i = 0; i < 4; i++) {
        world_def wd = world_def_default();
        wd.hz = rates[i];
        wd.sleep = false; // a sleeping pair makes no stay events
        physics_world *world = make_world_of(&wd);
        want_all(world);
        put_chain(world);
        shape_def ball = make_circle(0.5);
        body_id b = put_at(world, 0.0, 1.2, &ball);
        bool touches = false;
        for (int tick = 0; tick < 5 * (int)rates[i]; tick++) {
            if (tick == 3 * (int)rates[i]) {
                error err;
                body_apply_impulse(world, b, (vec2d){2.5, 0.0}, NULL, &err);
            }
            world_step(world);
            tally t = {0};
            add_up(world, &t);
            assert_true(t.begin <= 1 && t.hit == 0);
            assert_int_equal(t.stay, touches && t.end == 0 ? 1 : 0);
            assert_true(!touches || t.begin == 0);
            touches = (touches || t.begin > 0) && t.end == 0;
            contact_info contacts[4];
            assert_int_equal(world_contacts(world, contacts, 4), touches);
            assert_int_equal(world_count(world).contacts, touches);
            most = touches && contacts[0].count > most ? contacts[0].count : most;
        }
        world_free(world);
    }
    assert_int_equal(most, 2); // in a dent the shape touches two pieces
}

// A sensor that moves from piece to piece makes one begin event, and no stay events.
static void sensor_along_a_chain_tells_one_begin_and_no_stay(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    want_all(world);
    put_chain(world);
    shape_def sensor = make_circle(0.5);
    sensor.sensor = true;
    body_id b = put_at(world, -8.0, 0.2, &sensor);
    set_velocity(world, b, 4.0, 0.0);
    const tally t = run_and_tally(world, 240);
    assert_int_equal(t.sensor_begin, 1);
    assert_int_equal(t.sensor_end, 0);
    assert_int_equal(t.stay + t.begin + t.end + t.hit, 0);
    world_free(world);
}

// Many pieces under one body: one entry, with as many of the deepest points as fit.
static void chain_under_a_long_body_is_one_contact_with_its_deepest_points(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_chain(world);
    shape_def beam = make_box(18.0, 0.5);
    put_at(world, 0.0, 0.55, &beam);
    run(world, 60);
    contact_info contacts[4];
    assert_int_equal(world_contacts(world, contacts, 4), 1);
    assert_int_equal(contacts[0].count, CONTACT_POINTS_MAX);
    for (int i = 0; i < CONTACT_POINTS_MAX; i++) {
        assert_near((double)contacts[0].depth[i], 0.0, 0.03);
    }
    world_free(world);
}

static void filter_of_category_mask_and_group_decides_who_collides(void **state)
{
    (void)state;
    const struct {
        shape_filter a, b;
        bool collide;
    } cases[] = {
        {{1, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, true},
        {{1, UINT64_MAX, 0}, {2, ~(uint64_t)1, 0}, false},
        {{(uint64_t)1 << 63, (uint64_t)1 << 62, 0},
         {(uint64_t)1 << 62, (uint64_t)1 << 63, 0},
         true},
        {{1, UINT64_MAX, -3}, {1, UINT64_MAX, -3}, false},
        {{1, 0, 5}, {2, 0, 5}, true},
        {{1, UINT64_MAX, -3}, {1, UINT64_MAX, -4}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        shape_def a = make_circle(0.5);
        shape_def b = make_circle(0.5);
        a.filter = cases[i].a;
        b.filter = cases[i].b;
        put_at(world, 0.0, 0.0, &a);
        put_at(world, 0.9, 0.0, &b);
        tally t = run_and_tally(world, 2);
        assert_int_equal(t.begin, cases[i].collide);
        world_free(world);
    }
}

// The same world, run twice, gives exactly the same events in the same order.
static void events_come_in_the_same_order_in_every_run(void **state)
{
    (void)state;
    uint64_t sums[2];
    for (int round = 0; round < 2; round++) {
        physics_world *world = make_world((vec2d){0.0, -10.0});
        want_all(world);
        put_floor(world, 0.6, 0.2);
        shape_def box = make_box(0.5, 0.5);
        for (int i = 0; i < 100; i++) {
            put_at(world, (i % 10) * 0.51, 1.0 + (i / 10) * 0.6, &box);
        }
        uint64_t sum = 0;
        for (int i = 0; i < 200; i++) {
            world_step(world);
            uint32_t count;
            const physics_event *events = world_events(world, &count);
            for (uint32_t k = 0; k < count; k++) {
                sum = sum * 31 + events[k].kind;
                sum = sum * 31 + events[k].a;
                sum = sum * 31 + events[k].b;
                sum = sum * 31 + events[k].tick;
            }
        }
        sums[round] = sum ^ world_hash(world);
        world_free(world);
    }
    assert_true(sums[0] == sums[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_passing_through_contact_begins_stays_and_ends_once),
        cmocka_unit_test(begin_tells_who_where_and_how_fast),
        cmocka_unit_test(near_miss_makes_no_event),
        cmocka_unit_test(body_removed_while_touching_ends_the_contact),
        cmocka_unit_test(bodies_added_and_removed_between_steps_leave_no_trace),
        cmocka_unit_test(spawn_and_remove_are_told_in_the_tick_that_shows_them),
        cmocka_unit_test(hit_is_told_above_the_threshold_only),
        cmocka_unit_test(sensor_notes_who_comes_and_goes_and_stops_nobody),
        cmocka_unit_test(chain_tells_events_of_the_pair_and_not_of_its_pieces),
        cmocka_unit_test(sensor_along_a_chain_tells_one_begin_and_no_stay),
        cmocka_unit_test(chain_under_a_long_body_is_one_contact_with_its_deepest_points),
        cmocka_unit_test(filter_of_category_mask_and_group_decides_who_collides),
        cmocka_unit_test(events_come_in_the_same_order_in_every_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
