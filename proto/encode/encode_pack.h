// Small packing functions shared by the files of encode. Internal to proto; any thread.
#ifndef CAROM_PROTO_ENCODE_ENCODE_PACK_H
#define CAROM_PROTO_ENCODE_ENCODE_PACK_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/geometry/math.h"
#include "proto/encode/encode.h"
#include "proto/methods.h"
#include "proto/wire/rpc.h"

typedef msgpack_packer packer;

static inline void pack_map(packer *k, uint32_t pairs)
{
    msgpack_pack_map(k, pairs);
}
static inline void pack_array(packer *k, uint32_t count)
{
    msgpack_pack_array(k, count);
}
static inline void pack_text(packer *k, const char *text)
{
    rpc_pack_text(k, text);
}
static inline void pack_uint(packer *k, uint64_t value)
{
    msgpack_pack_uint64(k, value);
}
static inline void pack_bool(packer *k, bool value)
{
    if (value) {
        msgpack_pack_true(k);
    } else {
        msgpack_pack_false(k);
    }
}
static inline void pack_double(packer *k, double value)
{
    msgpack_pack_double(k, value);
}
static inline void pack_float(packer *k, float value)
{
    msgpack_pack_float(k, value);
}
// [x, y]
static inline void pack_place(packer *k, vec2d at)
{
    pack_array(k, 2);
    pack_double(k, at.x);
    pack_double(k, at.y);
}
static inline void pack_vec2(packer *k, vec2 v)
{
    pack_array(k, 2);
    pack_float(k, v.x);
    pack_float(k, v.y);
}

// ---- pairs of a map

static inline void pair_text(packer *k, const char *key, const char *value)
{
    pack_text(k, key);
    pack_text(k, value);
}
static inline void pair_uint(packer *k, const char *key, uint64_t value)
{
    pack_text(k, key);
    pack_uint(k, value);
}
static inline void pair_bool(packer *k, const char *key, bool value)
{
    pack_text(k, key);
    pack_bool(k, value);
}
static inline void pair_double(packer *k, const char *key, double value)
{
    pack_text(k, key);
    pack_double(k, value);
}
// For values that the engine stores as float.
static inline void pair_float(packer *k, const char *key, double value)
{
    pack_text(k, key);
    pack_float(k, (float)value);
}
static inline void pair_place(packer *k, const char *key, vec2d value)
{
    pack_text(k, key);
    pack_place(k, value);
}
static inline void pair_vec2(packer *k, const char *key, vec2 value)
{
    pack_text(k, key);
    pack_vec2(k, value);
}
static inline void pair_vec2d_float(packer *k, const char *key, vec2d value)
{
    pair_vec2(k, key, (vec2){(float)value.x, (float)value.y});
}
static inline void pair_int(packer *k, const char *key, int64_t value)
{
    pack_text(k, key);
    msgpack_pack_int64(k, value);
}
static inline void pair_area(packer *k, const char *key, area value)
{
    pack_text(k, key);
    pack_array(k, 4);
    pack_double(k, value.x0);
    pack_double(k, value.y0);
    pack_double(k, value.x1);
    pack_double(k, value.y1);
}
// Word `index` of "a|b|c".
static inline void pack_word(packer *k, const char *choices, uint32_t index)
{
    size_t size;
    const char *word = choice_word(choices, index, &size);
    msgpack_pack_str(k, size);
    msgpack_pack_str_body(k, word, size);
}
void pack_hash(packer *k, uint64_t hash);
static inline void pair_hash(packer *k, const char *key, uint64_t hash)
{
    pack_text(k, key);
    pack_hash(k, hash);
}

// A moment in ticks: an integer, if it is one.
void pair_moment(packer *k, const char *key, double moment);

// ---- larger values

// Appends bytes that are MessagePack already.
static inline void pack_raw(packer *k, const void *bytes, size_t size)
{
    (void)k->callback(k->data, bytes, size);
}
static inline void pack_bytes(packer *k, const void *bytes, size_t size)
{
    msgpack_pack_bin(k, size);
    msgpack_pack_bin_body(k, bytes, size);
}
static inline bool has_text(const char *text)
{
    return text != NULL && *text != '\0';
}

void pack_numbers(packer *k, const named_number *numbers, uint32_t count);
// The words of the bits that are set, of `count` words.
void pack_word_bits(packer *k, uint32_t bits, const char *const *words, uint32_t count);
// The pair of a list of points.
void pack_points(packer *k, const char *key, const vec2 *points, uint32_t count);
void pack_contact_points(packer *k, const contact_info *contact);

#endif
