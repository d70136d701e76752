// World images: a restored world continues as if it had never stopped.
#include "tests/unit/physics/image_scenes.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "common/physics/image.h"
#include "common/physics/state/world.h"

static physics_world *copy_of(const physics_world *world)
{
    uint8_t *bytes;
    size_t size;
    physics_world *copy = NULL;
    error err = {0};
    world_save(world, &bytes, &size);
    if (world_restore(bytes, size, &copy, &err) != STATUS_OK) {
        fail_msg("tick %d: %s", (int)world_tick(world), err.text);
    }
    // A restored world writes the same image again.
    uint8_t *again;
    size_t again_size;
    world_save(copy, &again, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    free(again);
    free(bytes);
    return copy;
}

static void assert_same_events(const physics_world *a, const physics_world *b)
{
    uint32_t count_a;
    uint32_t count_b;
    const physics_event *ea = world_events(a, &count_a);
    const physics_event *eb = world_events(b, &count_b);
    assert_int_equal(count_a, count_b);
    for (uint32_t i = 0; i < count_a; i++) {
        assert_int_equal(ea[i].kind, eb[i].kind);
        assert_int_equal(ea[i].a, eb[i].a);
        assert_int_equal(ea[i].b, eb[i].b);
        assert_true(ea[i].point.x == eb[i].point.x && ea[i].impulse == eb[i].impulse);
    }
}

static void restored_world_goes_on_with_the_same_hashes_and_events(void **state)
{
    (void)state;
    for (int k = 0; k < IMAGE_SCENE_COUNT; k++) {
        physics_world *world = IMAGE_SCENES[k].make();
        for (int from = 0; from < 240; from += 7) {
            physics_world *copy = copy_of(world);
            assert_true(world_hash(world) == world_hash(copy));
            for (int i = 0; i < 7; i++) {
                world_step(world);
                world_step(copy);
                if (world_hash(world) != world_hash(copy)) {
                    fail_msg("scene %s: saved at tick %d, differs at tick %d", IMAGE_SCENES[k].name,
                             (int)world_tick(world) - i - 1, (int)world_tick(world));
                }
                assert_same_events(world, copy);
            }
            world_free(world);
            world = copy; // the restored world is restored again
        }
        world_free(world);
    }
}

static void restored_world_gives_the_ids_that_the_old_one_would(void **state)
{
    (void)state;
    physics_world *world = mixed_scene();
    run(world, 20);
    physics_world *copy = copy_of(world);
    shape_def ball = make_circle(0.3);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(put_at(world, i, 20.0, &ball), put_at(copy, i, 20.0, &ball));
    }
    body_info a = look(copy, world_next_body(copy, 0));
    assert_string_equal(a.tag, "ground");
    run(world, 60);
    run(copy, 60);
    assert_true(world_hash(world) == world_hash(copy));
    world_free(copy);
    world_free(world);
}

static void pile_takes_less_than_200_bytes_a_body(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    for (int i = 0; i < 30; i++) {
        for (int j = i; j < 30; j++) {
            put_at(world, (i + 1) * 0.5 + (j - i) - 15.0, i + 0.5, &box);
        }
    }
    run(world, 60);
    uint8_t *bytes;
    size_t size;
    world_save(world, &bytes, &size);
    print_message("%u bodies, %u contacts: %zu bytes, %.1f a body\n", world_count(world).bodies,
                  world_count(world).contacts, size, (double)size / world_count(world).bodies);
    assert_true(size < 200 * (size_t)world_count(world).bodies);
    free(bytes);
    world_free(world);
}

static void image_claims_what_the_world_holds(void **state)
{
    (void)state;
    for (int i = 0; i < IMAGE_SCENE_COUNT; i++) {
        physics_world *world = IMAGE_SCENES[i].make();
        world_room left = world_room_left(world);
        image_counts n;
        uint8_t *bytes = NULL;
        size_t size = 0;
        world_save(world, &bytes, &size);
        struct mallinfo2 before = mallinfo2();
        assert_int_equal(world_image_counts(bytes, size, &n, NULL), STATUS_OK);
        assert_int_equal(mallinfo2().uordblks, before.uordblks);
        assert_int_equal(n.bodies, world_count(world).bodies);
        assert_int_equal(n.shapes, PHYSICS_SHAPES_MAX - left.shapes);
        assert_int_equal(n.joints, world_count(world).joints);
        assert_true(n.bodies <= n.body_slots && n.shapes <= n.shape_slots);
        // Counting needs only the slots: the rest is not read, and an image that is cut within them
        // is refused.
        for (size_t cut = 0; cut < size && cut < 400; cut++) {
            uint8_t *exact = malloc(cut + 1);
            assert_non_null(exact);
            memcpy(exact, bytes, cut);
            error err = {0};
            bool whole = world_image_counts(exact, cut, &n, &err) == STATUS_OK;
            assert_true(whole || err.status == STATUS_INVALID_ARGUMENT);
            free(exact);
        }
        free(bytes);
        world_free(world);
    }
}

