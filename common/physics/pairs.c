// Finding pairs: each shape whose fat box is new asks the trees what it overlaps. What is found is
// sorted by slots before contacts are made, so that their slots do not depend on the shape of a
// tree.
#include "common/physics/world.h"

#include <stdlib.h>

typedef struct pair_search {
    physics_world *world;
    uint32_t shape;
} pair_search;

// The box for which pairs of the shape were found last.
static aabb box_before(const shape *s)
{
    return (s->flags & SHAPE_ENLARGED) != 0 ? s->fat_before : s->fat;
}

static bool note_pair(void *context, uint32_t other)
{
    pair_search *search = context;
    physics_world *world = search->world;
    uint32_t shape_ = search->shape;
    const shape *s = &world->shapes.data[shape_];
    const shape *o = &world->shapes.data[other];
    // When both boxes are new, the pair is found from the side of the lower slot. When the old
    // boxes overlapped, the pair was found then.
    if (s->body == o->body || ((o->flags & SHAPE_ENLARGED) != 0 && other < shape_) ||
        aabb_overlaps(box_before(s), box_before(o))) {
        return true;
    }
    if (pair_set_has(&world->pairs, shape_, other) || !contact_wanted(world, shape_, other)) {
        return true;
    }
    slot_pair pair = shape_ < other ? (slot_pair){shape_, other} : (slot_pair){other, shape_};
    array_push(&world->found, pair);
    return true;
}

static int compare_pairs(const void *left, const void *right)
{
    const slot_pair *l = left;
    const slot_pair *r = right;
    if (l->a != r->a) {
        return l->a < r->a ? -1 : 1;
    }
    return l->b < r->b ? -1 : l->b > r->b;
}

// A new pair of which neither body is awake (something was put beside a sleeper) wakes the sleeper.
static void wake_sleeper(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    uint32_t a = c->body_a;
    uint32_t b = c->body_b;
    if (world->bodies.data[a].awake_index != 0 || world->bodies.data[b].awake_index != 0 ||
        (world->bodies.data[a].sleep_set != 0 && world->bodies.data[b].sleep_set != 0)) {
        return;
    }
    body_wake(world, a);
    body_wake(world, b);
}

void find_pairs(physics_world *world)
{
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_refresh(&world->broad.trees[i]);
    }
    array_clear(&world->found);
    for (uint32_t i = 0; i < world->enlarged.count; i++) {
        uint32_t slot = world->enlarged.data[i];
        const shape *s = &world->shapes.data[slot];
        pair_search search = {world, slot};
        bool fixed = world->bodies.data[s->body].type == BODY_STATIC;
        for (int type = fixed ? BODY_KINEMATIC : BODY_STATIC; type < BODY_TYPE_COUNT; type++) {
            tree_query(&world->broad.trees[type], s->fat, note_pair, &search);
        }
    }
    for (uint32_t i = 0; i < world->enlarged.count; i++) {
        shape *s = &world->shapes.data[world->enlarged.data[i]];
        s->flags &= ~(uint32_t)SHAPE_ENLARGED;
        world->motions.data[s->body].box_renewed = true; // narrow_phase.c ends what has parted
        array_push(&world->renewed, s->body);
    }
    array_clear(&world->enlarged);
    if (world->found.count > 1) { // qsort takes no NULL, even of nothing
        qsort(world->found.data, world->found.count, sizeof *world->found.data, compare_pairs);
    }
    for (uint32_t i = 0; i < world->found.count; i++) {
        uint32_t slot = contact_create(world, world->found.data[i].a, world->found.data[i].b);
        wake_sleeper(world, slot);
    }
}
