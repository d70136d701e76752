// Impacts of bodies with joints.
//
// A joint that is rigid in a direction bears an impact at the moment at which it happens: a door
// rebounds about its hinge, two welded boxes as one. If a body rebounded as if it were free, and
// the joint pulled at it later, part or all of the rebound would be lost. So the rigid directions
// of joints near the struck bodies are solved together with the impacts, as equations that keep the
// velocity along them, until neither changes (contact_impacts.h has the other half). This adds no
// energy: the impulse of an equation acts where the relative velocity does not change, and does no
// work while that velocity is zero.
//
// Springs, motors and dampers yield instantly and bear nothing; a limit or a rope bears load once
// it is reached. Gears, pulleys, mouse and motor joints act only after the impact.
//
// Runs serially, in the order of slots, whatever the order of lists.
#include "common/physics/step/solver/impact_joints.h"

#include "common/physics/parallel/sort.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/step/solver/solver_scratch.h"

#include <string.h>

#define SETTLED     1e-4f  // sweeps end when impulses change by less than this share
#define LIMIT_ANGLE 0.005f // a limit nearer than this counts as reached [rad]

enum { SWEEPS_OF_JOINTS = 16 }; // sweeps over joints for each one over contacts

// ---- selection of joints

static bool springs(const joint_settings *s)
{
    return s->hertz > 0.0f;
}

static bool has_limits(const joint_settings *s)
{
    return s->lower > -INFINITY || s->upper < INFINITY;
}

bool joint_is_rigid(const physics_world *world, const joint *j)
{
    const joint_settings *s = joint_settings_of(world, j);
    switch ((joint_kind)j->kind) {
    case JOINT_REVOLUTE:
    case JOINT_PRISMATIC:
    case JOINT_WHEEL:
        return true;
    case JOINT_WELD:
        return !springs(s) || !(s->angular_hertz > 0.0f);
    case JOINT_DISTANCE:
        return has_limits(s) || !(springs(s) || (j->flags & JOINT_FLAG_MOTOR) != 0);
    default:
        return false;
    }
}

bool body_is_braced(const physics_world *world, uint32_t body_)
{
    for (uint32_t key = world->bodies.data[body_].joints; key != NONE;) {
        const joint *j = &world->joints.data[key >> 1];
        if (joint_is_rigid(world, j)) {
            return true;
        }
        key = j->edges[key & 1].next;
    }
    return false;
}

// Puts a dynamic body on the list, once.
static void list_body(physics_world *world, uint32_t slot)
{
    solver_scratch *s = world->solver;
    if (s->braced.data[slot] == 0 && (world->states.data[slot].flags & STATE_DYNAMIC) != 0) {
        s->braced.data[slot] = 1;
        array_push(&s->listed, slot);
    }
}

// Lists the bodies of impacts, in the order of slots.
static void list_struck(physics_world *world)
{
    solver_scratch *s = world->solver;
    const contact_groups *groups = &s->groups;
    array_clear(&s->listed);
    for (uint32_t g = 0; g < groups->first[COLOURS + 1]; g++) {
        for (uint32_t due = contact_lanes_due(groups, g); due != 0; due &= due - 1) {
            const int lane = __builtin_ctz(due);
            const uint32_t both[2] = {groups->lanes[g].body_a[lane], groups->lanes[g].body_b[lane]};
            for (int side = 0; side < 2; side++) {
                if (world->bodies.data[both[side]].joints != NONE) {
                    list_body(world, both[side]);
                }
            }
        }
    }
    s->listed.count = sort_slots(s->listed.data, s->listed.count);
}

static void note_joint(physics_world *world, uint32_t joint_, uint32_t other, void *context)
{
    (void)other;
    if (joint_is_rigid(world, &world->joints.data[joint_])) {
        array_push((slot_list *)context, joint_);
    }
}

// Lists the joints of the bodies [first, end) of the list, then those of the bodies that these
// reach, and so on: ring by ring, each in the order of slots.
static void list_joints(physics_world *world, slot_list *joints)
{
    slot_list *bodies = &world->solver->listed;
    uint32_t first = 0;
    while (first < bodies->count && joints->count < IMPACT_JOINTS_MAX) {
        const uint32_t end = bodies->count;
        const uint32_t from = joints->count;
        for (uint32_t i = first; i < end; i++) {
            joint_visit_all(world, bodies->data[i], note_joint, joints);
        }
        joints->count = from + sort_slots_once(joints->data + from, joints->count - from);
        for (uint32_t i = from; i < joints->count; i++) {
            const joint *j = &world->joints.data[joints->data[i]];
            list_body(world, j->body_a);
            list_body(world, j->body_b);
        }
        first = end;
    }
    joints->count = sort_slots_once(
        joints->data, joints->count); // a joint between two bodies of a ring is in the next one too
    joints->count = joints->count < IMPACT_JOINTS_MAX ? joints->count : IMPACT_JOINTS_MAX;
}

// ---- rows of joints

// The current geometry of a joint.
typedef struct stance {
    const body_state *a, *b;
    vec2 arm_a, arm_b; // arms from the centres of mass to the anchors
    vec2 separation;   // position of anchor b relative to anchor a
} stance;

