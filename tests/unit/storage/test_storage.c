// The storage in normal operation, its limits, and files with false contents.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/crc32c.h"
#include "server/storage/disk_still.h"
#include "tests/unit/storage/model.h"

typedef struct fixture {
    fake_disk disk;
    storage *storage;
    storage_options options;
    error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    fake_disk_init(&f->disk, 1);
    f->options = storage_options_default();
    f->options.disk = &f->disk.base;
    assert_int_equal(storage_open("fake", &f->options, &f->storage, &f->err), STATUS_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    if (f->storage != NULL) {
        storage_abandon(f->storage);
    }
    fake_disk_deinit(&f->disk);
    free(f);
    return 0;
}

static void drain(fixture *f)
{
    while (storage_turn(f->storage)) {
    }
}

static void close_storage(fixture *f)
{
    assert_int_equal(storage_close(f->storage, &f->err), STATUS_OK);
    f->storage = NULL;
}

static void crash(fixture *f, crash_kind kind)
{
    if (f->storage != NULL) {
        storage_abandon(f->storage);
        f->storage = NULL;
    }
    fake_disk_crash(&f->disk, kind);
}

static void reopen(fixture *f)
{
    status s = storage_open("fake", &f->options, &f->storage, &f->err);
    if (s != STATUS_OK) {
        print_message("%s\n", f->err.text);
    }
    assert_int_equal(s, STATUS_OK);
}

static void assert_refused(fixture *f, const char *text)
{
    assert_int_not_equal(storage_open("fake", &f->options, &f->storage, &f->err), STATUS_OK);
    f->storage = NULL;
    if (strstr(f->err.text, text) == NULL) {
        print_message("'%s' lacks '%s'\n", f->err.text, text);
    }
    assert_non_null(strstr(f->err.text, text));
}

static storage_world *create(fixture *f, const char *name, storage_durability durability)
{
    storage_world *w;
    assert_int_equal(storage_create(f->storage, name, 5, durability, &w, &f->err), STATUS_OK);
    return w;
}

static status append_bytes(fixture *f, storage_world *w, uint64_t tick, size_t size)
{
    shared_bytes *b = bytes_create(size);
    memset(b->data, 'x', size);
    b->size = size;
    uint64_t sequence;
    status s = storage_append(w, tick, tick, NULL, b, &sequence, &f->err);
    bytes_unref(b);
    return s;
}

static void append(fixture *f, storage_world *w, uint64_t tick)
{
    assert_int_equal(append_bytes(f, w, tick, 100), STATUS_OK);
}

static status checkpoint(fixture *f, storage_world *w, uint64_t tick, size_t size)
{
    shared_bytes *b = bytes_create(size);
    memset(b->data, 'i', size);
    b->size = size;
    status s = storage_checkpoint(w, tick, NULL, b, &f->err);
    bytes_unref(b);
    return s;
}

typedef struct seen {
    storage_world *world[4];
    storage_info info[4];
    char name[4][65];
    int worlds;
    uint64_t records, image_bytes, last_sequence;
} seen;

static status see_world(void *context, storage_world *w, const storage_info *info, error *err)
{
    seen *v = context;
    (void)err;
    assert_in_range(v->worlds, 0, 3);
    v->world[v->worlds] = w;
    snprintf(v->name[v->worlds], 65, "%s", info->name);
    v->info[v->worlds++] = *info;
    return STATUS_OK;
}

static status see_image(void *context, storage_world *w, uint64_t offset, const uint8_t *bytes,
                        size_t size, error *err)
{
    seen *v = context;
    (void)w;
    (void)err;
    (void)bytes;
    assert_int_equal(offset, v->image_bytes);
    assert_in_range(size, 1, STORAGE_IMAGE_CHUNK_BYTES);
    v->image_bytes += size;
    return STATUS_OK;
}

static status see_record(void *context, storage_world *w, const storage_record *r, error *err)
{
    seen *v = context;
    (void)w;
    (void)err;
    v->records++;
    v->last_sequence = r->sequence;
    return STATUS_OK;
}

static seen recover(fixture *f)
{
    seen v = {0};
    storage_visitor visitor = {&v, see_world, see_image, see_record};
    assert_int_equal(storage_recover(f->storage, &visitor, &f->err), STATUS_OK);
    return v;
}

// ---- commits

static void many_appends_are_one_write_and_one_sync(void **state)
{
    fixture *f = *state;
    storage_world *full = create(f, "full", STORAGE_FULL);
    storage_world *normal = create(f, "normal", STORAGE_NORMAL);
    storage_world *none = create(f, "none", STORAGE_NONE);
    drain(f);
    uint64_t before = f->disk.operations;
    for (uint64_t i = 1; i <= 100; i++) {
        append(f, full, i);
        append(f, normal, i);
        append(f, none, i);
    }
    assert_int_equal(storage_committed(full), 1);
    drain(f);
    assert_int_equal(storage_committed(full), 101);
    assert_int_equal(storage_committed(normal), 101);
    assert_int_equal(storage_committed(none), 101);
    assert_int_equal(f->disk.operations - before, 3); // the group, its sync, the seal behind it
    crash(f, CRASH_POWER_ALL);
    reopen(f);
    seen v = recover(f);
    assert_int_equal(v.worlds, 2);
    assert_int_equal(v.records, 200);
    assert_int_equal(v.info[0].epoch, 5);
    assert_int_equal(v.info[0].last_tick, 100);
}

// `normal` does not wait for the sync that `full` needs.
static void normal_is_committed_by_the_write_and_full_by_the_sync(void **state)
{
    fixture *f = *state;
    storage_world *full = create(f, "full", STORAGE_FULL);
    storage_world *normal = create(f, "normal", STORAGE_NORMAL);
    drain(f);
    append(f, full, 1);
    append(f, normal, 1);
    f->disk.crash_at = f->disk.operations + 2;
    drain(f);
    assert_int_equal(storage_committed(normal), 2);
    assert_int_equal(storage_committed(full), 1);
}

static int64_t now_ns;
static int64_t test_clock(void)
{
    return now_ns;
}

static void normal_is_synced_after_a_while(void **state)
{
    fixture *f = *state;
    close_storage(f);
    now_ns = 0;
    f->options.clock = test_clock;
    reopen(f);
    storage_world *w = create(f, "w", STORAGE_NORMAL);
    append(f, w, 1);
    drain(f);
    now_ns += 999000000;
    drain(f);
    assert_int_equal(storage_read_figures(f->storage).syncs, 0);
    now_ns += 1000000;
    drain(f);
    assert_int_equal(storage_read_figures(f->storage).syncs, 1);
    crash(f, CRASH_POWER_ALL);
    reopen(f);
    assert_int_equal(recover(f).records, 1);
}

static void count_wake(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

static void owner_is_woken_once_a_group(void **state)
{
    fixture *f = *state;
    storage_world *w = create(f, "w", STORAGE_FULL);
    drain(f);
    atomic_int wakes = 0;
    storage_watch(w, count_wake, &wakes);
    for (uint64_t i = 0; i < 50; i++) {
        append(f, w, i);
    }
    drain(f);
    assert_int_equal(atomic_load(&wakes), 1);
    storage_watch(w, NULL, NULL);
    append(f, w, 50);
    drain(f);
    assert_int_equal(atomic_load(&wakes), 1);
}

static void thread_commits_and_close_finishes_what_waits(void **state)
{
    fixture *f = *state;
    assert_int_equal(storage_start(f->storage, &f->err), STATUS_OK);
    storage_world *w = create(f, "w", STORAGE_FULL);
    for (uint64_t i = 1; i <= 500; i++) {
        append(f, w, i);
    }
    assert_int_equal(checkpoint(f, w, 500, 600000), STATUS_OK);
    close_storage(f);
    reopen(f);
    seen v = recover(f);
    assert_int_equal(v.info[0].sequence, 501);
    assert_int_equal(v.image_bytes, 600000);
    assert_int_equal(v.records, 0);
}

// ---- checkpoints and truncation

static uint64_t count_files(fixture *f, const char *prefix);
static const char *wanted_prefix;
static void count_file(void *context, const char *name)
{
    *(uint64_t *)context += strncmp(name, wanted_prefix, strlen(wanted_prefix)) == 0;
}

static uint64_t count_files(fixture *f, const char *prefix)
{
    uint64_t count = 0;
    wanted_prefix = prefix;
    fake_disk_each(&f->disk, count_file, &count);
    return count;
}

static void checkpoint_of_every_world_drops_the_log_before_it(void **state)
{
    fixture *f = *state;
    close_storage(f);
    f->options.segment_bytes = 1000;
    f->options.log_bytes = 3000;
    reopen(f);
    storage_world *a = create(f, "a", STORAGE_FULL);
    storage_world *b = create(f, "b", STORAGE_NORMAL);
    for (uint64_t i = 1; i <= 50; i++) {
        append(f, a, i);
        drain(f);
    }
    append(f, b, 1);
    drain(f);
    uint64_t before = count_files(f, "log-");
    assert_true(before > 5);
    assert_true(storage_wants_checkpoint(a));
    assert_false(storage_wants_checkpoint(b));
    assert_true(storage_log_bytes(a) > 50 * 100);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(checkpoint(f, a, 50, 1000), STATUS_OK);
        drain(f);
    }
    assert_int_equal(storage_log_bytes(a), 0);
    assert_true(count_files(f, "log-") <= 2);
    assert_int_equal(count_files(f, "image-"), 1);
    assert_false(storage_wants_checkpoint(a));
    crash(f, CRASH_POWER_RANDOM);
    reopen(f);
    seen v = recover(f);
    assert_int_equal(v.worlds, 2);
    assert_int_equal(v.records, 1);
    assert_int_equal(v.info[0].sequence, 51);
}

static void image_is_written_in_pieces_between_commits(void **state)
{
    fixture *f = *state;
    storage_world *w = create(f, "w", STORAGE_FULL);
    drain(f);
    assert_int_equal(checkpoint(f, w, 3, 3000000), STATUS_OK);
    error none = {0};
    int turns = 0;
    uint64_t tick = 3;
    for (bool more = true; more; turns++) {
        append(f, w, ++tick);
        uint64_t waiting = storage_committed(w);
        more = storage_turn(f->storage);
        assert_int_equal(storage_committed(w), waiting + 1); // records do not wait behind it
        if (storage_checkpoint_state(w, &none) == STATUS_OK) {
            break;
        }
        assert_string_equal(none.text, ""); // under way
        assert_int_equal(checkpoint(f, w, tick, 1), STATUS_UNAVAILABLE);
    }
    assert_true(turns >= 12);
    crash(f, CRASH_POWER_ALL);
    reopen(f);
    seen v = recover(f);
    assert_int_equal(v.image_bytes, 3000000);
    assert_int_equal(v.info[0].image_sequence, 1);
    assert_int_equal(v.records, tick - 3);
}

// ---- ends of worlds

static void world_destroyed_while_its_log_is_written_is_gone(void **state)
{
    fixture *f = *state;
    storage_world *w = create(f, "w", STORAGE_FULL);
    append(f, w, 1);
    assert_int_equal(checkpoint(f, w, 1, 2000000), STATUS_OK);
    storage_turn(f->storage); // a piece of the image has been written
    append(f, w, 2);
    uint64_t sequence;
    assert_int_equal(storage_destroy(w, &sequence, &f->err), STATUS_OK);
    assert_int_equal(append_bytes(f, w, 3, 10), STATUS_UNAVAILABLE);
    assert_int_equal(storage_destroy(w, &sequence, &f->err), STATUS_UNAVAILABLE);
    storage_world *same;
    assert_int_equal(storage_create(f->storage, "w", 6, STORAGE_FULL, &same, &f->err),
                     STATUS_ALREADY_EXISTS);
    drain(f);
    assert_int_equal(storage_committed(w), 4);
    storage_release(w);
    same = create(f, "w", STORAGE_FULL);
    drain(f);
    assert_int_equal(count_files(f, "image-"), 0);
    append(f, same, 1);
    drain(f);
    crash(f, CRASH_POWER_RANDOM);
    reopen(f);
    seen v = recover(f);
    assert_int_equal(v.worlds, 1);
    assert_int_equal(v.info[0].sequence, 2);
}

// ---- bounds

static void record_and_image_over_their_limit_are_refused(void **state)
{
    fixture *f = *state;
    storage_world *w = create(f, "w", STORAGE_FULL);
    shared_bytes huge = {.references = 1, .size = STORAGE_RECORD_BYTES_MAX + 1};
    uint64_t sequence;
    assert_int_equal(storage_append(w, 1, 1, NULL, &huge, &sequence, &f->err),
                     STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(f->err.text, "16777216"));
    huge.size = STORAGE_IMAGE_BYTES_MAX + 1;
    assert_int_equal(storage_checkpoint(w, 1, NULL, &huge, &f->err), STATUS_INVALID_ARGUMENT);
    assert_int_equal(append_bytes(f, w, 1, STORAGE_RECORD_BYTES_MAX), STATUS_OK);
    assert_int_equal(append_bytes(f, w, 1, STORAGE_RECORD_BYTES_MAX), STATUS_OK);
    drain(f);
    assert_int_equal(storage_committed(w), 3);
    crash(f, CRASH_POWER_ALL);
    reopen(f);
    assert_int_equal(recover(f).records, 2);
}

static void queue_that_is_full_refuses_until_the_disk_has_caught_up(void **state)
{
    fixture *f = *state;
    close_storage(f);
    f->options.queue_bytes = 10000;
    f->options.image_queue_bytes = 10000;
    reopen(f);
    storage_world *w = create(f, "w", STORAGE_FULL);
    storage_world *other = create(f, "other", STORAGE_FULL);
    drain(f);
    int taken = 0;
    while (append_bytes(f, w, 1, 1000) == STATUS_OK) {
        taken++;
    }
    assert_in_range(taken, 7, 9);
    assert_int_equal(f->err.status, STATUS_LIMIT_EXCEEDED);
    assert_int_equal(storage_state(w, &f->err), STATUS_OK);
    drain(f);
    assert_int_equal(storage_read_figures(f->storage).queue_bytes, 0);
    assert_int_equal(append_bytes(f, w, 1, 1000), STATUS_OK);
    drain(f);
    assert_int_equal(append_bytes(f, w, 1, 50000), STATUS_OK); // one record always fits
    drain(f);
    assert_int_equal(storage_committed(w), taken + 3);
    assert_int_equal(checkpoint(f, w, 1, 20000), STATUS_OK);
    assert_int_equal(checkpoint(f, other, 1, 1000), STATUS_LIMIT_EXCEEDED);
    drain(f);
    assert_int_equal(checkpoint(f, other, 1, 1000), STATUS_OK);
}

static void names_and_number_of_worlds_are_bounded(void **state)
{
    fixture *f = *state;
    storage_world *w;
    char name[STORAGE_NAME_BYTES_MAX + 2];
    memset(name, 'n', sizeof name);
    name[STORAGE_NAME_BYTES_MAX + 1] = '\0';
    assert_int_equal(storage_create(f->storage, name, 1, STORAGE_FULL, &w, &f->err),
                     STATUS_INVALID_ARGUMENT);
    name[STORAGE_NAME_BYTES_MAX] = '\0';
    create(f, name, STORAGE_FULL);
    assert_int_equal(storage_create(f->storage, "", 1, STORAGE_FULL, &w, &f->err),
                     STATUS_INVALID_ARGUMENT);
    assert_int_equal(storage_create(f->storage, "a/b", 1, STORAGE_FULL, &w, &f->err),
                     STATUS_INVALID_ARGUMENT);
    for (int i = 1; i < STORAGE_WORLDS_MAX; i++) {
        snprintf(name, sizeof name, "world-%d", i);
        create(f, name, STORAGE_NORMAL);
    }
    assert_int_equal(storage_create(f->storage, "more", 1, STORAGE_FULL, &w, &f->err),
                     STATUS_LIMIT_EXCEEDED);
    drain(f);
    // Writes all of them at the beginning of a segment.
    close_storage(f);
    f->options.segment_bytes = 1000;
    reopen(f);
    w = stored_find_name(f->storage, "world-7");
    for (uint64_t i = 0; i < 4; i++) {
        append(f, w, i);
        drain(f);
    }
    close_storage(f);
    storage_report report;
    assert_int_equal(storage_check("fake", &f->options, &report, &f->err), STATUS_OK);
    assert_int_equal(report.worlds, STORAGE_WORLDS_MAX);
    assert_true(report.segments > 2);
}

static void ticks_that_go_back_are_refused(void **state)
{
    fixture *f = *state;
    storage_world *w = create(f, "w", STORAGE_FULL);
    append(f, w, 10);
    append(f, w, 10); // a paused world
    assert_int_equal(append_bytes(f, w, 9, 1), STATUS_INVALID_ARGUMENT);
    assert_int_equal(checkpoint(f, w, 9, 1), STATUS_INVALID_ARGUMENT);
    shared_bytes *b = bytes_create(1);
    uint64_t sequence;
    assert_int_equal(storage_append(w, 12, 11, NULL, b, &sequence, &f->err),
                     STATUS_INVALID_ARGUMENT);
    bytes_unref(b);
}

// ---- files that are not what they claim

static void put_crc(uint8_t *bytes, size_t size)
{
    put32(bytes + size - 4, crc32c(0, bytes, size - 4));
}

static void log_of_a_newer_version_is_refused_and_left_alone(void **state)
{
    fixture *f = *state;
    create(f, "w", STORAGE_FULL);
    close_storage(f);
    uint64_t size = 0;
    uint8_t *bytes = fake_disk_bytes(&f->disk, "log-0000000001", &size);
    put32(bytes + 8, FORMAT_VERSION + 1);
    put_crc(bytes, SEGMENT_HEADER_BYTES);
    uint64_t before = f->disk.operations;
    assert_refused(f, "version 2, this program reads version 1");
    assert_non_null(strstr(f->err.text, "newer program"));
    assert_int_equal(f->disk.operations, before);
}

// Headers with sound checksums that claim sizes of a hundred gigabytes.
static void sizes_that_a_header_claims_are_not_believed(void **state)
{
    fixture *f = *state;
    storage_world *w = create(f, "w", STORAGE_FULL);
    append(f, w, 1);
    drain(f);
    assert_int_equal(checkpoint(f, w, 1, 1000), STATUS_OK);
    drain(f);
    close_storage(f);
    fake_disk copy;
    fake_disk_copy(&copy, &f->disk);
    uint64_t size = 0;
    uint8_t *bytes = fake_disk_bytes(&f->disk, "log-0000000001", &size);
    uint8_t *group = bytes + SEGMENT_HEADER_BYTES;
    put32(group + 4, 0xFFFFFFF0u);
    put_crc(group, GROUP_HEADER_BYTES);
    assert_refused(f, "damaged");
    put32(group + 4, STORAGE_GROUP_BYTES_MAX); // allowed, and more than the file has
    put_crc(group, GROUP_HEADER_BYTES);
    assert_refused(f, "damaged");

    storage_options o = f->options;
    o.disk = &copy.base;
    seen v = {0};
    assert_int_equal(storage_open("fake", &o, &f->storage, &f->err), STATUS_OK);
    storage_visitor visitor = {&v, see_world, see_image, see_record};
    assert_int_equal(storage_recover(f->storage, &visitor, &f->err), STATUS_OK);
    assert_int_equal(storage_close(f->storage, &f->err), STATUS_OK);
    f->storage = NULL;
    char name[IMAGE_NAME_BYTES];
    image_name(1, v.info[0].has_image ? 4 : 0, name);
    uint8_t *image = NULL;
    for (uint64_t n = 1; n < 20 && image == NULL; n++) {
        image_name(1, n, name);
        image = fake_disk_bytes(&copy, name, &size);
    }
    assert_non_null(image);
    put64(image + 56, UINT64_C(100) << 30);
    put_crc(image, IMAGE_HEADER_BYTES);
    assert_int_equal(storage_open("fake", &o, &f->storage, &f->err), STATUS_OK);
    v = (seen){0};
    assert_int_equal(storage_recover(f->storage, &visitor, &f->err), STATUS_OK);
    assert_non_null(strstr(v.info[0].unsound, "is damaged"));
    assert_int_equal(v.image_bytes, 0);
    storage_abandon(f->storage);
    f->storage = NULL;
    fake_disk_deinit(&copy);
}

static void second_server_on_the_same_directory_is_told_the_first(void **state)
{
    fixture *f = *state;
    storage *second;
    assert_int_equal(storage_open("fake", &f->options, &second, &f->err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(f->err.text, "4711"));
    f->disk.locked = true; // the lock was released with the second one's handle
}

static void segment_that_is_missing_is_named(void **state)
{
    fixture *f = *state;
    close_storage(f);
    f->options.segment_bytes = 500;
    reopen(f);
    storage_world *w = create(f, "w", STORAGE_FULL);
    for (uint64_t i = 0; i < 20; i++) {
        append(f, w, i);
        drain(f);
    }
    close_storage(f);
    assert_true(count_files(f, "log-") > 4);
    fake_disk_remove(&f->disk, "log-0000000003");
    assert_refused(f, "log-0000000003 is missing");
}

static void unfinished_restore_is_refused(void **state)
{
    fixture *f = *state;
    close_storage(f);
    disk_file *mark;
    assert_int_equal(f->disk.base.methods->open(&f->disk.base, "restoring", DISK_CREATE, &mark), 0);
    f->disk.base.methods->close(mark);
    assert_refused(f, "restore");
}

// ---- a start behind a sync that failed

// The end of a world was written but not synced: the next process reads it, but the disk may not
// have it. Until it is synced, the world's image stays.
static void image_stays_until_the_end_of_its_world_is_on_the_disk(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        for (uint64_t stop = 1; stop <= 8; stop++) {
            fixture f = {.options = storage_options_default()};
            fake_disk_init(&f.disk, seed);
            f.options.disk = &f.disk.base;
            reopen(&f);
            storage_world *w = create(&f, "w", STORAGE_FULL);
            assert_int_equal(checkpoint(&f, w, 0, 100), STATUS_OK);
            drain(&f);
            uint64_t sequence;
            assert_int_equal(storage_destroy(w, &sequence, &f.err), STATUS_OK);
            f.disk.fail_at = f.disk.operations + 2; // written, not synced
            f.disk.fail_count = 1;
            f.disk.fail_errno = EIO;
            drain(&f);
            crash(&f, CRASH_PROCESS);
            f.disk.crash_at = f.disk.operations + stop;
            if (storage_open("fake", &f.options, &f.storage, &f.err) != STATUS_OK) {
                f.storage = NULL;
            }
            crash(&f, CRASH_POWER_RANDOM);
            f.disk.crash_at = 0;
            reopen(&f);
            crash(&f, CRASH_PROCESS);
            fake_disk_deinit(&f.disk);
        }
    }
}

// ---- room ahead of the log

static uint64_t file_bytes(fixture *f, const char *name)
{
    uint64_t size = 0;
    assert_non_null(fake_disk_bytes(&f->disk, name, &size));
    return size;
}

static void commits_leave_the_size_of_the_log_alone_until_its_room_is_used(void **state)
{
    fixture *f = *state;
    storage_world *w = create(f, "w", STORAGE_FULL);
    drain(f);
    const uint64_t before = file_bytes(f, "log-0000000001");
    assert_true(before >= STORAGE_AHEAD_BYTES);
    append(f, w, 1);
    drain(f);
    assert_int_equal(file_bytes(f, "log-0000000001"), before);
    assert_int_equal(append_bytes(f, w, 2, STORAGE_AHEAD_BYTES), STATUS_OK);
    drain(f);
    assert_true(file_bytes(f, "log-0000000001") >= before + STORAGE_AHEAD_BYTES);
    crash(f, CRASH_POWER_ALL);
    reopen(f);
    assert_int_equal(recover(f).records, 2);
    close_storage(f); // a closed log has no reserved space
    assert_true(file_bytes(f, "log-0000000001") < STORAGE_AHEAD_BYTES + 4096);
    reopen(f);
}

static int reserves_nothing(disk_file *f, uint64_t from, uint64_t size)
{
    (void)f, (void)from, (void)size;
    return EOPNOTSUPP;
}

static void disk_that_cannot_make_room_gets_a_log_that_grows(void **state)
{
    fixture *f = *state;
    disk_methods poor = *f->disk.base.methods;
    poor.reserve = reserves_nothing;
    crash(f, CRASH_PROCESS);
    f->disk.base.methods = &poor;
    reopen(f);
    storage_world *w = create(f, "w", STORAGE_FULL);
    append(f, w, 1);
    drain(f);
    assert_int_equal(storage_committed(w), 2);
    assert_true(file_bytes(f, "log-0000000001") < 4096);
    crash(f, CRASH_POWER_ALL);
    reopen(f);
    assert_int_equal(recover(f).records, 1);
    storage_abandon(f->storage);
    f->storage = NULL;
}

static void take_log_bytes(void *context, const char *name, uint64_t size)
{
    uint64_t *out = context;
    *out = strcmp(name, "log-0000000001") == 0 ? size : *out;
}

static void still_disk_ends_where_the_log_did_though_it_goes_on(void **state)
{
    fixture *f = *state;
    storage_world *w = create(f, "w", STORAGE_FULL);
    append(f, w, 1);
    drain(f);
    disk *still = NULL;
    assert_int_equal(disk_still_catch(&f->disk.base, &still), 0);
    uint64_t then = 0;
    disk_still_files(still, take_log_bytes, &then);
    assert_in_range(then, 100, 4096);
    append(f, w, 2);
    drain(f);
    disk *later = NULL;
    assert_int_equal(disk_still_catch(&f->disk.base, &later), 0);
    uint64_t now = 0;
    disk_still_files(later, take_log_bytes, &now);
    assert_true(now > then);
    still->methods->destroy(still);
    later->methods->destroy(later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_appends_are_one_write_and_one_sync, setup, teardown),
        cmocka_unit_test_setup_teardown(normal_is_committed_by_the_write_and_full_by_the_sync,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(normal_is_synced_after_a_while, setup, teardown),
        cmocka_unit_test_setup_teardown(owner_is_woken_once_a_group, setup, teardown),
        cmocka_unit_test_setup_teardown(thread_commits_and_close_finishes_what_waits, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(checkpoint_of_every_world_drops_the_log_before_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(image_is_written_in_pieces_between_commits, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(world_destroyed_while_its_log_is_written_is_gone, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(record_and_image_over_their_limit_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(queue_that_is_full_refuses_until_the_disk_has_caught_up,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(names_and_number_of_worlds_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(ticks_that_go_back_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(log_of_a_newer_version_is_refused_and_left_alone, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(sizes_that_a_header_claims_are_not_believed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(second_server_on_the_same_directory_is_told_the_first,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(segment_that_is_missing_is_named, setup, teardown),
        cmocka_unit_test(image_stays_until_the_end_of_its_world_is_on_the_disk),
        cmocka_unit_test_setup_teardown(
            commits_leave_the_size_of_the_log_alone_until_its_room_is_used, setup, teardown),
        cmocka_unit_test_setup_teardown(disk_that_cannot_make_room_gets_a_log_that_grows, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(still_disk_ends_where_the_log_did_though_it_goes_on, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(unfinished_restore_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
