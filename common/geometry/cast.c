// Shape casts and ray casts against a shape. Any thread.
//
// A shape is cast by conservative advancement: B cannot touch A before it has covered the gap along
// the current normal, so each round moves B by exactly that much and computes the normal again.
// Between polygons this ends exactly after a few faces; at rounded corners it converges
// quadratically from outside. Rays are solved in closed form. All is computed in double, for the
// reasons given in gjk.h.
#include "common/geometry/distance.h"

#include "common/geometry/gjk.h"

#define CAST_ITERATIONS_MAX 64

// A gap below this fraction of the figures' size, or below CAST_GAP_MIN [m], counts as contact.
#define CAST_GAP_RELATIVE 1e-12
#define CAST_GAP_MIN      1e-9

static cast_result cast_hit(double fraction, vec2d point, vec2d normal)
{
    return (cast_result){
        .hit = true,
        .fraction = (float)fraction,
        .point = vec2d_round(point),
        .normal = vec2d_round(normal),
    };
}

static const cast_result CAST_MISS = {.hit = false, .fraction = 1.0f};

static double core_reach(const gjk_core *core)
{
    double reach = 0.0;
    for (int i = 0; i < core->count; i++) {
        double l = vec2d_length(core->points[i]);
        reach = l > reach ? l : reach;
    }
    return reach;
}

static void core_move(gjk_core *core, const gjk_core *from, vec2d by)
{
    for (int i = 0; i < from->count; i++) {
        core->points[i] = vec2d_add(from->points[i], by);
    }
}

cast_result cast_proxies(const proxy *a, const proxy *b, transform b_in_a, vec2 translation)
{
    gjk_core core_a = gjk_core_from_proxy(a);
    gjk_core start = gjk_core_placed(b, b_in_a);
    gjk_core core_b = start;
    vec2d motion = vec2d_from(translation);
    double radius_a = (double)a->radius;
    double radii = radius_a + (double)b->radius;
    double size = core_reach(&core_a) + core_reach(&start) + radii;
    double gap_min = CAST_GAP_MIN + CAST_GAP_RELATIVE * size;

    distance_cache cache = {.count = 0};
    gjk_result g = gjk_distance(&core_a, &core_b, &cache);
    vec2d point = vec2d_mul_add(g.point_a, radius_a, g.normal);
    if (g.overlap || g.distance < radii) {
        return cast_hit(0.0, point, (vec2d){0.0, 0.0});
    }
    vec2d normal = g.normal;
    double fraction = 0.0;
    for (int i = 0; i < CAST_ITERATIONS_MAX; i++) {
        double gap = g.distance - radii;
        double closing = -vec2d_dot(normal, motion);
        if (closing <= 0.0) {
            return CAST_MISS; // B moves away along this normal, and A is convex
        }
        if (gap <= gap_min) {
            return cast_hit(fraction, point, normal);
        }
        fraction += gap / closing;
        if (!(fraction <= 1.0)) {
            return CAST_MISS;
        }
        core_move(&core_b, &start, vec2d_scale(fraction, motion));
        g = gjk_distance(&core_a, &core_b, &cache);
        if (g.overlap) { // touching cores have no normal: keep the last one
            return cast_hit(fraction, vec2d_mul_add(g.point_a, radius_a, normal), normal);
        }
        normal = g.normal;
        point = vec2d_mul_add(g.point_a, radius_a, normal);
    }
    // A grazing cast advances along the edge without end; its remaining distance is far below
    // LINEAR_SLOP.
    return g.distance - radii < (double)LINEAR_SLOP ? cast_hit(fraction, point, normal) : CAST_MISS;
}

typedef struct ray {
    vec2d origin, motion;
} ray;

// The nearest hit so far.
typedef struct ray_hit {
    double fraction; // above 1: no hit
    vec2d normal;
} ray_hit;

static void hit_keep(ray_hit *hit, double fraction, vec2d normal)
{
    if (fraction >= 0.0 && fraction <= 1.0 && fraction < hit->fraction) {
        *hit = (ray_hit){fraction, normal};
    }
}

static void ray_circle(const ray *r, vec2d center, double radius, ray_hit *hit)
{
    vec2d d = vec2d_sub(r->origin, center);
    double square = vec2d_dot(r->motion, r->motion);
    double length = sqrt(square);
    if (!(length > 0.0)) {
        return;
    }
    double along = -vec2d_dot(d, r->motion) / length;
    // keeps the digits that |d|² - along² would lose
    double across = vec2d_cross(r->motion, d) / length;
    double half = (radius - across) * (radius + across);
    if (half < 0.0) {
        return;
    }
    double fraction = (along - sqrt(half)) / length;
    vec2d at = vec2d_mul_add(d, fraction, r->motion);
    hit_keep(hit, fraction, radius > 0.0 ? vec2d_scale(1.0 / radius, at) : (vec2d){0.0, 0.0});
}

