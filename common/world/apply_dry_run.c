// A small world in which the joints of a batch are tried out before the batch is applied.
//
// Whether a joint can be made or set depends on more than ids: on the kinds of other joints, on
// limits that were set before, on how the bodies stand and of what type they are, and any of that
// may be the work of an earlier command of the same batch. Rather than writing the engine's rules a
// second time, the commands are carried out on twins: bodies without shapes and copies of the
// joints that the batch names, in a world of their own. The engine itself then says what it will
// say.
//
// A twin stands where its body does, but for a rounding of its angle in the last place. The one
// rule that could see it is that a rod must not be too short; there the trial asks for one part in
// a hundred more.
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/world/apply_internal.h"

typedef struct twin {
    uint64_t id;    // of the world, or a reference into the batch
    uint64_t trial; // in the trial's world; it may have been removed there
} twin;

struct trial {
    const physics_world *world;
    const apply_args *batch;
    physics_world *twins;
    ARRAY(twin) bodies;
    ARRAY(twin) joints;
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

trial *trial_create(const physics_world *world, const apply_args *batch)
{
    if (!has_joints(batch)) {
        return NULL;
    }
    world_def def = world_def_default();
    trial *t = calloc(1, sizeof *t);
    ASSERT_MEMORY(t != NULL);
    t->world = world;
    t->batch = batch;
    status s = world_create(&def, &t->twins, NULL);
    ASSERT(s == STATUS_OK);
    return t;
}

void trial_free(trial *t)
{
    if (t != NULL) {
        world_free(t->twins);
        array_free(&t->bodies);
        array_free(&t->joints);
        free(t);
    }
}

static const twin *twin_find(const twin *twins, uint32_t count, uint64_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (twins[i].id == id) {
            return &twins[i];
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

// A body that has left the world's bounds lies still out there; its twin is put on the edge.
static double inside(double x)
{
    return x > PHYSICS_EXTENT_MAX    ? PHYSICS_EXTENT_MAX
           : x > -PHYSICS_EXTENT_MAX ? x
                                     : -PHYSICS_EXTENT_MAX;
}

static status body_twin_create(trial *t, body_id id, const body_def *def, body_id *out, error *err)
{
    body_def bare = body_def_default();
    bare.type = def->type;
    bare.position = (vec2d){inside(def->position.x), inside(def->position.y)};
    bare.angle = def->angle;
    status s = body_create(t->twins, &bare, out, err);
    if (s == STATUS_OK) {
        twin made = {id, *out};
        array_push(&t->bodies, made);
    }
    return s;
}

// The twin of a body, made when it is first spoken of. The body may be gone from the batch's view:
// its twin is then gone too.
static status body_twin(trial *t, body_id id, body_id *out, error *err)
{
    const twin *known = twin_find(t->bodies.data, t->bodies.count, id);
    if (known != NULL) {
        *out = known->trial;
        body_info info;
        return body_get(t->twins, known->trial, &info, NULL) == STATUS_OK
                   ? STATUS_OK
                   : no_such("body", id, err);
    }
    body_info info;
    if (command_id_is_reference(id) || body_get(t->world, id, &info, NULL) != STATUS_OK) {
        return no_such("body", id, err);
    }
    body_def def = {.type = info.type, .position = info.position, .angle = info.angle};
    return body_twin_create(t, id, &def, out, err);
}

// ---- joints

static status joint_twin(trial *t, joint_id id, joint_id *out, error *err);

#define NOBODY (COMMAND_REFERENCE - 1) // an id that nothing in the trial's world has

// The definition with twins for what it names; 0 stays 0. An id of nothing becomes NOBODY, so that
// the engine may find what else is wrong in its own order; `missing` then has the text.
static joint_def joint_def_twins(trial *t, const joint_def *def, error *missing)
{
    joint_def out = *def;
    if (def->b != 0 && body_twin(t, def->b, &out.b, missing) != STATUS_OK) {
        out.b = NOBODY;
    }
    if (def->a != 0 && body_twin(t, def->a, &out.a, missing) != STATUS_OK) {
        out.a = NOBODY;
    }
    if ((def->fields & JOINT_FIELD_JOINT_B) != 0 && def->joint_b != 0 &&
        joint_twin(t, def->joint_b, &out.joint_b, missing) != STATUS_OK) {
        out.joint_b = NOBODY;
    }
    if ((def->fields & JOINT_FIELD_JOINT_A) != 0 && def->joint_a != 0 &&
        joint_twin(t, def->joint_a, &out.joint_a, missing) != STATUS_OK) {
        out.joint_a = NOBODY;
    }
    return out;
}

static status joint_twin_create(trial *t, joint_id id, const joint_def *def, joint_id *out,
                                error *err)
{
    error missing = {0};
    joint_def mapped = joint_def_twins(t, def, &missing);
    status s = joint_create(t->twins, &mapped, out, err);
    if (s == STATUS_NOT_FOUND) {
        return error_set(err, s, "%s", missing.text);
    }
    if (s == STATUS_OK) {
        twin made = {id, *out};
        array_push(&t->joints, made);
    }
    return s;
}

// As body_twin. A joint of the world whose body, or gear whose joint, the batch has removed went
// with it.
static status joint_twin(trial *t, joint_id id, joint_id *out, error *err)
{
    joint_info info;
    const twin *known = twin_find(t->joints.data, t->joints.count, id);
    if (known != NULL) {
        *out = known->trial;
        return joint_get(t->twins, known->trial, &info, NULL) == STATUS_OK
                   ? STATUS_OK
                   : no_such("joint", id, err);
    }
    if (command_id_is_reference(id) || joint_get(t->world, id, &info, NULL) != STATUS_OK) {
        return no_such("joint", id, err);
    }
    status s = joint_twin_create(t, id, &info.def, out, err);
    return s == STATUS_NOT_FOUND ? no_such("joint", id, err) : s;
}

// A rod that was as long as its anchors are apart, in the trial's rounding, must be so in the
// world's.
static status rod_check(const trial *t, joint_id id, joint_id made, error *err)
{
    joint_info info;
    status s = joint_get(t->twins, made, &info, err);
    if (s != STATUS_OK || info.def.kind != JOINT_DISTANCE || !command_id_is_reference(id)) {
        return s;
    }
    const joint_def *given = &t->batch->commands[command_id_index(id)].joint.def;
    bool rod = (info.def.fields & JOINT_FIELD_LENGTH) != 0 && !(info.def.hertz > 0.0);
    if (rod && (given->fields & JOINT_FIELD_LENGTH) == 0 &&
        info.def.length < 1.01 * (double)LINEAR_SLOP) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "length: the anchors are too close for a rod: %g m", info.def.length);
    }
    return STATUS_OK;
}

static status trial_joint_create(trial *t, uint32_t index, const command *c, error *err)
{
    (void)c;
    joint_id id = COMMAND_REFERENCE | index;
    joint_id made = 0;
    status s = joint_twin_create(t, id, &t->batch->commands[index].joint.def, &made, err);
    return s == STATUS_OK ? rod_check(t, id, made, err) : s;
}

static status trial_joint_set(trial *t, uint32_t index, const command *c, error *err)
{
    const joint_args *set = &c->joint;
    (void)index;
    joint_id id = 0;
    status s = joint_twin(t, set->joint, &id, err);
    if (s == STATUS_OK) {
        s = joint_set(t->twins, id, set->def.fields, &set->def, err);
    }
    return s == STATUS_OK ? rod_check(t, set->joint, id, err) : s;
}

static status trial_joint_remove(trial *t, uint32_t index, const command *c, error *err)
{
    joint_id id = c->joint_id;
    (void)index;
    joint_id trial_id = 0;
    status s = joint_twin(t, id, &trial_id, err);
    return s == STATUS_OK ? joint_remove(t->twins, trial_id, err) : s;
}

static status trial_remove(trial *t, uint32_t index, const command *c, error *err)
{
    body_id id = c->body;
    (void)index;
    body_id trial_id = 0;
    status s = body_twin(t, id, &trial_id, err);
    return s == STATUS_OK ? body_remove(t->twins, trial_id, err) : s;
}

static status trial_body_set(trial *t, uint32_t index, const command *c, error *err)
{
    const body_set_args *set = &c->body_set;
    (void)index;
    const uint32_t told = BODY_FIELD_POSITION | BODY_FIELD_ANGLE | BODY_FIELD_TYPE;
    body_id id = 0;
    status s = body_twin(t, set->body, &id, err);
    return s == STATUS_OK ? body_set(t->twins, id, set->fields & told, &set->values, err) : s;
}

static status trial_spawn(trial *t, uint32_t index, const command *c, error *err)
{
    body_id body;
    return body_twin_create(t, COMMAND_REFERENCE | index, &c->spawn.def, &body, err);
}

static status trial_joint_get(trial *t, uint32_t index, const command *c, error *err)
{
    joint_id joint;
    (void)index;
    return joint_twin(t, c->joint_id, &joint, err);
}

typedef status trial_function(trial *t, uint32_t index, const command *c, error *err);

#define ROW(id, trial) [METHOD_##id] = trial_##trial,
static trial_function *const TRIAL[METHOD_COUNT] = {METHOD_TRIAL(ROW)};
#undef ROW

status trial_command(trial *t, uint32_t index, error *err)
{
    const command *c = &t->batch->commands[index];
    return TRIAL[c->method] == NULL ? STATUS_OK : TRIAL[c->method](t, index, c, err);
}
