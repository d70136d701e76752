// Builds convex polygons from points (hull, normals, centroid) and validates polygons.
//
// Everything is computed in double and rounded once: coordinates are floats, so their differences
// and products lose nothing that matters, and the normals of an axis-aligned box are exactly (±1,
// 0) and (0, ±1). Called when shapes are made, not in the step. Any thread.
#include "common/geometry/hull.h"

// A vertex nearer than this to the line through its neighbours is dropped [m]. For large
// coordinates, COLLINEAR_RELATIVE sets the tolerance: float cannot distinguish a smaller bend.
#define COLLINEAR_DISTANCE_MIN ((double)SHAPE_EXTENT_MIN)
#define COLLINEAR_RELATIVE     (1.0 / 4194304.0) // 2^-22 of the size: 4 units in the last place

// The largest accepted error of a stored normal or centroid: a few roundings.
#define NORMAL_TOLERANCE   1e-4
#define CENTROID_TOLERANCE 1e-3

static vec2d point_difference(vec2 a, vec2 b)
{
    return (vec2d){(double)b.x - (double)a.x, (double)b.y - (double)a.y};
}

static double cross(vec2d a, vec2d b)
{
    return a.x * b.y - a.y * b.x;
}

static double length(vec2d a)
{
    return sqrt(a.x * a.x + a.y * a.y);
}

// Twice the area of the triangle a, b, c; positive when it runs counter-clockwise.
static double orientation(vec2 a, vec2 b, vec2 c)
{
    return cross(point_difference(a, b), point_difference(a, c));
}

status point_validate(vec2 point, const char *field, error *err)
{
    if (!vec2_is_finite(point)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s must be finite", field);
    }
    if (float_abs(point.x) > SHAPE_EXTENT_MAX || float_abs(point.y) > SHAPE_EXTENT_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s must lie within %g m of the body", field,
                         (double)SHAPE_EXTENT_MAX);
    }
    return STATUS_OK;
}

status radius_validate(float radius, error *err)
{
    if (!(radius >= 0.0f && radius <= SHAPE_EXTENT_MAX)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "radius must be from 0 to %g m",
                         (double)SHAPE_EXTENT_MAX);
    }
    return STATUS_OK;
}

// Copies the points, except those closer than LINEAR_SLOP to an earlier one. Returns the count.
static int points_weld(const vec2 *points, int count, vec2 *out)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool is_new = true;
        for (int j = 0; j < kept && is_new; j++) {
            is_new = length(point_difference(out[j], points[i])) >= (double)LINEAR_SLOP;
        }
        if (is_new) {
            out[kept++] = points[i];
        }
    }
    return kept;
}

// Whether going from `from` to `candidate` keeps `best` on the left, or goes farther on the same
// line.
static bool wraps_tighter(vec2 from, vec2 best, vec2 candidate)
{
    double side = orientation(from, best, candidate);
    if (side != 0.0) {
        return side < 0.0;
    }
    return length(point_difference(from, candidate)) > length(point_difference(from, best));
}

// Gift wrapping (R. A. Jarvis 1973), counter-clockwise from the leftmost, then lowest point.
static int hull_wrap(const vec2 *points, int count, vec2 *out)
{
    int start = 0;
    for (int i = 1; i < count; i++) {
        if (points[i].x < points[start].x ||
            (points[i].x == points[start].x && points[i].y < points[start].y)) {
            start = i;
        }
    }
    int kept = 0;
    int at = start;
    do { // ends after at most `count` rounds, for any rounding of the orientations
        out[kept++] = points[at];
        int next = at == 0 ? 1 : 0;
        for (int i = 0; i < count; i++) {
            if (i != at && wraps_tighter(points[at], points[next], points[i])) {
                next = i;
            }
        }
        at = next;
    } while (at != start && kept < count);
    return kept;
}

// The distance of b from the line through a and c, on the line's right; 0 if the corner is not
// convex.
static double corner_height(vec2 a, vec2 b, vec2 c)
{
    double base = length(point_difference(a, c));
    double twice_area = orientation(a, b, c);
    return base > 0.0 && twice_area > 0.0 ? twice_area / base : 0.0;
}

