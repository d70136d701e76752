// Forces and impulses of the last step; see world_save_reports(). They are in the order of the
// slots, which a restored world shares.
#include "common/physics/image.h"

#include <string.h>

#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/world.h"

typedef struct joint_report {
    vec2 force;
    float torque;
} joint_report;

typedef struct contact_report {
    float impulse[2];
} contact_report;

size_t world_reports_bytes(const physics_world *world)
{
    return world->contact_slots.count * sizeof(contact_report) +
           world->joint_slots.count * sizeof(joint_report);
}

void world_save_reports(const physics_world *world, uint8_t *out)
{
    for (uint32_t slot = slots_next(&world->contact_slots, 0); slot != 0;
         slot = slots_next(&world->contact_slots, slot)) {
        memcpy(out, world->contacts.data[slot].total_impulse, sizeof(contact_report));
        out += sizeof(contact_report);
    }
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0;
         slot = slots_next(&world->joint_slots, slot)) {
        const joint *j = &world->joints.data[slot];
        const joint_report report = {j->total_force, j->total_torque};
        memcpy(out, &report, sizeof report);
        out += sizeof report;
    }
}

void world_restore_reports(physics_world *world, const uint8_t *from)
{
    for (uint32_t slot = slots_next(&world->contact_slots, 0); slot != 0;
         slot = slots_next(&world->contact_slots, slot)) {
        memcpy(world->contacts.data[slot].total_impulse, from, sizeof(contact_report));
        from += sizeof(contact_report);
    }
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0;
         slot = slots_next(&world->joint_slots, slot)) {
        joint_report report;
        memcpy(&report, from, sizeof report);
        world->joints.data[slot].total_force = report.force;
        world->joints.data[slot].total_torque = report.torque;
        from += sizeof report;
    }
}
