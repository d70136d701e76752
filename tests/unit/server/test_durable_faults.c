// A served world whose disk is behind, full or fails, or whose batch is applied in part: its
// answers meanwhile, and the state that a restart restores.
#include "tests/unit/server/durable_rig.h"

#include <errno.h>
#include <string.h>

#include "proto/commands/command_decode.h"

// ---- a disk that is behind

static void world_is_not_shown_before_its_first_image_has_had_room(void **state)
{
    (void)state;
    the.options.image_queue_bytes = 1;
    begin(STORAGE_FULL, true);
    storage_world *other = begin_other();
    crowd_images(other);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    assert_int_equal(served_world_next_ns(the.world), now_ns + 1000 * MS);
    commit();
    assert_int_equal(mailbox_left(&the.box), 0);
    advance(10 * MS);
    assert_int_equal(mailbox_left(&the.box), 0);
    advance(1000 * MS);
    mailbox_result(&the.box);
    end_other(other);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 1);
}

static void failed_log_waits_until_its_image_has_room(void **state)
{
    (void)state;
    the.options.image_queue_bytes = 1;
    create(STORAGE_NORMAL, true);
    storage_world *other = begin_other();
    commit();
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    the.disk.fail_at = the.disk.operations + 1;
    the.disk.fail_count = 1;
    the.disk.fail_errno = EIO;
    commit();
    crowd_images(other);
    served_world_run(the.world);
    assert_int_equal(mailbox_left(&the.box), 0);
    assert_int_equal(served_world_next_ns(the.world), now_ns + 1000 * MS);
    commit();
    advance(1000 * MS);
    mailbox_result(&the.box);
    assert_int_equal(served_world_next_ns(the.world), QUEUE_FOREVER);
    end_other(other);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 1);
}

// Fills the storage's queue until the next commit().
static void crowd_records(storage_world *other)
{
    shared_bytes *record = zeros(1000);
    uint64_t sequence = 0;
    error err;
    assert_int_equal(storage_append(other, 0, 0, NULL, record, &sequence, &err), STATUS_OK);
    bytes_unref(record);
}

// Nothing else wakes a paused world.
static void paused_world_tries_a_record_again_that_had_no_room(void **state)
{
    (void)state;
    the.options.queue_bytes = 1;
    create(STORAGE_NORMAL, true);
    storage_world *other = begin_other();
    commit();
    for (int i = 0; i < 2; i++) {
        crowd_records(other);
        call(i == 0 ? METHOD_BODY_SPAWN : METHOD_WORLD_STEP, i == 0 ? SPAWN : WORLD);
        served_world_run(the.world);
        if (i > 0) {
            const turn slice = turn_begin(fake_clock, INT32_MAX);
            served_world_step(the.world, &slice);
        }
        assert_int_equal(served_world_next_ns(the.world), now_ns + MS);
        commit();
        assert_int_equal(mailbox_left(&the.box), 0);
        advance(MS);
        mailbox_result(&the.box);
        assert_int_equal(served_world_next_ns(the.world), QUEUE_FOREVER);
    }
    end_other(other);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 1);
}

// Readers refuse a record of so many ticks, so an image takes its place.
static void disk_that_takes_no_record_for_too_many_ticks_gets_an_image(void **state)
{
    (void)state;
    the.options.queue_bytes = 1;
    create(STORAGE_NORMAL, false);
    storage_world *other = begin_other();
    commit();
    crowd_records(other);
    while (world_tick(the.world->physics) < LOG_TICKS_MAX) {
        now_ns += 10 * MS;
        served_world_run(the.world);
        assert_int_equal(world_log_state_of(&the.world->log), WORLD_LOG_GOOD);
    }
    for (int i = 0; i < 200 && world_log_state_of(&the.world->log) == WORLD_LOG_GOOD; i++) {
        now_ns += 10 * MS;
        served_world_run(the.world);
    }
    assert_int_equal(world_log_state_of(&the.world->log), WORLD_LOG_FAILED);
    commit();
    advance(10 * MS);
    advance(10 * MS);
    assert_int_equal(world_log_state_of(&the.world->log), WORLD_LOG_GOOD);
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    mailbox_result(&the.box);
    end_other(other);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 1);
}

// ---- a full disk

