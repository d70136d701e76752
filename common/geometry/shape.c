// Functions for every kind of shape: validity, bounding box, extent. Pure functions of values; any
// thread.
#include "common/geometry/shape.h"

#include <stddef.h>

#include "common/geometry/hull.h"
#include "common/geometry/quad.h"

static status segment_validate(vec2 a, vec2 b, error *err)
{
    status s = point_validate(a, "a", err);
    if (s == STATUS_OK) {
        s = point_validate(b, "b", err);
    }
    if (s == STATUS_OK && vec2_distance(a, b) < SHAPE_EXTENT_MIN) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "a and b are closer than %g m",
                      (double)SHAPE_EXTENT_MIN);
    }
    return s;
}

// Checks the radius of a shape that has no other thickness.
static status thickness_validate(float radius, error *err)
{
    if (!(radius >= 0.5f * SHAPE_EXTENT_MIN && radius <= SHAPE_EXTENT_MAX)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "radius must be from %g to %g m",
                         0.5 * (double)SHAPE_EXTENT_MIN, (double)SHAPE_EXTENT_MAX);
    }
    return STATUS_OK;
}

static status circle_validate(const circle *shape, error *err)
{
    status s = thickness_validate(shape->radius, err);
    return s == STATUS_OK ? point_validate(shape->center, "center", err) : s;
}

static status capsule_validate(const capsule *shape, error *err)
{
    status s = thickness_validate(shape->radius, err);
    return s == STATUS_OK ? segment_validate(shape->a, shape->b, err) : s;
}

static status chain_validate(const chain_segment *shape, error *err)
{
    status s = segment_validate(shape->edge.a, shape->edge.b, err);
    if (s == STATUS_OK) {
        s = point_validate(shape->ghost_before, "ghost_before", err);
    }
    return s == STATUS_OK ? point_validate(shape->ghost_after, "ghost_after", err) : s;
}

status shape_validate(const shape_geometry *shape, error *err)
{
    switch (shape->kind) {
    case SHAPE_CIRCLE:
        return circle_validate(&shape->circle, err);
    case SHAPE_CAPSULE:
        return capsule_validate(&shape->capsule, err);
    case SHAPE_POLYGON:
        return polygon_validate(&shape->polygon, err);
    case SHAPE_SEGMENT:
        return segment_validate(shape->segment.a, shape->segment.b, err);
    case SHAPE_CHAIN_SEGMENT:
        return chain_validate(&shape->chain, err);
    case SHAPE_KIND_COUNT:
        break;
    }
    return error_set(err, STATUS_INVALID_ARGUMENT, "kind %d is not a shape", (int)shape->kind);
}

// The convex core of any shape, in its own frame, and the rounding around it.
typedef struct core {
    const vec2 *points;
    int count;
    float radius;
} core;

static core shape_core(const shape_geometry *shape)
{
    switch (shape->kind) {
    case SHAPE_CIRCLE:
        return (core){&shape->circle.center, 1, shape->circle.radius};
    case SHAPE_CAPSULE:
        return (core){&shape->capsule.a, 2, shape->capsule.radius};
    case SHAPE_POLYGON:
        return (core){shape->polygon.vertices, shape->polygon.count, shape->polygon.radius};
    case SHAPE_SEGMENT:
        return (core){&shape->segment.a, 2, 0.0f};
    case SHAPE_CHAIN_SEGMENT:
    case SHAPE_KIND_COUNT:
        break;
    }
    return (core){&shape->chain.edge.a, 2, 0.0f};
}

// shape_core takes the two ends of a segment as an array.
_Static_assert(offsetof(capsule, b) == offsetof(capsule, a) + sizeof(vec2), "ends are adjacent");
_Static_assert(offsetof(segment, b) == offsetof(segment, a) + sizeof(vec2), "ends are adjacent");

// Transforms four vertices from `first` on; the first is repeated where there are fewer.
static inline void place_vertices(const polygon *shape, int first, transform t, quad *x, quad *y)
{
    quad from_x;
    quad from_y;
    quad_load_points(shape->vertices + first, &from_x, &from_y);
    *x = (t.q.c * from_x - t.q.s * from_y) + t.p.x;
    *y = (t.q.s * from_x + t.q.c * from_y) + t.p.y;
    if (shape->count - first < QUAD_LANES) {
        *x = quad_first(shape->count - first, *x, QUAD_SPREAD(*x, 0));
        *y = quad_first(shape->count - first, *y, QUAD_SPREAD(*y, 0));
    }
}

