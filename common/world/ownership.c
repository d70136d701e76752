// Whether an actor may change the bodies and joints that a command names; see owners.h.
//
// In a batch, a body that the batch spawns is its sender's, a shape is its body's, and a joint was
// checked when it was made. A body that the batch gives to another owner is not the sender's for
// later commands.
#include <inttypes.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/world/data_plan.h"
#include "common/world/owners.h"

typedef struct hearing {
    const owners *owners;
    const physics_world *world;
    const actor *who;
    const apply_args *batch; // NULL outside a batch
    // Bodies, or references, that the batch has given to other owners so far
    ARRAY(body_id) handed;
    error *err;
} hearing;

// ---- owners of bodies

static bool is_handed(const hearing *h, body_id id)
{
    for (uint32_t i = 0; i < h->handed.count; i++) {
        if (h->handed.data[i] == id) {
            return true;
        }
    }
    return false;
}

// The command of the batch that a reference names; NULL unless its method is `made_by`.
static const command *maker_of(const hearing *h, uint64_t id, method made_by)
{
    uint32_t index = command_id_index(id);
    bool known =
        h->batch != NULL && index < h->batch->count && h->batch->commands[index].method == made_by;
    return known ? &h->batch->commands[index] : NULL;
}

static const char *owner_of(const hearing *h, body_id id)
{
    if (!command_id_is_reference(id)) {
        return owners_of(h->owners, id);
    }
    const command *spawn = maker_of(h, id, METHOD_BODY_SPAWN);
    return spawn != NULL && spawn->spawn.owner != NULL ? spawn->spawn.owner : "";
}

static bool is_own(const hearing *h, body_id id)
{
    return *h->who->subject != '\0' && !is_handed(h, id) &&
           strcmp(owner_of(h, id), h->who->subject) == 0;
}

// apply_command reports bodies that do not exist.
static bool is_missing(const hearing *h, body_id id)
{
    body_info info;
    return command_id_is_reference(id) ? maker_of(h, id, METHOD_BODY_SPAWN) == NULL
                                       : body_get(h->world, id, &info, NULL) != STATUS_OK;
}

// Whether the sender's areas touch the box around the body's shapes, by which snapshots choose
// bodies too. A batch calls it a thousand times, so the cost may not depend on the number of other
// bodies.
static bool is_seen(const hearing *h, body_id id)
{
    aabb box;
    bool seen = !h->who->confined;
    if (seen || body_box(h->world, id, &box, NULL) != STATUS_OK) {
        return seen;
    }
    ASSERT(h->who->areas != NULL || h->who->area_count == 0);
    for (uint32_t i = 0; i < h->who->area_count && !seen; i++) {
        const area *a = &h->who->areas[i];
        seen = (double)box.lower.x <= a->x1 && (double)box.upper.x >= a->x0 &&
               (double)box.lower.y <= a->y1 && (double)box.upper.y >= a->y0;
    }
    return seen;
}

// A static body without an owner: any player who sees it may join bodies to it.
static bool is_ground(const hearing *h, body_id id)
{
    body_info info;
    return !command_id_is_reference(id) && *owners_of(h->owners, id) == '\0' &&
           body_get(h->world, id, &info, NULL) == STATUS_OK && info.type == BODY_STATIC &&
           is_seen(h, id);
}

// The text is the same whether the body exists or not.
static status refuse_unseen(const hearing *h, const char *what, uint64_t id)
{
    return error_set(h->err, STATUS_NOT_FOUND,
                     "%s %" PRIu64 " does not exist, or is not this session's", what, id);
}

static status refuse_body(const hearing *h, body_id id)
{
    const char *owner = owner_of(h, id);
    if (h->who->confined && !command_id_is_reference(id)) {
        return refuse_unseen(h, "body", id);
    }
    if (command_id_is_reference(id)) {
        return error_set(h->err, STATUS_PERMISSION_DENIED,
                         "the body of {\"$\": %" PRIu32 "} is not this session's any more",
                         command_id_index(id));
    }
    return error_set(h->err, STATUS_PERMISSION_DENIED,
                     *owner != '\0' ? "body %" PRIu64 " is another's"
                                    : "body %" PRIu64
                                      " is nobody's: a referee or an admin changes it",
                     id);
}