static vec2 arm_of(const physics_world *world, uint32_t slot, vec2d anchor)
{
    return vec2d_relative(world->motions.data[slot].center, anchor);
}

static stance stance_of(const physics_world *world, const joint *j)
{
    const vec2d anchor_a = joint_anchor_a(world, j);
    const vec2d anchor_b = joint_anchor_b(world, j);
    const vec2 from_a = arm_of(world, j->body_a, anchor_a);
    const vec2 from_b = arm_of(world, j->body_b, anchor_b);
    stance s = {.a = &world->states.data[j->body_a], .b = &world->states.data[j->body_b]};
    s.arm_a = rot_vec(s.a->delta_rotation, from_a);
    s.arm_b = rot_vec(s.b->delta_rotation, from_b);
    const vec2 moved_a = vec2_add(s.a->delta_position, vec2_sub(s.arm_a, from_a));
    const vec2 moved_b = vec2_add(s.b->delta_position, vec2_sub(s.arm_b, from_b));
    s.separation = vec2_add(vec2d_relative(anchor_a, anchor_b), vec2_sub(moved_b, moved_a));
    return s;
}

static float row_velocity(const physics_world *world, const impact_row *r)
{
    const body_state *a = &world->states.data[r->body_a];
    const body_state *b = &world->states.data[r->body_b];
    return (vec2_dot(r->along, vec2_sub(b->velocity, a->velocity)) +
            r->turn_b * b->angular_velocity) -
           r->turn_a * a->angular_velocity;
}

static void add_row(physics_world *world, uint32_t joint_, impact_row row)
{
    const joint *j = &world->joints.data[joint_];
    const body_motion *a = &world->motions.data[j->body_a];
    const body_motion *b = &world->motions.data[j->body_b];
    row.joint = joint_;
    row.body_a = j->body_a;
    row.body_b = j->body_b;
    const float k =
        (a->inv_mass + b->inv_mass) * vec2_length_squared(row.along) +
        (a->inv_inertia * row.turn_a * row.turn_a + b->inv_inertia * row.turn_b * row.turn_b);
    const float velocity = row_velocity(world, &row);
    row.kept = row.pushes ? float_min(velocity, 0.0f) : velocity;
    row.mass = 1.0f / k;
    if (k > 0.0f && isfinite(row.mass) && isfinite(velocity)) {
        array_push(&world->solver->rows, row);
    }
}

// Keeps the velocity along a direction of b's point at arm_b relative to a's at arm_a.
static void add_linear(physics_world *world, uint32_t joint_, vec2 along, vec2 arm_a, vec2 arm_b,
                       bool pushes)
{
    add_row(world, joint_,
            (impact_row){.along = along,
                         .turn_a = vec2_cross(arm_a, along),
                         .turn_b = vec2_cross(arm_b, along),
                         .pushes = pushes});
}

static void add_angular(physics_world *world, uint32_t joint_, float sign, bool pushes)
{
    add_row(world, joint_, (impact_row){.turn_a = sign, .turn_b = sign, .pushes = pushes});
}

static void add_point(physics_world *world, uint32_t joint_, const stance *s)
{
    add_linear(world, joint_, (vec2){1.0f, 0.0f}, s->arm_a, s->arm_b, false);
    add_linear(world, joint_, (vec2){0.0f, 1.0f}, s->arm_a, s->arm_b, false);
}

// Adds rows for the limits that a coordinate along a direction has reached.
static void add_limits(physics_world *world, uint32_t joint_, vec2 along, vec2 arm_a, vec2 arm_b,
                       float position)
{
    const joint_settings *set = joint_settings_of(world, &world->joints.data[joint_]);
    if (position < set->lower + LINEAR_SLOP) {
        add_linear(world, joint_, along, arm_a, arm_b, true);
    }
    if (position > set->upper - LINEAR_SLOP) {
        add_linear(world, joint_, vec2_neg(along), arm_a, arm_b, true);
    }
}

static void add_angle_limits(physics_world *world, uint32_t joint_, const stance *s)
{
    const joint *j = &world->joints.data[joint_];
    const joint_settings *set = joint_settings_of(world, j);
    if (!has_limits(set)) {
        return;
    }
    const rot turned = rot_inv_mul(s->a->delta_rotation, s->b->delta_rotation);
    const float angle = (float)(j->angle + arc_tangent((double)turned.s, (double)turned.c));
    if (angle < set->lower + LIMIT_ANGLE) {
        add_angular(world, joint_, 1.0f, true);
    }
    if (angle > set->upper - LIMIT_ANGLE) {
        add_angular(world, joint_, -1.0f, true);
    }
}

