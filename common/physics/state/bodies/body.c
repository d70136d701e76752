// Bodies: creation, reading, enabling, disabling and removal. (Changes are in body_change.c and
// body_force.c.)
//
// Invariants: a body is on world.awake_bodies exactly when it is enabled, not static, and neither
// asleep nor a kinematic body at rest; its state (body_state) is zero with identity rotation when
// it is not; sleep_set is 0 unless it sleeps.
#include "common/base/assert.h"
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/state/sleep_set.h"
#include "common/physics/state/world.h"

#include <stdlib.h>
#include <string.h>

void body_set_pose_from_center(body_motion *motion)
{
    vec2 offset = rot_vec(motion->rotation, motion->local_center);
    motion->position = vec2d_offset(motion->center, vec2_neg(offset));
}

void body_set_center_from_pose(body_motion *motion)
{
    motion->center =
        vec2d_offset(motion->position, rot_vec(motion->rotation, motion->local_center));
    // the centre is authoritative; the position follows from it to the bit
    body_set_pose_from_center(motion);
}

// ---- making and removing

static uint32_t take_slot(physics_world *world)
{
    uint32_t slot = slots_take(&world->body_slots);
    uint32_t end = world->body_slots.end;
    array_reserve(&world->bodies, end);
    array_reserve(&world->motions, end);
    array_reserve(&world->states, end);
    array_reserve(&world->extents, end);
    array_reserve(&world->colours_used, end);
    world->bodies.count = world->motions.count = world->states.count = end;
    world->extents.count = world->colours_used.count = end;
    world->bodies.data[slot] = (body){0};
    world->motions.data[slot] = (body_motion){.rotation = ROT_IDENTITY};
    world->states.data[slot] = (body_state){.delta_rotation = ROT_IDENTITY};
    world->extents.data[slot] = (body_extent){0};
    world->colours_used.data[slot] = 0;
    return slot;
}

void body_set_tag(physics_world *world, uint32_t slot, const char *tag)
{
    bool none = tag == NULL || tag[0] == '\0';
    if (none && slot >= world->tags.count) {
        return;
    }
    while (world->tags.count <= slot) {
        array_push(&world->tags, NULL);
    }
    free(world->tags.data[slot]);
    world->tags.data[slot] = none ? NULL : strdup(tag);
    ASSERT_MEMORY(none || world->tags.data[slot] != NULL);
}

const char *body_tag(const physics_world *world, uint32_t slot)
{
    const char *tag = slot < world->tags.count ? world->tags.data[slot] : NULL;
    return tag != NULL ? tag : "";
}

static uint8_t flag_if(bool condition, uint8_t flag)
{
    return condition ? flag : 0;
}

// A dynamic body of fixed rotation never rotates, whatever is set. One that becomes dynamic or
// fixed stops here; nothing else gives it an angular velocity.
void body_hold_rotation(physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    if (b->type == BODY_DYNAMIC && (b->flags & BODY_FIXED_ROTATION) != 0) {
        world->states.data[slot].angular_velocity = 0.0f;
    }
}

// Makes a body from a checked definition.
static uint32_t make_body(physics_world *world, const body_def *def)
{
    uint32_t slot = take_slot(world);
    body *b = &world->bodies.data[slot];
    b->type = (uint8_t)def->type;
    b->flags = (uint8_t)(flag_if(def->enabled, BODY_ENABLED) | flag_if(def->bullet, BODY_BULLET) |
                         flag_if(def->allow_sleep, BODY_ALLOW_SLEEP) |
                         flag_if(def->fixed_rotation, BODY_FIXED_ROTATION));
    body_set_tag(world, slot, def->tag);
    body_motion *motion = &world->motions.data[slot];
    motion->position = def->position;
    motion->center = def->position;
    motion->rotation = rot_from_angle(def->angle);
    body_set_special(world, slot,
                     &(body_special){.linear_damping = (float)def->linear_damping,
                                     .angular_damping = (float)def->angular_damping,
                                     .gravity_scale = (float)def->gravity_scale,
                                     .mass_override = (float)def->mass});
    if (def->type != BODY_STATIC) {
        body_state *state = &world->states.data[slot];
        state->velocity = (vec2){(float)def->velocity.x, (float)def->velocity.y};
        state->angular_velocity = (float)def->angular_velocity;
    }
    body_hold_rotation(world, slot);
    return slot;
}

void body_enable(physics_world *world, uint32_t slot)
{
    world->bodies.data[slot].flags |= BODY_ENABLED;
    world->bodies.data[slot].flags &= (uint8_t)~BODY_FROZEN;
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        shape_enter_broad_phase(world, i);
    }
    body_refresh_awake(world, slot);
    joint_refresh_all(world, slot);
}

void body_disable(physics_world *world, uint32_t slot)
{
    body_wake(world, slot);
    body_wake_touching(world, slot);
    world->bodies.data[slot].flags &= (uint8_t)~BODY_ENABLED;
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        shape_leave_broad_phase(world, i);
    }
    body_refresh_awake(world, slot);
    joint_refresh_all(world, slot);
}

void body_freeze(physics_world *world, uint32_t slot)
{
    body_disable(world, slot);
    world->bodies.data[slot].flags |= BODY_FROZEN;
    world->states.data[slot].velocity = (vec2){0.0f, 0.0f};
    world->states.data[slot].angular_velocity = 0.0f;
    world->frozen_count++;
    event_push_body(world, EVENT_FREEZE, slot);
}

