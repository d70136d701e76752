// See pair_room.h. Any thread.
#include "common/physics/step/pair_room.h"

#include "common/physics/parallel/sort.h"
#include "common/physics/state/world.h"

// Whether the pair has a static or kinematic body. A sensor stops no body, so it does not count.
static bool stands(const physics_world *world, item_pair p)
{
    const shape *a = &world->shapes.data[p.a];
    const shape *b = &world->shapes.data[p.b];
    return ((a->flags | b->flags) & SHAPE_SENSOR) == 0 &&
           (world->bodies.data[a->body].type != BODY_DYNAMIC ||
            world->bodies.data[b->body].type != BODY_DYNAMIC);
}

// Moves the pairs with a static or kinematic body to the front. Returns their number.
static uint32_t part_standing(const physics_world *world, item_pairs *found)
{
    uint32_t standing = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        const item_pair p = found->data[i];
        if (stands(world, p)) {
            found->data[i] = found->data[standing];
            found->data[standing++] = p;
        }
    }
    return standing;
}

// Keeps the `most` lowest of `count` pairs. Returns how many are kept.
static uint32_t keep_lowest(item_pair *pairs, uint32_t count, uint32_t most)
{
    item_pairs some = {.data = pairs, .count = count, .capacity = count};
    keep_lowest_pairs(&some, most);
    return some.count;
}

void keep_pairs_with_room(const physics_world *world, item_pairs *found)
{
    const contact_rooms room = contact_room(world);
    if (found->count <= room.moving) {
        return;
    }
    const uint32_t standing = part_standing(world, found);
    const uint32_t kept = keep_lowest(found->data, standing, room.standing);
    item_pair *moving = found->data + standing;
    const uint32_t others =
        keep_lowest(moving, found->count - standing, room.moving > kept ? room.moving - kept : 0);
    for (uint32_t i = 0; i < others; i++) {
        found->data[kept + i] = moving[i];
    }
    found->count = kept + others;
}

void keep_standing_pairs(const physics_world *world, item_pairs *found)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        if (stands(world, found->data[i])) {
            found->data[kept++] = found->data[i];
        }
    }
    found->count = kept;
}
