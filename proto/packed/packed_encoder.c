// The writing side of a packed stream. A snapshot's parts, in order: changes of the scene, removed
// tracks, new bodies, resting bodies that move again, then each moving body.
#include "proto/packed/packed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "proto/packed/packed_full.h"
#include "proto/packed/packed_stream.h"

#define NO_SOURCE UINT32_MAX

struct packed_encoder {
    packed_stream stream;
    bool begun;              // a first snapshot was encoded
    uint32_t moving;         // tracks not at rest after the last snapshot
    ARRAY(uint32_t) sources; // index of each track's body in the current snapshot
    ARRAY(uint32_t) entered; // bodies without a track
    ARRAY(uint64_t) removed; // in ascending order
    const bool *held;        // array of the caller, while it encodes; NULL: all are coded
};

static bool is_precision(const packed_precision *p)
{
    const bool velocities = p->velocity_steps == 0.0 || (p->velocity_steps >= PACKED_STEPS_MIN &&
                                                         p->velocity_steps <= PACKED_STEPS_MAX);
    return p->position_steps >= PACKED_STEPS_MIN && p->position_steps <= PACKED_STEPS_MAX &&
           p->angle_steps >= PACKED_ANGLE_STEPS_MIN && p->angle_steps <= PACKED_ANGLE_STEPS_MAX &&
           velocities;
}

packed_encoder *packed_encoder_create(const packed_precision *precision, double hz)
{
    ASSERT(is_precision(precision) && hz > 0.0);
    packed_encoder *e = calloc(1, sizeof *e);
    ASSERT_MEMORY(e != NULL);
    packed_stream_begin(&e->stream, precision, hz);
    return e;
}

void packed_encoder_restart(packed_encoder *e)
{
    const packed_precision precision = e->stream.precision;
    const double hz = e->stream.hz;
    packed_stream_deinit(&e->stream);
    packed_stream_begin(&e->stream, &precision, hz);
    e->begun = false;
    e->moving = 0;
}

void packed_encoder_destroy(packed_encoder *e)
{
    if (e != NULL) {
        packed_stream_deinit(&e->stream);
        array_free(&e->sources);
        array_free(&e->entered);
        array_free(&e->removed);
        free(e);
    }
}

size_t packed_encoder_bytes(const packed_encoder *e)
{
    return sizeof *e + e->stream.capacity * sizeof *e->stream.tracks + e->stream.pool.bytes;
}

static size_t most_of(int axes, uint32_t capacity, size_t pool_bytes, uint32_t count)
{
    const size_t pieces = (size_t)(axes / PACKED_AXES_POSE) * sizeof(packed_axes) * count;
    const size_t spare = pieces < PACKED_SLAB_BYTES_MAX ? pieces : PACKED_SLAB_BYTES_MAX;
    const size_t pool = PACKED_SLAB_BYTES_LEAST + pieces + spare;
    const size_t tracks = capacity < count ? 2 * (size_t)count : capacity;
    return sizeof(packed_encoder) + tracks * sizeof(packed_track) +
           (pool_bytes > pool ? pool_bytes : pool);
}

size_t packed_encoder_bytes_most(const packed_encoder *e, uint32_t count)
{
    const packed_stream *s = &e->stream;
    return most_of(s->axes, s->capacity, s->pool.bytes, count);
}

size_t packed_encoder_bytes_of(bool velocities, uint32_t count)
{
    return most_of(velocities ? PACKED_AXES_MAX : PACKED_AXES_POSE, 0, 0, count);
}

// ---- rounding

// The last safeguard: the engine bounds positions and speeds far below this; larger values are
// clamped rather than refused, since a stream has to continue. NaN becomes 0. Differences of two
// such values, and a filter's forecast beyond them, stay within the range of residuals.
static int64_t round_steps(double value)
{
    const double most = (double)PACKED_VALUE_MOST / 4;
    const double kept = value < -most ? -most : value > most ? most : value == value ? value : 0.0;
    return (int64_t)(kept + (kept < 0.0 ? -0.5 : 0.5));
}

