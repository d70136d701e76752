// The records of a world image, each described once for writing and reading; for image.c alone.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_RECORDS_H
#define CAROM_COMMON_PHYSICS_IMAGE_RECORDS_H

#include "common/physics/image_stream.h"
#include "common/physics/world.h"

// Shape definitions that are alike to the bit are written once, at their first use.
typedef struct shape_table {
    ARRAY(shape_def) defs;   // points of chains are owned
    ARRAY(uint32_t) buckets; // writing: index + 1 by hash; a power of two of them
    ARRAY(uint32_t) pieces;  // reading: of the chain in a slot, the pieces placed so far
} shape_table;

void shape_table_deinit(shape_table *table);

void body_record(image_stream *s, physics_world *world, uint32_t slot);
void shape_record(image_stream *s, physics_world *world, uint32_t slot, shape_table *table);
void joint_record(image_stream *s, physics_world *world, uint32_t slot);
void contact_record(image_stream *s, physics_world *world, uint32_t slot);
void event_record(image_stream *s, physics_event *event);

// Reading. Arrays as long as the slots say; then, once the shapes are there, masses, lists and
// sleepers; then the joints' lists.
void image_make_room(physics_world *world);
void image_finish_bodies(image_stream *s, physics_world *world);
void image_finish_joints(image_stream *s, physics_world *world);

#endif
