// Shape casts and rays, compared with steps along the path and brute-force distances.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/property/geometry/brute.h"
#include "tests/property/geometry/figures.h"

enum { STEPS = 24 };

static void report(const char *what, int64_t round, double found, double expected)
{
    fail_msg("%s in round %lld: found %.9g, expected %.9g", what, (long long)round, found,
             expected);
}

static double gap_at(const proxy *a, const proxy *b, transform t, vec2 way, double fraction)
{
    brute_core ca = brute_place_at(a, TRANSFORM_IDENTITY);
    brute_core cb =
        brute_place(b, (double)t.p.x + fraction * (double)way.x,
                    (double)t.p.y + fraction * (double)way.y, (double)t.q.c, (double)t.q.s);
    return brute_distance(&ca, &cb) - (double)a->radius - (double)b->radius;
}

static void cast_make(rng *r, proxy *a, proxy *b, transform *t, vec2 *way, double *size)
{
    double size_a = rng_scale(r, 1e-2, 5e2);
    double size_b = rng_below(r, 2) == 0 ? size_a : rng_scale(r, 1e-2, 5e2);
    *size = size_a + size_b;
    *a = figure_proxy(r, size_a);
    *b = figure_proxy(r, size_b);
    a->radius = rng_below(r, 2) == 0 ? 0.0f : (float)(size_a * rng_unit(r));
    b->radius = rng_below(r, 2) == 0 ? 0.0f : (float)(size_b * rng_unit(r));
    *t = figure_frame(r, 5.0 * *size);
    // The direction is roughly towards A, so that about half of the casts hit.
    *way = (vec2){(float)(-2.0 * (double)t->p.x + *size * rng_range(r, -1.5, 1.5)),
                  (float)(-2.0 * (double)t->p.y + *size * rng_range(r, -1.5, 1.5))};
}

static void cast_random_pairs_match_stepping(void **state)
{
    (void)state;
    rng r = rng_start("cast_random_pairs_match_stepping", 1);
    int64_t count = rounds(50000);
    int64_t hits = 0;
    for (int64_t i = 0; i < count; i++) {
        proxy a;
        proxy b;
        transform t;
        vec2 way;
        double size;
        cast_make(&r, &a, &b, &t, &way, &size);
        cast_result c = cast_proxies(&a, &b, t, way);
        double end = c.hit ? (double)c.fraction : 1.0;
        double tolerance = 4e-6 * size;
        double first = gap_at(&a, &b, t, way, 0.0);
        if (first <= 0.0) {
            if (!c.hit || c.fraction != 0.0f || c.normal.x != 0.0f || c.normal.y != 0.0f) {
                report("fraction of a cast that begins inside", i, end, 0.0);
            }
            continue;
        }
        for (int k = 0; k < STEPS; k++) {
            double gap = gap_at(&a, &b, t, way, end * k / STEPS);
            if (gap < -tolerance) {
                report("gap before the contact", i, gap, 0.0);
            }
        }
        if (!c.hit) {
            continue;
        }
        hits++;
        double gap = gap_at(&a, &b, t, way, end);
        if (fabs(gap) > tolerance) {
            report("gap at the contact", i, gap, 0.0);
        }
        double length = hypot((double)c.normal.x, (double)c.normal.y);
        if (fabs(length - 1.0) > 1e-6) {
            report("length of the normal", i, length, 1.0);
        }
        double closing = (double)vec2_dot(c.normal, way);
        if (!(closing <= 1e-4 * (double)vec2_length(way))) {
            report("motion along the normal", i, closing, 0.0);
        }
        brute_core ca = brute_place_at(&a, TRANSFORM_IDENTITY);
        brute_core point = {.points = {vec2d_from(c.point)}, .count = 1};
        double off = brute_distance(&ca, &point) - (double)a.radius;
        if (fabs(off) > tolerance) {
            report("distance of the point from the surface", i, off, 0.0);
        }
    }
    printf("    %lld casts, %lld hits\n", (long long)count, (long long)hits);
    assert_in_range(hits, count / 5, count - count / 5);
}

