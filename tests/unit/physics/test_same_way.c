// A world's future follows from values, slots and colours alone, never from the order of a list
// (state/world.h). Wild worlds (tests/golden/wild.h) develop exactly like a copy whose lists are
// shuffled before every step, and exactly like a copy that is saved and restored meanwhile. The
// first comparison finds lanes that influence their neighbours, the second finds state that images
// lack.
//
//     test_same_way [FIRST_SEED [SEEDS]]
#include "tests/unit/physics/scene_helpers.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/physics/image.h"
#include "common/physics/state/world.h"
#include "tests/golden/scenes.h"
#include "tests/golden/wild.h"

// in seed 798, joints of bodies other than the struck ones took part
static uint64_t first_seed = 781;
static uint64_t seeds = 30;

static uint64_t dice;

static uint32_t below(uint32_t count)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((dice >> 33) % count);
}

static void swap_slots(uint32_t *slots, uint32_t i, uint32_t k)
{
    const uint32_t slot = slots[i];
    slots[i] = slots[k];
    slots[k] = slot;
}

// ---- other orders

// Contacts of two points stay in front, so that the engine could have made the list.
static void shuffle_colour(physics_world *world, graph_colour *colour)
{
    for (uint32_t i = 0; i < colour->contacts.count; i++) {
        const bool twin = i < colour->twins;
        const uint32_t from = twin ? 0 : colour->twins;
        const uint32_t count = twin ? colour->twins : colour->contacts.count - colour->twins;
        swap_slots(colour->contacts.data, i, from + below(count));
    }
    for (uint32_t i = 0; i < colour->contacts.count; i++) {
        world->contacts.data[colour->contacts.data[i]].colour_index = i;
    }
}

static void shuffle_awake(physics_world *world)
{
    for (uint32_t i = 0; i < world->awake_contacts.count; i++) {
        swap_slots(world->awake_contacts.data, i, below(world->awake_contacts.count));
    }
    for (uint32_t i = 0; i < world->awake_contacts.count; i++) {
        world->contacts.data[world->awake_contacts.data[i]].awake_index = i + 1;
    }
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        swap_slots(world->awake_bodies.data, i, below(world->awake_bodies.count));
    }
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        world->bodies.data[world->awake_bodies.data[i]].awake_index = (i + 1) & 0xFFFFFF;
    }
}

static void shuffle(physics_world *world)
{
    for (uint32_t colour = 0; colour < COLOURS; colour++) {
        shuffle_colour(world, &world->graph[colour]);
    }
    shuffle_awake(world);
}

// ---- twins

static void assert_same(const physics_world *world, const physics_world *twin, uint64_t seed)
{
    if (world_hash(world) != world_hash(twin)) {
        printf("seed %llu: differs at tick %llu\n", (unsigned long long)seed,
               (unsigned long long)world_tick(world));
        fail();
    }
}

static void order_of_lists_has_no_effect(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        physics_world *world = wild_create(seed);
        physics_world *twin = wild_create(seed);
        dice = seed;
        for (int i = 0; i < WILD_TICKS; i++) {
            wild_step(world, seed);
            shuffle(twin);
            wild_step(twin, seed);
            assert_same(world, twin, seed);
        }
        world_free(world);
        world_free(twin);
    }
}

static physics_world *copy_of(const physics_world *world)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    physics_world *copy = NULL;
    world_save(world, &bytes, &size);
    assert_int_equal(world_restore(bytes, size, &copy, NULL), STATUS_OK);
    free(bytes);
    return copy;
}

// Restores a new copy of the world every few ticks.
static void restored_world_goes_the_same_way(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        physics_world *world = wild_create(seed);
        physics_world *twin = copy_of(world);
        dice = seed;
        for (int i = 0; i < WILD_TICKS; i++) {
            wild_step(world, seed);
            wild_step(twin, seed);
            assert_same(world, twin, seed);
            if (below(4) == 0) {
                world_free(twin);
                twin = copy_of(world);
            }
        }
        world_free(world);
        world_free(twin);
    }
}

// An image stores the flags of a contact that do not follow from its shapes or points. Fast bodies
// have contacts whose points lie at a future meeting.
static void restored_contact_has_the_flags_that_it_had(void **state)
{
    (void)state;
    const scene_kind *kind = scene_find("bullets");
    const vec2d origin = {0.0, 0.0};
    uint32_t solved = 0;
    physics_world *world = scene_create(kind, kind->golden_scale, origin);
    for (int i = 0; i < 60; i++) {
        scene_step(kind, world, kind->golden_scale, origin);
        physics_world *twin = copy_of(world);
        for (uint32_t c = slots_next(&world->contact_slots, 0); c != 0;
             c = slots_next(&world->contact_slots, c)) {
            const contact *was = &world->contacts.data[c];
            if ((was->flags & CONTACT_ACTIVE) != 0) {
                assert_int_equal(was->flags, twin->contacts.data[c].flags);
                solved++;
            }
        }
        world_free(twin);
    }
    world_free(world);
    assert_true(solved > 1000);
}

int main(int count, char **words)
{
    first_seed = count > 1 ? strtoull(words[1], NULL, 10) : first_seed;
    seeds = count > 2 ? strtoull(words[2], NULL, 10) : seeds;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_lists_has_no_effect),
        cmocka_unit_test(restored_world_goes_the_same_way),
        cmocka_unit_test(restored_contact_has_the_flags_that_it_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
