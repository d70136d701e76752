// Converts ids, which callers have, to the slots of objects, and back (ids.c). The slot functions
// return NONE for an id that does not exist.
#ifndef CAROM_COMMON_PHYSICS_STATE_IDS_H
#define CAROM_COMMON_PHYSICS_STATE_IDS_H

#include "common/physics/physics.h"

uint32_t body_slot(const physics_world *world, body_id id);
uint32_t shape_slot(const physics_world *world, shape_id id);
uint32_t joint_slot(const physics_world *world, joint_id id);
body_id body_id_of(const physics_world *world, uint32_t slot);
shape_id shape_id_of(const physics_world *world, uint32_t slot); // a piece has its chain's id
joint_id joint_id_of(const physics_world *world, uint32_t slot);
status body_find(const physics_world *world, body_id id, uint32_t *slot, error *err);
status shape_find(const physics_world *world, shape_id id, uint32_t *slot, error *err);

#endif
