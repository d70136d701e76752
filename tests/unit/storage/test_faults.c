// Every operation on the disk fails, one after the other: once and for good, with an I/O error and
// with a full disk; and the machine stops at every one, start-up and recovery included.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/storage/model.h"

typedef struct fixture {
    fake_disk disk;
    model model;
    storage *storage; // NULL: not open
    storage_options options;
} fixture;

static void setup(fixture *f, uint64_t seed)
{
    fake_disk_init(&f->disk, seed);
    model_init(&f->model, 7);
    f->storage = NULL;
    f->options = storage_options_default();
    f->options.disk = &f->disk.base;
    f->options.segment_bytes = 4000;
}

static void teardown(fixture *f)
{
    if (f->storage != NULL) {
        storage_abandon(f->storage);
    }
    fake_disk_deinit(&f->disk);
    model_deinit(&f->model);
}

static void drain(fixture *f)
{
    while (storage_turn(f->storage)) {
    }
    model_look(&f->model);
}

static void append(fixture *f, model_world *w, int count)
{
    error err;
    for (int i = 0; i < count && w != NULL && w->handle != NULL; i++) {
        (void)model_append(&f->model, w, &err);
        drain(f);
    }
}

// Uses everything that a storage does, whichever operation fails.
static void script(fixture *f)
{
    error err;
    if (storage_open("fake", &f->options, &f->storage, &err) != STATUS_OK) {
        assert_true(strlen(err.text) > 0);
        f->storage = NULL;
        return;
    }
    model_world *full = model_create(&f->model, f->storage, STORAGE_FULL, &err);
    model_world *normal = model_create(&f->model, f->storage, STORAGE_NORMAL, &err);
    append(f, full, 3);
    append(f, normal, 4);
    if (full != NULL) {
        (void)model_checkpoint(&f->model, full, &err);
    }
    append(f, normal, 1);
    drain(f);
    if (normal != NULL) {
        (void)model_checkpoint(&f->model, normal, &err);
    }
    append(f, full, 4);
    model_world *ended = model_create(&f->model, f->storage, STORAGE_FULL, &err);
    append(f, ended, 2);
    if (ended != NULL && ended->handle != NULL) {
        (void)model_destroy(ended, &err);
    }
    drain(f);
    if (full != NULL && full->handle != NULL) {
        (void)model_checkpoint(&f->model, full, &err);
    }
    drain(f);
}

// No world may have lost records without reporting it.
static void assert_nothing_silent(fixture *f, uint64_t operation)
{
    for (int i = 0; i < f->model.count; i++) {
        const model_world *w = &f->model.worlds[i];
        error err = {0};
        if (w->handle != NULL && storage_committed(w->handle) < w->assigned &&
            (storage_state(w->handle, &err) == STATUS_OK || strlen(err.text) == 0)) {
            printf("operation %" PRIu64 ": %s is behind and says nothing\n", operation, w->name);
            fail();
        }
    }
    if (f->model.fault != NULL) {
        printf("operation %" PRIu64 ": %s\n", operation, f->model.text);
        fail();
    }
}

static void assert_recovers(fixture *f, crash_kind kind, uint64_t operation)
{
    if (f->storage != NULL) {
        storage_abandon(f->storage);
        f->storage = NULL;
    }
    model_crash(&f->model, kind);
    fake_disk_crash(&f->disk, kind);
    error err;
    if (storage_open("fake", &f->options, &f->storage, &err) != STATUS_OK) {
        printf("operation %" PRIu64 ", crash %d: refused: %s\n", operation, (int)kind, err.text);
        fail();
    }
    if (!model_recover(&f->model, f->storage)) {
        printf("operation %" PRIu64 ", crash %d: %s\n", operation, (int)kind, f->model.text);
        fail();
    }
}

static uint64_t operations_of_script(void)
{
    fixture f;
    setup(&f, 1);
    script(&f);
    uint64_t count = f.disk.operations;
    assert_nothing_silent(&f, 0);
    assert_null(f.model.fault);
    teardown(&f);
    assert_true(count > 50);
    return count;
}

static void each_operation_fails(uint64_t times, int error_number)
{
    uint64_t count = operations_of_script();
    for (uint64_t n = 1; n <= count; n += case_step()) {
        for (int kind = 0; kind < 3; kind++) {
            fixture f;
            setup(&f, n);
            f.disk.fail_at = n;
            f.disk.fail_count = times;
            f.disk.fail_errno = error_number;
            script(&f);
            assert_nothing_silent(&f, n);
            assert_recovers(&f, (crash_kind)kind, n);
            teardown(&f);
        }
    }
}

static void io_error_at_each_operation_once_is_told_and_recovered(void **state)
{
    (void)state;
    each_operation_fails(1, EIO);
}

static void io_error_from_each_operation_on_is_told_and_recovered(void **state)
{
    (void)state;
    each_operation_fails(UINT64_MAX, EIO);
}

static void disk_full_from_each_operation_on_is_told_and_recovered(void **state)
{
    (void)state;
    each_operation_fails(UINT64_MAX, ENOSPC);
}

