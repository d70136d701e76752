// The filters of an axis; see packed_track.h.
#include "proto/packed/packed_track.h"

// Gains in 1/256: how much of an error a filter puts down to the place, and to the rate. Found by
// measuring the scenes of tests/bench/network.
static const int32_t PLACE_GAIN[PACKED_FILTERS] = {77, 222, 256};
static const int32_t RATE_GAIN[PACKED_FILTERS] = {13, 154, 0};

enum { HALF = PARTS / 2, ERROR_SHIFT = 3, WILD_SHIFT = 2, WILDER_SHIFT = 4, PLACE_NEAR = 12000 };

static inline int64_t within(int64_t value, int64_t most)
{
    return value > most ? most : value < -most ? -most : value;
}

// Rounds down, as a shift does.
static int64_t divide(int64_t value, int64_t by)
{
    const int64_t quotient = value / by;
    return quotient * by > value ? quotient - 1 : quotient;
}

static inline int64_t told_rate(const packed_motion *m, int axis, int64_t velocity)
{
    return within(within(velocity, PACKED_TOLD_MOST) * m->told[axis], PARTS_MOST);
}

static inline int64_t candidate_of(const packed_axis *a, int filter, int64_t rate, int32_t ticks)
{
    return within(a->at[filter] + rate * ticks, PARTS_MOST);
}

// 0 and 4: it would round to another step; 2: near the middle of this one.
static inline uint8_t place_of(int64_t offset)
{
    return offset < -HALF         ? 0
           : offset < -PLACE_NEAR ? 1
           : offset <= PLACE_NEAR ? 2
           : offset <= HALF       ? 3
                                  : 4;
}

void packed_axis_forecast(packed_forecast *f, const packed_axis *a, int axis,
                          const packed_motion *m, int64_t velocity)
{
    const int64_t slow = candidate_of(a, FILTER_SLOW, a->rate[FILTER_SLOW], m->ticks);
    const int64_t fast = candidate_of(a, FILTER_FAST, a->rate[FILTER_FAST], m->ticks);
    const bool faster = a->error[FILTER_FAST] < a->error[FILTER_SLOW];
    int64_t parts = faster ? fast : slow;
    int64_t least = slow < fast ? slow : fast;
    int64_t most = slow < fast ? fast : slow;
    f->candidate[FILTER_SLOW] = slow;
    f->candidate[FILTER_FAST] = fast;
    f->filters = 2;
    if (axis < PACKED_AXES_POSE && m->told[axis] != 0) {
        const int64_t told = candidate_of(a, FILTER_TOLD, told_rate(m, axis, velocity), m->ticks);
        const int32_t error = a->error[faster ? FILTER_FAST : FILTER_SLOW];
        parts = a->error[FILTER_TOLD] < error ? told : parts;
        least = told < least ? told : least;
        most = told > most ? told : most;
        f->candidate[FILTER_TOLD] = told;
        f->filters = 3;
    }
    const int64_t steps = (parts + HALF) >> 16;
    const int64_t middle = steps * PARTS;
    const int64_t spread = (most - least) >> 15;
    f->parts = parts;
    f->steps = steps;
    f->spread = spread < 1 ? 0 : spread < 2 ? 1 : spread < 6 ? 2 : 3;
    f->slow_place = place_of(slow - middle);
    f->fast_place = place_of(fast - middle);
}

packed_edge packed_forecast_edge(const packed_forecast *f)
{
    const int64_t part = f->parts - f->steps * PARTS; // -HALF to HALF - 1
    const int64_t left = HALF - (part < 0 ? -part : part);
    return (packed_edge){.above = part > 0,
                         .nearness = left < 2500    ? 5
                                     : left < 6000  ? 4
                                     : left < 11000 ? 3
                                     : left < 17000 ? 2
                                     : left < 25000 ? 1
                                                    : 0};
}

static inline void update_filter(packed_axis *a, int filter, int64_t candidate, int64_t moved,
                                 int32_t ticks)
{
    const int64_t e = within(moved - candidate, PARTS_MOST);
    const int64_t size = e < 0 ? -e : e;
    const int32_t seen = (int32_t)(size < PACKED_ERROR_MOST ? size : PACKED_ERROR_MOST);
    a->error[filter] += (seen - a->error[filter]) >> ERROR_SHIFT;
    const int64_t at = candidate + ((e * PLACE_GAIN[filter]) >> 8) - moved;
    a->at[filter] = (int32_t)(at < -HALF ? -HALF : at >= HALF ? HALF - 1 : at);
    const int64_t turn = e * RATE_GAIN[filter];
    const int64_t rate =
        a->rate[filter] + (ticks == 1 ? turn >> 8 : divide(turn, 256 * (int64_t)ticks));
    a->rate[filter] = (int32_t)within(rate, PARTS_MOST);
}

static bool is_slow(const packed_axis *a)
{
    for (int i = 0; i <= FILTER_FAST; i++) {
        if (a->rate[i] > PACKED_SLOW_PARTS || a->rate[i] < -PACKED_SLOW_PARTS) {
            return false;
        }
    }
    return true;
}

static void stop_filters(packed_axis *a)
{
    for (int i = 0; i < PACKED_FILTERS; i++) {
        a->at[i] = 0;
        a->rate[i] = 0;
    }
}

static void note_residual(packed_axis *a, int64_t residual)
{
    const int64_t size = residual < 0 ? -residual : residual;
    const int32_t seen = (int32_t)(size > 4096 ? 4096 : size) * 64;
    a->wild += (seen - a->wild) >> WILD_SHIFT;
    a->wilder += (seen - a->wilder) >> WILDER_SHIFT;
    if (size == 0 && a->wild < 1 << WILD_SHIFT) {
        a->wild = 0;
    }
    if (size == 0 && a->wilder < 1 << WILDER_SHIFT) {
        a->wilder = 0;
    }
    a->last = (int8_t)((residual > 0) - (residual < 0));
}

int64_t packed_axis_update(packed_axis *a, const packed_forecast *f, const packed_motion *m,
                           int64_t residual)
{
    const int64_t change = f->steps + residual;
    const int64_t moved = within(change, PACKED_MOVED_MOST) * PARTS;
    update_filter(a, FILTER_SLOW, f->candidate[FILTER_SLOW], moved, m->ticks);
    update_filter(a, FILTER_FAST, f->candidate[FILTER_FAST], moved, m->ticks);
    if (f->filters == 3) {
        update_filter(a, FILTER_TOLD, f->candidate[FILTER_TOLD], moved, m->ticks);
    }
    a->still = residual != 0 || change != 0       ? 0
               : a->still <= PACKED_STILL_CERTAIN ? (uint8_t)(a->still + 1)
                                                  : a->still;
    if (a->still > PACKED_STILL_CERTAIN || (a->still > PACKED_STILL_AFTER && is_slow(a))) {
        stop_filters(a);
    }
    note_residual(a, residual);
    return change;
}

bool packed_axis_is_quiet(const packed_axis *a)
{
    return a->still > PACKED_STILL_AFTER && a->rate[FILTER_SLOW] == 0 && a->wild == 0;
}
