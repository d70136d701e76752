// The check of a batch before its first command is applied.
//
// A batch is all or nothing, and the engine has no undo; so the plan predicts the state before each
// command. Only ids and free capacity depend on earlier commands: which bodies, shapes and joints
// the batch has removed by then, and how many it has made. The plan keeps just that; joints are
// tried out besides (apply_dry_run.c). Definitions are checked as the engine will check them.
// tests/unit/proto/test_apply.c compares the plan with the engine over random batches: each batch
// that passes here is applied without an error.
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/world/apply_internal.h"
#include "common/world/data_plan.h"

// A body that the batch names: one of the world, or a reference to one that the batch spawns.
typedef struct plan_body {
    body_id id;
    bool removed;
    uint32_t slots; // its shapes, each piece of a chain counted
    size_t bytes;   // bytes that read_body would allocate for it
} plan_body;

typedef struct plan {
    const physics_world *world;
    const apply_args *batch;
    uint32_t at; // index of the command in progress
    // The capacity left; removals add to it.
    uint64_t bodies_left, shapes_left, joints_left;
    dry_run *joints; // NULL: the batch has no joints
    data_plan data;
    size_t result_bytes;
    ARRAY(plan_body) known;
    ARRAY(shape_id) removed_shapes;
    error *err;
} plan;

// ---- bodies, shapes and joints as the batch leaves them

static uint32_t slots_of(const shape_def *def)
{
    return 1 + shape_def_pieces(def);
}

static size_t bytes_of(const shape_def *def)
{
    return sizeof(shape_info) + (size_t)def->point_count * sizeof *def->points;
}

static void count_world_body(plan *p, plan_body *body)
{
    for (shape_id shape = 0; (shape = body_next_shape(p->world, body->id, shape)) != 0;) {
        shape_info info;
        if (shape_get(p->world, shape, &info, NULL) == STATUS_OK) {
            body->slots += slots_of(&info.def);
        }
    }
    body->bytes = read_body_bytes(p->world, body->id);
}

static void count_spawned_body(plan *p, plan_body *body)
{
    ASSERT(command_id_is_reference(body->id) && command_id_index(body->id) < p->at);
    const body_spawn_args *spawn = &p->batch->commands[command_id_index(body->id)].spawn;
    body->bytes = sizeof(body_record) + PHYSICS_TAG_BYTES_MAX + OWNER_BYTES_MAX;
    for (uint32_t i = 0; i < spawn->shape_count; i++) {
        body->slots += slots_of(&spawn->shapes[i]);
        body->bytes += bytes_of(&spawn->shapes[i]);
    }
}

// A reference is valid if it names an earlier command that made such a thing.
static status reference_check(const plan *p, uint64_t id, method maker)
{
    uint32_t index = command_id_index(id);
    ASSERT(p->at < p->batch->count);
    if (index >= p->at || p->batch->commands[index].method != maker) {
        return error_set(p->err, STATUS_INVALID_ARGUMENT,
                         "{\"$\": %" PRIu32 "} is no earlier %s of this batch", index,
                         method_wire_name(maker));
    }
    return STATUS_OK;
}

static status not_found(const plan *p, const char *what, uint64_t id)
{
    if (command_id_is_reference(id)) {
        return error_set(p->err, STATUS_NOT_FOUND,
                         "the %s of {\"$\": %" PRIu32 "} does not exist any more", what,
                         command_id_index(id));
    }
    return error_set(p->err, STATUS_NOT_FOUND, "%s %" PRIu64 " does not exist any more", what, id);
}

// The body as the earlier commands have left it; valid until the next call.
static status body_at(plan *p, body_id id, plan_body **out)
{
    for (uint32_t i = 0; i < p->known.count; i++) {
        if (p->known.data[i].id == id) {
            *out = &p->known.data[i];
            return (*out)->removed ? not_found(p, "body", id) : STATUS_OK;
        }
    }
    plan_body body = {.id = id};
    if (command_id_is_reference(id)) {
        status s = reference_check(p, id, METHOD_BODY_SPAWN);
        if (s != STATUS_OK) {
            return s;
        }
        count_spawned_body(p, &body);
    } else {
        body_info info;
        status s = body_get(p->world, id, &info, p->err);
        if (s != STATUS_OK) {
            return s;
        }
        count_world_body(p, &body);
    }
    array_push(&p->known, body);
    *out = &p->known.data[p->known.count - 1];
    return STATUS_OK;
}

static status body_check(plan *p, body_id id)
{
    plan_body *body;
    return body_at(p, id, &body);
}

// ---- ranges, checked again for commands that did not come through the decoder

static bool within(vec2d v, double limit)
{
    return v.x >= -limit && v.x <= limit && v.y >= -limit && v.y <= limit;
}

static status plan_push(plan *p, const command *c)
{
    const body_push_args *push = &c->push;
    if (!within(push->vector, PHYSICS_FORCE_MAX) ||
        (push->has_point && !within(push->point, PHYSICS_EXTENT_MAX))) {
        return error_set(p->err, STATUS_INVALID_ARGUMENT, "impulse, force or point out of range");
    }
    return body_check(p, push->body);
}