// The values of a body in steps. An angle is taken on the turn nearest to `near`, so that it does
// not jump from half a turn to minus half.
static void round_body(const packed_stream *s, const packed_body *b, int64_t near, int64_t *q)
{
    const packed_precision *p = &s->precision;
    const int64_t turn = p->angle_steps;
    q[0] = round_steps(b->x * p->position_steps);
    q[1] = round_steps(b->y * p->position_steps);
    const int64_t angle = round_steps(b->angle * ((double)turn / (2.0 * 3.14159265358979323846)));
    int64_t beside = angle - near;
    if (beside < 0 || beside >= turn) {
        beside %= turn;
        beside += beside < 0 ? turn : 0;
    }
    q[2] = near + (beside >= (turn + 1) / 2 ? beside - turn : beside);
    if (s->axes > PACKED_AXES_POSE) {
        q[3] = round_steps(b->vx * p->velocity_steps);
        q[4] = round_steps(b->vy * p->velocity_steps);
        q[5] = round_steps(b->spin * p->velocity_steps);
    }
}

// ---- bodies that join and leave

static bool was_removed(const packed_encoder *e, uint64_t id)
{
    uint32_t low = 0;
    uint32_t high = e->removed.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (e->removed.data[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < e->removed.count && e->removed.data[low] == id;
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Finds each track's body, and the bodies without a track. Both are by ascending slot.
static void match(packed_encoder *e, const packed_body *bodies, uint32_t count)
{
    const packed_stream *s = &e->stream;
    array_clear(&e->entered);
    array_reserve(&e->sources, s->count);
    e->sources.count = s->count;
    uint32_t *sources = e->sources.data;
    uint32_t track = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = packed_slot(bodies[i].id);
        ASSERT(i == 0 || slot > packed_slot(bodies[i - 1].id));
        while (track < s->count && packed_slot(s->tracks[track].id) < slot) {
            sources[track++] = NO_SOURCE;
        }
        if (track < s->count && s->tracks[track].id == bodies[i].id) {
            sources[track++] = i;
        } else {
            array_push(&e->entered, i);
        }
    }
    while (track < s->count) {
        sources[track++] = NO_SOURCE;
    }
}

static void code_gone(packed_encoder *e, range_coder *c)
{
    packed_stream *s = &e->stream;
    packed_models *m = &s->models;
    uint32_t gone = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        gone += e->sources.data[i] == NO_SOURCE;
    }
    if (!range_code_bit(c, &m->any_gone, gone > 0)) {
        return;
    }
    code_number(c, &m->gone_count, gone - 1);
    uint32_t next = 0; // first track not passed yet
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (e->sources.data[i] == NO_SOURCE) {
            code_number(c, &m->gone_gap, i - next);
            range_code_bit(c, &m->gone_is_removal, was_removed(e, s->tracks[i].id));
            next = i + 1;
            packed_track_drop(s, &s->tracks[i]);
        } else {
            s->tracks[kept] = s->tracks[i];
            e->sources.data[kept++] = e->sources.data[i];
        }
    }
    s->count = e->sources.count = kept;
}

static packed_track track_of(packed_stream *s, const packed_body *body)
{
    packed_track t = {.id = body->id};
    round_body(s, body, 0, t.q);
    const bool woken = packed_track_wake(s, &t);
    ASSERT_MEMORY(woken);
    return t;
}

