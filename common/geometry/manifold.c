// The table of manifold functions for all pairs of kinds, and the pairs with a circle in closed
// form. Any thread.
#include "common/geometry/manifold.h"

#include "common/geometry/manifold_corner.h"

// Two points nearer than this have no usable direction [m].
#define DIRECTION_MIN 1e-9f

// The manifold of two discs around `a` and `b`: one point; `otherwise` is the direction when the
// centres coincide.
static manifold discs_manifold(vec2 a, float radius_a, vec2 b, float radius_b, vec2 otherwise)
{
    vec2 d = vec2_sub(b, a);
    float distance = vec2_length(d);
    manifold m = {.count = 0};
    float separation = distance - (radius_a + radius_b);
    m.normal = distance > DIRECTION_MIN ? vec2_scale(1.0f / distance, d) : otherwise;
    if (separation > SPECULATIVE_DISTANCE) {
        m.gap = separation;
        return m;
    }
    m.count = 1;
    m.points[0].point = vec2_mul_add(a, 0.5f * (distance + radius_a - radius_b), m.normal);
    m.points[0].separation = separation;
    return m;
}

manifold manifold_circles(const circle *a, const circle *b, transform b_in_a)
{
    vec2 center = transform_point(b_in_a, b->center);
    return discs_manifold(a->center, a->radius, center, b->radius, (vec2){1.0f, 0.0f});
}

static manifold segment_disc(vec2 a, vec2 b, float radius_a, vec2 center, float radius_b)
{
    vec2 e = vec2_sub(b, a);
    float along = vec2_dot(vec2_sub(center, a), e);
    float square = vec2_length_squared(e);
    vec2 nearest = along <= 0.0f ? a : along >= square ? b : vec2_mul_add(a, along / square, e);
    float length;
    vec2 right = vec2_normalize(vec2_right(e), &length);
    if (!(length > 0.0f)) {
        right = (vec2){1.0f, 0.0f};
    }
    manifold m = discs_manifold(nearest, radius_a, center, radius_b, right);
    if (m.count == 0) { // `nearest` is rounded, so the normal is too
        const vec2 ends[2] = {a, b};
        manifold_tell_gap(&m, ends, 2, &center, 1, TRANSFORM_IDENTITY, radius_a + radius_b);
    }
    return m;
}

manifold manifold_capsule_circle(const capsule *a, const circle *b, transform b_in_a)
{
    return segment_disc(a->a, a->b, a->radius, transform_point(b_in_a, b->center), b->radius);
}

manifold manifold_segment_circle(const segment *a, const circle *b, transform b_in_a)
{
    return segment_disc(a->a, a->b, 0.0f, transform_point(b_in_a, b->center), b->radius);
}

manifold manifold_polygon_circle(const polygon *a, const circle *b, transform b_in_a)
{
    vec2 center = transform_point(b_in_a, b->center);
    float reach = SPECULATIVE_DISTANCE + a->radius + b->radius;
    manifold m = {.count = 0};
    int edge = 0;
    float separation = -INFINITY;
    for (int i = 0; i < a->count; i++) {
        float s = vec2_dot(a->normals[i], vec2_sub(center, a->vertices[i]));
        if (s > separation) {
            separation = s;
            edge = i;
        }
    }
    if (separation > reach) {
        m.normal = a->normals[edge];
        m.gap = separation - (a->radius + b->radius);
        return m;
    }
    vec2 normal = a->normals[edge];
    vec2 v1 = a->vertices[edge];
    vec2 v2 = a->vertices[edge + 1 < a->count ? edge + 1 : 0];
    if (separation > 0.0f) { // outside the core: a corner may be nearest
        vec2 t = vec2_left(normal);
        bool before = vec2_dot(vec2_sub(center, v1), t) < 0.0f;
        if (before || vec2_dot(vec2_sub(center, v2), t) > 0.0f) {
            m = discs_manifold(before ? v1 : v2, a->radius, center, b->radius, normal);
            if (m.count == 0) {
                manifold_tell_gap(&m, a->vertices, a->count, &center, 1, TRANSFORM_IDENTITY,
                                  a->radius + b->radius);
            }
            return m;
        }
    }
    m.normal = normal;
    m.count = 1;
    m.points[0].point = vec2_mul_add(center, 0.5f * (a->radius - b->radius - separation), normal);
    m.points[0].separation = separation - a->radius - b->radius;
    return m;
}

