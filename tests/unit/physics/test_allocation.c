// A step allocates nothing once its arrays have grown: a replaced allocator counts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/block.h"
#include "common/physics/joint.h"
#include "common/physics/physics.h"
#include "tests/golden/scenes.h"

// The linker sends the engine's calls here (--wrap).
static unsigned allocations;
static size_t malloced; // bytes allocated and not yet freed

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static void *hold(void *memory)
{
    allocations++;
    malloced += malloc_usable_size(memory);
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return hold(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return hold(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    malloced -= malloc_usable_size(memory);
    return hold(__real_realloc(memory, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return hold(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
    malloced -= malloc_usable_size(memory);
    __real_free(memory);
}

// All memory in use: malloc does not know large arrays.
static size_t held(void)
{
    return malloced + block_mapped_bytes();
}

// After `warm` steps, the number of the next `steps` steps that allocate.
static int steps_that_allocate(const char *name, int scale, int warm, int steps)
{
    const scene_kind *kind = scene_find(name);
    const vec2d origin = {0.0, 0.0};
    assert_non_null(kind);
    physics_world *world = scene_create(kind, scale, origin);
    for (int i = 0; i < warm; i++) {
        world_step(world);
    }
    int allocating = 0;
    for (int i = 0; i < steps; i++) {
        unsigned before = allocations;
        size_t mapped = block_mapped_bytes();
        world_step(world);
        allocating += allocations != before || block_mapped_bytes() != mapped;
    }
    world_free(world);
    return allocating;
}

static void counting_sees_what_a_world_takes(void **state)
{
    (void)state;
    unsigned before = allocations;
    world_free(scene_create(scene_find("heap"), 10, (vec2d){0.0, 0.0}));
    assert_true(allocations > before + 5);
}

static void standing_pyramid_allocates_nothing(void **state)
{
    (void)state;
    assert_int_equal(steps_that_allocate("pyramid", 30, 20, 300), 0);
}

// A step allocates when sleep is first examined, and when each of the two islands falls asleep.
static void heap_that_falls_asleep_allocates_only_when_it_first_does(void **state)
{
    (void)state;
    assert_in_range(steps_that_allocate("heap", 16, 400, 600), 0, 3);
}

// A heap that keeps turning over reaches new maxima, but ever more rarely.
static void turning_drum_hardly_ever_allocates(void **state)
{
    (void)state;
    assert_in_range(steps_that_allocate("drum", 20, 500, 500), 0, 3);
}

static void grid_of_joints_allocates_nothing(void **state)
{
    (void)state;
    assert_int_equal(steps_that_allocate("joints", 20, 60, 300), 0);
}

// Memory for creation events, lanes and lists is freed; equal shapes share theirs.
static void sleeping_world_gives_back_what_only_moving_needs(void **state)
{
    (void)state;
    const scene_kind *kind = scene_find("asleep");
    assert_non_null(kind);
    size_t before = held();
    physics_world *world = scene_create(kind, 50, (vec2d){0.0, 0.0});
    size_t most = 0;
    for (int i = 0; i < 300; i++) {
        world_step(world);
        most = held() - before > most ? held() - before : most;
    }
    world_counts counts = world_count(world);
    assert_int_equal(counts.awake, 0);
    assert_in_range(counts.bodies, 2500, 2600);
    size_t bytes = (held() - before) / counts.bodies;
    assert_in_range(bytes, 300, 720); // the spare capacity of lists not counted: the world is small
    assert_true(most / counts.bodies > bytes + 150);
    world_free(world);
    assert_int_equal(held(), before);
}

// Bytes of memory for each body after some steps, with the spare capacity of lists in so small a
// world.
static size_t bytes_a_body(const char *name, int scale, int steps)
{
    const scene_kind *kind = scene_find(name);
    assert_non_null(kind);
    size_t before = held();
    physics_world *world = scene_create(kind, scale, (vec2d){0.0, 0.0});
    for (int i = 0; i < steps; i++) {
        world_step(world);
    }
    size_t bytes = (held() - before) / world_count(world).bodies;
    world_free(world);
    assert_int_equal(held(), before);
    return bytes;
}

static void free_body_takes_few_bytes(void **state)
{
    (void)state;
    assert_in_range(bytes_a_body("free", 60, 200), 200, 350);
}

static void body_with_a_contact_takes_less_than_600_bytes(void **state)
{
    (void)state;
    assert_in_range(bytes_a_body("rest", 60, 200), 400, 570);
    assert_in_range(bytes_a_body("asleep", 60, 400), 300, 460);
}

// A pyramid has three contacts a body.
static void contact_takes_less_than_300_bytes(void **state)
{
    (void)state;
    size_t pyramid = bytes_a_body("pyramid", 60, 200);
    size_t free_one = bytes_a_body("free", 43, 200);
    assert_in_range(pyramid, 900, 1180);
    assert_in_range((pyramid - free_one) / 3, 200, 300);
}

// Soon after a world's creation events and first pairs are reported, their memory is freed.
static void world_is_small_soon_after_it_is_filled(void **state)
{
    (void)state;
    size_t soon = bytes_a_body("rest", 60, 70);
    size_t later = bytes_a_body("rest", 60, 300);
    assert_true(soon <= later + 10);
}

// In the grid there are two hinges for each body: 128 bytes each, and as many in lanes.
static void joint_takes_less_than_300_bytes(void **state)
{
    (void)state;
    size_t joined = bytes_a_body("joints", 50, 200);
    size_t free_one = bytes_a_body("free", 50, 200);
    assert_in_range(joined, 500, 900);
    assert_in_range((joined - free_one) / 2, 200, 300);
}

static void set_upper_of_all(physics_world *world, double upper)
{
    joint_def def = joint_def_default(JOINT_REVOLUTE);
    def.upper = upper;
    for (joint_id id = world_next_joint(world, 0); id != 0; id = world_next_joint(world, id)) {
        error err;
        assert_int_equal(joint_set(world, id, JOINT_FIELD_UPPER, &def, &err), STATUS_OK);
    }
}

// Unusual settings cost a joint 160 bytes, until they are the usual ones of its kind again.
static void joint_takes_more_memory_only_for_unusual_settings(void **state)
{
    (void)state;
    physics_world *world = scene_create(scene_find("joints"), 50, (vec2d){0.0, 0.0});
    size_t usual = held();
    set_upper_of_all(world, 1.0);
    size_t most = held();
    assert_in_range((most - usual) / world_count(world).joints, 150, 250);
    set_upper_of_all(world, (double)INFINITY);
    set_upper_of_all(world, 1.0);
    assert_int_equal(held(), most); // removed joints' memory is used again
    world_free(world);
}

// Makes `pairs` pairs of joined balls in empty space.
static physics_world *world_of_pairs(int pairs)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, 0.0};
    physics_world *world;
    error err;
    assert_int_equal(world_create(&def, &world, &err), STATUS_OK);
    const shape_def ball = scene_circle(0.4);
    joint_def hinge = joint_def_default(JOINT_REVOLUTE);
    hinge.fields = JOINT_FIELD_ANCHOR_B;
    for (int i = 0; i < pairs; i++) {
        vec2d at = {3.0 * (i % 64), 3.0 * (i / 64)};
        hinge.a = scene_put_at(world, BODY_DYNAMIC, at, 0.0, 0.0, &ball);
        hinge.b = scene_put_at(world, BODY_DYNAMIC, at, 1.0, 0.0, &ball);
        joint_id id;
        assert_int_equal(joint_create(world, &hinge, &id, &err), STATUS_OK);
    }
    return world;
}

// Sleeping joints have only their records.
static void sleeping_joints_have_no_lanes(void **state)
{
    (void)state;
    enum { PAIRS = 4096 };
    physics_world *world = world_of_pairs(PAIRS);
    for (int i = 0; i < 20; i++) {
        world_step(world);
    }
    assert_int_equal(world_count(world).awake, 2 * PAIRS);
    size_t awake = held();
    for (int i = 0; i < 200; i++) {
        world_step(world);
    }
    assert_int_equal(world_count(world).awake, 0);
    // about 230 of these bytes are lists of awake objects, and indexes into them
    assert_in_range((awake - held()) / PAIRS, 300, 500);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_sees_what_a_world_takes),
        cmocka_unit_test(standing_pyramid_allocates_nothing),
        cmocka_unit_test(heap_that_falls_asleep_allocates_only_when_it_first_does),
        cmocka_unit_test(turning_drum_hardly_ever_allocates),
        cmocka_unit_test(grid_of_joints_allocates_nothing),
        cmocka_unit_test(joint_takes_less_than_300_bytes),
        cmocka_unit_test(joint_takes_more_memory_only_for_unusual_settings),
        cmocka_unit_test(sleeping_joints_have_no_lanes),
        cmocka_unit_test(sleeping_world_gives_back_what_only_moving_needs),
        cmocka_unit_test(free_body_takes_few_bytes),
        cmocka_unit_test(body_with_a_contact_takes_less_than_600_bytes),
        cmocka_unit_test(contact_takes_less_than_300_bytes),
        cmocka_unit_test(world_is_small_soon_after_it_is_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
