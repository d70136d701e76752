// Impulses, which change a velocity once, and forces, which act until they are set again.
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/definition.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/world.h"

// Finds the body and wakes it; *slot is NONE, without an error, if forces do not move it.
static status find_movable(physics_world *world, body_id id, uint32_t *slot, error *err)
{
    status s = body_find(world, id, slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    const body *b = &world->bodies.data[*slot];
    if (b->type != BODY_DYNAMIC || (b->flags & BODY_ENABLED) == 0) {
        *slot = NONE;
        return STATUS_OK;
    }
    events_begin(world);
    body_wake(world, *slot);
    return STATUS_OK;
}

static float number_or_zero(float a)
{
    return a == a ? a : 0.0f;
}

void body_cut_speed(body_state *state)
{
    const float speed_max = (float)PHYSICS_SPEED_MAX;
    const float spin_max = (float)PHYSICS_SPIN_MAX;
    const float most = SPEED_SQUARABLE;
    vec2 v = {float_clamp(number_or_zero(state->velocity.x), -most, most),
              float_clamp(number_or_zero(state->velocity.y), -most, most)};
    const float squared = vec2_length_squared(v);
    if (squared > speed_max * speed_max) {
        const float scale = speed_max / sqrtf(squared);
        v.x = float_clamp(scale * v.x, -speed_max,
                          speed_max); // the rounded scale may still exceed it
        v.y = float_clamp(scale * v.y, -speed_max, speed_max);
    }
    state->velocity = v;
    state->angular_velocity =
        float_clamp(number_or_zero(state->angular_velocity), -spin_max, spin_max);
}

status body_apply_impulse(physics_world *world, body_id id, vec2d impulse, const vec2d *at,
                          error *err)
{
    uint32_t slot;
    status s = vector_check(impulse, PHYSICS_FORCE_MAX, "impulse", err);
    if (s == STATUS_OK && at != NULL) {
        s = vector_check(*at, PHYSICS_EXTENT_MAX, "point", err);
    }
    if (s == STATUS_OK) {
        s = find_movable(world, id, &slot, err);
    }
    if (s != STATUS_OK || slot == NONE) {
        return s;
    }
    body_motion *motion = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    motion->room = 0.0f; // its boxes extend along its earlier path
    vec2 j = {(float)impulse.x, (float)impulse.y};
    state->velocity = vec2_mul_add(state->velocity, motion->inv_mass, j);
    if (at != NULL) {
        vec2 arm = vec2d_relative(motion->center, *at);
        state->angular_velocity += motion->inv_inertia * vec2_cross(arm, j);
    }
    body_limit_speed(state);
    return STATUS_OK;
}

status body_apply_angular_impulse(physics_world *world, body_id id, double impulse, error *err)
{
    uint32_t slot;
    status s = number_check(impulse, -PHYSICS_FORCE_MAX, PHYSICS_FORCE_MAX, "impulse", err);
    if (s == STATUS_OK) {
        s = find_movable(world, id, &slot, err);
    }
    if (s != STATUS_OK || slot == NONE) {
        return s;
    }
    body_state *state = &world->states.data[slot];
    state->angular_velocity += world->motions.data[slot].inv_inertia * (float)impulse;
    body_limit_speed(state);
    return STATUS_OK;
}

status body_set_force(physics_world *world, body_id id, vec2d force, const vec2d *at, error *err)
{
    uint32_t slot;
    status s = vector_check(force, PHYSICS_FORCE_MAX, "force", err);
    if (s == STATUS_OK && at != NULL) {
        s = vector_check(*at, PHYSICS_EXTENT_MAX, "point", err);
    }
    if (s == STATUS_OK) {
        s = body_find(world, id, &slot, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    body_wake(world, slot);
    const body_motion *motion = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    body_special special = *body_special_of(world, slot);
    special.force = (vec2){(float)force.x, (float)force.y};
    state->flags =
        (state->flags & ~(uint32_t)STATE_FORCE_AT_POINT) | (at != NULL ? STATE_FORCE_AT_POINT : 0u);
    special.force_point = at != NULL ? pose_inv_point(body_pose(motion), *at) : (vec2){0.0f, 0.0f};
    body_set_special(world, slot, &special);
    return STATUS_OK;
}

status body_set_torque(physics_world *world, body_id id, double torque, error *err)
{
    uint32_t slot;
    status s = number_check(torque, -PHYSICS_FORCE_MAX, PHYSICS_FORCE_MAX, "torque", err);
    if (s == STATUS_OK) {
        s = body_find(world, id, &slot, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    body_wake(world, slot);
    body_special special = *body_special_of(world, slot);
    special.torque = (float)torque;
    body_set_special(world, slot, &special);
    return STATUS_OK;
}
