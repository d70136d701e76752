// Digests of bodies; see log_digest.h. One thread at a time for each table.
#include "proto/log/log_digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { GROUP = 64, COUNT_BYTES = 4, WORD_BYTES = 8, SLOT_BITS = 24, DIGESTS = 255 };

void log_digests_deinit(log_digests *d)
{
    array_free(&d->states);
    array_free(&d->bytes);
}

void log_digests_begin_anew(log_digests *d)
{
    d->told = false;
}

// ---- states

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_floats(float low, float high)
{
    uint32_t bits[2];
    memcpy(&bits[0], &low, sizeof low);
    memcpy(&bits[1], &high, sizeof high);
    return (uint64_t)bits[1] << 32 | bits[0];
}

// Never 0. A sum of products with odd numbers, none of which waits for another; then mixed
// (Knuth, vol. 3, 6.4: 2^64 / golden ratio).
static uint64_t state_of(const body_row *r)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t sum = (r->id * 2 + r->awake) * golden;
    sum += bits_of_double(r->position.x) * UINT64_C(0xbf58476d1ce4e5b9);
    sum += bits_of_double(r->position.y) * UINT64_C(0x94d049bb133111eb);
    sum += bits_of_floats(r->velocity.x, r->velocity.y) * UINT64_C(0xff51afd7ed558ccd);
    sum += bits_of_floats(r->angle, r->angular_velocity) * UINT64_C(0xc4ceb9fe1a85ec53);
    sum = (sum ^ sum >> 32) * golden;
    return sum != 0 ? sum : 1;
}

static uint8_t digest_of(uint64_t state)
{
    return state == 0 ? 0 : (uint8_t)(1 + (state >> 32) % DIGESTS);
}

static uint32_t slot_of(body_id id)
{
    return (uint32_t)(id & ((UINT64_C(1) << SLOT_BITS) - 1));
}

// The caller frees them.
static body_row *take_rows(const physics_world *world, uint32_t *count)
{
    *count = world_count(world).bodies;
    body_row *rows = malloc(((size_t)*count + 1) * sizeof *rows);
    ASSERT(rows != NULL);
    *count = world_rows(world, rows, *count);
    return rows;
}

static uint32_t end_of(const body_row *rows, uint32_t count)
{
    return count > 0 ? slot_of(rows[count - 1].id) + 1 : 0;
}

// ---- writing

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static void grow(log_digests *d, uint32_t slots)
{
    if (slots > d->states.count) {
        array_reserve(&d->states, slots); // new elements are zero
        d->states.count = slots;
    }
}

// Where a block's parts are written to: words and digests follow one another, but are found
// together.
typedef struct block {
    uint8_t *groups, *word, *digest;
} block;

static void note(log_digests *d, uint32_t slot, uint64_t state, uint64_t *changed, block *b)
{
    uint64_t *last = &d->states.data[slot];
    if (*last != state || !d->told) {
        *last = state;
        *changed |= UINT64_C(1) << slot % GROUP;
        *b->digest++ = digest_of(state);
    }
}

// The block of so many slots; rows are those of the bodies that are there.
static void write_block(log_digests *d, const body_row *rows, uint32_t count, buffer *out)
{
    const uint32_t slots = d->states.count;
    const uint32_t groups = (slots + GROUP - 1) / GROUP;
    const size_t map = COUNT_BYTES + (groups + 7) / 8;
    uint8_t *head = calloc(1, map + (size_t)groups * WORD_BYTES);
    uint8_t *digests = malloc((size_t)slots + 1);
    ASSERT(head != NULL && digests != NULL);
    block b = {.groups = head + COUNT_BYTES, .word = head + map, .digest = digests};
    put(head, groups, COUNT_BYTES);
    uint32_t at = 0;
    for (uint32_t group = 0; group < groups; group++) {
        uint64_t changed = 0;
        for (uint32_t slot = group * GROUP; slot < slots && slot < (group + 1) * GROUP; slot++) {
            const bool there = at < count && slot_of(rows[at].id) == slot;
            note(d, slot, there ? state_of(&rows[at]) : 0, &changed, &b);
            at += there;
        }
        if (changed != 0) {
            b.groups[group / 8] |= (uint8_t)(1u << group % 8);
            put(b.word, changed, WORD_BYTES);
            b.word += WORD_BYTES;
        }
    }
    buffer_append(out, head, (size_t)(b.word - head));
    buffer_append(out, digests, (size_t)(b.digest - digests));
    free(digests);
    free(head);
}

