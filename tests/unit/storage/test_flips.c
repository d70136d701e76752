// Every byte of every file, changed; every file, cut at every length; missing or exchanged files: a
// start either refuses, with a reason and without a change, or restores exactly the former state.
// If only an image is damaged, its world is reported, its file stays, and the other worlds are
// restored.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/storage/scan.h"
#include "tests/unit/storage/model.h"

typedef struct fixture {
    fake_disk disk;
    model model;
} fixture;

static storage_options options_on(fake_disk *d)
{
    storage_options o = storage_options_default();
    o.disk = &d->base;
    o.segment_bytes = 3000;
    return o;
}

static void drain(storage *s)
{
    while (storage_turn(s)) {
    }
}

// Worlds of both durabilities, images, a destroyed world, several segments.
static void build(fixture *f, bool clean)
{
    fake_disk_init(&f->disk, 1);
    model_init(&f->model, 3);
    storage_options o = options_on(&f->disk);
    storage *s;
    error err;
    assert_int_equal(storage_open("fake", &o, &s, &err), STATUS_OK);
    model_world *full = model_create(&f->model, s, STORAGE_FULL, &err);
    model_world *normal = model_create(&f->model, s, STORAGE_NORMAL, &err);
    model_world *ended = model_create(&f->model, s, STORAGE_FULL, &err);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(model_append(&f->model, full, &err), STATUS_OK);
        assert_int_equal(model_append(&f->model, normal, &err), STATUS_OK);
        drain(s);
    }
    assert_int_equal(model_checkpoint(&f->model, full, &err), STATUS_OK);
    assert_int_equal(model_destroy(ended, &err), STATUS_OK);
    drain(s);
    model_look(&f->model);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(model_append(&f->model, full, &err), STATUS_OK);
        drain(s);
    }
    model_look(&f->model);
    if (clean) {
        assert_int_equal(storage_close(s, &err), STATUS_OK);
    } else {
        storage_abandon(s);
    }
    model_crash(&f->model, CRASH_PROCESS);
}

static void finish(fixture *f)
{
    fake_disk_deinit(&f->disk);
    model_deinit(&f->model);
}

static bool is_image(const char *name)
{
    return strncmp(name, "image-", 6) == 0;
}

// Whether a file is as the damage left it: with the same bytes, or missing.
static bool is_kept(fake_disk *before, fake_disk *after, const char *name)
{
    uint64_t size = UINT64_MAX; // the initial value while there is no file
    uint64_t left = UINT64_MAX;
    const uint8_t *was = fake_disk_bytes(before, name, &size);
    const uint8_t *is = fake_disk_bytes(after, name, &left);
    return size == left && (was == NULL || memcmp(was, is, size) == 0);
}

// Starts on the disk, of which the file `name` is damaged. True: the start was refused without any
// change; or everything is restored except for an image, which is reported and kept. A scratch
// model leaves f->model unchanged. `refused`: the damage was found.
static bool judged(const fixture *f, fake_disk *d, const char *name, bool *refused, char text[256])
{
    model m = f->model;
    m.damaging = is_image(name);
    fake_disk before;
    fake_disk_copy(&before, d);
    storage_options o = options_on(d);
    storage *s;
    error err;
    const uint64_t operations = d->operations;
    *refused = storage_open("fake", &o, &s, &err) != STATUS_OK;
    snprintf(text, 256, "%s", *refused ? err.text : "");
    bool good = false;
    if (*refused) {
        good = d->operations == operations && strlen(err.text) > 0 && !is_image(name);
    } else {
        good = model_recover(&m, s);
        storage_abandon(s);
        snprintf(text, 256, "%s", m.text);
        *refused = m.unsound > 0;
        good = good && m.unsound <= 1 && (!is_image(name) || is_kept(&before, d, name));
    }
    fake_disk_deinit(&before);
    return good;
}

typedef struct names {
    char name[32][64];
    int count;
} names;

static void collect(void *context, const char *name)
{
    names *n = context;
    snprintf(n->name[n->count++], 64, "%s", name);
}

// The size without the zeros behind the end of a log (reserved space).
static uint64_t used_bytes(fake_disk *d, const char *name)
{
    uint64_t size = 0;
    (void)fake_disk_bytes(d, name, &size);
    if (strncmp(name, "log-", 4) != 0) {
        return size;
    }
    scan file;
    scanned_group g;
    error err;
    assert_int_equal(scan_open(&file, &d->base, strtoull(name + 4, NULL, 10), 0, &err), STATUS_OK);
    while (scan_next(&file, &g, &err) == SCAN_GROUP) {
    }
    size = file.offset;
    scan_close(&file);
    return size;
}

