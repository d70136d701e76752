// A copy of a world continues like the world: the same hashes and events on every tick. One target
// serves all worlds, so that each copy reuses the memory and the step scratch of another world.
#include "tests/property/physics/worlds.h"

#include <stdlib.h>
#include <time.h>

#include "common/base/array.h"
#include "common/physics/image.h"
#include "common/physics/standing.h"
#include "common/physics/validate.h"
#include "tests/golden/scenes.h"
#include "tests/golden/wild.h"

enum { TICKS = 1000 };

static const vec2d ORIGIN = {0.0, 0.0};
static physics_world *target;

static int set_up(void **state)
{
    (void)state;
    const world_def def = world_def_default();
    error err;
    return world_create(&def, &target, &err) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    world_free(target);
    return 0;
}

static void assert_same(const physics_world *a, const physics_world *b, const char *name, int tick)
{
    uint32_t count_a;
    uint32_t count_b;
    (void)world_events(a, &count_a);
    (void)world_events(b, &count_b);
    if (world_tick(a) != world_tick(b) || world_hash(a) != world_hash(b) || count_a != count_b) {
        fail_msg("%s: tick %d: the copy is another world", name, tick);
    }
}

static void copy_whole(const physics_world *from)
{
    const uint64_t before = world_hash(from);
    world_want_events(target, UINT32_MAX);
    world_copy(target, from);
    assert_true(world_hash(target) == before && world_hash(from) == before);
    world_validate(target);
}

static void copied_scenes_go_on_alike(void **state)
{
    (void)state;
    rng r = rng_start("copied scenes", 1);
    int count;
    const scene_kind *kinds = scene_kinds(&count);
    for (int i = 0; i < count; i++) {
        if (kinds[i].golden_scale == 0) {
            continue;
        }
        physics_world *world = scene_create(&kinds[i], kinds[i].golden_scale, ORIGIN);
        world_want_events(world, UINT32_MAX);
        copy_whole(world);
        for (int tick = 1; tick <= TICKS; tick++) {
            scene_step(&kinds[i], world, kinds[i].golden_scale, ORIGIN);
            scene_step(&kinds[i], target, kinds[i].golden_scale, ORIGIN);
            assert_same(world, target, kinds[i].name, tick);
            // Sometimes copies back: the target is then ahead of its source
            if (rng_below(&r, 200) == 0) {
                world_step(target);
                copy_whole(world);
            }
        }
        world_free(world);
    }
}

// Makes changes of every sort, also between a copy and the step after it.
static void copied_random_worlds_go_on_alike(void **state)
{
    (void)state;
    rng r = rng_start("copied worlds", 2);
    for (int64_t round = 0; round < rounds(12); round++) {
        physics_world *world = random_world(&r, (vec2d){0.0, -9.81}, 0.0);
        world_want_events(world, UINT32_MAX);
        put_bin(world, 6.0);
        fill_bin(world, &r, round % 2 == 0 ? ALIKE : MIXED, 30 + (int)rng_below(&r, 90), 6.0);
        for (int tick = 1; tick <= TICKS; tick++) {
            if (tick % 100 == 1) {
                disturb(world, &r);
                copy_whole(world);
            }
            if (rng_below(&r, 10) == 0) {
                rng again = r;
                disturb(world, &r);
                disturb(target, &again);
            }
            world_step(world);
            world_step(target);
            assert_same(world, target, "random", tick);
        }
        world_free(world);
    }
}

static void copied_wild_worlds_go_on_alike(void **state)
{
    (void)state;
    for (int64_t seed = 1; seed <= rounds(40); seed++) {
        physics_world *world = wild_create((uint64_t)seed);
        for (int tick = 1; tick <= 60; tick++) {
            if (tick % 20 == 1) {
                world_step(target);
                copy_whole(world);
            }
            wild_step(world, (uint64_t)seed);
            wild_step(target, (uint64_t)seed);
            assert_true(world_hash(world) == world_hash(target));
        }
        world_free(world);
    }
}

// The world stays valid and equal to its twin, wherever islands are put to rest.
static void islands_put_to_rest_leave_a_sound_world(void **state)
{
    (void)state;
    rng r = rng_start("resting islands", 3);
    for (int64_t round = 0; round < rounds(8); round++) {
        physics_world *world = random_world(&r, (vec2d){0.0, -9.81}, 0.0);
        world_want_events(world, UINT32_MAX);
        put_bin(world, 12.0);
        fill_bin(world, &r, MIXED, 80, 12.0);
        for (int tick = 0; tick < 300; tick++) {
            if (tick % 30 == 0) {
                const body_id keep = world_next_body(world, 0) + (body_id)rng_below(&r, 60);
                copy_whole(world);
                const uint32_t awake = world_count(world).awake;
                const uint32_t left = world_rest_others(world, &keep, 1);
                assert_true(left <= awake && world_rest_others(target, &keep, 1) == left);
                world_validate(world);
            }
            world_step(world);
            world_step(target);
            assert_same(world, target, "resting", tick);
        }
        world_free(world);
    }
}

