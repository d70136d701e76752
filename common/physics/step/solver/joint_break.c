// Breaks joints whose load exceeded their limit, after solving.
#include "common/physics/parallel/sort.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/joint_phases.h"
#include "common/physics/step/solver/joint_lanes.h"

static bool is_overloaded(const physics_world *world, const joint *j)
{
    const joint_settings *s = joint_settings_of(world, j);
    float inv_dt = world->step.inv_dt;
    float force = inv_dt * vec2_length(j->total_force);
    float torque = inv_dt * float_abs(j->total_torque);
    return (s->break_force > 0.0f && force > s->break_force) ||
           (s->break_torque > 0.0f && torque > s->break_torque);
}

void joints_check_break(physics_world *world)
{
    ARRAY(uint32_t) broken = {0};
    uint32_t count;
    const uint32_t *breakable = joints_breakable(world, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = breakable[i];
        const joint *j = &world->joints.data[slot];
        if (j->awake_index != 0 && is_overloaded(world, j)) { // it may have been put to rest since
            array_push(&broken, slot);
        }
    }
    broken.count = sort_slots(broken.data, broken.count);
    for (uint32_t i = 0; i < broken.count; i++) {
        uint32_t slot = broken.data[i];
        if (!slots_has(&world->joint_slots, slot)) {
            continue; // a gear that was removed with its joint
        }
        const joint *j = &world->joints.data[slot];
        physics_event event = {.kind = EVENT_JOINT_BREAK,
                               .a = j->body_a != NONE ? body_id_of(world, j->body_a) : 0,
                               .b = body_id_of(world, j->body_b),
                               .joint = joint_id_of(world, slot),
                               .point = joint_anchor_b(world, j)};
        event_push(world, &event);
        joint_destroy(world, slot);
    }
    array_free(&broken);
}
