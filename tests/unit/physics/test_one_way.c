// One-way shapes: bodies land on the open side and pass through from all others, as if the shape
// were not there; at any speed, on moving platforms, over the seams of tiles, and in restored
// worlds.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/physics/data.h"
#include "common/physics/image.h"
#include "common/physics/rules.h"

static const vec2 UP = {0.0f, 1.0f};

static shape_def make_segment(double half_width)
{
    shape_def def = shape_def_default();
    def.geometry = (shape_geometry){
        .kind = SHAPE_SEGMENT,
        .segment = {{(float)-half_width, 0.0f}, {(float)half_width, 0.0f}},
    };
    return def;
}

static shape_def make_capsule(void)
{
    shape_def def = shape_def_default();
    def.geometry = (shape_geometry){
        .kind = SHAPE_CAPSULE,
        .capsule = {{0.0f, -0.25f}, {0.0f, 0.25f}, 0.25f},
    };
    return def;
}

// Bodies of a height of 1 m.
static shape_def rider(int i)
{
    return i == 0 ? make_circle(0.5) : i == 1 ? make_box(0.6, 1.0) : make_capsule();
}

static const double HALF_HEIGHT = 0.5; // half of each rider's height

// Platforms whose top is at y = 0: a line and a slab.
static shape_def platform(int i)
{
    shape_def def = i == 0 ? make_segment(20.0) : make_box_at(40.0, 0.3, (vec2){0.0f, -0.15f}, 0.0);
    def.one_way = UP;
    return def;
}

static body_id put_platform(physics_world *world, body_type type, const shape_def *shape)
{
    body_def def = body_def_default();
    def.type = type;
    return put(world, &def, shape, 1);
}

static body_id put_moving(physics_world *world, double x, double y, vec2d velocity,
                          const shape_def *shape)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    def.velocity = velocity;
    def.fixed_rotation = true;
    return put(world, &def, shape, 1);
}

static void set_shape(physics_world *world, body_id body, uint32_t fields, const shape_def *values)
{
    error err = {0};
    if (shape_set(world, body_next_shape(world, body, 0), fields, values, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static void assert_same_motion(const physics_world *a, body_id in_a, const physics_world *b,
                               body_id in_b)
{
    const body_info x = look(a, in_a);
    const body_info y = look(b, in_b);
    assert_memory_equal(&x.position, &y.position, sizeof x.position);
    assert_memory_equal(&x.velocity, &y.velocity, sizeof x.velocity);
    assert_memory_equal(&x.rotation, &y.rotation, sizeof x.rotation);
}

// ---- bodies from above

// Where a body that falls onto the platform is after four seconds.
static double height_of_fall(const shape_def *floor, body_type type, int i, double speed)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    const shape_def shape = rider(i);
    put_platform(world, type, floor);
    const body_id id = put_moving(world, 0.3, 4.0, (vec2d){0.0, -speed}, &shape);
    run(world, 240);
    const double height = look(world, id).position.y;
    world_free(world);
    return height;
}

static void body_from_above_lands_at_any_speed(void **state)
{
    (void)state;
    const double speeds[] = {0.0, 1.0, 3.0, 8.0, 20.0, 29.0, 60.0, 200.0, 3000.0};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
        for (int i = 0; i < 6; i++) {
            shape_def floor = platform(i % 2);
            const double still = height_of_fall(&floor, BODY_STATIC, i / 2, speeds[k]);
            assert_near(still, HALF_HEIGHT, 0.02);
            const double moving = height_of_fall(&floor, BODY_KINEMATIC, i / 2, speeds[k]);
            floor.one_way = (vec2){0.0f, 0.0f};
            assert_near(moving, height_of_fall(&floor, BODY_KINEMATIC, i / 2, speeds[k]), 0.02);
        }
    }
}

static void stack_rests_on_a_one_way_platform(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        physics_world *world = make_world((vec2d){0.0, -10.0});
        const shape_def floor = platform(p);
        put_platform(world, BODY_STATIC, &floor);
        shape_def box = make_box(1.0, 1.0);
        body_id ids[6];
        for (int i = 0; i < 6; i++) {
            box.density = i == 5 ? 20.0 : 1.0; // a heavy one on top presses the lowest in
            ids[i] = put_at(world, 0.0, 0.55 + 1.05 * i, &box);
        }
        run(world, 900);
        for (int i = 0; i < 6; i++) {
            assert_near(look(world, ids[i]).position.y, 0.5 + i, 0.06);
        }
        assert_int_equal(world_awake(world), 0);
        world_free(world);
    }
}

