// Circle and circle, segment and segment, circle and segment: textbook formulas, with tolerances
// for rounding at ends, at tangents and between nearly collinear lines. Any thread.
#include "common/geometry/intersect.h"

// Tolerance relative to the figures' size: a few roundings of the coordinates.
#define RELATIVE_TOLERANCE 1e-12

static double dot(vec2d a, vec2d b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(vec2d a, vec2d b)
{
    return a.x * b.y - a.y * b.x;
}

static double length(vec2d a)
{
    return sqrt(dot(a, a));
}

static vec2d along(vec2d from, double t, vec2d direction)
{
    return (vec2d){from.x + t * direction.x, from.y + t * direction.y};
}

static double clamp01(double t)
{
    return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

circle_contact intersect_circles(vec2d center_a, double radius_a, vec2d center_b, double radius_b)
{
    vec2d d = vec2d_sub(center_b, center_a);
    double distance = length(d);
    circle_contact c;
    c.normal = distance > 0.0 ? (vec2d){d.x / distance, d.y / distance} : (vec2d){1.0, 0.0};
    c.penetration = radius_a + radius_b - distance;
    c.touching = c.penetration >= 0.0;
    c.point = along(center_a, radius_a - 0.5 * c.penetration, c.normal);
    return c;
}

static segment_crossing crossing_point(double t, double u, vec2d point)
{
    return (segment_crossing){CROSSING_POINT, t, u, point, point};
}

// The fraction along a line of its point nearest to p, not clamped; 0 on a line without length.
static double fraction_of(vec2d from, vec2d direction, vec2d p)
{
    double square = dot(direction, direction);
    return square > 0.0 ? dot(vec2d_sub(p, from), direction) / square : 0.0;
}

// Whether the point p lies on the segment.
static bool point_on_segment(vec2d p, vec2d from, vec2d direction, double tolerance, double *t)
{
    *t = clamp01(fraction_of(from, direction, p));
    return length(vec2d_sub(p, along(from, *t, direction))) <= tolerance;
}

// The common stretch of two collinear segments, in the direction of the first.
static segment_crossing collinear_crossing(vec2d a0, vec2d da, vec2d b0, vec2d b1, double tolerance)
{
    vec2d db = vec2d_sub(b1, b0);
    double slack = tolerance / length(da);
    double t0 = fraction_of(a0, da, b0);
    double t1 = fraction_of(a0, da, b1);
    double first = t0 < t1 ? t0 : t1;
    double last = t0 < t1 ? t1 : t0;
    if (last < -slack || first > 1.0 + slack) {
        return (segment_crossing){.kind = CROSSING_NONE};
    }
    first = clamp01(first);
    last = clamp01(last);
    vec2d begin = along(a0, first, da);
    double u = clamp01(fraction_of(b0, db, begin));
    if (last - first <= slack) {
        return crossing_point(first, u, begin);
    }
    return (segment_crossing){CROSSING_OVERLAP, first, u, begin, along(a0, last, da)};
}

segment_crossing intersect_segments(vec2d a0, vec2d a1, vec2d b0, vec2d b1)
{
    segment_crossing none = {.kind = CROSSING_NONE};
    vec2d da = vec2d_sub(a1, a0);
    vec2d db = vec2d_sub(b1, b0);
    vec2d ab = vec2d_sub(b0, a0);
    double length_a = length(da);
    double length_b = length(db);
    double tolerance = RELATIVE_TOLERANCE * (length_a + length_b + length(ab));
    if (!(length_a > 0.0)) {
        double u;
        return point_on_segment(a0, b0, db, tolerance, &u) ? crossing_point(0.0, u, a0) : none;
    }
    if (!(length_b > 0.0)) {
        double t;
        return point_on_segment(b0, a0, da, tolerance, &t) ? crossing_point(t, 0.0, b0) : none;
    }
    double area = cross(da, db);
    // The distances of the ends from the other line distinguish collinear lines from crossing ones.
    double b0_off = cross(da, ab) / length_a;
    double b1_off = b0_off + area / length_a;
    bool together = fabs(b0_off) <= tolerance && fabs(b1_off) <= tolerance;
    if (together) {
        return collinear_crossing(a0, da, b0, b1, tolerance);
    }
    if (area == 0.0) {
        return none; // parallel
    }
    double t = cross(ab, db) / area;
    double u = cross(ab, da) / area;
    double slack_t = tolerance / length_a;
    double slack_u = tolerance / length_b;
    if (t < -slack_t || t > 1.0 + slack_t || u < -slack_u || u > 1.0 + slack_u) {
        return none;
    }
    t = clamp01(t);
    return crossing_point(t, clamp01(u), along(a0, t, da));
}

static void circle_crossing_add(circle_crossing *c, double t, double slack, vec2d a, vec2d d)
{
    if (t >= -slack && t <= 1.0 + slack) {
        c->t[c->count] = clamp01(t);
        c->points[c->count] = along(a, c->t[c->count], d);
        c->count++;
    }
}

circle_crossing intersect_circle_segment(vec2d center, double radius, vec2d a, vec2d b)
{
    vec2d d = vec2d_sub(b, a);
    double l = length(d);
    double foot = fraction_of(a, d, center);
    circle_crossing c = {.count = 0};
    c.nearest = along(a, clamp01(foot), d);
    c.distance = length(vec2d_sub(center, c.nearest));
    if (!(l > 0.0)) {
        if (fabs(c.distance - radius) <= RELATIVE_TOLERANCE * radius) {
            c.points[c.count++] = a;
        }
        return c;
    }
    // The distance of the line, not of the segment.
    double off = fabs(cross(d, vec2d_sub(center, a))) / l;
    double half_square = (radius - off) * (radius + off);
    double slack = RELATIVE_TOLERANCE * (l + radius + length(vec2d_sub(center, a))) / l;
    if (half_square < 0.0 && off - radius > RELATIVE_TOLERANCE * radius) {
        return c;
    }
    if (fabs(radius - off) <= RELATIVE_TOLERANCE * radius) { // a tangent
        circle_crossing_add(&c, foot, slack, a, d);
        return c;
    }
    double half = sqrt(half_square) / l;
    circle_crossing_add(&c, foot - half, slack, a, d);
    circle_crossing_add(&c, foot + half, slack, a, d);
    return c;
}
