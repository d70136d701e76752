// Contacts: one for each pair of shapes whose fat boxes overlap and that may touch. A contact is
// listed as awake while one of its bodies is; while it has points as well, it is in the constraint
// graph.
#include "common/base/assert.h"
#include "common/physics/overlaps.h"
#include "common/physics/state/contacts/contact_pair.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/state/world.h"

static bool filters_match(const shape_filter *a, const shape_filter *b)
{
    if (a->group == b->group && a->group != 0) {
        return a->group > 0;
    }
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

bool contact_wanted(const physics_world *world, uint32_t shape_a, uint32_t shape_b)
{
    const shape *a = &world->shapes.data[shape_a];
    const shape *b = &world->shapes.data[shape_b];
    if (a->body == b->body || !filters_match(&a->traits->filter, &b->traits->filter)) {
        return false;
    }
    body_type type_a = world->bodies.data[a->body].type;
    body_type type_b = world->bodies.data[b->body].type;
    bool sensor_a = (a->flags & SHAPE_SENSOR) != 0;
    bool sensor_b = (b->flags & SHAPE_SENSOR) != 0;
    if (sensor_a || sensor_b) {
        // A sensor detects shapes that may move relative to it; it does not detect other sensors.
        const shape *seen = sensor_a ? b : a;
        return sensor_a != sensor_b && (type_a != BODY_STATIC || type_b != BODY_STATIC) &&
               (seen->traits->events & SHAPE_EVENT_SENSOR) != 0;
    }
    return (type_a == BODY_DYNAMIC || type_b == BODY_DYNAMIC) &&
           manifold_supported(a->traits->geometry.kind, b->traits->geometry.kind) &&
           !joint_prevents_contact(world, a->body, b->body);
}

// ---- the lists of bodies

static void link_edge(physics_world *world, uint32_t slot, uint32_t side)
{
    contact *c = &world->contacts.data[slot];
    body *b = &world->bodies.data[side == 0 ? c->body_a : c->body_b];
    uint32_t key = slot << 1 | side;
    c->edges[side] = (contact_edge){.previous = NONE, .next = b->contacts};
    if (b->contacts != NONE) {
        world->contacts.data[b->contacts >> 1].edges[b->contacts & 1].previous = key;
    }
    b->contacts = key;
    b->contact_count++;
}

static void unlink_edge(physics_world *world, uint32_t slot, uint32_t side)
{
    contact *c = &world->contacts.data[slot];
    body *b = &world->bodies.data[side == 0 ? c->body_a : c->body_b];
    contact_edge edge = c->edges[side];
    if (edge.previous != NONE) {
        world->contacts.data[edge.previous >> 1].edges[edge.previous & 1].next = edge.next;
    } else {
        b->contacts = edge.next;
    }
    if (edge.next != NONE) {
        world->contacts.data[edge.next >> 1].edges[edge.next & 1].previous = edge.previous;
    }
    b->contact_count--;
}

contact_slots contact_collect(physics_world *world, uint32_t body_)
{
    slot_list *found = &world->collected;
    array_clear(found);
    uint32_t key = world->bodies.data[body_].contacts;
    while (key != NONE) {
        array_push(found, key >> 1);
        key = world->contacts.data[key >> 1].edges[key & 1].next;
    }
    found->count = sort_slots(found->data, found->count);
    return (contact_slots){found->data, found->count};
}

// ---- activity

bool contact_list_awake(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    if (c->awake_index != 0 || (world->bodies.data[c->body_a].awake_index == 0 &&
                                world->bodies.data[c->body_b].awake_index == 0)) {
        return false;
    }
    array_push(&world->awake_contacts, slot);
    c->awake_index = world->awake_contacts.count;
    return true;
}

void contact_activate(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    if (contact_list_awake(world, slot) && (c->flags & CONTACT_ACTIVE) != 0 &&
        (c->flags & CONTACT_SENSOR) == 0) {
        graph_add_contact(world, slot);
    }
}

void contact_deactivate(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    if (c->awake_index == 0 || world->bodies.data[c->body_a].awake_index != 0 ||
        world->bodies.data[c->body_b].awake_index != 0) {
        return;
    }
    uint32_t index = c->awake_index - 1;
    array_swap_remove(&world->awake_contacts, index);
    if (index < world->awake_contacts.count) {
        world->contacts.data[world->awake_contacts.data[index]].awake_index = index + 1;
    }
    c->awake_index = 0;
    graph_remove_contact(world, slot);
}

// ---- life

// Whether the pair is in the order that the manifold functions use: chains, segments, polygons,
// capsules, circles.
static bool in_order(const physics_world *world, uint32_t shape_a, uint32_t shape_b)
{
    const shape *a = &world->shapes.data[shape_a];
    const shape *b = &world->shapes.data[shape_b];
    bool sensor_a = (a->flags & SHAPE_SENSOR) != 0;
    bool sensor_b = (b->flags & SHAPE_SENSOR) != 0;
    if (sensor_a != sensor_b) {
        return sensor_a; // the sensor is always a
    }
    return a->traits->geometry.kind != b->traits->geometry.kind
               ? a->traits->geometry.kind > b->traits->geometry.kind
               : shape_a < shape_b;
}

// The radius on which a shape rolls; 0 for shapes that do not roll.
static float radius_of(const shape *s)
{
    switch (s->traits->geometry.kind) {
    case SHAPE_CIRCLE:
        return s->traits->geometry.circle.radius;
    case SHAPE_CAPSULE:
        return s->traits->geometry.capsule.radius;
    case SHAPE_POLYGON:
        return s->traits->geometry.polygon.radius;
    default:
        return 0.0f;
    }
}

// The rolling resistance of a pair: the larger one of the two surfaces, with the larger radius:
// grass, which is flat, slows down a smooth ball.
static float rolling_of(const shape *a, const shape *b)
{
    return float_max(a->traits->rolling_resistance, b->traits->rolling_resistance) *
           float_max(radius_of(a), radius_of(b));
}

surface contact_surface(const physics_world *world, const contact *c)
{
    if ((c->flags & CONTACT_SURFACE) == 0) {
        return (surface){0.0f, 0.0f, 0.0f};
    }
    const shape *a = &world->shapes.data[c->shape_a];
    const shape *b = &world->shapes.data[c->shape_b];
    return (surface){
        .restitution = float_max(a->traits->restitution, b->traits->restitution),
        .rolling_resistance = rolling_of(a, b),
        .tangent_speed = a->traits->tangent_speed + b->traits->tangent_speed,
    };
}

static float give_of(const physics_world *world, uint32_t slot)
{
    const bool thin = (world->states.data[slot].flags & STATE_THIN) != 0;
    return thin ? world->extents.data[slot].extent_min / THIN_EXTENT : 1.0f;
}

float contact_give(const physics_world *world, uint32_t body_a, uint32_t body_b)
{
    return float_min(give_of(world, body_a), give_of(world, body_b));
}

rounding contact_rounding(const physics_world *world, const contact *c)
{
    return (rounding){radius_of(&world->shapes.data[c->shape_a]),
                      radius_of(&world->shapes.data[c->shape_b])};
}

rounding contact_curvature(const physics_world *world, const contact *c)
{
    const shape *a = &world->shapes.data[c->shape_a];
    const shape *b = &world->shapes.data[c->shape_b];
    shape_kind of_a = a->traits->geometry.kind;
    shape_kind of_b = b->traits->geometry.kind;
    return (rounding){of_a == SHAPE_CIRCLE ? radius_of(a) : 0.0f,
                      of_b == SHAPE_CIRCLE || of_b == SHAPE_CAPSULE ? radius_of(b) : 0.0f};
}

// The flags of a contact, from its shapes.
static uint32_t flags_of(const shape *a, const shape *b)
{
    uint32_t flags = 0;
    if (((a->flags | b->flags) & SHAPE_SENSOR) != 0) {
        flags |= CONTACT_SENSOR;
    }
    if (((a->traits->events | b->traits->events) & SHAPE_EVENT_CONTACT) != 0) {
        flags |= CONTACT_EVENTS;
    }
    if (((a->traits->events | b->traits->events) & SHAPE_EVENT_HIT) != 0) {
        flags |= CONTACT_HIT;
    }
    if (float_max(a->traits->restitution, b->traits->restitution) > 0.0f ||
        rolling_of(a, b) > 0.0f || a->traits->tangent_speed + b->traits->tangent_speed != 0.0f) {
        flags |= CONTACT_SURFACE;
    }
    if (radius_of(a) > 0.0f || radius_of(b) > 0.0f) {
        flags |= CONTACT_ROUND;
    }
    return flags;
}

static uint32_t one_way_of(const shape *a, const shape *b, uint32_t flags)
{
    if ((flags & CONTACT_SENSOR) != 0) {
        return 0;
    }
    return (shape_is_one_way(a) ? ONE_WAY_A : 0u) | (shape_is_one_way(b) ? ONE_WAY_B : 0u);
}

// The geometric mean, so that one slippery surface makes the pair slippery.
static float friction_of(const shape *a, const shape *b)
{
    return sqrtf(a->traits->friction * b->traits->friction);
}

bool contact_place(physics_world *world, uint32_t slot, uint32_t shape_a, uint32_t shape_b)
{
    if (!in_order(world, shape_a, shape_b)) {
        return false;
    }
    const shape *a = &world->shapes.data[shape_a];
    const shape *b = &world->shapes.data[shape_b];
    const uint32_t flags = flags_of(a, b);
    world->contacts.data[slot] = (contact){
        .shape_a = shape_a & SLOT_MASK,
        .shape_b = shape_b & SLOT_MASK,
        .one_way = one_way_of(a, b, flags) & 0xFF,
        .body_a = a->body & SLOT_MASK,
        .body_b = b->body & SLOT_MASK,
        .flags = (uint8_t)flags,
        .reach = b->traits->reach,
        .colour = COLOUR_NONE,
        .friction = friction_of(a, b),
    };
    world->surface_count += (flags & CONTACT_SURFACE) != 0;
    world->round_count += (flags & CONTACT_ROUND) != 0;
    link_edge(world, slot, 0);
    link_edge(world, slot, 1);
    pair_set_add(&world->pairs, shape_a, shape_b);
    return true;
}

void contact_renew_surface(physics_world *world, uint32_t slot)
{
    const uint32_t of_surface = CONTACT_EVENTS | CONTACT_HIT | CONTACT_SURFACE;
    contact *c = &world->contacts.data[slot];
    const shape *a = &world->shapes.data[c->shape_a];
    const shape *b = &world->shapes.data[c->shape_b];
    const uint32_t before = c->flags;
    c->flags = (uint8_t)((before & ~of_surface) | (flags_of(a, b) & of_surface));
    c->friction = friction_of(a, b);
    if ((before & CONTACT_SURFACE) != 0 && (c->flags & CONTACT_SURFACE) == 0) {
        world->surface_count--;
        c->rolling_impulse = 0.0f;
    } else if ((before & CONTACT_SURFACE) == 0 && (c->flags & CONTACT_SURFACE) != 0) {
        world->surface_count++;
    }
}

static uint32_t left_of(uint32_t most, uint32_t count)
{
    return count < most ? most - count : 0;
}

contact_rooms contact_room(const physics_world *world)
{
    const uint32_t count = world->contact_slots.count;
    const uint32_t own = PHYSICS_CONTACTS_LEAST + // slightly above 2^26 at most
                         PHYSICS_CONTACTS_PER_SHAPE * world->shape_slots.count;
    const uint32_t most = own < world->contacts_max ? own : world->contacts_max;
    return (contact_rooms){left_of(most + most / PHYSICS_CONTACTS_STANDING_SHARE, count),
                           left_of(most, count)};
}

bool world_contacts_full(const physics_world *world)
{
    return contact_room(world).moving == 0;
}

uint32_t contact_pairs_max(const physics_world *world)
{
    enum { LEAST = 4096 }; // a shorter list is not worth cutting
    const uint32_t most = 2 * contact_room(world).standing;
    return most > LEAST ? most : LEAST;
}

uint32_t contact_create(physics_world *world, uint32_t shape_a, uint32_t shape_b)
{
    uint32_t slot = slots_take(&world->contact_slots);
    array_reserve(&world->contacts, world->contact_slots.end);
    world->contacts.count = world->contact_slots.end;
    if (!contact_place(world, slot, shape_a, shape_b)) {
        bool turned = contact_place(world, slot, shape_b, shape_a);
        ASSERT(turned);
    }
    contact_activate(world, slot);
    return slot;
}

void contact_free(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    contact_clear_touching(world, slot);
    if (c->awake_index != 0) {
        uint32_t index = c->awake_index - 1;
        array_swap_remove(&world->awake_contacts, index);
        if (index < world->awake_contacts.count) {
            world->contacts.data[world->awake_contacts.data[index]].awake_index = index + 1;
        }
    }
    graph_remove_contact(world, slot);
    unlink_edge(world, slot, 0);
    unlink_edge(world, slot, 1);
    pair_set_remove(&world->pairs, c->shape_a, c->shape_b);
    world->surface_count -= (c->flags & CONTACT_SURFACE) != 0;
    world->round_count -= (c->flags & CONTACT_ROUND) != 0;
    *c = (contact){0};
    slots_release_unnumbered(&world->contact_slots, slot);
}

void contact_destroy(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    if ((c->flags & CONTACT_TOUCHING) != 0 && (c->flags & (CONTACT_EVENTS | CONTACT_SENSOR)) != 0 &&
        !pair_touches_elsewhere(world, slot)) {
        bool sensor = (c->flags & CONTACT_SENSOR) != 0;
        world->contacts.data[slot].point_count = 0;
        event_push_contact(world, sensor ? EVENT_SENSOR_END : EVENT_END, slot, NULL);
    }
    contact_free(world, slot);
}

void contact_destroy_all(physics_world *world, uint32_t body_, uint32_t only_shape)
{
    const contact_slots found = contact_collect(world, body_);
    for (uint32_t i = 0; i < found.count; i++) {
        const contact *c = &world->contacts.data[found.slots[i]];
        if (only_shape == NONE || c->shape_a == only_shape || c->shape_b == only_shape) {
            contact_destroy(world, found.slots[i]);
        }
    }
}

// ---- reading

placed_points contact_place_points(const physics_world *world, const contact *c)
{
    const body_motion *a = &world->motions.data[c->body_a];
    const body_motion *b = &world->motions.data[c->body_b];
    transform b_in_a = pose_relative(body_pose(a), body_pose(b));
    placed_points placed = {.normal = rot_vec(a->rotation, c->local_normal)};
    for (int i = 0; i < c->point_count; i++) {
        vec2 local_b = transform_inv_point(c->reference, c->local_a[i]);
        vec2 moved = vec2_sub(transform_point(b_in_a, local_b), c->local_a[i]);
        vec2 middle = vec2_mul_add(c->local_a[i], 0.5f, moved);
        placed.anchor_a[i] = rot_vec(a->rotation, vec2_sub(middle, a->local_center));
        placed.separation[i] = c->found_separation[i] + vec2_dot(moved, c->local_normal);
    }
    return placed;
}
