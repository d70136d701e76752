// Digests of bodies beside a log: a reader's table follows the writer's world, names the first body
// that differs, and refuses a block that does not fit.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/little_endian.h"
#include "proto/log/log_digest.h"

enum { BODIES_MAX = 256 };

static physics_world *empty_world(void)
{
    world_def def = world_def_default();
    physics_world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    return world;
}

static body_id spawn(physics_world *world, double x)
{
    body_def def = body_def_default();
    shape_def shape = shape_def_default();
    body_id id = 0;
    def.position = (vec2d){x, 0.0};
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.5f};
    assert_int_equal(body_spawn(world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

static size_t block_bytes(uint32_t groups, uint32_t changed_groups, uint32_t digests)
{
    return 8 + (groups + 7) / 8 + 12 * (size_t)changed_groups + digests;
}

// Passes the writer's present state to a reader.
static size_t pass(log_digests *writer, const physics_world *world, log_digests *reader)
{
    buffer out;
    size_t used = 0;
    buffer_init(&out, LOG_DIGEST_BYTES_MAX);
    assert_true(log_digests_write(writer, world, &out) == world_hash(world));
    assert_false(out.overflow);
    assert_true(log_digests_read(reader, out.data, out.size, &used));
    assert_int_equal(used, out.size);
    buffer_deinit(&out);
    return used;
}

static void assert_told(const log_digests *reader, const physics_world *world, const char *format,
                        ...)
{
    char text[LOG_DIGEST_TEXT_BYTES];
    char expected[LOG_DIGEST_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    log_digests_tell(reader, world, text);
    assert_string_equal(text, expected);
}

// Checks that for an equal state no difference is reported.
static void assert_agrees(const log_digests *reader, const physics_world *world)
{
    assert_true(reader->known);
    assert_told(reader, world, "the body that differs is unknown");
}

// Bodies come, go and take the slots of others; in the middle a second reader begins with the block
// after an image.
static void table_follows_a_world_that_changes(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests first = {0};
    log_digests second = {0};
    body_id bodies[BODIES_MAX] = {0};
    uint32_t random = 12345;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 7; i++) {
            random = random * 1664525u + 1013904223u;
            body_id *at = &bodies[random >> 24];
            if (*at != 0) {
                assert_int_equal(body_remove(world, *at, NULL), STATUS_OK);
                *at = 0;
            } else {
                *at = spawn(world, 3.0 * (random >> 24));
            }
        }
        if (round == 100) {
            log_digests_begin_anew(&writer);
        }
        if (round % 3 == 0) {
            world_step(world);
        }
        buffer out;
        size_t used = 0;
        buffer_init(&out, LOG_DIGEST_BYTES_MAX);
        assert_true(log_digests_write(&writer, world, &out) == world_hash(world));
        assert_true(log_digests_read(&first, out.data, out.size, &used));
        assert_agrees(&first, world);
        assert_true(log_digests_read(&second, out.data, out.size, &used));
        if (round >= 100) {
            assert_agrees(&second, world);
        }
        buffer_deinit(&out);
        // the second reader does not know the state before its block
        second.known = second.known && round >= 100;
    }
    log_digests_deinit(&writer);
    log_digests_deinit(&first);
    log_digests_deinit(&second);
    world_free(world);
}

static void bodies_at_rest_cost_nothing(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests reader = {0};
    for (int i = 0; i < 127; i++) { // slots 1 to 127: two groups
        spawn(world, 3.0 * i);
    }
    assert_int_equal(pass(&writer, world, &reader), block_bytes(2, 2, 128));
    assert_int_equal(pass(&writer, world, &reader), block_bytes(2, 0, 0));
    assert_int_equal(
        body_apply_impulse(world, world_next_body(world, 0), (vec2d){1.0, 0.0}, NULL, NULL),
        STATUS_OK);
    assert_int_equal(pass(&writer, world, &reader), block_bytes(2, 1, 1));
    spawn(world, -9.0); // slot 128: all of a third group
    assert_int_equal(pass(&writer, world, &reader), block_bytes(3, 1, 64));
    assert_agrees(&reader, world);
    log_digests_begin_anew(&writer);
    assert_int_equal(pass(&writer, world, &reader), block_bytes(3, 3, 192));
    log_digests_deinit(&writer);
    log_digests_deinit(&reader);
    world_free(world);
}

static void first_body_that_differs_is_named(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests reader = {0};
    body_id bodies[9];
    for (int i = 0; i < 9; i++) {
        bodies[i] = spawn(world, 3.0 * i);
    }
    pass(&writer, world, &reader);
    assert_agrees(&reader, world);
    const body_id later = spawn(world, -9.0);
    assert_told(&reader, world,
                "the first body that differs is %" PRIu64 ", which should not be there",
                (uint64_t)later);
    assert_int_equal(body_apply_impulse(world, bodies[7], (vec2d){1e-30, 0.0}, NULL, NULL),
                     STATUS_OK);
    assert_int_equal(body_set_force(world, bodies[5], (vec2d){1e-30, 0.0}, NULL, NULL), STATUS_OK);
    assert_told(&reader, world, "the first body that differs is %" PRIu64, (uint64_t)bodies[5]);
    assert_int_equal(body_remove(world, bodies[2], NULL), STATUS_OK);
    assert_told(&reader, world,
                "the first body that differs is the one of slot 3, which is missing");
    log_digests_deinit(&writer);
    log_digests_deinit(&reader);
    world_free(world);
}

static void what_belongs_to_no_body_is_told_as_such(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests reader = {0};
    spawn(world, 0.0);
    pass(&writer, world, &reader);
    assert_int_equal(world_set_restitution_threshold(world, 2.0, NULL), STATUS_OK);
    assert_told(&reader, world,
                "all bodies agree, so the world's settings differ, or which ids come next");
    log_digests_deinit(&writer);
    log_digests_deinit(&reader);
    world_free(world);
}

// One in 255 differences in a body's part leaves its byte unchanged; the group's digest always
// differs.
static void group_is_told_where_the_byte_of_its_body_agrees_by_chance(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests reader = {0};
    body_id last = 0;
    for (int i = 0; i < 100; i++) {
        last = spawn(world, 3.0 * i);
    }
    pass(&writer, world, &reader);
    char named[LOG_DIGEST_TEXT_BYTES];
    snprintf(named, sizeof named, "the first body that differs is %" PRIu64, (uint64_t)last);
    int ranges = 0;
    for (int i = 0; i < 5000; i++) {
        char text[LOG_DIGEST_TEXT_BYTES];
        assert_int_equal(body_apply_impulse(world, last, (vec2d){1.0, 0.0}, NULL, NULL), STATUS_OK);
        log_digests_tell(&reader, world, text);
        if (strcmp(text, named) != 0) {
            assert_string_equal(text, "the first body that differs is in one of the slots 64 to "
                                      "127 (a slot is an id modulo 2^24)");
            ranges++;
        }
    }
    assert_in_range(ranges, 5, 60); // about 20
    log_digests_deinit(&writer);
    log_digests_deinit(&reader);
    world_free(world);
}

static void reader_that_saw_no_whole_block_names_nobody(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests first = {0};
    log_digests reader = {0};
    const body_id body = spawn(world, 0.0);
    pass(&writer, world, &first);
    pass(&writer, world, &reader);
    assert_int_equal(body_apply_impulse(world, body, (vec2d){1.0, 0.0}, NULL, NULL), STATUS_OK);
    assert_told(&first, world, "the first body that differs is %" PRIu64, (uint64_t)body);
    assert_told(&reader, world, "the body that differs is unknown");
    log_digests_begin_anew(&writer);
    pass(&writer, world, &reader);
    assert_agrees(&reader, world);
    log_digests_deinit(&writer);
    log_digests_deinit(&first);
    log_digests_deinit(&reader);
    world_free(world);
}

static void block_that_is_cut_or_altered_is_refused_or_read_within_its_bytes(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    buffer out;
    buffer_init(&out, LOG_DIGEST_BYTES_MAX);
    for (int i = 0; i < 150; i++) {
        spawn(world, 3.0 * i);
    }
    log_digests_write(&writer, world, &out);
    assert_int_equal(out.size, block_bytes(3, 3, 192));
    for (size_t size = 0; size <= out.size; size++) {
        // of the exact size, so that a sanitizer sees reads past it
        uint8_t *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, out.data, size);
        uint8_t *exact = realloc(copy, size > 0 ? size : 1);
        log_digests reader = {0};
        size_t used = 0;
        assert_int_equal(log_digests_read(&reader, exact, size, &used), size == out.size);
        log_digests_deinit(&reader);
        free(exact);
    }
    for (size_t at = 0; at < out.size * 8; at++) {
        log_digests reader = {0};
        size_t used = 0;
        char text[LOG_DIGEST_TEXT_BYTES];
        out.data[at / 8] ^= (uint8_t)(1u << at % 8);
        if (log_digests_read(&reader, out.data, out.size, &used)) {
            assert_in_range(used, 1, out.size);
            log_digests_tell(&reader, world, text);
        }
        out.data[at / 8] ^= (uint8_t)(1u << at % 8);
        log_digests_deinit(&reader);
    }
    buffer_deinit(&out);
    log_digests_deinit(&writer);
    world_free(world);
}

