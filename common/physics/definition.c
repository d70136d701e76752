// Definitions: their defaults, and the check that each must pass before it enters a world. Every
// mistake of a caller gets a text that names the field here; later code relies on the check. Any
// thread.
#include "common/base/assert.h"
#include "common/physics/definition.h"
#include "common/physics/state/world.h"

#include <string.h>

world_def world_def_default(void)
{
    return (world_def){
        .gravity = {0.0, -9.81},
        .hz = 60.0,
        .substeps = 4,
        .sleep = true,
        .continuous = true,
        .bodies_max = PHYSICS_BODIES_MAX,
        .restitution_threshold = 0.5,
        .hit_threshold = 1.0,
        .sleep_speed = 0.05,
    };
}

body_def body_def_default(void)
{
    return (body_def){
        .type = BODY_DYNAMIC,
        .gravity_scale = 1.0,
        .allow_sleep = true,
        .awake = true,
        .enabled = true,
    };
}

shape_def shape_def_default(void)
{
    return (shape_def){
        .form = FORM_CONVEX,
        .density = 1.0,
        .friction = 0.6,
        .filter = {.category = 1, .mask = UINT64_MAX},
        .events = SHAPE_EVENT_CONTACT | SHAPE_EVENT_SENSOR,
    };
}

status number_check(double value, double lower, double upper, const char *name, error *err)
{
    if (!(value >= lower && value <= upper)) { // also true for NaN
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s must be from %g to %g, got %g", name,
                         lower, upper, value);
    }
    return STATUS_OK;
}

status vector_check(vec2d value, double limit, const char *name, error *err)
{
    if (!(value.x >= -limit && value.x <= limit && value.y >= -limit && value.y <= limit)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s must be within %g in each coordinate, got [%g, %g]", name, limit,
                         value.x, value.y);
    }
    return STATUS_OK;
}

status world_def_check(const world_def *def, error *err)
{
    status s = vector_check(def->gravity, PHYSICS_GRAVITY_MAX, "gravity", err);
    if (s == STATUS_OK) {
        s = number_check(def->hz, PHYSICS_HZ_MIN, PHYSICS_HZ_MAX, "hz", err);
    }
    if (s == STATUS_OK) {
        s = number_check(def->substeps, 1, PHYSICS_SUBSTEPS_MAX, "substeps", err);
    }
    if (s == STATUS_OK) {
        s = number_check(def->bodies_max, 1, PHYSICS_BODIES_MAX, "max_bodies", err);
    }
    if (s == STATUS_OK) {
        s = number_check(def->restitution_threshold, 0, PHYSICS_SPEED_MAX, "restitution_threshold",
                         err);
    }
    if (s == STATUS_OK) {
        s = number_check(def->hit_threshold, 0, PHYSICS_SPEED_MAX, "hit_threshold", err);
    }
    if (s == STATUS_OK) {
        s = number_check(def->sleep_speed, 0, PHYSICS_SPEED_MAX, "sleep_speed", err);
    }
    return s;
}

static status tag_check(const char *tag, error *err)
{
    if (tag != NULL && strnlen(tag, PHYSICS_TAG_BYTES_MAX + 1) > PHYSICS_TAG_BYTES_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "tag is longer than %d bytes",
                         PHYSICS_TAG_BYTES_MAX);
    }
    return STATUS_OK;
}

static status type_check(body_type type, error *err)
{
    if ((unsigned)type >= BODY_TYPE_COUNT) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "type must be static, kinematic or dynamic, got %d", (int)type);
    }
    return STATUS_OK;
}

static const double DAMPING_MAX = 1.0e6;
static const double GRAVITY_SCALE_MAX = 1.0e6;
static const double ANGLE_MAX = 1.0e9; // a double still resolves 1e-7 rad at this angle

status body_fields_check(uint32_t fields, const body_def *d, error *err)
{
    const struct {
        uint32_t field;
        double value, lower, upper;
        const char *name;
    } numbers[] = {
        {BODY_FIELD_ANGLE, d->angle, -ANGLE_MAX, ANGLE_MAX, "angle"},
        {BODY_FIELD_ANGULAR_VELOCITY, d->angular_velocity, -PHYSICS_SPIN_MAX, PHYSICS_SPIN_MAX,
         "angular_velocity"},
        {BODY_FIELD_LINEAR_DAMPING, d->linear_damping, 0, DAMPING_MAX, "linear_damping"},
        {BODY_FIELD_ANGULAR_DAMPING, d->angular_damping, 0, DAMPING_MAX, "angular_damping"},
        {BODY_FIELD_GRAVITY_SCALE, d->gravity_scale, -GRAVITY_SCALE_MAX, GRAVITY_SCALE_MAX,
         "gravity_scale"},
        {BODY_FIELD_MASS, d->mass, 0, PHYSICS_MASS_MAX, "mass"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if ((fields & numbers[i].field) != 0) {
            status s = number_check(numbers[i].value, numbers[i].lower, numbers[i].upper,
                                    numbers[i].name, err);
            if (s != STATUS_OK) {
                return s;
            }
        }
    }
    status s = STATUS_OK;
    if ((fields & BODY_FIELD_MASS) != 0 && d->mass != 0.0 && d->mass < PHYSICS_MASS_MIN) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "mass must be 0 or at least %g, got %g",
                      PHYSICS_MASS_MIN, d->mass);
    }
    if (s == STATUS_OK && (fields & BODY_FIELD_POSITION) != 0) {
        s = vector_check(d->position, PHYSICS_EXTENT_MAX, "position", err);
    }
    if (s == STATUS_OK && (fields & BODY_FIELD_VELOCITY) != 0) {
        s = vector_check(d->velocity, PHYSICS_SPEED_MAX, "velocity", err);
    }
    if (s == STATUS_OK && (fields & BODY_FIELD_TYPE) != 0) {
        s = type_check(d->type, err);
    }
    if (s == STATUS_OK && (fields & BODY_FIELD_TAG) != 0) {
        s = tag_check(d->tag, err);
    }
    return s;
}

