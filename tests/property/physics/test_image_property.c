// A world that is saved and restored at random ticks continues like one that never was: the same
// hashes and events on every tick, in every golden scene. Also the cost of images.
#include "tests/property/physics/worlds.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/physics/image.h"
#include "common/physics/joint.h"
#include "common/physics/validate.h"
#include "tests/golden/scenes.h"
#include "tests/golden/wild.h"

enum { WILD_SEEDS = 60, ONE_WAY_SEEDS = 40 };

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

// Wild worlds have the smallest masses beside the greatest, and commands that come after a
// restoration. A restored world lists its contacts in another order: no result may follow from
// which of them are solved together.
static void restored_wild_worlds_go_on_as_before(void **state)
{
    (void)state;
    rng r = rng_start("restored wild worlds", 1);
    for (uint64_t seed = 1; seed <= (uint64_t)rounds(WILD_SEEDS); seed++) {
        physics_world *straight = wild_create(seed);
        physics_world *broken = wild_create(seed);
        for (int tick = 1; tick <= 2 * WILD_TICKS; tick++) {
            wild_step(straight, seed);
            wild_step(broken, seed);
            if (world_hash(straight) != world_hash(broken) || !same_events(straight, broken)) {
                fail_msg("wild world %d: tick %d: the restored world is another", (int)seed, tick);
            }
            if (rng_below(&r, 8) == 0) {
                size_t size;
                physics_world *next = restored(broken, &size);
                world_want_events(next, UINT32_MAX);
                world_free(broken);
                broken = next;
            }
        }
        world_free(straight);
        world_free(broken);
    }
}

// Gives half of the world's shapes a direction from which alone they collide, and rebounds.
static void turn_one_way(physics_world *world, uint64_t seed)
{
    uint32_t dice = (uint32_t)seed;
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        for (shape_id of = 0; (of = body_next_shape(world, id, of)) != 0;) {
            dice = dice * 1664525u + 1013904223u;
            shape_def values = shape_def_default();
            values.one_way =
                (vec2){(float)(int)(dice >> 24) - 128.0f, (float)(int)(dice >> 16 & 255u) - 128.0f};
            values.restitution = (dice & 4096u) != 0 ? 1.0 : 0.5;
            error err = {0};
            if ((dice >> 9) % 2 == 0) { // refused for a chain, which is one-sided already
                (void)shape_set(world, of, SHAPE_FIELD_ONE_WAY | SHAPE_FIELD_RESTITUTION, &values,
                                &err);
            }
        }
    }
}

// A body that passes through a one-way shape has no contact with it, wherever a disc's impacts let
// its step begin and wherever it is looked for ahead: the image of such a world is accepted.
static void restored_one_way_worlds_go_on_as_before(void **state)
{
    (void)state;
    rng r = rng_start("restored one-way worlds", 1);
    for (uint64_t seed = 1; seed <= (uint64_t)rounds(ONE_WAY_SEEDS); seed++) {
        physics_world *straight = wild_create(seed);
        physics_world *broken = wild_create(seed);
        turn_one_way(straight, seed);
        turn_one_way(broken, seed);
        for (int tick = 1; tick <= 2 * WILD_TICKS; tick++) {
            wild_step(straight, seed);
            wild_step(broken, seed);
            world_validate(straight);
            if (world_hash(straight) != world_hash(broken) || !same_events(straight, broken)) {
                fail_msg("world %d: tick %d: the restored world is another", (int)seed, tick);
            }
            if (rng_below(&r, 8) == 0) {
                size_t size;
                physics_world *next = restored(broken, &size);
                world_want_events(next, UINT32_MAX);
                world_free(broken);
                broken = next;
            }
        }
        world_free(straight);
        world_free(broken);
    }
}

// A light box that bears a heavy one, and a third beside it that is joined to the floor: while the
// first box counts as heavier, its contact with the third one is uneven too.
typedef struct load {
    body_id bodies[3];
} load;

