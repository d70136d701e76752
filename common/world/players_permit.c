// Whether the bounds of a world allow a player's command; see players.h. Each command is checked
// against the world as the earlier ones of its batch leave it (players_plan.c). The world's thread.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/players_internal.h"

enum { ALLOWED_BYTES = 112 }; // bytes for the methods that an error text names

// ---- refusals

bool players_bounded(const players_plan *p, uint32_t fields)
{
    return (p->bounds->fields & fields) != 0;
}

bool players_over(double value, double bound)
{
    static const double ROUNDING = 1e-6; // the engine has most values in single precision
    return !(fabs(value) <= bound * (1.0 + ROUNDING));
}

status players_refuse(const players_plan *p, const char *place, double value, double bound,
                      const char *unit, const char *name)
{
    return error_set(p->err, STATUS_PERMISSION_DENIED,
                     "%s: %.6g %s is over what a player may do here: at most %.6g (players.%s)",
                     place, value, unit, bound, name);
}

// ---- a body's properties

static status check_type(const players_plan *p, const plan_body *b)
{
    static const char *const TYPES[] = {"static", "kinematic", "dynamic"};
    ASSERT((unsigned)b->type < BODY_TYPE_COUNT);
    if (!players_bounded(p, PLAYERS_TYPES) || (p->bounds->types >> b->type & 1) != 0) {
        return STATUS_OK;
    }
    return error_set(p->err, STATUS_PERMISSION_DENIED,
                     "type: a player may not make a body %s here (players.types)", TYPES[b->type]);
}

// A mass that was set counts for every type, since the type may change.
static status check_mass(const players_plan *p, const plan_body *b, const char *place)
{
    const double mass = b->type == BODY_DYNAMIC ? plan_matter_of(b).mass : b->own_mass;
    return players_bounded(p, PLAYERS_MASS) && players_over(mass, p->bounds->mass)
               ? players_refuse(p, place, mass, p->bounds->mass, "kg", "mass")
               : STATUS_OK;
}

static status check_size(const players_plan *p, const plan_body *b, const char *place)
{
    aabb box;
    if (!players_bounded(p, PLAYERS_SIZE) || !plan_box_of(b, &box)) {
        return STATUS_OK;
    }
    const double size =
        fmax((double)box.upper.x - (double)box.lower.x, (double)box.upper.y - (double)box.lower.y);
    return players_over(size, p->bounds->size)
               ? players_refuse(p, place, size, p->bounds->size, "m", "size")
               : STATUS_OK;
}

static bool is_within(const area *a, vec2d at, const aabb *box)
{
    const double slack = 1e-6 * (1.0 + fabs(at.x) + fabs(at.y));
    return at.x + (double)box->lower.x >= a->x0 - slack &&
           at.y + (double)box->lower.y >= a->y0 - slack &&
           at.x + (double)box->upper.x <= a->x1 + slack &&
           at.y + (double)box->upper.y <= a->y1 + slack;
}

static status check_place(const players_plan *p, vec2d at, const aabb *box, const char *place)
{
    const area *a = &p->bounds->area;
    return is_within(a, at, box)
               ? STATUS_OK
               : error_set(p->err, STATUS_PERMISSION_DENIED,
                           "%s: a body at [%.6g, %.6g] with its shapes is not within [%.6g, %.6g, "
                           "%.6g, %.6g], where a player may put it (players.area)",
                           place, at.x, at.y, a->x0, a->y0, a->x1, a->y1);
}

static status check_area(const players_plan *p, const plan_body *b, const char *place)
{
    const rot q = rot_from_angle(b->angle);
    aabb box = {{0.0f, 0.0f}, {0.0f, 0.0f}}; // the origin counts too
    for (uint32_t i = 0; players_bounded(p, PLAYERS_AREA) && i < b->shapes.count; i++) {
        box = aabb_union(box, plan_shape_box(&b->shapes.data[i].def, q));
    }
    return players_bounded(p, PLAYERS_AREA) ? check_place(p, b->position, &box, place) : STATUS_OK;
}