static status plan_turn(plan *p, const command *c)
{
    const body_turn_args *turn = &c->turn;
    if (!(turn->value >= -PHYSICS_FORCE_MAX && turn->value <= PHYSICS_FORCE_MAX)) {
        return error_set(p->err, STATUS_INVALID_ARGUMENT, "impulse or torque out of range");
    }
    return body_check(p, turn->body);
}

// ---- commands

static status capacity_check(const plan *p, uint64_t bodies, uint64_t shapes, uint64_t body_shapes)
{
    if (bodies > p->bodies_left) {
        return error_set(p->err, STATUS_LIMIT_EXCEEDED, "the world has its most bodies: %" PRIu32,
                         world_definition(p->world).bodies_max);
    }
    if (body_shapes > PHYSICS_BODY_SHAPES_MAX) {
        return error_set(p->err, STATUS_LIMIT_EXCEEDED,
                         "a body has at most %d shapes, each piece of a chain counted",
                         PHYSICS_BODY_SHAPES_MAX);
    }
    if (shapes > p->shapes_left) {
        return error_set(p->err, STATUS_LIMIT_EXCEEDED, "a world has at most %d shapes",
                         PHYSICS_SHAPES_MAX);
    }
    return STATUS_OK;
}

static status plan_spawn(plan *p, const command *c)
{
    const body_spawn_args *spawn = &c->spawn;
    status s = body_def_check(&spawn->def, p->err);
    uint64_t slots = 0;
    for (uint32_t i = 0; i < spawn->shape_count && s == STATUS_OK; i++) {
        s = shape_def_check(&spawn->shapes[i], p->err);
        if (s != STATUS_OK) {
            error_prefix(p->err, "shapes[%" PRIu32 "]", i);
            return s;
        }
        slots += slots_of(&spawn->shapes[i]);
    }
    if (s == STATUS_OK) {
        s = capacity_check(p, 1, slots, slots);
    }
    if (s == STATUS_OK) {
        ASSERT(p->bodies_left > 0 && p->shapes_left >= slots);
        p->bodies_left--;
        p->shapes_left -= slots;
        p->result_bytes += spawn->shape_count * sizeof(shape_id);
    }
    return s;
}

static status plan_remove(plan *p, const command *c)
{
    body_id id = c->body;
    plan_body *body;
    status s = body_at(p, id, &body);
    if (s == STATUS_OK) {
        body->removed = true;
        p->bodies_left++;
        p->shapes_left += body->slots;
    }
    return s;
}

static status plan_get(plan *p, const command *c)
{
    body_id id = c->get.body;
    plan_body *body;
    status s = body_at(p, id, &body);
    if (s == STATUS_OK) {
        p->result_bytes += body->bytes;
    }
    return s;
}

static status plan_body_set(plan *p, const command *c)
{
    const body_set_args *set = &c->body_set;
    status s = body_check(p, set->body);
    return s == STATUS_OK && set->fields != 0 ? body_fields_check(set->fields, &set->values, p->err)
                                              : s;
}

static status plan_shape_add(plan *p, const command *c)
{
    const shape_add_args *add = &c->shape_add;
    plan_body *body;
    status s = body_at(p, add->body, &body);
    if (s == STATUS_OK) {
        s = shape_def_check(&add->def, p->err);
    }
    uint32_t slots = s == STATUS_OK ? slots_of(&add->def) : 0;
    if (s == STATUS_OK) {
        s = capacity_check(p, 0, slots, (uint64_t)body->slots + slots);
    }
    if (s == STATUS_OK) {
        body->slots += slots;
        body->bytes += bytes_of(&add->def);
        ASSERT(p->shapes_left >= slots && body->slots <= PHYSICS_BODY_SHAPES_MAX);
        p->shapes_left -= slots;
    }
    return s;
}

// The shape's body, and its definition before the batch, or as the batch adds it. Only these two of
// `out` are valid.
static status shape_find(const plan *p, shape_id id, shape_info *out)
{
    if (!command_id_is_reference(id)) {
        return shape_get(p->world, id, out, p->err);
    }
    const status s = reference_check(p, id, METHOD_SHAPE_ADD);
    if (s == STATUS_OK) {
        const shape_add_args *add = &p->batch->commands[command_id_index(id)].shape_add;
        out->body = add->body;
        out->def = add->def;
    }
    return s;
}

// A shape that still exists, and its body.
static status shape_at(plan *p, shape_id id, shape_info *shape, plan_body **out)
{
    status s = shape_find(p, id, shape);
    if (s != STATUS_OK) {
        return s;
    }
    for (uint32_t i = 0; i < p->removed_shapes.count; i++) {
        if (p->removed_shapes.data[i] == id) {
            return not_found(p, "shape", id);
        }
    }
    return body_at(p, shape->body, out) == STATUS_OK
               ? STATUS_OK
               : not_found(p, "shape", id); // removed with its body
}

