// Joint definitions: the settings of each kind, their ranges, and the check that each definition
// must pass before it enters a world. Every error names the setting.
#include "common/base/assert.h"
#include "common/physics/definition.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joint_record.h"

#include <inttypes.h>
#include <math.h>

// ---- kinds and their settings

#define F(name) ((uint32_t)JOINT_FIELD_##name)
#define ANCHORS (F(ANCHOR) | F(ANCHOR_A) | F(ANCHOR_B))
#define LIMITS  (F(LOWER) | F(UPPER))
#define SPRING  (F(HERTZ) | F(DAMPING_RATIO))
#define ANGULAR (F(ANGULAR_HERTZ) | F(ANGULAR_DAMPING_RATIO))
#define BREAKS  (F(BREAK_FORCE) | F(BREAK_TORQUE))

typedef struct kind_rule {
    const char *name;
    uint32_t fixed;    // settings that are given at creation only
    uint32_t settable; // settings that joint_set() can change too
} kind_rule;

static const kind_rule KINDS[JOINT_KIND_COUNT] = {
    [JOINT_REVOLUTE] = {"revolute", ANCHORS | F(REFERENCE_ANGLE) | F(COLLIDE_CONNECTED),
                        LIMITS | SPRING | BREAKS | F(MOTOR_SPEED) | F(MAX_TORQUE) |
                            F(TARGET_ANGLE)},
    [JOINT_PRISMATIC] = {"prismatic", ANCHORS | F(AXIS) | F(REFERENCE_ANGLE) | F(COLLIDE_CONNECTED),
                         LIMITS | SPRING | BREAKS | F(MOTOR_SPEED) | F(MAX_FORCE) |
                             F(TARGET_TRANSLATION)},
    [JOINT_DISTANCE] = {"distance", ANCHORS | F(COLLIDE_CONNECTED),
                        LIMITS | SPRING | F(LENGTH) | F(MOTOR_SPEED) | F(MAX_FORCE) |
                            F(BREAK_FORCE)},
    [JOINT_WELD] = {"weld", ANCHORS | F(REFERENCE_ANGLE) | F(COLLIDE_CONNECTED),
                    SPRING | ANGULAR | BREAKS},
    [JOINT_WHEEL] = {"wheel", ANCHORS | F(AXIS) | F(COLLIDE_CONNECTED),
                     LIMITS | SPRING | BREAKS | F(MOTOR_SPEED) | F(MAX_TORQUE) |
                         F(TARGET_TRANSLATION)},
    [JOINT_MOTOR] = {"motor", ANCHORS | F(COLLIDE_CONNECTED),
                     SPRING | ANGULAR | BREAKS | F(TARGET) | F(TARGET_ANGLE) | F(VELOCITY) |
                         F(MOTOR_SPEED) | F(MAX_FORCE) | F(MAX_TORQUE)},
    [JOINT_MOUSE] = {"mouse", F(ANCHOR) | F(ANCHOR_B),
                     SPRING | F(TARGET) | F(MAX_FORCE) | F(BREAK_FORCE)},
    [JOINT_FILTER] = {"filter", 0, 0},
    [JOINT_GEAR] = {"gear", F(RATIO) | F(JOINT_A) | F(JOINT_B) | F(COLLIDE_CONNECTED), BREAKS},
    [JOINT_PULLEY] = {"pulley",
                      F(ANCHOR_A) | F(ANCHOR_B) | F(GROUND_A) | F(GROUND_B) | F(RATIO) |
                          F(COLLIDE_CONNECTED),
                      F(LENGTH) | F(BREAK_FORCE)},
};

static const char *const FIELD_NAMES[JOINT_FIELD_COUNT] = {
    "anchor",        "anchor_a",        "anchor_b",
    "axis",          "reference_angle", "length",
    "lower",         "upper",           "motor_speed",
    "max_force",     "max_torque",      "hertz",
    "damping_ratio", "angular_hertz",   "angular_damping_ratio",
    "target",        "target_angle",    "target_translation",
    "velocity",      "ratio",           "joint_a",
    "joint_b",       "ground_a",        "ground_b",
    "break_force",   "break_torque",    "collide_connected",
};

const char *joint_kind_name(joint_kind kind)
{
    return (unsigned)kind < JOINT_KIND_COUNT ? KINDS[kind].name : "unknown";
}

