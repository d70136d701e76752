// Digests of bodies; see log_digest.h. One thread at a time for each table.
#include "proto/log/log_digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"

enum { GROUP = 64, HEAD_BYTES = 8, WORD_BYTES = 8, ROW_BYTES = WORD_BYTES + 4, DIGESTS = 255 };
static const uint32_t ALL = UINT32_C(1) << 31; // flag in the number of groups: all groups follow

_Static_assert(LOG_DIGEST_SLOTS_MAX % GROUP == 0 &&
                   (int)LOG_DIGEST_SLOTS_MAX > (int)PHYSICS_BODIES_MAX,
               "whole groups, for every body that there can be");

void log_digests_deinit(log_digests *d)
{
    array_free(&d->parts);
    array_free(&d->next);
    array_free(&d->bytes);
    array_free(&d->groups);
}

void log_digests_begin_anew(log_digests *d)
{
    d->told = false;
}

static uint8_t digest_of(uint64_t part)
{
    return part == 0 ? 0 : (uint8_t)(1 + (part >> 32) % DIGESTS);
}

static uint32_t digest_of_group(const uint64_t parts[GROUP])
{
    uint64_t sum = 0;
    for (int i = 0; i < GROUP; i++) {
        sum += parts[i];
    }
    return (uint32_t)sum;
}

// Collects the parts of the world's hash in whole groups; the first, which belongs to no body, goes
// to `rest`, and is 0 in the list. Returns the hash.
static uint64_t take_parts(log_digest_parts *parts, const physics_world *world, uint32_t *rest)
{
    const uint32_t slots = (world_body_slots(world) + GROUP - 1) / GROUP * GROUP;
    array_reserve(parts, slots); // new elements are zero
    parts->count = slots;
    const uint64_t hash = world_hash_by_body(world, parts->data);
    *rest = (uint32_t)parts->data[0];
    parts->data[0] = 0;
    return hash;
}

// ---- writing

// Returns a bit for each slot of the group whose part has changed.
static uint64_t find_changes(const uint64_t now[GROUP], const uint64_t last[GROUP])
{
    uint64_t changed = 0;
    for (int i = 0; i < GROUP; i++) {
        changed |= (uint64_t)(now[i] != last[i]) << i;
    }
    return changed;
}

// Writes a block of the parts in `next`. Rows and digests are separate runs of bytes, but computed
// together.
static void write_block(const log_digests *d, uint32_t rest, buffer *out)
{
    const uint32_t groups = d->next.count / GROUP;
    const size_t map = HEAD_BYTES + (groups + 7) / 8;
    uint8_t *head = calloc(1, map + (size_t)groups * ROW_BYTES);
    uint8_t *digests = malloc(d->next.count);
    ASSERT_MEMORY(head != NULL && digests != NULL);
    uint8_t *row = head + map;
    uint8_t *digest = digests;
    put32(head, groups | (d->told ? 0 : ALL));
    put32(head + 4, rest);
    for (uint32_t group = 0; group < groups; group++) {
        const uint64_t *now = d->next.data + (size_t)group * GROUP;
        const bool fresh = !d->told || (size_t)group * GROUP >= d->parts.count;
        uint64_t changed =
            fresh ? UINT64_MAX : find_changes(now, d->parts.data + (size_t)group * GROUP);
        if (changed == 0) {
            continue;
        }
        head[HEAD_BYTES + group / 8] |= (uint8_t)(1u << group % 8);
        put64(row, changed);
        put32(row + WORD_BYTES, digest_of_group(now));
        row += ROW_BYTES;
        for (; changed != 0; changed &= changed - 1) {
            *digest++ = digest_of(now[__builtin_ctzll(changed)]);
        }
    }
    buffer_append(out, head, (size_t)(row - head));
    buffer_append(out, digests, (size_t)(digest - digests));
    free(digests);
    free(head);
}

uint64_t log_digests_write(log_digests *d, const physics_world *world, buffer *out)
{
    if (world_body_slots(world) > LOG_DIGEST_SLOTS_MAX) {
        d->told = false;
        return world_hash(world);
    }
    uint32_t rest = 0;
    const uint64_t hash = take_parts(&d->next, world, &rest);
    write_block(d, rest, out);
    const log_digest_parts last = d->parts;
    d->parts = d->next;
    d->next = last;
    d->told = true;
    return hash;
}

// ---- reading

// A block, by the offsets of its parts.
typedef struct block {
    uint32_t groups;
    bool all;
    const uint8_t *map, *row, *digest, *end;
} block;

