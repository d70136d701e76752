// Rows of words of the state hash: the first word of each kind of row, and functions that add
// fields.
#ifndef CAROM_COMMON_PHYSICS_STATE_HASH_ROWS_H
#define CAROM_COMMON_PHYSICS_STATE_HASH_ROWS_H

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
    ROW_DATA_BYTES
};

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

#endif
