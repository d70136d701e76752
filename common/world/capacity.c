// Counts what commands add to a world; see capacity.h. The world's thread.
#include "common/world/capacity.h"

#include <inttypes.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/physics/image.h"

typedef struct tally {
    const physics_world *world;
    const command *batch; // NULL: a single command
    // The world's counts after the commands so far
    int64_t bodies, shapes, joints;
    // The next command's additions; negative for removals
    int64_t more_bodies, more_shapes, more_joints;
} tally;

static tally tally_of(const physics_world *world)
{
    world_room left = world_room_left(world);
    return (tally){.world = world,
                   .bodies = (int64_t)world_definition(world).bodies_max - left.bodies,
                   .shapes = (int64_t)PHYSICS_SHAPES_MAX - left.shapes,
                   .joints = (int64_t)PHYSICS_JOINTS_MAX - left.joints};
}

static int64_t slots_of(const shape_def *def)
{
    return 1 + (int64_t)shape_def_pieces(def);
}

static int64_t slots_of_spawn(const body_spawn_args *spawn)
{
    int64_t slots = 0;
    for (uint32_t i = 0; i < spawn->shape_count; i++) {
        slots += slots_of(&spawn->shapes[i]);
    }
    return slots;
}

// The earlier command of the batch that spawned the body; NULL if the world has it, or the id is
// wrong.
static const body_spawn_args *maker_of(const tally *t, body_id id)
{
    uint64_t index = command_id_index(id);
    ASSERT(t->batch != NULL || !command_id_is_reference(id)); // the decoder refuses it elsewhere
    if (!command_id_is_reference(id) || index >= t->batch->apply.count) {
        return NULL;
    }
    const command *maker = &t->batch->apply.commands[index];
    return maker->method == METHOD_BODY_SPAWN ? &maker->spawn : NULL;
}

// The body's slots in the world, without additions of the batch.
static int64_t slots_of_body(const tally *t, body_id id)
{
    const body_spawn_args *maker = maker_of(t, id);
    body_info info;
    int64_t slots = 0;
    if (maker != NULL) {
        return slots_of_spawn(maker);
    }
    if (body_get(t->world, id, &info, NULL) == STATUS_OK) {
        for (shape_id shape = 0; (shape = body_next_shape(t->world, id, shape)) != 0;) {
            shape_info of;
            slots += shape_get(t->world, shape, &of, NULL) == STATUS_OK ? slots_of(&of.def) : 0;
        }
    }
    return slots;
}

static void tally_spawn(tally *t, const command *c)
{
    t->more_bodies = 1;
    t->more_shapes = slots_of_spawn(&c->spawn);
}

static void tally_shape_add(tally *t, const command *c)
{
    t->more_shapes = slots_of(&c->shape_add.def);
}

static void tally_joint_create(tally *t, const command *c)
{
    (void)c;
    t->more_joints = 1;
}

static void tally_body_remove(tally *t, const command *c)
{
    t->more_bodies = -1;
    t->more_shapes = t->batch != NULL ? -slots_of_body(t, c->body) : 0;
}

static void tally_joint_remove(tally *t, const command *c)
{
    (void)c;
    t->more_joints = -1;
}

typedef void tally_function(tally *t, const command *c);
#define ROW(id, tally) [METHOD_##id] = tally_##tally,
static tally_function *const TALLY[METHOD_COUNT] = {METHOD_TALLY(ROW)};

static void tally_command(tally *t, const command *c)
{
    t->more_bodies = 0;
    t->more_shapes = 0;
    t->more_joints = 0;
    ASSERT((unsigned)c->method < METHOD_COUNT);
    if (TALLY[c->method] != NULL) {
        TALLY[c->method](t, c);
    }
}

capacity_counts capacity_used(const physics_world *world)
{
    const tally t = tally_of(world);
    ASSERT(t.bodies >= 0 && t.shapes >= 0 && t.joints >= 0);
    return (capacity_counts){t.bodies, t.shapes, t.joints};
}