static void full_disk_is_told_and_the_log_goes_on_when_there_is_room(void **state)
{
    (void)state;
    create(STORAGE_NORMAL, true);
    call_and_commit(METHOD_WORLD_SUBSCRIBE, WORLD);
    mailbox_result(&the.box);
    mailbox_snapshot(&the.box);
    fill_disk();
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS); // the record fails
    advance(10 * MS); // an image is tried, and fails
    assert_true(refusal(STATUS_UNAVAILABLE)->took_effect);
    const reply *closed = mailbox_take(&the.box, REPLY_CLOSED);
    assert_int_equal(closed->status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(closed->text, "make room"));
    call(METHOD_BODY_SPAWN, SPAWN);
    call(METHOD_WORLD_CREATE, "{\"world\":\"w\",\"if_absent\":true}");
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    call(METHOD_WORLD_INFO, WORLD);
    served_world_run(the.world);
    assert_false(refusal(STATUS_UNAVAILABLE)->took_effect);
    refusal(STATUS_UNAVAILABLE);
    refusal(STATUS_UNAVAILABLE);
    const msgpack_object *info = mailbox_result(&the.box);
    assert_non_null(strstr(obj_get_text(info, "log_error"), "No space left"));
    assert_int_equal(obj_get_uint(info, "bodies"), 1);
    the.disk.capacity = 0;
    advance(2000 * MS);
    advance(10 * MS);
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    assert_int_equal(obj_get_uint(mailbox_result(&the.box), "tick"), 0);
    assert_int_equal(bodies_after(CRASH_PROCESS), 2);
}

static void batch_for_a_later_tick_is_refused_while_the_log_cannot_be_written(void **state)
{
    (void)state;
    create(STORAGE_NORMAL, false);
    call(METHOD_WORLD_APPLY,
         "{\"world\":\"w\",\"at\":50,\"commands\":[[\"body.spawn\",{\"shapes\":[]}]]}");
    call(METHOD_BODY_SPAWN, SPAWN);
    fill_disk();
    for (int i = 0; i < 60; i++) {
        advance(10 * MS);
    }
    assert_true(refusal(STATUS_UNAVAILABLE)->took_effect); // the answer of the spawn
    assert_false(refusal(STATUS_UNAVAILABLE)->took_effect);
    assert_int_equal(world_count(the.world->physics).bodies, 1);
}

static void steps_are_refused_when_the_log_fails_meanwhile(void **state)
{
    (void)state;
    create(STORAGE_NORMAL, true);
    fill_disk();
    call(METHOD_BODY_SPAWN, SPAWN);
    advance(10 * MS);
    advance(10 * MS);
    refusal(STATUS_UNAVAILABLE);
    call(METHOD_WORLD_STEP, "{\"world\":\"w\",\"ticks\":3}");
    advance(10 * MS);
    refusal(STATUS_UNAVAILABLE);
    assert_int_equal(world_tick(the.world->physics), 0);
}

static void end_that_the_log_cannot_hold_is_refused_and_the_world_comes_back(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    spawn_and_commit();
    fill_disk();
    call_and_commit(METHOD_WORLD_DESTROY, WORLD);
    const reply *r = refusal(STATUS_UNAVAILABLE);
    assert_non_null(strstr(r->text, "a restart brings it back"));
    assert_true(served_world_settled(the.world));
    assert_int_equal(bodies_after(CRASH_PROCESS), 1);
}

// ---- a full disk under a world with a standby

static void ignore(void *context)
{
    (void)context;
}

// The number of the feed's newest item, which must be an image if `image`; drops all items.
static uint64_t newest_fed(world_feed *feed, bool image)
{
    bool cut = false;
    uint64_t newest = 0;
    for (feed_item *item = world_feed_take(feed, &cut); item != NULL;) {
        feed_item *next = item->next;
        newest = item->sequence;
        assert_true(next != NULL || !image || item->kind == FEED_IMAGE);
        feed_item_free(item);
        item = next;
    }
    assert_false(cut);
    return newest;
}

// A paused world with a standby and a reader; its disk is full when a command has come. The caller
// gets the feed.
static world_feed *fill_disk_of_a_pair(void)
{
    world_feed *feed = world_feed_create(ignore, NULL);
    begin(STORAGE_NORMAL, true);
    world_log_replicate(&the.world->log, world_feed_ref(feed));
    world_feed_allow(feed, UINT64_MAX);
    world_feed_attach(feed);
    advance(0);
    advance(10 * MS);
    call_and_commit(METHOD_WORLD_SUBSCRIBE, WORLD);
    mailbox_result(&the.box);
    mailbox_snapshot(&the.box);
    fill_disk();
    call(METHOD_BODY_SPAWN, SPAWN);
    return feed;
}

