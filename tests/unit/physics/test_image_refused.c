// World images that were truncated, altered or made up: each is refused, and the error says why.
#include "tests/unit/physics/image_scenes.h"

#include <stdlib.h>
#include <string.h>

#include "common/physics/image.h"

static size_t save(const physics_world *world, uint8_t **bytes)
{
    size_t size = 0;
    world_save(world, bytes, &size);
    return size;
}

// Fails unless the error's text contains `why`.
static void assert_refused(const uint8_t *bytes, size_t size, const char *why)
{
    physics_world *made = NULL;
    error err = {0};
    assert_int_equal(world_restore(bytes, size, &made, &err), STATUS_INVALID_ARGUMENT);
    assert_null(made);
    if (strstr(err.text, why) == NULL) {
        fail_msg("%s", err.text);
    }
}

static void assert_restored(const uint8_t *bytes, size_t size, uint64_t hash)
{
    physics_world *made = NULL;
    assert_int_equal(world_restore(bytes, size, &made, NULL), STATUS_OK);
    assert_true(world_hash(made) == hash);
    world_free(made);
}

static void image_cut_off_anywhere_is_refused(void **state)
{
    (void)state;
    physics_world *world = mixed_scene();
    run(world, 60);
    uint8_t *bytes;
    const size_t size = save(world, &bytes);
    for (size_t cut = 0; cut < size; cut += cut < 400 ? 1 : 13) {
        // of the exact size, so that a sanitizer sees reads past it
        uint8_t *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        assert_refused(part, cut, "world image");
        free(part);
    }
    free(bytes);
    world_free(world);
}

// Changes one byte: the image is refused, or it restores the world with the old hash; it is never
// accepted with another hash.
static void image_with_any_byte_altered_is_refused_or_the_same(void **state)
{
    (void)state;
    physics_world *world = mixed_scene();
    run(world, 60);
    uint64_t hash = world_hash(world);
    uint8_t *bytes;
    const size_t size = save(world, &bytes);
    uint32_t r = 99;
    int refused = 0;
    const int rounds = 3000;
    for (int i = 0; i < rounds; i++) {
        r = r * 1664525u + 1013904223u;
        size_t place = (r >> 4) % size;
        uint8_t was = bytes[place];
        r = r * 1664525u + 1013904223u;
        bytes[place] = (uint8_t)(was ^ (1u << (r >> 20) % 8));
        physics_world *copy = NULL;
        error err = {0};
        if (world_restore(bytes, size, &copy, &err) == STATUS_OK) {
            assert_true(world_hash(copy) == hash);
            run(copy, 1);
            world_free(copy);
        } else {
            refused++;
        }
        bytes[place] = was;
    }
    assert_true(refused > rounds * 9 / 10);
    free(bytes);
    world_free(world);
}

// Flips every bit, including those of tags, limits and signs of zero, which the hash does not
// cover.
static void sealed_image_with_any_bit_altered_is_refused(void **state)
{
    (void)state;
    physics_world *world = mixed_scene();
    run(world, 60);
    uint8_t *bytes;
    size_t size;
    world_save_sealed(world, &bytes, &size);
    assert_restored(bytes, size, world_hash(world));
    for (size_t bit = 0; bit < 8 * size; bit += bit < 4000 ? 1 : 7) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_refused(bytes, size, "world image");
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 1; cut < 40; cut++) {
        assert_refused(bytes, size - cut, "world image");
    }
    free(bytes);
    world_free(world);
}

// An image without a checksum has nothing that protects its tags: they must still be UTF-8.
static void tag_that_is_not_utf8_is_refused(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    body_def tagged = body_def_default();
    tagged.tag = "corner";
    put(world, &tagged, NULL, 0);
    uint8_t *bytes;
    const size_t size = save(world, &bytes);
    size_t at = 0;
    while (memcmp(bytes + at, "corner", 6) != 0) {
        at++;
        assert_true(at + 6 < size);
    }
    memcpy(bytes + at, "c\xc3\xb6rne", 6);
    assert_restored(bytes, size, world_hash(world)); // the hash does not include tags
    memcpy(bytes + at, "c\xc3rner", 6);
    assert_refused(bytes, size, "a tag that is not UTF-8");
    free(bytes);
    world_free(world);
}

