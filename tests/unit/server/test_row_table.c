// Tests of server/world/snapshots/row_table.h: changes of bodies between versions, trimming,
// encoding once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "server/world/snapshots/row_table.h"

static physics_world *make_world(void)
{
    world_def def = world_def_default();
    physics_world *world = NULL;
    def.gravity = (vec2d){0.0, 0.0};
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    return world;
}

static body_id add_body(physics_world *world, double x)
{
    body_def def = body_def_default();
    body_id id = 0;
    def.position.x = x;
    assert_int_equal(body_create(world, &def, &id, NULL), STATUS_OK);
    return id;
}

static void rows_note_when_a_body_came_and_changed(void **state)
{
    (void)state;
    physics_world *world = make_world();
    row_table t;
    row_table_init(&t, 100);
    body_id a = add_body(world, 1.0);
    row_table_update(&t, world);
    body_id b = add_body(world, 2.0);
    row_table_update(&t, world);
    const row_entry *of_a = &t.entries.data[id_slot(a)];
    const row_entry *of_b = &t.entries.data[id_slot(b)];
    assert_int_equal(of_a->created, 1);
    assert_int_equal(of_a->changed, 1);
    assert_int_equal(of_b->created, 2);
    body_def moved = body_def_default();
    moved.position.x = 5.0;
    assert_int_equal(body_set(world, a, BODY_FIELD_POSITION, &moved, NULL), STATUS_OK);
    row_table_update(&t, world);
    assert_int_equal(of_a->changed, 3);
    assert_int_equal(of_b->changed, 2);
    assert_true(of_a->row.position.x == 5.0);
    row_table_deinit(&t);
    world_free(world);
}

static void rows_note_what_vanished(void **state)
{
    (void)state;
    physics_world *world = make_world();
    row_table t;
    row_table_init(&t, 100);
    body_id first = add_body(world, 0.0);
    body_id middle = add_body(world, 1.0);
    body_id last = add_body(world, 2.0);
    row_table_update(&t, world);
    body_remove(world, middle, NULL);
    row_table_update(&t, world);
    body_remove(world, last, NULL);
    body_remove(world, first, NULL);
    row_table_update(&t, world);
    assert_int_equal(t.removals.count, 3);
    assert_int_equal(t.removals.data[0].id, middle);
    assert_int_equal(t.removals.data[0].created, 1);
    assert_int_equal(t.removals.data[0].removed, 2);
    assert_int_equal(t.removals.data[1].removed, 3);
    row_table_deinit(&t);
    world_free(world);
}

static void rows_tell_apart_bodies_of_one_slot(void **state)
{
    (void)state;
    physics_world *world = make_world();
    row_table t;
    row_table_init(&t, 100);
    body_id before = add_body(world, 0.0);
    row_table_update(&t, world);
    body_remove(world, before, NULL);
    body_id after = add_body(world, 0.0);
    assert_int_equal(id_slot(before), id_slot(after));
    row_table_update(&t, world);
    assert_int_equal(t.removals.count, 1);
    assert_int_equal(t.removals.data[0].id, before);
    const row_entry *entry = &t.entries.data[id_slot(after)];
    assert_int_equal(entry->id, after);
    assert_int_equal(entry->created, 2);
    row_table_deinit(&t);
    world_free(world);
}

static void rows_body_between_two_versions_was_never_there(void **state)
{
    (void)state;
    physics_world *world = make_world();
    row_table t;
    row_table_init(&t, 100);
    row_table_update(&t, world);
    body_remove(world, add_body(world, 0.0), NULL);
    row_table_update(&t, world);
    assert_int_equal(t.removals.count, 0);
    row_table_deinit(&t);
    world_free(world);
}

static void rows_trim_keeps_what_someone_needs(void **state)
{
    (void)state;
    physics_world *world = make_world();
    row_table t;
    row_table_init(&t, 100);
    body_id ids[4];
    for (int i = 0; i < 4; i++) {
        ids[i] = add_body(world, i);
    }
    row_table_update(&t, world);
    for (int i = 0; i < 4; i++) {
        body_remove(world, ids[i], NULL);
        row_table_update(&t, world); // removal i is of version i + 2
    }
    row_table_trim(&t, 3);
    assert_int_equal(t.removals.count, 2);
    assert_int_equal(t.removals.data[0].removed, 4);
    assert_int_equal(t.floor, 1); // no reader has missed anything
    row_table_deinit(&t);
    world_free(world);
}

static void rows_trim_over_the_limit_raises_the_floor(void **state)
{
    (void)state;
    physics_world *world = make_world();
    row_table t;
    row_table_init(&t, 16);
    body_id ids[20];
    for (int i = 0; i < 20; i++) {
        ids[i] = add_body(world, i);
    }
    row_table_update(&t, world);
    for (int i = 0; i < 20; i++) {
        body_remove(world, ids[i], NULL);
        row_table_update(&t, world);
    }
    row_table_trim(&t, 1);
    assert_int_equal(t.removals.count, 16);
    // Four removals are gone, the last one of version 5: a reader of version 4 or less cannot be
    // updated.
    assert_int_equal(t.floor, 5);
    row_table_deinit(&t);
    world_free(world);
}

static void rows_append_encodes_once_per_change(void **state)
{
    (void)state;
    physics_world *world = make_world();
    row_table t;
    row_table_init(&t, 16);
    body_id id = add_body(world, 1.0);
    row_table_update(&t, world);
    buffer one;
    buffer two;
    buffer fresh;
    buffer_init(&one, 1000);
    buffer_init(&two, 1000);
    buffer_init(&fresh, 1000);
    row_entry *entry = &t.entries.data[id_slot(id)];
    row_table_append(&t, entry, &one);
    assert_int_equal(entry->encoded, 1);
    row_table_append(&t, entry, &two);
    encode_body_row(&fresh, &entry->row);
    assert_int_equal(one.size, fresh.size);
    assert_memory_equal(one.data, fresh.data, fresh.size);
    assert_memory_equal(two.data, fresh.data, fresh.size);
    buffer_deinit(&one);
    buffer_deinit(&two);
    buffer_deinit(&fresh);
    row_table_deinit(&t);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_note_when_a_body_came_and_changed),
        cmocka_unit_test(rows_note_what_vanished),
        cmocka_unit_test(rows_tell_apart_bodies_of_one_slot),
        cmocka_unit_test(rows_body_between_two_versions_was_never_there),
        cmocka_unit_test(rows_trim_keeps_what_someone_needs),
        cmocka_unit_test(rows_trim_over_the_limit_raises_the_floor),
        cmocka_unit_test(rows_append_encodes_once_per_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
