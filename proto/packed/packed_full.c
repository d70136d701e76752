// The full snapshot: precision and scene, every track with its filters, every trained model. Its
// own numbers are coded with fresh models, so that writing one does not change the stream.
#include "proto/packed/packed_full.h"

#include <string.h>

typedef struct full_models {
    number_model count, slot_gap, generation, place[PACKED_AXES_MAX], rate, error, wild;
    bit_model resting, learned[2];
    number_model late;
} full_models;

static void full_models_init(full_models *m)
{
    bit_model *all = (bit_model *)m;
    for (size_t i = 0; i < sizeof *m / sizeof *all; i++) {
        all[i] = (bit_model){BIT_MODEL_EVEN, BIT_MODEL_EVEN};
    }
}

static double code_double(range_coder *c, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = range_code_raw(c, bits, 64);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool between(double value, double least, double most)
{
    return value >= least && value <= most; // false for NaN
}

static bool is_precision(const packed_precision *p)
{
    return between(p->position_steps, PACKED_STEPS_MIN, PACKED_STEPS_MAX) &&
           p->angle_steps >= PACKED_ANGLE_STEPS_MIN && p->angle_steps <= PACKED_ANGLE_STEPS_MAX &&
           (p->velocity_steps == 0.0 ||
            between(p->velocity_steps, PACKED_STEPS_MIN, PACKED_STEPS_MAX));
}

// Codes tick, rate and precision, and the effect of velocities on poses, which is computed once, by
// the writer, so that no reader's rounding matters.
static bool code_head(range_coder *c, packed_stream *s)
{
    packed_precision *p = &s->precision;
    s->tick = range_code_raw(c, s->tick, 64);
    s->hz = code_double(c, s->hz);
    p->position_steps = code_double(c, p->position_steps);
    p->angle_steps = (uint32_t)range_code_raw(c, p->angle_steps, 32);
    p->velocity_steps = code_double(c, p->velocity_steps);
    s->axes = p->velocity_steps > 0.0 ? PACKED_AXES_MAX : PACKED_AXES_POSE;
    bool sane = between(s->hz, 1e-3, 1e6) && is_precision(p) && s->tick < PACKED_TICK_MOST;
    for (int i = 0; i < PACKED_AXES_POSE; i++) {
        const uint32_t told = (uint32_t)range_code_raw(c, (uint32_t)s->motion.told[i], 32);
        sane = sane && told <= PACKED_TOLD_MOST && (told == 0 || p->velocity_steps > 0.0);
        s->motion.told[i] = sane ? (int32_t)told : 0;
    }
    s->motion.ticks = 1;
    return sane;
}

// Codes a number from `least` to `most`; a read number outside is clamped, and sets `sane` to
// false.
static int32_t code_small(range_coder *c, number_model *m, int32_t value, int64_t least,
                          int64_t most, bool *sane)
{
    const int64_t got = code_signed(c, m, value);
    *sane = *sane && got >= least && got <= most;
    return (int32_t)(got < least ? least : got > most ? most : got);
}

// False if the values read are impossible for an encoder.
static bool code_axis(range_coder *c, full_models *m, packed_axes *a, int axis, int filters)
{
    bool sane = true;
    for (int i = 0; i < filters; i++) {
        packed_filter *f = &a->filters[i];
        f->at[axis] = (int16_t)(uint16_t)range_code_raw(c, (uint16_t)f->at[axis], 16);
        f->rate[axis] = code_small(c, &m->rate, f->rate[axis], -PARTS_MOST, PARTS_MOST, &sane);
        f->error[axis] = code_small(c, &m->error, f->error[axis], 0, PACKED_ERROR_MOST, &sane);
    }
    a->wild[axis] = code_small(c, &m->wild, a->wild[axis], 0, PACKED_WILD_MOST, &sane);
    a->wilder[axis] = code_small(c, &m->wild, a->wilder[axis], 0, PACKED_WILD_MOST, &sane);
    a->still[axis] = (int32_t)range_code_raw(c, (uint64_t)a->still[axis], 5);
    a->last[axis] = (int32_t)range_code_raw(c, (uint64_t)(a->last[axis] + 1), 2) - 1;
    return sane && a->last[axis] <= 1;
}

static bool code_axes(range_coder *c, const packed_stream *s, full_models *m, packed_track *t)
{
    bool sane = true;
    for (int i = 0; i < s->axes && sane; i++) {
        const bool told = s->axes > PACKED_AXES_POSE && i < PACKED_AXES_POSE;
        sane = code_axis(c, m, &t->axes[i / PACKED_AXES_POSE], i % PACKED_AXES_POSE,
                         told ? PACKED_FILTERS : PACKED_FILTERS - 1);
    }
    return sane;
}

static bool code_one_track(range_coder *c, packed_stream *s, full_models *m, uint32_t index,
                           bool part)
{
    const bool reads = c->out == NULL;
    packed_track *t = &s->tracks[index];
    const packed_track *before = index > 0 ? &s->tracks[index - 1] : NULL;
    const uint64_t floor = before != NULL ? packed_slot(before->id) + 1u : 0;
    const uint64_t slot = floor + code_number(c, &m->slot_gap, packed_slot(t->id) - floor);
    const uint64_t generation = code_number(c, &m->generation, t->id >> 24);
    const uint64_t even = range_code_raw(c, 0, 1);
    t->id = generation << 24 | slot;
    for (int i = 0; i < s->axes; i++) {
        const int64_t from = before != NULL ? before->q[i] : 0;
        t->q[i] = from + code_signed(c, &m->place[i], t->q[i] - from);
    }
    const bool resting = range_code_bit(c, &m->resting, t->axes == NULL);
    if (!packed_is_id(slot, generation) || t->id == 0 || even != 0 || range_coder_overrun(c) ||
        !packed_track_is_sane(t, s->axes)) {
        return false;
    }
    if (!resting && reads && !packed_track_wake(s, t)) {
        return false;
    }
    if (!resting && part) {
        const uint64_t late = code_number(c, &m->late, (uint64_t)t->late);
        if (late > PACKED_TICKS_MAX) {
            return false;
        }
        t->late = (int32_t)late;
    }
    return (resting || code_axes(c, s, m, t)) && !range_coder_overrun(c);
}

static bool code_tracks(range_coder *c, packed_stream *s, full_models *m, bool part)
{
    const bool reads = c->out == NULL;
    const uint64_t count = code_number(c, &m->count, s->count);
    s->crowded = reads && count > s->read_most;
    if (s->crowded || count > PACKED_BODIES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (reads) { // one by one, so that memory grows only with the tracks that were sent
            if (!packed_stream_resize(s, i + 1)) {
                return false;
            }
            s->tracks[i] = (packed_track){0};
        }
        if (!code_one_track(c, s, m, i, part)) {
            return false;
        }
    }
    return true;
}

static void code_models(range_coder *c, packed_stream *s, full_models *m)
{
    bit_model *models = (bit_model *)&s->models;
    bool before = false;
    for (size_t i = 0; i < PACKED_MODEL_COUNT; i++) {
        const bool learned =
            range_code_bit(c, &m->learned[before],
                           models[i].fast != BIT_MODEL_EVEN || models[i].slow != BIT_MODEL_EVEN);
        if (learned) {
            models[i].fast = (uint16_t)range_code_raw(c, models[i].fast, 16);
            models[i].slow = (uint16_t)range_code_raw(c, models[i].slow, 16);
        }
        before = learned;
    }
}

bool code_full(range_coder *c, packed_stream *s, bool part, error *err)
{
    full_models m;
    full_models_init(&m);
    if (!code_head(c, s)) {
        error_set(err, STATUS_INVALID_ARGUMENT,
                  "packed: precision or rate out of range: the bytes were altered");
        return false;
    }
    if (!code_tracks(c, s, &m, part)) {
        if (s->crowded) {
            error_set(err, STATUS_LIMIT_EXCEEDED,
                      "packed: more than %u bodies in view, the most that there is memory for",
                      s->read_most);
            return false;
        }
        error_set(err, STATUS_INVALID_ARGUMENT,
                  "packed: a full snapshot that was cut off or altered, at body %u", s->count);
        return false;
    }
    code_models(c, s, &m);
    if (range_code_raw(c, PACKED_FULL_MARK, PACKED_FULL_MARK_BITS) != PACKED_FULL_MARK) {
        error_set(err, STATUS_INVALID_ARGUMENT,
                  "packed: a full snapshot that was cut off or altered, at its end");
        return false;
    }
    return true;
}
