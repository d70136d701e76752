// GJK compared with the least distance over all pairs of edges, EPA with the minimum over
// separating axes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/property/geometry/brute.h"
#include "tests/property/geometry/figures.h"

static void report(const char *what, int64_t round, double found, double expected)
{
    fail_msg("%s in round %lld: found %.9g, expected %.9g", what, (long long)round, found,
             expected);
}

// Makes a pair that overlaps in about half of the cases, from millimetres to 10 km.
static void pair_make(rng *r, proxy *a, proxy *b, transform *t)
{
    double size_a = rng_scale(r, 1e-3, 5e3);
    double size_b = rng_below(r, 2) == 0 ? size_a : rng_scale(r, 1e-3, 5e3);
    *a = figure_proxy(r, size_a);
    *b = figure_proxy(r, size_b);
    *t = figure_frame(r, 1.5 * (size_a + size_b));
}

static void gjk_random_pairs_match_brute_force(void **state)
{
    (void)state;
    rng r = rng_start("gjk_random_pairs_match_brute_force", 1);
    int64_t count = rounds(300000);
    int64_t apart = 0;
    int most_iterations = 0;
    for (int64_t i = 0; i < count; i++) {
        proxy a;
        proxy b;
        transform t;
        pair_make(&r, &a, &b, &t);
        distance_result d = distance_proxies(&a, &b, t, false, NULL);
        brute_core ca = brute_place_at(&a, TRANSFORM_IDENTITY);
        brute_core cb = brute_place_at(&b, t);
        double expected = brute_distance(&ca, &cb);
        double tolerance = 1e-6 * expected + 1e-11 * brute_size(&ca, &cb);
        if (!(fabs((double)d.distance - expected) <= tolerance)) {
            report("distance", i, (double)d.distance, expected);
        }
        if (d.distance > 0.0f) {
            apart++;
            double length = hypot((double)d.normal.x, (double)d.normal.y);
            double gap_x = (double)d.point_b.x - (double)d.point_a.x;
            double gap_y = (double)d.point_b.y - (double)d.point_a.y;
            double gap = gap_x * (double)d.normal.x + gap_y * (double)d.normal.y;
            if (!(fabs(length - 1.0) <= 1e-6)) {
                report("length of the normal", i, length, 1.0);
            }
            if (!(fabs(gap - expected) <= 1e-6 * (expected + brute_size(&ca, &cb)))) {
                report("distance of the nearest points", i, gap, expected);
            }
        }
        most_iterations = d.iterations > most_iterations ? d.iterations : most_iterations;
    }
    printf("    %lld pairs, %lld apart, at most %d rounds of GJK\n", (long long)count,
           (long long)apart, most_iterations);
    assert_true(most_iterations < 24);
    assert_in_range(apart, count / 5, count - count / 5);
}

static void gjk_with_cache_matches_without(void **state)
{
    (void)state;
    rng r = rng_start("gjk_with_cache_matches_without", 2);
    int64_t count = rounds(20000);
    int64_t cold = 0;
    int64_t warm = 0;
    for (int64_t i = 0; i < count; i++) {
        proxy a;
        proxy b;
        transform t;
        pair_make(&r, &a, &b, &t);
        distance_cache cache = {.count = 0};
        for (int step = 0; step < 5; step++) {
            distance_result with = distance_proxies(&a, &b, t, false, &cache);
            distance_result without = distance_proxies(&a, &b, t, false, NULL);
            cold += without.iterations;
            warm += with.iterations;
            double tolerance = 1e-6 * (double)without.distance + 1e-6;
            if (!(fabs((double)with.distance - (double)without.distance) <= tolerance)) {
                report("distance with cache", i, (double)with.distance, (double)without.distance);
            }
            t.p.x *= 1.001f;
            t.q = rot_mul(rot_from_angle(0.003), t.q);
        }
    }
    assert_true(warm < cold);
}

