// The storage in normal operation: commits, checkpoints, the ends of worlds, and its limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/storage/storage_rig.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