static void crash_at_each_operation_and_of_each_start_after_it_is_recovered(void **state)
{
    (void)state;
    uint64_t count = operations_of_script();
    for (uint64_t n = 1; n <= count; n += case_step()) {
        for (int kind = 0; kind < 3; kind++) {
            for (uint64_t again = 1; again < 12; again += 2) {
                fixture f;
                setup(&f, n * 31 + again);
                f.disk.crash_at = n;
                script(&f);
                if (f.storage != NULL) {
                    storage_abandon(f.storage);
                    f.storage = NULL;
                }
                model_crash(&f.model, (crash_kind)kind);
                fake_disk_crash(&f.disk, (crash_kind)kind);
                f.disk.crash_at = f.disk.operations + again; // during the start
                error err;
                if (storage_open("fake", &f.options, &f.storage, &err) != STATUS_OK) {
                    assert_true(f.disk.stopped);
                    f.storage = NULL;
                }
                assert_recovers(&f, (crash_kind)kind, n);
                teardown(&f);
            }
        }
    }
}

// A full disk makes only this world's log fail; space and an image repair it.
static void disk_full_world_goes_on_after_a_checkpoint(void **state)
{
    (void)state;
    fixture f;
    setup(&f, 1);
    f.options.segment_bytes = 100000;
    error err;
    assert_int_equal(storage_open("fake", &f.options, &f.storage, &err), STATUS_OK);
    model_world *w = model_create(&f.model, f.storage, STORAGE_FULL, &err);
    model_world *other = model_create(&f.model, f.storage, STORAGE_NORMAL, &err);
    append(&f, w, 2);
    append(&f, other, 2);
    f.disk.fail_at = f.disk.operations + 1;
    f.disk.fail_errno = ENOSPC;
    f.disk.fail_count = 1; // the write fails; undoing it works
    append(&f, w, 1);
    assert_int_equal(storage_state(w->handle, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "No space left"));
    assert_non_null(strstr(err.text, "make room"));
    assert_int_equal(model_append(&f.model, w, &err), STATUS_UNAVAILABLE);
    assert_int_equal(storage_state(other->handle, &err), STATUS_OK);
    assert_false(storage_takes_nothing(f.storage, &err));
    append(&f, other, 2);
    assert_int_equal(storage_committed(other->handle), other->assigned);
    f.disk.fail_at = f.disk.operations + 1;
    append(&f, other, 1);
    err.text[0] = '\0';
    assert_true(storage_takes_nothing(f.storage, &err));
    assert_non_null(strstr(err.text, "No space left"));
    assert_int_equal(model_checkpoint(&f.model, other, &err), STATUS_OK);
    drain(&f);
    assert_false(storage_takes_nothing(f.storage, &err));
    assert_int_equal(model_checkpoint(&f.model, w, &err), STATUS_OK);
    drain(&f);
    assert_int_equal(storage_state(w->handle, &err), STATUS_OK);
    assert_int_equal(storage_committed(w->handle), w->assigned);
    append(&f, w, 2);
    assert_int_equal(storage_committed(w->handle), w->assigned);
    assert_recovers(&f, CRASH_POWER_ALL, 0);
    teardown(&f);
}

static void sync_that_fails_stops_every_world_until_a_restart(void **state)
{
    (void)state;
    fixture f;
    setup(&f, 1);
    error err;
    assert_int_equal(storage_open("fake", &f.options, &f.storage, &err), STATUS_OK);
    model_world *full = model_create(&f.model, f.storage, STORAGE_FULL, &err);
    model_world *normal = model_create(&f.model, f.storage, STORAGE_NORMAL, &err);
    append(&f, full, 1);
    f.disk.fail_at = f.disk.operations + 2; // the sync behind the next write
    f.disk.fail_count = 1;
    f.disk.fail_errno = EIO;
    append(&f, full, 1);
    assert_int_equal(storage_state(full->handle, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "restarted"));
    assert_int_equal(storage_state(normal->handle, &err), STATUS_UNAVAILABLE);
    assert_int_equal(model_checkpoint(&f.model, full, &err), STATUS_UNAVAILABLE);
    storage_world *none;
    assert_int_equal(storage_create(f.storage, "x", 1, STORAGE_FULL, &none, &err),
                     STATUS_UNAVAILABLE);
    error closing;
    assert_int_equal(storage_close(f.storage, &closing), STATUS_UNAVAILABLE);
    f.storage = NULL;
    assert_recovers(&f, CRASH_PROCESS, 0);
    // The bytes that the failed sync lost were written again, so a power failure loses nothing.
    assert_recovers(&f, CRASH_POWER_ALL, 0);
    teardown(&f);
}

// With any argument it prints the storage's log.
int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 1 && freopen("/dev/null", "w", stderr) == NULL) { // the storage logs every failure
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(io_error_at_each_operation_once_is_told_and_recovered),
        cmocka_unit_test(io_error_from_each_operation_on_is_told_and_recovered),
        cmocka_unit_test(disk_full_from_each_operation_on_is_told_and_recovered),
        cmocka_unit_test(crash_at_each_operation_and_of_each_start_after_it_is_recovered),
        cmocka_unit_test(disk_full_world_goes_on_after_a_checkpoint),
        cmocka_unit_test(sync_that_fails_stops_every_world_until_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
