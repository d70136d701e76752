// Many local worlds in one call: see carom/many.h. A call for a range of worlds touches nothing
// outside of that range, so that threads may share the object.
#include <carom/many.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/replica/local.h"
#include "client/replica/replica.h"
#include "common/physics/joint.h"

struct carom_many {
    carom_local *start;
    carom_local **worlds;
    size_t count;
    uint64_t *watched;
    size_t body_count;
    carom_drive *drives;
    size_t drive_count;
    carom_body *bodies; // count times body_count
};

// ---- making

static carom_status check_drive(const carom_local *start, const carom_drive *d, size_t index,
                                carom_error *err)
{
    body_info body;
    joint_info joint;
    struct error why;
    if ((unsigned)d->kind >= CAROM_DRIVE_KIND_COUNT) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "drives[%zu].kind: must be 0 to %d",
                             index, CAROM_DRIVE_KIND_COUNT - 1);
    }
    if (!isfinite(d->axis.x) || !isfinite(d->axis.y)) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "drives[%zu].axis: must be finite",
                             index);
    }
    if (!(d->least <= d->most) || !isfinite(d->least) || !isfinite(d->most)) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT,
                             "drives[%zu]: least must be at most `most`, both finite", index);
    }
    const status found = d->kind == CAROM_DRIVE_MOTOR
                             ? joint_get(start->physics, d->id, &joint, &why)
                             : body_get(start->physics, d->id, &body, &why);
    return found == STATUS_OK
               ? CAROM_OK
               : replica_fault(err, CAROM_NOT_FOUND, "drives[%zu].id: there is no %s %llu", index,
                               d->kind == CAROM_DRIVE_MOTOR ? "joint" : "body",
                               (unsigned long long)d->id);
}

static carom_status check_count(const char *name, size_t value, size_t least, size_t most,
                                carom_error *err)
{
    return value >= least && value <= most
               ? CAROM_OK
               : replica_fault(err, CAROM_INVALID_ARGUMENT, "%s: must be %zu to %zu", name, least,
                               most);
}

static carom_status check_bodies(const carom_local *start, const uint64_t *bodies, size_t count,
                                 carom_error *err)
{
    for (size_t i = 0; i < count; i++) {
        body_info info;
        struct error why;
        if (body_get(start->physics, bodies[i], &info, &why) != STATUS_OK) {
            return replica_fault(err, CAROM_NOT_FOUND, "bodies[%zu]: there is no body %llu", i,
                                 (unsigned long long)bodies[i]);
        }
    }
    return CAROM_OK;
}

static carom_status check_counts(size_t count, size_t body_count, size_t drive_count,
                                 carom_error *err)
{
    carom_status s = check_count("count", count, 1, CAROM_MANY_WORLDS_MAX, err);
    if (s == CAROM_OK) {
        s = check_count("body_count", body_count, 0, CAROM_MANY_BODIES_MAX, err);
    }
    if (s == CAROM_OK) {
        s = check_count("drive_count", drive_count, 0, CAROM_MANY_DRIVES_MAX, err);
    }
    return s == CAROM_OK
               ? check_count("count * body_count", count * body_count, 0, CAROM_MANY_ROWS_MAX, err)
               : s;
}

// A copy of an array, at least one byte; NULL when memory has run out.
static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    if (copy != NULL && bytes > 0) {
        memcpy(copy, from, bytes);
    }
    return copy;
}

static carom_status fill(carom_many *m, const carom_local *start, carom_error *err)
{
    m->worlds = calloc(m->count, sizeof *m->worlds);
    m->bodies = calloc(m->count * m->body_count + 1, sizeof *m->bodies);
    if (m->watched == NULL || m->drives == NULL || m->worlds == NULL || m->bodies == NULL) {
        return replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for %zu worlds", m->count);
    }
    carom_status s = carom_local_fork(start, &m->start, err);
    for (size_t i = 0; s == CAROM_OK && i < m->count; i++) {
        s = carom_local_fork(start, &m->worlds[i], err);
    }
    return s == CAROM_OK ? carom_many_refresh(m, 0, m->count, err) : s;
}