// Merges the tracks of new bodies into the others. They have no source any more in this
// snapshot: their values have been sent.
static void merge_entered(packed_encoder *e, const packed_body *bodies)
{
    packed_stream *s = &e->stream;
    const uint32_t total = s->count + e->entered.count;
    ASSERT(total <= PACKED_BODIES_MAX);
    const uint32_t old = s->count;
    const bool resized = packed_stream_resize(s, total);
    ASSERT_MEMORY(resized);
    array_reserve(&e->sources, total);
    e->sources.count = total;
    uint32_t from = old;
    uint32_t new = e->entered.count;
    for (uint32_t to = total; new > 0; to--) {
        const packed_body *body = &bodies[e->entered.data[new - 1]];
        if (from > 0 && packed_slot(s->tracks[from - 1].id) > packed_slot(body->id)) {
            s->tracks[to - 1] = s->tracks[from - 1];
            e->sources.data[to - 1] = e->sources.data[from - 1];
            from--;
        } else {
            s->tracks[to - 1] = track_of(s, body);
            e->sources.data[to - 1] = NO_SOURCE;
            new --;
        }
    }
}

static void code_entered(packed_encoder *e, range_coder *c, const packed_body *bodies)
{
    packed_stream *s = &e->stream;
    packed_models *m = &s->models;
    if (!range_code_bit(c, &m->any_entered, e->entered.count > 0)) {
        return;
    }
    code_number(c, &m->entered_count, e->entered.count - 1);
    int64_t before[PACKED_AXES_MAX] = {0};
    uint32_t floor = 0;
    for (uint32_t i = 0; i < e->entered.count; i++) {
        const packed_body *body = &bodies[e->entered.data[i]];
        int64_t q[PACKED_AXES_MAX];
        round_body(s, body, 0, q);
        code_number(c, &m->slot_gap, packed_slot(body->id) - floor);
        code_number(c, &m->generation, body->id >> 24);
        range_code_raw(c, 0, 1);
        floor = packed_slot(body->id) + 1;
        for (int k = 0; k < s->axes; k++) {
            code_signed(c, &m->place[k], q[k] - before[k]);
            before[k] = q[k];
        }
    }
    merge_entered(e, bodies);
}

// ---- bodies that move

// A sleeping body keeps its bits; only a body whose bits have changed is rounded for the
// comparison.
static bool has_moved(packed_encoder *e, uint32_t track, const packed_body *bodies)
{
    packed_track *t = &e->stream.tracks[track];
    const packed_body *b = &bodies[e->sources.data[track]];
    if (e->stream.axes == PACKED_AXES_POSE && b->x == t->rest[0] && b->y == t->rest[1] &&
        b->angle == t->rest[2]) {
        return false;
    }
    int64_t q[PACKED_AXES_MAX];
    round_body(&e->stream, b, t->q[2], q);
    if (memcmp(q, t->q, (size_t)e->stream.axes * sizeof *q) != 0) {
        return true;
    }
    t->rest[0] = b->x;
    t->rest[1] = b->y;
    t->rest[2] = b->angle;
    return false;
}

static bool is_held(const packed_encoder *e, uint32_t track)
{
    return e->held != NULL && e->held[e->sources.data[track]];
}

static void code_woken(packed_encoder *e, range_coder *c, const packed_body *bodies)
{
    packed_stream *s = &e->stream;
    packed_models *m = &s->models;
    array_clear(&e->entered); // now: how many resting tracks lie between those that move again
    uint32_t gap = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        packed_track *t = &s->tracks[i];
        if (t->axes != NULL) {
            continue;
        }
        if (!is_held(e, i) && has_moved(e, i, bodies)) {
            array_push(&e->entered, gap);
            gap = 0;
            const bool woken = packed_track_wake(s, t);
            ASSERT_MEMORY(woken);
        } else {
            gap++;
        }
    }
    if (!range_code_bit(c, &m->any_woken, e->entered.count > 0)) {
        return;
    }
    code_number(c, &m->woken_count, e->entered.count - 1);
    for (uint32_t i = 0; i < e->entered.count; i++) {
        code_number(c, &m->woken_gap, e->entered.data[i]);
    }
}

