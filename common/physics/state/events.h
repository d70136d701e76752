// The events of a step; see events.c.
#ifndef CAROM_COMMON_PHYSICS_STATE_EVENTS_H
#define CAROM_COMMON_PHYSICS_STATE_EVENTS_H

#include "common/physics/state/world.h"

static inline bool event_wanted(const physics_world *world, event_kind kind)
{
    return (world->event_mask >> kind & 1) != 0;
}
void event_push(physics_world *world, const physics_event *event);
void event_push_body(physics_world *world, event_kind kind, uint32_t body);
// `approach`: normal velocities of its points before the step's solving [m/s]; NULL if it has none.
void event_push_contact(physics_world *world, event_kind kind, uint32_t contact,
                        const float approach[2]);
physics_event event_of_contact(const physics_world *world, event_kind kind, uint32_t contact,
                               const float approach[2]);
// A change or a step begins: drops events that were reported
void events_begin(physics_world *world);

#endif
