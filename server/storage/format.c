// Writes and reads headers and records byte by byte, so that no struct's layout reaches the disk. A
// reader checks a header's magic, version and checksum before it believes the rest. Pure; any
// thread.
#include "server/storage/format.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"

// No magic is a prefix of another, and none is text.
static const uint8_t SEGMENT_MAGIC[8] = {0x89, 'C', 'R', 'M', 'L', 'O', 'G', 0x1A};
static const uint8_t IMAGE_MAGIC[8] = {0x89, 'C', 'R', 'M', 'I', 'M', 'G', 0x1A};
static const uint32_t GROUP_MAGIC = 0xB167C0A5;

enum { FLAG_HASH = 1, WORLD_FLAG_CHECKPOINT = 1, WORLD_FLAG_HASH = 2 };

static void seal(uint8_t *bytes, size_t size)
{
    put32(bytes + size - 4, crc32c(0, bytes, size - 4));
}

static bool sealed(const uint8_t *bytes, size_t size)
{
    return get32(bytes + size - 4) == crc32c(0, bytes, size - 4);
}

// A header of a version that we do not know need not have our size: only its first 12 bytes are
// where they are in ours.
static format_result version_of(const uint8_t *bytes, const uint8_t *magic, size_t size)
{
    if (memcmp(bytes, magic, 8) != 0) {
        return FORMAT_BROKEN;
    }
    if (sealed(bytes, size)) {
        return get32(bytes + 8) == FORMAT_VERSION ? FORMAT_OK : FORMAT_NEWER;
    }
    uint32_t version = get32(bytes + 8);
    return version > FORMAT_VERSION && version < 256 ? FORMAT_NEWER : FORMAT_BROKEN;
}

void segment_header_write(const segment_header *h, uint8_t bytes[SEGMENT_HEADER_BYTES])
{
    memcpy(bytes, SEGMENT_MAGIC, 8);
    put32(bytes + 8, h->version);
    put64(bytes + 12, h->number);
    put64(bytes + 20, h->store);
    put64(bytes + 28, h->first_group);
    seal(bytes, SEGMENT_HEADER_BYTES);
}

format_result segment_header_read(const uint8_t bytes[SEGMENT_HEADER_BYTES], segment_header *out)
{
    *out = (segment_header){
        .version = get32(bytes + 8),
        .number = get64(bytes + 12),
        .store = get64(bytes + 20),
        .first_group = get64(bytes + 28),
    };
    return version_of(bytes, SEGMENT_MAGIC, SEGMENT_HEADER_BYTES);
}

void group_header_write(const group_header *h, uint8_t bytes[GROUP_HEADER_BYTES])
{
    put32(bytes, GROUP_MAGIC);
    put32(bytes + 4, h->bytes);
    put32(bytes + 8, h->records);
    put32(bytes + 12, 0);
    put64(bytes + 16, h->number);
    put64(bytes + 24, h->synced);
    put64(bytes + 32, h->store);
    put32(bytes + 40, h->segment);
    seal(bytes, GROUP_HEADER_BYTES);
}

format_result group_header_read(const uint8_t bytes[GROUP_HEADER_BYTES], group_header *out)
{
    if (get32(bytes) != GROUP_MAGIC || !sealed(bytes, GROUP_HEADER_BYTES)) {
        return FORMAT_BROKEN;
    }
    *out = (group_header){
        .bytes = get32(bytes + 4),
        .records = get32(bytes + 8),
        .number = get64(bytes + 16),
        .synced = get64(bytes + 24),
        .store = get64(bytes + 32),
        .segment = get32(bytes + 40),
    };
    bool sensible = out->bytes <= STORAGE_GROUP_BYTES_MAX &&
                    out->records <= STORAGE_GROUP_RECORDS_MAX && out->synced < out->number;
    return sensible ? FORMAT_OK : FORMAT_BROKEN;
}

static uint32_t record_crc(const uint8_t *header, const uint8_t *body, size_t size)
{
    uint32_t crc = crc32c(0, header, RECORD_HEADER_BYTES - 4);
    return crc32c(crc, body, size);
}

void record_header_write(const record *r, uint8_t bytes[RECORD_HEADER_BYTES])
{
    ASSERT(r->size <= STORAGE_RECORD_BYTES_MAX);
    put32(bytes, RECORD_HEADER_BYTES + r->size);
    bytes[4] = (uint8_t)r->kind;
    bytes[5] = r->has_hash ? FLAG_HASH : 0;
    bytes[6] = bytes[7] = 0;
    put64(bytes + 8, r->world);
    put64(bytes + 16, r->sequence);
    put64(bytes + 24, r->first_tick);
    put64(bytes + 32, r->last_tick);
    put64(bytes + 40, r->hash);
    put32(bytes + 48, r->index);
    put32(bytes + 52, record_crc(bytes, r->bytes, r->size));
}

