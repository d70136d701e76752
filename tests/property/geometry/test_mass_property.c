// Mass, centre and inertia, compared with the points of a fine grid that lie in the shape.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/property/geometry/figures.h"

typedef struct counted {
    double mass, x, y, inertia;
} counted;

// Counts a grid of `steps` by `steps`, shifted by a random part of a cell so that no edge runs
// along its lines.
static counted count_grid(rng *r, const shape_geometry *s, int steps)
{
    aabb box = aabb_expand(shape_aabb(s, TRANSFORM_IDENTITY), 1e-3f);
    double dx = ((double)box.upper.x - (double)box.lower.x) / steps;
    double dy = ((double)box.upper.y - (double)box.lower.y) / steps;
    double shift_x = rng_unit(r);
    double shift_y = rng_unit(r);
    double n = 0.0;
    double sum_x = 0.0;
    double sum_y = 0.0;
    double sum_square = 0.0;
    for (int i = 0; i < steps; i++) {
        for (int j = 0; j < steps; j++) {
            double x = (double)box.lower.x + (i + shift_x) * dx;
            double y = (double)box.lower.y + (j + shift_y) * dy;
            if (shape_contains(s, (vec2){(float)x, (float)y})) {
                n += 1.0;
                sum_x += x;
                sum_y += y;
                sum_square += x * x + y * y;
            }
        }
    }
    counted c = {.mass = n * dx * dy, .x = sum_x / n, .y = sum_y / n};
    c.inertia = dx * dy * (sum_square - n * (c.x * c.x + c.y * c.y));
    return c;
}

static void near(const char *what, int64_t round, double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("%s in round %lld: found %.9g, expected %.9g", what, (long long)round, found,
                 expected);
    }
}

static void mass_random_shapes_match_grid(void **state)
{
    (void)state;
    rng r = rng_start("mass_random_shapes_match_grid", 1);
    int64_t count = rounds(100);
    const int steps = 300;
    for (int64_t i = 0; i < count; i++) {
        shape_geometry s = figure_shape(&r, 1.0);
        if (s.kind == SHAPE_SEGMENT) {
            continue;
        }
        counted c = count_grid(&r, &s, steps);
        mass_properties m = shape_mass(&s, 2.0f);
        aabb box = shape_aabb(&s, TRANSFORM_IDENTITY);
        double width = (double)(box.upper.x - box.lower.x);
        double height = (double)(box.upper.y - box.lower.y);
        // The rim crosses about 4 * steps cells, whose errors partly cancel: they add up as a root.
        double cells = 20.0 * sqrt((double)steps);
        double slack = cells * width * height / (steps * steps);
        double reach = hypot(width, height);
        near("mass", i, (double)m.mass, 2.0 * c.mass, 2.0 * slack);
        double area = fmax(c.mass, 1e-9);
        near("centre x", i, (double)m.center.x, c.x, slack * reach / area + 1e-3);
        near("centre y", i, (double)m.center.y, c.y, slack * reach / area + 1e-3);
        near("inertia", i, (double)m.inertia, 2.0 * c.inertia, 2.0 * slack * reach * reach);
    }
}

// Cuts a polygon along a diagonal: mass, centre and inertia of the parts add up (Steiner).
static void mass_of_parts_adds_up(void **state)
{
    (void)state;
    rng r = rng_start("mass_of_parts_adds_up", 2);
    int64_t count = rounds(50000);
    for (int64_t i = 0; i < count; i++) {
        shape_geometry whole = {.kind = SHAPE_POLYGON, .polygon = figure_polygon(&r, 3.0, 0.0f)};
        int n = whole.polygon.count;
        if (n < 4) {
            continue;
        }
        shape_geometry parts[2] = {{.kind = SHAPE_POLYGON}, {.kind = SHAPE_POLYGON}};
        vec2 *v = whole.polygon.vertices;
        status s0 = polygon_make(v, n - 1, 0.0f, &parts[0].polygon, NULL);
        vec2 rest[3] = {v[n - 2], v[n - 1], v[0]};
        status s1 = polygon_make(rest, 3, 0.0f, &parts[1].polygon, NULL);
        if (s0 != STATUS_OK || s1 != STATUS_OK || parts[0].polygon.count != n - 1) {
            continue;
        }
        mass_properties m = shape_mass(&whole, 1.0f);
        mass_properties p[2] = {shape_mass(&parts[0], 1.0f), shape_mass(&parts[1], 1.0f)};
        near("mass", i, (double)(p[0].mass + p[1].mass), (double)m.mass, 1e-5 * (double)m.mass);
        double inertia = 0.0;
        for (int k = 0; k < 2; k++) {
            double d = (double)vec2_distance(p[k].center, m.center);
            inertia += (double)p[k].inertia + (double)p[k].mass * d * d;
        }
        near("inertia", i, inertia, (double)m.inertia, 2e-5 * (double)m.inertia);
    }
}

// Approximates the rounding by many thin triangles: a polygon whose corners are drawn as arcs.
static void mass_of_rounded_polygon_matches_triangles(void **state)
{
    (void)state;
    rng r = rng_start("mass_of_rounded_polygon_matches_triangles", 3);
    int64_t count = rounds(2000);
    enum { ARC = 64 };
    for (int64_t i = 0; i < count; i++) {
        double radius = rng_range(&r, 0.01, 2.0);
        shape_geometry s = {.kind = SHAPE_POLYGON,
                            .polygon = figure_polygon(&r, 1.0, (float)radius)};
        int n = s.polygon.count;
        vec2d rim[POLYGON_VERTICES_MAX * (ARC + 1)];
        int points = 0;
        for (int k = 0; k < n; k++) {
            vec2 before = s.polygon.normals[(k + n - 1) % n];
            vec2 after = s.polygon.normals[k];
            double from = atan2((double)before.y, (double)before.x);
            double to = atan2((double)after.y, (double)after.x);
            to = to < from ? to + 2.0 * PI_D : to;
            for (int j = 0; j <= ARC; j++) {
                double angle = from + (to - from) * j / ARC;
                rim[points++] = (vec2d){(double)s.polygon.vertices[k].x + radius * cos(angle),
                                        (double)s.polygon.vertices[k].y + radius * sin(angle)};
            }
        }
        double area = 0.0;
        double x = 0.0;
        double y = 0.0;
        double second = 0.0;
        for (int k = 0; k < points; k++) {
            vec2d a = rim[k];
            vec2d b = rim[(k + 1) % points];
            double c = a.x * b.y - a.y * b.x;
            area += 0.5 * c;
            x += c * (a.x + b.x) / 6.0;
            y += c * (a.y + b.y) / 6.0;
            second +=
                c * (a.x * a.x + a.x * b.x + b.x * b.x + a.y * a.y + a.y * b.y + b.y * b.y) / 12.0;
        }
        x /= area;
        y /= area;
        mass_properties m = shape_mass(&s, 1.0f);
        near("mass", i, (double)m.mass, area, 2e-3 * area);
        near("centre x", i, (double)m.center.x, x, 2e-3);
        near("centre y", i, (double)m.center.y, y, 2e-3);
        double inertia = second - area * (x * x + y * y);
        near("inertia", i, (double)m.inertia, inertia, 4e-3 * inertia);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_random_shapes_match_grid),
        cmocka_unit_test(mass_of_parts_adds_up),
        cmocka_unit_test(mass_of_rounded_polygon_matches_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
