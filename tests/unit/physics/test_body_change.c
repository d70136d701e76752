// Changing a body: pose, type, enabling, shapes added and removed; and changes that are refused.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <string.h>

static void change(physics_world *world, body_id id, uint32_t fields, const body_def *values)
{
    error err = {0};
    if (body_set(world, id, fields, values, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static void moved_body_collides_where_it_is_now(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id table = put_at(world, 0.0, 0.5, &box);
    body_id id = put_at(world, 50.0, 5.0, &box);
    body_def values = body_def_default();
    values.position = (vec2d){0.0, 3.0};
    values.angle = 0.0;
    change(world, id, BODY_FIELD_POSITION | BODY_FIELD_ANGLE, &values);
    run(world, 180);
    assert_near(look(world, id).position.y, 1.5, 0.02);
    assert_near(look(world, table).position.y, 0.5, 0.02);
    world_free(world);
}

static void dynamic_made_static_holds_still_and_back_again_falls(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 5.0, &box);
    body_id rider = put_at(world, 0.0, 6.1, &box);
    body_def values = body_def_default();
    values.type = BODY_STATIC;
    change(world, id, BODY_FIELD_TYPE, &values);
    run(world, 120);
    assert_near(look(world, id).position.y, 5.0, 0.0);
    assert_near(look(world, rider).position.y, 6.0, 0.01);
    values.type = BODY_DYNAMIC;
    change(world, id, BODY_FIELD_TYPE, &values);
    run(world, 180);
    assert_near(look(world, id).position.y, 0.5, 0.02);
    assert_near(look(world, rider).position.y, 1.5, 0.03);
    world_free(world);
}

static void disabled_body_neither_moves_nor_collides(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 3.0, &box);
    body_id other = put_at(world, 0.0, 6.0, &box);
    body_def values = body_def_default();
    values.enabled = false;
    change(world, id, BODY_FIELD_ENABLED, &values);
    run(world, 180);
    assert_near(look(world, id).position.y, 3.0, 0.0);
    assert_near(look(world, other).position.y, 0.5, 0.02); // the body fell right through
    assert_false(look(world, id).enabled);
    values.enabled = true;
    change(world, id, BODY_FIELD_ENABLED, &values);
    run(world, 180);
    assert_near(look(world, id).position.y, 1.5, 0.03);
    world_free(world);
}

// An arm beside a box catches a ball; without the arm the ball falls past.
static void shape_added_and_removed_changes_mass_and_contacts(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.5, &box);
    run(world, 120);
    assert_false(look(world, id).awake);
    error err;
    shape_def arm = make_box_at(1.0, 1.0, (vec2){1.0f, 0.0f}, 0.0);
    shape_id added;
    assert_int_equal(shape_add(world, id, &arm, &added, &err), STATUS_OK);
    assert_near(look(world, id).mass, 2.0, 1e-5);
    assert_near(look(world, id).center.x, 0.5, 1e-2);
    shape_def ball = make_circle(0.25);
    body_id caught = put_at(world, 1.0, 2.0, &ball);
    run(world, 120);
    assert_near(look(world, caught).position.y, 1.25, 0.01);
    assert_int_equal(shape_remove(world, added, &err), STATUS_OK);
    assert_near(look(world, id).mass, 1.0, 1e-5);
    run(world, 120);
    assert_near(look(world, caught).position.y, 0.25, 0.01);
    assert_near(look(world, id).position.y, 0.5, 0.01);
    assert_int_equal(shape_remove(world, added, &err), STATUS_NOT_FOUND);
    world_free(world);
}

static void id_of_a_removed_body_never_comes_back(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id first = put_at(world, 0.0, 0.0, &ball);
    error err;
    body_info info;
    assert_int_equal(body_remove(world, first, &err), STATUS_OK);
    for (int i = 0; i < 100; i++) {
        body_id id = put_at(world, 0.0, 0.0, &ball);
        assert_true(id != first);
        assert_true(id < (uint64_t)1 << 53);
        assert_int_equal(body_get(world, first, &info, &err), STATUS_NOT_FOUND);
        assert_int_equal(body_remove(world, id, &err), STATUS_OK);
    }
    assert_int_equal(body_remove(world, first, &err), STATUS_NOT_FOUND);
    assert_string_equal(err.text, "body 1 does not exist");
    world_free(world);
}

static void change_with_one_bad_field_changes_nothing(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id id = put_at(world, 1.0, 2.0, &ball);
    uint64_t before = world_hash(world);
    body_def values = body_def_default();
    values.position = (vec2d){5.0, 5.0};
    values.velocity = (vec2d){(double)NAN, 0.0};
    error err;
    assert_int_equal(body_set(world, id, BODY_FIELD_POSITION | BODY_FIELD_VELOCITY, &values, &err),
                     STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "velocity"));
    assert_true(world_hash(world) == before);
    world_free(world);
}