bool log_digests_write(log_digests *d, const physics_world *world, buffer *out)
{
    uint32_t count = world_count(world).bodies;
    if (count <= LOG_DIGEST_SLOTS_MAX) {
        body_row *rows = take_rows(world, &count);
        grow(d, end_of(rows, count));
        if (d->states.count > 0 && d->states.count <= LOG_DIGEST_SLOTS_MAX) {
            write_block(d, rows, count, out);
            d->told = true;
            free(rows);
            return true;
        }
        free(rows);
    }
    d->told = false;
    return false;
}

// ---- reading

void log_digests_take(log_digests *d, const physics_world *world)
{
    uint32_t count = 0;
    body_row *rows = take_rows(world, &count);
    const uint32_t slots = end_of(rows, count);
    array_free(&d->bytes);
    array_reserve(&d->bytes, slots);
    d->bytes.count = slots;
    for (uint32_t i = 0; i < count; i++) {
        d->bytes.data[slot_of(rows[i].id)] = digest_of(state_of(&rows[i]));
    }
    free(rows);
}

// Bytes of the block: its parts are counted before one of them is believed. 0: it does not fit.
static size_t block_bytes(const uint8_t *bytes, size_t size)
{
    if (size < COUNT_BYTES || get(bytes, COUNT_BYTES) > LOG_DIGEST_GROUPS_MAX) {
        return 0;
    }
    const uint32_t groups = (uint32_t)get(bytes, COUNT_BYTES);
    size_t at = COUNT_BYTES + (groups + 7) / 8;
    if (at > size || (groups % 8 != 0 && bytes[at - 1] >> groups % 8 != 0)) {
        return 0;
    }
    size_t digests = 0;
    for (uint32_t group = 0; group < groups; group++) {
        if ((bytes[COUNT_BYTES + group / 8] >> group % 8 & 1) != 0) {
            if (size - at < WORD_BYTES) {
                return 0;
            }
            digests += (size_t)__builtin_popcountll(get(bytes + at, WORD_BYTES));
            at += WORD_BYTES;
        }
    }
    return size - at < digests ? 0 : at + digests;
}

bool log_digests_read(log_digests *d, const uint8_t *bytes, size_t size, size_t *used)
{
    *used = block_bytes(bytes, size);
    if (*used == 0) {
        return false;
    }
    const uint32_t groups = (uint32_t)get(bytes, COUNT_BYTES);
    if (groups * GROUP > d->bytes.count) {
        array_reserve(&d->bytes, groups * GROUP);
        memset(d->bytes.data + d->bytes.count, 0, groups * GROUP - d->bytes.count);
        d->bytes.count = groups * GROUP;
    }
    size_t words = 0;
    for (uint32_t i = 0; i < (groups + 7) / 8; i++) {
        words += (size_t)__builtin_popcount(bytes[COUNT_BYTES + i]);
    }
    const uint8_t *word = bytes + COUNT_BYTES + (groups + 7) / 8;
    const uint8_t *digest = word + words * WORD_BYTES;
    for (uint32_t group = 0; group < groups; group++) {
        if ((bytes[COUNT_BYTES + group / 8] >> group % 8 & 1) == 0) {
            continue;
        }
        for (uint64_t open = get(word, WORD_BYTES); open != 0; open &= open - 1) {
            d->bytes.data[group * GROUP + (uint32_t)__builtin_ctzll(open)] = *digest++;
        }
        word += WORD_BYTES;
    }
    return true;
}

static void tell(uint32_t slot, const body_row *row, uint8_t digest,
                 char text[LOG_DIGEST_TEXT_BYTES])
{
    if (row == NULL) {
        snprintf(text, LOG_DIGEST_TEXT_BYTES, "the one of slot %u, which is missing", slot);
    } else {
        snprintf(text, LOG_DIGEST_TEXT_BYTES, "%" PRIu64 "%s", (uint64_t)row->id,
                 digest != 0 ? "" : ", which should not be there");
    }
}

bool log_digests_differ(const log_digests *d, const physics_world *world,
                        char text[LOG_DIGEST_TEXT_BYTES])
{
    uint32_t count = 0;
    body_row *rows = take_rows(world, &count);
    const uint32_t end = end_of(rows, count);
    const uint32_t slots = end > d->bytes.count ? end : d->bytes.count;
    uint32_t at = 0;
    bool differs = false;
    for (uint32_t slot = 0; slot < slots && !differs; slot++) {
        const body_row *row = at < count && slot_of(rows[at].id) == slot ? &rows[at] : NULL;
        const uint8_t digest = slot < d->bytes.count ? d->bytes.data[slot] : 0;
        differs = digest != (row != NULL ? digest_of(state_of(row)) : 0);
        if (differs) {
            tell(slot, row, digest, text);
        }
        at += row != NULL;
    }
    free(rows);
    return differs;
}
