// Rows of words of the state hash: the first word of each kind of row, and functions that add
// fields.
#ifndef CAROM_COMMON_PHYSICS_STATE_HASH_ROWS_H
#define CAROM_COMMON_PHYSICS_STATE_HASH_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/fold.h"
#include "common/geometry/math.h"

enum { // the first word of a row
    ROW_WORLD = 1,
    ROW_BODY,
    ROW_SHAPE,
    ROW_CONTACT,
    ROW_JOINT,
    ROW_FREE_BODY,
    ROW_FREE_SHAPE,
    ROW_FREE_JOINT,
    ROW_SIGNATURE,
    ROW_DATA,
    ROW_DATUM,
    ROW_DATA_BYTES,
    ROW_RULES,
    ROW_SEATS
};

enum { BYTES_KEY = 1, BYTES_VALUE, BYTES_RULES, BYTES_SEATS }; // kinds of hash_bytes()

static inline fold_words add_vecs(fold_words sum, int i, vec2 a, vec2 b)
{
    return fold_add(sum, i, fold_of_4_floats(a.x, a.y, b.x, b.y));
}

static inline fold_words add_vec2d(fold_words sum, int i, vec2d a)
{
    return fold_add(sum, i, fold_of_2_doubles(a.x, a.y));
}

static inline fold_words add_floats(fold_words sum, int i, float a, float b, float c, float d)
{
    return fold_add(sum, i, fold_of_4_floats(a, b, c, d));
}

// The hash of `size` bytes, in rows of 16; the last row is filled with zeros, and the length is
// hashed too.
static inline uint64_t hash_bytes(uint64_t kind, const void *bytes, size_t size)
{
    fold_words sum = fold_start(ROW_DATA_BYTES, kind, size);
    uint64_t hash = fold_end(sum);
    for (size_t at = 0; at < size; at += 16) {
        uint64_t words[2] = {0, 0};
        const size_t count = size - at < 16 ? size - at : 16;
        for (size_t i = 0; i < count; i++) {
            words[i / 8] |= (uint64_t)((const uint8_t *)bytes)[at + i] << 8 * (i % 8);
        }
        hash = fold_end(fold_add(fold_of_words(hash, kind), 1, fold_of_words(words[0], words[1])));
    }
    return hash;
}

#endif
