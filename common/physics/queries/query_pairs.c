// Counting pairs of overlapping boxes; see overlaps.h.
//
// The trees do not have the shapes that are about to be made, so counted boxes are kept separately:
// in a list while they are few, then in a tree of their own.
#include "common/physics/overlaps.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/world.h"

enum { LISTED_MAX = 32 }; // boxes in the list, compared one by one

typedef struct made_box {
    aabb box;
    int32_t group;
    bool fixed;
} made_box;

struct overlap_count {
    const physics_world *world;
    uint64_t most, found;
    uint64_t looked; // visited boxes that make no pair
    ARRAY(made_box) made;
    tree own; // a tree of `made` when it exceeds LISTED_MAX
    bool planted;
};

// ---- one box against existing ones

typedef struct visit {
    const physics_world *world; // NULL: visits boxes of `made`
    const overlap_count *of;
    int32_t group;
    bool fixed;
    uint64_t found, most;
    uint64_t *looked;
} visit;

static bool visit_one(void *context, uint32_t item)
{
    visit *v = context;
    bool apart = false;
    if (v->group < 0) { // shapes of one negative group never pair
        apart = v->world != NULL ? v->world->shapes.data[item].traits->filter.group == v->group
                                 : v->of->made.data[item].group == v->group;
    }
    if (v->world == NULL && v->fixed) {
        apart = apart || v->of->made.data[item].fixed;
    }
    v->found += apart ? 0 : 1;
    *v->looked += apart ? 1 : 0;
    return v->found < v->most && *v->looked < OVERLAP_LOOKS_MAX;
}

static uint64_t count_in_world(const physics_world *world, aabb box, int32_t group, bool fixed,
                               uint64_t most, uint64_t *looked)
{
    visit v = {.world = world, .group = group, .most = most, .looked = looked};
    for (int i = fixed ? BODY_KINEMATIC : BODY_STATIC; i < BROAD_TREES && v.found < most; i++) {
        tree_query(&world->broad.trees[i], box, visit_one, &v);
    }
    return v.found;
}

static uint64_t count_made(overlap_count *c, aabb box, int32_t group, bool fixed)
{
    visit v = {
        .of = c, .group = group, .fixed = fixed, .most = c->most - c->found, .looked = &c->looked};
    if (c->planted) {
        tree_query(&c->own, box, visit_one, &v);
        return v.found;
    }
    for (uint32_t i = 0; i < c->made.count; i++) {
        if (aabb_overlaps(c->made.data[i].box, box)) {
            visit_one(&v, i);
        }
    }
    return v.found;
}

static void keep(overlap_count *c, made_box box)
{
    array_push(&c->made, box);
    if (c->planted) {
        tree_insert(&c->own, c->made.count - 1, box.box, 0, true);
    } else if (c->made.count > LISTED_MAX) {
        tree_init(&c->own);
        c->planted = true;
        for (uint32_t i = 0; i < c->made.count; i++) {
            tree_insert(&c->own, i, c->made.data[i].box, 0, true);
        }
    }
}

static void add(overlap_count *c, aabb tight, vec2d place, int32_t group, bool fixed)
{
    if (c->found >= c->most) {
        return;
    }
    aabb box = aabb_at(place, shape_box_with_margin(tight, fixed));
    c->found += count_in_world(c->world, box, group, fixed, c->most - c->found, &c->looked);
    if (c->found < c->most) {
        c->found += count_made(c, box, group, fixed);
        keep(c, (made_box){box, group, fixed});
    }
    c->found = c->looked < OVERLAP_LOOKS_MAX ? c->found : c->most;
}

static void add_shape(overlap_count *c, const shape_def *def, vec2d place, rot turned, bool fixed)
{
    transform local = {{0.0f, 0.0f}, turned};
    int pieces = (int)shape_def_pieces(def);
    if (def->form != FORM_CHAIN) {
        add(c, shape_aabb(&def->geometry, local), place, def->filter.group, fixed);
    }
    for (int i = 0; i < pieces; i++) {
        vec2 a = rot_vec(turned, def->points[i]);
        vec2 b = rot_vec(turned, def->points[(i + 1) % def->point_count]);
        aabb edge = {vec2_min(a, b), vec2_max(a, b)};
        add(c, edge, place, def->filter.group, fixed);
    }
}

// ---- changes

overlap_count *overlap_count_begin(const physics_world *world, uint64_t most)
{
    overlap_count *c = calloc(1, sizeof *c);
    ASSERT_MEMORY(c != NULL);
    c->world = world;
    c->most = most;
    return c;
}

uint64_t overlap_count_end(overlap_count *c)
{
    uint64_t found = c->found < c->most ? c->found : c->most;
    if (c->planted) {
        tree_deinit(&c->own);
    }
    array_free(&c->made);
    free(c);
    return found;
}

void overlap_count_spawn(overlap_count *c, const body_def *def, const shape_def *shapes,
                         uint32_t count)
{
    for (uint32_t i = 0; def->enabled && i < count; i++) {
        add_shape(c, &shapes[i], def->position, rot_from_angle(def->angle),
                  def->type == BODY_STATIC);
    }
}

