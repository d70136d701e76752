// The coding of values that both sides of a packed stream share, and the life of its tracks; see
// packed_stream.h. One thread at a time.
#include "proto/packed/packed_stream.h"

#include <stdlib.h>
#include <string.h>

#include "proto/packed/packed_number.h"

packed_precision packed_precision_default(void)
{
    return (packed_precision){.position_steps = PACKED_STEPS_DEFAULT,
                              .angle_steps = PACKED_ANGLE_STEPS_DEFAULT};
}

void packed_models_init(packed_models *m)
{
    bit_model *models = (bit_model *)m;
    for (size_t i = 0; i < PACKED_MODEL_COUNT; i++) {
        models[i] = (bit_model){BIT_MODEL_EVEN, BIT_MODEL_EVEN};
    }
}

// ---- numbers

uint64_t code_number(range_coder *c, number_model *m, uint64_t value)
{
    const bool writes = c->out != NULL;
    const int exponent = packed_bit_length(value + 1) - 1;
    const int e = code_exponent(&c->state, c, m->exponent, NUMBER_EXPONENTS, NUMBER_EXPONENTS - 1,
                                exponent, writes);
    return code_mantissa(&c->state, c, m->mantissa, value + 1, e, writes) - 1;
}

int64_t code_signed(range_coder *c, number_model *m, int64_t value)
{
    const uint64_t folded = value < 0 ? ((uint64_t)(-value) << 1) - 1 : (uint64_t)value << 1;
    const uint64_t got = code_number(c, m, folded);
    return (got & 1) != 0 ? -(int64_t)((got + 1) >> 1) : (int64_t)(got >> 1);
}

// ---- tracks

static int groups_of(const packed_stream *s)
{
    return s->axes / PACKED_AXES_POSE;
}

bool packed_track_wake(packed_stream *s, packed_track *track)
{
    track->axes = packed_pool_take(&s->pool, groups_of(s));
    return track->axes != NULL;
}

void packed_track_drop(packed_stream *s, packed_track *track)
{
    packed_pool_put(&s->pool, track->axes);
    track->axes = NULL;
}

void packed_stream_fit(packed_stream *s)
{
    enum { SPARSE = 4, WORTH_BYTES = 1 << 16 };
    packed_pool fitted = {0};
    if (s->pool.bytes < WORTH_BYTES || s->pool.used > s->pool.room / SPARSE ||
        !packed_pool_reserve(&fitted, groups_of(s), s->pool.used)) {
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        packed_axes *axes = s->tracks[i].axes;
        if (axes != NULL) {
            s->tracks[i].axes = packed_pool_take(&fitted, groups_of(s));
            memcpy(s->tracks[i].axes, axes, (size_t)groups_of(s) * sizeof *axes);
        }
    }
    packed_pool_deinit(&s->pool);
    s->pool = fitted;
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
    packed_pool_deinit(&s->pool);
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

// The parts that one step of velocity adds to a position in a tick.
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
