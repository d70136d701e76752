// Creates, changes and removes joints, and keeps the list of awake ones. Each kind has its own file
// for its effect. On the world's thread.
//
// Invariants: a joint is on the list of each of its bodies, highest slot first, so the order of a
// list does not depend on its history; it is awake, that is on world.awake_joints and in the
// constraint graph, exactly when its bodies (for a gear, also those of its joints) are enabled and
// one of the two is dynamic and awake. A filter joint is never awake. A mouse joint has no body a
// and is on only one list.
#include "common/base/assert.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/joints/joints.h"

#include <inttypes.h>
#include <math.h>

// ---- the lists of bodies

static uint32_t side_body(const joint *j, uint32_t side)
{
    return side == 0 ? j->body_a : j->body_b;
}

static uint32_t edge_next(const physics_world *world, uint32_t key)
{
    return world->joints.data[key >> 1].edges[key & 1].next;
}

// Sets the flag that depends on the number of a body's joints.
static void refresh_link_flag(physics_world *world, uint32_t slot)
{
    body_state *state = &world->states.data[slot];
    const bool link = world->bodies.data[slot].joint_count == 2;
    state->flags = (state->flags & ~(uint32_t)STATE_LINK) | (link ? STATE_LINK : 0u);
}

static void link_edge(physics_world *world, uint32_t slot, uint32_t side)
{
    joint *j = &world->joints.data[slot];
    body *b = &world->bodies.data[side_body(j, side)];
    uint32_t previous = NONE;
    uint32_t next = b->joints;
    while (next != NONE && next >> 1 > slot) {
        previous = next;
        next = edge_next(world, next);
    }
    uint32_t key = slot << 1 | side;
    j->edges[side] = (joint_edge){previous, next};
    if (previous != NONE) {
        world->joints.data[previous >> 1].edges[previous & 1].next = key;
    } else {
        b->joints = key;
    }
    if (next != NONE) {
        world->joints.data[next >> 1].edges[next & 1].previous = key;
    }
    b->joint_count++;
    refresh_link_flag(world, side_body(j, side));
}

static void unlink_edge(physics_world *world, uint32_t slot, uint32_t side)
{
    joint *j = &world->joints.data[slot];
    body *b = &world->bodies.data[side_body(j, side)];
    joint_edge edge = j->edges[side];
    if (edge.previous != NONE) {
        world->joints.data[edge.previous >> 1].edges[edge.previous & 1].next = edge.next;
    } else {
        b->joints = edge.next;
    }
    if (edge.next != NONE) {
        world->joints.data[edge.next >> 1].edges[edge.next & 1].previous = edge.previous;
    }
    b->joint_count--;
    refresh_link_flag(world, side_body(j, side));
}

void joint_link(physics_world *world, uint32_t slot)
{
    for (uint32_t side = 0; side < 2; side++) {
        if (side_body(&world->joints.data[slot], side) != NONE) {
            link_edge(world, slot, side);
        }
    }
    const joint_settings *s = joint_settings_of(world, &world->joints.data[slot]);
    if (s->joint_a != NONE) {
        world->joints.data[s->joint_a].flags |= JOINT_FLAG_GEARED;
        world->joints.data[s->joint_b].flags |= JOINT_FLAG_GEARED;
    }
}

void joint_visit_all(physics_world *world, uint32_t body_, joint_visit visit, void *context)
{
    uint32_t key = world->bodies.data[body_].joints;
    while (key != NONE) {
        const joint *j = &world->joints.data[key >> 1];
        uint32_t next = edge_next(world, key);
        if (j->kind != JOINT_FILTER) {
            visit(world, key >> 1, side_body(j, ~key & 1), context);
        }
        key = next;
    }
}

bool joint_prevents_contact(const physics_world *world, uint32_t body_a, uint32_t body_b)
{
    const body *a = &world->bodies.data[body_a];
    const body *b = &world->bodies.data[body_b];
    uint32_t other = a->joint_count <= b->joint_count ? body_b : body_a;
    uint32_t key = a->joint_count <= b->joint_count ? a->joints : b->joints;
    for (; key != NONE; key = edge_next(world, key)) {
        const joint *j = &world->joints.data[key >> 1];
        if (side_body(j, ~key & 1) == other && (j->flags & JOINT_FLAG_COLLIDE) == 0) {
            return true;
        }
    }
    return false;
}

// ---- awake or not

typedef void (*gear_visit)(physics_world *world, uint32_t gear);

static bool stands_on(const physics_world *world, const joint *gear, uint32_t slot)
{
    const joint_settings *s = joint_settings_of(world, gear);
    return s->joint_a == slot || s->joint_b == slot;
}

