// Replicas and recordings: a fed replica equals the original exactly; gaps, altered hashes, foreign
// images and damaged files are refused with the place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <carom/replica.h>
#include <carom/value.h>
#include <carom/view.h>

#include "common/physics/image.h"
#include "common/physics/physics.h"
#include "proto/log/log_record.h"

// body.spawn {world: "lab", shapes: [{kind: "circle", radius: 1}], position: [0, 9]}
static const uint8_t BALL[] = "\x83\xa5world\xa3lab\xa6shapes\x91\x82\xa4kind\xa6"
                              "circle\xa6radius\x01\xa8position\x92\x00\x09";

typedef struct copies {
    physics_world *world; // the original
    carom_replica *replica;
    carom_error why;
    uint64_t from; // tick at which the next record begins
} copies;

static int setup(void **state)
{
    copies *c = calloc(1, sizeof *c);
    world_def def = world_def_default();
    assert_int_equal(world_create(&def, &c->world, NULL), STATUS_OK);
    c->replica = carom_replica_create();
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    copies *c = *state;
    world_free(c->world);
    carom_replica_free(c->replica);
    free(c);
    return 0;
}

static body_id spawn_ball(physics_world *world)
{
    body_def def = body_def_default();
    shape_def ball = shape_def_default();
    ball.geometry.kind = SHAPE_CIRCLE;
    ball.geometry.circle.radius = 1.0f;
    def.position = (vec2d){0.0, 9.0};
    body_id id = 0;
    shape_id shape = 0;
    assert_int_equal(body_create(world, &def, &id, NULL), STATUS_OK);
    assert_int_equal(shape_add(world, id, &ball, &shape, NULL), STATUS_OK);
    return id;
}

// The record of `ticks` steps of the original, with a ball spawned before the first one.
static buffer record_of(copies *c, int ticks, bool ball, bool image)
{
    buffer rows;
    buffer out;
    buffer_init(&rows, 1 << 16);
    buffer_init(&out, 1 << 20);
    log_record record = {.from = world_tick(c->world)};
    uint8_t *bytes = NULL;
    if (image) {
        world_save(c->world, &bytes, &record.image_size);
        record.image = bytes;
    }
    if (ball) {
        log_command row = {.tick = record.from + 1,
                           .session = 3,
                           .method = "body.spawn",
                           .method_size = 10,
                           .arguments = BALL,
                           .arguments_size = sizeof BALL - 1};
        log_command_encode(&rows, &row);
        spawn_ball(c->world);
    }
    for (int i = 0; i < ticks; i++) {
        world_step(c->world);
    }
    record.tick = world_tick(c->world);
    record.command_count = ball;
    record.commands = rows.data;
    record.commands_size = rows.size;
    record.has_hash = true;
    record.hash = world_hash(c->world);
    log_record_encode(&out, &record);
    buffer_deinit(&rows);
    free(bytes);
    return out;
}

static carom_status feed(copies *c, buffer record)
{
    c->why.text[0] = '\0';
    carom_status s = carom_replica_feed(c->replica, record.data, record.size, &c->why);
    if (s != CAROM_OK) {
        print_message("%s\n", c->why.text);
    }
    buffer_deinit(&record);
    return s;
}

static void replica_is_the_world(void **state)
{
    copies *c = *state;
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(feed(c, record_of(c, 3, i % 7 == 0, false)), CAROM_OK);
    }
    carom_replica_state now = carom_replica_now(c->replica);
    assert_true(now.ready);
    assert_int_equal(now.tick, 155);
    assert_int_equal(now.bodies, 9);
    assert_int_equal(now.commands, 9);
    assert_int_equal(now.verified, 51);
    assert_true(now.hash == world_hash(c->world));
    carom_body bodies[9];
    assert_int_equal(carom_replica_bodies(c->replica, bodies, 9), 9);
    assert_true(bodies[0].y < 9.0 && bodies[0].vy < 0.0);
}

