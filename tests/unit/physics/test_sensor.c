// Sensors: which bodies they see, and when, at several rates; bodies that rest, move, sleep, are
// placed, stop, change or are removed.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

static const double RATES[] = {30.0, 60.0, 120.0, 240.0};
enum { RATE_COUNT = sizeof RATES / sizeof *RATES };

static physics_world *make_still_world(double hz)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, 0.0};
    def.hz = hz;
    return make_world_of(&def);
}

static body_id put_box(physics_world *world, body_type type, double x, double size, bool sensor)
{
    body_def def = body_def_default();
    def.type = type;
    def.position = (vec2d){x, 0.0};
    shape_def box = make_box(size, size);
    box.sensor = sensor;
    return put(world, &def, &box, 1);
}

static void move_to(physics_world *world, body_id id, double x)
{
    body_def values = {.position = {x, 0.0}};
    error err;
    assert_int_equal(body_set(world, id, BODY_FIELD_POSITION, &values, &err), STATUS_OK);
}

static int begins(const physics_world *world)
{
    return count_events(world, EVENT_SENSOR_BEGIN, NULL);
}

static int ends(const physics_world *world)
{
    return count_events(world, EVENT_SENSOR_END, NULL);
}

// Steps once, and checks the numbers of begin and end events.
static void expect(physics_world *world, int begin, int end)
{
    world_step(world);
    assert_int_equal(begins(world), begin);
    assert_int_equal(ends(world), end);
}

static void tally_none(physics_world *world, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        expect(world, 0, 0);
    }
}

typedef struct sight {
    body_type sensor, seen;
} sight;

// Every pair of types but two static ones.
static const sight SIGHTS[] = {
    {BODY_STATIC, BODY_KINEMATIC},    {BODY_STATIC, BODY_DYNAMIC},    {BODY_KINEMATIC, BODY_STATIC},
    {BODY_KINEMATIC, BODY_KINEMATIC}, {BODY_KINEMATIC, BODY_DYNAMIC}, {BODY_DYNAMIC, BODY_STATIC},
    {BODY_DYNAMIC, BODY_KINEMATIC},   {BODY_DYNAMIC, BODY_DYNAMIC},
};
enum { SIGHT_COUNT = sizeof SIGHTS / sizeof *SIGHTS };

static void body_put_into_a_sensor_begins_and_put_out_of_it_ends(void **state)
{
    (void)state;
    for (int i = 0; i < RATE_COUNT * SIGHT_COUNT; i++) {
        const sight s = SIGHTS[i % SIGHT_COUNT];
        physics_world *world = make_still_world(RATES[i / SIGHT_COUNT]);
        put_box(world, s.sensor, 0.0, 1.0, true);
        body_id seen = put_box(world, s.seen, 0.2, 0.5, false);
        expect(world, 1, 0);
        expect(world, 0, 0);
        move_to(world, seen, 5.0);
        expect(world, 0, 1);
        move_to(world, seen, 0.0);
        expect(world, 1, 0);
        error err;
        assert_int_equal(body_remove(world, seen, &err), STATUS_OK);
        expect(world, 0, 1);
        world_free(world);
    }
}

static void sensor_put_over_a_body_begins_and_put_away_ends(void **state)
{
    (void)state;
    for (int i = 0; i < RATE_COUNT * SIGHT_COUNT; i++) {
        const sight s = SIGHTS[i % SIGHT_COUNT];
        physics_world *world = make_still_world(RATES[i / SIGHT_COUNT]);
        put_box(world, s.seen, 0.0, 0.5, false);
        body_id sensor = put_box(world, s.sensor, 5.0, 1.0, true);
        expect(world, 0, 0);
        move_to(world, sensor, 0.3);
        expect(world, 1, 0);
        move_to(world, sensor, -5.0);
        expect(world, 0, 1);
        world_free(world);
    }
}

static void sensors_do_not_see_each_other_nor_static_ones_what_is_static(void **state)
{
    (void)state;
    physics_world *world = make_still_world(60.0);
    put_box(world, BODY_KINEMATIC, 0.0, 1.0, true);
    put_box(world, BODY_DYNAMIC, 0.2, 1.0, true);
    put_box(world, BODY_STATIC, 9.0, 1.0, true);
    put_box(world, BODY_STATIC, 9.2, 1.0, false);
    expect(world, 0, 0);
    expect(world, 0, 0);
    world_free(world);
}

// The body enters with its last move, and no longer counts as awake when sensors are evaluated.
static void kinematic_body_that_stops_is_seen_where_it_stopped(void **state)
{
    (void)state;
    for (int i = 0; i < RATE_COUNT; i++) {
        physics_world *world = make_still_world(RATES[i]);
        put_box(world, BODY_STATIC, 0.0, 1.0, true);
        body_id b = put_box(world, BODY_KINEMATIC, -1.0, 0.5, false);
        set_velocity(world, b, 0.5 * RATES[i], 0.0); // half a metre a step
        expect(world, 0, 0);
        set_velocity(world, b, 0.0, 0.0);
        expect(world, 1, 0);
        set_velocity(world, b, 3.0 * RATES[i], 0.0);
        expect(world, 0, 0);
        set_velocity(world, b, 0.0, 0.0);
        expect(world, 0, 1);
        world_free(world);
    }
}