// ---- bodies from other sides move as if the platform did not exist

static void assert_passes(int p, int i, vec2d from, vec2d velocity, double restitution, bool bullet)
{
    physics_world *worlds[2];
    body_id ids[2];
    shape_def floor = platform(p);
    shape_def shape = rider(i);
    shape.restitution = restitution;
    for (int w = 0; w < 2; w++) {
        worlds[w] = make_world((vec2d){0.0, 0.0});
        // the other world's platform is out of reach
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        def.position = (vec2d){0.0, w == 0 ? 0.0 : -5000.0};
        put(worlds[w], &def, &floor, 1);
        def = body_def_default();
        def.position = from;
        def.velocity = velocity;
        def.bullet = bullet;
        ids[w] = put(worlds[w], &def, &shape, 1);
    }
    for (int t = 0; t < 240; t++) {
        world_step(worlds[0]);
        world_step(worlds[1]);
        assert_same_motion(worlds[0], ids[0], worlds[1], ids[1]);
        assert_int_equal(count_events(worlds[0], EVENT_BEGIN, NULL), 0);
    }
    world_free(worlds[0]);
    world_free(worlds[1]);
}

static void body_from_below_passes_untouched(void **state)
{
    (void)state;
    // at 66 to 84 m/s a step takes it from below the platform to its upper half
    const double speeds[] = {0.3, 1.0, 3.0, 8.0, 20.0, 29.0, 60.0, 66.0, 72.0, 84.0, 200.0, 3000.0};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
        for (int i = 0; i < 3; i++) {
            for (int p = 0; p < 2; p++) {
                assert_passes(p, i, (vec2d){0.3, -1.0}, (vec2d){0.1, speeds[k]}, 0.0, false);
                assert_passes(p, i, (vec2d){0.3, -1.0}, (vec2d){0.1, speeds[k]}, 0.8, false);
                assert_passes(p, i, (vec2d){0.3, -1.0}, (vec2d){0.1, speeds[k]}, 0.0, true);
            }
        }
    }
}

static void body_from_the_side_passes_untouched(void **state)
{
    (void)state;
    const double speeds[] = {0.3, 3.0, 20.0, 60.0, 200.0};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
        for (int i = 0; i < 3; i++) {
            assert_passes(1, i, (vec2d){-21.0, -0.1}, (vec2d){speeds[k], 0.0}, 0.0, false);
            assert_passes(1, i, (vec2d){-21.0, -0.1}, (vec2d){speeds[k], 0.0}, 0.8, false);
        }
    }
}

static void jump_that_does_not_get_above_falls_back_through(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int p = 0; p < 2; p++) {
            physics_world *world = make_world((vec2d){0.0, -10.0});
            const shape_def floor = platform(p);
            const shape_def shape = rider(i);
            put_platform(world, BODY_STATIC, &floor);
            // v² / 2g: its lowest point rises to y = -0.1, then to y = 0.2
            const body_id low =
                put_moving(world, -3.0, -3.0, (vec2d){0.0, sqrt(20.0 * 3.4)}, &shape);
            const body_id high =
                put_moving(world, 3.0, -3.0, (vec2d){0.0, sqrt(20.0 * 3.7)}, &shape);
            run(world, 180);
            assert_true(look(world, low).position.y < -5.0);
            assert_near(look(world, high).position.y, HALF_HEIGHT, 0.02);
            world_free(world);
        }
    }
}

static void slow_lift_carries_a_body_through_and_sets_it_down(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        physics_world *world = make_world((vec2d){0.0, -10.0});
        const shape_def floor = platform(p);
        put_platform(world, BODY_STATIC, &floor);
        const shape_def plate = make_box(1.0, 0.2);
        body_def def = body_def_default();
        def.type = BODY_KINEMATIC;
        def.position = (vec2d){0.0, -2.1};
        def.velocity = (vec2d){0.0, 0.3};
        const body_id lift = put(world, &def, &plate, 1);
        const shape_def box = make_box(0.5, 0.5);
        const body_id id = put_at(world, 0.0, -1.75, &box);
        run(world, 480); // up to y = 0.3
        assert_near(look(world, id).position.y, 0.3 + 0.35, 0.02);
        set_velocity(world, lift, 0.0, -0.3);
        run(world, 480);
        assert_near(look(world, id).position.y, 0.25, 0.02);
        world_free(world);
    }
}

// ---- platforms that move

