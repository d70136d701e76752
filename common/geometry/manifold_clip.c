// Contact points of two edges: clipping, and the case of two corners.
//
// Ids name the features, not the roles: the same two edges give the same ids whichever of them is
// the reference. Normally a point is (edge of A, vertex of B), which also survives that B's corner
// changes the side with which it faces A. Where B is the reference and A clearly stands on a
// corner, the same is wanted for A's corner, and the point is (vertex of A, edge of B).
#include "common/geometry/manifold_clip.h"

// Set in ids so that the three sorts of pairs never look alike.
enum { ID_VERTEX_EDGE = 0x8000, ID_VERTEX_VERTEX = 0x4000 };

// Faces at more than this angle (its cosine) do not lie on each other: one stands on a corner.
#define FACES_COSINE 0.9848f // 10 degrees

// Two corners whose direction differs less than this from the face's normal count as faces.
#define CORNER_COSINE 0.9995f // 1.8 degrees

// An incident edge shorter than this along the reference stands upright: nothing to clip [m].
#define CLIP_SPAN_MIN 1e-6f

static uint16_t feature_id(int kind, int a, int b)
{
    return (uint16_t)(kind | a << 8 | b);
}

static bool stands_on_corner(const edge_pair *pair)
{
    vec2 w = vec2_sub(pair->w2, pair->w1);
    float along = vec2_dot(w, vec2_left(pair->normal)); // < 0: the edges run against each other
    return along * along < FACES_COSINE * FACES_COSINE * vec2_length_squared(w) || along > 0.0f;
}

static void manifold_add(manifold *m, vec2 core, float separation, float offset, vec2 normal,
                         uint16_t id)
{
    m->points[m->count].point = vec2_mul_add(core, offset, normal);
    m->points[m->count].separation = separation;
    m->points[m->count].id = id;
    m->count++;
}

manifold edges_clip(const edge_pair *pair)
{
    vec2 n = pair->normal;
    vec2 t = vec2_left(n);
    vec2 to_w1 = vec2_sub(pair->w1, pair->r1);
    vec2 to_w2 = vec2_sub(pair->w2, pair->r1);
    float length = vec2_dot(vec2_sub(pair->r2, pair->r1), t);
    float low = vec2_dot(to_w2, t);
    float high = vec2_dot(to_w1, t);
    float span = high - low;
    float low_separation = vec2_dot(to_w2, n);
    float high_separation = vec2_dot(to_w1, n);
    float rise = high_separation - low_separation;
    vec2 low_point = pair->w2;
    vec2 high_point = pair->w1;
    if (span > CLIP_SPAN_MIN) {
        vec2 w = vec2_sub(pair->w1, pair->w2);
        float inverse = 1.0f / span;
        float from_low = float_clamp(-low * inverse, 0.0f, 1.0f);
        float from_high = float_clamp((high - length) * inverse, 0.0f, 1.0f);
        low_point = vec2_mul_add(low_point, from_low, w);
        high_point = vec2_mul_sub(high_point, from_high, w);
        float low_clipped = low_separation + from_low * rise;
        high_separation = high_separation - from_high * rise;
        low_separation = low_clipped;
    }

    // The end at A's edge's beginning goes with B's edge's end, whichever is the reference.
    uint16_t id_low;
    uint16_t id_high;
    if (!pair->flipped) {
        id_low = feature_id(0, pair->edge_a, pair->next_b);
        id_high = feature_id(0, pair->edge_a, pair->edge_b);
    } else if (!stands_on_corner(pair)) {
        id_low = feature_id(0, pair->edge_a, pair->edge_b);
        id_high = feature_id(0, pair->edge_a, pair->next_b);
    } else {
        id_low = feature_id(ID_VERTEX_EDGE, pair->next_a, pair->edge_b);
        id_high = feature_id(ID_VERTEX_EDGE, pair->edge_a, pair->edge_b);
    }

    float radii = pair->radius_reference + pair->radius_incident;
    float difference = pair->radius_reference - pair->radius_incident;
    float reach = SPECULATIVE_DISTANCE + radii;
    bool beside = high < 0.0f || low > length;
    bool use_low = low_separation <= reach;
    bool use_high = high_separation <= reach;
    if (beside && use_low && use_high) {
        use_low = low_separation <= high_separation;
        use_high = !use_low;
    }
    manifold m = {.count = 0};
    m.normal = pair->flipped ? vec2_neg(n) : n;
    float low_offset = 0.5f * (difference - low_separation);
    float high_offset = 0.5f * (difference - high_separation);
    if (pair->flipped) { // in the order of A's edge
        if (use_high) {
            manifold_add(&m, high_point, high_separation - radii, high_offset, n, id_high);
        }
        if (use_low) {
            manifold_add(&m, low_point, low_separation - radii, low_offset, n, id_low);
        }
        return m;
    }
    if (use_low) {
        manifold_add(&m, low_point, low_separation - radii, low_offset, n, id_low);
    }
    if (use_high) {
        manifold_add(&m, high_point, high_separation - radii, high_offset, n, id_high);
    }
    return m;
}

