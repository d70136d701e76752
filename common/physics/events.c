// Events: what happened, in order, with the tick whose state first shows it. Changes between two
// steps report into the list of the step that follows, so that no event comes before the state that
// it speaks of.
#include "common/physics/world.h"

static const char *const NAMES[EVENT_KIND_COUNT] = {
    [EVENT_BEGIN] = "begin",
    [EVENT_STAY] = "stay",
    [EVENT_END] = "end",
    [EVENT_HIT] = "hit",
    [EVENT_SENSOR_BEGIN] = "sensor_begin",
    [EVENT_SENSOR_END] = "sensor_end",
    [EVENT_SLEEP] = "sleep",
    [EVENT_WAKE] = "wake",
    [EVENT_SPAWN] = "spawn",
    [EVENT_REMOVE] = "remove",
    [EVENT_JOINT_BREAK] = "joint_break",
    [EVENT_FREEZE] = "freeze",
};

const char *event_kind_name(event_kind kind)
{
    return (unsigned)kind < EVENT_KIND_COUNT ? NAMES[kind] : "unknown";
}

const physics_event *world_events(const physics_world *world, uint32_t *count)
{
    *count = world->events_finished ? world->events.count : 0;
    return world->events.data;
}

void world_want_events(physics_world *world, uint32_t kinds)
{
    world->event_mask = kinds;
}

bool event_wanted(const physics_world *world, event_kind kind)
{
    return (world->event_mask >> kind & 1) != 0;
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
    // The state that shows it is that of the step under way, or of the next one.
    world->events.data[world->events.count - 1].tick = world->tick + 1;
}

void event_push_body(physics_world *world, event_kind kind, uint32_t slot)
{
    event_push(world, &(physics_event){.kind = kind, .a = body_id_of(world, slot)});
}

// An event tells of one point: the deepest, a hit of the fastest.
static bool tells_more(event_kind kind, const contact_point *a, const contact_point *b)
{
    return kind == EVENT_HIT ? a->approach_speed < b->approach_speed
                             : a->separation < b->separation;
}

void event_push_contact(physics_world *world, event_kind kind, uint32_t slot)
{
    if (!event_wanted(world, kind)) {
        return;
    }
    const contact *c = &world->contacts.data[slot];
    physics_event event = {
        .kind = kind,
        .a = body_id_of(world, c->body_a),
        .b = body_id_of(world, c->body_b),
        .shape_a = shape_id_of(world, c->shape_a),
        .shape_b = shape_id_of(world, c->shape_b),
        .normal = c->normal,
    };
    int told = -1;
    for (int i = 0; i < c->point_count; i++) {
        if (told < 0 || tells_more(kind, &c->points[i], &c->points[told])) {
            told = i;
        }
        event.impulse += c->points[i].total_impulse;
    }
    if (told >= 0) {
        const contact_point *p = &c->points[told];
        event.point = vec2d_offset(world->motions.data[c->body_a].center, p->anchor_a);
        event.depth = -p->separation;
        event.speed = -p->approach_speed;
    }
    event_push(world, &event);
}
