#include "proto/packed/packed_stream.h"

#include <math.h>
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
            return got << (i + 1) | range_code_raw(c, value & (((uint64_t)1 << (i + 1)) - 1), i + 1);
        }
    }
    return got;
}

static int code_exponent(range_coder *c, bit_model *models, int most, int exponent)
{
    int e = 0;
    while (e < most && range_code_bit(c, &models[e], e < exponent)) {
        e++;
    }
    return e;
}

uint64_t code_number(range_coder *c, number_model *m, uint64_t value)
{
    const int exponent = bit_length(value + 1) - 1;
    const int e = code_exponent(c, m->exponent, NUMBER_EXPONENTS - 1, exponent);
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

// How near the forecast is to a value that rounds otherwise, 5 the nearest; and on which side.
static int edge_class(int64_t parts, bool *above)
{
    const int32_t part = (int32_t)((parts + PARTS / 2) & (PARTS - 1)) - PARTS / 2;
    const int32_t left = PARTS / 2 - (part < 0 ? -part : part);
    *above = part > 0;
    return left < 2500 ? 5 : left < 6000 ? 4 : left < 11000 ? 3 : left < 17000 ? 2 : left < 25000 ? 1 : 0;
}

static int turn_of(int8_t last, bool above)
{
    return last == 0 ? 0 : (last > 0) == above ? 1 : 2;
}

// How far the value is from what was expected, which is not as expected if `certain`.
static int64_t code_residual(range_coder *c, packed_models *m, const packed_axis *a, int axis,
                             const packed_forecast *f, int others, bool certain, int64_t residual)
{
    bool above;
    const int edge = edge_class(f->parts, &above);
    const int size = size_class(a->wild);
    if (!certain &&
        !range_code_bit(c, &m->changed[axis][size][edge][others][f->spread], residual != 0)) {
        return 0;
    }
    const int coarse = size < 2 ? 0 : size < 5 ? 1 : size < 8 ? 2 : 3;
    bit_model *toward = &m->toward[axis][edge][coarse][turn_of(a->last, above)];
    const bool up = range_code_bit(c, toward, (residual > 0) == above) == above;
    const uint64_t distance = (uint64_t)(residual < 0 ? -residual : residual);
    const int exponent = bit_length(distance) - 1;
    const int e = code_exponent(c, m->magnitude[axis][size], NUMBER_EXPONENTS - 1, exponent);
    const int64_t got = (int64_t)code_mantissa(c, m->mantissa[axis], distance, e);
    return up ? got : -got;
}

static packed_forecast forecast(const packed_stream *s, const packed_track *t, int axis)
{
    const int64_t velocity =
        s->axes > PACKED_AXES_POSE && axis < PACKED_AXES_POSE ? t->q[axis + PACKED_AXES_POSE] : 0;
    return packed_axis_forecast(&t->axes[axis], axis, &s->motion, velocity);
}

// Context of the bit that says that all of `axes` from `first` on are as expected.
static bit_model *exact_model(packed_stream *s, const packed_track *t, const packed_forecast *f,
                              int first, uint32_t history)
{
    int32_t wild = 0;
    int spread = 0;
    int edge = 0;
    bool still = true;
    for (int i = first; i < first + PACKED_AXES_POSE; i++) {
        bool above;
        const packed_axis *a = &t->axes[i];
        const int e = edge_class(f[i].parts, &above);
        const int coarse = e >= 4 ? 3 : e == 3 ? 2 : e == 2 ? 1 : 0;
        wild += a->wild;
        spread = f[i].spread > spread ? f[i].spread : spread;
        edge = coarse > edge ? coarse : edge;
        still = still && a->rate[FILTER_SLOW] == 0 && f[i].steps == 0 && a->wild == 0;
    }
    return &s->models.exact[still][size_class(wild)][edge][spread][history & 3];
}

static void code_axes(range_coder *c, packed_stream *s, packed_track *t, const int64_t *q, int first,
                      uint32_t *history)
{
    packed_forecast f[PACKED_AXES_MAX];
    int64_t residual[PACKED_AXES_MAX];
    bool any = false;
    for (int i = first; i < first + PACKED_AXES_POSE; i++) {
        f[i] = forecast(s, t, i);
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
            r = code_residual(c, &s->models, &t->axes[i], i, &f[i], i == first ? 0 : 1 + (others > 0),
                              last && others == 0, residual[i]);
            others += r != 0;
        }
        t->q[i] += packed_axis_update(&t->axes[i], i, &f[i], &s->motion, r);
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

// ---- the scene

static int32_t parts_of(double steps)
{
    const double parts = round(steps * PARTS);
    return (int32_t)(parts > PARTS_MOST ? PARTS_MOST : parts < -PARTS_MOST ? -PARTS_MOST : parts);
}

void packed_stream_set_scene(packed_stream *s, const packed_scene *scene)
{
    const packed_precision *p = &s->precision;
    s->hz = scene->hz;
    for (int i = 0; i < 2; i++) {
        s->motion.gravity[i] = parts_of(scene->gravity[i] * p->position_steps / (scene->hz * scene->hz));
    }
    if (p->velocity_steps > 0.0) {
        const double tick = 1.0 / (p->velocity_steps * scene->hz);
        s->motion.told[0] = s->motion.told[1] = parts_of(p->position_steps * tick);
        s->motion.told[2] = parts_of(p->angle_steps / (2.0 * 3.14159265358979323846) * tick);
    }
}