static aabb polygon_aabb(const polygon *shape, transform t)
{
    quad low_x;
    quad low_y;
    place_vertices(shape, 0, t, &low_x, &low_y);
    quad high_x = low_x;
    quad high_y = low_y;
    if (shape->count > QUAD_LANES) {
        quad x;
        quad y;
        place_vertices(shape, QUAD_LANES, t, &x, &y);
        low_x = quad_min(low_x, x);
        low_y = quad_min(low_y, y);
        high_x = quad_max(high_x, x);
        high_y = quad_max(high_y, y);
    }
    return (aabb){{quad_smallest(low_x)[0], quad_smallest(low_y)[0]},
                  {quad_largest(high_x)[0], quad_largest(high_y)[0]}};
}

// The box around the core.
static aabb core_aabb(const shape_geometry *shape, transform t)
{
    if (shape->kind == SHAPE_POLYGON) {
        return polygon_aabb(&shape->polygon, t);
    }
    core c = shape_core(shape);
    vec2 first = transform_point(t, c.points[0]);
    vec2 last = transform_point(t, c.points[c.count - 1]);
    return (aabb){vec2_min(first, last), vec2_max(first, last)};
}

aabb shape_aabb(const shape_geometry *shape, transform t)
{
    return aabb_expand(core_aabb(shape, t), shape_core(shape).radius);
}

aabb shape_aabb_at(const shape_geometry *shape, pose frame)
{
    aabb box = core_aabb(shape, (transform){{0.0f, 0.0f}, frame.q});
    double r = (double)shape_core(shape).radius;
    return (aabb){{float_round_down(frame.p.x + ((double)box.lower.x - r)),
                   float_round_down(frame.p.y + ((double)box.lower.y - r))},
                  {float_round_up(frame.p.x + ((double)box.upper.x + r)),
                   float_round_up(frame.p.y + ((double)box.upper.y + r))}};
}

float shape_extent_min(const shape_geometry *shape)
{
    switch (shape->kind) {
    case SHAPE_CIRCLE:
        return shape->circle.radius;
    case SHAPE_CAPSULE:
        return shape->capsule.radius;
    case SHAPE_POLYGON:
        return 0.5f * polygon_width(&shape->polygon) + shape->polygon.radius;
    case SHAPE_SEGMENT:
    case SHAPE_CHAIN_SEGMENT:
    case SHAPE_KIND_COUNT:
        break;
    }
    return 0.0f;
}

float shape_extent_max(const shape_geometry *shape, vec2 center)
{
    core c = shape_core(shape);
    float farthest = 0.0f;
    for (int i = 0; i < c.count; i++) {
        farthest = float_max(farthest, vec2_distance(center, c.points[i]));
    }
    return farthest + c.radius;
}

// The square of the distance of a point from a segment, which may have no length.
static float segment_distance_squared(vec2 a, vec2 b, vec2 point)
{
    vec2 e = vec2_sub(b, a);
    vec2 d = vec2_sub(point, a);
    float along = vec2_dot(d, e);
    float square = vec2_length_squared(e);
    float t = along <= 0.0f ? 0.0f : along >= square ? 1.0f : along / square;
    return vec2_length_squared(vec2_mul_sub(d, t, e));
}

static bool polygon_contains(const polygon *shape, vec2 point)
{
    bool inside = true;
    float nearest = INFINITY;
    for (int i = 0; i < shape->count; i++) {
        vec2 a = shape->vertices[i];
        vec2 b = shape->vertices[i + 1 < shape->count ? i + 1 : 0];
        inside = inside && vec2_dot(shape->normals[i], vec2_sub(point, a)) <= 0.0f;
        nearest = float_min(nearest, segment_distance_squared(a, b, point));
    }
    return inside || nearest <= shape->radius * shape->radius;
}

bool shape_contains(const shape_geometry *shape, vec2 point)
{
    switch (shape->kind) {
    case SHAPE_CIRCLE:
        return vec2_length_squared(vec2_sub(point, shape->circle.center)) <=
               shape->circle.radius * shape->circle.radius;
    case SHAPE_CAPSULE:
        return segment_distance_squared(shape->capsule.a, shape->capsule.b, point) <=
               shape->capsule.radius * shape->capsule.radius;
    case SHAPE_POLYGON:
        return polygon_contains(&shape->polygon, point);
    case SHAPE_SEGMENT:
    case SHAPE_CHAIN_SEGMENT:
    case SHAPE_KIND_COUNT:
        break;
    }
    return false;
}
