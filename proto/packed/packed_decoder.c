// The reading side of a packed stream. Bytes need not be trusted: every count is checked against
// the existing tracks or limited by the remaining bytes, and after every failure the decoder
// accepts a full snapshot. Running out of memory is an error, since this runs in other people's
// programs.
#include "proto/packed/packed.h"

#include <stdlib.h>
#include <string.h>

#include "proto/packed/packed_full.h"
#include "proto/packed/packed_stream.h"

// A list whose functions return false when it cannot grow.
typedef struct id_list {
    uint64_t *data;
    uint32_t count, capacity;
} id_list;

struct packed_decoder {
    packed_stream stream;
    bool begun; // a full snapshot was read, and none has failed since
    uint32_t bodies_most;
    packed_body *bodies;
    uint32_t body_count, body_capacity;
    id_list entered, removed, left;
    bool *skipped; // true for each track whose values came with its entry in this snapshot
    uint32_t skipped_capacity;
};

static bool push_id(id_list *list, uint64_t id)
{
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity < 16 ? 16 : 2 * list->capacity;
        uint64_t *grown = realloc(list->data, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->data = grown;
        list->capacity = capacity;
    }
    list->data[list->count++] = id;
    return true;
}

// Lists double as they grow; the pool of axes grows by PACKED_SLAB_BYTES_MAX at most.
_Static_assert(2 * (sizeof(packed_track) + sizeof(packed_body) + sizeof(uint64_t) + sizeof(bool)) +
                       2 * sizeof(packed_axes) <=
                   PACKED_DECODER_BODY_BYTES,
               "a body takes no more than the header says");

packed_decoder *packed_decoder_create(void)
{
    packed_decoder *d = calloc(1, sizeof *d);
    if (d != NULL) {
        d->bodies_most = PACKED_BODIES_MAX;
    }
    return d;
}

void packed_decoder_bound(packed_decoder *d, uint64_t bodies_most)
{
    d->bodies_most = bodies_most < PACKED_BODIES_MAX ? (uint32_t)bodies_most : PACKED_BODIES_MAX;
}

uint64_t packed_decoder_bytes(const packed_decoder *d)
{
    const uint64_t ids = (uint64_t)d->entered.capacity + d->removed.capacity + d->left.capacity;
    return sizeof *d + d->stream.pool.bytes + ids * sizeof(uint64_t) +
           (uint64_t)d->stream.capacity * sizeof(packed_track) +
           (uint64_t)d->body_capacity * sizeof(packed_body) + d->skipped_capacity * sizeof(bool);
}

void packed_decoder_destroy(packed_decoder *d)
{
    if (d != NULL) {
        packed_stream_deinit(&d->stream);
        free(d->bodies);
        free(d->entered.data);
        free(d->removed.data);
        free(d->left.data);
        free(d->skipped);
        free(d);
    }
}

static status fail_memory(error *err)
{
    return error_set(err, STATUS_INTERNAL, "packed: no memory for the bodies in view");
}

static status fail_bytes(error *err, const char *what)
{
    return error_set(err, STATUS_INVALID_ARGUMENT, "packed: %s: the bytes were cut off or altered",
                     what);
}

static status fail_bound(const packed_decoder *d, error *err)
{
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "packed: more than %u bodies in view, the most that there is memory for",
                     d->bodies_most);
}

// ---- results

// The body's velocity: as sent, else the rate of the filter with the smallest recent error.
static double velocity_of(const packed_stream *s, const packed_track *t, int axis, double steps)
{
    if (s->axes > PACKED_AXES_POSE) {
        return (double)t->q[axis + PACKED_AXES_POSE] / s->precision.velocity_steps;
    }
    if (t->axes == NULL) {
        return 0.0;
    }
    const packed_filter *slow = &t->axes->filters[FILTER_SLOW];
    const packed_filter *fast = &t->axes->filters[FILTER_FAST];
    const packed_filter *best = fast->error[axis] < slow->error[axis] ? fast : slow;
    return (double)best->rate[axis] / PARTS * s->hz / steps;
}

static packed_body body_of(const packed_stream *s, const packed_track *t)
{
    const double turn = 2.0 * 3.14159265358979323846;
    const double angle_steps = (double)s->precision.angle_steps / turn; // steps in a radian
    return (packed_body){
        .id = t->id,
        .x = (double)t->q[0] / s->precision.position_steps,
        .y = (double)t->q[1] / s->precision.position_steps,
        .angle = (double)t->q[2] / angle_steps,
        .vx = velocity_of(s, t, 0, s->precision.position_steps),
        .vy = velocity_of(s, t, 1, s->precision.position_steps),
        .spin = velocity_of(s, t, 2, angle_steps),
    };
}