static void change_of_type_ends_and_begins_anew(void **state)
{
    (void)state;
    const body_type types[] = {BODY_DYNAMIC, BODY_KINEMATIC};
    for (int i = 0; i < 2; i++) {
        physics_world *world = make_still_world(60.0);
        put_box(world, BODY_STATIC, 0.0, 1.0, true);
        body_id b = put_box(world, types[i], 0.0, 0.5, false);
        expect(world, 1, 0);
        error err;
        body_def values = {.type = types[1 - i]};
        assert_int_equal(body_set(world, b, BODY_FIELD_TYPE, &values, &err), STATUS_OK);
        expect(world, 1, 1);
        values.type = BODY_STATIC;
        assert_int_equal(body_set(world, b, BODY_FIELD_TYPE, &values, &err), STATUS_OK);
        expect(world, 0, 1);
        world_free(world);
    }
}

static void sleeping_body_is_seen_and_sleeps_on(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(0.5, 0.5);
    body_id b = put_at(world, 0.0, 0.25, &box);
    run(world, 120);
    assert_false(look(world, b).awake);
    body_id sensor = put_box(world, BODY_STATIC, 0.0, 1.0, true);
    expect(world, 1, 0);
    assert_false(look(world, b).awake);
    error err;
    assert_int_equal(body_remove(world, sensor, &err), STATUS_OK);
    expect(world, 0, 1);
    world_free(world);
}

// ---- fast bodies

// Checks that ball `i` of a row makes exactly one begin event and then one end event.
static void fly_past(physics_world *world, int ticks, int count)
{
    int begun[64] = {0};
    int ended[64] = {0};
    for (int tick = 0; tick < ticks; tick++) {
        world_step(world);
        uint32_t n;
        const physics_event *events = world_events(world, &n);
        for (uint32_t k = 0; k < n; k++) {
            const int which = (int)(events[k].b & 63);
            if (events[k].kind == EVENT_SENSOR_BEGIN) {
                assert_int_equal(begun[which], ended[which]);
                begun[which]++;
            } else if (events[k].kind == EVENT_SENSOR_END) {
                ended[which]++;
                assert_int_equal(begun[which], ended[which]);
            }
        }
    }
    int passes = 0;
    for (int i = 0; i < 64; i++) {
        assert_true(begun[i] <= 1);
        passes += ended[i];
    }
    assert_int_equal(passes, count);
}

enum { BALLS = 20 };

// Balls that arrive at many phases of a step fly through a thin sensor.
static void fast_bodies_are_seen_by_a_thin_sensor(void **state)
{
    (void)state;
    const double speeds[] = {10.0, 100.0, 900.0, 4000.0};
    const body_type types[] = {BODY_DYNAMIC, BODY_KINEMATIC};
    for (int i = 0; i < RATE_COUNT * 4 * 2; i++) {
        const double hz = RATES[i % RATE_COUNT];
        const double speed = speeds[i / RATE_COUNT % 4];
        physics_world *world = make_still_world(hz);
        body_def gate = body_def_default();
        gate.type = BODY_STATIC;
        shape_def line = make_box(0.02, 400.0);
        line.sensor = true;
        put(world, &gate, &line, 1);
        shape_def ball = make_circle(0.04);
        for (int k = 0; k < BALLS; k++) {
            body_def def = body_def_default();
            def.type = types[i / RATE_COUNT / 4];
            def.position = (vec2d){-1.0 - speed / hz * k / BALLS, 2.0 * k};
            def.velocity = (vec2d){speed, 0.0};
            put(world, &def, &ball, 1);
        }
        fly_past(world, (int)(1.2 * hz / speed) + 4, BALLS);
        world_free(world);
    }
}

// The sensor flies: past static, kinematic and dynamic bodies, and towards some that fly too.
static void fast_sensor_sees_what_it_passes(void **state)
{
    (void)state;
    const body_type seen[] = {BODY_STATIC, BODY_KINEMATIC, BODY_DYNAMIC, BODY_DYNAMIC};
    for (int i = 0; i < RATE_COUNT * 4; i++) {
        const double hz = RATES[i % RATE_COUNT];
        physics_world *world = make_still_world(hz);
        for (int k = 0; k < BALLS; k++) {
            body_def def = body_def_default();
            def.type = BODY_KINEMATIC;
            def.position = (vec2d){-1.0 - 300.0 / hz * k / BALLS, 2.0 * k};
            def.velocity = (vec2d){300.0, 0.0};
            shape_def eye = make_circle(0.05);
            eye.sensor = true;
            put(world, &def, &eye, 1);
            def.type = seen[i / RATE_COUNT];
            def.position.x = 0.0;
            def.velocity = (vec2d){i / RATE_COUNT == 3 ? -300.0 : 0.0, 0.0};
            shape_def ball = make_circle(0.05);
            put(world, &def, &ball, 1);
        }
        fly_past(world, (int)(1.2 * hz / 300.0) + 4, BALLS);
        world_free(world);
    }
}

