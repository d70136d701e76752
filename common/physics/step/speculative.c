// Speculative contacts: bodies that will meet within the step get their contact beforehand, so that
// the solver lets them close up to the surface and no further, however fast they are.
//
// A manifold is only made for distances up to SPECULATIVE_DISTANCE; a pair that closes by more in a
// step would first be detected with a deep overlap. So if two bodies move towards each other, the
// pair is advanced along its path (conservative advancement: B. Mirtich, "Impulse-based Dynamic
// Simulation of Rigid Body Systems", 1996; here along the current separating axis) and the manifold
// is computed where the two meet. There they are almost touching, so a body that only flies past is
// never stopped, as it would be by a plane through the nearest corner. The fat boxes of fast bodies
// extend as far ahead, so their pairs are known.
//
// Contacts with restitution are made early too, also with static bodies, so that they rebound from
// the surface (contact_impacts.h); except discs, which impacts.c follows. Other contacts with
// static bodies are not made early: continuous.c handles them.
//
// Whether a speculative contact is made depends on poses and velocities, not on a contact's memory
// of earlier steps: that memory may only skip a search that could find nothing.
#include "common/physics/step/speculative.h"

#include "common/physics/state/broad_phase/boxes.h"
#include "common/physics/step/solver/impact_joints.h"

#define ADVANCES_MAX 4 // most places tested along a path
#define ROUNDING                                                                                   \
    1e-5f // share of a length that float sums may lose: shapes count as this much nearer
#define SLOW_SHARE 0.1f // share of B's reach: a body that moves less in a step hardly sinks in

// Motion of B relative to A, in A's frame, over the coming step.
typedef struct relative_way {
    vec2 way;   // path of B's centre of mass, to first order
    float turn; // the most by which any other point of B moves farther
    float bend; // the largest addition to that by terms beyond the first order
} relative_way;

static relative_way way_of(const physics_world *world, const contact *c, transform b_in_a)
{
    const float dt = world->step.dt;
    const body_motion *ma = &world->motions.data[c->body_a];
    const body_motion *mb = &world->motions.data[c->body_b];
    const body_state *sa = &world->states.data[c->body_a];
    const body_state *sb = &world->states.data[c->body_b];
    vec2 between = vec2_sub(transform_point(b_in_a, mb->local_center), ma->local_center);
    vec2 velocity = rot_inv_vec(ma->rotation, vec2_sub(sb->velocity, sa->velocity));
    vec2 seen = vec2_sub(velocity, vec2_cross_sv(sa->angular_velocity, between));
    float reach = c->reach + vec2_length(mb->local_center);
    float angle = dt * float_abs(sa->angular_velocity);
    float far = dt * vec2_length(velocity);
    return (relative_way){
        .way = vec2_scale(dt, seen),
        .turn = dt * float_abs(sb->angular_velocity - sa->angular_velocity) * reach,
        .bend = angle * far + 0.5f * angle * angle * (vec2_length(between) + far),
    };
}

static bool is_disc_or_stands(const physics_world *world, uint32_t body_)
{
    return world->bodies.data[body_].type != BODY_DYNAMIC ||
           (body_may_be_disc(&world->extents.data[body_]) && !body_is_braced(world, body_));
}

// Whether the contact has restitution and impacts.c does not follow its bodies.
static bool rebounds(const physics_world *world, const contact *c)
{
    return world->step.lively && (c->flags & CONTACT_SURFACE) != 0 &&
           !(is_disc_or_stands(world, c->body_a) && is_disc_or_stands(world, c->body_b)) &&
           contact_surface(world, c).restitution > 0.0f;
}

bool may_meet_ahead(const physics_world *world, const contact *c, transform b_in_a)
{
    if (!(c->gap > 0.0f) || ((c->flags & CONTACT_SURFACE) != 0 && !rebounds(world, c))) {
        return false;
    }
    const vec2 v =
        vec2_sub(world->states.data[c->body_b].velocity, world->states.data[c->body_a].velocity);
    const float least = (c->flags & CONTACT_SURFACE) != 0
                            ? SPECULATIVE_DISTANCE
                            : float_max(SPECULATIVE_DISTANCE, SLOW_SHARE * c->reach);
    if (world->step.dt * world->step.dt * vec2_length_squared(v) <= least * least) {
        return false; // true of most pairs in a pile
    }
    relative_way w = way_of(world, c, b_in_a);
    // Along the axis of the computed gap, they are still at least this far apart ...
    vec2 p = vec2_sub(b_in_a.p, c->reference.p);
    vec2 q = {b_in_a.q.c - c->reference.q.c, b_in_a.q.s - c->reference.q.s};
    float apart = c->gap + vec2_dot(p, c->local_normal) - c->reach * vec2_length(q);
    // ... and will be at the end of the step, or were at its beginning.
    apart += float_min(vec2_dot(w.way, c->local_normal), 0.0f) - (w.turn + w.bend);
    float slack = 0.1f * LINEAR_SLOP + ROUNDING * (vec2_length(b_in_a.p) + c->reach);
    return apart < SPECULATIVE_DISTANCE + slack;
}

// The body's frame after the time t, if nothing stops it.
static pose pose_ahead(const physics_world *world, uint32_t slot, float t)
{
    const body_motion *m = &world->motions.data[slot];
    const body_state *s = &world->states.data[slot];
    rot turned = rot_from_angle((double)s->angular_velocity * (double)t);
    rot q = rot_normalize(rot_mul(turned, m->rotation));
    vec2 from_center = rot_vec(q, m->local_center);
    return (pose){vec2d_offset(m->center, vec2_sub(vec2_scale(t, s->velocity), from_center)), q};
}

bool meet_at(const physics_world *world, const contact *c, float t, transform *b_in_a, manifold *m)
{
    const shape *a = &world->shapes.data[c->shape_a];
    const shape *b = &world->shapes.data[c->shape_b];
    *b_in_a = pose_relative(pose_ahead(world, c->body_a, t), pose_ahead(world, c->body_b, t));
    *m = manifold_shapes(&a->traits->geometry, &b->traits->geometry, *b_in_a);
    return m->count > 0;
}

bool meet_ahead(const physics_world *world, const contact *c, transform *b_in_a, manifold *m)
{
    const bool stands = world->bodies.data[c->body_a].type == BODY_STATIC ||
                        world->bodies.data[c->body_b].type == BODY_STATIC;
    if (stands && !rebounds(world, c)) {
        return false;
    }
    const vec2 way = way_of(world, c, *b_in_a).way;
    vec2 axis = c->local_normal;
    float gap = c->gap;
    float part = 0.0f;
    for (int i = 0; i < ADVANCES_MAX; i++) {
        float closing = -vec2_dot(way, axis);
        float step = float_max(gap - 0.5f * SPECULATIVE_DISTANCE, 0.25f * SPECULATIVE_DISTANCE);
        if (!(step < (1.0f - part) * closing)) {
            return false;
        }
        part += step / closing;
        if (meet_at(world, c, part * world->step.dt, b_in_a, m)) {
            return true;
        }
        axis = m->normal;
        gap = m->gap;
    }
    return false;
}
