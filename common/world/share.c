// Counts what an owner has; see share.h. The world's thread.
#include "common/world/share.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"

typedef struct asked {
    const physics_world *world;
    const owners *owners;
    const actor *who;
    uint64_t percent;
    capacity_counts there, more;
    error *err;
} asked;

typedef struct kind {
    const char *one, *many;
    uint64_t (*count)(const asked *a); // counts the sender's things
} kind;

static bool is_own(const asked *a, body_id body)
{
    ASSERT(*a->who->subject != '\0'); // the empty subject would own everything without an owner
    return body != 0 && strcmp(owners_of(a->owners, body), a->who->subject) == 0;
}

static uint64_t count_bodies(const asked *a)
{
    return owners_bodies(a->owners, a->who->subject);
}

static uint64_t count_shapes(const asked *a)
{
    uint64_t count = 0;
    for (body_id body = 0; (body = world_next_body(a->world, body)) != 0;) {
        count += is_own(a, body) ? (uint64_t)capacity_of_body(a->world, body) : 0;
    }
    return count;
}

static uint64_t count_joints(const asked *a)
{
    uint64_t count = 0;
    joint_info info;
    for (joint_id joint = 0; (joint = world_next_joint(a->world, joint)) != 0;) {
        count += joint_get(a->world, joint, &info, NULL) == STATUS_OK &&
                 (is_own(a, info.def.a) || is_own(a, info.def.b));
    }
    return count;
}

static const kind BODIES = {"body", "bodies", count_bodies};
static const kind SHAPES = {"shape", "shapes", count_shapes};
static const kind JOINTS = {"joint", "joints", count_joints};

// `own` is counted only if needed: if all things of the world and the additions fit the percentage
// of the free capacity, so do the sender's.
static status check(const asked *a, const kind *k, int64_t there, int64_t more, uint64_t most)
{
    ASSERT(there >= 0 && a->percent < 100);
    const uint64_t all = (uint64_t)there;
    const uint64_t left = most > all ? most - all : 0;
    if (more <= 0 || all + (uint64_t)more <= left * a->percent / 100) {
        return STATUS_OK;
    }
    const uint64_t own = k->count(a);
    const uint64_t others = a->who->confined || own > all ? 0 : all - own;
    const uint64_t may = (most > others ? most - others : 0) * a->percent / 100;
    if (own + (uint64_t)more <= may) {
        return STATUS_OK;
    }
    return error_set(a->err, STATUS_LIMIT_EXCEEDED,
                     "owner_share: this subject has %llu %s, and %" PRId64 " would be added; at "
                     "most %" PRIu64 " may be one player's now: remove some first",
                     COUNTED(own, k->one, k->many), more, may);
}

// Bodies that the command gives to another owner or to none.
static int64_t count_handed(const asked *a, const command *c)
{
    const char *to = c->method == METHOD_BODY_SET     ? c->body_set.owner
                     : c->method == METHOD_BODY_SPAWN ? c->spawn.owner
                                                      : NULL;
    int64_t handed = to != NULL && strcmp(to, a->who->subject) != 0;
    for (uint32_t i = 0; c->method == METHOD_WORLD_APPLY && i < c->apply.count; i++) {
        ASSERT(c->apply.commands[i].method != METHOD_WORLD_APPLY);
        handed += count_handed(a, &c->apply.commands[i]);
    }
    return handed;
}

static status check_handed(const asked *a, const command *c, uint64_t most)
{
    const int64_t handed = count_handed(a, c);
    const uint64_t may = most * a->percent / 100;
    ASSERT(may <= most && a->there.bodies >= 0);
    if (handed == 0 || (uint64_t)a->there.bodies <= may) {
        return STATUS_OK;
    }
    return error_set(a->err, STATUS_LIMIT_EXCEEDED,
                     "owner_share: %llu %s would become another's; in a world with room for "
                     "%" PRIu64 " that is for admins once there are more than %" PRIu64,
                     COUNTED(handed, "body", "bodies"), most, may);
}

status share_admit(const physics_world *world, const capacity_limits *most, uint64_t percent,
                   const owners *o, const actor *who, const command *c, error *err)
{
    ASSERT(c->method < METHOD_COUNT);
    if (who == NULL || who->role >= ROLE_REFEREE || *who->subject == '\0' || percent >= 100) {
        return STATUS_OK;
    }
    const uint64_t own_most = world_definition(world).bodies_max;
    const uint64_t bodies = own_most < most->bodies ? own_most : most->bodies;
    const asked a = {.world = world,
                     .owners = o,
                     .who = who,
                     .percent = percent,
                     .there = capacity_used(world),
                     .more = capacity_added(world, c),
                     .err = err};
    status s = check_handed(&a, c, bodies);
    if (s == STATUS_OK) {
        s = check(&a, &BODIES, a.there.bodies, a.more.bodies, bodies);
    }
    if (s == STATUS_OK) {
        s = check(&a, &SHAPES, a.there.shapes, a.more.shapes, most->shapes);
    }
    return s == STATUS_OK ? check(&a, &JOINTS, a.there.joints, a.more.joints, most->joints) : s;
}