static status spawn_check(const physics_world *world, const body_def *def, const shape_def *shapes,
                          int count, error *err)
{
    status s = body_def_check(def, err);
    if (s != STATUS_OK) {
        return s;
    }
    if (world->body_slots.count >= world->def.bodies_max) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "the world has its most bodies: %u",
                         world->def.bodies_max);
    }
    uint64_t needed = (uint64_t)count;
    for (int i = 0; i < count; i++) {
        s = shape_def_check(&shapes[i], err);
        if (s != STATUS_OK) {
            error_prefix(err, "shapes[%d]", i);
            return s;
        }
        needed += shape_def_pieces(&shapes[i]);
    }
    if (needed > PHYSICS_BODY_SHAPES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "shapes: a body has at most %d, each piece of a chain counted",
                         PHYSICS_BODY_SHAPES_MAX);
    }
    if (world->shape_slots.count + needed > PHYSICS_SHAPES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "a world has at most %d shapes",
                         PHYSICS_SHAPES_MAX);
    }
    return STATUS_OK;
}

status body_spawn(physics_world *world, const body_def *def, const shape_def *shapes, int count,
                  body_id *out, shape_id *shapes_out, error *err)
{
    status s = spawn_check(world, def, shapes, count, err);
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    uint32_t slot = make_body(world, def);
    for (int i = 0; i < count; i++) {
        uint32_t added = shape_attach(world, slot, &shapes[i]);
        if (shapes_out != NULL) {
            shapes_out[i] = shape_id_of(world, added);
        }
    }
    body_update_mass(world, slot);
    if (def->enabled) {
        body_enable(world, slot);
    }
    event_push_body(world, EVENT_SPAWN, slot);
    if (!def->awake && def->allow_sleep && world->def.sleep) {
        sleep_set_put_island(world, slot);
    }
    *out = body_id_of(world, slot);
    return STATUS_OK;
}

status body_create(physics_world *world, const body_def *def, body_id *out, error *err)
{
    return body_spawn(world, def, NULL, 0, out, NULL, err);
}

status body_remove(physics_world *world, body_id id, error *err)
{
    uint32_t slot;
    status s = body_find(world, id, &slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    body_disable(world, slot);
    joint_destroy_all(world, slot);
    event_push_body(world, EVENT_REMOVE, slot);
    while (world->bodies.data[slot].shapes != NONE) {
        uint32_t head = world->bodies.data[slot].shapes;
        uint32_t chain = world->shapes.data[head].traits->chain;
        shape_detach(world, chain != NONE ? chain : head);
    }
    body *b = &world->bodies.data[slot];
    ASSERT(b->contacts == NONE && b->joints == NONE && b->awake_index == 0);
    body_set_tag(world, slot, NULL);
    *b = (body){0};
    body_set_special(world, slot, &world->specials.data[0]);
    world->motions.data[slot] = (body_motion){.rotation = ROT_IDENTITY};
    world->states.data[slot] = (body_state){.delta_rotation = ROT_IDENTITY};
    slots_release(&world->body_slots, slot);
    return STATUS_OK;
}

// ---- reading

status body_get(const physics_world *world, body_id id, body_info *out, error *err)
{
    uint32_t slot;
    status s = body_find(world, id, &slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    const body *b = &world->bodies.data[slot];
    const body_motion *m = &world->motions.data[slot];
    const body_state *v = &world->states.data[slot];
    const body_special *special = body_special_of(world, slot);
    const body_mass mass = body_find_mass(world, slot);
    uint32_t shape_count = 0;
    for (shape_id i = 0; (i = body_next_shape(world, id, i)) != 0;) {
        shape_count++;
    }
    *out = (body_info){
        .id = id,
        .type = (body_type)b->type,
        .position = m->position,
        .angle = rot_angle(m->rotation),
        .rotation = m->rotation,
        .velocity = vec2d_from(v->velocity),
        .angular_velocity = (double)v->angular_velocity,
        .center = m->center,
        .mass = (double)mass.mass,
        .inertia = (double)mass.inertia,
        .own_mass = (double)special->mass_override,
        .linear_damping = (double)special->linear_damping,
        .angular_damping = (double)special->angular_damping,
        .gravity_scale = (double)special->gravity_scale,
        .force = vec2d_from(special->force),
        .torque = (double)special->torque,
        .fixed_rotation = (b->flags & BODY_FIXED_ROTATION) != 0,
        .bullet = (b->flags & BODY_BULLET) != 0,
        .allow_sleep = (b->flags & BODY_ALLOW_SLEEP) != 0,
        .awake = b->awake_index != 0,
        .enabled = (b->flags & BODY_ENABLED) != 0,
        .frozen = (b->flags & BODY_FROZEN) != 0,
        .tag = body_tag(world, slot),
        .shape_count = shape_count,
    };
    return STATUS_OK;
}

body_id world_next_body(const physics_world *world, body_id after)
{
    uint32_t slot = slots_next(&world->body_slots, (uint32_t)(after & ((1u << SLOT_BITS) - 1)));
    return slot != NONE ? body_id_of(world, slot) : 0;
}