carom_status carom_many_create(const carom_local *start, size_t count, const uint64_t *bodies,
                               size_t body_count, const carom_drive *drives, size_t drive_count,
                               carom_many **out, carom_error *err)
{
    if (start == NULL || out == NULL || (bodies == NULL && body_count > 0) ||
        (drives == NULL && drive_count > 0)) {
        return replica_fault_null(err, start == NULL ? "start"
                                       : out == NULL ? "out"
                                                     : "bodies or drives");
    }
    carom_status s = check_counts(count, body_count, drive_count, err);
    if (s == CAROM_OK) {
        s = check_bodies(start, bodies, body_count, err);
    }
    for (size_t i = 0; s == CAROM_OK && i < drive_count; i++) {
        s = check_drive(start, &drives[i], i, err);
    }
    if (s != CAROM_OK) {
        return s;
    }
    carom_many *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for %zu worlds", count);
    }
    *m = (carom_many){.count = count, .body_count = body_count, .drive_count = drive_count};
    m->watched = copy_of(bodies, body_count * sizeof *bodies);
    m->drives = copy_of(drives, drive_count * sizeof *drives);
    s = fill(m, start, err);
    if (s != CAROM_OK) {
        carom_many_free(m);
        return s;
    }
    *out = m;
    return CAROM_OK;
}

void carom_many_free(carom_many *m)
{
    if (m == NULL) {
        return;
    }
    for (size_t i = 0; m->worlds != NULL && i < m->count; i++) {
        carom_local_free(m->worlds[i]);
    }
    carom_local_free(m->start);
    free(m->worlds);
    free(m->watched);
    free(m->drives);
    free(m->bodies);
    free(m);
}

// ---- reading

static carom_status check_range(const carom_many *m, size_t first, size_t count, carom_error *err)
{
    if (m == NULL) {
        return replica_fault_null(err, "many");
    }
    return first <= m->count && count <= m->count - first
               ? CAROM_OK
               : replica_fault(err, CAROM_INVALID_ARGUMENT,
                               "first, count: %zu worlds from %zu on; there are %zu", count, first,
                               m->count);
}

static void refresh(carom_many *m, size_t world)
{
    carom_body *out = &m->bodies[world * m->body_count];
    for (size_t i = 0; i < m->body_count; i++) {
        body_info b;
        struct error why;
        out[i] = (carom_body){0};
        if (body_get(m->worlds[world]->physics, m->watched[i], &b, &why) == STATUS_OK) {
            out[i] = (carom_body){.id = b.id,
                                  .x = b.position.x,
                                  .y = b.position.y,
                                  .angle = b.angle,
                                  .vx = b.velocity.x,
                                  .vy = b.velocity.y,
                                  .w = b.angular_velocity};
        }
    }
}

carom_status carom_many_refresh(carom_many *m, size_t first, size_t count, carom_error *err)
{
    carom_status s = check_range(m, first, count, err);
    for (size_t i = 0; s == CAROM_OK && i < count; i++) {
        refresh(m, first + i);
    }
    return s;
}

carom_body *carom_many_bodies(carom_many *m)
{
    return m != NULL ? m->bodies : NULL;
}

size_t carom_many_count(const carom_many *m)
{
    return m != NULL ? m->count : 0;
}

carom_local *carom_many_world(carom_many *m, size_t index)
{
    return m != NULL && index < m->count ? m->worlds[index] : NULL;
}

// ---- stepping

static carom_status check_actions(const carom_many *m, size_t first, size_t count,
                                  const double *actions, carom_error *err)
{
    for (size_t i = 0; actions != NULL && i < count * m->drive_count; i++) {
        if (!isfinite(actions[i])) {
            return replica_fault(err, CAROM_INVALID_ARGUMENT,
                                 "actions: the number of world %zu, drive %zu is not finite",
                                 first + i / m->drive_count, i % m->drive_count);
        }
    }
    return CAROM_OK;
}

// The force of all force drives of the body of `drive`.
static vec2d sum_of_forces(const carom_many *m, const double *action, size_t drive)
{
    vec2d sum = {0.0, 0.0};
    for (size_t i = 0; i < m->drive_count; i++) {
        const carom_drive *d = &m->drives[i];
        if (d->kind == CAROM_DRIVE_FORCE && d->id == m->drives[drive].id) {
            const double a = fmin(fmax(action[i], d->least), d->most);
            sum.x += a * d->axis.x;
            sum.y += a * d->axis.y;
        }
    }
    return sum;
}

