// A small world in which the joints of a batch are tried out before the batch is applied.
//
// Whether a joint can be made or set depends on more than ids: on the kinds of other joints, on
// limits that were set before, on the poses and types of the bodies, and an earlier command of the
// same batch may have changed any of these. Instead of a second copy of the engine's rules, the
// commands run on stand-ins: bodies without shapes and copies of the joints that the batch names,
// in a world of their own. So the engine itself answers.
//
// A stand-in has its body's pose, except that its angle may differ in the last place. Only the
// least length of a rod could depend on that; the dry run therefore asks for one per cent more.
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/world/apply_internal.h"

typedef struct stand_in {
    uint64_t id;      // in the world, or a reference into the batch
    uint64_t dry_run; // its stand-in in the dry run's world, which may be removed there
} stand_in;

struct dry_run {
    const physics_world *world;
    const apply_args *batch;
    physics_world *stand_ins;
    ARRAY(stand_in) bodies;
    ARRAY(stand_in) joints;
};

static bool has_joints(const apply_args *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        if (method_has(batch->commands[i].method, TRAIT_JOINTS)) {
            return true;
        }
    }
    return false;
}

dry_run *dry_run_create(const physics_world *world, const apply_args *batch)
{
    if (!has_joints(batch)) {
        return NULL;
    }
    world_def def = world_def_default();
    dry_run *t = calloc(1, sizeof *t);
    ASSERT_MEMORY(t != NULL);
    t->world = world;
    t->batch = batch;
    status s = world_create(&def, &t->stand_ins, NULL);
    ASSERT(s == STATUS_OK);
    return t;
}

void dry_run_free(dry_run *t)
{
    if (t != NULL) {
        world_free(t->stand_ins);
        array_free(&t->bodies);
        array_free(&t->joints);
        free(t);
    }
}

static const stand_in *stand_in_find(const stand_in *stand_ins, uint32_t count, uint64_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (stand_ins[i].id == id) {
            return &stand_ins[i];
        }
    }
    return NULL;
}

static status no_such(const char *what, uint64_t id, error *err)
{
    if (command_id_is_reference(id)) {
        return error_set(err, STATUS_NOT_FOUND, "the %s of {\"$\": %" PRIu32 "} does not exist",
                         what, command_id_index(id));
    }
    return error_set(err, STATUS_NOT_FOUND, "%s %" PRIu64 " does not exist", what, id);
}

// ---- bodies

// Clamps a coordinate to the world's bounds: a body that froze beyond them gets its stand-in on the
// edge.
static double inside(double x)
{
    return x > PHYSICS_EXTENT_MAX    ? PHYSICS_EXTENT_MAX
           : x > -PHYSICS_EXTENT_MAX ? x
                                     : -PHYSICS_EXTENT_MAX;
}

static status body_stand_in_create(dry_run *t, body_id id, const body_def *def, body_id *out,
                                   error *err)
{
    body_def bare = body_def_default();
    bare.type = def->type;
    bare.position = (vec2d){inside(def->position.x), inside(def->position.y)};
    bare.angle = def->angle;
    status s = body_create(t->stand_ins, &bare, out, err);
    if (s == STATUS_OK) {
        ASSERT_SLOW(stand_in_find(t->bodies.data, t->bodies.count, id) == NULL);
        stand_in made = {id, *out};
        array_push(&t->bodies, made);
    }
    return s;
}

// The stand-in of a body, made on first use. If the batch has removed the body, its stand-in is
// removed too.
static status body_stand_in(dry_run *t, body_id id, body_id *out, error *err)
{
    const stand_in *known = stand_in_find(t->bodies.data, t->bodies.count, id);
    if (known != NULL) {
        *out = known->dry_run;
        body_info info;
        return body_get(t->stand_ins, known->dry_run, &info, NULL) == STATUS_OK
                   ? STATUS_OK
                   : no_such("body", id, err);
    }
    body_info info;
    if (command_id_is_reference(id) || body_get(t->world, id, &info, NULL) != STATUS_OK) {
        return no_such("body", id, err);
    }
    body_def def = {.type = info.type, .position = info.position, .angle = info.angle};
    return body_stand_in_create(t, id, &def, out, err);
}

// ---- joints

static status joint_stand_in(dry_run *t, joint_id id, joint_id *out, error *err);

#define NOBODY (COMMAND_REFERENCE - 1) // an id that never exists in the dry run's world

// The definition with stand-ins for the ids that it names; 0 stays 0. An unknown id becomes NOBODY,
// so that the engine reports other errors in its own order; `missing` then has the text.
static joint_def joint_def_twins(dry_run *t, const joint_def *def, error *missing)
{
    joint_def out = *def;
    if (def->b != 0 && body_stand_in(t, def->b, &out.b, missing) != STATUS_OK) {
        out.b = NOBODY;
    }
    if (def->a != 0 && body_stand_in(t, def->a, &out.a, missing) != STATUS_OK) {
        out.a = NOBODY;
    }
    if ((def->fields & JOINT_FIELD_JOINT_B) != 0 && def->joint_b != 0 &&
        joint_stand_in(t, def->joint_b, &out.joint_b, missing) != STATUS_OK) {
        out.joint_b = NOBODY;
    }
    if ((def->fields & JOINT_FIELD_JOINT_A) != 0 && def->joint_a != 0 &&
        joint_stand_in(t, def->joint_a, &out.joint_a, missing) != STATUS_OK) {
        out.joint_a = NOBODY;
    }
    return out;
}

