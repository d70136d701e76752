// Capsules against capsules and segments. Any thread.
//
// Two crossing cores, like polygons, have their least overlap along one of their own normals.
// Separate cores are nearest at an end of one of them: if that direction is one of the normals,
// they lie side by side and are clipped; otherwise they touch at one point.
#include "common/geometry/manifold.h"

#include "common/geometry/manifold_corner.h"

typedef struct core_segment {
    vec2 ends[2];
    vec2 normal; // normal of the better side
    float separation;
    int side; // 0: the right side of ends[0] -> ends[1] is better, 1: the left
} core_segment;

// Chooses the side of `s` that is farther from the ends p and q.
static void core_face(core_segment *s, vec2 p, vec2 q)
{
    float length;
    vec2 right = vec2_normalize(vec2_right(vec2_sub(s->ends[1], s->ends[0])), &length);
    float sp = vec2_dot(right, vec2_sub(p, s->ends[0]));
    float sq = vec2_dot(right, vec2_sub(q, s->ends[0]));
    float on_right = float_min(sp, sq);
    float on_left = -float_max(sp, sq);
    s->side = on_left > on_right;
    s->normal = s->side ? vec2_neg(right) : right;
    s->separation = s->side ? on_left : on_right;
}

// The edge of a core whose normal points most against `normal`.
static int core_facing(const core_segment *s, vec2 normal)
{
    vec2 right = vec2_right(vec2_sub(s->ends[1], s->ends[0]));
    return vec2_dot(right, normal) > 0.0f;
}

static edge_pair cores_pair(core_segment *a, core_segment *b, float radius_a, float radius_b)
{
    edge_pair pair;
    pair.flipped = b->separation > a->separation + REFERENCE_BIAS;
    const core_segment *reference = pair.flipped ? b : a;
    int side_a = pair.flipped ? core_facing(a, b->normal) : a->side;
    int side_b = pair.flipped ? b->side : core_facing(b, a->normal);
    pair.edge_a = (uint8_t)side_a;
    pair.next_a = (uint8_t)(1 - side_a);
    pair.edge_b = (uint8_t)side_b;
    pair.next_b = (uint8_t)(1 - side_b);
    pair.normal = reference->normal;
    pair.separation = reference->separation;
    quad of_a = quad_join(&a->ends[side_a], &a->ends[1 - side_a]);
    quad of_b = quad_join(&b->ends[side_b], &b->ends[1 - side_b]);
    pair.reference = pair.flipped ? of_b : of_a;
    pair.incident = pair.flipped ? of_a : of_b;
    pair.radius_reference = pair.flipped ? radius_b : radius_a;
    pair.radius_incident = pair.flipped ? radius_a : radius_b;
    return pair;
}

// Whether two segments cross each other: both pairs of ends lie on different sides.
static bool cores_cross(const core_segment *a, const core_segment *b)
{
    return a->separation <= 0.0f && b->separation <= 0.0f &&
           (a->separation < 0.0f || b->separation < 0.0f);
}

static manifold cores_manifold(vec2 a1, vec2 a2, float radius_a, vec2 b1, vec2 b2, float radius_b)
{
    core_segment a = {.ends = {a1, a2}};
    core_segment b = {.ends = {b1, b2}};
    core_face(&a, b1, b2);
    core_face(&b, a1, a2);
    float reach = SPECULATIVE_DISTANCE + radius_a + radius_b;
    if (a.separation > reach || b.separation > reach) {
        bool of_b = b.separation > a.separation;
        return (manifold){.normal = of_b ? vec2_neg(b.normal) : a.normal,
                          .gap = (of_b ? b.separation : a.separation) - (radius_a + radius_b)};
    }
    edge_pair pair = cores_pair(&a, &b, radius_a, radius_b);
    if (!cores_cross(&a, &b)) {
        edges_corner corner = edges_nearest_corner(&pair);
        if (corner.found) {
            manifold m = edges_corner_manifold(&corner, radius_a, radius_b);
            if (m.count == 0) {
                manifold_tell_gap(&m, a.ends, 2, b.ends, 2, TRANSFORM_IDENTITY,
                                  radius_a + radius_b);
            }
            return m;
        }
    }
    return edges_clip(&pair);
}

manifold manifold_capsules(const capsule *a, const capsule *b, transform b_in_a)
{
    return cores_manifold(a->a, a->b, a->radius, transform_point(b_in_a, b->a),
                          transform_point(b_in_a, b->b), b->radius);
}

manifold manifold_segment_capsule(const segment *a, const capsule *b, transform b_in_a)
{
    return cores_manifold(a->a, a->b, 0.0f, transform_point(b_in_a, b->a),
                          transform_point(b_in_a, b->b), b->radius);
}
