// Joints of any kind, by slot, as the rest of the engine uses them. joint_record.h has the
// internals.
#ifndef CAROM_COMMON_PHYSICS_STATE_JOINTS_JOINTS_H
#define CAROM_COMMON_PHYSICS_STATE_JOINTS_JOINTS_H

#include "common/physics/physics.h"

void joint_destroy_all(physics_world *world, uint32_t body);
bool joint_prevents_contact(const physics_world *world, uint32_t body_a, uint32_t body_b);
void joint_activate(physics_world *world, uint32_t slot);
void joint_deactivate(physics_world *world, uint32_t slot);
// For images: whether the joint must be awake; if so it is put on the list, but not yet in the
// graph.
bool joint_restore_awake(physics_world *world, uint32_t slot);
void joint_refresh_all(physics_world *world, uint32_t body); // after it was enabled or disabled
void joints_free(physics_world *world);
// Calls back with the other body of each joint of `body`.
typedef void (*joint_visit)(physics_world *world, uint32_t joint, uint32_t other, void *context);
void joint_visit_all(physics_world *world, uint32_t body, joint_visit visit, void *context);

#endif
