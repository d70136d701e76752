// A served world over a disk in memory: its answers wait for the log, and a restart restores the
// state of the log. The test advances the clock, the world and the storage.
#include "tests/unit/server/durable_rig.h"

#include <errno.h>
#include <string.h>

#include "common/base/little_endian.h"
#include "proto/commands/command_decode.h"
#include "proto/wire/buffer.h"

static void name_is_no_image(void *context, const char *name)
{
    (void)context;
    assert_null(strstr(name, "image"));
}

// ---- a good disk

static void commands_behind_a_resume_come_back(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    call(METHOD_BODY_SPAWN, SPAWN);
    call(METHOD_WORLD_RESUME, WORLD);
    call_and_commit(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    mailbox_result(&the.box);
    mailbox_result(&the.box);
    mailbox_result(&the.box);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 2);
}

static void answer_waits_for_the_disk(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    assert_int_equal(mailbox_left(&the.box), 0);
    commit();
    mailbox_result(&the.box);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 1);
}

static void destroyed_world_stays_away(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    call(METHOD_WORLD_DESTROY, WORLD);
    served_world_run(the.world);
    assert_int_equal(mailbox_left(&the.box), 0);
    commit();
    mailbox_result(&the.box);
    assert_true(served_world_settled(the.world));
    assert_int_equal(bodies_after(CRASH_POWER_ALL), -1);
}

static void world_destroyed_while_its_image_is_written_stays_away(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    const uint64_t hash = world_hash(the.world->physics);
    shared_bytes *image = bytes_create(3 * STORAGE_IMAGE_CHUNK_BYTES);
    image->size = image->capacity;
    memset(image->data, 0, image->size);
    assert_int_equal(storage_checkpoint(the.world->log.stored, 0, &hash, image, NULL), STATUS_OK);
    bytes_unref(image);
    assert_true(storage_turn(the.storage)); // the first piece
    call_and_commit(METHOD_WORLD_DESTROY, WORLD);
    mailbox_result(&the.box);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), -1);
    fake_disk_each(&the.disk, name_is_no_image, NULL);
}

// ---- ticks without commands
//
// They leave no rows, but clients see them: a restart, or a standby, has to compute them again.

// Lets time pass, while a client asks in each tick for what it shows. Neither the disk nor a
// standby takes anything.
static void watch_for(int ticks)
{
    for (int i = 0; i < ticks; i++) {
        call(METHOD_WORLD_INFO, WORLD);
        now_ns += 10 * MS;
        served_world_run(the.world);
    }
}

// The last tick that was shown, by an answer that left with it: the answer was made before the
// tick's step, and tells the tick before. 0: none.
static uint64_t last_shown(void)
{
    uint64_t tick = 0;
    while (mailbox_left(&the.box) > 0) {
        tick = obj_get_uint(mailbox_result(&the.box), "tick") + 1;
    }
    return tick;
}

static void tick_is_shown_only_if_what_the_disk_has_promises_it(void **state)
{
    (void)state;
    create(STORAGE_FULL, false); // at 100 Hz: promises of 100 ticks, renewed after 50
    advance(10 * MS);
    const uint64_t promised = the.world->log.until;
    assert_true(promised >= 50);
    watch_for((int)promised + 20);
    assert_int_equal(last_shown(), promised);
    assert_true(the.world->log.until > promised);
    commit();
    served_world_run(the.world);
    assert_int_equal(last_shown(), world_tick(the.world->physics));
}

static void ignore(void *context)
{
    (void)context;
}

static void tick_is_shown_only_if_what_the_standby_has_promises_it(void **state)
{
    (void)state;
    world_feed *feed = world_feed_create(ignore, NULL);
    begin(STORAGE_NORMAL, false);
    world_log_replicate(&the.world->log, world_feed_ref(feed));
    advance(0);
    advance(10 * MS);
    const uint64_t promised = the.world->log.until;
    world_feed_allow(feed, world_log_fed(&the.world->log)); // the standby has all so far
    for (int i = 0; i < 30; i++) {                          // the disk takes what follows
        call(METHOD_WORLD_INFO, WORLD);
        advance(10 * MS);
    }
    assert_int_equal(last_shown(), promised);
    world_feed_allow(feed, world_log_fed(&the.world->log));
    advance(10 * MS);
    assert_int_equal(last_shown(), world_tick(the.world->physics) - 1);
    end_server();
    world_feed_unref(feed);
}

// ---- an interrupted start