static void add_slide(physics_world *world, uint32_t joint_, const stance *s)
{
    const joint *j = &world->joints.data[joint_];
    const rot began = world->motions.data[j->body_a].rotation;
    const vec2 axis =
        rot_vec(s->a->delta_rotation, rot_vec(began, joint_settings_of(world, j)->axis));
    const vec2 arm_a = vec2_add(s->arm_a, s->separation);
    add_linear(world, joint_, vec2_left(axis), arm_a, s->arm_b, false);
    if (j->kind == JOINT_PRISMATIC) {
        add_angular(world, joint_, 1.0f, false);
    }
    add_limits(world, joint_, axis, arm_a, s->arm_b, vec2_dot(axis, s->separation));
}

static void add_distance(physics_world *world, uint32_t joint_, const stance *s)
{
    const joint *j = &world->joints.data[joint_];
    float length;
    const vec2 along = vec2_normalize(s->separation, &length);
    if (!(length > 0.0f)) {
        return;
    }
    if (has_limits(joint_settings_of(world, j))) {
        add_limits(world, joint_, along, s->arm_a, s->arm_b, length);
    } else {
        add_linear(world, joint_, along, s->arm_a, s->arm_b, false);
    }
}

static void add_joint(physics_world *world, uint32_t joint_)
{
    const joint *j = &world->joints.data[joint_];
    const joint_settings *set = joint_settings_of(world, j);
    const stance s = stance_of(world, j);
    switch ((joint_kind)j->kind) {
    case JOINT_REVOLUTE:
        add_point(world, joint_, &s);
        add_angle_limits(world, joint_, &s);
        break;
    case JOINT_WELD:
        if (!springs(set)) {
            add_point(world, joint_, &s);
        }
        if (!(set->angular_hertz > 0.0f)) {
            add_angular(world, joint_, 1.0f, false);
        }
        break;
    case JOINT_DISTANCE:
        add_distance(world, joint_, &s);
        break;
    default:
        add_slide(world, joint_, &s);
    }
}

// ---- the phases

bool impact_joints_find(physics_world *world)
{
    solver_scratch *s = world->solver;
    array_clear(&s->rows);
    if (!world->step.lively || world->joint_slots.count == 0) {
        return false;
    }
    array_reserve(&s->braced, world->bodies.count);
    memset(s->braced.data, 0, world->bodies.count);
    list_struck(world);
    array_clear(&s->bracing);
    list_joints(world, &s->bracing);
    for (uint32_t i = 0; i < s->bracing.count; i++) {
        add_joint(world, s->bracing.data[i]);
    }
    return s->rows.count > 0;
}

static void push(physics_world *world, uint32_t slot, vec2 impulse, float moment)
{
    const body_motion *m = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    if ((state->flags & STATE_DYNAMIC) != 0) {
        state->velocity = vec2_mul_add(state->velocity, m->inv_mass, impulse);
        state->angular_velocity += m->inv_inertia * moment;
    }
}

static bool sweep_rows(physics_world *world)
{
    solver_scratch *s = world->solver;
    bool changed = false;
    for (uint32_t i = 0; i < s->rows.count; i++) {
        impact_row *r = &s->rows.data[i];
        const float before = r->impulse;
        const float wanted = before + r->mass * (r->kept - row_velocity(world, r));
        r->impulse = r->pushes ? float_max(wanted, 0.0f) : wanted;
        const float by = r->impulse - before;
        push(world, r->body_a, vec2_scale(-by, r->along), -by * r->turn_a);
        push(world, r->body_b, vec2_scale(by, r->along), by * r->turn_b);
        changed |= float_abs(by) > SETTLED * float_abs(r->impulse);
    }
    return changed;
}

bool impact_joints_sweep(physics_world *world)
{
    bool changed = false;
    for (int i = 0; i < SWEEPS_OF_JOINTS; i++) {
        if (!sweep_rows(world)) {
            break;
        }
        changed = true;
    }
    return changed;
}

void impact_joints_end(physics_world *world, uint8_t *struck, uint8_t mark)
{
    solver_scratch *s = world->solver;
    for (uint32_t i = 0; i < s->rows.count; i++) {
        const impact_row *r = &s->rows.data[i];
        const uint32_t both[2] = {r->body_a, r->body_b};
        for (int side = 0; side < 2; side++) {
            body_state *state = &world->states.data[both[side]];
            if ((state->flags & STATE_DYNAMIC) != 0) {
                body_limit_speed(state);
                struck[both[side]] = r->impulse != 0.0f ? mark : struck[both[side]];
            }
        }
        if (r->impulse != 0.0f) {
            array_push(&s->loads, ((impact_load){.joint = r->joint,
                                                 .force = vec2_scale(r->impulse, r->along),
                                                 .torque = vec2_length_squared(r->along) > 0.0f
                                                               ? 0.0f
                                                               : r->impulse * r->turn_b}));
        }
    }
}

void impact_joints_report(physics_world *world)
{
    impact_load_list *loads = &world->solver->loads;
    for (uint32_t i = 0; i < loads->count; i++) {
        const impact_load *l = &loads->data[i];
        joint *j = &world->joints.data[l->joint];
        const vec2 force = vec2_add(j->total_force, l->force);
        const float torque = j->total_torque + l->torque;
        if (vec2_is_finite(force) && isfinite(torque)) {
            j->total_force = force;
            j->total_torque = torque;
        }
    }
    array_clear(loads);
}