// Removes the flattest corner until none is flatter than the tolerance. Returns the remaining
// count.
static int hull_drop_collinear(vec2 *points, int count)
{
    double extent = 0.0;
    for (int i = 1; i < count; i++) {
        double distance = length(point_difference(points[0], points[i]));
        extent = distance > extent ? distance : extent;
    }
    double tolerance = extent * COLLINEAR_RELATIVE;
    tolerance = tolerance > COLLINEAR_DISTANCE_MIN ? tolerance : COLLINEAR_DISTANCE_MIN;
    while (count >= 3) {
        int flattest = 0;
        double least = HUGE_VAL;
        for (int i = 0; i < count; i++) {
            double height =
                corner_height(points[(i + count - 1) % count], points[i], points[(i + 1) % count]);
            if (height < least) {
                least = height;
                flattest = i;
            }
        }
        if (least >= tolerance) {
            break;
        }
        count--;
        for (int i = flattest; i < count; i++) {
            points[i] = points[i + 1];
        }
    }
    return count;
}

static vec2 edge_normal(vec2 a, vec2 b)
{
    vec2d e = point_difference(a, b);
    double l = length(e);
    return l > 0.0 ? (vec2){(float)(e.y / l), (float)(-e.x / l)} : (vec2){0.0f, 0.0f};
}

// The centroid, from the triangles at the first vertex.
static vec2 polygon_centroid(const vec2 *vertices, int count)
{
    double area = 0.0;
    vec2d sum = {0.0, 0.0};
    for (int i = 1; i + 1 < count; i++) {
        vec2d a = point_difference(vertices[0], vertices[i]);
        vec2d b = point_difference(vertices[0], vertices[i + 1]);
        double twice_area = cross(a, b);
        area += twice_area;
        sum.x += twice_area * (a.x + b.x);
        sum.y += twice_area * (a.y + b.y);
    }
    if (!(area > 0.0)) {
        return vertices[0];
    }
    return (vec2){(float)((double)vertices[0].x + sum.x / (3.0 * area)),
                  (float)((double)vertices[0].y + sum.y / (3.0 * area))};
}

// Fills in everything except the vertices. Unused entries repeat the last vertex and normal, so a
// polygon has only one representation.
static void polygon_complete(polygon *shape, int count, float radius)
{
    shape->count = count;
    shape->radius = radius;
    for (int i = 0; i < count; i++) {
        shape->normals[i] = edge_normal(shape->vertices[i], shape->vertices[(i + 1) % count]);
    }
    for (int i = count; i < POLYGON_VERTICES_MAX; i++) {
        shape->vertices[i] = shape->vertices[count - 1];
        shape->normals[i] = shape->normals[count - 1];
    }
    shape->centroid = polygon_centroid(shape->vertices, count);
}

float polygon_width(const polygon *shape)
{
    double width = HUGE_VAL;
    for (int i = 0; i < shape->count; i++) {
        vec2 a = shape->vertices[i];
        vec2 b = shape->vertices[(i + 1) % shape->count];
        double base = length(point_difference(a, b));
        double height = 0.0;
        for (int j = 0; j < shape->count; j++) {
            double h = orientation(a, b, shape->vertices[j]) / base;
            height = h > height ? h : height;
        }
        width = height < width ? height : width;
    }
    return (float)width;
}

static status polygon_validate_edges(const polygon *shape, error *err)
{
    for (int i = 0; i < shape->count; i++) {
        int next = (i + 1) % shape->count;
        vec2 a = shape->vertices[i];
        vec2 b = shape->vertices[next];
        if (length(point_difference(a, b)) < 0.99 * (double)SHAPE_EXTENT_MIN) {
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "vertices[%d] and [%d] are closer than %g m", i, next,
                             (double)SHAPE_EXTENT_MIN);
        }
        for (int j = 0; j < shape->count; j++) {
            if (j != i && j != next && !(orientation(a, b, shape->vertices[j]) > 0.0)) {
                return error_set(err, STATUS_INVALID_ARGUMENT,
                                 "vertices must be convex and run counter-clockwise");
            }
        }
        vec2 normal = edge_normal(a, b);
        vec2d wrong = point_difference(normal, shape->normals[i]);
        if (!(length(wrong) <= NORMAL_TOLERANCE)) {
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "normals[%d] is not the outward normal of its edge", i);
        }
    }
    return STATUS_OK;
}