// Worlds with equal hashes have the same future, so every setting is in the hash before it has an
// effect.
static void hash_covers_what_the_world_was_made_with(void **state)
{
    (void)state;
    world_def defs[9];
    for (size_t i = 0; i < 9; i++) {
        defs[i] = world_def_default();
    }
    defs[1].gravity.x = 1.0;
    defs[2].hz = 50.0;
    defs[3].substeps++;
    defs[4].sleep = !defs[4].sleep;
    defs[5].continuous = !defs[5].continuous;
    defs[6].restitution_threshold += 1.0;
    defs[7].hit_threshold += 1.0;
    defs[8].sleep_speed += 1.0;
    uint64_t hashes[9];
    for (size_t i = 0; i < 9; i++) {
        physics_world *world;
        error err;
        assert_int_equal(world_create(&defs[i], &world, &err), STATUS_OK);
        hashes[i] = world_hash(world);
        world_free(world);
        for (size_t k = 0; k < i; k++) {
            assert_true(hashes[k] != hashes[i]);
        }
    }
}

static void body_asleep_by_command_sleeps_with_what_touches_it(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id below = put_at(world, 0.0, 0.5, &box);
    body_id above = put_at(world, 0.0, 1.5, &box);
    run(world, 5);
    body_def values = body_def_default();
    values.awake = false;
    change(world, above, BODY_FIELD_AWAKE, &values);
    assert_false(look(world, above).awake);
    assert_false(look(world, below).awake);
    values.awake = true;
    change(world, below, BODY_FIELD_AWAKE, &values);
    assert_true(look(world, above).awake);
    world_free(world);
}

static void tag_is_kept_and_can_be_changed(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    body_def def = body_def_default();
    def.tag = "player-1";
    shape_def ball = make_circle(0.5);
    body_id id = put(world, &def, &ball, 1);
    assert_string_equal(look(world, id).tag, "player-1");
    def.tag = "ghost";
    change(world, id, BODY_FIELD_TAG, &def);
    assert_string_equal(look(world, id).tag, "ghost");
    def.tag = NULL;
    change(world, id, BODY_FIELD_TAG, &def);
    assert_string_equal(look(world, id).tag, "");
    world_free(world);
}

static void chain_has_one_id_and_all_its_pieces_collide(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    vec2 points[11];
    for (int i = 0; i <= 10; i++) {
        // from right to left, so that the upper side collides
        points[i] = (vec2){5.0f - (float)i, 0.0f};
    }
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = points;
    chain.point_count = 11;
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    body_id ground = put(world, &def, &chain, 1);
    assert_int_equal(world_count(world).shapes, 1);
    shape_id id = body_next_shape(world, ground, 0);
    assert_true(id != 0);
    assert_true(body_next_shape(world, ground, id) == 0);
    shape_def ball = make_circle(0.2);
    for (int i = 0; i < 9; i++) {
        put_at(world, -4.0 + i, 1.0, &ball);
    }
    int begins = 0;
    for (int i = 0; i < 90; i++) {
        world_step(world);
        physics_event e;
        int n = count_events(world, EVENT_BEGIN, &e);
        if (n > 0) {
            assert_true(e.shape_a == id || e.shape_b == id);
        }
        begins += n;
    }
    assert_true(begins >= 9);
    for (body_id b = ground; (b = world_next_body(world, b)) != 0;) {
        assert_near(look(world, b).position.y, 0.2, 0.01);
    }
    error err;
    assert_int_equal(shape_remove(world, id, &err), STATUS_OK);
    run(world, 60);
    assert_true(look(world, world_next_body(world, ground)).position.y < -1.0);
    assert_int_equal(world_count(world).shapes, 9);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_body_collides_where_it_is_now),
        cmocka_unit_test(dynamic_made_static_holds_still_and_back_again_falls),
        cmocka_unit_test(disabled_body_neither_moves_nor_collides),
        cmocka_unit_test(shape_added_and_removed_changes_mass_and_contacts),
        cmocka_unit_test(id_of_a_removed_body_never_comes_back),
        cmocka_unit_test(change_with_one_bad_field_changes_nothing),
        cmocka_unit_test(hash_covers_what_the_world_was_made_with),
        cmocka_unit_test(body_asleep_by_command_sleeps_with_what_touches_it),
        cmocka_unit_test(tag_is_kept_and_can_be_changed),
        cmocka_unit_test(chain_has_one_id_and_all_its_pieces_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
