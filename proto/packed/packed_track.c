// Computes axes one by one in 64 bits, for numbers too large for packed_axes.h. See packed_track.h.
#include "proto/packed/packed_track.h"

enum { HALF = PARTS / 2 };

static const int32_t PLACE_GAIN[PACKED_FILTERS] = {SLOW_PLACE_GAIN, FAST_PLACE_GAIN, 256};
static const int32_t RATE_GAIN[PACKED_FILTERS] = {SLOW_RATE_GAIN, FAST_RATE_GAIN, 0};

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

static void update_filter(packed_filter *a, int filter, int axis, int64_t candidate, int64_t moved,
                          int32_t ticks)
{
    const int64_t e = within(moved - candidate, PARTS_MOST);
    const int64_t size = e < 0 ? -e : e;
    const int32_t seen = (int32_t)(size < PACKED_ERROR_MOST ? size : PACKED_ERROR_MOST);
    a->error[axis] += (seen - a->error[axis]) >> ERROR_SHIFT;
    const int64_t at = candidate + ((e * PLACE_GAIN[filter]) >> 8) - moved;
    a->at[axis] = (int32_t)(at < -HALF ? -HALF : at >= HALF ? HALF - 1 : at);
    const int64_t rate = a->rate[axis] + divide(e * RATE_GAIN[filter], 256 * (int64_t)ticks);
    a->rate[axis] = (int32_t)within(rate, PARTS_MOST);
}

static void note_residual(packed_axes *a, int axis, int64_t residual, int64_t change)
{
    const int64_t size = residual < 0 ? -residual : residual;
    const int32_t seen = (int32_t)(size > SEEN_MOST ? SEEN_MOST : size) * 64;
    a->wild[axis] += (seen - a->wild[axis]) >> WILD_SHIFT;
    a->wilder[axis] += (seen - a->wilder[axis]) >> WILDER_SHIFT;
    if (size == 0 && a->wild[axis] < 1 << WILD_SHIFT) {
        a->wild[axis] = 0;
    }
    if (size == 0 && a->wilder[axis] < 1 << WILDER_SHIFT) {
        a->wilder[axis] = 0;
    }
    a->last[axis] = (residual > 0) - (residual < 0);
    a->still[axis] = residual != 0 || change != 0             ? 0
                     : a->still[axis] <= PACKED_STILL_CERTAIN ? a->still[axis] + 1
                                                              : a->still[axis];
}

void packed_axes_update_slowly(packed_axes *a, const packed_forecast *f, const packed_motion *m,
                               const int64_t residual[PACKED_AXES_POSE],
                               const int64_t change[PACKED_AXES_POSE])
{
    for (int i = 0; i < PACKED_AXES_POSE; i++) {
        const int64_t moved = within(change[i], PACKED_MOVED_MOST) * PARTS;
        for (int k = 0; k < f->filters; k++) {
            if (k != FILTER_TOLD || m->told[i] != 0) {
                update_filter(&a->filters[k], k, i, f->candidate[k][i], moved, m->ticks);
            }
        }
        note_residual(a, i, residual[i], change[i]);
    }
}

packed_lanes packed_candidates_after(const packed_filter *a, int32_t ticks)
{
    packed_lanes c = {0};
    for (int i = 0; i < PACKED_AXES_POSE; i++) {
        c[i] = (int32_t)within(a->at[i] + (int64_t)a->rate[i] * ticks, PARTS_MOST);
    }
    return c;
}

void packed_believe_velocity(packed_forecast *f, const packed_axes *a, const packed_motion *m,
                             const int64_t *velocity, packed_lanes lesser, packed_lanes *least,
                             packed_lanes *most)
{
    f->filters = PACKED_FILTERS;
    f->candidate[FILTER_TOLD] = (packed_lanes){0};
    for (int i = 0; i < PACKED_AXES_POSE; i++) {
        if (m->told[i] == 0) {
            continue;
        }
        const int64_t rate = within(within(velocity[i], PACKED_TOLD_MOST) * m->told[i], PARTS_MOST);
        const packed_filter *filter = &a->filters[FILTER_TOLD];
        const int32_t told = (int32_t)within(filter->at[i] + rate * m->ticks, PARTS_MOST);
        f->candidate[FILTER_TOLD][i] = told;
        f->parts[i] = filter->error[i] < lesser[i] ? told : f->parts[i];
        (*least)[i] = told < (*least)[i] ? told : (*least)[i];
        (*most)[i] = told > (*most)[i] ? told : (*most)[i];
    }
}
