// The state hash: 64 bits over everything that influences what comes next, in the order of slots.
//
// Words are mixed as values, not as memory, so that padding, addresses and the byte order of a
// machine do not count. Each word is multiplied by an odd constant and folded in by a rotation, on
// four tracks that do not wait for each other.
#include "common/physics/joint_internal.h"
#include "common/physics/world.h"

#include <string.h>

typedef struct hasher {
    uint64_t track[4];
    uint32_t next;
} hasher;

static uint64_t rotate(uint64_t a, int by)
{
    return a << by | a >> (64 - by);
}

static void mix(hasher *h, uint64_t word)
{
    uint64_t *track = &h->track[h->next++ & 3];
    *track = rotate(*track ^ word * 0x9E3779B97F4A7C15ULL, 29) * 0xD6E8FEB86659FD93ULL;
}

static uint32_t float_bits(float a)
{
    uint32_t bits;
    a = a == 0.0f ? 0.0f : a; // minus zero is zero
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static void mix_floats(hasher *h, float a, float b)
{
    mix(h, (uint64_t)float_bits(a) << 32 | float_bits(b));
}

static void mix_vec(hasher *h, vec2 a)
{
    mix_floats(h, a.x, a.y);
}

static void mix_double(hasher *h, double a)
{
    uint64_t bits;
    a = a == 0.0 ? 0.0 : a;
    memcpy(&bits, &a, sizeof bits);
    mix(h, bits);
}

static uint64_t finish(const hasher *h)
{
    uint64_t sum = h->next;
    for (int i = 0; i < 4; i++) {
        sum = (rotate(sum, 23) ^ h->track[i]) * 0xFF51AFD7ED558CCDULL;
        sum ^= sum >> 32;
    }
    return sum;
}

static void mix_body(hasher *h, const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    const body_motion *m = &world->motions.data[slot];
    const body_state *s = &world->states.data[slot];
    mix(h, body_id_of(world, slot));
    mix(h, (uint64_t)b->flags << 8 | (uint64_t)b->type | (uint64_t)b->sleep_set << 32);
    mix_double(h, m->center.x);
    mix_double(h, m->center.y);
    mix_floats(h, m->rotation.c, m->rotation.s);
    mix_vec(h, s->velocity);
    mix_floats(h, s->angular_velocity, m->sleep_time);
    mix_floats(h, m->inv_mass, m->inv_inertia);
    mix_floats(h, b->mass_override, 0.0f);
    mix_vec(h, m->local_center);
    mix_floats(h, m->linear_damping, m->angular_damping);
    mix_floats(h, m->gravity_scale, m->torque);
    mix_vec(h, m->force);
    mix_vec(h, m->force_point);
    mix(h, (uint64_t)world->colours_used.data[slot] << 32 | s->flags);
}

uint64_t shape_signature(const shape *s)
{
    hasher h = {{1, 2, 3, 4}, 0};
    const shape_geometry *g = &s->geometry;
    mix(&h, (uint64_t)g->kind << 32 | float_bits(s->density));
    switch (g->kind) {
    case SHAPE_CIRCLE:
        mix_vec(&h, g->circle.center);
        mix_floats(&h, g->circle.radius, 0.0f);
        break;
    case SHAPE_CAPSULE:
        mix_vec(&h, g->capsule.a);
        mix_vec(&h, g->capsule.b);
        mix_floats(&h, g->capsule.radius, 0.0f);
        break;
    case SHAPE_POLYGON:
        for (int i = 0; i < g->polygon.count; i++) {
            mix_vec(&h, g->polygon.vertices[i]);
            mix_vec(&h, g->polygon.normals[i]);
        }
        mix_vec(&h, g->polygon.centroid);
        mix_floats(&h, g->polygon.radius, (float)g->polygon.count);
        break;
    case SHAPE_SEGMENT:
        mix_vec(&h, g->segment.a);
        mix_vec(&h, g->segment.b);
        break;
    default:
        mix_vec(&h, g->chain.ghost_before);
        mix_vec(&h, g->chain.edge.a);
        mix_vec(&h, g->chain.edge.b);
        mix_vec(&h, g->chain.ghost_after);
        break;
    }
    return finish(&h);
}

static void mix_shape(hasher *h, const physics_world *world, uint32_t slot)
{
    const shape *s = &world->shapes.data[slot];
    mix(h, slots_id(&world->shape_slots, slot));
    mix(h, (uint64_t)s->body << 32 | s->flags);
    mix(h, s->signature);
    mix_vec(h, s->fat.lower);
    mix_vec(h, s->fat.upper);
    mix_floats(h, s->friction, s->restitution);
    mix_floats(h, s->rolling_resistance, s->tangent_speed);
    mix(h, s->filter.category);
    mix(h, s->filter.mask);
    mix(h, (uint64_t)(uint32_t)s->filter.group << 32 | s->events);
}

static void mix_contact(hasher *h, const physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    mix(h, (uint64_t)slot << 32 | c->flags << 8 | c->colour);
    mix(h, (uint64_t)c->shape_a << 32 | c->shape_b);
    if (c->point_count > 0) {
        mix_vec(h, c->reference.p);
        mix_floats(h, c->reference.q.c, c->reference.q.s);
        mix_floats(h, c->rolling_impulse, 0.0f);
    }
    for (int i = 0; i < c->point_count; i++) {
        mix_floats(h, c->points[i].normal_impulse, c->points[i].tangent_impulse);
    }
}

static void mix_joint(hasher *h, const physics_world *world, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    const joint_settings *s = &j->settings;
    const joint_impulses *p = &j->impulses;
    mix(h, slots_id(&world->joint_slots, slot));
    mix(h, (uint64_t)j->kind << 32 | (j->flags & (JOINT_FLAG_COLLIDE | JOINT_FLAG_MOTOR)) << 8 |
               j->colour);
    mix(h, (uint64_t)j->body_a << 32 | j->body_b);
    mix(h, (uint64_t)j->joint_a << 32 | j->joint_b);
    const double doubles[] = {j->anchor_a.x, j->anchor_a.y, j->anchor_b.x,     j->anchor_b.y,
                              j->angle,      j->gear_a,     j->gear_b,         j->gear_constant,
                              s->target.x,   s->target.y,   s->ground_a.x,     s->ground_a.y,
                              s->ground_b.x, s->ground_b.y, s->reference_angle};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
        mix_double(h, doubles[i]);
    }
    const vec2 pairs[] = {j->axis,
                          {s->lower, s->upper},
                          {s->motor_speed, s->max_force},
                          {s->max_torque, s->hertz},
                          {s->damping_ratio, s->angular_hertz},
                          {s->angular_damping_ratio, s->length},
                          {s->ratio, s->target_angle},
                          {s->target_translation, s->break_force},
                          {s->break_torque, p->angular},
                          s->velocity,
                          p->linear,
                          {p->lower, p->upper},
                          {p->motor, p->spring}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        mix_vec(h, pairs[i]);
    }
}