static status check_body(const hearing *h, body_id id)
{
    const bool told = !h->who->confined || command_id_is_reference(id);
    return is_own(h, id) || (told && is_missing(h, id)) ? STATUS_OK : refuse_body(h, id);
}

// ---- shapes and joints

static status check_shape(const hearing *h, shape_id id)
{
    shape_info info;
    if (command_id_is_reference(id)) {
        const command *add = maker_of(h, id, METHOD_SHAPE_ADD);
        return add != NULL ? check_body(h, add->shape_add.body) : STATUS_OK;
    }
    const bool there = shape_get(h->world, id, &info, NULL) == STATUS_OK;
    if (h->who->confined) {
        return there && is_own(h, info.body) ? STATUS_OK : refuse_unseen(h, "shape", id);
    }
    return there ? check_body(h, info.body) : STATUS_OK;
}

// Checks both bodies of a joint: the sender must own one, and own the other unless it is ground. 0
// means no body: a mouse joint has only one.
static status check_ends(const hearing *h, body_id a, body_id b)
{
    bool own_a = a != 0 && is_own(h, a);
    bool own_b = b != 0 && is_own(h, b);
    if (a == 0 && b == 0) {
        return STATUS_OK; // a gear, whose joints are checked separately, or a joint.set
    }
    if (!h->who->confined && ((a != 0 && is_missing(h, a)) || (b != 0 && is_missing(h, b)))) {
        return STATUS_OK;
    }
    bool good_a = a == 0 || own_a || is_ground(h, a);
    bool good_b = b == 0 || own_b || is_ground(h, b);
    if (good_a && good_b && (own_a || own_b)) {
        return STATUS_OK;
    }
    return refuse_body(h, good_a && b != 0 ? b : a);
}

// The bodies of an existing joint, or of one that the batch makes.
static status check_joint_ends(const hearing *h, joint_id id, joint_def *out)
{
    joint_info info;
    *out = (joint_def){0};
    if (command_id_is_reference(id)) {
        const command *create = maker_of(h, id, METHOD_JOINT_CREATE);
        *out = create != NULL ? create->joint.def : *out;
    } else if (id != 0 && joint_get(h->world, id, &info, NULL) == STATUS_OK) {
        *out = info.def;
    } else if (id != 0 && h->who->confined) {
        return refuse_unseen(h, "joint", id);
    }
    status s = check_ends(h, out->a, out->b);
    return s != STATUS_OK && h->who->confined && !command_id_is_reference(id)
               ? refuse_unseen(h, "joint", id)
               : s;
}

// Checks a new or changed joint, and the joints that a gear couples, since it moves their bodies
// too. The engine refuses a gear on a gear.
static status check_joint_def(const hearing *h, const joint_def *def)
{
    joint_def below;
    status s = check_ends(h, def->a, def->b);
    if (s == STATUS_OK && (def->fields & JOINT_FIELD_JOINT_A) != 0) {
        s = check_joint_ends(h, def->joint_a, &below);
    }
    if (s == STATUS_OK && (def->fields & JOINT_FIELD_JOINT_B) != 0) {
        s = check_joint_ends(h, def->joint_b, &below);
    }
    return s;
}

static status check_joint(const hearing *h, joint_id id)
{
    joint_def def;
    status s = check_joint_ends(h, id, &def);
    return s == STATUS_OK ? check_joint_def(h, &def) : s;
}

static status check_joint_set(const hearing *h, const joint_args *set)
{
    joint_def values = set->def;
    values.a = values.b = 0; // joint.set does not change the bodies
    status s = check_joint(h, set->joint);
    return s == STATUS_OK ? check_joint_def(h, &values) : s;
}

// ---- new owners

static status permit_spawn(hearing *h, const command *c)
{
    const body_spawn_args *spawn = &c->spawn;
    if (spawn->owner != NULL && strcmp(spawn->owner, h->who->subject) != 0) {
        return error_set(h->err, STATUS_PERMISSION_DENIED,
                         "owner: only a referee or an admin spawns bodies for others");
    }
    return STATUS_OK;
}

