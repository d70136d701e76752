// Continuous collision: a body that moved more than half its width in a step is swept along its
// motion, against what does not move, or, a bullet, against everything, and put where it first
// touches. Its velocity stays; the next step's contact stops it. Method: time of impact by
// conservative advancement (see geometry/distance.h).
#include "common/physics/world.h"

typedef struct swept_body {
    physics_world *world;
    uint32_t body;
    const shape *shape;
    proxy proxy;
    sweep motion; // with the body's centre of mass before the step as the origin
    vec2d origin;
    float fraction;
} swept_body;

// Whether the shape ends its motion on the front of a one-sided piece's line, or hardly behind it:
// then it has not passed the piece, however near it came on the way. A body that slides over the
// joints of a floor comes near the end of the next piece in every step, and must not wait there.
static bool stays_in_front(const swept_body *s, vec2 a, vec2 edge)
{
    float length;
    vec2 normal = vec2_normalize(vec2_right(edge), &length);
    transform end = sweep_at(&s->motion, 1.0f);
    float deepest = INFINITY;
    for (int i = 0; i < s->proxy.count; i++) {
        vec2 corner = vec2_sub(transform_point(end, s->proxy.points[i]), a);
        deepest = float_min(deepest, vec2_dot(normal, corner));
    }
    float allowed = float_max(LINEAR_SLOP, 0.25f * shape_extent_min(&s->shape->geometry));
    return deepest - s->proxy.radius > -allowed;
}

// The other body does not move during the sweep: it is where the step has brought it.
static bool sweep_against(void *context, uint32_t other)
{
    swept_body *s = context;
    physics_world *world = s->world;
    const shape *o = &world->shapes.data[other];
    if (o->body == s->body || (o->flags & SHAPE_SENSOR) != 0) {
        return true;
    }
    const body *other_body = &world->bodies.data[o->body];
    uint32_t self = (uint32_t)(s->shape - world->shapes.data);
    if ((other_body->flags & BODY_BULLET) != 0 || !contact_wanted(world, self, other)) {
        return true;
    }
    const body_motion *m = &world->motions.data[o->body];
    vec2 center = vec2d_relative(s->origin, m->center);
    sweep still = {m->local_center, center, center, m->rotation, m->rotation};
    proxy proxy_other = proxy_from_shape(&o->geometry);
    if (o->geometry.kind == SHAPE_CHAIN_SEGMENT) {
        // One-sided: coming from behind, it lets through.
        transform frame = sweep_at(&still, 0.0f);
        vec2 a = transform_point(frame, o->geometry.chain.edge.a);
        vec2 edge = vec2_sub(transform_point(frame, o->geometry.chain.edge.b), a);
        bool from_behind = vec2_cross(edge, vec2_sub(s->motion.c1, a)) > 0.0f;
        if (from_behind || stays_in_front(s, a, edge)) {
            return true;
        }
    }
    impact_result hit = impact_time(&proxy_other, &still, &s->proxy, &s->motion, s->fraction);
    // Touching from the start is the contact solver's matter.
    if (hit.state == IMPACT_HIT && hit.fraction > 0.0f && hit.fraction < s->fraction) {
        s->fraction = hit.fraction;
    }
    return true;
}

static aabb swept_box(const swept_body *s)
{
    aabb before = shape_aabb(&s->shape->geometry, sweep_at(&s->motion, 0.0f));
    aabb after = shape_aabb(&s->shape->geometry, sweep_at(&s->motion, 1.0f));
    aabb box = aabb_union(before, after);
    // A point of the body leaves the hull of the two poses by no more than the sagitta of its arc:
    // bounded by the turn's chord.
    return aabb_at(s->origin, box);
}

// Finds the first touch of all shapes of the body on their way.
static void sweep_shapes(swept_body *s, bool bullet)
{
    physics_world *world = s->world;
    const body *b = &world->bodies.data[s->body];
    const body_motion *m = &world->motions.data[s->body];
    float turned = float_abs(world->states.data[s->body].delta_rotation.s);
    for (uint32_t k = b->shapes; k != NONE; k = world->shapes.data[k].next) {
        s->shape = &world->shapes.data[k];
        if (s->shape->proxy == NONE || (s->shape->flags & SHAPE_SENSOR) != 0) {
            continue;
        }
        s->proxy = proxy_from_shape(&s->shape->geometry);
        aabb box = aabb_expand(swept_box(s), m->extent_max * turned);
        for (int type = BODY_STATIC; type <= (bullet ? BODY_DYNAMIC : BODY_STATIC); type++) {
            tree_query(&world->broad.trees[type], box, sweep_against, s);
        }
    }
}

static void sweep_body(physics_world *world, uint32_t slot)
{
    body_motion *m = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    const body *b = &world->bodies.data[slot];
    vec2 by = state->delta_position;
    rot turned = state->delta_rotation;
    rot before = rot_inv_mul(turned, m->rotation);
    swept_body s = {
        .world = world,
        .body = slot,
        .motion = {m->local_center, {0.0f, 0.0f}, by, before, m->rotation},
        .origin = vec2d_offset(m->center, vec2_neg(by)),
        .fraction = 1.0f,
    };
    bool bullet = (b->flags & BODY_BULLET) != 0;
    if (bullet || world->broad.trees[BODY_STATIC].root != 0) {
        sweep_shapes(&s, bullet);
    }
    if (s.fraction < 1.0f) {
        transform at = sweep_at(&s.motion, s.fraction);
        m->rotation = at.q;
        vec2 center = transform_point(at, m->local_center);
        m->center = vec2d_offset(s.origin, center);
        body_set_pose_from_center(m);
    }
    float moved = distance_moved(m, by, turned);
    state->delta_position = (vec2){0.0f, 0.0f};
    state->delta_rotation = ROT_IDENTITY;
    body_update_boxes(world, slot, moved);
}

void solve_continuous(physics_world *world)
{
    if (world->fast.count == 0) {
        return;
    }
    // Bullets last, when all others are where they will be; each kind by slot.
    world->fast.count = sort_slots(world->fast.data, world->fast.count);
    for (int bullets = 0; bullets < 2; bullets++) {
        for (uint32_t i = 0; i < world->fast.count; i++) {
            uint32_t slot = world->fast.data[i];
            bool bullet = (world->bodies.data[slot].flags & BODY_BULLET) != 0;
            if (bullet == (bullets == 1)) {
                sweep_body(world, slot);
            }
        }
    }
}
