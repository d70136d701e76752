// Packed snapshots: the bodies in view, quantised, predicted and entropy-coded against the
// snapshots sent before.
//
// Poses are rounded to steps of the precision, so decoded poses are always within half a step of
// the server's: errors cannot add up, because both sides predict only from the rounded poses.
// Encoder and decoder keep the same state (the tracks of packed_track.h and the models of
// packed_model.h) and change it alike with each snapshot; each snapshot therefore needs the one
// before it. A reader without it begins with a full one, which has all of that state, so readers
// that join later share the snapshots of the earlier ones.
//
// PROTOCOL.md, "Packed snapshots", describes the bytes to the bit.
//
// An encoder or decoder belongs to one thread at a time.
#ifndef CAROM_PROTO_PACKED_PACKED_H
#define CAROM_PROTO_PACKED_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/wire/buffer.h"

enum {
    PACKED_VERSION = 1,
    PACKED_BODIES_MAX = 1 << 20,      // tracks of one stream: the bodies of the largest world
    PACKED_ANGLE_STEPS_MAX = 1 << 20, // most steps of the angle in one turn
    PACKED_ANGLE_STEPS_MIN = 4,
    PACKED_ANGLE_STEPS_DEFAULT = 1 << 10,
    PACKED_TICKS_MAX = 1 << 10 // most ticks between two snapshots for the prediction
};

// Steps of a metre and of a metre a second: the least and the most that a precision may ask for. A
// million metres in the finest steps is below 2^37.
#define PACKED_STEPS_MIN     (1.0 / 16.0)
#define PACKED_STEPS_MAX     65536.0
#define PACKED_STEPS_DEFAULT 512.0

typedef struct packed_precision {
    double position_steps; // steps in a metre, PACKED_STEPS_MIN to _MAX
    uint32_t angle_steps;  // steps in a turn, 4 to PACKED_ANGLE_STEPS_MAX
    double velocity_steps; // steps to a metre (a radian) a second; 0: velocities are not sent, and
                           // the reader estimates them from poses
} packed_precision;

packed_precision packed_precision_default(void);

// A body as a snapshot shows it.
typedef struct packed_body {
    uint64_t id;
    double x, y;         // [m], within a million of the origin
    double angle;        // [rad]
    double vx, vy, spin; // [m/s, rad/s]
} packed_body;

typedef struct packed_encoder packed_encoder;
typedef struct packed_decoder packed_decoder;

// A new stream with no bodies. `precision` is in its ranges (asserted), `hz` the ticks a second.
packed_encoder *packed_encoder_create(const packed_precision *precision, double hz);
void packed_encoder_destroy(packed_encoder *e); // NULL is allowed

// The memory that the encoder takes in addition to its blocks (common/base/block.h), and the most
// that it may take after one more snapshot of `count` bodies.
size_t packed_encoder_bytes(const packed_encoder *e);
size_t packed_encoder_bytes_most(const packed_encoder *e, uint32_t count);
// The most that a new encoder may take after a snapshot of `count` bodies, with velocities or
// without.
size_t packed_encoder_bytes_of(bool velocities, uint32_t count);

// Drops all bodies and all learned probabilities. The next full snapshot is as small as the first.
void packed_encoder_restart(packed_encoder *e);

// Appends to `out` the bytes that update a reader from the snapshot before to the state of `tick`,
// which is not below the tick before. `bodies` are all bodies in view, by ascending slot (the low
// 24 bits of the id), at most PACKED_BODIES_MAX. `removed` are the ids that no longer exist, in any
// order; other bodies that are not in view any more have left it.
void packed_encode(packed_encoder *e, uint64_t tick, const packed_body *bodies, uint32_t count,
                   const uint64_t *removed, uint32_t removed_count, buffer *out);

// As packed_encode, but leaves out those of `bodies` that are `held` (NULL: none): the reader keeps
// their last state. Only bodies of the last snapshot may be held.
void packed_encode_part(packed_encoder *e, uint64_t tick, const packed_body *bodies,
                        const bool *held, uint32_t count, const uint64_t *removed,
                        uint32_t removed_count, buffer *out);

// Whether bodies move, or have not been still for long enough to count as resting.
bool packed_encoder_moves(const packed_encoder *e);

// Whether the reader of the last snapshot lacks something of this state: false if nothing moves and
// all are where they were, to half a step.
bool packed_encoder_lacks(packed_encoder *e, const packed_body *bodies, uint32_t count);

// Appends to `out` the bytes with which a reader begins at the last encoded state: all of it.
void packed_encode_full(packed_encoder *e, buffer *out);

packed_decoder *packed_decoder_create(void);    // NULL: no memory
void packed_decoder_destroy(packed_decoder *d); // NULL is allowed

// The changes that a decoded snapshot makes. Pointers are the decoder's, until its next call.
typedef struct packed_changes {
    bool full; // all earlier content is void; `bodies` are all bodies in view
    uint64_t tick;
    double hz;                 // ticks a second
    const packed_body *bodies; // bodies that moved, or came into view
    uint32_t body_count;
    const uint64_t *entered; // ids; a full snapshot leaves it empty
    uint32_t entered_count;
    const uint64_t *removed; // ids that no longer exist
    uint32_t removed_count;
    const uint64_t *left; // ids that went out of view
    uint32_t left_count;
} packed_changes;

// Bytes that a body takes in a decoder, at most: its lists grow to twice what they need.
enum { PACKED_DECODER_BODY_BYTES = 1024 };

// Memory that the decoder has now [bytes].
uint64_t packed_decoder_bytes(const packed_decoder *d);

// Bounds the bodies in view from the next snapshot on; PACKED_BODIES_MAX, as long as it is not
// called, and at most.
void packed_decoder_bound(packed_decoder *d, uint64_t bodies_most);

// Decodes the next snapshot from untrusted bytes. Errors: STATUS_INVALID_ARGUMENT with the fault;
// STATUS_LIMIT_EXCEEDED beyond the bound of bodies; STATUS_INTERNAL when memory runs out. After an
// error only a full snapshot is accepted. Memory: in proportion to the bodies that were really
// sent, each of which takes a bit at least.
status packed_decode(packed_decoder *d, const uint8_t *bytes, size_t size, packed_changes *out,
                     error *err);

#endif
