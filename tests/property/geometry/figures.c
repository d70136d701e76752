// Random numbers and shapes for the property tests of geometry (figures.h).
#include "tests/property/geometry/figures.h"

#include <stdio.h>
#include <stdlib.h>

rng rng_start(const char *name, uint64_t fallback)
{
    const char *text = getenv("CAROM_PROPERTY_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : fallback;
    printf("%s: CAROM_PROPERTY_SEED=%llu\n", name, (unsigned long long)seed);
    return (rng){seed};
}

int64_t rounds(int64_t ordinary)
{
    const char *text = getenv("CAROM_PROPERTY_ROUNDS");
    int64_t times = text != NULL ? strtoll(text, NULL, 0) : 1;
    times = times > 0 ? times : 1;
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    return ordinary * times;
#else
    return (ordinary / 50 + 1) * times;
#endif
}

// splitmix64 (G. L. Steele, D. Lea, C. H. Flood 2014).
uint64_t rng_bits(rng *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double rng_unit(rng *r)
{
    return (double)(rng_bits(r) >> 11) / 9007199254740992.0;
}

double rng_range(rng *r, double low, double high)
{
    return low + (high - low) * rng_unit(r);
}

double rng_scale(rng *r, double low, double high)
{
    return low * pow(high / low, rng_unit(r));
}

int rng_below(rng *r, int end)
{
    return (int)(rng_bits(r) % (uint64_t)end);
}

static vec2 point_in(rng *r, double size_x, double size_y)
{
    return (vec2){(float)(size_x * rng_range(r, -1.0, 1.0)),
                  (float)(size_y * rng_range(r, -1.0, 1.0))};
}

static int points_regular(rng *r, double size, vec2 *points)
{
    int count = 3 + rng_below(r, 6);
    double turn = rng_range(r, 0.0, 2.0 * PI_D);
    for (int i = 0; i < count; i++) {
        double angle = turn + 2.0 * PI_D * i / count;
        points[i] = (vec2){(float)(size * cos(angle)), (float)(size * sin(angle))};
    }
    return count;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static int points_random(rng *r, double size, double thickness, vec2 *points)
{
    int count = 3 + rng_below(r, 6);
    double angle = rng_range(r, 0.0, 2.0 * PI_D);
    for (int i = 0; i < count; i++) {
        vec2 p = point_in(r, size, thickness);
        points[i] = (vec2){(float)(cos(angle) * (double)p.x - sin(angle) * (double)p.y),
                           (float)(sin(angle) * (double)p.x + cos(angle) * (double)p.y)};
    }
    return count;
}

polygon figure_polygon(rng *r, double size, float radius)
{
    polygon shape;
    for (;;) {
        vec2 points[POLYGON_VERTICES_MAX];
        int count = 0;
        double thin = larger(size * rng_scale(r, 1e-3, 1.0), 2e-3);
        status s = STATUS_OK;
        switch (rng_below(r, 4)) {
        case 0: {
            vec2 extents = {(float)(2.0 * larger(size, 2e-3)), (float)(2.0 * thin)};
            double angle = rng_below(r, 2) == 0 ? 0.0 : rng_range(r, -4.0, 4.0);
            s = polygon_make_box(extents, (vec2){0.0f, 0.0f}, angle, radius, &shape, NULL);
            break;
        }
        case 1:
            count = points_regular(r, larger(size, 1e-2), points);
            break;
        case 2:
            count = points_random(r, larger(size, 1e-2), larger(size, 1e-2), points);
            break;
        default:
            count = points_random(r, larger(size, 1e-2), larger(thin, 1e-2), points);
            break;
        }
        if (count > 0) {
            s = polygon_make(points, count, radius, &shape, NULL);
        }
        if (s == STATUS_OK) {
            return shape;
        }
    }
}

proxy figure_proxy(rng *r, double size)
{
    proxy p = {.count = 1};
    switch (rng_below(r, 6)) {
    case 0:
        p.points[0] = point_in(r, size, size);
        break;
    case 1:
        p.count = 2;
        p.points[0] = point_in(r, size, size);
        p.points[1] = point_in(r, size, size);
        break;
    default: {
        shape_geometry shape = {.kind = SHAPE_POLYGON, .polygon = figure_polygon(r, size, 0.0f)};
        p = proxy_from_shape(&shape);
        break;
    }
    }
    return p;
}

shape_geometry figure_shape(rng *r, double size)
{
    float radius = (float)larger(0.5 * size * rng_unit(r), 6e-4);
    shape_geometry s = {.kind = SHAPE_CIRCLE};
    switch (rng_below(r, 5)) {
    case 0:
        s.circle = (circle){point_in(r, size, size), radius};
        break;
    case 1:
        s.kind = SHAPE_CAPSULE;
        s.capsule = (capsule){point_in(r, size, size), point_in(r, size, size), radius};
        break;
    case 2:
        s.kind = SHAPE_SEGMENT;
        s.segment = (segment){point_in(r, size, size), point_in(r, size, size)};
        break;
    default:
        s.kind = SHAPE_POLYGON;
        s.polygon = figure_polygon(r, size, rng_below(r, 2) == 0 ? 0.0f : radius);
        break;
    }
    return shape_validate(&s, NULL) == STATUS_OK ? s : figure_shape(r, size);
}

transform figure_frame(rng *r, double reach)
{
    double direction = rng_range(r, -PI_D, PI_D);
    double distance = reach * rng_unit(r);
    double angle = rng_range(r, -PI_D, PI_D);
    if (rng_below(r, 4) == 0) {
        angle = 0.5 * PI_D * rng_below(r, 4);
        angle += rng_below(r, 2) == 0 ? 0.0 : rng_range(r, -1e-7, 1e-7);
    }
    return (transform){{(float)(distance * cos(direction)), (float)(distance * sin(direction))},
                       rot_from_angle(angle)};
}