static void bytes_of_another_kind_or_version_are_refused_by_name(void **state)
{
    (void)state;
    assert_refused((const uint8_t *)"PNG is no world", 15, "no world image");
    physics_world *world = make_world((vec2d){0.0, 0.0});
    uint8_t *bytes;
    const size_t size = save(world, &bytes);
    bytes[8] = 77;
    assert_refused(bytes, size, "version 77");
    bytes[8] = PHYSICS_IMAGE_VERSION;
    bytes[9] = 99; // the behaviour of the engine comes after the version
    assert_refused(bytes, size, "behaviour 99");
    free(bytes);
    world_free(world);
}

// These counts decide how much memory is reserved before the records are read.
static void image_that_claims_more_than_its_bytes_is_refused_by_name(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    uint8_t *bytes;
    const size_t size = save(world, &bytes);
    // An empty world ends with the counts of slots of bodies, shapes and joints, of contacts and of
    // events, a byte each, and the hash.
    const struct {
        size_t before_end;
        const char *text;
    } claims[] = {
        {13, "more slots"}, {12, "more slots"}, {11, "more slots"}, {10, "more contacts"}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        assert_int_equal(bytes[size - claims[i].before_end], 0);
        bytes[size - claims[i].before_end] = 127;
        assert_refused(bytes, size, claims[i].text);
        bytes[size - claims[i].before_end] = 0;
    }
    free(bytes);
    world_free(world);
}

// The number of contact slots never decreases. Such an image is padded with zeros, so that a short
// image cannot claim much memory.
static void high_slots_of_few_contacts_make_the_image_longer(void **state)
{
    (void)state;
    enum { CROWD = 300 };
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id ids[CROWD];
    for (int i = 0; i < CROWD; i++) {
        ids[i] = put_at(world, 0.001 * i, 0.0, &ball);
    }
    run(world, 1); // every body touches every other
    assert_int_equal(world_count(world).pairs, CROWD * (CROWD - 1) / 2);
    for (int i = 0; i < CROWD - 2; i++) {
        assert_int_equal(body_remove(world, ids[i], NULL), STATUS_OK);
    }
    run(world, 1); // the ends of the contacts are reported
    assert_int_equal(world_count(world).pairs, 1);
    uint8_t *bytes;
    const size_t size = save(world, &bytes);
    assert_in_range(size, 10000, 11000); // a byte for every four slots
    assert_restored(bytes, size, world_hash(world));
    bytes[size / 2] = 1;
    assert_refused(bytes, size, "bytes follow");
    memmove(bytes + 2000, bytes + size - 8, 8); // the hash
    assert_refused(bytes, 2008, "too high for so few bytes");
    free(bytes);
    world_free(world);
}

static uint32_t slots_end(const uint8_t *bytes, size_t size, uint32_t kinds)
{
    image_counts n;
    assert_int_equal(world_image_counts(bytes, size, &n, NULL), STATUS_OK);
    return kinds == 1 ? n.body_slots : kinds == 2 ? n.shape_slots : n.joint_slots;
}

// For bodies, then for shapes: the head declares one slot as free, but its record is there.
static void image_that_carries_more_than_it_claims_is_refused(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind <= 2; kind++) {
        physics_world *world = heap_scene();
        uint8_t *bytes;
        const size_t size = save(world, &bytes);
        image_counts n;
        assert_int_equal(world_image_counts(bytes, size, &n, NULL), STATUS_OK);
        uint32_t there = kind == 1 ? n.bodies : n.shapes;
        bool found = false;
        for (size_t at = 0; at < size && !found; at++) { // finds the first slot in use
            bytes[at] ^= 1;
            image_counts few;
            found = world_image_counts(bytes, size, &few, NULL) == STATUS_OK &&
                    (kind == 1 ? few.bodies : few.shapes) == there - 1 &&
                    slots_end(bytes, size, kind) == (kind == 1 ? n.body_slots : n.shape_slots);
            bytes[at] ^= found ? 0 : 1;
        }
        assert_true(found);
        assert_refused(bytes, size, "world image");
        free(bytes);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(image_cut_off_anywhere_is_refused),
        cmocka_unit_test(image_with_any_byte_altered_is_refused_or_the_same),
        cmocka_unit_test(sealed_image_with_any_bit_altered_is_refused),
        cmocka_unit_test(tag_that_is_not_utf8_is_refused),
        cmocka_unit_test(bytes_of_another_kind_or_version_are_refused_by_name),
        cmocka_unit_test(image_that_claims_more_than_its_bytes_is_refused_by_name),
        cmocka_unit_test(high_slots_of_few_contacts_make_the_image_longer),
        cmocka_unit_test(image_that_carries_more_than_it_claims_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
