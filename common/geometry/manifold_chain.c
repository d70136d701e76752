// Contacts of one-sided chain pieces, smooth across the joints between pieces. Any thread.
//
// A body that slides over the joint of two pieces must not be pushed back by the end of the next
// one. So a piece only produces normals within its fan: its own normal, and at an end where the
// chain bends away from the bodies (a convex joint) all normals up to the neighbour's. Any other
// axis can prove that the shapes are apart but is never a contact normal. If the neighbour's face
// is the better axis, the contact belongs to the neighbour.
#include "common/geometry/manifold.h"

#include "common/geometry/manifold_corner.h"

// The tolerance for rounding that turns a normal out of the fan or bends a straight joint [sine].
// It must stay small: a normal tilted back by a hundredth would lift a body at 15 m/s by 15 cm/s at
// each joint.
#define FAN_TOLERANCE 1e-4f

// A body touches the piece until its centre lies this far behind it: a thin plate at rest sinks in
// by as much [m].
#define BEHIND_MAX LINEAR_SLOP

// If a piece's own axis is worse by this than an axis outside the fan, the body does not rest on
// the piece: the piece stands behind a convex joint, and the body only overhangs its line [m].
#define DEEPER_MAX SPECULATIVE_DISTANCE

typedef struct fan {
    vec2 before, own, after; // unit normals, right of the chain's direction
    bool convex_before, convex_after;
} fan;

static vec2 right_normal(vec2 from, vec2 to)
{
    float length;
    return vec2_normalize(vec2_right(vec2_sub(to, from)), &length);
}

static fan chain_fan(const chain_segment *s)
{
    fan f;
    f.before = right_normal(s->ghost_before, s->edge.a);
    f.own = right_normal(s->edge.a, s->edge.b);
    f.after = right_normal(s->edge.b, s->ghost_after);
    f.convex_before = vec2_cross(f.before, f.own) > FAN_TOLERANCE;
    f.convex_after = vec2_cross(f.own, f.after) > FAN_TOLERANCE;
    return f;
}

static bool fan_admits(const fan *f, vec2 u)
{
    float turn = vec2_cross(f->own, u); // > 0: leans towards the next piece
    if (vec2_dot(f->own, u) > 0.0f && float_abs(turn) <= FAN_TOLERANCE) {
        return true;
    }
    if (turn > 0.0f) {
        return f->convex_after && vec2_cross(u, f->after) >= -FAN_TOLERANCE;
    }
    return f->convex_before && vec2_cross(f->before, u) >= -FAN_TOLERANCE;
}

manifold manifold_chain_circle(const chain_segment *a, const circle *b, transform b_in_a)
{
    manifold m = {.count = 0};
    fan f = chain_fan(a);
    vec2 center = transform_point(b_in_a, b->center);
    vec2 d = vec2_sub(center, a->edge.a);
    vec2 e = vec2_sub(a->edge.b, a->edge.a);
    float height = vec2_dot(f.own, d);
    if (height < -BEHIND_MAX || height > SPECULATIVE_DISTANCE + b->radius) {
        return m;
    }
    float along = vec2_dot(d, e);
    float square = vec2_length_squared(e);
    m.normal = f.own;
    float distance = height;
    if (along < 0.0f || along > square) {
        vec2 from_corner = along < 0.0f ? d : vec2_sub(center, a->edge.b);
        vec2 u = vec2_normalize(from_corner, &distance);
        if (distance > 0.0f) {
            bool admitted = fan_admits(&f, u);
            if (!admitted && float_abs(vec2_cross(from_corner, f.own)) > REFERENCE_BIAS) {
                return m;
            }
            // Almost exactly over the joint, one of the two pieces must keep the body up.
            m.normal = admitted ? u : f.own;
            distance = admitted ? distance : height;
        }
    }
    float separation = distance - b->radius;
    if (separation > SPECULATIVE_DISTANCE) {
        return m;
    }
    m.count = 1;
    m.points[0].point = vec2_mul_sub(center, 0.5f * (distance + b->radius), m.normal);
    m.points[0].separation = separation;
    return m;
}

// A polygon in the frame of the chain.
typedef struct hull {
    vec2 vertices[POLYGON_VERTICES_MAX];
    vec2 normals[POLYGON_VERTICES_MAX];
    int count;
} hull;

static void hull_place(hull *h, const polygon *shape, transform t)
{
    h->count = shape->count;
    for (int i = 0; i < shape->count; i++) {
        h->vertices[i] = transform_point(t, shape->vertices[i]);
        h->normals[i] = rot_vec(t.q, shape->normals[i]);
    }
}

// The signed distance of the hull from the line through `origin` with this normal.
static float hull_separation(const hull *h, vec2 normal, vec2 origin)
{
    float least = INFINITY;
    for (int i = 0; i < h->count; i++) {
        least = float_min(least, vec2_dot(normal, vec2_sub(h->vertices[i], origin)));
    }
    return least;
}

static int hull_deepest(const hull *h, vec2 normal)
{
    int deepest = 0;
    for (int i = 1; i < h->count; i++) {
        if (vec2_dot(h->vertices[i], normal) < vec2_dot(h->vertices[deepest], normal)) {
            deepest = i;
        }
    }
    return deepest;
}