// A third of the bodies of a copy move on, the others stand; now and then one is pushed or removed.
static void let_some_stand(rng *r, const physics_world *world)
{
    ARRAY(body_id) keep = {0};
    for (body_id id = world_next_body(world, 0); id != 0; id = world_next_body(world, id)) {
        if (rng_below(r, 3) == 0) {
            array_push(&keep, id);
        }
    }
    copy_whole(world);
    const uint32_t awake = world_count(target).awake;
    assert_true(world_stand_others(target, keep.data, keep.count) <= awake);
    world_validate(target);
    array_free(&keep);
}

static void push_or_remove(rng *r, physics_world *world)
{
    const body_id id = world_next_body(world, 0) + (body_id)rng_below(r, 60);
    error unused;
    switch (rng_below(r, 40)) {
    case 0:
        (void)body_remove(world, id, &unused);
        break;
    case 1:
        (void)body_apply_impulse(world, id, (vec2d){3.0, 5.0}, NULL, &unused);
        break;
    default:
        break;
    }
}

static void bodies_that_stand_leave_a_sound_world(void **state)
{
    (void)state;
    rng r = rng_start("standing bodies", 4);
    for (int64_t round = 0; round < rounds(8); round++) {
        physics_world *world = random_world(&r, (vec2d){0.0, -9.81}, 0.0);
        put_bin(world, 12.0);
        fill_bin(world, &r, MIXED, 80, 12.0);
        for (int tick = 0; tick < 300; tick++) {
            if (tick % 30 == 0) {
                let_some_stand(&r, world);
            }
            world_step(world);
            push_or_remove(&r, target);
            world_step(target);
            world_validate(target);
        }
        world_free(world);
    }
}

// Worlds with joints, restitution, sensors and all commands, with parameters that are physically
// impossible.
static void wild_worlds_may_stand_in_part(void **state)
{
    (void)state;
    rng r = rng_start("wild standing bodies", 5);
    for (int64_t seed = 1; seed <= rounds(40); seed++) {
        physics_world *world = wild_create((uint64_t)seed);
        for (int tick = 1; tick <= 60; tick++) {
            if (tick % 20 == 1) {
                let_some_stand(&r, world);
            }
            wild_step(world, (uint64_t)seed);
            wild_step(target, (uint64_t)seed);
            world_validate(target);
        }
        world_free(world);
    }
}

static void standing_bodies_do_not_move_and_what_is_pushed_does(void **state)
{
    (void)state;
    rng r = rng_start("pushed standing bodies", 6);
    physics_world *world = random_world(&r, (vec2d){0.0, -9.81}, 0.0);
    put_bin(world, 12.0);
    fill_bin(world, &r, MIXED, 40, 12.0);
    copy_whole(world);
    const body_id last = world_next_body(world, 0) + 30;
    body_info before, after;
    error unused;
    assert_int_equal(body_get(target, last, &before, &unused), STATUS_OK);
    assert_int_equal(world_stand_others(target, NULL, 0), 0);
    for (int tick = 0; tick < 20; tick++) {
        world_step(target);
    }
    assert_int_equal(body_get(target, last, &after, &unused), STATUS_OK);
    assert_true(after.position.x == before.position.x && after.position.y == before.position.y);
    assert_int_equal(body_apply_impulse(target, last, (vec2d){0.0, 50.0}, NULL, &unused),
                     STATUS_OK);
    assert_int_equal(world_count(target).awake, 1);
    world_step(target);
    world_validate(target);
    assert_int_equal(body_get(target, last, &after, &unused), STATUS_OK);
    assert_true(after.mass == before.mass && after.position.y != before.position.y);
    world_free(world);
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

// Times are only printed, since they depend on the machine; the test checks that a copy is faster
// than an image.
static void copy_is_faster_than_an_image(void **state)
{
    (void)state;
    const scene_kind *kind = scene_find("pyramid");
    physics_world *world = scene_create(kind, kind->full_scale, ORIGIN);
    for (int i = 0; i < 50; i++) {
        world_step(world);
    }
    double best_copy = 1e9;
    double best_image = 1e9;
    for (int i = 0; i < 10; i++) {
        double start = now_us();
        world_copy(target, world);
        const double copied = now_us() - start;
        uint8_t *bytes;
        size_t size;
        physics_world *twin = NULL;
        error err;
        start = now_us();
        world_save(world, &bytes, &size);
        assert_int_equal(world_restore(bytes, size, &twin, &err), STATUS_OK);
        const double restored = now_us() - start;
        best_copy = copied < best_copy ? copied : best_copy;
        best_image = restored < best_image ? restored : best_image;
        world_free(twin);
        free(bytes);
    }
    print_message("%u bodies: copied in %.0f us, saved and restored in %.0f us\n",
                  world_count(world).bodies, best_copy, best_image);
    assert_true(best_copy < best_image);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copied_scenes_go_on_alike),
        cmocka_unit_test(copied_random_worlds_go_on_alike),
        cmocka_unit_test(copied_wild_worlds_go_on_alike),
        cmocka_unit_test(islands_put_to_rest_leave_a_sound_world),
        cmocka_unit_test(bodies_that_stand_leave_a_sound_world),
        cmocka_unit_test(wild_worlds_may_stand_in_part),
        cmocka_unit_test(standing_bodies_do_not_move_and_what_is_pushed_does),
        cmocka_unit_test(copy_is_faster_than_an_image),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