static status joint_stand_in_create(dry_run *t, joint_id id, const joint_def *def, joint_id *out,
                                    error *err)
{
    error missing = {0};
    joint_def mapped = joint_def_twins(t, def, &missing);
    status s = joint_create(t->stand_ins, &mapped, out, err);
    if (s == STATUS_NOT_FOUND) {
        return error_set(err, s, "%s", missing.text);
    }
    if (s == STATUS_OK) {
        ASSERT_SLOW(stand_in_find(t->joints.data, t->joints.count, id) == NULL);
        stand_in made = {id, *out};
        array_push(&t->joints, made);
    }
    return s;
}

// As body_stand_in. The batch may have removed the joint too, with its body or, for a gear, its
// joint.
static status joint_stand_in(dry_run *t, joint_id id, joint_id *out, error *err)
{
    joint_info info;
    const stand_in *known = stand_in_find(t->joints.data, t->joints.count, id);
    if (known != NULL) {
        *out = known->dry_run;
        return joint_get(t->stand_ins, known->dry_run, &info, NULL) == STATUS_OK
                   ? STATUS_OK
                   : no_such("joint", id, err);
    }
    if (command_id_is_reference(id) || joint_get(t->world, id, &info, NULL) != STATUS_OK) {
        return no_such("joint", id, err);
    }
    status s = joint_stand_in_create(t, id, &info.def, out, err);
    return s == STATUS_NOT_FOUND ? no_such("joint", id, err) : s;
}

// Refuses a rod of the batch that takes its length from anchors less than 1.01 LINEAR_SLOP apart:
// the distance may round differently in the world.
static status rod_check(const dry_run *t, joint_id id, joint_id made, error *err)
{
    joint_info info;
    status s = joint_get(t->stand_ins, made, &info, err);
    if (s != STATUS_OK || info.def.kind != JOINT_DISTANCE || !command_id_is_reference(id)) {
        return s;
    }
    ASSERT(command_id_index(id) < t->batch->count);
    const joint_def *given = &t->batch->commands[command_id_index(id)].joint.def;
    bool rod = (info.def.fields & JOINT_FIELD_LENGTH) != 0 && !(info.def.hertz > 0.0);
    if (rod && (given->fields & JOINT_FIELD_LENGTH) == 0 &&
        info.def.length < 1.01 * (double)LINEAR_SLOP) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "length: the anchors are too close for a rod: %g m", info.def.length);
    }
    return STATUS_OK;
}

static status dry_run_joint_create(dry_run *t, uint32_t index, const command *c, error *err)
{
    ASSERT(c == &t->batch->commands[index]);
    joint_id id = COMMAND_REFERENCE | index;
    joint_id made = 0;
    status s = joint_stand_in_create(t, id, &t->batch->commands[index].joint.def, &made, err);
    return s == STATUS_OK ? rod_check(t, id, made, err) : s;
}

static status dry_run_joint_set(dry_run *t, uint32_t index, const command *c, error *err)
{
    const joint_args *set = &c->joint;
    (void)index;
    joint_id id = 0;
    status s = joint_stand_in(t, set->joint, &id, err);
    if (s == STATUS_OK) {
        s = joint_set(t->stand_ins, id, set->def.fields, &set->def, err);
    }
    return s == STATUS_OK ? rod_check(t, set->joint, id, err) : s;
}

static status dry_run_joint_remove(dry_run *t, uint32_t index, const command *c, error *err)
{
    joint_id id = c->joint_id;
    (void)index;
    joint_id dry_run_id = 0;
    status s = joint_stand_in(t, id, &dry_run_id, err);
    return s == STATUS_OK ? joint_remove(t->stand_ins, dry_run_id, err) : s;
}

static status dry_run_remove(dry_run *t, uint32_t index, const command *c, error *err)
{
    body_id id = c->body;
    (void)index;
    body_id dry_run_id = 0;
    status s = body_stand_in(t, id, &dry_run_id, err);
    return s == STATUS_OK ? body_remove(t->stand_ins, dry_run_id, err) : s;
}

static status dry_run_body_set(dry_run *t, uint32_t index, const command *c, error *err)
{
    const body_set_args *set = &c->body_set;
    (void)index;
    const uint32_t told = BODY_FIELD_POSITION | BODY_FIELD_ANGLE | BODY_FIELD_TYPE;
    body_id id = 0;
    status s = body_stand_in(t, set->body, &id, err);
    return s == STATUS_OK ? body_set(t->stand_ins, id, set->fields & told, &set->values, err) : s;
}

static status dry_run_spawn(dry_run *t, uint32_t index, const command *c, error *err)
{
    body_id body;
    return body_stand_in_create(t, COMMAND_REFERENCE | index, &c->spawn.def, &body, err);
}

static status dry_run_joint_get(dry_run *t, uint32_t index, const command *c, error *err)
{
    joint_id joint;
    (void)index;
    return joint_stand_in(t, c->joint_id, &joint, err);
}

typedef status dry_run_function(dry_run *t, uint32_t index, const command *c, error *err);

#define ROW(id, dry_run) [METHOD_##id] = dry_run_##dry_run,
static dry_run_function *const DRY_RUN[METHOD_COUNT] = {METHOD_DRY_RUN(ROW)};
#undef ROW

status dry_run_command(dry_run *t, uint32_t index, error *err)
{
    ASSERT(index < t->batch->count && (unsigned)t->batch->commands[index].method < METHOD_COUNT);
    const command *c = &t->batch->commands[index];
    return DRY_RUN[c->method] == NULL ? STATUS_OK : DRY_RUN[c->method](t, index, c, err);
}