static void a_gap_needs_an_image(void **state)
{
    copies *c = *state;
    assert_int_equal(feed(c, record_of(c, 5, true, false)), CAROM_UNAVAILABLE);
    assert_non_null(strstr(c->why.text, "no image to begin with"));
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    buffer lost = record_of(c, 5, true, false);
    buffer_deinit(&lost);
    assert_int_equal(feed(c, record_of(c, 5, true, false)), CAROM_UNAVAILABLE);
    assert_non_null(strstr(c->why.text, "begins at tick 15, the replica is at 10"));
    assert_false(carom_replica_now(c->replica).ready);
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    assert_int_equal(carom_replica_now(c->replica).tick, 25);
}

static void a_hash_that_differs_names_the_tick(void **state)
{
    copies *c = *state;
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    spawn_ball(c->world); // this spawn is not in the log
    assert_int_equal(feed(c, record_of(c, 7, false, false)), CAROM_INTERNAL);
    assert_non_null(strstr(c->why.text, "tick 12"));
    assert_false(carom_replica_now(c->replica).ready);
}

static void records_that_are_altered_never_do_harm(void **state)
{
    copies *c = *state;
    buffer good = record_of(c, 5, true, true);
    size_t refused = 0;
    assert_int_equal(carom_replica_feed(c->replica, good.data, good.size, &c->why), CAROM_OK);
    for (size_t i = 0; i < good.size; i++) {
        carom_replica *victim = carom_replica_create();
        good.data[i] ^= 0x41;
        refused += carom_replica_feed(victim, good.data, good.size, NULL) != CAROM_OK;
        good.data[i] ^= 0x41;
        assert_int_not_equal(carom_replica_feed(victim, good.data, i, NULL), CAROM_OK);
        carom_replica_free(victim);
    }
    // some changes are valid, for example of the session's number
    assert_true(refused > good.size * 9 / 10);
    buffer_deinit(&good);
}

static void feeding_to_a_tick_stops_there(void **state)
{
    copies *c = *state;
    buffer record = record_of(c, 40, true, true);
    assert_int_equal(carom_replica_feed_to(c->replica, record.data, record.size, 12, &c->why),
                     CAROM_OK);
    assert_int_equal(carom_replica_now(c->replica).tick, 12);
    assert_int_equal(carom_replica_now(c->replica).verified, 0);
    buffer_deinit(&record);
    assert_int_equal(feed(c, record_of(c, 1, false, false)), CAROM_UNAVAILABLE);
}

static void asks_like_a_server(void **state)
{
    copies *c = *state;
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    carom_body ball;
    carom_replica_bodies(c->replica, &ball, 1);
    carom_value *args = carom_set(carom_map(), "body", carom_uint(ball.id));
    carom_value *got = NULL;
    assert_int_equal(carom_replica_call(c->replica, "body.get", args, &got, &c->why), CAROM_OK);
    assert_true(carom_get_vec(got, "position", (carom_vec2){0, 0}).y == ball.y);
    carom_value_free(got);
    static const struct {
        const char *method;
        carom_status status;
    } refused[] = {{"body.remove", CAROM_PERMISSION_DENIED},
                   {"world.create", CAROM_UNKNOWN_METHOD},
                   {"body.gte", CAROM_UNKNOWN_METHOD},
                   {"query.ray", CAROM_INVALID_ARGUMENT}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(carom_replica_call(c->replica, refused[i].method, args, &got, &c->why),
                         refused[i].status);
        assert_null(got);
    }
    carom_value_free(args);
}

static void count_event(const carom_event *event, void *user)
{
    size_t *kinds = user;
    kinds[event->kind]++;
}

static void events_are_told_as_they_happen(void **state)
{
    copies *c = *state;
    size_t kinds[32] = {0};
    carom_replica_on_event(c->replica, 1U << CAROM_EVENT_SPAWN | 1U << CAROM_EVENT_BEGIN,
                           count_event, kinds);
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    assert_int_equal(feed(c, record_of(c, 5, true, false)), CAROM_OK);
    assert_int_equal(kinds[CAROM_EVENT_SPAWN], 2);
    assert_int_equal(kinds[CAROM_EVENT_BEGIN], 1); // the second ball meets the first
    for (int i = 0; i < 20; i++) {
        assert_int_equal(feed(c, record_of(c, 5, false, false)), CAROM_OK);
    }
    assert_int_equal(kinds[CAROM_EVENT_SPAWN], 2);
}