static void passes_of_a_tick_come_in_the_order_of_time(void **state)
{
    (void)state;
    physics_world *world = make_still_world(60.0);
    const double places[] = {9.0, 3.0, 6.0};
    body_id gates[3];
    for (int i = 0; i < 3; i++) {
        gates[i] = put_box(world, BODY_STATIC, places[i], 0.1, true);
    }
    shape_def ball = make_circle(0.04);
    body_id b = put_at(world, 0.0, 0.0, &ball);
    set_velocity(world, b, 900.0, 0.0);
    world_step(world);
    uint32_t n;
    const physics_event *events = world_events(world, &n);
    const body_id order[] = {gates[1], gates[2], gates[0]};
    int at = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (events[k].kind == EVENT_SENSOR_BEGIN || events[k].kind == EVENT_SENSOR_END) {
            assert_true(at < 6 && events[k].a == order[at / 2]);
            assert_int_equal(events[k].kind, at % 2 == 0 ? EVENT_SENSOR_BEGIN : EVENT_SENSOR_END);
            at++;
        }
    }
    assert_int_equal(at, 6);
    world_free(world);
}

// Bodies that miss the sensor narrowly, start beside it, or are stopped by a wall in front of it
// make no event.
static void near_misses_of_fast_bodies_are_not_told(void **state)
{
    (void)state;
    for (int i = 0; i < RATE_COUNT; i++) {
        physics_world *world = make_still_world(RATES[i]);
        put_box(world, BODY_STATIC, 0.0, 1.0, true);
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        def.position = (vec2d){-1.0, 0.0};
        shape_def wall = make_box(0.1, 0.8);
        put(world, &def, &wall, 1);
        shape_def ball = make_circle(0.04);
        const vec2d starts[] = {{-3.0, 0.5405}, {0.541, 0.0}, {-3.0, -0.5405}, {-3.0, 0.0}};
        for (int k = 0; k < 4; k++) {
            body_id b = put_at(world, starts[k].x, starts[k].y, &ball);
            set_velocity(world, b, 400.0, 0.0);
        }
        tally_none(world, 10);
        world_free(world);
    }
}

// A disc rebounds from a wall: the sensor in front of the wall sees it pass; one behind the wall,
// where the solver places it at first, does not.
static void rebounding_disc_is_seen_where_it_was(void **state)
{
    (void)state;
    for (int i = 0; i < RATE_COUNT; i++) {
        physics_world *world = make_still_world(RATES[i]);
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        shape_def wall = make_box(0.2, 4.0);
        wall.restitution = 1.0;
        put(world, &def, &wall, 1);
        put_box(world, BODY_STATIC, 1.0, 1.5, true);
        body_id before = put_box(world, BODY_STATIC, -0.3, 0.05, true);
        shape_def ball = make_circle(0.04);
        ball.restitution = 1.0;
        body_id b = put_at(world, -0.45, 0.0, &ball);
        set_velocity(world, b, 60.0, 0.0);
        int begun = 0;
        int ended = 0;
        for (int tick = 0; tick < 8; tick++) {
            world_step(world);
            physics_event e = {.a = before};
            begun += count_events(world, EVENT_SENSOR_BEGIN, &e);
            assert_int_equal(e.a, before);
            ended += count_events(world, EVENT_SENSOR_END, NULL);
        }
        assert_true(look(world, b).position.x < -0.5);
        assert_true(begun >= 1 && begun == ended);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_put_into_a_sensor_begins_and_put_out_of_it_ends),
        cmocka_unit_test(sensor_put_over_a_body_begins_and_put_away_ends),
        cmocka_unit_test(sensors_do_not_see_each_other_nor_static_ones_what_is_static),
        cmocka_unit_test(kinematic_body_that_stops_is_seen_where_it_stopped),
        cmocka_unit_test(change_of_type_ends_and_begins_anew),
        cmocka_unit_test(sleeping_body_is_seen_and_sleeps_on),
        cmocka_unit_test(fast_bodies_are_seen_by_a_thin_sensor),
        cmocka_unit_test(fast_sensor_sees_what_it_passes),
        cmocka_unit_test(passes_of_a_tick_come_in_the_order_of_time),
        cmocka_unit_test(near_misses_of_fast_bodies_are_not_told),
        cmocka_unit_test(rebounding_disc_is_seen_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
