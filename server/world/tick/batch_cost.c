// The time of a batch; see batch_cost.h. The constants are measured: the time of a batch of a
// thousand such commands, divided by what they go over.
#include "server/world/tick/batch_cost.h"

#include "common/base/assert.h"
#include "common/physics/overlaps.h"

static const int64_t COMMAND_NS = 2000;                            // without all that follows
static const int64_t MAKE_SHAPE_NS = 2500, REMOVE_SHAPE_NS = 2000; // a shape or a piece of a chain
static const int64_t MOVE_SHAPE_NS = 700; // its box, and the search for pairs
static const int64_t READ_SHAPE_NS = 7000;
static const int64_t WEIGH_SHAPE_NS = 60; // its share in computing the mass of its body
static const int64_t LINK_NS = 60;        // a joint or contact of a body that changes
static const int64_t REST_BODY_NS = 60;   // a body that falls asleep or wakes with another

// The effect of commands on the sleep of a body and of those that touch it.
typedef enum rest { REST_LEFT, REST_SLEEPS, REST_WAKES } rest;

typedef struct batch_sum {
    const physics_world *world;
    const command *batch;
    uint64_t added; // shapes that earlier commands added to bodies
    rest rest;      // the last that is not REST_LEFT
    int64_t ns;
} batch_sum;

static int64_t times(uint64_t count, int64_t each_ns)
{
    return (int64_t)count * each_ns;
}

static uint64_t pieces_of(const shape_def *shapes, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += shape_def_pieces(&shapes[i]);
    }
    return sum;
}

// The body of an id, or of an earlier command of the batch. One that is not there has nothing.
static body_load load_of(const batch_sum *s, body_id id)
{
    body_load load = {0};
    if (!command_id_is_reference(id)) {
        load = world_body_load(s->world, id);
    } else if (command_id_index(id) < s->batch->apply.count) {
        const command *maker = &s->batch->apply.commands[command_id_index(id)];
        load.shapes = maker->method == METHOD_BODY_SPAWN
                          ? (uint32_t)pieces_of(maker->spawn.shapes, maker->spawn.shape_count)
                          : 0;
    }
    const uint64_t most = PHYSICS_BODY_SHAPES_MAX;
    load.shapes = load.shapes + s->added < most ? load.shapes + (uint32_t)s->added : (uint32_t)most;
    return load;
}

static int64_t shapes_moved(const batch_sum *s, body_id id)
{
    const body_load load = load_of(s, id);
    return times(load.shapes, MOVE_SHAPE_NS) +
           times((uint64_t)load.joints + load.contacts, LINK_NS);
}

static int64_t set_ns(const batch_sum *s, const body_set_args *set)
{
    const uint32_t moving =
        BODY_FIELD_POSITION | BODY_FIELD_ANGLE | BODY_FIELD_TYPE | BODY_FIELD_ENABLED;
    const uint32_t weighing = BODY_FIELD_MASS | BODY_FIELD_FIXED_ROTATION;
    int64_t ns = 0;
    if ((set->fields & moving) != 0) {
        ns += shapes_moved(s, set->body);
    }
    if ((set->fields & weighing) != 0) {
        ns += times(load_of(s, set->body).shapes, WEIGH_SHAPE_NS);
    }
    return ns;
}

static rest rest_after(const command *c)
{
    switch (c->method) {
    case METHOD_BODY_SET:
        return (c->body_set.fields & BODY_FIELD_AWAKE) != 0 && !c->body_set.values.awake
                   ? REST_SLEEPS
                   : REST_WAKES;
    case METHOD_BODY_SPAWN:
    case METHOD_BODY_GET:
    case METHOD_JOINT_GET:
    case METHOD_DATA_SET:
    case METHOD_DATA_GET:
    case METHOD_DATA_REMOVE:
    case METHOD_MESSAGE_SEND:
        return REST_LEFT;
    default:
        return REST_WAKES;
    }
}

// Several commands in a row that put bodies to sleep do so to each body once at most; so do those
// that wake them.
static int64_t rest_ns(batch_sum *s, const command *c)
{
    const rest after = rest_after(c);
    if (after == REST_LEFT || after == s->rest) {
        return 0;
    }
    const bool first = s->rest == REST_LEFT;
    s->rest = after;
    const uint64_t bodies =
        (uint64_t)world_step_load(s->world).bodies + world_bodies_asleep(s->world);
    return first && after == REST_WAKES ? 0 : times(bodies, REST_BODY_NS);
}

static int64_t command_ns(batch_sum *s, const command *c)
{
    switch (c->method) {
    case METHOD_BODY_SPAWN:
        return times(pieces_of(c->spawn.shapes, c->spawn.shape_count), MAKE_SHAPE_NS);
    case METHOD_SHAPE_ADD: {
        const uint64_t pieces = pieces_of(&c->shape_add.def, 1);
        const int64_t ns = times(load_of(s, c->shape_add.body).shapes, WEIGH_SHAPE_NS);
        s->added += pieces;
        return ns + times(pieces, MAKE_SHAPE_NS);
    }
    case METHOD_BODY_SET:
        return set_ns(s, &c->body_set);
    case METHOD_BODY_GET:
        return times(load_of(s, c->get.body).shapes, READ_SHAPE_NS);
    case METHOD_BODY_REMOVE: {
        const body_load load = load_of(s, c->body);
        return times(load.shapes, REMOVE_SHAPE_NS) +
               times((uint64_t)load.joints + load.contacts, LINK_NS);
    }
    case METHOD_SHAPE_SET:
        return (c->shape_set.fields & SHAPE_FIELD_DENSITY) != 0
                   ? times(world_shape_load(s->world, c->shape_set.shape).shapes, WEIGH_SHAPE_NS)
                   : 0;
    case METHOD_SHAPE_REMOVE:
        return times(world_shape_load(s->world, c->shape).shapes, WEIGH_SHAPE_NS);
    default:
        return 0;
    }
}

int64_t batch_cost_ns(const physics_world *world, const command *batch)
{
    ASSERT(batch->method == METHOD_WORLD_APPLY);
    batch_sum s = {.world = world, .batch = batch};
    for (uint32_t i = 0; i < batch->apply.count; i++) {
        const command *c = &batch->apply.commands[i];
        s.ns += COMMAND_NS + command_ns(&s, c) + rest_ns(&s, c);
    }
    return s.ns;
}

int64_t batch_cost_apart_ns(const command *batch)
{
    ASSERT(batch->method == METHOD_WORLD_APPLY);
    return times(batch->apply.count, COMMAND_NS);
}