// The standby gets all by an image, and nobody is told more than is durable, whether the world
// leaves or, as here, stays until there is room.
static void world_of_a_full_disk_is_offered_to_its_standby_with_its_readers(void **state)
{
    (void)state;
    world_feed *feed = fill_disk_of_a_pair();
    assert_true(newest_fed(feed, true) > 0);
    for (int i = 0; i < 4; i++) {
        advance(10 * MS);
    }
    assert_non_null(strstr(mailbox_take(&the.box, REPLY_LEAVING)->text, "No space left"));
    assert_int_equal(mailbox_left(&the.box), 0);
    served_world_halt(the.world, 5);
    advance(10 * MS);
    const reply *halted = mailbox_take(&the.box, REPLY_HALTED);
    assert_int_equal(halted->subscription, 5);
    assert_int_equal(halted->end.sequence, newest_fed(feed, true));
    assert_int_equal(mailbox_left(&the.box), 0); // the answer is nowhere else
    served_world_go_on(the.world);
    the.disk.capacity = 0;
    for (int i = 0; i < 3; i++) {
        advance(1000 * MS);
    }
    mailbox_result(&the.box);
    mailbox_take(&the.box, REPLY_STAYING);
    assert_int_equal(mailbox_left(&the.box), 0); // its reader stays
    assert_true(newest_fed(feed, true) > halted->end.sequence);
    assert_int_equal(bodies_after(CRASH_PROCESS), 1);
    world_feed_unref(feed);
}

// After some seconds its readers are told, as the standby may not take it.
static void world_of_a_full_disk_that_cannot_leave_tells_its_readers(void **state)
{
    (void)state;
    world_feed *feed = fill_disk_of_a_pair();
    for (int i = 0; i < 10; i++) {
        advance(1000 * MS);
    }
    mailbox_take(&the.box, REPLY_LEAVING);
    refusal(STATUS_UNAVAILABLE);
    assert_int_equal(mailbox_take(&the.box, REPLY_CLOSED)->status, STATUS_UNAVAILABLE);
    end_server();
    world_feed_unref(feed);
}

// ---- a batch that is applied in part, since its check was wrong

static const char BROKEN[] =
    "{\"world\":\"w\",\"commands\":[[\"body.spawn\",{\"owner\":\"ann\",\"lifetime\":\"session\","
    "\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}],[\"body.remove\",{\"body\":999}],"
    "[\"body.spawn\",{\"shapes\":[]}]]}";

static void call_broken(void)
{
    the.plan_is_wrong = true;
    call(METHOD_WORLD_APPLY, BROKEN);
    served_world_run(the.world);
    the.plan_is_wrong = false;
}

static void expect_broken(void)
{
    const reply *r = refusal(STATUS_INTERNAL);
    assert_non_null(
        strstr(r->text, "commands[1] (body.remove), after those before it were applied"));
}

// The answer waits for an image, and a restart restores the world that clients see.
static void part_of_a_batch_is_in_the_image_that_begins_the_log_anew(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    call_broken();
    assert_int_equal(mailbox_left(&the.box), 0);
    assert_int_equal(world_count(the.world->physics).bodies, 2);
    commit();
    served_world_run(the.world);
    mailbox_result(&the.box);
    expect_broken();
    assert_int_equal(world_log_state_of(&the.world->log), WORLD_LOG_GOOD);
    spawn_and_commit();
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 3);
}

// The image under way shows the world without the part that was applied.
static void part_of_a_batch_in_a_new_world_waits_for_a_second_image(void **state)
{
    (void)state;
    begin(STORAGE_FULL, true);
    served_world_run(the.world);
    call_broken();
    commit();
    assert_int_equal(mailbox_left(&the.box), 0);
    advance(0);
    assert_int_equal(mailbox_left(&the.box), 0);
    served_world_run(the.world);
    expect_broken();
    assert_int_equal(storage_read_figures(the.storage).images, 2);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), 1);
}

// An idle world writes an entry a second; the image stands between two of them.
static void part_of_a_batch_between_two_entries_keeps_the_log_whole(void **state)
{
    (void)state;
    create(STORAGE_NORMAL, false);
    for (int i = 0; i < 130; i++) {
        advance(10 * MS);
    }
    assert_int_not_equal(the.world->log.written.tick, world_tick(the.world->physics));
    now_ns += 10 * MS;
    call_broken();
    commit();
    advance(10 * MS);
    expect_broken();
    for (int i = 0; i < 130; i++) {
        advance(10 * MS);
        assert_int_equal(world_log_state_of(&the.world->log), WORLD_LOG_GOOD);
    }
    assert_int_equal(bodies_after(CRASH_PROCESS), 1);
}

