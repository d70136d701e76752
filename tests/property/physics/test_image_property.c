// A world that is saved and restored at random ticks continues like one that never was: the same
// hashes and events on every tick, in every golden scene. Also the cost of images.
#include "tests/property/physics/worlds.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/physics/image.h"
#include "common/physics/validate.h"
#include "tests/golden/scenes.h"

static const vec2d ORIGIN = {0.0, 0.0};

static physics_world *restored(const physics_world *world, size_t *size)
{
    uint8_t *bytes;
    world_save(world, &bytes, size);
    physics_world *twin = NULL;
    error err = {0};
    if (world_restore(bytes, *size, &twin, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    uint8_t *again;
    size_t size_again;
    world_save(twin, &again, &size_again);
    assert_int_equal(*size, size_again);
    assert_memory_equal(bytes, again, *size);
    free(again);
    free(bytes);
    return twin;
}

static bool same_events(const physics_world *a, const physics_world *b)
{
    uint32_t count_a;
    uint32_t count_b;
    const physics_event *of_a = world_events(a, &count_a);
    const physics_event *of_b = world_events(b, &count_b);
    bool same = count_a == count_b;
    for (uint32_t i = 0; i < count_a && same; i++) {
        const physics_event *x = &of_a[i];
        const physics_event *y = &of_b[i];
        same = x->kind == y->kind && x->tick == y->tick && x->a == y->a && x->b == y->b &&
               x->shape_a == y->shape_a && x->shape_b == y->shape_b && x->joint == y->joint &&
               x->point.x == y->point.x && x->point.y == y->point.y && x->depth == y->depth &&
               x->speed == y->speed && x->impulse == y->impulse;
    }
    return same;
}

static void run_scene(const scene_kind *kind, rng *r, int ticks)
{
    int scale = kind->golden_scale;
    physics_world *straight = scene_create(kind, scale, ORIGIN);
    physics_world *broken = scene_create(kind, scale, ORIGIN);
    world_want_events(straight, UINT32_MAX);
    world_want_events(broken, UINT32_MAX);
    int restores = 0;
    size_t size = 0;
    for (int tick = 1; tick <= ticks; tick++) {
        scene_step(kind, straight, scale, ORIGIN);
        scene_step(kind, broken, scale, ORIGIN);
        if (world_hash(straight) != world_hash(broken) || !same_events(straight, broken)) {
            fail_msg("%s: tick %d: after %d restorations the world is another", kind->name, tick,
                     restores);
        }
        if (rng_below(r, 20) == 0) {
            physics_world *next = restored(broken, &size);
            world_validate(next);
            world_free(broken);
            broken = next;
            restores++;
        }
    }
    world_counts counts = world_count(straight);
    print_message("%-9s %4u bodies, %4u contacts, %3u joints: %6.1f bytes a body, %d times\n",
                  kind->name, counts.bodies, counts.contacts, counts.joints,
                  (double)size / counts.bodies, restores);
    world_free(straight);
    world_free(broken);
}

static void restored_scenes_go_on_as_before(void **state)
{
    (void)state;
    rng r = rng_start("restored scenes", 1);
    int count;
    const scene_kind *kinds = scene_kinds(&count);
    for (int64_t round = 0; round < rounds(1); round++) {
        for (int i = 0; i < count; i++) {
            if (kinds[i].golden_scale > 0) {
                run_scene(&kinds[i], &r, (int)rounds(500));
            }
        }
    }
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Times are only printed, since they depend on the machine; the size is checked.
static void image_of_large_pyramid_is_small(void **state)
{
    (void)state;
    const scene_kind *kind = scene_find("pyramid");
    physics_world *world = scene_create(kind, kind->full_scale, ORIGIN);
    for (int i = 0; i < 100; i++) {
        world_step(world);
    }
    double best_save = 1e9;
    double best_restore = 1e9;
    double best_hash = 1e9;
    size_t size = 0;
    for (int i = 0; i < 10; i++) {
        uint8_t *bytes;
        double start = now_ms();
        world_save(world, &bytes, &size);
        double saved = now_ms();
        physics_world *twin = NULL;
        error err;
        assert_int_equal(world_restore(bytes, size, &twin, &err), STATUS_OK);
        double back = now_ms();
        assert_true(world_hash(twin) == world_hash(world));
        double hashed = now_ms();
        best_save = saved - start < best_save ? saved - start : best_save;
        best_restore = back - saved < best_restore ? back - saved : best_restore;
        best_hash = 0.5 * (hashed - back) < best_hash ? 0.5 * (hashed - back) : best_hash;
        world_free(twin);
        free(bytes);
    }
    world_counts counts = world_count(world);
    print_message(
        "%u bodies, %u contacts: %.1f bytes a body; saved in %.2f ms, restored in %.2f ms, "
        "hashed in %.3f ms\n",
        counts.bodies, counts.contacts, (double)size / counts.bodies, best_save, best_restore,
        best_hash);
    assert_true((double)size / counts.bodies < 200.0);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_scenes_go_on_as_before),
        cmocka_unit_test(image_of_large_pyramid_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