// Visits the gears that use a joint; each is on the list of one of the joint's bodies. The visit
// may end them.
static void visit_gears(physics_world *world, uint32_t slot, gear_visit visit)
{
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t key = world->bodies.data[side_body(&world->joints.data[slot], side)].joints;
        while (key != NONE) {
            const joint *j = &world->joints.data[key >> 1];
            uint32_t gear = key >> 1;
            bool stands = j->kind == JOINT_GEAR && stands_on(world, j, slot);
            key = edge_next(world, key); // read before the visit, which may end the gear
            if (stands) {
                visit(world, gear);
            }
        }
    }
}

static bool is_enabled(const physics_world *world, uint32_t body_)
{
    return body_ == NONE || (world->bodies.data[body_].flags & BODY_ENABLED) != 0;
}

static bool is_awake_dynamic(const physics_world *world, uint32_t body_)
{
    return body_ != NONE && world->bodies.data[body_].type == BODY_DYNAMIC &&
           world->bodies.data[body_].awake_index != 0;
}

static bool both_enabled(const physics_world *world, const joint *j)
{
    return is_enabled(world, j->body_a) && is_enabled(world, j->body_b);
}

static bool may_be_awake(const physics_world *world, const joint *j)
{
    if (j->kind == JOINT_FILTER || !both_enabled(world, j)) {
        return false;
    }
    if (joint_is_geared(world, j)) {
        const joint_settings *s = joint_settings_of(world, j);
        if (!both_enabled(world, &world->joints.data[s->joint_a]) ||
            !both_enabled(world, &world->joints.data[s->joint_b])) {
            return false;
        }
    }
    return is_awake_dynamic(world, j->body_a) || is_awake_dynamic(world, j->body_b);
}

bool joint_restore_awake(physics_world *world, uint32_t slot)
{
    joint *j = &world->joints.data[slot];
    if (j->awake_index != 0 || !may_be_awake(world, j)) {
        return false;
    }
    array_push(&world->awake_joints, slot);
    j->awake_index = world->awake_joints.count;
    return true;
}

void joint_activate(physics_world *world, uint32_t slot)
{
    joint *j = &world->joints.data[slot];
    if (!joint_restore_awake(world, slot)) {
        return;
    }
    graph_add_joint(world, slot);
    if ((j->flags & JOINT_FLAG_GEARED) != 0) {
        visit_gears(world, slot, joint_activate);
    }
}

static bool is_finite(const joint *j, const joint_settings *s)
{
    const joint_impulses *p = &j->impulses;
    float sum = p->linear.x + p->linear.y + p->angular + p->lower + p->upper + p->motor +
                p->spring + j->total_force.x + j->total_force.y + j->total_torque;
    return isfinite(sum) && isfinite(j->angle) && isfinite(s->gear_a) && isfinite(s->gear_b);
}

// A body that became non-finite leaves such impulses in its joints: they must not act when the body
// is enabled again.
static void forget_if_not_finite(joint *j, joint_settings *s)
{
    if (!is_finite(j, s)) {
        j->impulses = (joint_impulses){0};
        j->total_force = (vec2){0.0f, 0.0f};
        j->total_torque = 0.0f;
        j->angle = 0.0;
        if (j->kind == JOINT_GEAR) {
            s->gear_a = s->gear_b = 0.0;
        }
    }
}

void joint_deactivate(physics_world *world, uint32_t slot)
{
    joint *j = &world->joints.data[slot];
    if (j->awake_index == 0) {
        return;
    }
    uint32_t index = j->awake_index - 1;
    array_swap_remove(&world->awake_joints, index);
    if (index < world->awake_joints.count) {
        world->joints.data[world->awake_joints.data[index]].awake_index = index + 1;
    }
    j->awake_index = 0;
    graph_remove_joint(world, slot);
    forget_if_not_finite(j, joint_settings_of(world, j));
    if ((j->flags & JOINT_FLAG_GEARED) != 0) {
        visit_gears(world, slot, joint_deactivate);
    }
}

// Clears the load of a joint of a disabled body, and of gears on it. (A sleeping joint keeps
// reporting its last load.)
static void forget_load(physics_world *world, uint32_t slot)
{
    joint *j = &world->joints.data[slot];
    j->total_force = (vec2){0.0f, 0.0f};
    j->total_torque = 0.0f;
    if ((j->flags & JOINT_FLAG_GEARED) != 0) {
        visit_gears(world, slot, forget_load);
    }
}

void joint_refresh_all(physics_world *world, uint32_t body_)
{
    for (uint32_t key = world->bodies.data[body_].joints; key != NONE;
         key = edge_next(world, key)) {
        if (may_be_awake(world, &world->joints.data[key >> 1])) {
            joint_activate(world, key >> 1);
        } else {
            joint_deactivate(world, key >> 1);
            forget_load(world, key >> 1);
        }
    }
}

