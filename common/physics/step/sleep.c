// Sleeping. An island is what touches or is joined through moving bodies; when all of one has been
// slow for SLEEP_TIME it falls asleep as a whole and leaves every list, so that it costs nothing.
//
// Islands are not kept: every SLEEP_CHECK_TICKS steps, and only if some body is slow enough, they
// are found by union-find (Tarjan 1975, with path halving) over the awake contacts and joints. That
// is a few hundredths of a step when it happens, needs no bookkeeping when contacts come and go,
// and leaves nothing that an image would have to hold but the timers.
#include "common/base/assert.h"
#include "common/physics/state/events.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/step.h"
#include "common/physics/state/world.h"

static uint32_t find_root(uint32_t *parent, uint32_t slot)
{
    while (parent[slot] != slot) {
        parent[slot] = parent[parent[slot]];
        slot = parent[slot];
    }
    return slot;
}

// The lower slot becomes the root, so that the root is the lowest of its island.
static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

static bool is_dynamic(const physics_world *world, uint32_t slot)
{
    return (world->states.data[slot].flags & STATE_DYNAMIC) != 0;
}

// Two bodies of one constraint: one island if both are dynamic; a moving kinematic body keeps the
// other awake.
static void connect(physics_world *world, uint32_t a, uint32_t b)
{
    bool dynamic_a = is_dynamic(world, a);
    bool dynamic_b = is_dynamic(world, b);
    if (dynamic_a && dynamic_b) {
        join(world->set_of.data, a, b);
    } else if (dynamic_a && world->bodies.data[b].awake_index != 0) {
        world->rims.data[a].sleep_time = 0.0f;
    } else if (dynamic_b && world->bodies.data[a].awake_index != 0) {
        world->rims.data[b].sleep_time = 0.0f;
    }
}

static void connect_all(physics_world *world)
{
    array_reserve(&world->set_of, world->body_slots.end);
    world->set_of.count = world->body_slots.end;
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        world->set_of.data[world->awake_bodies.data[i]] = world->awake_bodies.data[i];
    }
    for (uint32_t c = 0; c <= COLOURS; c++) {
        const graph_colour *colour = &world->graph[c];
        for (uint32_t i = 0; i < colour->contacts.count; i++) {
            const contact *k = &world->contacts.data[colour->contacts.data[i]];
            connect(world, k->body_a, k->body_b);
        }
    }
    for (uint32_t i = 0; i < world->awake_joints.count; i++) {
        const joint *j = &world->joints.data[world->awake_joints.data[i]];
        connect(world, j->body_a, j->body_b);
    }
}

static bool anyone_slow(const physics_world *world)
{
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        if (world->rims.data[world->awake_bodies.data[i]].sleep_time >= SLEEP_TIME) {
            return true;
        }
    }
    return false;
}

static bool may_sleep(const physics_world *world, uint32_t slot)
{
    return (world->bodies.data[slot].flags & BODY_ALLOW_SLEEP) != 0 &&
           world->rims.data[slot].sleep_time >= SLEEP_TIME;
}

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

// Takes the bodies (ascending slots) off all lists, as one set.
static void sleep_bodies(physics_world *world, const uint32_t *bodies, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        body *b = &world->bodies.data[bodies[i]];
        lay_down(world, bodies[i]);
        b->sleep_set = bodies[0];
        b->sleep_next = bodies[(i + 1) % count];
    }
    for (uint32_t i = 0; i < count; i++) {
        contact_collect(world, bodies[i]);
        for (uint32_t k = 0; k < world->scratch.count; k++) {
            contact_deactivate(world, world->scratch.data[k]);
        }
        joint_visit_all(world, bodies[i], rest_joint, NULL);
        event_push_body(world, EVENT_SLEEP, bodies[i]);
    }
}

// One restless member marks the root of its island.
static void mark_restless(physics_world *world, const slot_list *awake)
{
    uint32_t *parent = world->set_of.data;
    for (uint32_t i = 0; i < awake->count; i++) {
        if (!may_sleep(world, awake->data[i])) {
            world->bodies.data[find_root(parent, awake->data[i])].flags |= BODY_MARKED;
        }
    }
}