static void crash_within_a_start_leaves_all_for_the_next(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    spawn_and_commit();
    assert_int_equal(bodies_after(CRASH_POWER_RANDOM), 1);
    for (uint64_t operation = 1; operation < 12; operation++) {
        end_server();
        the.disk.crash_at = the.disk.operations + operation;
        error err;
        (void)storage_open("test", &the.options, &the.storage, &err);
        if (the.storage == NULL) {
            assert_true(the.disk.stopped);
            fake_disk_crash(&the.disk, CRASH_POWER_RANDOM);
            open_storage();
        }
        assert_int_equal(bodies_after(CRASH_POWER_RANDOM), 1);
    }
}

// Runs the world after a restart that replayed its records for `replay_ns`; returns the number of
// images that it makes then.
static uint64_t images_after_replay_of(int64_t replay_ns)
{
    assert_int_equal(bodies_after(CRASH_PROCESS), 1);
    end_server();
    open_storage();
    restored_worlds worlds = {0};
    assert_int_equal(restore_all(&worlds, NULL), STATUS_OK);
    adoption *from = worlds.data[0].adoption;
    assert_true(from->replay_ns > 0);
    from->replay_ns = replay_ns;
    storage_watch(from->stored, on_committed, NULL);
    the.world = served_world_create(EPOCH, "w", from, &the.limits, mailbox_sink(&the.box),
                                    (served_world_clocks){fake_clock, fake_clock});
    worlds.data[0].adoption = NULL;
    worlds.data[0].stored = NULL;
    restored_worlds_free(&worlds);
    advance(0);
    return storage_read_figures(the.storage).images;
}

static void restart_that_took_long_makes_an_image_for_the_next(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    spawn_and_commit();
    assert_int_equal(images_after_replay_of(9 * MS), 0);
    assert_int_equal(images_after_replay_of(12 * MS), 1);
}

static void images_for_short_restarts_take_turns(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    storage_world *w = the.world->log.stored;
    const int64_t now = 7000 * MS;
    assert_true(storage_image_turn(w, now));
    assert_false(storage_image_turn(w, now + 1));
    assert_false(storage_image_turn(w, now + 1000 * MS / STORAGE_IMAGES_A_SECOND - 1));
    assert_true(storage_image_turn(w, now + 1000 * MS / STORAGE_IMAGES_A_SECOND));
}

static void images_for_short_restarts_are_fewer_on_a_slow_disk(void **state)
{
    (void)state;
    tick_ns = 20 * MS;
    create(STORAGE_FULL, true); // writes the world's first image
    tick_ns = 0;
    storage_world *w = the.world->log.stored;
    const int64_t now = now_ns + 10000 * MS;
    assert_true(storage_image_turn(w, now));
    assert_false(storage_image_turn(w, now + 39 * MS)); // it took 20 ms at least
    assert_true(storage_image_turn(w, now + 2000 * MS));
}

static void dear_steps_are_promised_a_tenth_of_a_second_ahead(void **state)
{
    (void)state;
    create(STORAGE_FULL, false); // at 100 Hz
    uint64_t most = 0;
    for (int i = 0; i < 300; i++) {
        const uint64_t ahead = the.world->log.until - world_tick(the.world->physics);
        most = i > 200 && ahead > most ? ahead : most;
        the.world->log.images.replay_ns = i >= 100 ? 19 * MS : 0;
        advance(10 * MS);
    }
    assert_true(most > 0 && most <= 10);
    the.world->log.images.replay_ns = 0; // replaying became cheap
    for (int i = 0; i < 100; i++) {
        const uint64_t ahead = the.world->log.until - world_tick(the.world->physics);
        most = ahead > most ? ahead : most;
        advance(10 * MS);
    }
    assert_true(most > 50 && most <= 100);
}

// An idle world writes an entry a second; the image stands at a tick between two of them.
static void image_between_two_entries_of_an_idle_world_keeps_the_log_whole(void **state)
{
    (void)state;
    create(STORAGE_FULL, false);
    for (int i = 0; i < 630; i++) {
        advance(10 * MS);
    }
    assert_int_not_equal(the.world->log.written.tick, world_tick(the.world->physics));
    uint64_t images = storage_read_figures(the.storage).images;
    the.world->log.images.replay_ns = 3000 * MS;
    for (int i = 0; i < 230; i++) {
        advance(10 * MS);
        assert_int_equal(world_log_state_of(&the.world->log), WORLD_LOG_GOOD);
    }
    assert_int_equal(storage_read_figures(the.storage).images, images + 1);
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    advance(10 * MS);
    mailbox_result(&the.box);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 1);
}