bool manifold_supported(shape_kind a, shape_kind b)
{
    bool has_area_a = a == SHAPE_CIRCLE || a == SHAPE_CAPSULE || a == SHAPE_POLYGON;
    bool has_area_b = b == SHAPE_CIRCLE || b == SHAPE_CAPSULE || b == SHAPE_POLYGON;
    bool known_a = has_area_a || a == SHAPE_SEGMENT || a == SHAPE_CHAIN_SEGMENT;
    bool known_b = has_area_b || b == SHAPE_SEGMENT || b == SHAPE_CHAIN_SEGMENT;
    return known_a && known_b && (has_area_a || has_area_b);
}

// The rank of a kind: functions take the shape of higher rank first.
static int kind_rank(shape_kind kind)
{
    static const int RANKS[SHAPE_KIND_COUNT] = {
        [SHAPE_CIRCLE] = 0,  [SHAPE_CAPSULE] = 1,       [SHAPE_POLYGON] = 2,
        [SHAPE_SEGMENT] = 3, [SHAPE_CHAIN_SEGMENT] = 4,
    };
    return RANKS[kind];
}

// `a` has the same rank as `b` or a higher one.
static manifold manifold_ordered(const shape_geometry *a, const shape_geometry *b, transform b_in_a)
{
    switch ((int)a->kind * SHAPE_KIND_COUNT + (int)b->kind) {
    case SHAPE_CIRCLE *SHAPE_KIND_COUNT + SHAPE_CIRCLE:
        return manifold_circles(&a->circle, &b->circle, b_in_a);
    case SHAPE_CAPSULE *SHAPE_KIND_COUNT + SHAPE_CIRCLE:
        return manifold_capsule_circle(&a->capsule, &b->circle, b_in_a);
    case SHAPE_CAPSULE *SHAPE_KIND_COUNT + SHAPE_CAPSULE:
        return manifold_capsules(&a->capsule, &b->capsule, b_in_a);
    case SHAPE_POLYGON *SHAPE_KIND_COUNT + SHAPE_CIRCLE:
        return manifold_polygon_circle(&a->polygon, &b->circle, b_in_a);
    case SHAPE_POLYGON *SHAPE_KIND_COUNT + SHAPE_CAPSULE:
        return manifold_polygon_capsule(&a->polygon, &b->capsule, b_in_a);
    case SHAPE_POLYGON *SHAPE_KIND_COUNT + SHAPE_POLYGON:
        return manifold_polygons(&a->polygon, &b->polygon, b_in_a);
    case SHAPE_SEGMENT *SHAPE_KIND_COUNT + SHAPE_CIRCLE:
        return manifold_segment_circle(&a->segment, &b->circle, b_in_a);
    case SHAPE_SEGMENT *SHAPE_KIND_COUNT + SHAPE_CAPSULE:
        return manifold_segment_capsule(&a->segment, &b->capsule, b_in_a);
    case SHAPE_SEGMENT *SHAPE_KIND_COUNT + SHAPE_POLYGON:
        return manifold_segment_polygon(&a->segment, &b->polygon, b_in_a);
    case SHAPE_CHAIN_SEGMENT *SHAPE_KIND_COUNT + SHAPE_CIRCLE:
        return manifold_chain_circle(&a->chain, &b->circle, b_in_a);
    case SHAPE_CHAIN_SEGMENT *SHAPE_KIND_COUNT + SHAPE_CAPSULE:
        return manifold_chain_capsule(&a->chain, &b->capsule, b_in_a);
    case SHAPE_CHAIN_SEGMENT *SHAPE_KIND_COUNT + SHAPE_POLYGON:
        return manifold_chain_polygon(&a->chain, &b->polygon, b_in_a);
    default:
        return (manifold){.count = 0};
    }
}

manifold manifold_shapes(const shape_geometry *a, const shape_geometry *b, transform b_in_a)
{
    if (kind_rank(a->kind) >= kind_rank(b->kind)) {
        return manifold_ordered(a, b, b_in_a);
    }
    manifold m = manifold_ordered(b, a, transform_inv_mul(b_in_a, TRANSFORM_IDENTITY));
    m.normal = vec2_neg(rot_vec(b_in_a.q, m.normal));
    for (int i = 0; i < m.count; i++) {
        m.points[i].point = transform_point(b_in_a, m.points[i].point);
    }
    return m;
}