static void images_and_differences(void **state)
{
    copies *c = *state;
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(carom_replica_save(c->replica, &bytes, &size, &c->why), CAROM_OK);
    carom_replica *other = carom_replica_create();
    assert_int_equal(carom_replica_load(other, bytes, size, "copy", &c->why), CAROM_OK);
    assert_string_equal(carom_replica_now(other).world, "copy");
    carom_difference d;
    assert_int_equal(carom_replica_compare(c->replica, other, &d, &c->why), CAROM_OK);
    assert_false(d.differs);
    assert_int_equal(feed(c, record_of(c, 1, false, false)), CAROM_OK);
    assert_int_equal(carom_replica_compare(c->replica, other, &d, &c->why), CAROM_OK);
    assert_true(d.differs && d.body != 0);
    assert_string_equal(d.member, "position y");
    ((uint8_t *)bytes)[size / 2] ^= 1;
    assert_int_equal(carom_replica_load(other, bytes, size, "copy", &c->why), CAROM_UNAVAILABLE);
    assert_true(carom_replica_now(other).ready); // the state is unchanged
    carom_replica_free(other);
    carom_replica_free_bytes(bytes);
}

// ---- recordings

static void name_file(char *path, size_t size)
{
    snprintf(path, size, "test_replica_%d.caromlog", (int)getpid());
    unlink(path);
}

// Writes `count` records of five ticks; returns the hash at the end.
static void write_recording(copies *c, const char *path, int count)
{
    carom_recorder *recorder = NULL;
    assert_int_equal(carom_recorder_create(path, &recorder, &c->why), CAROM_OK);
    for (int i = 0; i < count; i++) {
        buffer record = record_of(c, 5, i % 2 == 0, i == 0);
        assert_int_equal(carom_recorder_feed(recorder, record.data, record.size, &c->why),
                         CAROM_OK);
        buffer_deinit(&record);
    }
    assert_int_equal(carom_recorder_finish(recorder, &c->why), CAROM_OK);
}

// Plays the whole recording; returns the final status.
static carom_status play_recording(copies *c, const char *path)
{
    carom_recording *recording = NULL;
    carom_status s = carom_recording_open(path, &recording, &c->why);
    const void *record = NULL;
    size_t size = 0;
    while (s == CAROM_OK) {
        s = carom_recording_next(recording, &record, &size, &c->why);
        if (s != CAROM_OK || record == NULL) {
            break;
        }
        s = carom_replica_feed(c->replica, record, size, &c->why);
    }
    carom_recording_close(recording);
    return s;
}

static void recording_plays_to_the_same_hash(void **state)
{
    copies *c = *state;
    char path[64];
    name_file(path, sizeof path);
    write_recording(c, path, 20);
    assert_int_equal(play_recording(c, path), CAROM_OK);
    assert_true(carom_replica_now(c->replica).hash == world_hash(c->world));
    assert_int_equal(carom_replica_now(c->replica).verified, 20);
    carom_recorder *second = NULL;
    assert_int_equal(carom_recorder_create(path, &second, &c->why), CAROM_ALREADY_EXISTS);
    unlink(path);
    assert_int_equal(play_recording(c, path), CAROM_NOT_FOUND);
}

static void recording_without_an_image_is_refused(void **state)
{
    copies *c = *state;
    char path[64];
    name_file(path, sizeof path);
    carom_recorder *recorder = NULL;
    assert_int_equal(carom_recorder_create(path, &recorder, &c->why), CAROM_OK);
    buffer record = record_of(c, 5, true, false);
    assert_int_equal(carom_recorder_feed(recorder, record.data, record.size, &c->why),
                     CAROM_INVALID_ARGUMENT);
    buffer_deinit(&record);
    assert_int_equal(carom_recorder_finish(recorder, &c->why), CAROM_OK);
    unlink(path);
}

