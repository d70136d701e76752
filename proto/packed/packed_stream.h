// What encoder and decoder of a packed stream share: tracks, models, and the coding of each value.
// Internal to proto/packed.
//
// A function whose name begins with code_ goes both ways: it writes the value that it is given, or
// reads one, by what the coder does, and returns the value either way.
#ifndef CAROM_PROTO_PACKED_PACKED_STREAM_H
#define CAROM_PROTO_PACKED_PACKED_STREAM_H

#include "proto/packed/packed.h"
#include "proto/packed/packed_track.h"
#include "proto/packed/range_coder.h"

enum {
    NUMBER_EXPONENTS = 48, // of value + 1: values are below 2^48
    SIZE_CLASSES = 12,     // of what was not expected
    EDGE_CLASSES = 6,      // of how near the forecast is to the next step
    SPREADS = 4
};

// A whole number: how many bits value + 1 has, then the bits below the first; the two highest of
// those by models.
typedef struct number_model {
    bit_model exponent[NUMBER_EXPONENTS];
    bit_model mantissa[8][4];
} number_model;

// All probabilities of a stream. Nothing but bit_model, so that a full snapshot can send them in a
// row.
typedef struct packed_models {
    bit_model exact[2][SIZE_CLASSES][4][SPREADS][4];
    bit_model changed[PACKED_AXES_MAX][SIZE_CLASSES][EDGE_CLASSES][3][SPREADS];
    bit_model toward[PACKED_AXES_MAX][EDGE_CLASSES][4][3];
    bit_model magnitude[PACKED_AXES_MAX][SIZE_CLASSES][NUMBER_EXPONENTS];
    bit_model mantissa[PACKED_AXES_MAX][8][4];
    bit_model scene_changed, any_gone, gone_is_removal, any_entered, any_woken;
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
    packed_track *tracks; // by ascending slot
    uint32_t count, capacity;
    packed_models models;
} packed_stream;

static inline uint32_t packed_slot(uint64_t id)
{
    return (uint32_t)(id & 0xffffff);
}

void packed_models_init(packed_models *m);
void number_model_init(number_model *m);

uint64_t code_number(range_coder *c, number_model *m, uint64_t value); // below 2^48 - 1
int64_t code_signed(range_coder *c, number_model *m, int64_t value);   // of at most 46 bits

// One moving track: its new rounded values are `q` where the coder writes; they are track->axes[].q
// afterwards. `history` has the outcomes of the tracks before it, newest in the lowest bit.
void code_track(range_coder *c, packed_stream *s, packed_track *track, const int64_t *q,
                uint32_t *history);

// Whether the track, that has just been coded, has come to rest; then it is.
bool packed_track_settle(packed_track *track, int axes);

// A track at rest moves from now on. False: no memory.
bool packed_track_wake(packed_track *track, int axes);

// Sets the count; tracks above the one before are not initialised. False: no memory, nothing changed.
bool packed_stream_resize(packed_stream *s, uint32_t count);
void packed_stream_deinit(packed_stream *s);

// What follows from precision and rate for a stream.
void packed_stream_set_scene(packed_stream *s, const packed_scene *scene);

#endif
