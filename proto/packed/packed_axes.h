// The forecast of three axes and its update after each snapshot, in lanes: see packed_track.h.
// Inline, since each moving body passes through here once a snapshot. Internal to proto/packed; one
// thread at a time.
#ifndef CAROM_PROTO_PACKED_PACKED_AXES_H
#define CAROM_PROTO_PACKED_PACKED_AXES_H

#include <stddef.h>
#include <string.h>

#include "proto/packed/packed_track.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum {
    HALF = PARTS / 2,
    PLACE_NEAR = 12000,
    // Bounds for three axes at once: an error times a gain stays below 2^31.
    QUICK_CHANGE_MOST = 1 << 12, // unit: steps
    QUICK_ERROR_MOST = 1 << 23   // unit: parts of a step
};

// ---- lanes

// Selects `a` where the lane of `where` is -1 (a comparison that is true), else `b`.
static ALWAYS_INLINE packed_lanes choose(packed_lanes where, packed_lanes a, packed_lanes b)
{
    return (where & a) | (~where & b);
}

static ALWAYS_INLINE packed_lanes least_of(packed_lanes a, packed_lanes b)
{
    return choose(a < b, a, b);
}

static ALWAYS_INLINE packed_lanes most_of(packed_lanes a, packed_lanes b)
{
    return choose(a > b, a, b);
}

static ALWAYS_INLINE packed_lanes bound(packed_lanes value, int32_t least, int32_t most)
{
    const packed_lanes zero = {0};
    return least_of(most_of(value, zero + least), zero + most);
}

static ALWAYS_INLINE packed_lanes size_of(packed_lanes value)
{
    const packed_lanes sign = value >> 31;
    return (value ^ sign) - sign;
}

