// A world's data within its image: the number of changes, then the keys in ascending order, each
// with its version and value. Images of worlds that never had data do not have this part.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image/image_records.h"
#include "common/physics/image/image_stream.h"
#include "common/physics/state/data_table.h"
#include "common/physics/state/world.h"

void data_write(image_stream *s, const physics_world *world)
{
    const data_table *t = &world->data;
    uint64_t changes = t->changes;
    uint32_t count = t->sorted.count;
    stream_u64(s, &changes);
    stream_u32(s, &count, DATA_KEYS_MAX, "keys");
    for (uint32_t i = 0; i < count; i++) {
        datum *d = t->sorted.data[i];
        stream_u32(s, &d->key_size, DATA_KEY_BYTES_MAX, "a key's bytes");
        stream_bytes(s, d->key, d->key_size);
        stream_u64(s, &d->version);
        stream_u32(s, &d->size, DATA_VALUE_BYTES_MAX, "a value's bytes");
        stream_bytes(s, d->key + d->key_size + 1, d->size);
    }
}

static bool is_above_the_last(const data_table *t, const char *key)
{
    return t->sorted.count == 0 || strcmp(t->sorted.data[t->sorted.count - 1]->key, key) < 0;
}

// `value` has room for the largest.
static void read_datum(image_stream *s, data_table *t, uint8_t *value)
{
    char key[DATA_KEY_BYTES_MAX + 1] = {0};
    uint32_t key_size = 0;
    uint32_t size = 0;
    uint64_t version = 0;
    error why;
    stream_u32(s, &key_size, DATA_KEY_BYTES_MAX, "a key's bytes");
    stream_bytes(s, key, s->failed ? 0 : key_size);
    stream_u64(s, &version);
    stream_u32(s, &size, DATA_VALUE_BYTES_MAX, "a value's bytes");
    stream_bytes(s, value, s->failed ? 0 : size);
    stream_expect(s, strlen(key) == key_size, "a key with a zero in it");
    stream_expect(s, version >= 1 && version <= t->changes, "a key's version");
    stream_expect(s, s->failed || is_above_the_last(t, key), "the order of keys");
    if (!s->failed && world_data_check(key, value, size, &why) != STATUS_OK) {
        stream_fail(s, "data: %s", why.text);
    }
    stream_expect(s, t->bytes + world_datum_bytes(key_size, size) <= DATA_BYTES_MAX,
                  "more data than a world may have");
    if (!s->failed) {
        data_table_append(t, key, value, size, version);
    }
}

void data_read(image_stream *s, physics_world *world)
{
    uint32_t count = 0;
    stream_u64(s, &world->data.changes);
    stream_expect(s, world->data.changes >= 1 && world->data.changes < UINT64_C(1) << 53,
                  "the number of changes of data");
    stream_u32(s, &count, DATA_KEYS_MAX, "keys");
    uint8_t *value = malloc(DATA_VALUE_BYTES_MAX);
    ASSERT_MEMORY(value != NULL);
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        read_datum(s, &world->data, value);
    }
    free(value);
}
