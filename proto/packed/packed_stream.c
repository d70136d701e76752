// The coding of values that both sides of a packed stream share, and the life of its tracks; see
// packed_stream.h. One thread at a time.
#include "proto/packed/packed_stream.h"

#include <stdlib.h>
#include <string.h>

packed_precision packed_precision_default(void)
{
    return (packed_precision){.position_steps = PACKED_STEPS_DEFAULT,
                              .angle_steps = PACKED_ANGLE_STEPS_DEFAULT};
}

static void init_models(bit_model *models, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        models[i] = (bit_model){BIT_MODEL_EVEN, BIT_MODEL_EVEN};
    }
}

void packed_models_init(packed_models *m)
{
    init_models((bit_model *)m, PACKED_MODEL_COUNT);
}

void number_model_init(number_model *m)
{
    init_models((bit_model *)m, sizeof *m / sizeof(bit_model));
}

// ---- numbers

static int bit_length(uint64_t value)
{
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

// The `count` bits of `value` below its highest one, which is known.
static uint64_t code_mantissa(range_coder *c, bit_model models[8][4], uint64_t value, int count)
{
    uint64_t got = 1;
    const int row = count < 8 ? count : 7;
    for (int i = count - 1; i >= 0; i--) {
        const bool bit = (value >> i & 1) != 0;
        if (i >= count - 2) { // the two highest: 1x and 1xx
            got = got << 1 | range_code_bit(c, &models[row][got & 3], bit);
        } else {
            return got << (i + 1) |
                   range_code_raw(c, value & (((uint64_t)1 << (i + 1)) - 1), i + 1);
        }
    }
    return got;
}

// A one for each power of two that is not the highest, then a zero unless it is the last that there
// is.
static int code_exponent(range_coder *c, bit_model *models, int count, int most, int exponent)
{
    int e = 0;
    while (e < most && range_code_bit(c, &models[e < count ? e : count - 1], e < exponent)) {
        e++;
    }
    return e;
}

uint64_t code_number(range_coder *c, number_model *m, uint64_t value)
{
    const int exponent = bit_length(value + 1) - 1;
    const int e = code_exponent(c, m->exponent, NUMBER_EXPONENTS, NUMBER_EXPONENTS - 1, exponent);
    return code_mantissa(c, m->mantissa, value + 1, e) - 1;
}

int64_t code_signed(range_coder *c, number_model *m, int64_t value)
{
    const uint64_t folded = value < 0 ? ((uint64_t)(-value) << 1) - 1 : (uint64_t)value << 1;
    const uint64_t got = code_number(c, m, folded);
    return (got & 1) != 0 ? -(int64_t)((got + 1) >> 1) : (int64_t)(got >> 1);
}

// ---- tracks

static int size_class(int32_t wild)
{
    const int bits = bit_length((uint64_t)wild >> 3);
    return bits < SIZE_CLASSES ? bits : SIZE_CLASSES - 1;
}

// How the residual before went, seen from the side on which the forecast is.
static int turn_of(int8_t last, bool above)
{
    return last == 0 ? 0 : (last > 0) == above ? 1 : 2;
}

// How far the value is from what was expected, which is not as expected if `certain`. `others` is 0
// for the first axis of three, then 1, or 2 if one before it was not as expected.
static int64_t code_residual(range_coder *c, packed_models *m, const packed_axis *a, int axis,
                             const packed_forecast *f, int others, bool certain, int64_t residual)
{
    const bool above = packed_forecast_edge(f).above;
    const int size = size_class(a->wild);
    const int places = f->slow_place * 5 + f->fast_place;
    if (!certain && !range_code_bit(c, &m->changed[axis][size][places][others], residual != 0)) {
        return 0;
    }
    const int coarse = size < 2 ? 0 : size < 5 ? 1 : size < 8 ? 2 : 3;
    const int seen = above ? places : PLACES - 1 - places; // mirrored: above is what is learned
    bit_model *toward = &m->toward[axis][seen][coarse][turn_of(a->last, above)];
    const bool up = range_code_bit(c, toward, (residual > 0) == above) == above;
    const uint64_t distance = (uint64_t)(residual < 0 ? -residual : residual);
    const int exponent = bit_length(distance) - 1;
    const int e = code_exponent(c, m->magnitude[axis][others][size], MAGNITUDE_MODELS,
                                MAGNITUDE_EXPONENTS - 1, exponent);
    const int64_t got = (int64_t)code_mantissa(c, m->mantissa[axis], distance, e);
    return up ? got : -got;
}

static void forecast(packed_forecast *f, const packed_stream *s, const packed_track *t, int axis)
{
    const int64_t velocity =
        s->axes > PACKED_AXES_POSE && axis < PACKED_AXES_POSE ? t->q[axis + PACKED_AXES_POSE] : 0;
    packed_axis_forecast(f, &t->axes[axis], axis, &s->motion, velocity);
}

// The model of the bit that says that one of the three axes from `first` on is not as expected.
static bit_model *exact_model(packed_stream *s, const packed_track *t, const packed_forecast *f,
                              int first, uint32_t history)
{
    int32_t wild = 0;
    int32_t wilder = 0;
    int spread = 0;
    int edge = 0;
    int ambiguity = 0;
    bool still = true;
    for (int i = first; i < first + PACKED_AXES_POSE; i++) {
        const packed_axis *a = &t->axes[i];
        const int nearness = packed_forecast_edge(&f[i]).nearness;
        const int coarse = nearness >= 4 ? 3 : nearness >= 1 ? nearness - 1 : 0;
        wild += a->wild;
        wilder += a->wilder;
        spread = f[i].spread > spread ? f[i].spread : spread;
        edge = coarse > edge ? coarse : edge;
        ambiguity += (f[i].slow_place != 2) + (f[i].fast_place != 2);
        still = still && a->rate[FILTER_SLOW] == 0 && f[i].steps == 0 && a->wild == 0;
    }
    if (still) {
        return &s->models.exact_still[history & 3];
    }
    const int size = size_class(wild);
    const int trend = size_class(wilder) > size ? 2 : size_class(wilder) == size;
    ambiguity = ambiguity < AMBIGUITIES ? ambiguity : AMBIGUITIES - 1;
    return &s->models.exact[size][trend][edge][ambiguity][spread][history & 3];
}

// An angle comes back to the turn round zero.
static int64_t wrap_angle(int64_t q, int64_t turn)
{
    if (q >= -(turn / 2) && q < turn - turn / 2) {
        return q; // as it nearly always is
    }
    int64_t r = (q + turn / 2) % turn;
    r += r < 0 ? turn : 0;
    return r - turn / 2;
}

static void code_axes(range_coder *c, packed_stream *s, packed_track *t, const int64_t *q,
                      int first, uint32_t *history)
{
    packed_forecast f[PACKED_AXES_MAX];
    int64_t residual[PACKED_AXES_MAX];
    bool any = false;
    for (int i = first; i < first + PACKED_AXES_POSE; i++) {
        forecast(&f[i], s, t, i);
        residual[i] = q[i] - t->q[i] - f[i].steps;
        any = any || residual[i] != 0;
    }
    any = range_code_bit(c, exact_model(s, t, f, first, *history), any);
    *history = *history << 1 | any;
    int others = 0;
    for (int i = first; i < first + PACKED_AXES_POSE; i++) {
        const bool last = i == first + PACKED_AXES_POSE - 1;
        int64_t r = 0;
        if (any) {
            r = code_residual(c, &s->models, &t->axes[i], i, &f[i],
                              i == first ? 0 : 1 + (others > 0), last && others == 0, residual[i]);
            others += r != 0;
        }
        t->q[i] += packed_axis_update(&t->axes[i], &f[i], &s->motion, r);
    }
    if (first == 0) {
        t->q[2] = wrap_angle(t->q[2], s->precision.angle_steps);
    }
}

void code_track(range_coder *c, packed_stream *s, packed_track *track, const int64_t *q,
                uint32_t *history)
{
    if (s->axes > PACKED_AXES_POSE) {
        code_axes(c, s, track, q, PACKED_AXES_POSE, history);
    }
    code_axes(c, s, track, q, 0, history);
}

bool packed_track_settle(packed_track *track, int axes)
{
    for (int i = 0; i < axes; i++) {
        if (!packed_axis_is_quiet(&track->axes[i])) {
            return false;
        }
    }
    free(track->axes);
    track->axes = NULL;
    return true;
}

bool packed_track_wake(packed_track *track, int axes)
{
    track->axes = calloc((size_t)axes, sizeof *track->axes);
    return track->axes != NULL;
}

bool packed_stream_resize(packed_stream *s, uint32_t count)
{
    if (count > s->capacity) {
        const uint32_t capacity = count > 2 * s->capacity ? count : 2 * s->capacity;
        packed_track *grown = realloc(s->tracks, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        s->tracks = grown;
        s->capacity = capacity;
    }
    s->count = count;
    return true;
}

void packed_stream_deinit(packed_stream *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        free(s->tracks[i].axes);
    }
    free(s->tracks);
    *s = (packed_stream){0};
}

bool packed_track_is_sane(const packed_track *t, int axes)
{
    bool sane = true;
    for (int i = 0; i < axes; i++) {
        sane = sane && t->q[i] <= PACKED_VALUE_MOST && t->q[i] >= -PACKED_VALUE_MOST;
    }
    return sane;
}

// ---- the scene

// What a step of velocity adds to a place in a tick, in parts.
static int32_t told_of(double steps)
{
    const double parts = steps * PARTS + 0.5;
    return (int32_t)(parts > PACKED_TOLD_MOST ? PACKED_TOLD_MOST : parts);
}

void packed_stream_begin(packed_stream *s, const packed_precision *p, double hz)
{
    s->precision = *p;
    s->hz = hz;
    s->axes = p->velocity_steps > 0.0 ? PACKED_AXES_MAX : PACKED_AXES_POSE;
    packed_models_init(&s->models);
    if (p->velocity_steps > 0.0) {
        const double tick = 1.0 / (p->velocity_steps * hz);
        const double turn = 2.0 * 3.14159265358979323846;
        s->motion.told[0] = s->motion.told[1] = told_of(p->position_steps * tick);
        s->motion.told[2] = told_of(p->angle_steps / turn * tick);
    }
}

void packed_stream_advance(packed_stream *s, uint64_t ticks)
{
    s->tick += ticks;
    s->motion.ticks = ticks < 1 ? 1 : ticks > PACKED_TICKS_MAX ? PACKED_TICKS_MAX : (int32_t)ticks;
}
