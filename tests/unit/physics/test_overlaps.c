// Counts of pairs before they are made, compared with those that the next step finds.
#include "common/physics/overlaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const uint64_t MANY = 1000000;

static physics_world *open_world(void)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0, 0};
    physics_world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    return world;
}

static shape_def disc(double radius)
{
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_CIRCLE;
    s.geometry.circle.radius = (float)radius;
    return s;
}

static body_def body_at_place(body_type type, double x, double y)
{
    body_def def = body_def_default();
    def.type = type;
    def.position = (vec2d){x, y};
    return def;
}

static body_id spawn(physics_world *world, body_type type, double x, double y, double radius)
{
    body_def def = body_at_place(type, x, y);
    shape_def shape = disc(radius);
    body_id id = 0;
    assert_int_equal(body_spawn(world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

// Counts the pairs of random circles, all at once, then makes the circles; the world's own count
// must agree before and after its step.
static void count_is_what_the_step_finds(void **state)
{
    (void)state;
    srand(3);
    for (int round = 0; round < 20; round++) {
        physics_world *world = open_world();
        uint64_t counted = 0;
        for (int batch = 0; batch < 3; batch++) {
            enum { COUNT = 120 };
            overlap_count *count = overlap_count_begin(world, MANY);
            body_def defs[COUNT];
            shape_def shapes[COUNT];
            for (int i = 0; i < COUNT; i++) {
                defs[i] = body_at_place(rand() % 4 == 0 ? BODY_STATIC : BODY_DYNAMIC,
                                        rand() % 1000 * 0.05, rand() % 1000 * 0.05);
                shapes[i] = disc(0.2 + rand() % 100 * 0.02);
                overlap_count_spawn(count, &defs[i], &shapes[i], 1);
            }
            counted += overlap_count_end(count);
            for (int i = 0; i < COUNT; i++) {
                body_id id;
                assert_int_equal(body_spawn(world, &defs[i], &shapes[i], 1, &id, NULL, NULL),
                                 STATUS_OK);
            }
        }
        assert_true(counted > 300);
        assert_int_equal(world_count_overlaps(world, MANY), counted);
        world_step(world);
        assert_true(world_pair_count(world) >= counted * 9 / 10); // pairs that stay in touch
        world_free(world);
    }
}

static void count_stops_at_its_most(void **state)
{
    (void)state;
    physics_world *world = open_world();
    shape_def shape = disc(1);
    body_def def = body_at_place(BODY_DYNAMIC, 0, 0);
    overlap_count *count = overlap_count_begin(world, 1000);
    for (int i = 0; i < 100; i++) {
        overlap_count_spawn(count, &def, &shape, 1);
    }
    assert_int_equal(overlap_count_end(count), 1000); // the maximum, of 4950 pairs
    for (int i = 0; i < 100; i++) {
        spawn(world, BODY_DYNAMIC, 0, 0, 1);
    }
    assert_int_equal(world_count_overlaps(world, MANY), 4950);
    assert_int_equal(world_count_overlaps(world, 77), 77);
    world_free(world);
}

static void moved_body_counts_the_new_place_alone(void **state)
{
    (void)state;
    physics_world *world = open_world();
    for (int i = 0; i < 10; i++) {
        spawn(world, BODY_DYNAMIC, 100, 0, 1);
    }
    body_id lone = spawn(world, BODY_DYNAMIC, 0, 0, 1);
    body_id crowded = spawn(world, BODY_DYNAMIC, 100, 0, 1);
    body_def there = body_at_place(BODY_DYNAMIC, 100, 0.5);
    body_def away = body_at_place(BODY_DYNAMIC, -100, 0);
    overlap_count *count = overlap_count_begin(world, MANY);
    // the body is moved no farther than it was
    overlap_count_set(count, crowded, BODY_FIELD_POSITION, &there);
    overlap_count_set(count, crowded, BODY_FIELD_POSITION, &away);
    overlap_count_set(count, lone, BODY_FIELD_VELOCITY, &there);
    assert_int_equal(overlap_count_end(count), 0);
    count = overlap_count_begin(world, MANY);
    overlap_count_set(count, lone, BODY_FIELD_POSITION, &there);
    // there are 11 shapes; the body's own box does not count
    assert_int_equal(overlap_count_end(count), 10);
    world_free(world);
}

static void groups_and_what_stands_still_make_no_pairs(void **state)
{
    (void)state;
    physics_world *world = open_world();
    body_def fixed = body_at_place(BODY_STATIC, 0, 0);
    body_def moving = body_at_place(BODY_DYNAMIC, 0, 0);
    shape_def grouped = disc(1);
    grouped.filter.group = -3;
    overlap_count *count = overlap_count_begin(world, MANY);
    for (int i = 0; i < 50; i++) {
        overlap_count_spawn(count, &moving, &grouped, 1);
    }
    shape_def plain = disc(1);
    plain.filter.mask = 0; // the broad phase ignores a shape without a mask
    fixed.position.x = moving.position.x = 50;
    for (int i = 0; i < 50; i++) {
        overlap_count_spawn(count, &fixed, &plain, 1);
    }
    overlap_count_spawn(count, &moving, &plain, 1);
    assert_int_equal(overlap_count_end(count), 50);
    world_free(world);
}

static void chain_counts_by_its_pieces(void **state)
{
    (void)state;
    physics_world *world = open_world();
    for (int i = 0; i < 8; i++) {
        spawn(world, BODY_DYNAMIC, 10 * i + 5, 0, 1);
    }
    vec2 points[9];
    for (int i = 0; i < 9; i++) {
        points[i] = (vec2){10.0f * (float)i, 0.0f};
    }
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = points;
    chain.point_count = 9;
    body_def ground = body_at_place(BODY_STATIC, 0, 0);
    overlap_count *count = overlap_count_begin(world, MANY);
    overlap_count_spawn(count, &ground, &chain, 1);
    assert_int_equal(overlap_count_end(count), 8);
    body_id held = spawn(world, BODY_STATIC, 0, 0, 0.1);
    count = overlap_count_begin(world, MANY);
    overlap_count_shape(count, held, &chain);
    overlap_count_shape(count, held + 1000, &chain); // there is no such body
    assert_int_equal(overlap_count_end(count), 8);
    world_free(world);
}

// Shapes in one place that are static or of one negative group: they make no pairs, but comparing
// each with each other one would take seconds.
static uint64_t count_pile(uint32_t shapes, body_type type, int32_t group)
{
    physics_world *world = open_world();
    overlap_count *count = overlap_count_begin(world, MANY);
    const body_def def = body_at_place(type, 0, 0);
    shape_def shape = disc(0.5);
    shape.filter.group = group;
    for (uint32_t i = 0; i < shapes; i++) {
        overlap_count_spawn(count, &def, &shape, 1);
    }
    const uint64_t found = overlap_count_end(count);
    world_free(world);
    return found;
}

static void count_ends_where_it_looks_at_too_many_that_make_no_pairs(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        const body_type type = fixed == 1 ? BODY_STATIC : BODY_DYNAMIC;
        const int32_t group = fixed == 1 ? 0 : -1;
        assert_int_equal(count_pile(2800, type, group), 0); // 2800 * 2799 / 2 looks
        assert_int_equal(count_pile(3000, type, group), MANY);
    }
    _Static_assert(2800 * 2799 / 2 < OVERLAP_LOOKS_MAX && 3000 * 2999 / 2 > OVERLAP_LOOKS_MAX, "");
}

static bool every(void *context, body_id body)
{
    (void)context;
    return body != 0;
}

static void count_of_a_world_ends_there_too(void **state)
{
    (void)state;
    physics_world *world = open_world();
    const body_def def = body_at_place(BODY_DYNAMIC, 0, 0);
    shape_def shape = disc(0.5);
    shape.filter.group = -1;
    for (int i = 0; i < 2300; i++) { // each shape is compared with each other one
        body_id id = 0;
        assert_int_equal(body_spawn(world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    }
    // other owners may continue
    assert_int_equal(world_count_overlaps(world, MANY), 0);
    assert_int_equal(world_count_overlaps_of(world, every, NULL, MANY), MANY); // this owner may not
    overlap_count *count = overlap_count_begin(world, MANY);
    for (int i = 0; i < 1500; i++) {
        overlap_count_spawn(count, &def, &shape, 1);
    }
    assert_int_equal(overlap_count_end(count), MANY);
    world_free(world);
}

// ---- paths of fast bodies

static body_id shoot(physics_world *world, bool bullet, double x, double y, double speed)
{
    body_def def = body_at_place(BODY_DYNAMIC, x, y);
    const shape_def shape = disc(0.1);
    body_id id = 0;
    def.bullet = bullet;
    def.velocity = (vec2d){speed, 0};
    assert_int_equal(body_spawn(world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

static void slow_bodies_are_not_swept(void **state)
{
    (void)state;
    physics_world *world = open_world();
    for (int i = 0; i < 100; i++) {
        shoot(world, true, i % 10, i / 10, 1.0);
    }
    assert_int_equal(world_count_sweeps(world, MANY), 0);
    world_free(world);
}

// A bullet counts itself and all that is near its path; another body only what stands there.
static void fast_bodies_count_what_is_near_their_paths(void **state)
{
    (void)state;
    physics_world *world = open_world();
    for (int i = 0; i < 10; i++) {
        spawn(world, BODY_STATIC, 1 + i, 0, 0.2);
        spawn(world, BODY_DYNAMIC, 1 + i, 0.3, 0.2);
        spawn(world, BODY_STATIC, 1 + i, 50, 0.2);
    }
    shoot(world, false, 0, 0, 900); // 15 m in a step
    assert_int_equal(world_count_sweeps(world, MANY), 11);
    shoot(world, true, 0, 0.1, 900);
    const uint64_t both = world_count_sweeps(world, MANY);
    assert_in_range(both, 11 + 21, 11 + 24); // the two find each other and themselves
    assert_int_equal(world_count_sweeps(world, 5), 5);
    world_free(world);
}

static void weight_and_force_make_bodies_fast(void **state)
{
    (void)state;
    physics_world *world = open_world();
    const body_id body = shoot(world, true, 0, 0, 0);
    shoot(world, true, 1, 0, 0);
    world_step(world);
    assert_int_equal(world_count_sweeps(world, MANY), 0);
    assert_int_equal(body_set_force(world, body, (vec2d){1e6, 0}, NULL, NULL), STATUS_OK);
    assert_true(world_count_sweeps(world, MANY) >= 2);
    world_free(world);
}

static void fast_kinematic_bodies_count_those_in_their_way(void **state)
{
    (void)state;
    physics_world *world = open_world();
    for (int i = 0; i < 10; i++) {
        spawn(world, BODY_DYNAMIC, 1 + i, 0, 0.2);
        spawn(world, BODY_STATIC, 1 + i, 1, 0.2);
    }
    body_def def = body_at_place(BODY_KINEMATIC, 0, 0);
    const shape_def shape = disc(0.1);
    body_id id = 0;
    def.velocity = (vec2d){900, 0};
    assert_int_equal(body_spawn(world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    assert_int_equal(world_count_sweeps(world, MANY), 11);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(count_is_what_the_step_finds),
        cmocka_unit_test(count_stops_at_its_most),
        cmocka_unit_test(moved_body_counts_the_new_place_alone),
        cmocka_unit_test(groups_and_what_stands_still_make_no_pairs),
        cmocka_unit_test(chain_counts_by_its_pieces),
        cmocka_unit_test(count_ends_where_it_looks_at_too_many_that_make_no_pairs),
        cmocka_unit_test(count_of_a_world_ends_there_too),
        cmocka_unit_test(slow_bodies_are_not_swept),
        cmocka_unit_test(fast_bodies_count_what_is_near_their_paths),
        cmocka_unit_test(weight_and_force_make_bodies_fast),
        cmocka_unit_test(fast_kinematic_bodies_count_those_in_their_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
