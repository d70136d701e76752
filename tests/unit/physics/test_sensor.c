// Sensors: who is seen, when, and at which rate; of bodies that stand, move, sleep, are put
// somewhere, stop, change or are removed.
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

// One step that is to show so many begins and ends.
static void expect(physics_world *world, int begin, int end)
{
    world_step(world);
    assert_int_equal(begins(world), begin);
    assert_int_equal(ends(world), end);
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

// It comes in with its last move, and is not awake when that is looked at.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_put_into_a_sensor_begins_and_put_out_of_it_ends),
        cmocka_unit_test(sensor_put_over_a_body_begins_and_put_away_ends),
        cmocka_unit_test(sensors_do_not_see_each_other_nor_static_ones_what_is_static),
        cmocka_unit_test(kinematic_body_that_stops_is_seen_where_it_stopped),
        cmocka_unit_test(change_of_type_ends_and_begins_anew),
        cmocka_unit_test(sleeping_body_is_seen_and_sleeps_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
