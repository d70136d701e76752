// Geometry gives the same bits in every build: a hash over its results for a fixed sequence of
// random figures. The hash was computed with gcc and clang, from -O0 to -O3, with SSE2 and AVX2; a
// build with another hash violates the rule that equal inputs give equal worlds. After an intended
// change of an algorithm, take the new values from the failure's output.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/geometry/distance.h"
#include "common/geometry/manifold.h"

// xorshift (G. Marsaglia 2003) and FNV-1a; no function of the C library, because their sines
// differ.
static uint64_t random_state;
static uint64_t hash;

static void start(void)
{
    random_state = 0x2545f4914f6cdd1du;
    hash = 0xcbf29ce484222325u;
}

static float number(float low, float high)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return low + (high - low) * ((float)(random_state >> 40) / 16777216.0f);
}

static void mix(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
}

// Minus zero counts as zero: it compares equal and leads to the same everywhere else.
static void mix_float(float f)
{
    f = f == 0.0f ? 0.0f : f;
    mix(&f, sizeof f);
}

static void mix_double(double d)
{
    d = d == 0.0 ? 0.0 : d;
    mix(&d, sizeof d);
}

static void mix_vec2(vec2 v)
{
    mix_float(v.x);
    mix_float(v.y);
}

static vec2 point(float reach)
{
    float x = number(-reach, reach);
    return (vec2){x, number(-reach, reach)};
}

// One random number a statement: the compiler chooses the order within an initialiser.
static bool figure_polygon(polygon *out)
{
    vec2 points[POLYGON_VERTICES_MAX];
    for (int i = 0; i < POLYGON_VERTICES_MAX; i++) {
        points[i] = point(1.0f);
    }
    float radius = float_max(number(-0.3f, 0.3f), 0.0f);
    int count = 3 + (int)number(0.0f, 5.999f);
    return polygon_make(points, count, radius, out, NULL) == STATUS_OK;
}

static shape_geometry figure(void)
{
    for (;;) {
        shape_geometry s = {.kind = (shape_kind)(int)number(0.0f, 4.999f)};
        vec2 a = point(1.0f);
        vec2 b = point(1.0f);
        vec2 before = point(2.0f);
        vec2 after = point(2.0f);
        float radius = number(0.1f, 0.5f);
        bool valid = true;
        switch (s.kind) {
        case SHAPE_CIRCLE:
            s.circle = (circle){a, 2.0f * radius};
            break;
        case SHAPE_CAPSULE:
            s.capsule = (capsule){a, b, radius};
            break;
        case SHAPE_POLYGON:
            valid = figure_polygon(&s.polygon);
            break;
        case SHAPE_SEGMENT:
            s.segment = (segment){a, b};
            break;
        default:
            s.chain = (chain_segment){before, {a, b}, after};
            break;
        }
        if (valid && shape_validate(&s, NULL) == STATUS_OK) {
            return s;
        }
    }
}

static transform frame(float reach)
{
    vec2 p = point(reach);
    return (transform){p, rot_from_angle((double)number(-3.2f, 3.2f))};
}

static sweep motion(void)
{
    transform from = frame(2.0f);
    transform to = frame(2.0f);
    return (sweep){.c1 = from.p, .c2 = to.p, .q1 = from.q, .q2 = to.q};
}

static void expect_hash(uint64_t expected)
{
    if (hash != expected) {
        fail_msg("the hash is 0x%016llx, expected 0x%016llx", (unsigned long long)hash,
                 (unsigned long long)expected);
    }
}

static void sines_have_the_same_bits(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < 20000; i++) {
        double angle = (double)number(-1.0f, 1.0f) * (i % 3 == 0 ? 1e9 : i % 3 == 1 ? 100.0 : 1.0);
        double s;
        double c;
        sin_cos(angle, &s, &c);
        mix_double(s);
        mix_double(c);
        mix_double(arc_tangent(s * (double)number(0.0f, 2.0f), c));
    }
    expect_hash(0x8e9c1ee14780e4a5u);
}

static void shapes_have_the_same_bits(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < 5000; i++) {
        shape_geometry s = figure();
        mass_properties m = shape_mass(&s, 1.5f);
        mix_float(m.mass);
        mix_vec2(m.center);
        mix_float(m.inertia);
        mix_float(shape_extent_min(&s));
        mix_float(shape_extent_max(&s, point(1.0f)));
        transform t = frame(3.0f);
        aabb box = shape_aabb_at(&s, (pose){{(double)t.p.x * 3e4, (double)t.p.y}, t.q});
        mix_vec2(box.lower);
        mix_vec2(box.upper);
    }
    expect_hash(0x90e6d21b3590d401u);
}

static void manifolds_have_the_same_bits(void **state)
{
    (void)state;
    start();
    int touching = 0;
    for (int i = 0; i < 40000; i++) {
        shape_geometry a = figure();
        shape_geometry b = figure();
        manifold m = manifold_shapes(&a, &b, frame(1.5f));
        touching += m.count > 0;
        mix(&m.count, sizeof m.count);
        for (int k = 0; k < m.count; k++) {
            mix_vec2(m.normal);
            mix_vec2(m.points[k].point);
            mix_float(m.points[k].separation);
            mix(&m.points[k].id, sizeof m.points[k].id);
        }
    }
    assert_in_range(touching, 5000, 35000);
    expect_hash(0x5c57040f2b8756deu);
}

static void searches_have_the_same_bits(void **state)
{
    (void)state;
    start();
    for (int i = 0; i < 10000; i++) {
        shape_geometry sa = figure();
        shape_geometry sb = figure();
        proxy a = proxy_from_shape(&sa);
        proxy b = proxy_from_shape(&sb);
        transform t = frame(3.0f);
        distance_result d = distance_proxies(&a, &b, t, true, NULL);
        mix_float(d.distance);
        mix_vec2(d.normal);
        mix_vec2(d.point_a);
        mix_vec2(d.point_b);
        penetration_result p = penetration_proxies(&a, &b, t);
        mix_float(p.depth);
        mix_vec2(p.normal);
        cast_result c = cast_proxies(&a, &b, t, point(6.0f));
        mix_float(c.fraction);
        mix_vec2(c.normal);
        c = ray_shape(&sa, t.p, point(6.0f));
        mix_float(c.fraction);
        mix_vec2(c.normal);
        sweep s1 = motion();
        sweep s2 = motion();
        impact_result r = impact_time(&a, &s1, &b, &s2, 1.0f);
        mix_float(r.fraction);
        mix(&r.state, sizeof r.state);
        mix_vec2(sweep_at(&s1, number(0.0f, 1.0f)).p);
    }
    expect_hash(0x97e763c0c373150du);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_have_the_same_bits),
        cmocka_unit_test(shapes_have_the_same_bits),
        cmocka_unit_test(manifolds_have_the_same_bits),
        cmocka_unit_test(searches_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
