// Joints of players within the bounds of force, torque and speed; see players.h.
//
// A joint is a push without a number: a motor without a greatest force, a spring, or a joint whose
// bodies do not fit it yet moves them as hard as it must. So where one of these bounds is set, a
// player's motors have greatest forces within them, springs without a greatest force are refused,
// and a joint begins, and is changed, as its bodies stand. Only given settings are checked: a
// player may drive the strong motor that a referee made. The world's thread.
#include <math.h>

#include "common/base/assert.h"
#include "common/world/players_internal.h"

static const double FIT = 0.02; // [m, rad] by which a joint may be off its bodies

enum {
    MOTOR_FIELDS = JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_FORCE | JOINT_FIELD_MAX_TORQUE,
    STRENGTHS = PLAYERS_FORCE | PLAYERS_TORQUE | PLAYERS_SPEED
};

static bool is_driven(joint_kind kind)
{
    return kind == JOINT_MOTOR ||
           kind == JOINT_MOUSE; // always with a motor, whose spring it bounds
}

static bool given(const joint_def *def, uint32_t field)
{
    return (def->fields & field) != 0;
}

// ---- motors

static status check_most(const players_plan *p, const joint_def *def, bool wanted, uint32_t field,
                         double value, double bound, const char *unit, const char *name)
{
    const char *place = joint_field_name((joint_field)field);
    if ((joint_kind_fields(def->kind) & field) == 0) {
        return STATUS_OK;
    }
    if (given(def, field)) {
        return players_over(value, bound) ? players_refuse(p, place, value, bound, unit, name)
                                          : STATUS_OK;
    }
    return wanted ? error_set(p->err, STATUS_PERMISSION_DENIED,
                              "%s: must be given by a player here, and at most %.6g %s "
                              "(players.%s)",
                              place, bound, unit, name)
                  : STATUS_OK;
}

// `begins`: there is a motor now, and was none before.
static status check_motor(const players_plan *p, const joint_def *def, bool begins)
{
    const players_bounds *b = p->bounds;
    status s = STATUS_OK;
    if (players_bounded(p, PLAYERS_FORCE)) {
        s = check_most(p, def, begins, JOINT_FIELD_MAX_FORCE, def->max_force, b->force, "N",
                       "force");
    }
    if (s == STATUS_OK && players_bounded(p, PLAYERS_TORQUE)) {
        s = check_most(p, def, begins, JOINT_FIELD_MAX_TORQUE, def->max_torque, b->torque, "N m",
                       "torque");
    }
    const bool slides = def->kind == JOINT_PRISMATIC || def->kind == JOINT_DISTANCE;
    if (s == STATUS_OK && players_bounded(p, PLAYERS_SPEED) && slides &&
        given(def, JOINT_FIELD_MOTOR_SPEED) && players_over(def->motor_speed, b->speed)) {
        s = players_refuse(p, "motor_speed", fabs(def->motor_speed), b->speed, "m/s", "speed");
    }
    const double speed = hypot((double)def->velocity.x, (double)def->velocity.y);
    if (s == STATUS_OK && players_bounded(p, PLAYERS_SPEED) && given(def, JOINT_FIELD_VELOCITY) &&
        players_over(speed, b->speed)) {
        s = players_refuse(p, "velocity", speed, b->speed, "m/s", "speed");
    }
    return s;
}

// ---- springs

static status refuse_spring(const players_plan *p, const char *place, double hertz)
{
    return error_set(
        p->err, STATUS_PERMISSION_DENIED,
        "%s: %.6g Hz is a spring of unlimited force, and this world bounds the force of "
        "players: give 0, or a motor with max_force (players.%s)",
        place, hertz, players_bounded(p, PLAYERS_FORCE) ? "force" : "torque");
}

static status check_spring(const players_plan *p, const joint_def *def, bool create)
{
    if (!players_bounded(p, PLAYERS_FORCE | PLAYERS_TORQUE) || is_driven(def->kind)) {
        return STATUS_OK;
    }
    const double usual = create ? joint_def_default(def->kind).hertz : 0.0;
    const double hertz = given(def, JOINT_FIELD_HERTZ) ? def->hertz : usual;
    const double turning = given(def, JOINT_FIELD_ANGULAR_HERTZ) ? def->angular_hertz : 0.0;
    return hertz > 0.0     ? refuse_spring(p, "hertz", hertz)
           : turning > 0.0 ? refuse_spring(p, "angular_hertz", turning)
                           : STATUS_OK;
}

// ---- fit

// How the bodies stand to each other in a joint's terms.
typedef struct stand {
    bool known;
    double gap;        // distance between the anchors, where they must meet [m]
    double angle;      // angle of b minus that of a [rad]
    double coordinate; // the length or angle that limits apply to [m, rad]
} stand;

static vec2d place_of(const plan_body *b, vec2d local)
{
    double sine = 0.0;
    double cosine = 1.0;
    sin_cos(b->angle, &sine, &cosine);
    return (vec2d){b->position.x + cosine * local.x - sine * local.y,
                   b->position.y + sine * local.x + cosine * local.y};
}

