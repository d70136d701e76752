// Overlaps are found by sorting boxes along x and sweeping over them, which is independent of the
// data structures of the compared engines.
#include "tests/bench/physics/quality.h"

#include "common/base/array.h"
#include "common/geometry/manifold.h"

#include <stdlib.h>

// A convex shape at its body's current pose.
typedef struct piece {
    double left, right, low, high;
    pose frame;
    uint32_t body;
    int32_t group;
    shape_geometry geometry;
} piece;

typedef struct hinge_key { // bodies of a hinge, the lower first
    uint32_t a, b;
} hinge_key;

typedef struct finder {
    const scene_data *scene;
    const engine_body *bodies;
    ARRAY(piece) pieces;
    hinge_key *hinges; // sorted
} finder;

static vec2 to_vec2(scene_point p)
{
    return (vec2){(float)p.x, (float)p.y};
}

static void add_piece(finder *f, uint32_t body, const scene_shape *shape, const shape_geometry *g)
{
    const engine_body *at = &f->bodies[body];
    piece p = {.body = body, .group = shape->group, .geometry = *g};
    p.frame = (pose){{at->x, at->y}, rot_from_angle(at->angle)};
    aabb box = shape_aabb_at(g, p.frame);
    p.left = (double)box.lower.x;
    p.low = (double)box.lower.y;
    p.right = (double)box.upper.x;
    p.high = (double)box.upper.y;
    array_push(&f->pieces, p);
}

static void add_loop(finder *f, uint32_t body, const scene_shape *shape, const scene_point *points)
{
    uint32_t n = shape->point_count;
    for (uint32_t i = 0; i < n; i++) {
        shape_geometry g = {.kind = SHAPE_CHAIN_SEGMENT};
        g.chain.ghost_before = to_vec2(points[(i + n - 1) % n]);
        g.chain.edge.a = to_vec2(points[i]);
        g.chain.edge.b = to_vec2(points[(i + 1) % n]);
        g.chain.ghost_after = to_vec2(points[(i + 2) % n]);
        add_piece(f, body, shape, &g);
    }
}

static void add_shape(finder *f, uint32_t body, const scene_shape *shape)
{
    const scene_point *points = &f->scene->points[shape->first_point];
    float radius = (float)shape->radius;
    shape_geometry g = {.kind = SHAPE_CIRCLE};
    vec2 corners[POLYGON_VERTICES_MAX];
    error err;
    switch (shape->form) {
    case SCENE_CIRCLE:
        g.circle = (circle){to_vec2(points[0]), radius};
        break;
    case SCENE_CAPSULE:
        g.kind = SHAPE_CAPSULE;
        g.capsule = (capsule){to_vec2(points[0]), to_vec2(points[1]), radius};
        break;
    case SCENE_POLYGON:
        for (uint32_t i = 0; i < shape->point_count; i++) {
            corners[i] = to_vec2(points[i]);
        }
        g.kind = SHAPE_POLYGON;
        if (polygon_make(corners, (int)shape->point_count, radius, &g.polygon, &err) != STATUS_OK) {
            abort();
        }
        break;
    case SCENE_LOOP:
        add_loop(f, body, shape, points);
        return;
    }
    add_piece(f, body, shape, &g);
}

static int compare_pieces(const void *a, const void *b)
{
    double x = ((const piece *)a)->left;
    double y = ((const piece *)b)->left;
    return (x > y) - (x < y);
}

static int compare_hinges(const void *a, const void *b)
{
    const hinge_key *x = a;
    const hinge_key *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static hinge_key hinge_of(uint32_t a, uint32_t b)
{
    return a < b ? (hinge_key){a, b} : (hinge_key){b, a};
}

static bool may_collide(const finder *f, const piece *a, const piece *b)
{
    const scene_body *bodies = f->scene->bodies;
    if (a->body == b->body || (a->group < 0 && a->group == b->group) ||
        !manifold_supported(a->geometry.kind, b->geometry.kind)) {
        return false;
    }
    if (bodies[a->body].motion != SCENE_DYNAMIC && bodies[b->body].motion != SCENE_DYNAMIC) {
        return false;
    }
    hinge_key key = hinge_of(a->body, b->body);
    return f->scene->hinge_count == 0 ||
           bsearch(&key, f->hinges, f->scene->hinge_count, sizeof key, compare_hinges) == NULL;
}

static double overlap_of(const piece *a, const piece *b)
{
    transform b_in_a = pose_relative(a->frame, b->frame);
    manifold m = manifold_shapes(&a->geometry, &b->geometry, b_in_a);
    double deepest = 0.0;
    for (int i = 0; i < m.count; i++) {
        deepest = fmax(deepest, -(double)m.points[i].separation);
    }
    return deepest;
}

static double sweep_over(const finder *f)
{
    double deepest = 0.0;
    for (uint32_t i = 0; i < f->pieces.count; i++) {
        const piece *a = &f->pieces.data[i];
        for (uint32_t k = i + 1; k < f->pieces.count && f->pieces.data[k].left <= a->right; k++) {
            const piece *b = &f->pieces.data[k];
            if (a->low <= b->high && b->low <= a->high && may_collide(f, a, b)) {
                deepest = fmax(deepest, overlap_of(a, b));
            }
        }
    }
    return deepest;
}

double quality_overlap(const scene_data *scene, const engine_body *bodies)
{
    finder f = {.scene = scene, .bodies = bodies};
    f.hinges = calloc(scene->hinge_count + 1U, sizeof *f.hinges);
    if (f.hinges == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < scene->hinge_count; i++) {
        f.hinges[i] = hinge_of(scene->hinges[i].a, scene->hinges[i].b);
    }
    qsort(f.hinges, scene->hinge_count, sizeof *f.hinges, compare_hinges);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const scene_body *body = &scene->bodies[i];
        if (!isfinite(bodies[i].x) || !isfinite(bodies[i].y) || !isfinite(bodies[i].angle)) {
            continue;
        }
        for (uint32_t s = 0; s < body->shape_count; s++) {
            add_shape(&f, i, &scene->shapes[body->first_shape + s]);
        }
    }
    qsort(f.pieces.data, f.pieces.count, sizeof *f.pieces.data, compare_pieces);
    double deepest = sweep_over(&f);
    array_free(&f.pieces);
    free(f.hinges);
    return deepest;
}

quality quality_measure(const scene_data *scene, const engine_body *bodies)
{
    quality q = {.top = -HUGE_VAL};
    const scene_bounds *in = &scene->bounds;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].motion != SCENE_DYNAMIC) {
            continue;
        }
        const engine_body *b = &bodies[i];
        bool inside = b->x > in->lower.x && b->x < in->upper.x && b->y > in->lower.y &&
                      b->y < in->upper.y && isfinite(b->vx) && isfinite(b->vy);
        if (!inside) {
            q.out++;
            continue;
        }
        q.top = fmax(q.top, b->y);
        q.fastest = fmax(q.fastest, sqrt(b->vx * b->vx + b->vy * b->vy));
        q.drift = fmax(q.drift, fabs(b->x - scene->bodies[i].position.x));
    }
    q.drift = scene->still ? q.drift : -1.0;
    q.overlap = quality_overlap(scene, bodies);
    return q;
}
