// Digests of bodies beside a log: which body is the first that differs, where a hash does not
// agree.
//
// The state's hash tells that a world that was computed again is another one, and nothing about
// where. So the journal bears, with each hash, a byte for each body: a digest of its place,
// velocity and sleep. Only those that changed since the last such block are in it, so that bodies
// at rest cost nothing, and the block after an image has all, as a restart begins there.
//
// A digest of a byte agrees by chance for one of 255 bodies that differ: the body that is named
// differs surely, and in rare cases one before it does, too.
//
//     block     u32 number of groups of 64 slots
//               a bit for each group, least significant first, in whole bytes: something changed
//               for each of these groups: u64, a bit for each of its slots whose digest follows
//               a byte for each of those slots, in their order: its digest, 0 where no body is
//
// Numbers are little-endian. The same states give the same bytes.
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
    // Slots of a world whose bodies are digested. Beyond that a block would take a millisecond and
    // more of a tick, and there is none.
    LOG_DIGEST_SLOTS_MAX = 1 << 16,
    LOG_DIGEST_GROUPS_MAX = LOG_DIGEST_SLOTS_MAX / 64,
    LOG_DIGEST_BYTES_MAX =
        4 + LOG_DIGEST_GROUPS_MAX / 8 + LOG_DIGEST_GROUPS_MAX * 8 + LOG_DIGEST_SLOTS_MAX
};

// It holds a digest of each slot whose body is known. Zeroed, it knows none.
typedef struct log_digests {
    ARRAY(uint64_t) states; // writer: hash of the slot's body in the last block, 0: none
    ARRAY(uint8_t) bytes;   // reader: the digest that the log tells
    bool told;              // writer: the next block may leave out what did not change
} log_digests;

void log_digests_deinit(log_digests *d);

// ---- writing

// Appends a block of the world's bodies as they are. False: the world is too large, or empty of
// slots that were ever used, and nothing is appended.
bool log_digests_write(log_digests *d, const physics_world *world, buffer *out);
// An image was made, or a block was lost: the next block has all bodies.
void log_digests_begin_anew(log_digests *d);

// ---- reading

// The table is that of the world's bodies as they are: of an image, whose hash agreed.
void log_digests_take(log_digests *d, const physics_world *world);
// Reads the block at the beginning of `size` bytes, which need not be trusted; `used` becomes its
// size. False: it is none.
bool log_digests_read(log_digests *d, const uint8_t *bytes, size_t size, size_t *used);
// Says which body is the first, by slot, whose digest is another one than the table's: its id,
// "7, which should not be there", "the one of slot 6, which is missing". False: none is.
enum { LOG_DIGEST_TEXT_BYTES = 96 };
bool log_digests_differ(const log_digests *d, const physics_world *world,
                        char text[LOG_DIGEST_TEXT_BYTES]);

#endif
