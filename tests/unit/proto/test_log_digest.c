// Digests of bodies beside a log: a reader's table follows the writer's world, names the first body
// that differs, and believes no block that does not fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/log/log_digest.h"

enum { BYTES_MAX = 1 << 20 };

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

// What the writer tells now, to a reader.
static size_t pass(log_digests *writer, const physics_world *world, log_digests *reader)
{
    buffer out;
    size_t used = 0;
    buffer_init(&out, BYTES_MAX);
    assert_true(log_digests_write(writer, world, &out));
    assert_true(log_digests_read(reader, out.data, out.size, &used));
    assert_int_equal(used, out.size);
    buffer_deinit(&out);
    return used;
}

static void assert_agrees(const log_digests *reader, const physics_world *world)
{
    char text[LOG_DIGEST_TEXT_BYTES];
    if (log_digests_differ(reader, world, text)) {
        fail_msg("body %s", text);
    }
}

// Bodies come, go and take the slots of others; in the middle a second reader begins with the state
// as an image would give it.
static void table_follows_a_world_that_changes(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests first = {0};
    log_digests second = {0};
    body_id bodies[256] = {0};
    uint32_t random = 12345;
    log_digests_take(&first, world);
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
            log_digests_take(&second, world);
            world_step(world);
        }
        if (round % 3 == 0) {
            world_step(world);
        }
        buffer out;
        size_t used = 0;
        buffer_init(&out, BYTES_MAX);
        assert_true(log_digests_write(&writer, world, &out));
        assert_true(log_digests_read(&first, out.data, out.size, &used));
        assert_agrees(&first, world);
        if (round >= 100) {
            assert_true(log_digests_read(&second, out.data, out.size, &used));
            assert_agrees(&second, world);
        }
        buffer_deinit(&out);
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
    assert_int_equal(pass(&writer, world, &reader), 4 + 1 + 2 * 8 + 128);
    assert_int_equal(pass(&writer, world, &reader), 4 + 1);
    assert_int_equal(
        body_apply_impulse(world, world_next_body(world, 0), (vec2d){1.0, 0.0}, NULL, NULL),
        STATUS_OK);
    assert_int_equal(pass(&writer, world, &reader), 4 + 1 + 8 + 1);
    log_digests_begin_anew(&writer);
    assert_int_equal(pass(&writer, world, &reader), 4 + 1 + 2 * 8 + 128);
    log_digests_deinit(&writer);
    log_digests_deinit(&reader);
    world_free(world);
}

static void first_body_that_differs_is_named(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests reader = {0};
    body_id bodies[9];
    char text[LOG_DIGEST_TEXT_BYTES];
    char expected[LOG_DIGEST_TEXT_BYTES];
    for (int i = 0; i < 9; i++) {
        bodies[i] = spawn(world, 3.0 * i);
    }
    log_digests_take(&reader, world);
    assert_false(log_digests_differ(&reader, world, text));
    const body_id later = spawn(world, -9.0);
    assert_true(log_digests_differ(&reader, world, text));
    snprintf(expected, sizeof expected, "%llu, which should not be there",
             (unsigned long long)later);
    assert_string_equal(text, expected);
    assert_int_equal(body_apply_impulse(world, bodies[7], (vec2d){1e-30, 0.0}, NULL, NULL),
                     STATUS_OK);
    assert_int_equal(body_apply_impulse(world, bodies[5], (vec2d){1e-30, 0.0}, NULL, NULL),
                     STATUS_OK);
    assert_true(log_digests_differ(&reader, world, text));
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)bodies[5]);
    assert_string_equal(text, expected);
    assert_int_equal(body_remove(world, bodies[2], NULL), STATUS_OK);
    assert_true(log_digests_differ(&reader, world, text));
    assert_string_equal(text, "the one of slot 3, which is missing");
    log_digests_deinit(&reader);
    world_free(world);
}

static void block_that_is_cut_or_altered_is_refused_or_read_within_its_bytes(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    buffer out;
    buffer_init(&out, BYTES_MAX);
    for (int i = 0; i < 150; i++) {
        spawn(world, 3.0 * i);
    }
    assert_true(log_digests_write(&writer, world, &out));
    for (size_t size = 0; size <= out.size; size++) {
        uint8_t *copy = malloc(size + 1); // of that size, for the sanitizer to see
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
        out.data[at / 8] ^= (uint8_t)(1u << at % 8);
        if (log_digests_read(&reader, out.data, out.size, &used)) {
            assert_in_range(used, 1, out.size);
        }
        out.data[at / 8] ^= (uint8_t)(1u << at % 8);
        log_digests_deinit(&reader);
    }
    buffer_deinit(&out);
    log_digests_deinit(&writer);
    world_free(world);
}

static void world_of_more_slots_than_the_limit_has_no_block(void **state)
{
    (void)state;
    physics_world *world = empty_world();
    log_digests writer = {0};
    log_digests reader = {0};
    body_def def = body_def_default();
    body_id id = 0;
    buffer out;
    buffer_init(&out, BYTES_MAX);
    assert_false(log_digests_write(&writer, world, &out)); // no body was ever there
    spawn(world, 0.0);
    pass(&writer, world, &reader);
    for (int i = 0; i < LOG_DIGEST_SLOTS_MAX; i++) {
        assert_int_equal(body_create(world, &def, &id, NULL), STATUS_OK);
    }
    assert_false(log_digests_write(&writer, world, &out));
    assert_int_equal(out.size, 0);
    buffer_deinit(&out);
    log_digests_deinit(&writer);
    log_digests_deinit(&reader);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_follows_a_world_that_changes),
        cmocka_unit_test(bodies_at_rest_cost_nothing),
        cmocka_unit_test(first_body_that_differs_is_named),
        cmocka_unit_test(block_that_is_cut_or_altered_is_refused_or_read_within_its_bytes),
        cmocka_unit_test(world_of_more_slots_than_the_limit_has_no_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
