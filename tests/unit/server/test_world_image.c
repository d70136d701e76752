// Images of served worlds: they restore what was saved; altered or cut bytes are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/image.h"
#include "server/world/log/world_image.h"

static body_id spawn(physics_world *world, owners *table, const char *owner)
{
    command c = {.method = METHOD_BODY_SPAWN, .spawn = {.def = body_def_default(), .owner = owner}};
    command_result result;
    assert_int_equal(apply_command_as(world, table, NULL, &c, &result, NULL), STATUS_OK);
    body_id id = result.spawn.body;
    command_result_free(&result);
    return id;
}

// `head`: how many of its bytes come before the physics image, which is tested by itself.
static shared_bytes *make_image(body_id *ada, body_id *nobody, size_t *head)
{
    world_def def = world_def_default();
    physics_world *world = NULL;
    owners *table = owners_create();
    session_bodies bodies = {0};
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    *ada = spawn(world, table, "ada");
    *nobody = spawn(world, table, NULL);
    session_bodies_add(&bodies, *nobody, 7);
    last_requests marks = {0};
    last_requests_note(&marks, 2, 7, 1, 30);
    last_requests_note(&marks, 2, 7, 5, 34);
    last_requests_note(&marks, 2, 7, 3, 32); // a batch for a later tick
    last_requests_note(&marks, 2, 6, 9, 31); // another one, of a session that had the slot before
    last_requests_note(&marks, 0, 8, 1, 99);
    area view = {1, 2, 3, 4};
    shared_bytes *image = world_image_encode(world, &bodies, table, &marks, &view, true, 9);
    uint8_t *physics = NULL;
    size_t size = 0;
    world_save(world, &physics, &size);
    *head = image->size - size;
    free(physics);
    last_requests_deinit(&marks);
    session_bodies_deinit(&bodies);
    owners_free(table);
    world_free(world);
    return image;
}

static void free_image(world_image *image)
{
    world_free(image->physics);
    session_bodies_deinit(&image->bodies);
    last_requests_deinit(&image->marks);
    owners_free(image->owners);
}

static void image_gives_back_what_was_put_in(void **state)
{
    (void)state;
    body_id ada;
    body_id nobody;
    size_t head = 0;
    shared_bytes *bytes = make_image(&ada, &nobody, &head);
    world_image image = {0};
    assert_int_equal(world_image_decode(bytes->data, bytes->size, &image, NULL), STATUS_OK);
    assert_true(image.paused && image.has_view && image.until == 9);
    assert_float_equal(image.view.y1, 4.0, 0.0);
    assert_string_equal(owners_of(image.owners, ada), "ada");
    assert_string_equal(owners_of(image.owners, nobody), "");
    uint32_t slot = 0;
    assert_int_equal(session_bodies_take(&image.bodies, 7, &slot), nobody);
    assert_int_equal(image.marks.by_slot.count, 3);
    assert_int_equal(image.marks.by_slot.data[2].session, 7);
    assert_int_equal(image.marks.by_slot.data[2].id, 34);
    assert_int_equal(image.marks.by_slot.data[0].id, 99);
    free_image(&image);
    bytes_unref(bytes);
}

static void image_that_is_cut_or_altered_is_refused(void **state)
{
    (void)state;
    body_id ada;
    body_id nobody;
    size_t head = 0;
    shared_bytes *bytes = make_image(&ada, &nobody, &head);
    world_image image = {0};
    for (size_t size = 0; size < bytes->size; size++) {
        // A copy of the exact size, so that a sanitizer sees a read past it.
        uint8_t *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, bytes->data, size);
        uint8_t *exact = realloc(copy, size > 0 ? size : 1);
        assert_non_null(exact);
        assert_int_not_equal(world_image_decode(exact, size, &image, NULL), STATUS_OK);
        free(exact);
    }
    for (size_t i = 0; i < head; i++) {
        bytes->data[i] ^= 0x40;
        if (world_image_decode(bytes->data, bytes->size, &image, NULL) == STATUS_OK) {
            fail_msg("byte %zu of %zu", i, head);
        }
        bytes->data[i] ^= 0x40;
    }
    bytes_unref(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(image_gives_back_what_was_put_in),
        cmocka_unit_test(image_that_is_cut_or_altered_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