static void rewrite(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void damaged_recordings_are_told(void **state)
{
    copies *c = *state;
    char path[64];
    name_file(path, sizeof path);
    write_recording(c, path, 6);
    assert_int_equal(play_recording(c, path), CAROM_OK);
    FILE *file = fopen(path, "rb");
    static uint8_t bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 0; cut < size; cut += 37) {
        rewrite(path, bytes, cut);
        assert_int_equal(play_recording(c, path), CAROM_INVALID_ARGUMENT);
        assert_true(strlen(c->why.text) > 0);
    }
    for (size_t at = 0; at < size; at += 37) {
        bytes[at] ^= 0x10;
        rewrite(path, bytes, size);
        assert_int_not_equal(play_recording(c, path), CAROM_OK);
        bytes[at] ^= 0x10;
    }
    unlink(path);
}

// ---- snapshots for views

static void expect_view(const carom_view *view, const carom_replica *replica)
{
    carom_body bodies[64];
    size_t count = carom_replica_bodies(replica, bodies, 64);
    carom_view_state state = carom_view_get_state(view);
    assert_true(state.ready);
    assert_int_equal(state.tick, carom_replica_now(replica).tick);
    assert_int_equal(state.bodies, count);
    for (size_t i = 0; i < count; i++) {
        const carom_body *seen = carom_view_find(view, bodies[i].id);
        assert_non_null(seen);
        assert_memory_equal(seen, &bodies[i], sizeof bodies[i]);
        size_t place = 0;
        assert_true(carom_view_index(view, bodies[i].id, &place));
        assert_non_null(carom_view_info(view, place));
    }
}

static void show(copies *c, carom_view *view, bool full)
{
    static const carom_replica_snapshot_options all = {
        .describe = true, .contacts = true, .events = 1u << CAROM_EVENT_BEGIN};
    const void *encoded = NULL;
    size_t size = 0;
    carom_snapshot told;
    assert_int_equal(carom_replica_snapshot(c->replica, &all, &encoded, &size, &c->why), CAROM_OK);
    assert_int_equal(carom_view_feed(view, encoded, size, &told, &c->why), CAROM_OK);
    assert_true(told.full == full);
}

static void snapshots_make_the_view_that_the_replica_is(void **state)
{
    copies *c = *state;
    carom_view *view = carom_view_create(NULL);
    size_t begins = 0;
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    show(c, view, true);
    expect_view(view, c->replica);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(feed(c, record_of(c, 3, i % 9 == 0, i == 40)), CAROM_OK);
        show(c, view, i == 40);
        expect_view(view, c->replica);
        carom_event event;
        while (carom_view_next_event(view, &event)) {
            assert_int_equal(event.kind, CAROM_EVENT_BEGIN);
            begins++;
        }
        size_t contacts = 0;
        (void)carom_view_contacts(view, &contacts);
        assert_int_equal(contacts, carom_replica_now(c->replica).contacts);
    }
    assert_true(begins > 0); // balls fall onto balls
    carom_view_free(view);
}

