// A body as both sides of a packed stream know it: its rounded pose, and what is expected of it
// next.
//
// Each axis (x, y, angle, and the velocities where those are sent) is followed by two alpha-beta
// filters (P. Kalata, "The Tracking Index: A Generalized Parameter for alpha-beta and
// alpha-beta-gamma Target Trackers", 1984): a slow one sees through the rounding of a body that
// flies, a fast one follows a body that is pushed about. Where velocities are sent, a third one
// believes them. The forecast is
// that of the filter that has erred least of late.
//
// All is integer arithmetic, and no intermediate value reaches 2^53, so that a language whose only
// numbers are doubles computes the same; right shifts of negative numbers round down. Fractions of
// a step are in 1/65536 ("parts").
//
// One thread at a time.
#ifndef CAROM_PROTO_PACKED_PACKED_TRACK_H
#define CAROM_PROTO_PACKED_PACKED_TRACK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PACKED_AXES_POSE = 3, // x, y, angle
    PACKED_AXES_MAX = 6,  // and vx, vy, spin where velocities are sent

    FILTER_SLOW = 0,
    FILTER_FAST = 1,
    FILTER_TOLD = 2, // pose axes alone, where velocities are sent
    PACKED_FILTERS = 3,

    PARTS = 1 << 16,             // of a step
    PARTS_MOST = 1 << 30,        // more is cut off: 16384 steps
    PACKED_MOVED_MOST = 1 << 17, // steps at once that a filter looks at
    PACKED_TOLD_MOST = 1 << 26,  // parts a tick of one step of velocity, and such steps
    PACKED_ERROR_MOST = 1 << 24, // parts
    PACKED_WILD_MOST = 64 * 4096,
    PACKED_STILL_AFTER = 6,    // snapshots without a change after which a slow axis is at rest
    PACKED_STILL_CERTAIN = 30, // and after so many it is, whatever its filters say
    PACKED_SLOW_PARTS = 3000   // a tick: below this an axis is slow
};

typedef struct packed_axis {
    int32_t at[PACKED_FILTERS];   // where a filter places the true value, in parts from the rounded
                                  // one: within half a step
    int32_t rate[PACKED_FILTERS]; // parts a tick
    int32_t error[PACKED_FILTERS]; // mean of how far off it was, parts
    int32_t wild, wilder;          // mean size of what was not expected, in 1/64 step: fast, slow
    uint8_t still; // snapshots since it last changed, up to PACKED_STILL_CERTAIN + 1
    int8_t last;   // sign of the last residual
} packed_axis;

typedef struct packed_track {
    uint64_t id;
    int64_t q[PACKED_AXES_MAX]; // the rounded values, in steps
    packed_axis *axes; // as many as the stream has, owned; NULL: at rest, nothing is sent of
                       // it until it moves
} packed_track;

// What both sides know of the scene when they predict.
typedef struct packed_motion {
    int32_t ticks;                  // since the snapshot before, 1 to PACKED_TICKS_MAX
    int32_t told[PACKED_AXES_POSE]; // parts a tick for one step of the velocity, 0: none is sent
} packed_motion;

typedef struct packed_forecast {
    int64_t candidate[PACKED_FILTERS]; // parts from the rounded value of now
    int64_t parts;                     // the chosen one
    int64_t steps;                     // rounded: by how much the value is expected to change
    uint8_t filters;                   // that there are: 2 or 3
    uint8_t spread;                    // how far the filters are apart, 0 to 3
    uint8_t slow_place, fast_place;    // where the slow and the fast filter's values lie round the
                                       // step that is expected: 0 to 4
} packed_forecast;

// Of a step, whether the value is above its middle, and how near it is to one that rounds
// otherwise, 0 to 5, 5 the nearest.
typedef struct packed_edge {
    bool above;
    uint8_t nearness;
} packed_edge;

// `velocity` is the rounded velocity of this snapshot for a pose axis, 0 where none is sent.
void packed_axis_forecast(packed_forecast *f, const packed_axis *a, int axis,
                          const packed_motion *m, int64_t velocity);

packed_edge packed_forecast_edge(const packed_forecast *f);

// The axis is now `residual` steps beside what was expected; returns by how many it has changed.
int64_t packed_axis_update(packed_axis *a, const packed_forecast *f, const packed_motion *m,
                           int64_t residual);

// No filter expects it to move, and none was surprised of late.
bool packed_axis_is_quiet(const packed_axis *a);

#endif
