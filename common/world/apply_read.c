// The reading methods: bodies, joints and contacts copied out of the world, so that a result does
// not refer to it. A result over APPLY_RESULT_BYTES_MAX is an error. Thread: the one that owns the
// world.
#include "common/world/apply_internal.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/world/owners.h"

static status too_large(error *err)
{
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "the answer would be larger than %zu MiB; ask by body or subscribe with an "
                     "area",
                     APPLY_RESULT_BYTES_MAX >> 20);
}

// Gives the shape its own copy of its chain's points.
static void copy_points(shape_def *def, command_memory **memory)
{
    if (def->form != FORM_CHAIN) {
        return;
    }
    ASSERT(def->point_count >= 0 && def->point_count <= PHYSICS_CHAIN_POINTS_MAX);
    size_t count = (size_t)def->point_count;
    vec2 *points = command_memory_take(memory, count, sizeof *points);
    memcpy(points, def->points, count * sizeof *points);
    def->points = points;
}

status read_body(const physics_world *world, const owners *table, body_id id, body_record *out,
                 command_memory **memory, error *err)
{
    body_record record;
    status s = body_get(world, id, &record.info, err);
    if (s != STATUS_OK) {
        return s;
    }
    const char *owner = owners_of(table, id);
    record.info.tag = command_memory_text(memory, record.info.tag, strlen(record.info.tag));
    record.owner = *owner != '\0' ? command_memory_text(memory, owner, strlen(owner)) : "";
    record.shapes = command_memory_take(memory, record.info.shape_count, sizeof *record.shapes);
    shape_id shape = 0;
    for (uint32_t i = 0; i < record.info.shape_count; i++) {
        shape = body_next_shape(world, id, shape);
        ASSERT(shape != 0); // the body has shape_count shapes
        s = shape_get(world, shape, &record.shapes[i], err);
        if (s != STATUS_OK) {
            return s;
        }
        copy_points(&record.shapes[i].def, memory);
    }
    *out = record;
    return STATUS_OK;
}

size_t read_body_bytes(const physics_world *world, body_id id)
{
    size_t bytes = sizeof(body_record) + PHYSICS_TAG_BYTES_MAX + OWNER_BYTES_MAX;
    for (shape_id shape = 0; (shape = body_next_shape(world, id, shape)) != 0;) {
        shape_info info;
        if (shape_get(world, shape, &info, NULL) == STATUS_OK) {
            bytes += sizeof info + (size_t)info.def.point_count * sizeof *info.def.points;
        }
    }
    return bytes;
}

status read_joints(const physics_world *world, const char *name, joints_result *out,
                   command_memory **memory, error *err)
{
    ASSERT(strlen(name) <= WORLD_NAME_BYTES_MAX);
    uint32_t room = PHYSICS_JOINTS_MAX - world_room_left(world).joints;
    joints_result all = {0};
    if ((size_t)room * sizeof *all.joints > APPLY_RESULT_BYTES_MAX) {
        return too_large(err);
    }
    memcpy(all.world, name, strlen(name) + 1);
    all.joints = command_memory_take(memory, room, sizeof *all.joints);
    for (joint_id id = 0; (id = world_next_joint(world, id)) != 0;) {
        ASSERT(all.count < room);
        status s = joint_get(world, id, &all.joints[all.count], err);
        if (s != STATUS_OK) {
            return s;
        }
        all.count++;
    }
    *out = all;
    return STATUS_OK;
}

status read_contacts(const physics_world *world, const char *name, body_id body,
                     contacts_result *out, command_memory **memory, error *err)
{
    body_info info;
    status s = body != 0 ? body_get(world, body, &info, err) : STATUS_OK;
    if (s != STATUS_OK) {
        return s;
    }
    const uint32_t touching = world_count(world).contacts;
    contacts_result all = {0};
    if ((size_t)touching * sizeof *all.contacts > APPLY_RESULT_BYTES_MAX) {
        return too_large(err);
    }
    ASSERT(strlen(name) <= WORLD_NAME_BYTES_MAX);
    memcpy(all.world, name, strlen(name) + 1);
    all.contacts = command_memory_take(memory, touching, sizeof *all.contacts);
    const uint32_t found = world_contacts(world, all.contacts, touching);
    const uint32_t count = found < touching ? found : touching;
    for (uint32_t i = 0; i < count; i++) {
        const contact_info c = all.contacts[i];
        if (body == 0 || c.body_a == body || c.body_b == body) {
            all.contacts[all.count++] = c;
        }
    }
    *out = all;
    return STATUS_OK;
}

static status read_bodies(const physics_world *world, const owners *table,
                          world_state_result *state, command_memory **memory, error *err)
{
    uint32_t count = world_definition(world).bodies_max - world_room_left(world).bodies;
    if ((size_t)count * sizeof *state->bodies > APPLY_RESULT_BYTES_MAX) {
        return too_large(err);
    }
    state->bodies = command_memory_take(memory, count, sizeof *state->bodies);
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        ASSERT(state->body_count < count);
        status s = read_body(world, table, id, &state->bodies[state->body_count], memory, err);
        if (s != STATUS_OK) {
            return s;
        }
        state->body_count++;
        if (command_memory_used(*memory) > APPLY_RESULT_BYTES_MAX) {
            return too_large(err);
        }
    }
    return STATUS_OK;
}

status read_world(const physics_world *world, const owners *table, const char *name,
                  world_state_result *out, command_memory **memory, error *err)
{
    world_state_result state = {.hash = world_hash(world)};
    ASSERT(strlen(name) <= WORLD_NAME_BYTES_MAX);
    memcpy(state.world, name, strlen(name) + 1);
    status s = read_bodies(world, table, &state, memory, err);
    joints_result joints = {0};
    if (s == STATUS_OK) {
        s = read_joints(world, name, &joints, memory, err);
    }
    if (s == STATUS_OK) {
        state.joints = joints.joints;
        state.joint_count = joints.count;
        *out = state;
    }
    return s;
}
