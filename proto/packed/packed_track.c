#include "proto/packed/packed_track.h"

// Gains in 1/256: how much of an error a filter puts down to the place, and to the rate.
static const int32_t PLACE_GAIN[PACKED_FILTERS] = {77, 154, 256, 102, 256};
static const int32_t RATE_GAIN[PACKED_FILTERS] = {13, 64, 154, 26, 0};

enum { HALF = PARTS / 2, ERROR_MOST = 1 << 24, ERROR_SHIFT = 3 };

static int64_t within(int64_t value, int64_t most)
{
    return value > most ? most : value < -most ? -most : value;
}

// Rounds down, as a shift does.
static int64_t divide(int64_t value, int64_t by)
{
    const int64_t quotient = value / by;
    return quotient * by > value ? quotient - 1 : quotient;
}

static uint32_t filters_of(int axis, const packed_motion *m)
{
    uint32_t filters = 1u << FILTER_SLOW | 1u << FILTER_MIDDLE | 1u << FILTER_FAST;
    if (axis < 2) {
        filters |= 1u << FILTER_FALLING;
    }
    if (axis < PACKED_AXES_POSE && m->told[axis] != 0) {
        filters |= 1u << FILTER_TOLD;
    }
    return filters;
}

static int64_t candidate_of(const packed_axis *a, int filter, int axis, const packed_motion *m,
                            int64_t velocity)
{
    const int64_t t = m->ticks;
    int64_t parts = a->at[filter];
    if (filter == FILTER_TOLD) {
        return within(parts + within(velocity * m->told[axis], PARTS_MOST) * t, PARTS_MOST);
    }
    parts += a->rate[filter] * t;
    if (filter == FILTER_FALLING) {
        parts += ((int64_t)m->gravity[axis] * t * (t + 1)) >> 1;
    }
    return within(parts, PARTS_MOST);
}

packed_forecast packed_axis_forecast(const packed_axis *a, int axis, const packed_motion *m,
                                     int64_t velocity)
{
    packed_forecast f = {.filters = filters_of(axis, m)};
    int best = FILTER_SLOW;
    int64_t least = PARTS_MOST;
    int64_t most = -PARTS_MOST;
    for (int i = 0; i < PACKED_FILTERS; i++) {
        if ((f.filters >> i & 1) == 0) {
            continue;
        }
        const int64_t c = candidate_of(a, i, axis, m, velocity);
        f.candidate[i] = c;
        least = c < least ? c : least;
        most = c > most ? c : most;
        best = a->error[i] < a->error[best] ? i : best;
    }
    f.parts = f.candidate[best];
    f.steps = (f.parts + HALF) >> 16;
    const int64_t spread = (most - least) >> 15;
    f.spread = spread < 1 ? 0 : spread < 2 ? 1 : spread < 6 ? 2 : 3;
    return f;
}

static void update_filter(packed_axis *a, int filter, int64_t candidate, int64_t moved,
                          const packed_motion *m, int32_t gravity)
{
    const int64_t e = within(moved - candidate, PARTS_MOST);
    const int64_t size = e < 0 ? -e : e;
    const int32_t told = (int32_t)(size < ERROR_MOST ? size : ERROR_MOST);
    a->error[filter] += (told - a->error[filter]) >> ERROR_SHIFT;
    const int64_t at = candidate + ((e * PLACE_GAIN[filter]) >> 8) - moved;
    a->at[filter] = (int32_t)(at < -HALF ? -HALF : at >= HALF ? HALF - 1 : at);
    int64_t rate = a->rate[filter] + (int64_t)gravity * m->ticks;
    rate += m->ticks == 1 ? (e * RATE_GAIN[filter]) >> 8
                          : divide(e * RATE_GAIN[filter], 256 * (int64_t)m->ticks);
    a->rate[filter] = (int32_t)within(rate, PARTS_MOST);
}

static bool is_slow(const packed_axis *a)
{
    for (int i = 0; i < FILTER_FALLING; i++) {
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
    int64_t size = residual < 0 ? -residual : residual;
    size = size > 4096 ? 4096 : size;
    const int32_t told = (int32_t)(size * 64);
    a->wild += ((told - a->wild) * 4) >> 4;
    a->wilder += (told - a->wilder) >> 4;
    if (size == 0 && a->wild < 4) {
        a->wild = 0;
    }
    if (size == 0 && a->wilder < 16) {
        a->wilder = 0;
    }
    a->last = (int8_t)((residual > 0) - (residual < 0));
}

int64_t packed_axis_update(packed_axis *a, int axis, const packed_forecast *f,
                        const packed_motion *m, int64_t residual)
{
    const int64_t change = f->steps + residual;
    const int64_t moved = change * PARTS;
    for (int i = 0; i < PACKED_FILTERS; i++) {
        if ((f->filters >> i & 1) != 0) {
            const int32_t gravity = i == FILTER_FALLING ? m->gravity[axis] : 0;
            update_filter(a, i, f->candidate[i], moved, m, gravity);
        }
    }
    a->still = residual != 0 || change != 0 ? 0
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