// For a new joint.
static stand stand_of(players_plan *p, const joint_def *def)
{
    stand out = {0};
    plan_body a;
    const plan_body *found = plan_body_of(p, def->a);
    if (found == NULL) {
        return out;
    }
    a = *found; // asking for the other one may move it
    const plan_body *b = plan_body_of(p, def->b);
    if (b == NULL) {
        return out;
    }
    const vec2d at_a = place_of(&a, def->anchor_a);
    const vec2d at_b = place_of(b, def->anchor_b);
    const double apart = hypot(at_b.x - at_a.x, at_b.y - at_a.y);
    out.known = true;
    out.angle = remainder(b->angle - a.angle, 2.0 * 3.14159265358979323846);
    switch (def->kind) {
    case JOINT_DISTANCE:
        out.coordinate = given(def, JOINT_FIELD_ANCHOR) ? 0.0 : apart;
        break;
    case JOINT_REVOLUTE:
        out.coordinate =
            given(def, JOINT_FIELD_REFERENCE_ANGLE) ? out.angle - def->reference_angle : 0.0;
        break;
    default:
        break;
    }
    const bool both = given(def, JOINT_FIELD_ANCHOR_A) && given(def, JOINT_FIELD_ANCHOR_B);
    const bool meets = def->kind == JOINT_REVOLUTE || def->kind == JOINT_WELD ||
                       def->kind == JOINT_PRISMATIC || def->kind == JOINT_WHEEL;
    out.gap = both && meets ? apart : 0.0;
    return out;
}

// For one that exists.
static stand stand_of_joint(const joint_info *info)
{
    const joint_kind kind = info->def.kind;
    return (stand){.known = true,
                   .angle = info->def.reference_angle,
                   .coordinate = kind == JOINT_REVOLUTE ? info->angle
                                 : kind == JOINT_DISTANCE || kind == JOINT_PULLEY
                                     ? info->length
                                     : info->translation};
}

static status refuse_fit(const players_plan *p, const char *place, double value, double now)
{
    const char *name = players_bounded(p, PLAYERS_FORCE)    ? "force"
                       : players_bounded(p, PLAYERS_TORQUE) ? "torque"
                                                            : "speed";
    return error_set(p->err, STATUS_PERMISSION_DENIED,
                     "%s: %.6g would move the bodies, which stand at %.6g; a player's joint fits "
                     "them as they are (players.%s)",
                     place, value, now, name);
}

static status check_fit(const players_plan *p, const joint_def *def, const stand *s)
{
    const bool rigid = def->kind == JOINT_WELD || def->kind == JOINT_PRISMATIC;
    if (!s->known) {
        return STATUS_OK; // apply_command() reports bodies that do not exist
    }
    if (s->gap > FIT) {
        return refuse_fit(p, "anchor_b", 0.0, s->gap);
    }
    const double turned = remainder(s->angle - def->reference_angle, 2.0 * 3.14159265358979323846);
    if (rigid && given(def, JOINT_FIELD_REFERENCE_ANGLE) && fabs(turned) > FIT) {
        return refuse_fit(p, "reference_angle", def->reference_angle, s->angle);
    }
    if (given(def, JOINT_FIELD_LOWER) && def->lower > s->coordinate + FIT) {
        return refuse_fit(p, "lower", def->lower, s->coordinate);
    }
    if (given(def, JOINT_FIELD_UPPER) && def->upper < s->coordinate - FIT) {
        return refuse_fit(p, "upper", def->upper, s->coordinate);
    }
    if (given(def, JOINT_FIELD_LENGTH) && def->kind == JOINT_DISTANCE &&
        fabs(def->length - s->coordinate) > FIT) {
        return refuse_fit(p, "length", def->length, s->coordinate);
    }
    return STATUS_OK;
}

// A player may lengthen the rope of a pulley, and not shorten it.
static status check_rope(const players_plan *p, const joint_def *def, const stand *s, bool create)
{
    if (def->kind != JOINT_PULLEY || !given(def, JOINT_FIELD_LENGTH)) {
        return STATUS_OK;
    }
    return create                              ? error_set(p->err, STATUS_PERMISSION_DENIED,
                                                           "length: a player's pulley begins as long as its rope is; leave it "
                                                                                        "out")
           : def->length < s->coordinate - FIT ? refuse_fit(p, "length", def->length, s->coordinate)
                                               : STATUS_OK;
}

// ---- commands

status players_joint_create(players_plan *p, const command *c)
{
    const joint_def *def = &c->joint.def;
    if (!players_bounded(p, STRENGTHS)) {
        return STATUS_OK;
    }
    const stand now = stand_of(p, def);
    status s = check_motor(p, def, is_driven(def->kind) || given(def, MOTOR_FIELDS));
    s = s == STATUS_OK ? check_spring(p, def, true) : s;
    s = s == STATUS_OK ? check_fit(p, def, &now) : s;
    return s == STATUS_OK ? check_rope(p, def, &now, true) : s;
}

status players_joint_set(players_plan *p, const command *c)
{
    const uint64_t id = c->joint.joint;
    joint_def set = c->joint.def;
    joint_info info;
    joint_def before;
    stand now;
    if (!players_bounded(p, STRENGTHS)) {
        return STATUS_OK;
    }
    if (command_id_is_reference(id)) {
        const uint32_t index = command_id_index(id);
        if (p->batch == NULL || index >= p->at ||
            p->batch->commands[index].method != METHOD_JOINT_CREATE) {
            return STATUS_OK;
        }
        before = p->batch->commands[index].joint.def;
        now = stand_of(p, &before);
    } else if (joint_get(p->world, id, &info, NULL) == STATUS_OK) {
        before = info.def;
        now = stand_of_joint(&info);
    } else {
        return STATUS_OK;
    }
    set.kind = before.kind;
    now.gap = 0.0;
    const bool motor = is_driven(before.kind) || given(&before, MOTOR_FIELDS);
    status s = check_motor(p, &set, !motor && given(&set, MOTOR_FIELDS));
    s = s == STATUS_OK ? check_spring(p, &set, false) : s;
    s = s == STATUS_OK ? check_fit(p, &set, &now) : s;
    return s == STATUS_OK ? check_rope(p, &set, &now, false) : s;
}