// Appends an entry of tick 0 that no world's log has.
static void append_entry(const log_record *record, uint64_t until, uint64_t last_tick)
{
    uint8_t head[WORLD_LOG_HEAD_BYTES] = {0};
    buffer bytes;
    uint64_t sequence = 0;
    size_t size = 0;
    put64(head, until);
    buffer_init(&bytes, 1 << 16);
    buffer_append(&bytes, head, sizeof head);
    log_record_encode(&bytes, record);
    uint8_t *data = buffer_take(&bytes, &size);
    shared_bytes *shared = bytes_take(data, size);
    assert_int_equal(storage_append(the.world->log.stored, 0, last_tick,
                                    record->has_hash ? &record->hash : NULL, shared, &sequence,
                                    NULL),
                     STATUS_OK);
    bytes_unref(shared);
    commit();
}

static void restart_does_not_serve(const char *why)
{
    the.disk.stopped = true;
    end_server();
    fake_disk_crash(&the.disk, CRASH_PROCESS);
    open_storage();
    restored_worlds worlds = {0};
    assert_int_equal(restore_all(&worlds, NULL), STATUS_OK);
    assert_int_equal(worlds.count, 1);
    assert_null(worlds.data[0].adoption);
    if (strstr(worlds.data[0].broken, why) == NULL) {
        fail_msg("%s", worlds.data[0].broken);
    }
    restored_worlds_free(&worlds);
}

static void hash_that_differs_stops_that_world_and_names_the_tick(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    const uint64_t wrong = world_hash(the.world->physics) ^ 1;
    append_entry(&(log_record){.has_hash = true, .hash = wrong}, 0, 0);
    restart_does_not_serve("tick 0: the state's hash is");
}

// Such a world would accept commands, but the storage would accept no record of them.
static void log_that_counts_ticks_that_it_does_not_lead_to_is_not_served(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    append_entry(&(log_record){0}, 0, UINT64_MAX - 5);
    restart_does_not_serve("it ends at tick 18446744073709551610, and leads to tick 0");
}

// The checksums of the log are right, but its replay would never end.
static void record_of_endless_ticks_is_not_served_and_its_file_is_named(void **state)
{
    (void)state;
    const uint64_t ticks = UINT64_C(1) << 60;
    create(STORAGE_FULL, true);
    append_entry(&(log_record){.tick = ticks}, ticks, ticks);
    restart_does_not_serve("record 2, in log-0000000001: a record of 1152921504606846976 ticks, at "
                           "most 131072 are allowed");
}

static void stop(void *context, physics_world *world)
{
    if (world_tick(world) == 3) {
        atomic_store((atomic_bool *)context, true);
    }
}

// A start that is being stopped does not wait for the ticks of a record.
static void stopped_player_leaves_a_record_within(void **state)
{
    (void)state;
    atomic_bool stopped = false;
    world_def def = world_def_default();
    log_player player = {.stepped = stop, .context = &stopped, .stop = &stopped};
    error err;
    assert_int_equal(world_create(&def, &player.world, NULL), STATUS_OK);
    assert_int_equal(log_player_play(&player, &(log_record){.tick = LOG_TICKS_MAX}, &err),
                     STATUS_UNAVAILABLE);
    assert_int_equal(world_tick(player.world), 3);
    world_free(player.world);
}

static void log_that_promises_more_than_a_second_is_not_served(void **state)
{
    (void)state;
    create(STORAGE_FULL, false);
    append_entry(&(log_record){0}, 101, 0); // at 100 Hz
    restart_does_not_serve("promises tick 101");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(commands_behind_a_resume_come_back),
        TEST(answer_waits_for_the_disk),
        TEST(destroyed_world_stays_away),
        TEST(world_destroyed_while_its_image_is_written_stays_away),
        TEST(tick_is_shown_only_if_what_the_disk_has_promises_it),
        TEST(tick_is_shown_only_if_what_the_standby_has_promises_it),
        TEST(crash_within_a_start_leaves_all_for_the_next),
        TEST(restart_that_took_long_makes_an_image_for_the_next),
        TEST(images_for_short_restarts_take_turns),
        TEST(images_for_short_restarts_are_fewer_on_a_slow_disk),
        TEST(dear_steps_are_promised_a_tenth_of_a_second_ahead),
        TEST(image_between_two_entries_of_an_idle_world_keeps_the_log_whole),
        TEST(hash_that_differs_stops_that_world_and_names_the_tick),
        TEST(log_that_counts_ticks_that_it_does_not_lead_to_is_not_served),
        TEST(record_of_endless_ticks_is_not_served_and_its_file_is_named),
        TEST(stopped_player_leaves_a_record_within),
        TEST(log_that_promises_more_than_a_second_is_not_served),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += run_durable_faults();
    return failed;
}
