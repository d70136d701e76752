// Manifolds of random pairs, compared with brute-force distances and separating axes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/geometry/manifold.h"
#include "tests/property/geometry/brute.h"
#include "tests/property/geometry/figures.h"

static void report(const char *what, int64_t round, double found, double expected)
{
    fail_msg("%s in round %lld: found %.9g, expected %.9g", what, (long long)round, found,
             expected);
}

// The distance of the rounded shapes; negative: their depth.
static double true_separation(const proxy *a, const proxy *b, transform t)
{
    brute_core ca = brute_place_at(a, TRANSFORM_IDENTITY);
    brute_core cb = brute_place_at(b, t);
    double distance = brute_distance(&ca, &cb);
    if (!(distance > 0.0)) {
        distance = brute_separation(&ca, &cb);
        distance = distance < 0.0 && distance > -HUGE_VAL ? distance : 0.0;
    }
    return distance - (double)a->radius - (double)b->radius;
}

// The distance of a point from a shape; 0 inside.
static double outside(const proxy *p, transform t, vec2 point)
{
    brute_core core = brute_place_at(p, t);
    brute_core at = {.points = {vec2d_from(point)}, .count = 1};
    return fmax(0.0, brute_distance(&core, &at) - (double)p->radius);
}

static transform moved(transform t, vec2 normal, float by)
{
    t.p = vec2_mul_add(t.p, by, normal);
    return t;
}

// Checks that separated shapes are separated along the normal, by at least the reported distance.
static void check_gap(int64_t i, const manifold *m, const brute_core *a, const brute_core *b,
                      double radii, double tolerance)
{
    vec2d n = vec2d_from(m->normal);
    double length = hypot(n.x, n.y);
    if (!(fabs(length - 1.0) <= 1e-6)) {
        report("length of the axis", i, length, 1.0);
    }
    double nearest = HUGE_VAL;
    for (int k = 0; k < b->count; k++) {
        nearest = fmin(nearest, n.x * b->points[k].x + n.y * b->points[k].y);
    }
    double farthest = -HUGE_VAL;
    for (int k = 0; k < a->count; k++) {
        farthest = fmax(farthest, n.x * a->points[k].x + n.y * a->points[k].y);
    }
    double along = nearest - farthest - radii;
    if (fabs(along - (double)m->gap) > tolerance) {
        report("gap along the axis", i, (double)m->gap, along);
    }
}

static void check_manifold(int64_t i, const manifold *m, const proxy *a, const proxy *b,
                           transform t)
{
    brute_core ca = brute_place_at(a, TRANSFORM_IDENTITY);
    brute_core cb = brute_place_at(b, t);
    double radii = (double)a->radius + (double)b->radius;
    double size = brute_size(&ca, &cb) + radii;
    double expected = true_separation(a, b, t);
    // A's axis is preferred unless B's is better by more than a tenth of LINEAR_SLOP; corners
    // within 1.8 degrees of a face count as the face.
    double reach = radii + (double)SPECULATIVE_DISTANCE;
    double tolerance = 1.1e-4 + 0.11 * (double)LINEAR_SLOP + 6e-4 * reach + 2e-6 * size;
    if (m->count == 0) {
        if (expected < (double)SPECULATIVE_DISTANCE - tolerance) {
            report("separation without a contact", i, expected, (double)SPECULATIVE_DISTANCE);
        }
        if (m->gap > 0.0f) {
            check_gap(i, m, &ca, &cb, radii, 2e-5 + 1e-5 * size);
        }
        return;
    }
    if (expected > (double)SPECULATIVE_DISTANCE + tolerance) {
        report("separation with a contact", i, expected, (double)SPECULATIVE_DISTANCE);
    }
    assert_in_range(m->count, 1, 2);
    double length = hypot((double)m->normal.x, (double)m->normal.y);
    if (!(fabs(length - 1.0) <= 1e-6)) {
        report("length of the normal", i, length, 1.0);
    }
    double least = HUGE_VAL;
    for (int k = 0; k < m->count; k++) {
        const manifold_point *p = &m->points[k];
        assert_true(vec2_is_finite(p->point) && isfinite(p->separation));
        least = fmin(least, (double)p->separation);
        double off = fmax(outside(a, TRANSFORM_IDENTITY, p->point), outside(b, t, p->point));
        // An axis preferred over a slightly better one may be off sideways by a few times as much.
        double allowed = 0.5 * fabs((double)p->separation) + tolerance + 4e-3;
        if (off > allowed) {
            report("point outside of the shapes", i, off, allowed);
        }
    }
    if (fabs(least - expected) > tolerance) {
        report("separation", i, least, expected);
    }
    if (m->count == 2 && m->points[0].id == m->points[1].id) {
        report("id of the second point", i, (double)m->points[1].id, -1.0);
    }
}

