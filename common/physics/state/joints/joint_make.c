// Converts a definition to a joint: anchors in the bodies' frames, and the settings derived from
// the bodies' poses. And the reverse: the current anchors, angles and sides of a joint. Positions
// are computed in double.
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joint_record.h"

#include <math.h>

#define F(name) ((uint32_t)JOINT_FIELD_##name)

// ---- frames

static const body_motion *motion_of(const physics_world *world, uint32_t slot)
{
    return &world->motions.data[slot];
}

static vec2d place_of(const physics_world *world, uint32_t slot, vec2d local)
{
    const body_motion *m = motion_of(world, slot);
    double c = (double)m->rotation.c;
    double s = (double)m->rotation.s;
    return (vec2d){m->position.x + (c * local.x - s * local.y),
                   m->position.y + (s * local.x + c * local.y)};
}

static vec2d local_of(const physics_world *world, uint32_t slot, vec2d place)
{
    const body_motion *m = motion_of(world, slot);
    double c = (double)m->rotation.c;
    double s = (double)m->rotation.s;
    vec2d d = vec2d_sub(place, m->position);
    return (vec2d){c * d.x + s * d.y, c * d.y - s * d.x};
}

vec2d joint_anchor_a(const physics_world *world, const joint *j)
{
    return j->kind == JOINT_MOUSE ? joint_settings_of(world, j)->target
                                  : place_of(world, j->body_a, j->anchor_a);
}

vec2d joint_anchor_b(const physics_world *world, const joint *j)
{
    return place_of(world, j->body_b, j->anchor_b);
}

// ---- angles

double joint_unwrap(double angle, double near)
{
    double apart = near - angle;
    if (apart > -3.14 && apart < 3.14) {
        return angle; // nearly always
    }
    double turns = apart / (2.0 * PI_D);
    return angle + floor(turns + 0.5) * (2.0 * PI_D);
}

double joint_relative_angle(const physics_world *world, uint32_t p, uint32_t q, double reference)
{
    rot from = p != NONE ? motion_of(world, p)->rotation : ROT_IDENTITY;
    rot relative = rot_inv_mul(from, motion_of(world, q)->rotation);
    return joint_unwrap(rot_angle(relative) - reference, 0.0);
}

// ---- gears: the coordinate x of each side

// `last` is the previous x: whole turns are counted from it.
static double side_of_joint(const physics_world *world, const joint *on, double last)
{
    if (on->kind == JOINT_REVOLUTE) {
        double angle = joint_relative_angle(world, on->body_a, on->body_b, on->reference_angle);
        return joint_unwrap(angle, last);
    }
    vec2 axis = rot_vec(motion_of(world, on->body_a)->rotation, joint_settings_of(world, on)->axis);
    vec2d apart = vec2d_sub(joint_anchor_b(world, on), joint_anchor_a(world, on));
    return (double)axis.x * apart.x + (double)axis.y * apart.y;
}

void gear_sides(const physics_world *world, const joint *j, const joint_settings *settings,
                double *x_a, double *x_b)
{
    const joint *joints = world->joints.data;
    double last_a = settings->gear_a;
    double last_b = settings->gear_b;
    if (settings->joint_a != NONE) {
        *x_a = side_of_joint(world, &joints[settings->joint_a], last_a);
        *x_b = side_of_joint(world, &joints[settings->joint_b], last_b);
        return;
    }
    *x_a = joint_unwrap(joint_relative_angle(world, NONE, j->body_a, 0.0), last_a);
    *x_b = joint_unwrap(joint_relative_angle(world, NONE, j->body_b, 0.0), last_b);
}

// ---- making

// The kinds that act at one place of both bodies, b's origin by default; the others act at the
// origin of each body.
static bool has_common_place(joint_kind kind)
{
    return kind == JOINT_REVOLUTE || kind == JOINT_PRISMATIC || kind == JOINT_WELD ||
           kind == JOINT_WHEEL;
}

// The default point at which a mouse joint grabs b: the target if it is in b, else b's centre of
// mass.
static vec2d held_at(const physics_world *world, uint32_t slot, vec2d target)
{
    const body_motion *m = motion_of(world, slot);
    const vec2 point = pose_inv_point(body_pose(m), target);
    for (uint32_t at = world->bodies.data[slot].shapes; at != NONE;
         at = world->shapes.data[at].next) {
        const shape *s = &world->shapes.data[at];
        if ((s->flags & SHAPE_SENSOR) == 0 && shape_contains(&s->traits->geometry, point)) {
            return target;
        }
    }
    return m->center;
}

static void make_anchors(const physics_world *world, joint *j, const joint_def *def)
{
    bool given_a = (def->fields & F(ANCHOR_A)) != 0;
    bool given_b = (def->fields & F(ANCHOR_B)) != 0;
    j->anchor_a = given_a ? def->anchor_a : (vec2d){0.0, 0.0};
    j->anchor_b = given_b ? def->anchor_b : (vec2d){0.0, 0.0};
    if (j->kind == JOINT_MOUSE) {
        vec2d held =
            (def->fields & F(ANCHOR)) != 0 ? def->anchor : held_at(world, j->body_b, def->target);
        j->anchor_b = given_b ? def->anchor_b : local_of(world, j->body_b, held);
        return;
    }
    bool together = (def->fields & F(ANCHOR)) != 0;
    if (together || (has_common_place(j->kind) && !(given_a && given_b))) {
        vec2d place = together  ? def->anchor
                      : given_a ? joint_anchor_a(world, j)
                                : joint_anchor_b(world, j);
        j->anchor_a = given_a ? def->anchor_a : local_of(world, j->body_a, place);
        j->anchor_b = given_b ? def->anchor_b : local_of(world, j->body_b, place);
    }
}

