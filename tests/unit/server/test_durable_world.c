// A served world over a disk in memory that fails: its answers while its log cannot be written, and
// the state that a restart restores. The test advances the clock, the world and the storage.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/little_endian.h"
#include "proto/commands/canonical.h"
#include "proto/commands/command_decode.h"
#include "proto/wire/buffer.h"
#include "proto/wire/json.h"
#include "server/session/placement/restore.h"
#include "server/world/tick/served_world.h"
#include "tests/unit/server/mailbox.h"
#include "tests/unit/storage/fake_disk.h"

enum { EPOCH = 7 };
static const int64_t MS = 1000000;
static const session_key ME = {.slot = 0, .number = 1};
static int64_t now_ns;
static int64_t tick_ns; // time between two looks at the clock: what is measured takes this long

static int64_t fake_clock(void)
{
    now_ns += tick_ns;
    return now_ns;
}

status __real_plan_check(const physics_world *world, const apply_args *batch, error *err);
status __wrap_plan_check(const physics_world *world, const apply_args *batch, error *err);

typedef struct fixture {
    bool plan_is_wrong; // every batch passes the check
    limits limits;
    fake_disk disk;
    storage_options options;
    storage *storage;
    served_world *world;
    mailbox box;
    bool woken;
    uint32_t next_id;
} fixture;

static fixture the;

status __wrap_plan_check(const physics_world *world, const apply_args *batch, error *err)
{
    return the.plan_is_wrong ? STATUS_OK : __real_plan_check(world, batch, err);
}

static void on_committed(void *context)
{
    (void)context;
    the.woken = true;
}

static int set_up(void **state)
{
    (void)state;
    now_ns = 100000 * MS; // the machine has run for a while
    tick_ns = 0;
    the = (fixture){.limits = limits_default(), .next_id = 1};
    fake_disk_init(&the.disk, 1);
    the.options = storage_options_default();
    the.options.clock = fake_clock;
    the.options.disk = &the.disk.base;
    return 0;
}

static void end_server(void)
{
    error err;
    if (the.world != NULL) {
        served_world_destroy(the.world, STATUS_UNAVAILABLE, "the test ends it");
        the.world = NULL;
    }
    (void)storage_close(the.storage, &err);
    the.storage = NULL;
}

static int tear_down(void **state)
{
    (void)state;
    end_server();
    mailbox_deinit(&the.box);
    fake_disk_deinit(&the.disk);
    return 0;
}

// Runs the storage until nothing waits, and reports to the world.
static void commit(void)
{
    while (storage_turn(the.storage)) {
    }
    if (the.woken && the.world != NULL) {
        the.woken = false;
        served_world_deliver(the.world, request_create(REQUEST_COMMITTED, EPOCH));
    }
}

static void advance(int64_t ns)
{
    now_ns += ns;
    served_world_run(the.world);
    commit();
}

