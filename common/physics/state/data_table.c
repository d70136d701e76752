// A sorted array of pointers to entries; see data_table.h. An entry never changes: another value is
// another entry. The rows of the state hash are added and subtracted as entries come and go, so the
// hash of a world costs the same with any amount of data.
#include "common/physics/state/data_table.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/base/block.h"
#include "common/base/packed_value.h"
#include "common/base/utf8.h"
#include "common/physics/state/hash_rows.h"
#include "common/physics/state/world.h"

_Static_assert((int)DATA_VALUE_DEPTH_MAX <= (int)PACKED_VALUE_DEPTH_MAX,
               "the check counts as deep");
_Static_assert(sizeof(datum) + sizeof(datum *) + 1 <= DATUM_BYTES, "an entry's memory is counted");

// ---- entries

static size_t block_bytes(const datum *d)
{
    return sizeof *d + d->key_size + 1 + d->size;
}

static uint64_t hash_datum(const datum *d)
{
    fold_words sum = fold_start(ROW_DATUM, d->version, d->size);
    return fold_end(fold_add(sum, 1,
                             fold_of_words(hash_bytes(BYTES_KEY, d->key, d->key_size),
                                           hash_bytes(BYTES_VALUE, datum_value(d), d->size))));
}

static datum *datum_create(const char *key, const uint8_t *value, uint32_t size, uint64_t version)
{
    const size_t key_size = strlen(key);
    datum *d = block_take(sizeof *d + key_size + 1 + size);
    d->version = version;
    d->size = size;
    d->key_size = (uint32_t)key_size;
    memcpy(d->key, key, key_size + 1);
    memcpy(d->key + key_size + 1, value, size);
    d->hash = hash_datum(d);
    return d;
}

static uint64_t counted_bytes(const datum *d)
{
    return world_datum_bytes(d->key_size, d->size);
}

// Counts an entry that joins the table, or leaves it.
static void count_in(data_table *t, const datum *d)
{
    t->bytes += counted_bytes(d);
    t->hash += d->hash;
}

static void count_out(data_table *t, const datum *d)
{
    ASSERT(t->bytes >= counted_bytes(d));
    t->bytes -= counted_bytes(d);
    t->hash -= d->hash;
}

static void datum_free(datum *d)
{
    block_give_back(d, block_bytes(d));
}

// ---- the table

void data_table_deinit(data_table *t)
{
    for (uint32_t i = 0; i < t->sorted.count; i++) {
        datum_free(t->sorted.data[i]);
    }
    array_free(&t->sorted);
    *t = (data_table){0};
}

uint64_t data_table_hash(const data_table *t)
{
    return t->sorted.count == 0 ? 0 : t->hash + fold_end(fold_start(ROW_DATA, t->changes, 0));
}

static uint32_t place_of(const data_table *t, const char *key)
{
    uint32_t low = 0;
    uint32_t high = t->sorted.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(t->sorted.data[middle]->key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const data_table *t, uint32_t place, const char *key)
{
    return place < t->sorted.count && strcmp(t->sorted.data[place]->key, key) == 0;
}

// Puts the entry at its place, replacing the entry with its key if `replaces`.
static void put(data_table *t, uint32_t place, datum *d, bool replaces)
{
    if (replaces) {
        count_out(t, t->sorted.data[place]);
        datum_free(t->sorted.data[place]);
    } else {
        array_insert(&t->sorted, place, NULL);
    }
    t->sorted.data[place] = d;
    count_in(t, d);
}

void data_table_append(data_table *t, const char *key, const uint8_t *value, uint32_t size,
                       uint64_t version)
{
    ASSERT(t->sorted.count == 0 || strcmp(t->sorted.data[t->sorted.count - 1]->key, key) < 0);
    put(t, t->sorted.count, datum_create(key, value, size, version), false);
}

static bool same(const datum *a, const datum *b)
{
    return a->hash == b->hash && a->version == b->version && a->size == b->size &&
           strcmp(a->key, b->key) == 0 && memcmp(datum_value(a), datum_value(b), a->size) == 0;
}

// Most copies are made of the same world again, a few changes later: so most entries at the same
// index are equal.
void data_table_copy(data_table *to, const data_table *from)
{
    while (to->sorted.count > from->sorted.count) {
        datum_free(to->sorted.data[--to->sorted.count]);
        to->sorted.data[to->sorted.count] = NULL;
    }
    array_reserve(&to->sorted, from->sorted.count);
    for (uint32_t i = 0; i < from->sorted.count; i++) {
        const datum *d = from->sorted.data[i];
        if (i < to->sorted.count && same(to->sorted.data[i], d)) {
            continue;
        }
        if (i < to->sorted.count) {
            datum_free(to->sorted.data[i]);
        }
        to->sorted.data[i] = datum_create(d->key, datum_value(d), d->size, d->version);
    }
    to->sorted.count = from->sorted.count;
    to->changes = from->changes;
    to->bytes = from->bytes;
    to->hash = from->hash;
}

// ---- the engine's interface

static status check_key(const char *key, error *err)
{
    const size_t size = strlen(key);
    if (size == 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "key: must have 1 to %d bytes",
                         DATA_KEY_BYTES_MAX);
    }
    if (size > DATA_KEY_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "key: must have at most %d bytes, got %zu",
                         DATA_KEY_BYTES_MAX, size);
    }
    return utf8_valid(key, size) ? STATUS_OK
                                 : error_set(err, STATUS_INVALID_ARGUMENT, "key: must be UTF-8");
}