status polygon_validate(const polygon *shape, error *err)
{
    if (shape->count < 3 || shape->count > POLYGON_VERTICES_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "vertices must be 3 to %d, not %d",
                         POLYGON_VERTICES_MAX, (int)shape->count);
    }
    status s = radius_validate(shape->radius, err);
    float extent = 1.0f;
    for (int i = 0; i < shape->count && s == STATUS_OK; i++) {
        s = point_validate(shape->vertices[i], "vertices", err);
        extent = float_max(extent, float_abs(shape->vertices[i].x));
        extent = float_max(extent, float_abs(shape->vertices[i].y));
    }
    if (s == STATUS_OK) {
        s = polygon_validate_edges(shape, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    if (polygon_width(shape) < 0.99f * SHAPE_EXTENT_MIN) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "the polygon is thinner than %g m",
                         (double)SHAPE_EXTENT_MIN);
    }
    vec2d wrong =
        point_difference(polygon_centroid(shape->vertices, shape->count), shape->centroid);
    if (!(length(wrong) <= CENTROID_TOLERANCE * (double)extent)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "centroid does not fit the vertices");
    }
    return STATUS_OK;
}

status polygon_make(const vec2 *points, int count, float radius, polygon *out, error *err)
{
    if (count < 3 || count > POLYGON_VERTICES_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "vertices must be 3 to %d, not %d",
                         POLYGON_VERTICES_MAX, count);
    }
    for (int i = 0; i < count; i++) {
        status s = point_validate(points[i], "vertices", err);
        if (s != STATUS_OK) {
            return s;
        }
    }
    status s = radius_validate(radius, err);
    if (s != STATUS_OK) {
        return s;
    }
    vec2 welded[POLYGON_VERTICES_MAX];
    polygon made = {.count = 0};
    int kept = points_weld(points, count, welded);
    if (kept >= 3) {
        vec2 hull[POLYGON_VERTICES_MAX];
        kept = hull_wrap(welded, kept, hull);
        kept = hull_drop_collinear(hull, kept);
        // Dropping corners may have removed the first one. Wrapping again gives equal hulls the
        // same bits.
        kept = kept >= 3 ? hull_wrap(hull, kept, made.vertices) : 0;
    }
    if (kept < 3) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "vertices enclose no area (points closer than %g m count as one)",
                         (double)LINEAR_SLOP);
    }
    polygon_complete(&made, kept, radius);
    s = polygon_validate(&made, err);
    if (s == STATUS_OK) {
        *out = made;
    }
    return s;
}

status polygon_make_box(vec2 size, vec2 center, double angle, float radius, polygon *out,
                        error *err)
{
    if (!(size.x >= SHAPE_EXTENT_MIN && size.y >= SHAPE_EXTENT_MIN &&
          size.x <= 2.0f * SHAPE_EXTENT_MAX && size.y <= 2.0f * SHAPE_EXTENT_MAX)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "size must be from %g to %g m",
                         (double)SHAPE_EXTENT_MIN, 2.0 * (double)SHAPE_EXTENT_MAX);
    }
    if (!isfinite(angle)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "angle must be finite");
    }
    status s = point_validate(center, "center", err);
    if (s == STATUS_OK) {
        s = radius_validate(radius, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    double sine;
    double cosine;
    sin_cos(angle, &sine, &cosine);
    static const double CORNERS[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    polygon made = {.count = 4};
    for (int i = 0; i < 4; i++) {
        double x = CORNERS[i][0] * (double)size.x;
        double y = CORNERS[i][1] * (double)size.y;
        made.vertices[i] = (vec2){(float)((double)center.x + (cosine * x - sine * y)),
                                  (float)((double)center.y + (sine * x + cosine * y))};
    }
    polygon_complete(&made, 4, radius);
    made.centroid = center;
    s = polygon_validate(&made, err);
    if (s == STATUS_OK) {
        *out = made;
    }
    return s;
}
