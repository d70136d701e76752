// Changing a shape in place: surface, filter, sensor, density, of chains too; and a world restored
// afterwards is the same world.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/physics/image.h"

static shape_id shape_of(const physics_world *world, body_id body)
{
    return body_next_shape(world, body, 0);
}

static void set(physics_world *world, shape_id id, uint32_t fields, const shape_def *values)
{
    error err = {0};
    if (shape_set(world, id, fields, values, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

// A box that slides along the floor at 4 m/s.
static body_id push_box(physics_world *world)
{
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.5, &box);
    run(world, 60);
    body_def values = body_def_default();
    values.velocity = (vec2d){4.0, 0.0};
    assert_int_equal(body_set(world, id, BODY_FIELD_VELOCITY, &values, NULL), STATUS_OK);
    return id;
}

static void friction_set_while_touching_acts_at_once(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    body_id id = push_box(world);
    shape_def values = shape_def_default();
    values.friction = 0.0;
    set(world, shape_of(world, id), SHAPE_FIELD_FRICTION, &values);
    uint32_t before = world_count(world).contacts;
    run(world, 60);
    assert_near(look(world, id).velocity.x, 4.0, 0.01);
    assert_int_equal(world_count(world).contacts, before);
    values.friction = 0.6;
    set(world, shape_of(world, id), SHAPE_FIELD_FRICTION, &values);
    run(world, 10); // mu g t = 1 m/s
    assert_near(look(world, id).velocity.x, 3.0, 0.05);
    world_free(world);
}

static void restitution_set_makes_a_ball_rebound(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    body_id floor = put_floor(world, 0.6, 0.0);
    shape_def ball = shape_def_default();
    ball.geometry = (shape_geometry){.kind = SHAPE_CIRCLE, .circle = {.radius = 0.5f}};
    body_id id = put_at(world, 0.0, 5.5, &ball);
    shape_def values = shape_def_default();
    values.restitution = 1.0;
    set(world, shape_of(world, floor), SHAPE_FIELD_RESTITUTION, &values);
    double highest = 0.0;
    for (int i = 0; i < 130; i++) {
        run(world, 1);
        highest = i > 70 ? fmax(highest, look(world, id).position.y) : 0.0;
    }
    assert_true(highest > 5.0);
    world_free(world);
}

static void filter_set_lets_a_body_fall_through(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.5, &box);
    run(world, 120);
    shape_def values = shape_def_default();
    values.filter.mask = 0;
    set(world, shape_of(world, id), SHAPE_FIELD_FILTER, &values);
    assert_int_equal(world_count(world).contacts, 0);
    run(world, 60);
    assert_true(look(world, id).position.y < -3.0);
    world_free(world);
}

static void sensor_set_and_taken_back_begins_contacts_anew(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.49, &box);
    run(world, 2);
    assert_int_equal(world_count(world).contacts, 1);
    shape_def values = shape_def_default();
    values.sensor = true;
    set(world, shape_of(world, id), SHAPE_FIELD_SENSOR, &values);
    body_info info = look(world, id);
    assert_true(info.mass > 0.0);
    values.sensor = false;
    set(world, shape_of(world, id), SHAPE_FIELD_SENSOR, &values);
    run(world, 2);
    assert_int_equal(world_count(world).contacts, 1);
    world_free(world);
}

static int step_and_count(physics_world *world, event_kind kind)
{
    world_step(world);
    return count_events(world, kind, NULL);
}

static void sensors_see_a_shape_for_as_long_as_its_events_say(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def sensor = make_box(4.0, 4.0);
    sensor.sensor = true;
    put_at(world, 0.0, 0.0, &sensor);
    shape_def hidden = make_box(1.0, 1.0);
    hidden.events = SHAPE_EVENT_CONTACT;
    const shape_id shape = shape_of(world, put_at(world, 0.3, 0.0, &hidden));
    assert_int_equal(step_and_count(world, EVENT_SENSOR_BEGIN), 0);
    shape_def values = shape_def_default();
    for (int i = 0; i < 2; i++) {
        values.events = SHAPE_EVENT_SENSOR;
        set(world, shape, SHAPE_FIELD_EVENTS, &values);
        assert_int_equal(step_and_count(world, EVENT_SENSOR_BEGIN), 1);
        values.events = SHAPE_EVENT_CONTACT;
        set(world, shape, SHAPE_FIELD_EVENTS, &values);
        assert_int_equal(step_and_count(world, EVENT_SENSOR_END), 1);
    }
    world_free(world);
}

