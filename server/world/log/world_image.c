// Served worlds to bytes and back; see world_image.h.
#include "server/world/log/world_image.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/physics/image.h"
#include "server/world/state/id_slot.h"

enum {
    MAGIC_BYTES = 8,
    VERSION_AT = 8,
    FLAGS_AT = 12,
    UNTIL_AT = 16,
    VIEW_AT = 24,
    COUNT_AT = 56,
    CHECKSUM_AT = 60,
    HEADER_BYTES = 64,
    ROW_BYTES = 16,
    OWNERS_SIZE_BYTES = 4,
    MARKS_COUNT_BYTES = 4,
    VERSION = 5,
    VERSION_OLDEST = 3,
    FLAG_PAUSED = 1,
    FLAG_VIEW = 2
};

static const uint8_t MAGIC[MAGIC_BYTES] = {0x89, 'c', 'w', 'o', 'r', 'l', 'd', '\n'};

static void put_view(uint8_t *at, const area *view)
{
    const double corners[4] = {view->x0, view->y0, view->x1, view->y1};
    for (int i = 0; i < 4; i++) {
        uint64_t bits;
        memcpy(&bits, &corners[i], sizeof bits);
        put64(at + 8 * i, bits);
    }
}

static void get_view(const uint8_t *at, area *view)
{
    double corners[4];
    for (int i = 0; i < 4; i++) {
        uint64_t bits = get64(at + 8 * i);
        memcpy(&corners[i], &bits, sizeof bits);
    }
    *view = (area){corners[0], corners[1], corners[2], corners[3]};
}

static uint32_t count_bodies(const session_bodies *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->by_slot.count; i++) {
        count += b->by_slot.data[i].id != 0 ? 1 : 0;
    }
    return count;
}

// `head`: bytes of the rows and the owners.
static uint32_t checksum(const uint8_t *bytes, size_t head)
{
    return crc32c(crc32c(0, bytes, CHECKSUM_AT), bytes + HEADER_BYTES, head);
}

shared_bytes *world_image_encode(const physics_world *physics, const session_bodies *bodies,
                                 const owners *table, const last_requests *marks, const area *view,
                                 bool paused, uint64_t until)
{
    uint8_t *image = NULL;
    size_t size = 0;
    world_save(physics, &image, &size);
    uint32_t count = count_bodies(bodies);
    size_t owned = owners_encoded_bytes(table, physics);
    uint32_t marked = marks != NULL ? last_requests_encode(marks, true, NULL) : 0;
    size_t head = (size_t)count * ROW_BYTES + OWNERS_SIZE_BYTES + owned + MARKS_COUNT_BYTES +
                  (size_t)marked * SESSION_MARK_BYTES;
    shared_bytes *out = bytes_create(HEADER_BYTES + head + size);
    uint8_t *at = out->data;
    memset(at, 0, HEADER_BYTES);
    memcpy(at, MAGIC, MAGIC_BYTES);
    put32(at + VERSION_AT, VERSION);
    put32(at + FLAGS_AT, (paused ? FLAG_PAUSED : 0u) | (view != NULL ? FLAG_VIEW : 0u));
    put64(at + UNTIL_AT, until);
    if (view != NULL) {
        put_view(at + VIEW_AT, view);
    }
    put32(at + COUNT_AT, count);
    uint8_t *row = at + HEADER_BYTES;
    for (uint32_t i = 0; i < bodies->by_slot.count; i++) {
        const session_body *b = &bodies->by_slot.data[i];
        if (b->id != 0) {
            put64(row, b->id);
            put64(row + 8, b->session);
            row += ROW_BYTES;
        }
    }
    put32(row, (uint32_t)owned);
    owners_encode(table, physics, row + OWNERS_SIZE_BYTES);
    row += OWNERS_SIZE_BYTES + owned;
    put32(row, marked);
    if (marked > 0) {
        (void)last_requests_encode(marks, true, row + MARKS_COUNT_BYTES);
    }
    put32(at + CHECKSUM_AT, checksum(at, head));
    memcpy(at + HEADER_BYTES + head, image, size);
    out->size = HEADER_BYTES + head + size;
    free(image);
    return out;
}

