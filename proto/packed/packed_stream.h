// Shared by the encoder and decoder of a packed stream: tracks, models, and the coding of each
// value. Internal to proto/packed.
//
// A function whose name begins with code_ works in both directions: depending on the coder it
// writes the given value or reads one, and returns the value either way.
#ifndef CAROM_PROTO_PACKED_PACKED_STREAM_H
#define CAROM_PROTO_PACKED_PACKED_STREAM_H

#include "proto/packed/packed.h"
#include "proto/packed/packed_pool.h"
#include "proto/packed/packed_track.h"
#include "proto/packed/range_coder.h"

enum {
    NUMBER_EXPONENTS = 41, // bits of value + 1: values are below 2^40, which is the diagonal of the
                           // largest world in the finest steps
    MAGNITUDE_MODELS = 16, // models for the exponents of residuals: larger exponents share the last
    MAGNITUDE_EXPONENTS = 40, // residuals are below 2^40
    SIZE_CLASSES = 12,        // classes of the unexpected part's size
    PLACES = 5 * 5,           // combinations of the places of the two filters
    SPREADS = 4,
    AMBIGUITIES = 5
};

// Largest rounded value; a reader refuses larger ones.
#define PACKED_VALUE_MOST ((int64_t)1 << 40)

// Ticks are below this limit.
#define PACKED_TICK_MOST ((uint64_t)1 << 53)

// Models of a whole number: the bit length of value + 1, then the two highest bits below its first
// one; the other bits are coded without models.
typedef struct number_model {
    bit_model exponent[NUMBER_EXPONENTS];
    bit_model mantissa[8][4];
} number_model;

// All probabilities of a stream. The struct contains only bit_model, so that a full snapshot can
// send them as one array.
typedef struct packed_models {
    bit_model exact_still[4];
    bit_model exact[SIZE_CLASSES][3][4][AMBIGUITIES][SPREADS][4];
    bit_model changed[PACKED_AXES_MAX][SIZE_CLASSES][PLACES][3];
    bit_model toward[PACKED_AXES_MAX][PLACES][4][3];
    bit_model magnitude[PACKED_AXES_MAX][3][SIZE_CLASSES][MAGNITUDE_MODELS];
    bit_model mantissa[PACKED_AXES_MAX][8][4];
    bit_model any_gone, gone_is_removal, any_entered, any_woken;
    number_model ticks, gone_count, gone_gap, entered_count, slot_gap, generation;
    number_model place[PACKED_AXES_MAX], woken_count, woken_gap;
} packed_models;

enum { PACKED_MODEL_COUNT = sizeof(packed_models) / sizeof(bit_model) };

typedef struct packed_stream {
    packed_precision precision;
    double hz;
    int axes; // 3 or 6
    uint64_t tick;
    packed_motion motion;
    packed_track *tracks; // in ascending order of slots
    uint32_t count, capacity;
    uint32_t read_most; // for readers: most tracks of a full snapshot
    bool crowded;       // the full snapshot has more
    packed_pool pool;   // memory of their axes
    packed_models models;
} packed_stream;

static inline uint32_t packed_slot(uint64_t id)
{
    return (uint32_t)(id & 0xffffff);
}

void packed_models_init(packed_models *m);

uint64_t code_number(range_coder *c, number_model *m, uint64_t value); // below 2^41 - 1
int64_t code_signed(range_coder *c, number_model *m, int64_t value);   // within 2^40

// Codes one moving track: writes the rounded values `q`, or reads them. `history` has the outcomes
// of the tracks before it, newest in the lowest bit.
void write_track(range_coder *c, packed_stream *s, packed_track *track, const int64_t *q,
                 uint32_t *history);
void read_track(range_coder *c, packed_stream *s, packed_track *track, uint32_t *history);

// Sets the track, which has just been coded, to rest if it has stopped moving; returns whether it
// did.
bool packed_track_settle(packed_stream *s, packed_track *track);

// Makes a resting track of this stream a moving one. False: no memory.
bool packed_track_wake(packed_stream *s, packed_track *track);

// Releases the track's memory in the stream, before the track is dropped.
void packed_track_drop(packed_stream *s, packed_track *track);

// Frees the unused memory of axes, when most bodies have come to rest.
void packed_stream_fit(packed_stream *s);

// Sets the count; tracks above the one before are not initialised. False: no memory, nothing
// changed.
bool packed_stream_resize(packed_stream *s, uint32_t count);
void packed_stream_deinit(packed_stream *s);

// Sets precision and rate, and the values computed from them.
void packed_stream_begin(packed_stream *s, const packed_precision *precision, double hz);

// Advances the stream: the next snapshot is `ticks` after the last one.
void packed_stream_advance(packed_stream *s, uint64_t ticks);

// Models of whether a track is left out, chosen by the outcomes of the tracks before it. Each
// change begins with new ones.
typedef struct held_models {
    bit_model held[2];
} held_models;

static inline void held_models_init(held_models *m)
{
    m->held[0] = m->held[1] = (bit_model){BIT_MODEL_EVEN, BIT_MODEL_EVEN};
}

static inline bool code_held(range_coder *c, held_models *m, const packed_track *t, bool held)
{
    return range_code_bit(c, &m->held[t->late > 0], held);
}

// Leaves a moving track out of this snapshot.
static inline void packed_track_pass_over(packed_stream *s, packed_track *t)
{
    const int32_t late = t->late + s->motion.ticks;
    t->late = late < PACKED_TICKS_MAX ? late : PACKED_TICKS_MAX;
}

// The ticks since the track was last coded: its coding uses these in place of s->motion.ticks.
static inline int32_t packed_track_ticks(const packed_stream *s, const packed_track *t)
{
    const int32_t ticks = t->late + s->motion.ticks;
    return ticks < PACKED_TICKS_MAX ? ticks : PACKED_TICKS_MAX;
}

// Whether slot and generation are in their ranges.
static inline bool packed_is_id(uint64_t slot, uint64_t generation)
{
    return slot <= 0xffffff && generation < (uint64_t)1 << 29;
}

// Whether all rounded values of the track are within PACKED_VALUE_MOST.
bool packed_track_is_sane(const packed_track *t, int axes);

#endif