// Slots that were used and are free: their generations decide which ids come next.
static void mix_free_slots(hasher *h, const slot_pool *pool)
{
    for (uint32_t word = 0; word << 6 < pool->end; word++) {
        uint64_t open = ~pool->taken.data[word];
        for (; open != 0; open &= open - 1) {
            uint32_t slot = word << 6 | (uint32_t)__builtin_ctzll(open);
            if (slot < pool->end && pool->generations.data[slot] != 0) {
                mix(h, slots_id(pool, slot));
            }
        }
    }
}

uint64_t world_hash(const physics_world *world)
{
    hasher h = {{1, 2, 3, 4}, 0};
    mix(&h, world->tick);
    mix_double(&h, world->def.gravity.x);
    mix_double(&h, world->def.gravity.y);
    mix_double(&h, world->def.hz);
    mix_double(&h, world->def.restitution_threshold);
    mix_double(&h, world->def.hit_threshold);
    mix(&h, (uint64_t)world->def.substeps << 2 | (uint64_t)world->def.continuous << 1 |
                (uint64_t)world->def.sleep);
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0;
         slot = slots_next(&world->body_slots, slot)) {
        mix_body(&h, world, slot);
    }
    for (uint32_t slot = slots_next(&world->shape_slots, 0); slot != 0;
         slot = slots_next(&world->shape_slots, slot)) {
        mix_shape(&h, world, slot);
    }
    for (uint32_t slot = slots_next(&world->contact_slots, 0); slot != 0;
         slot = slots_next(&world->contact_slots, slot)) {
        mix_contact(&h, world, slot);
    }
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0;
         slot = slots_next(&world->joint_slots, slot)) {
        mix_joint(&h, world, slot);
    }
    mix_free_slots(&h, &world->body_slots);
    mix_free_slots(&h, &world->shape_slots);
    mix_free_slots(&h, &world->joint_slots);
    return finish(&h);
}