format_result record_read(const uint8_t *bytes, size_t size, record *out, size_t *used)
{
    if (size < RECORD_HEADER_BYTES) {
        return FORMAT_BROKEN;
    }
    size_t whole = get32(bytes);
    if (whole < RECORD_HEADER_BYTES || whole > size ||
        whole - RECORD_HEADER_BYTES > STORAGE_RECORD_BYTES_MAX) {
        return FORMAT_BROKEN;
    }
    const uint8_t *body = bytes + RECORD_HEADER_BYTES;
    uint32_t body_size = (uint32_t)(whole - RECORD_HEADER_BYTES);
    if (get32(bytes + 52) != record_crc(bytes, body, body_size) || bytes[4] == 0 ||
        bytes[4] >= RECORD_KIND_END) {
        return FORMAT_BROKEN;
    }
    *out = (record){
        .kind = (record_kind)bytes[4],
        .has_hash = (bytes[5] & FLAG_HASH) != 0,
        .world = get64(bytes + 8),
        .sequence = get64(bytes + 16),
        .first_tick = get64(bytes + 24),
        .last_tick = get64(bytes + 32),
        .hash = get64(bytes + 40),
        .index = get32(bytes + 48),
        .bytes = body,
        .size = body_size,
    };
    *used = whole;
    return FORMAT_OK;
}

uint32_t world_body_write(const world_body *w, uint8_t *bytes)
{
    size_t name = strlen(w->name);
    ASSERT(name >= 1 && name <= STORAGE_NAME_BYTES_MAX);
    const checkpoint_info *c = &w->checkpoint;
    put64(bytes, w->epoch);
    bytes[8] = w->durability;
    bytes[9] =
        (uint8_t)((c->exists ? WORLD_FLAG_CHECKPOINT : 0) | (c->has_hash ? WORLD_FLAG_HASH : 0));
    bytes[10] = (uint8_t)name;
    bytes[11] = 0;
    put64(bytes + 12, c->sequence);
    put64(bytes + 20, c->tick);
    put64(bytes + 28, c->hash);
    put64(bytes + 36, c->size);
    put32(bytes + 44, c->crc);
    put64(bytes + 48, c->image);
    memcpy(bytes + WORLD_BODY_BYTES, w->name, name);
    return WORLD_BODY_BYTES + (uint32_t)name;
}

format_result world_body_read(const uint8_t *bytes, size_t size, world_body *out)
{
    if (size < WORLD_BODY_BYTES || size != (size_t)WORLD_BODY_BYTES + bytes[10] ||
        bytes[10] > STORAGE_NAME_BYTES_MAX) {
        return FORMAT_BROKEN;
    }
    *out = (world_body){
        .epoch = get64(bytes),
        .durability = bytes[8],
        .checkpoint =
            {
                .exists = (bytes[9] & WORLD_FLAG_CHECKPOINT) != 0,
                .has_hash = (bytes[9] & WORLD_FLAG_HASH) != 0,
                .sequence = get64(bytes + 12),
                .tick = get64(bytes + 20),
                .hash = get64(bytes + 28),
                .size = get64(bytes + 36),
                .crc = get32(bytes + 44),
                .image = get64(bytes + 48),
            },
    };
    memcpy(out->name, bytes + WORLD_BODY_BYTES, bytes[10]);
    return storage_name_valid(out->name) ? FORMAT_OK : FORMAT_BROKEN;
}

void checkpoint_body_write(const checkpoint_info *c, uint8_t bytes[CHECKPOINT_BODY_BYTES])
{
    put64(bytes, c->size);
    put64(bytes + 8, c->image);
    put32(bytes + 16, c->crc);
    put32(bytes + 20, 0);
}

format_result checkpoint_body_read(const record *r, checkpoint_info *out)
{
    if (r->size != CHECKPOINT_BODY_BYTES) {
        return FORMAT_BROKEN;
    }
    *out = (checkpoint_info){
        .exists = true,
        .has_hash = r->has_hash,
        .sequence = r->sequence,
        .tick = r->last_tick,
        .hash = r->hash,
        .size = get64(r->bytes),
        .image = get64(r->bytes + 8),
        .crc = get32(r->bytes + 16),
    };
    return FORMAT_OK;
}

uint32_t image_header_write(const image_header *h, uint8_t bytes[IMAGE_HEADER_BYTES])
{
    memset(bytes, 0, IMAGE_HEADER_BYTES);
    memcpy(bytes, IMAGE_MAGIC, 8);
    put32(bytes + 8, h->version);
    put32(bytes + 12, h->has_hash ? FLAG_HASH : 0);
    put64(bytes + 16, h->store);
    put64(bytes + 24, h->world);
    put64(bytes + 32, h->sequence);
    put64(bytes + 40, h->tick);
    put64(bytes + 48, h->hash);
    put64(bytes + 56, h->size);
    put64(bytes + 64, h->number);
    seal(bytes, IMAGE_HEADER_BYTES);
    return get32(bytes + IMAGE_HEADER_BYTES - 4);
}

format_result image_header_read(const uint8_t bytes[IMAGE_HEADER_BYTES], image_header *out,
                                uint32_t *crc)
{
    *out = (image_header){
        .version = get32(bytes + 8),
        .has_hash = (get32(bytes + 12) & FLAG_HASH) != 0,
        .store = get64(bytes + 16),
        .world = get64(bytes + 24),
        .sequence = get64(bytes + 32),
        .tick = get64(bytes + 40),
        .hash = get64(bytes + 48),
        .size = get64(bytes + 56),
        .number = get64(bytes + 64),
    };
    *crc = get32(bytes + IMAGE_HEADER_BYTES - 4);
    return version_of(bytes, IMAGE_MAGIC, IMAGE_HEADER_BYTES);
}

bool storage_name_valid(const char *name)
{
    size_t size = 0;
    for (; name[size] != '\0'; size++) {
        char c = name[size];
        bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c == '-';
        if (!allowed || size == STORAGE_NAME_BYTES_MAX) {
            return false;
        }
    }
    return size > 0;
}
