// Shapes, of which bodies are made and with which queries search.
#ifndef CAROM_SHAPE_H
#define CAROM_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/export.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef enum carom_shape_kind {
    CAROM_CIRCLE,  // radius, center
    CAROM_BOX,     // size, center, angle, radius (of the rounding)
    CAROM_POLYGON, // vertices (3 to 8; the convex hull is taken), radius
    CAROM_CAPSULE, // a, b, radius
    CAROM_SEGMENT, // a, b
    CAROM_CHAIN    // vertices, loop
} carom_shape_kind;

// Events that a shape makes; a pair of shapes makes those that either of them asks for.
typedef enum carom_shape_events {
    CAROM_EVENTS_NONE = 0,
    CAROM_EVENTS_CONTACT = 1, // begin, stay, end
    CAROM_EVENTS_HIT = 2,
    CAROM_EVENTS_SENSOR = 4, // sensors see it
    CAROM_EVENTS_DEFAULT = CAROM_EVENTS_CONTACT | CAROM_EVENTS_SENSOR
} carom_shape_events;

// Places are in the body's frame [m]. A struct that begins as {0} has the defaults; one from the
// functions below is exact (see carom/export.h), so that friction = 0 is no friction.
typedef struct carom_shape {
    bool exact;
    carom_shape_kind kind;
    double radius;              // [m], >= 0
    carom_vec2 size;            // width and height [m]
    carom_vec2 center;          // [m]
    double angle;               // [rad]
    carom_vec2 a, b;            // [m]
    const carom_vec2 *vertices; // owned by the caller
    size_t vertex_count;
    bool loop;
    double density;            // [kg/m²], >= 0, default 1
    double friction;           // >= 0, default 0.6
    double restitution;        // 0 to 1
    double rolling_resistance; // >= 0
    double tangent_speed;      // speed of the surface, as a conveyor belt has it [m/s]
    bool sensor;               // detects overlaps, and collides with nothing
    bool has_filter;           // false: category, mask and group are not sent
    uint64_t category, mask;   // bits, default 1 and all
    int32_t group;             // two shapes of one negative group never collide
    unsigned events;           // bits of carom_shape_events, default CAROM_EVENTS_DEFAULT
    // One-way: a direction in the body's frame; only bodies that come from that side collide.
    // {0, 0}: solid from all sides.
    carom_vec2 one_way;
} carom_shape;

CAROM_API carom_shape carom_shape_circle(double radius);
CAROM_API carom_shape carom_shape_box(double width, double height);
CAROM_API carom_shape carom_shape_capsule(carom_vec2 a, carom_vec2 b, double radius);
CAROM_API carom_shape carom_shape_segment(carom_vec2 a, carom_vec2 b);
// The vertices stay the caller's and must live as long as the shape is used.
CAROM_API carom_shape carom_shape_polygon(const carom_vec2 *vertices, size_t count);
CAROM_API carom_shape carom_shape_chain(const carom_vec2 *vertices, size_t count, bool loop);

// The shape as a map of the protocol, which the caller frees; NULL for NULL, and when memory has
// run out.
CAROM_API carom_value *carom_shape_value(const carom_shape *shape);

CAROM_END_DECLS

#endif
