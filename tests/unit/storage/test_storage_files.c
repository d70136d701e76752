// Files of the storage: those with false contents are refused; the room ahead of the log.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/crc32c.h"
#include "server/storage/disk_still.h"
#include "tests/unit/storage/storage_rig.h"

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
    const storage_visitor visitor = visit_by(&v);
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