// Finds the best of the hull's faces whose direction the fan admits; -1 if there is none. Returns
// the separation of the best face overall, admitted or not.
static float hull_best_face(const hull *h, const segment *edge, const fan *f, int *face,
                            float *separation)
{
    *face = -1;
    *separation = -INFINITY;
    float best = -INFINITY;
    for (int i = 0; i < h->count; i++) {
        vec2 n = h->normals[i];
        float s = float_min(vec2_dot(n, vec2_sub(edge->a, h->vertices[i])),
                            vec2_dot(n, vec2_sub(edge->b, h->vertices[i])));
        best = float_max(best, s);
        if (s > *separation && fan_admits(f, vec2_neg(n))) {
            *separation = s;
            *face = i;
        }
    }
    return best;
}

// Whether the face of a convex neighbour is a better axis than the best axis of this piece.
static bool neighbour_owns(const hull *h, const segment *edge, const fan *f, float best)
{
    return (f->convex_before && hull_separation(h, f->before, edge->a) > best + REFERENCE_BIAS) ||
           (f->convex_after && hull_separation(h, f->after, edge->b) > best + REFERENCE_BIAS);
}

static edge_pair chain_pair(const segment *edge, const fan *f, const hull *h, int face,
                            bool flipped, float radius)
{
    int next = face + 1 < h->count ? face + 1 : 0;
    edge_pair pair = {
        .edge_a = 0,
        .next_a = 1,
        .edge_b = (uint8_t)face,
        .next_b = (uint8_t)next,
        .flipped = flipped,
    };
    quad of_a = quad_join(&edge->a, &edge->b);
    quad of_b = quad_join(&h->vertices[face], &h->vertices[next]);
    pair.reference = flipped ? of_b : of_a;
    pair.incident = flipped ? of_a : of_b;
    pair.normal = flipped ? h->normals[face] : f->own;
    pair.radius_reference = flipped ? radius : 0.0f;
    pair.radius_incident = flipped ? 0.0f : radius;
    return pair;
}

// The manifold of separate cores that lie beside each other's faces: the nearest features give the
// normal if the fan admits it. Otherwise the body is clipped along the piece's own axis (`own`) if
// it lies above the piece.
static manifold chain_apart(const chain_segment *a, const fan *f, const polygon *b,
                            transform b_in_a, edge_pair *pair, const edge_pair *own)
{
    manifold none = {.count = 0};
    polygon line;
    polygon_from_segment(a->edge.a, a->edge.b, 0.0f, &line);
    edges_corner corner = polygons_nearest_corner(&line, b, b_in_a, pair);
    vec2 normal = corner.found    ? corner.normal
                  : pair->flipped ? vec2_neg(pair->normal)
                                  : pair->normal;
    if (!fan_admits(f, normal)) {
        return own->separation > 0.0f && edges_overlap(own) ? edges_clip(own) : none;
    }
    if (corner.found) {
        return edges_corner_manifold(&corner, 0.0f, b->radius);
    }
    return edges_overlap(pair) ? edges_clip(pair) : none;
}

manifold manifold_chain_polygon(const chain_segment *a, const polygon *b, transform b_in_a)
{
    manifold none = {.count = 0};
    fan f = chain_fan(a);
    vec2 centroid = transform_point(b_in_a, b->centroid);
    if (vec2_dot(f.own, vec2_sub(centroid, a->edge.a)) < -BEHIND_MAX) {
        return none;
    }
    float reach = SPECULATIVE_DISTANCE + b->radius;
    hull h;
    hull_place(&h, b, b_in_a);
    float separation_a = hull_separation(&h, f.own, a->edge.a);
    if (separation_a > reach) {
        return none;
    }
    int face;
    float separation_b;
    float separation_any = hull_best_face(&h, &a->edge, &f, &face, &separation_b);
    if (separation_any > reach) {
        return none;
    }
    bool flipped = face >= 0 && separation_b > separation_a + REFERENCE_BIAS;
    float best = flipped ? separation_b : separation_a;
    if (best < separation_any - DEEPER_MAX || neighbour_owns(&h, &a->edge, &f, best)) {
        return none;
    }
    int facing = edge_facing(b, hull_deepest(&h, f.own), rot_inv_vec(b_in_a.q, f.own));
    edge_pair own = chain_pair(&a->edge, &f, &h, facing, false, b->radius);
    own.separation = separation_a;
    edge_pair pair = own;
    if (face >= 0) {
        edge_pair turned = chain_pair(&a->edge, &f, &h, face, true, b->radius);
        turned.separation = separation_b;
        // Beside the piece along its own axis, the body's axis wins even if it is only slightly
        // better.
        bool by_a_hair = separation_b > separation_a && !edges_overlap(&own);
        pair = flipped || by_a_hair ? turned : own;
    }
    if (pair.separation > 0.0f && edges_beside(&pair)) {
        return chain_apart(a, &f, b, b_in_a, &pair, &own);
    }
    return edges_overlap(&pair) ? edges_clip(&pair) : none;
}

manifold manifold_chain_capsule(const chain_segment *a, const capsule *b, transform b_in_a)
{
    polygon core;
    polygon_from_segment(b->a, b->b, b->radius, &core);
    return manifold_chain_polygon(a, &core, b_in_a);
}