static void ray_random_shapes_match_stepping(void **state)
{
    (void)state;
    rng r = rng_start("ray_random_shapes_match_stepping", 2);
    int64_t count = rounds(100000);
    int64_t hits = 0;
    for (int64_t i = 0; i < count; i++) {
        double size = rng_scale(&r, 1e-2, 1e3);
        shape_geometry s = figure_shape(&r, size);
        proxy core = proxy_from_shape(&s);
        proxy point = {.count = 1};
        transform start = figure_frame(&r, 4.0 * size);
        vec2 way = {(float)(-2.0 * (double)start.p.x + size * rng_range(&r, -1.5, 1.5)),
                    (float)(-2.0 * (double)start.p.y + size * rng_range(&r, -1.5, 1.5))};
        cast_result c = ray_shape(&s, start.p, way);
        double tolerance = 4e-6 * size;
        double end = c.hit ? (double)c.fraction : 1.0;
        double first = gap_at(&core, &point, start, way, 0.0);
        if (c.hit && c.normal.x == 0.0f && c.normal.y == 0.0f) {
            if (c.fraction != 0.0f || first > tolerance) {
                report("gap of a ray said to begin inside", i, first, 0.0);
            }
            continue;
        }
        for (int k = 0; k < STEPS; k++) {
            double gap = gap_at(&core, &point, start, way, end * k / STEPS);
            if (gap < -tolerance) {
                report("gap before the hit", i, gap, 0.0);
            }
        }
        if (c.hit) {
            hits++;
            double gap = gap_at(&core, &point, start, way, end);
            if (fabs(gap) > tolerance) {
                report("gap at the hit", i, gap, 0.0);
            }
            if (!(vec2_dot(c.normal, way) <= 0.0f)) {
                report("ray along the normal", i, (double)vec2_dot(c.normal, way), 0.0);
            }
        }
    }
    printf("    %lld rays, %lld hits\n", (long long)count, (long long)hits);
    assert_in_range(hits, count / 5, count - count / 5);
}

// A ray is the cast of a point: both must agree.
static void ray_and_cast_of_a_point_agree(void **state)
{
    (void)state;
    rng r = rng_start("ray_and_cast_of_a_point_agree", 3);
    int64_t count = rounds(100000);
    for (int64_t i = 0; i < count; i++) {
        shape_geometry s = figure_shape(&r, 1.0);
        proxy core = proxy_from_shape(&s);
        proxy point = {.count = 1};
        transform start = figure_frame(&r, 5.0);
        vec2 way = {(float)rng_range(&r, -8.0, 8.0), (float)rng_range(&r, -8.0, 8.0)};
        cast_result ray = ray_shape(&s, start.p, way);
        cast_result cast = cast_proxies(&core, &point, start, way);
        if (ray.hit == cast.hit) {
            double apart = fabs((double)ray.fraction - (double)cast.fraction);
            // A grazing shape touches over a stretch of the path: there both results are right.
            double graze = ray.hit ? fabs((double)vec2_dot(ray.normal, way)) : 1.0;
            if (apart * (graze + 1e-3) > 1e-5) {
                report("fraction", i, (double)cast.fraction, (double)ray.fraction);
            }
            continue;
        }
        // One of them passes by within rounding.
        double fraction = ray.hit ? (double)ray.fraction : (double)cast.fraction;
        double deepest = 0.0;
        for (int k = -50; k <= 50; k++) {
            double gap = gap_at(&core, &point, start, way, fraction + 0.002 * k * fraction);
            deepest = gap < deepest ? gap : deepest;
        }
        bool at_end = fraction > 0.99999;
        if (deepest < -1e-5 && !at_end) {
            report("depth of a hit that only one of them sees", i, deepest, 0.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cast_random_pairs_match_stepping),
        cmocka_unit_test(ray_random_shapes_match_stepping),
        cmocka_unit_test(ray_and_cast_of_a_point_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