static void rider_stays_on_a_moving_platform(void **state)
{
    (void)state;
    const vec2d ways[] = {{2.0, 0.0}, {0.0, 3.0}, {0.0, -3.0}, {-1.0, 2.0}, {0.0, 12.0}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        for (int i = 0; i < 3; i++) {
            for (int p = 0; p < 2; p++) {
                physics_world *world = make_world((vec2d){0.0, -10.0});
                const shape_def floor = platform(p);
                const body_id base = put_platform(world, BODY_KINEMATIC, &floor);
                const shape_def shape = rider(i);
                const body_id id = put_moving(world, 0.0, HALF_HEIGHT, (vec2d){0.0, 0.0}, &shape);
                run(world, 120);
                for (int turn = 0; turn < 4; turn++) {
                    const double sign = turn % 2 == 0 ? 1.0 : -1.0;
                    set_velocity(world, base, sign * ways[k].x, sign * ways[k].y);
                    run(world, 60);
                }
                set_velocity(world, base, 0.0, 0.0);
                run(world, 240);
                const vec2d at = look(world, base).position;
                assert_near(look(world, id).position.y - at.y, HALF_HEIGHT, 0.02);
                world_free(world);
            }
        }
    }
}

static void platform_that_rises_lifts_and_one_that_falls_passes(void **state)
{
    (void)state;
    const double speeds[] = {1.0, 4.0, 15.0, 100.0};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
        for (int p = 0; p < 2; p++) {
            physics_world *world = make_world((vec2d){0.0, 0.0});
            const shape_def floor = platform(p);
            const shape_def box = make_box(0.6, 1.0);
            body_def def = body_def_default();
            def.type = BODY_KINEMATIC;
            def.position = (vec2d){0.0, -0.6};
            def.velocity = (vec2d){0.0, speeds[k]};
            const body_id rising = put(world, &def, &floor, 1);
            def.position = (vec2d){100.0, 0.8};
            def.velocity = (vec2d){0.0, -speeds[k]};
            put(world, &def, &floor, 1);
            const body_id lifted = put_at(world, -3.0, 0.5, &box);
            const body_id passed = put_at(world, 103.0, -0.4, &box);
            for (int t = 0; t < 120; t++) {
                world_step(world);
                assert_near(look(world, passed).position.y, -0.4, 0.0);
            }
            assert_true(look(world, lifted).position.y >= look(world, rising).position.y + 0.45);
            world_free(world);
        }
    }
}

// ---- tiles, turned shapes

static void box_walks_over_the_seams_of_tiles(void **state)
{
    (void)state;
    const double speeds[] = {0.05, 0.3, 1.0, 5.0};
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
        for (int i = 0; i < 3; i++) {
            physics_world *world = make_world((vec2d){0.0, -10.0});
            body_def def = body_def_default();
            def.type = BODY_STATIC;
            for (int tile = 0; tile < 40; tile++) {
                shape_def slab = make_box_at(1.0, 0.3, (vec2){0.0f, -0.15f}, 0.0);
                slab.one_way = UP;
                slab.friction = 0.0;
                def.position = (vec2d){tile, 0.0};
                put(world, &def, &slab, 1);
            }
            const shape_def shape = rider(i);
            const body_id id = put_moving(world, 0.0, HALF_HEIGHT, (vec2d){0.0, 0.0}, &shape);
            run(world, 60);
            const int ticks = (int)(60.0 * fmin(20.0, 30.0 / speeds[k]));
            for (int t = 0; t < ticks; t++) {
                set_velocity(world, id, speeds[k], look(world, id).velocity.y);
                world_step(world);
                assert_near(look(world, id).position.y, HALF_HEIGHT, 0.03);
            }
            world_free(world);
        }
    }
}

static void direction_turns_with_the_body(void **state)
{
    (void)state;
    for (int quarter = 0; quarter < 4; quarter++) {
        for (int p = 0; p < 2; p++) {
            physics_world *world = make_world((vec2d){0.0, 0.0});
            const shape_def floor = platform(p);
            body_def def = body_def_default();
            def.type = BODY_STATIC;
            def.angle = 0.5 * PI_D * quarter;
            put(world, &def, &floor, 1);
            const shape_def ball = make_circle(0.3);
            const vec2d open[] = {{0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}, {1.0, 0.0}};
            const vec2d n = open[quarter];
            const body_id in = put_moving(world, 2.0 * n.x + 3.0 * n.y, 2.0 * n.y + 3.0 * n.x,
                                          (vec2d){-5.0 * n.x, -5.0 * n.y}, &ball);
            const body_id out = put_moving(world, -2.0 * n.x - 3.0 * n.y, -2.0 * n.y - 3.0 * n.x,
                                           (vec2d){5.0 * n.x, 5.0 * n.y}, &ball);
            run(world, 120);
            const vec2d a = look(world, in).position;
            const vec2d b = look(world, out).position;
            assert_near(a.x * n.x + a.y * n.y, 0.3, 0.02);
            assert_near(b.x * n.x + b.y * n.y, 8.0, 1e-3);
            world_free(world);
        }
    }
}