static void gjk_radii_shorten_the_distance(void **state)
{
    (void)state;
    rng r = rng_start("gjk_radii_shorten_the_distance", 3);
    int64_t count = rounds(50000);
    for (int64_t i = 0; i < count; i++) {
        proxy a = figure_proxy(&r, 1.0);
        proxy b = figure_proxy(&r, 1.0);
        transform t = figure_frame(&r, 4.0);
        double bare = (double)distance_proxies(&a, &b, t, false, NULL).distance;
        a.radius = (float)rng_unit(&r);
        b.radius = (float)rng_unit(&r);
        double expected = fmax(0.0, bare - (double)a.radius - (double)b.radius);
        distance_result d = distance_proxies(&a, &b, t, true, NULL);
        if (!(fabs((double)d.distance - expected) <= 1e-5)) {
            report("distance", i, (double)d.distance, expected);
        }
        double gap = (double)vec2_distance(d.point_a, d.point_b);
        if (!(fabs(gap - expected) <= 1e-5)) {
            report("distance of the nearest points", i, gap, expected);
        }
    }
}

static void epa_random_pairs_match_separating_axes(void **state)
{
    (void)state;
    rng r = rng_start("epa_random_pairs_match_separating_axes", 4);
    int64_t count = rounds(200000);
    int64_t overlapping = 0;
    for (int64_t i = 0; i < count; i++) {
        proxy a;
        proxy b;
        transform t;
        pair_make(&r, &a, &b, &t);
        if (rng_below(&r, 8) == 0) {
            t.p = (vec2){0.0f, 0.0f}; // coincident frames; usually also centres
        }
        penetration_result p = penetration_proxies(&a, &b, t);
        brute_core ca = brute_place_at(&a, TRANSFORM_IDENTITY);
        brute_core cb = brute_place_at(&b, t);
        double distance = brute_distance(&ca, &cb);
        double size = brute_size(&ca, &cb);
        double expected = distance > 0.0 ? -distance : -brute_separation(&ca, &cb);
        if (!(fabs((double)p.depth - expected) <= 1e-6 * fabs(expected) + 1e-11 * size)) {
            report("depth", i, (double)p.depth, expected);
        }
        double length = hypot((double)p.normal.x, (double)p.normal.y);
        if (!(fabs(length - 1.0) <= 1e-6)) {
            report("length of the normal", i, length, 1.0);
        }
        if (expected <= 0.0) {
            continue;
        }
        overlapping++;
        // Moved apart along the normal, they just touch.
        for (int k = 0; k < cb.count; k++) {
            cb.points[k].x += (double)p.normal.x * (double)p.depth;
            cb.points[k].y += (double)p.normal.y * (double)p.depth;
        }
        double left = brute_distance(&ca, &cb);
        double overlap = brute_separation(&ca, &cb);
        double tolerance = 3e-6 * size;
        if (!(left <= tolerance && overlap >= -tolerance)) {
            report("what is left after moving apart", i, left > 0.0 ? left : overlap, 0.0);
        }
    }
    printf("    %lld pairs, %lld overlapping\n", (long long)count, (long long)overlapping);
    assert_true(overlapping > count / 10);
}

static void epa_deepest_points_differ_by_the_depth(void **state)
{
    (void)state;
    rng r = rng_start("epa_deepest_points_differ_by_the_depth", 5);
    int64_t count = rounds(50000);
    for (int64_t i = 0; i < count; i++) {
        proxy a = figure_proxy(&r, 1.0);
        proxy b = figure_proxy(&r, 1.0);
        a.radius = (float)rng_range(&r, 0.0, 0.5);
        b.radius = (float)rng_range(&r, 0.0, 0.5);
        penetration_result p = penetration_proxies(&a, &b, figure_frame(&r, 2.0));
        vec2 expected = vec2_mul_sub(p.point_a, p.depth, p.normal);
        if (!(vec2_distance(expected, p.point_b) <= 1e-5f)) {
            report("place of the deepest points", i, (double)vec2_distance(expected, p.point_b),
                   0.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gjk_random_pairs_match_brute_force),
        cmocka_unit_test(gjk_with_cache_matches_without),
        cmocka_unit_test(gjk_radii_shorten_the_distance),
        cmocka_unit_test(epa_random_pairs_match_separating_axes),
        cmocka_unit_test(epa_deepest_points_differ_by_the_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
