// Chains: a loop around a convex figure compared with the figure itself, and floors that must be
// smooth.
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

static chain_segment loop_piece(const polygon *p, int i)
{
    int n = p->count;
    return (chain_segment){
        .ghost_before = p->vertices[(i + n - 1) % n],
        .edge = {p->vertices[i], p->vertices[(i + 1) % n]},
        .ghost_after = p->vertices[(i + 2) % n],
    };
}

static manifold piece_manifold(const chain_segment *piece, const shape_geometry *s, transform t)
{
    shape_geometry chain = {.kind = SHAPE_CHAIN_SEGMENT, .chain = *piece};
    return manifold_shapes(&chain, s, t);
}

static shape_geometry solid_shape(rng *r, double size)
{
    for (;;) { // not so thin that more than half of it may have sunk in
        shape_geometry s = figure_shape(r, size);
        if (s.kind != SHAPE_SEGMENT && shape_extent_min(&s) > 0.012f) {
            return s;
        }
    }
}

static void chain_loop_touches_like_the_solid(void **state)
{
    (void)state;
    rng r = rng_start("chain_loop_touches_like_the_solid", 1);
    int64_t count = rounds(60000);
    int64_t touching = 0;
    for (int64_t i = 0; i < count; i++) {
        shape_geometry solid = {.kind = SHAPE_POLYGON, .polygon = figure_polygon(&r, 1.0, 0.0f)};
        if (shape_extent_min(&solid) < 0.1f) {
            continue; // thinner than the depth to which shapes sink in: its side is then undefined
        }
        shape_geometry s = solid_shape(&r, 0.8);
        proxy a = proxy_from_shape(&solid);
        proxy b = proxy_from_shape(&s);
        transform t = figure_frame(&r, 2.0);
        penetration_result p = penetration_proxies(&a, &b, t);
        float off = (float)rng_range(&r, -0.006, 0.015);
        t.p = vec2_mul_add(t.p, p.depth + off, p.normal);
        double expected = -(double)penetration_proxies(&a, &b, t).depth;
        double least = HUGE_VAL;
        for (int k = 0; k < solid.polygon.count; k++) {
            chain_segment piece = loop_piece(&solid.polygon, k);
            manifold m = piece_manifold(&piece, &s, t);
            for (int j = 0; j < m.count; j++) {
                least = fmin(least, (double)m.points[j].separation);
                double length = hypot((double)m.normal.x, (double)m.normal.y);
                if (!(fabs(length - 1.0) <= 1e-6)) {
                    report("length of the normal", i, length, 1.0);
                }
            }
            touching += m.count > 0;
        }
        if (!(fabs(least - expected) <= 2.5e-3)) {
            report("separation", i, least, expected);
        }
    }
    assert_true(touching > count / 2);
}

// Inside a loop no shape touches anything.
static void chain_from_the_left_is_not_felt(void **state)
{
    (void)state;
    rng r = rng_start("chain_from_the_left_is_not_felt", 2);
    int64_t count = rounds(50000);
    for (int64_t i = 0; i < count; i++) {
        chain_segment piece = {{6.0f, 0.0f}, {{2.0f, 0.0f}, {-2.0f, 0.0f}}, {-6.0f, 0.0f}};
        shape_geometry s = solid_shape(&r, 0.8);
        transform t = figure_frame(&r, 3.0);
        mass_properties m = shape_mass(&s, 1.0f);
        vec2 center = s.kind == SHAPE_POLYGON ? s.polygon.centroid : m.center;
        center = transform_point(t, center);
        manifold contact = piece_manifold(&piece, &s, t);
        if (center.y < -1.02f * LINEAR_SLOP && contact.count != 0) {
            report("contacts from the left", i, (double)contact.count, 0.0);
        }
        if (contact.count != 0 && !(contact.normal.y > 0.9999999f)) { // the pieces lie in one line
            report("normal on a straight chain", i, (double)contact.normal.y, 1.0);
        }
    }
}