const char *joint_field_name(joint_field field)
{
    unsigned bit = field != 0 ? (unsigned)__builtin_ctz((unsigned)field) : JOINT_FIELD_COUNT;
    return bit < JOINT_FIELD_COUNT ? FIELD_NAMES[bit] : "unknown";
}

uint32_t joint_kind_fields(joint_kind kind)
{
    return (unsigned)kind < JOINT_KIND_COUNT ? KINDS[kind].fixed | KINDS[kind].settable : 0;
}

uint32_t joint_kind_settable(joint_kind kind)
{
    return (unsigned)kind < JOINT_KIND_COUNT ? KINDS[kind].settable : 0;
}

joint_def joint_def_default(joint_kind kind)
{
    joint_def def = {
        .kind = kind,
        .lower = -(double)INFINITY,
        .upper = (double)INFINITY,
        .max_force = PHYSICS_FORCE_MAX,
        .max_torque = PHYSICS_FORCE_MAX,
        .axis = {0.0f, 1.0f},
        .ratio = 1.0,
    };
    if (kind == JOINT_WHEEL) {
        def.hertz = 2.0;
        def.damping_ratio = 0.7;
    } else if (kind == JOINT_MOUSE) {
        def.hertz = 5.0;
        def.damping_ratio = 0.7;
    } else if (kind == JOINT_MOTOR) {
        def.hertz = def.angular_hertz = 5.0;
        def.damping_ratio = def.angular_damping_ratio = 1.0;
    }
    return def;
}

// ---- each setting by itself

static status check_numbers(uint32_t fields, const joint_def *d, error *err)
{
    const double turn = JOINT_LIMIT_MAX;
    const double force = PHYSICS_FORCE_MAX;
    const double speed = PHYSICS_SPEED_MAX;
    const struct {
        uint32_t field;
        double value, lower, upper;
    } numbers[] = {
        {F(REFERENCE_ANGLE), d->reference_angle, -turn, turn},
        {F(LENGTH), d->length, 0.0, 2.0 * PHYSICS_EXTENT_MAX * JOINT_RATIO_MAX},
        {F(MOTOR_SPEED), d->motor_speed, -speed, speed},
        {F(MAX_FORCE), d->max_force, 0.0, force},
        {F(MAX_TORQUE), d->max_torque, 0.0, force},
        {F(HERTZ), d->hertz, 0.0, JOINT_HERTZ_MAX},
        {F(DAMPING_RATIO), d->damping_ratio, 0.0, JOINT_DAMPING_RATIO_MAX},
        {F(ANGULAR_HERTZ), d->angular_hertz, 0.0, JOINT_HERTZ_MAX},
        {F(ANGULAR_DAMPING_RATIO), d->angular_damping_ratio, 0.0, JOINT_DAMPING_RATIO_MAX},
        {F(TARGET_ANGLE), d->target_angle, -turn, turn},
        {F(TARGET_TRANSLATION), d->target_translation, -JOINT_LIMIT_MAX, JOINT_LIMIT_MAX},
        {F(BREAK_FORCE), d->break_force, 0.0, force},
        {F(BREAK_TORQUE), d->break_torque, 0.0, force},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if ((fields & numbers[i].field) != 0) {
            status s = number_check(numbers[i].value, numbers[i].lower, numbers[i].upper,
                                    joint_field_name((joint_field)numbers[i].field), err);
            if (s != STATUS_OK) {
                return s;
            }
        }
    }
    return STATUS_OK;
}

static status check_vectors(uint32_t fields, const joint_def *d, error *err)
{
    const double place = PHYSICS_EXTENT_MAX;
    const struct {
        uint32_t field;
        vec2d value;
        double limit;
    } vectors[] = {
        {F(ANCHOR), d->anchor, place},
        {F(ANCHOR_A), d->anchor_a, 2.0 * place},
        {F(ANCHOR_B), d->anchor_b, 2.0 * place},
        {F(AXIS), vec2d_from(d->axis), 1.0e12},
        {F(TARGET), d->target, d->kind == JOINT_MOTOR ? JOINT_LIMIT_MAX : place},
        {F(VELOCITY), vec2d_from(d->velocity), PHYSICS_SPEED_MAX},
        {F(GROUND_A), d->ground_a, place},
        {F(GROUND_B), d->ground_b, place},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        if ((fields & vectors[i].field) != 0) {
            status s = vector_check(vectors[i].value, vectors[i].limit,
                                    joint_field_name((joint_field)vectors[i].field), err);
            if (s != STATUS_OK) {
                return s;
            }
        }
    }
    return STATUS_OK;
}

