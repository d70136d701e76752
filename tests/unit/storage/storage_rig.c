// See storage_rig.h.
#include "tests/unit/storage/storage_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int setup(void **state)
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

int teardown(void **state)
{
    fixture *f = *state;
    if (f->storage != NULL) {
        storage_abandon(f->storage);
    }
    fake_disk_deinit(&f->disk);
    free(f);
    return 0;
}

void drain(fixture *f)
{
    while (storage_turn(f->storage)) {
    }
}

void close_storage(fixture *f)
{
    assert_int_equal(storage_close(f->storage, &f->err), STATUS_OK);
    f->storage = NULL;
}

void crash(fixture *f, crash_kind kind)
{
    if (f->storage != NULL) {
        storage_abandon(f->storage);
        f->storage = NULL;
    }
    fake_disk_crash(&f->disk, kind);
}

void reopen(fixture *f)
{
    status s = storage_open("fake", &f->options, &f->storage, &f->err);
    if (s != STATUS_OK) {
        print_message("%s\n", f->err.text);
    }
    assert_int_equal(s, STATUS_OK);
}

void assert_refused(fixture *f, const char *text)
{
    assert_int_not_equal(storage_open("fake", &f->options, &f->storage, &f->err), STATUS_OK);
    f->storage = NULL;
    if (strstr(f->err.text, text) == NULL) {
        print_message("'%s' lacks '%s'\n", f->err.text, text);
    }
    assert_non_null(strstr(f->err.text, text));
}

storage_world *create(fixture *f, const char *name, storage_durability durability)
{
    storage_world *w;
    assert_int_equal(storage_create(f->storage, name, 5, durability, &w, &f->err), STATUS_OK);
    return w;
}

status append_bytes(fixture *f, storage_world *w, uint64_t tick, size_t size)
{
    shared_bytes *b = bytes_create(size);
    memset(b->data, 'x', size);
    b->size = size;
    uint64_t sequence;
    status s = storage_append(w, tick, tick, NULL, b, &sequence, &f->err);
    bytes_unref(b);
    return s;
}

void append(fixture *f, storage_world *w, uint64_t tick)
{
    assert_int_equal(append_bytes(f, w, tick, 100), STATUS_OK);
}

status checkpoint(fixture *f, storage_world *w, uint64_t tick, size_t size)
{
    shared_bytes *b = bytes_create(size);
    memset(b->data, 'i', size);
    b->size = size;
    status s = storage_checkpoint(w, tick, NULL, b, &f->err);
    bytes_unref(b);
    return s;
}

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

storage_visitor visit_by(seen *v)
{
    return (storage_visitor){v, see_world, see_image, see_record};
}

seen recover(fixture *f)
{
    seen v = {0};
    const storage_visitor visitor = visit_by(&v);
    assert_int_equal(storage_recover(f->storage, &visitor, &f->err), STATUS_OK);
    return v;
}

static const char *wanted_prefix;

static void count_file(void *context, const char *name)
{
    *(uint64_t *)context += strncmp(name, wanted_prefix, strlen(wanted_prefix)) == 0;
}

uint64_t count_files(fixture *f, const char *prefix)
{
    uint64_t count = 0;
    wanted_prefix = prefix;
    fake_disk_each(&f->disk, count_file, &count);
    return count;
}