// A block that claims the maximum of slots, but lacks their digests, gets no memory for them.
static void block_that_claims_more_than_it_has_is_refused(void **state)
{
    (void)state;
    log_digests reader = {0};
    size_t used = 0;
    const uint32_t claims[] = {LOG_DIGEST_GROUPS_MAX, LOG_DIGEST_GROUPS_MAX + 1, UINT32_MAX >> 1};
    for (int i = 0; i < 6; i++) {
        uint8_t bytes[4096] = {0};
        const uint32_t number = claims[i / 2] | (i % 2 != 0 ? UINT32_C(1) << 31 : 0);
        put32(bytes, number);
        const bool fits = i == 0; // nothing changed in any of them
        assert_int_equal(log_digests_read(&reader, bytes, sizeof bytes, &used), fits);
        assert_int_equal(log_digests_read(&reader, bytes, 1024, &used), false);
    }
    log_digests_deinit(&reader);
}

// A block of the first kind with two groups; the second group has slots 64 and 66.
static void block_of_the_first_kind_is_passed_over(void **state)
{
    (void)state;
    const uint8_t bytes[] = {2, 0, 0, 0, 0x02, 5, 0, 0, 0, 0, 0, 0, 0, 17, 99, 0xAA};
    size_t used = 0;
    for (size_t size = 0; size < 15; size++) {
        assert_false(log_digests_pass_first_kind(bytes, size, &used));
    }
    assert_true(log_digests_pass_first_kind(bytes, sizeof bytes, &used));
    assert_int_equal(used, 15);
}