static void code_moving(packed_encoder *e, range_coder *c, const packed_body *bodies)
{
    packed_stream *s = &e->stream;
    const int32_t ticks = s->motion.ticks;
    held_models held;
    uint32_t history = 0;
    held_models_init(&held);
    e->moving = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        packed_track *t = &s->tracks[i];
        if (t->axes == NULL) {
            continue;
        }
        e->moving++;
        if (e->sources.data[i] == NO_SOURCE) {
            continue;
        }
        if (e->held != NULL && code_held(c, &held, t, is_held(e, i))) {
            packed_track_pass_over(s, t);
            continue;
        }
        int64_t q[PACKED_AXES_MAX];
        round_body(s, &bodies[e->sources.data[i]], t->q[2], q);
        s->motion.ticks = packed_track_ticks(s, t);
        t->late = 0;
        write_track(c, s, t, q, &history);
        s->motion.ticks = ticks;
        if (packed_track_settle(s, t)) {
            t->rest[0] = (double)NAN; // unknown: see has_moved()
            e->moving--;
        }
    }
}

bool packed_encoder_moves(const packed_encoder *e)
{
    return e->moving > 0;
}

bool packed_encoder_lacks(packed_encoder *e, const packed_body *bodies, uint32_t count)
{
    if (!e->begun || e->moving > 0 || count != e->stream.count) {
        return true;
    }
    match(e, bodies, count);
    for (uint32_t i = 0; i < count; i++) {
        if (e->sources.data[i] == NO_SOURCE || has_moved(e, i, bodies)) {
            return true;
        }
    }
    return false;
}

// ---- snapshots

static void put_head(buffer *out, uint8_t flags)
{
    const uint8_t head = (uint8_t)(PACKED_VERSION << 4 | flags);
    buffer_append(out, &head, PACKED_HEAD_BYTES);
}

void packed_encode(packed_encoder *e, uint64_t tick, const packed_body *bodies, uint32_t count,
                   const uint64_t *removed, uint32_t removed_count, buffer *out)
{
    packed_encode_part(e, tick, bodies, NULL, count, removed, removed_count, out);
}

// Held bodies make the change a partial one.
static const bool *any_held(const bool *held, uint32_t count)
{
    return held != NULL && memchr(held, true, count * sizeof *held) != NULL ? held : NULL;
}

void packed_encode_part(packed_encoder *e, uint64_t tick, const packed_body *bodies,
                        const bool *held, uint32_t count, const uint64_t *removed,
                        uint32_t removed_count, buffer *out)
{
    packed_stream *s = &e->stream;
    e->held = any_held(held, count);
    ASSERT(count <= PACKED_BODIES_MAX && (!e->begun || tick >= s->tick));
    array_clear(&e->removed);
    for (uint32_t i = 0; i < removed_count; i++) {
        array_push(&e->removed, removed[i]);
    }
    if (removed_count > 1) {
        qsort(e->removed.data, removed_count, sizeof *e->removed.data, compare_ids);
    }
    if (!e->begun) {
        s->tick = tick;
        e->begun = true;
    }
    put_head(out, e->held != NULL ? PACKED_FLAG_PART : 0);
    const size_t start = out->size;
    range_coder c;
    range_coder_write(&c, out);
    const uint64_t ticks = tick - s->tick;
    ASSERT(ticks < (uint64_t)PACKED_VALUE_MOST);
    code_number(&c, &s->models.ticks, ticks);
    packed_stream_advance(s, ticks);
    match(e, bodies, count);
    code_gone(e, &c);
    code_entered(e, &c, bodies);
    code_woken(e, &c, bodies);
    code_moving(e, &c, bodies);
    packed_stream_fit(s);
    range_coder_finish(&c, start);
}

static bool any_late(const packed_stream *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->tracks[i].late > 0) {
            return true;
        }
    }
    return false;
}

void packed_encode_full(packed_encoder *e, buffer *out)
{
    const bool part = any_late(&e->stream);
    put_head(out, part ? PACKED_FLAG_FULL | PACKED_FLAG_PART : PACKED_FLAG_FULL);
    const size_t start = out->size;
    range_coder c;
    range_coder_write(&c, out);
    const bool whole = code_full(&c, &e->stream, part, NULL);
    ASSERT(whole);
    range_coder_finish(&c, start);
}
