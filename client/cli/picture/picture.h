// From metres to dots: a camera over a world, and the outlines of bodies drawn through it.
//
// The world's y points up, the canvas's down; only this file converts between them. Pure; one
// thread at a time.
#ifndef CAROM_CLIENT_CLI_PICTURE_PICTURE_H
#define CAROM_CLIENT_CLI_PICTURE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/cli/picture/canvas.h"

typedef struct point {
    double x, y;
} point;

// x0 <= x1 and y0 <= y1, or nothing at all (box_empty).
typedef struct box {
    double x0, y0, x1, y1;
} box;

box box_empty(void);
bool box_is_empty(box b);
// The smallest box around both the box and a disc.
box box_around(box b, point center, double radius);

typedef struct camera {
    point center; // point at the middle of the canvas [m]
    double scale; // dots per metre
} camera;

#define CAMERA_SCALE_MIN 1e-4
#define CAMERA_SCALE_MAX 1e6

// Shows all of `b` with a small margin, in its proportions. An empty box gives 10 m around the
// origin.
camera camera_fit(box b, const canvas *c);
// Moves the camera by a fraction of the visible part: (0.1, 0) is a tenth of the width to the
// right.
void camera_pan(camera *cam, const canvas *c, double share_x, double share_y);
// Zooms in by a factor above 1, or out. The scale stays within its limits.
void camera_zoom(camera *cam, double factor);
// The part of the world that is visible.
box camera_view(const camera *cam, const canvas *c);
point camera_to_dots(const camera *cam, const canvas *c, point world);
point camera_from_dots(const camera *cam, const canvas *c, point dots);

typedef enum outline_kind {
    OUTLINE_CIRCLE,  // points[0] and radius
    OUTLINE_POLYGON, // a closed line, rounded by radius
    OUTLINE_CAPSULE, // points[0], points[1] and radius
    OUTLINE_LINE     // an open line of two points or more
} outline_kind;

// A shape in its body's frame [m]. It owns its points.
typedef struct outline {
    outline_kind kind;
    bool sensor;
    double radius;
    point *points;
    size_t count;
} outline;

// Makes an outline from a copy of `count` points; false when memory has run out.
bool outline_init(outline *o, outline_kind kind, const point *points, size_t count, double radius);
// Makes a box of full `width` and `height`, rotated by `angle` about `center`.
bool outline_init_box(outline *o, double width, double height, point center, double angle,
                      double radius);
void outline_deinit(outline *o);
// The largest distance of the outline from the body's origin.
double outline_reach(const outline *o);

// A body's position and angle.
typedef struct place {
    point position;
    double angle;
} place;

point place_apply(const place *p, point local);

void outline_draw(const outline *o, const place *p, const camera *cam, canvas *c, uint8_t colour);

// The distance of a place from the outline, 0 inside of a closed one [m].
double outline_distance(const outline *o, const place *p, point at);

// Draw a line in the world; a dot with a cross of one dot in each direction; an arrow of `dots`
// length from a point along a direction.
void picture_line(const camera *cam, canvas *c, point a, point b, uint8_t colour);
void picture_cross(const camera *cam, canvas *c, point at, uint8_t colour);
void picture_arrow(const camera *cam, canvas *c, point at, point direction, double dots,
                   uint8_t colour);

// Draws a short bar with its length in metres at the lower left: {1, 2, 5} * 10^n, between 6
// columns and a third of the width.
void picture_scale_bar(const camera *cam, canvas *c, uint8_t colour);

#endif