status body_def_check(const body_def *def, error *err)
{
    return body_fields_check(UINT32_MAX, def, err);
}

static const double DENSITY_MAX = 1.0e9;
static const double FRICTION_MAX = 1.0e3;

static status chain_check(const shape_def *def, error *err)
{
    int least = def->loop ? 3 : 2;
    if (def->point_count < least || def->point_count > PHYSICS_CHAIN_POINTS_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "vertices: a %s has %d to %d points, got %d",
                         def->loop ? "loop" : "chain", least, PHYSICS_CHAIN_POINTS_MAX,
                         def->point_count);
    }
    int pieces = def->loop ? def->point_count : def->point_count - 1;
    for (int i = 0; i < pieces; i++) {
        int j = (i + 1) % def->point_count;
        shape_geometry piece = {.kind = SHAPE_SEGMENT, .segment = {def->points[i], def->points[j]}};
        status s = shape_validate(&piece, err);
        if (s != STATUS_OK) {
            error_prefix(err, "vertices[%d] to [%d]", i, j);
            return s;
        }
    }
    return STATUS_OK;
}

static status one_way_check(const shape_def *def, error *err)
{
    const vec2 d = def->one_way;
    if (d.x == 0.0f && d.y == 0.0f) {
        return STATUS_OK;
    }
    const float most = (float)PHYSICS_ONE_WAY_MAX;
    if (!(d.x >= -most && d.x <= most && d.y >= -most && d.y <= most &&
          vec2_length(d) >= (float)PHYSICS_ONE_WAY_LEAST)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "one_way: must be [0, 0] or a direction at least %g long, each of its "
                         "numbers from %g to %g, got [%g, %g]",
                         PHYSICS_ONE_WAY_LEAST, -PHYSICS_ONE_WAY_MAX, PHYSICS_ONE_WAY_MAX,
                         (double)d.x, (double)d.y);
    }
    return def->form == FORM_CHAIN
               ? error_set(err, STATUS_INVALID_ARGUMENT,
                           "one_way: a chain is one-sided already; use segments or boxes")
               : STATUS_OK;
}

status shape_def_check(const shape_def *def, error *err)
{
    const struct {
        double value, lower, upper;
        const char *name;
    } numbers[] = {
        {def->density, 0, DENSITY_MAX, "density"},
        {def->friction, 0, FRICTION_MAX, "friction"},
        {def->restitution, 0, 1, "restitution"},
        {def->rolling_resistance, 0, 1, "rolling_resistance"},
        {def->tangent_speed, -PHYSICS_SPEED_MAX, PHYSICS_SPEED_MAX, "tangent_speed"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        status s = number_check(numbers[i].value, numbers[i].lower, numbers[i].upper,
                                numbers[i].name, err);
        if (s != STATUS_OK) {
            return s;
        }
    }
    const uint32_t known = SHAPE_EVENT_CONTACT | SHAPE_EVENT_HIT | SHAPE_EVENT_SENSOR;
    if ((def->events & ~known) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "events: unknown bits 0x%x",
                         def->events & ~known);
    }
    status s = one_way_check(def, err);
    if (s != STATUS_OK) {
        return s;
    }
    if (def->form == FORM_CHAIN) {
        return def->sensor ? error_set(err, STATUS_INVALID_ARGUMENT,
                                       "sensor: a chain has no inside and cannot be a sensor")
                           : chain_check(def, err);
    }
    if (def->form != FORM_CONVEX || def->geometry.kind == SHAPE_CHAIN_SEGMENT) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "form must be convex or chain");
    }
    return shape_validate(&def->geometry, err);
}

uint32_t shape_def_pieces(const shape_def *def)
{
    if (def->form != FORM_CHAIN) {
        return 0;
    }
    return (uint32_t)(def->loop ? def->point_count : def->point_count - 1);
}