static void every_changed_byte_is_refused_or_harmless(void **state)
{
    (void)state;
    for (int clean = 0; clean < 2; clean++) {
        fixture f;
        build(&f, clean == 1);
        names n = {0};
        fake_disk_each(&f.disk, collect, &n);
        assert_true(n.count >= 4);
        uint64_t refusals = 0;
        uint64_t tries = 0;
        for (int i = 0; i < n.count; i++) {
            uint64_t size = 0;
            fake_disk_bytes(&f.disk, n.name[i], &size);
            uint64_t stride = size > 40000 ? 997 : case_step(); // images are large and uniform
            const uint64_t used = used_bytes(&f.disk, n.name[i]);
            for (uint64_t at = 0; at < size; at += stride) {
                fake_disk d;
                fake_disk_copy(&d, &f.disk);
                fake_disk_flip(&d, n.name[i], at, (uint8_t)(1u << (at % 8)));
                bool refused;
                char text[256];
                if (!judged(&f, &d, n.name[i], &refused, text)) {
                    printf("%s, byte %" PRIu64 " of %" PRIu64 ": %s\n", n.name[i], at, size, text);
                    fail();
                }
                bool counts = at < used;
                assert_true(counts || !refused);
                refusals += refused;
                tries += counts;
                fake_disk_deinit(&d);
            }
        }
        print_message("%" PRIu64 " of %" PRIu64 " changed bytes refused, the others harmless\n",
                      refusals, tries);
        assert_true(refusals * 100 > tries * 95);
        finish(&f);
    }
}

static void every_file_cut_off_after_a_clean_close_is_refused(void **state)
{
    (void)state;
    fixture f;
    build(&f, true);
    names n = {0};
    fake_disk_each(&f.disk, collect, &n);
    for (int i = 0; i < n.count; i++) {
        uint64_t size = 0;
        fake_disk_bytes(&f.disk, n.name[i], &size);
        uint64_t stride = size > 40000 ? 997 : case_step();
        for (uint64_t end = 0; end < size; end += stride) {
            fake_disk d;
            fake_disk_copy(&d, &f.disk);
            fake_disk_cut(&d, n.name[i], end);
            bool refused;
            char text[256];
            bool good = judged(&f, &d, n.name[i], &refused, text);
            if (!good || !refused) {
                printf("%s cut at %" PRIu64 ": %s\n", n.name[i], end, text);
                fail();
            }
            fake_disk_deinit(&d);
        }
        fake_disk d;
        fake_disk_copy(&d, &f.disk);
        fake_disk_remove(&d, n.name[i]);
        bool refused;
        char text[256];
        bool good = judged(&f, &d, n.name[i], &refused, text);
        assert_true(good);
        assert_true(refused || strcmp(n.name[i], "closed") == 0);
        fake_disk_deinit(&d);
    }
    finish(&f);
}

static void last_segment(fixture *f, char out[64])
{
    names n = {0};
    fake_disk_each(&f->disk, collect, &n);
    out[0] = '\0';
    for (int i = 0; i < n.count; i++) {
        if (strncmp(n.name[i], "log-", 4) == 0 && strcmp(n.name[i], out) > 0) {
            snprintf(out, 64, "%s", n.name[i]);
        }
    }
}

// Only a part of a write arrived: the log ends with the group before, and continues there.
static void torn_last_record_is_cut_off(void **state)
{
    (void)state;
    fixture f;
    build(&f, false);
    char name[64];
    last_segment(&f, name);
    const uint64_t sealed = used_bytes(&f.disk, name);
    storage_options o = options_on(&f.disk);
    o.segment_bytes = 100000;
    storage *s;
    error err;
    // A further group, so that there is one to tear.
    assert_int_equal(storage_open("fake", &o, &s, &err), STATUS_OK);
    assert_true(model_recover(&f.model, s));
    model_world *normal = &f.model.worlds[1];
    uint64_t before = normal->assigned;
    assert_int_equal(model_append(&f.model, normal, &err), STATUS_OK);
    drain(s);
    storage_abandon(s);
    const uint64_t whole = used_bytes(&f.disk, name);
    assert_true(whole > sealed);
    for (uint64_t at = sealed + 1; at < 2 * whole - sealed - 1; at += case_step()) {
        uint64_t end = at < whole ? at : sealed + 1 + (at - whole);
        uint64_t file = 0;
        fake_disk d;
        fake_disk_copy(&d, &f.disk);
        uint8_t *bytes = fake_disk_bytes(&d, name, &file);
        uint64_t zeros = end;
        while (zeros < whole && bytes[zeros] == 0) {
            zeros++;
        }
        if (at >= whole && zeros == whole) { // zero anyway: nothing is torn
            fake_disk_deinit(&d);
            continue;
        }
        if (at < whole) {
            fake_disk_cut(&d, name, end); // the file ends there
        } else {
            memset(bytes + end, 0, file - end); // or has the reserved space behind it
        }
        storage_options on_copy = options_on(&d);
        model m = f.model;
        model_crash(&m, CRASH_POWER_ALL); // nothing of it was committed
        assert_int_equal(storage_open("fake", &on_copy, &s, &err), STATUS_OK);
        assert_true(model_recover(&m, s));
        assert_int_equal(m.worlds[1].assigned, before);
        uint64_t size = 0;
        fake_disk_bytes(&d, name, &size);
        assert_int_equal(size, sealed);
        storage_abandon(s);
        fake_disk_deinit(&d);
    }
    finish(&f);
}

int main(void)
{
    if (freopen("/dev/null", "w", stderr) == NULL) { // torn ends are logged each time
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_changed_byte_is_refused_or_harmless),
        cmocka_unit_test(every_file_cut_off_after_a_clean_close_is_refused),
        cmocka_unit_test(torn_last_record_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
