// When the storage syncs what `normal` worlds have written.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/storage/model.h"

enum { MS = 1000000, SYNC_MS = 1000 };

static int64_t now;

static int64_t fake_clock(void)
{
    return now;
}

typedef struct fixture {
    fake_disk disk;
    storage *storage;
    storage_world *world;
    uint64_t tick;
    error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    now = 0;
    fake_disk_init(&f->disk, 1);
    storage_options options = storage_options_default();
    options.disk = &f->disk.base;
    options.clock = fake_clock;
    options.sync_ms = SYNC_MS;
    assert_int_equal(storage_open("fake", &options, &f->storage, &f->err), STATUS_OK);
    assert_int_equal(storage_create(f->storage, "world", 1, STORAGE_NORMAL, &f->world, &f->err),
                     STATUS_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    storage_abandon(f->storage);
    fake_disk_deinit(&f->disk);
    free(f);
    return 0;
}

// The syncs of one turn of the storage thread at this time, with a record to write or without.
static uint64_t syncs_at(fixture *f, int64_t ms, bool commits)
{
    uint64_t before = storage_read_figures(f->storage).syncs;
    now = ms * MS;
    if (commits) {
        shared_bytes *b = bytes_create(100);
        memset(b->data, 'x', 100);
        b->size = 100;
        uint64_t sequence;
        f->tick++;
        assert_int_equal(storage_append(f->world, f->tick, f->tick, NULL, b, &sequence, &f->err),
                         STATUS_OK);
        bytes_unref(b);
    }
    while (storage_turn(f->storage)) {
    }
    return storage_read_figures(f->storage).syncs - before;
}

// Ticks at 60 Hz and a sync a second: a sync at the deadline would meet every sixtieth commit.
static void sync_of_ticking_world_falls_behind_a_commit(void **state)
{
    fixture *f = *state;
    syncs_at(f, 0, true);
    syncs_at(f, SYNC_MS, false); // ignores the syncs of the creation
    assert_int_equal(syncs_at(f, 2000, true), 0);
    assert_int_equal(syncs_at(f, 2740, true), 0);
    assert_int_equal(syncs_at(f, 2751, false), 0);
    assert_int_equal(syncs_at(f, 2760, true), 1);
    assert_int_equal(syncs_at(f, 3000, false), 0);
    assert_int_equal(syncs_at(f, 3100, true), 0);
}

static void sync_without_another_commit_comes_at_its_deadline(void **state)
{
    fixture *f = *state;
    syncs_at(f, 0, true);
    syncs_at(f, SYNC_MS, false);
    assert_int_equal(syncs_at(f, 2000, true), 0);
    assert_int_equal(syncs_at(f, 2999, false), 0);
    assert_int_equal(syncs_at(f, 3000, false), 1);
    assert_int_equal(syncs_at(f, 9000, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sync_of_ticking_world_falls_behind_a_commit, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(sync_without_another_commit_comes_at_its_deadline, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