capacity_counts capacity_added(const physics_world *world, const command *c)
{
    tally t = {.world = world};
    const bool batch = c->method == METHOD_WORLD_APPLY;
    capacity_counts sum = {0, 0, 0};
    t.batch = batch ? c : NULL;
    for (uint32_t i = 0; i < (batch ? c->apply.count : 1); i++) {
        tally_command(&t, batch ? &c->apply.commands[i] : c);
        sum.bodies += t.more_bodies;
        sum.shapes += t.more_shapes;
        sum.joints += t.more_joints;
    }
    return sum;
}

int64_t capacity_of_body(const physics_world *world, body_id body)
{
    const tally t = {.world = world};
    return slots_of_body(&t, body);
}

typedef struct kind {
    const char *limit, *one, *many;
} kind;

static const kind BODIES = {"bodies_per_world", "body", "bodies"};
static const kind SHAPES = {"shapes_per_world", "shape", "shapes"};
static const kind JOINTS = {"joints_per_world", "joint", "joints"};

static status check_one(const kind *k, int64_t there, int64_t more, uint64_t most, error *err)
{
    if (more <= 0 || there + more <= (int64_t)most) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "%s: the world has %llu %s, and %" PRId64 " would be added; at most %" PRIu64
                     " are allowed",
                     k->limit, COUNTED(there, k->one, k->many), more, most);
}

static status tally_add(tally *t, const capacity_limits *most, const command *c, error *err)
{
    tally_command(t, c);
    // The engine reports a world's own limit
    bool own = world_definition(t->world).bodies_max <= most->bodies;
    status s = own ? STATUS_OK : check_one(&BODIES, t->bodies, t->more_bodies, most->bodies, err);
    if (s == STATUS_OK) {
        s = check_one(&SHAPES, t->shapes, t->more_shapes, most->shapes, err);
    }
    if (s == STATUS_OK) {
        s = check_one(&JOINTS, t->joints, t->more_joints, most->joints, err);
    }
    t->bodies += t->more_bodies;
    t->shapes += t->more_shapes;
    t->joints += t->more_joints;
    return s;
}

status capacity_admit(const physics_world *world, const capacity_limits *most, const command *c,
                      error *err)
{
    tally t = tally_of(world);
    if (c->method != METHOD_WORLD_APPLY) {
        return tally_add(&t, most, c, err);
    }
    t.batch = c;
    for (uint32_t i = 0; i < c->apply.count; i++) {
        const command *one = &c->apply.commands[i];
        status s = tally_add(&t, most, one, err);
        if (s != STATUS_OK) {
            error_prefix(err, "commands[%" PRIu32 "] (%s)", i, method_wire_name(one->method));
            return s;
        }
    }
    return STATUS_OK;
}

static status check_whole(const kind *k, int64_t there, uint64_t most, error *err)
{
    ASSERT(there >= 0);
    if (there <= (int64_t)most) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "%s: it has %llu %s; at most %" PRIu64 " are allowed", k->limit,
                     COUNTED(there, k->one, k->many), most);
}

status capacity_check(const physics_world *world, const capacity_limits *most, error *err)
{
    tally t = tally_of(world);
    status s = check_whole(&BODIES, t.bodies, most->bodies, err);
    if (s == STATUS_OK) {
        s = check_whole(&SHAPES, t.shapes, most->shapes, err);
    }
    return s == STATUS_OK ? check_whole(&JOINTS, t.joints, most->joints, err) : s;
}

static status check_kind(const kind *k, uint32_t used, uint32_t slots, uint64_t most, error *err)
{
    status s = check_whole(k, used, most, err);
    if (s == STATUS_OK && slots > most) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "%s: it has places for %llu %s, as it had so many once; at most "
                         "%" PRIu64 " are allowed",
                         k->limit, COUNTED(slots, k->one, k->many), most);
    }
    return s;
}

status capacity_check_image(const uint8_t *image, size_t size, const capacity_limits *most,
                            error *err)
{
    image_counts n;
    status s = world_image_counts(image, size, &n, err);
    if (s == STATUS_OK) {
        s = check_kind(&BODIES, n.bodies, n.body_slots, most->bodies, err);
    }
    if (s == STATUS_OK) {
        s = check_kind(&SHAPES, n.shapes, n.shape_slots, most->shapes, err);
    }
    if (s == STATUS_OK) {
        s = check_kind(&JOINTS, n.joints, n.joint_slots, most->joints, err);
    }
    return s;
}