// ---- contacts between joined bodies

static void end_contacts(physics_world *world, uint32_t body_a, uint32_t body_b)
{
    bool fewer =
        world->bodies.data[body_a].contact_count <= world->bodies.data[body_b].contact_count;
    uint32_t from = fewer ? body_a : body_b;
    uint32_t other = fewer ? body_b : body_a;
    const contact_slots found = contact_collect(world, from);
    for (uint32_t i = 0; i < found.count; i++) {
        const contact *c = &world->contacts.data[found.slots[i]];
        uint32_t met = c->body_a == from ? c->body_b : c->body_a;
        if (met == other && (c->flags & CONTACT_SENSOR) == 0) {
            contact_destroy(world, found.slots[i]);
        }
    }
}

// Finds the pairs of one body's boxes again, as the two bodies may collide again.
static void find_contacts_again(physics_world *world, uint32_t body_a, uint32_t body_b)
{
    const body *a = &world->bodies.data[body_a];
    const body *b = &world->bodies.data[body_b];
    bool moves_a = a->type != BODY_STATIC;
    bool moves_b = b->type != BODY_STATIC;
    bool take_a = moves_a != moves_b ? moves_a : a->shape_count <= b->shape_count;
    for (uint32_t i = (take_a ? a : b)->shapes; i != NONE; i = world->shapes.data[i].next) {
        shape_reset_box(world, i);
    }
}

// ---- life

void joint_wake_bodies(physics_world *world, const joint *j)
{
    uint32_t bodies[2] = {j->body_a, j->body_b};
    for (int i = 0; i < 2; i++) {
        if (bodies[i] != NONE) {
            body_wake(world, bodies[i]);
        }
    }
}

status joint_create(physics_world *world, const joint_def *def, joint_id *out, error *err)
{
    status s = joint_def_check(world, def, err);
    if (s == STATUS_OK && world->joint_slots.count >= PHYSICS_JOINTS_MAX) {
        s = error_set(err, STATUS_LIMIT_EXCEEDED, "a world has at most %d joints",
                      PHYSICS_JOINTS_MAX);
    }
    if (s != STATUS_OK) {
        return s;
    }
    joint_parts made = joint_make(world, def);
    s = joint_check_rod(&made, err);
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    uint32_t slot = slots_take(&world->joint_slots);
    array_reserve(&world->joints, world->joint_slots.end);
    world->joints.count = world->joint_slots.end;
    joint_settings_put(world, &made.record, &made.settings);
    const joint *j = &made.record;
    world->joints.data[slot] = *j;
    joint_link(world, slot);
    joint_wake_bodies(world, j);
    if (j->body_a != NONE && (j->flags & JOINT_FLAG_COLLIDE) == 0) {
        end_contacts(world, j->body_a, j->body_b);
    }
    joint_activate(world, slot);
    *out = joint_id_of(world, slot);
    return STATUS_OK;
}

void joint_destroy(physics_world *world, uint32_t slot)
{
    if ((world->joints.data[slot].flags & JOINT_FLAG_GEARED) != 0) {
        visit_gears(world, slot, joint_destroy);
    }
    joint ended = world->joints.data[slot];
    joint_wake_bodies(world, &ended); // this wakes the joint too, so it is put to rest afterwards
    joint_deactivate(world, slot);
    for (uint32_t side = 0; side < 2; side++) {
        if (side_body(&ended, side) != NONE) {
            unlink_edge(world, slot, side);
        }
    }
    joint_settings_drop(world, &world->joints.data[slot]);
    world->joints.data[slot] = (joint){0};
    slots_release(&world->joint_slots, slot);
    if (ended.body_a != NONE && (ended.flags & JOINT_FLAG_COLLIDE) == 0) {
        find_contacts_again(world, ended.body_a, ended.body_b);
    }
}

status joint_find(const physics_world *world, joint_id id, uint32_t *slot, error *err)
{
    *slot = joint_slot(world, id);
    return *slot != NONE ? STATUS_OK
                         : error_set(err, STATUS_NOT_FOUND, "joint %" PRIu64 " does not exist", id);
}

status joint_remove(physics_world *world, joint_id id, error *err)
{
    uint32_t slot;
    status s = joint_find(world, id, &slot, err);
    if (s == STATUS_OK) {
        events_begin(world);
        joint_destroy(world, slot);
    }
    return s;
}

void joint_destroy_all(physics_world *world, uint32_t body_)
{
    while (world->bodies.data[body_].joints != NONE) {
        joint_destroy(world, world->bodies.data[body_].joints >> 1);
    }
}

void joints_free(physics_world *world)
{
    array_free(&world->joints);
    array_free(&world->joint_settings);
    slots_deinit(&world->settings_slots);
    array_free(&world->awake_joints);
}
