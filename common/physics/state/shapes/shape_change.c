// Changes a shape's properties, but not its geometry: friction, restitution, density, filter and
// the like. Contacts keep their points and impulses if the pair remains; a change of filter,
// sensor or one_way finds the shape's pairs again.
#include "common/base/assert.h"
#include "common/physics/state/broad_phase/boxes.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/world.h"

#include <stdlib.h>
#include <string.h>

#define PAIR_FIELDS (SHAPE_FIELD_FILTER | SHAPE_FIELD_SENSOR | SHAPE_FIELD_ONE_WAY)

// The definition with the change applied.
static shape_def changed_def(const shape_def *now, uint32_t fields, const shape_def *values)
{
    shape_def def = *now;
    if ((fields & SHAPE_FIELD_DENSITY) != 0) {
        def.density = values->density;
    }
    if ((fields & SHAPE_FIELD_FRICTION) != 0) {
        def.friction = values->friction;
    }
    if ((fields & SHAPE_FIELD_RESTITUTION) != 0) {
        def.restitution = values->restitution;
    }
    if ((fields & SHAPE_FIELD_ROLLING_RESISTANCE) != 0) {
        def.rolling_resistance = values->rolling_resistance;
    }
    if ((fields & SHAPE_FIELD_TANGENT_SPEED) != 0) {
        def.tangent_speed = values->tangent_speed;
    }
    if ((fields & SHAPE_FIELD_SENSOR) != 0) {
        def.sensor = values->sensor;
    }
    if ((fields & SHAPE_FIELD_FILTER) != 0) {
        def.filter = values->filter;
    }
    if ((fields & SHAPE_FIELD_EVENTS) != 0) {
        def.events = values->events;
    }
    if ((fields & SHAPE_FIELD_ONE_WAY) != 0) {
        def.one_way = values->one_way;
    }
    return def;
}

// Gives the shape in the slot other traits: a whole chain, a piece of one, or a single shape.
static void change_traits(physics_world *world, uint32_t slot, const shape_def *def)
{
    shape *s = &world->shapes.data[slot];
    shape_traits *old = s->traits;
    const bool whole = (s->flags & SHAPE_IS_CHAIN) != 0;
    shape_traits like;
    memset(&like, 0, sizeof like);
    shape_traits_define(&like, def);
    like.geometry = shape_traits_geometry(old);
    like.chain = whole ? NONE : old->chain;
    like.loop = !whole && old->loop;
    shape_traits_derive(&like);
    if (whole) {
        like.chain = slot;
        like.points = old->points;
        like.point_count = old->point_count;
        like.loop = old->loop;
        old->points = NULL; // the new traits have taken them over
    }
    s->traits = shape_traits_take(&world->traits, &like);
    shape_traits_drop(&world->traits, old);
    const uint8_t sensor = def->sensor ? SHAPE_SENSOR : 0;
    s->flags = (uint8_t)((s->flags & ~SHAPE_SENSOR) | sensor);
}

// Updates the contacts of the shape for its new surface.
static void renew_contacts(physics_world *world, uint32_t slot)
{
    const contact_slots found = contact_collect(world, world->shapes.data[slot].body);
    for (uint32_t i = 0; i < found.count; i++) {
        const contact *c = &world->contacts.data[found.slots[i]];
        if (c->shape_a == slot || c->shape_b == slot) {
            contact_renew_surface(world, found.slots[i]);
        }
    }
}

// Sensors detect the shape from now on, or no longer.
static void renew_sensors(physics_world *world, uint32_t slot)
{
    const contact_slots found = contact_collect(world, world->shapes.data[slot].body);
    for (uint32_t i = 0; i < found.count; i++) {
        const contact *c = &world->contacts.data[found.slots[i]];
        if ((c->shape_a == slot || c->shape_b == slot) && (c->flags & CONTACT_SENSOR) != 0 &&
            !contact_wanted(world, c->shape_a, c->shape_b)) {
            contact_destroy(world, found.slots[i]);
        }
    }
    shape_reset_box(world, slot);
}

static void change_slot(physics_world *world, uint32_t slot, uint32_t fields, const shape_def *def)
{
    const uint32_t seen = world->shapes.data[slot].traits->events & SHAPE_EVENT_SENSOR;
    const bool pairs = (fields & PAIR_FIELDS) != 0 && world->shapes.data[slot].boxed;
    if (pairs) {
        shape_leave_broad_phase(world, slot);
    }
    change_traits(world, slot, def);
    if (pairs) {
        shape_enter_broad_phase(world, slot);
    } else {
        renew_contacts(world, slot);
        if ((world->shapes.data[slot].traits->events & SHAPE_EVENT_SENSOR) != seen) {
            renew_sensors(world, slot);
        }
    }
}

static void change_all(physics_world *world, uint32_t slot, uint32_t fields, const shape_def *def)
{
    const uint32_t owner = world->shapes.data[slot].body;
    const bool chain = (world->shapes.data[slot].flags & SHAPE_IS_CHAIN) != 0;
    change_slot(world, slot, fields, def);
    for (uint32_t i = world->bodies.data[owner].shapes; chain && i != NONE;
         i = world->shapes.data[i].next) {
        if (i != slot && world->shapes.data[i].traits->chain == slot) {
            change_slot(world, i, fields, def);
        }
    }
}

status shape_set(physics_world *world, shape_id id, uint32_t fields, const shape_def *values,
                 error *err)
{
    shape_info info;
    uint32_t slot;
    status s = shape_find(world, id, &slot, err);
    if (s == STATUS_OK) {
        s = shape_get(world, id, &info, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    const shape_def def = changed_def(&info.def, fields, values);
    s = shape_def_check(&def, err);
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    const uint32_t owner = world->shapes.data[slot].body;
    body_wake(world, owner);
    body_wake_touching(world, owner);
    change_all(world, slot, fields, &def);
    if ((fields & (SHAPE_FIELD_DENSITY | SHAPE_FIELD_SENSOR)) != 0) {
        body_update_mass(world, owner);
        body_update_boxes(world, owner, INFINITY);
    }
    return STATUS_OK;
}