// The fraction along a -> b of the point nearest to p.
static float nearest_fraction(vec2 a, vec2 b, vec2 p)
{
    vec2 e = vec2_sub(b, a);
    float along = vec2_dot(vec2_sub(p, a), e);
    float square = vec2_length_squared(e);
    return along <= 0.0f ? 0.0f : along >= square ? 1.0f : along / square;
}

edges_corner edges_nearest_corner(const edge_pair *pair)
{
    // The edges do not cross, so an end of one of them is nearest to the other: four candidates.
    const vec2 ends[2][2] = {{pair->r1, pair->r2}, {pair->w1, pair->w2}};
    float least = INFINITY;
    bool is_corner = false;
    int reference_end = 0;
    int incident_end = 0;
    for (int side = 0; side < 2; side++) {
        const vec2 *edge = ends[1 - side];
        for (int i = 0; i < 2; i++) {
            float f = nearest_fraction(edge[0], edge[1], ends[side][i]);
            vec2 on_edge = f >= 1.0f ? edge[1] : vec2_lerp(edge[0], edge[1], f);
            float square = vec2_length_squared(vec2_sub(ends[side][i], on_edge));
            bool at_end = f <= 0.0f || f >= 1.0f;
            if (square < least) {
                least = square;
                is_corner = at_end;
                reference_end = side == 0 ? i : f >= 1.0f;
                incident_end = side == 0 ? f >= 1.0f : i;
            }
        }
    }
    edges_corner corner = {.found = false};
    float distance = sqrtf(least);
    if (!is_corner || !(distance > 0.0f) || pair->separation >= CORNER_COSINE * distance) {
        return corner;
    }
    corner.found = true;
    corner.distance = distance;
    vec2 reference = ends[0][reference_end];
    vec2 incident = ends[1][incident_end];
    corner.a = pair->flipped ? incident : reference;
    corner.b = pair->flipped ? reference : incident;
    int end_a = pair->flipped ? incident_end : reference_end;
    int end_b = pair->flipped ? reference_end : incident_end;
    corner.id = feature_id(ID_VERTEX_VERTEX, end_a ? pair->next_a : pair->edge_a,
                           end_b ? pair->next_b : pair->edge_b);
    corner.normal = vec2_scale(1.0f / distance, vec2_sub(corner.b, corner.a));
    return corner;
}

manifold edges_corner_manifold(const edges_corner *corner, float radius_a, float radius_b)
{
    manifold m = {.normal = corner->normal};
    float separation = corner->distance - radius_a - radius_b;
    if (separation <= SPECULATIVE_DISTANCE) {
        float offset = 0.5f * (radius_a - radius_b + corner->distance);
        manifold_add(&m, corner->a, separation, offset, corner->normal, corner->id);
    }
    return m;
}

polygon polygon_from_segment(vec2 a, vec2 b, float radius)
{
    polygon shape = {.count = 2, .radius = radius};
    float length;
    vec2 right = vec2_normalize(vec2_right(vec2_sub(b, a)), &length);
    shape.vertices[0] = a;
    shape.vertices[1] = b;
    shape.normals[0] = right;
    shape.normals[1] = vec2_neg(right);
    shape.centroid = vec2_lerp(a, b, 0.5f);
    return shape;
}