// Checks the counts of the parts before using them. False: the block does not fit.
static bool find_block(const uint8_t *bytes, size_t size, size_t head, size_t row, block *out)
{
    if (size < head) {
        return false;
    }
    const uint32_t number = get32(bytes);
    *out = (block){.groups = number & ~ALL, .all = (number & ALL) != 0, .map = bytes + head};
    const size_t map = (out->groups + 7) / 8;
    if (out->groups > LOG_DIGEST_GROUPS_MAX || size - head < map ||
        (out->groups % 8 != 0 && out->map[map - 1] >> out->groups % 8 != 0)) {
        return false;
    }
    out->row = out->map + map;
    size_t rows = 0;
    for (size_t i = 0; i < map; i++) {
        rows += (size_t)__builtin_popcount(out->map[i]);
    }
    size_t left = size - head - map;
    if (left / row < rows || (out->all && rows != out->groups)) {
        return false;
    }
    out->digest = out->row + rows * row;
    left -= rows * row;
    size_t digests = 0;
    for (size_t i = 0; i < rows; i++) {
        digests += (size_t)__builtin_popcountll(get64(out->row + i * row));
    }
    out->end = out->digest + digests;
    return digests <= left;
}

bool log_digests_pass_first_kind(const uint8_t *bytes, size_t size, size_t *used)
{
    block b;
    const bool fits = find_block(bytes, size, 4, WORD_BYTES, &b);
    *used = fits ? (size_t)(b.end - bytes) : 0;
    return fits;
}

// Makes space for `groups` groups; new ones have no bodies.
static void grow(log_digests *d, uint32_t groups)
{
    if (groups > d->groups.count) {
        array_reserve(&d->groups, groups); // new elements are zero
        array_reserve(&d->bytes, groups * GROUP);
        d->groups.count = groups;
        d->bytes.count = groups * GROUP;
    }
}

bool log_digests_read(log_digests *d, const uint8_t *bytes, size_t size, size_t *used)
{
    block b;
    *used = 0;
    if (!find_block(bytes, size, HEAD_BYTES, ROW_BYTES, &b)) {
        return false;
    }
    if (b.all) {
        array_free(&d->groups);
        array_free(&d->bytes);
        d->known = true;
    }
    grow(d, b.groups);
    d->rest = get32(bytes + 4);
    for (uint32_t group = 0; group < b.groups; group++) {
        if ((b.map[group / 8] >> group % 8 & 1) == 0) {
            continue;
        }
        for (uint64_t open = get64(b.row); open != 0; open &= open - 1) {
            d->bytes.data[group * GROUP + (uint32_t)__builtin_ctzll(open)] = *b.digest++;
        }
        d->groups.data[group] = get32(b.row + WORD_BYTES);
        b.row += ROW_BYTES;
    }
    *used = (size_t)(b.end - bytes);
    return true;
}

// ---- describing differences

// The id of the body in a slot; 0 if there is none.
static body_id body_in(const physics_world *world, uint32_t slot)
{
    enum { SLOT_BITS = 24 };
    const body_id id = world_next_body(world, slot - 1);
    return (id & ((UINT64_C(1) << SLOT_BITS) - 1)) == slot ? id : 0;
}

static void tell_body(const physics_world *world, uint32_t slot, bool expected,
                      char text[LOG_DIGEST_TEXT_BYTES])
{
    const body_id id = body_in(world, slot);
    if (id == 0) {
        snprintf(text, LOG_DIGEST_TEXT_BYTES,
                 "the first body that differs is the one of slot %" PRIu32 ", which is missing",
                 slot);
    } else {
        snprintf(text, LOG_DIGEST_TEXT_BYTES, "the first body that differs is %" PRIu64 "%s",
                 (uint64_t)id, expected ? "" : ", which should not be there");
    }
}

// Whether a group differs; if so, `text` says where.
static bool tell_group(const log_digests *d, const physics_world *world, uint32_t group,
                       const uint64_t parts[GROUP], char text[LOG_DIGEST_TEXT_BYTES])
{
    const bool told = group < d->groups.count;
    for (uint32_t i = 0; i < GROUP; i++) {
        const uint8_t digest = told ? d->bytes.data[group * GROUP + i] : 0;
        if (digest != digest_of(parts[i])) {
            tell_body(world, group * GROUP + i, digest != 0, text);
            return true;
        }
    }
    if (digest_of_group(parts) == (told ? d->groups.data[group] : 0)) {
        return false;
    }
    snprintf(text, LOG_DIGEST_TEXT_BYTES,
             "the first body that differs is in one of the slots %" PRIu32 " to %" PRIu32
             " (a slot is an id modulo 2^24)",
             group * GROUP, group * GROUP + GROUP - 1);
    return true;
}

void log_digests_tell(const log_digests *d, const physics_world *world,
                      char text[LOG_DIGEST_TEXT_BYTES])
{
    static const uint64_t NOBODY[GROUP] = {0};
    log_digest_parts parts = {0};
    uint32_t rest = 0;
    bool found = false;
    (void)take_parts(&parts, world, &rest);
    const uint32_t here = parts.count / GROUP;
    const uint32_t groups = here > d->groups.count ? here : d->groups.count;
    for (uint32_t group = 0; d->known && group < groups && !found; group++) {
        found = tell_group(d, world, group,
                           group < here ? parts.data + (size_t)group * GROUP : NOBODY, text);
    }
    array_free(&parts);
    if (!found) {
        snprintf(text, LOG_DIGEST_TEXT_BYTES, "%s",
                 d->known && rest != d->rest
                     ? "all bodies agree, so the world's settings differ, or which ids come next"
                     : "the body that differs is unknown");
    }
}