// A floor of many pieces: any shape that slides on it, slightly sunk in and tilted, is pushed
// straight up, and is held everywhere.
static void chain_flat_floor_has_no_bumps(void **state)
{
    (void)state;
    rng r = rng_start("chain_flat_floor_has_no_bumps", 3);
    int64_t count = rounds(20000);
    for (int64_t i = 0; i < count; i++) {
        shape_geometry s = solid_shape(&r, 0.5);
        double tilt = rng_range(&r, -PI_D, PI_D);
        transform t = {{(float)rng_range(&r, -0.5, 0.5), 0.0f}, rot_from_angle(tilt)};
        aabb box = shape_aabb(&s, t);
        float depth = (float)rng_range(&r, 0.0, 0.008);
        t.p.y = -box.lower.y - depth;
        float piece_length = (float)rng_scale(&r, 0.05, 2.0);
        float least = INFINITY;
        for (int k = -40; k <= 40; k++) {
            float x = (float)k * piece_length;
            chain_segment piece = {{x + 2.0f * piece_length, 0.0f},
                                   {{x + piece_length, 0.0f}, {x, 0.0f}},
                                   {x - piece_length, 0.0f}};
            manifold m = piece_manifold(&piece, &s, t);
            if (m.count > 0 && !(m.normal.y > 0.9999999f)) {
                report("normal on a flat floor", i, (double)m.normal.y, 1.0);
            }
            for (int j = 0; j < m.count; j++) {
                least = float_min(least, m.points[j].separation);
            }
        }
        if (!(float_abs(least + depth) <= 1e-3f)) {
            report("separation from a flat floor", i, (double)least, -(double)depth);
        }
    }
}

// The sine of the angle by which u lies outside the range from `from` to `to` (around `own`).
static double outside_fan(vec2 u, vec2 from, vec2 own, vec2 to)
{
    double before = (double)vec2_cross(from, own) > 0.0 ? (double)vec2_cross(from, u)
                                                        : (double)vec2_cross(own, u);
    double after =
        (double)vec2_cross(own, to) > 0.0 ? (double)vec2_cross(u, to) : (double)vec2_cross(u, own);
    return fmax(0.0, fmax(-before, -after));
}

static vec2 normal_of(vec2 a, vec2 b)
{
    float length;
    return vec2_normalize(vec2_right(vec2_sub(b, a)), &length);
}

// On hills and valleys of up to 30 degrees, normals stay in the range that the neighbours leave to
// a piece.
static void chain_normals_stay_in_the_fan(void **state)
{
    (void)state;
    rng r = rng_start("chain_normals_stay_in_the_fan", 4);
    int64_t count = rounds(200000);
    int64_t touching = 0;
    for (int64_t i = 0; i < count; i++) {
        vec2 points[4];
        double x = 1.5;
        double y = 0.0;
        for (int k = 0; k < 4; k++) { // from right to left, so that the upper side collides
            points[k] = (vec2){(float)x, (float)y};
            double slope = rng_range(&r, -0.27, 0.27);
            double length = rng_scale(&r, 0.1, 1.0);
            x -= length * cos(slope);
            y += length * sin(slope);
        }
        chain_segment piece = {points[0], {points[1], points[2]}, points[3]};
        shape_geometry s = solid_shape(&r, 0.5);
        transform t = {points[rng_below(&r, 4)], rot_from_angle(rng_range(&r, -PI_D, PI_D))};
        aabb box = shape_aabb(&s, t);
        t.p.y += t.p.y - box.lower.y + (float)rng_range(&r, -0.03, 0.02);
        manifold m = piece_manifold(&piece, &s, t);
        if (m.count == 0) {
            continue;
        }
        touching++;
        double off = outside_fan(m.normal, normal_of(points[0], points[1]),
                                 normal_of(points[1], points[2]), normal_of(points[2], points[3]));
        if (!(off <= 1.1e-4)) {
            report("sine of the angle outside the fan", i, off, 0.0);
        }
    }
    printf("    %lld of %lld touching\n", (long long)touching, (long long)count);
    assert_true(touching > count / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_loop_touches_like_the_solid),
        cmocka_unit_test(chain_from_the_left_is_not_felt),
        cmocka_unit_test(chain_flat_floor_has_no_bumps),
        cmocka_unit_test(chain_normals_stay_in_the_fan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
