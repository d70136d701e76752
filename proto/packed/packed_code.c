// The coding of a moving body, most of a stream's time; see packed_stream.h. One source for both
// directions, compiled once for each.
#include <stdlib.h>

#include "proto/packed/packed_axes.h"
#include "proto/packed/packed_number.h"
#include "proto/packed/packed_stream.h"

static ALWAYS_INLINE int size_class(int32_t wild)
{
    const int bits = packed_bit_length((uint64_t)wild >> 3);
    return bits < SIZE_CLASSES ? bits : SIZE_CLASSES - 1;
}

// Direction of the last residual, relative to the side on which the forecast lies.
static ALWAYS_INLINE int turn_of(int32_t last, bool above)
{
    return last == 0 ? 0 : (last > 0) == above ? 1 : 2;
}

// Codes the distance of the value from the expected one; `certain`: it is not 0. `others` is 0 for
// the first axis of three, then 1, or 2 if an earlier axis was not as expected.
static ALWAYS_INLINE int64_t code_residual(range_state *s, range_coder *c, packed_models *m,
                                           const packed_axes *a, int first, int lane,
                                           const packed_forecast *f, int others, bool certain,
                                           int64_t residual, bool writes)
{
    const int axis = first + lane;
    const bool above = f->parts[lane] - f->steps[lane] * PARTS > 0;
    const int size = size_class(a->wild[lane]);
    const int places = f->slow_place[lane] * 5 + f->fast_place[lane];
    if (!certain &&
        !range_code_bit_as(s, c, &m->changed[axis][size][places][others], residual != 0, writes)) {
        return 0;
    }
    const int coarse = size < 2 ? 0 : size < 5 ? 1 : size < 8 ? 2 : 3;
    // mirrored, so that the models always learn "above"
    const int seen = above ? places : PLACES - 1 - places;
    bit_model *toward = &m->toward[axis][seen][coarse][turn_of(a->last[lane], above)];
    const bool up = range_code_bit_as(s, c, toward, (residual > 0) == above, writes) == above;
    const uint64_t distance = (uint64_t)(residual < 0 ? -residual : residual);
    const int exponent = packed_bit_length(distance) - 1;
    const int e = code_exponent(s, c, m->magnitude[axis][others][size], MAGNITUDE_MODELS,
                                MAGNITUDE_EXPONENTS - 1, exponent, writes);
    const int64_t got = (int64_t)code_mantissa(s, c, m->mantissa[axis], distance, e, writes);
    return up ? got : -got;
}

// The greatest of the three lanes.
static ALWAYS_INLINE int32_t greatest_lane(packed_lanes value)
{
    const int32_t two = value[0] > value[1] ? value[0] : value[1];
    return two > value[2] ? two : value[2];
}

// The model of the bit that says that one of the three axes is not as expected.
static ALWAYS_INLINE bit_model *exact_model(packed_models *m, const packed_axes *a,
                                            const packed_forecast *f, uint32_t history)
{
    const packed_lanes moves = a->filters[FILTER_SLOW].rate | f->steps | a->wild;
    if ((moves[0] | moves[1] | moves[2]) == 0) {
        return &m->exact_still[history & 3];
    }
    const packed_lanes part = f->parts - f->steps * PARTS; // within half a step
    const packed_lanes sign = part >> 31;
    const int32_t near = PARTS / 2 - greatest_lane((part ^ sign) - sign);
    const int edge = near < 6000 ? 3 : near < 11000 ? 2 : near < 17000;
    const int32_t apart = greatest_lane(f->spread);
    const int spread = apart < 1 ? 0 : apart < 2 ? 1 : apart < 6 ? 2 : 3;
    const packed_lanes beside = -((f->slow_place != 2) + (f->fast_place != 2));
    const int32_t count = beside[0] + beside[1] + beside[2];
    const int ambiguity = count < AMBIGUITIES ? count : AMBIGUITIES - 1;
    const int size = size_class(a->wild[0] + a->wild[1] + a->wild[2]);
    const int before = size_class(a->wilder[0] + a->wilder[1] + a->wilder[2]);
    const int trend = before > size ? 2 : before == size;
    return &m->exact[size][trend][edge][ambiguity][spread][history & 3];
}

// Brings an angle into the turn around zero.
static ALWAYS_INLINE int64_t wrap_angle(int64_t q, int64_t turn)
{
    if (q >= -(turn / 2) && q < turn - turn / 2) {
        return q; // nearly always the case
    }
    int64_t r = (q + turn / 2) % turn;
    r += r < 0 ? turn : 0;
    return r - turn / 2;
}

static ALWAYS_INLINE void code_axes(range_coder *c, packed_stream *s, packed_track *t,
                                    const int64_t *q, int first, uint32_t *history, bool writes)
{
    packed_axes *a = &t->axes[first / PACKED_AXES_POSE];
    const bool told = s->axes > PACKED_AXES_POSE && first == 0;
    range_state state = c->state;
    packed_forecast f;
    packed_axes_forecast(&f, a, &s->motion, told ? &t->q[PACKED_AXES_POSE] : NULL);
    int64_t residual[PACKED_AXES_POSE] = {0};
    int64_t change[PACKED_AXES_POSE];
    bool any = false;
    if (writes) {
        for (int i = 0; i < PACKED_AXES_POSE; i++) {
            residual[i] = q[first + i] - t->q[first + i] - f.steps[i];
            any = any || residual[i] != 0;
        }
    }
    any = range_code_bit_as(&state, c, exact_model(&s->models, a, &f, *history), any, writes);
    *history = *history << 1 | any;
    if (any) {
        int others = 0;
        for (int i = 0; i < PACKED_AXES_POSE; i++) {
            const bool last = i == PACKED_AXES_POSE - 1;
            residual[i] =
                code_residual(&state, c, &s->models, a, first, i, &f, i == 0 ? 0 : 1 + (others > 0),
                              last && others == 0, residual[i], writes);
            others += residual[i] != 0;
        }
    }
    c->state = state;
    packed_axes_update(a, &f, &s->motion, residual, change);
    for (int i = 0; i < PACKED_AXES_POSE; i++) {
        t->q[first + i] += change[i];
    }
    if (first == 0) {
        t->q[2] = wrap_angle(t->q[2], s->precision.angle_steps);
    }
}

static void write_axes(range_coder *c, packed_stream *s, packed_track *t, const int64_t *q,
                       int first, uint32_t *history)
{
    code_axes(c, s, t, q, first, history, true);
}

static void read_axes(range_coder *c, packed_stream *s, packed_track *t, int first,
                      uint32_t *history)
{
    code_axes(c, s, t, NULL, first, history, false);
}

void write_track(range_coder *c, packed_stream *s, packed_track *track, const int64_t *q,
                 uint32_t *history)
{
    if (s->axes > PACKED_AXES_POSE) {
        write_axes(c, s, track, q, PACKED_AXES_POSE, history);
    }
    write_axes(c, s, track, q, 0, history);
}

void read_track(range_coder *c, packed_stream *s, packed_track *track, uint32_t *history)
{
    if (s->axes > PACKED_AXES_POSE) {
        read_axes(c, s, track, PACKED_AXES_POSE, history);
    }
    read_axes(c, s, track, 0, history);
}

bool packed_track_settle(packed_stream *s, packed_track *track)
{
    for (int i = 0; i < s->axes / PACKED_AXES_POSE; i++) {
        if (!packed_axes_are_quiet(&track->axes[i])) {
            return false;
        }
    }
    packed_track_drop(s, track);
    return true;
}