// Half of the diagonal of its box: the distance of a corner from the middle.
static double reach_of(const plan_body *b)
{
    aabb box;
    return plan_box_of(b, &box) ? 0.5 * hypot((double)box.upper.x - (double)box.lower.x,
                                              (double)box.upper.y - (double)box.lower.y)
                                : 0.0;
}

static status check_velocity(const players_plan *p, const plan_body *b)
{
    const double speed = hypot(b->velocity.x, b->velocity.y);
    return players_bounded(p, PLAYERS_SPEED) && players_over(speed, p->bounds->speed)
               ? players_refuse(p, "velocity", speed, p->bounds->speed, "m/s", "speed")
               : STATUS_OK;
}

static status check_spin(const players_plan *p, const plan_body *b)
{
    const double speed = players_bounded(p, PLAYERS_SPEED) ? fabs(b->spin) * reach_of(b) : 0.0;
    return players_bounded(p, PLAYERS_SPEED) && players_over(speed, p->bounds->speed)
               ? players_refuse(p, "angular_velocity", speed, p->bounds->speed,
                                "m/s of the box's corners", "speed")
               : STATUS_OK;
}

static status check_gravity_scale(const players_plan *p, const plan_body *b)
{
    if (!players_bounded(p, PLAYERS_FORCE) || b->gravity_scale == 1.0) {
        return STATUS_OK;
    }
    const vec2d g = world_definition(p->world).gravity;
    const double force = fabs(b->gravity_scale - 1.0) * plan_matter_of(b).mass * hypot(g.x, g.y);
    return players_over(force, p->bounds->force)
               ? players_refuse(p, "gravity_scale", force, p->bounds->force,
                                "N beside the world's gravity", "force")
               : STATUS_OK;
}

static status check_surface(const players_plan *p, const shape_def *def, const char *place)
{
    return players_bounded(p, PLAYERS_SPEED) && players_over(def->tangent_speed, p->bounds->speed)
               ? players_refuse(p, place, fabs(def->tangent_speed), p->bounds->speed, "m/s",
                                "speed")
               : STATUS_OK;
}

// ---- numbers of bodies

static status check_bodies(const players_plan *p, const char *owner, int64_t count)
{
    if (!players_bounded(p, PLAYERS_BODIES) || count <= (int64_t)p->bounds->bodies) {
        return STATUS_OK;
    }
    return error_set(p->err, STATUS_PERMISSION_DENIED,
                     "bodies: '%s' would have %" PRId64 ", a player may have at most %" PRIu32
                     " here (players.bodies)",
                     owner, count, p->bounds->bodies);
}

static status check_own_bodies(const players_plan *p)
{
    return check_bodies(p, p->who->subject,
                        (int64_t)owners_bodies(p->owners, p->who->subject) + p->more_bodies);
}

// Whether the new owner of a body has room for it; hand-overs of the same batch count.
static status check_new_owner(const players_plan *p, const char *owner)
{
    int64_t count = 1 + (int64_t)owners_bodies(p->owners, owner);
    for (uint32_t i = 0; p->batch != NULL && i < p->at; i++) {
        const command *c = &p->batch->commands[i];
        count += c->method == METHOD_BODY_SET && c->body_set.owner != NULL &&
                 strcmp(c->body_set.owner, owner) == 0;
    }
    return check_bodies(p, owner, count);
}

// ---- bodies

static status permit_spawn(players_plan *p, const command *c)
{
    const body_spawn_args *spawn = &c->spawn;
    status s = STATUS_OK;
    for (uint32_t i = 0; i < spawn->shape_count && s == STATUS_OK; i++) {
        char place[48];
        snprintf(place, sizeof place, "shapes[%" PRIu32 "].tangent_speed", i);
        s = check_surface(p, &spawn->shapes[i], place);
    }
    p->more_bodies++;
    const plan_body *b = plan_body_add(p, &spawn->def, spawn->shapes, spawn->shape_count);
    s = s == STATUS_OK ? check_own_bodies(p) : s;
    s = s == STATUS_OK ? check_type(p, b) : s;
    s = s == STATUS_OK ? check_mass(p, b, b->own_mass > 0.0 ? "mass" : "shapes") : s;
    s = s == STATUS_OK ? check_size(p, b, "shapes") : s;
    s = s == STATUS_OK ? check_area(p, b, "position") : s;
    s = s == STATUS_OK ? check_velocity(p, b) : s;
    s = s == STATUS_OK ? check_spin(p, b) : s;
    return s == STATUS_OK ? check_gravity_scale(p, b) : s;
}