// Bytes of the rows and the owners, up to the number of marks; `size` if their counts are wrong.
static uint64_t owned_bytes(const uint8_t *bytes, size_t size)
{
    uint64_t rows = (uint64_t)get32(bytes + COUNT_AT) * ROW_BYTES;
    if (rows + OWNERS_SIZE_BYTES > size - HEADER_BYTES) {
        return size;
    }
    return rows + OWNERS_SIZE_BYTES + get32(bytes + HEADER_BYTES + rows);
}

// The number of bytes between the header and the physics. More than `size` if a count in the image
// is false.
static uint64_t head_bytes(const uint8_t *bytes, size_t size)
{
    uint64_t owned = owned_bytes(bytes, size);
    if (owned + MARKS_COUNT_BYTES > size - HEADER_BYTES) {
        return size;
    }
    return owned + MARKS_COUNT_BYTES +
           (uint64_t)get32(bytes + HEADER_BYTES + owned) * SESSION_MARK_BYTES;
}

static status check_header(const uint8_t *bytes, size_t size, error *err)
{
    if (size < HEADER_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "the image of a served world is none");
    }
    uint32_t version = get32(bytes + VERSION_AT);
    if (version < VERSION_OLDEST || version > VERSION) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the image has version %u, this server reads %d to %d: use the version "
                         "that wrote it, or a newer one",
                         version, VERSION_OLDEST, VERSION);
    }
    uint64_t head = head_bytes(bytes, size);
    if (head > size - HEADER_BYTES || checksum(bytes, head) != get32(bytes + CHECKSUM_AT)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the image is altered: the checksum of its head does not fit");
    }
    return STATUS_OK;
}

status world_image_decode(const uint8_t *bytes, size_t size, world_image *out, error *err)
{
    status s = check_header(bytes, size, err);
    if (s != STATUS_OK) {
        return s;
    }
    uint32_t count = get32(bytes + COUNT_AT);
    uint32_t flags = get32(bytes + FLAGS_AT);
    const uint8_t *owned = bytes + HEADER_BYTES + (size_t)count * ROW_BYTES + OWNERS_SIZE_BYTES;
    const uint8_t *marks = bytes + HEADER_BYTES + owned_bytes(bytes, size);
    const uint8_t *physics = bytes + HEADER_BYTES + head_bytes(bytes, size);
    world_image made = {.until = get64(bytes + UNTIL_AT),
                        .paused = (flags & FLAG_PAUSED) != 0,
                        .has_view = (flags & FLAG_VIEW) != 0};
    get_view(bytes + VIEW_AT, &made.view);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = get64(bytes + HEADER_BYTES + (size_t)i * ROW_BYTES);
        if (id == 0 || id_slot(id) >= PHYSICS_BODIES_MAX) {
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "the image names body %llu, beyond the ids that exist",
                             (unsigned long long)id);
        }
    }
    s = world_restore(physics, (size_t)(bytes + size - physics), &made.physics, err);
    if (s != STATUS_OK) {
        return s;
    }
    s = owners_decode(owned, (size_t)(marks - owned), made.physics, &made.owners, err);
    if (s != STATUS_OK) {
        world_free(made.physics);
        return s;
    }
    if (!last_requests_decode(&made.marks, marks + MARKS_COUNT_BYTES, get32(marks))) {
        last_requests_deinit(&made.marks);
        owners_free(made.owners);
        world_free(made.physics);
        return error_set(err, STATUS_INVALID_ARGUMENT, "the image names a session that cannot be");
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = bytes + HEADER_BYTES + (size_t)i * ROW_BYTES;
        session_bodies_add(&made.bodies, get64(row), get64(row + 8));
    }
    *out = made;
    return STATUS_OK;
}

status world_image_peek(const uint8_t *bytes, size_t size, last_requests *marks, uint64_t *until,
                        error *err)
{
    status s = check_header(bytes, size, err);
    if (s != STATUS_OK) {
        return s;
    }
    const uint8_t *at = bytes + HEADER_BYTES + owned_bytes(bytes, size);
    *until = get64(bytes + UNTIL_AT);
    return last_requests_decode(marks, at + MARKS_COUNT_BYTES, get32(at))
               ? STATUS_OK
               : error_set(err, STATUS_INVALID_ARGUMENT,
                           "the image names a session that cannot be");
}