// A limit may be infinite, which means none.
static status check_limit(uint32_t fields, uint32_t field, double value, double none, error *err)
{
    if ((fields & field) == 0 || value == none) {
        return STATUS_OK;
    }
    return number_check(value, -JOINT_LIMIT_MAX, JOINT_LIMIT_MAX,
                        joint_field_name((joint_field)field), err);
}

static status check_ratio(joint_kind kind, uint32_t fields, double ratio, error *err)
{
    if ((fields & F(RATIO)) == 0) {
        return STATUS_OK;
    }
    bool negative = kind == JOINT_GEAR && ratio < 0.0;
    return number_check(negative ? -ratio : ratio, JOINT_RATIO_MIN, JOINT_RATIO_MAX,
                        kind == JOINT_GEAR ? "the size of ratio" : "ratio", err);
}

status joint_fields_check(joint_kind kind, uint32_t fields, const joint_def *values, error *err)
{
    if ((unsigned)kind >= JOINT_KIND_COUNT) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "kind %d is not a kind of joint", (int)kind);
    }
    uint32_t wrong = fields & ~joint_kind_fields(kind);
    if (wrong != 0) {
        uint32_t first = wrong & (0u - wrong);
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: a %s joint has no such setting",
                         joint_field_name((joint_field)first), KINDS[kind].name);
    }
    status s = check_numbers(fields, values, err);
    if (s == STATUS_OK) {
        s = check_vectors(fields, values, err);
    }
    if (s == STATUS_OK) {
        s = check_limit(fields, F(LOWER), values->lower, -(double)INFINITY, err);
    }
    if (s == STATUS_OK) {
        s = check_limit(fields, F(UPPER), values->upper, (double)INFINITY, err);
    }
    return s == STATUS_OK ? check_ratio(kind, fields, values->ratio, err) : s;
}

// ---- settings together

static status check_distance(const joint_def *d, error *err)
{
    bool loose = isfinite(d->lower) || isfinite(d->upper) ||
                 (d->fields & (F(MOTOR_SPEED) | F(MAX_FORCE))) != 0;
    if (isfinite(d->lower) && d->lower < 0.0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "lower: a length is at least 0, got %g",
                         d->lower);
    }
    if (d->upper < 0.0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "upper: a length is at least 0, got %g",
                         d->upper);
    }
    if (d->hertz > 0.0 || (d->fields & F(LENGTH)) == 0) {
        return STATUS_OK;
    }
    if (loose) {
        return error_set(
            err, STATUS_INVALID_ARGUMENT,
            "length: a rod of fixed length has no lower or upper; a spring with hertz > 0 has");
    }
    return number_check(d->length, (double)LINEAR_SLOP, 2.0 * PHYSICS_EXTENT_MAX, "length", err);
}

status joint_together_check(const joint_def *d, error *err)
{
    if (d->lower > d->upper) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "lower must be at most upper, got %g > %g",
                         d->lower, d->upper);
    }
    return d->kind == JOINT_DISTANCE ? check_distance(d, err) : STATUS_OK;
}

static status missing(const char *name, joint_kind kind, error *err)
{
    return error_set(err, STATUS_INVALID_ARGUMENT, "%s is missing: a %s joint needs it", name,
                     KINDS[kind].name);
}

static status check_needed(const joint_def *d, error *err)
{
    if ((d->fields & F(ANCHOR)) != 0 && (d->fields & (F(ANCHOR_A) | F(ANCHOR_B))) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "anchor: give either it or anchor_a and anchor_b");
    }
    if (d->kind == JOINT_REVOLUTE && (d->fields & ANCHORS) == 0) {
        return missing("anchor", d->kind, err);
    }
    if (d->kind == JOINT_PRISMATIC && (d->fields & F(AXIS)) == 0) {
        return missing("axis", d->kind, err);
    }
    if ((d->fields & F(AXIS)) != 0 && fabsf(d->axis.x) < 1.0e-12f && fabsf(d->axis.y) < 1.0e-12f) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "axis has no direction");
    }
    if (d->kind == JOINT_MOUSE && (d->fields & F(TARGET)) == 0) {
        return missing("target", d->kind, err);
    }
    if (d->kind == JOINT_PULLEY && (d->fields & F(GROUND_A)) == 0) {
        return missing("ground_a", d->kind, err);
    }
    if (d->kind == JOINT_PULLEY && (d->fields & F(GROUND_B)) == 0) {
        return missing("ground_b", d->kind, err);
    }
    return STATUS_OK;
}