static status permit_remove(players_plan *p, const command *c)
{
    plan_body *b = plan_body_of(p, c->body);
    if (b != NULL) {
        b->removed = true;
        p->more_bodies--;
    }
    return STATUS_OK;
}

static void set_values(plan_body *b, uint32_t fields, const body_def *v)
{
#define SET(bit, field, value) b->field = (fields & (bit)) != 0 ? v->value : b->field
    SET(BODY_FIELD_POSITION, position, position);
    SET(BODY_FIELD_ANGLE, angle, angle);
    SET(BODY_FIELD_VELOCITY, velocity, velocity);
    SET(BODY_FIELD_ANGULAR_VELOCITY, spin, angular_velocity);
    SET(BODY_FIELD_TYPE, type, type);
    SET(BODY_FIELD_GRAVITY_SCALE, gravity_scale, gravity_scale);
    SET(BODY_FIELD_MASS, own_mass, mass);
    SET(BODY_FIELD_FIXED_ROTATION, fixed_rotation, fixed_rotation);
#undef SET
}

static status permit_body_set(players_plan *p, const command *c)
{
    const body_set_args *set = &c->body_set;
    const uint32_t fields = set->fields;
    plan_body *b = plan_body_with_shapes(p, set->body);
    if (b == NULL) {
        return STATUS_OK;
    }
    set_values(b, fields, &set->values);
    status s = STATUS_OK;
    if (set->owner != NULL && strcmp(set->owner, p->who->subject) != 0) {
        s = check_new_owner(p, set->owner);
        p->more_bodies--;
    }
    if (s == STATUS_OK && (fields & BODY_FIELD_TYPE) != 0) {
        s = check_type(p, b);
    }
    if (s == STATUS_OK && (fields & (BODY_FIELD_MASS | BODY_FIELD_TYPE)) != 0) {
        s = check_mass(p, b, (fields & BODY_FIELD_MASS) != 0 ? "mass" : "type");
    }
    if (s == STATUS_OK && (fields & (BODY_FIELD_POSITION | BODY_FIELD_ANGLE)) != 0) {
        s = check_area(p, b, (fields & BODY_FIELD_POSITION) != 0 ? "position" : "angle");
    }
    if (s == STATUS_OK && (fields & BODY_FIELD_VELOCITY) != 0) {
        s = check_velocity(p, b);
    }
    if (s == STATUS_OK && (fields & BODY_FIELD_ANGULAR_VELOCITY) != 0) {
        s = check_spin(p, b);
    }
    return s == STATUS_OK &&
                   (fields & (BODY_FIELD_GRAVITY_SCALE | BODY_FIELD_MASS | BODY_FIELD_TYPE)) != 0
               ? check_gravity_scale(p, b)
               : s;
}

// ---- pushes

// The sums that the sender has given to the body in this tick, with the earlier commands of its
// batch.
static player_push *sum_of(players_plan *p, plan_body *b, double *linear, double *angular)
{
    if (b->push == 0) {
        const player_push none = {.body = b->id, .subject = p->subject};
        array_push(&p->pushes->pending, none);
        b->push = p->pushes->pending.count;
    }
    player_push *found = &p->pushes->pending.data[b->push - 1];
    const player_push before = player_pushes_find(p->pushes, b->id, p->subject);
    *linear = before.linear + found->linear;
    *angular = before.angular + found->angular;
    return found;
}

