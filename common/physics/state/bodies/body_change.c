// Changes of a body: each named field takes effect from now on; bodies that rest on it or are
// joined to it wake.
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/state/sleep_set.h"
#include "common/physics/state/broad_phase/boxes.h"
#include "common/physics/state/world.h"

static void set_pose(physics_world *world, uint32_t slot, uint32_t fields, const body_def *values)
{
    body_motion *motion = &world->motions.data[slot];
    if ((fields & BODY_FIELD_POSITION) != 0) {
        motion->position = values->position;
    }
    if ((fields & BODY_FIELD_ANGLE) != 0) {
        motion->rotation = rot_from_angle(values->angle);
    }
    body_set_center_from_pose(motion);
    body_wake_touching(world, slot); // wakes the bodies that rested on it at its old place
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        shape_reset_box(world, i);
    }
}

// A kinematic body that stops is no longer awake. Its sensors, and sensors that detect it, are
// tested once more at the place to which the last step took it.
static void note_last_place(physics_world *world, uint32_t slot)
{
    for (uint32_t i = world->bodies.data[slot].shapes; i != NONE; i = world->shapes.data[i].next) {
        shape_reset_box(world, i);
    }
}

static void set_velocity(physics_world *world, uint32_t slot, uint32_t fields,
                         const body_def *values)
{
    if (world->bodies.data[slot].type == BODY_STATIC) {
        return;
    }
    body_state *state = &world->states.data[slot];
    world->motions.data[slot].room = 0.0f; // its boxes extend along its earlier path
    if ((fields & BODY_FIELD_VELOCITY) != 0) {
        state->velocity = (vec2){(float)values->velocity.x, (float)values->velocity.y};
    }
    if ((fields & BODY_FIELD_ANGULAR_VELOCITY) != 0) {
        state->angular_velocity = (float)values->angular_velocity;
    }
    if (world->bodies.data[slot].type == BODY_KINEMATIC) {
        const bool moved = world->bodies.data[slot].awake_index != 0;
        body_refresh_awake(world, slot);
        if (moved && world->bodies.data[slot].awake_index == 0) {
            note_last_place(world, slot);
        }
        body_wake_touching(world, slot);
    }
}

static void reactivate_joint(physics_world *world, uint32_t joint, uint32_t other, void *context)
{
    (void)other;
    (void)context;
    joint_deactivate(world, joint);
    joint_activate(world, joint);
}

// A body of another type belongs to another tree and has other contacts and colours: it is removed
// from all and added again.
static void set_type(physics_world *world, uint32_t slot, body_type type)
{
    body *b = &world->bodies.data[slot];
    if (b->type == type) {
        return;
    }
    bool enabled = (b->flags & BODY_ENABLED) != 0;
    if (enabled) {
        body_disable(world, slot);
    }
    b = &world->bodies.data[slot];
    b->type = (uint8_t)type;
    if (type == BODY_STATIC) {
        world->states.data[slot].velocity = (vec2){0.0f, 0.0f};
        world->states.data[slot].angular_velocity = 0.0f;
    }
    body_update_mass(world, slot);
    if (enabled) {
        body_enable(world, slot);
    }
    joint_visit_all(world, slot, reactivate_joint, NULL);
}

static void set_flag(body *b, uint8_t flag, bool on)
{
    b->flags = (uint8_t)(on ? b->flags | flag : b->flags & ~flag);
}

static void set_numbers(physics_world *world, uint32_t slot, uint32_t fields, const body_def *v)
{
    body *b = &world->bodies.data[slot];
    body_special special = *body_special_of(world, slot);
    if ((fields & BODY_FIELD_GRAVITY_SCALE) != 0) {
        special.gravity_scale = (float)v->gravity_scale;
    }
    if ((fields & BODY_FIELD_LINEAR_DAMPING) != 0) {
        special.linear_damping = (float)v->linear_damping;
    }
    if ((fields & BODY_FIELD_ANGULAR_DAMPING) != 0) {
        special.angular_damping = (float)v->angular_damping;
    }
    if ((fields & BODY_FIELD_BULLET) != 0) {
        set_flag(b, BODY_BULLET, v->bullet);
    }
    if ((fields & BODY_FIELD_ALLOW_SLEEP) != 0) {
        set_flag(b, BODY_ALLOW_SLEEP, v->allow_sleep);
    }
    if ((fields & BODY_FIELD_TAG) != 0) {
        body_set_tag(world, slot, v->tag);
    }
    if ((fields & BODY_FIELD_FIXED_ROTATION) != 0) {
        set_flag(b, BODY_FIXED_ROTATION, v->fixed_rotation);
    }
    if ((fields & BODY_FIELD_MASS) != 0) {
        special.mass_override = (float)v->mass;
    }
    body_set_special(world, slot, &special);
    if ((fields & (BODY_FIELD_MASS | BODY_FIELD_FIXED_ROTATION)) != 0) {
        body_update_mass(world, slot);
        body_update_boxes(world, slot, INFINITY);
    }
}

status body_set(physics_world *world, body_id id, uint32_t fields, const body_def *values,
                error *err)
{
    uint32_t slot;
    status s = body_find(world, id, &slot, err);
    if (s == STATUS_OK) {
        s = body_fields_check(fields, values, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    const uint32_t quiet = BODY_FIELD_TAG | BODY_FIELD_AWAKE | BODY_FIELD_ALLOW_SLEEP;
    if ((fields & ~quiet) != 0 ||
        ((fields & BODY_FIELD_ALLOW_SLEEP) != 0 && !values->allow_sleep) ||
        ((fields & BODY_FIELD_AWAKE) != 0 && values->awake)) {
        body_wake(world, slot);
    }
    set_numbers(world, slot, fields, values);
    if ((fields & BODY_FIELD_TYPE) != 0) {
        set_type(world, slot, values->type);
    }
    if ((fields & (BODY_FIELD_POSITION | BODY_FIELD_ANGLE)) != 0) {
        set_pose(world, slot, fields, values);
    }
    if ((fields & (BODY_FIELD_VELOCITY | BODY_FIELD_ANGULAR_VELOCITY)) != 0) {
        set_velocity(world, slot, fields, values);
    }
    body_hold_rotation(world, slot);
    if ((fields & BODY_FIELD_ENABLED) != 0) {
        bool enabled = (world->bodies.data[slot].flags & BODY_ENABLED) != 0;
        if (values->enabled && !enabled) {
            body_enable(world, slot);
        } else if (!values->enabled && enabled) {
            body_disable(world, slot);
        }
    }
    if ((fields & BODY_FIELD_AWAKE) != 0 && !values->awake && world->def.sleep) {
        sleep_set_put_island(world, slot);
    }
    return STATUS_OK;
}