#ifndef CAROM_SANITIZED // would take half a minute, and show nothing new
// The most bodies that a world can have, and the last one of them differs.
static void last_body_of_the_largest_world_is_named(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests reader = {0};
    body_def def = body_def_default();
    body_id id = 0;
    assert_int_equal(pass(&writer, world, &reader),
                     block_bytes(1, 1, 64)); // no body was ever there
    for (int i = 0; i < PHYSICS_BODIES_MAX; i++) {
        assert_int_equal(body_create(world, &def, &id, NULL), STATUS_OK);
    }
    assert_int_equal(body_create(world, &def, &(body_id){0}, NULL), STATUS_LIMIT_EXCEEDED);
    log_digests_begin_anew(&writer);
    const size_t whole = pass(&writer, world, &reader);
    assert_int_equal(whole, block_bytes(LOG_DIGEST_GROUPS_MAX, LOG_DIGEST_GROUPS_MAX,
                                        LOG_DIGEST_GROUPS_MAX * 64));
    assert_in_range(whole, LOG_DIGEST_SLOTS_MAX, LOG_DIGEST_BYTES_MAX);
    assert_int_equal(pass(&writer, world, &reader), block_bytes(LOG_DIGEST_GROUPS_MAX, 0, 0));
    assert_agrees(&reader, world);
    assert_int_equal(body_apply_impulse(world, id, (vec2d){1e-30, 0.0}, NULL, NULL), STATUS_OK);
    assert_told(&reader, world, "the first body that differs is %" PRIu64, (uint64_t)id);
    log_digests_deinit(&writer);
    log_digests_deinit(&reader);
    world_free(world);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_follows_a_world_that_changes),
        cmocka_unit_test(bodies_at_rest_cost_nothing),
        cmocka_unit_test(first_body_that_differs_is_named),
        cmocka_unit_test(what_belongs_to_no_body_is_told_as_such),
        cmocka_unit_test(group_is_told_where_the_byte_of_its_body_agrees_by_chance),
        cmocka_unit_test(reader_that_saw_no_whole_block_names_nobody),
        cmocka_unit_test(block_that_is_cut_or_altered_is_refused_or_read_within_its_bytes),
        cmocka_unit_test(block_that_claims_more_than_it_has_is_refused),
        cmocka_unit_test(block_of_the_first_kind_is_passed_over),
#ifndef CAROM_SANITIZED
        cmocka_unit_test(last_body_of_the_largest_world_is_named),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
