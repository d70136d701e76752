#include "proto/apply/apply.h"

#include <inttypes.h>

#include "proto/apply/apply_internal.h"

// One call of apply_command, or one batch.
typedef struct application {
    physics_world *world;
    command_memory **memory;
    const command_result *made; // results of the batch's earlier commands; NULL outside a batch
    error *err;
} application;

bool apply_supports(method m)
{
    method_scope scope = METHODS[m].scope;
    return METHODS[m].available && (scope == SCOPE_WORLD_COMMAND || scope == SCOPE_WORLD_READ);
}

void command_result_free(command_result *r)
{
    command_memory_free(r->memory);
    *r = (command_result){0};
}

// An id as the engine knows it: a reference becomes what that command made.
static uint64_t id_of(const application *a, uint64_t id)
{
    if (!command_id_is_reference(id) || a->made == NULL) {
        return id;
    }
    const command_result *maker = &a->made[command_id_index(id)];
    return maker->method == METHOD_SHAPE_ADD      ? maker->shape
           : maker->method == METHOD_JOINT_CREATE ? maker->joint
                                                  : maker->spawn.body;
}

// ---- the commands

static status apply_spawn(const application *a, const body_spawn_args *spawn, spawn_result *out)
{
    spawn_result made = {.shape_count = spawn->shape_count};
    made.shapes = command_memory_take(a->memory, spawn->shape_count, sizeof *made.shapes);
    status s = body_spawn(a->world, &spawn->def, spawn->shapes, (int)spawn->shape_count, &made.body,
                          made.shapes, a->err);
    *out = made;
    return s;
}

static status apply_world_set(const application *a, const world_set_args *set)
{
    status s = STATUS_OK;
    if ((set->fields & WORLD_FIELD_GRAVITY) != 0) {
        s = world_set_gravity(a->world, set->gravity, a->err);
    }
    if (s == STATUS_OK && (set->fields & WORLD_FIELD_SLEEP) != 0) {
        s = world_set_sleep(a->world, set->sleep, a->err); // does not depend on its value
    }
    return s;
}

static status apply_push(const application *a, method m, const body_push_args *push)
{
    const vec2d *at = push->has_point ? &push->point : NULL;
    body_id body = id_of(a, push->body);
    return m == METHOD_BODY_FORCE ? body_set_force(a->world, body, push->vector, at, a->err)
                                  : body_apply_impulse(a->world, body, push->vector, at, a->err);
}

static status apply_turn(const application *a, method m, const body_turn_args *turn)
{
    body_id body = id_of(a, turn->body);
    return m == METHOD_BODY_TORQUE
               ? body_set_torque(a->world, body, turn->value, a->err)
               : body_apply_angular_impulse(a->world, body, turn->value, a->err);
}

static status apply_joint_create(const application *a, const joint_args *joint, joint_id *out)
{
    joint_def def = joint->def;
    def.a = id_of(a, def.a);
    def.b = id_of(a, def.b);
    def.joint_a = id_of(a, def.joint_a);
    def.joint_b = id_of(a, def.joint_b);
    return joint_create(a->world, &def, out, a->err);
}

static status apply_batch(const application *a, const apply_args *batch, batch_result *out);

static status apply_one(const application *a, const command *c, command_result *out)
{
    out->method = c->method;
    out->tick = world_tick(a->world) + (METHODS[c->method].scope == SCOPE_WORLD_COMMAND ? 1 : 0);
    switch (c->method) {
    case METHOD_WORLD_SET:
        return apply_world_set(a, &c->world_set);
    case METHOD_WORLD_STATE:
        return read_world(a->world, c->world, &out->state, a->memory, a->err);
    case METHOD_WORLD_APPLY:
        return apply_batch(a, &c->apply, &out->batch);
    case METHOD_BODY_SPAWN:
        return apply_spawn(a, &c->spawn, &out->spawn);
    case METHOD_BODY_REMOVE:
        return body_remove(a->world, id_of(a, c->body), a->err);
    case METHOD_BODY_GET:
        return read_body(a->world, id_of(a, c->body), &out->body, a->memory, a->err);
    case METHOD_BODY_SET:
        return body_set(a->world, id_of(a, c->body_set.body), c->body_set.fields,
                        &c->body_set.values, a->err);
    case METHOD_BODY_IMPULSE:
    case METHOD_BODY_FORCE:
        return apply_push(a, c->method, &c->push);
    case METHOD_BODY_ANGULAR_IMPULSE:
    case METHOD_BODY_TORQUE:
        return apply_turn(a, c->method, &c->turn);
    case METHOD_SHAPE_ADD:
        return shape_add(a->world, id_of(a, c->shape_add.body), &c->shape_add.def, &out->shape,
                         a->err);
    case METHOD_SHAPE_REMOVE:
        return shape_remove(a->world, id_of(a, c->shape), a->err);
    case METHOD_JOINT_CREATE:
        return apply_joint_create(a, &c->joint, &out->joint);
    case METHOD_JOINT_SET:
        return joint_set(a->world, id_of(a, c->joint.joint), c->joint.def.fields, &c->joint.def,
                         a->err);
    case METHOD_JOINT_REMOVE:
        return joint_remove(a->world, id_of(a, c->joint_id), a->err);
    case METHOD_JOINT_GET:
        return joint_get(a->world, id_of(a, c->joint_id), &out->joint_info, a->err);
    case METHOD_JOINT_LIST:
        return read_joints(a->world, c->world, &out->joints, a->memory, a->err);
    case METHOD_QUERY_RAY:
        return apply_ray(a->world, &c->ray, &out->hits, a->memory, a->err);
    case METHOD_QUERY_OVERLAP:
        return apply_overlap(a->world, &c->overlap, &out->found, a->memory, a->err);
    case METHOD_QUERY_CAST:
        return apply_cast(a->world, &c->cast, &out->hits, a->memory, a->err);
    case METHOD_QUERY_NEAREST:
        return query_nearest(a->world, c->nearest.point, c->nearest.radius, &c->nearest.filter,
                             &out->near, a->err);
    default:
        return error_set(a->err, STATUS_UNAVAILABLE, "%s is not available in this version",
                         method_name(c->method));
    }
}

// The plan has seen to it that nothing fails here. Should it be wrong, half a batch must not pass
// for none: that is a fault of ours and said to be one, but no reason to take the other worlds down
// with it.
static status broken_batch(const application *a, const command *c, uint32_t index)
{
    error_prefix(a->err, "commands[%" PRIu32 "] (%s), after those before it were applied", index,
                 method_name(c->method));
    if (a->err != NULL) {
        a->err->status = STATUS_INTERNAL;
    }
    return STATUS_INTERNAL;
}

static status apply_batch(const application *a, const apply_args *batch, batch_result *out)
{
    status s = plan_check(a->world, batch, a->err);
    if (s != STATUS_OK) {
        return s;
    }
    out->count = batch->count;
    out->results = command_memory_take(a->memory, batch->count, sizeof *out->results);
    application inner = *a;
    inner.made = out->results;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (apply_one(&inner, &batch->commands[i], &out->results[i]) != STATUS_OK) {
            return broken_batch(a, &batch->commands[i], i);
        }
    }
    return STATUS_OK;
}

status apply_command(physics_world *world, const command *c, command_result *out, error *err)
{
    command_result made = {0};
    application a = {.world = world, .memory = &made.memory, .err = err};
    status s = apply_one(&a, c, &made);
    if (s != STATUS_OK) {
        command_result_free(&made);
        return s;
    }
    *out = made;
    return STATUS_OK;
}