static status add_push(players_plan *p, plan_body *b, double linear, double angular)
{
    double line = 0.0;
    double turn = 0.0;
    if (!players_bounded(p, PLAYERS_IMPULSE)) {
        return STATUS_OK;
    }
    if (p->pushes->sums.count + p->pushes->pending.count >= PLAYER_PUSHES_MAX) {
        return error_set(p->err, STATUS_LIMIT_EXCEEDED,
                         "impulse: players have pushed %d bodies in this tick, as many as may be",
                         PLAYER_PUSHES_MAX);
    }
    player_push *sum = sum_of(p, b, &line, &turn);
    const double most = p->bounds->impulse;
    if (linear > 0.0 && players_over(line + linear, most)) {
        return players_refuse(p, "impulse", line + linear, most, "N s in a tick", "impulse");
    }
    if (angular > 0.0 && players_over(turn + angular, most)) {
        return players_refuse(p, "impulse", turn + angular, most,
                              "N m s about the centre of mass in a tick", "impulse");
    }
    sum->linear += linear;
    sum->angular += angular;
    return STATUS_OK;
}

// The speeds after an impulse; those that it lowers pass.
static status add_speed(players_plan *p, plan_body *b, vec2d impulse, double angular)
{
    const plan_matter m = plan_matter_of(b);
    const double before = hypot(b->velocity.x, b->velocity.y);
    const double spin_before = b->spin;
    const double most = p->bounds->speed;
    if (!players_bounded(p, PLAYERS_SPEED) || b->type != BODY_DYNAMIC) {
        return STATUS_OK;
    }
    b->velocity.x += impulse.x / m.mass;
    b->velocity.y += impulse.y / m.mass;
    b->spin += b->fixed_rotation || !(m.inertia > 0.0) ? 0.0 : angular / m.inertia;
    const double after = hypot(b->velocity.x, b->velocity.y);
    const double corner = fabs(b->spin) * reach_of(b);
    if (after > before && players_over(after, most)) {
        return players_refuse(p, "impulse", after, most, "m/s afterwards", "speed");
    }
    if (fabs(b->spin) > fabs(spin_before) && players_over(corner, most)) {
        return players_refuse(p, "impulse", corner, most, "m/s of the box's corners afterwards",
                              "speed");
    }
    return STATUS_OK;
}

static plan_body *pushed_body(players_plan *p, body_id id)
{
    return players_bounded(p, PLAYERS_SPEED) ? plan_body_with_shapes(p, id) : plan_body_of(p, id);
}

static status permit_impulse(players_plan *p, const command *c)
{
    const body_push_args *push = &c->push;
    plan_body *b = pushed_body(p, push->body);
    if (b == NULL) {
        return STATUS_OK;
    }
    const vec2d center = plan_matter_of(b).center;
    const double turn = push->has_point ? (push->point.x - center.x) * push->vector.y -
                                              (push->point.y - center.y) * push->vector.x
                                        : 0.0;
    status s = add_push(p, b, hypot(push->vector.x, push->vector.y), fabs(turn));
    return s == STATUS_OK ? add_speed(p, b, push->vector, turn) : s;
}

static status permit_angular_impulse(players_plan *p, const command *c)
{
    plan_body *b = pushed_body(p, c->turn.body);
    if (b == NULL) {
        return STATUS_OK;
    }
    status s = add_push(p, b, 0.0, fabs(c->turn.value));
    return s == STATUS_OK ? add_speed(p, b, (vec2d){0.0, 0.0}, c->turn.value) : s;
}

static status permit_force(players_plan *p, const command *c)
{
    const body_push_args *push = &c->push;
    const double force = hypot(push->vector.x, push->vector.y);
    if (players_bounded(p, PLAYERS_FORCE) && players_over(force, p->bounds->force)) {
        return players_refuse(p, "force", force, p->bounds->force, "N", "force");
    }
    const plan_body *b =
        players_bounded(p, PLAYERS_TORQUE) && push->has_point ? plan_body_of(p, push->body) : NULL;
    if (b == NULL) {
        return STATUS_OK;
    }
    // the point moves with the body: its arm keeps its length, and not its direction
    const vec2d center = plan_matter_of(b).center;
    const double torque = force * hypot(push->point.x - center.x, push->point.y - center.y);
    return players_over(torque, p->bounds->torque)
               ? players_refuse(p, "point", torque, p->bounds->torque,
                                "N m about the centre of mass", "torque")
               : STATUS_OK;
}