static bool push_body(packed_decoder *d, const packed_track *t)
{
    if (d->body_count == d->body_capacity) {
        const uint32_t capacity = d->body_capacity < 64 ? 64 : 2 * d->body_capacity;
        packed_body *grown = realloc(d->bodies, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        d->bodies = grown;
        d->body_capacity = capacity;
    }
    d->bodies[d->body_count++] = body_of(&d->stream, t);
    return true;
}

// ---- the parts of a snapshot

// Removes tracks whose id was cleared.
static void drop_gone(packed_stream *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->tracks[i].id != 0) {
            s->tracks[kept++] = s->tracks[i];
        }
    }
    s->count = kept;
}

static status read_gone(packed_decoder *d, range_coder *c, error *err)
{
    packed_stream *s = &d->stream;
    packed_models *m = &s->models;
    if (!range_code_bit(c, &m->any_gone, false)) {
        return STATUS_OK;
    }
    const uint64_t count = code_number(c, &m->gone_count, 0) + 1;
    if (count > s->count) {
        return fail_bytes(err, "more bodies are gone than there were");
    }
    uint32_t from = 0; // the first track that may have been removed
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t gap = code_number(c, &m->gone_gap, 0);
        if (gap >= s->count - from) {
            return fail_bytes(err, "a body is gone that was not there");
        }
        const uint32_t gone = from + (uint32_t)gap;
        const bool removed = range_code_bit(c, &m->gone_is_removal, false);
        if (!push_id(removed ? &d->removed : &d->left, s->tracks[gone].id)) {
            return fail_memory(err);
        }
        packed_track_drop(s, &s->tracks[gone]);
        s->tracks[gone].id = 0;
        from = gone + 1;
    }
    drop_gone(s);
    return STATUS_OK;
}

static status read_new_track(packed_decoder *d, range_coder *c, packed_track *out, uint64_t floor,
                             const int64_t *before, error *err)
{
    packed_stream *s = &d->stream;
    const uint64_t slot = floor + code_number(c, &s->models.slot_gap, 0);
    const uint64_t generation = code_number(c, &s->models.generation, 0);
    const uint64_t even = range_code_raw(c, 0, 1);
    *out = (packed_track){.id = generation << 24 | slot};
    for (int i = 0; i < s->axes; i++) {
        out->q[i] = before[i] + code_signed(c, &s->models.place[i], 0);
    }
    if (!packed_is_id(slot, generation) || out->id == 0 || even != 0 || range_coder_overrun(c)) {
        return fail_bytes(err, "a new body's id");
    }
    if (!packed_track_is_sane(out, s->axes)) {
        return fail_bytes(err, "a new body's place");
    }
    return packed_track_wake(s, out) ? STATUS_OK : fail_memory(err);
}

static int compare_tracks(const void *a, const void *b)
{
    const uint32_t x = packed_slot(((const packed_track *)a)->id);
    const uint32_t y = packed_slot(((const packed_track *)b)->id);
    return (x > y) - (x < y);
}

// Merges the new tracks, which are after the others; both parts are in order of slots.
static status order_tracks(packed_decoder *d, uint32_t old, error *err)
{
    packed_stream *s = &d->stream;
    if (old > 0 && packed_slot(s->tracks[old - 1].id) >= packed_slot(s->tracks[old].id)) {
        qsort(s->tracks, s->count, sizeof *s->tracks, compare_tracks);
    }
    for (uint32_t i = 1; i < s->count; i++) {
        if (packed_slot(s->tracks[i - 1].id) == packed_slot(s->tracks[i].id)) {
            return fail_bytes(err, "a new body has the place of another");
        }
    }
    return STATUS_OK;
}

static status read_entered(packed_decoder *d, range_coder *c, error *err)
{
    packed_stream *s = &d->stream;
    packed_models *m = &s->models;
    if (!range_code_bit(c, &m->any_entered, false)) {
        return STATUS_OK;
    }
    const uint64_t count = code_number(c, &m->entered_count, 0) + 1;
    if (s->count > d->bodies_most || count > d->bodies_most - s->count) {
        return fail_bound(d, err);
    }
    const uint32_t old = s->count;
    int64_t before[PACKED_AXES_MAX] = {0};
    uint64_t floor = 0;
    for (uint64_t i = 0; i < count; i++) {
        packed_track track;
        status st = read_new_track(d, c, &track, floor, before, err);
        if (st != STATUS_OK) {
            return st;
        }
        if (!packed_stream_resize(s, s->count + 1)) {
            packed_track_drop(s, &track);
            return fail_memory(err);
        }
        s->tracks[s->count - 1] = track;
        memcpy(before, track.q, sizeof before);
        floor = packed_slot(track.id) + 1u;
        if (!push_id(&d->entered, track.id) || !push_body(d, &track)) {
            return fail_memory(err);
        }
    }
    return order_tracks(d, old, err);
}

