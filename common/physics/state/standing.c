// Standing bodies; see standing.h. They are dynamic bodies without mass and STATE_DYNAMIC, and on
// no list. Their constraints with moving bodies have colours as if they were static, so colours are
// given back before a body's state changes, and taken after it. On the world's thread.
#include "common/physics/standing.h"

#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/state/standing_body.h"
#include "common/physics/state/world.h"

static void deactivate_joint(physics_world *world, uint32_t joint, uint32_t other, void *context)
{
    (void)other;
    (void)context;
    joint_deactivate(world, joint);
}

static void activate_joint(physics_world *world, uint32_t joint, uint32_t other, void *context)
{
    (void)other;
    (void)context;
    joint_activate(world, joint);
}

static void list_sleeper(physics_world *world, uint32_t joint, uint32_t other, void *context)
{
    (void)joint;
    slot_list *sleepers = context;
    if (world->bodies.data[other].sleep_set != 0) {
        array_push(sleepers, other);
    }
}

static void give_colours(physics_world *world, uint32_t slot)
{
    const contact_slots found = contact_collect(world, slot);
    for (uint32_t i = 0; i < found.count; i++) {
        graph_remove_contact(world, found.slots[i]);
    }
    joint_visit_all(world, slot, deactivate_joint, NULL);
}

static void colour_again(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    if (c->awake_index != 0 && c->colour == COLOUR_NONE && (c->flags & CONTACT_ACTIVE) != 0 &&
        (c->flags & CONTACT_SENSOR) == 0) {
        graph_add_contact(world, slot);
    }
}

// Puts the body's constraints on lists and gives them colours, by its present state and that of the
// other bodies.
static void take_colours(physics_world *world, uint32_t slot)
{
    const contact_slots found = contact_collect(world, slot);
    for (uint32_t i = 0; i < found.count; i++) {
        contact_deactivate(world, found.slots[i]);
        contact_activate(world, found.slots[i]);
        colour_again(world, found.slots[i]);
    }
    joint_visit_all(world, slot, activate_joint, NULL);
}

static void stand(physics_world *world, uint32_t slot)
{
    body_state *state = &world->states.data[slot];
    state->flags &= ~(uint32_t)STATE_DYNAMIC;
    state->velocity = (vec2){0.0f, 0.0f};
    state->angular_velocity = 0.0f;
    world->motions.data[slot].inv_mass = 0.0f;
    world->motions.data[slot].inv_inertia = 0.0f;
    world->bodies.data[slot].awake_index = 0;
}

// Wakes the bodies that fell asleep beside it, since no moving body may touch a sleeping one.
static void wake_sleepers(physics_world *world, uint32_t slot)
{
    slot_list others = {0};
    const contact_slots found = contact_collect(world, slot);
    for (uint32_t i = 0; i < found.count; i++) {
        const contact *c = &world->contacts.data[found.slots[i]];
        const uint32_t other = c->body_a == slot ? c->body_b : c->body_a;
        if ((c->flags & (CONTACT_ACTIVE | CONTACT_SENSOR)) == CONTACT_ACTIVE &&
            world->bodies.data[other].sleep_set != 0) {
            array_push(&others, other);
        }
    }
    joint_visit_all(world, slot, list_sleeper, &others);
    for (uint32_t i = 0; i < others.count; i++) {
        body_wake(world, others.data[i]);
    }
    array_free(&others);
}

void standing_body_release(physics_world *world, uint32_t slot)
{
    give_colours(world, slot);
    world->bodies.data[slot].flags &= (uint8_t)~BODY_STANDING;
    body_update_mass(world, slot);
    body_restart_sleep_timer(&world->extents.data[slot]);
    body_list_awake(world, slot);
    take_colours(world, slot);
    wake_sleepers(world, slot);
}

static void mark(physics_world *world, const body_id *bodies, uint32_t count, bool on)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = body_slot(world, bodies[i]);
        if (slot != NONE) {
            const uint8_t flags = world->bodies.data[slot].flags;
            world->bodies.data[slot].flags =
                (uint8_t)(on ? flags | BODY_MARKED : flags & ~BODY_MARKED);
        }
    }
}

// Marks the bodies that shall stand, and returns them.
static slot_list choose(physics_world *world)
{
    slot_list others = {0};
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        body *b = &world->bodies.data[world->awake_bodies.data[i]];
        if (b->type == BODY_DYNAMIC && (b->flags & BODY_MARKED) == 0) {
            b->flags |= BODY_STANDING;
            array_push(&others, world->awake_bodies.data[i]);
        }
    }
    return others;
}

static bool stands(const physics_world *world, uint32_t slot)
{
    return (world->bodies.data[slot].flags & BODY_STANDING) != 0;
}

// Removes contacts of standing bodies from the graph, while their colours are still those of moving
// bodies.
static void clear_graph(physics_world *world, const slot_list *others)
{
    for (uint32_t i = 0; i < world->awake_contacts.count; i++) {
        const contact *c = &world->contacts.data[world->awake_contacts.data[i]];
        if (stands(world, c->body_a) || stands(world, c->body_b)) {
            graph_remove_contact(world, world->awake_contacts.data[i]);
        }
    }
    for (uint32_t i = 0; i < others->count; i++) {
        joint_visit_all(world, others->data[i], deactivate_joint, NULL);
    }
}

// Keeps on the lists only the bodies and contacts that are still awake.
static void list_again(physics_world *world)
{
    slot_list *bodies = &world->awake_bodies;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < bodies->count; i++) {
        const uint32_t slot = bodies->data[i];
        if (!stands(world, slot)) {
            bodies->data[kept++] = slot;
            world->bodies.data[slot].awake_index = kept & SLOT_MASK;
        }
    }
    bodies->count = kept;
    slot_list *contacts = &world->awake_contacts;
    kept = 0;
    for (uint32_t i = 0; i < contacts->count; i++) {
        const uint32_t slot = contacts->data[i];
        contact *c = &world->contacts.data[slot];
        const bool awake = world->bodies.data[c->body_a].awake_index != 0 ||
                           world->bodies.data[c->body_b].awake_index != 0;
        c->awake_index = awake ? kept + 1 : 0;
        if (awake) {
            contacts->data[kept++] = slot;
            colour_again(world, slot);
        }
    }
    contacts->count = kept;
}

uint32_t world_stand_others(physics_world *world, const body_id *keep, uint32_t count)
{
    mark(world, keep, count, true);
    slot_list others = choose(world);
    mark(world, keep, count, false);
    clear_graph(world, &others);
    for (uint32_t i = 0; i < others.count; i++) {
        stand(world, others.data[i]);
    }
    list_again(world);
    for (uint32_t i = 0; i < others.count; i++) {
        joint_visit_all(world, others.data[i], activate_joint, NULL);
    }
    array_free(&others);
    return world->awake_bodies.count;
}