static body_id put_box(physics_world *world, double x, double y, float density)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    shape_def box = shape_def_default();
    box.density = (double)density;
    box.geometry.kind = SHAPE_POLYGON;
    error err;
    body_id id = 0;
    assert_int_equal(polygon_make_box((vec2){1.0f, 1.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f,
                                      &box.geometry.polygon, &err),
                     STATUS_OK);
    assert_int_equal(body_spawn(world, &def, &box, 1, &id, NULL, &err), STATUS_OK);
    return id;
}

static body_id put_floor(physics_world *world)
{
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    shape_def line = shape_def_default();
    line.geometry.kind = SHAPE_SEGMENT;
    line.geometry.segment.a = (vec2){-100.0f, 0.0f};
    line.geometry.segment.b = (vec2){100.0f, 0.0f};
    body_id id = 0;
    assert_int_equal(body_spawn(world, &def, &line, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

static void put_load(physics_world *world, body_id floor, double x, uint32_t which, load *l)
{
    static const float DENSITIES[] = {1.0f, 1.0e6f, 1.0f};
    const double places[][2] = {{x, 0.5}, {x, 1.5}, {x + 1.0, 0.5}};
    if (l->bodies[which] != 0) {
        assert_int_equal(body_remove(world, l->bodies[which], NULL), STATUS_OK);
    }
    l->bodies[which] = put_box(world, places[which][0], places[which][1], DENSITIES[which]);
    if (which == 2) {
        joint_def def = joint_def_default(JOINT_REVOLUTE);
        def.a = floor;
        def.b = l->bodies[which];
        def.fields |= JOINT_FIELD_ANCHOR;
        def.anchor = (vec2d){x + 1.5, 0.5};
        joint_id id;
        error err = {0};
        if (joint_create(world, &def, &id, &err) != STATUS_OK) {
            fail_msg("%s", err.text);
        }
    }
}

static void restored_heavy_loads_go_on_as_before(void **state)
{
    (void)state;
    enum { LOADS = 20, TICKS = 120 };
    rng r = rng_start("restored heavy loads", 1);
    for (int64_t round = 0; round < rounds(4); round++) {
        const world_def def = world_def_default();
        physics_world *worlds[2] = {NULL, NULL}; // the second is restored now and then
        load loads[2][LOADS] = {0};
        body_id floors[2];
        for (int w = 0; w < 2; w++) {
            assert_int_equal(world_create(&def, &worlds[w], NULL), STATUS_OK);
            floors[w] = put_floor(worlds[w]);
        }
        for (int tick = 0; tick < TICKS; tick++) {
            for (int i = tick == 0 ? 0 : LOADS - 1; i < LOADS; i++) {
                const int at = tick == 0 ? i : rng_below(&r, LOADS);
                const uint32_t some =
                    tick == 0 ? 7u : 1u + (uint32_t)rng_below(&r, 7); // bits of its bodies
                for (uint32_t which = 0; which < 3; which++) {
                    for (int w = 0; w < 2 && (some >> which & 1) != 0; w++) {
                        put_load(worlds[w], floors[w], 4.0 * at - 2.0 * LOADS, which,
                                 &loads[w][at]);
                    }
                }
            }
            world_step(worlds[0]);
            world_step(worlds[1]);
            if (world_hash(worlds[0]) != world_hash(worlds[1])) {
                fail_msg("round %d, tick %d: the restored world is another", (int)round, tick);
            }
            if (rng_below(&r, 6) == 0) {
                size_t size;
                physics_world *next = restored(worlds[1], &size);
                world_free(worlds[1]);
                worlds[1] = next;
            }
        }
        world_free(worlds[0]);
        world_free(worlds[1]);
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
        cmocka_unit_test(restored_wild_worlds_go_on_as_before),
        cmocka_unit_test(restored_one_way_worlds_go_on_as_before),
        cmocka_unit_test(restored_heavy_loads_go_on_as_before),
        cmocka_unit_test(image_of_large_pyramid_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
