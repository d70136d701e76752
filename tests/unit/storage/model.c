// See model.h.
#include "tests/unit/storage/model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { RECORD_MAX = 2000, IMAGE_MAX = 400000 };

static void wrong(model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(model *m, const char *format, ...)
{
    if (m->fault == NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(m->text, sizeof m->text, format, args);
        va_end(args);
        m->fault = m->text;
    }
}

void model_init(model *m, uint64_t seed)
{
    *m = (model){.random = seed};
}

void model_deinit(model *m)
{
    for (int i = 0; i < m->count; i++) {
        array_free(&m->worlds[i].nonces);
        array_free(&m->worlds[i].images);
    }
}

shared_bytes *model_bytes(uint64_t nonce, bool image)
{
    uint64_t state = nonce;
    size_t size = (size_t)(fake_random(&state) % (image ? IMAGE_MAX : RECORD_MAX));
    size = !image && nonce % 5 == 0 ? 0 : size;
    shared_bytes *b = bytes_create(size + 8);
    for (size_t i = 0; i < size; i += 8) {
        put64(b->data + i, fake_random(&state));
    }
    b->size = size;
    return b;
}

static bool same_bytes(uint64_t nonce, bool image, uint64_t offset, const uint8_t *bytes,
                       size_t size, bool whole)
{
    shared_bytes *b = model_bytes(nonce, image);
    bool same = offset + size <= b->size && (!whole || size == b->size) &&
                memcmp(b->data + offset, bytes, size) == 0;
    bytes_unref(b);
    return same;
}

model_world *model_create(model *m, storage *s, storage_durability durability, error *err)
{
    model_world *w = NULL;
    for (int i = 0; i < m->count; i++) {
        w = m->worlds[i].destroyed ? &m->worlds[i] : w;
    }
    w = w == NULL && m->count < 8 ? &m->worlds[m->count++] : w;
    if (w == NULL) {
        return NULL;
    }
    array_free(&w->nonces);
    array_free(&w->images);
    *w = (model_world){.durability = durability, .epoch = ++m->names, .assigned = 1};
    snprintf(w->name, sizeof w->name, "world-%" PRIu64, m->names);
    status result = storage_create(s, w->name, w->epoch, durability, &w->handle, err);
    if (result != STATUS_OK) {
        w->destroyed = true;
    }
    return result == STATUS_OK ? w : NULL;
}

static void set_at(model_world *w, uint64_t sequence, uint64_t nonce, bool image)
{
    ASSERT(sequence < 1 << 20);
    if (image) {
        while (w->images.count <= sequence) {
            array_push(&w->images, 0);
        }
        w->images.data[sequence] = nonce;
    } else {
        while (w->nonces.count <= sequence) {
            array_push(&w->nonces, 0);
        }
        w->nonces.data[sequence] = nonce;
    }
}

status model_append(model *m, model_world *w, error *err)
{
    uint64_t nonce = fake_random(&m->random) | 1;
    uint64_t tick = w->tick + fake_random(&m->random) % 3;
    uint64_t last = tick + fake_random(&m->random) % 3;
    shared_bytes *b = model_bytes(nonce, false);
    uint64_t sequence = 0;
    status result =
        storage_append(w->handle, tick, last, nonce % 2 ? &nonce : NULL, b, &sequence, err);
    bytes_unref(b);
    if (result == STATUS_OK) {
        w->assigned++;
        if (sequence != w->assigned) {
            wrong(m, "%s: sequence %" PRIu64 ", expected %" PRIu64, w->name, sequence, w->assigned);
        }
        w->tick = last;
        set_at(w, sequence, nonce, false);
    }
    return result;
}

status model_checkpoint(model *m, model_world *w, error *err)
{
    // The image of one sequence and tick is always the same.
    uint64_t nonce = w->epoch * 1000003 + w->assigned * 7919 +
                     (w->nonces.count > w->assigned ? w->nonces.data[w->assigned] : 0);
    shared_bytes *b = model_bytes(nonce, true);
    (void)m;
    status result = storage_checkpoint(w->handle, w->tick, &nonce, b, err);
    bytes_unref(b);
    if (result == STATUS_OK) {
        set_at(w, w->assigned, nonce, true);
    }
    return result;
}

status model_destroy(model_world *w, error *err)
{
    uint64_t sequence = 0;
    status result = storage_destroy(w->handle, &sequence, err);
    if (result == STATUS_OK) {
        w->destroying = true;
        w->assigned = sequence;
    }
    return result;
}

void model_look(model *m)
{
    for (int i = 0; i < m->count; i++) {
        model_world *w = &m->worlds[i];
        if (w->handle == NULL) {
            continue;
        }
        uint64_t committed = storage_committed(w->handle);
        if (committed < w->promised || committed > w->assigned) {
            wrong(m, "%s: committed %" PRIu64 " after %" PRIu64 ", assigned %" PRIu64, w->name,
                  committed, w->promised, w->assigned);
        }
        w->promised = committed;
        if (w->destroying && committed == w->assigned) {
            w->destroyed = true;
            storage_release(w->handle);
            w->handle = NULL;
        }
    }
}

void model_crash(model *m, crash_kind kind)
{
    for (int i = 0; i < m->count; i++) {
        model_world *w = &m->worlds[i];
        bool kept = w->durability == STORAGE_FULL ||
                    (w->durability == STORAGE_NORMAL && kind == CRASH_PROCESS);
        w->promised = kept ? w->promised : 0;
        w->handle = NULL;
        w->found = false;
    }
}

// ---- judging a recovery

static model_world *find(model *m, const char *name)
{
    for (int i = 0; i < m->count; i++) {
        if (strcmp(m->worlds[i].name, name) == 0) {
            return &m->worlds[i];
        }
    }
    return NULL;
}

static model_world *find_handle(model *m, const storage_world *handle)
{
    for (int i = 0; i < m->count; i++) {
        if (m->worlds[i].handle == handle) {
            return &m->worlds[i];
        }
    }
    return NULL;
}

static status on_world(void *context, storage_world *handle, const storage_info *info, error *err)
{
    model *m = context;
    (void)err;
    model_world *w = find(m, info->name);
    if (w == NULL || w->found || w->destroyed) {
        wrong(m, "%s is there%s", info->name,
              w != NULL && w->destroyed ? " and was destroyed" : "");
        return STATUS_OK;
    }
    w->found = true;
    w->handle = handle;
    if (info->epoch != w->epoch || info->durability != w->durability ||
        info->sequence < w->promised || info->sequence > w->assigned) {
        wrong(m, "%s: up to %" PRIu64 ", promised %" PRIu64 ", assigned %" PRIu64, w->name,
              info->sequence, w->promised, w->assigned);
    }
    m->unsound += info->unsound != NULL;
    if (info->unsound != NULL && !m->damaging) {
        wrong(m, "%s: %s", w->name, info->unsound);
    }
    w->found_image = info->has_image ? info->image_sequence : 0;
    w->found_next = info->has_image ? info->image_sequence + 1 : 2;
    uint64_t nonce = w->found_image < w->images.count ? w->images.data[w->found_image] : 0;
    if (info->has_image) {
        shared_bytes *b = model_bytes(nonce, true);
        if (nonce == 0 || b->size != info->image_size || info->image_hash != nonce) {
            wrong(m, "%s: an image at %" PRIu64 " that was never made", w->name, w->found_image);
        }
        bytes_unref(b);
    }
    w->assigned = info->sequence;
    w->tick = info->last_tick;
    return STATUS_OK;
}

static status on_image(void *context, storage_world *handle, uint64_t offset, const uint8_t *bytes,
                       size_t size, error *err)
{
    model *m = context;
    (void)err;
    model_world *w = find_handle(m, handle);
    if (w != NULL && m->fault == NULL &&
        !same_bytes(w->images.data[w->found_image], true, offset, bytes, size, false)) {
        wrong(m, "%s: the image's bytes at %" PRIu64 " differ", w->name, offset);
    }
    return STATUS_OK;
}

static status on_record(void *context, storage_world *handle, const storage_record *r, error *err)
{
    model *m = context;
    (void)err;
    model_world *w = find_handle(m, handle);
    if (w == NULL || m->fault != NULL) {
        return STATUS_OK;
    }
    uint64_t nonce = r->sequence < w->nonces.count ? w->nonces.data[r->sequence] : 0;
    if (r->sequence != w->found_next++ || nonce == 0 ||
        !same_bytes(nonce, false, 0, r->bytes, r->size, true) || r->has_hash != (nonce % 2 == 1) ||
        (r->has_hash && r->hash != nonce)) {
        wrong(m, "%s: record %" PRIu64 " is not what was appended", w->name, r->sequence);
    }
    return STATUS_OK;
}

bool model_recover(model *m, storage *s)
{
    storage_visitor visitor = {m, on_world, on_image, on_record};
    error err;
    status result = storage_recover(s, &visitor, &err);
    if (result != STATUS_OK) {
        wrong(m, "recovery failed: %s", err.text);
    }
    for (int i = 0; i < m->count; i++) {
        model_world *w = &m->worlds[i];
        bool must =
            w->promised > 0 && !w->destroying && !w->destroyed && w->durability != STORAGE_NONE;
        if (w->found && w->found_next != w->assigned + 1) {
            wrong(m, "%s: records end at %" PRIu64 ", not at %" PRIu64, w->name, w->found_next - 1,
                  w->assigned);
        }
        if (!w->found && must) {
            wrong(m, "%s is missing", w->name);
        }
        if (!w->found) {
            w->destroyed = true; // its place is free
        }
        w->destroying = false;
    }
    return m->fault == NULL;
}