static status permit_body_set(hearing *h, const command *c)
{
    const body_set_args *set = &c->body_set;
    status s = check_body(h, set->body);
    if (s == STATUS_OK && set->owner != NULL && *set->owner == '\0') {
        return error_set(h->err, STATUS_PERMISSION_DENIED,
                         "owner: only a referee or an admin may set no owner");
    }
    if (s == STATUS_OK && set->owner != NULL && strcmp(set->owner, h->who->subject) != 0) {
        array_push(&h->handed, set->body);
    }
    return s;
}

// ---- commands

static status permit_body(hearing *h, const command *c)
{
    ASSERT(command_subject(c) != 0);
    return check_body(h, command_subject(c));
}

static status permit_shape(hearing *h, const command *c)
{
    ASSERT(command_subject(c) != 0);
    return check_shape(h, command_subject(c));
}

static status permit_joint(hearing *h, const command *c)
{
    return check_joint(h, command_subject(c));
}

static status permit_joint_create(hearing *h, const command *c)
{
    return check_joint_def(h, &c->joint.def);
}

static status permit_joint_set(hearing *h, const command *c)
{
    return check_joint_set(h, &c->joint);
}

// ---- data

static status permit_key(const hearing *h, const char *key)
{
    const char *subject = h->who->subject;
    if (data_key_is_of(key, subject)) {
        return STATUS_OK;
    }
    return strchr(subject, '/') != NULL || *subject == '\0'
               ? error_set(h->err, STATUS_PERMISSION_DENIED,
                           "key: a player without a subject, or with a slash in it, has no keys")
               : error_set(h->err, STATUS_PERMISSION_DENIED,
                           "key: a player may change keys under player/%s/ alone", subject);
}

static status permit_data_set(hearing *h, const command *c)
{
    return permit_key(h, c->data_set.key);
}

static status permit_data_remove(hearing *h, const command *c)
{
    return permit_key(h, c->data_remove.key);
}

// ---- messages

static status permit_message_send(hearing *h, const command *c)
{
    const char *subject = c->message.subject;
    return subject == NULL || strcmp(subject, h->who->subject) == 0
               ? STATUS_OK
               : error_set(h->err, STATUS_PERMISSION_DENIED,
                           "subject: only a referee or an admin sends messages for others");
}

// ---- seats

// The server fills in the seat and the session, and has checked whose they are.
static status permit_seat(hearing *h, const command *c)
{
    (void)h, (void)c;
    return STATUS_OK;
}

typedef status permit_function(hearing *h, const command *c);
#define ROW(id, permit) [METHOD_##id] = permit_##permit,
static permit_function *const PERMIT[METHOD_COUNT] = {METHOD_PERMIT(ROW)};

// A method without a rule here is for referees and admins.
static status check_one(hearing *h, const command *c)
{
    ASSERT((unsigned)c->method < METHOD_COUNT && h->who->role < ROLE_REFEREE);
    if (PERMIT[c->method] != NULL) {
        return PERMIT[c->method](h, c);
    }
    return method_scope_of(c->method) == SCOPE_WORLD_COMMAND
               ? error_set(h->err, STATUS_PERMISSION_DENIED, "%s is for referees and admins",
                           method_wire_name(c->method))
               : STATUS_OK;
}

static status check_batch(hearing *h, const apply_args *batch)
{
    ASSERT(h->batch == NULL && h->handed.count == 0); // batches do not nest
    h->batch = batch;
    for (uint32_t i = 0; i < batch->count; i++) {
        status s = check_one(h, &batch->commands[i]);
        if (s != STATUS_OK) {
            error_prefix(h->err, "commands[%" PRIu32 "] (%s)", i,
                         method_wire_name(batch->commands[i].method));
            return s;
        }
    }
    return STATUS_OK;
}

status owners_permit(const owners *o, const physics_world *world, const actor *who,
                     const command *c, error *err)
{
    if (who->role >= ROLE_REFEREE || method_scope_of(c->method) != SCOPE_WORLD_COMMAND) {
        return STATUS_OK;
    }
    hearing h = {.owners = o, .world = world, .who = who, .err = err};
    status s = c->method == METHOD_WORLD_APPLY ? check_batch(&h, &c->apply) : check_one(&h, c);
    array_free(&h.handed);
    return s;
}