static void disc_rebounds_only_from_the_open_side(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def floor = platform(0);
    floor.restitution = 1.0;
    put_platform(world, BODY_STATIC, &floor);
    const shape_def ball = make_circle(0.5);
    const body_id down = put_moving(world, -3.0, 5.5, (vec2d){0.0, -10.0}, &ball);
    const body_id up = put_moving(world, 3.0, -5.5, (vec2d){0.0, 10.0}, &ball);
    run(world, 60); // 5 m to the line, and 5 m back or on
    assert_near(look(world, down).position.y, 5.5, 1e-3);
    assert_near(look(world, up).position.y, 4.5, 1e-3);
    world_free(world);
}

// ---- shape.set

static void direction_set_lets_what_stands_fall(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    const shape_def floor = platform(1);
    const body_id base = put_platform(world, BODY_STATIC, &floor);
    const shape_def box = make_box(1.0, 1.0);
    const body_id id = put_at(world, 0.0, 0.5, &box);
    run(world, 240);
    assert_int_equal(world_awake(world), 0);
    shape_def values = shape_def_default();
    values.one_way = UP;
    set_shape(world, base, SHAPE_FIELD_ONE_WAY, &values); // the same direction: it stays
    run(world, 60);
    assert_near(look(world, id).position.y, 0.5, 0.02);
    values.one_way = (vec2){0.0f, -2.0f};
    set_shape(world, base, SHAPE_FIELD_ONE_WAY, &values);
    run(world, 60);
    assert_true(look(world, id).position.y < -3.0);
    world_free(world);
}

static void player_drops_through_by_its_filter(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def floor = platform(1);
    floor.filter.category = 2;
    put_platform(world, BODY_STATIC, &floor);
    const shape_def shape = rider(2);
    const body_id id = put_at(world, 0.0, 0.5, &shape);
    const body_id other = put_at(world, 3.0, 0.5, &shape);
    run(world, 120);
    shape_def values = shape_def_default();
    values.filter.mask = ~UINT64_C(2);
    set_shape(world, id, SHAPE_FIELD_FILTER, &values);
    run(world, 6); // it sinks by 5 cm
    set_shape(world, id, SHAPE_FIELD_FILTER, &(shape_def){.filter = shape_def_default().filter});
    run(world, 60);
    assert_true(look(world, id).position.y < -3.0);
    assert_near(look(world, other).position.y, 0.5, 0.02);
    world_free(world);
}

static void direction_taken_away_makes_it_solid(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    const shape_def floor = platform(1);
    const body_id base = put_platform(world, BODY_STATIC, &floor);
    shape_def values = shape_def_default();
    set_shape(world, base, SHAPE_FIELD_ONE_WAY, &values);
    const shape_def ball = make_circle(0.5);
    const body_id id = put_moving(world, 0.0, -3.0, (vec2d){0.0, 5.0}, &ball);
    run(world, 120);
    assert_near(look(world, id).position.y, -0.8, 0.02);
    world_free(world);
}

// ---- images, hashes, refusals

// Bodies below, within and on a platform.
static physics_world *crowd(void)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    const shape_def floor = platform(1);
    put_platform(world, BODY_KINEMATIC, &floor);
    for (int i = 0; i < 30; i++) {
        const shape_def shape = rider(i % 3);
        put_moving(world, -15.0 + i, -2.0 + 0.2 * (i % 12), (vec2d){0.5, 0.5 * (i % 16)}, &shape);
    }
    return world;
}

static uint8_t version_of(const physics_world *world, bool sealed)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    (sealed ? world_save_sealed : world_save)(world, &bytes, &size);
    const uint8_t version = bytes[8];
    free(bytes);
    return version;
}

