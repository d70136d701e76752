// Reads and changes the settings of joints between steps, and measures their angles, lengths and
// forces.
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joint_record.h"

#include <math.h>

static joint_def definition_of(const physics_world *world, const joint_parts *parts)
{
    const joint *j = &parts->record;
    const joint_settings *s = &parts->settings;
    joint_def def = joint_def_default((joint_kind)j->kind);
    joint_settings_tell(parts, &def);
    def.a = j->body_a != NONE ? body_id_of(world, j->body_a) : 0;
    def.b = body_id_of(world, j->body_b);
    def.anchor_a = j->anchor_a;
    def.anchor_b = j->anchor_b;
    if (j->body_a != NONE) {
        def.axis = rot_vec(world->motions.data[j->body_a].rotation, s->axis);
    }
    if (s->joint_a != NONE) {
        def.joint_a = joint_id_of(world, s->joint_a);
        def.joint_b = joint_id_of(world, s->joint_b);
    }
    return def;
}

status joint_set(physics_world *world, joint_id id, uint32_t fields, const joint_def *values,
                 error *err)
{
    uint32_t slot;
    status s = joint_find(world, id, &slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    joint_parts changed = joint_parts_of(world, slot);
    joint_def checked = *values;
    checked.kind = (joint_kind)changed.record.kind;
    s = joint_fields_check(checked.kind, fields, &checked, err);
    uint32_t fixed = fields & ~joint_kind_settable(checked.kind);
    if (s == STATUS_OK && fixed != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s: cannot change after the joint is created",
                         joint_field_name((joint_field)(fixed & (0u - fixed))));
    }
    if (s == STATUS_OK) {
        joint_settings_apply(&changed, fields, &checked);
        joint_def together = definition_of(world, &changed);
        together.fields |= fields;
        s = joint_together_check(&together, err);
    }
    if (s == STATUS_OK) {
        s = joint_check_rod(&changed, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    joint_settings_put(world, &changed.record, &changed.settings);
    world->joints.data[slot] = changed.record;
    graph_relist_joint(world, slot);
    joint_wake_bodies(world, &changed.record);
    return STATUS_OK;
}

// ---- measuring

static double length_of(vec2d d)
{
    return sqrt(d.x * d.x + d.y * d.y);
}

// The velocity of a's or b's anchor in the world.
static vec2 anchor_velocity(const physics_world *world, uint32_t body_, vec2d place)
{
    const body_state *state = &world->states.data[body_];
    vec2 arm = vec2d_relative(world->motions.data[body_].center, place);
    return vec2_add(state->velocity, vec2_cross_sv(state->angular_velocity, arm));
}

static void measure(const physics_world *world, const joint_parts *parts, joint_info *info)
{
    const joint *j = &parts->record;
    const joint_settings *s = &parts->settings;
    vec2d apart = vec2d_sub(info->anchor_b, info->anchor_a);
    info->length = length_of(apart);
    if (j->body_a == NONE) {
        return;
    }
    info->angle = joint_relative_angle(world, j->body_a, j->body_b, j->reference_angle);
    if (j->kind == JOINT_REVOLUTE || j->kind == JOINT_WHEEL) {
        info->angle = joint_unwrap(info->angle, j->angle);
        info->speed = (double)world->states.data[j->body_b].angular_velocity -
                      (double)world->states.data[j->body_a].angular_velocity;
    }
    vec2 axis = info->def.axis;
    if (j->kind == JOINT_PRISMATIC || j->kind == JOINT_WHEEL) {
        info->translation = (double)axis.x * apart.x + (double)axis.y * apart.y;
    }
    if (j->kind == JOINT_PRISMATIC || j->kind == JOINT_DISTANCE) {
        // Here a's velocity is that of its point at b's anchor, along the axis, which rotates with
        // a.
        bool rod = j->kind == JOINT_DISTANCE;
        vec2 a = anchor_velocity(world, j->body_a, rod ? info->anchor_a : info->anchor_b);
        vec2 b = anchor_velocity(world, j->body_b, info->anchor_b);
        float length;
        vec2 along = rod ? vec2_normalize((vec2){(float)apart.x, (float)apart.y}, &length) : axis;
        info->speed = (double)vec2_dot(along, vec2_sub(b, a));
    }
    if (j->kind == JOINT_GEAR) {
        gear_sides(world, j, s, &info->side_a, &info->side_b);
    }
    if (j->kind == JOINT_PULLEY) {
        info->side_a = length_of(vec2d_sub(info->anchor_a, s->ground_a));
        info->side_b = length_of(vec2d_sub(info->anchor_b, s->ground_b));
        info->length = info->side_a + (double)s->ratio * info->side_b;
    }
}

status joint_get(const physics_world *world, joint_id id, joint_info *out, error *err)
{
    uint32_t slot;
    status s = joint_find(world, id, &slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    const joint_parts parts = joint_parts_of(world, slot);
    const joint *j = &parts.record;
    double hz = world->def.hz;
    *out = (joint_info){
        .id = id,
        .def = definition_of(world, &parts),
        .anchor_a = joint_anchor_a(world, j),
        .anchor_b = joint_anchor_b(world, j),
        .force = {hz * (double)j->total_force.x, hz * (double)j->total_force.y},
        .torque = hz * (double)j->total_torque,
    };
    measure(world, &parts, out);
    return STATUS_OK;
}

// ---- walking

joint_id world_next_joint(const physics_world *world, joint_id after)
{
    uint32_t slot = slots_next(&world->joint_slots, (uint32_t)(after & ((1u << SLOT_BITS) - 1)));
    return slot != NONE ? joint_id_of(world, slot) : 0;
}

uint32_t body_joint_count(const physics_world *world, body_id id)
{
    uint32_t slot = body_slot(world, id);
    return slot != NONE ? world->bodies.data[slot].joint_count : 0;
}

joint_id body_next_joint(const physics_world *world, body_id id, joint_id after)
{
    uint32_t slot = body_slot(world, id);
    if (slot == NONE) {
        return 0;
    }
    uint32_t past = (uint32_t)(after & ((1u << SLOT_BITS) - 1));
    uint32_t found = NONE;
    for (uint32_t key = world->bodies.data[slot].joints; key != NONE && key >> 1 > past;
         key = world->joints.data[key >> 1].edges[key & 1].next) {
        found = key >> 1;
    }
    return found != NONE ? joint_id_of(world, found) : 0;
}
