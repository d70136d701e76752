// Contacts grouped by pairs of ids. A chain has one id and a contact for each touched piece, so a
// pair of ids may have several contacts. Events, world_contacts() and the count of contacts refer
// to pairs of ids. Pairs without a chain have one contact, and cost nothing here.
#include "common/physics/state/contacts/contact_pair.h"

#include "common/physics/state/ids.h"
#include "common/physics/state/world.h"

static uint32_t whole_of(const physics_world *world, uint32_t piece)
{
    const uint32_t chain = world->shapes.data[piece].traits->chain;
    return chain != NONE ? chain : piece;
}

bool contact_has_pieces(const physics_world *world, const contact *c)
{
    return whole_of(world, c->shape_a) != c->shape_a || whole_of(world, c->shape_b) != c->shape_b;
}

pair_walk pair_walk_of(const physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    pair_walk walk = {
        .contact = slot,
        .shape_a = whole_of(world, c->shape_a),
        .shape_b = whole_of(world, c->shape_b),
    };
    if (contact_has_pieces(world, c)) {
        const body *a = &world->bodies.data[c->body_a];
        const body *b = &world->bodies.data[c->body_b];
        const bool fewer = a->contact_count < b->contact_count;
        walk.body = fewer ? c->body_a : c->body_b;
        walk.key = fewer ? a->contacts : b->contacts;
    }
    return walk;
}

uint32_t pair_walk_next(const physics_world *world, pair_walk *walk)
{
    while (walk->key != NONE) {
        const uint32_t slot = walk->key >> 1;
        const contact *c = &world->contacts.data[slot];
        walk->key = c->edges[walk->key & 1].next;
        if (slot != walk->contact && whole_of(world, c->shape_a) == walk->shape_a &&
            whole_of(world, c->shape_b) == walk->shape_b) {
            return slot;
        }
    }
    return NONE;
}

// Whether any of the pair's contacts with a slot below `end` touches.
static bool touches_below(const physics_world *world, uint32_t slot, uint32_t end)
{
    pair_walk walk = pair_walk_of(world, slot);
    for (uint32_t other; (other = pair_walk_next(world, &walk)) != NONE;) {
        if (other < end && (world->contacts.data[other].flags & CONTACT_TOUCHING) != 0) {
            return true;
        }
    }
    return false;
}

bool pair_touches_elsewhere(const physics_world *world, uint32_t slot)
{
    return touches_below(world, slot, UINT32_MAX);
}

bool pair_touches_below(const physics_world *world, uint32_t slot)
{
    return touches_below(world, slot, slot);
}

void contact_set_touching(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    if ((c->flags & CONTACT_TOUCHING) == 0) {
        world->touching_count += !pair_touches_elsewhere(world, slot);
        c->flags |= CONTACT_TOUCHING;
    }
}

void contact_clear_touching(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    if ((c->flags & CONTACT_TOUCHING) != 0) {
        c->flags &= (uint8_t)~CONTACT_TOUCHING;
        world->touching_count -= !pair_touches_elsewhere(world, slot);
    }
}

// ---- reading

// The points of a pair that is being reported, with the contact's slot and index of each. Slot and
// index break ties of depth and give the order: the walk over a pair follows a body's list, whose
// order an image does not keep.
typedef struct told_points {
    contact_info *info;
    uint32_t from[CONTACT_POINTS_MAX];
} told_points;

// The place for a point: the next free one, or if none is free that of the shallowest; -1 if none
// is shallower.
static int find_place(const told_points *told, float depth, uint32_t from)
{
    const contact_info *info = told->info;
    if (info->count < CONTACT_POINTS_MAX) {
        return info->count;
    }
    int least = 0;
    for (int i = 1; i < CONTACT_POINTS_MAX; i++) {
        const bool equal = info->depth[i] == info->depth[least];
        const bool less = info->depth[i] < info->depth[least];
        least = less || (equal && told->from[i] > told->from[least]) ? i : least;
    }
    const bool deeper = info->depth[least] < depth;
    return deeper || (info->depth[least] == depth && from < told->from[least]) ? least : -1;
}

static void add_points(const physics_world *world, uint32_t slot, told_points *told)
{
    const contact *c = &world->contacts.data[slot];
    const placed_points placed = contact_place_points(world, c);
    contact_info *info = told->info;
    for (int i = 0; i < c->point_count; i++) {
        const uint32_t from = slot << 1 | (uint32_t)i;
        const int at = find_place(told, -placed.separation[i], from);
        if (at >= 0) {
            info->points[at] =
                vec2d_offset(world->motions.data[c->body_a].center, placed.anchor_a[i]);
            info->normals[at] = placed.normal;
            info->depth[at] = -placed.separation[i];
            info->impulse[at] = c->total_impulse[i];
            info->tangent_impulse[at] = c->tangent_impulse[i];
            info->count = at < info->count ? info->count : at + 1;
            told->from[at] = from;
        }
    }
}

static void put_in_order(told_points *told)
{
    contact_info *info = told->info;
    const contact_info found = *info;
    for (int i = 0; i < found.count; i++) {
        int at = 0;
        for (int j = 0; j < found.count; j++) {
            at += told->from[j] < told->from[i];
        }
        info->points[at] = found.points[i];
        info->normals[at] = found.normals[i];
        info->depth[at] = found.depth[i];
        info->impulse[at] = found.impulse[i];
        info->tangent_impulse[at] = found.tangent_impulse[i];
    }
}

static void tell_pair(const physics_world *world, uint32_t slot, contact_info *info)
{
    const contact *c = &world->contacts.data[slot];
    info->body_a = body_id_of(world, c->body_a);
    info->body_b = body_id_of(world, c->body_b);
    info->shape_a = shape_id_of(world, c->shape_a);
    info->shape_b = shape_id_of(world, c->shape_b);
    info->count = 0;
    info->normal = rot_vec(world->motions.data[c->body_a].rotation, c->local_normal);
    told_points told = {.info = info};
    add_points(world, slot, &told);
    pair_walk walk = pair_walk_of(world, slot);
    for (uint32_t other; (other = pair_walk_next(world, &walk)) != NONE;) {
        if ((world->contacts.data[other].flags & CONTACT_TOUCHING) != 0) {
            add_points(world, other, &told);
        }
    }
    put_in_order(&told);
    float deepest = -INFINITY;
    for (int i = 0; i < info->count; i++) {
        if (info->depth[i] > deepest) {
            deepest = info->depth[i];
            info->normal = info->normals[i];
        }
    }
}

uint32_t world_contacts(const physics_world *world, contact_info *out, uint32_t max)
{
    uint32_t count = 0;
    for (uint32_t slot = slots_next(&world->contact_slots, 0); slot != 0;
         slot = slots_next(&world->contact_slots, slot)) {
        const uint32_t kind =
            world->contacts.data[slot].flags & (CONTACT_TOUCHING | CONTACT_SENSOR);
        if (kind == CONTACT_TOUCHING && !pair_touches_below(world, slot)) {
            if (count < max) {
                tell_pair(world, slot, &out[count]);
            }
            count++;
        }
    }
    return count;
}
