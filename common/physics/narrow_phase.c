// The narrow phase: renews the manifold of every awake contact, carries the impulses of points that
// stayed over to their successors, and lets contacts in and out of the constraint graph. Bodies
// touched while asleep wake.
#include "common/physics/world.h"

static const contact_point *find_point(const contact *c, uint16_t id)
{
    for (int i = 0; i < c->point_count; i++) {
        if (c->points[i].id == id) {
            return &c->points[i];
        }
    }
    return NULL;
}

// Takes the manifold, which is in the frame of A's body, over into the contact, in world
// directions.
static void take_manifold(contact *c, const manifold *m, const body_motion *a, const body_motion *b)
{
    contact_point old[2] = {c->points[0], c->points[1]};
    contact before = *c;
    before.points[0] = old[0];
    before.points[1] = old[1];
    c->normal = rot_vec(a->rotation, m->normal);
    c->point_count = m->count;
    vec2 between = vec2d_relative(b->center, a->center); // from B's centre to A's
    for (int i = 0; i < m->count; i++) {
        const manifold_point *from = &m->points[i];
        contact_point *to = &c->points[i];
        vec2 arm = rot_vec(a->rotation, vec2_sub(from->point, a->local_center));
        *to = (contact_point){
            .anchor_a = arm,
            .anchor_b = vec2_add(arm, between),
            .separation = from->separation,
            .id = from->id,
        };
        const contact_point *same = find_point(&before, from->id);
        if (same != NULL) {
            to->normal_impulse = same->normal_impulse;
            to->tangent_impulse = same->tangent_impulse;
        }
    }
    if (m->count == 0) {
        c->rolling_impulse = 0.0f;
    }
}

// A sensor notes whether shapes overlap, no more.
static bool sensor_overlaps(const shape *a, const shape *b, transform b_in_a)
{
    proxy pa = proxy_from_shape(&a->geometry);
    proxy pb = proxy_from_shape(&b->geometry);
    return distance_proxies(&pa, &pb, b_in_a, true, NULL).distance <= 0.0f;
}

// The manifold of a contact as its bodies are now.
static bool renew_manifold(physics_world *world, contact *c)
{
    const body_motion *ma = &world->motions.data[c->body_a];
    const body_motion *mb = &world->motions.data[c->body_b];
    const shape *a = &world->shapes.data[c->shape_a];
    const shape *b = &world->shapes.data[c->shape_b];
    transform b_in_a = pose_relative(body_pose(ma), body_pose(mb));
    if ((c->flags & CONTACT_SENSOR) != 0) {
        return sensor_overlaps(a, b, b_in_a);
    }
    manifold m = manifold_shapes(&a->geometry, &b->geometry, b_in_a);
    take_manifold(c, &m, ma, mb);
    return m.count > 0;
}

// Points that the manifold does not have (bodies moved since it was found) are kept as they are:
// their impulses count.
void contact_restore(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    if ((c->flags & CONTACT_SENSOR) != 0 || c->point_count == 0) {
        return;
    }
    contact as_written = *c;
    renew_manifold(world, c);
    for (int i = 0; i < as_written.point_count; i++) {
        const contact_point *now = find_point(c, as_written.points[i].id);
        if (now != NULL) {
            as_written.points[i] = *now;
        }
    }
    as_written.normal = c->normal;
    *c = as_written;
}

static void update_contact(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    const shape *a = &world->shapes.data[c->shape_a];
    const shape *b = &world->shapes.data[c->shape_b];
    if (!aabb_overlaps(a->fat, b->fat)) {
        array_push(&world->deactivated, slot); // to be destroyed
        return;
    }
    bool was = (c->flags & CONTACT_ACTIVE) != 0;
    bool is = renew_manifold(world, c);
    if (is && !was) {
        array_push(&world->activated, slot);
    } else if (was && !is) {
        array_push(&world->deactivated, slot);
    }
}

// Out of the graph first, all of them, so that colours become free; then in, by slot.
static void leave_graph(physics_world *world)
{
    world->deactivated.count = sort_slots(world->deactivated.data, world->deactivated.count);
    for (uint32_t i = 0; i < world->deactivated.count; i++) {
        uint32_t slot = world->deactivated.data[i];
        contact *c = &world->contacts.data[slot];
        if (!aabb_overlaps(world->shapes.data[c->shape_a].fat,
                           world->shapes.data[c->shape_b].fat)) {
            contact_destroy(world, slot);
            continue;
        }
        c->flags &= ~(uint32_t)CONTACT_ACTIVE;
        if ((c->flags & CONTACT_TOUCHING) != 0) {
            array_push(&world->ended, slot);
        }
        graph_remove_contact(world, slot);
    }
}

static void enter_graph(physics_world *world)
{
    world->activated.count = sort_slots(world->activated.data, world->activated.count);
    for (uint32_t i = 0; i < world->activated.count; i++) {
        contact *c = &world->contacts.data[world->activated.data[i]];
        c->flags |= CONTACT_ACTIVE;
        if ((c->flags & CONTACT_SENSOR) != 0) {
            array_push(&world->began, world->activated.data[i]);
            continue;
        }
        uint32_t bodies[2] = {c->body_a, c->body_b};
        graph_add_contact(world, world->activated.data[i]);
        for (int side = 0; side < 2; side++) {
            if (world->bodies.data[bodies[side]].sleep_set != 0) {
                body_wake(world, bodies[side]);
            }
        }
    }
}

void narrow_phase(physics_world *world)
{
    array_clear(&world->began);
    array_clear(&world->ended);
    // Who is touched asleep wakes, and brings contacts along whose manifolds are from before it
    // slept: again, for those.
    for (uint32_t first = 0; first < world->awake_contacts.count || first == 0;) {
        array_clear(&world->activated);
        array_clear(&world->deactivated);
        for (uint32_t i = first; i < world->awake_contacts.count; i++) {
            update_contact(world, world->awake_contacts.data[i]);
        }
        leave_graph(world);
        first = world->awake_contacts.count;
        enter_graph(world);
        if (first == world->awake_contacts.count) {
            break;
        }
    }
}
