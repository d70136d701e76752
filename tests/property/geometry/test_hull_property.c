// polygon_make compared with the definition of a convex hull: the smallest convex figure that
// contains all points.
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

static double cross_at(vec2 o, vec2 a, vec2 b)
{
    return ((double)a.x - (double)o.x) * ((double)b.y - (double)o.y) -
           ((double)a.y - (double)o.y) * ((double)b.x - (double)o.x);
}

// By definition, i -> j is an edge of the hull if no point lies to its right. Area of the hull by
// the sum over such edges, each counted once by its ends being the farthest on their line.
static double brute_hull_area(const vec2 *all, int all_count)
{
    vec2 points[POLYGON_VERTICES_MAX];
    int count = 0;
    for (int i = 0; i < all_count; i++) { // equal points would make equal edges
        bool is_new = true;
        for (int j = 0; j < count; j++) {
            is_new = is_new && (points[j].x != all[i].x || points[j].y != all[i].y);
        }
        if (is_new) {
            points[count++] = all[i];
        }
    }
    double area = 0.0;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            bool is_edge = i != j;
            for (int k = 0; k < count && is_edge; k++) {
                double side = cross_at(points[i], points[j], points[k]);
                double dx = (double)points[j].x - (double)points[i].x;
                double dy = (double)points[j].y - (double)points[i].y;
                double along = ((double)points[k].x - (double)points[i].x) * dx +
                               ((double)points[k].y - (double)points[i].y) * dy;
                bool between = along >= 0.0 && along <= dx * dx + dy * dy;
                is_edge = side > 0.0 || (side == 0.0 && between);
            }
            if (is_edge) {
                area += 0.5 * ((double)points[i].x * (double)points[j].y -
                               (double)points[j].x * (double)points[i].y);
            }
        }
    }
    return area;
}

static double polygon_area(const polygon *shape)
{
    double area = 0.0;
    for (int i = 1; i + 1 < shape->count; i++) {
        area += 0.5 * cross_at(shape->vertices[0], shape->vertices[i], shape->vertices[i + 1]);
    }
    return area;
}

static bool is_one_of(vec2 v, const vec2 *points, int count)
{
    for (int i = 0; i < count; i++) {
        if (v.x == points[i].x && v.y == points[i].y) {
            return true;
        }
    }
    return false;
}

// Makes points in a square, on a coarse grid (so that many lie in one line or coincide), or nearly
// in one line.
static int points_make(rng *r, vec2 *points, double *size)
{
    int count = 3 + rng_below(r, 6);
    int sort = rng_below(r, 3);
    *size = sort == 1 ? 4.0 : rng_scale(r, 0.05, 9e3);
    for (int i = 0; i < count; i++) {
        double x = *size * rng_range(r, -1.0, 1.0);
        double y = *size * rng_range(r, -1.0, 1.0);
        if (sort == 1) {
            x = (double)(rng_below(r, 5) - 2);
            y = (double)(rng_below(r, 5) - 2);
        } else if (sort == 2) {
            y = 0.3 * x + 1e-3 * *size * rng_range(r, -1.0, 1.0);
        }
        points[i] = (vec2){(float)x, (float)y};
    }
    return count;
}

static void hull_random_points_match_brute_force(void **state)
{
    (void)state;
    rng r = rng_start("hull_random_points_match_brute_force", 1);
    int64_t count = rounds(200000);
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++) {
        vec2 points[POLYGON_VERTICES_MAX];
        double size;
        int n = points_make(&r, points, &size);
        polygon p;
        double area = brute_hull_area(points, n);
        // Merging points and dropping flat corners may remove this area.
        double lost = 4.0 * size * (2.0 * (double)LINEAR_SLOP + 1e-6 * size) * POLYGON_VERTICES_MAX;
        if (polygon_make(points, n, 0.0f, &p, NULL) != STATUS_OK) {
            if (area > lost) {
                report("area of points without a hull", i, area, 0.0);
            }
            continue;
        }
        made++;
        if (polygon_area(&p) > area * (1.0 + 1e-9) || polygon_area(&p) < area - lost) {
            report("area", i, polygon_area(&p), area);
        }
        shape_geometry s = {.kind = SHAPE_POLYGON, .polygon = p};
        assert_int_equal(shape_validate(&s, NULL), STATUS_OK);
        brute_core core = {.count = p.count};
        for (int k = 0; k < p.count; k++) {
            assert_true(is_one_of(p.vertices[k], points, n));
            core.points[k] = vec2d_from(p.vertices[k]);
        }
        double tolerance = 2.0 * (double)LINEAR_SLOP + 3e-6 * size;
        for (int k = 0; k < n; k++) {
            brute_core point = {.points = {vec2d_from(points[k])}, .count = 1};
            double outside = brute_distance(&core, &point);
            if (outside > tolerance) {
                report("distance of a point from its hull", i, outside, tolerance);
            }
        }
    }
    printf("    %lld sets, %lld with a hull\n", (long long)count, (long long)made);
    assert_true(made > count / 2);
}

