// Data of a world: keys and values that the engine keeps, in hash, copies and images.
#include "tests/unit/physics/scene_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/physics/data.h"
#include "common/physics/image.h"

static const uint8_t ONE[] = {0x01}, TRUE[] = {0xc3}, TEXT[] = {0xa2, 'h', 'i'};

static uint64_t set(physics_world *world, const char *key, const uint8_t *value, size_t size)
{
    uint64_t version = 0;
    error err = {0};
    if (world_data_set(world, key, value, size, &version, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return version;
}

static void refused(const char *key, const void *value, size_t size, status why, const char *text)
{
    error err = {0};
    assert_int_equal(world_data_check(key, value, size, &err), why);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' is not '%s'", err.text, text);
    }
}

static void keys_are_found_in_order_with_versions_that_only_rise(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    world_datum d;
    assert_int_equal(set(world, "b", ONE, sizeof ONE), 1);
    assert_int_equal(set(world, "a/2", TRUE, sizeof TRUE), 2);
    assert_int_equal(set(world, "a/1", TEXT, sizeof TEXT), 3);
    assert_int_equal(set(world, "b", TEXT, sizeof TEXT), 4);
    assert_int_equal(world_data_count(world).keys, 3);
    assert_string_equal(world_data_at(world, 0).key, "a/1");
    assert_string_equal(world_data_at(world, 2).key, "b");
    assert_int_equal(world_data_from(world, "a/2"), 1);
    assert_true(world_data_find(world, "b", &d));
    assert_int_equal(d.version, 4);
    assert_memory_equal(d.value, TEXT, sizeof TEXT);
    assert_int_equal(world_data_remove(world, "b", NULL), STATUS_OK);
    assert_int_equal(world_data_remove(world, "b", NULL), STATUS_NOT_FOUND);
    assert_false(world_data_find(world, "b", &d));
    assert_int_equal(set(world, "b", ONE, sizeof ONE), 6); // the removal has version 5
    world_free(world);
}

static void hash_covers_keys_values_and_versions_and_nothing_where_there_are_none(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -9.81});
    physics_world *other = make_world((vec2d){0.0, -9.81});
    const uint64_t empty = world_hash(world);
    set(world, "k", ONE, sizeof ONE);
    const uint64_t one = world_hash(world);
    assert_true(one != empty);
    set(other, "k", TRUE, sizeof TRUE);
    assert_true(world_hash(other) != one);
    set(other, "k", ONE, sizeof ONE); // the same, except for the version
    assert_true(world_hash(other) != one);
    set(world, "l", ONE, sizeof ONE);
    physics_world *later = make_world((vec2d){0.0, -9.81});
    set(later, "l", ONE, sizeof ONE); // the same, except for the order of the keys
    set(later, "k", ONE, sizeof ONE);
    assert_true(world_hash(later) != world_hash(world));
    world_free(later);
    const uint64_t two = world_hash(world);
    uint64_t parts[8];
    assert_true(world_hash_by_body(world, parts) == two);
    assert_int_equal(world_data_remove(world, "k", NULL), STATUS_OK);
    assert_int_equal(world_data_remove(world, "l", NULL), STATUS_OK);
    assert_true(world_hash(world) == empty);
    world_free(other);
    world_free(world);
}

static void copy_has_the_same_data_whatever_the_target_had(void **state)
{
    (void)state;
    physics_world *from = make_world((vec2d){0.0, 0.0});
    physics_world *to = make_world((vec2d){0.0, 0.0});
    for (int i = 0; i < 40; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i * 7 % 40);
        set(i % 3 == 0 ? from : to, key, i % 2 == 0 ? ONE : TEXT, i % 2 == 0 ? 1 : sizeof TEXT);
    }
    for (int round = 0; round < 3; round++) {
        world_copy(to, from);
        assert_true(world_hash(to) == world_hash(from));
        assert_int_equal(world_data_count(to).bytes, world_data_count(from).bytes);
        assert_int_equal(world_data_remove(from, "k0", NULL) == STATUS_OK, round == 0);
        set(from, "k3", ONE, 1);
    }
    world_free(to);
    world_free(from);
}

static void image_has_the_data_and_is_as_ever_without(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    uint8_t *bytes = NULL;
    size_t size = 0;
    world_save(world, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION);
    free(bytes);
    set(world, "a", TEXT, sizeof TEXT);
    set(world, "gone", ONE, sizeof ONE);
    assert_int_equal(world_data_remove(world, "gone", NULL), STATUS_OK);
    for (int round = 0; round < 2; round++) { // with a key, and with only the number of changes
        physics_world *again = restored(world);
        assert_true(world_hash(again) == world_hash(world));
        assert_int_equal(world_data_count(again).changes, world_data_count(world).changes);
        world_free(again);
        world_save_sealed(world, &bytes, &size);
        assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION_DATA_SEALED);
        physics_world *opened = NULL;
        assert_int_equal(world_restore(bytes, size, &opened, NULL), STATUS_OK);
        world_free(opened);
        free(bytes);
        (void)world_data_remove(world, "a", NULL);
    }
    world_free(world);
}