// Chains of members by root, ascending: from the last member to the root, which is the first, each
// is put right after the root.
static void chain_members(physics_world *world, const slot_list *awake)
{
    array_reserve(&world->sleeping.next, world->body_slots.end);
    uint32_t *next = world->sleeping.next.data;
    for (uint32_t i = 0; i < awake->count; i++) {
        next[awake->data[i]] = NONE;
    }
    for (uint32_t i = awake->count; i > 0; i--) {
        uint32_t slot = awake->data[i - 1];
        uint32_t root = find_root(world->set_of.data, slot);
        if (root != slot) {
            next[slot] = next[root];
            next[root] = slot;
        }
    }
}

// Gathers islands in the order of their lowest slots and puts those to sleep in which everybody is
// slow.
static void sleep_quiet_islands(physics_world *world)
{
    slot_list *awake = &world->sleeping.awake;
    slot_list *members = &world->sleeping.members;
    array_clear(awake);
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        uint32_t slot = world->awake_bodies.data[i];
        if (is_dynamic(world, slot)) {
            array_push(awake, slot);
        }
    }
    awake->count = sort_slots(awake->data, awake->count);
    mark_restless(world, awake);
    chain_members(world, awake);
    for (uint32_t i = 0; i < awake->count; i++) {
        uint32_t root = awake->data[i];
        bool restless = (world->bodies.data[root].flags & BODY_MARKED) != 0;
        world->bodies.data[root].flags &= (uint8_t)~BODY_MARKED;
        if (find_root(world->set_of.data, root) != root || restless) {
            continue;
        }
        array_clear(members);
        for (uint32_t slot = root; slot != NONE; slot = world->sleeping.next.data[slot]) {
            array_push(members, slot);
        }
        sleep_bodies(world, members->data, members->count);
    }
}

void update_sleep(physics_world *world)
{
    if (!world->def.sleep || world->tick % SLEEP_CHECK_TICKS != 0 || !anyone_slow(world)) {
        return;
    }
    connect_all(world);
    sleep_quiet_islands(world);
}

// ---- by command

typedef struct flood {
    ARRAY(uint32_t) bodies;
    bool stirred; // something that moves by itself touches the island: it cannot sleep
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

void sleep_put_island(physics_world *world, uint32_t slot)
{
    flood f = {0};
    flood_add(world, &f, slot);
    for (uint32_t i = 0; i < f.bodies.count; i++) {
        uint32_t here = f.bodies.data[i];
        uint32_t key = world->bodies.data[here].contacts;
        while (key != NONE) {
            const contact *c = &world->contacts.data[key >> 1];
            uint32_t other = c->body_a == here ? c->body_b : c->body_a;
            key = c->edges[key & 1].next;
            if ((c->flags & (CONTACT_ACTIVE | CONTACT_SENSOR)) == CONTACT_ACTIVE) {
                flood_add(world, &f, other);
            }
        }
        joint_visit_all(world, here, flood_joint, &f);
    }
    f.bodies.count = sort_slots(f.bodies.data, f.bodies.count);
    for (uint32_t i = 0; i < f.bodies.count; i++) {
        world->bodies.data[f.bodies.data[i]].flags &= (uint8_t)~BODY_MARKED;
    }
    if (f.bodies.count > 0 && !f.stirred) {
        sleep_bodies(world, f.bodies.data, f.bodies.count);
    }
    array_free(&f.bodies);
}

static void wake_joint(physics_world *world, uint32_t joint_, uint32_t other, void *context)
{
    (void)other;
    (void)context;
    joint_activate(world, joint_);
}

// The set's bodies, ascending.
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

// All contacts of bodies, ascending.
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

void sleep_wake_set(physics_world *world, uint32_t slot)
{
    slot_list *members = &world->sleeping.members;
    slot_list *contacts = &world->sleeping.contacts;
    collect_set(world, slot, members);
    for (uint32_t i = 0; i < members->count; i++) {
        body *b = &world->bodies.data[members->data[i]];
        ASSERT(b->sleep_set != 0);
        b->sleep_set = 0;
        b->sleep_next = 0;
        world->rims.data[members->data[i]].sleep_time = 0.0f;
        body_list_awake(world, members->data[i]);
        event_push_body(world, EVENT_WAKE, members->data[i]);
    }
    // Contacts get their colours back in the order of their slots.
    collect_contacts(world, members, contacts);
    for (uint32_t i = 0; i < contacts->count; i++) {
        contact_activate(world, contacts->data[i]);
    }
    for (uint32_t i = 0; i < members->count; i++) {
        joint_visit_all(world, members->data[i], wake_joint, NULL);
    }
}