static void step_alike(physics_world *world, physics_world *other, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        assert_int_equal(world_hash(world), world_hash(other));
        world_step(world);
        world_step(other);
    }
    world_free(world);
    world_free(other);
}

// How far the boxes of fast bodies reach ahead depends on whether any shape rebounds: a command
// before the first step of a restored world needs that fact.
static void restored_world_takes_commands_before_its_first_step(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def ball = make_circle(0.5);
    const shape_def dot = make_circle(0.05);
    ball.restitution = 0.8;
    const body_id quick = put_at(world, 0.0, 0.0, &ball);
    const body_def fast = {.velocity = {50.0, 0.0}};
    shape_id added = 0;
    assert_int_equal(body_set(world, quick, BODY_FIELD_VELOCITY, &fast, NULL), STATUS_OK);
    run(world, 3);
    physics_world *both[] = {world, restored(world)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(shape_add(both[i], quick, &dot, &added, NULL), STATUS_OK);
    }
    step_alike(both[0], both[1], 10);
}

// The first shape that rebounds was added after the last step.
static void restored_world_looks_at_boxes_as_the_last_step_did(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    const shape_def dot = make_circle(0.05);
    const body_id quick = put_at(world, 0.0, 0.0, &dot);
    const body_def fast = {.velocity = {50.0, 0.0}};
    assert_int_equal(body_set(world, quick, BODY_FIELD_VELOCITY, &fast, NULL), STATUS_OK);
    run(world, 3);
    shape_def ball = make_circle(0.5);
    ball.restitution = 0.8;
    put_at(world, 0.0, 9.0, &ball);
    physics_world *both[] = {world, restored(world)};
    for (int i = 0; i < 2; i++) {
        shape_id added;
        assert_int_equal(shape_add(both[i], quick, &dot, &added, NULL), STATUS_OK);
    }
    step_alike(both[0], both[1], 10);
}

// A pair that met while the world had no room for contacts is not looked for again until its boxes
// have parted; a restored world must not find it either.
static void restored_world_finds_no_pair_that_was_left_out(void **state)
{
    (void)state;
    for (int ticks = 1; ticks < 12; ticks++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        const shape_def box = make_box(1.0, 1.0);
        body_id last = 0;
        world->contacts_max = 1;
        for (int i = 0; i < 3; i++) {
            last = put_at(world, 0.6 * i, 0.0, &box);
        }
        const body_def values = {.velocity = {3.0, 0.0}}; // its box is updated every few steps
        assert_int_equal(body_set(world, last, BODY_FIELD_VELOCITY, &values, NULL), STATUS_OK);
        run(world, ticks);
        assert_int_equal(world_count(world).contacts, 1);
        world->contacts_max = PHYSICS_CONTACTS_MAX;
        step_alike(world, restored(world), 10);
    }
}

// Clients read ticks as doubles, and packed snapshots have only so many bits for them.
static void image_of_a_tick_out_of_range_is_refused(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    world->tick = PHYSICS_TICK_MAX;
    physics_world *other = restored(world);
    assert_true(world_tick(other) == PHYSICS_TICK_MAX);
    run(other, 2);
    assert_true(world_tick(other) == PHYSICS_TICK_MAX + 2);
    world_free(other);
    const uint64_t beyond[] = {PHYSICS_TICK_MAX + 1, INT64_MAX - 1, INT64_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        uint8_t *image = NULL;
        size_t size = 0;
        error err;
        world->tick = beyond[i];
        world_save(world, &image, &size);
        assert_int_equal(world_restore(image, size, &other, &err), STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(err.text, "the tick is out of range"));
        free(image);
    }
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(image_of_a_tick_out_of_range_is_refused),
        cmocka_unit_test(image_claims_what_the_world_holds),
        cmocka_unit_test(restored_world_goes_on_with_the_same_hashes_and_events),
        cmocka_unit_test(restored_world_gives_the_ids_that_the_old_one_would),
        cmocka_unit_test(pile_takes_less_than_200_bytes_a_body),
        cmocka_unit_test(restored_world_takes_commands_before_its_first_step),
        cmocka_unit_test(restored_world_looks_at_boxes_as_the_last_step_did),
        cmocka_unit_test(restored_world_finds_no_pair_that_was_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