// ---- bodies and joints that are named

static status check_body(const physics_world *world, body_id id, const char *name, joint_kind kind,
                         error *err)
{
    if (id == 0) {
        return missing(name, kind, err);
    }
    uint32_t slot;
    status s = body_find(world, id, &slot, err);
    if (s != STATUS_OK) {
        error_prefix(err, "%s", name);
    }
    return s;
}

static status check_bodies(const physics_world *world, const joint_def *d, error *err)
{
    if (d->kind == JOINT_MOUSE) {
        return check_body(world, d->b != 0 ? d->b : d->a, "b", d->kind, err);
    }
    status s = check_body(world, d->a, "a", d->kind, err);
    if (s == STATUS_OK) {
        s = check_body(world, d->b, "b", d->kind, err);
    }
    if (s == STATUS_OK && d->a == d->b) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "b: a body is not joined to itself");
    }
    return s;
}

uint32_t gear_body(const physics_world *world, uint32_t on, body_id named)
{
    const joint *j = &world->joints.data[on];
    if (named != 0) {
        return body_slot(world, named);
    }
    return world->bodies.data[j->body_b].type == BODY_DYNAMIC ? j->body_b : j->body_a;
}

static status check_geared_joint(const physics_world *world, joint_id id, body_id named,
                                 const char *name, const char *body_name, error *err)
{
    uint32_t slot = joint_slot(world, id);
    if (slot == NONE) {
        return error_set(err, STATUS_NOT_FOUND, "%s: joint %" PRIu64 " does not exist", name, id);
    }
    const joint *j = &world->joints.data[slot];
    if (j->kind != JOINT_REVOLUTE && j->kind != JOINT_PRISMATIC) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s: a gear stands on revolute and prismatic joints, not on a %s joint",
                         name, KINDS[j->kind].name);
    }
    if (named == 0) {
        return STATUS_OK;
    }
    status s = check_body(world, named, body_name, JOINT_GEAR, err);
    if (s == STATUS_OK && named != body_id_of(world, j->body_a) &&
        named != body_id_of(world, j->body_b)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: not a body of %s", body_name, name);
    }
    return s;
}

static status check_gear(const physics_world *world, const joint_def *d, error *err)
{
    bool on_a = (d->fields & F(JOINT_A)) != 0 && d->joint_a != 0;
    bool on_b = (d->fields & F(JOINT_B)) != 0 && d->joint_b != 0;
    if (on_a != on_b) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s is missing: a gear stands on two joints or on none",
                         on_a ? "joint_b" : "joint_a");
    }
    if (!on_a) {
        return check_bodies(world, d, err);
    }
    status s = check_geared_joint(world, d->joint_a, d->a, "joint_a", "a", err);
    if (s == STATUS_OK) {
        s = check_geared_joint(world, d->joint_b, d->b, "joint_b", "b", err);
    }
    if (s == STATUS_OK && gear_body(world, joint_slot(world, d->joint_a), d->a) ==
                              gear_body(world, joint_slot(world, d->joint_b), d->b)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "joint_b: both joints move the same body; name a and b");
    }
    return s;
}

status joint_alone_check(const joint_def *def, error *err)
{
    status s = joint_fields_check(def->kind, def->fields, def, err);
    if (s == STATUS_OK) {
        s = check_needed(def, err);
    }
    return s == STATUS_OK ? joint_together_check(def, err) : s;
}

status joint_def_check(const physics_world *world, const joint_def *def, error *err)
{
    status s = joint_alone_check(def, err);
    if (s != STATUS_OK) {
        return s;
    }
    return def->kind == JOINT_GEAR ? check_gear(world, def, err) : check_bodies(world, def, err);
}
