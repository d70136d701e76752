// Sleeping. An island is what touches or is joined through moving bodies; when all of one has been
// slow for SLEEP_TIME it falls asleep as a whole and leaves every list, so that it costs nothing.
//
// Islands are not kept: every SLEEP_CHECK_TICKS steps, and only if some body is slow enough, they
// are found by union-find (Tarjan 1975, with path halving) over the awake contacts and joints. That
// is a few hundredths of a step when it happens, needs no bookkeeping when contacts come and go,
// and leaves nothing that an image would have to hold but the timers.
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/sleep_set.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/sleep.h"
#include "common/physics/step/step.h"
#include "common/physics/step/step_scratch.h"
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
        join(world->scratch->set_of.data, a, b);
    } else if (dynamic_a && world->bodies.data[b].awake_index != 0) {
        world->extents.data[a].sleep_time = 0.0f;
    } else if (dynamic_b && world->bodies.data[a].awake_index != 0) {
        world->extents.data[b].sleep_time = 0.0f;
    }
}

static void connect_all(physics_world *world)
{
    array_reserve(&world->scratch->set_of, world->body_slots.end);
    world->scratch->set_of.count = world->body_slots.end;
    for (uint32_t i = 0; i < world->awake_bodies.count; i++) {
        world->scratch->set_of.data[world->awake_bodies.data[i]] = world->awake_bodies.data[i];
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
        if (world->extents.data[world->awake_bodies.data[i]].sleep_time >= SLEEP_TIME) {
            return true;
        }
    }
    return false;
}

static bool may_sleep(const physics_world *world, uint32_t slot)
{
    return (world->bodies.data[slot].flags & BODY_ALLOW_SLEEP) != 0 &&
           world->extents.data[slot].sleep_time >= SLEEP_TIME;
}

// One restless member marks the root of its island.
static void mark_restless(physics_world *world, const slot_list *awake)
{
    uint32_t *parent = world->scratch->set_of.data;
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
    array_reserve(&world->scratch->sleep_next, world->body_slots.end);
    uint32_t *next = world->scratch->sleep_next.data;
    for (uint32_t i = 0; i < awake->count; i++) {
        next[awake->data[i]] = NONE;
    }
    for (uint32_t i = awake->count; i > 0; i--) {
        uint32_t slot = awake->data[i - 1];
        uint32_t root = find_root(world->scratch->set_of.data, slot);
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
    slot_list *awake = &world->scratch->sleep_awake;
    slot_list *members = &world->scratch->sleep_members;
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
        if (find_root(world->scratch->set_of.data, root) != root || restless) {
            continue;
        }
        array_clear(members);
        for (uint32_t slot = root; slot != NONE; slot = world->scratch->sleep_next.data[slot]) {
            array_push(members, slot);
        }
        sleep_set_form(world, members->data, members->count);
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
