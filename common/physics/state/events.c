// Events in the order in which they happened, each with the tick whose state first shows it.
// Changes between two steps add to the list of the following step, so that no event comes before
// the state that it describes.
#include "common/physics/state/events.h"

#include "common/base/assert.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/world.h"

const physics_event *world_events(const physics_world *world, uint32_t *count)
{
    *count = world->events_finished ? world->events.count : 0;
    return world->events.data;
}

void world_want_events(physics_world *world, uint32_t kinds)
{
    world->event_mask = kinds;
}

void events_begin(physics_world *world)
{
    if (world->events_finished) {
        array_clear(&world->events);
        world->events_finished = false;
    }
}

void event_push(physics_world *world, const physics_event *event)
{
    if (!event_wanted(world, event->kind)) {
        return;
    }
    events_begin(world);
    array_push(&world->events, *event);
    // The state that shows it is that of the current step, or of the next one.
    world->events.data[world->events.count - 1].tick = world->tick + 1;
}

void event_push_body(physics_world *world, event_kind kind, uint32_t slot)
{
    event_push(world, &(physics_event){.kind = kind, .a = body_id_of(world, slot)});
}

// An event reports one point: the deepest, or for a hit the fastest.
static int point_told(event_kind kind, const contact *c, const placed_points *placed,
                      const float *approach)
{
    bool second = kind == EVENT_HIT ? approach[1] < approach[0]
                                    : placed->separation[1] < placed->separation[0];
    return c->point_count == 2 && second;
}

physics_event event_of_contact(const physics_world *world, event_kind kind, uint32_t slot,
                               const float approach[2])
{
    const contact *c = &world->contacts.data[slot];
    const placed_points placed = contact_place_points(world, c);
    physics_event event = {
        .kind = kind,
        .a = body_id_of(world, c->body_a),
        .b = body_id_of(world, c->body_b),
        .shape_a = shape_id_of(world, c->shape_a),
        .shape_b = shape_id_of(world, c->shape_b),
        .normal = placed.normal,
    };
    if (c->point_count > 0) {
        ASSERT(approach != NULL);
        int told = point_told(kind, c, &placed, approach);
        event.point = vec2d_offset(world->motions.data[c->body_a].center, placed.anchor_a[told]);
        event.depth = -placed.separation[told];
        event.speed = -approach[told];
        event.impulse = c->total_impulse[0] + (c->point_count > 1 ? c->total_impulse[1] : 0.0f);
    }
    return event;
}

void event_push_contact(physics_world *world, event_kind kind, uint32_t slot,
                        const float approach[2])
{
    if (event_wanted(world, kind)) {
        const physics_event event = event_of_contact(world, kind, slot, approach);
        event_push(world, &event);
    }
}
