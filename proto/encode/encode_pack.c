// Parts of answers that the generated packers (encode_results.c) call; see encode_pack.h.
#include "proto/encode/encode_pack.h"

#include <math.h>

#include "common/base/assert.h"
#include "proto/wire/buffer.h"

void pack_hash(packer *k, uint64_t hash)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(hash >> (56 - 8 * i));
    }
    pack_bytes(k, bytes, sizeof bytes);
}

void encode_hash(struct buffer *out, uint64_t hash)
{
    packer k = buffer_packer(out);
    pack_hash(&k, hash);
}

void pair_moment(packer *k, const char *key, double moment)
{
    pack_text(k, key);
    if (moment == floor(moment)) {
        pack_uint(k, (uint64_t)moment);
    } else {
        pack_double(k, moment);
    }
}

void encode_empty_result(struct buffer *out)
{
    packer k = buffer_packer(out);
    pack_map(&k, 0);
}

void pack_numbers(packer *k, const named_number *numbers, uint32_t count)
{
    pack_map(k, count);
    for (uint32_t i = 0; i < count; i++) {
        const named_number *n = &numbers[i];
        if (n->whole) {
            ASSERT(n->value >= 0.0);
            pair_uint(k, n->name, (uint64_t)n->value);
        } else {
            pair_double(k, n->name, n->value);
        }
    }
}

void pack_word_bits(packer *k, uint32_t bits, const char *const *words, uint32_t count)
{
    ASSERT(count == 32 || bits >> count == 0);
    pack_array(k, (uint32_t)__builtin_popcount(bits));
    for (uint32_t i = 0; i < count; i++) {
        if ((bits >> i & 1) != 0) {
            pack_text(k, words[i]);
        }
    }
}

void pack_points(packer *k, const char *key, const vec2 *points, uint32_t count)
{
    pack_text(k, key);
    pack_array(k, count);
    for (uint32_t i = 0; i < count; i++) {
        pack_vec2(k, points[i]);
    }
}

// Points have a normal of their own where it differs from the contact's normal.
void pack_contact_points(packer *k, const contact_info *contact)
{
    pack_array(k, (uint32_t)contact->count);
    for (int i = 0; i < contact->count; i++) {
        const vec2 normal = contact->normals[i];
        const bool other = (normal.x != 0.0f || normal.y != 0.0f) &&
                           (normal.x != contact->normal.x || normal.y != contact->normal.y);
        pack_map(k, other ? 5 : 4);
        pair_place(k, "point", contact->points[i]);
        pair_float(k, "depth", (double)contact->depth[i]);
        pair_float(k, "impulse", (double)contact->impulse[i]);
        pair_float(k, "tangent_impulse", (double)contact->tangent_impulse[i]);
        if (other) {
            pair_vec2(k, "normal", normal);
        }
    }
}
