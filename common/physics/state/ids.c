// Ids and slots: converts callers' ids to the slots of objects, and back.
#include <inttypes.h>

#include "common/physics/state/ids.h"
#include "common/physics/state/world.h"

uint32_t body_slot(const physics_world *world, body_id id)
{
    return slots_find(&world->body_slots, id);
}

uint32_t shape_slot(const physics_world *world, shape_id id)
{
    uint32_t slot = slots_find(&world->shape_slots, id);
    // The pieces of a chain are internal: only the chain has an id.
    if (slot != NONE && world->shapes.data[slot].traits->chain != NONE &&
        world->shapes.data[slot].traits->chain != slot) {
        return NONE;
    }
    return slot;
}

uint32_t joint_slot(const physics_world *world, joint_id id)
{
    return slots_find(&world->joint_slots, id);
}

body_id body_id_of(const physics_world *world, uint32_t slot)
{
    return slots_id(&world->body_slots, slot);
}

shape_id shape_id_of(const physics_world *world, uint32_t slot)
{
    uint32_t chain = world->shapes.data[slot].traits->chain;
    return slots_id(&world->shape_slots, chain != NONE ? chain : slot);
}

joint_id joint_id_of(const physics_world *world, uint32_t slot)
{
    return slots_id(&world->joint_slots, slot);
}

status body_find(const physics_world *world, body_id id, uint32_t *slot, error *err)
{
    *slot = body_slot(world, id);
    return *slot != NONE ? STATUS_OK
                         : error_set(err, STATUS_NOT_FOUND, "body %" PRIu64 " does not exist", id);
}

status shape_find(const physics_world *world, shape_id id, uint32_t *slot, error *err)
{
    *slot = shape_slot(world, id);
    return *slot != NONE ? STATUS_OK
                         : error_set(err, STATUS_NOT_FOUND, "shape %" PRIu64 " does not exist", id);
}
