// One-way shapes: a pair collides only if the other body comes from the side to which the shape's
// direction points (shape_def.one_way). It is decided when the shapes begin to touch, by geometry:
//
// - The normal must lie on that side. A body that touches another side has no contact there.
// - The shapes must have been clear of each other along the normal one step before, within SINK:
// the
//   separation there follows from the present one and the bodies' velocities. Shapes may overlap
//   deeply in the step in which they meet, so the present separation alone does not distinguish a
//   body that lands from one that passes through.
//
// A pair that collides does so until it parts or turns to another side, however deep a load presses
// it. A pair that overlaps otherwise passes (ONE_WAY_PASSING) until it no longer overlaps: so a
// character that jumps through a platform and does not get above it falls back through it. A pair
// that touches another side and hardly overlaps is still undecided: so a box walks from one tile to
// the next, whose side it touches first.
#include "common/physics/step/one_way.h"

#include "common/physics/step/impacts.h"

// The cosine of the largest angle between the direction and a normal on the open side: a little
// less than a right angle, so that rounding does not turn the side of a platform into its top.
#define SIDE_COSINE 0.1f
// The overlap of shapes that are taken to be clear of each other: the depth to which bodies at rest
// sink in, and gravity's part of a step [m]. At most SINK_SHARE of the thinner shape's smallest
// half width.
#define SINK        (2.0f * LINEAR_SLOP)
#define SINK_SHARE  0.5f

// The point of a contact that overlaps most.
typedef struct touch {
    vec2 normal; // normal from A to B, in A's frame
    vec2 point;  // in A's frame
    rot b_in_a;
    float separation;
    bool any; // the shapes are near enough to have points
} touch;

static bool faces(const shape *s, rot q, vec2 outward)
{
    const vec2 open = rot_vec(q, s->traits->one_way);
    return vec2_dot(open, outward) > SIDE_COSINE * vec2_length(open);
}

bool one_way_admits(const shape *shape_a, rot a, const shape *shape_b, rot b, vec2 normal)
{
    return (!shape_is_one_way(shape_a) || faces(shape_a, a, normal)) &&
           (!shape_is_one_way(shape_b) || faces(shape_b, b, vec2_neg(normal)));
}

static bool admits(const physics_world *world, const contact *c, vec2 normal, rot b_in_a)
{
    return one_way_admits(&world->shapes.data[c->shape_a], ROT_IDENTITY,
                          &world->shapes.data[c->shape_b], b_in_a, normal);
}

static void drop_points(contact *c)
{
    for (int i = 0; i < 2; i++) {
        c->normal_impulse[i] = c->tangent_impulse[i] = c->total_impulse[i] = 0.0f;
    }
    c->rolling_impulse = 0.0f;
    c->point_count = 0;
    c->gap = 0.0f; // unknown: the manifold is computed again in the next step
    c->flags &= (uint8_t)~CONTACT_DEEP;
}

static touch touch_of_contact(const contact *c)
{
    const int i = c->point_count > 1 && c->found_separation[1] < c->found_separation[0];
    return (touch){c->local_normal, c->local_a[i], c->reference.q, c->found_separation[i],
                   c->point_count > 0};
}

// The touch where the step began, if the impacts of discs let the solver begin elsewhere.
static touch touch_of(const physics_world *world, const contact *c)
{
    vec2d at_a;
    vec2d at_b;
    const bool struck_a = impact_find_begin(world, c->body_a, &at_a);
    const bool struck_b = impact_find_begin(world, c->body_b, &at_b);
    if (!struck_a && !struck_b) {
        return touch_of_contact(c);
    }
    const body_motion *ma = &world->motions.data[c->body_a];
    const body_motion *mb = &world->motions.data[c->body_b];
    pose a = body_pose(ma);
    pose b = body_pose(mb);
    if (struck_a) {
        a.p = vec2d_offset(at_a, vec2_neg(rot_vec(ma->rotation, ma->local_center)));
    }
    if (struck_b) {
        b.p = vec2d_offset(at_b, vec2_neg(rot_vec(mb->rotation, mb->local_center)));
    }
    const transform b_in_a = pose_relative(a, b);
    const manifold m = manifold_shapes(&world->shapes.data[c->shape_a].traits->geometry,
                                       &world->shapes.data[c->shape_b].traits->geometry, b_in_a);
    const int i = m.count > 1 && m.points[1].separation < m.points[0].separation;
    return (touch){m.normal, m.points[i].point, b_in_a.q, m.points[i].separation, m.count > 0};
}

static float sink_of(const physics_world *world, const contact *c)
{
    const float of_a = world->shapes.data[c->shape_a].traits->extent_min;
    const float of_b = world->shapes.data[c->shape_b].traits->extent_min;
    const float thinner = of_a > 0.0f && (of_a < of_b || of_b <= 0.0f) ? of_a : of_b;
    return float_min(SINK, SINK_SHARE * thinner);
}

// The speed with which B moves away from A at the point, along the normal.
static float parting_speed(const physics_world *world, const contact *c, const touch *t)
{
    const body_motion *ma = &world->motions.data[c->body_a];
    const body_motion *mb = &world->motions.data[c->body_b];
    const body_state *sa = &world->states.data[c->body_a];
    const body_state *sb = &world->states.data[c->body_b];
    const vec2 normal = rot_vec(ma->rotation, t->normal);
    const vec2 arm_a = rot_vec(ma->rotation, vec2_sub(t->point, ma->local_center));
    const vec2 arm_b = vec2_sub(arm_a, vec2d_relative(ma->center, mb->center));
    const vec2 va = vec2_add(sa->velocity, vec2_cross_sv(sa->angular_velocity, arm_a));
    const vec2 vb = vec2_add(sb->velocity, vec2_cross_sv(sb->angular_velocity, arm_b));
    return vec2_dot(vec2_sub(vb, va), normal);
}

void one_way_judge(const physics_world *world, contact *c, bool was_solid)
{
    const touch t = touch_of(world, c);
    if (!t.any || t.separation >= 0.0f) {
        c->one_way &= ONE_WAY_A | ONE_WAY_B;
    }
    if (c->point_count == 0) {
        return;
    }
    const float sink = sink_of(world, c);
    const bool passing = (c->one_way & ONE_WAY_PASSING) != 0;
    const bool near_side = t.any && !passing && admits(world, c, t.normal, t.b_in_a);
    if (near_side &&
        (was_solid || t.separation - world->step.dt * parting_speed(world, c, &t) >= -sink)) {
        return;
    }
    if (t.any && t.separation < -sink) {
        c->one_way |= ONE_WAY_PASSING;
    }
    drop_points(c);
}

void one_way_judge_ahead(const physics_world *world, contact *c)
{
    if (c->point_count > 0 && ((c->one_way & ONE_WAY_PASSING) != 0 ||
                               !admits(world, c, c->local_normal, c->reference.q))) {
        drop_points(c);
    }
}