static void open_storage(void)
{
    error err;
    if (storage_open("test", &the.options, &the.storage, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

static void begin(storage_durability kept, bool paused)
{
    char name[STORED_NAME_BYTES_MAX + 1];
    world_def def = world_def_default();
    adoption *from = calloc(1, sizeof *from);
    assert_non_null(from);
    def.hz = 100.0;
    open_storage();
    restore_stored_name(name, "w", EPOCH);
    from->paused = paused;
    from->durability = kept;
    assert_int_equal(world_create(&def, &from->physics, NULL), STATUS_OK);
    if (kept != STORAGE_NONE) {
        assert_int_equal(storage_create(the.storage, name, EPOCH, kept, &from->stored, NULL),
                         STATUS_OK);
        storage_watch(from->stored, on_committed, NULL);
    }
    the.world = served_world_create(EPOCH, "w", from, &the.limits, mailbox_sink(&the.box),
                                    (served_world_clocks){fake_clock, fake_clock});
}

static void create(storage_durability kept, bool paused)
{
    begin(kept, paused);
    served_world_run(the.world);
    commit();
}

static void call(method m, const char *json)
{
    buffer bytes;
    error err;
    msgpack_unpacked unpacked;
    request *r = request_create(REQUEST_COMMAND, EPOCH);
    buffer_init(&bytes, 1 << 20);
    assert_int_equal(json_text_to_msgpack(json, strlen(json), &bytes, &err), STATUS_OK);
    msgpack_unpacked_init(&unpacked);
    size_t offset = 0;
    msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, &offset);
    if (command_decode(m, &unpacked.data, &r->command, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    if (method_scope_of(m) == SCOPE_WORLD_COMMAND) {
        buffer canonical;
        size_t size = 0;
        buffer_init(&canonical, 1 << 20);
        arguments_canonical(&canonical, m, &unpacked.data);
        r->arguments = buffer_take(&canonical, &size);
        r->arguments_size = (uint32_t)size;
    }
    msgpack_unpacked_destroy(&unpacked);
    buffer_deinit(&bytes);
    r->reply_to = (reply_address){.session = ME, .id = the.next_id++, .answerable = true};
    r->subscription = the.next_id;
    served_world_deliver(the.world, r);
}

static const char SPAWN[] = "{\"world\":\"w\",\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5}]}";
static const char WORLD[] = "{\"world\":\"w\"}";

static const reply *refusal(status expected)
{
    const reply *r = mailbox_take(&the.box, REPLY_RESULT);
    assert_int_equal(r->status, expected);
    assert_non_null(r->text);
    return r;
}

static status restore_all(restored_worlds *out, error *err)
{
    status s = restore_read(the.storage, &(aside_list){0}, 1, out, err);
    if (s == STATUS_OK) {
        restore_play_all(out, 2);
    }
    return s;
}

// Crashes and restarts the machine; returns the number of bodies in the world afterwards, -1
// without a world.
static int bodies_after(crash_kind kind)
{
    the.disk.stopped = true;
    end_server();
    fake_disk_crash(&the.disk, kind);
    the.disk.capacity = 0;
    open_storage();
    restored_worlds worlds = {0};
    error err;
    if (restore_all(&worlds, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    int bodies = -1;
    for (uint32_t i = 0; i < worlds.count; i++) {
        if (worlds.data[i].broken != NULL) {
            fail_msg("%s", worlds.data[i].broken);
        }
        bodies = (int)world_count(worlds.data[i].adoption->physics).bodies;
    }
    restored_worlds_free(&worlds);
    return bodies;
}

static void fill_disk(void)
{
    the.disk.capacity = 1;
}

// Another world of the storage.
static storage_world *begin_other(void)
{
    storage_world *other = NULL;
    assert_int_equal(storage_create(the.storage, "other.9", 9, STORAGE_NORMAL, &other, NULL),
                     STATUS_OK);
    return other;
}

static void end_other(storage_world *other)
{
    uint64_t sequence = 0;
    error err;
    assert_int_equal(storage_destroy(other, &sequence, &err), STATUS_OK);
    storage_release(other);
    commit();
}

static shared_bytes *zeros(size_t size)
{
    shared_bytes *bytes = bytes_create(size);
    memset(bytes->data, 0, size);
    bytes->size = size;
    return bytes;
}

// Makes an image wait that leaves no space for another one.
static void crowd_images(storage_world *other)
{
    shared_bytes *image = zeros(2 * STORAGE_IMAGE_CHUNK_BYTES);
    error err;
    assert_int_equal(storage_checkpoint(other, 0, NULL, image, &err), STATUS_OK);
    bytes_unref(image);
}

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
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    commit();
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
    call(METHOD_WORLD_DESTROY, WORLD);
    served_world_run(the.world);
    commit();
    mailbox_result(&the.box);
    assert_int_equal(bodies_after(CRASH_POWER_ALL), -1);
    fake_disk_each(&the.disk, name_is_no_image, NULL);
}

// ---- an interrupted start

static void crash_within_a_start_leaves_all_for_the_next(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    commit();
    mailbox_result(&the.box);
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
    served_world_run(the.world);
    commit();
    return storage_read_figures(the.storage).images;
}

static void restart_that_took_long_makes_an_image_for_the_next(void **state)
{
    (void)state;
    create(STORAGE_FULL, true);
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    commit();
    mailbox_result(&the.box);
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
    call(METHOD_WORLD_SUBSCRIBE, WORLD);
    served_world_run(the.world);
    commit();
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
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    commit();
    mailbox_result(&the.box);
    fill_disk();
    call(METHOD_WORLD_DESTROY, WORLD);
    served_world_run(the.world);
    commit();
    const reply *r = refusal(STATUS_UNAVAILABLE);
    assert_non_null(strstr(r->text, "a restart brings it back"));
    assert_true(served_world_settled(the.world));
    assert_int_equal(bodies_after(CRASH_PROCESS), 1);
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
    call(METHOD_BODY_SPAWN, SPAWN);
    served_world_run(the.world);
    commit();
    mailbox_result(&the.box);
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
    served_world_run(the.world);
    commit();
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
    call(METHOD_WORLD_SUBSCRIBE, "{\"world\":\"w\",\"encoding\":\"log\"}");
    served_world_run(the.world);
    commit();
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
    served_world_run(the.world);
    commit();
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
    call(METHOD_WORLD_DESTROY, WORLD);
    served_world_run(the.world);
    commit();
    assert_non_null(strstr(refusal(STATUS_UNAVAILABLE)->text, "a restart brings it back"));
    assert_true(bodies_after(CRASH_POWER_RANDOM) >= 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(commands_behind_a_resume_come_back),
        TEST(answer_waits_for_the_disk),
        TEST(destroyed_world_stays_away),
        TEST(world_destroyed_while_its_image_is_written_stays_away),
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
        TEST(world_is_not_shown_before_its_first_image_has_had_room),
        TEST(failed_log_waits_until_its_image_has_room),
        TEST(paused_world_tries_a_record_again_that_had_no_room),
        TEST(disk_that_takes_no_record_for_too_many_ticks_gets_an_image),
        TEST(full_disk_is_told_and_the_log_goes_on_when_there_is_room),
        TEST(batch_for_a_later_tick_is_refused_while_the_log_cannot_be_written),
        TEST(steps_are_refused_when_the_log_fails_meanwhile),
        TEST(end_that_the_log_cannot_hold_is_refused_and_the_world_comes_back),
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
