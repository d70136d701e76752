// The bytes of the storage's files: headers and records to structs and back. README.md has the
// layouts. All numbers are little-endian; every header carries a checksum of its own, so nothing of
// it is believed before that fits. Pure functions, any thread.
#ifndef CAROM_SERVER_STORAGE_FORMAT_H
#define CAROM_SERVER_STORAGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/little_endian.h"
#include "server/storage/limits.h"

enum {
    FORMAT_VERSION = 1,
    SEGMENT_HEADER_BYTES = 40,
    GROUP_HEADER_BYTES = 48,
    RECORD_HEADER_BYTES = 56,
    WORLD_BODY_BYTES = 56, // size without the name, which follows
    CHECKPOINT_BODY_BYTES = 24,
    IMAGE_HEADER_BYTES = 80
};

typedef enum format_result {
    FORMAT_OK,
    FORMAT_BROKEN, // another kind of file or record, or its checksum differs
    FORMAT_NEWER   // sound as far as it can be read, but of an unknown version
} format_result;

// ---- a segment of the log

typedef struct segment_header {
    uint32_t version;
    uint64_t number;      // the segment's number, from 1
    uint64_t store;       // random, of the directory
    uint64_t first_group; // number of the group that follows
} segment_header;

void segment_header_write(const segment_header *h, uint8_t bytes[SEGMENT_HEADER_BYTES]);
format_result segment_header_read(const uint8_t bytes[SEGMENT_HEADER_BYTES], segment_header *out);

// ---- a group: the records of one write

typedef struct group_header {
    uint32_t bytes;   // bytes of the records that follow
    uint32_t records; // their number; 0: a seal, that only carries `synced`
    uint64_t number;  // consecutive over all segments
    uint64_t synced;  // every group up to this one was on the disk when this one was written
    uint64_t store;
    uint32_t segment; // low bits of its number
} group_header;

void group_header_write(const group_header *h, uint8_t bytes[GROUP_HEADER_BYTES]);
format_result group_header_read(const uint8_t bytes[GROUP_HEADER_BYTES], group_header *out);

// ---- a record

typedef enum record_kind {
    RECORD_STORE = 1,  // `world`: the next world's number; `sequence`: the oldest segment needed
    RECORD_WORLD,      // a world and its newest checkpoint: at its making, and first in a segment
    RECORD_APPEND,     // one piece of a world's log
    RECORD_CHECKPOINT, // an image covers everything up to `sequence`
    RECORD_DESTROY,
    RECORD_KIND_END
} record_kind;

typedef struct record {
    record_kind kind;
    bool has_hash;
    uint32_t index; // within the group
    uint64_t world;
    uint64_t sequence;
    uint64_t first_tick, last_tick;
    uint64_t hash;
    const uint8_t *bytes; // the body; reading leaves it in the bytes that were read
    uint32_t size;
} record;

// Writes the header, with the checksum over it and the body; the body must follow it.
void record_header_write(const record *r, uint8_t bytes[RECORD_HEADER_BYTES]);
// `size` is the rest of the group; `used` becomes the bytes of the record.
format_result record_read(const uint8_t *bytes, size_t size, record *out, size_t *used);

// The newest checkpoint of a world.
typedef struct checkpoint_info {
    bool exists;
    bool has_hash;
    uint64_t sequence, tick, hash;
    uint64_t image; // number of its file, another for each
    uint64_t size;  // bytes of the image
    uint32_t crc;   // checksum of the image file's header
} checkpoint_info;

typedef struct world_body {
    uint64_t epoch;
    uint8_t durability;
    checkpoint_info checkpoint;
    char name[STORAGE_NAME_BYTES_MAX + 1];
} world_body;

// Returns the size used, up to WORLD_BODY_BYTES + STORAGE_NAME_BYTES_MAX.
uint32_t world_body_write(const world_body *w, uint8_t *bytes);
format_result world_body_read(const uint8_t *bytes, size_t size, world_body *out);

void checkpoint_body_write(const checkpoint_info *c, uint8_t bytes[CHECKPOINT_BODY_BYTES]);
format_result checkpoint_body_read(const record *r, checkpoint_info *out);

// ---- a checkpoint's image

typedef struct image_header {
    uint32_t version;
    uint64_t store, world, number, sequence, tick, hash;
    bool has_hash;
    uint64_t size; // bytes of the image, without headers and checksums
} image_header;

// Returns the checksum that the log's checkpoint record has too.
uint32_t image_header_write(const image_header *h, uint8_t bytes[IMAGE_HEADER_BYTES]);
format_result image_header_read(const uint8_t bytes[IMAGE_HEADER_BYTES], image_header *out,
                                uint32_t *crc);

// 1 to STORAGE_NAME_BYTES_MAX of A-Z a-z 0-9 _ . -
bool storage_name_valid(const char *name);

#endif