status world_data_check(const char *key, const uint8_t *value, size_t size, error *err)
{
    enum { NIL = 0xc0 };
    status s = check_key(key, err);
    if (s == STATUS_OK && size > DATA_VALUE_BYTES_MAX) {
        s = error_set(err, STATUS_LIMIT_EXCEEDED,
                      "value: must have at most %d bytes of MessagePack, got %zu",
                      DATA_VALUE_BYTES_MAX, size);
    }
    if (s == STATUS_OK && size > 0 && value[0] == NIL) {
        s = error_set(err, STATUS_INVALID_ARGUMENT,
                      "value: nil says that there is no value; data.remove removes a key");
    }
    if (s == STATUS_OK && packed_value_check(value, size, DATA_VALUE_DEPTH_MAX, err) != STATUS_OK) {
        error_prefix(err, "value (at most %d containers deep)", DATA_VALUE_DEPTH_MAX);
        s = STATUS_INVALID_ARGUMENT;
    }
    return s;
}

status world_data_set(physics_world *world, const char *key, const uint8_t *value, size_t size,
                      uint64_t *version, error *err)
{
    data_table *t = &world->data;
    status s = world_data_check(key, value, size, err);
    if (s != STATUS_OK) {
        return s;
    }
    const uint32_t place = place_of(t, key);
    const bool there = is_at(t, place, key);
    const uint64_t before = there ? counted_bytes(t->sorted.data[place]) : 0;
    if ((!there && t->sorted.count >= DATA_KEYS_MAX) ||
        t->bytes - before + world_datum_bytes(strlen(key), size) > DATA_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "a world has at most %d keys of data, and %d bytes", DATA_KEYS_MAX,
                         DATA_BYTES_MAX);
    }
    *version = ++t->changes;
    put(t, place, datum_create(key, value, (uint32_t)size, *version), there);
    return STATUS_OK;
}

status world_data_remove(physics_world *world, const char *key, error *err)
{
    data_table *t = &world->data;
    const uint32_t place = place_of(t, key);
    if (!is_at(t, place, key)) {
        char quoted[UTF8_QUOTE_MAX];
        return error_set(err, STATUS_NOT_FOUND, "key '%s' does not exist",
                         utf8_quote(quoted, key, strlen(key)));
    }
    count_out(t, t->sorted.data[place]);
    datum_free(t->sorted.data[place]);
    array_remove(&t->sorted, place);
    t->sorted.data[t->sorted.count] = NULL;
    t->changes++;
    return STATUS_OK;
}

bool world_data_find(const physics_world *world, const char *key, world_datum *out)
{
    const uint32_t place = place_of(&world->data, key);
    const bool found = is_at(&world->data, place, key);
    if (found) {
        *out = world_data_at(world, place);
    }
    return found;
}

world_data_counts world_data_count(const physics_world *world)
{
    const data_table *t = &world->data;
    return (world_data_counts){t->sorted.count, t->bytes, t->changes};
}

world_datum world_data_at(const physics_world *world, uint32_t index)
{
    ASSERT(index < world->data.sorted.count);
    const datum *d = world->data.sorted.data[index];
    return (world_datum){d->key, datum_value(d), d->size, d->version};
}

uint32_t world_data_from(const physics_world *world, const char *text)
{
    return place_of(&world->data, text);
}
