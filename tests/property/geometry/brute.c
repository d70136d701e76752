// Reference answers by brute force over all corners and edges, in double (brute.h).
#include "tests/property/geometry/brute.h"

brute_core brute_place(const proxy *p, double x, double y, double cosine, double sine)
{
    brute_core core = {.count = p->count};
    for (int i = 0; i < p->count; i++) {
        double px = (double)p->points[i].x;
        double py = (double)p->points[i].y;
        core.points[i] = (vec2d){cosine * px - sine * py + x, sine * px + cosine * py + y};
    }
    return core;
}

brute_core brute_place_at(const proxy *p, transform t)
{
    return brute_place(p, (double)t.p.x, (double)t.p.y, (double)t.q.c, (double)t.q.s);
}

static double dot(vec2d a, vec2d b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(vec2d a, vec2d b)
{
    return a.x * b.y - a.y * b.x;
}

double brute_point_segment(vec2d p, vec2d a, vec2d b)
{
    vec2d e = vec2d_sub(b, a);
    vec2d d = vec2d_sub(p, a);
    double square = dot(e, e);
    double t = square > 0.0 ? dot(d, e) / square : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return hypot(d.x - t * e.x, d.y - t * e.y);
}

static bool segments_cross(vec2d a, vec2d b, vec2d c, vec2d d)
{
    double s1 = cross(vec2d_sub(b, a), vec2d_sub(c, a));
    double s2 = cross(vec2d_sub(b, a), vec2d_sub(d, a));
    double s3 = cross(vec2d_sub(d, c), vec2d_sub(a, c));
    double s4 = cross(vec2d_sub(d, c), vec2d_sub(b, c));
    return ((s1 > 0.0) != (s2 > 0.0)) && ((s3 > 0.0) != (s4 > 0.0));
}

static bool core_holds(const brute_core *core, vec2d p)
{
    if (core->count < 3) {
        return false;
    }
    for (int i = 0; i < core->count; i++) {
        vec2d a = core->points[i];
        vec2d b = core->points[(i + 1) % core->count];
        if (cross(vec2d_sub(b, a), vec2d_sub(p, a)) < 0.0) {
            return false;
        }
    }
    return true;
}

double brute_distance(const brute_core *a, const brute_core *b)
{
    if (core_holds(a, b->points[0]) || core_holds(b, a->points[0])) {
        return 0.0;
    }
    double least = HUGE_VAL;
    for (int i = 0; i < a->count; i++) {
        vec2d a1 = a->points[i];
        vec2d a2 = a->points[(i + 1) % a->count];
        for (int j = 0; j < b->count; j++) {
            vec2d b1 = b->points[j];
            vec2d b2 = b->points[(j + 1) % b->count];
            if (segments_cross(a1, a2, b1, b2)) {
                return 0.0;
            }
            double d = brute_point_segment(a1, b1, b2);
            least = d < least ? d : least;
            d = brute_point_segment(b1, a1, a2);
            least = d < least ? d : least;
        }
    }
    return least;
}

// Considers only the edges of `a`.
static double edges_separation(const brute_core *a, const brute_core *b)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < (a->count > 1 ? a->count : 0); i++) {
        vec2d v = a->points[i];
        vec2d e = vec2d_sub(a->points[(i + 1) % a->count], v);
        double l = hypot(e.x, e.y);
        double least = HUGE_VAL;
        for (int j = 0; j < b->count && l > 0.0; j++) {
            double s = -cross(e, vec2d_sub(b->points[j], v)) / l;
            least = s < least ? s : least;
        }
        most = least > most && l > 0.0 ? least : most;
    }
    return most;
}

double brute_separation(const brute_core *a, const brute_core *b)
{
    double by_a = edges_separation(a, b);
    double by_b = edges_separation(b, a);
    return by_a > by_b ? by_a : by_b;
}

double brute_size(const brute_core *a, const brute_core *b)
{
    double size = 0.0;
    const brute_core *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < both[k]->count; i++) {
            double l = hypot(both[k]->points[i].x, both[k]->points[i].y);
            size = l > size ? l : size;
        }
    }
    return size;
}
