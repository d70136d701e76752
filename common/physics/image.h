// World images: all of a world's state as bytes, and back.
//
// A restored world steps on as if it had never stopped: same hashes, same events, same ids, on any
// machine. The format is versioned and independent of byte order, compiler and memory layout; it
// holds what cannot be computed again (poses, impulses of contacts and joints, colours, timers, fat
// boxes, generations) and nothing else. Shapes that are alike are written once. About 170 bytes a
// body in a pyramid.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_H
#define CAROM_COMMON_PHYSICS_IMAGE_H

#include "common/physics/physics.h"

// Images of other versions are refused by name. It changes with the format, and with what the state
// hash is made of, which an image ends with. A sealed image is of the version above, and has a
// checksum after the hash: CRC-32C of all before it, four bytes, little-endian.
// Next to it stands ENGINE_BEHAVIOUR: a world whose past was another engine's would go on otherwise
// than it did there, so it is refused.
enum { PHYSICS_IMAGE_VERSION = 6, PHYSICS_IMAGE_VERSION_SEALED = 7 };

// Writes the world's state between two steps. *bytes is the caller's to free(). The hash finds what
// was altered of the state; tags, limits and what has no say in the state (the sign of a zero) are
// not in it, so these bytes are for where a checksum stands round them: a log, a recording.
void world_save(const physics_world *world, uint8_t **bytes, size_t *size);
// The same, sealed: for images that leave by themselves.
void world_save_sealed(const physics_world *world, uint8_t **bytes, size_t *size);

// The counts that an image claims. Slots are those in use and those that are free again: a world
// has a place for each, and world_restore takes memory for all of them.
typedef struct image_counts {
    uint32_t bodies, shapes,
        joints; // each piece of a chain counted as a shape, and the chain itself
    uint32_t body_slots, shape_slots, joint_slots;
} image_counts;

// Reads that from the image's beginning; takes no memory. The rest of the image is not looked at:
// it may hold something else, and world_restore then refuses it. Errors as there. Linear in the
// slots.
status world_image_counts(const uint8_t *bytes, size_t size, image_counts *out, error *err);

// A new world from an image, sealed or not. Bytes that are no image of a version we know, are cut
// off, altered or inconsistent, or of another behaviour, are answered with STATUS_INVALID_ARGUMENT
// and a text that says where; the bytes need not be trusted.
status world_restore(const uint8_t *bytes, size_t size, physics_world **out, error *err);

// The impulses of contacts and the forces of joints in the last step are told (world_contacts,
// joint_get) and decide nothing, so images leave them out and a restored world tells zeros until it
// has stepped. These functions keep them beside an image, for the process that made it: the bytes
// are in its own order.
size_t world_reports_bytes(const physics_world *world);
void world_save_reports(const physics_world *world, uint8_t *out); // world_reports_bytes() bytes
// `world` was just restored from the image made with these bytes.
void world_restore_reports(physics_world *world, const uint8_t *from);

#endif