static void part_of_a_batch_reaches_replicas_as_an_image(void **state)
{
    (void)state;
    create(STORAGE_NORMAL, true);
    call_and_commit(METHOD_WORLD_SUBSCRIBE, "{\"world\":\"w\",\"encoding\":\"log\"}");
    mailbox_result(&the.box);
    assert_true(obj_find(mailbox_snapshot(&the.box), "image") != NULL);
    request *written = request_create(REQUEST_ACKNOWLEDGE, EPOCH);
    written->acknowledged = malloc(sizeof *written->acknowledged);
    assert_non_null(written->acknowledged);
    *written->acknowledged = the.next_id;
    written->acknowledged_count = 1;
    served_world_deliver(the.world, written);
    call_broken();
    commit();
    advance(10 * MS);
    expect_broken();
    advance(10 * MS);
    const msgpack_object *log = mailbox_snapshot(&the.box);
    assert_true(obj_find(log, "image") != NULL);
    assert_int_equal(world_log_state_of(&the.world->log), WORLD_LOG_GOOD);
}

static void part_of_a_batch_stops_no_world_without_a_stored_log(void **state)
{
    (void)state;
    create(STORAGE_NONE, true);
    call_broken();
    expect_broken();
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    mailbox_result(&the.box);
    assert_int_equal(world_count(the.world->physics).bodies, 2);
}

// The body of the part has the owner and the lifetime that its command gave it.
static void part_of_a_batch_ends_with_its_session(void **state)
{
    (void)state;
    create(STORAGE_NORMAL, true);
    call_broken();
    commit();
    served_world_run(the.world);
    expect_broken();
    call(METHOD_BODY_GET, "{\"world\":\"w\",\"body\":1}");
    served_world_run(the.world);
    assert_string_equal(obj_get_text(mailbox_result(&the.box), "owner"), "ann");
    request *end = request_create(REQUEST_SESSION_END, EPOCH);
    end->reply_to.session = ME;
    served_world_deliver(the.world, end);
    advance(0);
    assert_int_equal(world_count(the.world->physics).bodies, 0);
    assert_int_equal(bodies_after(CRASH_PROCESS), 0);
}

// ---- a sync that fails

static void failed_sync_ends_the_storage_and_nothing_is_answered_as_done(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    the.disk.fail_at = the.disk.operations + 2; // the write succeeds, the sync fails
    the.disk.fail_count = 1;
    the.disk.fail_errno = EIO;
    commit();
    advance(10 * MS);
    advance(2000 * MS);
    refusal(STATUS_UNAVAILABLE);
    call_and_commit(METHOD_WORLD_DESTROY, WORLD);
    assert_non_null(strstr(refusal(STATUS_UNAVAILABLE)->text, "a restart brings it back"));
    assert_true(bodies_after(CRASH_POWER_RANDOM) >= 0);
}

int run_durable_faults(void)
{
    const struct CMUnitTest tests[] = {
        TEST(world_is_not_shown_before_its_first_image_has_had_room),
        TEST(failed_log_waits_until_its_image_has_room),
        TEST(paused_world_tries_a_record_again_that_had_no_room),
        TEST(disk_that_takes_no_record_for_too_many_ticks_gets_an_image),
        TEST(full_disk_is_told_and_the_log_goes_on_when_there_is_room),
        TEST(batch_for_a_later_tick_is_refused_while_the_log_cannot_be_written),
        TEST(steps_are_refused_when_the_log_fails_meanwhile),
        TEST(end_that_the_log_cannot_hold_is_refused_and_the_world_comes_back),
        TEST(world_of_a_full_disk_is_offered_to_its_standby_with_its_readers),
        TEST(world_of_a_full_disk_that_cannot_leave_tells_its_readers),
        TEST(part_of_a_batch_is_in_the_image_that_begins_the_log_anew),
        TEST(part_of_a_batch_in_a_new_world_waits_for_a_second_image),
        TEST(part_of_a_batch_between_two_entries_keeps_the_log_whole),
        TEST(part_of_a_batch_reaches_replicas_as_an_image),
        TEST(part_of_a_batch_stops_no_world_without_a_stored_log),
        TEST(part_of_a_batch_ends_with_its_session),
        TEST(failed_sync_ends_the_storage_and_nothing_is_answered_as_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
