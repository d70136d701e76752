// The records of a world image; only for image.c.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_IMAGE_RECORDS_H
#define CAROM_COMMON_PHYSICS_IMAGE_IMAGE_RECORDS_H

#include "common/physics/image/image_stream.h"
#include "common/physics/state/world.h"

// Equal shape definitions (to the bit) are written once, at their first use. Their numbers count
// from 0 in that order.
typedef struct shape_table {
    ARRAY(uint32_t) first;   // the first shape of each definition
    ARRAY(uint32_t) buckets; // writing: number + 1 by signature; the count is a power of two
    // reading
    ARRAY(shape_def) defs;   // points of chains are owned
    ARRAY(uint32_t) numbers; // definitions by shape slot; pieces have none of their own
    ARRAY(uint32_t) pieces;  // pieces placed so far, by the chain's slot
    ARRAY(aabb) before;      // earlier boxes of the enlarged shapes
} shape_table;

void shape_table_deinit(shape_table *table);

// Both return their part of the state hash, computed on the way.
uint64_t bodies_write(image_stream *s, const physics_world *world);
uint64_t contacts_write(image_stream *s, const physics_world *world);
void shapes_write(image_stream *s, physics_world *world);
void joints_write(image_stream *s, const physics_world *world);
void event_record(image_stream *s, physics_event *event); // writes the event, or reads it
void data_write(image_stream *s, const physics_world *world);
void data_read(image_stream *s, physics_world *world);

// The seats and the rules (image_kept.c), and what follows them.
void seats_write(image_stream *s, physics_world *world);
void seats_read(image_stream *s, physics_world *world);
void rules_write(image_stream *s, physics_world *world);
void rules_read(image_stream *s, physics_world *world);

// Functions for reading, called in this order; each accepts a failed stream. They read: arrays as
// long as the slots say; bodies; shapes, with masses, lists and sleeping bodies; joints with their
// lists; contacts.
void image_make_room(physics_world *world);
void bodies_read(image_stream *s, physics_world *world);
void shapes_read(image_stream *s, physics_world *world, shape_table *table);
void bodies_finish(image_stream *s, physics_world *world, const shape_table *table);
void joints_read(image_stream *s, physics_world *world);
void contacts_read(image_stream *s, physics_world *world);
// The least length of an image with this highest contact slot. The slot may be as high as the world
// once had contacts, even if few remain; but a few forged bytes must not make a reader allocate
// gigabytes.
size_t contacts_least_bytes(uint32_t slots_end);

// The bytes that a slot of the pool takes in an image.
static inline uint32_t slot_bytes(const slot_pool *pool)
{
    return pool->end <= 1u << 8 ? 1 : pool->end <= 1u << 16 ? 2 : 3;
}

#endif