static void restored_world_goes_on_alike(void **state)
{
    (void)state;
    physics_world *world = crowd();
    for (int t = 0; t < 90; t++) {
        world_step(world);
        physics_world *again = restored(world);
        assert_true(world_hash(again) == world_hash(world));
        physics_world *copy = make_world((vec2d){0.0, 0.0});
        world_copy(copy, world);
        physics_world *control = restored(world);
        run(again, 20);
        run(copy, 20);
        run(control, 5);
        physics_world *twice = restored(control);
        run(twice, 15);
        assert_true(world_hash(again) == world_hash(copy));
        assert_true(world_hash(again) == world_hash(twice));
        world_free(again);
        world_free(copy);
        world_free(control);
        world_free(twice);
    }
    assert_int_equal(version_of(world, false), PHYSICS_IMAGE_VERSION_ONE_WAY);
    assert_int_equal(version_of(world, true), PHYSICS_IMAGE_VERSION_ONE_WAY_SEALED);
    world_free(world);
}

static void world_without_one_way_shapes_has_its_old_image(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def floor = platform(0);
    floor.one_way = (vec2){0.0f, -0.0f};
    const body_id base = put_platform(world, BODY_STATIC, &floor);
    assert_int_equal(version_of(world, false), PHYSICS_IMAGE_VERSION);
    const uint64_t hash = world_hash(world);
    floor.one_way = UP;
    set_shape(world, base, SHAPE_FIELD_ONE_WAY, &floor);
    assert_int_equal(version_of(world, false), PHYSICS_IMAGE_VERSION_ONE_WAY);
    assert_true(world_hash(world) != hash);
    shape_info info;
    assert_int_equal(shape_get(world, body_next_shape(world, base, 0), &info, NULL), STATUS_OK);
    assert_true(info.def.one_way.x == 0.0f && info.def.one_way.y == 1.0f);
    world_free(world);
}

static void image_of_one_way_shapes_keeps_rules_and_data(void **state)
{
    (void)state;
    const uint8_t rules[3] = {1, 2, 3};
    physics_world *world = crowd();
    run(world, 10);
    assert_int_equal(world_set_rules(world, rules, sizeof rules, NULL), STATUS_OK);
    physics_world *again = restored(world);
    size_t size = 0;
    assert_memory_equal(world_rules(again, &size), rules, sizeof rules);
    assert_int_equal(size, sizeof rules);
    uint64_t number = 0;
    assert_int_equal(world_data_set(world, "key", rules, 1, &number, NULL), STATUS_OK);
    world_free(again);
    again = restored(world);
    assert_true(world_hash(again) == world_hash(world));
    assert_int_equal(world_set_rules(world, NULL, 0, NULL), STATUS_OK);
    world_free(again);
    again = restored(world);
    assert_true(world_hash(again) == world_hash(world));
    world_free(again);
    world_free(world);
}

static void definition_that_cannot_be_is_refused_by_name(void **state)
{
    (void)state;
    const vec2 wrong[] = {{NAN, 1.0f}, {0.0f, INFINITY}, {0.0005f, 0.0f}, {0.0f, -1.1e6f}};
    error err = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        shape_def def = make_circle(1.0);
        def.one_way = wrong[i];
        assert_int_equal(shape_def_check(&def, &err), STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(err.text, "one_way: must be [0, 0] or a direction at least 0.001"));
    }
    const vec2 points[2] = {{1.0f, 0.0f}, {-1.0f, 0.0f}};
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = points;
    chain.point_count = 2;
    assert_int_equal(shape_def_check(&chain, &err), STATUS_OK);
    chain.one_way = UP;
    assert_int_equal(shape_def_check(&chain, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "one_way: a chain is one-sided already"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_from_above_lands_at_any_speed),
        cmocka_unit_test(stack_rests_on_a_one_way_platform),
        cmocka_unit_test(body_from_below_passes_untouched),
        cmocka_unit_test(body_from_the_side_passes_untouched),
        cmocka_unit_test(jump_that_does_not_get_above_falls_back_through),
        cmocka_unit_test(slow_lift_carries_a_body_through_and_sets_it_down),
        cmocka_unit_test(rider_stays_on_a_moving_platform),
        cmocka_unit_test(platform_that_rises_lifts_and_one_that_falls_passes),
        cmocka_unit_test(box_walks_over_the_seams_of_tiles),
        cmocka_unit_test(direction_turns_with_the_body),
        cmocka_unit_test(disc_rebounds_only_from_the_open_side),
        cmocka_unit_test(direction_set_lets_what_stands_fall),
        cmocka_unit_test(player_drops_through_by_its_filter),
        cmocka_unit_test(direction_taken_away_makes_it_solid),
        cmocka_unit_test(restored_world_goes_on_alike),
        cmocka_unit_test(world_without_one_way_shapes_has_its_old_image),
        cmocka_unit_test(image_of_one_way_shapes_keeps_rules_and_data),
        cmocka_unit_test(definition_that_cannot_be_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