// Intersects the ray with the line from p to q, which it hits from the right side only.
static void ray_right_side(const ray *r, vec2d p, vec2d q, ray_hit *hit)
{
    vec2d e = vec2d_sub(q, p);
    double l = vec2d_length(e);
    if (!(l > 0.0)) {
        return;
    }
    vec2d normal = {e.y / l, -e.x / l};
    double closing = -vec2d_dot(normal, r->motion);
    double height = vec2d_dot(normal, vec2d_sub(r->origin, p));
    if (!(closing > 0.0) || height < 0.0) {
        return;
    }
    double fraction = height / closing;
    // The ray's crossing with the line, relative to p: the rounding of the point itself does not
    // enter.
    double at = vec2d_cross(r->motion, vec2d_sub(p, r->origin)) / vec2d_cross(e, r->motion);
    if (at >= 0.0 && at <= 1.0) {
        hit_keep(hit, fraction, normal);
    }
}

static void ray_capsule(const ray *r, vec2d p, vec2d q, double radius, ray_hit *hit)
{
    vec2d e = vec2d_sub(q, p);
    double l = vec2d_length(e);
    if (l > 0.0 && radius > 0.0) {
        vec2d side = {radius * e.y / l, -radius * e.x / l};
        ray_right_side(r, vec2d_add(p, side), vec2d_add(q, side), hit);
        ray_right_side(r, vec2d_sub(q, side), vec2d_sub(p, side), hit);
    }
    ray_circle(r, p, radius, hit);
    ray_circle(r, q, radius, hit);
}

// A ray along the segment itself hits the segment's nearer end.
static void ray_along(const ray *r, vec2d p, vec2d q, ray_hit *hit)
{
    vec2d e = vec2d_sub(q, p);
    double square = vec2d_dot(r->motion, r->motion);
    if (!(square > 0.0) || vec2d_cross(e, r->motion) != 0.0 ||
        vec2d_cross(vec2d_sub(p, r->origin), r->motion) != 0.0) {
        return;
    }
    double tp = vec2d_dot(vec2d_sub(p, r->origin), r->motion) / square;
    double tq = vec2d_dot(vec2d_sub(q, r->origin), r->motion) / square;
    double first = tp < tq ? tp : tq;
    double last = tp < tq ? tq : tp;
    if (last >= 0.0) {
        first = first > 0.0 ? first : 0.0;
        hit_keep(hit, first, vec2d_scale(-1.0 / sqrt(square), r->motion));
    }
}

static void ray_segment(const ray *r, const segment *s, ray_hit *hit)
{
    vec2d p = vec2d_from(s->a);
    vec2d q = vec2d_from(s->b);
    ray_right_side(r, p, q, hit);
    ray_right_side(r, q, p, hit);
    ray_along(r, p, q, hit);
}

static void ray_polygon(const ray *r, const polygon *shape, ray_hit *hit)
{
    double radius = (double)shape->radius;
    for (int i = 0; i < shape->count; i++) {
        vec2d p = vec2d_from(shape->vertices[i]);
        vec2d q = vec2d_from(shape->vertices[i + 1 < shape->count ? i + 1 : 0]);
        if (radius > 0.0) {
            ray_capsule(r, p, q, radius, hit);
        } else {
            ray_right_side(r, p, q, hit);
        }
    }
}

cast_result ray_shape(const shape_geometry *shape, vec2 origin, vec2 translation)
{
    if (shape_contains(shape, origin)) {
        return cast_hit(0.0, vec2d_from(origin), (vec2d){0.0, 0.0});
    }
    ray r = {vec2d_from(origin), vec2d_from(translation)};
    ray_hit hit = {.fraction = HUGE_VAL};
    switch (shape->kind) {
    case SHAPE_CIRCLE:
        ray_circle(&r, vec2d_from(shape->circle.center), (double)shape->circle.radius, &hit);
        break;
    case SHAPE_CAPSULE:
        ray_capsule(&r, vec2d_from(shape->capsule.a), vec2d_from(shape->capsule.b),
                    (double)shape->capsule.radius, &hit);
        break;
    case SHAPE_POLYGON:
        ray_polygon(&r, &shape->polygon, &hit);
        break;
    case SHAPE_SEGMENT:
        ray_segment(&r, &shape->segment, &hit);
        break;
    case SHAPE_CHAIN_SEGMENT:
        ray_right_side(&r, vec2d_from(shape->chain.edge.a), vec2d_from(shape->chain.edge.b), &hit);
        break;
    case SHAPE_KIND_COUNT:
        break;
    }
    if (!(hit.fraction <= 1.0)) {
        return CAST_MISS;
    }
    return cast_hit(hit.fraction, vec2d_mul_add(r.origin, hit.fraction, r.motion), hit.normal);
}
