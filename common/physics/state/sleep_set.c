// Sets of bodies that fell asleep together and wake together. A set is a ring through
// body.sleep_next; its bodies are on no list, so they cost nothing.
#include "common/physics/state/sleep_set.h"

#include "common/base/assert.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/state/world.h"

static void lay_down(physics_world *world, uint32_t slot)
{
    world->states.data[slot].velocity = (vec2){0.0f, 0.0f};
    world->states.data[slot].angular_velocity = 0.0f;
    body_unlist_awake(world, slot);
}

static void rest_joint(physics_world *world, uint32_t joint_, uint32_t other, void *context)
{
    (void)context;
    if (world->bodies.data[other].awake_index == 0) {
        joint_deactivate(world, joint_);
    }
}

void sleep_set_form(physics_world *world, const uint32_t *bodies, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        body *b = &world->bodies.data[bodies[i]];
        lay_down(world, bodies[i]);
        b->sleep_set = bodies[0];
        b->sleep_next = bodies[(i + 1) % count];
    }
    for (uint32_t i = 0; i < count; i++) {
        const contact_slots found = contact_collect(world, bodies[i]);
        for (uint32_t k = 0; k < found.count; k++) {
            contact_deactivate(world, found.slots[k]);
        }
        joint_visit_all(world, bodies[i], rest_joint, NULL);
        event_push_body(world, EVENT_SLEEP, bodies[i]);
    }
}

// ---- sleep by command

typedef struct flood {
    ARRAY(uint32_t) bodies;
    bool stirred; // a body that moves by itself touches the island: it cannot sleep
} flood;

static void flood_add(physics_world *world, flood *f, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    f->stirred = f->stirred || (b->type == BODY_KINEMATIC && b->awake_index != 0);
    if (b->type == BODY_DYNAMIC && b->awake_index != 0 && (b->flags & BODY_MARKED) == 0) {
        b->flags |= BODY_MARKED;
        array_push(&f->bodies, slot);
    }
}

static void flood_joint(physics_world *world, uint32_t joint_, uint32_t other, void *context)
{
    (void)joint_;
    flood_add(world, context, other);
}

// Adds all bodies that touch bodies of the flood or are joined to them.
static void flood_spread(physics_world *world, flood *f)
{
    for (uint32_t i = 0; i < f->bodies.count; i++) {
        uint32_t here = f->bodies.data[i];
        uint32_t key = world->bodies.data[here].contacts;
        while (key != NONE) {
            const contact *c = &world->contacts.data[key >> 1];
            uint32_t other = c->body_a == here ? c->body_b : c->body_a;
            key = c->edges[key & 1].next;
            if ((c->flags & (CONTACT_ACTIVE | CONTACT_SENSOR)) == CONTACT_ACTIVE) {
                flood_add(world, f, other);
            }
        }
        joint_visit_all(world, here, flood_joint, f);
    }
}

static void flood_unmark(physics_world *world, const flood *f)
{
    for (uint32_t i = 0; i < f->bodies.count; i++) {
        world->bodies.data[f->bodies.data[i]].flags &= (uint8_t)~BODY_MARKED;
    }
}

void sleep_set_put_island(physics_world *world, uint32_t slot)
{
    flood f = {0};
    flood_add(world, &f, slot);
    flood_spread(world, &f);
    f.bodies.count = sort_slots(f.bodies.data, f.bodies.count);
    flood_unmark(world, &f);
    if (f.bodies.count > 0 && !f.stirred) {
        sleep_set_form(world, f.bodies.data, f.bodies.count);
    }
    array_free(&f.bodies);
}

// The kept islands stay marked while others are flooded, so that no flood enters them.
uint32_t world_rest_others(physics_world *world, const body_id *keep, uint32_t count)
{
    const uint32_t wanted = world->event_mask;
    flood kept = {0};
    slot_list awake = {0};
    world->event_mask = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = body_slot(world, keep[i]);
        if (slot != NONE) {
            flood_add(world, &kept, slot);
        }
    }
    flood_spread(world, &kept);
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        array_push(&awake, world->awake_bodies.data[i]);
    }
    for (uint32_t i = 0; i < awake.count; i++) {
        const body *b = &world->bodies.data[awake.data[i]];
        if (b->awake_index != 0 && (b->flags & BODY_MARKED) == 0) {
            sleep_set_put_island(world, awake.data[i]);
        }
    }
    flood_unmark(world, &kept);
    world->event_mask = wanted;
    array_free(&kept.bodies);
    array_free(&awake);
    return world->awake_bodies.count;
}

static void wake_joint(physics_world *world, uint32_t joint_, uint32_t other, void *context)
{
    (void)other;
    (void)context;
    joint_activate(world, joint_);
}

// The set's bodies, in ascending order.
static void collect_set(physics_world *world, uint32_t slot, slot_list *members)
{
    array_clear(members);
    uint32_t member = slot;
    do {
        array_push(members, member);
        member = world->bodies.data[member].sleep_next;
    } while (member != slot);
    members->count = sort_slots(members->data, members->count);
}

// All contacts of the bodies, in ascending order.
static void collect_contacts(physics_world *world, const slot_list *members, slot_list *contacts)
{
    array_clear(contacts);
    for (uint32_t i = 0; i < members->count; i++) {
        for (uint32_t key = world->bodies.data[members->data[i]].contacts; key != NONE;) {
            array_push(contacts, key >> 1);
            key = world->contacts.data[key >> 1].edges[key & 1].next;
        }
    }
    contacts->count = sort_slots(contacts->data, contacts->count);
}

void sleep_set_wake(physics_world *world, uint32_t slot)
{
    slot_list all = {0};
    slot_list touching = {0};
    slot_list *members = &all;
    slot_list *contacts = &touching;
    collect_set(world, slot, members);
    for (uint32_t i = 0; i < members->count; i++) {
        body *b = &world->bodies.data[members->data[i]];
        ASSERT(b->sleep_set != 0);
        b->sleep_set = 0;
        b->sleep_next = 0;
        body_restart_sleep_timer(&world->extents.data[members->data[i]]);
        body_list_awake(world, members->data[i]);
        event_push_body(world, EVENT_WAKE, members->data[i]);
    }
    // Contacts get colours again, in the order of their slots.
    collect_contacts(world, members, contacts);
    for (uint32_t i = 0; i < contacts->count; i++) {
        contact_activate(world, contacts->data[i]);
    }
    for (uint32_t i = 0; i < members->count; i++) {
        joint_visit_all(world, members->data[i], wake_joint, NULL);
    }
    array_free(contacts);
    array_free(members);
}