// In an image without a checksum, each byte of the data is checked, or changes the hash.
static void image_with_altered_data_is_refused(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    set(world, "key/one", TEXT, sizeof TEXT);
    set(world, "key/two", TRUE, sizeof TRUE);
    uint8_t *bytes = NULL;
    size_t size = 0;
    world_save(world, &bytes, &size);
    size_t at = 0;
    while (memcmp(bytes + at, "key/one", 7) != 0) {
        at++;
    }
    for (size_t i = at - 4; i < size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            physics_world *made = NULL;
            bytes[i] ^= (uint8_t)(1u << bit);
            assert_int_equal(world_restore(bytes, size, &made, NULL), STATUS_INVALID_ARGUMENT);
            bytes[i] ^= (uint8_t)(1u << bit);
        }
    }
    free(bytes);
    world_free(world);
}

static void keys_and_values_out_of_bounds_are_refused_by_name(void **state)
{
    (void)state;
    char key[DATA_KEY_BYTES_MAX + 2];
    uint8_t *large = calloc(1, DATA_VALUE_BYTES_MAX + 1);
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    refused(key, ONE, 1, STATUS_LIMIT_EXCEEDED, "key: must have at most 128 bytes, got 129");
    key[DATA_KEY_BYTES_MAX] = '\0';
    assert_int_equal(world_data_check(key, ONE, 1, NULL), STATUS_OK);
    refused("", ONE, 1, STATUS_INVALID_ARGUMENT, "key: must have 1");
    refused("\xff", ONE, 1, STATUS_INVALID_ARGUMENT, "key: must be UTF-8");
    refused("k", large, DATA_VALUE_BYTES_MAX + 1, STATUS_LIMIT_EXCEEDED, "65536 bytes");
    refused("k", "\xc0", 1, STATUS_INVALID_ARGUMENT, "nil");
    refused("k", "", 0, STATUS_INVALID_ARGUMENT, "ends early");
    refused("k", "\x01\x01", 2, STATUS_INVALID_ARGUMENT, "byte 1: bytes follow");
    refused("k", "\x92\x01", 2, STATUS_INVALID_ARGUMENT, "ends early");
    refused("k", "\xa2\xc3\x28", 3, STATUS_INVALID_ARGUMENT, "not UTF-8");
    refused("k", "\xc1", 1, STATUS_INVALID_ARGUMENT, "extension");
    refused("k", "\xd4\x01\x01", 3, STATUS_INVALID_ARGUMENT, "extension");
    memset(large, 0x91, DATA_VALUE_DEPTH_MAX); // arrays of one
    assert_int_equal(world_data_check("k", large, DATA_VALUE_DEPTH_MAX + 1, NULL), STATUS_OK);
    memset(large, 0x91, DATA_VALUE_DEPTH_MAX + 1);
    refused("k", large, DATA_VALUE_DEPTH_MAX + 2, STATUS_INVALID_ARGUMENT, "nest too deep");
    free(large);
}

static void world_takes_no_more_keys_than_it_may_have(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    char key[16];
    uint64_t version = 0;
    for (int i = 0; i < DATA_KEYS_MAX; i++) {
        snprintf(key, sizeof key, "%08d", i);
        set(world, key, ONE, sizeof ONE);
    }
    assert_int_equal(world_data_set(world, "z", ONE, 1, &version, NULL), STATUS_LIMIT_EXCEEDED);
    assert_int_equal(world_data_set(world, key, TRUE, 1, &version, NULL), STATUS_OK); // is there
    world_free(world);
}

static void world_takes_no_more_bytes_than_it_may_have(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    uint8_t *large = calloc(1, DATA_VALUE_BYTES_MAX);
    large[0] = 0xc5; // bin 16
    large[1] = (DATA_VALUE_BYTES_MAX - 4) >> 8 & 0xff;
    large[2] = (DATA_VALUE_BYTES_MAX - 4) & 0xff;
    const size_t size = DATA_VALUE_BYTES_MAX - 4 + 3;
    char key[16];
    uint64_t version = 0;
    status s = STATUS_OK;
    int keys = 0;
    while (s == STATUS_OK) {
        snprintf(key, sizeof key, "%03d", keys++);
        s = world_data_set(world, key, large, size, &version, NULL);
    }
    assert_int_equal(s, STATUS_LIMIT_EXCEEDED);
    assert_int_equal(keys - 1, DATA_BYTES_MAX / (DATUM_BYTES + 3 + size));
    assert_int_equal(world_data_set(world, "000", ONE, 1, &version, NULL), STATUS_OK);
    free(large);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found_in_order_with_versions_that_only_rise),
        cmocka_unit_test(hash_covers_keys_values_and_versions_and_nothing_where_there_are_none),
        cmocka_unit_test(copy_has_the_same_data_whatever_the_target_had),
        cmocka_unit_test(image_has_the_data_and_is_as_ever_without),
        cmocka_unit_test(image_with_altered_data_is_refused),
        cmocka_unit_test(keys_and_values_out_of_bounds_are_refused_by_name),
        cmocka_unit_test(world_takes_no_more_keys_than_it_may_have),
        cmocka_unit_test(world_takes_no_more_bytes_than_it_may_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