static void run_shapes(const char *name, uint64_t seed, int64_t ordinary, double smallest,
                       double largest, bool same_size)
{
    rng r = rng_start(name, seed);
    int64_t count = rounds(ordinary);
    int64_t touching = 0;
    int64_t two = 0;
    for (int64_t i = 0; i < count; i++) {
        double size_a = rng_scale(&r, smallest, largest);
        double size_b = same_size ? size_a : rng_scale(&r, smallest, largest);
        shape_geometry sa = figure_shape(&r, size_a);
        shape_geometry sb = figure_shape(&r, size_b);
        if (!manifold_supported(sa.kind, sb.kind)) {
            continue;
        }
        proxy a = proxy_from_shape(&sa);
        proxy b = proxy_from_shape(&sb);
        transform t = figure_frame(&r, size_a + size_b);
        int sort = rng_below(&r, 4);
        // Nearly touching: a few centimetres apart, or a few millimetres of overlap
        if (sort != 0) {
            penetration_result p = penetration_proxies(&a, &b, t);
            double off = sort == 1 ? rng_range(&r, -0.05, 0.05) : rng_range(&r, -0.006, 0.001);
            t = moved(t, p.normal, p.depth + (float)off);
        }
        manifold m = manifold_shapes(&sa, &sb, t);
        check_manifold(i, &m, &a, &b, t);
        touching += m.count > 0;
        two += m.count == 2;
    }
    printf("    %lld pairs, %lld touching, %lld of them in two points\n", (long long)count,
           (long long)touching, (long long)two);
    assert_true(touching > count / 3);
    assert_true(two > count / 50);
}

static void manifold_everyday_shapes_match_brute_force(void **state)
{
    (void)state;
    run_shapes("manifold_everyday_shapes_match_brute_force", 1, 150000, 0.1, 5.0, false);
}

static void manifold_tiny_shapes_match_brute_force(void **state)
{
    (void)state;
    run_shapes("manifold_tiny_shapes_match_brute_force", 2, 50000, 0.002, 0.05, true);
}

static void manifold_shapes_of_any_size_match_brute_force(void **state)
{
    (void)state;
    run_shapes("manifold_shapes_of_any_size_match_brute_force", 3, 100000, 0.01, 5e3, false);
}

// The same figure on itself, in all poses in which many axes are equally good.
static void manifold_coincident_shapes_is_finite_and_as_deep_as_it_should(void **state)
{
    (void)state;
    rng r = rng_start("manifold_coincident_shapes_is_finite_and_as_deep_as_it_should", 4);
    int64_t count = rounds(50000);
    for (int64_t i = 0; i < count; i++) {
        shape_geometry s = figure_shape(&r, rng_scale(&r, 0.01, 1e3));
        if (!manifold_supported(s.kind, s.kind)) {
            continue;
        }
        transform t = TRANSFORM_IDENTITY;
        if (rng_below(&r, 2) == 0) {
            t.q = rot_from_angle(0.5 * PI_D * rng_below(&r, 4));
        }
        manifold m = manifold_shapes(&s, &s, t);
        proxy p = proxy_from_shape(&s);
        check_manifold(i, &m, &p, &p, t);
    }
}

