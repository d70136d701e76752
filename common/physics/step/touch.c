// Touching: tells begin, stay, end and hit after the step has been solved, when impulses are known,
// and what came into or left a sensor.
#include "common/physics/state/events.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

// The fastest approach of the step.
static float closing_speed(const physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    impact_report told;
    float speed = impact_told(world, slot, &told) ? told.speed : 0.0f;
    float approach[2];
    contact_approach(world, c, approach);
    for (int k = 0; k < c->point_count; k++) {
        speed = float_max(speed, -approach[k]);
    }
    return speed;
}

static void tell_contact(physics_world *world, event_kind kind, uint32_t slot)
{
    if (event_wanted(world, kind)) {
        float approach[2];
        contact_approach(world, &world->contacts.data[slot], approach);
        physics_event event = event_of_contact(world, kind, slot, approach);
        impact_report told;
        if (kind != EVENT_END && impact_told(world, slot, &told)) {
            event.point = told.point;
            event.normal = told.normal;
            event.depth = 0.0f;
            event.speed = closing_speed(world, slot);
            event.impulse += told.impulse;
        }
        event_push(world, &event);
    }
}

static void tell_ends(physics_world *world)
{
    world->scratch->ended.count = sort_slots(world->scratch->ended.data, world->scratch->ended.count);
    for (uint32_t i = 0; i < world->scratch->ended.count; i++) {
        contact *c = &world->contacts.data[world->scratch->ended.data[i]];
        bool sensor = (c->flags & CONTACT_SENSOR) != 0;
        c->flags &= (uint8_t)~CONTACT_TOUCHING;
        world->touching_count--;
        if (sensor || (c->flags & CONTACT_EVENTS) != 0) {
            tell_contact(world, sensor ? EVENT_SENSOR_END : EVENT_END, world->scratch->ended.data[i]);
        }
    }
}

static void tell_begins(physics_world *world)
{
    const impact_report_list *reports = &world->scratch->reports;
    for (uint32_t i = 0; i < reports->count; i++) {
        array_push(&world->scratch->began, reports->data[i].contact);
    }
    world->scratch->began.count = sort_slots(world->scratch->began.data, world->scratch->began.count);
    for (uint32_t i = 0; i < world->scratch->began.count; i++) {
        uint32_t slot = world->scratch->began.data[i];
        contact *c = &world->contacts.data[slot];
        if ((c->flags & CONTACT_TOUCHING) != 0) {
            continue; // struck, and touched before
        }
        const bool stays = (c->flags & CONTACT_ACTIVE) != 0; // or has rebounded within the step
        c->flags |= stays ? CONTACT_TOUCHING : 0u;
        world->touching_count += stays;
        if ((c->flags & CONTACT_SENSOR) != 0) {
            tell_contact(world, EVENT_SENSOR_BEGIN, slot);
            continue;
        }
        if ((c->flags & CONTACT_EVENTS) != 0) {
            tell_contact(world, EVENT_BEGIN, slot);
        }
        if ((c->flags & CONTACT_HIT) != 0 &&
            closing_speed(world, slot) > (float)world->def.hit_threshold) {
            tell_contact(world, EVENT_HIT, slot);
        }
        if (!stays && (c->flags & CONTACT_EVENTS) != 0) {
            tell_contact(world, EVENT_END, slot);
        }
    }
}

static void tell_stays(physics_world *world)
{
    if (!event_wanted(world, EVENT_STAY)) {
        return;
    }
    array_clear(&world->scratch->listed);
    for (uint32_t c = 0; c <= COLOURS; c++) {
        for (uint32_t i = 0; i < world->graph[c].contacts.count; i++) {
            uint32_t slot = world->graph[c].contacts.data[i];
            const uint32_t both = CONTACT_TOUCHING | CONTACT_EVENTS;
            if ((world->contacts.data[slot].flags & both) == both) {
                array_push(&world->scratch->listed, slot);
            }
        }
    }
    world->scratch->listed.count = sort_slots(world->scratch->listed.data, world->scratch->listed.count);
    for (uint32_t i = 0; i < world->scratch->listed.count; i++) {
        tell_contact(world, EVENT_STAY, world->scratch->listed.data[i]);
    }
}

void touch_events(physics_world *world)
{
    tell_ends(world);
    tell_stays(world); // those that touched before, so before the begins are marked
    tell_begins(world);
}