static void view_refuses_bytes_that_are_no_snapshot(void **state)
{
    copies *c = *state;
    carom_view *view = carom_view_create(NULL);
    const void *encoded = NULL;
    size_t size = 0;
    assert_int_equal(feed(c, record_of(c, 5, true, true)), CAROM_OK);
    assert_int_equal(carom_replica_snapshot(c->replica, NULL, &encoded, &size, &c->why), CAROM_OK);
    for (size_t cut = 0; cut < size; cut++) {
        assert_int_equal(carom_view_feed(view, encoded, cut, NULL, &c->why), CAROM_INTERNAL);
    }
    static const uint8_t greedy[] = {0xdf, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(carom_view_feed(view, greedy, sizeof greedy, NULL, &c->why), CAROM_INTERNAL);
    assert_int_equal(carom_view_feed(view, encoded, size, NULL, &c->why), CAROM_OK);
    assert_int_equal(carom_view_feed(NULL, encoded, size, NULL, &c->why), CAROM_INVALID_ARGUMENT);
    carom_view_free(view);
}

// ---- within a record

static void record_can_be_gone_through_tick_by_tick(void **state)
{
    copies *c = *state;
    assert_int_equal(feed(c, record_of(c, 1, true, true)), CAROM_OK);
    buffer record = record_of(c, 20, true, false);
    uint64_t from = carom_replica_now(c->replica).tick;
    for (uint64_t tick = from; tick <= from + 20; tick++) {
        assert_int_equal(carom_replica_feed_to(c->replica, record.data, record.size, tick, &c->why),
                         CAROM_OK);
        assert_int_equal(carom_replica_now(c->replica).tick, tick);
    }
    assert_int_equal(carom_replica_now(c->replica).hash, world_hash(c->world));
    assert_int_equal(carom_replica_now(c->replica).bodies, 2); // the spawn was applied once
    buffer_deinit(&record);
    assert_int_equal(feed(c, record_of(c, 2, false, false)), CAROM_OK);
}

// ---- images within recordings

static void recording_bears_the_images_it_was_given(void **state)
{
    copies *c = *state;
    char path[] = "/tmp/carom-keyframe-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    carom_recorder *recorder = NULL;
    assert_int_equal(carom_recorder_create(path, &recorder, &c->why), CAROM_OK);
    uint64_t marked[2] = {0, 0};
    for (int i = 0; i < 10; i++) {
        buffer record = record_of(c, 3, i == 2, i == 0);
        assert_int_equal(carom_recorder_feed(recorder, record.data, record.size, &c->why),
                         CAROM_OK);
        assert_int_equal(feed(c, record), CAROM_OK);
        if (i == 3 || i == 6) {
            assert_int_equal(carom_recorder_keyframe(recorder, c->replica, &c->why), CAROM_OK);
            marked[i == 6] = carom_replica_now(c->replica).tick;
        }
    }
    assert_int_equal(carom_recorder_finish(recorder, &c->why), CAROM_OK);
    carom_recording *recording = NULL;
    const void *record = NULL;
    size_t size = 0;
    int images = 0;
    assert_int_equal(carom_recording_open(path, &recording, &c->why), CAROM_OK);
    while (carom_recording_next(recording, &record, &size, &c->why) == CAROM_OK && record != NULL) {
        carom_recording_info about = carom_recording_about(recording);
        if (about.has_image) {
            assert_true(about.from == 0 || about.from == marked[0] || about.from == marked[1]);
            images++;
            carom_replica *late = carom_replica_create();
            assert_int_equal(carom_replica_feed(late, record, size, &c->why), CAROM_OK);
            assert_int_equal(carom_replica_now(late).hash, about.hash);
            carom_replica_free(late);
        }
    }
    assert_int_equal(images, 3);
    carom_recording_close(recording);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(replica_is_the_world, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gap_needs_an_image, setup, teardown),
        cmocka_unit_test_setup_teardown(a_hash_that_differs_names_the_tick, setup, teardown),
        cmocka_unit_test_setup_teardown(records_that_are_altered_never_do_harm, setup, teardown),
        cmocka_unit_test_setup_teardown(feeding_to_a_tick_stops_there, setup, teardown),
        cmocka_unit_test_setup_teardown(asks_like_a_server, setup, teardown),
        cmocka_unit_test_setup_teardown(events_are_told_as_they_happen, setup, teardown),
        cmocka_unit_test_setup_teardown(images_and_differences, setup, teardown),
        cmocka_unit_test_setup_teardown(recording_plays_to_the_same_hash, setup, teardown),
        cmocka_unit_test_setup_teardown(recording_without_an_image_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged_recordings_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(snapshots_make_the_view_that_the_replica_is, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(view_refuses_bytes_that_are_no_snapshot, setup, teardown),
        cmocka_unit_test_setup_teardown(record_can_be_gone_through_tick_by_tick, setup, teardown),
        cmocka_unit_test_setup_teardown(recording_bears_the_images_it_was_given, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
