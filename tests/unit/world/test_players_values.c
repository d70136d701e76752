// Bounds of players as values: their bytes and images, damaged ones, comparison and text.
#include "tests/unit/world/players_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/physics/image.h"
#include "tests/unit/proto/values.h"
#include "tests/unit/proto/wording.h"

// ---- bounds as values

static const char EVERY_BOUND[] =
    "{\"methods\":[\"body.impulse\",\"data.get\"],\"types\":[\"dynamic\"],\"bodies\":3,\"mass\":5,"
    "\"size\":2,\"speed\":20,\"force\":50,\"impulse\":10,\"torque\":7,\"area\":[-9,-8,7,6]}";

static void bounds_come_back_from_bytes_and_images(void **state)
{
    (void)state;
    const players_bounds all = read_bounds(EVERY_BOUND);
    const uint64_t bare = world_hash(world);
    uint8_t *bytes = NULL;
    size_t size = 0;
    players_cache cache = {0};
    assert_int_equal(players_current(&cache, world)->fields, 0);
    assert_int_equal(players_set(world, &all, NULL), STATUS_OK);
    assert_true(world_hash(world) != bare);
    players_bounds got = players_of(world);
    assert_memory_equal(&got, &all, sizeof all);
    assert_memory_equal(players_current(&cache, world), &all, sizeof all);
    world_save_sealed(world, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION_RULES_SEALED);
    physics_world *again = NULL;
    assert_int_equal(world_restore(bytes, size, &again, NULL), STATUS_OK);
    got = players_of(again);
    assert_memory_equal(&got, &all, sizeof all);
    assert_true(world_hash(again) == world_hash(world));
    assert_int_equal(players_set(again, &(players_bounds){0}, NULL), STATUS_OK);
    assert_true(world_hash(again) == bare);
    world_copy(again, world);
    got = players_of(again);
    assert_memory_equal(&got, &all, sizeof all);
    free(bytes);
    world_save(world, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION_RULES);
    free(bytes);
    assert_int_equal(players_set(world, &(players_bounds){0}, NULL), STATUS_OK);
    world_save(world, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION); // the format from before there were rules
    free(bytes);
    world_free(again);
}

// Each byte of the rules is covered by the hash, and damaged ones allow nothing.
static void damaged_rules_are_refused(void **state)
{
    (void)state;
    const players_bounds all = read_bounds(EVERY_BOUND);
    uint8_t bytes[WORLD_RULES_BYTES_MAX];
    const size_t size = players_pack(&all, bytes);
    players_bounds out;
    assert_true(players_unpack(bytes, size, &out));
    for (size_t cut = 0; cut < size; cut++) {
        assert_false(players_unpack(bytes, cut, &out));
    }
    assert_false(players_unpack(bytes, size + 1, &out));
    bytes[0] = 2;
    assert_int_equal(world_set_rules(world, bytes, size, NULL), STATUS_OK);
    assert_int_equal(players_check(world, &why), STATUS_INVALID_ARGUMENT);
    bounds = players_of(world);
    assert_false(players_allow(&bounds, METHOD_BODY_IMPULSE));
    assert_int_equal(world_set_rules(world, bytes, sizeof bytes + 1, &why), STATUS_LIMIT_EXCEEDED);
    const players_bounds rules = all;
    assert_int_equal(players_set(world, &rules, NULL), STATUS_OK);
    uint8_t *image = NULL;
    size_t image_size = 0;
    world_save(world, &image, &image_size);
    const size_t from = image_size - 8 - size;
    for (size_t i = from; i < image_size; i++) {
        physics_world *made = NULL;
        image[i] ^= 1;
        assert_int_not_equal(world_restore(image, image_size, &made, NULL), STATUS_OK);
        image[i] ^= 1;
    }
    free(image);
}

static void rules_and_data_are_in_one_image(void **state)
{
    (void)state;
    const players_bounds all = read_bounds(EVERY_BOUND);
    static const uint8_t ONE[] = {1};
    uint64_t version = 0;
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(players_set(world, &all, NULL), STATUS_OK);
    assert_int_equal(world_data_set(world, "k", ONE, sizeof ONE, &version, NULL), STATUS_OK);
    world_save_sealed(world, &bytes, &size);
    physics_world *again = NULL;
    assert_int_equal(world_restore(bytes, size, &again, NULL), STATUS_OK);
    assert_true(world_hash(again) == world_hash(world));
    assert_int_equal(world_data_count(again).keys, 1);
    world_free(again);
    free(bytes);
}

static void lower_takes_the_lesser_of_each(void **state)
{
    (void)state;
    const players_bounds a = read_bounds("{\"mass\":5,\"speed\":9,\"bodies\":4,\"methods\":[\"body."
                                         "set\",\"body.get\"],\"area\":[0,0,9,9]}");
    const players_bounds b =
        read_bounds("{\"mass\":6,\"size\":1,\"bodies\":2,\"methods\":[\"body.get\",\"body.force\"],"
                    "\"types\":[\"static\"],\"area\":[5,-5,20,5]}");
    const players_bounds both = players_lower(&a, &b);
    const players_bounds expected =
        read_bounds("{\"mass\":5,\"size\":1,\"speed\":9,\"bodies\":2,\"methods\":[\"body.get\"],"
                    "\"types\":[\"static\"],\"area\":[5,0,9,5]}");
    assert_memory_equal(&both, &expected, sizeof both);
    const players_bounds none = {0};
    const players_bounds same = players_lower(&none, &a);
    assert_memory_equal(&same, &a, sizeof same);
}

static void text_of_bounds_is_strict(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
    } ROWS[] = {
        {"{\"mas\":1}", "players"},
        {"{\"mass\":-1}", "players.mass"},
        {"{\"mass\":\"x\"}", "players.mass"},
        {"{\"bodies\":1.5}", "players.bodies"},
        {"{\"methods\":[\"body.fly\"]}", "players.methods[0]"},
        {"{\"methods\":[\"server.kick\"]}", "players.methods[0]"},
        {"{\"types\":[\"ghost\"]}", "players.types[0]"},
        {"{\"area\":[1,0,0,1]}", "players.area"},
        {"7", "players"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        command c;
        char json[256];
        snprintf(json, sizeof json, "{\"world\":\"w\",\"players\":%s}", ROWS[i].json);
        assert_int_equal(wording_decode(METHOD_WORLD_SET, json, &c, &why), STATUS_INVALID_ARGUMENT);
        if (strncmp(why.text, ROWS[i].text, strlen(ROWS[i].text)) != 0) {
            fail_msg("%s: %s", ROWS[i].json, why.text);
        }
    }
    assert_int_equal(read_bounds("{}").fields, 0);
}

int run_players_values(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bounds_come_back_from_bytes_and_images),
        TEST(damaged_rules_are_refused),
        TEST(rules_and_data_are_in_one_image),
        TEST(lower_takes_the_lesser_of_each),
        TEST(text_of_bounds_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
