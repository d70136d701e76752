// See picture.h.
#include "client/cli/picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 1.06 // factor on the fitted box, so that bodies at its edge are shown whole
#define PI     3.14159265358979323846

box box_empty(void)
{
    return (box){HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
}

bool box_is_empty(box b)
{
    return b.x0 > b.x1 || b.y0 > b.y1;
}

box box_around(box b, point center, double radius)
{
    return (box){fmin(b.x0, center.x - radius), fmin(b.y0, center.y - radius),
                 fmax(b.x1, center.x + radius), fmax(b.y1, center.y + radius)};
}

static double dots_wide(const canvas *c)
{
    return c->columns * CANVAS_CELL_WIDTH;
}

static double dots_high(const canvas *c)
{
    return c->rows * CANVAS_CELL_HEIGHT;
}

static double limit_scale(double scale)
{
    return fmin(fmax(scale, CAMERA_SCALE_MIN), CAMERA_SCALE_MAX);
}

camera camera_fit(box b, const canvas *c)
{
    if (box_is_empty(b) || !isfinite(b.x0 + b.y0 + b.x1 + b.y1)) {
        b = (box){-5.0, -5.0, 5.0, 5.0};
    }
    double width = fmax(b.x1 - b.x0, 1e-3) * MARGIN;
    double height = fmax(b.y1 - b.y0, 1e-3) * MARGIN;
    double scale = fmin(dots_wide(c) / width, dots_high(c) / height);
    return (camera){{(b.x0 + b.x1) / 2.0, (b.y0 + b.y1) / 2.0}, limit_scale(scale)};
}

void camera_pan(camera *cam, const canvas *c, double share_x, double share_y)
{
    cam->center.x += share_x * dots_wide(c) / cam->scale;
    cam->center.y += share_y * dots_high(c) / cam->scale;
}

void camera_zoom(camera *cam, double factor)
{
    cam->scale = limit_scale(cam->scale * factor);
}

box camera_view(const camera *cam, const canvas *c)
{
    double x = dots_wide(c) / cam->scale / 2.0;
    double y = dots_high(c) / cam->scale / 2.0;
    return (box){cam->center.x - x, cam->center.y - y, cam->center.x + x, cam->center.y + y};
}

point camera_to_dots(const camera *cam, const canvas *c, point world)
{
    return (point){dots_wide(c) / 2.0 + (world.x - cam->center.x) * cam->scale,
                   dots_high(c) / 2.0 - (world.y - cam->center.y) * cam->scale};
}

point camera_from_dots(const camera *cam, const canvas *c, point dots)
{
    return (point){cam->center.x + (dots.x - dots_wide(c) / 2.0) / cam->scale,
                   cam->center.y - (dots.y - dots_high(c) / 2.0) / cam->scale};
}

bool outline_init(outline *o, outline_kind kind, const point *points, size_t count, double radius)
{
    point *copy = calloc(count > 0 ? count : 1, sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, points, count * sizeof *copy);
    *o = (outline){.kind = kind, .radius = radius, .points = copy, .count = count};
    return true;
}

bool outline_init_box(outline *o, double width, double height, point center, double angle,
                      double radius)
{
    place at = {center, angle};
    double x = width / 2.0;
    double y = height / 2.0;
    point corners[4] = {place_apply(&at, (point){-x, -y}), place_apply(&at, (point){x, -y}),
                        place_apply(&at, (point){x, y}), place_apply(&at, (point){-x, y})};
    return outline_init(o, OUTLINE_POLYGON, corners, 4, radius);
}

void outline_deinit(outline *o)
{
    free(o->points);
    *o = (outline){0};
}

double outline_reach(const outline *o)
{
    double reach = 0.0;
    for (size_t i = 0; i < o->count; i++) {
        reach = fmax(reach, hypot(o->points[i].x, o->points[i].y));
    }
    return reach + o->radius;
}

point place_apply(const place *p, point local)
{
    double c = cos(p->angle);
    double s = sin(p->angle);
    return (point){p->position.x + c * local.x - s * local.y,
                   p->position.y + s * local.x + c * local.y};
}

void picture_line(const camera *cam, canvas *c, point a, point b, uint8_t colour)
{
    point from = camera_to_dots(cam, c, a);
    point to = camera_to_dots(cam, c, b);
    canvas_line(c, from.x, from.y, to.x, to.y, colour);
}

// Draws the arc from the direction `from` to the direction `to` (radians in the world),
// counter-clockwise.
static void draw_arc(const camera *cam, canvas *c, point center, double radius, double from,
                     double to, uint8_t colour)
{
    double sweep = to - from;
    while (sweep < 0.0) {
        sweep += 2.0 * PI;
    }
    point at = camera_to_dots(cam, c, center);
    canvas_arc(c, at.x, at.y, radius * cam->scale, -from, -sweep, colour);
}

static void draw_circle(const outline *o, const place *p, const camera *cam, canvas *c,
                        uint8_t colour)
{
    point center = place_apply(p, o->points[0]);
    point at = camera_to_dots(cam, c, center);
    canvas_arc(c, at.x, at.y, o->radius * cam->scale, 0.0, 2.0 * PI, colour);
    if (o->radius * cam->scale >= 2.5) { // a spoke shows the rotation
        point rim = place_apply(p, (point){o->points[0].x + o->radius, o->points[0].y});
        picture_line(cam, c, center, rim, colour);
    }
}

// Draws an edge of a rounded shape: it lies beside the core's edge, on its right-hand side, which
// is the outer one when the corners go counter-clockwise.
static void draw_edge(const camera *cam, canvas *c, point a, point b, double radius, uint8_t colour)
{
    double length = hypot(b.x - a.x, b.y - a.y);
    double share = length > 0.0 ? radius / length : 0.0;
    point out = {(b.y - a.y) * share, -(b.x - a.x) * share};
    picture_line(cam, c, (point){a.x + out.x, a.y + out.y}, (point){b.x + out.x, b.y + out.y},
                 colour);
}

// Draws closed lines; a capsule's line goes there and back.
static void draw_ring(const outline *o, const place *p, const camera *cam, canvas *c,
                      uint8_t colour)
{
    bool rounded = o->radius * cam->scale >= 0.5;
    for (size_t i = 0; i < o->count; i++) {
        point a = place_apply(p, o->points[i]);
        point b = place_apply(p, o->points[(i + 1) % o->count]);
        draw_edge(cam, c, a, b, o->radius, colour);
        if (rounded) {
            point d = place_apply(p, o->points[(i + 2) % o->count]);
            double turn = PI / 2.0;
            draw_arc(cam, c, b, o->radius, atan2(b.y - a.y, b.x - a.x) - turn,
                     atan2(d.y - b.y, d.x - b.x) - turn, colour);
        }
    }
}

void outline_draw(const outline *o, const place *p, const camera *cam, canvas *c, uint8_t colour)
{
    if (o->count == 0) {
        return;
    }
    switch (o->kind) {
    case OUTLINE_CIRCLE:
        draw_circle(o, p, cam, c, colour);
        break;
    case OUTLINE_POLYGON:
    case OUTLINE_CAPSULE:
        draw_ring(o, p, cam, c, colour);
        break;
    case OUTLINE_LINE:
        for (size_t i = 0; i + 1 < o->count; i++) {
            picture_line(cam, c, place_apply(p, o->points[i]), place_apply(p, o->points[i + 1]),
                         colour);
        }
        break;
    }
}

void picture_cross(const camera *cam, canvas *c, point at, uint8_t colour)
{
    point dot = camera_to_dots(cam, c, at);
    canvas_line(c, dot.x - 1.0, dot.y, dot.x + 1.0, dot.y, colour);
    canvas_line(c, dot.x, dot.y - 1.0, dot.x, dot.y + 1.0, colour);
}

void picture_arrow(const camera *cam, canvas *c, point at, point direction, double dots,
                   uint8_t colour)
{
    double length = hypot(direction.x, direction.y);
    if (!(length > 0.0)) {
        return;
    }
    point from = camera_to_dots(cam, c, at);
    canvas_line(c, from.x, from.y, from.x + direction.x / length * dots,
                from.y - direction.y / length * dots, colour);
}

void picture_scale_bar(const camera *cam, canvas *c, uint8_t colour)
{
    double least = 6.0 * CANVAS_CELL_WIDTH / cam->scale;
    double metres = pow(10.0, floor(log10(least)));
    static const double steps[] = {1.0, 2.0, 5.0, 10.0};
    size_t step = 0;
    while (step < 3 && metres * steps[step] < least) {
        step++;
    }
    metres *= steps[step];
    int columns = (int)lround(metres * cam->scale / CANVAS_CELL_WIDTH);
    if (columns > c->columns / 3 || c->rows < 4) {
        return;
    }
    for (int i = 0; i <= columns; i++) {
        canvas_text(c, i, c->rows - 1, i == 0 || i == columns ? "+" : "-", colour);
    }
    char label[32];
    (void)snprintf(label, sizeof label, " %g m", metres);
    canvas_text(c, columns + 1, c->rows - 1, label, colour);
}

// ---- distance

static double segment_distance(point a, point b, point at)
{
    double x = b.x - a.x;
    double y = b.y - a.y;
    double length = x * x + y * y;
    double t = length > 0.0 ? ((at.x - a.x) * x + (at.y - a.y) * y) / length : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    return hypot(at.x - a.x - t * x, at.y - a.y - t * y);
}

double outline_distance(const outline *o, const place *p, point at)
{
    double best = HUGE_VAL;
    bool inside = false; // decided by the number of sides that a ray to the right crosses
    size_t sides = o->kind == OUTLINE_POLYGON ? o->count : o->count - 1;
    if (o->count == 1) {
        point center = place_apply(p, o->points[0]);
        best = hypot(at.x - center.x, at.y - center.y);
    }
    for (size_t i = 0; o->count > 1 && i < sides; i++) {
        point a = place_apply(p, o->points[i]);
        point b = place_apply(p, o->points[(i + 1) % o->count]);
        best = fmin(best, segment_distance(a, b, at));
        if (o->kind == OUTLINE_POLYGON && (a.y > at.y) != (b.y > at.y) &&
            at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)) {
            inside = !inside;
        }
    }
    return inside ? 0.0 : fmax(best - o->radius, 0.0);
}
