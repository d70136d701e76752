// A body as both sides of a packed stream know it: its rounded pose, and what is expected of it next.
//
// Each axis (x, y, angle, and the velocities where those are sent) is followed by a few alpha-beta
// filters (P. Kalata, "The Tracking Index: A Generalized Parameter for alpha-beta and alpha-beta-gamma
// Target Trackers", 1984) of different gains: slow ones see through the rounding of a body that flies,
// fast ones follow a body that is pushed about. One more falls with gravity, and one believes the
// velocity that was sent. What is expected is what the filter says that has erred least of late.
//
// All is integer arithmetic; right shifts of negative numbers round down. Fractions of a step are
// in 1/65536 ("parts").
#ifndef CAROM_PROTO_PACKED_PACKED_TRACK_H
#define CAROM_PROTO_PACKED_PACKED_TRACK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PACKED_AXES_POSE = 3, // x, y, angle
    PACKED_AXES_MAX = 6,  // and vx, vy, spin where velocities are sent
    PACKED_FILTERS = 5,
    FILTER_SLOW = 0,
    FILTER_MIDDLE = 1,
    FILTER_FAST = 2,
    FILTER_FALLING = 3, // x and y alone
    FILTER_TOLD = 4,    // pose axes alone, where velocities are sent

    PARTS = 1 << 16,          // of a step
    PARTS_MOST = 1 << 30,     // more is cut off: 16384 steps
    PACKED_STILL_AFTER = 6,   // snapshots without a change after which a slow axis is at rest
    PACKED_STILL_CERTAIN = 30, // and after so many it is, whatever its filters say
    PACKED_SLOW_PARTS = 3000  // per tick
};

typedef struct packed_axis {
    int32_t at[PACKED_FILTERS];    // where a filter places the true value, in parts from the rounded
                                   // one: within half a step
    int32_t rate[PACKED_FILTERS]; // parts a tick
    int32_t error[PACKED_FILTERS]; // mean of how far off it was, parts
    int32_t wild, wilder;          // mean size of what was not expected, in 1/64 step: fast, slow
    uint8_t still;                 // snapshots since it last changed, up to PACKED_STILL_CERTAIN + 1
    int8_t last;                   // sign of the last residual
} packed_axis;

typedef struct packed_track {
    uint64_t id;
    int64_t q[PACKED_AXES_MAX]; // the rounded values, in steps
    packed_axis *axes;          // as many as the stream has, owned; NULL: at rest, nothing is sent of
                                // it until it moves
} packed_track;

// What both sides know of the scene when they predict.
typedef struct packed_motion {
    int32_t ticks;      // since the snapshot before, 1 or more
    int32_t gravity[2]; // parts a tick², of x and y
    int32_t told[PACKED_AXES_POSE]; // parts a tick for one step of the velocity, 0: none is sent
} packed_motion;

typedef struct packed_forecast {
    int64_t candidate[PACKED_FILTERS]; // parts from the rounded value of now
    uint32_t filters;                  // bits: those that there are
    int64_t parts;                     // the chosen one
    int64_t steps;                     // rounded: by how much the value is expected to change
    uint8_t spread;                    // how far the filters are apart, 0 to 3
} packed_forecast;

// `velocity` is the rounded velocity of this snapshot for a pose axis, 0 where none is sent.
packed_forecast packed_axis_forecast(const packed_axis *a, int axis, const packed_motion *m,
                                     int64_t velocity);

// The axis is now `residual` steps beside what was expected; returns by how many it has changed.
int64_t packed_axis_update(packed_axis *a, int axis, const packed_forecast *f,
                        const packed_motion *m, int64_t residual);

// No filter expects it to move, and none was surprised of late.
bool packed_axis_is_quiet(const packed_axis *a);

#endif