static status permit_torque(players_plan *p, const command *c)
{
    return players_bounded(p, PLAYERS_TORQUE) && players_over(c->turn.value, p->bounds->torque)
               ? players_refuse(p, "torque", fabs(c->turn.value), p->bounds->torque, "N m",
                                "torque")
               : STATUS_OK;
}

// ---- shapes

// A change of shapes moves the centre of mass, whose velocity then is that of another point of a
// turning body, and its corners.
static status check_turning(const players_plan *p, plan_body *b, vec2d center_before,
                            const char *place)
{
    if (!players_bounded(p, PLAYERS_SPEED) || b->spin == 0.0) {
        return STATUS_OK;
    }
    const vec2d center = plan_matter_of(b).center;
    const double before = hypot(b->velocity.x, b->velocity.y);
    if (b->type == BODY_DYNAMIC) {
        b->velocity.x -= b->spin * (center.y - center_before.y);
        b->velocity.y += b->spin * (center.x - center_before.x);
    }
    const double after = hypot(b->velocity.x, b->velocity.y);
    const double corner = fabs(b->spin) * reach_of(b);
    return after > before && players_over(after, p->bounds->speed)
               ? players_refuse(p, place, after, p->bounds->speed, "m/s of the centre afterwards",
                                "speed")
           : players_over(corner, p->bounds->speed)
               ? players_refuse(p, place, corner, p->bounds->speed,
                                "m/s of the box's corners afterwards", "speed")
               : STATUS_OK;
}

static status permit_shape_add(players_plan *p, const command *c)
{
    const shape_def *def = &c->shape_add.def;
    plan_body *b = plan_body_with_shapes(p, c->shape_add.body);
    if (b == NULL) {
        return STATUS_OK;
    }
    const vec2d center = plan_matter_of(b).center;
    const plan_shape kept = {COMMAND_REFERENCE | p->at, *def};
    array_push(&b->shapes, kept);
    status s = check_surface(p, def, "tangent_speed");
    s = s == STATUS_OK ? check_mass(p, b, "density") : s;
    s = s == STATUS_OK ? check_size(p, b, "shape") : s;
    if (s == STATUS_OK && players_bounded(p, PLAYERS_AREA)) {
        const aabb box = plan_shape_box(def, rot_from_angle(b->angle));
        s = check_place(p, b->position, &box, "shape");
    }
    return s == STATUS_OK ? check_turning(p, b, center, "shape") : s;
}

static status permit_shape_set(players_plan *p, const command *c)
{
    const shape_set_args *set = &c->shape_set;
    plan_body *b = NULL;
    plan_shape *shape = plan_shape_of(p, set->shape, &b);
    if (shape == NULL) {
        return STATUS_OK;
    }
    const vec2d center = plan_matter_of(b).center;
    if ((set->fields & SHAPE_FIELD_DENSITY) != 0) {
        shape->def.density = set->values.density;
    }
    if ((set->fields & SHAPE_FIELD_SENSOR) != 0) {
        shape->def.sensor = set->values.sensor;
    }
    const bool weighs = (set->fields & (SHAPE_FIELD_DENSITY | SHAPE_FIELD_SENSOR)) != 0;
    status s = (set->fields & SHAPE_FIELD_TANGENT_SPEED) != 0
                   ? check_surface(p, &set->values, "tangent_speed")
                   : STATUS_OK;
    s = s == STATUS_OK && weighs ? check_mass(p, b, "density") : s;
    return s == STATUS_OK && weighs ? check_turning(p, b, center, "density") : s;
}

