// World images: all of a world's state as bytes, and back.
//
// A restored world steps on as if it had never stopped: same hashes, same events, same ids, on any
// machine. The format is versioned and independent of byte order, compiler and memory layout. An
// image has only values that cannot be computed again: poses, impulses of contacts and joints,
// colours, timers, fat boxes, generations. Equal shapes are written once. A body in a pyramid takes
// about 170 bytes.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_H
#define CAROM_COMMON_PHYSICS_IMAGE_H

#include "common/physics/physics.h"

// Images of other versions are refused with their version. The version changes with the format and
// with the contents of the state hash, which ends an image. A sealed image has the second
// version and, after the hash, a checksum: CRC-32C of all bytes before it, four bytes,
// little-endian. An image of a world that has or had data (data.h) has the third version, and
// sealed the fourth; one of a world with rules (rules.h) has the fifth and the sixth, with or
// without data; one of a world with seats (seats.h) the seventh and the eighth, with or without
// both; one of a world with one-way shapes the ninth and the tenth, with or without all of these.
// All others are as they were before there were any. The image also has ENGINE_BEHAVIOUR: a world
// from an engine of another behaviour would continue differently here, so it is refused.
enum {
    PHYSICS_IMAGE_VERSION = 6,
    PHYSICS_IMAGE_VERSION_SEALED = 7,
    PHYSICS_IMAGE_VERSION_DATA = 8,
    PHYSICS_IMAGE_VERSION_DATA_SEALED = 9,
    PHYSICS_IMAGE_VERSION_RULES = 10,
    PHYSICS_IMAGE_VERSION_RULES_SEALED = 11,
    PHYSICS_IMAGE_VERSION_SEATS = 12,
    PHYSICS_IMAGE_VERSION_SEATS_SEALED = 13,
    PHYSICS_IMAGE_VERSION_ONE_WAY = 14,
    PHYSICS_IMAGE_VERSION_ONE_WAY_SEALED = 15
};

// Writes the world's state between two steps. *bytes is the caller's to free(). The hash detects
// altered state, but it excludes tags, limits and values without influence (the sign of a zero). So
// use these bytes only inside a log or a recording, which has its own checksum.
void world_save(const physics_world *world, uint8_t **bytes, size_t *size);
// The same, sealed with a checksum: for images that are stored or sent on their own.
void world_save_sealed(const physics_world *world, uint8_t **bytes, size_t *size);

// The counts that an image claims. Slots include free ones: a world keeps a place for each, and
// world_restore allocates memory for all of them.
typedef struct image_counts {
    uint32_t bodies, shapes,
        joints; // each piece of a chain counted as a shape, and the chain itself
    uint32_t body_slots, shape_slots, joint_slots;
} image_counts;

// Reads the counts from the image's beginning without allocating. The rest of the image is not
// checked; world_restore refuses it if it is invalid. Same errors as world_restore. Time is linear
// in the slots.
status world_image_counts(const uint8_t *bytes, size_t size, image_counts *out, error *err);

// Makes a new world from an image, sealed or not. The bytes need not be trusted:
// STATUS_INVALID_ARGUMENT, with a text that says where, if they are of an unknown version or
// another behaviour, cut off, altered or inconsistent.
status world_restore(const uint8_t *bytes, size_t size, physics_world **out, error *err);

// The impulses of contacts and the forces of joints in the last step are only reported
// (world_contacts, joint_get) and influence nothing. So images leave them out, and a restored world
// reports zeros until its first step. These functions save them beside an image for the same
// process: the bytes are in its byte order.
size_t world_reports_bytes(const physics_world *world);
void world_save_reports(const physics_world *world, uint8_t *out); // world_reports_bytes() bytes
// `world` must have just been restored from the image saved together with these bytes.
void world_restore_reports(physics_world *world, const uint8_t *from);

#endif
