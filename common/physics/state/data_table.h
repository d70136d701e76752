// The keys and values of a world's data, sorted by key; see common/physics/data.h. Internal to
// physics.
#ifndef CAROM_COMMON_PHYSICS_STATE_DATA_TABLE_H
#define CAROM_COMMON_PHYSICS_STATE_DATA_TABLE_H

#include "common/base/array.h"
#include "common/physics/data.h"

// One block: key, zero, value.
typedef struct datum {
    uint64_t version;
    uint64_t hash; // its row of the state hash
    uint32_t size; // the value's bytes
    uint32_t key_size;
    char key[];
} datum;

typedef struct data_table {
    ARRAY(datum *) sorted;
    uint64_t changes; // the version of the last change
    uint64_t bytes;   // as DATA_BYTES_MAX counts them
    uint64_t hash;    // sum of the rows
} data_table;

void data_table_deinit(data_table *t);
// Makes `to` equal to `from`; equal entries keep their memory.
void data_table_copy(data_table *to, const data_table *from);

// The part of the state hash; 0 without data.
uint64_t data_table_hash(const data_table *t);

// Appends a key above all others, in the order of an image. Any `version` is accepted: the caller
// has checked the entry.
void data_table_append(data_table *t, const char *key, const uint8_t *value, uint32_t size,
                       uint64_t version);

static inline const uint8_t *datum_value(const datum *d)
{
    return (const uint8_t *)d->key + d->key_size + 1;
}

#endif
