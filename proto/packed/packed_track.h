// A body as both sides of a packed stream know it: its rounded pose, and the forecast of its next
// one.
//
// Each axis (x, y, angle, and the velocities where those are sent) is followed by two alpha-beta
// filters (P. Kalata, "The Tracking Index: A Generalized Parameter for alpha-beta and
// alpha-beta-gamma Target Trackers", 1984): a slow one sees through the rounding of a body that
// flies, a fast one follows a body that is pushed about. If velocities are sent, a third one uses
// them. The forecast is that of the filter with the smallest recent error.
//
// All is integer arithmetic, and no intermediate value reaches 2^53, so that a language whose only
// numbers are doubles computes the same; right shifts of negative numbers round down. Fractions of
// a step are in 1/65536 ("parts").
//
// Three axes are computed at once, in the lanes of vectors of 32 bits: that is exact if a snapshot
// is one tick after the one before and no value was off by 128 steps, which is nearly always so.
// Otherwise each axis is computed by itself in 64 bits. Both give the same numbers.
//
// One thread at a time.
#ifndef CAROM_PROTO_PACKED_PACKED_TRACK_H
#define CAROM_PROTO_PACKED_PACKED_TRACK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PACKED_AXES_POSE = 3, // x, y, angle
    PACKED_AXES_MAX = 6,  // x, y, angle, and vx, vy, spin if velocities are sent

    FILTER_SLOW = 0,
    FILTER_FAST = 1,
    FILTER_TOLD = 2, // pose axes only, if velocities are sent
    PACKED_FILTERS = 3,

    // Gains in 1/256: how much of an error a filter puts down to the place, and to the rate. Found
    // by measuring the scenes of tests/bench/network.
    SLOW_PLACE_GAIN = 77,
    SLOW_RATE_GAIN = 13,
    FAST_PLACE_GAIN = 222,
    FAST_RATE_GAIN = 154,

    ERROR_SHIFT = 3,
    WILD_SHIFT = 2,
    WILDER_SHIFT = 4,
    SEEN_MOST = 4096, // steps of a residual that count

    PARTS = 1 << 16,             // parts in a step
    PARTS_MOST = 1 << 30,        // more is cut off: 16384 steps
    PACKED_MOVED_MOST = 1 << 17, // change in steps up to which a filter is updated
    PACKED_TOLD_MOST = 1 << 26,  // parts per tick of a step of velocity; and a velocity's steps
    PACKED_ERROR_MOST = 1 << 24, // unit: parts of a step
    PACKED_WILD_MOST = 64 * 4096,
    PACKED_STILL_AFTER = 6,    // snapshots without a change after which a slow axis is at rest
    PACKED_STILL_CERTAIN = 30, // after this many ticks the body is at rest, in spite of its filters
    PACKED_SLOW_PARTS = 3000   // a tick: below this an axis is slow
};

// x, y and angle, or vx, vy and spin. The fourth lane is always 0.
typedef int32_t packed_lanes __attribute__((vector_size(16)));

enum { PACKED_LANES = 4 };

typedef struct packed_filter {
    packed_lanes at;    // where the filter places the true value, in parts from the rounded one:
                        // within half a step
    packed_lanes rate;  // rate in parts per tick
    packed_lanes error; // mean distance from the actual value, in parts
} packed_filter;

// The state of three axes beside their values.
typedef struct packed_axes {
    packed_filter filters[PACKED_FILTERS];
    packed_lanes wild, wilder; // mean size of the unexpected part, in 1/64 step: fast, slow
    packed_lanes still;        // snapshots since it last changed, up to PACKED_STILL_CERTAIN + 1
    packed_lanes last;         // sign of the last residual
} packed_axes;

typedef struct packed_track {
    uint64_t id;
    int64_t q[PACKED_AXES_MAX]; // the rounded values, in steps
    packed_axes *axes; // axes of the pose, then of the velocities if the stream has them; in its
                       // pool. NULL: at rest, and nothing of it is sent until it moves
    int32_t late;      // ticks for which it was left out; 0: it was in the snapshot before
    double rest[PACKED_AXES_POSE]; // writer only: a pose that rounds to `q`, at rest
} packed_track;

// The scene's motion as both sides know it when they predict.
typedef struct packed_motion {
    int32_t ticks;                  // since the snapshot before, 1 to PACKED_TICKS_MAX
    int32_t told[PACKED_AXES_POSE]; // parts a tick for one step of the velocity; 0: none is sent
} packed_motion;

typedef struct packed_forecast {
    // Candidates in parts, relative to the present rounded value
    packed_lanes candidate[PACKED_FILTERS];
    packed_lanes parts; // the chosen one
    packed_lanes steps; // rounded: by how much the value is expected to change
    // where the slow and the fast filter's values lie around the expected step: 0 to 4
    packed_lanes slow_place, fast_place;
    packed_lanes spread; // distance between the filters, in half steps
    int filters;         // number of filters: 2 or 3
} packed_forecast;

// The slow path of packed_axes.h: axis by axis, in 64 bits.

// The values that a filter expects after `ticks`.
packed_lanes packed_candidates_after(const packed_filter *a, int32_t ticks);

// Compares the sent velocities' forecast with the two filters, whose lesser `error` and candidates'
// range (`least`, `most`) are given.
void packed_believe_velocity(packed_forecast *f, const packed_axes *a, const packed_motion *m,
                             const int64_t *velocity, packed_lanes lesser, packed_lanes *least,
                             packed_lanes *most);

// Updates the axes, except for whether they have come to a stop.
void packed_axes_update_slowly(packed_axes *a, const packed_forecast *f, const packed_motion *m,
                               const int64_t residual[PACKED_AXES_POSE],
                               const int64_t change[PACKED_AXES_POSE]);

#endif
