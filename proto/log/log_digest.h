// Digests of bodies beside a log: which body is the first that differs, where a hash does not
// agree.
//
// The state's hash tells that a world that was computed again is another one, and nothing about
// where. But it is a sum, whose parts belong to bodies (world_hash_by_body): the body itself, its
// shapes, its contacts and its joints. So the journal bears, with each hash, a digest of each part:
// a byte for each body, and four for each group of 64, whose parts are added up. Only what changed
// since the last such block is in it, so that bodies at rest cost nothing, and the first block
// after an image has all, as a restart begins there.
//
// Where the hash differs, a part does, and so does the digest of its group but for one case in
// 2^32. The byte agrees by chance in one case of 255; where those of the first group that differs
// all do, the group is named instead. The body that is named differs surely; one before it in its
// group may, too.
//
//     block     u32 number of groups of 64 slots, from slot 0 on; the highest bit is set where all
//                   of them follow, whatever was told before
//               u32 digest of what belongs to no body: settings, and which ids come next
//               a bit for each group, least significant first, in whole bytes: something changed
//               for each of these groups: u64, a bit for each of its slots whose digest follows,
//                   and u32, the group's digest
//               a byte for each of those slots, in their order: its digest, 0 where no body is
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

// Zeroed, it knows nothing. A writer's has 16 bytes a slot, a reader's one and a sixteenth.
typedef struct log_digests {
    log_digest_parts parts; // writer: of each slot, in the last block
    log_digest_parts next;  // writer: the same, of the block that is made
    bool told;              // writer: the next block may leave out what did not change
    ARRAY(uint8_t) bytes;   // reader: of each slot, as the log tells
    ARRAY(uint32_t) groups; // reader: likewise
    uint32_t rest;          // reader: likewise
    bool known;             // reader: a block that had everything was read
} log_digests;

void log_digests_deinit(log_digests *d);

// ---- writing

// The world's hash, and appends a block of its bodies as they are. Nothing is appended of a world
// with more slots than the maximum, which only ids that were used up 2^29 times can make.
uint64_t log_digests_write(log_digests *d, const physics_world *world, buffer *out);
// An image was made, or a block was lost: the next block has everything.
void log_digests_begin_anew(log_digests *d);

// ---- reading

// Reads the block at the beginning of `size` bytes, which need not be trusted; `used` becomes its
// size. False: it is none.
bool log_digests_read(log_digests *d, const uint8_t *bytes, size_t size, size_t *used);
// Likewise passes over a block of the first kind, which had no groups and other digests (of servers
// whose images have version 4).
bool log_digests_pass_first_kind(const uint8_t *bytes, size_t size, size_t *used);
// The world's hash is not the log's: says what differs as far as the table tells.
//     the first body that differs is 7
//     the first body that differs is 7, which should not be there
//     the first body that differs is the one of slot 6, which is missing
//     the first body that differs is in one of the slots 64 to 127 (a slot is an id modulo 2^24)
//     all bodies agree, so the world's settings differ, or which ids come next
//     which body differs cannot be told
enum { LOG_DIGEST_TEXT_BYTES = 128 };
void log_digests_tell(const log_digests *d, const physics_world *world,
                      char text[LOG_DIGEST_TEXT_BYTES]);

#endif
