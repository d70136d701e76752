// Seats of a world: taken and freed by commands, in its hash and images, and read from damaged
// bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/image.h"
#include "common/world/apply.h"
#include "common/world/seats.h"

static physics_world *world;

static int set_up(void **state)
{
    (void)state;
    world_def def = world_def_default();
    return world_create(&def, &world, NULL) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    world_free(world);
    return 0;
}

static status join(uint32_t seat, uint64_t session, const char *subject, error *err)
{
    command c = {.method = METHOD_WORLD_JOIN,
                 .world = "arena-1",
                 .join = {.template_name = "arena", .seat = seat, .session = session}};
    c.join.subject = subject;
    command_result result;
    const status s = apply_command(world, &c, &result, err);
    if (s == STATUS_OK) {
        assert_int_equal(result.join.seat, seat);
        assert_string_equal(result.join.world, "arena-1");
        command_result_free(&result);
    }
    return s;
}

static status leave(uint64_t session, error *err)
{
    const command c = {.method = METHOD_WORLD_LEAVE, .leave.session = session};
    command_result result;
    const status s = apply_command(world, &c, &result, err);
    if (s == STATUS_OK) {
        command_result_free(&result);
    }
    return s;
}

static void refuse(status expected, const char *text, status got, const error *err)
{
    assert_int_equal(got, expected);
    assert_non_null(strstr(err->text, text));
}

static void seats_are_taken_freed_and_refused(void **state)
{
    (void)state;
    error err;
    uint32_t taken = 0;
    uint32_t count = 0;
    refuse(STATUS_NOT_FOUND, "no seats", join(1, 7, NULL, &err), &err);
    seats_begin(world, "arena", 3);
    assert_int_equal(join(2, 7, "ada", NULL), STATUS_OK);
    assert_int_equal(join(1, 8, NULL, NULL), STATUS_OK);
    seats_count(world, &taken, &count);
    assert_int_equal(taken, 2);
    assert_int_equal(count, 3);
    world_seats s;
    seats_of(world, &s);
    assert_string_equal(s.template_name, "arena");
    assert_int_equal(s.taken.data[0].session, 8); // ascending by seat
    assert_string_equal(s.taken.data[1].subject, "ada");
    world_seats_deinit(&s);
    refuse(STATUS_ALREADY_EXISTS, "session 7 has seat 2", join(3, 7, NULL, &err), &err);
    refuse(STATUS_LIMIT_EXCEEDED, "2 is session 7's", join(2, 9, NULL, &err), &err);
    refuse(STATUS_LIMIT_EXCEEDED, "1 to 3", join(4, 9, NULL, &err), &err);
    refuse(STATUS_LIMIT_EXCEEDED, "1 to 3", join(0, 9, NULL, &err), &err);
    refuse(STATUS_NOT_FOUND, "session 9 has no seat", leave(9, &err), &err);
    assert_int_equal(leave(7, NULL), STATUS_OK);
    refuse(STATUS_NOT_FOUND, "session 7 has no seat", leave(7, &err), &err);
    assert_int_equal(join(2, 9, NULL, NULL), STATUS_OK);
}

static void seats_of_another_template_are_refused(void **state)
{
    (void)state;
    error err;
    seats_begin(world, "hall", 3);
    refuse(STATUS_NOT_FOUND, "one of 'hall', not of 'arena'", join(1, 7, NULL, &err), &err);
}

// As many seats as there may be, with the longest names.
static void seats_come_back_from_images_and_copies(void **state)
{
    (void)state;
    char name[TEMPLATE_NAME_BYTES_MAX + 1];
    char subject[OWNER_BYTES_MAX + 1];
    memset(name, 'n', TEMPLATE_NAME_BYTES_MAX);
    memset(subject, 's', OWNER_BYTES_MAX);
    name[TEMPLATE_NAME_BYTES_MAX] = subject[OWNER_BYTES_MAX] = '\0';
    const uint64_t bare = world_hash(world);
    seats_begin(world, name, WORLD_SEATS_MAX);
    const uint64_t begun = world_hash(world);
    assert_true(begun != bare);
    for (uint32_t i = 0; i < WORLD_SEATS_MAX; i++) {
        const world_join_args args = {
            .template_name = name, .seat = i + 1, .session = UINT64_MAX - i, .subject = subject};
        assert_int_equal(seats_take(world, &args, NULL), STATUS_OK);
    }
    assert_true(world_hash(world) != begun);
    uint8_t *bytes = NULL;
    size_t size = 0;
    world_save_sealed(world, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION_SEATS_SEALED);
    physics_world *again = NULL;
    assert_int_equal(world_restore(bytes, size, &again, NULL), STATUS_OK);
    free(bytes);
    assert_true(world_hash(again) == world_hash(world));
    world_seats s;
    seats_of(again, &s);
    assert_int_equal(s.taken.count, WORLD_SEATS_MAX);
    assert_string_equal(s.taken.data[WORLD_SEATS_MAX - 1].subject, subject);
    assert_true(s.taken.data[5].session == UINT64_MAX - 5);
    world_seats_deinit(&s);
    seats_end(again);
    assert_true(world_hash(again) == bare); // without seats as before there were any
    world_save(again, &bytes, &size);
    assert_int_equal(bytes[8], PHYSICS_IMAGE_VERSION);
    free(bytes);
    world_copy(again, world);
    assert_true(world_hash(again) == world_hash(world));
    world_free(again);
}

// Each byte is covered by the hash; damaged seats are read as none, or within their bytes.
static void damaged_seats_are_read_within_their_bounds(void **state)
{
    (void)state;
    seats_begin(world, "arena", 9);
    assert_int_equal(join(3, 7, "ada", NULL), STATUS_OK);
    assert_int_equal(join(9, 8, NULL, NULL), STATUS_OK);
    size_t size = 0;
    uint8_t bytes[128];
    const uint8_t *made = world_seats_bytes(world, &size);
    assert_true(size <= sizeof bytes);
    memcpy(bytes, made, size);
    const uint64_t hash = world_hash(world);
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1 << bit);
            assert_int_equal(world_set_seats(world, bytes, size, NULL), STATUS_OK);
            assert_true(world_hash(world) != hash);
            world_seats s;
            seats_of(world, &s);
            assert_true(s.taken.count <= s.count && s.count <= WORLD_SEATS_MAX);
            world_seats_deinit(&s);
            bytes[at] ^= (uint8_t)(1 << bit);
        }
        assert_int_equal(world_set_seats(world, bytes, at, NULL), STATUS_OK);
        world_seats cut;
        seats_of(world, &cut);
        assert_string_equal(cut.template_name, "");
        world_seats_deinit(&cut);
    }
    assert_int_equal(world_set_seats(world, NULL, WORLD_SEATS_BYTES_MAX + 1, NULL),
                     STATUS_LIMIT_EXCEEDED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(seats_are_taken_freed_and_refused),
        TEST(seats_of_another_template_are_refused),
        TEST(seats_come_back_from_images_and_copies),
        TEST(damaged_seats_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
