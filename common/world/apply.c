// Commands to engine calls; see apply.h. METHOD_APPLY fills a table with a function for each
// method. References of a batch become the ids that its earlier commands made. Thread: the one that
// owns the world.
#include "common/world/apply.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/apply_internal.h"
#include "common/world/owners.h"
#include "common/world/players.h"
#include "common/world/seats.h"

// One call of apply_command, or one batch.
typedef struct application {
    physics_world *world;
    const owners *owners; // NULL: no body has an owner
    command_memory **memory;
    const command_result *made; // results of the batch's commands so far; NULL outside a batch
    error *err;
} application;

void command_result_free(command_result *r)
{
    command_memory_free(r->memory);
    *r = (command_result){0};
}

uint64_t command_result_made(const command_result *r)
{
    ASSERT(r->method < METHOD_COUNT);
#define MADE(id, field)                                                                            \
    case METHOD_##id:                                                                              \
        return r->field;
    switch (r->method) {
        METHOD_MAKES(MADE)
    default:
        return 0;
    }
}

// The engine's id: a reference becomes the id that its command made.
static uint64_t id_of(const application *a, uint64_t id)
{
    if (!command_id_is_reference(id) || a->made == NULL) {
        return id;
    }
    return command_result_made(&a->made[command_id_index(id)]);
}

// ---- the commands

static status apply_spawn(const application *a, const command *c, command_result *out)
{
    const body_spawn_args *spawn = &c->spawn;
    spawn_result made = {.shape_count = spawn->shape_count};
    made.shapes = command_memory_take(a->memory, spawn->shape_count, sizeof *made.shapes);
    status s = body_spawn(a->world, &spawn->def, spawn->shapes, (int)spawn->shape_count, &made.body,
                          made.shapes, a->err);
    out->spawn = made;
    return s;
}

static status apply_world_set(const application *a, const command *c, command_result *out)
{
    const world_set_args *set = &c->world_set;
    (void)out;
    status s = STATUS_OK;
    if ((set->fields & WORLD_FIELD_GRAVITY) != 0) {
        s = world_set_gravity(a->world, set->gravity, a->err);
    }
    if (s == STATUS_OK && (set->fields & WORLD_FIELD_SLEEP) != 0) {
        s = world_set_sleep(a->world, set->sleep, a->err); // cannot fail for any value
    }
    if (s == STATUS_OK && (set->fields & WORLD_FIELD_RESTITUTION_THRESHOLD) != 0) {
        s = world_set_restitution_threshold(a->world, set->restitution_threshold, a->err);
    }
    if (s == STATUS_OK && (set->fields & WORLD_FIELD_SLEEP_SPEED) != 0) {
        s = world_set_sleep_speed(a->world, set->sleep_speed, a->err);
    }
    if (s == STATUS_OK && set->has_players) {
        s = players_set(a->world, &set->players, a->err);
    }
    return s;
}

static status apply_state(const application *a, const command *c, command_result *out)
{
    return read_world(a->world, a->owners, c->world, &out->state, a->memory, a->err);
}

static status apply_remove(const application *a, const command *c, command_result *out)
{
    (void)out;
    return body_remove(a->world, id_of(a, c->body), a->err);
}

static status apply_get(const application *a, const command *c, command_result *out)
{
    return read_body(a->world, a->owners, id_of(a, c->get.body), &out->body, a->memory, a->err);
}

static status apply_body_set(const application *a, const command *c, command_result *out)
{
    const body_set_args *set = &c->body_set;
    (void)out;
    body_id id = id_of(a, set->body);
    if (set->fields == 0) { // only the owner changes
        body_info info;
        return body_get(a->world, id, &info, a->err);
    }
    return body_set(a->world, id, set->fields, &set->values, a->err);
}

static const vec2d *place_of(const body_push_args *push)
{
    return push->has_point ? &push->point : NULL;
}

static status apply_impulse(const application *a, const command *c, command_result *out)
{
    (void)out;
    return body_apply_impulse(a->world, id_of(a, c->push.body), c->push.vector, place_of(&c->push),
                              a->err);
}

static status apply_force(const application *a, const command *c, command_result *out)
{
    (void)out;
    return body_set_force(a->world, id_of(a, c->push.body), c->push.vector, place_of(&c->push),
                          a->err);
}

static status apply_angular_impulse(const application *a, const command *c, command_result *out)
{
    (void)out;
    return body_apply_angular_impulse(a->world, id_of(a, c->turn.body), c->turn.value, a->err);
}

static status apply_torque(const application *a, const command *c, command_result *out)
{
    (void)out;
    return body_set_torque(a->world, id_of(a, c->turn.body), c->turn.value, a->err);
}

static status apply_shape_add(const application *a, const command *c, command_result *out)
{
    return shape_add(a->world, id_of(a, c->shape_add.body), &c->shape_add.def, &out->shape, a->err);
}

static status apply_shape_set(const application *a, const command *c, command_result *out)
{
    const shape_set_args *set = &c->shape_set;
    (void)out;
    return shape_set(a->world, id_of(a, set->shape), set->fields, &set->values, a->err);
}

static status apply_contacts(const application *a, const command *c, command_result *out)
{
    return read_contacts(a->world, c->world, c->contacts.body, &out->contacts, a->memory, a->err);
}

static status apply_shape_remove(const application *a, const command *c, command_result *out)
{
    (void)out;
    return shape_remove(a->world, id_of(a, c->shape), a->err);
}

static status apply_joint_create(const application *a, const command *c, command_result *out)
{
    joint_def def = c->joint.def;
    def.a = id_of(a, def.a);
    def.b = id_of(a, def.b);
    def.joint_a = id_of(a, def.joint_a);
    def.joint_b = id_of(a, def.joint_b);
    return joint_create(a->world, &def, &out->joint, a->err);
}