// A body that loses its last shape with density gets its mass by other rules (body_def.mass).
static status permit_shape_remove(players_plan *p, const command *c)
{
    plan_body *b = NULL;
    plan_shape *shape = plan_shape_of(p, c->shape, &b);
    if (shape == NULL) {
        return STATUS_OK;
    }
    const vec2d center = plan_matter_of(b).center;
    array_swap_remove(&b->shapes, shape - b->shapes.data);
    status s = check_mass(p, b, "shape");
    return s == STATUS_OK ? check_turning(p, b, center, "shape") : s;
}

// ---- commands

// Names the commands that are allowed, as many as leave room for the place of a batch's command.
static status refuse_method(players_plan *p, method refused)
{
    char allowed[ALLOWED_BYTES] = "";
    size_t size = 0;
    bool all = true;
    for (int m = 0; m < METHOD_COUNT; m++) {
        const char *name = method_wire_name((method)m);
        if (!players_names((method)m) || !players_allow(p->bounds, (method)m)) {
            continue;
        }
        if (size + strlen(name) + 3 > sizeof allowed) {
            all = false;
            continue;
        }
        size += (size_t)snprintf(allowed + size, sizeof allowed - size, "%s%s",
                                 size > 0 ? ", " : ": ", name);
    }
    return error_set(
        p->err, STATUS_PERMISSION_DENIED,
        "%s is not among the methods that a player may call here (players.methods)%s%s",
        method_wire_name(refused), allowed, all ? "" : " and others");
}

static status check_one(players_plan *p, const command *c)
{
    ASSERT((unsigned)c->method < METHOD_COUNT);
    if (!players_allow(p->bounds, c->method)) {
        return refuse_method(p, c->method);
    }
    switch (c->method) {
    case METHOD_BODY_SPAWN:
        return permit_spawn(p, c);
    case METHOD_BODY_REMOVE:
        return permit_remove(p, c);
    case METHOD_BODY_SET:
        return permit_body_set(p, c);
    case METHOD_BODY_IMPULSE:
        return permit_impulse(p, c);
    case METHOD_BODY_ANGULAR_IMPULSE:
        return permit_angular_impulse(p, c);
    case METHOD_BODY_FORCE:
        return permit_force(p, c);
    case METHOD_BODY_TORQUE:
        return permit_torque(p, c);
    case METHOD_SHAPE_ADD:
        return permit_shape_add(p, c);
    case METHOD_SHAPE_SET:
        return permit_shape_set(p, c);
    case METHOD_SHAPE_REMOVE:
        return permit_shape_remove(p, c);
    case METHOD_JOINT_CREATE:
        return players_joint_create(p, c);
    case METHOD_JOINT_SET:
        return players_joint_set(p, c);
    default:
        return STATUS_OK; // reads, data, and commands that only remove
    }
}

static status check_batch(players_plan *p, const apply_args *batch)
{
    p->batch = batch;
    for (p->at = 0; p->at < batch->count; p->at++) {
        const command *c = &batch->commands[p->at];
        status s = check_one(p, c);
        if (s != STATUS_OK) {
            error_prefix(p->err, "commands[%" PRIu32 "] (%s)", p->at, method_wire_name(c->method));
            return s;
        }
    }
    return STATUS_OK;
}

status players_permit(const players_bounds *bounds, player_pushes *pushes, const owners *o,
                      const physics_world *world, const actor *who, const command *c, error *err)
{
    array_clear(&pushes->pending);
    if (bounds->fields == 0 || who->role != ROLE_PLAYER) {
        return STATUS_OK;
    }
    players_plan p = {.bounds = bounds,
                      .pushes = pushes,
                      .owners = o,
                      .world = world,
                      .who = who,
                      .subject = player_pushes_subject(who->subject),
                      .err = err};
    status s = check_one(&p, c);
    if (s == STATUS_OK && c->method == METHOD_WORLD_APPLY) {
        s = check_batch(&p, &c->apply);
    }
    if (s != STATUS_OK) {
        array_clear(&pushes->pending);
    }
    players_plan_deinit(&p);
    return s;
}