// Carries one drive out. A drive whose body or joint is gone has no effect.
static void drive(const carom_many *m, physics_world *physics, const double *action, size_t index)
{
    const carom_drive *d = &m->drives[index];
    const double a = fmin(fmax(action[index], d->least), d->most);
    const vec2d along = {a * d->axis.x, a * d->axis.y};
    body_def values = body_def_default();
    joint_def motor = {.motor_speed = a};
    struct error why;
    switch (d->kind) {
    case CAROM_DRIVE_FORCE:
        body_set_force(physics, d->id, sum_of_forces(m, action, index), NULL, &why);
        break;
    case CAROM_DRIVE_TORQUE:
        body_set_torque(physics, d->id, a, &why);
        break;
    case CAROM_DRIVE_IMPULSE:
        body_apply_impulse(physics, d->id, along, NULL, &why);
        break;
    case CAROM_DRIVE_ANGULAR_IMPULSE:
        body_apply_angular_impulse(physics, d->id, a, &why);
        break;
    case CAROM_DRIVE_VELOCITY:
        values.velocity = along;
        body_set(physics, d->id, BODY_FIELD_VELOCITY, &values, &why);
        break;
    case CAROM_DRIVE_SPIN:
        values.angular_velocity = a;
        body_set(physics, d->id, BODY_FIELD_ANGULAR_VELOCITY, &values, &why);
        break;
    case CAROM_DRIVE_MOTOR:
        joint_set(physics, d->id, JOINT_FIELD_MOTOR_SPEED, &motor, &why);
        break;
    case CAROM_DRIVE_KIND_COUNT:
        break;
    }
}

carom_status carom_many_step(carom_many *m, size_t first, size_t count, const double *actions,
                             uint64_t ticks, carom_error *err)
{
    carom_status s = check_range(m, first, count, err);
    if (s == CAROM_OK && ticks > CAROM_LOCAL_TICKS_MAX) {
        s = replica_fault(err, CAROM_INVALID_ARGUMENT, "ticks: must be 0 to %u",
                          CAROM_LOCAL_TICKS_MAX);
    }
    if (s == CAROM_OK) {
        s = check_actions(m, first, count, actions, err);
    }
    for (size_t i = 0; s == CAROM_OK && i < count; i++) {
        carom_local *world = m->worlds[first + i];
        for (size_t k = 0; actions != NULL && k < m->drive_count; k++) {
            drive(m, world->physics, actions + i * m->drive_count, k);
        }
        local_step(world, ticks);
        refresh(m, first + i);
    }
    return s;
}

carom_status carom_many_reset(carom_many *m, size_t first, size_t count, const uint8_t *which,
                              carom_error *err)
{
    carom_status s = check_range(m, first, count, err);
    for (size_t i = 0; s == CAROM_OK && i < count; i++) {
        if (which == NULL || which[i] != 0) {
            s = carom_local_copy(m->worlds[first + i], m->start, err);
            refresh(m, first + i);
        }
    }
    return s;
}

static carom_status place(carom_many *m, size_t world, carom_error *err)
{
    enum {
        FIELDS = BODY_FIELD_POSITION | BODY_FIELD_ANGLE | BODY_FIELD_VELOCITY |
                 BODY_FIELD_ANGULAR_VELOCITY
    };
    for (size_t i = 0; i < m->body_count; i++) {
        const carom_body *b = &m->bodies[world * m->body_count + i];
        body_def values = body_def_default();
        struct error why;
        values.position = (vec2d){b->x, b->y};
        values.angle = b->angle;
        values.velocity = (vec2d){b->vx, b->vy};
        values.angular_velocity = b->w;
        if (b->id != 0 &&
            body_set(m->worlds[world]->physics, b->id, FIELDS, &values, &why) != STATUS_OK) {
            return replica_fault(err, carom_status_from_name(status_code(why.status)),
                                 "world %zu, body %llu: %s", world, (unsigned long long)b->id,
                                 why.text);
        }
    }
    return CAROM_OK;
}

carom_status carom_many_place(carom_many *m, size_t first, size_t count, const uint8_t *which,
                              carom_error *err)
{
    carom_status s = check_range(m, first, count, err);
    for (size_t i = 0; s == CAROM_OK && i < count; i++) {
        if (which == NULL || which[i] != 0) {
            s = place(m, first + i, err);
            refresh(m, first + i);
        }
    }
    return s;
}