static status apply_joint_set(const application *a, const command *c, command_result *out)
{
    const joint_args *set = &c->joint;
    (void)out;
    return joint_set(a->world, id_of(a, set->joint), set->def.fields, &set->def, a->err);
}

static status apply_joint_remove(const application *a, const command *c, command_result *out)
{
    (void)out;
    return joint_remove(a->world, id_of(a, c->joint_id), a->err);
}

static status apply_joint_get(const application *a, const command *c, command_result *out)
{
    return joint_get(a->world, id_of(a, c->joint_id), &out->joint_info, a->err);
}

static status apply_joint_list(const application *a, const command *c, command_result *out)
{
    return read_joints(a->world, c->world, &out->joints, a->memory, a->err);
}

static status apply_ray(const application *a, const command *c, command_result *out)
{
    return find_ray(a->world, &c->ray, &out->hits, a->memory, a->err);
}

static status apply_overlap(const application *a, const command *c, command_result *out)
{
    return find_overlap(a->world, &c->overlap, &out->found, a->memory, a->err);
}

static status apply_cast(const application *a, const command *c, command_result *out)
{
    return find_cast(a->world, &c->cast, &out->hits, a->memory, a->err);
}

static status apply_nearest(const application *a, const command *c, command_result *out)
{
    return query_nearest(a->world, c->nearest.point, c->nearest.radius, &c->nearest.filter,
                         &out->near, a->err);
}

static status apply_data_set(const application *a, const command *c, command_result *out)
{
    return set_data(a->world, &c->data_set, &out->datum_set, a->err);
}

static status apply_data_remove(const application *a, const command *c, command_result *out)
{
    (void)out;
    return remove_data(a->world, &c->data_remove, a->err);
}

static status apply_data_get(const application *a, const command *c, command_result *out)
{
    read_data(a->world, &c->data_get, &out->data_read, a->memory);
    return STATUS_OK;
}

// A message changes nothing of the world: whoever applies the command passes it on.
static status apply_message_send(const application *a, const command *c, command_result *out)
{
    (void)out;
    return check_message(&c->message, a->err);
}

static status apply_join(const application *a, const command *c, command_result *out)
{
    status s = check_join_data(&c->join, a->err);
    if (s == STATUS_OK) {
        s = seats_take(a->world, &c->join, a->err);
    }
    if (s == STATUS_OK) {
        memcpy(out->join.world, c->world, sizeof out->join.world);
        out->join.seat = (uint64_t)c->join.seat;
        out->join.created = c->join.created;
    }
    return s;
}

static status apply_leave(const application *a, const command *c, command_result *out)
{
    (void)out;
    return seats_free(a->world, &c->leave, a->err);
}

static status apply_batch(const application *a, const command *c, command_result *out);

typedef status apply_function(const application *a, const command *c, command_result *out);

#define ROW(id, apply) [METHOD_##id] = apply_##apply,
static apply_function *const APPLY[METHOD_COUNT] = {METHOD_APPLY(ROW)};
#undef ROW

bool apply_supports(method m)
{
    return (unsigned)m < METHOD_COUNT && APPLY[m] != NULL;
}

static status apply_one(const application *a, const command *c, command_result *out)
{
    ASSERT((unsigned)c->method < METHOD_COUNT);
    out->method = c->method;
    out->tick = world_tick(a->world) + (method_scope_of(c->method) == SCOPE_WORLD_COMMAND ? 1 : 0);
    if (!apply_supports(c->method)) {
        return error_set(a->err, STATUS_UNAVAILABLE, "%s is not carried out by a world",
                         method_wire_name(c->method));
    }
    return APPLY[c->method](a, c, out);
}

// plan_check proves that no command of the batch fails here. If the plan is wrong, the error says
// that the server is at fault, and the result has the commands that were applied. Other worlds are
// unaffected, so nothing is asserted.
static status broken_batch(const application *a, const command *c, uint32_t index,
                           batch_result *out)
{
    out->count = index;
    error_prefix(a->err, "commands[%" PRIu32 "] (%s), after those before it were applied", index,
                 method_wire_name(c->method));
    if (a->err != NULL) {
        a->err->status = STATUS_INTERNAL;
    }
    return STATUS_INTERNAL;
}

static status apply_batch(const application *a, const command *c, command_result *result)
{
    const apply_args *batch = &c->apply;
    batch_result *out = &result->batch;
    ASSERT(a->made == NULL); // the plan refuses a batch within a batch
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
            return broken_batch(a, &batch->commands[i], i, out);
        }
    }
    return STATUS_OK;
}

status apply_command_as(physics_world *world, owners *table, const actor *who, const command *c,
                        command_result *out, error *err)
{
    command_result made = {0};
    application a = {.world = world, .owners = table, .memory = &made.memory, .err = err};
    status s = who != NULL ? owners_permit(table, world, who, c, err) : STATUS_OK;
    if (s == STATUS_OK) {
        s = apply_one(&a, c, &made);
    }
    if (s != STATUS_OK && s != STATUS_INTERNAL) {
        command_result_free(&made);
        return s;
    }
    ASSERT(made.method == c->method && made.tick >= world_tick(world));
    ASSERT(s == STATUS_OK || c->method == METHOD_WORLD_APPLY);
    if (table != NULL) {
        owners_note(table, c, &made);
    }
    *out = made;
    return s;
}

status apply_command(physics_world *world, const command *c, command_result *out, error *err)
{
    status s = apply_command_as(world, NULL, NULL, c, out, err);
    if (s == STATUS_INTERNAL) {
        command_result_free(out);
    }
    return s;
}