static vec2 unit(vec2 v)
{
    float largest = float_max(float_abs(v.x), float_abs(v.y));
    float length;
    return vec2_normalize(vec2_scale(1.0f / largest, v), &length);
}

static double distance(vec2d p, vec2d q)
{
    vec2d d = vec2d_sub(q, p);
    return sqrt(d.x * d.x + d.y * d.y);
}

// Derives the settings that a definition leaves open from the poses of the bodies.
static void make_derived(const physics_world *world, joint_parts *parts, uint32_t given)
{
    joint *j = &parts->record;
    joint_settings *s = &parts->settings;
    if (j->kind == JOINT_MOUSE || j->kind == JOINT_FILTER || j->kind == JOINT_GEAR) {
        return;
    }
    if ((given & F(REFERENCE_ANGLE)) == 0) {
        bool from_here = j->kind != JOINT_MOTOR;
        j->reference_angle =
            from_here ? joint_relative_angle(world, j->body_a, j->body_b, 0.0) : 0.0;
    }
    j->angle = joint_relative_angle(world, j->body_a, j->body_b, j->reference_angle);
    vec2d a = joint_anchor_a(world, j);
    vec2d b = joint_anchor_b(world, j);
    if (j->kind == JOINT_MOTOR) {
        if ((given & F(TARGET)) == 0) {
            s->target = vec2d_sub(local_of(world, j->body_a, b), j->anchor_a);
        }
        if ((given & F(TARGET_ANGLE)) == 0) {
            s->target_angle = (float)j->angle;
        }
    }
    if ((given & F(LENGTH)) == 0 && j->kind == JOINT_DISTANCE) {
        j->length = (float)distance(a, b);
    }
    if ((given & F(LENGTH)) == 0 && j->kind == JOINT_PULLEY) {
        j->length = (float)(distance(s->ground_a, a) + (double)s->ratio * distance(s->ground_b, b));
    }
}

// Sets springs whose default depends on other settings.
static void make_springs(joint_settings *s, joint_kind kind, uint32_t given)
{
    if (kind == JOINT_MOTOR && (given & (F(VELOCITY) | F(TARGET) | F(HERTZ))) == F(VELOCITY)) {
        s->hertz = 0.0f;
    }
    if ((given & F(ANGULAR_HERTZ)) == 0 && (kind == JOINT_WELD || (given & F(HERTZ)) != 0)) {
        s->angular_hertz = s->hertz;
    }
    if ((given & F(ANGULAR_DAMPING_RATIO)) == 0) {
        s->angular_damping_ratio = s->damping_ratio;
    }
    uint32_t turning = given & (F(MOTOR_SPEED) | F(TARGET_ANGLE) | F(ANGULAR_HERTZ) | F(HERTZ));
    if (kind == JOINT_MOTOR && turning == F(MOTOR_SPEED)) {
        s->angular_hertz = 0.0f;
    }
}

// Takes the given settings, and the kind's defaults for others that are not derived.
static void make_settings(joint_parts *j, const joint_def *def)
{
    joint_def defaults = joint_def_default(def->kind);
    joint_settings_apply(j, (1u << JOINT_FIELD_COUNT) - 1, &defaults);
    j->record.flags = 0; // the defaults have no motor
    joint_settings_apply(j, def->fields, def);
    make_springs(&j->settings, def->kind, def->fields);
}

joint_settings joint_usual_settings(joint_kind kind)
{
    joint_parts usual = {0};
    joint_def def = joint_def_default(kind);
    make_settings(&usual, &def);
    return usual.settings;
}

static void make_gear(const physics_world *world, joint_parts *parts, const joint_def *def)
{
    joint *j = &parts->record;
    joint_settings *s = &parts->settings;
    if ((def->fields & F(JOINT_A)) != 0 && def->joint_a != 0) {
        s->joint_a = joint_slot(world, def->joint_a);
        s->joint_b = joint_slot(world, def->joint_b);
        j->body_a = gear_body(world, s->joint_a, def->a) & SLOT_MASK;
        j->body_b = gear_body(world, s->joint_b, def->b) & SLOT_MASK;
        // A joint that counts its turns has an angle that rotations alone cannot give.
        s->gear_a = world->joints.data[s->joint_a].angle;
        s->gear_b = world->joints.data[s->joint_b].angle;
    }
    gear_sides(world, j, s, &s->gear_a, &s->gear_b);
    s->gear_constant = s->gear_a + (double)s->ratio * s->gear_b;
}

joint_parts joint_make(const physics_world *world, const joint_def *def)
{
    joint_parts parts = {
        .record = {.kind = (uint8_t)def->kind,
                   .body_a = body_slot(world, def->a) & SLOT_MASK,
                   .body_b = body_slot(world, def->b) & SLOT_MASK,
                   .colour = COLOUR_NONE},
    };
    joint *j = &parts.record;
    if (def->kind == JOINT_MOUSE) {
        j->body_b = j->body_b != NONE ? j->body_b : j->body_a;
        j->body_a = NONE;
    }
    make_settings(&parts, def);
    if ((def->fields & F(COLLIDE_CONNECTED)) != 0 && def->collide_connected) {
        j->flags |= JOINT_FLAG_COLLIDE;
    }
    if (def->kind == JOINT_GEAR) {
        make_gear(world, &parts, def);
        return parts;
    }
    make_anchors(world, j, def);
    if (def->kind == JOINT_PRISMATIC || def->kind == JOINT_WHEEL) {
        vec2 axis = (def->fields & F(AXIS)) != 0 ? def->axis : joint_def_default(def->kind).axis;
        parts.settings.axis = rot_inv_vec(motion_of(world, j->body_a)->rotation, unit(axis));
    }
    make_derived(world, &parts, def->fields);
    return parts;
}