static void density_set_changes_the_mass(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.5, &box);
    shape_def values = shape_def_default();
    values.density = 7.0;
    set(world, shape_of(world, id), SHAPE_FIELD_DENSITY, &values);
    assert_near(look(world, id).mass, 7.0, 1e-5);
    world_free(world);
}

static void chain_set_changes_all_of_its_pieces(void **state)
{
    (void)state;
    static const vec2 POINTS[] = {{10.0f, 0.0f}, {3.0f, 0.0f}, {-3.0f, 0.0f}, {-10.0f, 0.0f}};
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = POINTS;
    chain.point_count = 4;
    body_def still = body_def_default();
    still.type = BODY_STATIC;
    body_id ground = 0;
    assert_int_equal(body_spawn(world, &still, &chain, 1, &ground, NULL, NULL), STATUS_OK);
    body_id id = push_box(world);
    shape_def values = shape_def_default();
    values.friction = 0.0;
    set(world, shape_of(world, ground), SHAPE_FIELD_FRICTION, &values);
    run(world, 60); // the body slides over two pieces
    assert_near(look(world, id).velocity.x, 4.0, 0.02);
    shape_info info;
    assert_int_equal(shape_get(world, shape_of(world, ground), &info, NULL), STATUS_OK);
    assert_int_equal(info.def.point_count, 4);
    assert_true(info.def.friction == 0.0);
    world_free(world);
}

static void world_with_changed_shapes_is_restored_to_the_bit(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    body_id floor = put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    for (int i = 0; i < 6; i++) {
        put_at(world, 0.1 * i, 0.5 + i, &box);
    }
    run(world, 40);
    shape_def values = shape_def_default();
    values.friction = 0.2;
    values.restitution = 0.5;
    values.rolling_resistance = 0.1;
    values.filter.category = 3;
    values.events = SHAPE_EVENT_HIT;
    const uint32_t surface = SHAPE_FIELD_FRICTION | SHAPE_FIELD_RESTITUTION |
                             SHAPE_FIELD_ROLLING_RESISTANCE | SHAPE_FIELD_EVENTS;
    set(world, shape_of(world, floor), surface, &values);
    set(world, shape_of(world, world_next_body(world, floor)), SHAPE_FIELD_FILTER, &values);
    uint8_t *bytes;
    size_t size;
    physics_world *again = NULL;
    error err = {0};
    world_save(world, &bytes, &size);
    if (world_restore(bytes, size, &again, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    free(bytes);
    for (int i = 0; i < 120; i++) {
        assert_true(world_hash(world) == world_hash(again));
        run(world, 1);
        run(again, 1);
    }
    world_free(world);
    world_free(again);
}

static void set_of_what_is_not_allowed_changes_nothing(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.5, &box);
    const uint64_t before = world_hash(world);
    shape_def values = shape_def_default();
    error err = {0};
    values.friction = -1.0;
    assert_int_equal(shape_set(world, shape_of(world, id), SHAPE_FIELD_FRICTION, &values, &err),
                     STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "friction"));
    assert_int_equal(shape_set(world, 999, SHAPE_FIELD_FRICTION, &values, &err), STATUS_NOT_FOUND);
    assert_true(world_hash(world) == before);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_set_while_touching_acts_at_once),
        cmocka_unit_test(restitution_set_makes_a_ball_rebound),
        cmocka_unit_test(filter_set_lets_a_body_fall_through),
        cmocka_unit_test(sensor_set_and_taken_back_begins_contacts_anew),
        cmocka_unit_test(sensors_see_a_shape_for_as_long_as_its_events_say),
        cmocka_unit_test(density_set_changes_the_mass),
        cmocka_unit_test(chain_set_changes_all_of_its_pieces),
        cmocka_unit_test(world_with_changed_shapes_is_restored_to_the_bit),
        cmocka_unit_test(set_of_what_is_not_allowed_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
