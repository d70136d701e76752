// Any number of worlds, commits, images, ends of worlds, failing writes; a crash of the process or
// of the power at any operation; a start, which may crash too; afterwards nothing committed is
// missing, nothing is restored that was not appended, and the storage still works.
//
// A seed is a run. Usage: test_storage_crash [FIRST_SEED [SEEDS]]; for a single seed it prints the
// disk's operations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "tests/unit/storage/model.h"

enum { SEEDS = 600, FAULT_SEEDS = 400, LIVES = 6, STEPS = 60 };

static uint64_t first_seed = 1;
static uint64_t seeds;
static int64_t fake_now;

static int64_t fake_clock(void)
{
    return fake_now;
}

typedef struct plant {
    bool skips_sync, skips_sync_names;
} plant;

typedef struct run {
    fake_disk disk;
    model model;
    storage *storage;
    storage_options options;
} run;

static uint64_t roll(run *r, uint64_t sides)
{
    return fake_random(&r->model.random) % sides;
}

static model_world *any_world(run *r)
{
    if (r->model.count == 0) {
        return NULL;
    }
    model_world *w = &r->model.worlds[roll(r, (uint64_t)r->model.count)];
    return w->handle != NULL && !w->destroying ? w : NULL;
}

// Performs one operation of the owners, or some turns of the storage.
static void step(run *r)
{
    error err;
    model_world *w = any_world(r);
    uint64_t what = roll(r, 20);
    if (what == 0 || w == NULL) {
        (void)model_create(&r->model, r->storage, (storage_durability)roll(r, 3), &err);
    } else if (what == 1 && roll(r, 3) == 0) {
        (void)model_destroy(w, &err);
    } else if (what <= 3 || storage_state(w->handle, &err) != STATUS_OK) {
        (void)model_checkpoint(&r->model, w, &err);
    } else if (what <= 13) {
        (void)model_append(&r->model, w, &err);
    } else {
        fake_now += (int64_t)roll(r, 400) * 1000000;
        for (uint64_t turns = roll(r, 4); turns > 0; turns--) {
            (void)storage_turn(r->storage);
        }
        model_look(&r->model);
    }
}

static void live(run *r)
{
    fake_disk *d = &r->disk;
    d->fail_one_in = roll(r, 3) == 0 ? 20 + (uint32_t)roll(r, 100) : 0;
    d->capacity = roll(r, 6) == 0 ? 100000 + roll(r, 900000) : 0;
    d->crash_at = roll(r, 4) == 0 ? 0 : d->operations + 1 + roll(r, 150);
    for (uint64_t i = roll(r, STEPS); i > 0 && !d->stopped; i--) {
        step(r);
    }
}

// Opens, with crashes on the way now and then. False: refused, although the disk was intact.
static bool open_storage(run *r, crash_kind kind)
{
    for (int attempt = 0; attempt < 4; attempt++) {
        error err;
        r->disk.crash_at =
            attempt < 3 && roll(r, 3) == 0 ? r->disk.operations + 1 + roll(r, 12) : 0;
        r->disk.capacity = 0;
        if (storage_open("fake", &r->options, &r->storage, &err) == STATUS_OK) {
            return true;
        }
        if (!r->disk.stopped) {
            snprintf(r->model.text, sizeof r->model.text, "refused: %.240s", err.text);
            r->model.fault = r->model.text;
            return false;
        }
        fake_disk_crash(&r->disk, kind);
    }
    return false;
}

// Closes one in four servers, if the disk allows it.
static void end_life(run *r)
{
    error err;
    if (r->storage != NULL && roll(r, 4) == 0) {
        (void)storage_close(r->storage, &err);
    } else if (r->storage != NULL) {
        storage_abandon(r->storage);
    }
    r->storage = NULL;
}

// True if everything committed survived; otherwise r->model.text says what did not.
static bool one_seed(uint64_t seed, plant planted, char text[256])
{
    run r;
    fake_disk_init(&r.disk, seed * 3 + 1);
    model_init(&r.model, seed);
    r.disk.trace = seeds == 1 && !planted.skips_sync && !planted.skips_sync_names;
    r.disk.skips_sync = planted.skips_sync;
    r.disk.skips_sync_names = planted.skips_sync_names;
    r.options = storage_options_default();
    r.options.disk = &r.disk.base;
    r.options.clock = fake_clock;
    r.options.segment_bytes = 2000 + roll(&r, 40000);
    r.options.queue_bytes = 20000 + roll(&r, 100000);
    r.options.log_bytes = 50000;
    crash_kind kind = CRASH_PROCESS;
    bool good = true;
    for (int life = 0; life < LIVES && good; life++) {
        good = open_storage(&r, kind) && model_recover(&r.model, r.storage);
        if (r.storage != NULL && good) {
            live(&r);
            model_look(&r.model);
        }
        end_life(&r);
        kind = (crash_kind)roll(&r, 3);
        model_crash(&r.model, kind);
        fake_disk_crash(&r.disk, kind);
        good = good && r.model.fault == NULL;
    }
    memcpy(text, r.model.text, 256);
    model_deinit(&r.model);
    fake_disk_deinit(&r.disk);
    return good;
}

static void crash_at_any_place_loses_nothing_promised(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        char text[256] = "";
        if (!one_seed(seed, (plant){0}, text)) {
            printf("seed %" PRIu64 ": %s; repeat with: test_storage_crash %" PRIu64 " 1\n", seed,
                   text, seed);
            fail();
        }
    }
}

// The first seed that finds the fault; 0 if none does.
static uint64_t finds(plant planted, char text[256])
{
    for (uint64_t seed = 1; seed <= FAULT_SEEDS; seed++) {
        if (!one_seed(seed, planted, text)) {
            return seed;
        }
    }
    return 0;
}

static void answer_before_the_sync_is_found(void **state)
{
    (void)state;
    char text[256];
    uint64_t seed = finds((plant){.skips_sync = true}, text);
    print_message("found by seed %" PRIu64 ": %s\n", seed, text);
    assert_true(seed > 0);
}

static void directory_that_is_not_synced_is_found(void **state)
{
    (void)state;
    char text[256];
    uint64_t seed = finds((plant){.skips_sync_names = true}, text);
    print_message("found by seed %" PRIu64 ": %s\n", seed, text);
    assert_true(seed > 0);
}

int main(int argc, char **argv)
{
    first_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : first_seed;
    seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : SEEDS / case_step();
    // The storage logs each of the thousands of intended failures.
    if (seeds > 1 && freopen("/dev/null", "w", stderr) == NULL) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crash_at_any_place_loses_nothing_promised),
        cmocka_unit_test(answer_before_the_sync_is_found),
        cmocka_unit_test(directory_that_is_not_synced_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
