// Digests of bodies beside a log: they find the first body that differs when a hash does not match.
//
// The state's hash shows that a recomputed world differs, but not where. But it is a sum whose
// parts belong to bodies (world_hash_by_body): the body itself, its shapes, its contacts and its
// joints. So the log has, with each hash, a digest of each part: a byte for each body, and four for
// each group of 64, whose parts are added up. A block contains only the changes since the last one,
// so that bodies at rest cost nothing; the first block after an image has everything, since a
// restart begins there.
//
// If the hash differs, a part does, and so does the digest of its group except in one case of 2^32.
// The byte matches by chance in one case of 255; if all bytes of the first differing group match,
// the group is named instead. A named body certainly differs; an earlier one in its group may
// differ too.
//
//     block     u32 number of groups of 64 slots, from slot 0 on; the highest bit is set if all of
//                   them follow, also unchanged ones
//               u32 digest of the state outside bodies: settings, and the next ids a bit for each
//               group, least significant first, in whole bytes: something changed for each of these
//               groups: u64, a bit for each of its slots whose digest follows,
//                   and u32, the group's digest
//               a byte for each of those slots, in their order: its digest, 0 without a body
//
// Numbers are little-endian. The same states give the same bytes. The digest of a part is 1 more
// than the remainder of its upper half by 255; that of a group is the lower half of the sum.
//
// One thread at a time for each table.
#ifndef CAROM_PROTO_LOG_LOG_DIGEST_H
#define CAROM_PROTO_LOG_LOG_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "proto/wire/buffer.h"

enum {
    LOG_DIGEST_SLOTS_MAX = PHYSICS_BODIES_MAX + 64, // slot 0 is none; whole groups
    LOG_DIGEST_GROUPS_MAX = LOG_DIGEST_SLOTS_MAX / 64,
    LOG_DIGEST_BYTES_MAX =
        8 + LOG_DIGEST_GROUPS_MAX / 8 + 1 + LOG_DIGEST_GROUPS_MAX * 12 + LOG_DIGEST_SLOTS_MAX
};

typedef ARRAY(uint64_t) log_digest_parts;

// All zero: no state is known. A writer's has 16 bytes a slot, a reader's one and a sixteenth.
typedef struct log_digests {
    log_digest_parts parts; // writer: of each slot, in the last block
    log_digest_parts next;  // writer: the same, of the block being made
    bool told;              // writer: the next block may leave out unchanged digests
    ARRAY(uint8_t) bytes;   // reader: of each slot, from the log
    ARRAY(uint32_t) groups; // reader: of each group
    uint32_t rest;          // reader: of the state outside bodies
    bool known;             // reader: a block with everything was read
} log_digests;

void log_digests_deinit(log_digests *d);

// ---- writing

// Returns the world's hash, and appends a block of its bodies' digests. Appends nothing for a world
// with more slots than the maximum, which takes ids used up 2^29 times.
uint64_t log_digests_write(log_digests *d, const physics_world *world, buffer *out);
// Makes the next block contain everything. Needed after an image was made or a block was lost.
void log_digests_begin_anew(log_digests *d);

// ---- reading

// Reads the block at the beginning of `size` bytes, which need not be trusted; `used` becomes its
// size. False: it is none.
bool log_digests_read(log_digests *d, const uint8_t *bytes, size_t size, size_t *used);
// Skips a block of the first kind, which had no groups and other digests (written by servers whose
// images have version 4).
bool log_digests_pass_first_kind(const uint8_t *bytes, size_t size, size_t *used);
// Describes how the world differs from the log, whose hash does not match, as far as the table
// shows:
//     the first body that differs is 7
//     the first body that differs is 7, which should not be there
//     the first body that differs is the one of slot 6, which is missing
//     the first body that differs is in one of the slots 64 to 127 (a slot is an id modulo 2^24)
//     all bodies agree, so the world's settings differ, or which ids come next
//     the body that differs is unknown
enum { LOG_DIGEST_TEXT_BYTES = 128 };
void log_digests_tell(const log_digests *d, const physics_world *world,
                      char text[LOG_DIGEST_TEXT_BYTES]);

#endif