// In either order the contact is the same: equal depth, opposite normal.
static void manifold_in_either_order_is_as_deep(void **state)
{
    (void)state;
    rng r = rng_start("manifold_in_either_order_is_as_deep", 5);
    int64_t count = rounds(50000);
    for (int64_t i = 0; i < count; i++) {
        shape_geometry sa = figure_shape(&r, 1.0);
        shape_geometry sb = figure_shape(&r, 1.0);
        if (!manifold_supported(sa.kind, sb.kind)) {
            continue;
        }
        transform t = figure_frame(&r, 2.0);
        manifold ab = manifold_shapes(&sa, &sb, t);
        manifold ba = manifold_shapes(&sb, &sa, transform_inv_mul(t, TRANSFORM_IDENTITY));
        float deepest[2] = {1.0f, 1.0f};
        for (int k = 0; k < ab.count; k++) {
            deepest[0] = float_min(deepest[0], ab.points[k].separation);
        }
        for (int k = 0; k < ba.count; k++) {
            deepest[1] = float_min(deepest[1], ba.points[k].separation);
        }
        float tolerance = 0.11f * LINEAR_SLOP + 1e-3f * (1.0f + float_abs(deepest[0]));
        bool on_the_limit = deepest[0] > 0.015f || deepest[1] > 0.015f;
        if (!on_the_limit && !(float_abs(deepest[0] - deepest[1]) <= tolerance)) {
            report("depth", i, (double)deepest[1], (double)deepest[0]);
        }
    }
}

static bool has_id(const manifold *m, uint16_t id)
{
    for (int k = 0; k < m->count; k++) {
        if (m->points[k].id == id) {
            return true;
        }
    }
    return false;
}

// A box lies on another and trembles, so that either may be the reference: the ids stay.
static void manifold_trembling_boxes_keep_their_ids(void **state)
{
    (void)state;
    rng r = rng_start("manifold_trembling_boxes_keep_their_ids", 6);
    int64_t count = rounds(20000);
    int64_t flips = 0;
    for (int64_t i = 0; i < count; i++) {
        float width = (float)rng_range(&r, 0.5, 2.0);
        float shift = (float)rng_range(&r, -0.3, 0.3);
        polygon a;
        polygon b;
        assert_int_equal(
            polygon_make_box((vec2){width, 1.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &a, NULL),
            STATUS_OK);
        assert_int_equal(
            polygon_make_box((vec2){1.0f, 1.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &b, NULL),
            STATUS_OK);
        transform t = {{shift, 0.995f}, {1.0f, 0.0f}};
        manifold rest = manifold_polygons(&a, &b, t);
        assert_int_equal(rest.count, 2);
        for (int step = 0; step < 4; step++) {
            t.q = rot_from_angle(rng_range(&r, -0.004, 0.004));
            t.p = (vec2){shift + (float)rng_range(&r, -1e-3, 1e-3),
                         0.995f + (float)rng_range(&r, -1e-3, 1e-3)};
            manifold m = manifold_polygons(&a, &b, t);
            assert_int_equal(m.count, 2);
            flips += m.normal.x != 0.0f;
            assert_true(has_id(&m, rest.points[0].id) && has_id(&m, rest.points[1].id));
        }
    }
    printf("    B was the reference %lld times of %lld\n", (long long)flips, 4 * (long long)count);
    assert_true(flips > count / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifold_everyday_shapes_match_brute_force),
        cmocka_unit_test(manifold_tiny_shapes_match_brute_force),
        cmocka_unit_test(manifold_shapes_of_any_size_match_brute_force),
        cmocka_unit_test(manifold_coincident_shapes_is_finite_and_as_deep_as_it_should),
        cmocka_unit_test(manifold_in_either_order_is_as_deep),
        cmocka_unit_test(manifold_trembling_boxes_keep_their_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