static status read_woken(packed_decoder *d, range_coder *c, error *err)
{
    packed_stream *s = &d->stream;
    packed_models *m = &s->models;
    if (!range_code_bit(c, &m->any_woken, false)) {
        return STATUS_OK;
    }
    const uint64_t count = code_number(c, &m->woken_count, 0) + 1;
    uint32_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t gap = code_number(c, &m->woken_gap, 0);
        while (at < s->count && (s->tracks[at].axes != NULL || gap > 0)) {
            gap -= s->tracks[at].axes == NULL;
            at++;
        }
        if (at == s->count) {
            return fail_bytes(err, "a body moves again that was not at rest");
        }
        if (!packed_track_wake(s, &s->tracks[at])) {
            return fail_memory(err);
        }
        at++;
    }
    return STATUS_OK;
}

// Marks the tracks that entered in this snapshot: both lists are by ascending slot.
static status mark_skipped(packed_decoder *d, error *err)
{
    const packed_stream *s = &d->stream;
    if (s->count > d->skipped_capacity) {
        bool *grown = realloc(d->skipped, s->capacity * sizeof *grown);
        if (grown == NULL) {
            return fail_memory(err);
        }
        d->skipped = grown;
        d->skipped_capacity = s->capacity;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        d->skipped[i] = next < d->entered.count && d->entered.data[next] == s->tracks[i].id;
        next += d->skipped[i];
    }
    return STATUS_OK;
}

// Reads the moving tracks. With `part`, some may be left out.
static status read_moving(packed_decoder *d, range_coder *c, bool part, error *err)
{
    packed_stream *s = &d->stream;
    const int32_t ticks = s->motion.ticks;
    held_models held;
    uint32_t history = 0;
    held_models_init(&held);
    for (uint32_t i = 0; i < s->count; i++) {
        packed_track *t = &s->tracks[i];
        if (t->axes == NULL || d->skipped[i]) {
            continue;
        }
        if (part && code_held(c, &held, t, false)) {
            packed_track_pass_over(s, t);
            continue;
        }
        s->motion.ticks = packed_track_ticks(s, t);
        t->late = 0;
        read_track(c, s, t, &history);
        s->motion.ticks = ticks;
        packed_track_settle(s, t);
        if (range_coder_overrun(c) || !packed_track_is_sane(t, s->axes)) {
            return fail_bytes(err, "a moving body");
        }
        if (!push_body(d, t)) {
            return fail_memory(err);
        }
    }
    return STATUS_OK;
}

static status read_change(packed_decoder *d, range_coder *c, bool part, error *err)
{
    packed_stream *s = &d->stream;
    packed_stream_advance(s, code_number(c, &s->models.ticks, 0));
    if (s->tick >= PACKED_TICK_MOST) {
        return fail_bytes(err, "the tick");
    }
    status st = read_gone(d, c, err);
    if (st == STATUS_OK) {
        st = read_entered(d, c, err);
    }
    if (st == STATUS_OK) {
        st = read_woken(d, c, err);
    }
    if (st == STATUS_OK) {
        st = mark_skipped(d, err);
    }
    return st == STATUS_OK ? read_moving(d, c, part, err) : st;
}

static status read_full(packed_decoder *d, range_coder *c, bool part, error *err)
{
    packed_stream_deinit(&d->stream);
    packed_models_init(&d->stream.models);
    d->stream.read_most = d->bodies_most;
    if (!code_full(c, &d->stream, part, err)) {
        return err->status;
    }
    for (uint32_t i = 0; i < d->stream.count; i++) {
        if (!push_body(d, &d->stream.tracks[i])) {
            return fail_memory(err);
        }
    }
    return STATUS_OK;
}

status packed_decode(packed_decoder *d, const uint8_t *bytes, size_t size, packed_changes *out,
                     error *err)
{
    d->body_count = d->entered.count = d->removed.count = d->left.count = 0;
    if (size < PACKED_HEAD_BYTES || bytes[0] >> 4 != PACKED_VERSION ||
        (bytes[0] & 0xf & ~(PACKED_FLAG_FULL | PACKED_FLAG_PART)) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "packed: the first byte is not one of version %d", PACKED_VERSION);
    }
    const bool full = (bytes[0] & PACKED_FLAG_FULL) != 0;
    if (!full && !d->begun) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "packed: a change without the state that it changes; subscribe again");
    }
    range_coder c;
    range_coder_read(&c, bytes + PACKED_HEAD_BYTES, size - PACKED_HEAD_BYTES);
    d->begun = false;
    const bool part = (bytes[0] & PACKED_FLAG_PART) != 0;
    status s = full ? read_full(d, &c, part, err) : read_change(d, &c, part, err);
    if (s == STATUS_OK && (range_coder_overrun(&c) || !range_coder_at_end(&c))) {
        s = fail_bytes(err, "the end");
    }
    if (s != STATUS_OK) {
        return s;
    }
    d->begun = true;
    *out = (packed_changes){
        .full = full,
        .tick = d->stream.tick,
        .hz = d->stream.hz,
        .bodies = d->bodies,
        .body_count = d->body_count,
        .entered = d->entered.data,
        .entered_count = d->entered.count,
        .removed = d->removed.data,
        .removed_count = d->removed.count,
        .left = d->left.data,
        .left_count = d->left.count,
    };
    return STATUS_OK;
}