// Values that are not given are defaults, which are valid. An earlier shape.set of the batch makes
// no difference: a chain stays one, and each value is checked by itself.
static status plan_shape_set(plan *p, const command *c)
{
    const shape_set_args *set = &c->shape_set;
    shape_info shape;
    plan_body *body;
    const status s = shape_at(p, set->shape, &shape, &body);
    if (s != STATUS_OK) {
        return s;
    }
    shape_def changed = set->values;
    changed.sensor = (set->fields & SHAPE_FIELD_SENSOR) != 0 && set->values.sensor;
    changed.form = shape.def.form;
    changed.geometry = shape.def.geometry;
    changed.points = shape.def.points;
    changed.point_count = shape.def.point_count;
    changed.loop = shape.def.loop;
    return shape_def_check(&changed, p->err);
}

static status plan_shape_remove(plan *p, const command *c)
{
    shape_id id = c->shape;
    shape_info shape;
    plan_body *body;
    status s = shape_at(p, id, &shape, &body);
    if (s != STATUS_OK) {
        return s;
    }
    const uint32_t slots = slots_of(&shape.def);
    ASSERT(body->slots >= slots && !body->removed);
    body->slots -= slots;
    p->shapes_left += slots;
    array_push(&p->removed_shapes, id);
    return STATUS_OK;
}

static status plan_world_set(plan *p, const command *c)
{
    const world_set_args *set = &c->world_set;
    world_def def = world_definition(p->world);
    if ((set->fields & WORLD_FIELD_GRAVITY) != 0) {
        def.gravity = set->gravity;
    }
    if ((set->fields & WORLD_FIELD_RESTITUTION_THRESHOLD) != 0) {
        def.restitution_threshold = set->restitution_threshold;
    }
    if ((set->fields & WORLD_FIELD_SLEEP_SPEED) != 0) {
        def.sleep_speed = set->sleep_speed;
    }
    return world_def_check(&def, p->err);
}

// The dry run decides whether the joint can be made. Joints that are removed with a body do not
// free capacity here: the plan may refuse the millionth joint where the engine would not.
static status plan_joint_create(plan *p, const command *c)
{
    (void)c;
    if (p->joints_left == 0) {
        return error_set(p->err, STATUS_LIMIT_EXCEEDED, "a world has at most %d joints",
                         PHYSICS_JOINTS_MAX);
    }
    p->joints_left--;
    return STATUS_OK;
}

static status plan_joint_remove(plan *p, const command *c)
{
    (void)c;
    p->joints_left++;
    return STATUS_OK;
}

static status plan_by_dry_run(plan *p, const command *c)
{
    (void)p;
    (void)c;
    return STATUS_OK; // the dry run checks it
}

// ---- data

static status plan_data_set(plan *p, const command *c)
{
    return data_plan_set(&p->data, &c->data_set, p->err);
}

static status plan_data_remove(plan *p, const command *c)
{
    return data_plan_remove(&p->data, &c->data_remove, p->err);
}

// Counts as if the answer had all keys.
static status plan_data_get(plan *p, const command *c)
{
    (void)c;
    p->result_bytes += p->data.bytes + p->data.keys * sizeof(world_datum);
    return STATUS_OK;
}

static status plan_message_send(plan *p, const command *c)
{
    return check_message(&c->message, p->err);
}

typedef status plan_function(plan *p, const command *c);

#define ROW(id, plan) [METHOD_##id] = plan_##plan,
static plan_function *const PLAN[METHOD_COUNT] = {METHOD_PLAN(ROW)};
#undef ROW

static status command_check(plan *p, const command *c)
{
    ASSERT((unsigned)c->method < METHOD_COUNT);
    if (PLAN[c->method] == NULL) {
        return error_set(p->err, STATUS_UNAVAILABLE, "%s is not allowed in world.apply",
                         method_wire_name(c->method));
    }
    return PLAN[c->method](p, c);
}

bool apply_batches(method m)
{
    return (unsigned)m < METHOD_COUNT && PLAN[m] != NULL;
}

status plan_check(const physics_world *world, const apply_args *batch, error *err)
{
    world_room room = world_room_left(world);
    plan p = {.world = world,
              .batch = batch,
              .bodies_left = room.bodies,
              .shapes_left = room.shapes,
              .joints_left = room.joints,
              .joints = dry_run_create(world, batch),
              .err = err};
    status s = STATUS_OK;
    data_plan_init(&p.data, world, &DATA_LIMITS_ENGINE);
    for (p.at = 0; p.at < batch->count && s == STATUS_OK; p.at++) {
        s = command_check(&p, &batch->commands[p.at]);
        if (s == STATUS_OK && p.joints != NULL) {
            s = dry_run_command(p.joints, p.at, err);
        }
        if (s == STATUS_OK && p.result_bytes > APPLY_RESULT_BYTES_MAX) {
            s = error_set(err, STATUS_LIMIT_EXCEEDED,
                          "the answer would be larger than %zu MiB with this command",
                          APPLY_RESULT_BYTES_MAX >> 20);
        }
        if (s != STATUS_OK) {
            error_prefix(err, "commands[%" PRIu32 "] (%s)", p.at,
                         method_wire_name(batch->commands[p.at].method));
        }
    }
    dry_run_free(p.joints);
    data_plan_deinit(&p.data);
    array_free(&p.known);
    array_free(&p.removed_shapes);
    return s;
}
