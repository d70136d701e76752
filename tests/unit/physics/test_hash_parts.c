// The parts of the state hash by body: they add up to the hash, and each property of a body is in
// that body's part.
#include "tests/unit/physics/scene_helpers.h"

#include <string.h>

#include "common/physics/joint.h"

enum { SLOTS_MAX = 256 };

static uint32_t slot_of(body_id body)
{
    return (uint32_t)(body & ((1u << 24) - 1));
}

// Fails unless the parts add up to the hash; those beyond the world's slots become 0.
static void take_parts(const physics_world *world, uint64_t parts[SLOTS_MAX])
{
    uint64_t sum = 0;
    memset(parts, 0, SLOTS_MAX * sizeof *parts);
    const uint32_t slots = world_body_slots(world);
    assert_in_range(slots, 1, SLOTS_MAX);
    assert_true(world_hash_by_body(world, parts) == world_hash(world));
    for (uint32_t i = 0; i < slots; i++) {
        sum += parts[i];
    }
    assert_true(sum == world_hash(world));
}

static void link_bodies(physics_world *world, body_id a, body_id b)
{
    joint_def def = joint_def_default(JOINT_DISTANCE);
    joint_id id = 0;
    def.a = a;
    def.b = b;
    assert_int_equal(joint_create(world, &def, &id, NULL), STATUS_OK);
}

// Balls and boxes that fall onto a chain, some of them on rods.
static physics_world *heap(body_id bodies[60])
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    vec2 points[4] = {{20.0f, 3.0f}, {8.0f, 0.0f}, {-8.0f, 0.0f}, {-20.0f, 3.0f}};
    shape_def ground = shape_def_default();
    ground.form = FORM_CHAIN;
    ground.points = points;
    ground.point_count = 4;
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    put(world, &def, &ground, 1);
    for (int i = 0; i < 60; i++) {
        shape_def shape = i % 2 == 0 ? make_box(0.5, 0.5) : make_circle(0.25);
        bodies[i] = put_at(world, (i % 10) * 0.6 - 3.0, 1.0 + (i / 10) * 0.7, &shape);
        if (i % 7 == 6) {
            link_bodies(world, bodies[i], bodies[i - 3]);
        }
    }
    return world;
}

static void parts_add_up_to_the_hash(void **state)
{
    (void)state;
    body_id bodies[60];
    uint64_t parts[SLOTS_MAX];
    physics_world *world = heap(bodies);
    take_parts(world, parts);
    for (int i = 0; i < 120; i++) {
        world_step(world);
        if (i % 10 == 5) {
            assert_int_equal(body_remove(world, bodies[i / 3], NULL), STATUS_OK);
        }
        take_parts(world, parts);
        uint32_t there = 0;
        for (uint32_t slot = 1; slot < world_body_slots(world); slot++) {
            there += parts[slot] != 0;
        }
        assert_int_equal(there, world_count(world).bodies);
    }
    world_free(world);
}

// Checks that only the part of that slot differs (0: none), and, with `rest`, the first part, which
// belongs to no body.
static void assert_differ(const uint64_t *before, const physics_world *world, uint32_t slot,
                          bool rest)
{
    uint64_t after[SLOTS_MAX];
    take_parts(world, after);
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        const bool expected = i == 0 ? rest : i == slot;
        if ((before[i] != after[i]) != expected) {
            fail_msg("of slot %u: the part of slot %u %s", slot, i,
                     expected ? "is the same" : "differs");
        }
    }
}

static void change_of_a_body_is_in_its_part_alone(void **state)
{
    (void)state;
    enum { CHANGES = 7 };
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id bodies[8];
    uint64_t before[SLOTS_MAX];
    for (int i = 0; i < 8; i++) {
        bodies[i] = put_at(world, 3.0 * i, 0.0, &ball);
    }
    take_parts(world, before);
    for (int i = 0; i < CHANGES; i++) {
        physics_world *copy = restored(world);
        shape_def values = shape_def_default();
        shape_id shape = body_next_shape(copy, bodies[4], 0);
        values.friction = 0.125;
        values.density = 3.0;
        bool rest = false;
        uint32_t slot = slot_of(bodies[4]);
        status s = STATUS_OK;
        switch (i) {
        case 0:
            s = body_set_force(copy, bodies[4], (vec2d){1.0, 0.0}, NULL, NULL);
            break;
        case 1:
            s = body_apply_impulse(copy, bodies[4], (vec2d){1e-30, 0.0}, NULL, NULL);
            break;
        case 2:
            s = shape_set(copy, shape, SHAPE_FIELD_FRICTION, &values, NULL);
            break;
        case 3:
            s = shape_add(copy, bodies[4], &ball, &shape, NULL);
            break;
        case 4:
            link_bodies(copy, bodies[4], bodies[2]);
            break;
        case 5:
            s = body_remove(copy, bodies[4], NULL);
            rest = true; // the generations of the freed slots are part of the rest
            break;
        default:
            s = world_set_restitution_threshold(copy, 2.0, NULL);
            rest = true;
            slot = 0;
            break;
        }
        assert_int_equal(s, STATUS_OK);
        assert_differ(before, copy, slot, rest);
        world_free(copy);
    }
    world_free(world);
}

// A flying row of boxes, each touching two. A slow box has a sleep timer, which is state, and which
// waking resets. A new filter of one box ends its contacts.
static void no_body_differs_by_what_it_shares_with_a_later_one(void **state)
{
    (void)state;
    body_id bodies[10];
    uint64_t before[SLOTS_MAX];
    uint64_t after[SLOTS_MAX];
    physics_world *world = make_world((vec2d){0.0, 0.0});
    const shape_def box = make_box(0.5, 0.5);
    for (int i = 0; i < 10; i++) {
        bodies[i] = put_at(world, 0.499 * i, 0.0, &box);
        set_velocity(world, bodies[i], 1.0, 0.0);
    }
    world_step(world);
    assert_int_equal(world_count(world).contacts, 9);
    take_parts(world, before);
    shape_def values = shape_def_default();
    values.filter.mask = 0;
    assert_int_equal(
        shape_set(world, body_next_shape(world, bodies[4], 0), SHAPE_FIELD_FILTER, &values, NULL),
        STATUS_OK);
    assert_int_equal(world_count(world).contacts, 7);
    take_parts(world, after);
    for (uint32_t i = 1; i < SLOTS_MAX; i++) {
        const bool expected = i == slot_of(bodies[4]) || i == slot_of(bodies[5]);
        assert_int_equal(before[i] != after[i], expected);
    }
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_add_up_to_the_hash),
        cmocka_unit_test(change_of_a_body_is_in_its_part_alone),
        cmocka_unit_test(no_body_differs_by_what_it_shares_with_a_later_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
