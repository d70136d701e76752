// Marks of changed keys, sorted by key; see data_feed.h. The world's thread.
#include "server/world/snapshots/data_feed.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"

// ---- marks

void data_feed_init(data_feed *f, uint64_t kept_max)
{
    ASSERT(kept_max > 0);
    *f = (data_feed){.kept_max = kept_max};
}

static void forget_all(data_feed *f)
{
    for (uint32_t i = 0; i < f->marks.count; i++) {
        free(f->marks.data[i].key);
    }
    array_clear(&f->marks);
}

void data_feed_deinit(data_feed *f)
{
    forget_all(f);
    array_free(&f->marks);
}

// Readers below `version` are sent all data.
static void raise_floor(data_feed *f, uint64_t version)
{
    forget_all(f);
    f->floor = f->changed = version;
}

static uint32_t place_of(const data_feed *f, const char *key)
{
    uint32_t low = 0;
    uint32_t high = f->marks.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(f->marks.data[middle].key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void mark(data_feed *f, const char *key, uint64_t version)
{
    const uint32_t at = place_of(f, key);
    f->changes++;
    f->changed = version;
    if (at < f->marks.count && strcmp(f->marks.data[at].key, key) == 0) {
        f->marks.data[at].changed = version;
        return;
    }
    if (f->marks.count >= f->kept_max) {
        raise_floor(f, version);
        return;
    }
    const data_mark added = {strdup(key), version};
    ASSERT_MEMORY(added.key != NULL);
    array_insert(&f->marks, at, added);
}

static void note_one(data_feed *f, const command *c, uint64_t version)
{
    if (c->method == METHOD_DATA_SET) {
        mark(f, c->data_set.key, version);
    } else if (c->method == METHOD_DATA_REMOVE) {
        mark(f, c->data_remove.key, version);
    }
}

void data_feed_note(data_feed *f, const command *c, uint64_t version)
{
    const bool batch = c->method == METHOD_WORLD_APPLY;
    for (uint32_t i = 0; i < (batch ? c->apply.count : 1); i++) {
        note_one(f, batch ? &c->apply.commands[i] : c, version);
    }
}

void data_feed_update(data_feed *f, const physics_world *world, uint64_t version)
{
    const uint64_t changes = world_data_count(world).changes;
    if (f->changes != changes) {
        raise_floor(f, version);
        f->changes = changes;
    }
}

void data_feed_trim(data_feed *f, uint64_t oldest)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->marks.count; i++) {
        if (f->marks.data[i].changed > oldest) {
            f->marks.data[kept++] = f->marks.data[i];
        } else {
            free(f->marks.data[i].key);
        }
    }
    f->marks.count = kept;
}

// ---- encoding

static uint32_t encode_all(const physics_world *world, const data_prefixes *wanted, buffer *out)
{
    const uint32_t keys = world_data_count(world).keys;
    uint32_t count = 0;
    for (uint32_t i = 0; i < keys; i++) {
        const world_datum d = world_data_at(world, i);
        if (data_prefixes_has(wanted, d.key)) {
            encode_datum(out, d.key, &d);
            count++;
        }
    }
    return count;
}

uint32_t data_feed_encode(const data_feed *f, const physics_world *world,
                          const data_prefixes *wanted, uint64_t version, bool full, buffer *out)
{
    uint32_t count = 0;
    if (full) {
        return encode_all(world, wanted, out);
    }
    ASSERT(version >= f->floor);
    for (uint32_t i = 0; i < f->marks.count; i++) {
        const data_mark *m = &f->marks.data[i];
        world_datum d;
        if (m->changed > version && data_prefixes_has(wanted, m->key)) {
            const bool there = world_data_find(world, m->key, &d);
            encode_datum(out, m->key, there ? &d : NULL);
            count++;
        }
    }
    return count;
}