static ALWAYS_INLINE bool any_lane(packed_lanes where)
{
    int64_t halves[2];
    memcpy(halves, &where, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

// ---- the forecast

static ALWAYS_INLINE packed_lanes candidates_of(const packed_filter *a, int32_t ticks)
{
    return ticks == 1 ? bound(a->at + a->rate, -PARTS_MOST, PARTS_MOST)
                      : packed_candidates_after(a, ticks);
}

// 0 and 4: the value would round to another step; 2: it is near the middle of this one.
static ALWAYS_INLINE packed_lanes places_of(packed_lanes value, packed_lanes middle)
{
    return -((value >= middle - HALF) + (value >= middle - PLACE_NEAR) +
             (value > middle + PLACE_NEAR) + (value > middle + HALF));
}

// `velocity` are the three rounded velocities of this snapshot where the axes are a pose and
// velocities are sent, else NULL.
static ALWAYS_INLINE void packed_axes_forecast(packed_forecast *f, const packed_axes *a,
                                               const packed_motion *m, const int64_t *velocity)
{
    typedef uint32_t unsigned_lanes __attribute__((vector_size(16)));
    const packed_filter *filters = a->filters;
    const packed_lanes slow = candidates_of(&filters[FILTER_SLOW], m->ticks);
    const packed_lanes fast = candidates_of(&filters[FILTER_FAST], m->ticks);
    const packed_lanes faster = filters[FILTER_FAST].error < filters[FILTER_SLOW].error;
    packed_lanes least = least_of(slow, fast);
    packed_lanes most = most_of(slow, fast);
    f->candidate[FILTER_SLOW] = slow;
    f->candidate[FILTER_FAST] = fast;
    f->parts = choose(faster, fast, slow);
    f->filters = PACKED_FILTERS - 1;
    if (velocity != NULL) {
        const packed_lanes lesser =
            choose(faster, filters[FILTER_FAST].error, filters[FILTER_SLOW].error);
        packed_believe_velocity(f, a, m, velocity, lesser, &least, &most);
    }
    f->steps = (f->parts + HALF) >> 16;
    const packed_lanes middle = f->steps * PARTS;
    f->slow_place = places_of(slow, middle);
    f->fast_place = places_of(fast, middle);
    f->spread = (packed_lanes)(((unsigned_lanes)most - (unsigned_lanes)least) >> 15);
}

// ---- corrections by the received residuals

static ALWAYS_INLINE void update_quickly(packed_filter *a, int place_gain, int rate_gain,
                                         packed_lanes e)
{
    const packed_lanes seen = size_of(e); // below PACKED_ERROR_MOST
    a->error += (seen - a->error) >> ERROR_SHIFT;
    a->at = bound(((e * place_gain) >> 8) - e, -HALF, HALF - 1);
    a->rate = bound(a->rate + ((e * rate_gain) >> 8), -PARTS_MOST, PARTS_MOST);
}

// `size` is the residuals' size, at most SEEN_MOST; `still` selects the lanes whose value did not
// change.
static ALWAYS_INLINE void note_residuals(packed_axes *a, packed_lanes size, packed_lanes still)
{
    const packed_lanes zero = {0};
    const packed_lanes seen = size * 64;
    const packed_lanes none = size == 0;
    a->wild += (seen - a->wild) >> WILD_SHIFT;
    a->wilder += (seen - a->wilder) >> WILDER_SHIFT;
    a->wild &= ~(none & (a->wild < 1 << WILD_SHIFT));
    a->wilder &= ~(none & (a->wilder < 1 << WILDER_SHIFT));
    a->still = still & least_of(a->still + 1, zero + (PACKED_STILL_CERTAIN + 1));
}

// Stops the filters of an axis that has not changed for long.
static ALWAYS_INLINE void stop_filters(packed_axes *a)
{
    const packed_filter *slow = &a->filters[FILTER_SLOW];
    const packed_filter *fast = &a->filters[FILTER_FAST];
    const packed_lanes quick =
        (size_of(slow->rate) > PACKED_SLOW_PARTS) | (size_of(fast->rate) > PACKED_SLOW_PARTS);
    const packed_lanes stops =
        (a->still > PACKED_STILL_CERTAIN) | ((a->still > PACKED_STILL_AFTER) & ~quick);
    for (int i = 0; i < PACKED_FILTERS; i++) {
        a->filters[i].at &= ~stops;
        a->filters[i].rate &= ~stops;
    }
}

// Records that the axes are `residual` steps from the expected value; `change`: by how much each
// has changed.
static ALWAYS_INLINE void packed_axes_update(packed_axes *a, const packed_forecast *f,
                                             const packed_motion *m,
                                             const int64_t residual[PACKED_AXES_POSE],
                                             int64_t change[PACKED_AXES_POSE])
{
    packed_lanes r = {0};
    packed_lanes changed = {0};
    packed_lanes slow = {0};
    packed_lanes fast = {0};
    bool quick = m->ticks == 1 && f->filters < PACKED_FILTERS;
    for (int i = 0; i < PACKED_AXES_POSE; i++) {
        quick = quick && (uint64_t)(residual[i] + SEEN_MOST) <= 2 * SEEN_MOST;
        r[i] = (int32_t)residual[i];
        change[i] = f->steps[i] + residual[i];
    }
    if (quick) {
        changed = f->steps + r;
        const packed_lanes moved = bound(changed, -QUICK_CHANGE_MOST, QUICK_CHANGE_MOST) * PARTS;
        slow = moved - f->candidate[FILTER_SLOW];
        fast = moved - f->candidate[FILTER_FAST];
        quick = !any_lane((size_of(changed) > QUICK_CHANGE_MOST) |
                          (size_of(slow) > QUICK_ERROR_MOST) | (size_of(fast) > QUICK_ERROR_MOST));
    }
    if (quick) {
        update_quickly(&a->filters[FILTER_SLOW], SLOW_PLACE_GAIN, SLOW_RATE_GAIN, slow);
        update_quickly(&a->filters[FILTER_FAST], FAST_PLACE_GAIN, FAST_RATE_GAIN, fast);
        const packed_lanes three = {-1, -1, -1, 0};
        note_residuals(a, size_of(r), three & (r == 0) & (changed == 0));
        a->last = (r < 0) - (r > 0);
    } else {
        packed_axes_update_slowly(a, f, m, residual, change);
    }
    if (any_lane(a->still > PACKED_STILL_AFTER)) {
        stop_filters(a);
    }
}

// Whether no filter expects an axis to move, and the recent errors of all are small.
static ALWAYS_INLINE bool packed_axes_are_quiet(const packed_axes *a)
{
    const packed_lanes moves =
        (a->still <= PACKED_STILL_AFTER) | (a->filters[FILTER_SLOW].rate != 0) | (a->wild != 0);
    return (moves[0] | moves[1] | moves[2]) == 0;
}

#endif
