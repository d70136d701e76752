// Choosing and encoding descriptions, within their limit; see descriptions.h. The world's thread.
#include "server/world/snapshots/descriptions.h"

#include "common/base/assert.h"
#include "common/physics/joint.h"
#include "common/world/apply.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"

// Changes of these fields are sent in rows and events, not in descriptions.
static const uint32_t MOTION_FIELDS = BODY_FIELD_POSITION | BODY_FIELD_ANGLE | BODY_FIELD_VELOCITY |
                                      BODY_FIELD_ANGULAR_VELOCITY | BODY_FIELD_AWAKE;

void descriptions_init(descriptions *d, uint64_t bytes_max)
{
    *d = (descriptions){.bytes_max = bytes_max};
    buffer_init(&d->bodies, WIRE_REPLY_BYTES_MAX);
    buffer_init(&d->joints, WIRE_REPLY_BYTES_MAX);
}

void descriptions_deinit(descriptions *d)
{
    buffer_deinit(&d->bodies);
    buffer_deinit(&d->joints);
    array_free(&d->joints_removed);
}

void descriptions_begin(descriptions *d, description_progress progress, bool full, uint64_t most)
{
    ASSERT(d->bytes_max > 0);
    d->bytes_most = most < d->bytes_max ? most : d->bytes_max;
    buffer_clear(&d->bodies);
    buffer_clear(&d->joints);
    array_clear(&d->joints_removed);
    d->body_count = d->joint_count = 0;
    d->before = full ? (description_progress){0, 0} : progress;
    d->after = DESCRIPTION_COMPLETE;
}

// ---- bodies

void descriptions_body(descriptions *d, const physics_world *world, const row_entry *entry,
                       uint32_t slot, bool known)
{
    ASSERT(entry->id != 0);
    bool due = slot >= d->before.bodies_from || !known;
    if (!due || d->after.bodies_from <= slot) {
        return;
    }
    if (d->bodies.size > 0 && d->bodies.size >= d->bytes_most / 2) {
        d->after.bodies_from = slot;
        return;
    }
    command get = {.method = METHOD_BODY_GET, .get.body = entry->id};
    command_result result;
    error err;
    // body.get does not change the world; apply_command takes a mutable one for all methods.
    status s =
        apply_command_as((physics_world *)(uintptr_t)world, d->owners, NULL, &get, &result, &err);
    ASSERT(s == STATUS_OK); // the table has just been made from this world
    encode_body(&d->bodies, &result.body);
    command_result_free(&result);
    d->body_count++;
}

// ---- joints

static bool has_slot(const view_set *seen, uint32_t slot)
{
    return slot == UINT32_MAX || view_set_has(seen, slot);
}

// A joint is in view while one of its bodies is. For a reader with token areas all of its bodies
// must be in view, also those of a gear's joints: the description names them, and some may be
// hidden from the reader.
static bool in_view(const subscription *reader, const view_set *seen, const joint_slots *of)
{
    if (seen == NULL) {
        return true;
    }
    return reader->token_areas == NULL
               ? view_set_has(seen, of->a) || view_set_has(seen, of->b)
               : has_slot(seen, of->a) && has_slot(seen, of->b) && has_slot(seen, of->other_a) &&
                     has_slot(seen, of->other_b);
}

static void describe_joint(descriptions *d, const physics_world *world, const joint_entry *entry,
                           uint32_t slot)
{
    ASSERT(entry->id != 0);
    if (d->joints.size > 0 && d->joints.size >= d->bytes_most / 2) {
        d->after.joints_from = slot;
        return;
    }
    joint_info info;
    status s = joint_get(world, entry->id, &info, NULL);
    ASSERT(s == STATUS_OK);
    encode_joint(&d->joints, &info);
    d->joint_count++;
}

void descriptions_joints(descriptions *d, const physics_world *world, const joint_table *joints,
                         const subscription *reader, const view_set *seen, bool full)
{
    ASSERT(joints->following);
    uint64_t version = full ? 0 : reader->version;
    for (uint32_t slot = 0; slot < joints->entries.count; slot++) {
        const joint_entry *e = &joints->entries.data[slot];
        if (e->id == 0 || !in_view(reader, seen, &e->slots)) {
            continue;
        }
        bool known = slot < d->before.joints_from && e->changed <= version &&
                     in_view(reader, reader->seen, &e->slots);
        if (!known && d->after.joints_from > slot) {
            describe_joint(d, world, e, slot);
        }
    }
    for (uint32_t i = 0; i < joints->removals.count && !full; i++) {
        const joint_removal *gone = &joints->removals.data[i];
        if (gone->removed > version && gone->created <= version &&
            in_view(reader, reader->seen, &gone->slots)) {
            array_push(&d->joints_removed, gone->id);
        }
    }
}

// ---- commands

// References of a batch name things that the batch itself makes: those are new to every reader.
static void mark_body_set(const physics_world *world, const command *c, row_table *rows,
                          joint_table *joints)
{
    (void)world, (void)joints;
    if ((c->body_set.fields & ~MOTION_FIELDS) != 0 || c->body_set.owner != NULL) {
        row_table_mark(rows, c->body_set.body);
    }
}

static void mark_body(const physics_world *world, const command *c, row_table *rows,
                      joint_table *joints)
{
    (void)world, (void)joints;
    row_table_mark(rows, command_subject(c));
}

static void mark_shape(const physics_world *world, const command *c, row_table *rows,
                       joint_table *joints)
{
    (void)joints;
    shape_info info;
    const shape_id shape = command_subject(c);
    if (!command_id_is_reference(shape) && shape_get(world, shape, &info, NULL) == STATUS_OK) {
        row_table_mark(rows, info.body);
    }
}

static void mark_joint_set(const physics_world *world, const command *c, row_table *rows,
                           joint_table *joints)
{
    (void)world;
    joint_table_mark(joints, c->joint.joint, rows->version + 1);
}

static void mark_joints(const physics_world *world, const command *c, row_table *rows,
                        joint_table *joints)
{
    (void)world, (void)c, (void)rows;
    joints->dirty = true;
}

typedef void mark_function(const physics_world *world, const command *c, row_table *rows,
                           joint_table *joints);
#define ROW(id, mark) [METHOD_##id] = mark_##mark,
static mark_function *const MARK[METHOD_COUNT] = {METHOD_MARK(ROW)};

static void note_one(const physics_world *world, const command *c, row_table *rows,
                     joint_table *joints)
{
    if (MARK[c->method] != NULL) {
        MARK[c->method](world, c, rows, joints);
    }
}

void descriptions_note_command(const physics_world *world, const command *c, row_table *rows,
                               joint_table *joints)
{
    if (c->method != METHOD_WORLD_APPLY) {
        note_one(world, c, rows, joints);
        return;
    }
    for (uint32_t i = 0; i < c->apply.count; i++) {
        note_one(world, &c->apply.commands[i], rows, joints);
    }
}