static void hull_of_its_own_vertices_is_the_same(void **state)
{
    (void)state;
    rng r = rng_start("hull_of_its_own_vertices_is_the_same", 2);
    int64_t count = rounds(100000);
    for (int64_t i = 0; i < count; i++) {
        vec2 points[POLYGON_VERTICES_MAX];
        double size;
        int n = points_make(&r, points, &size);
        polygon p;
        if (polygon_make(points, n, 0.25f, &p, NULL) != STATUS_OK) {
            continue;
        }
        vec2 shuffled[POLYGON_VERTICES_MAX];
        int from = rng_below(&r, p.count);
        for (int k = 0; k < p.count; k++) {
            shuffled[k] = p.vertices[(from + k) % p.count];
        }
        polygon again;
        assert_int_equal(polygon_make(shuffled, p.count, 0.25f, &again, NULL), STATUS_OK);
        assert_memory_equal(&again, &p, sizeof p);
    }
}

static void extents_random_shapes_match_sampling(void **state)
{
    (void)state;
    rng r = rng_start("extents_random_shapes_match_sampling", 3);
    int64_t count = rounds(50000);
    for (int64_t i = 0; i < count; i++) {
        double size = rng_scale(&r, 1e-2, 1e3);
        shape_geometry s = figure_shape(&r, size);
        vec2 center = {(float)rng_range(&r, -size, size), (float)rng_range(&r, -size, size)};
        proxy core = proxy_from_shape(&s);
        double farthest = 0.0;
        double narrowest = HUGE_VAL;
        for (int k = 0; k < 360; k++) {
            double dx = cos(k * PI_D / 180.0);
            double dy = sin(k * PI_D / 180.0);
            double low = HUGE_VAL;
            double high = -HUGE_VAL;
            for (int j = 0; j < core.count; j++) {
                double d = dx * (double)core.points[j].x + dy * (double)core.points[j].y;
                low = fmin(low, d);
                high = fmax(high, d);
                double l = hypot((double)core.points[j].x - (double)center.x,
                                 (double)core.points[j].y - (double)center.y);
                farthest = fmax(farthest, l);
            }
            narrowest = fmin(narrowest, 0.5 * (high - low));
        }
        double found = (double)shape_extent_max(&s, center);
        double expected = farthest + (double)core.radius;
        if (fabs(found - expected) > 1e-5 * size) {
            report("largest extent", i, found, expected);
        }
        // Half a degree beside the narrowest direction, a figure of up to 2.9 sizes appears wider.
        found = (double)shape_extent_min(&s);
        expected = narrowest + (double)core.radius;
        if (found > expected + 1e-5 * size || found < expected - 0.02 * size) {
            report("smallest extent", i, found, expected);
        }
    }
}

static void aabb_random_shapes_hold_every_corner(void **state)
{
    (void)state;
    rng r = rng_start("aabb_random_shapes_hold_every_corner", 4);
    int64_t count = rounds(100000);
    for (int64_t i = 0; i < count; i++) {
        double size = rng_scale(&r, 1e-2, 1e3);
        shape_geometry s = figure_shape(&r, size);
        transform t = figure_frame(&r, 4.0 * size);
        pose frame = {{rng_range(&r, -1e5, 1e5), rng_range(&r, -1e5, 1e5)}, t.q};
        aabb box = shape_aabb_at(&s, frame);
        proxy core = proxy_from_shape(&s);
        double radius = (double)core.radius;
        double left = HUGE_VAL;
        double top = -HUGE_VAL;
        for (int k = 0; k < core.count; k++) {
            vec2d p = pose_point(frame, core.points[k]);
            assert_true((double)box.lower.x <= p.x - radius && p.x + radius <= (double)box.upper.x);
            assert_true((double)box.lower.y <= p.y - radius && p.y + radius <= (double)box.upper.y);
            left = fmin(left, p.x - radius);
            top = fmax(top, p.y + radius);
        }
        assert_true(left - (double)box.lower.x <= 0.016); // two units in the last place at 100 km
        assert_true((double)box.upper.y - top <= 0.016);
        aabb local = shape_aabb(&s, t);
        assert_true(local.lower.x <= local.upper.x && local.lower.y <= local.upper.y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hull_random_points_match_brute_force),
        cmocka_unit_test(hull_of_its_own_vertices_is_the_same),
        cmocka_unit_test(extents_random_shapes_match_sampling),
        cmocka_unit_test(aabb_random_shapes_hold_every_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
