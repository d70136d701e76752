// Crossings of the elementary figures, in closed form: circle and circle, segment and segment,
// circle and segment. All is in double and in one common frame, for callers with world coordinates.
#ifndef CAROM_COMMON_GEOMETRY_INTERSECT_H
#define CAROM_COMMON_GEOMETRY_INTERSECT_H

#include "common/geometry/math.h"

typedef struct circle_contact {
    bool touching;
    vec2d normal;       // unit, from the first centre to the second; {1, 0} for equal centres
    double penetration; // r1 + r2 - distance; negative when apart [m]
    vec2d point;        // midway in the overlap, on the line of the centres
} circle_contact;

circle_contact intersect_circles(vec2d center_a, double radius_a, vec2d center_b, double radius_b);

typedef enum crossing_kind {
    CROSSING_NONE,
    CROSSING_POINT,
    CROSSING_OVERLAP // collinear with a common stretch
} crossing_kind;

typedef struct segment_crossing {
    crossing_kind kind;
    double t, u;     // fractions along the first and the second segment, for CROSSING_POINT
    vec2d point;     // the crossing, or the beginning of the common stretch
    vec2d point_end; // the end of the common stretch; equals `point` for CROSSING_POINT
} segment_crossing;

// Ends count as part of a segment; segments without length are points.
segment_crossing intersect_segments(vec2d a0, vec2d a1, vec2d b0, vec2d b1);

typedef struct circle_crossing {
    vec2d nearest;   // the point of the segment nearest to the centre
    double distance; // distance of that point from the centre
    int count;       // 0, 1 or 2 crossings of the circle's line that lie on the segment
    vec2d points[2]; // crossings in order along the segment
    double t[2];     // their fractions along the segment, in [0, 1]
} circle_crossing;

// A segment that lies wholly inside the circle crosses its line nowhere; a tangent gives one
// crossing.
circle_crossing intersect_circle_segment(vec2d center, double radius, vec2d a, vec2d b);

#endif