void overlap_count_shape(overlap_count *c, body_id id, const shape_def *def)
{
    uint32_t slot;
    if (body_find(c->world, id, &slot, NULL) == STATUS_OK) {
        const body_motion *m = &c->world->motions.data[slot];
        add_shape(c, def, m->position, m->rotation,
                  c->world->bodies.data[slot].type == BODY_STATIC);
    }
}

void overlap_count_set(overlap_count *c, body_id id, uint32_t fields, const body_def *values)
{
    const uint32_t moving =
        BODY_FIELD_POSITION | BODY_FIELD_ANGLE | BODY_FIELD_TYPE | BODY_FIELD_ENABLED;
    uint32_t slot;
    if ((fields & moving) == 0 || body_find(c->world, id, &slot, NULL) != STATUS_OK) {
        return;
    }
    const body_motion *m = &c->world->motions.data[slot];
    bool was_fixed = c->world->bodies.data[slot].type == BODY_STATIC;
    bool fixed = (fields & BODY_FIELD_TYPE) != 0 ? values->type == BODY_STATIC : was_fixed;
    vec2d place = (fields & BODY_FIELD_POSITION) != 0 ? values->position : m->position;
    rot turned = (fields & BODY_FIELD_ANGLE) != 0 ? rot_from_angle(values->angle) : m->rotation;
    for (uint32_t i = c->world->bodies.data[slot].shapes; i != NONE && c->found < c->most;
         i = c->world->shapes.data[i].next) {
        const shape *s = &c->world->shapes.data[i];
        if ((s->flags & SHAPE_IS_CHAIN) != 0) {
            continue;
        }
        int32_t group = s->traits->filter.group;
        uint64_t before = c->found;
        uint64_t there =
            s->boxed ? count_in_world(c->world, s->fat, group, was_fixed, c->most, &c->looked) : 0;
        add(c, shape_aabb(&s->traits->geometry, (transform){{0.0f, 0.0f}, turned}), place, group,
            fixed);
        if (c->found < c->most) {
            c->found = c->found - before > there ? c->found - there : before;
        }
    }
}

// ---- the world in its current state

uint32_t world_pair_count(const physics_world *world)
{
    return world->contact_slots.count;
}

step_load world_step_load(const physics_world *world)
{
    return (step_load){.bodies = world->awake_bodies.count,
                       .contacts = world->awake_contacts.count,
                       .joints = world->awake_joints.count};
}

static body_load load_of_body(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    return (body_load){
        .shapes = b->shape_count, .joints = b->joint_count, .contacts = b->contact_count};
}

body_load world_body_load(const physics_world *world, body_id id)
{
    uint32_t slot;
    return body_find(world, id, &slot, NULL) == STATUS_OK ? load_of_body(world, slot)
                                                          : (body_load){0};
}

body_load world_shape_load(const physics_world *world, shape_id id)
{
    uint32_t slot;
    return shape_find(world, id, &slot, NULL) == STATUS_OK
               ? load_of_body(world, world->shapes.data[slot].body)
               : (body_load){0};
}

uint32_t world_bodies_asleep(const physics_world *world)
{
    return world->body_slots.count - world->awake_bodies.count;
}

uint64_t world_count_overlaps(const physics_world *world, uint64_t most)
{
    uint64_t moving = 0; // pairs of two that may move are found from both sides
    uint64_t fixed = 0;
    uint64_t looked = 0;
    for (uint32_t slot = slots_next(&world->shape_slots, 0);
         slot != 0 && moving / 2 + fixed < most && looked < OVERLAP_LOOKS_MAX;
         slot = slots_next(&world->shape_slots, slot)) {
        const shape *s = &world->shapes.data[slot];
        if (!s->boxed || world->bodies.data[s->body].type == BODY_STATIC) {
            continue;
        }
        int32_t group = s->traits->filter.group;
        uint64_t all = count_in_world(world, s->fat, group, false, 2 * most, &looked);
        uint64_t others = count_in_world(world, s->fat, group, true, 2 * most, &looked);
        moving += others - (group < 0 ? 0 : 1); // the box finds itself
        fixed += all - others;
    }
    uint64_t found = moving / 2 + fixed;
    return found < most ? found : most;
}

uint64_t world_count_overlaps_of(const physics_world *world,
                                 bool (*counts)(void *context, body_id body), void *context,
                                 uint64_t most)
{
    uint64_t found = 0; // pairs of two given bodies, found from both sides
    uint64_t looked = 0;
    for (uint32_t slot = slots_next(&world->shape_slots, 0);
         slot != 0 && found / 2 < most && looked < OVERLAP_LOOKS_MAX;
         slot = slots_next(&world->shape_slots, slot)) {
        const shape *s = &world->shapes.data[slot];
        if (!s->boxed || world->bodies.data[s->body].type == BODY_STATIC ||
            !counts(context, body_id_of(world, s->body))) {
            continue;
        }
        const int32_t group = s->traits->filter.group;
        found += count_in_world(world, s->fat, group, false, 2 * most, &looked);
        found -= group < 0 ? 0 : 1;
    }
    return found / 2 < most && looked < OVERLAP_LOOKS_MAX ? found / 2 : most;
}
